// SPDX-License-Identifier: GPL-2.0
/* The state of the running test, which all its tasks and interrupts share. */
#include "torture/torture.h"

struct torture torture;

DEFINE_PER_CPU_ALIGNED(struct torture_cpu, torture_cpus);
