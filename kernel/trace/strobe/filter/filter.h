/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters select records of an event by a text, whose syntax is described in
 * Documentation/trace/events.rst. filter.c describes how they work.
 */
#ifndef _STROBE_FILTER_FILTER_H
#define _STROBE_FILTER_FILTER_H

#include <linux/bits.h>
#include <linux/filter.h>
#include <linux/types.h>

struct strobe_program;
struct trace_event_call;

/* Errors in a filter's text. The message of each is ABI. */
enum strobe_filter_code {
	STROBE_FILTER_NO_ERROR,
	STROBE_FILTER_INVALID_OP,
	STROBE_FILTER_TOO_MANY_OPEN,
	STROBE_FILTER_TOO_MANY_CLOSE,
	STROBE_FILTER_MISSING_QUOTE,
	STROBE_FILTER_MISSING_BRACE_OPEN,
	STROBE_FILTER_MISSING_BRACE_CLOSE,
	STROBE_FILTER_OPERAND_TOO_LONG,
	STROBE_FILTER_EXPECT_STRING,
	STROBE_FILTER_EXPECT_NUMBER,
	STROBE_FILTER_ILLEGAL_FIELD_OP,
	STROBE_FILTER_FIELD_NOT_FOUND,
	STROBE_FILTER_ILLEGAL_INTVAL,
	STROBE_FILTER_BAD_SYSTEM_FILTER,
	STROBE_FILTER_TOO_MANY_TERMS,
	STROBE_FILTER_INCOMPLETE,
	STROBE_FILTER_INVALID_CPULIST,
	STROBE_FILTER_INVALID_VALUE,
	STROBE_FILTER_NO_FUNCTION,
	STROBE_FILTER_NO_FILTER,
	STROBE_FILTER_NR_CODES
};

/*
 * What a filter may do besides comparing the record's fields. The owner of the filter
 * decides: an instance's filter may do all of it, a filter of perf what the task may do.
 */
#define STROBE_FILTER_KERNEL_PTR	BIT(0)	/* follow a field that points to a kernel string */
#define STROBE_FILTER_USER_PTR		BIT(1)	/* follow one to a user space string, .ustring */
#define STROBE_FILTER_SYMBOLS		BIT(2)	/* compare with a function's address, .function */
#define STROBE_FILTER_PLAIN_CODE	BIT(3)	/* have native code without constant blinding */
#define STROBE_FILTER_ALL		GENMASK(3, 0)

/**
 * struct strobe_filter_error - an error in a filter's text
 * @code:	STROBE_FILTER_NO_ERROR if only the errno describes the error
 * @pos:	position of the caret in characters; may be beyond the end of the text
 */
struct strobe_filter_error {
	enum strobe_filter_code	code;
	unsigned int		pos;
};

/**
 * struct strobe_filter - a filter for the records of one event
 * @run:	native code that filters a record, or BPF's interpreter
 * @insns:	the instructions, which the interpreter takes as its second argument
 * @scratch_words: the longest record, in units, that @run can filter in the scratch,
 *		where struct trace_entry is not filled in; 0 if @run reads that
 * @program:	the program with @run and @insns
 * @text:	the text that it was made from
 *
 * Constant once made. It belongs to the caller of strobe_filter_create().
 */
struct strobe_filter {
	bpf_func_t		run;
	const struct bpf_insn	*insns;
	unsigned long		scratch_words;
	struct strobe_program	*program;
	char			*text;
};

struct strobe_filter *strobe_filter_create(const struct trace_event_call *call, const char *text,
					   unsigned int rights, struct strobe_filter_error *err);
void strobe_filter_free(struct strobe_filter *filter);
const char *strobe_filter_error_text(enum strobe_filter_code code);

/**
 * strobe_filter_match - whether a filter accepts a record
 * @filter: the filter, which is not freed before the caller enables preemption
 * @record: a record of the filter's event, aligned to 4; it begins with struct
 *	    trace_entry, which is not read if @filter->scratch_words is not 0
 *
 * Context: any, also NMI, preemption off.
 */
static __always_inline bool strobe_filter_match(const struct strobe_filter *filter,
						const void *record)
{
	return bpf_dispatcher_nop_func(record, filter->insns, filter->run);
}

#endif /* _STROBE_FILTER_FILTER_H */
