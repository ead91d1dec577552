/* SPDX-License-Identifier: GPL-2.0 */
/* Enum names and sizeof()s in print formats. */
#ifndef _STROBE_EVENT_EVAL_H
#define _STROBE_EVENT_EVAL_H

#include <linux/tracepoint.h>

struct seq_file;
struct trace_event_call;

/* Values of the built-in events, in rodata. */
extern const struct trace_eval_map __start_ftrace_eval_maps[];
extern const struct trace_eval_map __stop_ftrace_eval_maps[];

void strobe_eval_show(struct seq_file *m, const struct trace_event_call *call, const char *text);

#endif /* _STROBE_EVENT_EVAL_H */
