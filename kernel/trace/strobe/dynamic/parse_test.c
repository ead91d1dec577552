// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of definitions: which are refused, with which message and where, and what the
 * others look like as fields, in a print fmt and when they are shown again.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/strobe/event.h>

#include "dynamic/internal.h"

#define K	(DYN_KERNEL | DYN_ENTRY)
#define KO	DYN_KERNEL
#define KR	(DYN_KERNEL | DYN_RETURN)
#define F	(DYN_KERNEL | DYN_ENTRY | DYN_FPROBE)
#define U	DYN_USER
#define UR	(DYN_USER | DYN_RETURN)
#define E	(DYN_KERNEL | DYN_EVENT)

static const struct strobe_field event_fields[] = {
	{ .type = "int", .name = "nr", .size = 4, .align = 4, .is_signed = 1 },
	{ .type = "char[16]", .name = "comm", .size = 16, .len = 16, .align = 1 },
	{ .type = "__data_loc char[]", .name = "path", .size = 4, .align = 4 },
};

static struct trace_event_class event_class = {
	.fields = event_fields, .nr_fields = ARRAY_SIZE(event_fields),
};

static struct trace_event_call event = { .class = &event_class };

/* A line whose arguments are from the third word on. '^' is the place of the error. */
struct bad_line {
	u32		flags;
	const char	*line;
	const char	*text;
	int		ret;
};

#define SIX(a)	"p f" a a a a a a
#define EXPR_64	"+1234567(+1234567(+1234567(+1234567(+1234567(+1234567(@1234))))))"

