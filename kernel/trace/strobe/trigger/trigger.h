/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers: what is to be done when an event fires. How they work is said in
 * trigger.c; what there is to do, in instance/trigger.c.
 */
#ifndef _STROBE_TRIGGER_TRIGGER_H
#define _STROBE_TRIGGER_TRIGGER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

struct seq_file;
struct strobe_filter;
struct trace_event_file;
struct trigger;

/*
 * Of one kind there is one trigger at most of an event, or of an event and its target.
 * A bit each, for those that are to be run when the record is committed.
 */
enum trigger_kind {
	TRIGGER_ONOFF		= BIT(0),
	TRIGGER_SNAPSHOT	= BIT(1),
	TRIGGER_STACKTRACE	= BIT(2),
	TRIGGER_ENABLE		= BIT(3),
};

/* Any number of times. */
#define TRIGGER_UNLIMITED	(-1L)

/**
 * struct trigger_command - something that can be done
 * @name:	ABI
 * @kind:	see there
 * @target:	it is done to another event, SYSTEM:EVENT
 * @after:	when the record is in the ring, in place of before
 * @after_filter: the same, of a trigger that has a filter
 * @prepare:	have what @run needs: 0 or errno. NULL: nothing. Task, event_mutex held
 * @finish:	undo that. NULL: nothing. Task, event_mutex held; @run may be running still
 * @is_done:	there is nothing left for @run to do, which does not count. NULL: never.
 *		Any context
 * @run:	do it. @ctx and @from: the context of the record, and where stacks begin.
 *		Any context, NMI included, preemption off
 */
struct trigger_command {
	const char		*name;
	enum trigger_kind	kind;
	bool			target;
	bool			after;
	bool			after_filter;
	int			(*prepare)(struct trigger *trigger);
	void			(*finish)(struct trigger *trigger);
	bool			(*is_done)(const struct trigger *trigger);
	void			(*run)(struct trigger *trigger, u32 ctx, unsigned long from);
};

/**
 * struct trigger - one of an event's triggers
 * @node:	in trace_event_file::triggers (RCU; event_mutex)
 * @command:	what is done
 * @file:	the event
 * @target:	the event that it is done to; NULL: there is none
 * @filter:	for which records; NULL: for all
 * @count:	how many times more
 * @next_gone:	of those that are to be freed (event_mutex)
 *
 * Constant once it is in the list, but for @count.
 */
struct trigger {
	struct hlist_node		node;
	const struct trigger_command	*command;
	struct trace_event_file		*file;
	struct trace_event_file		*target;
	struct strobe_filter		*filter;
	atomic_long_t			count;
	struct trigger			*next_gone;
};

/**
 * struct trigger_text - what was written to a trigger file, cut up
 * @remove: whether it began with '!'
 * @name:   of the command
 * @param:  what follows it: a number, or SYSTEM:EVENT and perhaps a number; NULL: nothing
 * @filter: what follows that, "if" and all; NULL: nothing
 */
struct trigger_text {
	bool	remove;
	char	*name;
	char	*param;
	char	*filter;
};

/* parse.c */
void trigger_cut(char *text, struct trigger_text *cut);
int trigger_cut_filter(struct trigger_text *cut, bool param_required);
int trigger_cut_target(char **param, const char **system, const char **event);
int trigger_cut_count(char *param, long *count);
int trigger_cut_if(char **filter);

/* trigger.c */
struct trigger *trigger_find(const struct trace_event_file *file,
			     const struct trigger_command *command,
			     const struct trace_event_file *target);
unsigned long triggers_gate(const struct trace_event_file *file);
void trigger_free(struct trigger *trigger);
void trigger_show(struct seq_file *m, const struct trigger *trigger);
unsigned int triggers_call(struct trace_event_file *file, const void *record, u32 ctx,
			   unsigned long from);
void triggers_call_after(struct trace_event_file *file, unsigned int kinds, u32 ctx,
			 unsigned long from);

#endif /* _STROBE_TRIGGER_TRIGGER_H */
