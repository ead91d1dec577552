// SPDX-License-Identifier: GPL-2.0
/*
 * The first use of an instance: event files, directories of events and the ring are made then.
 * Before it, all files show what they would show if these had been there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/trace_mmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(first_use)
{
	long tainted;
};

FIXTURE_SETUP(first_use)
{
	if (!tfs_exists("instances"))
		SKIP(return, "no instances");
	tfs_reset();
	self->tainted = taint_bits();
	/* Left by a test that was stopped */
	instance_remove("a");
	instance_remove("b");
	ASSERT_EQ(0, instance_make("a"));
}

FIXTURE_TEARDOWN(first_use)
{
	instance_remove("a");
	EXPECT_EQ(self->tainted, taint_bits());
	tfs_reset();
}

/* What a file shows before an event is used, and a write that changes it */
static const struct {
	const char *file;
	const char *shown;
	const char *change;
	const char *changed;
} untouched[] = {
	{ "events/sched/sched_switch/enable", "0", "1", "1" },
	{ "events/sched/sched_switch/filter", "none", "prev_pid > 5", "prev_pid > 5" },
	{ "events/sched/sched_switch/trigger", NULL, "traceon:1", "traceon:count=1" },
	{ "events/ftrace/print/trigger", NULL, "traceon:1", "traceon:count=1" },
	{ "events/sched/enable", "0", "1", "1" },
	{ "events/sched/filter", NULL, "common_pid > 5", NULL },
	{ "events/enable", "0", NULL, NULL },
	{ "set_event", "", "sched:sched_switch", "sched:sched_switch" },
};

/* Each file shows the default first, and each can be the one with which an event's use begins. */
TEST_F(first_use, files)
{
	unsigned int i;
	char *text;

	for (i = 0; i < ARRAY_SIZE(untouched); i++) {
		ASSERT_EQ(0, instance_make("b"));
		if (untouched[i].shown)
			EXPECT_TRUE(tfs_is(untouched[i].shown, "instances/b/%s",
					   untouched[i].file)) {
				TH_LOG("%s", untouched[i].file);
			}
		if (untouched[i].change)
			EXPECT_EQ(0, tfs_write(untouched[i].change, "instances/b/%s",
					       untouched[i].file)) {
				TH_LOG("%s", untouched[i].file);
			}
		text = tfs_text("instances/b/%s", untouched[i].file);
		if (untouched[i].changed)
			EXPECT_TRUE(text && strstr(text, untouched[i].changed) == text) {
				TH_LOG("%s: %s", untouched[i].file, text);
			}
		free(text);
		EXPECT_EQ(0, instance_remove("b"));
	}
}

