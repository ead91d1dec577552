// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the ring: threads stand for CPUs, each interrupted up to four deep, by
 * signals (anywhere) and by calls from within barrier() (often, where it matters).
 * Readers consume and iterate (torture_read.c), and one thread changes everything that
 * can be changed (torture_control.c). Each record identifies itself; in the end every
 * event must be accounted for.
 */
#include "torture.h"
#include "ring/write.h"

struct options opt = {
	.cpus = 2, .seconds = 2, .slots = 4, .inject = 40, .signal_us = 150,
	.overwrite = true, .iterate = true, .discard = true,
};

struct strobe_ring *ring;
struct writer writers[SHIM_MAX_CPUS];
bool stop_readers;
int failures;
static bool stop_writers;

/* Strictly increasing, with gaps of all sizes. */
u64 sched_clock_noinstr(void)
{
	u32 r = shim_random();
	u64 step = 1 + r % 64;

	if (!(r >> 6 & 511))
		step = 1ULL << (20 + (r >> 15) % 12);
	if (!(r >> 6 & 16383))
		step = 1ULL << (30 + (r >> 20) % 12);
	return __atomic_add_fetch(&writers[shim_cpu].clock, step, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

/* Another clock with the same time */
u64 other_clock(void)
{
	return sched_clock_noinstr();
}

u32 fill_word(const struct payload *p, u32 i)
{
	return ((u32)p->serial * 2654435761U + p->level * 40503U + p->cpu * 97U) ^
	       (i * 2246822519U);
}

u32 fill_words(u32 len)
{
	return (len - sizeof(struct payload)) / 4;
}

static u32 random_len(void)
{
	u32 r = shim_random(), len = sizeof(struct payload);

	if (!(r & 1023))
		return strobe_ring_max_payload(ring) + r % 7;
	if (!(r & 127))
		return len + (r >> 10) % 1200;
	return len + (r >> 10) % 90;
}

/*
 * Set @pending to the refusals on this CPU since the last reset that the ring has counted,
 * but @me has not yet. An interrupt leaves it as it was. It is 0 at a reset, which waits for
 * the writers inside, so that both have counted.
 * Return: the epoch; if it is odd, @pending is not valid.
 */
static u64 refusals(const struct writer *me, u64 *pending)
{
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, shim_cpu);
	u64 epoch, counted;

	do {
		/* If it reads the epoch of a reset, it sees its counts. Pairs with reset(). */
		epoch = smp_load_acquire(&me->epoch);
		counted = local_read(&me->counted);
		*pending = local_read(&rc->dropped) + local_read(&rc->commit_overrun) -
			   (counted - READ_ONCE(me->counted_then));
		smp_rmb();	/* A reset changes the epoch before it clears the counts. */
	} while (counted != local_read(&me->counted) || epoch != READ_ONCE(me->epoch));
	return epoch;
}

/* Refusals on this CPU because the writers were held off, without those counted in @me */
static u64 held_off(const struct writer *me)
{
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, shim_cpu);
	u64 mine, all;

	/* An interrupt in between changes both. */
	do {
		mine = local_read(&me->held_off);
		all = atomic64_read(&rc->refused);
	} while (mine != local_read(&me->held_off));
	return all - mine;
}

/*
 * An attempt has failed, before which refusals() returned @epoch and @before. Has the ring
 * counted it, or was recording off? If a reset is in progress, recording was off: otherwise
 * this writer would be inside, and the reset would wait for it.
 */
static bool was_counted(const struct writer *me, u64 epoch, u64 before)
{
	u64 now, pending;

	now = refusals(me, &pending);
	if (now & 1)
		return false;
	pending -= now == epoch ? before : 0;
	if (pending > 1)
		FAIL("cpu %d: refused once, counted %lu", shim_cpu, pending);
	return pending;
}

