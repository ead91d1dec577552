// SPDX-License-Identifier: GPL-2.0
/*
 * The sinks of an event. The first of them arms its probes.
 *
 * A link is allocated when a sink comes, and only unlinked when it goes: that needs no
 * memory and cannot fail.
 *
 * Contexts: task, strobe_event_mutex held. fire.c walks the links with preemption off.
 * Barriers: a link is published by rcu_assign_pointer() of hlist_add_*_rcu(). It is freed a grace
 * period after it was unlinked, its sink later, by its owner.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "dynamic/dynamic.h"

static void disarm_all(struct dyn_event *event)
{
	struct dyn_probe *probe;

	dyn_for_each_probe(probe, event) {
		if (probe->armed)
			event->kind->disarm(probe);
		probe->armed = false;
	}
}

static int arm_all(struct dyn_event *event)
{
	struct dyn_probe *probe;
	int ret;

	dyn_for_each_probe(probe, event) {
		ret = strobe_dyn_arm(probe);
		if (ret)
			return ret;
	}
	return 0;
}

/* Behind all links of instances, or all; fire.c counts on that order. */
static void link_publish(struct dyn_event *event, struct dyn_link *link)
{
	struct dyn_link *pos, *before = NULL;

	hlist_for_each_entry(pos, &event->links, node) {
		if (dyn_sink_is_attached(pos->sink) && !dyn_sink_is_attached(link->sink))
			break;
		before = pos;
	}
	if (before)
		hlist_add_behind_rcu(&link->node, &before->node);
	else
		hlist_add_head_rcu(&link->node, &event->links);
}

/* Unlink a sink, and disarm what it needed. Probes that still run may have found it before. */
static void link_remove(struct dyn_event *event, struct dyn_link *link)
{
	const bool attached = dyn_sink_is_attached(link->sink);

	hlist_del_rcu(&link->node);
	kfree_rcu(link, rcu);
	if (hlist_empty(&event->links)) {
		disarm_all(event);
		/* A perf event has the program, and a sink. */
		scoped_guard(mutex, &strobe_dyn_probes_mutex)
			event->overridden = false;
	} else if (!attached && event->kind->retarget) {
		event->kind->retarget(event, false);
	}
}

static int link_add(struct dyn_event *event, struct strobe_sink *sink)
{
	struct dyn_link *link = kmalloc(sizeof(*link), GFP_KERNEL);
	bool first = hlist_empty(&event->links);
	int ret = 0;

	if (!link)
		return -ENOMEM;
	link->sink = sink;
	link_publish(event, link);
	if (first)
		ret = arm_all(event);
	else if (!dyn_sink_is_attached(sink) && event->kind->retarget)
		ret = event->kind->retarget(event, true);
	if (ret)
		link_remove(event, link);
	return ret;
}

static struct dyn_link *link_of(const struct dyn_event *event, const struct strobe_sink *sink)
{
	struct dyn_link *link;

	hlist_for_each_entry(link, &event->links, node) {
		if (link->sink == sink)
			return link;
	}
	return NULL;
}

/**
 * strobe_dyn_connect - connect a sink with an event, or disconnect it
 * @call: the event
 * @sink: the sink, which stays for a grace period after it is disconnected, and after an error
 * @on:	  true: connect; false: disconnect, which cannot fail
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; -ENOMEM; or the errno of arming a probe: the sink is not connected, but may have
 *	   got records of the probes that were armed before
 */
int strobe_dyn_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	struct dyn_event *event = dyn_event_of(call);
	struct dyn_link *link;

	lockdep_assert_held(&strobe_event_mutex);
	if (on)
		return link_add(event, sink);
	link = link_of(event, sink);
	if (!WARN_ON_ONCE(!link))
		link_remove(event, link);
	return 0;
}
