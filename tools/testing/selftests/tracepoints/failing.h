/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that fail, by the kernel's fault injection. Needs CONFIG_FAULT_INJECTION,
 * FAILSLAB, FAIL_PAGE_ALLOC and FAULT_INJECTION_DEBUG_FS.
 */
#ifndef FAILING_TEST_H
#define FAILING_TEST_H

#include <stdbool.h>

/* Set up fault injection for the calling task, if the kernel has it. Call this first. */
bool failing_possible(void);
/* Let the @nth allocation of the task fail, up to fail_end(); 0: none */
void fail_begin(int nth);
/* End it. Did an allocation fail? If not, there were fewer than @nth. */
bool fail_end(void);

#endif
