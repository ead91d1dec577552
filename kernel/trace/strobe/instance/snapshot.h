/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of an instance; see snapshot.c.
 */
#ifndef _STROBE_INSTANCE_SNAPSHOT_H
#define _STROBE_INSTANCE_SNAPSHOT_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include <asm/setup.h>

#include "record/trace_array.h"

#ifdef CONFIG_TRACER_SNAPSHOT

/**
 * instance_snapshot_ring - get the snapshot ring of an instance
 * @tr: the instance
 *
 * Context: any.
 * Return: the ring, or NULL if there is none yet; see strobe_instance_snapshot_make()
 */
static inline struct strobe_ring *instance_snapshot_ring(const struct trace_array *tr)
{
	return READ_ONCE(tr->snapshot.ring);
}

/**
 * instance_snapshot_twin - get the snapshot ring if it has the shape of the instance's ring
 * @tr: the instance
 *
 * Context: task; strobe_instance_mutex held.
 * Return: the ring, or NULL if it is not in state allocated
 */
static inline struct strobe_ring *instance_snapshot_twin(const struct trace_array *tr)
{
	lockdep_assert_held(&strobe_instance_mutex);
	return tr->snapshot.allocated ? tr->snapshot.ring : NULL;
}

int strobe_instance_snapshot_make(struct trace_array *tr);
void strobe_instance_snapshot_destroy(struct trace_array *tr);

int strobe_instance_snapshot_take(struct trace_array *tr, int cpu);
int strobe_instance_snapshot_free(struct trace_array *tr, int cpu);
int strobe_instance_snapshot_clear(struct trace_array *tr, int cpu);

void strobe_instance_snapshot(struct trace_array *tr);
int strobe_instance_snapshot_arm(struct trace_array *tr);
void strobe_instance_snapshot_disarm(struct trace_array *tr);

int strobe_instance_map_get(struct trace_array *tr);
void strobe_instance_map_put(struct trace_array *tr);

void __init strobe_snapshot_setup(void);
void __init strobe_snapshot_setup_instance(struct trace_array *tr);

#else

static inline struct strobe_ring *instance_snapshot_ring(const struct trace_array *tr)
{
	return NULL;
}

static inline struct strobe_ring *instance_snapshot_twin(const struct trace_array *tr)
{
	return NULL;
}

static inline void strobe_instance_snapshot_destroy(struct trace_array *tr)
{
}

static inline int strobe_instance_map_get(struct trace_array *tr)
{
	return 0;
}

static inline void strobe_instance_map_put(struct trace_array *tr)
{
}

static inline void strobe_snapshot_setup(void)
{
}

static inline void strobe_snapshot_setup_instance(struct trace_array *tr)
{
}

#endif /* CONFIG_TRACER_SNAPSHOT */

#if IS_ENABLED(CONFIG_KUNIT)
extern char strobe_alloc_instances[COMMAND_LINE_SIZE];
extern bool strobe_alloc_at_boot;
void strobe_instance_snapshot_swap(struct trace_array *tr, void *cond_data);
#endif

#endif /* _STROBE_INSTANCE_SNAPSHOT_H */
