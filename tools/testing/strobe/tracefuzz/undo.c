// SPDX-License-Identifier: GPL-2.0
/* Restore the settings in tracefs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state.h"

/* Remove each trigger of the file. */
static void undo_triggers(const char *path)
{
	char *text = file_text(path), *rest = text, *line;
	char undo[512];

	while (rest && (line = strsep(&rest, "\n"))) {
		if (!*line || *line == '#')
			continue;
		line[strcspn(line, " ")] = '\0';
		if (strstr(line, ":unlimited") || strstr(line, ":count="))
			*strrchr(line, ':') = '\0';
		snprintf(undo, sizeof(undo), "!%s", line);
		file_put(path, undo);
	}
	free(text);
}

/* Remove triggers and filters of all events of an instance; an event with none takes two reads. */
static void undo_all_events(const char *dir)
{
	char path[300], *events = file_text("available_events"), *rest = events, *event, *text;
	int len = snprintf(path, sizeof(path), "%s", dir);

	while (rest && (event = strsep(&rest, "\n"))) {
		if (!strchr(event, ':'))
			continue;
		state_event_file(path + len, sizeof(path) - len, event, "trigger");
		undo_triggers(path);
		state_event_file(path + len, sizeof(path) - len, event, "filter");
		text = file_text(path);
		if (text && strcmp(text, "none\n"))
			file_put(path, "0");
		free(text);
	}
	free(events);
	/* It is none of available_events. */
	snprintf(path + len, sizeof(path) - len, "events/ftrace/print/trigger");
	undo_triggers(path);
}

/* Filter and trigger files that actions have named; touched_all: any other may have changed */
static char **touched;
static int nr_touched;
static bool touched_all = true;

void state_touch(const char *line)
{
	const char *at = line ? strstr(line, "events/") : NULL;
	char path[256];
	int i;

	if (!line)
		touched_all = true;
	if (!at)
		return;
	while (at > line && at[-1] != ' ')
		at--;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, " "), at);
	if (!strstr(path, "/filter") && !strstr(path, "/trigger"))
		return;
	for (i = 0; i < nr_touched; i++) {
		if (!strcmp(touched[i], path))
			return;
	}
	touched = realloc(touched, (nr_touched + 1) * sizeof(*touched));
	touched[nr_touched++] = strdup(path);
}

/* Does a trigger of this file change a setting, or count? Lines with '#' are comments. */
static bool is_live_file(const char *path)
{
	static const char * const words[] = {
		"traceon", "traceoff", "snapshot", "enable_event", "disable_event", ":count=",
	};
	char *text = file_text(path), *rest = text, *line;
	bool live = false;
	size_t i;

	while (rest && (line = strsep(&rest, "\n"))) {
		for (i = 0; i < ARRAY_SIZE(words) && *line != '#'; i++)
			live |= !!strstr(line, words[i]);
	}
	free(text);
	return live;
}

bool state_is_live(const char *dir)
{
	bool live = touched_all;
	int i;

	for (i = 0; i < nr_touched && !live; i++)
		live = strstr(touched[i], "/trigger") && !strcmp(act_dir(touched[i]), dir) &&
		       is_live_file(touched[i]);
	return live;
}

bool has_triggers(const char *dir)
{
	bool found = touched_all;
	int i;

	for (i = 0; i < nr_touched && !found; i++) {
		char *text;

		if (!strstr(touched[i], "/trigger") || strcmp(act_dir(touched[i]), dir))
			continue;
		text = file_text(touched[i]);
		found = text && *text != '#';
		free(text);
	}
	return found;
}

/* Remove triggers and filters, of all instances, so that nothing changes their settings again. */
static void undo_events(void)
{
	char *path;
	int i;

	while (nr_touched) {
		path = touched[--nr_touched];
		if (strstr(path, "/trigger"))
			undo_triggers(path);
		else
			file_put(path, "0");
		free(path);
	}
	/* The first two are both the top instance. */
	for (i = 1; touched_all && i < nr_instances; i++)
		undo_all_events(state_dir(i));
	touched_all = false;
}

