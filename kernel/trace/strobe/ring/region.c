// SPDX-License-Identifier: GPL-2.0
/*
 * Rings in memory that outlives the kernel: what was recorded before a crash is
 * read after it, by the kernel that finds the region where the last one left it.
 *
 * What lies there
 * ---------------
 * Each CPU's slots, laps and sub-buffers, the very ones that its writers use; and
 * a copy of rc->committed, and how far the reader has come. The rest of a CPU's
 * ring is made anew from these. A header says who has made the region, and how.
 *
 * A slot keeps its sub-buffer for good, id and index are the same. The reader has a
 * hand of ordinary memory, to which it copies (read.c); so no page of the region
 * ever leaves it. Records in the hand are unread for the writers until the reader owns
 * them, so that those in the hand at the crash are still in the ring, or are counted
 * as overwritten.
 *
 * What it costs
 * -------------
 * The copy of rc->committed has to be exact: a crash is what the newest records are
 * wanted for, and the commit field of a sub-buffer, written when it is left, would
 * not tell of them. It is stored by the outermost writer's slow path, which such a
 * ring takes at each commit, as a bit of rc->work is set for good
 * (STROBE_WORK_KEPT). A ring in ordinary memory has no instruction more for it.
 *
 * What a crash may cut
 * --------------------
 * All that is believed is older than the copy, kept->committed, by program order:
 *
 *	1  records, headers, ends, time stamps	their writers
 *	2  lap->first				the publisher
 *	3  kept->committed			the publisher (REGION:A)
 *	4  rc->committed			the publisher (LEAVE:A)
 *
 * 3 comes before 4: what is claimed again is decided by rc->committed, so that
 * nothing from the copy's sequence on, as old as the copy may be, is claimed.
 * Behind the copy there may be anything: records without an end, slots claimed and
 * not entered, ends that are not written. None of it is looked at; a slot that was
 * claimed says so, in the word that the claim has changed before it wrote anything
 * else (CLAIM:A). So the words must be this, from the oldest to the newest:
 *
 *	gone	any number: not held; or claimed, one lap later than is looked for
 *	held	at least one: the sequence looked for, up to the copy's
 *
 * In each one held the records must fill what it says, and their number must be the
 * distance of its first one's index from the next one's. Else all of that CPU's is
 * refused, as it is if one of the two words that change has no seal: a hash of the
 * value, in the same word, since two words are not written at once.
 *
 * Emptying a ring takes kept->committed away first, and puts it back last; a header
 * loses its magic first, and gets it last. A crash in between leaves an empty ring.
 *
 * Afterwards
 * ----------
 * The rest of the newest sub-buffer becomes padding, and the state word is at its
 * end, without a time: the next record begins a sub-buffer with its own clock's.
 * Records keep their index. What was consumed is marked so again.
 *
 * The order is the CPU's: it is kept if what all of it has written is in memory, as
 * it is when a machine is reset that does not take its caches' content away.
 *
 * Context: task, boot; but for strobe_region_commit(), which is the writer's, and
 * strobe_region_consumed(), with reader.lock held.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"

#define SLOT_BYTES	(sizeof(struct strobe_ring_slot) + sizeof(struct strobe_ring_lap))

/* Bytes of a CPU's tables, and of all that comes before the sub-buffers. */
static size_t strobe_region_cpu_bytes(u32 nr_slots)
{
	return ALIGN(sizeof(struct strobe_region_cpu) + nr_slots * SLOT_BYTES,
		     SMP_CACHE_BYTES);
}

static size_t strobe_region_tables(u32 nr_slots)
{
	return ALIGN(ALIGN(sizeof(struct strobe_region), SMP_CACHE_BYTES) +
		     nr_cpu_ids * strobe_region_cpu_bytes(nr_slots), PAGE_SIZE);
}

/**
 * strobe_region_slots - how many slots each CPU gets
 * @bytes: size of the region
 * @order: of the sub-buffers
 *
 * Return: 0: it is too small.
 */
