// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events in perf: exact counts; samples, whose raw data is laid out as the file
 * format says; filters; permissions; perf events that are opened and closed while the
 * trace events fire.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "tracefs.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY 65534

FIXTURE(perf)
{
};

FIXTURE_SETUP(perf)
{
	tfs_reset();
}

FIXTURE_TEARDOWN(perf)
{
}

/* Run @run in a child: its exit status, or -1. */
static int child_run(int (*run)(void))
{
	int child = fork(), status;

	if (!child)
		_exit(run());
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(perf, counts_what_this_task_fires)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int fd = attach_open(&attr, 0, -1);

	ASSERT_GE(fd, 0);
	attach_fire_many(3);
	EXPECT_EQ(0, attach_count(fd));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire_many(5);
	EXPECT_EQ(5, attach_count(fd));
	ASSERT_EQ(0, attach_enable(fd, false));
	attach_fire_many(7);
	EXPECT_EQ(5, attach_count(fd));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire_many(1000);
	EXPECT_EQ(1005, attach_count(fd));
	close(fd);
}

TEST_F(perf, two_counters_and_the_trace_count_the_same)
{
	int one = attach_counter("task", "task_rename");
	int two = attach_counter("task", "task_rename");
	char *text;

	ASSERT_GE(one, 0);
	ASSERT_GE(two, 0);
	ASSERT_EQ(0, tfs_write("1", "events/task/task_rename/enable"));
	attach_fire_many(9);
	EXPECT_EQ(9, attach_count(one));
	EXPECT_EQ(9, attach_count(two));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(9, trace_count(text, "task_rename", getpid(), NULL));
	free(text);
	close(one);
	attach_fire_many(1);
	EXPECT_EQ(10, attach_count(two));
	close(two);
	ASSERT_EQ(0, tfs_write("0", "events/task/task_rename/enable"));
}

static int fire_three(void)
{
	attach_fire_many(3);
	return 0;
}

TEST_F(perf, children_count_if_inherited)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int own, all;

	attr.disabled = 0;
	own = attach_open(&attr, 0, -1);
	attr.inherit = 1;
	all = attach_open(&attr, 0, -1);
	ASSERT_GE(own, 0);
	ASSERT_GE(all, 0);
	attach_fire_many(2);
	ASSERT_EQ(0, child_run(fire_three));
	ASSERT_EQ(0, child_run(fire_three));
	EXPECT_EQ(2, attach_count(own));
	EXPECT_EQ(8, attach_count(all));
	close(own);
	close(all);
}

static int fire_named(void)
{
	int i;

	pin_to_cpu(0);
	for (i = 0; i < 6; i++)
		attach_fire("of_this_cpu");
	return 0;
}

TEST_F(perf, a_cpu_counts_what_all_tasks_fire_there)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int fd = attach_open(&attr, -1, 0), other = -1;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "newcomm == \"of_this_cpu\""));
	if (cpus_online() > 1) {
		other = attach_open(&attr, -1, 1);
		ASSERT_GE(other, 0);
		ASSERT_EQ(0, attach_ioctl(other, PERF_EVENT_IOC_SET_FILTER,
					  "newcomm == \"of_this_cpu\""));
		attach_enable(other, true);
	}
	ASSERT_EQ(0, attach_enable(fd, true));
	ASSERT_EQ(0, child_run(fire_named));
	EXPECT_EQ(6, attach_count(fd));
	if (other >= 0) {
		EXPECT_EQ(0, attach_count(other));
		close(other);
	}
	close(fd);
}

/* A sample with sample_type RAW_SAMPLE */
struct raw_sample {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, res;
	__u64 period;
	__u64 nr;
	__u64 rest[];
};

#define RAW_SAMPLE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
		    PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

/* The raw record, which follows the callchain, and its size. */
static char *raw_of(struct raw_sample *sample, unsigned int *size)
{
	char *raw = (char *)&sample->rest[sample->nr];

	memcpy(size, raw, sizeof(*size));
	return raw + sizeof(*size);
}

