// SPDX-License-Identifier: GPL-2.0
/*
 * Call functions that functions.bpf.c has programs on, until FILE is gone: calls FILE
 * The system call has an argument. The function of one without, as of getppid(), has two names, and
 * available_filter_functions lists one of them, so that a pattern of libbpf may not match it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define CALLS	20
/* Microseconds in which the programs are attached and detached */
#define SLEEP	5000

int main(int argc, char **argv)
{
	int cmdline = open("/proc/cmdline", O_RDONLY), i;
	char byte;

	if (argc != 2 || cmdline < 0) {
		fprintf(stderr, "usage: calls FILE\n");
		return 1;
	}
	/* The program at the return counts results above 0; the process group of init is 0. */
	if (setpgid(0, 0))
		return 1;
	while (!access(argv[1], F_OK)) {
		for (i = 0; i < CALLS; i++) {
			if (getpgid(0) < 0 || pread(cmdline, &byte, 1, 0) != 1)
				return 1;
		}
		usleep(SLEEP);
	}
	return 0;
}
