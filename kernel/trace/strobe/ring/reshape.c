// SPDX-License-Identifier: GPL-2.0
/*
 * Change the shape of a ring: the number of its sub-buffers, their size, or both, so that it
 * is that of another ring.
 *
 *	N1  allocate all memory, for all CPUs concerned; on -ENOMEM nothing has changed
 *	N2  stop their writers: one grace period (STOP:A in write.c)
 *	N3  for each CPU, under reader.lock: exchange the store
 *	N4  let the writers continue
 *	N5  one more grace period, for readers without a lock; free the old stores, and
 *	    the sub-buffers that are left over
 *
 * If only the number of sub-buffers changes, N3 moves the newest records to the slots of
 * the new store, in sequences from 0 on, and counts those that don't fit as overrun. The
 * reader page keeps its records. The old store is not modified, since dump.c may be reading
 * it.
 *
 * Otherwise the new store has sub-buffers of its own, with a reader page. The records are
 * dropped, and count as overrun. An iterator that has memory of the old size notices the new
 * generation; see iter.c.
 *
 * The index of records continues in both cases, so that readers can tell how many they
 * missed.
 *
 * Two rings that are swapped (swap.c) must have the same shape: both are changed, or
 * neither.
 *
 * And at the end: remove all records.
 */
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "ring/internal.h"
#include "ring/region.h"

/**
 * struct strobe_ring_change - what becomes of a ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 * @order: new order of the sub-buffers
 * @bytes: new size of each CPU's ring; 0: as before, rounded up to whole sub-buffers
 * @like: use the numbers of slots of that ring's CPUs instead of @bytes; or NULL
 * @keep: keep the newest records; @order is the old one
 */
struct strobe_ring_change {
	int			cpu;
	unsigned int		order;
	size_t			bytes;
	struct strobe_ring	*like;
	bool			keep;
};

/**
 * struct strobe_ring_plan - the new shape of one CPU's ring
 * @store: the new store; afterwards the old one; NULL: no change
 * @left: NULL, or records move: the sub-buffers of the old store that are not moved yet, by
 *	their old ids. Then neither @store nor, afterwards, the old one has sub-buffers
 * @spare: the sub-buffers allocated for that; afterwards those left over
 * @nr_spare: number of sub-buffers in @spare
 */
struct strobe_ring_plan {
	struct strobe_ring_store	*store;
	struct strobe_subbuf		**left;
	struct strobe_subbuf		**spare;
	u32				nr_spare;
};

static void strobe_ring_plan_free(struct strobe_ring_plan *plan)
{
	if (!plan->left)
		return strobe_ring_store_free(plan->store);
	while (plan->nr_spare)
		strobe_subbuf_free(plan->spare[--plan->nr_spare], plan->store->order);
	kvfree(plan->spare);
	kvfree(plan->left);
	strobe_ring_store_free_tables(plan->store);
}

/* N1, if records move. */
static int strobe_ring_plan_move(struct strobe_ring_plan *plan,
				 struct strobe_ring_cpu *rc, u32 nr_slots)
{
	u32 nr_old = rc->store->shape.nr_slots;
	u32 nr_new = nr_slots > nr_old ? nr_slots - nr_old : 0;
	int err;

	if (nr_slots == nr_old)
		return 0;
	if (!strobe_ring_affordable(nr_new, rc->store->order))
		return -ENOMEM;
	plan->left = strobe_ring_table(nr_old + 2, sizeof(*plan->left));
	if (!plan->left)
		return -ENOMEM;
	plan->store = strobe_ring_store_alloc(nr_slots, rc->store->order, NULL);
	/* At most all old sub-buffers, with the reader's, and the new ones. */
	plan->spare = strobe_ring_table(max(nr_slots, nr_old) + 2, sizeof(*plan->spare));
	if (!plan->store || !plan->spare)
		return -ENOMEM;
	err = strobe_subbufs_alloc(plan->spare, nr_new, rc->cpu, rc->store->order);
	if (!err)
		plan->nr_spare = nr_new;
	return err;
}

