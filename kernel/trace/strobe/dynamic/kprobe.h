/* SPDX-License-Identifier: GPL-2.0 */
/* Kprobe events: shared by kprobe.c, symbol.c and kprobe_perf.c. */
#ifndef _STROBE_DYNAMIC_KPROBE_H
#define _STROBE_DYNAMIC_KPROBE_H

#include <linux/kprobes.h>

#include "dynamic/dynamic.h"

/**
 * struct dyn_kprobe - a probe at an instruction of the kernel, or at a function's return
 * @probe:  what all kinds have
 * @rp:	    the kprobe is rp.kp; the rest is used if a return is probed
 *
 * It fits into 256 bytes, so that kmalloc() does not take 512.
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

static inline bool dyn_kprobe_is_return(const struct dyn_kprobe *kprobe)
{
	return kprobe->rp.handler;
}

/* kprobe.c */
void strobe_kprobe_setup(struct dyn_kprobe *kprobe, char *symbol, unsigned long offset,
			 void *addr, bool is_return);
int strobe_kprobe_register(struct dyn_kprobe *kprobe);

/* symbol.c */
int strobe_symbol_check(const char *symbol);
int strobe_symbol_check_in(const char *module, const char *name);
bool strobe_symbol_module_is_there(const char *symbol);

#endif /* _STROBE_DYNAMIC_KPROBE_H */
