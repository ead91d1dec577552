/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The local clock: the time that trace_clock_local() returns. Preemption is off
 * here anyway. An architecture with ARCH_INLINE_SCHED_CLOCK shows the clock's
 * data, and the writer reads it without a call: the registers that it would have
 * to save for a call cost as much as the clock does.
 */
#ifndef _STROBE_RING_CLOCK_H
#define _STROBE_RING_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/trace_clock.h>

#ifdef CONFIG_ARCH_INLINE_SCHED_CLOCK
#include "ring/clock_x86.h"

/* Is strobe_ring_cpu.clock of NULL one that strobe_clock_inline() reads? */
#define STROBE_CLOCK_INLINE 1

#else
#define STROBE_CLOCK_INLINE 0

/* Read the local clock without a call. Return: false: not possible, so early. */
static __always_inline bool strobe_clock_inline(u64 *ts)
{
	return false;
}
#endif

/*
 * A clock as strobe_ring_cpu.clock has it: NULL for the local clock, unless that
 * is not the one which can be read inline.
 */
static inline u64 (*strobe_clock_choose(u64 (*clock)(void)))(void)
{
	if (clock && clock != trace_clock_local)
		return clock;
#ifdef CONFIG_ARCH_INLINE_SCHED_CLOCK
	/* A hypervisor's clock has been chosen, if at all, before there are rings. */
	if (!using_native_sched_clock())
		return sched_clock_noinstr;
#endif
	return NULL;
}

#endif /* _STROBE_RING_CLOCK_H */
