// SPDX-License-Identifier: GPL-2.0
/*
 * Changing the size of a ring's sub-buffers, and making a ring like another one.
 *
 *	1  have all memory, for all CPUs; else -ENOMEM, all as before
 *	2  stop the writers: one grace period (STOP:A in write.c)
 *	3  for each CPU, under reader.lock: exchange slots and sub-buffers, the one
 *	   in the reader's hand included; count what was held as overrun
 *	4  let the writers go on
 *	5  one more grace period, for dump.c; free what there was before
 *
 * The ring of each CPU keeps its size in bytes, rounded up to whole sub-buffers.
 * Its records are gone; the next ones go on being numbered from there, so that
 * readers find out what they missed. An iterator that has memory of the old size
 * notices the new generation; see iter.c.
 */
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "ring/internal.h"

/**
 * struct strobe_ring_set - all that a CPU's ring is made of
 * @nr_slots: number of slots
 * @order: of the sub-buffers
 * @slots: the slots, with their laps
 * @subbufs: nr_slots + 1 sub-buffers and perhaps a spare one, or NULL
 */
struct strobe_ring_set {
	u32			nr_slots;
	unsigned int		order;
	struct strobe_ring_slot	*slots;
	struct strobe_subbuf	**subbufs;
};

static void strobe_ring_set_free(struct strobe_ring_set *set)
{
	u32 i;

	for (i = 0; set->subbufs && i < set->nr_slots + 2; i++)
		strobe_subbuf_free(set->subbufs[i], set->order);
	kvfree(set->subbufs);
	kvfree(set->slots);
}

/* Step 1 for one CPU. Return: 0; -ENOMEM, strobe_ring_set_free() is due. */
static int strobe_ring_set_make(struct strobe_ring_set *set, int cpu,
				u32 nr_slots, unsigned int order)
{
	struct strobe_subbuf **subbufs;
	int err;

	set->order = order;
	set->nr_slots = nr_slots;
	if (!set->nr_slots || !strobe_ring_affordable(set->nr_slots, order))
		return -ENOMEM;
	set->slots = strobe_ring_slots_alloc(set->nr_slots);
	subbufs = strobe_ring_table(set->nr_slots + 2, sizeof(*subbufs));
	err = -ENOMEM;
	if (set->slots && subbufs)
		err = strobe_subbufs_alloc(subbufs, set->nr_slots + 1, cpu, order);
	if (err)
		kvfree(subbufs);
	else
		set->subbufs = subbufs;
	return err;
}

/* Step 3. */
static void strobe_ring_set_apply(struct strobe_ring_cpu *rc,
				  struct strobe_ring_set *set)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_set old;
	u64 index, gone;

	mutex_lock(&reader->lock);
	WRITE_ONCE(rc->generation, rc->generation + 1);
	index = strobe_ring_next_index(rc);
	gone = rc->origin + reader->read + strobe_ring_overrun(rc);

	old = (struct strobe_ring_set) {
		.nr_slots = rc->shape.nr_slots,
		.order = rc->order,
		.slots = rc->slots,
		.subbufs = rc->subbufs,
	};
	rc->slots = set->slots;
	rc->subbufs = set->subbufs;
	rc->order = set->order;
	rc->limit = strobe_ring_limit(set->order);
	strobe_ring_shape(rc, set->nr_slots);
	*set = old;

	local_add(index - gone, &rc->overrun);
	reader->next -= reader->hand_left;
	reader->hand_id = rc->shape.nr_slots;
	reader->spare_id = STROBE_NO_SUBBUF;
	strobe_ring_begin_at(rc, index);
	WRITE_ONCE(rc->generation, rc->generation + 1);
	mutex_unlock(&reader->lock);
}

/* Steps 2 to 5. */
static void strobe_ring_exchange_sets(struct strobe_ring *ring, unsigned int order,
				      struct strobe_ring_set *sets)
{
	int cpu;

	strobe_ring_stop(ring, STROBE_RING_ALL_CPUS);
	WRITE_ONCE(ring->order, order);
	for_each_possible_cpu(cpu)
		strobe_ring_set_apply(strobe_ring_of(ring, cpu), &sets[cpu]);
	strobe_ring_start(ring, STROBE_RING_ALL_CPUS);
	/* A part of the ring is another number of sub-buffers now. */
	strobe_ring_wake(ring, STROBE_RING_ALL_CPUS);
	synchronize_rcu_expedited();
}

