// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of merging the records of all CPUs.
 */
#include <kunit/test.h>

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include "output/merge.h"
#include "ring/internal.h"
#include "ring/write.h"

#define ROUNDS	50

struct merge_fixture {
	struct strobe_ring *ring;
	u32 next;
};

/* Runs on the CPU that is to record. */
static int record_one(void *data)
{
	struct merge_fixture *f = data;
	struct strobe_ring_resv resv;
	u32 *number;

	preempt_disable();
	number = strobe_ring_reserve(f->ring, sizeof(*number), &resv);
	if (number) {
		*number = f->next++;
		strobe_ring_commit(&resv);
	}
	preempt_enable();
	return number ? 0 : -ENOBUFS;
}

static void destroy_ring(void *ring)
{
	strobe_ring_destroy(ring);
}

/* The CPUs record in turn; the records are numbered in order of time. */
static int merge_test_init(struct kunit *test)
{
	const struct strobe_ring_params params = {
		.bytes = 4 * PAGE_SIZE,
		.overwrite = true,
		.clock = trace_clock_counter,
	};
	struct merge_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int round, cpu, ret;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->ring = strobe_ring_create(&params);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ring));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy_ring,
							   f->ring));
	test->priv = f;

	cpus_read_lock();
	for (round = 0; round < ROUNDS; round++) {
		for_each_online_cpu(cpu) {
			ret = smp_call_on_cpu(cpu, record_one, f, false);
			KUNIT_EXPECT_EQ(test, ret, 0);
		}
	}
	cpus_read_unlock();
	return 0;
}

/* The merge returns all records in order, and none after the last. */
static void expect_all(struct kunit *test, struct strobe_merge *merge)
{
	const struct merge_fixture *f = test->priv;
	struct strobe_ring_record rec, again;
	u64 before = 0;
	u32 number;

	for (number = 0; strobe_merge_peek(merge, &rec); number++) {
		KUNIT_EXPECT_EQ(test, *(const u32 *)rec.data, number);
		KUNIT_EXPECT_GT(test, rec.ts, before);
		KUNIT_EXPECT_EQ(test, rec.lost, 0);
		before = rec.ts;

		KUNIT_ASSERT_TRUE(test, strobe_merge_peek(merge, &again));
		KUNIT_EXPECT_EQ(test, *(const u32 *)again.data, number);
		strobe_merge_next(merge);
	}
	KUNIT_EXPECT_EQ(test, number, f->next);
}

static void merge_iterates(struct kunit *test)
{
	const struct merge_fixture *f = test->priv;
	struct strobe_merge merge;

	strobe_merge_init(&merge, f->ring, STROBE_RING_ALL_CPUS, STROBE_MERGE_ITERATE);
	KUNIT_ASSERT_EQ(test, strobe_merge_open_iters(&merge), 0);
	expect_all(test, &merge);
	strobe_merge_rewind(&merge);
	expect_all(test, &merge);
	KUNIT_EXPECT_FALSE(test, strobe_merge_empty(&merge));
	strobe_merge_close_iters(&merge);
}

static void merge_consumes(struct kunit *test)
{
	const struct merge_fixture *f = test->priv;
	struct strobe_merge merge;

	strobe_merge_init(&merge, f->ring, STROBE_RING_ALL_CPUS, STROBE_MERGE_CONSUME);
	KUNIT_EXPECT_FALSE(test, strobe_merge_empty(&merge));
	expect_all(test, &merge);
	KUNIT_EXPECT_TRUE(test, strobe_merge_empty(&merge));
}

static void merge_dumps(struct kunit *test)
{
	const struct merge_fixture *f = test->priv;
	struct strobe_merge merge;

	strobe_merge_init(&merge, f->ring, STROBE_RING_ALL_CPUS, STROBE_MERGE_DUMP);
	expect_all(test, &merge);
}

/* A merge of one CPU returns only its records, and consumes no others. */
static void merge_one_cpu(struct kunit *test)
{
	const struct merge_fixture *f = test->priv;
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct strobe_ring_record rec;
	struct strobe_merge merge;
	unsigned int seen = 0;

	strobe_merge_init(&merge, f->ring, cpu, STROBE_MERGE_CONSUME);
	while (strobe_merge_peek(&merge, &rec)) {
		KUNIT_EXPECT_EQ(test, rec.cpu, cpu);
		strobe_merge_next(&merge);
		seen++;
	}
	KUNIT_EXPECT_EQ(test, seen, ROUNDS);
	KUNIT_EXPECT_TRUE(test, strobe_merge_empty(&merge));

	strobe_merge_init(&merge, f->ring, STROBE_RING_ALL_CPUS, STROBE_MERGE_CONSUME);
	KUNIT_EXPECT_EQ(test, strobe_merge_empty(&merge), f->next == ROUNDS);
}

