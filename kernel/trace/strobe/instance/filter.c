// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of an instance's events: set and cleared, one by one or for a system.
 *
 * State of an event file (strobe_event_mutex)
 *	filter		decides which records are recorded; NULL: all. While it is set,
 *			STROBE_GATE_FILTER is set, except for short times during a change.
 *	filter_error	text that the file "filter" shows instead, after a write that was
 *			not a valid filter, until the next valid one. Such a write changes
 *			nothing else.
 *
 * STROBE_GATE_FILTER is set after file->filter, and cleared a grace period before it: a
 * probe that sees the bit also sees a filter. An old filter is freed when no probe can use
 * it any more. One wait serves both purposes, for any number of events.
 *
 * Contexts: task. Locks: strobe_event_mutex. The record path reads filter with preemption
 * off, see record/record.c.
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
#include "instance/instance.h"
#include "record/gate.h"

/* Name of the interface in the error log: ABI. */
#define FILTER_WHERE	"event filter parse error"

static struct strobe_filter *file_filter(const struct trace_event_file *file)
{
	return rcu_dereference_protected(file->filter, lockdep_is_held(&strobe_event_mutex));
}

static bool call_has_system(const struct trace_event_call *call, const char *system)
{
	return strobe_event_call_can_enable(call) && !strcmp(call->class->system, system);
}

/*
 * A change has two steps with a grace period in between. After this first one, no probe
 * starts to use the old filter.
 * Returns the old filter, to be freed after the second step.
 */
static struct strobe_filter *file_change_begin(struct trace_event_file *file,
					       struct strobe_filter *filter)
{
	struct strobe_filter *old = file_filter(file);

