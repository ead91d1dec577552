// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs that write: a CPU sends them to another one or to itself.
 *
 * At most one NMI is pending for a CPU. The sender, in any context but NMI, sets
 * nmi_pending. The handler clears it, and takes the NMI for one of this test only
 * if it was set.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "torture/torture.h"

/* Writes records; set before the handler is registered. */
static void (*nmi_fire)(unsigned int n);

static int torture_nmi(unsigned int reason, struct pt_regs *regs)
{
	struct torture_cpu *me = this_cpu_ptr(&torture_cpus);
	u32 r;

	if (!xchg(&me->nmi_pending, 0))
		return NMI_DONE;
	r = prandom_u32_state(&me->count[TORTURE_NMI].random);
	/* Sometimes more records than a small ring holds. */
	nmi_fire(r % 512 ? 1 + r % 3 : 300);
	return NMI_HANDLED;
}

/* Send an NMI to @cpu, which may be this one. Not from an NMI; preemption is off. */
void torture_nmi_send(int cpu)
{
	struct torture_cpu *tc = per_cpu_ptr(&torture_cpus, cpu);

	if (READ_ONCE(tc->ready) && !xchg(&tc->nmi_pending, 1))
		__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

int torture_nmi_start(void (*fire)(unsigned int n))
{
	nmi_fire = fire;
	return register_nmi_handler(NMI_LOCAL, torture_nmi, 0, "strobe_torture");
}

void torture_nmi_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, "strobe_torture");
}
