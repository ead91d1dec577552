// SPDX-License-Identifier: GPL-2.0
/*
 * The language of trigger files:
 *
 *	['!'] COMMAND [':' COUNT] ["if" FILTER]
 *	['!'] COMMAND ':' SYSTEM ':' EVENT [':' COUNT] ["if" FILTER]
 *
 * The text is cut up in place. It is cut from the left, and no more is looked at than
 * a command needs: to remove a trigger nobody has to know how it was filtered.
 *
 * Contexts: any.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "trigger/trigger.h"

/* Where one word ends: ABI. */
#define BLANKS	" \t"

static char *unless_empty(char *text)
{
	if (text)
		text = skip_spaces(text);
	return text && *text ? text : NULL;
}

/**
 * trigger_cut - find the command
 * @text: what was written, without white space at its end; is cut up
 * @cut:  set but for the filter: all behind the command is the param
 */
void trigger_cut(char *text, struct trigger_text *cut)
{
	char *rest = skip_spaces(text);

	*cut = (struct trigger_text) { .remove = *rest == '!' };
	rest += cut->remove;
	cut->name = strsep(&rest, ":" BLANKS);
	cut->param = unless_empty(rest);
}

/**
 * trigger_cut_filter - tell the param from the filter
 * @cut: from trigger_cut()
 * @param_required: the command needs a param; if not, only a number is one
 *
 * Return: 0; -EINVAL if there is no param, but has to be.
 */
int trigger_cut_filter(struct trigger_text *cut, bool param_required)
{
	char *rest = cut->param;

	if (!rest)
		return param_required ? -EINVAL : 0;
	if (!param_required && !isdigit(*rest)) {
		cut->param = NULL;
		cut->filter = rest;
		return 0;
	}
	cut->param = strsep(&rest, BLANKS);
	cut->filter = unless_empty(rest);
	return 0;
}

/**
 * trigger_cut_target - tell the event in a param from the count
 * @param: SYSTEM:EVENT, and perhaps a count, which is left; NULL then if not
 * @system: set
 * @event: set
 *
 * Return: 0; -EINVAL if there is no event.
 */
int trigger_cut_target(char **param, const char **system, const char **event)
{
	*system = strsep(param, ":");
	if (!*param)
		return -EINVAL;
	*event = strsep(param, ":");
	return 0;
}

/**
 * trigger_cut_count - how often?
 * @param: a number in any base; what follows behind a ':' does not matter. NULL: there
 *	   is none
 * @count: set
 *
 * Return: 0; -EINVAL or -ERANGE if it is no number.
 */
int trigger_cut_count(char *param, long *count)
{
	*count = TRIGGER_UNLIMITED;
	if (!param)
		return 0;
	return kstrtoul(strsep(&param, ":"), 0, (unsigned long *)count);
}

/**
 * trigger_cut_if - find the filter behind "if"
 * @filter: "if FILTER"; set to FILTER
 *
 * Return: 0; -EINVAL if it is anything else.
 */
int trigger_cut_if(char **filter)
{
	const char *word = strsep(filter, BLANKS);

	return *filter && !strcmp(word, "if") ? 0 : -EINVAL;
}
