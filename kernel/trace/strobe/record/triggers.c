// SPDX-License-Identifier: GPL-2.0
/*
 * The triggers of an event: calling them when it fires.
 *
 * They are a list protected by RCU. Code that fires the event walks it with preemption
 * off; it is changed with strobe_event_mutex held, and a removed trigger is freed when no probe
 * can use it. The newest trigger comes first.
 *
 * When triggers are called
 *	before		before the record is committed. They are also called for events
 *			that soft mode or the filter then rejects; if no trigger needs the
 *			record, also for those that set_event_pid rejects
 *	after		after that, whether the event was recorded or not: triggers whose
 *			command has @after, or has @after_filter and the trigger has a
 *			filter. Their filters are run before the commit, too
 * If no trigger of the event has a filter or runs after, the record is not needed, and
 * only STROBE_GATE_TRIGGER is set. Otherwise STROBE_GATE_TRIGGER_RECORD is set, too.
 *
 * Each run decrements the count, atomically: it is exact for any number of CPUs.
 *
 * Contexts: any, NMI included, preemption off.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/rculist.h>

#include <linux/strobe/event.h>

#include "filter/filter.h"
#include "record/triggers.h"

/* For code that fires the event, which has preemption off. */
#define for_each_trigger(trigger, file) \
	hlist_for_each_entry_rcu_notrace(trigger, &(file)->triggers, node)

/* Is it run after the commit? */
static __always_inline bool trigger_is_after(const struct trigger *trigger)
{
	const struct trigger_command *command = trigger->command;

	return command->after || (command->after_filter && trigger->filter);
}

/* Should the trigger be run? If so, its count is decremented. */
static notrace bool trigger_take(struct trigger *trigger)
{
	const struct trigger_command *command = trigger->command;
	long count = atomic_long_read(&trigger->count);

	if (command->is_done && command->is_done(trigger))
		return false;
	do {
		if (count == TRIGGER_UNLIMITED)
			return true;
		if (!count)
			return false;
	} while (!atomic_long_try_cmpxchg_relaxed(&trigger->count, &count, count - 1));
	return true;
}

/**
 * strobe_triggers_call - call the triggers of an event that fires, before its record is committed
 * @file: the event file
 * @record: the payload, with its struct trace_entry; NULL if no trigger needs it
 * @ctx: the record's context
 * @from: return address in the frame where stack traces begin
 *
 * Context: any, NMI included, preemption off.
 * Return: kinds of triggers to run after the commit, for strobe_triggers_call_after()
 */
notrace unsigned int strobe_triggers_call(struct trace_event_file *file, const void *record,
					  u32 ctx, unsigned long from)
{
	struct trigger *trigger;
	unsigned int after = 0;

	for_each_trigger(trigger, file) {
		if (trigger->filter &&
		    (!record || !strobe_filter_match(trigger->filter, record)))
			continue;
		if (trigger_is_after(trigger))
			after |= trigger->command->kind;
		else if (trigger_take(trigger))
			trigger->command->run(trigger, ctx, from);
	}
	return after;
}

/**
 * strobe_triggers_call_after - call the triggers of an event that run after the commit
 * @file: the event file
 * @kinds: from strobe_triggers_call()
 * @ctx: the record's context
 * @from: return address in the frame where stack traces begin
 *
 * Context: that of strobe_triggers_call(), with preemption off since then.
 */
notrace void strobe_triggers_call_after(struct trace_event_file *file, unsigned int kinds, u32 ctx,
					unsigned long from)
{
	struct trigger *trigger;

	for_each_trigger(trigger, file) {
		if (trigger_is_after(trigger) && trigger->command->kind & kinds &&
		    trigger_take(trigger))
			trigger->command->run(trigger, ctx, from);
	}
}
