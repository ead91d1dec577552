// SPDX-License-Identifier: GPL-2.0
/*
 * Swapping what two rings hold, for snapshots: one records, the other keeps.
 *
 * All CPUs at once, from almost any context: the rings exchange what they point
 * to, @percpu. A writer finds it there once for each record. One that has begun
 * ends where it began, in what is the other ring's now, as does an iterator that
 * is open. So a snapshot has what was begun before it was taken, and each record
 * is in one ring and counted there.
 *
 *	ring a  ->  X		ring a  ->  Y
 *	ring b  ->  Y		ring b  ->  X
 *
 * One CPU, in task context: there is no pointer for it, so its writers are
 * stopped, and what X and Y hold is exchanged (the content). The numbers of the
 * records go on in either place from where they were, so that an open iterator
 * takes it for a reset: it ends, and shows what is new when it begins again.
 *
 * What stays with the ring is what its users have chosen or wait on: settings
 * (control.c), overwrite mode, clock, struct strobe_ring_seat. Those of the ring that
 * keeps are not spread: it has no writers but those that were the other one's. They must
 * not be changed while it may be swapped.
 *
 * Who must find the same @percpu from one step to the next (stopping writers, a
 * change of shape, a mapping) pins it:
 *
 *	pins	who
 *	0	nobody: may be swapped
 *	1	a swapper: it made 1 from 0; or one of those
 *	n	those; a swapper that was there before them has gone after a
 *		grace period: it never sleeps
 *
 * Two swaps do not wait for each other: one fails.
 *
 * Locks: strobe_ring_swap() takes none. Else shape_lock of the one ring, then of
 * the other, in the order of the arguments, then the same with reader.lock.
 * Barriers: SWAP:A, see the index in write.c. PIN:A, a swapper's cmpxchg of pins,
 * fully ordered, pairs with the release by the one before, and by way of RCU with
 * those who pin.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/rcupdate.h>

#include "ring/internal.h"

/**
 * strobe_ring_hold - let nobody swap a ring until strobe_ring_release()
 * @ring: the ring
 *
 * Nests.
 *
 * Context: Task context, may sleep.
 */
void strobe_ring_hold(struct strobe_ring *ring)
{
	atomic_inc(&ring->pins);
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
	/* pairs with PIN:A */
	atomic_fetch_sub_release(1, &ring->pins);
}

/**
 * strobe_ring_lock_two - keep the shape of two rings, and let nobody swap them
 * @a: a ring
 * @b: another ring, or NULL
 */
void strobe_ring_lock_two(struct strobe_ring *a, struct strobe_ring *b)
{
	mutex_lock(&a->shape_lock);
	atomic_inc(&a->pins);
	if (b) {
		mutex_lock_nested(&b->shape_lock, SINGLE_DEPTH_NESTING);
		atomic_inc(&b->pins);
	}
	synchronize_rcu_expedited();
}

/* Undo strobe_ring_lock_two(). */
void strobe_ring_unlock_two(struct strobe_ring *a, struct strobe_ring *b)
{
	if (b) {
		strobe_ring_release(b);
		mutex_unlock(&b->shape_lock);
	}
	strobe_ring_release(a);
	mutex_unlock(&a->shape_lock);
}

/* Are the rings of @cpu alike, and is nobody keeping them from recording? */
static int strobe_ring_may_swap(const struct strobe_ring *a,
				const struct strobe_ring *b, int cpu)
{
	int i;

	strobe_ring_for_each(a, cpu, i) {
		const struct strobe_ring_cpu *x = strobe_ring_of(a, i);
		const struct strobe_ring_cpu *y = strobe_ring_of(b, i);

		if (x->store->order != y->store->order ||
		    x->store->shape.nr_slots != y->store->shape.nr_slots)
			return -EINVAL;
	}
	return atomic_read(&a->stops) || atomic_read(&b->stops) ? -EAGAIN : 0;
}

