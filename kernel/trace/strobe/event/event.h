/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of events, and their format files.
 */
#ifndef _STROBE_EVENT_EVENT_H
#define _STROBE_EVENT_EVENT_H

#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/strobe/event.h>

struct module;
struct seq_file;

/*
 * Outermost of the engine's locks.  Protects the list of events and their ids,
 * the instances' lists of event files, and enabling.
 */
extern struct mutex event_mutex;

extern struct trace_event_call *event_list;

/* Pointers to the built-in events; freed after boot. */
extern struct trace_event_call *__start_ftrace_events[];
extern struct trace_event_call *__stop_ftrace_events[];

/* In order of registration: link order, then modules as loaded.  Needs event_mutex. */
#define for_each_event(call)						\
	for ((call) = event_list; (call); (call) = (call)->next)

/**
 * struct event_observer - callbacks for events that come and go
 * @added:	@call has been registered; the observer handles its own errors
 * @removing:	@call will be removed, possibly one of a batch.  On return it must
 *		not be enabled, and no new use of it may begin.
 * @removed:	@removing has been called for all events of the batch, and none of
 *		their probes runs any more.  The observer may free their data, and
 *		must remove records with their ids, which will be reused.
 * @list:	in the registry's list of observers
 *
 * All are called with event_mutex held, in task context; each may be NULL.
 */
struct event_observer {
	void (*added)(struct trace_event_call *call);
	void (*removing)(struct trace_event_call *call);
	void (*removed)(void);
	struct list_head list;
};

void event_observer_register(struct event_observer *observer);

void event_registry_init(void);
int event_register(struct trace_event_call *call);
#if IS_ENABLED(CONFIG_KUNIT)
void events_unregister(struct trace_event_call **calls, unsigned int nr);
#endif

struct trace_event_call *event_find(const char *system, const char *name);
struct trace_event_call *event_find_by_type(unsigned int type);

int event_read_lock(void);
void event_read_unlock(int idx);

struct module *event_module(const struct trace_event_call *call);
bool event_call_get(struct trace_event_call *call);
void event_call_put(struct trace_event_call *call);
bool event_is_live(const struct trace_event_call *call);

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

void event_format_show(struct seq_file *m, const struct trace_event_call *call);

#endif /* _STROBE_EVENT_EVENT_H */
