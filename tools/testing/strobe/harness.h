/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shim's own interface for the tests, in addition to that of the kernel in shim.h
 */
#ifndef _STROBE_HARNESS_H
#define _STROBE_HARNESS_H

#include <time.h>

#include "shim.h"
#include "ring/ring.h"

#define SHIM_MAX_CPUS	8
#define SHIM_MAX_DEPTH	4	/* interrupts nested in a writer */

/**
 * struct shim_thread - state of a thread
 * @depth: number of nested interrupts that it is in
 * @inject: barrier() and similar macros call @handler once in so many times; 0: never
 * @handler: the interrupt handler
 * @random: state of shim_random()
 * @preempt_off: nesting of preempt_disable_notrace()
 * @parity: index of the counter in shim.c that counts it as an RCU reader
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
 * struct shim_section - RCU read-side critical sections of a CPU's writers
 * @active: nesting depth
 * @quiet: number of quiescent states so far
 */
struct shim_section {
	unsigned long	active;
	unsigned long	quiet;
} ____cacheline_aligned;

extern __thread struct shim_thread shim_self;
extern struct shim_section shim_sections[SHIM_MAX_CPUS];
extern long shim_fail_at;	/* counts down; the allocation that reaches 0 fails */
/* If not NULL, wake_up_all() calls it before it uses the queue. */
extern void (*shim_waking)(void);
extern char *shim_arena;	/* zeroed memory to allocate from; never freed */
extern size_t shim_arena_align;

u32 shim_random(void);

/*
 * The test has failed. What is broken may keep a thread busy forever: end the test after some
 * seconds, with status 1.
 */
void harness_failed(void);

/* Count a failure of any thread, and print the first ones. */
#define HARNESS_FAIL(failures, ...) do {				\
	int _nr = __atomic_fetch_add(&(failures), 1, __ATOMIC_RELAXED);\
									\
	if (!_nr)							\
		harness_failed();					\
	if (_nr < 10) {							\
		fprintf(stderr, "# " __VA_ARGS__);			\
		fputc('\n', stderr);					\
	}								\
} while (0)

/* Parse the options of a test: -n rounds, else @rounds; -s seed of this thread. */
u32 harness_rounds(int argc, char **argv, u32 rounds);

/*
 * Let signals interrupt the calling thread, as barrier() does, up to SHIM_MAX_DEPTH deep. The
 * most frequent one comes every 2 * @us microseconds.
 */
void harness_catch_signals(void);
void harness_start_timers(timer_t timers[SHIM_MAX_DEPTH], u32 us);
void harness_stop_timers(timer_t timers[SHIM_MAX_DEPTH]);

static inline void harness_add_stats(struct strobe_ring_stats *sum,
				     const struct strobe_ring_stats *stats)
{
	sum->entries += stats->entries;
	sum->overrun += stats->overrun;
	sum->commit_overrun += stats->commit_overrun;
	sum->dropped += stats->dropped;
	sum->read += stats->read;
	sum->discarded += stats->discarded;
	sum->reserved += stats->reserved;
}

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
