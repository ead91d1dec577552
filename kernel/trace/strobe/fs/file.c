// SPDX-License-Identifier: GPL-2.0
/*
 * Functions shared by tracefs files: check whether a file may be opened, hold a
 * reference to its instance, and copy numbers and words from user space.
 *
 * An open file holds a reference to its instance, which then cannot be removed. After
 * the removal, open() of a file that was looked up before fails with -ENODEV.
 *
 * Contexts: task, may sleep. Locks: strobe_instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fs/fs.h"

/**
 * strobe_fs_may_open - check whether tracefs files may be opened at all
 *
 * Return: 0, -EPERM if the kernel is locked down, -ENODEV if tracing is disabled
 * after an error.
 */
int strobe_fs_may_open(void)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	return tracing_is_disabled() ? -ENODEV : 0;
}

/**
 * strobe_fs_view_get - check whether a file may be opened, and get a reference to its instance
 * @file: a file whose inode's data is a struct fs_view, or was one
 *
 * A tracefs file is unhashed before its instance's memory is freed, both with
 * strobe_instance_mutex held. eventfs may still hash one of its names then, but it holds a
 * reference to the fs_instance while an inode uses it, and @tr of the view is NULL.
 *
 * Context: task; takes strobe_instance_mutex.
 * Return: 0, the caller then drops the reference with strobe_instance_put(); -EPERM and
 * -ENODEV as strobe_fs_may_open(), -ENODEV also if the instance has been removed.
 */
int strobe_fs_view_get(const struct file *file)
{
	const struct fs_view *view = file_inode(file)->i_private;
	int ret = strobe_fs_may_open();

	if (ret)
		return ret;
	guard(mutex)(&strobe_instance_mutex);
	if (d_unhashed(file->f_path.dentry) || !view->tr)
		return -ENODEV;
	view->tr->refs++;
	return 0;
}

/**
 * strobe_fs_open_global - open() of files that belong to no instance
 * @inode: the file's
 * @file: private_data becomes the inode's data
 *
 * Return: as strobe_fs_may_open()
 */
int strobe_fs_open_global(struct inode *inode, struct file *file)
{
	file->private_data = inode->i_private;
	return strobe_fs_may_open();
}

/**
 * strobe_fs_open - open() of an instance's files; private_data is the fs_view
 * @inode: the file's
 * @file: the file
 *
 * Return: as strobe_fs_view_get()
 */
int strobe_fs_open(struct inode *inode, struct file *file)
{
	file->private_data = inode->i_private;
	return strobe_fs_view_get(file);
}

/**
 * strobe_fs_release - release() for strobe_fs_open()
 * @inode: the file's
 * @file: the file
 *
 * Return: 0
 */
int strobe_fs_release(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;

	strobe_instance_put(view->tr);
	return 0;
}

/**
 * strobe_fs_open_show - open() of an instance's file that one function prints
 * @inode: the file's
 * @file: the file
 * @show: prints the file; m->private is the fs_view
 *
 * Return: as strobe_fs_view_get(), or -ENOMEM
 */
int strobe_fs_open_show(struct inode *inode, struct file *file,
			int (*show)(struct seq_file *m, void *unused))
{
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	ret = single_open(file, show, inode->i_private);
	if (ret)
		strobe_fs_release(inode, file);
	return ret;
}

/**
 * strobe_fs_release_show - release() for strobe_fs_open_show()
 * @inode: the file's
 * @file: the file
 *
 * Return: 0
 */
int strobe_fs_release_show(struct inode *inode, struct file *file)
{
	strobe_fs_release(inode, file);
	return single_release(inode, file);
}

/**
 * strobe_fs_open_seq - open() of an instance's file with a sequence of lines
 * @inode: the file's
 * @file: the file
 * @ops: the sequence; m->private is the fs_view
 *
 * Return: as strobe_fs_view_get(), or -ENOMEM
 */
int strobe_fs_open_seq(struct inode *inode, struct file *file,
		       const struct seq_operations *ops)
{
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	ret = seq_open(file, ops);
	if (ret)
		strobe_fs_release(inode, file);
	else
		((struct seq_file *)file->private_data)->private = inode->i_private;
	return ret;
}

