// SPDX-License-Identifier: GPL-2.0
/*
 * A discarded record that became padding, as others follow it, stays in the count of the
 * state word.
 */
#define STROBE_BUSTED_COUNT	1
#define TORTURE_OPS		torture_busted_count

#include "torture/busted.h"
