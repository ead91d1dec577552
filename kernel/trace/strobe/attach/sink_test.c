// SPDX-License-Identifier: GPL-2.0
/*
 * Test the scratch memory for records of perf and BPF programs, and what programs see in
 * it. The tests make the calls that probes end in, for a private event and with programs
 * that are C functions.
 */
#include <kunit/test.h>

#include <linux/bpf.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/filter.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <linux/string.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "attach/attach.h"
#include "attach/caller.h"
#include "event/event.h"
#include "record/sink.h"

#define PROGRAMS_MAX	4
/* The longest record that fits into a frame. */
#define WORDS_SHORT	STROBE_WORDS_STRAIGHT
#define WORDS_LONG	(WORDS_SHORT + 1)
/* The longest that perf accepts: it puts a length of one unit before the record. */
#define WORDS_MAX	(PERF_MAX_TRACE_SIZE / sizeof(u32) - 1)
#define NESTED_MAX	64
/* Address where the event fires; only passed through and compared. */
#define FROM		0x5eedUL

/* A struct bpf_prog_array with PROGRAMS_MAX items and the terminating one. */
struct test_programs {
	struct bpf_prog_array		array;
	struct bpf_prog_array_item	items[PROGRAMS_MAX + 1];
};

struct sink_fixture {
	struct trace_event_class	class;
	struct trace_event_call		call;
	struct attached			at;
	struct test_programs		programs;
	struct bpf_prog			prog[PROGRAMS_MAX];
	unsigned int			calls[PROGRAMS_MAX];
	void				*seen;
	u64				seen_cookie;
	bool				regs_good;
	long				regs_moved;
	unsigned int			inner_calls;
	bool				inner_good;
};

/* Global, as the programs get only their context. */
static struct sink_fixture *fix;

static void see(unsigned int nr, const void *ctx)
{
	struct pt_regs *regs = *(struct pt_regs **)ctx;
	struct bpf_trace_run_ctx *run_ctx;

	fix->calls[nr]++;
	fix->seen = (void *)ctx;
	fix->regs_good = regs && instruction_pointer(regs) == FROM;
	run_ctx = container_of(current->bpf_ctx, struct bpf_trace_run_ctx, run_ctx);
	fix->seen_cookie = run_ctx->bpf_cookie;
}

static unsigned int see_first(const void *ctx, const struct bpf_insn *insn)
{
	see(0, ctx);
	return 1;
}

/* Ask for registers twice: both calls return the same ones, moved once. */
static unsigned int see_asking(const void *ctx, const struct bpf_insn *insn)
{
	struct pt_regs *regs = *(struct pt_regs **)ctx;
	unsigned long sp = regs->sp;

	see(3, ctx);
	fix->regs_good &= trace_program_regs((void *)ctx) == regs;
	fix->regs_moved = regs->sp - sp;
	fix->regs_good &= trace_program_regs((void *)ctx) == regs;
	fix->regs_good &= regs->sp - sp == fix->regs_moved;
	return 1;
}

static unsigned int see_second(const void *ctx, const struct bpf_insn *insn)
{
	see(1, ctx);
	return 1;
}

/* Write the fields of a record; probes do not write its header. */
static void fill(void *entry, int byte, unsigned long words)
{
	const size_t begin = sizeof(struct trace_entry);

	if (words * sizeof(u32) > begin)
		memset(entry + begin, byte, words * sizeof(u32) - begin);
}

static bool is_filled(const void *entry, int byte, unsigned long words)
{
	const size_t begin = sizeof(struct trace_entry);

	return words * sizeof(u32) <= begin ||
	       !memchr_inv(entry + begin, byte, words * sizeof(u32) - begin);
}

static void *reserve(unsigned long words)
{
	struct strobe_reserved res;

	res = static_call(strobe_sink_attached_reserve)(&fix->at.sink, words);
	return res.entry;
}

static void commit(void)
{
	static_call(strobe_sink_attached_commit)(FROM);
}

/* Do what a probe does, with fields full of @byte. Returns the record's address or NULL. */
static void *fires(unsigned long words, int byte)
{
	void *entry = reserve(words);

	if (!entry)
		return NULL;
	fill(entry, byte, words);
	commit();
	return entry;
}

