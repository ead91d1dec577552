/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What TRACE_EVENT() expands to, and what the rest of the kernel may know of
 * trace events.  <linux/trace_events.h> is this file when CONFIG_STROBE=y.
 *
 * Constant once compiled, in rodata: the class with its field table, print
 * format and functions.  Changing: one small struct trace_event_call per event.
 * Per event and instance, allocated: struct trace_event_file, which begins with
 * the sink that the probe writes to.
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
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>

struct bpf_prog;
struct bpf_prog_array;
struct bpf_raw_event_map;
struct bpf_raw_tp_link;
struct event_filter;
struct eventfs_inode;
struct perf_event;
struct pt_regs;
struct seq_file;
struct strobe_filter;
struct strobe_ring;
struct strobe_sink;
struct task_struct;
struct trace_array;
struct trace_event_call;
struct trace_event_file;
union bpf_attr;

/* What a string field holds when the pointer recorded was NULL. */
#define EVENT_NULL_STR		"(null)"

/* The longest __vstring(), in bytes with its NUL. */
#define TRACE_EVENT_STR_MAX	512

/* A string that a filter compares with, in bytes; mm's events keep to it too. */
#define MAX_FILTER_STR_VAL	256U

#define PERF_MAX_TRACE_SIZE	8192

/*
 * The header of every record's payload: ABI, described in each format file.
 * @type is the event's id, @flags are TRACE_FLAG_* bits, @preempt_count is
 * the preemption depth in the low and the migrate-disable depth in the high
 * four bits, @pid is the recording task's.
 */
struct trace_entry {
	unsigned short		type;
	unsigned char		flags;
	unsigned char		preempt_count;
	int			pid;
};

static_assert(sizeof(struct trace_entry) == 8);

#define TRACE_EVENT_TYPE_MAX	U16_MAX

/* struct trace_entry::flags: ABI too. */
#define TRACE_FLAG_IRQS_OFF		BIT(0)
#define TRACE_FLAG_IRQS_NOSUPPORT	BIT(1)	/* the arch can't tell */
#define TRACE_FLAG_NEED_RESCHED		BIT(2)
#define TRACE_FLAG_HARDIRQ		BIT(3)
#define TRACE_FLAG_SOFTIRQ		BIT(4)
#define TRACE_FLAG_PREEMPT_RESCHED	BIT(5)
#define TRACE_FLAG_NMI			BIT(6)
#define TRACE_FLAG_BH_OFF		BIT(7)

/* Filter types of fields: the third argument of __field_ext(). */
enum {
	FILTER_OTHER		= 0,
	FILTER_STATIC_STRING	= 1,
	FILTER_DYN_STRING	= 2,
	FILTER_RDYN_STRING	= 3,
	FILTER_PTR_STRING	= 4,
	FILTER_TRACE_FN		= 5,
	FILTER_CPUMASK		= 6,
	FILTER_COMM		= 7,
	FILTER_CPU		= 8,
	FILTER_STACKTRACE	= 9,
};

/**
 * struct strobe_field - one field of an event class, constant
 * @type:	C type as the format file shows it
 * @name:	name of the field
 * @size:	bytes that it takes in the fixed part of the record
 * @len:	elements of an __array(), else 0
 * @align:	alignment in bytes; offsets follow from it and @size, see
 *		event/fields.h
 * @is_signed:	1 if the type (of one element) is signed
 * @filter_type: FILTER_* as the event header gave it
 */
struct strobe_field {
	const char	*type;
	const char	*name;
	u16		size;
	u16		len;
	u8		align;
	u8		is_signed;
	u8		filter_type;
};

/**
 * struct strobe_print - one record being rendered by its class
 * @seq:	where the text goes
 * @tmp:	scratch for __print_flags(), __get_buf() and kin; the renderer
 *		empties it before each record
 * @entry:	the record's payload, beginning with struct trace_entry
 * @len:	bytes of @entry that are there
 * @flags:	STROBE_PRINT_* bits
 * @call:	the event
 * @text_delta:	to be added to an address of code, of a kernel that lay elsewhere
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
 * From the instance's options of the same names.  The first three are what event
 * headers find as "flags", see STROBE_PRINT().
 */
