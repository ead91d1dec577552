// SPDX-License-Identifier: GPL-2.0
/*
 * Swap the contents of two rings, for snapshots: one records, the other keeps.
 *
 * On all CPUs at once, from almost any context: the rings exchange their @percpu pointers.
 * A writer loads the pointer once for each record. A writer that is inside, or an iterator
 * that is open, continues with the rings that it began with, which are the other ring's
 * then. So a snapshot has the records begun before it was taken, and each record is in one
 * ring and counted there.
 *
 *	ring a  ->  X		ring a  ->  Y
 *	ring b  ->  Y		ring b  ->  X
 *
 *	S1  pin a and b (PIN:A), or fail
 *	S2  copy the setting of a, whether to record, to Y
 *	S3  a's percpu = Y, b's percpu = X (SWAP:A)
 *	S4  copy the setting of a again, until it has not changed meanwhile (SET_ON:A)
 *	S5  release b and a
 *
 * On one CPU, in task context: each CPU's ring has no pointer of its own, so its writers
 * are stopped, and the contents of X and Y are exchanged.
 *
 *	E1  lock and pin a and b; wait until no swapper is left
 *	E2  stop the writers of both (STOP:A)
 *	E3  exchange the contents of X and Y
 *	E4  let the writers continue (START:A)
 *	E5  release and unlock b and a
 *
 * The indexes of the records continue in both from where they were. So an open iterator
 * sees the same as after a reset: it ends, and shows the new records when it begins again.
 *
 * tools/testing/strobe/model/swap.pml models both.
 *
 * What users have chosen or wait on stays with the ring: settings (control.c), overwrite
 * mode, clock, struct strobe_ring_seat. The settings of the ring that keeps are not copied
 * to its CPUs, as the only writers there are those that began before a swap. They must not
 * be changed while the ring may be swapped.
 *
 * Code that needs the same @percpu from one step to the next (stopping writers, a change of
 * shape, a mapping) pins it:
 *
 *	pins	owner
 *	0	none: may be swapped
 *	1	a swapper, which changed 0 to 1; or one user as above
 *	n	users as above. A swapper that came first has finished after
 *		a grace period, as it never sleeps
 *
 * Two swaps do not wait for each other: one fails.
 *
 * Locks: strobe_ring_swap() takes none. The others take shape_lock of the two rings in the
 * order of the arguments, then reader.lock in the same order.
 * Barriers: SWAP:A, SWAP_WAKE:A and PIN:A, see the list in write.c.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/rcupdate.h>

#include "ring/internal.h"

/**
 * strobe_ring_lock_two - lock the shape of two rings, and prevent swaps of them
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
	/* Pairs with PIN:A: a swapper that came first has finished after this. */
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

/* Have the rings of @cpu the same shape, and is recording not disabled? */
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
	return atomic_read(&a->disabled) || atomic_read(&b->disabled) ? -EAGAIN : 0;
}

static void strobe_ring_set_percpu(struct strobe_ring *ring,
				   struct strobe_ring_cpu __percpu *percpu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(percpu, cpu)->ring, ring);
	/* SWAP:A: a reader of the pointer sees these rings. Pairs with its dependency. */
	smp_store_release(&ring->percpu, percpu);
}

/*
 * S2 to S4. Both are pinned by the caller alone. @y gets the settings of @a before a writer
 * of @a can find it. @x keeps them, for a writer that has loaded the pointer to it but not tested
 * limit. So no event is lost, and none is recorded while recording is off.
 */
static void strobe_ring_exchange_percpu(struct strobe_ring *a, struct strobe_ring *b)
{
	struct strobe_ring_cpu __percpu *x = a->percpu;
	struct strobe_ring_cpu __percpu *y = b->percpu;

	strobe_ring_block_ahead(a, y);
	strobe_ring_set_percpu(a, y);
	strobe_ring_set_percpu(b, x);
	/* Again, as a setting may have changed since strobe_ring_block_ahead(). */
	strobe_ring_block(a);
}

/* S1: pin a ring for a swap. Return: true: the caller must release it. */
static bool strobe_ring_pin(struct strobe_ring *ring)
{
	/* PIN:A: sees what the last owner stored. Pairs with strobe_ring_release(). */
	return !atomic_cmpxchg(&ring->pins, 0, 1);
}

