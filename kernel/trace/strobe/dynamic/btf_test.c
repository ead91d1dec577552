// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of arguments that BTF describes. The functions and types are those below: BTF of
 * the kernel describes this file, too. Definitions are compiled and run on registers that hold
 * the parameters; fields, text and errors are compared.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/strobe/event.h>
#include <linux/trace_seq.h>

#include "dynamic/internal.h"
#include "filter/program.h"

#define HEAD	16U
#define ROOM	512U

#define K	(DYN_KERNEL | DYN_ENTRY)
#define KR	(DYN_KERNEL | DYN_RETURN)
#define F	(K | DYN_FPROBE)
#define T	(F | DYN_TPOINT)

enum color { RED = -3, GREEN, BLUE = 5 };
enum large { SMALL, LARGE = 0x123456789abULL };

struct inner {
	s8	small;
	u16	middle;
	char	text[8];
};

struct outer {
	u8			byte;
	s16			half;
	u32			word;
	long long		number;
	bool			truth;
	char			letter;
	enum color		color;
	enum large		large;
	u32			low:3, middle:13, high:16;
	u64			wide:40, rest:24;
	u32			whole:8, after:24;
	s32			negative:4;
	bool			flag:1;
	union {
		u32		in_union;
		struct {
			u16	deep;
			struct {
				u8	deeper:4, deepest:4;
			};
		};
	};
	struct inner		inner;
	const struct inner	*const pointer;
	struct outer		*self;
	void			*nothing;
	const char		*text;
	const unsigned char	*bytes;
	signed char		*signs;
	char			chars[8];
	s8			numbers[4];
	struct strobe_unknown	*unknown;
};

static struct outer example = {
	.byte = 200, .half = -2, .word = 70000, .number = -5000000000, .truth = true, .letter = 'x',
	.color = RED, .large = LARGE, .low = 5, .middle = 4097, .high = 65535,
	.wide = 0x9876543210, .rest = 0xabcdef, .whole = 129, .after = 0xfedcba, .negative = -3,
	.flag = true, .deep = 0x1234, .deeper = 9, .deepest = 10,
	.inner = { .small = -7, .middle = 300, .text = "inside" },
	.pointer = &example.inner, .self = &example, .nothing = (void *)0x1234,
	.text = "some text", .bytes = "bytes", .chars = "chars", .numbers = { 1, 2, 3, 4 },
};

static noinline __used int strobe_btf_example(struct outer *o, const char *const name,
					      enum color color, u16 half, struct inner **inners)
{
	return half;
}

static noinline __used void strobe_btf_nothing(void)
{
	barrier();
}

static noinline __used struct outer *strobe_btf_pointer(u8 first, u8 second)
{
	return first < second ? &example : NULL;
}

/* What a test works on. */
struct work {
	struct dyn_args		*args;
	struct strobe_program	*program;
	struct strobe_program	*entry;
	struct pt_regs		regs;
	u64			kept[4];
	char			out[ROOM];
	char			fields[512];
	struct trace_seq	seq;
};

/* Parse "f f ARGUMENTS" without its '^', whose place is returned. */
static u32 parse(struct kunit *test, const struct dyn_source *source, const char *line,
		 struct dyn_args **args, struct dyn_error *error, int *ret)
{
	const char *caret = strchrnul(line, '^');
	struct dyn_line parsed = { .source = *source };
	char plain[256];

	snprintf(plain, sizeof(plain), "%.*s%s", (int)(caret - line), line,
		 *caret ? caret + 1 : "");
	KUNIT_ASSERT_EQ(test, strobe_dyn_words_split(&parsed.words, plain), 0);
	*args = strobe_dyn_args_parse(&parsed, 2);
	*ret = PTR_ERR_OR_ZERO(*args);
	if (*ret)
		*args = NULL;
	*error = parsed.error;
	strobe_dyn_words_free(&parsed.words);
	return caret - line;
}

static void run(struct kunit *test, struct work *w)
{
	struct dyn_frame frame = {
		.in = &w->regs, .out = w->out, .kept = w->kept, .dyn = HEAD + w->args->fixed,
		.end = ROOM,
	};
	struct strobe_print pr = { .seq = &w->seq, .entry = (void *)w->out };

	KUNIT_ASSERT_EQ(test, strobe_dyn_args_compile(w->args, &w->program, &w->entry), 0);
	preempt_disable();
	if (w->entry) {
		struct dyn_frame entry = { .in = &w->regs, .kept = w->kept };

		strobe_dyn_program_run(w->entry, &entry);
		strobe_program_put(w->entry);
	}
	memset(w->out, 0xa5, sizeof(w->out));
	strobe_dyn_program_run(w->program, &frame);
	preempt_enable();
	strobe_program_put(w->program);
	pr.len = frame.dyn;
	trace_seq_init(&w->seq);
	strobe_dyn_args_print(&pr, w->args);
	seq_buf_str(&w->seq.seq);
}

