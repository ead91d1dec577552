/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files that implement events/. For lifetimes see events.c. */
#ifndef _STROBE_FS_EVENTS_H
#define _STROBE_FS_EVENTS_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/refcount.h>

struct catalog_system;
struct eventfs_inode;
struct trace_array;
struct trace_event_call;

/**
 * struct fs_system - a system's directory in events/
 * @list: in fs_instance::systems
 * @tr: the instance
 * @catalog: the system; not valid if @gone
 * @name: name of the system
 * @ei: its directory
 * @events: directories of its events
 * @filled: @events is complete, and remains so
 * @gone: it was removed (strobe_event_mutex)
 * @filter_error: text of its filter file; NULL for the help text (strobe_event_mutex)
 * @ref: one reference of eventfs, and one for each open file
 */
struct fs_system {
	struct list_head	list;
	struct trace_array	*tr;
	const struct catalog_system *catalog;
	const char		*name;
	struct eventfs_inode	*ei;
	struct fs_event		*events;
	bool			filled;
	bool			gone;
	char			*filter_error;
	refcount_t		ref;
};

/**
 * struct fs_event - an event's directory
 * @next: in fs_system::events
 * @system: its system; valid while a file is being opened, as its inode has a parent
 * @call: the event; not valid if @ei is NULL
 * @ei: its directory; NULL after its removal (written with strobe_event_mutex held, or
 *	before it can be looked up)
 */
struct fs_event {
	struct fs_event		*next;
	struct fs_system	*system;
	struct trace_event_call	*call;
	struct eventfs_inode	*ei;
};

/* event_file.c */
int strobe_fs_event_open(struct inode *inode, struct file *filp);
int strobe_fs_event_release(struct inode *inode, struct file *filp);
int strobe_fs_system_open(struct inode *inode, struct file *filp);
int strobe_fs_system_release(struct inode *inode, struct file *filp);
void strobe_fs_system_put(struct fs_system *system);

extern const struct file_operations
	strobe_fs_all_enable_fops, strobe_fs_event_enable_fops, strobe_fs_event_filter_fops,
	strobe_fs_event_format_fops, strobe_fs_event_id_fops, strobe_fs_event_inject_fops,
	strobe_fs_event_trigger_fops, strobe_fs_system_enable_fops,
	strobe_fs_system_filter_fops;

#endif /* _STROBE_FS_EVENTS_H */
