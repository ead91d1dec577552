// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: from a text to something that judges records.
 *
 *	text - parse.c, check.c -> tree - compile.c -> eBPF - BPF's JIT -> code
 *
 * The JIT of BPF makes native code of it; where there is none, or it cannot, the
 * interpreter runs it. There is no verifier between: the program is ours and has no
 * loops. A filter is constant once made, so that whoever runs it needs no lock; who
 * replaces one waits for those who may still run it before freeing it.
 *
 * What a program reads
 *	the record: the fields that the text names, within the bounds of their types
 *	the CPU's number and the name of the running task
 *	the string that a "char *" field points to, if the owner has the right to follow
 *	kernel pointers; by copy_from_kernel_nofault(), so that a stale pointer is harmless
 *	the string in user space that such a field points to, for .ustring, with the right
 *	to follow user pointers
 * Fields of classes with user_pointers (system calls) hold addresses that user space has
 * chosen: they are never followed as kernel pointers, whoever owns the filter.
 *
 * Whose filter it is - of an event in an instance, of a trigger, of perf - is not
 * known here.
 *
 * Contexts: creating in tasks; freeing in tasks and softirqs; running in any, NMI included.
 */
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/filter.h"
#include "filter/internal.h"

static const char * const error_texts[STROBE_FILTER_NR_CODES] = {
	[STROBE_FILTER_NO_ERROR]	    = "Error",
	[STROBE_FILTER_INVALID_OP]	    = "Invalid operator",
	[STROBE_FILTER_TOO_MANY_OPEN]	    = "Too many '('",
	[STROBE_FILTER_TOO_MANY_CLOSE]	    = "Too few '('",
	[STROBE_FILTER_MISSING_QUOTE]	    = "Missing matching quote",
	[STROBE_FILTER_MISSING_BRACE_OPEN]  = "Missing '{'",
	[STROBE_FILTER_MISSING_BRACE_CLOSE] = "Missing '}'",
	[STROBE_FILTER_OPERAND_TOO_LONG]    = "Operand too long",
	[STROBE_FILTER_EXPECT_STRING]	    = "Expecting string field",
	[STROBE_FILTER_EXPECT_NUMBER]	    = "Expecting numeric field",
	[STROBE_FILTER_ILLEGAL_FIELD_OP]    = "Illegal operation for field type",
	[STROBE_FILTER_FIELD_NOT_FOUND]	    = "Field not found",
	[STROBE_FILTER_ILLEGAL_INTVAL]	    = "Illegal integer value",
	[STROBE_FILTER_BAD_SYSTEM_FILTER]   =
		"Couldn't find or set field in one of a subsystem's events",
	[STROBE_FILTER_TOO_MANY_TERMS]	    = "Too many terms in predicate expression",
	[STROBE_FILTER_INCOMPLETE]	    = "Meaningless filter expression",
	[STROBE_FILTER_INVALID_CPULIST]	    = "Invalid cpulist",
	[STROBE_FILTER_INVALID_VALUE]	    = "Invalid value (did you forget quotes)?",
	[STROBE_FILTER_NO_FUNCTION]	    = "Function not found",
	[STROBE_FILTER_NO_FILTER]	    = "No filter found",
};

/**
 * strobe_filter_error_text - what users are told
 * @code: the error
 *
 * Return: its words, which are ABI
 */
const char *strobe_filter_error_text(enum strobe_filter_code code)
{
	return error_texts[code];
}

/*
 * Takes nothing of @program: it copies it. Strings of the text become constants of the
 * code: without STROBE_FILTER_PLAIN_CODE the JIT masks them with random numbers, so that
 * the user cannot choose the bytes of an executable page.
 */
static struct bpf_prog *prog_create(const struct filter_program *program, unsigned int rights)
{
	struct bpf_prog *prog;
	int ret = 0;

	prog = bpf_prog_alloc_no_stats(bpf_prog_size(program->len), __GFP_NOWARN);
	if (!prog)
		return ERR_PTR(-ENOMEM);
	/* Only BPF's trampolines use it. */
	free_percpu(prog->active);
	prog->active = NULL;
	prog->len = program->len;
	prog->type = BPF_PROG_TYPE_UNSPEC;
	if (!(rights & STROBE_FILTER_PLAIN_CODE))
		prog->blinding_requested = true;
	memcpy(prog->insnsi, program->insns, bpf_prog_insn_size(prog));
	prog = bpf_prog_select_runtime(prog, &ret);
	if (ret) {
		bpf_prog_free(prog);
		/* ENOTSUPP is not for user space: bpf_jit_limit left no memory for the code. */
		return ERR_PTR(ret == -ENOTSUPP ? -ENOMEM : ret);
	}
	return prog;
}

/* The code of a program that is not compiled; @arg is the filter. */
static notrace unsigned int filter_interpret(const void *record, const struct bpf_insn *arg)
{
	const struct bpf_prog *prog = ((const struct strobe_filter *)arg)->prog;

	return bpf_dispatcher_nop_func(record, prog->insnsi, prog->bpf_func);
}

static int filter_build(struct strobe_filter *filter, const struct trace_event_call *call,
			unsigned int rights, struct strobe_filter_error *err)
{
	struct filter_program program;
	struct bpf_prog *prog;
	struct filter_tree tree;
	int ret;

	ret = filter_parse(call, filter->text, rights, &tree, err);
	if (ret)
		return ret;
	filter->data = tree.data;
	ret = filter_compile(&tree, &program, err);
	filter_tree_free(&tree);
	if (ret)
		return ret;
	prog = prog_create(&program, rights);
	kvfree(program.insns);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	filter->prog = prog;
	filter->run = prog->jited ? prog->bpf_func : filter_interpret;
	filter->scratch_words = program.needs_header ? 0 : STROBE_WORDS_STRAIGHT;
	return 0;
}

/**
 * strobe_filter_create - make a filter
 * @call: the event whose records it is to judge
 * @text: what is wanted
 * @rights: what it may do besides comparing fields, STROBE_FILTER_* bits
 * @err:  what is wrong, in case of an error
 *
 * Context: task, may sleep; the event stays.
 * Return: the filter; -EINVAL, or -EPERM, -ENOENT or -ESRCH, if @text is no filter
 *	   for the event; -EACCES if it needs a right that is not in @rights; -ENOMEM, also
 *	   if BPF's limit of native code leaves no memory for it; or what BPF says if it can
 *	   run no program.
 */
struct strobe_filter *strobe_filter_create(const struct trace_event_call *call, const char *text,
					   unsigned int rights, struct strobe_filter_error *err)
{
	struct strobe_filter *filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	int ret = -ENOMEM;

	*err = (struct strobe_filter_error) { };
	if (!filter)
		return ERR_PTR(-ENOMEM);
	filter->text = kstrdup(text, GFP_KERNEL);
	if (filter->text)
		ret = filter_build(filter, call, rights, err);
	if (ret) {
		strobe_filter_free(filter);
		return ERR_PTR(ret);
	}
	return filter;
}

/**
 * strobe_filter_free - free a filter
 * @filter: a filter that nobody runs any more; NULL is ignored
 *
 * Context: task or softirq; does not sleep.
 */
void strobe_filter_free(struct strobe_filter *filter)
{
	if (!filter)
		return;
	if (filter->prog)
		bpf_prog_free(filter->prog);
	filter_data_free(filter->data);
	kfree(filter->text);
	kfree(filter);
}
