// SPDX-License-Identifier: GPL-2.0
/*
 * Programs. Equal ones are shared: the filter of a system, or of all events, is often the
 * same code for each of them, and a BPF program takes two pages and a work item to free.
 *
 * Programs are equal if their instructions and their data are. An instruction with the
 * address of data has the offset in the data instead while programs are compared. All other
 * constants are numbers, or addresses of functions of the kernel, and mean the same to
 * everybody. Fields are offsets in the record: it does not matter of which event.
 *
 * A program with blinded constants is not shared: its instructions are random. Such programs
 * are those of users without rights, so all together get no more than a part of the memory
 * that BPF has for native code.
 *
 * If BPF has no JIT, or the JIT fails, the interpreter runs the program. It needs no
 * verifier, as the engine has made it; lint.c checks it in debug kernels.
 *
 * Lifetime: a user of a program waits for the code that runs it before it puts its
 * reference, as if the program were its own. So the last reference is put when nothing runs
 * the program any more, and it is freed without another grace period.
 *
 * State: programs_table and each program's place in it, under programs_lock. A program in
 * the table has references; the one that puts the last takes it out. Programs with @blind are
 * made with strobe_event_mutex held, so blinded_code grows by one of them at a time. It may be
 * too low for a while, as BPF frees native code in a work item.
 * Lock order: programs_lock is a leaf, taken with interrupts off, as references are put in
 * softirqs, too. Two tasks may therefore make equal programs at the same time, and the later
 * one then frees its own.
 *
 * Contexts: strobe_program_get() task, may sleep; strobe_program_put() task or softirq;
 * running in any, also NMI, preemption off.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "filter/code.h"
#include "filter/program.h"

static DEFINE_HASHTABLE(programs_table, 6);
static DEFINE_SPINLOCK(programs_lock);

/* Bytes of native code of the programs that were made with @blind */
static atomic_long_t blinded_code = ATOMIC_LONG_INIT(0);

#ifdef CONFIG_BPF_JIT
/* Bytes of blinded native code that may exist before another program gets some. */
static long blinded_code_limit(void)
{
	return READ_ONCE(bpf_jit_limit) / 4;
}

/* Bytes that native code counts against bpf_jit_limit, at most: it has a header and padding. */
static u32 native_bytes(const struct bpf_prog *prog)
{
	return prog->jited ? round_up(prog->jited_len + 128, PAGE_SIZE) : 0;
}
#else
static long blinded_code_limit(void)
{
	return 0;
}

static u32 native_bytes(const struct bpf_prog *prog)
{
	return 0;
}
#endif

static bool refers_to_data(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == STROBE_CODE_DATA;
}

/* Turn the offset in the data that two instructions load into an address. */
static void set_address(struct bpf_insn *insns, const char *data)
{
	u64 addr = (unsigned long)data + (u32)insns[0].imm;

	insns[0].src_reg = 0;
	insns[0].imm = (u32)addr;
	insns[1].imm = addr >> 32;
}

static bool insns_are_equal(const struct strobe_program *program, const struct strobe_code *code)
{
	const struct bpf_insn *insns = program->prog->insnsi;
	struct bpf_insn want[2];
	u32 i, nr;

	for (i = 0; i < code->len; i += nr) {
		nr = refers_to_data(&code->insns[i]) ? 2 : 1;
		memcpy(want, &code->insns[i], nr * sizeof(*want));
		if (nr == 2)
			set_address(want, program->data);
		if (memcmp(&insns[i], want, nr * sizeof(*want)))
			return false;
	}
	return true;
}

static u32 hash_of(const struct strobe_code *code)
{
	u32 hash = jhash(code->insns, code->len * sizeof(*code->insns), 0);

	return code->data_len ? jhash(code->data, code->data_len, hash) : hash;
}

/* Get a reference of an equal program, or return NULL. programs_lock is taken. */
static struct strobe_program *find_equal(const struct strobe_code *code, u32 hash)
{
	struct strobe_program *program;

	hash_for_each_possible(programs_table, program, node, hash) {
		if (program->hash != hash || program->prog->len != code->len ||
		    program->data_len != code->data_len)
			continue;
		if (code->data_len && memcmp(program->data, code->data, code->data_len))
			continue;
		if (!insns_are_equal(program, code))
			continue;
		refcount_inc(&program->refs);
		return program;
	}
	return NULL;
}

