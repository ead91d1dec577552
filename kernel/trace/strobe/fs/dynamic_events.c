// SPDX-License-Identifier: GPL-2.0
/*
 * dynamic_events: events that user space defines. Strobe implements no type of them
 * yet: the file is empty, and each definition fails with -EINVAL. It exists for tools
 * that only clear it or look whether such events exist.
 *
 * Each written line is a definition; text after a '#' is a comment. A line that begins
 * with '-' or '!' removes the event that it names.
 *
 * Contexts: task. No state, no locks.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fs/fs.h"

/* Length of the longest line with its newline. */
#define LINE_MAX	4095

/* "-:GROUP/EVENT", "-:EVENT", or '!' and a whole definition. */
static int obey_removal(char *line)
{
	char *name = line + 1;

	line[strcspn(line, " \t\v\f\r")] = '\0';
	if (*line == '!')
		name = strchr(name, ':');
	if (!name || *name != ':' || !name[1])
		return -EINVAL;
	/* No event can exist. */
	return -ENOENT;
}

static int obey_line(char *line)
{
	line[strcspn(line, "#")] = '\0';
	if (*line == '-' || *line == '!')
		return obey_removal(line);
	return *skip_spaces(line) ? -EINVAL : 0;
}

static ssize_t dynamic_events_read(struct file *file, char __user *ubuf, size_t cnt,
				   loff_t *ppos)
{
	return 0;
}

/* Use whole lines, at most LINE_MAX bytes; user space writes the rest again. */
static ssize_t dynamic_events_write(struct file *file, const char __user *ubuf,
				    size_t cnt, loff_t *ppos)
{
	size_t size = min_t(size_t, cnt, LINE_MAX);
	char *text, *rest, *line;
	int ret = 0;

	text = memdup_user_nul(ubuf, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (size < cnt) {
		line = strrchr(text, '\n');
		size = line ? line + 1 - text : 0;
		text[size] = '\0';
		ret = line ? 0 : -EINVAL;
	}
	for (rest = text; !ret && rest; )
		ret = obey_line(strsep(&rest, "\n"));
	kfree(text);
	return ret ?: size;
}

const struct file_operations strobe_fs_dynamic_events_fops = {
	.open	= strobe_fs_open_global,
	.read	= dynamic_events_read,
	.write	= dynamic_events_write,
	.llseek	= default_llseek,
};
