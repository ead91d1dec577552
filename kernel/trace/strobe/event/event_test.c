// SPDX-License-Identifier: GPL-2.0
/*
 * Test an event's format file and the text of a record that its probe has put
 * into a ring. The events are defined here and not registered, so nothing
 * outside this test can use them.
 */
#include <kunit/test.h>

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/in.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/trace_clock.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

#include "event/event.h"
#include "event/fields.h"
#include "ring/ring.h"

#define EVENT_TEST_LEN 16

enum {
	EVENT_TEST_RED = 5,
	EVENT_TEST_MINUS = -12,
	ETX = 123456,		/* the number is longer than the name */
};

typedef struct event_test_pair {
	int	a;
	s64	b;
} event_test_pair_t;

/* The compiler takes a probe with a va_format for a printf()-like function. */
__diag_push();
__diag_ignore(GCC, 8, "-Wsuggest-attribute=format", "no format of one's own");

/* Expand the events as expand.h does, but without putting them into _ftrace_events. */
#define TRACE_SYSTEM event_test
#define TRACE_SYSTEM_VAR event_test

#include "event/event_test_events.h"

#include <trace/strobe/names.h>
#include <trace/strobe/fields.h>
#include <trace/strobe/data.h>
#include "event/event_test_events.h"

#include <trace/strobe/names.h>
#include <trace/strobe/fields.h>
#include <trace/strobe/code.h>
#undef STROBE_EVENT
#define STROBE_EVENT(prefix, name, class_, ...)					\
	static struct trace_event_call prefix##name __maybe_unused = {		\
		.class	= &class_,						\
		__VA_ARGS__							\
	};
#include "event/event_test_events.h"

__diag_pop();

#define COMMON_FORMAT								\
	"ID: 0\n"								\
	"format:\n"								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"		\
	"\n"

/* Large enough for any text here. */
#define TEXT_MAX 4096

struct event_fixture {
	struct strobe_ring	*ring;
	struct strobe_sink	sink;
	struct trace_seq	*seq;
	struct trace_seq	*tmp;
	char			*text;
};

static int event_test_init(struct kunit *test)
{
	const struct strobe_ring_params params = { .bytes = 4 * PAGE_SIZE };
	struct event_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->seq = kunit_kzalloc(test, sizeof(*f->seq), GFP_KERNEL);
	f->tmp = kunit_kzalloc(test, sizeof(*f->tmp), GFP_KERNEL);
	f->text = kunit_kzalloc(test, TEXT_MAX, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, f->seq && f->tmp && f->text);
	f->ring = strobe_ring_create(&params);
	if (IS_ERR(f->ring))
		return PTR_ERR(f->ring);
	strobe_ring_set_on(f->ring, true);
	f->sink.ring = f->ring;
	test->priv = f;
	return 0;
}

static void event_test_exit(struct kunit *test)
{
	struct event_fixture *f = test->priv;

	if (f)
		strobe_ring_destroy(f->ring);
}

/* Return the text of the event's format file. */
static const char *format_of(struct kunit *test, const struct trace_event_call *call)
{
	struct event_fixture *f = test->priv;
	struct seq_file m = { .buf = f->text, .size = TEXT_MAX };

	strobe_event_format_show(&m, call);
	KUNIT_ASSERT_LT(test, m.count, TEXT_MAX);
	f->text[m.count] = '\0';
	return f->text;
}

/* Render the only record in the ring and consume it. Returns its text. */
static const char *text_of(struct kunit *test, struct trace_event_call *call, u32 flags)
{
	struct event_fixture *f = test->priv;
	struct strobe_ring_record rec = { };
	struct strobe_print pr = {
		.seq = f->seq, .tmp = f->tmp, .flags = flags, .call = call,
	};
	int cpu;

	for_each_possible_cpu(cpu) {
		if (strobe_ring_peek(f->ring, cpu, &rec))
			break;
	}
	KUNIT_ASSERT_NOT_NULL(test, rec.data);

	pr.entry = (void *)rec.data;
	pr.len = rec.len;
	trace_seq_init(f->seq);
	trace_seq_init(f->tmp);
	call->class->print(&pr);
	strobe_ring_consume(f->ring, cpu);

	strscpy(f->text, f->seq->buffer, min_t(size_t, TEXT_MAX, trace_seq_used(f->seq) + 1));
	return f->text;
}

