// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that filter programs call: for strings, the running CPU, masks of CPUs.
 *
 * A string ends at its NUL, or at the end of its field. Each function but call_this_cpu()
 * and call_string_end() returns 1 for a match, else 0. They have the calling convention of
 * BPF: five 64-bit arguments, the last ones of which may be unused.
 *
 * No state. Contexts: any, also NMI, preemption off. The functions are not traceable, and
 * do not allocate or fault.
 */
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "filter/internal.h"
#include "filter/mem.h"

/* Search eight bytes at once. */

#define ONES	0x0101010101010101ULL
#define HIGHS	(0x80 * ONES)
#define WORD	((long)sizeof(u64))

static __always_inline u64 word_at(const char *str)
{
	u64 word;

	__builtin_memcpy(&word, str, sizeof(word));
	return word;
}

/* Set the high bit of the first zero byte of @word. Bits of later bytes have no meaning. */
static __always_inline u64 first_zero(u64 word)
{
	return (word - ONES) & ~word & HIGHS;
}

/* Set all bits of each byte that is not zero in @word, and clear the others. */
static __always_inline u64 not_zero(u64 word)
{
	return ((((word & ~HIGHS) + ~HIGHS) | word) & HIGHS) / 0x80 * 0xff;
}

static __always_inline u64 first_of(u64 word, char c)
{
	return first_zero(word) | first_zero(word ^ (unsigned char)c * ONES);
}

/* Find the first @c or NUL; returns @end if there is neither. */
static __always_inline const char *find_or_end(const char *str, const char *end, const char c)
{
	const char *last = end - WORD;
	u64 hit;

	if (!IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) && end - str >= WORD) {
		for (; str < last; str += WORD) {
			hit = first_of(word_at(str), c);
			if (hit)
				return str + __ffs64(hit) / 8;
		}
		/* The last word may overlap bytes that have been checked already. */
		hit = first_of(word_at(last), c);
		return hit ? last + __ffs64(hit) / 8 : end;
	}
	while (str < end && *str && *str != c)
		str++;
	return str;
}

/* Globs */

/*
 * Check whether @c is in the class at @pattern, which is after the '['. Returns the end of
 * the class, or NULL if it is not closed: the '[' is then an ordinary character.
 */
static notrace const char *class_end(const char *pattern, unsigned char c, bool *in)
{
	bool negate = *pattern == '!';
	bool found = false, first = true;
	unsigned char low, high;

	for (pattern += negate; first || *pattern != ']'; first = false) {
		low = *pattern++;
		high = low;
		if (!low)
			return NULL;
		if (*pattern == '-' && pattern[1] != ']') {
			high = pattern[1];
			if (!high)
				return NULL;
			pattern += 2;
		}
		found |= low <= c && c <= high;
	}
	*in = found != negate;
	return pattern + 1;
}

/* If @c matches the part at @pattern, not a star, return the end of that part; else NULL. */
static notrace const char *char_matches(const char *pattern, char c)
{
	const char *end;
	bool in;

	switch (*pattern) {
	case '\0':
		return NULL;
	case '?':
		return pattern + 1;
	case '[':
		end = class_end(pattern + 1, c, &in);
		if (end)
			return in ? end : NULL;
		break;
	case '\\':
		pattern++;
		break;
	}
	return *pattern == c && c ? pattern + 1 : NULL;
}

/* Not special in a glob? Special characters are below 'a', most characters of names not. */
static __always_inline bool is_plain(char c)
{
	return c >= 'a' || (c != '*' && c != '?' && c != '[' && c != '\\');
}

/*
 * On a mismatch, the last star is retried with one more character. Earlier stars never
 * need to match more.
 */
