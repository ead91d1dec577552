// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that the text of events is what vsnprintf() writes for the same format.
 */
#include <kunit/test.h>

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/string.h>

#include <linux/strobe/event.h>

#include "output/text.h"

#define NAME "text_test: "

static const struct trace_event_class test_class = { .system = "test" };

/* The record is a string, which "%s" may follow. */
struct text_fixture {
	struct trace_event_call	call;
	struct trace_seq	seq;
	struct trace_seq	tmp;
	struct trace_seq	expected;
	char			record[64];
	struct strobe_print	pr;
};

static int text_test_init(struct kunit *test)
{
	struct text_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->call.class = &test_class;
	f->call.name = "text_test";
	f->pr = (struct strobe_print) {
		.seq = &f->seq, .tmp = &f->tmp, .call = &f->call,
		.entry = f->record, .len = sizeof(f->record), .flags = STROBE_PRINT_HASH_PTR,
	};
	test->priv = f;
	return 0;
}

/* Compare the text for a format and its arguments, which are evaluated three times. */
#define EXPECT_SAME(test, f, fmt, args...)					\
do {										\
	struct text_fixture *_f = f;						\
	const char *_fmt = fmt;							\
										\
	_f->call.no_pointers = false;						\
	trace_seq_init(&_f->seq);						\
	trace_seq_init(&_f->tmp);						\
	trace_seq_init(&_f->expected);						\
	strobe_printf(&_f->pr, _fmt, args);					\
	trace_seq_putc(&_f->seq, '\0');						\
	trace_seq_puts(&_f->expected, NAME);					\
	trace_seq_printf(&_f->expected, _fmt, args);				\
	trace_seq_putc(&_f->expected, '\0');					\
	KUNIT_EXPECT_STREQ_MSG(test, _f->seq.buffer, _f->expected.buffer,	\
			       "format \"%s\"", _fmt);				\
} while (0)

static const u64 numbers[] = {
	0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 9999, 10000, 10001, 65535, 65536, 99999, 100000,
	999999, 1000000, 99999999, 100000000, 123456789, S32_MAX, S32_MAX + 1ULL, U32_MAX,
	U32_MAX + 1ULL, 9999999999999999ULL, 10000000000000000ULL, 9999999999999999999ULL,
	10000000000000000000ULL, S64_MAX, S64_MAX + 1ULL, U64_MAX - 1, U64_MAX,
};

static const char * const flags[] = {
	"", "0", "-", "#", "+", " ", "#0", "-0", "0-", "-#", "#-0", "00", "+0", "- ",
};

static const char * const widths[] = {
	"", "1", "2", "3", "5", "10", "11", "16", "20", "21", "30", "63", "64", "65", "99", "100",
	".0", ".3", "5.3", "30.25", ".",
};

/* Each flag, width and length of one type, with @num and its negative. */
static void expect_number(struct kunit *test, const char *types, const char *length, u64 num)
{
	struct text_fixture *f = test->priv;
	char fmt[32];
	int i, j;

	for (; *types; types++) {
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			for (j = 0; j < ARRAY_SIZE(widths); j++) {
				snprintf(fmt, sizeof(fmt), "<%%%s%s%s%c>\n", flags[i], widths[j],
					 length, *types);
				EXPECT_SAME(test, f, fmt, num);
				EXPECT_SAME(test, f, fmt, -num);
			}
		}
	}
}

static void text_numbers(struct kunit *test)
{
	static const char * const lengths[] = { "", "l", "ll", "z", "L", "h", "hh", "t" };
	static const u64 some[] = { 0, 7, 0x123456789abcdefULL, S64_MAX + 1ULL };
	struct text_fixture *f = test->priv;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		for (j = 0; j < ARRAY_SIZE(lengths); j++)
			expect_number(test, "diuxXo", lengths[j], some[i]);
	}
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		EXPECT_SAME(test, f, "%d %i %u %x\n", (int)numbers[i], -(int)numbers[i],
			    (u32)numbers[i], (u32)numbers[i]);
		EXPECT_SAME(test, f, "%lld %ld %lu %llx\n", numbers[i], -numbers[i],
			    numbers[i], numbers[i]);
		EXPECT_SAME(test, f, "%016llx %08x %zu %#zx\n", numbers[i], (u32)numbers[i],
			    numbers[i], numbers[i]);
	}
}

static void text_columns(struct kunit *test)
{
	char text[TEXT_NUM_MAX + 64], expected[TEXT_NUM_MAX + 64], *end;
	unsigned int width;
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (width = 0; width <= 16; width++) {
			*strobe_text_dec(text, numbers[i], width) = '\0';
			snprintf(expected, sizeof(expected), "%*llu", width, numbers[i]);
			KUNIT_EXPECT_STREQ(test, text, expected);
			end = strobe_text_hex(text, numbers[i]);
			*strobe_text_pad(text, end, width, '0') = '\0';
			snprintf(expected, sizeof(expected), "%0*llx", width, numbers[i]);
			KUNIT_EXPECT_STREQ(test, text, expected);
		}
		*strobe_text_address(text, numbers[i]) = '\0';
		snprintf(expected, sizeof(expected), "%016llx", numbers[i]);
		KUNIT_EXPECT_STREQ(test, text, expected);
		*strobe_text_dec_digits(text, numbers[i], 9) = '\0';
		snprintf(expected, sizeof(expected), "%09u", (u32)numbers[i] % 1000000000);
		KUNIT_EXPECT_STREQ(test, text, expected);
		*strobe_text_dec_digits(text, numbers[i], 10) = '\0';
		snprintf(expected, sizeof(expected), "%010u", (u32)numbers[i]);
		KUNIT_EXPECT_STREQ(test, text, expected);
	}
}

