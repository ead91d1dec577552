// SPDX-License-Identifier: GPL-2.0
/*
 * The file trigger of an event: a line for each trigger, or the available commands.
 *
 * Locks: strobe_event_mutex.
 */
#include <linux/cleanup.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"
#include "trigger/trigger.h"

static int trigger_show_all(struct seq_file *m, void *unused)
{
	const struct trace_event_file *file = m->private;

	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	strobe_event_file_show_triggers(m, file);
	return 0;
}

static int trigger_open(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file;
	int ret = strobe_fs_event_open(inode, filp);

	if (ret || !(filp->f_mode & FMODE_READ))
		return ret;
	file = filp->private_data;
	/* single_open() requires private_data to be NULL. */
	filp->private_data = NULL;
	ret = single_open(filp, trigger_show_all, file);
	if (ret) {
		filp->private_data = file;
		strobe_fs_event_release(inode, filp);
	}
	return ret;
}

static struct trace_event_file *trigger_file(const struct file *filp)
{
	const struct seq_file *m = filp->private_data;

	return filp->f_mode & FMODE_READ ? m->private : filp->private_data;
}

static int trigger_release(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = trigger_file(filp);

	if (filp->f_mode & FMODE_READ)
		single_release(inode, filp);
	filp->private_data = file;
	return strobe_fs_event_release(inode, filp);
}

static int trigger_set(void *data, char *text)
{
	struct trace_event_file *file = data;

	strim(text);
	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	return strobe_event_file_write_trigger(file, text);
}

static ssize_t trigger_write(struct file *filp, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	return cnt ? strobe_fs_write_text(trigger_set, trigger_file(filp), ubuf, cnt, ppos) : 0;
}

static loff_t trigger_llseek(struct file *filp, loff_t offset, int whence)
{
	return filp->f_mode & FMODE_READ ? seq_lseek(filp, offset, whence) :
					   noop_llseek(filp, offset, whence);
}

const struct file_operations strobe_fs_event_trigger_fops = {
	.open		= trigger_open,
	.read		= seq_read,
	.write		= trigger_write,
	.llseek		= trigger_llseek,
	.release	= trigger_release,
};
