// SPDX-License-Identifier: GPL-2.0
/*
 * Parse an expression with its type, EXPR[:TYPE[N]], to a chain of nodes:
 *
 *	%REG  $stackN  $stack  $retval  $argN  $comm  @ADDR  @SYM  @+OFFSET  \NUMBER  \"TEXT"
 *	$FIELD of another event, a name that BTF knows, and +|-[u]OFFSET(EXPR) around it
 *
 * Only the first error counts, and its place is ABI. So the checks are in an order that
 * is not always the natural one. The place of an error is that of the argument's word plus
 * dyn_parser::offset, which moves to after each parenthesis that is opened and stays there.
 *
 * An argument has at most DYN_OPS_MAX steps: ABI, too. A node is a step, "@ADDR" is two and "@SYM"
 * three of them; so are a store, unless the last node reads what is stored, the shift of a bitfield
 * and the loop of an array.
 *
 * No state. Contexts: task, may sleep.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/thread_info.h>

#include "dynamic/btf.h"
#include "dynamic/errors.h"
#include "dynamic/internal.h"
#include "dynamic/regs.h"
#include "event/fields.h"

/* The greatest number of a word on the stack, and of a parameter: ABI. */
#define STACK_WORDS	(THREAD_SIZE / sizeof(unsigned long))

static bool is_comm(const char *name)
{
	return !strcmp(name, "comm") || !strcmp(name, "COMM");
}

/* A field of the other event, without the '$'. */
static int parse_field(struct dyn_parser *p, const char *name)
{
	struct strobe_field_iter it;
	struct dyn_node *node;

	strobe_for_each_field(&it, p->source->event) {
		if (strcmp(it.field->name, name))
			continue;
		node = strobe_dyn_push(p, DYN_FIELD, it.offset);
		node->len = it.field->size;
		node->kind = strobe_field_filter_type(it.field);
		node->is_signed = it.field->is_signed;
		return 0;
	}
	if (!is_comm(name))
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_VAR);
	strobe_dyn_push(p, DYN_COMM, 0);
	return 0;
}

static int parse_retval(struct dyn_parser *p, char *text)
{
	if (!(p->source->flags & DYN_RETURN))
		return dyn_refuse(p, -EINVAL, DYN_ERR_RETVAL_ON_PROBE);
	if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && (p->source->flags & DYN_KERNEL))
		return strobe_dyn_btf_parse(p, text);
	strobe_dyn_push(p, DYN_RETVAL, 0);
	return 0;
}

/* @number follows "$stack". */
static int parse_stack(struct dyn_parser *p, const char *number)
{
	unsigned long word;

	if (!*number) {
		strobe_dyn_push(p, DYN_STACK_POINTER, 0);
		return 0;
	}
	if (!isdigit(*number) || kstrtoul(number, 10, &word))
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_VAR);
	if ((p->source->flags & DYN_KERNEL) && word > STACK_WORDS)
		return dyn_refuse(p, -EINVAL, "Invalid stack number");
	strobe_dyn_push(p, DYN_STACK, (u32)word);
	return 0;
}

/* @number follows "$arg". */
static int parse_param(struct dyn_parser *p, const char *number)
{
	unsigned long param;

	if (kstrtoul(number, 10, &param))
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_VAR);
	if (!param || param > STACK_WORDS)
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_ARG_NUM);
	if (!dyn_is_entry(p->source) && !dyn_is_return(p->source))
		return dyn_refuse(p, -EINVAL, DYN_ERR_NOFENTRY_ARGS);
	return strobe_dyn_push_param(p, param - 1);
}

static int parse_variable(struct dyn_parser *p, char *text)
{
	const char *name = text + 1;

	if (p->source->flags & DYN_EVENT)
		return parse_field(p, name);
	if (str_has_prefix(name, "retval"))
		return parse_retval(p, text);
	if (str_has_prefix(name, "stack"))
		return parse_stack(p, name + strlen("stack"));
	if (is_comm(name)) {
		strobe_dyn_push(p, DYN_COMM, 0);
		return 0;
	}
	if (IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && str_has_prefix(name, "arg"))
		return parse_param(p, name + strlen("arg"));
	return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_VAR);
}

