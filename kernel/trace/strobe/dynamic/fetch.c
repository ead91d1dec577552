// SPDX-License-Identifier: GPL-2.0
/*
 * Compile the arguments of a probe to programs whose argument, R1, is a struct dyn_frame. One
 * fills the fixed part of a record, and appends strings; one keeps the parameters of a function
 * for the program that runs when it returns.
 *
 * A program that calls nothing has the addresses of input and output in R2 and R3. If it turns out
 * to call something, it is compiled once more, with these and the frame in registers that calls
 * preserve. It only jumps forward, uses no stack of eBPF, and reads other memory only by
 * the functions of read.c.
 *
 * Nothing of a probe but its arguments is in the program, so that probes share programs.
 *
 * No state. Contexts: compiling task, may sleep; running as the functions of read.c.
 */
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/strobe/field.h>

#include "dynamic/internal.h"
#include "dynamic/read.h"
#include "dynamic/regs.h"
#include "filter/code.h"
#include "filter/lint.h"
#include "filter/program.h"

/* Of a program that calls something, in registers that calls preserve; else as below. */
#define IN_KEPT		BPF_REG_6
#define OUT_KEPT	BPF_REG_7
#define FRAME_KEPT	BPF_REG_8

/**
 * struct fetcher - a program being compiled
 * @code:	its instructions
 * @args:	what it fetches
 * @in:		register with dyn_frame::in
 * @out:	register with dyn_frame::out, or dyn_frame::kept in a program for the entry
 * @frame:	register with the frame
 * @calls:	it calls something
 */
struct fetcher {
	struct strobe_code	code;
	const struct dyn_args	*args;
	u8			in;
	u8			out;
	u8			frame;
	bool			calls;
};

static void emit(struct fetcher *f, struct bpf_insn insn)
{
	strobe_code_emit(&f->code, insn);
}

static void emit_number(struct fetcher *f, u8 reg, u64 val)
{
	if (val == (u64)(s32)val)
		emit(f, BPF_MOV64_IMM(reg, (s32)val));
	else
		strobe_code_constant(&f->code, reg, val);
}

/* @reg = R0 + @val; R5 is used if that is large. */
static void emit_sum(struct fetcher *f, u8 reg, u64 val)
{
	if (reg != BPF_REG_0)
		emit(f, BPF_MOV64_REG(reg, BPF_REG_0));
	if (val == (u64)(s32)val) {
		if (val)
			emit(f, BPF_ALU64_IMM(BPF_ADD, reg, (s32)val));
		return;
	}
	strobe_code_constant(&f->code, BPF_REG_5, val);
	emit(f, BPF_ALU64_REG(BPF_ADD, reg, BPF_REG_5));
}

static void emit_call(struct fetcher *f, enum dyn_helper helper)
{
	f->calls = true;
	strobe_code_call(&f->code, &strobe_dyn_helpers[helper]);
}

/* @reg = the address of what is @offset bytes into the output. */
static void emit_place(struct fetcher *f, u8 reg, u32 offset)
{
	emit(f, BPF_MOV64_REG(reg, f->out));
	emit(f, BPF_ALU64_IMM(BPF_ADD, reg, offset));
}

static bool is_for_task(const struct fetcher *f)
{
	return f->args->flags & DYN_USER;
}

/*
 * The place in struct pt_regs where a value is, without any condition; negative if it must be
 * asked for.
 */
static int regs_place(const struct dyn_node *node, bool user)
{
#if DYN_X86_64
	static const u8 params[] = {
		offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
		offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	};

	switch (node->op) {
	case DYN_REG:
		return node->val;
	case DYN_STACK_POINTER:
		return offsetof(struct pt_regs, sp);
	case DYN_RETVAL:
		return offsetof(struct pt_regs, ax);
	case DYN_PARAM:
		return node->val < ARRAY_SIZE(params) ? params[node->val] : -1;
	}
#elif defined(CONFIG_ARM64)
	switch (node->op) {
	case DYN_REG:
		return node->val;
	case DYN_STACK_POINTER:
		return user ? -1 : offsetof(struct pt_regs, sp);
	case DYN_RETVAL:
		return user ? -1 : offsetof(struct pt_regs, regs[0]);
	case DYN_PARAM:
		return node->val < 8 ? offsetof(struct pt_regs, regs[node->val]) : -1;
	}
#endif
	return -1;
}

