// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the compiler's back end: emitters, sharing of programs, and the linter, for
 * which they make a bad program of each kind. They also run in user space
 * (tools/testing/strobe), where programs are interpreted.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/code.h"
#include "filter/filter_test.h"
#include "filter/lint.h"
#include "filter/program.h"

/* Emitters */

struct numbers {
	u64	a;
	u64	b;
	u64	difference;
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

/* Subtract, store the difference, and R0 in three sizes; return 1 if nothing is subtracted. */
static void emit_numbers(struct strobe_code *code)
{
	u32 i;

	strobe_code_init(code, 1);
	strobe_code_load(code, BPF_REG_2, 8, BPF_REG_1, offsetof(struct numbers, a));
	strobe_code_load(code, BPF_REG_3, 8, BPF_REG_1, offsetof(struct numbers, b));
	strobe_code_emit(code, BPF_ALU64_REG(BPF_SUB, BPF_REG_2, BPF_REG_3));
	strobe_code_store(code, 8, BPF_REG_1, offsetof(struct numbers, difference), BPF_REG_2);
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
	const struct strobe_lint_rules rules = {
		.readable = offsetof(struct numbers, difference),
		.writable = sizeof(struct numbers),
	};
	struct numbers n = { .a = U64_MAX, .b = 10 };
	struct strobe_lint_fault fault = { "", 0 };
	struct strobe_program *program;
	struct strobe_code code;

	emit_numbers(&code);
	KUNIT_EXPECT_EQ(test, strobe_code_finish(&code), 0);
	KUNIT_EXPECT_TRUE_MSG(test, !strobe_lint(&code, &rules, &fault), "%s at %u", fault.what,
			      fault.at);
	program = strobe_program_get(&code, false);
	strobe_code_free(&code);
	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	KUNIT_EXPECT_EQ(test, run(program, &n), 0);
	KUNIT_EXPECT_EQ(test, n.difference, U64_MAX - 10);
	KUNIT_EXPECT_EQ(test, n.word, 0x55667788);
	KUNIT_EXPECT_EQ(test, n.half, 0x7788);
	KUNIT_EXPECT_EQ(test, n.byte, 0x88);
	n.b = 0;
	KUNIT_EXPECT_EQ(test, run(program, &n), 1);
	KUNIT_EXPECT_EQ(test, n.difference, U64_MAX);
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

	filter = strobe_filter_create(&strobe_filter_test_call, text, rights, &err);
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
	if (strobe_filter_nr_cpus() < 2)
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

/* Native code */

#ifdef CONFIG_BPF_JIT
/* A program with constants blinded or not; NULL if it was refused */
static struct strobe_program *small_program(struct kunit *test, bool blind)
{
	struct strobe_program *program;
	struct strobe_code code;

	emit_numbers(&code);
	KUNIT_EXPECT_EQ(test, strobe_code_finish(&code), 0);
	program = strobe_program_get(&code, blind);
	strobe_code_free(&code);
	if (IS_ERR(program))
		KUNIT_EXPECT_EQ(test, PTR_ERR(program), -ENOMEM);
	return IS_ERR(program) ? NULL : program;
}

/* Expect a program with native code, and put it. */
static void expect_native(struct kunit *test, bool blind)
{
	struct strobe_program *program = small_program(test, blind);

	KUNIT_EXPECT_TRUE(test, program && program->prog->jited);
	if (program)
		strobe_program_put(program);
}

/*
 * Programs that users without rights have asked for leave most of BPF's memory for native code
 * to others. Those that come too late are interpreted, or refused if there is no interpreter.
 */
static void test_native_limit(struct kunit *test)
{
	struct strobe_program *first = small_program(test, true), *second, *last;
	const long limit = bpf_jit_limit;

	KUNIT_ASSERT_NOT_NULL(test, first);
	if (!first->prog->jited) {
		strobe_program_put(first);
		kunit_skip(test, "no JIT");
	}
	/* Room for two: while the tests run, no other program is blinded. */
	WRITE_ONCE(bpf_jit_limit, 4 * 2 * first->blinded);
	second = small_program(test, true);
	last = small_program(test, true);
	KUNIT_EXPECT_TRUE(test, second && second->prog->jited);
	KUNIT_EXPECT_EQ(test, !last, IS_ENABLED(CONFIG_BPF_JIT_ALWAYS_ON));
	if (last) {
		KUNIT_EXPECT_FALSE(test, last->prog->jited);
		strobe_program_put(last);
	}
	/* The limit does not apply to users with rights. */
	expect_native(test, false);
	/* The memory of a program that is freed is available again. */
	if (second)
		strobe_program_put(second);
	expect_native(test, true);
	strobe_program_put(first);
	WRITE_ONCE(bpf_jit_limit, limit);
}
#endif

/* The linter */

static u64 helper(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	return a + b + c + d + e;
}

static u64 other_helper(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	return a - b - c - d - e;
}

static u64 find(u64 at, u64 want, u64 bytes, u64 d, u64 e)
{
	return at + want;
}

static const struct strobe_helper helpers[] = { { helper, "rnd" }, { find, "rnn", true } };

/* The argument has 16 bytes; with a located field at 8. */
static const struct strobe_lint_rules rules = {
	.readable = 16, .writable = 4, .helpers = helpers, .nr_helpers = ARRAY_SIZE(helpers),
};

#define LOC_LENGTH	(IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 8 : 10)
#define LOC_OFFSET	(18 - LOC_LENGTH)
#define MOV(reg, val)	BPF_MOV32_IMM(BPF_REG_##reg, val)
#define EXIT		BPF_EXIT_INSN()
#define LOAD(size, to, from, off) BPF_LDX_MEM(BPF_##size, BPF_REG_##to, BPF_REG_##from, off)
/* R2 = address, R3 = length of the located data; to the first exit if that is less than 4 */
#define LOCATE(skip)							\
	LOAD(H, 3, 1, LOC_LENGTH), LOAD(H, 2, 1, LOC_OFFSET),		\
	BPF_ALU64_REG(BPF_ADD, BPF_REG_2, BPF_REG_1),			\
	BPF_JMP32_IMM(BPF_JLT, BPF_REG_3, 4, skip)

struct linted {
	const char	*what;
	u32		at;
	u32		len;
	struct bpf_insn	insns[10];
};

/* What the linter says of programs, and the instruction that it names; NULL: nothing */
static const struct linted linted[] = {
	{ NULL, 0, 2, { MOV(0, 1), EXIT } },
	{ NULL, 0, 2, { LOAD(DW, 0, 1, 8), EXIT } },
	{ NULL, 0, 4, { MOV(0, 1), BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, 12), LOAD(W, 0, 1, 0),
			EXIT } },
	{ NULL, 0, 7, { MOV(0, 1), LOCATE(1), LOAD(W, 0, 2, 0), EXIT } },
	{ NULL, 0, 8, { MOV(0, 1), LOCATE(2), BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, 12),
			LOAD(W, 0, 2, 0), EXIT } },
	{ NULL, 0, 8, { MOV(0, 1), LOCATE(2), BPF_JMP32_IMM(BPF_JEQ, BPF_REG_3, 4, 1),
			LOAD(B, 0, 2, 4), EXIT } },
	{ NULL, 0, 3, { MOV(0, 1), BPF_STX_MEM(BPF_H, BPF_REG_1, BPF_REG_0, 2), EXIT } },
	{ "a jump backward", 1, 3, { MOV(0, 1), BPF_JMP_A(-1), EXIT } },
	{ "a jump backward", 1, 3, { MOV(0, 1), BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, -2), EXIT } },
	{ "a jump out of the program", 1, 3, { MOV(0, 1), BPF_JMP_A(1), EXIT } },
	{ "a jump into a constant", 2, 5, { MOV(0, 1), BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 1),
					    BPF_LD_IMM64(BPF_REG_0, 1), EXIT } },
	{ "a path without an exit", 0, 1, { MOV(0, 1) } },
	{ "a path without an exit", 3, 4, { MOV(0, 1), BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 1), EXIT,
					    MOV(0, 1) } },
	{ "a result that is no number", 0, 1, { EXIT } },
	{ "a result that is no number", 1, 2, { BPF_MOV64_REG(BPF_REG_0, BPF_REG_1), EXIT } },
	/* R0 is set on one of two paths. */
	{ "a result that is no number", 3, 4, { LOAD(B, 2, 1, 0),
						BPF_JMP_IMM(BPF_JEQ, BPF_REG_2, 0, 1), MOV(0, 1),
						EXIT } },
	{ "a register that is not set", 0, 2, { BPF_MOV64_REG(BPF_REG_0, BPF_REG_6), EXIT } },
	{ "a register that is not set", 0, 2, { BPF_ALU64_IMM(BPF_ADD, BPF_REG_0, 1), EXIT } },
	{ "a comparison of what is no number", 0, 3, { BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 0),
						       MOV(0, 1), EXIT } },
	{ "a comparison of what is no number", 1, 3, { MOV(0, 1), BPF_JMP_REG(BPF_JEQ, BPF_REG_0,
						       BPF_REG_5, 0), EXIT } },
	{ "a use of the stack", 1, 3, { MOV(0, 1), BPF_STX_MEM(BPF_W, BPF_REG_10, BPF_REG_0, -4),
					EXIT } },
	{ "a use of the stack", 0, 2, { BPF_MOV64_REG(BPF_REG_0, BPF_REG_10), EXIT } },
	{ "a load that is out of bounds", 0, 2, { LOAD(DW, 0, 1, 9), EXIT } },
	{ "a load that is out of bounds", 0, 2, { LOAD(B, 0, 1, -1), EXIT } },
	{ "a load that is out of bounds", 1, 3, { BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, 13),
						  LOAD(W, 0, 1, 0), EXIT } },
	{ "a load from elsewhere", 1, 3, { LOAD(DW, 2, 1, 0), LOAD(W, 0, 2, 0), EXIT } },
	{ "a load beyond the length that was tested", 5, 7, { MOV(0, 1), LOCATE(1),
							      LOAD(DW, 0, 2, 0), EXIT } },
	/* The test of the length leads to the load. */
	{ "a load beyond the length that was tested", 5, 7, { MOV(0, 1), LOCATE(0),
							      LOAD(W, 0, 2, 0), EXIT } },
	{ "a load beyond the length that was tested", 5, 7, { MOV(0, 1), LOCATE(1),
							      LOAD(B, 0, 2, 4), EXIT } },
	{ "arithmetic with an address", 0, 3, { BPF_ALU64_IMM(BPF_SUB, BPF_REG_1, 4),
						LOAD(W, 0, 1, 0), EXIT } },
	{ "arithmetic with an address", 0, 3, { BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, 17),
						LOAD(W, 0, 1, 0), EXIT } },
	{ "arithmetic with an address", 5, 8, { MOV(0, 1), LOCATE(2),
						BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, 1),
						LOAD(W, 0, 2, 0), EXIT } },
	{ "arithmetic with an address", 1, 3, { LOAD(W, 2, 1, 0),
						BPF_ALU64_REG(BPF_ADD, BPF_REG_1, BPF_REG_2),
						EXIT } },
	{ "a store that is out of bounds", 1, 3, { MOV(0, 1), BPF_STX_MEM(BPF_W, BPF_REG_1,
						   BPF_REG_0, 1), EXIT } },
	{ "a store that is out of bounds", 1, 3, { MOV(0, 1), BPF_STX_MEM(BPF_W, BPF_REG_0,
						   BPF_REG_0, 0), EXIT } },
	{ "a store of what is no number", 0, 2, { BPF_STX_MEM(BPF_W, BPF_REG_1, BPF_REG_1, 0),
						  EXIT } },
	{ "an address beyond the data", 0, 4, { BPF_RAW_INSN(BPF_LD | BPF_IMM | BPF_DW, 0,
					       STROBE_CODE_DATA, 0, 8), { }, MOV(0, 1), EXIT } },
	{ "an unknown instruction", 0, 2, { BPF_RAW_INSN(BPF_JMP | BPF_CALL | BPF_X, 0, 0, 0, 0),
					    EXIT } },
	{ "an unknown instruction", 0, 2, { BPF_RAW_INSN(BPF_LDX | BPF_ABS, 0, 1, 0, 0),
					    EXIT } },
	{ "an unknown instruction", 0, 1, { BPF_RAW_INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0) } },
};

