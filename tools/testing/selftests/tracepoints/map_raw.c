// SPDX-License-Identifier: GPL-2.0
/* For kept_instance.sh: map the first page of a file, and print the error if that fails. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;

	if (fd < 0 || mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) {
		perror("map_raw");
		return 1;
	}
	return 0;
}
