/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the parts of the torture test. For an overview see main.c.
 */
#ifndef _STROBE_TORTURE_H
#define _STROBE_TORTURE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rwsem.h>

#include "ring/ring.h"
#include "ring/ring_types.h"

/* As interrupt_context_level() numbers them. */
enum torture_level {
	TORTURE_TASK,
	TORTURE_SOFTIRQ,
	TORTURE_IRQ,
	TORTURE_NMI,
	TORTURE_LEVELS,
};

/* What a writer was doing when another writer interrupted it. */
enum torture_where {
	TORTURE_OUTSIDE,
	TORTURE_RESERVING,
	TORTURE_WRITING,
	TORTURE_LEAVING,
	TORTURE_WHERES,
};

/**
 * struct torture_ops - a variant of the write side and of the iterator
 * @name: name of the variant
 * @sound: the test must pass; else the variant is broken and the test must fail
 * @reserve: as strobe_ring_reserve(); sets @off if it returns NULL because
 *	recording was off
 * @commit: as strobe_ring_commit()
 * @discard: as strobe_ring_discard()
 * @iter_peek: as strobe_ring_iter_peek()
 */
struct torture_ops {
	const char *name;
	bool sound;
	void *(*reserve)(struct strobe_ring *ring, u32 len,
			 struct strobe_ring_resv *resv, bool *off);
	void (*commit)(struct strobe_ring_resv *resv);
	void (*discard)(struct strobe_ring_resv *resv);
	bool (*iter_peek)(struct strobe_ring_iter *iter,
			  struct strobe_ring_record *record);
};

extern const struct torture_ops torture_sound;
extern const struct torture_ops torture_busted_wrap;
extern const struct torture_ops torture_busted_early;
extern const struct torture_ops torture_busted_publish;
extern const struct torture_ops torture_busted_copy;
extern const struct torture_ops torture_busted_count;
extern const struct torture_ops torture_busted_last;
extern const struct torture_ops torture_busted_off;

/**
 * struct torture_payload - payload of a record
 * @before: the ring's clock before the reservation
 * @after: the ring's clock after the reservation
 * @serial: number of the record among those of its CPU and level
 * @len: length requested, in bytes
 * @cpu: the writer's CPU
 * @level: the writer's context, enum torture_level
 * @fill: torture_fill() of @serial, @cpu and @level
 */
struct torture_payload {
	u64	before;
	u64	after;
	u32	serial;
	u16	len;
	u8	cpu;
	u8	level;
	u32	fill[];
} __packed __aligned(4);

/**
 * struct torture_count - counts of one level of a CPU, which alone writes to it
 * @fired: attempts to record; each is counted in one of the next four
 * @written: committed records; serial number of the next one
 * @discarded: records discarded after the reservation
 * @refused: failed attempts that the ring counts as dropped or as commit overrun
 * @off: attempts while recording was off, which the ring does not count
 * @where: attempts by what they interrupted, enum torture_where
 * @depth: attempts by the number of writers that they interrupted
 * @random: state of the level's own PRNG, which needs no lock
 */
struct torture_count {
	u64			fired;
	u64			written;
	u64			discarded;
	u64			refused;
	u64			off;
	u64			where[TORTURE_WHERES];
	u64			depth[TORTURE_LEVELS];
	struct rnd_state	random;
};

/**
 * struct torture_cpu - the writers of a CPU
 * @count: counts of each level
 * @inside: number of nested writers; each one restores the value it found
 * @where: what the innermost of them is doing; each one restores the value it found
 * @ready: interrupts can be requested: the CPU is online
 * @nmi_pending: an NMI of this test has been sent and not handled
 * @timer: periodic hard interrupts
 * @work: hard interrupts on request
 * @tasklet: soft interrupts
 */
struct torture_cpu {
	struct torture_count	count[TORTURE_LEVELS];
	u8			inside;
	u8			where;
	bool			ready;
	int			nmi_pending;
	struct hrtimer		timer;
	struct irq_work		work;
	struct tasklet_struct	tasklet;
};

DECLARE_PER_CPU_ALIGNED(struct torture_cpu, torture_cpus);

/**
 * struct torture_sight - what a reader has read of a CPU
 * @read: number of records
 * @lost: number of lost records that the ring has reported
 * @missing: number of lost records according to the serial numbers
 * @ts: time of the last record
 * @serial: last serial number of each level
 */
struct torture_sight {
	u64	read;
	u64	lost;
	u64	missing;
	u64	ts;
	s64	serial[TORTURE_LEVELS];
};

/**
 * struct torture - a run
 * @ring: the ring under test
 * @ops: the variant under test
 * @irq_us: shortest time between timer interrupts of a CPU
 * @resets: reset the ring and change its clock; records lost by that are not accounted for
 * @access: read-locked by consumers from peek to consume, write-locked to empty the ring
 * @off_periods: beginnings and ends of periods in which events may be refused and not counted
 * @failures: number of failed checks
 * @iterated: number of records that iterators read
 * @pages: number of whole sub-buffers read
 * @turns: number of operations by control.c
 * @replugged: number of CPUs taken offline and back online
 */
struct torture {
	struct strobe_ring		*ring;
	const struct torture_ops	*ops;
	unsigned int			irq_us;
	bool				resets;
	struct rw_semaphore		access;
	atomic_t			off_periods;
	atomic_t			failures;
	atomic64_t			iterated;
	atomic64_t			pages;
	atomic64_t			turns;
	atomic_t			replugged;
};

extern struct torture torture;

/* Number of failures to print. */
#define TORTURE_TOLD	10

#define torture_fail(fmt, ...) do {					\
	if (atomic_inc_return(&torture.failures) <= TORTURE_TOLD)	\
		pr_alert("strobe_torture: " fmt "\n", ##__VA_ARGS__);	\
} while (0)

/* Word @i of a record's fill. */
static inline u32 torture_fill(const struct torture_payload *p, u32 i)
{
	return (p->serial * 2654435761U + p->level * 40503U + p->cpu * 97U) ^
	       (i * 2246822519U);
}

static inline u32 torture_fill_words(u32 len)
{
	return (len - sizeof(struct torture_payload)) / sizeof(u32);
}

/* writers.c */
void torture_fire(unsigned int n);
void torture_writers_init(u32 seed);
int torture_interrupts_start(void);
void torture_interrupts_stop(void);
int torture_writer(void *arg);

/* readers.c */
void torture_readers_init(void);
bool torture_consume(int cpu, u32 max);
const struct torture_sight *torture_consumed(int cpu);
int torture_consumer(void *arg);
int torture_iterator(void *arg);

/* control.c */
int torture_controller(void *arg);

/* hotplug.c, with CONFIG_HOTPLUG_CPU */
int torture_hotplug(void *arg);

/* nmi.c */
#ifdef CONFIG_X86_LOCAL_APIC
int torture_nmi_start(void (*fire)(unsigned int n));
void torture_nmi_stop(void);
void torture_nmi_send(int cpu);
#else
static inline int torture_nmi_start(void (*fire)(unsigned int n)) { return 0; }
static inline void torture_nmi_stop(void) { }
static inline void torture_nmi_send(int cpu) { }
#endif

#endif /* _STROBE_TORTURE_H */
