/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encodings of the state word and the slot word, and arithmetic of sequences. All functions
 * are pure. The top of write.c explains the words, and how they are changed.
 */
#ifndef _STROBE_RING_WORD_H
#define _STROBE_RING_WORD_H

#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "ring/format.h"

/*
 * State word:
 *
 *	 63      36 35      14 13        0
 *	+----------+----------+-----------+
 *	|   time   | sequence |  offset   |
 *	+----------+----------+-----------+
 *
 * time:	low bits of the time of the newest record
 * sequence:	the slot being written, and which lap of the ring it is
 * offset:	end of the newest record in its sub-buffer, in units of 4 bytes
 */
#ifndef STROBE_WORD_SEQ_BITS	/* fewer in a test, so that sequences wrap soon */
#define STROBE_WORD_SEQ_BITS	22
#endif
#define STROBE_WORD_OFF_BITS	(36 - STROBE_WORD_SEQ_BITS)
#define STROBE_WORD_TIME_BITS	28
#define STROBE_WORD_TIME_SHIFT	(STROBE_WORD_OFF_BITS + STROBE_WORD_SEQ_BITS)

#define STROBE_WORD_OFF_MASK	((1U << STROBE_WORD_OFF_BITS) - 1)
#define STROBE_WORD_SEQ_MASK	((1U << STROBE_WORD_SEQ_BITS) - 1)
#define STROBE_WORD_PLACE_MASK	((1ULL << STROBE_WORD_TIME_SHIFT) - 1)

/* No state word has this value: no sub-buffer is that long. */
#define STROBE_WORD_NONE	(~0ULL)

/* The largest sub-buffer: 2^4 pages, and not more than 64 KiB. */
#define STROBE_SUBBUF_ORDER_MAX	4
#define STROBE_SUBBUF_BYTES_MAX	(1U << 16)
/* At least one bit of a sequence counts laps. */
#define STROBE_RING_SLOTS_MIN	2U
#define STROBE_RING_SLOTS_MAX	(1U << (STROBE_WORD_SEQ_BITS - 1))

static_assert(STROBE_WORD_TIME_SHIFT + STROBE_WORD_TIME_BITS == 64);
/* Half of the range are deltas; the other half, bit 63 set, are negative steps. */
static_assert(STROBE_WORD_TIME_BITS == STROBE_RECORD_DELTA_BITS + 1);
static_assert(STROBE_SUBBUF_BYTES_MAX / STROBE_RECORD_UNIT - 1 <=
	      STROBE_WORD_OFF_MASK);

static __always_inline u32 strobe_word_off(u64 word)
{
	return word & STROBE_WORD_OFF_MASK;
}

static __always_inline u32 strobe_word_seq(u64 word)
{
	return (word >> STROBE_WORD_OFF_BITS) & STROBE_WORD_SEQ_MASK;
}

/* The state word without its time: sequence and offset. */
static __always_inline u64 strobe_word_place(u64 word)
{
	return word & STROBE_WORD_PLACE_MASK;
}

/*
 * The value to add to @word so that its time becomes @ts: the difference of the times,
 * shifted. As an s64 it is negative if the difference does not fit a record's delta.
 */
static __always_inline u64 strobe_word_step(u64 word, u64 ts)
{
	return (ts - (word >> STROBE_WORD_TIME_SHIFT)) << STROBE_WORD_TIME_SHIFT;
}

/* @word with the time @ts. */
static __always_inline u64 strobe_word_at(u64 word, u64 ts)
{
	return word + strobe_word_step(word, ts);
}

/* The header of a record with @words units of payload and the delta of @step. */
static __always_inline u32 strobe_word_record(u32 words, u64 step)
{
#ifdef __LITTLE_ENDIAN
	/* One shift for strobe_record_word(words, step >> 36). */
	return words | (u32)(step >> (STROBE_WORD_TIME_SHIFT - 5));
#else
	return strobe_record_word(words, step >> STROBE_WORD_TIME_SHIFT);
#endif
}

static __always_inline u64 strobe_word_make(u64 ts, u32 seq, u32 off)
{
	return ts << STROBE_WORD_TIME_SHIFT |
	       (u64)seq << STROBE_WORD_OFF_BITS | off;
}

/*
 * The time of @to less the time of @from, modulo 2^STROBE_WORD_TIME_BITS. The place of @to
 * must not be before that of @from.
 */
static __always_inline u64 strobe_word_delta(u64 to, u64 from)
{
	return (to - from) >> STROBE_WORD_TIME_SHIFT;
}

/*
 * Slot word:
 *
 *	 63      60  59  58   44 43    22 21        0
 *	+----------+------+------+--------+----------+
 *	|  unused  | held | mark |   id   | sequence |
 *	+----------+------+------+--------+----------+
 *
 * held:	the slot's sub-buffer holds (or is about to hold) records
 * mark:	low bits of the slot's record count up to which records were
 *		consumed; those between the mark and the count are unread
 * id:		the slot's sub-buffer, an index into strobe_ring_store.subbufs
 * sequence:	the one that the sub-buffer holds, or held last
 */
