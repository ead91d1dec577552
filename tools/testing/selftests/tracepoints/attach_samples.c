// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events in perf, used like software events: in groups, in control groups, with
 * periods that change, and with the registers and the stack of user space.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "tracefs.h"

#define GROUP_ROOT	"/tmp/strobe_cgroup"
#define GROUP		GROUP_ROOT "/watched"

FIXTURE(samples)
{
};

FIXTURE_SETUP(samples)
{
	tfs_reset();
}

FIXTURE_TEARDOWN(samples)
{
}

static int open_in_group(struct perf_event_attr *attr, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The format of a group in read() and in samples with PERF_SAMPLE_READ */
struct group {
	__u64 nr;
	struct {
		__u64 value, id;
	} of[2];
};

static void fork_one(void)
{
	int child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* A leader and a member count different events; one read() returns both counts. */
TEST_F(samples, a_group_is_read_at_once)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	struct perf_event_attr member_attr = attach_attr("sched", "sched_process_fork", 0);
	struct group group;
	int leader, member;
	__u64 id;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	member_attr.read_format = attr.read_format;
	member_attr.disabled = 0;
	leader = open_in_group(&attr, -1);
	ASSERT_GE(leader, 0);
	member = open_in_group(&member_attr, leader);
	ASSERT_GE(member, 0);
	fork_one();
	attach_fire_many(2);
	ASSERT_EQ(0, attach_ioctl(leader, PERF_EVENT_IOC_ENABLE, (void *)PERF_IOC_FLAG_GROUP));
	attach_fire_many(5);
	fork_one();
	fork_one();
	ASSERT_EQ(sizeof(group), read(leader, &group, sizeof(group)));
	EXPECT_EQ(2, group.nr);
	EXPECT_EQ(5, group.of[0].value);
	EXPECT_EQ(2, group.of[1].value);
	ASSERT_EQ(0, attach_ioctl(member, PERF_EVENT_IOC_ID, &id));
	EXPECT_EQ(id, group.of[1].id);
	ASSERT_EQ(0, attach_ioctl(leader, PERF_EVENT_IOC_DISABLE, (void *)PERF_IOC_FLAG_GROUP));
	attach_fire_many(3);
	fork_one();
	ASSERT_EQ(sizeof(group), read(leader, &group, sizeof(group)));
	EXPECT_EQ(5, group.of[0].value);
	EXPECT_EQ(2, group.of[1].value);
	close(member);
	close(leader);
}

/* Each sample of the leader has the member's count at that time. */
TEST_F(samples, a_sample_reads_its_group)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", PERF_SAMPLE_READ);
	struct perf_event_attr member_attr = attach_attr("sched", "sched_process_fork", 0);
	struct perf_event_header *header;
	struct attach_ring ring;
	struct group group;
	int leader, member;
	__u64 round;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	member_attr.disabled = 0;
	leader = open_in_group(&attr, -1);
	ASSERT_GE(leader, 0);
	member = open_in_group(&member_attr, leader);
	ASSERT_GE(member, 0);
	ASSERT_EQ(0, attach_map(&ring, leader, 4));
	ASSERT_EQ(0, attach_enable(leader, true));
	for (round = 0; round < 3; round++) {
		attach_fire("sampled");
		fork_one();
	}
	ASSERT_EQ(0, attach_enable(leader, false));
	for (round = 0; round < 3; round++) {
		header = attach_next(&ring);
		ASSERT_NE(NULL, header);
		ASSERT_EQ(sizeof(*header) + sizeof(group), header->size);
		memcpy(&group, header + 1, sizeof(group));
		EXPECT_EQ(2, group.nr);
		EXPECT_EQ(round + 1, group.of[0].value);
		EXPECT_EQ(round, group.of[1].value);
	}
	EXPECT_EQ(NULL, attach_next(&ring));
	attach_unmap(&ring);
	close(member);
	close(leader);
}

static int samples_in(struct attach_ring *ring)
{
	struct perf_event_header *header;
	int got = 0;

	while ((header = attach_next(ring)))
		got += header->type == PERF_RECORD_SAMPLE;
	return got;
}

TEST_F(samples, a_period_is_changed)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", PERF_SAMPLE_TID);
	struct attach_ring ring;
	__u64 period = 0;
	int fd, got;

	fd = attach_open(&attr, 0, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_map(&ring, fd, 8));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire_many(4);
	EXPECT_EQ(4, samples_in(&ring));
	EXPECT_EQ(-EINVAL, attach_ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	EXPECT_EQ(-EFAULT, attach_ioctl(fd, PERF_EVENT_IOC_PERIOD, NULL));
	period = 7;
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	attach_fire_many(70);
	/* The ioctl begins a period, which may end early. */
	got = samples_in(&ring);
	EXPECT_LE(10, got);
	EXPECT_GE(12, got);
	period = 1;
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	attach_fire_many(3);
	EXPECT_EQ(3, samples_in(&ring));
	EXPECT_EQ(77, attach_count(fd));
	attach_unmap(&ring);
	close(fd);
}

