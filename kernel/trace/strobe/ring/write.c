// SPDX-License-Identifier: GPL-2.0
/*
 * Write side of the ring, except for the fast path in ring/write.h.
 *
 * Purpose
 * -------
 * Each CPU has a ring of sub-buffers. All contexts of that CPU write to it:
 * tasks, soft and hard interrupts, NMIs, and each may interrupt another one in
 * the middle of a write. Readers run on any CPU. A writer waits neither for
 * another writer nor for a reader; at worst, a reader makes it repeat the cmpxchg
 * of a claim (X1). Every event that fires while recording is on is accounted for:
 * reserved = read + held + overwritten + discarded, and an event without a
 * reservation counts as dropped or as commit overrun, also while the writers are
 * held off for a change of the ring.
 *
 * Structures
 * ----------
 * struct strobe_ring_cpu has nr_slots slots and nr_slots + 1 sub-buffers. Each
 * slot has a sub-buffer; one more is the reader page. (Once the ring was mapped to
 * user space, the reader has a second one; see map.c.)
 *
 *	slots	   0	   1	   2	   3		reader page
 *		+------++------++------++------+	+------+
 *	seq	|  4   ||  5   ||  2   ||  3   |	|  1   |
 *		| id 0 || id 4 || id 2 || id 3 |	| id 1 |
 *		+------++------++------++------+	+------+
 *			  ^ being written
 *
 * Each lap fills every slot once. Lap and slot together are a sequence. word.h
 * has its encoding; here sequences are counted 0, 1, 2, ... and sequence n uses
 * slot n % nr_slots.
 *
 * The state word of the CPU (rc->word) is the position of the writers: the
 * sequence being written, the offset up to which it is full, and the number of
 * records in it. Only contexts of this CPU change it, by a local cmpxchg, which
 * needs no lock prefix. So a reservation, and its place in the count, are one step.
 *
 * The slot word says which sequence and sub-buffer the slot holds, and how many of
 * its records were consumed (the mark). A writer that overwrites the slot and a
 * reader that takes it or consumes from it all change the word by an atomic
 * cmpxchg, so only one of them succeeds. As the mark is part of the word, a writer
 * that succeeds knows exactly how many unread records it destroys.
 *
 * rc->committed is a copy of the state word: what is before it may be read. Its
 * count is that of these very records, and is final.
 *
 * Reservation
 * -----------
 *	R1  depth++
 *	R2  load the state word W
 *	R3  read the clock
 *	R4  cmpxchg(state word, W, W advanced by the record's units and one record)
 *	R5  remember the time (last_ts, then last_word)
 *	R6  write the record's header
 *	... the caller writes the payload ...
 *	C1  leave: depth--, and publish if that was the outermost writer
 *
 * If R4 succeeds, no interrupt has recorded anything between R2 and R4 (or it
 * discarded its record, which restores W). The record before this one is then the
 * one that W describes, and as R3 reads the clock after R2, the new record is no
 * earlier. If R4 fails, the writer starts again at R2.
 *
 * R1 has to come before R4, so that no interrupt publishes the reservation. The slow
 * path does it first, the fast path (ring/write.h) just before R4, after all tests that
 * may lead to the slow path. An interrupt before that R1 publishes its own records.
 *
 * A fast path that has to call the clock does so before R2, when it has no values yet that
 * it would have to preserve. If an interrupt has recorded between that and R2, the time is
 * earlier than last_ts, and the slow path starts at R2.
 *
 * Time
 * ----
 * The state word has no time, and a record's delta has 27 bits. If last_word is W,
 * last_ts is the time of the record that W describes, so the gap is known exactly:
 *
 *	the gap				the record's time
 *	------------------------------	--------------------------------------
 *	fits a delta			in its header
 *	is longer			a time extend in front of it
 *	is negative: the clock went	that of the record before, and last_ts
 *	back by no more than a delta	stays
 *	last_word is not W, or the	an absolute time stamp in front of it
 *	clock went back by more
 *
 * The first record of a slot has the time stamp of the sub-buffer.
 *
 * A time extend or stamp is a record of 8 bytes, and shares the reservation of the
 * record that it precedes.
 *
 * Between R4 and R5, last_word differs from the state word. An interrupt that
 * records there puts a stamp in front of its record and does not store last_ts and
 * last_word: only a writer that found last_word to be W, or the outermost writer,
 * does R5. Nor does a writer store them there that discards its record: last_word is
 * neither its resv->to nor the state word. So no other writer stores them in between,
 * and if a writer finds last_word equal to the state word, R5 is complete. After such
 * an interrupt last_word differs from the state word until the next record of an
 * outermost writer, which has a stamp, too.
 *
 * tools/testing/strobe/model/time.pml models this, with clocks that stand still,
 * leap and go back.
 *
 * Commit
 * ------
 * rc->depth is the nesting depth of the innermost writer inside, and -1 if there is
 * none. Each writer restores the value that it found, so it need not be atomic. The
 * outermost writer publishes: all reservations have been written when it leaves.
 *
 *	L1  depth > 0: depth--, done
 *	L2  load the state word W
 *	L3  committed = W		(LEAVE:A)
 *	L4  depth = -1
 *	L5  if the state word is not W: depth = 0, go to L2
 *
 * An interrupt before L4 sees that a writer is inside and leaves publishing to it; that
 * writer notices in L5. An interrupt after L4 publishes its own records. depth is raised
 * before the word is loaded again, so that there is one publisher at a time, and
 * committed never goes back.
 *
 * If slots have been entered since the last publication (rc->crossed), the
 * publisher stores the index of the first record of each one (lap->first) before
 * L3. The counts of the slots before it are final then, as no other writer
 * is inside. Readers compute from lap->first how many records they missed.
 *
 * Crossing into the next slot
 * ---------------------------
 * If the record does not fit after W (of sequence n), these steps replace R4:
 *
 *	X1  claim slot n+1: cmpxchg its word to (held, seq n+1)   (CLAIM:A)
 *	X2  cmpxchg(state word, W, (n+1, one record, its length))
 *	X3  winner only: slot n's end and count (those of W), n+1's time stamp,
 *	    crossed = 1
 *
 * The slot word at X1, and what the writer does:
 *
 *	held  seq		meaning			the writer
 *	----  ----------	----------------------	-------------------------
 *	yes   n+1		claimed by a writer	goes on to X2
 *				that was interrupted
 *				before X2, or lost it
 *	yes   n+1-nr, that is	uncommitted records of	drops: commit overrun
 *	      >= committed's	interrupted writers
 *	yes   n+1-nr, all	consumed in place	claims, destroys nothing
 *	      records marked
 *	yes   n+1-nr		unread records		overwrite mode: claims,
 *							counts them as overrun;
 *							discard mode: drops
 *	no    any		an empty sub-buffer	claims, destroys nothing
 *
 * Claiming is idempotent: any number of nested writers may find the slot claimed,
 * store the sub-buffer that the word names in slots[], and try X2; one wins. A
 * slot may stay claimed but not entered as long as smaller records still fit after
 * W. The records of its old lap are gone by then; a reader that looks for them finds
 * another sequence and continues with the next one.
 *
 * X3 comes after X2: a writer that stored the end, the count or the time stamp first
 * and then lost X2 would overwrite those of a nested winner. The winner may be interrupted
 * for a long time before X3. X3 still writes to the lap that it is meant for, since
 * slots >= committed's are not claimed again before the winner has left (second row
 * of the table). Readers use these values only after they are committed.
 *
 * At the start, the state word is at the end of the last slot, in sequence -1,
 * which is held and has no records: the first record crosses like any other.
 *
 * Examples
 * --------
 * An interrupt (B) between R4 and C1 of a task's record (A):
 *
 *	A  W = (5, 100)  ->  (5, 110)		depth 0
 *	  B  W = (5, 110)  ->  (5, 120)		depth 1
 *	  B  leaves: depth 0
 *	A  leaves: committed = (5, 120), depth -1
 *
 * Between R2 and R4: A's cmpxchg finds (5, 110) in place of (5, 100), and A starts
 * again after B's record, with a later time.
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
 * Wrap onto the record of an interrupted writer, 4 slots:
 *
 *	A  reserves in sequence 5; committed is in 5
 *	  B  fills 5, 6, 7, 8; wants 9: its slot holds 5, not before
 *	     committed: drops, commit overrun. B's records in 6..8 stay.
 *	A  leaves; all of 5..8 is committed
 *
 * Writer and reader meet at the slot of sequence 5, which holds 20 unread
 * records, sub-buffer id 0; the reader page is id 4:
 *
 *	writer first	cmpxchg (5, mark m, id 0) -> (9, mark m+20, id 0),
 *			overrun += 20; the reader's cmpxchg fails, and it goes
 *			on with the oldest sequence left, 6. first(6) is 20 more
 *			than it expected: 20 records lost.
 *	reader first	cmpxchg (5, mark m, id 0) -> (not held, 5, id 4); the
 *			reader has id 0. The writer's cmpxchg fails; it finds
 *			the slot not held, claims it, and writes to id 4.
 *
 * A record given up
 * -----------------
 *	the state word		what strobe_ring_discard() does
 *	--------------------	---------------------------------------------------
 *	is resv->to: no record	restores the word from before, with its count
 *	follows
 *	is another one, of the	D1  the record becomes padding, which keeps its delta
 *	record's sequence	D2  cmpxchg(state word, W, W less one record)
 *	is of a later sequence	D1, and decrements lap->count
 *
 * A slot that the record entered stays, and so does an absolute time stamp: last_ts was not
 * the time of the word before it. A time extend is taken back if last_ts is. Otherwise records
 * that are all discarded would leave one for each gap, and push out others. rc->extended is
 * resv->from of the newest reservation with an extend in this slot; that of an older one stays.
 *
 * The record's writer is inside, so no slot from the record's on is published, or
 * claimed again, before its count is final. The slot was left within that writer, by a
 * writer that interrupted it and has done X3. And no interrupt has a record in the slot
 * by then, so lap->count need not be decremented atomically.
 *
 * If last_word is the word that the reservation made, last_ts goes back by the
 * record's delta and that of the extend. last_word is set to the word from before
 * first: the state word is different until it is restored, so that an interrupt does
 * not use last_ts in between. Without that, another record of the same length would
 * make the state word equal to last_word, and an interrupt between its R4 and R5 would
 * use the time of the discarded one. After D2, last_word follows the state word if it
 * was equal to it: the newest record and its time are the same as before.
 *
 * ABA
 * ---
 * R4, X2 and D2 compare the whole state word. Within a sequence, W is found again only if
 * all records from W on were discarded and restored it: then it describes the same state
 * as before. D2 keeps the offset and lowers the count. The record that ends at that offset
 * cannot restore an earlier word any more, as its resv->to has the higher count. So the
 * state word does not come back to that offset with the higher count.
 *
 * Else interrupts between R2 and R4 would have to write all sequences, at least 2^26
 * sub-buffers (they wrap after nr_slots << lap bits), and stop at the same offset with the
 * same count. These are 256 GiB in sub-buffers of 4 KiB: more than two minutes of nothing
 * but copying 2 GB a second, within one event.
 *
 * A reader may hold a stale slot word while it is preempted. For that to look current,
 * the writers would have to write as much in the meantime, with reader.lock held, and the
 * marks would have to be equal; only the reader exchanges ids. A cursor in the middle of a
 * sequence that is so old is recognised by lap->first, which has 64 bits.
 *
 * Contexts and locks
 * ------------------
 * Writers: any context of their CPU, with preemption off from R1 to C1. That makes
 * them RCU read-side critical sections, and STOP:A waits for them as such. (RCU does
 * not wait for a writer on a CPU that it does not watch. Events are not recorded on
 * a CPU that is not online; trace_printk() in the last steps of a CPU that goes
 * offline, or in idle code that RCU does not watch, is the caller's risk, as it is
 * with classic.) Readers hold reader.lock, a mutex. A change of the shape of the ring
 * stops the writers, then takes reader.lock; such changes are serialised by the ring's
 * shape_lock, taken before reader.lock. The ring takes no other locks but those of the
 * wait queues, and all nest inside the locks of its callers. A writer that fires its
 * own event between R1 and C1, which TP_fast_assign() must not do, gets no record if
 * STROBE_RING_WRITERS are being written.
 *
 * Memory barriers
 * ---------------
 * Between the contexts of a CPU order is program order: barrier() is enough.
 * Between CPUs (tools/testing/strobe/model/fences.cpp has a test of most):
 *
 *	LEAVE:A	 smp_store_release(committed). If TAKE:A reads the value that LEAVE:A
 *		 stored, the reader sees the records, headers, ends, counts, time stamps
 *		 and first that were stored before. Pairs with TAKE:A.
 *	TAKE:A	 smp_load_acquire(committed). If it reads the value that LEAVE:A stored,
 *		 later loads of the reader see what was stored before LEAVE:A. Pairs with
 *		 LEAVE:A.
 *	CLAIM:A	 the writer's cmpxchg of the slot word, fully ordered. If it reads the
 *		 word that TAKE:B stored, the writer sees the sub-buffer that the reader
 *		 stored in subbufs[] before, and the reader's loads from that sub-buffer
 *		 came before the writer's stores to it. Pairs with TAKE:B; for what the
 *		 writer stores to the slot and its sub-buffer afterwards, with TAKE:B and
 *		 COPY:A.
 *	TAKE:B	 the reader's cmpxchg of the slot word, fully ordered. If a load before it
 *		 read a value that the writer stored to the slot or the sub-buffer after
 *		 CLAIM:A, TAKE:B reads the word that CLAIM:A stored, and fails. Pairs with
 *		 CLAIM:A.
 *	COPY:A	 smp_rmb() between loads from a sub-buffer or a slot and a second load of
 *		 the slot word or of committed. If one of the former reads a value that
 *		 the writer stored after CLAIM:A, the latter reads the word that CLAIM:A
 *		 stored, or a committed past the sequence, which was stored before CLAIM:A.
 *		 Pairs with CLAIM:A.
 *	FIND:A	 atomic64_read_acquire() of a slot word. If it reads the word that TAKE:B
 *		 stored, or one that CLAIM:A has made of it, the reader sees what the
 *		 consuming reader stored before TAKE:B: the sub-buffer that it put into the
 *		 slot, with what it holds, and its entry in subbufs[]. Needed by a dump only:
 *		 all other readers hold reader.lock. Pairs with TAKE:B.
 *	STOP:A	 the stops in limit are raised, then a grace period. If a writer read the
 *		 value from before, it has left at the end of the grace period, and all that
 *		 it stored is seen. Pairs with preemption off in the writer.
 *	START:A	 the cmpxchg that lowers the stops in limit, fully ordered. If a writer reads
 *		 the value that START:A stored, it sees the slots, sub-buffers, words and
 *		 counts that were stored before. Pairs with the acquire in strobe_ring_fits()
 *		 and strobe_ring_blocked(). (The grace period does not order this: the writer
 *		 may have begun during it, and have read limit after its end.)
 *	SET_ON:A the cmpxchg of limit, fully ordered, after a store to a setting or to
 *		 ring->percpu. If a later change of the same limit reads what this change
 *		 stored, the CPU of the later one sees the store before SET_ON:A. Pairs with
 *		 SET_ON:B.
 *	SET_ON:B the same cmpxchg, before a second load of the settings and of ring->percpu.
 *		 If the change reads what another CPU's change stored, the second load sees
 *		 what that CPU stored before SET_ON:A. Pairs with SET_ON:A.
 *	SWAP:A	 smp_store_release(ring->percpu). If a writer or strobe_ring_of() reads
 *		 the pointer that SWAP:A stored, it sees what was stored to these rings
 *		 before. Pairs with the address dependency there. See swap.c.
 *	REGION:A smp_store_release(kept->committed). If the next kernel reads the value
 *		 that REGION:A stored, it sees what was stored in the region before, as
 *		 with LEAVE:A. Pairs with no label: the crash is between the two. See
 *		 region.c.
 *	REGION:B smp_wmb() after clearing kept->committed, or the magic, before anything else
 *		 in the region is stored. If the next kernel reads a value that was stored
 *		 after REGION:B, it reads the 0, or what REGION:A stored since. Pairs with no
 *		 label, as REGION:A.
 *	STORE:A	 smp_store_release(rc->store). If a reader without reader.lock reads the
 *		 pointer that STORE:A stored, it sees what was stored to the store's tables
 *		 before. Pairs with the address dependency there. (A change of the order
 *		 fills in laps and slots afterwards, while rc->changing is set; until then
 *		 none of them is held.) The old store is freed after a grace period.
 *	DUMP:A	 smp_rmb() between what the dumper loads from a ring and its second load
 *		 of store and generation. If one of the former reads a value that a change
 *		 stored after DUMP:B, the latter reads the new generation, and the dumper
 *		 begins again. Pairs with DUMP:B.
 *	DUMP:B	 smp_wmb() between the new generation and all that a change stores. If the
 *		 dumper reads a value stored after DUMP:B, it reads the new generation after
 *		 DUMP:A. Pairs with DUMP:A.
 *	DUMP:C	 smp_store_release(generation) when a change begins, after changing is set.
 *		 If DUMP:D reads the value that DUMP:C stored, the dumper sees changing set,
 *		 or cleared since. Pairs with DUMP:D.
 *	DUMP:D	 smp_load_acquire(generation) when a dump begins. If it reads the value
 *		 that DUMP:C stored, DUMP:F reads the true stored before DUMP:C, or a later
 *		 value: the change is under way, or has ended. Pairs with DUMP:C.
 *	DUMP:E	 smp_store_release(changing) at the end of a change. If DUMP:F reads the
 *		 false that DUMP:E stored, the dumper sees all that the change stored. Pairs
 *		 with DUMP:F.
 *	DUMP:F	 smp_load_acquire(changing) when a dump begins. If it reads the false that
 *		 DUMP:E stored, the dumper sees all that this change stored. Pairs with
 *		 DUMP:E.
 *	DUMP:G	 smp_store_release(cursor->seq) of a reader that has loaded committed. If the
 *		 dumper copies this sequence, it does not load an older committed after
 *		 DUMP:H. Pairs with DUMP:H.
 *	DUMP:H	 smp_rmb() between the copy of the reader's cursor and the first load of
 *		 committed in a dump. Pairs with DUMP:G.
 *	PIN:A	 a swapper's cmpxchg of pins from 0 to 1, fully ordered. If it reads the 0
 *		 that strobe_ring_release() stored, the swapper sees what was stored before
 *		 the release. Pairs with strobe_ring_release(), and with the grace period in
 *		 strobe_ring_hold(), strobe_ring_stop() and strobe_ring_lock_two(). See
 *		 swap.c.
 *	SWAP_WAKE:A a full barrier between setting sleepers and loading ring->percpu in a
 *		 waiter, and one between storing ring->percpu and reading sleepers in a
 *		 swap. If the waiter reads the old pointer, the swap reads sleepers as 1,
 *		 and wakes it. The two pair with each other. See swap.c and wait.c.
 *	WAIT:A	 smp_mb() between setting waiters and loading committed; the recheck loads
 *		 it again after a grace period of RCU. If a writer read the waiters from
 *		 before, it has left by then, and the recheck sees what its LEAVE:A stored.
 *		 Pairs with LEAVE:A and preemption off in the writer, and with RECHECK:B.
 *		 See wait.c.
 *	PLACE:A	 smp_store_release(place) of a reader, after in_hand. If a writer, waiter or
 *		 recheck that acquires it reads the place that PLACE:A stored, it sees in_hand
 *		 as true while these records are in hand, and no older committed. The two pair
 *		 with each other. See strobe_ring_pending().
 *	POLLED:A the xchg that clears polled, fully ordered, after clearing the waiters'
 *		 flags. Pairs with POLLED:B.
 *	POLLED:B the xchg that sets polled, fully ordered, before a waiter sets its flag. If
 *		 it reads the 0 that POLLED:A stored, the flag is set after it was cleared.
 *		 Pairs with POLLED:A. See wait.c.
 *	RECHECK:A a waiter's cmpxchg of recheck_state, fully ordered. If it reads the state
 *		 that RECHECK:B stored, call_rcu() stores to the rcu_head after RCU has
 *		 loaded from it for the last callback. Pairs with RECHECK:B.
 *	RECHECK:B the cmpxchg and the xchg of recheck_state in a recheck, fully ordered. If
 *		 one reads the state that a waiter stored after WAIT:A, the recheck, and the
 *		 grace period of the next one, come after the waiter has set its flag. Pairs
 *		 with WAIT:A and RECHECK:A. See wait.c.
 */
