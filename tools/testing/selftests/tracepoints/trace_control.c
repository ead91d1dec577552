// SPDX-License-Identifier: GPL-2.0
/*
 * The settings: tracing_on, trace_clock, current_tracer, the options, the names
 * and thread groups of tasks, trace_marker, and README and printk_formats.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(control)
{
	int marker;
};

FIXTURE_SETUP(control)
{
	tfs_reset();
	self->marker = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, self->marker);
}

FIXTURE_TEARDOWN(control)
{
	close(self->marker);
	tfs_reset();
}

/* The number of marks in trace that contain @part. */
static int marks(const char *part)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, "tracing_mark_write", 0, part) : -1;

	free(text);
	return n;
}

TEST_F(control, tracing_on)
{
	static const char * const bad[] = { "", "x", "-1", "on" };
	unsigned int i;

	EXPECT_TRUE(tfs_is("1", "tracing_on"));
	EXPECT_EQ(0, fd_write(self->marker, "mark on"));
	EXPECT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_TRUE(tfs_is("0", "tracing_on"));
	EXPECT_EQ(-EBADF, fd_write(self->marker, "mark off"));
	EXPECT_EQ(1, marks("mark"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, tfs_write(bad[i], "tracing_on"));
		EXPECT_TRUE(tfs_is("0", "tracing_on"));
	}
	/* Any number but 0 is on. */
	EXPECT_EQ(0, tfs_write("5", "tracing_on"));
	EXPECT_TRUE(tfs_is("1", "tracing_on"));
	EXPECT_EQ(0, fd_write(self->marker, "mark again"));
	EXPECT_EQ(2, marks("mark"));
}

static bool clock_is(const char *name)
{
	char *text = tfs_text("trace_clock"), want[64];
	bool is = false;

	snprintf(want, sizeof(want), "[%s]", name);
	if (text) {
		is = strstr(text, want) && !strchr(strchr(text, '[') + 1, '[');
		free(text);
	}
	return is;
}

/* The time stamp of the first mark, as text. */
static void mark_time(char *buf, size_t size)
{
	char *text = tfs_text("trace"), *end, *p;

	*buf = '\0';
	end = text ? strstr(text, ": tracing_mark_write: ") : NULL;
	if (end) {
		for (p = end; p > text && p[-1] != ' '; p--)
			;
		snprintf(buf, size, "%.*s", (int)(end - p), p);
	}
	free(text);
}

TEST_F(control, clocks)
{
	char names[512], *name, *save, time[64], *list;
	int clocks = 0;

	list = tfs_text("trace_clock");
	ASSERT_NE(NULL, list);
	EXPECT_EQ(0, strncmp(list, "[local] global counter uptime perf mono mono_raw boot tai",
			     57));
	snprintf(names, sizeof(names), "%s", list);
	free(list);
	for (name = strtok_r(names, " []\n", &save); name;
	     name = strtok_r(NULL, " []\n", &save)) {
		/* These don't count nanoseconds. */
		bool counts = !strcmp(name, "counter") ||
			      !strcmp(name, "uptime") || strstr(name, "tsc");

		ASSERT_EQ(0, fd_write(self->marker, "mark of the clock before"));
		EXPECT_EQ(0, tfs_write(name, "trace_clock"));
		EXPECT_TRUE(clock_is(name)) {
			TH_LOG("clock %s", name);
		}
		/* Times of two clocks cannot be compared, so the ring is reset. */
		EXPECT_EQ(0, marks("mark"));
		EXPECT_EQ(0, fd_write(self->marker, "mark"));
		EXPECT_EQ(1, marks("mark"));
		mark_time(time, sizeof(time));
		EXPECT_EQ(counts, !strchr(time, '.')) {
			TH_LOG("clock %s shows %s", name, time);
		}
		clocks++;
	}
	EXPECT_LE(9, clocks);
}