static unsigned short u16_at(const char *raw, int offset)
{
	unsigned short val;

	memcpy(&val, raw + offset, sizeof(val));
	return val;
}

static int int_at(const char *raw, int offset)
{
	int val;

	memcpy(&val, raw + offset, sizeof(val));
	return val;
}

static long long u64_at(const char *raw, int offset)
{
	long long val;

	memcpy(&val, raw + offset, sizeof(val));
	return val;
}

static bool in_kernel(__u64 addr)
{
	return addr >= 0xffff800000000000ULL && addr < 0xfffffffffffff000ULL;
}

TEST_F(perf, a_sample_is_the_record_that_format_describes)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", RAW_SAMPLE);
	int comm = attach_field("task", "task_rename", "newcomm", NULL);
	int pid = attach_field("task", "task_rename", "pid", NULL);
	static const char * const names[] = { "one", "two", "fifteen letters" };
	int fd = attach_open(&attr, 0, -1), got = 0, kernel;
	__u64 last = 0, i;
	struct raw_sample *sample;
	struct attach_ring ring;
	unsigned int size;
	char *raw;

	ASSERT_GE(fd, 0);
	ASSERT_GT(comm, 0);
	ASSERT_EQ(0, attach_map(&ring, fd, 8));
	ASSERT_EQ(0, attach_enable(fd, true));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		attach_fire(names[i]);
	ASSERT_EQ(0, attach_enable(fd, false));
	EXPECT_EQ(ARRAY_SIZE(names), attach_count(fd));
	while ((sample = (void *)attach_next(&ring))) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, sample->header.type);
		ASSERT_LT(got, (int)ARRAY_SIZE(names));
		EXPECT_EQ(getpid(), sample->pid);
		EXPECT_EQ(1, sample->period);
		EXPECT_GT(sample->time, last);
		last = sample->time;
		/* The ip is where the event fires, not in a function of the tracing code. */
		EXPECT_STREQ("__set_task_comm", attach_function(sample->ip));
		raw = raw_of(sample, &size);
		EXPECT_EQ(0, (size + sizeof(size)) % 8);
		EXPECT_EQ(attr.config, u16_at(raw, 0));
		EXPECT_EQ(getpid(), int_at(raw, 4));
		EXPECT_EQ(getpid(), int_at(raw, pid));
		EXPECT_STREQ(names[got], raw + comm);
		/* The callchain begins with the kernel's part. */
		ASSERT_GT(sample->nr, 4);
		EXPECT_EQ(PERF_CONTEXT_KERNEL, sample->rest[0]);
		EXPECT_EQ(sample->ip, sample->rest[1]);
		for (i = 1, kernel = 0; i < sample->nr && in_kernel(sample->rest[i]); i++)
			kernel++;
		EXPECT_GT(kernel, 3);
		got++;
	}
	EXPECT_EQ(ARRAY_SIZE(names), got);
	attach_unmap(&ring);
	close(fd);
}

static int fire_exec(void)
{
	pin_to_cpu(0);
	execl("/bin/sh", "sh", "-c", ":", NULL);
	return 1;
}

TEST_F(perf, a_string_of_any_length_is_in_the_sample)
{
	struct perf_event_attr attr = attach_attr("sched", "sched_process_exec",
						  PERF_SAMPLE_RAW);
	int name = attach_field("sched", "sched_process_exec", "filename", NULL);
	int fd = attach_open(&attr, -1, 0), loc, got = 0;
	struct perf_event_header *header;
	struct attach_ring ring;
	unsigned int size;
	char *raw;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_map(&ring, fd, 8));
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "filename == \"/bin/sh\""));
	ASSERT_EQ(0, attach_enable(fd, true));
	ASSERT_EQ(0, child_run(fire_exec));
	ASSERT_EQ(0, attach_enable(fd, false));
	while ((header = attach_next(&ring))) {
		raw = (char *)(header + 1);
		memcpy(&size, raw, sizeof(size));
		raw += sizeof(size);
		loc = int_at(raw, name);
		ASSERT_LE((loc & 0xffff) + (loc >> 16), size);
		EXPECT_EQ(sizeof("/bin/sh"), loc >> 16);
		EXPECT_STREQ("/bin/sh", raw + (loc & 0xffff));
		got++;
	}
	EXPECT_EQ(1, got);
	attach_unmap(&ring);
	close(fd);
}

