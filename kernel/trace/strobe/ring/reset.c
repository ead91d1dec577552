// SPDX-License-Identifier: GPL-2.0
/*
 * Remove all records of a ring, and reset its counters.
 *
 * Contexts: task. Locks: shape_lock, and reader.lock of each CPU in turn. The writers are
 * held off (control.c).
 */
#include <linux/mutex.h>

#include "ring/internal.h"
#include "ring/region.h"

/* The writers are stopped, so all records are committed. */
static void strobe_ring_cpu_reset(struct strobe_ring_cpu *rc)
{
	mutex_lock(&rc->reader.lock);
	strobe_ring_change_begin(rc);
	strobe_ring_clear(rc, strobe_ring_next_index(rc));
	strobe_ring_change_end(rc);
	strobe_ring_map_update(rc);
	mutex_unlock(&rc->reader.lock);
}

/**
 * strobe_ring_reset - remove all records, and reset all counters
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * The writers are held off meanwhile.
 *
 * Context: Task context, may sleep. Takes shape_lock, and reader.lock of each CPU in turn.
 */
void strobe_ring_reset(struct strobe_ring *ring, int cpu)
{
	int i;

	mutex_lock(&ring->shape_lock);
	strobe_ring_stop(ring, cpu);
	strobe_ring_for_each(ring, cpu, i)
		strobe_ring_cpu_reset(strobe_ring_of(ring, i));
	if (ring->region.start && cpu == STROBE_RING_ALL_CPUS)
		strobe_region_end(ring);
	strobe_ring_start(ring, cpu);
	mutex_unlock(&ring->shape_lock);
}
