/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of the torture test of record/: the probes (probe.c), the functions that
 * are shown records (shown.c), the controller (change.c), the reader and the account of all
 * events (account.c), filters (select.c), and main() (torture.c).
 */
#ifndef _STROBE_RECORD_TORTURE_H
#define _STROBE_RECORD_TORTURE_H

#include <time.h>

#include "harness.h"
#include "filter/filter.h"
#include "record/deferred.h"
#include "record/gate.h"
#include "record/record.h"
#include "record/sink.h"
#include "record/tap.h"
#include "record/trace_array.h"
#include "record/triggers.h"
#include "ring/internal.h"

#include "payload.h"

/* The expected fate of an event */
enum fate {
	NOT_FIRED,
	WANTED,
	UNWANTED,
	PERHAPS,			/* its gate and filter change */
};

#define FATE_READ	BIT(7)

#define FILES		64
/* From here on, one for each CPU, which a trigger of its own disables before the commit */
#define FIRST_SELF	(FILES - SHIM_MAX_CPUS)
#define SERIALS		0x4000000U

/**
 * struct event - an event file or a tap, and what the test expects of it
 * @file: passed to the probe
 * @tap: the same, of a tap
 * @gate: bits that decide the fate of its records; constant, unless @changes
 * @bits: all bits of the gate; the controller. Without SOFT_DISABLED if that changes
 * @changes: its filter and its soft-disabled bit change
 */
struct event {
	union {
		struct trace_event_file	file;
		struct strobe_tap	tap;
	};
	unsigned long		gate;
	unsigned long		bits;
	bool			changes;
};

/*
 * What is counted on each CPU. count_names[] describes each; from FIRST_SEEN on, it must have
 * happened on some CPU.
 */
enum count {
	REJECTED, NO_PLACE, OFF,
	FIRST_SEEN,
	FULL = FIRST_SEEN, BY_FILTER, BY_HEADER, BY_TRIGGER, BY_EXPORT, BY_STACK, BY_REGS, BY_PID,
	ATTACHED, SAMPLED, TAPPED, TAP_MISSED, NESTED_RECORD,
	/* Only with a spare ring */
	TAPPED_LONG,
	/* Only if the controller runs */
	HELD, SWAPS, SWAP_BUSY, SWAPPED_SCRATCH, SWAPPED_LONG, SWAPPED_OPEN, SWAPPED_TRIGGER,
	OFF_TRIGGER, SELF_TRIGGER,
	/* Only if fates change */
	SOFT_TRIGGER,
	COUNTS
};

/* What the controller does, and the reader with OWNED; each must have happened. */
enum turn {
	RESIZE, ORDER, CLOCK, OVERWRITE, RESET, SWAP_RINGS, SWAP_CPU, SWITCH_OFF, DISABLE, CHECK,
	FILTER, GATE, GATES,
	/* Only if fates change */
	SOFT, OWNED,
	TURNS
};

/**
 * struct cpu - a CPU, and the counts of its writers
 * @serials: number of events fired
 * @nr: what was counted
 */
struct cpu {
	pthread_t	thread;
	u64		clock;
	u32		serials;
	u64		nr[COUNTS];
	timer_t		timers[SHIM_MAX_DEPTH];
	u8		fate[SERIALS];
};

/**
 * struct context - what the functions of shown.c expect of the event that is being fired
 * @serial: its serial number
 * @taken: number of times that a tap got it
 * @missed: number of times that a tap missed it
 * @verdict: the verdict of the lists of pids
 * @kinds: kinds of triggers that have to be called after it
 * @regs: the registers, while it is committed with them
 * @on: recording was on when it began
 * @offs: value of off_begun then
 *
 * Each thread has one. An interrupt restores it.
 */
struct context {
	u32			serial;
	u32			taken;
	u32			missed;
	enum pid_verdict	verdict;
	unsigned int		kinds;
	struct pt_regs		*regs;
	bool			on;
	u64			offs;
};

struct options {
	int		cpus;
	u32		events;
	u32		slots;
	u32		inject;
	u32		signal_us;
	bool		overwrite;
	bool		changes;
	bool		exact;
	bool		spare;
};

#define FAIL(...)	HARNESS_FAIL(failures, __VA_ARGS__)

/* torture.c */
extern struct options opt;
extern struct cpu cpus[SHIM_MAX_CPUS];
extern struct event events[FILES];
extern struct trace_array instance;
/* The instance's ring, and the one that it is swapped with */
extern struct strobe_ring *rings[2];
extern int failures;
extern bool stop;
/* The event file whose SOFT_DISABLED only the reader changes; NULL: there is none */
extern struct event *owned;

u64 other_clock(void);

static inline struct cpu *me(void)
{
	return &cpus[shim_cpu];
}

/* Atomic, since an interrupt may count, too. */
static inline void count(enum count what)
{
	__atomic_fetch_add(&me()->nr[what], 1, __ATOMIC_RELAXED);
}

/* probe.c */
extern __thread struct context context;

/* Number of records whose triggers have disabled the event of this CPU, and not enabled it again */
extern __thread u32 self_disabled;
/* That number and the gate are being changed: interrupts do not fire the event. */
extern __thread bool self_busy;

bool is_whole(const void *record, const char *who);
void fill(struct payload *p, u32 serial, u32 len, u32 file);
u32 next_serial(void);
void set_fate(u32 serial, enum fate fate);
bool ignored_by_record(u32 serial);
void fire(void);
void interrupt(void);
void probe_exit(void);

/* shown.c */
/*
 * Recording is off if off_now is not 0. off_begun counts the periods in which it is; it changes
 * before each begins.
 */
extern u64 off_now, off_begun;
/* Number of swaps so far */
extern u64 swaps;

void off_begin(void);
void off_end(void);
bool swap_rings(void);
void tap_take(struct strobe_tap *tap, void *record, u32 len);
void tap_missed(struct strobe_tap *tap);
void shown_exit(void);

/* select.c */
bool matches(u32 file, u32 serial);
void set_tag(char *tag, u32 serial);
struct strobe_filter *new_filter(u32 file);
void free_filter(struct strobe_filter *filter);

/* change.c */
extern u64 turns[TURNS];
/* Held while a reader is shown records, and to swap or remove them except by interrupts */
extern pthread_mutex_t access_lock;
/* The event file whose filter was changed last, which is fired most often; or NULL */
extern struct event *changed;
/* Sums of what resets have removed: unread records are entries. */
extern struct strobe_ring_stats before_reset[SHIM_MAX_CPUS];

void set_clock(u64 (*clock)(void));
void dawdle(void);
void change_owned(void);
bool is_self(const struct event *event);
void set_filter(struct event *event, struct strobe_filter *filter);
void *controller(void *arg);

/* account.c */
bool all_seen(void);
void *reader(void *arg);
void account(int cpu);
void account_all(void);

#endif /* _STROBE_RECORD_TORTURE_H */
