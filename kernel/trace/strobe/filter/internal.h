/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interfaces between the stages of a filter: text, tree, program.
 *
 * This header uses only types of the kernel: all of filter/ but lookup.c and mem.c is also
 * built in user space (tools/testing/strobe).
 */
#ifndef _STROBE_FILTER_INTERNAL_H
#define _STROBE_FILTER_INTERNAL_H

#include <linux/strobe/entry.h>
#include <linux/strobe/field.h>
#include <linux/types.h>

#include "filter/code.h"
#include "filter/field.h"
#include "filter/filter.h"

/* In the order in which the parser tries them: an operator precedes its prefixes. */
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

/* The kind of value after the operator. */
enum filter_value {
	FILTER_VALUE_OTHER,
	FILTER_VALUE_NUMBER,
	FILTER_VALUE_QUOTED,
	FILTER_VALUE_CPUS,
	FILTER_VALUE_SYMBOL,	/* with .function */
};

/**
 * struct filter_words - the tokens of a term
 * @text:	the whole filter; the following u32 members are positions in it
 * @begin:	start of the term, that is of the field's name
 * @name_end:	end of the name
 * @op_at:	where the operator is expected
 * @value_at:	start of the value
 * @from:	start of the value without quotes or braces
 * @to:		end of the value without quotes or braces
 * @end:	end of the term
 * @error_at:	position of @error
 * @op:	the operator, FILTER_NR_OPS if it is missing
 * @value:	kind of value
 * @error:	an error in the value; reported only if there is no other error
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

/* The size of a string that only its NUL ends. */
#define FILTER_SIZE_REST	U16_MAX

/* What a term compares. */
enum filter_kind {
	FILTER_NEVER,		/* nothing: the term is never true */
	FILTER_NUMBER,		/* a field of @size bytes with @val */
	FILTER_RANGE,		/* a field of eight bytes with @val .. @val + @val2 - 1 */
	FILTER_THIS_CPU,	/* the running CPU with @val */
	FILTER_THIS_CPU_IN,	/* the running CPU with @cpus */
	FILTER_CPU_IN,		/* a field with the number of a CPU with @cpus */
	FILTER_CPUS,		/* a mask with @cpus */
	FILTER_STRING,		/* a string with @pattern */
};

/* Where the string or mask is. */
enum filter_place {
	FILTER_FIXED,		/* in the field: @size bytes, or FILTER_SIZE_REST */
	FILTER_LOC,		/* in the record: the field has offset and length */
	FILTER_REL_LOC,		/* as above, the offset counting from the field's end */
	FILTER_KERNEL_PTR,	/* at the kernel address in the field */
	FILTER_USER_PTR,	/* at the user space address in the field */
	FILTER_TASK_COMM,	/* current->comm */
};

enum filter_match {
	FILTER_MATCH_FULL,
	FILTER_MATCH_FRONT,
	FILTER_MATCH_MIDDLE,
	FILTER_MATCH_END,
	FILTER_MATCH_GLOB,
};

/* A constant that a term refers to. Freed with the tree; a program has a copy. */
struct filter_data {
	struct filter_data	*next;
	char			bytes[] __aligned(8);
};

/**
 * struct filter_pattern - the pattern that a string is compared with
 * @match:	how to compare
 * @negate:	accept strings that do not match, but never one that cannot be read
 * @len:	length of @text without the NUL
 * @tail:	of a glob: start of the part after its last star in @text; 0 if there is
 *		no star, or the pattern ends with one, or has classes or backslashes
 * @text:	the pattern, with a NUL
 */
struct filter_pattern {
	enum filter_match	match;
	bool			negate;
	u16			len;
	u16			tail;
	char			text[];
};

/**
 * struct filter_cpus - the mask that a CPU or a mask of CPUs is compared with
 * @op:		FILTER_OP_EQ, _NE or _BAND
 * @bits:	the mask, strobe_filter_cpu_longs() longs
 */
struct filter_cpus {
	enum filter_op		op;
	unsigned long		bits[];
};

/**
 * struct filter_term - one comparison, checked against the event's fields
 * @kind:	what is compared with what
 * @place:	where the string or mask is
 * @op:		the operator
 * @size:	size of the field in bytes
 * @is_signed:	numbers are compared as signed
 * @offset:	offset of the field in the record
 * @val:	number to compare with, or start of the range
 * @val2:	size of the range
 * @pattern:	for FILTER_STRING
 * @cpus:	for FILTER_CPUS, FILTER_CPU_IN and FILTER_THIS_CPU_IN
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
 * @kind:	a leaf, or the operator that joins two trees
 * @negate:	the result is negated
 * @first:	the first term of the tree below it; of a leaf: its term
 */
struct filter_node {
	enum filter_node_kind	kind;
	bool			negate;
	u32			first;
};

/**
 * struct filter_tree - a parsed and checked text
 * @terms:	comparisons, in the order of the text
 * @nodes:	in postfix order: a node comes after both trees that it joins, and the
 *		right one ends just before it
 * @nr_terms:	number of @terms
 * @nr_nodes:	number of @nodes, 2 * @nr_terms - 1
 * @data:	list of the constants that terms point to
 */
struct filter_tree {
	struct filter_term	*terms;
	struct filter_node	*nodes;
	u32			nr_terms;
	u32			nr_nodes;
	struct filter_data	*data;
};

/* parse.c */
int strobe_filter_parse(const struct trace_event_call *call, const char *text, unsigned int rights,
			struct filter_tree *tree, struct strobe_filter_error *err);
void strobe_filter_tree_free(struct filter_tree *tree);

/* check.c */
int strobe_filter_check(const struct trace_event_call *call, const struct filter_words *words,
			unsigned int rights, struct filter_term *term, struct filter_data **data,
			struct strobe_filter_error *err);

/* compile.c */
int strobe_filter_compile(const struct filter_tree *tree, struct strobe_code *code,
			  bool *needs_header, struct strobe_filter_error *err);

/* match.c: functions that programs call; their arguments are described there */
enum filter_helper {
	FILTER_CALL_STRING,
	FILTER_CALL_STRING_MIDDLE,
	FILTER_CALL_STRING_END,
	FILTER_CALL_KERNEL_STRING,
	FILTER_CALL_USER_STRING,
	FILTER_CALL_COMM,
	FILTER_CALL_THIS_CPU,
	FILTER_CALL_CPU_IN,
	FILTER_CALL_CPUS,
	FILTER_NR_CALLS
};

extern const struct strobe_helper strobe_filter_helpers[FILTER_NR_CALLS];
bool strobe_filter_string_matches(const char *str, u32 len, const struct filter_pattern *pattern);

/* lookup.c: uses of other parts of the kernel; user space tests have their own version */
#define FILTER_COMM_LEN		16U	/* bytes of a task's name, with its NUL */

int strobe_filter_symbol_find(const char *name, u32 len, unsigned long *addr);
bool strobe_filter_symbol_range(unsigned long addr, u64 *start, u64 *size);
int strobe_filter_cpus_parse(const char *list, u32 len, unsigned long *bits);
unsigned int strobe_filter_nr_cpus(void);
unsigned int strobe_filter_cpu_longs(void);
u32 strobe_filter_record_size(const struct trace_event_call *call);

#endif /* _STROBE_FILTER_INTERNAL_H */
