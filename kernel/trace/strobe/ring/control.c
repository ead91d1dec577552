// SPDX-License-Identifier: GPL-2.0
/*
 * Switching recording on and off, stopping the writers, clearing a ring.
 *
 * rc->blocked keeps writers out: they test it once, before they enter. Those
 * that are inside already go on; who needs them gone, to change what they use,
 * waits for a grace period of RCU (STOP:A in write.c), of which a writer is a
 * read-side critical section. The stops are batched: one grace period for all
 * CPUs of a ring.
 */
#include <linux/rcupdate.h>

#include "ring/clock.h"
#include "ring/internal.h"
#include "ring/write.h"

/* Keep writers out of the rings of @cpu until strobe_ring_start(). */
void strobe_ring_stop(struct strobe_ring *ring, int cpu)
{
	strobe_ring_record_disable(ring, cpu);
	/* STOP:A pairs with preemption off in the writer */
	synchronize_rcu();
}

void strobe_ring_start(struct strobe_ring *ring, int cpu)
{
	strobe_ring_record_enable(ring, cpu);
}

/* What ring->on says, where the writers look. */
static void strobe_ring_block(struct strobe_ring *ring, bool off)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

		if (off)
			atomic_or(STROBE_BLOCKED_OFF, &rc->blocked);
		else
			atomic_andnot(STROBE_BLOCKED_OFF, &rc->blocked);
	}
}

/**
 * strobe_ring_set_on - switch recording on or off
 * @ring: the ring
 * @on: whether to record
 *
 * Independent of strobe_ring_record_disable(). A writer that is inside goes on.
 * If several do this at once, the last one to store ring->on wins: whoever finds
 * another value there than the one that it has spread spreads that one.
 *
 * Context: Any.
 */
void strobe_ring_set_on(struct strobe_ring *ring, bool on)
{
	WRITE_ONCE(ring->on, on);
	do {
		on = READ_ONCE(ring->on);
		strobe_ring_block(ring, !on);
		smp_mb();	/* SET_ON:A, between the words and ring->on */
	} while (READ_ONCE(ring->on) != on);
}

/**
 * strobe_ring_is_on - what strobe_ring_set_on() has set
 * @ring: the ring
 *
 * Context: Any.
 */
bool strobe_ring_is_on(const struct strobe_ring *ring)
{
	return READ_ONCE(ring->on);
}

/**
 * strobe_ring_record_disable - record nothing until strobe_ring_record_enable()
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * Nests. A writer that is inside goes on.
 *
 * Context: Any.
 */
void strobe_ring_record_disable(struct strobe_ring *ring, int cpu)
{
	int i;

	strobe_ring_for_each(ring, cpu, i)
		atomic_inc(&strobe_ring_of(ring, i)->blocked);
}

/**
 * strobe_ring_record_enable - undo one strobe_ring_record_disable()
 * @ring: the ring
 * @cpu: what was given there
 *
 * Context: Any.
 */
void strobe_ring_record_enable(struct strobe_ring *ring, int cpu)
{
	int i;

	strobe_ring_for_each(ring, cpu, i) {
		/* START:A: what was changed while it was stopped comes before. */
		atomic_dec_return_release(&strobe_ring_of(ring, i)->blocked);
	}
}

/* All writers are stopped: the state word is what is committed. */
static void strobe_ring_cpu_reset(struct strobe_ring_cpu *rc)
{
	mutex_lock(&rc->reader.lock);
	WRITE_ONCE(rc->generation, rc->generation + 1);
	strobe_ring_clear(rc, strobe_ring_next_index(rc));
	WRITE_ONCE(rc->generation, rc->generation + 1);
	strobe_ring_map_update(rc);
	mutex_unlock(&rc->reader.lock);
}

/**
 * strobe_ring_reset - forget all records, and set all counts to zero
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * Nothing is recorded meanwhile.
 *
 * Context: Task context, may sleep. Takes reader.lock of each CPU in turn.
 */
void strobe_ring_reset(struct strobe_ring *ring, int cpu)
{
	int i;

	strobe_ring_stop(ring, cpu);
	strobe_ring_for_each(ring, cpu, i)
		strobe_ring_cpu_reset(strobe_ring_of(ring, i));
	strobe_ring_start(ring, cpu);
}

/* Whoever finds the bit and the clock of different times reads one of the two. */
void strobe_ring_cpu_clock(struct strobe_ring_cpu *rc, u64 (*clock)(void))
{
	clock = strobe_clock_choose(clock);
	WRITE_ONCE(rc->clock, clock);
	if (STROBE_CLOCK_INLINE && !clock)
		atomic_andnot(STROBE_BLOCKED_CLOCK, &rc->blocked);
	else
		atomic_or(STROBE_BLOCKED_CLOCK, &rc->blocked);
}

/**
 * strobe_ring_set_clock - take the time from another clock
 * @ring: the ring
 * @clock: as in struct strobe_ring_params
 *
 * The times recorded so far do not compare to the new ones: the caller resets
 * the ring.
 *
 * Context: Task context.
 */
void strobe_ring_set_clock(struct strobe_ring *ring, u64 (*clock)(void))
{
	int cpu;

	for_each_possible_cpu(cpu)
		strobe_ring_cpu_clock(strobe_ring_of(ring, cpu), clock);
}

/**
 * strobe_ring_now - what the ring's clock says on this CPU
 * @ring: the ring
 *
 * Context: Any.
 */
u64 strobe_ring_now(const struct strobe_ring *ring)
{
	u64 now;

	preempt_disable_notrace();
	now = strobe_ring_clock(this_cpu_ptr(ring->percpu));
	preempt_enable_notrace();
	return now;
}

/**
 * strobe_ring_set_overwrite - what gives way in a full ring
 * @ring: the ring
 * @overwrite: the oldest records, or (false) new ones
 *
 * Takes effect with the next sub-buffer.
 *
 * Context: Any.
 */
void strobe_ring_set_overwrite(struct strobe_ring *ring, bool overwrite)
{
	WRITE_ONCE(ring->overwrite, overwrite);
}

/**
 * strobe_ring_overwrite - what strobe_ring_set_overwrite() has set
 * @ring: the ring
 *
 * Context: Any.
 */
bool strobe_ring_overwrite(const struct strobe_ring *ring)
{
	return READ_ONCE(ring->overwrite);
}
