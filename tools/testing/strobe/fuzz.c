// SPDX-License-Identifier: GPL-2.0
/*
 * Damaged sub-buffers: whatever they contain, no reader reads beyond their end, loops
 * forever, or shows a record that is longer than the rest; and all events are accounted
 * for afterwards. The sanitizer's build of this finds more: each sub-buffer is an
 * allocation of its own.
 *
 * Each run has a seed. Most runs walk one sub-buffer, of noise or of records that were
 * changed a little, and compare with another parser of the format in ring/format.h. The others
 * damage the sub-buffers of a whole ring (ring_fuzz() below), and read them by all means
 * that the ring has. Some of these rings survive a reboot: they are damaged anywhere, and
 * recovered.
 *
 * With -f, another thread changes the records while they are walked: a dump may walk a
 * sub-buffer that user space has got and writes to.
 */
#include "harness.h"
#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"
#include "ring/write.h"

#define RING_RUNS	16	/* one run in so many uses a whole ring */
#define FLIPS		300	/* changes of a sub-buffer while it is walked */

static u64 seed = 1, runs = 100000, now;
static bool flipping;
static unsigned long walked, shown, damaged, found, refused;

#define EXPECT(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "# %s:%d: not so: %s\n# fuzz -s %lu -n 1%s\n",\
			__FILE__, __LINE__, #cond, seed, flipping ? " -f" : "");\
		exit(1);						\
	}								\
} while (0)

u64 sched_clock_noinstr(void)
{
	u32 r = shim_random();

	now += r % 50 ? r % 1000 : 1ULL << (20 + r % 25);
	return now;
}

u64 trace_clock_local(void)
{
	return now;
}

static u32 below(u32 n)
{
	return n ? shim_random() % n : 0;
}

/* Make a record of any type, perhaps an invalid one, at @data, which has @left units. */
static u32 make_record(u32 *data, u32 left)
{
	u32 type = below(3) ? 1 + below(28) : below(32), words = type;
	u32 delta = below(2) ? below(1000) : shim_random();

	if (type == STROBE_RECORD_LARGE)
		words = 30 + below(100);
	else if (type == STROBE_RECORD_PADDING)
		words = 1 + below(50);
	else if (type > STROBE_RECORD_PADDING)
		words = 1;
	if (words >= left)
		return 0;
	data[0] = strobe_record_word(type, delta);
	if (left > 1)
		data[1] = below(8) ? words * STROBE_RECORD_UNIT : shim_random();
	return words + 1;
}

/* Damage @units of records in one place. */
static void mutate(u32 *data, u32 units)
{
	static const u32 lengths[] = { 0, 1, 3, 4, 5, 115, 116, 119, 120, 4076, 4080,
				       4084, 65535, 65536, 0x7fffffff, 0x80000000,
				       0xfffffffc, 0xffffffff };
	u32 at = below(units), i;

	if (!units)
		return;
	switch (below(6)) {
	case 0:
		data[at] ^= 1U << below(32);
		break;
	case 1:
		data[at] = (data[at] & ~31U) | below(32);
		break;
	case 2:
		data[at] = lengths[below(ARRAY_SIZE(lengths))];
		break;
	case 3:
		/* A length close to the size of the rest. */
		data[at] = (units - at + below(5) - 2) * STROBE_RECORD_UNIT;
		break;
	case 4:
		data[at] = shim_random();
		break;
	case 5:
		for (i = at; i < units && i < at + 16; i++)
			data[i] = shim_random();
		break;
	}
}

/* The time closest to @near whose low 59 bits are @low. */
static u64 complete(u64 low, u64 near)
{
	u64 high = near >> 59, best = high << 59 | low, at;
	int i;

	for (i = -1; i <= 1; i += 2) {
		/* None before time 0, and none that 64 bits do not hold. */
		if ((i < 0 && !high) || (i > 0 && high == 31))
			continue;
		at = (high + i) << 59 | low;
		if ((at > near ? at - near : near - at) < (best > near ? best - near : near - best))
			best = at;
	}
	return best;
}

/*
 * Another parser, written from the description of the format in ring/format.h: skip the record
 * at @pos. Return: where the next one is; 0: @pos is damaged; UINT_MAX: nothing is left.
 */
