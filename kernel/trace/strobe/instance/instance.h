/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracing instance: a ring, the state of each event in it, its options and
 * its clock. The top instance always exists; others are created and removed.
 *
 * Lock order: event_mutex, then instance_mutex, then the locks of ring/, or those of
 * ftrace.c (the regex_lock of a hash, ftrace_lock).
 *   event_mutex     lists of events and of event files, enabling
 *   instance_mutex  the list of instances, their reference counts, options,
 *                   clock, size; ftrace.c calls it trace_types_lock
 */
#ifndef _STROBE_INSTANCE_H
#define _STROBE_INSTANCE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <linux/strobe/event.h>

#include "event/comm.h"
#include "event/options.h"
#include "instance/pid.h"
#include "instance/snapshot.h"
#include "ring/ring.h"

/* Default size in bytes of each CPU's ring, once the instance is used. */
#define INSTANCE_RING_BYTES_DEFAULT	1441792UL

/* Longest text of an option or boot parameter, with its NUL. */
#define INSTANCE_NAME_MAX		100

struct error_log;
struct ftrace_ops;
struct seq_file;
struct syscall_files;

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
 * @list:          in the list of instances (instance_mutex)
 * @name:          NULL for the top instance
 * @systems:       names of the event systems it is limited to; NULL: all
 * @ring:          its ring; set before the instance is listed, then constant
 * @region:        memory of a persistent ring (constant)
 * @snapshot:      its snapshot ring and the users of that
 * @pids:          tasks whose events are recorded, or not (event_mutex; RCU)
 * @options:       STROBE_OPT_* bits (written under instance_mutex)
 * @start:         the ring's time when it was last reset
 * @clock:         index into instance_clocks[] (instance_mutex)
 * @off:           recording is switched off; read only before the instance has a ring
 * @expanded:      the ring has the size that users asked for, not the minimum
 *                 (instance_mutex)
 * @stale:         the ring may hold records of events that were unregistered
 *                 (event_mutex)
 * @refs:          1 while it exists, plus users; see instance_get()
 * @files:         every struct trace_event_file, in the order of
 *                 available_events (event_mutex)
 * @print:         event file of ftrace:print, the event of markers; NULL: none
 * @comm:          recorder of the names of its tasks
 * @errors:        the last errors in what users wrote (error_log.c)
 * @syscalls:      sinks of enabled system call events by number (syscalls/)
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
	struct instance_snapshot snapshot;
#endif
	struct pid_set __rcu	*pids[PID_LISTS];
	unsigned int		options;
	u64			start;
	unsigned int		clock;
	bool			off;
	bool			expanded;
	bool			stale;
	unsigned int		refs;
	struct list_head	files;
	struct trace_event_file	*print;
	struct comm_recorder	comm;
	struct error_log	*errors;
	struct syscall_files	*syscalls;
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

extern struct trace_array instance_top;
#define top_instance	(&instance_top)

extern struct mutex instance_mutex;
extern struct list_head instance_list;

/* The top instance comes first. */
#define instance_for_each(tr)						\
	list_for_each_entry((tr), &instance_list, list)

static inline bool instance_is_top(const struct trace_array *tr)
{
	return tr == top_instance;
}

/* Is its ring persistent? Such an instance has no snapshot and is never removed. */
static inline bool instance_is_kept(const struct trace_array *tr)
{
	return tr->region.start;
}

/* True before tracing has been set up, and forever if that failed. */
bool tracing_is_disabled(void);

/* instance.c: creating and removing */
struct trace_array *instance_find(const char *name);
int instance_get(struct trace_array *tr);
void instance_put(struct trace_array *tr);
struct trace_array *instance_create(const char *name, const char *systems);
struct trace_array *instance_create_kept(const char *name,
					 const struct strobe_ring_region *region);
int instance_destroy(struct trace_array *tr);

/* instance.c: recording on or off, size, contents */
bool instance_is_on(const struct trace_array *tr);
void instance_set_on(struct trace_array *tr, bool on);
void instance_stop(struct trace_array *tr);
void instance_start(struct trace_array *tr);
int instance_expand(struct trace_array *tr);
void instance_drop_previous_boot(struct trace_array *tr);
void instance_events_switched_on(struct trace_array *tr);
int instance_resize(struct trace_array *tr, size_t bytes, int cpu);
int instance_set_subbuf_order(struct trace_array *tr, unsigned int order);
void instance_reset(struct trace_array *tr, int cpu);
void instance_reset_all(struct trace_array *tr);
size_t instance_default_bytes(void);

/* ftrace.c: its data in an instance, and whether it has stopped patching after an error */
#define FTRACE_DEAD_TEXT "# WARNING: FUNCTION TRACING IS CORRUPTED\n" \
			 "#          MAY BE MISSING FUNCTION EVENTS\n"
