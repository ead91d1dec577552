/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to boot/. */
#ifndef _STROBE_BOOT_BOOT_H
#define _STROBE_BOOT_BOOT_H

#include <linux/init.h>
#include <linux/types.h>

#include <asm/setup.h>

#include "instance/instance.h"

/* instances.c */
void __init strobe_instances_setup(void);
void __init strobe_boot_enable_events(struct trace_array *tr, char *list);

#if IS_ENABLED(CONFIG_KUNIT)
extern char strobe_boot_triggers[COMMAND_LINE_SIZE];
extern char strobe_boot_options[INSTANCE_NAME_MAX];
extern char strobe_boot_instances[COMMAND_LINE_SIZE];

void __init strobe_apply_options(void);
void __init strobe_boot_add_triggers(void);
bool __init strobe_boot_memory_reserved(phys_addr_t page);
#endif

#endif /* _STROBE_BOOT_BOOT_H */
