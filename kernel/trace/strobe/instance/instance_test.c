// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of instances, through the interface for kernel code.
 *
 * Each test has an instance with the events of the system "sched" only, so that the
 * top instance is not changed.
 */
#include <kunit/test.h>

#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_clock.h>

#include "event/event.h"
#include "event/ftrace_entries.h"
#include "instance/instance.h"
#include "record/printk.h"
#include "record/record.h"

static struct trace_array *tr;

static int instance_test_init(struct kunit *test)
{
	tr = trace_array_get_by_name("strobe_kunit", "sched");
	return tr ? 0 : -ENOMEM;
}

static void instance_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
}

/* Creating and removing. */

static void test_lifetime(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, tr, trace_array_get_by_name("strobe_kunit", NULL));
	KUNIT_EXPECT_EQ(test, -EBUSY, trace_array_destroy(tr));
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, -EBUSY, trace_array_destroy(tr));
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
	KUNIT_EXPECT_EQ(test, -ENODEV, trace_array_destroy(tr));
	KUNIT_EXPECT_EQ(test, -ENODEV, strobe_instance_get(tr));
	KUNIT_EXPECT_EQ(test, -EINVAL, trace_array_destroy(NULL));
	KUNIT_EXPECT_EQ(test, -EBUSY, trace_array_destroy(top_instance));
	tr = NULL;
}

static unsigned int count_files(struct kunit *test)
{
	struct trace_event_file *file;
	unsigned int nr = 0;
	unsigned long type;

	xa_for_each(&tr->files, type, file) {
		KUNIT_EXPECT_EQ(test, type, file->call->type);
		KUNIT_EXPECT_STREQ(test, file->call->class->system, "sched");
		nr++;
	}
	return nr;
}

static void test_only_its_systems(struct kunit *test)
{
	struct trace_event_call *call = NULL;
	unsigned int nr = 0;

	guard(mutex)(&strobe_event_mutex);
	KUNIT_EXPECT_NOT_NULL(test, strobe_event_file_find(tr, "sched", "sched_switch"));
	KUNIT_EXPECT_NULL(test, strobe_event_file_find(tr, "power", "cpu_idle"));
	while ((call = strobe_instance_next_event(tr, call))) {
		KUNIT_EXPECT_STREQ(test, call->class->system, "sched");
		nr++;
	}
	KUNIT_EXPECT_GT(test, nr, 10);
}

/* Event files are made at first use, once, and none for what does not need one. */
static void test_files_at_first_use(struct kunit *test)
{
	struct trace_event_file *file;

	KUNIT_EXPECT_EQ(test, '0', strobe_instance_events_state(tr, "sched"));
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_enable_events(tr, NULL, "sched", NULL, false));
	scoped_guard(mutex, &strobe_event_mutex) {
		KUNIT_EXPECT_EQ(test, 0, count_files(test));
		file = strobe_event_file_find(tr, "sched", "sched_switch");
		KUNIT_EXPECT_PTR_EQ(test, file,
				    strobe_event_file_find(tr, "sched", "sched_switch"));
		KUNIT_EXPECT_NULL(test, strobe_event_file_find(tr, "sched", "sched_nothing"));
		KUNIT_EXPECT_EQ(test, 1, count_files(test));
	}
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_enable_events(tr, "sched_wakeup", NULL, NULL,
							       true));
	scoped_guard(mutex, &strobe_event_mutex)
		KUNIT_EXPECT_EQ(test, 2, count_files(test));
	KUNIT_EXPECT_EQ(test, 'X', strobe_instance_events_state(tr, "sched"));
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_enable_events(tr, NULL, "sched", NULL, false));
	KUNIT_EXPECT_EQ(test, '0', strobe_instance_events_state(tr, "sched"));
}

/* The context in a record's header. */

struct context_probe {
	struct irq_work		work;
	struct tasklet_struct	tasklet;
	struct completion	done;
	u32			hard;
	u32			soft;
};

static void probe_softirq(struct tasklet_struct *tasklet)
{
	struct context_probe *probe = from_tasklet(probe, tasklet, tasklet);

	probe->soft = record_context();
	complete(&probe->done);
}

