/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files of instance/: what the kernel command line asked for. */
#ifndef _STROBE_INSTANCE_BOOT_H
#define _STROBE_INSTANCE_BOOT_H

#include <linux/types.h>

extern bool boot_clock_chosen;		/* trace_clock= was given */
extern size_t boot_ring_bytes;		/* of each CPU, trace_buf_size= */

#endif /* _STROBE_INSTANCE_BOOT_H */
