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
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "dynamic/btf.h"
#include "dynamic/errors.h"
#include "dynamic/internal.h"

#define NAMES_MAX	128U	/* bytes of the parameters' names */
#define CHAINS_MAX	256U	/* bytes of what reads names of dentries */
#define NO_WORD		U32_MAX

/* The buffers of struct dyn_list::buf, and what is used of them. */
struct expansion {
	struct dyn_parser	*p;
	struct dyn_list		*list;
	u32			first;
	u32			names;
	u32			chains;
};

static int refuse(struct dyn_parser *p, const char *text, int ret)
{
	return strobe_dyn_refuse(p, 0, text, ret);
}

/* Look for words that begin with "$arg". *@all is set to the one that is "$arg*". */
static int find_params(struct expansion *e, bool *found, u32 *all)
{
	const struct dyn_words *words = e->p->words;
	const char *rest;
	u32 i;

	*found = false;
	*all = NO_WORD;
	for (i = e->first; i < words->nr; i++) {
		rest = dyn_word(words, i);
		if (!str_has_prefix(rest, "$arg"))
			continue;
		rest += strlen("$arg");
		e->p->word = i;
		if (!dyn_is_entry(e->p->source) && !dyn_is_return(e->p->source))
			return refuse(e->p, DYN_ERR_NOFENTRY_ARGS, -EINVAL);
		*found = true;
		if (isdigit(*rest))
			continue;
		if (*rest != '*')
			return refuse(e->p, DYN_ERR_BAD_VAR, -EINVAL);
		if (*all != NO_WORD)
			return refuse(e->p, DYN_ERR_DOUBLE_ARGS, -EINVAL);
		*all = i;
	}
	return 0;
}

/* Append the name of a parameter with a type. */
static int add_param(struct expansion *e, u32 param, const char *type)
{
	char *to = e->list->buf + e->names;
	const char *name;
	u32 len;

	if (param >= e->p->btf.nr_params)
		return refuse(e->p, DYN_ERR_NO_BTFARG, -ENOENT);
	name = dyn_btf_param_name(e->p, param);
	if (!name)
		return refuse(e->p, DYN_ERR_NO_BTF_ENTRY, -ENOENT);
	len = snprintf(to, NAMES_MAX - e->names, "%s%s", name, type);
	if (len >= NAMES_MAX - e->names)
		return refuse(e->p, DYN_ERR_ARGS_2LONG, -E2BIG);
	e->names += len + 1;
	e->list->texts[e->list->nr++] = to;
	return 0;
}

static int add_numbered(struct expansion *e, const char *number)
{
	u32 param = 0;

	/* A number that is too large for any function stays so. */
	for (; isdigit(*number); number++)
		param = min(10 * param + (*number - '0'), 1U << 16);
	if (*number && *number != ':')
		return refuse(e->p, DYN_ERR_BAD_VAR, -ENOENT);
	if (!param)
		return refuse(e->p, DYN_ERR_BAD_ARG_NUM, -EINVAL);
	return add_param(e, param - 1, number);
}

static int add_words(struct expansion *e, bool expand, u32 all)
{
	const struct dyn_words *words = e->p->words;
	u32 i, param;
	int ret = 0;

	for (i = e->first; i < words->nr && !ret; i++) {
		const char *word = dyn_word(words, i);

		e->p->word = i;
		if (i == all) {
			for (param = 0; param < e->p->btf.nr_params && !ret; param++)
				ret = add_param(e, param, "");
		} else if (expand && str_has_prefix(word, "$arg")) {
			ret = add_numbered(e, word + strlen("$arg"));
		} else {
			e->list->texts[e->list->nr++] = word;
		}
	}
	return ret;
}

/* Does an argument end with ":%pd" or ":%pD"? */
static bool is_dentry(const char *text, size_t len)
{
	return len >= 4 && !strncmp(text + len - 4, ":%p", 3) &&
	       (text[len - 1] == 'd' || text[len - 1] == 'D');
}

static int add_chain(struct expansion *e, const char **text, size_t len)
{
	char *to = e->list->buf + NAMES_MAX + e->chains;
	u32 room = CHAINS_MAX - e->chains, used;
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
	e->chains += used + 1;
	*text = to;
	return 0;
}

static int add_chains(struct expansion *e)
{
	struct dyn_list *list = e->list;
	size_t len;
	u32 i;
	int ret;

	for (i = 0; i < list->nr; i++) {
		len = strlen(list->texts[i]);
		if (!is_dentry(list->texts[i], len))
			continue;
		ret = add_chain(e, &list->texts[i], len);
		if (ret)
			return ret;
	}
	return 0;
}

static int expand_params(struct expansion *e)
{
	const struct dyn_words *words = e->p->words;
	bool is_kernel = (e->p->source->flags & (DYN_KERNEL | DYN_EVENT)) == DYN_KERNEL;
	u32 all = NO_WORD, nr = words->nr - min(e->first, words->nr);
	bool found = false;
	int ret;

	if (is_kernel) {
		ret = find_params(e, &found, &all);
		if (ret)
			return ret;
	}
	if (found && (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) || strobe_dyn_btf_open(e->p) ||
		      !e->p->btf.nr_params)) {
		if (all != NO_WORD)
			return refuse(e->p, DYN_ERR_NOSUP_BTFARG, -EOPNOTSUPP);
		found = false;
	}
	if (all != NO_WORD)
		nr += e->p->btf.nr_params - 1;
	e->list->texts = kcalloc(nr + 1, sizeof(*e->list->texts), GFP_KERNEL);
	e->list->buf = kmalloc(NAMES_MAX + CHAINS_MAX, GFP_KERNEL);
	if (!e->list->texts || !e->list->buf)
		return -ENOMEM;
	ret = add_words(e, found, all);
	if (ret)
		return ret;
	if (e->list->nr > DYN_ARGS_MAX)
		return -E2BIG;
	return is_kernel ? add_chains(e) : 0;
}

/**
 * strobe_dyn_expand - list the arguments of a line
 * @list:  set to the arguments; the caller calls strobe_dyn_list_free(), also after an error
 * @p:     the parser, which has the source, the line and the error
 * @first: the first word that is an argument
 *
 * Context: task, may sleep.
 * Return: 0; -E2BIG if there are more than DYN_ARGS_MAX; -ENOMEM, also if the expansions are too
 *	   long; or refused: -EINVAL, -ENOENT, -EOPNOTSUPP, -E2BIG
 */
int strobe_dyn_expand(struct dyn_list *list, struct dyn_parser *p, u32 first)
{
	struct expansion e = { .p = p, .list = list, .first = first };

	*list = (struct dyn_list) { };
	return expand_params(&e);
}

/**
 * strobe_dyn_list_free - free what strobe_dyn_expand() has allocated
 * @list: the list
 */
void strobe_dyn_list_free(struct dyn_list *list)
{
	kfree(list->texts);
	kfree(list->buf);
}
