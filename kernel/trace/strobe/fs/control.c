// SPDX-License-Identifier: GPL-2.0
/*
 * Small files that control an instance: recording on and off, the tracer, the
 * clock, and the CPUs that record.
 */
#include <linux/cleanup.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fs/fs.h"

/* The longest name of a tracer. */
#define TRACER_NAME_MAX	100

static ssize_t tracing_on_read(struct file *file, char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	const struct fs_view *view = file->private_data;

	return strobe_fs_read_text(ubuf, cnt, ppos, "%d\n", strobe_instance_is_on(view->tr));
}

static ssize_t tracing_on_write(struct file *file, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, ULONG_MAX, &val);
	if (ret)
		return ret;

	scoped_guard(mutex, &strobe_instance_mutex) {
		if (!!val == strobe_instance_is_on(view->tr))
			break;
		if (val)
			strobe_instance_drop_previous_boot(view->tr);
		strobe_instance_set_on(view->tr, val);
		/* Wake readers that wait for records, as none may come now. */
		if (!val)
			strobe_ring_wake(view->tr->ring, STROBE_RING_ALL_CPUS);
	}
	++*ppos;
	return cnt;
}

const struct file_operations strobe_fs_tracing_on_fops = {
	.open		= strobe_fs_open,
	.read		= tracing_on_read,
	.write		= tracing_on_write,
	.llseek		= default_llseek,
	.release	= strobe_fs_release,
};

static ssize_t current_tracer_read(struct file *file, char __user *ubuf,
				   size_t cnt, loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "nop\n");
}

static ssize_t current_tracer_write(struct file *file, const char __user *ubuf,
				    size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	char name[TRACER_NAME_MAX + 1];
	int ret;

	/* A longer text is cut: no tracer has such a long name. */
	ret = strobe_fs_copy_string(name, sizeof(name), ubuf,
				    min_t(size_t, cnt, TRACER_NAME_MAX));
	if (ret)
		return ret;
	if (strcmp(strim(name), "nop"))
		return -EINVAL;
	ret = strobe_instance_expand(view->tr);
	if (ret < 0)
		return ret;
	*ppos += cnt;
	return cnt;
}

const struct file_operations strobe_fs_current_tracer_fops = {
	.open		= strobe_fs_open,
	.read		= current_tracer_read,
	.write		= current_tracer_write,
	.llseek		= generic_file_llseek,
	.release	= strobe_fs_release,
};

static int available_tracers_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "nop\n");
	return 0;
}

STROBE_FS_SHOW(available_tracers, NULL);

static int trace_clock_show(struct seq_file *m, void *unused)
{
	const struct fs_view *view = m->private;
	unsigned int now = READ_ONCE(view->tr->clock);
	unsigned int i;

	for (i = 0; i < strobe_instance_nr_clocks; i++) {
		seq_puts(m, i ? " " : "");
		seq_printf(m, i == now ? "[%s]" : "%s", strobe_instance_clocks[i].name);
	}
	seq_putc(m, '\n');
	return 0;
}

static ssize_t trace_clock_write(struct file *file, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	const struct seq_file *m = file->private_data;
	const struct fs_view *view = m->private;
	struct fs_instance *fsi = fs_of(view->tr);
	char name[64];
	int ret;

	ret = strobe_fs_copy_string(name, sizeof(name), ubuf, cnt);
	if (ret)
		return ret;

	/* Changing the clock resets the ring. */
	strobe_fs_access_lock(fsi, STROBE_RING_ALL_CPUS);
	ret = strobe_instance_set_clock(view->tr, strstrip(name));
	strobe_fs_access_unlock(fsi, STROBE_RING_ALL_CPUS);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

STROBE_FS_SHOW(trace_clock, trace_clock_write);

/* Records contain the time since the previous record, never the absolute time. */
static int timestamp_mode_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "[delta] absolute\n");
	return 0;
}

STROBE_FS_SHOW(timestamp_mode, NULL);

static ssize_t cpumask_read(struct file *file, char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	char *text;
	ssize_t ret;

	scoped_guard(mutex, &strobe_instance_mutex)
		text = kasprintf(GFP_KERNEL, "%*pb\n",
				 cpumask_pr_args(fs_of(view->tr)->cpumask));
	if (!text)
		return -ENOMEM;
	/* A truncated mask would look like another mask. */
	ret = -EINVAL;
	if (strlen(text) < cnt)
		ret = simple_read_from_buffer(ubuf, cnt, ppos, text, strlen(text));
	kfree(text);
	return ret;
}

static void cpumask_set(struct fs_instance *fsi, const struct cpumask *want)
{
	struct strobe_ring *ring = fsi->tr->ring;
	int cpu;

	guard(mutex)(&strobe_instance_mutex);
	for_each_possible_cpu(cpu) {
		bool now = cpumask_test_cpu(cpu, fsi->cpumask);
		bool on = cpumask_test_cpu(cpu, want);

		if (now && !on)
			strobe_ring_record_disable(ring, cpu);
		else if (!now && on)
			strobe_ring_record_enable(ring, cpu);
	}
	cpumask_copy(fsi->cpumask, want);
}

static ssize_t cpumask_write(struct file *file, const char __user *ubuf,
			     size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	cpumask_var_t want;
	int ret;

	if (!cnt || cnt > KMALLOC_MAX_SIZE)
		return -EINVAL;
	if (!zalloc_cpumask_var(&want, GFP_KERNEL))
		return -ENOMEM;
	ret = cpumask_parse_user(ubuf, cnt, want);
	if (!ret)
		cpumask_set(fs_of(view->tr), want);
	free_cpumask_var(want);
	return ret ?: cnt;
}

const struct file_operations strobe_fs_cpumask_fops = {
	.open		= strobe_fs_open,
	.read		= cpumask_read,
	.write		= cpumask_write,
	.llseek		= generic_file_llseek,
	.release	= strobe_fs_release,
};