/**
 * strobe_fs_release_seq - release() for strobe_fs_open_seq()
 * @inode: the file's
 * @file: the file
 *
 * Return: 0
 */
int strobe_fs_release_seq(struct inode *inode, struct file *file)
{
	strobe_fs_release(inode, file);
	return seq_release(inode, file);
}

/**
 * strobe_fs_open_global_seq - open() of a sequence that belongs to no instance
 * @file: the file, released by seq_release()
 * @ops: the sequence
 *
 * Return: as strobe_fs_may_open(), or -ENOMEM
 */
int strobe_fs_open_global_seq(struct file *file, const struct seq_operations *ops)
{
	return strobe_fs_may_open() ?: seq_open(file, ops);
}

/**
 * strobe_fs_read_text - read() of a file with a short text
 * @ubuf: user space's buffer
 * @cnt: its size in bytes
 * @ppos: the file's position
 * @fmt: the text, up to 63 characters
 *
 * Return: bytes read, or -EFAULT
 */
ssize_t strobe_fs_read_text(char __user *ubuf, size_t cnt, loff_t *ppos,
			    const char *fmt, ...)
{
	char buf[64];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

/**
 * strobe_fs_copy_number - copy a number from user space
 * @ubuf: user space's buffer
 * @cnt: bytes written: decimal digits, optionally with a newline
 * @max: the greatest valid number
 * @val: set to the number
 *
 * Return: 0, -EINVAL if it is not a number or greater than @max, -ERANGE if it does
 * not fit into an unsigned long, -EFAULT
 */
int strobe_fs_copy_number(const char __user *ubuf, size_t cnt, unsigned long max,
			  unsigned long *val)
{
	int ret = kstrtoul_from_user(ubuf, cnt, 10, val);

	return !ret && *val > max ? -EINVAL : ret;
}

/**
 * strobe_fs_copy_string - copy a string from user space
 * @buf: gets the string, NUL-terminated
 * @size: of @buf in bytes
 * @ubuf: user space's buffer
 * @cnt: bytes written
 *
 * Return: 0, -EINVAL if it does not fit, -EFAULT
 */
int strobe_fs_copy_string(char *buf, size_t size, const char __user *ubuf, size_t cnt)
{
	if (cnt >= size)
		return -EINVAL;
	if (copy_from_user(buf, ubuf, cnt))
		return -EFAULT;
	buf[cnt] = '\0';
	return 0;
}

/**
 * strobe_fs_write_text - write() of a file that takes a text
 * @set: called with the text, which it may change; returns 0 or an errno
 * @data: for @set
 * @ubuf: user space's buffer
 * @cnt: bytes written, less than a page
 * @ppos: the position
 *
 * Context: task, may sleep; @set is called without locks.
 * Return: @cnt, with @ppos advanced; -EINVAL if the text is too long, -ENOMEM,
 *	   -EFAULT, or @set's errno
 */
ssize_t strobe_fs_write_text(int (*set)(void *data, char *text), void *data,
			     const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	char *text;
	int ret;

	if (cnt >= PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = set(data, text);
	kfree(text);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

/**
 * strobe_fs_copy_word - copy the first word of a write from user space
 * @buf: gets the word, NUL-terminated; empty if there is none
 * @size: of @buf in bytes
 * @ubuf: user space's buffer
 * @cnt: bytes written, at least 1
 *
 * White space before the word is skipped; the word ends at white space, a NUL, or
 * the end of the write. If write() returns less than @cnt, user space writes the
 * rest again.
 *
 * Return: bytes used, at least 1: the white space before the word, the word, and
 * the one character that ended it; -EINVAL if the word is longer than @size - 1;
 * -EFAULT.
 */
ssize_t strobe_fs_copy_word(char *buf, size_t size, const char __user *ubuf,
			    size_t cnt)
{
	size_t len = 0;
	size_t taken;
	char c;

	for (taken = 0; taken < cnt; taken++) {
		if (get_user(c, ubuf + taken))
			return -EFAULT;
		if (c && !isspace(c)) {
			if (len == size - 1)
				return -EINVAL;
			buf[len++] = c;
		} else if (len || !c) {
			taken++;
			break;
		}
	}
	buf[len] = '\0';
	return taken;
}
