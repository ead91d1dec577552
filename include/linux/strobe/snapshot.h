/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditional snapshots, and allocation of the snapshot ring. The rest of the API
 * is in <linux/kernel.h>.
 */
#ifndef _LINUX_STROBE_SNAPSHOT_H
#define _LINUX_STROBE_SNAPSHOT_H

#include <linux/types.h>

struct trace_array;

/*
 * Returns whether to take a snapshot. Called by tracing_snapshot_cond(), which passes
 * on its @cond_data, with interrupts off; calls are serialised.
 */
typedef bool (*cond_update_fn_t)(struct trace_array *tr, void *cond_data);

int tracing_alloc_snapshot(void);
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data);
void *tracing_cond_snapshot_data(struct trace_array *tr);
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 cond_update_fn_t update);
int tracing_snapshot_cond_disable(struct trace_array *tr);

#endif /* _LINUX_STROBE_SNAPSHOT_H */
