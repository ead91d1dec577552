// SPDX-License-Identifier: GPL-2.0
/*
 * Function hooks of instances: ftrace.c's files in each instance, and its data in struct
 * trace_array.
 *
 * States of an instance
 *	bare	ops and array_buffer.data are NULL; ftrace.c skips it
 *	hooked	both are allocated, and the files exist
 * ops->func is ftrace_stub() until a tracer sets it; set_ftrace_filter alone has no effect.
 *
 * Contexts: boot, task. Lock order: record/trace_array.h.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "fs/fs.h"
#include "hook/host.h"

static ssize_t total_info_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "%ld pages:%ld groups: %ld\n",
				   ftrace_update_tot_cnt, ftrace_number_of_pages,
				   ftrace_number_of_groups);
}

/* dyn_ftrace_total_info: number of functions that can be hooked. */
static const struct file_operations total_info_fops = {
	.open		= tracing_open_generic,
	.read		= total_info_read,
	.llseek		= generic_file_llseek,
};

/* Functions of modules that were never loaded. */
static void free_cached(struct list_head *list)
{
	struct ftrace_mod_load *cached, *next;

	list_for_each_entry_safe(cached, next, list, list) {
		list_del(&cached->list);
		kfree(cached->func);
		kfree(cached->module);
		kfree(cached);
	}
}

/* Not for the top instance, whose ops belong to ftrace.c. */
static void hook_free(struct trace_array *tr)
{
	kfree(tr->ops);
	tr->ops = NULL;
	free_percpu(tr->array_buffer.data);
	tr->array_buffer.data = NULL;
}

/* hooked -> bare */
static void hook_remove(struct trace_array *tr)
{
	clear_ftrace_function_probes(tr);
	ftrace_clear_pids(tr);
	ftrace_destroy_filter_files(tr->ops);
	free_cached(&tr->mod_trace);
	free_cached(&tr->mod_notrace);
	/*
	 * ftrace.c cannot find @tr: it is not in the list, or strobe_instance_mutex has been held
	 * since it got its ops.
	 */
	hook_free(tr);
}

/* bare -> hooked; the top instance already has ops. */
static int hook_create(struct trace_array *tr, struct dentry *dir)
{
	struct ftrace_ops *ops = tr->ops;

	WRITE_ONCE(hook_files_missing, false);
	tr->array_buffer.data = alloc_percpu(struct hook_cpu);
	if (!tr->array_buffer.data) {
		/* create_top() ignores the error. Other callers report it. */
		if (instance_is_top(tr))
			pr_warn("no memory for the files 'set_ftrace_*pid'\n");
		return -ENOMEM;
	}
	if (!ops) {
		ops = kzalloc(sizeof(*ops), GFP_KERNEL);
		if (!ops) {
			hook_free(tr);
			return -ENOMEM;
		}
		ops->func = ftrace_stub;
		ops->flags = FTRACE_OPS_FL_PID;
		ops->private = tr;
		tr->ops = ops;
		/* ftrace_init_tracefs_toplevel() creates those of the top instance. */
		ftrace_create_filter_files(tr, dir);
	}
	ftrace_init_tracefs(tr, dir);
	if (READ_ONCE(hook_files_missing) && !instance_is_top(tr)) {
		hook_remove(tr);
		return -ENOMEM;
	}
	return 0;
}

static const struct fs_part hook_part = {
	.create	= hook_create,
	.remove	= hook_remove,
};

static int __init hook_init(void)
{
	strobe_fs_part = &hook_part;
	return 0;
}
subsys_initcall(hook_init);

/* Files that exist only in the root of tracefs. */
static int __init hook_create_top_files(void)
{
	if (!fs_of(top_instance))
		return 0;
	ftrace_init_tracefs_toplevel(top_instance, NULL);
	trace_create_file("dyn_ftrace_total_info", TRACE_MODE_READ, NULL, NULL,
			  &total_info_fops);
	return 0;
}
fs_initcall_sync(hook_create_top_files);
