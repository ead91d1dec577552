// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as text.
 *
 * Most of a record's text is numbers. These functions write the digits to where they stay,
 * while vsnprintf() parses a format, writes them in reverse order and copies each with a
 * check for the end of the memory. This file has no state; contexts: any.
 */
#include <linux/hex.h>
#include <linux/math.h>

#include "output/text.h"

/* The digits of 0 to 99. */
static const char digit_pairs[200] __nonstring =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

static unsigned int dec_digits(u64 num)
{
	unsigned int digits = 1;

	for (; num >= 10000; num /= 10000)
		digits += 4;
	return digits + (num >= 10) + (num >= 100) + (num >= 1000);
}

/**
 * text_dec - write a number in decimal, right-aligned
 * @pos: where to write, up to 20 bytes or @width
 * @num: the number
 * @width: width of the column in bytes; a longer number is written in full
 *
 * Context: any.
 * Return: the end of the number
 */
char *text_dec(char *pos, u64 num, unsigned int width)
{
	unsigned int digits = dec_digits(num);
	char *end;

	for (; width > digits; width--)
		*pos++ = ' ';
	end = pos + digits;
	for (pos = end; num >= 100; num /= 100) {
		pos -= 2;
		memcpy(pos, &digit_pairs[num % 100 * 2], 2);
	}
	if (num >= 10)
		memcpy(pos - 2, &digit_pairs[num * 2], 2);
	else
		pos[-1] = '0' + num;
	return end;
}

/**
 * text_dec_digits - write the last decimal digits of a number
 * @pos: where to write
 * @num: the number
 * @digits: how many digits to write; leading zeros are written, too
 *
 * Context: any.
 * Return: the end of the digits
 */
char *text_dec_digits(char *pos, u32 num, unsigned int digits)
{
	char *end = pos + digits;

	for (pos = end; digits; digits--, num /= 10)
		*--pos = '0' + num % 10;
	return end;
}

/**
 * text_hex - write a number in hexadecimal, without a prefix
 * @pos: where to write, up to 16 bytes
 * @num: the number
 *
 * Context: any.
 * Return: the end of the digits
 */
char *text_hex(char *pos, u64 num)
{
	char *end = pos + DIV_ROUND_UP(fls64(num | 1), 4);

	for (pos = end; num > 0xf; num >>= 4)
		*--pos = hex_asc_lo(num);
	*--pos = hex_asc_lo(num);
	return end;
}

/**
 * text_pad - move text to the right, to the end of a column
 * @start: the text
 * @end: the end of the text
 * @width: width of the column; if the text is longer, nothing is done
 * @fill: what to write before the text
 *
 * Context: any.
 * Return: the end of the column or of the text
 */
char *text_pad(char *start, char *end, unsigned int width, char fill)
{
	unsigned int len = end - start;

	if (len >= width)
		return end;
	memmove(start + width - len, start, len);
	memset(start, fill, width - len);
	return start + width;
}
