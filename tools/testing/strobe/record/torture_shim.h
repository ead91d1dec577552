/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gate.c uses, in addition to record.c and deferred.c. Included by -include before each
 * source file of the torture test.
 */
#ifndef _STROBE_RECORD_TORTURE_SHIM_H
#define _STROBE_RECORD_TORTURE_SHIM_H

#include "shim.h"

#define CONFIG_PERF_EVENTS	1

#define try_cmpxchg_release(p, old, new) ({				\
	shim_interrupt();						\
	shim_release();							\
	__atomic_compare_exchange_n(p, old, new, false,			\
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED); })

#endif /* _STROBE_RECORD_TORTURE_SHIM_H */
