/* SPDX-License-Identifier: GPL-2.0 */
/* Internal declarations of the ring. */
#ifndef _STROBE_RING_INTERNAL_H
#define _STROBE_RING_INTERNAL_H

#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>

#include "ring/ring.h"
#include "ring/ring_types.h"

#define STROBE_STAMP_UNITS	(STROBE_RECORD_STAMP_SIZE / STROBE_RECORD_UNIT)

/*
 * torture/ builds variants of the algorithm that lack one step each, and must find the error.
 * Variants for user space are in tools/testing/strobe/planted.
 */
#ifndef STROBE_BUSTED_WRAP	/* overwrites what is not committed */
#define STROBE_BUSTED_WRAP	0
#endif
#ifndef STROBE_BUSTED_COPY	/* does not validate a copy */
#define STROBE_BUSTED_COPY	0
#endif
#ifndef STROBE_BUSTED_EARLY	/* does X3 before X2 */
#define STROBE_BUSTED_EARLY	0
#endif
#ifndef STROBE_BUSTED_PUBLISH	/* leaves out L5 */
#define STROBE_BUSTED_PUBLISH	0
#endif
#ifndef STROBE_BUSTED_COUNT	/* goes on counting a record that became padding */
#define STROBE_BUSTED_COUNT	0
#endif
#ifndef STROBE_BUSTED_LAST	/* discards a record, but not its time */
#define STROBE_BUSTED_LAST	0
#endif

/* For each possible CPU, or only @which. */
#define strobe_ring_for_each(ring, which, cpu)				\
	for_each_possible_cpu(cpu)					\
		if ((which) != STROBE_RING_ALL_CPUS && (which) != (cpu))\
			continue;					\
		else

static inline struct strobe_ring_cpu *
strobe_ring_of(const struct strobe_ring *ring, int cpu)
{
	/* Address dependency: sees what was stored before SWAP:A. Pairs with SWAP:A. */
	return per_cpu_ptr(READ_ONCE(ring->percpu), cpu);
}

/*
 * Must the ring keep its sub-buffers, on @cpu? It is mapped to user space, or persistent.
 * The caller holds shape_lock.
 */
static inline bool strobe_ring_is_fixed(const struct strobe_ring *ring, int cpu)
{
	int i;

	if (ring->region.start)
		return true;
	strobe_ring_for_each(ring, cpu, i) {
		if (strobe_ring_of(ring, i)->reader.mapping)
			return true;
	}
	return false;
}

/* Where the slot of @seq has the pointer to its sub-buffer. */
static inline struct strobe_subbuf **
strobe_ring_slot(const struct strobe_ring_cpu *rc, u32 seq)
{
	return rc->store->slots + strobe_seq_index(&rc->store->shape, seq);
}

static inline struct strobe_ring_lap *
strobe_ring_lap(const struct strobe_ring_cpu *rc, u32 seq)
{
	return rc->store->laps +
	       strobe_seq_index(&rc->store->shape, seq);
}

/* Begin a change that moves cursors; see dump.c and iter.c. reader.lock is held. */
static inline void strobe_ring_change_begin(struct strobe_ring_cpu *rc)
{
	WRITE_ONCE(rc->changing, true);
	/* DUMP:C: if DUMP:D reads this, it sees changing. Pairs with DUMP:D. */
	smp_store_release(&rc->generation, rc->generation + 1);
	/* DUMP:B: generation before the stores of the change. Pairs with DUMP:A. */
	smp_wmb();
}

static inline void strobe_ring_change_end(struct strobe_ring_cpu *rc)
{
	/* DUMP:E: if DUMP:F reads false, it sees the whole change. Pairs with DUMP:F. */
	smp_store_release(&rc->changing, false);
}

/* Number of records of the sequence with @lap, @seq, up to the state word @committed. */
static inline u32 strobe_lap_records(const struct strobe_ring_lap *lap, u32 seq, u64 committed)
{
	if (seq == strobe_word_seq(committed))
		return strobe_word_count(committed);
	return READ_ONCE(lap->count);
}