static const struct bad_line bad_lines[] = {
	{ K, "p f ^$retval", "$retval is not available on probe", -EINVAL },
	{ U, "p f ^$retval", "$retval is not available on probe", -EINVAL },
	{ K, "p f ^$stack10000", "Invalid stack number", -EINVAL },
	{ K, "p f ^$stackx", "Invalid $-variable specified", -EINVAL },
	{ K, "p f ^$stack1x", "Invalid $-variable specified", -EINVAL },
	{ K, "p f ^$arg10000", "Invalid argument number", -EINVAL },
	{ K, "p f a=^$arg0", "Invalid argument number", -EINVAL },
	{ K, "p f ^$argx", "Invalid $-variable specified", -EINVAL },
	{ KO, "p f %ax ^$arg1", "$arg* can be used only on function entry or exit", -EINVAL },
	{ KO, "p f a=^$arg1", "$arg* can be used only on function entry or exit", -EINVAL },
	{ U, "p f ^$arg1", "$arg* can be used only on function entry or exit", -EINVAL },
	{ K, "p f args=^$arg*", "Invalid $-variable specified", -EINVAL },
	{ K, "p f +0(^$arg*)", "Invalid $-variable specified", -EINVAL },
	{ K, "p f $arg* ^$arg*", "$arg* can be used only once in the parameters", -EINVAL },
	{ K, "p f ^$none_var", "Invalid $-variable specified", -EINVAL },
	{ K, "p f ^%none_reg", "Invalid register name", -EINVAL },
	{ F, "f f a=^%ax", "Invalid $-variable specified", -EINVAL },
	{ E, "e s.e a=+0(^%ax)", "Invalid $-variable specified", -EINVAL },
	{ K, "p f ^@12345678abcde", "Invalid memory address", -EINVAL },
	{ K, "p f ^@+10", "File offset is not available with kprobe", -EINVAL },
	{ U, "p f ^@+ab", "Invalid file offset value", -EINVAL },
	{ U, "p f ^@symbol", "Symbol is not available with uprobe", -EINVAL },
	{ K, "p f arg1=\\^x", "Invalid immediate value", -EINVAL },
	{ K, "p f arg1=\\\"abcd^", "String is not closed with '\"'", -EINVAL },
	{ K, "p f ^+0@0)", "Dereference needs a brace", -EINVAL },
	{ K, "p f ^+0ab1(@0)", "Invalid dereference offset", -EINVAL },
	{ K, "p f ^+(@0)", "Invalid dereference offset", -EINVAL },
	{ K, "p f +0(+0(@0^)", "Dereference brace is not closed", -EINVAL },
	{ K, "p f +0(^$comm)", "$comm can not be dereferenced", -EINVAL },
	{ K, "p f a=+0(+0(^\\\"x\"))", "$comm can not be dereferenced", -EINVAL },
	/* The 'u' does not count for the place. */
	{ K, "p f +u0^($comm)", "$comm can not be dereferenced", -EINVAL },
	{ K, "p f ^&1", "Invalid fetch argument", -EINVAL },
	{ K, "p f +0(^)", "Invalid fetch argument", -EINVAL },
	{ K, "p f +0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0))))))))))))))",
	  "Dereference is too much nested", -EINVAL },
	{ K, "p f +0(+0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@s))))))))))))))",
	  "Dereference is too much nested", -EINVAL },
	{ K, "p f +0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0))))))))))))):u8[2]",
	  "Dereference is too much nested", -E2BIG },
	{ K, "p f a=+0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0))))))))))))):symstr",
	  "Dereference is too much nested", -EINVAL },
	{ K, "p f +0(@11):u8[10^", "Array is not closed", -EINVAL },
	{ K, "p f +0(@11):u8[10]^a", "Array has wrong suffix", -EINVAL },
	{ K, "p f +0(@11):u8[^10a]", "Invalid array size", -EINVAL },
	{ K, "p f +0(@11):u8[^0]", "Invalid array size", -EINVAL },
	{ K, "p f +0(@11):u8[^256]", "Array number is too big", -EINVAL },
	{ K, "p f +0(@11):u8[^65]", "Array number is too big", -EINVAL },
	{ K, "p f @11:^unknown_type", "Unknown type is specified", -EINVAL },
	{ K, "p f @11:^", "Unknown type is specified", -EINVAL },
	{ K, "p f @11:^b1@2/24", "Unknown type is specified", -EINVAL },
	{ U, "p f $stack0:^symstr", "Unknown type is specified", -EINVAL },
	{ U, "p f $stack0:^symbol", "Unknown type is specified", -EINVAL },
	{ U, "p f a=%di:^%pd", "Unknown type is specified", -EINVAL },
	{ K, "p f $comm:^u8", "$comm and immediate-string only accepts string type", -EINVAL },
	{ K, "p f $comm:^string[2]",
	  "$comm and immediate-string only accepts string type", -EINVAL },
	{ K, "p f a=\\\"x\":^ustring",
	  "$comm and immediate-string only accepts string type", -EINVAL },
	{ K, "p f $stack0:^string", "String accepts only memory argument", -EINVAL },
	{ K, "p f +0(%ax) %ax:^u8[2]", "String accepts only memory argument", -EINVAL },
	/* The place of a type counts from within the first parenthesis. */
	{ K, "p f +u0(%ax):u8[^2]", "String accepts only memory argument", -EINVAL },
	{ K, "p f \\1:^symstr", "Symbol String doesn't accept data/userdata", -EINVAL },
	{ K, "p f @11:^b10@a/16", "Invalid bitfield", -EINVAL },
	{ K, "p f @11:^b10@7/16", "Invalid bitfield", -EINVAL },
	{ K, "p f @11:^b0@7/16", "Invalid bitfield", -EINVAL },
	{ K, "p f ^arg123456789012345678901234567890=@11", "Argument name is too long", -EINVAL },
	{ K, "p f ^=@11", "Argument name is not specified", -EINVAL },
	{ K, "p f ^var.1=@11",
	  "Argument name must follow the same rules as C identifiers", -EINVAL },
	{ K, "p f var1=@11 ^var1=@12", "This argument name is already used", -EINVAL },
	{ K, "p f @11 ^arg1=@12", "This argument name is already used", -EINVAL },
	{ K, "p f ^__probe_ip=@12", "This argument name is already used", -EINVAL },
	{ K, "p f ^" EXPR_64, "Argument expression is too long", -E2BIG },
	{ K, "p f arg1=^", "No argument expression", -EINVAL },
	{ KO, "p f ^name", "BTF is not available or not supported", -EINVAL },
	{ E, "e s.e arg=^dfd", "BTF is not available or not supported", -EINVAL },
	{ E, "e s.e arg=^$foo", "Invalid $-variable specified", -EINVAL },
	{ E, "e s.e arg=^$common_pid", "Invalid $-variable specified", -EINVAL },
	{ K, SIX(" +0(@0):x64[64]") " g=+0(^@0):x8[1]",
	  "Event too big (too many fields?)", -E2BIG },
#ifndef CONFIG_PROBE_EVENTS_BTF_ARGS
	{ K, "p f ^$arg*", "BTF is not available or not supported", -EOPNOTSUPP },
	{ K, "p f $arg* ^$arg1", "BTF is not available or not supported", -EOPNOTSUPP },
	{ K, "p f ^name", "BTF is not available or not supported", -EOPNOTSUPP },
#endif
};

