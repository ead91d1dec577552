// SPDX-License-Identifier: GPL-2.0
/*
 * The catalog of systems and their events; catalog.h says what it is for.
 *
 * State: it lists all registered events, except those for which there was no memory.
 *
 * Contexts: task. Locks: the callers hold dirs_mutex of events.c.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event/event.h"
#include "fs/catalog.h"

LIST_HEAD(strobe_fs_catalog);

/* Events of a system mostly follow each other, so the last system comes first. */
static struct catalog_system *system_find(const char *name)
{
	struct catalog_system *system;

	list_for_each_entry_reverse(system, &strobe_fs_catalog, list) {
		if (!strcmp(system->name, name))
			return system;
	}
	return NULL;
}

static struct catalog_system *system_make(const char *name)
{
	struct catalog_system *system = kzalloc(sizeof(*system), GFP_KERNEL);

	if (!system)
		return NULL;
	system->name = kstrdup_const(name, GFP_KERNEL);
	if (!system->name) {
		kfree(system);
		return NULL;
	}
	list_add_tail(&system->list, &strobe_fs_catalog);
	return system;
}

static void system_free(struct catalog_system *system)
{
	list_del(&system->list);
	kfree(system->calls);
	kfree_const(system->name);
	kfree(system);
}

static int index_of(const struct catalog_system *system, const struct trace_event_call *call)
{
	int i;

	for (i = 0; i < system->nr; i++) {
		if (system->calls[i] == call)
			return i;
	}
	return -1;
}

/**
 * strobe_fs_catalog_add - add an event
 * @call: the event, not in the catalog
 *
 * Context: task, may sleep.
 * Return: its system, or ERR_PTR(-ENOMEM) and nothing has changed.
 */
struct catalog_system *strobe_fs_catalog_add(struct trace_event_call *call)
{
	struct catalog_system *system = system_find(call->class->system);
	struct trace_event_call **calls;

	if (!system)
		system = system_make(call->class->system);
	if (!system)
		return ERR_PTR(-ENOMEM);
	calls = krealloc_array(system->calls, system->nr + 1, sizeof(*calls), GFP_KERNEL);
	if (!calls) {
		if (!system->nr)
			system_free(system);
		return ERR_PTR(-ENOMEM);
	}
	calls[system->nr++] = call;
	system->calls = calls;
	return system;
}

/**
 * strobe_fs_catalog_find - find the system of an event
 * @call: the event
 *
 * Context: task.
 * Return: the system; NULL: the event is not in the catalog.
 */
struct catalog_system *strobe_fs_catalog_find(const struct trace_event_call *call)
{
	struct catalog_system *system = system_find(call->class->system);

	return system && index_of(system, call) >= 0 ? system : NULL;
}

/**
 * strobe_fs_catalog_remove - remove an event, and its system if it was the last one
 * @call: the event, in the catalog
 *
 * Context: task.
 */
void strobe_fs_catalog_remove(const struct trace_event_call *call)
{
	struct catalog_system *system = system_find(call->class->system);
	int i = index_of(system, call);

	if (!--system->nr)
		system_free(system);
	else
		memmove(system->calls + i, system->calls + i + 1,
			(system->nr - i) * sizeof(*system->calls));
}
