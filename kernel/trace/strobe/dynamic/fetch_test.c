// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of fetch programs: definitions are compiled and run on registers and memory that
 * the test makes. Each is checked by the linter on its way in debug kernels.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <linux/strobe/event.h>
#include <linux/trace_seq.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "dynamic/internal.h"
#include "dynamic/read.h"
#include "filter/program.h"

#define HEAD	16U
#define ROOM	512U
#define JUNK	0xa5

#define K	(DYN_KERNEL | DYN_ENTRY)
#define KR	(DYN_KERNEL | DYN_RETURN)
#define U	DYN_USER
#define E	(DYN_KERNEL | DYN_EVENT)

/* The other event's record. */
struct record {
	struct trace_entry	ent;
	s32			nr;
	s8			small;
	char			name[7];
	u32			path;
	u32			more;
	u64			large;
	const char		*text;
	char			data[16];
};

#define FIELD(type_, name_, ...) {						\
	.type = type_, .name = #name_, .size = sizeof_field(struct record, name_), \
	.align = __alignof__(((struct record *)0)->name_), ##__VA_ARGS__,	\
}

static const struct strobe_field event_fields[] = {
	FIELD("int", nr, .is_signed = 1),
	FIELD("signed char", small, .is_signed = 1),
	FIELD("char[7]", name, .len = 7),
	FIELD("__data_loc char[]", path),
	FIELD("__rel_loc char[]", more),
	FIELD("u64", large),
	FIELD("const char *", text),
};

static struct trace_event_class event_class = {
	.fields = event_fields, .nr_fields = ARRAY_SIZE(event_fields),
};

static struct trace_event_call event = { .class = &event_class };

/* What a test works on. */
struct fetch {
	struct dyn_args		*args;
	struct strobe_program	*program;
	struct strobe_program	*entry;
	struct dyn_frame	frame;
	struct pt_regs		regs;
	struct record		record;
	u64			kept[4];
	char			out[ROOM];
	struct trace_seq	seq;
};

static void fetch_define(struct kunit *test, struct fetch *f, u32 flags, const char *line)
{
	struct dyn_line parsed = { .source = {
		.flags = flags, .head = HEAD, .symbol = "a_function", .event = &event,
	} };
	int ret;

	KUNIT_ASSERT_EQ(test, strobe_dyn_words_split(&parsed.words, line), 0);
	f->args = strobe_dyn_args_parse(&parsed, 0);
	strobe_dyn_words_free(&parsed.words);
	KUNIT_ASSERT_EQ_MSG(test, PTR_ERR_OR_ZERO(f->args), 0, "%s: %s", line, parsed.error.text);
	KUNIT_ASSERT_EQ(test, strobe_dyn_args_bind(f->args), 0);
	ret = strobe_dyn_args_compile(f->args, &f->program, &f->entry);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", line);
}

/* Run the program with @room bytes for the record. */
static void fetch_run(struct fetch *f, u32 room)
{
	memset(f->out, JUNK, sizeof(f->out));
	f->frame = (struct dyn_frame) {
		.in = f->args->flags & DYN_EVENT ? (void *)&f->record : &f->regs,
		.in_len = sizeof(f->record), .out = f->out, .kept = f->kept, .base = 0x10000,
		.dyn = HEAD + f->args->fixed, .end = room,
	};
	if (!(f->args->flags & DYN_USER))
		preempt_disable();
	strobe_dyn_program_run(f->program, &f->frame);
	if (!(f->args->flags & DYN_USER))
		preempt_enable();
}

static void fetch_done(struct fetch *f)
{
	strobe_program_put(f->program);
	if (f->entry)
		strobe_program_put(f->entry);
	strobe_dyn_args_put(f->args);
}

/* The text of the arguments, without the leading blank. */
static const char *fetch_text(struct fetch *f)
{
	struct strobe_print pr = { .seq = &f->seq, .entry = f->out, .len = f->frame.dyn };

	trace_seq_init(&f->seq);
	strobe_dyn_args_print(&pr, f->args);
	seq_buf_str(&f->seq.seq);
	return f->seq.buffer + 1;
}

