// SPDX-License-Identifier: GPL-2.0
/*
 * An independent reader, libtraceevent's kbuffer, reads the reader pages of the consuming
 * reader, and whole pages of any size. It must find the same records with the same times,
 * and the same number of missing records.
 */
#include <traceevent/event-parse.h>
#include <traceevent/kbuffer.h>

#include "harness.h"
#include "ring/write.h"
#include "ring/internal.h"

static u64 now = 1000;

u64 sched_clock_noinstr(void)
{
	u32 r = shim_random();

	now += r % 100 ? r % 1000 : 1ULL << (20 + r % 20);
	return now;
}

u64 trace_clock_local(void)
{
	return now;
}

static void fire(struct strobe_ring *ring, int depth)
{
	struct strobe_ring_resv resv;
	u32 len = 4 + shim_random() % (shim_random() % 50 ? 100 : 3000);
	u8 *data = strobe_ring_reserve(ring, len, &resv);

	if (!data)
		return;
	memset(data, shim_random(), len);
	if (depth < 3 && shim_random() % 3 == 0)
		fire(ring, depth + 1);
	if (shim_random() % 6)
		strobe_ring_commit(&resv);
	else
		strobe_ring_discard(&resv);
}

/*
 * The reader page has been refilled: load it into kbuffer as user space would get it.
 * Skip the records before @first: they were read before the sub-buffer was taken.
 */
static void load(struct kbuffer *kbuf, struct strobe_ring_cpu *rc, const void *first)
{
	struct strobe_subbuf *subbuf = (void *)rc->reader.hand.subbuf;
	unsigned long long ts;

	if (local_read(&subbuf->commit) != rc->reader.hand.end * STROBE_RECORD_UNIT ||
	    kbuffer_load_subbuffer(kbuf, subbuf)) {
		fprintf(stderr, "# kbuffer refuses the sub-buffer\n");
		exit(1);
	}
	while (kbuffer_read_event(kbuf, &ts) && kbuffer_read_event(kbuf, &ts) != first)
		kbuffer_next_event(kbuf, &ts);
}

static unsigned long raw_records, raw_pages, raw_missed, raw_unknown;

/* Are the records of @page those that @iter shows next? Also false if it has none. */
static bool same_records(struct kbuffer *kbuf, struct strobe_ring_iter *iter,
			 const struct strobe_ring_page *page)
{
	struct strobe_ring_record record = {};
	unsigned long long ts;
	int missed, n = 0;
	void *data;

	if (kbuffer_load_subbuffer(kbuf, page->data))
		return false;
	missed = kbuffer_missed_events(kbuf);
	for (data = kbuffer_read_event(kbuf, &ts); data; n++) {
		if (!strobe_ring_iter_peek(iter, &record))
			return false;
		if (!n && missed != (int)record.lost &&
		    !(missed == -1 && record.lost))
			return false;
		raw_missed += n ? 0 : record.lost;
		raw_unknown += !n && missed == -1;
		if (ts != record.ts || kbuffer_event_size(kbuf) != (int)record.len ||
		    memcmp(data, record.data, record.len) || (n && record.lost))
			return false;
		strobe_ring_iter_advance(iter);
		data = kbuffer_next_event(kbuf, &ts);
	}
	raw_records += n;
	raw_pages++;
	return n;
}

/* Read a ring by whole sub-buffers of 2^@order pages. */
static int read_raw(unsigned int order)
{
	struct strobe_ring_params params = { .bytes = 8 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	struct strobe_ring_page page;
	struct strobe_ring_iter *iter;
	struct strobe_ring_record record;
	struct strobe_ring_stats stats;
	unsigned long before = raw_records;
	u32 turn, n;
	size_t room;

	strobe_ring_set_order(ring, order);
	strobe_ring_page_alloc(ring, 0, &page);
	iter = strobe_ring_iter_open(ring, 0);
	for (turn = 0; turn < 3000; turn++) {
		/* Sometimes more than the ring holds. */
		for (n = shim_random() % (turn % 8 ? 100 : 2000); n; n--)
			fire(ring, 0);
		for (n = shim_random() % 8 + 8 * (turn % 3); n; n--) {
			/* Let it copy the sub-buffer from which the page is made. */
			strobe_ring_iter_reset(iter);
			strobe_ring_iter_peek(iter, &record);
			room = shim_random() % 2 ? SIZE_MAX : shim_random() % (PAGE_SIZE << order);
			if (strobe_ring_read_page(ring, 0, &page, room, shim_random() % 2))
				continue;
			if (!same_records(kbuf, iter, &page)) {
				fprintf(stderr, "# kbuffer reads other records from a page\n");
				return 1;
			}
		}
	}
	strobe_ring_stats(ring, 0, &stats);
	if (raw_records - before != stats.read || strobe_ring_check(ring, 0)) {
		fprintf(stderr, "# %lu records of pages, %lu read\n",
			raw_records - before, stats.read);
		return 1;
	}
	strobe_ring_iter_close(iter);
	strobe_ring_page_free(&page);
	kbuffer_free(kbuf);
	strobe_ring_destroy(ring);
	return 0;
}

static int read_peeked(void)
{
	struct strobe_ring_params params = { .bytes = 8 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, 0);
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	unsigned long seen = 0, pages = 0;
	u64 hand = ~0ULL;
	u32 turn;

	for (turn = 0; turn < 3000; turn++) {
		u32 n = shim_random() % 300;
		struct strobe_ring_record record;

		while (n--)
			fire(ring, 0);
		while (strobe_ring_peek(ring, 0, &record)) {
			unsigned long long ts;
			void *data;

			if (rc->reader.next != hand) {
				hand = rc->reader.next;
				load(kbuf, rc, record.data);
				pages++;
			}
			data = kbuffer_read_event(kbuf, &ts);
			if (!data || ts != record.ts || data != record.data ||
			    kbuffer_event_size(kbuf) != record.len) {
				fprintf(stderr, "# record %lu: data %p %p time %llu %llu size %d %u\n",
					seen, data, record.data, ts, (unsigned long long)record.ts,
					data ? kbuffer_event_size(kbuf) : 0, record.len);
				return 1;
			}
			seen++;
			strobe_ring_consume(ring, 0);
			data = kbuffer_next_event(kbuf, &ts);
			if (!data && rc->reader.hand_left) {
				fprintf(stderr, "# kbuffer ends early\n");
				return 1;
			}
		}
	}
	printf("# kbuffer agrees on %lu records in %lu sub-buffers\n", seen, pages);
	kbuffer_free(kbuf);
	strobe_ring_destroy(ring);
	return seen < 100000;
}

int main(void)
{
	if (read_peeked() || read_raw(0) || read_raw(2))
		return 1;
	printf("# and on %lu records in %lu pages, before which %lu are missing; of %lu gaps it does not know how many\n",
	       raw_records, raw_pages, raw_missed, raw_unknown);
	return raw_records < 100000 || raw_missed < 10000 || !raw_unknown;
}
