/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Constant strings whose addresses are recorded in place of their text: the
 * formats of trace_printk(), and strings made by tracepoint_string().
 */
#ifndef _STROBE_OUTPUT_FORMATS_H
#define _STROBE_OUTPUT_FORMATS_H

#include <linux/seq_file.h>
#include <linux/types.h>

/* Defined by the linker script. */
extern const char *__start___trace_bprintk_fmt[];
extern const char *__stop___trace_bprintk_fmt[];
extern const char *__start___tracepoint_str[];
extern const char *__stop___tracepoint_str[];

/* The lines of printk_formats: 0xADDRESS : "TEXT" */
extern const struct seq_operations strobe_printk_formats_seq_ops;

bool trace_is_tracepoint_string(const char *str);
bool strobe_printk_format_known(const char *fmt);

#endif /* _STROBE_OUTPUT_FORMATS_H */
