/* SPDX-License-Identifier: GPL-2.0 */
/* Writes to files of tracefs of which each allocation fails in turn, and the state around them */
#ifndef FAILING_STEP_TEST_H
#define FAILING_STEP_TEST_H

#include <stdbool.h>

/* The instance that the tests change */
#define A "instances/a/"
#define SWITCH A "events/sched/sched_switch/"

#define STATE_MAX 64

/* The text of files, and the names of all instances */
struct state {
	char *text[STATE_MAX];
};

void state_get(struct state *state);
void state_put(struct state *state);
/*
 * Is the state in round @nth the same as @was? Print the differences with @what. With KASAN only
 * some rounds are looked at.
 */
bool state_is(const struct state *was, const char *what, int nth);

/**
 * struct step - a write that allocates memory
 * @file:	the file
 * @text:	text that is written to @file
 * @undo:	text that undoes the write; NULL: not needed
 * @undo_file:	file that @undo is written to; NULL: @file
 * @first:	text that is written once before, and not undone
 * @first_file:	file that @first is written to; NULL: @file
 * @resize:	set the ring's size again, since a new sub-buffer size rounds it up
 * @stride:	after the first 40 allocations, fail only each @stride-th one; 0: each
 * @frugal:	the write allocates nothing, so it never fails; else it must fail once
 */
struct step {
	const char *file;
	const char *text;
	const char *undo;
	const char *undo_file;
	const char *first;
	const char *first_file;
	bool resize;
	int stride;
	bool frugal;
};

/* Let the @nth allocation of write(2) fail, but none of open(2): 0 or negative errno */
int step_write(const struct step *step, int nth, bool *failed);
/*
 * Let each allocation of the step fail once: what is refused must change nothing, and what
 * succeeds must do all of it.
 */
bool step_test(const struct step *step);
bool steps_test(const struct step *steps, unsigned int nr);

#endif
