// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path of an event: from its probe into the ring.
 *
 * A probe reserves, assigns its fields, and commits, all with preemption disabled by
 * the tracepoint. One word, the sink's gate, says whether more has to be done: filters,
 * triggers, stack traces, exports, the console. While it is 0, the event takes the fast
 * path; all other code is out of line.
 *
 * A handle, which reserve returns and commit takes, is one of
 *	struct strobe_ring_cpu *	a record in the ring, with nothing left to do
 *	struct gated_record *		a deferred record: the address with tag bits, GATED_*
 *	SINK_ATTACHED_HANDLE		a record of perf or BPF, which attach/ commits
 *
 * States of a deferred record, by its tag bits
 *	none			in the scratch; commit only runs its filter
 *	GATED			in the ring; commit runs its filter, if any, and GATE_AFTER
 *	GATED | GATED_SCRATCH	in the scratch; commit runs its filter and GATE_AFTER
 *	with GATED_WATCHED	commit first shows the record to set_event_pid and to triggers
 * Without tag bits, the scratch has no struct trace_entry unless the filter reads it.
 * GATE_AFTER is stack traces, exports and the console.
 *
 * Contexts: any, NMI included, preemption off. The fast path fires no events. Stack
 * traces, exports, the console and waking readers may: each guards against recursion.
 *
 * Locks: none. Barriers: the ring's, and the gate's, GATE:A in events.c. Reserve reads
 * the gate bits that decide whether the event is recorded. Commit reads those of
 * GATE_AFTER, except for a deferred record without tag bits. A change of the gate applies
 * to records that are reserved later; tracepoint_synchronize_unregister() waits for others.
 */
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/trace.h>
#include <linux/unaligned.h>

#include "filter/filter.h"
#include "instance/instance.h"
#include "instance/record.h"
#include "instance/setup.h"
#include "instance/sink.h"
#include "trigger/trigger.h"

/* Bugs that the torture test in tools/testing/strobe/record builds in and must detect. */
#ifndef STROBE_BUSTED_POP	/* free a scratch before the record is copied from it */
#define STROBE_BUSTED_POP	0
#endif
#ifndef STROBE_BUSTED_VERDICT	/* record what the filter rejected */
#define STROBE_BUSTED_VERDICT	0
#endif

static_assert(offsetof(struct trace_event_file, sink) == 0);
static_assert(STROBE_WORDS_STRAIGHT == STROBE_RECORD_DATA_MAX);

/*
 * Size of a CPU's stack of deferred records, in records and in bytes. The first entry is
 * not used: see gated_top.
 */
#define GATED_MAX	16
#define GATED_BYTES	4096UL
/*
 * Tag bits of the handle of a deferred record; see the table at the top. None set: the
 * record is in the scratch, and only its filter decides.
 */
#define GATED		1UL	/* commit_gated() commits it */
#define GATED_SCRATCH	2UL	/* it is in the scratch, not in the ring */
#define GATED_WATCHED	4UL	/* set_event_pid or triggers need to see it */
#define GATED_ALL	(GATED | GATED_SCRATCH | GATED_WATCHED)

/**
 * struct gated_record - a deferred record between reserve and commit
 * @sink:	the sink that it was reserved for
 * @filter:	the filter that it has to pass; NULL: none
 * @words:	its length, as passed to strobe_event_reserve_words()
 * @gate:	with GATED_WATCHED: the gate when it was reserved, and GATE_DROPPED
 * @resv:	the reservation, if the record is in the ring
 * @nest:	constant bytes that strobe_event_commit() reads as a writer's nest count
 * @entry:	the payload in the ring, if the record is there
 * @scratch:	the payload, if the record is in the scratch
 */
struct gated_record {
	struct strobe_sink		*sink;
	struct strobe_filter		*filter;
	unsigned long			words;
	unsigned long			gate;
	struct strobe_ring_resv		resv;
	u8				nest[16];
	void				*entry;
	u32				scratch[STROBE_WORDS_STRAIGHT] __aligned(8);
} __aligned(256);

