/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring's structures. Code outside of the ring uses ring/ring.h; it includes this only
 * for the inline fast path of ring/write.h. Each member names its writer; the rules are
 * explained at the top of write.c.
 */
#ifndef _STROBE_RING_TYPES_H
#define _STROBE_RING_TYPES_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/stddef.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <asm/local.h>

#include "ring/format.h"
#include "ring/ring.h"
#include "ring/word.h"

/**
 * struct strobe_ring_lap - what a slot holds in the current lap
 * @word: the slot word, see word.h; claimers and the reader, atomically
 * @first: index of the sequence's first record, counted since the ring was created; the
 *	publisher, before it publishes the sequence
 * @count: number of records in the sequence; the writer that crosses from it, and a writer
 *	that discards a record of it afterwards. Final when it is published; undefined while
 *	the sequence is being written: the state word has its count
 * @end: where the records of the sequence end, in units; the writer that crosses from it
 *
 * The sub-buffer of a slot is in a table of its own, which each record uses: readers write
 * to the lap, and would share cache lines with the slot that is being written.
 */
struct strobe_ring_lap {
	atomic64_t		word;
	u64			first;
	u32			count;
	u32			end;
};

/**
 * struct strobe_ring_store - the memory of a CPU's ring, and its shape
 *
 * Readers find records through it alone. It is published by one pointer, and does not
 * change until it is replaced, except for the reader's sub-buffers. A resize and a change
 * of the order make a new store; the old one is freed after a grace period.
 * @slots: the sub-buffer of each slot, that of the id in the slot word; each claimer stores
 *	the same pointer
 * @laps: what each slot holds
 * @subbufs: nr_slots + 1 sub-buffers by id, and a spare one or NULL. Under reader.lock the
 *	reader may exchange its reader page, and map.c adds the spare one
 * @shape: number of slots, and how a sequence is mapped to one
 * @order: a sub-buffer has 2^@order pages
 * @limit: capacity of a sub-buffer in units
 */
struct strobe_ring_store {
	struct strobe_subbuf		**slots;
	struct strobe_ring_lap		*laps;
	struct strobe_subbuf		**subbufs;
	struct strobe_seq_shape		shape;
	unsigned int			order;
	u32				limit;
};

/**
 * struct strobe_ring_walk - a reader's position among the records of a sub-buffer
 * @subbuf: the sub-buffer
 * @pos: the next record, in units
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
 * struct strobe_ring_cursor - a reader's position in a ring
 * @seq: the sequence that it reads next
 * @off: how much of it was read, in units
 * @ts: time of the last record before @off; undefined if @off is 0
 * @first: strobe_ring_lap.first of @seq if @off is not 0: identifies the lap, even if the
 *	sequence has wrapped since
 */
struct strobe_ring_cursor {
	u32	seq;
	u32	off;
	u64	ts;
	u64	first;
};

/* Instead of an id: no sub-buffer. */
#define STROBE_NO_SUBBUF	U32_MAX

/*
 * Most writers of a CPU that can be inside at the same time: task, softirq, interrupt and NMI,
 * with the events that each of them fires while it fills a record. Only an event that fires
 * itself nests deeper.
 */
#define STROBE_RING_WRITERS	15

struct strobe_ring_mapping;

/**
 * struct strobe_ring_reader - the consuming reader of one CPU
 * @lock: protects this struct, and is held to free or renumber what readers use
 *
 * In the group swapped, which strobe_ring_swap_cpu() exchanges with the records:
 * @cursor: where the reader page is filled from next
 * @hand: the unread records in the reader page
 * @hand_id: id of the reader page; valid even if @hand is empty
 * @spare_id: id of a second sub-buffer of the reader; STROBE_NO_SUBBUF: none, as the ring
 *	was not mapped yet
 * @hand_left: number of records in @hand
 * @owned: how many of these, from the first on, no writer can overwrite any more; all of
 *	them, unless the ring is persistent
 * @next: index of the record expected after those in @hand
 * @lost: records lost just before the next one
 * @read: records consumed
 * @damaged: records that were reserved, but not found in their sub-buffer
 *
 * The rest:
 * @user_id: @hand_id or @spare_id, whichever was published to user space last. User space
 *	may be reading it, so it is not written to, and not put into a slot.
 *	STROBE_NO_SUBBUF: the ring is not mapped
 * @mapping: the mapping to user space, see map.c; NULL: the ring is not mapped. Either
 *	@lock or shape_lock keeps it
 * @source: in a persistent ring, the sequence that @hand was copied from
 * @source_first: strobe_ring_lap.first of @source
 * @peeked: the first record of @hand was peeked at, and is still there
 * @behind: @hand without that record, if @peeked
 */
