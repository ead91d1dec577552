/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STROBE_OUTPUT_MERGE_H
#define _STROBE_OUTPUT_MERGE_H

#include <linux/types.h>

#include "ring/ring.h"

/**
 * enum strobe_merge_mode - how a merge reads the records of its ring
 * @STROBE_MERGE_ITERATE: do not consume them
 * @STROBE_MERGE_CONSUME: consume them; the caller keeps other consumers of the
 *	same CPUs out from strobe_merge_peek() to strobe_merge_next()
 * @STROBE_MERGE_DUMP: consume them in an emergency: no lock, any context
 */
enum strobe_merge_mode {
	STROBE_MERGE_ITERATE,
	STROBE_MERGE_CONSUME,
	STROBE_MERGE_DUMP,
};

/**
 * struct strobe_merge - the records of a ring in order of time
 * @ring: the ring
 * @iters: an iterator for each CPU read (STROBE_MERGE_ITERATE), indexed by CPU
 * @mode: how they are read
 * @cpu: the only CPU that is read, or STROBE_RING_ALL_CPUS
 * @next_cpu: CPU of the record that strobe_merge_peek() returned last
 * @first: index of the record that the last peek at all CPUs chose
 * @count: that record and those of its CPU that may be returned without another such peek
 * @until: time of the oldest record of the other CPUs then
 *
 * The two modes that consume allocate nothing, so that an oops can use a merge on
 * its stack.
 */
struct strobe_merge {
	struct strobe_ring *ring;
	struct strobe_ring_iter **iters;
	enum strobe_merge_mode mode;
	int cpu;
	int next_cpu;
	u64 first;
	u32 count;
	u64 until;
};

void strobe_merge_init(struct strobe_merge *merge, struct strobe_ring *ring, int cpu,
		       enum strobe_merge_mode mode);
int strobe_merge_open_iters(struct strobe_merge *merge);
void strobe_merge_close_iters(struct strobe_merge *merge);

void strobe_merge_restart(struct strobe_merge *merge);
bool strobe_merge_peek(struct strobe_merge *merge, struct strobe_ring_record *rec);
void strobe_merge_next(struct strobe_merge *merge);
void strobe_merge_rewind(struct strobe_merge *merge);
void strobe_merge_extend(struct strobe_merge *merge);
bool strobe_merge_empty(struct strobe_merge *merge);
bool strobe_merge_removed(const struct strobe_merge *merge,
			  const struct strobe_ring_record *rec);

#endif /* _STROBE_OUTPUT_MERGE_H */
