// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of taps: which records they get, short and long ones, and how deep they nest.
 *
 * No instance enables the events.
 */
#include <kunit/test.h>

#include <linux/preempt.h>
#include <linux/string.h>

#include <trace/events/printk.h>
#include <trace/events/sched.h>

#include "event/event.h"
#include "record/deferred.h"
#include "record/tap.h"

/**
 * struct counter - a tap that counts the records of the test
 * @tap:   the tap
 * @taken: number of records
 * @missed: number of records that there was no room for
 * @cpu:   field of the last one
 * @last:  the last one, as far as it fits
 * @len:   its length
 * @again: fire the event for each record
 */
struct counter {
	struct strobe_tap	tap;
	int			taken;
	int			missed;
	int			cpu;
	u32			len;
	bool			again;
	char			last[1024];
};

/* The payload of the first event. */
struct wake_record {
	struct trace_entry	ent;
	int			cpu;
};

/* The beginning of the payload of the second one. */
struct console_record {
	struct trace_entry	ent;
	u32			msg;	/* offset and length of the text */
};

static void fire(int cpu)
{
	preempt_disable();
	trace_sched_wake_idle_without_ipi(cpu);
	preempt_enable();
}

static void count_wake(struct strobe_tap *tap, void *record, u32 len)
{
	struct counter *counter = container_of(tap, struct counter, tap);
	const struct wake_record *wake = record;

	/* The scheduler fires the event, too, but with the numbers of existing CPUs. */
	if (wake->cpu < 1000)
		return;
	counter->taken++;
	counter->cpu = wake->cpu;
	counter->len = len;
	memcpy(counter->last, record, min(len, sizeof(counter->last)));
	if (counter->again)
		trace_sched_wake_idle_without_ipi(wake->cpu + 1);
}

static void count_console(struct strobe_tap *tap, void *record, u32 len)
{
	struct counter *counter = container_of(tap, struct counter, tap);

	counter->taken++;
	counter->len = len;
	memcpy(counter->last, record, min(len, sizeof(counter->last)));
}

static struct counter counter;

static void count_missed(struct strobe_tap *tap)
{
	container_of(tap, struct counter, tap)->missed++;
}

static int connect(const char *system, const char *name,
		   void (*take)(struct strobe_tap *tap, void *record, u32 len))
{
	struct trace_event_call *call;
	int ret;

	guard(mutex)(&strobe_event_mutex);
	call = strobe_event_find(system, name);
	if (!call)
		return -ENOENT;
	memset(&counter, 0, sizeof(counter));
	ret = strobe_tap_init(&counter.tap, call, take);
	counter.tap.missed = count_missed;
	return ret ?: strobe_tap_connect(&counter.tap, true);
}

static void disconnect(void)
{
	guard(mutex)(&strobe_event_mutex);
	strobe_tap_connect(&counter.tap, false);
	tracepoint_synchronize_unregister();
}

static void test_short(struct kunit *test)
{
	const struct wake_record *wake = (void *)counter.last;

	fire(1000);
	KUNIT_ASSERT_EQ(test, 0, connect("sched", "sched_wake_idle_without_ipi", count_wake));
	fire(1000);
	fire(1000);
	disconnect();
	fire(1000);
	KUNIT_EXPECT_EQ(test, 2, counter.taken);
	KUNIT_EXPECT_EQ(test, 1000, counter.cpu);
	KUNIT_EXPECT_EQ(test, (u32)sizeof(*wake), counter.len);
	KUNIT_EXPECT_EQ(test, counter.tap.sink.type, (u32)wake->ent.type);
	KUNIT_EXPECT_EQ(test, current->pid, wake->ent.pid);
}

/* Only the taps of the event get it, and only while they are connected. */
static void inject(const char *system, const char *name)
{
	struct wake_record wake = { .cpu = 1001 };

	guard(mutex)(&strobe_event_mutex);
	guard(preempt)();
	strobe_taps_inject(strobe_event_find(system, name), &wake, sizeof(wake));
}

static void test_injected(struct kunit *test)
{
	inject("sched", "sched_wake_idle_without_ipi");
	KUNIT_ASSERT_EQ(test, 0, connect("sched", "sched_wake_idle_without_ipi", count_wake));
	inject("sched", "sched_wake_idle_without_ipi");
	inject("sched", "sched_switch");
	disconnect();
	inject("sched", "sched_wake_idle_without_ipi");
	KUNIT_EXPECT_EQ(test, 1, counter.taken);
	KUNIT_EXPECT_EQ(test, 1001, counter.cpu);
	KUNIT_EXPECT_EQ(test, (u32)sizeof(struct wake_record), counter.len);
}

/* It does not fit in the scratch. */
static void test_long(struct kunit *test)
{
	const struct console_record *console = (void *)counter.last;
	char text[400];

	memset(text, 'x', sizeof(text));
	KUNIT_ASSERT_EQ(test, 0, connect("printk", "console", count_console));
	trace_console(text, sizeof(text) - 1);
	disconnect();
	/* Something else may have been printed as well. */
	KUNIT_EXPECT_GE(test, counter.taken, 1);
	KUNIT_ASSERT_GE(test, counter.len, (u32)sizeof(text));
	KUNIT_EXPECT_EQ(test, 0, memcmp(counter.last + (console->msg & U16_MAX), text,
					sizeof(text) - 1));
}

/* Each record fires the event. The stack of deferred records ends that. */
static void test_nested(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, connect("sched", "sched_wake_idle_without_ipi", count_wake));
	counter.again = true;
	fire(1000);
	KUNIT_EXPECT_EQ(test, DEFERRED_MAX - 1, counter.taken);
	KUNIT_EXPECT_EQ(test, 1, counter.missed);
	fire(1000);
	disconnect();
	KUNIT_EXPECT_EQ(test, 2 * (DEFERRED_MAX - 1), counter.taken);
	KUNIT_EXPECT_EQ(test, 2, counter.missed);
}

static struct kunit_case tap_test_cases[] = {
	KUNIT_CASE(test_short),
	KUNIT_CASE(test_injected),
	KUNIT_CASE(test_long),
	KUNIT_CASE(test_nested),
	{}
};

static struct kunit_suite tap_test_suite = {
	.name = "strobe_tap",
	.test_cases = tap_test_cases,
};

kunit_test_suite(tap_test_suite);