static int parse_register(struct dyn_parser *p, const char *name)
{
	int offset;

	if (p->source->flags & (DYN_EVENT | DYN_FPROBE)) {
		dyn_refuse(p, -EINVAL, DYN_ERR_BAD_VAR);
		p->line->error.next = DYN_ERR_BAD_FETCH_ARG;
		return -EINVAL;
	}
	offset = regs_query_register_offset(name);
	if (offset < 0)
		return dyn_refuse(p, offset, "Invalid register name");
	strobe_dyn_push(p, DYN_REG, offset);
	return 0;
}

/* What follows '@': an address, an offset in the file, or a symbol. */
static int parse_memory(struct dyn_parser *p, const char *base, const char *text)
{
	unsigned long addr;
	struct dyn_node *node;
	long offset;
	int ret;

	if (isdigit(*text)) {
		ret = kstrtoul(text, 0, &addr);
		if (ret)
			return dyn_refuse(p, ret, "Invalid memory address");
		strobe_dyn_push(p, DYN_NUMBER, addr);
	} else if (*text == '+') {
		if (p->source->flags & DYN_KERNEL)
			return dyn_refuse(p, -EINVAL, "File offset is not available with kprobe");
		ret = kstrtol(text + 1, 0, &offset);
		if (ret)
			return dyn_refuse(p, ret, "Invalid file offset value");
		strobe_dyn_push(p, DYN_FILE, offset);
	} else {
		if (!(p->source->flags & DYN_KERNEL))
			return dyn_refuse(p, -EINVAL, "Symbol is not available with uprobe");
		node = strobe_dyn_push(p, DYN_SYMBOL, 0);
		node->at = text - base;
		node->len = strlen(text);
		p->ops++;
	}
	return strobe_dyn_push_read(p, DYN_READ, 0);
}

static int parse_number(const char *text, long *val)
{
	if (isdigit(*text))
		return kstrtoul(text, 0, (unsigned long *)val);
	if (*text == '-')
		return kstrtol(text, 0, val);
	return *text == '+' ? kstrtol(text + 1, 0, val) : -EINVAL;
}

/* What follows a backslash. */
static int parse_constant(struct dyn_parser *p, const char *base, const char *text)
{
	struct dyn_node *node;
	long val;
	u32 len;
	int ret;

	if (*text != '"') {
		ret = parse_number(text, &val);
		if (ret)
			return dyn_refuse_at(p, p->offset + 1, ret, "Invalid immediate value");
		strobe_dyn_push(p, DYN_NUMBER, (unsigned long)val);
		return 0;
	}
	len = strlen(++text);
	if (!len || text[len - 1] != '"')
		return dyn_refuse_at(p, p->offset + 2 + len, -EINVAL,
				     "String is not closed with '\"'");
	node = strobe_dyn_push(p, DYN_TEXT, 0);
	node->at = text - base;
	node->len = len - 1;
	return 0;
}

static int parse_chain(struct dyn_parser *p, char *base, char *text);

/* "+OFFSET(EXPR)": offsets may have one more sign, which counts for the place of errors. */
static int parse_read(struct dyn_parser *p, char *base, char *text)
{
	enum dyn_op op = DYN_READ;
	char *inner, *end;
	u32 place, last;
	long offset;
	int ret;

	if (text[1] == 'u') {
		op = DYN_READ_USER;
		text[1] = text[0];
		text++;
	}
	if (*text == '+')
		text++;
	inner = strchr(text, '(');
	if (!inner)
		return dyn_refuse(p, -EINVAL, "Dereference needs a brace");
	*inner++ = 0;
	ret = kstrtol(text, 0, &offset);
	if (ret)
		return dyn_refuse(p, ret, "Invalid dereference offset");
	p->offset += inner - text + (*text != '-');
	place = p->offset;
	end = strrchr(inner, ')');
	if (!end)
		return dyn_refuse_at(p, place + strlen(inner), -EINVAL,
				     "Dereference brace is not closed");
	*end = 0;
	ret = parse_chain(p, base, inner);
	if (ret)
		return ret;
	p->offset = place;
	last = p->nodes[p->nr_nodes - 1].op;
	if (last == DYN_COMM || last == DYN_TEXT)
		return dyn_refuse(p, -EINVAL, "$comm can not be dereferenced");
	p->btf.type = NULL;
	return strobe_dyn_push_read(p, op, offset);
}

