// SPDX-License-Identifier: GPL-2.0
/*
 * set_event_pid: the tasks whose events are recorded; set_event_notrace_pid: those
 * whose events are not. One pid per line; an empty set_event_pid means all tasks.
 *
 * A write adds all of its pids, or none after an error. Opening for writing with
 * O_TRUNC clears the list first.
 *
 * Locks: strobe_event_mutex, from start() to stop() of a reader.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "event/event.h"
#include "fs/fs.h"
#include "record/pid.h"

/* The longest word, with its NUL. */
#define WORD_MAX	128

/* Return the list that an open file is for. */
static enum pid_list list_of(const struct file *file)
{
	return file->f_op == &strobe_fs_set_event_pid_fops ? PID_ONLY : PID_EXCEPT;
}

/* Return the step of the first pid from @from on: the pid plus 1, so that 0 is not NULL. */
static void *pids_find(struct seq_file *m, pid_t from)
{
	const struct fs_view *view = m->private;
	const struct pid_set *set = rcu_dereference_protected(view->tr->pids[list_of(m->file)],
							      lockdep_is_held(&strobe_event_mutex));

	return set ? (void *)(long)(strobe_pid_set_next(set, from) + 1) : NULL;
}

/* The position is the pid to continue at, as the list may have changed since. */
static void *pids_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&strobe_event_mutex);
	return pids_find(m, *pos);
}

static void *pids_next(struct seq_file *m, void *v, loff_t *pos)
{
	/* A step is a pid plus 1, which is the pid to continue at. */
	*pos = (long)v;
	return pids_find(m, (long)v);
}

static void pids_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&strobe_event_mutex);
}

static int pids_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%ld\n", (long)v - 1);
	return 0;
}

static const struct seq_operations pids_seq_ops = {
	.start	= pids_start,
	.next	= pids_next,
	.stop	= pids_stop,
	.show	= pids_show,
};

static int pids_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret = strobe_fs_open_seq(inode, file, &pids_seq_ops);

	if (!ret && file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC) {
		guard(mutex)(&strobe_event_mutex);
		strobe_instance_clear_pids(view->tr, list_of(file));
	}
	return ret;
}

/**
 * strobe_fs_parse_pids - add pids written by user space to a set
 * @set: the set, not published yet
 * @ubuf: user space's buffer: numbers separated by white space
 * @cnt: bytes in it
 * @nr: set to the number of pids added
 *
 * Context: task, may sleep.
 * Return: bytes read; -EINVAL for anything but numbers; -EPERM if a number cannot be a
 *	   pid; -ENOMEM, -EFAULT.
 */
ssize_t strobe_fs_parse_pids(struct pid_set *set, const char __user *ubuf, size_t cnt,
			     unsigned int *nr)
{
	char word[WORD_MAX];
	unsigned long val;
	ssize_t taken;
	size_t done;
	int ret;

	for (done = 0, *nr = 0; done < cnt; done += taken) {
		taken = strobe_fs_copy_word(word, sizeof(word), ubuf + done, cnt - done);
		if (taken < 0)
			return taken;
		if (!*word)
			return done + taken;
		if (kstrtoul(word, 0, &val))
			return -EINVAL;
		ret = val > INT_MAX ? -EPERM : strobe_pid_set_add(set, val);
		if (ret)
			return ret;
		++*nr;
	}
	return done;
}

static ssize_t pids_write(struct file *file, const char __user *ubuf, size_t cnt,
			  loff_t *ppos)
{
	const struct seq_file *m = file->private_data;
	const struct fs_view *view = m->private;
	struct pid_set *set;
	unsigned int nr;
	ssize_t ret;

	if (!cnt)
		return 0;
	set = strobe_pid_set_alloc();
	if (!set)
		return -ENOMEM;
	ret = strobe_fs_parse_pids(set, ubuf, cnt, &nr);
	if (ret > 0 && nr) {
		int err = strobe_instance_expand(view->tr);

		if (err < 0)
			ret = err;
	}
	if (ret < 0 || !nr) {
		strobe_pid_set_free(set);
	} else {
		guard(mutex)(&strobe_event_mutex);
		strobe_instance_add_pids(view->tr, list_of(file), set);
	}
	if (ret > 0)
		*ppos += ret;
	return ret;
}

const struct file_operations strobe_fs_set_event_pid_fops = {
	.open		= pids_open,
	.read		= seq_read,
	.write		= pids_write,
	.llseek		= seq_lseek,
	.release	= strobe_fs_release_seq,
};

/* A copy, so that list_of() can tell the two files apart. */
const struct file_operations strobe_fs_set_event_notrace_pid_fops = {
	.open		= pids_open,
	.read		= seq_read,
	.write		= pids_write,
	.llseek		= seq_lseek,
	.release	= strobe_fs_release_seq,
};
