// SPDX-License-Identifier: GPL-2.0
/*
 * What TP_printk() turns into when an event is read.
 *
 * strobe_printf() writes the text. The helpers before it put a part of it into a
 * scratch sequence and return where that begins; the format then has a "%s" for
 * it. No state.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <linux/wordpart.h>
#include <asm/sections.h>
#include <asm/word-at-a-time.h>

#include "event/event.h"
#include "event/follow.h"

const char strobe_null_str[] = EVENT_NULL_STR;
EXPORT_SYMBOL_GPL(strobe_null_str);

/*
 * Words of a string, the first of which begins word_skew() bytes before it. Where the
 * machine can load words from behind the end of a page, that is 0; ARCH=um says that it
 * can, but dies of it.
 */
#if defined(CONFIG_DCACHE_WORD_ACCESS) && !defined(CONFIG_UML)
static __always_inline unsigned long word_skew(const char *str)
{
	return 0;
}

static __always_inline unsigned long word_load(const char *pos, unsigned long skew)
{
	return load_unaligned_zeropad(pos);
}
#else
/* Aligned, so that no word lies in a page that has no byte of the string. */
static __always_inline unsigned long word_skew(const char *str)
{
	return (unsigned long)str % sizeof(unsigned long);
}

/* What lies before the string does not end it. */
static __always_inline unsigned long word_load(const char *pos, unsigned long skew)
{
	return READ_ONCE_NOCHECK(*(const unsigned long *)pos) | bytemask_from_count(skew);
}
#endif

/*
 * Not 0 if the string ends in this word: then its lowest bit is in the byte where. Above
 * that, bits mean nothing.
 */
static __always_inline unsigned long word_ends(unsigned long word, unsigned long minus_ones,
					       unsigned long highs)
{
	unsigned long bits = (word + minus_ones) & highs;

	/* Of seven-bit text, no other byte borrows. */
	return unlikely(bits) ? bits & ~word : 0;
}

static __always_inline unsigned long first_byte(unsigned long bits)
{
	return __ffs(bits) / BITS_PER_BYTE;
}

/**
 * strobe_str_bytes - how long a __string() field gets
 * @str: the string
 *
 * A word at a time: strlen() is a loop over bytes. Most names end in the first words,
 * which are looked at without a loop.
 *
 * Context: any.
 * Return: bytes, the terminating one included.
 */
notrace unsigned long strobe_str_bytes(const char *str)
{
	unsigned long minus_ones = -REPEAT_BYTE(0x01), highs = REPEAT_BYTE(0x80);
	const unsigned long skew = word_skew(str);
	unsigned long bits;
	const char *pos;

	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return strlen(str) + 1;
	/* In registers, rather than written out for each word. */
	OPTIMIZER_HIDE_VAR(minus_ones);
	OPTIMIZER_HIDE_VAR(highs);
	str -= skew;
	bits = word_ends(word_load(str, skew), minus_ones, highs);
	if (bits)
		return first_byte(bits) + 1 - skew;
	bits = word_ends(word_load(str + 8, 0), minus_ones, highs);
	if (bits)
		return first_byte(bits) + 9 - skew;
	bits = word_ends(word_load(str + 16, 0), minus_ones, highs);
	if (bits)
		return first_byte(bits) + 17 - skew;
	for (pos = str + 24; ; pos += 8) {
		bits = word_ends(word_load(pos, 0), minus_ones, highs);
		if (bits)
			return first_byte(bits) + 1 + (pos - str) - skew;
	}
}
EXPORT_SYMBOL_GPL(strobe_str_bytes);

/* Two copies that may overlap, each by registers, as their length is constant. */
static __always_inline void copy_both_ends(char *dst, const char *src, char *dst_end,
					   const char *src_end, const unsigned long half)
{
	memcpy(dst, src, half);
	memcpy(dst_end - half, src_end - half, half);
}

/**
 * strobe_str_assign - copy a string that was measured before
 * @dst: to here
 * @src: the string, which may have changed since
 * @bytes: from strobe_str_bytes(), that is with the terminating byte
 *
 * Most names are short: memcpy() of a length that the compiler does not know is a
 * string instruction, which costs more to start than to copy them.
 *
 * Context: any.
 */
notrace void strobe_str_assign(char *dst, const char *src, unsigned long bytes)
{
	char *dst_end = dst + bytes;
	/* From its last byte on, @src may be no one's. */
	const char *src_end = src + bytes;

	dst_end[-1] = '\0';
	if (bytes <= 16) {
		if (bytes > 8) {
			copy_both_ends(dst, src, dst_end - 1, src_end - 1, 8);
		} else if (bytes > 4) {
			copy_both_ends(dst, src, dst_end - 1, src_end - 1, 4);
		} else {
			while (--bytes)
				*dst++ = *src++;
		}
	} else if (likely(bytes <= 33)) {
		copy_both_ends(dst, src, dst_end - 1, src_end - 1, 16);
	} else {
		memcpy(dst, src, bytes - 1);
	}
}
EXPORT_SYMBOL_GPL(strobe_str_assign);

