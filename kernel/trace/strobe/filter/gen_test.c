// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters and records for tests. Values are chosen from small sets, so that about
 * half of all comparisons are true. The same seed gives the same filters and records.
 */
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/sprintf.h>
#include <linux/string.h>

#include "filter/filter_test.h"

static const char * const numbers[] = {
	"0", "1", "2", "-1", "-2", "0x7f", "128", "0xff", "256", "077", "-128", "0x7fff", "32768",
	 "0xffff", "65536", "0x7fffffff", "2147483648", "4294967295", "4294967296",
	"-2147483648", "0x7fffffffffffffff", "0xffffffffffffffff", "-9223372036854775808",
};

static const s64 values[] = {
	0, 1, 2, -1, -2, 0x7f, 128, 0xff, 256, 077, -128, 0x7fff, 32768, 0xffff, 65536,
	0x7fffffff, 2147483648, 4294967295, 4294967296, -2147483648LL,
	0x7fffffffffffffff, S64_MIN,
};

static const char * const number_fields[] = {
	"sb", "ub", "sh", "uh", "si", "ui", "sl", "ul", "ip", "array", "mask",
	"common_pid", "common_type", "common_flags", "common_preempt_count", "CPU", "cpu",
};

static const char * const string_fields[] = {
	"name", "name", "one", "text", "text", "rel", "ptr", "ptr.ustring", "COMM", "comm",
};

static const char * const cpu_fields[] = { "mask", "rel_mask", "CPU", "sb", "ui", "ul", "uh" };

static const char * const number_ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
static const char * const string_ops[] = { "==", "!=", "~" };
static const char * const cpu_ops[] = { "==", "!=", "&" };
static const char * const cpu_lists[] = { "0", "1", "0-1", "0,1", "0-1:1/2" };
static const char * const symbols[] = { FILTER_TEST_SYMBOLS };
static const char * const strings[] = { "", "a", "ab", "ba", "aab", "abababa", "kunit", "a]b-" };

#define ANY(gen, of)	((of)[strobe_filter_gen_random(gen, ARRAY_SIZE(of))])

u32 strobe_filter_gen_random(struct filter_gen *gen, u32 below)
{
	gen->state ^= gen->state << 13;
	gen->state ^= gen->state >> 7;
	gen->state ^= gen->state << 17;
	return (u32)(gen->state >> 32) % below;
}

