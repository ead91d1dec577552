/* SPDX-License-Identifier: GPL-2.0 */
/* An event of user space, for user.c, which has all of them, and user_file.c, which uses them. */
#ifndef _STROBE_DYNAMIC_USER_EVENT_H
#define _STROBE_DYNAMIC_USER_EVENT_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "dynamic/dynamic.h"
#include "dynamic/user.h"
#include "dynamic/user_fields.h"

/**
 * struct user_event - an event of user space, and its only probe
 * @probe:  the probe
 * @node:   in user_events
 * @unused: in unused_events, or empty (unused_lock)
 * @watch:  what its enablers show
 * @fields: its fields
 * @name:   the name as registered, which several events have if they are multi-format
 * @refs:   references
 * @flags:  USER_EVENT_REG_*
 */
struct user_event {
	struct dyn_probe	probe;
	struct hlist_node	node;
	struct list_head	unused;
	struct user_watch	watch;
	struct user_fields	fields;
	char			*name;
	refcount_t		refs;
	u16			flags;
};

/**
 * struct event_desc - what is registered: the text "NAME [FIELDS]", in parts
 * @name:   name of the event
 * @fields: description of its fields; may be empty
 * @flags:  USER_EVENT_REG_*
 */
struct event_desc {
	const char	*name;
	const char	*fields;
	u16		flags;
};

int strobe_user_desc_parse(struct event_desc *desc, char *text, u16 flags);
struct user_event *strobe_user_event_find_or_make(const struct event_desc *desc);
int strobe_user_events_delete(const char *name);

#endif /* _STROBE_DYNAMIC_USER_EVENT_H */
