// SPDX-License-Identifier: GPL-2.0
/*
 * Instances: creating and removing them, and control of their rings.
 *
 * The top instance is a static object. It is listed, and has its ring, once
 * early_trace_init() has run; until then, and forever if that failed,
 * tracing_is_disabled() is true.
 *
 * States of an instance
 *	made	not listed: known only to its creator
 *	listed	refs >= 1; found by name, has event files, gets those of modules
 *	going	not listed, refs == 1: no new users
 * Invariants: the ring and the recorder of a listed instance exist and are never
 * replaced; refs is 1 plus the number of users; only with refs == 1 it is removed.
 *
 * Contexts: task, except for switching recording on and off: any.
 *
 * Lock order: as instance.h says; comm_mutex is in the same place as the locks of ring/.
 *
 * No barriers of its own.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "instance/boot.h"
#include "instance/error_log.h"
#include "instance/fs_ops.h"
#include "instance/gate.h"
#include "instance/instance.h"

struct trace_array instance_top = {
	.list		= LIST_HEAD_INIT(instance_top.list),
	.files		= LIST_HEAD_INIT(instance_top.files),
	.options	= STROBE_OPTIONS_DEFAULT,
	.refs		= 1,
#ifdef CONFIG_FUNCTION_TRACER
	.flags		= TRACE_ARRAY_FL_GLOBAL,
#endif
};

/* Protects the list of instances, and the members that struct trace_array says. */
DEFINE_MUTEX(instance_mutex);
LIST_HEAD(instance_list);

/* Creating and removing. */

/* instance_mutex held, or in an oops or panic */
struct trace_array *instance_find(const char *name)
{
	struct trace_array *tr;

	instance_for_each(tr) {
		if (tr->name && !strcmp(tr->name, name))
			return tr;
	}
	return NULL;
}

/**
 * instance_get - take a reference to an instance, which keeps it from being removed
 * @tr: the instance; it may have been removed already
 *
 * Context: task; takes instance_mutex.
 * Return: 0, or -ENODEV if @tr does not exist.
 */
int instance_get(struct trace_array *tr)
{
	struct trace_array *pos;

	guard(mutex)(&instance_mutex);
	instance_for_each(pos) {
		if (pos == tr) {
			tr->refs++;
			return 0;
		}
	}
	return -ENODEV;
}

/**
 * instance_put - undo instance_get()
 * @tr: the instance
 *
 * Context: task; takes instance_mutex.
 */
void instance_put(struct trace_array *tr)
{
	guard(mutex)(&instance_mutex);
	WARN_ON_ONCE(tr->refs <= 1);
	tr->refs--;
}

static void instance_free(struct trace_array *tr)
{
	comm_recorder_destroy(&tr->comm);
	if (!IS_ERR_OR_NULL(tr->ring))
		strobe_ring_destroy(tr->ring);
	instance_snapshot_destroy(tr);
	instance_destroy_pids(tr);
	kvfree(tr->syscalls);
	error_log_clear(tr);
	kfree(tr->systems);
	kfree(tr->name);
	kfree(tr);
}

/* @region: memory for a persistent ring; NULL: allocate an ordinary one */
static struct trace_array *instance_alloc(const char *name, const char *systems,
					  const struct strobe_ring_region *region)
{
	struct trace_array *tr = kzalloc(sizeof(*tr), GFP_KERNEL);

	if (!tr)
		return NULL;
	tr->name = kstrdup(name, GFP_KERNEL);
	tr->systems = kstrdup(systems, GFP_KERNEL);
	tr->options = top_instance->options & ~STROBE_OPTIONS_NOT_INHERITED;
	tr->expanded = true;
	tr->refs = 1;
	if (region) {
		tr->region = *region;
		tr->region.name = tr->name;
	}
	INIT_LIST_HEAD(&tr->files);
	ftrace_init_trace_array(tr);
	if (!tr->name || (systems && !tr->systems) ||
	    instance_make_ring(tr, instance_default_bytes())) {
		instance_free(tr);
		return NULL;
	}
	return tr;
}