static inline u32 strobe_ring_records(const struct strobe_ring_cpu *rc, u32 seq, u64 committed)
{
	return strobe_lap_records(strobe_ring_lap(rc, seq), seq, committed);
}

/* Longest payload in a sub-buffer of @limit units. */
static inline u32 strobe_ring_limit_payload(u32 limit)
{
	return limit * STROBE_RECORD_UNIT -
	       sizeof(struct strobe_record) - STROBE_RECORD_UNIT;
}

/* Capacity of a sub-buffer of 2^@order pages, in units. */
static inline u32 strobe_ring_limit(unsigned int order)
{
	return ((PAGE_SIZE << order) - STROBE_SUBBUF_HEADER) / STROBE_RECORD_UNIT;
}

/* The value of struct strobe_ring_stats. The caller holds reader.lock. */
static inline unsigned long strobe_ring_overrun(const struct strobe_ring_cpu *rc)
{
	return local_read(&rc->overrun) + rc->reader.damaged;
}

/* Index of the next record. The writers are stopped. */
static inline u64 strobe_ring_next_index(const struct strobe_ring_cpu *rc)
{
	return strobe_ring_lap(rc, strobe_word_seq(rc->committed))->first +
	       strobe_word_count(rc->committed);
}

/* strobe_ring_record.past of the record @index. */
static inline const struct strobe_ring_past *
strobe_ring_past_of(const struct strobe_ring_cpu *rc, u64 index)
{
	return index < rc->past ? &rc->ring->past : NULL;
}

static inline bool strobe_ring_order_valid(unsigned int order)
{
	return order <= STROBE_SUBBUF_ORDER_MAX &&
	       PAGE_SIZE << order <= STROBE_SUBBUF_BYTES_MAX;
}

/* The place up to which the consuming reader has read */
static inline u64 strobe_ring_get_place(const struct strobe_ring_cpu *rc)
{
	/*
	 * PLACE:A: loads after this one see the in_hand of the reader that stored the place, and
	 * what it knew as committed. Pairs with strobe_ring_set_place().
	 */
	return smp_load_acquire(&rc->place);
}

/*
 * Are there records that were not consumed? May be stale, but counts each record that was
 * committed before: place is loaded first, then in_hand is true if a reader has the record in
 * hand.
 */
static inline bool strobe_ring_pending(const struct strobe_ring_cpu *rc)
{
	u64 place = strobe_ring_get_place(rc);

	return strobe_word_place(READ_ONCE(rc->committed)) != place || READ_ONCE(rc->in_hand);
}

/*
 * Number of sub-buffers with records to consume, including the one being written. May be
 * stale, and meaningless during a resize, which wakes the waiters afterwards.
 */
static inline u32 strobe_ring_dirty(const struct strobe_ring_cpu *rc)
{
	u32 distance, seq;

	if (!strobe_ring_pending(rc))
		return 0;
	/* First, as a distance to a sequence that was committed earlier makes no sense. */
	seq = strobe_word_seq(strobe_ring_get_place(rc));
	preempt_disable_notrace();	/* Keeps the store from being freed. */
	distance = strobe_seq_distance(&READ_ONCE(rc->store)->shape, seq,
				       strobe_word_seq(READ_ONCE(rc->committed)));
	preempt_enable_notrace();
	return 1 + distance;
}

/* Publish how far the consuming reader has read, for strobe_ring_pending(). */
static inline void strobe_ring_set_place(struct strobe_ring_cpu *rc)
{
	const struct strobe_ring_cursor *cursor = &rc->reader.cursor;

	/* PLACE:A: after in_hand. Pairs with strobe_ring_get_place(). */
	smp_store_release(&rc->place, strobe_word_make(cursor->seq, 0, cursor->off));
}

