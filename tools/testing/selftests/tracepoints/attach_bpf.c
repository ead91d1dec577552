// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on trace events and on raw tracepoints: every way to attach one, the
 * contents of its context, and that it is called exactly when the event fires. The
 * programs are assembled by hand, so that the tests need only the system call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"

FIXTURE(bpf)
{
	int pid_at;
	int comm_at;
};

FIXTURE_SETUP(bpf)
{
	tfs_reset();
	pin_to_cpu(0);
	self->pid_at = attach_field("task", "task_rename", "pid", NULL);
	self->comm_at = attach_field("task", "task_rename", "newcomm", NULL);
	ASSERT_GT(self->pid_at, 0);
	ASSERT_GT(self->comm_at, 0);
}

FIXTURE_TEARDOWN(bpf)
{
}

/* The context is the record. */
TEST_F(bpf, a_program_sees_the_fields)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 3,
		.part = {
			{ BPF_W, self->pid_at },
			{ BPF_W, self->comm_at },
			{ BPF_H, self->comm_at + 4 },
		},
	};
	int event = event_open("task", "task_rename");
	struct prog prog = prog_make(&spec);
	struct seen seen;

	ASSERT_GE(event, 0);
	ASSERT_GE(prog.fd, 0);
	attach_fire_many(2);
	ASSERT_EQ(0, set_bpf(event, prog.fd));
	attach_fire("abcdefg");
	seen = seen_by(&prog);
	EXPECT_EQ(1, seen.calls);
	EXPECT_EQ(getpid(), seen.val[0]);
	EXPECT_EQ(0, memcmp(&seen.val[1], "abcd", 4));
	EXPECT_EQ(0, memcmp(&seen.val[2], "ef", 2));
	/* The program runs although the perf event itself is disabled. */
	EXPECT_EQ(0, attach_count(event));
	attach_fire_many(100);
	EXPECT_EQ(101, calls_of(&prog));
	close(event);
	attach_fire_many(1);
	EXPECT_EQ(101, calls_of(&prog));
	prog_close(&prog);
}

/* The function that contains the next sample's ip, or "" */
static const char *sample_of(struct attach_ring *ring)
{
	struct perf_event_header *header = attach_next(ring);

	if (!header || header->type != PERF_RECORD_SAMPLE)
		return "";
	return attach_function(*(__u64 *)(header + 1));
}

/* With more than one probe on the tracepoint, an iterator function calls the probes. */
TEST_F(bpf, a_sample_is_of_the_call_whoever_is_there)
{
	struct spec spec = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	struct perf_event_attr attr = attach_attr("task", "task_rename", PERF_SAMPLE_IP);
	int event = attach_open(&attr, 0, -1), link[2];
	struct prog prog = prog_make(&spec);
	struct attach_ring ring;
	int i;

	ASSERT_GE(event, 0);
	ASSERT_EQ(0, attach_map(&ring, event, 8));
	ASSERT_EQ(0, attach_enable(event, true));
	attach_fire_many(1);
	for (i = 0; i < 2; i++) {
		link[i] = raw_open(prog.fd, "task_rename", 0);
		ASSERT_GE(link[i], 0);
		attach_fire_many(2);
	}
	ASSERT_EQ(0, tfs_write("1", "events/task/task_rename/enable"));
	attach_fire_many(1);
	close(link[0]);
	close(link[1]);
	attach_fire_many(1);
	ASSERT_EQ(0, tfs_write("0", "events/task/task_rename/enable"));
	attach_fire_many(1);
	EXPECT_EQ(8, attach_count(event));
	for (i = 0; i < 8; i++) {
		const char *name = sample_of(&ring);

		/* With classic only if perf's is the only probe: for the first and last sample. */
		EXPECT_TRUE(!strcmp("__set_task_comm", name) ||
			    (!is_strobe() && i % 7 && !strcmp("__traceiter_task_rename", name))) {
			TH_LOG("%d: %s", i, name);
		}
	}
	EXPECT_STREQ("", sample_of(&ring));
	attach_unmap(&ring);
	close(event);
	prog_close(&prog);
}

