// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_pid and set_ftrace_notrace_pid, implemented with the sets of pids that
 * set_event_pid uses.
 *
 * ftrace.c has a list for each instance in function_pids and function_no_pids, and
 * publishes a new one for each write. Only its probes for fork and exit change a
 * published list: they add and remove single tasks.
 *
 * A reader's step is a pid plus 1, so that pid 0 is not NULL.
 *
 * Contexts: task, with ftrace_lock held by the callers; the probes run in the context of
 * their tracepoints.
 */
#include <linux/sched.h>

#include "fs/fs.h"
#include "hook/host.h"

/**
 * trace_ignore_this_task - whether an instance ignores the functions that a task calls
 * @only: list of tasks to trace; NULL means all
 * @except: list of tasks not to trace; NULL means none
 * @task: the task
 *
 * Context: any, preemption off.
 */
bool trace_ignore_this_task(struct trace_pid_list *only, struct trace_pid_list *except,
			    struct task_struct *task)
{
	if (only && !strobe_pid_set_has(only, task->pid))
		return true;
	return except && strobe_pid_set_has(except, task->pid);
}

/**
 * trace_filter_add_remove_task - add a new task to a list, or remove an exiting one
 * @list: the list; NULL is ignored
 * @parent: @task is added if its parent is in the list; NULL: @task is removed
 * @task: the task
 *
 * A child is not added if there is no memory for it.
 *
 * Context: any, preemption off.
 */
void trace_filter_add_remove_task(struct trace_pid_list *list, struct task_struct *parent,
				  struct task_struct *task)
{
	if (!list)
		return;
	if (!parent)
		strobe_pid_set_remove(list, task->pid);
	else
		strobe_pid_set_follow(list, parent->pid, task->pid);
}

static void *step_from(struct trace_pid_list *list, pid_t from)
{
	return (void *)(long)(strobe_pid_set_next(list, from) + 1);
}

/**
 * trace_pid_start - return the first step of a read()
 * @list: the list; it may have changed since the last read()
 * @pos: the pid to continue at
 *
 * Return: the step; NULL at the end.
 */
void *trace_pid_start(struct trace_pid_list *list, loff_t *pos)
{
	return step_from(list, *pos);
}

/**
 * trace_pid_next - return the next step
 * @list: the list
 * @v: the previous step
 * @pos: set to the pid to continue at
 *
 * Return: the step; NULL at the end.
 */
void *trace_pid_next(struct trace_pid_list *list, void *v, loff_t *pos)
{
	*pos = (long)v;
	return step_from(list, *pos);
}

/**
 * trace_pid_show - print a line of the file
 * @m: gets the line
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
 * trace_pid_write - create a list with the pids of another one and those written
 * @list: the other list, or NULL
 * @new_list: set to the new list; NULL after an error, or if it is empty and @list is NULL.
 *	      If @list has lost its last pid, the new list is empty, not NULL: ftrace.c
 *	      unregisters its probe only when it clears a list.
 * @ubuf: user space's buffer: pids separated by white space
 * @cnt: bytes in it
 *
 * Return: bytes read; -EINVAL for anything but numbers; -EPERM if a number cannot be a
 *	   pid; -ENOMEM, -EFAULT.
 */
int trace_pid_write(struct trace_pid_list *list, struct trace_pid_list **new_list,
		    const char __user *ubuf, size_t cnt)
{
	struct pid_set *set = strobe_pid_set_alloc();
	unsigned int nr;
	int ret = 0;
	pid_t pid;

	if (!set)
		return -ENOMEM;
	for (pid = list ? strobe_pid_set_next(list, 0) : -1; pid >= 0 && !ret;
	     pid = strobe_pid_set_next(list, pid + 1))
		ret = strobe_pid_set_add(set, pid);
	if (!ret)
		ret = strobe_fs_parse_pids(set, ubuf, cnt, &nr);
	if (ret < 0 || (!list && strobe_pid_set_next(set, 0) < 0)) {
		strobe_pid_set_free(set);
		set = NULL;
	}
	*new_list = set;
	return ret;
}
