/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The encodings of the ring: the state word of a CPU, the word of a slot, and
 * the arithmetic of sequences. Pure functions of their arguments; what the
 * words mean and who may change them is explained at the top of write.c.
 */
#ifndef _STROBE_RING_WORD_H
#define _STROBE_RING_WORD_H

#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "record.h"

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
#ifndef STROBE_WORD_SEQ_BITS	/* fewer in a test, where sequences wrap soon */
#define STROBE_WORD_SEQ_BITS	22
#endif
#define STROBE_WORD_OFF_BITS	(36 - STROBE_WORD_SEQ_BITS)
#define STROBE_WORD_TIME_BITS	28
#define STROBE_WORD_TIME_SHIFT	(STROBE_WORD_OFF_BITS + STROBE_WORD_SEQ_BITS)

#define STROBE_WORD_OFF_MASK	((1U << STROBE_WORD_OFF_BITS) - 1)
#define STROBE_WORD_SEQ_MASK	((1U << STROBE_WORD_SEQ_BITS) - 1)
#define STROBE_WORD_PLACE_MASK	((1ULL << STROBE_WORD_TIME_SHIFT) - 1)

/* Not the value of any state word: no sub-buffer is that long. */
#define STROBE_WORD_NONE	(~0ULL)

/* The largest sub-buffer: 64 KiB on a machine with pages of 4 KiB. */
#define STROBE_SUBBUF_ORDER_MAX	4
#define STROBE_SUBBUF_BYTES_MAX	(1U << 16)
/* At least one bit of a sequence counts laps. */
#define STROBE_RING_SLOTS_MIN	2U
#define STROBE_RING_SLOTS_MAX	(1U << (STROBE_WORD_SEQ_BITS - 1))

static_assert(STROBE_WORD_TIME_SHIFT + STROBE_WORD_TIME_BITS == 64);
/* Half of the range are deltas; the other half, bit 63 set, are steps back. */
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

/* Sequence and offset: the word without its time. */
static __always_inline u64 strobe_word_place(u64 word)
{
	return word & STROBE_WORD_PLACE_MASK;
}

/*
 * What to add to @word for its time to be @ts: the difference of the times, in
 * place. Negative, as a s64, if it is not a record's delta.
 */
static __always_inline u64 strobe_word_step(u64 word, u64 ts)
{
	return (ts - (word >> STROBE_WORD_TIME_SHIFT)) << STROBE_WORD_TIME_SHIFT;
}

/* @word at the time @ts. */
static __always_inline u64 strobe_word_at(u64 word, u64 ts)
{
	return word + strobe_word_step(word, ts);
}

/* The first word of a record of @words whose delta is that of @step. */
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
 * How far the time of @to is ahead of @from's, modulo 2^STROBE_WORD_TIME_BITS;
 * both are at the same place.
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
 * mark:	low bits of the slot's record counter up to which readers have
 *		consumed; what lies between the two is unread
 * id:		the slot's sub-buffer, an index into strobe_ring_cpu.subbufs
 * sequence:	what the sub-buffer holds, or held last
 */
#define STROBE_SLOT_ID_BITS	22
#define STROBE_SLOT_MARK_BITS	15
#define STROBE_SLOT_ID_SHIFT	STROBE_WORD_SEQ_BITS
#define STROBE_SLOT_MARK_SHIFT	(STROBE_SLOT_ID_SHIFT + STROBE_SLOT_ID_BITS)
#define STROBE_SLOT_HELD_SHIFT	(STROBE_SLOT_MARK_SHIFT + STROBE_SLOT_MARK_BITS)

#define STROBE_SLOT_ID_MASK	((1U << STROBE_SLOT_ID_BITS) - 1)
#define STROBE_SLOT_MARK_MASK	((1U << STROBE_SLOT_MARK_BITS) - 1)

static_assert(STROBE_SLOT_HELD_SHIFT < 64);
/* Ids run from 0 to the number of slots: one sub-buffer is the reader's. */
static_assert(STROBE_RING_SLOTS_MAX <= STROBE_SLOT_ID_MASK);
/* A sub-buffer has fewer records than a mark can tell apart. */
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

/* True if the slot holds just what was written in the lap @seq. */
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

/* Records that were counted between @mark and @count. */
static inline u32 strobe_slot_count(unsigned long count, u32 mark)
{
	return (count - mark) & STROBE_SLOT_MARK_MASK;
}

/*
 * A sequence is (lap << index_bits | index), index < nr_slots, so that the
 * slot is found with a mask for any number of slots. The laps wrap; distances
 * are modulo nr_slots << lap_bits.
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

/* How many steps of strobe_seq_next() lead from @from to @to. */
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
