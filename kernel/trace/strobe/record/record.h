/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing records: the context in a record's header, and functions for writers
 * other than the probes of events.
 */
#ifndef _STROBE_RECORD_RECORD_H
#define _STROBE_RECORD_RECORD_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/types.h>

#include <linux/strobe/event.h>

#ifdef CONFIG_X86
#include <asm/current.h>
#include <asm/processor-flags.h>
#endif

#include "ring/write.h"

/*
 * The context of a record, at its place in the header seen as a 64-bit word:
 * trace_entry.flags in bits 16-23, trace_entry.preempt_count in bits 24-31.
 */
#define RECORD_CTX_FLAGS_SHIFT	16
#define RECORD_CTX_PC_SHIFT	24
#define RECORD_CTX_DEPTH_MAX	0xfU	/* of each of the two depths */

/*
 * Depth that the tracepoint adds by disabling preemption around probes. It is
 * subtracted: records show the context of the traced code.
 */
#ifdef CONFIG_PREEMPTION
#define RECORD_PROBE_DEPTH	1U
#else
#define RECORD_PROBE_DEPTH	0U
#endif

u32 strobe_record_context_slow(unsigned long irqflags);

static __always_inline u32 record_irq_bit(unsigned long irqflags)
{
#if !defined(CONFIG_TRACE_IRQFLAGS_SUPPORT)
	return TRACE_FLAG_IRQS_NOSUPPORT << RECORD_CTX_FLAGS_SHIFT;
#elif defined(CONFIG_X86)
	/* Shift and invert the bit instead of testing it. [1] */
	BUILD_BUG_ON(X86_EFLAGS_IF << 7 != TRACE_FLAG_IRQS_OFF << RECORD_CTX_FLAGS_SHIFT);
	return (~irqflags & X86_EFLAGS_IF) << 7;
#else
	return irqs_disabled_flags(irqflags) ?
	       TRACE_FLAG_IRQS_OFF << RECORD_CTX_FLAGS_SHIFT : 0;
#endif
}

/* The preemption count, with bit 31 set if the task needs to be rescheduled. */
static __always_inline u32 record_preempt_word(void)
{
#ifdef CONFIG_X86
	/* The per-CPU word has both, but with that bit inverted. [5] */
	return raw_cpu_read_4(pcpu_hot.preempt_count) ^ PREEMPT_NEED_RESCHED;
#else
	return preempt_count() | (u32)test_preempt_need_resched() << 31;
#endif
}

/*
 * Does the context need strobe_record_context_slow()? False for a task at a preemption depth of
 * at most @max.
 */
static __always_inline bool record_context_special(u32 word, u32 max)
{
	if (unlikely(word > max))
		return true;
	/* Other CPUs may set this flag at any time. */
	if (unlikely(data_race(current_thread_info()->flags & _TIF_NEED_RESCHED)))
		return true;
#ifdef CONFIG_SMP
	if (unlikely(current->migration_disabled))
		return true;
#endif
	/* On PREEMPT_RT the preemption count does not include softirqs. */
	return IS_ENABLED(CONFIG_PREEMPT_RT) && softirq_count();
}

/* The context if record_context_special() is false. */
static __always_inline u32 record_context_plain(unsigned long irqflags, u32 word)
{
	return record_irq_bit(irqflags) | word << RECORD_CTX_PC_SHIFT;
}

/**
 * record_context - context of the running code
 *
 * Context: any.
 * Return: flags and preemption depth, shifted by RECORD_CTX_*_SHIFT.
 */
static __always_inline u32 record_context(void)
{
	u32 word = record_preempt_word();
	unsigned long irqflags;

	local_save_flags(irqflags);
	if (unlikely(record_context_special(word, RECORD_CTX_DEPTH_MAX)))
		return strobe_record_context_slow(irqflags);
	return record_context_plain(irqflags, word);
}

/* Called in a probe: the context of the code that fired the event. */
static __always_inline u32 record_probe_context(void)
{
	return record_context() - (RECORD_PROBE_DEPTH << RECORD_CTX_PC_SHIFT);
}

/*
 * As record_probe_context(), but without a call, for which the fast path would save
 * registers. Return: false if strobe_record_context_slow() is needed.
 */
static __always_inline bool record_probe_context_plain(u32 *ctx)
{
	u32 word = record_preempt_word() - RECORD_PROBE_DEPTH;
	unsigned long irqflags;

	if (unlikely(record_context_special(word, RECORD_CTX_DEPTH_MAX - RECORD_PROBE_DEPTH)))
		return false;
	local_save_flags(irqflags);
	*ctx = record_context_plain(irqflags, word);
	return true;
}

