/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inline write side of the ring: the fast path. The slow paths, and the description of the
 * algorithm, are in write.c. A number in brackets is what such code saves a record:
 * instructions of x86-64, with GCC 12.
 */
#ifndef _STROBE_RING_WRITE_H
#define _STROBE_RING_WRITE_H

#include <linux/compiler.h>

#include "ring/clock.h"
#include "ring/ring.h"
#include "ring/ring_types.h"

void *strobe_ring_reserve_slow(struct strobe_ring_cpu *rc, u32 len,
			       struct strobe_ring_resv *resv);
void *strobe_ring_reserve_open(struct strobe_ring_cpu *rc, u32 len,
			       struct strobe_ring_resv *resv);
void strobe_ring_leave_slow(struct strobe_ring_cpu *rc);
void strobe_ring_discard(struct strobe_ring_resv *resv);
void strobe_ring_drop(struct strobe_ring *ring);

/* The sub-buffer that the state word @word is in. */
static __always_inline struct strobe_subbuf *
strobe_ring_subbuf_at(const struct strobe_ring_cpu *rc, u64 word)
{
	return rc->slots[(u32)(word >> STROBE_WORD_SEQ_SHIFT) & rc->slot_mask];
}

/* The record that begins where the state word @word ends. */
static __always_inline struct strobe_record *
strobe_ring_record_at(const struct strobe_ring_cpu *rc, u64 word)
{
	return (void *)strobe_ring_subbuf_at(rc, word)->data +
	       strobe_word_off(word) * (unsigned long)STROBE_RECORD_UNIT;
}

/*
 * R5 of the record that made @word, for a writer that found last_word to be the state word,
 * or is the outermost one. last_ts first: last_word says whose time it is. The fast path
 * does the same, but adds the gap to last_ts.
 */
static __always_inline void strobe_ring_keep_time(struct strobe_ring_cpu *rc,
						  u64 ts, u64 word)
{
	WRITE_ONCE(rc->last_ts, ts);
	barrier();
	WRITE_ONCE(rc->last_word, word);
}

/*
 * Is the running writer the outermost one?
 *
 * Here and below, a value that is only compared is loaded without READ_ONCE(), so that it
 * can be a memory operand of the compare. The barriers around keep the load in place.
 */
static __always_inline bool strobe_ring_outermost(const struct strobe_ring_cpu *rc)
{
	barrier();	/* Write the record before the load of depth. */
	return !data_race(rc->depth);
}

static __always_inline void strobe_ring_leave_nested(struct strobe_ring_cpu *rc)
{
	barrier();	/* Load depth only now, as a memory operand. */
	data_race(rc->depth--);
}

static __always_inline void strobe_ring_leave_outermost(struct strobe_ring_cpu *rc)
{
	u64 word;

	barrier();	/* Write the record before the load of the word. */
	word = READ_ONCE(rc->word);
	barrier();	/* If a slot was entered before the load, work says so. */
	if (unlikely(data_race(rc->work))) {
		strobe_ring_leave_slow(rc);
		return;
	}
	/* LEAVE:A: if TAKE:A reads @word, it sees all stores before. Pairs with TAKE:A. */
	smp_store_release(&rc->committed, word);
	barrier();	/* L3 before L4: from L4 on, interrupts publish. */
	WRITE_ONCE(rc->depth, -1);
	barrier();	/* L4 before L5: an interrupt before L4 has changed the word. */
	if (unlikely(data_race(rc->word) != word))
		strobe_ring_leave_slow(rc);
}

/* C1: lower depth; publish if this is the outermost writer. */
static __always_inline void strobe_ring_leave(struct strobe_ring_cpu *rc)
{
	if (likely(strobe_ring_outermost(rc)))
		strobe_ring_leave_outermost(rc);
	else
		strobe_ring_leave_nested(rc);
}

/*
 * Recording is off, or writers are held off; if so, call strobe_ring_refuse().
 * @limit: set to rc->limit
 */
static __always_inline bool strobe_ring_blocked(const struct strobe_ring_cpu *rc, int *limit)
{
	*limit = atomic_read(&rc->limit);
	if (unlikely(*limit & STROBE_LIMIT_BLOCKED))
		return true;
	/* Pairs with START:A: a writer that reads its value sees the whole change. */
	smp_acquire__after_ctrl_dep();
	return false;
}