static notrace bool glob_matches_slow(const char *pattern, const char *str, const char *end)
{
	const char *star = NULL, *retry = NULL, *next;

	while (str < end && *str) {
		if (*pattern == *str && is_plain(*str)) {
			pattern++;
			str++;
			continue;
		}
		if (*pattern == '*') {
			star = ++pattern;
			if (!*star)
				return true;
		} else {
			next = char_matches(pattern, *str);
			if (next) {
				pattern = next;
				str++;
				continue;
			}
			if (!star)
				return false;
			pattern = star;
			str = retry + 1;
		}
		/* Skip to the first character that can match the one after the star. */
		if (is_plain(*star))
			str = find_or_end(str, end, *star);
		retry = str;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Whether @str has the eight characters of @pattern, where '?' matches any. */
static __always_inline bool word_matches(const char *str, const char *pattern)
{
	u64 want = word_at(pattern);

	return !((word_at(str) ^ want) & not_zero(want ^ '?' * ONES));
}

/* Match @len characters of @pattern, in which only '?' is special. */
static __always_inline bool tail_matches(const char *str, const char *pattern, u32 len)
{
	const char *end = pattern + len;

	if (len >= WORD) {
		/* The last word overlaps bytes that have been compared already. */
		for (; end - pattern > WORD; pattern += WORD, str += WORD) {
			if (!word_matches(str, pattern))
				return false;
		}
		return word_matches(str - (WORD - (end - pattern)), end - WORD);
	}
	for (; pattern < end; pattern++, str++) {
		if (*pattern != '?' && *pattern != *str)
			return false;
	}
	return true;
}

/* Compare the part after the last star with the string's end first: most fail there. */
static notrace bool glob_matches(const struct filter_pattern *pattern, const char *str,
				 const char *end)
{
	u32 tail = pattern->tail, len = pattern->len - tail;

	if (!tail)
		return glob_matches_slow(pattern->text, str, end);
	end = find_or_end(str, end, '\0');
	if (end - str < len || !tail_matches(end - len, pattern->text + tail, len))
		return false;
	return tail == 1 || glob_matches_slow(pattern->text, str, end);
}

/* Strings */

static notrace bool contains(const char *str, const char *end, const char *what)
{
	u32 at;

	if (!*what)
		return true;
	for (;; str++) {
		str = find_or_end(str, end, *what);
		if (str == end || !*str)
			return false;
		for (at = 1; what[at] && str + at < end && str[at] == what[at]; at++)
			;
		if (!what[at])
			return true;
	}
}

/* Whether @str begins with @what. Stops at the first difference, such as a NUL in @str. */
static notrace bool begins(const char *str, u32 len, const char *what, u32 what_len)
{
	u32 at;

	if (len < what_len)
		return false;
	for (at = 0; at < what_len; at++) {
		if (str[at] != what[at])
			return false;
	}
	return true;
}

/**
 * strobe_filter_string_matches - compare a string with a pattern
 * @str:     the string; ends at a NUL, or after @len bytes
 * @len:     bytes at @str, or FILTER_SIZE_REST
 * @pattern: the pattern
 *
 * Context: any.
 * Return: whether it matches, regardless of @pattern->negate
 */
notrace bool strobe_filter_string_matches(const char *str, u32 len,
					  const struct filter_pattern *pattern)
{
	const char *text = pattern->text;
	u32 want = pattern->len;

	/* The memory after the NUL may not be readable. */
	if (unlikely(len == FILTER_SIZE_REST) && pattern->match >= FILTER_MATCH_MIDDLE)
		len = strnlen(str, len);
	switch (pattern->match) {
	case FILTER_MATCH_FULL:
		return begins(str, len, text, want) && (len == want || !str[want]);
	case FILTER_MATCH_FRONT:
		return begins(str, len, text, want);
	case FILTER_MATCH_END:
		len = find_or_end(str, str + len, '\0') - str;
		return len >= want && !memcmp(str + len - want, text, want);
	case FILTER_MATCH_MIDDLE:
		return contains(str, str + len, text);
	case FILTER_MATCH_GLOB:
		return glob_matches(pattern, str, str + len);
	}
	return false;
}

/* (string, its size in bytes, pattern) */
static notrace u64 call_string(u64 str, u64 len, u64 pattern, u64 unused4, u64 unused5)
{
	const struct filter_pattern *p = (void *)(unsigned long)pattern;

	return strobe_filter_string_matches((void *)(unsigned long)str, len, p) != p->negate;
}

/* (string, its size in bytes, pattern), whether it is negated or not */
static notrace u64 call_string_middle(u64 str, u64 len, u64 pattern, u64 unused4, u64 unused5)
{
	const struct filter_pattern *p = (void *)(unsigned long)pattern;
	const char *s = (void *)(unsigned long)str;

	return contains(s, s + len, p->text);
}

/* (string, its size in bytes, number): the last characters of the string, 0 if it is shorter */
static notrace u64 call_string_end(u64 str, u64 len, u64 want, u64 unused4, u64 unused5)
{
	const char *s = (void *)(unsigned long)str, *end = find_or_end(s, s + len, '\0');

	return end - s < (long)want ? 0 : (unsigned long)(end - want);
}

/* A string that cannot be read never matches, even if the pattern is negated. */
static __always_inline u64 call_pointer(u64 ptr, u64 pattern, bool user)
{
	const struct filter_pattern *p = (void *)(unsigned long)pattern;
	const char *str = strobe_mem_string(ptr, user);
	u64 ret;

	if (!str)
		return 0;
	ret = strobe_filter_string_matches(str, STROBE_MEM_STRING, p) != p->negate;
	strobe_mem_string_done();
	return ret;
}

/* (pointer, pattern) */
static notrace u64 call_kernel_string(u64 ptr, u64 pattern, u64 unused3, u64 unused4, u64 unused5)
{
	return call_pointer(ptr, pattern, false);
}

static notrace u64 call_user_string(u64 ptr, u64 pattern, u64 unused3, u64 unused4, u64 unused5)
{
	return call_pointer(ptr, pattern, true);
}

/* (pattern) */
static notrace u64 call_comm(u64 pattern, u64 unused2, u64 unused3, u64 unused4, u64 unused5)
{
	const struct filter_pattern *p = (void *)(unsigned long)pattern;
	/* The name may be changing, but its last byte is always NUL. */
	bool matches = data_race(strobe_filter_string_matches(current->comm, FILTER_COMM_LEN, p));

	return matches != p->negate;
}

/* CPUs */

static notrace u64 call_this_cpu(u64 unused1, u64 unused2, u64 unused3, u64 unused4, u64 unused5)
{
	return raw_smp_processor_id();
}

/* (number, CPUs): a number that is not that of a CPU never matches. */
static notrace u64 call_cpu_in(u64 number, u64 cpus, u64 unused3, u64 unused4, u64 unused5)
{
	const struct filter_cpus *c = (void *)(unsigned long)cpus;
	unsigned int cpu = number;

	if (cpu >= strobe_filter_nr_cpus())
		return 0;
	/* @cpus has several CPUs, see check_cpus(), so a single one never equals it. */
	if (c->op != FILTER_OP_BAND)
		return c->op == FILTER_OP_NE;
	return c->bits[cpu / BITS_PER_LONG] >> cpu % BITS_PER_LONG & 1;
}

/* (mask, its size in bytes, CPUs): the mask is aligned to 4; missing bytes count as 0. */
static notrace u64 call_cpus(u64 mask, u64 bytes, u64 cpus, u64 unused4, u64 unused5)
{
	const struct filter_cpus *c = (void *)(unsigned long)cpus;
	const u32 *words = (void *)(unsigned long)mask;
	unsigned int nr = strobe_filter_nr_cpus(), at;
	bool differ = false, common = false;
	/* A mask is made of longs. */
	const u32 half = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 1 : 0;
	u32 have, want, word;

	for (at = 0; at < nr; at += 32) {
		word = at / 32 ^ half;
		have = (word + 1) * sizeof(u32) <= bytes ? words[word] : 0;
		if (nr - at < 32)
			have &= (1U << (nr - at)) - 1;
		want = c->bits[at / BITS_PER_LONG] >> at % BITS_PER_LONG;
		differ |= have != want;
		common |= have & want;
	}
	switch (c->op) {
	case FILTER_OP_EQ:
		return !differ;
	case FILTER_OP_NE:
		return differ;
	default:
		return common;
	}
}

const struct strobe_helper strobe_filter_helpers[FILTER_NR_CALLS] = {
	[FILTER_CALL_STRING]		= { call_string, "rnd" },
	[FILTER_CALL_STRING_MIDDLE]	= { call_string_middle, "rnd" },
	[FILTER_CALL_STRING_END]	= { call_string_end, "rnn", true },
	[FILTER_CALL_KERNEL_STRING]	= { call_kernel_string, "nd" },
	[FILTER_CALL_USER_STRING]	= { call_user_string, "nd" },
	[FILTER_CALL_COMM]		= { call_comm, "d" },
	[FILTER_CALL_THIS_CPU]		= { call_this_cpu, "" },
	[FILTER_CALL_CPU_IN]		= { call_cpu_in, "nd" },
	[FILTER_CALL_CPUS]		= { call_cpus, "rnd" },
};
