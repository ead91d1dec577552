/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures and functions that TRACE_EVENT() uses, and the interface of trace
 * events to the rest of the kernel.  <linux/trace_events.h> includes this file, and by it
 * the other ones of events, if CONFIG_STROBE=y.
 *
 * The class with its field table, print format and functions is constant, in rodata.
 * Each event has one small, writable struct trace_event_call.  For each event and
 * instance a struct trace_event_file is allocated, which begins with the probe's sink.
 */
#ifndef _LINUX_STROBE_EVENT_H
#define _LINUX_STROBE_EVENT_H

#include <linux/hardirq.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/strobe/bpf.h>
#include <linux/strobe/dynevent.h>
#include <linux/strobe/entry.h>
#include <linux/strobe/field.h>
#include <linux/strobe/perf.h>
#include <linux/strobe/sink.h>
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>

struct bpf_prog_array;
struct seq_file;
struct strobe_filter;
struct trace_array;
struct trace_event_call;
struct trace_event_file;

/**
 * struct strobe_print - one record being rendered by its class
 * @seq:	the sequence that the text is written to
 * @tmp:	scratch for __print_flags(), __get_buf() and kin; the renderer
 *		empties it before each record
 * @entry:	the record's payload, beginning with struct trace_entry
 * @len:	size of @entry in bytes
 * @flags:	STROBE_PRINT_* bits
 * @call:	the event
 * @text_delta:	to be added to a recorded text address, as the previous boot's kernel
 *		may have been at another address
 */
struct strobe_print {
	struct trace_seq	*seq;
	struct trace_seq	*tmp;
	void			*entry;
	u32			len;
	u32			flags;
	struct trace_event_call	*call;
	long			text_delta;
};

/*
 * Set from the instance's options of the same names.  Event headers can use the first
 * three as "flags", see STROBE_PRINT().
 */
#define STROBE_PRINT_PARENT		BIT(0)	/* print-parent */
#define STROBE_PRINT_SYM_OFFSET		BIT(1)	/* sym-offset */
#define STROBE_PRINT_SYM_ADDR		BIT(2)	/* sym-addr */
#define STROBE_PRINT_SYM_MASK		GENMASK(2, 0)
#define STROBE_PRINT_HASH_PTR		BIT(3)	/* hash-ptr: %p stays hashed */
#define STROBE_PRINT_SYM_USEROBJ	BIT(4)	/* sym-userobj */
#define STROBE_PRINT_MSGONLY		BIT(5)	/* printk-msg-only */
#define STROBE_PRINT_VERBOSE		BIT(6)	/* verbose */
/* The record is of a previous boot: its modules, tasks and pointers are not valid now. */
#define STROBE_PRINT_PAST		BIT(7)

__printf(2, 3)
void strobe_printf(struct strobe_print *pr, const char *fmt, ...);
int strobe_print_within(const struct strobe_print *pr, const void *array, int count, size_t size);

/* A recorded socket address, or one without a family if its length is 0. */
static inline struct sockaddr *strobe_sockaddr(void *addr, unsigned int len)
{
	static const unsigned short none;

	return len ? addr : (struct sockaddr *)&none;
}

/**
 * struct strobe_class_ops - callbacks of classes that TRACE_EVENT() did not make
 * @init:	called once when the event is registered, before it has an id.  The
 *		event is not registered on an error, silently if that is -ENOSYS.
 *		strobe_event_mutex held.
 * @connect:	connect (@on) or disconnect a sink, of which an event may have several; returns
 *		0 or an errno, in which case the sink is not connected, but may have got
 *		records.  strobe_event_mutex held, may sleep.  NULL: the probe is connected to
 *		the tracepoint.
 * @target:	there are perf events for one task (or for all) that there were not before
 *		(@more), or no longer are; see attach/targets.c.  Returns 0 or an errno.
 *		strobe_event_mutex held, may sleep.  NULL: the source is the same for all tasks
 * @field:	returns the description of the event's field @i, or NULL if it has no more.
 *		May fill @buf, and return it.  NULL: the event has the class's table.
 * @print_fmt:	writes the text after "print fmt: "; NULL: the text is constant
 */