static u32 parse_one(const u32 *data, u32 pos, u32 end, u32 *payload, u32 *len, u64 *ts)
{
	u32 type, delta, next = pos + 2;

	*payload = 0;
	if (pos >= end)
		return UINT_MAX;
	type = data[pos] & 31;
	delta = data[pos] >> 5;
	if (type >= 1 && type <= 28) {
		next = pos + 1 + type;
		*payload = pos + 1;
		*len = type * 4;
	} else if (next > end) {
		return 0;
	} else if (type == 30) {
		*ts += ((u64)data[pos + 1] << 27) + delta;
		return next;
	} else if (type == 31) {
		*ts = complete(((u64)data[pos + 1] << 27) + delta, *ts);
		return next;
	} else if (type == 29) {
		if (!delta)
			return UINT_MAX;
		next = pos + 1 + data[pos + 1] / 4;
		if (data[pos + 1] < 4)
			return 0;
	} else {
		next = pos + 1 + data[pos + 1] / 4;
		*payload = pos + 2;
		*len = data[pos + 1] / 4 * 4 - 4;
		if (data[pos + 1] / 4 < 30)
			return 0;
	}
	if (next > end || next <= pos)
		return 0;
	*ts += delta;
	return next;
}

/* Walk @units of @subbuf with both parsers, and compare. */
static void check_walk(struct strobe_subbuf *subbuf, u32 units)
{
	struct strobe_ring_walk walk = {
		.subbuf = subbuf, .end = units, .ts = subbuf->time_stamp,
	};
	struct strobe_ring_walk all = walk;
	const u32 *data = (const void *)subbuf->data;
	u32 pos = 0, next, payload = 0, len = 0, n = 0;
	struct strobe_ring_record record;
	u64 ts = subbuf->time_stamp;
	bool more;

	for (;;) {
		enum strobe_walk_step step = strobe_walk_next(&walk, &record);

		do {
			next = parse_one(data, pos, units, &payload, &len, &ts);
			more = next && next != UINT_MAX;
			pos = more ? next : pos;
		} while (more && !payload);
		EXPECT(walk.pos <= units);
		EXPECT(step == (more ? STROBE_WALK_DATA :
				next ? STROBE_WALK_END : STROBE_WALK_BAD));
		if (step != STROBE_WALK_DATA)
			break;
		EXPECT(record.data == data + payload && record.len == len);
		EXPECT(record.ts == ts && walk.pos == pos);
		EXPECT(payload + len / 4 <= units);
		n++;
	}
	EXPECT(strobe_walk_count(&all) == n);
	walked += n;
}

/* A sub-buffer of records and noise, of exactly @units units: none may be read beyond them. */
static struct strobe_subbuf *make_page(u32 units)
{
	struct strobe_subbuf *subbuf = malloc(STROBE_SUBBUF_HEADER +
					      units * STROBE_RECORD_UNIT);
	u32 *data = (void *)subbuf->data, at, n;

	subbuf->time_stamp = below(2) ? now : (u64)shim_random() << 32 | shim_random();
	for (at = 0; at < units; at++)
		data[at] = shim_random();
	if (below(8)) {
		for (at = 0; at < units; at += n) {
			n = make_record(data + at, units - at);
			if (!n)
				break;
		}
		for (n = below(6); n; n--)
			mutate(data, units);
	}
	return subbuf;
}

static void page_fuzz(void)
{
	u32 units = below(3) ? below(64) : below(1021);
	struct strobe_subbuf *subbuf = make_page(units);

	check_walk(subbuf, units);
	free(subbuf);
}

/**
 * struct flips - a thread that changes the records of a sub-buffer
 * @data: the records
 * @units: their size
 * @seed: of the thread
 * @done: the thread has made FLIPS changes
 */
struct flips {
	u32	*data;
	u32	units;
	u64	seed;
	bool	done;
};

