// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of set_ftrace_filter (FUNCTIONS:COMMAND[:COUNT]) that need a function tracer.
 * Strobe has none yet, so they fail like an unknown command, and error_log gives the
 * reason. ftrace.c implements ":mod:" itself.
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

	/* stack_trace_filter belongs to no instance. */
	if (!tr)
		return -ENODEV;
	/* set_ftrace_notrace has no commands. */
	if (!enable)
		return -EINVAL;
	text = kasprintf(GFP_KERNEL, "%s:%s%s%s", functions, command, params ? ":" : "",
			 params ?: "");
	if (text)
		strobe_error_log_add(tr, "set_ftrace_filter", text,
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
