// SPDX-License-Identifier: GPL-2.0
/*
 * instances/: rings of their own, made by mkdir and removed by rmdir. The files of an
 * instance, that instances do not affect each other, when rmdir is refused, and opening files
 * while the instance is removed. first_use.c tests what is made at the first use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/trace_mmap.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "failing.h"
#include "tracefs.h"

FIXTURE(instances)
{
	long tainted;
};

FIXTURE_SETUP(instances)
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

FIXTURE_TEARDOWN(instances)
{
	instance_remove("a");
	EXPECT_FALSE(tfs_exists("instances/a"));
	EXPECT_EQ(self->tainted, taint_bits());
	tfs_reset();
}

static const char * const files[] = {
	"available_tracers", "buffer_percent", "buffer_size_kb",
	"buffer_subbuf_size_kb", "buffer_total_size_kb", "current_tracer",
	"events/enable", "events/header_event", "events/header_page",
	"events/sched/enable", "events/sched/sched_switch/enable",
	"events/sched/sched_switch/format", "events/sched/sched_switch/id",
	"events/ftrace/print/format", "free_buffer", "options/disable_on_free",
	"options/event-fork", "options/overwrite", "options/trace_printk_dest",
	"per_cpu/cpu0/buffer_size_kb", "per_cpu/cpu0/snapshot",
	"per_cpu/cpu0/snapshot_raw", "per_cpu/cpu0/stats", "per_cpu/cpu0/trace",
	"per_cpu/cpu0/trace_pipe", "per_cpu/cpu0/trace_pipe_raw", "set_event",
	"set_event_notrace_pid", "set_event_pid", "snapshot", "timestamp_mode",
	"trace", "trace_clock", "trace_marker", "trace_marker_raw", "trace_options",
	"trace_pipe", "tracing_cpumask", "tracing_on",
};

TEST_F(instances, files)
{
	static const char * const top_only[] = {
		"README", "available_events", "saved_cmdlines", "printk_formats", "instances",
		"options/trace_printk", "options/record-cmd",
	};
	struct event_dirs dirs = { };
	struct stat mine, top;
	char path[PATH_MAX];
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", tfs_root(), files[i]);
		EXPECT_EQ(0, stat(path, &top));
		snprintf(path, sizeof(path), "%s/instances/a/%s", tfs_root(), files[i]);
		EXPECT_EQ(0, stat(path, &mine)) {
			TH_LOG("no %s", files[i]);
		}
		EXPECT_EQ(top.st_mode, mine.st_mode);
	}
	for (i = 0; i < ARRAY_SIZE(top_only); i++)
		EXPECT_FALSE(tfs_exists("instances/a/%s", top_only[i]));
	while (event_dirs_next(&dirs)) {
		n++;
		EXPECT_TRUE(tfs_exists("instances/a/events/%s/%s/format", dirs.system, dirs.name)) {
			TH_LOG("no %s:%s", dirs.system, dirs.name);
		}
	}
	EXPECT_LT(100, n);
}

TEST_F(instances, names)
{
	char name[300];

	EXPECT_EQ(-EEXIST, instance_make("a"));
	EXPECT_EQ(-ENOENT, instance_remove("b"));
	EXPECT_EQ(-ENOTDIR, instance_remove("a/trace"));
	/* Directories can only be made in instances/ itself. */
	EXPECT_EQ(-EPERM, instance_make("a/b"));
	EXPECT_EQ(-EPERM, instance_make("../b"));
	EXPECT_GT(0, instance_remove("a/events"));
	EXPECT_GT(0, instance_remove("a/per_cpu"));
	EXPECT_TRUE(tfs_exists("instances/a/events/enable"));
	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	EXPECT_EQ(-ENAMETOOLONG, instance_make(name));
	name[255] = '\0';
	EXPECT_EQ(0, instance_make(name));
	EXPECT_EQ(0, instance_remove(name));
	EXPECT_EQ(0, instance_make("with\nnewline and blank"));
	EXPECT_EQ(0, instance_remove("with\nnewline and blank"));
	EXPECT_EQ(0, instance_remove("a"));
	EXPECT_EQ(-ENOENT, instance_remove("a"));
	EXPECT_EQ(0, instance_make("a"));
}

