// SPDX-License-Identifier: GPL-2.0
/* Tests of trace_printk(): the records of each of its forms. */
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "event/ftrace_entries.h"
#include "instance/instance.h"
#include "output/formats.h"
#include "record/printk.h"

static struct trace_array *tr;

/* An aligned copy of the last record taken. */
static union {
	struct print_entry	print;
	struct bprint_entry	bprint;
	struct bputs_entry	bputs;
	u8			bytes[2048];
} record __aligned(8);

static int printk_test_init(struct kunit *test)
{
	tr = trace_array_get_by_name("strobe_kunit", "sched");
	if (!tr)
		return -ENOMEM;
	return trace_array_init_printk(tr);
}

static void printk_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
	tr = NULL;
}

/* Consume the next record. Returns its length, 0 if there is none. */
static u32 take_record(void)
{
	struct strobe_ring_record rec;
	int cpu;

	memset(&record, 0, sizeof(record));
	for_each_possible_cpu(cpu) {
		if (!strobe_ring_peek(tr->ring, cpu, &rec))
			continue;
		memcpy(&record, rec.data, min_t(size_t, rec.len, sizeof(record)));
		strobe_ring_consume(tr->ring, cpu);
		return rec.len;
	}
	return 0;
}

static void test_text(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 4, trace_array_printk(tr, 0x1234, "a%db\n", 7));
	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.print.ent.type, TRACE_PRINT);
	KUNIT_EXPECT_EQ(test, record.print.ip, 0x1234);
	KUNIT_EXPECT_STREQ(test, record.print.buf, "a7b\n");
	KUNIT_EXPECT_EQ(test, 0, take_record());

	KUNIT_EXPECT_EQ(test, -ENOENT, trace_array_printk(NULL, 0, "x"));
	KUNIT_EXPECT_EQ(test, 0, trace_array_printk(top_instance, 0, "x"));
	KUNIT_EXPECT_EQ(test, -ENOENT, trace_array_init_printk(NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, trace_array_init_printk(top_instance));
}

static void test_text_is_cut(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1023, trace_array_printk(tr, 0, "%2000d", 1));
	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, 1023, strlen(record.print.buf));
}

static void test_puts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 3, __trace_array_puts(tr, 1, "abc", 3));
	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_STREQ(test, record.print.buf, "abc\n");
	KUNIT_EXPECT_EQ(test, 4, __trace_array_puts(tr, 1, "abc\n", 4));
	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_STREQ(test, record.print.buf, "abc\n");
	KUNIT_EXPECT_EQ(test, 0, __trace_array_puts(tr, 1, "", 0));
	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_STREQ(test, record.print.buf, "\n");
}

static void test_binary(struct kunit *test)
{
	static const char fmt[] = "%d %s %llx";
	static const char constant[] = "constant";
	char text[64];

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_set_option(tr, STROBE_OPT_TRACE_PRINTK_DEST_BIT,
							    true));
	__trace_bprintk(0x55, fmt, -3, "str", 0x123456789abULL);
	__trace_bputs(0x66, constant);
	__trace_puts(0x77, "text", 4);
	__trace_bprintk(0x88, NULL);
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_set_option(tr, STROBE_OPT_TRACE_PRINTK_DEST_BIT,
							    false));

	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.bprint.ent.type, TRACE_BPRINT);
	KUNIT_EXPECT_EQ(test, record.bprint.ip, 0x55);
	KUNIT_EXPECT_PTR_EQ(test, record.bprint.fmt, &fmt[0]);
	bstr_printf(text, sizeof(text), record.bprint.fmt, record.bprint.buf);
	KUNIT_EXPECT_STREQ(test, text, "-3 str 123456789ab");

	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.bputs.ent.type, TRACE_BPUTS);
	KUNIT_EXPECT_EQ(test, record.bputs.ip, 0x66);
	KUNIT_EXPECT_PTR_EQ(test, record.bputs.str, &constant[0]);

	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.print.ip, 0x77);
	KUNIT_EXPECT_STREQ(test, record.print.buf, "text\n");
	KUNIT_EXPECT_EQ(test, 0, take_record());
}

