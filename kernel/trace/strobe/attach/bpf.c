// SPDX-License-Identifier: GPL-2.0
/*
 * Running BPF programs: the out-of-line part, and raw tracepoints, whose probe (the shim)
 * calls the program directly. Attaching programs and their helper functions are left to
 * the unchanged bpf_trace.c.
 *
 * A raw tracepoint's program does not nest on a CPU; a skipped run is counted as missed
 * in its statistics. Everything that can fire an event, including the calls to lockdep,
 * happens while the program counts as active. Otherwise a program on such an event would
 * recurse without end.
 *
 * Contexts: any, NMI included, preemption off. Locks and barriers: none; see programs.h
 * for the lifetime of programs.
 */
#include <linux/bpf.h>
#include <linux/export.h>
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/rcupdate_trace.h>

#include "attach/attach.h"
#include "attach/programs.h"

#ifdef CONFIG_DEBUG_LOCK_ALLOC

/*
 * Context levels that are calling lockdep for a program. Without this, each program on a
 * lockdep event would make all others run: n! runs for n programs.
 */
static DEFINE_PER_CPU(u8, programs_locking);

/**
 * strobe_programs_lockdep_lock - begin an RCU read-side critical section, for lockdep
 *
 * Context: any, preemption off.
 * Return: false, with nothing changed, if the event was fired by another such call
 */
notrace bool strobe_programs_lockdep_lock(void)
{
	u8 level = record_level_enter(&programs_locking);

	if (!level)
		return false;
	rcu_read_lock();
	record_level_leave(&programs_locking, level);
	return true;
}

/**
 * strobe_programs_lockdep_unlock - undo strobe_programs_lockdep_lock()
 *
 * Context: as strobe_programs_lockdep_lock()
 */
notrace void strobe_programs_lockdep_unlock(void)
{
	u8 level = record_level_enter(&programs_locking);

	rcu_read_unlock();
	record_level_leave(&programs_locking, level);
}

#endif

/**
 * strobe_program_run_timed - run a program and add its run time to its statistics
 * @prog: the program
 * @ctx:  its context
 *
 * Context: any, preemption off.
 * Return: what it returns
 */
notrace u32 strobe_program_run_timed(const struct bpf_prog *prog, const void *ctx)
{
	return bpf_prog_run(prog, ctx);
}

/**
 * strobe_programs_run_many - run programs in turn
 * @array:   the programs
 * @ctx:     their context
 * @run_ctx: gets each program's cookie, for helpers
 *
 * Context: any, preemption off.
 * Return: bit 0 of the return values, ANDed
 */
notrace u32 strobe_programs_run_many(const struct bpf_prog_array *array, const void *ctx,
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

#ifdef CONFIG_UPROBES

/**
 * strobe_attached_run_user_programs - run the programs of an uprobe event
 * @call: the event
 * @regs: the registers in user space, which are the programs' context
 *
 * Programs may sleep, and programs of other hits may run meanwhile, on this CPU, too.
 *
 * Context: task, may sleep, with rcu_read_lock_trace().
 * Return: false if a program rejects the hit for perf
 */
bool strobe_attached_run_user_programs(const struct trace_event_call *call, struct pt_regs *regs)
{
	const struct bpf_prog_array *array;

	array = rcu_dereference_check(call->prog_array, rcu_read_lock_trace_held());
	return !array || bpf_prog_run_array_uprobe(array, regs, bpf_prog_run);
}

#endif

static __always_inline void run_raw(struct bpf_raw_tp_link *link, u64 *args)
{
	struct bpf_prog *prog = link->link.prog;
	struct bpf_trace_run_ctx run_ctx __uninitialized;
	struct bpf_run_ctx *outer;

	if (likely(this_cpu_inc_return(*prog->active) == 1) && programs_read_lock()) {
		run_ctx.bpf_cookie = link->cookie;
		run_ctx.is_uprobe = false;
		/* An interrupt that runs programs restores the pointer before it returns. */
		outer = data_race(bpf_set_run_ctx(&run_ctx.run_ctx));
		program_run(prog, args);
		/* As above. */
		data_race(bpf_set_run_ctx(outer));
		programs_read_unlock();
	} else {
		bpf_prog_inc_misses_counter(prog);
	}
	this_cpu_dec(*prog->active);
}

/* A program's context is an array of the arguments. */
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
