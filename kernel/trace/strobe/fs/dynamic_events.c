// SPDX-License-Identifier: GPL-2.0
/*
 * dynamic_events: events that user space defines. There is no kind of them yet, so
 * it is empty, and no definition is one; but who only empties it, or looks whether
 * there are any, finds the file.
 *
 * A write has a definition a line; what stands behind a '#' is a comment. A line that
 * begins with '-' or '!' removes what it names.
 *
 * Contexts: task. No state, no locks.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fs/fs.h"

/* A line and its end. */
#define LINE_MAX	4095

/* "-:GROUP/EVENT", "-:EVENT", or a whole definition behind '!'. */
static int obey_removal(char *line)
{
	char *name = line + 1;

	line[strcspn(line, " \t\v\f\r")] = '\0';
	if (*line == '!')
		name = strchr(name, ':');
	if (!name || *name != ':' || !name[1])
		return -EINVAL;
	/* Whatever it is, it is not there. */
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

/* Takes whole lines; of a long write, those that user space gets rid of in one go. */
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

const struct file_operations fs_dynamic_events_fops = {
	.open	= fs_open_global,
	.read	= dynamic_events_read,
	.write	= dynamic_events_write,
	.llseek	= default_llseek,
};
