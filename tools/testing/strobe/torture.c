// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the ring: threads are CPUs, each interrupted up to four deep, by
 * signals (anywhere) and by calls from within barrier() (often, where it
 * matters). Readers consume and iterate, and one thread resizes, switches modes
 * and checks. Each record says who it is; in the end each one must be
 * accounted for, to the event.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "harness.h"
#include "ring/write.h"
#include "ring/internal.h"
#include "ring/walk.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define LEVELS	(SHIM_MAX_DEPTH + 1)

/* A record's payload. The fill depends on all the rest. */
struct payload {
	u64	before;		/* the clock before the reservation */
	u64	after;		/* and after it */
	u32	serial;
	u16	len;
	u8	cpu;
	u8	level;
	u32	fill[];
} __attribute__((__packed__)) __aligned(4);

static struct {
	int		cpus;
	int		seconds;
	u32		slots;
	u32		inject;
	u32		signal_us;
	bool		overwrite;
	bool		control;
	bool		quiet;
} opt = { .cpus = 2, .seconds = 2, .slots = 4, .inject = 40, .signal_us = 150,
	  .overwrite = true };

/* What a CPU did; each level has its own counts: nothing needs to be atomic. */
static struct writer {
	pthread_t	thread;
	u64		clock;
	u32		serial[LEVELS];
	u64		fired[LEVELS];
	u64		discarded[LEVELS];
	u64		refused[LEVELS];
	timer_t		timers[SHIM_MAX_DEPTH];
	struct strobe_ring_stats stats;
} ____cacheline_aligned writers[SHIM_MAX_CPUS];

/* What a reader saw of a CPU. */
struct sight {
	bool		iterates;
	u64		read;
	u64		lost;
	u64		missing;	/* by the serials */
	u64		ts;
	s64		serial[LEVELS];
};

static struct strobe_ring *ring;
static bool stop_writers, stop_readers;
static int failures;

#define FAIL(...) do {							\
	if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 10) {	\
		fprintf(stderr, "# " __VA_ARGS__);			\
		fputc('\n', stderr);					\
	}								\
} while (0)

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

static u32 fill_word(const struct payload *p, u32 i)
{
	return (p->serial * 2654435761U + p->level * 40503U + p->cpu * 97U) ^ (i * 2246822519U);
}

static u32 fill_words(u32 len)
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