/* Parse the line without its '^'. Returns the place of that. */
static u32 parse_line(struct kunit *test, u32 flags, const char *line, struct dyn_args **args,
		      struct dyn_error *error, int *ret)
{
	struct dyn_line parsed = { .source = {
		.flags = flags, .head = 16, .symbol = "a_function", .event = &event,
	} };
	const char *caret = strchrnul(line, '^');
	char *plain;

	plain = kunit_kzalloc(test, strlen(line) + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	memcpy(plain, line, caret - line);
	if (*caret)
		memcpy(plain + (caret - line), caret + 1, strlen(caret));
	KUNIT_ASSERT_EQ(test, strobe_dyn_words_split(&parsed.words, plain), 0);
	*args = strobe_dyn_args_parse(&parsed, 2);
	*ret = PTR_ERR_OR_ZERO(*args);
	if (*ret)
		*args = NULL;
	*error = parsed.error;
	strobe_dyn_words_free(&parsed.words);
	return caret - line;
}

static void test_bad_lines(struct kunit *test)
{
	struct dyn_error error;
	struct dyn_args *args;
	u32 i, caret;
	int ret;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		const struct bad_line *bad = &bad_lines[i];

		caret = parse_line(test, bad->flags, bad->line, &args, &error, &ret);
		KUNIT_EXPECT_EQ_MSG(test, ret, bad->ret, "%s", bad->line);
		KUNIT_EXPECT_STREQ_MSG(test, error.text ?: "", bad->text, "%s", bad->line);
		KUNIT_EXPECT_EQ_MSG(test, error.at, caret, "%s", bad->line);
		strobe_dyn_args_put(args);
	}
}

/* Refused without a message: too many arguments, and names of dentries that are too long. */
static void test_limits(struct kunit *test)
{
	char *line = kunit_kzalloc(test, 4096, GFP_KERNEL);
	struct dyn_error error;
	struct dyn_args *args;
	u32 i, len;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, line);
	len = sprintf(line, "p f");
	for (i = 0; i < DYN_ARGS_MAX; i++)
		len += sprintf(line + len, " \\1:u8");
	parse_line(test, K, line, &args, &error, &ret);
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, args->fixed, DYN_ARGS_MAX);
	strobe_dyn_args_put(args);
	strcat(line, " \\1:u8");
	parse_line(test, K, line, &args, &error, &ret);
	KUNIT_EXPECT_EQ(test, ret, -E2BIG);
	KUNIT_EXPECT_NULL(test, error.text);
	parse_line(test, K, SIX(" %di:%pD") " %di:%pD %di:%pD %di:%pD", &args, &error, &ret);
	KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
	KUNIT_EXPECT_NULL(test, error.text);
}

