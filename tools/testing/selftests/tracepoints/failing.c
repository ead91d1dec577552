// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "failing.h"
#include "tracefs.h"

static int fail_fd = -1;

bool failing_possible(void)
{
	mount("nodev", "/sys/kernel/debug", "debugfs", 0, NULL);
	if (file_write("/sys/kernel/debug/failslab/ignore-gfp-wait", "N") ||
	    file_write("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N"))
		return false;
	file_write("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	file_write("/sys/kernel/debug/failslab/verbose", "0");
	file_write("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	fail_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_fd >= 0;
}

void fail_begin(int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(fail_fd, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth cannot be written\n");
}

bool fail_end(void)
{
	char text[16] = "";

	if (pread(fail_fd, text, sizeof(text) - 1, 0) < 1 || pwrite(fail_fd, "0", 1, 0) != 1)
		ksft_exit_fail_msg("fail-nth cannot be read\n");
	return atoi(text) == 0;
}
