// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of a record's text: columns, times, lost records. Most use a type that no
 * event has, so that the text is little more than the columns.
 */
#include <kunit/test.h>

#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <linux/strobe/event.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "output/output.h"

#define NO_TYPE		U16_MAX
#define UNKNOWN		"Unknown type 65535\n"

struct output_fixture {
	struct trace_entry		entry;
	struct strobe_ring_record	rec;
	struct output_ctx		ctx;
	struct trace_seq		seq;
	struct trace_seq		tmp;
	struct cpumask			started;
};

static int output_test_init(struct kunit *test)
{
	struct output_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->entry.type = NO_TYPE;
	f->rec.data = &f->entry;
	f->rec.len = sizeof(f->entry);
	f->rec.cpu = 3;
	f->rec.ts = 123456789000ULL;
	strobe_output_set_options(&f->ctx, STROBE_OPTIONS_DEFAULT);
	f->ctx.flags = OUTPUT_TIME_IN_NS;
	f->ctx.next_ts = f->rec.ts;
	f->ctx.tmp = &f->tmp;
	test->priv = f;
	return 0;
}

static const char *text(struct output_fixture *f)
{
	trace_seq_init(&f->seq);
	strobe_output_record(&f->seq, &f->rec, &f->ctx);
	trace_seq_putc(&f->seq, '\0');
	return f->seq.buffer;
}

#define EXPECT_TEXT(test, f, want)	KUNIT_EXPECT_STREQ(test, text(f), want)

static void output_columns(struct kunit *test)
{
	struct output_fixture *f = test->priv;

	EXPECT_TEXT(test, f,
		    "          <idle>-0       [003] .....   123.456789: " UNKNOWN);
	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_RECORD_TGID);
	EXPECT_TEXT(test, f,
		    "          <idle>-0       (-------) [003] .....   123.456789: " UNKNOWN);
	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_IRQ_INFO);
	EXPECT_TEXT(test, f,
		    "          <idle>-0       (-------) [003]    123.456789: " UNKNOWN);
	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_CONTEXT_INFO);
	EXPECT_TEXT(test, f, UNKNOWN);
}

static void output_irq_columns(struct kunit *test)
{
	static const struct {
		unsigned int flags;
		u8 preempt_count;
		const char *columns;
	} cases[] = {
		{ 0, 0, "....." },
		{ TRACE_FLAG_IRQS_OFF, 0x01, "d..1." },
		{ TRACE_FLAG_BH_OFF, 0x0f, "b..f." },
		{ TRACE_FLAG_IRQS_OFF | TRACE_FLAG_BH_OFF, 0x10, "D...1" },
		{ TRACE_FLAG_IRQS_NOSUPPORT, 0xf0, "X...f" },
		{ TRACE_FLAG_NEED_RESCHED, 0xab, ".n.ba" },
		{ TRACE_FLAG_PREEMPT_RESCHED, 0, ".p..." },
		{ TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED, 0, ".N..." },
		{ TRACE_FLAG_HARDIRQ, 0, "..h.." },
		{ TRACE_FLAG_SOFTIRQ, 0, "..s.." },
		{ TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ, 0, "..H.." },
		{ TRACE_FLAG_NMI, 0, "..z.." },
		{ TRACE_FLAG_NMI | TRACE_FLAG_SOFTIRQ, 0, "..z.." },
		{ TRACE_FLAG_NMI | TRACE_FLAG_HARDIRQ, 0, "..Z.." },
	};
	struct output_fixture *f = test->priv;
	char want[80];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		f->entry.flags = cases[i].flags;
		f->entry.preempt_count = cases[i].preempt_count;
		snprintf(want, sizeof(want),
			 "          <idle>-0       [003] %s   123.456789: " UNKNOWN,
			 cases[i].columns);
		EXPECT_TEXT(test, f, want);
	}
}

