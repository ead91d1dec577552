// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers of BPF programs on trace events and on raw tracepoints: output to perf buffers
 * and BPF ring buffers, stacks, printing, and reads through pointers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"

#define MAGIC 0x5eed

FIXTURE(helpers)
{
};

/* Each test runs with both types of programs. */
FIXTURE_VARIANT(helpers)
{
	int type;
};

FIXTURE_VARIANT_ADD(helpers, event)
{
	.type = BPF_PROG_TYPE_TRACEPOINT,
};

FIXTURE_VARIANT_ADD(helpers, raw)
{
	.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
};

FIXTURE_SETUP(helpers)
{
	tfs_reset();
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(helpers)
{
}

/* Attach @prog to task_rename: an fd that keeps it attached, or -errno */
static int attach(int type, int prog)
{
	int event, ret;

	if (type == BPF_PROG_TYPE_RAW_TRACEPOINT)
		return raw_open(prog, "task_rename", 0);
	event = event_open("task", "task_rename");
	if (event < 0)
		return event;
	ret = set_bpf(event, prog);
	if (!ret)
		return event;
	close(event);
	return ret;
}

/* The message that send_prog()'s program sends: the pid of its task, and MAGIC */
struct message {
	__u32 pid;
	__u32 magic;
};

/* Send a message with the helper @func; @context: it takes the context, as perf's does. */
static int send_prog(int type, int func, int map, bool context)
{
	struct code code;
	int arg = 1;

	code_begin(&code);
	code_put(&code, STORE(BPF_W, 10, 0, -8), STORE_IMM(BPF_W, 10, -4, MAGIC));
	if (context)
		code_put(&code, MOV_REG(arg++, 6));
	code_map(&code, arg++, map);
	if (context)	/* BPF_F_CURRENT_CPU */
		code_put(&code, INSN(BPF_ALU | BPF_MOV | BPF_K, arg++, 0, 0, -1));
	code_put(&code, MOV_REG(arg, 10), ALU_IMM(BPF_ADD, arg, -8),
		 MOV_IMM(arg + 1, sizeof(struct message)));
	if (!context)
		code_put(&code, MOV_IMM(arg + 2, 0));
	code_put(&code, CALL(func));
	return code_load(&code, type, 0);
}

static bool in_kernel(__u64 addr)
{
	return addr >> 48 == 0xffff;
}

/* A sample with PERF_SAMPLE_IP and PERF_SAMPLE_RAW */
struct output {
	struct perf_event_header header;
	__u64 ip;
	__u32 size;
	__u32 message[sizeof(struct message) / sizeof(__u32)];
};

/* Open the perf event to which programs on CPU 0 send: its fd, or -errno */
static int output_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW,
		.sample_period = 1,
	};

	return attach_open(&attr, -1, 0);
}

TEST_F(helpers, messages_go_to_perfs_buffer)
{
	int map = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, cpus_possible());
	int prog = send_prog(variant->type, BPF_FUNC_perf_event_output, map, true);
	int event = output_open(), got = 0, fd;
	struct attach_ring ring;
	struct message *message;
	struct output *output;

	ASSERT_GE(prog, 0);
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, attach_map(&ring, event, 8));
	fd = attach(variant->type, prog);
	ASSERT_GE(fd, 0);
	/* The map has no perf event yet. */
	attach_fire_many(1);
	ASSERT_EQ(0, map_update(map, 0, event));
	attach_fire_many(5);
	close(fd);
	attach_fire_many(1);
	while ((output = (void *)attach_next(&ring))) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, output->header.type);
		EXPECT_TRUE(in_kernel(output->ip));
		if (variant->type == BPF_PROG_TYPE_TRACEPOINT)
			EXPECT_STREQ("__set_task_comm", attach_function(output->ip));
		ASSERT_GE(output->size, sizeof(*message));
		message = (void *)output->message;
		EXPECT_EQ(getpid(), message->pid);
		EXPECT_EQ(MAGIC, message->magic);
		got++;
	}
	EXPECT_EQ(5, got);
	attach_unmap(&ring);
	close(event);
	close(prog);
	close(map);
}

/* Wait for the next message, without a pause: the clock of an idle task stands still. */
static struct output *message_await(struct attach_ring *ring)
{
	struct output *output = NULL;
	time_t end = time(NULL) + 20;

	while (!output && time(NULL) < end)
		output = (void *)attach_next(ring);
	return output;
}

