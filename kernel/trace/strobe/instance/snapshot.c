// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: the records of an instance at some moment are set aside, and recording
 * continues in the memory of the previous snapshot.
 *
 * Each instance with snapshots has a second ring, the snapshot ring, and each snapshot
 * swaps the contents of the two (ring/swap.c). The struct strobe_ring of both stay the
 * same, so that pointers to them remain valid. Size, clock and overwrite mode of both are
 * set together.
 *
 * States of the snapshot ring
 *	none		@ring is NULL; it has not been needed yet
 *	freed		@ring has the smallest size; a snapshot can't be taken
 *	allocated	@ring has the size of the instance's ring
 * It never returns to none, because a reader may be using it.
 *
 * While user space has mapped a ring, its memory must not be swapped, and while snapshots
 * may be taken, it must not be mapped: at least one of @armed and @mapped is 0. An armed
 * user may take a snapshot at any time; tracing_snapshot() need not be armed, and takes
 * none if the ring is mapped.
 *
 * Contexts: tracing_snapshot() any; else task, may sleep.
 *
 * Lock order: strobe_instance_mutex, then snapshot_users, or the locks of ring/.
 *   snapshot_users  @armed and @mapped; mmap_lock may be held around it
 *   snapshot_lock   @condition, and swaps of all CPUs, one at a time. Interrupts are off.
 *                   It is an arch_spinlock_t, without lockdep and lock events, because
 *                   it is taken in any context that fires events. Events that fire while
 *                   it is taken (lock:contention_*) or held (in a condition) take no
 *                   snapshot: snapshot_locked
 *
 * Barrier: ALLOCATED:A, smp_store_release(@allocated), pairs with smp_load_acquire() in
 * snapshot_cond(): if that reads true, it also sees @ring, which then never changes.
 * Otherwise it is only a hint, and is loaded again with interrupts off, before the swap.
 */
#include <kunit/visibility.h>

#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/trace.h>

#include <asm/setup.h>

#include <linux/strobe/snapshot.h>

#include "instance/instance.h"

/**
 * struct snapshot_condition - a function that decides before each snapshot
 * @update: returns whether to take the snapshot
 * @data: the value for tracing_cond_snapshot_data()
 */
struct snapshot_condition {
	cond_update_fn_t	update;
	void			*data;
};

static DEFINE_SPINLOCK(snapshot_users);
static arch_spinlock_t snapshot_lock = __ARCH_SPIN_LOCK_UNLOCKED;
/* This CPU is taking or holding snapshot_lock. */
static DEFINE_PER_CPU(bool, snapshot_locked);

VISIBLE_IF_KUNIT bool strobe_alloc_at_boot __initdata;
static bool take_at_boot __initdata;
/* Names of instances, each followed by a newline. */
VISIBLE_IF_KUNIT char strobe_alloc_instances[COMMAND_LINE_SIZE] __initdata;

static unsigned long lock_condition(void)
{
	unsigned long flags;

	local_irq_save(flags);
	__this_cpu_write(snapshot_locked, true);
	barrier();	/* Set the flag before taking the lock, which may fire events. */
	arch_spin_lock(&snapshot_lock);
	return flags;
}

static void unlock_condition(unsigned long flags)
{
	arch_spin_unlock(&snapshot_lock);
	barrier();
	__this_cpu_write(snapshot_locked, false);
	local_irq_restore(flags);
}

/* The snapshot ring. */

static int snapshot_make(struct trace_array *tr)
{
	const struct strobe_ring_params params = {
		.bytes		= 1,
		.overwrite	= tr->options & STROBE_OPT_OVERWRITE,
		.clock		= instance_ring_clock(tr->clock),
	};
	struct strobe_ring *ring;

	lockdep_assert_held(&strobe_instance_mutex);
	if (tr->snapshot.ring)
		return 0;
	ring = strobe_ring_create(&params);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	/*
	 * No release: users of @ring have taken strobe_instance_mutex after this, or use
	 * ALLOCATED:A.
	 */
	WRITE_ONCE(tr->snapshot.ring, ring);
	return 0;
}