#define FIRE(event, args...)							\
do {										\
	preempt_disable();							\
	strobe_probe_##event(&((struct event_fixture *)test->priv)->sink, args);\
	preempt_enable();							\
} while (0)

/* Compare line by line: a whole format file is too long for a log line. */
static void expect_format(struct kunit *test, const char *text, const char *want)
{
	size_t len;

	for (; *want; want += len + 1, text += len + 1) {
		len = strcspn(want, "\n");
		KUNIT_ASSERT_EQ_MSG(test, strcspn(text, "\n"), len, "%.*s",
				    (int)strcspn(text, "\n"), text);
		KUNIT_ASSERT_EQ_MSG(test, strncmp(text, want, len), 0, "%.*s",
				    (int)len, text);
	}
	KUNIT_EXPECT_STREQ(test, text, "");
}

/* The blank before a removed attribute stays ("unsigned long  addr"), as in classic. */
static void format_plain(struct kunit *test)
{
	expect_format(test, format_of(test, &event_event_test_plain),
		"name: event_test_plain\n"
		COMMON_FORMAT
		"\tfield:u8 byte;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\tfield:int cpu;\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:struct event_test_pair pair;\toffset:16;\tsize:16;\tsigned:0;\n"
		"\tfield:event_test_pair_t other;\toffset:32;\tsize:16;\tsigned:0;\n"
		"\tfield:bool flag;\toffset:48;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned long  addr;\toffset:56;\tsize:8;\tsigned:0;\n"
		"\tfield:char comm[16];\toffset:64;\tsize:16;\tsigned:0;\n"
		"\tfield:s16 halves[3];\toffset:80;\tsize:6;\tsigned:1;\n"
		"\n"
		"print fmt: \"cpu=%d%% byte=%u pair=%d,%lld flag=%d comm=%s addr=%lx halves=%s "
		"color=%s bits=%s more=%s size=%zu\", "
		"REC->cpu, REC->byte, REC->pair.a, REC->other.b, REC->flag, REC->comm, REC->addr, "
		"__print_array(REC->halves, 3, sizeof(s16)), "
		"__print_symbolic(REC->byte, { 5, \"RED\" }, { -12, \"MINUS EVENT_TEST_RED\" }, "
		"{ ETX, \"ETX\" }), "
		"__print_flags(REC->byte, \"|\", { 1, \"one\" }, { 2, \"two\" }), "
		"__print_flags(REC->addr, ((void *)0), { 1, \"one\" }, { ~1UL, \"rest\" }), "
		"16\n");
}

static void format_dynamic(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, format_of(test, &event_event_test_dynamic),
		"name: event_test_dynamic\n"
		COMMON_FORMAT
		"\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] part;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] msg;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc u16[] halves;\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc unsigned long[] bits;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc cpumask_t mask;\toffset:28;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc u8[] addr;\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:u8 tail;\toffset:36;\tsize:1;\tsigned:0;\n"
		"\n"
		"print fmt: \"text=%s part=%s msg=%s halves=%s bits=%s mask=%d family=%d tail=%x "
		"buf=%s\", __get_str(text), __get_str(part), __get_str(msg), "
		"__print_dynamic_array(halves, sizeof(u16)), __get_bitmask(bits), "
		"!!*__get_cpumask(mask), __get_sockaddr(addr)->sa_family, REC->tail, "
		"strcpy(__get_buf(4), \"buf\")\n");
}

