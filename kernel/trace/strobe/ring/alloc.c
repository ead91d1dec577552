// SPDX-License-Identifier: GPL-2.0
/*
 * Allocate and free rings.
 *
 * A ring has slots and sub-buffers for each possible CPU from the start, so CPU hotplug
 * needs no work: a CPU can write as soon as it runs code, and the records of an offline CPU
 * stay readable.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "ring/clock.h"
#include "ring/internal.h"
#include "ring/region.h"

/* Allocate a sub-buffer, zeroed so that user space sees no old memory. */
struct strobe_subbuf *strobe_subbuf_alloc(int cpu, unsigned int order)
{
	struct page *page;

	page = alloc_pages_node(cpu_to_node(cpu),
				GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN |
				__GFP_COMP | __GFP_ZERO, order);
	return page ? page_address(page) : NULL;
}

/* @subbuf may be NULL. */
void strobe_subbuf_free(struct strobe_subbuf *subbuf, unsigned int order)
{
	free_pages((unsigned long)subbuf, order);
}

/*
 * Is there enough memory for @nr slots? Asking for more would reclaim the memory of all
 * other users first. Call this for one CPU after the other, as each allocation leaves less.
 */
bool strobe_ring_affordable(u32 nr, unsigned int order)
{
	u64 tables = nr * (sizeof(struct strobe_subbuf *) + sizeof(struct strobe_ring_lap) +
			   2 * sizeof(struct strobe_subbuf *));

	return ((u64)nr << order) + (tables >> PAGE_SHIFT) <= si_mem_available();
}

/* Allocate a zeroed table of one entry per slot, without the OOM killer; kvfree() it. */
void *strobe_ring_table(u32 nr, size_t size)
{
	gfp_t gfp = GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;

	/* Contiguous pages come in powers of two, which may waste nearly half. */
	if (nr * size > PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)
		return __vcalloc(nr, size, gfp);
	return kcalloc(nr, size, gfp);
}

/**
 * strobe_subbufs_alloc - allocate several sub-buffers
 * @subbufs: set to the sub-buffers
 * @nr: how many
 * @cpu: allocate near this CPU
 * @order: their order
 *
 * Return: 0; -ENOMEM, with nothing allocated.
 */
int strobe_subbufs_alloc(struct strobe_subbuf **subbufs, u32 nr, int cpu,
			 unsigned int order)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		subbufs[i] = strobe_subbuf_alloc(cpu, order);
		if (!subbufs[i] || fatal_signal_pending(current))
			goto fail;
	}
	return 0;
fail:
	do {
		strobe_subbuf_free(subbufs[i], order);
	} while (i--);
	return -ENOMEM;
}

/* Number of slots for @bytes. Return: 0: more than a ring can have. */
u32 strobe_ring_slots_for(u32 limit, size_t bytes)
{
	size_t nr = DIV_ROUND_UP(bytes, (size_t)limit * STROBE_RECORD_UNIT);

	if (bytes > SIZE_MAX / 2 || nr > STROBE_RING_SLOTS_MAX)
		return 0;
	return max_t(u32, nr, STROBE_RING_SLOTS_MIN);
}

/**
 * strobe_ring_store_alloc - allocate a store without sub-buffers
 * @nr_slots: number of slots
 * @order: order of the sub-buffers
 * @slots: memory for slots and laps; NULL: to be allocated
 *
 * Return: the store; NULL: no memory.
 */
struct strobe_ring_store *strobe_ring_store_alloc(u32 nr_slots, unsigned int order,
						  struct strobe_subbuf **slots)
{
	struct strobe_ring_store *store = kzalloc(sizeof(*store), GFP_KERNEL);

	if (!store)
		return NULL;
	store->shape = strobe_seq_shape(nr_slots);
	store->order = order;
	store->limit = strobe_ring_limit(order);
	store->subbufs = strobe_ring_table(nr_slots + 2, sizeof(*store->subbufs));
	store->slots = slots;
	if (!slots)
		store->slots = strobe_ring_table(nr_slots, sizeof(*store->slots) +
							   sizeof(*store->laps));
	/* The laps follow the slots in one allocation. */
	store->laps = (struct strobe_ring_lap *)(store->slots + nr_slots);
	if (store->subbufs && store->slots)
		return store;
	if (!slots)
		kvfree(store->slots);
	kvfree(store->subbufs);
	kfree(store);
	return NULL;
}

/* Free a store, but not its sub-buffers. @store may be NULL. */
void strobe_ring_store_free_tables(struct strobe_ring_store *store)
{
	if (!store)
		return;
	kvfree(store->subbufs);
	kvfree(store->slots);
	kfree(store);
}

/* Free a store with all its sub-buffers. @store may be NULL. */
void strobe_ring_store_free(struct strobe_ring_store *store)
{
	u32 i;

	for (i = 0; store && i < store->shape.nr_slots + 2; i++)
		strobe_subbuf_free(store->subbufs[i], store->order);
	strobe_ring_store_free_tables(store);
}