#ifdef __x86_64__
#define USER_REGS	0x180	/* mask of PERF_REG_X86_SP and PERF_REG_X86_IP */
#else
#define USER_REGS	0	/* unknown for this architecture */
#endif
#define USER_STACK	2048

/* A sample with PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER */
struct user_sample {
	struct perf_event_header header;
	__u64 abi;
	__u64 sp;
	__u64 ip;
	__u64 size;
	char stack[USER_STACK];
	__u64 used;
};

/* The event fires inside a system call: the sample has the registers of the caller. */
TEST_F(samples, registers_and_stack_of_user_space)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename",
						  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	static const char text[] = "a mark on the stack";
	char mark[sizeof(text)];
	struct user_sample *sample;
	struct attach_ring ring;
	int fd;

	if (!USER_REGS)
		SKIP(return, "the numbers of this machine's registers are not known here");
	memcpy(mark, text, sizeof(text));
	/* Keep the compiler from removing the array, which nothing reads. */
	asm volatile("" : : "r" (mark) : "memory");
	attr.sample_regs_user = USER_REGS;
	attr.sample_stack_user = USER_STACK;
	fd = attach_open(&attr, 0, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_map(&ring, fd, 4));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire("with_stack");
	ASSERT_EQ(0, attach_enable(fd, false));
	sample = (void *)attach_next(&ring);
	ASSERT_NE(NULL, sample);
	ASSERT_EQ(sizeof(*sample), sample->header.size);
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, sample->abi);
	EXPECT_LT(sample->sp, (__u64)(unsigned long)mark);
	EXPECT_GT(sample->sp + USER_STACK, (__u64)(unsigned long)mark);
	EXPECT_LT(sample->ip, 1ULL << 47);
	EXPECT_EQ(USER_STACK, sample->size);
	EXPECT_LE(sample->used, USER_STACK);
	EXPECT_NE(NULL, memmem(sample->stack, sample->used, text, sizeof(text)));
	EXPECT_EQ(NULL, attach_next(&ring));
	attach_unmap(&ring);
	close(fd);
}

/* PERF_SAMPLE_REGS_INTR: the sample's ip, and a kernel stack pointer */
TEST_F(samples, registers_where_it_fires)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename",
						  PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR);
	struct {
		struct perf_event_header header;
		__u64 ip, abi, regs_sp, regs_ip;
	} *sample;
	struct attach_ring ring;
	int fd;

	if (!USER_REGS)
		SKIP(return, "the numbers of this machine's registers are not known here");
	attr.sample_regs_intr = USER_REGS;
	fd = attach_open(&attr, 0, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_map(&ring, fd, 4));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire("with_regs");
	ASSERT_EQ(0, attach_enable(fd, false));
	sample = (void *)attach_next(&ring);
	ASSERT_NE(NULL, sample);
	ASSERT_EQ(sizeof(*sample), sample->header.size);
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, sample->abi);
	EXPECT_EQ(sample->ip, sample->regs_ip);
	EXPECT_STREQ("__set_task_comm", attach_function(sample->ip));
	EXPECT_LT(1ULL << 63, sample->regs_sp);
	attach_unmap(&ring);
	close(fd);
}

/* Fire @times times on CPU 0, in a child that is a member of the control group @group. */
static int fire_in(const char *group, int times)
{
	int child = fork(), status;
	char path[128];

	if (!child) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", group);
		if (file_write(path, "0") || pin_to_cpu(0))
			_exit(1);
		attach_fire_many(times);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

TEST_F(samples, a_control_group_counts_its_tasks)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int dir, all, fd, err;

	mkdir(GROUP_ROOT, 0755);
	ASSERT_EQ(0, mount("cgroup2", GROUP_ROOT, "cgroup2", 0, NULL));
	/* Enabling any controller for the children also enables perf_event, an implicit one. */
	err = file_write(GROUP_ROOT "/cgroup.subtree_control", "+memory");
	if (err == -EINVAL) {
		umount(GROUP_ROOT);
		rmdir(GROUP_ROOT);
		SKIP(return, "no controller of memory");
	}
	EXPECT_EQ(0, err);
	EXPECT_EQ(0, mkdir(GROUP, 0755));
	dir = open(GROUP, O_RDONLY | O_DIRECTORY);
	EXPECT_GE(dir, 0);
	attr.disabled = 0;
	fd = syscall(SYS_perf_event_open, &attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);
	EXPECT_GE(fd, 0);
	all = attach_open(&attr, -1, 0);
	EXPECT_GE(all, 0);
	EXPECT_EQ(0, fire_in(GROUP, 6));
	EXPECT_EQ(0, fire_in(GROUP_ROOT, 9));
	EXPECT_EQ(6, attach_count(fd));
	EXPECT_LE(15, attach_count(all));
	close(all);
	close(fd);
	close(dir);
	EXPECT_EQ(0, rmdir(GROUP));
	EXPECT_EQ(0, file_write(GROUP_ROOT "/cgroup.subtree_control", "-memory"));
	EXPECT_EQ(0, umount(GROUP_ROOT));
	rmdir(GROUP_ROOT);
}

TEST_HARNESS_MAIN
