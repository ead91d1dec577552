/* SPDX-License-Identifier: GPL-2.0 */
/* What the arguments of a probe consist of. Private to the files that parse and compile them. */
#ifndef _STROBE_DYNAMIC_INTERNAL_H
#define _STROBE_DYNAMIC_INTERNAL_H

#include <linux/limits.h>
#include <linux/types.h>
#include <linux/unaligned.h>

#include "dynamic/args.h"
#include "dynamic/line.h"

#define DYN_EXPR_MAX	63U		/* bytes of an expression with its type: ABI */
#define DYN_ARG_NAME_MAX 32U		/* bytes of a name that is given: ABI */
#define DYN_ARRAY_MAX	64U		/* elements: ABI */
#define DYN_OPS_MAX	15U		/* steps of an argument, see parse.c */
#define DYN_STRING_MAX	4096U		/* bytes of a recorded string with its NUL */

/* An expression is a chain: a node with a value, then nodes that read what it points to. */
enum dyn_op {
	DYN_NOTHING,
	DYN_REG,		/* @val: offset in struct pt_regs */
	DYN_STACK,		/* @val: number of a word on the stack */
	DYN_STACK_POINTER,
	DYN_RETVAL,
	DYN_PARAM,		/* @val: number of a parameter, from 0 */
	DYN_KEPT,		/* @val: offset in dyn_frame::kept; @at: number of the parameter */
	DYN_NUMBER,		/* @val */
	DYN_SYMBOL,		/* @at, @len: its text; @val: its address */
	DYN_COMM,
	DYN_TEXT,		/* @at, @len: the text */
	DYN_FILE,		/* @val: offset in the file */
	DYN_FIELD,		/* @val: offset in the record, @len: size, @kind: FILTER_* */
	DYN_READ,		/* @val: offset from the address */
	DYN_READ_USER,		/* the same, always from user space */
};

/**
 * struct dyn_node - a step of an expression
 * @op:		enum dyn_op
 * @len:	bytes of a text or a field
 * @kind:	FILTER_* of a field
 * @is_signed:	of a field
 * @at:		place of a text in the expression, or number of a parameter
 * @val:	see enum dyn_op
 */
struct dyn_node {
	u8	op;
	u8	kind;
	u16	len;
	u16	at;
	bool	is_signed;
	u64	val;
};

/* How the value of an expression gets into the record. */
enum dyn_store {
	DYN_STORE_VALUE,	/* it is stored */
	DYN_STORE_MEMORY,	/* the last node reads what is stored, with the size of the type */
	DYN_STORE_STRING,
	DYN_STORE_USTRING,
	DYN_STORE_SYMSTR,
};

/**
 * struct dyn_arg - an argument
 * @name:	place of its name in the texts
 * @expr:	place of its expression, with the type
 * @format:	place of the type that the format file shows, if it is an array; else 0
 * @offset:	from the first argument, in bytes
 * @node:	number of its first node
 * @nr_nodes:	number of its nodes
 * @type:	number of its type, see types.c
 * @count:	elements of an array; 0: it is none
 * @store:	enum dyn_store
 * @left:	of a bitfield: bits that a value of 64 bits is shifted to the left
 * @right:	and then to the right; 0: it is no bitfield
 */
struct dyn_arg {
	u16	name;
	u16	expr;
	u16	format;
	u16	offset;
	u16	node;
	u8	nr_nodes;
	u8	type;
	u8	count;
	u8	store;
	u8	left;
	u8	right;
};

static inline struct dyn_arg *dyn_arg(const struct dyn_args *args, u32 i)
{
	return (struct dyn_arg *)(args + 1) + i;
}

#define for_each_dyn_arg(arg, args) \
	for (arg = dyn_arg(args, 0); arg < dyn_arg(args, (args)->nr); arg++)

static inline struct dyn_node *dyn_nodes(const struct dyn_args *args)
{
	return (struct dyn_node *)dyn_arg(args, args->nr);
}

static inline char *dyn_text(const struct dyn_args *args)
{
	return (char *)(dyn_nodes(args) + args->nr_nodes);
}

/* Does the expression's last node read the memory that is stored, or that has the string? */
static inline bool dyn_arg_is_read(const struct dyn_arg *arg, const struct dyn_node *last)
{
	return arg->store != DYN_STORE_VALUE && arg->store != DYN_STORE_SYMSTR &&
	       last->op >= DYN_READ;
}

/* types.c */

enum dyn_type_kind { DYN_KIND_NUMBER, DYN_KIND_CHAR, DYN_KIND_SYMBOL, DYN_KIND_STRING,
		     DYN_KIND_USTRING, DYN_KIND_SYMSTR };

/**
 * struct dyn_type - a type of arguments
 * @name:	as users write it
 * @field:	as the format file shows it
 * @fmt:	in the print fmt
 * @text:	format of its text, for a value of 64 bits
 * @size:	bytes in the record
 * @is_signed:	as the format file shows it
 * @kind:	enum dyn_type_kind
 */
