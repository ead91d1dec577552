// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path of an event: from its probe into the ring.
 *
 * A probe reserves, assigns its fields, and commits, all with preemption disabled by
 * the tracepoint. One word, the sink's gate, says whether more has to be done: filters,
 * triggers, stack traces, exports, the console. While it is 0, the event takes the fast
 * path; all other code is out of line.
 *
 * Reserve returns a handle, which commit takes: an address with a tag bit that says which
 * kind of handle it is. Commit switches on the tag once.
 *
 *	gate		record
 *			reserved by, and its handle
 *			committed by
 *	--------	-----------------------------------------------------------------
 *	0		of the outermost writer
 *			strobe_event_reserve_words(), or where its fast path ends:
 *			event_reserve_special(), event_reserve_clock(),
 *			strobe_event_reserve_slow(), event_reserve_again(),
 *			event_reserve_context(); no tag
 *			strobe_event_commit()
 *
 *	0		of a nested writer
 *			event_reserve_again(), strobe_event_reserve_slow(): RECORD_NESTED
 *			commit_other()
 *
 *	FILTER		fits in the scratch
 *			event_reserve_gated(), or scratch_reserve_header() if the filter
 *			reads the header: RECORD_SCRATCH
 *			commit_scratch(), commit_scratch_fast(), or where that ends:
 *			commit_scratch_slow(), commit_scratch_context()
 *
 *	FILTER		too long for the scratch: in the ring
 *			strobe_deferred_reserve(): RECORD_DEFERRED
 *			strobe_deferred_commit()
 *
 *	others		in the scratch or, if it is too long, in the ring
 *			strobe_deferred_reserve(): RECORD_DEFERRED
 *			strobe_deferred_commit()
 *
 *	others		nothing can reject it any more, and nothing follows it
 *			strobe_deferred_reserve(), as with gate 0
 *			strobe_event_commit()
 *
 *	ATTACHED	of perf and BPF
 *			attach/sink.c: RECORD_ATTACHED
 *			attach/sink.c
 *
 *	TAP		of a tap
 *			strobe_tap_reserve(): RECORD_TAP
 *			strobe_tap_commit()
 *
 * Contexts: any, NMI included, preemption off. The fast path fires no events. Stack
 * traces, exports, the console and waking readers may: each guards against recursion.
 *
 * Locks: none. Barriers: the ring's, and the gate's, GATE:A in gate.c. A change of the
 * gate applies to records that are reserved later; tracepoint_synchronize_unregister()
 * waits for others.
 *
 * The compiler: a function of the fast path has no registers to save as long as all its
 * calls are tail calls. That is why a fast path that ends calls a function that does all
 * the rest, and why a value that is only compared is loaded without READ_ONCE(), between
 * barriers: it can be a memory operand of the compare then. Here and in the headers, a
 * number in brackets is what such code saves a record: instructions of x86-64, with GCC 12.
 */
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/trace.h>
#include <linux/unaligned.h>

#include "filter/filter.h"
#include "record/deferred.h"
#include "record/record.h"
#include "record/sink.h"
#include "record/tap.h"

static_assert(offsetof(struct trace_event_file, sink) == 0);	/* container_of() is free */
static_assert(STROBE_WORDS_STRAIGHT == STROBE_RECORD_DATA_MAX);
static_assert(__alignof__(struct strobe_ring_cpu) > RECORD_TAGS);

static __always_inline struct strobe_reserved reserved(void *entry, unsigned long handle)
{
	return (struct strobe_reserved) { .entry = entry, .handle = handle };
}

/* The writer interrupts another one, or was interrupted by one that recorded: R1 is done. [10] */
static noinline notrace struct strobe_reserved
event_reserve_again(struct strobe_sink *sink, unsigned long words, struct strobe_ring_cpu *rc)
{
	strobe_ring_leave(rc);
	return strobe_event_reserve_slow(sink, words, rc);
}

/* The record is reserved, but the fast path cannot fill in the context. [13] */
static noinline notrace struct strobe_reserved
event_reserve_context(struct strobe_sink *sink, void *entry, struct strobe_ring_cpu *rc)
{
	record_set_header(entry, sink->type, record_probe_context());
	return reserved(entry, (unsigned long)rc);
}

enum event_path { EVENT_DONE, EVENT_CONTEXT, EVENT_SLOW, EVENT_AGAIN };

/*
 * The fast path, after the clock was read. It is inlined, and each caller does the rest
 * itself in tail calls: calls in this function would be no tail calls.
 * @sink: where to load the sink's address again, rather than keep it in a register [2]
 */
