// SPDX-License-Identifier: GPL-2.0
/*
 * Control of an instance's ring: recording on or off, its size and contents.
 *
 * Contexts: task, except for switching recording on and off: any.
 *
 * Lock order: as record/trace_array.h says.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "instance/instance.h"

/* Recording on and off. */

/**
 * strobe_instance_is_on - whether recording is switched on
 * @tr: the instance
 *
 * Context: any.
 * Return: the value of the file tracing_on.
 */
bool strobe_instance_is_on(const struct trace_array *tr)
{
	struct strobe_ring *ring = READ_ONCE(tr->ring);

	return ring ? strobe_ring_is_on(ring) : !READ_ONCE(tr->off);
}

/**
 * strobe_instance_set_on - switch recording on or off, as a write to tracing_on does
 * @tr: the instance
 * @on: true: on
 *
 * Context: any.
 */
void strobe_instance_set_on(struct trace_array *tr, bool on)
{
	struct strobe_ring *ring = READ_ONCE(tr->ring);

	WRITE_ONCE(tr->off, !on);
	if (ring)
		strobe_ring_set_on(ring, on);
}

/**
 * strobe_instance_stop - disable recording until strobe_instance_start()
 * @tr: the instance
 *
 * Nests; not visible in tracing_on.
 *
 * Context: any.
 */
void strobe_instance_stop(struct trace_array *tr)
{
	strobe_ring_record_disable(tr->ring, STROBE_RING_ALL_CPUS);
}

/**
 * strobe_instance_start - undo one strobe_instance_stop()
 * @tr: the instance
 *
 * Context: any.
 */
void strobe_instance_start(struct trace_array *tr)
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
	strobe_instance_set_on(top_instance, true);
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
	strobe_instance_set_on(top_instance, false);
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
	return strobe_instance_is_on(top_instance);
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
		strobe_instance_stop(top_instance);
}

/**
 * tracing_start - undo one tracing_stop()
 *
 * Context: any.
 */
void tracing_start(void)
{
	if (!tracing_is_disabled())
		strobe_instance_start(top_instance);
}

/* kernel.traceoff_on_warning */
int __disable_trace_on_warning;

/**
 * disable_trace_on_warning - switch recording off because of a WARN(), if so configured
 *
 * Context: any.
 */
void disable_trace_on_warning(void)
{
	static const char text[] = "Disabling tracing due to warning\n";

	if (!__disable_trace_on_warning)
		return;
	__trace_array_puts(top_instance, _THIS_IP_, text, sizeof(text) - 1);
	tracing_off();
}

static int __init parse_off_on_warning(char *str)
{
	if (strcmp(str, "=0") && strcmp(str, "=off"))
		__disable_trace_on_warning = 1;
	return 1;
}
__setup("traceoff_on_warning", parse_off_on_warning);

/* Size and contents. */

static size_t strobe_boot_ring_bytes = INSTANCE_RING_BYTES_DEFAULT;

static int __init parse_ring_bytes(char *str)
{
	if (!str)
		return 0;
	strobe_boot_ring_bytes = max_t(size_t, memparse(str, &str), 4096);
	return 1;
}
__setup("trace_buf_size=", parse_ring_bytes);

/**
 * strobe_instance_default_bytes - default size of an instance's ring
 *
 * Return: bytes for each CPU.
 */
size_t strobe_instance_default_bytes(void)
{
	return strobe_boot_ring_bytes;
}

static int instance_resize_locked(struct trace_array *tr, size_t bytes, int cpu)
{
	int ret = 0;

	/* Recording is not disabled: events that fire during the change are counted as dropped. */
	if (tr->ring) {
		strobe_comm_change_begin(&tr->comm);
		ret = strobe_ring_resize_two(tr->ring, instance_snapshot_twin(tr),
					     bytes, cpu);
		strobe_comm_change_end(&tr->comm);
	}
	/* Keep strobe_instance_expand() from setting the default size later. */
	if (!ret)
		tr->expanded = true;
	return ret;
}

