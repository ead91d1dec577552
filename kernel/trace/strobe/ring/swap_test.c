// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of swapping the contents of two rings: one CPU, a clock that the test
 * sets. Also built in user space by tools/testing/strobe.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/smp.h>

#include "ring/internal.h"
#include "ring/write.h"

#define TEST_SLOTS	4
/* Number of put() records that fill a sub-buffer of one page. */
#define PER_SUBBUF	(1020 / 3)

static u64 test_now;

static u64 test_clock(void)
{
	return test_now;
}

struct swap_test {
	struct strobe_ring	*live;
	struct strobe_ring	*kept;
	int			cpu;
	u32			fired;
};

static const struct strobe_ring_params test_params = {
	.bytes = TEST_SLOTS * 1020 * STROBE_RECORD_UNIT,
	.overwrite = true,
	.clock = test_clock,
};

static int swap_test_init(struct kunit *test)
{
	struct swap_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	/* No need to undo this: the test case has its own thread. */
	t->cpu = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(t->cpu));
	test_now = SZ_1G;
	t->live = strobe_ring_create(&test_params);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->live));
	t->kept = strobe_ring_create(&test_params);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->kept));
	test->priv = t;
	return 0;
}

static void swap_test_exit(struct kunit *test)
{
	struct swap_test *t = test->priv;

	if (t) {
		strobe_ring_destroy(t->live);
		strobe_ring_destroy(t->kept);
	}
}

static bool put(struct strobe_ring *ring, u32 value)
{
	struct strobe_ring_resv resv;
	u32 *data;

	preempt_disable();
	data = strobe_ring_reserve(ring, 8, &resv);
	if (data) {
		*data = value;
		strobe_ring_commit(&resv);
	}
	preempt_enable();
	return data;
}

/* Fire @n events with consecutive numbers. Return: how many were recorded. */
static u32 fire(struct swap_test *t, u32 n)
{
	u32 done = 0;

	while (n--) {
		test_now++;
		done += put(t->live, t->fired++);
	}
	return done;
}

static int swap_all(struct swap_test *t)
{
	int err;

	preempt_disable();
	err = strobe_ring_swap(t->live, t->kept);
	preempt_enable();
	return err;
}

/* Swap all CPUs, or only the test's. */
static int swap_one(struct swap_test *t, bool all)
{
	return all ? swap_all(t) : strobe_ring_swap_cpu(t->live, t->kept, t->cpu);
}

static struct strobe_ring_stats get_stats(struct swap_test *t, struct strobe_ring *ring)
{
	struct strobe_ring_stats stats;

	strobe_ring_stats(ring, t->cpu, &stats);
	return stats;
}

static void expect(struct kunit *test, struct strobe_ring *ring, u32 value,
		   unsigned long lost)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_record record;

	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(ring, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, value);
	KUNIT_EXPECT_EQ(test, record.lost, lost);
	KUNIT_EXPECT_EQ(test, record.cpu, t->cpu);
	strobe_ring_consume(ring, t->cpu);
}

static void expect_empty(struct kunit *test, struct strobe_ring *ring)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_record record;

	KUNIT_EXPECT_FALSE(test, strobe_ring_peek(ring, t->cpu, &record));
	KUNIT_EXPECT_TRUE(test, strobe_ring_empty(ring, t->cpu));
}

static void expect_sound(struct kunit *test)
{
	struct swap_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->live, STROBE_RING_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->kept, STROBE_RING_ALL_CPUS), 0);
}

/* After a swap the records are in the other ring, and new ones go to the live ring. */
static void check_swap(struct kunit *test, bool all)
{
	struct swap_test *t = test->priv;
	u32 i;

	fire(t, 5);
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	expect_empty(test, t->live);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).entries, 5);
	fire(t, 3);
	for (i = 0; i < 5; i++)
		expect(test, t->kept, i, 0);
	expect_empty(test, t->kept);
	expect(test, t->live, 5, 0);
	expect_sound(test);

	/* Swap back: 6 and 7 are left of the second set of records, none of the first. */
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	expect_empty(test, t->live);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).read, 5);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).read, 1);
	fire(t, 1);
	expect(test, t->live, 8, 0);
	expect(test, t->kept, 6, 0);
	expect(test, t->kept, 7, 0);
	expect_sound(test);
}

static void swap_test_all(struct kunit *test)
{
	check_swap(test, true);
}

static void swap_test_cpu(struct kunit *test)
{
	check_swap(test, false);
}

