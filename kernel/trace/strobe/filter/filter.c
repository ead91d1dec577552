// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: compile a text to code that accepts or rejects records.
 *
 *	text - parse.c, check.c -> tree - compile.c, code.c -> eBPF - program.c -> program
 *
 * A filter is constant once made, so that running it takes no lock; code that replaces one
 * waits for its users before freeing it. Filters with equal programs share one.
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
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/filter.h"
#include "filter/internal.h"
#include "filter/lint.h"
#include "filter/program.h"

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

/* Check the compiler's work. Returns 0, -ENOEXEC or -ENOMEM. */
static int filter_lint(const struct trace_event_call *call, const struct strobe_code *code)
{
	struct strobe_lint_rules rules = {
		.helpers = strobe_filter_helpers,
		.nr_helpers = FILTER_NR_CALLS,
	};

	if (!IS_ENABLED(CONFIG_STROBE_DEBUG))
		return 0;
	rules.readable = strobe_filter_record_size(call);
	return strobe_lint_warn(code, &rules);
}

static int filter_link(struct strobe_filter *filter, const struct strobe_code *code,
		       unsigned int rights)
{
	struct strobe_program *program;

	program = strobe_program_get(code, !(rights & STROBE_FILTER_PLAIN_CODE));
	if (IS_ERR(program))
		return PTR_ERR(program);
	filter->program = program;
	filter->run = program->prog->bpf_func;
	filter->insns = program->prog->insnsi;
	return 0;
}

static int filter_build(struct strobe_filter *filter, const struct trace_event_call *call,
			unsigned int rights, struct strobe_filter_error *err)
{
	struct filter_tree tree;
	struct strobe_code code;
	bool needs_header = false;
	int ret;

	ret = strobe_filter_parse(call, filter->text, rights, &tree, err);
	if (ret)
		return ret;
	ret = strobe_filter_compile(&tree, &code, &needs_header, err);
	strobe_filter_tree_free(&tree);
	if (!ret)
		ret = filter_lint(call, &code);
	if (!ret)
		ret = filter_link(filter, &code, rights);
	strobe_code_free(&code);
	filter->scratch_words = needs_header ? 0 : STROBE_WORDS_STRAIGHT;
	return ret;
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
	if (filter->program)
		strobe_program_put(filter->program);
	kfree(filter->text);
	kfree(filter);
}