static void output_times(struct kunit *test)
{
	static const struct {
		u64 ts;
		unsigned int flags;
		const char *text;
	} cases[] = {
		{ 0, OUTPUT_TIME_IN_NS, "     0.000000" },
		{ 499, OUTPUT_TIME_IN_NS, "     0.000000" },
		{ 500, OUTPUT_TIME_IN_NS, "     0.000001" },
		{ 999999499, OUTPUT_TIME_IN_NS, "     0.999999" },
		{ 999999500, OUTPUT_TIME_IN_NS, "     1.000000" },
		{ 1234567000001000ULL, OUTPUT_TIME_IN_NS, " 1234567.000001" },
		{ 0, 0, "            0" },
		{ 123456789012345ULL, 0, " 123456789012345" },
	};
	struct output_fixture *f = test->priv;
	char want[80];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		f->rec.ts = cases[i].ts;
		f->ctx.flags = cases[i].flags;
		snprintf(want, sizeof(want),
			 "          <idle>-0       [003] .....%s: " UNKNOWN, cases[i].text);
		EXPECT_TEXT(test, f, want);
	}
}

static void output_latency(struct kunit *test)
{
	static const struct {
		u64 gap;
		char mark;
	} marks[] = {
		{ 0, ' ' }, { 10400, ' ' }, { 10500, '+' }, { 101000, '!' },
		{ 1001000, '#' }, { 10001000, '*' }, { 100001000, '@' },
		{ 1000001000, '$' }, { 20000000000ULL, '$' },
	};
	struct output_fixture *f = test->priv;
	char want[80];
	int i;

	f->ctx.flags |= OUTPUT_LATENCY;
	f->ctx.start = f->rec.ts - 12000;
	f->entry.flags = TRACE_FLAG_IRQS_OFF;
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		f->ctx.next_ts = f->rec.ts + marks[i].gap;
		snprintf(want, sizeof(want),
			 "  <idle>-0         3d....   12us%c: " UNKNOWN,
			 marks[i].mark);
		EXPECT_TEXT(test, f, want);
	}

	f->ctx.flags &= ~OUTPUT_TIME_IN_NS;
	EXPECT_TEXT(test, f,
		    "  <idle>-0         3d.... 12000: " UNKNOWN);
}

#define VERBOSE	"          <idle>       0   3 1 00000002 0000001f "

static void output_latency_verbose(struct kunit *test)
{
	struct output_fixture *f = test->priv;

	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_VERBOSE);
	f->ctx.flags |= OUTPUT_LATENCY;
	f->ctx.start = f->rec.ts - 1234000;
	f->ctx.next_ts = f->rec.ts + 56000;
	f->ctx.index = 0x1f;
	f->entry.flags = TRACE_FLAG_IRQS_OFF;
	f->entry.preempt_count = 0x12;
	EXPECT_TEXT(test, f,
		    VERBOSE "[075bcd15] 1.234ms (+0.056ms): " UNKNOWN);
	f->ctx.flags &= ~OUTPUT_TIME_IN_NS;
	EXPECT_TEXT(test, f,
		    VERBOSE "[0000001cbe991a08] 1234000 (+56000): " UNKNOWN);
}

static void output_lost_line(struct kunit *test)
{
	struct output_fixture *f = test->priv;

	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_CONTEXT_INFO);
	f->rec.lost = 1;
	EXPECT_TEXT(test, f, "CPU:3 [LOST 1 EVENTS]\n" UNKNOWN);
	f->rec.lost = 4711;
	EXPECT_TEXT(test, f, "CPU:3 [LOST 4711 EVENTS]\n" UNKNOWN);
	f->rec.lost = ULONG_MAX;
	EXPECT_TEXT(test, f, "CPU:3 [LOST EVENTS]\n" UNKNOWN);
}

static void output_cpu_start_line(struct kunit *test)
{
	struct output_fixture *f = test->priv;

	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_CONTEXT_INFO);
	f->ctx.started = &f->started;
	f->ctx.index = 2;
	EXPECT_TEXT(test, f,
		    "##### CPU 3 buffer started ####\n" UNKNOWN);
	EXPECT_TEXT(test, f, UNKNOWN);

	/* The first two records of a trace get no such line. */
	f->rec.cpu = 1;
	f->ctx.index = 1;
	EXPECT_TEXT(test, f, UNKNOWN);
	f->ctx.index = 3;
	EXPECT_TEXT(test, f, UNKNOWN);

	f->rec.cpu = 2;
	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_ANNOTATE);
	EXPECT_TEXT(test, f, UNKNOWN);
}

