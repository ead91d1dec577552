// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of probes: how often each was hit, and how often a hit was missed.
 *
 * Most probes of a large set are never armed, so a probe gets its own counters when it is first
 * armed. The counters of a CPU are written on it only, and may be read at any time.
 *
 * Contexts: task, strobe_event_mutex held. Barriers: PROGRAM:A.
 */
#include <linux/errno.h>
#include <linux/percpu.h>

#include "dynamic/dynamic.h"

/*
 * Counters of all probes that were never armed. A CPU that sees such a probe enabled, but not
 * its own counters yet, counts the hit here.
 */
static DEFINE_PER_CPU(struct dyn_counts, no_counts);

/**
 * strobe_dyn_counts_init - set up the counters of a new probe
 * @probe: the probe
 *
 * Context: any.
 */
void strobe_dyn_counts_init(struct dyn_probe *probe)
{
	probe->counts = &no_counts;
}

/**
 * strobe_dyn_counts_free - free the counters of a probe
 * @probe: the probe, of which no hit runs any more
 *
 * Context: task.
 */
void strobe_dyn_counts_free(struct dyn_probe *probe)
{
	if (probe->counts != &no_counts)
		free_percpu(probe->counts);
}

/**
 * strobe_dyn_counts_make - give a probe its own counters, unless it has them
 * @probe: the probe
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM
 */
int strobe_dyn_counts_make(struct dyn_probe *probe)
{
	struct dyn_counts __percpu *counts;

	if (probe->counts != &no_counts)
		return 0;
	counts = alloc_percpu(struct dyn_counts);
	if (!counts)
		return -ENOMEM;
	/* PROGRAM:A, as in links.c: a hit that sees the counters sees them cleared. */
	smp_store_release(&probe->counts, counts);
	return 0;
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