static void emit_regs(struct fetcher *f, const struct dyn_node *node)
{
	bool user = is_for_task(f);
	int place = regs_place(node, user);

	if (place >= 0) {
		strobe_code_load(&f->code, BPF_REG_0, sizeof(long), f->in, place);
		return;
	}
	emit(f, BPF_MOV64_REG(BPF_REG_1, f->in));
	emit_number(f, BPF_REG_2, node->val);
	switch (node->op) {
	case DYN_REG:
		emit_call(f, DYN_GET_REG);
		break;
	case DYN_STACK:
		emit_call(f, user ? DYN_GET_STACK_TASK : DYN_GET_STACK);
		break;
	case DYN_STACK_POINTER:
		emit_call(f, user ? DYN_GET_STACK_POINTER_TASK : DYN_GET_STACK_POINTER);
		break;
	case DYN_RETVAL:
		emit_call(f, DYN_GET_RETVAL);
		break;
	default:
		emit_call(f, DYN_GET_PARAM);
	}
}

/* R0 = a number of the other event's record. */
static void emit_field_number(struct fetcher *f, const struct dyn_node *node)
{
	u32 size = node->len >= 8 ? 8 : node->len >= 4 ? 4 : node->len >= 2 ? 2 : 1;
	u32 shift = 64 - BITS_PER_BYTE * size;

	strobe_code_load(&f->code, BPF_REG_0, size, f->in, node->val);
	if (!node->is_signed || !shift)
		return;
	emit(f, BPF_ALU64_IMM(BPF_LSH, BPF_REG_0, shift));
	emit(f, BPF_ALU64_IMM(BPF_ARSH, BPF_REG_0, shift));
}

/* R0 = a field of the other event's record, or the address of a string in it. */
static void emit_field(struct fetcher *f, const struct dyn_node *node)
{
	switch (node->kind) {
	case FILTER_STATIC_STRING:
		emit_number(f, BPF_REG_0, node->val);
		break;
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		strobe_code_load(&f->code, BPF_REG_0, 4, f->in, node->val);
		emit(f, BPF_ALU64_IMM(BPF_AND, BPF_REG_0, 0xffff));
		if (node->kind == FILTER_RDYN_STRING)
			emit_sum(f, BPF_REG_0, node->val + sizeof(u32));
		break;
	default:
		emit_field_number(f, node);
		return;
	}
	emit(f, BPF_ALU64_REG(BPF_ADD, BPF_REG_0, f->in));
}

/* R0 = what the first node of an expression has. */
static void emit_first(struct fetcher *f, const struct dyn_node *node)
{
	switch (node->op) {
	case DYN_NUMBER:
	case DYN_SYMBOL:
		emit_number(f, BPF_REG_0, node->val);
		break;
	case DYN_KEPT:
		strobe_code_load(&f->code, BPF_REG_0, sizeof(void *), f->frame,
				 offsetof(struct dyn_frame, kept));
		strobe_code_load(&f->code, BPF_REG_0, sizeof(u64), BPF_REG_0, node->val);
		break;
	case DYN_FILE:
		strobe_code_load(&f->code, BPF_REG_0, sizeof(long), f->frame,
				 offsetof(struct dyn_frame, base));
		emit_sum(f, BPF_REG_0, node->val);
		break;
	case DYN_FIELD:
		emit_field(f, node);
		break;
	case DYN_COMM:
		emit_call(f, DYN_COMM_ADDRESS);
		break;
	case DYN_TEXT:
		/* It has no address that a user could read. */
		emit_number(f, BPF_REG_0, 0);
		break;
	default:
		emit_regs(f, node);
	}
}