TEST_F(bpf, a_program_decides_what_perf_gets)
{
	struct spec spec = { .type = BPF_PROG_TYPE_TRACEPOINT };
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int event = attach_open(&attr, 0, -1), other;
	struct prog no = prog_make(&spec), yes;

	spec.result = 1;
	yes = prog_make(&spec);
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, attach_enable(event, true));
	attach_fire_many(2);
	EXPECT_EQ(2, attach_count(event));
	ASSERT_EQ(0, set_bpf(event, yes.fd));
	attach_fire_many(3);
	EXPECT_EQ(5, attach_count(event));
	other = event_open("task", "task_rename");
	ASSERT_EQ(0, set_bpf(other, no.fd));
	attach_fire_many(4);
	EXPECT_EQ(5, attach_count(event));
	EXPECT_EQ(7, calls_of(&yes));
	EXPECT_EQ(4, calls_of(&no));
	close(other);
	attach_fire_many(1);
	EXPECT_EQ(6, attach_count(event));
	close(event);
	prog_close(&no);
	prog_close(&yes);
}

/* Other bits of its result do not count, whether it is alone or not. */
TEST_F(bpf, only_bit_0_decides)
{
	static const int results[] = { 2, -2, 3, -1 };
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	struct spec spec = { .type = BPF_PROG_TYPE_TRACEPOINT, .result = 1 };
	struct prog yes = prog_make(&spec), prog;
	int event, other;
	unsigned int i;
	long count;

	for (i = 0; i < ARRAY_SIZE(results); i++) {
		spec.result = results[i];
		prog = prog_make(&spec);
		event = attach_open(&attr, 0, -1);
		ASSERT_GE(event, 0);
		ASSERT_EQ(0, attach_enable(event, true));
		ASSERT_EQ(0, set_bpf(event, prog.fd));
		attach_fire_many(3);
		count = results[i] & 1 ? 3 : 0;
		EXPECT_EQ(count, attach_count(event));
		other = event_open("task", "task_rename");
		ASSERT_EQ(0, set_bpf(other, yes.fd));
		attach_fire_many(2);
		EXPECT_EQ(results[i] & 1 ? 5 : 0, attach_count(event));
		close(other);
		close(event);
		prog_close(&prog);
	}
	prog_close(&yes);
}

TEST_F(bpf, a_program_keeps_to_the_record)
{
	int score = attach_field("task", "task_rename", "oom_score_adj", NULL);
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 1,
		.part = { { BPF_H, score } },
	};
	int event = event_open("task", "task_rename");
	struct prog inside = prog_make(&spec), outside, header;

	spec.part[0].offset = score + 2;
	outside = prog_make(&spec);
	/* The verifier does not know the event, but no program may read the first 8 bytes. */
	spec.part[0].offset = 0;
	header = prog_make(&spec);
	ASSERT_GE(event, 0);
	ASSERT_GE(inside.fd, 0);
	ASSERT_GE(outside.fd, 0);
	EXPECT_EQ(-EACCES, header.fd);
	EXPECT_EQ(-EACCES, set_bpf(event, outside.fd));
	EXPECT_EQ(0, set_bpf(event, inside.fd));
	close(event);
	prog_close(&inside);
	prog_close(&outside);
}

TEST_F(bpf, only_programs_for_events_are_taken)
{
	struct spec spec = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	int event = event_open("task", "task_rename");
	struct prog raw = prog_make(&spec), one, two;

	spec.type = BPF_PROG_TYPE_TRACEPOINT;
	one = prog_make(&spec);
	two = prog_make(&spec);
	ASSERT_GE(event, 0);
	EXPECT_EQ(-EINVAL, set_bpf(event, raw.fd));
	EXPECT_EQ(-EBADF, set_bpf(event, -1));
	EXPECT_EQ(0, set_bpf(event, one.fd));
	EXPECT_EQ(-EEXIST, set_bpf(event, two.fd));
	EXPECT_EQ(-EINVAL, raw_open(one.fd, "task_rename", 0));
	EXPECT_EQ(-ENOENT, raw_open(raw.fd, "there_is_none", 0));
	close(event);
	prog_close(&raw);
	prog_close(&one);
	prog_close(&two);
}