u32 strobe_region_slots(size_t bytes, unsigned int order)
{
	size_t nr = bytes / nr_cpu_ids / ((PAGE_SIZE << order) + SLOT_BYTES);

	nr = min_t(size_t, nr, STROBE_RING_SLOTS_MAX);
	while (nr >= STROBE_RING_SLOTS_MIN &&
	       strobe_region_tables(nr) + nr * nr_cpu_ids * (PAGE_SIZE << order) > bytes)
		nr--;
	return nr >= STROBE_RING_SLOTS_MIN ? nr : 0;
}

/* The header. */

static u64 strobe_region_check(const struct strobe_region *header)
{
	const u64 *word = (const void *)header;
	u64 sum = 0;

	while (word < &header->check) {
		sum = (sum ^ *word++) * 0x9e3779b97f4a7c15ULL;
		sum ^= sum >> 29;
	}
	return sum;
}

/* What a region of this ring says of itself, made by this kernel. */
static void strobe_region_describe(struct strobe_region *header,
				   const struct strobe_ring *ring, u32 nr_slots)
{
	*header = (struct strobe_region) {
		.magic		= STROBE_REGION_MAGIC,
		.version	= STROBE_REGION_VERSION,
		.nr_cpus	= nr_cpu_ids,
		.bytes		= ring->region.bytes,
		.maker		= ring->region.maker,
		.subbuf_bytes	= PAGE_SIZE << ring->order,
		.nr_slots	= nr_slots,
		.slot_bytes	= SLOT_BYTES,
		.cpu_bytes	= strobe_region_cpu_bytes(nr_slots),
		.text		= ring->region.text,
		.data		= ring->region.data,
	};
	header->check = strobe_region_check(header);
}

/* Why @found is not what @want would have become; NULL: it is. */
static const char *strobe_region_differs(const struct strobe_region *found,
					 const struct strobe_region *want)
{
	if (found->magic != want->magic)
		return "there was none";
	if (found->version != want->version || found->slot_bytes != want->slot_bytes)
		return "another layout";
	if (found->check != strobe_region_check(found))
		return "a damaged header";
	if (found->maker != want->maker)
		return "another kernel's";
	if (found->nr_cpus != want->nr_cpus)
		return "another number of CPUs";
	if (found->subbuf_bytes != want->subbuf_bytes)
		return "another size of sub-buffers";
	if (found->bytes != want->bytes || found->nr_slots != want->nr_slots ||
	    found->cpu_bytes != want->cpu_bytes)
		return "another size";
	return NULL;
}

/* The magic is there only while the rest is. */
static void strobe_region_write_header(struct strobe_ring *ring, u32 nr_slots)
{
	struct strobe_region *header = ring->region.start;
	struct strobe_region want;

	strobe_region_describe(&want, ring, nr_slots);
	WRITE_ONCE(header->magic, 0);
	/* As in strobe_region_close(). */
	smp_wmb();
	want.magic = 0;
	*header = want;
	/* As REGION:A: what it speaks of was written before. */
	smp_store_release(&header->magic, STROBE_REGION_MAGIC);
}

/**
 * strobe_region_begin - look at the header that an earlier kernel has left
 * @ring: the ring, with its region; no CPU's part of it is made yet
 * @nr_slots: of each CPU
 *
 * If there is one that fits, @ring->past says so. Else whatever is there is no
 * region any more.
 */
void strobe_region_begin(struct strobe_ring *ring, u32 nr_slots)
{
	struct strobe_region *header = ring->region.start;
	struct strobe_region want;
	const char *why;

	strobe_region_describe(&want, ring, nr_slots);
	why = strobe_region_differs(header, &want);
	if (why) {
		if (ring->region.name)
			pr_info("Tracing: %s has no records of an earlier boot: %s\n",
				ring->region.name, why);
		WRITE_ONCE(header->magic, 0);
		return;
	}
	ring->past.text_delta = ring->region.text - (unsigned long)header->text;
	ring->past.data_delta = ring->region.data - (unsigned long)header->data;
	ring->past.found = true;
}

