// SPDX-License-Identifier: GPL-2.0
/*
 * Who publishes does not look whether an interrupt has left its records to him.
 */
#define STROBE_BUSTED_PUBLISH	1
#define TORTURE_OPS		torture_busted_publish

#include "torture/busted.h"
