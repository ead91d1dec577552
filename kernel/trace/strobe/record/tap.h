/* SPDX-License-Identifier: GPL-2.0 */
/* Taps: sinks that pass an event's records to a function instead of recording them. */
#ifndef _STROBE_RECORD_TAP_H
#define _STROBE_RECORD_TAP_H

#include <linux/strobe/sink.h>

struct trace_event_call;

/**
 * struct strobe_tap - a sink whose records go to a function
 * @sink: the sink, initialised by strobe_tap_init(): data pointer of the event's probe
 * @take: gets each record at its commit, complete, with its struct trace_entry. The record
 *	  is gone when this returns. @len is its length in bytes, a multiple of 4.
 *	  Context: any, NMI included, preemption off
 * @missed: NULL, or counts a record that there was no room for. Context: as @take
 * @next: the next one that is connected (strobe_event_mutex)
 *
 * All but @next is constant while the tap is connected.
 */
struct strobe_tap {
	struct strobe_sink	sink;
	void			(*take)(struct strobe_tap *tap, void *record, u32 len);
	void			(*missed)(struct strobe_tap *tap);
	struct strobe_tap	*next;
};

int strobe_tap_init(struct strobe_tap *tap, struct trace_event_call *call,
		    void (*take)(struct strobe_tap *tap, void *record, u32 len));
int strobe_tap_connect(struct strobe_tap *tap, bool on);
void strobe_taps_inject(const struct trace_event_call *call, void *record, u32 len);

#endif /* _STROBE_RECORD_TAP_H */