#define HEX_COLUMNS	"00000000 00000003 0000001cbe991a08 "

static void output_plain_forms(struct kunit *test)
{
	struct output_fixture *f = test->priv;
	const struct {
		int pid, cpu;
		u64 ts;
	} __packed bin = { 0, 3, f->rec.ts };

	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_RAW);
	EXPECT_TEXT(test, f, "0 3 123456789000 65535 ?\n");

	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_HEX);
	EXPECT_TEXT(test, f,
		    HEX_COLUMNS "\n");

	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_BIN);
	text(f);
	KUNIT_EXPECT_EQ(test, trace_seq_used(&f->seq), sizeof(bin) + 1);
	KUNIT_EXPECT_MEMEQ(test, f->seq.buffer, &bin, sizeof(bin));
}

#define CONTEXT		"          <idle>-0       [003] .....   123.456789: "

static void output_message_only(struct kunit *test)
{
	struct output_fixture *f = test->priv;
	struct print_entry *print;
	u32 len = sizeof(*print) + sizeof("hello\n");

	print = kunit_kzalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, print);
	print->ent.type = TRACE_PRINT;
	memcpy(print->buf, "hello\n", sizeof("hello\n"));
	f->rec.data = print;
	f->rec.len = len;
	EXPECT_TEXT(test, f,
		    "          <idle>-0       [003] .....   123.456789: 0: hello\n");
	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_FIELDS);
	EXPECT_TEXT(test, f,
		    CONTEXT "print: ip=0x0 (0) buf=hello\n");
	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_FIELDS);
	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_PRINTK_MSGONLY);
	EXPECT_TEXT(test, f, "hello\n");
	strobe_output_set_options(&f->ctx, f->ctx.options | STROBE_OPT_RAW);
	EXPECT_TEXT(test, f, "hello\n");
	strobe_output_set_options(&f->ctx, f->ctx.options & ~STROBE_OPT_PRINTK_MSGONLY);
	EXPECT_TEXT(test, f, "0 3 123456789000 # 0 hello\n");
}

/* A record of a previous boot whose kernel had other addresses. */
static void output_past_address(struct kunit *test)
{
	const struct strobe_ring_past past = { .found = true, .text_delta = 0x1000 };
	struct output_fixture *f = test->priv;
	u32 len = sizeof(struct print_entry) + sizeof("hello\n");
	struct print_entry *print = kunit_kzalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, print);
	print->ent.type = TRACE_PRINT;
	print->ent.pid = current->pid;
	print->ip = (unsigned long)strobe_output_record - 0x1000;
	memcpy(print->buf, "hello\n", sizeof("hello\n"));
	f->rec.data = print;
	f->rec.len = len;
	f->rec.past = &past;
	f->ctx.options &= ~STROBE_OPT_CONTEXT_INFO;
	EXPECT_TEXT(test, f, "strobe_output_record: hello\n");
	/* The pid now belongs to another task. */
	f->ctx.options |= STROBE_OPT_CONTEXT_INFO;
	KUNIT_EXPECT_TRUE(test, strstarts(text(f), "           <...>-"));
	/* The record is cut off. */
	f->rec.len = sizeof(print->ent);
	f->ctx.options &= ~STROBE_OPT_CONTEXT_INFO;
	EXPECT_TEXT(test, f, "type: 5\n");
}

struct output_exec {
	struct trace_entry	ent;
	u32			filename;
	int			pid;
	int			old_pid;
	char			text[4];
};

static int exec_type(void)
{
	struct trace_event_call *call;

	guard(mutex)(&strobe_event_mutex);
	for_each_event(call) {
		if (!strcmp(trace_event_name(call), "sched_process_exec"))
			return call->type;
	}
	return 0;
}

