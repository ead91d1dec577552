// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ring: writers and a reader on one CPU, with a clock that the
 * test sets. A nested writer reserves before the outer one commits, as in an
 * interrupt. Also built in user space by tools/testing/strobe, which also has
 * torture tests for the races.
 */
#include "ring/ring_test.h"

/* Consume a record and check it: its value, its time, and the records lost before it. */
static void expect(struct kunit *test, u32 value, u64 ts, unsigned long lost)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;

	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, value);
	KUNIT_EXPECT_EQ(test, record.ts, ts);
	KUNIT_EXPECT_EQ(test, record.lost, lost);
	KUNIT_EXPECT_EQ(test, record.cpu, t->cpu);
	strobe_ring_consume(t->ring, t->cpu);
}

static void expect_nothing(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;

	KUNIT_EXPECT_FALSE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	KUNIT_EXPECT_TRUE(test, strobe_ring_empty(t->ring, t->cpu));
}

/* Records of each length are read as they were written. */
static void ring_test_lengths(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u32 max = strobe_ring_max_payload(t->ring), len, i;
	struct strobe_ring_record record;
	struct strobe_ring_resv resv;
	u8 *data;

	for (len = 0; len <= max; len++) {
		preempt_disable();
		data = strobe_ring_reserve(t->ring, len, &resv);
		for (i = 0; data && i < len; i++)
			data[i] = len + i;
		if (data)
			strobe_ring_commit(&resv);
		preempt_enable();
		KUNIT_ASSERT_NOT_NULL(test, data);

		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		KUNIT_ASSERT_EQ(test, record.len, max(len + 3, 4U) / 4 * 4);
		for (i = 0; i < len; i++) {
			if (((u8 *)record.data)[i] != (u8)(len + i))
				break;
		}
		KUNIT_ASSERT_EQ(test, i, len);
		strobe_ring_consume(t->ring, t->cpu);
	}
	KUNIT_EXPECT_FALSE(test, put(t, max + 1, 0));
	KUNIT_EXPECT_FALSE(test, put(t, U32_MAX, 0));
	KUNIT_EXPECT_EQ(test, get_stats(t).dropped, 2);
	KUNIT_EXPECT_EQ(test, get_stats(t).read, max + 1);
	expect_nothing(test);
	expect_sound(test);
}

/* Times are exact, over gaps of any length, outermost and nested. */
static void ring_test_time(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_resv outer, inner;
	u64 start = test_now, gap;
	u32 i;

	/* In one sub-buffer: 12 bytes each, or 20 with a time record. */
	for (i = 0, gap = 0; i < 61; i++, gap = gap ? gap * 2 : 1) {
		test_now += i < 59 ? gap : 0;
		KUNIT_ASSERT_TRUE(test, put(t, 8, i));
	}
	test_now = start;
	for (i = 0, gap = 0; i < 61; i++, gap = gap ? gap * 2 : 1) {
		test_now += i < 59 ? gap : 0;
		expect(test, i, test_now, 0);
	}

	/* The inner record follows a gap that is too long for the time in the state word, */
	preempt_disable();
	begin(t, 8, 1, &outer);
	test_now += 3ULL << 40;
	begin(t, 8, 2, &inner);
	strobe_ring_commit(&inner);
	strobe_ring_commit(&outer);
	preempt_enable();
	expect(test, 1, test_now - (3ULL << 40), 0);
	expect(test, 2, test_now, 0);

	/* and interrupts a writer before that writer has stored its time. */
	preempt_disable();
	begin(t, 8, 3, &outer);
	strobe_ring_of(t->ring, t->cpu)->last_word = STROBE_WORD_NONE;
	test_now += 3ULL << 40;
	begin(t, 8, 4, &inner);
	strobe_ring_commit(&inner);
	strobe_ring_commit(&outer);
	preempt_enable();
	expect(test, 3, test_now - (3ULL << 40), 0);
	expect(test, 4, test_now, 0);
	expect_sound(test);
}

