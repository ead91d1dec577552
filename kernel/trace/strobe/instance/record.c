// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path of an event: from its probe into the ring.
 *
 * A probe reserves, assigns its fields, and commits, all with preemption
 * disabled by the tracepoint. What may have to be done beside that - stack
 * traces, exports, the console - hangs on one word, the sink's gate: while it is
 * 0, the path is the straight one, and everything else lies out of line.
 *
 * States: none here; the ring has them.
 *
 * Contexts: any, NMI included, preemption off. Nothing of the straight path can be
 * traced by events. Stack traces, exports, the console and waking readers may fire some:
 * each of them has a guard against itself.
 *
 * Locks: none. Barriers: the ring's, and the gate's, GATE:A in events.c. What decides
 * whether there is a record, the gate tells when it is reserved; what is done with it
 * besides, when it is committed, but for a record that had to pass nothing but its
 * filter then. A change takes effect for records that are reserved some time later, and
 * tracepoint_synchronize_unregister() tells when.
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

/* What the torture in tools/testing/strobe/record breaks, to be noticed. */
#ifndef STROBE_BUSTED_POP	/* a place in the scratch is another's while it is copied */
#define STROBE_BUSTED_POP	0
#endif
#ifndef STROBE_BUSTED_VERDICT	/* what a filter has rejected is recorded */
#define STROBE_BUSTED_VERDICT	0
#endif

static_assert(offsetof(struct trace_event_file, sink) == 0);
static_assert(STROBE_WORDS_STRAIGHT == STROBE_RECORD_DATA_MAX);

/*
 * Records between reserve and commit that something has to be done with: so many of a
 * CPU, in so many bytes; the first place stays free.
 */
#define GATED_MAX	16
#define GATED_BYTES	4096UL
/*
 * In the handle of one, beside its address. Nothing of them: it is in the scratch, and
 * all that is to be done is to ask its filter. A handle that is no gated record's is
 * the ring's part.
 */
#define GATED		1UL
#define GATED_SCRATCH	2UL	/* it is not in the ring yet */
#define GATED_WATCHED	4UL	/* others than its filter have a look at it */
#define GATED_ALL	(GATED | GATED_SCRATCH | GATED_WATCHED)

/**
 * struct gated_record - what commit has to know of such a record
 * @sink:	where it goes
 * @filter:	decides whether it is recorded; NULL: it is
 * @words:	its length, as in strobe_event_reserve_words()
 * @gate:	if it is watched: by whom, and whether it is not to be recorded
 * @resv:	the ring's part of it, once it is in the ring
 * @nest:	constant: what strobe_event_commit() takes for a writer's nesting
 * @entry:	the payload, once it is in the ring
 * @scratch:	where the payload is before that
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

/* Where the "nest" of a handle without and with all of its bits is, in @nest. */
#define NEST_FILTER	(offsetof(struct strobe_ring_cpu, nest) - \
			 offsetof(struct gated_record, nest))
#define NEST_LAST	(NEST_FILTER + GATED_ALL)
/* What is there: no writer has 0, and whether it is one, or has that, bits tell. */
#define GATED_NEST_FILTER	0
#define GATED_NEST_OTHER	U8_MAX

static_assert(offsetof(struct strobe_ring_cpu, nest) >= offsetof(struct gated_record, nest));
static_assert(sizeof_field(struct gated_record, nest) > NEST_LAST);

/*
 * The gated records of a CPU, those of the interrupted code first: who interrupts
 * leaves gated_top as it was, and what is below it alone. It points to the last place
 * that is taken, the first one being nobody's; before there are any, to where none is
 * behind it.
 */
static DEFINE_PER_CPU_PAGE_ALIGNED(struct gated_stack {
	struct gated_record	record[GATED_MAX];
}, gated_stack);
static DEFINE_PER_CPU(unsigned long, gated_top) = -sizeof(struct gated_record);

static_assert(sizeof(struct gated_stack) == GATED_BYTES);
static_assert(PAGE_SIZE % GATED_BYTES == 0);

