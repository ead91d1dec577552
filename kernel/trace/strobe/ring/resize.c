// SPDX-License-Identifier: GPL-2.0
/*
 * Change the number of a ring's sub-buffers.
 *
 *	1  allocate all memory, for all CPUs concerned; on -ENOMEM nothing has changed
 *	2  stop their writers: one grace period (STOP:A in write.c)
 *	3  for each, under reader.lock: move the newest records to the slots of a new
 *	   store, in sequences from 0 on; count those that don't fit as overrun; exchange
 *	   the stores
 *	4  let the writers continue
 *	5  one more grace period, for readers without a lock; free the old store, and
 *	   the sub-buffers that are left over
 *
 * The old store is not modified, since dump.c may be reading it.
 *
 * The reader page keeps its records. Records keep their index, so that readers can
 * tell how many they missed.
 *
 * Two rings that are swapped (swap.c) must have the same size: both are resized, or
 * neither.
 */
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "ring/internal.h"

/**
 * struct strobe_ring_plan - the new shape of one CPU's ring
 * @nr_slots: new number of slots; 0: no change
 * @nr_new: number of sub-buffers allocated
 * @store: the new store, without sub-buffers; afterwards the old one, whose sub-buffers
 *	have been moved
 * @left: the sub-buffers of the old store that are not moved yet, by their old ids
 * @spare: the allocated sub-buffers; afterwards those left over
 * @nr_spare: number of sub-buffers in @spare
 */
struct strobe_ring_plan {
	u32				nr_slots;
	u32				nr_new;
	struct strobe_ring_store	*store;
	struct strobe_subbuf		**left;
	struct strobe_subbuf		**spare;
	u32				nr_spare;
};

static void strobe_ring_plan_free(struct strobe_ring_plan *plan,
				  unsigned int order)
{
	while (plan->nr_spare)
		strobe_subbuf_free(plan->spare[--plan->nr_spare], order);
	kvfree(plan->spare);
	kvfree(plan->left);
	strobe_ring_store_free_tables(plan->store);
}

static int strobe_ring_plan_make(struct strobe_ring_plan *plan,
				 struct strobe_ring_cpu *rc, u32 nr_slots)
{
	u32 nr_old = rc->store->shape.nr_slots;
	int err;

	if (nr_slots == nr_old)
		return 0;
	plan->nr_slots = nr_slots;
	plan->nr_new = nr_slots > nr_old ? nr_slots - nr_old : 0;
	if (!strobe_ring_affordable(plan->nr_new, rc->store->order))
		return -ENOMEM;
	plan->store = strobe_ring_store_alloc(nr_slots, rc->store->order, NULL);
	plan->left = strobe_ring_table(nr_old + 2, sizeof(*plan->left));
	/* At most all old sub-buffers, with the reader's, and the new ones. */
	plan->spare = strobe_ring_table(max(nr_slots, nr_old) + 2, sizeof(*plan->spare));
	if (!plan->store || !plan->left || !plan->spare)
		return -ENOMEM;
	err = strobe_subbufs_alloc(plan->spare, plan->nr_new, rc->cpu,
				   rc->store->order);
	if (!err)
		plan->nr_spare = plan->nr_new;
	return err;
}

/* Move the slot of @seq to the new slot @index. */
static void strobe_ring_move_slot(struct strobe_ring_cpu *rc,
				  struct strobe_ring_plan *plan, u32 seq, u32 index)
{
	struct strobe_ring_lap *lap = &plan->store->laps[index];
	u64 word = atomic64_read(&strobe_ring_lap(rc, seq)->word);
	u32 id = strobe_slot_id(word);

	plan->store->slots[index] = plan->left[id];
	plan->store->subbufs[index] = plan->left[id];
	plan->left[id] = NULL;
	*lap = *strobe_ring_lap(rc, seq);
	atomic64_set(&lap->word, strobe_slot_make(true, strobe_slot_mark(word),
						  index, index));
}

