// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes and counts of a ring.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include "ring/internal.h"

/**
 * strobe_ring_bytes - size of a CPU's ring
 * @ring: the ring
 * @cpu: which CPU's
 *
 * Context: Any.
 * Return: capacity of its slots for records in bytes, without the headers of the
 * sub-buffers and without the reader page.
 */
size_t strobe_ring_bytes(const struct strobe_ring *ring, int cpu)
{
	const struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

	const struct strobe_ring_store *store;
	size_t bytes;

	preempt_disable_notrace();	/* Keeps the store from being freed. */
	store = READ_ONCE(rc->store);
	bytes = (size_t)store->shape.nr_slots * store->limit * STROBE_RECORD_UNIT;
	preempt_enable_notrace();
	return bytes;
}

/**
 * strobe_ring_bytes_for - what strobe_ring_bytes() will be after a change of the size
 * @ring: the ring
 * @bytes: the new size of each CPU, in bytes
 *
 * Context: Any.
 * Return: bytes of the sub-buffers of one CPU
 */
size_t strobe_ring_bytes_for(const struct strobe_ring *ring, size_t bytes)
{
	u32 limit = strobe_ring_limit(ring->order);

	return (size_t)strobe_ring_slots_for(limit, bytes) * limit * STROBE_RECORD_UNIT;
}

/**
 * strobe_ring_subbuf_bytes - size of a sub-buffer, its header included
 * @ring: the ring
 *
 * Context: Any.
 */
unsigned int strobe_ring_subbuf_bytes(const struct strobe_ring *ring)
{
	return PAGE_SIZE << READ_ONCE(ring->order);
}

/**
 * strobe_ring_max_payload - size of the longest payload, in bytes
 * @ring: the ring
 *
 * Context: Any.
 */
u32 strobe_ring_max_payload(const struct strobe_ring *ring)
{
	return strobe_ring_limit_payload(strobe_ring_limit(READ_ONCE(ring->order)));
}

/**
 * strobe_ring_empty - whether a ring has no records to consume
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * May be stale on return. May be false if only the padding of discarded records is left; a
 * reader will find no record then.
 *
 * Context: Any.
 */
bool strobe_ring_empty(struct strobe_ring *ring, int cpu)
{
	int i;

	strobe_ring_for_each(ring, cpu, i) {
		if (strobe_ring_pending(strobe_ring_of(ring, i)))
			return false;
	}
	return true;
}

/**
 * strobe_ring_overruns - number of records that were overwritten or found damaged
 * @ring: the ring
 * @cpu: which CPU's
 *
 * The same as in strobe_ring_stats(), which has to visit each slot.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 */
unsigned long strobe_ring_overruns(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	unsigned long overrun;

	mutex_lock(&rc->reader.lock);
	overrun = strobe_ring_overrun(rc);
	mutex_unlock(&rc->reader.lock);
	return overrun;
}

/* Add the records in the slot of @seq to @stats. */
static void strobe_ring_add_slot(struct strobe_ring_cpu *rc, u32 seq, u64 committed,
				 struct strobe_ring_stats *stats)
{
	const struct strobe_ring_reader *reader = &rc->reader;
	const struct strobe_ring_cursor *cursor = &reader->cursor;
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	/* FIND:A, as in strobe_ring_find() */
	u64 word = atomic64_read_acquire(&lap->word), ts;
	u32 unread, units = READ_ONCE(lap->end);

	if (!strobe_slot_holds(word, seq))
		return;
	unread = strobe_slot_unread(word, strobe_lap_records(lap, seq, committed));
	if (!unread)
		return;
	if (seq == strobe_word_seq(committed))
		units = strobe_word_off(committed);
	if (seq == cursor->seq)
		units -= min(units, cursor->off);
	else if (reader->hand_left > reader->owned && seq == reader->source)
		units = 0;	/* In the reader page, and counted there. */
	ts = READ_ONCE(rc->store->subbufs[strobe_slot_id(word)]->time_stamp);
	/* COPY:A: if @ts is of the next lap, the word has changed. Pairs with CLAIM:A. */
	smp_rmb();
	if (!strobe_slot_holds(atomic64_read(&lap->word), seq))
		return;
	stats->entries += unread;
	stats->bytes += units * STROBE_RECORD_UNIT;
	if (!stats->oldest_ts)
		stats->oldest_ts = ts;
}

/**
 * strobe_ring_stats - read the counters of one CPU
 * @ring: the ring
 * @cpu: which CPU's
 * @stats: set to the counters
 *
 * They are consistent if no event is being recorded; else some may be older than others.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 */
void strobe_ring_stats(struct strobe_ring *ring, int cpu,
		       struct strobe_ring_stats *stats)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_reader *reader = &rc->reader;
	u32 seq, last;
	u64 committed;

	*stats = (struct strobe_ring_stats) {};
	mutex_lock(&reader->lock);
	/* Records of a persistent ring that are not owned are counted in their slot. */
	stats->entries = reader->owned;
	if (reader->hand_left) {
		stats->bytes = (reader->hand.end - reader->hand.pos) *
			       STROBE_RECORD_UNIT;
		stats->oldest_ts = reader->hand.subbuf->time_stamp;
	}
	/* TAKE:A: sees all stores before LEAVE:A. Pairs with LEAVE:A. */
	committed = smp_load_acquire(&rc->committed);
	last = strobe_word_seq(committed);
	seq = strobe_seq_back(&rc->store->shape, last, rc->store->shape.nr_slots - 1);
	for (; seq != last; seq = strobe_seq_next(&rc->store->shape, seq))
		strobe_ring_add_slot(rc, seq, committed, stats);
	strobe_ring_add_slot(rc, last, committed, stats);

	stats->read = reader->read;
	stats->overrun = strobe_ring_overrun(rc);
	stats->commit_overrun = local_read(&rc->commit_overrun);
	stats->dropped = local_read(&rc->dropped) +
			 atomic64_read(&rc->refused) - rc->refused_before;
	stats->discarded = local_read(&rc->discarded);
	stats->reserved = READ_ONCE(strobe_ring_lap(rc, last)->first) - rc->origin +
			  strobe_word_count(committed) + stats->discarded;
	mutex_unlock(&reader->lock);
}