/**
 * record_setup - have places for gated records
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
 * Sinks that are no instance's: attach/ reserves and commits, in its own memory. Their
 * handle is one and the same, whose nesting is no writer's; whose record it is, attach/
 * knows.
 */
const struct strobe_ring_cpu sink_attached_cpu = { .nest = GATED_NEST_OTHER };

/*
 * Where long records lie that triggers are to see, when the instance's ring does not
 * take them. Made with the first such trigger, and never read.
 */
struct strobe_ring *record_spare_ring;

static __always_inline struct gated_record *gated_push(void)
{
	unsigned long place = this_cpu_read(gated_top) + sizeof(struct gated_record);

	if (unlikely(place % GATED_BYTES == 0))
		return NULL;
	this_cpu_write(gated_top, place);
	barrier();	/* The place is ours before it is written. */
	return (struct gated_record *)place;
}

/* The one that is between reserve and commit, and interrupted by nothing. */
static __always_inline struct gated_record *gated_last(void)
{
	return (struct gated_record *)this_cpu_read(gated_top);
}

/* The last one goes. Who interrupts this leaves gated_top as it was, as always. */
static __always_inline void gated_pop(void)
{
	barrier();	/* What is read from the place has been. */
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
 * record_context_slow - the context in its full generality
 * @irqflags: as local_save_flags() gave them
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
	/* A level beyond the one that serving takes: BH was disabled. */
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

/* The record is there: its header in full generality. */
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

	/* Rounded up, it may be more than the ring can be asked for. */
	entry = strobe_ring_reserve_slow(rc, min_t(size_t, len, U32_MAX), &resv);
	if (!entry)
		return strobe_room_pack(NULL, 0);
	return event_begin(sink, entry, rc);
}

enum event_path { EVENT_DONE, EVENT_BEGIN, EVENT_SLOW };

/*
 * The straight path. What else there is to do, the callers do last and each by
 * itself: were it here, where it is inlined, the compiler would not jump there, but
 * call, and keep registers for it on the straight path.
 * @sink: where it is said, for it to be read again rather than kept in a register
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

/* There is a clock that has to be called. */
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

/* Recording is off, or it is about the clock. */
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

/* Too many: it is lost, and counted as discarded. */
static noinline notrace strobe_room_t event_reserve_no_place(struct strobe_sink *sink)
{
	struct strobe_ring_resv resv;

	if (strobe_ring_reserve(sink->ring, sizeof(struct trace_entry), &resv))
		strobe_ring_discard(&resv);
	return strobe_room_pack(NULL, 0);
}

/* It is not to be recorded: set_event_pid leaves its task out, or it is in record_spare_ring. */
#define GATE_DROPPED	BIT(31)

/*
 * Into the ring at once: there is no filter, or the record is too long for the scratch.
 * @spare: where else, if it is to be seen but not recorded; NULL: nowhere
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

/* Into the scratch, with its header, since the filter looks at that. */
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

/* What has to be done with a record besides. */
#define GATE_AFTER	(STROBE_GATE_STACKTRACE | STROBE_GATE_PRINTK | STROBE_GATE_EXPORT)

#define GATE_TRIGGERS	(STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD)
/* Who has to see the record, to decide about it, or to do something else. */
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
			/* Pairs with spare_ring_make(). */
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

/* set_event_pid decides: what is left of @gate. */
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

/* Not a filter alone. */
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
	/* If they switch this very event, it is from the next time on. */
	if ((gate & GATE_TRIGGERS) == STROBE_GATE_TRIGGER)
		triggers_call(file, NULL, record_probe_context(), 0);
	/* A trigger that looks at the record sees those of the listed tasks only. */
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
	/* Nothing is left to be done: as if there had been no gate. */
	return event_reserve_special(sink, words, this_cpu_ptr(READ_ONCE(sink->ring->percpu)));
}

