// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of persistent rings. A crash is simulated by copying the region: a ring made
 * from the copy must show the records committed so far, or nothing if it is damaged. Also
 * built in user space by tools/testing/strobe.
 */
#include <linux/vmalloc.h>

#include "ring/region.h"
#include "ring/ring_test.h"

#define MAKER	77

/**
 * struct region_test - data of a test case
 * @t: the ring before the crash; must be first, for ring_test.h
 * @bytes: size of each of the following
 * @live: the region of that ring
 * @copy: copy of the region at the crash
 * @damaged: another copy, damaged by the test
 */
struct region_test {
	struct ring_test	t;
	size_t			bytes;
	void			*live;
	void			*copy;
	void			*damaged;
};

static struct strobe_ring *make_ring(void *start, size_t bytes, u64 maker, long moved)
{
	struct strobe_ring_params params = {
		.overwrite = true,
		.clock = test_clock,
		.region = {
			.start = start, .bytes = bytes, .maker = maker,
			.text = 0x100000 + moved, .data = 0x200000 + 2 * moved,
		},
	};

	return strobe_ring_create(&params);
}

static int region_test_init(struct kunit *test)
{
	struct region_test *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->t.cpu = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(r->t.cpu));
	test_now = SZ_1G;
	while (strobe_region_slots(r->bytes, 0) < TEST_SLOTS)
		r->bytes += PAGE_SIZE;
	r->live = vzalloc(r->bytes);
	r->copy = vzalloc(r->bytes);
	r->damaged = vzalloc(r->bytes);
	test->priv = r;
	KUNIT_ASSERT_TRUE(test, r->live && r->copy && r->damaged);
	r->t.ring = make_ring(r->live, r->bytes, MAKER, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(r->t.ring));
	return 0;
}

static void region_test_exit(struct kunit *test)
{
	struct region_test *r = test->priv;

	if (!r)
		return;
	if (!IS_ERR(r->t.ring))
		strobe_ring_destroy(r->t.ring);
	vfree(r->live);
	vfree(r->copy);
	vfree(r->damaged);
}

/* Create a ring from a region, as the next boot of the same kernel does. */
static struct strobe_ring *boot(struct kunit *test, void *region)
{
	struct region_test *r = test->priv;
	struct strobe_ring *ring = make_ring(region, r->bytes, MAKER, 0x1000);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	KUNIT_EXPECT_EQ(test, strobe_ring_check(ring, STROBE_RING_ALL_CPUS), 0);
	return ring;
}

static struct strobe_ring *crash(struct kunit *test)
{
	struct region_test *r = test->priv;

	memcpy(r->copy, r->live, r->bytes);
	return boot(test, r->copy);
}

/* Length of the record with number @value; some are of two words. */
static u32 length_of(u32 value)
{
	return 8 + value * 52 % 260;
}

static void put_number(struct kunit *test, u32 value)
{
	test_now += value % 7 ? 10 + value % 90 : SZ_1G;
	KUNIT_ASSERT_TRUE(test, put(test->priv, length_of(value), value));
}

/*
 * Consume all of @ring, and check that the records are intact and numbered consecutively.
 * Return: how many; @first is set to the first number
 */
static u32 drain(struct kunit *test, struct strobe_ring *ring, u32 *first)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	u32 n = 0, value;
	u64 ts = 0;

	while (strobe_ring_peek(ring, r->t.cpu, &record)) {
		value = *(u32 *)record.data;
		if (!n)
			*first = value;
		KUNIT_ASSERT_EQ(test, value, *first + n);
		KUNIT_ASSERT_EQ(test, ((u32 *)record.data)[1], ~value);
		KUNIT_ASSERT_EQ(test, record.len, length_of(value));
		KUNIT_ASSERT_LT(test, ts, record.ts);
		ts = record.ts;
		n++;
		strobe_ring_consume(ring, r->t.cpu);
	}
	return n;
}