/* If the clock goes back a little, a record gets the previous time; if more, its own. */
static void ring_test_time_back(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u64 now = test_now;

	put(t, 8, 1);
	test_now = now - 1000;
	put(t, 8, 2);
	test_now = now + 5;
	put(t, 8, 3);
	test_now = now - (1ULL << 29);
	put(t, 8, 4);
	test_now += 7;
	put(t, 8, 5);
	expect(test, 1, now, 0);
	expect(test, 2, now, 0);
	expect(test, 3, now + 5, 0);
	expect(test, 4, now - (1ULL << 29), 0);
	expect(test, 5, now - (1ULL << 29) + 7, 0);
	expect_sound(test);
}

/* Time stamps have 59 bits; the reader restores the higher bits. */
static void ring_test_time_large(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_resv outer, inner;

	test_now = 0x1800000000000000ULL - 100;
	preempt_disable();
	begin(t, 8, 1, &outer);
	/* As if it interrupted the outer one before that stored its time: needs a time stamp */
	strobe_ring_of(t->ring, t->cpu)->last_word = STROBE_WORD_NONE;
	test_now += 1ULL << 32;		/* past a multiple of 2^59 */
	begin(t, 8, 2, &inner);
	strobe_ring_commit(&inner);
	strobe_ring_commit(&outer);
	preempt_enable();
	expect(test, 1, test_now - (1ULL << 32), 0);
	expect(test, 2, test_now, 0);
	/* And back below that multiple. */
	test_now -= 1ULL << 32;
	put(t, 8, 3);
	expect(test, 3, test_now, 0);
}

/* Readers see no record before the outermost writer has committed. */
static void ring_test_nested(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_resv resv[4];
	int i;

	preempt_disable();
	for (i = 0; i < 4; i++) {
		test_now += 10;
		KUNIT_EXPECT_NOT_NULL(test, begin(t, 8 + 200 * i, i, &resv[i]));
	}
	while (i--) {
		preempt_enable();
		expect_nothing(test);
		preempt_disable();
		strobe_ring_commit(&resv[i]);
	}
	preempt_enable();
	for (i = 0; i < 4; i++)
		expect(test, i, test_now - 10 * (3 - i), 0);
	expect_nothing(test);
	expect_sound(test);
}

/*
 * An event that fires itself while its record is filled, for the @n-th time. Return: whether
 * that ended before the stack might.
 */
static bool fire_itself(struct ring_test *t, u32 n)
{
	struct strobe_ring_resv resv;
	bool ended;

	if (n == 4 * STROBE_RING_WRITERS)
		return false;
	if (!begin(t, 8, n, &resv))
		return true;
	ended = fire_itself(t, n + 1);
	strobe_ring_commit(&resv);
	return ended;
}

static void ring_test_fires_itself(struct kunit *test)
{
	struct ring_test *t = test->priv;
	bool ended;
	u32 i;

	preempt_disable();
	ended = fire_itself(t, 0);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, ended);
	KUNIT_EXPECT_EQ(test, get_stats(t).dropped, 1);
	for (i = 0; i < STROBE_RING_WRITERS; i++)
		expect(test, i, test_now, 0);
	expect_nothing(test);
	expect_sound(test);
}

/* A discarded record leaves nothing if it is the last one, else padding. */
static void ring_test_discard(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	struct strobe_ring_resv outer, inner;
	u32 len, n = 0;
	u64 word;

	put(t, 8, 0);
	expect(test, 0, test_now, 0);
	for (len = 4; len < 300; len += 4, n++) {
		/* Alone: the next record takes its place. */
		word = rc->word;
		preempt_disable();
		test_now += 3;
		begin(t, len, 1, &outer);
		strobe_ring_discard(&outer);
		preempt_enable();
		if (strobe_word_seq(rc->word) == strobe_word_seq(word))
			KUNIT_EXPECT_EQ(test, rc->word, word);
		else
			KUNIT_EXPECT_EQ(test, strobe_word_off(rc->word), 0);
		expect_nothing(test);

		/* With a record after it, it becomes padding; that record's time is right. */
		preempt_disable();
		test_now += 3;
		begin(t, len, 2, &outer);
		test_now += 5;
		begin(t, 8, 3, &inner);
		strobe_ring_commit(&inner);
		strobe_ring_discard(&outer);
		preempt_enable();
		expect(test, 3, test_now, 0);
		expect_nothing(test);
	}
	KUNIT_EXPECT_EQ(test, get_stats(t).discarded, 2 * n);
	KUNIT_EXPECT_EQ(test, get_stats(t).reserved, 3 * n + 1);
	expect_sound(test);
}

