/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STROBE_BENCH_H
#define _STROBE_BENCH_H

/* The arguments of a probe can follow it. */
struct strobe_bench_link {
	struct strobe_bench_link *next;
	long value;
};

extern struct strobe_bench_link strobe_bench_links[2];

long strobe_bench_probed(long number, const struct strobe_bench_link *link, const char *string);

#if defined(CONFIG_KRETPROBES) && defined(CONFIG_UPROBES)
void strobe_bench_handlers_end(void);
#else
static inline void strobe_bench_handlers_end(void)
{
}
#endif

#endif
