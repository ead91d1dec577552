// SPDX-License-Identifier: GPL-2.0
/*
 * The destination of trace_printk(), and what has to be done once code uses it.
 * record/printk.c writes the records.
 *
 * Contexts: task.
 *
 * Lock order: strobe_instance_mutex, dest_mutex, then the locks of the recorder of tasks.
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

/* The destination, and whose recorder runs for it. */
static DEFINE_MUTEX(dest_mutex);
/* NULL: trace_printk() is not used, or its option is not set. */
static struct trace_array *recorded;

/* Return: 0; or the error of strobe_comm_record_start(), and nothing has changed. */
static int record_names_of(struct trace_array *tr)
{
	int ret = 0;

	if (tr == recorded)
		return 0;
	if (tr)
		ret = strobe_comm_record_start(&tr->comm, COMM_NAMES);
	if (ret)
		return ret;
	if (recorded)
		strobe_comm_record_stop(&recorded->comm, COMM_NAMES);
	recorded = tr;
	return 0;
}

/**
 * strobe_instance_printk_record_names - start or stop recording names for trace_printk()
 * @on: true: start, because trace_printk() is used and the option of that name is set
 *
 * Context: task, may sleep; the top instance has its ring.
 * Return: 0, also if nothing had to be changed; or the error of strobe_comm_record_start().
 */
int strobe_instance_printk_record_names(bool on)
{
	guard(mutex)(&dest_mutex);
	return record_names_of(on ? strobe_instance_printk_dest : NULL);
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
	/* The xchg orders nothing: it lets one caller continue. */
	if (strobe_printk_buffers_alloc() || xchg(&strobe_instance_printk_used, true))
		return;

	print_notice();
	strobe_instance_expand(top_instance);
	/* Without a ring there is no recorder of tasks yet: trace_init() starts it later. */
	if (top_instance->ring)
		strobe_instance_printk_record_names(top_instance->options & STROBE_OPT_PRINTK);
}
EXPORT_SYMBOL_GPL(trace_printk_init_buffers);

static void set_dest(struct trace_array *tr)
{
	struct trace_array *old = strobe_instance_printk_dest;

	WRITE_ONCE(old->options, old->options & ~STROBE_OPT_TRACE_PRINTK_DEST);
	WRITE_ONCE(tr->options, tr->options | STROBE_OPT_TRACE_PRINTK_DEST);
	WRITE_ONCE(strobe_instance_printk_dest, tr);
}

/**
 * strobe_instance_printk_move - make trace_printk() write to another instance
 * @tr: the instance
 *
 * Context: task, may sleep; strobe_instance_mutex held.
 * Return: 0; or the error of strobe_comm_record_start(), and nothing has changed.
 */
int strobe_instance_printk_move(struct trace_array *tr)
{
	int ret;

	lockdep_assert_held(&strobe_instance_mutex);
	guard(mutex)(&dest_mutex);
	ret = record_names_of(recorded ? tr : NULL);
	if (!ret)
		set_dest(tr);
	return ret;
}

/**
 * strobe_instance_printk_leave - make trace_printk() not write to an instance that is removed
 * @tr: the instance
 *
 * Context: task, may sleep; strobe_instance_mutex held.
 */
void strobe_instance_printk_leave(struct trace_array *tr)
{
	lockdep_assert_held(&strobe_instance_mutex);
	guard(mutex)(&dest_mutex);
	if (strobe_instance_printk_dest != tr)
		return;
	if (recorded && record_names_of(top_instance)) {
		pr_warn("strobe: no memory for the names of tasks that use trace_printk()\n");
		record_names_of(NULL);
	}
	set_dest(top_instance);
}