static void probe_hardirq(struct irq_work *work)
{
	struct context_probe *probe = container_of(work, struct context_probe, work);

	probe->hard = record_context();
	tasklet_schedule(&probe->tasklet);
}

/* Mask flags that depend on whether another task wants this CPU. */
static u32 stable_flags(u32 ctx)
{
	return (ctx >> RECORD_CTX_FLAGS_SHIFT) & 0xff &
	       ~(TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED);
}

static u32 preempt_depth(u32 ctx)
{
	return (ctx >> RECORD_CTX_PC_SHIFT) & RECORD_CTX_DEPTH_MAX;
}

static void test_context_task(struct kunit *test)
{
	u32 depth = IS_ENABLED(CONFIG_PREEMPT_COUNT);
	unsigned long flags;
	u32 ctx;

	ctx = record_context();
	KUNIT_EXPECT_EQ(test, stable_flags(ctx), 0);
	KUNIT_EXPECT_EQ(test, preempt_depth(ctx), 0);

	preempt_disable();
	ctx = record_context();
	preempt_enable();
	KUNIT_EXPECT_EQ(test, stable_flags(ctx), 0);
	KUNIT_EXPECT_EQ(test, preempt_depth(ctx), depth);

	local_irq_save(flags);
	ctx = record_context();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, stable_flags(ctx), TRACE_FLAG_IRQS_OFF);

	local_bh_disable();
	ctx = record_context();
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, stable_flags(ctx), TRACE_FLAG_BH_OFF);

	migrate_disable();
	ctx = record_context();
	migrate_enable();
	KUNIT_EXPECT_EQ(test, ctx >> (RECORD_CTX_PC_SHIFT + 4),
			IS_ENABLED(CONFIG_SMP));
}

/* Depths of more than four bits are recorded as 15. */
static void test_context_deep(struct kunit *test)
{
	u32 ctx;
	int i;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "preemption is not counted");
	for (i = 0; i < 20; i++)
		preempt_disable();
	ctx = record_context();
	while (i--)
		preempt_enable();
	KUNIT_EXPECT_EQ(test, preempt_depth(ctx), 15);
}

/* Without a call, a probe gets the same depth, which does not include its own. */
static void test_context_plain(struct kunit *test)
{
	u32 plain, differ = 0, nr = 0;
	int i;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "preemption is not counted");
	for (i = 0; i < 20; i++) {
		preempt_disable();
		if (!record_probe_context_plain(&plain))
			continue;
		nr++;
		differ += preempt_depth(plain) != preempt_depth(record_probe_context());
	}
	while (i--)
		preempt_enable();
	KUNIT_EXPECT_GT(test, nr, 0);
	KUNIT_EXPECT_EQ(test, differ, 0);
}

static void test_context_irq(struct kunit *test)
{
	struct context_probe probe = {
		.work = IRQ_WORK_INIT_HARD(probe_hardirq),
	};

	init_completion(&probe.done);
	tasklet_setup(&probe.tasklet, probe_softirq);
	irq_work_queue(&probe.work);
	KUNIT_EXPECT_NE(test, 0, wait_for_completion_timeout(&probe.done, HZ));
	irq_work_sync(&probe.work);
	tasklet_kill(&probe.tasklet);
	KUNIT_EXPECT_EQ(test, stable_flags(probe.hard) & ~TRACE_FLAG_SOFTIRQ,
			TRACE_FLAG_HARDIRQ | TRACE_FLAG_IRQS_OFF);
	KUNIT_EXPECT_EQ(test, stable_flags(probe.soft), TRACE_FLAG_SOFTIRQ);
}

/* Consume the next record of any CPU. */
static bool take_record(struct strobe_ring_record *rec, void *buf, size_t size)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!strobe_ring_peek(tr->ring, cpu, rec))
			continue;
		memcpy(buf, rec->data, min_t(size_t, size, rec->len));
		rec->data = buf;
		strobe_ring_consume(tr->ring, cpu);
		return true;
	}
	return false;
}