/* However many records are discarded, each after a long gap, nothing is left of them. */
static void ring_test_discard_extend(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	struct strobe_ring_resv resv;
	u64 word;
	u32 i;

	put(t, 8, 1);
	expect(test, 1, test_now, 0);
	word = rc->word;
	for (i = 0; i < 1000; i++) {
		preempt_disable();
		test_now += 1ULL << (28 + i % 8);
		begin(t, 200, 2, &resv);
		strobe_ring_discard(&resv);
		preempt_enable();
		KUNIT_ASSERT_EQ(test, rc->word, word);
	}
	KUNIT_EXPECT_TRUE(test, strobe_ring_empty(t->ring, t->cpu));
	/* The time is right, also after a short gap. */
	test_now += 5;
	put(t, 8, 3);
	expect(test, 3, test_now, 0);
	test_now += 5;
	put(t, 8, 4);
	expect(test, 4, test_now, 0);
	expect_sound(test);
}

/* Padding does not change the time of the record after it. */
static void ring_test_discard_time(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_resv outer, inner;
	static const u64 gaps[] = { 0, 1, 100, 1ULL << 27, 1ULL << 33 };
	u32 i, n = 0;

	/* First in its sub-buffer, then after another record. */
	for (i = 0; i < 2 * ARRAY_SIZE(gaps); i++) {
		if (i < ARRAY_SIZE(gaps))
			strobe_ring_reset(t->ring, STROBE_RING_ALL_CPUS);
		preempt_disable();
		test_now += gaps[i % ARRAY_SIZE(gaps)];
		begin(t, 4, 1, &outer);
		begin(t, 8, ++n, &inner);
		strobe_ring_commit(&inner);
		strobe_ring_discard(&outer);
		preempt_enable();
		expect(test, n, test_now, 0);
		expect_nothing(test);
	}
	/* Alone after a long gap, with another gap before the next record. */
	preempt_disable();
	test_now += 1ULL << 35;
	begin(t, 8, 1, &outer);
	strobe_ring_discard(&outer);
	preempt_enable();
	test_now += 1ULL << 28;
	put(t, 8, 2);
	expect(test, 2, test_now, 0);
	expect_sound(test);
}

/* A reader that has reached the end takes account of a time record with no data after it. */
static void ring_test_discard_last(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_resv resv;

	put(t, 8, 1);
	expect(test, 1, test_now, 0);
	preempt_disable();
	test_now += 1ULL << 33;
	begin(t, 8, 2, &resv);
	strobe_ring_discard(&resv);
	preempt_enable();
	KUNIT_EXPECT_FALSE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	test_now += 5;
	put(t, 8, 3);
	expect(test, 3, test_now, 0);
	expect_sound(test);
}

