// SPDX-License-Identifier: GPL-2.0
/*
 * What reading costs: reads a file until it has no more, or writes to it once, and
 * prints the bytes and the time stamp counter's ticks that it took. A program of
 * user space, for scripts/bench.
 *
 * usage: drain FILE [TEXT]	with TEXT: write it
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

int main(int argc, char **argv)
{
	static char buf[65536];
	unsigned long long ticks;
	long bytes = 0, got;
	int fd;

	if (argc != 2 && argc != 3)
		return 2;
	fd = open(argv[1], (argc == 3 ? O_WRONLY : O_RDONLY) | O_NONBLOCK);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	/* Once before it counts: what is done at the first touch is not counted. */
	memset(buf, 1, sizeof(buf));
	ticks = __rdtsc();
	if (argc == 3) {
		bytes = write(fd, argv[2], strlen(argv[2]));
		got = bytes < 0 ? -1 : 0;
	} else {
		while ((got = read(fd, buf, sizeof(buf))) > 0)
			bytes += got;
	}
	ticks = __rdtsc() - ticks;
	if (got < 0 && errno != EAGAIN) {
		perror(argv[1]);
		return 1;
	}
	printf("bytes=%ld cycles=%llu\n", bytes, ticks);
	return 0;
}
