// SPDX-License-Identifier: GPL-2.0
/*
 * The ring's sub-buffers in pipes, and those that have come back from there.
 *
 * For each full sub-buffer that goes into a pipe the ring wants another one, which
 * has to be cleared first: more work than all the rest. So each open trace_pipe_raw
 * keeps some that pipes were done with, and hands them to the ring again: all that
 * they can show is what was read from this file.
 *
 * States of a raw_ref: with its user (count > 0), which is who fills it, then pipe
 * buffers; in the pool (count 0); freed. It goes to the pool if nobody else has a
 * reference to its memory - somebody may have got it out of the pipe and be sending
 * it - and if the file is still open.
 *
 * The pool itself stays until the file is closed and the last raw_ref is freed.
 *
 * Contexts: task. Lock: raw_pool::lock, innermost.
 */
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "fs/raw_ref.h"

/* As many as a pipe has room for. */
#define RAW_POOL_MAX	PIPE_DEF_BUFFERS

/**
 * struct raw_pool - pages that one open file can use again
 * @refs: the open file, and each raw_ref
 * @lock: the rest
 * @spare: the pages
 * @nr: how many
 * @closed: the file is closed: no more
 */
struct raw_pool {
	refcount_t	refs;
	spinlock_t	lock;		/* @spare, @nr and @closed */
	struct raw_ref	*spare;
	unsigned int	nr;
	bool		closed;
};

/**
 * raw_pool_create - a pool, for an open file
 *
 * Context: task, may sleep.
 * Return: the pool, or NULL if there is no memory.
 */
struct raw_pool *raw_pool_create(void)
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

static void raw_ref_free(struct raw_ref *ref)
{
	struct raw_pool *pool = ref->pool;

	strobe_ring_page_free(&ref->page);
	kfree(ref);
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
 * raw_pool_close - the file is closed; what is in pipes stays there
 * @pool: from raw_pool_create()
 *
 * Context: task.
 */
void raw_pool_close(struct raw_pool *pool)
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
 * raw_ref_new - a page to be filled, with one reference
 * @pool: the file's
 * @ring: the ring that is to fill it, with sub-buffers of this size
 * @cpu: and for which CPU
 *
 * Context: task, may sleep.
 * Return: the page, or NULL if there is no memory.
 */
struct raw_ref *raw_ref_new(struct raw_pool *pool, struct strobe_ring *ring, int cpu)
{
	struct raw_ref *ref;

	/* Those of another size are from before it was changed. */
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
 * raw_ref_get - one more pipe buffer shows the page
 * @ref: the page, of which the caller has a reference
 *
 * Context: any.
 * Return: false: there are too many.
 */
bool raw_ref_get(struct raw_ref *ref)
{
	/* tee() can be called any number of times. */
	if (refcount_read(&ref->count) > INT_MAX / 2)
		return false;
	refcount_inc(&ref->count);
	return true;
}

/**
 * raw_ref_put - one pipe buffer less shows the page
 * @ref: the page
 *
 * Context: task.
 */
void raw_ref_put(struct raw_ref *ref)
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