/* Fire the event while a program runs: programs do not see that record. */
static unsigned int see_nested(const void *ctx, const struct bpf_insn *insn)
{
	unsigned int before = fix->calls[2]++;
	void *inner;

	if (before)
		return 1;
	inner = fires(WORDS_SHORT, 0xff);
	fix->inner_good = inner && inner != ctx;
	fix->inner_calls = fix->calls[2] - 1;
	fix->seen = (void *)ctx;
	return 1;
}

static int sink_test_init(struct kunit *test)
{
	unsigned int (*const funcs[])(const void *ctx, const struct bpf_insn *insn) = {
		see_first, see_second, see_nested, see_asking,
	};
	int i, ret;

	fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);
	if (!fix)
		return -ENOMEM;
	fix->class.system = "strobe_kunit";
	fix->call.class = &fix->class;
	fix->call.name = "strobe_kunit_event";
	fix->call.type = TRACE_EVENT_TYPE_MAX;
	fix->at.sink.call = &fix->call;
	fix->at.sink.type = fix->call.type;
	fix->at.words_straight = STROBE_WORDS_STRAIGHT;
	fix->at.events = alloc_percpu(struct hlist_head);
	if (!fix->at.events)
		return -ENOMEM;
	for (i = 0; i < PROGRAMS_MAX; i++) {
		fix->prog[i].bpf_func = funcs[i];
		fix->prog[i].stats = alloc_percpu(struct bpf_prog_stats);
		if (!fix->prog[i].stats)
			return -ENOMEM;
	}
	guard(mutex)(&strobe_event_mutex);
	ret = strobe_attached_scratch_get();
	if (!ret)
		test->priv = fix;
	return ret;
}

static void sink_test_exit(struct kunit *test)
{
	int i;

	if (!fix)
		return;
	if (test->priv) {
		guard(mutex)(&strobe_event_mutex);
		strobe_attached_scratch_put();
	}
	for (i = 0; i < PROGRAMS_MAX; i++)
		free_percpu(fix->prog[i].stats);
	free_percpu(fix->at.events);
	fix = NULL;
}

/* Attach @nr programs to the event, at least one: an array of programs is never empty. */
static void set_programs(unsigned int nr, const unsigned int *which)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		fix->programs.items[i].prog = &fix->prog[which[i]];
		fix->programs.items[i].bpf_cookie = 100 + which[i];
	}
	fix->programs.items[nr].prog = NULL;
	rcu_assign_pointer(fix->call.prog_array, &fix->programs.array);
}

static void set_program(unsigned int which)
{
	set_programs(1, &which);
}

/* Whether a record of @words is reserved as zeros in the place of one with bytes 0xff. */
static bool is_cleared(unsigned long words)
{
	bool cleared, same;
	void *entry;

	guard(preempt)();
	entry = fires(words, 0xff);
	same = reserve(words) == entry;
	cleared = entry && is_filled(entry, 0, words);
	commit();
	return same && cleared;
}

/* Reserve until that fails, and fill each record with its number. */
static unsigned int reserve_all(unsigned long words, void **entry)
{
	unsigned int nr;

	for (nr = 0; nr < NESTED_MAX; nr++) {
		entry[nr] = reserve(words);
		if (!entry[nr])
			break;
		fill(entry[nr], nr + 1, words);
	}
	return nr;
}

/* Commit, last record first, as interrupts return. Returns the number of intact records. */
static unsigned int commit_all(unsigned long words, void **entry, unsigned int nr)
{
	unsigned int good = 0;

	while (nr--) {
		good += is_filled(entry[nr], nr + 1, words);
		commit();
	}
	return good;
}

/* Without programs and perf events no record is reserved. */
static void test_nobody(struct kunit *test)
{
	void *entry;

	preempt_disable();
	entry = reserve(WORDS_SHORT);
	preempt_enable();
	KUNIT_EXPECT_NULL(test, entry);
}