/**
 * struct strobe_ring_find - what a reader found at its cursor
 * @lap: the lap of the slot
 * @word: its slot word; if it has changed since, the rest is invalid
 * @index: index of the first record that the consuming reader has not read
 * @unread: number of such records
 * @walk: the records after the cursor
 */
struct strobe_ring_find {
	struct strobe_ring_lap	*lap;
	u64			word;
	u64			index;
	u32			unread;
	struct strobe_ring_walk	walk;
};

/* read.c */
bool strobe_ring_find(const struct strobe_ring_store *store,
		      struct strobe_ring_cursor *cursor,
		      struct strobe_ring_find *find, u64 committed);
bool strobe_ring_cursor_next(const struct strobe_ring_store *store,
			     struct strobe_ring_cursor *cursor, u64 committed);
void strobe_ring_copy(struct strobe_ring_walk *to, struct strobe_subbuf *subbuf,
		      const struct strobe_ring_walk *from);
bool strobe_ring_own(struct strobe_ring_cpu *rc, u32 records);
bool strobe_ring_look_up(struct strobe_ring_cpu *rc, bool whole,
			 struct strobe_ring_walk *after,
			 struct strobe_ring_record *record);

/* control.c */
void strobe_ring_stop(struct strobe_ring *ring, int cpu);
void strobe_ring_start(struct strobe_ring *ring, int cpu);
void strobe_ring_cpu_clock(struct strobe_ring_cpu *rc, u64 (*clock)(void));
void strobe_ring_set_capacity(struct strobe_ring_cpu *rc, u32 capacity);
void strobe_ring_block(struct strobe_ring *ring);
void strobe_ring_block_ahead(struct strobe_ring *ring,
			     struct strobe_ring_cpu __percpu *percpu);

/* swap.c */
void strobe_ring_lock_two(struct strobe_ring *a, struct strobe_ring *b);
void strobe_ring_unlock_two(struct strobe_ring *a, struct strobe_ring *b);

/* alloc.c */
struct strobe_subbuf *strobe_subbuf_alloc(int cpu, unsigned int order);
void strobe_subbuf_free(struct strobe_subbuf *subbuf, unsigned int order);
bool strobe_ring_affordable(u32 nr, unsigned int order);
void *strobe_ring_table(u32 nr, size_t size);
struct strobe_ring_store *strobe_ring_store_alloc(u32 nr_slots, unsigned int order,
						  struct strobe_subbuf **slots);
struct strobe_ring_store *strobe_ring_store_make(u32 nr_slots, unsigned int order,
						 int cpu);
void strobe_ring_store_free(struct strobe_ring_store *store);
void strobe_ring_store_free_tables(struct strobe_ring_store *store);
void strobe_ring_set_store(struct strobe_ring_cpu *rc, struct strobe_ring_store *store);
int strobe_subbufs_alloc(struct strobe_subbuf **subbufs, u32 nr, int cpu,
			 unsigned int order);
u32 strobe_ring_slots_for(u32 limit, size_t bytes);
void strobe_ring_begin_at(struct strobe_ring_cpu *rc, u64 index);
void strobe_ring_clear(struct strobe_ring_cpu *rc, u64 origin);

/* raw.c */
void strobe_subbuf_finish(struct strobe_subbuf *subbuf, unsigned int order,
			  u32 size, unsigned long lost);
void strobe_ring_gave(struct strobe_ring_cpu *rc, u32 records,
		      struct strobe_ring_walk rest);

/* map.c */
void strobe_ring_map_empty(struct strobe_ring_cpu *rc);

/* iter.c */
u64 strobe_ring_newest(const struct strobe_ring_cpu *rc);

/* dump.c */
void strobe_ring_dump_forget(struct strobe_ring_cpu *rc,
			     const struct strobe_subbuf *subbuf);

/* wait.c */
void strobe_ring_notify(struct strobe_ring_cpu *rc);
void strobe_ring_wait_init(struct strobe_ring *ring);
void strobe_ring_wait_exit(struct strobe_ring *ring);

#endif /* _STROBE_RING_INTERNAL_H */