/* Drop the slot of @seq, as its records do not fit. */
static void strobe_ring_drop_slot(struct strobe_ring_cpu *rc, u32 seq)
{
	u64 word = atomic64_read(&strobe_ring_lap(rc, seq)->word);

	local_add(strobe_slot_unread(word, strobe_ring_records(rc, seq, rc->committed)),
		  &rc->overrun);
}

/* Move the newest sequences to the slots of the plan, in order. Return: their number. */
static u32 strobe_ring_move_newest(struct strobe_ring_cpu *rc,
				   struct strobe_ring_plan *plan)
{
	u32 newest = strobe_word_seq(rc->committed), held = 0, kept = 0, i, seq;
	u32 oldest = strobe_seq_back(&rc->store->shape, newest, rc->store->shape.nr_slots - 1);
	bool found = false;

	for (i = 0, seq = oldest; i < rc->store->shape.nr_slots; i++) {
		if (strobe_slot_holds(atomic64_read(&strobe_ring_lap(rc, seq)->word), seq))
			held++;
		seq = strobe_seq_next(&rc->store->shape, seq);
	}
	for (i = 0, seq = oldest; i < rc->store->shape.nr_slots; i++) {
		bool mine = seq == rc->reader.cursor.seq;

		if (!strobe_slot_holds(atomic64_read(&strobe_ring_lap(rc, seq)->word), seq)) {
			/* Claimed or taken: no records. */
		} else if (held-- > plan->nr_slots) {
			strobe_ring_drop_slot(rc, seq);
		} else {
			strobe_ring_move_slot(rc, plan, seq, kept);
			if (mine && !found) {
				rc->reader.cursor.seq = kept;
				found = true;
				mine = false;
			}
			kept++;
		}
		seq = strobe_seq_next(&rc->store->shape, seq);
	}
	if (!found) {
		/* The reader's sequence is gone: continue with the oldest one. */
		rc->reader.cursor.seq = 0;
		rc->reader.cursor.off = 0;
	}
	return kept;
}

/* Give each slot from @kept on a sub-buffer; the rest is left over. */
static void strobe_ring_fill_slots(struct strobe_ring_cpu *rc,
				   struct strobe_ring_plan *plan, u32 kept)
{
	struct strobe_ring_store *store = plan->store;
	u32 id;

	for (id = 0; id < rc->store->shape.nr_slots + 2; id++) {
		if (plan->left[id])
			plan->spare[plan->nr_spare++] = plan->left[id];
	}
	for (id = kept; id < plan->nr_slots; id++) {
		store->subbufs[id] = plan->spare[--plan->nr_spare];
		store->slots[id] = store->subbufs[id];
		atomic64_set(&store->laps[id].word, strobe_slot_make(false, 0, id, id));
	}
}

/* Step 3. */
static void strobe_ring_plan_apply(struct strobe_ring_cpu *rc,
				   struct strobe_ring_plan *plan)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_store *old = rc->store;
	bool vouched;
	u32 kept;

	mutex_lock(&reader->lock);
	strobe_ring_change_begin(rc);
	memcpy(plan->left, old->subbufs, (old->shape.nr_slots + 2) * sizeof(*plan->left));
	plan->left[reader->hand_id] = NULL;
	kept = strobe_ring_move_newest(rc, plan);
	strobe_ring_fill_slots(rc, plan, kept);
	plan->store->subbufs[plan->nr_slots] = old->subbufs[reader->hand_id];
	reader->hand_id = plan->nr_slots;
	reader->spare_id = STROBE_NO_SUBBUF;

	strobe_ring_set_store(rc, plan->store);
	plan->store = old;
	/* Keep the time of the newest record. */
	vouched = rc->last_word == rc->word;
	/* A writer that is held off may load it: strobe_ring_fits(). */
	WRITE_ONCE(rc->word, strobe_word_make(kept - 1, strobe_word_count(rc->word),
					      strobe_word_off(rc->word)));
	rc->last_word = vouched ? rc->word : STROBE_WORD_NONE;
	rc->extended = STROBE_WORD_NONE;
	/* As LEAVE:A: if TAKE:A reads this value, it sees the new slots. */
	smp_store_release(&rc->committed, rc->word);
	strobe_ring_set_place(rc);
	strobe_ring_change_end(rc);
	mutex_unlock(&reader->lock);
}

