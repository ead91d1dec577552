// SPDX-License-Identifier: GPL-2.0
/*
 * Enabling and disabling events: the enable files of events, of systems and of
 * all events, set_event in every documented form, available_events. A refused
 * write returns the right errno and changes nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(enable)
{
};

FIXTURE_SETUP(enable)
{
	tfs_reset();
}

FIXTURE_TEARDOWN(enable)
{
	tfs_reset();
}

/* The names in set_event on one line, separated by blanks. */
static const char *enabled_events(void)
{
	static char names[4096];
	char *text = tfs_text("set_event"), *p;

	if (!text)
		return "unreadable";
	snprintf(names, sizeof(names), "%s", text);
	free(text);
	for (p = names; *p; p++) {
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	}
	return names;
}

TEST_F(enable, event_file)
{
	static const char file[] = "events/sched/sched_switch/enable";

	EXPECT_TRUE(tfs_is("0", file));
	EXPECT_EQ(0, tfs_write("1", file));
	EXPECT_TRUE(tfs_is("1", file));
	EXPECT_EQ(0, tfs_write("1", file));
	EXPECT_TRUE(tfs_is("1", file));
	EXPECT_STREQ("sched:sched_switch", enabled_events());
	EXPECT_EQ(0, tfs_write("0\n", file));
	EXPECT_TRUE(tfs_is("0", file));
	EXPECT_EQ(0, tfs_append("1\n", file));
	EXPECT_TRUE(tfs_is("1", file));
}

TEST_F(enable, switched_off_records_nothing)
{
	static const char file[] = "events/syscalls/sys_enter_getppid/enable";
	char *text;
	int i, round;

	for (round = 1; round <= 3; round++) {
		ASSERT_EQ(0, tfs_write("1", file));
		for (i = 0; i < 7; i++)
			syscall(SYS_getppid);
		ASSERT_EQ(0, tfs_write("0", file));
		for (i = 0; i < 7; i++)
			syscall(SYS_getppid);
		text = tfs_text("trace");
		ASSERT_NE(NULL, text);
		EXPECT_EQ(7 * round, trace_count(text, "sys_getppid", getpid(), NULL));
		free(text);
	}
}

TEST_F(enable, system_file)
{
	EXPECT_TRUE(tfs_is("0", "events/irq/enable"));
	EXPECT_EQ(0, tfs_write("1", "events/irq/softirq_raise/enable"));
	EXPECT_TRUE(tfs_is("X", "events/irq/enable"));
	EXPECT_TRUE(tfs_is("X", "events/enable"));
	EXPECT_TRUE(tfs_is("0", "events/timer/enable"));
	EXPECT_EQ(0, tfs_write("1", "events/irq/enable"));
	EXPECT_TRUE(tfs_is("1", "events/irq/enable"));
	EXPECT_TRUE(tfs_is("1", "events/irq/softirq_exit/enable"));
	EXPECT_TRUE(tfs_is("0", "events/timer/timer_start/enable"));
	EXPECT_EQ(0, tfs_write("0", "events/irq/softirq_raise/enable"));
	EXPECT_TRUE(tfs_is("X", "events/irq/enable"));
	EXPECT_EQ(0, tfs_write("0", "events/irq/enable"));
	EXPECT_TRUE(tfs_is("0", "events/irq/enable"));
	EXPECT_STREQ("", enabled_events());
}

/* For tests that enable all events, with one CPU online: see cpus_set_others(). */
FIXTURE(enable_all)
{
};

FIXTURE_SETUP(enable_all)
{
	cpus_set_others(false);
	tfs_reset();
	/* Do not record the flood of events: these tests do not read it. */
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
}

FIXTURE_TEARDOWN(enable_all)
{
	tfs_reset();
	cpus_set_others(true);
}

