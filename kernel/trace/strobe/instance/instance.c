// SPDX-License-Identifier: GPL-2.0
/*
 * Instances: creating and removing them.
 *
 * The top instance is a static object. It is listed, and has its ring, once
 * early_trace_init() has run; until then, and forever if that failed,
 * tracing_is_disabled() is true.
 *
 * States of an instance
 *	made	not listed: known only to its creator
 *	listed	refs >= 1; found by name; events can be used in it
 *	going	not listed, refs == 1: no new users
 * Invariants: the ring and the recorder of a listed instance exist and are never
 * replaced; refs is 1 plus the number of users; only with refs == 1 it is removed.
 *
 * Contexts: task.
 *
 * Lock order: as record/trace_array.h says; comm_mutex is in the same place as the locks of
 * ring/.
 *
 * No barriers of its own.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "event/event.h"
#include "instance/error_log.h"
#include "instance/instance.h"
#include "record/printk.h"

static void instance_free(struct trace_array *tr)
{
	strobe_comm_recorder_destroy(&tr->comm);
	if (!IS_ERR_OR_NULL(tr->ring))
		strobe_ring_destroy(tr->ring);
	strobe_instance_snapshot_destroy(tr);
	strobe_instance_destroy_pids(tr);
	strobe_error_log_clear(tr);
	kfree(tr->systems);
	kfree(tr->name);
	kfree(tr);
}

/*
 * @region: memory for a persistent ring; NULL: allocate an ordinary one
 * @small: let it have the smallest size until it is used
 */
static struct trace_array *instance_alloc(const char *name, const char *systems,
					  const struct strobe_ring_region *region, bool small)
{
	struct trace_array *tr = kzalloc(sizeof(*tr), GFP_KERNEL);

	if (!tr)
		return NULL;
	tr->name = kstrdup(name, GFP_KERNEL);
	tr->systems = kstrdup(systems, GFP_KERNEL);
	tr->options = top_instance->options & ~STROBE_OPTIONS_NOT_INHERITED;
	tr->expanded = !small;
	tr->small = small;
	tr->refs = 1;
	if (region) {
		tr->region = *region;
		tr->region.name = tr->name;
	}
	xa_init(&tr->files);
	ftrace_init_trace_array(tr);
	if (!tr->name || (systems && !tr->systems) ||
	    strobe_instance_make_ring(tr, small ? 1 : strobe_instance_default_bytes())) {
		instance_free(tr);
		return NULL;
	}
	return tr;
}

/**
 * strobe_instance_make_ring - allocate the ring of an instance and its recorder of tasks
 * @tr:    the instance, not listed yet
 * @bytes: size of each CPU's ring, unless it has a region
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM; instance_free() may follow in either case.
 */
int strobe_instance_make_ring(struct trace_array *tr, size_t bytes)
{
	const struct strobe_ring_params params = {
		.bytes		= bytes,
		.overwrite	= tr->options & STROBE_OPT_OVERWRITE,
		.clock		= instance_ring_clock(tr->clock),
		.region		= tr->region,
	};
	struct strobe_ring *ring = strobe_ring_create(&params);
	int ret;

	if (IS_ERR(ring))
		return PTR_ERR(ring);
	ret = strobe_comm_recorder_init(&tr->comm, ring);
	if (ret) {
		strobe_ring_destroy(ring);
		return ret;
	}
	if (tr->off)
		strobe_ring_set_on(ring, false);
	tr->ring = ring;
	return 0;
}

static struct trace_array *create(const char *name, const char *systems,
				  const struct strobe_ring_region *region, bool small)
{
	struct trace_array *tr;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	lockdep_assert_held(&strobe_instance_mutex);
	if (strobe_instance_find(name))
		return ERR_PTR(-EEXIST);
	tr = instance_alloc(name, systems, region, small);
	if (!tr)
		return ERR_PTR(-ENOMEM);
	ret = strobe_instance_notify_added(tr);
	if (ret) {
		instance_free(tr);
		return ERR_PTR(ret);
	}
	/* A dump in an oops walks the list without a lock. */
	list_add_tail_rcu(&tr->list, &strobe_instance_list);
	return tr;
}

/**
 * strobe_instance_create - create an instance with its own ring and its own state of events
 * @name:    its name
 * @systems: the event systems that it is limited to, separated by commas or
 *	     blanks; NULL: all
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 * Return: the instance, with one reference, which strobe_instance_destroy() drops;
 *	   -EEXIST if the name is in use; -ENOMEM; or the error of an observer.
 */
