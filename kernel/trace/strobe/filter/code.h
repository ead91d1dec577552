/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write an eBPF program: a buffer that grows, labels, and emitters of instructions.
 *
 * Errors need no test after each step. The first one is kept, nothing is emitted after it,
 * and strobe_code_finish() returns it.
 *
 * This header uses only types of the kernel: code.c is also built in user space.
 */
#ifndef _STROBE_FILTER_CODE_H
#define _STROBE_FILTER_CODE_H

#include <linux/filter.h>
#include <linux/types.h>

/* src_reg of a constant that is an offset in the program's data; 0 in the finished program. */
#define STROBE_CODE_DATA	1

/**
 * struct strobe_code - a program being written
 * @insns:	the instructions
 * @targets:	by instruction: the label it jumps to, negative if none
 * @labels:	by label: the number of the instruction it stands before
 * @data:	constants that are too large for an instruction
 * @len:	number of instructions
 * @room:	allocated size of @insns and @targets, in instructions
 * @nr_labels:	allocated size of @labels
 * @data_len:	bytes of @data
 * @data_room:	allocated size of @data in bytes
 * @ret:	0; -E2BIG if the program is too long for jumps, or -ENOMEM
 */
struct strobe_code {
	struct bpf_insn	*insns;
	s32		*targets;
	u32		*labels;
	char		*data;
	u32		len;
	u32		room;
	u32		nr_labels;
	u32		data_len;
	u32		data_room;
	int		ret;
};

/* A function that a program calls. Arguments that the program does not set are undefined. */
typedef u64 (*strobe_helper_fn)(u64 a, u64 b, u64 c, u64 d, u64 e);

/**
 * struct strobe_helper - a function that programs may call
 * @fn:		the function
 * @args:	a letter for each of its arguments: 'r' an address in the record, 'd' the
 *		address of data of the program, 'f' the program's argument, 'i' and 'o' addresses
 *		in that (see strobe_lint_pointer::kind), 'n' a number
 * @finds:	it returns 0, or the address of so many bytes in the record as its third
 *		argument says; else it returns a number
 */
struct strobe_helper {
	strobe_helper_fn	fn;
	const char		*args;
	bool			finds;
};

void strobe_code_init(struct strobe_code *code, u32 nr_labels);
void strobe_code_free(struct strobe_code *code);
int strobe_code_finish(struct strobe_code *code);

void strobe_code_emit(struct strobe_code *code, struct bpf_insn insn);
void strobe_code_label(struct strobe_code *code, u32 label);
void strobe_code_jump(struct strobe_code *code, struct bpf_insn insn, u32 label);
void strobe_code_constant(struct strobe_code *code, u8 reg, u64 val);
void strobe_code_data(struct strobe_code *code, u8 reg, const void *data, u32 bytes);
void strobe_code_load(struct strobe_code *code, u8 reg, u32 size, u8 from, u32 offset);
void strobe_code_store(struct strobe_code *code, u32 size, u8 to, u32 offset, u8 reg);
void strobe_code_call(struct strobe_code *code, const struct strobe_helper *helper);

#endif /* _STROBE_FILTER_CODE_H */
