// SPDX-License-Identifier: GPL-2.0
/*
 * A second implementation of filters for tests, as simple as possible. It computes the
 * result from the filter's text and the bytes of the record. A recursive descent parser
 * evaluates each term as it reads it, without short-circuiting:
 *
 *	either	= all { "||" all }
 *	all	= operand { "&&" operand }
 *	operand	= "!" operand | "(" either ")" | term
 *
 * It shares no code with parse.c, check.c, compile.c and match.c, and has its own table of
 * fields. It rejects the same filters as they do, with the same errno.
 *
 * Contexts: task, preemption off. No state.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "filter/filter_test.h"

/* Globs: track the set of positions in the string that the pattern can have reached. */

#define PLACES	64

/* The length of the class at @pattern with its brackets; 0 if it is not closed. */
static u32 class_length(const char *pattern)
{
	u32 at = pattern[1] == '!' ? 2 : 1;
	u32 first = at;

	while (pattern[at] && (at == first || pattern[at] != ']')) {
		if (pattern[at + 1] == '-' && pattern[at + 2] != ']') {
			if (!pattern[at + 2])
				return 0;
			at += 2;
		}
		at++;
	}
	return pattern[at] ? at + 1 : 0;
}

static bool class_has(const char *pattern, u32 len, unsigned char c)
{
	bool negate = pattern[1] == '!';
	bool in = false;
	u32 at;

	for (at = negate ? 2 : 1; at < len - 1; at++) {
		unsigned char low = pattern[at], high = low;

		if (pattern[at + 1] == '-' && pattern[at + 2] != ']') {
			high = pattern[at + 2];
			at += 2;
		}
		if (c >= low && c <= high)
			in = true;
	}
	return in != negate;
}

/* Whether @c matches the part of a pattern at @part, which is not a star. */
static bool part_has(const char *part, u32 len, unsigned char c)
{
	if (*part == '[' && len > 1)
		return class_has(part, len, c);
	if (*part == '\\')
		return part[1] && part[1] == c;
	return *part == '?' || *part == c;
}

static u32 part_length(const char *part)
{
	u32 len = *part == '[' ? class_length(part) : 0;

	if (*part == '\\' && part[1])
		return 2;
	return len ?: 1;
}

static bool plain_glob(const char *pattern, const char *str, u32 len)
{
	u64 places = 1, next;
	u32 at, part;

	for (; *pattern; pattern += part) {
		part = part_length(pattern);
		for (next = 0, at = 0; at < len; at++) {
			if (*pattern == '*')
				places |= (places & BIT_ULL(at)) << 1;
			else if (places & BIT_ULL(at) && part_has(pattern, part, str[at]))
				next |= BIT_ULL(at + 1);
		}
		if (*pattern != '*')
			places = next;
	}
	return places & BIT_ULL(len);
}

/**
 * struct plain - a text being parsed
 * @at:     the next character
 * @record: the record to be filtered
 * @depth:  number of open parentheses
 */
struct plain {
	const char			*at;
	const void			*record;
	u32				depth;
};

/* Give up on a text with deeper parentheses, as the parser recurses. */
#define DEPTH_MAX	30

/* Fields */

struct plain_field {
	const char	*name;
	u32		offset;
	u32		size;
	int		type;
	bool		is_signed;
	bool		relative;
};

#define FIELD(member, type_, signed_, filter)					\
	{ #member, offsetof(struct filter_test_record, member),			\
	  sizeof_field(struct filter_test_record, member), filter, signed_,	\
	  (type_)[2] == 'r' },
#define COMMON(member, signed_)							\
	{ "common_" #member, offsetof(struct trace_entry, member),		\
	  sizeof_field(struct trace_entry, member), FILTER_OTHER, signed_ }
#define NOWHERE(name, filter, signed_)	{ name, 0, 0, filter, signed_ }

