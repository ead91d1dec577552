/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read x86's clock inline: the value of native_sched_clock() for the same TSC, in 18
 * instructions with rdtsc.
 */
#ifndef _STROBE_RING_CLOCK_X86_H
#define _STROBE_RING_CLOCK_X86_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <asm/msr.h>
#include <asm/timer.h>

#ifdef CONFIG_X86_64
/*
 * mul_u64_u32_shr() for a shift below 64, as cyc2ns has, but without a 128-bit variable:
 * GCC aligns the stack of every function that has one.
 */
static __always_inline u64 strobe_cyc2ns_scale(u64 cycles, u32 mul, u32 shift)
{
	u64 high;

	asm("mulq %2" : "+a" (cycles), "=d" (high) : "r" ((u64)mul) : "cc");
	asm("shrdq %%cl, %1, %0" : "+r" (cycles) : "r" (high), "c" (shift) : "cc");
	return cycles;
}
#else
#define strobe_cyc2ns_scale	mul_u64_u32_shr
#endif

/*
 * Convert @cycles of this CPU to nanoseconds. The latch's sequence says which of the two
 * copies its writer leaves alone. If the sequence is unchanged after the loads, no writer
 * has begun to change that copy. The writer may be another CPU: this_cpu_read() keeps the
 * compiler, and x86 keeps the CPU, from reordering the loads. The shift is loaded first,
 * into the register that holds the index: it is the last use of that register.
 */
static __always_inline u64 strobe_cycles_to_ns(u64 cycles)
{
	u32 seq, mul, shift;
	u64 offset;
	int copy;

	do {
		seq = this_cpu_read(cyc2ns.seq.seqcount.sequence);
		copy = seq & 1;
		shift = this_cpu_read(cyc2ns.data[copy].cyc2ns_shift);
		offset = this_cpu_read(cyc2ns.data[copy].cyc2ns_offset);
		mul = this_cpu_read(cyc2ns.data[copy].cyc2ns_mul);
	} while (unlikely(seq != this_cpu_read(cyc2ns.seq.seqcount.sequence)));
	return offset + strobe_cyc2ns_scale(cycles, mul, shift);
}

/* Read the local clock without a call. Return: false: not possible so early in boot. */
static __always_inline bool strobe_clock_inline(u64 *ts)
{
	if (!static_branch_likely(&__use_tsc))
		return false;
	*ts = strobe_cycles_to_ns(rdtsc());
	return true;
}

#endif /* _STROBE_RING_CLOCK_X86_H */
