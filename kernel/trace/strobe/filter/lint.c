// SPDX-License-Identifier: GPL-2.0
/*
 * Check a finished program, which no verifier has seen. It may
 *	jump forward only, to an instruction of the program, and must end with an exit
 *	use registers that are set on each path, but not the stack of eBPF (R10)
 *	read and write the argument within the bounds of the rules
 *	read data that a __data_loc or __rel_loc field of the argument locates, as far as it
 *	has compared the field's length with a constant
 *	call the helpers of the rules, with arguments of the right kinds
 *	return a number
 *
 * One pass is enough, since all jumps lead forward: when an instruction is looked at, all
 * paths to it are known. The registers hold at an instruction the common part of the values
 * that they hold on these paths. Code that no path leads to is not looked at.
 *
 *	holds	   from					used for
 *	NUMBER	   constants, loads, arithmetic		anything but an address
 *	LOC_PART   a load of two bytes			half of a located field
 *	ARGUMENT   R1 at the start, plus constants	loads and stores
 *	LOCATED	   ARGUMENT + LOC_PART			loads
 *	MAYBE	   a helper that finds something	a comparison with 0
 *	FOUND	   MAYBE that is not 0			loads
 *	DATA	   a constant of kind STROBE_CODE_DATA	arguments of helpers
 *	POINTER	   a load of an address that the rules	loads, stores, arguments of helpers
 *		   name, plus constants
 *
 * Built in kernels with CONFIG_STROBE_DEBUG and in user space. No state. Contexts: task.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/code.h"
#include "filter/lint.h"

#define REGS		10	/* without R10, the stack */

enum lint_kind {
	LINT_UNSET,
	LINT_NUMBER,
	LINT_LOC_PART,
	LINT_ARGUMENT,
	LINT_LOCATED,
	LINT_DATA,
	LINT_MAYBE,
	LINT_FOUND,
	LINT_POINTER,
};

/**
 * struct lint_reg - what a register holds
 * @kind:	LINT_*
 * @field:	of LINT_LOC_PART: the offset that was loaded from; of LINT_LOCATED: the offset
 *		of the field's lower half; of LINT_POINTER: its number in the rules
 * @val:	of numbers: the least value; of LINT_ARGUMENT: offset in the argument; of
 *		LINT_POINTER: offset from the address; of LINT_MAYBE, LINT_FOUND: bytes at the
 *		address
 */
struct lint_reg {
	u8	kind;
	u16	field;
	u32	val;
};

/* What is known before an instruction; @reached is false if no path leads to it. */
struct lint_state {
	bool		reached;
	struct lint_reg	reg[REGS];
};

struct lint {
	const struct strobe_code	*code;
	const struct strobe_lint_rules	*rules;
	struct lint_state		*states;	/* by instruction, and one for the end */
	struct lint_state		now;
	u32				at;
};

static bool is_number(const struct lint_reg *reg)
{
	return reg->kind == LINT_NUMBER || reg->kind == LINT_LOC_PART;
}

static struct lint_reg common_part(struct lint_reg a, struct lint_reg b)
{
	bool is_offset = a.kind == LINT_ARGUMENT || a.kind == LINT_LOCATED ||
			 a.kind == LINT_POINTER;

	if (a.kind != b.kind || a.field != b.field || (is_offset && a.val != b.val))
		a.kind = is_number(&a) && is_number(&b) ? LINT_NUMBER : LINT_UNSET;
	a.val = min(a.val, b.val);
	return a;
}

/* Continue with c->now at @to, which comes later. */
static void go_to(struct lint *c, u32 to)
{
	struct lint_state *state = &c->states[to];
	u32 i;

	if (!state->reached)
		*state = c->now;
	for (i = 0; i < REGS; i++)
		state->reg[i] = common_part(state->reg[i], c->now.reg[i]);
}

/* The offset between the lower half of a located field and the one with the length. */
static u16 length_of(u16 field)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? field - sizeof(u16) : field + sizeof(u16);
}

static u32 start_of(u16 field)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? field - sizeof(u16) : field;
}

/* Whether the length of the data that @field locates was found to be @bytes or more. */
static bool is_long_enough(const struct lint *c, u16 field, u32 bytes)
{
	u32 i;

	for (i = 0; i < REGS; i++) {
		if (c->now.reg[i].kind == LINT_LOC_PART &&
		    c->now.reg[i].field == length_of(field) && c->now.reg[i].val >= bytes)
			return true;
	}
	return false;
}

