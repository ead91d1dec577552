/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracing instance: a ring, the state of each event in it, its options and
 * its clock. The top instance always exists; others are created and removed.
 *
 * Locks and their order: record/trace_array.h.
 */
#ifndef _STROBE_INSTANCE_H
#define _STROBE_INSTANCE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <linux/strobe/event.h>

#include "instance/snapshot.h"
#include "record/trace_array.h"

/* Default size in bytes of each CPU's ring, once the instance is used. */
#define INSTANCE_RING_BYTES_DEFAULT	1441792UL

/* Longest text of an option or boot parameter, with its NUL. */
#define INSTANCE_NAME_MAX		100

struct strobe_filter_error;

/* instance.c: creating and removing */
struct trace_array *strobe_instance_create(const char *name, const char *systems);
struct trace_array *strobe_instance_create_small(const char *name);
struct trace_array *strobe_instance_create_kept(const char *name,
						const struct strobe_ring_region *region);
int strobe_instance_destroy(struct trace_array *tr);
int strobe_instance_make_ring(struct trace_array *tr, size_t bytes);

/* control.c: recording on or off, size, contents */
bool strobe_instance_is_on(const struct trace_array *tr);
void strobe_instance_set_on(struct trace_array *tr, bool on);
void strobe_instance_stop(struct trace_array *tr);
void strobe_instance_start(struct trace_array *tr);
int strobe_instance_expand(struct trace_array *tr);
int strobe_instance_use_ring(struct trace_array *tr);
int strobe_instance_use_ring_locked(struct trace_array *tr);
size_t strobe_instance_bytes(const struct trace_array *tr, int cpu);
void strobe_instance_drop_previous_boot(struct trace_array *tr);
void strobe_instance_events_switched_on(struct trace_array *tr, unsigned int since);
int strobe_instance_resize(struct trace_array *tr, size_t bytes, int cpu);
int strobe_instance_set_subbuf_order(struct trace_array *tr, unsigned int order);
void strobe_instance_reset(struct trace_array *tr, int cpu);
void strobe_instance_reset_all(struct trace_array *tr);
size_t strobe_instance_default_bytes(void);

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

/* options.c: names by bit number, none is NULL */
extern const char * const strobe_option_names[STROBE_NR_OPTIONS];

int strobe_instance_set_option(struct trace_array *tr, unsigned int bit, bool on);
int strobe_instance_set_option_string(struct trace_array *tr, char *option);

static inline bool instance_has_option(const struct trace_array *tr,
				       unsigned int bit)
{
	/* Top-only options act on all instances, but only the top one has them. */
	return !(BIT(bit) & STROBE_OPTIONS_TOP_ONLY) || instance_is_top(tr);
}

/* printk.c: the destination of trace_printk() */
int strobe_instance_printk_move(struct trace_array *tr);
void strobe_instance_printk_leave(struct trace_array *tr);

/* The kernel, or a module that has been loaded, uses trace_printk(). */
extern bool strobe_instance_printk_used;
int strobe_instance_printk_record_names(bool on);

/* clock.c */
struct instance_clock {
	u64		(*now)(void);
	const char	*name;
	bool		in_ns;
};

extern const struct instance_clock strobe_instance_clocks[];
extern const unsigned int strobe_instance_nr_clocks;

int strobe_instance_set_clock(struct trace_array *tr, const char *name);
extern bool strobe_boot_clock_chosen;		/* trace_clock= was given */

/* The clock as passed to the ring: NULL for the default, which the ring has built in. */
static inline u64 (*instance_ring_clock(unsigned int clock))(void)
{
	return clock ? strobe_instance_clocks[clock].now : NULL;
}

/* events.c: enabling */
int strobe_event_file_enable(struct trace_event_file *file, bool on);
void strobe_event_file_state(const struct trace_event_file *file, char buf[4]);
char strobe_instance_events_state(struct trace_array *tr, const char *system);
bool strobe_event_call_can_enable(const struct trace_event_call *call);
int strobe_instance_enable_events(struct trace_array *tr, const char *match,
				  const char *system, const char *event, bool on);
int strobe_instance_set_event_string(struct trace_array *tr, char *buf, bool on);
void strobe_instance_disable_all(struct trace_array *tr);
int strobe_event_file_soft_enable(struct trace_event_file *file);
void strobe_event_file_soft_disable(struct trace_event_file *file);
int strobe_event_files_record_comm(struct trace_array *tr, enum comm_what what, bool on);

/* filter.c */
int strobe_event_file_set_filter(struct trace_event_file *file, char *text);
const char *strobe_event_file_filter_text(const struct trace_event_file *file);
void strobe_event_filter_log_error(struct trace_array *tr, const char *text,
				   const struct strobe_filter_error *err);
int strobe_instance_set_system_filter(struct trace_array *tr, const char *system, char *text,
				      char **error);

/* files.c: event files and the events that an instance has */
struct trace_event_file *strobe_event_file_make(struct trace_array *tr,
						struct trace_event_call *call);
struct trace_event_file *strobe_event_file_find(struct trace_array *tr,
						const char *system, const char *event);
void strobe_event_file_get(struct trace_event_file *file);
void strobe_event_file_put(struct trace_event_file *file);
void strobe_event_file_unlist(struct trace_event_file *file);
bool strobe_instance_has_system(const struct trace_array *tr, const char *system);
struct trace_event_call *strobe_instance_next_event(const struct trace_array *tr,
						    const struct trace_event_call *call);
void strobe_event_files_init(void);

/**
 * struct instance_observer - callbacks for instances and event files that come and go
 * @file_removing: an event file will be removed; its event may still be enabled. No new use
 *		  of the file may begin, but its memory stays while references to it are held.
 * @added:	  an instance was created; it has no event files yet. On an errno it is
 *		  not created, and @removing is not called.
 * @disabling:	  an instance will be removed, and its events are about to be disabled: the
 *		  observer must not enable them from now on.
 * @removing:	  an instance will be removed. It has no users left, and its events are
 *		  disabled; its event files are still listed.
 * @removed:	  no probe uses any more what the callbacks above were called for. The
 *		  observer may free its data.
 * @list:	  in the list of observers
 *
 * All are called in task context with strobe_event_mutex held, and those of instances with
 * strobe_instance_mutex held; each may be NULL. Observers are called in the order in which they
 * were registered, and not for event files and instances that exist at that time.
 */
struct instance_observer {
	void	(*file_removing)(struct trace_event_file *file);
	int	(*added)(struct trace_array *tr);
	void	(*disabling)(struct trace_array *tr);
	void	(*removing)(struct trace_array *tr);
	void	(*removed)(void);
	struct list_head list;
};

/* watch.c */
void strobe_instances_watch_events(void);
void strobe_instance_remove_files(struct trace_array *tr);
void strobe_instance_observer_register(struct instance_observer *observer);
int strobe_instance_notify_added(struct trace_array *tr);
void strobe_instance_notify_disabling(struct trace_array *tr);
void strobe_instance_notify_removing(struct trace_array *tr);
void strobe_instance_notify_removed(void);

#endif /* _STROBE_INSTANCE_H */
