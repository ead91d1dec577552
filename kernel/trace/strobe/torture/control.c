// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the ring while it is written and read: change the number and size of
 * sub-buffers and the mode, switch recording off and on, check all invariants. With
 * torture.resets also reset the ring and change its clock.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/trace_clock.h>

#include "ring/ring.h"
#include "torture/torture.h"

static void control_resize(int cpu, u32 r)
{
	size_t subbuf = strobe_ring_subbuf_bytes(torture.ring) - STROBE_SUBBUF_HEADER;

	/* Ignore errors: there may be no memory. */
	strobe_ring_resize(torture.ring, (2 + r % 9) * subbuf, cpu);
}

static void control_order(int cpu, u32 r)
{
	down_write(&torture.access);
	strobe_ring_set_order(torture.ring, r % 3);
	up_write(&torture.access);
	/* set_order() preserves the size in bytes; choose a new number of sub-buffers. */
	control_resize(STROBE_RING_ALL_CPUS, r >> 4);
}

static void control_overwrite(int cpu, u32 r)
{
	strobe_ring_set_overwrite(torture.ring, r % 4);
}

static void control_check(int cpu, u32 r)
{
	if (strobe_ring_check(torture.ring, cpu))
		torture_fail("check of cpu %d", cpu);
}

/*
 * Only during such a period events may be refused without being counted: torture.off_periods
 * is odd. A writer that sees an effect of the period sees that, or a later period.
 */
static void off_period_begin(void)
{
	atomic_inc(&torture.off_periods);
	/* Pairs with smp_rmb() in check_off(). */
	smp_mb__after_atomic();
}

static void off_period_end(void)
{
	/* Pairs with atomic_read_acquire() in fire_one(). */
	smp_mb__before_atomic();
	atomic_inc(&torture.off_periods);
}

static void control_disable(int cpu, u32 r)
{
	off_period_begin();
	strobe_ring_record_disable(torture.ring, cpu);
	usleep_range(10, 10 + r % 200);
	strobe_ring_record_enable(torture.ring, cpu);
	off_period_end();
}

static void control_off(int cpu, u32 r)
{
	off_period_begin();
	strobe_ring_set_on(torture.ring, false);
	usleep_range(10, 10 + r % 200);
	strobe_ring_set_on(torture.ring, true);
	off_period_end();
}

static void control_wake(int cpu, u32 r)
{
	strobe_ring_wake(torture.ring, cpu);
}

static void control_stats(int cpu, u32 r)
{
	struct strobe_ring_stats stats;
	int i;

	for_each_possible_cpu(i)
		strobe_ring_stats(torture.ring, i, &stats);
}

static void control_reset(int cpu, u32 r)
{
	down_write(&torture.access);
	off_period_begin();
	strobe_ring_reset(torture.ring, cpu);
	off_period_end();
	up_write(&torture.access);
}

static void control_clock(int cpu, u32 r)
{
	static u64 (* const clocks[])(void) = {
		NULL, trace_clock_local, trace_clock, trace_clock_counter,
		trace_clock_jiffies, ktime_get_mono_fast_ns,
	};

	down_write(&torture.access);
	off_period_begin();
	strobe_ring_set_clock(torture.ring, clocks[r % ARRAY_SIZE(clocks)]);
	strobe_ring_reset(torture.ring, STROBE_RING_ALL_CPUS);
	off_period_end();
	up_write(&torture.access);
}

/* The last CONTROLS_RESET are for torture.resets only. */
static void (* const controls[])(int cpu, u32 r) = {
	control_resize, control_order, control_overwrite, control_check,
	control_disable, control_off, control_wake, control_stats,
	control_reset, control_clock,
};

#define CONTROLS_RESET	2

int torture_controller(void *arg)
{
	u32 n = ARRAY_SIZE(controls) - (torture.resets ? 0 : CONTROLS_RESET), r;
	struct rnd_state random;
	int cpu;

	prandom_seed_state(&random, (unsigned long)arg);
	do {
		r = prandom_u32_state(&random);
		cpu = STROBE_RING_ALL_CPUS;
		if (r & 1)
			cpu = cpumask_nth((r >> 1) % num_possible_cpus(), cpu_possible_mask);
		controls[(r >> 8) % n](cpu, r >> 16);
		atomic64_inc(&torture.turns);
		usleep_range(1000, 20000);
	} while (!kthread_should_stop());
	return 0;
}
