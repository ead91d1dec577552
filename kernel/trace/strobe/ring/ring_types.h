/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring's structures. Visible for the inline fast path of ring/write.h
 * only; everyone else uses ring/ring.h. Each member says who writes it; the
 * rules are explained at the top of write.c.
 */
#ifndef _STROBE_RING_TYPES_H
#define _STROBE_RING_TYPES_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <asm/local.h>

#include "record.h"
#include "ring/ring.h"
#include "ring/word.h"

/* Shift of a slot's size: the fast path scales the index with it. */
#define STROBE_SLOT_SHIFT	4

/**
 * struct strobe_ring_slot - one place of a CPU's ring: what each record touches
 * @subbuf: what the id in the slot's word stands for, for the writers; claimers,
 *	who all write the same
 * @count: records reserved in this slot since the ring began, less those
 *	discarded; writers, never reset while they run
 *
 * The rest of it, struct strobe_ring_lap, lies elsewhere: of that a reader writes
 * the word, beside slots that are being written.
 */
struct strobe_ring_slot {
	struct strobe_subbuf	*subbuf;
	local_t			count;
};

static_assert(sizeof(struct strobe_ring_slot) == 1 << STROBE_SLOT_SHIFT);

/**
 * struct strobe_ring_lap - what a slot holds
 * @word: the slot's word, see word.h; the claimer of the slot and the reader,
 *	atomically
 * @first: index, since the ring began, of the first record of the sequence
 *	held; the publisher, before it publishes the sequence
 * @base: low bits of the slot's count when the sequence held began; the publisher
 * @end: where the records of the sequence held end, in units; whoever left it
 */
struct strobe_ring_lap {
	atomic64_t		word;
	u64			first;
	u32			base;
	u32			end;
};

/**
 * struct strobe_ring_store - the memory of a CPU's ring, and its shape
 *
 * All that readers need to find records. It is published by one pointer and does not
 * change while it is, except for the sub-buffers of the reader. A resize and a change of
 * the order make a new one; the old one is freed after a grace period.
 * @slots: the slots
 * @laps: what each of them holds
 * @subbufs: nr_slots + 1 sub-buffers by id, and perhaps a spare one (NULL). Under
 *	reader.lock the reader may exchange the one in its hand, and map.c adds the
 *	spare one
 * @shape: number of slots, and how a sequence leads to one
 * @order: of the sub-buffers, which have 2^@order pages
 * @limit: capacity of a sub-buffer in units
 */
struct strobe_ring_store {
	struct strobe_ring_slot		*slots;
	struct strobe_ring_lap		*laps;
	struct strobe_subbuf		**subbufs;
	struct strobe_seq_shape		shape;
	unsigned int			order;
	u32				limit;
};

/**
 * struct strobe_ring_walk - a reader's place among the records of a sub-buffer
 * @subbuf: the sub-buffer
 * @pos: the next record to look at, in units
 * @end: where the records end, in units
 * @ts: time of the record before @pos
 */
struct strobe_ring_walk {
	const struct strobe_subbuf	*subbuf;
	u32				pos;
	u32				end;
	u64				ts;
};

/**
 * struct strobe_ring_cursor - a reader's place in a ring
 * @seq: the sequence that it reads next
 * @off: what it has read of it, in units
 * @ts: time of the last record before @off; of no meaning if @off is 0
 * @first: strobe_ring_lap.first of @seq if @off is not 0: tells whether it
 *	is still the same lap, however often the sequence has wrapped
 */
struct strobe_ring_cursor {
	u32	seq;
	u32	off;
	u64	ts;
	u64	first;
};

/* In place of the id of a sub-buffer. */
#define STROBE_NO_SUBBUF	U32_MAX

struct strobe_ring_mapping;

