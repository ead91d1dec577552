// SPDX-License-Identifier: GPL-2.0
/*
 * printk_formats: strings that records contain as addresses.
 */
#include <linux/seq_file.h>

#include "fs/fs.h"
#include "output/formats.h"

static int printk_formats_open(struct inode *inode, struct file *file)
{
	return strobe_fs_open_global_seq(file, &strobe_printk_formats_seq_ops);
}

const struct file_operations strobe_fs_printk_formats_fops = {
	.open		= printk_formats_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
};
