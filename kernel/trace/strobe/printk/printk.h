/* SPDX-License-Identifier: GPL-2.0 */
/* The buffers of trace_printk(), for its tests. */
#ifndef _STROBE_PRINTK_PRINTK_H
#define _STROBE_PRINTK_PRINTK_H

#if IS_ENABLED(CONFIG_KUNIT)
struct printk_buffers;

extern struct printk_buffers __percpu *printk_buffers;
struct printk_buffers __percpu *printk_buffers_make(void);
#endif

#endif /* _STROBE_PRINTK_PRINTK_H */
