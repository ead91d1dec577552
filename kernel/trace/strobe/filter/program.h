/* SPDX-License-Identifier: GPL-2.0 */
/* Programs: eBPF that the engine has made itself, run by BPF's JIT or interpreter. */
#ifndef _STROBE_FILTER_PROGRAM_H
#define _STROBE_FILTER_PROGRAM_H

#include <linux/refcount.h>
#include <linux/types.h>

struct bpf_prog;
struct strobe_code;

/**
 * struct strobe_program - a program, which several users may share
 * @prog:	its instructions, and the native code if there is a JIT
 * @node:	in the table of programs, unless its constants are blinded
 * @refs:	number of users
 * @hash:	of instructions and data
 * @data_len:	bytes of @data
 * @blinded:	bytes that its native code takes if its constants are blinded, else 0
 * @data:	what the instructions refer to
 *
 * All but @node and @refs is constant.
 */
struct strobe_program {
	struct bpf_prog		*prog;
	struct hlist_node	node;
	refcount_t		refs;
	u32			hash;
	u32			data_len;
	u32			blinded;
	char			data[] __aligned(8);
};

struct strobe_program *strobe_program_get(const struct strobe_code *code, bool blind);
void strobe_program_put(struct strobe_program *program);

#endif /* _STROBE_FILTER_PROGRAM_H */
