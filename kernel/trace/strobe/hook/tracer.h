/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of tracers, for blktrace.c, which includes this where it would include
 * trace_output.h. Names and members are those that it uses.
 */
#ifndef _STROBE_HOOK_TRACER_H
#define _STROBE_HOOK_TRACER_H

#include <linux/types.h>

/**
 * struct tracer_opt - an option of a tracer
 * @name: of its file in options/
 * @bit: its mask in tracer_flags.val
 */
struct tracer_opt {
	const char	*name;
	u32		bit;
};

/* An initializer of struct tracer_opt. An entry without a name ends a list. */
#define TRACER_OPT(option, mask)	.name = #option, .bit = mask

/**
 * struct tracer_flags - the options of a tracer, and what they are set to
 * @val: the masks of those that are set; written under instance_mutex, read without a lock
 * @opts: the list
 */
struct tracer_flags {
	u32			val;
	struct tracer_opt	*opts;
};

int tracer_add_options(struct tracer_flags *flags);

#endif /* _STROBE_HOOK_TRACER_H */
