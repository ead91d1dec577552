// SPDX-License-Identifier: GPL-2.0
/*
 * The iterating reader: shows what a CPU's ring holds and leaves it there.
 *
 * It copies the committed part of one sub-buffer after the other to memory of
 * its own, and looks at the slot's word again (COPY:A): if that holds another
 * sequence by then, the copy may be torn, and is forgotten. It begins with what
 * is left in the hand of the consuming reader.
 *
 * What it finds at a slot		what it does
 *	the sequence of its cursor	copies
 *	not held any more		a consuming reader has taken it: goes on
 *					with the next one, nothing is lost
 *	another sequence		overwritten: goes on with the oldest one,
 *					and tells how many records it missed
 *
 * If the ring was resized or reset since (its numbers are of another generation),
 * it begins again, and skips what it has shown; with other memory of its own, if
 * the sub-buffers have another size. That is looked at before each record, so
 * that nothing is shown that was reset.
 *
 * A swap of the rings (swap.c) leaves it where it is: it goes on with what it began
 * with. A swap of one CPU's only looks like a reset.
 *
 * An iterator ends where the ring ended when it began, so that it ends also if
 * the writers are faster than it is. If they overtake it, it goes on to what is
 * the end at that moment, once.
 *
 * Context: task context; reader.lock is taken for each sub-buffer, against
 * resizing and for the hand. One task at a time may use an iterator.
 * Barriers: see the index in write.c.
 */
#include <linux/slab.h>

#include "ring/internal.h"
#include "ring/walk.h"

/**
 * struct strobe_ring_iter - an iterator
 * @rc: the ring of a CPU
 * @order: of @subbuf
 * @subbuf: its own copy
 * @walk: its place in @subbuf
 * @left: records there
 * @cursor: where to copy from next
 * @next: index of the record that follows what is in @subbuf
 * @consumed: what is missing before that was consumed, not lost
 * @from: index of the first record to show
 * @stop: index of the first record not to show
 * @overtaken: @stop has been moved
 * @generation: strobe_ring_cpu.generation that @cursor belongs to
 * @lost: records lost just before the next one
 */
struct strobe_ring_iter {
	struct strobe_ring_cpu		*rc;
	unsigned int			order;
	struct strobe_subbuf		*subbuf;
	struct strobe_ring_walk		walk;
	u32				left;
	struct strobe_ring_cursor	cursor;
	u64				next;
	bool				consumed;
	u64				from;
	u64				stop;
	bool				overtaken;
	unsigned int			generation;
	unsigned long			lost;
};

/* Index of the record that will be written next, or a bit more. */
u64 strobe_ring_newest(const struct strobe_ring_cpu *rc)
{
	u64 committed, index;
	u32 seq;

	do {
		/* TAKE:A pairs with LEAVE:A */
		committed = smp_load_acquire(&rc->committed);
		seq = strobe_word_seq(committed);
		index = READ_ONCE(strobe_ring_lap(rc, seq)->first) +
			strobe_ring_records(rc, seq);
		/* COPY:A pairs with CLAIM:A */
		smp_rmb();
	} while (strobe_word_seq(READ_ONCE(rc->committed)) != seq);
	return index;
}

/* Have memory for a sub-buffer of the ring. Return: false: there is none. */
static bool strobe_ring_iter_fit(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;
	struct strobe_subbuf *subbuf;

	lockdep_assert_held(&rc->reader.lock);
	if (iter->subbuf && iter->order == rc->store->order)
		return true;
	subbuf = strobe_subbuf_alloc(rc->cpu, rc->store->order);
	if (!subbuf)
		return false;
	strobe_subbuf_free(iter->subbuf, iter->order);
	iter->subbuf = subbuf;
	iter->order = rc->store->order;
	return true;
}

/*
 * Begin where the consuming reader is; show what is not before @from.
 * Return: false: there is no memory; the iterator is at its end until there is.
 */
