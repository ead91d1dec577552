/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures and functions that TRACE_EVENT() uses, and the interface of trace
 * events to the rest of the kernel.  <linux/trace_events.h> includes this file if
 * CONFIG_STROBE=y.
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

/* Recorded in a string field if the string's pointer is NULL. */
#define EVENT_NULL_STR		"(null)"

/* The longest __vstring(), in bytes with its NUL. */
#define TRACE_EVENT_STR_MAX	512

/* Size of the longest string in a filter, in bytes; events of mm use it, too. */
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
 * @len:	number of elements of an __array(), else 0
 * @align:	alignment in bytes; offsets follow from it and @size, see
 *		event/fields.h
 * @is_signed:	1 if the type (of one element) is signed
 * @filter_type: FILTER_* as given by the event header
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
 * @enable:	connect (@on) or disconnect @file's sink; returns 0 or an errno, in
 *		which case nothing has changed.  strobe_event_mutex held, may sleep.  NULL:
 *		the probe is connected to the tracepoint.
 * @attach:	the same for a sink with STROBE_GATE_ATTACHED; set if @enable is
 * @fields:	returns the event's own field table, and sets @nr to the number of its
 *		entries.  May fill @buf, which has STROBE_FIELDS_MAX entries, and
 *		return it.  NULL: the event has the class's table.
 * @print_fmt:	writes the text after "print fmt: "; NULL: the text is constant
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
static inline bool event_is_attached(const struct trace_event_call *call)
{
	/*
	 * If this reads flags without CUSTOM, call->tp is the real tracepoint. Pairs with the
	 * release in trace_custom_event_NAME_update().
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
 * struct strobe_sink - where a probe's records go; the probe's data pointer
 * @gate:	0: the fast path.  Else STROBE_GATE_* bits, each a reason for
 *		strobe_event_reserve() to take a slow path.
 * @ring:	the instance's ring
 * @call:	the event, with STROBE_GATE_ATTACHED
 * @type:	the event's id
 *
 * Written by instance/ or attach/, read in any context with preemption off.
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
#define STROBE_GATE_TRIGGER		BIT(3)	/* the event file has triggers */
#define STROBE_GATE_STACKTRACE		BIT(4)	/* option stacktrace or userstacktrace */
#define STROBE_GATE_PRINTK		BIT(5)	/* tp_printk: also print it to the console */
#define STROBE_GATE_EXPORT		BIT(6)	/* register_ftrace_export(): also export it */
#define STROBE_GATE_TRIGGER_RECORD	BIT(7)	/* some of the triggers read the record */
#define STROBE_GATE_ATTACHED		BIT(8)	/* sink of perf and BPF, not of an instance */
#define STROBE_GATE_ASKS		BIT(9)	/* with ATTACHED: needs a struct strobe_sample */

/**
 * struct strobe_reserved - a reserved record, returned in two registers
 * @entry:	the payload; NULL: do not record
 * @handle:	for strobe_event_commit()
 */
struct strobe_reserved {
	void		*entry;
	unsigned long	handle;
};

#define STROBE_NOT_RESERVED	((struct strobe_reserved) { })

/**
 * struct strobe_sample - data for perf in addition to the record
 * @count: the sample's count
 * @task:  another task that the event is also counted for; NULL: none
 * @regs:  registers at the event; NULL: those at the call of the probe
 */
struct strobe_sample {
	u64			count;
	struct task_struct	*task;
	struct pt_regs		*regs;
};

/*
 * Sizes of records in units, as strobe_event_reserve_words() takes them.  The fast path
 * has no test for sizes above STROBE_WORDS_STRAIGHT, which it does not handle: they get
 * a high bit set, so that they do not fit in the current sub-buffer.  An offset in a
 * sub-buffer can be added to any of them without reaching the sign of an int.
 */
#define STROBE_WORDS_STRAIGHT	28U
#define STROBE_WORDS_SLOW	BIT(29)
#define STROBE_WORDS_MASK	(STROBE_WORDS_SLOW - 1)

struct strobe_reserved strobe_event_reserve_words(struct strobe_sink *sink, unsigned long words);
struct strobe_reserved strobe_event_reserve_sample(struct strobe_sink *sink, unsigned long words,
						   const struct strobe_sample *sample);
void strobe_event_commit(unsigned long handle);

/*
 * Call strobe_event_reserve_words().  If a function receives a struct in two registers, GCC
 * gives it a frame pointer on x86-64, where the kernel's stack has less than the alignment
 * of such a struct: three instructions more in each probe.  An asm statement receives two
 * registers without that.  (The stack of UML has the alignment.  KMSAN tells a function by
 * the caller's code which arguments are initialized.)
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML) && !defined(CONFIG_FRAME_POINTER) && \
	!defined(CONFIG_KMSAN)
static __always_inline struct strobe_reserved
strobe_event_call_reserve(struct strobe_sink *sink, unsigned long words)
{
	unsigned long handle;
	void *entry;

	asm volatile("call strobe_event_reserve_words"
		     : "=a" (entry), "=d" (handle), "+D" (sink), "+S" (words)
		     : : "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
	return (struct strobe_reserved) { .entry = entry, .handle = handle };
}
#else
#define strobe_event_call_reserve	strobe_event_reserve_words
#endif

/**
 * strobe_event_reserve - reserve an event's record
 * @sink: the probe's data pointer
 * @len:  size of the payload in bytes, with struct trace_entry
 *
 * If the class's has_sample is set and the result has a handle but no entry, the probe
 * must call strobe_event_reserve_sample() instead.
 *
 * Inline, so that nothing is computed at run time if @len is constant.
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: the payload, aligned to 4 bytes. Its struct trace_entry has been filled in, or
 *	   for some deferred records will be at commit.
 */
static __always_inline struct strobe_reserved
strobe_event_reserve(struct strobe_sink *sink, unsigned long len)
{
	unsigned long words = DIV_ROUND_UP(len, sizeof(u32));

	if (!__builtin_constant_p(words))
		OPTIMIZER_HIDE_VAR(words);	/* Let it reuse the register of @len. */
	if (unlikely(words > STROBE_WORDS_STRAIGHT)) {
		OPTIMIZER_HIDE_VAR(words);	/* Make the compiler use a jump. */
		words = min(words, STROBE_WORDS_MASK) | STROBE_WORDS_SLOW;
	}
	return strobe_event_call_reserve(sink, words);
}

/* For string fields: EVENT_NULL_STR, length and copy of __string() and of __vstring(). */
extern const char strobe_null_str[];
unsigned long strobe_str_bytes(const char *str);
void strobe_str_assign(char *dst, const char *src, unsigned long bytes);
__printf(1, 0)
u32 strobe_vstr_bytes(const char *fmt, va_list *args);
__printf(3, 0)
void strobe_vstr_assign(char *dst, u32 bytes, const char *fmt, va_list *args);

/**
 * struct trace_event_file - one event in one instance
 * @sink:	the sink of its probe
 * @call:	the event
 * @tr:		the instance
 * @list:	in the instance's list of event files, in order of registration
 * @ei:		its directory in tracefs
 * @fs:		private data of fs/
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

/* perf and BPF attach to events in kernel/trace/strobe/attach. */
#ifdef CONFIG_PERF_EVENTS

/**
 * struct strobe_perf_perm - permission check of TRACE_EVENT_PERF_PERM()
 * @call:  the event
 * @allow: returns 0 if perf may open the event, else an errno
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

/* bpf_trace.c calls these for events on kprobes, which this engine does not have. */
static inline bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	return false;
}

static inline bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	return false;
}

/*
 * Functions that the shims of raw tracepoints call, in attach/bpf.c. @link is the probe's
 * data. The arguments follow in the order of the shim, so that the first ones stay in
 * their registers. bpf_trace.c has equivalents, bpf_trace_run1() and so on.
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

#else /* !CONFIG_BPF_EVENTS: attaching programs fails */

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
