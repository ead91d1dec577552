/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers and stacks. Where the architecture has no interface for them, there are no probes,
 * only events of processes, and none of this is called.
 */
#ifndef _STROBE_DYNAMIC_REGS_H
#define _STROBE_DYNAMIC_REGS_H

#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/ptrace.h>

/* ARCH=um sets CONFIG_X86_64, too, and has registers and addresses of its own. */
#define DYN_X86_64	(IS_ENABLED(CONFIG_X86_64) && !IS_ENABLED(CONFIG_UML))

#ifndef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API

static inline int regs_query_register_offset(const char *name)
{
	return -EINVAL;
}

static inline unsigned long regs_get_register(struct pt_regs *regs, unsigned int offset)
{
	return 0;
}

static inline unsigned long regs_get_kernel_stack_nth(struct pt_regs *regs, unsigned int n)
{
	return 0;
}

static inline unsigned long kernel_stack_pointer(struct pt_regs *regs)
{
	return 0;
}

#endif /* !CONFIG_HAVE_REGS_AND_STACK_ACCESS_API */

#endif /* _STROBE_DYNAMIC_REGS_H */