/* R0 = the value of an expression, without its last node if @nr says so. */
static void emit_value(struct fetcher *f, const struct dyn_node *nodes, u32 nr)
{
	u32 i;

	emit_first(f, &nodes[0]);
	for (i = 1; i < nr; i++) {
		emit_sum(f, BPF_REG_1, nodes[i].val);
		if (is_for_task(f))
			emit_call(f, DYN_WORD_TASK);
		else
			emit_call(f, nodes[i].op == DYN_READ ? DYN_WORD : DYN_WORD_USER);
	}
}

/* Store R0, which is a number or a bitfield. */
static void emit_store(struct fetcher *f, const struct dyn_arg *arg)
{
	u32 size = dyn_arg_type(arg)->size, offset = f->args->head + arg->offset, i;

	if (arg->left)
		emit(f, BPF_ALU64_IMM(BPF_LSH, BPF_REG_0, arg->left));
	if (arg->right)
		emit(f, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, arg->right));
	if (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) || IS_ALIGNED(offset, size)) {
		strobe_code_store(&f->code, size, f->out, offset, BPF_REG_0);
		return;
	}
	for (i = 0; i < size; i++) {
		u32 at = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? size - 1 - i : i;

		strobe_code_store(&f->code, 1, f->out, offset + at, BPF_REG_0);
		emit(f, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, BITS_PER_BYTE));
	}
}

/* R0 is the address of the last node, without its offset. */
static void emit_memory(struct fetcher *f, const struct dyn_arg *arg, const struct dyn_node *last)
{
	static const u8 readers[] = { [1] = DYN_U8, [2] = DYN_U16, [4] = DYN_U32, [8] = DYN_U64 };
	u32 size = dyn_arg_type(arg)->size;

	emit_sum(f, BPF_REG_1, last->val);
	if (arg->count) {
		emit_place(f, BPF_REG_2, f->args->head + arg->offset);
		emit_number(f, BPF_REG_3, size);
		emit_number(f, BPF_REG_4, arg->count);
		emit_call(f, is_for_task(f) ? DYN_COPY_TASK : DYN_COPY);
		if (!arg->right)
			return;
		emit_place(f, BPF_REG_1, f->args->head + arg->offset);
		emit_number(f, BPF_REG_2, size);
		emit_number(f, BPF_REG_3, arg->count);
		emit_number(f, BPF_REG_4, arg->left);
		emit_number(f, BPF_REG_5, arg->right);
		emit_call(f, DYN_SHIFT);
		return;
	}
	if (is_for_task(f) || last->op == DYN_READ_USER) {
		emit_number(f, BPF_REG_2, size);
		emit_call(f, is_for_task(f) ? DYN_NUMBER_TASK : DYN_NUMBER_USER);
	} else {
		emit_call(f, readers[size]);
	}
	emit_store(f, arg);
}

/* R0 is the address of a string, or of an array, without the offset of a last node that reads. */
static void emit_string(struct fetcher *f, const struct dyn_arg *arg, const struct dyn_node *last)
{
	bool is_read = dyn_arg_is_read(arg, last), task = is_for_task(f);
	u32 how = 0;

	emit_sum(f, BPF_REG_2, is_read ? last->val : 0);
	emit(f, BPF_MOV64_REG(BPF_REG_1, f->frame));
	emit_place(f, BPF_REG_3, f->args->head + arg->offset);
	if (!arg->count) {
		if (arg->store == DYN_STORE_SYMSTR)
			emit_call(f, DYN_SYMSTR);
		else if (task)
			emit_call(f, DYN_STRING_TASK);
		else if (arg->store == DYN_STORE_USTRING)
			emit_call(f, DYN_STRING_USER);
		else
			emit_call(f, DYN_STRING);
		return;
	}
	if (is_read)
		how = DYN_STRINGS_POINTERS;
	if (is_read && last->op == DYN_READ_USER)
		how |= DYN_STRINGS_USER_PTRS;
	if (arg->store == DYN_STORE_USTRING)
		how |= DYN_STRINGS_USER;
	emit_number(f, BPF_REG_4, arg->count);
	emit_number(f, BPF_REG_5, how);
	emit_call(f, task ? DYN_STRINGS_TASK : DYN_STRINGS);
}

