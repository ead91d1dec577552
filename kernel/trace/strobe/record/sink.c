// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls for records of sinks with STROBE_GATE_ATTACHED. attach/ sets them to its
 * functions; until then, and without attach/, such events are not recorded.
 *
 * No other state. Contexts: any, NMI included, preemption off. Nothing here can be
 * traced. Locks and barriers: none; static_call_update() has its own.
 */
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

DEFINE_STATIC_CALL(strobe_sink_attached_reserve, reserve_none);
DEFINE_STATIC_CALL(strobe_sink_attached_reserve_sample, reserve_sample_none);
DEFINE_STATIC_CALL(strobe_sink_attached_commit, commit_none);
