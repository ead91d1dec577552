// SPDX-License-Identifier: GPL-2.0
/* Read, compare and restore the settings in tracefs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracefuzz.h"

/* Settings of each instance, or with @root, of the top instance only; @initial: as at boot */
static const struct setting {
	const char *file;
	bool root;
	const char *initial;
} settings[] = {
	{ "tracing_on",			false,	NULL },
	{ "current_tracer",		false,	"nop" },
	{ "set_event_pid",		false,	"" },
	{ "set_event_notrace_pid",	false,	"" },
	{ "trace_clock",		false,	"local" },
	{ "buffer_percent",		false,	"50" },
	{ "buffer_subbuf_size_kb",	false,	"4" },
	{ "buffer_size_kb",		false,	NULL },
	/* buffer_size_kb shows X if these differ. */
	{ "per_cpu/cpu0/buffer_size_kb", false,	NULL },
	{ "per_cpu/cpu1/buffer_size_kb", false,	NULL },
	{ "tracing_cpumask",		false,	NULL },
	{ "trace_options",		false,	NULL },
	{ "set_event",			false,	"" },
	{ "saved_cmdlines_size",	true,	"128" },
};

char *file_text(const char *path)
{
	size_t size = 4096, len = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got;

	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	while ((got = read(fd, text + len, size - len - 1)) > 0) {
		len += got;
		if (size - len < 2048)
			text = realloc(text, size *= 2);
	}
	close(fd);
	text[len] = '\0';
	return text;
}

int file_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	/* set_event takes a word at a time. */
	do {
		ret = write(fd, text, strlen(text));
		if (ret < 0)
			ret = -errno;
		else
			text += ret;
	} while (ret > 0 && *text);
	close(fd);
	return ret < 0 ? ret : 0;
}

static void show(FILE *to, const char *dir, const char *file)
{
	char path[300];
	char *text, *line, *rest;

	snprintf(path, sizeof(path), "%s%s", dir, file);
	text = file_text(path);
	rest = text;
	/* Without a filter, the file shows the last error. */
	if (!text || strstr(text, "parse_error:")) {
		fprintf(to, "%s none\n", path);
		rest = NULL;
	}
	while (rest && (line = strsep(&rest, "\n"))) {
		if (*line)
			fprintf(to, "%s %s\n", path, line);
	}
	free(text);
}

void state_event_file(char *path, size_t size, const char *event, const char *file)
{
	int system = strcspn(event, ":");

	snprintf(path, size, "events/%.*s/%s/%s", system, event, event + system + 1, file);
}

char *state_text(const char *dir, const char *own)
{
	static const char * const of_events[] = { "enable", "filter", "trigger" };
	char path[256], *text;
	unsigned int i, j;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!settings[i].root || !*dir)
			show(to, dir, settings[i].file);
	}
	for (i = 0; (int)i < nr_quiet_events; i++) {
		for (j = 0; j < ARRAY_SIZE(of_events); j++) {
			state_event_file(path, sizeof(path), quiet_events[i], of_events[j]);
			show(to, dir, path);
		}
	}
	if (*own)
		show(to, "", own);
	fclose(to);
	return text;
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (; text && *text; text = strchr(text, '\n'), text += !!text) {
		if (!strncmp(text, line, len) && text[len] == '\n')
			return true;
	}
	return false;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t skip = strlen(end);

	return len >= skip && !strncmp(text + len - skip, end, skip);
}

/* May a trigger that fires change this line of a state? */
static bool is_live_line(const char *line, size_t len)
{
	size_t path = strcspn(line, " ");

	return ends_with(line, path, "tracing_on") || ends_with(line, path, "set_event") ||
	       ends_with(line, path, "/enable") ||
	       (ends_with(line, path, "/trigger") && memmem(line, len, ":count=", 7));
}

