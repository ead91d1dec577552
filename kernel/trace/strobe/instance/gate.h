/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to instance/: changing event files. */
#ifndef _STROBE_INSTANCE_GATE_H
#define _STROBE_INSTANCE_GATE_H

#include <linux/types.h>

#include "event/comm.h"

struct strobe_filter_error;
struct trace_array;
struct trace_event_file;
struct trigger;

int event_files_record_comm(struct trace_array *tr, enum comm_what what, bool on);
void event_files_set_gate(struct trace_array *tr, unsigned long gate, bool on);
void event_file_change_gate(struct trace_event_file *file, unsigned long set,
			    unsigned long clear);
int event_file_soft_enable(struct trace_event_file *file);
void event_file_soft_disable(struct trace_event_file *file);

/* filter.c */
void event_filter_log_error(struct trace_array *tr, const char *text,
			    const struct strobe_filter_error *err);

/* trigger.c */
void event_file_leave_triggers(struct trace_event_file *file, struct trigger **gone);
void event_file_leave_targeting(struct trace_event_file *target, struct trigger **gone);
void triggers_free(struct trigger *gone);

/* files.c */
struct trigger *instance_remove_triggers(struct trace_array *tr);

#endif /* _STROBE_INSTANCE_GATE_H */
