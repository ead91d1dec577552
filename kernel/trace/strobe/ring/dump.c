// SPDX-License-Identifier: GPL-2.0
/*
 * The reader for ftrace_dump() on oops, panic or sysrq.
 *
 * The holder of reader.lock may never run again, so this reader takes no lock. It allocates
 * no memory, and returns records in place. The caller has switched recording off; a writer
 * that was in the middle of a record loses that record, and those of the interrupts in it.
 * The dumper has its own cursor: a second dump continues where the first one ended, and the
 * other readers are not affected.
 *
 * Records that a reader of whole sub-buffers (raw.c) hands over to user space are lost to
 * the dump. If that happens while one of them is shown, the dump may show wrong bytes.
 *
 * Another CPU may be changing the ring's shape or content. The dumper finds everything
 * through one store, rc->store, which it loads once (STORE:A). It blocks RCU grace periods,
 * so that neither the store nor the sub-buffers in it are freed, nor those that a reader of whole
 * sub-buffers has taken (strobe_ring_page_free()). A cursor, a position in the reader page or a
 * committed word may belong to another store, or be torn: the dumper checks them against the
 * bounds of its store before it uses them, and so stays within valid memory whatever happens
 * meanwhile. If the store or the generation has changed, it
 * begins again at the position of the consuming reader. It does not begin while a change is
 * under way (rc->changing): it skips that CPU's records. A dump during a change may show a
 * record twice, or not at all.
 *
 * All walks are bounded, whatever the bytes are.
 *
 * Barriers: DUMP:A to DUMP:H, see the list in write.c.
 */
#include "ring/internal.h"
#include "ring/walk.h"

/* Is @store still the store of @rc, and has no change begun since @dumper began? */
static bool strobe_ring_dump_current(const struct strobe_ring_cpu *rc,
				     const struct strobe_ring_store *store)
{
	/* DUMP:A: a load of a change's values finds its generation. Pairs with DUMP:B. */
	smp_rmb();
	return READ_ONCE(rc->store) == store &&
	       READ_ONCE(rc->generation) == rc->dumper.generation;
}

/* The reader page of the consuming reader, with bounds of @store. */
static struct strobe_ring_walk
strobe_ring_dump_hand(const struct strobe_ring_cpu *rc,
		      const struct strobe_ring_store *store)
{
	/* Checked below, and by DUMP:A afterwards. */
	struct strobe_ring_walk walk = data_race(rc->reader.hand);
	/* As above. */
	u32 id = data_race(rc->reader.hand_id);

	if (id >= store->shape.nr_slots + 2 || !READ_ONCE(store->subbufs[id]))
		return (struct strobe_ring_walk) {};
	walk.subbuf = READ_ONCE(store->subbufs[id]);
	walk.end = min(walk.end, store->limit);
	return walk;
}

/* Begin at the consuming reader's position. Return: false: a change is under way. */
static bool strobe_ring_dump_begin(struct strobe_ring_cpu *rc,
				   const struct strobe_ring_store *store)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	const struct strobe_ring_reader *reader = &rc->reader;

	dumper->started = false;
	/* DUMP:D: DUMP:F sees the changing of this generation. Pairs with DUMP:C. */
	dumper->generation = smp_load_acquire(&rc->generation);
	/* DUMP:F: if this reads false, the last change is complete. Pairs with DUMP:E. */
	if (smp_load_acquire(&rc->changing))
		return false;
	dumper->store = store;
	/* The bounds of a cursor are checked, and DUMP:A detects torn values. */
	dumper->cursor = data_race(reader->cursor);
	dumper->walk = strobe_ring_dump_hand(rc, store);
	dumper->next = data_race(reader->next);	/* as above */
	dumper->lost = data_race(reader->lost);	/* as above */
	/* DUMP:H: before committed is loaded. Pairs with DUMP:G. */
	smp_rmb();
	dumper->started = true;
	return true;
}

