// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of filters: their results for records, and the errors for invalid filters.
 * They also run in user space (tools/testing/strobe), where programs are interpreted.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/strobe/event.h>
#include <linux/string.h>

#include "filter/filter_test.h"
#include "filter/program.h"

/*
 * test_random() runs this many filters on this many records each: 100,000 pairs. With
 * KCSAN it is a tenth, as compiling a filter then takes most of a second.
 */
#define RANDOM_FILTERS	(IS_ENABLED(CONFIG_KCSAN) ? 80 : 800)
#define RANDOM_RECORDS	125
#define RANDOM_TERMS	12

/* Number of texts in test_damage(). */
#define DAMAGED_TEXTS	4000

#ifdef __KERNEL__
#define TEST_FIELD(member, type_, is_signed_, filter_type_) {			\
	.type = type_,								\
	.name = #member,							\
	.size = sizeof_field(struct filter_test_record, member),		\
	.align = __alignof__(((struct filter_test_record *)0)->member),		\
	.is_signed = is_signed_,						\
},

static const struct strobe_field test_fields_table[] = { FILTER_TEST_FIELDS(TEST_FIELD) };

static const struct trace_event_class test_class = {
	.system		= "strobe_test",
	.fields		= test_fields_table,
	.nr_fields	= ARRAY_SIZE(test_fields_table),
};

const struct trace_event_call strobe_filter_test_call = { .class = &test_class };

static const struct trace_event_class test_user_class = {
	.system		= "strobe_test",
	.fields		= test_fields_table,
	.nr_fields	= ARRAY_SIZE(test_fields_table),
	.user_pointers	= true,
};

const struct trace_event_call strobe_filter_test_user_call = { .class = &test_user_class };
#endif

static const struct trace_event_call *call = &strobe_filter_test_call;

/* Set each field of a record. */
static void record_init(struct filter_test_record *r)
{
	const u32 data = offsetof(struct filter_test_record, data);

	memset(r, 0, sizeof(*r));
	r->ent = (struct trace_entry) { .type = 300, .flags = 4, .preempt_count = 1, .pid = 77 };
	r->sb = -3;
	r->ub = 200;
	r->sh = -300;
	r->uh = 60000;
	r->si = -70000;
	r->ui = 4000000000U;
	r->sl = -5000000000LL;
	r->ul = 0x8000000000000001ULL;
	memcpy(r->name, "fullname", 8);
	r->one[0] = 'x';
	strscpy(r->data, "a string", sizeof(r->data));
	r->text = 9 << 16 | data;
	strscpy(r->data + 16, "relative", 16);
	r->rel = 9 << 16 | (data + 16 - offsetof(struct filter_test_record, rel) - 4);
	r->ptr = "pointed to";
	r->ip = (unsigned long)strobe_filter_plain + 2;
	r->data[32 + LOW_BYTE] = 0x1;
	r->mask = 8 << 16 | (data + 32);
	r->data[40 + LOW_BYTE] = 0x2;
	r->rel_mask = 8 << 16 | (data + 40 - offsetof(struct filter_test_record, rel_mask) - 4);
	r->array[0] = 7;
}

static int is_match(const struct strobe_filter *filter, const void *record)
{
	int ret;

	preempt_disable();
	ret = strobe_filter_match(filter, record);
	preempt_enable();
	return ret;
}

/*
 * Return 1, 0 or an errno, and expect the same from strobe_filter_plain(). That allocates
 * memory, so preemption is on; both must run on the same CPU.
 */
static int judge(struct kunit *test, const char *text, const struct filter_test_record *record)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	int plain, ret;

	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	migrate_disable();
	ret = IS_ERR(filter) ? PTR_ERR(filter) : is_match(filter, record);
	plain = strobe_filter_plain(text, record);
	migrate_enable();
	if (plain != -E2BIG)
		KUNIT_EXPECT_TRUE_MSG(test, ret == plain, "%s: %d, not %d", text, ret, plain);
	if (!IS_ERR(filter))
		strobe_filter_free(filter);
	return ret;
}

struct verdict {
	const char	*text;
	int		want;
};

static void expect_verdicts(struct kunit *test, const struct verdict *verdicts, int nr,
			    const struct filter_test_record *record)
{
	int i, got;

	for (i = 0; i < nr; i++) {
		got = judge(test, verdicts[i].text, record);
		KUNIT_EXPECT_TRUE_MSG(test, got == verdicts[i].want, "%s: %d, not %d",
				      verdicts[i].text, got, verdicts[i].want);
	}
}

#define EXPECT_VERDICTS(test, record, ...) do {					\
	static const struct verdict verdicts[] = { __VA_ARGS__ };		\
										\
	expect_verdicts(test, verdicts, ARRAY_SIZE(verdicts), record);		\
} while (0)

