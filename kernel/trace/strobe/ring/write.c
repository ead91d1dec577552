// SPDX-License-Identifier: GPL-2.0
/*
 * The ring's write side: what ring/write.h does not do inline.
 *
 * Purpose
 * -------
 * Each CPU has a ring of sub-buffers. Whatever runs on that CPU writes to it:
 * tasks, soft and hard interrupts, NMIs, each interrupting the others in the
 * middle of a write. Readers run anywhere. A writer never waits, for nobody; a
 * reader never makes a writer wait or retry. And each event can be accounted
 * for afterwards: reserved = read + held + overwritten + discarded, and what
 * was not even reserved is counted as dropped or as commit overrun. That includes
 * events that come while a change of the ring holds the writers off.
 *
 * Structures
 * ----------
 * struct strobe_ring_cpu has nr_slots slots and nr_slots + 1 sub-buffers. Each
 * slot has a sub-buffer; one more is in the hand of the reader. (Once the ring was
 * mapped to user space, the reader has a second one; see map.c.)
 *
 *	slots	   0	   1	   2	   3		reader's hand
 *		+------++------++------++------+	+------+
 *	seq	|  4   ||  5   ||  2   ||  3   |	|  1   |
 *		| id 0 || id 4 || id 2 || id 3 |	| id 1 |
 *		+------++------++------++------+	+------+
 *			  ^ being written
 *
 * A slot is filled again and again, once each lap. (lap, slot) together are a
 * sequence; word.h has its encoding, here it is counted 0, 1, 2, ... and slot
 * n % nr_slots is the one of sequence n.
 *
 * The state word of the CPU (rc->word) says all about the writing end: in
 * which sequence, up to which offset it is full, and low bits of the time of
 * the newest record. Only the CPU itself changes it, but any of its contexts
 * may, so that it takes a cmpxchg; that one needs no lock prefix.
 *
 * The word of a slot says what it holds (sequence, sub-buffer), and how many
 * of the records were consumed. A writer that wants to overwrite and a reader
 * that wants to take or to consume both change it by a true atomic cmpxchg:
 * that decides between them, and that the word carries the mark of what was
 * consumed tells the winning writer to the event what it destroys.
 *
 * rc->committed is a copy of the state word: what is before it may be read.
 *
 * Reservation
 * -----------
 *	R1  nest++
 *	R2  load the state word W
 *	R3  read the clock
 *	R4  cmpxchg(state word, W, W advanced by the record and to its time)
 *	R5  remember the time (last_ts, then last_word), count the record
 *	R6  write the record's header
 *	... the caller writes the payload ...
 *	C1  leave: nest--, and publish if that was the last
 *
 * If R4 succeeds, nothing that interrupted between R2 and R4 has recorded
 * anything (or it gave it up again, which puts W back): the record before
 * this one is the one that W speaks of, and as time was read after W, it is no
 * earlier. If R4 fails, start at R2.
 *
 * The fast path (strobe_ring_reserve_fast()) reads the clock before R1, while
 * there is nothing yet that would have to be kept meanwhile. If an interrupt has
 * recorded between the clock and R2, the time is earlier than last_ts: R2 follows,
 * then R3.
 *
 * Time
 * ----
 * The word has 28 bits of the time, a record's delta 27. The time of the record
 * that W speaks of is last_ts if last_word is W. It is a full time, so the gap is
 * known, whatever its length:
 *
 *	the gap				the record's time
 *	------------------------------	--------------------------------------
 *	fits a delta			in its header
 *	is longer			a time extend in front of it
 *	is negative: the clock went	that of the record before, and last_ts
 *	back by no more than that	stays
 *	last_word is not W, or the	an absolute time stamp in front of it
 *	clock went back by more
 *
 * The first record of a slot has the time stamp of the sub-buffer.
 *
 * Extend and stamp are records of 8 bytes, one reservation with the one they are
 * for.
 *
 * Between R4 and R5, last_word differs from the state word. An interrupt that records then puts a
 * stamp in front of its record, and leaves last_ts and last_word alone: R5 is
 * only for those that found last_word to be W, and for the outermost writer.
 * So no other writer stores them in between, and a writer that finds last_word to be
 * the state word finds R5 complete. After such an interrupt last_word is another one
 * until the outermost writer records again, with a stamp, too.
 *
 * tools/testing/strobe/model/time.pml tries all this, with clocks that stand still,
 * leap and go back.
 *
 * Commit
 * ------
 * rc->nest counts the writers inside. Each one restores what it found, so it
 * need not be atomic. The one that brings it down to 0 publishes: all that is
 * reserved has been written then.
 *
 *	L1  nest > 1: nest--, done
 *	L2  load the state word W
 *	L3  committed = W		(LEAVE:A)
 *	L4  nest = 0
 *	L5  if the state word is not W: nest = 1, go to L2
 *
 * Who interrupts before L4 sees nest > 0 and leaves publishing to us, who find
 * out in L5. Who interrupts after L4 publishes by itself. nest is raised before
 * the word is loaded again, so that there is one publisher at a time, and
 * committed never goes back.
 *
 * When slots have been entered since (rc->crossed), L3 is preceded by writing
 * for each of them the index of its first record (lap->first): what lies
 * between two of them is exact then, as nobody is inside. Readers tell from it
 * how many records they missed.
 *
 * Crossing into the next slot
 * ---------------------------
 * In place of R4, if the record does not fit any more behind W (of sequence n):
 *
 *	X1  claim slot n+1: cmpxchg its word to (held, seq n+1)   (CLAIM:A)
 *	X2  cmpxchg(state word, W, (time, n+1, length of the record))
 *	X3  winner only: slot n's end, n+1's time stamp, crossed = 1
 *
 * What the slot's word may be at X1, and what is done:
 *
 *	held  seq		meaning			the writer
 *	----  ----------	----------------------	-------------------------
 *	yes   n+1		claimed by a writer	goes on to X2
 *				that was interrupted
 *				before X2, or lost it
 *	yes   n+1-nr, that is	uncommitted records of	drops: commit overrun
 *	      >= committed's	the writers below
 *	yes   n+1-nr, all	consumed in place	claims, destroys nothing
 *	      records marked
 *	yes   n+1-nr		unread records		overwrite mode: claims,
 *							counts them as overrun;
 *							discard mode: drops
 *	no    any		a spare sub-buffer	claims, destroys nothing
 *
 * Claiming is idempotent: any number of nested writers may find the slot
 * claimed, set slot->subbuf to what the word says, and try X2; one wins. A
 * slot may stay claimed and not be entered for as long as smaller records
 * still fit behind W. What the old lap held is gone then; a reader that looks
 * for it finds another sequence and goes on with the next.
 *
 * X3 is written after winning: a loser of X2 that had written the end or the
 * time stamp before would spoil those of a nested winner. The winner may be
 * interrupted before X3 for long; but slots >= committed's are never claimed
 * again before it has left (second line of the table), so X3 always writes to
 * the lap that it is meant for. Readers look at it only when it is committed.
 *
 * At the start, the state word is at the end of the last slot, in sequence -1,
 * which is held and has no records: the first record crosses like any other.
 *
 * Examples
 * --------
 * An interrupt (B) between R4 and C1 of a task's record (A):
 *
 *	A  W = (5, 100)  ->  (5, 110)		nest 1
 *	  B  W = (5, 110)  ->  (5, 120)		nest 2
 *	  B  leaves: nest 1
 *	A  leaves: committed = (5, 120), nest 0
 *
 * Between R2 and R4: A's cmpxchg finds (5, 110) in place of (5, 100), and
 * starts again behind B's record, with a later time.
 *
 * Crossing, and an interrupt between X1 and X2:
 *
 *	A  W = (5, 1000), record of 30 does not fit in 1020; slot of 6 claimed
 *	  B  W = (5, 1000), record of 25 does not fit; finds 6 claimed;
 *	     W = (6, 25); slot 5's end = 1000; 6's time stamp is B's
 *	A  cmpxchg fails; W = (6, 25) -> (6, 55)
 *	A  leaves: crossed, so first(6) = first(5) + records in 5;
 *	   committed = (6, 55)
 *
 * With a record of 10, B would have fit in 5: (5, 1010); A would have started
 * again, found its claim, and entered 6.
 *
 * Wrap onto the record of a writer below, 4 slots:
 *
 *	A  reserves in sequence 5; committed is in 5
 *	  B  fills 5, 6, 7, 8; wants 9: its slot holds 5, not before
 *	     committed: drops, commit overrun. B's records in 6..8 stay.
 *	A  leaves; all of 5..8 is committed
 *
 * Writer and reader meet at the slot of sequence 5, which holds 20 unread
 * records, sub-buffer id 0; the reader's spare is id 4:
 *
 *	writer first	cmpxchg (5, mark m, id 0) -> (9, mark m+20, id 0),
 *			overrun += 20; the reader's cmpxchg fails, it looks for
 *			the oldest sequence there is: 6. first(6) is 20 more
 *			than it expected: 20 records lost.
 *	reader first	cmpxchg (5, mark m, id 0) -> (not held, 5, id 4); the
 *			reader has id 0. The writer's cmpxchg fails; it finds
 *			the slot not held, claims it, and writes to id 4.
 *
 * A record given up
 * -----------------
 * strobe_ring_discard() puts the state word back if it still is what the
 * reservation has made it: no record lies behind. Else the record becomes
 * padding, which keeps its delta. The word to go back to (resv->from) keeps
 * what cannot be undone: a time record that was reserved with the record stays,
 * and so does a slot that it entered.
 *
 * last_ts goes back with it, by the record's delta, if last_word is the word that
 * the record has made. last_word is set to the word to go back to first: the state word
 * is not that yet, so that an interrupt does not trust last_ts meanwhile.
 *
 * ABA
 * ---
 * R4 and X2 compare all of the word. To be fooled, interrupts between R2 and
 * R4 would have to write 2^22 sub-buffers and stop at the same offset and the
 * same low bits of time. A word put back by a discard is no ABA problem: it
 * means the same as before, the claim and the end of a slot entered in between
 * are made again by whoever crosses next.
 *
 * A slot's word holds the sequence and the id. A reader holds a stale one for
 * as long as it may be preempted; for that to look current, the writers would
 * have to write 2^22 sub-buffers and the reader's marks be equal. Only the
 * reader itself moves marks and ids, and the cursor of a reader that slept for
 * that long is told by lap->first, of 64 bits.
 *
 * Contexts and locks
 * ------------------
 * Writers: any context of their CPU, with preemption off from R1 to C1. That
 * makes them read-side critical sections of RCU: STOP:A waits for them so.
 * Readers hold reader.lock, a mutex; so does who changes the shape of the ring
 * after stopping the writers. (A writer that RCU does not watch is not waited for:
 * events are not recorded on a CPU that is not online; trace_printk() in the last steps
 * of a CPU that goes offline is the caller's risk, as it is with classic.) There is no
 * guard against a writer that fires its own event between R1 and C1: TP_fast_assign()
 * must not do that. Changes of the shape are serialised by the ring's
 * shape_lock, taken before reader.lock. These are the only locks, and innermost
 * ones of whoever calls.
 *
 * Memory barriers
 * ---------------
 * Between the contexts of a CPU order is program order: barrier() is enough.
 * Between CPUs (tools/testing/strobe/model/fences.cpp has a test of most):
 *
 *	LEAVE:A	 smp_store_release(committed): records, headers, ends, time
 *		 stamps, first, base are written before
 *	TAKE:A	 smp_load_acquire(committed), pairs with LEAVE:A
 *	CLAIM:A	 the writer's cmpxchg of the slot's word, fully ordered: before
 *		 it the reader's last look at a spare that it left, and that it
 *		 put this one into subbufs[] (pairs with TAKE:B), after it
 *		 whatever the writer writes to the slot and its sub-buffer
 *		 (pairs with TAKE:B, COPY:A)
 *	TAKE:B	 the reader's cmpxchg of the slot's word, fully ordered: if what
 *		 it read from the slot or the sub-buffer before was of the next
 *		 lap already, it fails; pairs with CLAIM:A
 *	COPY:A	 smp_rmb() between copying from a sub-buffer and looking at the
 *		 slot's word again, or between copying from a slot and looking at
 *		 committed again; pairs with CLAIM:A
 *	STOP:A	 blocked raised, then a grace period: whoever did not see it
 *		 has left, and what he wrote is seen; pairs with preemption off
 *		 in the writer
 *	START:A	 blocked lowered with release; a writer that finds it 0 looks at
 *		 nothing else of the ring before: slots, sub-buffers, words and
 *		 counts may all be others than they were before the stop. (A
 *		 grace period does not see to that: the writer may have begun
 *		 in it, and been let in behind it.)
 *	SET_ON:A smp_mb__before_atomic() between a store to a setting or to
 *		 ring->percpu, and the change of blocked that it leads to
 *	SET_ON:B smp_mb__after_atomic() between the change of blocked and a second
 *		 look at the settings and at ring->percpu; pairs with SET_ON:A: of
 *		 two CPUs that change the same blocked, the later one sees what
 *		 the other one has stored
 *	SWAP:A	 smp_store_release(ring->percpu): what is found there has been
 *		 made before; pairs with the address dependency in writers and
 *		 in strobe_ring_of(). See swap.c.
 *	REGION:A smp_store_release(kept->committed): as LEAVE:A, for who looks at a
 *		 region after the crash. See region.c.
 *	STORE:A	 smp_store_release(rc->store): a reader without reader.lock that loads
 *		 the new pointer sees what was stored to the store's tables before, by
 *		 an address dependency. (A change of the order fills in laps and slots
 *		 afterwards, while rc->changing is set; until then none of them is
 *		 held.) The old store is freed after a grace period.
 *	DUMP:A	 smp_rmb() between what the dumper reads of a ring and its second look
 *		 at store and generation. If it has read what a change stored after
 *		 DUMP:B, it sees the new generation, and begins again.
 *	DUMP:B	 smp_wmb() between the new generation and all that a change stores;
 *		 pairs with DUMP:A
 *	DUMP:C	 smp_store_release(generation) when a change begins, after changing
 *	DUMP:D	 smp_load_acquire(generation) when a dump begins, pairs with DUMP:C: it
 *		 sees that the change of that generation is under way, or has ended
 *	DUMP:E	 smp_store_release(changing) at the end of a change
 *	DUMP:F	 smp_load_acquire(changing) when a dump begins, pairs with DUMP:E: if it
 *		 finds no change under way, it sees all that the last one stored
 *	PIN:A	 a swapper's cmpxchg of pins. See swap.c.
 *	SWAP_WAKE:A sleepers set, full barrier, look for what to mark; and a swap, full
 *		 barrier, look at sleepers. See swap.c and wait.c.
 *	WAIT:A	 waiters set, smp_mb(), look for records; then once more after
 *		 a grace period of RCU: a writer that had loaded rc->work before
 *		 has left by then, and its LEAVE:A is seen. See wait.c.
 */
