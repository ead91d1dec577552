// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the tracepoint core. The states are described at the top of
 * tracepoint.c. strobe_tracepoint_check() verifies the invariants after most steps.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/static_call.h>

#include "tracepoint/tracepoint.h"

static int reg_calls, unreg_calls, reg_result;

static int test_reg(void)
{
	reg_calls++;
	return reg_result;
}

static void test_unreg(void)
{
	unreg_calls++;
}

static int wanted_calls;

static bool test_wanted(int value)
{
	wanted_calls++;
	return value > 0;
}

DECLARE_TRACE(strobe_test_plain, TP_PROTO(int value), TP_ARGS(value));
DECLARE_TRACE(strobe_test_fn, TP_PROTO(int value), TP_ARGS(value));
DECLARE_TRACE_CONDITION(strobe_test_cond, TP_PROTO(int value), TP_ARGS(value),
			TP_CONDITION(test_wanted(value)));
/* More arguments than registers, and types that are not of word size. */
DECLARE_TRACE(strobe_test_args,
	      TP_PROTO(u8 a, long b, const char *c, u64 d, short e, void *f, bool g, int h),
	      TP_ARGS(a, b, c, d, e, f, g, h));

DECLARE_TRACE(strobe_test_made_for, TP_PROTO(int value), TP_ARGS(value));

static void probe_a(void *data, int value);

DEFINE_TRACE_PROBE(strobe_test_made_for, probe_a, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(strobe_test_plain, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE_FN(strobe_test_fn, test_reg, test_unreg, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(strobe_test_cond, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(strobe_test_args,
	     TP_PROTO(u8 a, long b, const char *c, u64 d, short e, void *f, bool g, int h),
	     TP_ARGS(a, b, c, d, e, f, g, h));

#define PLAIN (&__tracepoint_strobe_test_plain)
#define FN (&__tracepoint_strobe_test_fn)
#define MADE_FOR (&__tracepoint_strobe_test_made_for)

typedef void (*probe_fn)(void *data, int value);

/* The data of a probe. Only its owner may be called with it. */
struct probe_data {
	probe_fn owner;
	int calls;
	int value;
	int turn;		/* sequence number of its last call among all probes */
};

static int turns;
static int faults;

static void probe_hit(probe_fn self, struct probe_data *data, int value)
{
	if (data->owner != self)
		faults++;
	data->calls++;
	data->value = value;
	data->turn = ++turns;
}

/* The functions must differ, or the compiler or linker may merge them. */
#define DEFINE_PROBE(name)						\
static noinline void name(void *data, int value)			\
{									\
	probe_hit(name, data, value);					\
}

DEFINE_PROBE(probe_a)
DEFINE_PROBE(probe_b)
DEFINE_PROBE(probe_c)

enum state { NONE, DIRECT, WAIT, LOOP };

static enum state state_of(const struct tracepoint *tp)
{
	const struct tracepoint_probes *probes = tracepoint_probes_array(tp->probes);

	if (!probes)
		return NONE;
	if (tp->probes & TRACEPOINT_DIRECT)
		return DIRECT;
	return probes->direct_waiting ? WAIT : LOOP;
}

/* Without static calls, WAIT does not exist. */
static enum state expected(enum state state)
{
	if (!IS_ENABLED(CONFIG_HAVE_STATIC_CALL) && state == WAIT)
		return DIRECT;
	return state;
}

static unsigned int entries_of(const struct tracepoint *tp)
{
	const struct tracepoint_probes *probes = tracepoint_probes_array(tp->probes);

	return probes ? probes->nr : 0;
}

static const char *check(struct tracepoint *tp)
{
	struct tracepoint_batch *batch = kunit_kzalloc(kunit_get_current_test(), sizeof(*batch),
						       GFP_KERNEL);
	const char *fault;

	strobe_tracepoint_batch_begin(batch);
	fault = strobe_tracepoint_check(tp);
	strobe_tracepoint_batch_end(batch);
	return fault;
}

#define EXPECT_SOUND(test, tp)						\
do {									\
	const char *__fault = check(tp);				\
									\
	KUNIT_EXPECT_PTR_EQ_MSG(test, __fault, NULL, "%s", __fault);	\
} while (0)

#define EXPECT_STATE(test, tp, state)					\
do {									\
	KUNIT_EXPECT_EQ(test, (int)state_of(tp), (int)expected(state));	\
	EXPECT_SOUND(test, tp);						\
} while (0)

/* Fire and expect that each of @probes is called once, with the value, in this order. */
static void expect_calls(struct kunit *test, struct probe_data **probes, int nr)
{
	static int value;
	int before = turns;
	int i;

	trace_strobe_test_plain(++value);
	KUNIT_EXPECT_EQ(test, turns, before + nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, probes[i]->turn, before + i + 1);
		KUNIT_EXPECT_EQ(test, probes[i]->value, value);
	}
	KUNIT_EXPECT_EQ(test, faults, 0);
}

#define EXPECT_CALLS(test, ...)						\
do {									\
	struct probe_data *__p[] = { __VA_ARGS__ };			\
									\
	expect_calls(test, __p, ARRAY_SIZE(__p));			\
} while (0)

static int add(struct probe_data *data, int prio)
{
	return tracepoint_probe_register_prio(PLAIN, data->owner, data, prio);
}

static int del(struct probe_data *data)
{
	return tracepoint_probe_unregister(PLAIN, data->owner, data);
}

/* Stubs for functions that the core calls. */

static struct tracepoint_probes *no_memory(unsigned int nr)
{
	return NULL;
}

static bool gp_not_passed(unsigned long gp)
{
	return false;
}

/* The tests */

static void test_off(struct kunit *test)
{
	int before = turns;

	trace_strobe_test_plain(1);
	KUNIT_EXPECT_EQ(test, turns, before);
	KUNIT_EXPECT_FALSE(test, trace_strobe_test_plain_enabled());
	EXPECT_STATE(test, PLAIN, NONE);
}

static void test_one_probe(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a };

	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_plain(probe_a, &a), 0);
	strobe_tracepoint_direct_flush();
	EXPECT_STATE(test, PLAIN, DIRECT);
	KUNIT_EXPECT_TRUE(test, trace_strobe_test_plain_enabled());
	EXPECT_CALLS(test, &a);

	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_plain(probe_a, &a), 0);
	EXPECT_STATE(test, PLAIN, NONE);
	KUNIT_EXPECT_FALSE(test, trace_strobe_test_plain_enabled());
}