static void test_header(struct kunit *test)
{
	struct strobe_ring_record rec;
	struct strobe_ring_resv resv;
	struct trace_entry *entry;
	u8 buf[64];

	preempt_disable();
	entry = strobe_record_reserve(tr->ring, 0x1234, 16,
				      TRACE_FLAG_NMI << RECORD_CTX_FLAGS_SHIFT |
				      0x5a << RECORD_CTX_PC_SHIFT, &resv);
	if (entry)
		strobe_ring_commit(&resv);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, entry);

	KUNIT_ASSERT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
	entry = (struct trace_entry *)buf;
	KUNIT_EXPECT_EQ(test, rec.len, 16);
	KUNIT_EXPECT_EQ(test, entry->type, 0x1234);
	KUNIT_EXPECT_EQ(test, entry->flags, TRACE_FLAG_NMI);
	KUNIT_EXPECT_EQ(test, entry->preempt_count, 0x5a);
	KUNIT_EXPECT_EQ(test, entry->pid, current->pid);
}

/* Records of several lengths. */
static void test_lengths(struct kunit *test)
{
	static const u32 lens[] = { 8, 111, 112, 113, 116, 117, 1000 };
	struct trace_event_file file = { .sink = { .ring = tr->ring, .type = 0x1234 }, .tr = tr };
	struct strobe_ring_record rec;
	struct strobe_reserved res;
	u8 buf[64];
	int i;

	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++) {
		u32 len = lens[i / 2];

		/* On the fast path, and with a gate. */
		file.sink.gate = i % 2 ? STROBE_GATE_STACKTRACE : 0;
		preempt_disable();
		res = strobe_event_reserve(&file.sink, len);
		if (res.entry)
			strobe_event_commit(res.handle);
		preempt_enable();
		KUNIT_ASSERT_NOT_NULL(test, res.entry);
		KUNIT_ASSERT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
		KUNIT_EXPECT_EQ(test, rec.len, round_up(len, 4));
		KUNIT_EXPECT_EQ(test, ((struct trace_entry *)buf)->type, 0x1234);
	}
	KUNIT_EXPECT_FALSE(test, take_record(&rec, buf, sizeof(buf)));
}

/* Records that are too long for any ring, after some others in the sub-buffer. */
static void test_too_long(struct kunit *test)
{
	static const unsigned long lens[] = {
		BIT(23), BIT(26), BIT(30), BIT(31), BIT(31) + 16, BIT(32) - 70000, BIT(32) - 4096,
		BIT(32) - 16, BIT(32) - 4, BIT(32) - 1, BIT(32), BIT(32) + 16, BIT(33) + 16,
		-70000UL, -4096UL, -16UL, -4UL,
	};
	static const unsigned long gates[] = { 0, STROBE_GATE_STACKTRACE };
	struct trace_event_file file = { .sink = { .ring = tr->ring, .type = 0x1234 }, .tr = tr };
	struct strobe_ring_record rec;
	struct strobe_reserved res;
	u8 buf[64];
	int i;

	for (i = 0; i < 4 * ARRAY_SIZE(lens); i++) {
		if (i % (2 * ARRAY_SIZE(lens)) == 0) {
			/* The local clock, then another one. */
			strobe_ring_set_clock(tr->ring, i ? trace_clock_global : NULL);
			strobe_ring_reset(tr->ring, STROBE_RING_ALL_CPUS);
		}
		preempt_disable();
		file.sink.gate = 0;
		res = strobe_event_reserve(&file.sink, 100);
		if (res.entry)
			strobe_event_commit(res.handle);
		file.sink.gate = gates[i % 2];
		res = strobe_event_reserve(&file.sink, lens[i / 2 % ARRAY_SIZE(lens)]);
		if (res.entry)
			strobe_event_commit(res.handle);
		preempt_enable();
		KUNIT_EXPECT_NULL_MSG(test, res.entry, "length %#lx, gate %#lx",
				      lens[i / 2 % ARRAY_SIZE(lens)], file.sink.gate);
	}
	strobe_ring_set_clock(tr->ring, NULL);
	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++)
		KUNIT_EXPECT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
	KUNIT_EXPECT_FALSE(test, take_record(&rec, buf, sizeof(buf)));
	strobe_ring_reset(tr->ring, STROBE_RING_ALL_CPUS);
}