/**
 * strobe_vstr_bytes - how long a __vstring() field gets
 * @fmt: its format
 * @args: arguments of @fmt, which stay as they are
 *
 * Context: any that vsnprintf() can be called in.
 * Return: bytes with the NUL, TRACE_EVENT_STR_MAX at most.
 */
notrace u32 strobe_vstr_bytes(const char *fmt, va_list *args)
{
	va_list copy;
	int len;

	va_copy(copy, *args);
	len = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	return min(len + 1, TRACE_EVENT_STR_MAX);
}
EXPORT_SYMBOL_GPL(strobe_vstr_bytes);

/**
 * strobe_vstr_assign - fill a __vstring() field
 * @dst: the field
 * @bytes: what strobe_vstr_bytes() returned; no more is written, though what the
 *	arguments point to may have changed meanwhile
 * @fmt: its format
 * @args: arguments of @fmt, which stay as they are
 *
 * Context: any that vsnprintf() can be called in.
 */
notrace void strobe_vstr_assign(char *dst, u32 bytes, const char *fmt, va_list *args)
{
	va_list copy;

	va_copy(copy, *args);
	vsnprintf(dst, bytes, fmt, copy);
	va_end(copy);
}
EXPORT_SYMBOL_GPL(strobe_vstr_assign);

/**
 * trace_print_flags_seq - names of the bits that are set
 * @p: scratch to write to
 * @delim: what stands between two names; NULL for nothing
 * @flags: the bits
 * @flag_array: their names, ended by a NULL one
 *
 * Bits without a name come last, as one hexadecimal number.
 *
 * Return: the text, in @p.
 */
const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
				  const struct trace_print_flags *flag_array)
{
	const char *text = trace_seq_buffer_ptr(p);
	const struct trace_print_flags *bits;
	const char *between = "";

	for (bits = flag_array; bits->name && flags; bits++) {
		if (bits->mask & ~flags)
			continue;
		flags &= ~bits->mask;
		trace_seq_printf(p, "%s%s", between, bits->name);
		between = delim ?: "";
	}
	if (flags)
		trace_seq_printf(p, "%s0x%lx", between, flags);
	trace_seq_putc(p, '\0');
	return text;
}
EXPORT_SYMBOL(trace_print_flags_seq);

/**
 * trace_print_symbols_seq - name of a value
 * @p: scratch to write to
 * @val: the value
 * @symbol_array: values and names, ended by a NULL one
 *
 * Return: the text, in @p; a hexadecimal number if the value has no name, or an
 *	empty one.
 */
const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
				    const struct trace_print_flags *symbol_array)
{
	const char *text = trace_seq_buffer_ptr(p);
	const struct trace_print_flags *symbol = symbol_array;

	while (symbol->name && symbol->mask != val)
		symbol++;

	if (symbol->name && *symbol->name)
		trace_seq_puts(p, symbol->name);
	else
		trace_seq_printf(p, "0x%lx", val);
	trace_seq_putc(p, '\0');
	return text;
}
EXPORT_SYMBOL(trace_print_symbols_seq);

/**
 * trace_print_bitmask_seq - a bitmask in hexadecimal
 * @p: scratch to write to
 * @bitmask_ptr: the mask, an array of long
 * @bitmask_size: its size in bytes
 *
 * Return: the text, in @p.
 */
const char *trace_print_bitmask_seq(struct trace_seq *p, void *bitmask_ptr,
				    unsigned int bitmask_size)
{
	const char *text = trace_seq_buffer_ptr(p);

	trace_seq_bitmask(p, bitmask_ptr, bitmask_size * BITS_PER_BYTE);
	trace_seq_putc(p, '\0');
	return text;
}
EXPORT_SYMBOL_GPL(trace_print_bitmask_seq);

/* As many bytes as one %*ph may be given, with room to spare. */
#define HEX_CHUNK 16

/**
 * trace_print_hex_seq - bytes in hexadecimal
 * @p: scratch to write to
 * @buf: the bytes
 * @len: their number
 * @concatenate: no blanks between them
 *
 * Return: the text, in @p.
 */
const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int len,
				bool concatenate)
{
	const char *text = trace_seq_buffer_ptr(p);
	const char *between = "";

	while (len > 0) {
		int chunk = min(len, HEX_CHUNK);

		if (concatenate)
			trace_seq_printf(p, "%*phN", chunk, buf);
		else
			trace_seq_printf(p, "%s%*ph", between, chunk, buf);
		between = " ";
		buf += chunk;
		len -= chunk;
	}
	trace_seq_putc(p, '\0');
	return text;
}
EXPORT_SYMBOL(trace_print_hex_seq);

