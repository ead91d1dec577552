// SPDX-License-Identifier: GPL-2.0
/*
 * Persistent rings: the next kernel finds the region where the last one left it, and reads
 * what was recorded before a crash.
 *
 * What the region holds
 * ---------------------
 * Each CPU's slots, laps and sub-buffers, the very ones that its writers use; a copy of
 * rc->committed; and how far the reader has read. The rest of a CPU's ring is derived from
 * these. A header identifies the kernel that made the region, and its layout.
 *
 * A slot never changes its sub-buffer: id and index are the same. The reader page is in
 * ordinary memory, and the reader copies records to it (read.c), so that no page leaves the
 * region. Records in the reader page are unread for the writers until the reader owns them.
 * So those in the reader page at a crash are still in the ring, or are counted as
 * overwritten.
 *
 * Cost
 * ----
 * The copy of rc->committed has to be exact, as the newest records matter most after a
 * crash, and the lap of a slot, whose end and count are written when the slot is left, does
 * not cover them. The outermost writer's slow path stores the copy. A persistent
 * ring takes the slow path at each commit, as a bit of rc->work is always set
 * (STROBE_WORK_KEPT). A ring in ordinary memory needs no additional instruction.
 *
 * What a crash may interrupt
 * --------------------------
 * All values that the next kernel trusts are stored before the copy, kept->committed, in
 * program order:
 *
 *	1  records, headers, ends, counts,	their writers
 *	   time stamps
 *	2  lap->first				the publisher
 *	3  kept->committed			the publisher (REGION:A)
 *	4  rc->committed			the publisher (LEAVE:A)
 *
 * 3 comes before 4: rc->committed decides which slots may be claimed again, so that no slot
 * from the copy's sequence on is claimed, however old the copy is. After the copy anything
 * may follow: records without an end, slots claimed and not entered, ends and counts that
 * are not written. None of it is used. A slot that was claimed is recognised by its slot word,
 * which the claim changes before the writer stores anything else (CLAIM:A). So the slot
 * words must be, from the oldest to the newest:
 *
 *	gone	any number: not held; or claimed, one lap later than expected
 *	held	at least one: the expected sequence, up to the copy's
 *
 * In each held slot the records must end where it says, and their number must be its count,
 * and the difference between the index of its first record and that of the next slot's. The
 * copy has no count, so that the seal is longer: that of the newest slot is found by walking
 * through its records. Else all
 * records of that CPU are dropped. They are also dropped if kept->committed or kept->read,
 * the two words that change, has no valid seal: a hash of the value in the same word, as
 * two words cannot be stored at once.
 *
 * A reset of the ring clears kept->committed first, and sets it last; a change of the
 * header does the same with its magic. A crash in between leaves an empty ring.
 *
 * After recovery
 * --------------
 * The rest of the newest sub-buffer becomes padding, and the state word is at its end: the
 * next record begins a sub-buffer, with a time of its own clock.
 * Records keep their index. Consumed records are marked as such again.
 *
 * The order of the stores is that of the CPU. It is preserved if everything that the CPU
 * has stored reaches memory, that is, if a reset of the machine does not discard the
 * contents of its caches.
 *
 * Context: task, boot; but strobe_region_commit() is called by writers, and
 * strobe_region_consumed() with reader.lock held.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "ring/internal.h"
#include "ring/region.h"
#include "ring/walk.h"

#define SLOT_BYTES	(sizeof(struct strobe_subbuf *) + sizeof(struct strobe_ring_lap))

/* Size of a CPU's tables, and below of everything before the sub-buffers. */
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
 * strobe_region_slots - number of slots of each CPU that fit in a region
 * @bytes: size of the region
 * @order: order of the sub-buffers
 *
 * Return: the number; 0: the region is too small.
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

/* Set @header to the header of a region of @ring, made by this kernel. */
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

/* The reason why @found is not a region like @want; NULL: it is one. */
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

/* The magic is stored only while the rest of the header is valid. */
static void strobe_region_write_header(struct strobe_ring *ring, u32 nr_slots)
{
	struct strobe_region *header = ring->region.start;
	struct strobe_region want;

	strobe_region_describe(&want, ring, nr_slots);
	WRITE_ONCE(header->magic, 0);
	/* REGION:B: clear the magic before anything else is stored. */
	smp_wmb();
	want.magic = 0;
	*header = want;
	/* As REGION:A: if the next kernel reads the magic, it sees the rest. */
	smp_store_release(&header->magic, STROBE_REGION_MAGIC);
}

