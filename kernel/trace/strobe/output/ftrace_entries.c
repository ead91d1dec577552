// SPDX-License-Identifier: GPL-2.0
/*
 * The engine's own records, system "ftrace": their format files, and the text of
 * those that the engine records. This file has no state.
 */
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/stringify.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "output/formats.h"
#include "output/output.h"

/**
 * strobe_print_ip - write the symbol that a kernel address belongs to
 * @s: the sequence to write to
 * @ip: the address, or 0
 * @flags: STROBE_PRINT_SYM_*
 *
 * Context: any.
 */
void strobe_print_ip(struct trace_seq *s, unsigned long ip, u32 flags)
{
	char sym[KSYM_SYMBOL_LEN] = "";

	if (!ip) {
		trace_seq_putc(s, '0');
		return;
	}

	if (IS_ENABLED(CONFIG_KALLSYMS)) {
		if (flags & STROBE_PRINT_SYM_OFFSET)
			sprint_symbol(sym, ip);
		else
			kallsyms_lookup(ip, NULL, NULL, NULL, sym);
	}
	if (is_kretprobe_trampoline(ip))
		trace_seq_puts(s, "[unknown/kretprobe'd]");
	else if (*sym)
		trace_seq_puts(s, sym);
	else
		trace_seq_printf(s, "0x%08lx", ip);

	if (flags & STROBE_PRINT_SYM_ADDR)
		trace_seq_printf(s, " <%016lx>", ip);
}

/* As above for a recorded address; the previous boot's text may have been elsewhere. */
static void print_record_ip(struct strobe_print *pr, unsigned long ip)
{
	strobe_print_ip(pr->seq, ip ? ip + pr->text_delta : 0, pr->flags);
}

static void print_kernel_stack(struct strobe_print *pr)
{
	struct stack_entry *entry = pr->entry;
	unsigned int max = (pr->len - offsetof(struct stack_entry, caller)) / sizeof(long);
	unsigned int i;

	trace_seq_puts(pr->seq, "<stack trace>\n");
	for (i = 0; i < max && entry->caller[i] != ULONG_MAX; i++) {
		if (trace_seq_has_overflowed(pr->seq))
			return;
		trace_seq_puts(pr->seq, " => ");
		print_record_ip(pr, entry->caller[i]);
		trace_seq_putc(pr->seq, '\n');
	}
}

/* Print the file that is mapped at @ip, and the offset. Returns false if it can't. */
static bool print_user_file(struct trace_seq *s, struct mm_struct *mm, unsigned long ip)
{
	const struct vm_area_struct *vma;
	bool shown = false;

	mmap_read_lock(mm);
	vma = find_vma(mm, ip);
	if (vma && vma->vm_file) {
		shown = trace_seq_path(s, file_user_path(vma->vm_file));
		if (shown)
			trace_seq_printf(s, "[+0x%lx]", ip - vma->vm_start);
	}
	mmap_read_unlock(mm);
	return shown;
}

/* Use the memory map of the thread group's leader: the thread may have exited. */
static struct mm_struct *user_stack_mm(const struct strobe_print *pr, int tgid)
{
	struct task_struct *task;
	struct mm_struct *mm = NULL;

	if (!(pr->flags & STROBE_PRINT_SYM_USEROBJ) || pr->flags & STROBE_PRINT_PAST)
		return NULL;

	rcu_read_lock();
	task = find_task_by_vpid(tgid);
	if (task)
		mm = get_task_mm(task);
	rcu_read_unlock();
	return mm;
}

static void print_user_stack(struct strobe_print *pr)
{
	struct userstack_entry *entry = pr->entry;
	struct mm_struct *mm = user_stack_mm(pr, entry->tgid);
	struct trace_seq *s = pr->seq;
	bool file = false;
	unsigned int i;

	trace_seq_puts(s, "<user stack trace>\n");
	for (i = 0; i < ARRAY_SIZE(entry->caller) && entry->caller[i]; i++) {
		unsigned long ip = entry->caller[i];

		if (trace_seq_has_overflowed(s))
			break;
		trace_seq_puts(s, " => ");
		if (mm)
			file = print_user_file(s, mm, ip);
		if (!file || pr->flags & STROBE_PRINT_SYM_ADDR)
			trace_seq_printf(s, " <%016lx>", ip);
		trace_seq_putc(s, '\n');
	}
	if (mm)
		mmput(mm);
}

/* Print the address that trace_printk() or a marker was called from. */
static void print_from(struct strobe_print *pr, unsigned long ip)
{
	if (pr->flags & STROBE_PRINT_MSGONLY)
		return;
	print_record_ip(pr, ip);
	trace_seq_puts(pr->seq, ": ");
}

static void print_print(struct strobe_print *pr)
{
	struct print_entry *entry = pr->entry;

	print_from(pr, entry->ip);
	strobe_output_chars(pr->seq, entry->buf, pr->len - offsetof(struct print_entry, buf));
}

/* If the format may have been freed, print its address. */
static void print_bprint(struct strobe_print *pr)
{
	struct bprint_entry *entry = pr->entry;

	print_from(pr, entry->ip);
	if (!(pr->flags & STROBE_PRINT_PAST) && strobe_printk_format_known(entry->fmt))
		trace_seq_bprintf(pr->seq, entry->fmt, entry->buf);
	else
		trace_seq_printf(pr->seq, "(0x%px)\n", entry->fmt);
}

