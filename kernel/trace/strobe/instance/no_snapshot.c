// SPDX-License-Identifier: GPL-2.0
/*
 * The snapshot functions of <linux/kernel.h> with CONFIG_TRACER_SNAPSHOT=n: they warn
 * once and do nothing. And the one that ftrace.c calls at boot. Other functions that
 * snapshot.c exports do not exist.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>

/**
 * tracing_snapshot - stub: warn that snapshots are not available
 *
 * Context: any.
 */
void tracing_snapshot(void)
{
	WARN_ONCE(1, "Snapshot feature not enabled, but internal snapshot used");
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

/**
 * tracing_snapshot_alloc - stub: warn that snapshots are not available
 *
 * Context: task.
 */
void tracing_snapshot_alloc(void)
{
	tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

/**
 * ftrace_boot_snapshot - stub: there is nothing to take
 *
 * Context: boot.
 */
void __init ftrace_boot_snapshot(void)
{
}