static void *flip(void *arg)
{
	struct flips *flips = arg;
	u32 n;

	shim_self.random = flips->seed;
	for (n = 0; n < FLIPS; n++) {
		mutate(flips->data, flips->units);
		/* Let the other thread walk. */
		if (!below(16))
			sched_yield();
	}
	__atomic_store_n(&flips->done, true, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Walk a sub-buffer that is being changed, and read its records. */
static void walk_flipped(struct strobe_subbuf *subbuf, u32 units)
{
	struct strobe_ring_walk walk = { .subbuf = subbuf, .end = units };
	const void *end = subbuf->data + units * STROBE_RECORD_UNIT;
	struct strobe_ring_record record;
	u32 left = units, before = 0, i;
	static u32 sum;

	while (strobe_walk_next(&walk, &record) == STROBE_WALK_DATA) {
		EXPECT(walk.pos > before && left--);
		EXPECT(walk.pos <= walk.end && record.data + record.len <= end);
		for (i = 0; i < record.len / 4; i++)
			sum += READ_ONCE(((const u32 *)record.data)[i]);
		before = walk.pos;
		walked++;
	}
	EXPECT(walk.pos <= walk.end);
}

static void yield(void)
{
	sched_yield();
}

static void flip_fuzz(void)
{
	u32 units = 2 + (below(3) ? below(62) : below(1019));
	struct strobe_subbuf *subbuf = make_page(units);
	struct flips flips = {
		.data	= (void *)subbuf->data,
		.units	= units,
		.seed	= shim_self.random ^ 0x9e3779b97f4a7c15ULL,
	};
	pthread_t thread;

	EXPECT(!pthread_create(&thread, NULL, flip, &flips));
	shim_self.handler = yield;
	shim_self.inject = 50;
	while (!__atomic_load_n(&flips.done, __ATOMIC_SEQ_CST))
		walk_flipped(subbuf, units);
	shim_self.inject = 0;
	pthread_join(thread, NULL);
	free(subbuf);
}

static struct strobe_ring *ring;
static void *region;	/* the ring's; NULL: none */

static void write_some(u32 n, int depth)
{
	struct strobe_ring_resv resv;
	u32 len;
	void *data;

	while (n--) {
		len = below(20) ? below(120) : below(strobe_ring_max_payload(ring) + 2);
		data = strobe_ring_reserve(ring, len, &resv);
		if (!data)
			continue;
		memset(data, shim_random(), len);
		if (depth < 3 && !below(4))
			write_some(below(3), depth + 1);
		if (below(6))
			strobe_ring_commit(&resv);
		else
			strobe_ring_discard(&resv);
	}
}

/* Damage the header or the records of a sub-buffer, perhaps of the reader page. */
static void damage(void)
{
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, 0);
	struct strobe_subbuf *subbuf = rc->store->subbufs[below(rc->store->shape.nr_slots + 2)];
	u32 units = rc->store->limit, at;

	if (!subbuf)
		return;
	if (!below(4)) {
		mutate((void *)subbuf, STROBE_SUBBUF_HEADER / STROBE_RECORD_UNIT);
	} else if (!below(16)) {
		for (at = below(units); at < units; at++)
			((u32 *)subbuf->data)[at] = shim_random();
	} else {
		for (at = 1 + below(20); at; at--)
			mutate((void *)subbuf->data, units);
	}
}

/* Read all words of a record. */
static void touch(const struct strobe_ring_record *record)
{
	static u32 sum;
	u32 i;

	EXPECT(record->len <= strobe_ring_max_payload(ring));
	for (i = 0; i < record->len / 4; i++)
		WRITE_ONCE(sum, sum + ((const u32 *)record->data)[i]);
	shown++;
}

/* More records than any ring has: a reader that shows more is in an endless loop. */
static u32 patience(void)
{
	return 4 * strobe_ring_bytes(ring, 0) / STROBE_RECORD_UNIT;
}

static void read_records(u32 n)
{
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, 0);
	struct strobe_ring_record record;
	u32 left = patience();
	const void *end;

	while (n-- && strobe_ring_peek(ring, 0, &record)) {
		end = rc->reader.hand.subbuf->data + rc->reader.hand.end * STROBE_RECORD_UNIT;
		EXPECT(record.data + record.len <= end);
		touch(&record);
		strobe_ring_consume(ring, 0);
		EXPECT(left--);
	}
}

static void read_dump(void)
{
	struct strobe_ring_record record;
	u32 left = patience();

	while (strobe_ring_dump_peek(ring, 0, &record)) {
		touch(&record);
		strobe_ring_dump_consume(ring, 0);
		EXPECT(left--);
	}
}

static void read_iterator(struct strobe_ring_iter *iter)
{
	struct strobe_ring_record record;
	u32 left = patience(), n = below(3) ? U32_MAX : below(100);

	if (below(2))
		strobe_ring_iter_reset(iter);
	while (n-- && strobe_ring_iter_peek(iter, &record)) {
		touch(&record);
		strobe_ring_iter_advance(iter);
		EXPECT(left--);
	}
}

static void read_pages(u32 n)
{
	struct strobe_ring_page page;
	struct strobe_subbuf *subbuf;
	unsigned long size;

	EXPECT(!strobe_ring_page_alloc(ring, 0, &page));
	while (n--) {
		if (strobe_ring_read_page(ring, 0, &page, below(2) ? SIZE_MAX : below(5000),
					  below(2)))
			continue;
		subbuf = page.data;
		size = local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK;
		if (local_read(&subbuf->commit) & STROBE_SUBBUF_MISSED_STORED)
			size += sizeof(long);
		EXPECT(size + STROBE_SUBBUF_HEADER <= strobe_ring_page_bytes(&page));
		check_walk(subbuf, size / STROBE_RECORD_UNIT);
	}
	strobe_ring_page_free(&page);
}

static void read_mapped(u32 n)
{
	const struct trace_buffer_meta *meta;

	if (region) {
		EXPECT(strobe_ring_map(ring, 0) == -ENODEV);
		return;
	}
	EXPECT(!strobe_ring_map(ring, 0));
	meta = strobe_ring_map_page(ring, 0, 0);
	while (n--) {
		strobe_ring_map_get_reader(ring, 0);
		EXPECT(meta->reader.read <= meta->subbuf_size);
	}
	strobe_ring_unmap(ring, 0);
}