TEST_F(instances, records_apart)
{
	ASSERT_EQ(0, instance_make("b"));
	ASSERT_EQ(0, tfs_write("for a", "instances/a/trace_marker"));
	ASSERT_EQ(0, tfs_write("for b", "instances/b/trace_marker"));
	ASSERT_EQ(0, tfs_write("for top", "trace_marker"));
	EXPECT_EQ(1, trace_marks("instances/a", "for"));
	EXPECT_EQ(1, trace_marks("instances/a", "for a"));
	EXPECT_EQ(1, trace_marks("instances/b", "for b"));
	EXPECT_EQ(1, trace_marks("", "for top"));
	EXPECT_EQ(1, trace_marks("", "for"));
	/* Clearing one leaves the others. */
	ASSERT_EQ(0, tfs_write("", "instances/a/trace"));
	EXPECT_EQ(0, trace_marks("instances/a", "for"));
	EXPECT_EQ(1, trace_marks("instances/b", "for b"));
	EXPECT_EQ(1, trace_marks("", "for top"));
	EXPECT_EQ(0, instance_remove("b"));
}

static int closes(const char *instance)
{
	char *text = tfs_text("%s/trace", instance);
	int n = text ? trace_count(text, "sys_close", getpid(), "fd: 4d2") : -1;

	free(text);
	return n;
}

TEST_F(instances, events_apart)
{
	static const char event[] = "events/syscalls/sys_enter_close/enable";

	ASSERT_EQ(0, instance_make("b"));
	ASSERT_EQ(0, tfs_write("1", "instances/a/%s", event));
	EXPECT_TRUE(tfs_is("0", "%s", event));
	EXPECT_TRUE(tfs_is("0", "instances/b/%s", event));
	EXPECT_TRUE(tfs_is("syscalls:sys_enter_close", "instances/a/set_event"));
	EXPECT_TRUE(tfs_is("X", "instances/a/events/enable"));
	EXPECT_TRUE(tfs_is("0", "events/enable"));
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(1, closes("instances/a"));
	EXPECT_EQ(0, closes(""));
	/* One event has a file of its own in each of three instances. */
	ASSERT_EQ(0, tfs_write("1", "instances/b/%s", event));
	ASSERT_EQ(0, tfs_write("1", "%s", event));
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(2, closes("instances/a"));
	EXPECT_EQ(1, closes("instances/b"));
	EXPECT_EQ(1, closes(""));
	/* It is removed while the event is enabled; the others stay as they are. */
	EXPECT_EQ(0, instance_remove("a"));
	syscall(SYS_close, 0x4d2);
	EXPECT_EQ(2, closes("instances/b"));
	EXPECT_EQ(2, closes(""));
	/* A new one of the same name has nothing of it. */
	ASSERT_EQ(0, instance_make("a"));
	EXPECT_TRUE(tfs_is("0", "instances/a/%s", event));
	EXPECT_EQ(0, closes("instances/a"));
	EXPECT_EQ(0, instance_remove("b"));
}

TEST_F(instances, settings_apart)
{
	static const struct {
		const char *file, *value, *initial;
	} settings[] = {
		{ "tracing_on", "0", "1" },
		{ "options/overwrite", "0", "1" },
		{ "options/stacktrace", "1", "0" },
		{ "options/irq-info", "0", "1" },
		{ "buffer_percent", "7", "50" },
		{ "tracing_cpumask", "1", NULL },
		{ "trace_clock", "counter", NULL },
		{ "buffer_subbuf_size_kb", "8", "4" },
	};
	long kb = tfs_number("buffer_size_kb");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		char *before = tfs_text("%s", settings[i].file);
		char *mine = tfs_text("instances/a/%s", settings[i].file);

		ASSERT_NE(NULL, before);
		ASSERT_NE(NULL, mine);
		EXPECT_STREQ(before, mine);
		if (settings[i].initial)
			EXPECT_TRUE(tfs_is(settings[i].initial, "%s", settings[i].file));
		EXPECT_EQ(0, tfs_write(settings[i].value, "instances/a/%s", settings[i].file));
		free(mine);
		mine = tfs_text("%s", settings[i].file);
		EXPECT_STREQ(before, mine) {
			TH_LOG("%s of the top one", settings[i].file);
		}
		free(mine);
		mine = tfs_text("instances/a/%s", settings[i].file);
		EXPECT_STRNE(before, mine);
		free(mine);
		free(before);
	}
	EXPECT_EQ(0, tfs_write("100", "instances/a/buffer_size_kb"));
	EXPECT_EQ(kb, tfs_number("buffer_size_kb"));
	EXPECT_EQ(0, tfs_write("40", "instances/a/per_cpu/cpu0/buffer_size_kb"));
	EXPECT_EQ(kb, tfs_number("per_cpu/cpu0/buffer_size_kb"));
}

