// SPDX-License-Identifier: GPL-2.0
/*
 * Event files: the data of an instance for each event.
 *
 * States of an event file
 *	listed	in tr->files; flags without FREED; the instance holds a
 *		reference, and each open tracefs file another one
 *	dead	FREED set, in dead_files or in no list; disabled, no probe uses it;
 *		->call may dangle, so test FREED, with strobe_event_mutex held, before
 *		accessing the event
 *	gone	last reference dropped, memory freed
 * Invariant: an enabled file is listed.
 *
 * listed -> dead happens when the event's module is unloaded or the instance removed.
 *
 * Contexts: task. Lock order: strobe_event_mutex, strobe_instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "instance/instance.h"
#include "record/record.h"

static struct kmem_cache *file_cache;

/* Files of modules being unloaded, until no probe can use them. strobe_event_mutex. */
static LIST_HEAD(dead_files);

/* strobe_event_mutex */
static LIST_HEAD(observers);

/**
 * strobe_instance_observer_register - add an observer, which is never removed
 * @observer: the observer
 *
 * Context: task or boot; strobe_event_mutex held.
 */
void strobe_instance_observer_register(struct instance_observer *observer)
{
	lockdep_assert_held(&strobe_event_mutex);
	list_add_tail(&observer->list, &observers);
}

/**
 * strobe_instance_notify_added - tell the observers that an instance was created
 * @tr: the instance
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 * Return: 0, or the errno of an observer: then none has it any more.
 */
int strobe_instance_notify_added(struct trace_array *tr)
{
	struct instance_observer *observer;
	int ret;

	list_for_each_entry(observer, &observers, list) {
		ret = observer->added ? observer->added(tr) : 0;
		if (ret)
			goto undo;
	}
	return 0;
undo:
	list_for_each_entry_continue_reverse(observer, &observers, list) {
		if (observer->removing)
			observer->removing(tr);
	}
	return ret;
}

/**
 * strobe_instance_notify_disabling - tell the observers that an instance's events will be disabled
 * @tr: the instance, which will be removed
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 */
void strobe_instance_notify_disabling(struct trace_array *tr)
{
	struct instance_observer *observer;

	list_for_each_entry(observer, &observers, list) {
		if (observer->disabling)
			observer->disabling(tr);
	}
}

/**
 * strobe_instance_notify_removing - tell the observers that an instance will be removed
 * @tr: the instance, whose events are disabled
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 */
void strobe_instance_notify_removing(struct trace_array *tr)
{
	struct instance_observer *observer;

	list_for_each_entry(observer, &observers, list) {
		if (observer->removing)
			observer->removing(tr);
	}
}

/**
 * strobe_instance_notify_removed - tell the observers that no probe uses what was removed
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_instance_notify_removed(void)
{
	struct instance_observer *observer;

	list_for_each_entry(observer, &observers, list) {
		if (observer->removed)
			observer->removed();
	}
}

/* Return: 0, or the first errno of an observer. */
static int notify_file_added(struct trace_event_file *file)
{
	struct instance_observer *observer;
	int err, ret = 0;

	list_for_each_entry(observer, &observers, list) {
		err = observer->file_added ? observer->file_added(file) : 0;
		ret = ret ?: err;
	}
	return ret;
}

static void notify_file_removing(struct trace_event_file *file)
{
	struct instance_observer *observer;

	list_for_each_entry(observer, &observers, list) {
		if (observer->file_removing)
			observer->file_removing(file);
	}
}

/* Is the event's system in the instance's list of systems? */
static bool instance_wants(const struct trace_array *tr,
			   const struct trace_event_call *call)
{
	const char *system = call->class->system;
	const char *at = tr->systems;
	size_t len = strlen(system);

	if (!at)
		return true;
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
	strobe_event_file_free_filter(file);
	kmem_cache_free(file_cache, file);
}

/* Also returns 0 if the instance is limited to other systems. */
static int file_add(struct trace_array *tr, struct trace_event_call *call,
		    bool first)
{
	struct trace_event_file *file;

	if (!instance_wants(tr, call))
		return 0;
	file = file_alloc(tr, call);
	if (!file)
		return -ENOMEM;
	list_add(&file->list, first ? &tr->files : tr->files.prev);
	if (call->type == TRACE_PRINT)
		tr->print = file;
	return notify_file_added(file);
}

/* listed -> dead, but keep the instance's reference */
static void file_unlist(struct trace_event_file *file)
{
	list_del(&file->list);
	file->flags |= EVENT_FILE_FL_FREED;
}

/**
 * strobe_instance_add_files - make the event files of all events
 * @tr: the instance, which has none yet
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM; the caller must call strobe_instance_remove_files() in either case.
 */
int strobe_instance_add_files(struct trace_array *tr)
{
	struct trace_event_call *call;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	for_each_event(call) {
		ret = file_add(tr, call, false);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			pr_warn("Could not create directory for event %s\n",
				trace_event_name(call));
	}
	return 0;
}

