/* SPDX-License-Identifier: GPL-2.0 */
/* Events that perf is attached to; shared by perf.c, sink.c and caller.c. */
#ifndef _STROBE_ATTACH_ATTACH_H
#define _STROBE_ATTACH_ATTACH_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock_types.h>
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
 * @targets_lock: protects @targets and @system_wide, which targets.c uses
 * @targets: open perf events that are for one task each
 * @system_wide: number of the other ones
 */
struct attached {
	struct strobe_sink		sink;
	struct hlist_head __percpu	*events;
	unsigned long			words_straight;
	unsigned int			users;
	unsigned int			raw_users;
	u64				caller;
	rwlock_t			targets_lock;
	struct list_head		targets;
	unsigned int			system_wide;
};

/* sink.c */
int strobe_attached_scratch_get(void);
void strobe_attached_scratch_put(void);
#ifdef CONFIG_PERF_EVENTS
bool strobe_attached_wants(struct strobe_sink *sink);
#else
static inline bool strobe_attached_wants(struct strobe_sink *sink)
{
	return false;
}
#endif

/* perf.c; strobe_event_mutex held */
int strobe_attached_open(struct perf_event *event, struct trace_event_call *call);
void strobe_attached_close(struct perf_event *event);

/* targets.c */
bool strobe_attached_wants_mm(struct strobe_sink *sink, const struct mm_struct *mm);
int strobe_attached_add_target(struct attached *at, struct perf_event *event);
void strobe_attached_remove_target(struct attached *at, struct perf_event *event);

/* bpf.c */
#ifdef CONFIG_BPF_EVENTS
bool strobe_attached_run_user_programs(const struct trace_event_call *call, struct pt_regs *regs);
#else
static inline bool strobe_attached_run_user_programs(const struct trace_event_call *call,
						     struct pt_regs *regs)
{
	return true;
}
#endif

/* Whether BPF programs are attached to the event. */
static inline bool strobe_attached_has_programs(const struct trace_event_call *call)
{
#ifdef CONFIG_BPF_EVENTS
	return rcu_access_pointer(call->prog_array);
#else
	return false;
#endif
}

#endif /* _STROBE_ATTACH_ATTACH_H */