/* The registers are those that the clock has interrupted: they are read, and not written. */
TEST(a_clock_event_sends_messages)
{
	int map = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, cpus_possible());
	int prog = send_prog(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_perf_event_output, map, true);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = 1000000,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	int event = output_open(), clock, i;
	struct attach_ring ring;
	struct output *output;

	pin_to_cpu(0);
	clock = attach_open(&attr, 0, -1);
	ASSERT_GE(prog, 0);
	ASSERT_GE(event, 0);
	ASSERT_GE(clock, 0);
	ASSERT_EQ(0, attach_map(&ring, event, 8));
	ASSERT_EQ(0, map_update(map, 0, event));
	ASSERT_EQ(0, set_bpf(clock, prog));
	ASSERT_EQ(0, attach_enable(clock, true));
	for (i = 0; i < 50; i++) {
		output = message_await(&ring);
		ASSERT_NE(NULL, output);
		ASSERT_EQ(PERF_RECORD_SAMPLE, output->header.type);
		EXPECT_FALSE(in_kernel(output->ip));
		EXPECT_EQ(getpid(), output->message[0]);
		EXPECT_EQ(MAGIC, output->message[1]);
	}
	attach_unmap(&ring);
	close(clock);
	close(event);
	close(prog);
	close(map);
}

TEST_F(helpers, messages_go_to_a_ring)
{
	const int page = getpagesize(), bytes = 4 * page;
	int map = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, bytes);
	int prog = send_prog(variant->type, BPF_FUNC_ringbuf_output, map, false), fd;
	const unsigned int record = BPF_RINGBUF_HDR_SZ + sizeof(struct message);
	struct message *message;
	unsigned long at, produced;
	char *pages;

	ASSERT_GE(map, 0);
	ASSERT_GE(prog, 0);
	pages = mmap(NULL, page + 2 * bytes, PROT_READ, MAP_SHARED, map, page);
	ASSERT_NE(MAP_FAILED, pages);
	fd = attach(variant->type, prog);
	ASSERT_GE(fd, 0);
	attach_fire_many(7);
	close(fd);
	attach_fire_many(1);
	produced = *(unsigned long *)pages;
	ASSERT_EQ(7 * record, produced);
	for (at = 0; at < produced; at += record) {
		EXPECT_EQ(sizeof(*message), *(__u32 *)(pages + page + at));
		message = (void *)(pages + page + at + BPF_RINGBUF_HDR_SZ);
		EXPECT_EQ(getpid(), message->pid);
		EXPECT_EQ(MAGIC, message->magic);
	}
	munmap(pages, page + 2 * bytes);
	close(prog);
	close(map);
}

#define STACK_DEPTH 32

/*
 * Does the stack have the function that fires the event, and then the system call? A
 * trace event's stack begins at that function, a raw tracepoint's inside the tracing code.
 */
static bool stack_is_good(int type, const __u64 *stack, int nr)
{
	bool fires = false;
	int i;

	for (i = 0; i < nr && in_kernel(stack[i]); i++) {
		const char *name = attach_function(stack[i]);

		if (!strcmp(name, "__set_task_comm"))
			fires = true;
		if (type == BPF_PROG_TYPE_TRACEPOINT && !fires)
			return false;
		if (fires && strstr(name, "sys_prctl"))
			return true;
	}
	return false;
}

/* Saved by stack_prog() and text_prog(): the helper's return value and its output */
struct found {
	long long ret;
	union {
		__u64 stack[STACK_DEPTH];
		char text[STACK_DEPTH * 8];
	};
};

/* Save a stack id of the map @stacks, or the stack itself in @map if @stacks is -1. */
static int stack_prog(int type, int stacks, int map, int result)
{
	struct code code;

	code_begin(&code);
	code_element(&code, map);
	code_put(&code, MOV_REG(1, 6));
	if (stacks < 0) {
		code_put(&code, MOV_REG(2, 7),
			 ALU_IMM(BPF_ADD, 2, offsetof(struct found, stack)),
			 MOV_IMM(3, sizeof(__u64) * STACK_DEPTH), MOV_IMM(4, 0),
			 CALL(BPF_FUNC_get_stack));
	} else {
		code_map(&code, 2, stacks);
		code_put(&code, MOV_IMM(3, 0), CALL(BPF_FUNC_get_stackid));
	}
	code_put(&code, STORE(BPF_DW, 7, 0, offsetof(struct found, ret)));
	return code_load(&code, type, result);
}

static struct found found_in(int map)
{
	struct found found = { .ret = -1000 };
	__u32 key = 0;

