// SPDX-License-Identifier: GPL-2.0
/*
 * Changing the size of a ring's sub-buffers.
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
 * @slots: the slots
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
static int strobe_ring_set_make(struct strobe_ring_set *set, struct strobe_ring *ring,
				int cpu, unsigned int order)
{
	struct strobe_subbuf **subbufs;
	int err;

	set->order = order;
	set->nr_slots = strobe_ring_slots_for(strobe_ring_limit(order),
					      strobe_ring_bytes(ring, cpu));
	if (!set->nr_slots || !strobe_ring_affordable(set->nr_slots, order))
		return -ENOMEM;
	set->slots = strobe_ring_table(set->nr_slots, sizeof(*set->slots));
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
	synchronize_rcu();
}

/**
 * strobe_ring_set_order - change the size of a ring's sub-buffers
 * @ring: the ring
 * @order: 2^@order pages each; 64 KiB at most
 *
 * What is recorded is dropped, and counts as overwritten. Nothing is recorded
 * meanwhile.
 *
 * Context: Task context, may sleep. Takes shape_lock, and in it reader.lock of
 * each CPU in turn.
 * Return: 0; -EINVAL: no such order; -ENOMEM: the memory is not to be had;
 * -EBUSY: a ring is mapped to user space. Nothing has changed then.
 */
int strobe_ring_set_order(struct strobe_ring *ring, unsigned int order)
{
	struct strobe_ring_set *sets __free(kvfree) = NULL;
	int cpu, err = 0;

	if (!strobe_ring_order_valid(order))
		return -EINVAL;
	sets = kvcalloc(nr_cpu_ids, sizeof(*sets), GFP_KERNEL);
	if (!sets)
		return -ENOMEM;
	guard(mutex)(&ring->shape_lock);
	if (order == ring->order)
		return 0;
	if (strobe_ring_is_mapped(ring, STROBE_RING_ALL_CPUS))
		return -EBUSY;
	for_each_possible_cpu(cpu) {
		err = strobe_ring_set_make(&sets[cpu], ring, cpu, order);
		if (err)
			break;
	}
	if (!err)
		strobe_ring_exchange_sets(ring, order, sets);
	for_each_possible_cpu(cpu)
		strobe_ring_set_free(&sets[cpu]);
	return err;
}
