// SPDX-License-Identifier: GPL-2.0
/*
 * The outermost writer does not check, after it has published, whether an interrupt
 * committed more records and left it to this writer to publish them.
 */
#define STROBE_BUSTED_PUBLISH	1
#define TORTURE_OPS		torture_busted_publish

#include "torture/busted.h"
