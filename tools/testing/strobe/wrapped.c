// SPDX-License-Identifier: GPL-2.0
/*
 * A reader that comes back after a whole wrap of sequences: the sequence at its cursor is in the
 * ring again, at any distance from the newest one. It must go on at the oldest record that the
 * ring has. Each record fills a sub-buffer. Before the wrap, the reader has read nothing, or a
 * record of the sub-buffer that is being written. Built with few bits for a sequence.
 */
#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

#define SUBBUF	(PAGE_SIZE - STROBE_SUBBUF_HEADER)
#define SLOTS	6

static struct strobe_ring *ring;
static int failures;
static u64 now;

u64 sched_clock_noinstr(void)
{
	return now += 10;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static void put(u32 bytes)
{
	struct strobe_ring_resv resv;

	if (!strobe_ring_reserve(ring, bytes, &resv))
		abort();
	strobe_ring_commit(&resv);
}

static u32 range(void)
{
	return strobe_seq_range(&strobe_ring_of(ring, 0)->store->shape);
}

/* The number of records that an iterator shows. */
static u32 shown(void)
{
	struct strobe_ring_iter *iter = strobe_ring_iter_open(ring, 0);
	struct strobe_ring_record record;
	u32 nr = 0;

	if (!iter || IS_ERR(iter))
		abort();
	for (; strobe_ring_iter_peek(iter, &record); nr++)
		strobe_ring_iter_advance(iter);
	strobe_ring_iter_close(iter);
	return nr;
}

static u32 consumed(void)
{
	struct strobe_ring_record record;
	u32 nr = 0;

	for (; strobe_ring_peek(ring, 0, &record); nr++)
		strobe_ring_consume(ring, 0);
	return nr;
}

/* The newest sequence is @ahead of the one at the cursor, after a wrap. */
static void come_back(u32 ahead, bool has_read)
{
	struct strobe_ring_stats stats;
	u32 i, iterated, read;

	strobe_ring_reset(ring, 0);
	if (has_read) {
		put(16);
		consumed();
	}
	for (i = 0; i < range() + ahead; i++)
		put(strobe_ring_max_payload(ring));
	strobe_ring_stats(ring, 0, &stats);
	iterated = shown();
	read = consumed();
	if (stats.entries < SLOTS - 1 || iterated != stats.entries || read != stats.entries) {
		printf("# wrapped: %lu held, %u shown, %u read: %u ahead, %s before\n",
		       stats.entries, iterated, read, ahead, has_read ? "one" : "none");
		failures++;
	}
}

int main(void)
{
	struct strobe_ring_params params = { .bytes = SLOTS * SUBBUF, .overwrite = true };
	u32 ahead;

	ring = strobe_ring_create(&params);
	if (IS_ERR(ring))
		abort();
	for (ahead = 0; ahead <= 2 * SLOTS; ahead++) {
		come_back(ahead, false);
		come_back(ahead, true);
	}
	printf("# %u sequences, %u slots\n", range(), SLOTS);
	strobe_ring_destroy(ring);
	return !!failures;
}
