// SPDX-License-Identifier: GPL-2.0
/*
 * Connecting sinks that belong to no instance to an event's probe.
 *
 * No state. Contexts: task, strobe_event_mutex held. Lock order: then the class's locks and
 * the tracepoint core's. Barriers: none.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/tracepoint.h>

#include "event/event.h"

/**
 * strobe_event_connect - connect or disconnect a sink of perf, or a tap
 * @call: the event
 * @sink: a sink with STROBE_GATE_ATTACHED or STROBE_GATE_TAP
 * @on:   true: connect
 *
 * Events of the engine itself that cannot be enabled have no probe: they accept any sink, and
 * write nothing to it. After disconnecting, the probe may still be running on return.
 *
 * Context: task, may sleep; strobe_event_mutex held, and not the lock of a tracepoint batch.
 * Return: 0; -ENODEV if the event has no tracepoint yet; -ENOMEM; or the error of the class
 *	   or of the tracepoint. On error it is not connected, but a probe may still be using it,
 *	   as after disconnecting. Disconnecting does not fail.
 */
int strobe_event_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	const struct strobe_class_ops *ops = call->class->ops;
	void *probe = call->class->probe;

	lockdep_assert_held(&strobe_event_mutex);
	if (ops && ops->connect)
		return ops->connect(call, sink, on);
	if (!probe || !event_can_enable(call))
		return 0;
	if (!event_has_tracepoint(call))
		return -ENODEV;
	return on ? tracepoint_probe_register(call->tp, probe, sink) :
		    tracepoint_probe_unregister(call->tp, probe, sink);
}