/* N1. On -ENOMEM the caller frees the plan. */
static int strobe_ring_plan_make(struct strobe_ring_plan *plan, struct strobe_ring_cpu *rc,
				 const struct strobe_ring_change *change)
{
	size_t bytes = change->bytes ?: strobe_ring_bytes(rc->ring, rc->cpu);
	u32 nr_slots;

	if (change->like)
		nr_slots = strobe_ring_of(change->like, rc->cpu)->store->shape.nr_slots;
	else
		nr_slots = strobe_ring_slots_for(strobe_ring_limit(change->order), bytes);
	if (!nr_slots)
		return -ENOMEM;
	if (change->keep)
		return strobe_ring_plan_move(plan, rc, nr_slots);
	plan->store = strobe_ring_store_make(nr_slots, change->order, rc->cpu);
	return plan->store ? 0 : -ENOMEM;
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
		} else if (held-- > plan->store->shape.nr_slots) {
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
	for (id = kept; id < store->shape.nr_slots; id++) {
		store->subbufs[id] = plan->spare[--plan->nr_spare];
		store->slots[id] = store->subbufs[id];
		atomic64_set(&store->laps[id].word, strobe_slot_make(false, 0, id, id));
	}
}

/* N3, if records move. Return: the number of sequences that hold some */
static u32 strobe_ring_move(struct strobe_ring_cpu *rc, struct strobe_ring_plan *plan)
{
	const struct strobe_ring_store *old = rc->store;
	u32 hand_id = rc->reader.hand_id, nr_slots = plan->store->shape.nr_slots, kept;

	memcpy(plan->left, old->subbufs, (old->shape.nr_slots + 2) * sizeof(*plan->left));
	plan->left[hand_id] = NULL;
	kept = strobe_ring_move_newest(rc, plan);
	strobe_ring_fill_slots(rc, plan, kept);
	plan->store->subbufs[nr_slots] = old->subbufs[hand_id];
	return kept;
}

/* The newest record is in sequence @newest of the new store. */
static void strobe_ring_continue(struct strobe_ring_cpu *rc, u32 newest)
{
	/* Keep the time of the newest record. */
	bool vouched = rc->last_word == rc->word;

	/* A writer that is held off may load it: strobe_ring_fits(). */
	WRITE_ONCE(rc->word, strobe_word_make(newest, strobe_word_count(rc->word),
					      strobe_word_off(rc->word)));
	rc->last_word = vouched ? rc->word : STROBE_WORD_NONE;
	rc->extended = STROBE_WORD_NONE;
	/* As LEAVE:A: if TAKE:A reads this value, it sees the new slots. */
	smp_store_release(&rc->committed, rc->word);
	strobe_ring_set_place(rc);
}

/*
 * Drop the records. The next one has @index; from @gone on, there were records that are not
 * read and not counted as overrun yet.
 */
static void strobe_ring_drop_all(struct strobe_ring_cpu *rc, u64 index, u64 gone)
{
	local_add(index - gone, &rc->overrun);
	rc->reader.next -= rc->reader.hand_left;
	strobe_ring_begin_at(rc, index);
}

/* N3 */
static void strobe_ring_plan_apply(struct strobe_ring_cpu *rc, struct strobe_ring_plan *plan)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_store *old = rc->store;
	u64 index, gone;
	u32 kept = 0;

	mutex_lock(&reader->lock);
	strobe_ring_change_begin(rc);
	index = strobe_ring_next_index(rc);
	gone = rc->origin + reader->read + strobe_ring_overrun(rc);
	if (plan->left)
		kept = strobe_ring_move(rc, plan);

	strobe_ring_set_store(rc, plan->store);
	plan->store = old;
	reader->hand_id = rc->store->shape.nr_slots;
	reader->spare_id = STROBE_NO_SUBBUF;
	if (plan->left)
		strobe_ring_continue(rc, kept - 1);
	else
		strobe_ring_drop_all(rc, index, gone);
	strobe_ring_change_end(rc);
	mutex_unlock(&reader->lock);
}

/* N1 for @ring. Return: 0; -ENOMEM: the caller frees the plans; -EBUSY. */
static int strobe_ring_plans_make(struct strobe_ring *ring,
				  const struct strobe_ring_change *change,
				  struct strobe_ring_plan *plans)
{
	int i, err = 0;

	if (strobe_ring_is_fixed(ring, change->cpu))
		return -EBUSY;
	strobe_ring_for_each(ring, change->cpu, i) {
		err = strobe_ring_plan_make(&plans[i], strobe_ring_of(ring, i), change);
		if (err)
			break;
	}
	return err;
}

