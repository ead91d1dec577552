/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the kernel's clock_x86.h: the clock can be read inline, except sometimes. */
#ifndef _STROBE_RING_CLOCK_X86_H
#define _STROBE_RING_CLOCK_X86_H

#include "harness.h"

#define using_native_sched_clock() true

static inline u32 strobe_clock_version(void)
{
	return STROBE_CLOCK_UNKNOWN;
}

static __always_inline bool strobe_clock_inline(const struct strobe_ring_cpu *rc, u64 *ts)
{
	if (!(shim_random() % 64))
		return false;
	*ts = sched_clock_noinstr();
	return true;
}

#endif /* _STROBE_RING_CLOCK_X86_H */
