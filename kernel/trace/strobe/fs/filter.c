// SPDX-License-Identifier: GPL-2.0
/*
 * The files filter of an event and of a system.
 *
 * Reading an event's file shows its filter, or the error in the last one written.
 * Locks: strobe_event_mutex.
 */
#include <linux/cleanup.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#include <linux/string.h>

#include "event/event.h"
#include "fs/events.h"
#include "fs/fs.h"

/* Text of a system's file if there is no error: ABI. */
static const char system_help[] =
	"### global filter ###\n"
	"# Use this to set filters for multiple events.\n"
	"# Only events with the given fields will be affected.\n"
	"# If no events are modified, an error message will be displayed here";

/* Copy @line to user space and free it. */
static ssize_t read_line(char *line, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	ssize_t ret;

	if (!line)
		return -ENOMEM;
	ret = simple_read_from_buffer(ubuf, cnt, ppos, line, strlen(line));
	kfree(line);
	return ret;
}

static ssize_t event_filter_read(struct file *filp, char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char *line;

	scoped_guard(mutex, &strobe_event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		line = kasprintf(GFP_KERNEL, "%s\n", strobe_event_file_filter_text(file));
	}
	return read_line(line, ubuf, cnt, ppos);
}

static int event_filter_set(void *data, char *text)
{
	struct trace_event_file *file = data;

	guard(mutex)(&strobe_event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	return strobe_event_file_set_filter(file, text);
}

static ssize_t event_filter_write(struct file *filp, const char __user *ubuf, size_t cnt,
				  loff_t *ppos)
{
	return strobe_fs_write_text(event_filter_set, filp->private_data, ubuf, cnt, ppos);
}

const struct file_operations strobe_fs_event_filter_fops = {
	.open		= strobe_fs_event_open,
	.read		= event_filter_read,
	.write		= event_filter_write,
	.release	= strobe_fs_event_release,
	.llseek		= default_llseek,
};

static ssize_t system_filter_read(struct file *filp, char __user *ubuf, size_t cnt,
				  loff_t *ppos)
{
	struct fs_system *system = filp->private_data;
	char *line;

	scoped_guard(mutex, &strobe_event_mutex)
		line = kasprintf(GFP_KERNEL, "%s\n", system->filter_error ?: system_help);
	return read_line(line, ubuf, cnt, ppos);
}

static int system_filter_set(void *data, char *text)
{
	struct fs_system *system = data;

	guard(mutex)(&strobe_event_mutex);
	if (system->gone)
		return -ENODEV;
	return strobe_instance_set_system_filter(system->tr, system->name, text,
						 &system->filter_error);
}

static ssize_t system_filter_write(struct file *filp, const char __user *ubuf, size_t cnt,
				   loff_t *ppos)
{
	return strobe_fs_write_text(system_filter_set, filp->private_data, ubuf, cnt, ppos);
}

const struct file_operations strobe_fs_system_filter_fops = {
	.open		= strobe_fs_system_open,
	.read		= system_filter_read,
	.write		= system_filter_write,
	.release	= strobe_fs_system_release,
	.llseek		= default_llseek,
};