	map_lookup(map, &key, &found);
	return found;
}

TEST_F(helpers, a_stack_is_kept_under_a_number)
{
	int stacks = map_create(BPF_MAP_TYPE_STACK_TRACE, 4, sizeof(__u64) * STACK_DEPTH, 64);
	int map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct found), 1);
	int prog = stack_prog(variant->type, stacks, map, 0);
	__u64 stack[STACK_DEPTH] = { };
	struct found found;
	int fd, id;

	ASSERT_GE(prog, 0);
	fd = attach(variant->type, prog);
	ASSERT_GE(fd, 0);
	attach_fire_many(1);
	close(fd);
	found = found_in(map);
	ASSERT_GE(found.ret, 0);
	id = found.ret;
	ASSERT_EQ(0, map_lookup(stacks, &id, stack));
	EXPECT_TRUE(stack_is_good(variant->type, stack, STACK_DEPTH));
	close(stacks);
	close(map);
	close(prog);
}

TEST_F(helpers, a_stack_is_copied)
{
	int map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct found), 1);
	int prog = stack_prog(variant->type, -1, map, 0), fd;
	struct found found;

	ASSERT_GE(prog, 0);
	fd = attach(variant->type, prog);
	ASSERT_GE(fd, 0);
	attach_fire_many(1);
	close(fd);
	found = found_in(map);
	ASSERT_GT(found.ret, 0);
	EXPECT_EQ(0, found.ret % sizeof(__u64));
	EXPECT_TRUE(stack_is_good(variant->type, found.stack, found.ret / sizeof(__u64)));
	close(map);
	close(prog);
}

/* A sample with PERF_SAMPLE_IP and PERF_SAMPLE_CALLCHAIN */
struct chain {
	struct perf_event_header header;
	__u64 ip;
	__u64 nr;
	__u64 addr[];
};

/* A program that takes the stack does not change ip and callchain of perf's sample. */
TEST_F(helpers, a_sample_beside_a_stack)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", PERF_SAMPLE_IP |
						  PERF_SAMPLE_CALLCHAIN);
	int map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct found), 1);
	int prog = stack_prog(variant->type, -1, map, 1), fd, i;
	int event = attach_open(&attr, 0, -1);
	struct attach_ring ring;
	struct found found;
	struct chain *chain;

	ASSERT_GE(prog, 0);
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, attach_map(&ring, event, 8));
	ASSERT_EQ(0, attach_enable(event, true));
	for (i = 0; i < 3; i++) {
		fd = attach(variant->type, prog);
		ASSERT_GE(fd, 0);
		attach_fire_many(1);
		close(fd);
		attach_fire_many(1);
		found = found_in(map);
		ASSERT_GT(found.ret, 0);
		EXPECT_TRUE(stack_is_good(variant->type, found.stack,
					  found.ret / sizeof(__u64)));
	}
	for (i = 0; i < 6; i++) {
		chain = (void *)attach_next(&ring);
		ASSERT_NE(NULL, chain);
		ASSERT_EQ(PERF_RECORD_SAMPLE, chain->header.type);
		/* The first entry is PERF_CONTEXT_KERNEL. */
		ASSERT_LT(2, chain->nr);
		EXPECT_EQ(chain->ip, chain->addr[1]);
		/* With classic, a raw tracepoint's program changes ip and callchain. */
		if (!is_strobe() && variant->type != BPF_PROG_TYPE_TRACEPOINT)
			continue;
		EXPECT_STREQ("__set_task_comm", attach_function(chain->ip));
		EXPECT_TRUE(stack_is_good(BPF_PROG_TYPE_TRACEPOINT, chain->addr + 1,
					  chain->nr - 1));
	}
	EXPECT_EQ(NULL, attach_next(&ring));
	attach_unmap(&ring);
	close(event);
	close(prog);
	close(map);
}

