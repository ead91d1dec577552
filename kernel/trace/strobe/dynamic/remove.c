// SPDX-License-Identifier: GPL-2.0
/*
 * Removal of probes, one or thousands at once.
 *
 * All that a line names is marked first. If one of the events that would lose their last
 * probe is busy, nothing is removed. Then whole events leave the registry, the kinds unbind
 * their probes, and only then memory is freed. Each step waits once for all that it does, not
 * once for each probe.
 *
 * Removal must not fail for want of memory. The arrays that registry and sources need are
 * allocated, and if that fails, a short one on the stack is used several times.
 *
 * Contexts: task, may sleep. Locks: strobe_event_mutex held.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "dynamic/dynamic.h"

#define FEW	16

/**
 * struct batch - pointers to what is dealt with together
 * @ptrs: the pointers
 * @nr:   their number
 * @max:  room for so many
 * @few:  used if there is no memory
 */
struct batch {
	void		**ptrs;
	unsigned int	nr;
	unsigned int	max;
	void		*few[FEW];
};

static void batch_init(struct batch *batch, unsigned int wanted)
{
	batch->nr = 0;
	batch->max = wanted;
	batch->ptrs = wanted > FEW ? kvmalloc_array(wanted, sizeof(void *), GFP_KERNEL) : NULL;
	if (!batch->ptrs) {
		batch->ptrs = batch->few;
		batch->max = FEW;
	}
}

static void batch_free(struct batch *batch)
{
	if (batch->ptrs != batch->few)
		kvfree(batch->ptrs);
}

/* Return: false if the batch is full */
static bool batch_add(struct batch *batch, void *ptr)
{
	if (batch->nr == batch->max)
		return false;
	batch->ptrs[batch->nr++] = ptr;
	return true;
}

static bool event_is_leaving(const struct dyn_event *event)
{
	return event->nr_leaving == event->nr_probes;
}

static void mark(struct dyn_probe *probe)
{
	probe->leaving = true;
	probe->event->nr_leaving++;
}

static void unmark_all(void)
{
	struct dyn_probe *probe;

	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		probe->leaving = false;
		probe->event->nr_leaving = 0;
	}
}

/* -EBUSY if an event would go that is in use; or the errno of a kind that refuses */
static int check_marked(void)
{
	const struct dyn_kind *kind;
	struct dyn_probe *probe;
	int ret;

	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (!probe->leaving || !event_is_leaving(probe->event))
			continue;
		if (strobe_event_is_busy(&probe->event->dynamic.call))
			return -EBUSY;
		kind = probe->event->kind;
		ret = kind->may_remove ? kind->may_remove(probe) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/* Probes of events that stay may be armed. */
static void disarm_marked(void)
{
	struct dyn_probe *probe;

	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (!probe->leaving || !probe->armed)
			continue;
		probe->event->kind->disarm(probe);
		probe->armed = false;
	}
}

static void unregister_marked(struct batch *batch)
{
	struct dyn_probe *probe;
	struct dyn_event *event;

	do {
		batch->nr = 0;
		list_for_each_entry(probe, &strobe_dyn_probes, list) {
			event = probe->event;
			if (!probe->leaving || !event_is_leaving(event) ||
			    probe != dyn_first_probe(event) || !event->dynamic.call.type)
				continue;
			if (!batch_add(batch, &event->dynamic.call))
				break;
		}
		strobe_events_unregister((struct trace_event_call **)batch->ptrs, batch->nr);
	} while (batch->nr == batch->max);
}

/* Unbind probes of one kind. Return: false if there are none left */
static bool unbind_some(struct batch *batch)
{
	const struct dyn_kind *kind = NULL;
	struct dyn_probe *probe;

	batch->nr = 0;
	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (!probe->leaving || !probe->bound || (kind && probe->event->kind != kind))
			continue;
		if (!batch_add(batch, probe))
			break;
		kind = probe->event->kind;
		probe->bound = false;
	}
	if (!kind)
		return false;
	kind->unbind((struct dyn_probe **)batch->ptrs, batch->nr);
	return true;
}

static void free_marked(void)
{
	struct dyn_probe *probe, *next;
	const struct dyn_kind *kind;
	struct dyn_event *event;

	list_for_each_entry_safe(probe, next, &strobe_dyn_probes, list) {
		if (!probe->leaving)
			continue;
		event = probe->event;
		kind = event->kind;
		list_del(&probe->list);
		strobe_dyn_probe_part(probe);
		event->nr_leaving--;
		strobe_dyn_probe_free(kind, probe);
		if (!event->nr_probes)
			strobe_dyn_event_free(event);
	}
}

static int remove_marked(unsigned int nr)
{
	struct batch batch;
	int ret;

	if (!nr)
		return -ENOENT;
	ret = check_marked();
	if (ret) {
		unmark_all();
		return ret;
	}
	batch_init(&batch, nr + 1);
	disarm_marked();
	unregister_marked(&batch);
	while (unbind_some(&batch))
		;
	free_marked();
	batch_free(&batch);
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
	       (!probe->args || strobe_dyn_args_match(&probe->args->args, words, 2));
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
	struct dyn_probe *probe;
	unsigned int nr = 0;

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
	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if ((kind && probe->event->kind != kind) ||
		    !probe_matches(probe, group, name, words))
			continue;
		mark(probe);
		nr++;
	}
	return remove_marked(nr);
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
	unsigned int nr = 0;

	lockdep_assert_held(&strobe_event_mutex);
	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (kind && probe->event->kind != kind)
			continue;
		mark(probe);
		nr++;
	}
	return nr ? remove_marked(nr) : 0;
}

/**
 * strobe_dyn_remove_probes - remove some probes
 * @probes: the probes
 * @nr:	    their number
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0; -EBUSY if one of the events is in use, or the errno of a kind that refuses, and
 *	   then nothing is removed
 */
int strobe_dyn_remove_probes(struct dyn_probe **probes, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&strobe_event_mutex);
	for (i = 0; i < nr; i++)
		mark(probes[i]);
	return remove_marked(nr);
}