/* A __rel_loc field is shown as an array and a __data_loc is not; both are ABI. */
static void format_rel(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, format_of(test, &event_event_test_rel),
		"name: event_test_rel\n"
		COMMON_FORMAT
		"\tfield:__rel_loc char text[];\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:u8 head;\toffset:12;\tsize:1;\tsigned:0;\n"
		"\tfield:__rel_loc char part[];\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc u8 bytes[];\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc unsigned long bits[];\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc cpumask_t mask;\toffset:28;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc u8 addr[];\toffset:32;\tsize:4;\tsigned:0;\n"
		"\n"
		"print fmt: \"text=%s head=%x part=%s bytes=%s hex=%s bits=%s mask=%d "
		"family=%d\", __get_rel_str(text), REC->head, __get_rel_str(part), "
		"__print_hex(__get_rel_dynamic_array(bytes), __get_rel_dynamic_array_len(bytes)), "
		"__print_hex_str(__get_rel_dynamic_array(bytes), "
		"__get_rel_dynamic_array_len(bytes)), "
		"__get_rel_bitmask(bits), !!*__get_rel_cpumask(mask), "
		"__get_rel_sockaddr(addr)->sa_family\n");
}

static void format_of_one_event(struct kunit *test)
{
	const char *format = format_of(test, &event_event_test_other_print);

	KUNIT_EXPECT_NOT_NULL(test, strstr(format, "print fmt: \"time=%llu%s\", REC->time, "));
	format = format_of(test, &event_event_test_pointer);
	KUNIT_EXPECT_NOT_NULL(test, strstr(format, "(REC->time) / 1000000000UL, "
						   "(REC->time) % 1000000000UL, "));
}

static void offsets_are_the_compilers(struct kunit *test)
{
	static const u16 plain[] = {
		offsetof(struct trace_event_raw_event_test_plain, byte),
		offsetof(struct trace_event_raw_event_test_plain, cpu),
		offsetof(struct trace_event_raw_event_test_plain, pair),
		offsetof(struct trace_event_raw_event_test_plain, other),
		offsetof(struct trace_event_raw_event_test_plain, flag),
		offsetof(struct trace_event_raw_event_test_plain, addr),
		offsetof(struct trace_event_raw_event_test_plain, comm),
		offsetof(struct trace_event_raw_event_test_plain, halves),
	};
	struct strobe_field_iter it;
	int i = 0;

	strobe_for_each_field(&it, &event_event_test_plain)
		KUNIT_EXPECT_EQ(test, it.offset, plain[i++]);
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(plain));
}

static void flags_are_the_headers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, event_event_test_pointer.flags,
			TRACE_EVENT_FL_TRACEPOINT | TRACE_EVENT_FL_CAP_ANY);
	KUNIT_EXPECT_EQ(test, event_event_test_condition.flags, TRACE_EVENT_FL_TRACEPOINT);
}

static void filter_types(struct kunit *test)
{
	static const struct {
		const char *type;
		unsigned int filter_type;
	} cases[] = {
		{ "int", FILTER_OTHER },
		{ "char", FILTER_OTHER },
		{ "char[16]", FILTER_STATIC_STRING },
		{ "int[16]", FILTER_OTHER },
		{ "char *", FILTER_PTR_STRING },
		{ "const char *", FILTER_PTR_STRING },
		{ "unsigned char *", FILTER_OTHER },
		{ "__data_loc char[]", FILTER_DYN_STRING },
		{ "__rel_loc char[]", FILTER_RDYN_STRING },
		{ "__data_loc cpumask_t", FILTER_CPUMASK },
		{ "__rel_loc cpumask_t", FILTER_CPUMASK },
		{ "__data_loc u8[]", FILTER_OTHER },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strobe_field field = { .type = cases[i].type };

		KUNIT_EXPECT_EQ_MSG(test, strobe_field_filter_type(&field),
				    cases[i].filter_type, "%s", field.type);
		field.filter_type = FILTER_CPU;
		KUNIT_EXPECT_EQ(test, strobe_field_filter_type(&field), FILTER_CPU);
	}
}

static void text_plain(struct kunit *test)
{
	struct event_test_pair pair = { .a = -1, .b = 1LL << 40 };

	FIRE(event_test_plain, 3, 5, &pair, "a comm that is too long");
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_plain, 0),
		"event_test_plain: cpu=3% byte=5 pair=-1,1099511627776 flag=1 "
		"comm=a comm that is  addr=ffffffffffffffff halves={0x1,0xfffe,0x3} "
		"color=RED bits=one|0x4 more=onerest size=16\n");

	FIRE(event_test_plain, 3, 0, &pair, "");
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_plain, 0),
		"event_test_plain: cpu=3% byte=0 pair=-1,1099511627776 flag=0 "
		"comm= addr=ffffffffffffffff halves={0x1,0xfffe,0x3} "
		"color=0x0 bits= more=onerest size=16\n");
}

