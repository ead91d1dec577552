/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gate.c uses, in addition to record.c and deferred.c. Included by -include before each
 * source file of the torture test.
 */
#ifndef _STROBE_RECORD_TORTURE_SHIM_H
#define _STROBE_RECORD_TORTURE_SHIM_H

#include "shim.h"

#define CONFIG_PERF_EVENTS	1

#define try_cmpxchg_release(p, old, new) ({				\
	shim_interrupt();						\
	shim_release();							\
	__atomic_compare_exchange_n(p, old, new, false,			\
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED); })

/* The position of xa_for_each(): @next is the index to visit next, @index shows the last one. */
struct xa_walk {
	struct xarray	*xa;
	unsigned long	*index;
	unsigned long	next;
};

static inline void *xa_walk_next(struct xa_walk *walk)
{
	while (walk->next < walk->xa->nr) {
		*walk->index = walk->next++;
		if (walk->xa->slots[*walk->index])
			return walk->xa->slots[*walk->index];
	}
	return NULL;
}

#define xa_for_each(xa, index, entry)					\
	for (struct xa_walk walk = { (xa), &(index) }; ((entry) = xa_walk_next(&walk)); )

#endif /* _STROBE_RECORD_TORTURE_SHIM_H */
