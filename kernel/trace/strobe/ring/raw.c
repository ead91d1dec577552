// SPDX-License-Identifier: GPL-2.0
/*
 * Reading whole sub-buffers, in the format of record.h, for user space to parse.
 *
 * The caller brings a page, a sub-buffer of its own. What the reader has in its
 * hand (read.c) is given to it in one of two ways:
 *
 *	the hand			what happens
 *	-----------------------------	--------------------------------------
 *	nothing of it was consumed,	exchanged: the caller gets the hand's
 *	the caller has room for all	sub-buffer, the caller's becomes the hand
 *	of it, both have one size,
 *	the ring is not mapped,
 *	and (if records are missing)
 *	it begins with a record
 *	anything else			as many whole records as there is room
 *					for are copied; the rest stays
 *
 * Either way the records count as read, and leave the ring. It does not matter
 * here whether the hand was filled by taking a full sub-buffer or by copying
 * from the one being written: it belongs to the reader. Who wants full ones only
 * says so, and the latter is not done for it.
 *
 * What stands in the sub-buffer is not looked at when it is exchanged: whoever
 * parses pages has to keep to their bounds.
 *
 * A page tells in the upper bits of its commit word that records were lost
 * before its first one. How many, stands behind the last one if there is room.
 *
 * Context: task context; reader.lock (a mutex) is held while a page is filled.
 * Barriers: none of its own. A page given to the ring reaches the writers by way
 * of TAKE:B, as any spare sub-buffer; see the index in write.c.
 */
#include <linux/string.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"

/**
 * strobe_ring_page_alloc - a page to read sub-buffers with
 * @ring: the ring
 * @cpu: which CPU's sub-buffers
 * @page: filled in; has the size that the ring's sub-buffers have now
 *
 * The page may be kept beyond the ring.
 *
 * Context: Task context, may sleep.
 * Return: 0; -ENOMEM, with @page->data being NULL.
 */
int strobe_ring_page_alloc(struct strobe_ring *ring, int cpu,
			   struct strobe_ring_page *page)
{
	page->order = READ_ONCE(ring->order);
	page->data = strobe_subbuf_alloc(cpu, page->order);
	return page->data ? 0 : -ENOMEM;
}

/**
 * strobe_ring_page_free - be done with a page
 * @page: from strobe_ring_page_alloc(); its data may be NULL, and is afterwards
 *
 * Context: Any but NMI and hard interrupts.
 */
void strobe_ring_page_free(struct strobe_ring_page *page)
{
	strobe_subbuf_free(page->data, page->order);
	page->data = NULL;
}

/**
 * strobe_ring_page_bytes - size of a page in bytes, its header included
 * @page: the page; 0 if there is none
 *
 * Context: Any.
 */
unsigned int strobe_ring_page_bytes(const struct strobe_ring_page *page)
{
	return page->data ? PAGE_SIZE << page->order : 0;
}

/*
 * @subbuf has @size bytes of records, before which @lost ones are missing. What
 * stands behind is of an older lap, and nobody's business.
 */
void strobe_subbuf_finish(struct strobe_subbuf *subbuf, unsigned int order,
			  u32 size, unsigned long lost)
{
	u32 capacity = strobe_ring_limit(order) * STROBE_RECORD_UNIT;
	unsigned long commit = size;

	if (lost) {
		commit |= STROBE_SUBBUF_MISSED;
		if (capacity - size >= sizeof(lost)) {
			memcpy(subbuf->data + size, &lost, sizeof(lost));
			commit |= STROBE_SUBBUF_MISSED_STORED;
			size += sizeof(lost);
		}
	}
	local_set(&subbuf->commit, commit);
	memset(subbuf->data + size, 0, capacity - size);
}

/* @records from the hand have left the ring; @rest of it is still to be read. */
void strobe_ring_gave(struct strobe_ring_cpu *rc, u32 records,
		      struct strobe_ring_walk rest)
{
	struct strobe_ring_reader *reader = &rc->reader;

	reader->hand = rest;
	reader->hand_left -= records;
	reader->owned -= records;
	reader->peeked = false;
	reader->read += records;
	reader->lost = 0;
	if (rest.pos == rest.end)
		WRITE_ONCE(rc->in_hand, false);
	strobe_region_consumed(rc);
}

/*
 * Give the hand's sub-buffer to the caller, and take the caller's.
 * Return: 0; -EAGAIN: its records have been overwritten, and are not in the hand any
 * more.
 */
