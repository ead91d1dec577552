// SPDX-License-Identifier: GPL-2.0
/*
 * Parse the text of a filter to a tree.
 *
 *	text	= terms joined by && and ||, in parentheses or not, '!' before any
 *	term	= field[.ustring|.function] operator value
 *	value	= number | "string" | 'string' | CPUS{list} | symbol
 *
 * && binds closer than ||. The tree is written in postfix order: operators wait on
 * a stack, one byte for each open parenthesis, until their right side is complete.
 * The parser does not recurse. measure() first finds out how much memory is needed,
 * by a scan of the text that knows only quotes, parentheses, && and ||.
 *
 * The reported error, its errno and its position are ABI. Some errnos are odd: EPERM,
 * ENOENT and ESRCH for unbalanced parentheses or quotes.
 *
 * No state. Contexts: task, may sleep.
 */
#include <linux/array_size.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/internal.h"

/* The operators that wait for their right side, for each open parenthesis. */
#define PENDING_AND	1
#define PENDING_OR	2
#define PENDING_NOT	4	/* a '!' before the parenthesis */

/**
 * struct filter_parser - a text being parsed
 * @call:	the event
 * @text:	the text
 * @rights:	what the filter may do, STROBE_FILTER_*
 * @at:		the next character
 * @tree:	the tree, as far as it has been parsed
 * @max_terms:	allocated number of terms in @tree
 * @pending:	the stack of PENDING_* bits; the bottom is for the whole text
 * @depth:	top of @pending
 * @max_depth:	size of @pending
 * @negate:	an odd number of '!' has been read since the last operand
 * @err:	set on error
 */
struct filter_parser {
	const struct trace_event_call	*call;
	const char			*text;
	unsigned int			rights;
	u32				at;
	struct filter_tree		*tree;
	u32				max_terms;
	u8				*pending;
	u32				depth;
	u32				max_depth;
	bool				negate;
	struct strobe_filter_error	*err;
};

static const char * const op_texts[FILTER_NR_OPS] = {
	[FILTER_OP_GLOB]	= "~",
	[FILTER_OP_NE]		= "!=",
	[FILTER_OP_EQ]		= "==",
	[FILTER_OP_LE]		= "<=",
	[FILTER_OP_LT]		= "<",
	[FILTER_OP_GE]		= ">=",
	[FILTER_OP_GT]		= ">",
	[FILTER_OP_BAND]	= "&",
};

/* The longest number that is accepted, with a NUL. */
#define NUMBER_MAX	24

static int parse_fail(struct strobe_filter_error *err, enum strobe_filter_code code, u32 pos,
		      int ret)
{
	err->code = code;
	err->pos = pos;
	return ret;
}

/* The tokens of a term */

static u32 skip_space(const char *text, u32 at)
{
	while (isspace(text[at]))
		at++;
	return at;
}

static bool skip_prefix(const char *text, u32 *at, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(text + *at, prefix, len))
		return false;
	*at += len;
	return true;
}

static void value_wrong(struct filter_words *words, enum strobe_filter_code code, u32 at)
{
	words->error = code;
	words->error_at = at;
}

static void read_digits(struct filter_words *words, u32 at)
{
	words->value = FILTER_VALUE_NUMBER;
	if (words->text[at] == '-')
		at++;
	while (isalnum(words->text[at]))
		at++;
	words->to = at;
	words->end = at;
	if (words->to - words->from >= NUMBER_MAX)
		value_wrong(words, STROBE_FILTER_OPERAND_TOO_LONG, at);
}

/* The name of a function ends only with a blank. */
static void read_symbol(struct filter_words *words, u32 at)
{
	words->value = FILTER_VALUE_SYMBOL;
	while (words->text[at] && !isspace(words->text[at]))
		at++;
	words->to = at;
	words->end = at;
}

static void read_quoted(struct filter_words *words, u32 at)
{
	char quote = words->text[at++];

	words->value = FILTER_VALUE_QUOTED;
	words->from = at;
	while (words->text[at] && words->text[at] != quote)
		at++;
	words->to = at;
	words->end = at;
	if (!words->text[at])
		return value_wrong(words, STROBE_FILTER_MISSING_QUOTE, at);
	words->end++;
	if (words->to - words->from >= MAX_FILTER_STR_VAL)
		value_wrong(words, STROBE_FILTER_OPERAND_TOO_LONG, at);
}

/* @at is the position after "CPUS". */
static void read_cpus(struct filter_words *words, u32 at)
{
	words->value = FILTER_VALUE_CPUS;
	if (words->text[at++] != '{')
		return value_wrong(words, STROBE_FILTER_MISSING_BRACE_OPEN, at);
	words->from = at;
	while (words->text[at] && words->text[at] != '}')
		at++;
	words->to = at;
	words->end = at;
	if (!words->text[at])
		return value_wrong(words, STROBE_FILTER_MISSING_BRACE_CLOSE, at);
	words->end++;
	if (words->from == words->to)
		value_wrong(words, STROBE_FILTER_INVALID_CPULIST, at);
}