TEST_F(perf, a_filter_decides_what_counts)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int all = attach_counter("task", "task_rename");
	int fd = attach_open(&attr, 0, -1);
	int software;

	ASSERT_GE(all, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "nothing == 1"));
	EXPECT_EQ(-EINVAL, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "newcomm =="));
	EXPECT_EQ(-EFAULT, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (void *)8));
	EXPECT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
				  "newcomm ~ \"fifteen*\" || newcomm == \"one\""));
	EXPECT_EQ(-EEXIST, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "pid == 1"));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire("one");
	attach_fire("two");
	attach_fire("fifteen letters");
	attach_fire("sixteen");
	EXPECT_EQ(2, attach_count(fd));
	EXPECT_EQ(4, attach_count(all));
	close(fd);
	close(all);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	software = attach_open(&attr, 0, -1);
	ASSERT_GE(software, 0);
	EXPECT_EQ(-EINVAL, attach_ioctl(software, PERF_EVENT_IOC_SET_FILTER, "pid == 1"));
	close(software);
}

/* A filter on a common field: the record's header is filled before the filter runs. */
TEST_F(perf, a_filter_knows_the_common_fields)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int mine = attach_open(&attr, 0, -1), none = attach_open(&attr, 0, -1);
	char text[64];

	ASSERT_GE(mine, 0);
	ASSERT_GE(none, 0);
	snprintf(text, sizeof(text), "common_pid == %d", getpid());
	ASSERT_EQ(0, attach_ioctl(mine, PERF_EVENT_IOC_SET_FILTER, text));
	snprintf(text, sizeof(text), "common_pid != %d", getpid());
	ASSERT_EQ(0, attach_ioctl(none, PERF_EVENT_IOC_SET_FILTER, text));
	attach_enable(mine, true);
	attach_enable(none, true);
	attach_fire_many(4);
	EXPECT_EQ(4, attach_count(mine));
	EXPECT_EQ(0, attach_count(none));
	close(mine);
	close(none);
}

TEST_F(perf, children_use_the_filter_of_their_parent)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int fd;

	attr.inherit = 1;
	fd = attach_open(&attr, 0, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "newcomm == \"of_this_cpu\""));
	attach_enable(fd, true);
	ASSERT_EQ(0, child_run(fire_three));
	ASSERT_EQ(0, child_run(fire_named));
	EXPECT_EQ(6, attach_count(fd));
	close(fd);
}

TEST_F(perf, a_system_call_is_sampled_with_its_arguments)
{
	struct perf_event_attr enter = attach_attr("syscalls", "sys_enter_close", RAW_SAMPLE);
	struct perf_event_attr exits = attach_attr("syscalls", "sys_exit_close", RAW_SAMPLE);
	int efd = attach_open(&enter, 0, -1), xfd = attach_open(&exits, 0, -1);
	struct attach_ring ering, xring;
	struct raw_sample *sample;
	unsigned int size;
	char *raw;

	ASSERT_GE(efd, 0);
	ASSERT_GE(xfd, 0);
	ASSERT_EQ(0, attach_map(&ering, efd, 8));
	ASSERT_EQ(0, attach_map(&xring, xfd, 8));
	attach_enable(efd, true);
	attach_enable(xfd, true);
	syscall(SYS_close, 0x7ffffff1);
	syscall(SYS_dup2, 0x7ffffff2, 0x7ffffff3);
	attach_enable(efd, false);
	attach_enable(xfd, false);
	EXPECT_EQ(1, attach_count(efd));
	EXPECT_EQ(1, attach_count(xfd));

	sample = (void *)attach_next(&ering);
	ASSERT_NE(NULL, sample);
	/* perf's sample has the registers of user space. */
	EXPECT_FALSE(in_kernel(sample->ip));
	EXPECT_EQ(PERF_RECORD_MISC_USER, sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK);
	raw = raw_of(sample, &size);
	EXPECT_EQ(28, size);
	EXPECT_EQ(enter.config, u16_at(raw, 0));
	EXPECT_EQ(SYS_close, int_at(raw, 8));
	EXPECT_EQ(0x7ffffff1, u64_at(raw, 16));
	EXPECT_EQ(NULL, attach_next(&ering));

	sample = (void *)attach_next(&xring);
	ASSERT_NE(NULL, sample);
	raw = raw_of(sample, &size);
	EXPECT_EQ(exits.config, u16_at(raw, 0));
	EXPECT_EQ(SYS_close, int_at(raw, 8));
	EXPECT_EQ(-EBADF, u64_at(raw, 16));
	attach_unmap(&ering);
	attach_unmap(&xring);
	close(efd);
	close(xfd);
}