	if (filter) {
		rcu_assign_pointer(file->filter, filter);
		/* Has GATE:A: a probe that sees the bit sees the filter. */
		strobe_event_file_change_gate(file, STROBE_GATE_FILTER, 0);
	} else {
		strobe_event_file_change_gate(file, 0, STROBE_GATE_FILTER);
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
 * The text, a caret below the character that the error is about, and a description.
 * The exact column of the caret is ABI.
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
 * strobe_event_filter_log_error - add an error in a filter to the error log
 * @tr: the instance
 * @text: the filter
 * @err: the error from strobe_filter_create()
 *
 * Context: task, may sleep.
 */
void strobe_event_filter_log_error(struct trace_array *tr, const char *text,
				   const struct strobe_filter_error *err)
{
	strobe_error_log_add(tr, FILTER_WHERE, text, strobe_filter_error_text(err->code),
			     err->code ? err->pos : 0);
}

/* Replace *@shown by a description of the error in @text. Without memory it is unchanged. */
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
 * strobe_event_file_set_filter - set or clear the filter of an event
 * @file: the event file, not FREED
 * @text: the filter; white space at its ends is removed in place; "0": no filter
 *
 * Context: task, may sleep, and waits for probes; strobe_event_mutex held.
 * Return: 0; or the error of strobe_filter_create(). On error the filter is unchanged;
 *	   except for -ENOMEM, strobe_event_file_filter_text() and the error log show the error.
 */
int strobe_event_file_set_filter(struct trace_event_file *file, char *text)
{
	struct strobe_filter *filter = NULL;
	struct strobe_filter_error err;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	if (!means_none(strstrip(text))) {
		filter = strobe_filter_create(file->call, text, STROBE_FILTER_ALL, &err);
		if (IS_ERR(filter)) {
			ret = PTR_ERR(filter);
			if (ret == -ENOMEM)
				return ret;
			show_error(&file->filter_error, text, &err, ret);
			strobe_event_filter_log_error(file->tr, text, &err);
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
 * strobe_event_file_filter_text - get what the event's filter file shows
 * @file: the event file, not FREED
 *
 * Context: task; strobe_event_mutex held.
 * Return: the text, valid until strobe_event_mutex is released
 */
const char *strobe_event_file_filter_text(const struct trace_event_file *file)
{
	const struct strobe_filter *filter = file_filter(file);

	if (file->filter_error)
		return file->filter_error;
	return filter ? filter->text : "none";
}

/* Filters of a system */

/**
 * struct filter_change - change of one event's filter, as part of many
 * @list:	in the list of changes
 * @file:	the event file
 * @filter:	the new filter; after changes_apply() the old one, to be freed
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

/* The changes of a system's filters: how many events fit, and how many do not. */
struct filter_changes {
	struct list_head	list;
	unsigned int		fit;
	unsigned int		unfit;
};

/* Clearing a filter needs no change if the event has not been used. */
static int prepare_clear(struct trace_array *tr, struct trace_event_call *call,
			 struct filter_changes *changes)
{
	struct trace_event_file *file = instance_event_file(tr, call);

	changes->fit++;
	return file ? change_add(&changes->list, file, NULL) : 0;
}

static int prepare_set(struct trace_array *tr, struct trace_event_call *call, const char *text,
		       struct filter_changes *changes)
{
	struct strobe_filter_error err;
	struct trace_event_file *file;
	struct strobe_filter *filter;

	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	if (IS_ERR(filter)) {
		if (PTR_ERR(filter) == -ENOMEM)
			return -ENOMEM;
		changes->unfit++;
		return 0;
	}
	file = strobe_event_file_make(tr, call);
	if (IS_ERR(file)) {
		strobe_filter_free(filter);
		return PTR_ERR(file);
	}
	changes->fit++;
	return change_add(&changes->list, file, filter);
}

/*
 * Add a change for each event of the system for which @text is a valid filter; NULL: to
 * clear the filters. Returns 0 or -ENOMEM.
 */
static int changes_prepare(struct trace_array *tr, const char *system, const char *text,
			   struct filter_changes *changes)
{
	struct trace_event_call *call;
	int ret;

	for_each_event(call) {
		if (!call_has_system(call, system))
			continue;
		ret = text ? prepare_set(tr, call, text, changes) :
			     prepare_clear(tr, call, changes);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Let the filter files of events without a filter show the error, unless there is no memory
 * for it.
 */
static void show_unfit(struct trace_array *tr, const char *system, const char *text,
		       const struct strobe_filter_error *err)
{
	struct trace_event_file *file;
	struct trace_event_call *call;

	for_each_event(call) {
		if (!call_has_system(call, system))
			continue;
		file = strobe_event_file_make(tr, call);
		if (!IS_ERR(file) && !file_filter(file))
			show_error(&file->filter_error, text, err, -EINVAL);
	}
}

/**
 * strobe_instance_set_system_filter - set or clear the filters of a system's events
 * @tr:     the instance
 * @system: the system
 * @text:   as for strobe_event_file_set_filter()
 * @error:  error text that the system's filter file shows: replaced on -EINVAL, set to
 *	    NULL on success; to be freed with kfree()
 *
 * Events for which @text is not a valid filter keep theirs.
 *
 * Context: task, may sleep, and waits for probes; strobe_event_mutex held.
 * Return: 0; -EINVAL if @text is not valid for any event; -ENOMEM. On error no filter
 *	   has changed.
 */
int strobe_instance_set_system_filter(struct trace_array *tr, const char *system, char *text,
				      char **error)
{
	const struct strobe_filter_error err = { STROBE_FILTER_BAD_SYSTEM_FILTER, 0 };
	struct filter_changes changes = { LIST_HEAD_INIT(changes.list) };
	bool none;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	none = means_none(strstrip(text));
	ret = changes_prepare(tr, system, none ? NULL : text, &changes);
	if (!ret && changes.fit) {
		changes_apply(&changes.list);
		kfree(*error);
		*error = NULL;
	}
	changes_free(&changes.list);
	if (ret)
		return ret;
	if (!changes.unfit && changes.fit)
		return 0;
	strobe_event_filter_log_error(tr, text, &err);
	if (changes.fit) {
		show_unfit(tr, system, text, &err);
		return 0;
	}
	show_error(error, text, &err, -EINVAL);
	return -EINVAL;
}