/* Each event, whether recorded, dropped or discarded, is counted once in one of the rings. */
static void check_account(struct kunit *test, bool all)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_stats a, b;
	struct strobe_ring_record record;
	struct strobe_ring_resv resv;
	u32 turn, i;

	for (turn = 0; turn < 7; turn++) {
		strobe_ring_set_overwrite(t->live, turn % 3);
		fire(t, (turn % 4 * 3 + 1) * PER_SUBBUF / 2);
		for (i = 0; i < turn * 50; i++) {
			if (strobe_ring_peek(t->live, t->cpu, &record))
				strobe_ring_consume(t->live, t->cpu);
		}
		preempt_disable();
		t->fired++;
		if (strobe_ring_reserve(t->live, 8, &resv))
			strobe_ring_discard(&resv);
		preempt_enable();
		KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	}
	a = get_stats(t, t->live);
	b = get_stats(t, t->kept);
	KUNIT_EXPECT_EQ(test, a.reserved, a.read + a.entries + a.overrun + a.discarded);
	KUNIT_EXPECT_EQ(test, b.reserved, b.read + b.entries + b.overrun + b.discarded);
	KUNIT_EXPECT_EQ(test, t->fired, a.reserved + a.dropped + a.commit_overrun +
			b.reserved + b.dropped + b.commit_overrun);
	KUNIT_EXPECT_GT(test, a.overrun + b.overrun, 0);
	KUNIT_EXPECT_GT(test, a.dropped + b.dropped, 0);
	expect_sound(test);
}

static void swap_test_account(struct kunit *test)
{
	check_account(test, true);
}

static void swap_test_account_cpu(struct kunit *test)
{
	check_account(test, false);
}

/* A record reserved before a swap moves with the content; later ones go to the live ring. */
static void swap_test_nested(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_resv resv;
	u32 *data;

	preempt_disable();
	data = strobe_ring_reserve(t->live, 8, &resv);
	KUNIT_EXPECT_NOT_NULL(test, data);
	*data = 100;
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(t->live, t->kept), 0);
	put(t->live, 101);
	strobe_ring_commit(&resv);
	preempt_enable();
	expect(test, t->kept, 100, 0);
	expect(test, t->live, 101, 0);
	expect_sound(test);
}

/* Recording on or off, and the overwrite mode, stay with the ring. */
static void check_settings(struct kunit *test, bool all)
{
	struct swap_test *t = test->priv;

	strobe_ring_set_on(t->live, false);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 0);
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 0);
	KUNIT_EXPECT_FALSE(test, strobe_ring_is_on(t->live));
	KUNIT_EXPECT_TRUE(test, strobe_ring_is_on(t->kept));
	strobe_ring_set_on(t->live, true);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 1);
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 1);

	strobe_ring_record_disable(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 0);
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 0);
	strobe_ring_record_enable(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 1);
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 1);

	strobe_ring_set_overwrite(t->live, false);
	fire(t, 2 * TEST_SLOTS * PER_SUBBUF);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).overrun, 0);
	KUNIT_ASSERT_EQ(test, swap_one(t, all), 0);
	fire(t, 2 * TEST_SLOTS * PER_SUBBUF);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).overrun, 0);
	expect_sound(test);
}

static void swap_test_settings(struct kunit *test)
{
	check_settings(test, true);
}

static void swap_test_settings_cpu(struct kunit *test)
{
	check_settings(test, false);
}

static u64 other_clock(void)
{
	return 1;
}

/* Each reason to keep writers out, or off the fast path, stands in limit by itself. */
static void swap_test_limit(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_cpu *rc = per_cpu_ptr(t->live->percpu, t->cpu);
	u32 capacity = rc->store->limit;
	int i, limit, called;

	for (i = 0; i < 8; i++) {
		strobe_ring_set_on(t->live, !(i & 1));
		strobe_ring_set_on(t->live, !(i & 1));
		if (i & 2)
			strobe_ring_stop(t->live, t->cpu);
		strobe_ring_set_clock(t->live, i & 4 ? other_clock : NULL);
		limit = atomic_read(&rc->limit);
		called = i & 4 || !STROBE_CLOCK_INLINE ? STROBE_LIMIT_CLOCK : 0;
		KUNIT_EXPECT_EQ(test, limit & ~STROBE_LIMIT_SIGN,
				capacity | called | (i & 1 ? STROBE_LIMIT_OFF : 0) |
				(i & 2 ? STROBE_LIMIT_STOP : 0));
		KUNIT_EXPECT_EQ(test, limit < 0, i & 3 || called);
		if (i & 2)
			strobe_ring_start(t->live, t->cpu);
	}
	strobe_ring_set_on(t->live, true);
	strobe_ring_set_clock(t->live, NULL);
}

/* A writer that loaded rc before a swap still follows the settings of the live ring. */
static void swap_test_late(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_cpu *rc;
	int limit;

	strobe_ring_set_on(t->kept, false);
	preempt_disable();
	rc = this_cpu_ptr(READ_ONCE(t->live->percpu));
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(t->live, t->kept), 0);
	KUNIT_EXPECT_FALSE(test, strobe_ring_blocked(rc, &limit));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, fire(t, 1), 1);

	strobe_ring_set_on(t->live, false);
	strobe_ring_set_on(t->kept, true);
	preempt_disable();
	rc = this_cpu_ptr(READ_ONCE(t->live->percpu));
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(t->live, t->kept), 0);
	KUNIT_EXPECT_TRUE(test, strobe_ring_blocked(rc, &limit));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, fire(t, 1), 0);
}

