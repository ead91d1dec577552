// SPDX-License-Identifier: GPL-2.0
/*
 * A program that does nothing, for scripts/bench: what is measured is how it comes to be
 * called. SECTION says what it is attached to, as libbpf names that.
 */
__attribute__((section("license"), used)) char LICENSE[] = "GPL";

__attribute__((section(SECTION), used)) int empty(void *ctx)
{
	return 0;
}
