// SPDX-License-Identifier: GPL-2.0
/*
 * Failing allocations: a write, open or read is repeated, and in each round one of its
 * allocations fails: the first, then the second, and so on, until none is left to fail.
 * If the call fails, the state must be as before; if it succeeds, all of it must be done.
 *
 * Needs a kernel with CONFIG_FAULT_INJECTION, FAILSLAB, FAIL_PAGE_ALLOC and
 * FAULT_INJECTION_DEBUG_FS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "dynamic.h"
#include "failing.h"
#include "failing_step.h"
#include "file_offset.h"
#include "tracefs.h"

FIXTURE(failed_alloc)
{
};

FIXTURE_SETUP(failed_alloc)
{
	if (!failing_possible())
		SKIP(return, "no fault injection");
	/* Classic leaves events enabled and pid lists set, and then triggers a WARNING. */
	if (!is_strobe())
		SKIP(return, "this engine does not undo what it has begun");
	tfs_reset();
	instance_remove("a");
	ASSERT_EQ(0, instance_make("a"));
	ASSERT_EQ(0, tfs_write("100", A "buffer_size_kb"));
}

FIXTURE_TEARDOWN(failed_alloc)
{
	EXPECT_EQ(0, instance_remove("a"));
	tfs_reset();
}

static const struct step enable_one_steps[] = {
	{ .file = SWITCH "enable", .text = "1", .undo = "0" },
	{ .file = A "events/syscalls/sys_enter_close/enable", .text = "1", .undo = "0" },
	/* The tracepoint already has a probe. */
	{ .file = SWITCH "enable", .text = "1", .undo = "0",
	  .first = "1", .first_file = "events/sched/sched_switch/enable" },
	{ .file = A "set_event", .text = "sched:sched_waking", .undo = "0",
	  .undo_file = A "events/enable" },
};

/* Test the test: it must notice a write that fails or never fails against @frugal. */
TEST_F_TIMEOUT(failed_alloc, control, 200)
{
	static const struct step refused = {
		.file = SWITCH "enable", .text = "1", .undo = "0", .frugal = true,
	};
	static const struct step not_refused = {
		.file = A "tracing_on", .text = "0", .undo = "1",
	};

	EXPECT_FALSE(step_test(&refused));
	EXPECT_FALSE(step_test(&not_refused));
}

TEST_F_TIMEOUT(failed_alloc, enable_one, 200)
{
	EXPECT_TRUE(steps_test(enable_one_steps, ARRAY_SIZE(enable_one_steps)));
}

static const struct step enable_many_steps[] = {
	{ .file = A "events/sched/enable", .text = "1", .undo = "0" },
	{ .file = A "events/syscalls/enable", .text = "1", .undo = "0", .stride = 97 },
	{ .file = A "set_event", .text = "sched", .undo = "0", .undo_file = A "events/enable" },
	{ .file = A "events/enable", .text = "1", .undo = "0", .stride = 211 },
};

TEST_F_TIMEOUT(failed_alloc, enable_many, 200)
{
	EXPECT_TRUE(steps_test(enable_many_steps, ARRAY_SIZE(enable_many_steps)));
}

/* Ways to use an event of instance b for the first time */
static int use_by_lookup(void)
{
	struct stat st;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances/b/events/sched/sched_switch/id", tfs_root());
	return stat(path, &st) ? -errno : 0;
}

static int use_by_listing(void)
{
	char path[PATH_MAX];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances/b/events/sched", tfs_root());
	dir = opendir(path);
	if (!dir)
		return -errno;
	errno = 0;
	while (readdir(dir))
		;
	ret = -errno;
	closedir(dir);
	return ret;
}