struct dyn_type {
	const char	*name;
	const char	*field;
	const char	*fmt;
	const char	*text;
	u8		size;
	bool		is_signed;
	u8		kind;
};

extern const struct dyn_type strobe_dyn_types[];

static inline const struct dyn_type *dyn_arg_type(const struct dyn_arg *arg)
{
	return &strobe_dyn_types[arg->type];
}

static inline bool dyn_type_is_string(const struct dyn_type *type)
{
	return type->kind >= DYN_KIND_STRING;
}

static inline u32 dyn_arg_bytes(const struct dyn_arg *arg)
{
	return dyn_arg_type(arg)->size * (arg->count ?: 1);
}

/* Load a number of @size bytes, which has no sign. */
static __always_inline u64 dyn_load(const void *from, u32 size)
{
	switch (size) {
	case 1:
		return *(const u8 *)from;
	case 2:
		return get_unaligned((const u16 *)from);
	case 4:
		return get_unaligned((const u32 *)from);
	default:
		return get_unaligned((const u64 *)from);
	}
}

int strobe_dyn_type_find(const char *name, u32 flags);
int strobe_dyn_bits_parse(const char *name, struct dyn_arg *arg);

/* nodes.c */

struct btf;
struct btf_param;
struct btf_type;

/**
 * struct dyn_btf - what BTF says of the function that is probed, see btf.c
 * @btf:	has the types below, and is a reference; NULL: none
 * @proto:	type of the function; NULL: not known
 * @params:	its parameters, which are arguments
 * @type:	type of the value that is parsed, without modifiers; NULL: not known
 * @nr_params:	number of @params; 0 until they are known
 * @first_bit:	of a bitfield: its place in the byte that the last node reads
 * @bits:	and its width; 0: it is none
 * @searched:	the function was looked for
 */
struct dyn_btf {
	struct btf		*btf;
	const struct btf_type	*proto;
	const struct btf_param	*params;
	const struct btf_type	*type;
	u32			nr_params;
	u32			first_bit;
	u32			bits;
	bool			searched;
};

/**
 * struct dyn_parser - an argument that is being parsed
 * @line:	the line, whose error is set if the argument is refused
 * @source:	where the argument comes from: that of @line
 * @btf:	what is known of the function's types
 * @nodes:	nodes of this and all arguments before
 * @nr_nodes:	number of @nodes
 * @first:	the first one of this argument
 * @fixed:	bytes of the arguments so far in a record
 * @kept:	bytes that are kept from the function's entry
 * @word:	number of the word that errors are about
 * @offset:	where in the word errors are
 * @ops:	steps so far, less one
 */
struct dyn_parser {
	struct dyn_line		*line;
	const struct dyn_source	*source;
	struct dyn_btf		btf;
	struct dyn_node		*nodes;
	u32			nr_nodes;
	u32			first;
	u32			fixed;
	u32			kept;
	u32			word;
	u32			offset;
	u32			ops;
};

static inline bool dyn_is_entry(const struct dyn_source *source)
{
	return (source->flags & (DYN_KERNEL | DYN_USER | DYN_EVENT | DYN_RETURN | DYN_ENTRY)) ==
	       (DYN_KERNEL | DYN_ENTRY);
}

/* The return of an address is none of a function: only $retval is known. */
static inline bool dyn_is_return(const struct dyn_source *source)
{
	return (source->flags & (DYN_KERNEL | DYN_USER | DYN_EVENT | DYN_RETURN | DYN_ENTRY)) ==
	       (DYN_KERNEL | DYN_RETURN) && source->symbol;
}

/* Refuse the argument because of what stands at @at in its word. Return: @err */
static inline int dyn_refuse_at(struct dyn_parser *p, u32 at, int err, const char *text)
{
	return strobe_dyn_line_error(p->line, err, text, p->word, at);
}

static inline int dyn_refuse(struct dyn_parser *p, int err, const char *text)
{
	return dyn_refuse_at(p, p->offset, err, text);
}

struct dyn_node *strobe_dyn_push(struct dyn_parser *p, enum dyn_op op, u64 val);
int strobe_dyn_push_read(struct dyn_parser *p, enum dyn_op op, long offset);
int strobe_dyn_push_param(struct dyn_parser *p, u32 param);

/* parse.c */

int strobe_dyn_expr_parse(struct dyn_parser *p, char *text, struct dyn_arg *arg);

/* expand.c */

/**
 * struct dyn_list - the arguments of a line as they are parsed
 * @nr:		their number
 * @names_len:	bytes of @names
 * @chains_len:	bytes of @chains
 * @texts:	the arguments: words of the line, or texts in @names or @chains
 * @names:	names of parameters that stand for "$arg*" or "$argN"; the size is ABI
 * @chains:	what reads the names of dentries; the size is ABI
 */
struct dyn_list {
	u32		nr;
	u32		names_len;
	u32		chains_len;
	const char	*texts[DYN_ARGS_MAX];
	char		names[128];
	char		chains[256];
};

int strobe_dyn_expand(struct dyn_list *list, struct dyn_parser *p, u32 first);

#endif /* _STROBE_DYNAMIC_INTERNAL_H */
