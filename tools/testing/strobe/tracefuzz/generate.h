/* SPDX-License-Identifier: GPL-2.0 */
/* Generating texts: what generate.c and the grammars share */
#ifndef TRACEFUZZ_GENERATE_H
#define TRACEFUZZ_GENERATE_H

#include "tracefuzz.h"

/* In a text that is generated: this process's pid, which a line of actions has as "\p" */
#define OWN_PID '\1'

const char *pick(struct rng *rng, const char * const *words, int nr);
#define PICK(rng, array) pick(rng, array, ARRAY_SIZE(array))

/* Split a file into lines. Returns their number, 8192 at most. */
int lines_of(const char *path, char ***lines);
const char *a_number(struct rng *rng);
/* "system:name" */
const char *an_event(struct rng *rng);

/* Texts for files of an event, "system:name" */
void gen_filter(struct rng *rng, struct text *t, const char *event);
void gen_trigger(struct rng *rng, struct text *t, const char *event);
void gen_inject(struct rng *rng, struct text *t, const char *event);

/* The size of a read or a long write: usually a power of two, as that of a page or a buffer */
int a_size(struct rng *rng);
/* A slot for a file or a perf event: usually one of three, so that some are replaced */
int a_slot(struct rng *rng);
/* The next action comes after those of a batch: have it use the slots that these have filled. */
void note_slots(const struct batch *batch);
/* A text for an open file: a marker, or what another file takes */
void gen_written(struct rng *rng, struct text *t);
/* An action on the file or perf event in a slot */
void add_slot(struct rng *rng, struct text *line);
/* An action that opens a perf event, or attaches a program */
void add_attach(struct rng *rng, struct text *line);
/* Add the directory of some instance. */
void add_dir(struct rng *rng, struct text *line);
/* Add @text to @line, escaped, and sometimes with one wrong character. */
void add_text(struct rng *rng, struct text *line, const struct text *text);

/* A field of an event, "system:name", from its format */
void add_field(struct rng *rng, struct text *t, const char *event);

/* Look for dynamic events. */
void dynamic_init(void);
/* The name of an event that gen_dynamic() may have defined; NULL if there are no such events */
const char *a_dynamic_event(struct rng *rng);
/* An action that makes a probe by perf */
void add_probe(struct rng *rng, struct text *line);
/* Lines for dynamic_events */
void gen_dynamic(struct rng *rng, struct text *t);

/* Has the kernel events of user space? */
bool user_events_exist(void);
/* "system:name" of such an event */
const char *a_user_event(struct rng *rng);
/* The description of one */
void gen_user_event(struct rng *rng, struct text *t);
/* An action on one */
void add_user(struct rng *rng, struct text *line);

/* Read the list of functions. */
void functions_init(void);
const char *a_function(struct rng *rng);
/* Words for set_ftrace_filter, and for other lists of functions */
void gen_functions(struct rng *rng, struct text *t);

#endif
