/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files that implement events/. For lifetimes see events.c. */
#ifndef _STROBE_FS_EVENTS_H
#define _STROBE_FS_EVENTS_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/refcount.h>

struct eventfs_inode;
struct trace_array;

/**
 * struct fs_system - a system's directory in events/
 * @list: in fs_instance::systems (strobe_event_mutex)
 * @tr: the instance
 * @name: name of the system
 * @ei: its directory
 * @nr_events: number of events in it (strobe_event_mutex); 0 after its removal
 * @nr_files: number of files in the directory itself
 * @filter_error: text of its filter file; NULL for the help text (strobe_event_mutex)
 * @ref: one reference of eventfs, and one for each open file
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

/* event_file.c */
int strobe_fs_event_open(struct inode *inode, struct file *filp);
int strobe_fs_event_release(struct inode *inode, struct file *filp);
int strobe_fs_system_open(struct inode *inode, struct file *filp);
int strobe_fs_system_release(struct inode *inode, struct file *filp);
void strobe_fs_system_put(struct fs_system *system);

extern const struct file_operations strobe_fs_event_filter_fops, strobe_fs_event_inject_fops,
	strobe_fs_event_trigger_fops, strobe_fs_system_filter_fops;

#endif /* _STROBE_FS_EVENTS_H */