/* A string that needs no address. Returns false if it is none of these. */
static bool emit_own_string(struct fetcher *f, const struct dyn_arg *arg,
			    const struct dyn_node *node)
{
	u32 offset = f->args->head + arg->offset;

	if (arg->count || arg->store == DYN_STORE_SYMSTR)
		return false;
	switch (node->op) {
	case DYN_COMM:
		emit_place(f, BPF_REG_2, offset);
		emit(f, BPF_MOV64_REG(BPF_REG_1, f->frame));
		emit_call(f, DYN_COMM_STRING);
		return true;
	case DYN_TEXT:
		strobe_code_data(&f->code, BPF_REG_2,
				 dyn_text(f->args) + arg->expr + node->at, node->len + 1);
		emit_place(f, BPF_REG_3, offset);
		emit_number(f, BPF_REG_4, node->len);
		emit(f, BPF_MOV64_REG(BPF_REG_1, f->frame));
		emit_call(f, DYN_TEXT_STRING);
		return true;
	case DYN_FIELD:
		if (arg->store != DYN_STORE_STRING || node->kind < FILTER_STATIC_STRING ||
		    node->kind > FILTER_RDYN_STRING)
			return false;
		emit_number(f, BPF_REG_2, node->val);
		emit_place(f, BPF_REG_3, offset);
		emit_number(f, BPF_REG_4, node->kind);
		emit_number(f, BPF_REG_5, node->len);
		emit(f, BPF_MOV64_REG(BPF_REG_1, f->frame));
		emit_call(f, DYN_FIELD_STRING);
		return true;
	}
	return false;
}

static void emit_arg(struct fetcher *f, const struct dyn_arg *arg)
{
	const struct dyn_node *nodes = dyn_nodes(f->args) + arg->node;
	const struct dyn_node *last = &nodes[arg->nr_nodes - 1];

	if (arg->store >= DYN_STORE_STRING && arg->nr_nodes == 1 &&
	    emit_own_string(f, arg, nodes))
		return;
	emit_value(f, nodes, arg->nr_nodes - dyn_arg_is_read(arg, last));
	if (arg->store == DYN_STORE_VALUE)
		emit_store(f, arg);
	else if (arg->store == DYN_STORE_MEMORY)
		emit_memory(f, arg, last);
	else
		emit_string(f, arg, last);
}

/* What of a record's last word is not part of an argument is 0. */
static void emit_padding(struct fetcher *f)
{
	u32 end = f->args->head + f->args->fixed;

	if (f->args->strings || IS_ALIGNED(end, sizeof(u32)))
		return;
	emit_number(f, BPF_REG_0, 0);
	strobe_code_store(&f->code, sizeof(u32), f->out, ALIGN_DOWN(end, sizeof(u32)), BPF_REG_0);
}

static void emit_all(struct fetcher *f)
{
	u32 i;

	emit_padding(f);
	for (i = 0; i < f->args->nr; i++)
		emit_arg(f, dyn_arg(f->args, i));
}

/* Keep each parameter once: other arguments may have the same place. */
static void emit_kept(struct fetcher *f)
{
	const struct dyn_node *nodes = dyn_nodes(f->args);
	u32 i, next = 0;

	for (i = 0; i < f->args->nr_nodes; i++) {
		struct dyn_node param = { .op = DYN_PARAM, .val = nodes[i].at };

		if (nodes[i].op != DYN_KEPT || nodes[i].val != next)
			continue;
		emit_regs(f, &param);
		strobe_code_store(&f->code, sizeof(u64), f->out, next, BPF_REG_0);
		next += sizeof(u64);
	}
}

