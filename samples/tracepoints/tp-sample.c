// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that has tracepoints.
 *
 * Opening /proc/tracepoint-sample fires tp_sample_open once and tp_sample_step
 * three times. Then the open fails, always, with EPERM: there is nothing to
 * read, the tracepoints are all there is to it.
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

/* Without these nobody but this module could name them. */
EXPORT_TRACEPOINT_SYMBOL_GPL(tp_sample_open);
EXPORT_TRACEPOINT_SYMBOL_GPL(tp_sample_step);

static void sample_step(int step)
{
	u64 start = 0;

	/*
	 * An argument of trace_NAME() that calls a function does so even while
	 * the tracepoint is off. Ask before work that only tracing needs.
	 */
	if (trace_tp_sample_step_enabled())
		start = ktime_get_ns();

	/* The work of the step would be here. */

	/* It may have been switched on since: then the start is not known. */
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
