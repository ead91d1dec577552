// SPDX-License-Identifier: GPL-2.0
/*
 * Wake-ups beside discarded records, counted exactly. A task waits in poll() for a record, or for
 * two sub-buffers of them. Then a writer discards records: if there is nothing to read in the end,
 * it must not wake the task. If an interrupt of that writer has committed a record, or the writer
 * commits one itself, the task must be woken once.
 *
 * With -b, a writer that discards a record wakes the task, as it once did. This must be noticed.
 */
#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

#define SUBBUF	(PAGE_SIZE - STROBE_SUBBUF_HEADER)
#define SLOTS	5
#define LEN	100
/* As many records of LEN bytes as are made here do not fill a sub-buffer. */
#define NR	20

static struct strobe_ring *ring;
static struct strobe_ring_cpu *rc;
static u64 now;
static int woken, failures, checks;
static bool busted;

u64 sched_clock_noinstr(void)
{
	return now += 10;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

/* A wake-up is of the two queues on which tasks wait for this CPU. */
static void count_queue(void)
{
	__atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
}

static void begin(u32 len, struct strobe_ring_resv *resv)
{
	if (!strobe_ring_reserve(ring, len, resv))
		abort();
}

static void commit(struct strobe_ring_resv *resv)
{
	strobe_ring_commit(resv);
}

static void discard(struct strobe_ring_resv *resv)
{
	strobe_ring_discard(resv);
	if (busted && READ_ONCE(rc->waiters))
		strobe_ring_notify(rc);
}

static void discard_one(void)
{
	struct strobe_ring_resv resv;

	begin(LEN, &resv);
	discard(&resv);
}

static void discard_many(void)
{
	u32 n;

	for (n = 0; n < 1000; n++)
		discard_one();
}

static void commit_one(void)
{
	struct strobe_ring_resv resv;

	begin(LEN, &resv);
	commit(&resv);
}

/* Writers that are interrupted by another one */
static void nest(void (*outer)(struct strobe_ring_resv *), void (*inner)(struct strobe_ring_resv *))
{
	struct strobe_ring_resv resv, nested;

	begin(LEN, &resv);
	begin(LEN, &nested);
	inner(&nested);
	outer(&resv);
}

static void discard_both(void)
{
	nest(discard, discard);
}

static void commit_inside(void)
{
	nest(discard, commit);
}

static void discard_inside(void)
{
	nest(commit, discard);
}

/* Records that do not fit into the sub-buffer being written */
static void discard_across(void)
{
	struct strobe_ring_resv resv;

	begin(strobe_ring_max_payload(ring), &resv);
	discard(&resv);
}

static void commit_across(void)
{
	struct strobe_ring_resv resv;

	begin(strobe_ring_max_payload(ring), &resv);
	commit(&resv);
}

static u32 consume_all(void)
{
	struct strobe_ring_record record;
	u32 nr = 0;

	for (; strobe_ring_peek(ring, 0, &record); nr++)
		strobe_ring_consume(ring, 0);
	return nr;
}

/*
 * A task waits for @percent of the ring, with nothing to read; then @write is called. Between
 * @least and @most wake-ups must follow, and @records records to be read.
 */
static void check(const char *name, void (*write)(void), int percent, int least, int most,
		  u32 records)
{
	struct shim_wait wait = {};
	u32 found;

	shim_prepare_to_wait(&ring->seats[0].waitq, &wait);
	if (strobe_ring_poll(ring, 0, NULL, NULL, percent)) {
		printf("# discards: %s: there are records before\n", name);
		failures++;
	}
	/* No other wake-up may be pending. */
	irq_work_sync(&rc->wake_work);
	rcu_barrier();
	woken = 0;
	write();
	irq_work_sync(&rc->wake_work);
	if (woken != 2 * least && woken != 2 * most) {
		printf("# discards: %s: %d wake-ups, not %d\n", name, woken / 2, most);
		failures++;
	}
	finish_wait(&ring->seats[0].waitq, &wait);
	found = consume_all();
	if (found != records) {
		printf("# discards: %s: %u records, not %u\n", name, found, records);
		failures++;
	}
	checks++;
}

/* The sub-buffer that is being written is not empty, and has space for some more records. */
static void check_wakes(void)
{
	strobe_ring_reset(ring, 0);
	commit_one();
	consume_all();
	check("a discard", discard_one, 0, 0, 0, 0);
	check("many discards", discard_many, 0, 0, 0, 0);
	check("a discard in another one", discard_both, 0, 0, 0, 0);
	check("a commit", commit_one, 0, 1, 1, 1);
	check("a discard after it", discard_one, 0, 0, 0, 0);
	check("a commit in a discard", commit_inside, 0, 1, 1, 1);
	check("a discard after that", discard_one, 0, 0, 0, 0);
	check("a discard in a commit", discard_inside, 0, 1, 1, 1);
	check("many discards at the end", discard_many, 0, 0, 0, 0);
}

/* A discarded record that has entered a sub-buffer may wake the task, which finds nothing. */
static void check_across(void)
{
	check("a discard in the next sub-buffer", discard_across, 0, 0, 1, 0);
	check("a discard at its beginning", discard_one, 0, 0, 0, 0);
	check("a commit in the next sub-buffer", commit_across, 0, 1, 1, 1);
	check("a discard after the next one", discard_across, 0, 0, 1, 0);
	check("another one of that size", discard_across, 0, 0, 0, 0);
}

static void commit_some(void)
{
	u32 n;

	for (n = 0; n < NR; n++)
		commit_one();
}

static void commit_across_two(void)
{
	commit_one();
	commit_across();
}

/* A task that waits for two of the sub-buffers is woken when the second one is entered. */
static void check_part(void)
{
	strobe_ring_reset(ring, 0);
	commit_one();
	consume_all();
	check("discards, for a part of the ring", discard_many, 40, 0, 0, 0);
	check("commits, for a part of the ring", commit_some, 40, 0, 0, NR);
	check("the next sub-buffer, for a part of the ring", commit_across_two, 40, 1, 1, 2);
}

static void check_ring(const struct strobe_ring_params *params)
{
	ring = strobe_ring_create(params);
	if (IS_ERR(ring))
		abort();
	rc = strobe_ring_of(ring, 0);
	check_wakes();
	check_across();
	check_part();
	strobe_ring_destroy(ring);
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = { .bytes = SLOTS * SUBBUF, .overwrite = true };

	busted = argc > 1 && !strcmp(argv[1], "-b");
	shim_silent = true;
	__atomic_store_n(&shim_waking, count_queue, __ATOMIC_SEQ_CST);
	check_ring(&params);
	/* Each writer of a persistent ring leaves it by the slow path. */
	params.region.bytes = (SLOTS + 1) * PAGE_SIZE;
	if (posix_memalign(&params.region.start, PAGE_SIZE, params.region.bytes))
		abort();
	memset(params.region.start, 0, params.region.bytes);
	check_ring(&params);
	free(params.region.start);
	printf("# %d checks\n", checks);
	return failures || checks != 2 * 17;
}
