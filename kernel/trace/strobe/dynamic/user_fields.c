// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of an event of user space: from "TYPE NAME[; ...]" to a field table, the
 * "print fmt" of its format file, and the check of a record that a process wrote.
 *
 * Any process that may open user_events_data gives both the text and the records. The
 * fields are packed: a field begins where the one before it ends. Filters, triggers and
 * programs trust the location in a __data_loc or __rel_loc field, so each record is
 * checked before any of them reads it. strobe_field_loc() decides for all of
 * them whether a field is such a location: it looks for the word anywhere in the type.
 *
 * No state. Contexts: task, may sleep, except for strobe_user_fields_check(): any.
 */
#include <linux/array_size.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/strobe/event.h>
#include <linux/unaligned.h>

#include "dynamic/user_fields.h"
#include "event/fields.h"

/* The longest array of characters: ABI. */
#define ARRAY_MAX	1024

/* The text after '[' is refused from this length on: ABI. */
#define ARRAY_TEXT_MAX	8

/* No record is longer: the location of a field's data has 16 bits. */
#define RECORD_MAX	U16_MAX

/* Types of a fixed size, and how "print fmt" shows them: ABI. */
static const struct user_type {
	const char	*name;
	const char	*fmt;
	u8		size;
} user_types[] = {
	{ "s64",		"%lld",	8 },
	{ "u64",		"%llu",	8 },
	{ "s32",		"%d",	4 },
	{ "u32",		"%u",	4 },
	{ "int",		"%d",	4 },
	{ "unsigned int",	"%u",	4 },
	{ "s16",		"%d",	2 },
	{ "u16",		"%u",	2 },
	{ "short",		"%d",	2 },
	{ "unsigned short",	"%u",	2 },
	{ "s8",			"%d",	1 },
	{ "u8",			"%u",	1 },
	{ "char",		"%d",	1 },
	{ "unsigned char",	"%u",	1 },
};

static const struct user_type *type_find(const char *name)
{
	const struct user_type *type;

	for (type = user_types; type < user_types + ARRAY_SIZE(user_types); type++) {
		if (!strcmp(type->name, name))
			return type;
	}
	return NULL;
}

static bool type_is_struct(const char *type)
{
	return str_has_prefix(type, "struct ");
}

static bool type_is_location(const char *type)
{
	return str_has_prefix(type, "__data_loc ") || str_has_prefix(type, "__rel_loc ");
}

/* The number of elements of "char[N]": what follows the first ']' is ignored, which is ABI. */
static int char_array_size(const char *type)
{
	const char *start = strchr(type, '[') + 1;
	char digits[ARRAY_TEXT_MAX];
	unsigned int size;
	char *end;

	if (strlen(start) >= ARRAY_TEXT_MAX)
		return -EINVAL;
	strscpy(digits, start);
	end = strchr(digits, ']');
	if (!end)
		return -EINVAL;
	*end = '\0';
	if (kstrtouint(digits, 0, &size) || size > ARRAY_MAX)
		return -EINVAL;
	return size;
}

/* The size of a field whose text gives none. */
static int type_size(const char *type)
{
	const struct user_type *found = type_find(type);

	if (found)
		return found->size;
	if (str_has_prefix(type, "char[") || str_has_prefix(type, "unsigned char["))
		return char_array_size(type);
	return type_is_location(type) ? sizeof(u32) : -EINVAL;
}

/* Length of the part of a type that ends with its first blank, which is not its end. */
static size_t type_head(const char *field)
{
	static const char * const heads[] = {
		"unsigned ", "struct ", "__data_loc unsigned ", "__data_loc ",
		"__rel_loc unsigned ", "__rel_loc ",
	};
	unsigned int i;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		len = str_has_prefix(field, heads[i]);
		if (len)
			return len;
	}
	return 0;
}

/* Terminate and return the word at *@at. Moves *@at to the next word, or sets it to NULL. */
static char *cut_word(char **at)
{
	return strsep(at, " ");
}

