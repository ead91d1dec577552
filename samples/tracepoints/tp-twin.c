// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with a tracepoint that has the name of one of tp-sample's.
 *
 * Names of tracepoints are unique only among those that are exported. A probe that finds its
 * tracepoint by name, such as "t:EVENT tp_sample_step" in dynamic_events, is connected to one
 * of them, and to the other when the module of that is unloaded.
 *
 * Writing a number to /sys/module/tp_twin/parameters/step fires the tracepoint.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "tp-sample-trace.h"

DEFINE_TRACE(tp_sample_step, TP_PROTO(int step, u64 ns), TP_ARGS(step, ns));

static int step_set(const char *val, const struct kernel_param *kp)
{
	int step, ret = kstrtoint(val, 0, &step);

	if (!ret)
		trace_tp_sample_step(step, 0);
	return ret;
}

static const struct kernel_param_ops step_ops = {
	.set = step_set,
};

module_param_cb(step, &step_ops, NULL, 0200);
MODULE_PARM_DESC(step, "fires tp_sample_step with this number");

MODULE_DESCRIPTION("Tracepoint sample: a second tracepoint of the same name");
MODULE_LICENSE("GPL");
