// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of injected records, read from the ring. The event is made by the test and has
 * fields of all kinds; tracefs is not involved.
 */
#include <kunit/test.h>

#include <linux/string.h>
#include <linux/trace.h>

#include "event/event.h"
#include "event/fields.h"
#include "instance/instance.h"
#include "record/record.h"
#include "ring/ring.h"

#define TEST_TYPE 0x4321

#define NUMBER(t) \
	{ .type = #t, .name = "f_" #t, .size = sizeof(t), .align = __alignof__(t), \
	  .is_signed = is_signed_type(t) }

static const struct strobe_field inject_fields[] = {
	NUMBER(u8), NUMBER(s8), NUMBER(u16), NUMBER(s16), NUMBER(u32), NUMBER(s32),
	NUMBER(u64), NUMBER(s64),
	{ .type = "char[6]", .name = "chars", .size = 6, .len = 6, .align = 1, .is_signed = 1 },
	{ .type = "__data_loc char[]", .name = "string", .size = 4, .align = 4,
	  .is_signed = 1 },
	{ .type = "__rel_loc char[]", .name = "relative", .size = 4, .align = 4,
	  .is_signed = 1 },
	{ .type = "__data_loc u16[]", .name = "numbers", .size = 4, .align = 4 },
	{ .type = "const char *", .name = "pointer", .size = sizeof(char *),
	  .align = __alignof__(char *), .filter_type = FILTER_PTR_STRING },
	{ .type = "struct two", .name = "pair", .size = 12, .align = 4 },
};

static const struct trace_event_class inject_class = {
	.system = "strobe_kunit",
	.fields = inject_fields,
	.nr_fields = ARRAY_SIZE(inject_fields),
};

static struct trace_event_call inject_call = {
	.class = &inject_class,
	.name = "inject_test",
	.type = TEST_TYPE,
};

static struct trace_event_file file;
static u64 buf[64];
static u32 len;

static int inject_test_init(struct kunit *test)
{
	file = (struct trace_event_file) { .call = &inject_call };
	file.tr = trace_array_get_by_name("strobe_kunit", "sched");
	return file.tr ? 0 : -ENOMEM;
}

static void inject_test_exit(struct kunit *test)
{
	if (!file.tr)
		return;
	trace_array_put(file.tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(file.tr));
}

/* Consume a record into buf, and its length into len. Return: false if there is none. */
static bool take_record(void)
{
	struct strobe_ring_record rec;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!strobe_ring_peek(file.tr->ring, cpu, &rec))
			continue;
		len = rec.len;
		memcpy(buf, rec.data, min_t(size_t, sizeof(buf), rec.len));
		strobe_ring_consume(file.tr->ring, cpu);
		return true;
	}
	return false;
}

static int inject(const char *text)
{
	char copy[512];

	strscpy(copy, text);
	guard(mutex)(&strobe_event_mutex);
	return strobe_event_file_inject(&file, copy);
}

/* Return: the field's address in buf. */
static void *field_at(struct kunit *test, const char *name)
{
	struct strobe_field_iter it;

	strobe_for_each_field(&it, &inject_call) {
		if (!strcmp(it.field->name, name))
			return (void *)buf + it.offset;
	}
	KUNIT_FAIL(test, "no field %s", name);
	return buf;
}

static const char *located(struct kunit *test, const char *name, bool relative)
{
	u32 *loc = field_at(test, name);
	const char *from = relative ? (char *)(loc + 1) : (char *)buf;
	const char *data = from + (*loc & 0xffff);

	KUNIT_EXPECT_LE(test, data - (char *)buf + (*loc >> 16), len);
	return data;
}

