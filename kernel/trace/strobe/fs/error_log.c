// SPDX-License-Identifier: GPL-2.0
/*
 * error_log: the last errors in text written to an instance's files, each with a caret
 * below the character in question. Opening it for writing with O_TRUNC clears it; data
 * written to it is ignored.
 *
 * Locks: the log's own, from start() to stop() of a reader.
 */
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include "fs/fs.h"
#include "instance/error_log.h"

#define COMMAND_PREFIX	"  Command: "

static void *errors_start(struct seq_file *m, loff_t *pos)
{
	const struct fs_view *view = m->private;

	strobe_error_log_lock();
	return (void *)strobe_error_log_get(view->tr, *pos);
}

static void *errors_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct fs_view *view = m->private;

	return (void *)strobe_error_log_get(view->tr, ++*pos);
}

static void errors_stop(struct seq_file *m, void *v)
{
	strobe_error_log_unlock();
}

static int errors_show(struct seq_file *m, void *v)
{
	const struct error_entry *error = v;
	u32 ns;
	u64 s = div_u64_rem(error->ts, NSEC_PER_SEC, &ns);

	seq_printf(m, "[%5llu.%06u] %s: error: %s\n", s, ns / 1000, error->where, error->what);
	seq_printf(m, COMMAND_PREFIX "%s\n", error->command);
	seq_printf(m, "%*s^\n", (int)(strlen(COMMAND_PREFIX) + error->pos), "");
	return 0;
}

static const struct seq_operations errors_seq_ops = {
	.start	= errors_start,
	.next	= errors_next,
	.stop	= errors_stop,
	.show	= errors_show,
};

static int error_log_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret = strobe_fs_open_seq(inode, file, &errors_seq_ops);

	if (!ret && file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC)
		strobe_error_log_clear(view->tr);
	return ret;
}

static ssize_t error_log_write(struct file *file, const char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	return cnt;
}

const struct file_operations strobe_fs_error_log_fops = {
	.open		= error_log_open,
	.read		= seq_read,
	.write		= error_log_write,
	.llseek		= seq_lseek,
	.release	= strobe_fs_release_seq,
};
