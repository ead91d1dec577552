// SPDX-License-Identifier: GPL-2.0
/*
 * The triggers of an event: calling them when it fires, and showing them.
 *
 * They are a list protected by RCU. Code that fires the event walks it with preemption
 * off; it is changed with event_mutex held, and a removed trigger is freed when no probe
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
 * Contexts: task with event_mutex held; triggers_call*(): any, NMI included.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <linux/strobe/event.h>

#include "event/event.h"
#include "filter/filter.h"
#include "trigger/trigger.h"

/* For code that fires the event, which has preemption off. */
#define for_each_trigger(trigger, file) \
	hlist_for_each_entry_rcu_notrace(trigger, &(file)->triggers, node)

/**
 * trigger_find - find an event's trigger by kind and target
 * @file: the event file
 * @command: a command of that kind
 * @target: event file of the target; NULL: the trigger has no target
 *
 * Context: task, event_mutex held.
 * Return: the trigger, or NULL if there is none.
 */
struct trigger *trigger_find(const struct trace_event_file *file,
			     const struct trigger_command *command,
			     const struct trace_event_file *target)
{
	struct trigger *trigger;

	lockdep_assert_held(&event_mutex);
	hlist_for_each_entry(trigger, &file->triggers, node) {
		if (trigger->command->kind == command->kind && trigger->target == target)
			return trigger;
	}
	return NULL;
}

/**
 * triggers_gate - get the gate bits for an event's triggers
 * @file: the event file
 *
 * Context: task, event_mutex held.
 * Return: STROBE_GATE_* bits
 */
unsigned long triggers_gate(const struct trace_event_file *file)
{
	const struct trigger *trigger;
	unsigned long gate = 0;

	lockdep_assert_held(&event_mutex);
	hlist_for_each_entry(trigger, &file->triggers, node) {
		gate |= STROBE_GATE_TRIGGER;
		if (trigger->filter || trigger->command->after)
			gate |= STROBE_GATE_TRIGGER_RECORD;
	}
	return gate;
}

/**
 * trigger_free - free a trigger
 * @trigger: the trigger, which no probe uses
 *
 * Context: task, may sleep.
 */
void trigger_free(struct trigger *trigger)
{
	strobe_filter_free(trigger->filter);
	kfree(trigger);
}

/**
 * trigger_show - print the line of a trigger
 * @m: the trigger file
 * @trigger: the trigger
 *
 * Context: task, event_mutex held.
 */
void trigger_show(struct seq_file *m, const struct trigger *trigger)
{
	const struct trace_event_file *target = trigger->target;
	long count = atomic_long_read(&trigger->count);

	seq_puts(m, trigger->command->name);
	if (target)
		seq_printf(m, ":%s:%s", target->call->class->system,
			   trace_event_name(target->call));
	if (count == TRIGGER_UNLIMITED)
		seq_puts(m, ":unlimited");
	else
		seq_printf(m, ":count=%ld", count);
	if (trigger->filter)
		seq_printf(m, " if %s", trigger->filter->text);
	seq_putc(m, '\n');
}

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
 * triggers_call - call the triggers of an event that fires, before its record is committed
 * @file: the event file
 * @record: the payload, with its struct trace_entry; NULL if no trigger needs it
 * @ctx: the record's context
 * @from: return address in the frame where stack traces begin
 *
 * Context: any, NMI included, preemption off.
 * Return: kinds of triggers to run after the commit, for triggers_call_after()
 */
notrace unsigned int triggers_call(struct trace_event_file *file, const void *record, u32 ctx,
				   unsigned long from)
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
 * triggers_call_after - call the triggers of an event that run after the commit
 * @file: the event file
 * @kinds: from triggers_call()
 * @ctx: the record's context
 * @from: return address in the frame where stack traces begin
 *
 * Context: that of triggers_call(), with preemption off since then.
 */
notrace void triggers_call_after(struct trace_event_file *file, unsigned int kinds, u32 ctx,
				 unsigned long from)
{
	struct trigger *trigger;

	for_each_trigger(trigger, file) {
		if (trigger_is_after(trigger) && trigger->command->kind & kinds &&
		    trigger_take(trigger))
			trigger->command->run(trigger, ctx, from);
	}
}
