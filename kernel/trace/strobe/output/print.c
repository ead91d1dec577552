// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that TP_printk() calls when a record is rendered, and those that
 * record strings.
 *
 * strobe_printf() writes the text. The helpers before it write a part of the text
 * into a scratch sequence and return a pointer to it, which the format prints with
 * "%s". This file has no state that changes after boot.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
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
#include "output/follow.h"
#include "output/text.h"

const char strobe_null_str[] = EVENT_NULL_STR;
EXPORT_SYMBOL_GPL(strobe_null_str);

/*
 * Load a string word by word, starting word_skew() bytes before it. That is 0 if the
 * architecture can load a word that crosses into an unmapped page. ARCH=um claims that
 * it can, but crashes.
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
/* Load aligned words: each one is in a page that has a byte of the string. */
static __always_inline unsigned long word_skew(const char *str)
{
	return (unsigned long)str % sizeof(unsigned long);
}

/* Set the @skew bytes before the string, so that none of them is taken for a NUL. */
static __always_inline unsigned long word_load(const char *pos, unsigned long skew)
{
	return READ_ONCE_NOCHECK(*(const unsigned long *)pos) | bytemask_from_count(skew);
}
#endif

/*
 * Not 0 if the string ends in @word. The lowest set bit is then in the byte with the
 * NUL; higher bits have no meaning.
 */
static __always_inline unsigned long word_ends(unsigned long word, unsigned long minus_ones,
					       unsigned long highs)
{
	unsigned long bits = (word + minus_ones) & highs;

	/* With seven-bit text, bits is 0 unless the word has a NUL. */
	return unlikely(bits) ? bits & ~word : 0;
}

static __always_inline unsigned long first_byte(unsigned long bits)
{
	return __ffs(bits) / BITS_PER_BYTE;
}

/**
 * strobe_str_bytes - length of a __string() field for @str
 * @str: the string
 *
 * Works a word at a time, as strlen() is a loop over bytes. Most names end in the
 * first three words, which are checked without a loop.
 *
 * Context: any.
 * Return: bytes, including the NUL.
 */
