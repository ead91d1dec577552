// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of triggers: parsing, when triggers are called, and that only triggers that run
 * decrement their counts.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include <linux/strobe/event.h>

#include "event/event.h"
#include "trigger/trigger.h"

static void expect_text(struct kunit *test, const char *expected, const char *text)
{
	if (expected)
		KUNIT_EXPECT_STREQ(test, expected, text);
	else
		KUNIT_EXPECT_NULL(test, text);
}

static void test_cut(struct kunit *test)
{
	static const struct {
		const char *text;
		bool required;
		int err;
		bool remove;
		const char *name, *param, *filter;
	} cases[] = {
		{ "traceon", false, 0, false, "traceon" },
		{ "  !traceon", false, 0, true, "traceon" },
		{ "traceon:", false, 0, false, "traceon" },
		{ "traceon: 5", false, 0, false, "traceon", "5" },
		{ "traceon 5", false, 0, false, "traceon", "5" },
		{ "traceon:5 \t if pid", false, 0, false, "traceon", "5", "if pid" },
		{ "traceon:x if pid", false, 0, false, "traceon", NULL, "x if pid" },
		{ "traceon if pid", false, 0, false, "traceon", NULL, "if pid" },
		{ "traceon\tif", false, 0, false, "traceon", NULL, "if" },
		{ "enable:a:b:5 if pid", true, 0, false, "enable", "a:b:5", "if pid" },
		{ "enable:a:b:5 ", true, 0, false, "enable", "a:b:5" },
		{ "!enable:a:b", true, 0, true, "enable", "a:b" },
		{ "enable", true, -EINVAL },
		{ "enable: ", true, -EINVAL },
		{ "", false, 0, false, "" },
		{ "!", false, 0, true, "" },
		{ ":", false, 0, false, "" },
	};
	struct trigger_text parsed;
	char text[40];
	int i, err;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strscpy(text, cases[i].text, sizeof(text));
		strobe_trigger_parse(text, &parsed);
		err = strobe_trigger_parse_filter(&parsed, cases[i].required);
		KUNIT_EXPECT_EQ_MSG(test, err, cases[i].err, "%s", cases[i].text);
		if (err)
			continue;
		KUNIT_EXPECT_EQ(test, parsed.remove, cases[i].remove);
		KUNIT_EXPECT_STREQ(test, parsed.name, cases[i].name);
		expect_text(test, cases[i].param, parsed.param);
		expect_text(test, cases[i].filter, parsed.filter);
	}
}

static void test_cut_target(struct kunit *test)
{
	const char *system, *event;
	char text[] = "a:b:c:d", none[] = "a", empty[] = "a:";
	char *param = text;

	KUNIT_EXPECT_EQ(test, strobe_trigger_parse_target(&param, &system, &event), 0);
	KUNIT_EXPECT_STREQ(test, system, "a");
	KUNIT_EXPECT_STREQ(test, event, "b");
	KUNIT_EXPECT_STREQ(test, param, "c:d");
	param = none;
	KUNIT_EXPECT_EQ(test, strobe_trigger_parse_target(&param, &system, &event), -EINVAL);
	param = empty;
	KUNIT_EXPECT_EQ(test, strobe_trigger_parse_target(&param, &system, &event), 0);
	KUNIT_EXPECT_STREQ(test, event, "");
	KUNIT_EXPECT_NULL(test, param);
}

static void test_cut_count(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
		long count;
	} cases[] = {
		{ NULL, 0, TRIGGER_UNLIMITED },
		{ "0", 0, 0 },
		{ "17:more", 0, 17 },
		{ "0x10", 0, 16 },
		{ "", -EINVAL },
		{ "1x", -EINVAL },
		{ "-1", -EINVAL },
		{ "99999999999999999999", -ERANGE },
	};
	char text[40], *param;
	long count;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		param = NULL;
		if (cases[i].text) {
			strscpy(text, cases[i].text, sizeof(text));
			param = text;
		}
		KUNIT_EXPECT_EQ(test, strobe_trigger_parse_count(param, &count), cases[i].err);
		if (!cases[i].err)
			KUNIT_EXPECT_EQ(test, count, cases[i].count);
	}
}

