/* SPDX-License-Identifier: GPL-2.0 */
/* Triggers: actions when an event fires. See also record/triggers.h. */
#ifndef _STROBE_TRIGGER_TRIGGER_H
#define _STROBE_TRIGGER_TRIGGER_H

#include <linux/types.h>

#include "record/triggers.h"

struct seq_file;

/**
 * struct trigger_text - the parts of a text written to a trigger file
 * @remove: the text began with '!'
 * @name:   name of the command
 * @param:  COUNT, or SYSTEM:EVENT[:COUNT]; NULL: none
 * @filter: the text after that, including "if"; NULL: none
 */
struct trigger_text {
	bool	remove;
	char	*name;
	char	*param;
	char	*filter;
};

/* parse.c */
void strobe_trigger_parse(char *text, struct trigger_text *parsed);
int strobe_trigger_parse_filter(struct trigger_text *parsed, bool param_required);
int strobe_trigger_parse_target(char **param, const char **system, const char **event);
int strobe_trigger_parse_count(char *param, long *count);
int strobe_trigger_parse_if(char **filter);

/* trigger.c */
struct trigger *strobe_trigger_find(const struct trace_event_file *file,
				    const struct trigger_command *command,
				    const struct trace_event_file *target);
unsigned long strobe_triggers_gate(const struct trace_event_file *file);
void strobe_trigger_free(struct trigger *trigger);
void strobe_trigger_show(struct seq_file *m, const struct trigger *trigger);

/* commands.c */
int strobe_event_file_write_trigger(struct trace_event_file *file, char *text);
void strobe_event_file_show_triggers(struct seq_file *m, const struct trace_event_file *file);

#endif /* _STROBE_TRIGGER_TRIGGER_H */