static void test_fields(struct kunit *test)
{
	struct filter_field field;

#define EXPECT_FIELD(member, type_, is_signed_, filter_type_)			\
	KUNIT_ASSERT_TRUE(test, strobe_filter_field_find(call, #member " ==",		\
							 strlen(#member), &field));	\
	KUNIT_EXPECT_EQ(test, field.offset, offsetof(struct filter_test_record, member)); \
	KUNIT_EXPECT_EQ(test, field.size, sizeof_field(struct filter_test_record, member)); \
	KUNIT_EXPECT_EQ(test, field.type, filter_type_);			\
	KUNIT_EXPECT_EQ(test, field.is_signed, is_signed_);

	FILTER_TEST_FIELDS(EXPECT_FIELD)
	KUNIT_EXPECT_FALSE(test, strobe_filter_field_find(call, "nam", 3, &field));
	KUNIT_EXPECT_FALSE(test, strobe_filter_field_find(call, "names", 5, &field));
	KUNIT_EXPECT_TRUE(test, strobe_filter_field_find(call, "common_pid", 10, &field));
	KUNIT_EXPECT_EQ(test, field.offset, offsetof(struct trace_entry, pid));
	KUNIT_EXPECT_TRUE(test, strobe_filter_field_find(call, "stacktrace", 10, &field));
}

static void test_numbers(struct kunit *test)
{
	struct filter_test_record r;

	record_init(&r);
	EXPECT_VERDICTS(test, &r,
		{ "sb == -3", 1 }, { "sb != -3", 0 }, { "sb < -2", 1 }, { "sb<-3", 0 },
		{ "sb <= -3", 1 }, { "sb > -4", 1 }, { "sb >= -2", 0 }, { "sb & 0x80", 1 },
		{ "sb & 2", 0 }, { "sb == 253", 1 }, { "sb < 127", 1 }, { "sb > -128", 1 },
		{ "ub == 200", 1 }, { "ub == 0xc8", 1 }, { "ub == 0310", 1 }, { "ub > 199", 1 },
		{ "ub == 456", 1 }, { "ub < 128", 0 }, { "ub & 8", 1 },
		{ "sh == -300", 1 }, { "sh < 0", 1 }, { "sh > -301", 1 }, { "sh >= 0x7fff", 0 },
		{ "uh == 60000", 1 }, { "uh > 59999", 1 }, { "uh <= 60000", 1 }, { "uh < 1", 0 },
		{ "si == -70000", 1 }, { "si < -69999", 1 }, { "si > 0", 0 }, { "si & 1", 0 },
		{ "ui == 4000000000", 1 }, { "ui > 3999999999", 1 }, { "ui < 5", 0 },
		{ "ui == 0xee6b2800", 1 }, { "ui >= 0x80000000", 1 },
		{ "sl == -5000000000", 1 }, { "sl < -4999999999", 1 }, { "sl > 0", 0 },
		{ "sl & 0x8000000000000000", -EINVAL }, { "sl < -1", 1 },
		{ "ul == 0x8000000000000001", 1 }, { "ul > 0x8000000000000000", 1 },
		{ "ul & 0x8000000000000000", 1 }, { "ul < 1", 0 }, { "ul & 1", 1 },
		{ "ul == 9223372036854775809", 1 }, { "ul >= 0x7fffffff", 1 },
		{ "common_pid == 77", 1 }, { "common_type == 300", 1 },
		{ "common_flags & 4", 1 }, { "common_preempt_count > 1", 0 },
		{ "  si  ==  -70000  ", 1 }, { "array == 7", 0 }, { "array != 7", 0 },
		{ "stacktrace == 0", 0 }, { "!(array == 7)", 1 });
}

static void test_strings(struct kunit *test)
{
	struct filter_test_record r;

	record_init(&r);
	EXPECT_VERDICTS(test, &r,
		{ "name == \"fullname\"", 1 }, { "name == 'fullname'", 1 },
		{ "name == 'fullnam'", 0 }, { "name == 'fullname2'", 0 },
		{ "name != 'fullname'", 0 }, { "name != 'x'", 1 }, { "name ~ 'full*'", 1 },
		{ "name ~ '*name'", 1 }, { "name ~ '*ln*'", 1 }, { "name ~ '*x*'", 0 },
		{ "name ~ '!*x*'", 1 }, { "one == 'x'", 1 }, { "one == ''", 0 }, { "one ~ '?'", 1 },
		{ "text == 'a string'", 1 }, { "text == 'a strin'", 0 },
		{ "text == 'a string '", 0 }, { "text == ''", 0 }, { "text != ''", 1 },
		{ "text ~ 'a s*'", 1 }, { "text ~ '*ing'", 1 }, { "text ~ '*strong'", 0 },
		{ "text.ustring == 'a string'", 1 },
		{ "rel == 'relative'", 1 }, { "rel == 'absolute'", 0 }, { "rel ~ '*at*'", 1 },
		{ "ptr == 'pointed to'", 1 }, { "ptr != 'pointed to'", 0 },
		{ "ptr ~ 'point*'", 1 }, { "ptr ~ '*z*'", 0 }, { "COMM == 'no such task'", 0 },
		{ "COMM != 'no such task'", 1 }, { "comm ~ '*'", 1 },
		{ "text == 'it has \"quotes\"'", 0 });

	/* A name shorter than its field, with bytes after the NUL. */
	memcpy(r.name, "ab\0cd\0\0", 8);
	EXPECT_VERDICTS(test, &r,
		{ "name == 'ab'", 1 }, { "name ~ '*b'", 1 }, { "name ~ '*cd*'", 0 },
		{ "name ~ 'a*'", 1 }, { "name ~ 'abc*'", 0 }, { "name == 'a'", 0 });
	/* An unreadable string never matches, even if negated. ARCH=um crashes on it. */
	if (!IS_ENABLED(CONFIG_UML)) {
		r.ptr = (const char *)8;
		EXPECT_VERDICTS(test, &r,
			{ "ptr == 'x'", 0 }, { "ptr != 'x'", 0 }, { "ptr ~ '!x*'", 0 },
			{ "!(ptr != 'x')", 1 }, { "ptr.ustring != 'x'", 0 });
		r.ptr = NULL;
		EXPECT_VERDICTS(test, &r, { "ptr == ''", 0 }, { "ptr != ''", 0 });
	}
	/* A string of length 0, without a NUL. */
	r.text &= 0xffff;
	EXPECT_VERDICTS(test, &r, { "text == ''", 1 }, { "text == 'a'", 0 }, { "text ~ 'a*'", 0 });
}

static void test_long_strings(struct kunit *test)
{
	struct filter_test_record r;
	char text[600];
	u32 len;

	record_init(&r);
	/* Each length up to and above INLINE_STRING_MAX, then larger steps. */
	for (len = 0; len < MAX_FILTER_STR_VAL + 2; len += len < 70 || len > 250 ? 1 : 30) {
		int want = len < MAX_FILTER_STR_VAL ? 0 : -EINVAL;

		snprintf(text, sizeof(text), "text == '%.*s'", len, "");
		memset(text + 9, 'y', len);
		strscpy(text + 9 + len, "'", 2);
		KUNIT_EXPECT_EQ(test, judge(test, text, &r), want);
		if (len >= sizeof(r.data))
			continue;
		memset(r.data, 'y', len);
		r.data[len] = '\0';
		r.text = (len + 1) << 16 | offsetof(struct filter_test_record, data);
		KUNIT_EXPECT_EQ(test, judge(test, text, &r), 1);
		r.text -= 1 << 16;
		KUNIT_EXPECT_EQ(test, judge(test, text, &r), 1);
		if (!len)
			continue;
		r.data[len - 1] = 'z';
		KUNIT_EXPECT_EQ(test, judge(test, text, &r), 0);
	}
}

static void test_globs(struct kunit *test)
{
	struct filter_test_record r;

	record_init(&r);
	strscpy(r.data, "bash-5]x", sizeof(r.data));
	EXPECT_VERDICTS(test, &r,
		{ "text ~ '*'", 1 }, { "text ~ '**'", 1 }, { "text ~ 'b*h*x'", 1 },
		{ "text ~ 'ba?h*'", 1 }, { "text ~ '????????'", 1 }, { "text ~ '???????'", 0 },
		{ "text ~ '?????????'", 0 }, { "text ~ 'b[a-c]sh*'", 1 },
		{ "text ~ 'b[!a-c]sh*'", 0 }, { "text ~ '*[0-9]]x'", 1 },
		{ "text ~ '*[]]x'", 1 }, { "text ~ '*\\]x'", 1 }, { "text ~ '*[x'", 0 },
		{ "text ~ 'b*z'", 0 }, { "text ~ '*sh-5]x'", 1 }, { "text ~ 'bash*'", 1 },
		{ "text ~ 'bash'", 0 }, { "text ~ '!b*'", 0 }, { "text ~ 'b[a'", 0 },
		{ "text ~ '*a*s*h*'", 1 }, { "text ~ '*a*h*s*'", 0 });
	/* A pattern that begins with a digit is compared literally. */
	strscpy(r.data, "5*", sizeof(r.data));
	r.text = 3 << 16 | offsetof(struct filter_test_record, data);
	EXPECT_VERDICTS(test, &r, { "text ~ '5*'", 1 }, { "text ~ '5?'", 0 }, { "text ~ '?*'", 1 });
}

/*
 * The strings consist of 'y' and a single 'z'. A pattern matches those with at least
 * @before characters before the 'z' and at least, or exactly, @behind from it on.
 */
static const struct {
	const char	*text;
	u32		before;
	u32		behind;
	bool		exactly;
} glob_cases[] = {
	{ "text ~ '*z*'", 0, 1, false }, { "text ~ '*y?z*'", 2, 1, false },
	{ "text ~ '*yz'", 1, 1, true }, { "text ~ '*z?y'", 0, 3, true },
	{ "text ~ '*z??????y'", 0, 8, true }, { "text ~ '*zyyyy?yyyy'", 0, 10, true },
	{ "text ~ 'y*z*yyyyyyyyy'", 1, 10, false },
	{ "text ~ '*yyyyyyyyz?yyyyyyyy'", 8, 10, true },
};

/* Count the strings of @len characters for which a filter is wrong. */
static u32 count_wrong_globs(const struct strobe_filter *filter, u32 glob, u32 len)
{
	struct filter_test_record r;
	u32 at, bytes, wrong = 0;
	bool want;

	record_init(&r);
	/* The last string has no 'z'. The bytes after the string must be ignored. */
	for (at = 0; at <= len; at++) {
		want = at < len && at >= glob_cases[glob].before &&
		       (glob_cases[glob].exactly ? at + glob_cases[glob].behind == len :
						   at + glob_cases[glob].behind <= len);
		memset(r.data, 'z', sizeof(r.data));
		memset(r.data, 'y', len);
		if (at < len)
			r.data[at] = 'z';
		/* The string ends with its field, or with a NUL at or before the field's end. */
		for (bytes = len; bytes < sizeof(r.data); bytes++) {
			if (bytes > len)
				r.data[len] = '\0';
			r.text = bytes << 16 | offsetof(struct filter_test_record, data);
			wrong += strobe_filter_match(filter, &r) != want;
		}
	}
	return wrong;
}

static void test_long_globs(struct kunit *test)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	u32 glob, len;

	for (glob = 0; glob < ARRAY_SIZE(glob_cases); glob++) {
		filter = strobe_filter_create(&strobe_filter_test_call, glob_cases[glob].text,
					      STROBE_FILTER_ALL, &err);
		KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
		for (len = 0; len < 40; len++)
			KUNIT_EXPECT_EQ(test, 0, count_wrong_globs(filter, glob, len));
		strobe_filter_free(filter);
	}
}

static void test_cpus(struct kunit *test)
{
	struct filter_test_record r;

	if (strobe_filter_nr_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	record_init(&r);
	r.ub = 1;
	EXPECT_VERDICTS(test, &r,
		{ "mask == CPUS{0}", 1 }, { "mask != CPUS{0}", 0 }, { "mask & CPUS{0-1}", 1 },
		{ "mask & CPUS{1}", 0 }, { "mask == CPUS{0-1}", 0 }, { "mask != CPUS{0-1}", 1 },
		{ "rel_mask == CPUS{1}", 1 }, { "rel_mask != CPUS{1}", 0 },
		{ "ub == CPUS{1}", 1 }, { "ub & CPUS{1}", 1 }, { "ub != CPUS{1}", 0 },
		{ "ub & CPUS{0-1}", 1 }, { "ub == CPUS{0-1}", 0 }, { "ub != CPUS{0-1}", 1 },
		{ "ui & CPUS{0-1}", 0 }, { "ui != CPUS{0-1}", 0 }, { "array & CPUS{0-1}", 0 },
		{ "CPU >= 0", 1 }, { "cpu < 0", 0 }, { "common_cpu & 1", 0 },
		{ "CPU == CPUS{0-1}", 0 }, { "CPU != CPUS{0-1}", 1 }, { "CPU != -1", 1 },
		{ "CPU == CPUS{0} || CPU == CPUS{1} || CPU > 1", 1 });
	r.data[32 + LOW_BYTE] = 3;
	EXPECT_VERDICTS(test, &r,
		{ "mask == CPUS{0-1}", 1 }, { "mask == CPUS{1}", 0 }, { "mask & CPUS{1}", 1 });
}

static void test_function(struct kunit *test)
{
	struct filter_test_record r;
	char text[64];

	record_init(&r);
	EXPECT_VERDICTS(test, &r,
		{ "ip.function == strobe_filter_plain", 1 },
		{ "ip.function != strobe_filter_plain", 0 },
		{ "ip.function == strobe_filter_gen_record", 0 },
		{ "ip.function != strobe_filter_gen_record && ub == 200", 1 });
	snprintf(text, sizeof(text), "ip.function == 0x%lx",
		 (unsigned long)strobe_filter_plain + 1);
	KUNIT_EXPECT_EQ(test, judge(test, text, &r), 1);
	r.ip = (unsigned long)strobe_filter_plain - 1;
	KUNIT_EXPECT_EQ(test, judge(test, text, &r), 0);
}

/* Return 1, 0 or an errno for a filter with the given rights. */
static int judge_with(const struct trace_event_call *of, const char *text, unsigned int rights,
		      const struct filter_test_record *record)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	bool ret;

	filter = strobe_filter_create(of, text, rights, &err);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	ret = is_match(filter, record);
	strobe_filter_free(filter);
	return ret;
}

/* A filter is rejected without the right that it needs, and accepted with that alone. */
static void test_rights(struct kunit *test)
{
	static const struct {
		const char	*text;
		unsigned int	needs;
		int		want;
	} cases[] = {
		{ "ptr == 'pointed to'", STROBE_FILTER_KERNEL_PTR, 1 },
		{ "ptr != 'pointed to'", STROBE_FILTER_KERNEL_PTR, 0 },
		{ "ub == 1 && !(ptr ~ 'p*')", STROBE_FILTER_KERNEL_PTR, 0 },
		{ "ptr.ustring == 'x' || ub == 200", STROBE_FILTER_USER_PTR, 1 },
		{ "ip.function == strobe_filter_plain", STROBE_FILTER_SYMBOLS, 1 },
		{ "ip.function == 1", STROBE_FILTER_SYMBOLS, -EINVAL },
		{ "ip.function == no_such_function", STROBE_FILTER_SYMBOLS, -EINVAL },
		{ "text.ustring == 'a string'", 0, 1 }, { "comm ~ '*'", 0, 1 },
		{ "ub == 200 && CPU >= 0 && name == 'fullname'", 0, 1 },
	};
	struct filter_test_record r;
	int i;

	record_init(&r);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, judge_with(call, cases[i].text, cases[i].needs, &r),
				cases[i].want);
		if (cases[i].needs)
			KUNIT_EXPECT_EQ(test, judge_with(call, cases[i].text,
							 STROBE_FILTER_ALL & ~cases[i].needs, &r),
					-EACCES);
	}
}

