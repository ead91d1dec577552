// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of an instance's events: set and cleared, one by one or for a system.
 *
 * States of a file (event_mutex)
 *	filter		what decides about its records; NULL: all are kept. As long as
 *			there is one, STROBE_GATE_FILTER is set, but for the moments of
 *			a change.
 *	filter_error	what its filter file shows instead, after a write that was no
 *			filter: nothing else changes then. The next good one ends that.
 *
 * The gate is told of a filter after the filter is there, and a grace period before it
 * goes: whoever finds the gate set finds a filter. An old filter is freed when no probe
 * can have it any more. Both are waited for once, however many go.
 *
 * Contexts: task. Locks: event_mutex. The record path reads filter with preemption
 * off, see record.c.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "filter/filter.h"
#include "instance/error_log.h"
#include "instance/gate.h"
#include "instance/instance.h"

/* Where the error log says that it happened: ABI. */
#define FILTER_WHERE	"event filter parse error"

static struct strobe_filter *file_filter(const struct trace_event_file *file)
{
	return rcu_dereference_protected(file->filter, lockdep_is_held(&event_mutex));
}

static bool file_has_system(const struct trace_event_file *file, const char *system)
{
	return event_file_can_enable(file) && !strcmp(file->call->class->system, system);
}

/*
 * A change has two steps with a grace period between. After the first one no probe
 * begins to use what was there before.
 * Returns the filter that is to be freed after the second one.
 */
static struct strobe_filter *file_change_begin(struct trace_event_file *file,
					       struct strobe_filter *filter)
{
	struct strobe_filter *old = file_filter(file);

	if (filter) {
		rcu_assign_pointer(file->filter, filter);
		/* GATE:A is in there. */
		event_file_change_gate(file, STROBE_GATE_FILTER, 0);
	} else {
		event_file_change_gate(file, 0, STROBE_GATE_FILTER);
	}
	kfree(file->filter_error);
	file->filter_error = NULL;
	return old;
}

static void file_change_end(struct trace_event_file *file)
{
	if (!(READ_ONCE(file->sink.gate) & STROBE_GATE_FILTER))
		RCU_INIT_POINTER(file->filter, NULL);
}

/*
 * The text with a caret below the character that the error is about, and what it is.
 * Where exactly the caret stands is ABI.
 */
static char *describe_error(const char *text, const struct strobe_filter_error *err, int ret)
{
	unsigned int pos = min_t(size_t, err->pos, strlen(text));

	if (!err->code)
		return kasprintf(GFP_KERNEL, "%s\nError: (%d)\n", text,
				 ret == -EPERM || ret == -EINVAL ? 0 : ret);
	return kasprintf(GFP_KERNEL, "%s\n%*s\nparse_error: %s\n", text, pos ? pos + 1 : 0, "^",
			 strobe_filter_error_text(err->code));
}

/**
 * event_filter_log_error - tell the error log what is wrong with a filter
 * @tr: the instance
 * @text: the filter
 * @err: what strobe_filter_create() said
 *
 * Context: task, may sleep.
 */
void event_filter_log_error(struct trace_array *tr, const char *text,
			    const struct strobe_filter_error *err)
{
	error_log_add(tr, FILTER_WHERE, text, strobe_filter_error_text(err->code),
		      err->code ? err->pos : 0);
}

/* Keep in @shown what is wrong with @text, in place of what stands there. */
static void show_error(char **shown, const char *text, const struct strobe_filter_error *err,
		       int ret)
{
	char *error = describe_error(text, err, ret);

	if (!error)
		return;
	kfree(*shown);
	*shown = error;
}

static bool means_none(const char *text)
{
	return !strcmp(text, "0");
}

/**
 * event_file_set_filter - choose which records of an event are kept
 * @file: the event in some instance, not FREED
 * @text: what is wanted, of which white space at the end is cut off; "0": all
 *
 * Context: task, may sleep, and waits for probes; event_mutex held.
 * Return: 0; as strobe_filter_create(), the filter being as it was before, and the
 *	   error told by event_file_filter_text() and the error log, but for -ENOMEM.
 */
int event_file_set_filter(struct trace_event_file *file, char *text)
{
	struct strobe_filter *filter = NULL;
	struct strobe_filter_error err;
	int ret;

	lockdep_assert_held(&event_mutex);
	if (!means_none(strstrip(text))) {
		filter = strobe_filter_create(file->call, text, STROBE_FILTER_ALL, &err);
		if (IS_ERR(filter)) {
			ret = PTR_ERR(filter);
			if (ret == -ENOMEM)
				return ret;
			show_error(&file->filter_error, text, &err, ret);
			event_filter_log_error(file->tr, text, &err);
			return ret;
		}
	}
	filter = file_change_begin(file, filter);
	if (filter)
		tracepoint_synchronize_unregister();
	file_change_end(file);
	strobe_filter_free(filter);
	return 0;
}