#include <linux/errno.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/write.h"

/* Where a record's time is stored. */
enum strobe_ring_time {
	STROBE_TIME_DELTA,	/* in its header */
	STROBE_TIME_KEEP,	/* nowhere: equal to that of the record before */
	STROBE_TIME_EXTEND,	/* in a time extend in front of it */
	STROBE_TIME_STAMP,	/* in an absolute time stamp in front of it */
};

/* One attempt to reserve: what R2 and R3 loaded, and how the record gets its time. */
struct strobe_ring_attempt {
	u64			word;
	u64			ts;
	u64			delta;
	u32			units;
	enum strobe_ring_time	time;
	bool			keeps;	/* whether this writer does R5 */
};

/* R2 and R3, and how a record at the word gets its time. */
static notrace void strobe_ring_look(struct strobe_ring_cpu *rc,
				     struct strobe_ring_attempt *at)
{
	u64 last_word, last_ts, gap;

	at->word = READ_ONCE(rc->word);
	barrier();	/* last_word after the word: it says whether last_ts is its time. */
	last_word = READ_ONCE(rc->last_word);
	/* An interrupt here changes the word, or discards and restores last_ts. */
	barrier();
	last_ts = READ_ONCE(rc->last_ts);
	at->ts = strobe_ring_clock(rc);
	at->keeps = last_word == at->word || strobe_ring_outermost(rc);

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
	struct strobe_record *record = strobe_ring_record_at(rc, from);
	u32 words = units - 1;

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
 * Return: the payload; NULL: a nested writer changed the word.
 */
static notrace void *strobe_ring_try_here(struct strobe_ring_cpu *rc,
					  struct strobe_ring_attempt *at,
					  struct strobe_ring_resv *resv)
{
	bool stamped = at->time >= STROBE_TIME_EXTEND;
	struct strobe_record *stamp;
	u64 word = at->word;