static const struct plain_field fields[] = {
	FILTER_TEST_FIELDS(FIELD)
	COMMON(type, false), COMMON(flags, false), COMMON(preempt_count, false),
	COMMON(pid, true),
	NOWHERE("CPU", FILTER_CPU, true), NOWHERE("cpu", FILTER_CPU, true),
	NOWHERE("common_cpu", FILTER_CPU, true),
	NOWHERE("COMM", FILTER_COMM, false), NOWHERE("comm", FILTER_COMM, false),
	NOWHERE("stacktrace", FILTER_STACKTRACE, false),
	NOWHERE("STACKTRACE", FILTER_STACKTRACE, false),
};

static bool is_text(const struct plain_field *field)
{
	return field->type == FILTER_STATIC_STRING || field->type == FILTER_DYN_STRING ||
	       field->type == FILTER_RDYN_STRING || field->type == FILTER_PTR_STRING ||
	       field->type == FILTER_COMM;
}

/* Tokens */

static void blanks(struct plain *p)
{
	while (isspace(*p->at))
		p->at++;
}

/* If @word is next in the text, skip it and return true. */
static bool next_is(struct plain *p, const char *word)
{
	const char *at = p->at;

	while (*word && *at == *word) {
		at++;
		word++;
	}
	if (*word)
		return false;
	p->at = at;
	return true;
}

static const struct plain_field *read_field(struct plain *p)
{
	const char *begin = p->at;
	u32 i, len;

	while (isalnum(*p->at) || *p->at == '_')
		p->at++;
	len = p->at - begin;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strlen(fields[i].name) == len && !memcmp(fields[i].name, begin, len))
			return &fields[i];
	}
	return NULL;
}

/*
 * Read an operator. Returns its first character, but 'l' for <= and 'g' for >=, or NUL if
 * there is no operator.
 */
static char read_operator(struct plain *p)
{
	char first = *p->at, second = first ? p->at[1] : '\0';

	if ((first == '=' || first == '!') && second != '=')
		return '\0';
	if (first == '=' || first == '!' || ((first == '<' || first == '>') && second == '=')) {
		p->at += 2;
		return first == '<' ? 'l' : first == '>' ? 'g' : first;
	}
	if (first != '<' && first != '>' && first != '~' && first != '&')
		return '\0';
	p->at++;
	return first;
}

/*
 * Parse a number in C notation of @len characters; a sign is allowed only if @is_signed.
 * Returns false if it is not a number, or does not fit into 64 bits.
 */