static int instance_expand_locked(struct trace_array *tr)
{
	int ret;

	lockdep_assert_held(&strobe_instance_mutex);
	if (tr->expanded)
		return 0;
	ret = instance_resize_locked(tr, strobe_instance_default_bytes(), STROBE_RING_ALL_CPUS);
	/*
	 * While it is mapped, it keeps its size. That must not keep events from being enabled.
	 * The next use grows it.
	 */
	return ret == -EBUSY ? 0 : ret;
}

/**
 * strobe_instance_expand - grow the ring from the smallest to the default size before its first use
 * @tr: the instance
 *
 * A persistent ring has its size from the start, and keeps its records.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0 or -ENOMEM.
 */
int strobe_instance_expand(struct trace_array *tr)
{
	guard(mutex)(&strobe_instance_mutex);
	return instance_expand_locked(tr);
}

/**
 * strobe_instance_use_ring - give the ring of an instance the size that it was shown to have
 * @tr: the instance
 *
 * An instance made by mkdir has a ring of the smallest size until something may record in
 * it, or its size matters otherwise. Whatever makes that possible calls this before. Does
 * nothing in other instances, and later.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0 or -ENOMEM.
 */
int strobe_instance_use_ring(struct trace_array *tr)
{
	return tr->small ? strobe_instance_expand(tr) : 0;
}

/**
 * strobe_instance_use_ring_locked - as strobe_instance_use_ring()
 * @tr: the instance
 *
 * Context: task, may sleep; strobe_instance_mutex held.
 * Return: 0 or -ENOMEM.
 */
int strobe_instance_use_ring_locked(struct trace_array *tr)
{
	return tr->small ? instance_expand_locked(tr) : 0;
}

/**
 * strobe_instance_resize - set the size of an instance's ring and of its snapshot ring
 * @tr:    the instance
 * @bytes: size of each CPU's ring
 * @cpu:   the CPU, or STROBE_RING_ALL_CPUS
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EINVAL if there is no such CPU; -ENOMEM. On error the size is
 *	   unchanged.
 */
int strobe_instance_resize(struct trace_array *tr, size_t bytes, int cpu)
{
	int ret;

	if (cpu != STROBE_RING_ALL_CPUS && !cpu_possible(cpu))
		return -EINVAL;
	guard(mutex)(&strobe_instance_mutex);
	/* The other CPUs keep the size that was shown. */
	if (cpu != STROBE_RING_ALL_CPUS) {
		ret = strobe_instance_use_ring_locked(tr);
		if (ret)
			return ret;
	}
	return instance_resize_locked(tr, bytes, cpu);
}

/**
 * strobe_instance_bytes - size of a CPU's ring that users are shown
 * @tr:  the instance
 * @cpu: the CPU
 *
 * Context: task.
 * Return: the size, without the headers of the sub-buffers.
 */
size_t strobe_instance_bytes(const struct trace_array *tr, int cpu)
{
	if (tr->small && !READ_ONCE(tr->expanded))
		return strobe_ring_bytes_for(tr->ring, strobe_instance_default_bytes());
	return strobe_ring_bytes(tr->ring, cpu);
}

/**
 * strobe_instance_set_subbuf_order - set the size of the sub-buffers of a ring
 * @tr:    the instance
 * @order: a sub-buffer has 2^@order pages
 *
 * The ring and the snapshot ring lose their records.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0; -EINVAL if there is no such order; -EBUSY if user space has mapped
 *	   the ring of a CPU; -ENOMEM. On error nothing has changed.
 */
int strobe_instance_set_subbuf_order(struct trace_array *tr, unsigned int order)
{
	int ret;

	guard(mutex)(&strobe_instance_mutex);
	ret = strobe_instance_use_ring_locked(tr);
	if (ret)
		return ret;
	strobe_comm_change_begin(&tr->comm);
	ret = strobe_ring_set_order_two(tr->ring, instance_snapshot_twin(tr), order);
	strobe_comm_change_end(&tr->comm);
	return ret;
}