static int strobe_ring_exchange(struct strobe_ring_cpu *rc,
				struct strobe_ring_page *page)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_subbuf *subbuf = rc->store->subbufs[reader->hand_id];
	struct strobe_ring_walk empty = { .subbuf = page->data };

	if (!strobe_ring_own(rc, reader->hand_left))
		return -EAGAIN;
	strobe_subbuf_finish(subbuf, rc->store->order,
			     reader->hand.end * STROBE_RECORD_UNIT, reader->lost);
	rc->store->subbufs[reader->hand_id] = page->data;
	local_set(&rc->store->subbufs[reader->hand_id]->commit, 0);
	strobe_ring_gave(rc, reader->hand_left, empty);
	strobe_ring_dump_forget(rc, subbuf);
	page->data = subbuf;
	return 0;
}

/* Where @record begins, which ends at @walk. */
static u32 strobe_record_start(const struct strobe_ring_walk *walk,
			       const struct strobe_ring_record *record)
{
	return walk->pos - strobe_record_size(record->len) / STROBE_RECORD_UNIT;
}

/*
 * May the hand be exchanged for @page, of which @room bytes are to be used?
 * kbuffer looks for the number of lost records only if the page begins with a
 * record, here @record, and not with padding or time.
 */
static bool strobe_ring_may_exchange(const struct strobe_ring_cpu *rc,
				     const struct strobe_ring_page *page, u32 room,
				     const struct strobe_ring_walk *after,
				     const struct strobe_ring_record *record)
{
	const struct strobe_ring_reader *reader = &rc->reader;

	return !reader->hand.pos && page->order == rc->store->order && !reader->mapping &&
	       reader->hand.end * STROBE_RECORD_UNIT <= room &&
	       (!reader->lost || !strobe_record_start(after, record));
}

/*
 * Copy records from the hand to @page, of which @room bytes may be used; the
 * first one is @record, and ends at @walk.
 * Return: 0; -EINVAL: there is not even room for that one; -EAGAIN: they have been
 * overwritten, and are not in the hand any more.
 */
static int strobe_ring_copy_out(struct strobe_ring_cpu *rc,
				struct strobe_ring_page *page, u32 room,
				struct strobe_ring_walk walk,
				const struct strobe_ring_record *record)
{
	struct strobe_subbuf *subbuf = page->data;
	struct strobe_ring_walk next = walk;
	struct strobe_ring_record dummy;
	const struct strobe_record *first;
	u32 start = strobe_record_start(&walk, record), bytes, n = 0;

	/* Padding and time records in front of the first one are left out. */
	first = (const void *)walk.subbuf->data + start * STROBE_RECORD_UNIT;
	subbuf->time_stamp = record->ts - first->time_delta;

	do {
		if ((next.pos - start) * STROBE_RECORD_UNIT > room)
			break;
		walk = next;
		n++;
	} while (n < rc->reader.hand_left &&
		 strobe_walk_next(&next, &dummy) == STROBE_WALK_DATA);
	if (!n)
		return -EINVAL;
	if (!strobe_ring_own(rc, n))
		return -EAGAIN;

	bytes = (walk.pos - start) * STROBE_RECORD_UNIT;
	memcpy(subbuf->data, first, bytes);
	strobe_subbuf_finish(subbuf, page->order, bytes, rc->reader.lost);
	if (n == rc->reader.hand_left)
		walk.pos = walk.end;
	strobe_ring_gave(rc, n, walk);
	return 0;
}

/**
 * strobe_ring_read_page - take the oldest records out of the ring, many at once
 * @ring: the ring
 * @cpu: which CPU's
 * @page: gets them; from strobe_ring_page_alloc(), used before or not. It may be
 *	another piece of memory afterwards.
 * @room: how many bytes of @page may be used, its header included
 * @whole: do not give parts of the sub-buffer that is being written
 *
 * The callers see to it that there is one of them at a time, and none of
 * strobe_ring_peek().
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: 0; -EAGAIN: there is nothing, or it is @whole that keeps it back;
 * -EINVAL: there is no room for the next record.
 */
int strobe_ring_read_page(struct strobe_ring *ring, int cpu,
			  struct strobe_ring_page *page, size_t room, bool whole)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_record record;
	struct strobe_ring_walk after;
	int ret;

	room = min_t(size_t, room, strobe_ring_page_bytes(page));
	if (room <= STROBE_SUBBUF_HEADER)
		return -EINVAL;
	room -= STROBE_SUBBUF_HEADER;

	mutex_lock(&reader->lock);
	do {
		ret = -EAGAIN;
		if (!strobe_ring_look_up(rc, whole, &after, &record))
			break;
		if (strobe_ring_may_exchange(rc, page, room, &after, &record))
			ret = strobe_ring_exchange(rc, page);
		else
			ret = strobe_ring_copy_out(rc, page, room, after, &record);
	} while (ret == -EAGAIN);
	mutex_unlock(&reader->lock);
	return ret;
}