/* A second entry of error_log for the same place. */
static void test_two_errors(struct kunit *test)
{
	struct dyn_error error;
	struct dyn_args *args;
	int ret;

	parse_line(test, F, "f f ^%ax", &args, &error, &ret);
	KUNIT_EXPECT_STREQ(test, error.next, "Invalid fetch argument");
}

struct good_line {
	u32		flags;
	const char	*line;		/* without the first two words */
	const char	*shown;		/* NULL: as @line */
	const char	*fields;	/* "TYPE NAME SIZE SIGNED;" by argument */
	const char	*fmt;
	const char	*fmt_args;
};

#define LOC	"__data_loc char[]"

static const struct good_line good_lines[] = {
	{ K, "", NULL, "", "", "" },
	{ K, "a=%ax:u8 b=$stack0:s16 c=$arg1:x32 $stack",
	  "a=%ax:u8 b=$stack0:s16 c=$arg1:x32 arg4=$stack",
	  "u8 a 1 0;s16 b 2 1;u32 c 4 0;u64 arg4 8 0;", " a=%u b=%d c=0x%x arg4=0x%Lx",
	  ", REC->a, REC->b, REC->c, REC->arg4" },
	{ K, "a=%ax:u64 b=%ax:s64 c=%ax:char d=%ax:symbol e=%ax:x16", NULL,
	  "u64 a 8 0;s64 b 8 1;u8 c 1 0;u64 d 8 0;u16 e 2 0;",
	  " a=%Lu b=%Ld c='%c' d=%pS e=0x%x",
	  ", REC->a, REC->b, REC->c, REC->d, REC->e" },
	{ K, "a=$comm b=+0(%ax):string c=+u8(%ax):ustring d=%ax:symstr e=\\\"x\"", NULL,
	  LOC " a 4 1;" LOC " b 4 1;" LOC " c 4 1;" LOC " d 4 1;" LOC " e 4 1;",
	  " a=\\\"%s\\\" b=\\\"%s\\\" c=\\\"%s\\\" d=\\\"%s\\\" e=\\\"%s\\\"",
	  ", __get_str(a), __get_str(b), __get_str(c), __get_str(d), __get_str(e)" },
	{ K, "a=+0(%ax):u8[3] b=+0(%ax):string[2] c=@jiffies:b4@2/32", NULL,
	  "u8[3] a 3 0;" LOC "[2] b 8 1;u32 c 4 0;",
	  " a={%u,%u,%u} b={\\\"%s\\\",\\\"%s\\\"} c=%u",
	  ", REC->a[0], REC->a[1], REC->a[2], __get_str(b[0]), __get_str(b[1]), REC->c" },
	{ KR, "a=$retval b=$arg1 c=+0($arg2) d=$arg1:u8", NULL,
	  "u64 a 8 0;u64 b 8 0;u64 c 8 0;u8 d 1 0;", " a=0x%Lx b=0x%Lx c=0x%Lx d=%u",
	  ", REC->a, REC->b, REC->c, REC->d" },
	{ U, "a=$stack3 b=@+0x10 c=@0x1000:string d=$comm:string e=\\-1:s8", NULL,
	  "u64 a 8 0;u64 b 8 0;" LOC " c 4 1;" LOC " d 4 1;s8 e 1 1;",
	  " a=0x%Lx b=0x%Lx c=\\\"%s\\\" d=\\\"%s\\\" e=%d",
	  ", REC->a, REC->b, __get_str(c), __get_str(d), REC->e" },
	{ E, "a=$nr b=$comm:string c=+0($path):ustring d=$COMM:string", NULL,
	  "u64 a 8 0;" LOC " b 4 1;" LOC " c 4 1;" LOC " d 4 1;",
	  " a=0x%Lx b=\\\"%s\\\" c=\\\"%s\\\" d=\\\"%s\\\"",
	  ", REC->a, __get_str(b), __get_str(c), __get_str(d)" },
	/* What follows the last parenthesis does not count. */
	{ K, "a=+-8(%ax)b c=+0x10(-0(+u+1(%ax))):u8", NULL, "u64 a 8 0;u8 c 1 0;",
	  " a=0x%Lx c=%u", ", REC->a, REC->c" },
};

