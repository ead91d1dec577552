/* SPDX-License-Identifier: GPL-2.0 */
/* Which pointers the text of an event may follow. */
#ifndef _STROBE_OUTPUT_FOLLOW_H
#define _STROBE_OUTPUT_FOLLOW_H

#include <linux/stdarg.h>
#include <linux/types.h>

struct strobe_print;
struct trace_event_call;

bool follow_is_lasting(const struct trace_event_call *call, bool past, const void *ptr);
const char *follow_unsafe(const struct strobe_print *pr, const char *fmt, va_list *list);

#endif /* _STROBE_OUTPUT_FOLLOW_H */
