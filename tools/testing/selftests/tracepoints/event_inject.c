// SPDX-License-Identifier: GPL-2.0
/*
 * events/SYSTEM/EVENT/inject: a write fires the event with the given fields. Filters,
 * triggers and pid lists apply to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define SWITCH "events/sched/sched_switch/"
#define EXEC "events/sched/sched_process_exec/"

FIXTURE(inject)
{
};

FIXTURE_SETUP(inject)
{
	if (access("/sys/kernel/tracing/" SWITCH "inject", F_OK))
		SKIP(return, "no injection of events");
	tfs_reset();
}

FIXTURE_TEARDOWN(inject)
{
	tfs_write("0", SWITCH "filter");
	tfs_append("!traceoff", SWITCH "trigger");
	tfs_append("!traceoff", EXEC "trigger");
	tfs_write("", "set_event_pid");
	tfs_reset();
}

/* The number of records of @event in trace that contain @part. */
static int recorded(const char *dir, const char *event, const char *part)
{
	char *text = tfs_text("%strace", dir);
	int n = text ? trace_count(text, event, 0, part) : -1;

	free(text);
	return n;
}

static int switches(const char *part)
{
	return recorded("", "sched_switch", part);
}

TEST_F(inject, numbers)
{
	/* The event need not be enabled. */
	ASSERT_EQ(0, tfs_write("prev_pid=101 prev_prio = -7 next_pid=0x66 next_prio=0", SWITCH
			       "inject"));
	EXPECT_EQ(1, switches("prev_comm= prev_pid=101 prev_prio=-7"));
	EXPECT_EQ(1, switches("next_comm= next_pid=102 next_prio=0"));
	/* A value is truncated to the size of its field; the last one counts. */
	ASSERT_EQ(0, tfs_write("next_pid=1 next_pid=4294967399", SWITCH "inject"));
	EXPECT_EQ(1, switches("next_pid=103 "));
	/* Without any field, the record is all zero. */
	ASSERT_EQ(0, tfs_write("\n", SWITCH "inject"));
	EXPECT_EQ(1, switches("next_comm= next_pid=0 next_prio=0"));
	EXPECT_TRUE(tfs_is("0", SWITCH "enable"));
}

TEST_F(inject, strings)
{
	ASSERT_EQ(0, tfs_write("prev_comm=\"a 'b' c\" next_comm='say \"d\"' prev_pid=1",
			       SWITCH "inject"));
	EXPECT_EQ(1, switches("prev_comm=a 'b' c prev_pid=1 "));
	EXPECT_EQ(1, switches("next_comm=say \"d\" next_pid=0"));
	/* A string is truncated to the size of the array. */
	ASSERT_EQ(0, tfs_write("next_comm=\"0123456789abcdefgh\"", SWITCH "inject"));
	EXPECT_EQ(1, switches("next_comm=0123456789abcde next_pid"));
	/* A backslash before a quote escapes it, but stays in the string. */
	ASSERT_EQ(0, tfs_write("prev_comm=\"x\\\"y\"", SWITCH "inject"));
	EXPECT_EQ(1, switches("prev_comm=x\\\"y prev_pid"));
}

TEST_F(inject, dynamic_strings)
{
	char text[300], want[256];

	ASSERT_EQ(0, tfs_write("pid=7 filename=\"/a/file\" old_pid=8", EXEC "inject"));
	EXPECT_EQ(1, recorded("", "sched_process_exec", "filename=/a/file pid=7 old_pid=8"));
	ASSERT_EQ(0, tfs_write("pid=9", EXEC "inject"));
	EXPECT_EQ(1, recorded("", "sched_process_exec", "filename= pid=9 old_pid=0"));
	ASSERT_EQ(0, tfs_write("filename=\"one\" filename=\"another\"", EXEC "inject"));
	EXPECT_EQ(1, recorded("", "sched_process_exec", "filename=another pid=0"));
	/* The maximum length. */
	memset(want, 'x', 255);
	want[255] = '\0';
	snprintf(text, sizeof(text), "filename=\"%s\"", want);
	ASSERT_EQ(0, tfs_write(text, EXEC "inject"));
	EXPECT_EQ(1, recorded("", "sched_process_exec", want));
}