static void read_value(struct filter_words *words, u32 at)
{
	char c = words->text[at];

	words->value_at = at;
	words->from = at;
	words->to = at;
	words->end = at;
	if (words->function) {
		if (isdigit(c))
			read_digits(words, at);
		else
			read_symbol(words, at);
	} else if (skip_prefix(words->text, &at, "CPUS")) {
		read_cpus(words, at);
	} else if (c == '\'' || c == '"') {
		read_quoted(words, at);
	} else if (isdigit(c) || c == '-') {
		read_digits(words, at);
	}
}

/*
 * Split a term into tokens. Returns false if it has no field's name. strobe_filter_check()
 * reports all other errors, in its order.
 */
static bool read_words(const char *text, u32 at, struct filter_words *words)
{
	*words = (struct filter_words) { .text = text, .begin = at };
	while (isalnum(text[at]) || text[at] == '_')
		at++;
	if (at == words->begin)
		return false;
	words->name_end = at;
	words->ustring = skip_prefix(text, &at, ".ustring");
	words->function = skip_prefix(text, &at, ".function");
	at = skip_space(text, at);
	words->op_at = at;
	for (words->op = 0; words->op < FILTER_NR_OPS; words->op++) {
		if (skip_prefix(text, &at, op_texts[words->op]))
			break;
	}
	if (words->op < FILTER_NR_OPS)
		read_value(words, skip_space(text, at));
	return true;
}

/* The tree */

static void add_node(struct filter_tree *tree, enum filter_node_kind kind, u32 first)
{
	tree->nodes[tree->nr_nodes++] = (struct filter_node) { .kind = kind, .first = first };
}

/*
 * Join the last two trees. The right one ends with the last node, and the left one just
 * before the first node of the right one. A tree of n terms has 2n - 1 nodes.
 */
static void join(struct filter_tree *tree, enum filter_node_kind kind)
{
	u32 right = tree->nodes[tree->nr_nodes - 1].first;
	u32 size = 2 * (tree->nr_terms - right) - 1;

	add_node(tree, kind, tree->nodes[tree->nr_nodes - 1 - size].first);
}

/* Called when an operand of && is complete, and with @either, also an operand of ||. */
static void join_pending(struct filter_parser *p, bool either)
{
	u8 *pending = &p->pending[p->depth];

	if (*pending & PENDING_AND)
		join(p->tree, FILTER_AND);
	*pending &= ~PENDING_AND;
	if (!either)
		return;
	if (*pending & PENDING_OR)
		join(p->tree, FILTER_OR);
	*pending &= ~PENDING_OR;
}

static int parse_term(struct filter_parser *p, u32 at)
{
	struct filter_tree *tree = p->tree;
	struct filter_words words;
	int ret;

	if (tree->nr_terms >= p->max_terms)
		return parse_fail(p->err, STROBE_FILTER_TOO_MANY_TERMS, at, -EPERM);
	if (!read_words(p->text, at, &words))
		return parse_fail(p->err, STROBE_FILTER_NO_ERROR, 0, -EPERM);
	ret = strobe_filter_check(p->call, &words, p->rights, &tree->terms[tree->nr_terms],
				  &tree->data, p->err);
	if (ret)
		return ret;
	add_node(tree, FILTER_TERM, tree->nr_terms++);
	tree->nodes[tree->nr_nodes - 1].negate = p->negate;
	p->negate = false;
	p->at = words.end;
	return 0;
}

static int open_parenthesis(struct filter_parser *p)
{
	if (p->depth + 1 >= p->max_depth)
		return -EINVAL;
	p->pending[++p->depth] = p->negate ? PENDING_NOT : 0;
	p->negate = false;
	return 0;
}

static int close_parenthesis(struct filter_parser *p)
{
	if (!p->depth)
		return parse_fail(p->err, STROBE_FILTER_TOO_MANY_CLOSE, p->at, -EPERM);
	join_pending(p, true);
	if (p->pending[p->depth--] & PENDING_NOT)
		p->tree->nodes[p->tree->nr_nodes - 1].negate ^= true;
	return 0;
}

/*
 * Parse what follows an operand: closing parentheses, then an operator or the end of the
 * text. Returns 1 if another operand must follow.
 */
static int parse_joint(struct filter_parser *p)
{
	const char *next;
	int ret;

	for (;;) {
		p->at = skip_space(p->text, p->at);
		next = p->text + p->at;
		if (!*next) {
			join_pending(p, true);
			return 0;
		}
		if (*next == ')') {
			p->at++;
			ret = close_parenthesis(p);
			if (ret)
				return ret;
			continue;
		}
		if ((*next != '&' && *next != '|') || next[1] != *next)
			return parse_fail(p->err, STROBE_FILTER_TOO_MANY_TERMS, p->at, -EPERM);
		p->at += 2;
		join_pending(p, *next == '|');
		p->pending[p->depth] |= *next == '|' ? PENDING_OR : PENDING_AND;
		return 1;
	}
}