static void list_fields(struct work *w)
{
	struct strobe_field field;
	u32 i, len = 0;

	for (i = 0; strobe_dyn_args_field(w->args, i, &field); i++)
		len += scnprintf(w->fields + len, sizeof(w->fields) - len, "%s%s %s", i ? "; " : "",
				 field.type, field.name);
}

/* @text is without the leading blank, or NULL if it is not known. */
static void expect(struct kunit *test, u32 flags, const char *symbol, const char *args,
		   const char *fields, const char *text)
{
	const struct dyn_source source = { .flags = flags, .head = HEAD, .symbol = symbol };
	struct work *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct dyn_error error;
	char line[256];
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->regs.di = (unsigned long)&example;
	w->regs.ax = (unsigned long)&example;
	w->regs.si = (unsigned long)example.text;
	w->regs.dx = GREEN;
	w->regs.cx = 0x12345;
	snprintf(line, sizeof(line), "f f %s", args);
	parse(test, &source, line, &w->args, &error, &ret);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s: %s", line, error.text);
	list_fields(w);
	KUNIT_EXPECT_STREQ_MSG(test, w->fields, fields, "%s", line);
	run(test, w);
	if (text)
		KUNIT_EXPECT_STREQ_MSG(test, w->seq.buffer + 1, text, "%s", line);
	strobe_dyn_args_put(w->args);
	kunit_kfree(test, w);
}

#define EXAMPLE	"strobe_btf_example"

static void test_parameters(struct kunit *test)
{
	expect(test, K, EXAMPLE, "color half h=half:x8 name:string",
	       "s32 color; u16 half; u8 h; __data_loc char[] name",
	       "color=-2 half=9029 h=0x45 name=\"some text\"");
	expect(test, F, EXAMPLE, "a=$arg4 $arg3 $arg4:u8", "u64 a; s32 color; u8 half",
	       "a=0x12345 color=-2 half=69");
	expect(test, KR, EXAMPLE, "half $retval $arg2:string",
	       "u16 half; s32 arg2; __data_loc char[] name", NULL);
}

static void test_types(struct kunit *test)
{
	expect(test, K, EXAMPLE, "a=o->byte b=o->half c=o->word d=o->number e=o->truth",
	       "u8 a; s16 b; u32 c; s64 d; u8 e", "a=200 b=-2 c=70000 d=-5000000000 e=1");
	expect(test, K, EXAMPLE, "a=o->letter b=o->color c=o->large d=o->nothing e=o->byte:x16",
	       "u8 a; s32 b; s64 c; u64 d; u16 e", "a=120 b=-3 c=1250999896491 d=0x1234 e=0xc8");
	expect(test, K, EXAMPLE, "a=o->numbers:s8[4] b=+1(o->self) c=+1(o->self):u8",
	       "s8[4] a; u64 b; u8 c", NULL);
}

static void test_bitfields(struct kunit *test)
{
	expect(test, K, EXAMPLE, "a=o->low b=o->middle c=o->high d=o->wide e=o->rest f=o->whole",
	       "u32 a; u32 b; u32 c; u64 d; u64 e; u32 f",
	       "a=5 b=4097 c=65535 d=654820258320 e=11259375 f=129");
	expect(test, K, EXAMPLE, "a=o->after b=o->negative c=o->flag d=o->deeper e=o->deepest",
	       "u32 a; s32 b; u8 c; u8 d; u8 e", "a=16702650 b=13 c=1 d=9 e=10");
}

static void test_members(struct kunit *test)
{
	expect(test, K, EXAMPLE, "a=o->in_union:x16 b=o->deep c=o->inner.small d=o->inner.middle",
	       "u16 a; u16 b; s8 c; u16 d", "a=0x1234 b=4660 c=-7 d=300");
	expect(test, K, EXAMPLE, "a=o->pointer->middle b=o->self->self->pointer->small",
	       "u16 a; s8 b", "a=300 b=-7");
	expect(test, K, EXAMPLE, "a=+0x0(o->pointer):s8 b=o->self->inner.small:x8",
	       "s8 a; u8 b", "a=-7 b=0xf9");
	expect(test, KR, "strobe_btf_pointer", "a=$retval->self->byte b=$retval->deep",
	       "u8 a; u16 b", "a=200 b=4660");
}

