// SPDX-License-Identifier: GPL-2.0
/*
 * Render a record as text.
 *
 * A record's text consists of a line on lost records, a line on the first record
 * of a CPU, the context columns (task, CPU, flags, time), and the event's own
 * text. The columns and forms are ABI: scripts and perf parse them.
 *
 *	            bash-1234    [002] d..2.   123.456789: sched_switch: ...
 *	            comm-pid     [cpu] flags   time      : event
 *
 * This file has no state; a reader's state is in its struct output_ctx.
 *
 * Contexts: any, under strobe_event_read_lock() while events may be unregistered (an oops
 * dumps without it). A recorded pointer is followed only if strobe_follow_is_lasting(), and
 * with nofault reads; follow.c does the checks for the texts of events.
 */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/hex.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include <linux/strobe/event.h>

#include "event/event.h"
#include "event/fields.h"
#include "event/ftrace_entries.h"
#include "output/follow.h"
#include "output/formats.h"
#include "output/output.h"
#include "output/text.h"
#include "record/comm.h"

/**
 * strobe_output_usecs - convert nanoseconds to microseconds, rounded to nearest
 * @nsecs: nanoseconds
 *
 * Context: any.
 * Return: microseconds
 */
u64 strobe_output_usecs(u64 nsecs)
{
	return div_u64(nsecs + 500, NSEC_PER_USEC);
}

/*
 * The columns of the normal context are not formatted by printf(), which would take as
 * many instructions for them as for the rest of the line.
 */
#define COLUMN_MAX	24	/* bytes; enough for any number with its blanks */

/* "%16s-%-7d " */
static char *column_task(char *pos, const char comm[TASK_COMM_LEN], int pid)
{
	size_t len = strnlen(comm, TASK_COMM_LEN);
	char *start;

	/* Copy all of @comm: lengths that are constant need no loop. */
	memset(pos, ' ', TASK_COMM_LEN);
	memcpy(pos + TASK_COMM_LEN - len, comm, TASK_COMM_LEN);
	pos += TASK_COMM_LEN;
	*pos++ = '-';
	start = pos;
	memset(start, ' ', 8);
	if (pid < 0)
		*pos++ = '-';
	pos = max(strobe_text_dec(pos, abs((s64)pid), 0), start + 7);
	*pos++ = ' ';
	return pos;
}

static char *column_time(char *pos, u64 ts, bool in_ns)
{
	u32 usecs;
	u64 secs;

	*pos++ = ' ';
	if (!in_ns)
		return strobe_text_dec(pos, ts, 12);
	secs = div_u64_rem(strobe_output_usecs(ts), USEC_PER_SEC, &usecs);
	pos = strobe_text_dec(pos, secs, 5);
	*pos++ = '.';
	return strobe_text_dec_digits(pos, usecs, 6);
}

static char irqs_column(unsigned int flags)
{
	if (flags & TRACE_FLAG_IRQS_OFF)
		return flags & TRACE_FLAG_BH_OFF ? 'D' : 'd';
	if (flags & TRACE_FLAG_BH_OFF)
		return 'b';
	return flags & TRACE_FLAG_IRQS_NOSUPPORT ? 'X' : '.';
}

static char resched_column(unsigned int flags)
{
	if (flags & TRACE_FLAG_NEED_RESCHED)
		return flags & TRACE_FLAG_PREEMPT_RESCHED ? 'N' : 'n';
	return flags & TRACE_FLAG_PREEMPT_RESCHED ? 'p' : '.';
}

static char irq_context_column(unsigned int flags)
{
	if (flags & TRACE_FLAG_NMI)
		return flags & TRACE_FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & TRACE_FLAG_HARDIRQ)
		return flags & TRACE_FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & TRACE_FLAG_SOFTIRQ ? 's' : '.';
}

static char depth_column(unsigned int depth)
{
	return depth ? hex_asc[depth & 0xf] : '.';
}

static char *column_irq_info(char *pos, const struct trace_entry *entry)
{
	*pos++ = irqs_column(entry->flags);
	*pos++ = resched_column(entry->flags);
	*pos++ = irq_context_column(entry->flags);
	*pos++ = depth_column(entry->preempt_count & 0xf);	/* preemption */
	*pos++ = depth_column(entry->preempt_count >> 4);	/* migration */
	return pos;
}