static void fire_dynamic(struct kunit *test, const char *text, const char *part, int len,
			 const char *fmt, ...)
{
	static const unsigned long bits[BITS_TO_LONGS(70)] = { 0xf00, 1 };
	static const struct sockaddr addr = { .sa_family = 7 };
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	FIRE(event_test_dynamic, text, part, len, bits, cpu_possible_mask, &addr, &vaf);
	va_end(args);
}

#define DYNAMIC_TAIL "bits=00000000,00000001,00000000,00000f00 mask=1 family=7 tail=aa buf=buf\n"

static void text_dynamic(struct kunit *test)
{
	fire_dynamic(test, "hello", "abcdef", 3, "%d %s", 42, "world");
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_dynamic, 0),
		"event_test_dynamic: text=hello part=abc msg=42 world "
		"halves={0x1,0x2,0x3} " DYNAMIC_TAIL);
}

/* NULL is recorded as "(null)", cut to the field's length if one is given. */
static void text_null_strings(struct kunit *test)
{
	fire_dynamic(test, NULL, NULL, 2, "");
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_dynamic, 0),
		"event_test_dynamic: text=(null) part=(n msg= "
		"halves={0x1,0x2} " DYNAMIC_TAIL);
	fire_dynamic(test, "", NULL, 40, "");
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text_of(test, &event_event_test_dynamic, 0),
		"event_test_dynamic: text= part=(null) msg= halves={0x1,0x2,"));
}

static void text_long_strings(struct kunit *test)
{
	char *text = kunit_kzalloc(test, 2048, GFP_KERNEL);
	const char *msg;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'x', 2047);
	fire_dynamic(test, text, "", 0, "%s", text);
	msg = strstr(text_of(test, &event_event_test_dynamic, 0), " part= msg=");
	KUNIT_ASSERT_NOT_NULL(test, msg);
	KUNIT_EXPECT_EQ(test, strspn(msg + strlen(" part= msg="), "x"),
			TRACE_EVENT_STR_MAX - 1);
}

/* A record that is longer than any sub-buffer is dropped, and nothing is written. */
static void text_too_long(struct kunit *test)
{
	struct event_fixture *f = test->priv;
	char *text = kunit_kzalloc(test, 70000, GFP_KERNEL);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'x', 69999);
	fire_dynamic(test, text, "", 0, "");
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_TRUE(test, strobe_ring_empty(f->ring, cpu));
}

static void text_rel(struct kunit *test)
{
	static const unsigned long bits[BITS_TO_LONGS(70)] = { 1 };
	static const struct sockaddr addr = { .sa_family = 2 };
	static const char part[18] = "xyz";

	FIRE(event_test_rel, "rel", "xyz", 2, bits, cpu_possible_mask, &addr);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_rel, 0),
		"event_test_rel: text=rel head=55 part=xy bytes=c3 c3 hex=c3c3 "
		"bits=00000000,00000000,00000000,00000001 mask=1 family=2\n");
	FIRE(event_test_rel, NULL, part, sizeof(part), bits, cpu_possible_mask, &addr);
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text_of(test, &event_event_test_rel, 0),
		"event_test_rel: text=(null) head=55 part=xyz bytes="
		"c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 c3 "
		"hex=c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3 "));
}

/* An array of length 0 has an address, but is not read. */
static void text_empty(struct kunit *test)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(53),
		.sin_addr.s_addr = htonl(0x7f000001),
	};

	FIRE(event_test_empty, 1, (void *)&addr, sizeof(addr), "abc", 3);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_empty, 0),
			   "event_test_empty: addr=127.0.0.1:53 name=abc\n");
	FIRE(event_test_empty, 1, (void *)&addr, 0, "abc", 0);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_empty, 0),
			   "event_test_empty: addr=(einval) name=\n");
	/* Too short for its family: the rest would be read from after the record. */
	addr.sin_family = AF_INET6;
	FIRE(event_test_empty, 1, (void *)&addr, 4, "", 0);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_empty, 0),
			   "event_test_empty: EVENT event_test_empty: HAS UNSAFE POINTER FIELD '(computed)'\n");
}

