/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random use of tracefs, perf and BPF on trace events.
 *
 * An action is a line of text: a verb, its arguments, and the text to write, in which backslash,
 * newline and unprintable characters are escaped as in C. A batch of actions begins with all
 * settings as at boot. generate.c makes actions from a grammar, functions.c the names of
 * functions in them, dynamic.c definitions of probes, user_texts.c events of user space;
 * corpus.c changes batches that have reached new code; act.c performs actions, attach.c those for
 * perf and BPF with the programs of programs.c, user_events.c those for events of user space;
 * cover.c records what they reach in the kernel; state.c reads and compares settings; undo.c
 * restores them; account.c reads the statistics of rings; memory.c reads how much memory is used;
 * user_memory.c knows which bits events of user space have to set; check.c says what has to hold
 * after each action; compared.c counts what was compared; definition.c checks definitions of
 * events; opening.c has the first actions of batches; main.c controls all of this.
 */
#ifndef TRACEFUZZ_H
#define TRACEFUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of CPUs of the guest */
#define CPUS 2

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))
#define __printf(a, b) __attribute__((format(printf, a, b)))

/* Pseudo-random numbers */
struct rng {
	unsigned long long state;
};

unsigned long long rng_next(struct rng *rng);
/* A number from 0 to @n - 1 */
int below(struct rng *rng, int n);
static inline bool one_in(struct rng *rng, int n)
{
	return !below(rng, n);
}

/* A text to append to; the part that does not fit is dropped. */
struct text {
	size_t len;
	char buf[2048];
};

__printf(2, 3) void add(struct text *text, const char *fmt, ...);

/* A sequence of actions; lines that do not fit are dropped. */
#define MAX_BATCH 1024

struct batch {
	int nr;
	char *lines[MAX_BATCH];
};

/* Events that only the verb "work" fires, so that their triggers act at no other time. */
extern const char * const quiet_events[];
extern const int nr_quiet_events;
/*
 * Instances that actions create, and "", the top instance, twice; then KEPT, if the kernel was
 * booted with an instance of this name, in memory that survives a reboot.
 */
#define MAX_INSTANCES 5
#define KEPT "p"
extern const char * const instances[];
extern int nr_instances;
/* Modules with events */
extern const char * const modules[];
extern const int nr_modules;

/* Read the lists of events and of options. */
void generate_init(void);
/* Generate the action after those of @batch. */
void generate_action(struct rng *rng, const struct batch *batch, struct text *line);
/* Add the first actions of the batch of this number, after which some checks compare something. */
void add_opening(struct batch *batch, int number);

/* Perform the action @line. Returns 0 or the number of bytes written, or -errno. */
long act(const char *line);
/* Call the function of this program that probes are put on. */
void dynamic_fire(void);
/* Its offset in the file of this program, the path of which @file is set to */
unsigned long dynamic_place(const char **file);
/* To be called first. @fails: exit if the kernel lacks fault injection for "fail". */
void act_init(bool fails);
/* Does the action write to a file, so that it must not change anything if it is refused? */
bool act_is_write(const char *line);
/* The text that the action writes to a file at once, or NULL if it is another one */
const char *act_text(const char *line);
/* Does the action register an event of user space? */
bool act_registers(const char *line);
/* The event, "system:name", of which the action writes a record; NULL: none that is known */
const char *act_record_event(const char *line);
/* Does the action fire events, in a number that an instance may count? */
bool act_is_work(const char *line);
/* The number of times that it fires each of the events of "kill" */
int act_kills(const char *line);
/* Fire these events. */
void act_fire(int times);
/* Does the action write a text that the kernel cannot read to its end? */
bool act_faults(const char *line);
/* Does it open the file with O_TRUNC, which empties some? */
bool act_truncates(const char *line);
/* May an allocation of the action fail? */
bool act_may_fail(const char *line);
/* The number of actions in which an allocation was made to fail */
long act_injected(void);
/* Did the last action write something before one of its writes was refused? */
bool act_took_part(void);
/* The tracefs file that the action writes to, or "" */
const char *act_target(const char *line);
/* The directory of the instance that the file belongs to: "" or "instances/NAME/" */
const char *act_dir(const char *path);
/* Number of words of the action before its text; 0: it is no action */
int act_words(const char *line);
/* Close all files, unload the modules, switch all CPUs on. */
void act_undo(void);

/* Read a file, relative to tracefs. Returns a string to be freed, or NULL. */
char *file_text(const char *path);
/* The same, up to about @most bytes */
char *file_start(const char *path, size_t most);
/* Write all of @text to a file, opened with O_TRUNC. Returns 0 or -errno. */
int file_put(const char *path, const char *text);

void batch_add(struct batch *batch, const char *line);
void batch_clear(struct batch *batch);

/* The corpus: batches that have reached new code */
bool corpus_read(const char *path);
int corpus_size(void);
const struct batch *corpus_entry(int i);
void corpus_add(const struct batch *batch);
/* Fill @batch up to @size lines, made from those of the corpus, which must not be empty. */
void corpus_mutate(struct rng *rng, struct batch *batch, int size);
/* Print a batch, so that scripts/tracefuzz can save it. */
void corpus_show(const struct batch *batch);

