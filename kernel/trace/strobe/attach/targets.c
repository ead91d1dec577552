// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks that perf events on an event are opened for. A class whose source can be limited
 * to processes, as uprobes can, sets target() of struct strobe_class_ops.
 *
 * State: attached::targets and attached::system_wide, protected by attached::targets_lock.
 * A perf event is in the list from its opening until it is closed; perf keeps its task.
 *
 * Contexts: the list changes in task context with strobe_event_mutex held; it is read in any
 * context but NMI. Lock order: targets_lock is a leaf.
 */
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "attach/attach.h"

/* targets_lock held */
static bool has_target(const struct attached *at, const struct mm_struct *mm)
{
	const struct perf_event *event;

	if (at->system_wide)
		return true;
	list_for_each_entry(event, &at->targets, hw.tp_list) {
		if (event->hw.target->mm == mm)
			return true;
	}
	return false;
}

/**
 * strobe_attached_wants_mm - whether a perf event counts in a process
 * @sink: sink with STROBE_GATE_ATTACHED of a class with target()
 * @mm:   memory of the process
 *
 * Context: any but NMI, in an RCU reader.
 */
bool strobe_attached_wants_mm(struct strobe_sink *sink, const struct mm_struct *mm)
{
	struct attached *at = container_of(sink, struct attached, sink);
	/* The lock would only order this with a perf event that is being opened or closed. */
	bool wants = data_race(at->system_wide);
	unsigned long flags;

	if (!wants) {
		read_lock_irqsave(&at->targets_lock, flags);
		wants = has_target(at, mm);
		read_unlock_irqrestore(&at->targets_lock, flags);
	}
	return wants;
}

static bool add_target(struct attached *at, struct perf_event *event)
{
	bool had = at->system_wide;

	if (!event->hw.target) {
		at->system_wide++;
		return had;
	}
	/*
	 * An inherited perf event: fork() copies the breakpoints. With enable_on_exec, they come
	 * when the task maps the file.
	 */
	had |= event->parent || event->attr.enable_on_exec || has_target(at, event->hw.target->mm);
	list_add(&event->hw.tp_list, &at->targets);
	return had;
}

static bool remove_target(struct attached *at, struct perf_event *event)
{
	if (!event->hw.target) {
		at->system_wide--;
		return at->system_wide;
	}
	list_del(&event->hw.tp_list);
	/* A task that exits has no memory any more. */
	return event->hw.target->flags & PF_EXITING || has_target(at, event->hw.target->mm);
}

static int tell_class(struct attached *at, bool more)
{
	struct trace_event_call *call = at->sink.call;

	return call->class->ops->target(call, more);
}

static bool has_targets(const struct attached *at)
{
	const struct strobe_class_ops *ops = at->sink.call->class->ops;

	return ops && ops->target;
}

/**
 * strobe_attached_add_target - note the task that a perf event is opened for
 * @at:    the attached event
 * @event: the perf event
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0, or the errno of the class's target(), and nothing has changed
 */
int strobe_attached_add_target(struct attached *at, struct perf_event *event)
{
	bool had;
	int ret;

	if (!has_targets(at))
		return 0;
	write_lock_irq(&at->targets_lock);
	had = add_target(at, event);
	write_unlock_irq(&at->targets_lock);
	if (had)
		return 0;
	ret = tell_class(at, true);
	if (ret)
		strobe_attached_remove_target(at, event);
	return ret;
}

/**
 * strobe_attached_remove_target - undo strobe_attached_add_target()
 * @at:    the attached event
 * @event: the perf event
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_attached_remove_target(struct attached *at, struct perf_event *event)
{
	bool has;

	if (!has_targets(at))
		return;
	write_lock_irq(&at->targets_lock);
	has = remove_target(at, event);
	write_unlock_irq(&at->targets_lock);
	/* If it fails, breakpoints stay that have no effect. */
	if (!has)
		tell_class(at, false);
}
