// SPDX-License-Identifier: GPL-2.0
/*
 * Swaps of two rings, concurrent with everything else. Two CPUs record into rings[0]; their
 * interrupts record, too, and swap the rings as a trigger does. A third CPU swaps and
 * dumps. A fourth one resizes both rings, changes their order, swaps the rings of one CPU,
 * prevents swaps for a while, maps a ring, gives the rings different shapes and makes them
 * alike again, and reads. At the end of each round, each record must be in exactly one of the
 * rings, and complete, or be counted as read, overwritten or dropped. No ring is changed from
 * the reservation of a record to its commit. A swap is refused if the shapes differ, and may
 * otherwise only be refused because another task swaps or changes a ring.
 *
 * usage: swaps [-n ROUNDS] [-s SEED]
 */
#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

/* The variant whose swaps ignore pins */
#ifndef STROBE_BUSTED_PIN
#define STROBE_BUSTED_PIN	0
#endif

#define SUBBUF		(PAGE_SIZE - STROBE_SUBBUF_HEADER)
#define WRITERS		2
#define THREADS		4
#define RECORDS_MAX	20000	/* of a CPU in a round, including interrupts */
/* A dump reads what the writers write, which ThreadSanitizer would report. */
#ifdef __SANITIZE_THREAD__
#define DUMPS		0
#else
#define DUMPS		1
#endif

struct payload {
	u32	serial;
	u32	cpu;
	u32	fill[];
};

static struct strobe_ring *rings[2];
static pthread_barrier_t begin, end;
static bool finished, written_all, reading;
static int failures, writing;
static u64 now, swaps, rounds_read, mapped, dumped, matched;
/* Odd while the rings have different shapes. Swaps are prevented while it changes. */
static u64 shapes;
static u32 serials[WRITERS], refused[WRITERS];
static bool seen[WRITERS][RECORDS_MAX];

#define FAIL(...) do {								\
	if (!__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED)) {		\
		fprintf(stderr, "# swaps: " __VA_ARGS__);			\
		fputc('\n', stderr);						\
		harness_failed();						\
	}									\
} while (0)