/* A new instance takes over the options of the top instance. */
TEST_F(instances, options_inherited)
{
	ASSERT_EQ(0, tfs_write("1", "options/sym-offset"));
	ASSERT_EQ(0, instance_make("b"));
	EXPECT_TRUE(tfs_is("1", "instances/b/options/sym-offset"));
	EXPECT_TRUE(tfs_is("0", "instances/a/options/sym-offset"));
	EXPECT_TRUE(tfs_is("0", "instances/b/options/trace_printk_dest"));
	EXPECT_EQ(0, instance_remove("b"));
	ASSERT_EQ(0, tfs_write("0", "options/sym-offset"));
}

TEST_F(instances, printk_dest)
{
	EXPECT_TRUE(tfs_is("1", "options/trace_printk_dest"));
	EXPECT_EQ(-EINVAL, tfs_write("0", "options/trace_printk_dest"));
	EXPECT_EQ(0, tfs_write("1", "instances/a/options/trace_printk_dest"));
	EXPECT_TRUE(tfs_is("0", "options/trace_printk_dest"));
	EXPECT_TRUE(tfs_is("1", "instances/a/options/trace_printk_dest"));
	EXPECT_EQ(0, tfs_write("0", "instances/a/options/trace_printk_dest"));
	EXPECT_TRUE(tfs_is("1", "options/trace_printk_dest"));
	/* The top instance is the destination again when the instance is removed. */
	EXPECT_EQ(0, tfs_write("1", "instances/a/options/trace_printk_dest"));
	EXPECT_EQ(0, instance_remove("a"));
	EXPECT_TRUE(tfs_is("1", "options/trace_printk_dest"));
}

TEST_F(instances, snapshot)
{
	if (!tfs_exists("snapshot"))
		SKIP(return, "no snapshots");
	ASSERT_EQ(0, tfs_write("before", "instances/a/trace_marker"));
	ASSERT_EQ(0, tfs_write("1", "instances/a/snapshot"));
	EXPECT_EQ(0, trace_marks("instances/a", "before"));
	ASSERT_EQ(0, tfs_write("after", "instances/a/trace_marker"));
	EXPECT_EQ(1, trace_marks("instances/a", "after"));
	/* It is removed with its snapshot; the snapshots of others are unchanged. */
	EXPECT_EQ(0, instance_remove("a"));
}

/* An open file keeps its instance, whatever file it is. */
TEST_F(instances, busy_while_open)
{
	static const char * const free_ones[] = {
		/* These look at nothing of the instance. */
		"events/header_event", "events/header_page", "events/sched/sched_switch/format",
		"events/sched/sched_switch/id", "events/ftrace/print/format",
	};
	unsigned int i, k;
	int fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		bool write_only = strstr(files[i], "marker") ||
				  !strcmp(files[i], "free_buffer");
		bool keeps = true;

		for (k = 0; k < ARRAY_SIZE(free_ones); k++)
			keeps &= strcmp(files[i], free_ones[k]) != 0;
		if (!keeps)
			continue;
		fd = tfs_open(write_only ? O_WRONLY : O_RDONLY, "instances/a/%s", files[i]);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EBUSY, instance_remove("a")) {
			TH_LOG("%s", files[i]);
		}
		close(fd);
		ASSERT_TRUE(tfs_exists("instances/a/%s", files[i]));
	}
	EXPECT_EQ(0, instance_remove("a"));
}

/* These may be open when the instance is removed; reading them does no harm. */
TEST_F(instances, format_outlives)
{
	char *text;
	int fd;

	fd = tfs_open(O_RDONLY, "instances/a/events/sched/sched_switch/format");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, instance_remove("a"));
	text = fd_text(fd);
	free(text);
	close(fd);
}

