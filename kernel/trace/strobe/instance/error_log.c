// SPDX-License-Identifier: GPL-2.0
/*
 * The error log of an instance: the last errors in what users wrote to its tracefs
 * files, with the text. An errno alone does not say what is wrong with a filter.
 *
 * State: entries are in order of age; a full log drops the oldest. The log is allocated
 * with its first error and freed when it is cleared.
 *
 * Contexts: task. Locks: errors_mutex, a leaf.
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
 * struct error_log - error log of an instance
 * @nr:	number of entries
 * @entries: the entries, the oldest first
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
 * strobe_error_log_add - add an error to the log, unless memory is short
 * @tr:      the instance
 * @where:   name of the interface that was written to; a constant string
 * @command: the text that was written
 * @what:    description of the error; a constant string
 * @pos:     index of the wrong character in @command
 *
 * Context: task, may sleep.
 */
void strobe_error_log_add(struct trace_array *tr, const char *where, const char *command,
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
 * strobe_error_log_clear - remove all errors
 * @tr: the instance
 *
 * Context: task, may sleep.
 */
void strobe_error_log_clear(struct trace_array *tr)
{
	guard(mutex)(&errors_mutex);
	while (tr->errors && tr->errors->nr)
		drop_oldest(tr->errors);
	kfree(tr->errors);
	tr->errors = NULL;
}

/**
 * strobe_error_log_lock - keep the logs of all instances unchanged until strobe_error_log_unlock()
 *
 * Context: task, may sleep.
 */
void strobe_error_log_lock(void)
{
	mutex_lock(&errors_mutex);
}

/**
 * strobe_error_log_unlock - undo strobe_error_log_lock()
 *
 * Context: task.
 */
void strobe_error_log_unlock(void)
{
	mutex_unlock(&errors_mutex);
}

/**
 * strobe_error_log_get - get an error by number
 * @tr: the instance
 * @nr: number of the error, counted from 0, the oldest
 *
 * Context: task; strobe_error_log_lock() held.
 * Return: the entry; NULL if @nr is too large
 */
const struct error_entry *strobe_error_log_get(const struct trace_array *tr, unsigned int nr)
{
	lockdep_assert_held(&errors_mutex);
	return tr->errors && nr < tr->errors->nr ? &tr->errors->entries[nr] : NULL;
}