static void output_irq_info(struct trace_seq *s, const struct trace_entry *entry)
{
	char line[COLUMN_MAX];

	trace_seq_putmem(s, line, column_irq_info(line, entry) - line);
}

/* For a task of a previous boot only the pid is known. */
static void output_comm(const struct strobe_ring_record *rec, char comm[TASK_COMM_LEN])
{
	const struct trace_entry *entry = rec->data;

	if (rec->past && entry->pid)
		strscpy(comm, "<...>", TASK_COMM_LEN);
	else
		strobe_comm_lookup(entry->pid, comm);
}

/* The longest context in bytes, and what may be overwritten after it. */
#define CONTEXT_MAX	(8 * COLUMN_MAX)

static char *column_context(char *pos, const struct strobe_ring_record *rec,
			    const struct output_ctx *ctx)
{
	const struct trace_entry *entry = rec->data;
	char comm[TASK_COMM_LEN];

	output_comm(rec, comm);
	pos = column_task(pos, comm, entry->pid);

	if (ctx->options & STROBE_OPT_RECORD_TGID) {
		int tgid = rec->past ? 0 : strobe_tgid_lookup(entry->pid);

		*pos++ = '(';
		if (tgid)
			pos = strobe_text_dec(pos, tgid, 7);
		else
			pos = memset(pos, '-', 7) + 7;
		*pos++ = ')';
		*pos++ = ' ';
	}

	*pos++ = '[';
	if (rec->cpu < 1000)
		pos = strobe_text_dec_digits(pos, rec->cpu, 3);
	else
		pos = strobe_text_dec(pos, rec->cpu, 0);
	*pos++ = ']';
	*pos++ = ' ';
	if (ctx->options & STROBE_OPT_IRQ_INFO)
		pos = column_irq_info(pos, entry);

	pos = column_time(pos, rec->ts, ctx->flags & OUTPUT_TIME_IN_NS);
	*pos++ = ':';
	*pos++ = ' ';
	return pos;
}

/* noinline, as the compiler clears the memory on the stack. */
static noinline void output_context_at_end(struct trace_seq *s,
					   const struct strobe_ring_record *rec,
					   const struct output_ctx *ctx)
{
	char line[CONTEXT_MAX];

	trace_seq_putmem(s, line, column_context(line, rec, ctx) - line);
}

static void output_context(struct trace_seq *s, const struct strobe_ring_record *rec,
			   const struct output_ctx *ctx)
{
	if (s->full || seq_buf_buffer_left(&s->seq) < CONTEXT_MAX)
		output_context_at_end(s, rec, ctx);
	else
		s->seq.len = column_context(s->buffer + s->seq.len, rec, ctx) - s->buffer;
}

/* The mark after the time of a latency line: the order of magnitude of the gap. */
static char gap_mark(u64 nsecs)
{
	static const char marks[] = { '+', '!', '#', '*', '@', '$' };
	u64 limit = 10 * NSEC_PER_USEC;
	char mark = ' ';
	int i;

	for (i = 0; i < ARRAY_SIZE(marks) && nsecs > limit; i++) {
		mark = marks[i];
		limit *= 10;
	}
	return mark;
}

static void output_latency_time(struct trace_seq *s, u64 ts,
				const struct output_ctx *ctx)
{
	bool verbose = ctx->options & STROBE_OPT_VERBOSE;
	u64 since = ts - ctx->start;
	u64 gap = ctx->next_ts - ts;
	u64 since_msec, gap_msec;
	u32 usec, gap_usec;

	if (!(ctx->flags & OUTPUT_TIME_IN_NS)) {
		if (verbose)
			trace_seq_printf(s, "[%016llx] %lld (+%lld): ", ts,
					 since, gap);
		else
			trace_seq_printf(s, " %4lld: ", since);
		return;
	}

	since = strobe_output_usecs(since);
	gap = strobe_output_usecs(gap);
	if (!verbose) {
		trace_seq_printf(s, " %4lldus%c: ", since,
				 gap_mark(gap * NSEC_PER_USEC));
		return;
	}

	since_msec = div_u64_rem(since, USEC_PER_MSEC, &usec);
	gap_msec = div_u64_rem(gap, USEC_PER_MSEC, &gap_usec);
	trace_seq_printf(s, "[%08llx] %lld.%03ums (+%lld.%03ums): ",
			 strobe_output_usecs(ts), since_msec, usec, gap_msec, gap_usec);
}