static void strobe_ring_set_percpu(struct strobe_ring *ring,
				   struct strobe_ring_cpu __percpu *percpu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(percpu, cpu)->ring, ring);
	/* SWAP:A pairs with strobe_ring_of(), and with the writers */
	smp_store_release(&ring->percpu, percpu);
}

/*
 * Both are pinned by the caller alone. @y gets the settings of @a before a writer of @a
 * can find it there, and @x keeps them, for a writer that has found it there and has not
 * asked yet: nothing is lost, or recorded that should not be.
 */
static void strobe_ring_exchange_percpu(struct strobe_ring *a, struct strobe_ring *b)
{
	struct strobe_ring_cpu __percpu *x = a->percpu;
	struct strobe_ring_cpu __percpu *y = b->percpu;

	strobe_ring_block_ahead(a, y);
	strobe_ring_set_percpu(a, y);
	strobe_ring_set_percpu(b, x);
	/* Once more: a setting may have changed since strobe_ring_block_ahead(). */
	strobe_ring_block(a);
}

/* Return: the ring may be swapped, and is the caller's to release. */
static bool strobe_ring_pin(struct strobe_ring *ring)
{
	if (STROBE_BUSTED_PIN) {
		atomic_inc(&ring->pins);
		return true;
	}
	/* PIN:A pairs with strobe_ring_release() */
	return !atomic_cmpxchg(&ring->pins, 0, 1);
}

/**
 * strobe_ring_swap - swap what two rings hold, on all CPUs
 * @a: a ring
 * @b: another one, with as many sub-buffers on each CPU, of the same size. Nothing else
 *     writes to it, and nobody changes its settings meanwhile.
 *
 * The caller wakes the readers, by strobe_ring_swap_wake(): no event is fired here, so
 * that this may be called with a lock held that a trigger takes.
 *
 * Context: Any but NMI, with preemption off.
 * Return: 0; -EINVAL: they are not alike; -EAGAIN: one of them is kept from
 * recording by strobe_ring_record_disable() for all CPUs; -EBUSY: one of them is
 * mapped to user space, is being changed, or is being swapped. Nothing has
 * changed then.
 */
int strobe_ring_swap(struct strobe_ring *a, struct strobe_ring *b)
{
	int err = -EBUSY;

	if (!strobe_ring_pin(a))
		return err;
	if (strobe_ring_pin(b)) {
		err = strobe_ring_may_swap(a, b, STROBE_RING_ALL_CPUS);
		if (!err)
			strobe_ring_exchange_percpu(a, b);
		strobe_ring_release(b);
	}
	strobe_ring_release(a);
	return err;
}

/**
 * strobe_ring_swap_wake - have the readers that wait for records of two rings look again
 * @a: a ring that was swapped
 * @b: the other one
 *
 * Nothing is done if none has begun to wait since the last time: queueing the work fires
 * events, which may take a snapshot in turn.
 *
 * Context: Any but NMI. No lock held that a trigger takes.
 */
void strobe_ring_swap_wake(struct strobe_ring *a, struct strobe_ring *b)
{
	/* SWAP_WAKE:A, full barriers, pair with strobe_ring_ready() */
	if (atomic_xchg(&a->sleepers, 0))
		irq_work_queue(&a->swap_work);
	if (atomic_xchg(&b->sleepers, 0))
		irq_work_queue(&b->swap_work);
}

static void strobe_ring_exchange_reader(struct strobe_ring_reader *x,
					struct strobe_ring_reader *y)
{
	swap(x->cursor, y->cursor);
	swap(x->hand, y->hand);
	swap(x->hand_id, y->hand_id);
	swap(x->spare_id, y->spare_id);
	swap(x->hand_left, y->hand_left);
	swap(x->owned, y->owned);
	swap(x->next, y->next);
	swap(x->lost, y->lost);
	swap(x->read, y->read);
	swap(x->damaged, y->damaged);
	x->peeked = false;
	y->peeked = false;
}

