// SPDX-License-Identifier: GPL-2.0
/*
 * Failing allocations while perf or a BPF program is attached: each of them fails once.
 * If attaching fails, nothing is attached, and no memory or reference is left; if it
 * succeeds, events are delivered. Users that are attached already are not affected.
 *
 * Needs the options that failing.h lists, and the module tp-events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "failing.h"
#include "tracefs.h"

#define SYSTEM "tp_events"
#define EVENT "tp_events_work_begin"

static int fire(void)
{
	return attach_fire_module("x");
}

static long users(void)
{
	return file_number("/sys/module/tp_events/refcnt");
}

/* Wait until the module has @nr users: a worker frees links and their programs. */
static bool users_become(long nr)
{
	int i;

	for (i = 0; i < 200 && users() != nr; i++)
		usleep(10000);
	return users() == nr;
}

/* The number of programs or links; @next is BPF_PROG_GET_NEXT_ID or BPF_LINK_GET_NEXT_ID. */
static int count_ids(int next)
{
	union bpf_attr attr = { };
	int nr = 0;

	while (!sys_bpf(next, &attr)) {
		attr.start_id = attr.next_id;
		attr.next_id = 0;
		nr++;
	}
	return nr;
}

static bool ids_become(int next, int nr)
{
	int i;

	for (i = 0; i < 200 && count_ids(next) != nr; i++)
		usleep(10000);
	return count_ids(next) == nr;
}

/* A way to attach; @attach returns an fd to be closed, 0, or -errno. */
struct way {
	const char *name;
	int (*attach)(int prog, int event);
	int type;		/* type of the program; 0: it takes none */
	int attach_type;	/* its BPF_PROG_LOAD's expected_attach_type; 0: none */
	bool takes_event;
};

static struct perf_event_attr counter_attr, sample_attr, call_attr;

static int open_counter(int prog, int event)
{
	return attach_open(&counter_attr, 0, -1);
}

static int open_samples(int prog, int event)
{
	return attach_open(&sample_attr, -1, 0);
}

static int open_call(int prog, int event)
{
	return attach_open(&call_attr, 0, -1);
}

static int set_filter(int prog, int event)
{
	return attach_ioctl(event, PERF_EVENT_IOC_SET_FILTER, "id > 5 && !(common_pid & 1)");
}

static int set_prog(int prog, int event)
{
	return set_bpf(event, prog);
}

static int make_link(int prog, int event)
{
	return link_perf(prog, event, 17);
}

static int open_raw(int prog, int event)
{
	return raw_open(prog, EVENT, 17);
}

/* A link to the function that fire() calls once, by a fprobe */
#define FUNCTION "events_write"

static int make_hook(int prog, __u32 flags)
{
	static const char * const name = FUNCTION;
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = prog,
			.attach_type = BPF_TRACE_KPROBE_MULTI,
			.kprobe_multi = {
				.flags = flags,
				.cnt = 1,
				.syms = (__u64)(unsigned long)&name,
			},
		},
	};

	return sys_bpf(BPF_LINK_CREATE, &attr);
}

static int hook_calls(int prog, int event)
{
	return make_hook(prog, 0);
}

static int hook_returns(int prog, int event)
{
	return make_hook(prog, BPF_F_KPROBE_MULTI_RETURN);
}

static const struct way ways[] = {
	{ "opening a counter", open_counter },
	{ "opening samples", open_samples },
	{ "opening a system call", open_call },
	{ "a filter", set_filter, .takes_event = true },
	{ "a program", set_prog, BPF_PROG_TYPE_TRACEPOINT, .takes_event = true },
	{ "a link", make_link, BPF_PROG_TYPE_TRACEPOINT, .takes_event = true },
	{ "a raw tracepoint", open_raw, BPF_PROG_TYPE_RAW_TRACEPOINT },
};

static const struct way hook_ways[] = {
	{ "hooks of calls", hook_calls, BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI },
	{ "hooks of returns", hook_returns, BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI },
};

FIXTURE(failed_attach)
{
	long users;
	int progs;
	int links;
};

/* @shared: do others use the same event already? */
FIXTURE_VARIANT(failed_attach)
{
	bool shared;
};

FIXTURE_VARIANT_ADD(failed_attach, alone)
{
	.shared = false,
};

FIXTURE_VARIANT_ADD(failed_attach, shared)
{
	.shared = true,
};

FIXTURE_SETUP(failed_attach)
{
	if (!failing_possible())
		SKIP(return, "no fault injection");
	if (system("modprobe tp-events 2>/dev/null"))
		SKIP(return, "no module tp-events");
	tfs_reset();
	pin_to_cpu(0);
	counter_attr = attach_attr(SYSTEM, EVENT, 0);
	counter_attr.disabled = 0;
	sample_attr = attach_attr(SYSTEM, EVENT, PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN);
	call_attr = attach_attr("syscalls", "sys_enter_close", 0);
	self->users = users();
	self->progs = count_ids(BPF_PROG_GET_NEXT_ID);
	self->links = count_ids(BPF_LINK_GET_NEXT_ID);
}

