// SPDX-License-Identifier: GPL-2.0
/*
 * instances/: mkdir there creates an instance, rmdir removes it. Instances that kernel
 * code creates and removes have directories, too.
 *
 * States of an instance's directory
 *	none	trace_array::fs is NULL: tracefs is not set up yet
 *	shown	the directory has all its files
 * The directory is created and removed with strobe_event_mutex and strobe_instance_mutex held. An
 * open() of one of its files waits for strobe_instance_mutex, and then fails if the directory
 * was removed. So files can be opened only in state shown.
 *
 * Contexts: task. Lock order: strobe_event_mutex, strobe_instance_mutex, tracefs's inodes.
 * tracefs calls mkdir and rmdir without its locks.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/tracefs.h>

#include "event/event.h"
#include "fs/fs.h"

static struct dentry *instances __ro_after_init;

/* Set before the first directory is created. */
const struct fs_part *strobe_fs_part __ro_after_init;

static void hide_dir(struct fs_instance *fsi)
{
	strobe_fs_events_remove(fsi);
	tracefs_remove(fsi->dir);
	fsi->tr->fs = NULL;
	/* eventfs may still have inodes of files in events/ with this view. */
	fsi->all.tr = NULL;
	strobe_fs_instance_put(fsi);
}

/**
 * strobe_fs_instance_show - create an instance's directory
 * @tr: the instance
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 * Return: 0, also if tracefs is not set up yet; or an errno with nothing changed:
 *	   -EINVAL if the directory cannot be created; -ENOMEM.
 */
int strobe_fs_instance_show(struct trace_array *tr)
{
	struct fs_instance *fsi;
	int ret;

	if (!instances)
		return 0;
	fsi = strobe_fs_instance_alloc(tr);
	if (!fsi)
		return -ENOMEM;
	fsi->dir = tracefs_create_dir(tr->name, instances);
	if (!fsi->dir) {
		strobe_fs_instance_put(fsi);
		return -EINVAL;
	}
	tr->fs = fsi;
	ret = strobe_fs_events_create(fsi) ?:
	      strobe_fs_files_create(fsi);
	if (!ret && strobe_fs_part)
		ret = strobe_fs_part->create(tr, fsi->dir);
	if (ret)
		hide_dir(fsi);
	return ret;
}

/**
 * strobe_fs_instance_hide - remove an instance's directory
 * @tr: the instance; it is not in use
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 */
void strobe_fs_instance_hide(struct trace_array *tr)
{
	if (!tr->fs)
		return;
	if (strobe_fs_part)
		strobe_fs_part->remove(tr);
	hide_dir(fs_of(tr));
}

static int instance_mkdir(const char *name)
{
	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	return PTR_ERR_OR_ZERO(strobe_instance_create_small(name));
}

static int instance_rmdir(const char *name)
{
	struct trace_array *tr;

	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	tr = strobe_instance_find(name);
	return tr ? strobe_instance_destroy(tr) : -ENODEV;
}

/**
 * strobe_fs_instances_create - create the directory instances/ and those of existing instances
 *
 * Context: boot, task.
 */
void __init strobe_fs_instances_create(void)
{
	struct trace_array *tr;
	struct dentry *dir;

	dir = tracefs_create_instance_dir("instances", NULL, instance_mkdir, instance_rmdir);
	if (!dir) {
		pr_warn("cannot create directory 'instances'\n");
		return;
	}
	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	instances = dir;
	instance_for_each(tr) {
		if (tr->name && strobe_fs_instance_show(tr))
			pr_warn("cannot create directory 'instances/%s'\n", tr->name);
	}
}
