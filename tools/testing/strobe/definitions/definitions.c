// SPDX-License-Identifier: GPL-2.0
/*
 * Write definitions of dynamic events to tracefs, and print all that the kernel makes of them.
 *
 * usage: definitions CORPUS      in the directory of tracefs
 *
 * CORPUS has cases, with an empty line between two of them. The lines of a case are written
 * one by one; "@FILE" says to which file, kprobe_events if there is none. A line that begins
 * with '#' is a comment. FIRED in a line stands for the place of fired() in this program.
 * After each case comes what error_log, dynamic_events and the format files have then, and the
 * records that the events make while this program calls a few system calls. The records of a
 * case with the line "=options" are shown under sets of trace options, too.
 * scripts/definitions compares that between two kernels.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_to(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | flags);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static int clear(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static char *text_of(const char *path)
{
	static char text[1 << 20];
	int fd = open(path, O_RDONLY);
	size_t len = 0, i;
	ssize_t ret;

	if (fd < 0)
		return NULL;
	while ((ret = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += ret;
	close(fd);
	text[len] = '\0';
	/* A character that is 0 would end the text. */
	for (i = 0; i < len; i++)
		text[i] = text[i] ?: '?';
	return text;
}

static void show(const char *path)
{
	const char *text = text_of(path);

	printf("%s:\n%s", path, text ?: "(none)\n");
}

/* "GROUP/EVENT" of each line of dynamic_events */
static char events[256][160];
static int nr_events;

static void find_events(void)
{
	char *text = text_of("dynamic_events"), *line, *rest = text, *colon;
	int i;

	nr_events = 0;
	while (text && (line = strsep(&rest, "\n"))) {
		colon = strchr(line, ':');
		if (!colon || nr_events == 256)
			continue;
		colon[1 + strcspn(colon + 1, " ")] = '\0';
		for (i = 0; i < nr_events && strcmp(events[i], colon + 1); i++)
			;
		if (i == nr_events)
			snprintf(events[nr_events++], sizeof(events[0]), "%s", colon + 1);
	}
}

static void show_formats(void)
{
	char path[256], *text, *after;
	int i;

	for (i = 0; i < nr_events; i++) {
		snprintf(path, sizeof(path), "events/%s/format", events[i]);
		text = text_of(path);
		after = text ? strstr(text, "format:") : NULL;
		printf("%s:\n%s", path, after ?: "(none)\n");
	}
}

static void switch_events(const char *value)
{
	char path[256];
	int i, ret;

	for (i = 0; i < nr_events; i++) {
		snprintf(path, sizeof(path), "events/%s/enable", events[i]);
		ret = write_to(path, 0, value);
		if (ret)
			printf("%s: %s\n", path, strerror(-ret));
	}
}

/* The linker defines it at the start of the file. */
extern const char __ehdr_start[];

/* Uprobes are placed here. */
static __attribute__((noipa)) int fired(long number, const char *text)
{
	return number + *text;
}

static void fire(void)
{
	fired(-3, "some text");
	prctl(PR_SET_NAME, "a name");
	prctl(PR_SET_NAME, "definitions");
	close(open("/nonexistent/path", O_RDONLY));
	close(open("/proc/self/stat", O_RDONLY));
	close(0x40000001);
}

/* Binary numbers of processes and times could not be told from text. */
static const char * const option_sets[] = {
	"raw", "hex", "bin nocontext-info", "fields", "verbose", "verbose latency-format",
	"sym-addr", "sym-offset", "sym-offset sym-addr", "fields sym-addr", "fields latency-format",
};

/* Set the options, words with a space between them, or reset them. */
static void set_options(const char *options, bool set)
{
	char words[64], line[64], *rest = words, *word;
	bool negated;
	int ret;

	snprintf(words, sizeof(words), "%s", options);
	while ((word = strsep(&rest, " "))) {
		negated = !strncmp(word, "no", 2);
		snprintf(line, sizeof(line), "%s%s", negated == set ? "no" : "",
			 word + (negated ? 2 : 0));
		ret = write_to("trace_options", 0, line);
		if (ret)
			printf("option %s: %s\n", line, strerror(-ret));
	}
}

static void show_records_with_options(void)
{
	char *text, *line;

	for (size_t i = 0; i < sizeof(option_sets) / sizeof(*option_sets); i++) {
		printf("trace with %s:\n", option_sets[i]);
		set_options(option_sets[i], true);
		text = text_of("trace");
		set_options(option_sets[i], false);
		while (text && (line = strsep(&text, "\n")))
			if (*line && *line != '#')
				printf("%s\n", line);
	}
}

/* Record only events of this process: some options hide the process. */
static void record_own(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	clear("trace");
	write_to("set_event_pid", 0, pid);
	switch_events("1");
	fire();
	switch_events("0");
	clear("set_event_pid");
}

static void show_records(void)
{
	char *text, *line, task[16];

	/* One engine may not know the name. */
	snprintf(task, sizeof(task), "-%d ", getpid());
	clear("trace");
	switch_events("1");
	fire();
	switch_events("0");
	text = text_of("trace");
	printf("trace:\n");
	while (text && (line = strsep(&text, "\n"))) {
		if (*line != '#' && strstr(line, task))
			printf("%s\n", line);
	}
}

static void end_case(bool with_options)
{
	show("error_log");
	show("dynamic_events");
	show("kprobe_events");
	find_events();
	show_formats();
	show_records();
	if (with_options) {
		record_own();
		show_records_with_options();
	}
	if (clear("dynamic_events"))
		printf("dynamic_events cannot be cleared\n");
	show("dynamic_events");
	clear("error_log");
}

/* Write a line, with the place of fired() for the word FIRED. */
static int write_line(const char *file, const char *line)
{
	const char *word = strstr(line, "FIRED");
	char placed[8192 + 32];

	if (!word)
		return write_to(file, O_APPEND, line);
	snprintf(placed, sizeof(placed), "%.*s0x%lx%s", (int)(word - line), line,
		 (long)fired - (long)__ehdr_start, word + strlen("FIRED"));
	return write_to(file, O_APPEND, placed);
}

int main(int argc, char **argv)
{
	FILE *corpus = argc > 1 ? fopen(argv[1], "r") : NULL;
	char line[8192], file[64] = "kprobe_events";
	int nr = 0, ret;
	bool open_case = false, with_options = false;

	if (!corpus)
		return 1;
	clear("dynamic_events");
	clear("error_log");
	while (fgets(line, sizeof(line), corpus)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		if (!*line) {
			if (open_case)
				end_case(with_options);
			open_case = false;
			with_options = false;
			snprintf(file, sizeof(file), "kprobe_events");
			continue;
		}
		if (*line == '@') {
			snprintf(file, sizeof(file), "%s", line + 1);
			continue;
		}
		if (!strcmp(line, "=options")) {
			with_options = true;
			continue;
		}
		if (!open_case)
			printf("@@ %d %s\n", ++nr, line);
		open_case = true;
		ret = write_line(file, line);
		printf("%s: %s\n", line, ret ? strerror(-ret) : "done");
	}
	if (open_case)
		end_case(with_options);
	printf("@@ end\n");
	return 0;
}
