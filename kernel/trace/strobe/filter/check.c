// SPDX-License-Identifier: GPL-2.0
/*
 * Check a parsed term against the fields of the event.
 *
 * The order of the checks decides which of several errors is reported, and is ABI. A
 * comparison that makes no sense for its field but is accepted, such as that of an
 * array of numbers with a number, is never true.
 *
 * No state. Contexts: task, may sleep.
 */
#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/internal.h"
#include "filter/mem.h"

/* The longest number, with sign and NUL; strobe_filter_parse() has checked the length. */
#define NUMBER_MAX	24

/**
 * struct filter_checker - a term being checked
 * @words:	its tokens
 * @field:	the field that it compares
 * @rights:	what the filter may do, STROBE_FILTER_*
 * @term:	the result
 * @data:	list to which the term's constants are added
 * @err:	set if the check fails
 */
struct filter_checker {
	const struct filter_words	*words;
	struct filter_field		field;
	unsigned int			rights;
	struct filter_term		*term;
	struct filter_data		**data;
	struct strobe_filter_error	*err;
};

/* Report an error. Users see positions that count from 1. */
static int check_fail(struct filter_checker *c, enum strobe_filter_code code, u32 at)
{
	c->err->code = code;
	c->err->pos = at + 1;
	return -EINVAL;
}

/* Report the error that the parser has found in the value, if any. */
static int check_value(struct filter_checker *c)
{
	if (c->words->error)
		return check_fail(c, c->words->error, c->words->error_at);
	return 0;
}

static bool op_is_equality(enum filter_op op)
{
	return op == FILTER_OP_EQ || op == FILTER_OP_NE;
}

/* The name of the running task is a string, too, though not one of the record. */
static bool field_is_string(const struct filter_field *field)
{
	return field->type == FILTER_COMM || filter_field_is_string(field);
}

/* Allocate a constant, which is zeroed so that equal ones have equal padding. */
static void *alloc_data(struct filter_checker *c, size_t bytes)
{
	struct filter_data *data = kzalloc(struct_size(data, bytes, bytes), GFP_KERNEL);

	if (!data)
		return NULL;
	data->next = *c->data;
	*c->data = data;
	return data->bytes;
}

/* Numbers */

/* A field that does not have the size of an integer never matches. */
static void term_is_number(struct filter_checker *c, u64 val, bool is_signed)
{
	struct filter_term *term = c->term;

	term->kind = is_power_of_2(term->size) && term->size <= sizeof(u64) ?
		     FILTER_NUMBER : FILTER_NEVER;
	term->val = val;
	term->is_signed = is_signed;
}

static void term_is_this_cpu(struct filter_checker *c, u64 val)
{
	c->term->kind = c->term->op == FILTER_OP_BAND ? FILTER_NEVER : FILTER_THIS_CPU;
	c->term->val = val;
}

static void copy_number(char buf[NUMBER_MAX], const struct filter_words *words)
{
	memcpy(buf, words->text + words->from, words->to - words->from);
	buf[words->to - words->from] = '\0';
}

static int check_number(struct filter_checker *c)
{
	const struct filter_words *words = c->words;
	char buf[NUMBER_MAX];
	u64 val;
	int ret;

	if (field_is_string(&c->field))
		return check_fail(c, STROBE_FILTER_EXPECT_STRING, words->value_at);
	if (words->op == FILTER_OP_GLOB)
		return check_fail(c, STROBE_FILTER_ILLEGAL_FIELD_OP, words->value_at);
	ret = check_value(c);
	if (ret)
		return ret;
	copy_number(buf, words);
	ret = c->field.is_signed ? kstrtoll(buf, 0, (s64 *)&val) : kstrtoull(buf, 0, &val);
	if (ret)
		return check_fail(c, STROBE_FILTER_ILLEGAL_INTVAL, words->value_at);
	if (c->field.type == FILTER_CPU)
		term_is_this_cpu(c, val);
	else
		term_is_number(c, val, c->field.is_signed);
	return 0;
}