static int use_by_opening(void)
{
	int fd = tfs_open(O_RDONLY, "instances/b/events/sched/sched_switch/filter");

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int use_by_set_event(void)
{
	return tfs_write("sched:sched_switch", "instances/b/set_event");
}

static int use_by_enable(void)
{
	return tfs_write("1", "instances/b/events/sched/sched_switch/enable");
}

static int use_by_system(void)
{
	return tfs_write("1", "instances/b/events/irq/enable");
}

static int use_by_filter(void)
{
	return tfs_write("common_pid == 1", "instances/b/events/irq/filter");
}

static int use_by_trigger(void)
{
	return tfs_write("enable_event:sched:sched_waking",
			 "instances/b/events/sched/sched_switch/trigger");
}

static int use_by_marker(void)
{
	return tfs_write("first", "instances/b/trace_marker");
}

static int use_by_raw(void)
{
	int fd = tfs_open(O_RDONLY, "instances/b/per_cpu/cpu0/trace_pipe_raw");

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static const struct {
	const char *name;
	int (*use)(void);
} uses[] = {
	{ "lookup", use_by_lookup }, { "listing", use_by_listing },
	{ "opening", use_by_opening }, { "set_event", use_by_set_event },
	{ "enable", use_by_enable }, { "system", use_by_system },
	{ "filter", use_by_filter }, { "trigger", use_by_trigger },
	{ "marker", use_by_marker }, { "raw", use_by_raw },
};

/* Nothing is enabled or set in instance b, and all directories are there. */
static bool is_untouched(void)
{
	bool good = tfs_is("", "instances/b/set_event") &&
		    tfs_is("0", "instances/b/events/enable") &&
		    tfs_is("none", "instances/b/events/sched/sched_switch/filter") &&
		    tfs_is("none", "instances/b/events/irq/softirq_entry/filter") &&
		    tfs_is("0", "instances/b/events/sched/sched_waking/enable");
	char *text = tfs_text("instances/b/events/sched/sched_switch/trigger");

	good &= text && *text == '#';
	free(text);
	return good;
}

/*
 * Each allocation of the first use of an event fails once, in a new instance each time. Then
 * the event can be used all the same. Allocations of open(2) itself fail, too.
 */
TEST_F_TIMEOUT(failed_alloc, first_use, 600)
{
	int nth, ret, refused;
	unsigned int i;
	bool failed;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		refused = 0;
		for (nth = 1, failed = true; failed; nth += nth < 60 ? 1 : 41) {
			ASSERT_EQ(0, instance_make("b"));
			fail_begin(nth);
			ret = uses[i].use();
			failed = fail_end();
			if (ret) {
				refused++;
				EXPECT_TRUE(failed && ret == -ENOMEM && is_untouched()) {
					TH_LOG("%s, %d: %d", uses[i].name, nth, ret);
				}
				EXPECT_EQ(0, uses[i].use());
			}
			ASSERT_EQ(0, instance_remove("b"));
		}
		ksft_print_msg("%s: %d times refused, of %d\n", uses[i].name, refused, nth - 1);
		EXPECT_LT(0, refused);
	}
}

static const struct step pids_steps[] = {
	{ .file = A "set_event_pid", .text = "1 5000 100000 4000000", .undo = "" },
	{ .file = A "set_event_notrace_pid", .text = "1 5000 100000 4000000", .undo = "" },
	{ .file = A "options/event-fork", .text = "1", .undo = "0" },
};

TEST_F_TIMEOUT(failed_alloc, pids, 200)
{
	EXPECT_TRUE(steps_test(pids_steps, ARRAY_SIZE(pids_steps)));
}

/*
 * The other list is set first, so that ftrace.c has registered its probes already: it does
 * not report a failure to register them.
 */
TEST_F_TIMEOUT(failed_alloc, hook_pids, 200)
{
	static const struct step steps[] = {
		{ .file = A "set_ftrace_pid", .text = "1 5000 100000 4000000", .undo = "",
		  .first = "2", .first_file = A "set_ftrace_notrace_pid" },
		{ .file = A "set_ftrace_notrace_pid", .text = "1 5000 100000 4000000",
		  .undo = "2", .first = "2", .first_file = A "set_ftrace_pid" },
	};

	if (access("/sys/kernel/tracing/set_ftrace_pid", F_OK))
		SKIP(return, "no function hooks");
	EXPECT_TRUE(step_test(&steps[0]));
	EXPECT_TRUE(step_test(&steps[1]));
}

static const struct step filters_steps[] = {
	{ .file = SWITCH "filter", .text = "prev_pid > 5 && prev_comm ~ \"*a*b\"", .undo = "0" },
	{ .file = SWITCH "filter", .text = "prev_pid > 5 || !(next_pid & 1)",
	  .first = "prev_pid == 1", .undo = "prev_pid == 1" },
	{ .file = SWITCH "filter", .text = "CPU & CPUS{0-1} && next_comm == \"a\"",
	  .first = "0", .undo = "0" },
	{ .file = SWITCH "filter", .text = "0", .first = "prev_pid == 1", .undo = "prev_pid == 1" },
	/* A common field: a filter that does not fit all events would add to error_log. */
	{ .file = A "events/sched/filter", .text = "common_pid > 5", .undo = "0",
	  .first = "0" },
	{ .file = A "events/sched/filter", .text = "0", .undo = "common_pid == 1",
	  .first = "common_pid == 1" },
};

TEST_F_TIMEOUT(failed_alloc, filters, 900)
{
	EXPECT_TRUE(steps_test(filters_steps, ARRAY_SIZE(filters_steps)));
}

static const struct step triggers_steps[] = {
	{ .file = SWITCH "trigger", .text = "traceoff:3 if prev_pid == 1",
	  .undo = "!traceoff:3 if prev_pid == 1" },
	{ .file = SWITCH "trigger", .text = "stacktrace", .undo = "!stacktrace" },
	{ .file = SWITCH "trigger",
	  .text = "enable_event:sched:sched_waking:2 if prev_pid == -5",
	  .undo = "!enable_event:sched:sched_waking" },
	{ .file = SWITCH "trigger", .text = "disable_event:sched:sched_waking if prev_pid == 1",
	  .first = "traceon:1", .undo = "!disable_event:sched:sched_waking" },
	{ .file = A "events/ftrace/print/trigger", .text = "traceoff", .undo = "!traceoff" },
};

TEST_F_TIMEOUT(failed_alloc, triggers, 200)
{
	EXPECT_TRUE(steps_test(triggers_steps, ARRAY_SIZE(triggers_steps)));
}

#define FUNC "__set_task_comm"
#define PROBE "p:k/t " FUNC " name=+0($arg2):string n=$arg3:u8"

static const struct step kprobe_steps[] = {
	{ .file = "kprobe_events", .text = PROBE "\n", .undo = "-:k/t\n" },
	{ .file = "dynamic_events", .text = "p:k/t do_sys_openat2 dfd=$arg1:s32\n",
	  .undo = "-:k/t\n" },
	/* A second probe of an event that is on, and switching it on */
	{ .file = A "events/k/t/enable", .text = "1", .undo = "0",
	  .first = PROBE "\n", .first_file = "kprobe_events" },
	{ .file = "kprobe_events", .text = "p:k/t ksys_sync name=+0($arg1):string n=$arg2:u8\n",
	  .undo = "-:k/t ksys_sync\n", .first = "1", .first_file = A "events/k/t/enable" },
};

static bool probes_test(const struct step *steps, unsigned int nr)
{
	bool done = steps_test(steps, nr);

	done &= !tfs_write("0", A "events/k/enable");
	return !dyn_clear() && done;
}

TEST_F_TIMEOUT(failed_alloc, kprobes, 300)
{
	if (!dyn_readme("p[:[<group>/][<event>]]"))
		SKIP(return, "no such events");
	EXPECT_TRUE(probes_test(kprobe_steps, ARRAY_SIZE(kprobe_steps)));
}

/* Functions to put probes on */
static __attribute__((noinline)) void probed(void)
{
	asm volatile("" : : : "memory");
}

static __attribute__((noinline)) void probed_too(void)
{
	asm volatile("nop" : : : "memory");
}

TEST_F_TIMEOUT(failed_alloc, uprobes, 300)
{
	char file[PATH_MAX] = "", one[PATH_MAX + 64], two[PATH_MAX + 64], undo[PATH_MAX + 64];
	const struct step steps[] = {
		{ .file = "uprobe_events", .text = one, .undo = "-:k/t\n" },
		/* It puts a breakpoint into this process. */
		{ .file = A "events/k/t/enable", .text = "1", .undo = "0",
		  .first = one, .first_file = "uprobe_events" },
		{ .file = "uprobe_events", .text = two, .undo = undo,
		  .first = "1", .first_file = A "events/k/t/enable" },
	};
	const char *args = "text=+0(%di):ustring n=%si:u8";

	if (!dyn_readme(" p[:[<group>/][<event>]] <place> [<args>]"))
		SKIP(return, "no such events");
	ASSERT_LT(0, readlink("/proc/self/exe", file, sizeof(file) - 1));
	probed();
	probed_too();
	snprintf(one, sizeof(one), "p:k/t %s:0x%lx %s\n", file, file_offset(probed), args);
	snprintf(two, sizeof(two), "p:k/t %s:0x%lx %s\n", file, file_offset(probed_too),
		 args);
	snprintf(undo, sizeof(undo), "-:k/t %s:0x%016lx\n", file, file_offset(probed_too));
	EXPECT_TRUE(probes_test(steps, ARRAY_SIZE(steps)));
}

#define EVENT_PROBE "e:k/t sched/sched_switch comm=$next_comm:string n=$next_pid if prev_prio < 200"

static const struct step event_probe_steps[] = {
	{ .file = "dynamic_events", .text = EVENT_PROBE "\n", .undo = "-:k/t\n" },
	{ .file = A "events/k/t/enable", .text = "1", .undo = "0",
	  .first = EVENT_PROBE "\n", .first_file = "dynamic_events" },
};

TEST_F_TIMEOUT(failed_alloc, event_probes, 300)
{
	if (!dyn_readme("e[:[<group>/][<event>]]"))
		SKIP(return, "no such events");
	EXPECT_TRUE(probes_test(event_probe_steps, ARRAY_SIZE(event_probe_steps)));
}

#define FUNCTION_PROBE "f:k/t do_sys_openat2 dfd=$arg1:s32 name=+0($arg2):ustring"
#define TRACEPOINT_PROBE "t:k/t sched_switch preempt=$arg1:u8"

static const struct step function_probe_steps[] = {
	{ .file = "dynamic_events", .text = FUNCTION_PROBE "\n", .undo = "-:k/t\n" },
	{ .file = A "events/k/t/enable", .text = "1", .undo = "0",
	  .first = FUNCTION_PROBE "\n", .first_file = "dynamic_events" },
};

static const struct step tracepoint_probe_steps[] = {
	{ .file = "dynamic_events", .text = TRACEPOINT_PROBE "\n", .undo = "-:k/t\n" },
	{ .file = A "events/k/t/enable", .text = "1", .undo = "0",
	  .first = TRACEPOINT_PROBE "\n", .first_file = "dynamic_events" },
};

TEST_F_TIMEOUT(failed_alloc, function_probes, 300)
{
	if (!dyn_readme("f[:[<group>/][<event>]]"))
		SKIP(return, "no such events");
	EXPECT_TRUE(probes_test(function_probe_steps, ARRAY_SIZE(function_probe_steps)));
	EXPECT_TRUE(probes_test(tracepoint_probe_steps, ARRAY_SIZE(tracepoint_probe_steps)));
}

static const struct step settings_steps[] = {
	{ .file = A "buffer_size_kb", .text = "300", .undo = "100" },
	{ .file = A "buffer_size_kb", .text = "40", .undo = "100" },
	{ .file = A "per_cpu/cpu0/buffer_size_kb", .text = "300", .undo = "100" },
	{ .file = A "trace_clock", .text = "global", .undo = "local", .frugal = true },
	{ .file = A "trace_options", .text = "sym-offset", .undo = "nosym-offset",
	  .frugal = true },
	{ .file = A "options/record-tgid", .text = "1", .undo = "0", .first = "1",
	  .first_file = SWITCH "enable", .frugal = true },
	{ .file = A "options/stacktrace", .text = "1", .undo = "0", .frugal = true },
	{ .file = A "options/overwrite", .text = "0", .undo = "1", .frugal = true },
	{ .file = A "options/trace_printk_dest", .text = "1", .undo = "0", .frugal = true },
	{ .file = A "tracing_cpumask", .text = "1", .undo = "3" },
	{ .file = A "tracing_on", .text = "0", .undo = "1", .frugal = true },
	{ .file = A "buffer_percent", .text = "7", .undo = "50", .frugal = true },
	{ .file = A "current_tracer", .text = "nop", .frugal = true },
	{ .file = A "trace_marker", .text = "hello", .frugal = true },
	{ .file = A "trace_marker_raw", .text = "hello", .frugal = true },
	{ .file = "saved_cmdlines_size", .text = "300", .first = "128", .undo = "128" },
};

TEST_F_TIMEOUT(failed_alloc, settings, 200)
{
	EXPECT_TRUE(steps_test(settings_steps, ARRAY_SIZE(settings_steps)));
}

static const struct step subbuf_size_steps[] = {
	{ .file = A "buffer_subbuf_size_kb", .text = "8", .undo = "4", .resize = true },
	{ .file = A "buffer_subbuf_size_kb", .text = "16", .first = "8", .undo = "8",
	  .resize = true },
};

TEST_F_TIMEOUT(failed_alloc, subbuf_size, 200)
{
	EXPECT_TRUE(steps_test(subbuf_size_steps, ARRAY_SIZE(subbuf_size_steps)));
}

static bool have_snapshot(void)
{
	return !access("/sys/kernel/tracing/snapshot", F_OK);
}

TEST_F_TIMEOUT(failed_alloc, snapshot, 200)
{
	static const struct step steps[] = {
		{ .file = A "snapshot", .text = "1", .undo = "0" },
		{ .file = A "buffer_size_kb", .text = "300", .undo = "100",
		  .first = "1", .first_file = A "snapshot" },
		{ .file = A "buffer_subbuf_size_kb", .text = "8", .undo = "4", .resize = true },
		{ .file = A "snapshot", .text = "0", .undo = "1" },
	};

	if (!have_snapshot())
		SKIP(return, "no snapshots");
	EXPECT_TRUE(steps_test(steps, ARRAY_SIZE(steps)));
}

/* Removing the trigger does not free the snapshot ring, so it is freed separately. */
TEST_F_TIMEOUT(failed_alloc, snapshot_trigger, 200)
{
	static const struct step step = { .file = SWITCH "trigger", .text = "snapshot" };
	struct state before;
	bool failed = true;
	int nth, ret;

	if (!have_snapshot())
		SKIP(return, "no snapshots");
	state_get(&before);
	for (nth = 1; failed; nth++) {
		ret = step_write(&step, nth, &failed);
		if (!ret) {
			EXPECT_EQ(0, tfs_append("!snapshot", SWITCH "trigger"));
			EXPECT_EQ(0, tfs_write("0", A "snapshot"));
		} else {
			EXPECT_EQ(-ENOMEM, ret);
		}
		ASSERT_TRUE(state_is(&before, "snapshot trigger", nth));
	}
	EXPECT_LT(4, nth);
	state_put(&before);
}

/* Bad input is refused even if there is no memory to log the error. */
TEST_F_TIMEOUT(failed_alloc, bad_input, 200)
{
	static const struct {
		const char *file, *text;
		int err;
		bool frugal;
	} bad[] = {
		{ SWITCH "filter", "prev_pid >", -EINVAL },
		{ SWITCH "filter", "no_field == 1", -EINVAL },
		{ A "events/sched/filter", "no_field == 1", -EINVAL },
		{ SWITCH "trigger", "traceoff if no_field == 1", -EINVAL },
		{ SWITCH "trigger", "enable_event:no:such", -EINVAL },
		{ A "set_event", "no:such", -EINVAL },
		{ A "set_event_pid", "1 2 x", -EINVAL },
		{ A "trace_clock", "none", -EINVAL, .frugal = true },
		{ A "trace_options", "none", -EINVAL, .frugal = true },
	};
	struct state before;
	unsigned int i;
	int nth, ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct step step = { .file = bad[i].file, .text = bad[i].text };
		bool failed = true;

		for (nth = 1; failed; nth++) {
			/* These files show the error, so reset them before comparing. */
			tfs_write("", A "error_log");
			tfs_write("0", SWITCH "filter");
			tfs_write("0", A "events/sched/filter");
			state_get(&before);
			ret = step_write(&step, nth, &failed);
			EXPECT_TRUE(ret == bad[i].err || (failed && ret == -ENOMEM)) {
				TH_LOG("%s to %s, %d: %d", bad[i].text, bad[i].file, nth, ret);
			}
			tfs_write("", A "error_log");
			tfs_write("0", SWITCH "filter");
			tfs_write("0", A "events/sched/filter");
			EXPECT_TRUE(state_is(&before, bad[i].file, nth));
			state_put(&before);
		}
		/* In the last round no allocation failed. */
		EXPECT_TRUE(bad[i].frugal || nth > 2) {
			TH_LOG("%s to %s: nothing failed", bad[i].text, bad[i].file);
		}
	}
}