/**
 * strobe_ring_store_make - allocate a store with sub-buffers for each slot and the reader
 * @nr_slots: number of slots
 * @order: order of the sub-buffers
 * @cpu: allocate near this CPU
 *
 * Return: the store; NULL: no memory.
 */
struct strobe_ring_store *strobe_ring_store_make(u32 nr_slots, unsigned int order,
						 int cpu)
{
	struct strobe_ring_store *store;

	if (!strobe_ring_affordable(nr_slots, order))
		return NULL;
	store = strobe_ring_store_alloc(nr_slots, order, NULL);
	if (!store)
		return NULL;
	if (!strobe_subbufs_alloc(store->subbufs, nr_slots + 1, cpu, order))
		return store;
	strobe_ring_store_free_tables(store);
	return NULL;
}

/*
 * Set the store of @rc. The writers are stopped and the tables of @store are filled in, or
 * @rc is not in use yet. A store must not be freed before a grace period after the next one
 * was set.
 */
void strobe_ring_set_store(struct strobe_ring_cpu *rc, struct strobe_ring_store *store)
{
	rc->slots = store->slots;
	rc->slot_mask = (1U << store->shape.index_bits) - 1;
	strobe_ring_set_capacity(rc, store->limit);
	/* STORE:A: a reader of this pointer sees the tables. Pairs with its dependency. */
	smp_store_release(&rc->store, store);
}

/*
 * Make the ring empty: the slots get the sub-buffers in order of id, the reader keeps its
 * own, and the next record has @index. See "At the start" in write.c. The counters, and the
 * reader's next and lost, stay.
 */
void strobe_ring_begin_at(struct strobe_ring_cpu *rc, u64 index)
{
	struct strobe_ring_store *store = rc->store;
	struct strobe_subbuf **slots = store->slots, **subbufs = store->subbufs;
	const u32 nr = store->shape.nr_slots, limit = store->limit;
	const u32 last = strobe_seq_back(&store->shape, 0, 1);
	struct strobe_ring_reader *reader = &rc->reader;
	const u32 hand = reader->hand_id, spare = reader->spare_id;
	struct strobe_ring_lap *lap = store->laps;
	u32 id = 0, i;

	for (i = 0; i < nr; i++, lap++) {
		while (id == hand || id == spare)
			id++;
		atomic64_set(&lap->word, strobe_slot_make(false, 0, id, i));
		slots[i] = subbufs[id++];
		lap->first = index;
		lap->count = 0;
		lap->end = limit;
	}
	atomic64_set(&lap[-1].word, strobe_slot_make(true, 0, id - 1, last));
	/* A writer that is held off may load it: strobe_ring_fits(). */
	WRITE_ONCE(rc->word, strobe_word_make(last, 0, limit));
	rc->last_ts = 0;
	rc->last_word = STROBE_WORD_NONE;
	rc->extended = STROBE_WORD_NONE;
	rc->crossed &= ~STROBE_WORK_CROSSED;
	/* As LEAVE:A: if TAKE:A reads this value, it sees the stores above. */
	smp_store_release(&rc->committed, rc->word);

	reader->cursor = (struct strobe_ring_cursor) {
		.seq = last, .off = limit, .first = index,
	};
	reader->hand = (struct strobe_ring_walk) {
		.subbuf = subbufs[hand],
	};
	local_set(&subbufs[hand]->commit, 0);
	reader->hand_left = 0;
	reader->owned = 0;
	reader->peeked = false;
	WRITE_ONCE(rc->in_hand, false);
	strobe_ring_set_place(rc);
}

/* Empty the ring and reset its counters; the next record has the index @origin. */
void strobe_ring_clear(struct strobe_ring_cpu *rc, u64 origin)
{
	struct strobe_ring_reader *reader = &rc->reader;

	if (rc->kept)
		strobe_region_close(rc);
	strobe_ring_begin_at(rc, origin);
	WRITE_ONCE(rc->origin, origin);
	local_set(&rc->overrun, 0);
	local_set(&rc->commit_overrun, 0);
	local_set(&rc->dropped, 0);
	rc->refused_before = atomic64_read(&rc->refused);
	local_set(&rc->discarded, 0);
	reader->next = origin;
	reader->lost = 0;
	reader->read = 0;
	reader->damaged = 0;
	if (rc->kept)
		strobe_region_open_empty(rc);
}

static void strobe_ring_cpu_exit(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_store *store = rc->store;

	if (rc->kept && store) {
		/* Do not free the memory of the region. */
		memset(store->subbufs, 0, store->shape.nr_slots * sizeof(*store->subbufs));
		store->slots = NULL;
	}
	strobe_ring_store_free(store);
	mutex_destroy(&rc->reader.lock);
}