/* field.function: compare with the address range of a function. */
static int check_function(struct filter_checker *c)
{
	const struct filter_words *words = c->words;
	unsigned long addr;
	char buf[NUMBER_MAX];
	int ret;

	/* Even the error for "no such function" would reveal kernel addresses. */
	if (!(c->rights & STROBE_FILTER_SYMBOLS))
		return -EACCES;
	if (c->field.size != sizeof(long))
		return check_fail(c, STROBE_FILTER_ILLEGAL_FIELD_OP, words->value_at);
	if (!op_is_equality(words->op))
		return check_fail(c, STROBE_FILTER_INVALID_OP, words->value_at);
	ret = check_value(c);
	if (ret)
		return ret;
	if (words->value == FILTER_VALUE_NUMBER) {
		copy_number(buf, words);
		if (kstrtoul(buf, 0, &addr))
			return check_fail(c, STROBE_FILTER_INVALID_VALUE, words->to);
	} else {
		ret = strobe_filter_symbol_find(words->text + words->from,
						words->to - words->from, &addr);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			return check_fail(c, STROBE_FILTER_NO_FUNCTION, words->to);
	}
	if (!strobe_filter_symbol_range(addr, &c->term->val, &c->term->val2))
		return check_fail(c, STROBE_FILTER_NO_FUNCTION, words->to);
	c->term->kind = FILTER_RANGE;
	return 0;
}

/* Masks of CPUs */

/* A mask of one CPU is compared as a number, unless the field is a mask. */
static void term_is_one_cpu(struct filter_checker *c, unsigned int cpu)
{
	if (c->term->op == FILTER_OP_BAND)
		c->term->op = FILTER_OP_EQ;
	if (c->field.type == FILTER_CPU)
		term_is_this_cpu(c, cpu);
	else
		term_is_number(c, cpu, false);
}

static void term_is_cpus(struct filter_checker *c, struct filter_cpus *cpus)
{
	struct filter_term *term = c->term;

	cpus->op = term->op;
	term->cpus = cpus;
	if (c->field.type == FILTER_CPUMASK) {
		term->kind = FILTER_CPUS;
		term->place = c->field.is_relative ? FILTER_REL_LOC : FILTER_LOC;
	} else if (c->field.type == FILTER_CPU) {
		term->kind = FILTER_THIS_CPU_IN;
	} else {
		term->kind = is_power_of_2(term->size) && term->size <= sizeof(u64) ?
			     FILTER_CPU_IN : FILTER_NEVER;
	}
}

static bool field_may_be_cpus(const struct filter_field *field)
{
	return field->type == FILTER_CPUMASK || field->type == FILTER_CPU ||
	       field->type == FILTER_OTHER;
}

static int check_cpus(struct filter_checker *c)
{
	const struct filter_words *words = c->words;
	struct filter_cpus *cpus;
	unsigned int nr;
	int ret;

	if (!field_may_be_cpus(&c->field) ||
	    (!op_is_equality(words->op) && words->op != FILTER_OP_BAND))
		return check_fail(c, STROBE_FILTER_ILLEGAL_FIELD_OP, words->value_at);
	ret = check_value(c);
	if (ret)
		return ret;
	cpus = alloc_data(c, struct_size(cpus, bits, strobe_filter_cpu_longs()));
	if (!cpus)
		return -ENOMEM;
	ret = strobe_filter_cpus_parse(words->text + words->from, words->to - words->from,
				       cpus->bits);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return check_fail(c, STROBE_FILTER_INVALID_CPULIST, words->to);

	nr = strobe_filter_cpu_longs() * BITS_PER_LONG;
	if (c->field.type != FILTER_CPUMASK && bitmap_weight(cpus->bits, nr) == 1)
		term_is_one_cpu(c, find_first_bit(cpus->bits, nr));
	else
		term_is_cpus(c, cpus);
	return 0;
}

/* Strings */

/*
 * Parse a pattern for ~. A leading '!' negates it. A pattern whose only special
 * characters are a star at one or both ends needs no glob matcher. A pattern that begins
 * with a digit is compared literally.
 */
static void pattern_parse(struct filter_pattern *pattern)
{
	char *text = pattern->text;
	bool front, back;
	u16 len;

	if (*text == '!') {
		pattern->negate = true;
		memmove(text, text + 1, pattern->len--);
	}
	len = pattern->len;
	if (isdigit(*text))
		return;
	front = *text == '*';
	back = len > 1 && text[len - 1] == '*';
	if (strcspn(text + front, "*?[\\") < len - front - back) {
		pattern->match = FILTER_MATCH_GLOB;
		if (!back && !strpbrk(text, "[\\") && strchr(text, '*'))
			pattern->tail = strrchr(text, '*') + 1 - text;
		return;
	}
	if (front)
		pattern->match = back ? FILTER_MATCH_MIDDLE : FILTER_MATCH_END;
	else if (back)
		pattern->match = FILTER_MATCH_FRONT;
	pattern->len -= front + back;
	memmove(text, text + front, pattern->len);
	text[pattern->len] = '\0';
}

