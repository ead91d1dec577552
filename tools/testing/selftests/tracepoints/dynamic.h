/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers shared by the tests of events that are defined by lines in dynamic_events. */
#ifndef DYNAMIC_TEST_H
#define DYNAMIC_TEST_H

#include <stdbool.h>

/* Append a line to dynamic_events: 0 or -errno. */
int dyn_define(const char *line);
/* Does dynamic_events show the line? */
bool dyn_shows(const char *line);
/* Remove all events of dynamic_events, after disabling them: 0 or -errno. */
int dyn_clear(void);
/* Does README have the text? A kind of events is there if its line is. */
bool dyn_readme(const char *text);

/* Enable or disable "SYSTEM/EVENT": 0 or -errno. */
int dyn_enable(const char *event, bool on);

/* Does the storm go on? For its threads, which end then. */
bool dyn_storm(void);
/*
 * Run @nr threads for some seconds, each with its number as argument: 0, or the -errno of one
 * that cannot be started.
 */
int dyn_storm_run(void *(*const bodies[])(void *arg), int nr, int seconds);

/* A bad line: its first '^', which is not part of it, is where error_log has its caret. */
struct dyn_bad {
	const char *line;
	int ret;		/* the negative errno */
	const char *message;	/* NULL: error_log stays empty */
};

/* Is the line refused in that way? @where: how error_log calls the kind. */
bool dyn_is_refused(const char *where, const struct dyn_bad *bad);

#endif