/* With all events enabled, set_event lists the same as available_events, in its order. */
TEST_F_TIMEOUT(enable_all, top_file, 120)
{
	char *available, *set;

	EXPECT_TRUE(tfs_is("0", "events/enable"));
	EXPECT_EQ(0, tfs_write("1", "events/enable"));
	EXPECT_TRUE(tfs_is("1", "events/enable"));
	EXPECT_TRUE(tfs_is("1", "events/sched/enable"));
	EXPECT_TRUE(tfs_is("1", "events/syscalls/sys_exit_read/enable"));
	available = tfs_text("available_events");
	set = tfs_text("set_event");
	ASSERT_NE(NULL, available);
	ASSERT_NE(NULL, set);
	EXPECT_STREQ(available, set);
	free(available);
	free(set);
	EXPECT_EQ(0, tfs_write("0", "events/sched/sched_switch/enable"));
	EXPECT_TRUE(tfs_is("X", "events/enable"));
	EXPECT_EQ(0, tfs_write("0", "events/enable"));
	EXPECT_TRUE(tfs_is("0", "events/enable"));
	EXPECT_STREQ("", enabled_events());
}

static const struct {
	const char *text;
	int err;
} bad_numbers[] = {
	{ "2",			-EINVAL },
	{ "-1",			-EINVAL },
	{ "x",			-EINVAL },
	{ "X",			-EINVAL },
	{ "0x1",		-EINVAL },
	{ "1 1",		-EINVAL },
	{ "",			-EINVAL },
	{ "\n",			-EINVAL },
	{ "99999999999999999999999", -ERANGE },
};

TEST_F(enable, bad_input)
{
	static const char * const files[] = {
		"events/irq/softirq_raise/enable", "events/irq/enable",
		"events/enable",
	};
	unsigned int f, i;
	char *before, *after;

	ASSERT_EQ(0, tfs_write("1", "events/irq/softirq_raise/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/sched/sched_switch/enable"));
	before = tfs_text("set_event");
	ASSERT_NE(NULL, before);
	for (f = 0; f < ARRAY_SIZE(files); f++) {
		for (i = 0; i < ARRAY_SIZE(bad_numbers); i++) {
			EXPECT_EQ(bad_numbers[i].err,
				  tfs_write(bad_numbers[i].text, "%s", files[f])) {
				TH_LOG("\"%s\" to %s", bad_numbers[i].text, files[f]);
			}
			after = tfs_text("set_event");
			ASSERT_NE(NULL, after);
			EXPECT_STREQ(before, after);
			free(after);
		}
	}
	free(before);
}

static const struct {
	const char *write;
	const char *enabled;
} forms[] = {
	{ "softirq_raise",		"irq:softirq_raise" },
	{ "softirq_raise\n",		"irq:softirq_raise" },
	{ "irq:softirq_raise",		"irq:softirq_raise" },
	{ "*:softirq_raise",		"irq:softirq_raise" },
	{ ":softirq_raise",		"irq:softirq_raise" },
	{ "raw_syscalls",		"raw_syscalls:sys_exit raw_syscalls:sys_enter" },
	{ "raw_syscalls:",		"raw_syscalls:sys_exit raw_syscalls:sys_enter" },
	{ "raw_syscalls:*",		"raw_syscalls:sys_exit raw_syscalls:sys_enter" },
	{ "\n",				"" },
	{ "",				"" },
};

TEST_F(enable, set_event_forms)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		/* Opening with O_TRUNC disables all events. */
		EXPECT_EQ(0, tfs_write(forms[i].write, "set_event"));
		EXPECT_STREQ(forms[i].enabled, enabled_events()) {
			TH_LOG("after \"%s\"", forms[i].write);
		}
	}
}

TEST_F_TIMEOUT(enable_all, set_event_all, 120)
{
	static const char * const all[] = { "*:*", "*:", ":*", ":" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		EXPECT_EQ(0, tfs_write(all[i], "set_event"));
		EXPECT_TRUE(tfs_is("1", "events/enable"));
		EXPECT_EQ(0, tfs_append("!*:*", "set_event"));
		EXPECT_TRUE(tfs_is("0", "events/enable"));
	}
}

