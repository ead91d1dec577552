// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred records other than those that record.c commits: the gate of the event has bits
 * besides STROBE_GATE_FILTER, or the record is too long for the scratch. And the records of
 * taps, which are never recorded: they use the same memory.
 *
 * A record that fits goes to the scratch of the CPU, and is copied into the ring once it is
 * wanted. A longer one is reserved in the ring, and discarded if it is not wanted. Either
 * way it has its struct trace_entry from the beginning, since triggers and filters read it.
 *
 *	gate bit at reserve	what decides, or is done
 *	-----------------------	--------------------------------------------------------------
 *	PID			set_event_pid, at reserve if the lists suffice, else at commit
 *	TRIGGER			triggers that need no record, at reserve
 *	SOFT_DISABLED		not recorded; triggers that read the record still see it
 *	TRIGGER_RECORD		triggers, at commit; they see only records of listed tasks
 *	FILTER			the filter, at commit, after the triggers
 *
 *	gate bit at commit	what is done with a record that is wanted
 *	-----------------------	--------------------------------------------------------------
 *	PRINTK, EXPORT		before the ring's commit
 *	STACKTRACE		after the ring's commit
 *
 * Contexts: any, NMI included, preemption off. Locks: none. Barriers: GATE:A in gate.c.
 */
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "filter/filter.h"
#include "record/deferred.h"
#include "record/tap.h"
#include "record/trace_array.h"
#include "record/triggers.h"

static DEFINE_PER_CPU_PAGE_ALIGNED(struct deferred_stack {
	struct deferred_record	record[DEFERRED_MAX];
}, deferred_stack);
DEFINE_PER_CPU(unsigned long, strobe_deferred_top) = -sizeof(struct deferred_record);

/*
 * A ring for records that triggers or taps need to see, but that are too long for the
 * scratch, and have no instance's ring or cannot be reserved in it. Allocated with the first
 * such trigger or tap; never read.
 */
struct strobe_ring *strobe_record_spare_ring;

/* Bits for which commit shows the record to set_event_pid or to triggers */
#define GATE_WATCH	(STROBE_GATE_PID | STROBE_GATE_TRIGGER_RECORD)
/* Bits for what commit does with a record besides recording it */
#define GATE_AFTER	(STROBE_GATE_STACKTRACE | STROBE_GATE_PRINTK | STROBE_GATE_EXPORT)
/* In deferred_record.gate: do not record it, as it is in strobe_record_spare_ring */
#define GATE_SPARE	BIT(31)

/**
 * strobe_deferred_setup - initialize the per-CPU stacks of deferred records
 *
 * Context: boot, before anything is recorded.
 */
void __init strobe_deferred_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(strobe_deferred_top, cpu) =
			(unsigned long)per_cpu_ptr(deferred_stack.record, cpu);
}

/**
 * strobe_deferred_refuse - count an event as dropped, as the stack of deferred records is full
 * @sink: the event's sink
 *
 * Context: any, preemption off.
 * Return: no record
 */
noinline notrace struct strobe_reserved strobe_deferred_refuse(struct strobe_sink *sink)
{
	strobe_ring_drop(sink->ring);
	return STROBE_NOT_RESERVED;
}

/* Reserve a long record that will not be recorded. */
static notrace void *deferred_reserve_spare(struct deferred_record *record)
{
	/* Pairs with SPARE:A in tap.c: if not NULL, the ring is complete. */
	struct strobe_ring *spare = smp_load_acquire(&strobe_record_spare_ring);

	if (!spare)
		return NULL;
	record->gate |= GATE_SPARE;
	return strobe_ring_reserve(spare, record->words * sizeof(u32), &record->resv);
}

/* Reserve a long record in the instance's ring, or for triggers in the spare one. */
static notrace void *deferred_reserve_in_ring(struct deferred_record *record)
{
	void *entry;

	entry = strobe_ring_reserve(record->sink->ring, record->words * sizeof(u32), &record->resv);
	if (entry || !(record->gate & STROBE_GATE_TRIGGER_RECORD))
		return entry;
	return deferred_reserve_spare(record);
}

