// SPDX-License-Identifier: GPL-2.0
/*
 * The registry: which events there are, under which names and ids.
 *
 * Purpose
 *   Events of the kernel proper are registered once, early in boot, from the
 *   section that TRACE_EVENT() fills; a module's when it comes, and taken off
 *   when it goes. Whoever keeps something for each event observes that.
 *
 * States of an event
 *   unknown	type is 0, or belongs to another event
 *   registered	in event_list, in event_types under its type; type does not change
 *   going	as registered, but observers have been told to let go of it
 *
 *   unknown -> registered	event_register()
 *   registered -> going	a module is unloaded: observers' removing()
 *   going -> unknown		no probe runs, nobody renders: observers' removed()
 *
 * Invariants
 *   I1  A type belongs to one registered event at most.
 *   I2  While a reader is between event_read_lock() and event_read_unlock(), the
 *	 event that event_find_by_type() gave it stays as it is, code and data.
 *   I3  A type is not given to another event before all observers' removed() returned,
 *	 and the readers have left that may have seen a record from before that.
 *
 * Contexts
 *   Registering: task, may sleep, event_mutex. Lookup by type: any, NMI too.
 *
 * Lock order
 *   event_mutex, then what observers take. event_srcu: readers nest in anything.
 *
 * Barriers
 *   EVENT_TYPES:A: an event is complete before event_types shows it; pairs with
 *   the address dependency of whoever finds it there. What goes is unpublished
 *   before synchronize_srcu(), which pairs with the readers' srcu_read_lock().
 *   Readers that cannot use SRCU (an oops) are covered by the module loader, which
 *   waits for RCU between MODULE_STATE_GOING and freeing.
 */
#include <kunit/visibility.h>

#include <linux/bug.h>
#include <linux/export.h>
#include <linux/generic-radix-tree.h>
#include <linux/idr.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/srcu.h>
#include <linux/string.h>

#include "event/event.h"
#include "event/internal.h"

/* See event.h: the list of events, their types, and all that follows from them. */
DEFINE_MUTEX(event_mutex);

struct trace_event_call *event_list;
static struct trace_event_call **event_list_tail = &event_list;

/*
 * By type: found for each record that is printed, so it is an array that grows, and
 * never shrinks. Types below EVENT_TYPE_FIRST are given away at compile time.
 */
static DEFINE_GENRADIX(event_types, struct trace_event_call *);
static DEFINE_IDA(event_type_ida);
static LIST_HEAD(event_observers);

DEFINE_STATIC_SRCU(event_srcu);

/**
 * event_observer_register - be told of events that come and go
 * @observer: stays for good
 *
 * Events registered before are not reported; whoever holds event_mutex across
 * this and a for_each_event() misses none and sees none twice.
 *
 * Context: task context, with event_mutex held.
 */
void event_observer_register(struct event_observer *observer)
{
	lockdep_assert_held(&event_mutex);
	list_add_tail(&observer->list, &event_observers);
}

/* Ids are the lowest that are free, as tools have always seen them. */
static int event_type_assign(struct trace_event_call *call)
{
	bool fixed = call->type && call->type < EVENT_TYPE_FIRST;
	unsigned int first = fixed ? call->type : EVENT_TYPE_FIRST;
	unsigned int last = fixed ? call->type : TRACE_EVENT_TYPE_MAX;
	struct trace_event_call **place;
	int type;

	type = ida_alloc_range(&event_type_ida, first, last, GFP_KERNEL);
	if (type < 0)
		return type == -ENOSPC ? -EBUSY : type;
	place = genradix_ptr_alloc(&event_types, type, GFP_KERNEL);
	if (!place) {
		ida_free(&event_type_ida, type);
		return -ENOMEM;
	}
	call->type = type;
	/* EVENT_TYPES:A pairs with the dependency in event_find_by_type() */
	smp_store_release(place, call);
	return 0;
}

