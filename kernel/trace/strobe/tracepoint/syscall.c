// SPDX-License-Identifier: GPL-2.0
/*
 * The work flag of the system call tracepoints
 *
 * Entry code reaches the tracepoints only in tasks that have the SYSCALL_TRACEPOINT
 * work flag. All tasks have it while one of the tracepoints has a probe. A new task
 * gets it under tasklist_lock (syscall_tracepoint_update()), so that no task is
 * missed.
 *
 * The command line connects probes before there is a task but the idle one, which passes
 * no flag on. flag_first_tasks() makes up for that.
 *
 * Context: task. Called with tracepoints_mutex held, which protects the count.
 */
#include <linux/init.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "tracepoint/tracepoint.h"

/* Number of system call tracepoints that have probes. */
static unsigned int syscall_tracepoints_on;

static void set_work_of_all_tasks(bool on)
{
	struct task_struct *process, *task;

	read_lock(&tasklist_lock);
	for_each_process_thread(process, task) {
		if (on)
			set_task_syscall_work(task, SYSCALL_TRACEPOINT);
		else
			clear_task_syscall_work(task, SYSCALL_TRACEPOINT);
	}
	read_unlock(&tasklist_lock);
}

/**
 * syscall_regfunc - regfunc of the system call tracepoints
 *
 * Context: task. tracepoints_mutex held; takes tasklist_lock for reading.
 * Return: 0, always.
 */
int syscall_regfunc(void)
{
	if (!syscall_tracepoints_on++)
		set_work_of_all_tasks(true);
	return 0;
}

/**
 * syscall_unregfunc - unregfunc of the system call tracepoints
 *
 * Context: task. tracepoints_mutex held; takes tasklist_lock for reading.
 */
void syscall_unregfunc(void)
{
	if (!--syscall_tracepoints_on)
		set_work_of_all_tasks(false);
}

/* Nothing connects or removes probes meanwhile. */
static int __init flag_first_tasks(void)
{
	if (syscall_tracepoints_on)
		set_work_of_all_tasks(true);
	return 0;
}
early_initcall(flag_first_tasks);
