// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of events, with their names and ids.
 *
 * Purpose
 *   Built-in events are registered once, early in boot, from the section that
 *   TRACE_EVENT() fills. A module's events are registered when it is loaded and
 *   unregistered when it is unloaded. Dynamic events come and go as users say; those
 *   in use stay. Code with per-event data registers an observer.
 *
 * States of an event
 *   unknown	type is 0, or belongs to another event
 *   registered	in strobe_event_list, in event_types under its type; type does not change
 *   going	as registered, but the observers' removing() has been called
 *
 *   unknown -> registered	strobe_event_register()
 *   registered -> going	a module is unloaded, or a dynamic event that is not busy is
 *				removed: observers' removing()
 *   going -> unknown		no probe and no reader uses it: observers' removed()
 *
 * Invariants
 *   I1  A type belongs to one registered event at most.
 *   I2  While a reader is between strobe_event_read_lock() and strobe_event_read_unlock(), code
 *	 and data of the event that strobe_event_find_by_type() returned stay valid.
 *   I3  A type is reused for another event only after all observers' removed() have
 *	 returned and all readers that may have seen an older record have finished. That of an
 *	 event that left its records is in orphan_types until no observer has such records.
 *
 * Contexts
 *   Registering: task, may sleep, strobe_event_mutex. Lookup by type: any, also NMI.
 *
 * Lock order
 *   strobe_event_mutex, then the locks of observers. event_srcu: readers nest in anything.
 *
 * Barriers
 *   EVENT_TYPES:A: if strobe_event_find_by_type() reads the pointer to an event, it also
 *   sees the complete event. Pairs with the address dependency there. An event is
 *   removed from event_types before synchronize_srcu(), which pairs with the
 *   readers' srcu_read_lock(). For readers that cannot use SRCU (an oops), the
 *   module loader waits for RCU between MODULE_STATE_GOING and freeing.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/generic-radix-tree.h>
#include <linux/hash.h>
#include <linux/idr.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/srcu.h>
#include <linux/stringhash.h>
#include <linux/string.h>

#include "event/event.h"
#include "event/ftrace_entries.h"

/* Protects the list of events, their types, and the data that event.h lists. */
DEFINE_MUTEX(strobe_event_mutex);

struct trace_event_call *strobe_event_list;

/*
 * Events by type. Each record that is printed needs a lookup, so this is an array; it
 * never shrinks. Types below EVENT_TYPE_FIRST are assigned at compile time.
 */
static DEFINE_GENRADIX(event_types, struct trace_event_call *);
static DEFINE_IDA(event_type_ida);

/*
 * Events by system and name: ids, which are smaller than pointers; event_hash_next has by id
 * the next one with the same hash, or 0. With equal names the event that was registered first
 * comes first. strobe_event_mutex.
 */
#define EVENT_HASH_BITS	10

static u16 event_hash[1 << EVENT_HASH_BITS];
static DEFINE_GENRADIX(event_hash_next, u16);
static LIST_HEAD(event_observers);

/*
 * Types of removed events whose records may still be read, linked by event_hash_next; 0: none.
 * strobe_event_mutex.
 */
static u16 orphan_types;

DEFINE_STATIC_SRCU(event_srcu);

/**
 * strobe_event_observer_register - register callbacks for events that come and go
 * @observer: never freed, as it cannot be unregistered
 *
 * Events that are already registered are not reported. A caller that holds
 * strobe_event_mutex across this and for_each_event() sees each event exactly once.
 *
 * Context: task context, with strobe_event_mutex held.
 */
void strobe_event_observer_register(struct event_observer *observer)
{
	lockdep_assert_held(&strobe_event_mutex);
	list_add_tail(&observer->list, &event_observers);
}

static struct strobe_dynamic_event *dynamic_of(struct trace_event_call *call)
{
	return container_of(call, struct strobe_dynamic_event, call);
}

static u16 *hash_head(const char *system, const char *name)
{
	unsigned long hash = full_name_hash(NULL, system, strlen(system));

	hash = full_name_hash((void *)hash, name, strlen(name));
	return &event_hash[hash_long(hash, EVENT_HASH_BITS)];
}

static u16 *hash_next(u16 type)
{
	return genradix_ptr(&event_hash_next, type);
}

