// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with trace events, which tp-events.h defines.
 *
 * Each write to /proc/tracepoint-events fires each event once, except
 * tp_events_third, which fires only with every third write. The event
 * tp_events_text records the first line of the written text, at most 64 bytes.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

/* In exactly one .c file; other files that fire the events only include the header. */
#define CREATE_TRACE_POINTS
#include "tp-events.h"

#define TEXT_MAX 64

static unsigned int fail_after;
module_param(fail_after, uint, 0);
MODULE_PARM_DESC(fail_after, "let loading fail, after so many milliseconds; for tests of what uses the events meanwhile");

/* Protects writes. */
static DEFINE_MUTEX(events_mutex);
static unsigned int writes;

static void events_fire(const char *text, size_t len)
{
	unsigned long flags = 0;

	if (writes == 1)
		flags |= TP_EVENTS_FIRST;
	if (len > TEXT_MAX / 2)
		flags |= TP_EVENTS_LARGE;

	trace_tp_events_work_begin(writes);
	trace_tp_events_text(text, writes);
	trace_tp_events_names(writes % (TP_EVENTS_BLUE + 1), flags);
	trace_tp_events_bytes(text, min(len, 8));
	trace_tp_events_third(writes);
	trace_tp_events_many(0x81, -2, 0x8001, -3, 0x80000001, -4, BIT_ULL(63), -5, text,
			     writes == 1, TP_EVENTS_BLUE, writes);
	trace_tp_events_work_lost(writes);
	trace_tp_events_work_end(writes);
}

static ssize_t events_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char text[TEXT_MAX + 1];
	size_t len = min(count, TEXT_MAX);

	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';

	mutex_lock(&events_mutex);
	writes++;
	events_fire(text, strlen(text));
	mutex_unlock(&events_mutex);
	return count;
}

static const struct proc_ops events_proc_ops = {
	.proc_write = events_write,
	.proc_lseek = noop_llseek,
};

/*
 * Let loading fail. Before that, ask for one of the events, as other kernel code may do at
 * this time: the module is freed even if there are references to it, so the tracer should
 * refuse. Return the errno with which it did, or -ENODEV.
 */
static int __init events_fail(void)
{
	struct trace_event_file *file;

	msleep(fail_after);
	file = trace_get_event_file(NULL, "tp_events", "tp_events_work_begin");
	if (IS_ERR(file))
		return PTR_ERR(file);
	trace_put_event_file(file);
	return -ENODEV;
}

static int __init events_init(void)
{
	if (fail_after)
		return events_fail();
	if (!proc_create("tracepoint-events", 0200, NULL, &events_proc_ops))
		return -ENOMEM;
	return 0;
}

static void __exit events_exit(void)
{
	/* The module loader removes the events of a module; nothing to do here. */
	remove_proc_entry("tracepoint-events", NULL);
}

module_init(events_init);
module_exit(events_exit);
MODULE_DESCRIPTION("Tracepoint sample: trace events to copy from");
MODULE_LICENSE("GPL");
