// SPDX-License-Identifier: GPL-2.0
/*
 * An independent reader: libtraceevent's kbuffer reads the sub-buffers that the
 * consuming reader takes, and must find the same records at the same times.
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
 * The hand is filled anew: give it to kbuffer as user space would get it. What
 * was read before of a sub-buffer that was taken then is skipped.
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

int main(void)
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
