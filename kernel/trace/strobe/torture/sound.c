// SPDX-License-Identifier: GPL-2.0
/*
 * The unmodified write side.
 */
#define TORTURE_OPS	torture_sound
#define TORTURE_SOUND	true

#include "torture/ops.h"