/* Records nest up to the number of frames, again after all are committed. */
static void test_depth(struct kunit *test)
{
	void *entry[NESTED_MAX];
	unsigned int nr, good, again, round;

	set_program(0);
	for (round = 0; round < 3; round++) {
		preempt_disable();
		nr = reserve_all(WORDS_SHORT, entry);
		good = commit_all(WORDS_SHORT, entry, nr);
		again = reserve_all(WORDS_SHORT, entry);
		commit_all(WORDS_SHORT, entry, again);
		preempt_enable();
		/* Task, softirq, irq and NMI, some of them more than once. */
		KUNIT_EXPECT_GE(test, nr, 8);
		KUNIT_EXPECT_LT(test, nr, NESTED_MAX);
		KUNIT_EXPECT_EQ(test, nr, good);
		KUNIT_EXPECT_EQ(test, nr, again);
	}
}

/* Records for raw samples, short and long, contain nothing of earlier records. */
static void test_raw(struct kunit *test)
{
	/* At least 5: the last two are always cleared, and the header's two not checked. */
	static const unsigned int words[] = {
		5, 6, 9, WORDS_SHORT - 1, WORDS_SHORT, WORDS_LONG, 2 * WORDS_SHORT, WORDS_MAX,
	};
	int i, round;

	set_program(0);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			fix->at.words_straight = 0;
			KUNIT_EXPECT_TRUE(test, is_cleared(words[i]));
			fix->at.words_straight = STROBE_WORDS_STRAIGHT;
			/* Without raw samples old data is there, so the test can fail. */
			KUNIT_EXPECT_FALSE(test, is_cleared(words[i]));
		}
	}
}

/* One record of perf's maximum length fits in each of the four contexts. */
static void test_longest(struct kunit *test)
{
	void *entry[NESTED_MAX], *small;
	unsigned int nr, good, round;

	set_program(0);
	for (round = 0; round < 3; round++) {
		preempt_disable();
		nr = reserve_all(WORDS_MAX, entry);
		/* Short records can be reserved after a long one was refused. */
		small = fires(WORDS_SHORT, 0xff);
		good = commit_all(WORDS_MAX, entry, nr);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, nr, 4);
		KUNIT_EXPECT_EQ(test, good, 4);
		KUNIT_EXPECT_NOT_NULL(test, small);
	}
}

/* A record that is too long for perf is dropped, and leaks nothing. */
static void test_too_long(struct kunit *test)
{
	void *entry[NESTED_MAX];
	unsigned int i, nr, good, refused = 0;

	set_program(0);
	preempt_disable();
	for (i = 0; i < NESTED_MAX; i++)
		refused += !reserve(WORDS_MAX + 1 + i);
	refused += !reserve(16 * WORDS_MAX);
	nr = reserve_all(WORDS_MAX, entry);
	good = commit_all(WORDS_MAX, entry, nr);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, refused, NESTED_MAX + 1);
	KUNIT_EXPECT_EQ(test, nr, 4);
	KUNIT_EXPECT_EQ(test, good, 4);
}

/* If records are only slightly too long for a frame, the number of frames is the limit. */
static void test_long(struct kunit *test)
{
	void *entry[NESTED_MAX];
	unsigned int nr, good, plain;

	set_program(0);
	preempt_disable();
	plain = reserve_all(WORDS_SHORT, entry);
	commit_all(WORDS_SHORT, entry, plain);
	nr = reserve_all(WORDS_LONG, entry);
	good = commit_all(WORDS_LONG, entry, nr);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, nr, plain);
	KUNIT_EXPECT_EQ(test, good, nr);
}

/* Nested records of all lengths do not overlap. */
static void test_lengths(struct kunit *test)
{
	unsigned long words, other = 7;
	void *outer, *inner;
	bool good = true;

	set_program(0);
	for (words = 2; words <= WORDS_MAX; words += words < 2 * WORDS_LONG ? 1 : 61) {
		preempt_disable();
		outer = reserve(words);
		if (outer)
			fill(outer, 0x11, words);
		inner = fires(other, 0x22);
		good = outer && inner && is_filled(outer, 0x11, words);
		if (outer)
			commit();
		preempt_enable();
		KUNIT_ASSERT_TRUE(test, good);
		other = words;
	}
}

