/* SPDX-License-Identifier: GPL-2.0 */
/* Read memory beyond the record, where a field of it points to. */
#ifndef _STROBE_FILTER_MEM_H
#define _STROBE_FILTER_MEM_H

#include <linux/types.h>

#define STROBE_MEM_STRING	1024U	/* bytes that are read of a string, with a NUL */

int strobe_mem_prepare(void);
const char *strobe_mem_string(u64 addr, bool user);
void strobe_mem_string_done(void);

#endif /* _STROBE_FILTER_MEM_H */
