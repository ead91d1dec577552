// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of events and systems: which records pass, for each kind of field; what the
 * files filter and error_log show; a refused filter changes nothing; and a filter can be
 * changed while its event fires.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define RENAME "events/task/task_rename"
#define SIGNAL "events/signal/signal_generate"
#define CLOSE "events/syscalls/sys_enter_close"
#define OPENAT "events/syscalls/sys_enter_openat"
#define EXEC "events/sched/sched_process_exec"
#define WAKING "events/sched/sched_waking"

static const char no_filter[] =
	"### global filter ###\n"
	"# Use this to set filters for multiple events.\n"
	"# Only events with the given fields will be affected.\n"
	"# If no events are modified, an error message will be displayed here";

#define UNFIT "\n^\nparse_error: Couldn't find or set field in one of a subsystem's events\n"

static void clear(void)
{
	int fd = tfs_open(O_WRONLY | O_TRUNC, "trace");

	if (fd >= 0)
		close(fd);
}

static void clear_errors(void)
{
	int fd = tfs_open(O_WRONLY | O_TRUNC, "error_log");

	if (fd >= 0)
		close(fd);
}

FIXTURE(filter)
{
};

FIXTURE_SETUP(filter)
{
	tfs_reset();
	clear_errors();
}

FIXTURE_TEARDOWN(filter)
{
	static const char * const systems[] = { "task", "signal", "syscalls", "sched" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(systems); i++)
		tfs_write("0", "events/%s/filter", systems[i]);
	clear_errors();
	tfs_reset();
}

/* Functions that fire the events with different values in their fields */

static void fire_rename(void)
{
	prctl(PR_SET_NAME, "one");
	prctl(PR_SET_NAME, "another");
	prctl(PR_SET_NAME, "fifteen letters");
	prctl(PR_SET_NAME, "event_filter");
}

static void fire_signal(void)
{
	signal(SIGUSR1, SIG_IGN);
	kill(getpid(), SIGUSR1);
	kill(getpid(), 0);
	signal(SIGUSR2, SIG_IGN);
	kill(getpid(), SIGUSR2);
}

static void fire_close(void)
{
	syscall(SYS_close, 0x40000001);
	syscall(SYS_close, 0x7fffffff);
	syscall(SYS_close, -1);
}

static void fire_openat(void)
{
	syscall(SYS_openat, AT_FDCWD, "/nonexistent/alpha", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "/nonexistent/beta", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY);
}