/**
 * event_register - make an event known
 * @call: the event, which stays until its module goes
 *
 * An event of the same system and name is no obstacle: both are there, and
 * event_find() finds the first.
 *
 * Context: task context, may sleep, event_mutex held.
 * Return: 0; -EINVAL if it has no name; -EBUSY if no id is left, or its fixed one
 *	is taken; -ENOMEM; or what the class's init() returned. Nothing changed then.
 */
int event_register(struct trace_event_call *call)
{
	const struct strobe_class_ops *ops = call->class->ops;
	struct event_observer *observer;
	int ret;

	lockdep_assert_held(&event_mutex);
	if (WARN_ON(!trace_event_name(call)))
		return -EINVAL;
	if (ops && ops->init) {
		ret = ops->init(call);
		if (ret)
			return ret;
	}
	ret = event_type_assign(call);
	if (ret)
		return ret;

	call->next = NULL;
	*event_list_tail = call;
	event_list_tail = &call->next;

	list_for_each_entry(observer, &event_observers, list) {
		if (observer->added)
			observer->added(call);
	}
	return 0;
}

static void events_register(struct trace_event_call **calls, unsigned int nr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = event_register(calls[i]);
		if (ret && ret != -ENOSYS)
			pr_warn("trace event %s:%s: not registered, error %d\n",
				calls[i]->class->system, trace_event_name(calls[i]), ret);
	}
}

static bool event_is_registered(const struct trace_event_call *call)
{
	return call->type && event_find_by_type(call->type) == call;
}

static void event_unlink(struct trace_event_call *call)
{
	struct trace_event_call **link = &event_list;

	while (*link != call)
		link = &(*link)->next;
	*link = call->next;
	if (event_list_tail == &call->next)
		event_list_tail = link;

	WRITE_ONCE(*genradix_ptr(&event_types, call->type), NULL);
	ida_free(&event_type_ida, call->type);
	call->type = 0;
}

/*
 * One wait for probes and two for readers, whatever the number of events. The
 * types are free for others from event_unlink() on, but others can have them
 * only with event_mutex: I3. Without modules no event ever goes.
 */
VISIBLE_IF_KUNIT __maybe_unused
void events_unregister(struct trace_event_call **calls, unsigned int nr)
{
	struct event_observer *observer;
	unsigned int i, found = 0;

	for (i = 0; i < nr; i++) {
		if (!event_is_registered(calls[i]))
			continue;
		found++;
		list_for_each_entry(observer, &event_observers, list) {
			if (observer->removing)
				observer->removing(calls[i]);
		}
	}
	if (!found)
		return;
	tracepoint_synchronize_unregister();

	for (i = 0; i < nr; i++) {
		if (event_is_registered(calls[i]))
			event_unlink(calls[i]);
	}
	synchronize_srcu(&event_srcu);

	list_for_each_entry(observer, &event_observers, list) {
		if (observer->removed)
			observer->removed();
	}
	/* A reader may have found a record since, before the ring was reset. */
	synchronize_srcu(&event_srcu);
}

/**
 * event_find - look an event up by its names
 * @system: name of its system
 * @name: its name
 *
 * Context: task context, event_mutex held; what is returned stays while it is,
 *	or longer with event_call_get().
 * Return: the event, or NULL if there is none.
 */
struct trace_event_call *event_find(const char *system, const char *name)
{
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);
	for_each_event(call) {
		if (!strcmp(trace_event_name(call), name) &&
		    !strcmp(call->class->system, system))
			return call;
	}
	return NULL;
}

/**
 * event_find_by_type - look an event up by the id that its records have
 * @type: the id
 *
 * Context: any. What is returned stays until event_read_unlock(), or while
 *	event_mutex is held, or until preemption is enabled again.
 * Return: the event, or NULL if there is none.
 */
struct trace_event_call *event_find_by_type(unsigned int type)
{
	struct trace_event_call **place = genradix_ptr_inlined(&event_types, type);