/**
 * strobe_region_begin - check the header that the previous boot has left
 * @ring: the ring, with its region; its per-CPU parts are not set up yet
 * @nr_slots: number of slots of each CPU
 *
 * Sets @ring->past if there is a valid region of the same layout and build. Else
 * invalidates the header.
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
			pr_info("%s has no records of a previous boot: %s\n",
				ring->region.name, why);
		WRITE_ONCE(header->magic, 0);
		return;
	}
	ring->past.text_delta = ring->region.text - (unsigned long)header->text;
	ring->past.data_delta = ring->region.data - (unsigned long)header->data;
	ring->past.found = true;
}

/**
 * strobe_region_end - write a new header if no records of the previous boot are left
 * @ring: the ring; the parts of all CPUs are set up, or were reset
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
	/* The deltas stay for readers that have a record in hand. */
	WRITE_ONCE(ring->past.found, false);
	strobe_region_write_header(ring, nr_slots);
}

/* The part of one CPU. */

/**
 * strobe_region_place - place a CPU's ring in the region
 * @rc: the CPU's ring
 * @nr_slots: number of its slots
 *
 * Return: memory for its slots and laps.
 */
struct strobe_subbuf **strobe_region_place(struct strobe_ring_cpu *rc, u32 nr_slots)
{
	rc->kept = rc->ring->region.start +
		   ALIGN(sizeof(struct strobe_region), SMP_CACHE_BYTES) +
		   rc->cpu * strobe_region_cpu_bytes(nr_slots);
	rc->crossed = STROBE_WORK_KEPT;
	return rc->kept->slots;
}

/**
 * strobe_region_subbufs - set the sub-buffers of a store to those in the region
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
 * struct strobe_region_scan - what a scan found of a CPU's records
 * @newest: the sequence up to which records are committed
 * @off: the offset in it up to which they are
 * @held: number of sequences, including @newest
 * @first: index of the first record
 * @next: index of the record after the last one
 * @read: index of the first record that was not consumed
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

/* Is @word the slot word of a slot whose lap @seq is gone, or never existed? */
static bool strobe_region_gone(const struct strobe_ring_cpu *rc, u64 word, u32 seq)
{
	u32 now = strobe_slot_seq(word);

	if (strobe_seq_index(&rc->store->shape, now) != strobe_seq_index(&rc->store->shape, seq))
		return false;
	return !strobe_slot_held(word) ||
	       strobe_seq_distance(&rc->store->shape, seq, now) == rc->store->shape.nr_slots;
}

/* Scan the sequence @seq. Return: false: no crash can have left it like that. */
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
	if (end > rc->store->limit)
		return false;
	walk = strobe_region_walk(rc, seq, end);
	n = strobe_walk_count(&walk);
	if (walk.pos != end || (scan->held && lap->first != scan->next))
		return false;
	if (seq == scan->newest)
		lap->count = n;
	else if (lap->count != n)
		return false;
	if (!scan->held++)
		scan->first = lap->first;
	scan->next = lap->first + n;
	return true;
}

/* Return: the reason why the CPU's records are not valid; NULL: they are. */
static const char *strobe_region_scan(struct strobe_ring_cpu *rc,
				      struct strobe_region_scan *scan)
{
	const struct strobe_seq_shape *shape = &rc->store->shape;
	u32 i = shape->nr_slots;
	u64 packed, place;

