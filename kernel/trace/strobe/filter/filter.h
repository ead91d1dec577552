/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters: which records of an event are wanted, as a text of
 * Documentation/trace/events.rst says. How they work is said in filter.c.
 */
#ifndef _STROBE_FILTER_FILTER_H
#define _STROBE_FILTER_FILTER_H

#include <linux/bits.h>
#include <linux/filter.h>
#include <linux/types.h>

struct filter_data;
struct trace_event_call;

/* What is wrong with a text; the words of each are ABI. */
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
 * What a filter may do besides comparing what the record holds. The owner of the filter
 * decides: an instance's filter may do all of it, perf's what the task might do itself.
 */
#define STROBE_FILTER_KERNEL_PTR	BIT(0)	/* follow a field that points to a kernel string */
#define STROBE_FILTER_USER_PTR		BIT(1)	/* follow one that points to user space, .ustring */
#define STROBE_FILTER_SYMBOLS		BIT(2)	/* compare with a function's address, .function */
#define STROBE_FILTER_PLAIN_CODE	BIT(3)	/* have native code with constants as they are */
#define STROBE_FILTER_ALL		GENMASK(3, 0)

/**
 * struct strobe_filter_error - why a text is no filter
 * @code: STROBE_FILTER_NO_ERROR if there are no words for it but the errno
 * @pos:	for the caret, in characters; may be beyond the end of the text
 */
struct strobe_filter_error {
	enum strobe_filter_code	code;
	unsigned int		pos;
};

/**
 * struct strobe_filter - a filter for the records of one event
 * @run:	judges a record; where compiled code wants nothing more, it is given
 *		this struct
 * @scratch_words: how long a record may be, in words of 4 bytes, of which @run has all
 *		that it looks at before the record is in the ring, header and all: 0 if
 *		it looks at struct trace_entry
 * @prog:	the program, which has the code
 * @data:	what @prog refers to
 * @text:	what it was made from
 *
 * Constant once made. It belongs to whoever has made it.
 */
struct strobe_filter {
	bpf_func_t		run;
	unsigned long		scratch_words;
	struct bpf_prog		*prog;
	struct filter_data	*data;
	char			*text;
};

struct strobe_filter *strobe_filter_create(const struct trace_event_call *call, const char *text,
					   unsigned int rights, struct strobe_filter_error *err);
void strobe_filter_free(struct strobe_filter *filter);
const char *strobe_filter_error_text(enum strobe_filter_code code);

/**
 * strobe_filter_match - is this record wanted?
 * @filter: the filter, which stays until the caller switches preemption on
 * @record: a record of the filter's event, aligned to 4; it begins with struct
 *	    trace_entry, of which nothing is looked at if @filter->scratch_words is not 0
 *
 * Context: any, NMI included, preemption off.
 */
static __always_inline bool strobe_filter_match(const struct strobe_filter *filter,
						const void *record)
{
	return bpf_dispatcher_nop_func(record, (const struct bpf_insn *)filter, filter->run);
}

#endif /* _STROBE_FILTER_FILTER_H */
