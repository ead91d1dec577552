// SPDX-License-Identifier: GPL-2.0
/*
 * The events of system calls: sys_enter_NAME and sys_exit_NAME.
 *
 * They have no tracepoints of their own. While any of them has a sink, one probe is connected
 * to raw_syscalls:sys_enter or sys_exit. It finds the sinks of an event in a table, by the
 * number of the system call: those of instances, of perf and BPF, and taps.
 *
 * States of a table entry (written with strobe_event_mutex held, read by the probe)
 *	NULL	the event is off
 *	list	the event is on: its sinks, in the order in which they came
 * Invariant: the probe is connected if and only if its table has an entry that is
 * not NULL.
 *
 * Contexts: the probes run on entry from and exit to user space, with preemption
 * off; all else in task context with strobe_event_mutex held.
 *
 * Barriers: an entry is published by rcu_assign_pointer() and read by
 * rcu_dereference_sched(); sinks and elements of lists are freed after waiting for probes.
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/strobe/syscall.h>
#include <linux/syscalls.h>
#include <linux/tracepoint.h>
#include <trace/events/syscalls.h>

#include <asm/syscall.h>
#include <asm/unistd.h>

#include "event/event.h"

/*
 * Layouts of the two records: ABI, shown in the format files. So are the names of the structures:
 * BPF programs take them from BTF.
 */
struct syscall_trace_enter {
	struct trace_entry	ent;
	int			nr;	/* number of the system call */
	unsigned long		args[];	/* as many as its prototype has */
};

static_assert(offsetof(struct syscall_trace_enter, args) == 16);

struct syscall_trace_exit {
	struct trace_entry	ent;
	int			nr;	/* as above */
	long			ret;	/* an errno if negative */
};

static_assert(sizeof(struct syscall_trace_exit) == 24);

#define SYSCALL_ARGS_MAX	6

/**
 * struct syscall_link - a sink of an event
 * @next: the next one of the event
 * @sink: the sink
 * @rcu:  for freeing this
 */
struct syscall_link {
	struct syscall_link __rcu	*next;
	struct strobe_sink		*sink;
	struct rcu_head			rcu;
};

/**
 * struct syscall_table - the enter or the exit events of all system calls
 * @links: lists of sinks, by the number of the system call
 * @nr:	   number of sinks (strobe_event_mutex)
 * @tp:	   the tracepoint
 * @probe: its probe; the data pointer is the table
 */
struct syscall_table {
	struct syscall_link __rcu	*links[NR_syscalls];
	unsigned int			nr;
	struct tracepoint		*tp;
	void				*probe;
};

/* Probes. */

/* Compat system calls have other numbers: they are not recorded. */
static __always_inline bool is_ignored(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	return arch_trace_is_compat_syscall(regs);
#else
	return false;
#endif
}

/* The sinks of the system call's event; NULL: none, or it has no event. */
static __always_inline struct syscall_link *
table_links(const struct syscall_table *table, struct pt_regs *regs)
{
	unsigned int nr = syscall_get_nr(current, regs);

	if (is_ignored(regs) || nr >= NR_syscalls)
		return NULL;
	return rcu_dereference_sched(table->links[nr]);
}

/* Whether the sink is an instance's, and not one of perf or a tap. */
static __always_inline bool is_of_instance(const struct strobe_sink *sink)
{
	/* These bits are constant. */
	return !(data_race(sink->gate) & (STROBE_GATE_ATTACHED | STROBE_GATE_TAP));
}

/* Fill in a record, except for its struct trace_entry. */
static __always_inline void assign_enter(struct syscall_trace_enter *entry,
					 struct pt_regs *regs, unsigned long bytes)
{
	unsigned long args[SYSCALL_ARGS_MAX];

	entry->nr = syscall_get_nr(current, regs);
	syscall_get_arguments(current, regs, args);
	memcpy(entry->args, args, bytes);
}

static __always_inline void assign_exit(struct syscall_trace_exit *entry, struct pt_regs *regs)
{
	entry->nr = syscall_get_nr(current, regs);
	entry->ret = syscall_get_return_value(current, regs);
}

/*
 * perf samples the registers of user space. The padding after the number is cleared,
 * because any user may read these records: they must not leak kernel memory.
 */
