/* SPDX-License-Identifier: GPL-2.0 */
/* The line of a definition, with its words and why it is refused. */
#ifndef _STROBE_DYNAMIC_LINE_H
#define _STROBE_DYNAMIC_LINE_H

#include <linux/types.h>

#include "dynamic/args.h"

struct dyn_kind;
struct dyn_probe;

#define DYN_NAME_MAX	64U	/* of a group and of an event, with NUL: ABI */

/**
 * struct dyn_words - a line of user space, split at white space
 * @text:  the words joined by single blanks, as error_log shows the line
 * @buf:   the same with a NUL after each word
 * @at:    by word: its offset in both; @at[@nr] is where one more word would begin
 * @nr:    number of words
 */
struct dyn_words {
	char	*text;
	char	*buf;
	u32	*at;
	u32	nr;
};

static inline char *dyn_word(const struct dyn_words *words, u32 i)
{
	return words->buf + words->at[i];
}

/**
 * struct dyn_error - why a definition is refused, for error_log
 * @text: the message; NULL: error_log gets no entry
 * @next: a second entry for the same place, or NULL
 * @at:   offset in dyn_words::text
 */
struct dyn_error {
	const char	*text;
	const char	*next;
	u32		at;
};

/**
 * struct dyn_line - a definition that is being parsed
 * @text:   the line as it was written
 * @words:  the line
 * @error:  set with an errno for error_log; position in @words.text
 * @kind:   the kind whose function is called
 * @source: set by place(): what the arguments depend on. source.symbol must live as long as
 *	    the line: it is the probe's
 * @probe:  set by place(): a probe of strobe_dyn_probe_alloc(), which define.c frees after
 *	    an error
 * @group:  the event's group; place() may change it, the line's own one comes after it
 * @name:   the event's name; empty until define.c has parsed it or kind->name() made it
 */
struct dyn_line {
	const char		*text;
	struct dyn_words	words;
	struct dyn_error	error;
	const struct dyn_kind	*kind;
	struct dyn_source	source;
	struct dyn_probe	*probe;
	char			group[DYN_NAME_MAX];
	char			name[DYN_NAME_MAX];
};

int strobe_dyn_words_split(struct dyn_words *words, const char *line);
void strobe_dyn_words_free(struct dyn_words *words);
int strobe_dyn_line_error(struct dyn_line *line, int err, const char *text, u32 word, u32 at);
bool strobe_dyn_is_name(const char *text, size_t len, bool dash);
int strobe_dyn_parse_pair(struct dyn_line *line, u32 word, u32 at, char group[DYN_NAME_MAX],
			  char name[DYN_NAME_MAX]);
int strobe_dyn_parse_names(struct dyn_line *line);

#endif /* _STROBE_DYNAMIC_LINE_H */