/* In overwrite mode the oldest are overwritten; the next record reports the loss. */
static void ring_test_overwrite(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u32 n = 10 * TEST_SLOTS * PER_SUBBUF + 3, kept, i;
	struct strobe_ring_stats stats;

	KUNIT_EXPECT_EQ(test, fill(t, n), n);
	stats = get_stats(t);
	kept = (TEST_SLOTS - 1) * PER_SUBBUF + 3;
	KUNIT_EXPECT_EQ(test, stats.entries, kept);
	KUNIT_EXPECT_EQ(test, stats.overrun, n - kept);
	KUNIT_EXPECT_EQ(test, stats.bytes, kept * 100);
	KUNIT_EXPECT_EQ(test, stats.oldest_ts, SZ_1G + n - kept + 1);
	expect_sound(test);
	for (i = n - kept; i < n; i++)
		expect(test, i, SZ_1G + i + 1, i == n - kept ? n - kept : 0);
	expect_nothing(test);
	expect_sound(test);
	stats = get_stats(t);
	KUNIT_EXPECT_EQ(test, stats.read, kept);
	KUNIT_EXPECT_EQ(test, stats.entries, 0);
}

/* Loss in the middle, with part of a sub-buffer consumed before. */
static void ring_test_overtaken(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u32 i, lost;

	fill(t, 10);
	for (i = 0; i < 5; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	fill(t, TEST_SLOTS * PER_SUBBUF);
	/* Five more are in the reader page already, and cannot be overwritten. */
	for (i = 5; i < 10; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	lost = PER_SUBBUF - 10;
	expect(test, lost, SZ_1G + 10 + lost + 1, lost);
	KUNIT_EXPECT_EQ(test, get_stats(t).overrun, lost);
	expect_sound(test);
}

/* In discard mode new records are dropped until a reader consumes. */
static void ring_test_full(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u32 room = TEST_SLOTS * PER_SUBBUF, i;

	strobe_ring_set_overwrite(t->ring, false);
	KUNIT_EXPECT_EQ(test, fill(t, room + 50), room);
	KUNIT_EXPECT_EQ(test, get_stats(t).dropped, 50);
	KUNIT_EXPECT_EQ(test, get_stats(t).overrun, 0);
	for (i = 0; i < PER_SUBBUF; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	KUNIT_EXPECT_EQ(test, fill(t, room), PER_SUBBUF);
	for (; i < room; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	for (i = 0; i < PER_SUBBUF; i++)
		expect(test, i, SZ_1G + room + 50 + i + 1, 0);
	expect_nothing(test);
	/* After all are consumed in place, as many fit again. */
	KUNIT_EXPECT_EQ(test, fill(t, room), room);
	expect_sound(test);
}

/* A nested writer does not wrap onto the record of the writer that it interrupted. */
static void ring_test_wrap(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_resv outer;
	u32 i, done;

	put(t, 96, 0);
	preempt_disable();
	begin(t, 96, 4711, &outer);
	done = fill(t, 10 * TEST_SLOTS * PER_SUBBUF);
	strobe_ring_commit(&outer);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, done, TEST_SLOTS * PER_SUBBUF - 2);
	KUNIT_EXPECT_EQ(test, get_stats(t).commit_overrun,
			10 * TEST_SLOTS * PER_SUBBUF - done);
	expect_sound(test);
	expect(test, 0, SZ_1G, 0);
	expect(test, 4711, SZ_1G, 0);
	for (i = 0; i < done; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	expect_nothing(test);
}

/* An iterator shows all records and consumes none. */
static void ring_test_iterate(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_iter *iter;
	u32 n = 2 * PER_SUBBUF + 7, i, pass;

	fill(t, n);
	expect(test, 0, SZ_1G + 1, 0);
	iter = strobe_ring_iter_open(t->ring, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	for (pass = 0; pass < 2; pass++) {
		for (i = 1; strobe_ring_iter_peek(iter, &record); i++) {
			KUNIT_ASSERT_EQ(test, *(u32 *)record.data, i);
			KUNIT_ASSERT_EQ(test, record.ts, SZ_1G + i + 1);
			KUNIT_ASSERT_EQ(test, record.lost, 0);
			strobe_ring_iter_advance(iter);
		}
		KUNIT_EXPECT_EQ(test, i, n);
		strobe_ring_iter_reset(iter);
	}
	/* Overtaken by writers after the first sub-buffer: it reports how many it missed. */
	for (i = 0; i < PER_SUBBUF - 1; i++) {
		KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
		strobe_ring_iter_advance(iter);
	}
	fill(t, TEST_SLOTS * PER_SUBBUF);
	KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
	KUNIT_EXPECT_EQ(test, record.lost, 2 * PER_SUBBUF);
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, PER_SUBBUF - 7);
	strobe_ring_iter_close(iter);
	expect_sound(test);
}

/* An iterator ends where the ring ended when the iterator was opened or reset. */
static void ring_test_iterate_bound(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_iter *iter;
	u32 i;

	fill(t, 5);
	iter = strobe_ring_iter_open(t->ring, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	for (i = 0; strobe_ring_iter_peek(iter, &record); i++) {
		fill(t, 1);
		strobe_ring_iter_advance(iter);
	}
	KUNIT_EXPECT_EQ(test, i, 5);
	strobe_ring_iter_reset(iter);
	for (i = 0; strobe_ring_iter_peek(iter, &record); i++)
		strobe_ring_iter_advance(iter);
	KUNIT_EXPECT_EQ(test, i, 10);
	strobe_ring_iter_close(iter);
}

/* Growing keeps all records, shrinking the newest; if too large, nothing changes. */
static void ring_test_resize(struct kunit *test)
{
	struct ring_test *t = test->priv;
	size_t subbuf = strobe_ring_limit(0) * STROBE_RECORD_UNIT;
	u32 n = 3 * PER_SUBBUF + 5, i;

	fill(t, n);
	expect(test, 0, SZ_1G + 1, 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, 9 * subbuf - 1, t->cpu), 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_bytes(t->ring, t->cpu), 9 * subbuf);
	KUNIT_EXPECT_EQ(test, get_stats(t).entries, n - 1);
	expect_sound(test);

	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, SIZE_MAX / 4, t->cpu), -ENOMEM);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, SIZE_MAX, t->cpu), -ENOMEM);
	KUNIT_EXPECT_EQ(test, strobe_ring_bytes(t->ring, t->cpu), 9 * subbuf);

	for (i = 1; i < PER_SUBBUF; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, 1, STROBE_RING_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_bytes(t->ring, t->cpu), 2 * subbuf);
	KUNIT_EXPECT_EQ(test, get_stats(t).overrun, PER_SUBBUF);
	expect_sound(test);
	for (i = 2 * PER_SUBBUF; i < n; i++)
		expect(test, i, SZ_1G + i + 1, i == 2 * PER_SUBBUF ? PER_SUBBUF : 0);
	expect_nothing(test);
	KUNIT_EXPECT_EQ(test, fill(t, 5 * PER_SUBBUF), 5 * PER_SUBBUF);
	expect_sound(test);
}