/* The content came from elsewhere: its first record is to be number @origin. */
static void strobe_ring_renumber(struct strobe_ring_cpu *rc, u64 origin)
{
	u64 shift = origin - rc->origin;
	u32 nr = rc->store->shape.nr_slots, i;

	for (i = 0; i < nr; i++)
		rc->store->laps[i].first += shift;
	rc->reader.cursor.first += shift;
	rc->reader.next += shift;
	WRITE_ONCE(rc->origin, origin);
	rc->dumper.started = false;
}

/* Refusals have a count of their own, which stays: what it says goes with the content. */
static void strobe_ring_settle_refused(struct strobe_ring_cpu *rc)
{
	u64 refused = atomic64_read(&rc->refused);

	local_add(refused - rc->refused_before, &rc->dropped);
	rc->refused_before = refused;
}

/*
 * The writers of both are stopped, reader.lock of both is held.
 */
static void strobe_ring_exchange_content(struct strobe_ring_cpu *x,
					 struct strobe_ring_cpu *y)
{
	u64 next_x = strobe_ring_next_index(x), next_y = strobe_ring_next_index(y);
	struct strobe_ring_store *store = x->store;
	u64 committed = y->committed;

	strobe_ring_settle_refused(x);
	strobe_ring_settle_refused(y);
	swap(x->word, y->word);
	swap(x->last_ts, y->last_ts);
	swap(x->last_word, y->last_word);
	strobe_ring_set_store(x, y->store);
	strobe_ring_set_store(y, store);
	swap(x->overrun, y->overrun);
	swap(x->commit_overrun, y->commit_overrun);
	swap(x->dropped, y->dropped);
	swap(x->discarded, y->discarded);
	swap(x->origin, y->origin);
	swap(x->in_hand, y->in_hand);
	strobe_ring_exchange_reader(&x->reader, &y->reader);
	strobe_ring_renumber(x, next_x);
	strobe_ring_renumber(y, next_y);
	/* As LEAVE:A (write.c): what was set before is seen with it, */
	smp_store_release(&y->committed, x->committed);
	/* here and there. */
	smp_store_release(&x->committed, committed);
	strobe_ring_set_place(x);
	strobe_ring_set_place(y);
}

static void strobe_ring_exchange_cpu(struct strobe_ring *a, struct strobe_ring *b,
				     int cpu)
{
	struct strobe_ring_cpu *x = strobe_ring_of(a, cpu), *y = strobe_ring_of(b, cpu);

	strobe_ring_stop(a, cpu);
	strobe_ring_stop(b, cpu);
	mutex_lock(&x->reader.lock);
	mutex_lock_nested(&y->reader.lock, SINGLE_DEPTH_NESTING);
	strobe_ring_change_begin(x);
	strobe_ring_change_begin(y);
	strobe_ring_exchange_content(x, y);
	strobe_ring_change_end(y);
	strobe_ring_change_end(x);
	mutex_unlock(&y->reader.lock);
	mutex_unlock(&x->reader.lock);
	strobe_ring_start(b, cpu);
	strobe_ring_start(a, cpu);
	strobe_ring_wake(a, cpu);
	strobe_ring_wake(b, cpu);
}

/**
 * strobe_ring_swap_cpu - swap what two rings hold, on one CPU
 * @a: a ring
 * @b: another one, with as many sub-buffers on that CPU, of the same size
 * @cpu: which CPU's, online or not
 *
 * Nothing is recorded there meanwhile. Who waits for records of it looks again.
 *
 * Context: Task context, may sleep. Takes shape_lock of both, and in it
 * reader.lock of both.
 * Return: as strobe_ring_swap(), but never -EBUSY because of other changes or
 * swaps: it waits for these.
 */
int strobe_ring_swap_cpu(struct strobe_ring *a, struct strobe_ring *b, int cpu)
{
	int err = -EBUSY;

	strobe_ring_lock_two(a, b);
	if (!strobe_ring_is_fixed(a, cpu) && !strobe_ring_is_fixed(b, cpu))
		err = strobe_ring_may_swap(a, b, cpu);
	if (!err)
		strobe_ring_exchange_cpu(a, b, cpu);
	strobe_ring_unlock_two(a, b);
	return err;
}
