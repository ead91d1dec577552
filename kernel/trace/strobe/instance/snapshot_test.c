// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of snapshots taken by kernel code: from interrupts, with a condition, and
 * without a snapshot ring. Selftests test the interface for user space.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/string.h>
#include <linux/trace.h>

#include <linux/strobe/snapshot.h>

#include "event/ftrace_entries.h"
#include "instance/instance.h"

static struct trace_array *tr;

static int snapshot_test_init(struct kunit *test)
{
	tr = trace_array_get_by_name("strobe_kunit", "sched");
	return tr ? 0 : -ENOMEM;
}

static void snapshot_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
}

static void put(const char *text)
{
	__trace_array_puts(tr, _THIS_IP_, text, strlen(text));
}

/* Consume the next record of @ring, and check that it is @text and a newline. */
static void expect_text(struct kunit *test, struct strobe_ring *ring, const char *text)
{
	struct strobe_ring_record rec;
	const struct print_entry *entry;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!strobe_ring_peek(ring, cpu, &rec))
			continue;
		entry = rec.data;
		KUNIT_EXPECT_EQ(test, strncmp(entry->buf, text, strlen(text)), 0);
		KUNIT_EXPECT_EQ(test, entry->buf[strlen(text)], '\n');
		strobe_ring_consume(ring, cpu);
		return;
	}
	KUNIT_FAIL(test, "no record");
}

static void expect_empty(struct kunit *test, struct strobe_ring *ring)
{
	KUNIT_EXPECT_TRUE(test, strobe_ring_empty(ring, STROBE_RING_ALL_CPUS));
}

static struct strobe_ring *kept(void)
{
	return instance_snapshot_ring(tr);
}

/* Without a snapshot ring, recording is switched off instead, which preserves the records. */
static void test_no_room(struct kunit *test)
{
	put("before");
	strobe_instance_snapshot(tr);
	KUNIT_EXPECT_FALSE(test, strobe_instance_is_on(tr));
	KUNIT_EXPECT_NULL(test, kept());
	expect_text(test, tr->ring, "before");
	expect_text(test, tr->ring, "*** SNAPSHOT NOT ALLOCATED ***");
	expect_text(test, tr->ring, "*** stopping trace here!   ***");
	expect_empty(test, tr->ring);
}

static void take_in_irq(struct irq_work *work)
{
	strobe_instance_snapshot(tr);
}

static void test_irq(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(take_in_irq);

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_arm(tr));
	put("before");
	irq_work_queue(&work);
	irq_work_sync(&work);
	put("after");
	expect_text(test, kept(), "before");
	expect_text(test, tr->ring, "after");
	expect_empty(test, kept());
	expect_empty(test, tr->ring);
	KUNIT_EXPECT_TRUE(test, strobe_instance_is_on(tr));
	strobe_instance_snapshot_disarm(tr);
}

/* With a mapping no user can be armed, and with an armed user there can be no mapping. */
static void test_mapped(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_take(tr, STROBE_RING_ALL_CPUS));
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_map_get(tr));
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_map_get(tr));
	strobe_instance_map_put(tr);
	KUNIT_EXPECT_EQ(test, -EBUSY, strobe_instance_snapshot_arm(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, tracing_snapshot_cond_enable(tr, NULL, NULL));
	strobe_instance_snapshot(tr);
	expect_text(test, tr->ring, "*** BUFFER MEMORY MAPPED ***");
	expect_text(test, tr->ring, "*** Can not use snapshot (sorry) ***");
	strobe_instance_map_put(tr);

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_arm(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, strobe_instance_map_get(tr));
	strobe_instance_snapshot_disarm(tr);
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_map_get(tr));
	strobe_instance_map_put(tr);
}

/*
 * After a reset, no reader has records from before it: their events may be gone. An iterator
 * has copies, of a snapshot that was consumed, too.
 */
static void test_reset(struct kunit *test)
{
	int cpu = get_cpu();
	struct strobe_ring_iter *iter;
	struct strobe_ring_record rec;

	put("one");
	put("two");
	put_cpu();
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_take(tr, STROBE_RING_ALL_CPUS));
	iter = strobe_ring_iter_open(kept(), cpu);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, iter);
	KUNIT_EXPECT_TRUE(test, strobe_ring_iter_peek(iter, &rec));
	expect_text(test, kept(), "one");
	expect_text(test, kept(), "two");
	expect_empty(test, kept());
	tr->orphaned++;
	strobe_instance_reset(tr, STROBE_RING_ALL_CPUS);
	KUNIT_EXPECT_EQ(test, tr->orphaned, tr->orphans_reset);
	KUNIT_EXPECT_FALSE(test, strobe_ring_iter_peek(iter, &rec));
	strobe_ring_iter_close(iter);
}

/* The ring is not swapped if the snapshot ring, of the same size, is freed just before. */
static void test_freed(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_take(tr, STROBE_RING_ALL_CPUS));
	KUNIT_ASSERT_EQ(test, 0, strobe_ring_resize(tr->ring, 1, STROBE_RING_ALL_CPUS));
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_free(tr, STROBE_RING_ALL_CPUS));
	put("stays");
	strobe_instance_snapshot_swap(tr, NULL);
	expect_text(test, tr->ring, "stays");
	expect_empty(test, kept());
}

static bool only_if_true(struct trace_array *array, void *cond_data)
{
	return array == tr && cond_data && *(bool *)cond_data;
}