/* A log in which commands note that they were run. */
static char log[16];

static void note(char what)
{
	log[strlen(log)] = what;
}

static bool done;

static bool is_done(const struct trigger *trigger)
{
	return done;
}

static void run_before(struct trigger *trigger, u32 ctx, unsigned long from)
{
	note('b');
}

static void run_after(struct trigger *trigger, u32 ctx, unsigned long from)
{
	note(ctx == 7 && from == 8 ? 'a' : '?');
}

static const struct trigger_command before = {
	.name = "before", .kind = TRIGGER_ONOFF, .is_done = is_done, .run = run_before,
};

static const struct trigger_command after = {
	.name = "after", .kind = TRIGGER_STACKTRACE, .after = true, .run = run_after,
};

static void fire(struct trace_event_file *file, const void *record)
{
	unsigned int kinds;

	preempt_disable();
	kinds = strobe_triggers_call(file, record, 7, 8);
	note('|');
	if (kinds)
		strobe_triggers_call_after(file, kinds, 7, 8);
	preempt_enable();
}

static void test_call(struct kunit *test)
{
	struct trace_event_file file = { };
	struct trigger one = { .command = &before, .file = &file };
	struct trigger two = { .command = &after, .file = &file };
	struct trace_entry record = { };

	memset(log, 0, sizeof(log));
	done = false;
	atomic_long_set(&one.count, 2);
	atomic_long_set(&two.count, TRIGGER_UNLIMITED);
	fire(&file, &record);
	KUNIT_EXPECT_STREQ(test, log, "|");

	mutex_lock(&strobe_event_mutex);
	KUNIT_EXPECT_EQ(test, strobe_triggers_gate(&file), 0);
	hlist_add_head_rcu(&one.node, &file.triggers);
	KUNIT_EXPECT_EQ(test, strobe_triggers_gate(&file), STROBE_GATE_TRIGGER);
	hlist_add_head_rcu(&two.node, &file.triggers);
	KUNIT_EXPECT_EQ(test, strobe_triggers_gate(&file),
			STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD);
	KUNIT_EXPECT_PTR_EQ(test, strobe_trigger_find(&file, &after, NULL), &two);
	KUNIT_EXPECT_PTR_EQ(test, strobe_trigger_find(&file, &before, NULL), &one);
	KUNIT_EXPECT_NULL(test, strobe_trigger_find(&file, &before, &file));
	mutex_unlock(&strobe_event_mutex);

	memset(log, 0, sizeof(log));
	fire(&file, &record);
	KUNIT_EXPECT_STREQ(test, log, "b|a");
	/* A trigger whose is_done() is true is neither run nor counted. */
	done = true;
	fire(&file, &record);
	KUNIT_EXPECT_STREQ(test, log, "b|a|a");
	KUNIT_EXPECT_EQ(test, atomic_long_read(&one.count), 1);
	done = false;
	fire(&file, &record);
	fire(&file, &record);
	KUNIT_EXPECT_STREQ(test, log, "b|a|ab|a|a");
	KUNIT_EXPECT_EQ(test, atomic_long_read(&one.count), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&two.count), TRIGGER_UNLIMITED);
}

static struct kunit_case trigger_test_cases[] = {
	KUNIT_CASE(test_cut),
	KUNIT_CASE(test_cut_target),
	KUNIT_CASE(test_cut_count),
	KUNIT_CASE(test_call),
	{ }
};

static struct kunit_suite trigger_test_suite = {
	.name = "strobe_trigger",
	.test_cases = trigger_test_cases,
};

kunit_test_suite(trigger_test_suite);