TEST_F(bpf, a_link_has_a_cookie_and_tells_what_it_is)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.func = BPF_FUNC_get_attach_cookie,
	};
	int event = event_open("task", "task_rename"), link;
	struct prog prog = prog_make(&spec);
	struct bpf_link_info info;
	char name[64] = "";

	ASSERT_GE(event, 0);
	ASSERT_GE(prog.fd, 0);
	link = link_perf(prog.fd, event, 0x1234567890abcdefULL);
	ASSERT_GE(link, 0);
	close(event);
	attach_fire_many(2);
	EXPECT_EQ(2, calls_of(&prog));
	EXPECT_EQ(0x1234567890abcdefULL, seen_by(&prog).val[0]);
	ASSERT_EQ(0, link_info(link, &info, name, sizeof(name)));
	EXPECT_EQ(BPF_LINK_TYPE_PERF_EVENT, info.type);
	EXPECT_EQ(BPF_PERF_EVENT_TRACEPOINT, info.perf_event.type);
	EXPECT_EQ(prog_id(prog.fd), info.prog_id);
	EXPECT_STREQ("task_rename", name);
	close(link);
	attach_fire_many(2);
	EXPECT_EQ(2, calls_of(&prog));
	prog_close(&prog);
}

TEST_F(bpf, many_programs_see_an_event)
{
	struct spec spec = { .type = BPF_PROG_TYPE_TRACEPOINT, .result = 1 };
	struct {
		struct perf_event_query_bpf query;
		__u32 ids[4];
	} query = { .query.ids_len = 4 };
	struct prog prog[3];
	int event[3], i;

	for (i = 0; i < 3; i++) {
		prog[i] = prog_make(&spec);
		event[i] = event_open("task", "task_rename");
		ASSERT_GE(event[i], 0);
		ASSERT_EQ(0, set_bpf(event[i], prog[i].fd));
		attach_fire_many(1);
	}
	for (i = 0; i < 3; i++)
		EXPECT_EQ(3 - i, calls_of(&prog[i]));
	ASSERT_EQ(0, attach_ioctl(event[0], PERF_EVENT_IOC_QUERY_BPF, &query));
	EXPECT_EQ(3, query.query.prog_cnt);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(prog_id(prog[i].fd), query.query.ids[i]);
	query.query.ids_len = 1;
	EXPECT_EQ(-ENOSPC, attach_ioctl(event[0], PERF_EVENT_IOC_QUERY_BPF, &query));
	EXPECT_EQ(3, query.query.prog_cnt);
	close(event[1]);
	attach_fire_many(1);
	EXPECT_EQ(4, calls_of(&prog[0]));
	EXPECT_EQ(2, calls_of(&prog[1]));
	EXPECT_EQ(2, calls_of(&prog[2]));
	close(event[0]);
	close(event[2]);
	for (i = 0; i < 3; i++)
		prog_close(&prog[i]);
}