/**
 * strobe_region_end - all CPUs' parts of the ring are made, or emptied
 * @ring: the ring
 *
 * If none has records of an earlier boot, what comes is this kernel's.
 */
void strobe_region_end(struct strobe_ring *ring)
{
	bool found = false;
	u32 nr_slots = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

		found |= strobe_ring_next_index(rc) != rc->origin;
		nr_slots = rc->store->shape.nr_slots;
	}
	if (ring->past.found && found)
		return;
	ring->past = (struct strobe_ring_past) {};
	strobe_region_write_header(ring, nr_slots);
}

/* One CPU's part. */

/**
 * strobe_region_place - let a CPU's ring be in the region
 * @rc: the CPU's ring
 * @nr_slots: number of its slots
 *
 * Return: where its slots and laps lie.
 */
struct strobe_ring_slot *strobe_region_place(struct strobe_ring_cpu *rc, u32 nr_slots)
{
	rc->kept = rc->ring->region.start +
		   ALIGN(sizeof(struct strobe_region), SMP_CACHE_BYTES) +
		   rc->cpu * strobe_region_cpu_bytes(nr_slots);
	rc->crossed = STROBE_WORK_KEPT;
	return rc->kept->slots;
}

/**
 * strobe_region_subbufs - let the sub-buffers of a store be those in the region
 * @rc: the CPU's ring
 * @store: its store, without sub-buffers
 */
void strobe_region_subbufs(const struct strobe_ring_cpu *rc,
			   struct strobe_ring_store *store)
{
	u32 nr = store->shape.nr_slots, id;
	size_t bytes = PAGE_SIZE << store->order;
	void *subbuf;

	subbuf = rc->ring->region.start + strobe_region_tables(nr) +
		 (size_t)rc->cpu * nr * bytes;
	for (id = 0; id < nr; id++)
		store->subbufs[id] = subbuf + (size_t)id * bytes;
}

/**
 * struct strobe_region_scan - what was found of a CPU's records
 * @newest: the sequence up to which they are committed
 * @off: and where in it
 * @held: how many sequences, that one included
 * @first: index of the first record
 * @next: index of the one behind the last
 * @read: index of the first that was not consumed
 */
struct strobe_region_scan {
	u32	newest;
	u32	off;
	u32	held;
	u64	first;
	u64	next;
	u64	read;
};

static struct strobe_ring_walk strobe_region_walk(const struct strobe_ring_cpu *rc, u32 seq,
						  u32 end)
{
	const struct strobe_ring_store *store = rc->store;
	const struct strobe_subbuf *subbuf;

	subbuf = store->subbufs[strobe_seq_index(&store->shape, seq)];
	return (struct strobe_ring_walk) {
		.subbuf = subbuf, .end = end, .ts = subbuf->time_stamp,
	};
}

/* Is @word that of a slot whose lap @seq is gone, or never was? */
static bool strobe_region_gone(const struct strobe_ring_cpu *rc, u64 word, u32 seq)
{
	u32 now = strobe_slot_seq(word);

	if (strobe_seq_index(&rc->store->shape, now) != strobe_seq_index(&rc->store->shape, seq))
		return false;
	return !strobe_slot_held(word) ||
	       strobe_seq_distance(&rc->store->shape, seq, now) == rc->store->shape.nr_slots;
}

/* Look at a sequence. Return: false: it cannot have been left like that. */
static bool strobe_region_scan_seq(struct strobe_ring_cpu *rc, u32 seq,
				   struct strobe_region_scan *scan)
{
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	u64 word = atomic64_read(&lap->word);
	u32 end = seq == scan->newest ? scan->off : lap->end, n;
	struct strobe_ring_walk walk;

