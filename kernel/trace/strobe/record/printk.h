/* SPDX-License-Identifier: GPL-2.0 */
/* trace_printk(): where it writes to, and its buffers. */
#ifndef _STROBE_RECORD_PRINTK_H
#define _STROBE_RECORD_PRINTK_H

#include <linux/kconfig.h>

struct trace_array;

/*
 * The instance that trace_printk() writes to: the one whose option trace_printk_dest was
 * set last, or the top instance. Valid while preemption is off.
 */
extern struct trace_array *strobe_instance_printk_dest;

int strobe_printk_buffers_alloc(void);

#if IS_ENABLED(CONFIG_KUNIT)
struct strobe_printk_buffers;

extern struct strobe_printk_buffers __percpu *strobe_printk_buffers;
struct strobe_printk_buffers __percpu *strobe_printk_buffers_make(void);
#endif

#endif /* _STROBE_RECORD_PRINTK_H */