static void fire_exec(void)
{
	int child = fork();

	if (!child) {
		execl("/bin/sh", "sh", "-c", ":", NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* The number of records of @event after @fire ran with @filter set, or -errno. */
static int recorded(const char *event, const char *filter, void (*fire)(void))
{
	int ret = tfs_write(filter, "%s/filter", event), nr;
	const char *name = strrchr(event, '/') + 1;
	char line[64], *text;

	/* Lines of system calls begin with "sys_NAME(". */
	if (sscanf(name, "sys_enter_%s", line + 4) == 1)
		name = memcpy(line, "sys_", 4);

	if (ret)
		return ret;
	ret = tfs_write("1", "%s/enable", event);
	if (ret)
		return ret;
	clear();
	fire();
	tfs_write("0", "%s/enable", event);
	text = tfs_text("trace");
	nr = trace_count(text, name, 0, NULL);
	free(text);
	return nr;
}

TEST_F(filter, static_strings)
{
	EXPECT_EQ(4, recorded(RENAME, "0", fire_rename));
	EXPECT_EQ(1, recorded(RENAME, "newcomm == \"one\"", fire_rename));
	EXPECT_EQ(1, recorded(RENAME, "newcomm == 'fifteen letters'", fire_rename));
	EXPECT_EQ(3, recorded(RENAME, "newcomm != \"one\"", fire_rename));
	EXPECT_EQ(1, recorded(RENAME, "newcomm ~ \"ano*\"", fire_rename));
	EXPECT_EQ(3, recorded(RENAME, "newcomm ~ \"*n*t*e*\"", fire_rename));
	EXPECT_EQ(2, recorded(RENAME, "newcomm ~ \"*eve*\" || newcomm ~ \"o?e\"", fire_rename));
	EXPECT_EQ(1, recorded(RENAME, "newcomm ~ \"[a-c]*\"", fire_rename));
	EXPECT_EQ(0, recorded(RENAME, "newcomm == \"on\"", fire_rename));
	EXPECT_EQ(0, recorded(RENAME, "newcomm == \"\"", fire_rename));
}

TEST_F(filter, numbers)
{
	char filter[64];

	EXPECT_EQ(2, recorded(SIGNAL, "sig == 10 || sig == 12", fire_signal));
	EXPECT_EQ(1, recorded(SIGNAL, "sig == 0xa", fire_signal));
	EXPECT_EQ(1, recorded(SIGNAL, "sig == 012", fire_signal));
	EXPECT_EQ(1, recorded(SIGNAL, "sig >= 11 && sig < 13", fire_signal));
	EXPECT_EQ(0, recorded(SIGNAL, "sig < -1", fire_signal));
	EXPECT_EQ(1, recorded(SIGNAL, "sig & 2 && !(sig & 4)", fire_signal));
	snprintf(filter, sizeof(filter), "pid == %d && sig > 0", getpid());
	EXPECT_EQ(2, recorded(SIGNAL, filter, fire_signal));
	snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
	EXPECT_EQ(0, recorded(SIGNAL, filter, fire_signal));
	snprintf(filter, sizeof(filter), "common_pid == %d && common_type != 0", getpid());
	EXPECT_EQ(2, recorded(SIGNAL, filter, fire_signal));
}

TEST_F(filter, syscalls)
{
	EXPECT_EQ(1, recorded(CLOSE, "fd == 0x40000001", fire_close));
	EXPECT_EQ(2, recorded(CLOSE, "fd >= 0x40000001 && fd <= 0x7fffffff", fire_close));
	EXPECT_EQ(-EINVAL, recorded(CLOSE, "fd == -1", fire_close));
	EXPECT_EQ(1, recorded(OPENAT, "filename.ustring ~ \"*alpha\"", fire_openat));
	EXPECT_EQ(1, recorded(OPENAT, "filename.ustring == \"/nonexistent/beta\"", fire_openat));
	/* A string that cannot be read matches nothing. */
	EXPECT_EQ(2, recorded(OPENAT, "filename.ustring != \"x\" && filename.ustring ~ \"/none*\"",
			      fire_openat));
	EXPECT_EQ(0, recorded(OPENAT, "filename ~ \"/none*\"", fire_openat));
}

TEST_F(filter, dynamic_strings)
{
	EXPECT_EQ(1, recorded(EXEC, "filename == \"/bin/sh\"", fire_exec));
	EXPECT_EQ(1, recorded(EXEC, "filename ~ \"/bin/*\"", fire_exec));
	EXPECT_EQ(1, recorded(EXEC, "filename ~ \"*/sh\"", fire_exec));
	EXPECT_EQ(1, recorded(EXEC, "filename ~ \"*in*\"", fire_exec));
	EXPECT_EQ(0, recorded(EXEC, "filename == \"/bin/s\"", fire_exec));
	EXPECT_EQ(0, recorded(EXEC, "filename != \"/bin/sh\"", fire_exec));
}

TEST_F(filter, task_and_cpu)
{
	pin_to_cpu(0);
	prctl(PR_SET_NAME, "event_filter");
	EXPECT_EQ(2, recorded(SIGNAL, "COMM == \"event_filter\"", fire_signal));
	EXPECT_EQ(0, recorded(SIGNAL, "COMM != \"event_filter\"", fire_signal));
	EXPECT_EQ(2, recorded(SIGNAL, "COMM ~ \"event*\"", fire_signal));
	EXPECT_EQ(2, recorded(SIGNAL, "CPU == 0", fire_signal));
	EXPECT_EQ(0, recorded(SIGNAL, "cpu > 0", fire_signal));
	EXPECT_EQ(2, recorded(SIGNAL, "CPU & CPUS{0}", fire_signal));
	EXPECT_EQ(0, recorded(SIGNAL, "CPU != CPUS{0}", fire_signal));
	EXPECT_EQ(-EINVAL, recorded(SIGNAL, "CPU == CPUS{70000}", fire_signal));
	EXPECT_LT(0, recorded(WAKING, "target_cpu >= 0 && common_pid >= 0", fire_exec));
	EXPECT_EQ(0, recorded(WAKING, "target_cpu & CPUS{0} && target_cpu != CPUS{0}", fire_exec));
}

/* The text that the files filter and error_log show after an invalid filter. */
TEST_F(filter, errors)
{
	char *log;

	EXPECT_TRUE(tfs_is("none", SIGNAL "/filter"));
	EXPECT_EQ(-EINVAL, tfs_write("sig == 10 && dsig == 17", SIGNAL "/filter"));
	EXPECT_TRUE(tfs_is("sig == 10 && dsig == 17\n                  ^\n"
			   "parse_error: Field not found\n", SIGNAL "/filter"));
	log = tfs_text("error_log");
	ASSERT_NE(NULL, log);
	EXPECT_NE(NULL, strstr(log, "] event filter parse error: error: Field not found\n"
			       "  Command: sig == 10 && dsig == 17\n"
			       "                             ^\n"));
	free(log);
	EXPECT_EQ(-EINVAL, tfs_write("comm == sh", SIGNAL "/filter"));
	EXPECT_TRUE(tfs_is("comm == sh\n         ^\n"
			   "parse_error: Invalid value (did you forget quotes)?\n",
			   SIGNAL "/filter"));
	EXPECT_EQ(-EPERM, tfs_write("sig == 10)", SIGNAL "/filter"));
	EXPECT_EQ(-ENOENT, tfs_write("(sig == 10", SIGNAL "/filter"));
	EXPECT_EQ(-ESRCH, tfs_write("comm == \"sh", SIGNAL "/filter"));
	EXPECT_TRUE(tfs_is("comm == \"sh\n        ^\nparse_error: Missing matching quote\n",
			   SIGNAL "/filter"));
	EXPECT_EQ(0, tfs_write("sig == 10", SIGNAL "/filter"));
	EXPECT_TRUE(tfs_is("sig == 10", SIGNAL "/filter"));
	EXPECT_EQ(0, tfs_write("0", SIGNAL "/filter"));
	EXPECT_TRUE(tfs_is("none", SIGNAL "/filter"));
	/* Opening the log with O_TRUNC empties it. */
	clear_errors();
	EXPECT_TRUE(tfs_is("", "error_log"));
}

TEST_F(filter, error_log_keeps_the_last)
{
	char *log, *at, filter[32];
	int i, nr = 0;

	for (i = 0; i < 20; i++) {
		snprintf(filter, sizeof(filter), "nosuch%d == 1", i);
		EXPECT_EQ(-EINVAL, tfs_write(filter, SIGNAL "/filter"));
	}
	log = tfs_text("error_log");
	ASSERT_NE(NULL, log);
	for (at = log; (at = strstr(at, "Command: nosuch")); at++)
		EXPECT_EQ(12 + nr++, atoi(at + strlen("Command: nosuch")));
	EXPECT_EQ(8, nr);
	free(log);
}

/* After a filter was refused, the old one stays in force. */
TEST_F(filter, refused_changes_nothing)
{
	char *page;

	if (!is_strobe())
		SKIP(return, "this engine drops the filter that there was");
	EXPECT_EQ(1, recorded(SIGNAL, "sig == 10", fire_signal));
	EXPECT_EQ(-EINVAL, tfs_write("nosuch == 1", SIGNAL "/filter"));
	tfs_write("1", SIGNAL "/enable");
	clear();
	fire_signal();
	tfs_write("0", SIGNAL "/enable");
	page = tfs_text("trace");
	EXPECT_EQ(1, trace_count(page, "signal_generate", 0, NULL));
	free(page);

	/* A write that is too long is refused before it is parsed. */
	EXPECT_EQ(0, tfs_write("sig == 12", SIGNAL "/filter"));
	page = malloc(10001);
	memset(page, ' ', 10000);
	memcpy(page, "sig == 10", 9);
	page[10000] = '\0';
	EXPECT_EQ(-EINVAL, tfs_write(page, SIGNAL "/filter"));
	EXPECT_TRUE(tfs_is("sig == 12", SIGNAL "/filter"));
	free(page);
}

/* As many terms, and as many parentheses, as fit in a write. */
TEST_F(filter, many_terms)
{
	char filter[4096];
	int len = 0, nr;

	for (nr = 20; len < 4000; nr++)
		len += sprintf(filter + len, "sig == %d || ", nr);
	sprintf(filter + len, "sig == 12");
	EXPECT_EQ(1, recorded(SIGNAL, filter, fire_signal));
	memset(filter, '(', 2000);
	memcpy(filter + 2000, "sig == 12", 9);
	memset(filter + 2009, ')', 2000);
	filter[4009] = '\0';
	EXPECT_EQ(1, recorded(SIGNAL, filter, fire_signal));
}

TEST_F(filter, system)
{
	EXPECT_TRUE(tfs_is(no_filter, "events/signal/filter"));
	EXPECT_EQ(0, tfs_write("sig == 10", "events/signal/filter"));
	EXPECT_TRUE(tfs_is("sig == 10", "events/signal/signal_generate/filter"));
	EXPECT_TRUE(tfs_is("sig == 10", "events/signal/signal_deliver/filter"));
	EXPECT_TRUE(tfs_is(no_filter, "events/signal/filter"));
	EXPECT_EQ(0, tfs_write("0", "events/signal/filter"));
	EXPECT_TRUE(tfs_is("none", "events/signal/signal_generate/filter"));

	/* Events that have the field take it; the files of the others show the error. */
	EXPECT_EQ(0, tfs_write("newcomm == \"one\"", "events/task/filter"));
	EXPECT_TRUE(tfs_is("newcomm == \"one\"", RENAME "/filter"));
	EXPECT_TRUE(tfs_is("newcomm == \"one\"" UNFIT, "events/task/task_newtask/filter"));
}

/* Events without the field of a system's filter keep their own, as events.rst says. */
TEST_F(filter, system_keeps_others)
{
	char *log;

	if (!is_strobe())
		SKIP(return, "this engine drops the filters of other events");
	EXPECT_EQ(0, tfs_write("common_pid == 0", "events/sched/filter"));
	EXPECT_EQ(0, tfs_write("prev_pid == 0", "events/sched/filter"));
	EXPECT_TRUE(tfs_is("prev_pid == 0", "events/sched/sched_switch/filter"));
	EXPECT_TRUE(tfs_is("common_pid == 0", "events/sched/sched_wakeup/filter"));
	log = tfs_text("error_log");
	EXPECT_NE(NULL, strstr(log, "Couldn't find or set field in one of a subsystem's events"));
	free(log);

	/* A filter that no event can take changes none. */
	EXPECT_EQ(-EINVAL, tfs_write("nosuch == 0", "events/sched/filter"));
	EXPECT_TRUE(tfs_is("prev_pid == 0", "events/sched/sched_switch/filter"));
	EXPECT_TRUE(tfs_is("nosuch == 0" UNFIT, "events/sched/filter"));
	EXPECT_EQ(0, tfs_write("0", "events/sched/filter"));
	EXPECT_TRUE(tfs_is(no_filter, "events/sched/filter"));
	EXPECT_TRUE(tfs_is("none", "events/sched/sched_wakeup/filter"));
}

TEST_F(filter, where_there_are_filters)
{
	EXPECT_EQ(-ENOENT, tfs_open(O_RDONLY, "events/ftrace/filter"));
	EXPECT_EQ(-ENOENT, tfs_open(O_RDONLY, "events/ftrace/print/filter"));
	EXPECT_EQ(-ENOENT, tfs_open(O_RDONLY, "events/filter"));
}

/* Filters are set, changed and removed while events fire in tasks and interrupts. */
TEST_F_TIMEOUT(filter, storm, 300)
{
	static const char * const filters[] = {
		"sig == 10", "0", "comm ~ \"*ter\" && sig > 3", "common_pid > 0", "nosuch == 1",
		"sig == 12 || COMM == \"x\"", "(sig == 10", "CPU >= 0",
	};
	int child[3], i, status;
	char *text;

	for (i = 0; i < (int)ARRAY_SIZE(child); i++) {
		child[i] = fork();
		while (!child[i]) {
			fire_signal();
			fire_rename();
			syscall(SYS_close, 0x40000001);
		}
	}
	EXPECT_EQ(0, tfs_write("1", "events/signal/enable"));
	EXPECT_EQ(0, tfs_write("1", "events/sched/sched_switch/enable"));
	EXPECT_EQ(0, tfs_write("1", CLOSE "/enable"));
	for (i = 0; i < 100; i++) {
		tfs_write(filters[i % ARRAY_SIZE(filters)], SIGNAL "/filter");
		tfs_write(i % 2 ? "prev_pid > 0" : "0", "events/sched/sched_switch/filter");
		if (i % 10 == 0)
			tfs_write(i % 20 ? "common_pid > 1" : "0", "events/sched/filter");
		tfs_write(i % 3 ? "fd == 1" : "fd != 1", CLOSE "/filter");
		free(tfs_text(SIGNAL "/filter"));
	}
	/* The last filter is the one in force. */
	EXPECT_EQ(0, tfs_write("sig == 12", SIGNAL "/filter"));
	clear();
	usleep(100000);
	tfs_write("0", "events/enable");
	for (i = 0; i < (int)ARRAY_SIZE(child); i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], &status, 0);
	}
	text = tfs_text("trace");
	EXPECT_LT(0, trace_count(text, "signal_generate", 0, "sig=12"));
	EXPECT_EQ(0, trace_count(text, "signal_generate", 0, "sig=10"));
	free(text);
}

TEST_HARNESS_MAIN