/* Check that @ring has exactly the numbers from @first to @end - 1, and destroy it. */
static void expect_numbers(struct kunit *test, struct strobe_ring *ring, u32 first, u32 end)
{
	struct region_test *r = test->priv;
	struct strobe_ring_stats stats;
	u32 found = first, n;

	strobe_ring_stats(ring, r->t.cpu, &stats);
	KUNIT_EXPECT_EQ(test, stats.entries, end - first);
	/* If there is nothing to read, a reader waits. */
	KUNIT_EXPECT_EQ(test, strobe_ring_empty(ring, r->t.cpu), first == end);
	n = drain(test, ring, &found);
	KUNIT_EXPECT_EQ(test, found, first);
	KUNIT_EXPECT_EQ(test, n, end - first);
	KUNIT_EXPECT_EQ(test, strobe_ring_check(ring, STROBE_RING_ALL_CPUS), 0);
	strobe_ring_destroy(ring);
}

/* The oldest number that the ring before the crash holds. */
static u32 oldest(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_iter *iter = strobe_ring_iter_open(r->t.ring, r->t.cpu);
	struct strobe_ring_record record;
	u32 value = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	if (strobe_ring_iter_peek(iter, &record))
		value = *(u32 *)record.data;
	strobe_ring_iter_close(iter);
	return value;
}

/* After any number of records, in any lap, all records that the ring holds are found. */
static void region_test_all(struct kunit *test)
{
	struct strobe_ring_past past;
	struct strobe_ring *ring;
	u32 i;

	ring = crash(test);
	KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
	expect_numbers(test, ring, 0, 0);
	for (i = 0; i < 700; i++) {
		put_number(test, i);
		ring = crash(test);
		KUNIT_EXPECT_TRUE(test, strobe_ring_past(ring, &past));
		KUNIT_EXPECT_EQ(test, past.text_delta, 0x1000);
		KUNIT_EXPECT_EQ(test, past.data_delta, 0x2000);
		expect_numbers(test, ring, oldest(test), i + 1);
	}
	KUNIT_EXPECT_GT(test, oldest(test), 0);
	expect_sound(test);
}

/* Records have the same time, index and data, and are marked as of the previous boot. */
static void region_test_same(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record a, b;
	struct strobe_ring *ring;
	u32 i;

	for (i = 0; i < 500; i++)
		put_number(test, i);
	ring = crash(test);
	while (strobe_ring_peek(r->t.ring, r->t.cpu, &a)) {
		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(ring, r->t.cpu, &b));
		KUNIT_ASSERT_EQ(test, a.ts, b.ts);
		KUNIT_ASSERT_EQ(test, a.index, b.index);
		KUNIT_ASSERT_EQ(test, a.len, b.len);
		KUNIT_ASSERT_EQ(test, memcmp(a.data, b.data, a.len), 0);
		KUNIT_EXPECT_TRUE(test, !a.past && b.past);
		strobe_ring_consume(r->t.ring, r->t.cpu);
		strobe_ring_consume(ring, r->t.cpu);
	}
	KUNIT_EXPECT_FALSE(test, strobe_ring_peek(ring, r->t.cpu, &b));
	strobe_ring_destroy(ring);
}

/* Consumed records are not shown again; records only copied to the reader page are. */
static void region_test_consumed(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	u32 i, first;

	for (i = 0; i < 500; i++)
		put_number(test, i);
	first = oldest(test);
	for (i = first; strobe_ring_peek(r->t.ring, r->t.cpu, &record); i++) {
		expect_numbers(test, crash(test), i, 500);
		strobe_ring_consume(r->t.ring, r->t.cpu);
	}
	KUNIT_EXPECT_EQ(test, i, 500);
	expect_numbers(test, crash(test), 500, 500);
	put_number(test, 500);
	expect_numbers(test, crash(test), 500, 501);
	expect_sound(test);
}