static void text_pointers(struct kunit *test)
{
	static const char name[] = "in rodata";
	struct event_fixture *f = test->priv;
	char *heap = kunit_kzalloc(test, 8, GFP_KERNEL);
	char expected[128];

	FIRE(event_test_pointer_class, 5000000042ULL, name, (void *)0x123400);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_pointer, 0),
		"event_test_pointer: 7  |5.000042 % where=0000000000123400 in \n");

	FIRE(event_test_pointer_class, 5000000042ULL, name, (void *)0x123400);
	snprintf(expected, sizeof(expected),
		 "event_test_pointer: 7  |5.000042 %% where=%p in \n", (void *)0x123400);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_pointer, STROBE_PRINT_HASH_PTR),
			   expected);

	/* Recorded pointers are not followed, even if they are readable now. */
	FIRE(event_test_pointer_class, 1, heap, name);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_pointer, 0),
		"event_test_pointer: EVENT event_test_pointer: HAS UNSAFE POINTER FIELD 'name'\n");
	FIRE(event_test_pointer_class, 1, NULL, NULL);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_pointer, 0),
		"event_test_pointer: EVENT event_test_pointer: HAS UNSAFE POINTER FIELD 'name'\n");
	KUNIT_EXPECT_PTR_EQ(test, f->sink.ring, f->ring);
}

/* A record with a recorded pointer, and 64 bytes for pointers into the record. */
struct event_test_follow {
	struct trace_event_raw_event_test_pointer_class	raw;
	u8						bytes[64];
};

static char in_data[8] = "in data";

/* Return strobe_printf()'s text for @fmt with the arguments @width (unless -1) and @ptr. */
static const char *text_following(struct kunit *test, struct event_test_follow *rec, u32 flags,
				  const char *fmt, int width, const void *ptr)
{
	struct event_fixture *f = test->priv;
	struct strobe_print pr = {
		.seq = f->seq, .tmp = f->tmp, .call = &event_event_test_pointer,
		.entry = rec, .len = sizeof(*rec), .flags = flags | STROBE_PRINT_HASH_PTR,
	};

	/* It was computed for one format; here the event has many. */
	event_event_test_pointer.no_pointers = false;
	trace_seq_init(f->seq);
	trace_seq_init(f->tmp);
	if (width < 0)
		strobe_printf(&pr, fmt, ptr);
	else
		strobe_printf(&pr, fmt, width, ptr);
	event_event_test_pointer.no_pointers = false;
	trace_seq_putc(f->seq, '\0');
	return f->seq->buffer;
}

#define NAME	"event_test_pointer: "
#define UNSAFE(field)	NAME "EVENT event_test_pointer: HAS UNSAFE POINTER FIELD '" field "'\n"

static const struct {
	const char	*fmt;
	int		width;	/* -1: the format takes none */
	bool		object;	/* the pointed-to object contains pointers */
} extensions[] = {
	{ "%pI4", -1 }, { "%pi4", -1 }, { "%pI4h", -1 }, { "%pI6", -1 }, { "%pI6c", -1 },
	{ "%pi6", -1 }, { "%pISpc", -1 }, { "%pISpsfc", -1 }, { "%piS", -1 }, { "%pM", -1 },
	{ "%pMR", -1 }, { "%pMF", -1 }, { "%pm", -1 }, { "%pmR", -1 }, { "%pU", -1 },
	{ "%pUb", -1 }, { "%pUL", -1 }, { "%6phC", -1 }, { "%*ph", 7 }, { "%*phD", 64 },
	{ "%*phN", 1 }, { "%-*ph", 3 }, { "%*pbl", 70 }, { "%*pb", 128 }, { "%64pbl", -1 },
	{ "%*pE", 5 }, { "%pap", -1 }, { "%pad", -1 }, { "%pa", -1 }, { "%pNF", -1 },
	{ "%pGg", -1 }, { "%pGp", -1 }, { "%p4cc", -1 }, { "%ptT", -1 }, { "%ptR", -1 },
	{ "%pd", -1, true }, { "%pd4", -1, true }, { "%pD", -1, true }, { "%pV", -1, true },
	{ "%pg", -1, true }, { "%pC", -1, true }, { "%pOF", -1, true }, { "%pOFf", -1, true },
	{ "%pfw", -1, true }, { "%pfwP", -1, true },
};

