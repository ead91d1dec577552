// SPDX-License-Identifier: GPL-2.0
/*
 * Stack traces, recorded as separate records after the record that they belong to.
 *
 * A trace is saved to the stack first, as its length is not known. If it is longer than the
 * room there, its frames are counted, and the rest of it is saved to the record itself.
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

/* Frames that are saved at once. Few traces are longer. */
#define STACK_FRAMES_FEW	64
/* Maximum number of frames, as with classic; deeper ones are not recorded. */
#define STACK_FRAMES_MAX	1024

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
 * Save up to @nr frames, without the first @skip. All calls have to be in one function: the
 * unwinder counts from there.
 */
static __always_inline unsigned int frames_save(struct pt_regs *regs, unsigned long *frames,
						unsigned int nr, unsigned int skip)
{
	if (regs)
		return stack_trace_save_regs(regs, frames, nr, skip);
	return stack_trace_save(frames, nr, skip);
}

/* The number of frames that a record can have */
static unsigned int frames_max(const struct strobe_ring *ring)
{
	u32 bytes = ring ? strobe_ring_max_payload(ring) : 0;
	const struct stack_entry *entry;

	if (bytes < sizeof(*entry))
		return 0;
	return min((bytes - sizeof(*entry)) / sizeof(entry->caller[0]), STACK_FRAMES_MAX);
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
	struct pt_regs *regs = from ? NULL : this_cpu_read(strobe_record_regs);
	unsigned long frames[STACK_FRAMES_FEW];
	unsigned int nr, few, more, first = skip;
	struct strobe_ring_resv resv;
	struct stack_entry *entry;
	u8 level = record_level_enter(&stack_busy);

	if (!level)
		return;
	few = frames_save(regs, frames, STACK_FRAMES_FEW, 0);
	/* The unwinder cannot begin at an address. */
	if (!regs)
		first += frames_find(frames, few, from);
	first = min(few, first);
	nr = few - first;
	if (few == STACK_FRAMES_FEW) {
		do {
			more = frames_save(regs, frames, STACK_FRAMES_FEW, first + nr);
			nr += more;
		} while (more == STACK_FRAMES_FEW && nr < STACK_FRAMES_MAX);
		nr = min(nr, frames_max(ring));
	}
	entry = strobe_record_reserve(ring, TRACE_STACK, struct_size(entry, caller, nr),
				      ctx, &resv);
	if (entry) {
		if (few == STACK_FRAMES_FEW)
			nr = frames_save(regs, entry->caller, nr, first);
		else
			memcpy(entry->caller, frames + first, nr * sizeof(frames[0]));
		entry->size = nr;
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
