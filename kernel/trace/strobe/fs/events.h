/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files that make what is in events/. Their lives: see events.c. */
#ifndef STROBE_FS_EVENTS_H
#define STROBE_FS_EVENTS_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/refcount.h>

struct eventfs_inode;
struct trace_array;

/**
 * struct fs_system - a system's folder
 * @list: in fs_instance::systems (event_mutex)
 * @tr: the instance
 * @name: of the system
 * @ei: its folder
 * @nr_events: events in it (event_mutex); 0 when it is removed
 * @nr_files: files in the folder itself
 * @filter_error: what its filter file shows, NULL: how to use it (event_mutex)
 * @ref: eventfs's reference, and one for each open file
 */
struct fs_system {
	struct list_head	list;
	struct trace_array	*tr;
	const char		*name;
	struct eventfs_inode	*ei;
	unsigned int		nr_events;
	unsigned int		nr_files;
	char			*filter_error;
	refcount_t		ref;
};

int fs_event_open(struct inode *inode, struct file *filp);
int fs_event_release(struct inode *inode, struct file *filp);
int fs_system_open(struct inode *inode, struct file *filp);
int fs_system_release(struct inode *inode, struct file *filp);

extern const struct file_operations fs_event_filter_fops, fs_event_inject_fops,
	fs_event_trigger_fops, fs_system_filter_fops;

#endif /* STROBE_FS_EVENTS_H */