static struct filter_pattern *pattern_create(struct filter_checker *c)
{
	const struct filter_words *words = c->words;
	u32 len = words->to - words->from;
	struct filter_pattern *pattern;

	pattern = alloc_data(c, struct_size(pattern, text, len + 1));
	if (!pattern)
		return NULL;
	memcpy(pattern->text, words->text + words->from, len);
	pattern->len = len;
	pattern->match = FILTER_MATCH_FULL;
	pattern->negate = words->op == FILTER_OP_NE;
	if (words->op == FILTER_OP_GLOB)
		pattern_parse(pattern);
	return pattern;
}

static enum filter_place string_place(const struct filter_checker *c)
{
	switch (c->field.type) {
	case FILTER_STATIC_STRING:
		return FILTER_FIXED;
	case FILTER_DYN_STRING:
		return FILTER_LOC;
	case FILTER_RDYN_STRING:
		return FILTER_REL_LOC;
	case FILTER_COMM:
		return FILTER_TASK_COMM;
	}
	return c->words->ustring ? FILTER_USER_PTR : FILTER_KERNEL_PTR;
}

/* Return the right that a filter needs to read a string at @place, or 0. */
static unsigned int place_right(enum filter_place place)
{
	switch (place) {
	case FILTER_KERNEL_PTR:
		return STROBE_FILTER_KERNEL_PTR;
	case FILTER_USER_PTR:
		return STROBE_FILTER_USER_PTR;
	default:
		return 0;
	}
}

static int check_string(struct filter_checker *c)
{
	const struct filter_words *words = c->words;
	struct filter_pattern *pattern;
	unsigned int right;
	int ret;

	if (!op_is_equality(words->op) && words->op != FILTER_OP_GLOB)
		return check_fail(c, STROBE_FILTER_ILLEGAL_FIELD_OP, words->value_at);
	if (!field_is_string(&c->field))
		return check_fail(c, STROBE_FILTER_EXPECT_NUMBER, words->value_at);
	ret = check_value(c);
	if (ret)
		return ret;
	c->term->kind = FILTER_STRING;
	c->term->place = string_place(c);
	/* The text of ftrace:print has no size: it extends to the end of the record. */
	if (c->term->place == FILTER_FIXED && !c->term->size)
		c->term->size = FILTER_SIZE_REST;
	/* User space chose the address, so it could be any kernel address: don't follow it. */
	if (c->term->place == FILTER_KERNEL_PTR && c->field.is_user) {
		c->term->kind = FILTER_NEVER;
		return 0;
	}
	right = place_right(c->term->place);
	if (right & ~c->rights)
		return -EACCES;
	if (right) {
		ret = strobe_mem_prepare();
		if (ret)
			return ret;
	}
	pattern = pattern_create(c);
	if (!pattern)
		return -ENOMEM;
	c->term->pattern = pattern;
	return 0;
}

/**
 * strobe_filter_check - check a term against the fields of an event
 * @call:  the event
 * @words: the term's tokens
 * @rights: what the filter may do, STROBE_FILTER_*
 * @term:  set to the checked term
 * @data:  list to which the data that @term points to is added, even on error
 * @err:   set on error
 *
 * Context: task, may sleep; the event must stay registered.
 * Return: 0; -EINVAL if the term is invalid for the event; -EACCES if a right is
 *	   missing; -ENOMEM
 */
int strobe_filter_check(const struct trace_event_call *call, const struct filter_words *words,
			unsigned int rights, struct filter_term *term, struct filter_data **data,
			struct strobe_filter_error *err)
{
	struct filter_checker c = {
		.words = words, .rights = rights, .term = term, .data = data, .err = err,
	};

	if (!strobe_filter_field_find(call, words->text + words->begin,
				      words->name_end - words->begin, &c.field))
		return check_fail(&c, STROBE_FILTER_FIELD_NOT_FOUND, words->name_end);
	if (words->op == FILTER_NR_OPS)
		return check_fail(&c, STROBE_FILTER_INVALID_OP, words->op_at);
	*term = (struct filter_term) {
		.op = words->op,
		.size = c.field.size,
		.offset = c.field.offset,
	};
	if (words->function)
		return check_function(&c);
	switch (words->value) {
	case FILTER_VALUE_CPUS:
		return check_cpus(&c);
	case FILTER_VALUE_QUOTED:
		return check_string(&c);
	case FILTER_VALUE_NUMBER:
		return check_number(&c);
	default:
		return check_fail(&c, STROBE_FILTER_INVALID_VALUE, words->value_at);
	}
}
