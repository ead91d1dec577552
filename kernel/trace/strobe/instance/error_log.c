// SPDX-License-Identifier: GPL-2.0
/*
 * The last errors in what was written to an instance's files, with their texts: an
 * errno says little about a filter.
 *
 * State: the oldest entry is the first; a full log loses it. No memory is taken before
 * there is an error, and none is left after the log has been cleared.
 *
 * Contexts: task. Locks: errors_mutex, innermost.
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "instance/error_log.h"
#include "instance/instance.h"

#define ERRORS_MAX	8

/**
 * struct error_log - an instance's log
 * @nr:	entries in it
 * @entries: the oldest first
 */
struct error_log {
	unsigned int		nr;
	struct error_entry	entries[ERRORS_MAX];
};

/* Protects trace_array::errors and what it points to. */
static DEFINE_MUTEX(errors_mutex);

static void drop_oldest(struct error_log *log)
{
	kfree(log->entries[0].command);
	log->nr--;
	memmove(&log->entries[0], &log->entries[1], log->nr * sizeof(log->entries[0]));
}

/**
 * error_log_add - remember an error; without memory for it, it is forgotten
 * @tr:      the instance
 * @where:   what was written to; constant
 * @command: what was written
 * @what:    what is wrong; constant
 * @pos:     which character of @command it is about
 *
 * Context: task, may sleep.
 */
void error_log_add(struct trace_array *tr, const char *where, const char *command,
		   const char *what, unsigned int pos)
{
	char *copy = kstrdup(command, GFP_KERNEL);

	if (!copy)
		return;
	guard(mutex)(&errors_mutex);
	if (!tr->errors)
		tr->errors = kzalloc(sizeof(*tr->errors), GFP_KERNEL);
	if (!tr->errors) {
		kfree(copy);
		return;
	}
	if (tr->errors->nr == ERRORS_MAX)
		drop_oldest(tr->errors);
	tr->errors->entries[tr->errors->nr++] = (struct error_entry) {
		.command = copy, .where = where, .what = what, .pos = pos, .ts = local_clock(),
	};
}

/**
 * error_log_clear - forget all errors
 * @tr: the instance
 *
 * Context: task, may sleep.
 */
void error_log_clear(struct trace_array *tr)
{
	guard(mutex)(&errors_mutex);
	while (tr->errors && tr->errors->nr)
		drop_oldest(tr->errors);
	kfree(tr->errors);
	tr->errors = NULL;
}

/**
 * error_log_lock - nothing changes until error_log_unlock()
 *
 * Context: task, may sleep.
 */
void error_log_lock(void)
{
	mutex_lock(&errors_mutex);
}

/**
 * error_log_unlock - undo error_log_lock()
 *
 * Context: task.
 */
void error_log_unlock(void)
{
	mutex_unlock(&errors_mutex);
}

/**
 * error_log_get - one of the errors
 * @tr: the instance
 * @nr: which one, counted from the oldest
 *
 * Context: task; error_log_lock() held.
 * Return: the entry; NULL if there are not so many
 */
const struct error_entry *error_log_get(const struct trace_array *tr, unsigned int nr)
{
	lockdep_assert_held(&errors_mutex);
	return tr->errors && nr < tr->errors->nr ? &tr->errors->entries[nr] : NULL;
}