/* Without writers, all events are accounted for, no matter what was damaged. */
static void check_counts(void)
{
	struct strobe_ring_stats stats;

	strobe_ring_stats(ring, 0, &stats);
	EXPECT(stats.reserved == stats.read + stats.entries + stats.overrun + stats.discarded);
	EXPECT(stats.entries <= patience());
}

static void read_some(struct strobe_ring_iter *iter)
{
	switch (below(7)) {
	case 0:
		read_records(below(200));
		break;
	case 1:
		read_iterator(iter);
		break;
	case 2:
		read_pages(below(8));
		break;
	case 3:
		read_mapped(below(4));
		break;
	case 4:
		read_dump();
		break;
	case 5:
		damaged += strobe_ring_check(ring, 0) == -EUCLEAN;
		break;
	case 6:
		if (!below(4))
			strobe_ring_resize(ring, (2 + below(6)) * PAGE_SIZE, 0);
		break;
	}
}

/* Crash, damage the region, and recover the ring as the next kernel would. */
static void reboot(const struct strobe_ring_params *params)
{
	struct strobe_ring_cpu *rc = per_cpu_ptr(ring->percpu, 0);
	size_t tables = (void *)rc->store->subbufs[0] - region, n;
	struct strobe_ring_resv resv;
	struct strobe_ring_past past;

	/* Perhaps in the middle of a record. */
	if (below(2))
		strobe_ring_reserve(ring, below(120), &resv);
	strobe_ring_destroy(ring);
	for (n = below(3); n; n--)
		mutate(region, tables / STROBE_RECORD_UNIT);
	if (!below(4))
		mutate(region + sizeof(struct strobe_region),
		       (sizeof(*rc->kept) + 64) / STROBE_RECORD_UNIT);
	ring = strobe_ring_create(params);
	EXPECT(!IS_ERR(ring));
	if (strobe_ring_past(ring, &past))
		found++;
	else
		refused++;
	EXPECT(!strobe_ring_check(ring, 0));
	check_counts();
}

static void ring_fuzz(void)
{
	struct strobe_ring_params params = {
		.bytes = (2 + below(4)) * PAGE_SIZE,
		.subbuf_order = !below(4),
		.overwrite = below(4),
	};
	struct strobe_ring_iter *iter;
	u32 n = 1 + below(12);

	region = NULL;
	if (!below(3)) {
		params.region.bytes = (8 + below(8)) * PAGE_SIZE;
		EXPECT(!posix_memalign(&region, PAGE_SIZE, params.region.bytes));
		memset(region, below(256), params.region.bytes);
		params.region.start = region;
	}
	ring = strobe_ring_create(&params);
	iter = strobe_ring_iter_open(ring, 0);
	EXPECT(!IS_ERR(ring) && !IS_ERR(iter));
	while (n--) {
		write_some(below(below(2) ? 20 : 400), 0);
		if (below(4))
			damage();
		read_some(iter);
		check_counts();
		if (region && below(2)) {
			strobe_ring_iter_close(iter);
			reboot(&params);
			iter = strobe_ring_iter_open(ring, 0);
			EXPECT(!IS_ERR(iter));
		}
	}
	read_records(U32_MAX);
	check_counts();
	EXPECT(!strobe_ring_peek(ring, 0, &(struct strobe_ring_record) {}));
	strobe_ring_reset(ring, 0);
	EXPECT(!strobe_ring_check(ring, 0));
	strobe_ring_iter_close(iter);
	strobe_ring_destroy(ring);
	free(region);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:n:f")) != -1) {
		switch (c) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			runs = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			flipping = true;
			break;
		default:
			fprintf(stderr, "fuzz [-s seed of the first run] [-n runs]\n"
				"	[-f: change the records while they are walked]\n");
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	u64 last;

	parse(argc, argv);
	shim_silent = true;
	alarm(60);	/* Ends an endless loop. */
	for (last = seed + runs; seed < last; seed++) {
		if (flipping || !(seed % 1024))
			alarm(60);
		shim_self.random = seed * 0x9e3779b97f4a7c15ULL + 1;
		now = 1000;
		if (flipping)
			flip_fuzz();
		else if (seed % RING_RUNS)
			page_fuzz();
		else
			ring_fuzz();
	}
	printf("# %lu runs: %lu records walked, %lu shown; %lu times a ring was found damaged\n",
	       runs, walked, shown, damaged);
	printf("# %lu rings of an earlier boot, %lu refused\n", found, refused);
	/* What is only refused, or never damaged, is not tested. */
	EXPECT(flipping || runs < 10000 || (walked && damaged && found && refused));
	return 0;
}
