// SPDX-License-Identifier: GPL-2.0
/*
 * Random mixes of all ways to read a ring, one step at a time: consuming, whole pages, an
 * iterator, a mapping; with resizes, and with reboots of a persistent ring. Records carry
 * consecutive numbers. Each number must be read once, in order, by one of the readers; the
 * iterator must show those that are left. In overwrite mode a gap must be as long as the
 * reader says.
 *
 * A mapping is read in the way of user space: from its start if the meta page names another
 * sub-buffer, else from where the last read ended.
 *
 * usage: mix [-s SEED] [-n RUNS] [-m: map] [-k: a persistent ring, with reboots]
 *	[-o: overwrite] [-z: a coarse clock] [-v: print each step]
 */
#include "harness.h"
#include "ring/internal.h"
#include "ring/walk.h"
#include "ring/write.h"

#define REGION_PAGES	16
#define STEPS		60

/* A gap whose length did not fit in the page */
#define LOST_UNKNOWN	ULONG_MAX

static struct {
	bool map, keep, overwrite, coarse, verbose;
} opt;

/**
 * struct mix - one run
 * @ring, @iter, @page: the ring, an iterator, and memory for whole pages
 * @params: parameters of @ring
 * @put: number of the next record written
 * @next: number of the next record to be read
 * @ts: time of the last record read
 * @shown: so many from @next on were shown before a reboot, and not consumed: they may have been
 *	overwritten
 * @mapped: the ring is mapped
 * @id, @pos: the sub-buffer of the mapping that was read last, and up to where
 */
static struct mix {
	struct strobe_ring		*ring;
	struct strobe_ring_iter		*iter;
	struct strobe_ring_page		page;
	struct strobe_ring_params	params;
	u32				put;
	u32				next;
	u64				ts;
	u32				shown;
	bool				mapped;
	u32				id;
	u32				pos;
} mix;

static char region[REGION_PAGES * 4096] __attribute__((__aligned__(4096)));
static u64 seed = 1, now;
static char steps[8192];
static size_t steps_len;

/* Advances by steps of all sizes; a coarse clock does not advance a third of the time. */
u64 sched_clock_noinstr(void)
{
	u32 r = shim_random();

	if (opt.coarse && r % 3 == 0)
		return now;
	now += r % 50 ? r % 100 : 1ULL << (20 + r % 20);
	return now;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

#define STEP(...) do {							\
	int _n = snprintf(steps + steps_len, sizeof(steps) - steps_len, __VA_ARGS__); \
	if (opt.verbose)						\
		printf("%s\n", steps + steps_len);			\
	if (steps_len + _n < sizeof(steps) - 1)				\
		steps_len += _n;					\
} while (0)

#define BAD(...) do {							\
	fprintf(stderr, "# seed %lu: ", (unsigned long)seed);		\
	fprintf(stderr, __VA_ARGS__);					\
	fprintf(stderr, "\n# %s\n", steps);				\
	exit(1);							\
} while (0)

static void seen(const char *reader, const struct strobe_ring_record *record,
		 unsigned long lost)
{
	u32 number = *(const u32 *)record->data;

	if (number < mix.next)
		BAD("%s: record %u is read again", reader, number);
	if (number > mix.next + mix.shown && !opt.overwrite)
		BAD("%s: record %u is missing", reader, mix.next);
	if (lost != LOST_UNKNOWN && number - mix.next != lost)
		BAD("%s: %u records are missing before %u, it says %lu", reader,
		    number - mix.next, number, lost);
	/* With a coarse clock, discarded records may delay the time, see strobe_ring_pad(). */
	if (record->ts + (opt.coarse ? PAGE_SIZE / STROBE_RECORD_UNIT : 0) < mix.ts)
		BAD("%s: time goes back at record %u, from %lu to %lu", reader, number,
		    mix.ts, record->ts);
	mix.next = number + 1;
	mix.shown = 0;
	mix.ts = record->ts;
}