/* Nested deferred records have separate memory; one too many is dropped. */
static void test_deferred(struct kunit *test)
{
	struct trace_event_file file = {
		.sink = { .gate = STROBE_GATE_STACKTRACE, .ring = tr->ring, .type = 0x1234 },
		.tr = tr,
	};
	struct strobe_reserved res[32], straight;
	struct strobe_ring_stats stats;
	struct strobe_ring_record rec;
	int i, nr, round, cpu;
	u32 buf[4];

	for (round = 0; round < 2; round++) {
		strobe_ring_reset(tr->ring, STROBE_RING_ALL_CPUS);
		file.sink.gate = STROBE_GATE_STACKTRACE;
		preempt_disable();
		cpu = smp_processor_id();
		for (nr = 0; nr < ARRAY_SIZE(res); nr++) {
			res[nr] = strobe_event_reserve(&file.sink, sizeof(buf));
			if (!res[nr].entry)
				break;
			((u32 *)res[nr].entry)[2] = nr;
		}
		file.sink.gate = 0;
		straight = strobe_event_reserve(&file.sink, sizeof(buf));
		if (straight.entry) {
			((u32 *)straight.entry)[2] = nr;
			strobe_event_commit(straight.handle);
		}
		for (i = nr - 1; i >= 0; i--)
			strobe_event_commit(res[i].handle);
		preempt_enable();

		/* Enough for all four levels of context, with nesting in each. */
		KUNIT_EXPECT_GE(test, nr, 8);
		KUNIT_ASSERT_LT(test, nr, ARRAY_SIZE(res));
		KUNIT_ASSERT_NOT_NULL(test, straight.entry);
		strobe_ring_stats(tr->ring, cpu, &stats);
		KUNIT_EXPECT_EQ(test, stats.dropped, 1);
		KUNIT_EXPECT_EQ(test, stats.discarded, 0);
		KUNIT_EXPECT_EQ(test, stats.entries, nr + 1);
		/* In the order in which they were committed. */
		for (i = nr; i >= 0; i--) {
			KUNIT_ASSERT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
			KUNIT_EXPECT_EQ(test, rec.len, sizeof(buf));
			KUNIT_EXPECT_EQ(test, buf[2], i);
		}
	}
}

/* The language of set_event. */

static int set_event(struct kunit *test, const char *words)
{
	char buf[64], before[64];
	int ret;

	strscpy(buf, words);
	strscpy(before, words);
	ret = strobe_instance_set_event_string(tr, buf + (*buf == '!'), *buf != '!');
	KUNIT_EXPECT_STREQ(test, buf, before);
	return ret;
}

static bool is_enabled(const char *name)
{
	struct trace_event_file *file;
	char state[4];

	guard(mutex)(&strobe_event_mutex);
	file = strobe_event_file_find(tr, "sched", name);
	if (!file)
		return false;
	strobe_event_file_state(file, state);
	return !strcmp(state, "1");
}

static void test_set_event(struct kunit *test)
{
	static const char * const one[] = {
		"sched:sched_switch", "sched_switch", ":sched_switch", "*:sched_switch",
	};
	static const char * const all[] = { "sched", "sched:", "sched:*", "*:*", ":" };
	int i;

	for (i = 0; i < ARRAY_SIZE(one); i++) {
		KUNIT_EXPECT_EQ(test, 0, set_event(test, one[i]));
		KUNIT_EXPECT_TRUE(test, is_enabled("sched_switch"));
		KUNIT_EXPECT_FALSE(test, is_enabled("sched_process_exec"));
		KUNIT_EXPECT_EQ(test, 'X', strobe_instance_events_state(tr, "sched"));
		KUNIT_EXPECT_EQ(test, 0, set_event(test, "!sched:sched_switch"));
		KUNIT_EXPECT_EQ(test, '0', strobe_instance_events_state(tr, NULL));
	}
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		KUNIT_EXPECT_EQ(test, 0, set_event(test, all[i]));
		KUNIT_EXPECT_EQ(test, '1', strobe_instance_events_state(tr, "sched"));
		KUNIT_EXPECT_EQ(test, 0, set_event(test, "!sched"));
		KUNIT_EXPECT_EQ(test, '0', strobe_instance_events_state(tr, "sched"));
	}
	KUNIT_EXPECT_EQ(test, '?', strobe_instance_events_state(tr, "no_such_system"));
}

