// SPDX-License-Identifier: GPL-2.0
/*
 * perf and BPF on each kind of dynamic event: which programs can be attached, what users without
 * privileges may open and filter, and control groups.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "dynamic.h"
#include "file_offset.h"
#include "perf_probe.h"
#include "tracefs.h"
#include "user_reg.h"

/* A kind of dynamic event. Its definition is NULL for an event of user space. */
struct kind {
	const char *line;	/* a format, for the file offset of probed() */
	const char *filter;	/* true for the second of three hits */
	int prog;		/* the type of its BPF programs */
	bool probe;		/* a field may be any memory of the kernel */
	bool by_hook;		/* needs function hooks */
	bool own;		/* users may read the records of their tasks */
	bool from_user;		/* hits are in user space */
	bool not_classic;	/* classic's perf does not count it */
};

/* The event; @data and @index are the file and the number of an event of user space. */
struct target {
	struct perf_event_attr attr;
	int data;
	int index;
};

FIXTURE(event)
{
	long paranoid;
	struct target target;
	unsigned int word;
};

FIXTURE_VARIANT(event)
{
	struct kind kind;
};

FIXTURE_VARIANT_ADD(event, kprobe) { {
	.line = "p:dp/t " FUNC " name=+0($arg2):string", .filter = "name == \"n2\"",
	.prog = BPF_PROG_TYPE_KPROBE, .probe = true
} };
FIXTURE_VARIANT_ADD(event, uprobe) { {
	.line = "p:dp/t " SELF ":0x%lx num=%%di:s32", .filter = "num == 2",
	.prog = BPF_PROG_TYPE_KPROBE, .own = true, .from_user = true
} };
FIXTURE_VARIANT_ADD(event, function_probe) { {
	.line = "f:dp/t " FUNC " name=+0($arg2):string", .filter = "name == \"n2\"",
	.probe = true, .by_hook = true
} };
FIXTURE_VARIANT_ADD(event, tracepoint_probe) { {
	.line = "t:dp/t task_rename name=+0($arg2):string", .filter = "name == \"n2\"",
	.probe = true, .by_hook = true
} };
FIXTURE_VARIANT_ADD(event, event_probe) { {
	.line = "e:dp/t task.task_rename name=$newcomm:string", .filter = "name == \"n2\"",
	.probe = true, .not_classic = true
} };
FIXTURE_VARIANT_ADD(event, user_event) { {
	.filter = "num == 2", .prog = BPF_PROG_TYPE_TRACEPOINT
} };

FIXTURE_SETUP(event)
{
	const struct kind *kind = &variant->kind;
	char line[128];

	probes_begin();
	/* A perf event of a CPU is one of CPU 0. */
	ASSERT_EQ(0, pin_to_cpu(0));
	self->paranoid = file_number(PARANOID);
	self->target.data = -1;
	if (kind->by_hook && !dyn_readme("f[:[<group>/][<event>]]"))
		SKIP(return, "no function probes");
	if (!kind->line && !tfs_exists("user_events_data"))
		SKIP(return, "no events of user space");
	if (kind->line) {
		snprintf(line, sizeof(line), kind->line, file_offset(probed));
		ASSERT_EQ(0, dyn_define(line));
	} else {
		ASSERT_TRUE(user_all_gone());
		self->target.data = user_open();
		self->target.index = user_reg(self->target.data, "t u32 num", &self->word, 4, 0, 0);
		ASSERT_GE(self->target.index, 0);
	}
	self->target.attr = attach_attr(kind->line ? "dp" : "user_events", "t", 0);
}

FIXTURE_TEARDOWN(event)
{
	set_number(PARANOID, self->paranoid);
	close(self->target.data);
	probes_end();
}

static void hit(const struct target *target)
{
	char name[] = "n1";
	int num;

	for (num = 1; num <= 3; num++, name[1]++) {
		attach_fire(name);
		call_probed(num);
		if (target->data >= 0)
			user_write(target->data, target->index, &num, sizeof(num));
	}
}

