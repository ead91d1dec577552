// SPDX-License-Identifier: GPL-2.0
/*
 * Switching recording on and off, stopping the writers, clearing a ring.
 *
 * rc->blocked keeps writers out: they test it once, before they enter. It is not
 * 0 for two reasons. The settings of the ring, which are the user's, are spread to
 * a bit of it. A stop is counted there: who has to change what the writers use,
 * waits for a grace period of RCU then (STOP:A in write.c), of which a writer is a
 * read-side critical section. The stops are batched: one grace period for all
 * CPUs of a ring.
 *
 * The settings stay with the ring when what it holds is swapped for what another
 * ring holds (swap.c); a stop goes with it, and lets nobody swap.
 */
#include <linux/rcupdate.h>

#include "ring/clock.h"
#include "ring/internal.h"
#include "ring/region.h"
#include "ring/write.h"

/* One stop more, or one less, of @which CPUs' rings in @percpu. */
static void strobe_ring_count_stop(struct strobe_ring_cpu __percpu *percpu,
				   int which, bool more)
{
	atomic_t *blocked;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (which != STROBE_RING_ALL_CPUS && which != cpu)
			continue;
		blocked = &per_cpu_ptr(percpu, cpu)->blocked;
		if (more)
			atomic_inc(blocked);
		else
			/* START:A: what was changed meanwhile comes before. */
			atomic_dec_return_release(blocked);
	}
}

/*
 * Keep writers out of the rings of @cpu until strobe_ring_start(), and
 * strobe_ring_swap() off all of them. A swap that had begun before may have put
 * others in their place when the grace period ends; it was the last one.
 */
void strobe_ring_stop(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu __percpu *percpu;

	atomic_inc(&ring->pins);
	for (;;) {
		percpu = READ_ONCE(ring->percpu);
		strobe_ring_count_stop(percpu, cpu, true);
		/*
		 * STOP:A pairs with preemption off in the writer. Events fired
		 * meanwhile are dropped, so this does not wait for long.
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

/* Do the settings of @ring forbid to record on @cpu? */
static bool strobe_ring_is_off(const struct strobe_ring *ring, int cpu)
{
	return !READ_ONCE(ring->on) || atomic_read(&ring->stops) ||
	       atomic_read(&ring->seats[cpu].stops);
}

static void strobe_ring_set_off(struct strobe_ring_cpu *rc, bool off)
{
	if (off)
		atomic_or(STROBE_BLOCKED_OFF, &rc->blocked);
	else
		atomic_andnot(STROBE_BLOCKED_OFF, &rc->blocked);
}

/*
 * Tell the writers of one CPU. Return: the settings have changed meanwhile, or the ring was
 * swapped: what the other ring of the two has got then is of no use to anybody, see swap.c.
 */
static bool strobe_ring_block_cpu(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	bool off = strobe_ring_is_off(ring, cpu);

	smp_mb__before_atomic();	/* SET_ON:A */
	strobe_ring_set_off(rc, off);
	smp_mb__after_atomic();		/* SET_ON:B pairs with SET_ON:A */
	return rc != strobe_ring_of(ring, cpu) ||
	       off != strobe_ring_is_off(ring, cpu);
}

/**
 * strobe_ring_block - what the settings say, where the writers look
 * @ring: the ring
 *
 * If several do this at once, the last one to change a setting wins: whoever
 * finds others there than those that it has spread spreads these. The same goes
 * for a swap of the rings.
 *
 * Context: Any.
 */
void strobe_ring_block(struct strobe_ring *ring)
{
	int cpu;

	/* Who spreads what is old does not do so for long. */
	preempt_disable_notrace();
	for_each_possible_cpu(cpu) {
		while (strobe_ring_block_cpu(ring, cpu))
			;
	}
	preempt_enable_notrace();
}

/* What the settings say, where the writers of @ring are going to look. */
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
 * Independent of strobe_ring_record_disable(). A writer that is inside goes on.
 *
 * Context: Any.
 */
void strobe_ring_set_on(struct strobe_ring *ring, bool on)
{
	WRITE_ONCE(ring->on, on);
	strobe_ring_block(ring);
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

static atomic_t *strobe_ring_stops(struct strobe_ring *ring, int cpu)
{
	return cpu == STROBE_RING_ALL_CPUS ? &ring->stops : &ring->seats[cpu].stops;
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
	atomic_inc(strobe_ring_stops(ring, cpu));
	strobe_ring_block(ring);
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
	atomic_dec(strobe_ring_stops(ring, cpu));
	strobe_ring_block(ring);
}

/**
 * strobe_ring_is_stopped - is all recording disabled?
 * @ring: the ring
 *
 * Context: Any.
 * Return: true between strobe_ring_record_disable() and _enable() for all CPUs.
 */
bool strobe_ring_is_stopped(const struct strobe_ring *ring)
{
	return atomic_read(&ring->stops);
}

/* All writers are stopped: the state word is what is committed. */
static void strobe_ring_cpu_reset(struct strobe_ring_cpu *rc)
{
	mutex_lock(&rc->reader.lock);
	strobe_ring_change_begin(rc);
	strobe_ring_clear(rc, strobe_ring_next_index(rc));
	strobe_ring_change_end(rc);
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
	if (ring->region.start && cpu == STROBE_RING_ALL_CPUS)
		strobe_region_end(ring);
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
 * the ring. Nobody may swap it meanwhile: strobe_ring_hold().
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
	now = strobe_ring_clock(this_cpu_ptr(READ_ONCE(ring->percpu)));
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