/* open() with O_TRUNC empties these lists, or fails and leaves them unchanged. */
TEST_F_TIMEOUT(failed_alloc, truncated, 200)
{
	static const char * const files[][2] = {
		{ A "set_event", "sched:sched_waking" }, { A "set_event_pid", "1 100000" },
		{ A "set_event_notrace_pid", "1 100000" },
		/* Classic has removed them before it fails. */
		{ "dynamic_events", "p:k/t ksys_sync\n" },
	};
	/* Without the last one if there are no such events */
	const unsigned int nr = ARRAY_SIZE(files) -
				!(is_strobe() && dyn_readme("p[:[<group>/][<event>]]"));
	struct state before, after;
	unsigned int i;
	bool failed;
	int nth, fd;

	for (i = 0; i < nr; i++) {
		state_get(&after);
		failed = true;
		for (nth = 1; failed; nth++) {
			ASSERT_EQ(0, tfs_append(files[i][1], "%s", files[i][0]));
			state_get(&before);
			fail_begin(nth);
			fd = tfs_open(O_RDWR | O_TRUNC, "%s", files[i][0]);
			failed = fail_end();
			EXPECT_TRUE(state_is(fd < 0 ? &before : &after, files[i][0], nth));
			state_put(&before);
			if (fd >= 0)
				close(fd);
			fd = tfs_open(O_RDWR | O_TRUNC, "%s", files[i][0]);
			ASSERT_LE(0, fd);
			close(fd);
		}
		EXPECT_LT(2, nth);
		state_put(&after);
	}
}