/* Strobe attaches programs of type tracepoint to all events except kprobes and uprobes. */
TEST_F(event, program)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_TRACEPOINT);
	int fd = attach_open(&self->target.attr, 0, -1), link = link_perf(prog.fd, fd, COOKIE);
	int type = variant->kind.prog;
	struct bpf_link_info info;
	union bpf_attr attr;
	char text[8] = "";

	if (type == BPF_PROG_TYPE_KPROBE || (!type && !is_strobe())) {
		EXPECT_EQ(-EINVAL, link);
	} else {
		ASSERT_GE(link, 0);
		ASSERT_EQ(0, link_info(link, &info, text, sizeof(text)));
		EXPECT_EQ(BPF_PERF_EVENT_TRACEPOINT, info.perf_event.type);
		EXPECT_STREQ("t", text);
		EXPECT_EQ(COOKIE, info.perf_event.tracepoint.cookie);
		EXPECT_EQ(0, task_fd_query(getpid(), fd, &attr, text, sizeof(text)));
		EXPECT_EQ(BPF_FD_TYPE_TRACEPOINT, attr.task_fd_query.fd_type);
		EXPECT_EQ(1, attr.task_fd_query.buf_len);
		EXPECT_STREQ("t", text);
		attach_enable(fd, true);
		hit(&self->target);
		/* Classic does not run programs on events of user space. */
		EXPECT_EQ(is_strobe() ? 3 : 0, calls_of(&prog));
		EXPECT_EQ(3, attach_count(fd));
	}
	close(link);
	close(fd);
	prog_close(&prog);
}

/* Each member is 0 or a negative errno; the counts may also be counts. */
struct outcome {
	int open;
	int filter;
	int count;
	int raw;
	int cpu;
	int cpu_filter;
	int cpu_count;
	int kprobe;
	int uprobe;
};

static int opened(int fd)
{
	return fd < 0 ? fd : close(fd);
}

/* Filter the event of all tasks on CPU 0. */
static void try_cpu(const struct target *target, const char *filter, struct outcome *out)
{
	struct perf_event_attr attr = target->attr;
	int fd = attach_open(&attr, -1, 0);

	out->cpu_filter = attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
	/* Without a filter, it would also count hits by other tasks. */
	if (!out->cpu_filter) {
		attach_enable(fd, true);
		hit(target);
	}
	out->cpu_count = attach_count(fd);
	out->cpu = opened(fd);
}

static void try_all(const struct target *target, const char *filter, struct outcome *out)
{
	struct perf_event_attr attr = target->attr;
	int fd = attach_open(&attr, 0, -1);

	out->filter = attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
	attach_enable(fd, true);
	hit(target);
	out->count = attach_count(fd);
	out->open = opened(fd);
	try_cpu(target, filter, out);
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	out->raw = opened(attach_open(&attr, 0, -1));
	out->kprobe = opened(kprobe_open(FUNC, 0, 0));
	out->uprobe = opened(uprobe_open(SELF, file_offset(probed), 0));
}

/* Are the results @want for a user with the capabilities @caps, at perf_event_paranoid @level? */
static bool gets(const struct target *target, int level, __u64 caps, const char *filter,
		 struct outcome want)
{
	struct outcome got = { .open = 1 };
	int pipes[2], child;

