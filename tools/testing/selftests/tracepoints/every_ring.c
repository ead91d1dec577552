// SPDX-License-Identifier: GPL-2.0
/* What the rings of the instance of every_event have recorded. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "every_ring.h"
#include "tracefs.h"

long ring_records(void)
{
	long sum = 0, n, more;
	char *text, *at;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		text = tfs_text(IN "per_cpu/cpu%d/stats", cpu);
		at = text ? strstr(text, "overrun: ") : NULL;
		if (at && sscanf(text, "entries: %ld", &n) == 1 &&
		    sscanf(at, "overrun: %ld", &more) == 1)
			sum += n + more;
		free(text);
	}
	return sum;
}

/* Has the text that can be read from @fd @text in it? It is read only that far. */
static bool fd_has(int fd, const char *text)
{
	const size_t overlap = strlen(text) - 1;
	static char buf[65536];
	size_t kept = 0;
	ssize_t n;

	while ((n = read(fd, buf + kept, sizeof(buf) - 1 - kept)) > 0) {
		kept += n;
		buf[kept] = '\0';
		if (strstr(buf, text))
			return true;
		if (kept > overlap) {
			memmove(buf, buf + kept - overlap, overlap);
			kept = overlap;
		}
	}
	return false;
}

bool ring_has(const char *text)
{
	bool found = false;
	int cpu, fd;

	for (cpu = 0; cpu < cpus_online() && !found; cpu++) {
		fd = tfs_open(O_RDONLY, IN "per_cpu/cpu%d/trace", cpu);
		found = fd >= 0 && fd_has(fd, text);
		close(fd);
	}
	return found;
}

bool ring_has_of_load(const char *event)
{
	struct trace_line line;
	bool found = false;
	char *text;
	const char *at;
	int cpu;

	for (cpu = 0; cpu < cpus_online() && !found; cpu++) {
		text = tfs_text(IN "per_cpu/cpu%d/trace", cpu);
		at = text;
		while (at && !found && trace_next(&at, &line))
			found = !strcmp(line.comm, "worker") && !strcmp(line.event, event);
		free(text);
	}
	return found;
}

int ring_events(void)
{
	static char names[EVENTS_MAX][sizeof(((struct trace_line *)0)->event)];
	struct trace_line line;
	int cpu, i, nr = 0;
	const char *at;
	char *text;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		text = tfs_text(IN "per_cpu/cpu%d/trace", cpu);
		at = text;
		while (at && nr < EVENTS_MAX && trace_next(&at, &line)) {
			for (i = 0; i < nr && strcmp(names[i], line.event); i++)
				;
			if (i == nr)
				snprintf(names[nr++], sizeof(*names), "%s", line.event);
		}
		free(text);
	}
	return nr;
}
