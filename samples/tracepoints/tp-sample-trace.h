/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TP_SAMPLE_TRACE_H
#define _TP_SAMPLE_TRACE_H

/*
 * Tracepoints of tp-sample.ko, for it and for those who connect to them.
 *
 * DECLARE_TRACE() declares, for each: trace_NAME() to fire it,
 * trace_NAME_enabled() to see whether anybody listens, register_trace_NAME()
 * and unregister_trace_NAME() to listen. It makes no event: nothing shows up
 * in tracefs. See tp-events.h for that.
 */
#include <linux/tracepoint.h>

struct file;

/* /proc/tracepoint-sample is being opened; @file is not complete yet. */
DECLARE_TRACE(tp_sample_open,
	      TP_PROTO(struct file *file),
	      TP_ARGS(file));

/* Step @step of what opening does, and how long it took, in nanoseconds. */
DECLARE_TRACE(tp_sample_step,
	      TP_PROTO(int step, u64 ns),
	      TP_ARGS(step, ns));

#endif /* _TP_SAMPLE_TRACE_H */
