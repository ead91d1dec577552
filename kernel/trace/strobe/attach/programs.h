/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running BPF programs: the inline part, used for each event that has programs.
 *
 * Context of all: any, NMI included, preemption off, which makes the code an RCU reader.
 * Programs and arrays of them are freed after an RCU grace period, or one of RCU tasks
 * trace and then one of RCU (bpf_prog_array_free_sleepable(), bpf_link_free()).
 */
#ifndef _STROBE_ATTACH_PROGRAMS_H
#define _STROBE_ATTACH_PROGRAMS_H

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/strobe/event.h>

#include "record/record.h"

#ifdef CONFIG_BPF_EVENTS

/**
 * struct program_turn - one run of an event's programs
 * @ctx:   the run context that helpers find through the task; is_uprobe is never set
 * @outer: run context of the interrupted program, or NULL; restored at the end
 */
struct program_turn {
	struct bpf_trace_run_ctx	ctx;
	struct bpf_run_ctx		*outer;
};

/* bpf.c */
u32 strobe_program_run_timed(const struct bpf_prog *prog, const void *ctx);
bool strobe_programs_lockdep_lock(void);
void strobe_programs_lockdep_unlock(void);
u32 strobe_programs_run_many(const struct bpf_prog_array *array, const void *ctx,
			     struct bpf_trace_run_ctx *run_ctx);

/*
 * Preemption is off, so only lockdep needs rcu_read_lock(). Programs do not run for events
 * that the call of lockdep fires. The caller has already marked its program as active.
 * Return: false for such an event
 */
static __always_inline bool programs_read_lock(void)
{
	return !IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC) || strobe_programs_lockdep_lock();
}

static __always_inline void programs_read_unlock(void)
{
	if (IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC))
		strobe_programs_lockdep_unlock();
}

/* Timed runs are out of line: only they need registers preserved across the program. */
static __always_inline u32 program_run(const struct bpf_prog *prog, const void *ctx)
{
	if (static_branch_unlikely(&bpf_stats_enabled_key))
		return strobe_program_run_timed(prog, ctx);
	return bpf_dispatcher_nop_func(ctx, prog->insnsi, prog->bpf_func);
}

/* The event's programs or NULL, never an empty array. Valid while preemption is off. */
static __always_inline const struct bpf_prog_array *
event_programs(const struct trace_event_call *call)
{
	return rcu_dereference_raw(call->prog_array);
}

/**
 * programs_begin - prepare to run an event's programs
 * @turn: filled in for programs_end()
 *
 * Of all programs that use bpf_prog_active only one runs at a time on a CPU.
 *
 * Return: false if they cannot run now: call programs_missed()
 */
static __always_inline bool programs_begin(struct program_turn *turn)
{
	/* Not atomic: an interrupt undoes its increment before it returns. */
	__this_cpu_inc(bpf_prog_active);
	if (unlikely(__this_cpu_read(bpf_prog_active) != 1) || !programs_read_lock())
		return false;
	/* An interrupt that runs programs restores the pointer before it returns. */
	turn->outer = data_race(bpf_set_run_ctx(&turn->ctx.run_ctx));
	return true;
}

/* Count a missed run in each program's statistics, and undo programs_begin(). */
static inline void programs_missed(const struct bpf_prog_array *array)
{
	bpf_prog_inc_misses_counters(array);
	__this_cpu_dec(bpf_prog_active);
}

/**
 * programs_run - run an event's programs on a record
 * @array: the programs; nearly always one
 * @ctx:   the record, with a pointer to registers in place of its header
 * @turn:  from programs_begin()
 *
 * Return: 0 if bit 0 of a program's result is 0: it rejects the record for perf; else 1
 */
static __always_inline u32 programs_run(const struct bpf_prog_array *array, const void *ctx,
					struct program_turn *turn)
{
	const struct bpf_prog_array_item *item = array->items;

	if (unlikely(READ_ONCE(item[1].prog)))
		return strobe_programs_run_many(array, ctx, &turn->ctx);
	turn->ctx.bpf_cookie = item->bpf_cookie;
	return program_run(READ_ONCE(item->prog), ctx) & 1;
}

static __always_inline void programs_end(struct program_turn *turn)
{
	/* See programs_begin(). */
	data_race(bpf_set_run_ctx(turn->outer));
	programs_read_unlock();
	__this_cpu_dec(bpf_prog_active);
}

#else /* !CONFIG_BPF_EVENTS */

struct program_turn {
};

static inline const struct bpf_prog_array *event_programs(const struct trace_event_call *call)
{
	return NULL;
}

static inline bool programs_begin(struct program_turn *turn)
{
	return false;
}

static inline void programs_missed(const struct bpf_prog_array *array)
{
}

static inline u32 programs_run(const struct bpf_prog_array *array, const void *ctx,
			       struct program_turn *turn)
{
	return 1;
}

static inline void programs_end(struct program_turn *turn)
{
}

#endif

#endif /* _STROBE_ATTACH_PROGRAMS_H */