/* Nothing before the arguments is written, nor what does not belong to the record. */
static void fetch_expect_bounds(struct kunit *test, const struct fetch *f, u32 room)
{
	u32 i, end = f->args->strings ? room : ALIGN(HEAD + f->args->fixed, 4);

	for (i = 0; i < HEAD; i++)
		KUNIT_EXPECT_EQ_MSG(test, (u8)f->out[i], JUNK, "byte %u", i);
	for (i = end; i < ROOM; i++)
		KUNIT_EXPECT_EQ_MSG(test, (u8)f->out[i], JUNK, "byte %u", i);
	for (i = HEAD + f->args->fixed; i < end && !f->args->strings; i++)
		KUNIT_EXPECT_EQ_MSG(test, (u8)f->out[i], 0, "byte %u", i);
}

static void expect_text(struct kunit *test, struct fetch *f, u32 flags, const char *line,
			const char *want)
{
	fetch_define(test, f, flags, line);
	fetch_run(f, ROOM - 8);
	KUNIT_EXPECT_STREQ_MSG(test, fetch_text(f), want, "%s", line);
	fetch_expect_bounds(test, f, ROOM - 8);
	fetch_done(f);
}

/* What the test's addresses lead to. */
static u64 numbers[4] = { 0x8877665544332211, 0xffffffffffffff80, 5, 6 };
static const char * const strings[3] = { "first", "second", (const char *)DYN_POISON };
static u64 *pointer = numbers;
static char word[] = "some text";
static char *word_pointer = word;

static struct fetch *fetch_new(struct kunit *test)
{
	struct fetch *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->regs.ax = (unsigned long)numbers;
	f->regs.bx = (unsigned long)&pointer;
	f->regs.cx = (unsigned long)strings;
	f->regs.dx = (unsigned long)&word_pointer;
	f->regs.si = -2;
	f->regs.di = 0x1234567890abcdef;
	return f;
}

static void test_registers(struct kunit *test)
{
	struct fetch *f = fetch_new(test);

	expect_text(test, f, K, "a=%si:s8 b=%si:u16 c=%si:s32 d=%si e=$arg1:x32 f=$arg2:s64",
		    "a=-2 b=65534 c=-2 d=0xfffffffffffffffe e=0x90abcdef f=-2");
	expect_text(test, f, K, "a=%di:x8 b=%di:x16 c=%di:x64 d=%di:u8",
		    "a=0xef b=0xcdef c=0x1234567890abcdef d=239");
	expect_text(test, f, K, "a=%di:b4@4/8 b=%di:b12@8/32 c=%di:b64@0/64 d=\\65:char",
		    "a=14 b=3021 c=1311768467294899695 d='A'");
	expect_text(test, f, K, "a=\\-1:s8 b=\\0x123456789a:x64 c=\\+7:u32",
		    "a=-1 b=0x123456789a c=7");
}

