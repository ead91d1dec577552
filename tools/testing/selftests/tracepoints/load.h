/* SPDX-License-Identifier: GPL-2.0 */
/* A load on all CPUs that fires many kinds of events. */
#ifndef LOAD_TEST_H
#define LOAD_TEST_H

#define LOAD_CPUS	8	/* at most so many CPUs */

/*
 * Run the load until the perf event @counter has counted more than @enough, or for 30 rounds:
 * some kernels are slow. Meanwhile a reader waits at the file @trace_pipe of tracefs.
 */
void load_run(const char *trace_pipe, int counter, long long enough);

#endif
