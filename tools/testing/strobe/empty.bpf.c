// SPDX-License-Identifier: GPL-2.0
/*
 * An empty program for scripts/bench, which measures the cost of calling it. SECTION is what
 * it is attached to, in the syntax of libbpf.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC(SECTION)
int empty(void *ctx)
{
	return 0;
}