TEST_F(bpf, a_program_sees_a_system_calls_arguments)
{
	struct spec enter = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.match = 0x7ffffff1,
		.match_at = 16,
		.parts = 2,
		.part = { { BPF_W, 8 }, { BPF_DW, 16 } },
	};
	struct spec exits = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.match = -EBADF,
		.match_at = 16,
		.parts = 2,
		.part = { { BPF_W, 8 }, { BPF_DW, 16 } },
	};
	int efd = event_open("syscalls", "sys_enter_close");
	int xfd = event_open("syscalls", "sys_exit_close");
	struct prog eprog = prog_make(&enter), xprog = prog_make(&exits), beyond;
	struct seen seen;

	enter.part[1].offset = 24;
	beyond = prog_make(&enter);
	ASSERT_GE(beyond.fd, 0);
	EXPECT_EQ(-EACCES, set_bpf(efd, beyond.fd));
	ASSERT_EQ(0, set_bpf(efd, eprog.fd));
	ASSERT_EQ(0, set_bpf(xfd, xprog.fd));
	syscall(SYS_close, 0x7ffffff1);
	syscall(SYS_dup2, 0x7ffffff1, 0x7ffffff1);
	seen = seen_by(&eprog);
	EXPECT_EQ(1, seen.calls);
	EXPECT_EQ(SYS_close, seen.val[0]);
	EXPECT_EQ(0x7ffffff1, seen.val[1]);
	seen = seen_by(&xprog);
	EXPECT_EQ(1, seen.calls);
	EXPECT_EQ(SYS_close, seen.val[0]);
	EXPECT_EQ(-EBADF, (long long)seen.val[1]);
	close(efd);
	close(xfd);
	prog_close(&beyond);
	prog_close(&eprog);
	prog_close(&xprog);
}

TEST_F(bpf, a_raw_tracepoint_has_the_arguments)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.parts = 5,
		.part = { { BPF_DW, 0 }, { BPF_DW, 8 }, { BPF_DW, 16 }, { BPF_DW, 24 },
			  { BPF_DW, 32 } },
		.func = BPF_FUNC_get_attach_cookie,
	};
	struct prog prog = prog_make(&spec), beyond;
	struct bpf_link_info info;
	struct seen seen;
	char name[64] = "";
	int link;

	spec.part[4].offset = 40;
	beyond = prog_make(&spec);
	ASSERT_GE(prog.fd, 0);
	ASSERT_GE(beyond.fd, 0);
	EXPECT_EQ(-EINVAL, raw_open(beyond.fd, "signal_generate", 0));
	link = raw_open(prog.fd, "signal_generate", 0xfedcba0987654321ULL);
	ASSERT_GE(link, 0);
	signal(SIGUSR1, SIG_IGN);
	kill(getpid(), SIGUSR1);
	seen = seen_by(&prog);
	/* sig, info, task, group, result */
	EXPECT_EQ(1, seen.calls);
	EXPECT_EQ(SIGUSR1, seen.val[0]);
	EXPECT_NE(0, seen.val[1]);
	EXPECT_EQ(0xffff, seen.val[2] >> 48);
	EXPECT_EQ(1, seen.val[3]);
	EXPECT_EQ(1, seen.val[4]);
	EXPECT_EQ(0xfedcba0987654321ULL, seen.val[5]);
	ASSERT_EQ(0, link_info(link, &info, name, sizeof(name)));
	EXPECT_EQ(BPF_LINK_TYPE_RAW_TRACEPOINT, info.type);
	EXPECT_EQ(prog_id(prog.fd), info.prog_id);
	EXPECT_STREQ("signal_generate", name);
	close(link);
	kill(getpid(), SIGUSR1);
	EXPECT_EQ(1, calls_of(&prog));
	prog_close(&prog);
	prog_close(&beyond);
}

/* Raw programs, an event's program, a perf counter and the ring on one tracepoint. */
TEST_F(bpf, all_that_listens_hears)
{
	struct spec spec = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	struct prog one = prog_make(&spec), two = prog_make(&spec), tp;
	int first, second, counter, event;
	char *text;

	spec.type = BPF_PROG_TYPE_TRACEPOINT;
	spec.result = 1;
	tp = prog_make(&spec);
	first = raw_open(one.fd, "task_rename", 0);
	second = raw_open(two.fd, "task_rename", 0);
	counter = attach_counter("task", "task_rename");
	event = event_open("task", "task_rename");
	ASSERT_GE(first, 0);
	ASSERT_GE(second, 0);
	ASSERT_GE(counter, 0);
	ASSERT_EQ(0, set_bpf(event, tp.fd));
	ASSERT_EQ(0, tfs_write("1", "events/task/task_rename/enable"));
	attach_fire_many(50);
	ASSERT_EQ(0, tfs_write("0", "events/task/task_rename/enable"));
	EXPECT_EQ(50, calls_of(&one));
	EXPECT_EQ(50, calls_of(&two));
	EXPECT_EQ(50, calls_of(&tp));
	EXPECT_EQ(50, attach_count(counter));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(50, trace_count(text, "task_rename", getpid(), NULL));
	free(text);
	close(first);
	attach_fire_many(1);
	EXPECT_EQ(50, calls_of(&one));
	EXPECT_EQ(51, calls_of(&two));
	EXPECT_EQ(51, calls_of(&tp));
	EXPECT_EQ(51, attach_count(counter));
	close(second);
	close(counter);
	close(event);
	prog_close(&one);
	prog_close(&two);
	prog_close(&tp);
}