	*scan = (struct strobe_region_scan) {};
	if (!rc->kept->committed)
		return "being emptied";
	if (!strobe_region_open(rc->kept->committed, STROBE_REGION_PLACE_BITS, &packed) ||
	    !strobe_region_open(rc->kept->read, STROBE_REGION_INDEX_BITS, &scan->read))
		return "a damaged state";
	place = strobe_word_unpack(packed);
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

/* Move the reader's cursor to the first record of @seq that was not consumed. */
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
 * Restore the slot of @seq; records before index @origin were consumed.
 * Return: true if it has others.
 */
static bool strobe_region_restore_seq(struct strobe_ring_cpu *rc, u32 seq, u64 origin)
{
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	u32 id = strobe_seq_index(&rc->store->shape, seq);
	bool held = strobe_slot_holds(atomic64_read(&lap->word), seq);
	u32 read = 0;

	*strobe_ring_slot(rc, seq) = rc->store->subbufs[id];
	if (!held)
		lap->count = 0;
	if (held && origin > lap->first)
		read = min_t(u64, origin - lap->first, lap->count);
	atomic64_set(&lap->word, strobe_slot_make(held, read, id, seq));
	return read < lap->count;
}

/*
 * Fill the sub-buffer of @seq with padding from @off on. Return: where its records end now.
 */
static u32 strobe_region_fill_up(struct strobe_ring_cpu *rc, u32 seq, u32 off)
{
	struct strobe_subbuf *subbuf = rc->store->subbufs[strobe_seq_index(&rc->store->shape, seq)];
	struct strobe_record *record = (void *)subbuf->data + off * STROBE_RECORD_UNIT;
	u32 units = rc->store->limit - off;

	/* Padding needs at least two units. */
	if (units < 2)
		return off;
	*(u32 *)record = strobe_record_word(STROBE_RECORD_PADDING, 1);
	record->array[0] = (units - 1) * STROBE_RECORD_UNIT;
	return rc->store->limit;
}

/**
 * strobe_region_restore - restore a CPU's records of the previous boot
 * @rc: the CPU's ring; its store is set, the rest is zero
 *
 * Return: false: no records, or not valid; the ring has to be reset.
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
			pr_info("%s has no records of a previous boot of CPU %d: %s\n",
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
			/* If only padding is left, the reader is at its end: it waits. */
			if (!unread)
				reader->cursor.off = scan.off;
		}
	}
	rc->word = strobe_word_make(scan.newest, strobe_ring_lap(rc, scan.newest)->count, scan.off);
	rc->last_word = STROBE_WORD_NONE;
	rc->extended = STROBE_WORD_NONE;
	strobe_region_commit(rc->kept, rc->word);
	/* As LEAVE:A: if TAKE:A reads this value, it sees the stores above. */
	smp_store_release(&rc->committed, rc->word);
	rc->past = scan.next;
	/* The reader will find that records before scan.first are missing. */
	reader->next = scan.read;
	reader->hand.subbuf = rc->store->subbufs[reader->hand_id];
	strobe_ring_set_place(rc);
	if (name)
		pr_info("%s has %lu records of a previous boot of CPU %d\n", name,
			(unsigned long)(scan.next - rc->origin), rc->cpu);
	return true;
}

/**
 * strobe_region_close - invalidate a CPU's records before a reset
 * @rc: the CPU's ring, in a region; the writers are stopped
 */
void strobe_region_close(struct strobe_ring_cpu *rc)
{
	WRITE_ONCE(rc->kept->committed, 0);
	/* REGION:B: clear committed before the reset stores anything. */
	smp_wmb();
}

/**
 * strobe_region_open_empty - make a CPU's records valid again after a reset
 * @rc: the CPU's ring, in a region; the writers are stopped
 *
 * The sub-buffer of the state word is filled with padding, so that the next kernel can scan
 * it like any other one.
 */
void strobe_region_open_empty(struct strobe_ring_cpu *rc)
{
	u32 seq = strobe_word_seq(rc->word);

	strobe_region_fill_up(rc, seq, 0);
	strobe_region_consumed(rc);
	strobe_region_commit(rc->kept, rc->word);
}

/**
 * strobe_region_consumed - store how far the reader has read
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
 * strobe_ring_past - whether a ring has records of the previous boot
 * @ring: the ring
 * @past: set to what is known of them; zeros if there are none
 *
 * Context: Any.
 */
bool strobe_ring_past(const struct strobe_ring *ring, struct strobe_ring_past *past)
{
	*past = (struct strobe_ring_past) {};
	/* A reset may clear it meanwhile; the records are gone then. */
	if (READ_ONCE(ring->past.found)) {
		*past = (struct strobe_ring_past) {
			.found = true,
			.text_delta = ring->past.text_delta,
			.data_delta = ring->past.data_delta,
		};
	}
	return past->found;
}
