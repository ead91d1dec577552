// SPDX-License-Identifier: GPL-2.0
/*
 * What fetch programs call: read registers, memory and strings.
 *
 * A read never fails. A value that cannot be read is 0; a pointer that cannot be read is
 * DYN_POISON, so that what it leads to cannot be read either; a string that cannot be read, or
 * for which the record has no room, has length 0. A string that does not fit is cut.
 *
 * A kernel read of an address below TASK_SIZE reads user space where addresses tell the two apart.
 * That is ABI.
 *
 * No state. Contexts: any, also NMI, preemption off; those for tasks: a task that may sleep.
 * Nothing here may be probed, as that would recurse.
 */
#include <linux/build_bug.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/strobe/field.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "dynamic/internal.h"
#include "dynamic/read.h"
#include "dynamic/regs.h"

#if DYN_X86_64
#include <asm/vsyscall.h>
#endif

/* Addresses tell whether memory is the kernel's or the task's. */
#define ADDRESS_TELLS	IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE)

/* Words may have any address, and this alone tells whose memory it is. */
#define FAST_READS	(ADDRESS_TELLS && IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS))

#define HELPER(name)								\
	static u64 name(u64 a, u64 b, u64 c, u64 d, u64 e);			\
	NOKPROBE_SYMBOL(name);							\
	static notrace u64 name(u64 a, u64 b, u64 c, u64 d, u64 e)

static nokprobe_inline void *kernel_pointer(u64 addr)
{
	return (void *)(unsigned long)addr;
}

static nokprobe_inline const void __user *user_pointer(u64 addr)
{
	return (const void __user *)(unsigned long)addr;
}

static nokprobe_inline bool is_user(u64 addr)
{
	return ADDRESS_TELLS && addr < TASK_SIZE;
}

static notrace long read_any(void *to, u64 addr, size_t size)
{
	if (is_user(addr))
		return copy_from_user_nofault(to, user_pointer(addr), size);
	return copy_from_kernel_nofault(to, kernel_pointer(addr), size);
}

NOKPROBE_SYMBOL(read_any);

/*
 * Whether an address is one of the kernel at which a load does no more than fail. On x86-64 this is
 * what copy_from_kernel_nofault_allowed() tests, without its call: any other address than a
 * canonical one of the kernel raises an exception that is not expected here.
 */
static nokprobe_inline bool is_plain(unsigned long addr, size_t size)
{
#if DYN_X86_64
	return (long)addr >> __VIRTUAL_MASK_SHIFT == -1 && (addr & PAGE_MASK) != VSYSCALL_ADDR;
#else
	return FAST_READS && addr >= TASK_SIZE_MAX &&
	       copy_from_kernel_nofault_allowed((void *)addr, size);
#endif
}

/* On x86-64, a fault at an address of the kernel never waits for a page. */
static nokprobe_inline void faults_disable(void)
{
	if (!DYN_X86_64)
		pagefault_disable();
}

static nokprobe_inline void faults_enable(void)
{
	if (!DYN_X86_64)
		pagefault_enable();
}

/*
 * This is copy_from_kernel_nofault() of one word without its loops. Events often follow several
 * pointers, so it is worth it.
 */
#define READER(name, type, failed)						\
HELPER(name)									\
{										\
	type val;								\
										\
	if (!is_plain(a, sizeof(val)))						\
		return read_any(&val, a, sizeof(val)) ? (failed) : val;		\
	faults_disable();							\
	__get_kernel_nofault(&val, kernel_pointer(a), type, fault);		\
	faults_enable();							\
	return val;								\
fault:										\
	faults_enable();							\
	return failed;								\
}

READER(word, unsigned long, DYN_POISON)
READER(read_u8, u8, 0)
READER(read_u16, u16, 0)
READER(read_u32, u32, 0)
READER(read_u64, u64, 0)

HELPER(word_user)
{
	unsigned long val;

	return copy_from_user_nofault(&val, user_pointer(a), sizeof(val)) ? DYN_POISON : val;
}

HELPER(word_task)
{
	unsigned long val;

	return copy_from_user(&val, user_pointer(a), sizeof(val)) ? DYN_POISON : val;
}

static nokprobe_inline void number_put(void *to, u32 size, u64 val)
{
	switch (size) {
	case 1:
		*(u8 *)to = val;
		break;
	case 2:
		put_unaligned((u16)val, (u16 *)to);
		break;
	case 4:
		put_unaligned((u32)val, (u32 *)to);
		break;
	default:
		put_unaligned(val, (u64 *)to);
	}
}

HELPER(number_user)
{
	u64 val;

	return copy_from_user_nofault(&val, user_pointer(a), b) ? 0 : dyn_load(&val, b);
}