/* The same when reading whole pages, which never exchanges pages of the region. */
static void region_test_pages(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_page page;
	u32 i, n = 0;

	for (i = 0; i < 500; i++)
		put_number(test, i);
	i = oldest(test);
	KUNIT_ASSERT_EQ(test, strobe_ring_page_alloc(r->t.ring, r->t.cpu, &page), 0);
	while (!strobe_ring_read_page(r->t.ring, r->t.cpu, &page, SIZE_MAX, false)) {
		struct strobe_subbuf *subbuf = page.data;
		struct strobe_ring_walk walk = {
			.subbuf = subbuf,
			.end = (local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK) /
			       STROBE_RECORD_UNIT,
		};

		i += strobe_walk_count(&walk);
		KUNIT_EXPECT_TRUE(test, page.data < r->live || page.data >= r->live + r->bytes);
		expect_numbers(test, crash(test), i, 500);
		n++;
	}
	KUNIT_EXPECT_GT(test, n, 2);
	KUNIT_EXPECT_EQ(test, i, 500);
	strobe_ring_page_free(&page);
	expect_sound(test);
}

/* A restored ring continues, and the next boot finds old and new records. */
static void region_test_again(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	u32 boots, i = 0, end;

	for (boots = 1; boots < 40; boots++) {
		for (end = i + boots; i < end; i++)
			put_number(test, i);
		strobe_ring_destroy(r->t.ring);
		memcpy(r->copy, r->live, r->bytes);
		swap(r->live, r->copy);
		/* The ring must not use any address in the old memory. */
		memset(r->copy, 0xff, r->bytes);
		r->t.ring = boot(test, r->live);
		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(r->t.ring, r->t.cpu, &record));
		KUNIT_EXPECT_NOT_NULL(test, record.past);
		expect_numbers(test, crash(test), oldest(test), i);
	}
	put_number(test, i);
	while (strobe_ring_peek(r->t.ring, r->t.cpu, &record) && *(u32 *)record.data != i)
		strobe_ring_consume(r->t.ring, r->t.cpu);
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, i);
	KUNIT_EXPECT_TRUE(test, !record.past);
}

/* The clock starts from 0 again, as at a boot. */
static void region_test_time(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	u64 ts;

	put_number(test, 0);
	ts = test_now;
	strobe_ring_destroy(r->t.ring);
	r->t.ring = boot(test, r->live);
	test_now = 5;
	KUNIT_ASSERT_TRUE(test, put(test->priv, 8, 1));
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(r->t.ring, r->t.cpu, &record));
	KUNIT_EXPECT_EQ(test, record.ts, ts);
	strobe_ring_consume(r->t.ring, r->t.cpu);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(r->t.ring, r->t.cpu, &record));
	KUNIT_EXPECT_EQ(test, record.ts, 5);
}

/* After a reset a ring has no records of a previous boot, nor has it after a crash. */
static void region_test_reset(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_past past;
	struct strobe_ring *ring;
	u32 i;

	for (i = 0; i < 300; i++)
		put_number(test, i);
	strobe_ring_reset(r->t.ring, STROBE_RING_ALL_CPUS);
	ring = crash(test);
	KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
	KUNIT_EXPECT_EQ(test, past.text_delta, 0);
	expect_numbers(test, ring, 0, 0);
	put_number(test, 300);
	ring = crash(test);
	KUNIT_EXPECT_TRUE(test, strobe_ring_past(ring, &past));
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(ring, r->t.cpu, &record));
	KUNIT_ASSERT_NOT_NULL(test, record.past);
	strobe_ring_reset(ring, STROBE_RING_ALL_CPUS);
	KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
	KUNIT_EXPECT_EQ(test, past.text_delta, 0);
	/* A reader that has a record in hand still knows where its kernel was. */
	KUNIT_EXPECT_EQ(test, record.past->text_delta, 0x1000);
	expect_numbers(test, ring, 0, 0);
	/* After that reset the next boot finds no previous boot. */
	ring = boot(test, r->copy);
	KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
	strobe_ring_destroy(ring);
	expect_numbers(test, crash(test), 300, 301);
}