/*
 * Advance to the next sub-buffer with records, in at most *@steps steps (decremented).
 * Return: false: there is none.
 */
static bool strobe_ring_dump_fill(struct strobe_ring_cpu *rc,
				  const struct strobe_ring_store *store, u32 *steps)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	struct strobe_ring_cursor *cursor = &dumper->cursor;
	struct strobe_ring_find find;
	struct strobe_ring_walk walk;
	u64 committed, index;

	while (*steps) {
		--*steps;
		/* TAKE:A: sees all stores before LEAVE:A. Pairs with LEAVE:A. */
		committed = smp_load_acquire(&rc->committed);
		if (!strobe_ring_find(store, cursor, &find, committed) ||
		    find.walk.pos >= find.walk.end) {
			if (!strobe_ring_cursor_next(store, cursor, committed))
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

/* Find the next record, in dumper->walk. Return: false: no record. */
static bool strobe_ring_dump_find(struct strobe_ring_cpu *rc,
				  const struct strobe_ring_store *store,
				  struct strobe_ring_record *record)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	/*
	 * Two steps for each sub-buffer: find it, and pass it. A cursor of one store may
	 * never reach a committed word of another one.
	 */
	const u32 max = 2 * store->shape.nr_slots + 2;
	struct strobe_ring_walk after;
	u32 steps = max;

	do {
		after = dumper->walk;
		if (strobe_walk_next(&after, record) == STROBE_WALK_DATA)
			return true;
		dumper->walk.pos = dumper->walk.end;
	} while (strobe_ring_dump_fill(rc, store, &steps));
	return false;
}

/* Number of attempts while the ring is being changed. */
#define STROBE_DUMP_TRIES	3

/**
 * strobe_ring_dump_peek - find the next record for ftrace_dump()
 * @ring: the ring, with recording off
 * @cpu: which CPU's
 * @record: set to the record
 *
 * Context: Any, with preemption off. One caller at a time.
 * Return: false: no record.
 */
bool strobe_ring_dump_peek(struct strobe_ring *ring, int cpu,
			   struct strobe_ring_record *record)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);
	struct strobe_ring_dumper *dumper = &rc->dumper;
	const struct strobe_ring_store *store;
	bool found = false;
	int tries;

	for (tries = 0; tries < STROBE_DUMP_TRIES; tries++) {
		/* Address dependency: sees the tables of the store. Pairs with STORE:A. */
		store = READ_ONCE(rc->store);
		if (!dumper->started || dumper->store != store ||
		    dumper->generation != READ_ONCE(rc->generation)) {
			if (!strobe_ring_dump_begin(rc, store))
				return false;
		}
		found = strobe_ring_dump_find(rc, store, record);
		if (strobe_ring_dump_current(rc, store))
			break;
		found = false;
	}
	if (!found)
		return false;
	record->cpu = cpu;
	record->lost = dumper->lost;
	record->index = dumper->next;	/* not exact: see below */
	record->more = 0;
	/*
	 * If any record is of the previous boot, treat all so: indexes are not exact here.
	 */
	record->past = READ_ONCE(ring->past.found) ? &ring->past : NULL;
	return true;
}

/* The consuming reader hands over @subbuf: drop what the dumper has not shown of it. */
void strobe_ring_dump_forget(struct strobe_ring_cpu *rc,
			     const struct strobe_subbuf *subbuf)
{
	struct strobe_ring_walk *walk = &rc->dumper.walk;

	if (walk->subbuf == subbuf)
		walk->pos = walk->end;
}

/**
 * strobe_ring_dump_consume - advance past the record that strobe_ring_dump_peek() returned
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

	/* The record may be gone, or in another ring. */
	if (dumper->started && dumper->store == READ_ONCE(rc->store) &&
	    dumper->generation == READ_ONCE(rc->generation) &&
	    strobe_walk_next(&dumper->walk, &record) == STROBE_WALK_DATA)
		dumper->lost = 0;
}