/* 0->1->2->3->2->1->0 probes; remove the first one, then the last one */
static void test_transitions(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a };
	struct probe_data b = { .owner = probe_b };
	struct probe_data c = { .owner = probe_c };

	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	EXPECT_STATE(test, PLAIN, DIRECT);
	EXPECT_CALLS(test, &a);
	KUNIT_ASSERT_EQ(test, add(&b, 10), 0);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &a, &b);
	KUNIT_ASSERT_EQ(test, add(&c, 10), 0);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &a, &b, &c);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &b, &c);
	KUNIT_EXPECT_EQ(test, del(&c), 0);
	EXPECT_CALLS(test, &b);
	strobe_tracepoint_direct_flush();
	EXPECT_STATE(test, PLAIN, DIRECT);
	EXPECT_CALLS(test, &b);
	KUNIT_EXPECT_EQ(test, del(&b), 0);
	EXPECT_STATE(test, PLAIN, NONE);
	EXPECT_CALLS(test);
}

static void test_priorities(struct kunit *test)
{
	struct probe_data low = { .owner = probe_a }, mid1 = { .owner = probe_a };
	struct probe_data mid2 = { .owner = probe_b }, high = { .owner = probe_b };
	struct probe_data negative = { .owner = probe_c };

	KUNIT_ASSERT_EQ(test, add(&mid1, TRACEPOINT_DEFAULT_PRIO), 0);
	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_plain(probe_b, &mid2), 0);
	KUNIT_ASSERT_EQ(test, add(&negative, -1), 0);
	KUNIT_ASSERT_EQ(test, register_trace_prio_strobe_test_plain(probe_b, &high, 11), 0);
	KUNIT_ASSERT_EQ(test, add(&low, 9), 0);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &high, &mid1, &mid2, &low, &negative);
	KUNIT_EXPECT_EQ(test, del(&mid1), 0);
	EXPECT_CALLS(test, &high, &mid2, &low, &negative);
	/* Registered again, it comes after the other one of the same priority. */
	KUNIT_ASSERT_EQ(test, add(&mid1, TRACEPOINT_DEFAULT_PRIO), 0);
	EXPECT_CALLS(test, &high, &mid2, &mid1, &low, &negative);
	/* A NULL probe stands for all probes. */
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(PLAIN, NULL, NULL), 0);
	EXPECT_STATE(test, PLAIN, NONE);
}

