/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers shared by the storms of dynamic events: processes that do all at once for a while. */
#ifndef STORMING_TEST_H
#define STORMING_TEST_H

#include <stdbool.h>

/* What the processes of a storm count */
struct tally {
	long fired;	/* calls of a probed function */
	long loaded;	/* how often the module was loaded */
	long defined;	/* definitions that were not refused */
	long attached;	/* perf events and programs */
	long wrong;	/* results that must not be */
};

/* It is shared by all processes, and cleared by storm_run(). */
extern struct tally *tally;
void tally_add(long *counter, long nr);

/* Let the storm begin now: storm_goes_on() returns true for some seconds. */
void storm_begin(void);
bool storm_goes_on(void);

/* What a process of a storm does, until storm_goes_on() is false; the argument is its number. */
typedef void (*storm_body)(int nr);

/* Run a process for each body, on alternating CPUs. Return: how many of them failed */
int storm_run(const storm_body bodies[], int nr);
/* Wait for the child: did it exit with 0? */
bool storm_ended_well(int child);

/* Save the state of the kernel in *@state; no event is defined then. Return: 0 or -errno */
struct storm_state {
	long tainted;
	char *kprobes;
};

int storm_prepare(struct storm_state *state);
/* Remove all events. Is the state the same, is no event and no kprobe left? */
bool storm_clean(struct storm_state *state);

/* Number of records of the event whose text has @part; NULL: any */
int storm_records(const char *event, const char *part);
/*
 * Hits of the event in kprobe_profile or uprobe_profile, or -1; what was missed in *@missed,
 * unless that is NULL.
 */
long storm_profile(const char *file, const char *event, long *missed);

#endif
