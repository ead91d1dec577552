/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STROBE_EVENT_OUTPUT_H
#define STROBE_EVENT_OUTPUT_H

#include <linux/bits.h>
#include <linux/trace_seq.h>
#include <linux/types.h>

#include "event/options.h"
#include "ring/ring.h"

struct cpumask;

/* Flags of struct output_ctx: what a reader fixes when it is opened. */
#define OUTPUT_TIME_IN_NS	BIT(0)	/* the clock counts nanoseconds */
#define OUTPUT_LATENCY		BIT(1)	/* the columns of latency-format */

/**
 * struct output_ctx - how a reader wants its records rendered
 * @options: STROBE_OPT_* bits of the instance; output_set_options()
 * @print: what they are for struct strobe_print::flags
 * @flags: OUTPUT_* bits
 * @index: number of this record, shown by verbose latency lines; a line that
 *	tells of a CPU's start is left out while it is 0 or 1
 * @start: time that latency lines count from, in the clock's unit
 * @next_ts: time of the record after this one; latency lines mark long gaps
 * @started: CPUs of which this reader showed a record already; NULL keeps the
 *	lines that tell of a CPU's start away
 * @tmp: room for the helpers of TP_printk(); used anew by each record
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

bool output_record(struct trace_seq *s, const struct strobe_ring_record *rec,
		   struct output_ctx *ctx);
void output_set_options(struct output_ctx *ctx, unsigned int options);
void output_time(struct trace_seq *s, u64 ts, bool in_ns);
u64 output_usecs(u64 nsecs);

#endif /* STROBE_EVENT_OUTPUT_H */