/*
 * trace_printk() writes to one instance, and the option cannot be cleared there. So have another
 * instance of the command line set it again, if it had it at boot.
 */
static void undo_printk_dest(void)
{
	static const char option[] = "trace_printk_dest";
	static const char * const files[] = {
		"instances/c/trace_options", "instances/" KEPT "/trace_options"
	};
	static const char *dest = "";
	char *text;
	int i;

	for (i = 0; dest && !*dest && i < 2; i++) {
		text = file_text(files[i]);
		if (text && has_line(text, option, strlen(option)))
			dest = files[i];
		free(text);
	}
	if (dest && *dest)
		file_put(dest, option);
	else
		dest = NULL;
}

/* Options as at boot: those of the top instance, and of KEPT */
static void undo_options(const char *dir)
{
	static char *initial[2];
	char **wanted = &initial[!!*dir];
	char path[80], undo[64], *now, *rest, *option;

	snprintf(path, sizeof(path), "%strace_options", dir);
	now = file_text(path);
	if (!*wanted) {
		*wanted = now;
		return;
	}
	rest = now;
	while (rest && (option = strsep(&rest, "\n"))) {
		if (!*option || has_line(*wanted, option, strlen(option)))
			continue;
		snprintf(undo, sizeof(undo), "no%s", option);
		file_put(path, strncmp(option, "no", 2) ? undo : option + 2);
	}
	free(now);
}

void let_writers_finish(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0)) {
		perror("membarrier");
		exit(2);
	}
}

bool state_accounts(const char *dir)
{
	char path[80], *on;
	bool accounts = true;
	int cpu;

	snprintf(path, sizeof(path), "%sevents/enable", dir);
	/* The instance does not exist. */
	if (file_put(path, "0") == -ENOENT)
		return true;
	/* First the triggers, which might switch recording on again. */
	undo_events();
	let_writers_finish();
	snprintf(path, sizeof(path), "%stracing_on", dir);
	file_put(path, "0");
	let_writers_finish();
	for (cpu = 0; cpu < CPUS; cpu++)
		accounts &= cpu_accounts(dir, cpu);
	on = file_text(path);
	if (on && *on != '0') {
		printf("# %s is on again, though nothing is left that switches it\n", path);
		accounts = false;
	}
	free(on);
	return accounts;
}

static void put(const char *dir, const char *file, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s%s", dir, file);
	file_put(path, text);
}

/* Restore the settings of the top instance, or of KEPT. */
static void undo_settings(const char *dir)
{
	int i;

	undo_options(dir);
	/* While sub-buffers get another size, there are two rings: large ones may not fit. */
	put(dir, "snapshot", "0");
	put(dir, "buffer_size_kb", "64");
	for (i = 0; i < nr_settings; i++) {
		if (settings[i].initial && (!settings[i].root || !*dir))
			put(dir, settings[i].file, settings[i].initial);
	}
	put(dir, "buffer_size_kb", "64");
	put(dir, "tracing_cpumask", "3");
	put(dir, "error_log", "");
	put(dir, "trace", "");
	put(dir, "tracing_on", "1");
}

/* Remove the instances that actions made, whatever their names, and "a" of the command line. */
static void undo_instances(void)
{
	static int has_c = -1;
	struct dirent **list;
	int i, nr = scandir("instances", &list, NULL, alphasort);

	if (has_c < 0)
		has_c = !access("instances/c", F_OK);
	for (i = 0; i < nr; i++) {
		const char *name = list[i]->d_name;
		char path[300];

		snprintf(path, sizeof(path), "instances/%s", name);
		if (strcmp(name, KEPT) && !(has_c && !strcmp(name, "c")))
			rmdir(path);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
}

void state_undo(void)
{
	file_put("tracing_on", "0");
	file_put("events/enable", "0");
	file_put("instances/" KEPT "/events/enable", "0");
	undo_instances();
	undo_events();
	definitions_undo();
	undo_settings("");
	if (nr_instances == MAX_INSTANCES)
		undo_settings("instances/" KEPT "/");
	undo_printk_dest();
}
