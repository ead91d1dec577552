// SPDX-License-Identifier: GPL-2.0
/*
 * set_event_pid and set_event_notrace_pid: which tasks' events are recorded; the option
 * event-fork; and the scheduler's events, which belong to two tasks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

static const char * const lists[] = { "set_event_pid", "set_event_notrace_pid" };

static void clear(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		tfs_write("\n", "%s", lists[i]);
	tfs_write("0", "options/event-fork");
}

FIXTURE(pid)
{
	char self[16];
};

FIXTURE_SETUP(pid)
{
	clear();
	tfs_reset();
	snprintf(self->self, sizeof(self->self), "%d", getpid());
}

FIXTURE_TEARDOWN(pid)
{
	clear();
	tfs_reset();
}

TEST_F(pid, lists)
{
	char line[128], *text;
	unsigned int i, fd;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *list = lists[i];

		EXPECT_TRUE(tfs_is("", "%s", list));
		EXPECT_EQ(0, tfs_write("17", "%s", list));
		EXPECT_TRUE(tfs_is("17", "%s", list));
		/* Pids are taken in any base, and shown in order, each once. */
		EXPECT_EQ(0, tfs_append("  40000 0x10\n\t3 0\n17 020", "%s", list));
		EXPECT_TRUE(tfs_is("0\n3\n16\n17\n40000", "%s", list));
		/* A write with an error adds none of its pids. */
		EXPECT_EQ(-EINVAL, tfs_append("5 x", "%s", list));
		EXPECT_EQ(-EINVAL, tfs_append("5 -1x", "%s", list));
		EXPECT_EQ(-EINVAL, tfs_append("5 99999999999999999999999", "%s", list));
		EXPECT_EQ(-EPERM, tfs_append("5 1073741824", "%s", list));
		memset(line, '1', sizeof(line) - 1);
		line[sizeof(line) - 1] = '\0';
		EXPECT_EQ(-EINVAL, tfs_append(line, "%s", list));
		EXPECT_TRUE(tfs_is("0\n3\n16\n17\n40000", "%s", list));
		/* Blanks change nothing. */
		EXPECT_EQ(0, tfs_append("\n\t", "%s", list));
		EXPECT_TRUE(tfs_is("0\n3\n16\n17\n40000", "%s", list));
		/* A read continues at the file position. */
		fd = tfs_open(O_RDONLY, "%s", list);
		ASSERT_EQ(4, read(fd, line, 4));
		text = fd_text(fd);
		EXPECT_STREQ("16\n17\n40000\n", text);
		free(text);
		close(fd);
		/* Opening with O_TRUNC empties the list. */
		EXPECT_EQ(0, tfs_write("6", "%s", list));
		EXPECT_TRUE(tfs_is("6", "%s", list));
		EXPECT_EQ(0, tfs_write("", "%s", list));
		EXPECT_TRUE(tfs_is("", "%s", list));
	}
}

static int event_count(const char *event, int who, const char *part)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, event, who, part) : -1;

	free(text);
	return n;
}

