// SPDX-License-Identifier: GPL-2.0
/*
 * Read whole sub-buffers, in the format of ring/format.h, for user space to parse.
 *
 * The caller brings a page, a sub-buffer of its own. The contents of the reader page
 * (read.c) are transferred to it in one of two ways:
 *
 *	the reader page			what happens
 *	-----------------------------	--------------------------------------
 *	nothing of it was consumed,	exchanged: the caller gets the reader
 *	the caller's page may hold	page's sub-buffer, and the caller's
 *	all of it, both have one	becomes the reader page
 *	size, the ring is not mapped,
 *	and (if records are missing)
 *	it begins with a record
 *	anything else			as many whole records as fit are copied;
 *					the rest stays
 *
 * Either way the records count as read, and leave the ring. The result does not depend on
 * how the reader page was filled, by taking a full sub-buffer or by copying from the one
 * being written. A caller that wants only full sub-buffers says so, and the latter is not
 * done.
 *
 * The bytes of an exchanged sub-buffer are not checked: parsers of pages have to keep to
 * their bounds.
 *
 * The upper bits of a page's commit word say that records were lost before its first one.
 * Their number follows the last record, if it fits.
 *
 * Context: task context; reader.lock (a mutex) is held while a page is filled.
 * Barriers: none here. Writers find a page handed over to the ring by TAKE:B, as any empty
 * sub-buffer; see the list in write.c.
 */
#include <linux/string.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"

/**
 * strobe_ring_page_alloc - allocate a page for strobe_ring_read_page()
 * @ring: the ring
 * @cpu: which CPU's sub-buffers
 * @page: set to the page, of the current size of the ring's sub-buffers
 *
 * The page may outlive the ring.
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
 * strobe_ring_page_free - free a page
 * @page: from strobe_ring_page_alloc(); its data may be NULL, and is set to NULL
 *
 * A dump that has found the memory in the ring may read it until an RCU grace period after
 * strobe_ring_read_page(). The caller waits for one. A change of the size of sub-buffers has done
 * so when it has ended: a page of another size may be freed at once.
 *
 * Context: Any but NMI and hard interrupts.
 */
void strobe_ring_page_free(struct strobe_ring_page *page)
{
	strobe_subbuf_free(page->data, page->order);
	page->data = NULL;
}

/**
 * strobe_ring_page_bytes - size of a page in bytes, including its header
 * @page: the page; the size is 0 if it has no data
 *
 * Context: Any.
 */
unsigned int strobe_ring_page_bytes(const struct strobe_ring_page *page)
{
	return page->data ? PAGE_SIZE << page->order : 0;
}

/*
 * Complete a sub-buffer with @size bytes of records, before which @lost records are
 * missing. Clear the rest, which has bytes of an older lap.
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

/* @records of the reader page have left the ring; @rest of it is still unread. */
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
 * Exchange the reader page for the caller's page.
 * Return: 0; -EAGAIN: its records have been overwritten, and were dropped.
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

/* Where @record begins, in units; it ends at @walk. */
static u32 strobe_record_start(const struct strobe_ring_walk *walk,
			       const struct strobe_ring_record *record)
{
	return walk->pos - strobe_record_size(record->len) / STROBE_RECORD_UNIT;
}

/*
 * May the reader page be exchanged for @page, of which @room bytes may be used? kbuffer
 * expects the number of lost records only if the page begins with a record, here @record,
 * and not with padding or time.
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
 * Copy records from the reader page to @page, of which @room bytes may be used. The first
 * one is @record, and ends at @walk.
 * Return: 0; -EINVAL: @record does not fit; -EAGAIN: the records have been overwritten, and
 * were dropped.
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

	/* Leave out padding and time records before the first one. */
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
 * strobe_ring_read_page - read the oldest records as a whole sub-buffer, and consume them
 * @ring: the ring
 * @cpu: which CPU's
 * @page: set to the records; from strobe_ring_page_alloc(). Its memory may be exchanged
 *	for that of the ring
 * @room: number of bytes of @page that may be used, including its header
 * @whole: do not read from the sub-buffer that is being written
 *
 * The callers must serialise these calls, also with strobe_ring_peek().
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: 0; -EAGAIN: no records, or none that @whole allows; -EINVAL: the next record does
 * not fit.
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
