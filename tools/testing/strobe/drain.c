// SPDX-License-Identifier: GPL-2.0
/*
 * What reading costs: reads a file until it has no more, and prints the bytes and
 * the time stamp counter's ticks that it took. For scripts/bench.
 *
 * usage: drain FILE
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

	if (argc != 2)
		return 2;
	fd = open(argv[1], O_RDONLY | O_NONBLOCK);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	/* Once before it counts: what is done at the first touch is not counted. */
	memset(buf, 1, sizeof(buf));
	ticks = __rdtsc();
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		bytes += got;
	ticks = __rdtsc() - ticks;
	if (got < 0 && errno != EAGAIN) {
		perror(argv[1]);
		return 1;
	}
	printf("bytes=%ld cycles=%llu\n", bytes, ticks);
	return 0;
}