/**
 * trace_print_array_seq - an array of numbers
 * @p: scratch to write to
 * @buf: the array
 * @count: number of elements
 * @el_size: bytes of an element: 1, 2, 4 or 8. With others, the single bytes are
 *	shown and said to be wrong.
 *
 * Return: the text, in @p.
 */
const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count,
				  size_t el_size)
{
	const char *text = trace_seq_buffer_ptr(p);
	const void *end = buf + count * el_size;
	const char *between = "";

	trace_seq_putc(p, '{');
	while (buf < end) {
		u64 val = *(const u8 *)buf;

		trace_seq_puts(p, between);
		between = ",";
		switch (el_size) {
		case 8:
			val = get_unaligned((const u64 *)buf);
			break;
		case 4:
			val = get_unaligned((const u32 *)buf);
			break;
		case 2:
			val = get_unaligned((const u16 *)buf);
			break;
		case 1:
			break;
		default:
			trace_seq_printf(p, "BAD SIZE:%zu ", el_size);
			el_size = 1;
		}
		trace_seq_printf(p, "0x%llx", val);
		buf += el_size;
	}
	trace_seq_putc(p, '}');
	trace_seq_putc(p, '\0');
	return text;
}
EXPORT_SYMBOL(trace_print_array_seq);

/**
 * trace_print_hex_dump_seq - bytes as print_hex_dump() shows them
 * @p: scratch to write to
 * @prefix_str: begins each line
 * @prefix_type: DUMP_PREFIX_*
 * @rowsize: bytes of a line, 16 or 32
 * @groupsize: bytes of a number, 1, 2, 4 or 8
 * @buf: the bytes
 * @len: their number
 * @ascii: characters behind the numbers
 *
 * Return: the text, in @p; it begins with a newline.
 */
const char *trace_print_hex_dump_seq(struct trace_seq *p, const char *prefix_str,
				     int prefix_type, int rowsize, int groupsize,
				     const void *buf, size_t len, bool ascii)
{
	const char *text = trace_seq_buffer_ptr(p);

	trace_seq_putc(p, '\n');
	trace_seq_hex_dump(p, prefix_str, prefix_type, rowsize, groupsize, buf, len, ascii);
	trace_seq_putc(p, '\0');
	return text;
}
EXPORT_SYMBOL(trace_print_hex_dump_seq);

/*
 * Without option hash-ptr, "%p" becomes "%px". The changed format goes into the
 * scratch sequence, behind what the arguments point to. If there is no room, the
 * pointers stay hashed.
 */
static const char *print_format(const struct strobe_print *pr, const char *fmt)
{
	size_t plain = 0, len;
	const char *p;
	char *buf, *to;

	if (pr->flags & STROBE_PRINT_HASH_PTR)
		return fmt;
	for (p = strchr(fmt, '%'); p; p = strchr(p, '%')) {
		plain += p[1] == 'p' && !isalnum(p[2]);
		p += p[1] ? 2 : 1;
	}
	len = strlen(fmt) + plain + 1;
	if (!plain || seq_buf_buffer_left(&pr->tmp->seq) < len)
		return fmt;
	buf = trace_seq_acquire(pr->tmp, len);

	for (p = fmt, to = buf; *p; ) {
		bool percent = *p == '%';

		*to++ = *p++;
		if (!percent || !*p)
			continue;
		*to++ = *p++;
		if (p[-1] == 'p' && !isalnum(*p))
			*to++ = 'x';
	}
	*to = '\0';
	return buf;
}

static void print_name(struct trace_seq *s, const char *name)
{
	size_t len = strlen(name);
	char *pos;

	if (s->full || seq_buf_buffer_left(&s->seq) < len + 2) {
		s->full = 1;
		return;
	}
	pos = trace_seq_acquire(s, len + 2);
	memcpy(pos, name, len);
	memcpy(pos + len, ": ", 2);
}

/**
 * strobe_printf - write an event's name and text
 * @pr: the record being rendered
 * @fmt: format, newline included; the same each time that the event is printed
 *
 * If @fmt would follow a pointer that may be stale, see follow.c, a line saying so stands
 * in for the whole text.
 *
 * Context: any; the event stays meanwhile.
 */
void strobe_printf(struct strobe_print *pr, const char *fmt, ...)
{
	const char *name = trace_event_name(pr->call);
	const char *field;
	va_list args;

	print_name(pr->seq, name);
	va_start(args, fmt);
	field = follow_unsafe(pr, fmt, &args);
	if (field) {
		pr_warn_once("event '%s' has unsafe pointer field '%s'\n", name, field);
		trace_seq_printf(pr->seq, "EVENT %s: HAS UNSAFE POINTER FIELD '%s'\n",
				 name, field);
	} else {
		trace_seq_vprintf(pr->seq, print_format(pr, fmt), args);
	}
	va_end(args);
}
EXPORT_SYMBOL_GPL(strobe_printf);