#include <linux/errno.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/write.h"

/* How a record tells its time. */
enum strobe_ring_time {
	STROBE_TIME_DELTA,	/* in its header */
	STROBE_TIME_KEEP,	/* that of the record before */
	STROBE_TIME_EXTEND,	/* by a time extend in front of it */
	STROBE_TIME_STAMP,	/* by an absolute stamp in front of it */
};

/* One attempt to reserve: what R2 and R3 found, and what it leads to. */
struct strobe_ring_attempt {
	u64			word;
	u64			ts;
	u64			delta;
	u32			units;
	enum strobe_ring_time	time;
	bool			keeps;	/* does this writer do R5? */
};

/* R2 and R3, and how to tell the time of a record right behind the word. */
static notrace void strobe_ring_look(struct strobe_ring_cpu *rc,
				     struct strobe_ring_attempt *at)
{
	u64 last_word, last_ts, gap;

	at->word = READ_ONCE(rc->word);
	barrier();	/* The word first, then what vouches for its time. */
	last_word = READ_ONCE(rc->last_word);
	/* An interrupt here changes the word, or gives up and restores last_ts with it. */
	barrier();
	last_ts = READ_ONCE(rc->last_ts);
	at->ts = strobe_ring_clock(rc);
	/* An interrupt restores nest. */
	at->keeps = last_word == at->word || data_race(rc->nest) == 1;