static void record_on(struct kunit *test, unsigned int cpu)
{
	KUNIT_ASSERT_EQ(test, smp_call_on_cpu(cpu, record_one, test->priv, false), 0);
}

/*
 * What a CPU records after the others were peeked at is not returned before older records of
 * these, even if they had none then.
 */
static void merge_bursts(struct kunit *test)
{
	unsigned int a = cpumask_first(cpu_online_mask), b = cpumask_last(cpu_online_mask);
	struct merge_fixture *f = test->priv;
	struct strobe_ring_record rec;
	struct strobe_merge merge;
	u32 number, i;

	if (a == b)
		kunit_skip(test, "needs two CPUs");
	strobe_merge_init(&merge, f->ring, STROBE_RING_ALL_CPUS, STROBE_MERGE_CONSUME);
	for (number = 0; number < f->next; number++) {
		KUNIT_ASSERT_TRUE(test, strobe_merge_peek(&merge, &rec));
		strobe_merge_next(&merge);
	}
	KUNIT_ASSERT_FALSE(test, strobe_merge_peek(&merge, &rec));

	for (i = 0; i < 5; i++)
		record_on(test, a);
	KUNIT_ASSERT_TRUE(test, strobe_merge_peek(&merge, &rec));
	record_on(test, b);
	record_on(test, a);
	record_on(test, b);
	record_on(test, b);
	record_on(test, a);
	for (; number < f->next; number++) {
		KUNIT_ASSERT_TRUE(test, strobe_merge_peek(&merge, &rec));
		KUNIT_EXPECT_EQ(test, *(const u32 *)rec.data, number);
		strobe_merge_next(&merge);
	}
	KUNIT_EXPECT_FALSE(test, strobe_merge_peek(&merge, &rec));
}

struct peek_work {
	struct work_struct	work;
	struct strobe_merge	*merge;
	struct strobe_ring_record rec;
	struct task_struct	*task;
	bool			found;
};

static void peek_in_work(struct work_struct *work)
{
	struct peek_work *peek = container_of(work, struct peek_work, work);

	WRITE_ONCE(peek->task, current);
	peek->found = strobe_merge_peek(peek->merge, &peek->rec);
}

/* Wait until the work sleeps. */
static bool peek_sleeps(const struct peek_work *peek)
{
	const struct task_struct *task;
	int i;

	for (i = 0; i < 500; i++) {
		task = READ_ONCE(peek->task);
		if (task && READ_ONCE(task->__state) == TASK_UNINTERRUPTIBLE)
			return true;
		msleep(20);
	}
	return false;
}

/* A CPU records when the scan has found it empty, and before the scan comes to the next CPU. */
static void merge_records_during_scan(struct kunit *test)
{
	unsigned int a = cpumask_first(cpu_online_mask), b = cpumask_last(cpu_online_mask);
	struct merge_fixture *f = test->priv;
	const u32 order[] = { 1, 0, 2, 3 };
	struct strobe_ring_record rec;
	struct strobe_merge merge;
	struct peek_work peek = { .merge = &merge };
	struct mutex *lock;	/* the scan takes it to peek at CPU b */
	u32 first, i;

	if (a == b)
		kunit_skip(test, "needs two CPUs");
	strobe_merge_init(&merge, f->ring, STROBE_RING_ALL_CPUS, STROBE_MERGE_CONSUME);
	while (strobe_merge_peek(&merge, &rec))
		strobe_merge_next(&merge);
	first = f->next;

	lock = &strobe_ring_of(f->ring, b)->reader.lock;
	INIT_WORK_ONSTACK(&peek.work, peek_in_work);
	mutex_lock(lock);
	queue_work(system_unbound_wq, &peek.work);
	KUNIT_EXPECT_TRUE(test, peek_sleeps(&peek));
	KUNIT_EXPECT_EQ(test, smp_call_on_cpu(a, record_one, f, false), 0);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, smp_call_on_cpu(b, record_one, f, false), 0);
	mutex_unlock(lock);
	flush_work(&peek.work);
	destroy_work_on_stack(&peek.work);

	/* The first one was found before; from then on they are in order. */
	KUNIT_ASSERT_TRUE(test, peek.found);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		KUNIT_ASSERT_TRUE(test, strobe_merge_peek(&merge, &rec));
		KUNIT_EXPECT_EQ(test, *(const u32 *)rec.data, first + order[i]);
		strobe_merge_next(&merge);
	}
}

static struct kunit_case merge_cases[] = {
	KUNIT_CASE(merge_iterates),
	KUNIT_CASE(merge_consumes),
	KUNIT_CASE(merge_dumps),
	KUNIT_CASE(merge_one_cpu),
	KUNIT_CASE(merge_bursts),
	KUNIT_CASE(merge_records_during_scan),
	{ }
};

static struct kunit_suite merge_suite = {
	.name = "strobe_merge",
	.init = merge_test_init,
	.test_cases = merge_cases,
};

kunit_test_suite(merge_suite);
