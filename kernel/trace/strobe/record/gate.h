/* SPDX-License-Identifier: GPL-2.0 */
/* Changing the gates of event files. */
#ifndef _STROBE_RECORD_GATE_H
#define _STROBE_RECORD_GATE_H

#include <linux/types.h>

struct trace_array;
struct trace_event_file;

void strobe_event_files_set_gate(struct trace_array *tr, unsigned long gate, bool on);
void strobe_event_file_change_gate(struct trace_event_file *file, unsigned long set,
				   unsigned long clear);

#endif /* _STROBE_RECORD_GATE_H */