TEST_F(control, bad_clock)
{
	static const char * const bad[] = {
		"", "nosuch", "loca", "locals", "[local]", "local global",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	unsigned int i;

	ASSERT_EQ(0, tfs_write("global\n", "trace_clock"));
	ASSERT_EQ(0, fd_write(self->marker, "mark"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, tfs_write(bad[i], "trace_clock")) {
			TH_LOG("\"%s\"", bad[i]);
		}
		EXPECT_TRUE(clock_is("global"));
		EXPECT_EQ(1, marks("mark"));
	}
	EXPECT_EQ(0, tfs_write(" local ", "trace_clock"));
	EXPECT_TRUE(clock_is("local"));
}

/* The clock "counter" gives each record its own number, in order. */
TEST_F(control, counter)
{
	unsigned long long last = 0;
	struct trace_line line;
	const char *pos;
	char *text;
	int i, n = 0;

	ASSERT_EQ(0, tfs_write("counter", "trace_clock"));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, fd_write(self->marker, "mark"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	for (pos = text; trace_next(&pos, &line); n++) {
		EXPECT_LT(last, line.ts);
		last = line.ts;
	}
	EXPECT_EQ(100, n);
	free(text);
}

TEST_F(control, current_tracer)
{
	static const char * const bad[] = { "nosuch", "no", "nopp", "nop nop" };
	char *text = tfs_text("available_tracers");
	unsigned int i;

	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "nop"));
	free(text);
	EXPECT_TRUE(tfs_is("nop", "current_tracer"));
	EXPECT_EQ(0, tfs_write("nop\n", "current_tracer"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, tfs_write(bad[i], "current_tracer"));
		EXPECT_TRUE(tfs_is("nop", "current_tracer"));
	}
}

/*
 * trace_options and the files in options/ show the same, except that options of tracers
 * other than the current one have only files. blktrace's option is among those, if there
 * are any.
 */
TEST_F(control, options_agree)
{
	char path[PATH_MAX], *text, *line, *save;
	struct dirent *d;
	int lines = 0, files = 0;
	DIR *dir;

	text = tfs_text("trace_options");
	ASSERT_NE(NULL, text);
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		bool off = !strncmp(line, "no", 2);

		EXPECT_TRUE(tfs_is(off ? "0" : "1", "options/%s", line + 2 * off)) {
			TH_LOG("%s", line);
		}
		lines++;
	}
	free(text);
	snprintf(path, sizeof(path), "%s/options", tfs_root());
	dir = opendir(path);
	ASSERT_NE(NULL, dir);
	while ((d = readdir(dir)))
		files += d->d_name[0] != '.';
	closedir(dir);
	EXPECT_LE(lines, files);
	if (tfs_number("options/blk_cgroup") < 0)
		EXPECT_EQ(lines, files);
	EXPECT_LT(10, lines);
}

static bool option_listed(const char *line)
{
	char *text = tfs_text("trace_options"), want[64];
	bool listed;

	snprintf(want, sizeof(want), "\n%s\n", line);
	listed = text && strstr(text, want);
	free(text);
	return listed;
}

TEST_F(control, options_switch)
{
	static const struct {
		const char *name;
		bool initial;
	} names[] = {
		{ "sym-offset", false },	{ "sym-addr", false },
		{ "verbose", false },		{ "annotate", true },
		{ "context-info", true },	{ "record-cmd", true },
		{ "record-tgid", false },	{ "overwrite", true },
		{ "irq-info", true },		{ "markers", true },
		{ "hash-ptr", true },		{ "pause-on-trace", false },
	};
	unsigned int i;
	char no[64];

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = names[i].name;
		bool on = names[i].initial;

		snprintf(no, sizeof(no), "no%s", name);
		EXPECT_TRUE(tfs_is(on ? "1" : "0", "options/%s", name));
		EXPECT_TRUE(option_listed(on ? name : no));
		/* Change the option by its own file, and change it back by trace_options. */
		EXPECT_EQ(0, tfs_write(on ? "0" : "1", "options/%s", name));
		EXPECT_TRUE(tfs_is(on ? "0" : "1", "options/%s", name));
		EXPECT_TRUE(option_listed(on ? no : name));
		EXPECT_EQ(0, tfs_write(on ? name : no, "trace_options"));
		EXPECT_TRUE(tfs_is(on ? "1" : "0", "options/%s", name));
		EXPECT_TRUE(option_listed(on ? name : no));
	}
}

