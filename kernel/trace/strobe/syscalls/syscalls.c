// SPDX-License-Identifier: GPL-2.0
/*
 * The events of system calls: sys_enter_NAME and sys_exit_NAME.
 *
 * They have no tracepoints of their own. An instance with any of them enabled
 * connects one probe to raw_syscalls:sys_enter or sys_exit, which looks up the
 * event's sink in a table, by the number of the system call. Perf and BPF, and events
 * made from these events, share another set of probes and tables, with a list of sinks
 * for each system call.
 *
 * States of a table entry (written with strobe_event_mutex held, read by the probes)
 *	NULL	the event is off in this instance, or not attached
 *	sink	the event is on: the sink of an event file that is listed and enabled
 *	list	the event is attached: its sinks, in the order in which they came
 * Invariant: the probe is connected if and only if its table has an entry that is
 * not NULL.
 * The tables are allocated when an instance first enables one of these events, and
 * freed with the instance, after its probes. Those for attached events are never freed.
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
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/strobe/syscall.h>
#include <linux/syscalls.h>
#include <trace/events/syscalls.h>

#include <asm/syscall.h>
#include <asm/unistd.h>

#include "event/event.h"
#include "instance/instance.h"

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
 * struct syscall_link - an attached sink of an event
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
 * struct syscall_table - sinks of the enter or of the exit events, by call number
 * @nr:    number of sinks (strobe_event_mutex)
 * @sinks: the sinks of an instance
 * @links: or lists of the attached ones
 */
struct syscall_table {
	unsigned int				nr;
	union {
		struct strobe_sink __rcu	*sinks[NR_syscalls];
		struct syscall_link __rcu	*links[NR_syscalls];
	};
};

struct syscall_files {
	struct syscall_table	enter;
	struct syscall_table	exit;
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

/* The number of the system call, or -1 if it has no events. */
static __always_inline int event_nr(struct pt_regs *regs)
{
	int nr = is_ignored(regs) ? -1 : syscall_get_nr(current, regs);

	return nr < 0 || nr >= NR_syscalls ? -1 : nr;
}

static __always_inline struct strobe_sink *
table_sink(const struct syscall_table *table, int nr)
{
	return nr < 0 ? NULL : rcu_dereference_sched(table->sinks[nr]);
}

static __always_inline struct syscall_link *
table_links(const struct syscall_table *table, int nr)
{
	return nr < 0 ? NULL : rcu_dereference_sched(table->links[nr]);
}

static __always_inline unsigned long args_bytes(const struct trace_event_call *call)
{
	return syscall_of_enter(call)->nr_args * sizeof(unsigned long);
}

/* Fill in a record, except for its struct trace_entry. */
static __always_inline void assign_enter(struct syscall_trace_enter *entry, int nr,
					 struct pt_regs *regs, unsigned long bytes)
{
	unsigned long args[SYSCALL_ARGS_MAX];

	entry->nr = nr;
	syscall_get_arguments(current, regs, args);
	memcpy(entry->args, args, bytes);
}

static __always_inline void assign_exit(struct syscall_trace_exit *entry, int nr,
					struct pt_regs *regs)
{
	entry->nr = nr;
	entry->ret = syscall_get_return_value(current, regs);
}

/*
 * In 6.12.y the probes of system calls disable preemption once more than other
 * probes do; the preemption depth in their records includes that.
 */
static notrace void probe_enter(void *data, struct pt_regs *regs, long id)
{
	struct trace_event_file *file;
	struct strobe_sink *sink;
	struct strobe_reserved res;
	int nr = event_nr(regs);
	unsigned long bytes;

	guard(preempt_notrace)();
	sink = table_sink(data, nr);
	if (!sink)
		return;
	file = container_of(sink, struct trace_event_file, sink);
	bytes = args_bytes(file->call);
	res = strobe_event_reserve(sink, sizeof(struct syscall_trace_enter) + bytes);
	if (!res.entry)
		return;
	assign_enter(res.entry, nr, regs, bytes);
	strobe_event_commit(res.handle);
}

static notrace void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	struct strobe_sink *sink;
	struct strobe_reserved res;
	int nr = event_nr(regs);

	guard(preempt_notrace)();
	sink = table_sink(data, nr);
	if (!sink)
		return;
	res = strobe_event_reserve(sink, sizeof(struct syscall_trace_exit));
	if (!res.entry)
		return;
	assign_exit(res.entry, nr, regs);
	strobe_event_commit(res.handle);
}

/*
 * perf samples the registers of user space. The padding after the number is cleared,
 * because any user may read these records: they must not leak kernel memory.
 */
static __always_inline struct strobe_reserved
reserve_attached(struct strobe_sink *sink, unsigned long bytes, struct pt_regs *regs)
{
	const struct strobe_sample sample = { .count = 1, .regs = regs };
	struct strobe_reserved res;

	res = strobe_event_reserve_sample(sink, DIV_ROUND_UP(bytes, sizeof(u32)), &sample);
	if (res.entry)
		memset(res.entry + sizeof(struct trace_entry), 0, sizeof(u64));
	return res;
}

static __always_inline void enter_attached(struct strobe_sink *sink, int nr, struct pt_regs *regs)
{
	unsigned long bytes = args_bytes(sink->call);
	struct strobe_reserved res;

	res = reserve_attached(sink, sizeof(struct syscall_trace_enter) + bytes, regs);
	if (!res.entry)
		return;
	assign_enter(res.entry, nr, regs, bytes);
	strobe_event_commit(res.handle);
}

