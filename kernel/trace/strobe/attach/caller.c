// SPDX-License-Identifier: GPL-2.0
/*
 * Where an event has happened, for a sample's ip and for what programs ask of registers:
 * the call of the tracepoint.
 *
 * A probe is called by __traceiter_NAME(), or if there are several by __traceloop_NAME(),
 * which the former jumps to or calls. It ends in a jump to strobe_event_commit(), which
 * so returns to one of those two. The call of the tracepoint is the next frame above the
 * iterator's. How many bytes of stack that is, the unwinder is asked once for each of
 * the two addresses. Where a kernel is compiled without such jumps commit returns to the
 * probe, which does not say who has called it: the unwinder is asked each time.
 *
 * State: what is known, in struct attached, in one word. Each context that finds it out
 * writes the same for the same address. With KASAN sizes of frames vary, so the unwinder
 * is asked each time. The word is then where the iterator begins, as to find
 * a symbol's name takes some ten thousand instructions there.
 * Contexts: any, NMI included, preemption off. Nothing here can be traced.
 * Locks and barriers: none.
 */
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/unwind.h>

#include "attach/caller.h"

/* Beside the iterator's there may be the probe's, and what checks put into the kernel. */
#define DEPTH_MAX	8
#define BYTES_MAX	4096

static notrace bool is_in(const char *function, unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(addr, name) && str_has_prefix(name, function);
}

/* Is @addr in the iterator of the tracepoint of @at? */
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

/* Bytes from regs->sp to where the address is that the iterator returns to; 0: unknown. */
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
 * caller_find_regs - have registers say where a tracepoint is called, by the unwinder
 * @at:   its event, which it is kept for
 * @regs: as for caller_fetch_regs()
 *
 * Context: any, preemption off.
 */
notrace void caller_find_regs(struct attached *at, struct pt_regs *regs)
{
	unsigned long bytes = caller_find(at, regs);

	if (!IS_ENABLED(CONFIG_KASAN) &&
	    (is_in("__traceiter_", regs->ip) || is_in("__traceloop_", regs->ip)))
		WRITE_ONCE(at->caller, caller_word(regs->ip, bytes));
	caller_move_regs(regs, bytes);
}