static void mix_put(u32 n, int depth)
{
	while (n--) {
		u32 len = 8 + shim_random() % (shim_random() % 20 ? 100 : 2000), *data;
		bool discard = shim_random() % 5 == 0;
		struct strobe_ring_resv resv;

		data = strobe_ring_reserve(mix.ring, len, &resv);
		if (!data)
			return;
		if (!discard)
			data[0] = mix.put++;
		if (depth < 2 && shim_random() % 4 == 0)
			mix_put(1 + shim_random() % 2, depth + 1);
		if (discard)
			strobe_ring_discard(&resv);
		else
			strobe_ring_commit(&resv);
	}
}

static void mix_consume(u32 n)
{
	struct strobe_ring_record record;

	while (n-- && strobe_ring_peek(mix.ring, 0, &record)) {
		seen("consume", &record, record.lost);
		strobe_ring_consume(mix.ring, 0);
	}
}

/* Check the records of @subbuf that begin at byte @start or later. */
static void see_subbuf(const char *reader, const struct strobe_subbuf *subbuf, u32 start,
		       unsigned long lost)
{
	struct strobe_ring_walk walk = {
		.subbuf = subbuf,
		.end = (local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK) /
		       STROBE_RECORD_UNIT,
		.ts = subbuf->time_stamp,
	};
	struct strobe_ring_record record;

	while (strobe_walk_next(&walk, &record) == STROBE_WALK_DATA) {
		if (record.data < (void *)subbuf->data + start)
			continue;
		seen(reader, &record, lost);
		lost = 0;
	}
}

static void mix_read_page(void)
{
	u32 room = shim_random() % 2 ? 100000 : 16 + shim_random() % 600;
	bool whole = shim_random() % 2;
	unsigned long commit, lost = 0;
	struct strobe_subbuf *subbuf;

	STEP("page(%u,%d) ", room, whole);
	if (strobe_ring_read_page(mix.ring, 0, &mix.page, room, whole))
		return;
	subbuf = mix.page.data;
	commit = local_read(&subbuf->commit);
	if (commit & STROBE_SUBBUF_MISSED_STORED)
		memcpy(&lost, subbuf->data + (commit & ~STROBE_SUBBUF_MISSED_MASK),
		       sizeof(lost));
	else if (commit & STROBE_SUBBUF_MISSED)
		lost = LOST_UNKNOWN;
	see_subbuf("page", subbuf, 0, lost);
}

static void mix_iterate(void)
{
	struct strobe_ring_record record;
	u32 next = mix.next, shown = mix.shown, number;

	STEP("iterate ");
	strobe_ring_iter_reset(mix.iter);
	while (strobe_ring_iter_peek(mix.iter, &record)) {
		number = *(const u32 *)record.data;
		if (number < next || (number > next + shown && !opt.overwrite))
			BAD("iterator: record %u in place of %u", number, next);
		next = number + 1;
		shown = 0;
		strobe_ring_iter_advance(mix.iter);
	}
	if (next != mix.put)
		BAD("iterator: ends at record %u of %u", next, mix.put);
}

static void mix_map(void)
{
	const struct trace_buffer_meta *meta;

	STEP("map ");
	if (strobe_ring_map(mix.ring, 0))
		BAD("mapping: refused");
	mix.mapped = true;
	meta = strobe_ring_map_page(mix.ring, 0, 0);
	mix.id = meta->reader.id;
	mix.pos = meta->reader.read;
}

static void mix_get_reader(void)
{
	const struct trace_buffer_meta *meta = strobe_ring_map_page(mix.ring, 0, 0);
	const u32 next = mix.next;
	const u64 read = strobe_ring_of(mix.ring, 0)->reader.read;

	strobe_ring_map_get_reader(mix.ring, 0);
	STEP("get_reader(%u->%u) ", mix.id, meta->reader.id);
	if (meta->reader.id != mix.id)
		mix.pos = 0;
	see_subbuf("mapping", strobe_ring_map_page(mix.ring, 0, meta->reader.id + 1), mix.pos,
		   meta->reader.lost_events);
	mix.id = meta->reader.id;
	mix.pos = meta->reader.read;
	if (!opt.overwrite && mix.next - next != meta->read - read)
		BAD("mapping: %u records, it counts %lu", mix.next - next,
		    (unsigned long)(meta->read - read));
}

static void mix_unmap(void)
{
	STEP("unmap ");
	strobe_ring_unmap(mix.ring, 0);
	mix.mapped = false;
}