struct strobe_class_ops {
	int (*init)(struct trace_event_call *call);
	int (*connect)(struct trace_event_call *call, struct strobe_sink *sink, bool on);
	int (*target)(struct trace_event_call *call, bool more);
	const struct strobe_field *(*field)(const struct trace_event_call *call, unsigned int i,
					    struct strobe_field *buf);
	void (*print_fmt)(struct seq_file *m, const struct trace_event_call *call);
};

/**
 * struct trace_event_class - what events of one DECLARE_EVENT_CLASS() share
 * @system:	name of the subsystem, a directory in events/
 * @fields:	@nr_fields field descriptions, without the common fields
 * @print_fmt:	text of the format file's last line, enum names not resolved
 * @probe:	function to connect to the tracepoint; its data is a strobe_sink
 * @print:	writes the record as one line of text, with its newline
 * @ops:	NULL for classes made by TRACE_EVENT()
 * @nr_fields:	number of @fields
 * @has_sample:	the probe sets the count or the task of perf's sample: it has arguments
 *		marked by __perf_count() or __perf_task()
 * @user_pointers: its pointers come from user space, and must not be followed as kernel
 *		pointers
 */
struct trace_event_class {
	const char			*system;
	const struct strobe_field	*fields;
	const char			*print_fmt;
	void				*probe;
	void				(*print)(struct strobe_print *pr);
	const struct strobe_class_ops	*ops;
	u16				nr_fields;
	bool				has_sample;
	bool				user_pointers;
};

/* struct trace_event_call::flags */
#define TRACE_EVENT_FL_CAP_ANY		BIT(0)	/* any user may open it in perf */
#define TRACE_EVENT_FL_HAS_ID		BIT(1)	/* has a file id despite IGNORE_ENABLE */
#define TRACE_EVENT_FL_IGNORE_ENABLE	BIT(2)	/* engine's own: has no file enable */
#define TRACE_EVENT_FL_TRACEPOINT	BIT(3)	/* @tp is used, not @name */
#define TRACE_EVENT_FL_DYNAMIC		BIT(4)	/* made at run time, not part of a module */
#define TRACE_EVENT_FL_KPROBE		BIT(5)
#define TRACE_EVENT_FL_UPROBE		BIT(6)
#define TRACE_EVENT_FL_EPROBE		BIT(7)
#define TRACE_EVENT_FL_FPROBE		BIT(8)
#define TRACE_EVENT_FL_CUSTOM		BIT(9)	/* custom event that has no tracepoint yet */
#define TRACE_EVENT_FL_UKPROBE		(TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE)

/**
 * struct trace_event_call - one event
 * @class:	its class
 * @tp:		its tracepoint, if TRACE_EVENT_FL_TRACEPOINT
 * @name:	its name, otherwise
 * @next:	the event registered next; strobe_event_mutex
 * @type:	its id, in every record; assigned when it is registered
 * @flags:	TRACE_EVENT_FL_*
 * @no_pointers: strobe_printf() has found that its text follows no pointer
 * @prog_array:	BPF programs that run on its records; protected by RCU, written by
 *		bpf_trace.c under its own lock
 *
 * A class that needs more data for an event embeds this in a struct of its own.
 */
struct trace_event_call {
	const struct trace_event_class	*class;
	union {
		struct tracepoint	*tp;
		const char		*name;
	};
	struct trace_event_call		*next;
	u16				type;
	u16				flags;
	bool				no_pointers;
#ifdef CONFIG_BPF_EVENTS
	struct bpf_prog_array __rcu	*prog_array;
#endif
};

/*
 * Whether the event has its tracepoint: false only for a custom event before
 * trace_custom_event_NAME_update(). Otherwise it can be enabled, and this stays true.
 */
