// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: what an instance holds at some moment is put aside, and recording
 * goes on in what was put aside before.
 *
 * The instance has a second ring for that, and each snapshot swaps what the two
 * hold (ring/swap.c); the rings stay where they are, so that whoever knows one of
 * them goes on using it. Sizes, clock and overwrite mode of both are set together.
 *
 * States of the second ring
 *	none		@ring is NULL; nobody has asked for it yet
 *	freed		@ring has the smallest size; a snapshot can't be taken
 *	allocated	@ring has the size of the instance's ring
 * It never goes back to none: somebody may be reading in it what the instance's
 * ring held.
 *
 * A mapping shows user space a ring's memory, so nothing may be swapped, and the
 * other way round: either of @armed and @mapped is 0. Who is armed may take a
 * snapshot at any time; tracing_snapshot() need not be, and does nothing if the
 * ring is mapped.
 *
 * Contexts: tracing_snapshot() any; else task, may sleep.
 *
 * Lock order: instance_mutex, then snapshot_users, or what ring/ takes.
 *   snapshot_users  @armed and @mapped; mmap_lock may be held around it
 *   snapshot_lock   @condition, and swaps of all CPUs: one at a time. Interrupts
 *                   are off. Lockdep and tracepoints know nothing of it, for it
 *                   is taken in any context that fires events. Events that are fired
 *                   by taking it (lock:contention_*), or by a condition, take no
 *                   snapshot: snapshot_locked
 *
 * Barrier: ALLOCATED:A, smp_store_release(@allocated), pairs with smp_load_acquire() in
 * snapshot_cond(): who finds it set sees @ring, which stays. Besides, @allocated is a hint,
 * the ring looks for itself.
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
#include "instance/setup.h"

/**
 * struct snapshot_condition - what is asked before each snapshot
 * @update: says whether there is to be one
 * @data: who has set it can ask for this
 */
struct snapshot_condition {
	cond_update_fn_t	update;
	void			*data;
};

static DEFINE_SPINLOCK(snapshot_users);
static arch_spinlock_t snapshot_lock = __ARCH_SPIN_LOCK_UNLOCKED;
/* This CPU takes that lock, or has it. */
static DEFINE_PER_CPU(bool, snapshot_locked);

VISIBLE_IF_KUNIT bool alloc_at_boot __initdata;
static bool take_at_boot __initdata;
/* Names of instances, each with a newline behind it. */
VISIBLE_IF_KUNIT char alloc_instances[COMMAND_LINE_SIZE] __initdata;

