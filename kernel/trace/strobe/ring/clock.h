/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the local clock: the time of trace_clock_local(), with preemption off already. An
 * architecture with ARCH_INLINE_SCHED_CLOCK exposes the clock's data, and the writer reads
 * it without a call: saving registers for a call costs as much as the clock itself.
 */
#ifndef _STROBE_RING_CLOCK_H
#define _STROBE_RING_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/trace_clock.h>

#ifdef CONFIG_ARCH_INLINE_SCHED_CLOCK
#include "ring/clock_x86.h"

/* Whether strobe_clock_inline() reads the clock if strobe_ring_cpu.clock is NULL. */
#define STROBE_CLOCK_INLINE 1

#else
#define STROBE_CLOCK_INLINE 0

/* Read the local clock without a call. Return: false: not possible so early in boot. */
static __always_inline bool strobe_clock_inline(u64 *ts)
{
	return false;
}
#endif

/*
 * The value of strobe_ring_cpu.clock for @clock: NULL for the local clock, unless the clock
 * that is read inline is another one.
 */
static inline u64 (*strobe_clock_choose(u64 (*clock)(void)))(void)
{
	if (clock && clock != trace_clock_local)
		return clock;
#ifdef CONFIG_ARCH_INLINE_SCHED_CLOCK
	/* A hypervisor's clock is chosen, if at all, before any ring is created. */
	if (!using_native_sched_clock())
		return sched_clock_noinstr;
#endif
	return NULL;
}

#endif /* _STROBE_RING_CLOCK_H */
