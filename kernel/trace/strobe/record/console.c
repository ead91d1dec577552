// SPDX-License-Identifier: GPL-2.0
/*
 * tp_printk: print events to the console as they fire.
 *
 * This is available if the kernel was booted with tp_printk, for which the buffers are
 * allocated; then the sysctl kernel.tracepoint_printk switches it on and off. While it is
 * on, every event file has STROBE_GATE_PRINTK.
 *
 * Contexts: records are printed in any context except NMI, which may have interrupted
 * printing on the same CPU. printk() itself defers messages of events that its own locks
 * fire. printk_deferred() is not used: the interrupt that flushes deferred messages to the
 * consoles fires events, which would be printed again, in an endless loop.
 *
 * Lock order: strobe_event_mutex, strobe_instance_mutex. printk() is called without a lock of this
 * file: it may wait for another CPU that writes to a console and fires events there. So each
 * CPU has its own buffer, which the printing context uses with interrupts off.
 */
#include <kunit/visibility.h>

#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/trace_seq.h>
#include <linux/vmalloc.h>

#include "event/event.h"
#include "record/gate.h"
#include "record/record.h"
#include "record/trace_array.h"

/* Read and written by the sysctl, under strobe_event_mutex. */
int tracepoint_printk;

static bool stop_on_boot __initdata;

/* For each CPU: the text of one record, and memory for the helpers of TP_printk(). */
VISIBLE_IF_KUNIT struct console_buffer {
	struct trace_seq	text;
	struct trace_seq	tmp;
} *strobe_console_buffers;

/* Levels of context in which a record is being printed. */
static DEFINE_PER_CPU(u8, console_busy);

static int __init parse_tp_printk(char *str)
{
	/* tp_printk_stop_on_boot is another parameter. */
	if (*str == '_')
		return 0;
	tracepoint_printk = strcmp(str, "=0") && strcmp(str, "=off");
	return 1;
}
__setup("tp_printk", parse_tp_printk);

static int __init parse_stop_on_boot(char *str)
{
	stop_on_boot = true;
	return 1;
}
__setup("tp_printk_stop_on_boot", parse_stop_on_boot);

/**
 * strobe_console_print_record - print an event's text to the console
 * @call:  the event
 * @entry: its record
 * @len:   the record's length in bytes
 *
 * Events that fire during printing in the same context are not printed: printk:console
 * would recurse endlessly.
 *
 * Context: any, preemption off; records in NMIs are not printed.
 */
void strobe_console_print_record(struct trace_event_call *call, void *entry, u32 len)
{
	struct strobe_print pr = {
		.entry	= entry,
		.len	= len,
		.flags	= STROBE_PRINT_HASH_PTR,
		.call	= call,
	};
	struct console_buffer *buffer;
	unsigned long flags;
	u8 level;

	if (in_nmi() || !strobe_console_buffers || !call->class->print)
		return;
	/* Before local_irq_save(), which may fire an event, too. */
	level = record_level_enter(&console_busy);
	if (!level)
		return;
	local_irq_save(flags);
	buffer = &strobe_console_buffers[smp_processor_id()];
	pr.seq = &buffer->text;
	pr.tmp = &buffer->tmp;
	trace_seq_init(pr.seq);
	trace_seq_init(pr.tmp);
	call->class->print(&pr);
	pr.seq->buffer[min(pr.seq->seq.len, pr.seq->seq.size - 1)] = '\0';
	/* No KERN_* level: the text may begin with one. */
	printk("%s", pr.seq->buffer);
	local_irq_restore(flags);
	record_level_leave(&console_busy, level);
}

/* strobe_event_mutex and strobe_instance_mutex held */
static void set_gates(bool on)
{
	struct trace_array *tr;

	instance_for_each(tr)
		strobe_event_files_set_gate(tr, STROBE_GATE_PRINTK, on);
}

/**
 * tracepoint_printk_sysctl - handler of kernel.tracepoint_printk
 * @table:  the sysctl
 * @write:  1: write, 0: read
 * @buffer: the text
 * @lenp:   its length
 * @ppos:   file position
 *
 * Always reads 0 if the kernel was not booted with tp_printk.
 *
 * Context: task, may sleep.
 * Return: as proc_dointvec()
 */
int tracepoint_printk_sysctl(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos)
{
	int ret, old;

	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	old = tracepoint_printk;
	ret = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!strobe_console_buffers)
		tracepoint_printk = 0;
	if (!old != !tracepoint_printk)
		set_gates(tracepoint_printk);
	return ret;
}

/**
 * strobe_console_setup - allocate the buffers if tp_printk was given
 *
 * Context: boot, before event files are made.
 */
void __init strobe_console_setup(void)
{
	if (!tracepoint_printk)
		return;
	strobe_console_buffers = __vmalloc_array(nr_cpu_ids, sizeof(*strobe_console_buffers),
						 GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!strobe_console_buffers) {
		pr_err("ERROR: Failed to allocate trace iterator\n");
		tracepoint_printk = 0;
	}
}

static int __init console_stop_on_boot(void)
{
	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	if (tracepoint_printk && stop_on_boot) {
		set_gates(false);
		tracepoint_printk = 0;
	}
	return 0;
}
late_initcall_sync(console_stop_on_boot);