#define STROBE_SLOT_ID_BITS	22
#define STROBE_SLOT_MARK_BITS	15
#define STROBE_SLOT_ID_SHIFT	STROBE_WORD_SEQ_BITS
#define STROBE_SLOT_MARK_SHIFT	(STROBE_SLOT_ID_SHIFT + STROBE_SLOT_ID_BITS)
#define STROBE_SLOT_HELD_SHIFT	(STROBE_SLOT_MARK_SHIFT + STROBE_SLOT_MARK_BITS)

#define STROBE_SLOT_ID_MASK	((1U << STROBE_SLOT_ID_BITS) - 1)
#define STROBE_SLOT_MARK_MASK	((1U << STROBE_SLOT_MARK_BITS) - 1)

static_assert(STROBE_SLOT_HELD_SHIFT < 64);
/* The reader has up to two sub-buffers, so ids run from 0 to nr_slots + 1. */
static_assert(STROBE_RING_SLOTS_MAX <= STROBE_SLOT_ID_MASK);
/* A mark can count more records than fit in a sub-buffer. */
static_assert(STROBE_SUBBUF_BYTES_MAX / (2 * STROBE_RECORD_UNIT) <
	      STROBE_SLOT_MARK_MASK);

static inline u32 strobe_slot_seq(u64 word)
{
	return word & STROBE_WORD_SEQ_MASK;
}

static inline u32 strobe_slot_id(u64 word)
{
	return (word >> STROBE_SLOT_ID_SHIFT) & STROBE_SLOT_ID_MASK;
}

static inline u32 strobe_slot_mark(u64 word)
{
	return (word >> STROBE_SLOT_MARK_SHIFT) & STROBE_SLOT_MARK_MASK;
}

static inline bool strobe_slot_held(u64 word)
{
	return (word >> STROBE_SLOT_HELD_SHIFT) & 1;
}

/* True if the slot holds the sequence @seq. */
static inline bool strobe_slot_holds(u64 word, u32 seq)
{
	return strobe_slot_held(word) && strobe_slot_seq(word) == seq;
}

static inline u64 strobe_slot_make(bool held, u32 mark, u32 id, u32 seq)
{
	return (u64)held << STROBE_SLOT_HELD_SHIFT |
	       (u64)(mark & STROBE_SLOT_MARK_MASK) << STROBE_SLOT_MARK_SHIFT |
	       (u64)id << STROBE_SLOT_ID_SHIFT | seq;
}

/* Number of records between @mark and @count. */
static inline u32 strobe_slot_count(unsigned long count, u32 mark)
{
	return (count - mark) & STROBE_SLOT_MARK_MASK;
}

/*
 * A sequence is (lap << index_bits | index), index < nr_slots, so that a mask finds the
 * slot for any number of slots. The laps wrap, after STROBE_WORD_SEQ_BITS - index_bits
 * bits; distances are modulo strobe_seq_range().
 */
struct strobe_seq_shape {
	u32	nr_slots;
	u32	index_bits;
};

static inline struct strobe_seq_shape strobe_seq_shape(u32 nr_slots)
{
	struct strobe_seq_shape shape = { .nr_slots = nr_slots };

	while ((1U << shape.index_bits) < nr_slots)
		shape.index_bits++;
	return shape;
}

static inline u32 strobe_seq_index(const struct strobe_seq_shape *shape, u32 seq)
{
	return seq & ((1U << shape->index_bits) - 1);
}

static inline u32 strobe_seq_next(const struct strobe_seq_shape *shape, u32 seq)
{
	u32 index = strobe_seq_index(shape, seq);

	if (index + 1 < shape->nr_slots)
		return seq + 1;
	return (seq - index + (1U << shape->index_bits)) & STROBE_WORD_SEQ_MASK;
}

/* Number of different sequences. */
static inline u32 strobe_seq_range(const struct strobe_seq_shape *shape)
{
	return shape->nr_slots << (STROBE_WORD_SEQ_BITS - shape->index_bits);
}

/* The sequence as a plain number, 0 .. strobe_seq_range() - 1. */
static inline u32 strobe_seq_linear(const struct strobe_seq_shape *shape, u32 seq)
{
	return (seq >> shape->index_bits) * shape->nr_slots +
	       strobe_seq_index(shape, seq);
}

/* Number of strobe_seq_next() steps from @from to @to. */
static inline u32 strobe_seq_distance(const struct strobe_seq_shape *shape,
				      u32 from, u32 to)
{
	u32 a = strobe_seq_linear(shape, from);
	u32 b = strobe_seq_linear(shape, to);

	return b >= a ? b - a : b + strobe_seq_range(shape) - a;
}

/* The sequence @steps before @seq; @steps <= nr_slots. */
static inline u32 strobe_seq_back(const struct strobe_seq_shape *shape,
				  u32 seq, u32 steps)
{
	u32 n = strobe_seq_linear(shape, seq);

	n = n >= steps ? n - steps : n + strobe_seq_range(shape) - steps;
	return (n / shape->nr_slots) << shape->index_bits | n % shape->nr_slots;
}

#endif /* _STROBE_RING_WORD_H */