/*
 * strobe_event_commit() reads strobe_ring_cpu::nest through every handle. These are the
 * indexes in @nest of the byte that it finds, for a handle with no and with all tag bits.
 */
#define NEST_FILTER	(offsetof(struct strobe_ring_cpu, nest) - \
			 offsetof(struct gated_record, nest))
#define NEST_LAST	(NEST_FILTER + GATED_ALL)
/*
 * The values of these bytes. The nest count of a writer is at least 1, so 0 identifies a
 * handle without tag bits. The other value only has to differ from 0 and 1: tag bits tell
 * such a handle from that of a nested writer.
 */
#define GATED_NEST_FILTER	0
#define GATED_NEST_OTHER	U8_MAX

static_assert(offsetof(struct strobe_ring_cpu, nest) >= offsetof(struct gated_record, nest));
static_assert(sizeof_field(struct gated_record, nest) > NEST_LAST);

/*
 * The deferred records of a CPU are a stack. gated_top is the address of its innermost
 * record, or of the unused first entry if it has none. An interrupt restores gated_top
 * before it returns, and does not touch the records below. Before record_setup(), gated_top
 * has a value for which gated_push() finds the stack full.
 */
static DEFINE_PER_CPU_PAGE_ALIGNED(struct gated_stack {
	struct gated_record	record[GATED_MAX];
}, gated_stack);
static DEFINE_PER_CPU(unsigned long, gated_top) = -sizeof(struct gated_record);

static_assert(sizeof(struct gated_stack) == GATED_BYTES);
static_assert(PAGE_SIZE % GATED_BYTES == 0);

/**
 * record_setup - initialize the per-CPU stacks of deferred records
 *
 * Context: boot, before anything is recorded.
 */
void __init record_setup(void)
{
	struct gated_record *record;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		record = per_cpu_ptr(gated_stack.record, cpu);
		for (i = 0; i < GATED_MAX; i++) {
			memset(record[i].nest, GATED_NEST_OTHER, sizeof(record[i].nest));
			record[i].nest[NEST_FILTER] = GATED_NEST_FILTER;
		}
		per_cpu(gated_top, cpu) = (unsigned long)record;
	}
}

/*
 * For sinks with STROBE_GATE_ATTACHED, attach/ reserves and commits in memory of its own
 * and knows its records. All of them have the address of this variable as their handle.
 */
const struct strobe_ring_cpu sink_attached_cpu = { .nest = GATED_NEST_OTHER };

/*
 * A ring for records that triggers need to see, but that are too long for the scratch and
 * cannot be reserved in the instance's ring. Allocated with the first such trigger; never
 * read.
 */
struct strobe_ring *record_spare_ring;

static __always_inline struct gated_record *gated_push(void)
{
	unsigned long place = this_cpu_read(gated_top) + sizeof(struct gated_record);

	if (unlikely(place % GATED_BYTES == 0))
		return NULL;
	this_cpu_write(gated_top, place);
	barrier();	/* Claim the entry before writing to it. */
	return (struct gated_record *)place;
}

/* The innermost deferred record, which is the one of the running code. */
static __always_inline struct gated_record *gated_last(void)
{
	return (struct gated_record *)this_cpu_read(gated_top);
}

/* Pop the innermost record. Not atomic: an interrupt restores gated_top before it returns. */
static __always_inline void gated_pop(void)
{
	barrier();	/* Read the entry before freeing it. */
	raw_cpu_sub(gated_top, sizeof(struct gated_record));
}

static u32 migrate_depth(void)
{
#ifdef CONFIG_SMP
	return current->migration_disabled;
#else
	return 0;
#endif
}

/**
 * record_context_slow - context of the running code, of any kind
 * @irqflags: from local_save_flags()
 *
 * Context: any.
 * Return: as record_context()
 */
