// SPDX-License-Identifier: GPL-2.0
/*
 * The consuming reader of a CPU's ring.
 *
 * It owns one sub-buffer, the reader page, and serves records from there. When the reader
 * page is empty, it is filled from the cursor, the oldest place not consumed:
 *
 *	the sequence at the cursor	the reader page is filled by
 *	--------------------------	-------------------------------------
 *	is full (the writers have	taking the slot's sub-buffer in exchange
 *	gone on to a later one)		for the empty reader page (TAKE:B)
 *	is being written		copying its committed records into the
 *					reader page, then marking that many as
 *					consumed (TAKE:B); the sub-buffer stays
 *	is being written or full, in	copying its committed records into the
 *	a persistent ring (region.c)	reader page; they stay unread for the
 *					writers until the reader owns them
 *	has been overwritten		nothing; the cursor moves to the oldest
 *					sequence left
 *
 * In steps:
 *
 *	F1  load committed (TAKE:A)
 *	F2  load the slot word of the cursor's sequence (FIND:A). Another sequence: move
 *	    the cursor, go to F1
 *	F3  load where the sequence's unread records are, and how many
 *	F4  none: the ring is empty, or move the cursor, go to F1
 *	T1  of a full one: cmpxchg the slot word to the reader page, not held (TAKE:B)
 *	P1  of one that is being written: copy the records
 *	P2  cmpxchg the slot word to a higher mark (TAKE:B); persistent: check it (COPY:A)
 *	F5  compute from lap->first how many records are missing
 *
 * T1 and P2 fail if a writer has claimed the slot since F2: what was read or copied may be
 * of the next lap, and is dropped; go to F1. So a record is either seen by the reader, whole
 * and once, or counted as overwritten by the writer, never both.
 *
 * In a persistent ring, the next kernel reads what this one has not consumed, but the
 * reader page does not survive a crash. So its records stay unread in their slot. The reader
 * owns a record just before it shows it or hands it over, by the same cmpxchg, which marks
 * the record as consumed. If that fails, the records have been overwritten and counted as
 * such, and the rest of the reader page is dropped.
 *
 * No other code uses the reader page, so that it can be handed over as a whole: see raw.c.
 *
 * The contents of a sub-buffer are not trusted: a record ends within the committed bytes at
 * the latest, and there are as many records as were counted. Records that cannot be read
 * because of damage count as overwritten. Whole sub-buffers go to user space unchecked.
 *
 * Lost records: lap->first numbers the records of the ring. The reader compares the index
 * that it expects (reader.next) with the one that it finds.
 *
 * Context: task context, with reader.lock (a mutex) held; but dump.c calls
 * strobe_ring_find() and strobe_ring_cursor_next() in any context, without the lock.
 * Barriers: see the list in write.c.
 */
#include <linux/string.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"

/*
 * Move @cursor to the next sequence that may have records. The sequence that it is at is
 * gone, or fully read.
 * Return: false: that was the newest sequence, and @cursor stays there.
 */
bool strobe_ring_cursor_next(const struct strobe_ring_store *store,
			     struct strobe_ring_cursor *cursor, u64 committed)
{
	u32 newest = strobe_word_seq(committed), distance, seq;

	distance = strobe_seq_distance(&store->shape, cursor->seq, newest);
	if (!distance)
		return false;
	if (distance >= store->shape.nr_slots)
		seq = strobe_seq_back(&store->shape, newest, store->shape.nr_slots - 1);
	else
		seq = strobe_seq_next(&store->shape, cursor->seq);
	/* DUMP:G: a dump that begins here sees @committed. Pairs with DUMP:H. */
	smp_store_release(&cursor->seq, seq);
	cursor->off = 0;
	return true;
}

/*
 * Copy the records of @from to the start of @subbuf, which may be the one that they are in,
 * and set @to to the copy. A writer may overwrite them meanwhile: the caller checks that
 * afterwards, and drops the copy.
 */
