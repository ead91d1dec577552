// SPDX-License-Identifier: GPL-2.0
/*
 * trace_marker and trace_marker_raw: data written by user space becomes a record.
 */
#include <linux/instruction_pointer.h>

#include "fs/fs.h"
#include "record/record.h"

static int marker_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret;

	stream_open(inode, file);
	ret = strobe_fs_open(inode, file);
	if (ret || !(file->f_mode & FMODE_WRITE))
		return ret;
	ret = strobe_instance_use_ring(view->tr);
	if (ret)
		strobe_fs_release(inode, file);
	return ret;
}

/* This function's name is in the text of each record, and tools look for it. */
static noinline ssize_t tracing_mark_write(struct file *file,
					   const char __user *ubuf, size_t cnt,
					   loff_t *ppos)
{
	const struct fs_view *view = file->private_data;

	return strobe_instance_marker_write(view->tr, _THIS_IP_, ubuf, cnt);
}

const struct file_operations strobe_fs_marker_fops = {
	.open		= marker_open,
	.write		= tracing_mark_write,
	.release	= strobe_fs_release,
};

static ssize_t marker_write_raw(struct file *file, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;

	return strobe_instance_marker_write_raw(view->tr, ubuf, cnt);
}

const struct file_operations strobe_fs_marker_raw_fops = {
	.open		= marker_open,
	.write		= marker_write_raw,
	.release	= strobe_fs_release,
};
