/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static calls for records of sinks with STROBE_GATE_ATTACHED. They do nothing before
 * attach/ sets them.
 */
#ifndef _STROBE_RECORD_SINK_H
#define _STROBE_RECORD_SINK_H

#include <linux/static_call.h>
#include <linux/strobe/sink.h>

/*
 * Reserve: as the functions that call them, but the handle of a record is RECORD_ATTACHED.
 * Commit: commits the record last reserved on this CPU and not committed yet; @from is a
 * return address in the probe or in its caller.
 * All: any context, preemption off from reserve to commit.
 */
typedef void sink_commit_t(unsigned long from);

DECLARE_STATIC_CALL(strobe_sink_attached_reserve, strobe_event_reserve_words);
DECLARE_STATIC_CALL(strobe_sink_attached_reserve_sample, strobe_event_reserve_sample);
DECLARE_STATIC_CALL(strobe_sink_attached_commit, sink_commit_t);

#endif /* _STROBE_RECORD_SINK_H */