static __always_inline struct strobe_reserved
reserve_attached(struct strobe_sink *sink, unsigned long len, struct pt_regs *regs)
{
	const struct strobe_sample sample = { .count = 1, .regs = regs };
	struct strobe_reserved res;

	res = strobe_event_reserve_sample(sink, DIV_ROUND_UP(len, sizeof(u32)), &sample);
	if (res.entry)
		memset(res.entry + sizeof(struct trace_entry), 0, sizeof(u64));
	return res;
}

static __always_inline void record_enter(struct strobe_sink *sink, bool instance,
					 struct pt_regs *regs)
{
	struct trace_event_call *call = instance ?
		container_of(sink, struct trace_event_file, sink)->call : sink->call;
	unsigned long bytes = syscall_of_enter(call)->nr_args * sizeof(unsigned long);
	unsigned long len = sizeof(struct syscall_trace_enter) + bytes;
	struct strobe_reserved res;

	res = instance ? strobe_event_reserve(sink, len) : reserve_attached(sink, len, regs);
	if (!res.entry)
		return;
	assign_enter(res.entry, regs, bytes);
	strobe_event_commit(res.handle);
}

static __always_inline void record_exit(struct strobe_sink *sink, bool instance,
					struct pt_regs *regs)
{
	const unsigned long len = sizeof(struct syscall_trace_exit);
	struct strobe_reserved res;

	res = instance ? strobe_event_reserve(sink, len) : reserve_attached(sink, len, regs);
	if (!res.entry)
		return;
	assign_exit(res.entry, regs);
	strobe_event_commit(res.handle);
}

/*
 * In 6.12.y the probes of system calls disable preemption once more than other probes do, but
 * not for perf; the preemption depth in the records of instances includes that.
 */
static noinline notrace void record_enter_all(struct syscall_link *link, struct pt_regs *regs)
{
	for (; link; link = rcu_dereference_sched(link->next)) {
		if (is_of_instance(link->sink)) {
			guard(preempt_notrace)();
			record_enter(link->sink, true, regs);
		} else {
			record_enter(link->sink, false, regs);
		}
	}
}

static noinline notrace void record_exit_all(struct syscall_link *link, struct pt_regs *regs)
{
	for (; link; link = rcu_dereference_sched(link->next)) {
		if (is_of_instance(link->sink)) {
			guard(preempt_notrace)();
			record_exit(link->sink, true, regs);
		} else {
			record_exit(link->sink, false, regs);
		}
	}
}

/*
 * Mostly an event has one sink, an instance's: record that one without the loop. [10 on entry,
 * 5 on exit]
 */
static notrace void probe_enter(void *data, struct pt_regs *regs, long id)
{
	struct syscall_link *link = table_links(data, regs);
	struct strobe_sink *sink;

	if (!link)
		return;
	sink = link->sink;
	if (likely(is_of_instance(sink))) {
		scoped_guard(preempt_notrace)
			record_enter(sink, true, regs);
		link = rcu_dereference_sched(link->next);
	}
	if (unlikely(link))
		record_enter_all(link, regs);
}

static notrace void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	struct syscall_link *link = table_links(data, regs);
	struct strobe_sink *sink;

	if (!link)
		return;
	sink = link->sink;
	if (likely(is_of_instance(sink))) {
		scoped_guard(preempt_notrace)
			record_exit(sink, true, regs);
		link = rcu_dereference_sched(link->next);
	}
	if (unlikely(link))
		record_exit_all(link, regs);
}

/* Connecting sinks; strobe_event_mutex held. */

static struct syscall_table enter_table = {
	.tp = &__tracepoint_sys_enter,
	.probe = probe_enter,
};

static struct syscall_table exit_table = {
	.tp = &__tracepoint_sys_exit,
	.probe = probe_exit,
};

/* The pointer to the link of @sink; if there is none, to the end of the list. */
static struct syscall_link __rcu **link_find(struct syscall_table *table, int nr,
					     const struct strobe_sink *sink)
{
	struct syscall_link __rcu **at = &table->links[nr];
	struct syscall_link *link;

	for (; (link = rcu_dereference_protected(*at, 1)); at = &link->next) {
		if (link->sink == sink)
			break;
	}
	return at;
}