	resv->rc = rc;
	/* A time record is not counted. */
	resv->from = stamped ? word + STROBE_STAMP_UNITS : word;
	resv->to = strobe_word_add(resv->from, at->units);

	if (!try_cmpxchg_local(&rc->word, &word, resv->to))
		return NULL;
	if (at->keeps)
		strobe_ring_keep_time(rc, at->ts, resv->to);
	if (!stamped)
		return strobe_ring_begin(rc, resv->from, at->units, at->delta);
	if (at->time == STROBE_TIME_EXTEND)
		WRITE_ONCE(rc->extended, resv->from);

	stamp = strobe_ring_record_at(rc, at->word);
	*(u32 *)stamp = strobe_record_word(at->time == STROBE_TIME_EXTEND ?
					   STROBE_RECORD_TIME_EXTEND :
					   STROBE_RECORD_TIME_STAMP,
					   at->delta & STROBE_RECORD_DELTA_MAX);
	stamp->array[0] = at->delta >> STROBE_RECORD_DELTA_BITS;
	/* The stamp is one early: the record's delta is 1, as padding must not have 0. */
	return strobe_ring_begin(rc, resv->from, at->units, 1);
}

/*
 * X1: claim the slot of @seq, as the table above says.
 * Return: 0; -EBUSY: its records are not committed; -ENOSPC: they are unread, and must not
 * be overwritten.
 */
static notrace int strobe_ring_claim(struct strobe_ring_cpu *rc, u32 seq)
{
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
			/* Its sequence is committed, so the count is final. */
			unread = strobe_slot_unread(old, READ_ONCE(lap->count));
			if (unread && !READ_ONCE(READ_ONCE(rc->ring)->overwrite))
				return -ENOSPC;
		}
		new = strobe_slot_make(true, 0, strobe_slot_id(old), seq);
		/*
		 * CLAIM:A: if a reader reads a value stored after this, it then reads @new,
		 * or a later word. Pairs with TAKE:B and COPY:A.
		 */
	} while (!atomic64_try_cmpxchg(&lap->word, &old, new));

	if (unread)
		local_add(unread, &rc->overrun);