/* A reset clears records and counts; switched off or disabled, none is recorded or counted. */
static void ring_test_control(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_stats stats;

	fill(t, 2 * TEST_SLOTS * PER_SUBBUF);
	expect(test, TEST_SLOTS * PER_SUBBUF,
	       test_now + 1 - TEST_SLOTS * PER_SUBBUF, TEST_SLOTS * PER_SUBBUF);
	strobe_ring_reset(t->ring, t->cpu);
	expect_nothing(test);
	stats = get_stats(t);
	KUNIT_EXPECT_EQ(test, stats.reserved + stats.entries + stats.overrun +
			stats.read + stats.bytes + stats.oldest_ts, 0);
	expect_sound(test);

	strobe_ring_set_on(t->ring, false);
	KUNIT_EXPECT_FALSE(test, strobe_ring_is_on(t->ring));
	KUNIT_EXPECT_FALSE(test, put(t, 8, 1));
	strobe_ring_record_disable(t->ring, t->cpu);
	strobe_ring_set_on(t->ring, true);
	strobe_ring_record_disable(t->ring, STROBE_RING_ALL_CPUS);
	KUNIT_EXPECT_FALSE(test, put(t, 8, 1));
	strobe_ring_record_enable(t->ring, STROBE_RING_ALL_CPUS);
	KUNIT_EXPECT_FALSE(test, put(t, 8, 1));
	strobe_ring_record_enable(t->ring, t->cpu);
	KUNIT_EXPECT_TRUE(test, put(t, 8, 1));
	stats = get_stats(t);
	KUNIT_EXPECT_EQ(test, stats.reserved, 1);
	KUNIT_EXPECT_EQ(test, stats.dropped, 0);
	expect(test, 1, test_now, 0);
}