/* A damaged record of a previous boot is shown field by field, as far as it is there. */
static void output_past_event(struct kunit *test)
{
	struct strobe_ring_past past = { .found = true };
	struct output_fixture *f = test->priv;
	struct output_exec exec = {
		.ent = { .type = exec_type() },
		.filename = offsetof(struct output_exec, text) | 4 << 16,
		.pid = 1, .old_pid = 2, .text = "abc",
	};

	f->rec.data = &exec;
	f->rec.len = sizeof(exec);
	f->rec.past = &past;
	f->ctx.options &= ~STROBE_OPT_CONTEXT_INFO;
	EXPECT_TEXT(test, f, "sched_process_exec: filename=abc pid=1 old_pid=2\n");
	past.data_delta = 1;
	EXPECT_TEXT(test, f,
		    "sched_process_exec: filename=abc pid=0x1 (1) old_pid=0x2 (2)\n");
	past.data_delta = 0;
	exec.text[3] = 'd';
	EXPECT_TEXT(test, f,
		    "sched_process_exec: filename=abcd pid=0x1 (1) old_pid=0x2 (2)\n");
	exec.filename += 1 << 16;
	EXPECT_TEXT(test, f,
		    "sched_process_exec: filename=<OVERFLOW> pid=0x1 (1) old_pid=0x2 (2)\n");
	f->rec.len = offsetof(struct output_exec, old_pid);
	EXPECT_TEXT(test, f,
		    "sched_process_exec: filename=<OVERFLOW> pid=0x1 (1) old_pid=<OVERFLOW>\n");
}

/* Option raw with a damaged record: no bytes after the record's end are shown. */
static void output_raw_damaged(struct kunit *test)
{
	const struct strobe_ring_past past = { .found = true };
	struct output_fixture *f = test->priv;
	struct {
		struct print_entry	print;
		char			text[16];
	} rec = { .print.ent.type = TRACE_PRINT, .text = "abcdsecret" };
	struct {
		struct bprint_entry	bprint;
		u32			arg;
	} bin = { .bprint.ent.type = TRACE_BPRINT, .bprint.fmt = "%d\n", .arg = 7 };
	struct bputs_entry puts = { .ent.type = TRACE_BPUTS, .str = "put\n" };

	strobe_output_set_options(&f->ctx,
				  (f->ctx.options & ~STROBE_OPT_CONTEXT_INFO) | STROBE_OPT_RAW);
	f->rec.data = &rec;
	f->rec.len = offsetof(struct print_entry, buf) + 4;
	EXPECT_TEXT(test, f, "# 0 abcd");
	f->rec.past = &past;
	EXPECT_TEXT(test, f, "# 0 abcd");
	f->rec.len = offsetof(struct print_entry, buf) - 4;
	EXPECT_TEXT(test, f, "type: 5\n");

	/* A format of a previous boot, and a cut-off address of one. */
	f->rec.data = &bin;
	f->rec.len = sizeof(bin);
	EXPECT_TEXT(test, f, "type: 6\n");
	f->rec.past = NULL;
	EXPECT_TEXT(test, f, ": 0 : 7\n");
	f->rec.len = offsetof(struct bprint_entry, fmt) + 4;
	EXPECT_TEXT(test, f, "type: 6\n");
	f->rec.data = &puts;
	EXPECT_TEXT(test, f, "type: 14\n");
	f->rec.len = sizeof(puts);
	EXPECT_TEXT(test, f, ": 0 : put\n");
	f->rec.past = &past;
	EXPECT_TEXT(test, f, "type: 14\n");
}

