// SPDX-License-Identifier: GPL-2.0
/*
 * The gates of event files, which say what probes have to do besides plain recording.
 *
 * Contexts: as each function says. Locks: none are taken.
 *
 * Barriers: GATE:A, below.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/xarray.h>

#include "event/event.h"
#include "record/gate.h"
#include "record/trace_array.h"

/**
 * strobe_event_files_set_gate - set or clear a gate bit of all event files of an instance
 * @tr:   the instance
 * @gate: STROBE_GATE_*
 * @on:   true: set
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_event_files_set_gate(struct trace_array *tr, unsigned long gate, bool on)
{
	struct trace_event_file *file;
	unsigned long type;

	lockdep_assert_held(&strobe_event_mutex);
	xa_for_each(&tr->files, type, file)
		strobe_event_file_change_gate(file, on ? gate : 0, on ? 0 : gate);
}

/**
 * strobe_event_file_change_gate - change the gate of an event file
 * @file: the event file
 * @set: bits to set, STROBE_GATE_*
 * @clear: bits to clear
 *
 * A probe that sees a bit set also sees all stores before this call (GATE:A).
 *
 * Context: any for STROBE_GATE_SOFT_DISABLED; strobe_event_mutex held for all other bits.
 */
notrace void strobe_event_file_change_gate(struct trace_event_file *file, unsigned long set,
					   unsigned long clear)
{
	unsigned long old = READ_ONCE(file->sink.gate);

	/*
	 * GATE:A. If a reader sees the new gate, it also sees everything stored before, such
	 * as a filter. Pairs with the acquires in event_reserve_gated() and
	 * strobe_deferred_reserve().
	 */
	while (!try_cmpxchg_release(&file->sink.gate, &old, (old & ~clear) | set))
		;
}