/* The dumper shows each remaining record once, and consumes none. */
static void ring_test_dump(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	u32 n = 2 * PER_SUBBUF + 9, i;

	fill(t, n);
	expect(test, 0, SZ_1G + 1, 0);
	preempt_disable();
	for (i = 1; strobe_ring_dump_peek(t->ring, t->cpu, &record); i++) {
		KUNIT_EXPECT_EQ(test, *(u32 *)record.data, i);
		KUNIT_EXPECT_EQ(test, record.ts, SZ_1G + i + 1);
		strobe_ring_dump_consume(t->ring, t->cpu);
	}
	preempt_enable();
	KUNIT_EXPECT_EQ(test, i, n);
	put(t, 96, 4711);
	preempt_disable();
	KUNIT_EXPECT_TRUE(test, strobe_ring_dump_peek(t->ring, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, 4711);
	preempt_enable();
	expect(test, 1, SZ_1G + 2, 0);
	KUNIT_EXPECT_EQ(test, get_stats(t).entries, n - 1);
}

/* Records that damage makes unreadable count as lost, and none is shown twice. */
static void ring_test_damage(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_iter *iter;
	u32 *data, i;

	fill(t, 2 * PER_SUBBUF);
	expect(test, 0, SZ_1G + 1, 0);
	/* Turn the third record in the reader page into many, then into none. */
	data = (u32 *)strobe_ring_of(t->ring, t->cpu)->reader.hand.subbuf->data + 2 * 25;
	for (i = 0; i < 22; i += 2)
		data[i] = strobe_record_word(1, 0);
	data[22] = strobe_record_word(2, 0);
	iter = strobe_ring_iter_open(t->ring, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	for (i = 0; i < 3 * PER_SUBBUF && strobe_ring_iter_peek(iter, &record); i++)
		strobe_ring_iter_advance(iter);
	KUNIT_EXPECT_EQ(test, i, 2 * PER_SUBBUF - 1);
	strobe_ring_iter_close(iter);

	data[0] = strobe_record_word(STROBE_RECORD_LARGE, 0);
	data[1] = U32_MAX;
	expect(test, 1, SZ_1G + 2, 0);
	expect(test, PER_SUBBUF, SZ_1G + PER_SUBBUF + 1, PER_SUBBUF - 2);
	KUNIT_EXPECT_EQ(test, get_stats(t).overrun, PER_SUBBUF - 2);
	expect_sound(test);
	for (i = PER_SUBBUF + 1; i < 2 * PER_SUBBUF; i++)
		expect(test, i, SZ_1G + i + 1, 0);
	expect_nothing(test);
	expect_sound(test);
}

/* Records removed by a reset after they were shown are neither consumed nor shown again. */
static void ring_test_reset_shown(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record shown, record;
	struct strobe_ring_iter *iter;

	put(t, 8, 1);
	put(t, 8, 2);
	iter = strobe_ring_iter_open(t->ring, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
	strobe_ring_iter_advance(iter);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &shown));
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_removed(iter, &shown));

	strobe_ring_reset(t->ring, t->cpu);
	KUNIT_EXPECT_TRUE(test, strobe_ring_iter_removed(iter, &shown));
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_peek(iter, &record));
	put(t, 8, 3);
	strobe_ring_consume(t->ring, t->cpu);
	KUNIT_EXPECT_EQ(test, get_stats(t).read, 0);
	expect(test, 3, test_now, 0);
	strobe_ring_iter_close(iter);
}

