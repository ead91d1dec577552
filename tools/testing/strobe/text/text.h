/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each parser of tracefs files is compared with an independent one. The checks return 0 if
 * both agree on the text; else they print the difference to stderr and return 1.
 */
#ifndef _STROBE_TEXT_TEXT_H
#define _STROBE_TEXT_TEXT_H

#include <regex.h>

#include "text/shim.h"

/* trigger.c: trigger/parse.c with a line written to a trigger file */
int text_trigger(const char *text);
/* inject.c: record/inject.c with a text written to inject; @fail: value of shim_fail_at */
int text_inject(const char *text, long fail);
/* set_event.c: instance/events.c with a word written to set_event; @fail: as above */
int text_set_event(const char *text, long fail);
/* The same: fs/set_event.c with a text of any number of words */
int text_set_events(const char *text, long fail);

/* Print @text and the message, for the first differences of a run. Returns 1. */
__printf(2, 3)
int text_differs(const char *text, const char *fmt, ...);

/*
 * Parse a number in any base. Returns 0; -ERANGE if it is too large, no matter what follows it;
 * -EINVAL if it is not a number, or anything but a newline follows it.
 */
int text_number(const char *text, size_t len, u64 *number);

/* Get where a group of a regular expression matched. Returns false if it did not match. */
static inline bool text_group(const regmatch_t *group, const char *text, const char **from,
			      size_t *len)
{
	*from = text + (group->rm_so < 0 ? 0 : group->rm_so);
	*len = group->rm_so < 0 ? 0 : group->rm_eo - group->rm_so;
	return group->rm_so >= 0;
}

/* Match @text with a POSIX regular expression, which is compiled once. */
#define TEXT_GROUPS	10
#define text_match(pattern, text, groups) ({					\
	static regex_t compiled;						\
	static bool is_compiled;						\
										\
	if (!is_compiled && regcomp(&compiled, pattern, REG_EXTENDED))		\
		abort();							\
	is_compiled = true;							\
	!regexec(&compiled, text, TEXT_GROUPS, groups, 0);			\
})

#endif /* _STROBE_TEXT_TEXT_H */