/**
 * strobe_instance_snapshot_make - create the snapshot ring, of the smallest size, if there is none
 * @tr: the instance
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0 or -ENOMEM.
 */
int strobe_instance_snapshot_make(struct trace_array *tr)
{
	guard(mutex)(&strobe_instance_mutex);
	return snapshot_make(tr);
}

static int snapshot_alloc(struct trace_array *tr)
{
	int ret;

	lockdep_assert_held(&strobe_instance_mutex);
	if (tr->snapshot.allocated)
		return 0;
	ret = strobe_instance_use_ring_locked(tr);
	if (!ret)
		ret = snapshot_make(tr);
	if (!ret)
		ret = strobe_ring_match(tr->snapshot.ring, tr->ring);
	if (!ret)
		/* ALLOCATED:A: a reader of true also sees @ring. Pairs with snapshot_cond(). */
		smp_store_release(&tr->snapshot.allocated, true);
	return ret;
}

/**
 * strobe_instance_snapshot_destroy - free the snapshot ring of an instance that is being removed
 * @tr: the instance, to which there is no other reference
 *
 * Context: task, may sleep.
 */
void strobe_instance_snapshot_destroy(struct trace_array *tr)
{
	WARN_ON_ONCE(tr->snapshot.armed || tr->snapshot.mapped);
	strobe_ring_destroy(tr->snapshot.ring);
}

/* Armed users and mappings of the ring. */

static int snapshot_arm(struct trace_array *tr)
{
	int ret = -EBUSY;

	lockdep_assert_held(&strobe_instance_mutex);
	spin_lock(&snapshot_users);
	if (!tr->snapshot.mapped && tr->snapshot.armed != UINT_MAX) {
		tr->snapshot.armed++;
		ret = 0;
	}
	spin_unlock(&snapshot_users);
	if (ret)
		return ret;
	ret = snapshot_alloc(tr);
	if (ret)
		strobe_instance_snapshot_disarm(tr);
	return ret;
}

/**
 * strobe_instance_snapshot_arm - become a user that may take snapshots at any time
 * @tr: the instance
 *
 * Allocates the snapshot ring. strobe_instance_snapshot_disarm() undoes it, but does not free
 * the ring.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EBUSY: the ring of a CPU is mapped to user space; -ENOMEM.
 */
int strobe_instance_snapshot_arm(struct trace_array *tr)
{
	guard(mutex)(&strobe_instance_mutex);
	return snapshot_arm(tr);
}

/**
 * strobe_instance_snapshot_disarm - undo strobe_instance_snapshot_arm()
 * @tr: the instance
 *
 * Context: task.
 */
void strobe_instance_snapshot_disarm(struct trace_array *tr)
{
	spin_lock(&snapshot_users);
	if (!WARN_ON_ONCE(!tr->snapshot.armed))
		tr->snapshot.armed--;
	spin_unlock(&snapshot_users);
}

/**
 * strobe_instance_map_get - count a mapping of a CPU's ring to user space, before it is mapped
 * @tr: the instance
 *
 * Context: task; mmap_lock may be held.
 * Return: 0; -EBUSY: there are armed users.
 */
int strobe_instance_map_get(struct trace_array *tr)
{
	int ret = -EBUSY;

	spin_lock(&snapshot_users);
	if (!tr->snapshot.armed && tr->snapshot.mapped != UINT_MAX) {
		tr->snapshot.mapped++;
		ret = 0;
	}
	spin_unlock(&snapshot_users);
	return ret;
}

/**
 * strobe_instance_map_put - undo strobe_instance_map_get()
 * @tr: the instance
 *
 * Context: task; mmap_lock may be held.
 */
void strobe_instance_map_put(struct trace_array *tr)
{
	spin_lock(&snapshot_users);
	if (!WARN_ON_ONCE(!tr->snapshot.mapped))
		tr->snapshot.mapped--;
	spin_unlock(&snapshot_users);
}

/* Taking a snapshot. */

/*
 * Take a snapshot of all CPUs, unless the condition rejects it. There is none while the
 * ring is being changed or recording is disabled.
 */