/* A pointer from user space is never followed in the kernel, whatever the rights. */
static void test_user_pointers(struct kunit *test)
{
	const struct trace_event_call *of = &strobe_filter_test_user_call;
	struct filter_test_record r;

	record_init(&r);
	KUNIT_EXPECT_EQ(test, judge_with(call, "ptr == 'pointed to'", STROBE_FILTER_ALL, &r), 1);
	KUNIT_EXPECT_EQ(test, judge_with(of, "ptr == 'pointed to'", STROBE_FILTER_ALL, &r), 0);
	KUNIT_EXPECT_EQ(test, judge_with(of, "ptr != 'pointed to'", STROBE_FILTER_ALL, &r), 0);
	KUNIT_EXPECT_EQ(test, judge_with(of, "ptr ~ '*'", STROBE_FILTER_ALL, &r), 0);
	KUNIT_EXPECT_EQ(test, judge_with(of, "ptr ~ 'p*'", 0, &r), 0);
	KUNIT_EXPECT_EQ(test, judge_with(of, "!(ptr ~ 'p*')", 0, &r), 1);
	KUNIT_EXPECT_EQ(test, judge_with(of, "name == 'fullname'", 0, &r), 1);
	KUNIT_EXPECT_EQ(test, judge_with(of, "ptr.ustring == 'x'", 0, &r), -EACCES);
}

