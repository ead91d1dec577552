// SPDX-License-Identifier: GPL-2.0
/*
 * The arguments of a probe: parsed from the words of a line, compared, and described as fields.
 *
 * They are one allocation, as there may be many probes: struct dyn_args, a struct dyn_arg by
 * argument, then all their nodes, then the texts with a NUL after each. Nothing in it changes
 * but the addresses of symbols, which strobe_dyn_args_bind() sets.
 *
 * No other state. Contexts: task; parsing may sleep.
 */
#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/strobe/event.h>

#include "dynamic/btf.h"
#include "dynamic/internal.h"

/* The longest type that the format file shows: "__data_loc char[][64]". */
#define FORMAT_MAX	24U

/* Names that no argument may have: ABI. */
static const char *const reserved[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid", "common_tgid",
	"__probe_ip", "__probe_ret_ip", "__probe_func",
};

/**
 * struct builder - arguments that are being parsed
 * @p:		the parser
 * @args:	the arguments, with memory for more nodes than they will have
 * @text:	memory for all texts, after that
 * @nr:		number of the current argument
 * @text_len:	bytes of @text
 */
struct builder {
	struct dyn_parser	p;
	struct dyn_args		*args;
	char			*text;
	u32			nr;
	u32			text_len;
};

static u32 add_text(struct builder *b, const char *text, u32 len)
{
	u32 at = b->text_len;

	memcpy(b->text + at, text, len);
	b->text[at + len] = 0;
	b->text_len += len + 1;
	return at;
}

/* Does the name b->text + @name belong to something else? */
static bool name_is_used(const struct builder *b, u32 name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++) {
		if (!strcmp(b->text + name, reserved[i]))
			return true;
	}
	for (i = 0; i < b->nr; i++) {
		if (!strcmp(b->text + name, b->text + dyn_arg(b->args, i)->name))
			return true;
	}
	return false;
}

/* The name of an argument that has none in the line. */
static u32 add_default_name(struct builder *b, const char *expr)
{
	u32 len = strchrnul(expr, ':') - expr;
	char name[sizeof("arg4294967295")];

	if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && strobe_dyn_is_name(expr, len, false))
		return add_text(b, expr, len);
	len = scnprintf(name, sizeof(name), "arg%u", b->nr + 1);
	return add_text(b, name, len);
}

/* Parse the argument's name; *@expr is set to what follows. */
static int parse_name(struct builder *b, const char *word, const char **expr)
{
	struct dyn_arg *arg = dyn_arg(b->args, b->nr);
	const char *equal = strchr(word, '=');

	*expr = equal ? equal + 1 : word;
	if (equal) {
		if (equal - word > DYN_ARG_NAME_MAX)
			return dyn_refuse(&b->p, -EINVAL, "Argument name is too long");
		if (equal == word)
			return dyn_refuse(&b->p, -EINVAL, "Argument name is not specified");
		if (!strobe_dyn_is_name(word, equal - word, false))
			return dyn_refuse(&b->p, -EINVAL,
					  "Argument name must follow the same rules as C identifiers");
		arg->name = add_text(b, word, equal - word);
	} else {
		arg->name = add_default_name(b, word);
	}
	if (name_is_used(b, arg->name))
		return dyn_refuse(&b->p, -EINVAL, "This argument name is already used");
	return 0;
}

static void add_format(struct builder *b, struct dyn_arg *arg)
{
	char format[FORMAT_MAX];
	u32 len;

	len = scnprintf(format, sizeof(format), "%s[%u]", dyn_arg_type(arg)->field, arg->count);
	arg->format = add_text(b, format, len);
}

static int parse_arg(struct builder *b, const char *word)
{
	struct dyn_arg *arg = dyn_arg(b->args, b->nr);
	char copy[DYN_EXPR_MAX + 1];
	const char *expr;
	u32 len;
	int ret;

	b->p.offset = 0;
	ret = parse_name(b, word, &expr);
	if (ret)
		return ret;
	b->p.offset = expr - word;
	len = strlen(expr);
	if (len > DYN_EXPR_MAX)
		return dyn_refuse(&b->p, -E2BIG, "Argument expression is too long");
	if (!len)
		return dyn_refuse(&b->p, -EINVAL, "No argument expression");
	arg->expr = add_text(b, expr, len);
	memcpy(copy, expr, len + 1);
	ret = strobe_dyn_expr_parse(&b->p, copy, arg);
	if (!ret && arg->count)
		add_format(b, arg);
	return ret;
}

