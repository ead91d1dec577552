// SPDX-License-Identifier: GPL-2.0
/*
 * perf and BPF on events and tracepoints of a module: each way to attach pins the module,
 * and it can be unloaded after the last user has detached. One of its tracepoints has
 * twelve arguments, the maximum.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"

static bool load(void)
{
	return !system("modprobe tp-events 2>/dev/null");
}

static int unload(void)
{
	return syscall(SYS_delete_module, "tp_events", O_NONBLOCK) ? -errno : 0;
}

/* A worker frees links and their programs: retry while the module is in use. */
static int unload_soon(void)
{
	int ret = -EAGAIN, i;

	for (i = 0; i < 100 && ret == -EAGAIN; i++) {
		ret = unload();
		if (ret)
			usleep(20000);
	}
	return ret;
}

FIXTURE(modules)
{
};

FIXTURE_SETUP(modules)
{
	tfs_reset();
	pin_to_cpu(0);
	if (!load())
		SKIP(return, "no module tp-events");
}

FIXTURE_TEARDOWN(modules)
{
	if (load())
		EXPECT_EQ(0, unload_soon());
}

static int no_prog(void)
{
	return -1;
}

static int some_prog(int type)
{
	struct spec spec = { .type = type };
	struct prog prog = prog_make(&spec);

	close(prog.map);
	return prog.fd;
}

static int event_prog(void)
{
	return some_prog(BPF_PROG_TYPE_TRACEPOINT);
}

static int raw_prog(void)
{
	return some_prog(BPF_PROG_TYPE_RAW_TRACEPOINT);
}

static int way_counter(int prog)
{
	return attach_counter("tp_events", "tp_events_work_begin");
}

static int way_samples(int prog)
{
	struct perf_event_attr attr = attach_attr("tp_events", "tp_events_text",
						  PERF_SAMPLE_RAW);

	return attach_open(&attr, -1, 0);
}

static int way_set_bpf(int prog)
{
	int event = event_open("tp_events", "tp_events_many");
	int ret = set_bpf(event, prog);

	if (!ret)
		return event;
	close(event);
	return ret;
}

static int way_link(int prog)
{
	int event = event_open("tp_events", "tp_events_work_end");
	int link = link_perf(prog, event, 1);

	close(event);
	return link;
}

static int way_raw(int prog)
{
	return raw_open(prog, "tp_events_many", 0);
}

static const struct {
	const char *name;
	int (*prog)(void);
	int (*attach)(int prog);
} ways[] = {
	{ "a counter", no_prog, way_counter },
	{ "samples", no_prog, way_samples },
	{ "a program by ioctl()", event_prog, way_set_bpf },
	{ "a program by a link", event_prog, way_link },
	{ "a program on a raw tracepoint", raw_prog, way_raw },
};

TEST_F(modules, whoever_is_attached_keeps_it)
{
	unsigned int i;
	int prog, fd;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		TH_LOG("%s", ways[i].name);
		ASSERT_TRUE(load());
		prog = ways[i].prog();
		fd = ways[i].attach(prog);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(-EAGAIN, unload());
		EXPECT_EQ(0, attach_fire_module("kept"));
		/* The attachment holds a reference to the program, too. */
		close(prog);
		EXPECT_EQ(-EAGAIN, unload());
		EXPECT_EQ(0, attach_fire_module("kept"));
		close(fd);
		EXPECT_EQ(0, unload_soon());
		/* The module is gone, so attaching fails. */
		prog = ways[i].prog();
		EXPECT_GT(0, ways[i].attach(prog));
		close(prog);
	}
}

TEST_F(modules, twelve_arguments_are_seen)
{
	/* Arguments are zero-extended, not sign-extended, to 8 bytes. */
	static const __u64 want[] = { 0x81, 0xfe, 0x8001, 0xfffd, 0x80000001, 0xfffffffc,
				      1ULL << 63, -5ULL };
	struct spec spec = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.parts = 12,
	};
	struct prog prog, beyond;
	struct seen seen;
	unsigned int i;
	int link;

	for (i = 0; i < 12; i++)
		spec.part[i] = (struct part) { BPF_DW, 8 * i };
	prog = prog_make(&spec);
	spec.part[0].offset = 8 * 12;
	beyond = prog_make(&spec);
	ASSERT_GE(prog.fd, 0);
	/* No tracepoint has a thirteenth argument, so the verifier rejects the load. */
	EXPECT_EQ(-EACCES, beyond.fd);
	link = raw_open(prog.fd, "tp_events_many", 0);
	ASSERT_GE(link, 0);
	ASSERT_EQ(0, attach_fire_module("one"));
	ASSERT_EQ(0, attach_fire_module("two"));
	seen = seen_by(&prog);
	EXPECT_EQ(2, seen.calls);
	for (i = 0; i < ARRAY_SIZE(want); i++)
		EXPECT_EQ(want[i], seen.val[i]);
	EXPECT_EQ(0xffff, seen.val[8] >> 48);
	EXPECT_EQ(0, seen.val[9]);
	EXPECT_EQ(2, seen.val[10]);
	EXPECT_EQ(2, seen.val[11]);
	close(link);
	prog_close(&prog);
	prog_close(&beyond);
}

