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
 *	 63    57 56      30 29     16 15        0
 *	+--------+----------+---------+-----------+
 *	| unused | sequence |  count  |  offset   |
 *	+--------+----------+---------+-----------+
 *
 * sequence:	the slot being written, and which lap of the ring it is
 * count:	number of records in its sub-buffer, without those discarded
 * offset:	end of the newest record in it, in units of 4 bytes
 *
 * Sequence and offset are the place of the state word. The offset needs 14 bits; with 16,
 * one instruction loads it.
 */
#define STROBE_SLOT_ID_BITS	22
#ifndef STROBE_WORD_SEQ_BITS	/* fewer in a test, so that sequences wrap soon */
#define STROBE_WORD_SEQ_BITS	27
#endif
#define STROBE_WORD_OFF_BITS	16
#define STROBE_WORD_COUNT_BITS	14
#define STROBE_WORD_SEQ_SHIFT	(STROBE_WORD_OFF_BITS + STROBE_WORD_COUNT_BITS)

#define STROBE_WORD_OFF_MASK	((1U << STROBE_WORD_OFF_BITS) - 1)
#define STROBE_WORD_COUNT_MASK	((1U << STROBE_WORD_COUNT_BITS) - 1)
#define STROBE_WORD_SEQ_MASK	((1U << STROBE_WORD_SEQ_BITS) - 1)

/* What a record adds to the state word, besides its units. */
#define STROBE_WORD_RECORD	(1U << STROBE_WORD_OFF_BITS)

/* No state word has this value: the unused bits are 0. */
#define STROBE_WORD_NONE	(~0ULL)

/* Bits of a place that strobe_word_pack() has packed, and of its offset. */
#define STROBE_WORD_PACK_BITS	14
#define STROBE_WORD_PLACE_BITS	(STROBE_WORD_SEQ_BITS + STROBE_WORD_PACK_BITS)

/* The largest sub-buffer: 2^4 pages, and not more than 64 KiB. */
#define STROBE_SUBBUF_ORDER_MAX	4
#define STROBE_SUBBUF_BYTES_MAX	(1U << 16)
/* The shortest record: a header and one unit of payload. */
#define STROBE_RECORD_UNITS_MIN	2
#define STROBE_SUBBUF_UNITS_MAX	((STROBE_SUBBUF_BYTES_MAX - STROBE_SUBBUF_HEADER) / \
				 STROBE_RECORD_UNIT)
#define STROBE_SUBBUF_RECORDS_MAX (STROBE_SUBBUF_UNITS_MAX / STROBE_RECORD_UNITS_MIN)

#define STROBE_RING_SLOTS_MIN	2U
/* At least one bit of a sequence counts laps, and a slot word must have each id. */
#define STROBE_RING_SLOTS_MAX	(1U << (STROBE_WORD_SEQ_BITS <= STROBE_SLOT_ID_BITS ? \
					STROBE_WORD_SEQ_BITS - 1 : STROBE_SLOT_ID_BITS - 1))

static_assert(STROBE_WORD_SEQ_SHIFT + STROBE_WORD_SEQ_BITS < 64);
static_assert(STROBE_SUBBUF_UNITS_MAX < 1U << STROBE_WORD_PACK_BITS);
static_assert(STROBE_SUBBUF_UNITS_MAX <= STROBE_WORD_OFF_MASK);
/* A record is counted only if it fits in the sub-buffer, so the count never overflows. */
static_assert(STROBE_SUBBUF_RECORDS_MAX <= STROBE_WORD_COUNT_MASK);

static __always_inline u32 strobe_word_off(u64 word)
{
	return word & STROBE_WORD_OFF_MASK;
}

static __always_inline u32 strobe_word_count(u64 word)
{
	return (word >> STROBE_WORD_OFF_BITS) & STROBE_WORD_COUNT_MASK;
}

static __always_inline u32 strobe_word_seq(u64 word)
{
	return (word >> STROBE_WORD_SEQ_SHIFT) & STROBE_WORD_SEQ_MASK;
}

static __always_inline u64 strobe_word_make(u32 seq, u32 count, u32 off)
{
	return (u64)seq << STROBE_WORD_SEQ_SHIFT | count << STROBE_WORD_OFF_BITS | off;
}

/* @word after a record of @units. */
static __always_inline u64 strobe_word_add(u64 word, unsigned long units)
{
	return word + units + STROBE_WORD_RECORD;
}

/* The place of @word: @word with a count of 0. */
static __always_inline u64 strobe_word_place(u64 word)
{
	return word & ~((u64)STROBE_WORD_COUNT_MASK << STROBE_WORD_OFF_BITS);
}

/* The place of @word in the low STROBE_WORD_PLACE_BITS bits. */
static __always_inline u64 strobe_word_pack(u64 word)
{
	return (u64)strobe_word_seq(word) << STROBE_WORD_PACK_BITS | strobe_word_off(word);
}

/* The place of which @packed is strobe_word_pack(). */
static __always_inline u64 strobe_word_unpack(u64 packed)
{
	return strobe_word_make(packed >> STROBE_WORD_PACK_BITS, 0,
				packed & ((1U << STROBE_WORD_PACK_BITS) - 1));
}

/*
 * Slot word:
 *
 *	  63  62   49 48    27 26        0
 *	+------+------+--------+----------+
 *	| held | mark |   id   | sequence |
 *	+------+------+--------+----------+
 *
 * held:	the slot's sub-buffer holds (or is about to hold) records
 * mark:	number of the sequence's records that were consumed, the first ones;
 *		the rest is unread
 * id:		the slot's sub-buffer, an index into strobe_ring_store.subbufs
 * sequence:	the one that the sub-buffer holds, or held last
 */
#define STROBE_SLOT_MARK_BITS	STROBE_WORD_COUNT_BITS
#define STROBE_SLOT_ID_SHIFT	STROBE_WORD_SEQ_BITS
#define STROBE_SLOT_MARK_SHIFT	(STROBE_SLOT_ID_SHIFT + STROBE_SLOT_ID_BITS)
#define STROBE_SLOT_HELD_SHIFT	(STROBE_SLOT_MARK_SHIFT + STROBE_SLOT_MARK_BITS)

#define STROBE_SLOT_ID_MASK	((1U << STROBE_SLOT_ID_BITS) - 1)
#define STROBE_SLOT_MARK_MASK	((1U << STROBE_SLOT_MARK_BITS) - 1)

static_assert(STROBE_SLOT_HELD_SHIFT < 64);
/* The reader has up to two sub-buffers, so ids run from 0 to nr_slots + 1. */
static_assert(STROBE_RING_SLOTS_MAX + 1 <= STROBE_SLOT_ID_MASK);

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

/*
 * Number of unread records of a sequence with @count records and the slot word @word. If
 * the two are of different laps, it is undefined, but no more than a mark can count.
 */
static inline u32 strobe_slot_unread(u64 word, u32 count)
{
	return (count - strobe_slot_mark(word)) & STROBE_SLOT_MARK_MASK;
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