	gap = at->ts - last_ts;
	if (last_word == at->word && gap <= STROBE_RECORD_DELTA_MAX) {
		at->time = STROBE_TIME_DELTA;
		at->delta = gap;
	} else if (last_word == at->word && -gap <= STROBE_RECORD_DELTA_MAX) {
		at->time = STROBE_TIME_KEEP;
		at->delta = 0;
		at->ts = last_ts;
	} else if (last_word == at->word && gap <= STROBE_RECORD_STAMP_MASK) {
		at->time = STROBE_TIME_EXTEND;
		at->delta = gap - 1;
	} else {
		at->time = STROBE_TIME_STAMP;
		at->delta = (at->ts - 1) & STROBE_RECORD_STAMP_MASK;
	}
}

/* R5 and R6 of a record of @units at @from. */
static notrace void *strobe_ring_begin(struct strobe_ring_cpu *rc, u64 from,
				       u32 units, u32 delta)
{
	struct strobe_ring_slot *slot = strobe_ring_slot_at(rc, from);
	struct strobe_record *record = strobe_ring_record_at(slot, strobe_word_off(from));
	u32 words = units - 1;

	local_inc(&slot->count);
	if (words <= STROBE_RECORD_DATA_MAX) {
		*(u32 *)record = strobe_record_word(words, delta);
		return record->array;
	}
	*(u32 *)record = strobe_record_word(STROBE_RECORD_LARGE, delta);
	record->array[0] = words * STROBE_RECORD_UNIT;
	return record->array + 1;
}

