// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions from the rest of the kernel: kprobe_event= on the command line, and functions
 * that build a definition word by word.
 *
 * Contexts: task. No state but the parameter's text, which is freed after boot. Locks: those
 * of strobe_dyn_execute().
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/stdarg.h>
#include <linux/strobe/dynevent.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "dynamic/dynamic.h"
#include "instance/instance.h"

/**
 * dynevent_create - execute a definition that was built
 * @cmd: the definition
 *
 * Context: task, may sleep.
 * Return: as strobe_dyn_execute(), for kprobe events
 */
int dynevent_create(struct dynevent_cmd *cmd)
{
	return cmd->run_command(cmd);
}
EXPORT_SYMBOL_GPL(dynevent_create);

#ifdef CONFIG_KPROBE_EVENTS

static int run_kprobe(struct dynevent_cmd *cmd)
{
	return strobe_dyn_execute(&strobe_dyn_kprobe, seq_buf_str(&cmd->seq));
}

/**
 * kprobe_event_cmd_init - begin the definition of a kprobe event
 * @cmd:    the definition
 * @buf:    where its text is built
 * @maxlen: size of @buf
 *
 * Context: any.
 */
void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen)
{
	memset(cmd, 0, sizeof(*cmd));
	seq_buf_init(&cmd->seq, buf, maxlen);
	cmd->type = DYNEVENT_TYPE_KPROBE;
	cmd->run_command = run_kprobe;
}
EXPORT_SYMBOL_GPL(kprobe_event_cmd_init);

/* Append a word, and the blank that ends it. */
static int add_word(struct dynevent_cmd *cmd, const char *word)
{
	seq_buf_puts(&cmd->seq, word);
	seq_buf_putc(&cmd->seq, ' ');
	return seq_buf_has_overflowed(&cmd->seq) ? -E2BIG : 0;
}

/* Append words up to a NULL. */
static int add_fields(struct dynevent_cmd *cmd, va_list args)
{
	const char *field;
	int ret = 0;

	while (!ret && (field = va_arg(args, const char *))) {
		if (++cmd->n_fields > DYN_ARGS_MAX)
			return -EINVAL;
		ret = add_word(cmd, field);
	}
	return ret;
}

/**
 * __kprobe_event_gen_cmd_start - build the beginning of a definition
 * @cmd:       the definition, set up by kprobe_event_cmd_init()
 * @kretprobe: true: of a function's return
 * @name:      name of the event
 * @loc:       its place
 * @...:       arguments, and NULL
 *
 * Context: any.
 * Return: 0; -EINVAL if something is missing, or if there are too many arguments; -E2BIG if
 *	   the text is too long
 */
int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...)
{
	va_list args;
	int ret;

	if (cmd->type != DYNEVENT_TYPE_KPROBE || !loc)
		return -EINVAL;
	seq_buf_printf(&cmd->seq, "%c:%s/", kretprobe ? 'r' : 'p', strobe_dyn_kprobe.group);
	ret = add_word(cmd, name);
	if (!ret)
		ret = add_word(cmd, loc);
	if (ret)
		return ret;
	va_start(args, loc);
	ret = add_fields(cmd, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__kprobe_event_gen_cmd_start);

/**
 * __kprobe_event_add_fields - add arguments to a definition
 * @cmd: the definition
 * @...: arguments, and NULL
 *
 * Context: any.
 * Return: as __kprobe_event_gen_cmd_start()
 */
int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...)
{
	va_list args;
	int ret;

	if (cmd->type != DYNEVENT_TYPE_KPROBE)
		return -EINVAL;
	va_start(args, cmd);
	ret = add_fields(cmd, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__kprobe_event_add_fields);

/**
 * kprobe_event_delete - remove a kprobe event
 * @name: "[GROUP/]EVENT"
 *
 * Context: task, may sleep.
 * Return: 0; -ENOENT if there is none; -EBUSY if it is in use
 */
int kprobe_event_delete(const char *name)
{
	char line[2 * DYN_NAME_MAX + 4];

	snprintf(line, sizeof(line), "-:%s", name);
	return strobe_dyn_execute(&strobe_dyn_kprobe, line);
}
EXPORT_SYMBOL_GPL(kprobe_event_delete);

static char boot_kprobes[COMMAND_LINE_SIZE] __initdata;

static int __init parse_kprobes(char *str)
{
	strscpy(boot_kprobes, str, sizeof(boot_kprobes));
	top_instance->expanded = true;
	return 1;
}
__setup("kprobe_event=", parse_kprobes);

/* Enable what was defined, in the top instance. */
static void __init enable_kprobes(void)
{
	struct trace_event_call *call;
	struct trace_event_file *file;
	int ret;

	guard(mutex)(&strobe_event_mutex);
	for_each_event(call) {
		if (!(call->flags & TRACE_EVENT_FL_KPROBE))
			continue;
		file = strobe_event_file_make(top_instance, call);
		ret = IS_ERR(file) ? PTR_ERR(file) : strobe_event_file_enable(file, true);
		if (ret)
			pr_warn("kprobe event %s cannot be enabled, error %d\n",
				trace_event_name(call), ret);
	}
}

/* kprobe_event=DEFINITION[;DEFINITION...], with ',' for blanks */
static int __init define_kprobes(void)
{
	char *rest = boot_kprobes, *line;
	int ret;

	if (!*boot_kprobes || tracing_is_disabled())
		return 0;
	strreplace(boot_kprobes, ',', ' ');
	while ((line = strsep(&rest, ";"))) {
		ret = strobe_dyn_execute(&strobe_dyn_kprobe, line);
		if (ret)
			pr_warn("kprobe_event=%s fails with error %d\n", line, ret);
	}
	enable_kprobes();
	return 0;
}

/* When tracefs is there, as with classic; kprobes have worked since early_initcall(). */
fs_initcall_sync(define_kprobes);

#endif /* CONFIG_KPROBE_EVENTS */