/* Option fields: the text at a pointer is shown only in memory that is not freed. */
static void output_field_pointer(struct kunit *test)
{
	const struct strobe_ring_past same = { .found = true };
	const struct strobe_ring_past moved = { .found = true, .data_delta = 0x1000 };
	static const char long_text[] = { [0 ... 127] = 'x', '\0' };
	struct bputs_entry puts = { .ent.type = TRACE_BPUTS, .str = "put" };
	char *heap = kunit_kzalloc(test, 8, GFP_KERNEL);
	struct output_fixture *f = test->priv;
	char with[192], without[64];

	KUNIT_ASSERT_NOT_NULL(test, heap);
	strscpy(heap, "gone", 8);
	strobe_output_set_options(&f->ctx, (f->ctx.options & ~STROBE_OPT_CONTEXT_INFO) |
				  STROBE_OPT_FIELDS);
	f->rec.data = &puts;
	f->rec.len = sizeof(puts);
	snprintf(with, sizeof(with), "bputs: ip=0x0 (0) str=(0x%016lx:put)\n", (long)puts.str);
	snprintf(without, sizeof(without), "bputs: ip=0x0 (0) str=(0x%016lx)\n",
		 (long)puts.str);
	EXPECT_TEXT(test, f, with);
	f->rec.past = &same;
	EXPECT_TEXT(test, f, with);
	f->rec.past = &moved;
	EXPECT_TEXT(test, f, without);
	f->rec.past = NULL;
	puts.str = "put\n";
	snprintf(with, sizeof(with), "bputs: ip=0x0 (0) str=(0x%016lx:put)\n", (long)puts.str);
	EXPECT_TEXT(test, f, with);
	/* The text is cut to 127 bytes. */
	puts.str = long_text;
	snprintf(with, sizeof(with), "bputs: ip=0x0 (0) str=(0x%016lx:%.127s)\n",
		 (long)long_text, long_text);
	EXPECT_TEXT(test, f, with);
	/* Heap memory is readable, but may have been reused. */
	puts.str = heap;
	snprintf(without, sizeof(without), "bputs: ip=0x0 (0) str=(0x%016lx)\n", (long)heap);
	EXPECT_TEXT(test, f, without);
	puts.str = NULL;
	EXPECT_TEXT(test, f, "bputs: ip=0x0 (0) str=(0x0000000000000000)\n");
}

/* A record shorter than its header; on the heap, so that KASAN sees overreads. */
static void output_no_header(struct kunit *test)
{
	static const unsigned int options[] = {
		0, STROBE_OPT_RAW, STROBE_OPT_HEX, STROBE_OPT_BIN, STROBE_OPT_FIELDS,
		STROBE_OPT_VERBOSE,
	};
	struct output_fixture *f = test->priv;
	u16 *half = kunit_kzalloc(test, 4, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, half);
	*half = TRACE_PRINT;
	f->rec.data = half;
	f->rec.len = 4;
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		strobe_output_set_options(&f->ctx, STROBE_OPTIONS_DEFAULT | options[i]);
		EXPECT_TEXT(test, f, "Damaged record of 4 bytes\n");
	}
}

/* Until the sequence is full, each record has the same text, even where memory gets short. */
static void output_no_room(struct kunit *test)
{
	struct output_fixture *f = test->priv;
	unsigned int len, from;

	f->entry.pid = INT_MIN;
	text(f);
	len = trace_seq_used(&f->seq) - 1;
	trace_seq_init(&f->seq);
	for (from = 0; strobe_output_record(&f->seq, &f->rec, &f->ctx); from += len) {
		KUNIT_ASSERT_EQ(test, trace_seq_used(&f->seq), from + len);
		KUNIT_ASSERT_LE(test, from + len, TRACE_SEQ_BUFFER_SIZE);
		KUNIT_ASSERT_MEMEQ(test, f->seq.buffer + from, f->seq.buffer, len);
	}
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(&f->seq));
	KUNIT_EXPECT_GT(test, from + len, TRACE_SEQ_BUFFER_SIZE - 1);
}

static struct kunit_case output_cases[] = {
	KUNIT_CASE(output_columns),
	KUNIT_CASE(output_irq_columns),
	KUNIT_CASE(output_times),
	KUNIT_CASE(output_latency),
	KUNIT_CASE(output_latency_verbose),
	KUNIT_CASE(output_lost_line),
	KUNIT_CASE(output_cpu_start_line),
	KUNIT_CASE(output_plain_forms),
	KUNIT_CASE(output_message_only),
	KUNIT_CASE(output_past_address),
	KUNIT_CASE(output_past_event),
	KUNIT_CASE(output_raw_damaged),
	KUNIT_CASE(output_field_pointer),
	KUNIT_CASE(output_no_header),
	KUNIT_CASE(output_no_room),
	{ }
};

static struct kunit_suite output_suite = {
	.name = "strobe_output",
	.init = output_test_init,
	.test_cases = output_cases,
};

kunit_test_suite(output_suite);