/**
 * instance_make_ring - allocate the ring of an instance and its recorder of tasks
 * @tr:    the instance, not listed yet
 * @bytes: size of each CPU's ring, unless it has a region
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM; instance_free() may follow in either case.
 */
int instance_make_ring(struct trace_array *tr, size_t bytes)
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
	ret = comm_recorder_init(&tr->comm, ring);
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
				  const struct strobe_ring_region *region)
{
	struct trace_array *tr;
	int ret;

	lockdep_assert_held(&event_mutex);
	lockdep_assert_held(&instance_mutex);
	if (instance_find(name))
		return ERR_PTR(-EEXIST);
	tr = instance_alloc(name, systems, region);
	if (!tr)
		return ERR_PTR(-ENOMEM);
	ret = instance_add_files(tr);
	if (!ret)
		ret = fs_instance_added(tr);
	if (ret) {
		instance_remove_files(tr);
		instance_free(tr);
		return ERR_PTR(ret);
	}
	list_add_tail(&tr->list, &instance_list);
	return tr;
}

/**
 * instance_create - create an instance with its own ring and event files
 * @name:    its name
 * @systems: the event systems that it is limited to, separated by commas or
 *	     blanks; NULL: all
 *
 * Context: task, may sleep; event_mutex and instance_mutex held.
 * Return: the instance, with one reference, which instance_destroy() drops;
 *	   -EEXIST if the name is in use; -ENOMEM; or the error of fs/.
 */
struct trace_array *instance_create(const char *name, const char *systems)
{
	return create(name, systems, NULL);
}

/**
 * instance_create_kept - create an instance with a persistent ring
 * @name:   its name
 * @region: memory for the ring, which may hold one of the previous boot
 *
 * The instance is never removed: the caller's reference is never dropped.
 *
 * Context: task, may sleep; event_mutex and instance_mutex held.
 * Return: as instance_create(); -ENOMEM also if the region is too small.
 */
struct trace_array *instance_create_kept(const char *name,
					 const struct strobe_ring_region *region)
{
	struct trace_array *tr = create(name, NULL, region);

	if (IS_ERR(tr))
		return tr;
	tr->refs++;
	/* A mapped ring has no snapshots, so count a mapping. Nothing is armed yet. */
	WARN_ON_ONCE(instance_map_get(tr));
	return tr;
}

/**
 * instance_destroy - remove an instance and its records
 * @tr: the instance, not the top one
 *
 * Context: task, may sleep; event_mutex and instance_mutex held.
 * Return: 0, or -EBUSY if it is in use.
 */
int instance_destroy(struct trace_array *tr)
{
	struct trigger *triggers;

	lockdep_assert_held(&event_mutex);
	lockdep_assert_held(&instance_mutex);
	if (WARN_ON_ONCE(instance_is_top(tr)) || tr->refs > 1)
		return -EBUSY;
	list_del(&tr->list);
	if (instance_printk_dest == tr)
		instance_printk_move(top_instance);
	triggers = instance_remove_triggers(tr);
	instance_disable_all(tr);
	if (tr->options & STROBE_OPT_EVENT_FORK)
		instance_follow_forks(tr, false);
	if (tr->options & STROBE_OPT_FUNCTION_FORK)
		ftrace_pid_follow_fork(tr, false);
	fs_instance_removed(tr);
	/* Probes may still use the event files, the ring and the recorder. */
	tracepoint_synchronize_unregister();
	triggers_free(triggers);
	instance_remove_files(tr);
	instance_free(tr);
	return 0;
}

/**
 * trace_array_get_by_name - find or create an instance
 * @name:    its name
 * @systems: for a new instance, the event systems that it is limited to, separated
 *	     by commas or blanks; NULL: all
 *
 * Context: task, may sleep; takes event_mutex and instance_mutex.
 * Return: the instance with a reference, to be dropped by trace_array_put();
 *	   NULL if it could not be created.
 */
struct trace_array *trace_array_get_by_name(const char *name, const char *systems)
{
	struct trace_array *tr;

