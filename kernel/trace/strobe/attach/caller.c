// SPDX-License-Identifier: GPL-2.0
/*
 * Find the call of the tracepoint that fired, for a sample's ip and for BPF helpers that
 * use registers.
 *
 * A probe is called by __traceiter_NAME(), or if the tracepoint has several probes, by
 * __traceloop_NAME(), which the former jumps to or calls. The probe ends in a jump to
 * strobe_event_commit(), which therefore returns to one of those two. The call of the
 * tracepoint is in the frame above the iterator's. The distance on the stack depends only
 * on the return address, so the unwinder runs once for a return address, and the result
 * is cached. If the compiler does not emit such a jump, commit returns to the probe. That
 * address does not determine the probe's caller, so the unwinder runs each time.
 *
 * State: the cache, one word in struct attached. All contexts write the same value for
 * the same return address. With KASAN the sizes of frames vary, so the unwinder runs each
 * time, and the word holds the start of the iterator instead: finding a symbol's name
 * takes some ten thousand instructions with KASAN.
 * Contexts: any, NMI included, preemption off. Nothing here can be traced.
 * Locks and barriers: none.
 */
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/unwind.h>

#include "attach/caller.h"

/* Frames below the iterator's: the probe's, and those of functions that sanitizers call. */
#define DEPTH_MAX	8
#define BYTES_MAX	4096

static notrace bool is_in(const char *function, unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(addr, name) && str_has_prefix(name, function);
}

/* Whether @addr is in the iterator of @at's tracepoint. */
static notrace bool is_in_iterator(struct attached *at, unsigned long addr)
{
	unsigned long size, offset;

	if (!IS_ENABLED(CONFIG_KASAN))
		return is_in("__traceiter_", addr);
	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return false;
	if (READ_ONCE(at->caller))
		return READ_ONCE(at->caller) == addr - offset;
	if (!is_in("__traceiter_", addr))
		return false;
	WRITE_ONCE(at->caller, addr - offset);
	return true;
}

/* Return the bytes from regs->sp to the iterator's return address, 0 if not found. */
static noinline notrace unsigned long caller_find(struct attached *at,
						  const struct pt_regs *regs)
{
	unsigned long place;
	struct unwind_state state;
	unsigned int i;

	unwind_start(&state, current, NULL, (void *)regs->sp);
	for (i = 0; i < DEPTH_MAX && !unwind_done(&state); i++) {
		if (is_in_iterator(at, unwind_get_return_address(&state)))
			break;
		unwind_next_frame(&state);
	}
	if (i == DEPTH_MAX || unwind_done(&state) || !unwind_next_frame(&state))
		return 0;
	place = (unsigned long)unwind_get_return_address_ptr(&state);
	return place - regs->sp <= BYTES_MAX ? place - regs->sp : 0;
}

/**
 * strobe_caller_find_regs - set registers to the call of the tracepoint, using the unwinder
 * @at:   the event; its cache is updated
 * @regs: as for caller_fetch_regs()
 *
 * Context: any, preemption off.
 */
notrace void strobe_caller_find_regs(struct attached *at, struct pt_regs *regs)
{
	unsigned long bytes = caller_find(at, regs);

	if (!IS_ENABLED(CONFIG_KASAN) &&
	    (is_in("__traceiter_", regs->ip) || is_in("__traceloop_", regs->ip)))
		WRITE_ONCE(at->caller, caller_word(regs->ip, bytes));
	caller_move_regs(regs, bytes);
}
