// SPDX-License-Identifier: GPL-2.0
/*
 * A program that does nothing, for scripts/bench: what is measured is how it comes to be
 * called. SECTION says what it is attached to, as libbpf names that.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC(SECTION)
int empty(void *ctx)
{
	return 0;
}
