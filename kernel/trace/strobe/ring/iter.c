// SPDX-License-Identifier: GPL-2.0
/*
 * The iterating reader: shows the records of a CPU's ring without consuming them.
 *
 * It copies the committed part of one sub-buffer after the other to its own memory, and
 * validates the slot word (COPY:A): if it has another sequence by then, the copy may be
 * torn, and is dropped. It begins with the records left in the reader page.
 *
 * What it finds at a slot		what it does
 *	the sequence of its cursor	copies
 *	not held any more		the consuming reader has taken it:
 *					continues with the next one, nothing is lost
 *	another sequence		overwritten: continues with the oldest one,
 *					and counts the records that it missed
 *
 * If the ring was resized or reset since (the generation has changed), it begins again,
 * skips the records that it has shown, and reallocates its memory if the sub-buffers have
 * another size. It checks the generation before each record, so that it shows no record
 * that was reset.
 *
 * A swap of the rings (swap.c) does not affect it: it continues with the ring that it began
 * with. A swap of one CPU only looks like a reset.
 *
 * An iterator ends where the ring ended when it began, so that it ends even if the writers
 * are faster. If they overtake it, it continues to the end at that moment, but only once. Then
 * it has to be extended to show newer records.
 *
 * Context: task context; takes reader.lock for each sub-buffer, against resizing and for
 * the reader page. Only one task at a time may use an iterator.
 * Barriers: see the list in write.c.
 */
#include <linux/slab.h>

#include "ring/internal.h"
#include "ring/walk.h"

/**
 * struct strobe_ring_iter - an iterator
 * @rc: the ring of a CPU
 * @order: order of @subbuf
 * @subbuf: memory for a copy of a sub-buffer
 * @walk: its position in @subbuf
 * @left: records left there
 * @cursor: where to copy from next
 * @next: index of the record that follows those in @subbuf
 * @consumed: records missing before that were consumed, not lost
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

/* Index of the next record. */
u64 strobe_ring_newest(const struct strobe_ring_cpu *rc)
{
	u64 committed, index;
	u32 seq;

	do {
		/* TAKE:A: sees all stores before LEAVE:A. Pairs with LEAVE:A. */
		committed = smp_load_acquire(&rc->committed);
		seq = strobe_word_seq(committed);
		index = READ_ONCE(strobe_ring_lap(rc, seq)->first) +
			strobe_word_count(committed);
		/* COPY:A: after a claim, committed has changed. Pairs with CLAIM:A. */
		smp_rmb();
	} while (strobe_word_seq(READ_ONCE(rc->committed)) != seq);
	return index;
}

/* Allocate memory of the size of a sub-buffer. Return: false: no memory. */
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
 * Begin at the consuming reader's position; skip records before @from.
 * Return: false: no memory; until there is, the iterator is at its end.
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

/* Copy the records of @find. Return: false: they were overwritten meanwhile. */
static bool strobe_ring_iter_copy(struct strobe_ring_iter *iter,
				  struct strobe_ring_find *find)
{
	struct strobe_ring_walk copy, walk;
	u64 index = iter->next, word;
	u32 records;

	strobe_ring_copy(&copy, iter->subbuf, &find->walk);
	/* COPY:A: a copy of the next lap finds the word changed. Pairs with CLAIM:A. */
	smp_rmb();
	word = atomic64_read(&find->lap->word);
	if (!STROBE_BUSTED_COPY &&
	    (!strobe_slot_holds(word, iter->cursor.seq) ||
	     strobe_slot_id(word) != strobe_slot_id(find->word)))
		return false;

	walk = copy;
	records = strobe_walk_count(&walk);
	if (!iter->cursor.off) {
		/* Records that were shown before the ring was rebuilt are not missing. */
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

/* Copy the records of the next sub-buffer. Return: false: no more records. */
static bool strobe_ring_iter_fill(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;
	struct strobe_ring_cursor *cursor = &iter->cursor;
	struct strobe_ring_find find;
	u64 committed;

	lockdep_assert_held(&rc->reader.lock);
	for (;;) {
		/* TAKE:A: sees all stores before LEAVE:A. Pairs with LEAVE:A. */
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

/* Copy more records; begin again if the generation has changed. */
static bool strobe_ring_iter_renew(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;
	u64 index = iter->next - iter->left;
	unsigned long lost = iter->lost;
	bool more = true;

	/* It may still be skipping records that were shown before the last change. */
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

/* May the record @index be shown? */
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
 * strobe_ring_iter_peek - find the record at the position of an iterator
 * @iter: the iterator
 * @record: set to the record
 *
 * The data is in memory of the iterator. It stays valid until the call of this function
 * after strobe_ring_iter_advance(), or until a reset.
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
		if (!stale && iter->left &&
		    strobe_walk_next(&after, record) == STROBE_WALK_DATA) {
			if (record->index >= iter->from)
				break;
			iter->walk = after;
			iter->left--;
			continue;
		}
		if (!stale) {
			/* Only padding is left, or the rest is damaged: skip it. */
			iter->walk.pos = iter->walk.end;
			iter->lost += iter->left;
			iter->left = 0;
		}
		if (!strobe_ring_iter_renew(iter))
			return false;
	}
	record->cpu = iter->rc->cpu;
	record->lost = iter->lost;
	record->more = iter->left - 1;
	record->past = strobe_ring_past_of(iter->rc, record->index);
	return strobe_ring_iter_reaches(iter, record->index);
}

/**
 * strobe_ring_iter_advance - advance an iterator past its record
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
 * strobe_ring_iter_removed - whether a reset has removed a record
 * @iter: the iterator
 * @record: a record that strobe_ring_iter_peek() returned
 *
 * Context: Any.
 */
bool strobe_ring_iter_removed(const struct strobe_ring_iter *iter,
			      const struct strobe_ring_record *record)
{
	return record->index < READ_ONCE(iter->rc->origin);
}

/**
 * strobe_ring_iter_reset - move an iterator to the oldest record in the ring
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
 * strobe_ring_iter_extend - let an iterator continue to the present end of the ring
 * @iter: the iterator
 *
 * Context: Task context, may sleep. Takes reader.lock.
 */
void strobe_ring_iter_extend(struct strobe_ring_iter *iter)
{
	struct strobe_ring_cpu *rc = iter->rc;

	mutex_lock(&rc->reader.lock);
	iter->stop = strobe_ring_newest(rc);
	iter->overtaken = false;
	mutex_unlock(&rc->reader.lock);
}

/**
 * strobe_ring_iter_open - allocate an iterator over the records of one CPU
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
 * strobe_ring_iter_close - free an iterator
 * @iter: from strobe_ring_iter_open()
 *
 * Context: Task context.
 */
void strobe_ring_iter_close(struct strobe_ring_iter *iter)
{
	strobe_subbuf_free(iter->subbuf, iter->order);
	kfree(iter);
}
