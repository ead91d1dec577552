// SPDX-License-Identifier: GPL-2.0
/*
 * trace_printk(): write text from any kernel code into an instance's ring.
 *
 * The length of the text is not known before it is formatted, so text, or the packed
 * arguments, is first written to a per-CPU buffer. Each CPU has four of them, one for
 * each level of context. They are allocated only if the kernel, or a loaded module,
 * uses trace_printk(); instance/printk.c asks for them.
 *
 * States of a CPU's buffers: depth, from 0 to BUFFER_LEVELS, is the number in use. A
 * writer that finds all in use records nothing.
 *
 * The destination is the top instance, or the one whose option trace_printk_dest was
 * set last. It is read with preemption off; before an instance is freed,
 * tracepoint_synchronize_unregister() waits for writers that have read it.
 *
 * Contexts: writers any; all else in task context.
 *
 * Lock order: buffers_mutex, which serializes the allocation of the buffers, is a leaf.
 *
 * Barriers: strobe_printk_buffers is published with a release. If buffer_get() reads the pointer,
 * it also sees the buffers initialized, by the address dependency. Depths are CPU-local.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "record/printk.h"
#include "record/record.h"
#include "record/trace_array.h"

#define BUFFER_LEVELS	4
#define BUFFER_BYTES	1024

struct strobe_printk_buffers {
	unsigned int	depth;
	char		text[BUFFER_LEVELS][BUFFER_BYTES] __aligned(4);
};

struct trace_array *strobe_instance_printk_dest __read_mostly = top_instance;

VISIBLE_IF_KUNIT struct strobe_printk_buffers __percpu *strobe_printk_buffers;
static DEFINE_MUTEX(buffers_mutex);

/* Preemption off. Return: NULL if all buffers are in use, or not allocated. */
static char *buffer_get(void)
{
	/* Address dependency: sees the depths as 0. Pairs with PRINTK:A. */
	struct strobe_printk_buffers __percpu *all = READ_ONCE(strobe_printk_buffers);
	struct strobe_printk_buffers *buf;

	if (!all)
		return NULL;
	buf = this_cpu_ptr(all);
	if (buf->depth >= BUFFER_LEVELS)
		return NULL;
	buf->depth++;
	barrier();	/* An interrupt from here on takes the next buffer. */
	return buf->text[buf->depth - 1];
}

static void buffer_put(void)
{
	barrier();
	this_cpu_dec(strobe_printk_buffers->depth);
}

VISIBLE_IF_KUNIT struct strobe_printk_buffers __percpu *strobe_printk_buffers_make(void)
{
	KUNIT_STATIC_STUB_REDIRECT(strobe_printk_buffers_make);

	return alloc_percpu(struct strobe_printk_buffers);
}

/**
 * strobe_printk_buffers_alloc - allocate the buffers, if there are none yet
 *
 * Modules may be loaded, and their notifiers called, in parallel.
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int strobe_printk_buffers_alloc(void)
{
	struct strobe_printk_buffers __percpu *all;

	guard(mutex)(&buffers_mutex);
	if (strobe_printk_buffers)
		return 0;
	all = strobe_printk_buffers_make();
	if (!all) {
		pr_err_once("ERROR: Could not allocate percpu trace_printk buffer\n");
		return -ENOMEM;
	}
	/* PRINTK:A: a reader of the pointer sees all depths as 0. Pairs with buffer_get(). */
	smp_store_release(&strobe_printk_buffers, all);
	return 0;
}

/**
 * trace_array_init_printk - allocate the buffers for trace_array_printk()
 * @tr: an instance, not the top one
 *
 * Context: task, may sleep.
 * Return: 0; -ENOENT if @tr is NULL; -EINVAL if it is the top one; -ENOMEM.
 */
int trace_array_init_printk(struct trace_array *tr)
{
	if (!tr)
		return -ENOENT;
	if (instance_is_top(tr))
		return -EINVAL;
	return strobe_printk_buffers_alloc();
}
EXPORT_SYMBOL_GPL(trace_array_init_printk);

/* Writing. */

static bool printk_off(const struct trace_array *tr)
{
	return tracing_is_disabled() || !READ_ONCE(tr->ring);
}

/* Option trace_printk of the top instance switches trace_printk() for all instances. */
static bool printk_on(void)
{
	return READ_ONCE(top_instance->options) & STROBE_OPT_PRINTK;
}

static bool text_off(const struct trace_array *tr)
{
	return printk_off(tr) || !(READ_ONCE(tr->options) & STROBE_OPT_PRINTK);
}