static void test_condition(struct kunit *test)
{
	bool yes = true, no = false;
	int data;

	KUNIT_EXPECT_NULL(test, tracing_cond_snapshot_data(tr));
	KUNIT_EXPECT_EQ(test, -EINVAL, tracing_snapshot_cond_disable(tr));
	KUNIT_ASSERT_EQ(test, 0, tracing_snapshot_cond_enable(tr, &data, only_if_true));
	KUNIT_EXPECT_PTR_EQ(test, tracing_cond_snapshot_data(tr), (void *)&data);
	KUNIT_EXPECT_EQ(test, -EBUSY, tracing_snapshot_cond_enable(tr, NULL, only_if_true));
	KUNIT_EXPECT_EQ(test, -EBUSY, strobe_instance_map_get(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, strobe_instance_snapshot_take(tr, STROBE_RING_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, -EBUSY, strobe_instance_snapshot_clear(tr, STROBE_RING_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, -EBUSY, strobe_instance_snapshot_free(tr, STROBE_RING_ALL_CPUS));

	put("one");
	tracing_snapshot_cond(tr, &no);
	strobe_instance_snapshot(tr);
	expect_empty(test, kept());
	tracing_snapshot_cond(tr, &yes);
	expect_text(test, kept(), "one");
	expect_empty(test, tr->ring);

	KUNIT_EXPECT_EQ(test, 0, tracing_snapshot_cond_disable(tr));
	KUNIT_EXPECT_EQ(test, -EINVAL, tracing_snapshot_cond_disable(tr));
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_map_get(tr));
	strobe_instance_map_put(tr);
	put("two");
	strobe_instance_snapshot(tr);
	expect_text(test, kept(), "two");
}

/* While recording is disabled, no snapshot is taken, and no text recorded. */
static void test_stopped(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_arm(tr));
	put("one");
	strobe_instance_stop(tr);
	strobe_instance_snapshot(tr);
	strobe_instance_start(tr);
	expect_empty(test, kept());
	expect_text(test, tr->ring, "one");
	strobe_instance_snapshot_disarm(tr);
}

struct waiter {
	struct completion	done;
	int			cpu;
};

static int wait_for_record(void *data)
{
	struct waiter *waiter = data;

	strobe_ring_wait(tr->ring, waiter->cpu, 0, NULL, NULL);
	complete(&waiter->done);
	return 0;
}

/* A task that waits for a record is woken by one after a snapshot has swapped the rings. */
static void test_waiter(struct kunit *test)
{
	static struct waiter waiter;
	struct task_struct *task;
	int cpu, i;

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_arm(tr));
	/* Make all records of the test go to one CPU. */
	cpu = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	for (i = 0; i < 4; i++) {
		strobe_instance_reset_all(tr);
		init_completion(&waiter.done);
		waiter.cpu = i & 1 ? cpu : STROBE_RING_ALL_CPUS;
		task = kthread_run(wait_for_record, &waiter, "strobe_kunit");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&waiter.done, HZ / 10));
		if (i & 2)
			KUNIT_EXPECT_EQ(test, strobe_instance_snapshot_take(tr, cpu),
					IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP) ? 0 : -EINVAL);
		else
			strobe_instance_snapshot(tr);
		KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&waiter.done, HZ / 10));
		put("at last");
		KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&waiter.done, 10 * HZ));
	}
	strobe_instance_snapshot_disarm(tr);
}

struct storm {
	struct hrtimer	timer;
	unsigned int	taken;
};

static enum hrtimer_restart take_in_timer(struct hrtimer *timer)
{
	struct storm *storm = container_of(timer, struct storm, timer);

	strobe_instance_snapshot(tr);
	storm->taken++;
	hrtimer_forward_now(timer, ns_to_ktime(100 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static unsigned long recorded(struct strobe_ring *ring)
{
	struct strobe_ring_stats stats;
	unsigned long n = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		strobe_ring_stats(ring, cpu, &stats);
		n += stats.entries + stats.overrun + stats.dropped + stats.commit_overrun;
	}
	return n;
}

/* With snapshots from interrupts in the middle of records, each event is counted once. */
static void test_storm(struct kunit *test)
{
	static struct storm storm;
	unsigned long n;

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_snapshot_arm(tr));
	storm.taken = 0;
	hrtimer_init(&storm.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	storm.timer.function = take_in_timer;
	hrtimer_start(&storm.timer, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
	for (n = 0; n < 100000; n++)
		put("storm");
	hrtimer_cancel(&storm.timer);
	KUNIT_EXPECT_GT(test, storm.taken, 0);
	KUNIT_EXPECT_EQ(test, n, recorded(tr->ring) + recorded(kept()));
	KUNIT_EXPECT_EQ(test, 0, strobe_ring_check(tr->ring, STROBE_RING_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, 0, strobe_ring_check(kept(), STROBE_RING_ALL_CPUS));
	kunit_info(test, "%u snapshots\n", storm.taken);
	strobe_instance_snapshot_disarm(tr);
}

static struct kunit_case snapshot_test_cases[] = {
	KUNIT_CASE(test_no_room),
	KUNIT_CASE(test_irq),
	KUNIT_CASE(test_mapped),
	KUNIT_CASE(test_reset),
	KUNIT_CASE(test_freed),
	KUNIT_CASE(test_condition),
	KUNIT_CASE(test_stopped),
	KUNIT_CASE(test_waiter),
	KUNIT_CASE(test_storm),
	{}
};

static struct kunit_suite snapshot_test_suite = {
	.name		= "strobe_snapshot",
	.init		= snapshot_test_init,
	.exit		= snapshot_test_exit,
	.test_cases	= snapshot_test_cases,
};

kunit_test_suite(snapshot_test_suite);
