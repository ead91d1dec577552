// SPDX-License-Identifier: GPL-2.0
/*
 * Show arguments: as they were defined, as fields and print fmt of an event, and as text of a
 * record. Each byte is ABI. No state. Contexts: task; the caller keeps the arguments.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/seq_file.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>
#include <linux/strobe/event.h>

#include "dynamic/internal.h"

/**
 * strobe_dyn_args_show - show arguments as in a definition
 * @m:    the file
 * @args: the arguments
 */
void strobe_dyn_args_show(struct seq_file *m, const struct dyn_args *args)
{
	const struct dyn_arg *arg;

	for_each_dyn_arg(arg, args)
		seq_printf(m, " %s=%s", dyn_text(args) + arg->name, dyn_text(args) + arg->expr);
}

/**
 * strobe_dyn_args_field - describe an argument as a field
 * @args:  the arguments, which must live as long as @field is used
 * @i:	   its number
 * @field: filled in
 *
 * Return: false if there are not so many
 */
bool strobe_dyn_args_field(const struct dyn_args *args, u32 i, struct strobe_field *field)
{
	const struct dyn_arg *arg = dyn_arg(args, i);
	const struct dyn_type *type;

	if (i >= args->nr)
		return false;
	type = dyn_arg_type(arg);
	*field = (struct strobe_field) {
		.type = arg->format ? dyn_text(args) + arg->format : type->field,
		.name = dyn_text(args) + arg->name,
		.size = dyn_arg_bytes(arg),
		.align = 1,
		.is_signed = type->is_signed,
		.filter_type = FILTER_OTHER,
	};
	return true;
}

/**
 * strobe_dyn_args_print_fmt - write the arguments' part of the format in a print fmt
 * @m:    the file
 * @args: the arguments
 */
void strobe_dyn_args_print_fmt(struct seq_file *m, const struct dyn_args *args)
{
	const struct dyn_arg *arg;
	const char *fmt;
	u32 i;

	for_each_dyn_arg(arg, args) {
		fmt = dyn_arg_type(arg)->fmt;
		seq_printf(m, " %s=%s%s", dyn_text(args) + arg->name, arg->count ? "{" : "", fmt);
		for (i = 1; i < arg->count; i++)
			seq_printf(m, ",%s", fmt);
		if (arg->count)
			seq_putc(m, '}');
	}
}

static void print_fmt_arg(struct seq_file *m, const char *name, bool is_string, int element)
{
	seq_printf(m, is_string ? ", __get_str(%s" : ", REC->%s", name);
	if (element >= 0)
		seq_printf(m, "[%d]", element);
	if (is_string)
		seq_putc(m, ')');
}

/**
 * strobe_dyn_args_print_fmt_args - write the values of the arguments after that format
 * @m:    the file
 * @args: the arguments
 */
void strobe_dyn_args_print_fmt_args(struct seq_file *m, const struct dyn_args *args)
{
	const struct dyn_arg *arg;
	u32 i;

	for_each_dyn_arg(arg, args) {
		bool is_string = dyn_type_is_string(dyn_arg_type(arg));
		const char *name = dyn_text(args) + arg->name;

		if (!arg->count)
			print_fmt_arg(m, name, is_string, -1);
		for (i = 0; i < arg->count; i++)
			print_fmt_arg(m, name, is_string, i);
	}
}

/* Write a string of the record. Its location is not trusted. */
static void print_string(struct strobe_print *pr, const void *value)
{
	u32 loc = get_unaligned((u32 *)value), len = loc >> 16, at = loc & 0xffff;

	if (!len || at >= pr->len)
		trace_seq_puts(pr->seq, "(fault)");
	else
		trace_seq_printf(pr->seq, "\"%.*s\"", (int)min(len, pr->len - at),
				 (char *)pr->entry + at);
}

static void print_value(struct strobe_print *pr, const void *value, const struct dyn_type *type)
{
	u64 val;

	if (dyn_type_is_string(type)) {
		print_string(pr, value);
		return;
	}
	val = dyn_load(value, type->size);
	if (type->is_signed)
		val = sign_extend64(val, BITS_PER_BYTE * type->size - 1);
	switch (type->kind) {
	case DYN_KIND_CHAR:
		trace_seq_printf(pr->seq, "'%c'", (int)val);
		break;
	case DYN_KIND_SYMBOL:
		trace_seq_printf(pr->seq, "%pS", (void *)((unsigned long)val + pr->text_delta));
		break;
	default:
		trace_seq_printf(pr->seq, type->text, val);
	}
}

/**
 * strobe_dyn_args_print - write the text of a record's arguments
 * @pr:   the record being rendered
 * @args: the arguments
 *
 * Context: any
 */
void strobe_dyn_args_print(struct strobe_print *pr, const struct dyn_args *args)
{
	const struct dyn_type *type;
	const struct dyn_arg *arg;
	const char *value;
	u32 i;

	for_each_dyn_arg(arg, args) {
		type = dyn_arg_type(arg);
		value = (char *)pr->entry + args->head + arg->offset;
		trace_seq_printf(pr->seq, " %s=", dyn_text(args) + arg->name);
		/* A record of a persistent ring may be of another definition. */
		if (args->head + arg->offset + dyn_arg_bytes(arg) > pr->len) {
			trace_seq_puts(pr->seq, "(fault)");
			continue;
		}
		if (arg->count)
			trace_seq_putc(pr->seq, '{');
		for (i = 0; i < max(arg->count, 1U); i++) {
			if (i)
				trace_seq_putc(pr->seq, ',');
			print_value(pr, value + i * type->size, type);
		}
		if (arg->count)
			trace_seq_putc(pr->seq, '}');
	}
}