/**
 * strobe_instance_remove_files - remove all event files of an instance
 * @tr: the instance; its events are disabled and their probes do not run
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_instance_remove_files(struct trace_array *tr)
{
	struct trace_event_file *file, *next;

	lockdep_assert_held(&strobe_event_mutex);
	list_for_each_entry_safe(file, next, &tr->files, list) {
		notify_file_removing(file);
		file_unlist(file);
		strobe_event_file_put(file);
	}
}

/**
 * strobe_event_file_find - find an event file by system and name
 * @tr:     the instance
 * @system: the event's system
 * @event:  its name
 *
 * Context: task; strobe_event_mutex held.
 * Return: the event file, without a reference; NULL if there is none.
 */
struct trace_event_file *strobe_event_file_find(struct trace_array *tr,
						const char *system, const char *event)
{
	struct trace_event_file *file;
	const char *name;

	lockdep_assert_held(&strobe_event_mutex);
	list_for_each_entry(file, &tr->files, list) {
		name = trace_event_name(file->call);
		if (name && !strcmp(name, event) &&
		    !strcmp(file->call->class->system, system))
			return file;
	}
	return NULL;
}

/* Events of modules, and dynamic ones, that come and go. strobe_event_mutex held. */

/* Return: 0, or the first errno; all instances that can have the file have it then. */
static int event_added(struct trace_event_call *call)
{
	struct trace_array *tr;
	int err, ret = 0;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		err = file_add(tr, call, true);
		if (err && !(call->flags & TRACE_EVENT_FL_DYNAMIC))
			pr_warn("Could not create directory for event %s\n",
				trace_event_name(call));
		ret = ret ?: err;
	}
	return ret;
}

static struct trace_event_file *file_of(struct trace_array *tr,
					const struct trace_event_call *call)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &tr->files, list) {
		if (file->call == call)
			return file;
	}
	return NULL;
}

/* An event that is enabled, be it by a trigger or for one, may have records in the making. */
static bool event_busy(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		file = file_of(tr, call);
		if (file && file->flags & EVENT_FILE_FL_ENABLED)
			return true;
	}
	return false;
}

static void event_removing(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		file = file_of(tr, call);
		if (!file)
			continue;
		notify_file_removing(file);
		strobe_event_file_enable(file, false);
		if (file->flags & EVENT_FILE_FL_WAS_ENABLED)
			tr->stale = true;
		file_unlist(file);
		list_add_tail(&file->list, &dead_files);
	}
}

static void events_removed(void)
{
	struct trace_event_file *file, *next;
	struct trace_array *tr;

	strobe_instance_notify_removed();
	list_for_each_entry_safe(file, next, &dead_files, list) {
		list_del_init(&file->list);
		strobe_event_file_put(file);
	}
	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		if (!tr->stale)
			continue;
		tr->stale = false;
		strobe_instance_reset_all(tr);
	}
}

static struct event_observer files_observer = {
	.added		= event_added,
	.busy		= event_busy,
	.removing	= event_removing,
	.removed	= events_removed,
};

/**
 * strobe_instances_watch_events - start to make event files for newly registered events
 *
 * Context: task, once, at boot.
 */
void __init strobe_instances_watch_events(void)
{
	file_cache = KMEM_CACHE(trace_event_file, SLAB_PANIC);
	strobe_event_observer_register(&files_observer);
}

/**
 * trace_get_event_file - get an event file, with references to module and instance
 * @instance: name of the instance; NULL: the top instance
 * @system:   the event's system
 * @event:    the event's name
 *
 * Context: task; takes strobe_event_mutex and strobe_instance_mutex.
 * Return: the event file, to be released by trace_put_event_file(); -ENOENT if there is
 *	   no such instance; -ENODEV if tracing is disabled; -EINVAL if there is no such
 *	   event, or it cannot be enabled; -EBUSY if its module is being unloaded, or is
 *	   not initialised yet.
 */
struct trace_event_file *trace_get_event_file(const char *instance,
					      const char *system,
					      const char *event)
{
	struct trace_array *tr = top_instance;
	struct trace_event_file *file;

	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	if (instance) {
		tr = strobe_instance_find(instance);
		if (!tr)
			return ERR_PTR(-ENOENT);
	}
	if (tracing_is_disabled())
		return ERR_PTR(-ENODEV);
	file = strobe_event_file_find(tr, system, event);
	if (!file || !strobe_event_file_can_enable(file))
		return ERR_PTR(-EINVAL);
	if (!strobe_event_call_get(file->call))
		return ERR_PTR(-EBUSY);
	if (!strobe_event_is_live(file->call)) {
		strobe_event_call_put(file->call);
		return ERR_PTR(-EBUSY);
	}
	tr->refs++;
	return file;
}
EXPORT_SYMBOL_GPL(trace_get_event_file);

/**
 * trace_put_event_file - undo trace_get_event_file()
 * @file: the event file
 *
 * Context: task; takes strobe_event_mutex and strobe_instance_mutex.
 */
void trace_put_event_file(struct trace_event_file *file)
{
	struct trace_array *tr = file->tr;

	scoped_guard(mutex, &strobe_event_mutex)
		strobe_event_call_put(file->call);
	strobe_instance_put(tr);
}
EXPORT_SYMBOL_GPL(trace_put_event_file);
