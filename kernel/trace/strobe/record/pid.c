// SPDX-License-Identifier: GPL-2.0
/*
 * Recording the events of certain tasks only.
 *
 * An event belongs to the running task. Scheduler events that name a second task, the
 * one that is switched to or woken, belong to that task as well: whether to record them
 * is decided when the record is complete, by the pid in it. So no work is needed at
 * task switches.
 *
 * An event that a probe makes from one of these, or from its tracepoint, belongs to the same
 * two tasks, but its record need not have the pid. While such an event is delivered, its CPU
 * has them in made_from.
 *
 * States of an instance
 *	all	both lists are NULL; no event's gate has STROBE_GATE_PID
 *	some	a list is set; all gates have the bit
 * Invariant: a probe that sees the gate bit sees the lists; it may see NULL while a list
 * is being set or cleared.
 *
 * With option event-fork, children of listed tasks are added to the list of their
 * parent, and tasks are removed when they are freed. If there is no memory for a child,
 * it is not followed.
 *
 * Contexts: verdicts: any, preemption off. Probes: as their tracepoints. All else: task,
 * strobe_event_mutex held.
 *
 * Barriers: lists are published by rcu_assign_pointer() and freed after
 * tracepoint_synchronize_unregister(); second_tasks has a release/acquire pair. Each
 * CPU has its own made_from. An interrupt that changes it restores it, so it needs only the
 * compiler's order.
 */
#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <asm/barrier.h>

#include <trace/events/sched.h>

#include "event/event.h"
#include "event/fields.h"
#include "record/gate.h"
#include "record/pid.h"
#include "record/trace_array.h"

/*
 * @call and @offset are set when they are first needed (strobe_event_mutex), and constant from
 * then on.
 */
static struct second_task second_tasks[] = {
	{ "sched_switch",	"next_pid",	2 },
	{ "sched_waking",	"pid",		0 },
	{ "sched_wakeup",	"pid",		0 },
	{ "sched_wakeup_new",	"pid",		0 },
};

/* The event that a probe is delivering on this CPU, and the second task of its source. */
static DEFINE_PER_CPU(struct pid_made_from, made_from);

static void find_second_tasks(void)
{
	struct strobe_field_iter it;
	struct trace_event_call *call;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(second_tasks); i++) {
		struct second_task *second = &second_tasks[i];

		call = second->call ? NULL : strobe_event_find("sched", second->event);
		if (!call)
			continue;
		strobe_for_each_field(&it, call) {
			if (strcmp(it.field->name, second->field))
				continue;
			second->offset = it.offset;
			/* SECOND:A: a reader of @call also sees @offset. */
			smp_store_release(&second->call, call);
		}
	}
}

static notrace const struct second_task *second_task_of(const struct trace_event_call *call)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(second_tasks); i++) {
		/* Pairs with SECOND:A: sees @offset. */
		if (smp_load_acquire(&second_tasks[i].call) == call)
			return &second_tasks[i];
	}
	return NULL;
}

/* Preemption is off, or strobe_event_mutex is held. */
static notrace struct pid_set *pids_of(const struct trace_array *tr, enum pid_list list)
{
	return rcu_dereference_raw(tr->pids[list]);
}

static notrace bool not_listed(const struct trace_array *tr, pid_t pid)
{
	const struct pid_set *set = pids_of(tr, PID_ONLY);

	return set && !strobe_pid_set_has(set, pid);
}

static notrace bool excepted(const struct trace_array *tr, pid_t pid)
{
	const struct pid_set *set = pids_of(tr, PID_EXCEPT);

	return set && strobe_pid_set_has(set, pid);
}

/*
 * Whether an event of two tasks is ignored. sched_switch is ignored only if the same list
 * rejects both tasks, a wake-up if each task is rejected by either list.
 */
static notrace bool both_ignored(const struct trace_array *tr, const struct second_task *second,
				 pid_t other)
{
	pid_t first = current->pid;

	if (second == &second_tasks[0])
		return (excepted(tr, first) && excepted(tr, other)) ||
		       (not_listed(tr, first) && not_listed(tr, other));
	return (excepted(tr, first) || not_listed(tr, first)) &&
	       (excepted(tr, other) || not_listed(tr, other));
}

/**
 * strobe_event_pid_verdict - decide whether to record an event of the running task
 * @file: the event file
 *
 * Context: any, preemption off.
 * Return: PID_KEPT; else PID_BY_RECORD if the event belongs to a second task as well, or
 *	   PID_IGNORED.
 */
notrace enum pid_verdict strobe_event_pid_verdict(const struct trace_event_file *file)
{
	const struct trace_array *tr = file->tr;
	const struct pid_made_from *from = this_cpu_ptr(&made_from);
	pid_t pid = current->pid;

	if (!not_listed(tr, pid) && !excepted(tr, pid))
		return PID_KEPT;
	if (from->call == file->call)
		return both_ignored(tr, from->second, from->pid) ? PID_IGNORED : PID_KEPT;
	return second_task_of(file->call) ? PID_BY_RECORD : PID_IGNORED;
}

/**
 * strobe_event_pid_record_ignored - decide about a complete record after PID_BY_RECORD
 * @file:  the event file
 * @entry: the record's payload
 *
 * Context: any, preemption off.
 * Return: true if the record must not be recorded.
 */
