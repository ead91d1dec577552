/* SPDX-License-Identifier: GPL-2.0 */
/* Registers at the call of a tracepoint. */
#ifndef _STROBE_ATTACH_CALLER_H
#define _STROBE_ATTACH_CALLER_H

#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/thread_info.h>

#include "attach/attach.h"

/*
 * attached.caller: low half of a return address, and bytes from regs->sp (0: unknown). It saves
 * each sample the unwinder: 7,160 instructions.
 */
static inline u64 caller_word(unsigned long ip, unsigned long bytes)
{
	return (u64)(u32)ip << 32 | bytes;
}

#ifdef CONFIG_STROBE_CALL_SITE

/* caller.c */
void strobe_caller_find_regs(struct attached *at, struct pt_regs *regs);

/**
 * caller_regs - set registers to this function's caller
 * @regs: initialised by perf_arch_fetch_caller_regs(); only ip and sp are written again
 * @ip:   return address of this function
 */
static __always_inline void caller_regs(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
	/* perf_arch_fetch_caller_regs() needs the frame's address, so GCC sets up a frame. */
	regs->sp = current_stack_pointer;
}

static __always_inline void caller_move_regs(struct pt_regs *regs, u32 bytes)
{
	if (!bytes)
		return;
	regs->sp += bytes;
	regs->ip = READ_ONCE_NOCHECK(*(unsigned long *)regs->sp);
}

/**
 * caller_fetch_regs - set registers to the call of the tracepoint
 * @at:   the event
 * @regs: set by caller_regs() in the function to which strobe_event_commit() jumped; not
 *	  changed if the unwinder does not find the call
 *
 * Context: any, preemption off.
 */
static __always_inline void caller_fetch_regs(struct attached *at, struct pt_regs *regs)
{
	u64 caller = READ_ONCE(at->caller);

	/* KASAN aligns frames, so their sizes vary. */
	if (IS_ENABLED(CONFIG_KASAN) || unlikely(caller >> 32 != (u32)regs->ip))
		return strobe_caller_find_regs(at, regs);
	caller_move_regs(regs, caller);
}

#else

static __always_inline void caller_regs(struct pt_regs *regs, unsigned long ip)
{
	perf_arch_fetch_caller_regs(regs, ip);
}

static inline void caller_fetch_regs(struct attached *at, struct pt_regs *regs)
{
}

#endif

#endif /* _STROBE_ATTACH_CALLER_H */
