/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of events, and their format files.
 */
#ifndef _STROBE_EVENT_EVENT_H
#define _STROBE_EVENT_EVENT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/strobe/event.h>

struct module;
struct seq_file;

/*
 * Outermost of the engine's locks.  Protects the list of events and their ids,
 * the event files of instances, and enabling.
 */
extern struct mutex strobe_event_mutex;

extern struct trace_event_call *strobe_event_list;

/* Pointers to the built-in events; freed after boot. */
extern struct trace_event_call *__start_ftrace_events[];
extern struct trace_event_call *__stop_ftrace_events[];

/*
 * As in available_events: events of modules and dynamic ones, the newest first, then built-in
 * ones in link order.  Needs strobe_event_mutex.
 */
#define for_each_event(call)						\
	for ((call) = strobe_event_list; (call); (call) = (call)->next)

/**
 * struct strobe_dynamic_event - an event with TRACE_EVENT_FL_DYNAMIC, made at run time
 * @call: the event
 * @pins: references of strobe_event_call_get(); the event cannot be removed while it has any
 * @leave_records: when the event is removed, its records stay in the rings, as those of an
 *	unknown type. Cleared then if there are none (strobe_event_mutex)
 */
struct strobe_dynamic_event {
	struct trace_event_call	call;
	atomic_t		pins;
	bool			leave_records;
};

/**
 * struct event_observer - callbacks for events that come and go
 * @added:	@call has been registered. An errno is the observer's own affair, unless the
 *		event is dynamic: then that is unregistered again.
 * @busy:	whether the observer uses @call, so that a user may not remove it. Not asked if
 *		the event's module is unloaded.
 * @removing:	@call will be removed, possibly one of a batch.  On return it must
 *		not be enabled, and no new use of it may begin.
 * @removed:	@removing has been called for all events of the batch, and none of
 *		their probes runs any more.  The observer may free their data, and
 *		must remove records with their ids, which will be reused, but for those that
 *		strobe_event_leaves_records().
 * @has_orphans: whether there may be records of events that were removed and left them. As
 *		long as an observer says so, the ids of such events are not reused.
 * @list:	in the registry's list of observers
 *
 * All are called with strobe_event_mutex held, in task context; each may be NULL.
 */
struct event_observer {
	int (*added)(struct trace_event_call *call);
	bool (*busy)(struct trace_event_call *call);
	void (*removing)(struct trace_event_call *call);
	void (*removed)(void);
	bool (*has_orphans)(void);
	struct list_head list;
};

void strobe_event_observer_register(struct event_observer *observer);

void strobe_event_registry_init(void);
int strobe_event_register(struct trace_event_call *call);
bool strobe_event_is_busy(struct trace_event_call *call);
bool strobe_event_leaves_records(struct trace_event_call *call);
void strobe_event_leave_no_records(struct trace_event_call *call);
void strobe_events_unregister(struct trace_event_call **calls, unsigned int nr);

struct trace_event_call *strobe_event_find(const char *system, const char *name);
struct trace_event_call *strobe_event_find_by_type(unsigned int type);

int strobe_event_read_lock(void);
void strobe_event_read_unlock(int idx);

struct module *strobe_event_module(const struct trace_event_call *call);
bool strobe_event_call_get(struct trace_event_call *call);
void strobe_event_call_put(struct trace_event_call *call);
bool strobe_event_is_live(const struct trace_event_call *call);

/* Whether the event can be enabled, unlike most of ftrace:*. */
static inline bool event_can_enable(const struct trace_event_call *call)
{
	return !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* Whether its directory has a file named id. */
static inline bool event_has_id(const struct trace_event_call *call)
{
	return IS_ENABLED(CONFIG_PERF_EVENTS) &&
	       (event_can_enable(call) || call->flags & TRACE_EVENT_FL_HAS_ID);
}

/* connect.c */
int strobe_event_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on);

void strobe_event_format_show(struct seq_file *m, const struct trace_event_call *call);

#endif /* _STROBE_EVENT_EVENT_H */