#define STROBE_PRINT_PARENT		BIT(0)	/* print-parent */
#define STROBE_PRINT_SYM_OFFSET		BIT(1)	/* sym-offset */
#define STROBE_PRINT_SYM_ADDR		BIT(2)	/* sym-addr */
#define STROBE_PRINT_SYM_MASK		GENMASK(2, 0)
#define STROBE_PRINT_HASH_PTR		BIT(3)	/* hash-ptr: %p stays hashed */
#define STROBE_PRINT_SYM_USEROBJ	BIT(4)	/* sym-userobj */
#define STROBE_PRINT_MSGONLY		BIT(5)	/* printk-msg-only */
#define STROBE_PRINT_VERBOSE		BIT(6)	/* verbose */
/* The record is of an earlier boot: modules, tasks and pointers were others. */
#define STROBE_PRINT_PAST		BIT(7)

__printf(2, 3)
void strobe_printf(struct strobe_print *pr, const char *fmt, ...);
int strobe_print_within(const struct strobe_print *pr, const void *array, int count, size_t size);

/* A recorded address of a socket; where none was, one of no family. */
static inline struct sockaddr *strobe_sockaddr(void *addr, unsigned int len)
{
	static const unsigned short none;

	return len ? addr : (struct sockaddr *)&none;
}

/**
 * struct strobe_class_ops - what classes do that TRACE_EVENT() did not make
 * @init:	called once when the event is registered, before it has an id; an
 *		errno keeps it out, silently if that is -ENOSYS.  event_mutex held.
 * @enable:	connect (@on) or disconnect @file's sink to what fires the event;
 *		0 or an errno, in which case nothing has changed.  event_mutex
 *		held, may sleep.  NULL: a tracepoint is connected to the probe.
 * @attach:	the same for a sink with STROBE_GATE_ATTACHED; there if @enable is
 * @fields:	the event's field table where it is not the class's; @nr is set to
 *		the number of entries.  May fill @buf, which holds @nr entries
 *		(STROBE_FIELDS_MAX), and return it.
 * @print_fmt:	writes the text behind "print fmt: " where it is not constant
 */
struct strobe_class_ops {
	int (*init)(struct trace_event_call *call);
	int (*enable)(struct trace_event_call *call, struct trace_event_file *file, bool on);
	int (*attach)(struct trace_event_call *call, struct strobe_sink *sink, bool on);
	const struct strobe_field *(*fields)(const struct trace_event_call *call,
					     struct strobe_field *buf, unsigned int *nr);
	void (*print_fmt)(struct seq_file *m, const struct trace_event_call *call);
};

#define STROBE_FIELDS_MAX	8	/* entries of @buf: __syscall_nr and six arguments fit */

/**
 * struct trace_event_class - what events of one DECLARE_EVENT_CLASS() share
 * @system:	name of the subsystem, a folder in events/
 * @fields:	@nr_fields field descriptions, the common ones not among them
 * @print_fmt:	text of the format file's last line, enum names not resolved
 * @probe:	function to connect to the tracepoint; its data is a strobe_sink
 * @print:	writes the record as one line of text, with its newline
 * @ops:	NULL for classes made by TRACE_EVENT()
 * @nr_fields:	number of @fields
 * @has_sample:	the probe knows what perf is to count, or for which task: __perf_count()
 *		or __perf_task() is among its arguments
 * @user_pointers: what its pointers point to is user space's to say: nothing follows
 *		them as kernel pointers
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
#define TRACE_EVENT_FL_HAS_ID		BIT(1)	/* has an id file in spite of IGNORE_ENABLE */
#define TRACE_EVENT_FL_IGNORE_ENABLE	BIT(2)	/* engine's own: has no enable file */
#define TRACE_EVENT_FL_TRACEPOINT	BIT(3)	/* @tp is used, not @name */
#define TRACE_EVENT_FL_DYNAMIC		BIT(4)	/* made at run time, not part of a module */
#define TRACE_EVENT_FL_KPROBE		BIT(5)
#define TRACE_EVENT_FL_UPROBE		BIT(6)
#define TRACE_EVENT_FL_EPROBE		BIT(7)
#define TRACE_EVENT_FL_FPROBE		BIT(8)
#define TRACE_EVENT_FL_CUSTOM		BIT(9)	/* custom event without its tracepoint yet */
#define TRACE_EVENT_FL_UKPROBE		(TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE)

