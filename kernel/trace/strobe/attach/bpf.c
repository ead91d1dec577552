// SPDX-License-Identifier: GPL-2.0
/*
 * Running BPF programs: what of it is out of line, and raw tracepoints, from the shim,
 * which is the probe, straight to the program. Who attaches them, and what they may
 * call, is bpf_trace.c's, as it is in the tree.
 *
 * A raw tracepoint's program does not run twice at a time on a CPU; that it was left out
 * is counted in its statistics as missed. All that can fire an event, lockdep's calls
 * among it, lies within the turn of a program: else a program on that event had no end.
 *
 * Contexts: any, NMI included, preemption off. Locks and barriers: none; programs.h says
 * how long a program stays.
 */
#include <linux/bpf.h>
#include <linux/export.h>
#include <linux/filter.h>
#include <linux/percpu.h>

#include "attach/programs.h"

#ifdef CONFIG_DEBUG_LOCK_ALLOC

/*
 * Levels of context in which lockdep is being called for programs. Without this, each
 * program on an event of lockdep would have each other one run: their number's factorial.
 */
static DEFINE_PER_CPU(u8, programs_locking);

/**
 * programs_lockdep_lock - have lockdep know of an RCU reader
 *
 * Context: any, preemption off.
 * Return: false if it was called by such a call, by way of an event; nothing has changed
 */
notrace bool programs_lockdep_lock(void)
{
	u8 level = record_level_enter(&programs_locking);

	if (!level)
		return false;
	rcu_read_lock();
	record_level_leave(&programs_locking, level);
	return true;
}

/**
 * programs_lockdep_unlock - undo programs_lockdep_lock()
 *
 * Context: as there.
 */
notrace void programs_lockdep_unlock(void)
{
	u8 level = record_level_enter(&programs_locking);

	rcu_read_unlock();
	record_level_leave(&programs_locking, level);
}

#endif

/**
 * program_run_timed - run a program, and take its time
 * @prog: the program
 * @ctx:  its context
 *
 * Context: any, preemption off.
 * Return: what it returns
 */
notrace u32 program_run_timed(const struct bpf_prog *prog, const void *ctx)
{
	return bpf_prog_run(prog, ctx);
}

/**
 * programs_run_many - run programs one after the other
 * @array:   the programs
 * @ctx:     their context
 * @run_ctx: what helpers find: each program's cookie
 *
 * Context: any, preemption off.
 * Return: the bits that all of them return; bit 0 at most
 */
notrace u32 programs_run_many(const struct bpf_prog_array *array, const void *ctx,
			      struct bpf_trace_run_ctx *run_ctx)
{
	const struct bpf_prog_array_item *item = array->items;
	const struct bpf_prog *prog;
	u32 verdict = 1;

	for (; (prog = READ_ONCE(item->prog)); item++) {
		run_ctx->bpf_cookie = item->bpf_cookie;
		verdict &= program_run(prog, ctx);
	}
	return verdict;
}

static __always_inline void run_raw(struct bpf_raw_tp_link *link, u64 *args)
{
	struct bpf_prog *prog = link->link.prog;
	struct bpf_trace_run_ctx run_ctx __uninitialized;
	struct bpf_run_ctx *outer;

	if (likely(this_cpu_inc_return(*prog->active) == 1) && programs_read_lock()) {
		run_ctx.bpf_cookie = link->cookie;
		run_ctx.is_uprobe = false;
		outer = bpf_set_run_ctx(&run_ctx.run_ctx);
		program_run(prog, args);
		bpf_reset_run_ctx(outer);
		programs_read_unlock();
	} else {
		bpf_prog_inc_misses_counter(prog);
	}
	this_cpu_dec(*prog->active);
}

/* A program's context is the array of the arguments. */
#define DEFINE_RUN(n, names...)							\
	notrace void strobe_bpf_run##n(struct bpf_raw_tp_link *link, STROBE_BPF_ARGS##n) \
	{									\
		u64 args[] = { names };						\
										\
		run_raw(link, args);						\
	}									\
	EXPORT_SYMBOL_GPL(strobe_bpf_run##n)

DEFINE_RUN(1, a0);
DEFINE_RUN(2, a0, a1);
DEFINE_RUN(3, a0, a1, a2);
DEFINE_RUN(4, a0, a1, a2, a3);
DEFINE_RUN(5, a0, a1, a2, a3, a4);
DEFINE_RUN(6, a0, a1, a2, a3, a4, a5);
DEFINE_RUN(7, a0, a1, a2, a3, a4, a5, a6);
DEFINE_RUN(8, a0, a1, a2, a3, a4, a5, a6, a7);
DEFINE_RUN(9, a0, a1, a2, a3, a4, a5, a6, a7, a8);
DEFINE_RUN(10, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
DEFINE_RUN(11, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
DEFINE_RUN(12, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
