/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The catalog of systems and their events, from which directories are filled. It says the
 * same as the list of events, but is protected by dirs_mutex (events.c).
 */
#ifndef _STROBE_FS_CATALOG_H
#define _STROBE_FS_CATALOG_H

#include <linux/list.h>

struct trace_event_call;

/**
 * struct catalog_system - a system with its events
 * @list: in the catalog, in the order in which systems got their first event
 * @name: its name
 * @calls: its @nr events, in order of registration
 * @nr: how many, at least 1
 */
struct catalog_system {
	struct list_head	list;
	const char		*name;
	struct trace_event_call	**calls;
	unsigned int		nr;
};

extern struct list_head strobe_fs_catalog;

#define strobe_fs_for_each_in_catalog(system) \
	list_for_each_entry((system), &strobe_fs_catalog, list)

struct catalog_system *strobe_fs_catalog_add(struct trace_event_call *call);
struct catalog_system *strobe_fs_catalog_find(const struct trace_event_call *call);
void strobe_fs_catalog_remove(const struct trace_event_call *call);

#endif /* _STROBE_FS_CATALOG_H */
