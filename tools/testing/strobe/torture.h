/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the torture share: who writes (torture.c), who reads
 * (torture_read.c), and who changes the ring meanwhile (torture_control.c).
 */
#ifndef _STROBE_TORTURE_H
#define _STROBE_TORTURE_H

#include <time.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/walk.h"

#define LEVELS	(SHIM_MAX_DEPTH + 1)

/* A record's payload. The fill depends on all the rest. */
struct payload {
	u64	before;		/* the clock before the reservation */
	u64	after;		/* and after it */
	u64	serial;		/* among the records of its level */
	u16	len;
	u8	cpu;
	u8	level;
	u32	fill[];
} __attribute__((__packed__)) __aligned(4);

struct options {
	int		cpus;
	int		seconds;
	u64		events;		/* in place of seconds */
	u32		slots;
	u32		inject;
	u32		signal_us;
	bool		overwrite;
	bool		iterate;
	bool		discard;
	bool		control;
	bool		persist;
	bool		quiet;
};

/**
 * struct writer - what a CPU did
 *
 * Each level has its own counts: nothing needs to be atomic.
 * @clock: its time
 * @serial: records committed
 * @fired: attempts to record
 * @discarded: records given up
 * @refused: attempts that failed and that the ring has counted
 * @off: attempts that failed because recording was off; the ring does not count them
 * @held_off: attempts that failed because the writers were held off, which it counts
 * @counted: sum of @refused
 * @epoch: changes when a reset begins, and when it ends: odd meanwhile
 * @counted_then: @counted at the last reset
 * @timers: send the signals
 */
struct writer {
	pthread_t	thread;
	u64		clock;
	u64		serial[LEVELS];
	u64		fired[LEVELS];
	u64		discarded[LEVELS];
	u64		refused[LEVELS];
	u64		off[LEVELS];
	local_t		counted;
	local_t		held_off;
	u64		epoch;
	u64		counted_then;
	timer_t		timers[SHIM_MAX_DEPTH];
} ____cacheline_aligned;

/**
 * struct sight - what a reader saw of a CPU
 * @iterates: it takes nothing: what is missing may have been consumed
 * @read: records
 * @lost: said to be lost
 * @missing: by their serials
 * @ts: of the last one
 * @next: index expected; only if @known
 * @resets: of this CPU's ring, when the last one was seen
 * @serial: of the last one of each level
 */
struct sight {
	bool		iterates;
	u64		read;
	u64		lost;
	u64		missing;
	u64		ts;
	u64		next;
	bool		known;
	u64		resets;
	s64		serial[LEVELS];
};

/* torture.c */
extern struct options opt;
extern struct strobe_ring *ring;
extern struct writer writers[SHIM_MAX_CPUS];
extern bool stop_readers;
extern int failures;

#define FAIL(...) do {							\
	if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 10) {	\
		fprintf(stderr, "# " __VA_ARGS__);			\
		fputc('\n', stderr);					\
	}								\
} while (0)

#define EXPECT_EQ(cpu, a, b) do {					\
	u64 _a = (a), _b = (b);						\
									\
	if (_a != _b)							\
		FAIL("cpu %d: %s is %lu, %s is %lu", cpu, #a, _a, #b, _b);\
} while (0)

u64 other_clock(void);
u32 fill_word(const struct payload *p, u32 i);
u32 fill_words(u32 len);

/* torture_read.c */
extern struct sight consumed[SHIM_MAX_CPUS];
extern u64 iterated, paged, mapped;
/*
 * Who shows a record before he consumes it keeps the ring from being emptied in
 * between.
 */
extern pthread_mutex_t access_lock;

void sight_init(struct sight *sight);
bool consume(int cpu, u32 max);
void *consumer(void *arg);
void *iterator(void *arg);
void *sleeper(void *arg);

/* torture_control.c */
/* What became of the events of a CPU before its ring was reset. */
extern struct strobe_ring_stats before_reset[SHIM_MAX_CPUS];
/* Odd while recording may be off; goes up before that begins, and after it ends. */
extern u64 off_periods;
/* How many resets there were. Changed under access_lock. */
extern u64 resets[SHIM_MAX_CPUS];

void stats_add(struct strobe_ring_stats *sum, const struct strobe_ring_stats *stats);
void *controller(void *arg);

#endif /* _STROBE_TORTURE_H */
