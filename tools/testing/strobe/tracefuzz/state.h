/* SPDX-License-Identifier: GPL-2.0 */
/* Settings in tracefs: what state.c, account.c and undo.c share */
#ifndef TRACEFUZZ_STATE_H
#define TRACEFUZZ_STATE_H

#include "tracefuzz.h"

/*
 * Settings of each instance, or with @root, of the top instance only, or of none; @brief: part of
 * state_others(); @initial: as at boot
 */
struct setting {
	const char *file;
	bool root, brief;
	const char *initial;
};

extern const struct setting settings[];
extern const int nr_settings;

/* Of longer files, as lists of functions may be, the first lines are compared. */
#define LONG_FILE 3000

#define STACK_SIZE "stack_max_size"

/* Is the line a line of the text? */
bool has_line(const char *text, const char *line, size_t len);
/* Is there a trigger of this instance that actions have set? */
bool has_triggers(const char *dir);
/* Do the records of a CPU of this instance only move from one counter to another when read? */
bool cpu_accounts(const char *dir, int cpu);
/*
 * Remove event probes, the last one first: the event that a probe takes its records from cannot be
 * removed before the probe, not even together with it.
 */
void definitions_undo(void);
/* Wait for all writers, and for all triggers, that have begun. */
void let_writers_finish(void);

#endif