	if (set_number(PARANOID, level) || pipe(pipes))
		return false;
	child = fork();
	if (!child) {
		if (become_nobody(caps))
			try_all(target, filter, &got);
		write(pipes[1], &got, sizeof(got));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	read(pipes[0], &got, sizeof(got));
	close(pipes[0]);
	close(pipes[1]);
	if (!memcmp(&got, &want, sizeof(got)))
		return true;
	ksft_print_msg("level %d: open %d, filter %d, count %d, raw %d\n",
		       level, got.open, got.filter, got.count, got.raw);
	ksft_print_msg("cpu: open %d, filter %d, count %d; kprobe %d, uprobe %d\n",
		       got.cpu, got.cpu_filter, got.cpu_count, got.kprobe, got.uprobe);
	return false;
}

TEST_F(event, of_a_user)
{
	const struct kind *kind = &variant->kind;
	struct target *target = &self->target;
	bool closed = kind->probe && is_strobe(), counts = !kind->not_classic || is_strobe();
	const struct outcome none = {
		.open = -EACCES, .filter = -EBADF, .count = -EBADF, .raw = -EACCES,
		.cpu = -EACCES, .cpu_filter = -EBADF, .cpu_count = -EBADF,
		.kprobe = -EACCES, .uprobe = -EACCES
	};
	struct outcome want = none;

	want.open = 0;
	want.filter = closed ? -EACCES : 0;
	want.count = !counts ? 0 : closed ? 3 : 1;
	want.raw = kind->own ? 0 : -EPERM;
	EXPECT_TRUE(gets(target, 1, 0, kind->filter, want));
	want.cpu = 0;
	/* The process that hits a uprobe on a CPU may be any user's. */
	want.cpu_filter = is_strobe() && (kind->probe || kind->own) ? -EACCES : 0;
	want.cpu_count = counts && !want.cpu_filter;
	EXPECT_TRUE(gets(target, 0, 0, kind->filter, want));
	/* All users may read records at this level, but a filter is still refused. */
	want.raw = 0;
	EXPECT_TRUE(gets(target, -1, 0, kind->filter, want));
	/* If filters are refused, the error does not show which fields exist. */
	want.filter = closed ? -EACCES : -EINVAL;
	want.count = counts ? 3 : 0;
	want.cpu_filter = want.cpu_filter ?: -EINVAL;
	want.cpu_count = 0;
	EXPECT_TRUE(gets(target, -1, 0, "no_such_field == 1", want));
	EXPECT_TRUE(gets(target, 2, 0, kind->filter, none));
	/* CAP_PERFMON is enough for all but the PMU uprobe. */
	want = (struct outcome) { .count = counts, .cpu_count = counts, .uprobe = -EACCES };
	EXPECT_TRUE(gets(target, 2, 1ULL << CAP_PERFMON, kind->filter, want));
	target->attr.exclude_kernel = 1;
	want = none;
	want.open = 0;
	want.filter = closed ? -EACCES : 0;
	want.count = kind->from_user ? 1 : 0;
	want.raw = kind->own ? 0 : -EPERM;
	EXPECT_TRUE(gets(target, 2, 0, kind->filter, want));
	want.filter = closed ? -EACCES : -EINVAL;
	want.count = kind->from_user ? 3 : 0;
	EXPECT_TRUE(gets(target, 2, 0, "no_such_field == 1", want));
}

FIXTURE(perf)
{
};

FIXTURE_SETUP(perf)
{
	probes_begin();
}

FIXTURE_TEARDOWN(perf)
{
	probes_end();
	EXPECT_EQ(0, kprobe_listed());
}

/* Set the filter of a perf event of root, as a user without privileges: 0 or -errno. */
static int filter_by_nobody(int fd, const char *filter)
{
	int child = fork(), status;

	if (!child) {
		if (!become_nobody(0))
			_exit(255);
		_exit(-attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter));
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

/* Hit the kprobe, and the uprobe. */
static void hit_both(int times)
{
	attach_fire_many(times);
	while (times--)
		call_probed(times);
}

/* Which events of the PMUs may a user without privileges filter? */
static const struct {
	bool user;
	int pid;
	int cpu;
	bool closed;
} filtered[] = {
	{ false, 0, -1, true },
	{ true, 0, -1, false },
	{ true, 0, 0, false },
	{ true, -1, 0, true },
};

/* Filters of the PMUs' events, set by a user without privileges and by root */
TEST_F(perf, filters_of_the_pmus)
{
	unsigned int i;
	char mine[32];

	ASSERT_EQ(0, pin_to_cpu(0));
	snprintf(mine, sizeof(mine), "common_pid == %d", getpid());
	for (i = 0; i < ARRAY_SIZE(filtered); i++) {
		struct perf_event_attr attr = filtered[i].user ?
			uprobe_attr(SELF, file_offset(probed), 0) : kprobe_attr(FUNC, 0, 0);
		int fd = attach_open(&attr, filtered[i].pid, filtered[i].cpu);
		bool refused = is_strobe() && filtered[i].closed;

		ASSERT_GE(fd, 0);
		EXPECT_EQ(refused ? -EACCES : 0, filter_by_nobody(fd, "common_pid == 0")) {
			TH_LOG("row %u", i);
		}
		hit_both(2);
		EXPECT_EQ(refused ? 2 : 0, attach_count(fd));
		close(fd);
		fd = attach_open(&attr, filtered[i].pid, filtered[i].cpu);
		EXPECT_EQ(-EINVAL, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "nothing == 1"));
		EXPECT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, mine));
		EXPECT_EQ(-EEXIST, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, mine));
		hit_both(2);
		EXPECT_EQ(2, attach_count(fd));
		close(fd);
	}
}