TEST_F(perf, events_with_a_weight_count_it)
{
	int fd = attach_counter("sched", "sched_stat_runtime");
	unsigned int i;

	if (fd == -EINVAL)
		SKIP(return, "no sched_stat_runtime here");
	ASSERT_GE(fd, 0);
	for (i = 0; i < 100000000 && attach_count(fd) < 1000000; i++)
		if (i % 1024 == 0)
			sched_yield();
	/* The count is in nanoseconds, not in events. */
	EXPECT_GE(attach_count(fd), 1000000);
	close(fd);
}

static int wake_pipe[2], done_pipe[2];

static int wait_to_be_woken(void)
{
	char byte;

	pin_to_cpu(0);
	if (write(done_pipe[1], "r", 1) != 1)
		return 1;
	if (read(wake_pipe[0], &byte, 1) != 1)
		return 2;
	return 0;
}

/* The waker fires the event; a perf event of the woken task counts it. */
TEST_F(perf, events_about_a_task_count_for_it)
{
	struct perf_event_attr attr = attach_attr("sched", "sched_waking", 0);
	int child, fd, status;
	char byte;

	ASSERT_EQ(0, pipe(wake_pipe));
	ASSERT_EQ(0, pipe(done_pipe));
	ASSERT_EQ(0, pin_to_cpu(0));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(wait_to_be_woken());
	ASSERT_EQ(1, read(done_pipe[0], &byte, 1));
	ASSERT_TRUE(wait_asleep(child));
	attr.disabled = 0;
	fd = attach_open(&attr, child, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(1, write(wake_pipe[1], "w", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_GE(attach_count(fd), 1);
	close(fd);
}

TEST_F(perf, there_must_be_such_an_event)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	unsigned long long id = attr.config;

	attr.config = 0;
	EXPECT_EQ(-EINVAL, attach_open(&attr, 0, -1));
	attr.config = 65535;
	EXPECT_EQ(-EINVAL, attach_open(&attr, 0, -1));
	attr.config = id | 1ULL << 32;
	EXPECT_EQ(-EINVAL, attach_open(&attr, 0, -1));
	attr.config = id;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.sample_period = 1;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EOPNOTSUPP, attach_open(&attr, 0, -1));
}

TEST_F(perf, sampling_may_be_refused_by_the_event)
{
	struct perf_event_attr attr = attach_attr("irq_vectors", "irq_work_exit",
						  PERF_SAMPLE_IP);
	int fd;

	if ((long long)attr.config < 0)
		SKIP(return, "no irq_work_exit here");
	EXPECT_EQ(-EPERM, attach_open(&attr, -1, 0));
	attr.sample_period = 0;
	attr.sample_type = 0;
	fd = attach_open(&attr, -1, 0);
	EXPECT_GE(fd, 0);
	close(fd);
}

static int set_paranoid(int level)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", level);
	return file_write(PARANOID, text);
}

