// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of recording with a filter: records of all lengths that the filter accepts arrive
 * complete, and rejected ones do not appear in the ring, also when records are nested.
 */
#include <kunit/test.h>

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/trace.h>

#include "filter/filter.h"
#include "instance/instance.h"

#define TYPE		0x1234
/* Longer records are filtered in the ring, not in the scratch. */
#define SCRATCH_LEN	(STROBE_WORDS_STRAIGHT * sizeof(u32))

static const struct strobe_field fields[] = {
	{ .type = "u32", .name = "value", .size = sizeof(u32), .align = __alignof__(u32) },
};

static const struct trace_event_class class = {
	.system = "strobe_kunit", .fields = fields, .nr_fields = ARRAY_SIZE(fields),
};

static const struct trace_event_call call = { .class = &class };

static struct trace_array *tr;
static struct trace_event_file file;

static int path_test_init(struct kunit *test)
{
	tr = trace_array_get_by_name("strobe_kunit", "sched");
	if (!tr)
		return -ENOMEM;
	file = (struct trace_event_file) {
		.sink = { .gate = STROBE_GATE_FILTER, .ring = tr->ring, .type = TYPE },
		.tr = tr,
	};
	return 0;
}

static void set_filter(struct kunit *test, const char *text)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;

	filter = text ? strobe_filter_create(&call, text, STROBE_FILTER_ALL, &err) : NULL;
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	strobe_filter_free(rcu_dereference_protected(file.filter, true));
	RCU_INIT_POINTER(file.filter, filter);
}

static void path_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	set_filter(test, NULL);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
}

/* Fill in a record; all its bytes are a function of @value. */
static void fill(void *entry, u32 len, u32 value)
{
	u32 at;

	*(u32 *)(entry + sizeof(struct trace_entry)) = value;
	for (at = sizeof(struct trace_entry) + sizeof(u32); at < len; at++)
		((u8 *)entry)[at] = value * 7 + at;
}

static bool fire(u32 len, u32 value)
{
	struct strobe_reserved res;

	preempt_disable();
	res = strobe_event_reserve(&file.sink, len);
	if (res.entry) {
		fill(res.entry, len, value);
		strobe_event_commit(res.handle);
	}
	preempt_enable();
	return res.entry;
}

/* Consume the next record, and check that it is the one of @value, complete with header. */
static void expect_record(struct kunit *test, u32 len, u32 value)
{
	struct strobe_ring_record rec;
	const struct trace_entry *ent;
	u32 at, wrong = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (strobe_ring_peek(tr->ring, cpu, &rec))
			break;
	}
	KUNIT_ASSERT_LT(test, cpu, nr_cpu_ids);
	ent = rec.data;
	KUNIT_ASSERT_EQ(test, rec.len, ALIGN(len, sizeof(u32)));
	KUNIT_EXPECT_EQ(test, ent->type, TYPE);
	KUNIT_EXPECT_EQ(test, ent->pid, current->pid);
	KUNIT_EXPECT_EQ(test, *(u32 *)(rec.data + sizeof(*ent)), value);
	for (at = sizeof(*ent) + sizeof(u32); at < len; at++)
		wrong += ((u8 *)rec.data)[at] != (u8)(value * 7 + at);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	strobe_ring_consume(tr->ring, cpu);
}

/* Check that there is no record. Discarded ones may have left padding in a sub-buffer. */
static void expect_empty(struct kunit *test)
{
	struct strobe_ring_record rec;
	int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_FALSE(test, strobe_ring_peek(tr->ring, cpu, &rec));
}

/* Numbers of discarded and dropped records of all CPUs. */
static struct strobe_ring_stats summed(void)
{
	struct strobe_ring_stats sum = {}, stats;
	int cpu;

	for_each_possible_cpu(cpu) {
		strobe_ring_stats(tr->ring, cpu, &stats);
		sum.discarded += stats.discarded;
		sum.dropped += stats.dropped;
	}
	return sum;
}

static u64 discarded(void)
{
	return summed().discarded;
}

static u64 dropped(void)
{
	return summed().dropped;
}

static void each_length(struct kunit *test, const char *filter)
{
	u64 before;
	u32 len;

	set_filter(test, filter);
	for (len = 12; len < 700; len++) {
		before = discarded();
		KUNIT_EXPECT_TRUE(test, fire(len, 2 * len));
		expect_empty(test);
		/* Records that were rejected in the scratch are not counted. */
		KUNIT_EXPECT_EQ(test, discarded() - before, ALIGN(len, 4) > SCRATCH_LEN);
		KUNIT_EXPECT_TRUE(test, fire(len, 2 * len + 1));
		expect_record(test, len, 2 * len + 1);
	}
	expect_empty(test);
}

static void test_lengths(struct kunit *test)
{
	each_length(test, "value & 1");
}

/* With sub-buffers of 2^@order pages: records near the length of a page, and the longest. */
static void beyond_a_page(struct kunit *test, unsigned int order)
{
	u32 longest, near, len, i;

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_set_subbuf_order(tr, order));
	longest = strobe_ring_max_payload(tr->ring);
	near = min_t(u32, PAGE_SIZE, longest);
	for (i = 0; i < 24; i++) {
		const u32 lens[] = { near - 40 + i, near - 16 + i, longest - i };
		u32 at;

		for (at = 0; at < ARRAY_SIZE(lens); at++) {
			len = min(lens[at], longest);
			KUNIT_EXPECT_TRUE(test, fire(len, 2 * len));
			expect_empty(test);
			KUNIT_EXPECT_TRUE(test, fire(len, 2 * len + 1));
			expect_record(test, len, 2 * len + 1);
			expect_empty(test);
		}
	}
	KUNIT_EXPECT_EQ(test, summed().dropped, 0);
	/* Longer records than the longest cannot be reserved. */
	KUNIT_EXPECT_FALSE(test, fire(longest + sizeof(u32), 1));
	KUNIT_EXPECT_FALSE(test, fire(longest + PAGE_SIZE, 1));
	KUNIT_EXPECT_EQ(test, summed().dropped, 2);
	expect_empty(test);
	strobe_instance_reset_all(tr);
}