static int test_run(int prog, void *in, int len)
{
	union bpf_attr attr = {
		.test = {
			.prog_fd = prog,
			.data_in = (__u64)(unsigned long)in,
			.data_size_in = len,
			.repeat = 1,
		},
	};

	return sys_bpf(BPF_PROG_TEST_RUN, &attr);
}

/* bpf_test_finish lets a program change how a test run of another one ends. */
TEST_F(bpf, a_writable_argument_is_written)
{
	const struct bpf_insn write[] = {
		LOAD(BPF_DW, 6, 1, 0),
		LOAD(BPF_W, 0, 6, 0),
		STORE_IMM(BPF_W, 6, 0, -EXDEV),
		MOV_IMM(0, 0),
		EXIT(),
	}, too_far[] = {
		LOAD(BPF_DW, 6, 1, 0),
		STORE_IMM(BPF_W, 6, 4, -EXDEV),
		MOV_IMM(0, 0),
		EXIT(),
	}, nothing[] = {
		MOV_IMM(0, 0),
		EXIT(),
	};
	const int type = BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE;
	int prog = prog_load(type, write, ARRAY_SIZE(write));
	int beyond = prog_load(type, too_far, ARRAY_SIZE(too_far));
	int filter = prog_load(BPF_PROG_TYPE_SOCKET_FILTER, nothing, ARRAY_SIZE(nothing));
	char packet[64] = "";
	int link;

	ASSERT_GE(prog, 0);
	ASSERT_GE(beyond, 0);
	ASSERT_GE(filter, 0);
	EXPECT_EQ(-EINVAL, raw_open(beyond, "bpf_test_finish", 0));
	/* This tracepoint has no writable argument. */
	EXPECT_EQ(-EINVAL, raw_open(prog, "task_rename", 0));
	EXPECT_EQ(0, test_run(filter, packet, sizeof(packet)));
	link = raw_open(prog, "bpf_test_finish", 0);
	ASSERT_GE(link, 0);
	EXPECT_EQ(-EXDEV, test_run(filter, packet, sizeof(packet)));
	close(link);
	EXPECT_EQ(0, test_run(filter, packet, sizeof(packet)));
	close(prog);
	close(beyond);
	close(filter);
}

TEST_F(bpf, a_program_runs_without_its_tracepoint)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.parts = 2,
		.part = { { BPF_DW, 0 }, { BPF_DW, 8 } },
	};
	struct prog prog = prog_make(&spec);
	__u64 args[2] = { 0x11, -2ULL };
	union bpf_attr attr = {
		.test = {
			.prog_fd = prog.fd,
			.ctx_in = (__u64)(unsigned long)args,
			.ctx_size_in = sizeof(args),
		},
	};
	struct seen seen;

	ASSERT_EQ(0, sys_bpf(BPF_PROG_TEST_RUN, &attr));
	seen = seen_by(&prog);
	EXPECT_EQ(1, seen.calls);
	EXPECT_EQ(0x11, seen.val[0]);
	EXPECT_EQ(-2ULL, seen.val[1]);
	prog_close(&prog);
}

