// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of copying words, numbers and strings from user space.
 */
#include <kunit/test.h>

#include <linux/mman.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fs/fs.h"

/* Map a page of user memory. Functions that read up to its end must not read beyond. */
static char __user *user_page(struct kunit *test)
{
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	return (char __user *)addr;
}

/* Copy @len bytes to the end of the page. */
static const char __user *at_end(struct kunit *test, char __user *page,
				 const char *text, size_t len)
{
	char __user *to = page + PAGE_SIZE - len;

	KUNIT_ASSERT_EQ(test, copy_to_user(to, text, len), 0);
	return to;
}

static void file_copy_word(struct kunit *test)
{
	static const struct {
		const char *written;
		size_t len;
		ssize_t taken;
		const char *word;
	} cases[] = {
		{ "a", 1, 1, "a" },
		{ "sched\n", 6, 6, "sched" },
		{ "sched switch", 12, 6, "sched" },
		{ " \t\n x y", 7, 6, "x" },
		{ "   ", 3, 3, "" },
		{ "\n", 1, 1, "" },
		{ "\0abc", 4, 1, "" },
		{ "ab\0c", 4, 3, "ab" },
		{ "1234567", 7, 7, "1234567" },
		{ "1234567 8", 9, 8, "1234567" },
		{ "12345678", 8, -EINVAL, NULL },
		{ "  12345678 ", 11, -EINVAL, NULL },
	};
	char __user *page = user_page(test);
	const char __user *from;
	char word[8];
	ssize_t taken;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		from = at_end(test, page, cases[i].written, cases[i].len);
		taken = strobe_fs_copy_word(word, sizeof(word), from, cases[i].len);
		KUNIT_EXPECT_EQ_MSG(test, taken, cases[i].taken, "case %d", i);
		if (taken > 0 && cases[i].word)
			KUNIT_EXPECT_STREQ_MSG(test, word, cases[i].word,
					       "case %d", i);
	}

	/* A word that continues after the end of the page. */
	from = at_end(test, page, "abc", 3);
	KUNIT_EXPECT_EQ(test, strobe_fs_copy_word(word, sizeof(word), from, 4), -EFAULT);
}

static void file_copy_number(struct kunit *test)
{
	static const struct {
		const char *written;
		int ret;
		unsigned long val;
	} cases[] = {
		{ "0", 0, 0 }, { "1\n", 0, 1 }, { "100", 0, 100 },
		{ "101", -EINVAL }, { "0x1", -EINVAL }, { "-1", -EINVAL },
		{ "1 2", -EINVAL }, { "", -EINVAL }, { "\n", -EINVAL },
		{ "18446744073709551616", -ERANGE },
	};
	char __user *page = user_page(test);
	const char __user *from;
	unsigned long val;
	int ret, i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].written);

		from = at_end(test, page, cases[i].written, len);
		ret = strobe_fs_copy_number(from, len, 100, &val);
		KUNIT_EXPECT_EQ_MSG(test, ret, cases[i].ret, "case %d", i);
		if (!ret)
			KUNIT_EXPECT_EQ(test, val, cases[i].val);
	}
	KUNIT_EXPECT_EQ(test, strobe_fs_copy_number(page + PAGE_SIZE - 1, 2, 100, &val),
			-EFAULT);
}

static void file_copy_string(struct kunit *test)
{
	char __user *page = user_page(test);
	const char __user *from;
	char text[8];

	from = at_end(test, page, "1234567", 7);
	KUNIT_EXPECT_EQ(test, strobe_fs_copy_string(text, sizeof(text), from, 7), 0);
	KUNIT_EXPECT_STREQ(test, text, "1234567");
	KUNIT_EXPECT_EQ(test, strobe_fs_copy_string(text, sizeof(text), from, 0), 0);
	KUNIT_EXPECT_STREQ(test, text, "");
	KUNIT_EXPECT_EQ(test, strobe_fs_copy_string(text, 7, from, 7), -EINVAL);
	KUNIT_EXPECT_EQ(test, strobe_fs_copy_string(text, sizeof(text), from + 6, 2),
			-EFAULT);
}

static void file_read_text(struct kunit *test)
{
	char __user *page = user_page(test);
	loff_t pos = 0;
	char got[16] = "";

	KUNIT_EXPECT_EQ(test, strobe_fs_read_text(page, 3, &pos, "%d\n", 12345), 3);
	KUNIT_EXPECT_EQ(test, strobe_fs_read_text(page + 3, 10, &pos, "%d\n", 12345), 3);
	KUNIT_EXPECT_EQ(test, strobe_fs_read_text(page + 6, 10, &pos, "%d\n", 12345), 0);
	KUNIT_ASSERT_EQ(test, copy_from_user(got, page, 6), 0);
	KUNIT_EXPECT_STREQ(test, got, "12345\n");
}

static struct kunit_case file_cases[] = {
	KUNIT_CASE(file_copy_word),
	KUNIT_CASE(file_copy_number),
	KUNIT_CASE(file_copy_string),
	KUNIT_CASE(file_read_text),
	{ }
};

static struct kunit_suite file_suite = {
	.name = "strobe_file",
	.test_cases = file_cases,
};

kunit_test_suite(file_suite);
