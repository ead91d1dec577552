// SPDX-License-Identifier: GPL-2.0
/*
 * Options of tracers: files in options/ of the top instance that contain 0 or 1. They are
 * never removed.
 *
 * Contexts: boot, task. Lock order: strobe_instance_mutex.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "fs/fs.h"
#include "hook/tracer.h"
#include "instance/instance.h"

/**
 * struct option_file - a file in options/
 * @flags: the options of the tracer
 * @bit: the option's mask in @flags->val
 */
struct option_file {
	struct tracer_flags	*flags;
	u32			bit;
};

static ssize_t option_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	const struct option_file *option = file->private_data;

	return strobe_fs_read_text(ubuf, cnt, ppos, "%d\n",
				   !!(READ_ONCE(option->flags->val) & option->bit));
}

static ssize_t option_write(struct file *file, const char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	const struct option_file *option = file->private_data;
	struct tracer_flags *flags = option->flags;
	unsigned long on;
	int ret;

	ret = strobe_fs_copy_number(ubuf, cnt, 1, &on);
	if (ret)
		return ret;
	scoped_guard(mutex, &strobe_instance_mutex)
		WRITE_ONCE(flags->val, on ? flags->val | option->bit
					  : flags->val & ~option->bit);
	*ppos += cnt;
	return cnt;
}

static const struct file_operations option_fops = {
	.open		= strobe_fs_open_global,
	.read		= option_read,
	.write		= option_write,
	.llseek		= generic_file_llseek,
};

/**
 * tracer_add_options - create the files of a tracer's options
 * @flags: the options; never freed
 *
 * Context: boot, after tracefs is set up (after fs_initcall).
 * Return: 0, also without tracefs; -ENOMEM, after a warning, if a file is missing.
 */
int __init tracer_add_options(struct tracer_flags *flags)
{
	struct fs_instance *fsi = fs_of(top_instance);
	const struct tracer_opt *opt;
	struct option_file *option;

	if (!fsi || !fsi->options_dir)
		return 0;
	for (opt = flags->opts; opt->name; opt++) {
		option = kmalloc(sizeof(*option), GFP_KERNEL);
		if (!option)
			goto missing;
		*option = (struct option_file){ .flags = flags, .bit = opt->bit };
		if (!tracefs_create_file(opt->name, FS_MODE_WRITE, fsi->options_dir,
					 option, &option_fops)) {
			kfree(option);
			goto missing;
		}
	}
	return 0;
missing:
	pr_warn("no file 'options/%s'\n", opt->name);
	return -ENOMEM;
}
