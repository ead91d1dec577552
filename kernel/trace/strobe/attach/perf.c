// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events in perf: opening them, counting on a CPU or not, filters.
 *
 * perf's tracepoint PMU (kernel/events/core.c) calls what is here by names that it has
 * always used. An event of perf points to the trace event by tp_event, and to what is
 * attached there, shared by all of them, by pmu_private.
 *
 * States of a trace event (event_mutex)
 *	free		not in attached_events; its probe is not connected for perf
 *	attached	there, with as many users as perf events are open on it; its
 *			probe, or what the class has instead, has the sink. The module
 *			that it is of stays: it was initialised before.
 * A perf event that is counting is in the list of one CPU; perf sees to it that only
 * that CPU, with interrupts off, takes it in or out. BPF programs are in the trace
 * event's prog_array (bpf_trace.c), each because of one perf event.
 *
 * Contexts: task, but for add and del. Lock order: event_mutex, the tracepoint core's.
 * perf's own context mutex is not held where event_mutex is taken.
 * Barriers: the lists of the CPUs are RCU's. A filter is complete before a perf event
 * has it (release; the readers depend on the address), and goes an RCU grace period
 * after the perf event, which perf sees to.
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

/* By the event's id. */
static DEFINE_XARRAY(attached_events);

static struct strobe_perf_perm *perf_perms;

/**
 * strobe_perf_perm_add - have an event's own rule asked when it is opened
 * @perm: the rule, for good
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
 * What an event is made of may be anybody's secret, that it happens is not. Who has
 * been allowed an event may have it for the children too.
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

/* The engine's own events have an id, but nothing to connect to: they count nothing. */
static int attached_connect(struct attached *at, bool on)
{
	struct trace_event_call *call = at->sink.call;
	const struct strobe_class_ops *ops = call->class->ops;
	void *probe = call->class->probe;

	if (ops && ops->attach)
		return ops->attach(call, &at->sink, on);
	if (!probe || !event_can_enable(call))
		return 0;
	if (!event_is_attached(call))
		return -ENODEV;
	return on ? tracepoint_probe_register(call->tp, probe, &at->sink) :
		    tracepoint_probe_unregister(call->tp, probe, &at->sink);
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
	return at;
}

/* free -> attached */
static struct attached *attached_create(struct trace_event_call *call)
{
	struct attached *at = attached_alloc(call);
	int ret = -ENOMEM;

	if (!at)
		return ERR_PTR(ret);
	ret = attached_scratch_get();
	if (ret)
		goto free;
	ret = xa_err(xa_store(&attached_events, call->type, at, GFP_KERNEL));
	if (ret)
		goto put;
	ret = attached_connect(at, true);
	if (!ret)
		return at;
	xa_erase(&attached_events, call->type);
put:
	attached_scratch_put();
free:
	attached_free(at);
	return ERR_PTR(ret);
}

