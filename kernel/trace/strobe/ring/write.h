/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inline write side of the ring: the fast path. The slow paths, and the description of the
 * algorithm, are in write.c.
 */
#ifndef _STROBE_RING_WRITE_H
#define _STROBE_RING_WRITE_H

#include <linux/compiler.h>

#include "ring/clock.h"
#include "ring/ring.h"
#include "ring/ring_types.h"

void *strobe_ring_reserve_slow(struct strobe_ring_cpu *rc, u32 len,
			       struct strobe_ring_resv *resv);
void strobe_ring_leave_slow(struct strobe_ring_cpu *rc);
void strobe_ring_discard(struct strobe_ring_resv *resv);
bool strobe_ring_refuse(struct strobe_ring_cpu *rc);

static __always_inline u64 strobe_ring_clock(const struct strobe_ring_cpu *rc)
{
	/* Load it once: strobe_ring_set_clock() does not wait for writers. */
	u64 (*clock)(void) = READ_ONCE(rc->clock);

	if (likely(!clock))
		return sched_clock_noinstr();
	return clock();
}

static __always_inline struct strobe_ring_slot *
strobe_ring_slot_at(const struct strobe_ring_cpu *rc, u64 word)
{
	return (void *)rc->slots +
	       ((word >> (STROBE_WORD_OFF_BITS - STROBE_SLOT_SHIFT)) & rc->slot_mask);
}

/* The record at @off units in the sub-buffer of @slot. */
static __always_inline struct strobe_record *
strobe_ring_record_at(const struct strobe_ring_slot *slot, unsigned long off)
{
	return (void *)slot->subbuf->data + off * STROBE_RECORD_UNIT;
}

/*
 * R5 of the record that made @word, for a writer that found last_word to be the state word,
 * or is the outermost one. last_ts first: last_word says whose time it is.
 */
static __always_inline void strobe_ring_keep_time(struct strobe_ring_cpu *rc,
						  u64 ts, u64 word)
{
	WRITE_ONCE(rc->last_ts, ts);
	barrier();
	WRITE_ONCE(rc->last_word, word);
}

/*
 * Is the leaving writer the outermost one?
 *
 * Here and below, a value that is only compared is loaded without READ_ONCE(), so that it
 * can be a memory operand of the compare. The barriers around keep the load in place.
 */
static __always_inline bool strobe_ring_outermost(const struct strobe_ring_cpu *rc)
{
	barrier();	/* Write the record before the load of nest. */
	return data_race(rc->nest) == 1;
}

static __always_inline void strobe_ring_leave_nested(struct strobe_ring_cpu *rc)
{
	barrier();	/* Load nest only now, as a memory operand. */
	data_race(rc->nest--);
}

static __always_inline void strobe_ring_leave_outermost(struct strobe_ring_cpu *rc)
{
	u64 word;

	barrier();	/* Do not reuse the load of nest from above. */
	word = READ_ONCE(rc->word);
	barrier();	/* If a slot was entered before the load, work says so. */
	if (unlikely(data_race(rc->work))) {
		strobe_ring_leave_slow(rc);
		return;
	}
	/* LEAVE:A: if TAKE:A reads @word, it sees all stores before. Pairs with TAKE:A. */
	smp_store_release(&rc->committed, word);
	barrier();	/* L3 before L4: from L4 on, interrupts publish. */
	WRITE_ONCE(rc->nest, 0);
	barrier();	/* L4 before L5: an interrupt before L4 has changed the word. */
	if (unlikely(data_race(rc->word) != word))
		strobe_ring_leave_slow(rc);
}

/* C1: lower nest; publish if this is the outermost writer. */
static __always_inline void strobe_ring_leave(struct strobe_ring_cpu *rc)
{
	if (likely(strobe_ring_outermost(rc)))
		strobe_ring_leave_outermost(rc);
	else
		strobe_ring_leave_nested(rc);
}

/* Is one of the bits of @mask set in rc->blocked? */
static __always_inline bool strobe_ring_is(const struct strobe_ring_cpu *rc, int mask)
{
	if (unlikely(data_race(rc->blocked.counter) & mask))
		return true;
	/* Pairs with START:A: a writer that reads its value sees the whole change. */
	smp_acquire__after_ctrl_dep();
	return false;
}