static unsigned long lock_condition(void)
{
	unsigned long flags;

	local_irq_save(flags);
	__this_cpu_write(snapshot_locked, true);
	barrier();	/* What taking the lock fires finds it. */
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

/* The second ring. */

/**
 * instance_snapshot_ring - what the last snapshot is in
 * @tr: the instance
 *
 * Context: any.
 * Return: a ring, or NULL if nobody has asked for one; see instance_snapshot_make()
 */
struct strobe_ring *instance_snapshot_ring(const struct trace_array *tr)
{
	return READ_ONCE(tr->snapshot.ring);
}

/**
 * instance_snapshot_twin - the ring that is to have the shape of the instance's
 * @tr: the instance
 *
 * Context: task; instance_mutex held.
 * Return: a ring, or NULL if none is allocated
 */
struct strobe_ring *instance_snapshot_twin(const struct trace_array *tr)
{
	lockdep_assert_held(&instance_mutex);
	return tr->snapshot.allocated ? tr->snapshot.ring : NULL;
}

static int snapshot_make(struct trace_array *tr)
{
	const struct strobe_ring_params params = {
		.bytes		= 1,
		.overwrite	= tr->options & STROBE_OPT_OVERWRITE,
		.clock		= instance_ring_clock(tr->clock),
	};
	struct strobe_ring *ring;

	lockdep_assert_held(&instance_mutex);
	if (tr->snapshot.ring)
		return 0;
	ring = strobe_ring_create(&params);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	/* Readers come after it was made; the lock has ordered that for them. */
	WRITE_ONCE(tr->snapshot.ring, ring);
	return 0;
}

/**
 * instance_snapshot_make - have a ring for snapshots, of the smallest size
 * @tr: the instance
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0 or -ENOMEM.
 */
int instance_snapshot_make(struct trace_array *tr)
{
	guard(mutex)(&instance_mutex);
	return snapshot_make(tr);
}

static int snapshot_alloc(struct trace_array *tr)
{
	int ret;

	lockdep_assert_held(&instance_mutex);
	if (tr->snapshot.allocated)
		return 0;
	ret = snapshot_make(tr);
	if (!ret)
		ret = strobe_ring_match(tr->snapshot.ring, tr->ring);
	if (!ret)
		/* ALLOCATED:A pairs with snapshot_cond() */
		smp_store_release(&tr->snapshot.allocated, true);
	return ret;
}

/**
 * instance_snapshot_destroy - an instance goes
 * @tr: the instance, which nobody knows any more
 *
 * Context: task, may sleep.
 */
void instance_snapshot_destroy(struct trace_array *tr)
{
	WARN_ON_ONCE(tr->snapshot.armed || tr->snapshot.mapped);
	strobe_ring_destroy(tr->snapshot.ring);
}

/* Who may take snapshots, and who has mapped the ring. */

static int snapshot_arm(struct trace_array *tr)
{
	int ret = -EBUSY;

	lockdep_assert_held(&instance_mutex);
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
		instance_snapshot_disarm(tr);
	return ret;
}

/**
 * instance_snapshot_arm - get ready to take snapshots at any time
 * @tr: the instance
 *
 * instance_snapshot_disarm() undoes it; the room for the snapshot stays.
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -EBUSY: the ring of a CPU is mapped to user space; -ENOMEM.
 */
int instance_snapshot_arm(struct trace_array *tr)
{
	guard(mutex)(&instance_mutex);
	return snapshot_arm(tr);
}

/**
 * instance_snapshot_disarm - undo instance_snapshot_arm()
 * @tr: the instance
 *
 * Context: task.
 */
void instance_snapshot_disarm(struct trace_array *tr)
{
	spin_lock(&snapshot_users);
	if (!WARN_ON_ONCE(!tr->snapshot.armed))
		tr->snapshot.armed--;
	spin_unlock(&snapshot_users);
}

/**
 * instance_map_get - the ring of a CPU is going to be mapped to user space
 * @tr: the instance
 *
 * Context: task; mmap_lock may be held.
 * Return: 0; -EBUSY: somebody may take a snapshot at any time.
 */
int instance_map_get(struct trace_array *tr)
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
 * instance_map_put - undo instance_map_get()
 * @tr: the instance
 *
 * Context: task; mmap_lock may be held.
 */
void instance_map_put(struct trace_array *tr)
{
	spin_lock(&snapshot_users);
	if (!WARN_ON_ONCE(!tr->snapshot.mapped))
		tr->snapshot.mapped--;
	spin_unlock(&snapshot_users);
}

/* Taking a snapshot. */

/*
 * All CPUs. If the ring does not let it happen, it is being changed, or the
 * instance is stopped: there is no snapshot of such a moment.
 */
static void swap_all(struct trace_array *tr, void *cond_data)
{
	struct snapshot_condition *condition;
	bool swapped = false;
	unsigned long flags;

	/* Interrupts are off while it is set: it is a caller of this that has set it. */
	if (this_cpu_read(snapshot_locked))
		return;
	flags = lock_condition();
	condition = tr->snapshot.condition;
	if (!strobe_ring_is_stopped(tr->ring) &&
	    (!condition || condition->update(tr, cond_data)))
		swapped = !strobe_ring_swap(tr->ring, tr->snapshot.ring);
	unlock_condition(flags);
	if (!swapped)
		return;
	comm_recorder_forget(&tr->comm);
	/* It fires events: the lock is not held. */
	strobe_ring_swap_wake(tr->ring, tr->snapshot.ring);
}

/* instance_mutex held: a condition does not come now. */
static bool has_condition(const struct trace_array *tr)
{
	lockdep_assert_held(&instance_mutex);
	return READ_ONCE(tr->snapshot.condition);
}

/**
 * instance_snapshot_take - what a user wants who writes 1
 * @tr:  the instance
 * @cpu: of which CPU, or STROBE_RING_ALL_CPUS
 *
 * Makes room if there is none. Nothing is taken, without a word, while the
 * instance is stopped.
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -EINVAL: one CPU alone is not supported by this kernel; -EBUSY: a
 *	   condition decides about snapshots, or a ring is mapped to user space;
 *	   -ENOMEM. Nothing has changed then.
 */
int instance_snapshot_take(struct trace_array *tr, int cpu)
{
	int ret;

	guard(mutex)(&instance_mutex);
	if (has_condition(tr))
		return -EBUSY;
	if (cpu != STROBE_RING_ALL_CPUS && !IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP))
		return -EINVAL;
	ret = snapshot_arm(tr);
	if (ret)
		return ret;
	if (cpu == STROBE_RING_ALL_CPUS)
		swap_all(tr, NULL);
	else if (!strobe_ring_swap_cpu(tr->ring, tr->snapshot.ring, cpu))
		comm_recorder_forget(&tr->comm);
	instance_snapshot_disarm(tr);
	return 0;
}

/**
 * instance_snapshot_free - give the room for snapshots back
 * @tr:  the instance
 * @cpu: STROBE_RING_ALL_CPUS
 *
 * What the snapshot holds is dropped.
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -EBUSY: a condition decides about snapshots; -EINVAL: for one CPU
 *	   alone; -ENOMEM: even that needs some memory. Nothing has changed then.
 */
