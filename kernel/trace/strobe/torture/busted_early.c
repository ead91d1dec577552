// SPDX-License-Identifier: GPL-2.0
/*
 * A writer that enters a sub-buffer writes its time stamp, and the end of the previous
 * one, while a nested writer may still enter it first.
 */
#define STROBE_BUSTED_EARLY	1
#define TORTURE_OPS		torture_busted_early

#include "torture/busted.h"