HELPER(number_task)
{
	u64 val;

	return copy_from_user(&val, user_pointer(a), b) ? 0 : dyn_load(&val, b);
}

/* Arrays. If all of it cannot be read, each element that can be is. */

HELPER(copy)
{
	char *to = kernel_pointer(b);
	u32 i;

	if (!read_any(to, a, c * d))
		return 0;
	for (i = 0; i < d; i++) {
		if (read_any(to + i * c, a + i * c, c))
			memset(to + i * c, 0, c);
	}
	return 0;
}

HELPER(copy_task)
{
	char *to = kernel_pointer(b);
	u32 i;

	if (!copy_from_user(to, user_pointer(a), c * d))
		return 0;
	for (i = 0; i < d; i++) {
		if (copy_from_user(to + i * c, user_pointer(a + i * c), c))
			memset(to + i * c, 0, c);
	}
	return 0;
}

HELPER(shift)
{
	char *to = kernel_pointer(a);
	u32 i;

	for (i = 0; i < c; i++)
		number_put(to + i * b, b, dyn_load(to + i * b, b) << d >> e);
	return 0;
}

/* Strings */

static nokprobe_inline u32 room_of(const struct dyn_frame *frame)
{
	return frame->end > frame->dyn ? min(frame->end - frame->dyn, DYN_STRING_MAX) : 0;
}

/* Where the next string goes, and its location; @len counts the NUL, and is negative on a fault. */
static nokprobe_inline void string_done(struct dyn_frame *frame, void *loc, long len)
{
	if (len < 0)
		len = 0;
	put_unaligned((u32)len << 16 | (frame->dyn & 0xffff), (u32 *)loc);
	frame->dyn += len;
}

static notrace void string_copy(struct dyn_frame *frame, u64 addr, void *loc, bool user)
{
	char *to = frame->out + frame->dyn;
	u32 room = room_of(frame);
	long len = 0;

	if (room && (user || is_user(addr)))
		len = strncpy_from_user_nofault(to, user_pointer(addr), room);
	else if (room)
		len = strncpy_from_kernel_nofault(to, kernel_pointer(addr), room);
	string_done(frame, loc, len);
}

NOKPROBE_SYMBOL(string_copy);

static notrace void string_copy_task(struct dyn_frame *frame, u64 addr, void *loc)
{
	char *to = frame->out + frame->dyn;
	u32 room = room_of(frame);
	long len = 0;

	if (room)
		len = strncpy_from_user(to, user_pointer(addr), room);
	if (room && len == room)
		to[len - 1] = 0;
	else if (room && len >= 0)
		len++;
	string_done(frame, loc, len);
}

NOKPROBE_SYMBOL(string_copy_task);

HELPER(string)
{
	string_copy(kernel_pointer(a), b, kernel_pointer(c), false);
	return 0;
}

HELPER(string_user)
{
	string_copy(kernel_pointer(a), b, kernel_pointer(c), true);
	return 0;
}

HELPER(string_task)
{
	string_copy_task(kernel_pointer(a), b, kernel_pointer(c));
	return 0;
}

HELPER(strings)
{
	char *loc = kernel_pointer(c);
	u64 addr;
	u32 i;

	for (i = 0; i < d; i++, b += sizeof(long), loc += sizeof(u32)) {
		addr = b;
		if (e & DYN_STRINGS_USER_PTRS)
			addr = word_user(b, 0, 0, 0, 0);
		else if (e & DYN_STRINGS_POINTERS)
			addr = word(b, 0, 0, 0, 0);
		string_copy(kernel_pointer(a), addr, loc, e & DYN_STRINGS_USER);
	}
	return 0;
}

HELPER(strings_task)
{
	char *loc = kernel_pointer(c);
	u64 addr;
	u32 i;

	for (i = 0; i < d; i++, b += sizeof(long), loc += sizeof(u32)) {
		addr = e & DYN_STRINGS_POINTERS ? word_task(b, 0, 0, 0, 0) : b;
		string_copy_task(kernel_pointer(a), addr, loc);
	}
	return 0;
}

/* The name of a kernel address. Names are looked up without locks, so this is safe anywhere. */
HELPER(symstr)
{
	struct dyn_frame *frame = kernel_pointer(a);
	char *to = frame->out + frame->dyn;
	u32 room = room_of(frame);
	long len = 0;

	if (b == DYN_POISON || !room)
		len = 0;
	else if (room >= KSYM_SYMBOL_LEN)
		len = sprint_symbol(to, b) + 1;
	else
		len = scnprintf(to, room, "%pS", kernel_pointer(b)) + 1;
	string_done(frame, kernel_pointer(c), len);
	return 0;
}

