// SPDX-License-Identifier: GPL-2.0
/*
 * Verify a whole ring: check all invariants of write.c that are visible from outside. For
 * tests; slow, and holds off the ring's writers.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "ring/internal.h"
#include "ring/walk.h"

/* State of a check. */
struct strobe_ring_checker {
	struct strobe_ring_cpu	*rc;
	unsigned long		*ids;	/* ids of the sub-buffers seen */
	u64			next;	/* expected index of the next record */
	u64			held;	/* unread records */
	u64			ts;	/* time of the last record */
	u32			late;	/* most that this is late: see strobe_ring_check_time() */
	bool			known;	/* @next is valid */
	int			err;
};

static void strobe_ring_expect(struct strobe_ring_checker *check, bool good,
			       const char *what, u32 where)
{
	if (good)
		return;
	pr_err("ring of CPU %d, at %u: invariant violated: %s\n", check->rc->cpu,
	       where, what);
	check->err = -EUCLEAN;
}

#define CHECK(check, where, cond) strobe_ring_expect(check, cond, #cond, where)

/* Check that @id is valid, and that no other slot or reader page has it. */
static void strobe_ring_check_id(struct strobe_ring_checker *check, u32 id,
				 u32 where)
{
	struct strobe_ring_cpu *rc = check->rc;

	CHECK(check, where, id < rc->store->shape.nr_slots + 2);
	if (id >= rc->store->shape.nr_slots + 2)
		return;
	CHECK(check, where, rc->store->subbufs[id]);
	/* This orders nothing: no other thread has the bitmap. */
	CHECK(check, where, !test_and_set_bit(id, check->ids));
}

/*
 * Count the discarded records between @from and @to that may have put the times after them, or
 * before them, off by one unit; see strobe_ring_pad().
 */
static u32 strobe_ring_check_pads(struct strobe_ring_walk from, u32 to)
{
	u32 n = 0, header, words;

	while (from.pos < to) {
		const struct strobe_record *rec = (const void *)
			from.subbuf->data + from.pos * STROBE_RECORD_UNIT;

		header = *(const u32 *)rec;
		words = strobe_record_type_len(header);
		if (words == STROBE_RECORD_PADDING && strobe_record_delta(header) == 1)
			n++;
		if (words == STROBE_RECORD_TIME_EXTEND || words == STROBE_RECORD_TIME_STAMP)
			words = 1;
		else if (!words || words > STROBE_RECORD_DATA_MAX)
			words = rec->array[0] / STROBE_RECORD_UNIT;
		from.pos += words + 1;
	}
	return n;
}

/*
 * Only the local clock does not go back, and only within one boot. The times may go back by one
 * unit for each of the @pads discarded records before this one in the sub-buffer, and for each
 * one in the sub-buffer of the record before it.
 */
static void strobe_ring_check_time(struct strobe_ring_checker *check, u64 ts, u32 pads, u32 where)
{
	CHECK(check, where, check->rc->clock || check->rc->past ||
	      ts + pads + check->late >= check->ts);
	check->ts = ts;
}

/*
 * Check the records of @walk, which must be valid up to its end and in order of time.
 * Return: their number.
 */
static u32 strobe_ring_check_walk(struct strobe_ring_checker *check,
				  struct strobe_ring_walk walk, u32 where)
{
	struct strobe_ring_walk from = walk;
	struct strobe_ring_record record;
	enum strobe_walk_step step;
	u32 n = 0, pads = 0;

	while ((step = strobe_walk_next(&walk, &record)) == STROBE_WALK_DATA) {
		pads += strobe_ring_check_pads(from, walk.pos);
		strobe_ring_check_time(check, record.ts, pads, where);
		from = walk;
		n++;
	}
	if (n)
		check->late = pads;
	CHECK(check, where, step == STROBE_WALK_END);
	CHECK(check, where, walk.pos == walk.end);
	return n;
}

