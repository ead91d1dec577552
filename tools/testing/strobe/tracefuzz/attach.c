// SPDX-License-Identifier: GPL-2.0
/* The verbs that attach perf events and BPF programs */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "act.h"
#include "attach.h"
#include "attach_prog.h"

/* The id of an event, "system:name" */
static long event_id(const char *event)
{
	char path[256];
	char *text;
	long id = -ENOENT;

	snprintf(path, sizeof(path), "events/%.*s/%.120s/id", (int)strcspn(event, ":"), event,
		 event + strcspn(event, ":") + !!strchr(event, ':'));
	text = file_text(path);
	if (text)
		id = atoi(text);
	free(text);
	return id;
}

/*
 * Kinds of perf events: of this task (0) or of all (-1), on one CPU or on all (-1); @member: in the
 * group of the event in the next slot
 */
static const struct kind {
	const char *name;
	int task, cpu;
	struct perf_event_attr attr;
	bool member;
} kinds[] = {
	{ "count", -1, 0 },
	{ "sample", -1, 0, { .sample_type = PERF_SAMPLE_RAW } },
	{ "other", -1, 1, { .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME |
					   PERF_SAMPLE_CALLCHAIN } },
	{ "task", 0, -1 },
	{ "both", 0, 0, { .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CPU } },
	{ "inherit", 0, -1, { .inherit = 1 } },
	{ "user", 0, -1, { .exclude_kernel = 1, .sample_type = PERF_SAMPLE_RAW } },
	{ "kernel", 0, -1, { .exclude_user = 1, .exclude_callchain_kernel = 1,
			     .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN } },
	{ "leader", 0, -1, { .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID } },
	{ "member", 0, -1, { .sample_type = PERF_SAMPLE_READ,
			     .read_format = PERF_FORMAT_GROUP }, true },
};

/* perf SLOT KIND EVENT FILTER */
long act_perf(struct args *args)
{
	const struct kind *kind = kinds;
	struct perf_event_attr attr;
	int at = slot(args), leader = -1, fd;
	long ret = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, args->word[2]))
			kind = &kinds[i];
	}
	attr = kind->attr;
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.size = sizeof(attr);
	attr.config = event_id(args->word[3]);
	attr.sample_period = !!attr.sample_type;
	if (kind->member)
		leader = slots[(at + 1) % SLOTS];
	fd = or_errno(syscall(SYS_perf_event_open, &attr, kind->task, kind->cpu, leader,
			      PERF_FLAG_FD_CLOEXEC));
	if (fd < 0)
		return fd;
	if (args->len)
		ret = or_errno(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, args->text));
	keep(at, fd);
	return ret;
}

/* The type of a PMU, or -ENODEV */
static long pmu_type(const char *name)
{
	char path[80], *text;
	long type = -ENODEV;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	text = file_text(path);
	if (text)
		type = atol(text);
	free(text);
	return type;
}

/*
 * probe SLOT KIND OFFSET TEXT: have perf make a probe of this task, on a function, or in a file,
 * of which "self" is that of this program, and OFFSET is from the function that it calls. KIND is
 * kprobe, kretprobe, uprobe or uretprobe; after a "u", the name is at a bad address.
 */
long act_probe(struct args *args)
{
	const char *kind = args->word[2], *file = args->text;
	bool bad = kind[0] == 'u' && (kind[1] == 'u' || kind[1] == 'k');
	bool user = kind[bad] == 'u', returns = strstr(kind, "ret");
	long type = pmu_type(user ? "uprobe" : "kprobe");
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = returns,
		.config2 = strtoul(args->word[3], NULL, 0),
	};

	if (type < 0)
		return type;
	if (user && !strcmp(file, "self"))
		attr.config2 += dynamic_place(&file);
	attr.config1 = bad ? 8 : (uintptr_t)file;
	return keep(slot(args), attach_open(&attr, 0, -1));
}

/* filter SLOT TEXT: give another filter to a perf event */
long act_filter(struct args *args)
{
	return or_errno(ioctl(slots[slot(args)], PERF_EVENT_IOC_SET_FILTER, args->text));
}

/*
 * ioctl SLOT CODE NUMBER: where perf wants a file, that in slot NUMBER; where it wants an address,
 * that of words, of which the first is NUMBER
 */