static void output_latency_context(struct trace_seq *s,
				   const struct strobe_ring_record *rec,
				   const struct output_ctx *ctx)
{
	const struct trace_entry *entry = rec->data;
	char comm[TASK_COMM_LEN];

	output_comm(rec, comm);
	if (ctx->options & STROBE_OPT_VERBOSE) {
		trace_seq_printf(s, "%16s %7d %3d %d %08x %08lx ", comm,
				 entry->pid, rec->cpu, entry->flags,
				 entry->preempt_count & 0xf, ctx->index);
	} else {
		trace_seq_printf(s, "%8.8s-%-7d %3d", comm, entry->pid,
				 rec->cpu);
		output_irq_info(s, entry);
	}
	output_latency_time(s, rec->ts, ctx);
}

/* Task, CPU and time as numbers: binary, hexadecimal or decimal. */
static void output_plain_context(struct trace_seq *s,
				 const struct strobe_ring_record *rec,
				 unsigned int options)
{
	const struct trace_entry *entry = rec->data;

	if (options & STROBE_OPT_BIN) {
		trace_seq_putmem(s, &entry->pid, sizeof(entry->pid));
		trace_seq_putmem(s, &rec->cpu, sizeof(rec->cpu));
		trace_seq_putmem(s, &rec->ts, sizeof(rec->ts));
	} else if (options & STROBE_OPT_HEX) {
		trace_seq_putmem_hex(s, &entry->pid, sizeof(entry->pid));
		trace_seq_putmem_hex(s, &rec->cpu, sizeof(rec->cpu));
		trace_seq_putmem_hex(s, &rec->ts, sizeof(rec->ts));
	} else {
		trace_seq_printf(s, "%d %d %llu ", entry->pid, rec->cpu,
				 rec->ts);
	}
}

static void output_bytes(struct trace_seq *s, const u8 *bytes, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		trace_seq_printf(s, i ? ",%02x" : "%02x", bytes[i]);
}

static void output_number(struct trace_seq *s, const void *pos, unsigned int size)
{
	switch (size) {
	case 1:
		if (isprint(*(const u8 *)pos))
			trace_seq_printf(s, "'%c'", *(const u8 *)pos);
		trace_seq_printf(s, "(%d)", *(const u8 *)pos);
		break;
	case 2:
		trace_seq_printf(s, "0x%x (%d)", *(const u16 *)pos,
				 *(const u16 *)pos);
		break;
	case 4:
		trace_seq_printf(s, "0x%x (%d)", *(const u32 *)pos,
				 *(const u32 *)pos);
		break;
	case 8:
		trace_seq_printf(s, "0x%llx (%lld)", *(const u64 *)pos,
				 *(const u64 *)pos);
		break;
	default:
		trace_seq_puts(s, "<INVALID-SIZE>");
	}
}

/* A field without a size is text that extends to the record's end; drop its newline. */
static void output_string(struct trace_seq *s, const char *text,
			  unsigned int size, unsigned int left)
{
	unsigned int len = strnlen(text, size ?: left);

	if (!size && len && text[len - 1] == '\n')
		len--;
	trace_seq_putmem(s, text, len);
}

/* Whether the previous boot's kernel had other addresses than this one. */
static bool past_lay_elsewhere(const struct strobe_ring_record *rec)
{
	return rec->past && (rec->past->text_delta || rec->past->data_delta);
}

/* Formats and strings of modules are copies that are never freed. */
static bool pointer_is_lasting(const struct strobe_ring_record *rec,
			       const struct trace_event_call *call, const char *ptr)
{
	return strobe_follow_is_lasting(call, rec->past, ptr) ||
	       (!rec->past && strobe_printk_format_known(ptr));
}

