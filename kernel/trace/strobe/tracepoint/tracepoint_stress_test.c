// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit stress test of the tracepoint core: probes are connected and disconnected
 * in all ways while a thread and a timer fire. A probe must get the data that it
 * was registered with, and must not be called after the grace period that follows
 * its removal.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>

#include "tracepoint/tracepoint.h"

DECLARE_TRACE(strobe_stress, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(strobe_stress, TP_PROTO(int value), TP_ARGS(value));

#define STRESS_MS 500
#define STRESS_ROUNDS_MIN 64
#define TIMER_NS (300 * NSEC_PER_USEC)
#define FIRED_BEFORE_SLEEP 1024

typedef void (*probe_fn)(void *data, int value);

struct probe_data {
	probe_fn owner;		/* the only function that may get this */
	atomic_t calls;
	bool dead;		/* unregistered, and the grace period has passed */
};

/* Never freed, so that a faulty late call can be counted. */
static struct probe_data data_a[2], data_b[2];

static atomic_t mixed, late;

static void probe_hit(probe_fn self, struct probe_data *data)
{
	if (data->owner != self)
		atomic_inc(&mixed);
	if (READ_ONCE(data->dead))
		atomic_inc(&late);
	atomic_inc(&data->calls);
}

static noinline void probe_a(void *data, int value)
{
	probe_hit(probe_a, data);
}

static noinline void probe_b(void *data, int value)
{
	probe_hit(probe_b, data);
}

struct stress {
	struct kunit *test;
	struct hrtimer timer;
	unsigned long timer_fired;
	unsigned long thread_fired;
};

static enum hrtimer_restart stress_timer(struct hrtimer *timer)
{
	struct stress *stress = container_of(timer, struct stress, timer);

	stress->timer_fired++;
	trace_strobe_stress(1);
	hrtimer_forward_now(timer, ns_to_ktime(TIMER_NS));
	return HRTIMER_RESTART;
}

/*
 * The thread sleeps after some events. QEMU with -icount ends the turn of a CPU at the next
 * timer, and starts again with the first CPU: if that never idles, no other CPU runs.
 */
static int stress_thread(void *arg)
{
	struct stress *stress = arg;

	while (!kthread_should_stop()) {
		stress->thread_fired++;
		trace_strobe_stress(2);
		if (!(stress->thread_fired % FIRED_BEFORE_SLEEP))
			usleep_range(50, 100);
	}
	return 0;
}

static void add(struct stress *stress, struct probe_data *data, int prio)
{
	KUNIT_EXPECT_EQ(stress->test, 0,
			register_trace_prio_strobe_stress(data->owner, data, prio));
}

static void del(struct stress *stress, struct probe_data *data)
{
	KUNIT_EXPECT_EQ(stress->test, 0, unregister_trace_strobe_stress(data->owner, data));
}

/* Let the thread run in every state, even on one CPU without preemption. */
static void pause_each(int divisor, int round)
{
	if (!(round % divisor))
		usleep_range(50, 100);
}

/* 0->1->0->1->2->1->0 probes, alternating functions and data */
static void stress_round(struct stress *stress, int round)
{
	struct probe_data *a = &data_a[round & 1], *b = &data_b[round & 1];

	add(stress, a, 10);
	pause_each(5, round);
	del(stress, a);
	add(stress, b, 10);
	pause_each(7, round);
	add(stress, a, round % 3 + 9);
	pause_each(9, round);
	del(stress, b);
	if (round % 4 == 1)
		strobe_tracepoint_direct_flush();
	del(stress, a);
	if (round % 16)
		return;

	tracepoint_synchronize_unregister();
	WRITE_ONCE(a->dead, true);
	WRITE_ONCE(b->dead, true);
	usleep_range(500, 1000);
	WRITE_ONCE(a->dead, false);
	WRITE_ONCE(b->dead, false);
}

static void stress_run(struct stress *stress)
{
	unsigned long end = jiffies + msecs_to_jiffies(STRESS_MS);
	struct task_struct *thread;
	int round = 0;

	thread = kthread_run(stress_thread, stress, "strobe_tp_test");
	KUNIT_ASSERT_FALSE(stress->test, IS_ERR(thread));
	hrtimer_init(&stress->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	stress->timer.function = stress_timer;
	hrtimer_start(&stress->timer, ns_to_ktime(TIMER_NS), HRTIMER_MODE_REL);

	do {
		stress_round(stress, round++);
		cond_resched();
	} while (time_before(jiffies, end) || round < STRESS_ROUNDS_MIN);

	hrtimer_cancel(&stress->timer);
	kthread_stop(thread);
	tracepoint_synchronize_unregister();
	kunit_info(stress->test, "%d rounds, fired %lu times by a thread and %lu by a timer",
		   round, stress->thread_fired, stress->timer_fired);
}

static void test_stress(struct kunit *test)
{
	struct stress *stress = kunit_kzalloc(test, sizeof(*stress), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, stress);
	stress->test = test;
	for (i = 0; i < 2; i++) {
		data_a[i] = (struct probe_data){ .owner = probe_a };
		data_b[i] = (struct probe_data){ .owner = probe_b };
	}
	atomic_set(&mixed, 0);
	atomic_set(&late, 0);

	stress_run(stress);

	KUNIT_EXPECT_EQ(test, atomic_read(&mixed), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&late), 0);
	KUNIT_EXPECT_GT(test, stress->thread_fired, 0);
	KUNIT_EXPECT_GT(test, stress->timer_fired, 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_GT(test, atomic_read(&data_a[i].calls), 0);
		KUNIT_EXPECT_GT(test, atomic_read(&data_b[i].calls), 0);
	}
	KUNIT_EXPECT_FALSE(test, trace_strobe_stress_enabled());
}

static struct kunit_case tracepoint_stress_cases[] = {
	KUNIT_CASE_SLOW(test_stress),
	{}
};

static struct kunit_suite tracepoint_stress_suite = {
	.name = "strobe_tracepoint_stress",
	.test_cases = tracepoint_stress_cases,
};

kunit_test_suite(tracepoint_stress_suite);

MODULE_DESCRIPTION("KUnit stress test of Strobe's tracepoints");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
