// SPDX-License-Identifier: GPL-2.0
/*
 * A dump and an iterator beside changes of the ring's shape and content. Recording is
 * off, as it is for a dump; one thread dumps and one iterates while another one resizes,
 * changes the order of the sub-buffers, resets, makes two rings alike and swaps them, on one
 * CPU or on all of them. Both must end and stay within memory, which AddressSanitizer sees,
 * and show no record that was never written; the iterator shows none twice. A change ends
 * only when no dump uses the old store any more.
 *
 * usage: dumps [-n ROUNDS] [-s SEED]
 */
#include <signal.h>
#include <sys/time.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

#define SUBBUF		(PAGE_SIZE - STROBE_SUBBUF_HEADER)
#define MAGIC		0x5742
/* More than two rings hold, shown again some times. */
#define SHOWN_MAX	200000
/* A round takes some milliseconds. */
#define ROUND_SECONDS	120
/* One dump of a ring without records takes microseconds of CPU time. */
#define DUMP_CPU_SECONDS 2
/* Changes in a row, while the iterator skips the records that it has shown. */
#define CHANGES_IN_A_ROW 8
/* A dump gives a resize so long to end, which must not happen. */
#define OVERTAKEN_MS	300

static struct strobe_ring *rings[2];
static pthread_barrier_t begin, end;
static bool finished;
static int failures;
static u64 now, shown, iterated, swaps;

/* A dump takes more than DUMP_CPU_SECONDS, or a round more than ROUND_SECONDS. */
static void stuck(int signal)
{
	static const char text[] = "# dump: takes for ever\n";

	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 2 : 1);
}

