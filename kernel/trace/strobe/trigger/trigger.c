// SPDX-License-Identifier: GPL-2.0
/*
 * One trigger of an event: finding, showing and freeing it. record/triggers.c calls the
 * triggers when the event fires, and says when.
 *
 * Contexts: task with strobe_event_mutex held.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <linux/strobe/event.h>

#include "event/event.h"
#include "filter/filter.h"
#include "trigger/trigger.h"

/**
 * strobe_trigger_find - find an event's trigger by kind and target
 * @file: the event file
 * @command: a command of that kind
 * @target: event file of the target; NULL: the trigger has no target
 *
 * Context: task, strobe_event_mutex held.
 * Return: the trigger, or NULL if there is none.
 */
struct trigger *strobe_trigger_find(const struct trace_event_file *file,
				    const struct trigger_command *command,
				    const struct trace_event_file *target)
{
	struct trigger *trigger;

	lockdep_assert_held(&strobe_event_mutex);
	hlist_for_each_entry(trigger, &file->triggers, node) {
		if (trigger->command->kind == command->kind && trigger->target == target)
			return trigger;
	}
	return NULL;
}

/**
 * strobe_triggers_gate - get the gate bits for an event's triggers
 * @file: the event file
 *
 * Context: task, strobe_event_mutex held.
 * Return: STROBE_GATE_* bits
 */
unsigned long strobe_triggers_gate(const struct trace_event_file *file)
{
	const struct trigger *trigger;
	unsigned long gate = 0;

	lockdep_assert_held(&strobe_event_mutex);
	hlist_for_each_entry(trigger, &file->triggers, node) {
		gate |= STROBE_GATE_TRIGGER;
		if (trigger->filter || trigger->command->after)
			gate |= STROBE_GATE_TRIGGER_RECORD;
	}
	return gate;
}

/**
 * strobe_trigger_free - free a trigger
 * @trigger: the trigger, which no probe uses
 *
 * Context: task, may sleep.
 */
void strobe_trigger_free(struct trigger *trigger)
{
	strobe_filter_free(trigger->filter);
	kfree(trigger);
}

/**
 * strobe_trigger_show - print the line of a trigger
 * @m: the trigger file
 * @trigger: the trigger
 *
 * Context: task, strobe_event_mutex held.
 */
void strobe_trigger_show(struct seq_file *m, const struct trigger *trigger)
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
