/* SPDX-License-Identifier: GPL-2.0 */
/* The header of each record, and the sizes of records. */
#ifndef _LINUX_STROBE_ENTRY_H
#define _LINUX_STROBE_ENTRY_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/limits.h>

/*
 * The header of every record's payload: ABI, described in each format file.
 * @type is the event's id, @flags are TRACE_FLAG_* bits, @preempt_count is
 * the preemption depth in the low and the migrate-disable depth in the high
 * four bits, @pid is the recording task's.
 */
struct trace_entry {
	unsigned short		type;
	unsigned char		flags;
	unsigned char		preempt_count;
	int			pid;
};

static_assert(sizeof(struct trace_entry) == 8);

#define TRACE_EVENT_TYPE_MAX	U16_MAX

/* struct trace_entry::flags: ABI too. */
#define TRACE_FLAG_IRQS_OFF		BIT(0)
#define TRACE_FLAG_IRQS_NOSUPPORT	BIT(1)	/* the arch can't tell */
#define TRACE_FLAG_NEED_RESCHED		BIT(2)
#define TRACE_FLAG_HARDIRQ		BIT(3)
#define TRACE_FLAG_SOFTIRQ		BIT(4)
#define TRACE_FLAG_PREEMPT_RESCHED	BIT(5)
#define TRACE_FLAG_NMI			BIT(6)
#define TRACE_FLAG_BH_OFF		BIT(7)

/*
 * Sizes of records in units, as strobe_event_reserve_words() takes them.  The fast path
 * has no test for sizes above STROBE_WORDS_STRAIGHT, which it does not handle: they get
 * a high bit set, so that they do not fit in the current sub-buffer.  An offset in a
 * sub-buffer can be added to any of them without reaching the sign of an int.
 */
#define STROBE_WORDS_STRAIGHT	28U
#define STROBE_WORDS_SLOW	BIT(29)
#define STROBE_WORDS_MASK	(STROBE_WORDS_SLOW - 1)

#endif /* _LINUX_STROBE_ENTRY_H */