u64 sched_clock_noinstr(void)
{
	return __atomic_add_fetch(&now, 10, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static void swap_rings(void)
{
	u64 before;
	int err;

	shim_section_enter();
	/* Pairs with set_different(). */
	before = smp_load_acquire(&shapes);
	err = strobe_ring_swap(rings[0], rings[1]);
	if (!err) {
		__atomic_fetch_add(&swaps, 1, __ATOMIC_RELAXED);
		strobe_ring_swap_wake(rings[0], rings[1]);
	}
	if (err != -EBUSY && before == READ_ONCE(shapes) && err != (before % 2 ? -EINVAL : 0))
		FAIL("a swap of rings of %s shape: %d", before % 2 ? "different" : "the same", err);
	shim_section_leave();
}

static u32 fill_word(const struct payload *p, u32 i)
{
	return (p->serial * 2654435761U + p->cpu * 97U) ^ (i * 2246822519U);
}

static void put(void)
{
	u32 serial = serials[shim_cpu]++, words = shim_random() % 40, i;
	struct strobe_ring_resv resv;
	unsigned int generation;
	struct payload *p;

	if (serial >= RECORDS_MAX)
		abort();
	shim_section_enter();
	p = strobe_ring_reserve(rings[0], sizeof(*p) + words * 4, &resv);
	if (p) {
		generation = READ_ONCE(resv.rc->generation);
		p->serial = serial;
		p->cpu = shim_cpu;
		for (i = 0; i < words; i++)
			p->fill[i] = fill_word(p, i);
		/* Let the others run while this record is not complete. */
		if (!(shim_random() % 32))
			sched_yield();
		barrier();
		if (READ_ONCE(resv.rc->generation) != generation)
			FAIL("cpu %d: the ring was changed beside a writer", shim_cpu);
		strobe_ring_commit(&resv);
	} else {
		refused[shim_cpu]++;
	}
	shim_section_leave();
}

static void interrupt(void)
{
	if (shim_random() % 4)
		put();
	else
		swap_rings();
}

static void delay(void)
{
	if (shim_random() % 16)
		sched_yield();
	else
		usleep(shim_random() % 50);
}

static void write_round(void)
{
	u32 n = 1000 + shim_random() % 1000;

	while (n--) {
		put();
		shim_section_quiet();
	}
	if (!__atomic_sub_fetch(&writing, 1, __ATOMIC_SEQ_CST))
		WRITE_ONCE(written_all, true);
}

/* Check that a record is complete, and was not found before in either ring. */
static void check_record(const struct strobe_ring_record *record)
{
	const struct payload *p = record->data;
	u32 i, words = (record->len - sizeof(*p)) / 4;

	if (p->cpu >= WRITERS || p->cpu != record->cpu || p->serial >= serials[p->cpu]) {
		FAIL("cpu %d holds record %u of cpu %u", record->cpu, p->serial, p->cpu);
		return;
	}
	for (i = 0; i < words; i++) {
		if (p->fill[i] != fill_word(p, i)) {
			FAIL("cpu %u: record %u is not whole", p->cpu, p->serial);
			return;
		}
	}
	if (seen[p->cpu][p->serial])
		FAIL("cpu %u: record %u is there twice", p->cpu, p->serial);
	seen[p->cpu][p->serial] = true;
}

/* A swap may come between peek and consume: then the same record may be shown again. */
static void read_some(void)
{
	struct strobe_ring_record record;
	int which = shim_random() % 2, cpu = shim_random() % WRITERS;
	u32 n = shim_random() % 50;

	while (n-- && strobe_ring_peek(rings[which], cpu, &record))
		strobe_ring_consume(rings[which], cpu);
}

/* A mapping reads; the ring that is mapped is not swapped. */
static void map_some(void)
{
	int which = shim_random() % 2, cpu = shim_random() % WRITERS;
	struct strobe_ring *ring = rings[which];
	const struct trace_buffer_meta *meta;
	struct strobe_ring_cpu *percpu;
	u32 n = shim_random() % 8;

	if (strobe_ring_map(ring, cpu))
		abort();
	percpu = READ_ONCE(ring->percpu);
	meta = strobe_ring_map_page(ring, cpu, 0);
	while (n--) {
		if (strobe_ring_map_get_reader(ring, cpu))
			FAIL("cpu %d: ring %d is not mapped", cpu, which);
		if (meta->reader.read > meta->subbuf_size)
			FAIL("cpu %d: %u bytes in a mapped sub-buffer", cpu, meta->reader.read);
		mapped += meta->reader.read > 0;
		delay();
	}
	if (READ_ONCE(ring->percpu) != percpu)
		FAIL("ring %d was swapped while it was mapped", which);
	strobe_ring_unmap(ring, cpu);
}

/*
 * A dump stays in memory, and ends, although the writers have not stopped yet. What it shows
 * is not checked: they may overwrite it meanwhile.
 */
static void dump_some(void)
{
	int which = shim_random() % 2, cpu = shim_random() % WRITERS;
	struct strobe_ring_record record;
	u32 n = shim_random() % 100, i;
	static u32 sum;

	while (n--) {
		shim_section_enter();
		if (strobe_ring_dump_peek(rings[which], cpu, &record)) {
			for (i = 0; i < record.len / 4; i++)
				sum += READ_ONCE(((const u32 *)record.data)[i]);
			strobe_ring_dump_consume(rings[which], cpu);
			dumped++;
		}
		shim_section_leave();
		shim_section_quiet();
	}
}

/* Give the rings different shapes, or the same one, which @change does for rings[1]. */
static void set_different(bool different, void (*change)(int cpu), int cpu)
{
	strobe_ring_hold(rings[0]);
	change(cpu);
	/* A swap that reads this finds the new shape. Pairs with swap_rings(). */
	smp_store_release(&shapes, shapes + 1);
	if (shapes % 2 != different)
		abort();
	strobe_ring_release(rings[0]);
}

static void enlarge(int cpu)
{
	size_t bytes = strobe_ring_bytes(rings[0], cpu);

	if (strobe_ring_resize(rings[1], bytes + (1 + shim_random() % 9) * SUBBUF, cpu))
		FAIL("cpu %d: not resized", cpu);
}

/*
 * Give rings[1] the shape of rings[0], which is being written. Swaps are prevented, so that
 * rings[1] has no writers, and its counters are exact.
 */
static void match_shape(int unused)
{
	struct strobe_ring_stats before[THREADS], after;
	int cpu;

	(void)unused;
	for (cpu = 0; cpu < THREADS; cpu++)
		strobe_ring_stats(rings[1], cpu, &before[cpu]);
	if (strobe_ring_match(rings[1], rings[0]))
		FAIL("match: refused");
	for (cpu = 0; cpu < THREADS; cpu++) {
		strobe_ring_stats(rings[1], cpu, &after);
		if (strobe_ring_bytes(rings[1], cpu) != strobe_ring_bytes(rings[0], cpu))
			FAIL("match: cpu %d: %zu bytes, not %zu", cpu,
			     strobe_ring_bytes(rings[1], cpu), strobe_ring_bytes(rings[0], cpu));
		if (after.entries || after.overrun != before[cpu].overrun + before[cpu].entries)
			FAIL("match: cpu %d: of %lu records, %lu stay, and %lu are overwritten",
			     cpu, before[cpu].entries, after.entries,
			     after.overrun - before[cpu].overrun);
		if (after.reserved != before[cpu].reserved || after.read != before[cpu].read ||
		    after.dropped != before[cpu].dropped)
			FAIL("match: cpu %d: other counters have changed", cpu);
		matched += before[cpu].entries;
	}
}

/* Give @cpu another shape in rings[1] for a while. */
static void match_some(int cpu)
{
	int other = (cpu + 1) % THREADS, err;

	set_different(true, enlarge, cpu);
	delay();
	err = strobe_ring_swap_cpu(rings[0], rings[1], cpu);
	if (err != -EINVAL)
		FAIL("cpu %d: different shapes are swapped: %d", cpu, err);
	err = strobe_ring_swap_cpu(rings[0], rings[1], other);
	if (err)
		FAIL("cpu %d: the same shapes are not swapped: %d", other, err);
	set_different(false, match_shape, cpu);
}

/* Before the random part: the ring that is matched has records. */
static void match_first(void)
{
	u32 n;

	for (n = 0; n < 100; n++)
		put();
	swap_rings();
	match_some(0);
	if (matched != 100)
		FAIL("match: %lu records, not 100", matched);
	matched = 0;
}

static void change(void)
{
	int cpu = (int)(shim_random() % (WRITERS + 1)) - 1;

	/* In this variant swaps ignore pins, and these would wait forever. */
	if (STROBE_BUSTED_PIN)
		return delay();
	switch (shim_random() % 10) {
	case 0:
		strobe_ring_resize_two(rings[0], rings[1], (2 + shim_random() % 12) * SUBBUF, cpu);
		break;
	case 1:
		strobe_ring_set_order_two(rings[0], rings[1], shim_random() % 3);
		break;
	case 2 ... 3:
		strobe_ring_swap_cpu(rings[0], rings[1], shim_random() % WRITERS);
		break;
	case 4:
		strobe_ring_hold(rings[0]);
		delay();
		strobe_ring_release(rings[0]);
		break;
	case 5 ... 7:
		if (reading)
			read_some();
		break;
	case 8:
		if (reading)
			map_some();
		break;
	case 9:
		match_some(shim_random() % THREADS);
		break;
	}
}

static void *run(void *arg)
{
	shim_cpu = (long)arg;
	shim_self.random = 333 + 1000003 * shim_cpu;
	for (;;) {
		pthread_barrier_wait(&begin);
		if (finished)
			return NULL;
		shim_self.handler = shim_cpu < WRITERS ? interrupt : delay;
		shim_self.inject = shim_cpu < WRITERS ? 40 : 20;
		if (shim_cpu < WRITERS) {
			write_round();
		} else {
			while (!READ_ONCE(written_all)) {
				if (shim_cpu != WRITERS)
					change();
				else if (DUMPS && shim_random() % 2)
					dump_some();
				else
					swap_rings();
				shim_section_quiet();
			}
		}
		shim_self.inject = 0;
		pthread_barrier_wait(&end);
	}
}

/* Account for each record of a CPU after all threads have stopped. */
static void account(int cpu)
{
	struct strobe_ring_stats sum = {}, stats;
	struct strobe_ring_record record;
	u64 written = serials[cpu] - refused[cpu], found = 0;
	int i;

	for (i = 0; i < 2; i++) {
		strobe_ring_stats(rings[i], cpu, &stats);
		sum.reserved += stats.reserved;
		sum.read += stats.read;
		sum.overrun += stats.overrun;
		sum.entries += stats.entries;
		sum.dropped += stats.dropped + stats.commit_overrun;
	}
	if (sum.reserved != written || sum.read + sum.overrun + sum.entries != written)
		FAIL("cpu %d: %lu written; %lu reserved, %lu read, %lu overwritten, %lu held", cpu,
		     written, sum.reserved, sum.read, sum.overrun, sum.entries);
	if (sum.dropped != refused[cpu])
		FAIL("cpu %d: %u refused, %lu counted", cpu, refused[cpu], sum.dropped);
	rounds_read += sum.read > 0;
	for (i = 0; i < 2; i++) {
		while (strobe_ring_peek(rings[i], cpu, &record)) {
			check_record(&record);
			strobe_ring_consume(rings[i], cpu);
			found++;
		}
	}
	if (found != sum.entries)
		FAIL("cpu %d: %lu records held, %lu shown", cpu, sum.entries, found);
}

static void round_of(void)
{
	int cpu, i;

	for (i = 0; i < 2; i++)
		strobe_ring_reset(rings[i], STROBE_RING_ALL_CPUS);
	memset(serials, 0, sizeof(serials));
	memset(refused, 0, sizeof(refused));
	memset(seen, 0, sizeof(seen));
	reading = shim_random() % 2;
	writing = WRITERS;
	written_all = false;
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	if (rings[0]->percpu == rings[1]->percpu) {
		FAIL("both rings are one");
		return;
	}
	for (i = 0; i < 2; i++) {
		if (strobe_ring_check(rings[i], STROBE_RING_ALL_CPUS))
			FAIL("ring %d is not whole", i);
	}
	for (cpu = 0; cpu < WRITERS; cpu++)
		account(cpu);
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = { .bytes = 6 * SUBBUF, .overwrite = true };
	pthread_t threads[THREADS];
	u32 rounds, n;
	long i;

	rounds = harness_rounds(argc, argv, 500);
	shim_nr_cpus = THREADS;
	for (i = 0; i < 2; i++) {
		rings[i] = strobe_ring_create(&params);
		if (IS_ERR(rings[i]))
			abort();
	}
	match_first();
	/* One more for this thread, which waits for the start and the end of each round. */
	if (pthread_barrier_init(&begin, NULL, THREADS + 1) ||
	    pthread_barrier_init(&end, NULL, THREADS + 1))
		abort();
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			abort();
	}
	for (n = 0; n < rounds && !failures; n++)
		round_of();
	finished = true;
	pthread_barrier_wait(&begin);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* After a failure, both may be the same ring, which cannot be freed twice. */
	if (!failures) {
		for (i = 0; i < 2; i++)
			strobe_ring_destroy(rings[i]);
		if (!swaps || !rounds_read || rounds_read == n * WRITERS)
			FAIL("%lu swaps, read on %lu CPUs of %u rounds", swaps, rounds_read, n);
		if (!mapped || !matched || (DUMPS && !dumped))
			FAIL("mapped %lu times, %lu records matched, %lu dumped", mapped, matched,
			     dumped);
	}
	printf("# %u rounds, %lu swaps; %lu times mapped; %lu records matched, %lu dumped\n", n,
	       swaps, mapped, matched, dumped);
	return !!failures;
}
