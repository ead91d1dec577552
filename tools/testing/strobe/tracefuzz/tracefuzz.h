/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random use of tracefs, perf and BPF on trace events.
 *
 * An action is a line of text: a verb, its arguments, and what is written, in which
 * backslash, newline and what is not printable are escaped as in C. A batch of them begins
 * with all settings as at boot. generate.c makes such lines, corpus.c changes those that
 * were of use, act.c does what they say, cover.c knows what they have reached in the
 * kernel, state.c what has to be as before, and main.c brings them together.
 */
#ifndef TRACEFUZZ_H
#define TRACEFUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* Before all others; @fails: the kernel has to have what "fail" takes. */
void act_init(bool fails);
/* Is it one that writes, and that has to be without effect if it is refused? */
bool act_is_write(const char *line);
/* Did the last action write something before a write of it was refused? */
bool act_took_part(void);
/* The file of tracefs that it will write to, or "" */
const char *act_target(const char *line);
/* The directory of the instance that this file belongs to: "" or "instances/NAME/" */
const char *act_dir(const char *path);
/* Words of the action without its text; 0: it is none */
int act_words(const char *line);
/* Close all, load nothing, all CPUs on. */
void act_undo(void);

/* A whole file, relative to tracefs, for free(3), or NULL */
char *file_text(const char *path);
/* 0 or -errno */
int file_put(const char *path, const char *text);

/* Actions, one after another; lines that do not fit are dropped. */
#define MAX_BATCH 256

struct batch {
	int nr;
	char *lines[MAX_BATCH];
};

void batch_add(struct batch *batch, const char *line);
void batch_clear(struct batch *batch);

/* Batches that have reached something new */
bool corpus_read(const char *path);
int corpus_size(void);
const struct batch *corpus_entry(int i);
void corpus_add(const struct batch *batch);
/* Append @size lines, made of those of the corpus, of which there are some. */
void corpus_mutate(struct rng *rng, struct batch *batch, int size);
/* Print it, so that scripts/tracefuzz can keep it. */
void corpus_show(const struct batch *batch);

/* Addresses of code that was new; more than these are not remembered. */
#define MAX_PLACES 1024

struct places {
	int nr;
	uint64_t addr[MAX_PLACES];
};

/* Room for all that is reached: before there are other processes */
bool cover_init(void);
/* Count what this process reaches: false if the kernel has no KCOV. */
bool cover_open(void);
void cover_begin(void);
/* How many places nothing had reached since cover_init() were since cover_begin() */
int cover_end(struct places *found);
/* A batch is tried again: has it reached these? */
void cover_run_begin(void);
bool cover_run_reached(const struct places *wanted);
/* Print all that was reached. */
void cover_show(void);

/* All settings of the instance of this directory, for free(3) */
char *state_text(const char *dir);
/*
 * Print the lines in which two states differ, but for those of the file @but, and if @live
 * for those that triggers change: are there any?
 */
bool state_differs(const char *before, const char *after, const char *but, bool live);
/* Does a trigger of this instance switch recording or events, or count, when it fires? */
bool state_is_live(const char *dir);
/* Undo what actions have done: all settings are as at boot. */
void state_undo(void);
/* What state_undo() has to look at: what this action may have changed; NULL: anything */
void state_touch(const char *line);
/* Recording ends. Read all records of an instance away: is each where the statistics say? */
bool state_accounts(const char *dir);
/*
 * Does the file take what it shows, or if @value the one value that it shows? false, and
 * the reason is printed, if not.
 */
bool state_reads_back(const char *path, bool value);

#endif
