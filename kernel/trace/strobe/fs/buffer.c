// SPDX-License-Identifier: GPL-2.0
/*
 * Files for the rings: sizes, the fill level at which poll() wakes up, and
 * statistics.
 *
 * Code that removes or moves records, such as strobe_fs_reset() and resizing, holds
 * strobe_fs_access_lock(), so that a record stays in place while a consumer renders it.
 *
 * Contexts: task. Locks: strobe_fs_access_lock(); strobe_instance_mutex, to read the sizes.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include "fs/fs.h"
#include "output/output.h"

/**
 * strobe_fs_reset - remove all records of an instance or of one of its CPUs
 * @view: the instance and the CPU
 *
 * Context: task, may sleep.
 */
void strobe_fs_reset(const struct fs_view *view)
{
	struct fs_instance *fsi = fs_of(view->tr);

	strobe_fs_access_lock(fsi, view->cpu);
	strobe_instance_reset(view->tr, view->cpu);
	strobe_fs_access_unlock(fsi, view->cpu);
}

/**
 * struct ring_sizes - the sizes of an instance's rings, none of which is being resized
 * @common: bytes of each CPU's ring, or 0 if the sizes differ
 * @kb:     the sum, in KB
 * @known:  the ring has its final size. If not, the top instance shows that, too.
 */
struct ring_sizes {
	size_t	common;
	size_t	kb;
	bool	known;
};

static struct ring_sizes ring_sizes(const struct trace_array *tr)
{
	struct ring_sizes sizes = { };
	bool differ = false;
	size_t bytes;
	int cpu;

	guard(mutex)(&strobe_instance_mutex);
	for_each_possible_cpu(cpu) {
		bytes = strobe_instance_bytes(tr, cpu);
		differ |= sizes.common && bytes != sizes.common;
		sizes.common = bytes;
		sizes.kb += bytes >> 10;
	}
	if (differ)
		sizes.common = 0;
	sizes.known = tr->small || tr->expanded;
	return sizes;
}

static ssize_t buffer_size_read(struct file *file, char __user *ubuf, size_t cnt,
				loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	struct ring_sizes sizes;

	if (view->cpu != STROBE_RING_ALL_CPUS)
		return strobe_fs_read_text(ubuf, cnt, ppos, "%zu\n",
					   strobe_instance_bytes(view->tr, view->cpu) >> 10);

	sizes = ring_sizes(view->tr);
	if (!sizes.common)
		return strobe_fs_read_text(ubuf, cnt, ppos, "X\n");
	if (sizes.known)
		return strobe_fs_read_text(ubuf, cnt, ppos, "%zu\n", sizes.common >> 10);
	return strobe_fs_read_text(ubuf, cnt, ppos, "%zu (expanded: %zu)\n", sizes.common >> 10,
				   strobe_instance_default_bytes() >> 10);
}

static ssize_t buffer_size_write(struct file *file, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	struct fs_instance *fsi = fs_of(view->tr);
	unsigned long kb;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, ULONG_MAX, &kb);
	if (ret)
		return ret;
	if (!kb)
		return -EINVAL;
	/* The size in bytes would overflow; there is not that much memory. */
	if (kb > ULONG_MAX >> 10)
		return -ENOMEM;

	strobe_fs_access_lock(fsi, view->cpu);
	ret = strobe_instance_resize(view->tr, kb << 10, view->cpu);
	strobe_fs_access_unlock(fsi, view->cpu);
	if (ret < 0)
		return ret;
	*ppos += cnt;
	return cnt;
}

const struct file_operations strobe_fs_buffer_size_fops = {
	.open		= strobe_fs_open,
	.read		= buffer_size_read,
	.write		= buffer_size_write,
	.llseek		= generic_file_llseek,
	.release	= strobe_fs_release,
};

/* Ignore the data: closing the file shrinks the ring. */
static ssize_t free_buffer_write(struct file *file, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	*ppos += cnt;
	return cnt;
}

static int free_buffer_release(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	struct trace_array *tr = view->tr;
	struct fs_instance *fsi = fs_of(tr);

	if (READ_ONCE(tr->options) & STROBE_OPT_STOP_ON_FREE)
		strobe_instance_set_on(tr, false);
	strobe_fs_access_lock(fsi, STROBE_RING_ALL_CPUS);
	/* Shrink to the smallest size. release() cannot report an error. */
	strobe_instance_resize(tr, 1, STROBE_RING_ALL_CPUS);
	strobe_fs_access_unlock(fsi, STROBE_RING_ALL_CPUS);
	return strobe_fs_release(inode, file);
}

const struct file_operations strobe_fs_free_buffer_fops = {
	.open		= strobe_fs_open,
	.write		= free_buffer_write,
	.release	= free_buffer_release,
};