/*
 * R4 to R6, in the sub-buffer that is being written.
 * Return: the payload; NULL: lost against a nested writer.
 */
static notrace void *strobe_ring_try_here(struct strobe_ring_cpu *rc,
					  struct strobe_ring_attempt *at,
					  struct strobe_ring_resv *resv)
{
	bool stamped = at->time >= STROBE_TIME_EXTEND;
	struct strobe_record *stamp;
	u64 word = at->word;

	/* A stamp tells one unit less, so that the record can be padding. */
	resv->rc = rc;
	resv->from = word;
	if (stamped)
		resv->from = strobe_word_at(word, at->ts - 1) + STROBE_STAMP_UNITS;
	resv->to = strobe_word_at(resv->from, at->ts) + at->units;

	if (!try_cmpxchg_local(&rc->word, &word, resv->to))
		return NULL;
	if (at->keeps)
		strobe_ring_keep_time(rc, at->ts, resv->to);
	if (!stamped)
		return strobe_ring_begin(rc, resv->from, at->units, at->delta);

	stamp = strobe_ring_record_at(strobe_ring_slot_at(rc, at->word),
				      strobe_word_off(at->word));
	*(u32 *)stamp = strobe_record_word(at->time == STROBE_TIME_EXTEND ?
					   STROBE_RECORD_TIME_EXTEND :
					   STROBE_RECORD_TIME_STAMP,
					   at->delta & STROBE_RECORD_DELTA_MAX);
	stamp->array[0] = at->delta >> STROBE_RECORD_DELTA_BITS;
	return strobe_ring_begin(rc, resv->from, at->units, 1);
}

