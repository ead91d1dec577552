/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the KUnit suites of the ring: a ring with a few sub-buffers of one page, of
 * which the tests use one CPU, the one they run on; and a clock that the test sets.
 */
#ifndef _STROBE_RING_TEST_H
#define _STROBE_RING_TEST_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "ring/internal.h"
#include "ring/walk.h"
#include "ring/write.h"

#define TEST_SLOTS	4

static u64 test_now;

static u64 test_clock(void)
{
	return test_now;
}

/**
 * struct ring_test - data of a test case
 * @ring: the ring
 * @cpu: the CPU to which the test is bound
 * @page: page to read whole sub-buffers into
 */
struct ring_test {
	struct strobe_ring	*ring;
	int			cpu;
	struct strobe_ring_page	page;
};

static inline int ring_test_init(struct kunit *test)
{
	struct strobe_ring_params params = {
		.bytes = TEST_SLOTS * strobe_ring_limit(0) * STROBE_RECORD_UNIT,
		.overwrite = true,
		.clock = test_clock,
	};
	struct ring_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	/* No need to undo this: the test case has its own thread. */
	t->cpu = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(t->cpu));
	test_now = SZ_1G;
	t->ring = strobe_ring_create(&params);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->ring));
	test->priv = t;
	return 0;
}

static inline void ring_test_exit(struct kunit *test)
{
	struct ring_test *t = test->priv;

	if (t)
		strobe_ring_destroy(t->ring);
}

/* Reserve, and write @value and its complement into the first two words. */
static inline u32 *begin(struct ring_test *t, u32 len, u32 value,
			 struct strobe_ring_resv *resv)
{
	u32 *data = strobe_ring_reserve(t->ring, len, resv);

	if (data && len >= 4)
		data[0] = value;
	if (data && len >= 8)
		data[1] = ~value;
	return data;
}

static inline bool put(struct ring_test *t, u32 len, u32 value)
{
	struct strobe_ring_resv resv;
	bool done;

	preempt_disable();
	done = begin(t, len, value, &resv);
	if (done)
		strobe_ring_commit(&resv);
	preempt_enable();
	return done;
}

static inline struct strobe_ring_stats get_stats(struct ring_test *t)
{
	struct strobe_ring_stats stats;

	strobe_ring_stats(t->ring, t->cpu, &stats);
	return stats;
}

/* All invariants hold, and each event is accounted for. */
static inline void expect_sound(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_stats stats = get_stats(t);

	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, STROBE_RING_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, stats.reserved, stats.read + stats.entries +
			stats.overrun + stats.discarded);
}

/* Records of fill() in a sub-buffer */
#define PER_SUBBUF	(strobe_ring_limit(0) / 25)

/* Write @n numbered records of 100 bytes. Returns how many were recorded. */
static inline u32 fill(struct ring_test *t, u32 n)
{
	u32 i, done = 0;

	for (i = 0; i < n; i++) {
		test_now++;
		done += put(t, 96, i);
	}
	return done;
}

#endif /* _STROBE_RING_TEST_H */