#ifdef __KERNEL__
/* Native code has blinded constants unless the filter has STROBE_FILTER_PLAIN_CODE. */
static void test_code(struct kunit *test)
{
	static const char text[] = "ub == 200 && text == 'a string'";
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	struct filter_test_record r;
	bool jited;

	record_init(&r);
	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	jited = filter->program->prog->jited;
	KUNIT_EXPECT_TRUE(test, !filter->program->prog->stats);
	KUNIT_EXPECT_TRUE(test, !filter->program->prog->active);
	strobe_filter_free(filter);
	if (!jited)
		kunit_skip(test, "no JIT");
	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL & ~STROBE_FILTER_PLAIN_CODE,
				      &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	KUNIT_EXPECT_TRUE(test, !filter->program->prog->jited || filter->program->prog->blinded);
	strobe_filter_free(filter);
	KUNIT_EXPECT_EQ(test, judge_with(call, text, 0, &r), 1);
	r.ub--;
	KUNIT_EXPECT_EQ(test, judge_with(call, text, 0, &r), 0);
}
#endif

/* Compare all values of three terms with the result of the same expression in C. */
static void test_logic(struct kunit *test)
{
	struct filter_test_record r;
	bool a, b, c;
	int i;

#define EXPECT_LOGIC(text, cond)						\
	KUNIT_EXPECT_TRUE_MSG(test, judge(test, text, &r) == (cond), "%s: %d", text, i)

	record_init(&r);
	for (i = 0; i < 8; i++) {
		a = i & 1;
		b = i & 2;
		c = i & 4;
		r.sb = a;
		r.sh = b;
		r.si = c;
		EXPECT_LOGIC("sb==1||sh==1&&si==1", a || (b && c));
		EXPECT_LOGIC("(sb==1||sh==1)&&si==1", (a || b) && c);
		EXPECT_LOGIC("sb==1&&sh==1||si==1", (a && b) || c);
		EXPECT_LOGIC("sb==1&&(sh==1||si==1)", a && (b || c));
		EXPECT_LOGIC("!(sb==1&&sh==1)||si==1", !(a && b) || c);
		EXPECT_LOGIC("!(sb==1||sh==1)&&!si==1", !(a || b) && !c);
		EXPECT_LOGIC("!(!sb==1||!(sh==1&&si==1))", a && b && c);
		EXPECT_LOGIC("!!sb==1&&!!!(sh==1)", a && !b);
		EXPECT_LOGIC("sb==1||sh==1||si==1", a || b || c);
		EXPECT_LOGIC("sb==1&&sh==1&&si==1", a && b && c);
		EXPECT_LOGIC("((((sb==1))))", a);
		EXPECT_LOGIC("!(sb==1) && ! (sh==1 || !( si==1 ) )", !a && !(b || !c));
	}
}

