/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests have to do with the shim.
 */
#ifndef _STROBE_HARNESS_H
#define _STROBE_HARNESS_H

#include <time.h>

#include "shim.h"

#define SHIM_MAX_CPUS	8
#define SHIM_MAX_DEPTH	4	/* interrupts nested in a writer */

/**
 * struct shim_thread - of each thread
 * @depth: interrupts that it is in
 * @inject: barrier() and the like interrupt one time in so many; 0: never
 * @handler: what the interrupt does
 * @random: state of shim_random()
 * @preempt_off: nesting of preempt_disable_notrace()
 * @parity: where it is counted
 */
struct shim_thread {
	int		depth;
	u32		inject;
	void		(*handler)(void);
	u64		random;
	int		preempt_off;
	int		parity;
};

/**
 * struct shim_section - read-side critical sections of RCU of a CPU
 * @active: how many it is in, nested
 * @quiet: counts up outside of them
 */
struct shim_section {
	unsigned long	active;
	unsigned long	quiet;
} ____cacheline_aligned;

extern __thread struct shim_thread shim_self;
extern struct shim_section shim_sections[SHIM_MAX_CPUS];
extern long shim_fail_at;	/* the n-th allocation from now on fails */
extern char *shim_arena;	/* zeroed, to allocate from, never to be freed */
extern size_t shim_arena_align;

u32 shim_random(void);

/* The options of a test: -n rounds, @rounds by default, and -s seed of this thread. */
u32 harness_rounds(int argc, char **argv, u32 rounds);

/*
 * Signals that interrupt the calling thread, as barrier() does: up to SHIM_MAX_DEPTH deep,
 * the most frequent one each second multiple of @us microseconds.
 */
void harness_catch_signals(void);
void harness_start_timers(timer_t timers[SHIM_MAX_DEPTH], u32 us);
void harness_stop_timers(timer_t timers[SHIM_MAX_DEPTH]);

static inline void shim_section_enter(void)
{
	__atomic_fetch_add(&shim_sections[shim_cpu].active, 1, __ATOMIC_SEQ_CST);
}

static inline void shim_section_leave(void)
{
	__atomic_fetch_sub(&shim_sections[shim_cpu].active, 1, __ATOMIC_SEQ_CST);
}

static inline void shim_section_quiet(void)
{
	__atomic_fetch_add(&shim_sections[shim_cpu].quiet, 1, __ATOMIC_SEQ_CST);
}

#endif /* _STROBE_HARNESS_H */