/*
 * Print an address, and the text there unless that may have been freed since. Formats end in a
 * newline, which would break the line here: leave it out.
 */
static void output_pointer(struct trace_seq *s, const struct strobe_ring_record *rec,
			   const struct trace_event_call *call, unsigned long addr)
{
	const char *ptr = (const char *)addr;
	char text[128];
	size_t len;

	trace_seq_printf(s, "(0x%0*lx", (int)(2 * sizeof(long)), addr);
	/* If @ptr is damaged, the bytes there may not be a string. */
	if (!past_lay_elsewhere(rec) && pointer_is_lasting(rec, call, ptr) &&
	    strncpy_from_kernel_nofault(text, ptr, sizeof(text)) >= 0) {
		len = strlen(text);
		if (len && text[len - 1] == '\n')
			text[len - 1] = '\0';
		trace_seq_printf(s, ":%s", text);
	}
	trace_seq_putc(s, ')');
}

static void output_field(struct trace_seq *s, const struct strobe_ring_record *rec,
			 const struct trace_event_call *call,
			 const struct strobe_field *field, unsigned int offset)
{
	const void *pos;
	u32 size;

	trace_seq_printf(s, " %s=", field->name);
	pos = strobe_field_bytes(field, offset, rec->data, rec->len, &size);
	if (!pos) {
		trace_seq_puts(s, "<OVERFLOW>");
		return;
	}

	switch (strobe_field_filter_type(field)) {
	case FILTER_COMM:
	case FILTER_STATIC_STRING:
		output_string(s, pos, size, rec->len - offset);
		break;
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		strobe_output_chars(s, pos, size);
		break;
	case FILTER_PTR_STRING:
		output_pointer(s, rec, call, *(const unsigned long *)pos);
		break;
	case FILTER_TRACE_FN:
		trace_seq_printf(s, "%pS", *(const void **)pos +
				 (rec->past ? rec->past->text_delta : 0));
		break;
	case FILTER_CPU:
	case FILTER_OTHER:
		if (strobe_field_loc(field) == FIELD_VALUE)
			output_number(s, pos, size);
		else
			output_bytes(s, pos, size);
		break;
	default:
		trace_seq_puts(s, "<INVALID-TYPE>");
	}
}

/* Print each field as name and value, for option fields. */
static void output_fields(struct trace_seq *s, const struct strobe_ring_record *rec,
			  const struct trace_event_call *call)
{
	struct strobe_field_iter it;

	trace_seq_printf(s, "%s:", trace_event_name(call));
	strobe_fields_first(&it, call);
	if (!it.field) {
		trace_seq_puts(s, "No fields found\n");
		return;
	}
	for (; it.field; strobe_fields_next(&it))
		output_field(s, rec, call, it.field, it.offset);
	trace_seq_putc(s, '\n');
}

/**
 * strobe_output_print_fields - print a record as option fields shows it
 * @pr: the record
 *
 * For a class whose print format is only for tools.
 *
 * Context: any.
 */
void strobe_output_print_fields(struct strobe_print *pr)
{
	const struct strobe_ring_record rec = { .data = pr->entry, .len = pr->len };

	output_fields(pr->seq, &rec, pr->call);
}

/* Whether the field's bytes are in the record, and end with a NUL if they are text. */
static bool output_field_fits(const struct strobe_ring_record *rec,
			      const struct strobe_field *field, unsigned int offset)
{
	int filter = strobe_field_filter_type(field);
	const u8 *bytes;
	u32 size;

	bytes = strobe_field_bytes(field, offset, rec->data, rec->len, &size);
	if (!bytes || (filter != FILTER_DYN_STRING && filter != FILTER_RDYN_STRING))
		return bytes;
	return size && !bytes[size - 1];
}

/*
 * Whether the event's own print function can render a record of the previous boot. It
 * cannot if the kernel had other addresses, as recorded addresses are wrong now, or if
 * the record's memory has been damaged since. noinline: most records are of this boot.
 */
static noinline bool output_past_is_safe(const struct strobe_ring_record *rec,
					 const struct trace_event_call *call)
{
	struct strobe_field_iter it;

	if (call->type < EVENT_TYPE_FIRST)
		return true;
	if (past_lay_elsewhere(rec))
		return false;
	strobe_for_each_field(&it, call) {
		if (!output_field_fits(rec, it.field, it.offset))
			return false;
	}
	return true;
}