/**
 * struct trace_event_call - one event
 * @class:	what it shares with others
 * @tp:		its tracepoint, if TRACE_EVENT_FL_TRACEPOINT
 * @name:	else its name
 * @next:	the next one registered; event_mutex
 * @type:	its id, in every record; given when it is registered
 * @flags:	TRACE_EVENT_FL_*
 * @no_pointers: its text follows no pointer: strobe_printf() has looked
 * @prog_array:	BPF programs that its records are shown to; written by bpf_trace.c with
 *		a lock of its own, protected by RCU
 *
 * A class that needs more for an event embeds this in a struct of its own.
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
 * Only an attached event can be enabled, and once attached it stays so.
 * Barrier: the acquire pairs with the release in trace_custom_event_NAME_update().
 */
static inline bool event_is_attached(const struct trace_event_call *call)
{
	/* Pairs with the release in trace_custom_event_NAME_update(). */
	return !(smp_load_acquire(&call->flags) & TRACE_EVENT_FL_CUSTOM);
}

static inline const char *trace_event_name(const struct trace_event_call *call)
{
	if (!(call->flags & TRACE_EVENT_FL_TRACEPOINT))
		return call->name;
	return call->tp ? call->tp->name : NULL;
}

/**
 * struct strobe_sink - where a probe's record goes; the probe's data pointer
 * @gate:	0: straight into the ring.  Else STROBE_GATE_* bits, each a reason for
 *		strobe_event_reserve() to take its slow path.
 * @ring:	the instance's ring
 * @call:	with STROBE_GATE_ATTACHED: the event
 * @type:	the event's id
 *
 * Written by the instance, or by attach/; read in any context with preemption off.
 */
struct strobe_sink {
	unsigned long			gate;
	union {
		struct strobe_ring	*ring;
		struct trace_event_call	*call;
	};
	u32				type;
};

#define STROBE_GATE_SOFT_DISABLED	BIT(0)
#define STROBE_GATE_PID			BIT(1)	/* set_event_pid */
#define STROBE_GATE_FILTER		BIT(2)
#define STROBE_GATE_TRIGGER		BIT(3)	/* there are triggers */
#define STROBE_GATE_STACKTRACE		BIT(4)	/* option stacktrace or userstacktrace */
#define STROBE_GATE_PRINTK		BIT(5)	/* tp_printk: to the console too */
#define STROBE_GATE_EXPORT		BIT(6)	/* register_ftrace_export(): a copy for others */
#define STROBE_GATE_TRIGGER_RECORD	BIT(7)	/* some of the triggers look at the record */
#define STROBE_GATE_ATTACHED		BIT(8)	/* no instance's, but perf's and BPF's */
#define STROBE_GATE_ASKS		BIT(9)	/* beside that: only with a struct strobe_sample */

/**
 * struct strobe_room - a record between reserve and commit; in two registers
 * @entry:	the record; NULL: it is not to be recorded
 * @handle:	for strobe_event_commit()
 */
struct strobe_room {
	void		*entry;
	unsigned long	handle;
};

/**
 * struct strobe_sample - what perf is to know of an event beside its record
 * @count: how much it counts
 * @task:  whose event it is too; NULL: nobody's but the one's that fires it
 * @regs:  where it has happened; NULL: where the probe was called
 */
struct strobe_sample {
	u64			count;
	struct task_struct	*task;
	struct pt_regs		*regs;
};

/*
 * A struct strobe_room as a function returns it.  For the struct itself, and for an
 * __int128, GCC aligns the stack of each probe to 16 bytes, which takes two instructions
 * and a frame pointer.  For a complex number, which is returned in the same two
 * registers, it does not.  sparse and genksyms cannot parse complex integers (genksyms
 * would leave the function without a CRC), so they see the struct.  BTF cannot describe
 * them, and a vmlinux.h with one would not compile: no typedef of the type, no typedef
 * of a function with it, no member of it.
 */
#if defined(__CHECKER__) || defined(__GENKSYMS__)
typedef struct strobe_room strobe_room_t;

static inline strobe_room_t strobe_room_pack(void *entry, unsigned long handle)
{
	return (struct strobe_room) { .entry = entry, .handle = handle };
}

static inline struct strobe_room strobe_room_unpack(strobe_room_t room)
{
	return room;
}
#else
#define strobe_room_t unsigned long __complex__

static __always_inline strobe_room_t strobe_room_pack(void *entry, unsigned long handle)
{
	strobe_room_t room;

	__real__ room = (unsigned long)entry;
	__imag__ room = handle;
	return room;
}

static __always_inline struct strobe_room strobe_room_unpack(strobe_room_t room)
{
	return (struct strobe_room) { (void *)__real__ room, __imag__ room };
}
#endif

