// SPDX-License-Identifier: GPL-2.0
/*
 * Replace arguments that stand for others before they are parsed:
 *
 *	$arg*		by the names of all parameters, which BTF knows
 *	$argN[:TYPE]	by the name of one, if BTF knows the function
 *	EXPR:%pd	by what reads the name of a dentry, EXPR:%pD by that of a file
 *
 * The place of an error in an argument counts the arguments after that, but the words before it:
 * ABI. The sizes of the buffers are, too.
 *
 * No state. Contexts: task, may sleep.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "dynamic/btf.h"
#include "dynamic/errors.h"
#include "dynamic/internal.h"

/* Append an argument. What is too many is only counted. */
static void add_text(struct dyn_list *list, const char *text)
{
	if (list->nr < DYN_ARGS_MAX)
		list->texts[list->nr] = text;
	list->nr++;
}

/* Check the words that begin with "$arg". @found: there are some; @all: "$arg*" is one of them */
static int find_params(struct dyn_parser *p, u32 first, bool *found, bool *all)
{
	const char *rest;
	u32 i;

	for (i = first; i < p->line->words.nr; i++) {
		rest = dyn_word(&p->line->words, i);
		if (!str_has_prefix(rest, "$arg"))
			continue;
		rest += strlen("$arg");
		p->word = i;
		if (!dyn_is_entry(p->source) && !dyn_is_return(p->source))
			return dyn_refuse(p, -EINVAL, DYN_ERR_NOFENTRY_ARGS);
		*found = true;
		if (isdigit(*rest))
			continue;
		if (*rest != '*')
			return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_VAR);
		if (*all)
			return dyn_refuse(p, -EINVAL,
					  "$arg* can be used only once in the parameters");
		*all = true;
	}
	return 0;
}

/* Append the name of a parameter with a type. */
static int add_param(struct dyn_list *list, struct dyn_parser *p, u32 param, const char *type)
{
	char *to = list->names + list->names_len;
	u32 room = sizeof(list->names) - list->names_len, len;
	const char *name;

	if (param >= p->btf.nr_params)
		return dyn_refuse(p, -ENOENT, DYN_ERR_NO_BTFARG);
	name = dyn_btf_param_name(p, param);
	if (!name)
		return dyn_refuse(p, -ENOENT, DYN_ERR_NO_BTF_ENTRY);
	len = snprintf(to, room, "%s%s", name, type);
	if (len >= room)
		return dyn_refuse(p, -E2BIG, "$arg* failed because the argument list is too long");
	list->names_len += len + 1;
	add_text(list, to);
	return 0;
}

static int add_all_params(struct dyn_list *list, struct dyn_parser *p)
{
	u32 param;
	int ret = 0;

	for (param = 0; param < p->btf.nr_params && !ret; param++)
		ret = add_param(list, p, param, "");
	return ret;
}

static int add_numbered(struct dyn_list *list, struct dyn_parser *p, const char *number)
{
	u32 param = 0;

	/* A number that is too large for any function stays so. */
	for (; isdigit(*number); number++)
		param = min(10 * param + (*number - '0'), 1U << 16);
	if (*number && *number != ':')
		return dyn_refuse(p, -ENOENT, DYN_ERR_BAD_VAR);
	if (!param)
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_ARG_NUM);
	return add_param(list, p, param - 1, number);
}

static int add_words(struct dyn_list *list, struct dyn_parser *p, u32 first, bool expand)
{
	u32 i;
	int ret = 0;

	for (i = first; i < p->line->words.nr && !ret; i++) {
		const char *word = dyn_word(&p->line->words, i);

		p->word = i;
		if (!expand || !str_has_prefix(word, "$arg"))
			add_text(list, word);
		else if (word[strlen("$arg")] == '*')
			ret = add_all_params(list, p);
		else
			ret = add_numbered(list, p, word + strlen("$arg"));
	}
	return ret;
}

/* Does an argument end with ":%pd" or ":%pD"? */
static bool is_dentry(const char *text, size_t len)
{
	return len >= 4 && !strncmp(text + len - 4, ":%p", 3) &&
	       (text[len - 1] == 'd' || text[len - 1] == 'D');
}

/* Replace an argument of @len bytes for which is_dentry() is true. */
static int add_chain(struct dyn_list *list, const char **text, size_t len)
{
	char *to = list->chains + list->chains_len;
	u32 room = sizeof(list->chains) - list->chains_len, used;
	const char *equal = strchr(*text, '=');
	int name = 0, expr;

	if (equal && equal < *text + len - 4)
		name = equal + 1 - *text;
	expr = len - 4 - name;
	if ((*text)[len - 1] == 'd')
		used = snprintf(to, room, "%.*s+0x0(+0x%zx(%.*s)):string", name, *text,
				offsetof(struct dentry, d_name.name), expr, *text + name);
	else
		used = snprintf(to, room, "%.*s+0x0(+0x%zx(+0x%zx(%.*s))):string", name, *text,
				offsetof(struct dentry, d_name.name),
				offsetof(struct file, f_path.dentry), expr, *text + name);
	if (used >= room)
		return -ENOMEM;
	list->chains_len += used + 1;
	*text = to;
	return 0;
}

static int add_chains(struct dyn_list *list)
{
	size_t len;
	u32 i;
	int ret = 0;

	for (i = 0; i < list->nr && !ret; i++) {
		len = strlen(list->texts[i]);
		if (is_dentry(list->texts[i], len))
			ret = add_chain(list, &list->texts[i], len);
	}
	return ret;
}

/**
 * strobe_dyn_expand - list the arguments of a line
 * @list:  zeroed; set to the arguments
 * @p:     the parser, which has the source, the line and the error
 * @first: the first word that is an argument
 *
 * Context: task, may sleep.
 * Return: 0; -E2BIG if there are more than DYN_ARGS_MAX; -ENOMEM if the names of dentries take
 *	   too many bytes; or refused: -EINVAL, -ENOENT, -EOPNOTSUPP, -E2BIG
 */
int strobe_dyn_expand(struct dyn_list *list, struct dyn_parser *p, u32 first)
{
	bool is_kernel = (p->source->flags & (DYN_KERNEL | DYN_EVENT)) == DYN_KERNEL;
	bool found = false, all = false;
	int ret;

	ret = is_kernel ? find_params(p, first, &found, &all) : 0;
	if (ret)
		return ret;
	if (found && (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) || strobe_dyn_btf_open(p) ||
		      !p->btf.nr_params)) {
		if (all)
			return dyn_refuse(p, -EOPNOTSUPP, DYN_ERR_NOSUP_BTFARG);
		found = false;
	}
	ret = add_words(list, p, first, found);
	if (ret)
		return ret;
	if (list->nr > DYN_ARGS_MAX)
		return -E2BIG;
	return is_kernel ? add_chains(list) : 0;
}