/*
 * A crash at each step of writers that interrupt each other: only records that the
 * outermost one has published are found.
 */
static void region_test_cut(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_resv a, b;
	u32 i, first;

	for (i = 0; i < 400; i += 3) {
		preempt_disable();
		test_now += 100;
		KUNIT_EXPECT_NOT_NULL(test, begin(&r->t, length_of(i), i, &a));
		preempt_enable();
		first = i ? oldest(test) : 0;
		expect_numbers(test, crash(test), first, i);
		preempt_disable();
		test_now += 100;
		KUNIT_EXPECT_NOT_NULL(test, begin(&r->t, length_of(i + 1), i + 1, &b));
		preempt_enable();
		first = i ? oldest(test) : 0;
		expect_numbers(test, crash(test), first, i);
		strobe_ring_commit(&b);
		expect_numbers(test, crash(test), first, i);
		test_now += 100;
		preempt_disable();
		KUNIT_EXPECT_NOT_NULL(test, begin(&r->t, length_of(i + 2), i + 2, &b));
		preempt_enable();
		if (i % 2) {
			/* Discarded: it leaves nothing or padding. */
			strobe_ring_discard(&b);
			first = i ? oldest(test) : 0;
			expect_numbers(test, crash(test), first, i);
			preempt_disable();
			KUNIT_EXPECT_NOT_NULL(test, begin(&r->t, length_of(i + 2), i + 2, &b));
			preempt_enable();
		}
		strobe_ring_commit(&b);
		first = i ? oldest(test) : 0;
		expect_numbers(test, crash(test), first, i);
		strobe_ring_commit(&a);
		expect_numbers(test, crash(test), oldest(test), i + 3);
	}
	expect_sound(test);
}

/* Boot from @r->damaged: all records found are intact, and the ring works. */
static u32 boot_damaged(struct kunit *test, u32 end)
{
	struct region_test *r = test->priv;
	struct strobe_ring *ring = boot(test, r->damaged);
	u32 first = 0, n = drain(test, ring, &first);
	struct strobe_ring_record record;

	KUNIT_EXPECT_LE(test, first + n, end);
	KUNIT_EXPECT_EQ(test, strobe_ring_check(ring, STROBE_RING_ALL_CPUS), 0);
	/* The ring can be written and read. */
	swap(ring, r->t.ring);
	KUNIT_EXPECT_TRUE(test, put(test->priv, 8, end));
	swap(ring, r->t.ring);
	KUNIT_EXPECT_TRUE(test, strobe_ring_peek(ring, r->t.cpu, &record));
	strobe_ring_destroy(ring);
	return n;
}

/* With any bit of the header flipped, no record is found. */
static void region_test_header(struct kunit *test)
{
	struct region_test *r = test->priv;
	u32 bit;

	for (bit = 0; bit < 100; bit++)
		put_number(test, bit);
	for (bit = 0; bit < 8 * sizeof(struct strobe_region); bit++) {
		memcpy(r->damaged, r->live, r->bytes);
		((u8 *)r->damaged)[bit / 8] ^= 1 << bit % 8;
		KUNIT_ASSERT_EQ(test, boot_damaged(test, 100), 0);
	}
	memcpy(r->damaged, r->live, r->bytes);
	KUNIT_EXPECT_EQ(test, boot_damaged(test, 100), 100);
}

/* With any bit of a CPU's tables flipped, no record is found, or only intact ones. */
static void region_test_tables(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(r->t.ring, r->t.cpu);
	size_t start = (void *)rc->kept - r->live, bit;
	size_t bytes = (void *)(rc->store->laps + TEST_SLOTS) -
		       (void *)rc->kept;
	u32 i, n, refused = 0;

	for (i = 0; i < 500; i++)
		put_number(test, i);
	memcpy(r->damaged, r->live, r->bytes);
	n = boot_damaged(test, 500);
	KUNIT_EXPECT_GT(test, n, 50);
	for (bit = 0; bit < 8 * bytes; bit++) {
		u32 found;

		memcpy(r->damaged, r->live, r->bytes);
		((u8 *)r->damaged)[start + bit / 8] ^= 1 << bit % 8;
		found = boot_damaged(test, 500);
		refused += !found;
		/* The sealed words @committed and @read. */
		if (bit / 64 == 0 ||
		    bit / 64 == offsetof(struct strobe_region_cpu, read) / 8)
			KUNIT_ASSERT_EQ(test, found, 0);
	}
	KUNIT_EXPECT_GT(test, refused, 128);
}