u64 sched_clock_noinstr(void)
{
	return __atomic_add_fetch(&now, 10, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static void delay(void)
{
	u32 r = shim_random();

	if (r % 8 == 0)
		usleep(r / 8 % 100);
	else
		sched_yield();
}

static void fill(struct strobe_ring *ring)
{
	struct strobe_ring_record record;
	struct strobe_ring_resv resv;
	u32 n = shim_random() % 2000, *data;

	shim_section_enter();
	while (n--) {
		data = strobe_ring_reserve(ring, 8 + shim_random() % 200, &resv);
		if (!data)
			continue;
		data[0] = MAGIC;
		data[1] = n;
		strobe_ring_commit(&resv);
	}
	shim_section_leave();
	shim_section_quiet();
	for (n = shim_random() % 100; n && strobe_ring_peek(ring, 0, &record); n--)
		strobe_ring_consume(ring, 0);
}

/* One record, with preemption off. Return: false: there is none. */
static bool dump_one(void)
{
	struct strobe_ring_record record;
	bool found;

	shim_section_enter();
	found = strobe_ring_dump_peek(rings[0], 0, &record);
	if (found && *(const u32 *)record.data != MAGIC && !failures++)
		fprintf(stderr, "# dump: shows what is no record\n");
	if (found)
		strobe_ring_dump_consume(rings[0], 0);
	shim_section_leave();
	shim_section_quiet();
	return found;
}

static void dump_all(void)
{
	u32 n = 0;

	while (dump_one()) {
		if (++n > SHOWN_MAX && !failures++) {
			fprintf(stderr, "# dump: does not end\n");
			break;
		}
	}
	shown += n;
}

static void *dumper(void *arg)
{
	(void)arg;
	/* Another CPU than the writer's. */
	shim_cpu = 1;
	shim_self.random = 333;
	shim_self.handler = delay;
	shim_self.inject = 4;
	for (;;) {
		pthread_barrier_wait(&begin);
		if (finished)
			return NULL;
		dump_all();
		pthread_barrier_wait(&end);
	}
}

/* The iterator shows no record twice, and counts each one that it skips as lost. */
static void iterate_all(void)
{
	struct strobe_ring_iter *iter = strobe_ring_iter_open(rings[0], 0);
	struct strobe_ring_record record;
	u64 next = 0;

	if (IS_ERR(iter))
		abort();
	for (; strobe_ring_iter_peek(iter, &record); strobe_ring_iter_advance(iter)) {
		if (*(const u32 *)record.data != MAGIC && !failures++)
			fprintf(stderr, "# iterator: shows what is no record\n");
		if (record.index < next && !failures++)
			fprintf(stderr, "# iterator: shows record %lu after %lu\n",
				(unsigned long)record.index, (unsigned long)next - 1);
		else if (next && record.index != next + record.lost && !failures++)
			fprintf(stderr, "# iterator: shows record %lu after %lu, %lu lost\n",
				(unsigned long)record.index, (unsigned long)next - 1, record.lost);
		next = record.index + 1;
		iterated++;
	}
	strobe_ring_iter_close(iter);
}

static void *iterator(void *arg)
{
	(void)arg;
	shim_cpu = 1;
	shim_self.random = 444;
	shim_self.handler = delay;
	shim_self.inject = 4;
	for (;;) {
		pthread_barrier_wait(&begin);
		if (finished)
			return NULL;
		iterate_all();
		pthread_barrier_wait(&end);
	}
}

/*
 * Exchange the rings of all CPUs, as a trigger does. A dump that has begun goes on in the ring
 * that it began with. No pin is held here, and with equal shapes and recording enabled nothing
 * else can refuse it.
 */
static void swap_all(void)
{
	int err;

	strobe_ring_match(rings[1], rings[0]);
	shim_section_enter();
	err = strobe_ring_swap(rings[0], rings[1]);
	shim_section_leave();
	shim_section_quiet();
	if (err && !failures++)
		fprintf(stderr, "# dump: the rings are not swapped: %d\n", err);
	strobe_ring_swap_wake(rings[0], rings[1]);
	swaps += !err;
}

static void change(void)
{
	size_t bytes = (2 + shim_random() % 12) * SUBBUF;

	switch (shim_random() % 7) {
	case 0 ... 1:
		strobe_ring_resize(rings[0], bytes, 0);
		break;
	case 2:
		strobe_ring_set_order(rings[0], shim_random() % 4);
		break;
	case 3:
		strobe_ring_reset(rings[0], 0);
		break;
	case 4:
		strobe_ring_match(rings[1], rings[0]);
		strobe_ring_swap_cpu(rings[0], rings[1], 0);
		break;
	case 5:
		/* One of the two gets a spare sub-buffer. */
		if (!strobe_ring_map(rings[1], 0))
			strobe_ring_unmap(rings[1], 0);
		break;
	case 6:
		swap_all();
		break;
	}
}

static void round_of(void)
{
	int n = shim_random() % 4 ? 1 + shim_random() % 4 : 30, i;

	for (i = 0; i < 2; i++) {
		strobe_ring_set_on(rings[i], true);
		fill(rings[i]);
		strobe_ring_set_on(rings[i], false);
	}
	alarm(ROUND_SECONDS);
	pthread_barrier_wait(&begin);
	shim_self.inject = 4;
	while (n--)
		change();
	shim_self.inject = 0;
	pthread_barrier_wait(&end);
	if (strobe_ring_check(rings[0], 0) && !failures++)
		fprintf(stderr, "# dump: the ring is not whole\n");
}

/*
 * What a change may have stored when the dumper comes between: a committed word of another
 * shape, of which no sequence of this one is. The dump must end.
 */
static void torn(void)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(rings[0], 0);
	struct strobe_ring_record record;
	struct itimerval limit = { .it_value.tv_sec = DUMP_CPU_SECONDS };
	u64 committed = rc->committed;

	if (strobe_seq_index(&rc->store->shape, STROBE_WORD_SEQ_MASK) < rc->store->shape.nr_slots)
		abort();
	rc->committed = strobe_word_make(STROBE_WORD_SEQ_MASK, 0, 0);
	setitimer(ITIMER_PROF, &limit, NULL);
	if (strobe_ring_dump_peek(rings[0], 0, &record) && !failures++)
		fprintf(stderr, "# dump: shows a record where there is none\n");
	setitimer(ITIMER_PROF, &(struct itimerval) {}, NULL);
	rc->committed = committed;
}

/*
 * A change that moves nothing: the iterator sees a new generation. The iterator holds
 * reader.lock, so this stands for a change that comes when it has dropped the lock.
 */
static void change_again(void)
{
	static int changes;

	shim_self.inject = 0;
	strobe_ring_change_begin(strobe_ring_of(rings[0], 0));
	strobe_ring_change_end(strobe_ring_of(rings[0], 0));
	shim_self.inject = ++changes < CHANGES_IN_A_ROW;
}

/* The iterator shows the records @from to @to - 1. */
static void show(struct strobe_ring_iter *iter, u32 from, u32 to)
{
	struct strobe_ring_record record;

	for (; from < to && !failures; from++) {
		if (!strobe_ring_iter_peek(iter, &record)) {
			fprintf(stderr, "# iterator: ends before record %u\n", from);
			failures++;
		} else if (record.index != from) {
			fprintf(stderr, "# iterator: shows record %lu after %d\n",
				(unsigned long)record.index, (int)from - 1);
			failures++;
		}
		strobe_ring_iter_advance(iter);
	}
}

/*
 * After a change, the iterator skips the records that it has shown. More changes come
 * before it has skipped all of them.
 */
static void skipped(void)
{
	struct strobe_ring_iter *iter;
	struct strobe_ring_resv resv;
	u32 n, *data;

	for (n = 0; n < 150; n++) {
		data = strobe_ring_reserve(rings[0], 100, &resv);
		if (!data)
			abort();
		data[0] = MAGIC;
		strobe_ring_commit(&resv);
	}
	iter = strobe_ring_iter_open(rings[0], 0);
	if (IS_ERR(iter))
		abort();
	show(iter, 0, 100);
	if (strobe_ring_resize(rings[0], 8 * SUBBUF, 0))
		abort();
	shim_self.handler = change_again;
	shim_self.inject = 1;
	show(iter, 100, 150);
	shim_self.inject = 0;
	shim_self.handler = delay;
	strobe_ring_iter_close(iter);
}

static pthread_t beside;
static bool dumping, resized;

/* Called in the middle of a dump, which has loaded the store. */
static void wait_for_resize(void)
{
	u32 n;

	shim_self.inject = 0;
	__atomic_store_n(&dumping, true, __ATOMIC_SEQ_CST);
	for (n = 0; n < OVERTAKEN_MS && !__atomic_load_n(&resized, __ATOMIC_SEQ_CST); n++)
		usleep(1000);
	if (n == OVERTAKEN_MS)
		return;
	/* The store is freed: the dump cannot go on. */
	fprintf(stderr, "# dump: a resize has ended beside it\n");
	_exit(1);
}

static void *dump_beside(void *arg)
{
	(void)arg;
	shim_cpu = 1;
	shim_self.handler = wait_for_resize;
	shim_self.inject = 1;
	dump_one();
	shim_self.inject = 0;
	return NULL;
}

/* Called in the resize, when it has stopped the writers and not exchanged the store yet. */
static void start_dump(void)
{
	if (!READ_ONCE(strobe_ring_of(rings[0], 0)->changing))
		return;
	shim_self.inject = 0;
	if (pthread_create(&beside, NULL, dump_beside, NULL))
		abort();
	while (!__atomic_load_n(&dumping, __ATOMIC_SEQ_CST))
		usleep(20);
}

/*
 * A dump finds the old store of a ring that is being resized. The resize must not end, as it
 * frees that store, until the dump has left. The dump has begun before, with a record that
 * fills a sub-buffer: now it goes to the next one.
 */
static void overtaken(void)
{
	struct strobe_ring_resv resv;
	u32 n, *data;

	strobe_ring_reset(rings[0], 0);
	for (n = 0; n < 4; n++) {
		data = strobe_ring_reserve(rings[0], strobe_ring_max_payload(rings[0]), &resv);
		if (!data)
			abort();
		data[0] = MAGIC;
		strobe_ring_commit(&resv);
	}
	if (!dump_one())
		abort();
	shim_self.handler = start_dump;
	shim_self.inject = 1;
	if (strobe_ring_resize(rings[0], 6 * SUBBUF, 0))
		abort();
	__atomic_store_n(&resized, true, __ATOMIC_SEQ_CST);
	shim_self.inject = 0;
	shim_self.handler = delay;
	pthread_join(beside, NULL);
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = { .bytes = 6 * SUBBUF, .overwrite = true };
	pthread_t threads[2];
	u32 rounds, n;

	rounds = harness_rounds(argc, argv, 1000);
	shim_nr_cpus = 2;
	for (n = 0; n < 2; n++) {
		rings[n] = strobe_ring_create(&params);
		if (IS_ERR(rings[n]))
			abort();
	}
	shim_self.handler = delay;
	signal(SIGALRM, stuck);
	signal(SIGPROF, stuck);
	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&end, NULL, 3);
	pthread_create(&threads[0], NULL, dumper, NULL);
	pthread_create(&threads[1], NULL, iterator, NULL);
	torn();
	skipped();
	overtaken();
	for (n = 0; n < rounds && !failures; n++)
		round_of();
	finished = true;
	pthread_barrier_wait(&begin);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	for (n = 0; n < 2; n++)
		strobe_ring_destroy(rings[n]);
	printf("# %lu records shown, %lu iterated, %lu swaps\n", (unsigned long)shown,
	       (unsigned long)iterated, (unsigned long)swaps);
	if ((shown < rounds || iterated < rounds || swaps < rounds / 4) && !failures++)
		fprintf(stderr, "# dump: hardly any record was shown, or hardly any swap made\n");
	return !!failures;
}