static void args_init(struct dyn_args *args, const struct dyn_source *source)
{
	*args = (struct dyn_args) {
		.refs	= 1,
		.head	= source->head,
		.flags	= source->flags,
	};
}

/* What the kinds of the arguments tell of the record and the program. */
static void summarize(struct dyn_args *args)
{
	const struct dyn_node *nodes = dyn_nodes(args);
	u32 i;

	for (i = 0; i < args->nr; i++)
		args->strings |= dyn_type_is_string(dyn_arg_type(dyn_arg(args, i)));
	for (i = 0; i < args->nr_nodes; i++) {
		args->reads |= nodes[i].op >= DYN_READ;
		/* The stack of a task is its memory. */
		args->reads |= nodes[i].op == DYN_STACK && (args->flags & DYN_USER);
	}
	args->reads |= args->strings;
}

/*
 * The most bytes that the texts of an argument take: its name, which may be the whole argument,
 * its expression, and its type in the format file.
 */
static size_t text_room(const char *text)
{
	return strlen(text) + 1 + DYN_EXPR_MAX + 1 + FORMAT_MAX;
}

/* Move the texts to the end of the nodes, and copy all to an allocation of just its size. */
static struct dyn_args *keep(const struct builder *b)
{
	struct dyn_args *args = b->args, *copy;

	args->nr_nodes = b->p.nr_nodes;
	args->fixed = b->p.fixed;
	args->kept = b->p.kept;
	summarize(args);
	memmove(dyn_text(args), b->text, b->text_len);
	copy = kmemdup(args, dyn_text(args) + b->text_len - (char *)args, GFP_KERNEL);
	return copy ?: ERR_PTR(-ENOMEM);
}

static struct dyn_args *parse_list(struct builder *b, const struct dyn_list *list, u32 first)
{
	size_t len = sizeof(struct dyn_args) + 1;
	u32 i;
	int ret;

	for (i = 0; i < list->nr; i++)
		len += sizeof(struct dyn_arg) + DYN_OPS_MAX * sizeof(struct dyn_node) +
		       text_room(list->texts[i]);

	struct dyn_args *args __free(kvfree) = kvzalloc(len, GFP_KERNEL);

	if (!args)
		return ERR_PTR(-ENOMEM);
	args_init(args, b->p.source);
	args->nr = list->nr;
	b->args = args;
	b->p.nodes = dyn_nodes(args);
	b->text = (char *)(b->p.nodes + list->nr * DYN_OPS_MAX);
	/* 0 is no place of a format. */
	b->text_len = 1;
	for (; b->nr < list->nr; b->nr++) {
		b->p.word = first + b->nr;
		ret = parse_arg(b, list->texts[b->nr]);
		if (ret)
			return ERR_PTR(ret);
	}
	return keep(b);
}

/**
 * strobe_dyn_args_parse - parse the arguments of a definition
 * @line:  the line, with its words and its source; its error is set if an argument is refused
 * @first: the first word that is an argument
 *
 * Context: task, may sleep; @line->source.event must stay registered.
 * Return: the arguments, with one reference, or an errno. -ENOMEM also if expansions of "%pd" are
 *	   too long, -E2BIG without a text if there are more than DYN_ARGS_MAX arguments.
 */
struct dyn_args *strobe_dyn_args_parse(struct dyn_line *line, u32 first)
{
	struct dyn_list *list __free(kfree) = kzalloc(sizeof(*list), GFP_KERNEL);
	struct builder b = { .p = { .line = line, .source = &line->source } };
	struct dyn_args *args;
	int ret;

	if (!list)
		return ERR_PTR(-ENOMEM);
	ret = strobe_dyn_expand(list, &b.p, first);
	args = ret ? ERR_PTR(ret) : parse_list(&b, list, first);
	if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
		strobe_dyn_btf_close(&b.p);
	return args;
}

/**
 * strobe_dyn_args_none - make an empty list of arguments
 * @source: the source
 *
 * Context: task, may sleep.
 * Return: no arguments, with one reference; NULL: no memory
 */
