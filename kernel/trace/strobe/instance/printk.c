// SPDX-License-Identifier: GPL-2.0
/*
 * The destination of trace_printk(), and what has to be done once code uses it.
 * record/printk.c writes the records.
 *
 * Contexts: task.
 *
 * Lock order: strobe_instance_mutex, then the locks of the recorder of tasks.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/trace.h>

#include "instance/instance.h"
#include "record/printk.h"

bool strobe_instance_printk_used;

/**
 * strobe_instance_printk_record_names - start or stop recording names for trace_printk()
 * @on: true: start, because trace_printk() is used and the option of that name is set
 *
 * Context: task, may sleep; the top instance has its ring.
 * Return: 0, also if nothing had to be changed; or the error of strobe_comm_record_start().
 */
int strobe_instance_printk_record_names(bool on)
{
	static DEFINE_MUTEX(mutex);
	static bool recording;
	int ret = 0;

	guard(mutex)(&mutex);
	if (on == recording)
		return 0;
	if (on)
		ret = strobe_comm_record_start(&top_instance->comm, COMM_NAMES);
	else
		strobe_comm_record_stop(&top_instance->comm, COMM_NAMES);
	if (!ret)
		recording = on;
	return ret;
}

/* Keep the text: people search for it. */
static void print_notice(void)
{
	static const char * const lines[] = {
		"   NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE   ",
		"",
		" trace_printk() being used. Allocating extra memory.  ",
		"",
		" This means that this is a DEBUG kernel and it is     ",
		" unsafe for production use.                           ",
		"",
		" If you see this message and you are not debugging    ",
		" the kernel, report this immediately to your vendor!  ",
		"",
		"   NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE   ",
	};
	static const char stars[] =
		"**********************************************************";
	unsigned int i;

	pr_warn("\n%s\n", stars);
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		pr_warn("**%-54s**\n", lines[i]);
	pr_warn("%s\n", stars);
}

/**
 * trace_printk_init_buffers - allocate the buffers for trace_printk()
 *
 * Called if code uses trace_printk(): at boot, or when a module is loaded.
 *
 * Context: task, may sleep.
 */
void trace_printk_init_buffers(void)
{
	if (strobe_printk_buffers_alloc() || xchg(&strobe_instance_printk_used, true))
		return;

	print_notice();
	strobe_instance_expand(top_instance);
	/* Without a ring there is no recorder of tasks yet: trace_init() starts it later. */
	if (top_instance->ring)
		strobe_instance_printk_record_names(top_instance->options & STROBE_OPT_PRINTK);
}
EXPORT_SYMBOL_GPL(trace_printk_init_buffers);

/**
 * strobe_instance_printk_move - make trace_printk() write to another instance
 * @tr: the instance
 *
 * Context: task; strobe_instance_mutex held.
 */
void strobe_instance_printk_move(struct trace_array *tr)
{
	struct trace_array *old = strobe_instance_printk_dest;

	lockdep_assert_held(&strobe_instance_mutex);
	WRITE_ONCE(old->options, old->options & ~STROBE_OPT_TRACE_PRINTK_DEST);
	WRITE_ONCE(tr->options, tr->options | STROBE_OPT_TRACE_PRINTK_DEST);
	WRITE_ONCE(strobe_instance_printk_dest, tr);
}
