/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files of instance/: what boot.c calls, in this order. */
#ifndef _STROBE_INSTANCE_SETUP_H
#define _STROBE_INSTANCE_SETUP_H

#include <linux/init.h>

void __init console_setup(void);
void __init dump_setup(void);

#endif /* _STROBE_INSTANCE_SETUP_H */