static void test_errors(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, other = { .owner = probe_a };
	unsigned long word;

	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	word = PLAIN->probes;
	KUNIT_EXPECT_EQ(test, tracepoint_probe_register_may_exist(PLAIN, probe_a, &a), -EEXIST);
	/* A different priority does not make it a different probe. */
	KUNIT_EXPECT_EQ(test, tracepoint_probe_register_prio_may_exist(PLAIN, probe_a, &a, 11),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, del(&other), -ENOENT);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(PLAIN, probe_b, &a), -ENOENT);
	KUNIT_EXPECT_EQ(test, PLAIN->probes, word);
	/* Different data makes it a different probe. */
	KUNIT_EXPECT_EQ(test, add(&other, 10), 0);
	EXPECT_CALLS(test, &a, &other);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	EXPECT_CALLS(test, &other);
	KUNIT_EXPECT_EQ(test, del(&other), 0);
	EXPECT_STATE(test, PLAIN, NONE);
}

static void test_add_without_memory(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };
	unsigned long word;

	kunit_activate_static_stub(test, strobe_tracepoint_probes_alloc, no_memory);
	KUNIT_EXPECT_EQ(test, add(&a, 10), -ENOMEM);
	EXPECT_STATE(test, PLAIN, NONE);
	KUNIT_EXPECT_EQ(test, register_trace_strobe_test_fn(probe_a, &a), -ENOMEM);
	EXPECT_STATE(test, FN, NONE);
	KUNIT_EXPECT_EQ(test, reg_calls, unreg_calls);
	kunit_deactivate_static_stub(test, strobe_tracepoint_probes_alloc);

	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	word = PLAIN->probes;
	kunit_activate_static_stub(test, strobe_tracepoint_probes_alloc, no_memory);
	KUNIT_EXPECT_EQ(test, add(&b, 10), -ENOMEM);
	kunit_deactivate_static_stub(test, strobe_tracepoint_probes_alloc);
	KUNIT_EXPECT_EQ(test, PLAIN->probes & ~TRACEPOINT_DIRECT, word & ~TRACEPOINT_DIRECT);
	EXPECT_SOUND(test, PLAIN);
	EXPECT_CALLS(test, &a);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
}