static void expect_lint_by(struct kunit *test, const struct strobe_lint_rules *rules,
			   const struct linted *linted, int nr)
{
	struct strobe_code code = { .data_len = 8, .len = linted->len };
	struct strobe_lint_fault fault = { };
	int ret;

	code.insns = (struct bpf_insn *)linted->insns;
	ret = strobe_lint(&code, rules, &fault);
	KUNIT_EXPECT_TRUE_MSG(test, ret == (linted->what ? -ENOEXEC : 0), "program %d: %d, %s", nr,
			      ret, fault.what ?: "nothing");
	if (!linted->what || !fault.what)
		return;
	KUNIT_EXPECT_TRUE_MSG(test, !strcmp(fault.what, linted->what) && fault.at == linted->at,
			      "program %d: %s at %u, not %s at %u", nr, fault.what, fault.at,
			      linted->what, linted->at);
}

static void expect_lint(struct kunit *test, const struct linted *linted, int nr)
{
	expect_lint_by(test, &rules, linted, nr);
}

static void test_lint(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(linted); i++)
		expect_lint(test, &linted[i], i);
}

#define CALL		BPF_EMIT_CALL(helper)
#define FIND(bytes)	MOV(2, 1), MOV(3, bytes), BPF_EMIT_CALL(find)
#define DATA(reg)	BPF_RAW_INSN(BPF_LD | BPF_IMM | BPF_DW, reg, STROBE_CODE_DATA, 0, 0), { }