/* An extension of %p follows its pointer only into the record. */
static void text_extensions(struct kunit *test)
{
	struct event_test_follow *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);
	void *heap = kunit_kzalloc(test, 256, GFP_KERNEL);
	char fmt[32], expected[256];
	int i;

	KUNIT_ASSERT_TRUE(test, rec && heap);
	rec->raw.where = heap;
	memset(rec->bytes, 3, sizeof(rec->bytes));
	/* A family with long addresses, in the first and in the last two bytes. */
	rec->bytes[0] = AF_INET6;
	rec->bytes[1] = 0;
	rec->bytes[sizeof(rec->bytes) - 2] = AF_INET6;
	rec->bytes[sizeof(rec->bytes) - 1] = 0;
	for (i = 0; i < ARRAY_SIZE(extensions); i++) {
		const int width = extensions[i].width;

		/* A recorded pointer, one computed from it, and one of a previous boot. */
		snprintf(fmt, sizeof(fmt), "%s|\n", extensions[i].fmt);
		KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, fmt, width, heap),
				   UNSAFE("where"));
		KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, fmt, width, heap + 8),
				   UNSAFE("(computed)"));
		KUNIT_EXPECT_STREQ(test, text_following(test, rec, STROBE_PRINT_PAST, fmt, width,
							heap), UNSAFE("where"));
		if (extensions[i].object) {
			KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, fmt, width,
								rec->bytes),
					   UNSAFE("(computed)"));
			continue;
		}
		strscpy(expected, NAME);
		if (width < 0)
			snprintf(expected + strlen(NAME), sizeof(expected) - strlen(NAME), fmt,
				 rec->bytes);
		else
			snprintf(expected + strlen(NAME), sizeof(expected) - strlen(NAME), fmt,
				 width, rec->bytes);
		KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, fmt, width, rec->bytes),
				   expected);
		/* The object would extend beyond the record. */
		if (width == 1)
			continue;
		KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, fmt, width,
							rec->bytes + sizeof(rec->bytes) - 2),
				   UNSAFE("(computed)"));
	}
}

/* Print a struct va_format on this stack; the record holds its address if @recorded. */
static __printf(4, 5) const char *text_of_format(struct kunit *test,
						 struct event_test_follow *rec, bool recorded,
						 const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	const char *text;
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	rec->raw.where = recorded ? &vaf : NULL;
	text = text_following(test, rec, 0, "%pV\n", -1, &vaf);
	va_end(args);
	return text;
}

/* An object on the reader's stack may be followed unless its address was recorded. */
static void text_stack(struct kunit *test)
{
	struct event_test_follow *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_STREQ(test, text_of_format(test, rec, false, "now %d", 7), NAME "now 7\n");
	KUNIT_EXPECT_STREQ(test, text_of_format(test, rec, true, "now %d", 7), UNSAFE("where"));
}

/* These only show the address. vsnprintf() itself does not follow invalid addresses. */
static void text_addresses(struct kunit *test)
{
	static const char * const addresses[] = {
		"%p\n", "%px\n", "%pS\n", "%ps\n", "%pB\n", "%pK\n", "%pe\n", "%16p\n", "%*p\n",
	};
	struct event_test_follow *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);
	void *heap = kunit_kzalloc(test, 8, GFP_KERNEL);
	char expected[128];
	int i;

	KUNIT_ASSERT_TRUE(test, rec && heap);
	rec->raw.where = heap;
	strscpy(expected, NAME);
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		const int width = strchr(addresses[i], '*') ? 20 : -1;

		if (width < 0)
			snprintf(expected + strlen(NAME), sizeof(expected) - strlen(NAME),
				 addresses[i], heap);
		else
			snprintf(expected + strlen(NAME), sizeof(expected) - strlen(NAME),
				 addresses[i], width, heap);
		KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, addresses[i], width, heap),
				   expected);
	}
	rec->raw.where = NULL;
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%pI4\n", -1, NULL),
			   NAME "(null)\n");
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%pd\n", -1, NULL),
			   NAME "(null)\n");
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%*ph\n", 4, ERR_PTR(-EIO)),
			   NAME "(efault)\n");
}

