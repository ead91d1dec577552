// SPDX-License-Identifier: GPL-2.0
/*
 * Switch recording on and off, stop the writers, prevent swaps.
 *
 * Two fields of rc->limit keep writers out of the ring: they test it before they enter. The
 * settings of the ring, which users choose, are copied to one bit of it. Code that changes
 * what the writers use stops them: it increments the stops in rc->limit, then waits for an
 * RCU grace period (STOP:A in write.c), as each writer is an RCU read-side critical section.
 * One grace period is enough for all CPUs of a ring.
 *
 * In a swap of two rings (swap.c) the settings stay with the ring. A stop belongs to the
 * rings of the CPUs, and prevents swaps.
 */
#include <linux/rcupdate.h>

#include "ring/clock.h"
#include "ring/internal.h"
#include "ring/region.h"
#include "ring/write.h"

/*
 * Change rc->limit: clear the bits of @clear, set those of @set, add @stops stops. Fully
 * ordered. Several callers may do this at once.
 */
static void strobe_ring_change_limit(struct strobe_ring_cpu *rc, int clear, int set, int stops)
{
	int old = atomic_read(&rc->limit), new;

	/* shape_lock leaves few tasks at a time that stop a ring: STOPS does not overflow. */
	do {
		new = (old & ~(clear | STROBE_LIMIT_SIGN)) | set;
		new += stops * STROBE_LIMIT_STOP;
		if (new & ~STROBE_LIMIT_CAPACITY)
			new |= STROBE_LIMIT_SIGN;
		/* START:A, SET_ON:A and SET_ON:B of the callers. */
	} while (!atomic_try_cmpxchg(&rc->limit, &old, new));
}

/* Set the capacity of a sub-buffer, in units. */
void strobe_ring_set_capacity(struct strobe_ring_cpu *rc, u32 capacity)
{
	strobe_ring_change_limit(rc, STROBE_LIMIT_CAPACITY, capacity, 0);
}

/* Increment (@more) or decrement the stops of @which CPUs' rings in @percpu. */
static void strobe_ring_count_stop(struct strobe_ring_cpu __percpu *percpu,
				   int which, bool more)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (which != STROBE_RING_ALL_CPUS && which != cpu)
			continue;
		/* Less: START:A: a writer that reads this sees the change. */
		strobe_ring_change_limit(per_cpu_ptr(percpu, cpu), 0, 0, more ? 1 : -1);
	}
}

/**
 * strobe_ring_hold - prevent swaps of a ring until strobe_ring_release()
 * @ring: the ring
 *
 * Nests.
 *
 * Context: Task context, may sleep.
 */
void strobe_ring_hold(struct strobe_ring *ring)
{
	atomic_inc(&ring->pins);
	/* Pairs with PIN:A: a swapper that came first has finished after this. */
	synchronize_rcu();
}

/**
 * strobe_ring_release - undo one strobe_ring_hold()
 * @ring: the ring
 *
 * Context: Any.
 */
void strobe_ring_release(struct strobe_ring *ring)
{
	/* A PIN:A that reads this value sees the stores before. Pairs with PIN:A. */
	atomic_fetch_sub_release(1, &ring->pins);
}

/*
 * Stop the writers of @cpu, and strobe_ring_swap() on all CPUs, until strobe_ring_start().
 * A swap that was under way may have replaced ring->percpu when the grace period ends; no
 * other one follows it.
 */
void strobe_ring_stop(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu __percpu *percpu;

	atomic_inc(&ring->pins);
	for (;;) {
		percpu = READ_ONCE(ring->percpu);
		strobe_ring_count_stop(percpu, cpu, true);
		/*
		 * STOP:A: a writer that read the old value has left after this. Pairs with
		 * preemption off in the writer. Expedited, as events that fire meanwhile
		 * are dropped.
		 */
		synchronize_rcu_expedited();
		if (percpu == READ_ONCE(ring->percpu))
			return;
		strobe_ring_count_stop(percpu, cpu, false);
	}
}

void strobe_ring_start(struct strobe_ring *ring, int cpu)
{
	strobe_ring_count_stop(ring->percpu, cpu, false);
	strobe_ring_release(ring);
}

/* Do the settings of @ring forbid recording on @cpu? */
static bool strobe_ring_is_off(const struct strobe_ring *ring, int cpu)
{
	return !READ_ONCE(ring->on) || atomic_read(&ring->disabled) ||
	       atomic_read(&ring->seats[cpu].disabled);
}

/* Fully ordered */
static void strobe_ring_set_off(struct strobe_ring_cpu *rc, bool off)
{
	if (off)
		strobe_ring_change_limit(rc, 0, STROBE_LIMIT_OFF, 0);
	else
		strobe_ring_change_limit(rc, STROBE_LIMIT_OFF, 0, 0);
}

/*
 * Copy the settings to rc->limit of one CPU. Return: the settings or ring->percpu have
 * changed meanwhile: repeat it. After a swap, rc belongs to the other ring, where the bit
 * does not matter; see swap.c.
 */
static bool strobe_ring_block_cpu(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	bool off = strobe_ring_is_off(ring, cpu);

	/*
	 * SET_ON:A: see the stores before it, if SET_ON:B reads what it stores. SET_ON:B:
	 * the loads below come after it.
	 */
	strobe_ring_set_off(rc, off);
	return rc != strobe_ring_of(ring, cpu) ||
	       off != strobe_ring_is_off(ring, cpu);
}

