// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of sets of pids, and of the decision which events are recorded.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>
#include <linux/trace.h>

#include "event/event.h"
#include "instance/instance.h"
#include "record/pid.h"

static struct pid_set *set_of(struct kunit *test, const pid_t *pids, unsigned int nr)
{
	struct pid_set *set = strobe_pid_set_alloc();
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, set);
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, 0, strobe_pid_set_add(set, pids[i]));
	return set;
}

static void pid_set_keeps(struct kunit *test)
{
	static const pid_t pids[] = { 0, 1, 32767, 32768, 65536, PID_MAX_LIMIT - 1 };
	struct pid_set *set = set_of(test, pids, ARRAY_SIZE(pids));
	pid_t pid = -1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		KUNIT_EXPECT_TRUE(test, strobe_pid_set_has(set, pids[i]));
		pid = strobe_pid_set_next(set, pid + 1);
		KUNIT_EXPECT_EQ(test, pids[i], pid);
	}
	KUNIT_EXPECT_EQ(test, -1, strobe_pid_set_next(set, pid + 1));
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, 2));
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, 40000));
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, -1));
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, PID_MAX_LIMIT));
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, INT_MAX));
	KUNIT_EXPECT_EQ(test, -EPERM, strobe_pid_set_add(set, PID_MAX_LIMIT));
	KUNIT_EXPECT_EQ(test, -EPERM, strobe_pid_set_add(set, -1));

	strobe_pid_set_remove(set, 32768);
	strobe_pid_set_remove(set, 100000);
	strobe_pid_set_remove(set, -1);
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, 32768));
	KUNIT_EXPECT_EQ(test, 65536, strobe_pid_set_next(set, 32768));
	strobe_pid_set_free(set);
}

static void pid_set_merges(struct kunit *test)
{
	static const pid_t ours[] = { 1, 70000 }, theirs[] = { 1, 2, 40000 };
	static const pid_t all[] = { 1, 2, 40000, 70000 };
	struct pid_set *set = set_of(test, ours, ARRAY_SIZE(ours));
	pid_t pid = -1;
	unsigned int i;

	strobe_pid_set_merge(set, set_of(test, theirs, ARRAY_SIZE(theirs)));
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		pid = strobe_pid_set_next(set, pid + 1);
		KUNIT_EXPECT_EQ(test, all[i], pid);
	}
	KUNIT_EXPECT_EQ(test, -1, strobe_pid_set_next(set, pid + 1));
	strobe_pid_set_free(set);
}

/* A child whose pid needs a new page gets the spare one, and another one is allocated. */
static void pid_set_follows(struct kunit *test)
{
	static const pid_t parents[] = { 7 };
	struct pid_set *set = set_of(test, parents, ARRAY_SIZE(parents));
	unsigned int i;

	strobe_pid_set_follow(set, 8, 9);
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, 9));
	local_irq_disable();
	strobe_pid_set_follow(set, 7, 10);
	strobe_pid_set_follow(set, 7, 40000);
	strobe_pid_set_follow(set, 7, 40001);
	/* There is no spare page until the irq_work has run. */
	strobe_pid_set_follow(set, 7, 70000);
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, strobe_pid_set_has(set, 10));
	KUNIT_EXPECT_TRUE(test, strobe_pid_set_has(set, 40000));
	KUNIT_EXPECT_TRUE(test, strobe_pid_set_has(set, 40001));
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(set, 70000));
	for (i = 0; i < 100 && !strobe_pid_set_has(set, 70000); i++) {
		msleep(20);
		strobe_pid_set_follow(set, 7, 70000);
	}
	KUNIT_EXPECT_TRUE(test, strobe_pid_set_has(set, 70000));
	strobe_pid_set_follow(set, 7, PID_MAX_LIMIT);
	strobe_pid_set_follow(set, 7, -1);
	strobe_pid_set_free(set);
}

/* Whether events with a second task are ignored, by which of the two tasks are listed. */
struct decision {
	bool	first;		/* the running task is in the list */
	bool	second;		/* the second task is in the list */
	bool	only_switch;	/* ignored if the list is set_event_pid */
	bool	only_wakeup;
	bool	except_switch;	/* ignored if the list is set_event_notrace_pid */
	bool	except_wakeup;
};

