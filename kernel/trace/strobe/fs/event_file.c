// SPDX-License-Identifier: GPL-2.0
/*
 * Opening the files of an event and of a system; events.c says what they refer to.
 *
 * Contexts: task. Locks: event_mutex, instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/slab.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

/**
 * fs_event_open - open() of an event's file; private_data is the trace_event_file
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0, -EPERM or -ENODEV
 */
int fs_event_open(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = inode->i_private;
	int ret = fs_may_open();

	if (ret)
		return ret;

	guard(mutex)(&event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED || instance_get(file->tr))
		return -ENODEV;
	event_file_get(file);
	filp->private_data = file;
	return 0;
}

/**
 * fs_event_release - release() for fs_event_open()
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0
 */
int fs_event_release(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = filp->private_data;

	instance_put(file->tr);
	event_file_put(file);
	return 0;
}

/**
 * fs_system_put - drop a reference, and free the structure with the last one
 * @system: a system's directory
 *
 * Context: task.
 */
void fs_system_put(struct fs_system *system)
{
	if (!refcount_dec_and_test(&system->ref))
		return;
	kfree_const(system->name);
	kfree(system->filter_error);
	kfree(system);
}

/**
 * fs_system_open - open() of a system's file; private_data is the fs_system
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0, -EPERM or -ENODEV
 */
int fs_system_open(struct inode *inode, struct file *filp)
{
	struct fs_system *system = inode->i_private;
	int ret = fs_may_open();

	if (ret)
		return ret;

	guard(mutex)(&event_mutex);
	if (!system->nr_events || instance_get(system->tr))
		return -ENODEV;
	refcount_inc(&system->ref);
	filp->private_data = system;
	return 0;
}

/**
 * fs_system_release - release() for fs_system_open()
 * @inode: the file's
 * @filp: the file
 *
 * Return: 0
 */
int fs_system_release(struct inode *inode, struct file *filp)
{
	struct fs_system *system = filp->private_data;

	instance_put(system->tr);
	fs_system_put(system);
	return 0;
}
