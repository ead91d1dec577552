/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the region of a persistent ring; see region.c.
 *
 *	struct strobe_region
 *	for each CPU number: struct strobe_region_cpu, its slots, their laps
 *	for each CPU number: its sub-buffers, from a page's start on
 *
 * The next kernel uses no pointer that is stored in it.
 */
#ifndef _STROBE_RING_REGION_H
#define _STROBE_RING_REGION_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "ring/ring_types.h"

#define STROBE_REGION_MAGIC	0x6e6972206272746dULL
/* Increment it with any change of the layout of a region or a sub-buffer. */
#define STROBE_REGION_VERSION	2

/**
 * struct strobe_region - header of a region
 * @magic: STROBE_REGION_MAGIC; stored last
 * @version: STROBE_REGION_VERSION
 * @nr_cpus: number of possible CPU numbers
 * @bytes: size of the region
 * @maker: build id, see struct strobe_ring_region
 * @subbuf_bytes: size of a sub-buffer
 * @nr_slots: number of slots of each CPU
 * @slot_bytes: size of a slot's pointer and its lap
 * @cpu_bytes: distance from a CPU's tables to the next one's
 * @text: address of the code of the kernel that began the records
 * @data: address of its data
 * @check: checksum of all of the above
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
 * struct strobe_region_cpu - a CPU's part of a region
 * @committed: the place of strobe_ring_cpu.committed, packed and sealed; 0: there are no
 *	records. The publisher, and a reset
 * @read: index of the first record that was not consumed, sealed; the reader
 * @slots: the CPU's slots, followed by their laps
 */
struct strobe_region_cpu {
	u64			committed;
	u64			read ____cacheline_aligned;
	struct strobe_subbuf	*slots[] ____cacheline_aligned;
};

/* Number of low bits of a sealed word that hold the value; the rest is the seal. */
#define STROBE_REGION_PLACE_BITS	STROBE_WORD_PLACE_BITS
#define STROBE_REGION_INDEX_BITS	48

/* Seal @value, which is less than 2^@bits, by a hash in the upper bits. Never 0. */
static __always_inline u64 strobe_region_seal(u64 value, unsigned int bits)
{
	return value | (value + 1) * 0x9e3779b97f4a7c15ULL >> bits << bits;
}

/* Check the seal of @word, and set @value. Return: false: the seal is not valid. */
static inline bool strobe_region_open(u64 word, unsigned int bits, u64 *value)
{
	*value = word & ((1ULL << bits) - 1);
	return strobe_region_seal(*value, bits) == word;
}

/* Publish the state word @word in the region, before rc->committed is set to it. */
static __always_inline void strobe_region_commit(struct strobe_region_cpu *kept, u64 word)
{
	/* REGION:A: if the next kernel reads this value, it sees all stores before. */
	smp_store_release(&kept->committed, strobe_region_seal(strobe_word_pack(word),
							       STROBE_REGION_PLACE_BITS));
}

u32 strobe_region_slots(size_t bytes, unsigned int order);
void strobe_region_begin(struct strobe_ring *ring, u32 nr_slots);
void strobe_region_end(struct strobe_ring *ring);
struct strobe_subbuf **strobe_region_place(struct strobe_ring_cpu *rc, u32 nr_slots);
void strobe_region_subbufs(const struct strobe_ring_cpu *rc,
			   struct strobe_ring_store *store);
bool strobe_region_restore(struct strobe_ring_cpu *rc);
void strobe_region_close(struct strobe_ring_cpu *rc);
void strobe_region_open_empty(struct strobe_ring_cpu *rc);
void strobe_region_consumed(struct strobe_ring_cpu *rc);

#endif /* _STROBE_RING_REGION_H */