static void test_set_event_errors(struct kunit *test)
{
	static const char * const bad[] = {
		"no_such", "sched:no_such", "no_such:*", "sched:sched_switch:", "sched_*",
		"irq:irq_handler_entry", "!no_such", "!!sched", "",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, set_event(test, bad[i]), "%s", bad[i]);
		KUNIT_EXPECT_EQ(test, '0', strobe_instance_events_state(tr, NULL));
	}
	KUNIT_EXPECT_EQ(test, -ENOENT, trace_array_set_clr_event(NULL, "sched", NULL, true));
	KUNIT_EXPECT_EQ(test, -EINVAL, trace_array_set_clr_event(tr, "sched", "no", true));
}

/* Enabled events are recorded, and the names of their tasks are known. */
static void test_enabled_records(struct kunit *test)
{
	struct strobe_ring_record rec;
	char comm[TASK_COMM_LEN];
	u8 buf[256];

	KUNIT_ASSERT_EQ(test, 0, set_event(test, "sched:sched_switch"));
	msleep(20);
	KUNIT_ASSERT_EQ(test, 0, set_event(test, "!sched:sched_switch"));
	KUNIT_EXPECT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
	strobe_comm_lookup(current->pid, comm);
	KUNIT_EXPECT_STREQ(test, comm, current->comm);
}

/* Clocks. */

static void test_clocks(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_STREQ(test, strobe_instance_clocks[0].name, "local");
	for (i = 0; i < strobe_instance_nr_clocks; i++) {
		KUNIT_EXPECT_EQ(test, 5, __trace_array_puts(tr, _THIS_IP_, "clock", 5));
		KUNIT_EXPECT_EQ(test, 0,
				strobe_instance_set_clock(tr, strobe_instance_clocks[i].name));
		KUNIT_EXPECT_EQ(test, i, tr->clock);
		KUNIT_EXPECT_TRUE(test, strobe_ring_empty(tr->ring, STROBE_RING_ALL_CPUS));
	}
	KUNIT_EXPECT_EQ(test, -EINVAL, strobe_instance_set_clock(tr, "sundial"));
	KUNIT_EXPECT_EQ(test, strobe_instance_nr_clocks - 1, tr->clock);
}

/* Options. */

static int set_option(const char *words)
{
	char buf[64];

	strscpy(buf, words);
	return strobe_instance_set_option_string(tr, buf);
}

static void test_options(struct kunit *test)
{
	unsigned int before = tr->options;

	KUNIT_EXPECT_EQ(test, 0, set_option("hex"));
	KUNIT_EXPECT_EQ(test, before | STROBE_OPT_HEX, tr->options);
	KUNIT_EXPECT_EQ(test, 0, set_option(" nohex\n"));
	KUNIT_EXPECT_EQ(test, before, tr->options);
	KUNIT_EXPECT_EQ(test, -EINVAL, set_option("no_such"));
	KUNIT_EXPECT_EQ(test, -EINVAL, set_option(""));
	KUNIT_EXPECT_EQ(test, -EINVAL, strobe_instance_set_option(tr, STROBE_NR_OPTIONS, true));
	KUNIT_EXPECT_EQ(test, before, tr->options);

	KUNIT_EXPECT_EQ(test, 0, set_option("nooverwrite"));
	KUNIT_EXPECT_FALSE(test, tr->ring->overwrite);
	KUNIT_EXPECT_EQ(test, 0, set_option("overwrite"));
	KUNIT_EXPECT_TRUE(test, tr->ring->overwrite);
}