notrace unsigned long strobe_str_bytes(const char *str)
{
	unsigned long minus_ones = -REPEAT_BYTE(0x01), highs = REPEAT_BYTE(0x80);
	const unsigned long skew = word_skew(str);
	unsigned long bits;
	const char *pos;

	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return strlen(str) + 1;
	/*
	 * Keep the constants in registers, instead of loading them for each word. Handle three
	 * words without a loop. [4 and 7 for a string of 19; see record/record.c]
	 */
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

/* Copy the first and the last @half bytes, through registers as @half is constant. */
static __always_inline void copy_both_ends(char *dst, const char *src, char *dst_end,
					   const char *src_end, const unsigned long half)
{
	memcpy(dst, src, half);
	memcpy(dst_end - half, src_end - half, half);
}

/**
 * strobe_str_assign - copy a string into a __string() field
 * @dst: the field
 * @src: the string, which may have changed since strobe_str_bytes()
 * @bytes: what strobe_str_bytes() returned: the length with the NUL
 *
 * Most names are short. memcpy() of a length that is not constant is a string
 * instruction, whose start costs more than the copy.
 *
 * Context: any.
 */
notrace void strobe_str_assign(char *dst, const char *src, unsigned long bytes)
{
	char *dst_end = dst + bytes;
	/* The last byte of @src may not be readable, so it is not copied. */
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
 * strobe_vstr_bytes - length of a __vstring() field
 * @fmt: its format
 * @args: arguments of @fmt, not changed
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
 * @bytes: what strobe_vstr_bytes() returned; no more is written, even if the data
 *	that the arguments point to has changed since
 * @fmt: its format
 * @args: arguments of @fmt, not changed
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
 * trace_print_flags_seq - write the names of the bits that are set
 * @p: scratch to write to
 * @delim: separator between two names; NULL for none
 * @flags: the bits
 * @flag_array: their names, terminated by a NULL name
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
 * trace_print_symbols_seq - write the name of a value
 * @p: scratch to write to
 * @val: the value
 * @symbol_array: values and names, terminated by a NULL name
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
 * trace_print_bitmask_seq - write a bitmask in hexadecimal
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

/* Well below the 64 bytes that one %*ph can print. */
#define HEX_CHUNK 16

/**
 * trace_print_hex_seq - write bytes in hexadecimal
 * @p: scratch to write to
 * @buf: the bytes
 * @len: their number
 * @concatenate: write no blanks between them
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
 * trace_print_array_seq - write an array of numbers
 * @p: scratch to write to
 * @buf: the array
 * @count: number of elements
 * @el_size: bytes of an element: 1, 2, 4 or 8. With any other size, "BAD SIZE"
 *	and the single bytes are written.
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
 * trace_print_hex_dump_seq - write bytes in the form of print_hex_dump()
 * @p: scratch to write to
 * @prefix_str: begins each line
 * @prefix_type: DUMP_PREFIX_*
 * @rowsize: bytes of a line, 16 or 32
 * @groupsize: bytes of a number, 1, 2, 4 or 8
 * @buf: the bytes
 * @len: their number
 * @ascii: write the characters after the numbers
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
 * Without option hash-ptr, change each "%p" to "%px". The new format is appended to the
 * scratch sequence, which arguments may point into. If it does not fit, the pointers
 * stay hashed.
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

/*
 * The text of TP_printk(). Most formats use few kinds of conversions: print_plain() writes
 * these and the text between them while it parses the format. If it finds anything else, the
 * kernel's vsnprintf() writes the rest. The result is the same to the byte.
 */

/**
 * struct plain_text - text that is being written to a sequence
 * @pr: the record
 * @pos: where to write next
 * @end: the end of the memory; the byte there is kept for the NUL of vsnprintf()
 * @full: the text does not fit
 * @unsafe: name of a field whose pointer must not be followed, or NULL
 */
struct plain_text {
	const struct strobe_print	*pr;
	char				*pos;
	char				*end;
	bool				full;
	const char			*unsafe;
};

/**
 * struct conversion - a conversion of a format: flags, width and type
 * @type: the letter that ends it
 * @bare: only the letter follows the '%'
 * @is_long: the argument has 64 bits
 * @left: flag '-'
 * @zero: flag '0'
 * @prefix: flag '#'
 * @width: 0 if there is none
 */
struct conversion {
	char		type;
	bool		bare;
	bool		is_long;
	bool		left;
	bool		zero;
	bool		prefix;
	unsigned int	width;
};

/* The arguments that are left: a va_list that functions can pass by pointer and advance. */
struct plain_args {
	va_list list;
};

/* A larger width is left to vsnprintf(). */
#define PLAIN_WIDTH_MAX	64

/* Parse the flags and the width of a conversion. */
static __always_inline const char *parse_width(const char *fmt, struct conversion *conv)
{
	for (;; fmt++) {
		if (*fmt == '0')
			conv->zero = true;
		else if (*fmt == '-')
			conv->left = true;
		else if (*fmt == '#')
			conv->prefix = true;
		else
			break;
	}
	for (; isdigit(*fmt) && conv->width <= PLAIN_WIDTH_MAX; fmt++)
		conv->width = conv->width * 10 + *fmt - '0';
	return fmt;
}

/* Parse the conversion after a '%'. Returns its last character. */
static __always_inline const char *parse_conversion(const char *fmt, struct conversion *conv)
{
	const char *start = fmt;

	*conv = (struct conversion) { };
	/* Letters come after flags and digits. */
	if (*fmt <= '9')
		fmt = parse_width(fmt, conv);
	if (*fmt == 'l' || *fmt == 'z') {
		conv->is_long = true;
		fmt += fmt[0] == 'l' && fmt[1] == 'l' ? 2 : 1;
	}
	conv->type = *fmt;
	conv->bare = fmt == start;
	return fmt;
}

/*
 * Fill up the column of @conv, which begins at @start. The digits begin at @digits. @conv is
 * passed by value, so that the compiler can keep it in registers.
 */
static noinline char *plain_pad(struct conversion conv, char *start, char *digits, char *end)
{
	unsigned int len = end - start;

	if (len >= conv.width)
		return end;
	if (conv.left) {
		memset(end, ' ', conv.width - len);
		return start + conv.width;
	}
	if (conv.zero)
		return strobe_text_pad(digits, end, conv.width - (digits - start), '0');
	return strobe_text_pad(start, end, conv.width, ' ');
}

static __always_inline void plain_number(struct plain_text *text, struct plain_args *args,
					 const struct conversion *conv)
{
	char *start = text->pos, *digits = start, *end;
	bool is_signed = conv->type == 'd' || conv->type == 'i';
	u64 num;

	if (conv->is_long)
		num = va_arg(args->list, u64);
	else if (is_signed)
		num = va_arg(args->list, int);
	else
		num = va_arg(args->list, unsigned int);

	if (conv->type == 'x') {
		if (conv->prefix) {
			*digits++ = '0';
			*digits++ = 'x';
		}
		end = strobe_text_hex(digits, num);
	} else {
		if (is_signed && (s64)num < 0) {
			*digits++ = '-';
			num = -num;
		}
		end = strobe_text_dec(digits, num, 0);
	}
	text->pos = conv->width ? plain_pad(*conv, start, digits, end) : end;
}

/* "%p": 16 digits, of a hash unless option hash-ptr is off. */
static char *plain_pointer(char *pos, const void *ptr, bool hash)
{
	unsigned long num = (unsigned long)ptr;

	if (hash && !no_hash_pointers && !IS_ERR_OR_NULL(ptr) && ptr_to_hashval(ptr, &num)) {
		memcpy(pos, "(____ptrval____)", 16);
		return pos + 16;
	}
	return strobe_text_address(pos, num);
}

/* With the boot parameter debug_boot_weak_hash, "%p" prints another hash. */
static bool hash_is_plain __ro_after_init;

static int __init check_hash(void)
{
	char expected[17], plain[17];

	snprintf(expected, sizeof(expected), "%p", check_hash);
	*plain_pointer(plain, check_hash, true) = '\0';
	hash_is_plain = !strcmp(plain, expected);
	return 0;
}
early_initcall(check_hash);

static __always_inline void plain_string(struct plain_text *text, struct plain_args *args,
					 const struct conversion *conv)
{
	const char *str = va_arg(args->list, const char *);
	char *start = text->pos, *end;

	text->unsafe = strobe_follow_string_unsafe(text->pr, str);
	if (text->unsafe)
		return;
	if (!str)
		str = "(null)";
	else if (is_no_address(str))
		str = "(efault)";
	end = text_copy(start, text->end, &str, '\0');
	text->full = *str;
	text->pos = conv->width ? plain_pad(*conv, start, start, end) : end;
}

/*
 * Write one conversion; @last is its last character in the format. Returns false if it is not
 * plain, or if there is little memory left; then nothing has been written.
 */
static __always_inline bool plain_conversion(struct plain_text *text, struct plain_args *args,
					     const struct conversion *conv, const char *last)
{
	bool hash = text->pr->flags & STROBE_PRINT_HASH_PTR;

	if (conv->width > PLAIN_WIDTH_MAX ||
	    text->end - text->pos < max(conv->width, TEXT_NUM_MAX))
		return false;
	switch (conv->type) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
		plain_number(text, args, conv);
		return true;
	case 's':
		if (conv->zero || conv->prefix || conv->is_long)
			return false;
		plain_string(text, args, conv);
		return true;
	case 'p':
		/* A letter or a digit after it would be an extension. */
		if (!conv->bare || isalnum(last[1]) || (hash && !hash_is_plain))
			return false;
		text->pos = plain_pointer(text->pos, va_arg(args->list, const void *), hash);
		return true;
	case 'c':
	case '%':
		if (!conv->bare)
			return false;
		*text->pos++ = conv->type == 'c' ? va_arg(args->list, int) : '%';
		return true;
	}
	return false;
}

/* Write text until a conversion is not plain. Returns the rest of the format. */
static __always_inline const char *print_plain(struct plain_text *text, struct plain_args *args,
					       const char *fmt)
{
	struct conversion conv;
	const char *last;

	for (;;) {
		text->pos = text_copy(text->pos, text->end, &fmt, '%');
		if (*fmt != '%')
			return fmt;
		last = parse_conversion(fmt + 1, &conv);
		if (!plain_conversion(text, args, &conv, last) || text->full || text->unsafe)
			return fmt;
		fmt = last + 1;
	}
}

static void print_name(struct trace_seq *s, const char *name)
{
	char *start = trace_seq_buffer_ptr(s), *end = start + seq_buf_buffer_left(&s->seq);
	char *pos = text_copy(start, end, &name, '\0');

	if (s->full || end - pos < 2) {
		s->full = 1;
		return;
	}
	*pos++ = ':';
	*pos++ = ' ';
	s->seq.len += pos - start;
}

/*
 * Write the text of the record. If it does not fit, nothing is written, and the sequence is
 * full. Returns NULL, or the name of a field whose pointer must not be followed: then
 * nothing is written either.
 */
static __printf(2, 0) const char *print_text(struct strobe_print *pr, const char *fmt,
					     va_list *args)
{
	struct trace_seq *s = pr->seq;
	char *start = trace_seq_buffer_ptr(s);
	struct plain_text text = {
		.pr = pr,
		.pos = start,
		.end = s->buffer + s->seq.size - 1,
	};
	struct plain_args plain;
	const char *rest;

	if (s->full || start > text.end) {
		s->full = 1;
		return NULL;
	}
	va_copy(plain.list, *args);
	rest = print_plain(&text, &plain, fmt);
	if (!text.unsafe && !text.full && *rest)
		text.unsafe = strobe_follow_unsafe(pr, fmt, args);
	if (text.full) {
		s->full = 1;
	} else if (!text.unsafe) {
		s->seq.len = text.pos - s->buffer;
		if (*rest)
			trace_seq_vprintf(s, print_format(pr, rest), plain.list);
		if (s->full)
			s->seq.len = start - s->buffer;
	}
	va_end(plain.list);
	return text.unsafe;
}

/**
 * strobe_printf - write an event's name and text
 * @pr: the record being rendered
 * @fmt: format with a newline; always the same for one event
 *
 * If @fmt would follow a pointer that may be stale (see follow.c), a message with the
 * name of the field is written instead.
 *
 * Context: any; the event must stay registered.
 */
void strobe_printf(struct strobe_print *pr, const char *fmt, ...)
{
	const char *name = trace_event_name(pr->call);
	const char *field;
	va_list args;

	print_name(pr->seq, name);
	va_start(args, fmt);
	field = print_text(pr, fmt, &args);
	va_end(args);
	if (field) {
		pr_warn_once("event '%s' has unsafe pointer field '%s'\n", name, field);
		trace_seq_printf(pr->seq, "EVENT %s: HAS UNSAFE POINTER FIELD '%s'\n",
				 name, field);
	}
}
EXPORT_SYMBOL_GPL(strobe_printf);
