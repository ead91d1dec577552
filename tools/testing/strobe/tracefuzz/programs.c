// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs, which are loaded once: the kernel prints a warning if an allocation for one fails.
 * A program does nothing, or it calls the helpers that need the registers where its event was
 * fired: it sends a message to perf, and takes stacks. It also reads its cookie.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "act.h"
#include "attach.h"
#include "attach_prog.h"

/* Frames of a stack */
#define FRAMES 16

/* What helpers write to: the perf event of each CPU, and stacks */
static int outputs, stacks;
static struct output {
	int fd;
	void *buffer;
} output_of[CPUS];

/* Have the messages of a CPU sent to a buffer, in which new ones overwrite old ones. */
static int make_output(int cpu)
{
	struct output *output = &output_of[cpu];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.sample_period = 1,
	};

	output->buffer = MAP_FAILED;
	output->fd = attach_open(&attr, -1, cpu);
	if (output->fd < 0)
		return output->fd;
	output->buffer = mmap(NULL, 2 * getpagesize(), PROT_READ, MAP_SHARED, output->fd, 0);
	return map_update(outputs, cpu, output->fd);
}

/* A perf event of a CPU stays off when the CPU comes back: make another one. */
void programs_online(int cpu)
{
	struct output *output = &output_of[cpu];

	if (output->buffer != MAP_FAILED)
		munmap(output->buffer, 2 * getpagesize());
	close(output->fd);
	make_output(cpu);
}

/* Exit if a map, a program or another thing that all need was refused. */
static int made(int ret, const char *what)
{
	if (ret < 0) {
		fprintf(stderr, "%s was refused: %d\n", what, ret);
		exit(2);
	}
	return ret;
}

/* Without CONFIG_FPROBE there is no such program. */
static int load_multi(void)
{
	struct code code = { .attach_type = BPF_TRACE_KPROBE_MULTI };

	return code_load(&code, BPF_PROG_TYPE_KPROBE, 0);
}

static int load_quiet(int type, int returns)
{
	struct code code = { };

	return made(code_load(&code, type, returns), "a program");
}

static int load_busy(int type)
{
	struct code code = { };

	code_put(&code, MOV_REG(6, 1), STORE_IMM(BPF_DW, 10, -8, 0));
	code_map(&code, 2, outputs);
	code_put(&code, INSN(BPF_ALU | BPF_MOV | BPF_K, 3, 0, 0, BPF_F_CURRENT_CPU),
		 MOV_REG(4, 10), ALU_IMM(BPF_ADD, 4, -8), MOV_IMM(5, 8),
		 CALL(BPF_FUNC_perf_event_output));
	code_put(&code, MOV_REG(1, 6), MOV_REG(2, 10), ALU_IMM(BPF_ADD, 2, -8 * FRAMES),
		 MOV_IMM(3, 8 * FRAMES), MOV_IMM(4, BPF_F_USER_STACK), CALL(BPF_FUNC_get_stack));
	code_put(&code, MOV_REG(1, 6));
	code_map(&code, 2, stacks);
	code_put(&code, MOV_IMM(3, BPF_F_REUSE_STACKID), CALL(BPF_FUNC_get_stackid));
	code_put(&code, MOV_REG(1, 6), CALL(BPF_FUNC_get_attach_cookie));
	return made(code_load(&code, type, 1), "a program that uses the registers");
}

static const int types[NR_PROGRAM_TYPES] = {
	[RAW_PROGRAM] = BPF_PROG_TYPE_RAW_TRACEPOINT,
	[EVENT_PROGRAM] = BPF_PROG_TYPE_TRACEPOINT,
	[PROBE_PROGRAM] = BPF_PROG_TYPE_KPROBE,
	[COUNTER_PROGRAM] = BPF_PROG_TYPE_PERF_EVENT,
};

static int programs[NR_PROGRAM_TYPES][3];
int multi_program;

void programs_init(void)
{
	int i, cpu;

	outputs = made(map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, CPUS), "a map of events");
	stacks = made(map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * FRAMES, 64), "a map of stacks");
	for (cpu = 0; cpu < CPUS; cpu++)
		made(make_output(cpu), "a perf event for messages");
	for (i = 0; i < NR_PROGRAM_TYPES; i++) {
		programs[i][0] = load_quiet(types[i], 0);
		programs[i][1] = load_quiet(types[i], 1);
		programs[i][2] = load_busy(types[i]);
	}
	multi_program = load_multi();
}

int program_of(enum program_type type, int at)
{
	return programs[type][at % ARRAY_SIZE(*programs)];
}
