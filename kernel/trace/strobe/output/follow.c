// SPDX-License-Identifier: GPL-2.0
/*
 * Which pointers the text of an event may follow.
 *
 * Records are read long after they were written: the object at a recorded address may
 * have been freed, and a damaged record of a previous boot can hold any value. TP_printk()
 * follows pointers for "%s", for extensions of "%p" such as "%pI4" or "%*pbl", and in the
 * helpers that print arrays. strobe_follow_unsafe() parses the format as vsnprintf() will and
 * checks each of these arguments first; strobe_print_within() does so for the helpers.
 *
 * A pointer may be followed into
 *	the record and the scratch sequence of the helpers, if all bytes that are read
 *	are in it
 *	the kernel's rodata, strings given to tracepoint_string(), and the event's own
 *	module, as they last as long as the event
 *	the reader's stack, the kernel's data and other modules, if the record does not
 *	hold the address: TP_printk() has just loaded it
 * It must not be followed
 *	anywhere else, whether the address was recorded or computed from a recorded one
 *	to an object that holds pointers itself (a dentry, a struct va_format and so on),
 *	unless it is on the reader's stack and the record does not hold its address
 * Addresses that vsnprintf() itself prints as "(null)" or "(efault)" are harmless.
 *
 * The only state is trace_event_call::no_pointers. Contexts: any; the event must stay
 * registered.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rtc.h>
#include <linux/sched/task_stack.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/sections.h>

#include "event/event.h"
#include "event/fields.h"
#include "output/follow.h"
#include "output/formats.h"

/* The size of an object that holds pointers itself, and so cannot be checked. */
#define FOLLOW_NEVER	SIZE_MAX
/* The size of a string: up to its NUL. */
#define FOLLOW_STRING	(SIZE_MAX - 1)
/* Nothing is read, whatever the values: the address itself is printed. */
#define FOLLOW_NOT	(SIZE_MAX - 2)

/* The number of bytes that "%*ph" prints at most. */
#define HEX_MAX		64

/* Shown as the field's name if no field holds the pointer. */
static const char computed[] = "(computed)";

/* A va_list that functions can pass by pointer and advance. */
struct print_args {
	va_list	list;
};

/**
 * struct pointer_arg - an argument that the format follows
 * @ptr:   its value
 * @bytes: number of bytes that are read at @ptr, FOLLOW_STRING or FOLLOW_NEVER
 * @limit: precision of a string, or INT_MAX
 */
struct pointer_arg {
	const void	*ptr;
	size_t		bytes;
	int		limit;
};

/* Where a pointer may point. */

static bool within(unsigned long addr, size_t bytes, const void *area, size_t size)
{
	unsigned long offset = addr - (unsigned long)area;

	return offset < size && bytes <= size - offset;
}

/* Whether the string at @str, of at most @limit bytes, ends within the record. */
static bool string_ends(const struct strobe_print *pr, const char *str, int limit)
{
	size_t left = pr->entry + pr->len - (void *)str;

	/* Strings of this boot were recorded with their NUL. */
	if (!(pr->flags & STROBE_PRINT_PAST))
		return true;
	return left >= limit || strnlen(str, left) < left;
}

static bool in_record(const struct strobe_print *pr, const struct pointer_arg *arg)
{
	unsigned long addr = (unsigned long)arg->ptr;

	if (arg->bytes == FOLLOW_STRING)
		return within(addr, 1, pr->entry, pr->len) &&
		       string_ends(pr, arg->ptr, arg->limit);
	return within(addr, arg->bytes, pr->entry, pr->len);
}

static bool in_scratch(const struct strobe_print *pr, const struct pointer_arg *arg)
{
	/* The helpers end each string with a NUL. */
	size_t bytes = arg->bytes == FOLLOW_STRING ? 1 : arg->bytes;

	return within((unsigned long)arg->ptr, bytes, pr->tmp->buffer, sizeof(pr->tmp->buffer));
}

/**
 * strobe_follow_is_lasting - whether the memory at @ptr lasts as long as the event
 * @call: the event
 * @past: the previous boot recorded @ptr
 * @ptr:  an address, recorded or not
 *
 * Context: any; the event must stay registered.
 * Return: true for the kernel's rodata, strings registered by tracepoint_string(), and
 *	   the event's own module, including its data, which may have changed.
 */
bool strobe_follow_is_lasting(const struct trace_event_call *call, bool past, const void *ptr)
{
	unsigned long addr = (unsigned long)ptr;
	struct module *mod;

	if (is_kernel_rodata(addr))
		return true;
	/* Other modules may now be at the address of a previous boot's module. */
	if (past)
		return false;
	if (trace_is_tracepoint_string(ptr))
		return true;
	mod = strobe_event_module(call);
	return mod && within_module_core(addr, mod);
}

/*
 * Whether @ptr is in kernel data or in a module: this memory stays while TP_printk()
 * runs, provided that TP_printk() has just loaded the address.
 */
