// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/: a directory for each system, and in it one for each event.
 *
 * eventfs creates the inodes of these files on lookup and frees them again. It
 * only keeps a callback for each name and one data pointer for each directory.
 *
 * States of a system's directory: it exists while it has events (nr_events > 0, in
 * fs_instance::systems). After its removal the struct remains until eventfs has
 * released the last inode and the last open file is closed. Its reference count
 * is 1 for eventfs, plus 1 for each open file. In files that are open then,
 * "enable" reads "?" and all writes fail.
 *
 * An event's directory holds a reference to its trace_event_file in the same way.
 * Users of the event file check EVENT_FILE_FL_FREED under strobe_event_mutex first: if
 * it is set, the event itself may have been freed.
 *
 * Lock order: strobe_event_mutex, then eventfs's mutex. eventfs calls the callbacks with
 * its mutex held; they take no lock.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

/* "enable" of one event */

static ssize_t event_enable_read(struct file *filp, char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char state[4];

	scoped_guard(mutex, &strobe_event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		strobe_event_file_state(file, state);
	}
	return strobe_fs_read_text(ubuf, cnt, ppos, "%s\n", state);
}

static int event_enable(struct trace_event_file *file, bool on)
{
	int ret;

	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	if (!on)
		return strobe_event_file_enable(file, false);
	ret = strobe_instance_expand(file->tr);
	if (ret < 0)
		return ret;
	ret = strobe_event_file_enable(file, true);
	if (!ret)
		strobe_instance_events_switched_on(file->tr);
	return ret;
}

static ssize_t event_enable_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, 1, &val);
	if (ret)
		return ret;
	ret = event_enable(filp->private_data, val);
	*ppos += cnt;
	return ret ?: cnt;
}

static const struct file_operations event_enable_fops = {
	.open		= strobe_fs_event_open,
	.read		= event_enable_read,
	.write		= event_enable_write,
	.release	= strobe_fs_event_release,
	.llseek		= default_llseek,
};

#define FORMAT_BYTES	8192

/* "format": without lockdown check, as tools read it before they record */

static int event_format_show_file(struct seq_file *m, void *unused)
{
	struct trace_event_file *file = m->private;

	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	strobe_event_format_show(m, file->call);
	return 0;
}

static int event_format_open(struct inode *inode, struct file *filp)
{
	/* Most formats fit. For others, seq_file calls show again with a larger buffer. */
	return single_open_size(filp, event_format_show_file, inode->i_private,
				FORMAT_BYTES);
}

static const struct file_operations event_format_fops = {
	.open		= event_format_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* "id": the file's data is the number itself, so no reference is needed */

static ssize_t event_id_read(struct file *filp, char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "%ld\n",
				   (long)file_inode(filp)->i_private);
}

static const struct file_operations event_id_fops = {
	.read	= event_id_read,
	.llseek	= default_llseek,
};

/* "enable" of a system, and of all: private_data is the system or the view */

static ssize_t enable_read(struct trace_array *tr, const char *system,
			   char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "%c\n",
				   strobe_instance_events_state(tr, system));
}

static ssize_t enable_write(struct trace_array *tr, const char *system,
			    const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	unsigned long val;
	int ret;
	char on;

	ret = strobe_fs_copy_number(ubuf, cnt, 1, &val);
	if (!ret && val)
		ret = strobe_instance_expand(tr);
	if (ret < 0)
		return ret;
	ret = strobe_instance_enable_events(tr, NULL, system, NULL, val);
	/* If it fails for one event, others may be enabled. */
	on = val ? strobe_instance_events_state(tr, system) : '0';
	if (on == '1' || on == 'X')
		strobe_instance_events_switched_on(tr);
	*ppos += cnt;
	return ret ?: cnt;
}

static ssize_t system_enable_read(struct file *filp, char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	struct fs_system *system = filp->private_data;

	return enable_read(system->tr, system->name, ubuf, cnt, ppos);
}

static ssize_t system_enable_write(struct file *filp, const char __user *ubuf,
				   size_t cnt, loff_t *ppos)
{
	struct fs_system *system = filp->private_data;

	return enable_write(system->tr, system->name, ubuf, cnt, ppos);
}

static const struct file_operations system_enable_fops = {
	.open		= strobe_fs_system_open,
	.read		= system_enable_read,
	.write		= system_enable_write,
	.release	= strobe_fs_system_release,
	.llseek		= default_llseek,
};

static ssize_t all_enable_read(struct file *filp, char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	const struct fs_view *view = filp->private_data;

	return enable_read(view->tr, NULL, ubuf, cnt, ppos);
}

