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
 * Outermost of the engine's locks.  Protects the list of events, their ids and
 * everything that follows from them: the instances' lists of files, enabling.
 */
extern struct mutex event_mutex;

extern struct trace_event_call *event_list;

/* Pointers to the events of the kernel proper; freed after boot. */
extern struct trace_event_call *__start_ftrace_events[];
extern struct trace_event_call *__stop_ftrace_events[];

/* In order of registration: link order, then modules as they came.  event_mutex. */
#define for_each_event(call)						\
	for ((call) = event_list; (call); (call) = (call)->next)

/**
 * struct event_observer - who wants to know which events there are
 * @added:	@call has been registered; errors are the observer's to handle
 * @removing:	@call is going, as are perhaps others.  It must not be enabled any
 *		more on return, and no new use of it may begin.
 * @removed:	the last of a batch of @removing has been called, and no probe of
 *		them runs any more: what belongs to them may be freed, and records
 *		with their ids must vanish before the ids are used again.
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

/* Events that are there to be enabled, unlike most of ftrace:*. */
static inline bool event_can_enable(const struct trace_event_call *call)
{
	return !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* Whether its folder has a file id. */
static inline bool event_has_id(const struct trace_event_call *call)
{
	return IS_ENABLED(CONFIG_PERF_EVENTS) &&
	       (event_can_enable(call) || call->flags & TRACE_EVENT_FL_HAS_ID);
}

void event_format_show(struct seq_file *m, const struct trace_event_call *call);

#endif /* _STROBE_EVENT_EVENT_H */