/*
 * A record's size in words of four bytes, as strobe_event_reserve_words() takes it.
 * One that is too long for the straight path, which has no test for it, has a bit
 * on top with which it fits nowhere.
 */
#define STROBE_WORDS_STRAIGHT	28U
#define STROBE_WORDS_SLOW	BIT(BITS_PER_LONG - 1)

strobe_room_t strobe_event_reserve_words(struct strobe_sink *sink, unsigned long words);
strobe_room_t strobe_event_reserve_sample(struct strobe_sink *sink, unsigned long words,
					  const struct strobe_sample *sample);
void strobe_event_commit(unsigned long handle);

/**
 * strobe_event_reserve - make room for an event's record
 * @sink: where it goes: what the probe got as its data
 * @len:  bytes of the record, struct trace_entry included
 *
 * If the class's has_sample is set, no entry but a handle says: call
 * strobe_event_reserve_sample() instead.
 *
 * Inline, so that little is computed at run time, and nothing from a length that is
 * known.
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: the record, its struct trace_entry filled in, aligned to 4 bytes.
 */
static __always_inline struct strobe_room
strobe_event_reserve(struct strobe_sink *sink, unsigned long len)
{
	unsigned long words = DIV_ROUND_UP(len, sizeof(u32));

	if (!__builtin_constant_p(words))
		OPTIMIZER_HIDE_VAR(words);	/* One register for it and @len. */
	if (unlikely(words > STROBE_WORDS_STRAIGHT)) {
		OPTIMIZER_HIDE_VAR(words);	/* A jump, rather than both ways at once. */
		words |= STROBE_WORDS_SLOW;
	}
	return strobe_room_unpack(strobe_event_reserve_words(sink, words));
}

/* For string fields: EVENT_NULL_STR, a length, and the two halves of __vstring(). */
extern const char strobe_null_str[];
unsigned long strobe_str_bytes(const char *str);
void strobe_str_assign(char *dst, const char *src, unsigned long bytes);
__printf(1, 0)
u32 strobe_vstr_bytes(const char *fmt, va_list *args);
__printf(3, 0)
void strobe_vstr_assign(char *dst, u32 bytes, const char *fmt, va_list *args);

/**
 * struct trace_event_file - one event in one instance
 * @sink:	what its probe writes to
 * @call:	the event
 * @tr:		the instance
 * @list:	in the instance's list of files, in order of registration
 * @ei:		its folder in tracefs
 * @fs:		for fs/ to use
 * @filter:	which records are kept, STROBE_GATE_FILTER; NULL: all are.  Written with
 *		event_mutex held, read with preemption off
 * @filter_error: what the file filter shows after a write that failed (event_mutex)
 * @triggers:	what is done when it fires: struct trigger, protected by RCU
 * @flags:	EVENT_FILE_FL_*; changed with event_mutex held
 * @ref:	the instance's and each open file's reference
 * @sm_ref:	users of soft mode (event_mutex)
 */
struct trace_event_file {
	struct strobe_sink		sink;
	struct trace_event_call		*call;
	struct trace_array		*tr;
	struct list_head		list;
	struct eventfs_inode		*ei;
	void				*fs;
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

/* Helpers that event headers name in TP_printk(). */
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

/* perf and BPF attach to events in kernel/trace/strobe/attach. */
#ifdef CONFIG_PERF_EVENTS

/**
 * struct strobe_perf_perm - who may open an event in perf, for TRACE_EVENT_PERF_PERM()
 * @call:  the event
 * @allow: 0, or the errno that opening it fails with
 * @next:  the next one
 */
struct strobe_perf_perm {
	struct trace_event_call		*call;
	int (*allow)(struct trace_event_call *tp_event, struct perf_event *p_event);
	struct strobe_perf_perm		*next;
};

void strobe_perf_perm_add(struct strobe_perf_perm *perm);

int perf_trace_init(struct perf_event *event);
void perf_trace_destroy(struct perf_event *event);
int perf_trace_add(struct perf_event *event, int flags);
void perf_trace_del(struct perf_event *event, int flags);
void perf_trace_buf_update(void *record, u16 type);
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *filter_str);
void ftrace_profile_free_filter(struct perf_event *event);
int filter_match_preds(struct event_filter *filter, void *rec);
int trace_event_get_offsets(struct trace_event_call *call);

int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
void perf_event_free_bpf_prog(struct perf_event *event);

#endif /* CONFIG_PERF_EVENTS */

