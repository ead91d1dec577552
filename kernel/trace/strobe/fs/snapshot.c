// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot: reading shows the last snapshot in the format of trace. Writing 0 frees
 * the snapshot ring, 1 takes a snapshot, any other number clears it. The file in
 * per_cpu/ does this for one CPU; 0 is invalid there.
 *
 * An open reader continues with the records it was opened on, even if another
 * snapshot swaps them back into the instance's ring.
 *
 * Contexts: task. Locks: writing takes strobe_fs_access_lock() of all CPUs, so that no
 * consumer is between peek and consume, then strobe_instance_mutex.
 */
#include <linux/seq_file.h>

#include "fs/fs.h"

static int snapshot_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	if (file->f_mode & FMODE_READ) {
		ret = strobe_instance_snapshot_make(view->tr);
		if (!ret)
			ret = strobe_fs_trace_open_reader(file, view,
							  instance_snapshot_ring(view->tr));
	}
	if (ret)
		strobe_fs_release(inode, file);
	return ret;
}

static int snapshot_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_READ)
		strobe_fs_trace_release_reader(inode, file);
	return strobe_fs_release(inode, file);
}

static int snapshot_do(const struct fs_view *view, unsigned long val)
{
	switch (val) {
	case 0:
		return strobe_instance_snapshot_free(view->tr, view->cpu);
	case 1:
		return strobe_instance_snapshot_take(view->tr, view->cpu);
	}
	return strobe_instance_snapshot_clear(view->tr, view->cpu);
}

static ssize_t snapshot_write(struct file *file, const char __user *ubuf,
			      size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file_inode(file)->i_private;
	struct fs_instance *fsi = fs_of(view->tr);
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, ULONG_MAX, &val);
	if (ret)
		return ret;
	/* The snapshot ring gets the size of the ring: expand that first. */
	ret = val == 1 ? strobe_instance_expand(view->tr) : 0;
	if (ret < 0)
		return ret;
	strobe_fs_access_lock(fsi, STROBE_RING_ALL_CPUS);
	ret = snapshot_do(view, val);
	strobe_fs_access_unlock(fsi, STROBE_RING_ALL_CPUS);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

const struct file_operations strobe_fs_snapshot_fops = {
	.open		= snapshot_open,
	.read		= seq_read,
	.write		= snapshot_write,
	.llseek		= strobe_fs_trace_llseek,
	.release	= snapshot_release,
};