#ifdef CONFIG_FUNCTION_TRACER
int ftrace_is_dead(void);
void ftrace_init_trace_array(struct trace_array *tr);
void ftrace_init_global_array_ops(struct trace_array *tr);
void ftrace_pid_follow_fork(struct trace_array *tr, bool enable);
#else
static inline int ftrace_is_dead(void)
{
	return 0;
}

static inline void ftrace_init_trace_array(struct trace_array *tr)
{
}

static inline void ftrace_init_global_array_ops(struct trace_array *tr)
{
}

static inline void ftrace_pid_follow_fork(struct trace_array *tr, bool enable)
{
}
#endif

/* options.c */
int instance_set_option(struct trace_array *tr, unsigned int bit, bool on);
int instance_set_option_string(struct trace_array *tr, char *option);

/*
 * The instance that trace_printk() writes to: the one whose option trace_printk_dest was
 * set last, or the top instance. Valid while preemption is off.
 */
extern struct trace_array *instance_printk_dest;
void instance_printk_move(struct trace_array *tr);

/* The kernel, or a module that has been loaded, uses trace_printk(). */
extern bool instance_printk_used;
int instance_printk_record_names(bool on);

static inline bool instance_has_option(const struct trace_array *tr,
				       unsigned int bit)
{
	/* Top-only options act on all instances, but only the top one has them. */
	return !(BIT(bit) & STROBE_OPTIONS_TOP_ONLY) || instance_is_top(tr);
}

/* clock.c */
struct instance_clock {
	u64		(*now)(void);
	const char	*name;
	bool		in_ns;
};

extern const struct instance_clock instance_clocks[];
extern const unsigned int instance_nr_clocks;

int instance_set_clock(struct trace_array *tr, const char *name);

/* The clock as passed to the ring: NULL for the default, which the ring has built in. */
static inline u64 (*instance_ring_clock(unsigned int clock))(void)
{
	return clock ? instance_clocks[clock].now : NULL;
}

/* events.c: enabling */
int event_file_enable(struct trace_event_file *file, bool on);
void event_file_state(const struct trace_event_file *file, char buf[4]);
char instance_events_state(struct trace_array *tr, const char *system);
bool event_file_can_enable(const struct trace_event_file *file);
int instance_enable_events(struct trace_array *tr, const char *match,
			   const char *system, const char *event, bool on);
int instance_set_event_string(struct trace_array *tr, char *buf, bool on);
void instance_disable_all(struct trace_array *tr);

/* trigger.c */
int event_file_write_trigger(struct trace_event_file *file, char *text);
void event_file_show_triggers(struct seq_file *m, const struct trace_event_file *file);

/* inject.c; event_mutex held */
int event_file_inject(struct trace_event_file *file, char *text);

/* filter.c */
int event_file_set_filter(struct trace_event_file *file, char *text);
const char *event_file_filter_text(const struct trace_event_file *file);
void event_file_free_filter(struct trace_event_file *file);
int instance_set_system_filter(struct trace_array *tr, const char *system, char *text,
			       char **error);

/* files.c: event files */
struct trace_event_file *event_file_find(struct trace_array *tr,
					 const char *system, const char *event);
void event_file_get(struct trace_event_file *file);
void event_file_put(struct trace_event_file *file);
int instance_add_files(struct trace_array *tr);
void instance_remove_files(struct trace_array *tr);
void instances_watch_events(void);

/**
 * struct instance_fs_ops - callbacks of fs/
 * @event_file_added:   an event file was added to an instance that fs/ shows
 * @event_file_removed: an event file is about to be removed; its memory stays while
 *                      references to it are held
 * @instance_added:     an instance was created; its event files are already listed
 * @instance_removed:   an instance is about to be removed; it has no users left, and
 *			its event files are still listed
 *
 * All are called in task context with event_mutex and, for instances, instance_mutex
 * held. If event_file_added() returns an errno, the event has no directory; if
 * instance_added() does, the instance is not created.
 */
struct instance_fs_ops {
	int	(*event_file_added)(struct trace_event_file *file);
	void	(*event_file_removed)(struct trace_event_file *file);
	int	(*instance_added)(struct trace_array *tr);
	void	(*instance_removed)(struct trace_array *tr);
};

void instance_set_fs_ops(const struct instance_fs_ops *ops);

/* marker.c; -EFAULT after "<faulted>" was recorded, -EBADF if nothing could be recorded */
ssize_t instance_marker_write(struct trace_array *tr, unsigned long ip,
			      const char __user *ubuf, size_t cnt);
ssize_t instance_marker_write_raw(struct trace_array *tr,
				  const char __user *ubuf, size_t cnt);

#endif /* _STROBE_INSTANCE_H */
