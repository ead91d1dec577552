// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_pid and set_ftrace_notrace_pid, on the sets of pids that set_event_pid has.
 *
 * ftrace.c keeps a list for each instance in function_pids and function_no_pids, and
 * publishes a new one for each write. Nobody else changes them but its own probes of fork
 * and exit, which add and remove single tasks.
 *
 * A step of a reader is a pid plus 1, for there is a pid 0.
 *
 * Contexts: task, with ftrace_lock held by the callers; the probes': tracepoints'.
 */
#include <linux/sched.h>

#include "fs/fs.h"
#include "hook/host.h"

/**
 * trace_ignore_this_task - are the functions that a task calls not for this instance?
 * @only: tasks that are; NULL: all
 * @except: tasks that are not; NULL: none
 * @task: the task
 *
 * Context: any, preemption off.
 */
bool trace_ignore_this_task(struct trace_pid_list *only, struct trace_pid_list *except,
			    struct task_struct *task)
{
	if (only && !pid_set_has(only, task->pid))
		return true;
	return except && pid_set_has(except, task->pid);
}

/**
 * trace_filter_add_remove_task - a task has come or gone
 * @list: the list; NULL is ignored
 * @parent: the task comes with its parent, if that is in the list; NULL: it goes
 * @task: the task
 *
 * A child is not followed if there is no memory for it.
 *
 * Context: any, preemption off.
 */
void trace_filter_add_remove_task(struct trace_pid_list *list, struct task_struct *parent,
				  struct task_struct *task)
{
	if (!list)
		return;
	if (!parent)
		pid_set_remove(list, task->pid);
	else
		pid_set_follow(list, parent->pid, task->pid);
}

static void *step_from(struct trace_pid_list *list, pid_t from)
{
	return (void *)(long)(pid_set_next(list, from) + 1);
}

/**
 * trace_pid_start - the step to begin with
 * @list: the list
 * @pos: the pid to go on with: the list may have changed since
 *
 * Return: the step; NULL at the end.
 */
void *trace_pid_start(struct trace_pid_list *list, loff_t *pos)
{
	return step_from(list, *pos);
}

/**
 * trace_pid_next - the next step
 * @list: the list
 * @v: the step before
 * @pos: becomes the pid to go on with
 *
 * Return: the step; NULL at the end.
 */
void *trace_pid_next(struct trace_pid_list *list, void *v, loff_t *pos)
{
	*pos = (long)v;
	return step_from(list, *pos);
}

/**
 * trace_pid_show - a line of the file
 * @m: gets it
 * @v: the step
 *
 * Return: 0
 */
int trace_pid_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%ld\n", (long)v - 1);
	return 0;
}

/**
 * trace_pid_write - make a list of what another one has and of what was written
 * @list: the other one; NULL: none
 * @new_list: the new one; NULL if it has no pid and there was none before. One that has
 *	      lost its last pid stays: ftrace.c takes its probe away with a list that it
 *	      clears, and with no other.
 * @ubuf: user space's buffer: pids between white space
 * @cnt: bytes in it
 *
 * Return: bytes taken; -EINVAL if there is something else than numbers; -EPERM if there
 *	   can be no such pid; -ENOMEM, -EFAULT.
 */
int trace_pid_write(struct trace_pid_list *list, struct trace_pid_list **new_list,
		    const char __user *ubuf, size_t cnt)
{
	struct pid_set *set = pid_set_alloc();
	unsigned int nr;
	int ret = 0;
	pid_t pid;

	if (!set)
		return -ENOMEM;
	for (pid = list ? pid_set_next(list, 0) : -1; pid >= 0 && !ret;
	     pid = pid_set_next(list, pid + 1))
		ret = pid_set_add(set, pid);
	if (!ret)
		ret = fs_parse_pids(set, ubuf, cnt, &nr);
	if (ret < 0 || (!list && pid_set_next(set, 0) < 0)) {
		pid_set_free(set);
		set = NULL;
	}
	*new_list = set;
	return ret;
}