static void test_errors(struct kunit *test)
{
	static const struct {
		const char		*text;
		int			ret;
		enum strobe_filter_code	code;
		unsigned int		pos;
	} errors[] = {
		{ "", -EINVAL, STROBE_FILTER_NO_ERROR, 0 },
		{ "   ", -EINVAL, STROBE_FILTER_NO_ERROR, 0 },
		{ "()", -EINVAL, STROBE_FILTER_NO_ERROR, 0 },
		{ "!", -EINVAL, STROBE_FILTER_NO_FILTER, 1 },
		{ "sb == 1 &&", -EINVAL, STROBE_FILTER_INCOMPLETE, 10 },
		{ "sb == 1 || !! ", -EINVAL, STROBE_FILTER_INCOMPLETE, 14 },
		{ "&& sb == 1", -EPERM, STROBE_FILTER_NO_ERROR, 0 },
		{ "sb == 1 && && sb == 2", -EPERM, STROBE_FILTER_NO_ERROR, 0 },
		{ "sb == 1 sb == 2", -EPERM, STROBE_FILTER_TOO_MANY_TERMS, 8 },
		{ "sb == 1 & sb == 2", -EPERM, STROBE_FILTER_TOO_MANY_TERMS, 8 },
		{ "sb == 1)", -EPERM, STROBE_FILTER_TOO_MANY_CLOSE, 7 },
		{ "(sb == 1))", -EPERM, STROBE_FILTER_TOO_MANY_CLOSE, 9 },
		{ "(sb == 1", -ENOENT, STROBE_FILTER_TOO_MANY_OPEN, 0 },
		{ "(sb == 1) && ((sh == 1)", -ENOENT, STROBE_FILTER_TOO_MANY_OPEN, 13 },
		{ "name == \"x", -ESRCH, STROBE_FILTER_MISSING_QUOTE, 8 },
		{ "name == 'x\"", -ESRCH, STROBE_FILTER_MISSING_QUOTE, 8 },
		{ "nosuch == 1", -EINVAL, STROBE_FILTER_FIELD_NOT_FOUND, 7 },
		{ "sb == 1 && nosuch == 1", -EINVAL, STROBE_FILTER_FIELD_NOT_FOUND, 18 },
		{ "sb = 1", -EINVAL, STROBE_FILTER_INVALID_OP, 4 },
		{ "sb", -EINVAL, STROBE_FILTER_INVALID_OP, 3 },
		{ "sb.x == 1", -EINVAL, STROBE_FILTER_INVALID_OP, 3 },
		{ "sb == x", -EINVAL, STROBE_FILTER_INVALID_VALUE, 7 },
		{ "sb == ", -EINVAL, STROBE_FILTER_INVALID_VALUE, 7 },
		{ "sb == 'x'", -EINVAL, STROBE_FILTER_EXPECT_NUMBER, 7 },
		{ "name == 1", -EINVAL, STROBE_FILTER_EXPECT_STRING, 9 },
		{ "name < 'x'", -EINVAL, STROBE_FILTER_ILLEGAL_FIELD_OP, 8 },
		{ "sb ~ 1", -EINVAL, STROBE_FILTER_ILLEGAL_FIELD_OP, 6 },
		{ "sb == 08", -EINVAL, STROBE_FILTER_ILLEGAL_INTVAL, 7 },
		{ "ub == -1", -EINVAL, STROBE_FILTER_ILLEGAL_INTVAL, 7 },
		{ "sb == -", -EINVAL, STROBE_FILTER_ILLEGAL_INTVAL, 7 },
		{ "sb == 0x1234567890abcdef012345", -EINVAL, STROBE_FILTER_OPERAND_TOO_LONG, 31 },
		{ "sb == 99999999999999999999", -EINVAL, STROBE_FILTER_ILLEGAL_INTVAL, 7 },
		{ "sb == CPUS", -EINVAL, STROBE_FILTER_MISSING_BRACE_OPEN, 12 },
		{ "sb == CPUS{1", -EINVAL, STROBE_FILTER_MISSING_BRACE_CLOSE, 13 },
		{ "sb == CPUS{}", -EINVAL, STROBE_FILTER_INVALID_CPULIST, 12 },
		{ "sb == CPUS{x}", -EINVAL, STROBE_FILTER_INVALID_CPULIST, 13 },
		{ "sb == CPUS{100000}", -EINVAL, STROBE_FILTER_INVALID_CPULIST, 18 },
		{ "sb < CPUS{1}", -EINVAL, STROBE_FILTER_ILLEGAL_FIELD_OP, 6 },
		{ "name == CPUS{1}", -EINVAL, STROBE_FILTER_ILLEGAL_FIELD_OP, 9 },
		{ "sb.function == x", -EINVAL, STROBE_FILTER_ILLEGAL_FIELD_OP, 16 },
		{ "ip.function < x", -EINVAL, STROBE_FILTER_INVALID_OP, 15 },
		{ "ip.function == no_such_thing", -EINVAL, STROBE_FILTER_NO_FUNCTION, 29 },
		{ "ip.function == 0zz", -EINVAL, STROBE_FILTER_INVALID_VALUE, 19 },
		{ "ip.function == 1", -EINVAL, STROBE_FILTER_NO_FUNCTION, 17 },
	};
	struct filter_test_record record;
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	int i;

	record_init(&record);
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		/* judge() checks that strobe_filter_plain() has the same errno. */
		KUNIT_EXPECT_EQ(test, judge(test, errors[i].text, &record), errors[i].ret);
		filter = strobe_filter_create(call, errors[i].text, STROBE_FILTER_ALL, &err);
		KUNIT_ASSERT_TRUE_MSG(test, IS_ERR(filter), "%s", errors[i].text);
		KUNIT_EXPECT_TRUE_MSG(test, PTR_ERR(filter) == errors[i].ret, "%s: %ld",
				      errors[i].text, PTR_ERR(filter));
		KUNIT_EXPECT_TRUE_MSG(test, err.code == errors[i].code, "%s: %s", errors[i].text,
				      strobe_filter_error_text(err.code));
		KUNIT_EXPECT_TRUE_MSG(test, err.pos == errors[i].pos, "%s: at %u", errors[i].text,
				      err.pos);
	}
	for (i = 0; i < STROBE_FILTER_NR_CODES; i++)
		KUNIT_EXPECT_NOT_NULL(test, strobe_filter_error_text(i));
}