static notrace void probe_enter_attached(void *data, struct pt_regs *regs, long id)
{
	struct syscall_link *link;
	int nr = event_nr(regs);

	for (link = table_links(data, nr); link; link = rcu_dereference_sched(link->next))
		enter_attached(link->sink, nr, regs);
}

static __always_inline void exit_attached(struct strobe_sink *sink, int nr, struct pt_regs *regs)
{
	struct strobe_reserved res;

	res = reserve_attached(sink, sizeof(struct syscall_trace_exit), regs);
	if (!res.entry)
		return;
	assign_exit(res.entry, nr, regs);
	strobe_event_commit(res.handle);
}

static notrace void probe_exit_attached(void *data, struct pt_regs *regs, long ret)
{
	struct syscall_link *link;
	int nr = event_nr(regs);

	for (link = table_links(data, nr); link; link = rcu_dereference_sched(link->next))
		exit_attached(link->sink, nr, regs);
}

/* Enabling; strobe_event_mutex held. */

typedef void syscall_probe_t(void *data, struct pt_regs *regs, long val);

/* How a table's probe is connected to its tracepoint. */
struct syscall_tracepoint {
	int	(*connect)(syscall_probe_t *probe, void *data);
	int	(*disconnect)(syscall_probe_t *probe, void *data);
};

static const struct syscall_tracepoint on_enter = {
	register_trace_sys_enter, unregister_trace_sys_enter
};

static const struct syscall_tracepoint on_exit = {
	register_trace_sys_exit, unregister_trace_sys_exit
};

/* Count one more sink, which the caller sets afterwards. The first one connects the probe. */
static int table_get(struct syscall_table *table, const struct syscall_tracepoint *tp,
		     syscall_probe_t *probe)
{
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	ret = table->nr ? 0 : tp->connect(probe, table);
	if (!ret)
		table->nr++;
	return ret;
}

/* Undo table_get(), after the sink is gone. */
static void table_put(struct syscall_table *table, const struct syscall_tracepoint *tp,
		      syscall_probe_t *probe)
{
	lockdep_assert_held(&strobe_event_mutex);
	if (!--table->nr)
		tp->disconnect(probe, table);
}

/* An instance: one sink for an event. */

static int files_make(struct syscall_files **files)
{
	if (!*files)
		*files = kvzalloc(sizeof(**files), GFP_KERNEL);
	return *files ? 0 : -ENOMEM;
}

static int sink_set(struct syscall_table *table, const struct syscall_tracepoint *tp,
		    syscall_probe_t *probe, int nr, struct strobe_sink *sink)
{
	int ret = sink ? table_get(table, tp, probe) : 0;

	if (ret)
		return ret;
	rcu_assign_pointer(table->sinks[nr], sink);
	if (!sink)
		table_put(table, tp, probe);
	return 0;
}

static int enter_enable(struct trace_event_call *call,
			struct trace_event_file *file, bool on)
{
	return files_make(&file->tr->syscalls) ?:
	       sink_set(&file->tr->syscalls->enter, &on_enter, probe_enter,
			syscall_of_enter(call)->nr, on ? &file->sink : NULL);
}

static int exit_enable(struct trace_event_call *call,
		       struct trace_event_file *file, bool on)
{
	return files_make(&file->tr->syscalls) ?:
	       sink_set(&file->tr->syscalls->exit, &on_exit, probe_exit,
			syscall_of_exit(call)->nr, on ? &file->sink : NULL);
}

/* Attached: a list of sinks for an event. */
static struct syscall_files *attached_files;

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

static int link_add(struct syscall_table *table, const struct syscall_tracepoint *tp,
		    syscall_probe_t *probe, int nr, struct strobe_sink *sink)
{
	struct syscall_link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	int ret = link ? table_get(table, tp, probe) : -ENOMEM;

	if (ret) {
		kfree(link);
		return ret;
	}
	link->sink = sink;
	rcu_assign_pointer(*link_find(table, nr, sink), link);
	return 0;
}

/* Needs no memory: it cannot fail. */
static void link_remove(struct syscall_table *table, const struct syscall_tracepoint *tp,
			syscall_probe_t *probe, int nr, struct strobe_sink *sink)
{
	struct syscall_link __rcu **at = link_find(table, nr, sink);
	struct syscall_link *link = rcu_dereference_protected(*at, 1);

	if (WARN_ON_ONCE(!link))
		return;
	rcu_assign_pointer(*at, rcu_dereference_protected(link->next, 1));
	table_put(table, tp, probe);
	kfree_rcu(link, rcu);
}

static int link_set(struct syscall_table *table, const struct syscall_tracepoint *tp,
		    syscall_probe_t *probe, int nr, struct strobe_sink *sink, bool on)
{
	if (on)
		return link_add(table, tp, probe, nr, sink);
	link_remove(table, tp, probe, nr, sink);
	return 0;
}

static int enter_attach(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	return files_make(&attached_files) ?:
	       link_set(&attached_files->enter, &on_enter, probe_enter_attached,
			syscall_of_enter(call)->nr, sink, on);
}

static int exit_attach(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	return files_make(&attached_files) ?:
	       link_set(&attached_files->exit, &on_exit, probe_exit_attached,
			syscall_of_exit(call)->nr, sink, on);
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
	.enable		= enter_enable,
	.attach		= enter_attach,
	.field		= enter_field,
	.print_fmt	= enter_print_fmt,
};

static const struct strobe_class_ops exit_ops = {
	.init		= exit_init,
	.enable		= exit_enable,
	.attach		= exit_attach,
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
