// SPDX-License-Identifier: GPL-2.0
/*
 * What a filter asks the rest of the kernel: for an event's fields, for symbols and
 * CPUs, and for memory to copy a string to that a field points to.
 *
 * Each CPU has as many of these buffers as there are contexts that may interrupt each
 * other. They are made when a filter first wants them, and stay.
 *
 * State: buffers, set once, under buffers_mutex; what each CPU has taken of its own
 * is changed by that CPU only, and who interrupts leaves it as it was.
 *
 * Contexts: filter_buffer_get() any, NMI included, preemption off; all else task.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "event/fields.h"
#include "filter/internal.h"

/* Fields that every event seems to have, and that are in no record. */
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
	/* What is in no record has no type. */
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
 * filter_field_find - a field by its name
 * @call:  the event
 * @name:  the name, not NUL-terminated
 * @len:   its length in characters
 * @field: what there is to be known of it
 *
 * The event's own fields come first, then those that are in no record.
 *
 * Context: task; the event stays.
 * Return: is there one?
 */
bool filter_field_find(const struct trace_event_call *call, const char *name, u32 len,
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
 * filter_symbol_find - the address of a function
 * @name: its name, not NUL-terminated
 * @len:  characters of it
 * @addr: where it begins
 *
 * Context: task, may sleep.
 * Return: 0, -ENOENT, -ENOMEM
 */
int filter_symbol_find(const char *name, u32 len, unsigned long *addr)
{
	char *copy = kmemdup_nul(name, len, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	*addr = kallsyms_lookup_name(copy);
	kfree(copy);
	return *addr ? 0 : -ENOENT;
}

/**
 * filter_symbol_range - from where to where a function is
 * @addr:  an address in it
 * @start: its first byte
 * @size:  its size in bytes
 *
 * Context: task.
 * Return: is it in any function?
 */
bool filter_symbol_range(unsigned long addr, u64 *start, u64 *size)
{
	unsigned long bytes, offset;

	if (!kallsyms_lookup_size_offset(addr, &bytes, &offset))
		return false;
	*start = addr - offset;
	*size = bytes;
	return true;
}

/**
 * filter_cpus_parse - CPUs from a list of them
 * @list: as "0-2,7", not NUL-terminated
 * @len:  characters of it
 * @bits: filter_cpu_longs() of them
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL or -ERANGE if it is no such list; -ENOMEM
 */
int filter_cpus_parse(const char *list, u32 len, unsigned long *bits)
{
	char *copy = kmemdup_nul(list, len, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = bitmap_parselist(copy, bits, nr_cpumask_bits);
	kfree(copy);
	/* Not to be taken for ours. */
	return ret == -ENOMEM ? -EINVAL : ret;
}

/* The bits of a mask that a record has. */
notrace unsigned int filter_nr_cpus(void)
{
	return nr_cpumask_bits;
}

unsigned int filter_cpu_longs(void)
{
	return BITS_TO_LONGS(nr_cpumask_bits);
}

/* Task, soft and hard interrupt, NMI; an event within one of them has to wait. */
#define BUFFERS		4

struct filter_buffers {
	unsigned int	taken;
	char		buf[BUFFERS][FILTER_BUFFER_SIZE];
};

static struct filter_buffers __percpu *buffers;
static DEFINE_MUTEX(buffers_mutex);

/**
 * filter_buffers_prepare - have buffers
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM
 */
int filter_buffers_prepare(void)
{
	guard(mutex)(&buffers_mutex);
	if (!buffers)
		buffers = alloc_percpu(struct filter_buffers);
	return buffers ? 0 : -ENOMEM;
}

/**
 * filter_buffer_get - take a buffer
 * @buf: FILTER_BUFFER_SIZE bytes, until filter_buffer_put()
 *
 * Context: any, preemption off; after filter_buffers_prepare().
 * Return: 0, or -EBUSY, when nothing is to be given back.
 */
notrace int filter_buffer_get(char **buf)
{
	struct filter_buffers *mine = this_cpu_ptr(buffers);
	unsigned int nr = mine->taken;

	if (nr == BUFFERS)
		return -EBUSY;
	mine->taken = nr + 1;
	barrier();	/* It is ours before it is written. */
	*buf = mine->buf[nr];
	return 0;
}

/**
 * filter_buffer_put - give back the buffer that was taken last
 *
 * Context: as filter_buffer_get()
 */
notrace void filter_buffer_put(void)
{
	barrier();	/* It has been read. */
	this_cpu_ptr(buffers)->taken--;
}
