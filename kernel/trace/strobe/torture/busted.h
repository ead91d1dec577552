/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A deliberately broken write side: another copy of ring/write.c under other names.
 * The including file defines TORTURE_OPS and one STROBE_BUSTED_* of ring/internal.h.
 */
#include <linux/args.h>

#define strobe_ring_reserve_slow	CONCATENATE(TORTURE_OPS, _reserve_slow)
#define strobe_ring_reserve_open	CONCATENATE(TORTURE_OPS, _reserve_open)
#define strobe_ring_leave_slow		CONCATENATE(TORTURE_OPS, _leave_slow)
#define strobe_ring_discard		CONCATENATE(TORTURE_OPS, _discard)
#define strobe_ring_drop		CONCATENATE(TORTURE_OPS, _drop)

#include "ring/write.c"

#define TORTURE_SOUND	false

#include "torture/ops.h"