static void test_remove_without_memory(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };
	struct probe_data c = { .owner = probe_c }, d = { .owner = probe_a };

	KUNIT_ASSERT_EQ(test, add(&a, 3), 0);
	KUNIT_ASSERT_EQ(test, add(&b, 2), 0);
	KUNIT_ASSERT_EQ(test, add(&c, 1), 0);
	kunit_activate_static_stub(test, strobe_tracepoint_probes_alloc, no_memory);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &b, &c);
	KUNIT_EXPECT_EQ(test, del(&a), -ENOENT);
	KUNIT_EXPECT_EQ(test, del(&c), 0);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &b);
	KUNIT_EXPECT_EQ(test, entries_of(PLAIN), 3);
	kunit_deactivate_static_stub(test, strobe_tracepoint_probes_alloc);

	/* The next change removes the holes, and a removed probe can be added again. */
	KUNIT_EXPECT_EQ(test, add(&a, 3), 0);
	KUNIT_EXPECT_EQ(test, entries_of(PLAIN), 2);
	EXPECT_STATE(test, PLAIN, LOOP);
	EXPECT_CALLS(test, &a, &b);

	/* The last probe can be removed without memory, with holes in the array. */
	KUNIT_EXPECT_EQ(test, add(&d, 4), 0);
	kunit_activate_static_stub(test, strobe_tracepoint_probes_alloc, no_memory);
	KUNIT_EXPECT_EQ(test, del(&d), 0);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	EXPECT_CALLS(test, &b);
	KUNIT_EXPECT_EQ(test, del(&b), 0);
	kunit_deactivate_static_stub(test, strobe_tracepoint_probes_alloc);
	EXPECT_STATE(test, PLAIN, NONE);
	EXPECT_CALLS(test);
}

static void test_regfunc(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };

	reg_calls = 0;
	unreg_calls = 0;
	reg_result = -EBUSY;
	KUNIT_EXPECT_EQ(test, register_trace_strobe_test_fn(probe_a, &a), -EBUSY);
	KUNIT_EXPECT_EQ(test, reg_calls, 1);
	KUNIT_EXPECT_EQ(test, unreg_calls, 0);
	EXPECT_STATE(test, FN, NONE);

	reg_result = 0;
	KUNIT_EXPECT_EQ(test, register_trace_strobe_test_fn(probe_a, &a), 0);
	KUNIT_EXPECT_EQ(test, reg_calls, 2);
	/* Only the first probe calls regfunc, so this can't fail. */
	reg_result = -EBUSY;
	KUNIT_EXPECT_EQ(test, register_trace_strobe_test_fn(probe_b, &b), 0);
	KUNIT_EXPECT_EQ(test, reg_calls, 2);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_fn(probe_a, &a), 0);
	KUNIT_EXPECT_EQ(test, unreg_calls, 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_fn(probe_b, &b), 0);
	KUNIT_EXPECT_EQ(test, unreg_calls, 1);
	EXPECT_STATE(test, FN, NONE);
	reg_result = 0;
}

static void test_condition(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a };

	wanted_calls = 0;
	trace_strobe_test_cond(7);
	/* With lockdep, the condition is evaluated even if the tracepoint is off. */
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		KUNIT_EXPECT_EQ(test, wanted_calls, 0);
	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_cond(probe_a, &a), 0);
	trace_strobe_test_cond(0);
	KUNIT_EXPECT_EQ(test, a.calls, 0);
	trace_strobe_test_cond(7);
	KUNIT_EXPECT_EQ(test, a.calls, 1);
	KUNIT_EXPECT_EQ(test, a.value, 7);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_cond(probe_a, &a), 0);
}

struct args_seen {
	int calls;
	bool right;
};

static void probe_args(void *data, u8 a, long b, const char *c, u64 d, short e, void *f,
		       bool g, int h)
{
	struct args_seen *seen = data;

	seen->calls++;
	seen->right = a == 0xfe && b == LONG_MIN && !strcmp(c, "text") && d == U64_MAX &&
		      e == -2 && f == seen && g && h == INT_MIN;
}

static void test_arguments(struct kunit *test)
{
	struct args_seen one = { }, two = { };

	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_args(probe_args, &one), 0);
	strobe_tracepoint_direct_flush();
	trace_strobe_test_args(0xfe, LONG_MIN, "text", U64_MAX, -2, &one, true, INT_MIN);
	KUNIT_EXPECT_EQ(test, one.calls, 1);
	KUNIT_EXPECT_TRUE(test, one.right);
	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_args(probe_args, &two), 0);
	trace_strobe_test_args(0xfe, LONG_MIN, "text", U64_MAX, -2, &two, true, INT_MIN);
	KUNIT_EXPECT_EQ(test, one.calls, 2);
	KUNIT_EXPECT_FALSE(test, one.right);
	KUNIT_EXPECT_EQ(test, two.calls, 1);
	KUNIT_EXPECT_TRUE(test, two.right);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_args(probe_args, &one), 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_args(probe_args, &two), 0);
}