/* Try to open the perf event: 0 or an errno, as an exit status. */
static int opened(struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = attach_open(attr, pid, cpu);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

static struct perf_event_attr perm_attr;
static int perm_pid, perm_cpu;

static int open_as_nobody(void)
{
	if (setgid(NOBODY) || setuid(NOBODY))
		return 255;
	return opened(&perm_attr, perm_pid, perm_cpu);
}

static int nobody_opens(struct perf_event_attr attr, int pid, int cpu)
{
	perm_attr = attr;
	perm_pid = pid;
	perm_cpu = cpu;
	return child_run(open_as_nobody);
}

TEST_F(perf, records_are_for_those_who_may_see_them)
{
	struct perf_event_attr count = attach_attr("task", "task_rename", 0);
	struct perf_event_attr sample = attach_attr("task", "task_rename", PERF_SAMPLE_IP);
	struct perf_event_attr raw = attach_attr("task", "task_rename", PERF_SAMPLE_RAW);
	struct perf_event_attr call = attach_attr("syscalls", "sys_enter_close",
						  PERF_SAMPLE_RAW);
	struct perf_event_attr raw_call = attach_attr("raw_syscalls", "sys_enter",
						      PERF_SAMPLE_RAW);

	ASSERT_EQ(0, set_paranoid(1));
	EXPECT_EQ(0, nobody_opens(count, 0, -1));
	EXPECT_EQ(0, nobody_opens(sample, 0, -1));
	EXPECT_EQ(EPERM, nobody_opens(raw, 0, -1));
	EXPECT_EQ(0, nobody_opens(call, 0, -1));
	EXPECT_EQ(0, nobody_opens(raw_call, 0, -1));
	EXPECT_EQ(EACCES, nobody_opens(count, -1, 0));
	EXPECT_EQ(EPERM, nobody_opens(call, -1, 0));

	/* Level 2 allows only events that exclude the kernel. */
	ASSERT_EQ(0, set_paranoid(2));
	EXPECT_EQ(EACCES, nobody_opens(count, 0, -1));
	EXPECT_EQ(EACCES, nobody_opens(call, 0, -1));
	count.exclude_kernel = 1;
	raw.exclude_kernel = 1;
	call.exclude_kernel = 1;
	EXPECT_EQ(0, nobody_opens(count, 0, -1));
	EXPECT_EQ(EPERM, nobody_opens(raw, 0, -1));
	EXPECT_EQ(0, nobody_opens(call, 0, -1));

	/* Level 0 allows a CPU's events, but no raw samples of them. */
	ASSERT_EQ(0, set_paranoid(0));
	EXPECT_EQ(0, nobody_opens(count, -1, 0));
	EXPECT_EQ(EPERM, nobody_opens(call, -1, 0));
	ASSERT_EQ(0, set_paranoid(-1));
	EXPECT_EQ(0, nobody_opens(raw, -1, 0));
	ASSERT_EQ(0, set_paranoid(2));
}

/* Parameters of filter_and_count(): perf event, filter, CPU or -1, path for openat() */
static struct perf_event_attr filter_attr;
static const char *filter_text;
static int filter_cpu;
static unsigned long filter_path;

/* The errno of setting the filter; if that succeeds, 100 plus the count of one openat(). */
static int filter_and_count(void)
{
	int fd = attach_open(&filter_attr, filter_cpu < 0 ? 0 : -1, filter_cpu), ret;

	if (fd < 0)
		return 255;
	ret = attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter_text);
	if (ret)
		return -ret;
	attach_enable(fd, true);
	syscall(SYS_openat, AT_FDCWD, filter_path, O_RDONLY);
	attach_enable(fd, false);
	return 100 + attach_count(fd);
}

static int filter_as_nobody(void)
{
	if (setgid(NOBODY) || setuid(NOBODY))
		return 255;
	return filter_and_count();
}

/* Call filter_and_count() in a child, with or without privileges. */
static int count_of(bool nobody, struct perf_event_attr attr, int cpu, const char *text,
		    const void *path)
{
	filter_attr = attr;
	filter_cpu = cpu;
	filter_text = text;
	filter_path = (unsigned long)path;
	return child_run(nobody ? filter_as_nobody : filter_and_count);
}

