// SPDX-License-Identifier: GPL-2.0
/*
 * The rings of all CPUs read as one, by time.
 *
 * A ring orders the records of one CPU. Readers of a whole instance (trace,
 * trace_pipe, the dump of an oops) want the records of all of them in one
 * sequence: each step looks at the oldest record of every CPU and takes the
 * oldest of these. What a CPU records while the sequence is read may be older
 * than what was shown already; it then comes out late, but is never lost.
 *
 * State: which CPU the last merge_peek() chose. It is valid until that record
 * is passed by merge_next(); merge_next() without a merge_peek() that found a
 * record is a fault of the caller.
 *
 * Contexts: task for STROBE_MERGE_ITERATE and _CONSUME; any for _DUMP. No locks
 * of its own; for _CONSUME see enum strobe_merge_mode.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "event/merge.h"

/**
 * merge_init - start a sequence that consumes, or prepare one that iterates
 * @merge: the sequence, on the caller's memory
 * @ring: where the records are
 * @cpu: a possible CPU, or STROBE_RING_ALL_CPUS
 * @mode: how to read; STROBE_MERGE_ITERATE needs merge_open_iters() next
 *
 * Any context, takes no lock and no memory.
 */
void merge_init(struct strobe_merge *merge, struct strobe_ring *ring, int cpu,
		enum strobe_merge_mode mode)
{
	*merge = (struct strobe_merge) {
		.ring = ring,
		.mode = mode,
		.cpu = cpu,
		.next_cpu = -1,
	};
}

static bool merge_reads_cpu(const struct strobe_merge *merge, int cpu)
{
	return merge->cpu == STROBE_RING_ALL_CPUS || merge->cpu == cpu;
}

/**
 * merge_open_iters - open an iterator on each CPU that @merge reads
 * @merge: set up by merge_init() with STROBE_MERGE_ITERATE
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM with nothing left open.
 */
int merge_open_iters(struct strobe_merge *merge)
{
	struct strobe_ring_iter *iter;
	int cpu;

	merge->iters = kcalloc(nr_cpu_ids, sizeof(*merge->iters), GFP_KERNEL);
	if (!merge->iters)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		if (!merge_reads_cpu(merge, cpu))
			continue;
		iter = strobe_ring_iter_open(merge->ring, cpu);
		if (IS_ERR_OR_NULL(iter)) {
			merge_close_iters(merge);
			return iter ? PTR_ERR(iter) : -ENOMEM;
		}
		merge->iters[cpu] = iter;
	}
	return 0;
}

/**
 * merge_close_iters - give back what merge_open_iters() opened
 * @merge: the sequence; nothing happens to one that has no iterators
 *
 * Context: task, may sleep.
 */
void merge_close_iters(struct strobe_merge *merge)
{
	int cpu;

	if (!merge->iters)
		return;
	for_each_possible_cpu(cpu) {
		if (merge->iters[cpu])
			strobe_ring_iter_close(merge->iters[cpu]);
	}
	kfree(merge->iters);
	merge->iters = NULL;
}

static bool merge_peek_cpu(struct strobe_merge *merge, int cpu,
			   struct strobe_ring_record *rec)
{
	switch (merge->mode) {
	case STROBE_MERGE_ITERATE:
		return strobe_ring_iter_peek(merge->iters[cpu], rec);
	case STROBE_MERGE_CONSUME:
		return strobe_ring_peek(merge->ring, cpu, rec);
	case STROBE_MERGE_DUMP:
		return strobe_ring_dump_peek(merge->ring, cpu, rec);
	}
	return false;
}

/**
 * merge_peek - show the oldest record that was not passed yet
 * @merge: the sequence
 * @rec: filled with the record; its data stays valid until the next call that
 *	takes @merge
 *
 * Of two records with one time the lower CPU's comes first.
 *
 * Return: whether there is one.
 */
bool merge_peek(struct strobe_merge *merge, struct strobe_ring_record *rec)
{
	struct strobe_ring_record next;
	bool found = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!merge_reads_cpu(merge, cpu))
			continue;
		if (!merge_peek_cpu(merge, cpu, &next))
			continue;
		if (found && next.ts >= rec->ts)
			continue;
		*rec = next;
		merge->next_cpu = cpu;
		found = true;
	}
	return found;
}

/**
 * merge_next - pass the record that merge_peek() showed
 * @merge: the sequence
 *
 * Takes it out of the ring unless @merge iterates.
 */
void merge_next(struct strobe_merge *merge)
{
	int cpu = merge->next_cpu;

	switch (merge->mode) {
	case STROBE_MERGE_ITERATE:
		strobe_ring_iter_advance(merge->iters[cpu]);
		break;
	case STROBE_MERGE_CONSUME:
		strobe_ring_consume(merge->ring, cpu);
		break;
	case STROBE_MERGE_DUMP:
		strobe_ring_dump_consume(merge->ring, cpu);
		break;
	}
}

/**
 * merge_rewind - go back to the oldest record that the ring holds now
 * @merge: a sequence with open iterators
 *
 * Context: task, may sleep.
 */
void merge_rewind(struct strobe_merge *merge)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (merge_reads_cpu(merge, cpu))
			strobe_ring_iter_reset(merge->iters[cpu]);
	}
}

/**
 * merge_empty - whether the CPUs that @merge reads hold no record
 * @merge: the sequence
 *
 * Asks the ring, not the iterators: true of what a new reader would see.
 *
 * Context: any.
 * Return: the answer, which may be old when it arrives, unless recording is off.
 */
bool merge_empty(struct strobe_merge *merge)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (merge_reads_cpu(merge, cpu) &&
		    !strobe_ring_empty(merge->ring, cpu))
			return false;
	}
	return true;
}

/**
 * merge_removed - has a reset removed a record that merge_peek() showed?
 * @merge: a sequence with open iterators
 * @rec: the record
 *
 * Context: any.
 */
bool merge_removed(const struct strobe_merge *merge,
		   const struct strobe_ring_record *rec)
{
	return strobe_ring_iter_removed(merge->iters[rec->cpu], rec);
}
