// SPDX-License-Identifier: GPL-2.0
/*
 * The files of dynamic events: dynamic_events for all kinds, NAME_events for one kind, with
 * the definitions, one per line; NAME_profile with its counters, and dynamic_profile with
 * those of all kinds.
 *
 * Each written line is executed: it defines an event, or removes some. Text after a '#' is a
 * comment. A line that is refused ends the write; what the lines before it did stays.
 * Opening a file for writing with O_TRUNC removes all events that it shows.
 *
 * Contexts: task. No state. Locks: strobe_event_mutex, from start() to stop() of a reader.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "dynamic/dynamic.h"
#include "fs/fs.h"

/* Bytes that are copied from user space at a time; a line with its newline fits. */
#define CHUNK	4095U

/* The kind that a file is for; NULL: all. */
static const struct dyn_kind *kind_of(const struct file *file)
{
	return file_inode(file)->i_private;
}

static void *probes_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&strobe_event_mutex);
	return seq_list_start(&strobe_dyn_probes, *pos);
}

static void *probes_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &strobe_dyn_probes, pos);
}

static void probes_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&strobe_event_mutex);
}

/* Return: the probe that is to be shown, or NULL if it is of another kind */
static const struct dyn_probe *probe_to_show(const struct seq_file *m, void *v)
{
	const struct dyn_probe *probe = list_entry(v, struct dyn_probe, list);
	const struct dyn_kind *kind = kind_of(m->file);

	return kind && kind != probe->event->kind ? NULL : probe;
}

static int events_show(struct seq_file *m, void *v)
{
	const struct dyn_probe *probe = probe_to_show(m, v);

	if (probe)
		strobe_dyn_show(m, probe);
	return 0;
}

static const struct seq_operations events_seq_ops = {
	.start	= probes_start,
	.next	= probes_next,
	.stop	= probes_stop,
	.show	= events_show,
};

static int events_open(struct inode *inode, struct file *file)
{
	int ret = strobe_fs_may_open() ?: seq_open(file, &events_seq_ops);

	if (!ret && file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC) {
		scoped_guard(mutex, &strobe_event_mutex)
			ret = strobe_dyn_remove_all(kind_of(file));
		if (ret)
			seq_release(inode, file);
	}
	return ret;
}

static int execute_line(const struct dyn_kind *kind, char *line)
{
	line[strcspn(line, "#")] = '\0';
	return strobe_dyn_execute(kind, line);
}

/*
 * Execute the lines in @text, which has @len bytes. If there is @more after it, the last line
 * may be incomplete. A line with a NUL is refused, alone. Return: bytes used, or an errno
 */
static ssize_t execute_lines(const struct dyn_kind *kind, char *text, size_t len, bool more)
{
	char *line = text, *end;
	int ret;

	do {
		end = line + strcspn(line, "\n");
		if (!*end && (more || end < text + len)) {
			if (line != text)
				break;
			pr_warn("a line of a definition has a NUL, or more than %u bytes\n",
				CHUNK - 1);
			return -EINVAL;
		}
		*end = '\0';
		ret = execute_line(kind, line);
		if (ret)
			return ret;
		line = end + 1;
	} while (line < text + len);
	return min_t(size_t, line - text, len);
}

static ssize_t events_write(struct file *file, const char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	char *text __free(kfree) = kmalloc(CHUNK + 1, GFP_KERNEL);
	size_t done = 0, len;
	ssize_t ret;

	if (!text)
		return -ENOMEM;
	while (done < cnt) {
		len = min_t(size_t, cnt - done, CHUNK);
		if (copy_from_user(text, ubuf + done, len))
			return -EFAULT;
		text[len] = '\0';
		ret = execute_lines(kind_of(file), text, len, done + len < cnt);
		if (ret < 0)
			return ret;
		done += ret;
	}
	return done;
}

static const struct file_operations events_fops = {
	.open		= events_open,
	.read		= seq_read,
	.write		= events_write,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

/* Events of user space have nothing that fires, and no arguments. */
static void show_counts(struct seq_file *m, const struct dyn_probe *probe)
{
	const struct dyn_event *event = probe->event;
	const char *name = trace_event_name(&event->dynamic.call);
	struct dyn_counts counts;

	if (!probe->args)
		return;
	counts = strobe_dyn_probe_counts(probe);
	seq_printf(m, "  %s/%-*s %15lu %15lu\n", event->class.system,
		   max(43 - (int)strlen(event->class.system), 0), name, counts.hits, counts.missed);
}

static int profile_show(struct seq_file *m, void *v)
{
	const struct dyn_probe *probe = probe_to_show(m, v);

	if (probe && kind_of(m->file))
		probe->event->kind->profile(m, probe);
	else if (probe)
		show_counts(m, probe);
	return 0;
}

static const struct seq_operations profile_seq_ops = {
	.start	= probes_start,
	.next	= probes_next,
	.stop	= probes_stop,
	.show	= profile_show,
};

static int profile_open(struct inode *inode, struct file *file)
{
	return strobe_fs_open_global_seq(file, &profile_seq_ops);
}

static const struct file_operations profile_fops = {
	.open		= profile_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

static const struct {
	const char			*name;
	umode_t				mode;
	const struct file_operations	*fops;
	const struct dyn_kind		*kind;
} dynamic_files[] = {
	{ "dynamic_events",	FS_MODE_WRITE,	&events_fops, NULL },
	{ "dynamic_profile",	FS_MODE_READ,	&profile_fops, NULL },
#ifdef CONFIG_KPROBE_EVENTS
	{ "kprobe_events",	FS_MODE_WRITE,	&events_fops, &strobe_dyn_kprobe },
	{ "kprobe_profile",	FS_MODE_READ,	&profile_fops, &strobe_dyn_kprobe },
#endif
#ifdef CONFIG_UPROBE_EVENTS
	{ "uprobe_events",	FS_MODE_WRITE,	&events_fops, &strobe_dyn_uprobe },
	{ "uprobe_profile",	FS_MODE_READ,	&profile_fops, &strobe_dyn_uprobe },
#endif
};

/**
 * strobe_fs_dynamic_files_create - create the files of dynamic events
 *
 * Context: boot. A file that cannot be created is missing.
 */
void __init strobe_fs_dynamic_files_create(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dynamic_files); i++)
		tracefs_create_file(dynamic_files[i].name, dynamic_files[i].mode, NULL,
				    (void *)dynamic_files[i].kind, dynamic_files[i].fops);
}