static void show_fields(struct seq_file *m, const struct dyn_args *args)
{
	struct strobe_field field;
	u32 i;

	for (i = 0; strobe_dyn_args_field(args, i, &field); i++)
		seq_printf(m, "%s %s %u %u;", field.type, field.name, field.size, field.is_signed);
}

static void expect_shown(struct kunit *test, const struct dyn_args *args, const char *want,
			 void (*show)(struct seq_file *m, const struct dyn_args *args))
{
	static char buf[1024];
	struct seq_file m = { .buf = buf, .size = sizeof(buf) };

	show(&m, args);
	buf[m.count] = 0;
	KUNIT_EXPECT_STREQ(test, buf, want);
}

static void test_good_lines(struct kunit *test)
{
	char line[256], want[256];
	struct dyn_error error;
	struct dyn_args *args;
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(good_lines); i++) {
		const struct good_line *good = &good_lines[i];

		snprintf(line, sizeof(line), "p f %s", good->line);
		parse_line(test, good->flags, line, &args, &error, &ret);
		KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s: %s", line, error.text);
		snprintf(want, sizeof(want), "%s%s", *good->line ? " " : "",
			 good->shown ?: good->line);
		expect_shown(test, args, want, strobe_dyn_args_show);
		expect_shown(test, args, good->fields, show_fields);
		expect_shown(test, args, good->fmt, strobe_dyn_args_print_fmt);
		expect_shown(test, args, good->fmt_args, strobe_dyn_args_print_fmt_args);
		strobe_dyn_args_put(args);
	}
}

static void test_dentry(struct kunit *test)
{
	struct dyn_error error;
	struct dyn_args *args;
	char want[256];
	int ret;

	parse_line(test, K, "p f name=%di:%pd $arg2:%pD", &args, &error, &ret);
	KUNIT_ASSERT_EQ(test, ret, 0);
	snprintf(want, sizeof(want),
		 " name=+0x0(+0x%zx(%%di)):string arg2=+0x0(+0x%zx(+0x%zx($arg2))):string",
		 offsetof(struct dentry, d_name.name), offsetof(struct dentry, d_name.name),
		 offsetof(struct file, f_path.dentry));
	expect_shown(test, args, want, strobe_dyn_args_show);
	strobe_dyn_args_put(args);
}

static void parse_two(struct kunit *test, struct dyn_args **a, const char *x, struct dyn_args **b,
		      const char *y)
{
	struct dyn_error error;
	int ret;

	parse_line(test, K, x, a, &error, &ret);
	KUNIT_ASSERT_EQ(test, ret, 0);
	parse_line(test, K, y, b, &error, &ret);
	KUNIT_ASSERT_EQ(test, ret, 0);
}

static void test_compare(struct kunit *test)
{
	static const struct {
		const char	*a, *b;
		int		differ;
		bool		same;
	} cases[] = {
		{ "p f a=%ax b=%bx", "p f a=%ax b=%bx", 0, true },
		{ "p f a=%ax b=%bx", "p f a=%ax b=%cx", 0, false },
		{ "p f a=%ax b=%bx", "p f a=%ax:x64 b=%bx", 0, false },
		{ "p f a=%ax b=%bx", "p f a=%ax b=%bx:u64", 2, false },
		{ "p f a=%ax b=%bx", "p f c=%ax b=%bx", 1, false },
		{ "p f a=%ax b=%bx", "p f a=%ax", 2, false },
		{ "p f", "p f a=%ax", 1, false },
		{ "p f a=+0(%ax):u8[2]", "p f a=+0(%ax):u8[3]", 1, false },
	};
	struct dyn_args *a, *b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parse_two(test, &a, cases[i].a, &b, cases[i].b);
		KUNIT_EXPECT_EQ_MSG(test, strobe_dyn_args_differ(a, b), cases[i].differ, "%u", i);
		if (!cases[i].differ)
			KUNIT_EXPECT_EQ_MSG(test, strobe_dyn_args_same(a, b), cases[i].same,
					    "%u", i);
		strobe_dyn_args_put(a);
		strobe_dyn_args_put(b);
	}
}