TEST_F(instances, busy_while_mapped)
{
	size_t page = getpagesize();
	void *map;
	int fd;

	fd = tfs_open(O_RDONLY, "instances/a/per_cpu/cpu0/trace_pipe_raw");
	ASSERT_LE(0, fd);
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-EBUSY, instance_remove("a"));
	munmap(map, page);
	EXPECT_EQ(0, instance_remove("a"));
}

/* Pages that were spliced out of the ring belong to the pipe, and stay. */
TEST_F(instances, spliced_pages_stay)
{
	size_t page = getpagesize();
	char *buf = malloc(page);
	unsigned int *header = (unsigned int *)buf;
	int fd, ends[2], i;
	ssize_t n;

	ASSERT_NE(NULL, buf);
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(0, pin_to_cpu(0));
	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, tfs_write("something of which a page is full at some time",
				       "instances/a/trace_marker"));
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "instances/a/per_cpu/cpu0/trace_pipe_raw");
	ASSERT_LE(0, fd);
	n = splice(fd, NULL, ends[1], NULL, page, SPLICE_F_NONBLOCK);
	close(fd);
	ASSERT_EQ(page, n);
	EXPECT_EQ(0, instance_remove("a"));
	ASSERT_EQ(page, read(ends[0], buf, page));
	/* The length of its records, then the first one's text. */
	EXPECT_LT(1000, header[2]);
	EXPECT_NE(NULL, memmem(buf, page, "something of which", 18));
	free(buf);
	close(ends[0]);
	close(ends[1]);
}

static int start(void (*body)(int), int arg)
{
	int child = fork();

	if (!child) {
		body(arg);
		_exit(0);
	}
	return child;
}

static int finish(int child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

static void stop(int child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

#define STORM_NAMES 3

/*
 * Make and remove instances; a process that has a file open delays the removal. A kernel
 * that checks itself takes ten times as long.
 */
static void come_and_go(int times)
{
	time_t end = time(NULL) + 30;
	char name[8];
	int i, ret;

	for (i = 0; i < times && time(NULL) < end; i++) {
		snprintf(name, sizeof(name), "s%d", i % STORM_NAMES);
		ret = instance_make(name);
		if (ret && ret != -EEXIST)
			_exit(1);
		usleep(500 * (i % 5));
		ret = instance_remove(name);
		if (ret && ret != -EBUSY && ret != -ENOENT && ret != -ENODEV)
			_exit(2);
	}
}

/* Open the files of an instance, and use them as users do. */
static void use(int seed)
{
	static const char * const written[] = {
		"events/sched/sched_switch/enable", "events/irq/enable",
		"events/syscalls/sys_enter_close/enable", "options/stacktrace",
		"trace_marker", "options/trace_printk_dest", "snapshot", "set_event",
	};
	unsigned int n = seed;
	char text[4096];
	const char *file;
	int fd;

	for (;; n = n * 1103515245 + 12345) {
		unsigned int pick = n >> 8;
		int name = pick % STORM_NAMES;

		if (pick & 0x40) {
			file = written[(pick >> 8) % ARRAY_SIZE(written)];
			tfs_append(pick & 0x80 ? "1" : "0", "instances/s%d/%s", name, file);
			continue;
		}
		file = files[(pick >> 8) % ARRAY_SIZE(files)];
		fd = tfs_open(O_RDONLY | O_NONBLOCK, "instances/s%d/%s", name, file);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text)) < 0)
			usleep(10);
		close(fd);
	}
}

static void fire(int unused)
{
	int i;

	for (i = 0; ; i++) {
		syscall(SYS_close, 0x4d2);
		if (i % 64 == 0)
			usleep(100);
	}
}

TEST_F_TIMEOUT(instances, storm, 120)
{
	int children[4], makers[2], nr = 0, i, tries;
	char name[8];

	for (i = 0; i < 3; i++)
		children[nr++] = start(use, 1 + i);
	children[nr++] = start(fire, 0);
	for (i = 0; i < 2; i++)
		makers[i] = start(come_and_go, 40);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, finish(makers[i]));
	for (i = 0; i < nr; i++)
		stop(children[i]);
	/* An instance that is left can be used, and removed. */
	for (i = 0; i < STORM_NAMES; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		if (tfs_exists("instances/%s", name)) {
			int ret = tfs_write("still there", "instances/%s/trace_marker", name);

			/* It may have been left with its recording switched off. */
			EXPECT_TRUE(!ret || ret == -EBADF) {
				TH_LOG("%s: %d", name, ret);
			}
		}
		for (tries = 0; tries < 50 && instance_remove(name) == -EBUSY; tries++)
			usleep(20000);
		EXPECT_FALSE(tfs_exists("instances/%s", name));
	}
	EXPECT_TRUE(tfs_is("1", "options/trace_printk_dest"));
	EXPECT_TRUE(tfs_is("0", "events/enable"));
}

