// SPDX-License-Identifier: GPL-2.0
/*
 * Instances that the command line asks for: trace_instance=NAME[^FLAG...][,EVENT...],
 * any number of times. They are like others afterwards, and can be removed.
 *
 * "NAME@ADDRESS:SIZE" and "NAME@RESERVED" ask for a ring that outlives a reboot. There
 * is none here, and an instance that only looks like it would be worse than none.
 *
 * Contexts: boot, one thread. Locks are taken for what they promise to lockdep.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "event/event.h"
#include "instance/instance.h"
#include "instance/setup.h"

/* What was given, each with a newline behind it. */
static char boot_instances[COMMAND_LINE_SIZE] __initdata;

static int __init parse_instance(char *str)
{
	strlcat(boot_instances, str, sizeof(boot_instances));
	strlcat(boot_instances, "\n", sizeof(boot_instances));
	return 1;
}
__setup("trace_instance=", parse_instance);

static void __init obey_flag(struct trace_array *tr, const char *flag)
{
	static const char * const printk[] = {
		"printk", "traceprintk", "trace_printk",
	};

	if (!strcmp(flag, "traceoff")) {
		instance_set_on(tr, false);
	} else if (match_string(printk, ARRAY_SIZE(printk), flag) >= 0) {
		guard(mutex)(&instance_mutex);
		instance_printk_move(tr);
	} else {
		pr_info("Tracing: Invalid instance flag '%s' for %s\n", flag, tr->name);
	}
}

static struct trace_array *__init make_instance(const char *name)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&instance_mutex);
	return instance_create(name, NULL);
}

/* @flags begins with the name. */
static void __init setup_instance(char *flags, char *events)
{
	const char *memory = strchr(flags, '@');
	const char *name = strsep(&flags, "^");
	struct trace_array *tr;
	char *flag;

	if (memory) {
		pr_warn("Tracing: no instance '%s': its memory cannot be chosen\n", name);
		return;
	}
	tr = make_instance(name);
	if (IS_ERR(tr)) {
		pr_warn("Tracing: Failed to create instance buffer '%s' (%ld)\n", name,
			PTR_ERR(tr));
		return;
	}
	snapshot_setup_instance(tr);
	while ((flag = strsep(&flags, "^")))
		obey_flag(tr, flag);
	if (events)
		boot_enable_events(tr, events, false);
}

/*
 * The next one of boot_instances: what stands before the first comma, and behind it,
 * NULL if there is none. False at the end.
 */
static bool __init next_instance(char **pos, char **name, char **events)
{
	*name = strsep(pos, "\n");
	if (!*name || !**name)
		return false;
	*events = *name;
	strsep(events, ",");
	return true;
}

/**
 * instances_setup - make the instances of the command line
 *
 * Context: boot; events are registered, and the top instance has its files.
 */
void __init instances_setup(void)
{
	static char text[COMMAND_LINE_SIZE] __initdata;
	char *name, *events, *pos = text;

	strscpy(text, boot_instances, sizeof(text));
	while (next_instance(&pos, &name, &events))
		setup_instance(name, events);
}

/**
 * instances_enable_again - enable their events once more
 *
 * For those of system calls, which work through a flag of each task.
 *
 * Context: boot; there are tasks.
 */
void __init instances_enable_again(void)
{
	char *name, *events, *pos = boot_instances;
	struct trace_array *tr;

	while (next_instance(&pos, &name, &events)) {
		name = strsep(&name, "^");
		scoped_guard(mutex, &instance_mutex)
			tr = instance_find(name);
		if (tr && events)
			boot_enable_events(tr, events, true);
	}
}