/* Return a text with @nr terms, the last of which decides; NULL without memory. */
static char *many_terms(int nr, const char *joint)
{
	size_t room = 32UL * nr;
	char *text = kvzalloc(room, GFP_KERNEL);
	size_t at = 0;

	while (text && nr--)
		at += snprintf(text + at, room - at, "si %s %d%s", joint[1] == '|' ? "==" : "!=",
			       nr, nr ? joint : "");
	return text;
}

static void expect_many_terms(struct kunit *test, int nr, const char *joint)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	struct filter_test_record r;
	char *text;

	record_init(&r);
	text = many_terms(nr, joint);
	KUNIT_ASSERT_NOT_NULL(test, text);
	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	kvfree(text);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	preempt_disable();
	KUNIT_EXPECT_EQ(test, strobe_filter_match(filter, &r), joint[1] == '&');
	r.si = 0;
	KUNIT_EXPECT_EQ(test, strobe_filter_match(filter, &r), joint[1] == '|');
	r.si = nr - 1;
	KUNIT_EXPECT_EQ(test, strobe_filter_match(filter, &r), joint[1] == '|');
	preempt_enable();
	strobe_filter_free(filter);
}

/* Filters with very many terms or parentheses work, or are rejected. */
static void test_many_terms(struct kunit *test)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	struct filter_test_record r;
	char *text;
	int nr;

	for (nr = 1000; nr <= 10000; nr *= 10) {
		expect_many_terms(test, nr, " && ");
		expect_many_terms(test, nr, " || ");
	}
	text = many_terms(40000, " || ");
	KUNIT_ASSERT_NOT_NULL(test, text);
	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	KUNIT_EXPECT_EQ(test, PTR_ERR(filter), -EINVAL);
	KUNIT_EXPECT_EQ(test, err.code, STROBE_FILTER_TOO_MANY_TERMS);

	record_init(&r);
	memset(text, '(', 50000);
	snprintf(text + 50000, 20, "%s", "sb == -3");
	memset(text + 50008, ')', 50000);
	text[100008] = '\0';
	KUNIT_EXPECT_EQ(test, judge(test, text, &r), 1);
	kvfree(text);
}

