// SPDX-License-Identifier: GPL-2.0
/*
 * usage: attach HOW LOOP
 *
 * For scripts/bench: attach to the event of a loop of strobe_bench.ko, run the loop, and print
 * the module's result, followed by the count of the perf event as "recorded=N+0". HOW is
 *	raw		an empty program on the raw tracepoint
 *	raw-first	the same, right after it is attached
 *	tracepoint	an empty program on the event, as libbpf attaches it: its perf event is
 *			enabled, but gets no records, as the program returns 0
 *	program		an empty program on the event, without enabling the perf event
 *	count		a counting perf event
 *	record		perf samples that consist of the record only
 *	sample		perf samples of time, task and record
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUN "/sys/module/strobe_bench/parameters/run"
#define SAMPLES (4UL << 20)

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	if (ret < 0)
		fail("bpf");
	return ret;
}

static int load(int type)
{
	const struct bpf_insn empty[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (unsigned long)empty,
		.insn_cnt = 2,
		.license = (unsigned long)"GPL",
	};

	return sys_bpf(BPF_PROG_LOAD, &attr);
}

/* Open a perf event for all tasks on CPU 0, which is the only one. */
static int open_perf(const char *name, __u64 sample_type)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.disabled = 1,
		.sample_type = sample_type,
		.sample_period = !!sample_type,
	};
	char path[128], id[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/strobe/%s/id", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, id, sizeof(id) - 1) <= 0)
		fail(path);
	close(fd);
	attr.config = atoi(id);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		fail("perf_event_open");
	if (sample_type && mmap(NULL, SAMPLES + sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
				MAP_SHARED, fd, 0) == MAP_FAILED)
		fail("mmap");
	return fd;
}

static __u64 sample_type_of(const char *how)
{
	if (!strcmp(how, "record"))
		return PERF_SAMPLE_RAW;
	if (!strcmp(how, "sample"))
		return PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_RAW;
	return 0;
}

static int attach(const char *how, const char *name)
{
	union bpf_attr attr = { .raw_tracepoint.name = (unsigned long)name };
	int fd;

	if (!strncmp(how, "raw", 3)) {
		attr.raw_tracepoint.prog_fd = load(BPF_PROG_TYPE_RAW_TRACEPOINT);
		sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
		return -1;
	}
	fd = open_perf(name, sample_type_of(how));
	if ((!strcmp(how, "tracepoint") || !strcmp(how, "program")) &&
	    ioctl(fd, PERF_EVENT_IOC_SET_BPF, load(BPF_PROG_TYPE_TRACEPOINT)))
		fail("PERF_EVENT_IOC_SET_BPF");
	if (strcmp(how, "program") && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		fail("PERF_EVENT_IOC_ENABLE");
	return fd;
}

int main(int argc, char **argv)
{
	char name[64], said[256] = "";
	long long count = 0;
	int fd, event;

	if (argc != 3)
		return 2;
	snprintf(name, sizeof(name), "strobe_bench_%s", argv[2]);
	event = attach(argv[1], name);
	/* Wait until the static call of the tracepoint has been patched. */
	if (strcmp(argv[1], "raw-first"))
		sleep(1);
	fd = open(RUN, O_RDWR);
	if (fd < 0 || write(fd, argv[2], strlen(argv[2])) < 0)
		fail(RUN);
	if (pread(fd, said, sizeof(said) - 1, 0) < 0)
		fail(RUN);
	if (event >= 0 && read(event, &count, sizeof(count)) != sizeof(count))
		fail("read");
	said[strcspn(said, "\n")] = '\0';
	printf("%s recorded=%lld+0\n", said, count);
	return 0;
}