static __always_inline enum event_path
event_fast(struct strobe_sink *const *sink, unsigned long words, struct strobe_ring_cpu *rc,
	   u64 word, u64 ts, void **entry)
{
	u64 from, to;
	u32 ctx;

	switch (strobe_ring_reserve_fast(rc, words, word, ts, &from, &to, entry)) {
	case STROBE_RING_SLOW:
		return EVENT_SLOW;
	case STROBE_RING_AGAIN:
		return EVENT_AGAIN;
	case STROBE_RING_DONE:
		break;
	}
	if (unlikely(!record_probe_context_plain(&ctx)))
		return EVENT_CONTEXT;
	record_set_header(*entry, (*sink)->type, ctx);
	return EVENT_DONE;
}

/* The clock has to be called. [10, if a full ring refuses the record] */
static noinline notrace struct strobe_reserved
event_reserve_clock(struct strobe_sink *sink, unsigned long words, struct strobe_ring_cpu *rc)
{
	u64 word, ts = strobe_ring_clock(rc);
	void *entry;

	/* The limit has the same capacity as before: a change of that stops the writers. */
	if (unlikely(!strobe_ring_fits_open(rc, atomic_read(&rc->limit), words, &word)))
		return strobe_event_reserve_slow(sink, words, rc);
	switch (event_fast(&sink, words, rc, word, ts, &entry)) {
	case EVENT_SLOW:
		return strobe_event_reserve_slow(sink, words, rc);
	case EVENT_AGAIN:
		return event_reserve_again(sink, words, rc);
	case EVENT_CONTEXT:
		return event_reserve_context(sink, entry, rc);
	case EVENT_DONE:
		break;
	}
	return reserved(entry, (unsigned long)rc);
}

/* The record does not fit, or the fast path cannot record it. [1; 7 if the clock is called] */
static noinline notrace struct strobe_reserved
event_reserve_special(struct strobe_sink *sink, unsigned long words, struct strobe_ring_cpu *rc)
{
	int limit;

	if (strobe_ring_blocked(rc, &limit)) {
		strobe_ring_refuse(rc, limit);
		return STROBE_NOT_RESERVED;
	}
	if (limit & STROBE_LIMIT_CLOCK)
		return event_reserve_clock(sink, words, rc);
	return strobe_event_reserve_slow(sink, words, rc);
}

/* The record is in the scratch, and the fast path cannot fill in the context. [15] */
static noinline notrace struct strobe_reserved
scratch_reserve_context(struct deferred_record *record)
{
	record_set_header(record->scratch, record->sink->type, record_probe_context());
	return reserved(record->scratch, (unsigned long)record + RECORD_SCRATCH);
}

/* The filter reads the header. */
static noinline notrace struct strobe_reserved
scratch_reserve_header(struct strobe_sink *sink, unsigned long words,
		       struct strobe_filter *filter)
{
	struct deferred_record *record = deferred_push();
	u32 ctx;

	if (unlikely(!record))
		return strobe_deferred_refuse(sink);
	record->sink = sink;
	record->filter = filter;
	record->words = words;
	if (unlikely(!record_probe_context_plain(&ctx)))
		return scratch_reserve_context(record);
	record_set_header(record->scratch, sink->type, ctx);
	return reserved(record->scratch, (unsigned long)record + RECORD_SCRATCH);
}

/*
 * The gate is not 0. With a filter, neither ring nor clock is accessed before the record
 * has passed. If the gate has STROBE_GATE_FILTER, file->filter is valid: the acquire pairs
 * with GATE:A (gate.c), and the filter is freed a grace period after the bit is cleared.
 */
static noinline notrace struct strobe_reserved
event_reserve_gated(struct strobe_sink *sink, unsigned long words)
{
	struct trace_event_file *file = container_of(sink, struct trace_event_file, sink);
	struct deferred_record *record;
	struct strobe_filter *filter;

	/*
	 * The gate may change between the compares [1]: strobe_deferred_reserve() loads it once
	 * more and acts on that value only.
	 */
	if (unlikely(data_race(sink->gate) != STROBE_GATE_FILTER)) {
		barrier();
		/* The gates of attached sinks and of taps are constant. */
		if (data_race(sink->gate) == STROBE_GATE_ATTACHED)
			return static_call(strobe_sink_attached_reserve)(sink, words);
		barrier();
		/* It is constant: see above. */
		if (data_race(sink->gate) == STROBE_GATE_TAP)
			return strobe_tap_reserve(sink, words);
		return strobe_deferred_reserve(sink, words);
	}
	/* Pairs with GATE:A, in gate.c. */
	smp_acquire__after_ctrl_dep();
	filter = rcu_dereference_raw(file->filter);
	if (unlikely(words > filter->scratch_words)) {
		if (words > STROBE_WORDS_STRAIGHT)
			return strobe_deferred_reserve(sink, words);
		return scratch_reserve_header(sink, words, filter);
	}
	record = deferred_push();
	if (unlikely(!record))
		return strobe_deferred_refuse(sink);
	record->sink = sink;
	record->filter = filter;
	record->words = words;
	return reserved(record->scratch, (unsigned long)record + RECORD_SCRATCH);
}

