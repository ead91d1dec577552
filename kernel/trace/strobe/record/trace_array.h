/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct trace_array, a tracing instance: what it consists of, the list of all instances, and
 * their locks. instance/ creates and controls them. It stands here because code that
 * records is the lowest that needs it.
 *
 * Lock order: strobe_event_mutex, then strobe_instance_mutex, then the locks of ring/, or those of
 * ftrace.c (the regex_lock of a hash, ftrace_lock).
 *   strobe_event_mutex     the list of events, event files, enabling
 *   strobe_instance_mutex  the list of instances, their reference counts, options,
 *                   clock, size; ftrace.c calls it trace_types_lock
 */
#ifndef _STROBE_RECORD_TRACE_ARRAY_H
#define _STROBE_RECORD_TRACE_ARRAY_H

#include <linux/init.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <linux/strobe/event.h>

#include "record/comm.h"
#include "record/options.h"
#include "record/pid.h"
#include "ring/ring.h"

struct error_log;
struct ftrace_ops;
struct snapshot_condition;

/**
 * struct strobe_instance_snapshot - snapshot state of an instance
 * @ring: the snapshot ring; created when it is first needed, then constant
 *	(strobe_instance_mutex)
 * @allocated: @ring has the size of the instance's ring, else the smallest one
 *	(written under strobe_instance_mutex)
 * @condition: decides about each snapshot; NULL: none (see instance/snapshot.c)
 * @armed: number of users that may take a snapshot at any time
 * @mapped: number of mappings of the instance's ring to user space; 0 if @armed is not
 */
struct strobe_instance_snapshot {
	struct strobe_ring		*ring;
	bool				allocated;
	struct snapshot_condition	*condition;
	unsigned int			armed;
	unsigned int			mapped;
};

#ifdef CONFIG_FUNCTION_TRACER
/**
 * struct hook_cpu - data of ftrace.c for each instance and CPU
 * @ftrace_ignore_pid: the task whose function calls are for the instance: a pid,
 *		       FTRACE_PID_IGNORE or FTRACE_PID_TRACE
 */
struct hook_cpu {
	int			ftrace_ignore_pid;
};

/* In trace_array.flags: the top instance. */
#define TRACE_ARRAY_FL_GLOBAL	BIT(0)
#endif

/**
 * struct trace_array - an instance
 * @list:          in the list of instances (strobe_instance_mutex)
 * @name:          NULL for the top instance
 * @systems:       names of the event systems it is limited to; NULL: all
 * @ring:          its ring; set before the instance is listed, then constant
 * @region:        memory of a persistent ring (constant)
 * @snapshot:      its snapshot ring and the users of that
 * @pids:          tasks whose events are recorded, or not (strobe_event_mutex; RCU)
 * @options:       STROBE_OPT_* bits (written under strobe_instance_mutex)
 * @start:         the ring's time when it was last reset
 * @clock:         index into strobe_instance_clocks[] (strobe_instance_mutex)
 * @off:           recording is switched off; read only before the instance has a ring
 * @expanded:      the ring has the size that users asked for, not the minimum
 *                 (strobe_instance_mutex)
 * @small:         until it is expanded, the ring has the smallest size, but its files show
 *                 the default one (constant)
 * @stale:         the ring may hold records of events that were unregistered
 * @orphaned:      events that were removed and have left records in the rings
 * @orphans_reset: number of those whose records have been removed by resetting the rings
 *                 (strobe_event_mutex)
 * @switched_on:   how often an event that was off was enabled (written under
 *                 strobe_event_mutex)
 * @refs:          1 while it exists, plus users; see strobe_instance_get()
 * @files:         struct trace_event_file by the event's id, of events that have been
 *                 used (strobe_event_mutex)
 * @print:         event file of ftrace:print, the event of markers; NULL: not used yet
 *                 (written under strobe_event_mutex)
 * @comm:          recorder of the names of its tasks
 * @errors:        the last errors in what users wrote (instance/error_log.c)
 * @fs:            private data of fs/
 *
 * Data of ftrace.c, which names these members (ftrace_lock):
 * @flags:         TRACE_ARRAY_FL_*, constant
 * @ops:           functions hooked for the instance; NULL: none yet
 * @func_probes:   commands of set_ftrace_filter
 * @mod_trace:     functions of modules not yet loaded, from set_ftrace_filter
 * @mod_notrace:   the same, from set_ftrace_notrace
 * @function_pids: tasks whose function calls are for the instance (RCU); NULL: all
 * @function_no_pids: tasks whose function calls are not (RCU); NULL: none
 * @array_buffer:  per-CPU data
 */
struct trace_array {
	struct list_head	list;
	const char		*name;
	const char		*systems;
	struct strobe_ring	*ring;
	struct strobe_ring_region region;
#ifdef CONFIG_TRACER_SNAPSHOT
	struct strobe_instance_snapshot snapshot;
#endif
	struct pid_set __rcu	*pids[PID_LISTS];
	unsigned int		options;
	u64			start;
	unsigned int		clock;
	bool			off;
	bool			expanded;
	bool			small;
	bool			stale;
	unsigned int		orphaned;
	unsigned int		orphans_reset;
	unsigned int		switched_on;
	unsigned int		refs;
	struct xarray		files;
	struct trace_event_file	*print;
	struct comm_recorder	comm;
	struct error_log	*errors;
	void			*fs;
#ifdef CONFIG_FUNCTION_TRACER
	unsigned int		flags;
	struct ftrace_ops	*ops;
	struct list_head	func_probes;
	struct list_head	mod_trace;
	struct list_head	mod_notrace;
	struct pid_set __rcu	*function_pids;
	struct pid_set __rcu	*function_no_pids;
	struct {
		struct hook_cpu __percpu *data;
	} array_buffer;
#endif
};

extern struct trace_array strobe_instance_top;
#define top_instance	(&strobe_instance_top)

extern struct mutex strobe_instance_mutex;
extern struct list_head strobe_instance_list;

/* The top instance comes first. */
#define instance_for_each(tr)						\
	list_for_each_entry((tr), &strobe_instance_list, list)

static inline bool instance_is_top(const struct trace_array *tr)
{
	return tr == top_instance;
}

/* Is its ring persistent? Such an instance has no snapshot and is never removed. */
static inline bool instance_is_kept(const struct trace_array *tr)
{
	return tr->region.start;
}

/* The event file of a registered event; NULL if it has not been used. strobe_event_mutex. */
static inline struct trace_event_file *
instance_event_file(struct trace_array *tr, const struct trace_event_call *call)
{
	return xa_load(&tr->files, call->type);
}

/* True before tracing has been set up, and forever if that failed. */
bool tracing_is_disabled(void);
void __init strobe_tracing_set_up(void);

struct trace_array *strobe_instance_find(const char *name);
int strobe_instance_get(struct trace_array *tr);
void strobe_instance_put(struct trace_array *tr);

#endif /* _STROBE_RECORD_TRACE_ARRAY_H */
