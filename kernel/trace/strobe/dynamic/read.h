/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that fetch programs call. */
#ifndef _STROBE_DYNAMIC_READ_H
#define _STROBE_DYNAMIC_READ_H

#include <linux/bits.h>

#include "dynamic/regs.h"
#include "filter/code.h"

/*
 * An address around which nothing can be read, up to 2^47 bytes away: what a read that fails
 * gives to the next one. It has no mapping because it is not canonical on x86-64. On arm64, the
 * highest byte does not count, hence a bit below it. Elsewhere, the last page has none.
 */
#if DYN_X86_64
#define DYN_POISON	BIT(63)
#elif defined(CONFIG_ARM64)
#define DYN_POISON	BIT(54)
#else
#define DYN_POISON	(-4096UL)
#endif

/* How an array of strings is found: the last argument of DYN_STRINGS. */
#define DYN_STRINGS_POINTERS	BIT(0)	/* by pointers to each; else they are 8 bytes apart */
#define DYN_STRINGS_USER_PTRS	BIT(1)	/* the pointers are in user space */
#define DYN_STRINGS_USER	BIT(2)	/* the strings are in user space */

/*
 * Functions with "user" read user space and do not sleep; those with "task" may. All others read
 * the kernel's memory, or user space at an address of it, where addresses tell them apart.
 */
enum dyn_helper {
	DYN_WORD,		/* (addr): a long, or DYN_POISON */
	DYN_WORD_USER,
	DYN_WORD_TASK,
	DYN_U8,			/* (addr): a number, or 0 */
	DYN_U16,
	DYN_U32,
	DYN_U64,
	DYN_NUMBER_USER,	/* (addr, size): the same */
	DYN_NUMBER_TASK,
	DYN_COPY,		/* (addr, to, size, count): an array; 0 where it cannot be read */
	DYN_COPY_TASK,
	DYN_SHIFT,		/* (array, size, count, left, right): of bitfields */
	DYN_STRING,		/* (frame, addr, location) */
	DYN_STRING_USER,
	DYN_STRING_TASK,
	DYN_STRINGS,		/* (frame, addr, locations, count, how) */
	DYN_STRINGS_TASK,
	DYN_SYMSTR,		/* (frame, value, location) */
	DYN_COMM_STRING,	/* (frame, location) */
	DYN_TEXT_STRING,	/* (frame, text, location, len) */
	DYN_FIELD_STRING,	/* (frame, offset, location, kind, len) */
	DYN_COMM_ADDRESS,	/* () */
	DYN_GET_REG,		/* (regs, offset) */
	DYN_GET_STACK,		/* (regs, number) */
	DYN_GET_STACK_TASK,
	DYN_GET_STACK_POINTER,	/* (regs) */
	DYN_GET_STACK_POINTER_TASK,
	DYN_GET_RETVAL,		/* (regs) */
	DYN_GET_PARAM,		/* (regs, number) */
	DYN_HELPERS,
};

extern const struct strobe_helper strobe_dyn_helpers[DYN_HELPERS];

#endif /* _STROBE_DYNAMIC_READ_H */
