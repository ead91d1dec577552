// SPDX-License-Identifier: GPL-2.0
/*
 * trace_options: all options, one per line, with "no" before those that are off.
 * options/: a file for each option that contains 0 or 1.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "fs/fs.h"

static int trace_options_show(struct seq_file *m, void *unused)
{
	const struct fs_view *view = m->private;
	unsigned int options = READ_ONCE(view->tr->options);
	int i;

	for (i = 0; i < STROBE_NR_OPTIONS; i++)
		seq_printf(m, "%s%s\n", options & BIT(i) ? "" : "no",
			   strobe_option_names[i]);
	return 0;
}

static ssize_t trace_options_write(struct file *file, const char __user *ubuf,
				   size_t cnt, loff_t *ppos)
{
	const struct seq_file *m = file->private_data;
	const struct fs_view *view = m->private;
	char word[64];
	int ret;

	ret = strobe_fs_copy_string(word, sizeof(word), ubuf, cnt);
	if (!ret)
		ret = strobe_instance_set_option_string(view->tr, word);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

STROBE_FS_SHOW(trace_options, trace_options_write);

/* Any error is -ENODEV here, even that of lockdown: ABI. */
static int option_open(struct inode *inode, struct file *file)
{
	return strobe_fs_open(inode, file) ? -ENODEV : 0;
}

static ssize_t option_read(struct file *file, char __user *ubuf, size_t cnt,
			   loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	bool on = READ_ONCE(view->tr->options) & BIT(view->option);

	return strobe_fs_read_text(ubuf, cnt, ppos, "%d\n", on);
}

static ssize_t option_write(struct file *file, const char __user *ubuf,
			    size_t cnt, loff_t *ppos)
{
	const struct fs_view *view = file->private_data;
	unsigned long val;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, 1, &val);
	if (ret)
		return ret;
	ret = strobe_instance_set_option(view->tr, view->option, val);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

static const struct file_operations option_fops = {
	.open		= option_open,
	.read		= option_read,
	.write		= option_write,
	.llseek		= generic_file_llseek,
	.release	= strobe_fs_release,
};

/**
 * strobe_fs_options_create - create the directory options/ and its files
 * @fsi: the instance
 *
 * A file that cannot be created is skipped with a warning.
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM if a file is missing.
 */
int strobe_fs_options_create(struct fs_instance *fsi)
{
	struct dentry *dir = tracefs_create_dir("options", fsi->dir);
	int i, ret = 0;

	if (!dir) {
		pr_warn("cannot create directory 'options'\n");
		return -ENOMEM;
	}
	fsi->options_dir = dir;
	for (i = 0; i < STROBE_NR_OPTIONS; i++) {
		if (!instance_has_option(fsi->tr, i))
			continue;
		if (tracefs_create_file(strobe_option_names[i], FS_MODE_WRITE,
					dir, &fsi->options[i], &option_fops))
			continue;
		pr_warn("no file 'options/%s'\n", strobe_option_names[i]);
		ret = -ENOMEM;
	}
	return ret;
}