/**
 * strobe_instance_drop_previous_boot - drop the records of the previous boot
 * @tr: the instance
 *
 * Called when a user has enabled events, or is about to switch on recording, so that new
 * records are not mixed with old ones. Does nothing if there are no old ones.
 *
 * Context: task, may sleep; strobe_instance_mutex held.
 */
void strobe_instance_drop_previous_boot(struct trace_array *tr)
{
	struct strobe_ring_past past;

	lockdep_assert_held(&strobe_instance_mutex);
	if (instance_is_kept(tr) && strobe_ring_past(tr->ring, &past))
		strobe_instance_reset(tr, STROBE_RING_ALL_CPUS);
}

/**
 * strobe_instance_events_switched_on - drop the previous boot if a user has enabled events
 * @tr:    the instance
 * @since: trace_array.switched_on before the user's write
 *
 * Called after the write, also if it failed for some events. A write that has enabled none drops
 * nothing. The first records of those events may be dropped as well. So may all records of this
 * boot, if the command line has enabled events: the ring cannot drop only one boot's records.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 */
void strobe_instance_events_switched_on(struct trace_array *tr, unsigned int since)
{
	if (READ_ONCE(tr->switched_on) == since)
		return;
	guard(mutex)(&strobe_instance_mutex);
	strobe_instance_drop_previous_boot(tr);
}

/*
 * All rings have been reset since @tr->orphaned was @orphaned. If two tasks do that, the smaller
 * number may be stored last: types of removed events are then kept longer than necessary.
 */
static void instance_orphans_are_reset(struct trace_array *tr, unsigned int orphaned)
{
	/* ORPHANS:A: when this number is read, the records are gone. */
	smp_store_release(&tr->orphans_reset, orphaned);
}

/**
 * strobe_instance_reset - reset the ring of an instance
 * @tr:  the instance
 * @cpu: the CPU, or STROBE_RING_ALL_CPUS: then the times of latency-format begin again, too
 *
 * Context: task, may sleep.
 */
void strobe_instance_reset(struct trace_array *tr, int cpu)
{
	unsigned int orphaned = READ_ONCE(tr->orphaned);
	struct strobe_ring *snapshot;

	/* While recording is off, no snapshot swaps the ring. */
	strobe_instance_stop(tr);
	strobe_comm_change_begin(&tr->comm);
	strobe_ring_reset(tr->ring, cpu);
	strobe_comm_change_end(&tr->comm);
	snapshot = instance_snapshot_ring(tr);
	if (cpu == STROBE_RING_ALL_CPUS &&
	    (!snapshot || strobe_ring_empty(snapshot, STROBE_RING_ALL_CPUS))) {
		/* Readers that do not consume may have copies of its records: drop them, too. */
		if (snapshot && orphaned != READ_ONCE(tr->orphans_reset))
			strobe_ring_reset(snapshot, STROBE_RING_ALL_CPUS);
		instance_orphans_are_reset(tr, orphaned);
	}
	if (cpu == STROBE_RING_ALL_CPUS)
		WRITE_ONCE(tr->start, strobe_ring_now(tr->ring));
	strobe_instance_start(tr);
}

/**
 * strobe_instance_reset_all - reset the ring and the snapshot ring of an instance
 * @tr: the instance
 *
 * Context: task, may sleep.
 */
void strobe_instance_reset_all(struct trace_array *tr)
{
	struct strobe_ring *snapshot = instance_snapshot_ring(tr);
	unsigned int orphaned = READ_ONCE(tr->orphaned);

	/* Disabled, so that no snapshot swaps the rings between the two resets. */
	strobe_instance_stop(tr);
	strobe_instance_reset(tr, STROBE_RING_ALL_CPUS);
	if (snapshot)
		strobe_ring_reset(snapshot, STROBE_RING_ALL_CPUS);
	instance_orphans_are_reset(tr, orphaned);
	strobe_instance_start(tr);
}