/**
 * struct strobe_ring_reader - the consuming reader of one CPU
 * @lock: all of this, and who may free or renumber what readers look at
 * @cursor: where the hand is filled from next
 * @hand: unread records of the sub-buffer that the reader owns
 * @hand_id: that sub-buffer; always valid, also when @hand is empty
 * @spare_id: a second sub-buffer of the reader's; STROBE_NO_SUBBUF: the ring was
 *	not mapped yet
 * @user_id: the one of @hand_id and @spare_id that was published to user space
 *	last, which may be reading it: nothing is written to it, and it is not handed
 *	over to a slot; STROBE_NO_SUBBUF: the ring is not mapped
 * @mapping: how it is mapped; NULL: it is not; see map.c (and shape_lock)
 * @hand_left: records in @hand
 * @owned: how many of them, from the first one on, no writer overwrites any more; all
 *	of them, unless the ring is persistent
 * @source: in a persistent ring, the sequence that @hand is a copy of
 * @source_first: strobe_ring_lap.first of @source
 * @peeked: the first of them was shown, and they are still in @hand
 * @behind: @hand without that one, if @peeked
 * @next: index of the record expected after those in @hand
 * @lost: records lost just before the next one
 * @read: records consumed
 * @damaged: records that were not found where they had been written
 */
struct strobe_ring_reader {
	struct mutex			lock;
	struct strobe_ring_cursor	cursor;
	struct strobe_ring_walk		hand;
	struct strobe_ring_walk		behind;
	u32				hand_id;
	u32				spare_id;
	u32				user_id;
	struct strobe_ring_mapping	*mapping;
	u32				hand_left;
	u32				owned;
	u32				source;
	u64				source_first;
	bool				peeked;
	u64				next;
	unsigned long			lost;
	unsigned long			read;
	unsigned long			damaged;
};

/**
 * struct strobe_ring_dumper - the reader of a dying kernel; see dump.c
 * @cursor: where it goes on
 * @walk: in the sub-buffer that it is at
 * @next: index of the record expected next
 * @store: strobe_ring_cpu.store that @cursor belongs to
 * @generation: the same of strobe_ring_cpu.generation
 * @lost: records lost just before the next one
 * @started: the rest is valid
 */
struct strobe_ring_dumper {
	struct strobe_ring_cursor	cursor;
	struct strobe_ring_walk		walk;
	u64				next;
	const struct strobe_ring_store	*store;
	unsigned int			generation;
	unsigned long			lost;
	bool				started;
};

/**
 * struct strobe_ring_cpu - the ring of one CPU
 *
 * What each reservation and commit touches:
 * @word: the state word (word.h); writers of this CPU, by local cmpxchg
 * @last_ts: time of the newest record if @last_word is @word; writers
 * @last_word: @word that @last_ts belongs to, stored after it; writers
 * @committed: a value of @word up to which all is written; the publisher
 * @slots: @store's; replaced with it, with the writers stopped
 * @clock: see ring/clock.h; strobe_ring_set_clock()
 * @slot_mask: (2^index_bits - 1) << STROBE_SLOT_SHIFT; like @slots
 * @limit: capacity of a sub-buffer in units; like @slots
 * @blocked: not 0: don't record, unless it is just STROBE_BLOCKED_CLOCK;
 *	STROBE_BLOCKED_OFF, plus the number of strobe_ring_stop(); anyone,
 *	atomically
 * @nest: writers inside, nested in each other; each restores it
 * @work: @crossed and @waiters in one word, for commit to test at once
 * @crossed: STROBE_WORK_CROSSED: slots were entered that are not published; writers.
 *	STROBE_WORK_KEPT: @kept is to be told of each commit; constant
 * @waiters: somebody waits for the next record; waiters set it, commit
 *	clears it
 *
 * What a change of slots touches:
 * @overrun, @commit_overrun, @dropped, @discarded: see struct
 *	strobe_ring_stats; writers
 * @refused: events refused while the writers were held off; anyone on this CPU,
 *	atomically, since a change of the ring is under way. Never reset
 * @refused_before: of those, the ones before the last reset; like @slots
 * @wait_full: dirty sub-buffers at which to wake somebody; U32_MAX: never
 * @store: memory and shape of the ring; strobe_ring_set_store()
 * @kept: what survives a crash, as do @slots and all sub-buffers but the reader's; see
 *	region.c. NULL: nothing does
 * @ring: whose this is; strobe_ring_swap()
 * @cpu: which CPU's
 * @generation: goes up when a resize, a change of the order, a swap or a reset begins
 * @changing: such a change has begun and has not ended; under reader.lock
 * @origin: record index at the last reset; like @slots
 * @past: records before this index are of an earlier boot; constant
 *
 * Readers and waiters:
 * @place: sequence and offset up to which the reader has taken; the reader
 * @in_hand: the reader's hand may hold records; the reader
 * @reader: the consuming reader
 * @dumper: the reader of a dying kernel
 * @wake_work: wakes who waits for records of this CPU
 * @recheck: closes the race of a waiter with a commit, see wait.c
 * @recheck_state: of @recheck, see wait.c
 * @poll_timer: looks for records in place of a writer that is not to be
 *	disturbed
 */