/* What was set for the whole instance, or for a system, before an event was used holds for it. */
TEST_F(first_use, settings)
{
	char *text;

	ASSERT_EQ(0, tfs_write("1", "instances/a/options/stacktrace"));
	ASSERT_EQ(0, tfs_write("common_pid >= 0", "instances/a/events/syscalls/filter"));
	EXPECT_TRUE(tfs_is("common_pid >= 0",
			   "instances/a/events/syscalls/sys_enter_getpgid/filter"));
	ASSERT_EQ(0, tfs_write("0", "instances/a/events/syscalls/filter"));
	EXPECT_TRUE(tfs_is("none", "instances/a/events/syscalls/sys_enter_getppid/filter"));
	ASSERT_EQ(0, tfs_write("1", "instances/a/events/syscalls/sys_enter_getpgid/enable"));
	EXPECT_TRUE(tfs_is("X", "instances/a/events/syscalls/enable"));
	EXPECT_TRUE(tfs_is("X", "instances/a/events/enable"));
	EXPECT_TRUE(tfs_is("0", "instances/a/events/sched/enable"));
	syscall(SYS_getpgid, 0);
	text = tfs_text("instances/a/trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, trace_count(text, "sys_getpgid", 0, NULL));
	EXPECT_NE(NULL, strstr(text, "<stack trace>"));
	free(text);
	/* With a pid that no task has, nothing is recorded. */
	ASSERT_EQ(0, tfs_write("", "instances/a/trace"));
	ASSERT_EQ(0, tfs_write("4000000", "instances/a/set_event_pid"));
	ASSERT_EQ(0, tfs_write("1", "instances/a/events/syscalls/sys_enter_getppid/enable"));
	syscall(SYS_getppid);
	text = tfs_text("instances/a/trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(0, trace_count(text, "sys_getppid", 0, NULL));
	free(text);
}

/* A trigger for an event that was not used: it can be switched on by another one. */
TEST_F(first_use, trigger)
{
	char *text;

	ASSERT_EQ(0, tfs_write("enable_event:syscalls:sys_enter_getppid",
			       "instances/a/events/syscalls/sys_enter_getpgid/trigger"));
	EXPECT_EQ(-EINVAL, tfs_append("enable_event:syscalls:sys_enter_nothing",
				      "instances/a/events/syscalls/sys_enter_getpgid/trigger"));
	EXPECT_TRUE(tfs_is("0*", "instances/a/events/syscalls/sys_enter_getppid/enable"));
	syscall(SYS_getppid);
	syscall(SYS_getpgid, 0);
	syscall(SYS_getppid);
	EXPECT_TRUE(tfs_is("1*", "instances/a/events/syscalls/sys_enter_getppid/enable"));
	text = tfs_text("instances/a/trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, trace_count(text, "sys_getppid", 0, NULL));
	free(text);
	/* A marker's trigger, the first one of the instance */
	ASSERT_EQ(0, tfs_write("traceoff", "instances/a/events/ftrace/print/trigger"));
	EXPECT_EQ(0, tfs_write("the last one", "instances/a/trace_marker"));
	EXPECT_TRUE(tfs_is("0", "instances/a/tracing_on"));
}

/* The directories of events are there, and complete, whatever is looked at first. */
TEST_F_TIMEOUT(first_use, directories, 300)
{
	static const char * const first[] = {
		"events/sched/sched_switch/format", "events/sched/enable", "events/enable",
		"events/none", "events/sched/none", "events/sched/none/enable", "set_event",
	};
	unsigned int i, n;
	glob_t found;
	char path[PATH_MAX];

	for (i = 0; i <= ARRAY_SIZE(first); i++) {
		ASSERT_EQ(0, instance_make("b"));
		if (i < ARRAY_SIZE(first))
			EXPECT_EQ(!strstr(first[i], "none"),
				  tfs_exists("instances/b/%s", first[i]));
		snprintf(path, sizeof(path), "%s/instances/b/events/*/*/format", tfs_root());
		ASSERT_EQ(0, glob(path, 0, NULL, &found));
		n = found.gl_pathc;
		globfree(&found);
		snprintf(path, sizeof(path), "%s/events/*/*/format", tfs_root());
		ASSERT_EQ(0, glob(path, 0, NULL, &found));
		EXPECT_EQ(found.gl_pathc, n);
		globfree(&found);
		EXPECT_FALSE(tfs_exists("instances/b/events/ftrace/enable"));
		EXPECT_FALSE(tfs_exists("instances/b/events/ftrace/filter"));
		EXPECT_EQ(0, instance_remove("b"));
	}
}

/* What the size is, and that all of it can be used, from the first record on. */
TEST_F(first_use, ring)
{
	char *kb = tfs_text("instances/a/buffer_size_kb"), *now, *p;
	struct trace_buffer_meta *meta;
	int fd, i, n;

	ASSERT_NE(NULL, kb);
	kb[strcspn(kb, "\n")] = '\0';
	EXPECT_LT(1400, atol(kb));
	EXPECT_TRUE(tfs_is(kb, "instances/a/per_cpu/cpu0/buffer_size_kb"));
	EXPECT_EQ(NULL, strchr(kb, '('));
	ASSERT_EQ(0, pin_to_cpu(0));
	for (i = 0; i < 5000; i++)
		ASSERT_EQ(0, tfs_write("some text", "instances/a/trace_marker"));
	EXPECT_EQ(5000, trace_marks("instances/a", "some text"));
	EXPECT_TRUE(tfs_is(kb, "instances/a/buffer_size_kb"));

	/* The others keep their size if one CPU's is changed. */
	ASSERT_EQ(0, instance_make("b"));
	ASSERT_EQ(0, tfs_write("100", "instances/b/per_cpu/cpu0/buffer_size_kb"));
	if (cpus_possible() > 1)
		EXPECT_TRUE(tfs_is(kb, "instances/b/per_cpu/cpu1/buffer_size_kb"));
	ASSERT_EQ(0, instance_remove("b"));

	/* A mapping shows it, too. */
	ASSERT_EQ(0, instance_make("b"));
	fd = tfs_open(O_RDONLY, "instances/b/per_cpu/cpu0/trace_pipe_raw");
	ASSERT_LE(0, fd);
	meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	ASSERT_NE(MAP_FAILED, meta);
	EXPECT_LT(300, meta->nr_subbufs);
	munmap(meta, getpagesize());
	ASSERT_EQ(0, instance_remove("b"));

	/* A trigger may be the first to record. */
	ASSERT_EQ(0, instance_make("b"));
	ASSERT_EQ(0, tfs_write("stacktrace",
			       "instances/b/events/syscalls/sys_enter_getpgid/trigger"));
	for (i = 0; i < 300; i++)
		syscall(SYS_getpgid, 0);
	now = tfs_text("instances/b/trace");
	ASSERT_NE(NULL, now);
	for (n = 0, p = now; (p = strstr(p, "<stack trace>")); p++)
		n++;
	EXPECT_EQ(300, n);
	free(now);
	free(kb);
	ASSERT_EQ(0, instance_remove("b"));
}

/* Many instances fit into memory, as each has only what is used in it. */
#define MANY 1000
TEST_F_TIMEOUT(first_use, many, 300)
{
	char name[16];
	int i, made;

	if (!is_strobe())
		SKIP(return, "this engine allocates all of each ring");
	for (made = 0; made < MANY; made++) {
		snprintf(name, sizeof(name), "many%d", made);
		if (instance_make(name))
			break;
	}
	EXPECT_EQ(MANY, made);
	for (i = 0; i < made; i += 100)
		EXPECT_EQ(0, tfs_write("1", "instances/many%d/events/sched/sched_switch/enable",
				       i));
	for (i = 0; i < made; i += 100)
		EXPECT_TRUE(tfs_is("sched:sched_switch", "instances/many%d/set_event", i));
	for (i = 0; i < made; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		EXPECT_EQ(0, instance_remove(name));
	}
}

TEST_HARNESS_MAIN