VISIBLE_IF_KUNIT void strobe_instance_snapshot_swap(struct trace_array *tr, void *cond_data)
{
	struct snapshot_condition *condition;
	bool swapped = false;
	unsigned long flags;

	/* Nested in a call that is taking or holding the lock, by an event that it has fired. */
	if (this_cpu_read(snapshot_locked))
		return;
	flags = lock_condition();
	condition = tr->snapshot.condition;
	/*
	 * The snapshot ring may have been freed meanwhile. If it has not, the grace period of
	 * strobe_instance_snapshot_free() waits for this section.
	 */
	if (READ_ONCE(tr->snapshot.allocated) && !strobe_ring_is_disabled(tr->ring) &&
	    (!condition || condition->update(tr, cond_data))) {
		strobe_comm_change_begin(&tr->comm);
		swapped = !strobe_ring_swap(tr->ring, tr->snapshot.ring);
		strobe_comm_change_end(&tr->comm);
	}
	unlock_condition(flags);
	if (!swapped)
		return;
	/* Without the lock, because this fires events. */
	strobe_ring_swap_wake(tr->ring, tr->snapshot.ring);
}

/* strobe_instance_mutex held: no condition can be set meanwhile. */
static bool has_condition(const struct trace_array *tr)
{
	lockdep_assert_held(&strobe_instance_mutex);
	return READ_ONCE(tr->snapshot.condition);
}

/**
 * strobe_instance_snapshot_take - handle a write of 1 to the file snapshot
 * @tr:  the instance
 * @cpu: the CPU, or STROBE_RING_ALL_CPUS
 *
 * Allocates the snapshot ring if needed. While recording is disabled, it takes no
 * snapshot and returns 0.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EINVAL: this kernel does not support snapshots of one CPU; -EBUSY: a
 *	   condition decides about snapshots, or a ring is mapped to user space;
 *	   -ENOMEM. On error nothing has changed.
 */
int strobe_instance_snapshot_take(struct trace_array *tr, int cpu)
{
	int ret;

	guard(mutex)(&strobe_instance_mutex);
	if (has_condition(tr))
		return -EBUSY;
	if (cpu != STROBE_RING_ALL_CPUS && !IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP))
		return -EINVAL;
	ret = snapshot_arm(tr);
	if (ret)
		return ret;
	if (cpu == STROBE_RING_ALL_CPUS) {
		strobe_instance_snapshot_swap(tr, NULL);
	} else {
		strobe_comm_change_begin(&tr->comm);
		strobe_ring_swap_cpu(tr->ring, tr->snapshot.ring, cpu);
		strobe_comm_change_end(&tr->comm);
	}
	strobe_instance_snapshot_disarm(tr);
	return 0;
}

/**
 * strobe_instance_snapshot_free - shrink the snapshot ring to the smallest size
 * @tr:  the instance
 * @cpu: STROBE_RING_ALL_CPUS
 *
 * The records of the snapshot are lost.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EBUSY: a condition decides about snapshots; -EINVAL: @cpu is a single
 *	   CPU; -ENOMEM: shrinking needs some memory, too. On error nothing has changed.
 */
int strobe_instance_snapshot_free(struct trace_array *tr, int cpu)
{
	int ret;

	guard(mutex)(&strobe_instance_mutex);
	if (has_condition(tr))
		return -EBUSY;
	if (cpu != STROBE_RING_ALL_CPUS)
		return -EINVAL;
	if (!tr->snapshot.allocated)
		return 0;
	ret = strobe_ring_resize(tr->snapshot.ring, 1, STROBE_RING_ALL_CPUS);
	if (ret)
		return ret;
	WRITE_ONCE(tr->snapshot.allocated, false);
	strobe_ring_reset(tr->snapshot.ring, STROBE_RING_ALL_CPUS);
	return 0;
}

/**
 * strobe_instance_snapshot_clear - reset the snapshot ring
 * @tr:  the instance
 * @cpu: the CPU, or STROBE_RING_ALL_CPUS
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EBUSY: a condition decides about snapshots.
 */