TEST_F(control, options_refuse)
{
	static const char * const bad_values[] = { "2", "", "x", "-1", "on" };
	static const char * const bad_names[] = {
		"nosuch", "overwrit", "nonooverwrite", "overwrite verbose",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	char *before = tfs_text("trace_options"), *after;
	unsigned int i;

	ASSERT_NE(NULL, before);
	for (i = 0; i < ARRAY_SIZE(bad_values); i++)
		EXPECT_EQ(-EINVAL, tfs_write(bad_values[i], "options/overwrite"));
	for (i = 0; i < ARRAY_SIZE(bad_names); i++)
		EXPECT_EQ(-EINVAL, tfs_write(bad_names[i], "trace_options"));
	after = tfs_text("trace_options");
	ASSERT_NE(NULL, after);
	EXPECT_STREQ(before, after);
	free(before);
	free(after);
}

/* Run a child of this name until it exits, and return its pid. */
static int run_child(const char *name)
{
	int child = fork();

	if (!child) {
		prctl(PR_SET_NAME, name);
		syscall(SYS_getppid);
		usleep(2000);
		syscall(SYS_getppid);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	return child;
}

/* The name of a task is known after the task has exited and events are disabled. */
TEST_F(control, saved_cmdlines)
{
	char want[64], *text;
	int child;

	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	child = run_child("name to be kept");
	ASSERT_EQ(0, tfs_write("0", "events/syscalls/sys_enter_getppid/enable"));
	text = tfs_text("saved_cmdlines");
	ASSERT_NE(NULL, text);
	snprintf(want, sizeof(want), "%d name to be kept\n", child);
	EXPECT_NE(NULL, strstr(text, want));
	free(text);
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	snprintf(want, sizeof(want), " name to be kept-%d ", child);
	EXPECT_NE(NULL, strstr(text, want));
	free(text);
}

/* A task that has not been switched out since its first record. */
struct busy {
	int	ready;
	int	stop;
};

static int run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void run_busy(struct busy *busy)
{
	const struct sched_param first = { .sched_priority = 1 };

	/* If it keeps from running what its parent waits for. */
	alarm(20);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "a busy task");
	if (!run_on(1) && !sched_setscheduler(0, SCHED_FIFO, &first))
		syscall(SYS_getppid);
	__atomic_store_n(&busy->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&busy->stop, __ATOMIC_RELAXED))
		;
	_exit(0);
}

static bool file_has(const char *file, const char *want)
{
	char *text = tfs_text(file);
	bool has = text && strstr(text, want);

	free(text);
	return has;
}

/*
 * The name and the thread group of a task are known while it runs, too, and after its event
 * has been disabled.
 */
TEST_F(control, busy_task)
{
	char line[64], tgid[64], record[64];
	struct busy *busy;
	int child;

	if (!is_strobe())
		SKIP(return, "classic saves a task when it is switched out, or by chance");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || run_on(0))
		SKIP(return, "needs two CPUs");
	busy = mmap(NULL, sizeof(*busy), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, busy);
	ASSERT_EQ(0, tfs_write("1", "options/record-tgid"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		run_busy(busy);
	while (!__atomic_load_n(&busy->ready, __ATOMIC_ACQUIRE))
		usleep(1000);
	snprintf(record, sizeof(record), " a busy task-%-7d (%7d) [", child, child);
	snprintf(line, sizeof(line), "%d a busy task\n", child);
	snprintf(tgid, sizeof(tgid), "%d %d\n", child, child);
	EXPECT_TRUE(file_has("trace", record));
	EXPECT_EQ(0, tfs_write("0", "events/syscalls/sys_enter_getppid/enable"));
	/* It was saved now, and the lists do not change any more. */
	EXPECT_TRUE(file_has("saved_cmdlines", line));
	EXPECT_TRUE(file_has("saved_tgids", tgid));
	__atomic_store_n(&busy->stop, 1, __ATOMIC_RELAXED);
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_TRUE(file_has("trace", record));
	EXPECT_EQ(0, tfs_write("0", "options/record-tgid"));
	munmap(busy, sizeof(*busy));
}

/* A task's name is known if it has recorded nothing but that it was switched out. */
TEST_F(control, switched_out)
{
	char filter[64], want[64];
	int go[2], child;
	char byte;

	if (!is_strobe())
		SKIP(return, "classic looks for the name before it records the event");
	ASSERT_EQ(0, pipe(go));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		prctl(PR_SET_NAME, "leaves once");
		/* When it has read this, it is recorded as it leaves, and never runs again. */
		_exit(read(go[0], &byte, 1) != 1);
	}
	snprintf(filter, sizeof(filter), "prev_pid == %d", child);
	EXPECT_EQ(0, tfs_write(filter, "events/sched/sched_switch/filter"));
	EXPECT_EQ(0, tfs_write("1", "events/sched/sched_switch/enable"));
	EXPECT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_EQ(0, tfs_write("0", "events/sched/sched_switch/enable"));
	EXPECT_EQ(0, tfs_write("0", "events/sched/sched_switch/filter"));
	snprintf(want, sizeof(want), " leaves once-%d ", child);
	EXPECT_TRUE(file_has("trace", want));
	close(go[0]);
	close(go[1]);
}