FIXTURE_TEARDOWN(failed_attach)
{
	EXPECT_TRUE(users_become(self->users));
	EXPECT_TRUE(ids_become(BPF_PROG_GET_NEXT_ID, self->progs));
	EXPECT_TRUE(ids_become(BPF_LINK_GET_NEXT_ID, self->links));
	EXPECT_EQ(0, system("rmmod tp-events"));
}

/* Users that are attached all the time, one of each kind */
struct stayers {
	struct prog prog;
	struct prog raw;
	int event;
	int link;
	int counter;
};

static bool stayers_begin(struct stayers *s)
{
	struct spec spec = { .type = BPF_PROG_TYPE_TRACEPOINT, .result = 1 };

	s->prog = prog_make(&spec);
	spec.type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	s->raw = prog_make(&spec);
	s->event = event_open(SYSTEM, EVENT);
	s->link = raw_open(s->raw.fd, EVENT, 0);
	s->counter = attach_open(&counter_attr, 0, -1);
	return !set_bpf(s->event, s->prog.fd) && s->link >= 0 && s->counter >= 0;
}

static bool stayers_have(const struct stayers *s, unsigned long calls)
{
	return calls_of(&s->prog) == calls && calls_of(&s->raw) == calls &&
	       attach_count(s->counter) == (long long)calls;
}

static void stayers_end(struct stayers *s)
{
	close(s->counter);
	close(s->link);
	close(s->event);
	prog_close(&s->prog);
	prog_close(&s->raw);
}

static struct prog prog_of(const struct way *way)
{
	struct spec spec = { .type = way->type, .attach_type = way->attach_type, .result = 1 };

	return way->type ? prog_make(&spec) : (struct prog) { -1, -1 };
}

/*
 * Attach, fire and detach once. Return the result of attaching; *@good: the program was
 * called exactly if that succeeded.
 */
static int attempt(const struct way *way, int nth, bool *failed, bool *good)
{
	struct prog prog = prog_of(way);
	int event = -1, ret;

	if (way->takes_event)
		event = event_open(SYSTEM, EVENT);
	fail_begin(nth);
	ret = way->attach(prog.fd, event);
	*failed = fail_end();
	*good = !fire() && (!way->type || calls_of(&prog) == (ret >= 0 ? 1 : 0));
	if (ret > 0)
		close(ret);
	if (way->takes_event)
		close(event);
	if (way->type)
		prog_close(&prog);
	return ret;
}

/* Let each allocation fail once; return how often the event fired. */
static int fail_each(struct __test_metadata *_metadata, const struct way *way)
{
	int nth, ret, refused = 0, fired = 0;
	bool failed = true, good;

	for (nth = 1; failed; nth++) {
		ret = attempt(way, nth, &failed, &good);
		fired++;
		EXPECT_TRUE(good);
		EXPECT_TRUE(ret >= 0 || (failed && ret == -ENOMEM)) {
			TH_LOG("%s, %d: %d", way->name, nth, ret);
		}
		refused += ret < 0;
	}
	TH_LOG("%s: %d times refused, of %d", way->name, refused, nth - 2);
	EXPECT_GT(refused, 0);
	return fired;
}

TEST_F_TIMEOUT(failed_attach, each_allocation, 200)
{
	struct stayers stayers;
	unsigned int i;
	int fired = 0;

	if (variant->shared)
		ASSERT_TRUE(stayers_begin(&stayers));
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		fired += fail_each(_metadata, &ways[i]);
	if (!variant->shared)
		return;
	EXPECT_TRUE(stayers_have(&stayers, fired));
	stayers_end(&stayers);
}

/* Detach, which always succeeds. Return the calls of the program after it, or -errno. */
static int let_go(const struct way *way, int nth, bool *failed)
{
	struct prog prog = prog_of(way);
	int event = -1, fd, calls = 0;

	if (way->takes_event)
		event = event_open(SYSTEM, EVENT);
	fd = way->attach(prog.fd, event);
	if (fd < 0)
		return fd;
	fail_begin(nth);
	if (way->takes_event)
		close(event);
	if (fd > 0)
		close(fd);
	*failed = fail_end();
	if (way->type) {
		/* A worker detaches the program of a link. */
		usleep(1000);
		calls = calls_of(&prog);
		fire();
		calls = calls_of(&prog) - calls;
		prog_close(&prog);
	} else {
		fire();
	}
	return calls;
}

/* Let each allocation fail once; return how many there were. */
static int let_go_each(struct __test_metadata *_metadata, const struct way *way)
{
	bool failed = true;
	int nth;

	for (nth = 1; failed; nth++)
		ASSERT_EQ(0, let_go(way, nth, &failed));
	TH_LOG("%s: %d failed", way->name, nth - 2);
	return nth - 2;
}

