/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random use of tracefs, perf and BPF on trace events.
 *
 * An action is a line of text: a verb, its arguments, and what is written, in which
 * backslash, newline and what is not printable are escaped as in C. generate.c makes such
 * lines, act.c does what they say, state.c knows what has to be as before, and main.c
 * brings them together.
 */
#ifndef TRACEFUZZ_H
#define TRACEFUZZ_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))
#define __printf(a, b) __attribute__((format(printf, a, b)))

/* Numbers that follow from a seed. */
struct rng {
	unsigned long long state;
};

unsigned long long rng_next(struct rng *rng);
/* 0 to @n - 1 */
int below(struct rng *rng, int n);
static inline bool one_in(struct rng *rng, int n)
{
	return !below(rng, n);
}

/* Text that grows; what does not fit is dropped. */
struct text {
	size_t len;
	char buf[2048];
};

__printf(2, 3) void add(struct text *text, const char *fmt, ...);

/* Events that nothing fires but the verb "work", so that a state with triggers stays. */
extern const char * const quiet_events[];
extern const int nr_quiet_events;
/* Instances that actions make, and root, which is "". */
extern const char * const instances[];
extern const int nr_instances;
/* Modules with events */
extern const char * const modules[];
extern const int nr_modules;

/* Read what events and options there are. */
void generate_init(void);
void generate_action(struct rng *rng, struct text *line);

/* Do what @line says: 0 or what has been written, or -errno. */
long act(const char *line);
/* Before all others; @fails: there will be "fail", and the kernel is to say nothing of it. */
void act_init(bool fails);
/* Is what was done a write that has to be without effect if it was refused? */
bool act_is_write(const char *line);
/* The directory that it is about: "" or "instances/NAME/" */
const char *act_dir(const char *line);
/* Close all, load nothing, all CPUs on. */
void act_undo(void);

/* A whole file, relative to tracefs, for free(3), or NULL */
char *file_text(const char *path);
/* 0 or -errno */
int file_put(const char *path, const char *text);

/* All settings of the instance of this directory, for free(3) */
char *state_text(const char *dir);
/* Print the lines in which two states differ, but for those of the file @but: are there any? */
bool state_differs(const char *before, const char *after, const char *but);
/* Undo what actions have done: all settings are as at boot. */
void state_undo(void);
/* Does the file take what it shows? false, and the reason is printed, if not. */
bool state_reads_back(const char *path);

#endif