/* A swap is refused and changes nothing. */
static void expect_refused(struct kunit *test, int err_all, int err_cpu)
{
	struct swap_test *t = test->priv;
	u64 entries = get_stats(t, t->live).entries;

	KUNIT_EXPECT_EQ(test, swap_all(t), err_all);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, entries);
	if (err_cpu)
		KUNIT_EXPECT_EQ(test, swap_one(t, false), err_cpu);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, entries);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).entries, 0);
}

static void swap_test_refused(struct kunit *test)
{
	struct swap_test *t = test->priv;

	fire(t, 5);
	KUNIT_ASSERT_EQ(test, strobe_ring_resize(t->kept, 6 * PAGE_SIZE, t->cpu), 0);
	expect_refused(test, -EINVAL, -EINVAL);
	KUNIT_ASSERT_EQ(test, strobe_ring_match(t->kept, t->live), 0);
	KUNIT_ASSERT_EQ(test, strobe_ring_set_order(t->kept, 1), 0);
	expect_refused(test, -EINVAL, -EINVAL);
	KUNIT_ASSERT_EQ(test, strobe_ring_match(t->kept, t->live), 0);

	strobe_ring_record_disable(t->live, STROBE_RING_ALL_CPUS);
	expect_refused(test, -EAGAIN, -EAGAIN);
	strobe_ring_record_enable(t->live, STROBE_RING_ALL_CPUS);
	strobe_ring_record_disable(t->kept, STROBE_RING_ALL_CPUS);
	expect_refused(test, -EAGAIN, -EAGAIN);
	strobe_ring_record_enable(t->kept, STROBE_RING_ALL_CPUS);

	strobe_ring_hold(t->live);
	strobe_ring_hold(t->live);
	expect_refused(test, -EBUSY, 0);
	strobe_ring_release(t->live);
	expect_refused(test, -EBUSY, 0);
	strobe_ring_release(t->live);
	strobe_ring_hold(t->kept);
	expect_refused(test, -EBUSY, 0);
	strobe_ring_release(t->kept);

	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->live, t->cpu), 0);
	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->live, t->cpu), 0);
	expect_refused(test, -EBUSY, -EBUSY);
	strobe_ring_unmap(t->live, t->cpu);
	expect_refused(test, -EBUSY, -EBUSY);
	strobe_ring_unmap(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, swap_all(t), 0);
	expect_sound(test);
}

/* Only the record shown last is consumed, and only in the ring where it was shown. */
static void swap_test_shown(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_record record;

	fire(t, 2);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->live, t->cpu, &record));
	KUNIT_ASSERT_EQ(test, swap_all(t), 0);
	fire(t, 2);
	/* The record that was shown is in the other ring now. */
	strobe_ring_consume(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, 2);
	/* Another record is shown; do not consume the first one instead. */
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->live, t->cpu, &record));
	KUNIT_ASSERT_EQ(test, swap_all(t), 0);
	strobe_ring_consume(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, 2);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).entries, 2);
	expect(test, t->live, 0, 0);

	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->live, t->cpu, &record));
	KUNIT_ASSERT_EQ(test, swap_one(t, false), 0);
	strobe_ring_consume(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, 2);
	expect_sound(test);
}

/* An iterator continues in the content it was opened on, and notices when that is cleared. */
static void swap_test_iterate(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_iter *iter;
	u32 i;

	fire(t, 3);
	iter = strobe_ring_iter_open(t->live, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
		KUNIT_EXPECT_EQ(test, *(u32 *)record.data, i);
		KUNIT_EXPECT_EQ(test, record.lost, 0);
		strobe_ring_iter_advance(iter);
		KUNIT_ASSERT_EQ(test, swap_all(t), 0);
		fire(t, 10);
	}
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_peek(iter, &record));
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_removed(iter, &record));
	/* After three swaps that content is in the kept ring. */
	strobe_ring_reset(t->live, t->cpu);
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_removed(iter, &record));
	strobe_ring_reset(t->kept, t->cpu);
	KUNIT_EXPECT_TRUE(test, strobe_ring_iter_removed(iter, &record));
	strobe_ring_iter_close(iter);
}

