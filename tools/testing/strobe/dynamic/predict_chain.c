// SPDX-License-Identifier: GPL-2.0
/*
 * Predict how the expression of an argument is parsed, by regular expressions for each part of it:
 * what it reads, in which order, or why it is refused, and the place of the error.
 */
#include "dynamic/definition.h"

/* The greatest number of a word on the kernel's stack, and of a parameter */
#define NUMBER_MAX	2048

static const char *const registers[] = {
	"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si",
	"di", "orig_ax", "ip", "cs", "flags", "sp", "ss",
};

int source_reg(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		if (is(registers[i], name))
			return 8 * i;
	}
	return -1;
}

/* -ERANGE comes before -EINVAL for what follows the digits. */
int predict_number(const char *text, int base, bool is_signed, u64 *val)
{
	regmatch_t groups[GROUPS];
	bool minus = is_signed && *text == '-';
	bool fits = true;
	int digit, radix = 10;
	const char *at;
	u64 sum = 0;

	text += minus;
	if (minus && *text == '+')
		return -EINVAL;
	if (base ? !match("^[+]?([0-9]+)(.*)$", text, groups) :
		   !match("^[+]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)(.*)$", text, groups))
		return -EINVAL;
	at = text + groups[1].rm_so;
	if (!base && *at == '0')
		radix = at[1] == 'x' || at[1] == 'X' ? 16 : 8;
	if (radix == 16 && groups[1].rm_eo - groups[1].rm_so > 2)
		at += 2;
	for (; at < text + groups[1].rm_eo; at++) {
		digit = *at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10;
		fits &= !__builtin_mul_overflow(sum, (u64)radix, &sum);
		fits &= !__builtin_add_overflow(sum, (u64)digit, &sum);
	}
	if (!fits)
		return -ERANGE;
	if (text[groups[2].rm_so] && !is(text + groups[2].rm_so, "\n"))
		return -EINVAL;
	if (is_signed && sum > (u64)LONG_MAX + minus)
		return -ERANGE;
	*val = minus ? -sum : sum;
	return 0;
}

int predict_error(struct want *want, u32 word, u32 at, const char *text, int ret)
{
	want->error = text;
	want->next = NULL;
	want->at = want->words.at[word] + at;
	return ret;
}

bool predict_step(struct want_arg *arg)
{
	return ++arg->steps <= STEPS_MAX;
}

/* Returns false if a function has no parameters here. */
static bool has_params(const struct source *source)
{
	u32 is = source->flags & (DYN_KERNEL | DYN_USER | DYN_EVENT | DYN_RETURN | DYN_ENTRY);

	return is == (DYN_KERNEL | DYN_ENTRY) ||
	       (is == (DYN_KERNEL | DYN_RETURN) && source->symbol);
}

static int add_first(struct want_arg *arg, enum want_first first, u64 val)
{
	arg->first = first;
	arg->val = val;
	arg->steps++;
	return 0;
}

static int predict_field(struct want *want, struct want_arg *arg, const char *name, u32 word,
			 u32 at)
{
	u32 i;

	for (i = 0; i < source_event.class->nr_fields; i++) {
		if (is(source_event.class->fields[i].name, name))
			return add_first(arg, FROM_FIELD, i);
	}
	if (is(name, "comm") || is(name, "COMM"))
		return add_first(arg, FROM_COMM, 0);
	return predict_error(want, word, at, ERROR_BAD_VAR, -EINVAL);
}

static int predict_param(struct want *want, struct want_arg *arg, u64 param, u32 word, u32 at)
{
	u32 i;

	if (!param || param > NUMBER_MAX)
		return predict_error(want, word, at, ERROR_BAD_ARG_NUM, -EINVAL);
	if (!has_params(want->source))
		return predict_error(want, word, at, ERROR_NOFENTRY_ARGS, -EINVAL);
	if (want->source->flags & DYN_RETURN) {
		for (i = 0; i < want->nr_params && want->params[i] != param - 1; i++)
			;
		want->params[i] = param - 1;
		want->nr_params = max(want->nr_params, i + 1);
	} else if (want->source->flags & DYN_TPOINT) {
		param++;
	}
	return add_first(arg, FROM_PARAM, param - 1);
}

/* What follows a '$' */
static int predict_variable(struct want *want, struct want_arg *arg, const char *name, u32 word,
			    u32 at)
{
	u32 flags = want->source->flags;
	u64 number;

	if (flags & DYN_EVENT)
		return predict_field(want, arg, name, word, at);
	if (has_prefix(name, "retval") && flags & DYN_RETURN)
		return add_first(arg, FROM_RETVAL, 0);
	if (has_prefix(name, "retval"))
		return predict_error(want, word, at, ERROR_RETVAL_ON_PROBE, -EINVAL);
	if (is(name, "stack"))
		return add_first(arg, FROM_STACK_POINTER, 0);
	if (has_prefix(name, "stack") && name[5] != '+' &&
	    !predict_number(name + 5, 10, false, &number)) {
		if (flags & DYN_KERNEL && number > NUMBER_MAX)
			return predict_error(want, word, at, ERROR_BAD_STACK_NUM, -EINVAL);
		return add_first(arg, FROM_STACK, (u32)number);
	}
	if (is(name, "comm") || is(name, "COMM"))
		return add_first(arg, FROM_COMM, 0);
	if (has_prefix(name, "arg") && !predict_number(name + 3, 10, false, &number))
		return predict_param(want, arg, number, word, at);
	return predict_error(want, word, at, ERROR_BAD_VAR, -EINVAL);
}

