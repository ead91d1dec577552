// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks for time stamps.
 *
 * Every clock here can be called in any context, NMI included.
 *
 * Lock order: strobe_instance_mutex, then the locks of ring/.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched/clock.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>

#include "instance/instance.h"

bool strobe_boot_clock_chosen;

/* In the order of the file trace_clock; the first one is the default. */
const struct instance_clock strobe_instance_clocks[] = {
	{ trace_clock_local,		"local",	true },
	{ trace_clock_global,		"global",	true },
	{ trace_clock_counter,		"counter",	false },
	{ trace_clock_jiffies,		"uptime",	false },
	{ trace_clock,			"perf",		true },
	{ ktime_get_mono_fast_ns,	"mono",		true },
	{ ktime_get_raw_fast_ns,	"mono_raw",	true },
	{ ktime_get_boot_fast_ns,	"boot",		true },
	{ ktime_get_tai_fast_ns,	"tai",		true },
	ARCH_TRACE_CLOCKS
};

const unsigned int strobe_instance_nr_clocks = ARRAY_SIZE(strobe_instance_clocks);

/**
 * strobe_instance_set_clock - select the clock for an instance's time stamps
 * @tr:   the instance
 * @name: the clock's name
 *
 * Time stamps of two clocks cannot be compared, so the ring and the snapshot ring are
 * reset, even if the clock is already in use.
 *
 * Context: task, may sleep; takes strobe_instance_mutex.
 * Return: 0, or -EINVAL if there is no such clock.
 */
int strobe_instance_set_clock(struct trace_array *tr, const char *name)
{
	struct strobe_ring *snapshot;
	unsigned int i;

	for (i = 0; i < strobe_instance_nr_clocks; i++) {
		if (!strcmp(strobe_instance_clocks[i].name, name))
			break;
	}
	if (i == strobe_instance_nr_clocks)
		return -EINVAL;

	guard(mutex)(&strobe_instance_mutex);
	snapshot = instance_snapshot_ring(tr);
	WRITE_ONCE(tr->clock, i);
	strobe_instance_stop(tr);
	strobe_ring_hold(tr->ring);
	strobe_ring_set_clock(tr->ring, instance_ring_clock(i));
	if (snapshot)
		strobe_ring_set_clock(snapshot, instance_ring_clock(i));
	strobe_ring_release(tr->ring);
	strobe_instance_reset_all(tr);
	strobe_instance_start(tr);
	return 0;
}

#ifdef CONFIG_HAVE_UNSTABLE_SCHED_CLOCK
/* Whether sched_clock() is stable is known only after drivers have been initialized. */
static int __init clock_set_default(void)
{
	if (strobe_boot_clock_chosen || sched_clock_stable() || tracing_is_disabled())
		return 0;
	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("Can not set tracing clock due to lockdown\n");
		return 0;
	}
	pr_warn("Unstable clock detected, switching default tracing clock to \"global\"\n"
		"If you want to keep using the local clock, then add:\n"
		"  \"trace_clock=local\"\n"
		"on the kernel command line\n");
	return strobe_instance_set_clock(top_instance, "global");
}
late_initcall_sync(clock_set_default);
#endif
