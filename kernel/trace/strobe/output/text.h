/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write numbers and strings as text, in fewer steps than vsnprintf(). Each function takes
 * the place to write to, and returns the end of what it wrote; none writes a NUL.
 */
#ifndef _STROBE_OUTPUT_TEXT_H
#define _STROBE_OUTPUT_TEXT_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/word-at-a-time.h>

/* The longest number in bytes, with a sign or a prefix, and what may be overwritten. */
#define TEXT_NUM_MAX	24

char *strobe_text_dec(char *pos, u64 num, unsigned int width);
char *strobe_text_dec_digits(char *pos, u32 num, unsigned int digits);
char *strobe_text_hex(char *pos, u64 num);
char *strobe_text_address(char *pos, u64 addr);
char *strobe_text_pad(char *start, char *end, unsigned int width, char fill);

/**
 * text_copy - copy a string, or a part of it
 * @pos: where to write
 * @end: the end of the memory at @pos
 * @from: the string; advanced past what was copied
 * @stop: a character to stop at, in addition to the NUL
 *
 * What is copied ends at the NUL, at @stop or at @end. Bytes after it, up to @end, may be
 * overwritten. Formats and names are too short for memcpy() to be worth a call.
 *
 * Context: any.
 * Return: the end of what was copied
 */
static __always_inline char *text_copy(char *pos, char *end, const char **from, char stop)
{
	const char *src = *from;
#if defined(CONFIG_DCACHE_WORD_ACCESS) && !defined(CONFIG_UML)
	/* ARCH=um claims that it can load a word across an unmapped page, but crashes. */
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	const unsigned long stops = REPEAT_BYTE((unsigned char)stop);
	unsigned long word, ends, nul, bytes;

	while (end - pos >= sizeof(word)) {
		word = load_unaligned_zeropad(src);
		put_unaligned(word, (unsigned long *)pos);
		if (has_zero(word, &nul, &constants) | has_zero(word ^ stops, &ends, &constants)) {
			nul = prep_zero_mask(word, nul, &constants);
			ends = prep_zero_mask(word ^ stops, ends, &constants);
			bytes = find_zero(create_zero_mask(nul | ends));
			*from = src + bytes;
			return pos + bytes;
		}
		pos += sizeof(word);
		src += sizeof(word);
	}
#endif
	while (pos < end && *src && *src != stop)
		*pos++ = *src++;
	*from = src;
	return pos;
}

#endif /* _STROBE_OUTPUT_TEXT_H */
