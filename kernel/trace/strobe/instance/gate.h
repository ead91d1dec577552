/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files of instance/: what is done to all files of an instance. */
#ifndef _STROBE_INSTANCE_GATE_H
#define _STROBE_INSTANCE_GATE_H

#include <linux/types.h>

#include "event/comm.h"

struct trace_array;

int event_files_record_comm(struct trace_array *tr, enum comm_what what, bool on);
void event_files_set_gate(struct trace_array *tr, unsigned long gate, bool on);

#endif /* _STROBE_INSTANCE_GATE_H */
