// SPDX-License-Identifier: GPL-2.0
/*
 * The types of arguments: what they are called, how a record holds them, and how they are shown.
 * Each text is ABI. No state. Contexts: any.
 */
#include <linux/array_size.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/stringify.h>
#include <linux/string.h>

#include "dynamic/internal.h"

/* Types of the record are unsigned also for numbers that are shown as hexadecimal ones. */
#define NUMBER(letter, field_, bits, fmt_, text_, is_signed_) {		\
	.name = letter __stringify(bits), .field = field_ __stringify(bits),	\
	.fmt = fmt_, .text = text_, .size = (bits) / 8,				\
	.is_signed = is_signed_, .kind = DYN_KIND_NUMBER,			\
}

/* The location of a string; that it is signed is ABI. */
#define STRING(name_, kind_) {							\
	.name = name_, .field = "__data_loc char[]", .fmt = "\\\"%s\\\"",	\
	.size = sizeof(u32), .is_signed = true, .kind = kind_,			\
}

#define ADDRESS	"u" __stringify(BITS_PER_LONG)

const struct dyn_type strobe_dyn_types[] = {
	STRING("string", DYN_KIND_STRING),
	STRING("ustring", DYN_KIND_USTRING),
	STRING("symstr", DYN_KIND_SYMSTR),
	NUMBER("u", "u", 8, "%u", "%llu", false),
	NUMBER("u", "u", 16, "%u", "%llu", false),
	NUMBER("u", "u", 32, "%u", "%llu", false),
	NUMBER("u", "u", 64, "%Lu", "%llu", false),
	NUMBER("s", "s", 8, "%d", "%lld", true),
	NUMBER("s", "s", 16, "%d", "%lld", true),
	NUMBER("s", "s", 32, "%d", "%lld", true),
	NUMBER("s", "s", 64, "%Ld", "%lld", true),
	NUMBER("x", "u", 8, "0x%x", "0x%llx", false),
	NUMBER("x", "u", 16, "0x%x", "0x%llx", false),
	NUMBER("x", "u", 32, "0x%x", "0x%llx", false),
	NUMBER("x", "u", 64, "0x%Lx", "0x%llx", false),
	{ .name = "char", .field = "u8", .fmt = "'%c'", .text = "'%c'", .size = 1,
	  .kind = DYN_KIND_CHAR },
	{ .name = "symbol", .field = ADDRESS, .fmt = "%pS", .text = "%pS", .size = sizeof(long),
	  .kind = DYN_KIND_SYMBOL },
};

/* The type that holds a bitfield: that of what follows the '/'. */
static int bits_find(const char *name)
{
	const char *slash = strchr(name, '/');
	unsigned long bits;
	u32 i;

	if (!slash || kstrtoul(slash + 1, 0, &bits))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(strobe_dyn_types); i++) {
		const struct dyn_type *type = &strobe_dyn_types[i];

		if (*type->name == 'u' && type->kind == DYN_KIND_NUMBER &&
		    bits == BITS_PER_BYTE * type->size)
			return i;
	}
	return -EINVAL;
}

/**
 * strobe_dyn_type_find - find a type
 * @name:  its name, or a bitfield: "bWIDTH@OFFSET/SIZE"; NULL: the default
 * @flags: DYN_* of the source
 *
 * Return: its number in strobe_dyn_types, or -EINVAL
 */
int strobe_dyn_type_find(const char *name, u32 flags)
{
	u32 i;

	if (!name)
		name = "x" __stringify(BITS_PER_LONG);
	if (*name == 'b')
		return bits_find(name);
	/* Addresses of user space have no names. */
	if ((flags & DYN_USER) && (!strcmp(name, "symbol") || !strcmp(name, "symstr")))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(strobe_dyn_types); i++) {
		if (!strcmp(strobe_dyn_types[i].name, name))
			return i;
	}
	return -EINVAL;
}

/* Parse the number from @text to @end. */
static int parse_part(const char *text, const char *end, unsigned long *val)
{
	char part[DYN_EXPR_MAX + 1];

	memcpy(part, text, end - text);
	part[end - text] = 0;
	return isdigit(*part) ? kstrtoul(part, 0, val) : -EINVAL;
}

/**
 * strobe_dyn_bits_parse - parse the place of a bitfield
 * @name: "bWIDTH@OFFSET/SIZE", for which strobe_dyn_type_find() has found a type
 * @arg:  its shifts are set
 *
 * Return: 0, or -EINVAL if the bits are not within the type
 */
int strobe_dyn_bits_parse(const char *name, struct dyn_arg *arg)
{
	unsigned long width, first, bits = BITS_PER_BYTE * dyn_arg_type(arg)->size;
	const char *middle = strchr(name, '@'), *end = strchr(name, '/');

	if (!middle || middle > end || parse_part(name + 1, middle, &width) ||
	    parse_part(middle + 1, end, &first) || !width || width > bits || first > bits - width)
		return -EINVAL;
	arg->left = 64 - width - first;
	arg->right = 64 - width;
	return 0;
}