/*
 * Names and types are shown in files of lines, and names in the string of "print fmt". A
 * control character, a quote or a '%' would let them look like something else.
 */
static bool text_is_plain(const char *text, const char *refused)
{
	for (; *text; text++) {
		if (!isascii(*text) || !isprint(*text) || strchr(refused, *text))
			return false;
	}
	return true;
}

static int put_field(struct user_fields *fields, const char *type, const char *name, u32 size)
{
	struct strobe_field *field = &fields->table[fields->nr];

	if (!size || size > RECORD_MAX - fields->min_len)
		return -EINVAL;
	if (!text_is_plain(type, "\"\\%") || !text_is_plain(name, " \"\\%"))
		return -EINVAL;
	*field = (struct strobe_field) {
		.type		= type,
		.name		= name,
		.size		= size,
		.align		= 1,
		.is_signed	= type[0] != 'u',
		.filter_type	= FILTER_OTHER,
	};
	/* A structure whose name contains the word would not be checked as a location. */
	if (strobe_field_loc(field) != FIELD_VALUE) {
		if (!type_is_location(type) || size != sizeof(u32))
			return -EINVAL;
		fields->nr_located++;
	} else if (strchr(type, '[') && !type_is_struct(type)) {
		field->len = size;
	}
	fields->min_len += size;
	fields->nr++;
	return 0;
}

/* "TYPE NAME" or "struct TYPE NAME SIZE", with one blank between words */
static int parse_field(struct user_fields *fields, char *at)
{
	char *type, *name, *end;
	size_t head;
	int size;

	at = skip_spaces(at);
	if (!*at)
		return 0;
	head = type_head(at);
	type = at;
	at += head;
	cut_word(&at);
	name = cut_word(&at);
	end = cut_word(&at);
	if (!name || !*name || at)
		return -EINVAL;
	if (!end)
		size = type_size(type);
	else if (!type_is_struct(type) || kstrtoint(end, 10, &size))
		return -EINVAL;
	if (size < 0)
		return -EINVAL;
	return put_field(fields, type, name, size);
}

static size_t text_append(char *to, const struct strobe_field *field, bool first)
{
	const char *separator = first ? "" : "; ";

	if (type_is_struct(field->type))
		return sprintf(to, "%s%s %s %u", separator, field->type, field->name, field->size);
	return sprintf(to, "%s%s %s", separator, field->type, field->name);
}

/* At worst a blank more after each ';'. A size is not longer than in the text. */
static int text_make(struct user_fields *fields, size_t len)
{
	unsigned int i;
	size_t at = 0;

	fields->text = kmalloc(2 * len + 1, GFP_KERNEL_ACCOUNT);
	if (!fields->text)
		return -ENOMEM;
	fields->text[0] = '\0';
	for (i = 0; i < fields->nr; i++)
		at += text_append(fields->text + at, &fields->table[i], !i);
	return 0;
}

/**
 * strobe_user_fields_parse - make the fields that a text describes
 * @fields: set to the fields; empty after an error
 * @text:   "TYPE NAME[; ...]"; may be empty
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL: the text is no such description, or the record would be too long;
 *	   -ENOMEM
 */
int strobe_user_fields_parse(struct user_fields *fields, const char *text)
{
	unsigned int nr = 1;
	char *rest, *field;
	const char *at;
	int ret;

	*fields = (struct user_fields) { .min_len = sizeof(struct trace_entry) };
	for (at = text; (at = strchr(at, ';')); at++)
		nr++;
	fields->table = kcalloc(nr, sizeof(*fields->table), GFP_KERNEL_ACCOUNT);
	fields->words = kstrdup(text, GFP_KERNEL_ACCOUNT);
	ret = fields->table && fields->words ? 0 : -ENOMEM;
	rest = fields->words;
	while (!ret && (field = strsep(&rest, ";")))
		ret = parse_field(fields, field);
	if (!ret)
		ret = text_make(fields, strlen(text));
	if (ret)
		strobe_user_fields_free(fields);
	return ret;
}