noinline notrace u32 record_context_slow(unsigned long irqflags)
{
	u32 pc = preempt_count();
	u32 flags = 0;
	u32 depth;

	if (pc & NMI_MASK)
		flags |= TRACE_FLAG_NMI;
	if (pc & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ;
	if (in_serving_softirq())
		flags |= TRACE_FLAG_SOFTIRQ;
	/* Serving a softirq adds SOFTIRQ_OFFSET, which is less: BH was disabled. */
	if (softirq_count() >= SOFTIRQ_DISABLE_OFFSET)
		flags |= TRACE_FLAG_BH_OFF;
	if (tif_need_resched())
		flags |= TRACE_FLAG_NEED_RESCHED;
	if (test_preempt_need_resched())
		flags |= TRACE_FLAG_PREEMPT_RESCHED;

	depth = min(pc & PREEMPT_MASK, RECORD_CTX_DEPTH_MAX);
	depth |= min(migrate_depth(), RECORD_CTX_DEPTH_MAX) << 4;
	return record_irq_bit(irqflags) | flags << RECORD_CTX_FLAGS_SHIFT |
	       depth << RECORD_CTX_PC_SHIFT;
}

/* Fill in the header of a reserved record, in any context. */
static noinline notrace strobe_room_t
event_begin(struct strobe_sink *sink, void *entry, struct strobe_ring_cpu *rc)
{
	record_set_header(entry, sink->type, record_probe_context());
	return strobe_room_pack(entry, (unsigned long)rc);
}

static noinline notrace strobe_room_t
event_reserve_slow(struct strobe_sink *sink, unsigned long words,
		   struct strobe_ring_cpu *rc)
{
	size_t len = (words & ~STROBE_WORDS_SLOW) * sizeof(u32);
	struct strobe_ring_resv resv;
	void *entry;

	/* strobe_ring_reserve_slow() takes 32 bits. */
	entry = strobe_ring_reserve_slow(rc, min_t(size_t, len, U32_MAX), &resv);
	if (!entry)
		return strobe_room_pack(NULL, 0);
	return event_begin(sink, entry, rc);
}

enum event_path { EVENT_DONE, EVENT_BEGIN, EVENT_SLOW };

/*
 * The fast path. Each caller does the rest itself, in tail calls: calls in this function,
 * which is inlined, would be no tail calls, and the fast path would save registers for
 * them.
 * @sink: where to load the sink's address again, rather than keep it in a register
 */
static __always_inline enum event_path
event_straight(struct strobe_sink *const *sink, unsigned long words, struct strobe_ring_cpu *rc,
	       u64 ts, void **entry)
{
	u64 from, to;
	u32 ctx;

	if (unlikely(!strobe_ring_reserve_fast(rc, words, ts, &from, &to, entry)))
		return EVENT_SLOW;
	if (unlikely(!record_probe_context_plain(&ctx)))
		return EVENT_BEGIN;
	record_set_header(*entry, (*sink)->type, ctx);
	return EVENT_DONE;
}

/* The clock has to be called. */
static noinline notrace strobe_room_t
event_reserve_clock(struct strobe_sink *sink, unsigned long words,
		    struct strobe_ring_cpu *rc)
{
	void *entry;

	switch (event_straight(&sink, words, rc, strobe_ring_clock(rc), &entry)) {
	case EVENT_SLOW:
		return event_reserve_slow(sink, words, rc);
	case EVENT_BEGIN:
		return event_begin(sink, entry, rc);
	case EVENT_DONE:
		break;
	}
	return strobe_room_pack(entry, (unsigned long)rc);
}

/* Recording is switched off, disabled or held off, or the clock has to be called. */
static noinline notrace strobe_room_t
event_reserve_special(struct strobe_sink *sink, unsigned long words,
		      struct strobe_ring_cpu *rc)
{
	if (strobe_ring_blocked(rc)) {
		strobe_ring_refuse(rc);
		return strobe_room_pack(NULL, 0);
	}
	return event_reserve_clock(sink, words, rc);
}

/* The stack is full: do not record the event, but count it as discarded. */
static noinline notrace strobe_room_t event_reserve_no_place(struct strobe_sink *sink)
{
	struct strobe_ring_resv resv;

	if (strobe_ring_reserve(sink->ring, sizeof(struct trace_entry), &resv))
		strobe_ring_discard(&resv);
	return strobe_room_pack(NULL, 0);
}

/* Do not record: set_event_pid excludes the task, or the record is in record_spare_ring. */
#define GATE_DROPPED	BIT(31)

/*
 * Reserve a deferred record in the ring: it has no filter, or is too long for the scratch.
 * @spare: ring for the record if it cannot be reserved in the instance's; NULL: none
 */
static noinline notrace strobe_room_t
event_reserve_in_place(struct strobe_sink *sink, unsigned long words,
		       struct strobe_filter *filter, struct strobe_ring *spare)
{
	size_t len = min_t(size_t, (words & ~STROBE_WORDS_SLOW) * sizeof(u32), U32_MAX);
	struct gated_record *record = gated_push();
	void *entry;

	if (unlikely(!record))
		return event_reserve_no_place(sink);
	record->gate = 0;
	entry = strobe_ring_reserve(sink->ring, len, &record->resv);
	if (!entry && spare) {
		record->gate = GATE_DROPPED;
		entry = strobe_ring_reserve(spare, len, &record->resv);
	}
	if (!entry) {
		gated_pop();
		return strobe_room_pack(NULL, 0);
	}
	record->sink = sink;
	record->filter = filter;
	record->words = words;
	record->entry = entry;
	record_set_header(entry, sink->type, record_probe_context());
	return strobe_room_pack(entry, (unsigned long)record | GATED);
}

/* Reserve a deferred record in the scratch and fill in its header. */
static noinline notrace strobe_room_t
event_reserve_header(struct strobe_sink *sink, unsigned long words,
		     struct strobe_filter *filter)
{
	struct gated_record *record = gated_push();

	if (unlikely(!record))
		return event_reserve_no_place(sink);
	record->sink = sink;
	record->filter = filter;
	record->words = words;
	record_set_header(record->scratch, sink->type, record_probe_context());
	return strobe_room_pack(record->scratch, (unsigned long)record);
}

/* Bits for what commit does with a record besides recording it. */
#define GATE_AFTER	(STROBE_GATE_STACKTRACE | STROBE_GATE_PRINTK | STROBE_GATE_EXPORT)

#define GATE_TRIGGERS	(STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD)
/* Bits for which commit shows the record to set_event_pid or to triggers. */
#define GATE_WATCH	(STROBE_GATE_PID | STROBE_GATE_TRIGGER_RECORD)

static notrace strobe_room_t
event_reserve_watched(struct strobe_sink *sink, unsigned long words, unsigned long gate,
		      struct strobe_filter *filter)
{
	struct strobe_ring *spare = NULL;
	struct gated_record *record;
	struct strobe_room room;

	if (words <= STROBE_WORDS_STRAIGHT) {
		room = strobe_room_unpack(event_reserve_header(sink, words, filter));
		room.handle |= GATED | GATED_SCRATCH;
	} else {
		if (gate & STROBE_GATE_TRIGGER_RECORD)
			/* If not NULL, the ring is complete. Pairs with spare_ring_make(). */
			spare = smp_load_acquire(&record_spare_ring);
		room = strobe_room_unpack(event_reserve_in_place(sink, words, filter, spare));
	}
	if (!room.entry)
		return strobe_room_pack(NULL, 0);
	record = gated_last();
	if (!(room.handle & GATED_SCRATCH))
		gate |= record->gate;
	record->gate = gate;
	return strobe_room_pack(room.entry, room.handle | GATED_WATCHED);
}

/* Let set_event_pid decide. Return: @gate without STROBE_GATE_PID, unless it needs the record. */
static notrace unsigned long gate_pid(const struct trace_event_file *file, unsigned long gate)
{
	switch (event_pid_verdict(file)) {
	case PID_IGNORED:
		return (gate & ~STROBE_GATE_PID) | GATE_DROPPED;
	case PID_KEPT:
		return gate & ~STROBE_GATE_PID;
	case PID_BY_RECORD:
		break;
	}
	return gate;
}

/* The gate has bits other than STROBE_GATE_FILTER, or has changed. */
static noinline notrace strobe_room_t
event_reserve_other(struct strobe_sink *sink, unsigned long words)
{
	struct trace_event_file *file = (struct trace_event_file *)sink;
	/* Pairs with GATE:A, in events.c. */
	unsigned long gate = smp_load_acquire(&sink->gate);
	struct strobe_filter *filter = NULL;
	struct strobe_room room;

	if (gate & STROBE_GATE_ASKS)
		return strobe_room_pack(NULL, SINK_ATTACHED_HANDLE);
	if (gate & STROBE_GATE_PID)
		gate = gate_pid(file, gate);
	/* A trigger that switches this event takes effect when it fires next. */
	if ((gate & GATE_TRIGGERS) == STROBE_GATE_TRIGGER)
		triggers_call(file, NULL, record_probe_context(), 0);
	/* Triggers that need the record see only records of listed tasks. */
	if (gate & GATE_DROPPED ||
	    (gate & STROBE_GATE_SOFT_DISABLED && !(gate & STROBE_GATE_TRIGGER_RECORD)))
		return strobe_room_pack(NULL, 0);
	if (gate & STROBE_GATE_FILTER)
		filter = rcu_dereference_raw(file->filter);
	if (gate & GATE_WATCH)
		return event_reserve_watched(sink, words, gate, filter);
	if (filter && words <= STROBE_WORDS_STRAIGHT) {
		room = strobe_room_unpack(event_reserve_header(sink, words, filter));
		if (room.entry && gate & GATE_AFTER)
			room.handle |= GATED | GATED_SCRATCH;
		return strobe_room_pack(room.entry, room.handle);
	}
	if (gate & ~STROBE_GATE_TRIGGER)
		return event_reserve_in_place(sink, words, filter, NULL);
	/* Nothing else is left to do: record as with gate 0. */
	return event_reserve_special(sink, words, this_cpu_ptr(READ_ONCE(sink->ring->percpu)));
}

/* The filter reads the header, or the record is too long for the scratch. */
static noinline notrace strobe_room_t
event_reserve_unfit(struct strobe_sink *sink, unsigned long words, struct strobe_filter *filter)
{
	if (words > STROBE_WORDS_STRAIGHT)
		return event_reserve_in_place(sink, words, filter, NULL);
	return event_reserve_header(sink, words, filter);
}

/*
 * The gate is not 0. With a filter, neither ring nor clock is accessed before the record
 * has passed. If the gate has STROBE_GATE_FILTER, file->filter is valid: the acquire pairs
 * with GATE:A (events.c), and the filter is freed a grace period after the bit is cleared.
 */
static __always_inline strobe_room_t
event_reserve_gated(struct strobe_sink *sink, unsigned long words)
{
	struct trace_event_file *file = (struct trace_event_file *)sink;
	struct gated_record *record;
	struct strobe_filter *filter;

	/*
	 * Keep each load a memory operand of its compare. The gate may change in between:
	 * event_reserve_other() loads it once more and acts on that value only.
	 */
	if (unlikely(data_race(sink->gate) != STROBE_GATE_FILTER)) {
		barrier();
		/* The gate of an attached sink is constant. */
		if (data_race(sink->gate) == STROBE_GATE_ATTACHED)
			return static_call(sink_attached_reserve)(sink, words);
		return event_reserve_other(sink, words);
	}
	/* Pairs with GATE:A, in events.c. */
	smp_acquire__after_ctrl_dep();
	filter = rcu_dereference_raw(file->filter);
	if (unlikely(words > filter->scratch_words))
		return event_reserve_unfit(sink, words, filter);
	record = gated_push();
	if (unlikely(!record))
		return event_reserve_no_place(sink);
	record->sink = sink;
	record->filter = filter;
	record->words = words;
	return strobe_room_pack(record->scratch, (unsigned long)record);
}

/**
 * strobe_event_reserve_words - reserve a record of an event
 * @sink: the sink, which is the probe's data pointer
 * @words: length of the record in units; see STROBE_WORDS_STRAIGHT
 *
 * All calls are tail calls, so that the fast path has no registers to save.
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve()
 */
notrace strobe_room_t strobe_event_reserve_words(struct strobe_sink *sink,
						 unsigned long words)
{
	struct strobe_ring_cpu *rc;
	void *entry;
	u64 ts;

	/* event_reserve_gated() loads the gate again, and acts on that value. */
	if (unlikely(data_race(sink->gate))) {
		barrier();	/* Keep the load a memory operand of the compare. */
		return event_reserve_gated(sink, words);
	}
	/* Otherwise the compiler moves one of them to another register before the test above. */
	OPTIMIZER_HIDE_VAR(words);
	OPTIMIZER_HIDE_VAR(sink);
	rc = this_cpu_ptr(READ_ONCE(sink->ring->percpu));
	if (!STROBE_CLOCK_INLINE || unlikely(strobe_ring_special(rc)) ||
	    !strobe_clock_inline(&ts))
		return event_reserve_special(sink, words, rc);
	switch (event_straight(&sink, words, rc, ts, &entry)) {
	case EVENT_SLOW:
		return event_reserve_slow(sink, words, rc);
	case EVENT_BEGIN:
		return event_begin(sink, entry, rc);
	case EVENT_DONE:
		break;
	}
	return strobe_room_pack(entry, (unsigned long)rc);
}
EXPORT_SYMBOL_GPL(strobe_event_reserve_words);

/*
 * Do what GATE_AFTER says and commit. @from is the return address of
 * strobe_event_commit(), where stack traces begin: in the probe, or in the probe's caller
 * if the probe calls strobe_event_commit() in a tail call.
 */
static noinline notrace void commit_rest(struct gated_record *record, unsigned long from)
{
	struct trace_event_file *file = (struct trace_event_file *)record->sink;
	u32 len = (record->words & ~STROBE_WORDS_SLOW) * sizeof(u32);
	unsigned long gate = READ_ONCE(record->sink->gate);
	u32 ctx = record_header_ctx(record->entry);

	if (gate & STROBE_GATE_PRINTK)
		console_print_record(file->call, record->entry, len);
	if (gate & STROBE_GATE_EXPORT)
		export_record(record->entry, len, TRACE_EXPORT_EVENT);
	strobe_ring_commit(&record->resv);
	/* From here on readers may have the record. */
	gated_pop();
	if (gate & STROBE_GATE_STACKTRACE)
		record_stacks(file->tr, ctx, from);
}

static noinline notrace void commit_in_place(struct gated_record *record, unsigned long from)
{
	if (record->filter && !strobe_filter_match(record->filter, record->entry) &&
	    !STROBE_BUSTED_VERDICT) {
		strobe_ring_discard(&record->resv);
		gated_pop();
		return;
	}
	commit_rest(record, from);
}

static __always_inline void copy_u64(void *dst, const void *src)
{
	put_unaligned(get_unaligned((const u64 *)src), (u64 *)dst);
}

/* Copy the fields of a record, but not its struct trace_entry, into the ring. */
static __always_inline void copy_fields(void *dst, const void *src, unsigned long words)
{
	unsigned long at = sizeof(struct trace_entry), end = words * sizeof(u32);

	for (; at + sizeof(u64) <= end; at += sizeof(u64))
		copy_u64(dst + at, src + at);
	if (at < end)
		*(u32 *)(dst + at) = *(const u32 *)(src + at);
}

/*
 * Copy the two units that begin @bytes before the end. @words is hidden before each
 * access, so that the compiler uses it as an index instead of computing both addresses.
 */
static __always_inline void copy_u64_at_end(void *dst, const void *src, unsigned long *words,
					    long bytes)
{
	u64 val;

	OPTIMIZER_HIDE_VAR(*words);
	val = get_unaligned((const u64 *)(src + *words * sizeof(u32) - bytes));
	OPTIMIZER_HIDE_VAR(*words);
	put_unaligned(val, (u64 *)(dst + *words * sizeof(u32) - bytes));
}

/* Most records have 16 to 32 bytes of fields. */
static __always_inline bool fields_are_usual(unsigned long words)
{
	const unsigned long begin = sizeof(struct trace_entry) / sizeof(u32);

	return words - (begin + 4) <= 4;
}

/* Copy 16 bytes from each end; they may overlap. */
static __always_inline void copy_fields_usual(void *dst, const void *src, unsigned long words)
{
	const unsigned long begin = sizeof(struct trace_entry);

	copy_u64(dst + begin, src + begin);
	copy_u64(dst + begin + 8, src + begin + 8);
	copy_u64_at_end(dst, src, &words, 16);
	copy_u64_at_end(dst, src, &words, 8);
}

static noinline notrace void
commit_copied_unusual(struct gated_record *record, void *entry, unsigned long words,
		      struct strobe_ring_cpu *rc)
{
	copy_fields(entry, record->scratch, words);
	gated_pop();
	strobe_ring_leave(rc);
}

/* Commit a record that has passed; it is reserved in the ring at @entry, with its header. */
static __always_inline void commit_copied(struct gated_record *record, void *entry,
					  unsigned long words, struct strobe_ring_cpu *rc)
{
	if (unlikely(!fields_are_usual(words)))
		return commit_copied_unusual(record, entry, words, rc);
	if (STROBE_BUSTED_POP) {
		gated_pop();
		barrier();
	}
	copy_fields_usual(entry, record->scratch, words);
	if (!STROBE_BUSTED_POP)
		gated_pop();
	strobe_ring_leave(rc);
}

/* The slow paths of commit_scratch(), as those of strobe_event_reserve_words(). */
static noinline notrace void commit_scratch_begin(struct gated_record *record, void *entry,
						  struct strobe_ring_cpu *rc)
{
	record_set_header(entry, record->sink->type, record_probe_context());
	commit_copied(record, entry, record->words, rc);
}

static noinline notrace void commit_scratch_slow(struct gated_record *record,
						 struct strobe_ring_cpu *rc)
{
	struct strobe_room room;

	room = strobe_room_unpack(event_reserve_slow(record->sink, record->words, rc));
	if (!room.entry)
		gated_pop();
	else
		commit_copied(record, room.entry, record->words, rc);
}

static noinline notrace void commit_scratch_special(struct gated_record *record,
						    struct strobe_ring_cpu *rc)
{
	unsigned long words = record->words;
	void *entry;

	if (strobe_ring_blocked(rc)) {
		strobe_ring_refuse(rc);
		gated_pop();
		return;
	}
	switch (event_straight(&record->sink, words, rc, strobe_ring_clock(rc), &entry)) {
	case EVENT_SLOW:
		return commit_scratch_slow(record, rc);
	case EVENT_BEGIN:
		return commit_scratch_begin(record, entry, rc);
	case EVENT_DONE:
		return commit_copied(record, entry, words, rc);
	}
}

/* The innermost deferred record is in the scratch, and its filter has accepted it. */
static __always_inline void commit_scratch(void)
{
	struct gated_record *record = gated_last();
	struct strobe_ring_cpu *rc = this_cpu_ptr(READ_ONCE(record->sink->ring->percpu));
	unsigned long words = record->words;
	void *entry;
	u64 ts;

	if (!STROBE_CLOCK_INLINE || unlikely(strobe_ring_special(rc)) ||
	    !strobe_clock_inline(&ts))
		return commit_scratch_special(record, rc);
	switch (event_straight(&record->sink, words, rc, ts, &entry)) {
	case EVENT_SLOW:
		return commit_scratch_slow(record, rc);
	case EVENT_BEGIN:
		return commit_scratch_begin(record, entry, rc);
	case EVENT_DONE:
		return commit_copied(record, entry, words, rc);
	}
}

/* As commit_scratch(), for a record that GATE_AFTER may apply to. */
static noinline notrace void commit_scratch_rest(struct gated_record *record, unsigned long from)
{
	size_t len = record->words * sizeof(u32);
	struct strobe_ring_cpu *rc;
	void *entry;

	if (!(READ_ONCE(record->sink->gate) & GATE_AFTER)) {
		rc = this_cpu_ptr(READ_ONCE(record->sink->ring->percpu));
		return commit_scratch_special(record, rc);
	}
	entry = strobe_ring_reserve(record->sink->ring, len, &record->resv);
	if (!entry) {
		gated_pop();
		return;
	}
	record_set_header(entry, record->sink->type, record_probe_context());
	copy_fields(entry, record->scratch, record->words);
	record->entry = entry;
	commit_rest(record, from);
}

/* Let set_event_pid and triggers see the record, then record it or give it up. */
static noinline notrace void commit_watched(struct gated_record *record, bool scratch,
					    unsigned long from)
{
	struct trace_event_file *file = (struct trace_event_file *)record->sink;
	void *entry = scratch ? record->scratch : record->entry;
	u32 ctx = record_header_ctx(entry);
	unsigned int after = 0;
	bool ignored;

	ignored = record->gate & STROBE_GATE_PID && event_pid_record_ignored(file, entry);
	if (record->gate & STROBE_GATE_TRIGGER_RECORD && !ignored)
		after = triggers_call(file, entry, ctx, from);
	/* A trigger may have switched off this event. */
	if (ignored || record->gate & GATE_DROPPED ||
	    READ_ONCE(file->sink.gate) & STROBE_GATE_SOFT_DISABLED ||
	    (record->filter && !strobe_filter_match(record->filter, entry))) {
		if (!scratch)
			strobe_ring_discard(&record->resv);
		gated_pop();
	} else if (scratch) {
		commit_scratch_rest(record, from);
	} else {
		commit_rest(record, from);
	}
	if (after)
		triggers_call_after(file, after, ctx, from);
}

/* Commit a deferred record whose handle has tag bits. */
static noinline notrace void commit_gated(unsigned long handle, unsigned long from)
{
	struct gated_record *record = (void *)(handle & ~GATED_ALL);
	bool scratch = handle & GATED_SCRATCH;

	if (handle & GATED_WATCHED)
		return commit_watched(record, scratch, from);
	if (!scratch)
		return commit_in_place(record, from);
	if (strobe_filter_match(record->filter, record->scratch))
		commit_scratch_rest(record, from);
	else
		gated_pop();
}

/**
 * strobe_event_commit - commit a record of an event
 * @handle: from strobe_event_reserve()
 *
 * Context: any, preemption off since strobe_event_reserve().
 */
notrace void strobe_event_commit(unsigned long handle)
{
	/* The handle may be of any kind. Only that of an outermost writer leads to a nest of 1. */
	struct strobe_ring_cpu *rc = (struct strobe_ring_cpu *)handle;
	struct gated_record *record = (struct gated_record *)handle;

	if (likely(strobe_ring_outermost(rc)))
		return strobe_ring_leave_outermost(rc);
	barrier();	/* Keep the load a memory operand of the compare. */
	/* No data race: nested writers restore nest, and in a deferred record it is constant. */
	if (likely(data_race(rc->nest) == GATED_NEST_FILTER)) {
		if (strobe_filter_match(record->filter, record->scratch))
			return commit_scratch();
		return gated_pop();
	}
	if (handle == SINK_ATTACHED_HANDLE)
		return static_call(sink_attached_commit)(_RET_IP_);
	if (unlikely(handle & GATED))
		return commit_gated(handle, _RET_IP_);
	strobe_ring_leave_nested(rc);
}
EXPORT_SYMBOL_GPL(strobe_event_commit);

/**
 * record_reserve - reserve a record that no probe makes
 * @ring: the instance's ring; NULL if it has none yet
 * @type: the event's id
 * @len:  length of the record in bytes, struct trace_entry included
 * @ctx:  from record_context()
 * @resv: set to the reservation, for strobe_ring_commit()
 *
 * Context: any, preemption off.
 * Return: the record, its struct trace_entry filled in; NULL if it cannot be
 *	   recorded.
 */
notrace void *record_reserve(struct strobe_ring *ring, u16 type, u32 len, u32 ctx,
			     struct strobe_ring_resv *resv)
{
	void *entry = ring ? strobe_ring_reserve(ring, len, resv) : NULL;

	if (entry)
		record_set_header(entry, type, ctx);
	return entry;
}
