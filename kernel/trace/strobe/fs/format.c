// SPDX-License-Identifier: GPL-2.0
/*
 * The files format and id of an event. Neither needs an event file, so a tool that reads
 * those of all events makes none.
 *
 * Contexts: task. Locks: strobe_event_mutex.
 */
#include <linux/cleanup.h>
#include <linux/seq_file.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

#define FORMAT_BYTES	8192

/* "format": without lockdown check, as tools read it before they record */

static int event_format_show_file(struct seq_file *m, void *unused)
{
	const struct fs_event *event = m->private;

	guard(mutex)(&strobe_event_mutex);
	if (!event->ei)
		return -ENODEV;
	strobe_event_format_show(m, event->call);
	return 0;
}

static int event_format_open(struct inode *inode, struct file *filp)
{
	/* Most formats fit. For others, seq_file calls show again with a larger buffer. */
	return single_open_size(filp, event_format_show_file, inode->i_private,
				FORMAT_BYTES);
}

const struct file_operations strobe_fs_event_format_fops = {
	.open		= event_format_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* "id": the file's data is the number itself, so no reference is needed */

static ssize_t event_id_read(struct file *filp, char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "%ld\n",
				   (long)file_inode(filp)->i_private);
}

const struct file_operations strobe_fs_event_id_fops = {
	.read	= event_id_read,
	.llseek	= default_llseek,
};