static int link_add(struct syscall_table *table, int nr, struct strobe_sink *sink)
{
	struct syscall_link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	int ret = 0;

	if (!link)
		return -ENOMEM;
	if (!table->nr)
		ret = tracepoint_probe_register(table->tp, table->probe, table);
	if (ret) {
		kfree(link);
		return ret;
	}
	table->nr++;
	link->sink = sink;
	rcu_assign_pointer(*link_find(table, nr, sink), link);
	return 0;
}

/* Needs no memory: it cannot fail. */
static void link_remove(struct syscall_table *table, int nr, struct strobe_sink *sink)
{
	struct syscall_link __rcu **at = link_find(table, nr, sink);
	struct syscall_link *link = rcu_dereference_protected(*at, 1);

	if (WARN_ON_ONCE(!link))
		return;
	rcu_assign_pointer(*at, rcu_dereference_protected(link->next, 1));
	if (!--table->nr)
		tracepoint_probe_unregister(table->tp, table->probe, table);
	kfree_rcu(link, rcu);
}

static int link_set(struct syscall_table *table, int nr, struct strobe_sink *sink, bool on)
{
	lockdep_assert_held(&strobe_event_mutex);
	if (on)
		return link_add(table, nr, sink);
	link_remove(table, nr, sink);
	return 0;
}

static int enter_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	return link_set(&enter_table, syscall_of_enter(call)->nr, sink, on);
}

static int exit_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	return link_set(&exit_table, syscall_of_exit(call)->nr, sink, on);
}

/* Fields, print format and text. */

static const struct strobe_field exit_fields[] = {
	{
		.type		= "int",
		.name		= "__syscall_nr",
		.size		= sizeof(int),
		.align		= __alignof__(int),
		.is_signed	= 1,
		.filter_type	= FILTER_OTHER,
	}, {
		.type		= "long",
		.name		= "ret",
		.size		= sizeof(long),
		.align		= __alignof__(long),
		.is_signed	= 1,
		.filter_type	= FILTER_OTHER,
	},
};

/* Parse one argument, "type\0name\0". Returns the start of the next one. */
static const char *arg_split(const char *args, const char **type, const char **name)
{
	*type = args;
	*name = *type + strlen(*type) + 1;
	return *name + strlen(*name) + 1;
}

/* Field 0 is the number, then come the arguments. */
static const struct strobe_field *enter_field(const struct trace_event_call *call, unsigned int i,
					      struct strobe_field *buf)
{
	const struct syscall_metadata *meta = syscall_of_enter(call);
	const char *args = meta->args, *type, *name;

	if (!i)
		return &exit_fields[0];
	if (i > meta->nr_args)
		return NULL;
	while (i--)
		args = arg_split(args, &type, &name);
	*buf = (struct strobe_field) {
		.type		= type,
		.name		= name,
		.size		= sizeof(unsigned long),
		.align		= sizeof(unsigned long),
		.filter_type	= FILTER_OTHER,
	};
	return buf;
}

static void enter_print_fmt(struct seq_file *m, const struct trace_event_call *call)
{
	const struct syscall_metadata *meta = syscall_of_enter(call);
	const char *args = meta->args;
	const char *type, *name;
	unsigned int i;

	seq_putc(m, '"');
	for (i = 0; i < meta->nr_args; i++) {
		args = arg_split(args, &type, &name);
		seq_printf(m, "%s%s: 0x%%0%zulx", i ? ", " : "", name,
			   sizeof(unsigned long));
	}
	seq_putc(m, '"');
	args = meta->args;
	for (i = 0; i < meta->nr_args; i++) {
		args = arg_split(args, &type, &name);
		seq_printf(m, ", ((unsigned long)(REC->%s))", name);
	}
}

static void enter_print(struct strobe_print *pr)
{
	const struct syscall_metadata *meta = syscall_of_enter(pr->call);
	const struct syscall_trace_enter *entry = pr->entry;
	const char *args = meta->args;
	const char *type, *name;
	unsigned int i;

	trace_seq_printf(pr->seq, "sys%s(", syscall_suffix(meta));
	for (i = 0; i < meta->nr_args && struct_size(entry, args, i + 1) <= pr->len; i++) {
		args = arg_split(args, &type, &name);
		if (i)
			trace_seq_printf(pr->seq, ", ");
		if (pr->flags & STROBE_PRINT_VERBOSE)
			trace_seq_printf(pr->seq, "%s ", type);
		trace_seq_printf(pr->seq, "%s: %lx", name, entry->args[i]);
	}
	trace_seq_printf(pr->seq, ")\n");
}

