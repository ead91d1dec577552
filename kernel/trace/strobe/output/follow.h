/* SPDX-License-Identifier: GPL-2.0 */
/* Which pointers the text of an event may follow. */
#ifndef _STROBE_OUTPUT_FOLLOW_H
#define _STROBE_OUTPUT_FOLLOW_H

#include <linux/err.h>
#include <linux/stdarg.h>
#include <linux/types.h>
#include <asm/page.h>

struct strobe_print;
struct trace_event_call;

bool strobe_follow_is_lasting(const struct trace_event_call *call, bool past, const void *ptr);
const char *strobe_follow_unsafe(const struct strobe_print *pr, const char *fmt, va_list *list);
const char *strobe_follow_string_unsafe(const struct strobe_print *pr, const char *str);

/* Whether vsnprintf() prints @ptr as "(null)" or "(efault)". */
static inline bool is_no_address(const void *ptr)
{
	return (unsigned long)ptr < PAGE_SIZE || IS_ERR_VALUE(ptr);
}

#endif /* _STROBE_OUTPUT_FOLLOW_H */
