// SPDX-License-Identifier: GPL-2.0
/*
 * The triggers of an instance's events: the commands, adding and removing.
 *
 * An event with triggers fires whether it is enabled or not: it is in soft mode (see
 * instance/events.c) while it has any, and so is an event that a trigger switches (its target).
 *
 * States of a trigger
 *	made		not reachable by others
 *	listed		in trace_event_file::triggers; the gate says so, its event and
 *			its target are in soft mode, and its command is prepared
 *	leaving		removed from the list; probes may still use it
 *	freed		after a grace period. finish() of the command is also called after
 *			it, or before it if event, target or instance is being removed
 *
 * A target can be enabled, and its module cannot be unloaded, except by the failure of its
 * init. An event that is unregistered loses its triggers and those that switch it.
 *
 * Contexts: task; the commands' run() and is_done(): any.
 * Locks: strobe_event_mutex, then strobe_instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "filter/filter.h"
#include "instance/error_log.h"
#include "instance/instance.h"
#include "record/gate.h"
#include "record/record.h"
#include "trigger/trigger.h"

/* The commands */

static bool traceon_is_done(const struct trigger *trigger)
{
	return strobe_instance_is_on(trigger->file->tr);
}

static void traceon_run(struct trigger *trigger, u32 ctx, unsigned long from)
{
	strobe_instance_set_on(trigger->file->tr, true);
}

static bool traceoff_is_done(const struct trigger *trigger)
{
	return !strobe_instance_is_on(trigger->file->tr);
}

static void traceoff_run(struct trigger *trigger, u32 ctx, unsigned long from)
{
	strobe_instance_set_on(trigger->file->tr, false);
}

#ifdef CONFIG_TRACER_SNAPSHOT
static int snapshot_prepare(struct trigger *trigger)
{
	return strobe_instance_snapshot_arm(trigger->file->tr);
}

static void snapshot_finish(struct trigger *trigger)
{
	strobe_instance_snapshot_disarm(trigger->file->tr);
}

static void snapshot_run(struct trigger *trigger, u32 ctx, unsigned long from)
{
	strobe_instance_snapshot(trigger->file->tr);
}
#endif

#ifdef CONFIG_STACKTRACE
static void stacktrace_run(struct trigger *trigger, u32 ctx, unsigned long from)
{
	strobe_record_kernel_stack(trigger->file->tr->ring, ctx, from, 0);
}
#endif

static int target_prepare(struct trigger *trigger)
{
	struct trace_event_file *target = trigger->target;
	int ret;

	if (!strobe_event_call_get(target->call))
		return -EBUSY;
	ret = strobe_event_file_soft_enable(target);
	if (ret)
		strobe_event_call_put(target->call);
	return ret;
}

static void target_finish(struct trigger *trigger)
{
	strobe_event_file_soft_disable(trigger->target);
	strobe_event_call_put(trigger->target->call);
}

static bool target_is_on(const struct trigger *trigger)
{
	return !(READ_ONCE(trigger->target->sink.gate) & STROBE_GATE_SOFT_DISABLED);
}

static bool target_is_off(const struct trigger *trigger)
{
	return !target_is_on(trigger);
}

static void target_switch_on(struct trigger *trigger, u32 ctx, unsigned long from)
{
	strobe_event_file_change_gate(trigger->target, 0, STROBE_GATE_SOFT_DISABLED);
}

static void target_switch_off(struct trigger *trigger, u32 ctx, unsigned long from)
{
	strobe_event_file_change_gate(trigger->target, STROBE_GATE_SOFT_DISABLED, 0);
}

/* In the order in which users see them. */
static const struct trigger_command commands[] = {
	{
		.name		= "traceon",
		.kind		= TRIGGER_ONOFF,
		.is_done	= traceon_is_done,
		.run		= traceon_run,
	}, {
		.name		= "traceoff",
		.kind		= TRIGGER_ONOFF,
		.after		= true,
		.is_done	= traceoff_is_done,
		.run		= traceoff_run,
	},
#ifdef CONFIG_TRACER_SNAPSHOT
	{
		.name		= "snapshot",
		.kind		= TRIGGER_SNAPSHOT,
		.after_filter	= true,
		.prepare	= snapshot_prepare,
		.finish		= snapshot_finish,
		.run		= snapshot_run,
	},
#endif
#ifdef CONFIG_STACKTRACE
	{
		.name		= "stacktrace",
		.kind		= TRIGGER_STACKTRACE,
		.after		= true,
		.run		= stacktrace_run,
	},
#endif
	{
		.name		= "enable_event",
		.kind		= TRIGGER_ENABLE,
		.target		= true,
		.prepare	= target_prepare,
		.finish		= target_finish,
		.is_done	= target_is_on,
		.run		= target_switch_on,
	}, {
		.name		= "disable_event",
		.kind		= TRIGGER_ENABLE,
		.target		= true,
		.prepare	= target_prepare,
		.finish		= target_finish,
		.is_done	= target_is_off,
		.run		= target_switch_off,
	},
};