TEST_F(bpf, an_fd_tells_what_it_is)
{
	struct spec spec = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	struct prog raw = prog_make(&spec), tp;
	int event = event_open("task", "task_rename"), link;
	union bpf_attr attr;
	char name[64] = "";

	spec.type = BPF_PROG_TYPE_TRACEPOINT;
	tp = prog_make(&spec);
	ASSERT_GE(event, 0);
	link = raw_open(raw.fd, "task_rename", 0);
	ASSERT_GE(link, 0);
	/* The query fails for a perf event without a program. */
	EXPECT_EQ(-ENOENT, task_fd_query(getpid(), event, &attr, name, sizeof(name)));
	ASSERT_EQ(0, set_bpf(event, tp.fd));
	ASSERT_EQ(0, task_fd_query(getpid(), event, &attr, name, sizeof(name)));
	EXPECT_EQ(BPF_FD_TYPE_TRACEPOINT, attr.task_fd_query.fd_type);
	EXPECT_EQ(prog_id(tp.fd), attr.task_fd_query.prog_id);
	EXPECT_EQ(strlen("task_rename"), attr.task_fd_query.buf_len);
	EXPECT_STREQ("task_rename", name);
	memset(name, 0, sizeof(name));
	ASSERT_EQ(0, task_fd_query(getpid(), link, &attr, name, sizeof(name)));
	EXPECT_EQ(BPF_FD_TYPE_RAW_TRACEPOINT, attr.task_fd_query.fd_type);
	EXPECT_EQ(prog_id(raw.fd), attr.task_fd_query.prog_id);
	EXPECT_STREQ("task_rename", name);
	EXPECT_EQ(-ENOSPC, task_fd_query(getpid(), link, &attr, name, 5));
	EXPECT_STREQ("task", name);
	close(link);
	close(event);
	prog_close(&raw);
	prog_close(&tp);
}

/* BPF_TRACE_MAX_PROGS: the maximum number of programs on one event */
#define PROGRAMS_MAX 64

TEST_F(bpf, there_is_an_end_to_programs)
{
	struct spec spec = { .type = BPF_PROG_TYPE_TRACEPOINT, .result = 1 };
	struct {
		struct perf_event_query_bpf query;
		__u32 ids[PROGRAMS_MAX];
	} query = { };
	struct prog prog[PROGRAMS_MAX + 1];
	int event[PROGRAMS_MAX + 1], counter = attach_counter("task", "task_rename"), i;

	for (i = 0; i <= PROGRAMS_MAX; i++) {
		prog[i] = prog_make(&spec);
		event[i] = event_open("task", "task_rename");
		ASSERT_GE(event[i], 0);
		ASSERT_EQ(i < PROGRAMS_MAX ? 0 : -E2BIG, set_bpf(event[i], prog[i].fd));
	}
	attach_fire_many(3);
	for (i = 0; i <= PROGRAMS_MAX; i++)
		EXPECT_EQ(i < PROGRAMS_MAX ? 3 : 0, calls_of(&prog[i]));
	EXPECT_EQ(3, attach_count(counter));

	/* Query the number only, with too short an array, and with a length over the limit. */
	EXPECT_EQ(0, attach_ioctl(event[0], PERF_EVENT_IOC_QUERY_BPF, &query));
	EXPECT_EQ(PROGRAMS_MAX, query.query.prog_cnt);
	query.query.ids_len = PROGRAMS_MAX - 1;
	EXPECT_EQ(-ENOSPC, attach_ioctl(event[0], PERF_EVENT_IOC_QUERY_BPF, &query));
	EXPECT_EQ(prog_id(prog[0].fd), query.query.ids[0]);
	query.query.ids_len = PROGRAMS_MAX + 1;
	EXPECT_EQ(-E2BIG, attach_ioctl(event[0], PERF_EVENT_IOC_QUERY_BPF, &query));
	EXPECT_EQ(-EFAULT, attach_ioctl(event[0], PERF_EVENT_IOC_QUERY_BPF, (void *)8));
	query.query.ids_len = PROGRAMS_MAX;
	EXPECT_EQ(0, attach_ioctl(event[PROGRAMS_MAX], PERF_EVENT_IOC_QUERY_BPF, &query));
	for (i = 0; i < PROGRAMS_MAX; i++)
		EXPECT_EQ(prog_id(prog[i].fd), query.query.ids[i]);

	/* After one has been detached, another one can be attached. */
	close(event[5]);
	EXPECT_EQ(0, set_bpf(event[PROGRAMS_MAX], prog[PROGRAMS_MAX].fd));
	attach_fire_many(1);
	EXPECT_EQ(3, calls_of(&prog[5]));
	EXPECT_EQ(4, calls_of(&prog[6]));
	EXPECT_EQ(1, calls_of(&prog[PROGRAMS_MAX]));
	for (i = 0; i <= PROGRAMS_MAX; i++) {
		if (i != 5)
			close(event[i]);
		prog_close(&prog[i]);
	}
	close(counter);
}

