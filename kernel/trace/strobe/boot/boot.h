/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to boot/. */
#ifndef _STROBE_BOOT_BOOT_H
#define _STROBE_BOOT_BOOT_H

#include <linux/init.h>
#include <linux/types.h>

#include <asm/setup.h>

#include "instance/instance.h"

/* instances.c */
void __init instances_setup(void);
void __init instances_enable_again(void);
void __init boot_enable_events(struct trace_array *tr, char *list, bool again);

#if IS_ENABLED(CONFIG_KUNIT)
extern char boot_triggers[COMMAND_LINE_SIZE];
extern char boot_options[INSTANCE_NAME_MAX];
extern char boot_instances[COMMAND_LINE_SIZE];

void __init apply_options(void);
void __init boot_add_triggers(void);
#endif

#endif /* _STROBE_BOOT_BOOT_H */
