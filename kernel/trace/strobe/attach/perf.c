// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events in perf: opening and closing them, counting on a CPU, and filters.
 *
 * perf's tracepoint PMU (kernel/events/core.c) calls these functions; it dictates their
 * names. A perf event points to its trace event by tp_event, and by pmu_private to the
 * struct attached that all perf events on that trace event share.
 *
 * States of a trace event (strobe_event_mutex)
 *	free		not in attached_events; its probe is not connected for perf
 *	attached	in attached_events, with one user for each open perf event; the sink
 *			is connected, to the probe or by the class's connect(). Its module
 *			is initialised and cannot be unloaded.
 * A perf event that is counting is in the list of one CPU; perf ensures that only that
 * CPU, with interrupts off, adds or removes it. BPF programs are in the trace event's
 * prog_array (bpf_trace.c), each on behalf of one perf event.
 *
 * Contexts: task, except for add and del. Lock order: a context mutex of perf, which fork
 * holds while events are inherited; strobe_event_mutex; the tracepoint core's.
 * Barriers: the lists of the CPUs use RCU. A reader that sees a perf event's filter also
 * sees its contents (release, and an address dependency in the reader). perf frees the
 * filter an RCU grace period after it removes the perf event.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/xarray.h>

#include "attach/attach.h"
#include "event/event.h"
#include "event/fields.h"
#include "filter/filter.h"

/* struct attached by the event's id. One without an id has a single perf event. */
static DEFINE_XARRAY(attached_events);

static struct strobe_perf_perm *perf_perms;

/**
 * strobe_perf_perm_add - register a permission check for opening an event in perf
 * @perm: the check; never freed
 *
 * Context: boot, one CPU.
 */
void strobe_perf_perm_add(struct strobe_perf_perm *perm)
{
	perm->next = perf_perms;
	perf_perms = perm;
}

static int ask_perm(struct trace_event_call *call, struct perf_event *event)
{
	struct strobe_perf_perm *perm;

	for (perm = perf_perms; perm; perm = perm->next) {
		if (perm->call == call)
			return perm->allow(call, event);
	}
	return 0;
}

/*
 * Raw samples may contain other users' data; a count does not. An event that was allowed
 * for the parent is allowed for the children too.
 */
static int may_open(struct trace_event_call *call, struct perf_event *event)
{
	int ret = ask_perm(call, event);

	if (ret || event->parent || !(event->attr.sample_type & PERF_SAMPLE_RAW))
		return ret;
	if (event->attach_state == PERF_ATTACH_TASK && call->flags & TRACE_EVENT_FL_CAP_ANY)
		return 0;
	return perf_allow_tracepoint();
}

static void attached_free(struct attached *at)
{
	free_percpu(at->events);
	kfree(at);
}

static struct attached *attached_alloc(struct trace_event_call *call)
{
	struct attached *at = kzalloc(sizeof(*at), GFP_KERNEL);

	if (!at)
		return NULL;
	at->events = alloc_percpu(struct hlist_head);
	if (!at->events) {
		kfree(at);
		return NULL;
	}
	at->sink.gate = STROBE_GATE_ATTACHED | (call->class->has_sample ? STROBE_GATE_ASKS : 0);
	at->sink.call = call;
	at->sink.type = call->type;
	at->words_straight = STROBE_WORDS_STRAIGHT;
	rwlock_init(&at->targets_lock);
	INIT_LIST_HEAD(&at->targets);
	return at;
}

/* free -> attached */
static struct attached *attached_create(struct trace_event_call *call)
{
	struct attached *at = attached_alloc(call);
	int ret = -ENOMEM;

	if (!at)
		return ERR_PTR(ret);
	ret = strobe_attached_scratch_get();
	if (ret)
		goto free;
	if (call->type)
		ret = xa_err(xa_store(&attached_events, call->type, at, GFP_KERNEL));
	if (ret)
		goto put;
	/* Events that cannot be enabled can be opened, but never count. */
	ret = strobe_event_connect(call, &at->sink, true);
	if (!ret)
		return at;
	xa_erase(&attached_events, call->type);
	/* A probe of the event that was armed before the error may still be using @at. */
	tracepoint_synchronize_unregister();
put:
	strobe_attached_scratch_put();
free:
	attached_free(at);
	return ERR_PTR(ret);
}