/**
 * strobe_event_reserve_words - reserve a record of an event
 * @sink: the sink, which is the probe's data pointer
 * @words: length of the record in units; see STROBE_WORDS_STRAIGHT
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve()
 */
notrace struct strobe_reserved strobe_event_reserve_words(struct strobe_sink *sink,
							  unsigned long words)
{
	struct strobe_ring_cpu *rc;
	u64 word, ts;
	void *entry;

	/* event_reserve_gated() loads the gate again, and acts on that value. */
	if (unlikely(data_race(sink->gate))) {
		barrier();	/* Keep the load a memory operand of the compare. [1] */
		return event_reserve_gated(sink, words);
	}
	/* Else the compiler moves one of them to another register before the test above. [2] */
	OPTIMIZER_HIDE_VAR(words);
	OPTIMIZER_HIDE_VAR(sink);
	rc = sink_ring(sink);
	if (!STROBE_CLOCK_INLINE || unlikely(!strobe_ring_fits(rc, words, &word)))
		return event_reserve_special(sink, words, rc);
	if (unlikely(!strobe_clock_inline(rc, &ts)))
		return strobe_event_reserve_slow(sink, words, rc);
	switch (event_fast(&sink, words, rc, word, ts, &entry)) {
	case EVENT_SLOW:
		return strobe_event_reserve_slow(sink, words, rc);
	case EVENT_AGAIN:
		return event_reserve_again(sink, words, rc);
	case EVENT_CONTEXT:
		return event_reserve_context(sink, entry, rc);
	case EVENT_DONE:
		break;
	}
	return reserved(entry, (unsigned long)rc);
}
EXPORT_SYMBOL_GPL(strobe_event_reserve_words);

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

/* Most records have 16 to 32 bytes of fields. [13, of 24 bytes] */
static __always_inline bool fields_are_usual(unsigned long words)
{
	const unsigned long begin = sizeof(struct trace_entry) / sizeof(u32);

	return words - (begin + 4) <= 4;
}

/* Copy 16 bytes from each end; they may overlap. */
static __always_inline void copy_fields_usual(void *dst, const void *src, unsigned long words)
{
	const unsigned long begin = sizeof(struct trace_entry), end = words * sizeof(u32);

	copy_u64(dst + begin, src + begin);
	copy_u64(dst + begin + 8, src + begin + 8);
	copy_u64(dst + end - 16, src + end - 16);
	copy_u64(dst + end - 8, src + end - 8);
}

/*
 * The innermost deferred record is in the scratch, and its filter has accepted it: record
 * it in any case that the fast path does not handle. [13]
 */
static noinline notrace void commit_scratch_slow(void)
{
	struct deferred_record *record = deferred_last();
	struct strobe_ring_resv resv;
	void *entry;

	entry = strobe_ring_reserve(record->sink->ring, record->words * sizeof(u32), &resv);
	if (entry) {
		record_set_header(entry, record->sink->type, record_probe_context());
		copy_fields(entry, record->scratch, record->words);
		deferred_pop();
		strobe_ring_commit(&resv);
	} else {
		deferred_pop();
	}
}

/* Copy a record that is reserved at @entry, with its header, and commit it. */
static __always_inline void commit_copied(struct deferred_record *record, void *entry,
					  unsigned long words, struct strobe_ring_cpu *rc)
{
	if (likely(fields_are_usual(words)))
		copy_fields_usual(entry, record->scratch, words);
	else
		copy_fields(entry, record->scratch, words);
	deferred_pop();
	strobe_ring_leave_outermost(rc);
}

