// SPDX-License-Identifier: GPL-2.0
/*
 * The filters' interface to the rest of the kernel: an event's fields, symbols, CPUs.
 *
 * No state. Contexts: strobe_filter_nr_cpus() any, also NMI; all else task.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "event/fields.h"
#include "filter/internal.h"

/* Fields that can be used with each event, but are not part of the record. */
static const struct strobe_field generic_fields[] = {
	{ .name = "CPU",	.filter_type = FILTER_CPU,	.is_signed = 1 },
	{ .name = "cpu",	.filter_type = FILTER_CPU,	.is_signed = 1 },
	{ .name = "common_cpu",	.filter_type = FILTER_CPU,	.is_signed = 1 },
	{ .name = "COMM",	.filter_type = FILTER_COMM },
	{ .name = "comm",	.filter_type = FILTER_COMM },
	{ .name = "stacktrace",	.filter_type = FILTER_STACKTRACE },
	{ .name = "STACKTRACE",	.filter_type = FILTER_STACKTRACE },
};

static bool field_is(const struct strobe_field *field, const char *name, u32 len)
{
	return !strncmp(field->name, name, len) && !field->name[len];
}

static bool field_found(const struct strobe_field *field, u32 offset, struct filter_field *found)
{
	/* The generic fields have no type. */
	enum strobe_field_loc loc = field->type ? strobe_field_loc(field) : FIELD_VALUE;

	*found = (struct filter_field) {
		.type = field->type ? strobe_field_filter_type(field) : field->filter_type,
		.size = field->size,
		.offset = offset,
		.is_signed = field->is_signed,
		.is_relative = loc == FIELD_REL_LOC,
		.is_located = loc != FIELD_VALUE,
	};
	return true;
}

/**
 * strobe_filter_field_find - find a field by its name
 * @call:  the event
 * @name:  the name, not NUL-terminated
 * @len:   its length in characters
 * @field: set to the description of the field
 *
 * The event's own fields come first, then the generic ones, then those of struct
 * trace_entry.
 *
 * Context: task; the event must stay registered.
 * Return: true if there is such a field
 */
bool strobe_filter_field_find(const struct trace_event_call *call, const char *name, u32 len,
			      struct filter_field *field)
{
	struct strobe_field_iter it;
	u32 offset = 0;
	int i;

	strobe_for_each_field(&it, call) {
		if (field_is(it.field, name, len))
			goto found;
	}
	for (i = 0; i < ARRAY_SIZE(generic_fields); i++) {
		if (field_is(&generic_fields[i], name, len))
			return field_found(&generic_fields[i], 0, field);
	}
	for (i = 0; i < STROBE_NR_COMMON_FIELDS; i++) {
		if (field_is(&strobe_common_fields[i], name, len))
			return field_found(&strobe_common_fields[i], offset, field);
		offset += strobe_common_fields[i].size;
	}
	return false;

found:
	field_found(it.field, it.offset, field);
	field->is_user = call->class->user_pointers;
	return true;
}

/**
 * strobe_filter_record_size - the size of the records of an event
 * @call: the event
 *
 * Context: task; the event must stay registered.
 * Return: size of the part that each record has, in bytes
 */
u32 strobe_filter_record_size(const struct trace_event_call *call)
{
	return strobe_fields_end(call);
}

/**
 * strobe_filter_symbol_find - find the address of a function
 * @name: its name, not NUL-terminated
 * @len:  length of the name in characters
 * @addr: set to the address
 *
 * Context: task, may sleep.
 * Return: 0, -ENOENT, -ENOMEM
 */
int strobe_filter_symbol_find(const char *name, u32 len, unsigned long *addr)
{
	char *copy = kmemdup_nul(name, len, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	*addr = kallsyms_lookup_name(copy);
	kfree(copy);
	return *addr ? 0 : -ENOENT;
}

/**
 * strobe_filter_symbol_range - find start and size of the function at an address
 * @addr:  an address in the function
 * @start: set to the address of its first byte
 * @size:  set to its size in bytes
 *
 * Context: task.
 * Return: false if @addr is not in a function
 */
bool strobe_filter_symbol_range(unsigned long addr, u64 *start, u64 *size)
{
	unsigned long bytes, offset;

	if (!kallsyms_lookup_size_offset(addr, &bytes, &offset))
		return false;
	*start = addr - offset;
	*size = bytes;
	return true;
}

/**
 * strobe_filter_cpus_parse - parse a list of CPUs
 * @list: a list like "0-2,7", not NUL-terminated
 * @len:  length of @list in characters
 * @bits: set to the mask, strobe_filter_cpu_longs() longs
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL or -ERANGE if the list is invalid; -ENOMEM
 */
int strobe_filter_cpus_parse(const char *list, u32 len, unsigned long *bits)
{
	char *copy = kmemdup_nul(list, len, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = bitmap_parselist(copy, bits, nr_cpumask_bits);
	kfree(copy);
	/* Callers take -ENOMEM for a failed allocation, not for a bad list. */
	return ret == -ENOMEM ? -EINVAL : ret;
}

/* Number of bits in a recorded mask of CPUs. */
notrace unsigned int strobe_filter_nr_cpus(void)
{
	return nr_cpumask_bits;
}

unsigned int strobe_filter_cpu_longs(void)
{
	return BITS_TO_LONGS(nr_cpumask_bits);
}