/* Parse the part @text of the expression @base, which is changed. */
static int parse_chain(struct dyn_parser *p, char *base, char *text)
{
	switch (*text) {
	case '$':
		return parse_variable(p, text);
	case '%':
		return parse_register(p, text + 1);
	case '@':
		return parse_memory(p, base, text + 1);
	case '+':
	case '-':
		return parse_read(p, base, text);
	case '\\':
		return parse_constant(p, base, text + 1);
	}
	if (!isalpha(*text) && *text != '_')
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_FETCH_ARG);
	if (!dyn_is_entry(p->source) && !dyn_is_return(p->source))
		return dyn_refuse(p, -EINVAL, DYN_ERR_NOSUP_BTFARG);
	if (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
		return dyn_refuse(p, -EOPNOTSUPP, DYN_ERR_NOSUP_BTFARG);
	return strobe_dyn_btf_parse(p, text);
}

/* Parse "[N]" of the type, without the '[', and cut it off. @text is the expression. */
static int parse_array(struct dyn_parser *p, const char *text, char *number, struct dyn_arg *arg)
{
	const u32 at = p->offset + (number - text);
	char *end = strchr(number, ']');
	unsigned int count;

	if (!end)
		return dyn_refuse_at(p, at + strlen(number), -EINVAL, "Array is not closed");
	if (end[1])
		return dyn_refuse_at(p, at + (end + 1 - number), -EINVAL,
				     "Array has wrong suffix");
	*end = 0;
	if (kstrtouint(number, 0, &count) || !count)
		return dyn_refuse_at(p, at, -EINVAL, "Invalid array size");
	if (count > DYN_ARRAY_MAX)
		return dyn_refuse_at(p, at, -EINVAL, "Array number is too big");
	arg->count = count;
	return 0;
}

/* Parse the type and cut it off. *@type is its name, or NULL. */
static int parse_type(struct dyn_parser *p, char *text, char **type, struct dyn_arg *arg)
{
	char *name = strchr(text, ':'), *bracket;
	int ret;
	u32 at;

	*type = name ? name + 1 : NULL;
	if (name) {
		*name++ = 0;
		bracket = strchr(name, '[');
		if (bracket) {
			*bracket++ = 0;
			ret = parse_array(p, text, bracket, arg);
			if (ret)
				return ret;
		}
	}
	at = p->offset + (name ? name - text : 0);
	if (!(p->source->flags & DYN_EVENT) &&
	    ((*text == '$' && is_comm(text + 1)) || !strncmp(text, "\\\"", 2))) {
		if (arg->count || (name && strcmp(name, "string")))
			return dyn_refuse_at(p, at, -EINVAL,
					     "$comm and immediate-string only accepts string type");
		name = "string";
	}
	ret = strobe_dyn_type_find(name, p->source->flags);
	if (ret < 0)
		return dyn_refuse_at(p, at, -EINVAL, "Unknown type is specified");
	arg->type = ret;
	return 0;
}

/* One more step that has no node. */
static int count_step(struct dyn_parser *p, int ret)
{
	if (++p->ops < DYN_OPS_MAX)
		return 0;
	return dyn_refuse(p, ret, DYN_ERR_TOO_MANY_OPS);
}

/* Whether the kind of string can be made from what the last node has. */
static bool string_fits(u8 kind, u8 op)
{
	switch (op) {
	case DYN_REG:
	case DYN_STACK:
	case DYN_RETVAL:
	case DYN_PARAM:
		return kind == DYN_KIND_SYMSTR;
	case DYN_READ_USER:
	case DYN_NUMBER:
	case DYN_COMM:
	case DYN_TEXT:
		return kind != DYN_KIND_SYMSTR;
	case DYN_READ:
	case DYN_FIELD:
		return true;
	}
	return false;
}

