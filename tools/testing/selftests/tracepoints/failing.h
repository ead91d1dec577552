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

/*
 * objpool.c, which probes of returns use, lets vmalloc() warn with a stack trace. Keep warnings off
 * the console, since a stack trace stands for a fault there. Errors, as of KASAN, are printed all
 * the same.
 */
struct quiet {
	long level;	/* of the console */
	long tainted;
};

struct quiet quiet_begin(void);
/* End it. Has no WARN() fired meanwhile? If one has, the log is printed from there on. */
bool quiet_end(const struct quiet *quiet);

#endif