/*
 * Read the file while the nth allocation of open(), read() and close() fails: what it has, which
 * is @length bytes, or NULL.
 */
static char *read_failing_raw(const char *file, int nth, bool *failed, size_t *length)
{
	size_t size = 1 << 20, len = 0;
	char *text = malloc(size);
	ssize_t n = -1;
	int fd;

	/* Fault the buffer in first, so that page faults do not count. */
	memset(text, 0, size);
	fail_begin(nth);
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "%s", file);
	if (fd >= 0) {
		while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
			len += n;
		if (n < 0 && errno == EAGAIN)
			n = 0;
		close(fd);
	}
	*failed = fail_end();
	*length = len;
	if (!n)
		return text;
	free(text);
	return NULL;
}

static char *read_failing(const char *file, int nth, bool *failed)
{
	size_t length;

	return read_failing_raw(file, nth, failed, &length);
}

/* How often @len bytes have the text. */
static int count_text(const char *bytes, size_t len, const char *text)
{
	const char *pos = bytes, *end = bytes + len;
	int n = 0;

	while ((pos = memmem(pos, end - pos, text, strlen(text)))) {
		pos += strlen(text);
		n++;
	}
	return n;
}

TEST_F_TIMEOUT(failed_alloc, reads, 250)
{
	static const char * const files[] = {
		"README", "available_events", "printk_formats", "saved_cmdlines",
		A "available_tracers", A "error_log", A "events/header_page",
		A "events/header_event", SWITCH "format", SWITCH "id", SWITCH "filter",
		SWITCH "trigger", SWITCH "enable", A "events/sched/filter", A "events/enable",
		A "options/overwrite", A "per_cpu/cpu0/stats", A "per_cpu/cpu0/trace",
		A "set_event",
		A "set_event_pid", A "trace", A "trace_clock", A "trace_options",
		A "tracing_cpumask", A "timestamp_mode", A "buffer_size_kb",
	};
	struct state before;
	char *want, *text;
	unsigned int i;
	bool failed;
	int nth;

	ASSERT_EQ(0, tfs_write("prev_pid == 1", SWITCH "filter"));
	ASSERT_EQ(0, tfs_write("1 100000", A "set_event_pid"));
	ASSERT_EQ(0, tfs_write("a text", A "trace_marker"));
	/* Changing the clock empties the ring. */
	ASSERT_EQ(0, tfs_write("counter", A "trace_clock"));
	ASSERT_EQ(0, tfs_write("a text", A "trace_marker"));
	state_get(&before);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		want = tfs_text("%s", files[i]);
		ASSERT_NE(NULL, want);
		failed = true;
		for (nth = 1; failed && nth < 3000; nth += nth < 60 ? 1 : 61) {
			text = read_failing(files[i], nth, &failed);
			EXPECT_TRUE(text || failed);
			if (text && !strstr(files[i], "stats") && !strstr(files[i], "cmdlines"))
				EXPECT_STREQ(want, text);
			free(text);
		}
		EXPECT_FALSE(failed);
		EXPECT_LT(2, nth);
		EXPECT_TRUE(state_is(&before, files[i], 0));
		free(want);
	}
	state_put(&before);
}