int strobe_instance_snapshot_clear(struct trace_array *tr, int cpu)
{
	guard(mutex)(&strobe_instance_mutex);
	if (has_condition(tr))
		return -EBUSY;
	if (tr->snapshot.allocated)
		strobe_ring_reset(tr->snapshot.ring, cpu);
	return 0;
}

/* Functions that kernel code calls. The texts are ABI. */

static void snapshot_cond(struct trace_array *tr, void *cond_data)
{
	if (tracing_is_disabled())
		return;
	if (in_nmi()) {
		trace_array_puts(tr, "*** SNAPSHOT CALLED FROM NMI CONTEXT ***\n");
		trace_array_puts(tr, "*** snapshot is being ignored        ***\n");
	/* Pairs with ALLOCATED:A */
	} else if (!smp_load_acquire(&tr->snapshot.allocated)) {
		trace_array_puts(tr, "*** SNAPSHOT NOT ALLOCATED ***\n");
		trace_array_puts(tr, "*** stopping trace here!   ***\n");
		strobe_instance_set_on(tr, false);
	} else if (READ_ONCE(tr->snapshot.mapped)) {
		trace_array_puts(tr, "*** BUFFER MEMORY MAPPED ***\n");
		trace_array_puts(tr, "*** Can not use snapshot (sorry) ***\n");
	} else {
		strobe_instance_snapshot_swap(tr, cond_data);
	}
}

/**
 * strobe_instance_snapshot - take a snapshot of an instance
 * @tr: the instance
 *
 * If the snapshot ring is not allocated, recording is switched off instead. In an NMI,
 * and while the ring is mapped to user space, only a text is recorded.
 *
 * Context: any.
 */
void strobe_instance_snapshot(struct trace_array *tr)
{
	snapshot_cond(tr, NULL);
}

/**
 * tracing_snapshot - take a snapshot of the top instance
 *
 * As strobe_instance_snapshot().
 *
 * Context: any.
 */
void tracing_snapshot(void)
{
	strobe_instance_snapshot(top_instance);
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

/**
 * tracing_alloc_snapshot - allocate the snapshot ring of the top instance
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -ENOMEM, with a warning; -ENODEV if tracing is disabled.
 */
int tracing_alloc_snapshot(void)
{
	int ret;

	if (tracing_is_disabled())
		return -ENODEV;
	guard(mutex)(&strobe_instance_mutex);
	ret = snapshot_alloc(top_instance);
	WARN_ON(ret);
	return ret;
}
EXPORT_SYMBOL_GPL(tracing_alloc_snapshot);

/**
 * tracing_snapshot_alloc - allocate the snapshot ring and take a snapshot
 *
 * Both are for the top instance.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 */
void tracing_snapshot_alloc(void)
{
	if (!tracing_alloc_snapshot())
		tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

/**
 * tracing_snapshot_cond - take a snapshot if the instance's condition accepts it
 * @tr:        the instance
 * @cond_data: passed to the condition; see tracing_snapshot_cond_enable()
 *
 * Otherwise as tracing_snapshot().
 *
 * Context: any.
 */
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	snapshot_cond(tr, cond_data);
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond);

/**
 * tracing_cond_snapshot_data - get the data that the condition was set with
 * @tr: the instance
 *
 * Context: any but NMI and the condition's own function.
 * Return: the data; NULL if there is no condition.
 */
void *tracing_cond_snapshot_data(struct trace_array *tr)
{
	unsigned long flags = lock_condition();
	void *data = tr->snapshot.condition ? tr->snapshot.condition->data : NULL;

	unlock_condition(flags);
	return data;
}
EXPORT_SYMBOL_GPL(tracing_cond_snapshot_data);

/* Return: the old condition, or NULL. */
static struct snapshot_condition *set_condition(struct trace_array *tr,
						struct snapshot_condition *condition)
{
	unsigned long flags = lock_condition();
	struct snapshot_condition *old = tr->snapshot.condition;

	WRITE_ONCE(tr->snapshot.condition, condition);
	unlock_condition(flags);
	return old;
}

/**
 * tracing_snapshot_cond_enable - set a condition for snapshots
 * @tr:        the instance
 * @cond_data: the value for tracing_cond_snapshot_data()
 * @update:    the function that decides; tracing_snapshot() calls it, too, with NULL
 *
 * Until tracing_snapshot_cond_disable(), user space can neither take snapshots nor
 * map the ring.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EBUSY: there is a condition already, or a ring is mapped to user
 *	   space; -ENOMEM.
 */
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 cond_update_fn_t update)
{
	struct snapshot_condition *condition __free(kfree) =
		kzalloc(sizeof(*condition), GFP_KERNEL);
	int ret;

	if (!condition)
		return -ENOMEM;
	condition->update = update;
	condition->data = cond_data;
	guard(mutex)(&strobe_instance_mutex);
	if (has_condition(tr))
		return -EBUSY;
	ret = snapshot_arm(tr);
	if (!ret)
		set_condition(tr, no_free_ptr(condition));
	return ret;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_enable);