static inline bool event_has_tracepoint(const struct trace_event_call *call)
{
	/*
	 * If this reads flags without CUSTOM, call->tp is the real tracepoint. Pairs with
	 * CUSTOM:A in trace_custom_event_NAME_update().
	 */
	return !(smp_load_acquire(&call->flags) & TRACE_EVENT_FL_CUSTOM);
}

static inline const char *trace_event_name(const struct trace_event_call *call)
{
	if (!(call->flags & TRACE_EVENT_FL_TRACEPOINT))
		return call->name;
	return call->tp ? call->tp->name : NULL;
}

/**
 * struct trace_event_file - one event in one instance
 * @sink:	the sink of its probe
 * @call:	the event
 * @tr:		the instance
 * @list:	in the list of those whose module is unloaded, until no probe uses them
 * @filter:	selects the records, with STROBE_GATE_FILTER; NULL: all.  Written with
 *		strobe_event_mutex held, read with preemption off
 * @filter_error: text of the tracefs file filter after a failed write (strobe_event_mutex)
 * @triggers:	list of struct trigger, protected by RCU
 * @flags:	EVENT_FILE_FL_*; changed with strobe_event_mutex held
 * @ref:	references of the instance and of open tracefs files
 * @sm_ref:	number of users of soft mode (strobe_event_mutex)
 */
struct trace_event_file {
	struct strobe_sink		sink;
	struct trace_event_call		*call;
	struct trace_array		*tr;
	struct list_head		list;
	struct strobe_filter __rcu	*filter;
	char				*filter_error;
	struct hlist_head		triggers;
	unsigned long			flags;
	refcount_t			ref;
	unsigned int			sm_ref;
};

#define EVENT_FILE_FL_ENABLED		BIT(0)
#define EVENT_FILE_FL_RECORDED_CMD	BIT(1)
#define EVENT_FILE_FL_RECORDED_TGID	BIT(2)
#define EVENT_FILE_FL_SOFT_MODE		BIT(5)
#define EVENT_FILE_FL_PID_FILTER	BIT(9)
#define EVENT_FILE_FL_WAS_ENABLED	BIT(10)
#define EVENT_FILE_FL_FREED		BIT(11)

struct trace_event_file *trace_get_event_file(const char *instance, const char *system,
					      const char *event);
void trace_put_event_file(struct trace_event_file *file);
int trace_set_clr_event(const char *system, const char *event, int set);
int trace_array_set_clr_event(struct trace_array *tr, const char *system,
			      const char *event, bool enable);

/* Helpers that event headers use in TP_printk(). */
const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
				  const struct trace_print_flags *flag_array);
const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
				    const struct trace_print_flags *symbol_array);
const char *trace_print_bitmask_seq(struct trace_seq *p, void *bitmask_ptr,
				    unsigned int bitmask_size);
const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int len,
				bool concatenate);
const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count,
				  size_t el_size);
const char *trace_print_hex_dump_seq(struct trace_seq *p, const char *prefix_str,
				     int prefix_type, int rowsize, int groupsize,
				     const void *buf, size_t len, bool ascii);

/* A recorded bitmask: its text, or in the probe, where @seq is a constant NULL, the mask. */
static __always_inline char *strobe_mask(struct trace_seq *seq, void *mask, unsigned int len)
{
	return seq ? (char *)trace_print_bitmask_seq(seq, mask, len) : mask;
}

#endif /* _LINUX_STROBE_EVENT_H */

/*
 * A file may include several headers with TRACE_CUSTOM_EVENT()s, each of which
 * redefines these, so this part is read again at each inclusion.
 */
#ifndef TRACE_CUSTOM_EVENT

#define TRACE_CUSTOM_EVENT(name, proto, args, tstruct, assign, print)
#define DECLARE_CUSTOM_EVENT_CLASS(class, proto, args, tstruct, assign, print)
#define DEFINE_CUSTOM_EVENT(class, name, proto, args)

#endif