/* Fork a task that makes a system call or, if @in_child, forks another one that does. */
static int run(bool in_child)
{
	int child = fork();

	if (!child) {
		if (!in_child || !fork())
			syscall(SYS_close, 0x4d2);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return child;
}

static int closes(int who)
{
	return event_count("sys_close", who, "fd: 4d2");
}

TEST_F(pid, only_these)
{
	int other;

	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	other = run(false);
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(1, closes(other));
	EXPECT_EQ(1, closes(getpid()));
	ASSERT_EQ(0, tfs_write(self->self, "set_event_pid"));
	other = run(false);
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(0, closes(other));
	EXPECT_EQ(2, closes(getpid()));
	ASSERT_EQ(0, tfs_write("1", "set_event_pid"));
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(2, closes(getpid()));
	ASSERT_EQ(0, tfs_write("", "set_event_pid"));
	other = run(false);
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(1, closes(other));
	EXPECT_EQ(3, closes(getpid()));
}

TEST_F(pid, but_these)
{
	int other;

	ASSERT_EQ(0, tfs_write(self->self, "set_event_notrace_pid"));
	/* The list applies to events that are enabled later, too. */
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	other = run(false);
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(1, closes(other));
	EXPECT_EQ(0, closes(getpid()));
	/* A task in both lists is not recorded. */
	ASSERT_EQ(0, tfs_write(self->self, "set_event_pid"));
	other = run(false);
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(0, closes(other));
	EXPECT_EQ(0, closes(getpid()));
	ASSERT_EQ(0, tfs_write("", "set_event_notrace_pid"));
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(1, closes(getpid()));
}

/* Does @trigger of @event switch recording off while children run? -errno: it was refused. */
static int fires(const char *event, const char *trigger)
{
	int fired;

	tfs_write("1", "tracing_on");
	fired = tfs_write(trigger, "events/%s/trigger", event);
	if (fired)
		return fired;
	run(true);
	fired = tfs_is("0", "tracing_on");
	tfs_write("!traceoff", "events/%s/trigger", event);
	tfs_write("1", "tracing_on");
	return fired;
}

/*
 * A trigger with a filter fires only for the tasks of the list. One without fires at each
 * call.
 */
TEST_F(pid, triggers)
{
	const char *close = "syscalls/sys_enter_close";
	char switches[64];

	snprintf(switches, sizeof(switches), "traceoff if prev_pid != %d && next_pid != %d",
		 getpid(), getpid());
	EXPECT_EQ(1, fires(close, "traceoff if fd == 0x4d2"));
	EXPECT_EQ(1, fires("sched/sched_switch", switches));
	ASSERT_EQ(0, tfs_write(self->self, "set_event_pid"));
	EXPECT_EQ(0, fires(close, "traceoff if fd == 0x4d2"));
	EXPECT_EQ(0, fires("sched/sched_switch", switches));
	EXPECT_EQ(1, fires(close, "traceoff"));
	/* The same with the events enabled. */
	ASSERT_EQ(0, tfs_write("1", "events/%s/enable", close));
	EXPECT_EQ(0, fires(close, "traceoff if fd == 0x4d2"));
	ASSERT_EQ(0, tfs_write("1", "events/sched/sched_switch/enable"));
	EXPECT_EQ(0, fires("sched/sched_switch", switches));
}

/* The lists do not apply to trace_marker. */
TEST_F(pid, marks_are_kept)
{
	ASSERT_EQ(0, tfs_write("1", "set_event_pid"));
	ASSERT_EQ(0, tfs_write("a mark", "trace_marker"));
	EXPECT_EQ(1, event_count("tracing_mark_write", getpid(), "a mark"));
}

TEST_F(pid, of_an_instance)
{
	char path[PATH_MAX];
	char *text;

	snprintf(path, sizeof(path), "%s/instances/pids", tfs_root());
	ASSERT_EQ(0, mkdir(path, 0700));
	EXPECT_EQ(0, tfs_write("1", "instances/pids/set_event_pid"));
	EXPECT_TRUE(tfs_is("", "set_event_pid"));
	EXPECT_EQ(0, tfs_write("1", "instances/pids/events/syscalls/sys_enter_close/enable"));
	EXPECT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	EXPECT_EQ(0, tfs_write("1", "instances/pids/options/event-fork"));
	EXPECT_TRUE(tfs_is("0", "options/event-fork"));
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(1, closes(getpid()));
	text = tfs_text("instances/pids/trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(0, trace_count(text, "sys_close", getpid(), NULL));
	free(text);
	/* Remove the instance while it has a list and follows forks. */
	EXPECT_EQ(0, rmdir(path));
	run(true);
}

TEST_F(pid, follow_forks)
{
	char want[64];
	int other;

	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	ASSERT_EQ(0, tfs_write(self->self, "set_event_pid"));
	ASSERT_EQ(0, tfs_write("1", "options/event-fork"));
	EXPECT_TRUE(tfs_is("1", "options/event-fork"));
	run(true);
	/* One record is of a child, the other one of a child's child. */
	run(false);
	EXPECT_EQ(2, event_count("sys_close", 0, "fd: 4d2"));
	/* Tasks are removed from the list some time after they have exited. */
	for (other = 0; other < 100 && !tfs_is(self->self, "set_event_pid"); other++)
		usleep(20000);
	EXPECT_TRUE(tfs_is(self->self, "set_event_pid"));
	/* A child that is alive is in the list. */
	other = fork();
	if (!other) {
		pause();
		_exit(0);
	}
	snprintf(want, sizeof(want), "%d\n%d", getpid(), other);
	EXPECT_TRUE(tfs_is(want, "set_event_pid"));
	ASSERT_EQ(0, tfs_write("0", "options/event-fork"));
	run(false);
	EXPECT_EQ(2, event_count("sys_close", 0, "fd: 4d2"));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

/* With event-fork, the children of a task in the notrace list are not recorded, either. */
TEST_F(pid, follow_forks_notrace)
{
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	ASSERT_EQ(0, tfs_write(self->self, "set_event_notrace_pid"));
	run(false);
	EXPECT_EQ(1, event_count("sys_close", 0, "fd: 4d2"));
	ASSERT_EQ(0, tfs_write("1", "options/event-fork"));
	run(true);
	EXPECT_EQ(1, event_count("sys_close", 0, "fd: 4d2"));
}

/* Count the lines of @event with @pid as the running task or after @key, and the others. */
static void tally(const char *event, int pid, const char *key, int *with, int *without)
{
	char *text = tfs_text("trace");
	const char *pos = text;
	struct trace_line line;
	long other;

	*with = *without = 0;
	while (text && trace_next(&pos, &line)) {
		if (strcmp(line.event, event))
			continue;
		if (line.pid == pid ||
		    (line_number(&line, key, &other) && other == pid))
			++*with;
		else
			++*without;
	}
	free(text);
}

/*
 * Two tasks wake each other in turns. Not every turn has a wake-up: the other task may not
 * sleep yet.
 */
#define TURNS	100
static void sleep_and_wake(void)
{
	int i, to[2], back[2], child;
	char c = 0;

	if (pipe(to) || pipe(back))
		return;
	child = fork();
	if (!child) {
		while (read(to[0], &c, 1) == 1 && c < TURNS) {
			if (write(back[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	for (i = 1; i <= TURNS; i++) {
		c = i;
		if (write(to[1], &c, 1) != 1 || (i < TURNS && read(back[0], &c, 1) != 1))
			break;
	}
	waitpid(child, NULL, 0);
	close(to[0]);
	close(to[1]);
	close(back[0]);
	close(back[1]);
}

/* The same, while two other tasks do so among themselves. */
static void sleep_and_wake_beside_others(void)
{
	int other = fork();

	if (!other) {
		sleep_and_wake();
		_exit(0);
	}
	sleep_and_wake();
	waitpid(other, NULL, 0);
}

TEST_F(pid, scheduler_events)
{
	static const struct {
		const char *event, *key;
	} events[] = {
		{ "sched_switch", "next_pid=" },
		{ "sched_waking", "pid=" },
		{ "sched_wakeup", "pid=" },
	};
	int with, without;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		ASSERT_EQ(0, tfs_write("1", "events/sched/%s/enable", events[i].event));
	sleep_and_wake_beside_others();
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		tally(events[i].event, getpid(), events[i].key, &with, &without);
		EXPECT_LT(5, with);
		EXPECT_LT(0, without);
	}
	/* With the list, only events with this task in either role are recorded. */
	ASSERT_EQ(0, tfs_write(self->self, "set_event_pid"));
	tfs_write("", "trace");
	sleep_and_wake_beside_others();
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		tally(events[i].event, getpid(), events[i].key, &with, &without);
		EXPECT_LT(5, with) {
			TH_LOG("%s", events[i].event);
		}
		EXPECT_EQ(0, without) {
			TH_LOG("%s", events[i].event);
		}
	}
	EXPECT_LT(5, event_count("sched_switch", getpid(), NULL));
	EXPECT_LT(5, event_count("sched_waking", getpid(), NULL));
}

/*
 * Events that probes make from those with two tasks belong to the same two tasks: there are as
 * many of each. All tasks run on one CPU, so that none of the events is cut off by tracing_on.
 */
TEST_F(pid, made_of_scheduler_events)
{
	static const struct {
		const char *probe, *event, *made;
	} probes[] = {
		{ "e:made/e_switch sched.sched_switch", "sched_switch", "e_switch" },
		{ "e:made/e_waking sched.sched_waking", "sched_waking", "e_waking" },
		{ "e:made/e_wakeup sched.sched_wakeup", "sched_wakeup", "e_wakeup" },
		{ "t:made/t_switch sched_switch", "sched_switch", "t_switch" },
		{ "t:made/t_waking sched_waking", "sched_waking", "t_waking" },
		{ "t:made/t_wakeup sched_wakeup", "sched_wakeup", "t_wakeup" },
	};
	bool made[ARRAY_SIZE(probes)];
	unsigned int i;
	int count;

	pin_to_cpu(0);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		made[i] = !tfs_append(probes[i].probe, "dynamic_events");
	if (!made[0] && !made[3])
		SKIP(return, "the kernel has neither event probes nor tracepoint probes");
	ASSERT_EQ(0, tfs_write(self->self, "set_event_pid"));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		EXPECT_EQ(0, tfs_write("1", "events/sched/%s/enable", probes[i].event));
	EXPECT_EQ(0, tfs_write("1", "events/made/enable"));
	ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	sleep_and_wake_beside_others();
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!made[i])
			continue;
		count = event_count(probes[i].event, 0, NULL);
		EXPECT_LT(5, count - event_count(probes[i].event, getpid(), NULL));
		EXPECT_EQ(count, event_count(probes[i].made, 0, NULL)) {
			TH_LOG("%s", probes[i].made);
		}
	}
	EXPECT_EQ(0, tfs_write("0", "events/made/enable"));
	EXPECT_EQ(0, tfs_append("-:made/", "dynamic_events"));
}

/* Lists are set and cleared while events fire and tasks fork. */
TEST_F_TIMEOUT(pid, storm, 60)
{
	int children[2], i;

	ASSERT_EQ(0, tfs_write("1", "events/sched/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	for (i = 0; i < 2; i++) {
		children[i] = fork();
		if (!children[i]) {
			for (;;)
				run(i);
		}
	}
	for (i = 0; i < 60; i++) {
		char pids[64];

		snprintf(pids, sizeof(pids), "%d %d %d", children[0], children[1], 1 + i);
		EXPECT_EQ(0, tfs_append(pids, "%s", lists[i % 2]));
		if (i % 3 == 0)
			EXPECT_EQ(0, tfs_write(i % 2 ? "1" : "0", "options/event-fork"));
		free(tfs_text("%s", lists[i % 2]));
		if (i % 4 == 3)
			EXPECT_EQ(0, tfs_write("", "%s", lists[i / 4 % 2]));
	}
	for (i = 0; i < 2; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

TEST_HARNESS_MAIN
