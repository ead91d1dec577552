// SPDX-License-Identifier: GPL-2.0
/* Helpers shared by the tests of events that are defined by lines in dynamic_events. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dynamic.h"
#include "tracefs.h"

int dyn_define(const char *line)
{
	return tfs_append(line, "dynamic_events");
}

bool dyn_shows(const char *line)
{
	char *text = tfs_text("dynamic_events");
	size_t len = strlen(line);
	const char *at = text;
	bool found = false;

	while (at && !found) {
		found = !strncmp(at, line, len) && at[len] == '\n';
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	free(text);
	return found;
}

int dyn_clear(void)
{
	int fd;

	tfs_write("0", "events/enable");
	fd = tfs_open(O_WRONLY | O_TRUNC, "dynamic_events");
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int dyn_enable(const char *event, bool on)
{
	return tfs_write(on ? "1" : "0", "events/%s/enable", event);
}

static bool storm_ends;

bool dyn_storm(void)
{
	return !__atomic_load_n(&storm_ends, __ATOMIC_RELAXED);
}

int dyn_storm_run(void *(*const bodies[])(void *arg), int nr, int seconds)
{
	pthread_t threads[16];
	int started = 0, ret = 0;
	long i;

	storm_ends = false;
	for (i = 0; i < nr && !ret; i++) {
		ret = i < 16 ? -pthread_create(&threads[i], NULL, bodies[i], (void *)i) : -E2BIG;
		started += !ret;
	}
	if (!ret)
		sleep(seconds);
	__atomic_store_n(&storm_ends, true, __ATOMIC_RELAXED);
	while (started)
		pthread_join(threads[--started], NULL);
	return ret;
}

bool dyn_readme(const char *text)
{
	char *readme = tfs_text("README");
	bool found = readme && strstr(readme, text);

	free(readme);
	return found;
}

/* The line without the caret's mark; its position in *@at, -1 if there is none. */
static void bad_split(const struct dyn_bad *bad, char *line, size_t size, int *at)
{
	const char *mark = strchr(bad->line, '^');

	*at = mark ? mark - bad->line : -1;
	snprintf(line, size, "%.*s%s", mark ? *at : (int)size, bad->line, mark ? mark + 1 : "");
}

bool dyn_is_refused(const char *where, const struct dyn_bad *bad)
{
	char line[4096], want[8192];
	int at, ret, len;
	char *log;
	bool good;

	bad_split(bad, line, sizeof(line), &at);
	tfs_write("", "error_log");
	ret = dyn_define(line);
	if (ret != bad->ret)
		printf("# '%s': %d instead of %d\n", line, ret, bad->ret);
	want[0] = '\0';
	/* The log has the words without a blank at the end. */
	len = strlen(line);
	len -= len && line[len - 1] == ' ';
	if (bad->message)
		snprintf(want, sizeof(want), "] %s: error: %s\n  Command: %.*s\n           %*s^\n",
			 where, bad->message, len, line, at, "");
	log = tfs_text("error_log");
	good = log && (bad->message ? !!strstr(log, want) : !*log);
	if (!good)
		printf("# '%s': error_log has\n# %s\n# and not\n# %s\n", line, log ?: "", want);
	free(log);
	tfs_write("", "error_log");
	return good && ret == bad->ret;
}
