// SPDX-License-Identifier: GPL-2.0
/*
 * The write side as everybody uses it.
 */
#define TORTURE_OPS	torture_sound
#define TORTURE_SOUND	true

#include "torture/ops.h"