/* The ring only grows, so that nothing is overwritten. */
static void mix_resize(void)
{
	size_t bytes = (2 + shim_random() % 5) * 4080;

	if (mix.mapped || bytes < strobe_ring_bytes(mix.ring, 0))
		return;
	STEP("resize(%lu) ", bytes / 4080);
	if (strobe_ring_resize(mix.ring, bytes, 0))
		BAD("resize: refused");
}

static void ring_begin(void)
{
	mix.ring = strobe_ring_create(&mix.params);
	if (IS_ERR(mix.ring))
		abort();
	mix.iter = strobe_ring_iter_open(mix.ring, 0);
}

static void ring_end(void)
{
	strobe_ring_iter_close(mix.iter);
	strobe_ring_destroy(mix.ring);
}

static void mix_reboot(void)
{
	struct strobe_ring_record record;

	STEP("reboot ");
	/* Those before the record in hand are gone: they were overwritten after earlier reboots. */
	if (strobe_ring_of(mix.ring, 0)->reader.owned && strobe_ring_peek(mix.ring, 0, &record))
		mix.shown = *(const u32 *)record.data - mix.next + 1;
	ring_end();
	ring_begin();
}

static void step(void)
{
	struct strobe_ring_record record;
	u32 n;

	switch (shim_random() % 10) {
	case 0 ... 2:
		n = shim_random() % (shim_random() % 3 ? 8 : 200);
		STEP("put(%u) ", n);
		mix_put(n, 0);
		break;
	case 3:
		n = 1 + shim_random() % (shim_random() % 2 ? 4 : 300);
		STEP("consume(%u) ", n);
		mix_consume(n);
		break;
	case 4:
		STEP("peek ");
		strobe_ring_peek(mix.ring, 0, &record);
		break;
	case 5:
		mix_read_page();
		break;
	case 6:
		mix_iterate();
		break;
	case 7:
		if (opt.map && !mix.mapped)
			mix_map();
		break;
	case 8:
		if (mix.mapped)
			mix_get_reader();
		break;
	case 9:
		if (opt.keep)
			mix_reboot();
		else if (!mix.mapped)
			mix_resize();
		else if (shim_random() % 4 == 0)
			mix_unmap();
		break;
	}
	if (strobe_ring_check(mix.ring, 0))
		BAD("the ring is not whole");
}

static void run(void)
{
	int i;

	shim_self.random = seed * 0x9e3779b97f4a7c15ULL + 1;
	mix = (struct mix) {};
	now = 1000;
	steps_len = 0;
	mix.params.bytes = (2 + shim_random() % 4) * 4080;
	mix.params.overwrite = opt.overwrite;
	if (opt.keep) {
		memset(region, 0x5a, sizeof(region));
		mix.params.region.start = region;
		mix.params.region.bytes = (5 + shim_random() % 6) * 4096;
		mix.params.region.maker = 3;
	}
	ring_begin();
	strobe_ring_page_alloc(mix.ring, 0, &mix.page);
	for (i = 0; i < STEPS; i++)
		step();
	STEP("end ");
	mix_consume(U32_MAX);
	/* The newest record is never overwritten. */
	if (mix.next != mix.put)
		BAD("end: record %u of %u is missing", mix.next, mix.put);
	if (mix.mapped)
		mix_unmap();
	strobe_ring_page_free(&mix.page);
	ring_end();
}

int main(int argc, char **argv)
{
	u64 runs = 1000, i;
	int c;

	while ((c = getopt(argc, argv, "s:n:mkozv")) != -1) {
		switch (c) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			runs = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			opt.map = true;
			break;
		case 'k':
			opt.keep = true;
			break;
		case 'o':
			opt.overwrite = true;
			break;
		case 'z':
			opt.coarse = true;
			break;
		case 'v':
			opt.verbose = true;
			break;
		default:
			fprintf(stderr, "mix [-s seed] [-n runs] [-m] [-k] [-o] [-z] [-v]\n");
			return 2;
		}
	}
	for (i = 0; i < runs; i++, seed++)
		run();
	printf("# %lu runs\n", (unsigned long)runs);
	return 0;
}