struct trace_array *strobe_instance_create(const char *name, const char *systems)
{
	return create(name, systems, NULL, false);
}

/**
 * strobe_instance_create_small - create an instance whose ring gets its size at its first use
 * @name: its name
 *
 * For users, not for kernel code, which may record in any context: see
 * strobe_instance_use_ring().
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 * Return: as strobe_instance_create()
 */
struct trace_array *strobe_instance_create_small(const char *name)
{
	return create(name, NULL, NULL, true);
}

/**
 * strobe_instance_create_kept - create an instance with a persistent ring
 * @name:   its name
 * @region: memory for the ring, which may hold one of the previous boot
 *
 * The instance is never removed: the caller's reference is never dropped.
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 * Return: as strobe_instance_create(); -ENOMEM also if the region is too small.
 */
struct trace_array *strobe_instance_create_kept(const char *name,
						const struct strobe_ring_region *region)
{
	struct trace_array *tr = create(name, NULL, region, false);

	if (IS_ERR(tr))
		return tr;
	tr->refs++;
	/* A mapped ring has no snapshots, so count a mapping. Nothing is armed yet. */
	WARN_ON_ONCE(strobe_instance_map_get(tr));
	return tr;
}

/**
 * strobe_instance_destroy - remove an instance and its records
 * @tr: the instance, not the top one
 *
 * Context: task, may sleep; strobe_event_mutex and strobe_instance_mutex held.
 * Return: 0, or -EBUSY if it is in use.
 */
int strobe_instance_destroy(struct trace_array *tr)
{
	lockdep_assert_held(&strobe_event_mutex);
	lockdep_assert_held(&strobe_instance_mutex);
	if (WARN_ON_ONCE(instance_is_top(tr)) || tr->refs > 1)
		return -EBUSY;
	list_del_rcu(&tr->list);
	strobe_instance_printk_leave(tr);
	strobe_instance_notify_disabling(tr);
	strobe_instance_disable_all(tr);
	if (tr->options & STROBE_OPT_EVENT_FORK)
		strobe_instance_follow_forks(tr, false);
	if (tr->options & STROBE_OPT_FUNCTION_FORK)
		ftrace_pid_follow_fork(tr, false);
	strobe_instance_notify_removing(tr);
	/*
	 * Probes may still use the event files, the ring and the recorder: wait as
	 * tracepoint_synchronize_unregister() does. Expedited, as both mutexes are held
	 * meanwhile, and all users of tracefs wait for them.
	 */
	synchronize_rcu_expedited();
	strobe_instance_notify_removed();
	strobe_instance_remove_files(tr);
	instance_free(tr);
	return 0;
}

/**
 * trace_array_get_by_name - find or create an instance
 * @name:    its name
 * @systems: for a new instance, the event systems that it is limited to, separated
 *	     by commas or blanks; NULL: all
 *
 * Context: task, may sleep; takes strobe_event_mutex and strobe_instance_mutex.
 * Return: the instance with a reference, to be dropped by trace_array_put();
 *	   NULL if it could not be created.
 */
struct trace_array *trace_array_get_by_name(const char *name, const char *systems)
{
	struct trace_array *tr;

	if (tracing_is_disabled())
		return NULL;
	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	tr = strobe_instance_find(name);
	if (!tr)
		tr = strobe_instance_create(name, systems);
	/* From now on kernel code may record in it. */
	if (IS_ERR(tr) || strobe_instance_use_ring_locked(tr))
		return NULL;
	tr->refs++;
	return tr;
}
EXPORT_SYMBOL_GPL(trace_array_get_by_name);

/**
 * trace_array_put - drop the reference of trace_array_get_by_name()
 * @this_tr: the instance, or NULL
 *
 * Context: task; takes strobe_instance_mutex.
 */
void trace_array_put(struct trace_array *this_tr)
{
	if (this_tr)
		strobe_instance_put(this_tr);
}
EXPORT_SYMBOL_GPL(trace_array_put);

/**
 * trace_array_destroy - remove an instance
 * @this_tr: the instance; it may have been removed already
 *
 * Context: task, may sleep; takes strobe_event_mutex and strobe_instance_mutex.
 * Return: 0; -EINVAL for NULL; -ENODEV if it does not exist; -EBUSY if it is
 *	   in use, or the top instance.
 */
int trace_array_destroy(struct trace_array *this_tr)
{
	struct trace_array *tr;

	if (!this_tr)
		return -EINVAL;
	if (instance_is_top(this_tr))
		return -EBUSY;
	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		if (tr == this_tr)
			return strobe_instance_destroy(tr);
	}
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_array_destroy);