static void print_bputs(struct strobe_print *pr)
{
	struct bputs_entry *entry = pr->entry;

	print_from(pr, entry->ip);
	if (!(pr->flags & STROBE_PRINT_PAST) && strobe_printk_format_known(entry->str))
		trace_seq_puts(pr->seq, entry->str);
	else
		trace_seq_printf(pr->seq, "(0x%px)\n", entry->str);
}

static void print_raw_data(struct strobe_print *pr)
{
	struct raw_data_entry *entry = pr->entry;
	u32 i, len = pr->len - offsetof(struct raw_data_entry, buf);

	trace_seq_printf(pr->seq, "# %x buf:", entry->id);
	for (i = 0; i < len; i++)
		trace_seq_printf(pr->seq, " %02x", (u8)entry->buf[i]);
	trace_seq_putc(pr->seq, '\n');
}

/* Types without a printer are never recorded by this engine. */
static void print_internal(struct strobe_print *pr)
{
	static void (*const printers[EVENT_TYPE_FIRST])(struct strobe_print *pr) = {
		[TRACE_STACK]		= print_kernel_stack,
		[TRACE_USER_STACK]	= print_user_stack,
		[TRACE_PRINT]		= print_print,
		[TRACE_BPRINT]		= print_bprint,
		[TRACE_BPUTS]		= print_bputs,
		[TRACE_RAW_DATA]	= print_raw_data,
	};
	/* A shorter record was damaged. */
	static const u16 least[EVENT_TYPE_FIRST] = {
		[TRACE_STACK]		= offsetof(struct stack_entry, caller),
		[TRACE_USER_STACK]	= sizeof(struct userstack_entry),
		[TRACE_PRINT]		= offsetof(struct print_entry, buf),
		[TRACE_BPRINT]		= offsetof(struct bprint_entry, buf),
		[TRACE_BPUTS]		= sizeof(struct bputs_entry),
		[TRACE_RAW_DATA]	= offsetof(struct raw_data_entry, buf),
	};

	if (printers[pr->call->type] && pr->len >= least[pr->call->type])
		printers[pr->call->type](pr);
	else
		trace_seq_printf(pr->seq, "type: %u\n", pr->call->type);
}

/*
 * Expand trace_entries.h again, to field tables for the format files. A nested
 * struct is left out, as its members are listed as well.
 */
#undef FTRACE_ENTRY
#undef FTRACE_ENTRY_DUP
#undef FTRACE_ENTRY_PACKED
#undef FTRACE_ENTRY_REG
#undef F_printk
#undef __array
#undef __dynamic_array
#undef __entry
#undef __field
#undef __field_desc
#undef __field_desc_packed
#undef __field_fn
#undef __field_packed
#undef __field_struct
#undef __stack_array

#define FIELD(type_, name_, size_, len_, align_, filter_) {			\
	.type = type_, .name = name_, .size = size_, .len = len_,		\
	.align = align_, .filter_type = filter_,
#define FIELD_PLAIN(type_, item, align_, filter_)				\
	FIELD(#type_, #item, sizeof(type_), 0, align_, filter_)			\
	.is_signed = is_signed_type(type_) },
#define __field(type, item) FIELD_PLAIN(type, item, __alignof__(type), FILTER_OTHER)
#define __field_fn(type, item) FIELD_PLAIN(type, item, __alignof__(type), FILTER_TRACE_FN)
#define __field_packed(type, item) FIELD_PLAIN(type, item, 1, FILTER_OTHER)
#define __field_desc(type, container, item) __field(type, item)
#define __field_desc_packed(type, container, item) __field_packed(type, item)
#define __field_struct(type, item)
#define __array(type_, item, len_)						\
	FIELD(#type_ "[" __stringify(len_) "]", #item, sizeof(type_[len_]), len_,\
	      __alignof__(type_), FILTER_OTHER)					\
	.is_signed = is_signed_type(type_) },
#define __stack_array(type, item, len, count) __array(type, item, len)
#define __dynamic_array(type_, item)						\
	FIELD(#type_ "[]", #item, 0, 0, __alignof__(type_), FILTER_OTHER)	\
	.is_signed = is_signed_type(type_) },

#define __entry REC
#define F_printk(fmt, args...) __stringify(fmt) ", " __stringify(args)

/* Values of the last argument of FTRACE_ENTRY_REG(): HAS_ID lets perf open the event. */
#define ftrace_event_register TRACE_EVENT_FL_HAS_ID
#define perf_ftrace_event_register 0

#define FTRACE_ENTRY_REG(event, layout, id, members, print_text, reg)		\
	static const struct strobe_field fields_##event[] = { members };	\
	static const struct trace_event_class class_##event = {			\
		.system		= "ftrace",					\
		.fields		= fields_##event,				\
		.nr_fields	= ARRAY_SIZE(fields_##event),			\
		.print_fmt	= print_text,					\
		.print		= print_internal,				\
	};									\
	static struct trace_event_call event_##event = {			\
		.class	= &class_##event,					\
		.name	= #event,						\
		.type	= id,							\
		.flags	= TRACE_EVENT_FL_IGNORE_ENABLE | (reg),			\
	};									\
	static struct trace_event_call __used __section("_ftrace_events")	\
		*__event_##event = &event_##event
#define FTRACE_ENTRY(event, layout, id, members, print_text)			\
	FTRACE_ENTRY_REG(event, layout, id, PARAMS(members), PARAMS(print_text), 0)
#define FTRACE_ENTRY_PACKED FTRACE_ENTRY
#define FTRACE_ENTRY_DUP FTRACE_ENTRY

#include "../../trace_entries.h"