/* Have a task change the ring, record once, and exit; and this CPU switch tasks after that. */
static int change_and_record(const char *file, const char *value, const char *name)
{
	int child = fork(), i;

	if (!child) {
		prctl(PR_SET_NAME, name);
		_exit(tfs_write(value, file) || tfs_write("a record", "trace_marker"));
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	for (i = 0; i < 3; i++)
		usleep(1000);
	return child;
}

/*
 * A task's name is known if it changes the ring and records once, so that the state word is one
 * that was there before.
 */
TEST_F(control, one_record_after_a_change)
{
	static const char * const files[] = {
		"trace", "per_cpu/cpu0/trace", "buffer_size_kb", "buffer_subbuf_size_kb"
	};
	char want[64], name[16], before[32] = "", *text = tfs_text("buffer_subbuf_size_kb");
	int child, i, round;

	ASSERT_NE(NULL, text);
	snprintf(before, sizeof(before), "%d", atoi(text));
	free(text);
	ASSERT_EQ(0, run_on(0));
	/* An event that does not fire: names are saved while any is enabled. */
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (round = 0; round < 3; round++) {
			snprintf(name, sizeof(name), "changes %d, %d", i, round);
			child = change_and_record(files[i], round % 2 ? "16" : "64", name);
			ASSERT_LE(0, child);
			snprintf(want, sizeof(want), " %s-%d ", name, child);
			EXPECT_TRUE(file_has("trace", want));
		}
	}
	EXPECT_EQ(0, tfs_write("0", "events/syscalls/sys_enter_getppid/enable"));
	EXPECT_EQ(0, tfs_write(before, "buffer_subbuf_size_kb"));
}

