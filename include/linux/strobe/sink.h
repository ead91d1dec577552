/* SPDX-License-Identifier: GPL-2.0 */
/* What a probe calls to record its event. */
#ifndef _LINUX_STROBE_SINK_H
#define _LINUX_STROBE_SINK_H

#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/strobe/entry.h>
#include <linux/types.h>

struct pt_regs;
struct strobe_ring;
struct task_struct;
struct trace_event_call;

/**
 * struct strobe_sink - where a probe's records go; the probe's data pointer
 * @gate:	0: the fast path.  Else STROBE_GATE_* bits, each a reason for
 *		strobe_event_reserve() to take a slow path.
 * @ring:	the instance's ring
 * @call:	the event, with STROBE_GATE_ATTACHED or STROBE_GATE_TAP
 * @type:	the event's id
 *
 * Written by instance/ or attach/, read in any context with preemption off.
 */
struct strobe_sink {
	unsigned long			gate;
	union {
		struct strobe_ring	*ring;
		struct trace_event_call	*call;
	};
	u32				type;
};

#define STROBE_GATE_SOFT_DISABLED	BIT(0)
#define STROBE_GATE_PID			BIT(1)	/* set_event_pid */
#define STROBE_GATE_FILTER		BIT(2)
#define STROBE_GATE_TRIGGER		BIT(3)	/* the event file has triggers */
#define STROBE_GATE_STACKTRACE		BIT(4)	/* option stacktrace or userstacktrace */
#define STROBE_GATE_PRINTK		BIT(5)	/* tp_printk: also print it to the console */
#define STROBE_GATE_EXPORT		BIT(6)	/* register_ftrace_export(): also export it */
#define STROBE_GATE_TRIGGER_RECORD	BIT(7)	/* some of the triggers read the record */
#define STROBE_GATE_ATTACHED		BIT(8)	/* sink of perf and BPF, not of an instance */
#define STROBE_GATE_ASKS		BIT(9)	/* with ATTACHED: needs a struct strobe_sample */
#define STROBE_GATE_TAP			BIT(10)	/* sink of a struct strobe_tap, in record/tap.h */

/**
 * struct strobe_reserved - a reserved record, returned in two registers
 * @entry:	the payload; NULL: do not record
 * @handle:	for strobe_event_commit()
 */
struct strobe_reserved {
	void		*entry;
	unsigned long	handle;
};

#define STROBE_NOT_RESERVED	((struct strobe_reserved) { })

/**
 * struct strobe_sample - data for perf in addition to the record
 * @count: the sample's count
 * @task:  another task that the event is also counted for; NULL: none
 * @regs:  registers at the event; NULL: those at the call of the probe
 */
struct strobe_sample {
	u64			count;
	struct task_struct	*task;
	struct pt_regs		*regs;
};

struct strobe_reserved strobe_event_reserve_words(struct strobe_sink *sink, unsigned long words);
struct strobe_reserved strobe_event_reserve_sample(struct strobe_sink *sink, unsigned long words,
						   const struct strobe_sample *sample);
void strobe_event_commit(unsigned long handle);

/*
 * Call strobe_event_reserve_words().  If a function receives a struct in two registers, GCC
 * gives it a frame pointer on x86-64, where the kernel's stack has less than the alignment
 * of such a struct: three instructions more in each probe.  An asm statement receives two
 * registers without that.  (The stack of UML has the alignment.  KMSAN tells a function by
 * the caller's code which arguments are initialized.)
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML) && !defined(CONFIG_FRAME_POINTER) && \
	!defined(CONFIG_KMSAN)
static __always_inline struct strobe_reserved
strobe_event_call_reserve(struct strobe_sink *sink, unsigned long words)
{
	unsigned long handle;
	void *entry;

	asm volatile("call strobe_event_reserve_words"
		     : "=a" (entry), "=d" (handle), "+D" (sink), "+S" (words)
		     : : "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
	return (struct strobe_reserved) { .entry = entry, .handle = handle };
}
#else
#define strobe_event_call_reserve	strobe_event_reserve_words
#endif

/**
 * strobe_event_reserve - reserve an event's record
 * @sink: the probe's data pointer
 * @len:  size of the payload in bytes, with struct trace_entry
 *
 * If the class's has_sample is set and the result has a handle but no entry, the probe
 * must call strobe_event_reserve_sample() instead.
 *
 * Inline, so that nothing is computed at run time if @len is constant.
 *
 * Context: any, preemption off until strobe_event_commit().
 * Return: the payload, aligned to 4 bytes. Its struct trace_entry has been filled in, or
 *	   for some deferred records will be at commit.
 */
static __always_inline struct strobe_reserved
strobe_event_reserve(struct strobe_sink *sink, unsigned long len)
{
	unsigned long words = DIV_ROUND_UP(len, sizeof(u32));

	if (!__builtin_constant_p(words))
		OPTIMIZER_HIDE_VAR(words);	/* Reuse @len's register: saves an instruction. */
	if (unlikely(words > STROBE_WORDS_STRAIGHT)) {
		OPTIMIZER_HIDE_VAR(words);	/* Make the compiler use a jump: saves four. */
		words = min(words, STROBE_WORDS_MASK) | STROBE_WORDS_SLOW;
	}
	return strobe_event_call_reserve(sink, words);
}

#endif /* _LINUX_STROBE_SINK_H */
