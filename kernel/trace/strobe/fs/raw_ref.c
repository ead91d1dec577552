// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-buffers of the ring in pipes, and a pool to reuse them.
 *
 * A full sub-buffer that goes into a pipe is exchanged for another page, which must be
 * cleared unless it held only data that this reader may see. Clearing costs more than
 * all the rest. So each open trace_pipe_raw keeps some pages that pipes have released,
 * and gives them to the ring again: they can only contain what was read from this file.
 *
 * States of a raw_ref: in use (count > 0), first by the task that fills it, then by pipe
 * buffers; in the pool (count 0); freed. It goes to the pool if the file is still open
 * and its memory has no other reference. (It has one if, for example, the page was
 * spliced from the pipe to a socket that is still sending it.) A raw_ref is freed after a
 * grace period, for its page: see strobe_ring_page_free().
 *
 * The pool itself is freed when the file is closed and the last raw_ref is freed.
 *
 * Contexts: task. Lock: raw_pool::lock, innermost.
 */
#include <kunit/static_stub.h>

#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "fs/raw_ref.h"

/* As many as fit into a pipe by default. */
#define RAW_POOL_MAX	PIPE_DEF_BUFFERS

/**
 * struct raw_pool - pages that one open file can reuse
 * @refs: one reference of the open file, and one of each raw_ref
 * @lock: protects the following members
 * @spare: list of the pages
 * @nr: number of pages in the list
 * @closed: the file is closed: free pages instead of adding them
 */
struct raw_pool {
	refcount_t	refs;
	spinlock_t	lock;		/* @spare, @nr and @closed */
	struct raw_ref	*spare;
	unsigned int	nr;
	bool		closed;
};

/**
 * strobe_raw_pool_create - allocate the pool of an open file
 *
 * Context: task, may sleep.
 * Return: the pool, or NULL if there is no memory.
 */
struct raw_pool *strobe_raw_pool_create(void)
{
	struct raw_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;
	refcount_set(&pool->refs, 1);
	spin_lock_init(&pool->lock);
	return pool;
}

static void raw_pool_put(struct raw_pool *pool)
{
	if (refcount_dec_and_test(&pool->refs))
		kfree(pool);
}

static void raw_ref_free_rcu(struct rcu_head *rcu)
{
	struct raw_ref *ref = container_of(rcu, struct raw_ref, rcu);

	strobe_ring_page_free(&ref->page);
	kfree(ref);
}

/* A dump may still read the page. */
static void raw_ref_free(struct raw_ref *ref)
{
	struct raw_pool *pool = ref->pool;

	call_rcu_hurry(&ref->rcu, raw_ref_free_rcu);
	raw_pool_put(pool);
}

static struct raw_ref *raw_pool_take(struct raw_pool *pool)
{
	struct raw_ref *ref;

	spin_lock(&pool->lock);
	ref = pool->spare;
	if (ref) {
		pool->spare = ref->next;
		pool->nr--;
	}
	spin_unlock(&pool->lock);
	return ref;
}

/**
 * strobe_raw_pool_close - free a pool when its file is closed
 * @pool: from strobe_raw_pool_create()
 *
 * Pages in pipes remain valid; the last one to be released frees the pool.
 *
 * Context: task.
 */
void strobe_raw_pool_close(struct raw_pool *pool)
{
	struct raw_ref *ref;

	spin_lock(&pool->lock);
	pool->closed = true;
	spin_unlock(&pool->lock);
	while ((ref = raw_pool_take(pool)))
		raw_ref_free(ref);
	raw_pool_put(pool);
}

/**
 * strobe_raw_ref_new - get a page to be filled, from the pool or a new one
 * @pool: pool of the open file
 * @ring: the ring to read from
 * @cpu: the CPU to read from
 *
 * Context: task, may sleep.
 * Return: the page, with one reference; or NULL if there is no memory.
 */
struct raw_ref *strobe_raw_ref_new(struct raw_pool *pool, struct strobe_ring *ring, int cpu)
{
	struct raw_ref *ref;

	KUNIT_STATIC_STUB_REDIRECT(strobe_raw_ref_new, pool, ring, cpu);

	/* Free pages of another size: the size of sub-buffers was changed. */
	while ((ref = raw_pool_take(pool))) {
		if (strobe_ring_page_bytes(&ref->page) == strobe_ring_subbuf_bytes(ring))
			goto found;
		raw_ref_free(ref);
	}
	ref = kzalloc(sizeof(*ref), GFP_KERNEL);
	if (!ref)
		return NULL;
	ref->pool = pool;
	refcount_inc(&pool->refs);
	if (strobe_ring_page_alloc(ring, cpu, &ref->page)) {
		raw_ref_free(ref);
		return NULL;
	}
found:
	refcount_set(&ref->count, 1);
	return ref;
}

/**
 * strobe_raw_ref_get - get a reference for one more pipe buffer
 * @ref: the page; the caller has a reference
 *
 * Context: any.
 * Return: false if there are too many references.
 */
bool strobe_raw_ref_get(struct raw_ref *ref)
{
	/* User space can call tee() any number of times. */
	if (refcount_read(&ref->count) > INT_MAX / 2)
		return false;
	refcount_inc(&ref->count);
	return true;
}

/**
 * strobe_raw_ref_put - drop a reference; the last one returns the page to the pool or frees it
 * @ref: the page
 *
 * Context: task.
 */
void strobe_raw_ref_put(struct raw_ref *ref)
{
	struct raw_pool *pool = ref->pool;
	bool keep;

	if (!refcount_dec_and_test(&ref->count))
		return;
	spin_lock(&pool->lock);
	keep = !pool->closed && pool->nr < RAW_POOL_MAX &&
	       page_ref_count(virt_to_page(ref->page.data)) == 1;
	if (keep) {
		ref->next = pool->spare;
		pool->spare = ref;
		pool->nr++;
	}
	spin_unlock(&pool->lock);
	if (!keep)
		raw_ref_free(ref);
}