/* attached -> free */
static void attached_destroy(struct attached *at)
{
	WARN_ON_ONCE(strobe_event_connect(at->sink.call, &at->sink, false));
	xa_erase(&attached_events, at->sink.call->type);
	tracepoint_synchronize_unregister();
	strobe_attached_scratch_put();
	attached_free(at);
}

static struct attached *attached_get(struct trace_event_call *call)
{
	struct attached *at = xa_load(&attached_events, call->type);

	if (!at)
		at = attached_create(call);
	if (!IS_ERR(at))
		at->users++;
	return at;
}

static void attached_put(struct attached *at)
{
	if (!--at->users)
		attached_destroy(at);
}

/*
 * Samples of one more user contain the raw record: from now on clear each record before
 * its fields are assigned. Wait for records that were reserved before, as they must not
 * reach that user.
 */
static void attached_get_raw(struct attached *at)
{
	if (at->raw_users++)
		return;
	WRITE_ONCE(at->words_straight, 0);
	if (at->users > 1)
		tracepoint_synchronize_unregister();
}

static void attached_put_raw(struct attached *at)
{
	if (!--at->raw_users)
		WRITE_ONCE(at->words_straight, STROBE_WORDS_STRAIGHT);
}

/**
 * strobe_attached_open - open a trace event in perf
 * @event: the perf event
 * @call:  the trace event, which the caller keeps until strobe_attached_close(). If its id is
 *	   0, it is @event's alone
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; -EPERM or -EACCES if the current task may not open it; -ENODEV if it has no
 *	   tracepoint yet; -ENOMEM; or the error of connecting the probe. After an error
 *	   nothing has changed.
 */
int strobe_attached_open(struct perf_event *event, struct trace_event_call *call)
{
	struct attached *at;
	int ret = may_open(call, event);

	if (ret)
		return ret;
	at = attached_get(call);
	if (IS_ERR(at))
		return PTR_ERR(at);
	ret = strobe_attached_add_target(at, event);
	if (ret) {
		attached_put(at);
		return ret;
	}
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		attached_get_raw(at);
	event->tp_event = call;
	event->pmu_private = at;
	return 0;
}

/**
 * strobe_attached_close - undo strobe_attached_open()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_attached_close(struct perf_event *event)
{
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		attached_put_raw(event->pmu_private);
	strobe_attached_remove_target(event->pmu_private, event);
	attached_put(event->pmu_private);
}

/**
 * perf_trace_init - open a trace event in perf
 * @event: the perf event; attr.config is the trace event's id
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -EINVAL if there is no such event; -EPERM or -EACCES if the current task may
 *	   not open it; -ENODEV if it has no tracepoint yet, or its module is not
 *	   initialised; -ENOMEM; or the error of connecting the probe. After an error
 *	   nothing has changed.
 */
int perf_trace_init(struct perf_event *event)
{
	struct trace_event_call *call = NULL;
	int ret;

	guard(mutex)(&strobe_event_mutex);
	if (event->attr.config <= TRACE_EVENT_TYPE_MAX)
		call = strobe_event_find_by_type(event->attr.config);
	if (!call || !event_has_id(call) || !strobe_event_call_get(call))
		return -EINVAL;
	ret = strobe_event_is_live(call) ? strobe_attached_open(event, call) : -ENODEV;
	if (ret)
		strobe_event_call_put(call);
	return ret;
}

/**
 * perf_trace_destroy - undo perf_trace_init()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void perf_trace_destroy(struct perf_event *event)
{
	guard(mutex)(&strobe_event_mutex);
	strobe_attached_close(event);
	strobe_event_call_put(event->tp_event);
}

/**
 * perf_trace_add - start counting on this CPU
 * @event: the perf event
 * @flags: without PERF_EF_START the event is added in stopped state
 *
 * Context: interrupts off.
 * Return: 0
 */
int perf_trace_add(struct perf_event *event, int flags)
{
	struct attached *at = event->pmu_private;
	struct hw_perf_event *hw = &event->hw;

	/* If this interrupts perf_tp_event(), that sees the state before or after it. */
	data_race(hw->state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED);
	if (is_sampling_event(event)) {
		/* The same holds for the period. */
		data_race(hw->last_period = hw->sample_period);
		perf_swevent_set_period(event);
	}
	hlist_add_head_rcu(&event->hlist_entry, this_cpu_ptr(at->events));
	return 0;
}

