// SPDX-License-Identifier: GPL-2.0
/*
 * The consuming reader of a CPU's ring.
 *
 * It owns one sub-buffer, its hand. From there it serves records; when the
 * hand is empty it is filled from the cursor, the oldest place not consumed:
 *
 *	the sequence at the cursor	the hand is filled by
 *	--------------------------	-------------------------------------
 *	is full (the writers have	taking its sub-buffer, in exchange for
 *	gone on to a later one)		the empty one in hand (TAKE:B)
 *	is being written		copying what is committed of it into the
 *					hand, then marking that many records as
 *					consumed (TAKE:B); the sub-buffer stays
 *	is being written or full, in	copying what is committed of it into the
 *	a persistent ring (region.c)	hand; its records stay unread for the
 *					writers until the reader owns them
 *	has been overwritten		nothing; the cursor goes to the oldest
 *					sequence that there is
 *
 * The first two are one cmpxchg of the slot's word, which fails if a writer has claimed
 * the slot since it was read: what was looked at or copied may be of the next
 * lap then, and is forgotten. So a record is seen by the reader whole and once,
 * or it is counted as overwritten by the writer, and never both.
 *
 * In a persistent ring the next kernel reads what this one has not consumed, so that
 * records in the hand must not be overwritten as long as writers keep those that are
 * unread. The reader owns a record just before it shows it or hands it over: by the
 * same cmpxchg, which marks it as consumed. If that fails, the records have been
 * overwritten, and counted so, and the rest of the hand is forgotten.
 *
 * What is in the hand is the reader's alone, so that a whole hand may be given
 * away: see raw.c.
 *
 * What stands in a sub-buffer is not believed: a record ends where the records
 * do, and there are as many as were counted. What damage makes unreadable counts
 * as overwritten. Whole sub-buffers go to user space as they are.
 *
 * Lost records: lap->first numbers the records of the ring. The reader knows
 * which number it expects (reader.next), and finds which one it gets.
 *
 * Context: task context; reader.lock (a mutex) is held by everything here.
 * Barriers: see the index in write.c.
 */
#include <linux/string.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"

/*
 * Move @cursor to where the next records may be. The sequence that it is at
 * is gone, or nothing is left of it.
 * Return: false: that was the newest one; stay there.
 */
bool strobe_ring_cursor_next(const struct strobe_ring_store *store,
			     struct strobe_ring_cursor *cursor, u64 committed)
{
	u32 newest = strobe_word_seq(committed), distance;

	distance = strobe_seq_distance(&store->shape, cursor->seq, newest);
	if (!distance)
		return false;
	if (distance >= store->shape.nr_slots)
		cursor->seq = strobe_seq_back(&store->shape, newest,
					      store->shape.nr_slots - 1);
	else
		cursor->seq = strobe_seq_next(&store->shape, cursor->seq);
	cursor->off = 0;
	return true;
}

/*
 * Copy the records of @from to the start of @subbuf, which may be the one that they
 * are in; @to walks them there. A writer may overwrite them meanwhile; the caller
 * finds out, and forgets the copy.
 */