/* A consuming read that fails leaves the record; the next read gets it, once. */
TEST_F_TIMEOUT(failed_alloc, consumed_once, 200)
{
	static const char * const files[] = {
		A "trace_pipe", A "per_cpu/cpu0/trace_pipe", A "per_cpu/cpu0/trace_pipe_raw",
	};
	unsigned int i;
	bool failed;
	size_t len;
	char *text;
	int nth;

	ASSERT_EQ(0, pin_to_cpu(0));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		failed = true;
		for (nth = 1; failed; nth++) {
			ASSERT_EQ(0, tfs_write("only this", A "trace_marker"));
			text = read_failing_raw(files[i], nth, &failed, &len);
			if (!text) {
				text = read_failing_raw(files[i], 0, &failed, &len);
				failed = true;
			}
			ASSERT_NE(NULL, text);
			EXPECT_EQ(1, count_text(text, len, "only this")) {
				TH_LOG("%s, allocation %d", files[i], nth);
			}
			free(text);
		}
		EXPECT_LT(2, nth);
	}
}

/* After a failed mmap() of a CPU's ring, the ring can be resized and removed. */
TEST_F_TIMEOUT(failed_alloc, mapped, 200)
{
	size_t page = getpagesize();
	struct state before;
	bool failed = true;
	void *map;
	int nth, fd;

	state_get(&before);
	for (nth = 1; failed; nth++) {
		fd = tfs_open(O_RDONLY | O_NONBLOCK, A "per_cpu/cpu0/trace_pipe_raw");
		ASSERT_LE(0, fd);
		fail_begin(nth);
		map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
		failed = fail_end();
		if (map != MAP_FAILED)
			munmap(map, page);
		close(fd);
		EXPECT_TRUE(map != MAP_FAILED || failed);
		EXPECT_EQ(0, tfs_write("8", A "buffer_subbuf_size_kb"));
		EXPECT_EQ(0, tfs_write("4", A "buffer_subbuf_size_kb"));
		EXPECT_EQ(0, tfs_write("100", A "buffer_size_kb"));
		EXPECT_TRUE(state_is(&before, "mmap", nth));
	}
	EXPECT_LT(2, nth);
	state_put(&before);
}