static bool strobe_ring_iter_begin(struct strobe_ring_iter *iter, u64 from)
{
	struct strobe_ring_cpu *rc = iter->rc;
	struct strobe_ring_reader *reader = &rc->reader;
	u64 index = reader->next - reader->hand_left;

	lockdep_assert_held(&reader->lock);
	if (!strobe_ring_iter_fit(iter)) {
		iter->walk = (struct strobe_ring_walk) {};
		iter->left = 0;
		iter->next = from;
		return false;
	}
	strobe_ring_copy(&iter->walk, iter->subbuf, &reader->hand);
	iter->left = reader->hand_left;
	iter->cursor = reader->cursor;
	iter->next = reader->next;
	iter->consumed = false;
	iter->generation = rc->generation;
	iter->lost = 0;
	if (from <= rc->origin)
		iter->lost = reader->lost;
	else if (index > from)
		iter->lost = index - from;
	iter->from = max(from, rc->origin);
	return true;
}

/* Copy what @find shows. Return: false: it was overwritten meanwhile. */
static bool strobe_ring_iter_copy(struct strobe_ring_iter *iter,
				  struct strobe_ring_find *find)
{
	struct strobe_ring_walk copy, walk;
	u64 index = iter->next, word;
	u32 records;

	strobe_ring_copy(&copy, iter->subbuf, &find->walk);
	/* COPY:A pairs with CLAIM:A */
	smp_rmb();
	word = atomic64_read(&find->lap->word);
	if (!STROBE_BUSTED_COPY &&
	    (!strobe_slot_holds(word, iter->cursor.seq) ||
	     strobe_slot_id(word) != strobe_slot_id(find->word)))
		return false;

	walk = copy;
	records = strobe_walk_count(&walk);
	if (!iter->cursor.off) {
		/* What was shown before the ring was rebuilt is not missing. */
		u64 expected = max(iter->next, iter->from);

		index = iter->cursor.first;
		if (!iter->consumed && index > expected)
			iter->lost += index - expected;
	}
	iter->consumed = false;
	iter->walk = copy;
	iter->left = records;
	iter->next = index + records;
	iter->cursor.off = find->walk.end;
	iter->cursor.ts = walk.ts;
	return true;
}

/* The next sub-buffer's worth of records. Return: false: there is none. */
static bool strobe_ring_iter_fill(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;
	struct strobe_ring_cursor *cursor = &iter->cursor;
	struct strobe_ring_find find;
	u64 committed;

	lockdep_assert_held(&rc->reader.lock);
	for (;;) {
		/* TAKE:A pairs with LEAVE:A */
		committed = smp_load_acquire(&rc->committed);
		if (!strobe_ring_find(rc->store, cursor, &find, committed)) {
			if (!strobe_slot_held(find.word) &&
			    strobe_slot_seq(find.word) == cursor->seq)
				iter->consumed = true;
			strobe_ring_cursor_next(rc->store, cursor, committed);
			continue;
		}
		if (find.walk.pos < find.walk.end) {
			if (strobe_ring_iter_copy(iter, &find))
				return true;
			continue;
		}
		if (!strobe_ring_cursor_next(rc->store, cursor, committed))
			return false;
	}
}

/* Refill the copy, or make it that of the ring's generation. */
static bool strobe_ring_iter_renew(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;
	u64 index = iter->next - iter->left;
	unsigned long lost = iter->lost;
	bool more = true;

	/* It may still be skipping what it had shown before the last change. */
	if (!STROBE_BUSTED_FROM)
		index = max(index, iter->from);
	mutex_lock(&rc->reader.lock);
	if (rc->generation != iter->generation) {
		more = strobe_ring_iter_begin(iter, index);
		if (more && index > rc->origin)
			iter->lost += lost;
	} else if (!iter->left) {
		more = strobe_ring_iter_fill(iter);
	}
	mutex_unlock(&rc->reader.lock);
	return more;
}