/* The record is reserved at @entry, but the fast path cannot fill in the context. [9] */
static noinline notrace void commit_scratch_context(void *entry, struct strobe_ring_cpu *rc)
{
	struct deferred_record *record = deferred_last();

	record_set_header(entry, record->sink->type, record_probe_context());
	commit_copied(record, entry, record->words, rc);
}

/* The innermost deferred record is in the scratch, and its filter has accepted it. */
static notrace void commit_scratch_fast(void)
{
	struct deferred_record *record = deferred_last();
	struct strobe_ring_cpu *rc = sink_ring(record->sink);
	unsigned long words = record->words;
	u64 word, ts;
	void *entry;

	if (unlikely(!strobe_ring_fits(rc, words, &word)) ||
	    unlikely(!strobe_clock_inline(rc, &ts)))
		return commit_scratch_slow();
	switch (event_fast(&record->sink, words, rc, word, ts, &entry)) {
	case EVENT_AGAIN:
		strobe_ring_leave(rc);
		fallthrough;
	case EVENT_SLOW:
		return commit_scratch_slow();
	case EVENT_CONTEXT:
		return commit_scratch_context(entry, rc);
	case EVENT_DONE:
		return commit_copied(record, entry, words, rc);
	}
}

/* The innermost deferred record is in the scratch: record it if its filter accepts it. */
static __always_inline void commit_scratch(struct deferred_record *record)
{
	if (strobe_filter_match(record->filter, record->scratch))
		commit_scratch_fast();
	else
		deferred_pop();
}

/* @from: as for strobe_deferred_commit() */
static notrace void commit_other(unsigned long handle, unsigned long from)
{
	void *of = (void *)(handle & ~RECORD_TAGS);

	if (handle & RECORD_NESTED)
		strobe_ring_leave_nested(of);
	else if (handle & RECORD_ATTACHED)
		strobe_tap_commit(of);
	else
		strobe_deferred_commit(of, from);
}

/**
 * strobe_event_commit - commit a record of an event
 * @handle: from strobe_event_reserve()
 *
 * Context: any, preemption off since strobe_event_reserve().
 */
notrace void strobe_event_commit(unsigned long handle)
{
	if (likely(!(handle & RECORD_TAGS)))
		return strobe_ring_leave_outermost((struct strobe_ring_cpu *)handle);
	if (likely(handle & RECORD_SCRATCH))
		return commit_scratch((struct deferred_record *)(handle - RECORD_SCRATCH));
	if (handle == RECORD_ATTACHED)
		return static_call(strobe_sink_attached_commit)(_RET_IP_);
	commit_other(handle, _RET_IP_);
}
EXPORT_SYMBOL_GPL(strobe_event_commit);

/**
 * strobe_event_commit_regs - commit a record of an event of which the registers are known
 * @handle: from strobe_event_reserve()
 * @regs:   the registers at the event; stack traces begin with them
 *
 * Context: any, preemption off since strobe_event_reserve().
 */
notrace void strobe_event_commit_regs(unsigned long handle, struct pt_regs *regs)
{
	struct pt_regs *outer;

	if (likely(!(handle & RECORD_TAGS)))
		return strobe_ring_leave_outermost((struct strobe_ring_cpu *)handle);
	if (handle & RECORD_SCRATCH)
		return commit_scratch((struct deferred_record *)(handle - RECORD_SCRATCH));
	if (handle == RECORD_ATTACHED)
		return static_call(strobe_sink_attached_commit)(_RET_IP_);
	/* An interrupt restores it before it returns. */
	outer = this_cpu_read(strobe_record_regs);
	this_cpu_write(strobe_record_regs, regs);
	commit_other(handle, 0);
	this_cpu_write(strobe_record_regs, outer);
}

/**
 * strobe_event_reserve_sample - reserve a record of an event for perf and BPF
 * @sink:   a sink with STROBE_GATE_ATTACHED; any other one does without the sample
 * @words:  length of the record, as in strobe_event_reserve_words()
 * @sample: more data for perf; only needed during the call, but what it points to must
 *	    stay until strobe_event_commit()
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve()
 */
notrace struct strobe_reserved
strobe_event_reserve_sample(struct strobe_sink *sink, unsigned long words,
			    const struct strobe_sample *sample)
{
	/* These bits of a gate are constant. */
	if (unlikely(!(READ_ONCE(sink->gate) & STROBE_GATE_ATTACHED)))
		return strobe_event_reserve_words(sink, words);
	return static_call(strobe_sink_attached_reserve_sample)(sink, words, sample);
}
EXPORT_SYMBOL_GPL(strobe_event_reserve_sample);