static void fire(void)
{
	struct writer *me = &writers[shim_cpu];
	int level = shim_self.depth;
	u32 len = random_len(), i;
	struct strobe_ring_resv resv;
	struct payload *p;
	u64 before, pending, epoch, held, off;

	shim_section_enter();
	me->fired[level]++;
	epoch = refusals(me, &pending);
	held = held_off(me);
	/* Recording is on if this is even. Pairs with off_period(). */
	off = smp_load_acquire(&off_periods);
	before = __atomic_load_n(&me->clock, __ATOMIC_RELAXED);
	p = strobe_ring_reserve(ring, len, &resv);
	if (!p) {
		if (held_off(me) != held) {
			local_inc(&me->held_off);
			me->refused[level]++;
		} else if (was_counted(me, epoch, pending)) {
			local_inc(&me->counted);
			me->refused[level]++;
		} else {
			me->off[level]++;
			/* Pairs with off_period(). */
			if (!(off & 1) && off == smp_load_acquire(&off_periods))
				FAIL("cpu %d: refused and not counted, with recording on",
				     shim_cpu);
		}
		goto out;
	}
	p->before = before;
	p->after = __atomic_load_n(&me->clock, __ATOMIC_RELAXED);
	p->serial = me->serial[level];
	p->len = len;
	p->cpu = shim_cpu;
	p->level = level;
	for (i = 0; i < fill_words(len); i++)
		p->fill[i] = fill_word(p, i);
	barrier();
	if (shim_random() % 8 || !opt.discard) {
		me->serial[level]++;
		strobe_ring_commit(&resv);
	} else {
		memset(p, 0xee, len);
		me->discarded[level]++;
		strobe_ring_discard(&resv);
	}
out:
	shim_section_leave();
}

static void interrupt(void)
{
	u32 r = shim_random(), n = 1 + r % 3;

	if (!(r >> 8 & 255))
		n = 300;	/* more than a small ring holds */
	if (shim_self.depth > 1 && n > 3)
		n = 100;
	while (n--)
		fire();
}

/* While no writer is inside, everything is committed. */
static void check_quiet(void)
{
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, shim_cpu);
	u64 word, committed;

	if (opt.control)
		return;		/* a resize changes both */
	word = READ_ONCE(rc->word);
	committed = READ_ONCE(rc->committed);
	if (READ_ONCE(rc->word) == word && committed != word)
		FAIL("cpu %d: left %#lx, committed %#lx", shim_cpu, word, committed);
	if (READ_ONCE(rc->depth) != -1)
		FAIL("cpu %d: depth %d", shim_cpu, rc->depth);
}

/* Events of a CPU so far that fired while recording was on */
static u64 events(const struct writer *me)
{
	u64 sum = 0;
	int level;

	for (level = 0; level < LEVELS; level++)
		sum += me->fired[level] - me->off[level];
	return sum;
}

static bool goes_on(const struct writer *me)
{
	if (READ_ONCE(stop_writers) || READ_ONCE(failures))
		return false;
	return !opt.events || events(me) < opt.events / opt.cpus;
}

static void *writer(void *arg)
{
	struct writer *me = arg;

	shim_cpu = me - writers;
	shim_self.random = 1234567 + shim_cpu * 1000003;
	shim_self.handler = interrupt;
	shim_self.inject = opt.inject;
	if (opt.signal_us)
		harness_start_timers(me->timers, opt.signal_us);
	while (goes_on(me)) {
		fire();
		check_quiet();
		shim_section_quiet();
	}
	if (opt.signal_us)
		harness_stop_timers(me->timers);
	shim_self.inject = 0;
	return NULL;
}

/*
 * Account for each event of a CPU, including those before a reset. All writers have
 * stopped.
 */