/* An iterator loses no record if the ring is resized meanwhile. */
static void ring_test_resize_shown(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_iter *iter;
	u32 i;

	for (i = 0; i < 3; i++)
		put(t, 8, i);
	iter = strobe_ring_iter_open(t->ring, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
		KUNIT_EXPECT_EQ(test, *(u32 *)record.data, i);
		KUNIT_EXPECT_EQ(test, record.lost, 0);
		strobe_ring_iter_advance(iter);
		KUNIT_ASSERT_EQ(test, strobe_ring_resize(t->ring, (8 + i) * PAGE_SIZE,
							 t->cpu), 0);
	}
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_peek(iter, &record));
	strobe_ring_iter_close(iter);
}

/* The clock goes back when a writer crosses into the next sub-buffer. */
static void ring_test_cross_back(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u32 big = strobe_ring_max_payload(t->ring) - 64, i;
	u64 before = test_now;

	put(t, big, 1);
	for (i = 2; i < 4; i++) {
		test_now -= 10;
		put(t, big, i);
	}
	for (i = 1; i < 4; i++)
		expect(test, i, before, 0);
	expect_sound(test);
}

/* Events refused while writers are held off count as dropped; switched off, they do not. */
static void ring_test_held_off(struct kunit *test)
{
	struct ring_test *t = test->priv;

	KUNIT_EXPECT_TRUE(test, put(t, 8, 0));
	strobe_ring_stop(t->ring, t->cpu);
	KUNIT_EXPECT_FALSE(test, put(t, 8, 1));
	KUNIT_EXPECT_FALSE(test, put(t, 8, 2));
	KUNIT_EXPECT_EQ(test, get_stats(t).dropped, 2);
	strobe_ring_set_on(t->ring, false);
	KUNIT_EXPECT_FALSE(test, put(t, 8, 3));
	strobe_ring_start(t->ring, t->cpu);
	KUNIT_EXPECT_FALSE(test, put(t, 8, 4));
	strobe_ring_set_on(t->ring, true);
	KUNIT_EXPECT_TRUE(test, put(t, 8, 5));
	KUNIT_EXPECT_EQ(test, get_stats(t).dropped, 2);
	KUNIT_EXPECT_EQ(test, get_stats(t).reserved, 2);
	strobe_ring_reset(t->ring, t->cpu);
	KUNIT_EXPECT_EQ(test, get_stats(t).dropped, 0);
	expect_sound(test);
}

static struct kunit_case ring_test_cases[] = {
	KUNIT_CASE(ring_test_lengths),
	KUNIT_CASE(ring_test_time),
	KUNIT_CASE(ring_test_time_back),
	KUNIT_CASE(ring_test_time_large),
	KUNIT_CASE(ring_test_nested),
	KUNIT_CASE(ring_test_fires_itself),
	KUNIT_CASE(ring_test_discard),
	KUNIT_CASE(ring_test_discard_time),
	KUNIT_CASE(ring_test_discard_extend),
	KUNIT_CASE(ring_test_discard_last),
	KUNIT_CASE(ring_test_overwrite),
	KUNIT_CASE(ring_test_overtaken),
	KUNIT_CASE(ring_test_full),
	KUNIT_CASE(ring_test_wrap),
	KUNIT_CASE(ring_test_iterate),
	KUNIT_CASE(ring_test_iterate_bound),
	KUNIT_CASE(ring_test_resize),
	KUNIT_CASE(ring_test_control),
	KUNIT_CASE(ring_test_reset_shown),
	KUNIT_CASE(ring_test_resize_shown),
	KUNIT_CASE(ring_test_cross_back),
	KUNIT_CASE(ring_test_dump),
	KUNIT_CASE(ring_test_damage),
	KUNIT_CASE(ring_test_held_off),
	{}
};

static struct kunit_suite ring_test_suite = {
	.name = "strobe_ring",
	.init = ring_test_init,
	.exit = ring_test_exit,
	.test_cases = ring_test_cases,
};

kunit_test_suite(ring_test_suite);
