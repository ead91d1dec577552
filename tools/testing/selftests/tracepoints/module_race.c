// SPDX-License-Identifier: GPL-2.0
/*
 * usage: module_race SYSTEM [INSTANCE]
 *
 * Read and write the files of an event system in an endless loop, for a test that
 * removes the system meanwhile: in the top instance, or in INSTANCE, which may be
 * created and removed meanwhile, too. With INSTANCE ("." for the top one) also use its
 * filters, triggers, pid lists and its trace. Exit with status 1 if a file fails with
 * an error that a removed event does not explain, or shows a damaged format.
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

/* "instances/NAME/", or empty for the top instance */
static char instance[NAME_MAX];

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ENODEV || err == -EBUSY;
}

static bool write_one(const char *system, const char *name)
{
	int err = tfs_write("1", "%sevents/%s/%s/enable", instance, system, name);

	if (err && !is_gone(err)) {
		printf("%s: writing enable: %d\n", name, err);
		return false;
	}
	tfs_write("0", "%sevents/%s/enable", instance, system);
	return true;
}

static bool read_one(const char *system, const char *name)
{
	char *text = tfs_text("%sevents/%s/%s/format", instance, system, name);
	bool good;

	if (!text)
		return is_gone(-errno);
	/* If the event is removed between two reads, the text may end early. */
	good = !*text || !strncmp(text, "name: ", strlen(text) < 6 ? strlen(text) : 6);
	if (!good)
		printf("%s: format begins \"%.20s\"\n", name, text);
	free(text);
	free(tfs_text("%sevents/%s/%s/id", instance, system, name));
	free(tfs_text("%sevents/%s/%s/enable", instance, system, name));
	free(tfs_text("%sevents/%s/enable", instance, system));
	return good;
}

/* Append to a file text about an event that may be gone, or that it has already. */
static bool name_one(const char *text, const char *file)
{
	int err = tfs_append(text, "%s%s", instance, file);

	if (!err || is_gone(err) || err == -EINVAL || err == -EEXIST)
		return true;
	printf("writing %s to %s: %d\n", text, file, err);
	return false;
}

/* A trigger that disables the event pins the event's module: remove it at once. */
static bool switch_one(const char *system, const char *name, const char *file)
{
	char text[PATH_MAX];
	bool good;

	snprintf(text, sizeof(text), "!disable_event:%s:%s", system, name);
	good = name_one(text + 1, file);
	return name_one(text, file) && good;
}

/* Set a filter and triggers of the event; remove them, or leave them for its removal. */
static bool use_one(const char *system, const char *name)
{
	static unsigned int round;
	char filter[PATH_MAX], trigger[PATH_MAX], event[PATH_MAX];
	bool good;

	snprintf(filter, sizeof(filter), "events/%s/%s/filter", system, name);
	snprintf(trigger, sizeof(trigger), "events/%s/%s/trigger", system, name);
	snprintf(event, sizeof(event), "%s:%s", system, name);
	good = name_one("common_pid > 1 && common_type != 0", filter) &&
	       name_one("stacktrace:5 if common_pid > 1", trigger) &&
	       name_one("enable_event:sched:sched_waking:1", trigger) &&
	       name_one(event, "set_event");
	free(tfs_text("%strace", instance));
	if (good && round++ % 8 == 0)
		good = switch_one(system, name, trigger) &&
		       switch_one(system, name, "events/syscalls/sys_enter_close/trigger");
	if (good && round % 2)
		good = name_one("!stacktrace", trigger) && name_one("0", filter);
	return good;
}

static bool use_pids(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	return name_one(pid, "set_event_pid") && name_one("1", "options/event-fork") &&
	       name_one("0", "options/event-fork");
}

static bool race_once(const char *system, bool use)
{
	char path[PATH_MAX];
	struct dirent *d;
	bool good = true;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%sevents/%s", tfs_root(), instance, system);
	dir = opendir(path);
	if (!dir)
		return true;
	while (good && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || d->d_type != DT_DIR)
			continue;
		good = read_one(system, d->d_name) && write_one(system, d->d_name) &&
		       (!use || use_one(system, d->d_name));
	}
	closedir(dir);
	return good && (!use || use_pids());
}

int main(int argc, char *argv[])
{
	bool use = argc == 3;

	if (argc < 2 || argc > 3)
		return 2;
	if (use && strcmp(argv[2], "."))
		snprintf(instance, sizeof(instance), "instances/%.200s/", argv[2]);
	while (race_once(argv[1], use))
		;
	return 1;
}
