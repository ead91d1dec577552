// SPDX-License-Identifier: GPL-2.0
/*
 * Stack traces, recorded as separate records after the record that they belong to.
 *
 * States: stack_busy has the levels of context in which a stack is being recorded.
 * Unwinding may take a fault or run code with tracepoints; these bits prevent their
 * records from getting a stack trace in turn.
 *
 * Contexts: any, preemption off. Locks and barriers: none. All data is CPU-local, and
 * a level that interrupts another one restores the bits before it returns.
 */
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "event/ftrace_entries.h"
#include "record/record.h"
#include "record/trace_array.h"

/* Where stack traces of the record that is being committed begin, if it has no address. */
DEFINE_PER_CPU(struct pt_regs *, strobe_record_regs);

#ifdef CONFIG_STACKTRACE

/* Maximum number of frames; deeper ones are not recorded. */
#define STACK_FRAMES_MAX	64

static DEFINE_PER_CPU(u8, stack_busy);

/* Return: index of the frame with address @from; 0 if there is none. */
static unsigned int frames_find(const unsigned long *frames, unsigned int nr,
				unsigned long from)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (frames[i] == from)
			return i;
	}
	return 0;
}

/*
 * Save the frames from @from on, or all. Return: number of frames to skip besides, as the
 * unwinder cannot begin at an address.
 */
static unsigned int frames_save(unsigned long *frames, unsigned int *nr, unsigned long from)
{
	struct pt_regs *regs = from ? NULL : this_cpu_read(strobe_record_regs);

	if (regs) {
		*nr = stack_trace_save_regs(regs, frames, STACK_FRAMES_MAX, 0);
		return 0;
	}
	*nr = stack_trace_save(frames, STACK_FRAMES_MAX, 0);
	return frames_find(frames, *nr, from);
}

/**
 * strobe_record_kernel_stack - record a kernel stack trace of the running code
 * @ring: the instance's ring; NULL if it has none yet
 * @ctx:  from record_context()
 * @from: return address in the frame that the trace begins with; 0: see
 *	  strobe_event_commit_regs()
 * @skip: number of frames to skip from there
 *
 * Context: any, preemption off.
 */
notrace void strobe_record_kernel_stack(struct strobe_ring *ring, u32 ctx,
					unsigned long from, unsigned int skip)
{
	unsigned long frames[STACK_FRAMES_MAX];
	struct strobe_ring_resv resv;
	struct stack_entry *entry;
	unsigned int nr, first;
	u8 level = record_level_enter(&stack_busy);

	if (!level)
		return;
	first = frames_save(frames, &nr, from);
	first = min(nr, first + skip);
	nr -= first;
	entry = strobe_record_reserve(ring, TRACE_STACK, struct_size(entry, caller, nr),
				      ctx, &resv);
	if (entry) {
		entry->size = nr;
		memcpy(entry->caller, frames + first, nr * sizeof(frames[0]));
		strobe_ring_commit(&resv);
	}
	record_level_leave(&stack_busy, level);
}

#ifdef CONFIG_USER_STACKTRACE_SUPPORT
static notrace void record_user_stack(struct strobe_ring *ring, u32 ctx)
{
	unsigned long frames[FTRACE_STACK_ENTRIES] = { };
	struct userstack_entry *entry;
	struct strobe_ring_resv resv;
	u8 level;

	/* Reading user memory may fault, which NMIs cannot handle. */
	level = in_nmi() ? 0 : record_level_enter(&stack_busy);
	if (!level)
		return;
	stack_trace_save_user(frames, ARRAY_SIZE(frames));
	entry = strobe_record_reserve(ring, TRACE_USER_STACK, sizeof(*entry), ctx, &resv);
	if (entry) {
		entry->tgid = current->tgid;
		memcpy(entry->caller, frames, sizeof(frames));
		strobe_ring_commit(&resv);
	}
	record_level_leave(&stack_busy, level);
}
#else
static inline void record_user_stack(struct strobe_ring *ring, u32 ctx) { }
#endif

/**
 * strobe_record_stacks - record an event's stack traces as the instance's options say
 * @tr:   the instance
 * @ctx:  context of the record that they belong to
 * @from: return address in the frame that the kernel stack trace begins with
 *
 * Context: any, preemption off.
 */
notrace void strobe_record_stacks(struct trace_array *tr, u32 ctx, unsigned long from)
{
	unsigned int options = READ_ONCE(tr->options);

	if (options & STROBE_OPT_STACKTRACE)
		strobe_record_kernel_stack(tr->ring, ctx, from, 0);
	if (options & STROBE_OPT_USERSTACKTRACE)
		record_user_stack(tr->ring, ctx);
}

#else /* !CONFIG_STACKTRACE */

notrace void strobe_record_kernel_stack(struct strobe_ring *ring, u32 ctx,
					unsigned long from, unsigned int skip)
{
}

notrace void strobe_record_stacks(struct trace_array *tr, u32 ctx, unsigned long from) { }

#endif /* CONFIG_STACKTRACE */