int instance_snapshot_free(struct trace_array *tr, int cpu)
{
	int ret;

	guard(mutex)(&instance_mutex);
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
 * instance_snapshot_clear - drop what the snapshot holds
 * @tr:  the instance
 * @cpu: of which CPU, or STROBE_RING_ALL_CPUS
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -EBUSY: a condition decides about snapshots.
 */
int instance_snapshot_clear(struct trace_array *tr, int cpu)
{
	guard(mutex)(&instance_mutex);
	if (has_condition(tr))
		return -EBUSY;
	if (tr->snapshot.allocated)
		strobe_ring_reset(tr->snapshot.ring, cpu);
	return 0;
}

/* What kernel code calls. The texts are ABI. */

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
		instance_set_on(tr, false);
	} else if (READ_ONCE(tr->snapshot.mapped)) {
		trace_array_puts(tr, "*** BUFFER MEMORY MAPPED ***\n");
		trace_array_puts(tr, "*** Can not use snapshot (sorry) ***\n");
	} else {
		swap_all(tr, cond_data);
	}
}

/**
 * instance_snapshot - take a snapshot of an instance
 * @tr: the instance
 *
 * If there is no room for one, recording is switched off instead. In an NMI, and
 * while the ring is mapped to user space, nothing happens but a text in the trace.
 *
 * Context: any.
 */
void instance_snapshot(struct trace_array *tr)
{
	snapshot_cond(tr, NULL);
}

/**
 * tracing_snapshot - take a snapshot of the top instance
 *
 * As instance_snapshot().
 *
 * Context: any.
 */
void tracing_snapshot(void)
{
	instance_snapshot(top_instance);
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

/**
 * tracing_alloc_snapshot - make room for a snapshot of the top instance
 *
 * Context: task, may sleep; takes instance_mutex.
 * Return: 0; -ENOMEM, with a warning; -ENODEV if there is no tracing.
 */
int tracing_alloc_snapshot(void)
{
	int ret;

	if (tracing_is_disabled())
		return -ENODEV;
	guard(mutex)(&instance_mutex);
	ret = snapshot_alloc(top_instance);
	WARN_ON(ret);
	return ret;
}
EXPORT_SYMBOL_GPL(tracing_alloc_snapshot);

/**
 * tracing_snapshot_alloc - make room, and take a snapshot of the top instance
 *
 * Context: task, may sleep; takes instance_mutex.
 */
void tracing_snapshot_alloc(void)
{
	if (!tracing_alloc_snapshot())
		tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

/**
 * tracing_snapshot_cond - take a snapshot if the instance's condition wants it
 * @tr:        the instance
 * @cond_data: told to the condition; see tracing_snapshot_cond_enable()
 *
 * Else as tracing_snapshot().
 *
 * Context: any.
 */
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	snapshot_cond(tr, cond_data);
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond);

/**
 * tracing_cond_snapshot_data - what the condition was set with
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

/* Return: what was there before. */
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
 * tracing_snapshot_cond_enable - let a function decide about snapshots
 * @tr:        the instance
 * @cond_data: for tracing_cond_snapshot_data()
 * @update:    the function; it is also called for tracing_snapshot(), with NULL
 *
 * Until tracing_snapshot_cond_disable() users can't take snapshots, nor map the
 * ring.
 *
 * Context: task, may sleep; takes instance_mutex.
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
	guard(mutex)(&instance_mutex);
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
	instance_snapshot_disarm(tr);
	return 0;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);

/* Boot. */

/* Bare, or "=NAME" for an instance that is made at boot, too; more than once. */
static int __init parse_alloc(char *str)
{
	if (*str == '=') {
		strlcat(alloc_instances, str + 1, sizeof(alloc_instances));
		strlcat(alloc_instances, "\n", sizeof(alloc_instances));
		return 1;
	}
	alloc_at_boot = true;
	/* The snapshot is as large as the ring. */
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

/* The top instance has its ring. */
void __init snapshot_setup(void)
{
	guard(mutex)(&instance_mutex);
	if (alloc_at_boot && snapshot_alloc(top_instance))
		pr_warn("Failed to allocate the snapshot buffer\n");
}

/**
 * snapshot_setup_instance - allocate the snapshot of an instance if that is asked for
 * @tr: made by the command line
 *
 * Context: boot.
 */
void __init snapshot_setup_instance(struct trace_array *tr)
{
	char *pos = alloc_instances;
	size_t len;

	guard(mutex)(&instance_mutex);
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
 * ftrace_boot_snapshot - the snapshot that ftrace_boot_snapshot asks for
 *
 * Context: boot, at its end.
 */
void __init ftrace_boot_snapshot(void)
{
	struct trace_array *tr;

	if (!take_at_boot)
		return;
	guard(mutex)(&instance_mutex);
	instance_for_each(tr) {
		if (!tr->snapshot.allocated)
			continue;
		instance_snapshot(tr);
		trace_array_puts(tr, "** Boot snapshot taken **\n");
	}
}

#ifndef CONFIG_FUNCTION_TRACER
/* Else ftrace_free_init_mem() calls it. */
static int __init boot_snapshot(void)
{
	ftrace_boot_snapshot();
	return 0;
}
late_initcall_sync(boot_snapshot);
#endif
