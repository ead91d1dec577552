/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of the torture test: the writers (torture.c), the readers
 * (torture_read.c), and the controller, which changes the ring (torture_control.c).
 */
#ifndef _STROBE_TORTURE_H
#define _STROBE_TORTURE_H

#include <time.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/walk.h"

#define LEVELS	(SHIM_MAX_DEPTH + 1)

/* A record's payload. The fill is computed from serial, cpu and level. */
struct payload {
	u64	before;		/* the CPU's clock before the reservation */
	u64	after;		/* and after it */
	u64	serial;		/* number among the records of its level */
	u16	len;
	u8	cpu;
	u8	level;
	u32	fill[];
} __attribute__((__packed__)) __aligned(4);

struct options {
	int		cpus;
	int		seconds;
	u64		events;		/* how many to fire; 0: run for @seconds */
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
 * struct writer - a CPU, and the counts of its writers
 *
 * Each interrupt level has its own counts, so these need not be atomic.
 * @clock: the CPU's clock
 * @serial: records committed
 * @fired: attempts to record
 * @discarded: records discarded
 * @refused: attempts that failed, and that the ring has counted
 * @off: attempts that failed because recording was off; the ring does not count them
 * @held_off: attempts that failed because the writers were held off; the ring counts them
 * @counted: sum of @refused, without @held_off
 * @epoch: incremented when a reset begins, and when it ends: odd meanwhile
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
 * struct sight - what a reader has seen of a CPU's ring
 * @iterates: it is an iterator: missing records may have been consumed
 * @read: number of records
 * @lost: records that are lost according to the ring
 * @missing: records that are missing according to the serials
 * @ts: time of the last record
 * @next: expected index of the next record; only if @known
 * @resets: resets of this CPU's ring up to the last record
 * @serial: serial of the last record of each level
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

#define FAIL(...)	HARNESS_FAIL(failures, __VA_ARGS__)

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
 * Held from showing a record until it is consumed, so that the ring is not reset in
 * between.
 */
extern pthread_mutex_t access_lock;

void sight_init(struct sight *sight);
bool consume(int cpu, u32 max);
void *consumer(void *arg);
void *iterator(void *arg);
void *sleeper(void *arg);

/* torture_control.c */
/* Sum of the statistics of a CPU's ring before each reset */
extern struct strobe_ring_stats before_reset[SHIM_MAX_CPUS];
/* Odd while recording may be off; incremented before that begins, and after it ends. */
extern u64 off_periods;
/* Number of resets. Changed under access_lock. */
extern u64 resets[SHIM_MAX_CPUS];

void *controller(void *arg);

#endif /* _STROBE_TORTURE_H */
