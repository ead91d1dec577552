// SPDX-License-Identifier: GPL-2.0
/*
 * Format files: the layout of an event's records, for tools to parse. Each byte
 * of the text is ABI. This file has no state.
 */
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "event/eval.h"
#include "event/event.h"
#include "event/fields.h"

#define ATTRIBUTE "__attribute__("

/* Attributes are removed only from types shorter than this. */
#define FORMAT_TYPE_MAX 128

/* Skip past the ')' that matches a '(' before @p. Returns NULL if there is none. */
static const char *skip_parens(const char *p)
{
	int depth = 1;

	for (; *p; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && !--depth)
			return p + 1;
	}
	return NULL;
}

/* Return @type without attributes such as that of __user, in @buf if it has any. */
static const char *type_without_attributes(const char *type, char buf[FORMAT_TYPE_MAX])
{
	const char *attribute, *rest;
	char *to = buf;

	attribute = strstr(type, ATTRIBUTE);
	if (!attribute || strlen(type) >= FORMAT_TYPE_MAX)
		return type;

	for (rest = type; attribute; attribute = strstr(rest, ATTRIBUTE)) {
		const char *end = attribute + strlen(ATTRIBUTE);
		/* Part of a longer name, not an attribute. */
		bool is_name = attribute != rest && !isspace(attribute[-1]);
		const char *keep = is_name ? end : attribute;

		memcpy(to, rest, keep - rest);
		to += keep - rest;
		if (!is_name) {
			end = skip_parens(end);
			if (!end)
				return type;
			end = skip_spaces(end);
		}
		rest = end;
	}
	memcpy(to, rest, strlen(rest) + 1);
	return buf;
}

/* An array is shown as in C, with the length after the name. */
static void format_show_field(struct seq_file *m, const struct strobe_field *field,
			      unsigned int offset)
{
	char buf[FORMAT_TYPE_MAX];
	const char *type = type_without_attributes(field->type, buf);
	const char *bracket = strchr(type, '[');

	if (str_has_prefix(type, "__data_loc"))
		bracket = NULL;

	/* Events have thousands of fields in all, and printf() is slow. */
	seq_puts(m, "\tfield:");
	seq_write(m, type, bracket ? bracket - type : strlen(type));
	seq_putc(m, ' ');
	seq_puts(m, field->name);
	if (bracket) {
		seq_putc(m, '[');
		if (field->len)
			seq_put_decimal_ull(m, "", field->len);
		seq_putc(m, ']');
	}
	seq_put_decimal_ull(m, ";\toffset:", offset);
	seq_put_decimal_ull(m, ";\tsize:", field->size);
	seq_puts(m, field->is_signed ? ";\tsigned:1;\n" : ";\tsigned:0;\n");
}

/**
 * strobe_event_format_show - write an event's format file
 * @m: the seq_file to write to
 * @call: the event
 *
 * Context: task context; the event must stay registered.
 */
void strobe_event_format_show(struct seq_file *m, const struct trace_event_call *call)
{
	const struct trace_event_class *class = call->class;
	struct strobe_field_iter it;
	unsigned int offset = 0;
	int i;

	seq_printf(m, "name: %s\nID: %u\nformat:\n", trace_event_name(call), call->type);

	for (i = 0; i < STROBE_NR_COMMON_FIELDS; i++) {
		format_show_field(m, &strobe_common_fields[i], offset);
		offset += strobe_common_fields[i].size;
	}
	seq_putc(m, '\n');

	strobe_for_each_field(&it, call)
		format_show_field(m, it.field, it.offset);

	seq_puts(m, "\nprint fmt: ");
	if (class->ops && class->ops->print_fmt)
		class->ops->print_fmt(m, call);
	else
		strobe_eval_show(m, call, class->print_fmt);
	seq_putc(m, '\n');
}