TEST_F(inject, common_fields)
{
	char *text;

	ASSERT_EQ(0, tfs_write("prev_pid=5 common_pid=4321", SWITCH "inject"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, trace_count(text, "sched_switch", 4321, "prev_pid=5 "));
	free(text);
}

/* Classic also shows the record, but warns. */
TEST_F(inject, a_pid_that_is_none)
{
	long taint = taint_bits();
	char *text;

	if (!is_strobe())
		SKIP(return, "classic warns");
	ASSERT_EQ(0, tfs_write("prev_pid=5 common_pid=-1", SWITCH "inject"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, " <XXX>--1 "));
	free(text);
	EXPECT_EQ(taint, taint_bits());
}

TEST_F(inject, refused)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "no_such=1", -ENOENT }, { "prev_pid=1 no_such", -ENOENT },
		{ "prev_pid", -EINVAL }, { "prev_pid=", -EINVAL }, { "prev_pid 1", -EINVAL },
		{ "prev_pid=x", -EINVAL }, { "prev_pid=1x", -EINVAL }, { "prev_pid=-", -EINVAL },
		{ "prev_pid=1;prev_prio=1", -EINVAL }, { "=1", -EINVAL }, { "1", -ENOENT },
		{ "prev_pid=\"1\"", -EINVAL }, { "prev_comm=1", -EINVAL },
		{ "prev_comm=a", -EINVAL }, { "prev_comm=\"a", -EINVAL },
		{ "prev_comm='a\"", -EINVAL }, { "prev_pid=99999999999999999999", -ERANGE },
		{ "CPU=1", -EINVAL }, { "prev_pid=1 ?", -EINVAL },
	};
	char *text = calloc(1, 5000);
	unsigned int i;
	int fd;

	ASSERT_NE(NULL, text);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(bad[i].err, tfs_write(bad[i].text, SWITCH "inject")) {
			TH_LOG("%s", bad[i].text);
		}
	}
	/* Too long a string, and too long a write. */
	memset(text, 'x', 266);
	memcpy(text, "filename=\"", 10);
	text[266] = '"';
	EXPECT_EQ(-EINVAL, tfs_write(text, EXEC "inject"));
	memset(text, ' ', 4096);
	EXPECT_EQ(-EINVAL, tfs_write(text, EXEC "inject"));
	free(text);
	EXPECT_EQ(0, switches(NULL));
	EXPECT_EQ(0, recorded("", "sched_process_exec", NULL));

	fd = tfs_open(O_RDONLY, SWITCH "inject");
	ASSERT_LE(0, fd);
	EXPECT_EQ(NULL, fd_text(fd));
	EXPECT_EQ(EPERM, errno);
	close(fd);
}

/* Events that cannot be enabled have no file inject, except that of the markers. */
TEST_F(inject, which_events)
{
	struct event_dirs dirs = { };
	char path[PATH_MAX];
	struct stat st;
	bool can;

	while (event_dirs_next(&dirs)) {
		snprintf(path, sizeof(path), "%s/events/%.200s/%.200s/inject", tfs_root(),
			 dirs.system, dirs.name);
		can = !stat(path, &st);
		EXPECT_EQ(can, strcmp(dirs.system, "ftrace") || !strcmp(dirs.name, "print")) {
			TH_LOG("%s", path);
		}
		if (can)
			EXPECT_EQ(S_IFREG | 0200, st.st_mode);
	}
}

TEST_F(inject, marker)
{
	char *text;

	ASSERT_EQ(0, tfs_write("ip=0", "events/ftrace/print/inject"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "entries-in-buffer/entries-written: 1/1 "));
	free(text);
}