static bool is_static(const void *ptr)
{
	unsigned long addr = (unsigned long)ptr;
	bool found;

	if (is_kernel_core_data(addr) ||
	    (addr >= (unsigned long)__bss_start && addr < (unsigned long)__bss_stop))
		return true;
	preempt_disable();
	found = __module_address(addr);
	preempt_enable();
	return found;
}

/* Whether @ptr is an element of the array of pointers of @len bytes at @bytes. */
static bool holds_pointer(const void *bytes, size_t len, const void *ptr)
{
	size_t at;

	for (at = 0; at + sizeof(ptr) <= len; at += sizeof(ptr)) {
		if (get_unaligned((const unsigned long *)(bytes + at)) == (unsigned long)ptr)
			return true;
	}
	return false;
}

/* Name of the field that holds @ptr as its value or as an element; NULL: none. */
static const char *field_of_pointer(const struct strobe_print *pr, const void *ptr)
{
	struct strobe_field_iter it;
	const void *bytes;
	u32 size;

	strobe_for_each_field(&it, pr->call) {
		/* Many fields are 0, so NULL matches only string pointers. */
		if (!ptr && strobe_field_filter_type(it.field) != FILTER_PTR_STRING)
			continue;
		bytes = strobe_field_bytes(it.field, it.offset, pr->entry, pr->len, &size);
		if (bytes && holds_pointer(bytes, size, ptr))
			return it.field->name;
	}
	return NULL;
}

/* NULL if the argument may be followed; else the name of the field that holds it. */
static const char *arg_unsafe(const struct strobe_print *pr, const struct pointer_arg *arg)
{
	bool string = arg->bytes == FOLLOW_STRING;
	const char *field;

	if (arg->bytes == FOLLOW_NEVER) {
		if (is_no_address(arg->ptr))
			return NULL;
	} else {
		if (in_record(pr, arg) || in_scratch(pr, arg) ||
		    strobe_follow_is_lasting(pr->call, pr->flags & STROBE_PRINT_PAST, arg->ptr))
			return NULL;
		if (!string && (is_no_address(arg->ptr) || !arg->bytes))
			return NULL;
		/* Nothing is read: an empty array at the end of the record, for example. */
		if (string && !arg->limit)
			return NULL;
	}
	field = field_of_pointer(pr, arg->ptr);
	if (field)
		return field;
	if (is_no_address(arg->ptr) || object_is_on_stack(arg->ptr) ||
	    (arg->bytes != FOLLOW_NEVER && is_static(arg->ptr)))
		return NULL;
	return computed;
}

/* Which arguments of a format are followed. */

/* A flag character between '%' and the width. */
static bool is_flag(char c)
{
	return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0';
}

/* A length modifier of an integer. */
static bool is_length(char c)
{
	return c == 'h' || c == 'l' || c == 'L' || c == 'z' || c == 'Z' || c == 't';
}

/* Parse a width or precision, digits or '*', into @num, which stays if there is none. */
static const char *read_width(const char *fmt, struct print_args *args, int *num)
{
	if (*fmt == '*') {
		*num = va_arg(args->list, int);
		return fmt + 1;
	}
	if (isdigit(*fmt)) {
		for (*num = 0; isdigit(*fmt); fmt++)
			*num = min(*num, INT_MAX / 10 - 1) * 10 + *fmt - '0';
	}
	return fmt;
}

static size_t sockaddr_bytes(const struct strobe_print *pr, const void *ptr)
{
	const struct pointer_arg family = { ptr, sizeof(sa_family_t), 0 };

	/* For other memory, arg_unsafe() only checks that the size is not 0. */
	if (!in_record(pr, &family) && !in_scratch(pr, &family))
		return sizeof(struct sockaddr_in6);
	switch (get_unaligned((const sa_family_t *)ptr)) {
	case AF_INET:
		return offsetofend(struct sockaddr_in, sin_addr);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	}
	return sizeof(sa_family_t);
}

static size_t ip_bytes(const struct strobe_print *pr, char kind, const void *ptr)
{
	switch (kind) {
	case '4':
		return sizeof(struct in_addr);
	case '6':
		return sizeof(struct in6_addr);
	case 'S':
		return sockaddr_bytes(pr, ptr);
	}
	return FOLLOW_NOT;
}

