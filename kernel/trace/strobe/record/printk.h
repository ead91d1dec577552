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
extern struct trace_array *instance_printk_dest;

int printk_buffers_alloc(void);

#if IS_ENABLED(CONFIG_KUNIT)
struct printk_buffers;

extern struct printk_buffers __percpu *printk_buffers;
struct printk_buffers __percpu *printk_buffers_make(void);
#endif

#endif /* _STROBE_RECORD_PRINTK_H */
