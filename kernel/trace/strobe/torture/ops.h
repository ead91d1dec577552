/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is tortured: ring/write.h and an iterator as whoever includes this has
 * prepared them. Before: TORTURE_OPS, the name of the struct torture_ops, and
 * TORTURE_SOUND, whether it is to pass.
 */
#include <linux/stringify.h>

#include "ring/write.h"
#include "torture.h"

/* As strobe_ring_reserve(), but it tells whether recording was off. */
static notrace void *reserve(struct strobe_ring *ring, u32 len,
			     struct strobe_ring_resv *resv, bool *off)
{
	struct strobe_ring_cpu *rc = this_cpu_ptr(ring->percpu);
	void *data;

	*off = strobe_ring_blocked(rc);
	if (*off)
		return NULL;
	if (strobe_clock_is_inline(READ_ONCE(rc->clock))) {
		if (strobe_ring_reserve_fast(rc, len, resv, &data, false))
			return data;
	} else if (strobe_ring_reserve_fast(rc, len, resv, &data, true)) {
		return data;
	}
	return strobe_ring_reserve_slow(rc, len, resv);
}

static notrace void commit(struct strobe_ring_resv *resv)
{
	strobe_ring_commit(resv);
}

static notrace void discard(struct strobe_ring_resv *resv)
{
	strobe_ring_discard(resv);
}

const struct torture_ops TORTURE_OPS = {
	.name		= __stringify(TORTURE_OPS) + sizeof("torture_") - 1,
	.sound		= TORTURE_SOUND,
	.reserve	= reserve,
	.commit		= commit,
	.discard	= discard,
	.iter_peek	= strobe_ring_iter_peek,
};