/* Step 1 for @ring. Return: 0; -ENOMEM: call strobe_ring_plans_free(); -EBUSY. */
static int strobe_ring_plans_make(struct strobe_ring *ring, int cpu, size_t bytes,
				  struct strobe_ring_plan *plans)
{
	u32 nr_slots = strobe_ring_slots_for(strobe_ring_limit(ring->order), bytes);
	int i, err = 0;

	if (!nr_slots)
		return -ENOMEM;
	if (strobe_ring_is_fixed(ring, cpu))
		return -EBUSY;
	strobe_ring_for_each(ring, cpu, i) {
		err = strobe_ring_plan_make(&plans[i], strobe_ring_of(ring, i),
					    nr_slots);
		if (err)
			break;
	}
	return err;
}

/* Steps 2 to 4. */
static void strobe_ring_plans_apply(struct strobe_ring *ring, int cpu,
				    struct strobe_ring_plan *plans)
{
	int i;

	strobe_ring_stop(ring, cpu);
	strobe_ring_for_each(ring, cpu, i) {
		if (plans[i].nr_slots)
			strobe_ring_plan_apply(strobe_ring_of(ring, i), &plans[i]);
	}
	strobe_ring_start(ring, cpu);
	/* Waiters for a part of the ring wait for another number of sub-buffers now. */
	strobe_ring_wake(ring, cpu);
}

static void strobe_ring_plans_free(struct strobe_ring *ring,
				   struct strobe_ring_plan *plans)
{
	int i;

	for (i = 0; i < nr_cpu_ids; i++)
		strobe_ring_plan_free(&plans[i], ring->order);
}

/**
 * strobe_ring_resize_two - change the size of two rings, or of neither
 * @ring: a ring
 * @other: another one; NULL: only @ring
 * @bytes: new size of each CPU's ring; rounded up to whole sub-buffers, at least two
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * The newest records stay. Writers and swaps are held off meanwhile.
 *
 * Context: Task context, may sleep. Takes shape_lock of @ring, then of @other, and in them
 * reader.lock of each CPU in turn.
 * Return: 0; -ENOMEM: no memory, or more sub-buffers than the state word can count; -EBUSY:
 * a ring is mapped to user space or persistent. On error nothing has changed.
 */
int strobe_ring_resize_two(struct strobe_ring *ring, struct strobe_ring *other,
			   size_t bytes, int cpu)
{
	struct strobe_ring_plan *plans __free(kvfree) = NULL;
	struct strobe_ring_plan *others;
	int err;

	plans = kvcalloc(nr_cpu_ids, 2 * sizeof(*plans), GFP_KERNEL);
	if (!plans)
		return -ENOMEM;
	others = plans + nr_cpu_ids;
	strobe_ring_lock_two(ring, other);
	err = strobe_ring_plans_make(ring, cpu, bytes, plans);
	if (!err && other)
		err = strobe_ring_plans_make(other, cpu, bytes, others);
	if (!err) {
		strobe_ring_plans_apply(ring, cpu, plans);
		if (other)
			strobe_ring_plans_apply(other, cpu, others);
		synchronize_rcu_expedited();
	}
	strobe_ring_plans_free(ring, plans);
	if (other)
		strobe_ring_plans_free(other, others);
	strobe_ring_unlock_two(ring, other);
	return err;
}

/**
 * strobe_ring_resize - change the size of a ring
 * @ring: the ring
 * @bytes: as for strobe_ring_resize_two()
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * Context: Task context, may sleep.
 * Return: as strobe_ring_resize_two().
 */
int strobe_ring_resize(struct strobe_ring *ring, size_t bytes, int cpu)
{
	return strobe_ring_resize_two(ring, NULL, bytes, cpu);
}
