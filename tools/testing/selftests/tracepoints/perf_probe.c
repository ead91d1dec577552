// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach.h"
#include "dynamic.h"
#include "perf_probe.h"
#include "tracefs.h"

#define DEBUGFS	"/sys/kernel/debug"
#define NOBODY	65534

int kprobe_type, uprobe_type;

void probes_end(void)
{
	tfs_reset();
	dyn_clear();
}

void probes_begin(void)
{
	mount("nodev", DEBUGFS, "debugfs", 0, NULL);
	kprobe_type = file_number(PMUS "kprobe/type");
	uprobe_type = file_number(PMUS "uprobe/type");
	probes_end();
}

struct perf_event_attr kprobe_attr(const char *func, __u64 at, __u64 config)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = kprobe_type,
		.config = config,
		.kprobe_func = (unsigned long)func,
		.probe_offset = at,
	};
}

struct perf_event_attr uprobe_attr(const char *path, __u64 offset, __u64 config)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = uprobe_type,
		.config = config,
		.uprobe_path = (unsigned long)path,
		.probe_offset = offset,
	};
}

int kprobe_open(const char *func, __u64 at, __u64 config)
{
	struct perf_event_attr attr = kprobe_attr(func, at, config);

	return attach_open(&attr, 0, -1);
}

int uprobe_open(const char *path, __u64 offset, __u64 config)
{
	struct perf_event_attr attr = uprobe_attr(path, offset, config);

	return attach_open(&attr, 0, -1);
}

unsigned long kprobe_listed(void)
{
	int fd = open(DEBUGFS "/kprobes/list", O_RDONLY);
	char *text, *line;
	unsigned long addr = 0;

	if (fd < 0)
		return 0;
	text = fd_text(fd);
	close(fd);
	line = text ? strstr(text, "  " FUNC "+0x") : NULL;
	while (line && line > text && line[-1] != '\n')
		line--;
	if (line)
		addr = strtoul(line, NULL, 16);
	free(text);
	return addr;
}

int probed(int num)
{
	asm volatile("" : "+r" (num) : : "memory");
	return num + 1;
}

void call_probed(int num)
{
	int (*func)(int) = probed;

	/* The compiler must not know which function is called. */
	asm("" : "+r" (func));
	func(num);
}

bool keep_caps(__u64 caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .permitted = caps, .effective = caps },
		{ .permitted = caps >> 32, .effective = caps >> 32 },
	};

	return !syscall(SYS_capset, &head, data);
}

bool become_nobody(__u64 caps)
{
	return !prctl(PR_SET_KEEPCAPS, 1) && !setgroups(0, NULL) && !setgid(NOBODY) &&
	       !setuid(NOBODY) && keep_caps(caps);
}

int set_number(const char *path, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	return file_write(path, text);
}

/* Before the harness prints its plan. */
static void __attribute__((constructor)) skip_without_pmus(void)
{
	tfs_root();
	if (!access(PMUS "kprobe", F_OK) && !access(PMUS "uprobe", F_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("no PMUs for kprobes and uprobes\n");
}