#ifdef CONFIG_BPF_EVENTS

unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx);
struct pt_regs *trace_program_regs(void *ctx);
int perf_event_attach_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
void perf_event_detach_bpf_prog(struct perf_event *event);
int perf_event_query_prog_array(struct perf_event *event, void __user *info);
int bpf_probe_register(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link);
int bpf_probe_unregister(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link);
struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name);
void bpf_put_raw_tracepoint(struct bpf_raw_event_map *btp);
int bpf_get_perf_event_info(const struct perf_event *event, u32 *prog_id, u32 *fd_type,
			    const char **buf, u64 *probe_offset, u64 *probe_addr,
			    unsigned long *missed);
int bpf_kprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);
int bpf_uprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);

/* What bpf_trace.c asks about events on kprobes, of which there are none. */
static inline bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	return false;
}

static inline bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	return false;
}

/*
 * What the shims of raw tracepoints call, in attach/bpf.c; @link is the probe's data,
 * the rest its arguments, the first ones in the registers that the shim got them in.
 * bpf_trace.c has the likes of them as bpf_trace_run1() and so on.
 */
#define STROBE_BPF_ARGS1	u64 a0
#define STROBE_BPF_ARGS2	STROBE_BPF_ARGS1, u64 a1
#define STROBE_BPF_ARGS3	STROBE_BPF_ARGS2, u64 a2
#define STROBE_BPF_ARGS4	STROBE_BPF_ARGS3, u64 a3
#define STROBE_BPF_ARGS5	STROBE_BPF_ARGS4, u64 a4
#define STROBE_BPF_ARGS6	STROBE_BPF_ARGS5, u64 a5
#define STROBE_BPF_ARGS7	STROBE_BPF_ARGS6, u64 a6
#define STROBE_BPF_ARGS8	STROBE_BPF_ARGS7, u64 a7
#define STROBE_BPF_ARGS9	STROBE_BPF_ARGS8, u64 a8
#define STROBE_BPF_ARGS10	STROBE_BPF_ARGS9, u64 a9
#define STROBE_BPF_ARGS11	STROBE_BPF_ARGS10, u64 a10
#define STROBE_BPF_ARGS12	STROBE_BPF_ARGS11, u64 a11

#define __STROBE_BPF_DECLARE(n)							\
	void strobe_bpf_run##n(struct bpf_raw_tp_link *link, STROBE_BPF_ARGS##n);	\
	void bpf_trace_run##n(struct bpf_raw_tp_link *link, STROBE_BPF_ARGS##n)

__STROBE_BPF_DECLARE(1);
__STROBE_BPF_DECLARE(2);
__STROBE_BPF_DECLARE(3);
__STROBE_BPF_DECLARE(4);
__STROBE_BPF_DECLARE(5);
__STROBE_BPF_DECLARE(6);
__STROBE_BPF_DECLARE(7);
__STROBE_BPF_DECLARE(8);
__STROBE_BPF_DECLARE(9);
__STROBE_BPF_DECLARE(10);
__STROBE_BPF_DECLARE(11);
__STROBE_BPF_DECLARE(12);

#else /* !CONFIG_BPF_EVENTS: the BPF core is told that there is nothing to attach to */

static inline unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx)
{
	return 1;
}

static inline int perf_event_attach_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
					     u64 bpf_cookie)
{
	return -EOPNOTSUPP;
}

static inline void perf_event_detach_bpf_prog(struct perf_event *event) { }

static inline int perf_event_query_prog_array(struct perf_event *event, void __user *info)
{
	return -EOPNOTSUPP;
}

static inline int bpf_probe_register(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link)
{
	return -EOPNOTSUPP;
}

static inline int bpf_probe_unregister(struct bpf_raw_event_map *btp,
				       struct bpf_raw_tp_link *link)
{
	return -EOPNOTSUPP;
}

static inline struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name)
{
	return NULL;
}

static inline void bpf_put_raw_tracepoint(struct bpf_raw_event_map *btp) { }

static inline int bpf_get_perf_event_info(const struct perf_event *event, u32 *prog_id,
					  u32 *fd_type, const char **buf, u64 *probe_offset,
					  u64 *probe_addr, unsigned long *missed)
{
	return -EOPNOTSUPP;
}

static inline int bpf_kprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	return -EOPNOTSUPP;
}

static inline int bpf_uprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	return -EOPNOTSUPP;
}
#endif /* CONFIG_BPF_EVENTS */

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