static void emit_program(struct fetcher *f, void (*body)(struct fetcher *f), u32 out)
{
	strobe_code_init(&f->code, 1);
	f->in = f->calls ? IN_KEPT : BPF_REG_2;
	f->out = f->calls ? OUT_KEPT : BPF_REG_3;
	f->frame = f->calls ? FRAME_KEPT : BPF_REG_1;
	if (f->calls)
		emit(f, BPF_MOV64_REG(FRAME_KEPT, BPF_REG_1));
	strobe_code_load(&f->code, f->in, sizeof(void *), BPF_REG_1,
			 offsetof(struct dyn_frame, in));
	strobe_code_load(&f->code, f->out, sizeof(void *), BPF_REG_1, out);
	body(f);
	emit(f, BPF_MOV64_IMM(BPF_REG_0, 0));
	emit(f, BPF_EXIT_INSN());
}

/* Check a program, in debug kernels. */
static int check(const struct fetcher *f)
{
	const struct dyn_args *args = f->args;
	u32 in = args->flags & DYN_EVENT ? U16_MAX : sizeof(struct pt_regs);
	u32 end = args->head + args->fixed;
	const struct strobe_lint_pointer pointers[] = {
		{ .place = offsetof(struct dyn_frame, in), .kind = 'i', .readable = in },
		{ .place = offsetof(struct dyn_frame, out), .kind = 'o', .first = args->head,
		  .writable = args->strings ? end : ALIGN(end, sizeof(u32)) },
		{ .place = offsetof(struct dyn_frame, kept), .kind = 'k',
		  .readable = args->kept, .writable = args->kept },
	};
	const struct strobe_lint_rules rules = {
		.readable = sizeof(struct dyn_frame),
		.helpers = strobe_dyn_helpers, .nr_helpers = DYN_HELPERS,
		.pointers = pointers, .nr_pointers = ARRAY_SIZE(pointers),
	};

	return IS_ENABLED(CONFIG_STROBE_DEBUG) ? strobe_lint_warn(&f->code, &rules) : 0;
}

static int compile(const struct dyn_args *args, void (*body)(struct fetcher *f), u32 out,
		   struct strobe_program **program)
{
	struct fetcher f = { .args = args };
	int ret;

	emit_program(&f, body, out);
	if (f.calls) {
		strobe_code_free(&f.code);
		emit_program(&f, body, out);
	}
	ret = strobe_code_finish(&f.code);
	if (!ret)
		ret = check(&f);
	if (!ret) {
		*program = strobe_program_get(&f.code, false);
		if (IS_ERR(*program)) {
			ret = PTR_ERR(*program);
			*program = NULL;
		}
	}
	strobe_code_free(&f.code);
	return ret;
}

/**
 * strobe_dyn_args_compile - compile the arguments of a probe
 * @args:  the arguments, after strobe_dyn_args_bind()
 * @fetch: set to the program that fills a record; NULL: there is nothing to fill
 * @entry: set to the program that stores dyn_args::kept bytes when the function is entered;
 *	   NULL: nothing is to be kept
 *
 * The caller puts both by strobe_program_put().
 *
 * Context: task, may sleep.
 * Return: 0; -ENOMEM, also if BPF's limit of native code is reached; or BPF's error
 */
int strobe_dyn_args_compile(const struct dyn_args *args, struct strobe_program **fetch,
			    struct strobe_program **entry)
{
	int ret = 0;

	*fetch = NULL;
	*entry = NULL;
	if (args->nr)
		ret = compile(args, emit_all, offsetof(struct dyn_frame, out), fetch);
	if (!ret && args->kept)
		ret = compile(args, emit_kept, offsetof(struct dyn_frame, kept), entry);
	if (ret && *fetch) {
		strobe_program_put(*fetch);
		*fetch = NULL;
	}
	return ret;
}

/**
 * strobe_dyn_program_run - run a program of a probe's arguments
 * @program: the program
 * @frame:   all members are set but dyn_frame::base, in_len and kept, if nothing uses these
 *
 * Context: as the source of the arguments says: any, also NMI; or a task that may sleep
 */
notrace void strobe_dyn_program_run(const struct strobe_program *program, struct dyn_frame *frame)
{
	const struct bpf_prog *prog = program->prog;

	bpf_dispatcher_nop_func(frame, prog->insnsi, prog->bpf_func);
}

NOKPROBE_SYMBOL(strobe_dyn_program_run);