/**
 * strobe_ring_refuse - account for an event that strobe_ring_blocked() keeps out
 * @rc: the ring of this CPU
 * @limit: from strobe_ring_blocked()
 *
 * Nothing is counted while recording is switched off or disabled. If the writers are held
 * off for a change of the ring, the event counts as dropped: fired = read + held +
 * overwritten + dropped + discarded holds through the change. It has its own counter, as
 * the change may reset or exchange the other ones.
 *
 * Context: Any, with preemption off.
 * Return: whether the event was counted.
 */
static __always_inline bool strobe_ring_refuse(struct strobe_ring_cpu *rc, int limit)
{
	if (limit & STROBE_LIMIT_OFF)
		return false;
	atomic64_inc(&rc->refused);
	return true;
}

/*
 * The size of a record in units of payload. A record that the fast path cannot make - an
 * empty one, or one whose length does not fit in its header - has a high bit set, and fits
 * in no sub-buffer. A length has 30 bits in units, so strobe_ring_fits() can add an offset
 * without reaching the sign of an int.
 */
#define STROBE_RING_WORDS_SLOW	(1U << 29)

static_assert(((1U << 30) - 1) + STROBE_WORD_OFF_MASK <= INT_MAX);

static __always_inline u32 strobe_ring_words(u32 len)
{
	u32 words = (len + STROBE_RECORD_UNIT - 1) / STROBE_RECORD_UNIT;

	if (words - 1 < STROBE_RECORD_DATA_MAX)
		return words;
	return words | STROBE_RING_WORDS_SLOW;
}

/*
 * The fast path of a reservation, first part: R2, and whether the record may be recorded
 * and fits after the one that the word describes.
 * @words: from strobe_ring_words()
 * @word: set to the state word
 * Return: false: strobe_ring_reserve_slow() has to reserve the record.
 */
static __always_inline bool strobe_ring_fits(const struct strobe_ring_cpu *rc,
					     unsigned long words, u64 *word)
{
	*word = READ_ONCE(rc->word);
	/* The record has one unit more, its header. */
	if (unlikely((int)(strobe_word_off(*word) + words) >= data_race(rc->limit.counter)))
		return false;
	/*
	 * Pairs with START:A: a writer that reads its value sees the whole change. The word
	 * may be from before the change; then R4 fails, unless the change left it as it was.
	 */
	smp_acquire__after_ctrl_dep();
	return true;
}

/* The same after strobe_ring_blocked() and a call of the clock. @limit: from the former */
static __always_inline bool strobe_ring_fits_open(const struct strobe_ring_cpu *rc, int limit,
						  unsigned long words, u64 *word)
{
	*word = READ_ONCE(rc->word);
	return likely((int)(strobe_word_off(*word) + words) < (limit & STROBE_LIMIT_CAPACITY));
}

/* How far the second part of the fast path came. */
enum strobe_ring_path {
	STROBE_RING_DONE,	/* the record is reserved */
	STROBE_RING_SLOW,	/* nothing is done: call strobe_ring_reserve_slow() */
	STROBE_RING_AGAIN,	/* R1 is done: call strobe_ring_leave(), and then this */
};

/*
 * The fast path, second part: R1 and R4 to R6, for the outermost writer. The results are
 * single words, which the caller can keep in registers. last_word and last_ts are memory
 * operands, as there are barriers instead of READ_ONCE() [2]; so is depth [3].
 * @words: from strobe_ring_words()
 * @word: from strobe_ring_fits()
 * @ts: the time; if it was read before the word, and an interrupt has recorded a later one
 *	in between, the result is STROBE_RING_SLOW
 * @from, @to: as in struct strobe_ring_resv
 * @data: set to the payload
 */
