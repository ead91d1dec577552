// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel's files of function hooks call of their engine: files, words that
 * user space writes, patterns, and text.
 *
 * Contexts: task, may sleep, unless a function says something else.
 */
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "event/internal.h"
#include "fs/fs.h"
#include "hook/host.h"

/* Functions of ftrace.c's profiler, and of tracers, that take less are not shown. */
unsigned long tracing_thresh;

/* Calls deeper than that are not traced. */
unsigned int fgraph_max_depth;

/**
 * tracing_check_open_get_tr - open a file of an instance
 * @tr: the instance, possibly gone already; NULL: the file belongs to none
 *
 * Context: task; takes instance_mutex.
 * Return: 0, and trace_array_put() gives the reference back; -EPERM when the kernel is
 *	   locked down; -ENODEV when there is no tracing, or the instance is gone.
 */
int tracing_check_open_get_tr(struct trace_array *tr)
{
	return fs_may_open() ?: tr ? instance_get(tr) : 0;
}

/**
 * trace_create_file - make a file of tracefs
 * @name: its name
 * @mode: its permissions
 * @parent: its folder; NULL: the root of tracefs
 * @data: inode->i_private
 * @fops: what it does
 *
 * Return: the file; NULL if there is none, after a warning.
 */
struct dentry *trace_create_file(const char *name, umode_t mode, struct dentry *parent,
				 void *data, const struct file_operations *fops)
{
	struct dentry *file = tracefs_create_file(name, mode, parent, data, fops);

	if (!file)
		pr_warn("tracing: no file '%s'\n", name);
	return file;
}

/**
 * tracing_init_dentry - may files be made in the root of tracefs?
 *
 * Return: 0; -EPERM when the kernel is locked down; -ENODEV when there is no tracing.
 */
int tracing_init_dentry(void)
{
	int ret = fs_may_open();

	return ret ?: tracefs_initialized() ? 0 : -ENODEV;
}

/**
 * tracing_open_generic - open() of a file that belongs to no instance
 * @inode: the file's
 * @file: private_data becomes the inode's
 *
 * Return: as fs_may_open()
 */
int tracing_open_generic(struct inode *inode, struct file *file)
{
	return fs_open_global(inode, file);
}

/**
 * tracing_lseek - llseek() of a file that is a sequence only when it is read
 * @file: the file
 * @offset: bytes
 * @whence: SEEK_*
 *
 * Return: the new position, or as seq_lseek()
 */
loff_t tracing_lseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

/**
 * trace_parser_get_init - have room for words
 * @parser: becomes empty
 * @size: of the room in bytes; a word has a byte less
 *
 * Return: 0; 1 if there is no memory. trace_parser_put() frees the room.
 */
int trace_parser_get_init(struct trace_parser *parser, int size)
{
	*parser = (struct trace_parser) {
		.buffer = kmalloc(size, GFP_KERNEL),
		.size = size,
	};
	return !parser->buffer;
}

/**
 * trace_parser_put - undo trace_parser_get_init()
 * @parser: the parser
 */
void trace_parser_put(struct trace_parser *parser)
{
	kfree(parser->buffer);
	parser->buffer = NULL;
}

/**
 * trace_get_user - take one word, or the rest of one, of what was written
 * @parser: gets the word. One that the write ends in is not complete: the next call goes
 *	    on with it
 * @ubuf: user space's buffer
 * @cnt: bytes in it, at least 1
 * @ppos: position of the file; at 0 what @parser has is dropped
 *
 * Words are between white space; a NUL ends one, too.
 *
 * Return: bytes taken, with the character that ended the word; -EINVAL if the word is too
 *	   long; -EFAULT.
 */
int trace_get_user(struct trace_parser *parser, const char __user *ubuf, size_t cnt,
		   loff_t *ppos)
{
	size_t taken = 0;
	bool in_word;
	char c;

	if (!*ppos)
		trace_parser_clear(parser);
	in_word = parser->cont;
	if (!in_word)
		parser->idx = 0;
	while (taken < cnt) {
		if (get_user(c, ubuf + taken)) {
			parser->fail = true;
			return -EFAULT;
		}
		taken++;
		if (!c || isspace(c)) {
			if (!in_word && c)
				continue;
			in_word = false;
			break;
		}
		if (parser->idx + 1 >= parser->size) {
			parser->fail = true;
			return -EINVAL;
		}
		parser->buffer[parser->idx++] = c;
		in_word = true;
	}
	parser->buffer[parser->idx] = '\0';
	parser->cont = in_word;
	*ppos += taken;
	return taken;
}

/**
 * filter_parse_regex - find out what kind of pattern a text is
 * @buff: the text; a star at its end is cut off
 * @len: its length in bytes
 * @search: what to compare names with
 * @not: 1 if the text begins with "!"
 *
 * Context: any.
 * Return: how to compare. MATCH_INDEX: @search is a number.
 */
enum regex_type filter_parse_regex(char *buff, int len, char **search, int *not)
{
	bool front, back;
	int i;

	*not = *buff == '!';
	buff += *not;
	len -= *not;
	*search = buff;
	if (isdigit(*buff))
		return MATCH_INDEX;
	front = len > 0 && buff[0] == '*';
	back = len > 1 && buff[len - 1] == '*';
	for (i = front; i < len - back; i++) {
		if (strchr("*?[\\", buff[i]))
			return MATCH_GLOB;
	}
	if (back)
		buff[len - 1] = '\0';
	*search += front;
	if (front)
		return back ? MATCH_MIDDLE_ONLY : MATCH_END_ONLY;
	return back ? MATCH_FRONT_ONLY : MATCH_FULL;
}

/**
 * trace_seq_print_sym - the symbol that an address of the kernel belongs to
 * @s: gets the text
 * @address: the address
 * @offset: with where in the symbol it is
 *
 * Context: any.
 */
void trace_seq_print_sym(struct trace_seq *s, unsigned long address, bool offset)
{
	strobe_print_ip(s, address, offset ? STROBE_PRINT_SYM_OFFSET : 0);
}

/**
 * trace_print_graph_duration - a time in seven digits of microseconds, and the unit
 * @duration: in ns
 * @s: gets the text; ABI, from the function graph tracer
 *
 * Context: any.
 */
void trace_print_graph_duration(unsigned long long duration, struct trace_seq *s)
{
	char text[24];
	int len, room;
	u32 ns;

	len = scnprintf(text, sizeof(text), "%llu", div_u64_rem(duration, 1000, &ns));
	room = min(7 - len, 3);
	if (room > 0) {
		char digits[4];

		snprintf(digits, sizeof(digits), "%03u", ns);
		len += scnprintf(text + len, sizeof(text) - len, ".%.*s", room, digits);
	}
	trace_seq_printf(s, "%s us %*s", text, max(8 - len, 0), "");
}
