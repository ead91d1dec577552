// SPDX-License-Identifier: GPL-2.0
/*
 * The language of trigger files:
 *
 *	['!'] COMMAND [':' COUNT] ["if" FILTER]
 *	['!'] COMMAND ':' SYSTEM ':' EVENT [':' COUNT] ["if" FILTER]
 *
 * The text is split in place, from the left, and only as far as needed: the count and
 * the filter of a trigger that is removed are not parsed.
 *
 * Contexts: any.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "trigger/trigger.h"

/* Characters that separate words: ABI. */
#define BLANKS	" \t"

static char *unless_empty(char *text)
{
	if (text)
		text = skip_spaces(text);
	return text && *text ? text : NULL;
}

/**
 * strobe_trigger_parse - split the command from the rest of a text
 * @text: the text that was written, without white space at its end; is split in place
 * @parsed: set to the parts, except for the filter: param is all text after the command
 */
void strobe_trigger_parse(char *text, struct trigger_text *parsed)
{
	char *rest = skip_spaces(text);

	*parsed = (struct trigger_text) { .remove = *rest == '!' };
	rest += parsed->remove;
	parsed->name = strsep(&rest, ":" BLANKS);
	parsed->param = unless_empty(rest);
}

/**
 * strobe_trigger_parse_filter - split the filter from the param
 * @parsed: from strobe_trigger_parse()
 * @param_required: the command needs a param; if false, a param must be a number
 *
 * Return: 0; -EINVAL if a required param is missing.
 */
int strobe_trigger_parse_filter(struct trigger_text *parsed, bool param_required)
{
	char *rest = parsed->param;

	if (!rest)
		return param_required ? -EINVAL : 0;
	if (!param_required && !isdigit(*rest)) {
		parsed->param = NULL;
		parsed->filter = rest;
		return 0;
	}
	parsed->param = strsep(&rest, BLANKS);
	parsed->filter = unless_empty(rest);
	return 0;
}

/**
 * strobe_trigger_parse_target - split a param into the target and the count
 * @param: SYSTEM:EVENT[:COUNT]; set to the count, NULL if there is none
 * @system: set to the system
 * @event: set to the event
 *
 * Return: 0; -EINVAL if the event is missing.
 */
int strobe_trigger_parse_target(char **param, const char **system, const char **event)
{
	*system = strsep(param, ":");
	if (!*param)
		return -EINVAL;
	*event = strsep(param, ":");
	return 0;
}

/**
 * strobe_trigger_parse_count - parse the count
 * @param: a number in any base; text after a ':' is ignored. NULL: no count
 * @count: set to the number, or to TRIGGER_UNLIMITED
 *
 * Return: 0; -EINVAL if @param is not a number; -ERANGE.
 */
int strobe_trigger_parse_count(char *param, long *count)
{
	*count = TRIGGER_UNLIMITED;
	if (!param)
		return 0;
	return kstrtoul(strsep(&param, ":"), 0, (unsigned long *)count);
}

/**
 * strobe_trigger_parse_if - remove "if" from a filter
 * @filter: "if FILTER"; set to FILTER
 *
 * Return: 0; -EINVAL if the text has another form.
 */
int strobe_trigger_parse_if(char **filter)
{
	const char *word = strsep(filter, BLANKS);

	return *filter && !strcmp(word, "if") ? 0 : -EINVAL;
}