/* Step 1: sub-buffers of @order in place of those that there are. */
static int strobe_ring_sets_make(struct strobe_ring *ring, unsigned int order,
				 struct strobe_ring_set *sets)
{
	int cpu, err = 0;
	u32 nr_slots;

	if (strobe_ring_is_fixed(ring, STROBE_RING_ALL_CPUS))
		return -EBUSY;
	for_each_possible_cpu(cpu) {
		nr_slots = strobe_ring_slots_for(strobe_ring_limit(order),
						 strobe_ring_bytes(ring, cpu));
		err = strobe_ring_set_make(&sets[cpu], cpu, nr_slots, order);
		if (err)
			break;
	}
	return err;
}

static void strobe_ring_sets_free(struct strobe_ring_set *sets)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		strobe_ring_set_free(&sets[cpu]);
}

/**
 * strobe_ring_set_order_two - change the size of two rings' sub-buffers, or of none
 * @ring: a ring
 * @other: another one, with sub-buffers of the same size; NULL: there is none
 * @order: 2^@order pages each; 64 KiB at most
 *
 * What is recorded is dropped, and counts as overwritten. Nothing is recorded
 * meanwhile, and nobody swaps.
 *
 * Context: Task context, may sleep. Takes shape_lock of @ring, then of @other, and
 * in them reader.lock of each CPU in turn.
 * Return: 0; -EINVAL: no such order; -ENOMEM: the memory is not to be had;
 * -EBUSY: a ring is mapped to user space. Nothing has changed then.
 */
int strobe_ring_set_order_two(struct strobe_ring *ring, struct strobe_ring *other,
			      unsigned int order)
{
	struct strobe_ring_set *sets __free(kvfree) = NULL;
	struct strobe_ring_set *others;
	int err = 0;

	if (!strobe_ring_order_valid(order))
		return -EINVAL;
	sets = kvcalloc(nr_cpu_ids, 2 * sizeof(*sets), GFP_KERNEL);
	if (!sets)
		return -ENOMEM;
	others = sets + nr_cpu_ids;
	strobe_ring_lock_two(ring, other);
	if (order == ring->order)
		goto unlock;
	err = strobe_ring_sets_make(ring, order, sets);
	if (!err && other)
		err = strobe_ring_sets_make(other, order, others);
	if (!err)
		strobe_ring_exchange_sets(ring, order, sets);
	if (!err && other)
		strobe_ring_exchange_sets(other, order, others);
unlock:
	strobe_ring_unlock_two(ring, other);
	strobe_ring_sets_free(sets);
	strobe_ring_sets_free(others);
	return err;
}

/**
 * strobe_ring_set_order - change the size of a ring's sub-buffers
 * @ring: the ring
 * @order: see strobe_ring_set_order_two()
 *
 * Context: Task context, may sleep.
 * Return: as strobe_ring_set_order_two()
 */
int strobe_ring_set_order(struct strobe_ring *ring, unsigned int order)
{
	return strobe_ring_set_order_two(ring, NULL, order);
}

/**
 * strobe_ring_match - make a ring like another one, so that they can be swapped
 * @ring: the ring; what it holds is dropped, and counts as overwritten
 * @like: the other one; a CPU of it may have another size than the next
 *
 * Context: Task context, may sleep. Takes shape_lock of @like, then of @ring, and
 * in them reader.lock of each CPU in turn.
 * Return: 0; -ENOMEM: the memory is not to be had; -EBUSY: @ring is mapped to user
 * space. Nothing has changed then.
 */
int strobe_ring_match(struct strobe_ring *ring, struct strobe_ring *like)
{
	struct strobe_ring_set *sets __free(kvfree) = NULL;
	int cpu, err = 0;

	sets = kvcalloc(nr_cpu_ids, sizeof(*sets), GFP_KERNEL);
	if (!sets)
		return -ENOMEM;
	strobe_ring_lock_two(like, ring);
	if (strobe_ring_is_fixed(ring, STROBE_RING_ALL_CPUS))
		err = -EBUSY;
	for_each_possible_cpu(cpu) {
		if (err)
			break;
		err = strobe_ring_set_make(&sets[cpu], cpu,
					   strobe_ring_of(like, cpu)->shape.nr_slots,
					   like->order);
	}
	if (!err)
		strobe_ring_exchange_sets(ring, like->order, sets);
	strobe_ring_unlock_two(like, ring);
	strobe_ring_sets_free(sets);
	return err;
}