/* Parse up to the end of the next term. Returns 1 if there is no other term. */
static int parse_operand(struct filter_parser *p)
{
	const char *next;
	int ret;

	for (;; p->at++) {
		p->at = skip_space(p->text, p->at);
		next = p->text + p->at;
		if (!*next)
			return 1;
		if (*next == '(') {
			ret = open_parenthesis(p);
			if (ret)
				return ret;
		} else if (*next == '!' && next[1] != '=' && next[1] != '~') {
			p->negate = !p->negate;
		} else {
			return parse_term(p, p->at);
		}
	}
}

static int parse_text(struct filter_parser *p)
{
	int ret;

	do {
		ret = parse_operand(p);
		if (ret == 1)
			return parse_fail(p->err, p->tree->nr_terms ? STROBE_FILTER_INCOMPLETE :
					  STROBE_FILTER_NO_FILTER, p->at, -EINVAL);
		if (!ret)
			ret = parse_joint(p);
	} while (ret == 1);
	if (ret)
		return ret;
	if (p->depth)
		return parse_fail(p->err, STROBE_FILTER_TOO_MANY_OPEN, p->at + 1, -EPERM);
	return 0;
}

/* The scan before parsing */

/* Find the last parenthesis that is not closed. */
static u32 find_open(const char *text, u32 at)
{
	u32 closed = 0;
	char quote = 0;

	while (at--) {
		if (quote) {
			if (text[at] == quote)
				quote = 0;
		} else if (text[at] == '\'' || text[at] == '"') {
			quote = text[at];
		} else if (text[at] == ')') {
			closed++;
		} else if (text[at] == '(' && !closed--) {
			return at;
		}
	}
	return 0;
}

/**
 * struct filter_measure - upper bounds for a text
 * @terms:	number of terms
 * @depth:	levels of parentheses, with one for the text itself
 */
struct filter_measure {
	u32	terms;
	u32	depth;
};

static int measure(const char *text, struct filter_measure *found,
		   struct strobe_filter_error *err)
{
	u32 open = 1, at, quote_at = 0;
	bool in_term = false;
	char quote = 0;

	*found = (struct filter_measure) { .depth = 1 };
	for (at = 0; text[at]; at++) {
		char c = text[at];

		if (quote || isspace(c)) {
			if (c == quote)
				quote = 0;
			continue;
		}
		if (c == '(' || c == ')' || ((c == '&' || c == '|') && text[at + 1] == c)) {
			in_term = false;
			open += c == '(';
			found->depth = max(found->depth, open);
			if (c == ')' && !--open)
				return parse_fail(err, STROBE_FILTER_TOO_MANY_CLOSE, at, -EPERM);
			continue;
		}
		if (c == '\'' || c == '"') {
			quote = c;
			quote_at = at;
		}
		found->terms += !in_term;
		in_term = true;
	}
	if (quote)
		return parse_fail(err, STROBE_FILTER_MISSING_QUOTE, quote_at, -ESRCH);
	if (open != 1)
		return parse_fail(err, STROBE_FILTER_TOO_MANY_OPEN, find_open(text, at), -ENOENT);
	return 0;
}

/**
 * strobe_filter_tree_free - free a tree and the constants that its terms refer to
 * @tree: the tree
 *
 * Context: task.
 */
void strobe_filter_tree_free(struct filter_tree *tree)
{
	struct filter_data *data, *next;

	for (data = tree->data; data; data = next) {
		next = data->next;
		kfree(data);
	}
	kvfree(tree->terms);
	kvfree(tree->nodes);
}

/**
 * strobe_filter_parse - parse a text to a tree
 * @call: the event whose records are filtered
 * @text: the text
 * @rights: what the filter may do, STROBE_FILTER_*
 * @tree: set to the tree; unless there is an error, the caller frees it with
 *	  strobe_filter_tree_free()
 * @err:  set on error
 *
 * Context: task, may sleep; the event must stay registered.
 * Return: 0; -EINVAL, -EPERM, -ENOENT or -ESRCH if the text is not a valid filter for
 *	   the event; -EACCES if a right is missing; -ENOMEM
 */
int strobe_filter_parse(const struct trace_event_call *call, const char *text, unsigned int rights,
			struct filter_tree *tree, struct strobe_filter_error *err)
{
	struct filter_parser p = {
		.call = call, .text = text, .rights = rights, .tree = tree, .err = err,
	};
	struct filter_measure found;
	int ret;

	*tree = (struct filter_tree) { };
	*err = (struct strobe_filter_error) { };
	ret = measure(text, &found, err);
	if (ret)
		return ret;
	if (!found.terms)
		return -EINVAL;

	p.max_terms = found.terms;
	p.max_depth = found.depth;
	tree->terms = kvcalloc(found.terms, sizeof(*tree->terms), GFP_KERNEL);
	tree->nodes = kvcalloc(found.terms, 2 * sizeof(*tree->nodes), GFP_KERNEL);
	p.pending = kvzalloc(found.depth, GFP_KERNEL);
	ret = -ENOMEM;
	if (tree->terms && tree->nodes && p.pending)
		ret = parse_text(&p);
	kvfree(p.pending);
	if (ret)
		strobe_filter_tree_free(tree);
	return ret;
}
