// SPDX-License-Identifier: GPL-2.0
/* Prints what trace_pipe_raw returns, without what differs between two runs and two engines. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render.h"

/* Numbers of the records that are not events, and their names */
#define INTERNAL_MAX 32
static char internal[INTERNAL_MAX][32];

void find_internal(void)
{
	struct dirent **list;
	int nr = scandir("events/ftrace", &list, NULL, by_name), id;
	char path[300], *format, *line;

	while (nr-- > 0) {
		snprintf(path, sizeof(path), "events/ftrace/%s/format", list[nr]->d_name);
		format = text_of(path);
		line = format ? strstr(format, "\nID: ") : NULL;
		id = line ? atoi(line + 5) : -1;
		if (id >= 0 && id < INTERNAL_MAX)
			snprintf(internal[id], sizeof(*internal), "%.31s", list[nr]->d_name);
		free(format);
	}
}

/* Flags of a record that say that a reschedule is needed, which depends on timing */
#define NEED_RESCHED	(0x04 | 0x20)

static bool is_own(const unsigned char *at)
{
	int pid;

	memcpy(&pid, at, sizeof(pid));
	return pid == getpid();
}

/* Print the rest of a record's line: its header, with "own" for this process, and its bytes. */
static void show_bytes(const unsigned char *data, unsigned int len, unsigned int type, bool bytes)
{
	unsigned int i;

	printf("type %u length %u flags %02x count %02x pid %s ", type, len,
	       data[2] & ~NEED_RESCHED, data[3], is_own(data + 4) ? "own" : "other");
	for (i = 8; i < len && bytes; i++)
		printf("%02x", data[i]);
	printf("\n");
}

/*
 * Print a record that is not an event. Addresses in the kernel are left out: those of the call
 * and of a constant text.
 */
static void show_internal(const char *name, unsigned char *data, unsigned int len,
			  unsigned int type, bool bytes)
{
	unsigned int frames;

	printf("%s ", name);
	if (!strcmp(name, "print") || !strcmp(name, "bprint") || !strcmp(name, "bputs"))
		memset(data + 8, 0, strcmp(name, "print") ? 16 : 8);
	if (!strcmp(name, "user_stack")) {
		printf("tgid %s ", is_own(data + 8) ? "own" : "other");
		/* The four bytes after the tgid are not set. */
		memset(data + 8, 0, 8);
		bytes = true;
	}
	if (!strcmp(name, "kernel_stack")) {
		memcpy(&frames, data + 8, sizeof(frames));
		printf("%s\n", len == 16 + 8 * frames ? "ends after its frames" :
							"has another size");
		return;
	}
	show_bytes(data, len, type, bytes);
}

/* Remove what differs between two engines: addresses, and the places of empty arrays. */
static void blank_bytes(const struct event *event, unsigned char *data, unsigned int len)
{
	unsigned char *at;
	int i;

	for (i = 0; i < event->nr_blank; i++) {
		bool is_place = event->blank[i].is_place;

		at = data + event->blank[i].offset;
		if (at + (is_place ? 4 : 8) > data + len)
			continue;
		if (is_place && !at[2] && !at[3])
			memset(at, 0, 2);
		if (!is_place && at[7] == 0xff)
			memset(at, 0xff, 8);
	}
}

/*
 * Print a record, with its name instead of its number. @type: from the ring's header: the length
 * in units, or 0. For an event without fields of its own, classic makes a record that lacks the
 * common fields, too: only the name is printed.
 */
static void show_record(unsigned char *data, unsigned int len, unsigned int type, bool bytes)
{
	unsigned int id = data[0] | data[1] << 8;
	const struct event *event;

	if (id < INTERNAL_MAX && *internal[id]) {
		show_internal(internal[id], data, len, type, bytes);
		return;
	}
	event = event_of(id);
	blank_bytes(event, data, len);
	printf("%s ", event->name);
	if (event->has_fields)
		show_bytes(data, len, type, bytes);
	else
		printf("no fields\n");
}

/* Print a page of trace_pipe_raw, see header_page and header_event, but for its times. */
static void show_page(unsigned char *page, struct shown shown)
{
	unsigned long long commit;
	unsigned int head, first;
	unsigned int at = 16, end;

	memcpy(&commit, page + 8, sizeof(commit));
	end = at + (commit & 0xfffffff);
	printf("page of %u bytes, flags %llx\n", shown.size ? end - at : 0, commit >> 28);
	while (at < end) {
		memcpy(&head, page + at, 4);
		memcpy(&first, page + at + 4, 4);
		switch (head & 31) {
		case 29:
			printf("padding of %u bytes\n", head >> 5 ? 4 + first : end - at);
			at += head >> 5 ? 4 + first : end;
			break;
		case 30:
		case 31:
			printf("%s\n", (head & 31) == 30 ? "time extend" : "time stamp");
			at += 8;
			break;
		case 0:
			show_record(page + at + 8, first - 4, 0, shown.bytes);
			at += 4 + first;
			break;
		default:
			show_record(page + at + 4, (head & 31) * 4, head & 31, shown.bytes);
			at += 4 + (head & 31) * 4;
		}
	}
}

void show_raw(struct shown shown)
{
	static unsigned char page[4096];
	int fd = open("per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		die("trace_pipe_raw");
	while (read(fd, page, sizeof(page)) > 0)
		show_page(page, shown);
	close(fd);
}

static unsigned long nr_lost(void)
{
	char *stats = text_of("per_cpu/cpu0/stats");
	char *line = stats ? strstr(stats, "overrun: ") : NULL;
	unsigned long lost = line ? strtoul(line + 9, NULL, 10) : 0;

	free(stats);
	return lost;
}

/*
 * Print what pages say of lost records. Engines have room for different numbers of records, so
 * the number that the first page has at its end is only compared with the file stats.
 */
void show_lost_pages(void)
{
	static unsigned char page[4096];
	unsigned long long commit, last = ~0ULL, lost;
	int fd = open("per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	unsigned long wanted = nr_lost();

	if (fd < 0)
		die("trace_pipe_raw");
	while (read(fd, page, sizeof(page)) > 0) {
		memcpy(&commit, page + 8, sizeof(commit));
		if (commit >> 28 == last)
			continue;
		last = commit >> 28;
		printf("flags %llx", last);
		if (last & 4) {
			memcpy(&lost, page + 16 + (commit & 0xfffffff), sizeof(lost));
			printf(", %s", lost == wanted ? "as many lost as in stats" : "another number");
		}
		printf("\n");
	}
	close(fd);
}

/* The same for the first line of trace_pipe. */
void show_lost_line(void)
{
	char text[4096], *line_end;
	int fd = open("trace_pipe", O_RDONLY | O_NONBLOCK), used = 0;
	unsigned long lost, wanted = nr_lost();
	ssize_t got;

	if (fd < 0)
		die("trace_pipe");
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	line_end = strchrnul(text, '\n');
	*line_end = '\0';
	if (sscanf(text, "CPU:0 [LOST %lu EVENTS]%n", &lost, &used) == 1 && used && !text[used])
		printf("CPU:0 [LOST %s EVENTS]\n", lost == wanted ? "as many as in stats" : "other");
	else
		printf("%s\n", text);
}
