/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sub-buffers of the ring in pipes.
 */
#ifndef _STROBE_FS_RAW_REF_H
#define _STROBE_FS_RAW_REF_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include "ring/ring.h"

struct raw_pool;

/**
 * struct raw_ref - a page that pipe buffers refer to
 * @page: the page
 * @count: number of references, each of a pipe buffer or of the task that fills it
 * @pool: the pool to return it to
 * @next: next one in the pool
 * @rcu: to free it after a grace period
 */
struct raw_ref {
	struct strobe_ring_page	page;
	refcount_t		count;
	struct raw_pool		*pool;
	union {
		struct raw_ref	*next;
		struct rcu_head	rcu;
	};
};

struct raw_pool *strobe_raw_pool_create(void);
void strobe_raw_pool_close(struct raw_pool *pool);
struct raw_ref *strobe_raw_ref_new(struct raw_pool *pool, struct strobe_ring *ring, int cpu);
bool strobe_raw_ref_get(struct raw_ref *ref);
void strobe_raw_ref_put(struct raw_ref *ref);

#endif /* _STROBE_FS_RAW_REF_H */