/**
 * event_file_filter_text - what an event's filter file shows
 * @file: the event in some instance, not FREED
 *
 * Context: task; event_mutex held.
 * Return: the text, until event_mutex is released
 */
const char *event_file_filter_text(const struct trace_event_file *file)
{
	const struct strobe_filter *filter = file_filter(file);

	if (file->filter_error)
		return file->filter_error;
	return filter ? filter->text : "none";
}

/**
 * event_file_free_filter - free what a file has of filters
 * @file: the event, which no probe uses any more, nor anybody else
 *
 * Context: task, may sleep.
 */
void event_file_free_filter(struct trace_event_file *file)
{
	strobe_filter_free(rcu_dereference_protected(file->filter, true));
	kfree(file->filter_error);
}

/* Filters of a system */

/**
 * struct filter_change - one event's part of a change of many
 * @list:	in the list of them
 * @file:	the event
 * @filter:	the filter that is to come; then the one that goes
 */
struct filter_change {
	struct list_head	list;
	struct trace_event_file	*file;
	struct strobe_filter	*filter;
};

static void changes_free(struct list_head *changes)
{
	struct filter_change *change, *next;

	list_for_each_entry_safe(change, next, changes, list) {
		strobe_filter_free(change->filter);
		kfree(change);
	}
}

static int change_add(struct list_head *changes, struct trace_event_file *file,
		      struct strobe_filter *filter)
{
	struct filter_change *change = kmalloc(sizeof(*change), GFP_KERNEL);

	if (!change) {
		strobe_filter_free(filter);
		return -ENOMEM;
	}
	change->file = file;
	change->filter = filter;
	list_add_tail(&change->list, changes);
	return 0;
}

static void changes_apply(struct list_head *changes)
{
	struct filter_change *change;
	bool any = false;

	list_for_each_entry(change, changes, list) {
		change->filter = file_change_begin(change->file, change->filter);
		any |= !!change->filter;
	}
	if (any)
		tracepoint_synchronize_unregister();
	list_for_each_entry(change, changes, list)
		file_change_end(change->file);
}

/* A filter for each event that it fits; NULL: none for all. Returns how many not. */
static int changes_prepare(struct trace_array *tr, const char *system, const char *text,
			   struct list_head *changes)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	struct trace_event_file *file;
	int ret, unfit = 0;

	list_for_each_entry(file, &tr->files, list) {
		if (!file_has_system(file, system))
			continue;
		filter = text ? strobe_filter_create(file->call, text, STROBE_FILTER_ALL, &err) :
				NULL;
		if (IS_ERR(filter)) {
			if (PTR_ERR(filter) == -ENOMEM)
				return -ENOMEM;
			unfit++;
			continue;
		}
		ret = change_add(changes, file, filter);
		if (ret)
			return ret;
	}
	return unfit;
}

/* Events without a filter tell that they have not got this one either. */
static void show_unfit(struct trace_array *tr, const char *system, const char *text,
		       const struct strobe_filter_error *err)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &tr->files, list) {
		if (file_has_system(file, system) && !file_filter(file))
			show_error(&file->filter_error, text, err, -EINVAL);
	}
}

/**
 * instance_set_system_filter - choose which records of a system's events are kept
 * @tr:     the instance
 * @system: the system
 * @text:   as for event_file_set_filter()
 * @error:  what the system's filter file shows, NULL unless nothing has changed; to
 *	    be freed with kfree()
 *
 * Events that the filter does not fit keep the one that they have.
 *
 * Context: task, may sleep, and waits for probes; event_mutex held.
 * Return: 0 if it fits any; -EINVAL if it fits none, or -ENOMEM, nothing having
 *	   changed.
 */
int instance_set_system_filter(struct trace_array *tr, const char *system, char *text,
			       char **error)
{
	const struct strobe_filter_error err = { STROBE_FILTER_BAD_SYSTEM_FILTER, 0 };
	LIST_HEAD(changes);
	bool none, fits;
	int ret;

	lockdep_assert_held(&event_mutex);
	none = means_none(strstrip(text));
	ret = changes_prepare(tr, system, none ? NULL : text, &changes);
	fits = ret >= 0 && !list_empty(&changes);
	if (fits) {
		changes_apply(&changes);
		kfree(*error);
		*error = NULL;
	}
	changes_free(&changes);
	if (ret < 0)
		return ret;
	if (!ret && fits)
		return 0;
	event_filter_log_error(tr, text, &err);
	if (fits) {
		show_unfit(tr, system, text, &err);
		return 0;
	}
	show_error(error, text, &err, -EINVAL);
	return -EINVAL;
}