/* The filter looks at the header, or the record is too long for the scratch. */
static noinline notrace strobe_room_t
event_reserve_unfit(struct strobe_sink *sink, unsigned long words, struct strobe_filter *filter)
{
	if (words > STROBE_WORDS_STRAIGHT)
		return event_reserve_in_place(sink, words, filter, NULL);
	return event_reserve_header(sink, words, filter);
}

/*
 * Something has to be done with the event beside recording it, or instead. With a
 * filter nothing of the ring is touched, nor the clock read, before it is known to be
 * wanted. The filter is there as long as the gate is seen to say so: acquire pairs with
 * GATE:A (events.c), and it goes a grace period after the gate.
 */
static __always_inline strobe_room_t
event_reserve_gated(struct strobe_sink *sink, unsigned long words)
{
	struct trace_event_file *file = (struct trace_event_file *)sink;
	struct gated_record *record;
	struct strobe_filter *filter;

	/* Compared in place each time; event_reserve_other() obeys what it finds then. */
	if (unlikely(data_race(sink->gate) != STROBE_GATE_FILTER)) {
		barrier();
		/* Which is never changed. */
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
 * strobe_event_reserve_words - make room for an event's record
 * @sink: where it goes: what the probe got as its data
 * @words: bytes of the record in words of four; see STROBE_WORDS_STRAIGHT
 *
 * What it calls, it calls last: the straight path has no registers to save.
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

	/* event_reserve_gated() reads it again, and obeys what it finds then. */
	if (unlikely(data_race(sink->gate))) {
		barrier();	/* Compared in place. */
		return event_reserve_gated(sink, words);
	}
	/* Else the compiler puts one of them elsewhere first, with or without a gate. */
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
 * Everything that may have to be done with a record beside keeping it. @from is
 * where strobe_event_commit() returns to, where stacks begin: in the probe, or, as
 * that calls it last, in who has called the probe.
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
	/* From here on the record belongs to the readers. */
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

/* The fields of a record, to its place in the ring. */
static __always_inline void copy_fields(void *dst, const void *src, unsigned long words)
{
	unsigned long at = sizeof(struct trace_entry), end = words * sizeof(u32);

	for (; at + sizeof(u64) <= end; at += sizeof(u64))
		copy_u64(dst + at, src + at);
	if (at < end)
		*(u32 *)(dst + at) = *(const u32 *)(src + at);
}

/*
 * Two words, so many @bytes before the end. That is an index of each access, which the
 * compiler is not to know for the same: it would add up addresses.
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

/* 16 to 32 bytes of fields, as most records have. */
static __always_inline bool fields_are_usual(unsigned long words)
{
	const unsigned long begin = sizeof(struct trace_entry) / sizeof(u32);

	return words - (begin + 4) <= 4;
}

/* What is at both ends may overlap. */
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

/* A record that is wanted has its place in the ring, with its header, at @entry. */
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

/* What is not straight, as in event_reserve_words(). */
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

/* The last gated record is in the scratch, and wanted. */
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

/* Likewise, and more may be to be done with it. */
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

/* Those that watch see the record; then it is decided what becomes of it. */
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
	/* They may have switched this very event. */
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

/* Not a filter alone. */
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
 * strobe_event_commit - let readers have an event's record
 * @handle: from strobe_event_reserve()
 *
 * Context: any, preemption off since strobe_event_reserve().
 */
notrace void strobe_event_commit(unsigned long handle)
{
	/* Or a gated record, which seems nested: one test for the straight path. */
	struct strobe_ring_cpu *rc = (struct strobe_ring_cpu *)handle;
	struct gated_record *record = (struct gated_record *)handle;

	if (likely(strobe_ring_outermost(rc)))
		return strobe_ring_leave_outermost(rc);
	barrier();	/* Compared in place. */
	/* Who nests restores it, and that of a gated record is constant. */
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
 * record_reserve - make room for a record that is no tracepoint's
 * @ring: the instance's ring; NULL: there is none yet
 * @type: the event's id
 * @len:  bytes of the record, struct trace_entry included
 * @ctx:  from record_context()
 * @resv: set for strobe_ring_commit()
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
