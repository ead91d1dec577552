// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the compiler's back end: emitters and sharing of programs. They also run in
 * user space (tools/testing/strobe), where programs are interpreted.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/code.h"
#include "filter/filter_test.h"
#include "filter/program.h"

/* Emitters */

struct numbers {
	u64	a;
	u64	b;
	u64	quotient;
	u32	word;
	u16	half;
	u8	byte;
};

static unsigned int run(const struct strobe_program *program, void *arg)
{
	unsigned int ret;

	preempt_disable();
	ret = bpf_dispatcher_nop_func(arg, program->prog->insnsi, program->prog->bpf_func);
	preempt_enable();
	return ret;
}

static const u32 offsets[] = {
	offsetof(struct numbers, word), offsetof(struct numbers, half),
	offsetof(struct numbers, byte),
};

/* Divide, store the quotient, and R0 in three sizes; return 1 if the divisor is 0. */
static void emit_numbers(struct strobe_code *code)
{
	u32 i;

	strobe_code_init(code, 1);
	strobe_code_load(code, BPF_REG_2, 8, BPF_REG_1, offsetof(struct numbers, a));
	strobe_code_load(code, BPF_REG_3, 8, BPF_REG_1, offsetof(struct numbers, b));
	strobe_code_divide(code, BPF_REG_2, BPF_REG_3);
	strobe_code_store(code, 8, BPF_REG_1, offsetof(struct numbers, quotient), BPF_REG_2);
	strobe_code_constant(code, BPF_REG_0, 0x1122334455667788);
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		strobe_code_store(code, 4 >> i, BPF_REG_1, offsets[i], BPF_REG_0);
	strobe_code_emit(code, BPF_MOV32_IMM(BPF_REG_0, 0));
	strobe_code_jump(code, BPF_JMP_IMM(BPF_JNE, BPF_REG_3, 0, 0), 0);
	strobe_code_emit(code, BPF_MOV32_IMM(BPF_REG_0, 1));
	strobe_code_label(code, 0);
	strobe_code_emit(code, BPF_EXIT_INSN());
}

static void test_emitters(struct kunit *test)
{
	struct numbers n = { .a = U64_MAX, .b = 10 };
	struct strobe_program *program;
	struct strobe_code code;

	emit_numbers(&code);
	KUNIT_EXPECT_EQ(test, strobe_code_finish(&code), 0);
	program = strobe_program_get(&code, false);
	strobe_code_free(&code);
	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	KUNIT_EXPECT_EQ(test, run(program, &n), 0);
	KUNIT_EXPECT_EQ(test, n.quotient, U64_MAX / 10);
	KUNIT_EXPECT_EQ(test, n.word, 0x55667788);
	KUNIT_EXPECT_EQ(test, n.half, 0x7788);
	KUNIT_EXPECT_EQ(test, n.byte, 0x88);
	n.b = 0;
	KUNIT_EXPECT_EQ(test, run(program, &n), 1);
	KUNIT_EXPECT_EQ(test, n.quotient, U64_MAX);
	strobe_program_put(program);
}

/* A load whose offset does not fit an instruction, and the address of data. */
static void test_far(struct kunit *test)
{
	struct strobe_program *program;
	struct strobe_code code;
	char *arg;

	arg = kvzalloc(100000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, arg);
	arg[99999] = 7;
	strobe_code_init(&code, 1);
	strobe_code_load(&code, BPF_REG_2, 1, BPF_REG_1, 99999);
	strobe_code_data(&code, BPF_REG_3, "abcdefghi", 9);
	strobe_code_data(&code, BPF_REG_3, "\5", 1);
	strobe_code_load(&code, BPF_REG_0, 1, BPF_REG_3, 0);
	strobe_code_emit(&code, BPF_ALU64_REG(BPF_ADD, BPF_REG_0, BPF_REG_2));
	strobe_code_emit(&code, BPF_EXIT_INSN());
	KUNIT_EXPECT_EQ(test, strobe_code_finish(&code), 0);
	program = strobe_program_get(&code, false);
	strobe_code_free(&code);
	if (IS_ERR(program)) {
		KUNIT_FAIL(test, "no program");
	} else {
		KUNIT_EXPECT_EQ(test, run(program, arg), 12);
		strobe_program_put(program);
	}
	kvfree(arg);
}