struct strobe_ring_reader {
	struct mutex			lock;

	struct_group(swapped,
		struct strobe_ring_cursor	cursor;
		struct strobe_ring_walk		hand;
		u32				hand_id;
		u32				spare_id;
		u32				hand_left;
		u32				owned;
		u64				next;
		unsigned long			lost;
		unsigned long			read;
		unsigned long			damaged;
	);
	u32				user_id;
	struct strobe_ring_mapping	*mapping;
	u32				source;
	u64				source_first;
	bool				peeked;
	struct strobe_ring_walk		behind;
};

/**
 * struct strobe_ring_dumper - the reader for ftrace_dump() of one CPU; see dump.c
 * @cursor: where it continues
 * @walk: the records left in the current sub-buffer
 * @next: index of the record expected next
 * @store: strobe_ring_cpu.store that @cursor belongs to
 * @generation: strobe_ring_cpu.generation that @cursor belongs to
 * @lost: records lost just before the next one
 * @started: the other members are valid
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
 * Used by each reservation and commit:
 * @word: the state word (word.h); writers of this CPU, by local cmpxchg
 * @last_ts: time of the newest record if @last_word is @word; writers
 * @last_word: @word that @last_ts belongs to, stored after it; writers
 * @committed: a value of @word before which all records are committed; the publisher
 * @slots: @store->slots; replaced with the store, while the writers are stopped
 * @slot_mask: 2^index_bits - 1; as @slots
 * @limit: capacity of a sub-buffer in units, negative if the fast path cannot record: see
 *	STROBE_LIMIT_* below; any CPU, atomically
 * @clock_seq: version of the local clock's data, see ring/clock.h; writers
 * @depth: nesting depth of the innermost writer inside, 0 if it is the outermost one;
 *	-1: no writer is inside. Writers, each of which restores it
 * @work: @crossed and @waiters in one word, for commit to test at once
 * @crossed: STROBE_WORK_CROSSED: slots were entered that are not published; writers.
 *	STROBE_WORK_KEPT: each commit has to update @kept; constant
 * @waiters: a reader waits for the next record; waiters set it, commit clears it
 *
 * Used when the writers cross to the next slot, or have to call the clock:
 * @extended: the word after the time extend of the last reservation that has one, if its
 *	slot is still being written; or STROBE_WORD_NONE; writers
 * @clock: see ring/clock.h; strobe_ring_set_clock()
 * @clock_since: RCU state when @clock_next was first seen; writers
 * @clock_next: the version that @clock_seq will get; writers
 * @overrun: records overwritten before they were consumed; writers
 * @commit_overrun: events dropped as the ring was full of uncommitted records; writers
 * @dropped: events dropped as the ring was full, the record too long, or too many writers
 *	inside; writers
 * @discarded: records discarded; writers
 * @refused: events refused while the writers were held off, never reset; any context of
 *	this CPU, atomically, as a change of the ring is under way
 * @refused_before: value of @refused at the last reset; as @slots
 * @wait_full: number of dirty sub-buffers at which to wake waiters; U32_MAX: never
 * @store: memory and shape of the ring; strobe_ring_set_store()
 * @kept: in a persistent ring, the CPU's part of the region, which survives a crash, as
 *	do all sub-buffers but the reader page; see region.c. Else NULL
 * @ring: the ring that this is part of; strobe_ring_swap()
 * @cpu: the CPU
 * @generation: incremented when a resize, a change of the order, a swap or a reset begins
 * @changing: such a change has begun and has not ended; under reader.lock
 * @origin: record index at the last reset; as @slots
 * @past: records before this index are of the previous boot; constant
 *
 * Used by readers and waiters:
 * @place: the place up to which the reader has read; the reader
 * @in_hand: the reader page may hold records; the reader
 * @reader: the consuming reader
 * @dumper: the reader for ftrace_dump()
 * @wake_work: wakes the waiters for records of this CPU
 * @recheck: closes the race between a waiter and a commit, see wait.c
 * @recheck_state: state of @recheck, see wait.c
 * @polled: poll() has queued @recheck, or is about to, since the waiters' flags were cleared
 * @poll_timer: looks for records if the writers must not wake the waiters
 */