/* Use the region for everything but the reader page. */
static int strobe_ring_cpu_init_kept(struct strobe_ring_cpu *rc, u32 nr_slots)
{
	struct strobe_ring_store *store;

	store = strobe_ring_store_alloc(nr_slots, rc->ring->order,
					strobe_region_place(rc, nr_slots));
	if (!store)
		return -ENOMEM;
	strobe_region_subbufs(rc, store);
	strobe_ring_set_store(rc, store);
	store->subbufs[nr_slots] = strobe_subbuf_alloc(rc->cpu, store->order);
	if (!store->subbufs[nr_slots])
		return -ENOMEM;
	rc->reader.hand_id = nr_slots;
	if (!rc->ring->past.found || !strobe_region_restore(rc))
		strobe_ring_clear(rc, 0);
	return 0;
}

static int strobe_ring_cpu_init(struct strobe_ring *ring, int cpu, u32 nr_slots)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_store *store;

	if (ring->region.start)
		return strobe_ring_cpu_init_kept(rc, nr_slots);
	store = strobe_ring_store_make(nr_slots, ring->order, cpu);
	if (!store)
		return -ENOMEM;
	strobe_ring_set_store(rc, store);
	rc->reader.hand_id = nr_slots;
	strobe_ring_clear(rc, 0);
	return 0;
}

/* The part that cannot fail, so that strobe_ring_cpu_exit() may be called afterwards. */
static void strobe_ring_cpu_prepare(struct strobe_ring *ring, int cpu,
				    const struct strobe_ring_params *params)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

	rc->ring = ring;
	rc->cpu = cpu;
	rc->depth = -1;
	rc->clock_seq = STROBE_CLOCK_UNKNOWN;
	rc->clock_next = STROBE_CLOCK_UNKNOWN;
	rc->reader.spare_id = STROBE_NO_SUBBUF;
	rc->reader.user_id = STROBE_NO_SUBBUF;
	strobe_ring_cpu_clock(rc, params->clock);
	mutex_init(&rc->reader.lock);
}

static void strobe_ring_free(struct strobe_ring *ring)
{
	free_percpu(ring->percpu);
	kvfree(ring->seats);
	mutex_destroy(&ring->shape_lock);
	kfree(ring);
}

/**
 * strobe_ring_create - allocate a ring
 * @params: its parameters
 *
 * Recording is on. A persistent ring has the records of the previous boot, if they are
 * valid; see region.c.
 *
 * Context: Task context, may sleep; in early boot once percpu memory can be allocated.
 * Return: the ring; ERR_PTR(-ENOMEM): no memory, a region too small for two sub-buffers of
 * each CPU, or more sub-buffers than the state word can count; ERR_PTR(-EINVAL): invalid
 * sub-buffer order.
 */
struct strobe_ring *strobe_ring_create(const struct strobe_ring_params *params)
{
	struct strobe_ring *ring;
	int cpu, err = -ENOMEM;
	u32 nr_slots;

	if (!strobe_ring_order_valid(params->subbuf_order))
		return ERR_PTR(-EINVAL);
	if (params->region.start)
		nr_slots = strobe_region_slots(params->region.bytes, params->subbuf_order);
	else
		nr_slots = strobe_ring_slots_for(strobe_ring_limit(params->subbuf_order),
						 params->bytes);
	if (!nr_slots)
		return ERR_PTR(-ENOMEM);

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->order = params->subbuf_order;
	ring->overwrite = params->overwrite;
	ring->on = true;
	ring->region = params->region;
	mutex_init(&ring->shape_lock);
	ring->seats = kvcalloc(nr_cpu_ids, sizeof(*ring->seats), GFP_KERNEL);
	ring->percpu = alloc_percpu(struct strobe_ring_cpu);
	if (!ring->seats || !ring->percpu)
		goto free_ring;

	for_each_possible_cpu(cpu)
		strobe_ring_cpu_prepare(ring, cpu, params);
	strobe_ring_wait_init(ring);
	if (ring->region.start) {
		/* A persistent ring is never swapped. */
		atomic_set(&ring->pins, 1);
		strobe_region_begin(ring, nr_slots);
	}
	for_each_possible_cpu(cpu) {
		err = strobe_ring_cpu_init(ring, cpu, nr_slots);
		if (err)
			goto free_cpus;
	}
	if (ring->region.start)
		strobe_region_end(ring);
	return ring;
free_cpus:
	for_each_possible_cpu(cpu)
		strobe_ring_cpu_exit(strobe_ring_of(ring, cpu));
free_ring:
	strobe_ring_free(ring);
	return ERR_PTR(err);
}

/**
 * strobe_ring_destroy - free a ring
 * @ring: the ring; may be NULL. It has no writer, reader or waiter any more, and the
 *	caller has waited for a grace period after a writer could last find it.
 *
 * Context: Task context, may sleep.
 */
void strobe_ring_destroy(struct strobe_ring *ring)
{
	int cpu;

	if (!ring)
		return;
	strobe_ring_wait_exit(ring);
	for_each_possible_cpu(cpu)
		strobe_ring_cpu_exit(strobe_ring_of(ring, cpu));
	strobe_ring_free(ring);
}
