/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parsers of tracefs files, each with a second opinion on every text: 0 if both say
 * the same, else 1, and a line on stderr says what differs.
 */
#ifndef _STROBE_TEXT_TEXT_H
#define _STROBE_TEXT_TEXT_H

#include <regex.h>

#include "text/shim.h"

/* trigger.c: trigger/parse.c on a line of a trigger file */
int text_trigger(const char *text);
/* inject.c: instance/inject.c on what is written to inject; @fail: see shim_fail_at */
int text_inject(const char *text, long fail);
/* set_event.c: instance/events.c on a word of set_event */
int text_set_event(const char *text, long fail);

/* Print @text and what is wrong with it. Returns 1. */
__printf(2, 3)
int text_differs(const char *text, const char *fmt, ...);

/*
 * What a number in any base is worth: 0; -ERANGE if it is too large, whatever follows it;
 * -EINVAL if it is none, or something follows.
 */
int text_number(const char *text, size_t len, u64 *number);

/* Where a group of a regular expression matched; false: nowhere. */
static inline bool text_group(const regmatch_t *group, const char *text, const char **from,
			      size_t *len)
{
	*from = text + (group->rm_so < 0 ? 0 : group->rm_so);
	*len = group->rm_so < 0 ? 0 : group->rm_eo - group->rm_so;
	return group->rm_so >= 0;
}

/* Match with a POSIX regular expression, which is compiled once. */
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
