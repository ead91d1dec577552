/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to instance/: functions that boot.c calls, in this order, and one that they call. */
#ifndef _STROBE_INSTANCE_SETUP_H
#define _STROBE_INSTANCE_SETUP_H

#include <linux/init.h>
#include <linux/types.h>

#include <asm/setup.h>

#include "instance/instance.h"

void __init deferred_setup(void);
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

#if IS_ENABLED(CONFIG_KUNIT)
struct console_buffer;

extern char boot_triggers[COMMAND_LINE_SIZE];
extern char boot_options[INSTANCE_NAME_MAX];
extern char boot_instances[COMMAND_LINE_SIZE];
extern char alloc_instances[COMMAND_LINE_SIZE];
extern bool alloc_at_boot;
extern struct console_buffer *console_buffers;

void __init apply_options(void);
void __init boot_add_triggers(void);
#endif

#endif /* _STROBE_INSTANCE_SETUP_H */