#define GROUP_ROOT	"/tmp/dynamic_rights"
#define GROUP		GROUP_ROOT "/watched"

/* Hit the probes @times times on CPU 0, in a child that is a member of the control group. */
static int hit_in(const char *group, int times)
{
	int child = fork(), status;
	char path[128];

	if (!child) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", group);
		if (file_write(path, "0") || pin_to_cpu(0))
			_exit(1);
		hit_both(times);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

static int group_open(struct perf_event_attr *attr, int dir)
{
	int fd = syscall(SYS_perf_event_open, attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);

	return fd < 0 ? -errno : fd;
}

static bool groups_end(void)
{
	bool removed = !rmdir(GROUP);

	file_write(GROUP_ROOT "/cgroup.subtree_control", "-memory");
	return !umount(GROUP_ROOT) && !rmdir(GROUP_ROOT) && removed;
}

/* Make a control group: its directory, or -1 if perf does not support control groups. */
static int groups_begin(void)
{
	struct perf_event_attr soft = { .size = sizeof(soft), .type = PERF_TYPE_SOFTWARE };
	int dir, fd;

	mkdir(GROUP_ROOT, 0755);
	mount("cgroup2", GROUP_ROOT, "cgroup2", 0, NULL);
	/* Enabling any controller for the children also enables perf_event, an implicit one. */
	file_write(GROUP_ROOT "/cgroup.subtree_control", "+memory");
	mkdir(GROUP, 0755);
	dir = open(GROUP, O_RDONLY | O_DIRECTORY);
	fd = group_open(&soft, dir);
	if (fd >= 0) {
		close(fd);
		return dir;
	}
	close(dir);
	groups_end();
	return -1;
}

TEST_F(perf, control_groups)
{
	struct perf_event_attr attr[4] = {
		kprobe_attr(FUNC, 0, 0), uprobe_attr(SELF, file_offset(probed), 0),
	};
	int dir = groups_begin(), fd[4], i;
	char line[64];

	if (dir < 0)
		SKIP(return, "no control groups for perf");
	snprintf(line, sizeof(line), "p:dp/u " SELF ":0x%lx", file_offset(probed));
	EXPECT_EQ(0, dyn_define(line));
	EXPECT_EQ(0, dyn_define("p:dp/k " FUNC));
	attr[2] = attach_attr("dp", "k", 0);
	attr[3] = attach_attr("dp", "u", 0);
	for (i = 0; i < 4; i++) {
		attr[i].disabled = 0;
		fd[i] = group_open(&attr[i], dir);
		EXPECT_GE(fd[i], 0);
		/* perf binds them to the CPU, not to a task. */
		EXPECT_EQ(is_strobe() ? -EACCES : 0, filter_by_nobody(fd[i], "common_pid != 0"));
	}
	EXPECT_EQ(0, hit_in(GROUP, 6));
	EXPECT_EQ(0, hit_in(GROUP_ROOT, 9));
	EXPECT_EQ(0, hit_in(GROUP, 1));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(7, attach_count(fd[i]));
		close(fd[i]);
	}
	close(dir);
	EXPECT_TRUE(groups_end());
}

TEST_HARNESS_MAIN
