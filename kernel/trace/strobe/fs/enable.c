// SPDX-License-Identifier: GPL-2.0
/*
 * The files enable of an event, of a system and of all events.
 *
 * Contexts: task. Locks: strobe_event_mutex.
 */
#include <linux/cleanup.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

/* "enable" of one event */

static ssize_t event_enable_read(struct file *filp, char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char state[4];

	scoped_guard(mutex, &strobe_event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		strobe_event_file_state(file, state);
	}
	return strobe_fs_read_text(ubuf, cnt, ppos, "%s\n", state);
}

static int event_enable(struct trace_event_file *file, bool on)
{
	unsigned int before;
	int ret;

	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	if (!on)
		return strobe_event_file_enable(file, false);
	ret = strobe_instance_expand(file->tr);
	if (ret < 0)
		return ret;
	before = file->tr->switched_on;
	ret = strobe_event_file_enable(file, true);
	strobe_instance_events_switched_on(file->tr, before);
	return ret;
}

static ssize_t event_enable_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, 1, &val);
	if (ret)
		return ret;
	ret = event_enable(filp->private_data, val);
	*ppos += cnt;
	return ret ?: cnt;
}

const struct file_operations strobe_fs_event_enable_fops = {
	.open		= strobe_fs_event_open,
	.read		= event_enable_read,
	.write		= event_enable_write,
	.release	= strobe_fs_event_release,
	.llseek		= default_llseek,
};

/* "enable" of a system, and of all: private_data is the system or the view */

static ssize_t enable_read(struct trace_array *tr, const char *system,
			   char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return strobe_fs_read_text(ubuf, cnt, ppos, "%c\n",
				   strobe_instance_events_state(tr, system));
}

static ssize_t enable_write(struct trace_array *tr, const char *system,
			    const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	unsigned int before;
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, 1, &val);
	if (!ret && val)
		ret = strobe_instance_expand(tr);
	if (ret < 0)
		return ret;
	before = READ_ONCE(tr->switched_on);
	ret = strobe_instance_enable_events(tr, NULL, system, NULL, val);
	strobe_instance_events_switched_on(tr, before);
	*ppos += cnt;
	return ret ?: cnt;
}

static ssize_t system_enable_read(struct file *filp, char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	struct fs_system *system = filp->private_data;

	return enable_read(system->tr, system->name, ubuf, cnt, ppos);
}

static ssize_t system_enable_write(struct file *filp, const char __user *ubuf,
				   size_t cnt, loff_t *ppos)
{
	struct fs_system *system = filp->private_data;

	return enable_write(system->tr, system->name, ubuf, cnt, ppos);
}

const struct file_operations strobe_fs_system_enable_fops = {
	.open		= strobe_fs_system_open,
	.read		= system_enable_read,
	.write		= system_enable_write,
	.release	= strobe_fs_system_release,
	.llseek		= default_llseek,
};

static ssize_t all_enable_read(struct file *filp, char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	const struct fs_view *view = filp->private_data;

	return enable_read(view->tr, NULL, ubuf, cnt, ppos);
}

static ssize_t all_enable_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = filp->private_data;

	return enable_write(view->tr, NULL, ubuf, cnt, ppos);
}

const struct file_operations strobe_fs_all_enable_fops = {
	.open		= strobe_fs_open,
	.read		= all_enable_read,
	.write		= all_enable_write,
	.release	= strobe_fs_release,
	.llseek		= default_llseek,
};
