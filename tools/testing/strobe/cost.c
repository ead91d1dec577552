// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of using a file, or of a system call. For scripts/bench, where a tick of
 * the time stamp counter is an instruction, and so is a nanosecond of a task's CPU time.
 *
 * usage: cost read FILE		read it until it returns nothing more
 *	  cost splice FILE		the same by splice(), through a pipe to /dev/null
 *	  cost write FILE TEXT		write to it once
 *	  cost call COUNT		call getpgid() COUNT times
 *	  cost switch COUNT		switch to another task and back COUNT times
 *
 * Prints bytes, or the count, and ticks. Idle time does not count, except for switch, which
 * leaves none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char buf[65536];

static unsigned long long task_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static long read_all(int fd)
{
	long bytes = 0, got;

	while ((got = read(fd, buf, sizeof(buf))) > 0)
		bytes += got;
	return got < 0 && errno != EAGAIN ? -1 : bytes;
}

static long splice_all(int fd)
{
	int out = open("/dev/null", O_WRONLY), fds[2];
	long bytes = 0, got;

	if (out < 0 || pipe(fds))
		return -1;
	while ((got = splice(fd, NULL, fds[1], NULL, sizeof(buf), SPLICE_F_NONBLOCK)) > 0) {
		bytes += got;
		if (splice(fds[0], NULL, out, NULL, got, 0) != got)
			return -1;
	}
	return got < 0 && errno != EAGAIN ? -1 : bytes;
}

static int call(unsigned long count)
{
	unsigned long long ns = task_ns();
	unsigned long i;

	for (i = 0; i < count; i++)
		syscall(SYS_getpgid, 0);
	printf("loops=%lu cycles=%llu\n", count, task_ns() - ns);
	return 0;
}

/* Two tasks pass a byte to and fro through two pipes; there is one CPU. */
static int switch_tasks(unsigned long count)
{
	const struct sched_param param = {};
	unsigned long long ns;
	int there[2], back[2];
	unsigned long i;
	char byte = 0;

	/*
	 * A batch task that is woken does not preempt its waker. Otherwise a round has one wake-up
	 * or two, as the scheduler decides.
	 */
	if (sched_setscheduler(0, SCHED_BATCH, &param) || pipe(there) || pipe(back))
		return 1;
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	ns = now_ns();
	for (i = 0; i < count; i++) {
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	}
	printf("loops=%lu cycles=%llu\n", count, now_ns() - ns);
	return 0;
}

int main(int argc, char **argv)
{
	int writes = argc == 4 && !strcmp(argv[1], "write");
	unsigned long long ns;
	long bytes;
	int fd;

	if (!writes && argc != 3)
		return 2;
	if (!strcmp(argv[1], "call"))
		return call(strtoul(argv[2], NULL, 10));
	if (!strcmp(argv[1], "switch"))
		return switch_tasks(strtoul(argv[2], NULL, 10));
	fd = open(argv[2], writes ? O_WRONLY : O_RDONLY | O_NONBLOCK);
	if (fd < 0) {
		perror(argv[2]);
		return 1;
	}
	/* Touch the buffer, so that its page faults are not measured. */
	memset(buf, 1, sizeof(buf));
	ns = task_ns();
	if (writes)
		bytes = write(fd, argv[3], strlen(argv[3]));
	else if (!strcmp(argv[1], "splice"))
		bytes = splice_all(fd);
	else
		bytes = read_all(fd);
	ns = task_ns() - ns;
	if (bytes < 0) {
		perror(argv[2]);
		return 1;
	}
	printf("bytes=%ld cycles=%llu\n", bytes, ns);
	return 0;
}
