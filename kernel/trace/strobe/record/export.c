// SPDX-License-Identifier: GPL-2.0
/*
 * Exports: drivers that get a copy of every record of certain kinds, such as that
 * of the system trace module.
 *
 * States: an export is in the list from register to unregister. strobe_export_kinds is
 * the union of the kinds of all exports; writers walk the list only if it has
 * their kind. For events, STROBE_GATE_EXPORT says so.
 *
 * Contexts: records are exported in any context with preemption off; the list
 * changes in task context.
 *
 * Events that an export fires are not exported: export_busy.
 *
 * Lock order: strobe_event_mutex, strobe_instance_mutex, export_mutex.
 *
 * Barriers: rcu_assign_pointer() publishes an export with its next pointer.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/trace.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "record/gate.h"
#include "record/record.h"
#include "record/trace_array.h"

static DEFINE_MUTEX(export_mutex);
static struct trace_export __rcu *exports;

/* TRACE_EXPORT_* of all exports; written with export_mutex held. */
unsigned int strobe_export_kinds;

/* Levels of context in which exports are being called. */
static DEFINE_PER_CPU(u8, export_busy);

/**
 * strobe_export_record - pass a record to all exports of its kind
 * @entry: the record, beginning with struct trace_entry
 * @len:   its length in bytes
 * @kind:  TRACE_EXPORT_EVENT or TRACE_EXPORT_MARKER
 *
 * A record that is written while an export runs in the same context is not exported.
 *
 * Context: any, preemption off.
 */
notrace void strobe_export_record(const void *entry, u32 len, int kind)
{
	u8 level = record_level_enter(&export_busy);
	struct trace_export *export;

	if (!level)
		return;
	for (export = rcu_dereference_sched(exports); export;
	     export = rcu_dereference_sched(export->next)) {
		if (export->flags & kind)
			export->write(export, entry, len);
	}
	record_level_leave(&export_busy, level);
}

/* strobe_event_mutex and export_mutex held */
static void update_kinds(void)
{
	struct trace_export *export;
	struct trace_array *tr;
	unsigned int kinds = 0;

	for (export = rcu_dereference_protected(exports, true); export;
	     export = rcu_dereference_protected(export->next, true))
		kinds |= export->flags;
	if ((kinds ^ strobe_export_kinds) & TRACE_EXPORT_EVENT) {
		instance_for_each(tr)
			strobe_event_files_set_gate(tr, STROBE_GATE_EXPORT,
						    kinds & TRACE_EXPORT_EVENT);
	}
	WRITE_ONCE(strobe_export_kinds, kinds);
}

/**
 * register_ftrace_export - start to export records
 * @export: the export: ->write is called in any context, with preemption off;
 *	    ->flags says for which kinds
 *
 * Context: task, may sleep.
 * Return: 0, or -1 if ->write is NULL.
 */
int register_ftrace_export(struct trace_export *export)
{
	if (WARN_ON_ONCE(!export->write))
		return -1;
	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	guard(mutex)(&export_mutex);
	rcu_assign_pointer(export->next, rcu_dereference_protected(exports, true));
	rcu_assign_pointer(exports, export);
	update_kinds();
	return 0;
}
EXPORT_SYMBOL_GPL(register_ftrace_export);

/**
 * unregister_ftrace_export - undo register_ftrace_export()
 * @export: the registered export
 *
 * After the return, ->write is not running and is not called again.
 *
 * Context: task, may sleep.
 * Return: 0, or -1 if it was not registered.
 */
int unregister_ftrace_export(struct trace_export *export)
{
	struct trace_export __rcu **link = &exports;
	struct trace_export *pos;

	scoped_guard(mutex, &strobe_event_mutex) {
		guard(mutex)(&strobe_instance_mutex);
		guard(mutex)(&export_mutex);
		while ((pos = rcu_dereference_protected(*link, true)) != export) {
			if (!pos)
				return -1;
			link = &pos->next;
		}
		rcu_assign_pointer(*link, rcu_dereference_protected(export->next, true));
		update_kinds();
	}
	synchronize_rcu();
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_export);
