/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running BPF programs, inline; the path of each event that has any.
 *
 * Context of all: any, NMI included, preemption off, which RCU takes for a reader.
 * Programs, and arrays of them, are freed after a grace period that waits for that: of
 * RCU, or of RCU tasks trace and then of RCU (bpf_prog_array_free_sleepable(),
 * bpf_link_free()).
 */
#ifndef _STROBE_ATTACH_PROGRAMS_H
#define _STROBE_ATTACH_PROGRAMS_H

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/strobe/event.h>

/* Only lockdep has to be told that this is an RCU reader. */
static __always_inline void programs_begin(void)
{
	if (IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC))
		rcu_read_lock();
}

static __always_inline void programs_end(void)
{
	if (IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC))
		rcu_read_unlock();
}

#ifdef CONFIG_BPF_EVENTS

/* bpf.c */
u32 program_run_timed(const struct bpf_prog *prog, const void *ctx);

/* Out of line if the time is to be taken: it would be the only need for registers. */
static __always_inline u32 program_run(const struct bpf_prog *prog, const void *ctx)
{
	if (static_branch_unlikely(&bpf_stats_enabled_key))
		return program_run_timed(prog, ctx);
	return bpf_dispatcher_nop_func(ctx, prog->insnsi, prog->bpf_func);
}

static inline bool event_has_programs(const struct trace_event_call *call)
{
	return rcu_access_pointer(call->prog_array);
}

u32 programs_run_many(const struct bpf_prog_array *array, const void *ctx);

/* Nearly always it is one; it is nothing that registers have to be kept for. */
static __always_inline u32 programs_run_array(const struct bpf_prog_array *array,
					      const void *ctx)
{
	const struct bpf_prog *prog = READ_ONCE(array->items[0].prog);
	struct bpf_trace_run_ctx run_ctx __uninitialized;
	struct bpf_run_ctx *outer;
	u32 verdict;

	if (unlikely(!prog))
		return 1;
	if (unlikely(READ_ONCE(array->items[1].prog)))
		return programs_run_many(array, ctx);
	run_ctx.is_uprobe = false;
	run_ctx.bpf_cookie = array->items[0].bpf_cookie;
	outer = bpf_set_run_ctx(&run_ctx.run_ctx);
	verdict = program_run(prog, ctx);
	bpf_reset_run_ctx(outer);
	return verdict;
}

/**
 * event_run_programs - show a record to the programs of its event
 * @call: the event
 * @ctx:  the record, a pointer to registers in place of its header
 *
 * Of all that count in bpf_prog_active one runs at a time on a CPU. Who is left out is
 * counted in the program's statistics as missed.
 *
 * Return: 0 if one of them, or that they cannot run now, keeps it from perf; else 1
 */
static __always_inline u32 event_run_programs(struct trace_event_call *call, void *ctx)
{
	const struct bpf_prog_array *array;
	u32 verdict = 0;

	programs_begin();
	array = rcu_dereference_sched(call->prog_array);
	if (likely(__this_cpu_inc_return(bpf_prog_active) == 1))
		verdict = likely(array) ? programs_run_array(array, ctx) : 1;
	else
		bpf_prog_inc_misses_counters(array);
	__this_cpu_dec(bpf_prog_active);
	programs_end();
	return verdict;
}

#else /* !CONFIG_BPF_EVENTS */

static inline bool event_has_programs(const struct trace_event_call *call)
{
	return false;
}

static inline u32 event_run_programs(struct trace_event_call *call, void *ctx)
{
	return 1;
}

#endif

#endif /* _STROBE_ATTACH_PROGRAMS_H */
