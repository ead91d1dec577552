// SPDX-License-Identifier: GPL-2.0
/*
 * Take CPUs offline and back online. (kernel/torture.c does that, too, but its counters
 * allow only one run.)
 */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "torture/torture.h"

/* @arg: milliseconds between two CPUs. At most one CPU is offline at a time. */
int torture_hotplug(void *arg)
{
	unsigned long ms = (unsigned long)arg;
	int cpu = 0;

	do {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		schedule_timeout_interruptible(msecs_to_jiffies(ms) + 1);
		/* Some CPUs can't be taken offline. */
		if (num_online_cpus() == 1 || remove_cpu(cpu))
			continue;
		schedule_timeout_interruptible(msecs_to_jiffies(ms / 2) + 1);
		if (add_cpu(cpu))
			torture_fail("cpu %d does not come back", cpu);
		atomic_inc(&torture.replugged);
	} while (!kthread_should_stop());
	return 0;
}