void strobe_ring_copy(struct strobe_ring_walk *to, struct strobe_subbuf *subbuf,
		      const struct strobe_ring_walk *from)
{
	u32 units = from->end - from->pos;

	/* The caller looks at the slot's word again. */
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
 * Look at the slot of @cursor. What is found is true only if the slot's word is
 * found unchanged afterwards.
 * Return: false: the slot does not hold that sequence.
 */
bool strobe_ring_find(const struct strobe_ring_store *store,
		      struct strobe_ring_cursor *cursor,
		      struct strobe_ring_find *find, u64 committed)
{
	u32 index = strobe_seq_index(&store->shape, cursor->seq);
	unsigned long count;
	u64 first;

	/* The dumper's may be of another store. */
	if (index >= store->shape.nr_slots && !STROBE_BUSTED_STORE)
		return false;
	find->lap = &store->laps[index];
	find->word = atomic64_read_acquire(&find->lap->word);
	if (!strobe_slot_holds(find->word, cursor->seq))
		return false;

	first = READ_ONCE(find->lap->first);
	if (cursor->off && first != cursor->first)
		cursor->off = 0;	/* the same sequence, laps later */
	find->index = first + strobe_slot_count(strobe_slot_mark(find->word),
						READ_ONCE(find->lap->base));
	count = local_read(&store->slots[index].count);
	find->unread = strobe_slot_count(count, strobe_slot_mark(find->word));

	find->walk.subbuf = store->subbufs[strobe_slot_id(find->word)];
	find->walk.pos = cursor->off;
	find->walk.ts = cursor->off ? cursor->ts :
				      READ_ONCE(find->walk.subbuf->time_stamp);
	if (cursor->seq == strobe_word_seq(committed))
		find->walk.end = strobe_word_off(committed);
	else
		find->walk.end = READ_ONCE(find->lap->end);
	/* Of another lap, as will be noticed; until then keep to the bounds. */
	if (find->walk.end > store->limit || find->walk.pos > find->walk.end)
		find->walk.end = find->walk.pos;
	cursor->first = first;
	return true;
}

/* @records are in the hand; account for what is missing before them. */
static void strobe_ring_took(struct strobe_ring_reader *reader, u64 index,
			     u32 records)
{
	reader->lost += index - reader->next;
	reader->next = index + records;
	reader->hand_left = records;
	reader->owned = records;
}

/* Exchange the hand's sub-buffer for the full one of @find. */
static bool strobe_ring_take(struct strobe_ring_cpu *rc,
			     struct strobe_ring_find *find)
{
	struct strobe_ring_reader *reader = &rc->reader;
	u64 old = find->word, new;

	new = strobe_slot_make(false, 0, reader->hand_id, reader->cursor.seq);
	/* TAKE:B pairs with CLAIM:A */
	if (!atomic64_try_cmpxchg(&find->lap->word, &old, new))
		return false;

	reader->hand_id = strobe_slot_id(find->word);
	reader->hand = find->walk;
	local_set(&rc->store->subbufs[reader->hand_id]->commit,
		  find->walk.end * STROBE_RECORD_UNIT);
	strobe_ring_took(reader, find->index, find->unread);
	return true;
}

/* The hand is a copy of what @find shows. Return: false: it was overwritten. */
static bool strobe_ring_leave_in_place(struct strobe_ring_cpu *rc,
				       struct strobe_ring_find *find)
{
	struct strobe_ring_reader *reader = &rc->reader;

	/* COPY:A pairs with CLAIM:A */
	smp_rmb();
	if (atomic64_read(&find->lap->word) != find->word)
		return false;
	reader->source = reader->cursor.seq;
	reader->source_first = reader->cursor.first;
	return true;
}

/* Forget the records in the hand that are not owned: they have been overwritten. */
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
 * strobe_ring_own - keep the first records in the hand from being overwritten
 * @rc: the ring of a CPU; reader.lock is held
 * @records: how many of them
 *
 * Return: false: they have been overwritten, and are not in the hand any more.
 */
bool strobe_ring_own(struct strobe_ring_cpu *rc, u32 records)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_lap *lap;
	u64 old, new;

	if (records <= reader->owned)
		return true;
	lap = strobe_ring_lap(rc, reader->source);
	old = atomic64_read_acquire(&lap->word);
	while (strobe_slot_holds(old, reader->source) &&
	       READ_ONCE(lap->first) == reader->source_first) {
		new = strobe_slot_make(true, strobe_slot_mark(old) + records - reader->owned,
				       strobe_slot_id(old), reader->source);
		/* TAKE:B pairs with CLAIM:A */
		if (atomic64_try_cmpxchg(&lap->word, &old, new)) {
			reader->owned = records;
			return true;
		}
	}
	strobe_ring_forget_rest(reader);
	return false;
}

/*
 * Copy to the hand what is new in a sub-buffer: in the one that is being written, or
 * (@full) in one that stays where it is.
 */
