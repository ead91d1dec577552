// SPDX-License-Identifier: GPL-2.0
/*
 * Merge the records of all CPUs by time.
 *
 * The records of one CPU are in order. Readers of a whole instance (trace,
 * trace_pipe, the dump of an oops) need the records of all CPUs in one sequence:
 * a scan peeks at the oldest record of every CPU and chooses the oldest of
 * these. A CPU may meanwhile record an event that is older than the last one
 * shown; it is then shown out of order, but not lost.
 *
 * CPUs record in bursts, so the next record is often of the same CPU. It is
 * returned without a scan if the last scan found it there and it is older than the
 * records that the other CPUs had then. A CPU that had none may have recorded after
 * the scan had passed it, and before the scan came to the chosen CPU: if one is not
 * empty at the end of the scan, the next record takes a scan.
 *
 * State: the CPU that the last strobe_merge_peek() chose, valid until strobe_merge_next(), and
 * how far its records can be returned without a scan. Do not call strobe_merge_next()
 * unless a strobe_merge_peek() has found a record before it.
 *
 * Contexts: task for STROBE_MERGE_ITERATE and _CONSUME; any for _DUMP. The merge
 * takes no locks; for _CONSUME the caller must, see enum strobe_merge_mode.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "output/merge.h"

/**
 * strobe_merge_init - initialise a merge of the records of one or all CPUs
 * @merge: the merge, in the caller's memory
 * @ring: the ring to read
 * @cpu: a possible CPU, or STROBE_RING_ALL_CPUS
 * @mode: how to read; STROBE_MERGE_ITERATE needs strobe_merge_open_iters() next
 *
 * Context: any; takes no lock and allocates nothing.
 */
void strobe_merge_init(struct strobe_merge *merge, struct strobe_ring *ring, int cpu,
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
 * strobe_merge_open_iters - open an iterator on each CPU that @merge reads
 * @merge: set up by strobe_merge_init() with STROBE_MERGE_ITERATE
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM with nothing left open.
 */
int strobe_merge_open_iters(struct strobe_merge *merge)
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
			strobe_merge_close_iters(merge);
			return iter ? PTR_ERR(iter) : -ENOMEM;
		}
		merge->iters[cpu] = iter;
	}
	return 0;
}

/**
 * strobe_merge_close_iters - close the iterators that strobe_merge_open_iters() opened
 * @merge: the merge; nothing is done if it has no iterators
 *
 * Context: task, may sleep.
 */
void strobe_merge_close_iters(struct strobe_merge *merge)
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
 * strobe_merge_restart - make the next strobe_merge_peek() peek at all CPUs
 * @merge: the merge; the ring may have changed, or others may have consumed records of it
 *
 * Context: any.
 */
void strobe_merge_restart(struct strobe_merge *merge)
{
	merge->count = 0;
}

static unsigned int merge_nr_empty(const struct strobe_merge *merge)
{
	unsigned int nr = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nr += strobe_ring_empty(merge->ring, cpu);
	return nr;
}

/* Peek at all CPUs. noinline, as strobe_merge_peek() would save registers for it. */
static noinline bool merge_scan(struct strobe_merge *merge, struct strobe_ring_record *rec)
{
	struct strobe_ring_record next;
	unsigned int nr_empty = 0;
	bool found = false;
	int cpu;

	merge->until = U64_MAX;
	for_each_possible_cpu(cpu) {
		if (!merge_peek_cpu(merge, cpu, &next)) {
			nr_empty++;
			continue;
		}
		if (found && next.ts >= rec->ts) {
			merge->until = min(merge->until, next.ts);
			continue;
		}
		if (found)
			merge->until = rec->ts;
		*rec = next;
		merge->next_cpu = cpu;
		found = true;
	}
	merge->first = found ? rec->index : 0;
	/* The record itself may be peeked at again, before strobe_merge_next(). */
	merge->count = found ? rec->more + 1 : 0;
	/* The end of an iterator does not move by itself. */
	if (merge->mode != STROBE_MERGE_ITERATE && merge_nr_empty(merge) < nr_empty)
		merge->count = min(merge->count, 1U);
	return found;
}

/**
 * strobe_merge_peek - peek at the oldest record
 * @merge: the merge
 * @rec: set to the record; its data stays valid until the next call that
 *	takes @merge
 *
 * If two records have the same time, that of the lower CPU comes first.
 *
 * Return: false if there is no record.
 */
bool strobe_merge_peek(struct strobe_merge *merge, struct strobe_ring_record *rec)
{
	if (merge->cpu != STROBE_RING_ALL_CPUS) {
		merge->next_cpu = merge->cpu;
		return merge_peek_cpu(merge, merge->cpu, rec);
	}
	/* If the ring was reset or exchanged, the record is not one of those. */
	if (merge->count && merge_peek_cpu(merge, merge->next_cpu, rec) &&
	    rec->index - merge->first < merge->count && rec->ts < merge->until)
		return true;
	return merge_scan(merge, rec);
}

/**
 * strobe_merge_next - advance past the record that strobe_merge_peek() returned
 * @merge: the merge
 *
 * Consumes the record unless @merge iterates.
 */
void strobe_merge_next(struct strobe_merge *merge)
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

static void merge_move_iters(struct strobe_merge *merge, void (*move)(struct strobe_ring_iter *))
{
	int cpu;

	strobe_merge_restart(merge);
	for_each_possible_cpu(cpu) {
		if (merge_reads_cpu(merge, cpu))
			move(merge->iters[cpu]);
	}
}

/**
 * strobe_merge_rewind - go back to the oldest record that the ring holds now
 * @merge: a merge with open iterators
 *
 * Context: task, may sleep.
 */
void strobe_merge_rewind(struct strobe_merge *merge)
{
	merge_move_iters(merge, strobe_ring_iter_reset);
}

/**
 * strobe_merge_extend - continue to the present end of the ring
 * @merge: a merge with open iterators, which has returned its last record
 *
 * Context: task, may sleep.
 */
void strobe_merge_extend(struct strobe_merge *merge)
{
	merge_move_iters(merge, strobe_ring_iter_extend);
}

/**
 * strobe_merge_empty - whether the CPUs that @merge reads have no record
 * @merge: the merge
 *
 * Checks the ring, not the iterators: whether a new reader would find a record.
 *
 * Context: any. The result may be stale on return unless recording is off.
 */
bool strobe_merge_empty(struct strobe_merge *merge)
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
 * strobe_merge_removed - whether a reset has removed a record that strobe_merge_peek() returned
 * @merge: a merge with open iterators
 * @rec: the record
 *
 * Context: any.
 */
bool strobe_merge_removed(const struct strobe_merge *merge,
			  const struct strobe_ring_record *rec)
{
	return strobe_ring_iter_removed(merge->iters[rec->cpu], rec);
}
