// SPDX-License-Identifier: GPL-2.0
/* Test the fields of events of user space: texts, layouts, and the check of records. */
#include <kunit/test.h>

#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/strobe/event.h>
#include <linux/unaligned.h>

#include "dynamic/user_fields.h"

#define HEAD	sizeof(struct trace_entry)
#define TEXT_MAX 512

static void parse(struct kunit *test, struct user_fields *fields, const char *text)
{
	KUNIT_ASSERT_EQ_MSG(test, strobe_user_fields_parse(fields, text), 0, "%s", text);
}

static void test_types(struct kunit *test)
{
	static const struct {
		const char *text;
		u32 size;
		int is_signed, len;
	} cases[] = {
		{ "s64 a", 8, 1 }, { "u64 a", 8, 0 }, { "s32 a", 4, 1 }, { "u32 a", 4, 0 },
		{ "int a", 4, 1 }, { "unsigned int a", 4, 0 }, { "s16 a", 2, 1 },
		{ "u16 a", 2, 0 }, { "short a", 2, 1 }, { "unsigned short a", 2, 0 },
		{ "s8 a", 1, 1 }, { "u8 a", 1, 0 }, { "char a", 1, 1 },
		{ "unsigned char a", 1, 0 }, { "char[20] a", 20, 1, 20 },
		{ "unsigned char[0x14] a", 20, 0, 20 }, { "char[1024] a", 1024, 1, 1024 },
		{ "char[20]12345 a", 0 }, { "char[3]r a", 3, 1, 3 },
		{ "struct custom a 20", 20, 1 }, { "struct char[ a 3", 3, 1 },
		{ "__data_loc char[] a", 4, 1 }, { "__data_loc unsigned char[] a", 4, 1 },
		{ "__rel_loc char[] a", 4, 1 }, { "__rel_loc unsigned char[] a", 4, 1 },
		{ "__data_loc u32[] a", 4, 1 }, { "__data_loc cpumask_t a", 4, 1 },
	};
	struct user_fields fields;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!cases[i].size) {
			KUNIT_EXPECT_EQ_MSG(test, strobe_user_fields_parse(&fields, cases[i].text),
					    -EINVAL, "%s", cases[i].text);
			continue;
		}
		parse(test, &fields, cases[i].text);
		KUNIT_EXPECT_EQ(test, fields.nr, 1);
		KUNIT_EXPECT_EQ_MSG(test, fields.table->size, cases[i].size, "%s", cases[i].text);
		KUNIT_EXPECT_EQ(test, fields.table->is_signed, cases[i].is_signed);
		KUNIT_EXPECT_EQ(test, fields.table->len, cases[i].len);
		KUNIT_EXPECT_STREQ(test, fields.table->name, "a");
		KUNIT_EXPECT_EQ(test, fields.min_len, HEAD + cases[i].size);
		strobe_user_fields_free(&fields);
	}
}

static void test_refused(struct kunit *test)
{
	static const char * const cases[] = {
		"u32", "u32 ", "u32  a", "u32 a ", "u32 a b", "u32 a 4", "long a", "unsigned a",
		"unsigned long a", "unsigned  int a", "char[] a", "char[0] a", "char[aa] a",
		"char[9999] a", "char[1025] a", "char[-1] a", "char[20 a",
		"char[0x0000000000001] a", "struct a", "struct custom a", "struct custom a 0",
		"struct custom a -1", "struct custom a 4294967280", "struct custom a 65536",
		"struct custom a 20 ", "struct custom a 20 20", "struct a b 65000; struct c d 600",
		/* Filters would take the field for a location. */
		"struct __data_loc a 4", "struct __rel_loc_char a 8", "struct x__data_locx a 2",
		"char[4]__data_loc a",
		/* Texts that would be mistaken for others. */
		"u32 a\tb", "u32 a\nb", "u32 a\x01", "u32 \"", "u32 a%s", "u32 a\\n", "u32 \xe4",
		"u32 a; u32", "u32 a; bad b",
	};
	struct user_fields fields;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, strobe_user_fields_parse(&fields, cases[i]), -EINVAL,
				    "%s", cases[i]);
		KUNIT_EXPECT_NULL(test, fields.table);
	}
}

static void test_match(struct kunit *test)
{
	static const struct {
		const char *text, *shown, *other;
		bool same;
	} cases[] = {
		{ "", "", "", 1 }, { "", "", " ", 1 }, { "", "", ";", 0 }, { " ;; ", "", "", 1 },
		{ "u32 a", "u32 a", "u32 a", 1 }, { "u32 a;", "u32 a", "u32  a ;", 0 },
		{ "u32 a;", "u32 a", " u32\t a; ", 1 }, { "u32 a", "u32 a", "", 0 },
		{ "u32 a;u32 b", "u32 a; u32 b", "u32 a; u32 b;", 1 },
		{ "u32 a; u32 b", "u32 a; u32 b", "u32 a;u32 b", 1 },
		{ "u32 a; u32 b", "u32 a; u32 b", "u32 b; u32 a", 0 },
		{ "u32 a; u32 b", "u32 a; u32 b", "u32 a;", 0 },
		{ "u32 a", "u32 a", "u32 a; u32 b", 0 }, { "u64 a", "u64 a", "u32 a", 0 },
		{ "struct s a 020", "struct s a 20", "struct s a 20", 1 },
		{ "struct s a 20", "struct s a 20", "struct s a 21", 0 },
		{ "struct s a 20", "struct s a 20", "struct s a 020", 0 },
		{ "char[0x14] a", "char[0x14] a", "char[20] a", 0 },
		{ "u32 a;;u32 b", "u32 a; u32 b", "u32 a;;u32 b", 0 },
	};
	struct user_fields fields;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(test, &fields, cases[i].text);
		KUNIT_EXPECT_STREQ(test, fields.text, cases[i].shown);
		KUNIT_EXPECT_EQ_MSG(test, strobe_user_fields_match(&fields, cases[i].other),
				    cases[i].same, "'%s' and '%s'", cases[i].text, cases[i].other);
		strobe_user_fields_free(&fields);
	}
}

