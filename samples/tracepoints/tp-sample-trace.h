/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TP_SAMPLE_TRACE_H
#define _TP_SAMPLE_TRACE_H

/*
 * Tracepoints of tp-sample.ko, for itself and for modules that connect to them.
 *
 * For each tracepoint DECLARE_TRACE() declares trace_NAME() to fire it,
 * trace_NAME_enabled() to check whether it has probes, and register_trace_NAME()
 * and unregister_trace_NAME() to connect and disconnect a probe. It creates no
 * event in tracefs; see tp-events.h for that.
 */
#include <linux/tracepoint.h>

struct file;

/* /proc/tracepoint-sample is being opened; @file is not fully initialised yet. */
DECLARE_TRACE(tp_sample_open,
	      TP_PROTO(struct file *file),
	      TP_ARGS(file));

/* Step @step of opening the file took @ns nanoseconds. */
DECLARE_TRACE(tp_sample_step,
	      TP_PROTO(int step, u64 ns),
	      TP_ARGS(step, ns));

#endif /* _TP_SAMPLE_TRACE_H */
