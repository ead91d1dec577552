// SPDX-License-Identifier: GPL-2.0
/*
 * tp_printk: events on the console as they happen.
 *
 * Off unless the kernel was booted with tp_printk, which sets the buffer aside;
 * then the sysctl kernel.tracepoint_printk switches it. While it is on, every
 * event file has STROBE_GATE_PRINTK.
 *
 * Contexts: records are printed in any context but NMI, where the lock could be
 * held by what was interrupted.
 *
 * Lock order: event_mutex, instance_mutex; console_lock_raw is a leaf below
 * which only printk()'s own are taken.
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/trace_seq.h>

#include "event/event.h"
#include "instance/gate.h"
#include "instance/instance.h"
#include "instance/record.h"
#include "instance/setup.h"

/* Read and written by the sysctl, under event_mutex. */
int tracepoint_printk;

static bool stop_on_boot __initdata;

/* One record's text, and the scratch of its TP_printk() helpers. */
static struct {
	struct trace_seq	text;
	struct trace_seq	tmp;
} *console_buffer;

static DEFINE_RAW_SPINLOCK(console_buffer_lock);
static DEFINE_PER_CPU(bool, console_busy);

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
 * console_print_record - print an event's text to the console
 * @call:  the event
 * @entry: its record
 * @len:   the record's length in bytes
 *
 * What printing fires is not printed: printk:console would have no end.
 *
 * Context: any, preemption off; records of NMIs are left out.
 */
void console_print_record(struct trace_event_call *call, void *entry, u32 len)
{
	struct strobe_print pr = {
		.entry	= entry,
		.len	= len,
		.flags	= STROBE_PRINT_HASH_PTR,
		.call	= call,
	};
	unsigned long flags;

	if (in_nmi() || !console_buffer || !call->class->print)
		return;
	local_irq_save(flags);
	if (__this_cpu_read(console_busy))
		goto out;
	__this_cpu_write(console_busy, true);
	raw_spin_lock(&console_buffer_lock);
	pr.seq = &console_buffer->text;
	pr.tmp = &console_buffer->tmp;
	trace_seq_init(pr.seq);
	trace_seq_init(pr.tmp);
	call->class->print(&pr);
	trace_seq_putc(pr.seq, '\0');
	/* The text may bring a level of its own. */
	printk("%s", pr.seq->buffer);
	raw_spin_unlock(&console_buffer_lock);
	__this_cpu_write(console_busy, false);
out:
	local_irq_restore(flags);
}

/* event_mutex and instance_mutex held */
static void set_gates(bool on)
{
	struct trace_array *tr;

	instance_for_each(tr)
		event_files_set_gate(tr, STROBE_GATE_PRINTK, on);
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

	guard(mutex)(&event_mutex);
	guard(mutex)(&instance_mutex);
	old = tracepoint_printk;
	ret = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!console_buffer)
		tracepoint_printk = 0;
	if (!old != !tracepoint_printk)
		set_gates(tracepoint_printk);
	return ret;
}

/**
 * console_setup - set the buffer aside if tp_printk was given
 *
 * Context: boot, before there are event files.
 */
void __init console_setup(void)
{
	if (!tracepoint_printk)
		return;
	console_buffer = kzalloc(sizeof(*console_buffer), GFP_KERNEL);
	if (!console_buffer) {
		pr_err("ERROR: Failed to allocate trace iterator\n");
		tracepoint_printk = 0;
	}
}

static int __init console_stop_on_boot(void)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&instance_mutex);
	if (tracepoint_printk && stop_on_boot) {
		set_gates(false);
		tracepoint_printk = 0;
	}
	return 0;
}
late_initcall_sync(console_stop_on_boot);