static __always_inline enum strobe_ring_path
strobe_ring_reserve_fast(struct strobe_ring_cpu *rc, unsigned long words, u64 word, u64 ts,
			 u64 *from, u64 *to, void **data)
{
	u32 *payload;
	u64 gap, delta;

	barrier();	/* last_word after the word: it says whether last_ts is its time. */
	if (unlikely(data_race(rc->last_word) != word))
		return STROBE_RING_SLOW;
	barrier();
	/* An interrupt here changes the word, or discards and restores last_ts. */
	gap = ts - data_race(rc->last_ts);
	if (unlikely(gap > STROBE_RECORD_DELTA_MAX))
		return STROBE_RING_SLOW;
	delta = gap;
	OPTIMIZER_HIDE_VAR(delta);	/* Else GCC copies it once more below. [1] */
	*from = word;
	*to = strobe_word_add(word, words + 1);
	barrier();
	if (unlikely(data_race(++rc->depth)))
		return STROBE_RING_AGAIN;
	barrier();	/* R1 before R4. */
	if (unlikely(!try_cmpxchg_local(&rc->word, &word, *to)))
		return STROBE_RING_AGAIN;

	/*
	 * R5. last_ts is what it was above: until R4, an interrupt that discards its record
	 * restores it, and between R4 and R5 no other writer stores it.
	 */
	data_race(rc->last_ts += delta);
	barrier();
	WRITE_ONCE(rc->last_word, *to);
	payload = strobe_ring_record_at(rc, word)->array;
	OPTIMIZER_HIDE_VAR(payload);	/* Address the header relative to it. [1] */
	payload[-1] = strobe_record_word(words, delta);
	*data = payload;
	return STROBE_RING_DONE;
}

/* The fast path as a whole, with any clock. Return: the payload; NULL: not reserved. */
static __always_inline void *strobe_ring_try_reserve(struct strobe_ring_cpu *rc, u32 len,
						     struct strobe_ring_resv *resv)
{
	u32 words = strobe_ring_words(len);
	u64 word, ts;
	void *data;
	int limit;

	if (unlikely(strobe_ring_blocked(rc, &limit)))
		return NULL;
	ts = strobe_ring_clock(rc);
	resv->rc = rc;
	if (unlikely(!strobe_ring_fits_open(rc, limit, words, &word)))
		return NULL;
	switch (strobe_ring_reserve_fast(rc, words, word, ts, &resv->from, &resv->to, &data)) {
	case STROBE_RING_DONE:
		return data;
	case STROBE_RING_AGAIN:
		strobe_ring_leave(rc);
		break;
	case STROBE_RING_SLOW:
		break;
	}
	return NULL;
}

/**
 * strobe_ring_reserve - reserve a record
 * @ring: the ring; the record goes to this CPU's part
 * @len: bytes of payload
 * @resv: set to the reservation, for strobe_ring_commit() or strobe_ring_discard() on
 *	the same CPU, in the same context
 *
 * Context: Any, also NMI, with preemption off until the commit.
 * Return: the payload, aligned to four bytes and not initialised. NULL: no record was
 * reserved, and @resv must not be used. The event is counted in the ring's statistics,
 * unless recording is off.
 */
static __always_inline void *strobe_ring_reserve(struct strobe_ring *ring, u32 len,
						 struct strobe_ring_resv *resv)
{
	struct strobe_ring_cpu *rc = this_cpu_ptr(READ_ONCE(ring->percpu));
	void *data = strobe_ring_try_reserve(rc, len, resv);

	if (likely(data))
		return data;
	return strobe_ring_reserve_slow(rc, len, resv);
}

/**
 * strobe_ring_commit - commit the record of a reservation
 * @resv: from strobe_ring_reserve()
 *
 * Readers see the record once the outermost writer of this CPU has committed.
 *
 * Context: As the reservation's.
 */
static __always_inline void strobe_ring_commit(struct strobe_ring_resv *resv)
{
	strobe_ring_leave(resv->rc);
}

/**
 * strobe_ring_state_word - this CPU's state word, which every record changes
 * @ring: the ring
 *
 * If two calls return the same value, nothing was recorded in between, unless a lap was
 * written, or the ring was reset, swapped, or given another shape.
 *
 * Context: Any, with preemption off.
 */
static __always_inline u64 strobe_ring_state_word(const struct strobe_ring *ring)
{
	return READ_ONCE(this_cpu_ptr(READ_ONCE(ring->percpu))->word);
}

#endif /* _STROBE_RING_WRITE_H */
