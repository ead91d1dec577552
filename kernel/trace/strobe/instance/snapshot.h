/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of an instance; see snapshot.c.
 */
#ifndef _STROBE_INSTANCE_SNAPSHOT_H
#define _STROBE_INSTANCE_SNAPSHOT_H

#include <linux/errno.h>
#include <linux/types.h>

struct strobe_ring;
struct snapshot_condition;
struct trace_array;

/**
 * struct instance_snapshot - snapshot state of an instance
 * @ring: the snapshot ring; created when it is first needed, then constant
 *	(instance_mutex)
 * @allocated: @ring has the size of the instance's ring, else the smallest one
 *	(written under instance_mutex)
 * @condition: decides about each snapshot; NULL: none (see snapshot.c)
 * @armed: number of users who may take a snapshot at any time
 * @mapped: number of mappings of the instance's ring to user space; 0 if @armed is not
 */
struct instance_snapshot {
	struct strobe_ring		*ring;
	bool				allocated;
	struct snapshot_condition	*condition;
	unsigned int			armed;
	unsigned int			mapped;
};

#ifdef CONFIG_TRACER_SNAPSHOT

struct strobe_ring *instance_snapshot_ring(const struct trace_array *tr);
struct strobe_ring *instance_snapshot_twin(const struct trace_array *tr);
int instance_snapshot_make(struct trace_array *tr);
void instance_snapshot_destroy(struct trace_array *tr);

int instance_snapshot_take(struct trace_array *tr, int cpu);
int instance_snapshot_free(struct trace_array *tr, int cpu);
int instance_snapshot_clear(struct trace_array *tr, int cpu);

void instance_snapshot(struct trace_array *tr);
int instance_snapshot_arm(struct trace_array *tr);
void instance_snapshot_disarm(struct trace_array *tr);

int instance_map_get(struct trace_array *tr);
void instance_map_put(struct trace_array *tr);

#else

static inline struct strobe_ring *instance_snapshot_ring(const struct trace_array *tr)
{
	return NULL;
}

static inline struct strobe_ring *instance_snapshot_twin(const struct trace_array *tr)
{
	return NULL;
}

static inline void instance_snapshot_destroy(struct trace_array *tr)
{
}

static inline int instance_map_get(struct trace_array *tr)
{
	return 0;
}

static inline void instance_map_put(struct trace_array *tr)
{
}

#endif /* CONFIG_TRACER_SNAPSHOT */

#endif /* _STROBE_INSTANCE_SNAPSHOT_H */
