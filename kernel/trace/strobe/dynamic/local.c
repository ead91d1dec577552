// SPDX-License-Identifier: GPL-2.0
/*
 * Local events: each belongs to one perf event of the PMUs kprobe and uprobe. It has one
 * probe without arguments, and it is neither in the registry nor in any list: its id is 0.
 *
 * Contexts: task, may sleep, strobe_event_mutex held.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "attach/attach.h"
#include "dynamic/dynamic.h"

static struct dyn_args *no_args(const struct dyn_kind *kind, u32 flags)
{
	const struct dyn_source source = {
		.flags	= flags,
		.head	= dyn_head_bytes(kind, flags),
	};

	return strobe_dyn_args_none(&source);
}

/* The event has no sink any more. */
static void local_free(struct dyn_event *event)
{
	struct dyn_probe *probe = event->probes;
	const struct dyn_kind *kind = event->kind;

	lockdep_assert_held(&strobe_event_mutex);
	if (probe->bound)
		kind->unbind(&probe, 1);
	strobe_dyn_probe_part(probe);
	strobe_dyn_event_free(event);
	strobe_dyn_probe_free(kind, probe);
}

/**
 * strobe_dyn_local_make - make a local event
 * @kind:  its kind
 * @probe: its probe, which has a place, and is freed after an error
 * @name:  its name
 * @flags: DYN_* of its source
 * @bind:  registers the probe
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: the event; -ENOMEM or the errno of @bind
 */
struct dyn_event *strobe_dyn_local_make(const struct dyn_kind *kind, struct dyn_probe *probe,
					const char *name, u32 flags,
					int (*bind)(struct dyn_probe *probe))
{
	struct dyn_event *event = NULL;
	int ret = -ENOMEM;

	lockdep_assert_held(&strobe_event_mutex);
	probe->args = no_args(kind, flags);
	if (probe->args)
		event = strobe_dyn_event_alloc(kind, kind->group, name, probe->args);
	if (!event) {
		strobe_dyn_probe_free(kind, probe);
		return ERR_PTR(ret);
	}
	strobe_dyn_probe_join(probe, event);
	ret = bind(probe);
	probe->bound = !ret;
	if (!ret)
		return event;
	local_free(event);
	return ERR_PTR(ret);
}

/**
 * strobe_dyn_local_open - open a perf event on its local event
 * @event: the perf event
 * @local: the local event, which is freed after an error; or an errno as ERR_PTR()
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; the errno in @local; or that of strobe_attached_open()
 */
int strobe_dyn_local_open(struct perf_event *event, struct dyn_event *local)
{
	int ret;

	if (IS_ERR(local))
		return PTR_ERR(local);
	ret = strobe_attached_open(event, &local->dynamic.call);
	if (ret)
		local_free(local);
	return ret;
}

/**
 * strobe_dyn_local_close - undo strobe_dyn_local_open(), and free the local event
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void strobe_dyn_local_close(struct perf_event *event)
{
	struct dyn_event *local = dyn_event_of(event->tp_event);

	guard(mutex)(&strobe_event_mutex);
	strobe_attached_close(event);
	local_free(local);
}