static const struct trigger_command *command_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

/* Adding and removing */

/* Set the gate bits according to the list of triggers. */
static void triggers_changed(struct trace_event_file *file)
{
	const unsigned long all = STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD;
	unsigned long gate = strobe_triggers_gate(file);

	strobe_event_file_change_gate(file, gate, all & ~gate);
}

static void trigger_finish(struct trigger *trigger)
{
	if (trigger->command->finish)
		trigger->command->finish(trigger);
}

/* made -> listed. Returns 0, or an errno if the trigger is still in state made. */
static int trigger_list(struct trigger *trigger)
{
	const struct trigger_command *command = trigger->command;
	struct trace_event_file *file = trigger->file;
	int ret;

	if (strobe_trigger_find(file, command, trigger->target))
		return -EEXIST;
	ret = strobe_event_file_soft_enable(file);
	if (ret)
		return ret;
	/* Last, because finish() would not undo all of it: the snapshot ring stays allocated. */
	ret = command->prepare ? command->prepare(trigger) : 0;
	if (ret) {
		strobe_event_file_soft_disable(file);
		return ret;
	}
	hlist_add_head_rcu(&trigger->node, &file->triggers);
	triggers_changed(file);
	return 0;
}

/* listed -> leaving */
static void trigger_leave(struct trigger *trigger)
{
	hlist_del_rcu(&trigger->node);
	triggers_changed(trigger->file);
	strobe_event_file_soft_disable(trigger->file);
}

/* made or leaving -> freed */
static void trigger_gone(struct trigger *trigger)
{
	struct trace_event_file *target = trigger->target;

	strobe_trigger_free(trigger);
	if (target)
		strobe_event_file_put(target);
}

/* Create the filter after "if". Return: NULL if there is none; errors in it are logged. */
static struct strobe_filter *filter_create(struct trace_event_file *file, char *text)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	int ret;

	if (!text)
		return NULL;
	ret = strobe_trigger_parse_if(&text);
	if (ret)
		return ERR_PTR(ret);
	filter = strobe_filter_create(file->call, text, STROBE_FILTER_ALL, &err);
	if (IS_ERR(filter) && PTR_ERR(filter) != -ENOMEM)
		strobe_event_filter_log_error(file->tr, text, &err);
	return filter;
}

static int trigger_add(struct trace_event_file *file, const struct trigger_command *command,
		       struct trace_event_file *target, struct trigger_text *parsed)
{
	struct strobe_filter *filter;
	struct trigger *trigger;
	long count;
	int ret;

	ret = strobe_trigger_parse_count(parsed->param, &count);
	if (ret)
		return ret;
	filter = filter_create(file, parsed->filter);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	if (filter || command->after)
		ret = strobe_record_spare_ring_make();
	if (ret) {
		strobe_filter_free(filter);
		return ret;
	}
	trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	if (!trigger) {
		strobe_filter_free(filter);
		return -ENOMEM;
	}
	trigger->command = command;
	trigger->file = file;
	trigger->target = target;
	if (target)
		strobe_event_file_get(target);
	trigger->filter = filter;
	atomic_long_set(&trigger->count, count);
	ret = trigger_list(trigger);
	if (ret)
		trigger_gone(trigger);
	return ret;
}

static void trigger_remove(struct trace_event_file *file, const struct trigger_command *command,
			   struct trace_event_file *target)
{
	struct trigger *trigger = strobe_trigger_find(file, command, target);

	if (!trigger)
		return;
	trigger_leave(trigger);
	tracepoint_synchronize_unregister();
	trigger_finish(trigger);
	trigger_gone(trigger);
}

/* Is it a command of classic that is not supported? */
static bool is_hist(const char *name)
{
	return !strcmp(name, "hist") || !strcmp(name, "enable_hist") ||
	       !strcmp(name, "disable_hist");
}

