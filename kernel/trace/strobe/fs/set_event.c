// SPDX-License-Identifier: GPL-2.0
/*
 * set_event and available_events: names of events, one per line.
 *
 * set_event shows the enabled events, available_events all that can be enabled. A
 * write() to set_event uses one word, in the syntax of strobe_instance_set_event_string(),
 * and returns the number of bytes used, so that user space writes the rest again.
 * Opening it for writing with O_TRUNC disables all events first.
 *
 * Locks: strobe_event_mutex, from start() to stop() of a reader.
 */
#include <linux/cleanup.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "event/event.h"
#include "fs/fs.h"

/* The longest word, with its NUL. */
#define WORD_MAX	128

/* Return whether an open file shows @call. */
static bool is_shown(const struct seq_file *m, const struct trace_event_call *call)
{
	const struct fs_view *view = m->private;
	const struct trace_event_file *file;

	if (m->file->f_op == &strobe_fs_available_events_fops)
		return strobe_event_call_can_enable(call);
	file = instance_event_file(view->tr, call);
	return file && file->flags & EVENT_FILE_FL_ENABLED;
}

static struct trace_event_call *next_shown(const struct seq_file *m,
					   struct trace_event_call *call)
{
	const struct fs_view *view = m->private;

	do {
		call = strobe_instance_next_event(view->tr, call);
	} while (call && !is_shown(m, call));
	return call;
}

static void *names_start(struct seq_file *m, loff_t *pos)
{
	struct trace_event_call *call = NULL;
	loff_t left = *pos;

	mutex_lock(&strobe_event_mutex);
	do {
		call = next_shown(m, call);
	} while (call && left--);
	return call;
}

static void *names_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return next_shown(m, v);
}

static void names_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&strobe_event_mutex);
}

static int names_show(struct seq_file *m, void *v)
{
	const struct trace_event_call *call = v;

	seq_printf(m, "%s:%s\n", call->class->system, trace_event_name(call));
	return 0;
}

static const struct seq_operations names_seq_ops = {
	.start	= names_start,
	.next	= names_next,
	.stop	= names_stop,
	.show	= names_show,
};

static int available_open(struct inode *inode, struct file *file)
{
	return strobe_fs_open_seq(inode, file, &names_seq_ops);
}

const struct file_operations strobe_fs_available_events_fops = {
	.open		= available_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= strobe_fs_release_seq,
};

static int set_event_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret;

	ret = strobe_fs_open_seq(inode, file, &names_seq_ops);
	if (!ret && file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC) {
		guard(mutex)(&strobe_event_mutex);
		strobe_instance_disable_all(view->tr);
	}
	return ret;
}

static int switch_on(struct trace_array *tr, char *name)
{
	int ret = strobe_instance_expand(tr);
	unsigned int before;

	if (ret < 0)
		return ret;
	before = READ_ONCE(tr->switched_on);
	ret = strobe_instance_set_event_string(tr, name, true);
	strobe_instance_events_switched_on(tr, before);
	return ret;
}

static ssize_t set_event_write(struct file *file, const char __user *ubuf,
			       size_t cnt, loff_t *ppos)
{
	const struct seq_file *m = file->private_data;
	const struct fs_view *view = m->private;
	char word[WORD_MAX];
	ssize_t taken;
	bool off;
	int ret = 0;

	if (!cnt)
		return 0;
	taken = strobe_fs_copy_word(word, sizeof(word), ubuf, cnt);
	if (taken < 0)
		return taken;
	*ppos += taken;
	off = *word == '!';
	if (*word)
		ret = off ? strobe_instance_set_event_string(view->tr, word + off, false) :
			    switch_on(view->tr, word);
	return ret ?: taken;
}

const struct file_operations strobe_fs_set_event_fops = {
	.open		= set_event_open,
	.read		= seq_read,
	.write		= set_event_write,
	.llseek		= seq_lseek,
	.release	= strobe_fs_release_seq,
};
