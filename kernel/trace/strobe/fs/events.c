// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/: a directory for each system, and in it one for each event.
 *
 * There are many events and few of them are used, so that little is made before it is
 * needed. eventfs creates inodes on lookup and frees them again, and keeps a struct
 * eventfs_inode for each directory. That is made, with the struct fs_system or struct
 * fs_event that it belongs to, when the directory above it is first used: when a name is
 * looked up in it, or it is listed.
 *
 * States of events/ and of a system's directory
 *	empty	filled is false; nothing is below
 *	filled	there is a directory for each system of the catalog, or for each event of the
 *		system; those of modules come and go
 *	gone	filled is true and it is in no list: it is never filled any more
 * empty -> filled happens at once: without memory it remains empty, and the lookup fails.
 *
 * A system's directory exists while the system has events. After its removal the struct
 * remains until eventfs has released the last inode and the last open file is closed. Its
 * reference count is 1 for eventfs, plus 1 for each open file. In files that are open then,
 * "enable" reads "?" and all writes fail.
 *
 * The struct fs_event of an event remains until eventfs has released its last inode; open
 * files keep an inode. Its event may be used while @ei is not NULL. Opening a file that can
 * change the event, or show how it was changed, makes its event file; the open file has a
 * reference to it, and its users check EVENT_FILE_FL_FREED.
 *
 * Lock order: strobe_event_mutex, strobe_instance_mutex, the locks of tracefs's inodes,
 * dirs_mutex, eventfs's mutex.
 *   dirs_mutex	the catalog, the lists of directories, and filled. A change of a list for
 *		another reason than filling it needs strobe_event_mutex, too
 * tracefs's inodes are locked when the directory of an instance is made or removed, with
 * strobe_event_mutex held. eventfs calls what fills a directory with an inode locked, so
 * that this must not take strobe_event_mutex, which protects the list of events: therefore
 * the catalog lists them again. Other callbacks of eventfs run with its mutex held, and
 * take no lock.
 *
 * Barrier: FILLED:A. A reader of true from filled sees all that was filled in.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "fs/catalog.h"
#include "fs/events.h"
#include "fs/fs.h"

static DEFINE_MUTEX(dirs_mutex);

/* Instances that have events/: struct fs_instance (dirs_mutex) */
static LIST_HEAD(shown);

static int fill_events(struct eventfs_inode *ei, void *data);
static int fill_system(struct eventfs_inode *ei, void *data);

/*
 * Contents of the directories. The callbacks run with eventfs's mutex held, and only while
 * the directory exists: its event is registered.
 */

/*
 * Define add_NAME(), which eventfs calls for a file with strobe_fs_NAME_fops. The file exists if
 * @exists() of the directory's data is true.
 */
#define DIR_FILE(name, file_mode, exists)					\
static int add_##name(const char *unused, umode_t *mode, void **data,		\
		      const struct file_operations **fops)			\
{										\
	*mode = file_mode;							\
	*fops = &strobe_fs_##name##_fops;					\
	return exists(*data);							\
}

static bool always(const void *data)
{
	return true;
}

DIR_FILE(all_enable, FS_MODE_WRITE, always)
DIR_FILE(header_page, FS_MODE_READ, always)
DIR_FILE(header_event, FS_MODE_READ, always)

/* eventfs has released the directory events/. */
static void release_all(const char *name, void *data)
{
	strobe_fs_instance_put(container_of((struct fs_view *)data, struct fs_instance, all));
}

static const struct eventfs_entry events_entries[] = {
	{
		.name = "enable",
		.callback = add_all_enable,
		.release = release_all,
		.populate = fill_events,
	},
	{ .name = "header_page",  .callback = add_header_page },
	{ .name = "header_event", .callback = add_header_event },
};

/* Most events of the system "ftrace" cannot be enabled or filtered. */
static bool system_has_files(const void *data)
{
	const struct fs_system *system = data;

	return strcmp(system->name, "ftrace") != 0;
}

DIR_FILE(system_enable, FS_MODE_WRITE, system_has_files)
DIR_FILE(system_filter, FS_MODE_WRITE, system_has_files)

static void release_system(const char *name, void *data)
{
	strobe_fs_system_put(data);
}

static const struct eventfs_entry system_entries[] = {
	{
		.name = "enable",
		.callback = add_system_enable,
		.release = release_system,
		.populate = fill_system,
	},
	{ .name = "filter", .callback = add_system_filter },
};

static bool has_enable(const void *data)
{
	const struct fs_event *event = data;

	return strobe_event_call_can_enable(event->call);
}

static bool has_filter(const void *data)
{
	const struct fs_event *event = data;

	return event_can_enable(event->call);
}

/* ftrace:print cannot be enabled, but writing a marker fires it. */
static bool can_fire(const void *data)
{
	const struct fs_event *event = data;

	return event_can_enable(event->call) || event->call->type == TRACE_PRINT;
}

