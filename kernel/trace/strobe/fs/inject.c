// SPDX-License-Identifier: GPL-2.0
/*
 * The file inject of an event: writing values of fields makes the event fire once with
 * them. For the lifetime of the event file see events.c.
 *
 * Locks: strobe_event_mutex.
 */
#include <linux/cleanup.h>
#include <linux/string.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"
#include "record/record.h"

static int inject(void *data, char *text)
{
	struct trace_event_file *file = data;
	int ret;

	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	ret = strobe_instance_use_ring(file->tr);
	if (ret)
		return ret;
	return strobe_event_file_inject(file, strim(text));
}

static ssize_t inject_write(struct file *filp, const char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	return strobe_fs_write_text(inject, filp->private_data, ubuf, cnt, ppos);
}

/* Fail even for a reader that CAP_DAC_OVERRIDE allows to open it. */
static ssize_t inject_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return -EPERM;
}

const struct file_operations strobe_fs_event_inject_fops = {
	.open		= strobe_fs_event_open,
	.read		= inject_read,
	.write		= inject_write,
	.release	= strobe_fs_event_release,
};