static void test_match(struct kunit *test)
{
	static const struct {
		const char	*line;
		bool		match;
	} cases[] = {
		{ "-:e f", true }, { "-:e", true }, { "-:e f a=%ax", true },
		{ "-:e f a=%ax arg2=%bx:u8", true }, { "-:e f a=%ax %bx:u8", false },
		{ "-:e f a=%bx", false }, { "-:e f a=%ax arg2=%bx:u8 c=%cx", false },
	};
	struct dyn_words words;
	struct dyn_error error;
	struct dyn_args *args;
	u32 i;
	int ret;

	parse_line(test, K, "p f a=%ax %bx:u8", &args, &error, &ret);
	KUNIT_ASSERT_EQ(test, ret, 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_ASSERT_EQ(test, strobe_dyn_words_split(&words, cases[i].line), 0);
		KUNIT_EXPECT_EQ_MSG(test, strobe_dyn_args_match(args, &words, 2), cases[i].match,
				    "%s", cases[i].line);
		strobe_dyn_words_free(&words);
	}
	strobe_dyn_args_put(args);
}

static void test_bind(struct kunit *test)
{
	static const struct {
		const char	*line;
		int		ret;
	} cases[] = {
		{ "p f a=@schedule+8", 0 }, { "p f a=+0(@schedule-0x10)", 0 },
		{ "p f a=@no_such_symbol", -ENOENT }, { "p f a=@schedule+x", -EINVAL },
	};
	struct dyn_error error;
	struct dyn_args *args;
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parse_line(test, K, cases[i].line, &args, &error, &ret);
		KUNIT_ASSERT_EQ(test, ret, 0);
		KUNIT_EXPECT_EQ_MSG(test, strobe_dyn_args_bind(args), cases[i].ret, "%s",
				    cases[i].line);
		strobe_dyn_args_put(args);
	}
}

static void test_words(struct kunit *test)
{
	struct dyn_line line = { };

	KUNIT_ASSERT_EQ(test, strobe_dyn_words_split(&line.words, " \tp:x   f\n"), 0);
	KUNIT_EXPECT_EQ(test, line.words.nr, 2);
	KUNIT_EXPECT_STREQ(test, line.words.text, "p:x f");
	KUNIT_EXPECT_STREQ(test, dyn_word(&line.words, 0), "p:x");
	KUNIT_EXPECT_STREQ(test, dyn_word(&line.words, 1), "f");
	KUNIT_EXPECT_EQ(test, strobe_dyn_line_error(&line, -EINVAL, "", 1, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, line.error.at, 5);
	strobe_dyn_line_error(&line, -EINVAL, "", 7, 1);
	KUNIT_EXPECT_EQ(test, line.error.at, 6);
	strobe_dyn_words_free(&line.words);
	KUNIT_ASSERT_EQ(test, strobe_dyn_words_split(&line.words, "\t\n"), 0);
	KUNIT_EXPECT_EQ(test, line.words.nr, 0);
	KUNIT_EXPECT_STREQ(test, line.words.text, "");
	strobe_dyn_words_free(&line.words);
}

static struct kunit_case parse_cases[] = {
	KUNIT_CASE(test_words),
	KUNIT_CASE(test_bad_lines),
	KUNIT_CASE(test_limits),
	KUNIT_CASE(test_two_errors),
	KUNIT_CASE(test_good_lines),
	KUNIT_CASE(test_dentry),
	KUNIT_CASE(test_compare),
	KUNIT_CASE(test_match),
	KUNIT_CASE(test_bind),
	{ }
};

static struct kunit_suite parse_suite = {
	.name = "strobe_dyn_parse",
	.test_cases = parse_cases,
};

kunit_test_suite(parse_suite);
