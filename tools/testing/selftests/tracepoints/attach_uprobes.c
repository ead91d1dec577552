// SPDX-License-Identifier: GPL-2.0
/*
 * uprobe_multi links: BPF programs on functions of user programs. They need CONFIG_UPROBES
 * and no part of a tracing engine, so they work with both engines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"

#define COOKIE 0xc001

static int probed(int value)
{
	return value + 1;
}

static int beside(int value)
{
	return value + 2;
}

/* A volatile pointer keeps the compiler from inlining the function. */
static int (*volatile call_probed)(int) = probed;
static int (*volatile call_beside)(int) = beside;

extern const char __executable_start[];

/* File offset of a function of this program, which is linked statically, at a fixed address. */
static unsigned long offset_of(const void *func)
{
	return (const char *)func - __executable_start;
}

static int link_uprobes(int prog, const void *func, __u64 cookie, __u32 flags)
{
	unsigned long offset = offset_of(func);
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = prog,
			.attach_type = BPF_TRACE_UPROBE_MULTI,
			.uprobe_multi = {
				.path = (__u64)(unsigned long)"/proc/self/exe",
				.offsets = (__u64)(unsigned long)&offset,
				.cookies = (__u64)(unsigned long)&cookie,
				.cnt = 1,
				.flags = flags,
			},
		},
	};

	return sys_bpf(BPF_LINK_CREATE, &attr);
}

static struct prog uprobe_prog(int func)
{
	const struct spec spec = {
		.type = BPF_PROG_TYPE_KPROBE,
		.attach_type = BPF_TRACE_UPROBE_MULTI,
		.func = func,
	};

	return prog_make(&spec);
}

static void call(int times)
{
	while (times--)
		call_beside(call_probed(times));
}

TEST(a_function_is_heard)
{
	struct prog prog = uprobe_prog(BPF_FUNC_get_attach_cookie);
	struct seen seen;
	int link;

	ASSERT_GE(prog.fd, 0);
	call(3);
	ASSERT_EQ(calls_of(&prog), 0);
	link = link_uprobes(prog.fd, probed, COOKIE, 0);
	if (link == -EOPNOTSUPP)
		SKIP(return, "the kernel has no CONFIG_UPROBES");
	ASSERT_GE(link, 0);
	call(7);
	seen = seen_by(&prog);
	EXPECT_EQ(seen.calls, 7);
	EXPECT_EQ(seen.val[0], COOKIE);
	close(link);
	call(3);
	EXPECT_EQ(calls_of(&prog), 7);
	prog_close(&prog);
}

TEST(its_return_is_heard)
{
	struct prog prog = uprobe_prog(BPF_FUNC_get_func_ip);
	struct seen seen;
	int link;

	ASSERT_GE(prog.fd, 0);
	link = link_uprobes(prog.fd, beside, 0, BPF_F_UPROBE_MULTI_RETURN);
	if (link == -EOPNOTSUPP)
		SKIP(return, "the kernel has no CONFIG_UPROBES");
	ASSERT_GE(link, 0);
	EXPECT_EQ(call_beside(40), 42);
	call(4);
	seen = seen_by(&prog);
	EXPECT_EQ(seen.calls, 5);
	EXPECT_EQ(seen.val[0], (__u64)(unsigned long)beside);
	close(link);
	prog_close(&prog);
}

/* Two programs on one function, and a perf counter of a kernel event at the same time */
TEST(all_hear)
{
	struct prog one = uprobe_prog(BPF_FUNC_get_attach_cookie);
	struct prog other = uprobe_prog(BPF_FUNC_get_func_ip);
	int counter = attach_counter("task", "task_rename");
	int links[2];

	ASSERT_GE(one.fd, 0);
	ASSERT_GE(other.fd, 0);
	ASSERT_GE(counter, 0);
	links[0] = link_uprobes(one.fd, probed, COOKIE, 0);
	if (links[0] == -EOPNOTSUPP)
		SKIP(return, "the kernel has no CONFIG_UPROBES");
	links[1] = link_uprobes(other.fd, probed, 0, 0);
	ASSERT_GE(links[0], 0);
	ASSERT_GE(links[1], 0);
	attach_fire("between");
	call(5);
	EXPECT_EQ(calls_of(&one), 5);
	EXPECT_EQ(calls_of(&other), 5);
	EXPECT_EQ(seen_by(&other).val[0], (__u64)(unsigned long)probed);
	EXPECT_EQ(attach_count(counter), 1);
	close(links[0]);
	close(links[1]);
	close(counter);
	prog_close(&one);
	prog_close(&other);
}

TEST_HARNESS_MAIN
