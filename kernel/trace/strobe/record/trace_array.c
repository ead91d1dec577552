// SPDX-License-Identifier: GPL-2.0
/*
 * The list of instances, the top instance, and whether tracing has been set up.
 *
 * States of tracing as a whole: disabled until early_trace_init() has succeeded, and never
 * disabled again after that.
 *
 * Contexts: task, except for tracing_is_disabled(): any.
 *
 * Lock order: as trace_array.h says.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "record/trace_array.h"

static bool tracing_ready __read_mostly;

struct trace_array strobe_instance_top = {
	.list		= LIST_HEAD_INIT(strobe_instance_top.list),
	.files		= XARRAY_INIT(strobe_instance_top.files, 0),
	.options	= STROBE_OPTIONS_DEFAULT,
	.refs		= 1,
#ifdef CONFIG_FUNCTION_TRACER
	.flags		= TRACE_ARRAY_FL_GLOBAL,
#endif
};

/* Protects the list of instances, and the members that struct trace_array says. */
DEFINE_MUTEX(strobe_instance_mutex);
LIST_HEAD(strobe_instance_list);

/**
 * tracing_is_disabled - whether tracing cannot be used
 *
 * Context: any.
 * Return: true before early_trace_init(), and forever if that failed.
 */
bool tracing_is_disabled(void)
{
	return !READ_ONCE(tracing_ready);
}

/**
 * strobe_tracing_set_up - enable tracing; the top instance has its ring
 *
 * Context: boot.
 */
void __init strobe_tracing_set_up(void)
{
	tracing_ready = true;
}

/* strobe_instance_mutex held, or in an oops or panic */
struct trace_array *strobe_instance_find(const char *name)
{
	struct trace_array *tr;

	instance_for_each(tr) {
		if (tr->name && !strcmp(tr->name, name))
			return tr;
	}
	return NULL;
}

/**
 * strobe_instance_get - take a reference to an instance, which keeps it from being removed
 * @tr: the instance; it may have been removed already
 *
 * Context: task; takes strobe_instance_mutex.
 * Return: 0, or -ENODEV if @tr does not exist.
 */
int strobe_instance_get(struct trace_array *tr)
{
	struct trace_array *pos;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(pos) {
		if (pos == tr) {
			tr->refs++;
			return 0;
		}
	}
	return -ENODEV;
}

/**
 * strobe_instance_put - undo strobe_instance_get()
 * @tr: the instance
 *
 * Context: task; takes strobe_instance_mutex.
 */
void strobe_instance_put(struct trace_array *tr)
{
	guard(mutex)(&strobe_instance_mutex);
	WARN_ON_ONCE(tr->refs <= 1);
	tr->refs--;
}