static ssize_t all_enable_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = filp->private_data;

	return enable_write(view->tr, NULL, ubuf, cnt, ppos);
}

static const struct file_operations all_enable_fops = {
	.open		= strobe_fs_open,
	.read		= all_enable_read,
	.write		= all_enable_write,
	.release	= strobe_fs_release,
	.llseek		= default_llseek,
};

/* Contents of the directories. The callbacks run with eventfs's mutex held. */

static int add_enable_all(const char *name, umode_t *mode, void **data,
			  const struct file_operations **fops)
{
	*mode = FS_MODE_WRITE;
	*fops = &all_enable_fops;
	return 1;
}

static int add_header_page(const char *name, umode_t *mode, void **data,
			   const struct file_operations **fops)
{
	*mode = FS_MODE_READ;
	*fops = &strobe_fs_header_page_fops;
	return 1;
}

static int add_header_event(const char *name, umode_t *mode, void **data,
			    const struct file_operations **fops)
{
	*mode = FS_MODE_READ;
	*fops = &strobe_fs_header_event_fops;
	return 1;
}

/* eventfs has released the directory events/. */
static void release_all(const char *name, void *data)
{
	strobe_fs_instance_put(container_of((struct fs_view *)data, struct fs_instance, all));
}

static const struct eventfs_entry events_entries[] = {
	{
		.name = "enable",
		.callback = add_enable_all,
		.release = release_all,
	},
	{ .name = "header_page",  .callback = add_header_page },
	{ .name = "header_event", .callback = add_header_event },
};

static int add_system_enable(const char *name, umode_t *mode, void **data,
			     const struct file_operations **fops)
{
	*mode = FS_MODE_WRITE;
	*fops = &system_enable_fops;
	return 1;
}

static int add_system_filter(const char *name, umode_t *mode, void **data,
			     const struct file_operations **fops)
{
	*mode = FS_MODE_WRITE;
	*fops = &strobe_fs_system_filter_fops;
	return 1;
}

static void release_system(const char *name, void *data)
{
	strobe_fs_system_put(data);
}

static const struct eventfs_entry system_entries[] = {
	{
		.name = "enable",
		.callback = add_system_enable,
		.release = release_system,
	},
	{ .name = "filter", .callback = add_system_filter },
};

static int add_event_enable(const char *name, umode_t *mode, void **data,
			    const struct file_operations **fops)
{
	if (!strobe_event_file_can_enable(*data))
		return 0;
	*mode = FS_MODE_WRITE;
	*fops = &event_enable_fops;
	return 1;
}

static int add_event_format(const char *name, umode_t *mode, void **data,
			    const struct file_operations **fops)
{
	*mode = FS_MODE_READ;
	*fops = &event_format_fops;
	return 1;
}

static int add_event_filter(const char *name, umode_t *mode, void **data,
			    const struct file_operations **fops)
{
	const struct trace_event_file *file = *data;

	if (!event_can_enable(file->call))
		return 0;
	*mode = FS_MODE_WRITE;
	*fops = &strobe_fs_event_filter_fops;
	return 1;
}

/* ftrace:print cannot be enabled, but writing a marker fires it. */
static bool can_fire(const struct trace_event_file *file)
{
	return event_can_enable(file->call) || file == file->tr->print;
}

static int add_event_trigger(const char *name, umode_t *mode, void **data,
			     const struct file_operations **fops)
{
	if (!can_fire(*data))
		return 0;
	*mode = FS_MODE_WRITE;
	*fops = &strobe_fs_event_trigger_fops;
	return 1;
}

#ifdef CONFIG_TRACE_EVENT_INJECT
static int add_event_inject(const char *name, umode_t *mode, void **data,
			    const struct file_operations **fops)
{
	if (!can_fire(*data))
		return 0;
	*mode = 0200;
	*fops = &strobe_fs_event_inject_fops;
	return 1;
}
#endif

static int add_event_id(const char *name, umode_t *mode, void **data,
			const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	if (!event_has_id(file->call))
		return 0;
	*mode = FS_MODE_READ;
	*data = (void *)(long)file->call->type;
	*fops = &event_id_fops;
	return 1;
}