TEST_F_TIMEOUT(failed_attach, letting_go, 200)
{
	int allocations = 0;
	struct stayers stayers;
	unsigned int i;

	if (variant->shared)
		ASSERT_TRUE(stayers_begin(&stayers));
	/* Another probe stays: removing one from the array then allocates a shorter array. */
	ASSERT_EQ(0, tfs_write("1", "events/" SYSTEM "/" EVENT "/enable"));
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		allocations += let_go_each(_metadata, &ways[i]);
	ASSERT_EQ(0, tfs_write("0", "events/" SYSTEM "/" EVENT "/enable"));
	if (!variant->shared)
		EXPECT_GT(allocations, 0);
	if (!variant->shared)
		return;
	/* Each allocation, and the last time, when none failed */
	EXPECT_TRUE(stayers_have(&stayers, allocations + (int)ARRAY_SIZE(ways)));
	stayers_end(&stayers);
}

/* The number of hooks that the function has, or -1. */
static long hooks_now(void)
{
	char *text = tfs_text("enabled_functions"), *line;
	long nr = -1;

	if (!text)
		return -1;
	line = strstr(text, FUNCTION " [");
	nr = line ? strtol(strchr(line, '(') + 1, NULL, 10) : 0;
	free(text);
	return nr;
}

TEST_F_TIMEOUT(failed_attach, hooks, 200)
{
	int stayer = -1, fired = 0, hooks = variant->shared ? 1 : 0;
	struct quiet quiet;
	struct prog prog;
	unsigned int i;

	if (hooks_now())
		SKIP(return, "no hooks of functions");
	quiet = quiet_begin();
	prog = prog_of(&hook_ways[0]);
	if (variant->shared) {
		stayer = hook_calls(prog.fd, -1);
		ASSERT_LE(0, stayer);
	}
	for (i = 0; i < ARRAY_SIZE(hook_ways); i++) {
		fired += fail_each(_metadata, &hook_ways[i]);
		EXPECT_EQ(hooks, hooks_now());
		/* The calls without an allocation that fails, too */
		fired += let_go_each(_metadata, &hook_ways[i]) + 1;
		EXPECT_EQ(hooks, hooks_now());
	}
	EXPECT_EQ(variant->shared ? fired : 0, calls_of(&prog));
	close(stayer);
	EXPECT_EQ(0, hooks_now());
	prog_close(&prog);
	EXPECT_TRUE(quiet_end(&quiet));
}

#define TIMES 200
/* Much less than TIMES times the memory for records on one CPU, 32 KB */
#define NOISE_KB (has_kasan() ? 3072 : 1024)

/* Free memory lost by TIMES failed attempts; 0 if attaching does not fail. */
static long lost_kb(int nth)
{
	long before = free_kb();
	bool failed, good;
	int i;

	for (i = 0; i < TIMES; i++)
		if (attempt(&ways[0], nth, &failed, &good) >= 0)
			return 0;
	return before - free_kb();
}

/*
 * Everything that was allocated before the allocation that fails is freed, pages too. The
 * rest of the system may allocate memory meanwhile, but not in each try.
 */
TEST_F_TIMEOUT(failed_attach, memory_comes_back, 200)
{
	bool failed = true, good;
	int nth, tries;
	long lost;

	if (variant->shared)
		SKIP(return, "nothing is allocated by pages");
	for (nth = 1; failed; nth++) {
		attempt(&ways[0], nth, &failed, &good);
		lost = lost_kb(nth);
		for (tries = 0; lost >= NOISE_KB && tries < 3; tries++)
			lost = lost_kb(nth);
		EXPECT_LT(lost, NOISE_KB) {
			TH_LOG("%d: %ld kB", nth, lost);
		}
	}
}

/* fork() copies an inherited event for the child, and fails if it cannot be allocated. */
TEST_F_TIMEOUT(failed_attach, inherited, 200)
{
	struct perf_event_attr attr = counter_attr;
	int event, child, nth, status, children = 0, refused = 0;
	bool failed = true;

	if (variant->shared)
		SKIP(return, "it is always shared");
	attr.inherit = 1;
	event = attach_open(&attr, 0, -1);
	ASSERT_GE(event, 0);
	for (nth = 1; failed; nth++) {
		fail_begin(nth);
		child = fork();
		if (!child)
			_exit(fire() ? 1 : 0);
		failed = fail_end();
		if (child < 0) {
			EXPECT_TRUE(failed);
			refused++;
			continue;
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
		children++;
	}
	TH_LOG("%d times refused, of %d", refused, nth - 2);
	EXPECT_GT(refused, 0);
	EXPECT_EQ(children, attach_count(event));
	close(event);
}

TEST_HARNESS_MAIN
