// SPDX-License-Identifier: GPL-2.0
/*
 * Map a CPU's ring to user space, as include/uapi/linux/trace_mmap.h defines it: a meta
 * page, then all sub-buffers. User space reads the sub-buffer that the meta page names as
 * the reader's, and asks for the next one.
 *
 * The sub-buffers of a mapped ring are fixed: no resize, no change of the order, no swap,
 * and readers of whole sub-buffers (raw.c) get copies. Sub-buffers still move between slots
 * and reader page. The place of a sub-buffer in the mapping follows from its id.
 *
 *	place	0		1		2 ...
 *		the spare	the reader page	those of the slots, in order of their ids
 *		when it was mapped
 *
 * User space recognises a new sub-buffer by its place, and reads it from the start. So the
 * reader owns two sub-buffers while the ring is mapped, the reader page and the spare:
 *
 *	the one that is user_id		published last, user space may be reading it:
 *					it stays as it is, and has no unread records
 *	the other one			filled from the ring, by copying or in exchange
 *					for a full one, for the next reader of any kind
 *
 * At first, the spare is published, and empty. The reader page stays, as another reader may be
 * looking at a record in it. If the other one has unread records when user space asks for new
 * ones, it is published, and becomes user_id. User space must not see records that another
 * reader has consumed, so the unread ones are moved to the start first. The first mapping
 * allocates the spare, which stays until the next resize.
 *
 * Locks: the mapping is set up and removed under shape_lock and reader.lock; either lock
 * keeps it. mmap_lock may be held around both.
 * Context: task context.
 */
#include <linux/cleanup.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/trace_mmap.h>

#include "ring/internal.h"
#include "ring/walk.h"

/**
 * struct strobe_ring_mapping - mapping of a CPU's ring
 * @meta: the meta page
 * @users: number of mappings
 * @nr: number of sub-buffers, nr_slots + 2
 * @lost: records missing before those in the published sub-buffer
 * @at: @subbuf: sub-buffer by place; @place: place by id
 */
struct strobe_ring_mapping {
	struct trace_buffer_meta	*meta;
	unsigned int			users;
	u32				nr;
	unsigned long			lost;
	struct {
		struct strobe_subbuf	*subbuf;
		u32			place;
	} at[];
};

static void strobe_ring_place(struct strobe_ring_cpu *rc,
			      struct strobe_ring_mapping *map, u32 id, u32 place)
{
	map->at[place].subbuf = rc->store->subbufs[id];
	map->at[id].place = place;
}

/* Update the meta page. reader.lock is held. */
static void strobe_ring_map_update(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_mapping *map = reader->mapping;
	struct trace_buffer_meta *meta;

	lockdep_assert_held(&reader->lock);
	if (!map)
		return;
	meta = map->meta;
	meta->reader.id = map->at[reader->user_id].place;
	/* Else the published sub-buffer is not the reader page, and is unchanged. */
	if (reader->hand_id == reader->user_id) {
		meta->reader.read = reader->hand.end * STROBE_RECORD_UNIT;
		meta->reader.lost_events = reader->hand.end ? map->lost : 0;
	}
	meta->entries = strobe_ring_newest(rc) - rc->origin;
	meta->overrun = strobe_ring_overrun(rc);
	meta->read = reader->read;
	flush_kernel_vmap_range(meta, PAGE_SIZE);
}

/* If the ring is mapped, publish an empty sub-buffer. reader.lock is held. */
void strobe_ring_map_empty(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct trace_buffer_meta *meta;
	struct strobe_subbuf *subbuf;

	lockdep_assert_held(&reader->lock);
	if (!reader->mapping)
		return;
	subbuf = rc->store->subbufs[reader->user_id];
	local_set(&subbuf->commit, 0);
	flush_kernel_vmap_range(subbuf, PAGE_SIZE << rc->store->order);
	meta = reader->mapping->meta;
	meta->reader.read = 0;
	meta->reader.lost_events = 0;
	strobe_ring_map_update(rc);
}

static struct strobe_ring_mapping *strobe_ring_map_alloc(struct strobe_ring_cpu *rc)
{
	u32 nr = rc->store->shape.nr_slots + 2;
	struct strobe_ring_mapping *map;

	map = kvzalloc(struct_size(map, at, nr), GFP_KERNEL);
	if (!map)
		return NULL;
	map->nr = nr;
	map->meta = (void *)get_zeroed_page(GFP_KERNEL);
	if (map->meta)
		return map;
	kvfree(map);
	return NULL;
}

static void strobe_ring_map_free(struct strobe_ring_mapping *map)
{
	free_page((unsigned long)map->meta);
	kvfree(map);
}

/* Allocate the spare sub-buffer if there is none. shape_lock is held. */
static int strobe_ring_have_spare(struct strobe_ring_cpu *rc)
{
	u32 id = rc->store->shape.nr_slots + 1;
	struct strobe_subbuf *subbuf;

	if (rc->reader.spare_id != STROBE_NO_SUBBUF)
		return 0;
	subbuf = strobe_subbuf_alloc(rc->cpu, rc->store->order);
	if (!subbuf)
		return -ENOMEM;
	mutex_lock(&rc->reader.lock);
	rc->store->subbufs[id] = subbuf;
	rc->reader.spare_id = id;
	mutex_unlock(&rc->reader.lock);
	return 0;
}