/* Addresses of new code; not more than MAX_PLACES are stored. */
#define MAX_PLACES 1024

struct places {
	int nr;
	uint64_t addr[MAX_PLACES];
};

/* Allocate the shared memory; to be called before fork(). */
bool cover_init(void);
/* Enable KCOV for this process. Returns false if the kernel has no KCOV. */
bool cover_open(void);
void cover_begin(void);
/* Number of places reached since cover_begin(), and not before since cover_init(). */
int cover_end(struct places *found);
/* Run a batch again: were all @wanted places reached since cover_run_begin()? */
void cover_run_begin(void);
bool cover_run_reached(const struct places *wanted);
/* Print all places that were reached. */
void cover_show(void);

/* Make "events/SYSTEM/NAME/FILE" from "SYSTEM:NAME" and "FILE". */
void state_event_file(char *path, size_t size, const char *event, const char *file);
/* The directory of an instance: "" or "instances/NAME/" */
const char *state_dir(int instance);
/* All settings of the instance with this directory, and the file @own, as a string to be freed */
char *state_text(const char *dir, const char *own);
/* Some settings of all instances but this one */
char *state_others(const char *dir);
/* The names in directories that actions change */
char *state_names(void);
/*
 * Number of records that the instance has had, or -1: others than actions make some, too. With
 * @kernel, it is known though the kernel itself may fire some of the quiet events.
 */
long state_records(const char *dir, bool kernel);
/* Does each record of the instance stay where the statistics of its CPU have it as "entries"? */
bool state_has_all(const char *dir);
/*
 * The number of records that each signal of "kill" has to make in the instance, or a record of
 * this event if it is not NULL; -1: it is not known
 */
int state_per_kill(const char *dir, const char *event);
/*
 * Print the lines in which two states differ, except those of the file @but and, if @live,
 * those that triggers may change. Returns whether there are any.
 */
bool state_differs(const char *before, const char *after, const char *but, bool live);
/* Does a trigger of this instance change a setting or its own count when it fires? */
bool state_is_live(const char *dir);
/* Restore all settings to those at boot, and remove the instances, but for KEPT. */
void state_undo(void);
/* Note for state_undo() which filter or trigger an action may change; NULL: any. */
void state_touch(const char *line);
/* Stop recording in an instance, and consume its records: do the statistics account for all? */
bool state_accounts(const char *dir);
/* Does the line of a state say which records there are, not which settings? */
bool state_is_count(const char *line);
/* Is it the text of a record of an event of user space that actions make? */
bool is_user_record(const char *line);
/* Events of user space remove themselves a little later: wait, if this batch has made some. */
void user_settle(void);
/* May this line of a state vanish, or with @appears, appear, as such an event removes itself? */
bool user_may_vanish(const char *line, size_t len, bool appears);
/* Does user_events_status say that something uses the event? */
bool user_event_is_used(const char *event);
/* Do the bits that are registered say which events are recorded? */
bool user_bits_are_right(void);
/* Both are in tracefs.c of the selftests. Is the engine of this kernel Strobe? */
bool is_strobe(void);
/* Does the kernel have KASAN? */
bool has_kasan(void);

/* Memory in use, in KB */
struct memory {
	long pages;
	long slab;
	long percpu;
};

/* Are there tools in the kernel that need memory of their own? */
bool memory_is_unknown(void);
void memory_read(struct memory *memory);
/* Print how much more is in use than @before. Returns whether that is too much. */
bool memory_is_gone(const struct memory *before, int processes);
/*
 * Write to a file what it shows, or if @value the one value in it. Prints the reason and returns
 * false if that is refused, or if the file shows something else then.
 */
bool state_reads_back(const char *path, bool value);

/*
 * If dynamic_events shows one line more than the state of the top instance has: is it accepted
 * once more, after the event was removed?
 */
bool definition_reads_back(const char *state);

/* Remember what an action may change. */
void check_begin(const char *line);
/*
 * Compare with it, after the action has returned @ret: what was refused has changed nothing, in
 * no instance; the rings have the size that was set, and no other file changes it; what was
 * accepted is shown, and is accepted again; each instance has the records that "kill" fired, or
 * that "record" wrote; the bits of events of user space say which ones are recorded. Returns
 * what is wrong, or NULL.
 */
const char *check_end(const char *line, long ret);

/*
 * Does the file at @path show what was written, which it accepted? @emptied: a list had no PIDs
 * before.
 */
bool shows_option(const char *path, const char *option);
bool shows_filter(const char *path, const char *filter);
bool shows_pids(const char *path, const char *text, bool emptied);
bool shows_mask(const char *path, const char *mask);

/* What is compared, see compared.c */
enum check {
	CHECK_REFUSED, CHECK_FILTER, CHECK_SHOWN, CHECK_TRIGGER, CHECK_DEFINITION, CHECK_SIZE,
	CHECK_CONSUMED, CHECK_FIRED, CHECK_BITS, CHECK_WRITTEN, CHECK_MEMORY, NR_CHECKS
};

/* Note that it was compared once more. */
void compared(enum check check);
/* The name of the check if it has never compared anything; NULL, too, if the kernel lacks that */
const char *compared_never(enum check check);
/* Print how often each has. */
void compared_show(void);

#endif
