// SPDX-License-Identifier: GPL-2.0
/*
 * Change the size of a ring's sub-buffers, or give a ring the shape of another one.
 *
 *	1  allocate all memory, for all CPUs; on -ENOMEM nothing has changed
 *	2  stop the writers: one grace period (STOP:A in write.c)
 *	3  for each CPU, under reader.lock: exchange the store, including the reader
 *	   page; count the records that were held as overrun
 *	4  let the writers continue
 *	5  one more grace period, for readers without a lock; free the old stores
 *
 * The ring of each CPU keeps its size in bytes, rounded up to whole sub-buffers.
 * Its records are dropped. The index of new records continues from there, so that
 * readers can tell how many they missed. An iterator that has memory of the old size
 * notices the new generation; see iter.c.
 */
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "ring/internal.h"

/* Step 3. @store: the new store; set to the old one. */
static void strobe_ring_exchange_store(struct strobe_ring_cpu *rc,
				       struct strobe_ring_store **store)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_store *old = rc->store;
	u64 index, gone;

	mutex_lock(&reader->lock);
	strobe_ring_change_begin(rc);
	index = strobe_ring_next_index(rc);
	gone = rc->origin + reader->read + strobe_ring_overrun(rc);
	strobe_ring_set_store(rc, *store);
	*store = old;

	local_add(index - gone, &rc->overrun);
	reader->next -= reader->hand_left;
	reader->hand_id = rc->store->shape.nr_slots;
	reader->spare_id = STROBE_NO_SUBBUF;
	strobe_ring_begin_at(rc, index);
	strobe_ring_change_end(rc);
	mutex_unlock(&reader->lock);
}

/* Steps 2 to 5. */
static void strobe_ring_exchange_stores(struct strobe_ring *ring, unsigned int order,
					struct strobe_ring_store **stores)
{
	int cpu;

	strobe_ring_stop(ring, STROBE_RING_ALL_CPUS);
	WRITE_ONCE(ring->order, order);
	for_each_possible_cpu(cpu)
		strobe_ring_exchange_store(strobe_ring_of(ring, cpu), &stores[cpu]);
	strobe_ring_start(ring, STROBE_RING_ALL_CPUS);
	/* Waiters for a part of the ring wait for another number of sub-buffers now. */
	strobe_ring_wake(ring, STROBE_RING_ALL_CPUS);
	synchronize_rcu_expedited();
}

/* Step 1: allocate stores with sub-buffers of @order. */
static int strobe_ring_stores_make(struct strobe_ring *ring, unsigned int order,
				   struct strobe_ring_store **stores)
{
	int cpu;
	u32 nr_slots;

	if (strobe_ring_is_fixed(ring, STROBE_RING_ALL_CPUS))
		return -EBUSY;
	for_each_possible_cpu(cpu) {
		nr_slots = strobe_ring_slots_for(strobe_ring_limit(order),
						 strobe_ring_bytes(ring, cpu));
		if (!nr_slots)
			return -ENOMEM;
		stores[cpu] = strobe_ring_store_make(nr_slots, order, cpu);
		if (!stores[cpu])
			return -ENOMEM;
	}
	return 0;
}

static void strobe_ring_stores_free(struct strobe_ring_store **stores)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		strobe_ring_store_free(stores[cpu]);
}

/**
 * strobe_ring_set_order_two - change the size of two rings' sub-buffers, or of neither
 * @ring: a ring
 * @other: another one, with sub-buffers of the same size; NULL: only @ring
 * @order: 2^@order pages each; 64 KiB at most
 *
 * The records are dropped, and count as overwritten. Writers and swaps are held off
 * meanwhile.
 *
 * Context: Task context, may sleep. Takes shape_lock of @ring, then of @other, and in them
 * reader.lock of each CPU in turn.
 * Return: 0; -EINVAL: invalid order; -ENOMEM: no memory; -EBUSY: a ring is mapped to user
 * space or persistent. On error nothing has changed.
 */
int strobe_ring_set_order_two(struct strobe_ring *ring, struct strobe_ring *other,
			      unsigned int order)
{
	struct strobe_ring_store **stores __free(kvfree) = NULL;
	struct strobe_ring_store **others;
	int err = 0;

	if (!strobe_ring_order_valid(order))
		return -EINVAL;
	stores = kvcalloc(nr_cpu_ids, 2 * sizeof(*stores), GFP_KERNEL);
	if (!stores)
		return -ENOMEM;
	others = stores + nr_cpu_ids;
	strobe_ring_lock_two(ring, other);
	if (order == ring->order)
		goto unlock;
	err = strobe_ring_stores_make(ring, order, stores);
	if (!err && other)
		err = strobe_ring_stores_make(other, order, others);
	if (!err)
		strobe_ring_exchange_stores(ring, order, stores);
	if (!err && other)
		strobe_ring_exchange_stores(other, order, others);
unlock:
	strobe_ring_unlock_two(ring, other);
	strobe_ring_stores_free(stores);
	strobe_ring_stores_free(others);
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
 * strobe_ring_match - give a ring the shape of another one, so that they can be swapped
 * @ring: the ring; its records are dropped, and count as overwritten
 * @like: the other ring; its CPUs may have different sizes
 *
 * Context: Task context, may sleep. Takes shape_lock of @like, then of @ring, and in them
 * reader.lock of each CPU in turn.
 * Return: 0; -ENOMEM: no memory; -EBUSY: @ring is mapped to user space or persistent. On
 * error nothing has changed.
 */
int strobe_ring_match(struct strobe_ring *ring, struct strobe_ring *like)
{
	struct strobe_ring_store **stores __free(kvfree) = NULL;
	int cpu, err = 0;
	u32 nr_slots;

	stores = kvcalloc(nr_cpu_ids, sizeof(*stores), GFP_KERNEL);
	if (!stores)
		return -ENOMEM;
	strobe_ring_lock_two(like, ring);
	if (strobe_ring_is_fixed(ring, STROBE_RING_ALL_CPUS))
		err = -EBUSY;
	for_each_possible_cpu(cpu) {
		if (err)
			break;
		nr_slots = strobe_ring_of(like, cpu)->store->shape.nr_slots;
		stores[cpu] = strobe_ring_store_make(nr_slots, like->order, cpu);
		if (!stores[cpu])
			err = -ENOMEM;
	}
	if (!err)
		strobe_ring_exchange_stores(ring, like->order, stores);
	strobe_ring_unlock_two(like, ring);
	strobe_ring_stores_free(stores);
	return err;
}
