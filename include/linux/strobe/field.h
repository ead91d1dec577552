/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of a class of events, and the strings in them. */
#ifndef _LINUX_STROBE_FIELD_H
#define _LINUX_STROBE_FIELD_H

#include <linux/compiler_attributes.h>
#include <linux/stdarg.h>
#include <linux/types.h>

/* Filter types of fields: the third argument of __field_ext(). */
enum {
	FILTER_OTHER		= 0,
	FILTER_STATIC_STRING	= 1,
	FILTER_DYN_STRING	= 2,
	FILTER_RDYN_STRING	= 3,
	FILTER_PTR_STRING	= 4,
	FILTER_TRACE_FN		= 5,
	FILTER_CPUMASK		= 6,
	FILTER_COMM		= 7,
	FILTER_CPU		= 8,
	FILTER_STACKTRACE	= 9,
};

/**
 * struct strobe_field - one field of an event class, constant
 * @type:	C type as the format file shows it
 * @name:	name of the field
 * @size:	bytes that it takes in the fixed part of the record
 * @len:	number of elements of an __array(), else 0
 * @align:	alignment in bytes; offsets follow from it and @size, see
 *		event/fields.h
 * @is_signed:	1 if the type (of one element) is signed
 * @filter_type: FILTER_* as given by the event header
 */
struct strobe_field {
	const char	*type;
	const char	*name;
	u16		size;
	u16		len;
	u8		align;
	u8		is_signed;
	u8		filter_type;
};

/* Recorded in a string field if the string's pointer is NULL. */
#define EVENT_NULL_STR		"(null)"

/* The longest __vstring(), in bytes with its NUL. */
#define TRACE_EVENT_STR_MAX	512

/* Size of the longest string in a filter, in bytes; events of mm use it, too. */
#define MAX_FILTER_STR_VAL	256U

/* For string fields: EVENT_NULL_STR, length and copy of __string() and of __vstring(). */
extern const char strobe_null_str[];
unsigned long strobe_str_bytes(const char *str);
void strobe_str_assign(char *dst, const char *src, unsigned long bytes);
__printf(1, 0)
u32 strobe_vstr_bytes(const char *fmt, va_list *args);
__printf(3, 0)
void strobe_vstr_assign(char *dst, u32 bytes, const char *fmt, va_list *args);

#endif /* _LINUX_STROBE_FIELD_H */