long act_ioctl(struct args *args)
{
	unsigned long code = strtoul(args->word[2], NULL, 0);
	unsigned long arg = strtoul(args->word[3], NULL, 0);
	__u64 words[32] = { arg };

	switch (code) {
	case PERF_EVENT_IOC_SET_OUTPUT:
		arg = slots[arg % SLOTS];
		break;
	case PERF_EVENT_IOC_PERIOD:
		/* No clock is faster than a tick. */
		words[0] *= 10000000;
		arg = (uintptr_t)words;
		break;
	case PERF_EVENT_IOC_ID:
	case PERF_EVENT_IOC_QUERY_BPF:
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		arg = (uintptr_t)words;
		break;
	}
	return or_errno(ioctl(slots[slot(args)], code, arg));
}

/* Attach the program of the one type that the perf event in a slot takes. */
static int attach_fitting(int at, int (*attach)(int event, int program))
{
	enum program_type type;
	int ret = -EINVAL;

	for (type = EVENT_PROGRAM; type < NR_PROGRAM_TYPES && ret == -EINVAL; type++)
		ret = attach(slots[at], program_of(type, at));
	return ret;
}

/* program SLOT: attach a program to a perf event; see program_of() for which one */
long act_program(struct args *args)
{
	return attach_fitting(slot(args), set_bpf);
}

/* What programs get from the helper that returns the cookie */
#define COOKIE 0x5eedf00dULL

static int link_bpf(int event, int program)
{
	return link_perf(program, event, COOKIE);
}

/* Attach a program to two functions: the one that is named, and a common one. */
static long attach_functions(struct args *args, bool to_return)
{
	const char *functions[2];
	union bpf_attr attr = {
		.link_create.prog_fd = multi_program,
		.link_create.attach_type = BPF_TRACE_KPROBE_MULTI,
		.link_create.kprobe_multi.flags = to_return ? BPF_F_KPROBE_MULTI_RETURN : 0,
		.link_create.kprobe_multi.syms = (uintptr_t)functions,
		.link_create.kprobe_multi.cnt = ARRAY_SIZE(functions),
	};

	functions[0] = args->word[3];
	functions[1] = "vfs_read";
	/* The kernel lacks CONFIG_FPROBE. */
	if (multi_program < 0)
		return -EOPNOTSUPP;
	return keep(slot(args), sys_bpf(BPF_LINK_CREATE, &attr));
}

/*
 * Software events, which need no tracepoint; a sample after so many of them, or so many ns. While
 * one CPU of QEMU's is busy, another one whose timer expires more often than a tick hardly runs.
 */
static const struct counter {
	const char *name;
	int config;
	int period;
} counters[] = {
	{ "cpu-clock", PERF_COUNT_SW_CPU_CLOCK, 10000000 },
	{ "task-clock", PERF_COUNT_SW_TASK_CLOCK, 10000000 },
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS, 1 },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
	{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
};

/* Open a software event of this task; in a slot with an odd number, samples have a stack. */
static long open_counter(struct args *args)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters) && strcmp(counters[i].name, args->word[3]); i++)
		;
	if (i == ARRAY_SIZE(counters))
		return -ENOENT;
	attr.config = counters[i].config;
	attr.sample_period = counters[i].period;
	attr.sample_type = slot(args) % 2 ? PERF_SAMPLE_CALLCHAIN : 0;
	return keep(slot(args), attach_open(&attr, 0, -1));
}

/*
 * bpf SLOT KIND NAME: attach a program; KIND is raw, event, or link, and NAME an event;
 * or it is multi or multi-return, and NAME a function;
 * or it is counter or counter-link, and NAME one of the counters
 */
long act_bpf(struct args *args)
{
	char *name = strchr(args->word[3], ':');
	bool linked = strstr(args->word[2], "link");
	int at = slot(args);
	long ret;

	if (*args->word[2] == 'm')
		return attach_functions(args, strchr(args->word[2], '-'));
	if (*args->word[2] == 'r')
		return keep(at, raw_open(program_of(RAW_PROGRAM, at),
					 name ? name + 1 : args->word[3], COOKIE));
	args->len = 0;
	ret = *args->word[2] == 'c' ? open_counter(args) : act_perf(args);
	if (ret)
		return ret;
	ret = attach_fitting(at, linked ? link_bpf : set_bpf);
	/* The link replaces the event in the slot. */
	return linked ? keep(at, ret) : ret;
}
