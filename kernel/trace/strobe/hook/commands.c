// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of set_ftrace_filter (FUNCTIONS:COMMAND[:COUNT]) that act on what functions
 * record. There is no tracer that records them yet, so they are refused as a command that
 * does not exist is, and error_log says why. ":mod:" is ftrace.c's own.
 *
 * Contexts: task; the regex_lock of the functions' hash is held.
 */
#include <linux/init.h>
#include <linux/slab.h>

#include "hook/host.h"
#include "instance/error_log.h"

static int refuse(struct trace_array *tr, struct ftrace_hash *hash, char *functions,
		  char *command, char *params, int enable)
{
	char *text;

	/* The file is stack_trace_filter, which belongs to no instance. */
	if (!tr)
		return -ENODEV;
	/* It is set_ftrace_notrace, which has no commands. */
	if (!enable)
		return -EINVAL;
	text = kasprintf(GFP_KERNEL, "%s:%s%s%s", functions, command, params ? ":" : "",
			 params ?: "");
	if (text)
		error_log_add(tr, "set_ftrace_filter", text,
			      "There is no tracer for this command", strlen(functions) + 1);
	kfree(text);
	return -EINVAL;
}

static struct ftrace_func_command commands[] = {
	{ .name = "traceon",		.func = refuse },
	{ .name = "traceoff",		.func = refuse },
	{ .name = "stacktrace",		.func = refuse },
	{ .name = "snapshot",		.func = refuse },
	{ .name = "dump",		.func = refuse },
	{ .name = "cpudump",		.func = refuse },
	{ .name = "enable_event",	.func = refuse },
	{ .name = "disable_event",	.func = refuse },
};

static int __init commands_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		WARN_ON(register_ftrace_command(&commands[i]));
	return 0;
}
core_initcall(commands_init);