/* Number of bytes that "%p" with extension @ext reads at @ptr, or FOLLOW_* */
static size_t pointer_bytes(const struct strobe_print *pr, const char *ext, int width,
			    const void *ptr)
{
	switch (*ext) {
	case 'I':
	case 'i':
		return ip_bytes(pr, ext[1], ptr);
	case 'M':
	case 'm':
		return 6;
	case 'U':
		return 16;
	case 'h':
		return min(width, HEX_MAX);
	case 'E':
		return width;
	case 'b':
		return BITS_TO_LONGS((size_t)width) * sizeof(long);
	case 'a':
		return ext[1] == 'd' ? sizeof(dma_addr_t) : sizeof(phys_addr_t);
	case 'N':
	case 'G':
		return sizeof(u64);
	case '4':
		return sizeof(u32);
	case 't':
		return ext[1] == 'R' ? sizeof(struct rtc_time) : sizeof(time64_t);
	case 'R':
	case 'r':
		return sizeof(struct resource);
	case 'k':
	case 'u':
		return ext[1] == 's' ? FOLLOW_STRING : FOLLOW_NOT;
	case 'd':
	case 'D':
	case 'g':
	case 'C':
	case 'O':
	case 'f':
	case 'V':
	case 'A':
		return FOLLOW_NEVER;
	}
	return FOLLOW_NOT;
}

/**
 * next_pointer - find the next argument that a format would follow
 * @pr:   the record
 * @fmt:  the format; advanced past the argument's conversion
 * @args: its arguments; advanced like @fmt
 * @arg:  set to the argument
 *
 * Return: false if there is none.
 */
static bool next_pointer(const struct strobe_print *pr, const char **fmt,
			 struct print_args *args, struct pointer_arg *arg)
{
	const char *p = *fmt;

	while ((p = strchr(p, '%'))) {
		int width = 1, precision = INT_MAX;
		bool is_long;

		p++;
		while (is_flag(*p))
			p++;
		p = read_width(p, args, &width);
		/* A negative width means '-' and its absolute value. */
		width = abs(max(width, -INT_MAX));
		if (*p == '.') {
			precision = 0;
			p = read_width(p + 1, args, &precision);
		}
		is_long = is_length(*p) && *p != 'h';
		while (is_length(*p))
			p++;

		switch (*p) {
		case '\0':
			return false;
		case '%':
			break;
		case 's':
			arg->ptr = va_arg(args->list, const char *);
			arg->bytes = FOLLOW_STRING;
			arg->limit = precision < 0 ? INT_MAX : precision;
			*fmt = p + 1;
			return true;
		case 'p':
			arg->ptr = va_arg(args->list, const void *);
			arg->bytes = pointer_bytes(pr, p + 1, width, arg->ptr);
			arg->limit = INT_MAX;
			if (arg->bytes != FOLLOW_NOT) {
				*fmt = p + 1;
				return true;
			}
			break;
		default:
			if (is_long)
				(void)va_arg(args->list, long long);
			else
				(void)va_arg(args->list, int);
		}
		p++;
	}
	return false;
}

/**
 * strobe_follow_unsafe - whether a record's text would follow a pointer that may be stale
 * @pr:   the record
 * @fmt:  format of its text, always the same for one event
 * @list: arguments of @fmt, not changed
 *
 * Context: any; the event must stay registered.
 * Return: NULL if not; else the name of the field that holds the pointer, or "(computed)"
 */
const char *strobe_follow_unsafe(const struct strobe_print *pr, const char *fmt, va_list *list)
{
	struct print_args args;
	const char *field = NULL;
	struct pointer_arg arg;
	bool pointers = false;

	if (READ_ONCE(pr->call->no_pointers))
		return NULL;
	va_copy(args.list, *list);
	while (!field && next_pointer(pr, &fmt, &args, &arg)) {
		pointers = true;
		field = arg_unsafe(pr, &arg);
	}
	va_end(args.list);
	/* TP_printk() has one format, a literal, so the result holds for all records. */
	if (!pointers)
		WRITE_ONCE(pr->call->no_pointers, true);
	return field;
}

/**
 * strobe_follow_string_unsafe - whether "%s" would follow a pointer that may be stale
 * @pr:  the record
 * @str: the argument of "%s"
 *
 * Context: any; the event must stay registered.
 * Return: as for strobe_follow_unsafe()
 */
const char *strobe_follow_string_unsafe(const struct strobe_print *pr, const char *str)
{
	const struct pointer_arg arg = { str, FOLLOW_STRING, INT_MAX };

	return arg_unsafe(pr, &arg);
}

/**
 * strobe_print_within - number of elements of an array that may be printed
 * @pr:    the record
 * @array: the array
 * @count: the number of elements according to TP_printk()
 * @size:  bytes of an element, not 0
 *
 * @count often comes from a field, and in an injected or damaged record that can have
 * any value.
 *
 * Context: any; the event must stay registered.
 * Return: 0 to @count; 0 if the array must not be followed
 */
int strobe_print_within(const struct strobe_print *pr, const void *array, int count, size_t size)
{
	struct pointer_arg arg = { array, size, INT_MAX };
	const void *end = pr->entry + pr->len;

	if (count <= 0)
		return 0;
	if (in_record(pr, &arg))
		return min_t(size_t, count, (end - array) / size);
	arg.bytes = count * size;
	return arg_unsafe(pr, &arg) ? 0 : count;
}
EXPORT_SYMBOL_GPL(strobe_print_within);
