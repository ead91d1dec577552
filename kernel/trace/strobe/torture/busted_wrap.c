// SPDX-License-Identifier: GPL-2.0
/*
 * A nested writer that has filled the ring overwrites records that the writers it
 * interrupted have not committed.
 */
#define STROBE_BUSTED_WRAP	1
#define TORTURE_OPS		torture_busted_wrap

#include "torture/busted.h"
