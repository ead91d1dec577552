// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of probes in user space, of events of user space, and of definitions of
 * dynamic events. For scripts/bench, where a nanosecond of a task's CPU time is an instruction.
 *
 * usage: probes offset			print the offset in this file of the function that
 *					'probes call' calls
 *	  probes call COUNT		call it COUNT times
 *	  probes write COUNT [FILE]	write a record of 16 bytes COUNT times to an event of user
 *					space; with FILE: the same bytes to a file instead
 *	  probes writev COUNT [FILE]	the same by writev(), from three buffers
 *	  probes lines FILE		write each line of the input to FILE, opened once
 *	  probes each FILE		the same, but print the lines that FILE takes, and no cost
 *
 * write and writev need the working directory to be that of tracefs. They enable the event.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/user_events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../selftests/tracepoints/file_offset.h"

#define EVENT	"strobe_bench"

static void check(int bad, const char *what)
{
	if (!bad)
		return;
	perror(what);
	exit(1);
}

static unsigned long long task_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static __attribute__((noinline)) long probed(long number, const void *where, const char *text)
{
	asm volatile("" : : : "memory");
	return number;
}

/* The compiler does not know which function is called. */
static long (*volatile call_probed)(long, const void *, const char *) = probed;

static void calls(unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++)
		call_probed(i, call_probed, "nineteen characters");
}

/* What a record is written from: the number of its event, and two fields. */
static struct {
	__u32 index;
	__u32 number[2];
	__u64 where;
} __attribute__((packed)) record;

static unsigned int enabled;	/* the kernel sets a bit of it */

/* Register and enable an event: an open file */
static int user_event(void)
{
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(enabled),
		.enable_addr = (unsigned long)&enabled,
		.name_args = (unsigned long)EVENT " u64 number; u64 where",
	};
	int fd = open("user_events_data", O_RDWR);
	int on;

	check(fd < 0, "user_events_data");
	check(ioctl(fd, DIAG_IOCSREG, &reg), "registering");
	record.index = reg.write_index;
	on = open("events/user_events/" EVENT "/enable", O_WRONLY);
	check(on < 0 || write(on, "1", 1) != 1, "enabling");
	close(on);
	return fd;
}

static void writes(int fd, unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++)
		check(write(fd, &record, sizeof(record)) != sizeof(record), "write");
}

static void writevs(int fd, unsigned long count)
{
	const struct iovec iov[] = {
		{ &record.index, sizeof(record.index) },
		{ &record.number, sizeof(record.number) },
		{ &record.where, sizeof(record.where) },
	};
	unsigned long i;

	for (i = 0; i < count; i++)
		check(writev(fd, iov, 3) != sizeof(record), "writev");
}

/* Write each line of the input to a file; with @show print those that it takes. */
static unsigned long lines(const char *file, int show)
{
	int fd = open(file, O_WRONLY | O_APPEND);
	unsigned long nr = 0;
	char line[512];

	check(fd < 0, file);
	while (fgets(line, sizeof(line), stdin)) {
		int taken = write(fd, line, strlen(line)) > 0;

		check(!show && !taken, line);
		if (show && taken)
			fputs(line, stdout);
		nr++;
	}
	close(fd);
	return nr;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long long ns;
	int vector, fd = -1;

	if (argc == 2 && !strcmp(argv[1], "offset")) {
		printf("0x%lx\n", file_offset(probed));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "each")) {
		lines(argv[2], 1);
		return 0;
	}
	vector = argc > 1 && !strcmp(argv[1], "writev");
	if (argc > 2 && (vector || !strcmp(argv[1], "write"))) {
		fd = argc > 3 ? open(argv[3], O_WRONLY) : user_event();
		check(fd < 0, argv[3]);
	} else if (argc != 3) {
		return 2;
	}
	ns = task_ns();
	if (vector)
		writevs(fd, count);
	else if (fd >= 0)
		writes(fd, count);
	else if (!strcmp(argv[1], "call"))
		calls(count);
	else if (!strcmp(argv[1], "lines"))
		count = lines(argv[2], 0);
	else
		return 2;
	printf("loops=%lu cycles=%llu\n", count, task_ns() - ns);
	return 0;
}
