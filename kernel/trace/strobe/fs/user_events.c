// SPDX-License-Identifier: GPL-2.0
/*
 * user_events_data, through which processes register events of their own and write records,
 * and user_events_status, which lists the events.
 *
 * An administrator may give unprivileged users access to these two files.
 *
 * Contexts: task. No state, no locks.
 */
#include <linux/errno.h>
#include <linux/seq_file.h>
#include <linux/uio.h>
#include <linux/user_events.h>

#include "dynamic/user.h"
#include "fs/fs.h"

static int user_data_open(struct inode *inode, struct file *file)
{
	file->private_data = strobe_user_file_open();
	return file->private_data ? 0 : -ENOMEM;
}

static int user_data_release(struct inode *inode, struct file *file)
{
	strobe_user_file_close(file->private_data);
	return 0;
}

static ssize_t user_data_write(struct file *file, const char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	/* A record has no position. The errno is ABI. */
	return *ppos ? -EFAULT : strobe_user_file_write(file->private_data, ubuf, cnt);
}

static ssize_t user_data_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	return strobe_user_file_write_iter(iocb->ki_filp->private_data, from);
}

static long user_data_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case DIAG_IOCSREG:
		return strobe_user_file_register(file->private_data, arg);
	case DIAG_IOCSDEL:
		return strobe_user_file_delete(arg);
	case DIAG_IOCSUNREG:
		return strobe_user_file_unregister(arg);
	default:
		return -ENOTTY;
	}
}

const struct file_operations strobe_fs_user_data_fops = {
	.open		= user_data_open,
	.write		= user_data_write,
	.write_iter	= user_data_write_iter,
	.unlocked_ioctl	= user_data_ioctl,
	.release	= user_data_release,
};

static int user_status_show(struct seq_file *m, void *data)
{
	strobe_user_status_show(m);
	return 0;
}

static int user_status_open(struct inode *inode, struct file *file)
{
	return single_open(file, user_status_show, NULL);
}

const struct file_operations strobe_fs_user_status_fops = {
	.open		= user_status_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};