struct strobe_ring_cpu {
	u64				word;
	u64				last_ts;
	u64				last_word;
	u64				committed;
	struct strobe_subbuf		**slots;
	u32				slot_mask;
	atomic_t			limit;
	u32				clock_seq;
	s8				depth;
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
	u64				extended;
	u64				(*clock)(void);
	unsigned long			clock_since;
	u32				clock_next;
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
	atomic_t			polled;
	struct timer_list		poll_timer;
} ____cacheline_aligned;

/* In strobe_ring_cpu.crossed */
#define STROBE_WORK_CROSSED	1
#define STROBE_WORK_KEPT	2

/*
 * Fields of strobe_ring_cpu.limit. The sign is set if CLOCK or OFF is set or STOPS is not 0,
 * so that one signed comparison finds that a record does not fit, or that the fast path
 * cannot record it.
 *
 *	   31      30     29     28       16 15          0
 *	+-------+-------+-----+------------+-------------+
 *	| sign  | CLOCK | OFF |   STOPS    |  capacity   |
 *	+-------+-------+-----+------------+-------------+
 *
 * CLOCK: the clock has to be called. OFF: recording is switched off or disabled. STOPS:
 * number of strobe_ring_stop() calls. The last two keep writers out. See control.c.
 */
#define STROBE_LIMIT_CAPACITY	0xffff
#define STROBE_LIMIT_STOP	(1 << 16)
#define STROBE_LIMIT_STOPS	(0x1fff * STROBE_LIMIT_STOP)
#define STROBE_LIMIT_OFF	(1 << 29)
#define STROBE_LIMIT_CLOCK	(1 << 30)
#define STROBE_LIMIT_SIGN	INT_MIN

#define STROBE_LIMIT_BLOCKED	(STROBE_LIMIT_OFF | STROBE_LIMIT_STOPS)

static_assert(STROBE_SUBBUF_BYTES_MAX / STROBE_RECORD_UNIT <= STROBE_LIMIT_CAPACITY);

/**
 * struct strobe_ring_seat - per-CPU state that stays with a ring when it is swapped
 * @waitq: waiters for records of this CPU
 * @shown: the ring in which strobe_ring_peek() found a record last; callers of it
 * @disabled: number of strobe_ring_record_disable() calls for this CPU; any CPU
 */
struct strobe_ring_seat {
	wait_queue_head_t	waitq;
	struct strobe_ring_cpu	*shown;
	atomic_t		disabled;
};

/**
 * struct strobe_ring - a ring for each possible CPU
 * @percpu: the rings; strobe_ring_swap()
 * @seats: by CPU
 * @shape_lock: serialises changes of the number and size of the sub-buffers
 * @order: a sub-buffer has 2^@order pages (@shape_lock)
 * @overwrite: see struct strobe_ring_params
 * @on: not switched off by strobe_ring_set_on()
 * @disabled: number of strobe_ring_record_disable() calls for all CPUs; any CPU
 * @pins: not 0: @percpu must not be swapped; see swap.c
 * @waitq: waiters for records of any CPU
 * @swap_work: wakes all waiters after a swap
 * @sleepers: 1: a reader may be waiting that @swap_work has not woken; see wait.c
 * @region: memory of a persistent ring (constant)
 * @past: what the ring holds of the previous boot; creation and reset of the ring
 */
struct strobe_ring {
	struct strobe_ring_cpu __percpu	*percpu;
	struct strobe_ring_seat		*seats;
	struct mutex			shape_lock;
	unsigned int			order;
	bool				overwrite;
	bool				on;
	atomic_t			disabled;
	atomic_t			pins;
	wait_queue_head_t		waitq;
	struct irq_work			swap_work;
	atomic_t			sleepers;
	struct strobe_ring_region	region;
	struct strobe_ring_past		past;
};

/**
 * struct strobe_ring_resv - a reservation, on the stack of its owner
 * @rc: the ring
 * @from: place of the record; the state word to restore if the record is discarded
 * @to: the state word that the reservation made
 */
struct strobe_ring_resv {
	struct strobe_ring_cpu	*rc;
	u64			from;
	u64			to;
};

static_assert(sizeof(struct strobe_ring_resv) <= 32);

#endif /* _STROBE_RING_TYPES_H */
