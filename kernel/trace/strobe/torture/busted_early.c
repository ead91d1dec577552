// SPDX-License-Identifier: GPL-2.0
/*
 * Who enters a sub-buffer writes its time stamp, and the end of the one before, when
 * a nested writer may still win.
 */
#define STROBE_BUSTED_EARLY	1
#define TORTURE_OPS		torture_busted_early

#include "torture/busted.h"