/**
 * strobe_event_file_write_trigger - add or remove a trigger
 * @file: the event file, not FREED
 * @text: see trigger/parse.c; without white space at its end; is split in place
 *
 * Removing a trigger that does not exist is no error.
 *
 * Context: task, may sleep, and waits for probes; strobe_event_mutex held.
 * Return: 0; -EINVAL: no such command or target, not a number, or an invalid filter, for
 *	   which the error log has details; -ERANGE: the count is out of range; -EEXIST:
 *	   the event has a trigger of this kind already; -EBUSY: the target's module is
 *	   being unloaded, or the ring is mapped to user space, so that no snapshot can be
 *	   taken; -ENOMEM. On error nothing has changed.
 */
int strobe_event_file_write_trigger(struct trace_event_file *file, char *text)
{
	const struct trigger_command *command;
	struct trace_event_file *target = NULL;
	const char *system, *event;
	struct trigger_text parsed;

	lockdep_assert_held(&strobe_event_mutex);
	strobe_trigger_parse(text, &parsed);
	command = command_find(parsed.name);
	if (!command) {
		if (is_hist(parsed.name))
			strobe_error_log_add(file->tr, "event trigger", parsed.name,
					     "There are no histograms", 0);
		return -EINVAL;
	}
	if (strobe_trigger_parse_filter(&parsed, command->target))
		return -EINVAL;
	if (command->target) {
		if (strobe_trigger_parse_target(&parsed.param, &system, &event))
			return -EINVAL;
		target = strobe_event_file_find(file->tr, system, event);
		if (IS_ERR(target))
			return PTR_ERR(target);
		if (!target || !strobe_event_call_can_enable(target->call))
			return -EINVAL;
	}
	if (!parsed.remove)
		return trigger_add(file, command, target, &parsed);
	trigger_remove(file, command, target);
	return 0;
}

/**
 * strobe_event_file_show_triggers - print the contents of a trigger file
 * @m: the trigger file
 * @file: the event file, not FREED
 *
 * Context: task, strobe_event_mutex held.
 */
void strobe_event_file_show_triggers(struct seq_file *m, const struct trace_event_file *file)
{
	const struct trigger *trigger;
	int i;

	if (hlist_empty(&file->triggers)) {
		seq_puts(m, "# Available triggers:\n#");
		for (i = 0; i < ARRAY_SIZE(commands); i++)
			seq_printf(m, " %s", commands[i].name);
		seq_putc(m, '\n');
		return;
	}
	hlist_for_each_entry(trigger, &file->triggers, node)
		strobe_trigger_show(m, trigger);
}

/* Removing many triggers, because an event or an instance is being removed */

/* Triggers to be freed when no probe can use them. strobe_event_mutex. */
static struct trigger *gone_triggers;

static void trigger_take_away(struct trigger *trigger)
{
	trigger_leave(trigger);
	trigger_finish(trigger);
	trigger->next_gone = gone_triggers;
	gone_triggers = trigger;
}

static void triggers_take_away(struct trace_event_file *file)
{
	struct trigger *trigger;
	struct hlist_node *next;

	hlist_for_each_entry_safe(trigger, next, &file->triggers, node)
		trigger_take_away(trigger);
}

/* Remove the triggers that switch an event. */
static void triggers_take_away_targeting(struct trace_event_file *target)
{
	struct trace_event_file *file;
	struct trigger *trigger;
	struct hlist_node *next;
	unsigned long type;

	if (!target->sm_ref)
		return;
	xa_for_each(&target->tr->files, type, file) {
		hlist_for_each_entry_safe(trigger, next, &file->triggers, node) {
			if (trigger->target == target)
				trigger_take_away(trigger);
		}
	}
}

static void triggers_file_removing(struct trace_event_file *file)
{
	triggers_take_away(file);
	triggers_take_away_targeting(file);
}

static void triggers_instance_disabling(struct trace_array *tr)
{
	struct trace_event_file *file;
	unsigned long type;

	xa_for_each(&tr->files, type, file)
		triggers_take_away(file);
}

static void triggers_removed(void)
{
	struct trigger *trigger;

	while (gone_triggers) {
		trigger = gone_triggers;
		gone_triggers = trigger->next_gone;
		trigger_gone(trigger);
	}
}

static struct instance_observer triggers_observer = {
	.file_removing	= triggers_file_removing,
	.disabling	= triggers_instance_disabling,
	.removed	= triggers_removed,
};

static int __init triggers_init(void)
{
	guard(mutex)(&strobe_event_mutex);
	strobe_instance_observer_register(&triggers_observer);
	return 0;
}
early_initcall(triggers_init);
