/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to instance/: values from the kernel command line. */
#ifndef _STROBE_INSTANCE_BOOT_H
#define _STROBE_INSTANCE_BOOT_H

#include <linux/types.h>

extern bool boot_clock_chosen;		/* trace_clock= was given */
extern size_t boot_ring_bytes;		/* size of each CPU's ring, trace_buf_size= */

#endif /* _STROBE_INSTANCE_BOOT_H */