static notrace struct strobe_reserved
deferred_make(struct strobe_sink *sink, unsigned long words, unsigned long gate,
	      struct strobe_filter *filter)
{
	struct deferred_record *record = deferred_push();

	if (unlikely(!record))
		return strobe_deferred_refuse(sink);
	record->sink = sink;
	record->filter = filter;
	record->words = words & STROBE_WORDS_MASK;
	record->gate = gate;
	record->entry = record->scratch;
	if (words > STROBE_WORDS_STRAIGHT) {
		record->entry = deferred_reserve_in_ring(record);
		if (!record->entry) {
			deferred_pop();
			return STROBE_NOT_RESERVED;
		}
	}
	record_set_header(record->entry, sink->type, record_probe_context());
	return (struct strobe_reserved) {
		.entry = record->entry, .handle = (unsigned long)record | RECORD_DEFERRED,
	};
}

/**
 * strobe_deferred_reserve - reserve a record of an event whose gate is open for more than a filter
 * @sink: the event's sink
 * @words: as for strobe_event_reserve_words()
 *
 * Called also if the record is too long for the scratch, or the gate has changed.
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve_words()
 */
noinline notrace struct strobe_reserved strobe_deferred_reserve(struct strobe_sink *sink,
								unsigned long words)
{
	struct trace_event_file *file = container_of(sink, struct trace_event_file, sink);
	/* Pairs with GATE:A, in gate.c. */
	unsigned long gate = smp_load_acquire(&sink->gate);
	enum pid_verdict verdict = PID_KEPT;
	struct strobe_filter *filter = NULL;

	if (gate & STROBE_GATE_ASKS)
		return (struct strobe_reserved) { .handle = RECORD_ATTACHED };
	if (gate & STROBE_GATE_PID)
		verdict = strobe_event_pid_verdict(file);
	if (verdict != PID_BY_RECORD)
		gate &= ~STROBE_GATE_PID;
	/* A trigger that switches this event takes effect when it fires next. */
	if ((gate & (STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD)) == STROBE_GATE_TRIGGER)
		strobe_triggers_call(file, NULL, record_probe_context(), 0);
	if (verdict == PID_IGNORED ||
	    (gate & STROBE_GATE_SOFT_DISABLED && !(gate & STROBE_GATE_TRIGGER_RECORD)))
		return STROBE_NOT_RESERVED;
	if (gate & STROBE_GATE_FILTER)
		filter = rcu_dereference_raw(file->filter);
	if (!filter && !(gate & (GATE_WATCH | GATE_AFTER)))
		return strobe_event_reserve_slow(sink, words, sink_ring(sink));
	return deferred_make(sink, words, gate, filter);
}

/* Is the record wanted, after the triggers have seen it? One may have switched the event off. */
static notrace bool deferred_is_wanted(const struct deferred_record *record)
{
	if (record->gate & GATE_SPARE)
		return false;
	if (record->gate & GATE_WATCH &&
	    READ_ONCE(record->sink->gate) & STROBE_GATE_SOFT_DISABLED)
		return false;
	return !record->filter || strobe_filter_match(record->filter, record->entry);
}

static notrace void deferred_give_up(struct deferred_record *record)
{
	if (record->entry != record->scratch)
		strobe_ring_discard(&record->resv);
	deferred_pop();
}

/* Record it, and do what GATE_AFTER says. */
static notrace void deferred_record(struct deferred_record *record, u32 ctx, unsigned long from)
{
	struct trace_event_file *file = container_of(record->sink, struct trace_event_file, sink);
	unsigned long gate = READ_ONCE(record->sink->gate);
	u32 len = record->words * sizeof(u32);
	void *entry = record->entry;

	if (entry == record->scratch) {
		entry = strobe_ring_reserve(record->sink->ring, len, &record->resv);
		if (!entry) {
			deferred_pop();
			return;
		}
		memcpy(entry, record->scratch, len);
	}
	if (gate & STROBE_GATE_PRINTK)
		strobe_console_print_record(file->call, entry, len);
	if (gate & STROBE_GATE_EXPORT)
		strobe_export_record(entry, len, TRACE_EXPORT_EVENT);
	strobe_ring_commit(&record->resv);
	/* From here on readers may have the record. */
	deferred_pop();
	if (gate & STROBE_GATE_STACKTRACE)
		strobe_record_stacks(file->tr, ctx, from);
}