/* A failed splice() loses no records, and the ring is usable afterwards. */
TEST_F_TIMEOUT(failed_alloc, spliced, 200)
{
	size_t page = getpagesize();
	char *buf = malloc(page), mark[64];
	int ends[2], nth, fd, i;
	bool failed = true;
	ssize_t n;

	ASSERT_NE(NULL, buf);
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(0, pin_to_cpu(0));
	for (nth = 1; failed; nth++) {
		for (i = 0; i < 200; i++) {
			snprintf(mark, sizeof(mark), "mark %d, of which some fill a page", i);
			ASSERT_EQ(0, tfs_write(mark, A "trace_marker"));
		}
		fd = tfs_open(O_RDONLY | O_NONBLOCK, A "per_cpu/cpu0/trace_pipe_raw");
		ASSERT_LE(0, fd);
		fail_begin(nth);
		n = splice(fd, NULL, ends[1], NULL, page, SPLICE_F_NONBLOCK);
		failed = fail_end();
		EXPECT_TRUE(n == (ssize_t)page || failed);
		if (n <= 0)
			n = splice(fd, NULL, ends[1], NULL, page, SPLICE_F_NONBLOCK);
		EXPECT_EQ(page, n);
		close(fd);
		EXPECT_EQ(page, read(ends[0], buf, page));
		EXPECT_EQ(1, count_text(buf, page, "mark 0,"));
		EXPECT_EQ(1, count_text(buf, page, "mark 1,"));
		fd = tfs_open(O_WRONLY | O_TRUNC, A "trace");
		ASSERT_LE(0, fd);
		close(fd);
	}
	EXPECT_LT(2, nth);
	free(buf);
	close(ends[0]);
	close(ends[1]);
}