notrace bool strobe_event_pid_record_ignored(const struct trace_event_file *file, const void *entry)
{
	const struct second_task *second = second_task_of(file->call);

	return second && both_ignored(file->tr, second, *(const pid_t *)(entry + second->offset));
}

/**
 * strobe_second_task_in - whether records of an event name a second task
 * @call: the event
 *
 * Context: task; strobe_event_mutex held.
 * Return: the second task, @offset set; NULL: they do not
 */
const struct second_task *strobe_second_task_in(const struct trace_event_call *call)
{
	lockdep_assert_held(&strobe_event_mutex);
	find_second_tasks();
	return second_task_of(call);
}

/**
 * strobe_second_task_at - whether arguments of a tracepoint name a second task
 * @tracepoint: its name
 *
 * Context: any.
 * Return: the second task, @offset not set; NULL: they do not
 */
const struct second_task *strobe_second_task_at(const char *tracepoint)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(second_tasks); i++) {
		if (!strcmp(second_tasks[i].event, tracepoint))
			return &second_tasks[i];
	}
	return NULL;
}

/**
 * strobe_pid_made_from - set the second task of an event before it is delivered
 * @from: the event that a probe makes, and the second task; or what this returned before
 *
 * From now on, the lists of pids decide about that event by that task as well, on this CPU.
 *
 * Context: any, preemption off from the first call to the one that restores.
 * Return: what was set before, to restore it
 */
notrace struct pid_made_from strobe_pid_made_from(struct pid_made_from from)
{
	struct pid_made_from *cpu = this_cpu_ptr(&made_from);
	const struct pid_made_from before = *cpu;

	barrier();
	*cpu = from;
	barrier();
	return before;
}

/**
 * strobe_instance_has_pids - whether an instance has a list of pids
 * @tr: the instance
 *
 * Context: task; strobe_event_mutex held.
 */
bool strobe_instance_has_pids(const struct trace_array *tr)
{
	return pids_of(tr, PID_ONLY) || pids_of(tr, PID_EXCEPT);
}

/**
 * strobe_instance_add_pids - add tasks to a list
 * @tr:   the instance
 * @list: the list
 * @pids: the tasks; the function takes over the set
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_instance_add_pids(struct trace_array *tr, enum pid_list list, struct pid_set *pids)
{
	struct pid_set *old = pids_of(tr, list);

	lockdep_assert_held(&strobe_event_mutex);
	if (old) {
		strobe_pid_set_merge(old, pids);
		return;
	}
	find_second_tasks();
	rcu_assign_pointer(tr->pids[list], pids);
	strobe_event_files_set_gate(tr, STROBE_GATE_PID, true);
}

/**
 * strobe_instance_clear_pids - remove all tasks from a list
 * @tr:   the instance
 * @list: the list
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_instance_clear_pids(struct trace_array *tr, enum pid_list list)
{
	struct pid_set *old = pids_of(tr, list);

	lockdep_assert_held(&strobe_event_mutex);
	if (!old)
		return;
	rcu_assign_pointer(tr->pids[list], NULL);
	if (!strobe_instance_has_pids(tr))
		strobe_event_files_set_gate(tr, STROBE_GATE_PID, false);
	tracepoint_synchronize_unregister();
	strobe_pid_set_free(old);
}

/* Option event-fork. */

static void probe_fork(void *data, struct task_struct *self, struct task_struct *task)
{
	struct trace_array *tr = data;
	enum pid_list list;
	struct pid_set *set;

	for (list = 0; list < PID_LISTS; list++) {
		set = pids_of(tr, list);
		if (set)
			strobe_pid_set_follow(set, self->pid, task->pid);
	}
}

static void probe_free(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	enum pid_list list;
	struct pid_set *set;

	for (list = 0; list < PID_LISTS; list++) {
		set = pids_of(tr, list);
		if (set)
			strobe_pid_set_remove(set, task->pid);
	}
}

/**
 * strobe_instance_follow_forks - start or stop adding children of listed tasks to the lists
 * @tr: the instance
 * @on: true: start; it must not be started already, or stopped
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM; on error nothing has changed.
 */
int strobe_instance_follow_forks(struct trace_array *tr, bool on)
{
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	if (!on) {
		unregister_trace_sched_process_fork(probe_fork, tr);
		unregister_trace_sched_process_free(probe_free, tr);
		return 0;
	}
	/* Run after all other fork probes and before other free probes: the child is not listed. */
	ret = register_trace_prio_sched_process_fork(probe_fork, tr, INT_MIN);
	if (ret)
		return ret;
	ret = register_trace_prio_sched_process_free(probe_free, tr, INT_MAX);
	if (ret)
		unregister_trace_sched_process_fork(probe_fork, tr);
	return ret;
}

/**
 * strobe_instance_destroy_pids - free the lists of an instance that is being removed
 * @tr: the instance; its events are disabled and no probe runs
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_instance_destroy_pids(struct trace_array *tr)
{
	enum pid_list list;

	for (list = 0; list < PID_LISTS; list++)
		strobe_pid_set_free(pids_of(tr, list));
}