/* The same function with other data becomes DIRECT without a grace period. */
static void test_same_func_again(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, again = { .owner = probe_a };

	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	kunit_activate_static_stub(test, strobe_tracepoint_gp_passed, gp_not_passed);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	EXPECT_STATE(test, PLAIN, NONE);
	KUNIT_ASSERT_EQ(test, add(&again, 10), 0);
	EXPECT_STATE(test, PLAIN, DIRECT);
	EXPECT_CALLS(test, &again);
	/* The same if it is the remaining one of two. */
	KUNIT_ASSERT_EQ(test, add(&a, 11), 0);
	KUNIT_EXPECT_EQ(test, del(&again), 0);
	EXPECT_STATE(test, PLAIN, DIRECT);
	EXPECT_CALLS(test, &a);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	kunit_deactivate_static_stub(test, strobe_tracepoint_gp_passed);
}

/* DEFINE_TRACE_PROBE(): the named probe becomes DIRECT at once; others can be connected. */
static void test_made_for_a_probe(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };

	kunit_activate_static_stub(test, strobe_tracepoint_gp_passed, gp_not_passed);
	EXPECT_STATE(test, MADE_FOR, NONE);
	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_made_for(probe_a, &a), 0);
	EXPECT_STATE(test, MADE_FOR, DIRECT);
	trace_strobe_test_made_for(3);
	KUNIT_EXPECT_EQ(test, a.calls, 1);
	KUNIT_EXPECT_EQ(test, a.value, 3);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_made_for(probe_a, &a), 0);
	kunit_deactivate_static_stub(test, strobe_tracepoint_gp_passed);

	KUNIT_ASSERT_EQ(test, register_trace_strobe_test_made_for(probe_b, &b), 0);
	strobe_tracepoint_direct_flush();
	EXPECT_STATE(test, MADE_FOR, DIRECT);
	trace_strobe_test_made_for(4);
	KUNIT_EXPECT_EQ(test, a.calls, 1);
	KUNIT_EXPECT_EQ(test, b.value, 4);
	KUNIT_EXPECT_EQ(test, unregister_trace_strobe_test_made_for(probe_b, &b), 0);
	EXPECT_STATE(test, MADE_FOR, NONE);
}

/* Another function after a grace period: no need to wait. */
static void test_other_func_late(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };
	unsigned long gp;

	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	KUNIT_EXPECT_EQ(test, del(&a), 0);
	/* Polling may lag behind synchronize_rcu(). */
	gp = get_state_synchronize_rcu();
	while (!poll_state_synchronize_rcu(gp))
		synchronize_rcu();
	KUNIT_ASSERT_EQ(test, add(&b, 10), 0);
	EXPECT_STATE(test, PLAIN, DIRECT);
	EXPECT_CALLS(test, &b);
	KUNIT_EXPECT_EQ(test, del(&b), 0);
}

/*
 * Another function before the grace period. In a batch the work that ends WAIT can't
 * run, so the test can see WAIT.
 */
