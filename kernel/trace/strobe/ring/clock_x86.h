/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read x86's clock inline: the value of native_sched_clock() for the same TSC, in 13
 * instructions with rdtsc.
 */
#ifndef _STROBE_RING_CLOCK_X86_H
#define _STROBE_RING_CLOCK_X86_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <asm/msr.h>
#include <asm/timer.h>

/* rdtsc() with the result in %rax, where strobe_cyc2ns_scale() needs it: GCC prefers %rdx. */
static __always_inline u64 strobe_rdtsc(void)
{
	u64 cycles;

	asm volatile("rdtsc\n\t"
		     "shlq $32, %%rdx\n\t"
		     "orq %%rdx, %0" : "=a" (cycles) : : "rdx", "cc");
	return cycles;
}

/*
 * mul_u64_u32_shr() for a shift below 64, as cyc2ns has, but without a 128-bit variable:
 * GCC aligns the stack of every function that has one, which takes three instructions.
 */
static __always_inline u64 strobe_cyc2ns_scale(u64 cycles, u32 mul, u32 shift)
{
	u64 high;

	asm("mulq %2" : "+a" (cycles), "=d" (high) : "r" ((u64)mul) : "cc");
	asm("shrdq %%cl, %1, %0" : "+r" (cycles) : "r" (high), "c" (shift) : "cc");
	return cycles;
}

/*
 * The version of the clock's data is the sequence of its latch. While it is even,
 * cyc2ns.data[0] is not changed.
 */
static inline u32 strobe_clock_version(void)
{
	u32 seq = this_cpu_read(cyc2ns.seq.seqcount.sequence);

	if (!static_branch_likely(&__use_tsc))
		return STROBE_CLOCK_UNKNOWN;	/* so early in boot */
	return seq & 1 ? STROBE_CLOCK_UNKNOWN : seq;
}

/*
 * Read the local clock without a call. Return: false: its data has changed since
 * rc->clock_seq was set.
 *
 * If the sequence is rc->clock_seq after the loads, no change of data[0] had begun when they
 * did: rc->clock_seq follows a change only after all writers have left that began before. The
 * change may be made by another CPU: volatile asm statements keep the compiler, and x86
 * keeps the CPU, from reordering the loads. The offset is added where it is, so that few
 * registers are needed.
 */
static __always_inline bool strobe_clock_inline(const struct strobe_ring_cpu *rc, u64 *ts)
{
	u64 cycles = strobe_rdtsc();
	u32 shift = this_cpu_read(cyc2ns.data[0].cyc2ns_shift);
	u32 mul = this_cpu_read(cyc2ns.data[0].cyc2ns_mul);
	u32 seq;

	*ts = strobe_cyc2ns_scale(cycles, mul, shift);
	asm volatile("addq " __percpu_arg([offset]) ", %[ts]" : [ts] "+r" (*ts)
		     : [offset] "m" (__my_cpu_var(cyc2ns.data[0].cyc2ns_offset)) : "cc");
	seq = this_cpu_read(cyc2ns.seq.seqcount.sequence);
	barrier();	/* Keep the next load a memory operand of the compare. */
	return likely(seq == data_race(rc->clock_seq));
}

#endif /* _STROBE_RING_CLOCK_X86_H */
