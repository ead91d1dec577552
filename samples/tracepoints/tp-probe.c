// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on the tracepoints of tp-sample.ko, connected by register_trace_NAME().
 *
 * This is the usual way: the compiler checks the type of the probe, and the module
 * loader ensures that tp-sample is loaded before this module and not unloaded while
 * it is loaded. modprobe loads both in the right order; insmod of this module alone
 * fails with ENOENT ("Unknown symbol"). If that is too strict, see tp-probe-late.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "tp-sample-trace.h"

/* The first argument of a probe is the pointer passed to register_trace_NAME(). */
static atomic_t opens = ATOMIC_INIT(0);

/*
 * Probes are called with preemption disabled, in the context of the code that
 * fires the tracepoint. They must not sleep. On a busy tracepoint, printk() would
 * be too slow.
 */
static void probe_open(void *data, struct file *file)
{
	pr_info("open %d, by %s\n", atomic_inc_return(data), current->comm);
}

static void probe_step(void *data, int step, u64 ns)
{
	pr_info("open %d, step %d took %llu ns\n", atomic_read(data), step, ns);
}

static int __init probe_init(void)
{
	int ret;

	ret = register_trace_tp_sample_open(probe_open, &opens);
	if (ret)
		return ret;
	ret = register_trace_tp_sample_step(probe_step, &opens);
	if (ret) {
		unregister_trace_tp_sample_open(probe_open, &opens);
		/* As in probe_exit(), a probe may still run. */
		tracepoint_synchronize_unregister();
	}
	return ret;
}

static void __exit probe_exit(void)
{
	unregister_trace_tp_sample_step(probe_step, &opens);
	unregister_trace_tp_sample_open(probe_open, &opens);
	/*
	 * No CPU enters a probe any more, but one may still be executing it. Wait,
	 * as the probes' code and data are freed with this module.
	 */
	tracepoint_synchronize_unregister();
	pr_info("left after %d opens\n", atomic_read(&opens));
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Tracepoint sample: probes on another module's tracepoints");
MODULE_LICENSE("GPL");