/* Option userstacktrace is for events alone. Preemption off. */
static void record_printk_stack(struct trace_array *tr, u32 ctx, unsigned long from)
{
	if (READ_ONCE(tr->options) & STROBE_OPT_STACKTRACE)
		strobe_record_kernel_stack(tr->ring, ctx, from, 0);
}

/* Preemption off. @end_line: add a newline if @text does not end in one. */
static bool write_text(struct trace_array *tr, unsigned long ip, u32 ctx, const char *text,
		       size_t len, bool end_line, unsigned long from)
{
	struct strobe_ring_resv resv;
	struct print_entry *entry;

	entry = strobe_record_reserve(tr->ring, TRACE_PRINT, sizeof(*entry) + len + end_line + 1,
				      ctx, &resv);
	if (!entry)
		return false;
	entry->ip = ip;
	memcpy(entry->buf, text, len);
	if (end_line && (!len || text[len - 1] != '\n'))
		entry->buf[len++] = '\n';
	entry->buf[len] = '\0';
	strobe_ring_commit(&resv);
	record_printk_stack(tr, ctx, from);
	return true;
}

/* Preemption off. */
static __printf(5, 0)
int format_text(struct trace_array *tr, unsigned long ip, u32 ctx, unsigned long from,
		const char *fmt, va_list args)
{
	char *text = printk_off(tr) ? NULL : buffer_get();
	int len;

	if (!text)
		return 0;
	len = vscnprintf(text, BUFFER_BYTES, fmt, args);
	write_text(tr, ip, ctx, text, len, false, from);
	buffer_put();
	return len;
}

static __printf(4, 0)
int vprint_text(struct trace_array *tr, unsigned long ip, unsigned long from,
		const char *fmt, va_list args)
{
	u32 ctx = record_context();

	guard(preempt_notrace)();
	return format_text(tr ?: READ_ONCE(strobe_instance_printk_dest), ip, ctx, from, fmt, args);
}

static __printf(3, 0)
int vprint_binary(unsigned long ip, unsigned long from, const char *fmt, va_list args)
{
	u32 ctx = record_context();
	struct strobe_ring_resv resv;
	struct bprint_entry *entry;
	struct trace_array *tr;
	int words = 0;
	u32 *packed;

	guard(preempt_notrace)();
	tr = READ_ONCE(strobe_instance_printk_dest);
	/* A record in a persistent ring may outlive the format: record text. */
	if (instance_is_kept(tr))
		return format_text(tr, ip, ctx, from, fmt, args);
	packed = printk_off(tr) ? NULL : (u32 *)buffer_get();
	if (!packed)
		return 0;
	words = vbin_printf(packed, BUFFER_BYTES / sizeof(u32), fmt, args);
	if (words < 0 || words > BUFFER_BYTES / sizeof(u32))
		goto out;	/* too long; packed arguments cannot be truncated */
	entry = strobe_record_reserve(tr->ring, TRACE_BPRINT,
				      sizeof(*entry) + words * sizeof(u32), ctx, &resv);
	if (entry) {
		entry->ip = ip;
		entry->fmt = fmt;
		memcpy(entry->buf, packed, words * sizeof(u32));
		strobe_ring_commit(&resv);
		record_printk_stack(tr, ctx, from);
	}
out:
	buffer_put();
	return words;
}

/* Functions that trace_printk() and ftrace_vprintk() expand to. */

/**
 * __trace_bprintk - record a format and its arguments in binary form
 * @ip:  address that the record shows as its origin
 * @fmt: the format, which must live as long as records that refer to it; its arguments
 *
 * Context: any.
 * Return: number of 32-bit words that the arguments took; 0 if they were not
 *	   recorded; more than a buffer has, or less than 0, if they were too long.
 */
int __trace_bprintk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (unlikely(!fmt) || !printk_on())
		return 0;
	va_start(args, fmt);
	ret = vprint_binary(ip, _RET_IP_, fmt, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_bprintk);

/**
 * __ftrace_vbprintk - record a format and its arguments in binary form
 * @ip:   address that the record shows as its origin
 * @fmt:  the format, which must live as long as records that refer to it
 * @args: its arguments
 *
 * Context: any.
 * Return: as __trace_bprintk()
 */
int __ftrace_vbprintk(unsigned long ip, const char *fmt, va_list args)
{
	if (unlikely(!fmt) || !printk_on())
		return 0;
	return vprint_binary(ip, _RET_IP_, fmt, args);
}
EXPORT_SYMBOL_GPL(__ftrace_vbprintk);

/**
 * __trace_printk - record text
 * @ip:  address that the record shows as its origin
 * @fmt: the format, and its arguments
 *
 * Context: any.
 * Return: number of characters; 0 if nothing was recorded.
 */
