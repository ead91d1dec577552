// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that ftrace.c and the other files of function hooks call: tracefs files,
 * words written by user space, patterns, and text output.
 *
 * Contexts: task, may sleep, unless a function says otherwise.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/export.h>
#include <linux/math64.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fs/fs.h"
#include "hook/host.h"
#include "output/output.h"

/* ftrace.c's profiler and tracers do not show functions that take less time than this. */
unsigned long tracing_thresh;

/* Calls that are nested deeper than this are not traced. */
unsigned int fgraph_max_depth;

/**
 * tracing_check_open_get_tr - open a file of an instance
 * @tr: the instance, possibly removed already; NULL if the file belongs to none
 *
 * Context: task; takes strobe_instance_mutex.
 * Return: 0, the caller then drops the reference with trace_array_put(); -EPERM if the
 *	   kernel is locked down; -ENODEV if tracing is disabled or the instance is removed.
 */
int tracing_check_open_get_tr(struct trace_array *tr)
{
	return strobe_fs_may_open() ?: tr ? strobe_instance_get(tr) : 0;
}

/*
 * A file could not be created, which ftrace.c ignores. hook_create() clears this before it creates
 * files, and tests it afterwards. If another task sets it meanwhile, mkdir fails needlessly.
 */
bool hook_files_missing;

/**
 * trace_create_file - create a tracefs file
 * @name: its name
 * @mode: its permissions
 * @parent: its directory, or NULL for the root of tracefs
 * @data: inode->i_private
 * @fops: its file operations
 *
 * Return: the file; NULL, after a warning, if it could not be created.
 */
struct dentry *trace_create_file(const char *name, umode_t mode, struct dentry *parent,
				 void *data, const struct file_operations *fops)
{
	struct dentry *file = tracefs_create_file(name, mode, parent, data, fops);

	if (!file) {
		pr_warn("no file '%s'\n", name);
		WRITE_ONCE(hook_files_missing, true);
	}
	return file;
}

/**
 * tracing_init_dentry - check that files can be created in the root of tracefs
 *
 * Return: 0; -EPERM if the kernel is locked down; -ENODEV if tracing is disabled or
 *	   tracefs is not initialised.
 */
int tracing_init_dentry(void)
{
	int ret = strobe_fs_may_open();

	return ret ?: tracefs_initialized() ? 0 : -ENODEV;
}

/**
 * tracing_open_generic - open() of a file that belongs to no instance
 * @inode: its inode
 * @file: the file; private_data is set to the inode's
 *
 * Return: as strobe_fs_may_open()
 */
int tracing_open_generic(struct inode *inode, struct file *file)
{
	return strobe_fs_open_global(inode, file);
}

/**
 * tracing_lseek - llseek() of a file that uses seq_file only for reading
 * @file: the file
 * @offset: bytes
 * @whence: SEEK_*
 *
 * Return: as seq_lseek() if the file is open for reading, else 0
 */
loff_t tracing_lseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

/**
 * trace_parser_get_init - initialise a parser and allocate its buffer
 * @parser: the parser
 * @size: of the buffer in bytes; a word is at least a byte shorter
 *
 * Return: 0; 1 if there is no memory. trace_parser_put() frees the buffer.
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
 * trace_get_user - read one word, or the rest of one, from a write
 * @parser: gets the word. A word at the end of the write is incomplete: the next call
 *	    continues it
 * @ubuf: user space's buffer
 * @cnt: bytes in it, at least 1
 * @ppos: position of the file; if it is 0, the content of @parser is dropped first
 *
 * White space separates words; a NUL ends a word, too.
 *
 * Return: bytes read, including the character that ended the word; -EINVAL if the word is
 *	   too long; -EFAULT.
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
 * filter_parse_regex - determine the type of a pattern
 * @buff: the pattern; a star at its end is overwritten, except in a MATCH_GLOB pattern
 * @len: its length in bytes
 * @search: set to the text to compare names with
 * @not: set to 1 if the pattern begins with "!", else to 0
 *
 * Context: any.
 * Return: how to compare. For MATCH_INDEX @search is a number.
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
 * trace_seq_print_sym - print the symbol of a kernel address
 * @s: gets the text
 * @address: the address
 * @offset: print the offset in the symbol too
 *
 * Context: any.
 */
void trace_seq_print_sym(struct trace_seq *s, unsigned long address, bool offset)
{
	strobe_print_ip(s, address, offset ? STROBE_PRINT_SYM_OFFSET : 0);
}

/**
 * trace_print_graph_duration - print a time in microseconds with seven digits, and the unit
 * @duration: in ns
 * @s: gets the text; ABI of the function graph tracer
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