claimed:
	WRITE_ONCE(*strobe_ring_slot(rc, seq), rc->store->subbufs[strobe_slot_id(old)]);
	return 0;
}

/* X3: the writer has entered @subbuf, and left @left at the state word @word. */
static notrace void strobe_ring_enter(struct strobe_ring_lap *left, u64 word,
				      struct strobe_subbuf *subbuf, u64 ts)
{
	WRITE_ONCE(left->end, strobe_word_off(word));
	WRITE_ONCE(left->count, strobe_word_count(word));
	WRITE_ONCE(subbuf->time_stamp, ts);
}

/*
 * X1 to X3, R5 and R6: the record becomes the first one of the next slot.
 * Return: the payload; NULL: a nested writer changed the word; or the error of
 * strobe_ring_claim() as an ERR_PTR().
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
	resv->from = strobe_word_make(seq, 0, 0);
	resv->to = strobe_word_add(resv->from, at->units);
	left = strobe_ring_lap(rc, strobe_word_seq(word));

	err = strobe_ring_claim(rc, seq);
	if (err)
		/* The error is out of date if a nested writer has changed the word. */
		return READ_ONCE(rc->word) == word ? ERR_PTR(err) : NULL;
	barrier();	/* Set the slot's sub-buffer before the slot is entered. */
	subbuf = READ_ONCE(*strobe_ring_slot(rc, seq));
	if (STROBE_BUSTED_EARLY)
		strobe_ring_enter(left, word, subbuf, at->ts);
	if (!try_cmpxchg_local(&rc->word, &word, resv->to))
		return NULL;

	if (!STROBE_BUSTED_EARLY)
		strobe_ring_enter(left, word, subbuf, at->ts);
	WRITE_ONCE(rc->crossed, READ_ONCE(rc->crossed) | STROBE_WORK_CROSSED);
	/* In the slot that was left, none is taken back any more. */
	WRITE_ONCE(rc->extended, STROBE_WORD_NONE);
	if (at->keeps)
		strobe_ring_keep_time(rc, at->ts, resv->to);
	return strobe_ring_begin(rc, resv->from, at->units, 0);
}

