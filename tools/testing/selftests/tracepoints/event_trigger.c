// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers of events: the action of each of them, with a count and with a filter; what
 * the files trigger and enable show; a refused trigger changes nothing; and triggers can
 * be added and removed while their event fires.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define RENAME	"events/task/task_rename"
#define SIGNAL	"events/signal/signal_generate"
#define SCORE	"events/oom/oom_score_adj_update"
#define PRINT	"events/ftrace/print"
#define CONSOLE	"events/printk/console"
#define NONE	"# Available triggers:\n" \
		"# traceon traceoff snapshot stacktrace enable_event disable_event"

/* Does @file show no triggers? It then lists the commands, perhaps more than those in NONE. */
static bool no_triggers(const char *file)
{
	char *text = tfs_text("%s", file);
	bool none = text && !strncmp(text, NONE, strlen(NONE)) &&
		    strchr(text + strlen(NONE), '\n') == text + strlen(text) - 1;

	if (!none)
		fprintf(stderr, "# %s is \"%s\"\n", file, text ?: "");
	free(text);
	return none;
}

static void clear_file(const char *name)
{
	int fd = tfs_open(O_WRONLY | O_TRUNC, "%s", name);

	if (fd >= 0)
		close(fd);
}

/* Remove all triggers of the event in @dir. */
static void remove_triggers(const char *dir)
{
	char *text = tfs_text("%s/trigger", dir), *line, *rest = text;
	char remove[256];

	while ((line = strsep(&rest, "\n"))) {
		/* The text before the count identifies the trigger: "!enable_event:a:b". */
		char *end = strstr(line, ":unlimited");

		if (!*line || *line == '#')
			continue;
		if (!end)
			end = strstr(line, ":count=");
		snprintf(remove, sizeof(remove), "!%.*s", (int)(end - line), line);
		tfs_write(remove, "%s/trigger", dir);
	}
	free(text);
}

FIXTURE(trigger)
{
};

static void reset(void)
{
	remove_triggers(RENAME);
	remove_triggers(SIGNAL);
	remove_triggers(SCORE);
	remove_triggers(PRINT);
	remove_triggers(CONSOLE);
	tfs_reset();
	tfs_write("0", "snapshot");
	clear_file("error_log");
}

FIXTURE_SETUP(trigger)
{
	signal(SIGUSR1, SIG_IGN);
	reset();
}

FIXTURE_TEARDOWN(trigger)
{
	reset();
}

static void rename_to(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static void send_signal(void)
{
	kill(getpid(), SIGUSR1);
}

/*
 * Fire SCORE, which no other task fires here. A new kernel thread is renamed, too, so that a
 * trigger of RENAME has to have a filter if it counts or is to fire only once.
 */
static void set_score(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	fd_write(fd, "0");
	close(fd);
}

/* Write @text to trace_marker, which is opened without O_TRUNC. */
static void marker_write(const char *text)
{
	int fd = tfs_open(O_WRONLY, "trace_marker");

	fd_write(fd, text);
	close(fd);
}

static void log_write(const char *text)
{
	int fd = open("/dev/kmsg", O_WRONLY);

	fd_write(fd, text);
	close(fd);
}

static int recorded(const char *event, const char *part)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, event, 0, part) : -1;

	free(text);
	return n;
}

/* The number of signals in trace that send_signal() sent. */
static int signals(void)
{
	return recorded("signal_generate", "sig=10 ");
}

/* The number of stacks in trace. */
static int stacks(void)
{
	char *text = tfs_text("trace"), *at;
	int n = 0;

	for (at = text; at && (at = strstr(at, "<stack trace>")); at++)
		n++;
	free(text);
	return n;
}