/* Find a string of letters in kernel memory: its address, or 0 if there is none. */
static unsigned long kernel_string(char string[32])
{
	char *text = tfs_text("printk_formats"), *line;
	unsigned long addr = 0;
	int end;

	for (line = text; line && *line && !addr; line += strcspn(line, "\n") + 1) {
		end = 0;
		/* %n is set only if the string matched up to its closing quote. */
		if (sscanf(line, "0x%lx : \"%31[A-Za-z_ ]\"%n", &addr, string, &end) != 2 ||
		    !end || strlen(string) < 4)
			addr = 0;
	}
	free(text);
	return addr;
}

/*
 * The path of a system call is an address that the caller chooses. With a kernel address,
 * the count would tell the caller whether the kernel's string matches. With classic it
 * does, which shows that the address is right.
 */
TEST_F(perf, a_filter_reads_no_kernel_memory_for_users)
{
	struct perf_event_attr attr = attach_attr("syscalls", "sys_enter_openat", 0);
	int want = is_strobe() ? 100 : 101;
	char string[32], text[64];
	unsigned long addr = kernel_string(string);

	ASSERT_NE(0, addr);
	snprintf(text, sizeof(text), "filename == \"%s\"", string);
	attr.exclude_kernel = 1;
	ASSERT_EQ(0, set_paranoid(2));
	EXPECT_EQ(want, count_of(true, attr, -1, text, (void *)addr));
	EXPECT_EQ(want, count_of(false, attr, -1, text, (void *)addr));
	EXPECT_EQ(want, count_of(true, attr, -1, "filename ~ \"[!~]*\"", (void *)addr));
	EXPECT_EQ(100, count_of(true, attr, -1, text, string));
	/* A filter may read the caller's own memory. */
	snprintf(text, sizeof(text), "filename.ustring == \"%s\"", string);
	EXPECT_EQ(101, count_of(true, attr, -1, text, string));
	EXPECT_EQ(100, count_of(true, attr, -1, text, "/"));
	EXPECT_EQ(100, count_of(true, attr, -1, text, (void *)addr));
}

TEST_F(perf, filters_that_look_beyond_the_record_need_a_right)
{
	struct perf_event_attr call = attach_attr("syscalls", "sys_enter_openat", 0);
	struct perf_event_attr string = attach_attr("rcu", "rcu_utilization", 0);
	struct perf_event_attr func = attach_attr("timer", "timer_start", 0);
	int refused = is_strobe() ? EACCES : 100;

	ASSERT_EQ(0, set_paranoid(2));
	string.exclude_kernel = 1;
	func.exclude_kernel = 1;
	call.exclude_kernel = 1;
	/* The field is a pointer to a kernel string. Not every configuration has the event. */
	if ((long long)string.config > 0) {
		EXPECT_EQ(refused, count_of(true, string, -1, "s == \"x\"", NULL));
		EXPECT_EQ(refused, count_of(true, string, -1, "common_pid == 0 && s ~ \"x*\"",
					    NULL));
		EXPECT_EQ(100, count_of(false, string, -1, "s == \"x\"", NULL));
	}
	/* The error must not tell whether a function exists, or where it is. */
	EXPECT_EQ(refused, count_of(true, func, -1, "function.function == schedule ", NULL));
	EXPECT_EQ(is_strobe() ? EACCES : EINVAL,
		  count_of(true, func, -1, "function.function == no_such_function ", NULL));
	EXPECT_EQ(is_strobe() ? EACCES : EINVAL,
		  count_of(true, func, -1, "function.function == 0x1000", NULL));
	EXPECT_EQ(100, count_of(false, func, -1, "function.function == schedule ", NULL));
	EXPECT_EQ(EINVAL, count_of(false, func, -1, "function.function == no_such_function ",
				   NULL));
	EXPECT_EQ(100, count_of(true, func, -1, "function == 0x1000", NULL));
	/* At level 1 and below, every user can read the addresses in kallsyms. */
	ASSERT_EQ(0, set_paranoid(1));
	EXPECT_EQ(100, count_of(true, func, -1, "function.function == schedule ", NULL));
	EXPECT_EQ(EINVAL, count_of(true, func, -1, "function.function == no_such_function ",
				   NULL));
	/* A CPU's events include those of other users' tasks, with their memory. */
	ASSERT_EQ(0, set_paranoid(0));
	call.exclude_kernel = 0;
	EXPECT_EQ(refused, count_of(true, call, 0, "filename.ustring == \"x\"", NULL));
	EXPECT_EQ(100, count_of(false, call, 0, "filename.ustring == \"x\"", NULL));
	EXPECT_EQ(100, count_of(true, call, -1, "filename.ustring == \"x\"", NULL));
	ASSERT_EQ(0, set_paranoid(2));
}

