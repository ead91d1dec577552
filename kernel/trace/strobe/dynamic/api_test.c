// SPDX-License-Identifier: GPL-2.0
/*
 * Test the functions with which modules define kprobe events: what they build, and what they
 * refuse. kernel/trace/kprobe_event_gen_test.c uses them without errors.
 */
#include <kunit/test.h>

#include <linux/seq_buf.h>
#include <linux/strobe/dynevent.h>
#include <linux/strobe/event.h>

#include "dynamic/dynamic.h"

#define EVENT	"strobe_api_test"
/* A function that may be probed in each configuration. Those of this directory have no hooks. */
#define PLACE	"vfs_fsync_range"

struct api_fixture {
	struct dynevent_cmd cmd;
	char text[2048];
};

static int api_init(struct kunit *test)
{
	struct api_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	kprobe_event_cmd_init(&f->cmd, f->text, sizeof(f->text));
	test->priv = f;
	return 0;
}

static void test_text(struct kunit *test)
{
	struct api_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, "place", "a=%ax"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_add_fields(&f->cmd, "b=%bx", "c=%cx"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_add_field(&f->cmd, "d=%dx"), 0);
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&f->cmd.seq),
			   "p:kprobes/" EVENT " place a=%ax b=%bx c=%cx d=%dx ");
	kprobe_event_cmd_init(&f->cmd, f->text, sizeof(f->text));
	KUNIT_EXPECT_EQ(test, kretprobe_event_gen_cmd_start(&f->cmd, EVENT, "place"), 0);
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&f->cmd.seq), "r:kprobes/" EVENT " place ");
}

static void test_too_long(struct kunit *test)
{
	struct api_fixture *f = test->priv;
	size_t fits = strlen("p:kprobes/" EVENT " place ");

	kprobe_event_cmd_init(&f->cmd, f->text, fits - 1);
	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, "place"), -E2BIG);
	kprobe_event_cmd_init(&f->cmd, f->text, fits);
	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, "place"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_add_field(&f->cmd, "a"), -E2BIG);
	KUNIT_EXPECT_EQ(test, f->text[fits], 0);
}

static void test_too_many(struct kunit *test)
{
	struct api_fixture *f = test->priv;
	int i;

	KUNIT_ASSERT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, "place"), 0);
	for (i = 0; i < DYN_ARGS_MAX; i++)
		KUNIT_ASSERT_EQ(test, kprobe_event_add_field(&f->cmd, "%ax"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_add_field(&f->cmd, "%ax"), -EINVAL);
}

/* Without a place, and of an event of another kind. */
static void test_incomplete(struct kunit *test)
{
	struct api_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, NULL), -EINVAL);
	f->cmd.type = DYNEVENT_TYPE_SYNTH;
	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, "place"), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_event_add_field(&f->cmd, "%ax"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, f->text, "");
}

static void test_create(struct kunit *test)
{
	struct api_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kprobes/" EVENT), -ENOENT);
	KUNIT_ASSERT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, "strobe_no_function"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_end(&f->cmd), -EINVAL);
	kprobe_event_cmd_init(&f->cmd, f->text, sizeof(f->text));
	KUNIT_ASSERT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, PLACE,
							 "a=%no_register"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_gen_cmd_end(&f->cmd), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kprobes/" EVENT), -ENOENT);
}

static void test_busy(struct kunit *test)
{
	struct api_fixture *f = test->priv;
	struct trace_event_file *file;

	KUNIT_ASSERT_EQ(test, kprobe_event_gen_cmd_start(&f->cmd, EVENT, PLACE), 0);
	KUNIT_ASSERT_EQ(test, kprobe_event_gen_cmd_end(&f->cmd), 0);
	file = trace_get_event_file(NULL, "kprobes", EVENT);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(file->tr, "kprobes", EVENT, true), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete(EVENT), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(file->tr, "kprobes", EVENT, false), 0);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete(EVENT), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete(EVENT), -ENOENT);
}

static struct kunit_case api_cases[] = {
	KUNIT_CASE(test_text),
	KUNIT_CASE(test_too_long),
	KUNIT_CASE(test_too_many),
	KUNIT_CASE(test_incomplete),
	KUNIT_CASE(test_create),
	KUNIT_CASE(test_busy),
	{ }
};

static struct kunit_suite api_suite = {
	.name		= "strobe_dyn_api",
	.init		= api_init,
	.test_cases	= api_cases,
};

kunit_test_suites(&api_suite);

MODULE_DESCRIPTION("KUnit tests of the functions that define kprobe events");
MODULE_LICENSE("GPL");
