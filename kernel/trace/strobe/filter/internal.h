/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the stages of a filter: text, tree, program.
 *
 * What is here has no part of the kernel in it but its types: parse.c, check.c,
 * compile.c and match.c are built in user space too (tools/testing/strobe).
 */
#ifndef _STROBE_FILTER_INTERNAL_H
#define _STROBE_FILTER_INTERNAL_H

#include <linux/strobe/event.h>
#include <linux/types.h>

#include "filter/field.h"
#include "filter/filter.h"

/* For the test of the tests: what each variant that is broken on purpose gets wrong. */
#define FILTER_BUSTED_NARROW		1	/* signs of what is narrower than a register */
#define FILTER_BUSTED_PRECEDENCE	2	/* && binds as || does */
#define FILTER_BUSTED_NOT		3	/* '!' before a parenthesis */
#define FILTER_BUSTED_SIGNED		4	/* signed fields are compared as unsigned */
#define FILTER_BUSTED_MIDDLE		5	/* *text* is taken for *text */
#define FILTER_BUSTED_DIGIT		6	/* a pattern that begins with a digit is one */
#define FILTER_BUSTED_ERRNO		7	/* EINVAL for a parenthesis that is open */
#ifndef STROBE_BUSTED_FILTER
#define STROBE_BUSTED_FILTER		0
#endif
#define filter_is_busted(what)		(FILTER_BUSTED_##what == STROBE_BUSTED_FILTER)

/* In the order in which they are tried: of two that begin alike, the longer first. */
enum filter_op {
	FILTER_OP_GLOB,
	FILTER_OP_NE,
	FILTER_OP_EQ,
	FILTER_OP_LE,
	FILTER_OP_LT,
	FILTER_OP_GE,
	FILTER_OP_GT,
	FILTER_OP_BAND,
	FILTER_NR_OPS
};

/* What stands behind the operator. */
enum filter_value {
	FILTER_VALUE_OTHER,
	FILTER_VALUE_NUMBER,
	FILTER_VALUE_QUOTED,
	FILTER_VALUE_CPUS,
	FILTER_VALUE_SYMBOL,	/* behind .function */
};

/**
 * struct filter_words - a term as it is written: found, not understood
 * @text:	the whole filter; everything below is a position in it
 * @begin:	where the term begins, with the field's name
 * @name_end:	behind the name
 * @op_at:	where an operator ought to be
 * @value_at:	where the value begins
 * @from:	what counts of the value: without quotes and braces,
 * @to:		up to here
 * @end:	behind the term
 * @error_at:	what @error is about
 * @op:	the operator, FILTER_NR_OPS if there is none
 * @value:	kind of value
 * @error:	what is wrong with the value; it is told if nothing else is
 * @ustring:	has .ustring
 * @function:	has .function
 */
struct filter_words {
	const char		*text;
	u32			begin;
	u32			name_end;
	u32			op_at;
	u32			value_at;
	u32			from;
	u32			to;
	u32			end;
	u32			error_at;
	enum filter_op		op;
	enum filter_value	value;
	enum strobe_filter_code	error;
	bool			ustring;
	bool			function;
};

/* The size of a string that nothing but its NUL ends. */
#define FILTER_SIZE_REST	U16_MAX

/* What a term compares. */
enum filter_kind {
	FILTER_NEVER,		/* nothing: what it asks is never true */
	FILTER_NUMBER,		/* @size bytes with @val */
	FILTER_RANGE,		/* eight bytes: are they in @val .. @val + @val2 - 1? */
	FILTER_THIS_CPU,	/* the CPU that runs with @val */
	FILTER_THIS_CPU_IN,	/* the CPU that runs with @cpus */
	FILTER_CPU_IN,		/* a number that is a CPU's with @cpus */
	FILTER_CPUS,		/* a mask with @cpus */
	FILTER_STRING,		/* a string with @pattern */
};

/* Where the string is, or the mask. */
enum filter_place {
	FILTER_FIXED,		/* @size bytes of the record, or FILTER_SIZE_REST */
	FILTER_LOC,		/* behind it: the field has offset and length */
	FILTER_REL_LOC,		/* the offset counts from behind the field */
	FILTER_KERNEL_PTR,	/* the field is its address */
	FILTER_USER_PTR,
	FILTER_TASK_COMM,	/* in the task that runs */
};

enum filter_match {
	FILTER_MATCH_FULL,
	FILTER_MATCH_FRONT,
	FILTER_MATCH_MIDDLE,
	FILTER_MATCH_END,
	FILTER_MATCH_GLOB,
};

/* Constants that a program refers to begin with this; they go with the filter. */
struct filter_data {
	struct filter_data	*next;
};

