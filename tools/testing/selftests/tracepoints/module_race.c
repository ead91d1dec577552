// SPDX-License-Identifier: GPL-2.0
/*
 * usage: module_race SYSTEM
 *
 * Reads and writes the files of a system of events without end, for a test that
 * removes the system meanwhile. Ends with status 1 if a file gives what it must
 * not: an error other than those for what is gone, or half a format.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs.h"

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ENODEV || err == -EBUSY;
}

static bool write_one(const char *system, const char *name)
{
	int err = tfs_write("1", "events/%s/%s/enable", system, name);

	if (err && !is_gone(err)) {
		printf("%s: writing enable: %d\n", name, err);
		return false;
	}
	tfs_write("0", "events/%s/enable", system);
	return true;
}

static bool read_one(const char *system, const char *name)
{
	char *text = tfs_text("events/%s/%s/format", system, name);
	bool good;

	if (!text)
		return is_gone(-errno);
	/* Gone between two reads, it may end anywhere, but not begin so. */
	good = !*text || !strncmp(text, "name: ", strlen(text) < 6 ? strlen(text) : 6);
	if (!good)
		printf("%s: format begins \"%.20s\"\n", name, text);
	free(text);
	free(tfs_text("events/%s/%s/id", system, name));
	free(tfs_text("events/%s/%s/enable", system, name));
	free(tfs_text("events/%s/enable", system));
	return good;
}

static bool race_once(const char *system)
{
	char path[PATH_MAX];
	struct dirent *d;
	bool good = true;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/%s", tfs_root(), system);
	dir = opendir(path);
	if (!dir)
		return true;
	while (good && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || d->d_type != DT_DIR)
			continue;
		good = read_one(system, d->d_name) && write_one(system, d->d_name);
	}
	closedir(dir);
	return good;
}

int main(int argc, char *argv[])
{
	if (argc != 2)
		return 2;
	while (race_once(argv[1]))
		;
	return 1;
}
