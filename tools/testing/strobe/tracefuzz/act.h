/* SPDX-License-Identifier: GPL-2.0 */
/* Performing actions: what act.c shares with attach.c and those of user events */
#ifndef TRACEFUZZ_ACT_H
#define TRACEFUZZ_ACT_H

#include <errno.h>
#include <stdlib.h>

#include "tracefuzz.h"

#define SLOTS 16
#define LINE 2048

/* The words of an action, and the text after them */
struct args {
	char line[LINE];
	char *word[6];
	/* Up to seven bytes for two of the line, see unescape() */
	char text[4 * LINE];
	size_t len;
};

/* Files and perf events that stay open between actions */
extern int slots[SLOTS];

static inline int number(const struct args *args, int i)
{
	return atoi(args->word[i]);
}

static inline int slot(const struct args *args)
{
	return (unsigned int)number(args, 1) % SLOTS;
}

static inline long or_errno(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* Put @fd into a slot. Returns 0, or @fd if that is an error. */
long keep(int at, int fd);

/* What a program is for */
enum program_type {
	RAW_PROGRAM, EVENT_PROGRAM, PROBE_PROGRAM, COUNTER_PROGRAM,
	NR_PROGRAM_TYPES
};

/* Load the programs. */
void programs_init(void);
/* A CPU was off, and is on: have the messages of its programs sent again. */
void programs_online(int cpu);
/* A program for the entries or returns of several functions, or -errno */
extern int multi_program;
/*
 * The program of a type for slot @at: one that returns 0, one that returns 1, so that samples are
 * made, or one that sends a message and takes stacks, and returns 1.
 */
int program_of(enum program_type type, int at);
long act_perf(struct args *args);
long act_probe(struct args *args);
long act_filter(struct args *args);
long act_program(struct args *args);
long act_bpf(struct args *args);
long act_ioctl(struct args *args);

/* A buffer of @before bytes, 65536 at most, after which nothing is mapped */
char *edge(size_t before);

/* Events of user space */
long act_register(struct args *args);
long act_unregister(struct args *args);
long act_delete(struct args *args);
long act_record(struct args *args);
long act_memory(struct args *args);
/* The file in a slot is not open any more. */
void user_forget(int at);
/* Map the words whose bits events set. */
void user_init(void);
/* Unregister all bits. */
void user_undo(void);
/* The event of a line with the verb "record", see act_record_event() */
const char *user_record_event(const char *line);

#endif