/* A record that is longer than a page is filtered, too, if it fits in a sub-buffer. */
static void test_beyond_a_page(struct kunit *test)
{
	set_filter(test, "value & 1");
	beyond_a_page(test, 0);
	beyond_a_page(test, 1);
	beyond_a_page(test, 2);
	/* The largest ones, of 64 KB */
	beyond_a_page(test, 4);
}

/* Filters that read the header see it filled in. */
static void test_common_fields(struct kunit *test)
{
	char filter[80];

	snprintf(filter, sizeof(filter), "value & 1 && common_pid == %d && common_type == %d",
		 current->pid, TYPE);
	each_length(test, filter);
	snprintf(filter, sizeof(filter), "common_pid != %d", current->pid);
	set_filter(test, filter);
	fire(20, 1);
	fire(200, 1);
	expect_empty(test);
}

/* Nest records as deep as contexts can, in the scratch and in the ring. */
static void test_nested(struct kunit *test)
{
	static const u32 lens[] = { 12, 20, 112, 116, 300, 16, 108, 120, 36, 13 };
	struct strobe_reserved res[ARRAY_SIZE(lens)];
	int wanted, i, round;

	for (round = 0; round < 1 << ARRAY_SIZE(lens); round += 37) {
		set_filter(test, "value < 100");
		preempt_disable();
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			res[i] = strobe_event_reserve(&file.sink, lens[i]);
			if (res[i].entry)
				fill(res[i].entry, lens[i], round & 1 << i ? i : 100 + i);
		}
		for (i = ARRAY_SIZE(lens) - 1; i >= 0; i--) {
			KUNIT_EXPECT_NOT_NULL(test, res[i].entry);
			if (res[i].entry)
				strobe_event_commit(res[i].handle);
		}
		preempt_enable();
		/* Long records were reserved in the ring at once, the others at commit. */
		wanted = 0;
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			if (lens[i] > SCRATCH_LEN && round & 1 << i) {
				expect_record(test, lens[i], i);
				wanted++;
			}
		}
		for (i = ARRAY_SIZE(lens) - 1; i >= 0; i--) {
			if (lens[i] <= SCRATCH_LEN && round & 1 << i) {
				expect_record(test, lens[i], i);
				wanted++;
			}
		}
		KUNIT_EXPECT_EQ(test, wanted, hweight32(round & ((1 << ARRAY_SIZE(lens)) - 1)));
		expect_empty(test);
	}
}

/* With more nesting than the stack of deferred records allows, events are dropped. */
static void test_too_deep(struct kunit *test)
{
	struct strobe_reserved res[32];
	int nr, i, round;
	u64 before;

	set_filter(test, "value == 1");
	for (round = 0; round < 2; round++) {
		before = dropped();
		preempt_disable();
		for (nr = 0; nr < ARRAY_SIZE(res); nr++) {
			res[nr] = strobe_event_reserve(&file.sink, 12);
			if (!res[nr].entry)
				break;
			fill(res[nr].entry, 12, 1);
		}
		for (i = nr - 1; i >= 0; i--)
			strobe_event_commit(res[i].handle);
		preempt_enable();
		KUNIT_EXPECT_GE(test, nr, 8);
		KUNIT_ASSERT_LT(test, nr, ARRAY_SIZE(res));
		KUNIT_EXPECT_EQ(test, dropped() - before, 1);
		for (i = 0; i < nr; i++)
			expect_record(test, 12, 1);
		expect_empty(test);
	}
}

/* With recording or the event switched off, accepted records are not recorded, either. */
static void test_off(struct kunit *test)
{
	set_filter(test, "value == 1");
	strobe_instance_set_on(tr, false);
	fire(12, 1);
	fire(200, 1);
	strobe_instance_set_on(tr, true);
	expect_empty(test);
	file.sink.gate |= STROBE_GATE_SOFT_DISABLED;
	KUNIT_EXPECT_FALSE(test, fire(12, 1));
	expect_empty(test);
	file.sink.gate &= ~STROBE_GATE_SOFT_DISABLED;
	/* With another clock, and then with a stack trace after each record. */
	KUNIT_EXPECT_EQ(test, strobe_instance_set_clock(tr, "counter"), 0);
	fire(12, 1);
	expect_record(test, 12, 1);
	file.sink.gate |= STROBE_GATE_STACKTRACE;
	fire(12, 1);
	expect_record(test, 12, 1);
	fire(12, 0);
	expect_empty(test);
}

static struct kunit_case path_test_cases[] = {
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_beyond_a_page),
	KUNIT_CASE(test_common_fields),
	KUNIT_CASE(test_nested),
	KUNIT_CASE(test_too_deep),
	KUNIT_CASE(test_off),
	{}
};

static struct kunit_suite path_test_suite = {
	.name		= "strobe_filter_path",
	.init		= path_test_init,
	.exit		= path_test_exit,
	.test_cases	= path_test_cases,
};

kunit_test_suite(path_test_suite);