static void text_strings(struct kunit *test)
{
	static const char * const formats[] = {
		"%s\n", "%s%s\n", "<%1s>%s\n", "<%8s>%-40s\n", "<%64s>%-64s\n", "<%65s>%s\n",
		"<%.3s>%.0s\n", "<%-9.5s>%s\n", "<%08s>%s\n", "100%%: %s%s\n",
		"%s without newline: %s", "%.5s%s\n",
	};
	struct text_fixture *f = test->priv;
	const char *none = NULL;
	int i, len;

	OPTIMIZER_HIDE_VAR(none);	/* The compiler warns about NULL for "%s". */
	for (len = 0; len < sizeof(f->record); len++) {
		memset(f->record, 0, sizeof(f->record));
		memset(f->record, len % 2 ? '%' : '\xff', len);
		for (i = 0; i < ARRAY_SIZE(formats); i++) {
			EXPECT_SAME(test, f, formats[i], f->record, f->record + len / 2);
			EXPECT_SAME(test, f, formats[i], "constant", f->record + len);
		}
	}
	EXPECT_SAME(test, f, "<%s>%s\n", none, none);
	EXPECT_SAME(test, f, "<%s>%20s\n", ERR_PTR(-ENOENT), (char *)PAGE_SIZE - 1);
	for (i = 0; i < 256; i++)
		EXPECT_SAME(test, f, "<%c>%3c%-3c\n", i ?: 1, i ?: 1, i ?: 1);
}

static void text_pointers(struct kunit *test)
{
	const void *pointers[] = {
		NULL, (void *)1, (void *)PAGE_SIZE, ERR_PTR(-EINVAL), text_pointers, test,
		(void *)0x123456789abcdef0, (void *)~0UL,
	};
	struct text_fixture *f = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(pointers); i++) {
		EXPECT_SAME(test, f, "<%p>\n", pointers[i]);
		EXPECT_SAME(test, f, "<%20p>%-20p|%px.\n", pointers[i], pointers[i], pointers[i]);
		EXPECT_SAME(test, f, "%d <%p> %pS %s %lu\n", -1, pointers[i], text_pointers,
			    "constant", ULONG_MAX);
	}

	/* Option hash-ptr is off. */
	f->pr.flags = 0;
	trace_seq_init(&f->seq);
	trace_seq_init(&f->tmp);
	strobe_printf(&f->pr, "%p %*d %p\n", pointers[6], 3, 7, NULL);
	trace_seq_putc(&f->seq, '\0');
	KUNIT_EXPECT_STREQ(test, f->seq.buffer,
			   NAME "123456789abcdef0   7 0000000000000000\n");
}

/* An event is without pointers only if its format has none, whatever the first record has. */
static void text_no_pointers(struct kunit *test)
{
	struct text_fixture *f = test->priv;

	trace_seq_init(&f->seq);
	trace_seq_init(&f->tmp);
	strobe_printf(&f->pr, "%d %*ph\n", 1, 0, f->record);
	KUNIT_EXPECT_FALSE(test, f->call.no_pointers);
	strobe_printf(&f->pr, "%3c\n", 'c');
	KUNIT_EXPECT_TRUE(test, f->call.no_pointers);
}

/* A sequence that has little memory left: the text is written whole or not at all. */
static void text_no_room(struct kunit *test)
{
	static const char * const formats[] = {
		"%s %d %lx %p\n", "%s %d %lx %p", "%s %d %20lx %p\n", "%s %03d %.3lx %px %%\n",
	};
	struct text_fixture *f = test->priv;
	size_t used;
	int i;

	strscpy(f->record, "a string of the record", sizeof(f->record));
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		for (used = TRACE_SEQ_BUFFER_SIZE - 128; used <= TRACE_SEQ_BUFFER_SIZE; used++) {
			trace_seq_init(&f->seq);
			trace_seq_init(&f->tmp);
			trace_seq_init(&f->expected);
			memset(f->seq.buffer, ' ', used);
			memset(f->expected.buffer, ' ', used);
			f->seq.seq.len = used;
			f->expected.seq.len = used;
			f->call.no_pointers = false;
			strobe_printf(&f->pr, formats[i], f->record, -45, 0x123UL, f);
			trace_seq_puts(&f->expected, NAME);
			trace_seq_printf(&f->expected, formats[i], f->record, -45, 0x123UL, f);
			KUNIT_ASSERT_EQ(test, f->seq.full, f->expected.full);
			KUNIT_ASSERT_EQ(test, f->seq.seq.len, f->expected.seq.len);
			KUNIT_ASSERT_MEMEQ(test, f->seq.buffer, f->expected.buffer,
					   f->seq.seq.len);
		}
	}
}

static struct kunit_case text_cases[] = {
	KUNIT_CASE(text_numbers),
	KUNIT_CASE(text_columns),
	KUNIT_CASE(text_strings),
	KUNIT_CASE(text_pointers),
	KUNIT_CASE(text_no_pointers),
	KUNIT_CASE(text_no_room),
	{ }
};

static struct kunit_suite text_suite = {
	.name = "strobe_text",
	.init = text_test_init,
	.test_cases = text_cases,
};

kunit_test_suite(text_suite);
