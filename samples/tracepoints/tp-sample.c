// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with tracepoints.
 *
 * Opening /proc/tracepoint-sample fires tp_sample_open once and tp_sample_step
 * three times. Then the open always fails with EPERM, as the file has no content.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/timekeeping.h>

#include "tp-sample-trace.h"

#define SAMPLE_STEPS 3

/* A tracepoint is declared in a header, and defined in exactly one .c file. */
DEFINE_TRACE(tp_sample_open, TP_PROTO(struct file *file), TP_ARGS(file));
DEFINE_TRACE(tp_sample_step, TP_PROTO(int step, u64 ns), TP_ARGS(step, ns));

/* Without these, other modules could not use the tracepoints. */
EXPORT_TRACEPOINT_SYMBOL_GPL(tp_sample_open);
EXPORT_TRACEPOINT_SYMBOL_GPL(tp_sample_step);

static void sample_step(int step)
{
	u64 start = 0;

	/*
	 * Arguments of trace_NAME() may be evaluated even while the tracepoint is
	 * off. Check this before work that only tracing needs.
	 */
	if (trace_tp_sample_step_enabled())
		start = ktime_get_ns();

	/* The work of the step would be here. */

	/* If it was switched on since the check, the start time is unknown. */
	trace_tp_sample_step(step, start ? ktime_get_ns() - start : 0);
}

static int sample_open(struct inode *inode, struct file *file)
{
	int step;

	trace_tp_sample_open(file);
	for (step = 0; step < SAMPLE_STEPS; step++)
		sample_step(step);
	return -EPERM;
}

static const struct proc_ops sample_proc_ops = {
	.proc_open = sample_open,
};

static int __init sample_init(void)
{
	if (!proc_create("tracepoint-sample", 0444, NULL, &sample_proc_ops))
		return -ENOMEM;
	return 0;
}

static void __exit sample_exit(void)
{
	remove_proc_entry("tracepoint-sample", NULL);
}

module_init(sample_init);
module_exit(sample_exit);
MODULE_DESCRIPTION("Tracepoint sample: a module with tracepoints");
MODULE_LICENSE("GPL");