static void test_too_long(struct kunit *test)
{
	struct strobe_code code;
	int i;

	strobe_code_init(&code, 1);
	strobe_code_jump(&code, BPF_JMP_A(0), 0);
	for (i = 0; i < 32000; i++)
		strobe_code_emit(&code, BPF_MOV32_IMM(BPF_REG_0, 0));
	strobe_code_label(&code, 0);
	strobe_code_emit(&code, BPF_EXIT_INSN());
	KUNIT_EXPECT_EQ(test, strobe_code_finish(&code), -E2BIG);
	strobe_code_free(&code);
}

/* Sharing */

static struct strobe_filter *filter_of(struct kunit *test, const char *text, unsigned int rights)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;

	filter = strobe_filter_create(&filter_test_call, text, rights, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	return filter;
}

/* Expect that filters of the two texts share a program, or that they do not. */
static void expect_shared(struct kunit *test, const char *a, const char *b, bool shared)
{
	struct strobe_filter *first = filter_of(test, a, STROBE_FILTER_ALL);
	struct strobe_filter *second = filter_of(test, b, STROBE_FILTER_ALL);

	KUNIT_EXPECT_TRUE_MSG(test, (first->program == second->program) == shared, "%s; %s", a, b);
	strobe_filter_free(first);
	strobe_filter_free(second);
}

static void test_shared(struct kunit *test)
{
	expect_shared(test, "ui == 5", " ( ui==5 )", true);
	expect_shared(test, "ui == 5", "ui == 6", false);
	expect_shared(test, "ui == 5", "si == 5", false);
	expect_shared(test, "text ~ '*a?b*'", "text ~ \"*a?b*\"", true);
	expect_shared(test, "text ~ '*a?b*'", "text ~ '*a?c*'", false);
	expect_shared(test, "text ~ '*a?b*'", "text ~ '!*a?b*'", false);
	expect_shared(test, "text ~ '*a?b*' && ptr ~ '*'", "text ~ '*a?b*' && ptr ~ '*'", true);
	expect_shared(test, "text ~ '*a?b*' && ptr ~ '*'", "text ~ '*a?b*' && ptr ~ 'x*'", false);
	/* A filter cannot name CPUs that are not possible. */
	if (filter_nr_cpus() < 2)
		return;
	expect_shared(test, "mask & CPUS{0-1}", "mask & CPUS{0,1}", true);
	expect_shared(test, "mask & CPUS{0-1}", "mask & CPUS{0}", false);
	expect_shared(test, "mask & CPUS{0-1}", "mask == CPUS{0-1}", false);
}

/* A shared program and its data outlive the filter that they were made for. */
static void test_shared_life(struct kunit *test)
{
	static const char text[] = "name ~ '*l?na*'";
	struct strobe_filter *filter, *next;
	struct filter_test_record record = { .name = "fullname" };
	int i;

	filter = filter_of(test, text, STROBE_FILTER_ALL);
	for (i = 0; i < 3; i++) {
		next = filter_of(test, text, STROBE_FILTER_ALL);
		KUNIT_EXPECT_TRUE(test, next->program == filter->program);
		strobe_filter_free(filter);
		filter = next;
		preempt_disable();
		KUNIT_EXPECT_TRUE(test, strobe_filter_match(filter, &record));
		preempt_enable();
	}
	/* Code with constants as they are is not for a user without the right to that. */
	next = filter_of(test, text, STROBE_FILTER_ALL & ~STROBE_FILTER_PLAIN_CODE);
	KUNIT_EXPECT_TRUE(test, next->program != filter->program);
	strobe_filter_free(next);
	strobe_filter_free(filter);
}

static struct kunit_case program_test_cases[] = {
	KUNIT_CASE(test_emitters),
	KUNIT_CASE(test_far),
	KUNIT_CASE(test_too_long),
	KUNIT_CASE(test_shared),
	KUNIT_CASE(test_shared_life),
	{}
};

static struct kunit_suite program_test_suite = {
	.name		= "strobe_program",
	.test_cases	= program_test_cases,
};

kunit_test_suite(program_test_suite);