/**
 * strobe_output_set_options - set how records are rendered from an instance's options
 * @ctx: the reader's context
 * @options: STROBE_OPT_* bits
 *
 * Context: any.
 */
void strobe_output_set_options(struct output_ctx *ctx, unsigned int options)
{
	static const struct {
		unsigned int option;
		u32 flag;
	} map[] = {
		{ STROBE_OPT_HASH_PTR,		STROBE_PRINT_HASH_PTR },
		{ STROBE_OPT_SYM_OFFSET,	STROBE_PRINT_SYM_OFFSET },
		{ STROBE_OPT_SYM_ADDR,		STROBE_PRINT_SYM_ADDR },
		{ STROBE_OPT_PRINT_PARENT,	STROBE_PRINT_PARENT },
		{ STROBE_OPT_SYM_USEROBJ,	STROBE_PRINT_SYM_USEROBJ },
		{ STROBE_OPT_VERBOSE,		STROBE_PRINT_VERBOSE },
	};
	int i;

	ctx->options = options;
	ctx->print = 0;
	for (i = 0; i < ARRAY_SIZE(map); i++) {
		if (options & map[i].option)
			ctx->print |= map[i].flag;
	}
}

/* Write the event's own text, including the newline. */
static void output_event(struct trace_seq *s, const struct strobe_ring_record *rec,
			 const struct output_ctx *ctx,
			 struct trace_event_call *call, u32 flags)
{
	struct strobe_print pr = {
		.seq = s,
		.tmp = ctx->tmp,
		.entry = (void *)rec->data,
		.len = rec->len,
		.flags = ctx->print | flags | (rec->past ? STROBE_PRINT_PAST : 0),
		.call = call,
		.text_delta = rec->past ? rec->past->text_delta : 0,
	};

	trace_seq_init(ctx->tmp);
	call->class->print(&pr);
}

/*
 * Write the text of trace_printk() and the markers for option raw. Returns false for
 * other types, which have no raw form, and for records that are damaged (too short).
 * Formats and strings of a previous boot are not printed, as they may have moved.
 */
static bool output_raw_text(struct trace_seq *s, const struct strobe_ring_record *rec)
{
	const struct trace_entry *entry = rec->data;
	const struct bprint_entry *bprint = rec->data;
	const struct bputs_entry *bputs = rec->data;
	const struct print_entry *print = rec->data;

	switch (entry->type) {
	case TRACE_PRINT:
		if (rec->len < offsetof(struct print_entry, buf))
			return false;
		trace_seq_printf(s, "# %lx ", print->ip);
		strobe_output_chars(s, print->buf, rec->len - offsetof(struct print_entry, buf));
		return true;
	case TRACE_BPRINT:
		if (rec->past || rec->len < offsetof(struct bprint_entry, buf) ||
		    !strobe_printk_format_known(bprint->fmt))
			return false;
		trace_seq_printf(s, ": %lx : ", bprint->ip);
		trace_seq_bprintf(s, bprint->fmt, bprint->buf);
		return true;
	case TRACE_BPUTS:
		if (rec->past || rec->len < sizeof(*bputs) ||
		    !strobe_printk_format_known(bputs->str))
			return false;
		trace_seq_printf(s, ": %lx : %s", bputs->ip, bputs->str);
		return true;
	default:
		return false;
	}
}

/* Options bin, hex and raw. Events have no such form: only their type is written. */
static void output_plain(struct trace_seq *s, const struct strobe_ring_record *rec,
			 const struct output_ctx *ctx,
			 struct trace_event_call *call)
{
	const struct trace_entry *entry = rec->data;
	unsigned int options = ctx->options;
	bool numbers = options & (STROBE_OPT_BIN | STROBE_OPT_HEX);

	if (options & STROBE_OPT_CONTEXT_INFO) {
		output_plain_context(s, rec, options);
		if (trace_seq_has_overflowed(s))
			return;
	}

