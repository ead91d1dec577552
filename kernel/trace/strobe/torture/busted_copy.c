// SPDX-License-Identifier: GPL-2.0
/*
 * An iterator that does not check whether a writer changed the sub-buffer while it was
 * copied. The write side is sound; this is a copy of ring/iter.c under other names.
 */
#define STROBE_BUSTED_COPY	1
#define TORTURE_OPS		torture_busted_copy
#define TORTURE_SOUND		false

#define strobe_ring_newest		torture_busted_copy_newest
#define strobe_ring_iter_peek		torture_busted_copy_peek
#define strobe_ring_iter_advance	torture_busted_copy_advance
#define strobe_ring_iter_reset		torture_busted_copy_reset
#define strobe_ring_iter_extend		torture_busted_copy_extend
#define strobe_ring_iter_open		torture_busted_copy_open
#define strobe_ring_iter_close		torture_busted_copy_close
#define strobe_ring_iter_removed	torture_busted_copy_removed

#include "ring/iter.c"

#include "torture/ops.h"