/* The end of the last field that format shows: a program may not read after it. */
static int record_end(const char *system, const char *name)
{
	char *text = tfs_text("events/%s/%s/format", system, name), *at;
	int offset, size, end = 0;

	for (at = text; at && (at = strstr(at, "\toffset:")); at++)
		if (sscanf(at, "\toffset:%d;\tsize:%d;", &offset, &size) == 2 &&
		    offset + size > end)
			end = offset + size;
	free(text);
	return end;
}

TEST_F(bpf, the_bounds_are_the_events)
{
	static const char * const events[][2] = {
		{ "sched", "sched_switch" }, { "sched", "sched_process_exec" },
		{ "sched", "sched_process_wait" }, { "signal", "signal_generate" },
		{ "irq", "softirq_entry" }, { "irq", "irq_handler_entry" },
		{ "raw_syscalls", "sys_enter" }, { "syscalls", "sys_enter_mmap" },
		{ "syscalls", "sys_exit_mmap" }, { "timer", "hrtimer_start" },
	};
	struct spec spec = { .type = BPF_PROG_TYPE_TRACEPOINT, .parts = 1 };
	struct prog inside, outside;
	unsigned int i;
	int event, end;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		end = record_end(events[i][0], events[i][1]);
		event = event_open(events[i][0], events[i][1]);
		ASSERT_GT(end, 8);
		ASSERT_GE(event, 0);
		spec.part[0] = (struct part) { BPF_B, end - 1 };
		inside = prog_make(&spec);
		spec.part[0].offset = end;
		outside = prog_make(&spec);
		ASSERT_GE(outside.fd, 0);
		EXPECT_EQ(-EACCES, set_bpf(event, outside.fd)) {
			TH_LOG("%s: %d", events[i][1], end);
		}
		EXPECT_EQ(0, set_bpf(event, inside.fd)) {
			TH_LOG("%s: %d", events[i][1], end);
		}
		close(event);
		prog_close(&inside);
		prog_close(&outside);
	}
}

/* A tracepoint without an event, declared by DECLARE_TRACE() */
TEST_F(bpf, a_tracepoint_needs_no_event)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.parts = 2,
		.part = { { BPF_DW, 0 }, { BPF_DW, 8 } },
	};
	struct prog prog = prog_make(&spec), beyond;
	struct seen seen;
	int link, child;

	spec.part[1].offset = 16;
	beyond = prog_make(&spec);
	ASSERT_GE(beyond.fd, 0);
	EXPECT_EQ(-EINVAL, raw_open(beyond.fd, "sched_update_nr_running_tp", 0));
	link = raw_open(prog.fd, "sched_update_nr_running_tp", 0);
	ASSERT_GE(link, 0);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	close(link);
	seen = seen_by(&prog);
	/* The arguments are the runqueue and the change of its number of tasks. */
	EXPECT_GE(seen.calls, 1);
	EXPECT_EQ(0xffff, seen.val[0] >> 48);
	EXPECT_TRUE(seen.val[1] == 1 || seen.val[1] == (__u32)-1);
	prog_close(&prog);
	prog_close(&beyond);
}

TEST_HARNESS_MAIN
