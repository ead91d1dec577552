// SPDX-License-Identifier: GPL-2.0
/*
 * Boot: the two functions that init/main.c calls, and the command line.
 *
 * early_trace_init() runs when memory can be allocated and only one CPU is up.
 * It allocates the ring of the top instance, so that trace_printk() works from
 * then on. trace_init() runs when RCU works. It registers the events, makes the
 * event files of the top instance, and applies trace_options=, trace_event= and
 * trace_trigger=.
 *
 * Contexts: boot, one thread.
 *
 * Locks are taken only to satisfy lockdep assertions; nothing runs concurrently yet.
 */
#include <kunit/visibility.h>

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include <asm/setup.h>

#include "boot/boot.h"
#include "event/event.h"
#include "instance/instance.h"
#include "output/formats.h"
#include "output/output.h"
#include "record/deferred.h"
#include "record/record.h"
#include "trigger/trigger.h"

static char boot_events[COMMAND_LINE_SIZE] __initdata;
VISIBLE_IF_KUNIT char strobe_boot_triggers[COMMAND_LINE_SIZE] __initdata;
VISIBLE_IF_KUNIT char strobe_boot_options[INSTANCE_NAME_MAX] __initdata;
static char boot_clock[INSTANCE_NAME_MAX] __initdata;

/* The command line. */

/* The parameter may be given more than once: append. */
static int __init parse_events(char *str)
{
	if (boot_events[0])
		strlcat(boot_events, ",", sizeof(boot_events));
	strlcat(boot_events, str, sizeof(boot_events));
	top_instance->expanded = true;
	return 1;
}
__setup("trace_event=", parse_events);

static int __init parse_triggers(char *str)
{
	strscpy(strobe_boot_triggers, str, sizeof(strobe_boot_triggers));
	top_instance->expanded = true;
	return 1;
}
__setup("trace_trigger=", parse_triggers);

static int __init parse_options(char *str)
{
	strscpy(strobe_boot_options, str, sizeof(strobe_boot_options));
	return 1;
}
__setup("trace_options=", parse_options);

static int __init parse_clock(char *str)
{
	strscpy(boot_clock, str, sizeof(boot_clock));
	strobe_boot_clock_chosen = true;
	return 1;
}
__setup("trace_clock=", parse_clock);

/* Setting up. */

VISIBLE_IF_KUNIT void __init strobe_apply_options(void)
{
	char *pos = strobe_boot_options;
	char *option;
	int ret;

	while ((option = strsep(&pos, ","))) {
		if (!*option)
			continue;
		ret = strobe_instance_set_option_string(top_instance, option);
		if (ret)
			pr_warn("Failed to set trace option '%s' (%d)\n", option, ret);
	}
}

static int __init top_setup(void)
{
	size_t bytes = top_instance->expanded ? strobe_instance_default_bytes() : 1;
	int ret;

	ret = strobe_instance_make_ring(top_instance, bytes);
	if (ret) {
		pr_err("ERROR: tracer: failed to allocate ring buffer!\n");
		return ret;
	}
	list_add(&top_instance->list, &strobe_instance_list);
	return 0;
}

/**
 * early_trace_init - make recording possible
 *
 * Context: boot: memory can be allocated, one CPU is up.
 */
void __init early_trace_init(void)
{
	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("Tracing disabled due to lockdown\n");
		return;
	}
	/* Before top_setup(), because it sets the ring's size. */
	if (&__start___trace_bprintk_fmt[0] != &__stop___trace_bprintk_fmt[0])
		trace_printk_init_buffers();
	strobe_deferred_setup();
	strobe_console_setup();
	ftrace_init_global_array_ops(top_instance);
	if (top_setup())
		return;
	strobe_tracing_set_up();
	if (strobe_boot_clock_chosen && strobe_instance_set_clock(top_instance, boot_clock))
		pr_warn("Trace clock %s not defined, going back to default\n",
			boot_clock);
	strobe_snapshot_setup();
	strobe_dump_setup();
}

static void __init boot_trigger(const char *event, const char *text)
{
	struct trace_event_file *file;
	struct trace_event_call *call;
	char *copy;
	int ret;

	for_each_event(call) {
		if (strcmp(trace_event_name(call) ?: "", event))
			continue;
		file = strobe_event_file_make(top_instance, call);
		copy = kstrdup(text, GFP_KERNEL);
		ret = copy && !IS_ERR(file) ? strobe_event_file_write_trigger(file, copy) :
					      -ENOMEM;
		kfree(copy);
		if (ret)
			pr_err("Failed to register trigger '%s' on event %s\n", text, event);
	}
}

/* Parse EVENT.TRIGGER[,EVENT.TRIGGER...], where TRIGGER includes its filter. */
VISIBLE_IF_KUNIT void __init strobe_boot_add_triggers(void)
{
	char *rest = strobe_boot_triggers, *text;
	const char *event;

	guard(mutex)(&strobe_event_mutex);
	while ((text = strsep(&rest, ","))) {
		event = strsep(&text, ".");
		if (*event && text)
			boot_trigger(event, text);
	}
}

/**
 * trace_init - register the kernel's events and apply the command line
 *
 * Context: boot: RCU works, interrupts are off.
 */
void __init trace_init(void)
{
	strobe_event_registry_init();
	scoped_guard(mutex, &strobe_event_mutex)
		strobe_instances_watch_events();
	if (tracing_is_disabled())
		return;
	if (strobe_instance_printk_used)
		strobe_instance_printk_record_names(top_instance->options & STROBE_OPT_PRINTK);
	strobe_apply_options();
	strobe_boot_enable_events(top_instance, boot_events);
	strobe_boot_add_triggers();
	strobe_instances_setup();
}