int __trace_printk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (!printk_on())
		return 0;
	va_start(args, fmt);
	ret = vprint_text(NULL, ip, _RET_IP_, fmt, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_printk);

/**
 * __ftrace_vprintk - record text
 * @ip:   address that the record shows as its origin
 * @fmt:  the format
 * @args: its arguments
 *
 * Context: any.
 * Return: number of characters; 0 if nothing was recorded.
 */
int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list args)
{
	if (!printk_on())
		return 0;
	return vprint_text(NULL, ip, _RET_IP_, fmt, args);
}
EXPORT_SYMBOL_GPL(__ftrace_vprintk);

/**
 * trace_array_printk - record text in the caller's instance
 * @tr:  the instance, for which trace_array_init_printk() was called; text for the
 *	 top instance is not recorded
 * @ip:  address that the record shows as its origin
 * @fmt: the format, and its arguments
 *
 * Context: any.
 * Return: number of characters; 0 if nothing was recorded; -ENOENT if @tr is
 *	   NULL.
 */
int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (!tr)
		return -ENOENT;
	if (instance_is_top(tr) || !(READ_ONCE(tr->options) & STROBE_OPT_PRINTK))
		return 0;
	va_start(args, fmt);
	ret = vprint_text(tr, ip, _RET_IP_, fmt, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(trace_array_printk);

/* Record a string, with a newline added if it does not end in one. Preemption off. */
static int put_text(struct trace_array *tr, unsigned long ip, u32 ctx,
		    const char *str, int size, unsigned long from)
{
	if (text_off(tr) || !write_text(tr, ip, ctx, str, size, true, from))
		return 0;
	return size;
}

/**
 * __trace_array_puts - record a string in an instance
 * @tr:   the instance
 * @ip:   address that the record shows as its origin
 * @str:  the string
 * @size: its length
 *
 * Context: any.
 * Return: @size, or 0 if nothing was recorded.
 */
int __trace_array_puts(struct trace_array *tr, unsigned long ip,
		       const char *str, int size)
{
	u32 ctx = record_context();

	guard(preempt_notrace)();
	return put_text(tr, ip, ctx, str, size, _RET_IP_);
}
EXPORT_SYMBOL_GPL(__trace_array_puts);

/**
 * __trace_puts - record a string
 * @ip:   address that the record shows as its origin
 * @str:  the string
 * @size: its length
 *
 * Context: any.
 * Return: @size, or 0 if nothing was recorded.
 */
int __trace_puts(unsigned long ip, const char *str, int size)
{
	u32 ctx = record_context();

	guard(preempt_notrace)();
	return put_text(READ_ONCE(strobe_instance_printk_dest), ip, ctx, str, size, _RET_IP_);
}
EXPORT_SYMBOL_GPL(__trace_puts);

/**
 * __trace_bputs - record the address of a constant string
 * @ip:  address that the record shows as its origin
 * @str: the string, which must live as long as records that refer to it; NULL if
 *	 memory for a copy of a module's text could not be allocated
 *
 * Context: any.
 * Return: 1, or 0 if nothing was recorded.
 */
int __trace_bputs(unsigned long ip, const char *str)
{
	u32 ctx = record_context();
	struct strobe_ring_resv resv;
	struct bputs_entry *entry;
	struct trace_array *tr;

	guard(preempt_notrace)();
	tr = READ_ONCE(strobe_instance_printk_dest);
	if (text_off(tr) || !str)
		return 0;
	if (instance_is_kept(tr)) {
		write_text(tr, ip, ctx, str, strlen(str), false, _RET_IP_);
		return 1;
	}
	entry = strobe_record_reserve(tr->ring, TRACE_BPUTS, sizeof(*entry), ctx, &resv);
	if (!entry)
		return 0;
	entry->ip = ip;
	entry->str = str;
	strobe_ring_commit(&resv);
	record_printk_stack(tr, ctx, _RET_IP_);
	return 1;
}
EXPORT_SYMBOL_GPL(__trace_bputs);

#ifdef CONFIG_STACKTRACE
/**
 * trace_dump_stack - record a stack trace, for debugging
 * @skip: number of callers to skip
 *
 * Context: any.
 */
void trace_dump_stack(int skip)
{
	u32 ctx = record_context();

	if (tracing_is_disabled())
		return;
	guard(preempt_notrace)();
	strobe_record_kernel_stack(READ_ONCE(strobe_instance_printk_dest)->ring, ctx, _RET_IP_,
				   max(skip, 0));
}
EXPORT_SYMBOL_GPL(trace_dump_stack);
#endif
