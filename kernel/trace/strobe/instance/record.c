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
 * Contexts: any, NMI included, preemption off. Nothing here can be traced, so
 * that no event is fired from within.
 *
 * Locks: none. Barriers: the ring's. The gate is read once for each record, and
 * what it said then is done: a change of it takes effect for records that are
 * reserved some time later, and tracepoint_synchronize_unregister() tells when.
 */
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/trace.h>

#include "instance/instance.h"
#include "instance/record.h"

static_assert(sizeof(struct strobe_ring_resv) <=
	      sizeof_field(struct strobe_resv, ring));
static_assert(offsetof(struct trace_event_file, sink) == 0);

static __always_inline struct strobe_ring_resv *ring_part(struct strobe_resv *resv)
{
	return (struct strobe_ring_resv *)resv->ring;
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

/* The record is there: its header in full generality, and what the gate wants. */
static noinline notrace void *event_begin(struct strobe_sink *sink, void *entry,
					  unsigned int len, struct strobe_resv *resv)
{
	record_set_header(entry, sink->type, record_context() -
			  (RECORD_PROBE_DEPTH << RECORD_CTX_PC_SHIFT));
	resv->gate = READ_ONCE(sink->gate);
	resv->sink = sink;
	resv->entry = entry;
	resv->len = len;
	return entry;
}

static noinline notrace void *event_reserve_slow(struct strobe_sink *sink, unsigned int len,
						 struct strobe_resv *resv,
						 struct strobe_ring_cpu *rc)
{
	void *entry = strobe_ring_reserve_slow(rc, len, ring_part(resv));

	return entry ? event_begin(sink, entry, len, resv) : NULL;
}

static __always_inline void *event_reserve(struct strobe_sink *sink, unsigned int len,
					   struct strobe_resv *resv,
					   struct strobe_ring_cpu *rc, const bool call)
{
	unsigned long irqflags;
	void *entry;
	u32 word;

	if (unlikely(!strobe_ring_reserve_fast(rc, len, ring_part(resv), &entry, call)))
		return event_reserve_slow(sink, len, resv, rc);

	word = record_preempt_word() - RECORD_PROBE_DEPTH;
	/* event_begin() reads the gate again, and obeys what it finds then. */
	if (unlikely(record_context_special(word) || data_race(sink->gate)))
		return event_begin(sink, entry, len, resv);
	resv->gate = 0;
	local_save_flags(irqflags);
	record_set_header(entry, sink->type, record_context_plain(irqflags, word));
	return entry;
}

/* With a clock that has to be called. */
static noinline notrace void *event_reserve_call(struct strobe_sink *sink, unsigned int len,
						 struct strobe_resv *resv,
						 struct strobe_ring_cpu *rc)
{
	return event_reserve(sink, len, resv, rc, true);
}

/**
 * strobe_event_reserve - make room for an event's record
 * @sink: where it goes: what the probe got as its data
 * @len:  bytes of the record, struct trace_entry included
 * @resv: set for strobe_event_commit()
 *
 * What it calls, it calls last: the straight path has no registers to save.
 *
 * Context: any, preemption off.
 * Return: the record, its struct trace_entry filled in, aligned to 4 bytes;
 *	   NULL if it is not to be recorded, @resv being void then.
 */
notrace void *strobe_event_reserve(struct strobe_sink *sink, unsigned int len,
				   struct strobe_resv *resv)
{
	struct strobe_ring_cpu *rc = this_cpu_ptr(sink->ring->percpu);

	if (unlikely(strobe_ring_blocked(rc)))
		return NULL;
	if (strobe_clock_is_inline(READ_ONCE(rc->clock)))
		return event_reserve(sink, len, resv, rc, false);
	return event_reserve_call(sink, len, resv, rc);
}
EXPORT_SYMBOL_GPL(strobe_event_reserve);

/*
 * Everything that may have to be done with a record beside keeping it. @from is
 * where the probe goes on: stacks begin with the probe.
 */
static noinline notrace void commit_gated(struct strobe_resv *resv,
					  unsigned long from)
{
	struct trace_event_file *file = (struct trace_event_file *)resv->sink;
	u32 ctx = record_header_ctx(resv->entry);

	if (resv->gate & STROBE_GATE_PRINTK)
		console_print_record(file->call, resv->entry, resv->len);
	if (resv->gate & STROBE_GATE_EXPORT)
		export_record(resv->entry, resv->len, TRACE_EXPORT_EVENT);
	strobe_ring_commit(ring_part(resv));
	/* From here on the record belongs to the readers. */
	if (resv->gate & STROBE_GATE_STACKTRACE)
		record_stacks(file->tr, ctx, from);
}

/**
 * strobe_event_commit - let readers have an event's record
 * @resv: from strobe_event_reserve()
 *
 * Context: any, preemption off since strobe_event_reserve().
 */
notrace void strobe_event_commit(struct strobe_resv *resv)
{
	if (unlikely(resv->gate))
		commit_gated(resv, _RET_IP_);
	else
		strobe_ring_commit(ring_part(resv));
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
