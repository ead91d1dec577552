// SPDX-License-Identifier: GPL-2.0
/*
 * Reservations apart from the fast path, which record.c has: of events where the fast path
 * cannot record them, and of writers that are no probes. And the context of a record in the
 * cases that record_context() does not handle inline.
 *
 * Contexts: any, NMI included, preemption off. Locks: none. Barriers: the ring's.
 */
#include <linux/compiler.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "record/deferred.h"
#include "record/record.h"

static u32 migrate_depth(void)
{
#ifdef CONFIG_SMP
	return current->migration_disabled;
#else
	return 0;
#endif
}

/**
 * strobe_record_context_slow - context of the running code, of any kind
 * @irqflags: from local_save_flags()
 *
 * Context: any.
 * Return: as record_context()
 */
noinline notrace u32 strobe_record_context_slow(unsigned long irqflags)
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

/* The handle of a record in the ring of which nothing is left to do. */
static unsigned long ring_handle(struct strobe_ring_cpu *rc)
{
	return (unsigned long)rc | (strobe_ring_outermost(rc) ? 0 : RECORD_NESTED);
}

/**
 * strobe_event_reserve_slow - reserve a record of an event where the fast path cannot
 * @sink: the sink
 * @words: as for strobe_event_reserve_words()
 * @rc: the ring of this CPU
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve_words()
 */
noinline notrace struct strobe_reserved
strobe_event_reserve_slow(struct strobe_sink *sink, unsigned long words, struct strobe_ring_cpu *rc)
{
	struct strobe_ring_resv resv;
	void *entry;

	entry = strobe_ring_reserve_slow(rc, (words & STROBE_WORDS_MASK) * sizeof(u32), &resv);
	if (!entry)
		return STROBE_NOT_RESERVED;
	record_set_header(entry, sink->type, record_probe_context());
	return (struct strobe_reserved) { .entry = entry, .handle = ring_handle(rc) };
}

/**
 * strobe_record_reserve - reserve a record that no probe makes
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
notrace void *strobe_record_reserve(struct strobe_ring *ring, u16 type, u32 len, u32 ctx,
				    struct strobe_ring_resv *resv)
{
	void *entry = ring ? strobe_ring_reserve(ring, len, resv) : NULL;

	if (entry)
		record_set_header(entry, type, ctx);
	return entry;
}
