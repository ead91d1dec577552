/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files of instance/: what boot.c calls, in this order. */
#ifndef _STROBE_INSTANCE_SETUP_H
#define _STROBE_INSTANCE_SETUP_H

#include <linux/init.h>

void __init console_setup(void);
void __init dump_setup(void);
#ifdef CONFIG_TRACER_SNAPSHOT
void __init snapshot_setup(void);
#else
static inline void snapshot_setup(void) { }
#endif

#endif /* _STROBE_INSTANCE_SETUP_H */