static bool strobe_ring_copy_part(struct strobe_ring_cpu *rc,
				  struct strobe_ring_find *find, bool full)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_walk hand, walk;
	u64 old = find->word, new;
	u32 records;

	strobe_ring_copy(&hand, rc->store->subbufs[reader->hand_id], &find->walk);
	walk = hand;
	records = strobe_walk_count(&walk);
	/* No more than were reserved, whatever stands there. */
	if (!STROBE_BUSTED_LEFT)
		records = full ? find->unread : min(records, find->unread);

	if (rc->kept && !STROBE_BUSTED_MARK) {
		if (!strobe_ring_leave_in_place(rc, find))
			return false;
	} else {
		new = strobe_slot_make(true, strobe_slot_mark(old) + records,
				       strobe_slot_id(old), reader->cursor.seq);
		/* TAKE:B pairs with CLAIM:A */
		if (!atomic64_try_cmpxchg(&find->lap->word, &old, new) &&
		    !STROBE_BUSTED_COPY)
			return false;
	}

	reader->hand = hand;
	reader->cursor.off = find->walk.end;
	reader->cursor.ts = walk.ts;
	strobe_ring_took(reader, find->index, records);
	if (rc->kept && !STROBE_BUSTED_MARK)
		reader->owned = 0;
	return true;
}

/*
 * Fill the hand, which is empty; from a full sub-buffer only if @whole.
 * Return: false: there is nothing.
 */
static bool strobe_ring_fill(struct strobe_ring_cpu *rc, bool whole)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_cursor *cursor = &reader->cursor;
	struct strobe_ring_find find;
	u64 committed;

	/* User space may be reading that one: use the other one. */
	if (reader->hand_id == reader->user_id && !STROBE_BUSTED_TURN)
		swap(reader->hand_id, reader->spare_id);
	for (;;) {
		/* TAKE:A pairs with LEAVE:A */
		committed = smp_load_acquire(&rc->committed);
		if (!strobe_ring_find(rc->store, cursor, &find, committed)) {
			strobe_ring_cursor_next(rc->store, cursor, committed);
			continue;
		}
		if (cursor->seq == strobe_word_seq(committed)) {
			if (whole || find.walk.pos == find.walk.end)
				return false;
			if (strobe_ring_copy_part(rc, &find, false))
				return true;
			continue;
		}
		/* All consumed already by copying: leave it to the writers. */
		if (find.unread && !(rc->kept ? strobe_ring_copy_part(rc, &find, true) :
						strobe_ring_take(rc, &find)))
			continue;
		strobe_ring_cursor_next(rc->store, cursor, committed);
		if (find.unread)
			return true;
	}
}

/**
 * strobe_ring_look_up - have a record in the hand, and own it
 * @rc: the ring of a CPU; reader.lock is held
 * @whole: do not copy from the sub-buffer that is being written
 * @after: gets the hand's place behind the record
 * @record: gets data, len and ts
 *
 * Return: false: there is none.
 */
bool strobe_ring_look_up(struct strobe_ring_cpu *rc, bool whole,
			 struct strobe_ring_walk *after,
			 struct strobe_ring_record *record)
{
	struct strobe_ring_reader *reader = &rc->reader;

	lockdep_assert_held(&reader->lock);
	for (;;) {
		*after = reader->hand;
		if ((reader->hand_left || STROBE_BUSTED_LEFT) &&
		    strobe_walk_next(after, record) == STROBE_WALK_DATA) {
			if (strobe_ring_own(rc, 1))
				return true;
			continue;
		}
		/* Nothing but padding left; or damage: skip it. */
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
 * strobe_ring_peek - the oldest record not consumed
 * @ring: the ring
 * @cpu: which CPU's
 * @record: filled in
 *
 * The same record is found again until strobe_ring_consume(). Its data stays
 * valid until the next call of either for that CPU. The callers see to it that
 * there is one of them at a time.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: false if there is none; @record is undefined then.
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
	record->past = strobe_ring_past_of(rc, record->index);
	mutex_unlock(&rc->reader.lock);
	return found;
}

/**
 * strobe_ring_consume - remove the record that strobe_ring_peek() shows
 * @ring: the ring
 * @cpu: which CPU's
 *
 * Does nothing if there is none, or if the ring was reset or swapped since:
 * nobody has seen what it holds now.
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
