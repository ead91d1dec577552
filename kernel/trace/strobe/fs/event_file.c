// SPDX-License-Identifier: GPL-2.0
/*
 * Opening the files of an event and of a system; events.c says what they refer to.
 *
 * Contexts: task. Locks: strobe_event_mutex, strobe_instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

/**
 * strobe_fs_event_open - open() of an event's file; private_data is the trace_event_file
 * @inode: the file's
 * @filp: the file
 *
 * Makes the event file if the event has not been used in the instance.
 *
 * Return: 0, -EPERM, -ENODEV or -ENOMEM
 */
int strobe_fs_event_open(struct inode *inode, struct file *filp)
{
	const struct fs_event *event = inode->i_private;
	struct trace_event_file *file;
	struct trace_array *tr;
	int ret = strobe_fs_may_open();

	if (ret)
		return ret;

	guard(mutex)(&strobe_event_mutex);
	if (!event->ei)
		return -ENODEV;
	tr = event->system->tr;
	if (strobe_instance_get(tr))
		return -ENODEV;
	file = strobe_event_file_make(tr, event->call);
	if (IS_ERR(file)) {
		strobe_instance_put(tr);
		return PTR_ERR(file);
	}
	strobe_event_file_get(file);
	filp->private_data = file;
	return 0;
}

/**
 * strobe_fs_event_release - release() for strobe_fs_event_open()
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0
 */
int strobe_fs_event_release(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = filp->private_data;

	strobe_instance_put(file->tr);
	strobe_event_file_put(file);
	return 0;
}

/**
 * strobe_fs_system_put - drop a reference, and free the structure with the last one
 * @system: a system's directory
 *
 * Context: task.
 */
void strobe_fs_system_put(struct fs_system *system)
{
	if (!refcount_dec_and_test(&system->ref))
		return;
	kfree_const(system->name);
	kfree(system->filter_error);
	kfree(system);
}

/**
 * strobe_fs_system_open - open() of a system's file; private_data is the fs_system
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0, -EPERM or -ENODEV
 */
int strobe_fs_system_open(struct inode *inode, struct file *filp)
{
	struct fs_system *system = inode->i_private;
	int ret = strobe_fs_may_open();

	if (ret)
		return ret;

	guard(mutex)(&strobe_event_mutex);
	if (system->gone || strobe_instance_get(system->tr))
		return -ENODEV;
	refcount_inc(&system->ref);
	filp->private_data = system;
	return 0;
}

/**
 * strobe_fs_system_release - release() for strobe_fs_system_open()
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0
 */
int strobe_fs_system_release(struct inode *inode, struct file *filp)
{
	struct fs_system *system = filp->private_data;

	strobe_instance_put(system->tr);
	strobe_fs_system_put(system);
	return 0;
}
