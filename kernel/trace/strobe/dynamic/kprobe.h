/* SPDX-License-Identifier: GPL-2.0 */
/* Kprobe events: shared by kprobe.c, symbol.c and perf.c. */
#ifndef _STROBE_DYNAMIC_KPROBE_H
#define _STROBE_DYNAMIC_KPROBE_H

#include <linux/kprobes.h>

#include "dynamic/dynamic.h"

/**
 * struct dyn_kprobe - a probe at an instruction of the kernel, or at a function's return
 * @probe:  what all kinds have
 * @rp:	    the kprobe is rp.kp; only if a return is probed, there is memory for the rest
 *
 * Without the rest it fits into 192 bytes, so that kmalloc() does not take 256; else into 256.
 */
struct dyn_kprobe {
	struct dyn_probe	probe;
	struct kretprobe	rp;
};

static inline struct dyn_kprobe *dyn_kprobe_of(const struct dyn_probe *probe)
{
	return container_of(probe, struct dyn_kprobe, probe);
}

/* "[MODULE:]SYMBOL", without offset, which the probe owns; NULL: the kprobe has the address */
static inline const char *dyn_kprobe_symbol(const struct dyn_kprobe *kprobe)
{
	return kprobe->rp.kp.symbol_name;
}

/* kprobe.c */
struct dyn_probe *strobe_kprobe_alloc(char *symbol, unsigned long offset, void *addr,
				      bool is_return);
int strobe_kprobe_register(struct dyn_probe *probe);

/* symbol.c */
int strobe_symbol_check(const char *symbol);
int strobe_symbol_check_in(const char *module, const char *name);
bool strobe_symbol_module_is_there(const char *symbol);

#endif /* _STROBE_DYNAMIC_KPROBE_H */