/*
 * Constants of the program may be bytes that a user has chosen. With @blind, the JIT changes
 * them by random numbers, so that the user cannot choose the bytes of an executable page.
 */
static struct bpf_prog *prog_create(const struct strobe_code *code, const char *data, bool blind)
{
	struct bpf_prog *prog;
	int ret = 0;
	u32 i;

	prog = bpf_prog_alloc_no_stats(bpf_prog_size(code->len), __GFP_NOWARN);
	if (!prog)
		return ERR_PTR(-ENOMEM);
	/* Only BPF's trampolines use it. */
	free_percpu(prog->active);
	prog->active = NULL;
	prog->len = code->len;
	prog->type = BPF_PROG_TYPE_UNSPEC;
	if (blind) {
		prog->blinding_requested = true;
		if (atomic_long_read(&blinded_code) >= blinded_code_limit())
			prog->jit_requested = false;
	}
	memcpy(prog->insnsi, code->insns, bpf_prog_insn_size(prog));
	for (i = 0; i < code->len; i++) {
		if (refers_to_data(&code->insns[i]))
			set_address(&prog->insnsi[i], data);
	}
	prog = bpf_prog_select_runtime(prog, &ret);
	if (ret) {
		bpf_prog_free(prog);
		/* ENOTSUPP is not for user space: a limit left no memory for the code. */
		return ERR_PTR(ret == -ENOTSUPP ? -ENOMEM : ret);
	}
	return prog;
}

static struct strobe_program *program_create(const struct strobe_code *code, u32 hash, bool blind)
{
	struct strobe_program *program;
	struct bpf_prog *prog;

	program = kvmalloc(struct_size(program, data, code->data_len), GFP_KERNEL);
	if (!program)
		return ERR_PTR(-ENOMEM);
	if (code->data_len)
		memcpy(program->data, code->data, code->data_len);
	prog = prog_create(code, program->data, blind);
	if (IS_ERR(prog)) {
		kvfree(program);
		return ERR_CAST(prog);
	}
	INIT_HLIST_NODE(&program->node);
	program->prog = prog;
	refcount_set(&program->refs, 1);
	program->hash = hash;
	program->data_len = code->data_len;
	program->blinded = blind ? native_bytes(prog) : 0;
	atomic_long_add(program->blinded, &blinded_code);
	return program;
}

static void program_free(struct strobe_program *program)
{
	atomic_long_sub(program->blinded, &blinded_code);
	bpf_prog_free(program->prog);
	kvfree(program);
}

/**
 * strobe_program_get - get a program, an equal one if there is any
 * @code: its instructions and data, after strobe_code_finish()
 * @blind: native code must not contain its constants, as a user without the right to that
 *	   has chosen them
 *
 * Context: task, may sleep.
 * Return: the program; -ENOMEM, also if there is no interpreter, and a limit of native code
 *	   is reached; or BPF's error if it cannot run the program
 */
struct strobe_program *strobe_program_get(const struct strobe_code *code, bool blind)
{
	struct strobe_program *program = NULL, *equal;
	u32 hash = hash_of(code);

	if (!blind) {
		scoped_guard(spinlock_irqsave, &programs_lock)
			program = find_equal(code, hash);
	}
	if (program)
		return program;
	program = program_create(code, hash, blind);
	/* The kernel may blind all programs: bpf_jit_harden. */
	if (IS_ERR(program) || blind || program->prog->blinded)
		return program;
	scoped_guard(spinlock_irqsave, &programs_lock) {
		equal = find_equal(code, hash);
		if (!equal)
			hash_add(programs_table, &program->node, hash);
	}
	if (!equal)
		return program;
	program_free(program);
	return equal;
}

/**
 * strobe_program_put - put a reference that strobe_program_get() returned
 * @program: the program; its user has waited for all code that runs it
 *
 * Context: task or softirq; does not sleep.
 */
void strobe_program_put(struct strobe_program *program)
{
	scoped_guard(spinlock_irqsave, &programs_lock) {
		if (!refcount_dec_and_test(&program->refs))
			return;
		hash_del(&program->node);
	}
	program_free(program);
}