/* Kilobytes of memory that the kernel has allocated */
static long kernel_kb(void)
{
	static const char * const keys[] = { "SUnreclaim:", "Percpu:", "VmallocUsed:" };
	char line[128];
	long kb = 0, n;
	unsigned int i;
	FILE *f;

	file_write("/proc/sys/vm/drop_caches", "3");
	/* This also empties the CPUs' lists of free pages. */
	file_write("/proc/sys/vm/compact_memory", "1");
	/* Wait for memory that is freed after one or two grace periods. */
	usleep(500000);
	f = fopen("/proc/meminfo", "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			if (!strncmp(line, keys[i], strlen(keys[i])) &&
			    sscanf(line + strlen(keys[i]), "%ld", &n) == 1)
				kb += n;
		}
	}
	fclose(f);
	return kb;
}

/* Make an instance, look up all of its files, use some, and remove it. */
static bool come_used_and_go(void)
{
	bool good = !instance_make("b");
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(files); k++)
		tfs_exists("instances/b/%s", files[k]);
	return good && !tfs_write("1", "instances/b/events/irq/enable") &&
	       !tfs_write("1", "instances/b/snapshot") && !instance_remove("b");
}

/*
 * Memory that is missing after @times of @action: the minimum of some tries, since free memory
 * varies with either engine, but a leak shows each time. KASAN keeps freed memory for long, so
 * that more may be missing.
 */
struct lost {
	long slab_kb;
	long free_kb;
};

static bool lost_at_most(bool (*action)(void), int times, struct lost most)
{
	struct lost lost;
	int i, tries;

	if (has_kasan()) {
		most.slab_kb += 80 * times;
		most.free_kb += 1000 * times;
	}
	for (tries = 0; tries < 6; tries++) {
		lost.slab_kb = kernel_kb();
		lost.free_kb = free_kb();
		for (i = 0; i < times; i++) {
			if (!action())
				return false;
		}
		lost.slab_kb = kernel_kb() - lost.slab_kb;
		lost.free_kb -= free_kb();
		ksft_print_msg("%d times: %ld kB of slab, %ld kB in all are gone\n", times,
			       lost.slab_kb, lost.free_kb);
		if (lost.slab_kb <= most.slab_kb && lost.free_kb <= most.free_kb)
			return true;
	}
	return false;
}

/* All memory of an instance is freed, also that of files that were looked up. */
TEST_F_TIMEOUT(instances, memory_comes_back, 120)
{
	EXPECT_TRUE(lost_at_most(come_used_and_go, 20, (struct lost){ 20, 2000 }));
}

/* mkdir whose @nth allocation fails: 0 if it succeeds all the same, -ENOMEM, -EINVAL */
static int make_failing(int nth, bool *failed)
{
	int ret;

	fail_begin(nth);
	ret = instance_make("b");
	*failed = fail_end();
	return ret;
}

static int last_allocation;

/* From the first allocation to the last one, in REFUSALS times; then the same again. */
#define REFUSALS	40
static bool refused_once(void)
{
	static int times;
	bool failed;
	int nth = 1 + times++ % REFUSALS * last_allocation / REFUSALS;

	return make_failing(nth, &failed) || !instance_remove("b");
}

/* Does instance b lack a file of function hooks that the top instance has? */
static bool lacks_hook_files(void)
{
	static const char * const names[] = {
		"set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid",
		"set_ftrace_notrace_pid",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (tfs_exists("%s", names[i]) && !tfs_exists("instances/b/%s", names[i]))
			return true;
	}
	return false;
}

/*
 * Each allocation of mkdir fails once. Then there is no instance, and no memory is lost.
 * Needs what failing.h says.
 */