TEST_F(trigger, listing)
{
	EXPECT_TRUE(no_triggers(RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0", RENAME "/enable"));
	EXPECT_EQ(0, tfs_write("traceon", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("traceon:unlimited", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0*", RENAME "/enable"));
	EXPECT_EQ(0, tfs_append("  stacktrace:0x10 if newcomm == \"x\"  ", RENAME "/trigger"));
	EXPECT_EQ(0, tfs_append("enable_event:signal:signal_generate:3", RENAME "/trigger"));
	/* The newest comes first. */
	EXPECT_TRUE(tfs_is("enable_event:signal:signal_generate:count=3\n"
			   "stacktrace:count=16 if newcomm == \"x\"\n"
			   "traceon:unlimited", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0*", SIGNAL "/enable"));
	/* Removing needs only the name, and succeeds if there is no such trigger. */
	EXPECT_EQ(0, tfs_append("!stacktrace if what", RENAME "/trigger"));
	EXPECT_EQ(0, tfs_append("!stacktrace", RENAME "/trigger"));
	EXPECT_EQ(0, tfs_append("!enable_event:signal:signal_generate", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0", SIGNAL "/enable"));
	/* Opening with O_TRUNC does not remove triggers. */
	EXPECT_EQ(0, tfs_write("!traceoff", RENAME "/trigger"));
	EXPECT_TRUE(no_triggers(RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0", RENAME "/enable"));
}

TEST_F(trigger, refused)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "nonsense", -EINVAL },
		{ "traceon:", -EEXIST },
		{ "traceon", -EEXIST },
		{ "traceoff:7", -EEXIST },
		{ "traceoff:x", -EINVAL },
		{ "stacktrace:7x", -EINVAL },
		{ "stacktrace:99999999999999999999999", -ERANGE },
		{ "stacktrace if", -EINVAL },
		{ "stacktrace unless pid", -EINVAL },
		{ "stacktrace if no_such_field == 3", -EINVAL },
		{ "stacktrace:3 if newcomm ==", -EINVAL },
		{ "enable_event", -EINVAL },
		{ "enable_event:signal", -EINVAL },
		{ "enable_event:signal:", -EINVAL },
		{ "enable_event:signal:no_such_event", -EINVAL },
		{ "enable_event:signal:signal_generate:", -EINVAL },
		{ "enable_event:signal:signal_generate:x", -EINVAL },
		{ "disable_event:signal:signal_deliver", -EEXIST },
		{ "!enable_event:signal:no_such_event", -EINVAL },
		{ "enable_event:ftrace:print", -EINVAL },
		{ "disable_event:ftrace:bprint", -EINVAL },
		{ "!nonsense", -EINVAL },
	};
	char *before, *after;
	unsigned int i;

	ASSERT_EQ(0, tfs_write("traceon:5", RENAME "/trigger"));
	ASSERT_EQ(0, tfs_write("enable_event:signal:signal_deliver", RENAME "/trigger"));
	before = tfs_text(RENAME "/trigger");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_EQ(cases[i].err, tfs_append(cases[i].text, RENAME "/trigger"))
			TH_LOG("%s", cases[i].text);
		after = tfs_text(RENAME "/trigger");
		EXPECT_STREQ(before, after);
		free(after);
		EXPECT_TRUE(tfs_is("0*", RENAME "/enable"));
		EXPECT_TRUE(tfs_is("0", SIGNAL "/enable"));
	}
	free(before);
	/* An error in a trigger's filter is logged like one in an event's filter. */
	clear_file("error_log");
	EXPECT_EQ(-EINVAL, tfs_append("stacktrace if no_such_field == 3", RENAME "/trigger"));
	after = tfs_text("error_log");
	EXPECT_NE(NULL, strstr(after, "event filter parse error: error: Field not found"));
	EXPECT_NE(NULL, strstr(after, "Command: no_such_field == 3"));
	free(after);
}

TEST_F(trigger, traceoff)
{
	/* The event that fires the trigger is itself recorded. */
	ASSERT_EQ(0, tfs_write("1", RENAME "/enable"));
	ASSERT_EQ(0, tfs_write("traceoff:1 if newcomm == \"stop\"", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("1*", RENAME "/enable"));
	rename_to("go");
	rename_to("stop");
	rename_to("go");
	EXPECT_EQ(0, tfs_number("tracing_on"));
	EXPECT_EQ(1, recorded("task_rename", "newcomm=go"));
	EXPECT_EQ(1, recorded("task_rename", "newcomm=stop"));
	EXPECT_TRUE(tfs_is("traceoff:count=0 if newcomm == \"stop\"", RENAME "/trigger"));
	/* The count is used up. */
	tfs_write("1", "tracing_on");
	rename_to("stop");
	EXPECT_EQ(1, tfs_number("tracing_on"));
	EXPECT_EQ(2, recorded("task_rename", "newcomm=stop"));
	/* Removing the trigger leaves the event enabled. */
	EXPECT_EQ(0, tfs_write("!traceoff", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("1", RENAME "/enable"));
}

TEST_F(trigger, traceon)
{
	ASSERT_EQ(0, tfs_write("1", SIGNAL "/enable"));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	ASSERT_EQ(0, tfs_write("traceon:2 if newcomm == \"go\"", RENAME "/trigger"));
	send_signal();
	rename_to("stop");
	EXPECT_EQ(0, tfs_number("tracing_on"));
	rename_to("go");
	EXPECT_EQ(1, tfs_number("tracing_on"));
	send_signal();
	EXPECT_EQ(1, signals());
	/* The trigger's event is not enabled, so it is not recorded. */
	EXPECT_EQ(0, recorded("task_rename", NULL));
	/* Recording is on already: the count does not change. */
	rename_to("go");
	EXPECT_TRUE(tfs_is("traceon:count=1 if newcomm == \"go\"", RENAME "/trigger"));

	/* Without a filter. */
	ASSERT_EQ(0, tfs_write("!traceon", RENAME "/trigger"));
	ASSERT_EQ(0, tfs_write("traceon", RENAME "/trigger"));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	rename_to("any");
	EXPECT_EQ(1, tfs_number("tracing_on"));
}

TEST_F(trigger, enable_event)
{
	ASSERT_EQ(0, tfs_write("enable_event:signal:signal_generate if newcomm == \"go\"",
			       RENAME "/trigger"));
	ASSERT_EQ(-EEXIST, tfs_append("disable_event:signal:signal_generate", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0*", SIGNAL "/enable"));
	send_signal();
	EXPECT_EQ(0, signals());
	rename_to("go");
	EXPECT_TRUE(tfs_is("1*", SIGNAL "/enable"));
	send_signal();
	EXPECT_EQ(1, signals());

	/* A user disables the event; the trigger enables it again. */
	EXPECT_EQ(0, tfs_write("0", SIGNAL "/enable"));
	EXPECT_TRUE(tfs_is("0*", SIGNAL "/enable"));
	send_signal();
	EXPECT_EQ(1, signals());
	rename_to("go");
	send_signal();
	EXPECT_EQ(2, signals());

	/* An event that a trigger has enabled stays enabled when the trigger is removed. */
	EXPECT_EQ(0, tfs_write("!enable_event:signal:signal_generate", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("1", SIGNAL "/enable"));
	EXPECT_TRUE(tfs_is("0", RENAME "/enable"));

	EXPECT_EQ(0, tfs_write("disable_event:signal:signal_generate:1 if newcomm == \"any\"",
			       RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("1*", SIGNAL "/enable"));
	rename_to("any");
	EXPECT_TRUE(tfs_is("0*", SIGNAL "/enable"));
	send_signal();
	EXPECT_EQ(2, signals());
	EXPECT_EQ(0, tfs_write("1", SIGNAL "/enable"));
	rename_to("any");
	EXPECT_TRUE(tfs_is("1*", SIGNAL "/enable"));
	EXPECT_EQ(0, tfs_write("0", SIGNAL "/enable"));
	EXPECT_EQ(0, tfs_write("!disable_event:signal:signal_generate", RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0", SIGNAL "/enable"));
}

/* A trigger that enables its own event takes effect from the next event on. */
TEST_F(trigger, itself)
{
	ASSERT_EQ(0, tfs_write("enable_event:oom:oom_score_adj_update:1", SCORE "/trigger"));
	set_score();
	EXPECT_EQ(0, recorded("oom_score_adj_update", NULL));
	set_score();
	EXPECT_EQ(1, recorded("oom_score_adj_update", NULL));
}

TEST_F(trigger, stacktrace)
{
	ASSERT_EQ(0, tfs_write("stacktrace:3 if newcomm ~ \"st*\"", RENAME "/trigger"));
	rename_to("other");
	EXPECT_EQ(0, stacks());
	rename_to("stack");
	/* The stack is recorded although the event is disabled. */
	EXPECT_EQ(1, stacks());
	EXPECT_EQ(0, recorded("task_rename", NULL));
	ASSERT_EQ(0, tfs_write("1", RENAME "/enable"));
	rename_to("stack");
	rename_to("stack");
	rename_to("stack");
	EXPECT_EQ(3, stacks());
	EXPECT_EQ(3, recorded("task_rename", "newcomm=stack"));
	/* The event's filter does not apply to the trigger, nor the trigger's to the event. */
	tfs_write("!stacktrace", RENAME "/trigger");
	clear_file("trace");
	ASSERT_EQ(0, tfs_write("newcomm == \"other\"", RENAME "/filter"));
	ASSERT_EQ(0, tfs_write("stacktrace if newcomm == \"stack\"", RENAME "/trigger"));
	rename_to("stack");
	rename_to("other");
	EXPECT_EQ(1, stacks());
	EXPECT_EQ(1, recorded("task_rename", "newcomm=other"));
	EXPECT_EQ(0, recorded("task_rename", "newcomm=stack"));
	tfs_write("0", RENAME "/filter");
}

TEST_F(trigger, snapshot)
{
	char *text;

	ASSERT_EQ(0, tfs_write("1", RENAME "/enable"));
	ASSERT_EQ(0, tfs_write("snapshot:1 if newcomm == \"now\"", RENAME "/trigger"));
	rename_to("before");
	rename_to("now");
	rename_to("after");
	text = tfs_text("snapshot");
	EXPECT_EQ(1, trace_count(text, "task_rename", 0, "newcomm=before"));
	/* The record that fired the trigger is in the snapshot. */
	EXPECT_EQ(1, trace_count(text, "task_rename", 0, "newcomm=now"));
	EXPECT_EQ(0, trace_count(text, "task_rename", 0, "newcomm=after"));
	free(text);
	EXPECT_EQ(0, recorded("task_rename", "newcomm=before"));
	EXPECT_EQ(0, recorded("task_rename", "newcomm=now"));
	EXPECT_EQ(1, recorded("task_rename", "newcomm=after"));
	EXPECT_EQ(0, tfs_write("!snapshot", RENAME "/trigger"));
}

/* The record that fires the trigger can be of any length; each message ends in a number. */
TEST_F(trigger, snapshot_of_any_length)
{
	char text[300], needle[16];
	char *snapshot;
	int len;

	ASSERT_EQ(0, tfs_write("1", CONSOLE "/enable"));
	for (len = 8; len < 280; len += 16) {
		snprintf(needle, sizeof(needle), "needle%d\n", len);
		memset(text, 'x', len);
		snprintf(text + len, sizeof(text) - len, "%s", needle);
		ASSERT_EQ(0, tfs_write("snapshot:1 if msg ~ \"*needle*\"", CONSOLE "/trigger"));
		log_write("before\n");
		log_write(text);
		log_write("after\n");
		snapshot = tfs_text("snapshot");
		needle[strlen(needle) - 1] = '\0';
		EXPECT_EQ(1, trace_count(snapshot, "console", 0, needle));
		EXPECT_EQ(1, trace_count(snapshot, "console", 0, "before"));
		EXPECT_EQ(0, trace_count(snapshot, "console", 0, "after"));
		free(snapshot);
		EXPECT_EQ(0, recorded("console", needle));
		EXPECT_EQ(1, recorded("console", "after"));
		EXPECT_EQ(0, tfs_write("!snapshot", CONSOLE "/trigger"));
		clear_file("trace");
	}
}

/* Without a filter the snapshot is taken before the record is written. */
TEST_F(trigger, snapshot_of_all)
{
	char *text;

	ASSERT_EQ(0, tfs_write("1", SCORE "/enable"));
	set_score();
	ASSERT_EQ(0, tfs_write("snapshot:1", SCORE "/trigger"));
	set_score();
	text = tfs_text("snapshot");
	EXPECT_EQ(1, trace_count(text, "oom_score_adj_update", 0, NULL));
	free(text);
	EXPECT_EQ(1, recorded("oom_score_adj_update", NULL));
	EXPECT_EQ(0, tfs_write("!snapshot", SCORE "/trigger"));
}

/* A write to trace_marker fires ftrace:print, which cannot be enabled. */
TEST_F(trigger, marker)
{
	EXPECT_EQ(-ENOENT, tfs_write("1", PRINT "/enable"));
	EXPECT_TRUE(no_triggers(PRINT "/trigger"));
	ASSERT_EQ(0, tfs_write("traceoff:1 if buf ~ \"*stop*\"", PRINT "/trigger"));
	EXPECT_EQ(0, tfs_write("go", "trace_marker"));
	EXPECT_EQ(1, tfs_number("tracing_on"));
	EXPECT_EQ(0, tfs_write("please stop it", "trace_marker"));
	EXPECT_EQ(0, tfs_number("tracing_on"));
	EXPECT_EQ(1, recorded("tracing_mark_write", "please stop it"));
	/* A filter sees the text as it was written, without the newline that is added. */
	EXPECT_EQ(0, tfs_write("1", "tracing_on"));
	EXPECT_EQ(0, tfs_write("!traceoff", PRINT "/trigger"));
	EXPECT_EQ(0, tfs_write("traceoff if buf == \"stop\"", PRINT "/trigger"));
	marker_write("stop it");
	EXPECT_EQ(1, tfs_number("tracing_on"));
	marker_write("stop");
	EXPECT_EQ(0, tfs_number("tracing_on"));
}

/* Records that are too long for the scratch, with the ring recording or not. */
TEST_F(trigger, long_records)
{
	char text[300];

	memset(text, 'x', sizeof(text));
	snprintf(text + sizeof(text) - 10, 10, "needle\n");
	ASSERT_EQ(0, tfs_write("stacktrace if msg ~ \"*needle*\"", CONSOLE "/trigger"));
	log_write(text);
	EXPECT_EQ(1, stacks());
	EXPECT_EQ(0, recorded("console", NULL));
	ASSERT_EQ(0, tfs_write("1", CONSOLE "/enable"));
	log_write(text);
	EXPECT_EQ(2, stacks());
	EXPECT_EQ(1, recorded("console", "needle"));

	ASSERT_EQ(0, tfs_append("traceon:1 if msg ~ \"*needle*\"", CONSOLE "/trigger"));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	log_write("nothing of the kind\n");
	EXPECT_EQ(0, tfs_number("tracing_on"));
	log_write(text);
	EXPECT_EQ(1, tfs_number("tracing_on"));
	/* A trigger without a filter works beside one with a filter. */
	ASSERT_EQ(0, tfs_append("!traceon", CONSOLE "/trigger"));
	ASSERT_EQ(0, tfs_append("traceon", CONSOLE "/trigger"));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	log_write(text);
	EXPECT_EQ(1, tfs_number("tracing_on"));
}

/* With a filter, a trigger that enables its own event takes effect for the same record. */
TEST_F(trigger, itself_filtered)
{
	ASSERT_EQ(0, tfs_write("enable_event:task:task_rename:1 if newcomm == \"go\"",
			       RENAME "/trigger"));
	rename_to("one");
	rename_to("go");
	rename_to("two");
	EXPECT_EQ(0, recorded("task_rename", "newcomm=one"));
	EXPECT_EQ(1, recorded("task_rename", "newcomm=go"));
	EXPECT_EQ(1, recorded("task_rename", "newcomm=two"));
}

TEST_F(trigger, instance)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/instances/triggers", tfs_root());
	ASSERT_EQ(0, mkdir(path, 0700));
	ASSERT_EQ(0, tfs_write("traceoff", "instances/triggers/" RENAME "/trigger"));
	ASSERT_EQ(0, tfs_write("enable_event:signal:signal_generate",
			       "instances/triggers/" RENAME "/trigger"));
	EXPECT_TRUE(no_triggers(RENAME "/trigger"));
	rename_to("any");
	EXPECT_EQ(0, tfs_number("instances/triggers/tracing_on"));
	EXPECT_EQ(1, tfs_number("tracing_on"));
	EXPECT_TRUE(tfs_is("1*", "instances/triggers/" SIGNAL "/enable"));
	EXPECT_TRUE(tfs_is("0", SIGNAL "/enable"));
	/* Remove the instance while it has triggers. */
	EXPECT_EQ(0, rmdir(path));
	rename_to("other");
	send_signal();
}

/* Fork a child that renames itself @n times on @cpu. */
static pid_t renamer(int cpu, int n)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pin_to_cpu(cpu);
	while (n--)
		rename_to("renamer");
	_exit(0);
}

/* A count is exact even if several CPUs fire the event at once. */
TEST_F(trigger, count)
{
	int cpus = cpus_online(), i;

	ASSERT_EQ(0, tfs_write("stacktrace:100 if newcomm == \"renamer\"", RENAME "/trigger"));
	for (i = 0; i < 4; i++)
		ASSERT_LT(0, renamer(i % cpus, 500));
	while (wait(NULL) > 0)
		;
	EXPECT_EQ(100, stacks());
	EXPECT_TRUE(tfs_is("stacktrace:count=0 if newcomm == \"renamer\"", RENAME "/trigger"));
}

/* Triggers are added and removed while their event fires. */
TEST_F(trigger, storm)
{
	static const char * const texts[] = {
		"stacktrace if newcomm == \"renamer\"", "traceon", "snapshot:1 if pid > 1",
		"enable_event:signal:signal_generate if pid > 0", "!stacktrace", "!traceon",
		"!snapshot", "!enable_event:signal:signal_generate",
	};
	int cpus = cpus_online(), round, i;
	pid_t pids[4];

	for (i = 0; i < 4; i++) {
		pids[i] = renamer(i % cpus, 1 << 30);
		ASSERT_LT(0, pids[i]);
	}
	for (round = 0; round < 15; round++) {
		for (i = 0; i < (int)ARRAY_SIZE(texts); i++)
			EXPECT_EQ(0, tfs_append(texts[i], RENAME "/trigger"));
	}
	for (i = 0; i < 4; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	EXPECT_TRUE(no_triggers(RENAME "/trigger"));
	EXPECT_TRUE(tfs_is("0", RENAME "/enable"));
	EXPECT_EQ(1, tfs_number("tracing_on"));
}

TEST_HARNESS_MAIN