static void strobe_ring_check_seq(struct strobe_ring_checker *check, u32 seq)
{
	struct strobe_ring_cpu *rc = check->rc;
	struct strobe_ring_lap *lap = strobe_ring_lap(rc, seq);
	u64 word = atomic64_read(&lap->word);
	u32 id = strobe_slot_id(word), mark = strobe_slot_mark(word);
	u32 records, unread;
	struct strobe_ring_walk walk = { .end = lap->end };
	bool empty;

	strobe_ring_check_id(check, id, seq);
	if (!strobe_slot_holds(word, seq) || check->err) {
		check->known = false;	/* taken or overwritten */
		return;
	}
	records = strobe_ring_records(rc, seq, rc->word);
	walk.subbuf = rc->store->subbufs[id];
	walk.ts = walk.subbuf->time_stamp;
	if (seq == strobe_word_seq(rc->word))
		walk.end = strobe_word_off(rc->word);
	CHECK(check, seq, walk.end <= rc->store->limit);
	CHECK(check, seq, *strobe_ring_slot(rc, seq) == walk.subbuf);
	CHECK(check, seq, records <= walk.end / STROBE_RECORD_UNITS_MIN);
	CHECK(check, seq, mark <= records);
	CHECK(check, seq, !check->known || lap->first == check->next);
	/* The slot of the start: its offset is at the end, but it is empty. */
	empty = !records && walk.end == rc->store->limit;
	if (!empty && !check->err)
		CHECK(check, seq, strobe_ring_check_walk(check, walk, seq) == records);
	unread = strobe_slot_unread(word, records);
	check->held += unread;
	check->next = lap->first + records;
	/* If all was consumed in place, the next sequence may have been taken. */
	check->known = unread;
}

static int strobe_ring_check_cpu(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_checker check = { .rc = rc };
	struct strobe_ring_reader *reader = &rc->reader;
	u32 nr = rc->store->shape.nr_slots, seq = strobe_word_seq(rc->word), i;

	check.ids = bitmap_zalloc(nr + 2, GFP_KERNEL);
	if (!check.ids)
		return -ENOMEM;
	CHECK(&check, seq, rc->depth == -1);
	CHECK(&check, seq, rc->word == rc->committed);
	strobe_ring_check_id(&check, reader->hand_id, seq);
	if (reader->spare_id != STROBE_NO_SUBBUF)
		strobe_ring_check_id(&check, reader->spare_id, seq);
	CHECK(&check, seq, reader->hand.end <= rc->store->limit);
	CHECK(&check, seq, reader->hand_left ==
	      strobe_ring_check_walk(&check, reader->hand, seq));
	check.ts = 0;	/* The slots may hold older records that were consumed in place. */

	seq = strobe_seq_back(&rc->store->shape, seq, nr - 1);
	for (i = 0; i < nr; i++) {
		strobe_ring_check_seq(&check, seq);
		seq = strobe_seq_next(&rc->store->shape, seq);
	}
	/* reserved - discarded = held + owned in the reader page + read + overwritten */
	CHECK(&check, nr, check.next - rc->origin ==
	      check.held + reader->owned + reader->read +
	      strobe_ring_overrun(rc));
	bitmap_free(check.ids);
	return check.err;
}

/**
 * strobe_ring_check - verify a ring
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * The writers are held off meanwhile. Errors are logged.
 *
 * Context: Task context, may sleep. Takes reader.lock of each CPU in turn.
 * Return: 0; -EUCLEAN: an invariant does not hold; -ENOMEM.
 */
int strobe_ring_check(struct strobe_ring *ring, int cpu)
{
	int i, err, ret = 0;

	strobe_ring_stop(ring, cpu);
	strobe_ring_for_each(ring, cpu, i) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, i);

		mutex_lock(&rc->reader.lock);
		err = strobe_ring_check_cpu(rc);
		mutex_unlock(&rc->reader.lock);
		ret = ret ?: err;
	}
	strobe_ring_start(ring, cpu);
	return ret;
}