/**
 * struct filter_pattern - what a string is compared with
 * @data:	for the filter
 * @match:	how
 * @negate:	wanted is what does not match; but never what cannot be read
 * @len:	characters of @text
 * @tail:	of a glob: where in @text the part behind its last star begins; 0 if it has
 *		no star, or ends with it, or there are classes or quotes in it
 * @text:	the string, with a NUL behind
 */
struct filter_pattern {
	struct filter_data	data;
	enum filter_match	match;
	bool			negate;
	u16			len;
	u16			tail;
	char			text[];
};

/**
 * struct filter_cpus - what a CPU, or a mask of them, is compared with
 * @data:	for the filter
 * @op:		FILTER_OP_EQ, _NE or _BAND
 * @bits:	filter_cpu_longs() of them
 */
struct filter_cpus {
	struct filter_data	data;
	enum filter_op		op;
	unsigned long		bits[];
};

/**
 * struct filter_term - one comparison, checked against the event's fields
 * @kind:	of what with what
 * @place:	of a string or mask
 * @op:		the operator
 * @size:	of the field in bytes
 * @is_signed:	how numbers are compared
 * @offset:	of the field in the record
 * @val:	what with
 * @val2:	more of it
 * @pattern:	for FILTER_STRING
 * @cpus:	for FILTER_CPUS and kin
 */
struct filter_term {
	enum filter_kind		kind;
	enum filter_place		place;
	enum filter_op			op;
	u16				size;
	bool				is_signed;
	u32				offset;
	u64				val;
	union {
		u64			val2;
		struct filter_pattern	*pattern;
		struct filter_cpus	*cpus;
	};
};

enum filter_node_kind {
	FILTER_TERM,
	FILTER_AND,
	FILTER_OR,
};

/**
 * struct filter_node - a node of the tree
 * @kind:	a leaf, or what joins two trees
 * @negate:	there is a '!' before it
 * @first:	the first term of the tree below it; of a leaf: its term
 */
struct filter_node {
	enum filter_node_kind	kind;
	bool			negate;
	u32			first;
};

/**
 * struct filter_tree - a text that has been understood
 * @terms:	comparisons, in the order of the text
 * @nodes:	in postfix order: a node comes behind both trees that it joins, the
 *		right one of which ends just before it
 * @nr_terms:	number of @terms
 * @nr_nodes:	number of @nodes, 2 * @nr_terms - 1
 * @data:	what terms point to
 */
struct filter_tree {
	struct filter_term	*terms;
	struct filter_node	*nodes;
	u32			nr_terms;
	u32			nr_nodes;
	struct filter_data	*data;
};

/**
 * struct filter_program - a tree, compiled
 * @insns:	the program
 * @len:	number of @insns
 * @needs_header: it looks at struct trace_entry
 */
struct filter_program {
	struct bpf_insn	*insns;
	u32		len;
	bool		needs_header;
};

/* parse.c */
int filter_parse(const struct trace_event_call *call, const char *text, unsigned int rights,
		 struct filter_tree *tree, struct strobe_filter_error *err);
void filter_tree_free(struct filter_tree *tree);
void filter_data_free(struct filter_data *data);

/* check.c */
int filter_check(const struct trace_event_call *call, const struct filter_words *words,
		 unsigned int rights, struct filter_term *term, struct filter_data **data,
		 struct strobe_filter_error *err);

/* compile.c */
int filter_compile(const struct filter_tree *tree, struct filter_program *program,
		   struct strobe_filter_error *err);

/* match.c: what programs call; the arguments of each are said there */
enum filter_helper {
	FILTER_CALL_STRING,
	FILTER_CALL_KERNEL_STRING,
	FILTER_CALL_USER_STRING,
	FILTER_CALL_COMM,
	FILTER_CALL_THIS_CPU,
	FILTER_CALL_CPU_IN,
	FILTER_CALL_CPUS,
	FILTER_NR_CALLS
};

typedef u64 (*filter_helper_fn)(u64 a, u64 b, u64 c, u64 d, u64 e);

extern const filter_helper_fn filter_helpers[FILTER_NR_CALLS];
bool filter_string_matches(const char *str, u32 len, const struct filter_pattern *pattern);

/* lookup.c: what has to be asked of the kernel; a test has its own answers */
#define FILTER_COMM_LEN		16U	/* bytes of a task's name, its NUL among them */

int filter_symbol_find(const char *name, u32 len, unsigned long *addr);
bool filter_symbol_range(unsigned long addr, u64 *start, u64 *size);
int filter_cpus_parse(const char *list, u32 len, unsigned long *bits);
unsigned int filter_nr_cpus(void);
unsigned int filter_cpu_longs(void);
int filter_buffer_get(char **buf);
void filter_buffer_put(void);
int filter_buffers_prepare(void);

#define FILTER_BUFFER_SIZE	1024U	/* of what a pointer points to, that much counts */

#endif /* _STROBE_FILTER_INTERNAL_H */