/* N2 to N4 */
static void strobe_ring_plans_apply(struct strobe_ring *ring,
				    const struct strobe_ring_change *change,
				    struct strobe_ring_plan *plans)
{
	int i;

	strobe_ring_stop(ring, change->cpu);
	WRITE_ONCE(ring->order, change->order);
	strobe_ring_for_each(ring, change->cpu, i) {
		if (plans[i].store)
			strobe_ring_plan_apply(strobe_ring_of(ring, i), &plans[i]);
	}
	strobe_ring_start(ring, change->cpu);
	/* Waiters for a part of the ring wait for another number of sub-buffers now. */
	strobe_ring_wake(ring, change->cpu);
}

/* Change @ring and, unless it is NULL, @other. They are locked by strobe_ring_lock_two(). */
static int strobe_ring_reshape(struct strobe_ring *ring, struct strobe_ring *other,
			       const struct strobe_ring_change *change)
{
	struct strobe_ring_plan *plans __free(kvfree) = NULL;
	struct strobe_ring_plan *others;
	unsigned int i;
	int err;

	plans = kvcalloc(nr_cpu_ids, 2 * sizeof(*plans), GFP_KERNEL);
	if (!plans)
		return -ENOMEM;
	others = plans + nr_cpu_ids;
	err = strobe_ring_plans_make(ring, change, plans);
	if (!err && other)
		err = strobe_ring_plans_make(other, change, others);
	if (!err) {
		strobe_ring_plans_apply(ring, change, plans);
		if (other)
			strobe_ring_plans_apply(other, change, others);
		/* N5 */
		synchronize_rcu_expedited();
	}
	for (i = 0; i < 2 * nr_cpu_ids; i++)
		strobe_ring_plan_free(&plans[i]);
	return err;
}

/**
 * strobe_ring_resize_two - change the size of two rings, or of neither
 * @ring: a ring
 * @other: another one, with sub-buffers of the same size; NULL: only @ring
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
	struct strobe_ring_change change = { .cpu = cpu, .keep = true };
	int err;

	change.bytes = bytes ?: 1;	/* 0 would mean the old size. */
	strobe_ring_lock_two(ring, other);
	change.order = ring->order;
	err = strobe_ring_reshape(ring, other, &change);
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
	const struct strobe_ring_change change = { .cpu = STROBE_RING_ALL_CPUS, .order = order };
	int err = 0;

	if (!strobe_ring_order_valid(order))
		return -EINVAL;
	strobe_ring_lock_two(ring, other);
	if (order != ring->order)
		err = strobe_ring_reshape(ring, other, &change);
	strobe_ring_unlock_two(ring, other);
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
	struct strobe_ring_change change = { .cpu = STROBE_RING_ALL_CPUS, .like = like };
	int err;

	strobe_ring_lock_two(like, ring);
	change.order = like->order;
	err = strobe_ring_reshape(ring, NULL, &change);
	strobe_ring_unlock_two(like, ring);
	return err;
}

/* The writers are stopped, so all records are committed. */
static void strobe_ring_cpu_reset(struct strobe_ring_cpu *rc)
{
	mutex_lock(&rc->reader.lock);
	strobe_ring_change_begin(rc);
	strobe_ring_clear(rc, strobe_ring_next_index(rc));
	strobe_ring_change_end(rc);
	strobe_ring_map_empty(rc);
	mutex_unlock(&rc->reader.lock);
}

/**
 * strobe_ring_reset - remove all records, and reset all counters
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * The writers are held off meanwhile.
 *
 * Context: Task context, may sleep. Takes shape_lock, and reader.lock of each CPU in turn.
 */
void strobe_ring_reset(struct strobe_ring *ring, int cpu)
{
	int i;

	mutex_lock(&ring->shape_lock);
	strobe_ring_stop(ring, cpu);
	strobe_ring_for_each(ring, cpu, i)
		strobe_ring_cpu_reset(strobe_ring_of(ring, i));
	if (ring->region.start && cpu == STROBE_RING_ALL_CPUS)
		strobe_region_end(ring);
	strobe_ring_start(ring, cpu);
	mutex_unlock(&ring->shape_lock);
}