static int predict_register(struct want *want, struct want_arg *arg, const char *name, u32 word,
			    u32 at)
{
	if (want->source->flags & (DYN_EVENT | DYN_FPROBE)) {
		predict_error(want, word, at, ERROR_BAD_VAR, -EINVAL);
		want->next = ERROR_BAD_FETCH_ARG;
		return -EINVAL;
	}
	if (source_reg(name) < 0)
		return predict_error(want, word, at, ERROR_BAD_REG_NAME, -EINVAL);
	return add_first(arg, FROM_REG, source_reg(name));
}

/* What follows a '@'. It is memory: the address is read. */
static int predict_memory(struct want *want, struct want_arg *arg, const char *text, u32 word,
			  u32 at)
{
	bool is_kernel = want->source->flags & DYN_KERNEL;
	u64 val = 0;
	int ret;

	if (isdigit((unsigned char)*text)) {
		ret = predict_number(text, 0, false, &val);
		if (ret)
			return predict_error(want, word, at, ERROR_BAD_MEM_ADDR, ret);
		add_first(arg, FROM_NUMBER, val);
	} else if (*text == '+') {
		if (is_kernel)
			return predict_error(want, word, at, ERROR_FILE_ON_KPROBE, -EINVAL);
		ret = predict_number(text + 1, 0, true, &val);
		if (ret)
			return predict_error(want, word, at, ERROR_BAD_FILE_OFFS, ret);
		add_first(arg, FROM_FILE, val);
	} else {
		if (!is_kernel)
			return predict_error(want, word, at, ERROR_SYM_ON_UPROBE, -EINVAL);
		add_first(arg, FROM_SYMBOL, 0);
		arg->steps++;
		sprintf(arg->text, "%s", text);
	}
	arg->reads[arg->nr_reads++].offset = 0;
	return predict_step(arg) ? 0 :
	       predict_error(want, word, at, ERROR_TOO_MANY_OPS, -EINVAL);
}

/* What follows a backslash: a number, or a text after a quote */
static int predict_constant(struct want *want, struct want_arg *arg, const char *text, u32 word,
			    u32 at)
{
	regmatch_t groups[GROUPS];
	int ret = -EINVAL;
	u64 val;

	if (*text == '"') {
		if (!match("^\"(.*)\"$", text, groups))
			return predict_error(want, word, at + 1 + strlen(text),
					     ERROR_IMMSTR_NO_CLOSE, -EINVAL);
		sprintf(arg->text, "%.*s", (int)groups[1].rm_eo - 1, text + 1);
		return add_first(arg, FROM_TEXT, 0);
	}
	if (isdigit((unsigned char)*text))
		ret = predict_number(text, 0, false, &val);
	else if (*text == '-' || *text == '+')
		ret = predict_number(text + (*text == '+'), 0, true, &val);
	if (ret)
		return predict_error(want, word, at + 1, ERROR_BAD_IMM, ret);
	return add_first(arg, FROM_NUMBER, val);
}

/* "+|-[u]NUMBER(INNER)": what follows the last parenthesis does not count. */
static int predict_read(struct want *want, struct want_arg *arg, const char *text, u32 word,
			u32 *at)
{
	regmatch_t outer[GROUPS], inner[GROUPS];
	char number[EXPR_MAX + 2], rest[EXPR_MAX + 1];
	u32 place;
	u64 val;
	int ret;

	if (!match("^[+-](u?)([^(]*)[(](.*)$", text, outer))
		return predict_error(want, word, *at, ERROR_DEREF_NEED_BRACE, -EINVAL);
	sprintf(number, "%s%.*s", *text == '-' ? "-" : "", (int)(outer[2].rm_eo - outer[2].rm_so),
		text + outer[2].rm_so);
	ret = predict_number(number, 0, true, &val);
	if (ret)
		return predict_error(want, word, *at, ERROR_BAD_DEREF_OFFS, ret);
	/* A 'u' does not count for the place, nor does a '+' before a '-'. */
	*at += strlen(number) + 1 + (*number != '-');
	place = *at;
	sprintf(rest, "%s", text + outer[3].rm_so);
	if (!match("^(.*)[)][^)]*$", rest, inner))
		return predict_error(want, word, place + strlen(rest), ERROR_DEREF_OPEN_BRACE,
				     -EINVAL);
	rest[inner[1].rm_eo] = '\0';
	ret = predict_chain(want, arg, rest, word, at);
	if (ret)
		return ret;
	*at = place;
	if (!arg->nr_reads && (arg->first == FROM_COMM || arg->first == FROM_TEXT))
		return predict_error(want, word, place, ERROR_COMM_CANT_DEREF, -EINVAL);
	if (!predict_step(arg))
		return predict_error(want, word, place, ERROR_TOO_MANY_OPS, -EINVAL);
	arg->reads[arg->nr_reads].offset = val;
	arg->reads[arg->nr_reads++].user = outer[1].rm_eo > outer[1].rm_so;
	return 0;
}

int predict_chain(struct want *want, struct want_arg *arg, const char *text, u32 word, u32 *at)
{
	switch (*text) {
	case '$':
		return predict_variable(want, arg, text + 1, word, *at);
	case '%':
		return predict_register(want, arg, text + 1, word, *at);
	case '@':
		return predict_memory(want, arg, text + 1, word, *at);
	case '\\':
		return predict_constant(want, arg, text + 1, word, *at);
	case '+':
	case '-':
		return predict_read(want, arg, text, word, at);
	}
	/* A name needs BTF, which there is none of. */
	if (!isalpha((unsigned char)*text) && *text != '_')
		return predict_error(want, word, *at, ERROR_BAD_FETCH_ARG, -EINVAL);
	return predict_error(want, word, *at, ERROR_NOSUP_BTFARG,
			     has_params(want->source) ? -EOPNOTSUPP : -EINVAL);
}