/* Set up the first mapping of a ring, @map. */
static void strobe_ring_map_begin(struct strobe_ring_cpu *rc,
				  struct strobe_ring_mapping *map)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct trace_buffer_meta *meta = map->meta;
	u32 id, place = 2;

	mutex_lock(&reader->lock);
	strobe_ring_place(rc, map, reader->spare_id, 0);
	strobe_ring_place(rc, map, reader->hand_id, 1);
	for (id = 0; id < map->nr; id++) {
		if (id != reader->hand_id && id != reader->spare_id)
			strobe_ring_place(rc, map, id, place++);
	}
	meta->meta_struct_len = sizeof(*meta);
	meta->nr_subbufs = map->nr;
	meta->subbuf_size = PAGE_SIZE << rc->store->order;
	meta->meta_page_size = meta->subbuf_size;
	map->users = 1;
	reader->mapping = map;
	reader->user_id = reader->spare_id;
	strobe_ring_map_empty(rc);
	mutex_unlock(&reader->lock);
}

static int strobe_ring_map_first(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_mapping *map;

	if (strobe_ring_have_spare(rc))
		return -ENOMEM;
	map = strobe_ring_map_alloc(rc);
	if (!map)
		return -ENOMEM;
	strobe_ring_map_begin(rc, map);
	return 0;
}

/**
 * strobe_ring_map - prepare a CPU's ring for a mapping to user space
 * @ring: the ring
 * @cpu: which CPU's
 *
 * Undone by strobe_ring_unmap(). Until then the ring can be neither resized nor swapped.
 *
 * Context: Task context, may sleep. Takes shape_lock, and in it reader.lock.
 * Return: 0; -ENOMEM; -EBUSY: too many mappings; -ENODEV: the ring is persistent.
 */
int strobe_ring_map(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_mapping *map;
	int err;

	if (ring->region.start)
		return -ENODEV;
	guard(mutex)(&ring->shape_lock);
	map = strobe_ring_of(ring, cpu)->reader.mapping;
	if (map) {
		if (map->users == UINT_MAX)
			return -EBUSY;
		map->users++;
		return 0;
	}
	/* Until it is unmapped. */
	strobe_ring_hold(ring);
	err = strobe_ring_map_first(strobe_ring_of(ring, cpu));
	if (err)
		strobe_ring_release(ring);
	return err;
}

/**
 * strobe_ring_unmap - undo strobe_ring_map()
 * @ring: the ring
 * @cpu: which CPU's
 *
 * Context: Task context, may sleep. Takes shape_lock, and in it reader.lock.
 */
void strobe_ring_unmap(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_reader *reader = &strobe_ring_of(ring, cpu)->reader;
	struct strobe_ring_mapping *map;

	guard(mutex)(&ring->shape_lock);
	map = reader->mapping;
	if (WARN_ON_ONCE(!map) || --map->users)
		return;
	mutex_lock(&reader->lock);
	reader->mapping = NULL;
	reader->user_id = STROBE_NO_SUBBUF;
	mutex_unlock(&reader->lock);
	strobe_ring_map_free(map);
	strobe_ring_release(ring);
}

/**
 * strobe_ring_map_pages - number of pages of a mapping
 * @ring: the ring, mapped
 * @cpu: which CPU's
 *
 * Context: Any, while the caller's mapping exists.
 * Return: number of pages, including those of the meta page.
 */
unsigned long strobe_ring_map_pages(struct strobe_ring *ring, int cpu)
{
	const struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

	return (rc->reader.mapping->nr + 1UL) << rc->store->order;
}

/**
 * strobe_ring_map_page - find a page of a mapping
 * @ring: the ring, mapped
 * @cpu: which CPU's
 * @nr: its number, less than strobe_ring_map_pages()
 *
 * Context: Any, while the caller's mapping exists.
 * Return: its address; NULL: an empty page after the meta page, which takes as many pages
 * as a sub-buffer.
 */
void *strobe_ring_map_page(struct strobe_ring *ring, int cpu, unsigned long nr)
{
	const struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	const struct strobe_ring_mapping *map = rc->reader.mapping;
	unsigned long place = nr >> rc->store->order;

	if (!nr)
		return map->meta;
	if (!place)
		return NULL;
	nr &= (1UL << rc->store->order) - 1;
	return (void *)map->at[place - 1].subbuf + nr * PAGE_SIZE;
}

/* Publish the reader page to user space: complete it, and count its records as read. */
static void strobe_ring_map_give(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_reader *reader = &rc->reader;
	struct strobe_ring_walk rest;
	struct strobe_subbuf *subbuf;

	subbuf = rc->store->subbufs[reader->hand_id];
	/* User space reads the sub-buffer from the start. */
	if (reader->hand.pos) {
		strobe_ring_dump_forget(rc, subbuf);
		strobe_ring_copy(&reader->hand, subbuf, &reader->hand);
	}
	rest = reader->hand;
	reader->user_id = reader->hand_id;
	reader->mapping->lost = reader->lost;
	strobe_subbuf_finish(subbuf, rc->store->order, rest.end * STROBE_RECORD_UNIT,
			     reader->lost);
	rest.pos = rest.end;
	strobe_ring_gave(rc, reader->hand_left, rest);
	flush_kernel_vmap_range(subbuf, PAGE_SIZE << rc->store->order);
}

/**
 * strobe_ring_map_get_reader - publish new records to user space
 * @ring: the ring
 * @cpu: which CPU's
 *
 * The records in the reader's sub-buffer afterwards count as read. Nothing changes if there
 * are no new ones.
 *
 * Context: Task context, may sleep. Takes reader.lock.
 * Return: 0; -ENODEV: the ring is not mapped.
 */
int strobe_ring_map_get_reader(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_record record;
	struct strobe_ring_walk after;
	int ret = -ENODEV;

	mutex_lock(&rc->reader.lock);
	if (rc->reader.mapping) {
		if (strobe_ring_look_up(rc, false, &after, &record))
			strobe_ring_map_give(rc);
		strobe_ring_map_update(rc);
		ret = 0;
	}
	mutex_unlock(&rc->reader.lock);
	return ret;
}
