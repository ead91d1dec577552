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

/* Return what an open file shows of each task. */
static enum comm_what what_of(const struct file *file)
{
	return file->f_op == &strobe_fs_saved_cmdlines_fops ? COMM_NAMES : COMM_TGIDS;
}

static bool pair_find(struct pair_reader *reader, enum comm_what what)
{
	if (what == COMM_NAMES)
		return strobe_comm_iter_next(&reader->next, &reader->pid, reader->comm);
	return strobe_tgid_iter_next(&reader->next, &reader->pid, &reader->tgid);
}

static void *pair_start(struct seq_file *m, loff_t *pos)
{
	struct pair_reader *reader = m->private;

	reader->next = *pos;
	return pair_find(reader, what_of(m->file)) ? reader : NULL;
}

static void *pair_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct pair_reader *reader = v;

	*pos = reader->next;
	return pair_start(m, pos);
}

static void pair_stop(struct seq_file *m, void *v)
{
}

static int pair_show(struct seq_file *m, void *v)
{
	const struct pair_reader *reader = v;

	if (what_of(m->file) == COMM_NAMES)
		seq_printf(m, "%d %s\n", reader->pid, reader->comm);
	else
		seq_printf(m, "%d %d\n", reader->pid, reader->tgid);
	return 0;
}

static const struct seq_operations pair_seq_ops = {
	.start	= pair_start,
	.next	= pair_next,
	.stop	= pair_stop,
	.show	= pair_show,
};

static int pair_open(struct inode *inode, struct file *file)
{
	int ret = strobe_fs_may_open();

	if (ret)
		return ret;
	strobe_comm_save_running(what_of(file));
	return seq_open_private(file, &pair_seq_ops, sizeof(struct pair_reader));
}

const struct file_operations strobe_fs_saved_cmdlines_fops = {
	.open		= pair_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

/* A copy, so that what_of() can tell the two files apart. */
const struct file_operations strobe_fs_saved_tgids_fops = {
	.open		= pair_open,
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
