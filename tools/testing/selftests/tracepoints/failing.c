// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <unistd.h>

#include "failing.h"
#include "tracefs.h"

#define CONSOLE		"/proc/sys/kernel/printk"
#define READ_ALL	3	/* see syslog(2) */
#define LOG_SIZE	1000000

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

static void console_level(long level)
{
	char text[16];

	/* The other CPU may still print what was logged before. */
	usleep(100000);
	snprintf(text, sizeof(text), "%ld", level);
	file_write(CONSOLE, text);
}

struct quiet quiet_begin(void)
{
	const struct quiet quiet = { file_number(CONSOLE), taint_bits() };

	console_level(4);
	return quiet;
}

/* Print the kernel's log from its last WARN() on. */
static void print_warning(void)
{
	char *text = calloc(1, LOG_SIZE), *line, *at = NULL;

	if (!text || klogctl(READ_ALL, text, LOG_SIZE - 1) < 0)
		ksft_exit_fail_msg("the kernel's log cannot be read\n");
	for (line = text; (line = strstr(line, "[ cut here ]")); line++)
		at = line;
	for (line = strtok(at ?: text, "\n"); line; line = strtok(NULL, "\n"))
		ksft_print_msg("| %s\n", line);
	free(text);
}

bool quiet_end(const struct quiet *quiet)
{
	console_level(quiet->level);
	if (taint_bits() == quiet->tainted)
		return true;
	print_warning();
	return false;
}
