/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of a filter against strobe_filter_plain(), the plain evaluator */
#ifndef _STROBE_FILTER_ORACLE_H
#define _STROBE_FILTER_ORACLE_H

struct filter_gen;
struct strobe_filter;
struct strobe_filter_error;

/* Statistics, to notice a run that tests nothing */
extern struct filter_seen {
	unsigned long matches, refused, records;
	unsigned long beyond;	/* checks of filters that the plain evaluator cannot judge */
} seen;

/* Call strobe_filter_create() with a copy of @text on the heap that has exactly its size. */
struct strobe_filter *filter_oracle_create(const char *text, struct strobe_filter_error *err);

/* Check the filter on records made by @gen. Returns 1 if it is wrong or leaks memory, else 0. */
int filter_oracle(const char *text, struct filter_gen *gen);

#endif /* _STROBE_FILTER_ORACLE_H */