__printf(2, 3)
static void add(struct filter_gen *gen, const char *fmt, ...)
{
	u32 len = strlen(gen->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(gen->text + len, sizeof(gen->text) - len, fmt, args);
	va_end(args);
}

/* A pattern from a small set of characters, many of them special. */
static void add_pattern(struct filter_gen *gen)
{
	static const char * const parts[] = {
		"a", "b", "ab", "a", "b", "*", "*", "?", "[ab]", "[!a]", "[a-b]", "[]a]", "[",
		"\\*", "\\a", "-", "kunit", "]", "!", "5", "5",
	};
	u32 n = strobe_filter_gen_random(gen, 5);

	while (n--)
		add(gen, "%s", ANY(gen, parts));
}

static void add_string_term(struct filter_gen *gen)
{
	const char *op = ANY(gen, string_ops);
	char quote = strobe_filter_gen_random(gen, 2) ? '"' : '\'';

	add(gen, "%s %s %c", ANY(gen, string_fields), op, quote);
	if (*op == '~')
		add_pattern(gen);
	else if (strobe_filter_gen_random(gen, 20))
		add(gen, "%s", ANY(gen, strings));
	else
		add(gen, "%0*d", 100 + (int)strobe_filter_gen_random(gen, 120), 7);
	add(gen, "%c", quote);
}

static void add_term(struct filter_gen *gen)
{
	switch (strobe_filter_gen_random(gen, 8)) {
	case 0:
	case 1:
	case 2:
		return add_string_term(gen);
	case 3:
		return add(gen, "%s %s CPUS{%s}", ANY(gen, cpu_fields), ANY(gen, cpu_ops),
			   ANY(gen, cpu_lists));
	case 4:
		return add(gen, "ip.function %s %s ",
			   strobe_filter_gen_random(gen, 2) ? "==" : "!=", ANY(gen, symbols));
	default:
		return add(gen, "%s%s%s", ANY(gen, number_fields), ANY(gen, number_ops),
			   ANY(gen, numbers));
	}
}

/**
 * strobe_filter_gen_text - generate a filter
 * @gen: set @gen->text to it; it may be invalid, as numbers do not fit all fields
 * @terms: the maximum number of comparisons in it
 */
void strobe_filter_gen_text(struct filter_gen *gen, u32 terms)
{
	u32 n = 1 + strobe_filter_gen_random(gen, terms), open = 0;

	gen->text[0] = '\0';
	while (n--) {
		while (!strobe_filter_gen_random(gen, 3)) {
			add(gen, "%s(", strobe_filter_gen_random(gen, 3) ? "" : "!");
			open++;
		}
		add(gen, "%s", strobe_filter_gen_random(gen, 4) ? "" : "!");
		add_term(gen);
		while (open && (!n || !strobe_filter_gen_random(gen, 3))) {
			add(gen, ")");
			open--;
		}
		if (n)
			add(gen, strobe_filter_gen_random(gen, 2) ? " && " : " || ");
	}
}

/**
 * strobe_filter_gen_damage - change some characters of the text
 * @gen: the text
 */
void strobe_filter_gen_damage(struct filter_gen *gen)
{
	static const char bytes[] = "()!&|=<>~'\"{} .*?[]\\-0aCPU\x80\xff";
	u32 n = 1 + strobe_filter_gen_random(gen, 2);
	u32 len = strlen(gen->text), at;

	while (n-- && len) {
		at = strobe_filter_gen_random(gen, len);
		switch (strobe_filter_gen_random(gen, 3)) {
		case 0:
			gen->text[at] = bytes[strobe_filter_gen_random(gen, sizeof(bytes) - 1)];
			break;
		case 1:
			memmove(gen->text + at, gen->text + at + 1, len-- - at);
			break;
		default:
			len = at;
			gen->text[at] = '\0';
		}
	}
}

/* Put a string into @data at @at. Returns the length for its field, mostly with the NUL. */
static u32 put_string(struct filter_gen *gen, char *data, u32 at, u32 max)
{
	u32 len = strobe_filter_gen_random(gen, max), i;

	for (i = 0; i < len; i++) {
		u32 nr = strobe_filter_gen_random(gen, 4) ? 2 : 5;

		data[at + i] = "ab]*5"[strobe_filter_gen_random(gen, nr)];
	}
	data[at + len] = '\0';
	/* Seldom leave out the NUL, or include bytes after it. */
	return len + (strobe_filter_gen_random(gen, 6) ? 1 : strobe_filter_gen_random(gen, 3));
}

/**
 * strobe_filter_gen_record - generate a record
 * @gen: the generator
 * @record: set to the record
 */
void strobe_filter_gen_record(struct filter_gen *gen, struct filter_test_record *record)
{
	const u32 data = offsetof(struct filter_test_record, data);
	struct filter_test_record *r = record;
	u32 len;

	memset(r, 0, sizeof(*r));
	r->ent.type = ANY(gen, values);
	r->ent.flags = ANY(gen, values);
	r->ent.preempt_count = ANY(gen, values);
	r->ent.pid = ANY(gen, values);
	r->sb = ANY(gen, values);
	r->ub = ANY(gen, values);
	r->sh = ANY(gen, values);
	r->uh = ANY(gen, values);
	r->si = ANY(gen, values);
	r->ui = ANY(gen, values);
	r->sl = ANY(gen, values);
	r->ul = ANY(gen, values);
	r->array[0] = ANY(gen, values);
	put_string(gen, r->data, 0, 9);
	memcpy(r->name, r->data, sizeof(r->name));
	put_string(gen, r->one, 0, 1);
	r->one[0] = "ab"[strobe_filter_gen_random(gen, 2)];
	len = put_string(gen, r->data, 0, 10);
	r->text = len << 16 | data;
	len = put_string(gen, r->data, 16, 10);
	r->rel = len << 16 | (data + 16 - offsetof(struct filter_test_record, rel) - 4);
	r->ptr = ANY(gen, strings);
	/* ARCH=um crashes on such pointers. */
	if (!IS_ENABLED(CONFIG_UML) && !strobe_filter_gen_random(gen, 8))
		r->ptr = (const char *)(unsigned long)strobe_filter_gen_random(gen, 64);
	r->ip = (unsigned long)strobe_filter_plain + strobe_filter_gen_random(gen, 4);
	if (strobe_filter_gen_random(gen, 2))
		r->ip = (unsigned long)strobe_filter_gen_record - strobe_filter_gen_random(gen, 2);
	r->data[32 + LOW_BYTE] = strobe_filter_gen_random(gen, 4);
	r->mask = 8 << 16 | (data + 32);
	r->data[40 + LOW_BYTE] = strobe_filter_gen_random(gen, 4);
	r->rel_mask = 8 << 16 | (data + 40 - offsetof(struct filter_test_record, rel_mask) - 4);
}
