/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of a ring: strobe_ring_cpu.clock is a function, or NULL for the local clock,
 * that is, the time of trace_clock_local(), with preemption off already.
 *
 * An architecture with ARCH_INLINE_SCHED_CLOCK exposes the data of the local clock, and the
 * writer reads it without a call: saving registers for a call costs as much as the clock
 * itself. The data changes seldom, while the clock is calibrated or if the frequency changes,
 * and has a version. The writer reads the clock inline as long as the version is the one in
 * strobe_ring_cpu.clock_seq; strobe_ring_clock_changed() sets that.
 */
#ifndef _STROBE_RING_CLOCK_H
#define _STROBE_RING_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/trace_clock.h>

#include "ring/ring_types.h"

/* No version of the local clock's data: the clock has to be called. */
#define STROBE_CLOCK_UNKNOWN	U32_MAX

#ifdef CONFIG_ARCH_INLINE_SCHED_CLOCK
#include "ring/clock_x86.h"

/* Whether strobe_clock_inline() can succeed. */
#define STROBE_CLOCK_INLINE 1

#else
#define STROBE_CLOCK_INLINE 0

/* Read the local clock without a call. Return: false: it has to be called. */
static __always_inline bool strobe_clock_inline(const struct strobe_ring_cpu *rc, u64 *ts)
{
	return false;
}

static inline u32 strobe_clock_version(void)
{
	return STROBE_CLOCK_UNKNOWN;
}
#endif

u64 strobe_ring_clock_changed(struct strobe_ring_cpu *rc);

/* Read the clock of this CPU's ring. Context: any, with preemption off. */
static __always_inline u64 strobe_ring_clock(struct strobe_ring_cpu *rc)
{
	/* Load it once: strobe_ring_set_clock() does not wait for writers. */
	u64 (*clock)(void) = READ_ONCE(rc->clock);
	u64 ts;

	if (clock)
		return clock();
	if (likely(strobe_clock_inline(rc, &ts)))
		return ts;
	return STROBE_CLOCK_INLINE ? strobe_ring_clock_changed(rc) : sched_clock_noinstr();
}

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