static bool number_of(const char *text, u32 len, bool is_signed, u64 *val)
{
	bool minus = is_signed && len && *text == '-';
	u32 base = 10, at = minus, digit;
	u64 sum = 0;

	if (at < len && text[at] == '0') {
		base = 8;
		if (len - at > 2 && (text[at + 1] | 32) == 'x') {
			base = 16;
			at += 2;
		}
	}
	if (at == len)
		return false;
	for (; at < len; at++) {
		if (text[at] >= '0' && text[at] <= '9')
			digit = text[at] - '0';
		else
			digit = (text[at] | 32) >= 'a' && (text[at] | 32) <= 'f' ?
				(text[at] | 32) - 'a' + 10 : base;
		if (digit >= base || sum > (U64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	if (is_signed && sum > (u64)S64_MAX + minus)
		return false;
	*val = minus ? 0 - sum : sum;
	return true;
}

/* Strings */

/* Whether the string of up to @max bytes equals the text of @len characters. */
static bool equal_text(const char *str, u32 max, const char *text, u32 len)
{
	u32 at;

	for (at = 0; at < len; at++) {
		if (at == max || !str[at] || str[at] != text[at])
			return false;
	}
	return at == max || !str[at];
}

static bool plain_string(const char *str, u32 max, char op, const char *text, u32 len)
{
	char pattern[MAX_FILTER_STR_VAL];
	bool negate = op == '!', found;
	u32 have = 0;

	if (op == '~' && len && *text == '!') {
		negate = true;
		text++;
		len--;
	}
	/* A pattern that begins with a digit is compared literally. */
	if (op != '~' || (len && isdigit(*text)))
		return equal_text(str, max, text, len) != negate;
	while (have < max && str[have])
		have++;
	memcpy(pattern, text, len);
	pattern[len] = '\0';
	found = have < PLACES && plain_glob(pattern, str, have);
	return found != negate;
}

static bool plain_pointer(const char *ptr, bool user, char op, const char *text, u32 len)
{
	char buf[PLACES];
	long ret;

	if (user)
		ret = strncpy_from_user_nofault(buf, (const void __user *)ptr, sizeof(buf));
	else
		ret = strncpy_from_kernel_nofault(buf, ptr, sizeof(buf));
	return ret >= 0 && plain_string(buf, sizeof(buf), op, text, len);
}

/* Return the address of a located field's data, and its length. */
static const void *locate(const struct plain *p, const struct plain_field *field, u32 *len)
{
	u32 loc;

	memcpy(&loc, p->record + field->offset, sizeof(loc));
	*len = loc >> 16;
	return p->record + (loc & 0xffff) +
	       (field->relative ? field->offset + sizeof(loc) : 0);
}

/* FIELD op "TEXT" */
static int string_term(struct plain *p, const struct plain_field *field, bool user, char op)
{
	const char quote = *p->at++, *text = p->at, *str = p->record + field->offset;
	u32 len = 0, size = field->size;

	while (text[len] != quote)
		len++;
	p->at = text + len + 1;
	if ((op != '=' && op != '!' && op != '~') || !is_text(field) || len >= MAX_FILTER_STR_VAL)
		return -EINVAL;
	switch (field->type) {
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		str = locate(p, field, &size);
		break;
	case FILTER_COMM:
		str = current->comm;
		size = FILTER_COMM_LEN;
		break;
	case FILTER_PTR_STRING:
		memcpy(&str, p->record + field->offset, sizeof(str));
		return plain_pointer(str, user, op, text, len);
	}
	return plain_string(str, size, op, text, len);
}

/* Numbers and CPUs */

static bool compare(char op, bool less, bool equal, u64 common)
{
	switch (op) {
	case '=':
		return equal;
	case '!':
		return !equal;
	case '<':
		return less;
	case 'l':
		return less || equal;
	case '>':
		return !less && !equal;
	case 'g':
		return !less;
	default:
		return common;
	}
}

/* Sign-extend or zero-extend a number of @size bytes to 64 bits. */
static u64 widen(u64 val, u32 size, bool is_signed)
{
	u32 spare = 64 - 8 * size;

	return is_signed ? (u64)((s64)(val << spare) >> spare) : val << spare >> spare;
}

static u64 load(const struct plain *p, const struct plain_field *field)
{
	const u32 top = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? field->size - 1 : 0;
	u64 val = 0;
	u32 i;

	for (i = 0; i < field->size; i++)
		val |= (u64)((const u8 *)p->record)[field->offset + i] << 8 * (top ? top - i : i);
	return val;
}

/* A field of another size is not a number, and no comparison with it is true. */
static bool is_number(const struct plain_field *field)
{
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

static bool compare_number(const struct plain *p, const struct plain_field *field, char op,
			   u64 val, bool is_signed)
{
	u64 have, want;
	s32 cpu = raw_smp_processor_id();

	if (field->type == FILTER_CPU)
		return op != '&' && compare(op, cpu < (s32)val, cpu == (s32)val, 0);
	if (!is_number(field))
		return false;
	have = widen(load(p, field), field->size, is_signed);
	want = widen(val, field->size, is_signed);
	return compare(op, is_signed ? (s64)have < (s64)want : have < want, have == want,
		       have & want);
}

/* Read an optional '-' and digits. Returns the number of characters. */
static u32 read_digits(struct plain *p)
{
	const char *begin = p->at;

	if (*p->at == '-')
		p->at++;
	while (isalnum(*p->at))
		p->at++;
	return p->at - begin;
}

/* The longest number that is accepted. */
#define DIGITS_MAX	23

/* FIELD op NUMBER */
static int number_term(struct plain *p, const struct plain_field *field, char op)
{
	const char *text = p->at;
	u32 len = read_digits(p);
	u64 val;

	if (is_text(field) || op == '~' || len > DIGITS_MAX ||
	    !number_of(text, len, field->is_signed, &val))
		return -EINVAL;
	return compare_number(p, field, op, val, field->is_signed);
}

/* FIELD.function op NAME, or an address */
static int function_term(struct plain *p, const struct plain_field *field, char op)
{
	const char *text = p->at;
	unsigned long addr;
	u64 start, size, val;

	if (field->size != sizeof(long) || (op != '=' && op != '!'))
		return -EINVAL;
	if (isdigit(*text)) {
		if (read_digits(p) > DIGITS_MAX ||
		    !number_of(text, p->at - text, false, &val))
			return -EINVAL;
		addr = val;
	} else {
		while (*p->at && !isspace(*p->at))
			p->at++;
		if (strobe_filter_symbol_find(text, p->at - text, &addr))
			return -EINVAL;
	}
	if (!strobe_filter_symbol_range(addr, &start, &size))
		return -EINVAL;
	val = load(p, field);
	return (val >= start && val < start + size) == (op == '=');
}

static bool has_cpu(const unsigned long *bits, u32 cpu)
{
	return bits[cpu / BITS_PER_LONG] & 1UL << cpu % BITS_PER_LONG;
}

/* Compare a field that is a mask of CPUs with a mask. */
static bool compare_masks(const struct plain *p, const struct plain_field *field, char op,
			  const unsigned long *bits)
{
	bool equal = true, common = false, have;
	u32 len, cpu, at;
	const u8 *mask = locate(p, field, &len);

	for (cpu = 0; cpu < strobe_filter_nr_cpus(); cpu++) {
		at = cpu / 8 ^ LOW_BYTE;
		have = at < len && mask[at] & 1 << cpu % 8;
		equal &= have == has_cpu(bits, cpu);
		common |= have && has_cpu(bits, cpu);
	}
	return compare(op, false, equal, common);
}

/* Compare the number of a CPU with a mask of several CPUs, which it never equals. */
static bool compare_cpu(const struct plain *p, const struct plain_field *field, char op,
			const unsigned long *bits)
{
	u32 cpu;

	if (field->type != FILTER_CPU && !is_number(field))
		return false;
	cpu = field->type == FILTER_CPU ? raw_smp_processor_id() : load(p, field);
	if (cpu >= strobe_filter_nr_cpus())
		return false;
	return op == '!' || (op == '&' && has_cpu(bits, cpu));
}

#define CPU_LONGS	(1024 / BITS_PER_LONG)

/* FIELD op CPUS{LIST}; "CPUS" has been read */
static int cpus_term(struct plain *p, const struct plain_field *field, char op)
{
	unsigned long bits[CPU_LONGS] = { };
	u32 len = 0, cpu, nr = 0, last = 0;
	const char *list;

	if (!next_is(p, "{"))
		return -EINVAL;
	for (list = p->at; list[len] && list[len] != '}'; len++)
		;
	if (!len || !list[len] || (op != '=' && op != '!' && op != '&') ||
	    (field->type != FILTER_CPUMASK && field->type != FILTER_CPU &&
	     field->type != FILTER_OTHER))
		return -EINVAL;
	if (strobe_filter_cpu_longs() > CPU_LONGS)
		return -E2BIG;
	if (strobe_filter_cpus_parse(list, len, bits))
		return -EINVAL;
	p->at = list + len + 1;
	if (field->type == FILTER_CPUMASK)
		return compare_masks(p, field, op, bits);
	for (cpu = 0; cpu < strobe_filter_nr_cpus(); cpu++) {
		if (has_cpu(bits, cpu)) {
			nr++;
			last = cpu;
		}
	}
	/* A single CPU is compared as a number. */
	if (nr == 1)
		return compare_number(p, field, op == '&' ? '=' : op, last, false);
	return compare_cpu(p, field, op, bits);
}

/* The whole text */

/* Each of the following functions returns 1, 0, or an errno. */
static int plain_either(struct plain *p);

static int plain_term(struct plain *p)
{
	const struct plain_field *field;
	bool user, function;
	char op;

	if (!isalnum(*p->at) && *p->at != '_')
		return -EPERM;
	field = read_field(p);
	user = next_is(p, ".ustring");
	function = next_is(p, ".function");
	blanks(p);
	op = read_operator(p);
	if (!field || !op)
		return -EINVAL;
	blanks(p);
	if (function)
		return function_term(p, field, op);
	if (next_is(p, "CPUS"))
		return cpus_term(p, field, op);
	if (*p->at == '\'' || *p->at == '"')
		return string_term(p, field, user, op);
	if (isdigit(*p->at) || *p->at == '-')
		return number_term(p, field, op);
	return -EINVAL;
}

static int plain_operand(struct plain *p)
{
	bool negate = false;
	int ret;

	for (;; p->at++) {
		blanks(p);
		if (*p->at != '!' || p->at[1] == '=' || p->at[1] == '~')
			break;
		negate = !negate;
	}
	if (!*p->at)
		return -EINVAL;
	if (next_is(p, "(")) {
		if (++p->depth > DEPTH_MAX)
			return -E2BIG;
		ret = plain_either(p);
		p->depth--;
		/* plain_pairs() has checked that the parenthesis is closed. */
		next_is(p, ")");
	} else {
		ret = plain_term(p);
	}
	blanks(p);
	return ret < 0 ? ret : ret ^ negate;
}

static int plain_all(struct plain *p)
{
	int all = 1, ret;

	do {
		ret = plain_operand(p);
		if (ret < 0)
			return ret;
		all &= ret;
	} while (next_is(p, "&&"));
	return all;
}

/* Evaluate up to the end of the text, or to the closing parenthesis. */
static int plain_either(struct plain *p)
{
	int either = 0, ret;

	do {
		ret = plain_all(p);
		if (ret < 0)
			return ret;
		either |= ret;
	} while (next_is(p, "||"));
	if (*p->at && (*p->at != ')' || !p->depth))
		return -EPERM;
	return either;
}

/* Check quotes and parentheses, before anything else. Returns 0 or an errno. */
static int plain_pairs(const char *text)
{
	bool any = false;
	char quote = 0;
	int open = 0;

	for (; *text; text++) {
		if (quote) {
			if (*text == quote)
				quote = 0;
		} else if (*text == '(') {
			open++;
		} else if (*text == ')') {
			if (!open--)
				return -EPERM;
		} else if (!isspace(*text)) {
			any = true;
			if (*text == '\'' || *text == '"')
				quote = *text;
		}
	}
	if (quote)
		return -ESRCH;
	if (open)
		return -ENOENT;
	return any ? 0 : -EINVAL;
}

/**
 * strobe_filter_plain - evaluate a filter for a record
 * @text:   the filter, for strobe_filter_test_call, with all rights
 * @record: the record
 *
 * Context: task, preemption off.
 * Return: 1 or 0; the errno with which the filter is rejected; -E2BIG if it is too deep
 *	   or there are too many CPUs
 */
int strobe_filter_plain(const char *text, const struct filter_test_record *record)
{
	struct plain p = { .at = text, .record = record };
	int ret = plain_pairs(text);

	return ret ?: plain_either(&p);
}