static u32 size_of(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* The number of the address that a program with pointers loads from @at, or -1. */
static int pointer_at(const struct lint *c, u32 at, u32 size)
{
	u32 i;

	for (i = 0; i < c->rules->nr_pointers; i++) {
		if (c->rules->pointers[i].place == at && size == sizeof(void *))
			return i;
	}
	return -1;
}

static const char *lint_load(struct lint *c, const struct bpf_insn *insn)
{
	const struct lint_reg *from = &c->now.reg[insn->src_reg];
	struct lint_reg *to = &c->now.reg[insn->dst_reg];
	u32 size = size_of(insn);
	s64 at = insn->off;

	if (BPF_MODE(insn->code) != BPF_MEM)
		return "an unknown instruction";
	if (at < 0)
		return "a load that is out of bounds";
	switch (from->kind) {
	case LINT_ARGUMENT:
		at += from->val;
		if (at + size > c->rules->readable)
			return "a load that is out of bounds";
		if (pointer_at(c, at, size) >= 0) {
			*to = (struct lint_reg) { LINT_POINTER, pointer_at(c, at, size) };
			return NULL;
		}
		*to = (struct lint_reg) { size == 2 ? LINT_LOC_PART : LINT_NUMBER, at };
		return NULL;
	case LINT_LOCATED:
		if (!is_long_enough(c, from->field, at + size))
			return "a load beyond the length that was tested";
		break;
	case LINT_FOUND:
		if (at + size > from->val)
			return "a load that is out of bounds";
		break;
	case LINT_POINTER:
		if (at + from->val + size > c->rules->pointers[from->field].readable)
			return "a load that is out of bounds";
		break;
	default:
		return "a load from elsewhere";
	}
	*to = (struct lint_reg) { LINT_NUMBER };
	return NULL;
}

/* May @size bytes be written @off bytes after what a register points to? */
static bool is_writable(const struct lint *c, const struct lint_reg *to, s32 off, u32 size)
{
	const struct strobe_lint_pointer *pointer;
	u32 at = to->val + off;

	if (off < 0)
		return false;
	if (to->kind == LINT_ARGUMENT)
		return at + size <= c->rules->writable;
	if (to->kind != LINT_POINTER)
		return false;
	pointer = &c->rules->pointers[to->field];
	return at >= pointer->first && at + size <= pointer->writable;
}

static const char *lint_store(struct lint *c, const struct bpf_insn *insn)
{
	if (BPF_MODE(insn->code) != BPF_MEM)
		return "an unknown instruction";
	if (!is_number(&c->now.reg[insn->src_reg]))
		return "a store of what is no number";
	if (!is_writable(c, &c->now.reg[insn->dst_reg], insn->off, size_of(insn)))
		return "a store that is out of bounds";
	return NULL;
}

/* Add a constant to an address. Data of a __rel_loc field is counted from the field's end. */
static const char *lint_address(struct lint_reg *reg, s32 imm, u32 readable)
{
	if (reg->kind == LINT_POINTER && imm >= 0) {
		reg->val += imm;
		return NULL;
	}
	if (reg->kind == LINT_ARGUMENT && imm >= 0 && reg->val + imm <= readable) {
		reg->val += imm;
		return NULL;
	}
	if (reg->kind == LINT_LOCATED && !reg->val && imm == start_of(reg->field) + sizeof(u32)) {
		reg->val = imm;
		return NULL;
	}
	return "arithmetic with an address";
}

static const char *lint_alu(struct lint *c, const struct bpf_insn *insn)
{
	struct lint_reg *dst = &c->now.reg[insn->dst_reg];
	struct lint_reg src = { LINT_NUMBER, 0, max(insn->imm, 0) };
	bool is_wide = BPF_CLASS(insn->code) == BPF_ALU64;
	u8 op = BPF_OP(insn->code);

	if (op == BPF_NEG || op >= BPF_END)
		return "an unknown instruction";
	if (BPF_SRC(insn->code) == BPF_X)
		src = c->now.reg[insn->src_reg];
	if (src.kind == LINT_UNSET || (op != BPF_MOV && dst->kind == LINT_UNSET))
		return "a register that is not set";
	if (op == BPF_MOV && (is_wide || is_number(&src))) {
		*dst = src;
		return NULL;
	}
	if (op == BPF_ADD && is_wide && dst->kind == LINT_LOC_PART && src.kind == LINT_ARGUMENT &&
	    !src.val) {
		*dst = (struct lint_reg) { LINT_LOCATED, dst->field };
		return NULL;
	}
	/* The address of a string, which only helpers read. */
	if (op == BPF_ADD && is_wide && is_number(dst) && src.kind == LINT_POINTER) {
		*dst = (struct lint_reg) { LINT_NUMBER };
		return NULL;
	}
	if (op == BPF_ADD && is_wide && BPF_SRC(insn->code) == BPF_K && !is_number(dst))
		return lint_address(dst, insn->imm, c->rules->readable);
	if (!is_number(dst) || !is_number(&src))
		return "arithmetic with an address";
	*dst = (struct lint_reg) { LINT_NUMBER };
	return NULL;
}

/* A constant takes two instructions. */
static const char *lint_constant(struct lint *c, const struct bpf_insn *insn)
{
	if (insn->code != (BPF_LD | BPF_IMM | BPF_DW) || c->at + 1 >= c->code->len || insn[1].code)
		return "an unknown instruction";
	if (c->states[c->at + 1].reached)
		return "a jump into a constant";
	if (insn->src_reg == STROBE_CODE_DATA) {
		if ((u32)insn->imm >= c->code->data_len)
			return "an address beyond the data";
		c->now.reg[insn->dst_reg] = (struct lint_reg) { LINT_DATA };
		return NULL;
	}
	c->now.reg[insn->dst_reg] = (struct lint_reg) { LINT_NUMBER };
	return insn->src_reg ? "an unknown instruction" : NULL;
}

/* An address that the rules name, of something that may be written if any of it may be. */
static bool fits_pointer(const struct lint *c, const struct lint_reg *reg, char arg)
{
	const struct strobe_lint_pointer *pointer = &c->rules->pointers[reg->field];

	return pointer->kind == arg &&
	       (!pointer->writable || is_writable(c, reg, 0, 1));
}

static bool fits(const struct lint *c, const struct lint_reg *reg, char arg)
{
	if (reg->kind == LINT_POINTER)
		return fits_pointer(c, reg, arg);
	switch (arg) {
	case 'f':
		return c->rules->nr_pointers && reg->kind == LINT_ARGUMENT && !reg->val;
	case 'r':
		return reg->kind == LINT_ARGUMENT || reg->kind == LINT_LOCATED;
	case 'd':
		return reg->kind == LINT_DATA;
	case 'i':
	case 'o':
		return false;
	default:
		return is_number(reg);
	}
}

static const char *lint_call(struct lint *c, const struct bpf_insn *insn)
{
	struct lint_reg *reg = c->now.reg;
	const struct strobe_helper *helper = NULL;
	u32 i;

	for (i = 0; i < c->rules->nr_helpers && !insn->src_reg; i++) {
		if (BPF_EMIT_CALL(c->rules->helpers[i].fn).imm == insn->imm)
			helper = &c->rules->helpers[i];
	}
	if (!helper)
		return "a call of an unknown function";
	for (i = 0; helper->args[i]; i++) {
		if (!fits(c, &reg[BPF_REG_1 + i], helper->args[i]))
			return "a wrong argument";
	}
	reg[BPF_REG_0] = (struct lint_reg) { LINT_NUMBER };
	if (helper->finds)
		reg[BPF_REG_0] = (struct lint_reg) { LINT_MAYBE, 0, reg[BPF_REG_3].val };
	memset(&reg[BPF_REG_1], 0, 5 * sizeof(*reg));
	return NULL;
}

/* What the next instruction knows of a length that was compared with a constant. */
static void learn(struct lint_reg *reg, const struct bpf_insn *insn)
{
	if (BPF_CLASS(insn->code) != BPF_JMP32 || BPF_SRC(insn->code) != BPF_K ||
	    reg->kind != LINT_LOC_PART || insn->imm < 0)
		return;
	if (BPF_OP(insn->code) == BPF_JLT)
		reg->val = max(reg->val, (u32)insn->imm);
	else if (BPF_OP(insn->code) == BPF_JEQ && reg->val == insn->imm)
		reg->val++;
}

/* A jump to @to if what a helper has found is 0. */
static const char *lint_found(struct lint *c, struct lint_reg *reg, const struct bpf_insn *insn,
			      u32 to)
{
	struct lint_reg found = { LINT_FOUND, 0, reg->val };

	if (insn->code != (BPF_JMP | BPF_JEQ | BPF_K) || insn->imm)
		return "a comparison of what is no number";
	*reg = (struct lint_reg) { LINT_NUMBER };
	go_to(c, to);
	*reg = found;
	return NULL;
}

/* Returns NULL with @ends set if nothing follows. */
static const char *lint_jump(struct lint *c, const struct bpf_insn *insn, bool *ends)
{
	struct lint_reg *dst = &c->now.reg[insn->dst_reg];
	u32 to = c->at + 1 + insn->off;
	u8 op = BPF_OP(insn->code);

	*ends = insn->code == (BPF_JMP | BPF_EXIT) || insn->code == (BPF_JMP | BPF_JA);
	if (insn->code == (BPF_JMP | BPF_CALL))
		return lint_call(c, insn);
	if (insn->code == (BPF_JMP | BPF_EXIT))
		return is_number(&c->now.reg[BPF_REG_0]) ? NULL : "a result that is no number";
	if (op > BPF_JSLE || (!*ends && (op == BPF_JA || op == BPF_EXIT || op == BPF_CALL)))
		return "an unknown instruction";
	if (insn->off < 0)
		return "a jump backward";
	if (to >= c->code->len)
		return "a jump out of the program";
	if (!*ends && dst->kind == LINT_MAYBE)
		return lint_found(c, dst, insn, to);
	if (!*ends && (!is_number(dst) || (BPF_SRC(insn->code) == BPF_X &&
					   !is_number(&c->now.reg[insn->src_reg]))))
		return "a comparison of what is no number";
	go_to(c, to);
	if (!*ends)
		learn(dst, insn);
	return NULL;
}

/* Check the instruction at c->at. */
static const char *lint_insn(struct lint *c)
{
	const struct bpf_insn *insn = &c->code->insns[c->at];
	const char *what = "an unknown instruction";
	bool ends = false;
	u32 next = 1;

	if (insn->dst_reg >= REGS || insn->src_reg >= REGS)
		return "a use of the stack";
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		what = lint_constant(c, insn);
		next = 2;
		break;
	case BPF_LDX:
		what = lint_load(c, insn);
		break;
	case BPF_STX:
		what = lint_store(c, insn);
		break;
	case BPF_ALU:
	case BPF_ALU64:
		what = lint_alu(c, insn);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		what = lint_jump(c, insn, &ends);
		break;
	}
	if (!what && !ends)
		go_to(c, c->at + next);
	return what;
}

