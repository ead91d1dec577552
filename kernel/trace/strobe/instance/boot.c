// SPDX-License-Identifier: GPL-2.0
/*
 * Boot: the two functions that init/main.c calls, and the command line.
 *
 * early_trace_init() runs when memory can be allocated and only one CPU is up.
 * It allocates the ring of the top instance, so that trace_printk() works from
 * then on. trace_init() runs when RCU works. It registers the events, makes the
 * event files of the top instance, and applies trace_options=, trace_event= and
 * trace_trigger=. An initcall switches the events of trace_event= off and on again:
 * those of system calls set a flag of each task, and trace_init() runs before there
 * are any.
 *
 * States of tracing as a whole: disabled until early_trace_init() has succeeded,
 * and never disabled again after that.
 *
 * Contexts: boot, one thread, except for tracing_is_disabled().
 *
 * Locks are taken only to satisfy lockdep assertions; nothing runs concurrently yet.
 */
#include <kunit/visibility.h>

#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include <asm/setup.h>

#include "event/event.h"
#include "instance/boot.h"
#include "instance/fs_ops.h"
#include "instance/instance.h"
#include "instance/setup.h"
#include "output/formats.h"

bool boot_clock_chosen;
size_t boot_ring_bytes = INSTANCE_RING_BYTES_DEFAULT;

static bool tracing_ready __read_mostly;

static char boot_events[COMMAND_LINE_SIZE] __initdata;
VISIBLE_IF_KUNIT char boot_triggers[COMMAND_LINE_SIZE] __initdata;
VISIBLE_IF_KUNIT char boot_options[INSTANCE_NAME_MAX] __initdata;
static char boot_clock[INSTANCE_NAME_MAX] __initdata;

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
	strscpy(boot_triggers, str, sizeof(boot_triggers));
	top_instance->expanded = true;
	return 1;
}
__setup("trace_trigger=", parse_triggers);

static int __init parse_ring_bytes(char *str)
{
	if (!str)
		return 0;
	boot_ring_bytes = max_t(size_t, memparse(str, &str), 4096);
	return 1;
}
__setup("trace_buf_size=", parse_ring_bytes);

static int __init parse_options(char *str)
{
	strscpy(boot_options, str, sizeof(boot_options));
	return 1;
}
__setup("trace_options=", parse_options);

static int __init parse_clock(char *str)
{
	strscpy(boot_clock, str, sizeof(boot_clock));
	boot_clock_chosen = true;
	return 1;
}
__setup("trace_clock=", parse_clock);

static int __init parse_off_on_warning(char *str)
{
	if (strcmp(str, "=0") && strcmp(str, "=off"))
		__disable_trace_on_warning = 1;
	return 1;
}
__setup("traceoff_on_warning", parse_off_on_warning);

/* Setting up. */

VISIBLE_IF_KUNIT void __init apply_options(void)
{
	char *pos = boot_options;
	char *option;
	int ret;

	while ((option = strsep(&pos, ","))) {
		if (!*option)
			continue;
		ret = instance_set_option_string(top_instance, option);
		if (ret)
			pr_warn("Failed to set trace option '%s' (%d)\n", option, ret);
	}
}

static int __init top_setup(void)
{
	size_t bytes = top_instance->expanded ? boot_ring_bytes : 1;
	int ret;

	ret = instance_make_ring(top_instance, bytes);
	if (ret) {
		pr_err("ERROR: tracer: failed to allocate ring buffer!\n");
		return ret;
	}
	list_add(&top_instance->list, &instance_list);
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
	deferred_setup();
	console_setup();
	ftrace_init_global_array_ops(top_instance);
	if (top_setup())
		return;
	tracing_ready = true;
	if (boot_clock_chosen && instance_set_clock(top_instance, boot_clock))
		pr_warn("Trace clock %s not defined, going back to default\n",
			boot_clock);
	snapshot_setup();
	dump_setup();
}

/**
 * boot_enable_events - enable the events in a list from the command line
 * @tr:    the instance
 * @list:  names as for set_event, separated by commas; unchanged on return
 * @again: switch the events off first
 *
 * Context: boot, task.
 */
void __init boot_enable_events(struct trace_array *tr, char *list, bool again)
{
	char *word;

	while ((word = strsep(&list, ","))) {
		if (*word && again)
			instance_set_event_string(tr, word, false);
		if (*word && instance_set_event_string(tr, word, true))
			pr_warn("Failed to enable trace event: %s\n", word);
		if (list)
			list[-1] = ',';
	}
}

static void __init boot_trigger(const char *event, const char *text)
{
	struct trace_event_file *file;
	char *copy;
	int ret;

	list_for_each_entry(file, &top_instance->files, list) {
		if (strcmp(trace_event_name(file->call) ?: "", event))
			continue;
		copy = kstrdup(text, GFP_KERNEL);
		ret = copy ? event_file_write_trigger(file, copy) : -ENOMEM;
		kfree(copy);
		if (ret)
			pr_err("Failed to register trigger '%s' on event %s\n", text, event);
	}
}

/* Parse EVENT.TRIGGER[,EVENT.TRIGGER...], where TRIGGER includes its filter. */
VISIBLE_IF_KUNIT void __init boot_add_triggers(void)
{
	char *rest = boot_triggers, *text;
	const char *event;

	guard(mutex)(&event_mutex);
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
	event_registry_init();
	scoped_guard(mutex, &event_mutex) {
		instances_watch_events();
		if (!tracing_is_disabled() && instance_add_files(top_instance))
			pr_err("ERROR: Could not create all event files\n");
	}
	if (tracing_is_disabled())
		return;
	if (instance_printk_used)
		instance_printk_record_names(top_instance->options & STROBE_OPT_PRINTK);
	apply_options();
	boot_enable_events(top_instance, boot_events, false);
	boot_add_triggers();
	instances_setup();
}

/*
 * The tracepoints of system calls set a flag of each task. When trace_init() ran,
 * there were no tasks except the idle one.
 */
static int __init enable_events_again(void)
{
	if (tracing_is_disabled())
		return 0;
	boot_enable_events(top_instance, boot_events, true);
	instances_enable_again();
	return 0;
}
early_initcall(enable_events_again);