/* On little endian, two stores fill in all members of struct trace_entry. */
static __always_inline void record_set_header(void *entry, u32 type, u32 ctx)
{
#ifdef CONFIG_CPU_BIG_ENDIAN
	struct trace_entry *ent = entry;

	ent->type = type;
	ent->flags = ctx >> RECORD_CTX_FLAGS_SHIFT;
	ent->preempt_count = ctx >> RECORD_CTX_PC_SHIFT;
	ent->pid = current->pid;
#else
	u32 *header = entry;

	static_assert(offsetof(struct trace_entry, flags) == 2);
	static_assert(offsetof(struct trace_entry, preempt_count) == 3);
	static_assert(offsetof(struct trace_entry, pid) == 4);
	header[0] = type | ctx;
	header[1] = current->pid;
#endif
}

static __always_inline u32 record_header_ctx(const struct trace_entry *ent)
{
	return ent->flags << RECORD_CTX_FLAGS_SHIFT |
	       (u32)ent->preempt_count << RECORD_CTX_PC_SHIFT;
}

/*
 * Guards against recursion: work on a record may fire events, for which the same work
 * must not be done. @levels has a bit for each level of context (task, softirq, irq, NMI)
 * that does the work on this CPU. Preemption is off. A level that interrupts another one
 * restores the bits before it returns.
 */

/* Return: the level, for record_level_leave(); 0 if the level does the work already. */
static __always_inline u8 record_level_enter(u8 __percpu *levels)
{
	u8 level = BIT(interrupt_context_level());

	if (this_cpu_read(*levels) & level)
		return 0;
	this_cpu_or(*levels, level);
	barrier();	/* Set the bit before the work, which may fire events. */
	return level;
}

static __always_inline void record_level_leave(u8 __percpu *levels, u8 level)
{
	barrier();
	this_cpu_and(*levels, (u8)~level);
}

/*
 * Kinds of handles, as tag bits of an address. See the table at the top of record.c.
 * None set: a struct strobe_ring_cpu, whose outermost writer made the record.
 */
#define RECORD_SCRATCH	BIT(0)	/* struct deferred_record, of which only the filter is left */
#define RECORD_DEFERRED	BIT(1)	/* any other struct deferred_record */
#define RECORD_NESTED	BIT(2)	/* struct strobe_ring_cpu, of a nested writer */
#define RECORD_ATTACHED	BIT(3)	/* no address: a record of perf or BPF */
#define RECORD_TAP	(RECORD_ATTACHED | RECORD_DEFERRED) /* struct deferred_record, of a tap */
#define RECORD_TAGS	(RECORD_SCRATCH | RECORD_DEFERRED | RECORD_NESTED | RECORD_ATTACHED)

struct trace_array;

void *strobe_record_reserve(struct strobe_ring *ring, u16 type, u32 len, u32 ctx,
			    struct strobe_ring_resv *resv);

/* deferred.c, tap.c */
extern struct strobe_ring *strobe_record_spare_ring;
int strobe_record_spare_ring_make(void);

/* marker.c; -EFAULT after "<faulted>" was recorded, -EBADF if nothing could be recorded */
ssize_t strobe_instance_marker_write(struct trace_array *tr, unsigned long ip,
				     const char __user *ubuf, size_t cnt);
ssize_t strobe_instance_marker_write_raw(struct trace_array *tr,
					 const char __user *ubuf, size_t cnt);

/* inject.c; strobe_event_mutex held */
int strobe_event_file_inject(struct trace_event_file *file, char *text);

/* record.c */
void strobe_event_commit_regs(unsigned long handle, struct pt_regs *regs);

/* stack.c; @from is 0 while strobe_event_commit_regs() runs */
DECLARE_PER_CPU(struct pt_regs *, strobe_record_regs);

void strobe_record_stacks(struct trace_array *tr, u32 ctx, unsigned long from);
void strobe_record_kernel_stack(struct strobe_ring *ring, u32 ctx, unsigned long from,
				unsigned int skip);

/* export.c */
void strobe_export_record(const void *entry, u32 len, int kind);
extern unsigned int strobe_export_kinds;

/* console.c */
void strobe_console_print_record(struct trace_event_call *call, void *entry, u32 len);
void __init strobe_console_setup(void);
#if IS_ENABLED(CONFIG_KUNIT)
extern struct console_buffer *strobe_console_buffers;
#endif

#endif /* _STROBE_RECORD_RECORD_H */
