/* SPDX-License-Identifier: GPL-2.0 */
/* What fetch programs run on, and the record that they have to make of it. */
#ifndef _STROBE_DYNAMIC_VALUES_H
#define _STROBE_DYNAMIC_VALUES_H

#include "dynamic/definition.h"

#define KERNEL_ADDR	0xffff888000010000
#define USER_ADDR	0x7f0000400000
#define KERNEL_BYTES	10240
#define USER_BYTES	5000
#define JUNK		0xa5

/**
 * struct machine - what a program reads
 * @regs:   registers when it runs
 * @stack:  the kernel's stack then
 * @entry_regs: DYN_RETURN: registers when the function was entered
 * @entry_stack: and the stack
 * @record: DYN_EVENT: the other event's record
 * @base:   DYN_USER: address of the file
 * @kernel: memory of the kernel
 * @user:   memory of the task
 */
struct machine {
	struct pt_regs		regs;
	unsigned long		stack[SHIM_STACK_WORDS];
	struct pt_regs		entry_regs;
	unsigned long		entry_stack[SHIM_STACK_WORDS];
	struct source_record	*record;
	unsigned long		base;
	u8			kernel[KERNEL_BYTES];
	u8			user[USER_BYTES];
};

/* evaluate.c: the parameter of a function, from 0 */
u64 evaluate_param(const struct machine *m, u64 param, bool is_entry);
/*
 * Make the record of @end bytes, which has junk: its arguments, and their strings. Returns the
 * end of these.
 */
u32 evaluate(const struct want *want, const struct machine *m, u8 *record, u32 end);
/* Write the text of a record, which ends at @len. */
void evaluate_text(const struct want *want, const u8 *record, u32 len, struct seq_file *m);

#endif /* _STROBE_DYNAMIC_VALUES_H */
