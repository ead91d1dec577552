/* SPDX-License-Identifier: GPL-2.0 */
/* Events that perf is attached to; shared by perf.c, sink.c and caller.c. */
#ifndef _STROBE_ATTACH_ATTACH_H
#define _STROBE_ATTACH_ATTACH_H

#include <linux/percpu.h>
#include <linux/strobe/event.h>

/**
 * struct attached - an event that perf, or BPF through perf, is attached to
 * @sink:   data pointer of the event's probe for perf
 * @events: the perf events that are counting on each CPU; RCU
 * @words_straight: longest record, in units, that is reserved on the fast path; 0 while
 *	    records are cleared for @raw_users
 * @users:  number of open perf events (strobe_event_mutex)
 * @raw_users: number of those whose samples contain the raw record (strobe_event_mutex)
 * @caller: cached place of the tracepoint's return address, see caller.c
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
int strobe_attached_scratch_get(void);
void strobe_attached_scratch_put(void);

#endif /* _STROBE_ATTACH_ATTACH_H */