/* attached -> free */
static void attached_destroy(struct attached *at)
{
	WARN_ON_ONCE(attached_connect(at, false));
	xa_erase(&attached_events, at->sink.call->type);
	tracepoint_synchronize_unregister();
	attached_scratch_put();
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
 * Samples of one more user have the record as it lies: from now on each is cleared before
 * its fields are assigned. One that was reserved before must not get to that user.
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
 * perf_trace_init - open a trace event in perf
 * @event: the perf event; attr.config is the trace event's id
 *
 * Context: task, may sleep; takes event_mutex.
 * Return: 0; -EINVAL if there is no such event; -EPERM or -EACCES if it is not for the
 *	   current task; -ENODEV if it has no tracepoint yet, or its module is not
 *	   initialised; -ENOMEM; what the tracepoint gave. Nothing has changed then.
 */
int perf_trace_init(struct perf_event *event)
{
	struct trace_event_call *call = NULL;
	struct attached *at;
	int ret;

	guard(mutex)(&event_mutex);
	if (event->attr.config <= TRACE_EVENT_TYPE_MAX)
		call = event_find_by_type(event->attr.config);
	if (!call || !event_has_id(call) || !event_call_get(call))
		return -EINVAL;
	ret = event_is_live(call) ? may_open(call, event) : -ENODEV;
	if (ret)
		goto put;
	at = attached_get(call);
	ret = PTR_ERR_OR_ZERO(at);
	if (ret)
		goto put;
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		attached_get_raw(at);
	event->tp_event = call;
	event->pmu_private = at;
	return 0;
put:
	event_call_put(call);
	return ret;
}

/**
 * perf_trace_destroy - undo perf_trace_init()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes event_mutex.
 */
void perf_trace_destroy(struct perf_event *event)
{
	guard(mutex)(&event_mutex);
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		attached_put_raw(event->pmu_private);
	attached_put(event->pmu_private);
	event_call_put(event->tp_event);
}

/**
 * perf_trace_add - begin to count on this CPU
 * @event: the perf event
 * @flags: without PERF_EF_START it only gets ready to
 *
 * Context: interrupts off.
 * Return: 0
 */
int perf_trace_add(struct perf_event *event, int flags)
{
	struct attached *at = event->pmu_private;
	struct hw_perf_event *hw = &event->hw;

	hw->state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	if (is_sampling_event(event)) {
		hw->last_period = hw->sample_period;
		perf_swevent_set_period(event);
	}
	hlist_add_head_rcu(&event->hlist_entry, this_cpu_ptr(at->events));
	return 0;
}

/**
 * perf_trace_del - count no more on this CPU
 * @event: the perf event
 * @flags: of no meaning here
 *
 * Context: interrupts off.
 */
void perf_trace_del(struct perf_event *event, int flags)
{
	hlist_del_rcu(&event->hlist_entry);
}

/* Filters: what perf has as struct event_filter is a struct strobe_filter. */

/* Not audited: the task may do without, unless the filter needs it. */
static bool may(int cap)
{
	return ns_capable_noaudit(&init_user_ns, cap) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/*
 * A count tells what the filter says of a record. Without a capability a filter finds
 * out no more than the task could by itself: it may read the memory of tasks that the
 * task was allowed to open, but not the kernel's, nor that of whatever runs on a CPU.
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

/**
 * ftrace_profile_set_filter - give a perf event a filter
 * @event:    the perf event
 * @event_id: the trace event's id
 * @text:     the filter
 *
 * The rights of the current task count, whoever has opened @event. The filter stays as
 * it is until the event goes, also if the task gives up its rights; children that inherit
 * the event are judged by their parent's.
 *
 * Context: task, may sleep; takes event_mutex.
 * Return: 0; -EINVAL if @event is no trace event; -EEXIST if it has one; -EACCES if @text
 *	   looks at what the task may not see; as strobe_filter_create()
 */
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *text)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;

	guard(mutex)(&event_mutex);
	if (!event->tp_event)
		return -EINVAL;
	if (event->filter)
		return -EEXIST;
	filter = strobe_filter_create(event->tp_event, text, filter_rights(event), &err);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	/* Pairs with the dependency of perf's reading it for filter_match_preds(). */
	smp_store_release(&event->filter, (struct event_filter *)filter);
	return 0;
}

/**
 * ftrace_profile_free_filter - free a perf event's filter, if it has one
 * @event: the perf event, an RCU grace period after it was removed
 *
 * Context: softirq
 */
void ftrace_profile_free_filter(struct perf_event *event)
{
	strobe_filter_free((struct strobe_filter *)event->filter);
	event->filter = NULL;
}

/**
 * filter_match_preds - is this record wanted?
 * @filter: a perf event's filter; NULL: all are
 * @rec:    the record
 *
 * Context: any, preemption off.
 * Return: 1 or 0
 */
notrace int filter_match_preds(struct event_filter *filter, void *rec)
{
	return !filter || strobe_filter_match((const struct strobe_filter *)filter, rec);
}
EXPORT_SYMBOL_GPL(filter_match_preds);

/**
 * trace_event_get_offsets - how far the fields of an event's record go
 * @call: the event
 *
 * Context: any, if the event stays.
 * Return: bytes up to the end of its last field, dynamic parts not counted
 */
int trace_event_get_offsets(struct trace_event_call *call)
{
	struct strobe_field_iter it;
	int end = sizeof(struct trace_entry);

	strobe_for_each_field(&it, call)
		end = it.offset + it.field->size;
	return end;
}
