/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The write side of the ring, inline: the path of nearly every record. What
 * is rare is out of line in write.c, where the algorithm is explained.
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
	/* strobe_ring_set_clock() does not wait for writers: load it once. */
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
 * R5 of the record that made @word, by a writer that found last_word to be the word, or
 * is the outermost one. In this order: last_word vouches for last_ts.
 */
static __always_inline void strobe_ring_keep_time(struct strobe_ring_cpu *rc,
						  u64 ts, u64 word)
{
	WRITE_ONCE(rc->last_ts, ts);
	barrier();
	WRITE_ONCE(rc->last_word, word);
}

/*
 * Is the writer that is about to leave the outermost one?
 *
 * Here and below, what is compared only is loaded plainly, to be an operand of
 * the comparison; the barriers on both sides keep it where it is.
 */
static __always_inline bool strobe_ring_outermost(const struct strobe_ring_cpu *rc)
{
	barrier();	/* The records are written before the count goes down. */
	return data_race(rc->nest) == 1;
}

static __always_inline void strobe_ring_leave_nested(struct strobe_ring_cpu *rc)
{
	barrier();	/* Compared in place. */
	data_race(rc->nest--);
}

static __always_inline void strobe_ring_leave_outermost(struct strobe_ring_cpu *rc)
{
	u64 word;

	barrier();	/* Compared in place. */
	word = READ_ONCE(rc->word);
	barrier();	/* A slot entered before the load shows in work. */
	if (unlikely(data_race(rc->work))) {
		strobe_ring_leave_slow(rc);
		return;
	}
	/* LEAVE:A (write.c) pairs with TAKE:A */
	smp_store_release(&rc->committed, word);
	barrier();	/* Who interrupts from here on publishes for itself, */
	WRITE_ONCE(rc->nest, 0);
	barrier();	/* and who did before is seen in the word. */
	if (unlikely(data_race(rc->word) != word))
		strobe_ring_leave_slow(rc);
}

/* A writer leaves; the outermost one publishes. */
static __always_inline void strobe_ring_leave(struct strobe_ring_cpu *rc)
{
	if (likely(strobe_ring_outermost(rc)))
		strobe_ring_leave_outermost(rc);
	else
		strobe_ring_leave_nested(rc);
}

/* Is a bit of @mask set in rc->blocked? */
static __always_inline bool strobe_ring_is(const struct strobe_ring_cpu *rc, int mask)
{
	if (unlikely(data_race(rc->blocked.counter) & mask))
		return true;
	/* START:A (write.c) pairs with strobe_ring_start() */
	smp_acquire__after_ctrl_dep();
	return false;
}

/* Recording is off, or the writers are stopped; strobe_ring_refuse() is due. */
static __always_inline bool strobe_ring_blocked(const struct strobe_ring_cpu *rc)
{
	return strobe_ring_is(rc, ~STROBE_BLOCKED_CLOCK);
}

/* Not straight ahead: it is blocked, or there is a clock that has to be called. */
static __always_inline bool strobe_ring_special(const struct strobe_ring_cpu *rc)
{
	/* All bits that there are: a comparison with 0 would be two instructions. */
	return strobe_ring_is(rc, STROBE_BLOCKED_OFF | (STROBE_BLOCKED_OFF - 1));
}

/*
 * The size of a record, in words of payload. One that the fast path is not for -
 * without payload, or with a length in a word of its own - has a bit on top, with
 * which it fits nowhere.
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
 * R1 to R6 in the ordinary case: a small record that fits behind the one before
 * it. What it finds are single words, for the caller to have them in registers.
 * @words: from strobe_ring_words()
 * @ts: the time, taken before
 * @from, @to: as in struct strobe_ring_resv
 * @data: its payload
 * Return: false: it is another case, for strobe_ring_reserve_slow().
 */
static __always_inline bool strobe_ring_reserve_fast(struct strobe_ring_cpu *rc,
						     unsigned long words, u64 ts,
						     u64 *from, u64 *to, void **data)
{
	struct strobe_ring_slot *slot;
	unsigned long off;
	u64 word, gap, step;
	u32 *payload;

	barrier();	/* Whoever comes from here on records a later time. */
	data_race(rc->nest++);
	barrier();	/* Inside before the word is loaded. */
	word = READ_ONCE(rc->word);
	barrier();	/* The word first, then what vouches for its time. */
	if (unlikely(data_race(rc->last_word) != word))
		return false;
	barrier();
	/* An interrupt here changes the word, or gives up and restores last_ts with it. */
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
	OPTIMIZER_HIDE_VAR(payload);	/* One register for it and its header. */
	payload[-1] = strobe_word_record(words, step);
	*data = payload;
	return true;
}

/**
 * strobe_ring_reserve - begin a record
 * @ring: the ring; the record goes to this CPU's part
 * @len: bytes of payload
 * @resv: the reservation: to be passed to strobe_ring_commit() or
 *	strobe_ring_discard() on the same CPU, in the same context
 *
 * Context: Any, NMI included, with preemption off until the commit.
 * Return: where to write the payload, aligned to four bytes; its bytes are
 * not initialised. NULL: not recorded, @resv is not to be used. That is
 * counted in the ring's statistics, unless recording is off.
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
 * strobe_ring_commit - the record of @resv is written
 * @resv: from strobe_ring_reserve()
 *
 * Readers see the record when the outermost writer of this CPU has left.
 *
 * Context: That of the reservation.
 */
static __always_inline void strobe_ring_commit(struct strobe_ring_resv *resv)
{
	strobe_ring_leave(resv->rc);
}

/* Bytes of payload of the record that lies between these two state words. */
static __always_inline u32 strobe_ring_payload_len(u64 from, u64 to)
{
	u32 words = strobe_word_off(to) - strobe_word_off(from) - 1;

	return (words <= STROBE_RECORD_DATA_MAX ? words : words - 1) * STROBE_RECORD_UNIT;
}

/**
 * strobe_ring_mark - a word that every record of this CPU changes
 * @ring: the ring
 *
 * Two equal marks with less than a whole lap between them mean that nothing
 * was recorded here in between.
 *
 * Context: Any, with preemption off.
 */
static __always_inline u64 strobe_ring_mark(const struct strobe_ring *ring)
{
	return READ_ONCE(this_cpu_ptr(READ_ONCE(ring->percpu))->word);
}

#endif /* _STROBE_RING_WRITE_H */