static void test_strings(struct kunit *test)
{
	expect(test, K, EXAMPLE, "a=o->text:string b=o->bytes:string c=o->chars:string",
	       "__data_loc char[] a; __data_loc char[] b; __data_loc char[] c",
	       "a=\"some text\" b=\"bytes\" c=\"chars\"");
	expect(test, K, EXAMPLE, "a=o->inner.text:string b=o->pointer->text:string",
	       "__data_loc char[] a; __data_loc char[] b", "a=\"inside\" b=\"inside\"");
	expect(test, K, EXAMPLE, "a=o->chars:char[5] b=o->text:symstr",
	       "u8[5] a; __data_loc char[] b", NULL);
}

/* "$arg*" and the parameters of tracepoints. */
static void test_all(struct kunit *test)
{
	const struct dyn_source source = { .flags = T, .head = HEAD, .symbol = "sched_switch" };
	struct dyn_error error;
	struct dyn_args *args;
	int ret;

	expect(test, F, EXAMPLE, "$arg*",
	       "u64 o; u64 name; s32 color; u16 half; u64 inners", NULL);
	expect(test, KR, "strobe_btf_pointer", "$arg* r=$retval->byte", "u8 first; u8 second; u8 r",
	       NULL);
	parse(test, &source, "t t $arg* pid=next->pid n=next->comm:string", &args, &error, &ret);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", error.text);
	KUNIT_EXPECT_EQ(test, args->nr, 6);
	KUNIT_EXPECT_STREQ(test, dyn_text(args) + dyn_arg(args, 1)->name, "prev");
	/* The number of the parameter counts that of the stub which is hidden. */
	KUNIT_EXPECT_EQ(test, dyn_nodes(args)[dyn_arg(args, 1)->node].val, 2);
	strobe_dyn_args_put(args);
}

struct bad {
	u32		flags;
	const char	*symbol;
	const char	*line;
	const char	*text;
	int		ret;
};

static const struct bad bad_lines[] = {
	{ K, EXAMPLE, "f f ^unknown", "This variable is not found at this probe point", -ENOENT },
	{ K, EXAMPLE, "f f a=^unknown->x",
	  "This variable is not found at this probe point", -ENOENT },
	{ K, EXAMPLE, "f f ^$arg6", "This variable is not found at this probe point", -ENOENT },
	{ K, EXAMPLE, "f f half ^$arg6:u8",
	  "This variable is not found at this probe point", -ENOENT },
	{ K, EXAMPLE, "f f ^$arg1x", "Invalid $-variable specified", -ENOENT },
	{ K, EXAMPLE, "f f ^$arg0", "Invalid argument number", -EINVAL },
	{ K, EXAMPLE, "f f $arg* ^$arg*",
	  "$arg* can be used only once in the parameters", -EINVAL },
	/* Arguments count when "$arg*" is expanded, but words before that. */
	{ K, EXAMPLE, "f f $arg* half ^", "This argument name is already used", -EINVAL },
	{ DYN_KERNEL, EXAMPLE, "f f half ^$arg*",
	  "$arg* can be used only on function entry or exit", -EINVAL },
	{ DYN_KERNEL, EXAMPLE, "f f ^half", "BTF is not available or not supported", -EINVAL },
	{ K, "strobe_no_function", "f f ^half", "No BTF entry for this probe point", -ENOENT },
	{ K, "strobe_no_function", "f f half ^$arg*",
	  "BTF is not available or not supported", -EOPNOTSUPP },
	{ K, "strobe_btf_nothing", "f f ^half", "No BTF entry for this probe point", -ENOENT },
	{ K, "strobe_btf_nothing", "f f ^$arg*",
	  "BTF is not available or not supported", -EOPNOTSUPP },
	{ KR, "strobe_btf_nothing", "f f ^$retval", "This function returns 'void' type", -ENOENT },
	{ KR, "strobe_btf_nothing", "f f a=^$retval->x:u8",
	  "This function returns 'void' type", -ENOENT },
	{ KR, "strobe_no_function", "f f $retval->^x",
	  "No BTF entry for this probe point", -ENOENT },
	{ KR, EXAMPLE, "f f $retval->^x", "This is not a pointer to union/structure.", -EINVAL },
	{ KR, EXAMPLE, "f f $retval.^x",
	  "Non pointer structure/union argument is not supported.", -EOPNOTSUPP },
	{ KR, EXAMPLE, "f f ^$retvalue",
	  "This variable is not found at this probe point", -ENOENT },
	{ K, EXAMPLE, "f f o.^byte",
	  "Non pointer structure/union argument is not supported.", -EOPNOTSUPP },
	{ K, EXAMPLE, "f f o^-byte", "Failed to parse single hyphen. Forgot '>'?", -EINVAL },
	{ K, EXAMPLE, "f f a=o->inner^-small",
	  "Failed to parse single hyphen. Forgot '>'?", -EINVAL },
	{ K, EXAMPLE, "f f o->^", "This field is not found.", -ENOENT },
	{ K, EXAMPLE, "f f o->^unknown_", "This field is not found.", -ENOENT },
	{ K, EXAMPLE, "f f o->inner.^none", "This field is not found.", -ENOENT },
	{ K, EXAMPLE, "f f o->inner->^small",
	  "This is not a pointer to union/structure.", -EINVAL },
	{ K, EXAMPLE, "f f o->byte.^x", "Failed to get BTF type info.", -EINVAL },
	{ K, EXAMPLE, "f f o->text->^x", "Failed to get BTF type info.", -EINVAL },
	{ K, EXAMPLE, "f f o->nothing->^x", "Failed to get BTF type info.", -EINVAL },
	{ K, EXAMPLE, "f f o->unknown->^x", "Failed to get BTF type info.", -EINVAL },
	{ K, EXAMPLE, "f f half->^x", "This is not a pointer to union/structure.", -EINVAL },
	{ K, EXAMPLE, "f f inners->^x", "Failed to get BTF type info.", -EINVAL },
	{ K, EXAMPLE, "f f ^half:string", "This type does not fit for string.", -EINVAL },
	{ KR, EXAMPLE, "f f ^$retval:string", "This type does not fit for string.", -EINVAL },
	{ K, EXAMPLE, "f f ^o:string", "This type does not fit for string.", -EINVAL },
	{ K, EXAMPLE, "f f a=^o:ustring", "This type does not fit for string.", -EINVAL },
	{ K, EXAMPLE, "f f o->^inner:string", "This type does not fit for string.", -EINVAL },
	{ K, EXAMPLE, "f f o->^signs:string", "This type does not fit for string.", -EINVAL },
	{ K, EXAMPLE, "f f o->^numbers:string", "This type does not fit for string.", -EINVAL },
	{ K, EXAMPLE, "f f half:^u8[2]", "String accepts only memory argument", -EINVAL },
	{ K, EXAMPLE, "f f half:^unknown", "Unknown type is specified", -EINVAL },
	/* A name that is given twice, once by default */
	{ K, EXAMPLE, "f f half ^half:u8", "This argument name is already used", -EINVAL },
	{ K, EXAMPLE, "f f +0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(o->self))))))))))))))",
	  "Dereference is too much nested", -EINVAL },
};

