/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Define a variant to test, from ring/write.h and an iterator as the including file
 * has set them up. That file defines TORTURE_OPS, the name of the struct torture_ops,
 * and TORTURE_SOUND, whether the test must pass.
 */
#include <linux/stringify.h>

#include "ring/write.h"
#include "torture.h"

#ifndef STROBE_BUSTED_OFF	/* does not record some events, and does not count them */
#define STROBE_BUSTED_OFF	0
#endif

/* As strobe_ring_reserve(), but set @off if the event is not counted: recording was off. */
static notrace void *reserve(struct strobe_ring *ring, u32 len,
			     struct strobe_ring_resv *resv, bool *off)
{
	struct strobe_ring_cpu *rc = this_cpu_ptr(ring->percpu);
	void *data;
	int limit;

	*off = false;
	data = strobe_ring_try_reserve(rc, len, resv);
	if (data)
		return data;
	if (strobe_ring_blocked(rc, &limit)) {
		*off = !strobe_ring_refuse(rc, limit);
		return NULL;
	}
	if (STROBE_BUSTED_OFF && len % 64 == 0) {
		*off = true;
		return NULL;
	}
	return strobe_ring_reserve_open(rc, len, resv);
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
