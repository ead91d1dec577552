// SPDX-License-Identifier: GPL-2.0
/*
 * Recording the events of certain tasks only.
 *
 * An event belongs to the running task. Scheduler events that name a second task, the
 * one that is switched to or woken, belong to that task as well: whether to record them
 * is decided when the record is complete, by the pid in it. So no work is needed at
 * task switches, and there is no per-CPU state.
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
 * tracepoint_synchronize_unregister(); second_tasks has a release/acquire pair.
 */
#include <linux/array_size.h>
#include <linux/cleanup.h>
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
 * Events that belong to a second task, and the field with its pid. @call and @offset are
 * set when pids are first set (strobe_event_mutex), and constant from then on.
 */
static struct second_task {
	const char		*event;
	const char		*field;
	struct trace_event_call	*call;
	unsigned int		offset;
} second_tasks[] = {
	{ "sched_switch",	"next_pid" },
	{ "sched_waking",	"pid" },
	{ "sched_wakeup",	"pid" },
	{ "sched_wakeup_new",	"pid" },
};

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
	pid_t pid = current->pid;

	if (!not_listed(tr, pid) && !excepted(tr, pid))
		return PID_KEPT;
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
	const struct trace_array *tr = file->tr;
	pid_t first = current->pid;
	pid_t other;

	if (!second)
		return false;
	other = *(const pid_t *)(entry + second->offset);
	/*
	 * sched_switch is ignored only if the same list rejects both tasks, a wake-up if each
	 * task is rejected by either list.
	 */
	if (second == &second_tasks[0])
		return (excepted(tr, first) && excepted(tr, other)) ||
		       (not_listed(tr, first) && not_listed(tr, other));
	return (excepted(tr, first) || not_listed(tr, first)) &&
	       (excepted(tr, other) || not_listed(tr, other));
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
