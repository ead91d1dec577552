// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of exports: which exports get a record, and how often.
 *
 * The instance records one event, which the tests fire.
 */
#include <kunit/test.h>

#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/trace.h>

#include <trace/events/sched.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "instance/instance.h"

/**
 * struct taker - an export that counts the records that it gets
 * @export: the export
 * @taken: number of records of the test's event
 * @cpu: field of the last one
 * @again: fire the event in the export's callback
 */
struct taker {
	struct trace_export	export;
	int			taken;
	int			cpu;
	bool			again;
};

/* The payload of the test's event. */
struct wake_record {
	struct trace_entry	ent;
	int			cpu;
};

static struct trace_array *tr;
static int type;

static void take(struct trace_export *export, const void *record, unsigned int len)
{
	struct taker *taker = container_of(export, struct taker, export);
	const struct wake_record *entry = record;

	/* The scheduler fires the event, too, but with the numbers of existing CPUs. */
	if (entry->ent.type != type || len < sizeof(*entry) || entry->cpu < 1000)
		return;
	taker->taken++;
	taker->cpu = entry->cpu;
	if (taker->again)
		trace_sched_wake_idle_without_ipi(entry->cpu + 1);
}

static struct taker taker_of(int flags)
{
	return (struct taker){ .export = { .write = take, .flags = flags } };
}

static void fire(int cpu)
{
	preempt_disable();
	trace_sched_wake_idle_without_ipi(cpu);
	preempt_enable();
}

static int enable(bool on)
{
	char event[] = "sched:sched_wake_idle_without_ipi";

	return strobe_instance_set_event_string(tr, event, on);
}

static int export_test_init(struct kunit *test)
{
	struct trace_event_file *file;

	tr = trace_array_get_by_name("strobe_kunit", "sched");
	if (!tr)
		return -ENOMEM;
	scoped_guard(mutex, &strobe_event_mutex) {
		file = strobe_event_file_find(tr, "sched", "sched_wake_idle_without_ipi");
		type = file ? file->sink.type : 0;
	}
	return type ? 0 : -ENOENT;
}

static void export_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
	tr = NULL;
}

static void test_events(struct kunit *test)
{
	struct taker events = taker_of(TRACE_EXPORT_EVENT), both = events;
	struct taker marks = taker_of(TRACE_EXPORT_MARKER);

	KUNIT_ASSERT_EQ(test, 0, enable(true));
	fire(1000);
	/* No KUNIT_ASSERT_*() while exports are registered, because they are on the stack. */
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_export(&events.export));
	both.export.flags |= TRACE_EXPORT_MARKER;
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_export(&both.export));
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_export(&marks.export));
	fire(2000);
	/* Remove the export in the middle of the list, then the last one. */
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_export(&both.export));
	fire(3000);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_export(&events.export));
	fire(4000);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_export(&marks.export));
	fire(5000);

	KUNIT_EXPECT_EQ(test, 2, events.taken);
	KUNIT_EXPECT_EQ(test, 3000, events.cpu);
	KUNIT_EXPECT_EQ(test, 1, both.taken);
	KUNIT_EXPECT_EQ(test, 2000, both.cpu);
	KUNIT_EXPECT_EQ(test, 0, marks.taken);
	KUNIT_EXPECT_EQ(test, -1, unregister_ftrace_export(&events.export));
}

/* Events enabled after an export was registered are exported; disabled events are not. */
static void test_enabled_later(struct kunit *test)
{
	struct taker taker = taker_of(TRACE_EXPORT_EVENT);

	KUNIT_ASSERT_EQ(test, 0, register_ftrace_export(&taker.export));
	fire(1000);
	KUNIT_EXPECT_EQ(test, 0, enable(true));
	fire(2000);
	KUNIT_EXPECT_EQ(test, 0, enable(false));
	fire(3000);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_export(&taker.export));
	KUNIT_EXPECT_EQ(test, 1, taker.taken);
	KUNIT_EXPECT_EQ(test, 2000, taker.cpu);
}

/* Consume all records, and count those that the test fired. */
static int count_fired(void)
{
	struct strobe_ring_record rec;
	int cpu, n = 0;

	for_each_possible_cpu(cpu) {
		while (strobe_ring_peek(tr->ring, cpu, &rec)) {
			n += ((const struct wake_record *)rec.data)->cpu >= 1000;
			strobe_ring_consume(tr->ring, cpu);
		}
	}
	return n;
}

/* Events that an export fires are recorded, but not exported. */
static void test_fires_itself(struct kunit *test)
{
	struct taker taker = taker_of(TRACE_EXPORT_EVENT);

	taker.again = true;
	KUNIT_ASSERT_EQ(test, 0, enable(true));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_export(&taker.export));
	fire(1000);
	fire(2000);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_export(&taker.export));
	KUNIT_EXPECT_EQ(test, 0, enable(false));
	KUNIT_EXPECT_EQ(test, 4, count_fired());
	KUNIT_EXPECT_EQ(test, 2, taker.taken);
	KUNIT_EXPECT_EQ(test, 2000, taker.cpu);
}

static struct kunit_case export_test_cases[] = {
	KUNIT_CASE(test_events),
	KUNIT_CASE(test_enabled_later),
	KUNIT_CASE(test_fires_itself),
	{}
};

static struct kunit_suite export_test_suite = {
	.name		= "strobe_export",
	.init		= export_test_init,
	.exit		= export_test_exit,
	.test_cases	= export_test_cases,
};

kunit_test_suite(export_test_suite);
