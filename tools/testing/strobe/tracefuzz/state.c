// SPDX-License-Identifier: GPL-2.0
/* Read, compare and restore the settings in tracefs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

/* Settings: see state.h. Those that make hooks slow come first, so that they are undone first. */
const struct setting settings[] = {
	{ "/proc/sys/kernel/stack_tracer_enabled", true, false,	"0" },
	{ "function_profile_enabled",	true,	false,	"0" },
	{ "/proc/sys/kernel/ftrace_enabled", true, false, "1" },
	{ "/proc/sys/debug/kprobes-optimization", true, false, "1" },
	{ "/sys/kernel/debug/kprobes/enabled", true, false, "1" },
	{ "tracing_on",			false,	true,	NULL },
	{ "current_tracer",		false,	false,	"nop" },
	{ "set_event_pid",		false,	true,	"" },
	{ "set_event_notrace_pid",	false,	false,	"" },
	{ "trace_clock",		false,	true,	"local" },
	{ "buffer_percent",		false,	false,	"50" },
	{ "buffer_subbuf_size_kb",	false,	true,	"4" },
	{ "buffer_size_kb",		false,	true,	NULL },
	/* buffer_size_kb shows X if these differ. */
	{ "per_cpu/cpu0/buffer_size_kb", false,	false,	NULL },
	{ "per_cpu/cpu1/buffer_size_kb", false,	false,	NULL },
	{ "tracing_cpumask",		false,	true,	NULL },
	{ "trace_options",		false,	true,	NULL },
	{ "set_event",			false,	true,	"" },
	{ "events/ftrace/print/trigger", false,	false,	NULL },
	{ "dynamic_events",		true,	false,	"" },
	{ "user_events_status",		true,	false,	NULL },
	{ "/proc/sys/kernel/user_events_max", true, false, "32768" },
	{ "/proc/sys/kernel/traceoff_on_warning", true, false, "0" },
	{ "/proc/sys/kernel/ftrace_dump_on_oops", true, false, "0" },
	{ "/proc/sys/kernel/tracepoint_printk", true, false, "0" },
	{ "saved_cmdlines_size",	true,	false,	"128" },
	{ "set_ftrace_pid",		false,	true,	"" },
	{ "set_ftrace_notrace_pid",	false,	false,	"" },
	{ "set_ftrace_filter",		false,	true,	"" },
	{ "set_ftrace_notrace",		false,	false,	"" },
	{ "set_graph_function",		true,	false,	"" },
	{ "set_graph_notrace",		true,	false,	"" },
	{ "stack_trace_filter",		true,	false,	"" },
	{ STACK_SIZE,			true,	false,	"0" },
};

const int nr_settings = ARRAY_SIZE(settings);

char *file_start(const char *path, size_t most)
{
	size_t size = 4096, len = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got;

	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	while (len < most && (got = read(fd, text + len, size - len - 1)) > 0) {
		len += got;
		if (size - len < 2048)
			text = realloc(text, size *= 2);
	}
	close(fd);
	text[len] = '\0';
	return text;
}

