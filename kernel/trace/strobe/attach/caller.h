/* SPDX-License-Identifier: GPL-2.0 */
/* Where an event has happened. */
#ifndef _STROBE_ATTACH_CALLER_H
#define _STROBE_ATTACH_CALLER_H

#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/thread_info.h>

#include "attach/attach.h"

/* The lower half of an address in the kernel, and bytes from regs->sp; 0: not known. */
static inline u64 caller_word(unsigned long ip, unsigned long bytes)
{
	return (u64)(u32)ip << 32 | bytes;
}

#ifdef CONFIG_STROBE_CALL_SITE

/* caller.c */
void caller_find_regs(struct attached *at, struct pt_regs *regs);

/**
 * caller_regs - have registers say that it is @ip that has called
 * @regs: from perf_arch_fetch_caller_regs() once; what stays of that is not written again
 * @ip:   where this function returns to
 */
static __always_inline void caller_regs(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
	/* perf's own takes the frame's address, for which GCC makes a frame. */
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
 * caller_fetch_regs - have registers say where a tracepoint is called
 * @at:   its event
 * @regs: from caller_regs() in what strobe_event_commit() has called last; left alone
 *	  if the unwinder does not know
 *
 * Context: any, preemption off.
 */
static __always_inline void caller_fetch_regs(struct attached *at, struct pt_regs *regs)
{
	u64 caller = READ_ONCE(at->caller);

	/* KASAN has frames aligned, so that their sizes vary. */
	if (IS_ENABLED(CONFIG_KASAN) || unlikely(caller >> 32 != (u32)regs->ip))
		return caller_find_regs(at, regs);
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