static void test_stack(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	unsigned long here[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char want[64];

	f->regs.sp = (unsigned long)here;
	f->regs.cs = __KERNEL_CS;
	snprintf(want, sizeof(want), "a=0x1 b=0x8 c=0x0 d=0x%lx", (unsigned long)here);
	expect_text(test, f, K, "a=$stack0 b=$stack7 c=$stack2000 d=$stack", want);
	/* The seventh parameter is the first on the stack, above the return address. */
	expect_text(test, f, K, "a=$arg7:u8 b=$arg8:u8", "a=2 b=3");
}

static void test_reads(struct kunit *test)
{
	struct fetch *f = fetch_new(test);

	f->regs.dx = 0;
	expect_text(test, f, K, "a=+0(%ax):x8 b=+0(%ax):x16 c=+0(%ax):x32 d=+0(%ax) e=+1(%ax):x8",
		    "a=0x11 b=0x2211 c=0x44332211 d=0x8877665544332211 e=0x22");
	expect_text(test, f, K, "a=+8(%ax):s8 b=+8(%ax):s16 c=+16(+0(%bx)):u8 d=+0(+0(%bx)):x32",
		    "a=-128 b=-128 c=5 d=0x44332211");
	expect_text(test, f, K, "a=+0(%ax):x8[4] b=+16(+0(%bx)):u64[2] c=+0(%ax):b4@4/8[3]",
		    "a={0x11,0x22,0x33,0x44} b={5,6} c={1,2,3}");
}

static const s64 distances[] = { 0, 8, -8, 4096, -4096, 1LL << 47, -(1LL << 47) };

/* The line has an X where the distance belongs. */
static void expect_far(struct kunit *test, struct fetch *f, s64 distance, const char *line,
		       const char *want)
{
	char full[160], *to = full;

	for (; *line; line++) {
		if (*line == 'X')
			to += sprintf(to, "%+lld", distance);
		else
			*to++ = *line;
	}
	*to = 0;
	expect_text(test, f, K, full, want);
}

static void test_faults(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	char line[128];
	u32 i;

	f->regs.ax = DYN_POISON;
	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		expect_far(test, f, distances[i], "a=X(%ax):u8 b=X(%ax):u64 c=X(%ax):u16[3]",
			   "a=0 b=0 c={0,0,0}");
		expect_far(test, f, distances[i],
			   "a=X(+0(%ax)):u32 b=X(%ax):string c=X(%ax):ustring",
			   "a=0 b=(fault) c=(fault)");
		expect_far(test, f, distances[i], "a=X(%ax):string[2] b=X(%ax):symstr",
			   "a={(fault),(fault)} b=(fault)");
		snprintf(line, sizeof(line), "a=%cu%lld(%%ax):u32", distances[i] < 0 ? '-' : '+',
			 abs(distances[i]));
		expect_text(test, f, K, line, "a=0");
	}
	/* A null pointer, at each step. */
	f->regs.ax = 0;
	expect_text(test, f, K, "a=+0(+8(+16(%ax))):u8 b=+0(+0(%ax)):string c=+u0(+0(%ax)):x8",
		    "a=0 b=(fault) c=0x0");
	/* The rest of an array that begins where nothing can be read. */
	f->regs.ax = (unsigned long)numbers;
	expect_text(test, f, K, "a=+0(%ax):u8 b=@0:u8[2]", "a=17 b={0,0}");
}

static void test_strings(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	char want[128];

	expect_text(test, f, K, "a=+0(+0(%dx)):string b=+5(+0(%dx)):string n=+0(%ax):x8",
		    "a=\"some text\" b=\"text\" n=0x11");
	expect_text(test, f, K, "a=+0(%cx):string[3] b=\\\"x;\" c=\\\"\"",
		    "a={\"first\",\"second\",(fault)} b=\"x;\" c=\"\"");
	snprintf(want, sizeof(want), "a=\"%s\" b=\"%s\"", current->comm, current->comm);
	expect_text(test, f, K, "a=$comm b=$COMM:string", want);
	f->regs.ax = (unsigned long)schedule;
	snprintf(want, sizeof(want), "a=\"%pS\" b=%pS", schedule, schedule);
	expect_text(test, f, K, "a=%ax:symstr b=%ax:symbol", want);
}

/* A record that has no room for all strings: what is left is cut, and later ones are missing. */
static void test_string_bounds(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	u32 room, fixed = HEAD + 12;

	f->regs.ax = (unsigned long)schedule;
	fetch_define(test, f, K, "a=+0(+0(%dx)):string b=\\\"abc\" c=%ax:symstr");
	for (room = fixed; room < fixed + 64; room++) {
		char want[64], *to = want;
		u32 left = room - fixed, len = min(left, 10);

		fetch_run(f, room);
		KUNIT_EXPECT_LE(test, f->frame.dyn, room);
		fetch_expect_bounds(test, f, room);
		if (len)
			to += sprintf(to, "a=\"%.*s\" b=", len - 1, word);
		else
			to += sprintf(to, "a=(fault) b=");
		left -= len;
		len = min(left, 4);
		if (len)
			to += sprintf(to, "\"%.*s\" c=", len - 1, "abc");
		else
			to += sprintf(to, "(fault) c=");
		KUNIT_EXPECT_TRUE_MSG(test, str_has_prefix(fetch_text(f), want), "%s", want);
	}
	fetch_done(f);
}