/* Padding after the last field contains no old data. */
static void test_end_is_empty(struct kunit *test)
{
	static const unsigned long words[] = { 3, WORDS_SHORT, WORDS_LONG, WORDS_MAX };
	size_t begin, end;
	unsigned int i;
	bool empty = false;
	void *entry;

	set_program(0);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		end = words[i] * sizeof(u32);
		begin = max(end - 2 * sizeof(u32), sizeof(struct trace_entry));
		preempt_disable();
		fires(words[i], 0xff);
		entry = reserve(words[i]);
		if (entry) {
			empty = !memchr_inv(entry + begin, 0, end - begin);
			commit();
		}
		preempt_enable();
		KUNIT_EXPECT_TRUE(test, empty);
	}
}

/* A program gets the address where the record was written, and the probe's registers. */
static void test_program_sees(struct kunit *test)
{
	static const unsigned long words[] = { 2, 3, 4, WORDS_SHORT, WORDS_LONG, WORDS_MAX };
	static const unsigned int two[] = { 0, 1 };
	unsigned int i;
	void *entry;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		set_program(1);
		preempt_disable();
		entry = fires(words[i], 0);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, fix->calls[1], 2 * i + 1);
		KUNIT_EXPECT_PTR_EQ(test, fix->seen, entry);
		KUNIT_EXPECT_EQ(test, fix->seen_cookie, 101);
		KUNIT_EXPECT_TRUE(test, fix->regs_good);

		fix->seen = NULL;
		set_programs(2, two);
		preempt_disable();
		entry = fires(words[i], 0);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, fix->calls[0], i + 1);
		KUNIT_EXPECT_EQ(test, fix->calls[1], 2 * i + 2);
		KUNIT_EXPECT_PTR_EQ(test, fix->seen, entry);
		KUNIT_EXPECT_EQ(test, fix->seen_cookie, 101);
		KUNIT_EXPECT_TRUE(test, fix->regs_good);
	}
}

/* Offset of the tracepoint's call, as cached after the first record. */
#define MOVED	((long)sizeof(long))

/* Registers are moved only for a record whose program asks for them. */
static void test_program_asks(struct kunit *test)
{
	static const unsigned long words[] = { 2, WORDS_SHORT, WORDS_LONG, WORDS_MAX };
	static const unsigned int both[] = { 3, 0 };
	bool moves = IS_ENABLED(CONFIG_STROBE_CALL_SITE) && !IS_ENABLED(CONFIG_KASAN);
	unsigned int i;

	fix->at.caller = caller_word(FROM, MOVED);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		set_program(3);
		preempt_disable();
		fires(words[i], 0);
		preempt_enable();
		KUNIT_EXPECT_TRUE(test, fix->regs_good);
		KUNIT_EXPECT_EQ(test, fix->regs_moved, moves ? MOVED : 0);

		/* The next program sees them moved, too. */
		set_programs(2, both);
		preempt_disable();
		fires(words[i], 0);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, fix->regs_good, !moves);

		set_program(0);
		preempt_disable();
		fires(words[i], 0);
		preempt_enable();
		KUNIT_EXPECT_TRUE(test, fix->regs_good);
	}
}

static u64 misses_of(const struct bpf_prog *prog)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += u64_stats_read(&per_cpu_ptr(prog->stats, cpu)->misses);
	return sum;
}

/* An event that fires while a program runs is counted as missed. */
static void test_programs_do_not_nest(struct kunit *test)
{
	static const unsigned int which[] = { 2, 0 };
	unsigned int i;
	void *entry;

	for (i = 1; i <= 3; i++) {
		fix->calls[2] = 0;
		set_programs(2, which);
		preempt_disable();
		entry = fires(WORDS_SHORT, 0);
		preempt_enable();
		KUNIT_EXPECT_NOT_NULL(test, entry);
		KUNIT_EXPECT_TRUE(test, fix->inner_good);
		KUNIT_EXPECT_EQ(test, fix->calls[2], 1);
		KUNIT_EXPECT_EQ(test, fix->inner_calls, 0);
		KUNIT_EXPECT_EQ(test, fix->calls[0], i);
		KUNIT_EXPECT_EQ(test, misses_of(&fix->prog[2]), i);
		KUNIT_EXPECT_EQ(test, misses_of(&fix->prog[0]), i);
	}
}

/*
 * Interrupts between reserve and commit: an irq, an NMI in it, and a softirq after it.
 * Each fires the event while the code it interrupted has a record.
 */
enum { SOFT, HARD, NMI, CONTEXTS };