/* Compare the filter with strobe_filter_plain(). Returns the number of matching records. */
static u32 compare_random(struct kunit *test, const char *text,
			  const struct filter_test_record *records)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	u32 matches = 0, i;
	int got, want;

	filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	for (i = 0; i < RANDOM_RECORDS; i++) {
		migrate_disable();
		got = is_match(filter, &records[i]);
		want = strobe_filter_plain(text, &records[i]);
		migrate_enable();
		matches += got;
		if (got != want && want != -E2BIG)
			KUNIT_FAIL(test, "%d, not %d, record %u: %s", got, want, i, text);
	}
	strobe_filter_free(filter);
	return matches;
}

/* Return a new seed for each run, and log it. */
static u64 random_seed(struct kunit *test)
{
	u64 seed = get_random_u64() | 1;

	kunit_info(test, "seed 0x%llx", (unsigned long long)seed);
	return seed;
}

/* Whether a filter is rejected; if so, expect the same errno from strobe_filter_plain(). */
static bool is_refused(struct kunit *test, const char *text,
		       const struct filter_test_record *record)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter = strobe_filter_create(call, text, STROBE_FILTER_ALL, &err);
	int plain;

	if (!IS_ERR(filter)) {
		strobe_filter_free(filter);
		return false;
	}
	plain = strobe_filter_plain(text, record);
	KUNIT_EXPECT_TRUE_MSG(test, plain == PTR_ERR(filter) || plain == -E2BIG, "%s: %ld, not %d",
			      text, PTR_ERR(filter), plain);
	KUNIT_EXPECT_LE(test, err.pos, strlen(text) + 2);
	return true;
}

