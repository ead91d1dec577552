// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls for records of sinks with STROBE_GATE_ATTACHED. attach/ sets them to its
 * functions; until then, and without attach/, such events are not recorded.
 *
 * No other state. Contexts: any, NMI included, preemption off. Nothing here can be
 * traced. Locks and barriers: none; static_call_update() has its own.
 */
#include <linux/export.h>
#include <linux/static_call.h>

#include "record/sink.h"

static notrace struct strobe_reserved
reserve_none(struct strobe_sink *sink, unsigned long words)
{
	return STROBE_NOT_RESERVED;
}

static notrace struct strobe_reserved
reserve_sample_none(struct strobe_sink *sink, unsigned long words,
		    const struct strobe_sample *sample)
{
	return STROBE_NOT_RESERVED;
}

static notrace void commit_none(unsigned long from)
{
}

DEFINE_STATIC_CALL(sink_attached_reserve, reserve_none);
DEFINE_STATIC_CALL(sink_attached_reserve_sample, reserve_sample_none);
DEFINE_STATIC_CALL(sink_attached_commit, commit_none);

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
	return static_call(sink_attached_reserve_sample)(sink, words, sample);
}
EXPORT_SYMBOL_GPL(strobe_event_reserve_sample);