struct dyn_args *strobe_dyn_args_none(const struct dyn_source *source)
{
	struct dyn_args *args = kmalloc(sizeof(*args), GFP_KERNEL);

	if (args)
		args_init(args, source);
	return args;
}

/**
 * strobe_dyn_args_put - drop a reference to arguments
 * @args: the arguments; may be NULL
 *
 * Context: task; strobe_event_mutex held, or the caller has the only reference.
 */
void strobe_dyn_args_put(struct dyn_args *args)
{
	if (args && !--args->refs)
		kfree(args);
}

/* Look up "SYM[+-OFFSET]". */
static int bind_symbol(struct dyn_node *node, const char *expr)
{
	char name[DYN_EXPR_MAX + 1], *sign;
	long offset = 0;
	int ret;

	memcpy(name, expr + node->at, node->len);
	name[node->len] = 0;
	sign = strpbrk(name, "+-");
	if (sign) {
		ret = kstrtol(sign, 0, &offset);
		if (ret)
			return ret;
		*sign = 0;
	}
	node->val = kallsyms_lookup_name(name);
	if (!node->val)
		return -ENOENT;
	node->val = (unsigned long)(node->val + offset);
	return 0;
}

/**
 * strobe_dyn_args_bind - look up the symbols that arguments name
 * @args: the arguments
 *
 * To be called before they are compiled, and again before that when a module has come.
 *
 * Context: task, may sleep; one caller at a time.
 * Return: 0; -ENOENT if there is no such symbol; -EINVAL or -ERANGE if its offset is no number
 */
int strobe_dyn_args_bind(struct dyn_args *args)
{
	struct dyn_node *nodes = dyn_nodes(args);
	const struct dyn_arg *arg;
	u32 i, j;
	int ret;

	for (i = 0; i < args->nr; i++) {
		arg = dyn_arg(args, i);
		for (j = arg->node; j < arg->node + arg->nr_nodes; j++) {
			if (nodes[j].op != DYN_SYMBOL)
				continue;
			ret = bind_symbol(&nodes[j], dyn_text(args) + arg->expr);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static bool looks_same(const struct dyn_args *a, const struct dyn_args *b, u32 i)
{
	const struct dyn_arg *x = dyn_arg(a, i), *y = dyn_arg(b, i);

	return x->type == y->type && x->count == y->count &&
	       !strcmp(dyn_text(a) + x->name, dyn_text(b) + y->name);
}

/**
 * strobe_dyn_args_differ - compare how two probes' arguments look in a record
 * @a: the one
 * @b: the other
 *
 * Return: 0 if they are the same; else the number, from 1, of the first one that differs, or
 *	   that only one of them has
 */
int strobe_dyn_args_differ(const struct dyn_args *a, const struct dyn_args *b)
{
	u32 i;

	if (a->nr != b->nr)
		return min(a->nr, b->nr) + 1;
	for (i = 0; i < a->nr; i++) {
		if (!looks_same(a, b, i))
			return i + 1;
	}
	return 0;
}

/**
 * strobe_dyn_args_same - whether two probes' arguments have the same expressions
 * @a: the one
 * @b: the other, for which strobe_dyn_args_differ() returns 0
 */
bool strobe_dyn_args_same(const struct dyn_args *a, const struct dyn_args *b)
{
	u32 i;

	for (i = 0; i < a->nr; i++) {
		if (strcmp(dyn_text(a) + dyn_arg(a, i)->expr, dyn_text(b) + dyn_arg(b, i)->expr))
			return false;
	}
	return true;
}

/**
 * strobe_dyn_args_match - whether words name the arguments of a probe, or the first ones
 * @args:  the arguments
 * @words: a line
 * @first: the first word of it that is an argument
 */
bool strobe_dyn_args_match(const struct dyn_args *args, const struct dyn_words *words, u32 first)
{
	u32 i, nr = words->nr - min(first, words->nr), len;
	const char *word, *name;

	if (nr > args->nr)
		return false;
	for (i = 0; i < nr; i++) {
		word = dyn_word(words, first + i);
		name = dyn_text(args) + dyn_arg(args, i)->name;
		len = strlen(name);
		if (strncmp(word, name, len) || word[len] != '=' ||
		    strcmp(word + len + 1, dyn_text(args) + dyn_arg(args, i)->expr))
			return false;
	}
	return true;
}