/* The caller has allocated the event's place in event_hash_next. */
static void hash_add(struct trace_event_call *call)
{
	u16 *link = hash_head(call->class->system, trace_event_name(call));

	while (*link)
		link = hash_next(*link);
	*hash_next(call->type) = 0;
	*link = call->type;
}

static void hash_remove(const struct trace_event_call *call)
{
	u16 *link = hash_head(call->class->system, trace_event_name(call));

	while (*link != call->type)
		link = hash_next(*link);
	*link = *hash_next(call->type);
}

/* Called after each removal, and when there are no more types. strobe_event_mutex held. */
static void free_orphan_types(void)
{
	struct event_observer *observer;
	u16 type;

	if (!orphan_types)
		return;
	list_for_each_entry(observer, &event_observers, list) {
		if (observer->has_orphans && observer->has_orphans())
			return;
	}
	/* A reader may have found a record before the ring was reset (I3). */
	synchronize_srcu(&event_srcu);
	while (orphan_types) {
		type = orphan_types;
		orphan_types = *hash_next(type);
		ida_free(&event_type_ida, type);
	}
}

/* Assign the event's fixed id or the lowest free one, as classic does. */
static int event_type_assign(struct trace_event_call *call)
{
	bool fixed = call->type && call->type < EVENT_TYPE_FIRST;
	unsigned int first = fixed ? call->type : EVENT_TYPE_FIRST;
	unsigned int last = fixed ? call->type : TRACE_EVENT_TYPE_MAX;
	struct trace_event_call **place;
	int type;

	type = ida_alloc_range(&event_type_ida, first, last, GFP_KERNEL);
	if (type == -ENOSPC) {
		free_orphan_types();
		type = ida_alloc_range(&event_type_ida, first, last, GFP_KERNEL);
	}
	if (type < 0)
		return type == -ENOSPC ? -ENODEV : type;
	place = genradix_ptr_alloc(&event_types, type, GFP_KERNEL);
	if (!place || !genradix_ptr_alloc(&event_hash_next, type, GFP_KERNEL)) {
		ida_free(&event_type_ida, type);
		return -ENOMEM;
	}
	call->type = type;
	/* EVENT_TYPES:A pairs with the dependency in strobe_event_find_by_type() */
	smp_store_release(place, call);
	return 0;
}

/**
 * strobe_event_register - register an event
 * @call: the event, which stays until its module is unloaded
 *
 * System and name need not be unique: strobe_event_find() returns the first event that
 * has them.
 *
 * Context: task context, may sleep, strobe_event_mutex held.
 * Return: 0; -EINVAL if it has no name; -ENODEV if no id is free, or its fixed one
 *	is in use; -ENOMEM; or the error of the class's init(), or of an observer if the
 *	event is dynamic. On error the registry is unchanged.
 */
int strobe_event_register(struct trace_event_call *call)
{
	const struct strobe_class_ops *ops = call->class->ops;
	struct event_observer *observer;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
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

	call->next = strobe_event_list;
	strobe_event_list = call;
	hash_add(call);

	list_for_each_entry(observer, &event_observers, list) {
		ret = observer->added ? observer->added(call) : 0;
		if (ret && call->flags & TRACE_EVENT_FL_DYNAMIC) {
			strobe_events_unregister(&call, 1);
			return ret;
		}
	}
	return 0;
}

static void events_register(struct trace_event_call **calls, unsigned int nr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = strobe_event_register(calls[i]);
		if (ret && ret != -ENOSYS)
			pr_warn("trace event %s:%s: not registered, error %d\n",
				calls[i]->class->system, trace_event_name(calls[i]), ret);
	}
}

/**
 * strobe_event_leaves_records - whether an event's records stay in the rings at its removal
 * @call: the event
 *
 * Context: task, strobe_event_mutex held.
 * Return: true only for a dynamic event
 */
bool strobe_event_leaves_records(struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_DYNAMIC && dynamic_of(call)->leave_records;
}

/**
 * strobe_event_leave_no_records - say that no ring has records of an event
 * @call: the event, which is being removed: another one may get its id at once
 *
 * Context: task, strobe_event_mutex held; from event_observer.removing.
 */
void strobe_event_leave_no_records(struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		dynamic_of(call)->leave_records = false;
}