#define EXPECT_FIELD(t, value) \
	KUNIT_EXPECT_EQ(test, *(t *)field_at(test, "f_" #t), (t)(value))

/* Fields that are not named are 0, or an empty string, whose NUL is in the record. */
static void test_nothing(struct kunit *test)
{
	const struct trace_entry *ent = (struct trace_entry *)buf;

	KUNIT_ASSERT_EQ(test, 0, inject(""));
	KUNIT_ASSERT_TRUE(test, take_record());
	KUNIT_EXPECT_FALSE(test, take_record());
	KUNIT_EXPECT_EQ(test, ent->type, TEST_TYPE);
	KUNIT_EXPECT_EQ(test, ent->pid, current->pid);
	EXPECT_FIELD(u8, 0);
	EXPECT_FIELD(s64, 0);
	KUNIT_EXPECT_STREQ(test, (char *)field_at(test, "chars"), "");
	KUNIT_EXPECT_STREQ(test, located(test, "string", false), "");
	KUNIT_EXPECT_STREQ(test, located(test, "relative", true), "");
	KUNIT_EXPECT_STREQ(test, *(const char **)field_at(test, "pointer"), "");
	KUNIT_EXPECT_TRUE(test, !memchr_inv(field_at(test, "pair"), 0, 12));
}

/* A number changes no other field. */
static void test_numbers(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, inject("f_u8=255 f_s8=-128 f_u16=0xffff f_s16=-32768"));
	KUNIT_ASSERT_TRUE(test, take_record());
	EXPECT_FIELD(u8, U8_MAX);
	EXPECT_FIELD(s8, S8_MIN);
	EXPECT_FIELD(u16, U16_MAX);
	EXPECT_FIELD(s16, S16_MIN);
	EXPECT_FIELD(u32, 0);
	KUNIT_ASSERT_EQ(test, 0, inject("f_u32=4294967295 f_s32=-2147483648"));
	KUNIT_ASSERT_TRUE(test, take_record());
	EXPECT_FIELD(u32, U32_MAX);
	EXPECT_FIELD(s32, S32_MIN);
	EXPECT_FIELD(u64, 0);
	KUNIT_ASSERT_EQ(test, 0, inject("f_u64=0xffffffffffffffff f_s64=-0x8000000000000000"));
	KUNIT_ASSERT_TRUE(test, take_record());
	EXPECT_FIELD(u64, U64_MAX);
	EXPECT_FIELD(s64, S64_MIN);
	KUNIT_EXPECT_STREQ(test, (char *)field_at(test, "chars"), "");

	/* Numbers that are too large are truncated and do not change the next field. */
	KUNIT_ASSERT_EQ(test, 0, inject("f_u8=0x1ff f_u16=0x10002 f_u32=0x100000003"));
	KUNIT_ASSERT_TRUE(test, take_record());
	EXPECT_FIELD(u8, 0xff);
	EXPECT_FIELD(s8, 0);
	EXPECT_FIELD(u16, 2);
	EXPECT_FIELD(s16, 0);
	EXPECT_FIELD(u32, 3);
	EXPECT_FIELD(s32, 0);
}

static void test_strings(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, inject("string='one' chars='too long' relative=\"two\" f_u8=3"));
	KUNIT_ASSERT_TRUE(test, take_record());
	KUNIT_EXPECT_STREQ(test, located(test, "string", false), "one");
	KUNIT_EXPECT_STREQ(test, located(test, "relative", true), "two");
	KUNIT_EXPECT_STREQ(test, (char *)field_at(test, "chars"), "too l");
	EXPECT_FIELD(u8, 3);

	KUNIT_ASSERT_EQ(test, 0, inject("pointer=\"nowhere\""));
	KUNIT_ASSERT_TRUE(test, take_record());
	/* A pointer to an injected string would dangle, so it points to a constant. */
	KUNIT_EXPECT_STREQ(test, *(const char **)field_at(test, "pointer"),
			   "STATIC STRING CAN NOT BE INJECTED");

	/* If a field is named twice, the last value counts. */
	KUNIT_ASSERT_EQ(test, 0, inject("string=\"first\" string=\"second\""));
	KUNIT_ASSERT_TRUE(test, take_record());
	KUNIT_EXPECT_STREQ(test, located(test, "string", false), "second");
}

/* The record has enough memory for all strings that a text can have. */
static void test_full_of_strings(struct kunit *test)
{
	char text[512] = "relative='12'";
	int i;

	for (i = 0; i < 30; i++)
		strlcat(text, " relative='12'", sizeof(text));
	KUNIT_ASSERT_EQ(test, 0, inject(text));
	KUNIT_ASSERT_TRUE(test, take_record());
	KUNIT_EXPECT_STREQ(test, located(test, "relative", true), "12");
}

static void test_refused(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "none=1", -ENOENT }, { "f_u8", -EINVAL }, { "f_u8=", -EINVAL },
		{ "f_u8=x", -EINVAL }, { "f_u8=\"1\"", -EINVAL }, { "chars=1", -EINVAL },
		{ "string=1", -EINVAL }, { "relative=1", -EINVAL }, { "pointer=1", -EINVAL },
		{ "string=\"open", -EINVAL }, { "numbers=1", -EINVAL }, { "pair=1", -EINVAL },
		{ "numbers=\"1\"", -EINVAL }, { "f_u64=-1", -EINVAL },
		{ "f_u64=18446744073709551616", -ERANGE },
		{ "f_s64=9223372036854775808", -ERANGE }, { "=1", -EINVAL },
		{ "f_u8=1,f_u16=2", -EINVAL }, { "common_type=1", -EINVAL },
		{ "f_u8=1 none=1", -ENOENT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, bad[i].err, inject(bad[i].text), "%s", bad[i].text);
		KUNIT_EXPECT_FALSE(test, take_record());
	}
}

/* Injection into an event in soft mode records nothing; into an event that is off it does. */
static void test_soft_disabled(struct kunit *test)
{
	file.flags = EVENT_FILE_FL_ENABLED;
	file.sink.gate = STROBE_GATE_SOFT_DISABLED;
	KUNIT_EXPECT_EQ(test, 0, inject("f_u8=1"));
	KUNIT_EXPECT_FALSE(test, take_record());
	file.flags = 0;
	KUNIT_EXPECT_EQ(test, 0, inject("f_u8=2"));
	KUNIT_EXPECT_TRUE(test, take_record());
	EXPECT_FIELD(u8, 2);
	KUNIT_EXPECT_EQ(test, 0, file.sink.gate & STROBE_GATE_SOFT_DISABLED);
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(test_nothing),
	KUNIT_CASE(test_numbers),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_full_of_strings),
	KUNIT_CASE(test_refused),
	KUNIT_CASE(test_soft_disabled),
	{}
};

static struct kunit_suite inject_suite = {
	.name = "strobe_inject",
	.init = inject_test_init,
	.exit = inject_test_exit,
	.test_cases = inject_cases,
};

kunit_test_suite(inject_suite);