static const struct decision decisions[] = {
	{ false, false,	true,  true,	false, false },
	{ true,  false,	false, false,	false, false },
	{ false, true,	false, false,	false, false },
	{ true,  true,	false, false,	true,  true },
};

static bool ignored(const struct trace_event_file *file, unsigned int offset, pid_t other)
{
	char record[128] = { };

	*(pid_t *)(record + offset) = other;
	guard(preempt)();
	switch (strobe_event_pid_verdict(file)) {
	case PID_IGNORED:
		return true;
	case PID_KEPT:
		return false;
	case PID_BY_RECORD:
		break;
	}
	return strobe_event_pid_record_ignored(file, record);
}

/* As ignored(), of an event that a probe makes from one with a second task. */
static bool made_ignored(const struct trace_event_file *file, const struct second_task *second,
			 pid_t other)
{
	enum pid_verdict verdict;
	struct pid_made_from before;

	guard(preempt)();
	before = strobe_pid_made_from((struct pid_made_from) {
		.call = file->call, .second = second, .pid = other,
	});
	verdict = strobe_event_pid_verdict(file);
	strobe_pid_made_from(before);
	return verdict != PID_KEPT;
}

static void decide(struct kunit *test, struct trace_array *tr, enum pid_list list,
		   const struct decision *want)
{
	/* Offsets of the second task's pid in records of sched_switch and of wake-ups. */
	static const unsigned int next_pid = 56, pid = 24;
	pid_t self = current->pid, other = self + 1, neither = self + 2, pids[3];
	struct trace_event_file *sw, *wake, *fork;
	unsigned int nr = 0;

	pids[nr++] = neither;
	if (want->first)
		pids[nr++] = self;
	if (want->second)
		pids[nr++] = other;

	guard(mutex)(&strobe_event_mutex);
	strobe_instance_add_pids(tr, list, set_of(test, pids, nr));
	sw = strobe_event_file_find(tr, "sched", "sched_switch");
	wake = strobe_event_file_find(tr, "sched", "sched_wakeup");
	fork = strobe_event_file_find(tr, "sched", "sched_process_fork");
	KUNIT_EXPECT_TRUE(test, sw->sink.gate & STROBE_GATE_PID);
	KUNIT_EXPECT_EQ(test, list == PID_ONLY ? want->only_switch : want->except_switch,
			ignored(sw, next_pid, other));
	KUNIT_EXPECT_EQ(test, list == PID_ONLY ? want->only_wakeup : want->except_wakeup,
			ignored(wake, pid, other));
	KUNIT_EXPECT_EQ(test, list == PID_ONLY ? want->only_switch : want->except_switch,
			made_ignored(fork, strobe_second_task_at("sched_switch"), other));
	KUNIT_EXPECT_EQ(test, list == PID_ONLY ? want->only_wakeup : want->except_wakeup,
			made_ignored(fork, strobe_second_task_in(wake->call), other));
	/* Other events belong only to the running task. */
	KUNIT_EXPECT_EQ(test, list == PID_ONLY ? !want->first : want->first,
			ignored(fork, pid, other));
	strobe_instance_clear_pids(tr, list);
	KUNIT_EXPECT_FALSE(test, sw->sink.gate & STROBE_GATE_PID);
	KUNIT_EXPECT_FALSE(test, ignored(sw, next_pid, other));
}

static void pid_decides(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("strobe_kunit_pid", "sched");
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (i = 0; i < ARRAY_SIZE(decisions); i++) {
		decide(test, tr, PID_ONLY, &decisions[i]);
		decide(test, tr, PID_EXCEPT, &decisions[i]);
	}
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
}

static struct kunit_case pid_cases[] = {
	KUNIT_CASE(pid_set_keeps),
	KUNIT_CASE(pid_set_merges),
	KUNIT_CASE(pid_set_follows),
	KUNIT_CASE(pid_decides),
	{ }
};

static struct kunit_suite pid_suite = {
	.name		= "strobe_pid",
	.test_cases	= pid_cases,
};

kunit_test_suite(pid_suite);