static void test_other_func_early(struct kunit *test)
{
	struct tracepoint_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };
	struct probe_data c = { .owner = probe_c };

	KUNIT_ASSERT_NOT_NULL(test, batch);
	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	kunit_activate_static_stub(test, strobe_tracepoint_gp_passed, gp_not_passed);

	strobe_tracepoint_batch_begin(batch);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_unregister(batch, PLAIN, probe_a, &a), 0);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_register(batch, PLAIN, probe_b, &b, 10), 0);
	KUNIT_EXPECT_EQ(test, (int)state_of(PLAIN), (int)expected(WAIT));
	KUNIT_EXPECT_PTR_EQ(test, strobe_tracepoint_check(PLAIN), NULL);
	EXPECT_CALLS(test, &b);
	/* WAIT -> LOOP -> WAIT -> NONE -> WAIT */
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_register(batch, PLAIN, probe_c, &c, 11), 0);
	KUNIT_EXPECT_EQ(test, (int)state_of(PLAIN), (int)LOOP);
	EXPECT_CALLS(test, &c, &b);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_unregister(batch, PLAIN, probe_b, &b), 0);
	KUNIT_EXPECT_EQ(test, (int)state_of(PLAIN), (int)expected(WAIT));
	EXPECT_CALLS(test, &c);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_unregister(batch, PLAIN, probe_c, &c), 0);
	KUNIT_EXPECT_EQ(test, (int)state_of(PLAIN), (int)NONE);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_register(batch, PLAIN, probe_b, &b, 10), 0);
	KUNIT_EXPECT_EQ(test, (int)state_of(PLAIN), (int)expected(WAIT));
	KUNIT_EXPECT_PTR_EQ(test, strobe_tracepoint_check(PLAIN), NULL);
	strobe_tracepoint_batch_end(batch);

	/* The stub affects only the task of the test: the work polls RCU. */
	strobe_tracepoint_direct_flush();
	EXPECT_STATE(test, PLAIN, DIRECT);
	EXPECT_CALLS(test, &b);
	kunit_deactivate_static_stub(test, strobe_tracepoint_gp_passed);
	KUNIT_EXPECT_EQ(test, del(&b), 0);
}

#ifdef CONFIG_HAVE_STATIC_CALL
static bool gp_passed(unsigned long gp)
{
	return true;
}

/*
 * Simulate a reader that was interrupted between loading the data of a direct word and
 * the call, with 1->0->1 in between. Returns how many times a probe was called with
 * another one's data.
 */
static int late_reader(struct kunit *test)
{
	struct tracepoint_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };
	void *data;
	int mixed;

	KUNIT_ASSERT_NOT_NULL(test, batch);
	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	data = tracepoint_direct_entry(tracepoint_probes_load(PLAIN))->data;
	strobe_tracepoint_batch_begin(batch);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_unregister(batch, PLAIN, probe_a, &a), 0);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_register(batch, PLAIN, probe_b, &b, 10), 0);
	static_call(tp_func_strobe_test_plain)(data, 1);
	strobe_tracepoint_batch_end(batch);
	KUNIT_EXPECT_EQ(test, a.calls, 1);
	mixed = faults;
	faults = 0;
	strobe_tracepoint_direct_flush();
	KUNIT_EXPECT_EQ(test, del(&b), 0);
	return mixed;
}

static void test_late_reader(struct kunit *test)
{
	kunit_activate_static_stub(test, strobe_tracepoint_gp_passed, gp_not_passed);
	KUNIT_EXPECT_EQ(test, late_reader(test), 0);
	/* Without waiting for the grace period, the probe gets the wrong data. */
	kunit_activate_static_stub(test, strobe_tracepoint_gp_passed, gp_passed);
	KUNIT_EXPECT_EQ(test, late_reader(test), 1);
	kunit_deactivate_static_stub(test, strobe_tracepoint_gp_passed);
}
#else
static void test_late_reader(struct kunit *test)
{
	kunit_skip(test, "readers load func and data from one place");
}
#endif

