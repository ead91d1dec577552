// SPDX-License-Identifier: GPL-2.0
/* Some events are not recorded and not counted, as if recording had been left off. */
#define STROBE_BUSTED_OFF	1
#define TORTURE_OPS		torture_busted_off

#include "torture/busted.h"