/**
 * strobe_user_fields_free - undo strobe_user_fields_parse()
 * @fields: the fields
 *
 * Context: any.
 */
void strobe_user_fields_free(struct user_fields *fields)
{
	kfree(fields->table);
	kfree(fields->words);
	kfree(fields->text);
	*fields = (struct user_fields) { };
}

/**
 * strobe_user_fields_match - compare fields with a text
 * @fields: the fields
 * @text:   a description, which need not be a correct one
 *
 * White space between words does not matter, nor does a ';' at the end. The size of an array
 * or of a structure is the same only if its text is.
 *
 * Context: any.
 */
bool strobe_user_fields_match(const struct user_fields *fields, const char *text)
{
	const char *want = fields->text;
	char c;

	for (text = skip_spaces(text); *text; text = skip_spaces(text)) {
		if (want > fields->text && *want++ != ' ')
			return false;
		do {
			c = *text++;
			if (c == ';' && !*want && fields->nr && !*skip_spaces(text))
				return true;
			if (*want++ != c)
				return false;
		} while (c != ';' && *text && !isspace(*text));
	}
	return !*want;
}

/* Is a field's data in the record, and does it end with a NUL if it is text? */
static bool location_is_good(const struct strobe_field *field, const void *record, u32 offset,
			     u32 len)
{
	u32 loc = get_unaligned((const u32 *)(record + offset));
	u32 start = loc & 0xffff, size = loc >> 16;

	if (strobe_field_loc(field) == FIELD_REL_LOC)
		start += offset + sizeof(loc);
	if (start + size > len)
		return false;
	if (!strstr(field->type, "char"))
		return true;
	/* A text in the header would change when the header is filled in. */
	return size && start >= sizeof(struct trace_entry) &&
	       !*(const char *)(record + start + size - 1);
}

/**
 * strobe_user_fields_check - check a record that a process wrote
 * @fields: the fields
 * @record: the record, at least @fields->min_len bytes
 * @len:    its length in bytes
 *
 * Context: any.
 * Return: 0; -EFAULT: a location points out of the record, or its text has no NUL at the end
 */
int strobe_user_fields_check(const struct user_fields *fields, const void *record, u32 len)
{
	const struct strobe_field *field = fields->table;
	u32 offset = sizeof(struct trace_entry);
	unsigned int left = fields->nr_located;

	for (; left; field++) {
		if (strobe_field_loc(field) != FIELD_VALUE) {
			if (!location_is_good(field, record, offset, len))
				return -EFAULT;
			left--;
		}
		offset += field->size;
	}
	return 0;
}

static const char *field_format(const char *type)
{
	const struct user_type *found = type_find(type);

	if (found)
		return found->fmt;
	return strstr(type, "char[") ? "%s" : "%llu";
}

static void show_value(struct seq_file *m, const struct strobe_field *field)
{
	bool is_text = strstr(field->type, "char");
	enum strobe_field_loc loc = strobe_field_loc(field);

	if (is_text && loc == FIELD_DATA_LOC)
		seq_printf(m, ", __get_str(%s)", field->name);
	else if (is_text && loc == FIELD_REL_LOC)
		seq_printf(m, ", __get_rel_str(%s)", field->name);
	else
		seq_printf(m, ", REC->%s", field->name);
}

/**
 * strobe_user_fields_print_fmt - write the text after "print fmt: " in the format file
 * @m:      the file
 * @fields: the fields
 *
 * Context: task.
 */
void strobe_user_fields_print_fmt(struct seq_file *m, const struct user_fields *fields)
{
	const struct strobe_field *field, *end = fields->table + fields->nr;

	seq_putc(m, '"');
	for (field = fields->table; field < end; field++)
		seq_printf(m, "%s%s=%s", field > fields->table ? " " : "", field->name,
			   field_format(field->type));
	seq_putc(m, '"');
	for (field = fields->table; field < end; field++)
		show_value(m, field);
}