/* At a system call, perf samples user space; a program gets the kernel's stack. */
TEST(a_system_call_has_two_places)
{
	struct perf_event_attr attr = attach_attr("syscalls", "sys_enter_getppid", PERF_SAMPLE_IP |
						  PERF_SAMPLE_CALLCHAIN);
	int map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct found), 1);
	int prog = stack_prog(BPF_PROG_TYPE_TRACEPOINT, -1, map, 1), i, n;
	int event = attach_open(&attr, 0, -1);
	struct attach_ring ring;
	struct found found;
	struct chain *chain;
	bool called = false;

	ASSERT_GE(prog, 0);
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, attach_map(&ring, event, 8));
	ASSERT_EQ(0, attach_enable(event, true));
	syscall(SYS_getppid);
	ASSERT_EQ(0, set_bpf(event, prog));
	syscall(SYS_getppid);
	found = found_in(map);
	n = found.ret / (int)sizeof(__u64);
	ASSERT_GT(n, 0);
	EXPECT_STRNE("__traceiter_sys_enter", attach_function(found.stack[0]));
	for (i = 0; i < n && !called; i++)
		called = !strcmp("do_syscall_64", attach_function(found.stack[i]));
	EXPECT_TRUE(called);
	for (i = 0; i < 2; i++) {
		chain = (void *)attach_next(&ring);
		ASSERT_NE(NULL, chain);
		EXPECT_FALSE(in_kernel(chain->ip));
		ASSERT_LT(1, chain->nr);
		EXPECT_EQ(PERF_CONTEXT_USER, chain->addr[0]);
		EXPECT_EQ(chain->ip, chain->addr[1]);
	}
	attach_unmap(&ring);
	close(event);
	close(prog);
	close(map);
}

/* Save the string that R3 points to; the instructions @where set R3. */
static int text_prog(int type, int map, const struct bpf_insn *where, int nr)
{
	struct code code;

	code_begin(&code);
	code_element(&code, map);
	code_append(&code, where, nr);
	code_put(&code, MOV_REG(1, 7), ALU_IMM(BPF_ADD, 1, offsetof(struct found, text)),
		 MOV_IMM(2, 16), CALL(BPF_FUNC_probe_read_kernel_str),
		 STORE(BPF_DW, 7, 0, offsetof(struct found, ret)));
	return code_load(&code, type, 0);
}

/* comm is the second argument of the raw tracepoint, and a field of the event's record. */
TEST_F(helpers, a_pointer_is_followed)
{
	int comm = attach_field("task", "task_rename", "newcomm", NULL);
	const struct bpf_insn argument[] = { LOAD(BPF_DW, 3, 6, 8) };
	const struct bpf_insn field[] = { MOV_REG(3, 6), ALU_IMM(BPF_ADD, 3, comm) };
	const struct bpf_insn nowhere[] = { MOV_IMM(3, -4096) };
	bool raw = variant->type == BPF_PROG_TYPE_RAW_TRACEPOINT;
	int map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct found), 1);
	int good = text_prog(variant->type, map, raw ? argument : field, raw ? 1 : 2);
	int bad = text_prog(variant->type, map, nowhere, 1), fd;
	struct found found;

	ASSERT_GE(good, 0);
	ASSERT_GE(bad, 0);
	fd = attach(variant->type, good);
	ASSERT_GE(fd, 0);
	attach_fire("followed");
	close(fd);
	found = found_in(map);
	EXPECT_EQ(sizeof("followed"), found.ret);
	EXPECT_STREQ("followed", found.text);
	fd = attach(variant->type, bad);
	ASSERT_GE(fd, 0);
	attach_fire("nowhere");
	close(fd);
	EXPECT_EQ(-EFAULT, found_in(map).ret);
	close(map);
	close(good);
	close(bad);
}

TEST_F(helpers, what_a_program_prints_is_an_event)
{
	struct code code;
	int prog, fd, i;
	char want[32], *text;

	code_begin(&code);
	code_put(&code, MOV_REG(3, 0),
		 STORE_IMM(BPF_W, 10, -8, 0x253d703c),	/* "<p=%" */
		 STORE_IMM(BPF_W, 10, -4, 0x00003e64),	/* "d>" */
		 MOV_REG(1, 10), ALU_IMM(BPF_ADD, 1, -8), MOV_IMM(2, 7),
		 CALL(BPF_FUNC_trace_printk));
	prog = code_load(&code, variant->type, 0);
	ASSERT_GE(prog, 0);
	/* A worker enables the event after the program was loaded. */
	for (i = 0; i < 100 && !tfs_is("1", "events/bpf_trace/bpf_trace_printk/enable"); i++)
		usleep(10000);
	fd = attach(variant->type, prog);
	ASSERT_GE(fd, 0);
	attach_fire_many(1);
	close(fd);
	close(prog);
	snprintf(want, sizeof(want), "<p=%d>", getpid());
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, trace_count(text, "bpf_trace_printk", getpid(), want));
	free(text);
	tfs_write("0", "events/bpf_trace/bpf_trace_printk/enable");
}

TEST_HARNESS_MAIN