/**
 * strobe_ring_reserve_open - reserve a record while writers are not kept out
 * @rc: the ring of this CPU, for which strobe_ring_blocked() has been false since preemption
 *	was switched off
 * @len: bytes of payload
 * @resv: set to the reservation
 *
 * Context: As strobe_ring_reserve().
 * Return: as strobe_ring_reserve(). If NULL, the writer has left (C1).
 */
notrace void *strobe_ring_reserve_open(struct strobe_ring_cpu *rc, u32 len,
				       struct strobe_ring_resv *resv)
{
	u32 limit = rc->store->limit;
	struct strobe_ring_attempt at;
	local_t *reason = &rc->dropped;
	void *data;

	/* An interrupt restores depth, so this is no data race. */
	data_race(rc->depth++);
	barrier();	/* R1 before R2. */
	if (len > strobe_ring_limit_payload(limit))
		goto drop;
	/* No data race, as above. */
	if (data_race(rc->depth) >= STROBE_RING_WRITERS)
		goto drop;
	at.units = strobe_record_size(len) / STROBE_RECORD_UNIT;
	do {
		u32 units = at.units;

		strobe_ring_look(rc, &at);
		if (at.time >= STROBE_TIME_EXTEND)
			units += STROBE_STAMP_UNITS;
		if (strobe_word_off(at.word) + units <= limit)
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
 * strobe_ring_reserve_slow - reserve a record where the fast path cannot
 * @rc: the ring of this CPU
 * @len: bytes of payload
 * @resv: set to the reservation
 *
 * For records that are the first of a slot, that follow a long gap, that are empty or
 * longer than STROBE_RECORD_SMALL_MAX, that interrupt another writer, that lost R4 against
 * a nested writer, or that find last_word to differ from the state word; and for events
 * that must not be recorded.
 *
 * Context: As strobe_ring_reserve(), which calls this.
 * Return: as strobe_ring_reserve().
 */
notrace void *strobe_ring_reserve_slow(struct strobe_ring_cpu *rc, u32 len,
				       struct strobe_ring_resv *resv)
{
	int limit;

	if (strobe_ring_blocked(rc, &limit)) {
		strobe_ring_refuse(rc, limit);
		return NULL;
	}
	return strobe_ring_reserve_open(rc, len, resv);
}

/**
 * strobe_ring_drop - count an event as dropped
 * @ring: the ring
 *
 * For an event whose record is not even tried to be reserved.
 *
 * Context: Any, with preemption off.
 */
notrace void strobe_ring_drop(struct strobe_ring *ring)
{
	struct strobe_ring_cpu *rc = this_cpu_ptr(READ_ONCE(ring->percpu));
	int limit;

	if (strobe_ring_blocked(rc, &limit))
		strobe_ring_refuse(rc, limit);
	else
		local_inc(&rc->dropped);
}

/* Publish the records before @word. Called by the outermost writer, with rc->depth 0. */
static notrace void strobe_ring_publish(struct strobe_ring_cpu *rc, u64 word)
{
	u32 seq = strobe_word_seq(rc->committed);
	u32 last = strobe_word_seq(word);
	struct strobe_ring_lap *lap;
	u64 first;

	while (seq != last) {
		lap = strobe_ring_lap(rc, seq);
		first = lap->first + lap->count;
		seq = strobe_seq_next(&rc->store->shape, seq);
		WRITE_ONCE(strobe_ring_lap(rc, seq)->first, first);
	}
	/* Before rc->committed allows claims of these slots again; see region.c. */
	if (rc->kept)
		strobe_region_commit(rc->kept, word);
	/* LEAVE:A: if TAKE:A reads @word, it sees all stores before. Pairs with TAKE:A. */
	smp_store_release(&rc->committed, word);
}

/**
 * strobe_ring_leave_slow - leave and publish where the fast path cannot
 * @rc: the ring of this CPU
 *
 * Called by the outermost writer if slots were entered, if a reader waits for records, if
 * an interrupt left its records to be published, or if the ring is persistent.
 *
 * Context: As the writer's.
 */
notrace void strobe_ring_leave_slow(struct strobe_ring_cpu *rc)
{
	bool crossed = false;
	u64 word;

	do {
		WRITE_ONCE(rc->depth, 0);
		barrier();	/* From here on interrupts do not publish. */
		if (READ_ONCE(rc->crossed) & STROBE_WORK_CROSSED) {
			crossed = true;
			WRITE_ONCE(rc->crossed, READ_ONCE(rc->crossed) & ~STROBE_WORK_CROSSED);
		}
		barrier();	/* A slot entered from here on sets it again. */
		word = READ_ONCE(rc->word);
		strobe_ring_publish(rc, word);
		barrier();	/* LEAVE:A comes before depth is lowered, */
		WRITE_ONCE(rc->depth, -1);
		barrier();	/* and that before the word is loaded again (L5). */
	} while (!STROBE_BUSTED_PUBLISH && READ_ONCE(rc->word) != word);

	/* A discarded record, if it was the only one, wakes no reader. */
	if ((READ_ONCE(rc->waiters) && strobe_ring_pending(rc)) ||
	    (crossed && strobe_ring_dirty(rc) >= READ_ONCE(rc->wait_full)))
		strobe_ring_notify(rc);
}

/* D2: do not count the record of @resv, which is padding now. */
static notrace void strobe_ring_uncount(const struct strobe_ring_resv *resv)
{
	struct strobe_ring_cpu *rc = resv->rc;
	u32 seq = strobe_word_seq(resv->from);
	u64 word = READ_ONCE(rc->word), new;
	struct strobe_ring_lap *lap;

	do {
		if (strobe_word_seq(word) != seq) {
			lap = strobe_ring_lap(rc, seq);
			WRITE_ONCE(lap->count, lap->count - 1);
			return;
		}
		new = word - STROBE_WORD_RECORD;
	} while (!try_cmpxchg_local(&rc->word, &word, new));
	/* No interrupt stores last_word: it finds that the state word is another one. */
	if (READ_ONCE(rc->last_word) == word)
		WRITE_ONCE(rc->last_word, new);
}

/*
 * D1: turn the record of @resv into padding, which keeps its delta. The delta of padding must
 * not be 0. If it is, the first record of a sub-buffer takes 1 from the time stamp. Another
 * one becomes time extends of 0 if they fill it; else its delta becomes 1, and readers see
 * the rest of the sub-buffer one unit of time late. The next sub-buffer has its own time
 * stamp, so that time may go back there, by one unit for each such record. That needs a
 * clock so coarse that records have equal times.
 */
static notrace void strobe_ring_pad(const struct strobe_ring_resv *resv)
{
	struct strobe_subbuf *subbuf = strobe_ring_subbuf_at(resv->rc, resv->from);
	struct strobe_record *record = strobe_ring_record_at(resv->rc, resv->from);
	u32 off = strobe_word_off(resv->from);
	u32 units = strobe_word_off(resv->to) - off;
	u32 delta = record->time_delta;

	if (!delta && !off && subbuf->time_stamp) {
		WRITE_ONCE(subbuf->time_stamp, subbuf->time_stamp - 1);
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

/* Take back a time extend before @resv's record; add its time to *@gap. Return: the word then */
static notrace u64 strobe_ring_unextend(const struct strobe_ring_resv *resv, u64 *gap)
{
	struct strobe_ring_cpu *rc = resv->rc;
	struct strobe_record *extend;
	u64 word;

	if (READ_ONCE(rc->extended) != resv->from)
		return resv->from;
	WRITE_ONCE(rc->extended, STROBE_WORD_NONE);
	word = resv->from - STROBE_STAMP_UNITS;
	extend = strobe_ring_record_at(rc, word);
	*gap += strobe_record_delta(*(u32 *)extend) +
		((u64)extend->array[0] << STROBE_RECORD_DELTA_BITS);
	return word;
}

/**
 * strobe_ring_discard - give up a record instead of committing it
 * @resv: from strobe_ring_reserve()
 *
 * Readers never see the record. Its space is reused if no record follows it.
 *
 * Context: As the reservation's.
 */
notrace void strobe_ring_discard(struct strobe_ring_resv *resv)
{
	struct strobe_ring_cpu *rc = resv->rc;
	u64 gap = strobe_record_delta(*(u32 *)strobe_ring_record_at(rc, resv->from));
	u64 before = resv->from, word = resv->to;

	local_inc(&rc->discarded);
	if (READ_ONCE(rc->last_word) == word && !STROBE_BUSTED_LAST) {
		before = strobe_ring_unextend(resv, &gap);
		/* An interrupt does not use last_ts until the word is restored. */
		WRITE_ONCE(rc->last_word, before);
		barrier();
		WRITE_ONCE(rc->last_ts, rc->last_ts - gap);
		barrier();
	}
	if (!try_cmpxchg_local(&rc->word, &word, before)) {
		strobe_ring_pad(resv);
		if (!STROBE_BUSTED_COUNT)
			strobe_ring_uncount(resv);
	}
	strobe_ring_leave(rc);
}