/*
 * X1: make the slot of @seq ready to be entered; see the table above.
 * Return: 0; -EBUSY: its records are not committed; -ENOSPC: they are not read,
 * and must not be overwritten.
 */
static notrace int strobe_ring_claim(struct strobe_ring_cpu *rc, u32 seq)
{
	struct strobe_ring_slot *slot = strobe_ring_slot(rc, seq);
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	u64 old = atomic64_read(&lap->word), new;
	u32 unread;

	do {
		unread = 0;
		if (strobe_slot_holds(old, seq))
			goto claimed;
		if (strobe_slot_held(old)) {
			u32 committed = strobe_word_seq(READ_ONCE(rc->committed));

			if (!STROBE_BUSTED_WRAP &&
			    strobe_seq_distance(&rc->store->shape, committed, seq) >=
			    rc->store->shape.nr_slots)
				return -EBUSY;
			unread = strobe_slot_count(local_read(&slot->count),
						   strobe_slot_mark(old));
			if (unread && !READ_ONCE(READ_ONCE(rc->ring)->overwrite))
				return -ENOSPC;
		}
		new = strobe_slot_make(true, local_read(&slot->count),
				       strobe_slot_id(old), seq);
		/* CLAIM:A pairs with TAKE:B, COPY:A */
	} while (!atomic64_try_cmpxchg(&lap->word, &old, new));

	if (unread)
		local_add(unread, &rc->overrun);
claimed:
	WRITE_ONCE(slot->subbuf, rc->store->subbufs[strobe_slot_id(old)]);
	return 0;
}

/*
 * X1 to X3, R5, R6: the record becomes the first one of the next slot.
 * Return: the payload; NULL: lost against a nested writer; else an ERR_PTR()
 * of strobe_ring_claim()'s.
 */
static notrace void *strobe_ring_try_next(struct strobe_ring_cpu *rc,
					  struct strobe_ring_attempt *at,
					  struct strobe_ring_resv *resv)
{
	struct strobe_ring_lap *left;
	struct strobe_subbuf *subbuf;
	u64 word = at->word;
	u32 seq;
	int err;

