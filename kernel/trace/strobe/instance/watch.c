// SPDX-License-Identifier: GPL-2.0
/*
 * Instances, and events of modules, that come and go: what the instances do, and calls of
 * the observers (instance.h).
 *
 * State: a list of observers, which only grows.
 *
 * Contexts: task. Lock order: strobe_event_mutex, strobe_instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/xarray.h>

#include "event/event.h"
#include "instance/instance.h"

/* Files of modules being unloaded, until no probe can use them. strobe_event_mutex. */
static LIST_HEAD(dead_files);

/* strobe_event_mutex */
static LIST_HEAD(observers);

/* Call @callback of the observers that have it. strobe_event_mutex held. */
#define notify(callback, ...)							\
do {										\
	struct instance_observer *observer;					\
										\
	list_for_each_entry(observer, &observers, list) {			\
		if (observer->callback)						\
			observer->callback(__VA_ARGS__);			\
	}									\
} while (0)

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
	notify(disabling, tr);
}

/**
 * strobe_instance_notify_removing - tell the observers that an instance will be removed
 * @tr: the instance, whose events are disabled
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 */
void strobe_instance_notify_removing(struct trace_array *tr)
{
	notify(removing, tr);
}

/**
 * strobe_instance_notify_removed - tell the observers that no probe uses what was removed
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_instance_notify_removed(void)
{
	notify(removed);
}

/**
 * strobe_instance_remove_files - remove all event files of an instance
 * @tr: the instance; its events are disabled and their probes do not run
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_instance_remove_files(struct trace_array *tr)
{
	struct trace_event_file *file;
	unsigned long type;

	lockdep_assert_held(&strobe_event_mutex);
	xa_for_each(&tr->files, type, file) {
		notify(file_removing, file);
		strobe_event_file_unlist(file);
		strobe_event_file_put(file);
	}
}

/* Events of modules that are unloaded, and dynamic ones. strobe_event_mutex held. */

/* An event that is enabled, be it by a trigger or for one, may have records in the making. */
static bool event_busy(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		file = instance_event_file(tr, call);
		if (file && file->flags & EVENT_FILE_FL_ENABLED)
			return true;
	}
	return false;
}

static void event_removing(struct trace_event_call *call)
{
	struct trace_event_file *file;
	bool was_enabled = false;
	struct trace_array *tr;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		file = instance_event_file(tr, call);
		if (!file)
			continue;
		notify(file_removing, file);
		strobe_event_file_enable(file, false);
		if (file->flags & EVENT_FILE_FL_WAS_ENABLED) {
			was_enabled = true;
			tr->stale |= !strobe_event_leaves_records(call);
		}
		strobe_event_file_unlist(file);
		list_add_tail(&file->list, &dead_files);
	}
	if (!was_enabled)
		strobe_event_leave_no_records(call);
}

static void events_removed(void)
{
	struct trace_event_file *file, *next;
	struct trace_array *tr;

	strobe_instance_notify_removed();
	list_for_each_entry_safe(file, next, &dead_files, list) {
		/* Only now is the last of its records complete. */
		if (file->flags & EVENT_FILE_FL_WAS_ENABLED &&
		    strobe_event_leaves_records(file->call))
			WRITE_ONCE(file->tr->orphaned, file->tr->orphaned + 1);
		list_del(&file->list);
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

static bool instances_have_orphans(void)
{
	struct trace_array *tr;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		/* Pairs with ORPHANS:A. */
		if (tr->orphaned != smp_load_acquire(&tr->orphans_reset))
			return true;
	}
	return false;
}

static struct event_observer files_observer = {
	.busy		= event_busy,
	.removing	= event_removing,
	.removed	= events_removed,
	.has_orphans	= instances_have_orphans,
};

/**
 * strobe_instances_watch_events - make event files possible, and remove them with their events
 *
 * Context: task, once, at boot; the built-in events are registered. strobe_event_mutex held.
 */
void __init strobe_instances_watch_events(void)
{
	strobe_event_files_init();
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
 *	   not initialised yet; -ENOMEM.
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
	if (IS_ERR(file))
		return file;
	if (!file || !strobe_event_call_can_enable(file->call))
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
