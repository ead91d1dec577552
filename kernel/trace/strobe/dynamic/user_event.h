/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event of user space: shared by user.c, which has all of them, user_file.c, whose files use
 * them, and user_mm.c, which shows processes whether they are being recorded.
 */
#ifndef _STROBE_DYNAMIC_USER_EVENT_H
#define _STROBE_DYNAMIC_USER_EVENT_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "dynamic/dynamic.h"
#include "dynamic/user_fields.h"

/**
 * struct user_event - an event of user space, and its only probe
 * @probe:  the probe
 * @node:   in user_events
 * @unused: in unused_events, or empty (unused_lock)
 * @enablers: its enablers, of all processes (enablers_lock)
 * @fields: its fields
 * @name:   the name as registered, which several events have if they are multi-format
 * @refs:   references
 * @round:  counts the changes of @on (enablers_lock)
 * @flags:  USER_EVENT_REG_*
 * @on:	    it is being recorded (strobe_event_mutex and enablers_lock)
 */
struct user_event {
	struct dyn_probe	probe;
	struct hlist_node	node;
	struct list_head	unused;
	struct list_head	enablers;
	struct user_fields	fields;
	char			*name;
	refcount_t		refs;
	unsigned int		round;
	u16			flags;
	bool			on;
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

/* user.c */
struct user_event *strobe_user_event_get(struct user_event *event);
void strobe_user_event_put(struct user_event *event);
int strobe_user_desc_parse(struct event_desc *desc, char *text, u16 flags);
struct user_event *strobe_user_event_find_or_make(const struct event_desc *desc);
int strobe_user_events_delete(const char *name);

/* user_mm.c */
int strobe_user_enabler_find(unsigned long addr, u8 bit);
int strobe_user_enabler_add(struct user_event *event, unsigned long addr, u8 bit, u8 size);
int strobe_user_enabler_remove(unsigned long addr, u8 bit);
void strobe_user_enablers_set(struct user_event *event, bool on);
int strobe_user_mm_init(void);

#endif /* _STROBE_DYNAMIC_USER_EVENT_H */
