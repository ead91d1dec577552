/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What code that records needs of triggers: their list, and calling them. trigger/ makes them
 * and has the commands.
 */
#ifndef _STROBE_RECORD_TRIGGERS_H
#define _STROBE_RECORD_TRIGGERS_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

struct strobe_filter;
struct trace_event_file;
struct trigger;

/*
 * Kinds of triggers. An event has at most one trigger of a kind, or one for each target.
 * Bits, so that strobe_triggers_call() can return a set of kinds.
 */
enum trigger_kind {
	TRIGGER_ONOFF		= BIT(0),
	TRIGGER_SNAPSHOT	= BIT(1),
	TRIGGER_STACKTRACE	= BIT(2),
	TRIGGER_ENABLE		= BIT(3),
};

/* A count without a limit. */
#define TRIGGER_UNLIMITED	(-1L)

/**
 * struct trigger_command - a command of triggers
 * @name:	name in the trigger file: ABI
 * @kind:	kind of its triggers
 * @target:	the command acts on another event, SYSTEM:EVENT
 * @after:	run after the commit of the record, not before
 * @after_filter: the same, but only if the trigger has a filter
 * @prepare:	allocate what @run needs; returns 0 or an errno. NULL: nothing to do.
 *		Context: task, strobe_event_mutex held
 * @finish:	undo @prepare; @run may still be running. NULL: nothing to do. Context:
 *		task, strobe_event_mutex held
 * @is_done:	returns whether @run has nothing to do; then it is neither called nor
 *		counted. NULL: never. Context: any
 * @run:	do the action. @ctx is the context of the record, @from the return address
 *		where stack traces begin. Context: any, NMI included, preemption off
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
 * struct trigger - a trigger of an event
 * @node:	in trace_event_file::triggers (RCU; strobe_event_mutex)
 * @command:	the command that it runs
 * @file:	event file of the event
 * @target:	event file that the command acts on; NULL: none
 * @filter:	filter that the record has to pass; NULL: none
 * @count:	number of runs left, or TRIGGER_UNLIMITED
 * @next_gone:	next in a list of triggers to be freed (strobe_event_mutex)
 *
 * All members but @node, @count and @next_gone are constant once it is listed.
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

unsigned int strobe_triggers_call(struct trace_event_file *file, const void *record, u32 ctx,
				  unsigned long from);
void strobe_triggers_call_after(struct trace_event_file *file, unsigned int kinds, u32 ctx,
				unsigned long from);

#endif /* _STROBE_RECORD_TRIGGERS_H */