void strobe_ring_copy(struct strobe_ring_walk *to, struct strobe_subbuf *subbuf,
		      const struct strobe_ring_walk *from)
{
	u32 units = from->end - from->pos;

	/* The caller validates the slot word. */
	data_race(memmove(subbuf->data,
			  from->subbuf->data + from->pos * STROBE_RECORD_UNIT,
			  units * STROBE_RECORD_UNIT));
	subbuf->time_stamp = from->ts;
	local_set(&subbuf->commit, units * STROBE_RECORD_UNIT);
	to->subbuf = subbuf;
	to->pos = 0;
	to->end = units;
	to->ts = from->ts;
}

/*
 * F2, F3: find the records at @cursor. @find is valid only if the slot word is unchanged
 * afterwards.
 * Return: false: the slot does not hold that sequence, or one of a later wrap.
 */
bool strobe_ring_find(const struct strobe_ring_store *store,
		      struct strobe_ring_cursor *cursor,
		      struct strobe_ring_find *find, u64 committed)
{
	u32 index = strobe_seq_index(&store->shape, cursor->seq);
	u64 first;

	/* The dumper's cursor may belong to another store. */
	if (index >= store->shape.nr_slots)
		return false;
	find->lap = &store->laps[index];
	/* FIND:A: sees what was stored before the TAKE:B that stored this. Pairs with TAKE:B. */
	find->word = atomic64_read_acquire(&find->lap->word);
	if (!strobe_slot_holds(find->word, cursor->seq))
		return false;

	first = READ_ONCE(find->lap->first);
	if (cursor->off && first != cursor->first) {
		/* Sequences have wrapped: strobe_ring_cursor_next() goes to the oldest one. */
		cursor->seq = strobe_seq_back(&store->shape, strobe_word_seq(committed),
					      store->shape.nr_slots);
		cursor->off = 0;
		return false;
	}
	find->index = first + strobe_slot_mark(find->word);
	find->unread = strobe_slot_unread(find->word,
					  strobe_lap_records(find->lap, cursor->seq, committed));

	find->walk.subbuf = store->subbufs[strobe_slot_id(find->word)];
	find->walk.pos = cursor->off;
	find->walk.ts = cursor->off ? cursor->ts :
				      READ_ONCE(find->walk.subbuf->time_stamp);
	if (cursor->seq == strobe_word_seq(committed))
		find->walk.end = strobe_word_off(committed);
	else
		find->walk.end = READ_ONCE(find->lap->end);
	/* Of another lap, which the caller will notice; until then stay within bounds. */
	if (find->walk.end > store->limit || find->walk.pos > find->walk.end)
		find->walk.end = find->walk.pos;
	cursor->first = first;
	return true;
}

/* F5: the reader page was filled with @records from @index on; account for missing ones. */
static void strobe_ring_took(struct strobe_ring_reader *reader, u64 index,
			     u32 records)
{
	reader->lost += index - reader->next;
	reader->next = index + records;
	reader->hand_left = records;
	reader->owned = records;
}

/* T1: exchange the reader page for the full sub-buffer of @find. */
static bool strobe_ring_take(struct strobe_ring_cpu *rc,
			     struct strobe_ring_find *find)
{
	struct strobe_ring_reader *reader = &rc->reader;
	u64 old = find->word, new;

	new = strobe_slot_make(false, 0, reader->hand_id, reader->cursor.seq);
	/* T1, TAKE:B: fails if @find is of the next lap. Pairs with CLAIM:A. */
	if (!atomic64_try_cmpxchg(&find->lap->word, &old, new))
		return false;

	reader->hand_id = strobe_slot_id(find->word);
	reader->hand = find->walk;
	local_set(&rc->store->subbufs[reader->hand_id]->commit,
		  find->walk.end * STROBE_RECORD_UNIT);
	strobe_ring_took(reader, find->index, find->unread);
	return true;
}

/* The reader page is a copy of @find. Return: false: it was overwritten meanwhile. */
static bool strobe_ring_leave_in_place(struct strobe_ring_cpu *rc,
				       struct strobe_ring_find *find)
{
	struct strobe_ring_reader *reader = &rc->reader;