/* Compare compiled filters with strobe_filter_plain() on random filters and records. */
static void test_random(struct kunit *test)
{
	const u32 pairs = RANDOM_FILTERS * RANDOM_RECORDS;
	struct filter_test_record *records;
	u32 filters = 0, matches = 0, i;
	struct filter_gen *gen;

	gen = kunit_kzalloc(test, sizeof(*gen) + RANDOM_RECORDS * sizeof(*records), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, gen);
	records = (void *)(gen + 1);
	gen->state = random_seed(test);
	while (filters < RANDOM_FILTERS) {
		for (i = 0; i < RANDOM_RECORDS && filters % 8 == 0; i++)
			strobe_filter_gen_record(gen, &records[i]);
		strobe_filter_gen_text(gen, RANDOM_TERMS);
		/* Skip invalid filters: some numbers do not fit their field, for example. */
		if (is_refused(test, gen->text, &records[0]))
			continue;
		matches += compare_random(test, gen->text, records);
		filters++;
	}
	/* With too few or too many matches the test would prove little. */
	KUNIT_EXPECT_GT(test, matches, pairs / 4);
	KUNIT_EXPECT_LT(test, matches, pairs * 3 / 4);
}

/* Damaged texts are rejected, or are valid filters. */
static void test_damage(struct kunit *test)
{
	struct filter_gen *gen = kunit_kzalloc(test, sizeof(*gen), GFP_KERNEL);
	struct filter_test_record record;
	u32 round, refused = 0;

	KUNIT_ASSERT_NOT_NULL(test, gen);
	gen->state = random_seed(test);
	for (round = 0; round < DAMAGED_TEXTS; round++) {
		strobe_filter_gen_text(gen, 3);
		strobe_filter_gen_damage(gen);
		strobe_filter_gen_record(gen, &record);
		if (is_refused(test, gen->text, &record))
			refused++;
		else
			judge(test, gen->text, &record);
	}
	KUNIT_EXPECT_GT(test, refused, DAMAGED_TEXTS / 4);
	KUNIT_EXPECT_LT(test, refused, DAMAGED_TEXTS - DAMAGED_TEXTS / 16);
}

static struct kunit_case filter_test_cases[] = {
	KUNIT_CASE(test_fields),
	KUNIT_CASE(test_numbers),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_long_strings),
	KUNIT_CASE(test_globs),
	KUNIT_CASE(test_long_globs),
	KUNIT_CASE(test_cpus),
	KUNIT_CASE(test_function),
	KUNIT_CASE(test_rights),
	KUNIT_CASE(test_user_pointers),
#ifdef __KERNEL__
	KUNIT_CASE(test_code),
#endif
	KUNIT_CASE(test_logic),
	KUNIT_CASE(test_errors),
	KUNIT_CASE(test_many_terms),
	KUNIT_CASE_SLOW(test_random),
	KUNIT_CASE_SLOW(test_damage),
	{}
};

static struct kunit_suite filter_test_suite = {
	.name		= "strobe_filter",
	.test_cases	= filter_test_cases,
};

kunit_test_suite(filter_test_suite);