/* Without record-cmd no names are saved. */
TEST_F(control, no_record_cmd)
{
	char want[64], *text;
	int child;

	ASSERT_EQ(0, tfs_write("0", "options/record-cmd"));
	/* trace_printk() in the kernel would have names recorded, too. */
	ASSERT_EQ(0, tfs_write("0", "options/trace_printk"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	child = run_child("unknown");
	ASSERT_EQ(0, tfs_write("0", "events/syscalls/sys_enter_getppid/enable"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	snprintf(want, sizeof(want), " <...>-%d ", child);
	EXPECT_NE(NULL, strstr(text, want));
	free(text);
}

TEST_F(control, saved_cmdlines_size)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "0", -EINVAL }, { "32769", -EINVAL }, { "x", -EINVAL },
		{ "", -EINVAL }, { "-1", -EINVAL },
		{ "99999999999999999999", -ERANGE },
	};
	unsigned int i;
	char *text, before[32];
	long lines;

	text = tfs_text("saved_cmdlines_size");
	ASSERT_NE(NULL, text);
	snprintf(before, sizeof(before), "%s", text);
	free(text);
	EXPECT_LT(0, atol(before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(bad[i].err, tfs_write(bad[i].text, "saved_cmdlines_size"));
		EXPECT_EQ(atol(before), tfs_number("saved_cmdlines_size"));
	}
	EXPECT_EQ(0, tfs_write("1024", "saved_cmdlines_size"));
	EXPECT_LE(1024, tfs_number("saved_cmdlines_size"));
	EXPECT_EQ(0, tfs_write(before, "saved_cmdlines_size"));
	EXPECT_LE(atol(before), tfs_number("saved_cmdlines_size"));

	/* No more names are saved than saved_cmdlines_size says. */
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	for (i = 0; i < 10; i++)
		run_child("one of many");
	text = tfs_text("saved_cmdlines");
	ASSERT_NE(NULL, text);
	for (lines = 0, i = 0; text[i]; i++)
		lines += text[i] == '\n';
	free(text);
	EXPECT_LE(10, lines);
	EXPECT_GE(tfs_number("saved_cmdlines_size"), lines);
}

static void *thread(void *tid)
{
	*(int *)tid = syscall(SYS_gettid);
	syscall(SYS_getppid);
	usleep(2000);
	syscall(SYS_getppid);
	return NULL;
}

/* Start a thread that records, if its event is enabled, and return its tid, or -1. */
static int run_thread(void)
{
	pthread_t t;
	int tid;

	if (pthread_create(&t, NULL, thread, &tid) || pthread_join(t, NULL))
		return -1;
	return tid;
}

static bool tgid_saved(int tid)
{
	char want[64], *text = tfs_text("saved_tgids"), *p;
	bool saved;

	if (!text)
		return false;
	snprintf(want, sizeof(want), "%d %d\n", tid, getpid());
	p = strstr(text, want);
	saved = p && (p == text || p[-1] == '\n');
	free(text);
	return saved;
}

TEST_F(control, saved_tgids)
{
	char want[64], *text;
	int tid;

	ASSERT_EQ(0, tfs_write("1", "options/record-tgid"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	tid = run_thread();
	ASSERT_LT(0, tid);
	ASSERT_EQ(0, tfs_write("0", "events/syscalls/sys_enter_getppid/enable"));
	ASSERT_NE(getpid(), tid);
	EXPECT_TRUE(tgid_saved(tid));

	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "#           TASK-PID       TGID    CPU#  |||||  "));
	snprintf(want, sizeof(want), "-%-7d (%7d) [", tid, getpid());
	EXPECT_NE(NULL, strstr(text, want));
	free(text);
}

/*
 * The option of the top instance acts on the enabled events of all instances, and these stop
 * recording, however they are disabled.
 */
TEST_F(control, tgids_of_instance)
{
#define TGIDS "instances/tgids/"
#define GETPPID "events/syscalls/sys_enter_getppid/enable"
	static const struct {
		const char *file, *text;
	} off[] = {
		{ TGIDS GETPPID, "0" },
		{ TGIDS "events/enable", "0" },
		{ TGIDS "set_event", "" },
		{ "options/record-tgid", "0" },
	};
	unsigned int i;
	int tid;

	ASSERT_EQ(0, instance_make("tgids"));
	for (i = 0; i <= ARRAY_SIZE(off); i++) {
		ASSERT_EQ(0, tfs_write("1", TGIDS GETPPID));
		ASSERT_EQ(0, tfs_write("1", "options/record-tgid"));
		EXPECT_TRUE(tfs_is("0", TGIDS "options/record-tgid"));
		EXPECT_TRUE(tgid_saved(run_thread()));
		EXPECT_EQ(0, i == ARRAY_SIZE(off) ? instance_remove("tgids") :
						    tfs_write(off[i].text, "%s", off[i].file));
		tid = run_thread();
		EXPECT_LT(0, tid);
		EXPECT_FALSE(tgid_saved(tid));
		EXPECT_EQ(0, tfs_write("0", "options/record-tgid"));
		EXPECT_EQ(0, i == ARRAY_SIZE(off) ? 0 : tfs_write("0", TGIDS GETPPID));
	}
#undef GETPPID
#undef TGIDS
}

/* A mark ends in exactly one newline, whether or not the text had one. */
TEST_F(control, marker_newline)
{
	char *text, *p;

	ASSERT_EQ(0, fd_write(self->marker, "mark a"));
	ASSERT_EQ(0, fd_write(self->marker, "mark b\n"));
	ASSERT_EQ(0, fd_write(self->marker, "mark c\nin two lines"));
	ASSERT_EQ(0, fd_write(self->marker, "mark %d %s %p\t\x01\x7f\xc3\xa4"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	p = strstr(text, "mark a\n");
	ASSERT_NE(NULL, p);
	EXPECT_NE('\n', p[7]);
	p = strstr(text, "mark b\n");
	ASSERT_NE(NULL, p);
	EXPECT_NE('\n', p[7]);
	EXPECT_NE(NULL, strstr(text, "mark c\nin two lines\n"));
	EXPECT_NE(NULL, strstr(text, "mark %d %s %p\t\x01\x7f\xc3\xa4\n"));
	free(text);
}

/* A mark that fits in a record is recorded whole; a longer one is truncated. */
TEST_F(control, marker_length)
{
	static char text[6000];
	char *trace, *p;
	ssize_t n;
	int len;

	memset(text, 'x', sizeof(text));
	for (len = 1; len < 4000; len = len * 3 / 2 + 1) {
		ASSERT_EQ(len, write(self->marker, text, len));
		trace = tfs_text("trace");
		ASSERT_NE(NULL, trace);
		p = strstr(trace, "tracing_mark_write: ");
		ASSERT_NE(NULL, p);
		EXPECT_EQ(len, strspn(p + 20, "x"));
		EXPECT_EQ('\n', p[20 + len]);
		free(trace);
		ASSERT_EQ(0, tfs_write("", "trace"));
	}
	/* The limit is the size of a sub-buffer less the headers. */
	n = write(self->marker, text, sizeof(text));
	EXPECT_LT(4000, n);
	EXPECT_GE(4096, n);
	trace = tfs_text("trace");
	ASSERT_NE(NULL, trace);
	p = strstr(trace, "tracing_mark_write: ");
	ASSERT_NE(NULL, p);
	EXPECT_EQ(n, strspn(p + 20, "x"));
	free(trace);
}

TEST_F(control, marker_refuses)
{
	void *unreadable = mmap(NULL, 4096, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, unreadable);
	EXPECT_EQ(-1, write(self->marker, unreadable, 10));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, write(self->marker, "x", 0));
	ASSERT_EQ(0, tfs_write("0", "options/markers"));
	EXPECT_EQ(-EINVAL, fd_write(self->marker, "mark"));
	EXPECT_EQ(0, marks("mark"));
	ASSERT_EQ(0, tfs_write("1", "options/markers"));
	EXPECT_EQ(0, fd_write(self->marker, "mark"));
	EXPECT_EQ(1, marks("mark"));
}

TEST_F(control, readme)
{
	char *text = tfs_text("README");

	ASSERT_NE(NULL, text);
	EXPECT_LT(500, strlen(text));
	EXPECT_NE(NULL, strstr(text, "tracing_on"));
	EXPECT_NE(NULL, strstr(text, "trace_pipe"));
	EXPECT_EQ('\n', text[strlen(text) - 1]);
	free(text);
}

/* Each line is 0xADDRESS : "FORMAT". */
TEST_F(control, printk_formats)
{
	char *text = tfs_text("printk_formats"), *line, *save;
	unsigned long address;

	ASSERT_NE(NULL, text);
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		int found, n = 0;

		found = sscanf(line, "0x%lx : %n", &address, &n);
		ASSERT_EQ(1, found) {
			TH_LOG("%s", line);
		}
		ASSERT_LT(0, n);
		EXPECT_EQ('"', line[n]);
		EXPECT_EQ('"', line[strlen(line) - 1]);
		EXPECT_NE(0, address);
	}
	free(text);
}

/* Other users may have dynamic events: their definitions must not change. */
TEST_F(control, dynamic_events)
{
	static const struct {
		const char *text;
		int err;
	} writes[] = {
		{ "", 0 }, { "\n", 0 }, { "# a comment\n", 0 }, { "\t\n\t", 0 },
		{ "-:no_such", -ENOENT }, { "-:no/such\n", -ENOENT }, { "!p:no/such x\n", -ENOENT },
		{ "-", -EINVAL }, { "-:", -EINVAL }, { "-no_such", -EINVAL }, { "!", -EINVAL },
		{ "!p", -EINVAL }, { "nonsense", -EINVAL }, { "\nnonsense", -EINVAL },
	};
	char *before, *after, *line;
	unsigned int i;

	before = tfs_text("dynamic_events");
	if (!before)
		SKIP(return, "no dynamic events");
	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		EXPECT_EQ(writes[i].err, tfs_append(writes[i].text, "dynamic_events")) {
			TH_LOG("\"%s\"", writes[i].text);
		}
	}
	/* A line that is too long is refused, but not as many empty lines. */
	line = calloc(1, 10001);
	ASSERT_NE(NULL, line);
	memset(line, ' ', 10000);
	EXPECT_EQ(-EINVAL, tfs_append(line, "dynamic_events"));
	memset(line, '\n', 4000);
	line[4000] = '\0';
	EXPECT_EQ(0, tfs_append(line, "dynamic_events"));
	free(line);
	after = tfs_text("dynamic_events");
	EXPECT_STREQ(before, after);
	free(after);
	free(before);
}

TEST_HARNESS_MAIN
