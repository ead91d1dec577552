// SPDX-License-Identifier: GPL-2.0
/*
 * Lost wake-ups. A reader sleeps until there are records, and consumes them. The writer
 * commits a few at random moments, and then none until the reader has all of them: the
 * last one has to wake the reader, as nothing comes after it. Before some of them the ring
 * is swapped with another one, which takes the marks of the sleeping reader away. A reader
 * that sleeps for WATCHDOG_MS beside a record has missed its wake-up.
 *
 * usage: wake [-n ROUNDS] [-s SEED] [WATCHDOG_MS]
 */
#include <time.h>

#include "harness.h"
#include "ring/write.h"

/* Long, as a busy host may not run the reader for seconds. */
#define WATCHDOG_MS	15000

static u32 watchdog_ms = WATCHDOG_MS;
static struct strobe_ring *ring, *other;
static u64 now, seen;
static bool finished;

u64 sched_clock_noinstr(void)
{
	return __atomic_add_fetch(&now, 10, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

/* An interrupt that takes long, or a virtual CPU that does not run. */
static void delay(void)
{
	usleep(shim_random() % 400);
}

static void put(void)
{
	struct strobe_ring_resv resv;
	u32 *data;

	shim_section_enter();
	data = strobe_ring_reserve(ring, sizeof(*data), &resv);
	if (data) {
		*data = 1;
		strobe_ring_commit(&resv);
	}
	shim_section_leave();
	shim_section_quiet();
}

/* Both rings are empty, so that no record gets lost by it. */
static void swap_rings(void)
{
	int err;

	shim_section_enter();
	err = strobe_ring_swap(ring, other);
	shim_section_leave();
	shim_section_quiet();
	if (!err)
		strobe_ring_swap_wake(ring, other);
}

static bool is_finished(void *data)
{
	(void)data;
	return __atomic_load_n(&finished, __ATOMIC_SEQ_CST);
}

static void *reader(void *arg)
{
	struct strobe_ring_record record;

	(void)arg;
	shim_self.random = 777;
	while (!is_finished(NULL)) {
		strobe_ring_wait(ring, 0, 0, is_finished, NULL);
		while (strobe_ring_peek(ring, 0, &record)) {
			strobe_ring_consume(ring, 0);
			__atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);
		}
		if (!(shim_random() % 4))
			delay();
	}
	return NULL;
}

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* Return: the reader has seen @count records. */
static bool wait_until_seen(u64 count)
{
	u64 end = now_ms() + watchdog_ms;

	while (__atomic_load_n(&seen, __ATOMIC_SEQ_CST) < count) {
		if (now_ms() > end)
			return false;
		usleep(20);
	}
	return true;
}

/* Return: the round in which the reader was not woken; 0: none. */
static u32 rounds(u32 nr)
{
	u64 count = 0;
	u32 round, n;

	for (round = 1; round <= nr; round++) {
		if (shim_random() % 2) {
			swap_rings();
			if (shim_random() % 2)
				usleep(shim_random() % 300);
		}
		for (n = 1 + shim_random() % 3; n; n--) {
			put();
			count++;
			if (shim_random() % 2)
				usleep(shim_random() % 300);
		}
		if (!wait_until_seen(count))
			return round;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = { .bytes = 16384, .overwrite = true };
	u32 nr, failed;
	pthread_t thread;

	nr = harness_rounds(argc, argv, 2000);
	if (optind < argc)
		watchdog_ms = atoi(argv[optind]);
	ring = strobe_ring_create(&params);
	other = strobe_ring_create(&params);
	if (IS_ERR(ring) || IS_ERR(other))
		abort();
	shim_self.handler = delay;
	shim_self.inject = 30;
	pthread_create(&thread, NULL, reader, NULL);
	failed = rounds(nr);
	shim_self.inject = 0;
	if (failed)
		fprintf(stderr, "# round %u: the reader sleeps beside a record\n", failed);
	__atomic_store_n(&finished, true, __ATOMIC_SEQ_CST);
	strobe_ring_wake(ring, STROBE_RING_ALL_CPUS);
	pthread_join(thread, NULL);
	strobe_ring_destroy(ring);
	strobe_ring_destroy(other);
	printf("# %lu records\n", (unsigned long)seen);
	return !!failed;
}
