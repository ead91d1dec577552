/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of tracers, for blktrace.c, which includes this instead of trace_output.h and
 * dictates names and members.
 */
#ifndef _STROBE_HOOK_TRACER_H
#define _STROBE_HOOK_TRACER_H

#include <linux/types.h>

/**
 * struct tracer_opt - an option of a tracer
 * @name: name of its file in options/
 * @bit: its mask in tracer_flags.val
 */
struct tracer_opt {
	const char	*name;
	u32		bit;
};

/* Initializer of struct tracer_opt. An entry without a name ends a list. */
#define TRACER_OPT(option, mask)	.name = #option, .bit = mask

/**
 * struct tracer_flags - the options of a tracer and their values
 * @val: masks of the options that are set; written under strobe_instance_mutex, read without a lock
 * @opts: list of the options
 */
struct tracer_flags {
	u32			val;
	struct tracer_opt	*opts;
};

int tracer_add_options(struct tracer_flags *flags);

#endif /* _STROBE_HOOK_TRACER_H */
