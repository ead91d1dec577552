/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files of instance/: what boot.c calls, in this order, and calls back. */
#ifndef _STROBE_INSTANCE_SETUP_H
#define _STROBE_INSTANCE_SETUP_H

#include <linux/init.h>
#include <linux/types.h>

struct trace_array;

void __init record_setup(void);
void __init console_setup(void);
void __init dump_setup(void);
#ifdef CONFIG_TRACER_SNAPSHOT
void __init snapshot_setup(void);
void __init snapshot_setup_instance(struct trace_array *tr);
#else
static inline void snapshot_setup(void) { }
static inline void snapshot_setup_instance(struct trace_array *tr) { }
#endif
void __init instances_setup(void);
void __init instances_enable_again(void);

void __init boot_enable_events(struct trace_array *tr, char *list, bool again);

#endif /* _STROBE_INSTANCE_SETUP_H */