	if (!call && !numbers)
		trace_seq_printf(s, "%d ?\n", entry->type);
	else if (call && entry->type == TRACE_RAW_DATA && !numbers)
		output_event(s, rec, ctx, call, 0);
	else if (call && (numbers || !output_raw_text(s, rec)))
		trace_seq_printf(s, "type: %d\n", entry->type);

	if (options & STROBE_OPT_HEX && !(options & STROBE_OPT_BIN))
		trace_seq_putc(s, '\n');
}

static void output_lost(struct trace_seq *s, const struct strobe_ring_record *rec)
{
	if (rec->lost == ULONG_MAX)
		trace_seq_printf(s, "CPU:%d [LOST EVENTS]\n", rec->cpu);
	else if (rec->lost)
		trace_seq_printf(s, "CPU:%d [LOST %lu EVENTS]\n", rec->cpu,
				 rec->lost);
}

/* Mark the first record of each CPU: after an overwrite they start at different times. */
static void output_cpu_start(struct trace_seq *s,
			     const struct strobe_ring_record *rec,
			     struct output_ctx *ctx)
{
	if (!ctx->started || !(ctx->options & STROBE_OPT_ANNOTATE) ||
	    cpumask_test_and_set_cpu(rec->cpu, ctx->started))
		return;
	if (ctx->index > 1)
		trace_seq_printf(s, "##### CPU %u buffer started ####\n",
				 rec->cpu);
}

static void output_text(struct trace_seq *s, const struct strobe_ring_record *rec,
			struct output_ctx *ctx, struct trace_event_call *call)
{
	const struct trace_entry *entry = rec->data;

	output_cpu_start(s, rec, ctx);
	if (ctx->options & STROBE_OPT_CONTEXT_INFO) {
		if (ctx->flags & OUTPUT_LATENCY)
			output_latency_context(s, rec, ctx);
		else
			output_context(s, rec, ctx);
	}
	if (trace_seq_has_overflowed(s))
		return;

	if (!call)
		trace_seq_printf(s, "Unknown type %d\n", entry->type);
	else if (ctx->options & STROBE_OPT_FIELDS ||
		 (rec->past && !output_past_is_safe(rec, call)))
		output_fields(s, rec, call);
	else
		output_event(s, rec, ctx, call, 0);
}

/* Option printk-msg-only: show trace_printk() and trace_marker without columns. */
static bool wants_message_only(unsigned int type, unsigned int options)
{
	const unsigned int both = STROBE_OPT_PRINTK | STROBE_OPT_PRINTK_MSGONLY;

	return (options & both) == both &&
	       (type == TRACE_PRINT || type == TRACE_BPRINT ||
		type == TRACE_BPUTS);
}

/**
 * strobe_output_record - render one record
 * @s: the sequence to append to
 * @rec: the record; if it is shorter than struct trace_entry, it is shown as damaged
 * @ctx: how to render it
 *
 * Context: any. The caller is between strobe_event_read_lock() and strobe_event_read_unlock()
 * if events may be unregistered.
 * Return: false if @s is full and holds only part of the text. If @s was not empty
 * before, the caller removes that part and tries again with an empty one.
 */
bool strobe_output_record(struct trace_seq *s, const struct strobe_ring_record *rec,
			  struct output_ctx *ctx)
{
	const struct trace_entry *entry = rec->data;
	struct trace_event_call *call;

	output_lost(s, rec);
	if (trace_seq_has_overflowed(s))
		return false;
	if (rec->len < sizeof(*entry)) {
		trace_seq_printf(s, "Damaged record of %u bytes\n", rec->len);
		return !trace_seq_has_overflowed(s);
	}
	/* Ids of modules' events are assigned at load time, and differ between boots. */
	call = strobe_event_find_by_type(entry->type);
	if (rec->past && call && strobe_event_module(call))
		call = NULL;
	if (call && wants_message_only(entry->type, ctx->options))
		output_event(s, rec, ctx, call, STROBE_PRINT_MSGONLY);
	else if (ctx->options & (STROBE_OPT_BIN | STROBE_OPT_HEX | STROBE_OPT_RAW))
		output_plain(s, rec, ctx, call);
	else
		output_text(s, rec, ctx, call);

	return !trace_seq_has_overflowed(s);
}