static void test_batch(struct kunit *test)
{
	struct tracepoint_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct probe_data a = { .owner = probe_a }, b = { .owner = probe_b };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, batch);
	strobe_tracepoint_batch_begin(batch);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_register(batch, PLAIN, probe_a, &a, 10), 0);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_register(batch, FN, probe_b, &b, 10), 0);
	KUNIT_EXPECT_FALSE(test, trace_strobe_test_plain_enabled());
	strobe_tracepoint_batch_end(batch);
	KUNIT_EXPECT_TRUE(test, trace_strobe_test_plain_enabled());
	KUNIT_EXPECT_TRUE(test, trace_strobe_test_fn_enabled());
	EXPECT_SOUND(test, PLAIN);
	EXPECT_SOUND(test, FN);
	EXPECT_CALLS(test, &a);

	strobe_tracepoint_batch_begin(batch);
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_unregister(batch, FN, probe_b, &b), 0);
	/* More changes than a batch can hold, and an odd number of them. */
	for (i = 0; i < TRACEPOINT_BATCH_MAX * 2; i++) {
		KUNIT_EXPECT_EQ(test, 0,
				strobe_tracepoint_batch_unregister(batch, PLAIN, probe_a, &a));
		KUNIT_EXPECT_EQ(test, 0,
				strobe_tracepoint_batch_register(batch, PLAIN, probe_a, &a, 10));
	}
	KUNIT_EXPECT_EQ(test, strobe_tracepoint_batch_unregister(batch, PLAIN, probe_a, &a), 0);
	strobe_tracepoint_batch_end(batch);
	EXPECT_STATE(test, PLAIN, NONE);
	EXPECT_STATE(test, FN, NONE);
	EXPECT_CALLS(test);
}

/* A tracepoint without call sites that was made at run time. */
static void test_made_at_run_time(struct kunit *test)
{
	struct tracepoint *tp = kunit_kzalloc(test, sizeof(*tp), GFP_KERNEL);
	struct probe_data a = { .owner = probe_a };

	KUNIT_ASSERT_NOT_NULL(test, tp);
	tp->name = "strobe_test_made";
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(tp, probe_a, &a), 0);
	if (IS_ENABLED(CONFIG_HAVE_STATIC_CALL))
		KUNIT_EXPECT_EQ(test, (int)state_of(tp), (int)LOOP);
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&tp->key));
	EXPECT_SOUND(test, tp);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, probe_a, &a), 0);
	EXPECT_STATE(test, tp, NONE);
}

static void test_rcuidle(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a };

	if (IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR))
		kunit_skip(test, "this architecture has no such callers");
	trace_strobe_test_plain_rcuidle(4);
	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	trace_strobe_test_plain_rcuidle(5);
	KUNIT_EXPECT_EQ(test, a.calls, 1);
	KUNIT_EXPECT_EQ(test, a.value, 5);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
}

struct search {
	const char *name;
	struct tracepoint *found;
	int times;
};

static void look_for(struct tracepoint *tp, void *priv)
{
	struct search *search = priv;

	if (strcmp(tp->name, search->name))
		return;
	search->found = tp;
	search->times++;
}

static void test_enumeration(struct kunit *test)
{
	struct search search = { .name = "strobe_test_fn" };

	for_each_kernel_tracepoint(look_for, &search);
	KUNIT_EXPECT_EQ(test, search.times, 1);
	KUNIT_EXPECT_PTR_EQ(test, search.found, FN);
}