/* A program on the event reads the record, not the arguments. */
TEST_F(modules, its_record_is_seen)
{
	int sum = attach_field("tp_events", "tp_events_many", "sum", NULL);
	int writes = attach_field("tp_events", "tp_events_many", "writes", NULL);
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 2,
		.part = { { BPF_DW, sum }, { BPF_W, writes } },
		.result = 1,
	};
	struct perf_event_attr attr = attach_attr("tp_events", "tp_events_many",
						  PERF_SAMPLE_RAW);
	int event = attach_open(&attr, 0, -1);
	struct prog prog = prog_make(&spec);
	const __u64 total = 0x81 - 2 + 0x8001 - 3 + 0x80000001 - 4 + (1ULL << 63) - 5;
	struct perf_event_header *header;
	struct attach_ring ring;
	struct seen seen;
	__u64 sampled;

	ASSERT_GE(event, 0);
	ASSERT_EQ(0, attach_map(&ring, event, 4));
	ASSERT_EQ(0, set_bpf(event, prog.fd));
	ASSERT_EQ(0, attach_enable(event, true));
	ASSERT_EQ(0, attach_fire_module("once"));
	seen = seen_by(&prog);
	EXPECT_EQ(1, seen.calls);
	EXPECT_EQ(total, seen.val[0]);
	EXPECT_EQ(1, seen.val[1]);
	header = attach_next(&ring);
	ASSERT_NE(NULL, header);
	memcpy(&sampled, (char *)(header + 1) + sizeof(__u32) + sum, sizeof(sampled));
	EXPECT_EQ(total, sampled);
	attach_unmap(&ring);
	close(event);
	prog_close(&prog);
}

/* The tracepoint's condition applies to programs, too. */
TEST_F(modules, a_condition_holds_for_programs)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.parts = 1,
		.part = { { BPF_DW, 0 } },
	};
	struct prog prog = prog_make(&spec);
	int link = raw_open(prog.fd, "tp_events_third", 0), i;

	ASSERT_GE(link, 0);
	for (i = 0; i < 7; i++)
		ASSERT_EQ(0, attach_fire_module("some"));
	EXPECT_EQ(2, calls_of(&prog));
	EXPECT_EQ(6, seen_by(&prog).val[0]);
	close(link);
	prog_close(&prog);
}

static bool race_ends;

static void *race_load(void *unused)
{
	while (!__atomic_load_n(&race_ends, __ATOMIC_RELAXED)) {
		load();
		attach_fire_module("race");
		unload();
	}
	return NULL;
}

/* Attach while the module is loaded and unloaded: once attached, its events can fire. */
TEST_F_TIMEOUT(modules, it_comes_and_goes_meanwhile, 120)
{
	int round, prog[ARRAY_SIZE(ways)], fd, attached = 0;
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		prog[i] = ways[i].prog();
	ASSERT_EQ(0, pthread_create(&thread, NULL, race_load, NULL));
	for (round = 0; round < 200 && attached < 20; round++) {
		i = round % ARRAY_SIZE(ways);
		fd = ways[i].attach(prog[i]);
		if (fd < 0)
			continue;
		attached++;
		EXPECT_EQ(0, attach_fire_module("attached"));
		close(fd);
	}
	__atomic_store_n(&race_ends, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_GT(attached, 0);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		close(prog[i]);
}

/*
 * Load the module and have that fail with the errno with which the tracer refused the module
 * one of its own events.
 */
static bool load_failing_is_busy(void)
{
	return !system("modprobe tp-events fail_after=1500 2>&1 | grep -q 'resource busy'");
}

/*
 * A module's events are published before its init function runs. If that fails, the
 * loader frees the module even if it has references.
 */
TEST_F(modules, what_may_still_fail_to_load_is_not_attached_to)
{
	int child, fd, i, raw, prog, status;
	struct perf_event_attr attr;

	if (!is_strobe())
		SKIP(return, "classic attaches to it, and uses it when it is freed");
	prog = raw_prog();
	ASSERT_GE(prog, 0);
	ASSERT_EQ(0, unload_soon());
	child = fork();
	if (!child)
		_exit(!load_failing_is_busy());
	for (i = 0; i < 100 && tfs_number("events/tp_events/tp_events_work_begin/id") <= 0; i++)
		usleep(10000);
	attr = attach_attr("tp_events", "tp_events_work_begin", 0);
	ASSERT_GT((long long)attr.config, 0);
	fd = attach_open(&attr, 0, -1);
	EXPECT_EQ(-ENODEV, fd);
	raw = raw_open(prog, "tp_events_work_begin", 0);
	EXPECT_EQ(-ENOENT, raw);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	/*
	 * modprobe has failed, and the module got no event file: an attached user, or an
	 * owner of the file, would now refer to freed memory.
	 */
	EXPECT_EQ(0, status);
	EXPECT_LE(tfs_number("events/tp_events/tp_events_work_begin/id"), 0);
	if (fd >= 0)
		close(fd);
	if (raw >= 0)
		close(raw);
	ASSERT_TRUE(load());
	attr = attach_attr("tp_events", "tp_events_work_begin", 0);
	fd = attach_open(&attr, 0, -1);
	EXPECT_GE(fd, 0);
	close(fd);
	raw = raw_open(prog, "tp_events_work_begin", 0);
	EXPECT_GE(raw, 0);
	close(raw);
	close(prog);
}

TEST_HARNESS_MAIN