static bool event_is_registered(const struct trace_event_call *call)
{
	return call->type && strobe_event_find_by_type(call->type) == call;
}

/* Let another event use the type, now or when the records are gone. */
static void event_type_release(struct trace_event_call *call)
{
	WRITE_ONCE(*genradix_ptr(&event_types, call->type), NULL);
	if (strobe_event_leaves_records(call)) {
		*hash_next(call->type) = orphan_types;
		orphan_types = call->type;
	} else {
		ida_free(&event_type_ida, call->type);
	}
	call->type = 0;
}

/* Forget the types of @nr events, of which some may not be registered: their type is 0 then. */
static void events_unlink(struct trace_event_call **calls, unsigned int nr)
{
	struct trace_event_call **link = &strobe_event_list;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!event_is_registered(calls[i]))
			continue;
		hash_remove(calls[i]);
		event_type_release(calls[i]);
	}
	/* Once through the list, however many they are. */
	while (*link) {
		if ((*link)->type)
			link = &(*link)->next;
		else
			*link = (*link)->next;
	}
}

/**
 * strobe_event_is_busy - whether an event is in use, so that no user may remove it
 * @call: a registered event with TRACE_EVENT_FL_DYNAMIC
 *
 * Context: task, strobe_event_mutex held.
 * Return: true if it has references of strobe_event_call_get(), or an observer uses it
 */
bool strobe_event_is_busy(struct trace_event_call *call)
{
	struct event_observer *observer;

	lockdep_assert_held(&strobe_event_mutex);
	if (atomic_read(&dynamic_of(call)->pins))
		return true;
	list_for_each_entry(observer, &event_observers, list) {
		if (observer->busy && observer->busy(call))
			return true;
	}
	return false;
}

/**
 * strobe_events_unregister - unregister events
 * @calls: the events; others than registered ones are passed over
 * @nr:	   their number
 *
 * Waits once for probes and twice for readers, whatever the number of events, and once more
 * if it frees types of events that have left their records. The other types are free at once,
 * but they cannot be reused before strobe_event_mutex is released (I3).
 * On return no record of the events can be read any more, but those that are left, as records
 * of an unknown type. The caller waits for an RCU grace period before it frees the events: see
 * the barriers above.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_events_unregister(struct trace_event_call **calls, unsigned int nr)
{
	struct event_observer *observer;
	unsigned int i, found = 0;

	lockdep_assert_held(&strobe_event_mutex);
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

	events_unlink(calls, nr);
	synchronize_srcu(&event_srcu);

	list_for_each_entry(observer, &event_observers, list) {
		if (observer->removed)
			observer->removed();
	}
	/* A later reader may have found a record before removed() reset the ring. */
	synchronize_srcu(&event_srcu);
	free_orphan_types();
}

/**
 * strobe_event_find - find an event by system and name
 * @system: name of its system
 * @name: its name
 *
 * Context: task context, strobe_event_mutex held. The event stays while it is held, or
 *	longer with strobe_event_call_get().
 * Return: the event, or NULL if there is none.
 */
struct trace_event_call *strobe_event_find(const char *system, const char *name)
{
	struct trace_event_call *call;
	u16 type;

	lockdep_assert_held(&strobe_event_mutex);
	for (type = *hash_head(system, name); type; type = *hash_next(type)) {
		call = strobe_event_find_by_type(type);
		if (!strcmp(trace_event_name(call), name) &&
		    !strcmp(call->class->system, system))
			return call;
	}
	return NULL;
}

/**
 * strobe_event_find_by_type - find an event by the id in its records
 * @type: the id
 *
 * Context: any. The event stays until strobe_event_read_unlock(), or while strobe_event_mutex
 *	is held, or while preemption is off.
 * Return: the event, or NULL if there is none.
 */
struct trace_event_call *strobe_event_find_by_type(unsigned int type)
{
	struct trace_event_call **place = genradix_ptr_inlined(&event_types, type);

	/* If it reads a pointer, it sees the complete event. Pairs with EVENT_TYPES:A. */
	return place ? READ_ONCE(*place) : NULL;
}

/**
 * strobe_event_read_lock - keep events from being freed while their records are rendered
 *
 * Context: any; before strobe_event_read_unlock() the caller may sleep, but must not take
 *	strobe_event_mutex, whose holder may be waiting for this reader.
 * Return: the argument for strobe_event_read_unlock().
 */
