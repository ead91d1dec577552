// SPDX-License-Identifier: GPL-2.0
/*
 * The names of a definition's group and event, parsed by dynamic/line.c and by regular
 * expressions: in the first word of a line, and in the second one, as those of another event.
 */
#include "dynamic/definition.h"

/**
 * struct want_pair - a word with the names of a group and an event
 * @ret:   0 or -EINVAL
 * @error: the message
 * @at:    the place of the error in the word
 * @group: NULL: there is none
 * @name:  NULL: there is none
 */
struct want_pair {
	int		ret;
	const char	*error;
	u32		at;
	char		*group;
	char		*name;
};

static void pair_error(struct want_pair *want, const char *error, u32 at)
{
	want->ret = -EINVAL;
	want->error = error;
	want->at = at;
}

static void predict_pair(struct want_pair *want, const char *text)
{
	regmatch_t groups[GROUPS];
	u32 at = 0;

	*want = (struct want_pair) { };
	if (match("^([^/]*)/(.*)$", text, groups) || match("^([^.]*)[.](.*)$", text, groups)) {
		want->group = group_get(text, &groups[1]);
		at = groups[2].rm_so;
		if (!*want->group)
			pair_error(want, ERROR_NO_GROUP_NAME, 0);
		else if (strlen(want->group) > 63)
			pair_error(want, ERROR_GROUP_TOO_LONG, 0);
		else if (!match("^[a-zA-Z_-][a-zA-Z0-9_-]*$", want->group, groups))
			pair_error(want, ERROR_BAD_GROUP_NAME, 0);
		if (want->ret || !text[at])
			return;
	}
	want->name = strdup(text + at);
	if (!*want->name)
		pair_error(want, ERROR_NO_EVENT_NAME, at);
	else if (strlen(want->name) > 63)
		pair_error(want, ERROR_EVENT_TOO_LONG, at);
	else if (!match("^[a-zA-Z_][a-zA-Z0-9_]*$", want->name, groups))
		pair_error(want, ERROR_BAD_EVENT_NAME, at);
}

static int check_pair(const char *text, struct dyn_line *line, int ret, u32 at,
		      const struct want_pair *want)
{
	if (ret != want->ret)
		return differs(text, "names: %d, not %d", ret, want->ret);
	if (ret && (!is(line->error.text, want->error) || line->error.at != at + want->at))
		return differs(text, "names: \"%s\" at %u, not \"%s\" at %u", line->error.text,
			       line->error.at, want->error, at + want->at);
	if (!ret && (!is(line->group, want->group ?: "(none)") ||
		     !is(line->name, want->name ?: "(none)")))
		return differs(text, "names: %s and %s", line->group, line->name);
	return 0;
}

/* The names in a word, from character @from on */
static int check_pair_of(const char *text, struct dyn_line *line, u32 word, u32 from,
			 const struct words *want_words)
{
	char *copy = words_get(want_words, word);
	struct want_pair want;
	int ret, bad;

	predict_pair(&want, copy + from);
	memcpy(line->group, "(none)", sizeof("(none)"));
	memcpy(line->name, "(none)", sizeof("(none)"));
	if (word)
		ret = strobe_dyn_parse_pair(line, word, from, line->group, line->name);
	else
		ret = strobe_dyn_parse_names(line);
	bad = check_pair(text, line, ret, want_words->at[word] + from, &want);
	free(want.group);
	free(want.name);
	free(copy);
	return bad;
}

static int check_lines_names(const char *text, struct dyn_line *line, const struct words *want)
{
	regmatch_t groups[GROUPS];
	char *first;
	int bad;

	if (!want->nr)
		return 0;
	first = words_get(want, 0);
	if (match("^.[^:]*:", first, groups))
		bad = check_pair_of(text, line, 0, groups[0].rm_eo, want);
	else
		bad = strobe_dyn_parse_names(line) && differs(text, "names");
	free(first);
	return bad || (want->nr > 1 && check_pair_of(text, line, 1, 0, want));
}

int check_names(const char *text)
{
	struct dyn_line line = { .text = text };
	static struct words want;
	int bad;

	words_split(&want, text);
	if (check_split(&line.words, text))
		return differs(text, "words: an error");
	bad = check_words(text, &line.words, &want) || check_lines_names(text, &line, &want);
	strobe_dyn_words_free(&line.words);
	return check_leaks(text) || bad;
}
