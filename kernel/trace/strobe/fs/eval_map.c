// SPDX-License-Identifier: GPL-2.0
/*
 * eval_map: the enums and sizes that are replaced by numbers in print formats; first
 * those of built-in events, then those of modules with events.
 *
 * Locks: strobe_event_mutex, from start() to stop(), so that no module is unloaded.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

#include "event/eval.h"
#include "event/event.h"
#include "fs/fs.h"

#ifdef CONFIG_MODULES
/*
 * Return an event of the newest module that is older than that of @call; @call NULL: of the
 * newest one. Events of a module are adjacent in the list.
 */
static struct trace_event_call *older_module(struct trace_event_call *call)
{
	const struct module *mod = call ? strobe_event_module(call) : NULL;

	call = call ? call->next : strobe_event_list;
	while (call && (!strobe_event_module(call) || strobe_event_module(call) == mod))
		call = call->next;
	return call;
}
#endif

/* Find value @nr of all modules, of which the oldest comes first. */
static const struct trace_eval_map *eval_of_modules(loff_t nr)
{
#ifdef CONFIG_MODULES
	struct trace_event_call *call = NULL;
	loff_t from = 0;

	while ((call = older_module(call)))
		from += strobe_event_module(call)->num_trace_evals;
	if (nr >= from)
		return NULL;
	while ((call = older_module(call))) {
		from -= strobe_event_module(call)->num_trace_evals;
		if (nr >= from)
			return &strobe_event_module(call)->trace_evals[nr - from];
	}
#endif
	return NULL;
}

static void *eval_find(loff_t nr)
{
	loff_t nr_core = __stop_ftrace_eval_maps - __start_ftrace_eval_maps;

	if (nr < nr_core)
		return (void *)&__start_ftrace_eval_maps[nr];
	return (void *)eval_of_modules(nr - nr_core);
}

static void *eval_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&strobe_event_mutex);
	return eval_find(*pos);
}

static void *eval_next(struct seq_file *m, void *v, loff_t *pos)
{
	return eval_find(++*pos);
}

static void eval_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&strobe_event_mutex);
}

static int eval_show_line(struct seq_file *m, void *v)
{
	const struct trace_eval_map *map = v;

	seq_printf(m, "%s %ld (%s)\n", map->eval_string, map->eval_value,
		   map->system);
	return 0;
}

static const struct seq_operations eval_seq_ops = {
	.start	= eval_start,
	.next	= eval_next,
	.stop	= eval_stop,
	.show	= eval_show_line,
};

static int eval_map_open(struct inode *inode, struct file *file)
{
	return strobe_fs_open_global_seq(file, &eval_seq_ops);
}

const struct file_operations strobe_fs_eval_map_fops = {
	.open		= eval_map_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
};