/* A "%s" is followed depending on the memory that holds the string, and on its end. */
static void text_strings(struct kunit *test)
{
	struct event_test_follow *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);
	char *heap = kunit_kzalloc(test, 8, GFP_KERNEL);
	char on_stack[] = "on stack";

	KUNIT_ASSERT_TRUE(test, rec && heap);
	rec->raw.where = heap;
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%s\n", -1, heap), UNSAFE("where"));
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%.2s\n", -1, heap),
			   UNSAFE("where"));
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%s\n", -1, heap + 1),
			   UNSAFE("(computed)"));
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%s\n", -1, NULL),
			   UNSAFE("name"));
	/* A pointer that the record does not hold may point to static data or the stack. */
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%s\n", -1, in_data),
			   NAME "in data\n");
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%s\n", -1, on_stack),
			   NAME "on stack\n");
	rec->raw.where = in_data;
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, 0, "%s\n", -1, in_data),
			   UNSAFE("where"));

	/* In a record of a previous boot, the NUL may be missing. */
	strscpy(rec->bytes, "abc", 4);
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, STROBE_PRINT_PAST, "%s\n", -1,
						rec->bytes), NAME "abc\n");
	memset(rec->bytes, 'x', sizeof(rec->bytes));
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, STROBE_PRINT_PAST, "%s\n", -1,
						rec->bytes), UNSAFE("(computed)"));
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, STROBE_PRINT_PAST, "%.*s\n", 3,
						rec->bytes), NAME "xxx\n");
	KUNIT_EXPECT_STREQ(test, text_following(test, rec, STROBE_PRINT_PAST, "%.*s\n", 65,
						rec->bytes), UNSAFE("(computed)"));
	KUNIT_EXPECT_TRUE(test, strstarts(text_following(test, rec, STROBE_PRINT_PAST, "%.*s\n",
							 sizeof(rec->bytes), rec->bytes),
					  NAME "xxxxxxxx"));
}

#define MANY	"event_test_many: "
#define MANY_UNSAFE(field) MANY "EVENT event_test_many: HAS UNSAFE POINTER FIELD '" field "'\n"

/* Pointers in arrays, and a recorded length with an arbitrary value. */
static void text_many(struct kunit *test)
{
	char *heap = kunit_kzalloc(test, 8, GFP_KERNEL);

	FIRE(event_test_many, "one", "two", "three", 4);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_many, 0),
			   MANY "one two three 01 02 03 04 {0x1,0x2,0x3,0x4} 6f6e\n");
	FIRE(event_test_many, "one", "two", "three", -1);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_many, 0),
			   MANY "one two three  {} 6f6e\n");
	FIRE(event_test_many, "one", heap, "three", 4);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_many, 0), MANY_UNSAFE("names"));
	FIRE(event_test_many, heap, "two", "three", 4);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_many, 0), MANY_UNSAFE("names"));
	FIRE(event_test_many, "one", "two", heap, 4);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_many, 0), MANY_UNSAFE("more"));
	/* Limited to the record: four bytes, padding, and the pointer after them. */
	FIRE(event_test_many, "one", "two", NULL, 1 << 30);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_many, 0),
			   MANY "one two (null) 01 02 03 04 00 00 00 00 00 00 00 00 00 00 00 00 "
			   "{0x1,0x2,0x3,0x4,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0} "
			   "6f6e\n");
}