	if (tracing_is_disabled())
		return NULL;
	guard(mutex)(&event_mutex);
	guard(mutex)(&instance_mutex);
	tr = instance_find(name);
	if (!tr)
		tr = instance_create(name, systems);
	if (IS_ERR(tr))
		return NULL;
	tr->refs++;
	return tr;
}
EXPORT_SYMBOL_GPL(trace_array_get_by_name);

/**
 * trace_array_put - drop the reference of trace_array_get_by_name()
 * @this_tr: the instance, or NULL
 *
 * Context: task; takes instance_mutex.
 */
void trace_array_put(struct trace_array *this_tr)
{
	if (this_tr)
		instance_put(this_tr);
}
EXPORT_SYMBOL_GPL(trace_array_put);

/**
 * trace_array_destroy - remove an instance
 * @this_tr: the instance; it may have been removed already
 *
 * Context: task, may sleep; takes event_mutex and instance_mutex.
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
	guard(mutex)(&event_mutex);
	guard(mutex)(&instance_mutex);
	instance_for_each(tr) {
		if (tr == this_tr)
			return instance_destroy(tr);
	}
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_array_destroy);

/* Recording on and off. */

/**
 * instance_is_on - whether recording is switched on
 * @tr: the instance
 *
 * Context: any.
 * Return: the value of the file tracing_on.
 */
bool instance_is_on(const struct trace_array *tr)
{
	struct strobe_ring *ring = READ_ONCE(tr->ring);

	return ring ? strobe_ring_is_on(ring) : !READ_ONCE(tr->off);
}

/**
 * instance_set_on - switch recording on or off, as a write to tracing_on does
 * @tr: the instance
 * @on: true: on
 *
 * Context: any.
 */
void instance_set_on(struct trace_array *tr, bool on)
{
	struct strobe_ring *ring = READ_ONCE(tr->ring);

	WRITE_ONCE(tr->off, !on);
	if (ring)
		strobe_ring_set_on(ring, on);
}

/**
 * instance_stop - disable recording until instance_start()
 * @tr: the instance
 *
 * Nests; not visible in tracing_on.
 *
 * Context: any.
 */
void instance_stop(struct trace_array *tr)
{
	strobe_ring_record_disable(tr->ring, STROBE_RING_ALL_CPUS);
}

/**
 * instance_start - undo one instance_stop()
 * @tr: the instance
 *
 * Context: any.
 */
void instance_start(struct trace_array *tr)
{
	strobe_ring_record_enable(tr->ring, STROBE_RING_ALL_CPUS);
}

/**
 * tracing_on - switch recording into the top instance on
 *
 * Context: any.
 */
void tracing_on(void)
{
	instance_set_on(top_instance, true);
}
EXPORT_SYMBOL_GPL(tracing_on);

/**
 * tracing_off - switch recording into the top instance off
 *
 * Events stay enabled. Kernel code calls this to preserve the records.
 *
 * Context: any.
 */
void tracing_off(void)
{
	instance_set_on(top_instance, false);
}
EXPORT_SYMBOL_GPL(tracing_off);

/**
 * tracing_is_on - whether recording into the top instance is switched on
 *
 * Context: any.
 * Return: 1 or 0.
 */
int tracing_is_on(void)
{
	return instance_is_on(top_instance);
}
EXPORT_SYMBOL_GPL(tracing_is_on);

/**
 * tracing_stop - disable recording into the top instance until tracing_start()
 *
 * Nests; not visible in tracing_on.
 *
 * Context: any.
 */
void tracing_stop(void)
{
	if (!tracing_is_disabled())
		instance_stop(top_instance);
}

/**
 * tracing_start - undo one tracing_stop()
 *
 * Context: any.
 */
void tracing_start(void)
{
	if (!tracing_is_disabled())
		instance_start(top_instance);
}

/* Size and contents. */

/**
 * instance_default_bytes - default size of an instance's ring
 *
 * Return: bytes for each CPU.
 */
size_t instance_default_bytes(void)
{
	return boot_ring_bytes;
}

static int instance_resize_locked(struct trace_array *tr, size_t bytes, int cpu)
{
	int ret = 0;

	/* Recording is not disabled: events that fire during the change are counted as dropped. */
	if (tr->ring)
		ret = strobe_ring_resize_two(tr->ring, instance_snapshot_twin(tr),
					     bytes, cpu);
	/* Keep instance_expand() from setting the default size later. */
	if (!ret)
		tr->expanded = true;
	return ret;
}