	/* EVENT_TYPES:A */
	return place ? READ_ONCE(*place) : NULL;
}

/**
 * event_read_lock - keep events while their records are rendered
 *
 * Context: any; between this and event_read_unlock() the caller may sleep, but
 *	not take event_mutex, whose holder may be waiting for it.
 * Return: what event_read_unlock() wants to have.
 */
int event_read_lock(void) __acquires(&event_srcu)
{
	return srcu_read_lock_nmisafe(&event_srcu);
}

/**
 * event_read_unlock - let events go
 * @idx: what event_read_lock() returned
 *
 * Context: any, the same as event_read_lock()'s.
 */
void event_read_unlock(int idx) __releases(&event_srcu)
{
	srcu_read_unlock_nmisafe(&event_srcu, idx);
}

/**
 * event_module - the module that an event belongs to
 * @call: a registered event
 *
 * Context: any; event_mutex held, or a reference to the event.
 * Return: the module, or NULL if the event is part of the kernel, or was made at
 *	run time.
 */
struct module *event_module(const struct trace_event_call *call)
{
	struct module *mod;

	preempt_disable();
	mod = __module_address((unsigned long)call);
	preempt_enable();
	return mod;
}

/**
 * event_call_get - keep an event's module from being unloaded
 * @call: a registered event
 *
 * It may still go if its init function fails: see event_is_live().
 *
 * Context: any; event_mutex held, or a reference to the event.
 * Return: false if the module is going already.
 */
bool event_call_get(struct trace_event_call *call)
{
	return try_module_get(event_module(call));
}

/**
 * event_call_put - give back what event_call_get() got
 * @call: the event
 *
 * Context: any.
 */
void event_call_put(struct trace_event_call *call)
{
	module_put(event_module(call));
}

/**
 * event_is_live - will the event stay as long as its module is kept?
 * @call: a registered event that event_call_get() has got
 *
 * A module's events are registered before its init function runs. If that fails, the
 * loader frees the module, whatever references there are to it.
 *
 * Context: any.
 * Return: false if the module is not initialised yet.
 */
bool event_is_live(const struct trace_event_call *call)
{
#ifdef CONFIG_MODULES
	const struct module *mod = event_module(call);

	if (mod)
		return READ_ONCE(mod->state) == MODULE_STATE_LIVE;
#endif
	return true;
}

#ifdef CONFIG_MODULES
static void events_module_coming(struct module *mod)
{
	if (!mod->num_trace_events)
		return;
	if (trace_module_has_bad_taint(mod)) {
		pr_err("%s: module has bad taint, not creating trace events\n", mod->name);
		return;
	}
	events_register(mod->trace_events, mod->num_trace_events);
}

static int events_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	mutex_lock(&event_mutex);
	if (state == MODULE_STATE_COMING)
		events_module_coming(mod);
	else if (state == MODULE_STATE_GOING)
		events_unregister(mod->trace_events, mod->num_trace_events);
	mutex_unlock(&event_mutex);
	return NOTIFY_OK;
}

/* Ahead of the tracepoints' own: probes are gone before tracepoints are. */
static struct notifier_block events_module_nb = {
	.notifier_call = events_module_notify,
	.priority = 1,
};

/*
 * Behind jump labels, whose notifier has the same priority and is registered by
 * an early_initcall(): an event that can be enabled before its module's call
 * sites are known would stay off, and the next switch would find them wrong.
 */
static int __init events_watch_modules(void)
{
	if (register_module_notifier(&events_module_nb))
		pr_warn("trace events of modules will be missing\n");
	return 0;
}
fs_initcall(events_watch_modules);
#endif

/**
 * event_registry_init - register the events of the kernel proper
 *
 * Context: boot, task context with one CPU, before anything records.
 */
void __init event_registry_init(void)
{
	mutex_lock(&event_mutex);
	events_register(__start_ftrace_events, __stop_ftrace_events - __start_ftrace_events);
	mutex_unlock(&event_mutex);
}