/**
 * strobe_ring_block - copy the settings to where the writers look
 * @ring: the ring
 *
 * Several callers may do this at once, or during a swap: the last change of a setting wins.
 * A caller that finds other settings afterwards than those that it has copied copies again.
 *
 * Context: Any.
 */
void strobe_ring_block(struct strobe_ring *ring)
{
	int cpu;

	/* Do not be preempted with a setting that may become stale. */
	preempt_disable_notrace();
	for_each_possible_cpu(cpu) {
		while (strobe_ring_block_cpu(ring, cpu))
			;
	}
	preempt_enable_notrace();
}

/* Copy the settings of @ring to @percpu, which its writers are going to use. */
void strobe_ring_block_ahead(struct strobe_ring *ring,
			     struct strobe_ring_cpu __percpu *percpu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		strobe_ring_set_off(per_cpu_ptr(percpu, cpu),
				    strobe_ring_is_off(ring, cpu));
}

/**
 * strobe_ring_set_on - switch recording on or off
 * @ring: the ring
 * @on: whether to record
 *
 * Independent of strobe_ring_record_disable(). A writer that is inside continues.
 *
 * Context: Any.
 */
void strobe_ring_set_on(struct strobe_ring *ring, bool on)
{
	WRITE_ONCE(ring->on, on);
	strobe_ring_block(ring);
}

/**
 * strobe_ring_is_on - whether recording is switched on
 * @ring: the ring
 *
 * Context: Any.
 * Return: the value that strobe_ring_set_on() has set.
 */
bool strobe_ring_is_on(const struct strobe_ring *ring)
{
	return READ_ONCE(ring->on);
}

static atomic_t *strobe_ring_disabled(struct strobe_ring *ring, int cpu)
{
	return cpu == STROBE_RING_ALL_CPUS ? &ring->disabled : &ring->seats[cpu].disabled;
}

/**
 * strobe_ring_record_disable - disable recording until strobe_ring_record_enable()
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * Nests. A writer that is inside continues.
 *
 * Context: Any.
 */
void strobe_ring_record_disable(struct strobe_ring *ring, int cpu)
{
	atomic_inc(strobe_ring_disabled(ring, cpu));
	strobe_ring_block(ring);
}

/**
 * strobe_ring_record_enable - undo one strobe_ring_record_disable()
 * @ring: the ring
 * @cpu: the same as there
 *
 * Context: Any.
 */
void strobe_ring_record_enable(struct strobe_ring *ring, int cpu)
{
	atomic_dec(strobe_ring_disabled(ring, cpu));
	strobe_ring_block(ring);
}

/**
 * strobe_ring_is_disabled - whether recording is disabled on all CPUs
 * @ring: the ring
 *
 * Context: Any.
 * Return: true between strobe_ring_record_disable() and _enable() for all CPUs.
 */
bool strobe_ring_is_disabled(const struct strobe_ring *ring)
{
	return atomic_read(&ring->disabled);
}

/* A writer that loads the bit and the clock of two calls reads one of the two clocks. */
void strobe_ring_cpu_clock(struct strobe_ring_cpu *rc, u64 (*clock)(void))
{
	clock = strobe_clock_choose(clock);
	WRITE_ONCE(rc->clock, clock);
	if (STROBE_CLOCK_INLINE && !clock)
		strobe_ring_change_limit(rc, STROBE_LIMIT_CLOCK, 0, 0);
	else
		strobe_ring_change_limit(rc, 0, STROBE_LIMIT_CLOCK, 0);
}

/*
 * The local clock, while rc->clock_seq is not the version of its data. The new version may
 * be used once all writers have left that it may have interrupted: one of them may have
 * loaded a part of the old data, and compares the version only after that. The time that the
 * version has been seen for is stored before the version: an interrupt in between sees that
 * the version is new, and stores both.
 */
notrace u64 strobe_ring_clock_changed(struct strobe_ring_cpu *rc)
{
	u32 seq = strobe_clock_version();

	if (READ_ONCE(rc->clock_next) != seq) {
		WRITE_ONCE(rc->clock_since, get_state_synchronize_rcu());
		barrier();
		WRITE_ONCE(rc->clock_next, seq);
	} else if (poll_state_synchronize_rcu(READ_ONCE(rc->clock_since))) {
		WRITE_ONCE(rc->clock_seq, seq);
	}
	return sched_clock_noinstr();
}

/**
 * strobe_ring_set_clock - set the clock of a ring
 * @ring: the ring
 * @clock: as in struct strobe_ring_params
 *
 * The times of existing records are not comparable to new ones: the caller resets the ring.
 * It also prevents swaps meanwhile by strobe_ring_hold().
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
 * strobe_ring_now - read the ring's clock on this CPU
 * @ring: the ring
 *
 * Context: Any.
 */
u64 strobe_ring_now(const struct strobe_ring *ring)
{
	u64 now;

	preempt_disable_notrace();
	now = strobe_ring_clock(this_cpu_ptr(READ_ONCE(ring->percpu)));
	preempt_enable_notrace();
	return now;
}

/**
 * strobe_ring_set_overwrite - set whether a full ring overwrites old records
 * @ring: the ring
 * @overwrite: overwrite the oldest records, or (false) drop new ones
 *
 * Takes effect with the next sub-buffer.
 *
 * Context: Any.
 */
void strobe_ring_set_overwrite(struct strobe_ring *ring, bool overwrite)
{
	WRITE_ONCE(ring->overwrite, overwrite);
}
