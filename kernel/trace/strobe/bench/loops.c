// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the cost of a trace event, or of a probe.
 *
 * Writing the name of a loop to the parameter "run" runs that loop; reading the
 * parameter returns the result:
 *
 *	echo scalar > /sys/module/strobe_bench/parameters/run
 *	cat /sys/module/strobe_bench/parameters/run
 *	scalar loops=10000 cycles=5970019 ns=5970101
 *
 * The loop "empty" does what the others do except for the event; subtract its cycles
 * from theirs. Use tracefs as for any event to enable the events and to choose how
 * they are recorded.
 *
 * The loop "probed" calls a function that tracefs can put probes on. For the cost of getting to
 * a probe's handler, write the name of a kind of probe to the parameter "handler": a probe of
 * this kind with an empty handler is registered, instead of the last one. "uprobe FILE OFFSET"
 * is for a program; "none" is the default.
 *
 * A loop runs with interrupts off on one CPU, so that other activity does not
 * affect the result. loops_max limits the time with interrupts off.
 */
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timex.h>

#define CREATE_TRACE_POINTS
#include <trace/events/strobe.h>

#include "bench.h"

static const unsigned int loops_max = 100000;

static unsigned int loops = 10000;
module_param(loops, uint, 0644);
MODULE_PARM_DESC(loops, "events fired by a run (at most 100000)");

/* 19 characters. Not const, so that the compiler does not know the length. */
static char text[20] = "nineteen characters";
module_param_string(text, text, sizeof(text), 0444);
MODULE_PARM_DESC(text, "the string that the string event records");

struct bench_result {
	const char *name;
	unsigned int loops;
	u64 cycles;
	u64 ns;
};

/* One function for each loop, so that events share no registers or code. */
static noinline void loop_empty(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		barrier();
}

static noinline void loop_scalar(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		trace_strobe_bench_scalar(i, -1L, text);
		barrier();
	}
}

static noinline void loop_string(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		trace_strobe_bench_string(i, text);
		barrier();
	}
}

static noinline void loop_probed(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		strobe_bench_probed(i, strobe_bench_links, text);
		barrier();
	}
}

static const struct bench_loop {
	const char *name;
	void (*run)(unsigned int n);
} bench_loops[] = {
	{ "empty",	loop_empty },
	{ "scalar",	loop_scalar },
	{ "string",	loop_string },
	{ "probed",	loop_probed },
};

/* Protects last_result. */
static DEFINE_MUTEX(result_lock);
static struct bench_result last_result;

static void bench_run(const struct bench_loop *loop, struct bench_result *result)
{
	unsigned int n = min(READ_ONCE(loops), loops_max);
	unsigned long flags;
	u64 cycles, ns;

	local_irq_save(flags);
	ns = ktime_get_ns();
	cycles = get_cycles();
	loop->run(n);
	cycles = get_cycles() - cycles;
	ns = ktime_get_ns() - ns;
	local_irq_restore(flags);

	*result = (struct bench_result) {
		.name	= loop->name,
		.loops	= n,
		.cycles	= cycles,
		.ns	= ns,
	};
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bench_loops); i++) {
		if (!sysfs_streq(val, bench_loops[i].name))
			continue;
		mutex_lock(&result_lock);
		bench_run(&bench_loops[i], &last_result);
		mutex_unlock(&result_lock);
		return 0;
	}
	return -EINVAL;
}

static int run_get(char *buffer, const struct kernel_param *kp)
{
	int len;

	mutex_lock(&result_lock);
	if (last_result.name)
		len = sysfs_emit(buffer, "%s loops=%u cycles=%llu ns=%llu\n",
				 last_result.name, last_result.loops,
				 last_result.cycles, last_result.ns);
	else
		len = sysfs_emit(buffer, "none\n");
	mutex_unlock(&result_lock);
	return len;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
	.get = run_get,
};
module_param_cb(run, &run_ops, NULL, 0600);
MODULE_PARM_DESC(run, "loop to run: empty, scalar, string or probed; read: the last result");

static int __init strobe_bench_init(void)
{
	return 0;
}
module_init(strobe_bench_init);

static void __exit strobe_bench_exit(void)
{
	strobe_bench_handlers_end();
}
module_exit(strobe_bench_exit);

MODULE_DESCRIPTION("Cost of a trace event");
MODULE_LICENSE("GPL");