/**
 * strobe_lint - check a program
 * @code:  the program, after strobe_code_finish()
 * @rules: what it may do
 * @fault: set to what is wrong, if that is all of the program's fault
 *
 * Context: task, may sleep.
 * Return: 0; -ENOEXEC if something is wrong; -ENOMEM
 */
int strobe_lint(const struct strobe_code *code, const struct strobe_lint_rules *rules,
		struct strobe_lint_fault *fault)
{
	struct lint c = { .code = code, .rules = rules };
	const char *what = NULL;

	c.states = kvcalloc(code->len + 1, sizeof(*c.states), GFP_KERNEL);
	if (!c.states)
		return -ENOMEM;
	c.states[0].reached = true;
	c.states[0].reg[BPF_REG_1].kind = LINT_ARGUMENT;
	for (; c.at < code->len && !what; c.at++) {
		c.now = c.states[c.at];
		if (c.now.reached)
			what = lint_insn(&c);
	}
	if (!what && c.states[code->len].reached)
		what = "a path without an exit";
	kvfree(c.states);
	if (!what)
		return 0;
	*fault = (struct strobe_lint_fault) { what, c.at - 1 };
	return -ENOEXEC;
}

/**
 * strobe_lint_warn - check a program, and warn of a fault
 * @code:  the program, after strobe_code_finish()
 * @rules: what it may do
 *
 * Context: task, may sleep.
 * Return: as strobe_lint()
 */
int strobe_lint_warn(const struct strobe_code *code, const struct strobe_lint_rules *rules)
{
	struct strobe_lint_fault fault = { };
	int ret = strobe_lint(code, rules, &fault);

	WARN(ret == -ENOEXEC, "strobe: a program has %s, instruction %u\n", fault.what, fault.at);
	return ret;
}
