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
 * Another CPU may be changing the ring's shape or content. All that the dumper looks at
 * is found through one store, rc->store, loaded once (STORE:A). The dumper holds off RCU,
 * so that the store is not freed, nor the sub-buffers that were in it. A cursor, a
 * place in the hand or a committed word may belong to another store, or be half changed:
 * the dumper uses none of them before it is within the bounds of its store. So it stays
 * within memory whatever comes between. When the store or the generation is another one
 * than before, it begins again, where the consuming reader is then. It does not begin
 * while a change is under way (rc->changing): that CPU's records are passed over. A dump
 * beside a change may show a record twice, or not at all.
 *
 * All walks are bounded, whatever the bytes are.
 *
 * Barriers: DUMP:A to DUMP:F, see the index in write.c.
 */
#include "ring/internal.h"
#include "ring/walk.h"

/* Is @store still the one of @rc, and has no change begun since @dumper began? */
static bool strobe_ring_dump_current(const struct strobe_ring_cpu *rc,
				     const struct strobe_ring_store *store)
{
	/* DUMP:A pairs with DUMP:B */
	smp_rmb();
	return READ_ONCE(rc->store) == store &&
	       READ_ONCE(rc->generation) == rc->dumper.generation;
}

/* The store for the next step: @store. In the broken variant, half of it is newer. */
static const struct strobe_ring_store *
strobe_ring_dump_store(const struct strobe_ring_cpu *rc,
		       const struct strobe_ring_store *store)
{
#if STROBE_BUSTED_STORE
	static struct strobe_ring_store mixed;

	mixed = *READ_ONCE(rc->store);
	mixed.shape = store->shape;
	mixed.limit = store->limit;
	return &mixed;
#endif
	return store;
}

/* What is in the hand of the consuming reader, as far as it is in @store. */
static struct strobe_ring_walk
strobe_ring_dump_hand(const struct strobe_ring_cpu *rc,
		      const struct strobe_ring_store *store)
{
	/* Checked below, and by DUMP:A afterwards. */
	struct strobe_ring_walk walk = data_race(rc->reader.hand);
	/* As above. */
	u32 id = data_race(rc->reader.hand_id);

	if (STROBE_BUSTED_STORE)
		return walk;
	if (id >= store->shape.nr_slots + 2 || !READ_ONCE(store->subbufs[id]))
		return (struct strobe_ring_walk) {};
	walk.subbuf = READ_ONCE(store->subbufs[id]);
	walk.end = min(walk.end, store->limit);
	return walk;
}

/* Begin where the consuming reader is. Return: false: a change is under way. */
static bool strobe_ring_dump_begin(struct strobe_ring_cpu *rc,
				   const struct strobe_ring_store *store)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	const struct strobe_ring_reader *reader = &rc->reader;

	dumper->started = false;
	/* DUMP:D pairs with DUMP:C */
	dumper->generation = smp_load_acquire(&rc->generation);
	/* DUMP:F pairs with DUMP:E: of this generation, all is there. */
	if (smp_load_acquire(&rc->changing))
		return false;
	dumper->store = store;
	/* All bounds of a cursor are checked; DUMP:A finds out what is torn. */
	dumper->cursor = data_race(reader->cursor);
	dumper->walk = strobe_ring_dump_hand(rc, store);
	dumper->next = data_race(reader->next);	/* as above */
	dumper->lost = data_race(reader->lost);	/* as above */
	dumper->started = true;
	return true;
}

/*
 * Go to the next sub-buffer with records, in at most @steps steps, which are counted down.
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
		/* TAKE:A pairs with LEAVE:A */
		committed = smp_load_acquire(&rc->committed);
		if (!strobe_ring_find(strobe_ring_dump_store(rc, store), cursor, &find,
				      committed) ||
		    find.walk.pos >= find.walk.end) {
			if (!strobe_ring_cursor_next(strobe_ring_dump_store(rc, store),
						     cursor, committed))
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

/* Have a record in dumper->walk. Return: false: there is none. */
static bool strobe_ring_dump_find(struct strobe_ring_cpu *rc,
				  const struct strobe_ring_store *store,
				  struct strobe_ring_record *record)
{
	struct strobe_ring_dumper *dumper = &rc->dumper;
	/*
	 * To each sub-buffer and over it. A cursor of one store and a committed word of
	 * another one may never meet.
	 */
	const u32 max = 2 * store->shape.nr_slots + 2;
	struct strobe_ring_walk after;
	u32 steps = max;

	do {
		after = dumper->walk;
		if (strobe_walk_next(&after, record) == STROBE_WALK_DATA)
			return true;
		dumper->walk.pos = dumper->walk.end;
		if (STROBE_BUSTED_STEPS)
			steps = max;
	} while (strobe_ring_dump_fill(rc, store, &steps));
	return false;
}

/* How often to begin again if the ring is changed again and again. */
#define STROBE_DUMP_TRIES	3

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
	const struct strobe_ring_store *store;
	bool found = false;
	int tries;

	for (tries = 0; tries < STROBE_DUMP_TRIES; tries++) {
		/* By an address dependency, pairs with STORE:A */
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
	if (dumper->started && dumper->store == READ_ONCE(rc->store) &&
	    dumper->generation == READ_ONCE(rc->generation) &&
	    strobe_walk_next(&dumper->walk, &record) == STROBE_WALK_DATA)
		dumper->lost = 0;
}
