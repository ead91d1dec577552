// SPDX-License-Identifier: GPL-2.0
/*
 * Event files: the data of an instance for each event that was used in it.
 *
 * States of an event file
 *	none	nothing in tr->files: the event has never been used in the instance. It is
 *		off, and has no filter and no trigger
 *	listed	in tr->files, under the event's id; flags without FREED; the instance holds
 *		a reference, and each open tracefs file another one
 *	dead	FREED set, in dead_files or in no list; disabled, no probe uses it;
 *		->call may dangle, so test FREED, with strobe_event_mutex held, before
 *		accessing the event
 *	gone	last reference dropped, memory freed
 * Invariant: an enabled file is listed.
 *
 * none -> listed	strobe_event_file_make(): a file of the event is opened that needs the
 *			event file, or the event is enabled, by whatever way, or gets a
 *			filter or a trigger. There are more events than an instance uses.
 * listed -> dead	the event's module is unloaded or the instance removed
 * An event file that was made stays listed, even if what it was made for failed.
 *
 * Contexts: task. Lock order: strobe_event_mutex, strobe_instance_mutex.
 *
 * Barrier: PRINT:A. A marker reads tr->print without a lock. If it finds an event file, it
 * sees it complete.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/xarray.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "filter/filter.h"
#include "instance/instance.h"
#include "record/record.h"

static struct kmem_cache *file_cache;

/**
 * strobe_instance_has_system - whether an instance has the events of a system
 * @tr:     the instance
 * @system: name of the system
 *
 * Context: any.
 * Return: false if the instance is limited to other systems.
 */
bool strobe_instance_has_system(const struct trace_array *tr, const char *system)
{
	const char *at = tr->systems;
	size_t len;

	if (!at)
		return true;
	len = strlen(system);
	for (; *at; at += strcspn(at, ", \t\n")) {
		at += strspn(at, ", \t\n");
		if (!strncmp(at, system, len) &&
		    (!at[len] || at[len] == ',' || isspace(at[len])))
			return true;
	}
	return false;
}

/* Gate bits that are the same for all events of the instance. */
static unsigned long gate_of(const struct trace_array *tr)
{
	unsigned long gate = 0;

	if (tr->options & (STROBE_OPT_STACKTRACE | STROBE_OPT_USERSTACKTRACE))
		gate |= STROBE_GATE_STACKTRACE;
	if (tracepoint_printk)
		gate |= STROBE_GATE_PRINTK;
	if (strobe_export_kinds & TRACE_EXPORT_EVENT)
		gate |= STROBE_GATE_EXPORT;
	if (strobe_instance_has_pids(tr))
		gate |= STROBE_GATE_PID;
	return gate;
}

static struct trace_event_file *file_alloc(struct trace_array *tr,
					   struct trace_event_call *call)
{
	struct trace_event_file *file = kmem_cache_zalloc(file_cache, GFP_KERNEL);

	if (!file)
		return NULL;
	file->sink.gate = gate_of(tr);
	file->sink.ring = tr->ring;
	file->sink.type = call->type;
	file->call = call;
	file->tr = tr;
	refcount_set(&file->ref, 1);
	return file;
}

/**
 * strobe_event_file_get - take a reference to an event file, which keeps its memory
 * @file: the file, which is listed or to which the caller has a reference
 *
 * Context: any; strobe_event_mutex held if the caller has no reference.
 */
void strobe_event_file_get(struct trace_event_file *file)
{
	refcount_inc(&file->ref);
}

static void file_free(struct trace_event_file *file)
{
	strobe_filter_free(rcu_dereference_protected(file->filter, true));
	kfree(file->filter_error);
	kmem_cache_free(file_cache, file);
}

/**
 * strobe_event_file_put - drop a reference to an event file
 * @file: the file
 *
 * Context: task.
 */
void strobe_event_file_put(struct trace_event_file *file)
{
	if (!refcount_dec_and_test(&file->ref))
		return;
	if (WARN_ON_ONCE(!(file->flags & EVENT_FILE_FL_FREED)))
		return;		/* leak it: a probe may use it */
	file_free(file);
}

/**
 * strobe_event_file_make - get the event file of an event, and make it at its first use
 * @tr:   the instance
 * @call: the event, of a system that the instance has
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: the event file, without a reference; or ERR_PTR(-ENOMEM).
 */
struct trace_event_file *strobe_event_file_make(struct trace_array *tr,
						struct trace_event_call *call)
{
	struct trace_event_file *file = instance_event_file(tr, call);

	lockdep_assert_held(&strobe_event_mutex);
	if (file)
		return file;
	file = file_alloc(tr, call);
	if (!file)
		return ERR_PTR(-ENOMEM);
	if (xa_insert(&tr->files, call->type, file, GFP_KERNEL)) {
		kmem_cache_free(file_cache, file);
		return ERR_PTR(-ENOMEM);
	}
	if (call->type == TRACE_PRINT)
		/* PRINT:A pairs with the dependency in strobe_instance_marker_write(). */
		smp_store_release(&tr->print, file);
	return file;
}

/**
 * strobe_event_file_unlist - make an event file dead, but keep the instance's reference
 * @file: the event file, listed and disabled
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_event_file_unlist(struct trace_event_file *file)
{
	xa_erase(&file->tr->files, file->call->type);
	file->flags |= EVENT_FILE_FL_FREED;
}

/**
 * strobe_event_file_find - find an event by system and name, and get its event file
 * @tr:     the instance
 * @system: the event's system
 * @event:  its name
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: the event file, without a reference; NULL if there is no such event; or
 *	   ERR_PTR(-ENOMEM).
 */
struct trace_event_file *strobe_event_file_find(struct trace_array *tr,
						const char *system, const char *event)
{
	struct trace_event_call *call;

	lockdep_assert_held(&strobe_event_mutex);
	if (!strobe_instance_has_system(tr, system))
		return NULL;
	call = strobe_event_find(system, event);
	return call ? strobe_event_file_make(tr, call) : NULL;
}

static struct trace_event_call *next_event(const struct trace_event_call *call)
{
	return call ? call->next : strobe_event_list;
}

/**
 * strobe_instance_next_event - walk an instance's events in the order of available_events
 * @tr:   the instance
 * @call: an event; NULL: return the first one
 *
 * Context: task; strobe_event_mutex held.
 * Return: the event after @call; NULL after the last one.
 */
struct trace_event_call *strobe_instance_next_event(const struct trace_array *tr,
						    const struct trace_event_call *call)
{
	struct trace_event_call *next = next_event(call);

	lockdep_assert_held(&strobe_event_mutex);
	while (next && !strobe_instance_has_system(tr, next->class->system))
		next = next_event(next);
	return next;
}

/**
 * strobe_event_files_init - make event files possible
 *
 * Context: task, once, at boot.
 */
void __init strobe_event_files_init(void)
{
	file_cache = KMEM_CACHE(trace_event_file, SLAB_PANIC);
}