static void test_printk_destination(struct kunit *test)
{
	struct trace_array *before = strobe_instance_printk_dest;

	KUNIT_EXPECT_EQ(test, -EINVAL,
			strobe_instance_set_option(top_instance,
						   STROBE_OPT_TRACE_PRINTK_DEST_BIT, false));
	KUNIT_EXPECT_EQ(test, 0, set_option("trace_printk_dest"));
	KUNIT_EXPECT_PTR_EQ(test, tr, strobe_instance_printk_dest);
	KUNIT_EXPECT_FALSE(test, top_instance->options & STROBE_OPT_TRACE_PRINTK_DEST);
	KUNIT_EXPECT_EQ(test, 0, set_option("notrace_printk_dest"));
	KUNIT_EXPECT_PTR_EQ(test, top_instance, strobe_instance_printk_dest);
	KUNIT_EXPECT_TRUE(test, top_instance->options & STROBE_OPT_TRACE_PRINTK_DEST);
	KUNIT_EXPECT_PTR_EQ(test, before, strobe_instance_printk_dest);
}

/* The names are recorded in the destination, whose ring has the records. */
static void test_printk_names(struct kunit *test)
{
	unsigned int *top = &top_instance->comm.users[COMM_NAMES], at_top;
	unsigned int *users = &tr->comm.users[COMM_NAMES], before = *users;

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_printk_record_names(true));
	at_top = *top;
	KUNIT_EXPECT_EQ(test, 0, set_option("trace_printk_dest"));
	KUNIT_EXPECT_EQ(test, before + 1, *users);
	KUNIT_EXPECT_EQ(test, at_top - 1, *top);
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_printk_record_names(false));
	KUNIT_EXPECT_EQ(test, before, *users);
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_printk_record_names(true));
	KUNIT_EXPECT_EQ(test, before + 1, *users);
	KUNIT_EXPECT_EQ(test, 0, set_option("notrace_printk_dest"));
	KUNIT_EXPECT_EQ(test, before, *users);
	KUNIT_EXPECT_EQ(test, at_top, *top);
	KUNIT_EXPECT_EQ(test, 0,
			strobe_instance_printk_record_names(strobe_instance_printk_used &&
							    top_instance->options &
							    STROBE_OPT_PRINTK));
}

/* The option of the top instance is for events of all, whose own options stay. */
static void test_record_of_all(struct kunit *test)
{
	unsigned int *users = &tr->comm.users[COMM_NAMES], on;
	char event[] = "sched:sched_switch";

	KUNIT_ASSERT_EQ(test, 0, strobe_instance_set_event_string(tr, event, true));
	on = *users;
	KUNIT_EXPECT_GT(test, on, 0);
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_set_option(top_instance, STROBE_OPT_RECORD_CMD_BIT,
							    false));
	KUNIT_EXPECT_EQ(test, on - 1, *users);
	KUNIT_EXPECT_TRUE(test, tr->options & STROBE_OPT_RECORD_CMD);
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_set_option(top_instance, STROBE_OPT_RECORD_CMD_BIT,
							    true));
	KUNIT_EXPECT_EQ(test, on, *users);
	KUNIT_EXPECT_TRUE(test, tr->options & STROBE_OPT_RECORD_CMD);
	KUNIT_EXPECT_EQ(test, 0, strobe_instance_set_event_string(tr, event, false));
}

static void test_stack(struct kunit *test)
{
	struct strobe_ring_record rec;
	struct stack_entry *entry;
	unsigned long buf[80];

	if (!IS_ENABLED(CONFIG_STACKTRACE) || IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "no stack traces of a running task here");
	KUNIT_ASSERT_EQ(test, 0, set_option("stacktrace"));
	__trace_array_puts(tr, _THIS_IP_, "deep\n", 5);
	KUNIT_ASSERT_EQ(test, 0, set_option("nostacktrace"));
	KUNIT_ASSERT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
	KUNIT_ASSERT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
	entry = (struct stack_entry *)buf;
	KUNIT_EXPECT_EQ(test, entry->ent.type, TRACE_STACK);
	KUNIT_ASSERT_GT(test, entry->size, 1);
	/* The trace begins in this function; functions of the tracer are not in it. */
	KUNIT_EXPECT_GT(test, entry->caller[0], (unsigned long)test_stack);
	KUNIT_EXPECT_LT(test, entry->caller[0], (unsigned long)test_stack + 4096);
	KUNIT_EXPECT_FALSE(test, take_record(&rec, buf, sizeof(buf)));
}