static void text_of_one_event(struct kunit *test)
{
	FIRE(event_test_pointer_class, 0x04030201, "", NULL);
	KUNIT_EXPECT_STREQ(test, text_of(test, &event_event_test_other_print, 0),
		"event_test_other_print: time=67305985\n 01 02 03 04\n\n");
}

static void array_of_odd_size(struct kunit *test)
{
	struct event_fixture *f = test->priv;

	trace_seq_init(f->tmp);
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(f->tmp, "\1\2\3", 1, 3),
			   "{BAD SIZE:3 0x1,0x2,0x3}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(f->tmp, "", 0, 8), "{}");
}

/* Compare with strlen() for each position of the string's start and end in a word. */
static void test_str_bytes(struct kunit *test)
{
	static char buf[80] __aligned(sizeof(long));
	unsigned int at, len;

	for (at = 0; at < 2 * sizeof(long); at++) {
		for (len = 0; len < 7 * sizeof(long); len++) {
			/* Zeros around the string must not be mistaken for its end. */
			memset(buf, 0, sizeof(buf));
			memset(buf + at, 0x80 + len, len);
			KUNIT_EXPECT_EQ(test, strobe_str_bytes(buf + at), len + 1);
			memset(buf, 1, at);
			memset(buf + at + len + 1, 1, sizeof(buf) - at - len - 1);
			KUNIT_EXPECT_EQ(test, strobe_str_bytes(buf + at), len + 1);
		}
	}
}

/* No bytes are read after the string's end, and none written after the copy's end. */
static void test_str_bounds(struct kunit *test)
{
	char *page = vmalloc(PAGE_SIZE), *src;
	char dst[80], expected[80];
	unsigned int len;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 'x', PAGE_SIZE - 1);
	page[PAGE_SIZE - 1] = '\0';
	for (len = 0; len < 70; len++) {
		/* The page after it is not mapped. */
		src = page + PAGE_SIZE - 1 - len;
		KUNIT_EXPECT_EQ(test, strobe_str_bytes(src), len + 1);
		memset(dst, '!', sizeof(dst));
		memset(expected, '!', sizeof(expected));
		memset(expected + 1, 'x', len);
		expected[len + 1] = '\0';
		/* With __string_len(), @src need not have a NUL at the end. */
		strobe_str_assign(dst + 1, page + PAGE_SIZE - 1 - len, len + 1);
		KUNIT_EXPECT_MEMEQ(test, dst, expected, sizeof(dst));
		page[PAGE_SIZE - 1] = 'y';
		strobe_str_assign(dst + 1, page + PAGE_SIZE - len, len + 1);
		page[PAGE_SIZE - 1] = '\0';
		if (len)
			expected[len] = 'y';
		KUNIT_EXPECT_MEMEQ(test, dst, expected, sizeof(dst));
	}
	vfree(page);
}

static struct kunit_case event_test_cases[] = {
	KUNIT_CASE(test_str_bytes),
	KUNIT_CASE(test_str_bounds),
	KUNIT_CASE(format_plain),
	KUNIT_CASE(format_dynamic),
	KUNIT_CASE(format_rel),
	KUNIT_CASE(format_of_one_event),
	KUNIT_CASE(offsets_are_the_compilers),
	KUNIT_CASE(flags_are_the_headers),
	KUNIT_CASE(filter_types),
	KUNIT_CASE(text_plain),
	KUNIT_CASE(text_dynamic),
	KUNIT_CASE(text_null_strings),
	KUNIT_CASE(text_long_strings),
	KUNIT_CASE(text_too_long),
	KUNIT_CASE(text_rel),
	KUNIT_CASE(text_empty),
	KUNIT_CASE(text_pointers),
	KUNIT_CASE(text_extensions),
	KUNIT_CASE(text_stack),
	KUNIT_CASE(text_addresses),
	KUNIT_CASE(text_strings),
	KUNIT_CASE(text_many),
	KUNIT_CASE(text_of_one_event),
	KUNIT_CASE(array_of_odd_size),
	{ }
};

static struct kunit_suite event_test_suite = {
	.name = "strobe_event",
	.init = event_test_init,
	.exit = event_test_exit,
	.test_cases = event_test_cases,
};

kunit_test_suite(event_test_suite);