/* Damaged record headers and damaged sub-buffers. */
static void region_test_records(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(r->t.ring, r->t.cpu);
	struct strobe_ring *ring;
	u32 i, id, *head;

	for (i = 0; i < 500; i++)
		put_number(test, i);
	for (id = 0; id < TEST_SLOTS; id++) {
		size_t offset = (void *)rc->store->subbufs[id]->data - r->live;

		for (i = 0; i < 32; i++) {
			memcpy(r->damaged, r->live, r->bytes);
			head = r->damaged + offset;
			/* Any type, whatever follows. */
			head[0] = (head[0] & ~31) | i;
			ring = boot(test, r->damaged);
			strobe_ring_destroy(ring);
		}
		memcpy(r->damaged, r->live, r->bytes);
		memset(r->damaged + offset, 0, 4080);
		KUNIT_EXPECT_EQ(test, boot_damaged(test, 500), 0);
		memcpy(r->damaged, r->live, r->bytes);
		/* Only time stamps: valid, without records, in the newest sub-buffer. */
		memset(r->damaged + offset, 0xff, 4080);
		KUNIT_EXPECT_LT(test, boot_damaged(test, 500), 500 - oldest(test));
	}
}

/* A region with another build id or size, or without a header, has no records. */
static void region_test_foreign(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_past past;
	struct strobe_ring *ring;
	u32 i;

	for (i = 0; i < 100; i++)
		put_number(test, i);
	memcpy(r->copy, r->live, r->bytes);
	ring = make_ring(r->copy, r->bytes, MAKER + 1, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
	expect_numbers(test, ring, 0, 0);
	memcpy(r->copy, r->live, r->bytes);
	ring = make_ring(r->copy, r->bytes - PAGE_SIZE, MAKER, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
	expect_numbers(test, ring, 0, 0);
	/* The old records do not reappear at the next boot. */
	expect_numbers(test, boot(test, r->copy), 0, 0);
	memset(r->copy, 0xa5, r->bytes);
	expect_numbers(test, boot(test, r->copy), 0, 0);
	ring = make_ring(r->copy, PAGE_SIZE, MAKER, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring), -ENOMEM);
}

/* A region of an older or newer layout has no records, and becomes one of this layout. */
static void region_test_version(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_region *header = (void *)r->copy;
	static const u32 versions[] = {
		0, 1, STROBE_REGION_VERSION - 1, STROBE_REGION_VERSION + 1, U32_MAX,
	};
	struct strobe_ring_past past;
	struct strobe_ring *ring;
	u32 i;

	for (i = 0; i < 100; i++)
		put_number(test, i);
	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		memcpy(r->copy, r->live, r->bytes);
		header->version = versions[i];
		ring = make_ring(r->copy, r->bytes, MAKER, 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
		KUNIT_EXPECT_FALSE(test, strobe_ring_past(ring, &past));
		KUNIT_EXPECT_EQ(test, header->version, STROBE_REGION_VERSION);
		expect_numbers(test, ring, 0, 0);
	}
}

/* The slots use most of the region, and never more than all of it. */
static void region_test_sizes(struct kunit *test)
{
	size_t bytes;
	u32 nr, last = 0;

	for (bytes = 0; bytes < 200 * PAGE_SIZE; bytes += 512) {
		nr = strobe_region_slots(bytes, 0);
		KUNIT_EXPECT_LE(test, (size_t)nr * nr_cpu_ids * PAGE_SIZE, bytes);
		KUNIT_EXPECT_LE(test, last, nr);
		last = nr;
	}
	nr = strobe_region_slots(64 * SZ_1M, 0);
	KUNIT_EXPECT_LT(test, 64UL * SZ_1M / 100 * 98, nr * nr_cpu_ids * PAGE_SIZE);
	KUNIT_EXPECT_LE(test, strobe_region_slots(SIZE_MAX / 2, 0), STROBE_RING_SLOTS_MAX);
}

/* Operations that would move a persistent ring in memory are refused. */
static void region_test_fixed(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_params params = { .bytes = strobe_ring_bytes(t->ring, t->cpu) };
	struct strobe_ring *other = strobe_ring_create(&params);
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	for (i = 0; i < 10; i++)
		put_number(test, i);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, SZ_1M, t->cpu), -EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, 0), 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_match(t->ring, other), -EBUSY);
	preempt_disable();
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(t->ring, other), -EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(other, t->ring), -EBUSY);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, strobe_ring_swap_cpu(t->ring, other, t->cpu), -EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_map(t->ring, t->cpu), -ENODEV);
	strobe_ring_destroy(other);
	expect_sound(test);
	expect_numbers(test, crash(test), 0, 10);
}