/**
 * strobe_ring_swap - swap the contents of two rings, on all CPUs
 * @a: a ring
 * @b: another one, of the same shape on each CPU. It has no writers of its own, and its
 *	settings do not change meanwhile
 *
 * The caller wakes the readers by strobe_ring_swap_wake(). This function fires no event, so
 * it may be called with a lock held that a trigger takes.
 *
 * Context: Any but NMI, with preemption off.
 * Return: 0; -EINVAL: different shapes; -EAGAIN: recording is disabled on all CPUs of one
 * ring by strobe_ring_record_disable(); -EBUSY: one of them is mapped to user space,
 * persistent, being changed, or being swapped. On error nothing has changed.
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
 * strobe_ring_swap_wake - wake the waiters of two rings after a swap
 * @a: a ring that was swapped
 * @b: the other one
 *
 * Does nothing if no reader has begun to wait since the last call: queueing the work fires
 * events, whose triggers may swap again.
 *
 * Context: Any but NMI, without a lock held that a trigger takes.
 */
void strobe_ring_swap_wake(struct strobe_ring *a, struct strobe_ring *b)
{
	/*
	 * SWAP_WAKE:A: a waiter that read the old percpu has set sleepers. Pairs with
	 * strobe_ring_ready().
	 */
	if (atomic_xchg(&a->sleepers, 0))
		irq_work_queue(&a->swap_work);
	/* SWAP_WAKE:A: the same for @b. */
	if (atomic_xchg(&b->sleepers, 0))
		irq_work_queue(&b->swap_work);
}

/* Renumber the records, which came from another ring, to begin at @origin. */
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

/* Move the refused events to the counter of dropped ones, which is exchanged. */
static void strobe_ring_settle_refused(struct strobe_ring_cpu *rc)
{
	u64 refused = atomic64_read(&rc->refused);

	local_add(refused - rc->refused_before, &rc->dropped);
	rc->refused_before = refused;
}

/* E3. The writers of both are stopped, and reader.lock of both is held. */
static void strobe_ring_exchange_content(struct strobe_ring_cpu *x,
					 struct strobe_ring_cpu *y)
{
	u64 next_x = strobe_ring_next_index(x), next_y = strobe_ring_next_index(y);
	struct strobe_ring_store *store = x->store;
	u64 committed = y->committed, word = x->word;

	strobe_ring_settle_refused(x);
	strobe_ring_settle_refused(y);
	/* A writer that is held off may load them: strobe_ring_fits(). */
	WRITE_ONCE(x->word, y->word);
	WRITE_ONCE(y->word, word);
	swap(x->last_ts, y->last_ts);
	swap(x->last_word, y->last_word);
	swap(x->extended, y->extended);
	strobe_ring_set_store(x, y->store);
	strobe_ring_set_store(y, store);
	swap(x->overrun, y->overrun);
	swap(x->commit_overrun, y->commit_overrun);
	swap(x->dropped, y->dropped);
	swap(x->discarded, y->discarded);
	swap(x->origin, y->origin);
	swap(x->in_hand, y->in_hand);
	swap(x->reader.swapped, y->reader.swapped);
	x->reader.peeked = false;
	y->reader.peeked = false;
	strobe_ring_renumber(x, next_x);
	strobe_ring_renumber(y, next_y);
	/* As LEAVE:A: if TAKE:A reads this value, it sees the stores above, */
	smp_store_release(&y->committed, x->committed);
	/* LEAVE:A: and the same for @x. */
	smp_store_release(&x->committed, committed);
	strobe_ring_set_place(x);
	strobe_ring_set_place(y);
}

/* E2 to E4 */
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
 * strobe_ring_swap_cpu - swap the contents of two rings, on one CPU
 * @a: a ring
 * @b: another one, of the same shape on that CPU
 * @cpu: which CPU's, online or not
 *
 * The writers of that CPU are held off meanwhile. All waiters for its records are woken.
 *
 * Context: Task context, may sleep. Takes shape_lock of both, and in it reader.lock of
 * both.
 * Return: as strobe_ring_swap(), except that it waits for other changes and swaps instead
 * of returning -EBUSY.
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