/* With option event-fork, a task leaves the lists of tasks some time after it has ended. */
static bool is_ended_task(const char *line, size_t len)
{
	size_t path = strcspn(line, " ");

	return (ends_with(line, path, "set_event_pid") ||
		ends_with(line, path, "set_event_notrace_pid")) &&
	       path < len && kill(atoi(line + path), 0) && errno == ESRCH;
}

/* Print the lines of @text that @in lacks, except for those of the file @but. */
static bool lines_missing(const char *sign, const char *text, const char *in, const char *but,
			  bool live)
{
	size_t len, skip = strlen(but);
	bool found = false;

	for (; *text; text += len + 1) {
		len = strcspn(text, "\n");
		if (has_line(in, text, len) || (live && is_live_line(text, len)) ||
		    (*sign == '-' && is_ended_task(text, len)) ||
		    (skip && !strncmp(text, but, skip) && text[skip] == ' '))
			continue;
		printf("# %s%.*s\n", sign, (int)len, text);
		found = true;
	}
	return found;
}

bool state_differs(const char *before, const char *after, const char *but, bool live)
{
	bool lost = lines_missing("-", before, after, but, live);

	return lines_missing("+", after, before, but, live) || lost;
}

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
	char path[300], *events, *rest, *event, *text;
	int len = snprintf(path, sizeof(path), "%s", dir);

	snprintf(path + len, sizeof(path) - len, "available_events");
	events = file_text(path);
	rest = events;
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
}

const char *state_dir(int instance)
{
	static char dir[64];

	dir[0] = '\0';
	if (*instances[instance])
		snprintf(dir, sizeof(dir), "instances/%s/", instances[instance]);
	return dir;
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

static void undo_options(void)
{
	static char *initial;
	char *now = file_text("trace_options"), *rest = now, *option;
	char undo[64];

	if (!initial) {
		initial = now;
		return;
	}
	while (rest && (option = strsep(&rest, "\n"))) {
		if (!*option || has_line(initial, option, strlen(option)))
			continue;
		snprintf(undo, sizeof(undo), "no%s", option);
		file_put("trace_options", strncmp(option, "no", 2) ? undo : option + 2);
	}
	free(now);
}

/* The statistics of a CPU's ring: each record is in one of these. */
struct account {
	unsigned long entries, overrun, dropped, read;
};

/* Get the number after @name, if the line begins with @name. */
static void take_number(const char *line, const char *name, unsigned long *number)
{
	size_t len = strlen(name);

	if (!strncmp(line, name, len))
		*number = strtoul(line + len, NULL, 10);
}

static bool account_of(const char *dir, int cpu, struct account *account)
{
	char path[96], *text, *line, *rest;

	snprintf(path, sizeof(path), "%sper_cpu/cpu%d/stats", dir, cpu);
	text = file_text(path);
	rest = text;
	memset(account, 0, sizeof(*account));
	while (rest && (line = strsep(&rest, "\n"))) {
		take_number(line, "entries: ", &account->entries);
		take_number(line, "overrun: ", &account->overrun);
		take_number(line, "dropped events: ", &account->dropped);
		take_number(line, "read events: ", &account->read);
	}
	free(text);
	return text;
}

/* Read a file to its end, in pieces that hold the largest sub-buffer. */
static void read_away(const char *path)
{
	static char subbuf[65536];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	while (fd >= 0 && read(fd, subbuf, sizeof(subbuf)) > 0)
		;
	close(fd);
}

static bool cpu_accounts(const char *dir, int cpu)
{
	struct account before, after;
	char path[96];

	if (!account_of(dir, cpu, &before))
		return true;
	snprintf(path, sizeof(path), "%sper_cpu/cpu%d/trace_pipe_raw", dir, cpu);
	read_away(path);
	account_of(dir, cpu, &after);
	if (!after.entries && after.overrun == before.overrun &&
	    after.dropped == before.dropped && after.read == before.read + before.entries)
		return true;
	printf("# %s: entries %lu, overrun %lu, dropped %lu, read %lu, and when all was read %lu, %lu, %lu, %lu\n",
	       path, before.entries, before.overrun, before.dropped, before.read, after.entries,
	       after.overrun, after.dropped, after.read);
	return false;
}

/*
 * Number of records that an instance has ever had, if only events that nothing but "work" fires
 * are on, on all CPUs; or -1
 */
long state_records(const char *dir)
{
	char path[80], *text, *rest, *line;
	struct account account;
	long records = 0;
	int cpu, i;

	snprintf(path, sizeof(path), "%stracing_cpumask", dir);
	text = file_text(path);
	if (!text || strcmp(text, "3\n"))
		records = -1;
	free(text);
	snprintf(path, sizeof(path), "%sset_event", dir);
	text = file_text(path);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		for (i = 0; i < nr_quiet_events && strcmp(line, quiet_events[i]); i++)
			;
		if (*line && i == nr_quiet_events)
			records = -1;
	}
	free(text);
	for (cpu = 0; cpu < CPUS && records >= 0; cpu++) {
		if (!account_of(dir, cpu, &account))
			return -1;
		records += account.entries + account.overrun + account.dropped + account.read;
	}
	return records;
}

