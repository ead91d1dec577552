/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STROBE_OUTPUT_OUTPUT_H
#define _STROBE_OUTPUT_OUTPUT_H

#include <linux/bits.h>
#include <linux/init.h>
#include <linux/string.h>
#include <linux/trace_seq.h>
#include <linux/types.h>

#include "record/options.h"
#include "ring/ring.h"

struct cpumask;

/* Flags of struct output_ctx, set when a reader is opened. */
#define OUTPUT_TIME_IN_NS	BIT(0)	/* the clock counts nanoseconds */
#define OUTPUT_LATENCY		BIT(1)	/* the columns of latency-format */

/**
 * struct output_ctx - how a reader renders records
 * @options: STROBE_OPT_* bits of the instance, set by strobe_output_set_options()
 * @print: the same as struct strobe_print::flags
 * @flags: OUTPUT_* bits
 * @index: number of this record, shown in verbose latency lines; while it is 0 or
 *	1, no "buffer started" line is written
 * @start: time that latency lines count from, in the clock's unit
 * @next_ts: time of the record after this one; latency lines mark long gaps
 * @started: CPUs of which this reader has already shown a record; NULL: write no
 *	"buffer started" lines
 * @tmp: scratch for the helpers of TP_printk(); reset for each record
 */
struct output_ctx {
	unsigned int		options;
	u32			print;
	unsigned int		flags;
	unsigned long		index;
	u64			start;
	u64			next_ts;
	struct cpumask		*started;
	struct trace_seq	*tmp;
};

bool strobe_output_record(struct trace_seq *s, const struct strobe_ring_record *rec,
			  struct output_ctx *ctx);
void strobe_output_set_options(struct output_ctx *ctx, unsigned int options);
void strobe_output_print_fields(struct strobe_print *pr);
u64 strobe_output_usecs(u64 nsecs);

/* Print the text at @chars, which ends at a NUL or after @size bytes. "%.*s" takes only 32 KB. */
static inline void strobe_output_chars(struct trace_seq *s, const char *chars, size_t size)
{
	trace_seq_putmem(s, chars, strnlen(chars, size));
}

/* dump.c */
void __init strobe_dump_setup(void);

/* ftrace_entries.c */
void strobe_print_ip(struct trace_seq *s, unsigned long ip, u32 flags);

#endif /* _STROBE_OUTPUT_OUTPUT_H */