	if (strobe_slot_id(word) != strobe_seq_index(&rc->store->shape, seq))
		return false;
	if (!strobe_slot_holds(word, seq))
		return !scan->held && strobe_region_gone(rc, word, seq);
	if (end > rc->limit)
		return false;
	walk = strobe_region_walk(rc, seq, end);
	n = strobe_walk_count(&walk);
	if (walk.pos != end || (scan->held && lap->first != scan->next))
		return false;
	if (!scan->held++)
		scan->first = lap->first;
	scan->next = lap->first + n;
	/* What is counted there goes beyond what was committed. */
	local_set(&strobe_ring_slot(rc, seq)->count, n);
	return true;
}

/* Return: why there is nothing to be had of the CPU's records; NULL: there is. */
static const char *strobe_region_scan(struct strobe_ring_cpu *rc,
				      struct strobe_region_scan *scan)
{
	const struct strobe_seq_shape *shape = &rc->store->shape;
	u32 i = shape->nr_slots;
	u64 place;

	*scan = (struct strobe_region_scan) {};
	if (!rc->kept->committed)
		return "being emptied";
	if (!strobe_region_open(rc->kept->committed, STROBE_REGION_PLACE_BITS, &place) ||
	    !strobe_region_open(rc->kept->read, STROBE_REGION_INDEX_BITS, &scan->read))
		return "a damaged state";
	scan->newest = strobe_word_seq(place);
	scan->off = strobe_word_off(place);
	if (strobe_seq_index(shape, scan->newest) >= shape->nr_slots ||
	    strobe_seq_linear(shape, scan->newest) >= strobe_seq_range(shape))
		return "a damaged state";
	while (i--) {
		if (!strobe_region_scan_seq(rc, strobe_seq_back(&rc->store->shape, scan->newest, i),
					    scan))
			return "a damaged sub-buffer";
	}
	if (!scan->held || scan->next < scan->first || scan->read > scan->next ||
	    scan->next >> STROBE_REGION_INDEX_BITS)
		return "a damaged count";
	return NULL;
}

/* The reader goes on in @seq, behind what was consumed of it. */
static void strobe_region_set_cursor(struct strobe_ring_cpu *rc, u32 seq)
{
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	struct strobe_ring_walk walk = strobe_region_walk(rc, seq, lap->end);
	u32 consumed = strobe_slot_mark(atomic64_read(&lap->word));
	struct strobe_ring_record record;

	while (consumed-- && strobe_walk_next(&walk, &record) == STROBE_WALK_DATA)
		;
	rc->reader.cursor = (struct strobe_ring_cursor) {
		.seq = seq, .off = walk.pos, .ts = walk.ts, .first = lap->first,
	};
}

/*
 * Take a sequence over, of which what comes before record number @origin was consumed.
 * Return: some of it was not.
 */
static bool strobe_region_restore_seq(struct strobe_ring_cpu *rc, u32 seq, u64 origin)
{
	struct strobe_ring_slot *slot = strobe_ring_slot(rc, seq);
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	u32 id = strobe_seq_index(&rc->store->shape, seq);
	bool held = strobe_slot_holds(atomic64_read(&lap->word), seq);
	u32 n, read = 0;

	slot->subbuf = rc->store->subbufs[id];
	if (!held)
		local_set(&slot->count, 0);
	n = local_read(&slot->count);
	if (held && origin > lap->first)
		read = min_t(u64, origin - lap->first, n);
	lap->base = 0;
	atomic64_set(&lap->word, strobe_slot_make(held, read, id, seq));
	return read < n;
}

/* Nothing comes behind what is in @seq up to @off. Return: where that ends now. */
static u32 strobe_region_fill_up(struct strobe_ring_cpu *rc, u32 seq, u32 off)
{
	struct strobe_subbuf *subbuf = rc->store->subbufs[strobe_seq_index(&rc->store->shape, seq)];
	struct strobe_record *record = (void *)subbuf->data + off * STROBE_RECORD_UNIT;
	u32 units = rc->limit - off;

	/* In a single unit there is no room for a record. */
	if (units < 2)
		return off;
	*(u32 *)record = strobe_record_word(STROBE_RECORD_PADDING, 1);
	record->array[0] = (units - 1) * STROBE_RECORD_UNIT;
	return rc->limit;
}