/**
 * strobe_deferred_commit - commit a record of strobe_deferred_reserve()
 * @record: the record, the innermost one of this CPU
 * @from: return address of strobe_event_commit(), where stack traces begin: in the probe,
 *	  or in the probe's caller if the probe ends with a tail call
 *
 * Context: any, preemption off since strobe_deferred_reserve().
 */
noinline notrace void strobe_deferred_commit(struct deferred_record *record, unsigned long from)
{
	struct trace_event_file *file = container_of(record->sink, struct trace_event_file, sink);
	u32 ctx = record_header_ctx(record->entry);
	unsigned int after = 0;
	bool ignored;

	ignored = record->gate & STROBE_GATE_PID &&
		  strobe_event_pid_record_ignored(file, record->entry);
	if (record->gate & STROBE_GATE_TRIGGER_RECORD && !ignored)
		after = strobe_triggers_call(file, record->entry, ctx, from);
	if (!ignored && deferred_is_wanted(record))
		deferred_record(record, ctx, from);
	else
		deferred_give_up(record);
	if (after)
		strobe_triggers_call_after(file, after, ctx, from);
}

static noinline notrace struct strobe_reserved tap_missed(struct strobe_sink *sink)
{
	struct strobe_tap *tap = container_of(sink, struct strobe_tap, sink);

	if (tap->missed)
		tap->missed(tap);
	return STROBE_NOT_RESERVED;
}

/* The record is too long for the scratch, or the fast path cannot fill in the context. */
static noinline notrace struct strobe_reserved tap_reserve_slow(struct deferred_record *record,
								unsigned long words)
{
	if (words > STROBE_WORDS_STRAIGHT) {
		record->words = words & STROBE_WORDS_MASK;
		record->entry = deferred_reserve_spare(record);
		if (!record->entry) {
			deferred_pop();
			return tap_missed(record->sink);
		}
	}
	record_set_header(record->entry, record->sink->type, record_probe_context());
	return (struct strobe_reserved) {
		.entry = record->entry, .handle = (unsigned long)record | RECORD_TAP,
	};
}

/**
 * strobe_tap_reserve - reserve a record of an event for a tap
 * @sink: the tap's sink
 * @words: as for strobe_event_reserve_words()
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve_words(); no record if this CPU is in DEFERRED_MAX others
 */
notrace struct strobe_reserved strobe_tap_reserve(struct strobe_sink *sink, unsigned long words)
{
	struct deferred_record *record = deferred_push();
	u32 ctx;

	if (unlikely(!record))
		return tap_missed(sink);
	record->sink = sink;
	record->words = words;
	record->gate = STROBE_GATE_TAP;
	record->entry = record->scratch;
	if (unlikely(words > STROBE_WORDS_STRAIGHT) ||
	    unlikely(!record_probe_context_plain(&ctx)))
		return tap_reserve_slow(record, words);
	record_set_header(record->scratch, sink->type, ctx);
	return (struct strobe_reserved) {
		.entry = record->scratch, .handle = (unsigned long)record | RECORD_TAP,
	};
}

/**
 * strobe_tap_commit - pass a record to its tap's function
 * @record: the record, the innermost one of this CPU
 *
 * Context: any, preemption off since strobe_tap_reserve().
 */
notrace void strobe_tap_commit(struct deferred_record *record)
{
	struct strobe_tap *tap = container_of(record->sink, struct strobe_tap, sink);

	tap->take(tap, record->entry, record->words * sizeof(u32));
	deferred_give_up(record);
}
