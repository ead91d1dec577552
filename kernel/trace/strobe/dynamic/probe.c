// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: their memory, and arming them.
 *
 * Most probes of a large set are never armed. So a probe gets its counters, and the programs that
 * fetch its arguments, when it is first armed. The counters stay until it is removed, the
 * programs also until a module of its symbols comes or goes. The counters of a CPU are written on
 * it only, and may be read at any time.
 *
 * Contexts: task, strobe_event_mutex held, or only the caller knows the probe.
 * Barriers: counters and programs are published by PROGRAM:A before the probe is armed. fire.c and
 * the sources read them.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "dynamic/dynamic.h"
#include "filter/program.h"

/*
 * Counters of all probes that were never armed. A CPU that sees such a probe enabled, but not
 * its own counters yet, counts the hit here.
 */
static DEFINE_PER_CPU(struct dyn_counts, no_counts);

/**
 * strobe_dyn_probe_alloc - allocate a probe
 * @size: its size in bytes; it begins with struct dyn_probe
 *
 * Context: task, may sleep.
 * Return: the probe, zero but for its counters and lists; NULL: no memory
 */
struct dyn_probe *strobe_dyn_probe_alloc(size_t size)
{
	struct dyn_probe *probe = kzalloc(size, GFP_KERNEL);

	if (!probe)
		return NULL;
	INIT_LIST_HEAD(&probe->list);
	probe->counts = &no_counts;
	return probe;
}

static int counts_make(struct dyn_probe *probe)
{
	struct dyn_counts __percpu *counts = alloc_percpu(struct dyn_counts);

	if (!counts)
		return -ENOMEM;
	/* PROGRAM:A, as below: a hit that sees the counters sees them cleared. */
	smp_store_release(&probe->counts, counts);
	return 0;
}

static int programs_make(struct dyn_probe *probe)
{
	struct dyn_programs *programs = kmalloc(sizeof(*programs), GFP_KERNEL);
	int ret;

	if (!programs)
		return -ENOMEM;
	ret = strobe_dyn_args_compile(probe->args, &programs->fetch, &programs->entry);
	if (ret) {
		kfree(programs);
		return ret;
	}
	/* PROGRAM:A: a hit that sees the pointer sees the programs. Pairs in fire.c. */
	smp_store_release(&probe->programs, programs);
	return 0;
}

/* Make the counters and programs of a probe, unless they are there. */
static int prepare(struct dyn_probe *probe)
{
	int ret = 0;

	if (!probe->args)
		return 0;
	if (probe->counts == &no_counts)
		ret = counts_make(probe);
	if (!ret && !probe->programs && probe->args->nr)
		ret = programs_make(probe);
	return ret;
}

/**
 * strobe_dyn_arm - let a probe fire
 * @probe: the probe, bound and not armed
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0, or an errno, and nothing has changed
 */
int strobe_dyn_arm(struct dyn_probe *probe)
{
	int ret = 0;

	if (!probe->pending) {
		ret = prepare(probe);
		if (!ret)
			ret = probe->event->kind->arm(probe);
	}
	probe->armed = !ret && !probe->pending;
	return ret;
}

/**
 * strobe_dyn_programs_free - free the programs of a probe
 * @probe: the probe, of which no hit runs any more
 *
 * Context: task, may sleep; strobe_event_mutex held, or only the caller knows the probe.
 */
void strobe_dyn_programs_free(struct dyn_probe *probe)
{
	struct dyn_programs *programs = probe->programs;

	if (!programs)
		return;
	probe->programs = NULL;
	strobe_program_put(programs->fetch);
	if (programs->entry)
		strobe_program_put(programs->entry);
	kfree(programs);
}

/**
 * strobe_dyn_probe_free - free a probe
 * @kind:  its kind
 * @probe: the probe, which is in no list and not bound; may be NULL
 *
 * Context: task, may sleep.
 */
void strobe_dyn_probe_free(const struct dyn_kind *kind, struct dyn_probe *probe)
{
	if (!probe)
		return;
	if (kind->free)
		kind->free(probe);
	strobe_dyn_programs_free(probe);
	strobe_dyn_args_put(probe->args);
	if (probe->counts != &no_counts)
		free_percpu(probe->counts);
	kfree(probe);
}

/**
 * strobe_dyn_probe_counts - sum up a probe's counters
 * @probe: the probe
 *
 * Context: task; strobe_event_mutex held.
 * Return: hits, and what was missed by the source and for lack of room
 */
struct dyn_counts strobe_dyn_probe_counts(const struct dyn_probe *probe)
{
	const struct dyn_kind *kind = probe->event->kind;
	struct dyn_counts sum = { };
	int cpu;

	if (probe->counts != &no_counts) {
		for_each_possible_cpu(cpu) {
			sum.hits += READ_ONCE(per_cpu_ptr(probe->counts, cpu)->hits);
			sum.missed += READ_ONCE(per_cpu_ptr(probe->counts, cpu)->missed);
		}
	}
	if (kind->missed)
		sum.missed += kind->missed(probe);
	return sum;
}

/*
 * Held, in addition to strobe_event_mutex, to change dyn_event::probes, nr_probes and overridden.
 * perf asks for these with the mutex of a CPU's context held, and must not wait for
 * strobe_event_mutex then: a task that arms a probe holds that while it waits for CPU hotplug, and
 * CPU hotplug waits for the context's mutex.
 */
DEFINE_MUTEX(strobe_dyn_probes_mutex);

/**
 * strobe_dyn_probe_join - make a probe one of an event's
 * @probe: the probe
 * @event: the event
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: false: a program may override the function of the event, which keeps its only probe
 */
bool strobe_dyn_probe_join(struct dyn_probe *probe, struct dyn_event *event)
{
	struct dyn_probe **at = &event->probes;

	guard(mutex)(&strobe_dyn_probes_mutex);
	if (event->overridden)
		return false;
	while (*at)
		at = &(*at)->next;
	*at = probe;
	probe->event = event;
	event->nr_probes++;
	return true;
}

/**
 * strobe_dyn_probe_part - undo strobe_dyn_probe_join()
 * @probe: the probe
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_dyn_probe_part(struct dyn_probe *probe)
{
	struct dyn_probe **at = &probe->event->probes;

	guard(mutex)(&strobe_dyn_probes_mutex);
	while (*at != probe)
		at = &(*at)->next;
	*at = probe->next;
	probe->next = NULL;
	probe->event->nr_probes--;
}
