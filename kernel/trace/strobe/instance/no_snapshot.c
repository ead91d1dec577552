// SPDX-License-Identifier: GPL-2.0
/*
 * The snapshot calls of <linux/kernel.h> with CONFIG_TRACER_SNAPSHOT=n: they warn
 * once and do nothing. What else snapshot.c exports is not there.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/kernel.h>

/**
 * tracing_snapshot - take a snapshot of the top instance: not available
 *
 * Context: any.
 */
void tracing_snapshot(void)
{
	WARN_ONCE(1, "Snapshot feature not enabled, but internal snapshot used");
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

/**
 * tracing_snapshot_alloc - make room and take a snapshot: not available
 *
 * Context: task.
 */
void tracing_snapshot_alloc(void)
{
	tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);