struct interruption {
	struct irq_work		work;
	struct tasklet_struct	tasklet;
	struct completion	done;
	void			*entry[CONTEXTS];
	bool			kept[CONTEXTS];
	int			nmi_pending;
};

static struct interruption interruption;

static void interrupt_fires(unsigned int context, unsigned long words, void (*meanwhile)(void))
{
	void *entry = reserve(words);

	interruption.entry[context] = entry;
	if (!entry)
		return;
	fill(entry, 0x40 + context, words);
	if (meanwhile)
		meanwhile();
	interruption.kept[context] = is_filled(entry, 0x40 + context, words);
	commit();
}

#ifdef CONFIG_X86_LOCAL_APIC

static int interrupt_nmi(unsigned int reason, struct pt_regs *regs)
{
	if (!xchg(&interruption.nmi_pending, 0))
		return NMI_DONE;
	interrupt_fires(NMI, WORDS_MAX, NULL);
	return NMI_HANDLED;
}

static void send_nmi(void)
{
	unsigned int i;

	WRITE_ONCE(interruption.nmi_pending, 1);
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	for (i = 0; i < 1000 && READ_ONCE(interruption.nmi_pending); i++)
		udelay(1);
}

static int nmi_begin(void)
{
	return register_nmi_handler(NMI_LOCAL, interrupt_nmi, 0, "strobe_attach_test");
}

static void nmi_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "strobe_attach_test");
}

#else

static void send_nmi(void)
{
	interrupt_fires(NMI, WORDS_MAX, NULL);
}

static int nmi_begin(void)
{
	return 0;
}

static void nmi_end(void)
{
}

#endif

static void interrupt_soft(struct tasklet_struct *tasklet)
{
	interrupt_fires(SOFT, WORDS_LONG, NULL);
	complete(&interruption.done);
}

static void interrupt_hard(struct irq_work *work)
{
	interrupt_fires(HARD, WORDS_SHORT, send_nmi);
	tasklet_schedule(&interruption.tasklet);
}

static void test_interrupted(struct kunit *test)
{
	unsigned int i;
	void *entry;
	bool good;

	set_program(0);
	memset(&interruption, 0, sizeof(interruption));
	init_completion(&interruption.done);
	interruption.work = IRQ_WORK_INIT_HARD(interrupt_hard);
	tasklet_setup(&interruption.tasklet, interrupt_soft);
	KUNIT_ASSERT_EQ(test, 0, nmi_begin());

	preempt_disable();
	entry = reserve(WORDS_LONG);
	if (entry)
		fill(entry, 0x33, WORDS_LONG);
	irq_work_queue(&interruption.work);
	/* Wait, though they run at once, except a softirq that runs in a task. */
	for (i = 0; i < 2000 && !completion_done(&interruption.done); i++)
		udelay(5);
	good = entry && is_filled(entry, 0x33, WORDS_LONG);
	if (entry)
		commit();
	preempt_enable();

	wait_for_completion(&interruption.done);
	nmi_end();
	KUNIT_EXPECT_TRUE(test, good);
	for (i = 0; i < CONTEXTS; i++) {
		KUNIT_EXPECT_NOT_NULL(test, interruption.entry[i]);
		/* There a softirq is a task, which runs when preemption is enabled again. */
		if (!IS_ENABLED(CONFIG_PREEMPT_RT) || i != SOFT)
			KUNIT_EXPECT_PTR_NE(test, interruption.entry[i], entry);
		KUNIT_EXPECT_TRUE(test, interruption.kept[i]);
	}
}

static struct kunit_case sink_cases[] = {
	KUNIT_CASE(test_nobody),
	KUNIT_CASE(test_depth),
	KUNIT_CASE(test_raw),
	KUNIT_CASE(test_longest),
	KUNIT_CASE(test_too_long),
	KUNIT_CASE(test_long),
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_end_is_empty),
	KUNIT_CASE(test_program_sees),
	KUNIT_CASE(test_program_asks),
	KUNIT_CASE(test_programs_do_not_nest),
	KUNIT_CASE(test_interrupted),
	{}
};

static struct kunit_suite sink_suite = {
	.name = "strobe_attach",
	.init = sink_test_init,
	.exit = sink_test_exit,
	.test_cases = sink_cases,
};

kunit_test_suite(sink_suite);