/* Calls have addresses in them, which are not constant for the compiler. */
static void test_lint_calls(struct kunit *test)
{
	const struct linted calls[] = {
		{ NULL, 0, 5, { MOV(2, 1), DATA(3), CALL, EXIT } },
		{ NULL, 0, 8, { LOAD(H, 2, 1, LOC_OFFSET),
				BPF_ALU64_REG(BPF_ADD, BPF_REG_2, BPF_REG_1),
				BPF_MOV64_REG(BPF_REG_1, BPF_REG_2), MOV(2, 1), DATA(3), CALL,
				EXIT } },
		{ "a call of an unknown function", 3, 5, { MOV(2, 1), DATA(3),
							   BPF_EMIT_CALL(other_helper), EXIT } },
		{ "a wrong argument", 2, 4, { DATA(3), CALL, EXIT } },
		{ "a wrong argument", 2, 4, { MOV(2, 1), MOV(3, 1), CALL, EXIT } },
		{ "a wrong argument", 4, 6, { MOV(1, 1), MOV(2, 1), DATA(3), CALL, EXIT } },
		{ "a wrong argument", 3, 5, { DATA(3), BPF_MOV64_REG(BPF_REG_2, BPF_REG_1), CALL,
					      EXIT } },
		{ NULL, 0, 6, { FIND(4), BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 1), LOAD(W, 0, 0, 0),
				EXIT } },
		{ "a load from elsewhere", 3, 5, { FIND(4), LOAD(W, 0, 0, 0), EXIT } },
		{ "a load that is out of bounds", 4, 6, { FIND(3),
							  BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 1),
							  LOAD(W, 0, 0, 0), EXIT } },
		{ "a comparison of what is no number", 3, 6, { FIND(4),
							       BPF_JMP_IMM(BPF_JNE, BPF_REG_0,
									   0, 1),
							       LOAD(W, 0, 0, 0), EXIT } },
		{ "a result that is no number", 5, 6, { FIND(4),
							BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 1),
							BPF_MOV64_REG(BPF_REG_6, BPF_REG_0),
							EXIT } },
		/* R1 to R5 are lost. */
		{ "a load from elsewhere", 4, 6, { MOV(2, 1), DATA(3), CALL, LOAD(B, 0, 1, 0),
						   EXIT } },
		{ "a register that is not set", 4, 6, { MOV(2, 1), DATA(3), CALL,
							BPF_MOV64_REG(BPF_REG_0, BPF_REG_2),
							EXIT } },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		expect_lint(test, &calls[i], i);
}