/* strobe_tracepoint_check() detects each violated invariant. */
static void test_checker(struct kunit *test)
{
	struct tracepoint_probes *probes;
	struct tracepoint *tp;

	probes = kunit_kzalloc(test, struct_size(probes, probe, 2), GFP_KERNEL);
	tp = kunit_kzalloc(test, sizeof(*tp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, probes);
	KUNIT_ASSERT_NOT_NULL(test, tp);
	KUNIT_EXPECT_PTR_EQ(test, check(tp), NULL);

	probes->nr = 2;
	probes->tp = tp;
	probes->probe[0] = (struct tracepoint_func){ .func = probe_a, .prio = 2 };
	probes->probe[1] = (struct tracepoint_func){ .func = probe_b, .prio = 1 };
	tp->probes = (unsigned long)probes;
	KUNIT_EXPECT_STREQ(test, check(tp), "I5: key does not match");
	static_key_enable(&tp->key);
	KUNIT_EXPECT_PTR_EQ(test, check(tp), NULL);

	probes->probe[1].prio = 3;
	KUNIT_EXPECT_STREQ(test, check(tp), "I3: not sorted");
	probes->probe[1] = probes->probe[0];
	KUNIT_EXPECT_STREQ(test, check(tp), "I3: same probe twice");
	probes->probe[1].func = NULL;
	KUNIT_EXPECT_PTR_EQ(test, check(tp), NULL);
	probes->probe[0].func = NULL;
	KUNIT_EXPECT_STREQ(test, check(tp), "I3: no probe");
	probes->probe[0].func = probe_a;
	probes->tp = PLAIN;
	KUNIT_EXPECT_STREQ(test, check(tp), "I3: array of another tracepoint");
	probes->tp = tp;

	probes->direct_waiting = true;
	KUNIT_EXPECT_STREQ(test, check(tp), "I4: waits for nothing");
	probes->direct_waiting = false;
	tp->probes |= TRACEPOINT_DIRECT;
	KUNIT_EXPECT_STREQ(test, check(tp), "I2: direct, but not one probe");
	tp->probes = TRACEPOINT_DIRECT;
	KUNIT_EXPECT_STREQ(test, check(tp), "I2: direct, but no array");
}

#ifdef CONFIG_HAVE_STATIC_CALL
static void test_checker_direct(struct kunit *test)
{
	struct probe_data a = { .owner = probe_a };
	struct tracepoint_probes *probes;

	KUNIT_ASSERT_EQ(test, add(&a, 10), 0);
	strobe_tracepoint_direct_flush();
	probes = (struct tracepoint_probes *)tracepoint_probes_array(PLAIN->probes);
	probes->probe[0].func = probe_b;
	KUNIT_EXPECT_STREQ(test, check(PLAIN), "I1: the static call leads elsewhere");
	probes->probe[0].func = probe_a;
	EXPECT_STATE(test, PLAIN, DIRECT);
	KUNIT_EXPECT_EQ(test, del(&a), 0);
}
#else
static void test_checker_direct(struct kunit *test)
{
	kunit_skip(test, "no static call that could lead elsewhere");
}
#endif

/* Remove the probes of a test that failed, as their data is on its stack. */
static void tracepoint_test_exit(struct kunit *test)
{
	struct tracepoint *all[] = {
		PLAIN, FN, MADE_FOR, &__tracepoint_strobe_test_cond, &__tracepoint_strobe_test_args,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i]->probes)
			tracepoint_probe_unregister(all[i], NULL, NULL);
	}
	tracepoint_synchronize_unregister();
	strobe_tracepoint_direct_flush();
	faults = 0;
}

static struct kunit_case tracepoint_test_cases[] = {
	KUNIT_CASE(test_off),
	KUNIT_CASE(test_one_probe),
	KUNIT_CASE(test_transitions),
	KUNIT_CASE(test_priorities),
	KUNIT_CASE(test_errors),
	KUNIT_CASE(test_add_without_memory),
	KUNIT_CASE(test_remove_without_memory),
	KUNIT_CASE(test_regfunc),
	KUNIT_CASE(test_condition),
	KUNIT_CASE(test_arguments),
	KUNIT_CASE(test_made_for_a_probe),
	KUNIT_CASE(test_same_func_again),
	KUNIT_CASE(test_other_func_late),
	KUNIT_CASE(test_other_func_early),
	KUNIT_CASE(test_late_reader),
	KUNIT_CASE(test_batch),
	KUNIT_CASE(test_made_at_run_time),
	KUNIT_CASE(test_rcuidle),
	KUNIT_CASE(test_enumeration),
	KUNIT_CASE(test_checker),
	KUNIT_CASE(test_checker_direct),
	{}
};

static struct kunit_suite tracepoint_test_suite = {
	.name = "strobe_tracepoint",
	.exit = tracepoint_test_exit,
	.test_cases = tracepoint_test_cases,
};

kunit_test_suite(tracepoint_test_suite);

MODULE_DESCRIPTION("KUnit tests of Strobe's tracepoints");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