/* A string is not longer than DYN_STRING_MAX. */
static void test_long_string(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	char *big = kunit_kzalloc(test, 2 * 8192, GFP_KERNEL);
	u32 loc;

	KUNIT_ASSERT_NOT_NULL(test, big);
	memset(big, 'x', 8191);
	f->regs.ax = (unsigned long)big;
	fetch_define(test, f, K, "a=+0(%ax):string");
	fetch_run(f, ROOM);
	f->frame.out = big + 8192;
	f->frame.dyn = HEAD + 4;
	f->frame.end = 8192;
	strobe_dyn_program_run(f->program, &f->frame);
	loc = get_unaligned((u32 *)(big + 8192 + HEAD));
	KUNIT_EXPECT_EQ(test, loc >> 16, DYN_STRING_MAX);
	KUNIT_EXPECT_EQ(test, loc & 0xffff, HEAD + 4);
	KUNIT_EXPECT_EQ(test, f->frame.dyn, HEAD + 4 + DYN_STRING_MAX);
	KUNIT_EXPECT_EQ(test, big[8192 + HEAD + 3 + DYN_STRING_MAX], 0);
	fetch_done(f);
}

/* Parameters are kept once each at the entry, and are there at the return. */
static void test_kept(struct kunit *test)
{
	struct fetch *f = fetch_new(test);

	fetch_define(test, f, KR, "a=$arg2:s8 b=$retval:u16 c=$arg1:x16 d=+0($arg4):x16 e=$arg2");
	KUNIT_ASSERT_NOT_NULL(test, f->entry);
	KUNIT_EXPECT_EQ(test, f->args->kept, 3 * sizeof(u64));
	f->frame = (struct dyn_frame) { .in = &f->regs, .kept = f->kept };
	f->regs.cx = (unsigned long)numbers;
	f->kept[3] = 77;
	strobe_dyn_program_run(f->entry, &f->frame);
	KUNIT_EXPECT_EQ(test, f->kept[3], 77);
	memset(&f->regs, 0, sizeof(f->regs));
	f->regs.ax = 7;
	fetch_run(f, ROOM);
	KUNIT_EXPECT_STREQ(test, fetch_text(f), "a=-2 b=7 c=0xcdef d=0x2211 e=0xfffffffffffffffe");
	fetch_expect_bounds(test, f, ROOM);
	fetch_done(f);
}

static void test_symbols(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	const u8 *code = (const u8 *)schedule;
	char want[64];

	snprintf(want, sizeof(want), "a=0x%x b=0x%x c=%u", code[0], code[3], code[1] & 15);
	expect_text(test, f, K, "a=@schedule:x8 b=@schedule+3:x8 c=@schedule+1:b4@0/8", want);
}

static void test_event(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	struct record *r = &f->record;
	char want[128];

	*r = (struct record) { .nr = -5, .small = -1, .large = 1ULL << 40, .text = word };
	memcpy(r->name, "abcdefg", 7);
	memcpy(r->data, "path\0more", 10);
	r->path = 5 << 16 | offsetof(struct record, data);
	r->more = 5 << 16 | (offsetof(struct record, data) + 5 - offsetofend(struct record, more));
	expect_text(test, f, E, "a=$nr:s32 b=$nr:s64 c=$small:s16 d=$large e=$text:string",
		    "a=-5 b=-5 c=-1 d=0x10000000000 e=\"some text\"");
	expect_text(test, f, E, "a=$name:string b=$path:string c=$more:string d=+1($path):string",
		    "a=\"abcdefg\" b=\"path\" c=\"more\" d=\"ath\"");
	snprintf(want, sizeof(want), "a=\"%s\" b=0x%lx c=0x%lx", current->comm,
		 (unsigned long)r->name, (unsigned long)r->data);
	expect_text(test, f, E, "a=$comm:string b=$name c=$path", want);
	/* A location that leads out of the record. */
	r->path = 100 << 16 | sizeof(*r);
	r->more = 0xffffU << 16 | (u16)(sizeof(*r) - 1 - offsetofend(struct record, more));
	r->data[15] = 'z';
	expect_text(test, f, E, "a=$path:string b=$more:string", "a=(fault) b=\"z\"");
}