/* Recording is off, or writers are held off; if so, call strobe_ring_refuse(). */
static __always_inline bool strobe_ring_blocked(const struct strobe_ring_cpu *rc)
{
	return strobe_ring_is(rc, ~STROBE_BLOCKED_CLOCK);
}

/* Not the fast path: blocked, or a clock that has to be called. */
static __always_inline bool strobe_ring_special(const struct strobe_ring_cpu *rc)
{
	/* Test all bits in use: a comparison with 0 would be two instructions. */
	return strobe_ring_is(rc, STROBE_BLOCKED_OFF | (STROBE_BLOCKED_OFF - 1));
}

/*
 * The size of a record in units of payload. A record that the fast path cannot make - an
 * empty one, or one whose length does not fit in its header - has the top bit set, and fits
 * in no sub-buffer.
 */
#define STROBE_RING_WORDS_SLOW	(1U << 31)

static __always_inline u32 strobe_ring_words(u32 len)
{
	u32 words = (len + STROBE_RECORD_UNIT - 1) / STROBE_RECORD_UNIT;

	if (words - 1 < STROBE_RECORD_DATA_MAX)
		return words;
	return words | STROBE_RING_WORDS_SLOW;
}

/*
 * R1 to R6 of a small record that fits after the one before it. The results are single
 * words, which the caller can keep in registers.
 * @words: from strobe_ring_words()
 * @ts: the time, read before
 * @from, @to: as in struct strobe_ring_resv
 * @data: set to the payload
 * Return: false: R1 is done, strobe_ring_reserve_slow() has to do the rest.
 */
static __always_inline bool strobe_ring_reserve_fast(struct strobe_ring_cpu *rc,
						     unsigned long words, u64 ts,
						     u64 *from, u64 *to, void **data)
{
	struct strobe_ring_slot *slot;
	unsigned long off;
	u64 word, gap, step;
	u32 *payload;

	barrier();	/* An interrupt from here on records a later time than @ts. */
	data_race(rc->nest++);
	barrier();	/* R1 before R2. */
	word = READ_ONCE(rc->word);
	barrier();	/* last_word after the word: it says whether last_ts is its time. */
	if (unlikely(data_race(rc->last_word) != word))
		return false;
	barrier();
	/* An interrupt here changes the word, or discards and restores last_ts. */
	gap = ts - data_race(rc->last_ts);
	if (unlikely(gap > STROBE_RECORD_DELTA_MAX))
		return false;
	step = gap << STROBE_WORD_TIME_SHIFT;
	off = strobe_word_off(word);
	if (unlikely(off + words >= rc->limit))
		return false;
	*from = word;
	*to = word + step + words + 1;
	if (unlikely(!try_cmpxchg_local(&rc->word, &word, *to)))
		return false;

	strobe_ring_keep_time(rc, ts, *to);
	slot = strobe_ring_slot_at(rc, word);
	local_inc(&slot->count);
	payload = strobe_ring_record_at(slot, off)->array;
	OPTIMIZER_HIDE_VAR(payload);	/* Address the header relative to it. */
	payload[-1] = strobe_word_record(words, step);
	*data = payload;
	return true;
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
	void *data;
	u64 ts;

	if (unlikely(strobe_ring_blocked(rc))) {
		strobe_ring_refuse(rc);
		return NULL;
	}
	ts = strobe_ring_clock(rc);
	resv->rc = rc;
	if (likely(strobe_ring_reserve_fast(rc, strobe_ring_words(len), ts,
					    &resv->from, &resv->to, &data)))
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

/* Bytes of payload, rounded up to four, of the record from @from to @to. */
static __always_inline u32 strobe_ring_payload_len(u64 from, u64 to)
{
	u32 words = strobe_word_off(to) - strobe_word_off(from) - 1;

	return (words <= STROBE_RECORD_DATA_MAX ? words : words - 1) * STROBE_RECORD_UNIT;
}

/**
 * strobe_ring_mark - this CPU's state word, which every record changes
 * @ring: the ring
 *
 * If two calls return the same value and less than a lap was written in between, nothing
 * was recorded.
 *
 * Context: Any, with preemption off.
 */
static __always_inline u64 strobe_ring_mark(const struct strobe_ring *ring)
{
	return READ_ONCE(this_cpu_ptr(READ_ONCE(ring->percpu))->word);
}

#endif /* _STROBE_RING_WRITE_H */
