/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The local clock: what trace_clock_local() returns. Preemption is off here
 * anyway; and where it can be, it is read without a call, for which the writer
 * would have to save its registers: that costs as much as the clock does.
 */
#ifndef _STROBE_RING_CLOCK_H
#define _STROBE_RING_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/trace_clock.h>

#ifdef CONFIG_X86
#include <asm/timer.h>

/* Is strobe_ring_cpu.clock of NULL one that strobe_clock_inline() reads? */
#define STROBE_CLOCK_INLINE 1

/* Read the local clock without a call. Return: false: not possible, so early. */
static __always_inline bool strobe_clock_inline(u64 *ts)
{
	if (!static_branch_likely(&__use_tsc))
		return false;
	*ts = __cycles_2_ns(rdtsc());
	return true;
}
#else
#define STROBE_CLOCK_INLINE 0

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
#ifdef CONFIG_X86
	/* A hypervisor's clock has been chosen, if at all, before there are rings. */
	if (!using_native_sched_clock())
		return sched_clock_noinstr;
#endif
	return NULL;
}

#endif /* _STROBE_RING_CLOCK_H */