TEST_F(inject, filtered)
{
	ASSERT_EQ(0, tfs_write("prev_pid == 5 && prev_comm ~ \"a*\"", SWITCH "filter"));
	ASSERT_EQ(0, tfs_write("prev_pid=5 prev_comm=\"abc\"", SWITCH "inject"));
	ASSERT_EQ(0, tfs_write("prev_pid=5 prev_comm=\"bc\"", SWITCH "inject"));
	ASSERT_EQ(0, tfs_write("prev_pid=6 prev_comm=\"abc\"", SWITCH "inject"));
	EXPECT_EQ(1, switches(NULL));
	EXPECT_EQ(1, switches("prev_comm=abc prev_pid=5"));
	ASSERT_EQ(0, tfs_write("0", SWITCH "filter"));
	ASSERT_EQ(0, tfs_write("prev_pid=6", SWITCH "inject"));
	EXPECT_EQ(1, switches("prev_pid=6"));
}

TEST_F(inject, other_tasks)
{
	char pid[16];

	ASSERT_EQ(0, tfs_write("1", "set_event_pid"));
	ASSERT_EQ(0, tfs_write("pid=1", EXEC "inject"));
	EXPECT_EQ(0, recorded("", "sched_process_exec", NULL));
	snprintf(pid, sizeof(pid), "%d", getpid());
	ASSERT_EQ(0, tfs_append(pid, "set_event_pid"));
	ASSERT_EQ(0, tfs_write("pid=1", EXEC "inject"));
	EXPECT_EQ(1, recorded("", "sched_process_exec", NULL));
}

TEST_F(inject, not_recording)
{
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_EQ(0, tfs_write("prev_pid=1", SWITCH "inject"));
	EXPECT_EQ(0, switches(NULL));
	ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	EXPECT_EQ(0, tfs_write("prev_pid=1", SWITCH "inject"));
	EXPECT_EQ(1, switches(NULL));
}

/* An event with triggers is in soft mode: they see it, but it is not recorded. */
TEST_F(inject, triggers)
{
	ASSERT_EQ(0, tfs_append("traceoff if prev_pid == -77", SWITCH "trigger"));
	EXPECT_EQ(0, tfs_write("prev_pid=-76", SWITCH "inject"));
	EXPECT_EQ(0, switches(NULL));
	EXPECT_TRUE(tfs_is("1", "tracing_on"));
	EXPECT_EQ(0, tfs_write("prev_pid=-77", SWITCH "inject"));
	EXPECT_TRUE(tfs_is("0", "tracing_on"));
	ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	/* Without triggers the event leaves soft mode and is recorded. */
	ASSERT_EQ(0, tfs_append("!traceoff", SWITCH "trigger"));
	EXPECT_EQ(0, tfs_write("prev_pid=-77", SWITCH "inject"));
	EXPECT_EQ(1, switches("prev_pid=-77"));
	EXPECT_TRUE(tfs_is("1", "tracing_on"));
}

/* Those with a filter run for listed tasks only, as when the event fires. */
TEST_F(inject, triggers_of_other_tasks)
{
	char pid[16];

	ASSERT_EQ(0, tfs_append("traceoff if pid == 77", EXEC "trigger"));
	ASSERT_EQ(0, tfs_write("1", "set_event_pid"));
	EXPECT_EQ(0, tfs_write("pid=77", EXEC "inject"));
	EXPECT_TRUE(tfs_is("1", "tracing_on"));
	snprintf(pid, sizeof(pid), "%d", getpid());
	ASSERT_EQ(0, tfs_append(pid, "set_event_pid"));
	EXPECT_EQ(0, tfs_write("pid=77", EXEC "inject"));
	EXPECT_TRUE(tfs_is("0", "tracing_on"));
}

TEST_F(inject, instance)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances/injected", tfs_root());
	ASSERT_EQ(0, mkdir(path, 0750));
	EXPECT_EQ(0, tfs_write("prev_pid=3", "instances/injected/" SWITCH "inject"));
	EXPECT_EQ(1, recorded("instances/injected/", "sched_switch", "prev_pid=3"));
	EXPECT_EQ(0, switches(NULL));
	EXPECT_EQ(0, rmdir(path));
}

TEST_HARNESS_MAIN