/**
 * perf_trace_del - stop counting on this CPU
 * @event: the perf event
 * @flags: not used
 *
 * Context: interrupts off.
 */
void perf_trace_del(struct perf_event *event, int flags)
{
	hlist_del_rcu(&event->hlist_entry);
}

/* Filters: perf's opaque struct event_filter is a struct strobe_filter. */

/* Check without auditing: the filter may not need the capability. */
static bool may(int cap)
{
	return ns_capable_noaudit(&init_user_ns, cap) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/*
 * A count reveals a filter's verdict on records. Without a capability a filter may
 * therefore read only what the task could read itself: memory of the tasks that it was
 * allowed to open, but not the kernel's, nor that of any task that runs on a CPU.
 */
static unsigned int filter_rights(const struct perf_event *event)
{
	unsigned int rights = 0;

	if (may(CAP_PERFMON))
		rights = STROBE_FILTER_KERNEL_PTR | STROBE_FILTER_USER_PTR | STROBE_FILTER_SYMBOLS;
	if (event->attach_state & PERF_ATTACH_TASK)
		rights |= STROBE_FILTER_USER_PTR;
	if (kallsyms_show_value(current_cred()))
		rights |= STROBE_FILTER_SYMBOLS;
	if (may(CAP_BPF))
		rights |= STROBE_FILTER_PLAIN_CODE;
	return rights;
}

/*
 * The fields of a probe's event are what root has chosen, be it any memory of the kernel, while
 * any user may count the event. Those of a uprobe are a process's own, but the process may be
 * anybody's unless the perf event is for a task. Those of user events are written by processes.
 */
static bool may_filter(const struct perf_event *event)
{
	int closed = TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_EPROBE | TRACE_EVENT_FL_FPROBE;

	if (!(event->attach_state & PERF_ATTACH_TASK))
		closed |= TRACE_EVENT_FL_UPROBE;
	return !(event->tp_event->flags & closed) || may(CAP_PERFMON);
}

/**
 * ftrace_profile_set_filter - set the filter of a perf event
 * @event:    the perf event
 * @event_id: the trace event's id
 * @text:     the filter
 *
 * The rights of the current task are checked, not those of the task that opened @event.
 * The filter remains until the event is freed, even if the task gives up its rights;
 * inherited events use their parent's filter.
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -EINVAL if @event is no trace event; -EEXIST if it has a filter; -EACCES if
 *	   @text, or the event, reads what the task may not read; else as
 *	   strobe_filter_create()
 */
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *text)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;

	guard(mutex)(&strobe_event_mutex);
	if (!event->tp_event)
		return -EINVAL;
	if (event->filter)
		return -EEXIST;
	if (!may_filter(event))
		return -EACCES;
	filter = strobe_filter_create(event->tp_event, text, filter_rights(event), &err);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	/*
	 * PERF_FILTER:A: if perf reads this pointer for filter_match_preds(), it also sees the
	 * filter's contents. Pairs with the address dependency there.
	 */
	smp_store_release(&event->filter, (struct event_filter *)filter);
	return 0;
}

/**
 * ftrace_profile_free_filter - free the filter of a perf event, if any
 * @event: the perf event, removed at least an RCU grace period ago
 *
 * Context: softirq
 */
void ftrace_profile_free_filter(struct perf_event *event)
{
	strobe_filter_free((struct strobe_filter *)event->filter);
	event->filter = NULL;
}

/**
 * filter_match_preds - match a record against a perf event's filter
 * @filter: the filter; NULL matches every record
 * @rec:    the record
 *
 * Context: any, preemption off.
 * Return: 1 if it matches, else 0
 */
notrace int filter_match_preds(struct event_filter *filter, void *rec)
{
	return !filter || strobe_filter_match((const struct strobe_filter *)filter, rec);
}
EXPORT_SYMBOL_GPL(filter_match_preds);

/**
 * trace_event_get_offsets - size of the fixed part of an event's record
 * @call: the event
 *
 * Context: any; the caller keeps the event registered.
 * Return: bytes up to the end of the last field, without dynamic parts
 */
int trace_event_get_offsets(struct trace_event_call *call)
{
	return strobe_fields_end(call);
}