static void fire(void)
{
	struct writer *me = &writers[shim_cpu];
	int level = shim_self.depth;
	u32 len = random_len(), i;
	struct strobe_ring_resv resv;
	struct payload *p;
	u64 before;

	shim_section_enter();
	me->fired[level]++;
	before = __atomic_load_n(&me->clock, __ATOMIC_RELAXED);
	p = strobe_ring_reserve(ring, len, &resv);
	if (!p) {
		me->refused[level]++;
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
	if (shim_random() % 8) {
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

static void signalled(int sig)
{
	int saved = errno;

	(void)sig;
	if (shim_self.depth < SHIM_MAX_DEPTH) {
		shim_self.depth++;
		interrupt();
		shim_self.depth--;
	}
	errno = saved;
}

/* Signal i interrupts whatever signals below i do. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = signalled, .sa_flags = SA_RESTART };
	int i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < SHIM_MAX_DEPTH; i++) {
		sigaddset(&action.sa_mask, SIGRTMIN + i);
		sigaction(SIGRTMIN + i, &action, NULL);
	}
}

static void start_timers(struct writer *me)
{
	int i;

	for (i = 0; i < SHIM_MAX_DEPTH; i++) {
		long ns = opt.signal_us * 1000L * (i + 2) + i * 777;
		struct itimerspec when = { { 0, ns }, { 0, ns } };
		struct sigevent event = {
			.sigev_notify = SIGEV_THREAD_ID,
			.sigev_signo = SIGRTMIN + i,
		};

		event.sigev_notify_thread_id = syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &event, &me->timers[i]))
			abort();
		timer_settime(me->timers[i], 0, &when, NULL);
	}
}

/* Outside of all writers, everything is committed. */
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
	if (READ_ONCE(rc->nest))
		FAIL("cpu %d: nest %u", shim_cpu, rc->nest);
}

static void *writer(void *arg)
{
	struct writer *me = arg;
	int i;

	shim_cpu = me - writers;
	shim_self.random = 1234567 + shim_cpu * 1000003;
	shim_self.handler = interrupt;
	shim_self.inject = opt.inject;
	if (opt.signal_us)
		start_timers(me);
	while (!READ_ONCE(stop_writers)) {
		fire();
		check_quiet();
		shim_section_quiet();
	}
	for (i = 0; opt.signal_us && i < SHIM_MAX_DEPTH; i++)
		timer_delete(me->timers[i]);
	shim_self.inject = 0;
	return NULL;
}

/* Is it what one of the writers wrote, and after what was seen before? */
static void check_record(struct sight *sight, const struct strobe_ring_record *record)
{
	const struct payload *p = record->data;
	s64 *serial;
	u64 gap;
	u32 i;

	sight->lost += record->lost;
	if (record->len < sizeof(*p) || record->len != (p->len + 3U) / 4 * 4) {
		FAIL("length %u, payload %u", record->len, p->len);
		return;
	}
	if (p->cpu != record->cpu || p->level >= LEVELS) {
		FAIL("cpu %d: of cpu %u, level %u", record->cpu, p->cpu, p->level);
		return;
	}
	for (i = 0; i < fill_words(p->len); i++) {
		if (p->fill[i] != fill_word(p, i)) {
			FAIL("cpu %d: torn at %u of %u", p->cpu, i, fill_words(p->len));
			return;
		}
	}
	if (record->ts < p->before || record->ts > p->after)
		FAIL("cpu %d: time %lu not in %lu..%lu", p->cpu, record->ts,
		     p->before, p->after);
	if (record->ts < sight->ts)
		FAIL("cpu %d: time goes back", p->cpu);
	sight->ts = record->ts;

	serial = &sight->serial[p->level];
	if ((s64)p->serial <= *serial)
		FAIL("cpu %d level %u: serial %u after %ld", p->cpu, p->level,
		     p->serial, (long)*serial);
	gap = p->serial - *serial - 1;
	*serial = p->serial;
	sight->missing += gap;
	sight->read++;
	/*
	 * With one level, the place of the loss is known too. An iterator does
	 * not call lost what the consumer took before it came there.
	 */
	if (!opt.inject && !opt.signal_us &&
	    (sight->iterates ? gap < record->lost : gap != record->lost))
		FAIL("cpu %d: %lu lost here, said %lu", p->cpu, gap, record->lost);
}

static void sight_init(struct sight *sight)
{
	*sight = (struct sight) {};
	memset(sight->serial, 0xff, sizeof(sight->serial));
}

static struct sight consumed[SHIM_MAX_CPUS];

/* A reader is delayed where a writer may overtake it. */
static void dawdle(void)
{
	usleep(shim_random() % 300);
}

static void be_reader(u64 seed)
{
	shim_self.random = seed;
	shim_self.handler = dawdle;
	shim_self.inject = 200;
}

/* Consume up to @max records. Return: whether there were fewer. */
static bool consume(int cpu, u32 max)
{
	struct strobe_ring_record record;

	while (max--) {
		if (!strobe_ring_peek(ring, cpu, &record))
			return true;
		check_record(&consumed[cpu], &record);
		strobe_ring_consume(ring, cpu);
	}
	return false;
}

/*
 * Who shows a record before he consumes it keeps the ring from being emptied in
 * between.
 */
static pthread_mutex_t access_lock = PTHREAD_MUTEX_INITIALIZER;

/* As consume(), up to @max pages of records at once. */
static void consume_pages(int cpu, struct strobe_ring_page *page, u32 max)
{
	struct strobe_ring_record record;
	const struct strobe_subbuf *subbuf;
	struct strobe_ring_walk walk;
	unsigned long lost;
	size_t room;

	if (strobe_ring_page_bytes(page) != strobe_ring_subbuf_bytes(ring)) {
		strobe_ring_page_free(page);
		if (strobe_ring_page_alloc(ring, cpu, page))
			return;
	}
	while (max--) {
		/* The page does not always have room for the number. */
		if (!strobe_ring_peek(ring, cpu, &record))
			return;
		lost = record.lost;
		room = shim_random() % 2 ? SIZE_MAX : shim_random() % PAGE_SIZE;
		if (strobe_ring_read_page(ring, cpu, page, room, shim_random() % 2))
			continue;
		subbuf = page->data;
		walk = (struct strobe_ring_walk) {
			.subbuf = subbuf,
			.end = (local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK) /
			       STROBE_RECORD_UNIT,
			.ts = subbuf->time_stamp,
		};
		record.cpu = cpu;
		record.lost = lost;
		while (strobe_walk_next(&walk, &record) == STROBE_WALK_DATA) {
			check_record(&consumed[cpu], &record);
			record.lost = 0;
		}
	}
}

static void *consumer(void *arg)
{
	struct strobe_ring_page page = {};
	int cpu;

	(void)arg;
	be_reader(777);
	while (!READ_ONCE(stop_readers)) {
		for (cpu = 0; cpu < opt.cpus; cpu++) {
			pthread_mutex_lock(&access_lock);
			consume(cpu, shim_random() % 500);
			consume_pages(cpu, &page, shim_random() % 5);
			pthread_mutex_unlock(&access_lock);
		}
		if (!(shim_random() % 4))
			usleep(shim_random() % 2000);
	}
	strobe_ring_page_free(&page);
	return NULL;
}

static u64 iterated;

static void *iterator(void *arg)
{
	struct strobe_ring_iter *iters[SHIM_MAX_CPUS];
	struct strobe_ring_record record;
	struct sight sight;
	int cpu;

	(void)arg;
	be_reader(888);
	for (cpu = 0; cpu < opt.cpus; cpu++)
		iters[cpu] = strobe_ring_iter_open(ring, cpu);
	while (!READ_ONCE(stop_readers)) {
		for (cpu = 0; cpu < opt.cpus; cpu++) {
			sight_init(&sight);
			sight.iterates = true;
			strobe_ring_iter_reset(iters[cpu]);
			while (strobe_ring_iter_peek(iters[cpu], &record)) {
				check_record(&sight, &record);
				strobe_ring_iter_advance(iters[cpu]);
				iterated++;
			}
		}
		usleep(shim_random() % 1000);
	}
	for (cpu = 0; cpu < opt.cpus; cpu++)
		strobe_ring_iter_close(iters[cpu]);
	return NULL;
}

static void *controller(void *arg)
{
	size_t subbuf = PAGE_SIZE - STROBE_SUBBUF_HEADER;
	u32 turns = 0;

	(void)arg;
	shim_self.random = 999;
	while (!READ_ONCE(stop_readers)) {
		int cpu = (int)(shim_random() % (opt.cpus + 1)) - 1;

		switch (shim_random() % 5) {
		case 0:
			strobe_ring_resize(ring, (2 + shim_random() % 9) * subbuf, cpu);
			break;
		case 1:
			strobe_ring_set_overwrite(ring, shim_random() % 2);
			break;
		case 2:
			if (strobe_ring_check(ring, cpu))
				FAIL("check of cpu %d", cpu);
			break;
		case 3:
			strobe_ring_record_disable(ring, cpu);
			usleep(shim_random() % 100);
			strobe_ring_record_enable(ring, cpu);
			break;
		case 4:
			pthread_mutex_lock(&access_lock);
			strobe_ring_set_order(ring, shim_random() % 3);
			pthread_mutex_unlock(&access_lock);
			break;
		}
		turns++;
		usleep(shim_random() % 3000);
	}
	if (!opt.quiet)
		printf("# controller: %u turns\n", turns);
	return NULL;
}

#define EXPECT_EQ(cpu, a, b) do {					\
	u64 _a = (a), _b = (b);						\
	if (_a != _b)							\
		FAIL("cpu %d: %s is %lu, %s is %lu", cpu, #a, _a, #b, _b);\
} while (0)

/* All writers have stopped. Account for each event. Return: how many. */
static u64 account(int cpu)
{
	u64 fired = 0, refused = 0, discarded = 0, written = 0, missing;
	struct strobe_ring_stats *stats = &writers[cpu].stats;
	struct sight *sight = &consumed[cpu];
	int level;

	/* Before the rest is read: what is still held counts too. */
	strobe_ring_stats(ring, cpu, stats);
	for (level = 0; level < LEVELS; level++) {
		fired += writers[cpu].fired[level];
		refused += writers[cpu].refused[level];
		discarded += writers[cpu].discarded[level];
		written += writers[cpu].serial[level];
	}
	EXPECT_EQ(cpu, stats->reserved, written + discarded);
	EXPECT_EQ(cpu, stats->discarded, discarded);
	EXPECT_EQ(cpu, stats->read, sight->read);
	EXPECT_EQ(cpu, stats->reserved, stats->read + stats->entries +
		  stats->overrun + stats->discarded);
	EXPECT_EQ(cpu, fired, written + discarded + refused);
	if (!opt.control)
		EXPECT_EQ(cpu, refused, stats->dropped + stats->commit_overrun);

	while (!consume(cpu, 1000))
		;
	EXPECT_EQ(cpu, written, sight->read + stats->overrun);
	strobe_ring_stats(ring, cpu, stats);
	EXPECT_EQ(cpu, stats->entries, 0);
	EXPECT_EQ(cpu, stats->bytes, 0);
	EXPECT_EQ(cpu, stats->read, sight->read);
	missing = sight->missing;
	for (level = 0; level < LEVELS; level++)
		missing += (s64)writers[cpu].serial[level] - 1 - sight->serial[level];
	EXPECT_EQ(cpu, missing, stats->overrun);
	/* The loss behind the last record is not told until the next one. */
	if (sight->lost > stats->overrun)
		FAIL("cpu %d: %lu lost, %lu overwritten", cpu, sight->lost, stats->overrun);
	if (per_cpu_ptr(ring->percpu, cpu)->reader.next == missing + sight->read)
		EXPECT_EQ(cpu, sight->lost + per_cpu_ptr(ring->percpu, cpu)->reader.lost,
			  stats->overrun);
	return fired;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:t:s:i:u:dxq")) != -1) {
		switch (c) {
		case 'c':
			opt.cpus = atoi(optarg);
			break;
		case 't':
			opt.seconds = atoi(optarg);
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
		case 'x':
			opt.control = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		default:
			fprintf(stderr, "torture [-c CPUs] [-t seconds] [-s slots] [-i one barrier in n interrupts]\n"
				"	[-u microseconds between signals] [-d: discard mode] [-x: resize and more]\n"
				"	[-q]\n");
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = {};
	pthread_t readers[3];
	struct strobe_ring_stats *st;
	u64 fired = 0;
	int cpu;

	parse(argc, argv);
	shim_nr_cpus = opt.cpus;
	params.bytes = opt.slots * (PAGE_SIZE - STROBE_SUBBUF_HEADER);
	params.overwrite = opt.overwrite;
	ring = strobe_ring_create(&params);
	if (IS_ERR(ring))
		abort();
	catch_signals();
	for (cpu = 0; cpu < opt.cpus; cpu++)
		sight_init(&consumed[cpu]);
	pthread_create(&readers[0], NULL, consumer, NULL);
	pthread_create(&readers[1], NULL, iterator, NULL);
	if (opt.control)
		pthread_create(&readers[2], NULL, controller, NULL);
	for (cpu = 0; cpu < opt.cpus; cpu++)
		pthread_create(&writers[cpu].thread, NULL, writer, &writers[cpu]);

	sleep(opt.seconds);
	WRITE_ONCE(stop_writers, true);
	for (cpu = 0; cpu < opt.cpus; cpu++)
		pthread_join(writers[cpu].thread, NULL);
	WRITE_ONCE(stop_readers, true);
	pthread_join(readers[0], NULL);
	pthread_join(readers[1], NULL);
	if (opt.control)
		pthread_join(readers[2], NULL);

	if (strobe_ring_check(ring, STROBE_RING_ALL_CPUS))
		FAIL("final check");
	for (cpu = 0; cpu < opt.cpus; cpu++) {
		fired += account(cpu);
		st = &writers[cpu].stats;
		if (!opt.quiet)
			printf("# cpu %d: reserved %lu read %lu overrun %lu discarded %lu dropped %lu commit_overrun %lu\n",
			       cpu, st->reserved, st->read, st->overrun,
			       st->discarded, st->dropped, st->commit_overrun);
	}
	if (strobe_ring_check(ring, STROBE_RING_ALL_CPUS))
		FAIL("check of the empty ring");
	strobe_ring_destroy(ring);
	if (!opt.quiet)
		printf("# %lu events, %lu iterated, %d failures\n", fired, iterated, failures);
	return !!failures;
}