static void test_errors(struct kunit *test)
{
	struct dyn_error error;
	struct dyn_args *args;
	u32 i, caret;
	int ret;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		const struct bad *bad = &bad_lines[i];
		const struct dyn_source source = {
			.flags = bad->flags, .head = HEAD, .symbol = bad->symbol,
		};

		caret = parse(test, &source, bad->line, &args, &error, &ret);
		KUNIT_EXPECT_EQ_MSG(test, ret, bad->ret, "%s", bad->line);
		KUNIT_EXPECT_STREQ_MSG(test, error.text ?: "", bad->text, "%s", bad->line);
		KUNIT_EXPECT_EQ_MSG(test, error.at, caret, "%s", bad->line);
		strobe_dyn_args_put(args);
	}
}

/* A probe at an address has no function: what needs one is refused. */
static void test_no_symbol(struct kunit *test)
{
	const struct dyn_source source = { .flags = KR, .head = HEAD };
	struct dyn_error error;
	struct dyn_args *args;
	int ret;

	parse(test, &source, "r 0 half", &args, &error, &ret);
	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.text, "BTF is not available or not supported");
	parse(test, &source, "r 0 $retval->x", &args, &error, &ret);
	KUNIT_EXPECT_EQ(test, ret, -ENOENT);
	KUNIT_EXPECT_STREQ(test, error.text, "No BTF entry for this probe point");
	parse(test, &source, "r 0 $retval $arg1", &args, &error, &ret);
	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.text, "$arg* can be used only on function entry or exit");
	parse(test, &source, "r 0 $retval", &args, &error, &ret);
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, args->nr, 1);
	strobe_dyn_args_put(args);
}

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(test_parameters),
	KUNIT_CASE(test_types),
	KUNIT_CASE(test_bitfields),
	KUNIT_CASE(test_members),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_all),
	KUNIT_CASE(test_errors),
	KUNIT_CASE(test_no_symbol),
	{ }
};

static struct kunit_suite btf_suite = {
	.name = "strobe_dyn_btf",
	.test_cases = btf_cases,
};

kunit_test_suite(btf_suite);
