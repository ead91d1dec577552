// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions: from a line of text to a probe of an event.
 *
 * A line is executed in steps, each of which can refuse it: the kind parses the place, then
 * come the names, the arguments, and with strobe_event_mutex held the event, which is found
 * or made, and registering. The order of the steps is ABI, as it decides which of several errors
 * a user sees. A line that is refused leaves nothing behind.
 *
 * Contexts: task. Locks: dynamic_mutex around a whole line, so that the log has the errors
 * in order; then strobe_event_mutex.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "dynamic/dynamic.h"
#include "instance/error_log.h"
#include "instance/instance.h"

/* Kinds whose lines begin with the same letter are asked in this order. */
static const struct dyn_kind * const dyn_kinds[] = {
#ifdef CONFIG_KPROBE_EVENTS
	&strobe_dyn_kprobe,
#endif
#ifdef CONFIG_UPROBE_EVENTS
	&strobe_dyn_uprobe,
#endif
#ifdef CONFIG_FPROBE_EVENTS
	&strobe_dyn_fprobe,
#endif
#ifdef CONFIG_PROBE_EVENTS
	&strobe_dyn_eprobe,
#endif
#ifdef CONFIG_USER_EVENTS
	&strobe_dyn_user,
#endif
};

static DEFINE_MUTEX(dynamic_mutex);

/* A made name is not checked, but gets '_' for what symbols have besides letters. */
static void make_name(struct dyn_line *line)
{
	char *c;

	if (*line->name)
		return;
	line->kind->name(line, line->name);
	for (c = line->name + 1; *c; c++) {
		if (strchr(":.*", *c))
			*c = '_';
	}
}

/* Registering; strobe_event_mutex held. */

static int probe_bind(struct dyn_probe *probe)
{
	int ret = probe->event->kind->bind(probe);

	probe->bound = !ret;
	return ret;
}

static void probe_unbind(struct dyn_probe *probe)
{
	probe->event->kind->unbind(&probe, 1);
	probe->bound = false;
}

static bool event_has(const struct dyn_event *event, const struct dyn_probe *probe)
{
	const struct dyn_probe *pos;

	dyn_for_each_probe(pos, event) {
		if (event->kind->same(pos, probe) &&
		    strobe_dyn_args_same(pos->args, probe->args))
			return true;
	}
	return false;
}

static int check_appended(struct dyn_line *line, const struct dyn_event *event)
{
	const struct dyn_args *args = line->probe->args;
	int differ;

	if ((args->flags ^ event->args->flags) & (DYN_RETURN | DYN_TPOINT))
		return strobe_dyn_line_error(line, -EEXIST,
					     "Probe type is different from existing probe", 0, 0);
	differ = strobe_dyn_args_differ(args, event->args);
	if (differ)
		return strobe_dyn_line_error(line, -EEXIST,
					     "Argument type or name is different from existing probe",
					     differ + 1, 0);
	if (event_has(event, line->probe))
		return strobe_dyn_line_error(line, -EEXIST,
					     "There is already the exact same probe event", 0, 0);
	return 0;
}

/* One more probe of an event, which may be armed. */
static int append(struct dyn_line *line, struct dyn_event *event)
{
	struct dyn_probe *probe = line->probe;
	int ret = check_appended(line, event);

	if (ret)
		return ret;
	if (!strobe_dyn_probe_join(probe, event))
		return -EBUSY;
	ret = probe_bind(probe);
	if (ret)
		goto part;
	if (!hlist_empty(&event->links))
		ret = strobe_dyn_arm(probe);
	if (!ret)
		return 0;
	probe_unbind(probe);
part:
	strobe_dyn_probe_part(probe);
	return ret;
}

/* The first probe of a new event. */
static int create(struct dyn_line *line)
{
	struct dyn_probe *probe = line->probe;
	struct dyn_event *event;
	int ret;

	event = strobe_dyn_event_alloc(line->kind, line->group, line->name, probe->args);
	if (!event)
		return -ENOMEM;
	strobe_dyn_probe_join(probe, event);
	ret = probe_bind(probe);
	if (ret)
		goto free;
	ret = strobe_event_register(&event->dynamic.call);
	if (!ret)
		return 0;
	probe_unbind(probe);
free:
	strobe_dyn_probe_part(probe);
	strobe_dyn_event_free(event);
	return ret;
}