	seq = strobe_seq_next(&rc->store->shape, strobe_word_seq(word));
	resv->rc = rc;
	resv->from = strobe_word_make(at->ts, seq, 0);
	resv->to = resv->from + at->units;
	left = strobe_ring_lap(rc, strobe_word_seq(word));

	err = strobe_ring_claim(rc, seq);
	if (err)
		/* Full only if no nested writer has gone on since. */
		return READ_ONCE(rc->word) == word ? ERR_PTR(err) : NULL;
	barrier();	/* slot->subbuf is set before anybody is inside. */
	subbuf = READ_ONCE(strobe_ring_slot(rc, seq)->subbuf);
	if (STROBE_BUSTED_EARLY) {
		WRITE_ONCE(left->end, strobe_word_off(word));
		WRITE_ONCE(subbuf->time_stamp, at->ts);
	}
	if (!try_cmpxchg_local(&rc->word, &word, resv->to))
		return NULL;

	if (!STROBE_BUSTED_EARLY) {
		WRITE_ONCE(left->end, strobe_word_off(word));
		WRITE_ONCE(subbuf->time_stamp, at->ts);
	}
	WRITE_ONCE(rc->crossed, rc->crossed | STROBE_WORK_CROSSED);
	if (at->keeps)
		strobe_ring_keep_time(rc, at->ts, resv->to);
	return strobe_ring_begin(rc, resv->from, at->units, 0);
}

/**
 * strobe_ring_reserve_slow - reserve what is not the ordinary case
 * @rc: the ring of this CPU; rc->nest counts the caller already
 * @len: bytes of payload
 * @resv: filled in
 *
 * For records that are the first of a slot, that follow a long gap, that are
 * longer than STROBE_RECORD_SMALL_MAX or empty, and for those that a nested
 * writer came before, or that find last_word to be another one.
 *
 * Context: see strobe_ring_reserve(), whose second half this is.
 * Return: as strobe_ring_reserve() does; if NULL, the caller has left.
 */
notrace void *strobe_ring_reserve_slow(struct strobe_ring_cpu *rc, u32 len,
				       struct strobe_ring_resv *resv)
{
	struct strobe_ring_attempt at;
	local_t *reason = &rc->dropped;
	void *data;

	if (len > strobe_ring_limit_payload(rc->limit))
		goto drop;
	at.units = strobe_record_size(len) / STROBE_RECORD_UNIT;
	do {
		u32 units = at.units;

		strobe_ring_look(rc, &at);
		if (at.time >= STROBE_TIME_EXTEND)
			units += STROBE_STAMP_UNITS;
		if (strobe_word_off(at.word) + units <= rc->limit)
			data = strobe_ring_try_here(rc, &at, resv);
		else
			data = strobe_ring_try_next(rc, &at, resv);
	} while (!data);
	if (!IS_ERR(data))
		return data;
	if (PTR_ERR(data) == -EBUSY)
		reason = &rc->commit_overrun;
drop:
	local_inc(reason);
	strobe_ring_leave(rc);
	return NULL;
}

/**
 * strobe_ring_refuse - account for an event that strobe_ring_blocked() keeps out
 * @rc: the ring of this CPU
 *
 * What the user has switched off is not counted. If the writers are held off for a
 * change of the ring, the event counts as dropped: fired = read + held + overwritten +
 * dropped + discarded holds through the change. The count has a place of its own, since
 * the change may be resetting or exchanging the others.
 *
 * Context: any, with preemption off.
 * Return: it was counted.
 */
notrace bool strobe_ring_refuse(struct strobe_ring_cpu *rc)
{
	if (atomic_read(&rc->blocked) & STROBE_BLOCKED_OFF)
		return false;
	if (!STROBE_BUSTED_REFUSE)
		atomic64_inc(&rc->refused);
	return true;
}

/*
 * Make what lies before @word known to readers. The caller is the outermost
 * writer, and rc->nest says so.
 */
static notrace void strobe_ring_publish(struct strobe_ring_cpu *rc, u64 word)
{
	u32 seq = strobe_word_seq(rc->committed);
	u32 last = strobe_word_seq(word);
	struct strobe_ring_lap *lap;
	u64 first;

	while (seq != last) {
		first = strobe_ring_lap(rc, seq)->first + strobe_ring_records(rc, seq);
		seq = strobe_seq_next(&rc->store->shape, seq);
		lap = strobe_ring_lap(rc, seq);
		/* No reader has been here yet: the mark is as it was claimed. */
		WRITE_ONCE(lap->base, strobe_slot_mark(atomic64_read(&lap->word)));
		WRITE_ONCE(lap->first, first);
	}
	/* Before the slots up to there may be claimed again; see region.c. */
	if (rc->kept)
		strobe_region_commit(rc->kept, word);
	/* LEAVE:A pairs with TAKE:A */
	smp_store_release(&rc->committed, word);
}