TEST_F(perf, without_the_kernel_only_system_calls_count)
{
	struct perf_event_attr rename = attach_attr("task", "task_rename", 0);
	struct perf_event_attr call = attach_attr("syscalls", "sys_enter_close", 0);
	int rfd, cfd;

	rename.exclude_kernel = 1;
	call.exclude_kernel = 1;
	rfd = attach_open(&rename, 0, -1);
	cfd = attach_open(&call, 0, -1);
	ASSERT_GE(rfd, 0);
	ASSERT_GE(cfd, 0);
	attach_enable(rfd, true);
	attach_enable(cfd, true);
	attach_fire_many(3);
	syscall(SYS_close, -1);
	syscall(SYS_close, -1);
	EXPECT_EQ(0, attach_count(rfd));
	EXPECT_EQ(2, attach_count(cfd));
	close(rfd);
	close(cfd);
}

static bool storm_ends;

static void *storm_fire(void *fired)
{
	while (!__atomic_load_n(&storm_ends, __ATOMIC_RELAXED)) {
		attach_fire("storm");
		syscall(SYS_close, -1);
		++*(long *)fired;
	}
	return NULL;
}

/*
 * Perf events are opened, filtered, mapped and closed while the trace events fire. The
 * count of one that stays open is exact.
 */
TEST_F_TIMEOUT(perf, events_come_and_go_while_they_fire, 120)
{
	struct perf_event_attr attr[] = {
		attach_attr("task", "task_rename", PERF_SAMPLE_RAW),
		attach_attr("syscalls", "sys_enter_close", PERF_SAMPLE_RAW),
		attach_attr("syscalls", "sys_exit_close", PERF_SAMPLE_RAW),
		attach_attr("sched", "sched_switch", PERF_SAMPLE_RAW),
	};
	int all, fd[ARRAY_SIZE(attr)], i, round;
	struct perf_event_attr inherit = attr[0];
	struct attach_ring ring;
	pthread_t thread[2];
	long fired[2] = { };

	inherit.sample_period = 0;
	inherit.inherit = 1;
	inherit.disabled = 0;
	all = attach_open(&inherit, 0, -1);
	ASSERT_GE(all, 0);
	ASSERT_EQ(0, attach_ioctl(all, PERF_EVENT_IOC_SET_FILTER, "newcomm == \"storm\""));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, storm_fire, &fired[i]));
	for (round = 0; round < 12; round++) {
		for (i = 0; i < (int)ARRAY_SIZE(attr); i++) {
			fd[i] = attach_open(&attr[i], -1, round % cpus_online());
			ASSERT_GE(fd[i], 0);
			attach_enable(fd[i], true);
		}
		ASSERT_EQ(0, attach_ioctl(fd[0], PERF_EVENT_IOC_SET_FILTER, "pid > 1"));
		ASSERT_EQ(0, attach_map(&ring, fd[round % ARRAY_SIZE(attr)], 8));
		usleep(1000);
		while (attach_next(&ring))
			;
		attach_unmap(&ring);
		for (i = 0; i < (int)ARRAY_SIZE(attr); i++)
			close(fd[i]);
	}
	__atomic_store_n(&storm_ends, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(fired[0] + fired[1], attach_count(all));
	EXPECT_GT(fired[0], 0);
	close(all);
}

TEST_HARNESS_MAIN
