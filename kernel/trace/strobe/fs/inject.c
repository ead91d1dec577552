// SPDX-License-Identifier: GPL-2.0
/*
 * The file inject of an event: what is written to it are fields, with which the event
 * fires once. Lives as events.c says.
 *
 * Locks: event_mutex.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

static int inject(struct trace_event_file *file, char *text)
{
	guard(mutex)(&event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	return event_file_inject(file, strim(text));
}

static ssize_t inject_write(struct file *filp, const char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	char *text;
	int ret;

	if (cnt >= PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = inject(filp->private_data, text);
	kfree(text);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

/* Who may override its mode still has nothing to read. */
static ssize_t inject_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return -EPERM;
}

const struct file_operations fs_event_inject_fops = {
	.open		= fs_event_open,
	.read		= inject_read,
	.write		= inject_write,
	.release	= fs_event_release,
};