/**
 * strobe_ring_leave_slow - publish, in other than the ordinary case
 * @rc: the ring of this CPU
 *
 * Called by the outermost writer: if slots were entered, if somebody waits for
 * records, if an interrupt left its records to be published, or if the ring is to
 * outlive the kernel.
 *
 * Context: that of the writer.
 */
notrace void strobe_ring_leave_slow(struct strobe_ring_cpu *rc)
{
	bool crossed = false;
	u64 word;

	do {
		WRITE_ONCE(rc->nest, 1);
		barrier();	/* The only publisher from here on. */
		if (READ_ONCE(rc->crossed) & STROBE_WORK_CROSSED) {
			crossed = true;
			WRITE_ONCE(rc->crossed, rc->crossed & ~STROBE_WORK_CROSSED);
		}
		barrier();	/* A slot entered from here on sets it again. */
		word = READ_ONCE(rc->word);
		strobe_ring_publish(rc, word);
		barrier();	/* LEAVE:A before nest goes down */
		WRITE_ONCE(rc->nest, 0);
		barrier();	/* and that before the word is looked at. */
	} while (!STROBE_BUSTED_PUBLISH && READ_ONCE(rc->word) != word);

	if (READ_ONCE(rc->waiters) ||
	    (crossed && strobe_ring_dirty(rc) >= READ_ONCE(rc->wait_full)))
		strobe_ring_notify(rc);
}

/*
 * The record of @resv has to stay, with its delta, but is to be no record. The
 * delta of padding must not be 0: the first record of a sub-buffer takes one
 * from the time stamp. Another one at the very time of the record before it
 * becomes time extends, if they fill it; else it costs one unit of time: what follows
 * in the sub-buffer is one unit ahead for readers. The next sub-buffer has its own time
 * stamp, so that time may go back there, by as many units as such records were padded.
 * That needs a clock so coarse that records have equal times.
 */
static notrace void strobe_ring_pad(struct strobe_ring_slot *slot,
				    const struct strobe_ring_resv *resv)
{
	u32 off = strobe_word_off(resv->from);
	struct strobe_record *record = strobe_ring_record_at(slot, off);
	u32 units = strobe_word_off(resv->to) - off;
	u32 delta = record->time_delta;

	if (!delta && !off && slot->subbuf->time_stamp) {
		WRITE_ONCE(slot->subbuf->time_stamp, slot->subbuf->time_stamp - 1);
		delta = 1;
	}
	if (!delta && units % STROBE_STAMP_UNITS == 0) {
		for (; units; units -= STROBE_STAMP_UNITS) {
			*(u32 *)record = strobe_record_word(STROBE_RECORD_TIME_EXTEND, 0);
			record->array[0] = 0;
			record = (void *)record + STROBE_RECORD_STAMP_SIZE;
		}
		return;
	}
	*(u32 *)record = strobe_record_word(STROBE_RECORD_PADDING, delta ?: 1);
	record->array[0] = (units - 1) * STROBE_RECORD_UNIT;
}

/**
 * strobe_ring_discard - give up a record in place of committing it
 * @resv: from strobe_ring_reserve()
 *
 * It is never seen by readers. Its room is used again if nothing has been
 * recorded behind it.
 *
 * Context: That of the reservation.
 */
notrace void strobe_ring_discard(struct strobe_ring_resv *resv)
{
	struct strobe_ring_cpu *rc = resv->rc;
	struct strobe_ring_slot *slot = strobe_ring_slot_at(rc, resv->from);
	u64 word = resv->to;

	local_inc(&rc->discarded);
	local_dec(&slot->count);
	if (READ_ONCE(rc->last_word) == word) {
		/* last_ts is worth nothing until the word is put back. */
		WRITE_ONCE(rc->last_word, resv->from);
		barrier();
		WRITE_ONCE(rc->last_ts, rc->last_ts - strobe_word_delta(word, resv->from));
		barrier();
	}
	if (!try_cmpxchg_local(&rc->word, &word, resv->from))
		strobe_ring_pad(slot, resv);
	strobe_ring_leave(rc);
}
