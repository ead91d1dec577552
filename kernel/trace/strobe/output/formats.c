// SPDX-License-Identifier: GPL-2.0
/*
 * Constant strings whose addresses are recorded in place of their text.
 *
 * Three kinds, in the order of printk_formats:
 *	__trace_printk_fmt	formats of the kernel's own trace_printk()s
 *	__tracepoint_str	strings made by tracepoint_string()
 *	held formats		copies of modules' formats; modules record the
 *				copy's address, so that the record can be read
 *				after the module is unloaded
 * A held format is never freed: its address is in rings, and in files that user
 * space saved. Modules with the same text share one.
 *
 * Contexts: addresses can be tested in any context; all else needs task context.
 *
 * Lock order: held_mutex is a leaf.
 *
 * Barriers: list_add_tail_rcu() publishes a held format; held_find_address()
 * walks the list without a lock.
 */
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/trace.h>

#include <asm/sections.h>

#include "output/formats.h"

struct held_format {
	struct list_head	list;
	const char		*fmt;	/* points to @text, for format_at() */
	char			text[];
};

static LIST_HEAD(held_formats);
static DEFINE_MUTEX(held_mutex);

/**
 * trace_is_tracepoint_string - whether tracepoint_string() made @str
 * @str: an address, which need not be valid
 *
 * Context: any.
 */
bool trace_is_tracepoint_string(const char *str)
{
	const char **pos;

	for (pos = __start___tracepoint_str; pos < __stop___tracepoint_str; pos++) {
		if (*pos == str)
			return true;
	}
	return false;
}

static bool held_find_address(const char *fmt)
{
	struct held_format *held;

	list_for_each_entry_rcu(held, &held_formats, list, true) {
		if (held->fmt == fmt)
			return true;
	}
	return false;
}

/**
 * strobe_printk_format_known - whether @fmt is a format or string that is never freed
 * @fmt: an address from a record
 *
 * Context: any.
 * Return: true if the text at @fmt can be read.
 */
bool strobe_printk_format_known(const char *fmt)
{
	const char **pos;

	if (is_kernel_rodata((unsigned long)fmt) || held_find_address(fmt))
		return true;
	for (pos = __start___trace_bprintk_fmt; pos < __stop___trace_bprintk_fmt; pos++) {
		if (*pos == fmt)
			return true;
	}
	return false;
}

/* Modules. */

#ifdef CONFIG_MODULES

/* Return a copy of @fmt that is never freed, or NULL without memory. held_mutex held. */
static const char *format_hold(const char *fmt)
{
	size_t size = strlen(fmt) + 1;
	struct held_format *held;

	list_for_each_entry(held, &held_formats, list) {
		if (!strcmp(held->fmt, fmt))
			return held->fmt;
	}
	held = kmalloc(struct_size(held, text, size), GFP_KERNEL);
	if (!held)
		return NULL;
	memcpy(held->text, fmt, size);
	held->fmt = held->text;
	list_add_tail_rcu(&held->list, &held_formats);
	return held->fmt;
}

static int formats_module_notify(struct notifier_block *nb, unsigned long state,
				 void *data)
{
	struct module *mod = data;
	unsigned int i;

	if (state != MODULE_STATE_COMING || !mod->num_trace_bprintk_fmt)
		return NOTIFY_DONE;
	trace_printk_init_buffers();
	guard(mutex)(&held_mutex);
	for (i = 0; i < mod->num_trace_bprintk_fmt; i++) {
		const char **fmt = &mod->trace_bprintk_fmt_start[i];

		/* trace_printk() records nothing if its format is NULL. */
		if (*fmt)
			*fmt = format_hold(*fmt);
	}
	return NOTIFY_OK;
}

static struct notifier_block formats_module_nb = {
	.notifier_call = formats_module_notify,
};

static int __init formats_init(void)
{
	return register_module_notifier(&formats_module_nb);
}
early_initcall(formats_init);

#endif /* CONFIG_MODULES */

/* printk_formats */

/* Return the address of the pointer to string number @pos. */
static const char *const *format_at(loff_t pos)
{
	loff_t nr = __stop___trace_bprintk_fmt - __start___trace_bprintk_fmt;
	struct held_format *held;

	if (pos < nr)
		return __start___trace_bprintk_fmt + pos;
	pos -= nr;
	nr = __stop___tracepoint_str - __start___tracepoint_str;
	if (pos < nr)
		return __start___tracepoint_str + pos;
	pos -= nr;
	list_for_each_entry(held, &held_formats, list) {
		if (!pos--)
			return &held->fmt;
	}
	return NULL;
}

static void *formats_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&held_mutex);
	return (void *)format_at(*pos);
}

static void *formats_next(struct seq_file *m, void *v, loff_t *pos)
{
	return (void *)format_at(++*pos);
}

static void formats_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&held_mutex);
}

static int formats_show(struct seq_file *m, void *v)
{
	const char *str = *(const char **)v;

	if (!str)
		return 0;
	seq_printf(m, "0x%lx : \"", (unsigned long)str);
	/* Backslashes are not escaped: tools expect that. */
	seq_escape_mem(m, str, strlen(str), ESCAPE_SPACE | ESCAPE_SPECIAL, "\n\t\"");
	seq_puts(m, "\"\n");
	return 0;
}

const struct seq_operations strobe_printk_formats_seq_ops = {
	.start	= formats_start,
	.next	= formats_next,
	.stop	= formats_stop,
	.show	= formats_show,
};
