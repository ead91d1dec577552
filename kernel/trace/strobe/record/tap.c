// SPDX-License-Identifier: GPL-2.0
/*
 * Making and connecting taps, and the ring that long records of taps and of triggers need.
 * deferred.c has the path of their records.
 *
 * State: strobe_record_spare_ring, which is made once and never freed; a list of the connected
 * taps.
 *
 * Contexts: task. Locks: strobe_event_mutex is held. Barriers: SPARE:A, below.
 */
#include <linux/err.h>
#include <linux/lockdep.h>

#include <linux/strobe/event.h>

#include "event/event.h"
#include "record/record.h"
#include "record/tap.h"

/* strobe_event_mutex */
static struct strobe_tap *connected_taps;

/**
 * strobe_record_spare_ring_make - make strobe_record_spare_ring unless it exists
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM
 */
int strobe_record_spare_ring_make(void)
{
	const struct strobe_ring_params params = { .bytes = 1, .overwrite = true };
	struct strobe_ring *ring;

	lockdep_assert_held(&strobe_event_mutex);
	if (strobe_record_spare_ring)
		return 0;
	ring = strobe_ring_create(&params);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	/* SPARE:A: a reader of the pointer sees the complete ring. See record/deferred.c. */
	smp_store_release(&strobe_record_spare_ring, ring);
	return 0;
}

/**
 * strobe_tap_init - initialise a tap of an event
 * @tap:  the tap
 * @call: the event
 * @take: the function that gets the records
 *
 * strobe_tap.missed is NULL, and may be set before the tap is connected.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM
 */
int strobe_tap_init(struct strobe_tap *tap, struct trace_event_call *call,
		    void (*take)(struct strobe_tap *tap, void *record, u32 len))
{
	*tap = (struct strobe_tap) {
		.sink = { .gate = STROBE_GATE_TAP, .call = call, .type = call->type },
		.take = take,
	};
	return strobe_record_spare_ring_make();
}

/**
 * strobe_tap_connect - connect a tap with its event, or disconnect it
 * @tap: the tap
 * @on:  true: connect
 *
 * After disconnecting, take() may still be running on return.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: as strobe_event_connect()
 */
int strobe_tap_connect(struct strobe_tap *tap, bool on)
{
	struct strobe_tap **link = &connected_taps;
	int ret;

	ret = strobe_event_connect(tap->sink.call, &tap->sink, on);
	if (ret)
		return ret;
	if (on) {
		tap->next = connected_taps;
		connected_taps = tap;
		return 0;
	}
	while (*link != tap)
		link = &(*link)->next;
	*link = tap->next;
	return 0;
}

/**
 * strobe_taps_inject - pass a record to the taps of an event that has not fired
 * @call:   the event
 * @record: the record, as for strobe_tap.take
 * @len:    its length in bytes, a multiple of 4
 *
 * Context: task, preemption off; strobe_event_mutex held.
 */
void strobe_taps_inject(const struct trace_event_call *call, void *record, u32 len)
{
	struct strobe_tap *tap;

	for (tap = connected_taps; tap; tap = tap->next) {
		if (tap->sink.call == call)
			tap->take(tap, record, len);
	}
}