static ssize_t subbuf_size_read(struct file *file, char __user *ubuf, size_t cnt,
				loff_t *ppos)
{
	const struct fs_view *view = file->private_data;

	return strobe_fs_read_text(ubuf, cnt, ppos, "%u\n",
				   strobe_ring_subbuf_bytes(view->tr->ring) >> 10);
}

static ssize_t subbuf_size_write(struct file *file, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	struct fs_instance *fsi = fs_of(view->tr);
	unsigned long kb;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, ULONG_MAX >> 10, &kb);
	if (ret)
		return ret;
	if (!kb)
		return -EINVAL;

	strobe_fs_access_lock(fsi, STROBE_RING_ALL_CPUS);
	ret = strobe_instance_set_subbuf_order(view->tr, get_order(kb << 10));
	strobe_fs_access_unlock(fsi, STROBE_RING_ALL_CPUS);
	if (ret)
		return ret;
	++*ppos;
	return cnt;
}

const struct file_operations strobe_fs_subbuf_size_fops = {
	.open		= strobe_fs_open,
	.read		= subbuf_size_read,
	.write		= subbuf_size_write,
	.llseek		= default_llseek,
	.release	= strobe_fs_release,
};

static ssize_t buffer_total_size_read(struct file *file, char __user *ubuf,
				      size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	const struct ring_sizes sizes = ring_sizes(view->tr);

	if (sizes.known)
		return strobe_fs_read_text(ubuf, cnt, ppos, "%zu\n", sizes.kb);
	return strobe_fs_read_text(ubuf, cnt, ppos, "%zu (expanded: %zu)\n", sizes.kb,
				   num_possible_cpus() * (strobe_instance_default_bytes() >> 10));
}

const struct file_operations strobe_fs_buffer_total_size_fops = {
	.open		= strobe_fs_open,
	.read		= buffer_total_size_read,
	.llseek		= generic_file_llseek,
	.release	= strobe_fs_release,
};

static ssize_t buffer_percent_read(struct file *file, char __user *ubuf,
				   size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;

	return strobe_fs_read_text(ubuf, cnt, ppos, "%u\n",
				   READ_ONCE(fs_of(view->tr)->percent));
}

static ssize_t buffer_percent_write(struct file *file, const char __user *ubuf,
				    size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, 100, &val);
	if (ret)
		return ret;
	WRITE_ONCE(fs_of(view->tr)->percent, val);
	++*ppos;
	return cnt;
}

const struct file_operations strobe_fs_buffer_percent_fops = {
	.open		= strobe_fs_open,
	.read		= buffer_percent_read,
	.write		= buffer_percent_write,
	.llseek		= default_llseek,
	.release	= strobe_fs_release,
};

/* Offset of this kernel's addresses from those of the boot that wrote the records. */
static ssize_t last_boot_info_read(struct file *file, char __user *ubuf, size_t cnt,
				   loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	struct strobe_ring_past past;

	strobe_ring_past(view->tr->ring, &past);
	return strobe_fs_read_text(ubuf, cnt, ppos, "text delta:\t%ld\ndata delta:\t%ld\n",
				   past.text_delta, past.data_delta);
}

const struct file_operations strobe_fs_last_boot_info_fops = {
	.open		= strobe_fs_open,
	.read		= last_boot_info_read,
	.llseek		= generic_file_llseek,
	.release	= strobe_fs_release,
};

static void show_time(struct seq_file *m, const char *what, u64 ts, bool in_ns)
{
	u32 usecs;
	u64 secs;

	if (!in_ns) {
		seq_printf(m, "%s: %llu\n", what, ts);
		return;
	}
	secs = div_u64_rem(strobe_output_usecs(ts), USEC_PER_SEC, &usecs);
	seq_printf(m, "%s: %5llu.%06u\n", what, secs, usecs);
}

static int stats_show(struct seq_file *m, void *unused)
{
	const struct fs_view *view = m->private;
	struct trace_array *tr = view->tr;
	bool in_ns = strobe_instance_clocks[READ_ONCE(tr->clock)].in_ns;
	struct strobe_ring_stats stats;

	strobe_ring_stats(tr->ring, view->cpu, &stats);
	seq_printf(m, "entries: %lu\noverrun: %lu\ncommit overrun: %lu\nbytes: %lu\n",
		   stats.entries, stats.overrun, stats.commit_overrun, stats.bytes);
	show_time(m, "oldest event ts", stats.oldest_ts, in_ns);
	show_time(m, "now ts", strobe_ring_now(tr->ring), in_ns);
	seq_printf(m, "dropped events: %lu\nread events: %lu\n", stats.dropped,
		   stats.read);
	return 0;
}

STROBE_FS_SHOW(stats, NULL);
