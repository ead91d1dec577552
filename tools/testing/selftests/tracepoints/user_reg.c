// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracefs.h"
#include "user_reg.h"

#define STEP_USECS	20000
#define STEPS		1000	/* 20 seconds: the emulated guest may be slow */

int user_open(void)
{
	return tfs_open(O_RDWR, "user_events_data");
}

int user_reg(int fd, const char *text, void *word, int size, int bit, int flags)
{
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_bit = bit,
		.enable_size = size,
		.flags = flags,
		.enable_addr = (unsigned long)word,
		.name_args = (unsigned long)text,
	};

	return ioctl(fd, DIAG_IOCSREG, &reg) ? -errno : (int)reg.write_index;
}

int user_unreg(int fd, void *word, int bit)
{
	struct user_unreg unreg = {
		.size = sizeof(unreg),
		.disable_bit = bit,
		.disable_addr = (unsigned long)word,
	};

	return ioctl(fd, DIAG_IOCSUNREG, &unreg) ? -errno : 0;
}

int user_delete(int fd, const char *name)
{
	return ioctl(fd, DIAG_IOCSDEL, name) ? -errno : 0;
}

int user_write(int fd, int index, const void *fields, size_t len)
{
	const struct iovec iov[] = {
		{ &index, sizeof(index) },
		{ (void *)fields, len },
	};
	ssize_t n = writev(fd, iov, len ? 2 : 1);

	return n < 0 ? -errno : n;
}

bool user_exists(const char *system, const char *name)
{
	int fd = tfs_open(O_RDONLY, "events/%s/%s/format", system, name);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool user_gone(const char *system, const char *name)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		if (!user_exists(system, name))
			return true;
		usleep(STEP_USECS);
	}
	return false;
}

bool user_all_gone(void)
{
	char *text;
	bool gone;
	int i;

	for (i = 0; i < STEPS; i++) {
		text = tfs_text("user_events_status");
		gone = text && strstr(text, "Active: 0\n");
		free(text);
		if (gone)
			return true;
		usleep(STEP_USECS);
	}
	return false;
}

int user_enable(const char *name, bool on)
{
	return tfs_write(on ? "1" : "0", "events/user_events/%s/enable", name);
}

bool user_becomes(const unsigned int *word, unsigned int value)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		if (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
			return true;
		usleep(STEP_USECS);
	}
	return false;
}
