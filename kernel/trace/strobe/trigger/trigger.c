// SPDX-License-Identifier: GPL-2.0
/*
 * An event's triggers, when it fires and when somebody looks.
 *
 * They are a list that RCU protects: whoever fires the event goes through it with
 * preemption off; it changes with event_mutex held, and a trigger that was taken out is
 * freed when no probe can be at it. The newest comes first.
 *
 * When they are called
 *	before		the record is in the ring, or has been refused by the filter, by
 *			set_event_pid, or because the event is off: triggers see all
 *	after		it is there, or would have been: those whose command says so, always
 *			or if they have a filter. Which of them it concerns was decided
 *			before, with the others
 * If no trigger of the event has a filter or is to come after, nobody needs the record:
 * STROBE_GATE_TRIGGER alone. Else STROBE_GATE_TRIGGER_RECORD is set too.
 *
 * A count is taken from by whoever gets to run: exact, on whatever CPUs it fires.
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

/* For who fires the event; tracepoints are protected by preemption being off. */
#define for_each_trigger(trigger, file) \
	hlist_for_each_entry_rcu_notrace(trigger, &(file)->triggers, node)

/**
 * trigger_find - an event's trigger of a command's kind
 * @file: the event
 * @command: the command
 * @target: what it is done to; NULL: it has no target
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
 * triggers_gate - what an event's gate has to say of its triggers
 * @file: the event
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
 * @trigger: the trigger, which no probe is at
 *
 * Context: task, may sleep.
 */
void trigger_free(struct trigger *trigger)
{
	strobe_filter_free(trigger->filter);
	kfree(trigger);
}

/**
 * trigger_show - the line of a trigger
 * @m: where to
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

/* Is it to be run? Then it has been counted. */
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
 * triggers_call - an event fires
 * @file: the event
 * @record: its record, header and all; NULL: nobody needs it
 * @ctx: the record's context
 * @from: where stacks begin
 *
 * Context: any, NMI included, preemption off.
 * Return: kinds of those that are to be run after the commit
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
 * triggers_call_after - its record has been committed
 * @file: the event
 * @kinds: from triggers_call()
 * @ctx: the record's context
 * @from: where stacks begin
 *
 * Context: that of triggers_call(), preemption off since.
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
