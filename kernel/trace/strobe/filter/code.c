// SPDX-License-Identifier: GPL-2.0
/*
 * Write an eBPF program.
 *
 * A jump names a label, which is a number. Its offset is set by strobe_code_finish(), when
 * the places of all labels are known. An offset has 16 bits, which limits the length.
 *
 * Constants that do not fit an instruction are the program's data. An instruction that
 * loads the address of some of it has the offset in @data until the program is made:
 * programs whose instructions and data are equal do the same, see program.c.
 *
 * No state. Contexts: task, may sleep.
 */
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/code.h"

/* In a program up to this length, all jump offsets fit in 16 bits. */
#define CODE_MAX	32000U

#define NO_LABEL	(-1)

/**
 * strobe_code_init - begin a program
 * @code: set to an empty program
 * @nr_labels: number of labels that its jumps may name
 *
 * Context: task, may sleep. The caller calls strobe_code_free(), also after an error.
 */
void strobe_code_init(struct strobe_code *code, u32 nr_labels)
{
	*code = (struct strobe_code) { .nr_labels = nr_labels };
	code->labels = kvmalloc_array(nr_labels, sizeof(*code->labels), GFP_KERNEL);
	if (!code->labels)
		code->ret = -ENOMEM;
}

/**
 * strobe_code_free - free what a program being written has allocated
 * @code: the program
 */
void strobe_code_free(struct strobe_code *code)
{
	kvfree(code->insns);
	kvfree(code->targets);
	kvfree(code->labels);
	kvfree(code->data);
}

/* Move an array of @used bytes to an allocation of @bytes. Returns false without memory. */
static bool move_array(void **array, size_t used, size_t bytes)
{
	void *larger = kvmalloc(bytes, GFP_KERNEL);

	if (!larger)
		return false;
	if (used)
		memcpy(larger, *array, used);
	kvfree(*array);
	*array = larger;
	return true;
}

static int make_room(struct strobe_code *code)
{
	u32 room = max(2 * code->room, 64U);

	if (code->room >= CODE_MAX)
		return -E2BIG;
	if (!move_array((void **)&code->insns, code->len * sizeof(*code->insns),
			room * sizeof(*code->insns)) ||
	    !move_array((void **)&code->targets, code->len * sizeof(*code->targets),
			room * sizeof(*code->targets)))
		return -ENOMEM;
	code->room = room;
	return 0;
}

static void emit_to(struct strobe_code *code, struct bpf_insn insn, s32 target)
{
	if (!code->ret && code->len == code->room)
		code->ret = make_room(code);
	if (code->ret)
		return;
	code->insns[code->len] = insn;
	code->targets[code->len++] = target;
}

/**
 * strobe_code_emit - append an instruction
 * @code: the program
 * @insn: an instruction that is no jump, or a jump whose offset is set
 */
void strobe_code_emit(struct strobe_code *code, struct bpf_insn insn)
{
	emit_to(code, insn, NO_LABEL);
}

/**
 * strobe_code_label - let a label stand before the next instruction
 * @code:  the program
 * @label: its number, less than that given to strobe_code_init()
 */
void strobe_code_label(struct strobe_code *code, u32 label)
{
	if (!code->ret)
		code->labels[label] = code->len;
}

/**
 * strobe_code_jump - append a jump
 * @code:  the program
 * @insn:  the jump; its offset is ignored
 * @label: the label that it leads to, which is placed after it
 */
void strobe_code_jump(struct strobe_code *code, struct bpf_insn insn, u32 label)
{
	emit_to(code, insn, label);
}

/* Load a 64-bit constant. Such an instruction takes the place of two. */
static void emit_wide(struct strobe_code *code, u8 reg, u8 kind, u64 val)
{
	struct bpf_insn insns[] = { BPF_LD_IMM64(reg, val) };

	insns[0].src_reg = kind;
	strobe_code_emit(code, insns[0]);
	strobe_code_emit(code, insns[1]);
}

/**
 * strobe_code_constant - load a constant
 * @code: the program
 * @reg:  the register
 * @val:  the value
 */
void strobe_code_constant(struct strobe_code *code, u8 reg, u64 val)
{
	emit_wide(code, reg, 0, val);
}

/**
 * strobe_code_data - load the address of a copy of some data, which lives with the program
 * @code:  the program
 * @reg:   the register
 * @data:  the data, without addresses of what does not outlive the program; padding in it
 *	   must be set, since data is compared byte by byte
 * @bytes: its size
 *
 * The copy is aligned to 8 bytes.
 */
void strobe_code_data(struct strobe_code *code, u8 reg, const void *data, u32 bytes)
{
	u32 padded = (bytes + 7) & ~7U;
	u32 room = max(2 * code->data_room, code->data_len + padded);

	if (code->ret)
		return;
	if (code->data_len + padded > code->data_room) {
		if (!move_array((void **)&code->data, code->data_len, room)) {
			code->ret = -ENOMEM;
			return;
		}
		code->data_room = room;
	}
	memset(code->data + code->data_len, 0, padded);
	memcpy(code->data + code->data_len, data, bytes);
	emit_wide(code, reg, STROBE_CODE_DATA, code->data_len);
	code->data_len += padded;
}

static u8 size_code(u32 size)
{
	switch (size) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	default:
		return BPF_DW;
	}
}

/**
 * strobe_code_load - load from memory; upper bits become zero
 * @code:   the program
 * @reg:    the register to load into
 * @size:   bytes to load: 1, 2, 4 or 8
 * @from:   register with the address
 * @offset: offset from that address
 */
void strobe_code_load(struct strobe_code *code, u8 reg, u32 size, u8 from, u32 offset)
{
	if (offset > S16_MAX) {
		strobe_code_emit(code, BPF_MOV64_REG(reg, from));
		strobe_code_emit(code, BPF_ALU64_IMM(BPF_ADD, reg, offset));
		from = reg;
		offset = 0;
	}
	strobe_code_emit(code, BPF_LDX_MEM(size_code(size), reg, from, offset));
}

/**
 * strobe_code_store - store to memory
 * @code:   the program
 * @size:   bytes to store: 1, 2, 4 or 8
 * @to:     register with the address
 * @offset: offset from that address, up to S16_MAX
 * @reg:    the register to store
 */
void strobe_code_store(struct strobe_code *code, u32 size, u8 to, u32 offset, u8 reg)
{
	strobe_code_emit(code, BPF_STX_MEM(size_code(size), to, reg, offset));
}

/**
 * strobe_code_call - call a function with arguments from R1 on; R0 becomes its result
 * @code:   the program
 * @helper: the function; R1 to R5 are undefined after the call
 */
void strobe_code_call(struct strobe_code *code, const struct strobe_helper *helper)
{
	strobe_code_emit(code, BPF_EMIT_CALL(helper->fn));
}

/**
 * strobe_code_finish - set the offsets of all jumps
 * @code: the program, all of whose labels are placed
 *
 * Return: 0, or the first error since strobe_code_init(): -E2BIG if the program is too
 *	   long, or -ENOMEM
 */
int strobe_code_finish(struct strobe_code *code)
{
	u32 i;

	if (!code->ret && code->len > CODE_MAX)
		code->ret = -E2BIG;
	for (i = 0; i < code->len && !code->ret; i++) {
		if (code->targets[i] != NO_LABEL)
			code->insns[i].off = code->labels[code->targets[i]] - (i + 1);
	}
	return code->ret;
}