static const struct strobe_helper frame_helpers[] = { { helper, "fino" } };

/* The argument has two addresses: of 8 bytes to read, and of 8 of which the last 4 are written. */
static const struct strobe_lint_pointer pointers[] = {
	{ .place = 0, .kind = 'i', .readable = 8 },
	{ .place = 8, .kind = 'o', .first = 4, .writable = 8 },
};

static const struct strobe_lint_rules frame_rules = {
	.readable = 24, .helpers = frame_helpers, .nr_helpers = ARRAY_SIZE(frame_helpers),
	.pointers = pointers, .nr_pointers = ARRAY_SIZE(pointers),
};

#define STORE(size, to, from, off) BPF_STX_MEM(BPF_##size, BPF_REG_##to, BPF_REG_##from, off)
#define POINTERS	LOAD(DW, 2, 1, 0), LOAD(DW, 4, 1, 8)
#define ADD(reg, val)	BPF_ALU64_IMM(BPF_ADD, BPF_REG_##reg, val)

static void test_lint_pointers(struct kunit *test)
{
	const struct linted cases[] = {
		{ NULL, 0, 5, { POINTERS, LOAD(W, 0, 2, 4), STORE(W, 4, 0, 4), EXIT } },
		{ NULL, 0, 6, { POINTERS, MOV(0, 1), ADD(4, 4), STORE(W, 4, 0, 0), EXIT } },
		{ NULL, 0, 6, { POINTERS, ADD(4, 4), MOV(3, 1), CALL, EXIT } },
		/* Half of an address is a number, and so is what is found through one. */
		{ NULL, 0, 2, { LOAD(W, 0, 1, 0), EXIT } },
		{ NULL, 0, 5, { POINTERS, MOV(0, 1), BPF_ALU64_REG(BPF_ADD, BPF_REG_0, BPF_REG_2),
				EXIT } },
		{ "a load that is out of bounds", 2, 4, { POINTERS, LOAD(W, 0, 2, 5), EXIT } },
		{ "a load that is out of bounds", 2, 4, { POINTERS, LOAD(B, 0, 4, 4), EXIT } },
		{ "a load that is out of bounds", 3, 5, { POINTERS, ADD(2, 8), LOAD(B, 0, 2, 0),
							  EXIT } },
		{ "a store that is out of bounds", 3, 5, { POINTERS, MOV(0, 1), STORE(W, 4, 0, 3),
							   EXIT } },
		{ "a store that is out of bounds", 3, 5, { POINTERS, MOV(0, 1), STORE(W, 4, 0, 5),
							   EXIT } },
		{ "a store that is out of bounds", 3, 5, { POINTERS, MOV(0, 1), STORE(B, 2, 0, 0),
							   EXIT } },
		{ "a store that is out of bounds", 3, 5, { POINTERS, MOV(0, 1), STORE(B, 1, 0, 0),
							   EXIT } },
		{ "a store of what is no number", 2, 4, { POINTERS, STORE(DW, 4, 2, 4), EXIT } },
		{ "a result that is no number", 3, 4, { POINTERS,
							BPF_MOV64_REG(BPF_REG_0, BPF_REG_2),
							EXIT } },
		{ "arithmetic with an address", 2, 4, { POINTERS, ADD(2, -1), EXIT } },
		{ "a wrong argument", 3, 5, { POINTERS, MOV(3, 1), CALL, EXIT } },
		{ "a wrong argument", 4, 6, { POINTERS, ADD(4, 8), MOV(3, 1), CALL, EXIT } },
		{ "a wrong argument", 5, 7, { POINTERS, ADD(4, 4), MOV(3, 1), ADD(1, 8), CALL,
					      EXIT } },
		{ "a wrong argument", 4, 6, { POINTERS, ADD(4, 4),
					      BPF_MOV64_REG(BPF_REG_3, BPF_REG_2), CALL, EXIT } },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_lint_by(test, &frame_rules, &cases[i], i);
}

static struct kunit_case program_test_cases[] = {
	KUNIT_CASE(test_emitters),
	KUNIT_CASE(test_far),
	KUNIT_CASE(test_too_long),
	KUNIT_CASE(test_shared),
	KUNIT_CASE(test_shared_life),
#ifdef CONFIG_BPF_JIT
	KUNIT_CASE(test_native_limit),
#endif
	KUNIT_CASE(test_lint),
	KUNIT_CASE(test_lint_calls),
	KUNIT_CASE(test_lint_pointers),
	{}
};

static struct kunit_suite program_test_suite = {
	.name		= "strobe_program",
	.test_cases	= program_test_cases,
};

kunit_test_suite(program_test_suite);
