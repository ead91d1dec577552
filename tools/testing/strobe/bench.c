// SPDX-License-Identifier: GPL-2.0
/*
 * A benchmark of the ring: nothing passes or fails. Writing: reserve and commit of a
 * record (int, long, pointer) with 24 bytes of payload, without a clock and with one
 * that reads the time stamp counter. Reading: by records, by whole pages, which are not
 * parsed, and by an iterator. The best of many short rounds is printed.
 */
#include <time.h>
#include <x86intrin.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

#define ROUNDS		200
#define ROUND_EVENTS	50000U

struct payload {
	int	number;
	long	value;
	void	*pointer;
};

static bool clock_ticks;

/* Inlined into the reservation, as in the kernel. */
u64 sched_clock_noinstr(void)
{
	return clock_ticks ? __rdtsc() : 1;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static __attribute__((__noinline__)) void event(struct strobe_ring *ring, int number)
{
	struct strobe_ring_resv resv;
	struct payload *p = strobe_ring_reserve(ring, sizeof(*p), &resv);

	if (!p)
		return;
	p->number = number;
	p->value = number;
	p->pointer = ring;
	strobe_ring_commit(&resv);
}

static u64 write_events(struct strobe_ring *ring)
{
	u32 i;

	for (i = 0; i < ROUND_EVENTS; i++)
		event(ring, i);
	return ROUND_EVENTS;
}

static void fill(struct strobe_ring *ring)
{
	strobe_ring_reset(ring, 0);
	write_events(ring);
}

static u64 consume(struct strobe_ring *ring)
{
	struct strobe_ring_record record;
	u64 n = 0;

	for (; strobe_ring_peek(ring, 0, &record); n++)
		strobe_ring_consume(ring, 0);
	return n;
}

static u64 iterate(struct strobe_ring *ring)
{
	struct strobe_ring_iter *iter = strobe_ring_iter_open(ring, 0);
	struct strobe_ring_record record;
	u64 n = 0;

	for (; strobe_ring_iter_peek(iter, &record); n++)
		strobe_ring_iter_advance(iter);
	strobe_ring_iter_close(iter);
	return n;
}

static u64 read_pages(struct strobe_ring *ring)
{
	struct strobe_ring_stats before, after;
	struct strobe_ring_page page;

	strobe_ring_page_alloc(ring, 0, &page);
	strobe_ring_stats(ring, 0, &before);
	while (!strobe_ring_read_page(ring, 0, &page, SIZE_MAX, false))
		;
	strobe_ring_stats(ring, 0, &after);
	strobe_ring_page_free(&page);
	return after.read - before.read;
}

/* Print the best of many runs of @run, each after @prepare. */
static void measure(const char *what, struct strobe_ring *ring,
		    void (*prepare)(struct strobe_ring *ring),
		    u64 (*run)(struct strobe_ring *ring))
{
	double best_ns = 1e9, best_ticks = 1e9, ns, ticks;
	u64 events, tsc;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		if (prepare)
			prepare(ring);
		ns = now_ns();
		tsc = __rdtsc();
		events = run(ring);
		ticks = __rdtsc() - tsc;
		ns = now_ns() - ns;
		best_ns = min(best_ns, ns / events);
		best_ticks = min(best_ticks, ticks / events);
	}
	printf("%-34s %8.2f ns %8.1f ticks %10.2f M events/s\n", what, best_ns,
	       best_ticks, 1e3 / best_ns);
}

int main(void)
{
	struct strobe_ring_params params = {
		.bytes = 1 << 20, .overwrite = true,
	};
	struct strobe_ring *ring = strobe_ring_create(&params);

	if (IS_ERR(ring))
		return 1;
	printf("record of %zu bytes of payload, ring of %zu KiB\n",
	       sizeof(struct payload), strobe_ring_bytes(ring, 0) >> 10);
	measure("write, no clock", ring, NULL, write_events);
	clock_ticks = true;
	strobe_ring_reset(ring, 0);
	measure("write, rdtsc", ring, NULL, write_events);
	measure("consume by records", ring, fill, consume);
	measure("read by whole pages", ring, fill, read_pages);
	measure("iterate", ring, fill, iterate);
	strobe_ring_resize(ring, 64 << 20, 0);
	measure("write, rdtsc, ring of 64 MiB", ring, NULL, write_events);
	strobe_ring_destroy(ring);
	return 0;
}
