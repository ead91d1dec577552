// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: compile a text to code that accepts or rejects records.
 *
 *	text - parse.c, check.c -> tree - compile.c -> eBPF - BPF's JIT -> code
 *
 * If BPF has no JIT, or the JIT fails, the interpreter runs the program. It needs no
 * verifier, as compile.c generates it and it has no loops. A filter is constant once
 * made, so that running it takes no lock; code that replaces one waits for its users
 * before freeing it.
 *
 * A program reads
 *	the record: the fields that the text names, within the bounds of their types
 *	the CPU's number and the name of the running task
 *	the string that a "char *" field points to, if the owner has the right to follow
 *	kernel pointers; it is copied with nofault reads, so a stale pointer is harmless
 *	the string in user space that such a field points to, for .ustring, with the right
 *	to follow user pointers
 * Fields of classes with user_pointers (system calls) hold addresses that user space has
 * chosen. They are never followed as kernel pointers, whatever the owner's rights.
 *
 * The owner of a filter may be an event file, a trigger or perf; this code does not
 * depend on it.
 *
 * Contexts: creating in tasks; freeing in tasks and softirqs; running in any, also NMI.
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
 * strobe_filter_error_text - error message for users
 * @code: the error
 *
 * Return: the message, which is ABI
 */
const char *strobe_filter_error_text(enum strobe_filter_code code)
{
	return error_texts[code];
}

/*
 * Create a BPF program with a copy of @program's instructions. Strings of the filter's
 * text become constants of the code. Without STROBE_FILTER_PLAIN_CODE the JIT blinds them
 * with random numbers, so that the user cannot choose the bytes of an executable page.
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

/* Run a program that the JIT has not compiled. @arg is the filter. */
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
 * strobe_filter_create - create a filter
 * @call: the event whose records it filters
 * @text: the filter's text
 * @rights: what it may do besides comparing fields, STROBE_FILTER_* bits
 * @err:  set on error
 *
 * Context: task, may sleep; the event must stay registered.
 * Return: the filter; -EINVAL, -EPERM, -ENOENT or -ESRCH if @text is not a valid filter
 *	   for the event; -EACCES if it needs a right that is not in @rights; -ENOMEM, also
 *	   if BPF's limit of native code is reached; or BPF's error if it cannot run the
 *	   program.
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
 * @filter: a filter that no code runs any more; NULL is ignored
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
