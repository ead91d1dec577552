/* SPDX-License-Identifier: GPL-2.0 */
/* What events on functions of the kernel have in common, be they made by kprobes or fprobes. */
#ifndef _STROBE_DYNAMIC_FUNCTION_H
#define _STROBE_DYNAMIC_FUNCTION_H

#include "dynamic/dynamic.h"

extern const struct strobe_field strobe_function_entry[], strobe_function_return[];

/* dyn_kind::head and head_fmt */
#define STROBE_FUNCTION_HEAD	{ strobe_function_entry, strobe_function_return }
#define STROBE_FUNCTION_FMT	{ "(%lx)", "(%lx <- %lx)" }

void strobe_function_print(struct strobe_print *pr, const struct dyn_event *event);
int strobe_function_maxactive(struct dyn_line *line, bool may_return, unsigned int *maxactive);
void strobe_function_failed(struct dyn_line *line, int err);

#endif /* _STROBE_DYNAMIC_FUNCTION_H */