int strobe_event_read_lock(void) __acquires(&event_srcu)
{
	return srcu_read_lock_nmisafe(&event_srcu);
}

/**
 * strobe_event_read_unlock - undo strobe_event_read_lock()
 * @idx: what strobe_event_read_lock() returned
 *
 * Context: any, the same as strobe_event_read_lock()'s.
 */
void strobe_event_read_unlock(int idx) __releases(&event_srcu)
{
	srcu_read_unlock_nmisafe(&event_srcu, idx);
}

/**
 * strobe_event_module - the module that an event belongs to
 * @call: a registered event
 *
 * Context: any; strobe_event_mutex held, or a reference to the event.
 * Return: the module, or NULL if the event is built in or was created at run time.
 */
struct module *strobe_event_module(const struct trace_event_call *call)
{
	struct module *mod;

	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		return NULL;
	preempt_disable();
	mod = __module_address((unsigned long)call);
	preempt_enable();
	return mod;
}

/**
 * strobe_event_call_get - keep an event from being removed, or its module from being unloaded
 * @call: a registered event
 *
 * If the module's init function fails, it is freed all the same: see strobe_event_is_live().
 *
 * Context: any; strobe_event_mutex held, or a reference to the event.
 * Return: false if the module is being unloaded.
 */
bool strobe_event_call_get(struct trace_event_call *call)
{
	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC))
		return try_module_get(strobe_event_module(call));
	atomic_inc(&dynamic_of(call)->pins);
	return true;
}

/**
 * strobe_event_call_put - drop the reference of strobe_event_call_get()
 * @call: the event
 *
 * Context: any.
 */
void strobe_event_call_put(struct trace_event_call *call)
{
	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC))
		module_put(strobe_event_module(call));
	else
		/* This orders nothing: strobe_event_mutex or a lock of the caller does. */
		WARN_ON_ONCE(atomic_dec_return(&dynamic_of(call)->pins) < 0);
}

/**
 * strobe_event_is_live - whether a reference keeps the event's module from being freed
 * @call: a registered event with a reference of strobe_event_call_get()
 *
 * A module's events are registered before its init function runs. If that fails, the
 * loader frees the module even if there are references to it.
 *
 * Context: any.
 * Return: false if the module is not initialised yet.
 */
bool strobe_event_is_live(const struct trace_event_call *call)
{
#ifdef CONFIG_MODULES
	const struct module *mod = strobe_event_module(call);

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

	mutex_lock(&strobe_event_mutex);
	if (state == MODULE_STATE_COMING)
		events_module_coming(mod);
	else if (state == MODULE_STATE_GOING)
		strobe_events_unregister(mod->trace_events, mod->num_trace_events);
	mutex_unlock(&strobe_event_mutex);
	return NOTIFY_OK;
}

/* Runs before the tracepoints' notifier, so that probes are gone before tracepoints. */
static struct notifier_block events_module_nb = {
	.notifier_call = events_module_notify,
	.priority = 1,
};

/*
 * Runs after the notifier of jump labels, which has the same priority and is
 * registered by an early_initcall(). Otherwise an event could be enabled before the
 * jump labels of its module are known: they would stay off, and the next change would
 * find unexpected code.
 */
static int __init events_watch_modules(void)
{
	if (register_module_notifier(&events_module_nb))
		pr_warn("trace events of modules will be missing\n");
	return 0;
}
fs_initcall(events_watch_modules);
#endif

/* The built-in events stand in the order in which they are linked. */
static void __init list_reverse(void)
{
	struct trace_event_call *call = strobe_event_list, *next;

	strobe_event_list = NULL;
	for (; call; call = next) {
		next = call->next;
		call->next = strobe_event_list;
		strobe_event_list = call;
	}
}

/**
 * strobe_event_registry_init - register the built-in events
 *
 * Context: boot, task context with one CPU, before anything records.
 */
void __init strobe_event_registry_init(void)
{
	mutex_lock(&strobe_event_mutex);
	events_register(__start_ftrace_events, __stop_ftrace_events - __start_ftrace_events);
	list_reverse();
	mutex_unlock(&strobe_event_mutex);
}
