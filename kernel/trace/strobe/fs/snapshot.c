// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot: reading shows the last snapshot in the format of trace. Writing 0 frees
 * the snapshot ring, 1 takes a snapshot, any other number clears it. The file in
 * per_cpu/ does this for one CPU; 0 is invalid there.
 *
 * An open reader continues with the records it was opened on, even if another
 * snapshot swaps them back into the instance's ring.
 *
 * Contexts: task. Locks: writing takes fs_access_lock() of all CPUs, so that no
 * consumer is between peek and consume, then instance_mutex.
 */
#include <linux/seq_file.h>

#include "fs/fs.h"

static const char main_help[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n";

static const char cpu_help[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
#ifdef CONFIG_RING_BUFFER_ALLOW_SWAP
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
#else
	"# echo 1 > snapshot : Not supported with this kernel.\n"
	"#                     Must use main snapshot file to allocate.\n"
#endif
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n";

static const char any_help[] =
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

/**
 * fs_show_snapshot_help - print the text of an empty snapshot, which is ABI
 * @m: the snapshot file
 * @view: the instance and the CPU
 */
void fs_show_snapshot_help(struct seq_file *m, const struct fs_view *view)
{
	bool allocated = READ_ONCE(view->tr->snapshot.allocated);

	fs_show_tracer(m);
	seq_printf(m, "#\n# * Snapshot is %s *\n#\n", allocated ? "allocated" : "freed");
	seq_puts(m, "# Snapshot commands:\n");
	seq_puts(m, view->cpu == STROBE_RING_ALL_CPUS ? main_help : cpu_help);
	seq_puts(m, any_help);
}

static int snapshot_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret = fs_view_get(file);

	if (ret)
		return ret;
	if (file->f_mode & FMODE_READ) {
		ret = instance_snapshot_make(view->tr);
		if (!ret)
			ret = fs_trace_open_reader(file, view,
						   instance_snapshot_ring(view->tr));
	}
	if (ret)
		fs_release(inode, file);
	return ret;
}

static int snapshot_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_READ)
		fs_trace_release_reader(inode, file);
	return fs_release(inode, file);
}

static int snapshot_do(const struct fs_view *view, unsigned long val)
{
	switch (val) {
	case 0:
		return instance_snapshot_free(view->tr, view->cpu);
	case 1:
		return instance_snapshot_take(view->tr, view->cpu);
	}
	return instance_snapshot_clear(view->tr, view->cpu);
}

static ssize_t snapshot_write(struct file *file, const char __user *ubuf,
			      size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file_inode(file)->i_private;
	struct fs_instance *fsi = fs_of(view->tr);
	unsigned long val;
	int ret;

	ret = fs_copy_number(ubuf, cnt, ULONG_MAX, &val);
	if (ret)
		return ret;
	/* The snapshot ring gets the size of the ring: expand that first. */
	ret = val == 1 ? instance_expand(view->tr) : 0;
	if (ret < 0)
		return ret;
	fs_access_lock(fsi, STROBE_RING_ALL_CPUS);
	ret = snapshot_do(view, val);
	fs_access_unlock(fsi, STROBE_RING_ALL_CPUS);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

const struct file_operations fs_snapshot_fops = {
	.open		= snapshot_open,
	.read		= seq_read,
	.write		= snapshot_write,
	.llseek		= fs_trace_llseek,
	.release	= snapshot_release,
};
