// SPDX-License-Identifier: GPL-2.0
/*
 * For scripts: map the first page of a file, and print the error if that fails. With a second
 * argument, run that by the shell while the file is mapped.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;

	if (fd < 0 || mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) {
		perror("map_raw");
		return 1;
	}
	return argc > 2 && system(argv[2]);
}