static int store_string(struct dyn_parser *p, u32 at, struct dyn_arg *arg)
{
	u8 kind = dyn_arg_type(arg)->kind, op = p->nodes[p->nr_nodes - 1].op;
	bool is_symstr = kind == DYN_KIND_SYMSTR, keeps = is_symstr || op < DYN_READ || arg->count;

	if (!string_fits(kind, op))
		return dyn_refuse_at(p, at, -EINVAL, is_symstr ?
				     "Symbol String doesn't accept data/userdata" :
				     DYN_ERR_BAD_STRING);
	if (is_symstr)
		arg->store = DYN_STORE_SYMSTR;
	else if (kind == DYN_KIND_USTRING || (op == DYN_READ_USER && !keeps))
		arg->store = DYN_STORE_USTRING;
	else
		arg->store = DYN_STORE_STRING;
	return keeps ? count_step(p, -EINVAL) : 0;
}

/* How to store the value. @at is the place of the type. */
static int parse_store(struct dyn_parser *p, const char *type, u32 at, struct dyn_arg *arg)
{
	u8 op = p->nodes[p->nr_nodes - 1].op;
	int ret = 0;

	if (dyn_type_is_string(dyn_arg_type(arg))) {
		ret = store_string(p, at, arg);
	} else if (op >= DYN_READ) {
		arg->store = DYN_STORE_MEMORY;
	} else {
		arg->store = DYN_STORE_VALUE;
		ret = count_step(p, -E2BIG);
	}
	if (ret)
		return ret;
	if (type && *type == 'b') {
		if (strobe_dyn_bits_parse(type, arg) || ++p->ops >= DYN_OPS_MAX)
			return dyn_refuse_at(p, at, -EINVAL, DYN_ERR_BAD_BITFIELD);
	} else if (!type && dyn_btf_has_type(p)) {
		ret = strobe_dyn_btf_bits(p, arg);
		if (ret)
			return ret;
	}
	if (!arg->count)
		return 0;
	if (arg->store == DYN_STORE_VALUE || arg->store == DYN_STORE_SYMSTR ||
	    (arg->store == DYN_STORE_MEMORY && op == DYN_READ_USER))
		return dyn_refuse_at(p, at, -EINVAL, DYN_ERR_BAD_STRING);
	return count_step(p, -E2BIG);
}

/* The type of what BTF has a type of. */
static int parse_btf_type(struct dyn_parser *p, const char *type, struct dyn_arg *arg)
{
	int ret;

	if (!dyn_btf_has_type(p))
		return 0;
	if (type)
		return strstr(type, "string") ? strobe_dyn_btf_string(p, *type == 'u') : 0;
	ret = strobe_dyn_btf_type(p);
	if (ret >= 0)
		arg->type = ret;
	return min(ret, 0);
}

/**
 * strobe_dyn_expr_parse - parse an expression with its type
 * @p:    the parser; @p->offset is the place of @text in the argument
 * @text: the expression, which is changed
 * @arg:  filled in: type, count, store and shifts, offset, nodes
 *
 * Return: 0; or refused: -EINVAL, -E2BIG, or another errno that is ABI
 */
int strobe_dyn_expr_parse(struct dyn_parser *p, char *text, struct dyn_arg *arg)
{
	char *type;
	int ret;

	p->first = p->nr_nodes;
	p->ops = 0;
	ret = parse_type(p, text, &type, arg);
	if (ret)
		return ret;
	p->btf.type = NULL;
	ret = parse_chain(p, text, text);
	if (!ret)
		ret = parse_btf_type(p, type, arg);
	if (ret)
		return ret;
	arg->offset = p->fixed;
	p->fixed += dyn_arg_bytes(arg);
	if (p->fixed > DYN_FIXED_MAX)
		return dyn_refuse(p, -E2BIG, "Event too big (too many fields?)");
	ret = parse_store(p, type, p->offset + (type ? type - text : 0), arg);
	if (ret)
		return ret;
	arg->node = p->first;
	arg->nr_nodes = p->nr_nodes - p->first;
	return 0;
}
