// SPDX-License-Identifier: GPL-2.0
/* A function to put probes on. It is called from another file, so that it is not inlined. */
#include <linux/compiler.h>

#include "bench.h"

struct strobe_bench_link strobe_bench_links[] = {
	{ &strobe_bench_links[1], 1 },
	{ &strobe_bench_links[0], 2 },
};

long strobe_bench_probed(long number, const struct strobe_bench_link *link, const char *string)
{
	barrier();
	return number;
}
