// SPDX-License-Identifier: GPL-2.0
/*
 * Removal of probes, one or thousands at once.
 *
 * All that a line names is marked first. If one of the events that would lose their last
 * probe is busy, nothing is removed. Then whole events leave the registry, the kinds unbind
 * their probes, and only then memory is freed. Each step waits once for all that it does, not
 * once for each probe.
 *
 * Removal must not fail for want of memory: the array that registry and sources need is
 * allocated with __GFP_NOFAIL. It has a pointer for each probe.
 *
 * Contexts: task, may sleep. Locks: strobe_event_mutex held.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "dynamic/dynamic.h"

/**
 * struct marked - probes that will be removed: those of some events with dyn_probe::leaving
 * @first: the first event; dyn_event::next_leaving leads to the others
 * @end:   where the next one is added
 * @nr:	   number of the probes
 */
struct marked {
	struct dyn_event	*first;
	struct dyn_event	**end;
	unsigned int		nr;
};

#define for_each_marked(event, marked) \
	for (event = (marked)->first; event; event = event->next_leaving)

static bool event_is_leaving(const struct dyn_event *event)
{
	return event->nr_leaving == event->nr_probes;
}

static void marked_init(struct marked *marked)
{
	marked->first = NULL;
	marked->end = &marked->first;
	marked->nr = 0;
}

static void mark(struct marked *marked, struct dyn_probe *probe)
{
	struct dyn_event *event = probe->event;

	if (!event->nr_leaving) {
		event->next_leaving = NULL;
		*marked->end = event;
		marked->end = &event->next_leaving;
	}
	marked->nr++;
	event->nr_leaving++;
	probe->leaving = true;
}

static void unmark_all(const struct marked *marked)
{
	struct dyn_event *event;
	struct dyn_probe *probe;

	for_each_marked(event, marked) {
		event->nr_leaving = 0;
		dyn_for_each_probe(probe, event)
			probe->leaving = false;
	}
}

/* Return: 0; -EBUSY if the event is in use; or the errno of its kind if that refuses */
static int check_event(struct dyn_event *event)
{
	struct dyn_probe *probe;
	int ret = 0;

	if (strobe_event_is_busy(&event->dynamic.call))
		return -EBUSY;
	if (!event->kind->may_remove)
		return 0;
	dyn_for_each_probe(probe, event)
		ret = ret ?: event->kind->may_remove(probe);
	return ret;
}

/*
 * Check the events that would lose their last probe. Return: 0, or the errno of the first one
 * that must stay
 */
static int check_marked(const struct marked *marked)
{
	struct dyn_event *event;
	int ret = 0;

	for_each_marked(event, marked) {
		if (event_is_leaving(event))
			ret = ret ?: check_event(event);
	}
	return ret;
}

/* Probes of events that stay may be armed. */
static void disarm_marked(const struct marked *marked)
{
	struct dyn_event *event;
	struct dyn_probe *probe;

	for_each_marked(event, marked) {
		dyn_for_each_probe(probe, event) {
			if (!probe->leaving || !probe->armed)
				continue;
			event->kind->disarm(probe);
			probe->armed = false;
		}
	}
}

static void leave_records(const struct marked *marked)
{
	struct dyn_event *event;

	for_each_marked(event, marked) {
		if (event_is_leaving(event))
			event->dynamic.leave_records = true;
	}
}

/* @calls has memory for all of them. */
static void unregister_marked(const struct marked *marked, struct trace_event_call **calls)
{
	struct dyn_event *event;
	unsigned int nr = 0;

	for_each_marked(event, marked) {
		if (event_is_leaving(event))
			calls[nr++] = &event->dynamic.call;
	}
	strobe_events_unregister(calls, nr);
}

/*
 * Unbind the marked probes of one kind. @probes has memory for all of them.
 * Return: false if all probes are unbound
 */
static bool unbind_some(const struct marked *marked, struct dyn_probe **probes)
{
	const struct dyn_kind *kind = NULL;
	struct dyn_event *event;
	struct dyn_probe *probe;
	unsigned int nr = 0;

	for_each_marked(event, marked) {
		if (kind && event->kind != kind)
			continue;
		dyn_for_each_probe(probe, event) {
			if (!probe->leaving || !probe->bound)
				continue;
			kind = event->kind;
			probe->bound = false;
			probes[nr++] = probe;
		}
	}
	if (nr)
		kind->unbind(probes, nr);
	return nr;
}

static void free_leaving(struct dyn_event *event)
{
	const struct dyn_kind *kind = event->kind;
	struct dyn_probe *probe, *next;

	for (probe = event->probes; probe; probe = next) {
		next = probe->next;
		if (!probe->leaving)
			continue;
		list_del(&probe->list);
		strobe_dyn_probe_part(probe);
		strobe_dyn_probe_free(kind, probe);
	}
	event->nr_leaving = 0;
	if (!event->nr_probes)
		strobe_dyn_event_free(event);
}

static void free_marked(const struct marked *marked)
{
	struct dyn_event *event, *next;

	for (event = marked->first; event; event = next) {
		next = event->next_leaving;
		free_leaving(event);
	}
}

