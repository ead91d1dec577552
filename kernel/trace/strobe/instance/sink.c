// SPDX-License-Identifier: GPL-2.0
/*
 * Where records of sinks that are no instance's go: into three calls that attach/ takes
 * over. Before that, and without it, they lead to nothing.
 *
 * No state but these. Contexts: any, NMI included, preemption off. Nothing here can be
 * traced. Locks and barriers: none; static_call_update() has its own.
 */
#include <linux/export.h>
#include <linux/static_call.h>

#include "instance/sink.h"

static notrace strobe_room_t
reserve_none(struct strobe_sink *sink, unsigned long words)
{
	return strobe_room_pack(NULL, 0);
}

static notrace strobe_room_t
reserve_sample_none(struct strobe_sink *sink, unsigned long words,
		    const struct strobe_sample *sample)
{
	return strobe_room_pack(NULL, 0);
}

static notrace void commit_none(unsigned long from)
{
}

DEFINE_STATIC_CALL(sink_attached_reserve, reserve_none);
DEFINE_STATIC_CALL(sink_attached_reserve_sample, reserve_sample_none);
DEFINE_STATIC_CALL(sink_attached_commit, commit_none);

/**
 * strobe_event_reserve_sample - make room for an event's record, for perf and BPF
 * @sink:   with STROBE_GATE_ATTACHED
 * @words:  as in strobe_event_reserve_words()
 * @sample: what perf is to know; it may go afterwards, what it points to stays until
 *	    strobe_event_commit()
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: as strobe_event_reserve()
 */
notrace strobe_room_t strobe_event_reserve_sample(struct strobe_sink *sink,
						  unsigned long words,
						  const struct strobe_sample *sample)
{
	return static_call(sink_attached_reserve_sample)(sink, words, sample);
}
EXPORT_SYMBOL_GPL(strobe_event_reserve_sample);
