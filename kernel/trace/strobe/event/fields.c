// SPDX-License-Identifier: GPL-2.0
/* Iterate over the fields of events, and find them in records. This file has no state. */
#include <linux/array_size.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "event/fields.h"

#define COMMON_FIELD(type_, member) {						\
	.type = #type_,								\
	.name = "common_" #member,						\
	.size = sizeof_field(struct trace_entry, member),			\
	.align = __alignof__(type_),						\
	.is_signed = is_signed_type(type_),					\
	.filter_type = FILTER_OTHER,						\
}

const struct strobe_field strobe_common_fields[STROBE_NR_COMMON_FIELDS] = {
	COMMON_FIELD(unsigned short, type),
	COMMON_FIELD(unsigned char, flags),
	COMMON_FIELD(unsigned char, preempt_count),
	COMMON_FIELD(int, pid),
};

/* Set the current field to the one that @it->nr numbers. */
static void field_set(struct strobe_field_iter *it)
{
	const struct trace_event_class *class = it->call->class;

	if (class->ops && class->ops->field)
		it->field = class->ops->field(it->call, it->nr, &it->buf);
	else
		it->field = it->nr < class->nr_fields ? &class->fields[it->nr] : NULL;
	if (it->field)
		it->offset = ALIGN(it->offset, it->field->align);
}

/**
 * strobe_fields_first - start to iterate over an event's own fields
 * @it: the iterator
 * @call: the event
 *
 * Context: any; the caller keeps the event registered.
 */
void strobe_fields_first(struct strobe_field_iter *it, const struct trace_event_call *call)
{
	it->call = call;
	it->nr = 0;
	it->offset = sizeof(struct trace_entry);
	field_set(it);
}

/**
 * strobe_fields_next - advance to the next field
 * @it: the iterator, not at its end
 *
 * Context: any; the caller keeps the event registered.
 */
void strobe_fields_next(struct strobe_field_iter *it)
{
	it->offset += it->field->size;
	it->nr++;
	field_set(it);
}

/**
 * strobe_fields_end - offset at which an event's fields end
 * @call: the event
 *
 * Context: any; the caller keeps the event registered.
 * Return: length of the part that each record has, struct trace_entry included
 */
unsigned int strobe_fields_end(const struct trace_event_call *call)
{
	struct strobe_field_iter it;

	strobe_for_each_field(&it, call)
		;
	return it.offset;
}

/**
 * strobe_field_loc - whether a field holds its value or the location of it
 * @field: the field
 *
 * The type's text alone determines this; that is ABI.
 */
enum strobe_field_loc strobe_field_loc(const struct strobe_field *field)
{
	if (strstr(field->type, "__data_loc"))
		return FIELD_DATA_LOC;
	return strstr(field->type, "__rel_loc") ? FIELD_REL_LOC : FIELD_VALUE;
}

/**
 * strobe_field_bytes - find the bytes of a field in a record
 * @field:  the field
 * @offset: its offset in the record
 * @record: the record
 * @len:    the record's length in bytes
 * @size:   set to the number of bytes found
 *
 * Context: any.
 * Return: the field's value, or the data that it locates; NULL: not in the record
 */
const void *strobe_field_bytes(const struct strobe_field *field, u32 offset,
			       const void *record, u32 len, u32 *size)
{
	enum strobe_field_loc loc = strobe_field_loc(field);
	u32 where;

	*size = field->size;
	if (offset > len || *size > len - offset)
		return NULL;
	if (loc == FIELD_VALUE)
		return record + offset;
	where = get_unaligned((const u32 *)(record + offset));
	*size = where >> 16;
	if (loc == FIELD_REL_LOC)
		offset += sizeof(where);
	else
		offset = 0;
	offset += where & 0xffff;
	return offset <= len && *size <= len - offset ? record + offset : NULL;
}

/**
 * strobe_field_filter_type - how a field's value is compared and shown
 * @field: the field
 *
 * Return: FILTER_*, as given by the event header or else derived from the field's
 *	type.
 */
unsigned int strobe_field_filter_type(const struct strobe_field *field)
{
	const char *type = field->type;
	enum strobe_field_loc loc = strobe_field_loc(field);
	bool is_char = strstr(type, "char");

	if (field->filter_type != FILTER_OTHER)
		return field->filter_type;

	if (loc != FIELD_VALUE) {
		if (is_char)
			return loc == FIELD_REL_LOC ? FILTER_RDYN_STRING : FILTER_DYN_STRING;
		if (strstr(type, "cpumask_t"))
			return FILTER_CPUMASK;
	}
	if (is_char && strchr(type, '['))
		return FILTER_STATIC_STRING;
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return FILTER_PTR_STRING;
	return FILTER_OTHER;
}