/* rmdir() of an instance with many settings removes it, or fails and changes nothing. */
TEST_F_TIMEOUT(failed_alloc, rmdir, 200)
{
	static const char * const written[][2] = {
		{ "instances/b/events/sched/enable", "1" },
		{ "instances/b/events/sched/filter", "prev_pid == 1" },
		{ "instances/b/events/sched/sched_switch/trigger",
		  "enable_event:sched:sched_waking if prev_pid == 1" },
		{ "instances/b/set_event_pid", "1 100000" },
		{ "instances/b/options/event-fork", "1" },
		{ "instances/b/options/record-tgid", "1" },
	};
	struct state without, before;
	bool failed = true;
	int nth, ret;
	unsigned int i;

	state_get(&without);
	for (nth = 1; failed; nth++) {
		ASSERT_EQ(0, instance_make("b"));
		for (i = 0; i < ARRAY_SIZE(written); i++)
			ASSERT_EQ(0, tfs_append(written[i][1], "%s", written[i][0]));
		state_get(&before);
		fail_begin(nth);
		ret = instance_remove("b");
		failed = fail_end();
		EXPECT_TRUE(!ret || failed);
		EXPECT_TRUE(state_is(ret ? &before : &without, "rmdir", nth));
		if (ret)
			ASSERT_EQ(0, instance_remove("b"));
		state_put(&before);
	}
	EXPECT_LT(2, nth);
	state_put(&without);
}

TEST_HARNESS_MAIN