/* For an iterator, a swap of one CPU is like a reset. */
static void swap_test_iterate_cpu(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_iter *iter;

	fire(t, 1000);
	KUNIT_ASSERT_EQ(test, swap_one(t, false), 0);
	fire(t, 3);
	iter = strobe_ring_iter_open(t->live, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, 1000);
	KUNIT_ASSERT_EQ(test, swap_one(t, false), 0);
	KUNIT_EXPECT_TRUE(test, strobe_ring_iter_removed(iter, &record));
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_peek(iter, &record));
	strobe_ring_iter_reset(iter);
	KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, 0);
	KUNIT_EXPECT_EQ(test, record.lost, 0);
	strobe_ring_iter_close(iter);
	expect_sound(test);
}

/* The dumper shows no record twice, and finds its place again after a swap back. */
static void swap_test_dump(struct kunit *test)
{
	struct swap_test *t = test->priv;
	struct strobe_ring_record record;

	fire(t, 2);
	preempt_disable();
	KUNIT_EXPECT_TRUE(test, strobe_ring_dump_peek(t->live, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(t->live, t->kept), 0);
	strobe_ring_dump_consume(t->live, t->cpu);
	KUNIT_EXPECT_FALSE(test, strobe_ring_dump_peek(t->live, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, strobe_ring_swap(t->live, t->kept), 0);
	KUNIT_EXPECT_TRUE(test, strobe_ring_dump_peek(t->live, t->cpu, &record));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, 0);
}

/* Both rings change shape together, and keep records as a single ring does. */
static void swap_test_shapes(struct kunit *test)
{
	struct swap_test *t = test->priv;
	size_t bytes;

	fire(t, 5);
	KUNIT_ASSERT_EQ(test, swap_all(t), 0);
	fire(t, 5);
	KUNIT_ASSERT_EQ(test, strobe_ring_resize_two(t->live, t->kept, 9 * PAGE_SIZE,
						     t->cpu), 0);
	bytes = strobe_ring_bytes(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, bytes, strobe_ring_bytes(t->kept, t->cpu));
	KUNIT_EXPECT_GT(test, bytes, 8 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, 5);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).entries, 5);
	KUNIT_ASSERT_EQ(test, swap_all(t), 0);

	/* If one ring is mapped, the other cannot change either. */
	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->kept, t->cpu), 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize_two(t->live, t->kept, PAGE_SIZE,
						     STROBE_RING_ALL_CPUS), -EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order_two(t->live, t->kept, 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_match(t->kept, t->live), -EBUSY);
	KUNIT_EXPECT_EQ(test, bytes, strobe_ring_bytes(t->live, t->cpu));
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).entries, 5);
	strobe_ring_unmap(t->kept, t->cpu);

	KUNIT_ASSERT_EQ(test, strobe_ring_set_order_two(t->live, t->kept, 2), 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_subbuf_bytes(t->live), 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, strobe_ring_subbuf_bytes(t->kept), 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).entries, 0);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).overrun, 5);
	KUNIT_ASSERT_EQ(test, swap_all(t), 0);
	KUNIT_ASSERT_EQ(test, swap_one(t, false), 0);
	expect_sound(test);
}

/* Counts of events refused while writers were held off are swapped with the records. */
static void swap_test_held_off(struct kunit *test)
{
	struct swap_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, fire(t, 3), 3);
	strobe_ring_stop(t->live, t->cpu);
	KUNIT_EXPECT_EQ(test, fire(t, 2), 0);
	strobe_ring_start(t->live, t->cpu);
	KUNIT_ASSERT_EQ(test, swap_one(t, false), 0);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).reserved, 3);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).dropped, 2);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).dropped, 0);
	KUNIT_EXPECT_EQ(test, fire(t, 1), 1);
	KUNIT_ASSERT_EQ(test, swap_one(t, true), 0);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->live).dropped, 2);
	KUNIT_EXPECT_EQ(test, get_stats(t, t->kept).dropped, 0);
	expect_sound(test);
}

static struct kunit_case swap_test_cases[] = {
	KUNIT_CASE(swap_test_all),
	KUNIT_CASE(swap_test_cpu),
	KUNIT_CASE(swap_test_account),
	KUNIT_CASE(swap_test_account_cpu),
	KUNIT_CASE(swap_test_nested),
	KUNIT_CASE(swap_test_settings),
	KUNIT_CASE(swap_test_settings_cpu),
	KUNIT_CASE(swap_test_limit),
	KUNIT_CASE(swap_test_late),
	KUNIT_CASE(swap_test_refused),
	KUNIT_CASE(swap_test_shown),
	KUNIT_CASE(swap_test_iterate),
	KUNIT_CASE(swap_test_iterate_cpu),
	KUNIT_CASE(swap_test_dump),
	KUNIT_CASE(swap_test_shapes),
	KUNIT_CASE(swap_test_held_off),
	{}
};

static struct kunit_suite swap_test_suite = {
	.name = "strobe_swap",
	.init = swap_test_init,
	.exit = swap_test_exit,
	.test_cases = swap_test_cases,
};

kunit_test_suite(swap_test_suite);