/**
 * instance_resize - set the size of an instance's ring and of its snapshot ring
 * @tr:    the instance
 * @bytes: size of each CPU's ring
 * @cpu:   the CPU, or STROBE_RING_ALL_CPUS
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -EINVAL if there is no such CPU; -ENOMEM. On error the size is
 *	   unchanged.
 */
int instance_resize(struct trace_array *tr, size_t bytes, int cpu)
{
	if (cpu != STROBE_RING_ALL_CPUS && !cpu_possible(cpu))
		return -EINVAL;
	guard(mutex)(&instance_mutex);
	return instance_resize_locked(tr, bytes, cpu);
}

/**
 * instance_set_subbuf_order - set the size of the sub-buffers of a ring
 * @tr:    the instance
 * @order: a sub-buffer has 2^@order pages
 *
 * The ring and the snapshot ring lose their records.
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -EINVAL if there is no such order; -EBUSY if user space has mapped
 *	   the ring of a CPU; -ENOMEM. On error nothing has changed.
 */
int instance_set_subbuf_order(struct trace_array *tr, unsigned int order)
{
	guard(mutex)(&instance_mutex);
	return strobe_ring_set_order_two(tr->ring, instance_snapshot_twin(tr), order);
}

/**
 * instance_drop_previous_boot - drop the records of the previous boot
 * @tr: the instance
 *
 * Called when a user has enabled events, or is about to switch on recording, so that new
 * records are not mixed with old ones. Does nothing if there are no old ones.
 *
 * Context: task, may sleep; instance_mutex held.
 */
void instance_drop_previous_boot(struct trace_array *tr)
{
	struct strobe_ring_past past;

	lockdep_assert_held(&instance_mutex);
	if (instance_is_kept(tr) && strobe_ring_past(tr->ring, &past))
		instance_reset(tr, STROBE_RING_ALL_CPUS);
}

/**
 * instance_events_switched_on - drop the previous boot after a user has enabled events
 * @tr: the instance
 *
 * Called after the events were enabled, so that a write that enables none drops nothing.
 * Their first records may be dropped as well. So may all records of this boot, if the
 * command line has enabled events: the ring cannot drop only one boot's records.
 *
 * Context: task, may sleep; takes instance_mutex.
 */
void instance_events_switched_on(struct trace_array *tr)
{
	guard(mutex)(&instance_mutex);
	instance_drop_previous_boot(tr);
}

/**
 * instance_expand - grow the ring from the smallest to the default size before its first use
 * @tr: the instance
 *
 * A persistent ring has its size from the start, and keeps its records.
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0 or -ENOMEM.
 */
int instance_expand(struct trace_array *tr)
{
	guard(mutex)(&instance_mutex);
	if (tr->expanded)
		return 0;
	return instance_resize_locked(tr, instance_default_bytes(),
				      STROBE_RING_ALL_CPUS);
}

/**
 * instance_reset - reset the ring of an instance
 * @tr:  the instance
 * @cpu: the CPU, or STROBE_RING_ALL_CPUS
 *
 * Context: task, may sleep.
 */
void instance_reset(struct trace_array *tr, int cpu)
{
	instance_stop(tr);
	strobe_ring_reset(tr->ring, cpu);
	WRITE_ONCE(tr->start, strobe_ring_now(tr->ring));
	instance_start(tr);
}

/**
 * instance_reset_all - reset the ring and the snapshot ring of an instance
 * @tr: the instance
 *
 * Context: task, may sleep.
 */
void instance_reset_all(struct trace_array *tr)
{
	struct strobe_ring *snapshot = instance_snapshot_ring(tr);

	/* Disabled, so that no snapshot swaps the rings between the two resets. */
	instance_stop(tr);
	instance_reset(tr, STROBE_RING_ALL_CPUS);
	if (snapshot)
		strobe_ring_reset(snapshot, STROBE_RING_ALL_CPUS);
	instance_start(tr);
}