/* Copy @len bytes, or as many as there is room for, and a NUL. */
static notrace void text_copy(struct dyn_frame *frame, void *loc, const char *text, u32 len)
{
	char *to = frame->out + frame->dyn;
	u32 room = room_of(frame);

	if (room) {
		len = min(len, room - 1);
		memcpy(to, text, len);
		to[len] = 0;
	}
	string_done(frame, loc, room ? len + 1 : 0);
}

NOKPROBE_SYMBOL(text_copy);

HELPER(comm_string)
{
	const char *comm = current->comm;

	text_copy(kernel_pointer(a), kernel_pointer(b), comm, strnlen(comm, TASK_COMM_LEN - 1));
	return 0;
}

HELPER(text_string)
{
	text_copy(kernel_pointer(a), kernel_pointer(c), kernel_pointer(b), d);
	return 0;
}

/* A string in the other event's record: bounded by its length there, and by the record's. */
HELPER(field_string)
{
	struct dyn_frame *frame = kernel_pointer(a);
	u32 at = b, len = e, loc;

	if (d != FILTER_STATIC_STRING) {
		loc = get_unaligned((u32 *)(frame->in + b));
		at = loc & 0xffff;
		if (d == FILTER_RDYN_STRING)
			at += b + sizeof(u32);
		len = loc >> 16;
	}
	if (at >= frame->in_len || !len) {
		string_done(frame, kernel_pointer(c), 0);
		return 0;
	}
	len = min(len, frame->in_len - at);
	len = strnlen(frame->in + at, len);
	text_copy(frame, kernel_pointer(c), frame->in + at, len);
	return 0;
}

HELPER(comm_address)
{
	return (unsigned long)current->comm;
}

/* Registers */

HELPER(get_reg)
{
	return regs_get_register(kernel_pointer(a), b);
}

HELPER(get_stack)
{
	return regs_get_kernel_stack_nth(kernel_pointer(a), b);
}

HELPER(get_stack_task)
{
	unsigned long addr = user_stack_pointer((struct pt_regs *)kernel_pointer(a)), val;

	addr += (IS_ENABLED(CONFIG_STACK_GROWSUP) ? -b : b) * sizeof(long);
	return copy_from_user(&val, user_pointer(addr), sizeof(val)) ? 0 : val;
}

HELPER(get_stack_pointer)
{
	return kernel_stack_pointer(kernel_pointer(a));
}

HELPER(get_stack_pointer_task)
{
	return user_stack_pointer((struct pt_regs *)kernel_pointer(a));
}

HELPER(get_retval)
{
	return regs_return_value(kernel_pointer(a));
}

HELPER(get_param)
{
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	return regs_get_kernel_argument(kernel_pointer(a), b);
#else
	return 0;
#endif
}

const struct strobe_helper strobe_dyn_helpers[DYN_HELPERS] = {
	[DYN_WORD]		= { word, "n" },
	[DYN_WORD_USER]		= { word_user, "n" },
	[DYN_WORD_TASK]		= { word_task, "n" },
	[DYN_U8]		= { read_u8, "n" },
	[DYN_U16]		= { read_u16, "n" },
	[DYN_U32]		= { read_u32, "n" },
	[DYN_U64]		= { read_u64, "n" },
	[DYN_NUMBER_USER]	= { number_user, "nn" },
	[DYN_NUMBER_TASK]	= { number_task, "nn" },
	[DYN_COPY]		= { copy, "nonn" },
	[DYN_COPY_TASK]		= { copy_task, "nonn" },
	[DYN_SHIFT]		= { shift, "onnnn" },
	[DYN_STRING]		= { string, "fno" },
	[DYN_STRING_USER]	= { string_user, "fno" },
	[DYN_STRING_TASK]	= { string_task, "fno" },
	[DYN_STRINGS]		= { strings, "fnonn" },
	[DYN_STRINGS_TASK]	= { strings_task, "fnonn" },
	[DYN_SYMSTR]		= { symstr, "fno" },
	[DYN_COMM_STRING]	= { comm_string, "fo" },
	[DYN_TEXT_STRING]	= { text_string, "fdon" },
	[DYN_FIELD_STRING]	= { field_string, "fnonn" },
	[DYN_COMM_ADDRESS]	= { comm_address, "" },
	[DYN_GET_REG]		= { get_reg, "in" },
	[DYN_GET_STACK]		= { get_stack, "in" },
	[DYN_GET_STACK_TASK]	= { get_stack_task, "in" },
	[DYN_GET_STACK_POINTER]	= { get_stack_pointer, "i" },
	[DYN_GET_STACK_POINTER_TASK] = { get_stack_pointer_task, "i" },
	[DYN_GET_RETVAL]	= { get_retval, "i" },
	[DYN_GET_PARAM]		= { get_param, "in" },
};