TEST_F(enable, set_event_append_and_remove)
{
	EXPECT_EQ(0, tfs_write("irq:softirq_raise", "set_event"));
	EXPECT_EQ(0, tfs_append("raw_syscalls:sys_exit", "set_event"));
	EXPECT_TRUE(tfs_is("1", "events/irq/softirq_raise/enable"));
	EXPECT_TRUE(tfs_is("1", "events/raw_syscalls/sys_exit/enable"));
	EXPECT_EQ(0, tfs_append("raw_syscalls", "set_event"));
	EXPECT_TRUE(tfs_is("1", "events/raw_syscalls/enable"));
	EXPECT_EQ(0, tfs_append("!sys_enter", "set_event"));
	EXPECT_TRUE(tfs_is("X", "events/raw_syscalls/enable"));
	EXPECT_TRUE(tfs_is("0", "events/raw_syscalls/sys_enter/enable"));
	EXPECT_EQ(0, tfs_append("!irq:*", "set_event"));
	EXPECT_STREQ("raw_syscalls:sys_exit", enabled_events());
	EXPECT_EQ(0, tfs_append("!raw_syscalls", "set_event"));
	EXPECT_STREQ("", enabled_events());
}

/*
 * A write takes one word and returns the number of bytes taken; the caller
 * writes the rest. After a word that is refused, those before it stay in force.
 */
TEST_F(enable, set_event_words)
{
	static const char words[] = "softirq_raise raw_syscalls:sys_exit nosuch";
	size_t done = 0;
	ssize_t n;
	int fd;

	fd = tfs_open(O_WRONLY | O_TRUNC, "set_event");
	ASSERT_LE(0, fd);
	while ((n = write(fd, words + done, strlen(words) - done)) > 0)
		done += n;
	EXPECT_EQ(-1, n);
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(strlen("softirq_raise raw_syscalls:sys_exit "), done);
	close(fd);
	EXPECT_TRUE(tfs_is("1", "events/irq/softirq_raise/enable"));
	EXPECT_TRUE(tfs_is("1", "events/raw_syscalls/sys_exit/enable"));
	EXPECT_TRUE(tfs_is("X", "events/irq/enable"));
}

TEST_F(enable, set_event_refuses)
{
	static const char * const bad[] = {
		"nosuch", "nosuch:softirq_raise", "irq:nosuch", "irq:softirq_rais",
		"softirq_raise:", "!nosuch", "!irq:nosuch", "!", "ftrace:function",
	};
	char longword[300];
	unsigned int i;

	ASSERT_EQ(0, tfs_write("irq:softirq_raise", "set_event"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, tfs_append(bad[i], "set_event")) {
			TH_LOG("\"%s\"", bad[i]);
		}
		EXPECT_STREQ("irq:softirq_raise", enabled_events());
	}
	memset(longword, 'a', sizeof(longword) - 1);
	longword[sizeof(longword) - 1] = '\0';
	EXPECT_EQ(-EINVAL, tfs_append(longword, "set_event"));
	EXPECT_STREQ("irq:softirq_raise", enabled_events());
}

/* Does @text have the line "@system:@event"? */
static bool is_listed(const char *text, const char *system, const char *event)
{
	char want[520];
	const char *p;
	size_t len;

	len = snprintf(want, sizeof(want), "%s:%s\n", system, event);
	for (p = text; (p = strstr(p, want)); p += len) {
		if (p == text || p[-1] == '\n')
			return true;
	}
	return false;
}

static bool is_file(const char *fmt, const struct event_dirs *at)
{
	char path[PATH_MAX];
	struct stat st;
	int len;

	len = snprintf(path, sizeof(path), "%s/events/", tfs_root());
	snprintf(path + len, sizeof(path) - len, fmt, at->system, at->name);
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The directories below events/ and available_events name the same events. */
TEST_F(enable, available_events)
{
	char *text = tfs_text("available_events"), *p;
	struct event_dirs at = {};
	int listed = 0, found = 0;

	ASSERT_NE(NULL, text);
	for (p = text; (p = strchr(p, '\n')); p++)
		listed++;
	EXPECT_LT(100, listed);

	while (event_dirs_next(&at)) {
		/* The engine's own events have no file enable. */
		bool is_event = !!strcmp(at.system, "ftrace");

		EXPECT_TRUE(is_file("%s/%s/format", &at));
		EXPECT_EQ(is_event, is_file("%s/%s/enable", &at));
		EXPECT_EQ(is_event, is_file("%s/enable", &at));
		EXPECT_EQ(is_event, is_listed(text, at.system, at.name)) {
			TH_LOG("%s:%s", at.system, at.name);
		}
		found += is_event;
	}
	EXPECT_EQ(listed, found);
	free(text);
}

TEST_HARNESS_MAIN