TEST_F_TIMEOUT(instances, mkdir_without_memory, 600)
{
	long refused = 0;
	bool failed;
	int nth, ret;

	if (!is_strobe())
		SKIP(return, "this engine warns that it has no memory");
	if (!failing_possible())
		SKIP(return, "no fault injection");

	/* The first ones one by one; the rest is the same for each file. */
	for (nth = 1; ; nth += nth < 150 ? 1 : 7) {
		ret = make_failing(nth, &failed);
		if (ret) {
			refused++;
			EXPECT_TRUE(ret == -ENOMEM || ret == -EINVAL) {
				TH_LOG("%d: %d", nth, ret);
			}
			ASSERT_FALSE(tfs_exists("instances/b"));
			continue;
		}
		/* It could do without, or was done before the nth. */
		EXPECT_TRUE(tfs_exists("instances/b/events/sched/sched_switch/format"));
		EXPECT_TRUE(tfs_exists("instances/b/per_cpu/cpu0/trace_pipe_raw"));
		EXPECT_EQ(0, tfs_write("well", "instances/b/trace_marker"));
		EXPECT_FALSE(lacks_hook_files());
		ASSERT_EQ(0, instance_remove("b"));
		if (!failed)
			break;
	}
	EXPECT_LT(100, refused);
	last_allocation = nth;
	EXPECT_TRUE(lost_at_most(refused_once, 2 * REFUSALS, (struct lost){ 20, 2000 }));
}

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define PAGES_FROM	"/sys/kernel/debug/fail_page_alloc/min-order"

/* The number of allocations that mkdir makes, and a few more for opening FAIL_NTH; or -1. */
static int count_allocations(void)
{
	int ret, left;

	fail_begin(INT_MAX);
	ret = instance_make("b");
	left = file_number(FAIL_NTH);
	fail_end();
	return ret || instance_remove("b") ? -1 : INT_MAX - left;
}

/* More than the allocations that mkdir makes for function hooks, which are its last ones. */
#define LAST	32

/*
 * Each of the last allocations of mkdir fails once. The test above takes large steps there.
 * No page allocation fails or is counted, because their number varies more.
 */
TEST_F_TIMEOUT(instances, mkdir_without_memory_at_the_end, 300)
{
	int nth, end, ret, refused = 0;
	bool failed = true;

	if (!is_strobe())
		SKIP(return, "this engine warns that it has no memory");
	if (!failing_possible())
		SKIP(return, "no fault injection");

	ASSERT_EQ(0, file_write(PAGES_FROM, "20"));
	end = count_allocations();
	ASSERT_LT(LAST, end);
	/* mkdir may make a few more allocations than the first time. */
	for (nth = end - LAST; nth <= end || failed; nth++) {
		ret = make_failing(nth, &failed);
		if (ret) {
			refused++;
			EXPECT_TRUE(ret == -ENOMEM || ret == -EINVAL) {
				TH_LOG("%d: %d", nth, ret);
			}
			ASSERT_FALSE(tfs_exists("instances/b"));
			continue;
		}
		EXPECT_TRUE(tfs_exists("instances/b/events/sched/sched_switch/format"));
		EXPECT_EQ(0, tfs_write("well", "instances/b/trace_marker"));
		EXPECT_FALSE(lacks_hook_files());
		ASSERT_EQ(0, instance_remove("b"));
	}
	EXPECT_EQ(0, file_write(PAGES_FROM, "0"));
	EXPECT_LT(0, refused);
}

/* More than what lost_at_most() allows for KASAN */
static bool waste(void)
{
	int fd = tfs_open(O_WRONLY, "instances/b/per_cpu/cpu0/buffer_size_kb");
	static int kb = 2000;
	char text[16];
	bool good;

	kb += has_kasan() ? 1500 : 100;
	snprintf(text, sizeof(text), "%d", kb);
	good = fd >= 0 && !fd_write(fd, text);
	close(fd);
	return good;
}

/* The control of the two above: 25 pages each time are missed; with KASAN 375. */
TEST_F_TIMEOUT(instances, loss_is_noticed, 120)
{
	ASSERT_EQ(0, instance_make("b"));
	ASSERT_EQ(0, tfs_write("the ring has its size", "instances/b/trace_marker"));
	EXPECT_FALSE(lost_at_most(waste, has_kasan() ? 10 : 40, (struct lost){ 20, 2000 }));
	ASSERT_EQ(0, instance_remove("b"));
}

TEST_HARNESS_MAIN