/* In a persistent ring there is text instead of a format, in the same context. */
static void test_persistent(struct kunit *test)
{
	static const char constant[] = "constant";
	u8 depth;

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_set_option(tr, STROBE_OPT_TRACE_PRINTK_DEST_BIT,
							    true));
	preempt_disable();
	__trace_bprintk(0x54, "%d", 1);
	tr->region.start = tr;
	__trace_bprintk(0x55, "%d", 2);
	__trace_bputs(0x66, constant);
	tr->region.start = NULL;
	preempt_enable();
	KUNIT_ASSERT_EQ(test, 0, strobe_instance_set_option(tr, STROBE_OPT_TRACE_PRINTK_DEST_BIT,
							    false));

	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.bprint.ent.type, TRACE_BPRINT);
	depth = record.bprint.ent.preempt_count;

	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.print.ent.type, TRACE_PRINT);
	KUNIT_EXPECT_EQ(test, record.print.ent.preempt_count, depth);
	KUNIT_EXPECT_EQ(test, record.print.ip, 0x55);
	KUNIT_EXPECT_STREQ(test, record.print.buf, "2");

	KUNIT_ASSERT_NE(test, 0, take_record());
	KUNIT_EXPECT_EQ(test, record.print.ent.type, TRACE_PRINT);
	KUNIT_EXPECT_EQ(test, record.print.ent.preempt_count, depth);
	KUNIT_EXPECT_EQ(test, record.print.ip, 0x66);
	KUNIT_EXPECT_STREQ(test, record.print.buf, "constant");
	KUNIT_EXPECT_EQ(test, 0, take_record());
}

static void test_formats(struct kunit *test)
{
	static const char mine[] = "built in";
	char *stack = kunit_kzalloc(test, 16, GFP_KERNEL);

	KUNIT_EXPECT_TRUE(test, strobe_printk_format_known(mine));
	KUNIT_EXPECT_FALSE(test, strobe_printk_format_known(stack));
	KUNIT_EXPECT_FALSE(test, strobe_printk_format_known(NULL));
	KUNIT_EXPECT_FALSE(test, trace_is_tracepoint_string(mine));
}

/* trace_puts() of a module for whose text no memory could be allocated. */
static void test_no_text(struct kunit *test)
{
	struct trace_array *before = strobe_instance_printk_dest;

	scoped_guard(mutex, &strobe_instance_mutex)
		strobe_instance_printk_move(tr);
	KUNIT_EXPECT_EQ(test, 0, __trace_bputs(0x66, NULL));
	KUNIT_EXPECT_EQ(test, 0, take_record());
	scoped_guard(mutex, &strobe_instance_mutex)
		strobe_instance_printk_move(before);
}

static atomic_t times_made;
static struct strobe_printk_buffers __percpu *buffers_before;

/* So slow that another caller comes to allocate buffers meanwhile. */
static struct strobe_printk_buffers __percpu *make_slowly(void)
{
	atomic_inc(&times_made);
	msleep(100);
	return buffers_before;
}

static int init_in_parallel(void *arg)
{
	struct completion *done = arg;

	trace_array_init_printk(tr);
	complete(done);
	return 0;
}

/* Two modules are loaded in parallel: one allocates the buffers while the other one waits. */
static void test_made_by_one(struct kunit *test)
{
	struct task_struct *task;
	DECLARE_COMPLETION_ONSTACK(done);

	kunit_activate_static_stub(test, strobe_printk_buffers_make, make_slowly);
	atomic_set(&times_made, 0);
	buffers_before = strobe_printk_buffers;
	WRITE_ONCE(strobe_printk_buffers, NULL);
	task = kthread_create(init_in_parallel, &done, "printk_test");
	if (!IS_ERR(task)) {
		/* The stub must be active in this task, too. */
		task->kunit_test = test;
		wake_up_process(task);
		msleep(30);
		KUNIT_EXPECT_EQ(test, 1, atomic_read(&times_made));
		KUNIT_EXPECT_EQ(test, 0, trace_array_init_printk(tr));
		KUNIT_EXPECT_EQ(test, 1, atomic_read(&times_made));
		wait_for_completion(&done);
	}
	WRITE_ONCE(strobe_printk_buffers, buffers_before);
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
}

static struct kunit_case printk_test_cases[] = {
	KUNIT_CASE(test_text),
	KUNIT_CASE(test_text_is_cut),
	KUNIT_CASE(test_puts),
	KUNIT_CASE(test_binary),
	KUNIT_CASE(test_persistent),
	KUNIT_CASE(test_formats),
	KUNIT_CASE(test_no_text),
	KUNIT_CASE(test_made_by_one),
	{}
};

static struct kunit_suite printk_test_suite = {
	.name		= "strobe_printk",
	.init		= printk_test_init,
	.exit		= printk_test_exit,
	.test_cases	= printk_test_cases,
};

kunit_test_suite(printk_test_suite);