/*
 * In discard mode a record that was not consumed is not overwritten, even if the reader has
 * copied it: the next boot finds it.
 */
static void region_test_copied(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	u32 i, end;

	strobe_ring_set_overwrite(r->t.ring, false);
	for (end = 0; end < 1000 && put(&r->t, length_of(end), end); end++)
		test_now += 10;
	KUNIT_ASSERT_LT(test, end, 1000);
	for (i = 0; i < 5; i++) {
		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(r->t.ring, r->t.cpu, &record));
		KUNIT_EXPECT_EQ(test, *(const u32 *)record.data, i);
		strobe_ring_consume(r->t.ring, r->t.cpu);
	}
	for (i = 0; i < 100; i++)
		end += put(&r->t, length_of(end), end);
	expect_sound(test);
	expect_numbers(test, crash(test), 5, end);
}

/* In overwrite mode they are overwritten and counted, and the reader does not show them. */
static void region_test_overtaken(struct kunit *test)
{
	struct region_test *r = test->priv;
	struct strobe_ring_record record;
	u32 i;

	for (i = 0; i < 100; i++)
		put_number(test, i);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(r->t.ring, r->t.cpu, &record));
	strobe_ring_consume(r->t.ring, r->t.cpu);
	for (; i < 1000; i++)
		put_number(test, i);
	expect_sound(test);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(r->t.ring, r->t.cpu, &record));
	i = *(const u32 *)record.data;
	KUNIT_EXPECT_GT(test, i, 100);
	KUNIT_EXPECT_EQ(test, record.lost, i - 1);
	expect_numbers(test, crash(test), i, 1000);
	expect_sound(test);
}

static struct kunit_case region_test_cases[] = {
	KUNIT_CASE(region_test_all),
	KUNIT_CASE(region_test_same),
	KUNIT_CASE(region_test_consumed),
	KUNIT_CASE(region_test_pages),
	KUNIT_CASE(region_test_copied),
	KUNIT_CASE(region_test_overtaken),
	KUNIT_CASE(region_test_again),
	KUNIT_CASE(region_test_time),
	KUNIT_CASE(region_test_reset),
	KUNIT_CASE(region_test_cut),
	KUNIT_CASE(region_test_header),
	KUNIT_CASE(region_test_tables),
	KUNIT_CASE(region_test_records),
	KUNIT_CASE(region_test_foreign),
	KUNIT_CASE(region_test_version),
	KUNIT_CASE(region_test_sizes),
	KUNIT_CASE(region_test_fixed),
	{}
};

static struct kunit_suite region_test_suite = {
	.name = "strobe_region",
	.init = region_test_init,
	.exit = region_test_exit,
	.test_cases = region_test_cases,
};

kunit_test_suite(region_test_suite);