DIR_FILE(event_enable, FS_MODE_WRITE, has_enable)
DIR_FILE(event_format, FS_MODE_READ, always)
DIR_FILE(event_filter, FS_MODE_WRITE, has_filter)
DIR_FILE(event_trigger, FS_MODE_WRITE, can_fire)
#ifdef CONFIG_TRACE_EVENT_INJECT
DIR_FILE(event_inject, 0200, can_fire)
#endif

static int add_event_id(const char *name, umode_t *mode, void **data,
			const struct file_operations **fops)
{
	const struct fs_event *event = *data;

	if (!event_has_id(event->call))
		return 0;
	*mode = FS_MODE_READ;
	*data = (void *)(long)event->call->type;
	*fops = &strobe_fs_event_id_fops;
	return 1;
}

/* eventfs has released an event's directory. Open files hold a reference to that. */
static void release_event(const char *name, void *data)
{
	kfree(data);
}

static const struct eventfs_entry event_entries[] = {
	{
		.name = "enable",
		.callback = add_event_enable,
		.release = release_event,
	},
	{ .name = "format", .callback = add_event_format },
	{ .name = "id",	    .callback = add_event_id },
	{ .name = "filter", .callback = add_event_filter },
	{ .name = "trigger", .callback = add_event_trigger },
#ifdef CONFIG_TRACE_EVENT_INJECT
	{ .name = "inject", .callback = add_event_inject },
#endif
};

/* Directories of events. dirs_mutex held. */

static int event_create(struct fs_system *system, struct trace_event_call *call)
{
	struct fs_event *event = kmalloc(sizeof(*event), GFP_KERNEL);
	struct eventfs_inode *ei;

	if (!event)
		return -ENOMEM;
	event->system = system;
	event->call = call;
	ei = eventfs_create_dir(trace_event_name(call), system->ei, event_entries,
				ARRAY_SIZE(event_entries), event);
	if (IS_ERR(ei)) {
		kfree(event);
		return PTR_ERR(ei);
	}
	/* No file in it is open yet: @system is not filled, or strobe_event_mutex is held. */
	event->ei = ei;
	event->next = system->events;
	system->events = event;
	return 0;
}

/* Remove the event at *@link. */
static void event_remove(struct fs_event **link)
{
	struct eventfs_inode *ei = (*link)->ei;

	(*link)->ei = NULL;
	*link = (*link)->next;
	eventfs_remove_dir(ei);
}

static int fill_system(struct eventfs_inode *ei, void *data)
{
	struct fs_system *system = data;
	unsigned int i, nr;
	int ret;

	/* FILLED:A pairs with the release below, and those in other functions. */
	if (smp_load_acquire(&system->filled))
		return 0;
	guard(mutex)(&dirs_mutex);
	if (system->filled)
		return 0;
	nr = system->catalog->nr;
	for (i = 0; i < nr; i++) {
		ret = event_create(system, system->catalog->calls[i]);
		if (ret)
			goto undo;
	}
	smp_store_release(&system->filled, true);	/* FILLED:A */
	return 0;
undo:
	while (system->events)
		event_remove(&system->events);
	return ret;
}

/* Directories of systems. dirs_mutex held. */

/* @parent: eventfs's data of events/ */
static int system_create(struct fs_instance *fsi, struct eventfs_inode *parent,
			 const struct catalog_system *catalog)
{
	struct fs_system *system = kzalloc(sizeof(*system), GFP_KERNEL);

	if (!system)
		return -ENOMEM;
	refcount_set(&system->ref, 1);
	system->catalog = catalog;
	system->tr = fsi->tr;
	system->name = kstrdup_const(catalog->name, GFP_KERNEL);
	if (!system->name) {
		strobe_fs_system_put(system);
		return -ENOMEM;
	}
	system->ei = eventfs_create_dir(system->name, parent, system_entries,
					ARRAY_SIZE(system_entries), system);
	if (IS_ERR(system->ei)) {
		int ret = PTR_ERR(system->ei);

		strobe_fs_system_put(system);
		return ret;
	}
	list_add_tail(&system->list, &fsi->systems);
	return 0;
}

static struct fs_system *system_find(struct fs_instance *fsi,
				     const struct catalog_system *catalog)
{
	struct fs_system *system;

	list_for_each_entry(system, &fsi->systems, list) {
		if (system->catalog == catalog)
			return system;
	}
	return NULL;
}

/* -> gone. The caller removes the directory, and then @system may have been freed. */
static void system_leave(struct fs_system *system)
{
	struct fs_event *event;

	list_del(&system->list);
	system->gone = true;
	smp_store_release(&system->filled, true);	/* FILLED:A */
	for (event = system->events; event; event = event->next)
		event->ei = NULL;
}

static void system_remove(struct fs_system *system)
{
	struct eventfs_inode *ei = system->ei;

	system_leave(system);
	eventfs_remove_dir(ei);
}