	/* COPY:A: a copy of the next lap finds the word changed. Pairs with CLAIM:A. */
	smp_rmb();
	if (atomic64_read(&find->lap->word) != find->word)
		return false;
	reader->source = reader->cursor.seq;
	reader->source_first = reader->cursor.first;
	return true;
}

/* Drop the records in the reader page that are not owned: they have been overwritten. */
static void strobe_ring_forget_rest(struct strobe_ring_reader *reader)
{
	struct strobe_ring_walk walk = reader->hand;
	struct strobe_ring_record record;
	u32 n;

	for (n = reader->owned; n; n--)
		strobe_walk_next(&walk, &record);
	reader->hand.end = walk.pos;
	reader->behind.end = walk.pos;
	reader->next -= reader->hand_left - reader->owned;
	reader->hand_left = reader->owned;
}

/**
 * strobe_ring_own - protect the first records in the reader page from being overwritten
 * @rc: the ring of a CPU; reader.lock is held
 * @records: how many of them
 *
 * Return: false: they have been overwritten, and were dropped from the reader page.
 */
bool strobe_ring_own(struct strobe_ring_cpu *rc, u32 records)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_lap *lap;
	u64 old, new;

	if (records <= reader->owned)
		return true;
	lap = strobe_ring_lap(rc, reader->source);
	/* FIND:A, as in strobe_ring_find() */
	old = atomic64_read_acquire(&lap->word);
	while (strobe_slot_holds(old, reader->source) &&
	       READ_ONCE(lap->first) == reader->source_first) {
		new = strobe_slot_make(true, strobe_slot_mark(old) + records - reader->owned,
				       strobe_slot_id(old), reader->source);
		/* TAKE:B: fails if a writer has claimed the slot. Pairs with CLAIM:A. */
		if (atomic64_try_cmpxchg(&lap->word, &old, new)) {
			reader->owned = records;
			return true;
		}
	}
	strobe_ring_forget_rest(reader);
	return false;
}

/*
 * P1, P2: copy unread records of a sub-buffer, which stays in its slot, to the reader page.
 * Return: false: a writer has claimed the slot meanwhile.
 */
static bool strobe_ring_copy_part(struct strobe_ring_cpu *rc,
				  struct strobe_ring_find *find)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_walk hand, walk;
	u64 old = find->word, new;
	u32 records;

	strobe_ring_copy(&hand, rc->store->subbufs[reader->hand_id], &find->walk);
	walk = hand;
	strobe_walk_count(&walk);
	/* As many as were committed, whatever the bytes are. */
	records = find->unread;

	if (rc->kept) {
		if (!strobe_ring_leave_in_place(rc, find))
			return false;
	} else {
		new = strobe_slot_make(true, strobe_slot_mark(old) + records,
				       strobe_slot_id(old), reader->cursor.seq);
		/* TAKE:B: fails if a writer has claimed the slot. Pairs with CLAIM:A. */
		if (!atomic64_try_cmpxchg(&find->lap->word, &old, new) &&
		    !STROBE_BUSTED_COPY)
			return false;
	}

	reader->hand = hand;
	reader->cursor.off = find->walk.end;
	reader->cursor.ts = walk.ts;
	strobe_ring_took(reader, find->index, records);
	if (rc->kept)
		reader->owned = 0;
	return true;
}

/*
 * Fill the reader page, which is empty; only from a full sub-buffer if @whole.
 * Return: false: no records.
 */
