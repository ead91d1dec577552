/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of an event of user space, made from the text that describes them. */
#ifndef _STROBE_DYNAMIC_USER_FIELDS_H
#define _STROBE_DYNAMIC_USER_FIELDS_H

#include <linux/types.h>

struct seq_file;
struct strobe_field;

/**
 * struct user_fields - the fields of an event of user space
 * @table:     description of the fields, whose names and types are in @words
 * @words:     the text, with a NUL after each type and each name
 * @text:      the text as it is shown and compared: "TYPE NAME; struct TYPE NAME SIZE"
 * @nr:	       number of fields
 * @nr_located: number of those that give the location of their data
 * @min_len:   bytes that each record has, struct trace_entry included
 */
struct user_fields {
	struct strobe_field	*table;
	char			*words;
	char			*text;
	unsigned int		nr;
	unsigned int		nr_located;
	u32			min_len;
};

int strobe_user_fields_parse(struct user_fields *fields, const char *text);
void strobe_user_fields_free(struct user_fields *fields);
bool strobe_user_fields_match(const struct user_fields *fields, const char *text);
int strobe_user_fields_check(const struct user_fields *fields, const void *record, u32 len);
void strobe_user_fields_print_fmt(struct seq_file *m, const struct user_fields *fields);

#endif /* _STROBE_DYNAMIC_USER_FIELDS_H */
