// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as text.
 *
 * Most of a record's text is numbers. These functions write the digits to where they stay,
 * while vsnprintf() parses a format, writes them in reverse order and copies each with a
 * check for the end of the memory. This file has no state; contexts: any.
 */
#include <linux/bitops.h>
#include <linux/math.h>

#include "output/text.h"

/* The digits of 0 to 99. */
#define PAIR(tens, ones)	{ '0' + (tens), '0' + (ones) }
#define PAIRS(tens)								\
	PAIR(tens, 0), PAIR(tens, 1), PAIR(tens, 2), PAIR(tens, 3), PAIR(tens, 4), \
	PAIR(tens, 5), PAIR(tens, 6), PAIR(tens, 7), PAIR(tens, 8), PAIR(tens, 9)

static const char digit_pairs[100][2] = {
	PAIRS(0), PAIRS(1), PAIRS(2), PAIRS(3), PAIRS(4),
	PAIRS(5), PAIRS(6), PAIRS(7), PAIRS(8), PAIRS(9),
};

static unsigned int dec_digits(u64 num)
{
	unsigned int digits = 0;

	for (; num >= 10000; num /= 10000)
		digits += 4;
	if (num < 10)
		return digits + 1;
	if (num < 100)
		return digits + 2;
	return digits + (num < 1000 ? 3 : 4);
}

/**
 * strobe_text_dec - write a number in decimal, right-aligned
 * @pos: where to write; TEXT_NUM_MAX bytes may be overwritten
 * @num: the number
 * @width: width of the column in bytes, at most 16; a longer number is written in full
 *
 * Context: any.
 * Return: the end of the number
 */
char *strobe_text_dec(char *pos, u64 num, unsigned int width)
{
	unsigned int digits = dec_digits(num);
	char *end;

	if (digits < width) {
		/* A constant length, as that needs no loop. */
		memset(pos, ' ', 16);
		pos += width - digits;
	}
	end = pos + digits;
	for (pos = end; num >= 100; num /= 100) {
		pos -= 2;
		memcpy(pos, digit_pairs[num % 100], 2);
	}
	if (num >= 10)
		memcpy(pos - 2, digit_pairs[num], 2);
	else
		pos[-1] = '0' + num;
	return end;
}

/**
 * strobe_text_dec_digits - write the last decimal digits of a number
 * @pos: where to write
 * @num: the number
 * @digits: how many digits to write; leading zeros are written, too
 *
 * Context: any.
 * Return: the end of the digits
 */
char *strobe_text_dec_digits(char *pos, u32 num, unsigned int digits)
{
	char *end = pos + digits;

	for (pos = end; digits > 1; digits -= 2, num /= 100) {
		pos -= 2;
		memcpy(pos, digit_pairs[num % 100], 2);
	}
	if (digits)
		*--pos = '0' + num % 10;
	return end;
}

/* The eight hexadecimal digits of @num, the first one in the highest byte. */
static u64 hex_digits(u32 num)
{
	u64 digits = num, letters;

	/* Give each digit a byte. */
	digits = (digits | digits << 16) & 0x0000ffff0000ffffULL;
	digits = (digits | digits << 8) & 0x00ff00ff00ff00ffULL;
	digits = (digits | digits << 4) & 0x0f0f0f0f0f0f0f0fULL;
	/* The carry of 6 is set in those above 9. */
	letters = (digits + 0x0606060606060606ULL) >> 4 & 0x0101010101010101ULL;
	return digits + 0x3030303030303030ULL + letters * ('a' - '0' - 10);
}

/**
 * strobe_text_hex - write a number in hexadecimal, without a prefix
 * @pos: where to write; 16 bytes may be overwritten
 * @num: the number
 *
 * Context: any.
 * Return: the end of the digits
 */
char *strobe_text_hex(char *pos, u64 num)
{
	unsigned int digits = DIV_ROUND_UP(fls64(num | 1), 4);

	if (digits > 8) {
		put_unaligned_be64(hex_digits(num >> 32) << (16 - digits) * 8, pos);
		pos += digits - 8;
		digits = 8;
	}
	put_unaligned_be64(hex_digits(num) << (8 - digits) * 8, pos);
	return pos + digits;
}

/**
 * strobe_text_address - write an address in hexadecimal, with leading zeros
 * @pos: where to write 16 bytes
 * @addr: the address
 *
 * Context: any.
 * Return: the end of the digits
 */
char *strobe_text_address(char *pos, u64 addr)
{
	put_unaligned_be64(hex_digits(addr >> 32), pos);
	put_unaligned_be64(hex_digits(addr), pos + 8);
	return pos + 16;
}

/**
 * strobe_text_pad - move text to the right, to the end of a column
 * @start: the text
 * @end: the end of the text
 * @width: width of the column; if the text is longer, nothing is done
 * @fill: what to write before the text
 *
 * Context: any.
 * Return: the end of the column or of the text
 */
char *strobe_text_pad(char *start, char *end, unsigned int width, char fill)
{
	unsigned int len = end - start;

	if (len >= width)
		return end;
	memmove(start + width - len, start, len);
	memset(start, fill, width - len);
	return start + width;
}
