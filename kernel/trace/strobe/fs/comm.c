// SPDX-License-Identifier: GPL-2.0
/*
 * saved_cmdlines, saved_cmdlines_size and saved_tgids: the saved names and thread
 * groups of tasks in the records.
 */
#include <linux/seq_file.h>
#include <linux/threads.h>

#include "fs/fs.h"
#include "record/comm.h"

/**
 * struct pair_reader - an open saved_cmdlines or saved_tgids
 * @next: where to start the search for the next pair
 * @pid: pid of the pair to show
 * @tgid: its thread group, in saved_tgids
 * @comm: its name, in saved_cmdlines
 *
 * seq_file's position is the @next at which the pair was found, so that it can be
 * found again.
 */
struct pair_reader {
	unsigned int	next;
	int		pid;
	int		tgid;
	char		comm[TASK_COMM_LEN];
};

static void *comm_start(struct seq_file *m, loff_t *pos)
{
	struct pair_reader *reader = m->private;

	reader->next = *pos;
	return strobe_comm_iter_next(&reader->next, &reader->pid, reader->comm) ?
	       reader : NULL;
}

static void *comm_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct pair_reader *reader = v;

	*pos = reader->next;
	return comm_start(m, pos);
}

static int comm_show(struct seq_file *m, void *v)
{
	const struct pair_reader *reader = v;

	seq_printf(m, "%d %s\n", reader->pid, reader->comm);
	return 0;
}

static void pair_stop(struct seq_file *m, void *v)
{
}

static const struct seq_operations comm_seq_ops = {
	.start	= comm_start,
	.next	= comm_next,
	.stop	= pair_stop,
	.show	= comm_show,
};

static int pair_open(struct file *file, const struct seq_operations *ops, enum comm_what what)
{
	int ret = strobe_fs_may_open();

	if (ret)
		return ret;
	strobe_comm_save_running(what);
	return seq_open_private(file, ops, sizeof(struct pair_reader));
}

static int comm_open(struct inode *inode, struct file *file)
{
	return pair_open(file, &comm_seq_ops, COMM_NAMES);
}

const struct file_operations strobe_fs_saved_cmdlines_fops = {
	.open		= comm_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static void *tgid_start(struct seq_file *m, loff_t *pos)
{
	struct pair_reader *reader = m->private;

	reader->next = *pos;
	return strobe_tgid_iter_next(&reader->next, &reader->pid, &reader->tgid) ?
	       reader : NULL;
}

static void *tgid_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct pair_reader *reader = v;

	*pos = reader->next;
	return tgid_start(m, pos);
}

static int tgid_show(struct seq_file *m, void *v)
{
	const struct pair_reader *reader = v;

	seq_printf(m, "%d %d\n", reader->pid, reader->tgid);
	return 0;
}

static const struct seq_operations tgid_seq_ops = {
	.start	= tgid_start,
	.next	= tgid_next,
	.stop	= pair_stop,
	.show	= tgid_show,
};

static int tgid_open(struct inode *inode, struct file *file)
{
	return pair_open(file, &tgid_seq_ops, COMM_TGIDS);
}

const struct file_operations strobe_fs_saved_tgids_fops = {
	.open		= tgid_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static ssize_t comm_size_read(struct file *file, char __user *ubuf, size_t cnt,
			      loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "%u\n", strobe_comm_cache_size());
}

static ssize_t comm_size_write(struct file *file, const char __user *ubuf,
			       size_t cnt, loff_t *ppos)
{
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, PID_MAX_DEFAULT, &val);
	if (ret)
		return ret;
	ret = val ? strobe_comm_cache_resize(val) : -EINVAL;
	if (ret < 0)
		return ret;
	*ppos += cnt;
	return cnt;
}

const struct file_operations strobe_fs_saved_cmdlines_size_fops = {
	.open	= strobe_fs_open_global,
	.read	= comm_size_read,
	.write	= comm_size_write,
};