/* Memory of a task, with and without sleeping. */
static void test_user(struct kunit *test)
{
	struct fetch *f = fetch_new(test);
	unsigned long page, bad;
	char line[128];

	page = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, page, 0);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)page, numbers, sizeof(numbers)), 0);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)(page + 64), word, sizeof(word)), 0);
	bad = page + 64;
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)(page + 128), &bad, sizeof(bad)), 0);
	f->regs.ax = page;
	f->regs.sp = page;
	expect_text(test, f, U, "a=+0(%ax):x8 b=+u0(%ax):x32 c=+0(%ax) d=+0(%ax):u8[2] e=$stack2",
		    "a=0x11 b=0x44332211 c=0x8877665544332211 d={17,34} e=0x5");
	expect_text(test, f, U, "a=+64(%ax):string b=+0(+128(%ax)):ustring c=+128(%ax):string[2]",
		    "a=\"some text\" b=\"some text\" c={\"some text\",(fault)}");
	snprintf(line, sizeof(line), "a=@+0x%lx:x16 b=$comm", page - 0x10000);
	fetch_define(test, f, U, line);
	fetch_run(f, ROOM);
	KUNIT_EXPECT_TRUE(test, str_has_prefix(fetch_text(f), "a=0x2211 b=\""));
	fetch_done(f);
	/* A kernel read of a task's address reads the task's memory, if it is resident. */
	expect_text(test, f, K, "a=+u0(%ax):x8 b=+0(%ax):x16 c=+64(%ax):string d=+u64(%ax):string",
		    "a=0x11 b=0x2211 c=\"some text\" d=\"some text\"");
	expect_text(test, f, K, "a=+64(%ax):ustring b=+u128(%ax):ustring[2] c=+u0(+u128(%ax)):x8",
		    "a=\"some text\" b={\"some text\",(fault)} c=0x73");
	/* The kernel's memory is none of a task's. */
	f->regs.ax = (unsigned long)numbers;
	expect_text(test, f, U, "a=+0(%ax):x8 b=+u0(%ax):x32 c=+0(%ax):string d=+8(+0(%ax)):u8[2]",
		    "a=0x0 b=0x0 c=(fault) d={0,0}");
	f->regs.ax = DYN_POISON;
	expect_text(test, f, U, "a=-4096(%ax):x8 b=+0(%ax):x32 c=+4096(%ax):string d=+0(+0(%ax))",
		    "a=0x0 b=0x0 c=(fault) d=0x0");
}

/* Probes with the same arguments run the same program. */
static void test_sharing(struct kunit *test)
{
	struct fetch *f = fetch_new(test), *g = fetch_new(test);

	fetch_define(test, f, K, "a=%ax b=+0(%bx):string c=$comm");
	fetch_define(test, g, K, "x=%ax y=+0(%bx):string z=$comm");
	KUNIT_EXPECT_PTR_EQ(test, f->program, g->program);
	fetch_done(f);
	fetch_done(g);
	fetch_define(test, f, K, "a=\\\"abc\"");
	fetch_define(test, g, K, "a=\\\"abd\"");
	KUNIT_EXPECT_PTR_NE(test, f->program, g->program);
	fetch_done(f);
	fetch_done(g);
}

static struct kunit_case fetch_cases[] = {
	KUNIT_CASE(test_registers),
	KUNIT_CASE(test_stack),
	KUNIT_CASE(test_reads),
	KUNIT_CASE(test_faults),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_string_bounds),
	KUNIT_CASE(test_long_string),
	KUNIT_CASE(test_kept),
	KUNIT_CASE(test_symbols),
	KUNIT_CASE(test_event),
	KUNIT_CASE(test_user),
	KUNIT_CASE(test_sharing),
	{ }
};

static struct kunit_suite fetch_suite = {
	.name = "strobe_dyn_fetch",
	.test_cases = fetch_cases,
};

kunit_test_suite(fetch_suite);