static void account(int cpu, struct strobe_ring_stats *stats)
{
	const struct strobe_ring_stats *before = &before_reset[cpu];
	u64 fired = 0, refused = 0, off = 0, discarded = 0, written = 0, missing, dropped;
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, cpu);
	struct sight *sight = &consumed[cpu];
	int level;

	/* First with the records that have not been read yet. */
	strobe_ring_stats(ring, cpu, stats);
	EXPECT_EQ(cpu, stats->reserved, stats->read + stats->entries +
		  stats->overrun + stats->discarded);
	for (level = 0; level < LEVELS; level++) {
		fired += writers[cpu].fired[level];
		refused += writers[cpu].refused[level];
		off += writers[cpu].off[level];
		discarded += writers[cpu].discarded[level];
		written += writers[cpu].serial[level];
	}
	EXPECT_EQ(cpu, stats->read + before->read, sight->read);
	EXPECT_EQ(cpu, fired, written + discarded + refused + off);
	if (!opt.control)
		EXPECT_EQ(cpu, off, 0);

	while (!consume(cpu, 1000))
		;
	strobe_ring_stats(ring, cpu, stats);
	EXPECT_EQ(cpu, stats->entries, 0);
	EXPECT_EQ(cpu, stats->bytes, 0);
	dropped = local_read(&rc->dropped) + atomic64_read(&rc->refused);
	if (!resets[cpu])
		EXPECT_EQ(cpu, stats->dropped, dropped);
	/* rc->refused is not cleared by a reset, and before_reset[] is without it: add all. */
	stats->dropped = dropped;
	harness_add_stats(stats, before);
	EXPECT_EQ(cpu, stats->reserved, written + discarded);
	EXPECT_EQ(cpu, stats->discarded, discarded);
	EXPECT_EQ(cpu, stats->dropped + stats->commit_overrun, refused);
	EXPECT_EQ(cpu, stats->read, sight->read);
	/* Now stats->entries are the records that were unread at a reset. */
	EXPECT_EQ(cpu, written, stats->read + stats->overrun + stats->entries);
	EXPECT_EQ(cpu, strobe_ring_newest(rc), written);
	missing = sight->missing;
	for (level = 0; level < LEVELS; level++)
		missing += (s64)writers[cpu].serial[level] - 1 - sight->serial[level];
	EXPECT_EQ(cpu, missing, stats->overrun + stats->entries);
	/* A loss after the last record is reported with the next one only. */
	if (sight->lost > stats->overrun)
		FAIL("cpu %d: %lu lost, %lu overwritten", cpu, sight->lost, stats->overrun);
	if (!resets[cpu] && rc->reader.next == written)
		EXPECT_EQ(cpu, sight->lost + rc->reader.lost, stats->overrun);
}

static void usage(void)
{
	fprintf(stderr, "torture [-c CPUs] [-t seconds | -n events] [-s slots] [-q]\n"
		"	[-i one barrier in so many interrupts] [-u microseconds between signals]\n"
		"	[-d: discard mode] [-w: no iterator] [-k: give up no record]\n"
		"	[-x: resize, reset and more] [-p: a persistent ring]\n"
		"	[-b release | acquire | claim | start: lack that order, under TSan]\n");
	exit(2);
}

/* Select the order that is left out, which ThreadSanitizer must notice. */
static void lack(const char *order)
{
#ifdef __SANITIZE_THREAD__
	static const char * const orders[] = {
		[SHIM_LACKS_NOTHING]	= "",
		[SHIM_LACKS_RELEASE]	= "release",
		[SHIM_LACKS_ACQUIRE]	= "acquire",
		[SHIM_LACKS_CLAIM]	= "claim",
		[SHIM_LACKS_START]	= "start",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!strcmp(order, orders[i])) {
			shim_lack = i;
			return;
		}
	}
#endif
	usage();
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "b:c:t:n:s:i:u:dkpwxq")) != -1) {
		switch (c) {
		case 'b':
			lack(optarg);
			break;
		case 'c':
			opt.cpus = atoi(optarg);
			break;
		case 't':
			opt.seconds = atoi(optarg);
			break;
		case 'n':
			opt.events = strtoull(optarg, NULL, 0);
			break;
		case 's':
			opt.slots = atoi(optarg);
			break;
		case 'i':
			opt.inject = atoi(optarg);
			break;
		case 'u':
			opt.signal_us = atoi(optarg);
			break;
		case 'd':
			opt.overwrite = false;
			break;
		case 'k':
			opt.discard = false;
			break;
		case 'w':
			opt.iterate = false;
			break;
		case 'p':
			opt.persist = true;
			break;
		case 'x':
			opt.control = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		default:
			usage();
		}
	}
	if (opt.cpus < 1 || opt.cpus > SHIM_MAX_CPUS)
		usage();
}

