// SPDX-License-Identifier: GPL-2.0
/*
 * The line of a definition: its words, why it is refused, and the names of the event. Also the
 * list of all probes.
 *
 * State: the list, protected by strobe_event_mutex. Contexts: task, with dynamic_mutex held
 * for a line.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "dynamic/dynamic.h"

/* In order of definition. strobe_event_mutex */
LIST_HEAD(strobe_dyn_probes);

/**
 * strobe_dyn_words_split - split a line at white space
 * @words: set to the words, which the caller frees with strobe_dyn_words_free(); there are none
 *	   if the line is empty
 * @line:  the line
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM
 */
int strobe_dyn_words_split(struct dyn_words *words, const char *line)
{
	/* A word takes two of these bytes or more: a letter, and the blank or NUL after it. */
	const size_t len = strlen(line) + 1, most = len / 2;
	u32 at = 0;

	*words = (struct dyn_words) { };
	words->at = kmalloc(size_add(array_size(most + 1, sizeof(*words->at)), 2 * len),
			    GFP_KERNEL);
	if (!words->at)
		return -ENOMEM;
	words->text = (char *)(words->at + most + 1);
	words->buf = words->text + len;
	words->at[0] = 0;
	for (; *line; line++) {
		if (isspace(*line))
			continue;
		words->text[at] = *line;
		words->buf[at++] = *line;
		if (line[1] && !isspace(line[1]))
			continue;
		words->text[at] = ' ';
		words->buf[at++] = 0;
		words->at[++words->nr] = at;
	}
	words->text[at ? at - 1 : 0] = 0;
	return 0;
}

/**
 * strobe_dyn_words_free - free what strobe_dyn_words_split() has allocated
 * @words: the words, also if that failed
 */
void strobe_dyn_words_free(struct dyn_words *words)
{
	kfree(words->at);
	*words = (struct dyn_words) { };
}

/**
 * strobe_dyn_line_error - say why a line is refused
 * @line: the line
 * @err:  the errno
 * @text: the message, which is ABI
 * @word: number of the wrong word, which may be the one after the last
 * @at:   offset of what is wrong in it
 *
 * Return: @err
 */
int strobe_dyn_line_error(struct dyn_line *line, int err, const char *text, u32 word, u32 at)
{
	const struct dyn_words *words = &line->words;

	line->error = (struct dyn_error) {
		.text = text,
		.at = word < words->nr ? words->at[word] + at : words->at[words->nr],
	};
	return err;
}

/**
 * strobe_dyn_is_name - whether a text is a C identifier
 * @text: the text
 * @len:  its length in bytes
 * @dash: '-' counts as a letter, as it does in names of groups
 */
bool strobe_dyn_is_name(const char *text, size_t len, bool dash)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (isalpha(text[i]) || text[i] == '_' || (dash && text[i] == '-') ||
		    (i && isdigit(text[i])))
			continue;
		return false;
	}
	return len;
}

/* Copy the name of a group. Return: NULL, or why it is refused */
static const char *parse_group(const char *text, size_t len, char *group)
{
	if (!len)
		return "Group name is not specified";
	if (len >= DYN_NAME_MAX)
		return "Group name is too long";
	if (!strobe_dyn_is_name(text, len, true))
		return "Group name must follow the same rules as C identifiers";
	memcpy(group, text, len);
	group[len] = '\0';
	return NULL;
}

/* The same for the name of an event, which is the rest of the word. */
static const char *parse_event(const char *text, char *name)
{
	size_t len = strlen(text);

	if (!len)
		return "Event name is not specified";
	if (len >= DYN_NAME_MAX)
		return "Event name is too long";
	if (!strobe_dyn_is_name(text, len, false))
		return "Event name must follow the same rules as C identifiers";
	memcpy(name, text, len + 1);
	return NULL;
}

/**
 * strobe_dyn_parse_pair - parse "[GROUP/][EVENT]", where '.' separates, too
 * @line:  the line
 * @word:  number of the word
 * @at:    where in the word it begins
 * @group: set to the group, if there is one
 * @name:  set to the name, if there is one; without a group there must be
 *
 * Context: task
 * Return: 0; or -EINVAL with line->error set
 */
int strobe_dyn_parse_pair(struct dyn_line *line, u32 word, u32 at, char group[DYN_NAME_MAX],
			  char name[DYN_NAME_MAX])
{
	const char *start = dyn_word(&line->words, word), *text = start + at;
	const char *slash = strchr(text, '/') ?: strchr(text, '.');
	const char *refused;

	if (slash) {
		refused = parse_group(text, slash - text, group);
		if (refused)
			return strobe_dyn_line_error(line, -EINVAL, refused, word, at);
		text = slash + 1;
		if (!*text)
			return 0;
	}
	refused = parse_event(text, name);
	if (refused)
		return strobe_dyn_line_error(line, -EINVAL, refused, word, text - start);
	return 0;
}

/**
 * strobe_dyn_parse_names - parse "LETTER...[:[GROUP/][EVENT]]", the first word
 * @line: the line, whose group and name are set
 *
 * Context: task
 * Return: 0; or -EINVAL with line->error set
 */
int strobe_dyn_parse_names(struct dyn_line *line)
{
	const char *word = dyn_word(&line->words, 0);
	const char *colon = strchr(word + 1, ':');

	if (!colon)
		return 0;
	return strobe_dyn_parse_pair(line, 0, colon + 1 - word, line->group, line->name);
}
