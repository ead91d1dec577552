/* SPDX-License-Identifier: GPL-2.0 */
/* Between perf.c and sink.c: the events that perf is attached to. */
#ifndef _STROBE_ATTACH_ATTACH_H
#define _STROBE_ATTACH_ATTACH_H

#include <linux/percpu.h>
#include <linux/strobe/event.h>

/**
 * struct attached - an event that perf, or BPF by way of perf, is attached to
 * @sink:   what its probe has as data
 * @events: the perf events that are counting on each CPU; RCU
 * @words_straight: the longest record that needs nothing special; 0 while each is cleared
 *	    for @raw_users
 * @users:  perf events that are open (event_mutex)
 * @raw_users: those of them whose samples have the raw record (event_mutex)
 * @caller: where the tracepoint's caller is found, see caller.c
 */
struct attached {
	struct strobe_sink		sink;
	struct hlist_head __percpu	*events;
	unsigned long			words_straight;
	unsigned int			users;
	unsigned int			raw_users;
	u64				caller;
};

/* sink.c */
int attached_scratch_get(void);
void attached_scratch_put(void);

#endif /* _STROBE_ATTACH_ATTACH_H */