/* @leaves_records: the records of events that lose their last probe stay in the rings. */
static int remove_marked(const struct marked *marked, bool leaves_records)
{
	void *ptrs;
	int ret;

	if (!marked->nr)
		return -ENOENT;
	ret = check_marked(marked);
	if (ret) {
		unmark_all(marked);
		return ret;
	}
	if (leaves_records)
		leave_records(marked);
	ptrs = kvmalloc_array(marked->nr, sizeof(void *), GFP_KERNEL | __GFP_NOFAIL);
	disarm_marked(marked);
	unregister_marked(marked, ptrs);
	while (unbind_some(marked, ptrs))
		;
	free_marked(marked);
	kvfree(ptrs);
	return 0;
}

static bool probe_matches(const struct dyn_probe *probe, const char *group, const char *name,
			  const struct dyn_words *words)
{
	const struct dyn_event *event = probe->event;

	if (event->kind->matches)
		return event->kind->matches(probe, group, name,
					    words->nr > 1 ? words->text + words->at[1] : "");
	if (*name && strcmp(name, trace_event_name(&event->dynamic.call)))
		return false;
	if (group && strcmp(group, event->class.system))
		return false;
	if (words->nr < 2)
		return true;
	return event->kind->is_at(probe, dyn_word(words, 1)) &&
	       (!probe->args || strobe_dyn_args_match(probe->args, words, 2));
}

/* @own: mark probes of kinds that have matches(); else those of the others. */
static void mark_matching(struct marked *marked, const struct dyn_kind *kind, const char *group,
			  const char *name, const struct dyn_words *words, bool own)
{
	struct dyn_probe *probe;

	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if ((!kind || probe->event->kind == kind) &&
		    !!probe->event->kind->matches == own &&
		    probe_matches(probe, group, name, words))
			mark(marked, probe);
	}
}

/* Mark what a line names: the probes of one event, or all that match. */
static void mark_named(struct marked *marked, const struct dyn_kind *kind, const char *group,
		       const char *name, const struct dyn_words *words)
{
	struct trace_event_call *call = NULL;
	struct dyn_event *event = NULL;
	struct dyn_probe *probe;

	/* The registry knows some events of user space by other names. */
	if (group && *name && !strstarts(group, "user_events"))
		call = strobe_event_find(group, name);
	if (call && call->flags & TRACE_EVENT_FL_DYNAMIC)
		event = dyn_event_of(call);
	if (event) {
		if (kind && event->kind != kind)
			return;
		dyn_for_each_probe(probe, event) {
			if (probe_matches(probe, group, name, words))
				mark(marked, probe);
		}
		return;
	}
	mark_matching(marked, kind, group, name, words, false);
	/* A bare name is that of an event of user space only if no other event has it. */
	if (!marked->nr || kind || group || words->nr > 1)
		mark_matching(marked, kind, group, name, words, true);
}

/**
 * strobe_dyn_remove - remove probes by name, and place and arguments
 * @kind:  their kind; NULL: any
 * @words: "-:[GROUP/][EVENT] [PLACE [ARGS]]", or '!' and a definition
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; -EINVAL if there is no name; -ENOENT if nothing matches; -EBUSY if one of the
 *	   events is in use, and then nothing is removed
 */
int strobe_dyn_remove(const struct dyn_kind *kind, const struct dyn_words *words)
{
	char *word = dyn_word(words, 0), *group = NULL, *name, *slash;
	struct marked marked;

	lockdep_assert_held(&strobe_event_mutex);
	name = *word == '-' ? word + 1 : strchr(word, ':');
	if (!name || *name != ':')
		return -EINVAL;
	name++;
	slash = strchr(name, '/');
	if (slash) {
		*slash = '\0';
		group = name;
		name = slash + 1;
	}
	if (!group && !*name)
		return -EINVAL;
	marked_init(&marked);
	mark_named(&marked, kind, group, name, words);
	return remove_marked(&marked, false);
}

/**
 * strobe_dyn_remove_all - remove all probes of a kind
 * @kind: the kind; NULL: all
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; -EBUSY if one of the events is in use, and then nothing is removed
 */
int strobe_dyn_remove_all(const struct dyn_kind *kind)
{
	struct dyn_probe *probe;
	struct marked marked;

	lockdep_assert_held(&strobe_event_mutex);
	marked_init(&marked);
	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (!kind || probe->event->kind == kind)
			mark(&marked, probe);
	}
	return marked.nr ? remove_marked(&marked, false) : 0;
}

/**
 * strobe_dyn_remove_matching - remove the probes for which a function returns true
 * @matches: the function; strobe_event_mutex is held
 * @data:    its second argument
 *
 * The users of the rings have not asked for it, so the records of the events stay there.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; -ENOENT if no probe matches; -EBUSY if one of the events is in use, or the errno
 *	   of a kind that refuses, and then nothing is removed
 */
int strobe_dyn_remove_matching(bool (*matches)(const struct dyn_probe *probe, const void *data),
			       const void *data)
{
	struct dyn_probe *probe;
	struct marked marked;

	lockdep_assert_held(&strobe_event_mutex);
	marked_init(&marked);
	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (matches(probe, data))
			mark(&marked, probe);
	}
	return remove_marked(&marked, true);
}
