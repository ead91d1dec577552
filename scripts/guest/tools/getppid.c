// SPDX-License-Identifier: GPL-2.0
/* Make COUNT system calls of a kind that nothing else makes: getppid COUNT */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) void do_getppids(long count)
{
	while (count--)
		syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	do_getppids(argc > 1 ? atol(argv[1]) : 1);
	return 0;
}