static void exit_print(struct strobe_print *pr)
{
	const struct syscall_trace_exit *entry = pr->entry;

	trace_seq_printf(pr->seq, "sys%s -> 0x%lx\n",
			 syscall_suffix(syscall_of_exit(pr->call)), entry->ret);
}

/* Numbers of the system calls in their metadata. */

#ifndef ARCH_HAS_SYSCALL_MATCH_SYM_NAME
/* Some architectures' symbols begin with ".sys" or "SyS" instead of "sys". */
static bool __init arch_syscall_match_sym_name(const char *sym, const char *name)
{
	return !strcmp(sym + 3, name + 3);
}
#endif

unsigned long __init __weak arch_syscall_addr(int nr)
{
	return (unsigned long)sys_call_table[nr];
}

extern struct syscall_metadata *__start_syscalls_metadata[];
extern struct syscall_metadata *__stop_syscalls_metadata[];

/* The name of one system call at a time, for arch_syscall_match_sym_name(). */
static char syscall_name[KSYM_SYMBOL_LEN + sizeof("sys")] __initdata;

/*
 * Is the function @symbol, of @length characters, the one of the system call? Each
 * architecture compares it with "sys_NAME" in its own way. On those of 64 bits, both end
 * alike if they match, which rules out most symbols.
 */
static bool __init is_syscall_symbol(const char *symbol, size_t length,
				     const struct syscall_metadata *meta)
{
	const char *suffix = syscall_suffix(meta);
	size_t end = strlen(suffix);

	if (length < end || strcmp(symbol + length - end, suffix))
		return false;
	snprintf(syscall_name, sizeof(syscall_name), "sys%s", suffix);
	return arch_syscall_match_sym_name(symbol, syscall_name);
}

static struct syscall_metadata * __init find_metadata(const char *symbol)
{
	const size_t length = strlen(symbol);
	struct syscall_metadata **pos;

	for (pos = __start_syscalls_metadata; pos < __stop_syscalls_metadata; pos++) {
		if (is_syscall_symbol(symbol, length, *pos))
			return *pos;
	}
	return NULL;
}

/*
 * System calls that have metadata but are not in the system call table keep number -1
 * and get no events.
 */
static void __init find_numbers(void)
{
	char symbol[KSYM_SYMBOL_LEN];
	struct syscall_metadata *meta;
	int nr;

	for (nr = 0; nr < NR_syscalls; nr++) {
		if (!kallsyms_lookup(arch_syscall_addr(nr), NULL, NULL, NULL, symbol))
			continue;
		if (arch_syscall_match_sym_name(symbol, "sys_ni_syscall"))
			continue;
		meta = find_metadata(symbol);
		if (meta)
			meta->nr = nr;
	}
}

static bool numbers_found __initdata;

/* __ref: system call events are registered only at boot, when kallsyms works. */
static int __ref check_number(const struct syscall_metadata *meta)
{
	if (!numbers_found) {
		find_numbers();
		numbers_found = true;
	}
	return meta->nr < 0 ? -ENOSYS : 0;
}

static int enter_init(struct trace_event_call *call)
{
	return check_number(syscall_of_enter(call));
}

static int exit_init(struct trace_event_call *call)
{
	return check_number(syscall_of_exit(call));
}

/* Classes. */

static const struct strobe_class_ops enter_ops = {
	.init		= enter_init,
	.connect	= enter_connect,
	.field		= enter_field,
	.print_fmt	= enter_print_fmt,
};

static const struct strobe_class_ops exit_ops = {
	.init		= exit_init,
	.connect	= exit_connect,
};

const struct trace_event_class event_class_syscall_enter = {
	.system		= "syscalls",
	.print		= enter_print,
	.ops		= &enter_ops,
	.user_pointers	= true,
};

const struct trace_event_class event_class_syscall_exit = {
	.system		= "syscalls",
	.fields		= exit_fields,
	.nr_fields	= ARRAY_SIZE(exit_fields),
	.print_fmt	= "\"0x%lx\", REC->ret",
	.print		= exit_print,
	.ops		= &exit_ops,
};