/* Wait for all writers, and for all triggers, that have begun. */
static void let_writers_finish(void)
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

void state_undo(void)
{
	char path[64];
	unsigned int i;

	file_put("tracing_on", "0");
	file_put("events/enable", "0");
	for (i = 0; (int)i < nr_instances; i++) {
		snprintf(path, sizeof(path), "instances/%s", instances[i]);
		if (*instances[i])
			rmdir(path);
	}
	undo_events();
	undo_options();
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (settings[i].initial)
			file_put(settings[i].file, settings[i].initial);
	}
	file_put("buffer_size_kb", "64");
	file_put("tracing_cpumask", "3");
	file_put("snapshot", "0");
	file_put("error_log", "");
	file_put("trace", "");
	file_put("tracing_on", "1");
}

/* Sum of the numbers that follow @name in a file */
static long sum_of(const char *path, const char *name)
{
	char *text = file_text(path), *at = text;
	long sum = 0;

	while (at && (at = strstr(at, name))) {
		at += strlen(name);
		sum += atol(at);
	}
	free(text);
	return sum;
}

long state_memory_kb(void)
{
	/* RCU frees some of it. */
	let_writers_finish();
	usleep(200000);
	file_put("/proc/sys/vm/drop_caches", "3");
	/* Free pages of a CPU are none of the zone's. */
	return sum_of("/proc/meminfo", "MemFree:") + 4 * sum_of("/proc/zoneinfo", " count:");
}

/*
 * Find the one value in the text of a file, and terminate it: a number, a word, or the entry in
 * brackets of a list. Returns NULL if it cannot be written back: "X" for CPUs that differ,
 * "0*" for soft mode, a size with the one that it will have.
 */
static char *value_in(char *shown)
{
	char *from = strchr(shown, '['), *end;

	if (!from) {
		shown[strcspn(shown, "\n")] = '\0';
		return strpbrk(shown, " *X?") ? NULL : shown;
	}
	end = strchr(from, ']');
	if (end)
		*end = '\0';
	return end ? from + 1 : NULL;
}

/* A longer one takes too much time: set_event with all events on */
#define LONG_TEXT 2000

bool state_reads_back(const char *path, bool value)
{
	char *shown = file_text(path), *again = NULL, *text = shown ? strdup(shown) : NULL;
	char *written = text && value ? value_in(text) : text;
	bool same = true;
	int ret = 0;

	if (written && *written && strcmp(written, "none\n") && strlen(written) < LONG_TEXT) {
		ret = file_put(path, written);
		again = file_text(path);
		same = !ret && again && !strcmp(shown, again);
	}
	if (!same)
		printf("# %s shows '%s', which comes to %d, and then '%s'\n", path, shown, ret,
		       again ?: "");
	free(shown);
	free(again);
	free(text);
	return same;
}
