/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands in for the ring's write.h: it is the same, but the test counts the events that are
 * refused, also those that the ring does not count.
 */
#ifndef _STROBE_RECORD_REFUSE_WRITE_H
#define _STROBE_RECORD_REFUSE_WRITE_H

#include <stdbool.h>

/* An event of this CPU is refused. @counted: by the ring */
void torture_refused(bool counted);

#define strobe_ring_refuse	shim_ring_refuse
#include_next "ring/write.h"
#undef strobe_ring_refuse

static __always_inline bool strobe_ring_refuse(struct strobe_ring_cpu *rc, int limit)
{
	bool counted = shim_ring_refuse(rc, limit);

	torture_refused(counted);
	return counted;
}

#endif /* _STROBE_RECORD_REFUSE_WRITE_H */
