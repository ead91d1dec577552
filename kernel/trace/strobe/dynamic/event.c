// SPDX-License-Identifier: GPL-2.0
/*
 * Dynamic events: memory, fields, format, text.
 *
 * Fields are described on request. Their names are in the arguments of the event's first
 * definition, which it shares with that probe: the probe may be removed before others.
 *
 * Contexts: task, strobe_event_mutex held where the registry knows the event or the probe.
 * The text of a record is written between strobe_event_read_lock() and _unlock(): an event
 * is freed after the registry has waited for those.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "dynamic/dynamic.h"

/* The class's callbacks. */

static int dyn_target(struct trace_event_call *call, bool more)
{
	struct dyn_event *event = dyn_event_of(call);

	return event->kind->retarget ? event->kind->retarget(event, more) : 0;
}

static const struct strobe_field *dyn_field(const struct trace_event_call *call, unsigned int i,
					    struct strobe_field *buf)
{
	const struct dyn_event *event = dyn_event_of(call);

	if (i < event->nr_head)
		return &event->kind->head[dyn_event_is_return(event)][i];
	return strobe_dyn_args_field(event->args, i - event->nr_head, buf) ? buf : NULL;
}

static void dyn_print_fmt(struct seq_file *m, const struct trace_event_call *call)
{
	const struct dyn_event *event = dyn_event_of(call);
	bool is_return = dyn_event_is_return(event);
	const struct strobe_field *head = event->kind->head[is_return];
	u32 i;

	seq_printf(m, "\"%s", event->kind->head_fmt[is_return]);
	strobe_dyn_args_print_fmt(m, event->args);
	seq_putc(m, '"');
	for (i = 0; i < event->nr_head; i++)
		seq_printf(m, ", REC->%s", head[i].name);
	strobe_dyn_args_print_fmt_args(m, event->args);
}

static void dyn_print(struct strobe_print *pr)
{
	const struct dyn_event *event = dyn_event_of(pr->call);

	trace_seq_printf(pr->seq, "%s: (", trace_event_name(pr->call));
	/* Only a damaged record is shorter. */
	if (pr->len >= event->len) {
		event->kind->print_head(pr, event);
		trace_seq_putc(pr->seq, ')');
		strobe_dyn_args_print(pr, event->args);
	}
	trace_seq_putc(pr->seq, '\n');
}

static const struct strobe_class_ops dyn_ops = {
	.connect	= strobe_dyn_connect,
	.target		= dyn_target,
	.field		= dyn_field,
	.print_fmt	= dyn_print_fmt,
};

/*
 * perf's core lets programs for tracepoints only attach to an event that has one. A kind with
 * TRACE_EVENT_FL_TRACEPOINT gets one that has nothing but the event's name, after the names.
 */
static size_t name_bytes(const struct dyn_kind *kind)
{
	if (!(kind->call_flags & TRACE_EVENT_FL_TRACEPOINT))
		return 0;
	return sizeof(struct tracepoint) + __alignof__(struct tracepoint);
}

static void set_name(struct dyn_event *event, char *name)
{
	struct tracepoint *tp;

	if (!(event->kind->call_flags & TRACE_EVENT_FL_TRACEPOINT)) {
		event->dynamic.call.name = name;
		return;
	}
	tp = PTR_ALIGN((void *)name + strlen(name) + 1, __alignof__(*tp));
	tp->name = name;
	event->dynamic.call.tp = tp;
}

/**
 * strobe_dyn_event_alloc - make an event
 * @kind:  its kind
 * @group: name of its group
 * @name:  its name
 * @args:  arguments of its first definition, of which it gets a reference; NULL: the caller
 *	   sets fields and functions of the class
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: the event, without probes and not registered; NULL: no memory
 */
struct dyn_event *strobe_dyn_event_alloc(const struct dyn_kind *kind, const char *group,
					 const char *name, struct dyn_args *args)
{
	const size_t group_len = strlen(group) + 1, name_len = strlen(name) + 1;
	struct dyn_event *event;

	event = kzalloc(struct_size(event, names, group_len + name_len + name_bytes(kind)),
			GFP_KERNEL);
	if (!event)
		return NULL;
	memcpy(event->names, group, group_len);
	memcpy(event->names + group_len, name, name_len);
	event->kind = kind;
	event->class.system = event->names;
	event->dynamic.call.class = &event->class;
	set_name(event, event->names + group_len);
	event->dynamic.call.flags = TRACE_EVENT_FL_DYNAMIC | kind->call_flags;
	if (!args)
		return event;

	event->class.print = dyn_print;
	event->class.ops = &dyn_ops;
	args->refs++;
	event->args = args;
	event->nr_head = kind->nr_head + dyn_event_is_return(event);
	event->len = args->head + args->fixed;
	if (!args->strings || args->flags & DYN_USER)
		return event;

	if (strobe_dyn_arena_get()) {
		strobe_dyn_event_free(event);
		return NULL;
	}
	event->image = true;
	return event;
}

/* A name in dyn_event::places. */
struct dyn_place {
	struct dyn_place	*next;
	char			name[];
};

/**
 * strobe_dyn_place_keep - copy the name of a probe's place
 * @event: the event of the probe
 * @name:  the name
 *
 * The copy outlives the probe, which may be removed while a user of the event reads the name.
 * A name is copied once for an event.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: the copy, which is freed with the event; NULL: no memory
 */
const char *strobe_dyn_place_keep(struct dyn_event *event, const char *name)
{
	const size_t len = strlen(name) + 1;
	struct dyn_place *place;

	for (place = event->places; place; place = place->next) {
		if (!strcmp(place->name, name))
			return place->name;
	}
	place = kmalloc(struct_size(place, name, len), GFP_KERNEL);
	if (!place)
		return NULL;
	memcpy(place->name, name, len);
	place->next = event->places;
	event->places = place;
	return place->name;
}

static void places_free(struct dyn_event *event)
{
	struct dyn_place *place, *next;

	for (place = event->places; place; place = next) {
		next = place->next;
		kfree(place);
	}
}

/**
 * strobe_dyn_event_free - free an event
 * @event: the event; no longer registered, without probes, not in use; may be NULL
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_dyn_event_free(struct dyn_event *event)
{
	if (!event)
		return;
	if (event->image)
		strobe_dyn_arena_put();
	strobe_dyn_args_put(event->args);
	places_free(event);
	kfree(event);
}
