// SPDX-License-Identifier: GPL-2.0
/*
 * A nested writer that has filled the ring goes on, and overwrites what the writers
 * below have not committed.
 */
#define STROBE_BUSTED_WRAP	1
#define TORTURE_OPS		torture_busted_wrap

#include "torture/busted.h"