static int define_registered(struct dyn_line *line)
{
	struct trace_event_call *call;
	int ret;

	guard(mutex)(&strobe_event_mutex);
	ret = line->kind->check ? line->kind->check(line->probe) : 0;
	if (ret)
		return ret;
	call = strobe_event_find(line->group, line->name);
	if (!call)
		ret = create(line);
	else if (call->flags & TRACE_EVENT_FL_DYNAMIC && line->kind->same &&
		 dyn_event_of(call)->kind == line->kind)
		ret = append(line, dyn_event_of(call));
	else
		ret = strobe_dyn_line_error(line, -EEXIST,
					    "Given group/event name is already used by another event",
					    0, 0);
	if (!ret)
		list_add_tail(&line->probe->list, &strobe_dyn_probes);
	else if (!line->error.text && line->kind->failed)
		line->kind->failed(line, ret);
	return ret;
}

static int define_probe(struct dyn_line *line)
{
	struct dyn_args *args;
	int ret;

	if (line->words.nr < 2)
		return -ECANCELED;
	strscpy(line->group, line->kind->group);
	ret = line->kind->place(line);
	if (!ret)
		ret = strobe_dyn_parse_names(line);
	if (ret)
		return ret;
	make_name(line);
	line->source.head = dyn_head_bytes(line->kind, line->source.flags);
	args = strobe_dyn_args_parse(line, 2);
	if (IS_ERR(args))
		return PTR_ERR(args);
	line->probe->args = args;
	return define_registered(line);
}

/* Return: -ECANCELED if it is not a line of that kind */
static int define_as(const struct dyn_kind *kind, struct dyn_line *line)
{
	int ret;

	if (!strchr(kind->letters, *dyn_word(&line->words, 0)))
		return -ECANCELED;
	line->kind = kind;
	ret = kind->define ? kind->define(line) : define_probe(line);
	if (!ret)
		return 0;
	strobe_dyn_probe_free(kind, line->probe);
	line->probe = NULL;
	if (line->error.text)
		strobe_error_log_add(top_instance, kind->where, line->words.text,
				     line->error.text, line->error.at);
	if (line->error.next)
		strobe_error_log_add(top_instance, kind->where, line->words.text,
				     line->error.next, line->error.at);
	return ret;
}

static int define(const struct dyn_kind *kind, struct dyn_line *line)
{
	int ret = -ECANCELED;
	u32 i;

	if (kind) {
		ret = define_as(kind, line);
	} else {
		for (i = 0; i < ARRAY_SIZE(dyn_kinds) && ret == -ECANCELED; i++)
			ret = define_as(dyn_kinds[i], line);
	}
	return ret == -ECANCELED ? -EINVAL : ret;
}

/**
 * strobe_dyn_execute - execute a line: define a probe, or remove some
 * @kind: the only kind that is meant; NULL: any
 * @text: the line
 *
 * Context: task, may sleep; takes dynamic_mutex and strobe_event_mutex.
 * Return: 0, also for an empty line; -EINVAL if it is not understood; -EEXIST if the name is
 *	   in use; -EBUSY if what it removes is; -ENOENT if there is nothing to be removed, or
 *	   no such place; or another errno. After an error nothing has changed.
 */
int strobe_dyn_execute(const struct dyn_kind *kind, const char *text)
{
	struct dyn_line line = { .text = text };
	int ret;

	guard(mutex)(&dynamic_mutex);
	ret = strobe_dyn_words_split(&line.words, text);
	if (ret)
		return ret;
	if (*text == '-' || (*text == '!' && !kind)) {
		guard(mutex)(&strobe_event_mutex);
		ret = strobe_dyn_remove(kind, &line.words);
	} else if (line.words.nr) {
		ret = define(kind, &line);
	}
	strobe_dyn_words_free(&line.words);
	return ret;
}

/**
 * strobe_dyn_show - write the definition of a probe as a line
 * @m:	   the file
 * @probe: the probe
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_dyn_show(struct seq_file *m, const struct dyn_probe *probe)
{
	probe->event->kind->show(m, probe);
	if (probe->args)
		strobe_dyn_args_show(m, probe->args);
	seq_putc(m, '\n');
}
