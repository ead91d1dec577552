// SPDX-License-Identifier: GPL-2.0
/*
 * A discarded record's time stays in last_ts, and its word in last_word, which may become
 * the state word again with another record.
 */
#define STROBE_BUSTED_LAST	1
#define TORTURE_OPS		torture_busted_last

#include "torture/busted.h"
