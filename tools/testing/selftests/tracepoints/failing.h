/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that fail, by the kernel's fault injection. Needs CONFIG_FAULT_INJECTION,
 * FAILSLAB, FAIL_PAGE_ALLOC and FAULT_INJECTION_DEBUG_FS.
 */
#ifndef FAILING_TEST_H
#define FAILING_TEST_H

#include <stdbool.h>

/* Can this kernel be made to fail? To be asked first, by the task that is to see it. */
bool failing_possible(void);
/* Between these two the task's @nth allocation fails; 0: none */
void fail_begin(int nth);
/* Has it? Else there were fewer. */
bool fail_end(void);

#endif
