/* SPDX-License-Identifier: GPL-2.0 */
/* Which pointers the text of an event may follow. */
#ifndef _STROBE_EVENT_FOLLOW_H
#define _STROBE_EVENT_FOLLOW_H

#include <linux/stdarg.h>

struct strobe_print;

const char *follow_unsafe(const struct strobe_print *pr, const char *fmt, va_list *list);

#endif /* _STROBE_EVENT_FOLLOW_H */
