// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: from a text to something that judges records.
 *
 *	text - parse.c, check.c -> tree - compile.c -> eBPF - BPF's JIT -> code
 *
 * The JIT of BPF makes native code of it; where there is none, or it cannot, the
 * interpreter runs it. There is no verifier between: the program is ours, has no
 * loops, and looks at nothing but the fields of its event. A filter is constant once
 * made, so that whoever runs it needs no lock; who replaces one waits for those who
 * may still run it before freeing it.
 *
 * Whose filter it is - of an event in an instance, of a trigger, of perf - is not
 * known here.
 *
 * Contexts: creating and freeing in tasks; running in any, NMI included.
 */
#include <linux/err.h>
#include <linux/filter.h>
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

/* Takes nothing of @program: it copies it. */
static struct bpf_prog *prog_create(const struct filter_program *program)
{
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(program->len), __GFP_NOWARN);
	int ret = 0;

	if (!prog)
		return ERR_PTR(-ENOMEM);
	prog->len = program->len;
	prog->type = BPF_PROG_TYPE_UNSPEC;
	memcpy(prog->insnsi, program->insns, bpf_prog_insn_size(prog));
	prog = bpf_prog_select_runtime(prog, &ret);
	if (ret) {
		bpf_prog_free(prog);
		return ERR_PTR(ret);
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
			struct strobe_filter_error *err)
{
	struct filter_program program;
	struct bpf_prog *prog;
	struct filter_tree tree;
	int ret;

	ret = filter_parse(call, filter->text, &tree, err);
	if (ret)
		return ret;
	filter->data = tree.data;
	ret = filter_compile(&tree, &program, err);
	filter_tree_free(&tree);
	if (ret)
		return ret;
	prog = prog_create(&program);
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
 * @err:  what is wrong, in case of an error
 *
 * Context: task, may sleep; the event stays.
 * Return: the filter; -EINVAL, or -EPERM, -ENOENT or -ESRCH, if @text is no filter
 *	   for the event; -ENOMEM, or what BPF says if it can run no program.
 */
struct strobe_filter *strobe_filter_create(const struct trace_event_call *call, const char *text,
					   struct strobe_filter_error *err)
{
	struct strobe_filter *filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	int ret = -ENOMEM;

	*err = (struct strobe_filter_error) { };
	if (!filter)
		return ERR_PTR(-ENOMEM);
	filter->text = kstrdup(text, GFP_KERNEL);
	if (filter->text)
		ret = filter_build(filter, call, err);
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
 * Context: task, may sleep.
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