static int fill_events(struct eventfs_inode *ei, void *data)
{
	struct fs_instance *fsi = container_of((struct fs_view *)data, struct fs_instance, all);
	const struct catalog_system *catalog;
	struct fs_system *system, *next;
	int ret;

	/* FILLED:A pairs with the release below, and the one in strobe_fs_events_remove(). */
	if (smp_load_acquire(&fsi->filled))
		return 0;
	guard(mutex)(&dirs_mutex);
	if (fsi->filled)
		return 0;
	strobe_fs_for_each_in_catalog(catalog) {
		if (!strobe_instance_has_system(fsi->tr, catalog->name))
			continue;
		ret = system_create(fsi, ei, catalog);
		if (ret)
			goto undo;
	}
	smp_store_release(&fsi->filled, true);	/* FILLED:A */
	return 0;
undo:
	list_for_each_entry_safe(system, next, &fsi->systems, list)
		system_remove(system);
	return ret;
}

/* Events of modules, and dynamic ones */

/* Create the directory of a new event in an instance, if it has one for similar ones. */
static int event_show(struct fs_instance *fsi, const struct catalog_system *catalog,
		      struct trace_event_call *call)
{
	struct fs_system *system;

	if (!fsi->filled || !strobe_instance_has_system(fsi->tr, catalog->name))
		return 0;
	system = system_find(fsi, catalog);
	if (!system)
		return system_create(fsi, fsi->events, catalog);
	return system->filled ? event_create(system, call) : 0;
}

static void event_hide(struct fs_instance *fsi, const struct catalog_system *catalog,
		       const struct trace_event_call *call)
{
	struct fs_system *system = system_find(fsi, catalog);
	struct fs_event **link;

	if (!system)
		return;
	for (link = &system->events; *link; link = &(*link)->next) {
		if ((*link)->call == call) {
			event_remove(link);
			break;
		}
	}
	/* This was its last event. */
	if (catalog->nr == 1)
		system_remove(system);
}

/* Return: 0, or the first errno; what can have the directory has it then. */
static int event_added(struct trace_event_call *call)
{
	const struct catalog_system *catalog;
	struct fs_instance *fsi;
	int err, ret = 0;

	guard(mutex)(&dirs_mutex);
	catalog = strobe_fs_catalog_add(call);
	if (IS_ERR(catalog)) {
		pr_warn("Could not create directories for event %s\n", trace_event_name(call));
		return PTR_ERR(catalog);
	}
	list_for_each_entry(fsi, &shown, shown) {
		err = event_show(fsi, catalog, call);
		if (err && !(call->flags & TRACE_EVENT_FL_DYNAMIC))
			pr_warn("Could not create directory for event %s\n",
				trace_event_name(call));
		ret = ret ?: err;
	}
	return ret;
}

static void event_removing(struct trace_event_call *call)
{
	const struct catalog_system *catalog;
	struct fs_instance *fsi;

	guard(mutex)(&dirs_mutex);
	catalog = strobe_fs_catalog_find(call);
	if (!catalog)
		return;
	list_for_each_entry(fsi, &shown, shown)
		event_hide(fsi, catalog, call);
	strobe_fs_catalog_remove(call);
}

static struct event_observer dirs_observer = {
	.added		= event_added,
	.removing	= event_removing,
};

/**
 * strobe_fs_events_init - make the directories of events possible
 *
 * Context: boot, task; strobe_event_mutex held.
 */
void __init strobe_fs_events_init(void)
{
	struct trace_event_call *call;

	for_each_event(call)
		event_added(call);
	strobe_event_observer_register(&dirs_observer);
}

/**
 * strobe_fs_events_create - create the directory events/
 * @fsi: the instance; its directory exists
 *
 * Context: task, strobe_event_mutex held.
 * Return: 0; -EPERM if the kernel is locked down; or the error of tracefs.
 */
int strobe_fs_events_create(struct fs_instance *fsi)
{
	struct eventfs_inode *ei;

	lockdep_assert_held(&strobe_event_mutex);
	refcount_inc(&fsi->ref);
	ei = eventfs_create_events_dir("events", fsi->dir, events_entries,
				       ARRAY_SIZE(events_entries), &fsi->all);
	if (IS_ERR_OR_NULL(ei)) {
		strobe_fs_instance_put(fsi);
		pr_warn("cannot create directory 'events'\n");
		return ei ? PTR_ERR(ei) : -EPERM;
	}
	guard(mutex)(&dirs_mutex);
	fsi->events = ei;
	list_add_tail(&fsi->shown, &shown);
	return 0;
}

/**
 * strobe_fs_events_remove - remove the directory events/
 * @fsi: the instance
 *
 * Context: task, strobe_event_mutex held.
 */
void strobe_fs_events_remove(struct fs_instance *fsi)
{
	struct fs_system *system, *next;

	lockdep_assert_held(&strobe_event_mutex);
	if (!fsi->events)
		return;
	scoped_guard(mutex, &dirs_mutex) {
		list_del(&fsi->shown);
		smp_store_release(&fsi->filled, true);	/* FILLED:A */
		list_for_each_entry_safe(system, next, &fsi->systems, list)
			system_leave(system);
	}
	eventfs_remove_events_dir(fsi->events);
	fsi->events = NULL;
}