static void test_print_fmt(struct kunit *test)
{
	static const struct {
		const char *text, *fmt;
	} cases[] = {
		{ "", "\"\"" },
		{ "s64 a; u64 b", "\"a=%lld b=%llu\", REC->a, REC->b" },
		{ "int a; unsigned char b", "\"a=%d b=%u\", REC->a, REC->b" },
		{ "char[20] a", "\"a=%s\", REC->a" },
		{ "struct s a 20", "\"a=%llu\", REC->a" },
		{ "__data_loc char[] a", "\"a=%s\", __get_str(a)" },
		{ "__rel_loc unsigned char[] a", "\"a=%s\", __get_rel_str(a)" },
		{ "__data_loc u32[] a", "\"a=%llu\", REC->a" },
	};
	struct user_fields fields;
	char *buf = kunit_kzalloc(test, TEXT_MAX, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seq_file m = { .buf = buf, .size = TEXT_MAX };

		parse(test, &fields, cases[i].text);
		strobe_user_fields_print_fmt(&m, &fields);
		buf[m.count] = '\0';
		KUNIT_EXPECT_STREQ(test, buf, cases[i].fmt);
		strobe_user_fields_free(&fields);
	}
}

/* A record with an u8, then a location at an odd offset, then six bytes "text\0x". */
static void test_check(struct kunit *test)
{
	static const struct {
		const char *type;
		u16 size, offset;
		int ret;
	} cases[] = {
		{ "__data_loc char[]", 5, HEAD + 5, 0 },
		{ "__data_loc char[]", 1, HEAD + 9, 0 },
		{ "__data_loc char[]", 0, 0, -EFAULT },
		{ "__data_loc char[]", 0, HEAD + 10, -EFAULT },
		{ "__data_loc char[]", 4, HEAD + 5, -EFAULT },
		{ "__data_loc char[]", 6, HEAD + 5, -EFAULT },
		{ "__data_loc char[]", 7, HEAD + 5, -EFAULT },
		{ "__data_loc char[]", 0xffff, 0xffff, -EFAULT },
		{ "__data_loc char[]", 1, 0, -EFAULT },
		{ "__data_loc char[]", HEAD, 0, -EFAULT },
		{ "__data_loc u8[]", 6, HEAD + 5, 0 },
		{ "__data_loc u8[]", 0, HEAD + 11, 0 },
		{ "__data_loc u8[]", 7, HEAD + 5, -EFAULT },
		{ "__data_loc u8[]", 0, HEAD + 12, -EFAULT },
		{ "__data_loc cpumask_t", 0xffff, 0, -EFAULT },
		{ "__rel_loc char[]", 5, 0, 0 },
		{ "__rel_loc char[]", 6, 0, -EFAULT },
		{ "__rel_loc char[]", 0, 0, -EFAULT },
		{ "__rel_loc unsigned char[]", 1, 4, 0 },
		{ "__rel_loc unsigned char[]", 2, 5, -EFAULT },
		{ "__rel_loc u8[]", 6, 0, 0 },
		{ "__rel_loc u8[]", 1, 0xffff, -EFAULT },
	};
	struct user_fields fields;
	char text[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		/* KASAN watches its end. */
		u8 *record = kunit_kzalloc(test, HEAD + 11, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, record);
		snprintf(text, sizeof(text), "u8 n; %s a", cases[i].type);
		parse(test, &fields, text);
		KUNIT_EXPECT_EQ(test, fields.nr_located, 1);
		put_unaligned(cases[i].size << 16 | cases[i].offset, (u32 *)(record + HEAD + 1));
		memcpy(record + HEAD + 5, "text\0x", 6);
		KUNIT_EXPECT_EQ_MSG(test, strobe_user_fields_check(&fields, record, HEAD + 11),
				    cases[i].ret, "%s %u at %u", cases[i].type, cases[i].size,
				    cases[i].offset);
		strobe_user_fields_free(&fields);
	}
}

static struct kunit_case user_fields_cases[] = {
	KUNIT_CASE(test_types),
	KUNIT_CASE(test_refused),
	KUNIT_CASE(test_match),
	KUNIT_CASE(test_print_fmt),
	KUNIT_CASE(test_check),
	{ }
};

static struct kunit_suite user_fields_suite = {
	.name		= "strobe_user_fields",
	.test_cases	= user_fields_cases,
};

kunit_test_suites(&user_fields_suite);

MODULE_DESCRIPTION("KUnit tests of the fields of events of user space");
MODULE_LICENSE("GPL");
