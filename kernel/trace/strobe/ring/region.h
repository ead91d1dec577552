/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of a ring in memory that outlives the kernel; see region.c.
 *
 *	struct strobe_region
 *	for each CPU number: struct strobe_region_cpu, its slots, their laps
 *	for each CPU number: its sub-buffers, from a page's start on
 *
 * Nothing in it is an address that anyone believes.
 */
#ifndef _STROBE_RING_REGION_H
#define _STROBE_RING_REGION_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "ring/ring_types.h"

#define STROBE_REGION_MAGIC	0x6e6972206272746dULL
/* To go up with any change of what a region or a sub-buffer looks like. */
#define STROBE_REGION_VERSION	1

/**
 * struct strobe_region - what the whole region is
 * @magic: STROBE_REGION_MAGIC; stored last
 * @version: STROBE_REGION_VERSION
 * @nr_cpus: CPU numbers that there may be
 * @bytes: size of the region
 * @maker: see struct strobe_ring_region
 * @subbuf_bytes: size of a sub-buffer
 * @nr_slots: sub-buffers of each CPU
 * @slot_bytes: of a slot and its lap
 * @cpu_bytes: from a CPU's tables to the next one's
 * @text, @data: where the kernel lay that has begun the records
 * @check: of all the above
 */
struct strobe_region {
	u64	magic;
	u32	version;
	u32	nr_cpus;
	u64	bytes;
	u64	maker;
	u32	subbuf_bytes;
	u32	nr_slots;
	u32	slot_bytes;
	u32	cpu_bytes;
	u64	text;
	u64	data;
	u64	check;
};

static_assert(sizeof(struct strobe_region) == 9 * sizeof(u64));

/**
 * struct strobe_region_cpu - how far a CPU's records go
 * @committed: the place of strobe_ring_cpu.committed, sealed; 0: there are none.
 *	The publisher, and who empties the ring
 * @read: index of the first record that was not consumed, sealed; the reader
 * @slots: the CPU's slots, and behind them their laps
 */
struct strobe_region_cpu {
	u64			committed;
	u64			read ____cacheline_aligned;
	struct strobe_ring_slot	slots[] ____cacheline_aligned;
};

/* What is left of each word for a value, and above it for the seal. */
#define STROBE_REGION_PLACE_BITS	STROBE_WORD_TIME_SHIFT
#define STROBE_REGION_INDEX_BITS	48

/* @value, less than 2^@bits, with what tells that it is one. Never 0. */
static __always_inline u64 strobe_region_seal(u64 value, unsigned int bits)
{
	return value | (value + 1) * 0x9e3779b97f4a7c15ULL >> bits << bits;
}

/* Return: false: @word is none of strobe_region_seal(). */
static inline bool strobe_region_open(u64 word, unsigned int bits, u64 *value)
{
	*value = word & ((1ULL << bits) - 1);
	return strobe_region_seal(*value, bits) == word;
}

/* What lies before @word is written, and nothing of it is claimed before this. */
static __always_inline void strobe_region_commit(struct strobe_region_cpu *kept, u64 word)
{
	/* REGION:A pairs with who looks at the region after the crash */
	smp_store_release(&kept->committed, strobe_region_seal(strobe_word_place(word),
							       STROBE_REGION_PLACE_BITS));
}

u32 strobe_region_slots(size_t bytes, unsigned int order);
void strobe_region_begin(struct strobe_ring *ring, u32 nr_slots);
void strobe_region_end(struct strobe_ring *ring);
struct strobe_ring_slot *strobe_region_place(struct strobe_ring_cpu *rc, u32 nr_slots);
void strobe_region_subbufs(const struct strobe_ring_cpu *rc,
			   struct strobe_ring_store *store);
bool strobe_region_restore(struct strobe_ring_cpu *rc);
void strobe_region_close(struct strobe_ring_cpu *rc);
void strobe_region_open_empty(struct strobe_ring_cpu *rc);
void strobe_region_consumed(struct strobe_ring_cpu *rc);

#endif /* _STROBE_RING_REGION_H */
