// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of a dying kernel: ftrace_dump() on oops, panic or sysrq.
 *
 * Whoever holds reader.lock may never run again, so it takes no lock; memory
 * cannot be had, so it shows records where they lie. The caller has switched
 * recording off; a writer that was in the middle of a record loses that one and
 * what had interrupted it. It has a cursor of its own: a second dump goes on
 * where the first one ended, the other readers see all as it was.
 *
 * What a reader of whole sub-buffers (raw.c) gives to user space is lost to the
 * dump; if that happens while it is being shown, it may show other bytes.
 *
 * A ring that is being rebuilt at that moment (odd generation) is passed over.
 * The dumper holds off RCU, for which the rebuilder waits before it frees what
 * the dumper may look at. All walks are bounded, whatever the bytes are.
 */
#include "ring/internal.h"
#include "ring/walk.h"

static void strobe_ring_dump_begin(struct strobe_ring_cpu *rc,
				   unsigned int generation)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	const struct strobe_ring_reader *reader = &rc->reader;

	dumper->cursor = reader->cursor;
	dumper->walk = reader->hand;
	dumper->next = reader->next;
	dumper->lost = reader->lost;
	dumper->generation = generation;
	dumper->started = true;
}

/* Go to the next sub-buffer with records. Return: false: there is none. */
static bool strobe_ring_dump_fill(struct strobe_ring_cpu *rc)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	struct strobe_ring_cursor *cursor = &dumper->cursor;
	struct strobe_ring_find find;
	struct strobe_ring_walk walk;
	u64 committed, index;
	u32 steps;

	for (steps = 0; steps <= 2 * rc->shape.nr_slots; steps++) {
		/* TAKE:A pairs with LEAVE:A */
		committed = smp_load_acquire(&rc->committed);
		if (!strobe_ring_find(rc, cursor, &find, committed) ||
		    find.walk.pos >= find.walk.end) {
			if (!strobe_ring_cursor_next(rc, cursor, committed))
				return false;
			continue;
		}
		walk = find.walk;
		index = cursor->off ? dumper->next : cursor->first;
		if (index > dumper->next)
			dumper->lost += index - dumper->next;
		dumper->walk = find.walk;
		dumper->next = index + strobe_walk_count(&walk);
		cursor->off = find.walk.end;
		cursor->ts = walk.ts;
		return true;
	}
	return false;
}

/**
 * strobe_ring_dump_peek - the next record for ftrace_dump()
 * @ring: the ring, with recording off
 * @cpu: which CPU's
 * @record: filled in
 *
 * Context: Any, with preemption off. One caller at a time.
 * Return: false if there is none.
 */
bool strobe_ring_dump_peek(struct strobe_ring *ring, int cpu,
			   struct strobe_ring_record *record)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_dumper *dumper = &rc->dumper;
	unsigned int generation = READ_ONCE(rc->generation);
	struct strobe_ring_walk after;

	if (generation & 1)
		return false;
	if (!dumper->started || dumper->generation != generation)
		strobe_ring_dump_begin(rc, generation);
	for (;;) {
		after = dumper->walk;
		if (strobe_walk_next(&after, record) == STROBE_WALK_DATA)
			break;
		dumper->walk.pos = dumper->walk.end;
		if (!strobe_ring_dump_fill(rc))
			return false;
	}
	record->cpu = cpu;
	record->lost = dumper->lost;
	/* Nobody counts here: if there are any of an earlier boot, all are taken for it. */
	record->past = ring->past.found ? &ring->past : NULL;
	return true;
}

/* The consuming reader gives @subbuf away, with what the dumper has not shown. */
void strobe_ring_dump_forget(struct strobe_ring_cpu *rc,
			     const struct strobe_subbuf *subbuf)
{
	struct strobe_ring_walk *walk = &rc->dumper.walk;

	if (walk->subbuf == subbuf)
		walk->pos = walk->end;
}

/**
 * strobe_ring_dump_consume - step over what strobe_ring_dump_peek() shows
 * @ring: the ring
 * @cpu: which CPU's
 *
 * Context: As strobe_ring_dump_peek().
 */
void strobe_ring_dump_consume(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_dumper *dumper = &rc->dumper;
	struct strobe_ring_record record;

	/* What was shown may be gone, or in another ring. */
	if (dumper->started && dumper->generation == READ_ONCE(rc->generation) &&
	    strobe_walk_next(&dumper->walk, &record) == STROBE_WALK_DATA)
		dumper->lost = 0;
}
