// SPDX-License-Identifier: GPL-2.0
/* A load on all CPUs that fires many kinds of events. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach.h"
#include "load.h"
#include "tracefs.h"

#define WORK_USECS	700000

static void touch_memory(void)
{
	const size_t bytes = 65536;
	char *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	for (i = 0; i < bytes; i += 4096)
		mem[i] = 1;
	munmap(mem, bytes);
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Move to @cpu, but allow the scheduler to use any other CPU from then on. */
static void spread_from(int cpu)
{
	cpu_set_t set;

	move_to(cpu);
	CPU_ZERO(&set);
	for (cpu = 0; cpu < cpus_online(); cpu++)
		CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Start a child on @cpu that wakes its parent. It inherits the parent's affinity, one CPU,
 * and would otherwise never wake it from another CPU.
 */
static void wake_child(int cpu)
{
	int ends[2], child;
	char c = 0;

	if (pipe(ends))
		return;
	child = fork();
	if (!child) {
		/* Wake the parent, which sleeps in read(). */
		spread_from(cpu);
		usleep(100);
		_exit(write(ends[1], &c, 1) != 1);
	}
	if (read(ends[0], &c, 1) == 1)
		waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

/* Runs until it is killed. */
static void work(int cpu)
{
	const int cpus = cpus_online();
	int i;

	file_write("/proc/self/comm", "worker");
	for (i = 0; ; i++) {
		move_to((cpu + i) % cpus);
		touch_memory();
		wake_child((cpu + i + 1) % cpus);
		/* This sends interrupts to the other CPUs. */
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
		file_write("/tmp/every_event", "x");
		if (i % 16 == 0)
			file_write("/dev/kmsg", "<7>every_event\n");
		usleep(50);
	}
}

static const char *pipe_file;

/* Read trace_pipe, and block when it is empty, so that writers have a reader to wake. */
static void wait_for_records(int unused)
{
	char buf[4096];
	int fd = tfs_open(O_RDONLY, "%s", pipe_file);

	while (read(fd, buf, sizeof(buf)) >= 0)
		;
}

static int start(void (*body)(int), int arg)
{
	int child = fork();

	if (!child) {
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
		body(arg);
		_exit(0);
	}
	return child;
}

static void stop(int child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

void load_run(const char *trace_pipe, int counter, long long enough)
{
	int children[LOAD_CPUS + 1], nr = 0, cpu, round;

	pipe_file = trace_pipe;
	children[nr++] = start(wait_for_records, 0);
	for (cpu = 0; cpu < cpus_online() && cpu < LOAD_CPUS; cpu++)
		children[nr++] = start(work, cpu);
	for (round = 0; !round || (round < 30 && attach_count(counter) <= enough); round++)
		usleep(WORK_USECS);
	while (nr)
		stop(children[--nr]);
}
