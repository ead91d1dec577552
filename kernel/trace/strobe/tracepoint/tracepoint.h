/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STROBE_TRACEPOINT_TRACEPOINT_H
#define _STROBE_TRACEPOINT_TRACEPOINT_H

/*
 * The tracepoint core's interface to the rest of the engine, in addition to the
 * public API in <linux/strobe/tracepoint.h>.
 */

#include <linux/tracepoint.h>

#define TRACEPOINT_BATCH_MAX 64

/**
 * struct tracepoint_batch - connect and disconnect many probes
 * @nr: tracepoints in @tps
 * @tps: tracepoints whose static key is still to be set
 *
 * Probes are published at once, keys are set when the batch is full or ends.
 * Until then trace_NAME_enabled() is stale: a new probe is not called yet, and a
 * call site whose last probe was removed still calls __traceiter_NAME(). The caller
 * provides the memory; strobe_tracepoint_batch_begin() initialises it.
 */
struct tracepoint_batch {
	unsigned int nr;
	struct tracepoint *tps[TRACEPOINT_BATCH_MAX];
};

void strobe_tracepoint_batch_begin(struct tracepoint_batch *batch);
int strobe_tracepoint_batch_register(struct tracepoint_batch *batch, struct tracepoint *tp,
				     void *probe, void *data, int prio);
int strobe_tracepoint_batch_unregister(struct tracepoint_batch *batch, struct tracepoint *tp,
				       void *probe, void *data);
void strobe_tracepoint_batch_end(struct tracepoint_batch *batch);

/* The list of the built-in tracepoints, from the linker. */
extern tracepoint_ptr_t __start___tracepoints_ptrs[];
extern tracepoint_ptr_t __stop___tracepoints_ptrs[];

/* Shared by the files of this directory. */
#ifdef CONFIG_MODULES
void strobe_tracepoints_forget(const struct module *mod);
void strobe_tracepoint_target_forget(struct tracepoint *tp, void *priv);
#endif

/* For the tests in this directory. */
#if IS_ENABLED(CONFIG_KUNIT)
struct tracepoint_probes *strobe_tracepoint_probes_alloc(unsigned int nr);
bool strobe_tracepoint_gp_passed(unsigned long gp);
#endif
#if IS_ENABLED(CONFIG_STROBE_KUNIT_TEST)
const char *strobe_tracepoint_check(struct tracepoint *tp);
void strobe_tracepoint_direct_flush(void);
#endif

#endif /* _STROBE_TRACEPOINT_TRACEPOINT_H */
