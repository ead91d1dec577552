// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what ftrace.c and the other files of function hooks use: patterns, times
 * and lists of pids. The selftest hooks.c tests words written by user space.
 */
#include <kunit/test.h>

#include <linux/string.h>

#include "hook/host.h"

static const struct {
	const char	*text, *search;
	enum regex_type	type;
	int		not;
} pattern_cases[] = {
	{ "",		"",		MATCH_FULL,		0 },
	{ "abc",	"abc",		MATCH_FULL,		0 },
	{ "!abc",	"abc",		MATCH_FULL,		1 },
	{ "!",		"",		MATCH_FULL,		1 },
	{ "abc*",	"abc",		MATCH_FRONT_ONLY,	0 },
	{ "*abc",	"abc",		MATCH_END_ONLY,		0 },
	{ "*abc*",	"abc",		MATCH_MIDDLE_ONLY,	0 },
	{ "!*abc*",	"abc",		MATCH_MIDDLE_ONLY,	1 },
	{ "*",		"",		MATCH_END_ONLY,		0 },
	{ "**",		"",		MATCH_MIDDLE_ONLY,	0 },
	{ "a*c",	"a*c",		MATCH_GLOB,		0 },
	{ "*a*c",	"*a*c",		MATCH_GLOB,		0 },
	{ "a*c*",	"a*c*",		MATCH_GLOB,		0 },
	{ "***",	"***",		MATCH_GLOB,		0 },
	{ "a?c",	"a?c",		MATCH_GLOB,		0 },
	{ "[ab]c*",	"[ab]c*",	MATCH_GLOB,		0 },
	{ "a\\*",	"a\\*",		MATCH_GLOB,		0 },
	{ "12",		"12",		MATCH_INDEX,		0 },
	{ "!7*",	"7*",		MATCH_INDEX,		1 },
};

static void test_patterns(struct kunit *test)
{
	char text[16], *search;
	int i, not;

	for (i = 0; i < ARRAY_SIZE(pattern_cases); i++) {
		strscpy(text, pattern_cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, pattern_cases[i].type,
				    filter_parse_regex(text, strlen(text), &search, &not),
				    "%s", pattern_cases[i].text);
		KUNIT_EXPECT_STREQ(test, pattern_cases[i].search, search);
		KUNIT_EXPECT_EQ(test, pattern_cases[i].not, not);
	}
}

static const struct {
	u64		ns;
	const char	*text;
} time_cases[] = {
	{ 0,			"0.000 us    " },
	{ 7,			"0.007 us    " },
	{ 12345,		"12.345 us   " },
	{ 1234567,		"1234.567 us " },
	{ 12345678,		"12345.67 us " },
	{ 123456789,		"123456.7 us " },
	{ 1234567890,		"1234567 us  " },
	{ 12345678901,		"12345678 us " },
	{ U64_MAX,		"18446744073709551 us " },
};

static void test_times(struct kunit *test)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < ARRAY_SIZE(time_cases); i++) {
		trace_seq_init(s);
		trace_print_graph_duration(time_cases[i].ns, s);
		trace_seq_putc(s, '\0');
		KUNIT_EXPECT_STREQ(test, time_cases[i].text, s->buffer);
	}
}

/* Reading set_ftrace_pid gives each pid once, in order, including 0. */
static void test_steps(struct kunit *test)
{
	static const pid_t pids[] = { 0, 1, 4711, 4712 };
	struct trace_pid_list *list = strobe_pid_set_alloc();
	loff_t pos = 0;
	void *step;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_NULL(test, trace_pid_start(list, &pos));
	for (i = 0; i < ARRAY_SIZE(pids); i++)
		KUNIT_EXPECT_EQ(test, 0, strobe_pid_set_add(list, pids[i]));
	step = trace_pid_start(list, &pos);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		KUNIT_EXPECT_EQ(test, pids[i] + 1L, (long)step);
		/* Here one read() ends and the next one begins. */
		if (i == 1)
			step = trace_pid_start(list, &pos);
		step = trace_pid_next(list, step, &pos);
	}
	KUNIT_EXPECT_NULL(test, step);
	strobe_pid_set_free(list);
}

/* An instance's two lists determine which tasks it ignores. */
static void test_ignored(struct kunit *test)
{
	struct trace_pid_list *list = strobe_pid_set_alloc();
	struct task_struct *other = &init_task;

	KUNIT_ASSERT_NOT_NULL(test, list);
	trace_filter_add_remove_task(NULL, current, other);
	/* The parent is not in the list. */
	trace_filter_add_remove_task(list, current, other);
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(list, other->pid));
	KUNIT_EXPECT_FALSE(test, trace_ignore_this_task(NULL, NULL, current));
	KUNIT_EXPECT_TRUE(test, trace_ignore_this_task(list, NULL, current));
	KUNIT_EXPECT_FALSE(test, trace_ignore_this_task(NULL, list, current));
	KUNIT_EXPECT_EQ(test, 0, strobe_pid_set_add(list, current->pid));
	KUNIT_EXPECT_FALSE(test, trace_ignore_this_task(list, NULL, current));
	KUNIT_EXPECT_TRUE(test, trace_ignore_this_task(NULL, list, current));
	trace_filter_add_remove_task(list, current, other);
	KUNIT_EXPECT_TRUE(test, strobe_pid_set_has(list, other->pid));
	trace_filter_add_remove_task(list, NULL, other);
	KUNIT_EXPECT_FALSE(test, strobe_pid_set_has(list, other->pid));
	strobe_pid_set_free(list);
}

static struct kunit_case hook_cases[] = {
	KUNIT_CASE(test_patterns),
	KUNIT_CASE(test_times),
	KUNIT_CASE(test_steps),
	KUNIT_CASE(test_ignored),
	{}
};

static struct kunit_suite hook_suite = {
	.name		= "strobe_hook",
	.test_cases	= hook_cases,
};

kunit_test_suite(hook_suite);
