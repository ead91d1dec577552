/* SPDX-License-Identifier: GPL-2.0 */
/* What each filter has to be like, whatever its text. */
#ifndef _STROBE_FILTER_ORACLE_H
#define _STROBE_FILTER_ORACLE_H

struct filter_gen;
struct strobe_filter;
struct strobe_filter_error;

/* What has been seen, so that a run that shows nothing is noticed. */
extern struct filter_seen {
	unsigned long matches, refused, records;
} seen;

/* strobe_filter_create() with the text of its exact size on the heap */
struct strobe_filter *filter_oracle_create(const char *text, struct strobe_filter_error *err);

/* Judge records that @gen makes: 0, or 1 if the filter is wrong, and the reason is printed. */
int filter_oracle(const char *text, struct filter_gen *gen);

#endif /* _STROBE_FILTER_ORACLE_H */