/* May the record numbered @index be shown? */
static bool strobe_ring_iter_reaches(struct strobe_ring_iter *iter, u64 index)
{
	if (index < iter->stop)
		return true;
	if (!iter->lost || iter->overtaken)
		return false;
	iter->overtaken = true;
	mutex_lock(&iter->rc->reader.lock);
	iter->stop = max(strobe_ring_newest(iter->rc), index + 1);
	mutex_unlock(&iter->rc->reader.lock);
	return true;
}

/**
 * strobe_ring_iter_peek - the record that an iterator is at
 * @iter: the iterator
 * @record: filled in
 *
 * The data lies in memory of the iterator's; it stays valid until
 * strobe_ring_iter_advance() and the next call of this, or a reset.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: false at the end; @record is undefined then.
 */
bool strobe_ring_iter_peek(struct strobe_ring_iter *iter,
			   struct strobe_ring_record *record)
{
	struct strobe_ring_walk after;

	for (;;) {
		bool stale = READ_ONCE(iter->rc->generation) != iter->generation;

		after = iter->walk;
		record->index = iter->next - iter->left;
		if (!stale && (iter->left || STROBE_BUSTED_LEFT) &&
		    strobe_walk_next(&after, record) == STROBE_WALK_DATA) {
			if (record->index >= iter->from)
				break;
			iter->walk = after;
			iter->left--;
			continue;
		}
		if (!stale) {
			/* Nothing but padding left; or damage: skip it. */
			iter->walk.pos = iter->walk.end;
			iter->lost += iter->left;
			iter->left = 0;
		}
		if (!strobe_ring_iter_renew(iter))
			return false;
	}
	record->cpu = iter->rc->cpu;
	record->lost = iter->lost;
	record->past = strobe_ring_past_of(iter->rc, record->index);
	return strobe_ring_iter_reaches(iter, record->index);
}

/**
 * strobe_ring_iter_advance - step over the record that an iterator is at
 * @iter: the iterator
 *
 * Context: Task context.
 */
void strobe_ring_iter_advance(struct strobe_ring_iter *iter)
{
	struct strobe_ring_record record;

	if (!iter->left ||
	    strobe_walk_next(&iter->walk, &record) != STROBE_WALK_DATA)
		return;
	iter->left--;
	iter->lost = 0;
}

/**
 * strobe_ring_iter_removed - is a record one of those that a reset has removed?
 * @iter: the iterator
 * @record: shown by strobe_ring_iter_peek()
 *
 * Context: Any.
 */
bool strobe_ring_iter_removed(const struct strobe_ring_iter *iter,
			      const struct strobe_ring_record *record)
{
	return record->index < READ_ONCE(iter->rc->origin);
}

/**
 * strobe_ring_iter_reset - begin again, with what the ring holds now
 * @iter: the iterator
 *
 * Context: Task context, may sleep. Takes reader.lock.
 */
void strobe_ring_iter_reset(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;

	mutex_lock(&rc->reader.lock);
	strobe_ring_iter_begin(iter, 0);
	iter->stop = strobe_ring_newest(rc);
	iter->overtaken = false;
	mutex_unlock(&rc->reader.lock);
}

/**
 * strobe_ring_iter_open - an iterator over what one CPU's ring holds
 * @ring: the ring; must stay until strobe_ring_iter_close()
 * @cpu: which CPU's
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: the iterator, at the oldest record; ERR_PTR(-ENOMEM).
 */
struct strobe_ring_iter *strobe_ring_iter_open(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_iter *iter;

	iter = kzalloc(sizeof(*iter), GFP_KERNEL);
	if (!iter)
		return ERR_PTR(-ENOMEM);
	iter->rc = strobe_ring_of(ring, cpu);
	strobe_ring_iter_reset(iter);
	if (!iter->subbuf) {
		kfree(iter);
		return ERR_PTR(-ENOMEM);
	}
	return iter;
}

/**
 * strobe_ring_iter_close - be done with an iterator
 * @iter: from strobe_ring_iter_open()
 *
 * Context: Task context.
 */
void strobe_ring_iter_close(struct strobe_ring_iter *iter)
{
	strobe_subbuf_free(iter->subbuf, iter->order);
	kfree(iter);
}