char *file_text(const char *path)
{
	return file_start(path, SIZE_MAX);
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

static bool is_error(const char *text)
{
	return strstr(text, "parse_error:");
}

static void show(FILE *to, const char *dir, const char *file)
{
	char path[300];
	char *text, *line, *rest;

	snprintf(path, sizeof(path), "%s%s", dir, file);
	text = file_start(path, LONG_FILE);
	rest = text;
	/* Without a filter, the file shows the last error. */
	if (!text || is_error(text)) {
		fprintf(to, "%s none\n", path);
		rest = NULL;
	}
	while (rest && (line = strsep(&rest, "\n"))) {
		if (*line)
			fprintf(to, "%s %s\n", path, line);
	}
	free(text);
}

/* The stack tracer changes its file as long as it is on. */
static bool changes_itself(const char *file)
{
	char *on = strcmp(file, STACK_SIZE) ? NULL :
					      file_text("/proc/sys/kernel/stack_tracer_enabled");
	bool changes = on && *on != '0';

	free(on);
	return changes;
}

void state_event_file(char *path, size_t size, const char *event, const char *file)
{
	int system = strcspn(event, ":");

	snprintf(path, size, "events/%.*s/%s/%s", system, event, event + system + 1, file);
}

/* The directory of counts in the text of a state, which is none in tracefs */
#define COUNTS "counts/"

bool state_is_count(const char *line)
{
	return strstr(line, COUNTS);
}

/* Is there a snapshot, and how many records are in it? */
static void show_snapshot(FILE *to, const char *dir)
{
	static const char is[] = "Snapshot is", has[] = "entries-in-buffer/";
	char path[300], *text, *at;

	snprintf(path, sizeof(path), "%ssnapshot", dir);
	text = file_start(path, 1);
	at = text ? strstr(text, is) : NULL;
	/* Instead of this line, a snapshot with records shows these. */
	if (text)
		fprintf(to, "%s %.*s\n", path, at ? (int)strcspn(at, "*\n") : 99,
			at ?: "Snapshot is allocated ");
	at = text ? strstr(text, has) : NULL;
	if (at)
		fprintf(to, "%s" COUNTS "snapshot %.*s\n", dir, (int)strcspn(at, "#\n"), at);
	free(text);
}

static void show_counts(FILE *to, const char *dir)
{
	long records = state_records(dir, true);

	if (records >= 0)
		fprintf(to, "%s" COUNTS "ring %ld\n", dir, records);
}

char *state_text(const char *dir, const char *own)
{
	static const char * const of_events[] = { "enable", "filter", "trigger" };
	char path[256], *text;
	unsigned int i, j;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (i = 0; (int)i < nr_settings; i++) {
		if ((!settings[i].root || !*dir) && !changes_itself(settings[i].file))
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
	show_snapshot(to, dir);
	show_counts(to, dir);
	fclose(to);
	return text;
}

char *state_others(const char *dir)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const char *other;
	int i, j;

	/* The first two are both the top instance. */
	for (i = 1; i < nr_instances; i++) {
		other = state_dir(i);
		if (!strcmp(other, dir) || (*other && access(other, F_OK)))
			continue;
		for (j = 0; j < nr_settings; j++) {
			if (settings[j].brief)
				show(to, other, settings[j].file);
		}
		show_counts(to, other);
	}
	fclose(to);
	return text;
}

static void show_names(FILE *to, const char *dir)
{
	struct dirent **list;
	int i, nr = scandir(dir, &list, NULL, alphasort);

	for (i = 0; i < nr; i++) {
		fprintf(to, "%s %s\n", dir, list[i]->d_name);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
}

char *state_names(void)
{
	char *text, *events = file_text("available_events");
	size_t size;
	FILE *to = open_memstream(&text, &size);

	show_names(to, "instances");
	show_names(to, "events");
	fputs(events ?: "", to);
	fclose(to);
	free(events);
	return text;
}

const char *state_dir(int instance)
{
	static char dir[64];

	dir[0] = '\0';
	if (*instances[instance])
		snprintf(dir, sizeof(dir), "instances/%s/", instances[instance]);
	return dir;
}

bool has_line(const char *text, const char *line, size_t len)
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
	       ends_with(line, path, "/enable") || ends_with(line, path, "snapshot") ||
	       ends_with(line, path, "user_events_status") ||
	       (ends_with(line, path, "/trigger") && memmem(line, len, ":count=", 7));
}

/* With option event-fork, a task leaves the lists of tasks some time after it has ended. */
static bool is_ended_task(const char *line, size_t len)
{
	size_t path = strcspn(line, " ");
	char task[32];
	int pid;

	if (path >= len || !(ends_with(line, path, "set_event_pid") ||
			     ends_with(line, path, "set_event_notrace_pid")))
		return false;
	pid = atoi(line + path);
	snprintf(task, sizeof(task), "/proc/%d", pid);
	/* kill(), the other way to ask, would fire events that are counted. */
	return pid > 0 && access(task, F_OK);
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
		    user_may_vanish(text, len, *sign == '+') ||
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

	if (written && *written && strcmp(written, "none\n") && strcmp(written, "no pid\n") &&
	    strlen(written) < LONG_TEXT) {
		ret = file_put(path, written);
		again = file_text(path);
		same = !ret && again && !strcmp(shown, again);
		compared(CHECK_SHOWN);
	}
	if (!same)
		printf("# %s shows '%s', which comes to %d, and then '%s'\n", path, shown, ret,
		       again ?: "");
	free(shown);
	free(again);
	free(text);
	return same;
}
