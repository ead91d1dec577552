// SPDX-License-Identifier: GPL-2.0
/* Test of the registry: an event is unregistered while its records are read. */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/trace_events.h>

#include "event/event.h"

/* What another tracer's header may have left does no harm. */
#define TRACE_INCLUDE left_by_another_header
#define CREATE_CUSTOM_TRACE_EVENTS
#include "event/registry_test_custom.h"
#undef CREATE_CUSTOM_TRACE_EVENTS
/* It comes first here, and declares its tracepoints nevertheless. */
#include <trace/events/oom.h>

static const struct strobe_field fields[] = {
	{ .type = "u32", .name = "value", .size = sizeof(u32), .align = __alignof__(u32) },
};

static const struct trace_event_class class = {
	.system = "strobe_kunit", .fields = fields, .nr_fields = ARRAY_SIZE(fields),
};

static struct trace_event_call call = { .class = &class, .name = "strobe_kunit_gone" };

/* A reader that starts after the event has left the list, but before rings are reset. */
static struct late_reader {
	struct task_struct	*task;
	struct completion	inside;
	struct completion	leave;
	struct completion	done;
	bool			left;
} late_reader;

static int late_reader_run(void *arg)
{
	int idx = strobe_event_read_lock();

	complete(&late_reader.inside);
	/* It times out if the event's removal waits for it. */
	wait_for_completion_timeout(&late_reader.leave, HZ / 10);
	WRITE_ONCE(late_reader.left, true);
	strobe_event_read_unlock(idx);
	complete(&late_reader.done);
	return 0;
}

static void late_reader_start(void)
{
	late_reader.task = kthread_run(late_reader_run, NULL, "late_reader");
	if (!IS_ERR(late_reader.task))
		wait_for_completion(&late_reader.inside);
}

/*
 * Unregistering must wait for such a reader. Otherwise it could render a record as
 * another event that got the same id.
 */
static void type_outlives_readers(struct kunit *test)
{
	struct event_observer observer = { .removed = late_reader_start };
	struct trace_event_call *gone = &call;
	bool left = false;
	int ret;

	init_completion(&late_reader.inside);
	init_completion(&late_reader.leave);
	init_completion(&late_reader.done);
	late_reader.left = false;
	late_reader.task = NULL;
	mutex_lock(&strobe_event_mutex);
	ret = strobe_event_register(&call);
	if (!ret) {
		strobe_event_observer_register(&observer);
		strobe_events_unregister(&gone, 1);
		left = READ_ONCE(late_reader.left);
		list_del(&observer.list);
	}
	mutex_unlock(&strobe_event_mutex);
	complete(&late_reader.leave);
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(late_reader.task));
	KUNIT_EXPECT_TRUE(test, left);
	wait_for_completion(&late_reader.done);
}

/* Headers of events after one of custom events: that this compiles is the test. */
static void events_after_custom_ones(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, strobe_system_custom, "custom");
	KUNIT_EXPECT_STREQ(test, __tracepoint_oom_score_adj_update.name, "oom_score_adj_update");
	if (trace_oom_score_adj_update_enabled())
		kunit_info(test, "somebody traces oom:oom_score_adj_update");
}

static struct kunit_case registry_test_cases[] = {
	KUNIT_CASE(type_outlives_readers),
	KUNIT_CASE(events_after_custom_ones),
	{ }
};

static struct kunit_suite registry_test_suite = {
	.name = "strobe_registry",
	.test_cases = registry_test_cases,
};

kunit_test_suite(registry_test_suite);