/**
 * tracing_snapshot_cond_disable - undo tracing_snapshot_cond_enable()
 * @tr: the instance
 *
 * Context: task.
 * Return: 0; -EINVAL: there is no condition.
 */
int tracing_snapshot_cond_disable(struct trace_array *tr)
{
	struct snapshot_condition *condition = set_condition(tr, NULL);

	if (!condition)
		return -EINVAL;
	kfree(condition);
	strobe_instance_snapshot_disarm(tr);
	return 0;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);

/* Boot. */

/* Without a value, or with "=NAME" for a boot instance; may be given several times. */
static int __init parse_alloc(char *str)
{
	size_t used = strlen(strobe_alloc_instances);
	size_t left = sizeof(strobe_alloc_instances) - used;

	if (*str == '=') {
		str++;
		if (strlen(str) + sizeof("\n") > left)
			pr_warn("Tracing: No room for alloc_snapshot=%s\n", str);
		else
			snprintf(strobe_alloc_instances + used, left, "%s\n", str);
		return 1;
	}
	strobe_alloc_at_boot = true;
	/* The snapshot ring is as large as the ring, so set the ring's size now. */
	top_instance->expanded = true;
	return 1;
}
__setup("alloc_snapshot", parse_alloc);

static int __init parse_take(char *str)
{
	take_at_boot = true;
	return parse_alloc(str);
}
__setup("ftrace_boot_snapshot", parse_take);

/* Called when the top instance has its ring. */
void __init strobe_snapshot_setup(void)
{
	guard(mutex)(&strobe_instance_mutex);
	if (strobe_alloc_at_boot && snapshot_alloc(top_instance))
		pr_warn("Failed to allocate the snapshot buffer\n");
}

/**
 * strobe_snapshot_setup_instance - allocate an instance's snapshot ring if alloc_snapshot= says so
 * @tr: an instance made by the command line
 *
 * Context: boot.
 */
void __init strobe_snapshot_setup_instance(struct trace_array *tr)
{
	char *pos = strobe_alloc_instances;
	size_t len;

	guard(mutex)(&strobe_instance_mutex);
	for (; *pos; pos += len + 1) {
		len = strcspn(pos, "\n");
		if (len != strlen(tr->name) || strncmp(pos, tr->name, len))
			continue;
		if (snapshot_alloc(tr))
			pr_warn("Failed to allocate the snapshot buffer of %s\n",
				tr->name);
		return;
	}
}

/**
 * ftrace_boot_snapshot - take the snapshots for the parameter ftrace_boot_snapshot
 *
 * Context: at the end of boot.
 */
void __init ftrace_boot_snapshot(void)
{
	struct trace_array *tr;

	if (!take_at_boot)
		return;
	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		if (!tr->snapshot.allocated)
			continue;
		strobe_instance_snapshot(tr);
		trace_array_puts(tr, "** Boot snapshot taken **\n");
	}
}

#ifndef CONFIG_FUNCTION_TRACER
/* With CONFIG_FUNCTION_TRACER, ftrace_free_init_mem() calls it. */
static int __init boot_snapshot(void)
{
	ftrace_boot_snapshot();
	return 0;
}
late_initcall_sync(boot_snapshot);
#endif