/* Run all threads until they end. */
static void run(void)
{
	pthread_t readers[4];
	int cpu, n = 0;

	pthread_create(&readers[n++], NULL, consumer, NULL);
	if (opt.iterate)
		pthread_create(&readers[n++], NULL, iterator, NULL);
	if (opt.control) {
		pthread_create(&readers[n++], NULL, controller, NULL);
		pthread_create(&readers[n++], NULL, sleeper, NULL);
	}
	for (cpu = 0; cpu < opt.cpus; cpu++)
		pthread_create(&writers[cpu].thread, NULL, writer, &writers[cpu]);

	if (!opt.events) {
		sleep(opt.seconds);
		WRITE_ONCE(stop_writers, true);
	}
	for (cpu = 0; cpu < opt.cpus; cpu++)
		pthread_join(writers[cpu].thread, NULL);
	WRITE_ONCE(stop_readers, true);
	strobe_ring_wake(ring, STROBE_RING_ALL_CPUS);
	while (n)
		pthread_join(readers[--n], NULL);
}

/* Print the sum of the statistics, and what the readers did. */
static void report(const struct strobe_ring_stats *stats, double seconds)
{
	u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < opt.cpus; cpu++)
		sum += events(&writers[cpu]);
	printf("# %lu events in %.1f s: reserved %lu = read %lu + overrun %lu + discarded %lu + reset %lu\n",
	       sum, seconds, stats->reserved, stats->read, stats->overrun,
	       stats->discarded, stats->entries);
	printf("# dropped %lu, commit overrun %lu; by pages %lu, mapped %lu; iterated %lu; %d failures\n",
	       stats->dropped, stats->commit_overrun, paged, mapped, iterated, failures);
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = {};
	struct strobe_ring_stats sum = {}, stats;
	struct timespec from, to;
	int cpu;

	parse(argc, argv);
#ifdef __SANITIZE_THREAD__
	/*
	 * No reader reads memory that may be overwritten meanwhile, not even that of
	 * discarded records.
	 */
	shim_strict = !opt.overwrite && !opt.iterate && !opt.discard && !opt.control;
#endif
	shim_nr_cpus = opt.cpus;
	params.bytes = opt.slots * (PAGE_SIZE - STROBE_SUBBUF_HEADER);
	params.overwrite = opt.overwrite;
	if (opt.persist) {
		/* One more page for the tables. */
		params.region.bytes = (opt.slots * opt.cpus + 1) * PAGE_SIZE;
		if (posix_memalign(&params.region.start, PAGE_SIZE, params.region.bytes))
			abort();
		memset(params.region.start, 0, params.region.bytes);
	}
	ring = strobe_ring_create(&params);
	if (IS_ERR(ring))
		abort();
	harness_catch_signals();
	for (cpu = 0; cpu < opt.cpus; cpu++) {
		sight_init(&consumed[cpu]);
		/* The first record has index 0, so losses before it are known. */
		consumed[cpu].known = true;
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	run();
	clock_gettime(CLOCK_MONOTONIC, &to);

	if (strobe_ring_check(ring, STROBE_RING_ALL_CPUS))
		FAIL("final check");
	for (cpu = 0; cpu < opt.cpus; cpu++) {
		account(cpu, &stats);
		harness_add_stats(&sum, &stats);
	}
	if (strobe_ring_check(ring, STROBE_RING_ALL_CPUS))
		FAIL("check of the empty ring");
	strobe_ring_destroy(ring);
	free(params.region.start);
	if (!opt.quiet)
		report(&sum, to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9);
	return !!failures;
}