struct strobe_ring_cpu {
	u64				word;
	u64				last_ts;
	u64				last_word;
	u64				committed;
	struct strobe_ring_slot		*slots;
	u64				(*clock)(void);
	u32				slot_mask;
	u32				limit;
	atomic_t			blocked;
	u8				nest;
	union {
		u16			work;
		struct {
			u8		crossed;
			u8		waiters;
		};
	} __aligned(2);

	local_t				overrun ____cacheline_aligned;
	local_t				commit_overrun;
	local_t				dropped;
	local_t				discarded;
	atomic64_t			refused;
	u64				refused_before;
	u32				wait_full;
	struct strobe_ring_store	*store;
	struct strobe_region_cpu	*kept;
	struct strobe_ring		*ring;
	int				cpu;
	unsigned int			generation;
	bool				changing;
	u64				origin;
	u64				past;

	u64				place ____cacheline_aligned;
	bool				in_hand;
	struct strobe_ring_reader	reader;
	struct strobe_ring_dumper	dumper;
	struct irq_work			wake_work;
	struct rcu_head			recheck;
	atomic_t			recheck_state;
	struct timer_list		poll_timer;
} ____cacheline_aligned;

/* In strobe_ring_cpu.crossed */
#define STROBE_WORK_CROSSED	1
#define STROBE_WORK_KEPT	2

/*
 * In strobe_ring_cpu.blocked: what the ring's settings say, see control.c; and, no
 * reason not to record, but none for the straight path either: @clock has to be
 * called.
 */
#define STROBE_BLOCKED_OFF	(1 << 30)
#define STROBE_BLOCKED_CLOCK	(1 << 29)

/**
 * struct strobe_ring_seat - what of a CPU stays with the ring when it is swapped
 * @waitq: who waits for records of this CPU
 * @shown: where strobe_ring_peek() has found a record last; its callers
 * @stops: number of strobe_ring_record_disable() for this CPU; anyone
 */
struct strobe_ring_seat {
	wait_queue_head_t	waitq;
	struct strobe_ring_cpu	*shown;
	atomic_t		stops;
};

/**
 * struct strobe_ring - a ring for each possible CPU
 * @percpu: them; strobe_ring_swap()
 * @seats: by CPU
 * @shape_lock: number and size of the sub-buffers, that is who changes them
 * @order: a sub-buffer has 2^@order pages (@shape_lock)
 * @overwrite: see struct strobe_ring_params
 * @on: not switched off by strobe_ring_set_on()
 * @stops: number of strobe_ring_record_disable() for all CPUs; anyone
 * @pins: not 0: @percpu must not be swapped; see swap.c
 * @waitq: who waits for records of any CPU
 * @swap_work: wakes all who wait, after a swap
 * @sleepers: 1: a reader may wait that @swap_work has not woken; see wait.c
 * @region: where it lies, if that outlives the kernel (constant)
 * @past: what there is of an earlier boot (@shape_lock, and when it is made)
 */
struct strobe_ring {
	struct strobe_ring_cpu __percpu	*percpu;
	struct strobe_ring_seat		*seats;
	struct mutex			shape_lock;
	unsigned int			order;
	bool				overwrite;
	bool				on;
	atomic_t			stops;
	atomic_t			pins;
	wait_queue_head_t		waitq;
	struct irq_work			swap_work;
	atomic_t			sleepers;
	struct strobe_ring_region	region;
	struct strobe_ring_past		past;
};

/**
 * struct strobe_ring_resv - a reservation, on its owner's stack
 * @rc: the ring
 * @from: state word to go back to if the record is given up; the record's
 *	place
 * @to: state word that the reservation made
 */
struct strobe_ring_resv {
	struct strobe_ring_cpu	*rc;
	u64			from;
	u64			to;
};

static_assert(sizeof(struct strobe_ring_resv) <= 32);

#endif /* _STROBE_RING_TYPES_H */
