// SPDX-License-Identifier: GPL-2.0
/* Helpers shared by the storms of dynamic events: processes that do all at once for a while. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dynamic.h"
#include "storming.h"
#include "tracefs.h"

#define PROCESSES_MAX 16

struct tally *tally;
static double storm_ends;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void tally_add(long *counter, long nr)
{
	__atomic_fetch_add(counter, nr, __ATOMIC_RELAXED);
}

void storm_begin(void)
{
	storm_ends = now() + (has_kasan() ? 6 : 3);
}

bool storm_goes_on(void)
{
	return now() < storm_ends;
}

bool storm_ended_well(int child)
{
	int status;

	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

int storm_run(const storm_body bodies[], int nr)
{
	int children[PROCESSES_MAX], failed = 0, i;

	if (nr > PROCESSES_MAX)
		return nr;
	memset(tally, 0, sizeof(*tally));
	storm_begin();
	for (i = 0; i < nr; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		pin_to_cpu(i % cpus_online());
		bodies[i](i);
		_exit(0);
	}
	for (i = 0; i < nr; i++)
		failed += !storm_ended_well(children[i]);
	return failed;
}

/* All kprobes that are registered, not only those of events */
static char *list_kprobes(void)
{
	int fd = open("/sys/kernel/debug/kprobes/list", O_RDONLY);
	char *text;

	if (fd < 0)
		return strdup("");
	text = fd_text(fd);
	close(fd);
	return text;
}

int storm_prepare(struct storm_state *state)
{
	tfs_reset();
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (tally == MAP_FAILED)
		return -errno;
	state->tainted = taint_bits();
	state->kprobes = list_kprobes();
	return dyn_clear();
}

bool storm_clean(struct storm_state *state)
{
	int ret = dyn_clear();
	char *left = list_kprobes(), *events = tfs_text("dynamic_events");
	bool same = left && state->kprobes && !strcmp(left, state->kprobes);

	if (ret)
		printf("# dynamic_events cannot be cleared: %d\n", ret);
	if (!same)
		printf("# kprobes are left:\n%s", left ?: "");
	if (!events || *events)
		printf("# events are left:\n%s", events ?: "");
	if (state->tainted != taint_bits())
		printf("# the kernel is tainted: %ld\n", taint_bits());
	ret = ret || !same || !events || *events || state->tainted != taint_bits();
	free(left);
	free(events);
	free(state->kprobes);
	munmap(tally, sizeof(*tally));
	tfs_reset();
	return !ret;
}

int storm_records(const char *event, const char *part)
{
	char *text = tfs_text("trace");
	int nr = text ? trace_count(text, event, 0, part) : -1;

	free(text);
	return nr;
}

long storm_profile(const char *file, const char *event, long *missed)
{
	char *text = tfs_text("%s", file), name[64], *at;
	long hits = -1, unused;

	snprintf(name, sizeof(name), " %s ", event);
	at = text ? strstr(text, name) : NULL;
	if (at && sscanf(at + strlen(name), "%ld %ld", &hits, missed ?: &unused) < 1)
		hits = -1;
	free(text);
	return hits;
}
