/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The write side of the ring, inline: the path of nearly every record. What
 * is rare is out of line in write.c, where the algorithm is explained.
 */
#ifndef _STROBE_RING_WRITE_H
#define _STROBE_RING_WRITE_H

#include <linux/compiler.h>
#include <linux/sched/clock.h>

#include "ring/ring.h"
#include "ring/ring_types.h"

void *strobe_ring_reserve_slow(struct strobe_ring_cpu *rc, u32 len,
			       struct strobe_ring_resv *resv);
void strobe_ring_leave_slow(struct strobe_ring_cpu *rc);
void strobe_ring_discard(struct strobe_ring_resv *resv);

/*
 * The local clock is what trace_clock_local() returns; without its frames,
 * as preemption is off here anyway.
 */
static __always_inline u64 strobe_ring_clock(const struct strobe_ring_cpu *rc)
{
	u64 (*clock)(void) = data_race(rc->clock);

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
 * Remember the time of the record that made @word, after it has won. In this
 * order: last_word vouches for last_ts.
 */
static __always_inline void strobe_ring_keep_time(struct strobe_ring_cpu *rc,
						  u64 ts, u64 word)
{
	WRITE_ONCE(rc->last_ts, ts);
	barrier();
	WRITE_ONCE(rc->last_word, word);
}

/*
 * A writer leaves; the outermost one publishes.
 *
 * Here and below, what is compared only is loaded plainly, to be an operand of
 * the comparison; the barriers on both sides keep it where it is.
 */
static __always_inline void strobe_ring_leave(struct strobe_ring_cpu *rc)
{
	u64 word;

	barrier();	/* The records are written before the count goes down. */
	if (unlikely(rc->nest != 1)) {
		rc->nest--;
		return;
	}
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
	struct strobe_ring_cpu *rc = this_cpu_ptr(ring->percpu);
	unsigned long units = (len + 2 * STROBE_RECORD_UNIT - 1) / STROBE_RECORD_UNIT;
	unsigned long off;
	struct strobe_ring_slot *slot;
	struct strobe_record *record;
	u64 word, ts, to, step;

	if (unlikely(data_race(rc->blocked.counter)))
		return NULL;

	rc->nest++;
	barrier();	/* Inside before the word is loaded. */
	word = READ_ONCE(rc->word);
	barrier();	/* Time is taken after the word: whoever comes between
			 * and records makes the cmpxchg fail.
			 */
	ts = strobe_ring_clock(rc);
	step = strobe_word_step(word, ts);

	if (unlikely((s64)step < 0))
		goto slow;
	/* A longer gap shows in last_ts, which may be old but never is ahead. */
	if (unlikely(ts - rc->last_ts > STROBE_RECORD_DELTA_MAX))
		goto slow;
	/* No payload, or one whose length has a word of its own. */
	if (unlikely(units - 2 >= STROBE_RECORD_DATA_MAX))
		goto slow;
	off = strobe_word_off(word);
	if (unlikely(off + units > rc->limit))
		goto slow;
	to = word + step + units;
	resv->rc = rc;
	resv->from = word;
	resv->to = to;
	if (unlikely(!try_cmpxchg_local(&rc->word, &word, to)))
		goto slow;

	strobe_ring_keep_time(rc, ts, to);
	slot = strobe_ring_slot_at(rc, word);
	local_inc(&slot->count);
	record = strobe_ring_record_at(slot, off);
	*(u32 *)record = strobe_word_record(units - 1, step);
	return record->array;
slow:
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
	return READ_ONCE(this_cpu_ptr(ring->percpu)->word);
}

#endif /* _STROBE_RING_WRITE_H */