static void release_event(const char *name, void *data)
{
	strobe_event_file_put(data);
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

static struct fs_system *system_create(struct fs_instance *fsi, const char *name)
{
	struct fs_system *system;

	system = kzalloc(sizeof(*system), GFP_KERNEL);
	if (!system)
		return ERR_PTR(-ENOMEM);
	system->name = kstrdup_const(name, GFP_KERNEL);
	if (!system->name) {
		kfree(system);
		return ERR_PTR(-ENOMEM);
	}
	system->tr = fsi->tr;
	refcount_set(&system->ref, 1);
	/* ftrace events cannot be enabled or filtered. */
	if (strcmp(name, "ftrace"))
		system->nr_files = ARRAY_SIZE(system_entries);

	system->ei = eventfs_create_dir(name, fsi->events, system_entries,
					system->nr_files, system);
	if (IS_ERR(system->ei)) {
		int ret = PTR_ERR(system->ei);

		strobe_fs_system_put(system);
		return ERR_PTR(ret);
	}
	list_add_tail(&system->list, &fsi->systems);
	return system;
}

static struct fs_system *system_find(struct fs_instance *fsi, const char *name)
{
	struct fs_system *system;

	list_for_each_entry(system, &fsi->systems, list) {
		if (!strcmp(system->name, name))
			return system;
	}
	return NULL;
}

static void system_remove(struct fs_system *system)
{
	bool has_files = system->nr_files;

	list_del(&system->list);
	eventfs_remove_dir(system->ei);
	/* Without an entry eventfs never calls release_system(). */
	if (!has_files)
		strobe_fs_system_put(system);
}

/**
 * strobe_fs_event_added - create an event's directory
 * @file: the event file; ignored if its instance has no directory events/
 *
 * Context: task, strobe_event_mutex held.
 * Return: 0, or an errno with nothing changed.
 */
int strobe_fs_event_added(struct trace_event_file *file)
{
	struct fs_instance *fsi = fs_of(file->tr);
	struct fs_system *system;
	struct eventfs_inode *ei;

	lockdep_assert_held(&strobe_event_mutex);
	if (!fsi || !fsi->events)
		return 0;

	system = system_find(fsi, file->call->class->system);
	if (!system)
		system = system_create(fsi, file->call->class->system);
	if (IS_ERR(system))
		return PTR_ERR(system);

	strobe_event_file_get(file);
	ei = eventfs_create_dir(trace_event_name(file->call), system->ei,
				event_entries, ARRAY_SIZE(event_entries), file);
	if (IS_ERR(ei)) {
		strobe_event_file_put(file);
		if (!system->nr_events)
			system_remove(system);
		return PTR_ERR(ei);
	}
	file->ei = ei;
	file->fs = system;
	system->nr_events++;
	return 0;
}

/**
 * strobe_fs_event_removed - remove an event's directory, and its system's if that is empty
 * @file: the event file; open files hold a reference to it, but not to the event
 *
 * Context: task, strobe_event_mutex held.
 */
void strobe_fs_event_removed(struct trace_event_file *file)
{
	struct fs_system *system = file->fs;

	lockdep_assert_held(&strobe_event_mutex);
	if (!file->ei)
		return;
	eventfs_remove_dir(file->ei);
	file->ei = NULL;
	file->fs = NULL;
	if (!--system->nr_events)
		system_remove(system);
}

/**
 * strobe_fs_events_create - create the directory events/ and its contents
 * @fsi: the instance; its directory exists
 *
 * A directory that cannot be created is skipped with a warning.
 *
 * Context: task, strobe_event_mutex held.
 * Return: 0, or the first error.
 */
int strobe_fs_events_create(struct fs_instance *fsi)
{
	struct trace_event_file *file;
	struct eventfs_inode *ei;
	int err, ret = 0;

	lockdep_assert_held(&strobe_event_mutex);
	refcount_inc(&fsi->ref);
	ei = eventfs_create_events_dir("events", fsi->folder, events_entries,
				       ARRAY_SIZE(events_entries), &fsi->all);
	if (IS_ERR_OR_NULL(ei)) {
		strobe_fs_instance_put(fsi);
		pr_warn("tracing: cannot create directory 'events'\n");
		return ei ? PTR_ERR(ei) : -EPERM;
	}
	fsi->events = ei;

	list_for_each_entry(file, &fsi->tr->files, list) {
		err = strobe_fs_event_added(file);
		if (err)
			pr_warn("tracing: cannot create directory of event '%s'\n",
				trace_event_name(file->call));
		ret = ret ?: err;
	}
	return ret;
}

/**
 * strobe_fs_events_remove - remove the directory events/
 * @fsi: the instance
 *
 * Context: task, strobe_event_mutex held.
 */
void strobe_fs_events_remove(struct fs_instance *fsi)
{
	struct trace_event_file *file;

	lockdep_assert_held(&strobe_event_mutex);
	list_for_each_entry(file, &fsi->tr->files, list)
		strobe_fs_event_removed(file);
	if (fsi->events)
		eventfs_remove_events_dir(fsi->events);
	fsi->events = NULL;
}