/**
 * strobe_region_restore - take over what an earlier kernel has recorded on a CPU
 * @rc: the CPU's ring, as strobe_region_place() has left it; zeros, but for that
 *
 * Return: false: there is nothing, or it cannot be believed; the ring has to be
 * emptied.
 */
bool strobe_region_restore(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_reader *reader = &rc->reader;
	const char *name = rc->ring->region.name;
	struct strobe_region_scan scan;
	const char *why = strobe_region_scan(rc, &scan);
	bool placed = false, unread;
	u32 i, seq;

	if (why) {
		if (name)
			pr_info("Tracing: %s has no records of an earlier boot of CPU %d: %s\n",
				name, rc->cpu, why);
		return false;
	}
	WRITE_ONCE(rc->origin, max(scan.first, scan.read));
	scan.off = strobe_region_fill_up(rc, scan.newest, scan.off);
	strobe_ring_lap(rc, scan.newest)->end = scan.off;
	for (i = rc->store->shape.nr_slots; i--; ) {
		seq = strobe_seq_back(&rc->store->shape, scan.newest, i);
		unread = strobe_region_restore_seq(rc, seq, rc->origin);
		if (!placed && (unread || !i)) {
			strobe_region_set_cursor(rc, seq);
			placed = true;
		}
	}
	rc->word = strobe_word_make(0, scan.newest, scan.off);
	rc->last_word = STROBE_WORD_NONE;
	strobe_region_commit(rc->kept, rc->word);
	/* As LEAVE:A (write.c): what was set before is seen with it. */
	smp_store_release(&rc->committed, rc->word);
	rc->past = scan.next;
	/* What was overwritten since, the reader finds missing. */
	reader->next = scan.read;
	reader->hand.subbuf = rc->store->subbufs[reader->hand_id];
	strobe_ring_set_place(rc);
	if (name)
		pr_info("Tracing: %s has %lu records of an earlier boot of CPU %d\n", name,
			(unsigned long)(scan.next - rc->origin), rc->cpu);
	return true;
}

/**
 * strobe_region_close - a CPU's ring is going to be emptied
 * @rc: the CPU's ring, in a region; the writers are stopped
 */
void strobe_region_close(struct strobe_ring_cpu *rc)
{
	WRITE_ONCE(rc->kept->committed, 0);
	/* As REGION:A, the other way round: what is undone comes after it. */
	smp_wmb();
}

/**
 * strobe_region_open_empty - a CPU's ring has been emptied
 * @rc: the CPU's ring, in a region; the writers are stopped
 *
 * The sub-buffer at whose end it begins holds padding, so that it looks like any
 * other one.
 */
void strobe_region_open_empty(struct strobe_ring_cpu *rc)
{
	u32 seq = strobe_word_seq(rc->word);

	strobe_region_fill_up(rc, seq, 0);
	strobe_region_consumed(rc);
	strobe_region_commit(rc->kept, rc->word);
}

/**
 * strobe_region_consumed - remember how far the reader has come
 * @rc: the CPU's ring
 */
void strobe_region_consumed(struct strobe_ring_cpu *rc)
{
	const struct strobe_ring_reader *reader = &rc->reader;

	if (rc->kept)
		WRITE_ONCE(rc->kept->read,
			   strobe_region_seal(reader->next - reader->hand_left,
					      STROBE_REGION_INDEX_BITS));
}

/**
 * strobe_ring_past - are there records of an earlier boot in the ring?
 * @ring: the ring
 * @past: filled in; zeros if there are none
 *
 * Context: Any.
 */
bool strobe_ring_past(const struct strobe_ring *ring, struct strobe_ring_past *past)
{
	/* A reset may be changing it: what is shown then is gone. */
	*past = data_race(ring->past);
	return past->found;
}
