/* SPDX-License-Identifier: GPL-2.0 */
/* Check programs that the engine has made, to find faults of the compiler. */
#ifndef _STROBE_FILTER_LINT_H
#define _STROBE_FILTER_LINT_H

#include <linux/types.h>

struct strobe_code;
struct strobe_helper;

/**
 * struct strobe_lint_pointer - an address in the argument, of memory that a program may use
 * @place:	offset of the address in the argument
 * @kind:	letter for it in strobe_helper::args
 * @first:	first byte there that the program may write
 * @writable:	end of what it may write
 * @readable:	end of what it may read
 */
struct strobe_lint_pointer {
	u32	place;
	char	kind;
	u32	first;
	u32	writable;
	u32	readable;
};

/**
 * struct strobe_lint_rules - what a program may do
 * @readable:	bytes of its argument, R1, that it may read: of a filter, the fixed part of
 *		the record
 * @writable:	bytes of its argument that it may write
 * @helpers:	the functions that it may call
 * @nr_helpers:	number of @helpers
 * @pointers:	addresses in the argument
 * @nr_pointers: number of @pointers; 0: the argument is a record
 */
struct strobe_lint_rules {
	u32				readable;
	u32				writable;
	const struct strobe_helper	*helpers;
	u32				nr_helpers;
	const struct strobe_lint_pointer *pointers;
	u32				nr_pointers;
};

/**
 * struct strobe_lint_fault - what is wrong with a program
 * @what:	what it must not do
 * @at:		number of the instruction
 */
struct strobe_lint_fault {
	const char	*what;
	u32		at;
};

int strobe_lint(const struct strobe_code *code, const struct strobe_lint_rules *rules,
		struct strobe_lint_fault *fault);
int strobe_lint_warn(const struct strobe_code *code, const struct strobe_lint_rules *rules);

#endif /* _STROBE_FILTER_LINT_H */
