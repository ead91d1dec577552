/* SPDX-License-Identifier: GPL-2.0 */
/* The error log of an instance; see error_log.c. */
#ifndef _STROBE_INSTANCE_ERROR_LOG_H
#define _STROBE_INSTANCE_ERROR_LOG_H

#include <linux/types.h>

struct trace_array;

/**
 * struct error_entry - one error
 * @command: the text that was written
 * @where: name of the interface that it was written to, as users see it
 * @what: description of the error; a constant string
 * @pos: index of the wrong character in @command
 * @ts: time of the error in ns of the local clock
 */
struct error_entry {
	char		*command;
	const char	*where;
	const char	*what;
	unsigned int	pos;
	u64		ts;
};

void strobe_error_log_add(struct trace_array *tr, const char *where, const char *command,
			  const char *what, unsigned int pos);
void strobe_error_log_clear(struct trace_array *tr);
void strobe_error_log_lock(void);
void strobe_error_log_unlock(void);
const struct error_entry *strobe_error_log_get(const struct trace_array *tr, unsigned int nr);

#endif /* _STROBE_INSTANCE_ERROR_LOG_H */
