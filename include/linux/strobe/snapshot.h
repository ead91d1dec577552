/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots for which a condition decides, and room for snapshots. The rest is
 * in <linux/kernel.h>.
 */
#ifndef _LINUX_STROBE_SNAPSHOT_H
#define _LINUX_STROBE_SNAPSHOT_H

#include <linux/types.h>

struct trace_array;

/*
 * Shall there be a snapshot, for what @cond_data says? Called in the context of
 * tracing_snapshot_cond(), with interrupts off, one call at a time.
 */
typedef bool (*cond_update_fn_t)(struct trace_array *tr, void *cond_data);

int tracing_alloc_snapshot(void);
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data);
void *tracing_cond_snapshot_data(struct trace_array *tr);
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 cond_update_fn_t update);
int tracing_snapshot_cond_disable(struct trace_array *tr);

#endif /* _LINUX_STROBE_SNAPSHOT_H */