/* The record has all frames of a deep stack, and ends where a short one ends. */
static noinline unsigned int put_deep(unsigned int depth)
{
	unsigned int ret;

	if (depth)
		ret = put_deep(depth - 1);
	else
		ret = __trace_array_puts(tr, _THIS_IP_, "deep\n", 5);
	/* No sibling call */
	barrier();
	return ret + depth;
}

static void test_deep_stack(struct kunit *test)
{
	struct stack_entry *entry;
	struct strobe_ring_record rec;
	unsigned long *buf, last = 0;
	static const unsigned int depths[] = { 0, 40, 60, 100, 200 };
	unsigned int i, size = 0;

	if (!IS_ENABLED(CONFIG_STACKTRACE) || IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "no stack traces of a running task here");
	buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_EQ(test, 0, set_option("stacktrace"));
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		put_deep(depths[i]);
		if (!take_record(&rec, buf, PAGE_SIZE) || !take_record(&rec, buf, PAGE_SIZE)) {
			KUNIT_FAIL(test, "no records");
			break;
		}
		entry = (struct stack_entry *)buf;
		KUNIT_EXPECT_EQ(test, entry->ent.type, TRACE_STACK);
		if (!i) {
			size = entry->size;
			last = entry->caller[size - 1];
		}
		KUNIT_EXPECT_EQ(test, entry->size, size + depths[i]);
		KUNIT_EXPECT_EQ(test, entry->caller[entry->size - 1], last);
	}
	KUNIT_ASSERT_EQ(test, 0, set_option("nostacktrace"));
}

static void test_off(struct kunit *test)
{
	struct strobe_ring_record rec;
	u8 buf[64];

	strobe_instance_set_on(tr, false);
	KUNIT_EXPECT_FALSE(test, strobe_instance_is_on(tr));
	KUNIT_EXPECT_EQ(test, 0, __trace_array_puts(tr, _THIS_IP_, "x", 1));
	strobe_instance_stop(tr);
	strobe_instance_set_on(tr, true);
	KUNIT_EXPECT_TRUE(test, strobe_instance_is_on(tr));
	KUNIT_EXPECT_EQ(test, 0, __trace_array_puts(tr, _THIS_IP_, "x", 1));
	strobe_instance_start(tr);
	KUNIT_EXPECT_EQ(test, 1, __trace_array_puts(tr, _THIS_IP_, "x", 1));
	KUNIT_EXPECT_TRUE(test, take_record(&rec, buf, sizeof(buf)));
	KUNIT_EXPECT_FALSE(test, take_record(&rec, buf, sizeof(buf)));
}

static struct kunit_case instance_test_cases[] = {
	KUNIT_CASE(test_lifetime),
	KUNIT_CASE(test_only_its_systems),
	KUNIT_CASE(test_files_at_first_use),
	KUNIT_CASE(test_context_task),
	KUNIT_CASE(test_context_deep),
	KUNIT_CASE(test_context_plain),
	KUNIT_CASE(test_context_irq),
	KUNIT_CASE(test_header),
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_too_long),
	KUNIT_CASE(test_deferred),
	KUNIT_CASE(test_set_event),
	KUNIT_CASE(test_set_event_errors),
	KUNIT_CASE(test_enabled_records),
	KUNIT_CASE(test_clocks),
	KUNIT_CASE(test_options),
	KUNIT_CASE(test_printk_destination),
	KUNIT_CASE(test_printk_names),
	KUNIT_CASE(test_record_of_all),
	KUNIT_CASE(test_stack),
	KUNIT_CASE(test_deep_stack),
	KUNIT_CASE(test_off),
	{}
};

static struct kunit_suite instance_test_suite = {
	.name		= "strobe_instance",
	.init		= instance_test_init,
	.exit		= instance_test_exit,
	.test_cases	= instance_test_cases,
};

kunit_test_suite(instance_test_suite);