static bool strobe_ring_fill(struct strobe_ring_cpu *rc, bool whole)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_cursor *cursor = &reader->cursor;
	struct strobe_ring_find find;
	u64 committed;

	/* User space may be reading this sub-buffer: use the other one. */
	if (reader->hand_id == reader->user_id)
		swap(reader->hand_id, reader->spare_id);
	for (;;) {
		/* TAKE:A: sees all stores before LEAVE:A. Pairs with LEAVE:A. */
		committed = smp_load_acquire(&rc->committed);
		if (!strobe_ring_find(rc->store, cursor, &find, committed)) {
			strobe_ring_cursor_next(rc->store, cursor, committed);
			continue;
		}
		if (cursor->seq == strobe_word_seq(committed)) {
			if (whole || find.walk.pos == find.walk.end)
				return false;
			if (strobe_ring_copy_part(rc, &find))
				return true;
			continue;
		}
		/* If all was consumed by copying, leave the sub-buffer to the writers. */
		if (find.unread && !(rc->kept ? strobe_ring_copy_part(rc, &find) :
						strobe_ring_take(rc, &find)))
			continue;
		strobe_ring_cursor_next(rc->store, cursor, committed);
		if (find.unread)
			return true;
	}
}

/**
 * strobe_ring_look_up - find the oldest record in the reader page, and own it
 * @rc: the ring of a CPU; reader.lock is held
 * @whole: do not copy from the sub-buffer that is being written
 * @after: set to the rest of the reader page after the record
 * @record: data, len and ts are set
 *
 * Fills the reader page if it is empty.
 *
 * Return: false: no record.
 */
bool strobe_ring_look_up(struct strobe_ring_cpu *rc, bool whole,
			 struct strobe_ring_walk *after,
			 struct strobe_ring_record *record)
{
	struct strobe_ring_reader *reader = &rc->reader;

	lockdep_assert_held(&reader->lock);
	for (;;) {
		*after = reader->hand;
		if (reader->hand_left && strobe_walk_next(after, record) == STROBE_WALK_DATA) {
			if (strobe_ring_own(rc, 1))
				return true;
			continue;
		}
		/* Only padding is left, or the rest is damaged: skip it. */
		strobe_ring_own(rc, reader->hand_left);
		reader->damaged += reader->hand_left;
		reader->owned = 0;
		reader->lost += reader->hand_left;
		reader->hand.pos = reader->hand.end;
		reader->hand_left = 0;
		if (!strobe_ring_fill(rc, whole)) {
			WRITE_ONCE(rc->in_hand, false);
			strobe_ring_set_place(rc);
			return false;
		}
		WRITE_ONCE(rc->in_hand, true);
		strobe_ring_set_place(rc);
	}
}

/**
 * strobe_ring_peek - find the oldest record, without consuming it
 * @ring: the ring
 * @cpu: which CPU's
 * @record: set to the record
 *
 * Returns the same record until strobe_ring_consume(). Its data stays valid until the next
 * call of either for that CPU. The callers must serialise these calls.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: false: no record, and @record is undefined.
 */
bool strobe_ring_peek(struct strobe_ring *ring, int cpu,
		      struct strobe_ring_record *record)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	bool found;

	mutex_lock(&rc->reader.lock);
	found = strobe_ring_look_up(rc, false, &rc->reader.behind, record);
	rc->reader.peeked = found;
	ring->seats[cpu].shown = rc;
	record->cpu = cpu;
	record->lost = rc->reader.lost;
	record->index = rc->reader.next - rc->reader.hand_left;
	record->more = rc->reader.hand_left - 1;
	record->past = strobe_ring_past_of(rc, record->index);
	mutex_unlock(&rc->reader.lock);
	return found;
}

/**
 * strobe_ring_consume - consume the record that strobe_ring_peek() returned
 * @ring: the ring
 * @cpu: which CPU's
 *
 * Does nothing if there is none, or if the ring was reset or swapped since the peek: its
 * records have not been shown.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 */
void strobe_ring_consume(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_reader *reader = &rc->reader;

	mutex_lock(&reader->lock);
	if (reader->peeked && ring->seats[cpu].shown == rc) {
		reader->peeked = false;
		reader->hand = reader->behind;
		reader->hand_left--;
		reader->owned--;
		reader->read++;
		reader->lost = 0;
		if (reader->hand.pos == reader->hand.end)
			WRITE_ONCE(rc->in_hand, false);
		strobe_region_consumed(rc);
	}
	mutex_unlock(&reader->lock);
}
