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

/* Kinds of perf events: of this task (0) or of all (-1), on one CPU or on all (-1) */
static const struct kind {
	const char *name;
	int task, cpu;
	bool inherit;
	unsigned int samples;
} kinds[] = {
	{ "count", -1, 0, false, 0 },
	{ "sample", -1, 0, false, PERF_SAMPLE_RAW },
	{ "other", -1, 1, false, PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN },
	{ "task", 0, -1, false, 0 },
	{ "both", 0, 0, false, PERF_SAMPLE_RAW | PERF_SAMPLE_CPU },
	{ "inherit", 0, -1, true, 0 },
};

/* perf SLOT KIND EVENT FILTER */
long act_perf(struct args *args)
{
	const struct kind *kind = kinds;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id(args->word[3]),
	};
	long ret = 0;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, args->word[2]))
			kind = &kinds[i];
	}
	attr.inherit = kind->inherit;
	attr.sample_type = kind->samples;
	attr.sample_period = !!kind->samples;
	fd = syscall(SYS_perf_event_open, &attr, kind->task, kind->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (args->len)
		ret = or_errno(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, args->text));
	keep(slot(args), fd);
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
	return keep(slot(args), or_errno(syscall(SYS_perf_event_open, &attr, 0, -1, -1,
						 PERF_FLAG_FD_CLOEXEC)));
}

/* filter SLOT TEXT: give another filter to a perf event */
long act_filter(struct args *args)
{
	return or_errno(ioctl(slots[slot(args)], PERF_EVENT_IOC_SET_FILTER, args->text));
}

/*
 * Programs that do nothing, loaded once: the kernel prints a warning if an allocation for one
 * fails. The second one of perf events returns 1, so that samples are made.
 */
static int raw_program, event_programs[2], probe_programs[2], multi_program;

static int load_program(int type, int attach, int returns)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = returns },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type,
		.expected_attach_type = attach,
		.insns = (uintptr_t)insns,
		.insn_cnt = ARRAY_SIZE(insns),
		.license = (uintptr_t)"GPL",
	};

	return or_errno(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
}

/* program SLOT: attach a program to a perf event; in a slot with an odd number it returns 1 */
long act_program(struct args *args)
{
	int at = slot(args);
	long ret = or_errno(ioctl(slots[at], PERF_EVENT_IOC_SET_BPF, event_programs[at % 2]));

	/* Probes take other programs than tracepoints. */
	if (ret == -EINVAL)
		ret = or_errno(ioctl(slots[at], PERF_EVENT_IOC_SET_BPF, probe_programs[at % 2]));
	return ret;
}

/* Attach a program to a perf event by a link, which replaces the event in its slot. */
static long link_program(int at)
{
	union bpf_attr attr = {
		.link_create.prog_fd = event_programs[at % 2],
		.link_create.target_fd = slots[at],
		.link_create.attach_type = BPF_PERF_EVENT,
	};
	long ret = or_errno(syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)));

	if (ret == -EINVAL) {
		attr.link_create.prog_fd = probe_programs[at % 2];
		ret = or_errno(syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)));
	}
	return keep(at, ret);
}

void attach_init(void)
{
	int returns;

	raw_program = load_program(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
	multi_program = load_program(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0);
	for (returns = 0; returns < 2; returns++) {
		event_programs[returns] = load_program(BPF_PROG_TYPE_TRACEPOINT, 0, returns);
		probe_programs[returns] = load_program(BPF_PROG_TYPE_KPROBE, 0, returns);
	}
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
	return keep(slot(args), or_errno(syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr))));
}

/*
 * bpf SLOT KIND NAME: attach a program; KIND is raw, event, or link, and NAME an event;
 * or it is multi or multi-return, and NAME a function
 */
long act_bpf(struct args *args)
{
	union bpf_attr attr = { .raw_tracepoint.prog_fd = raw_program };
	char *name = strchr(args->word[3], ':');
	bool linked = *args->word[2] == 'l';
	long ret;

	if (*args->word[2] == 'm')
		return attach_functions(args, strchr(args->word[2], '-'));
	if (*args->word[2] == 'r') {
		attr.raw_tracepoint.name = (uintptr_t)(name ? name + 1 : args->word[3]);
		ret = or_errno(syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr)));
		return keep(slot(args), ret);
	}
	args->len = 0;
	ret = act_perf(args);
	if (ret)
		return ret;
	return linked ? link_program(slot(args)) : act_program(args);
}
