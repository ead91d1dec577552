// SPDX-License-Identifier: GPL-2.0
/*
 * The path of a record to perf and to BPF programs: from the event's probe into the
 * scratch memory, and from there to the programs and the perf events.
 *
 * An attached event has one more probe with its own sink, whose gate directs it here. The
 * probe assigns the fields as it does for a ring. Then the programs run on the record, and
 * unless one of them rejects it, it goes to the perf events that are counting on this CPU.
 * If the event has no programs and nothing counts, no record is reserved.
 *
 * The scratch of a CPU is a stack of frames, each of which can hold a short record (most
 * are short), and a stack of bytes for longer ones. An interrupt uses the next frame, and
 * pops it before it returns. The first frame is not used. The scratch is allocated when
 * the first event is attached, and freed when no probe of an attached event can run.
 *
 * States of a frame
 *	plain	@sample, @entry and @moved have the values that frame_init() set
 *	special	one of them has another value, set by reserve or because a program asked
 *		for registers; popping the frame resets them
 *
 * Recursion: an event that fires while perf delivers another is delivered only if it is
 * in another context (task, softirq, irq, NMI), as for all of perf's software events.
 * Programs do not nest at all, see programs.h.
 *
 * Contexts: any, NMI included, preemption off. Nothing here can be traced by events.
 * Locks: none, except strobe_event_mutex to allocate and free the scratch.
 * Barriers: only the compiler's, as all state is CPU-local.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/topology.h>

#include "attach/attach.h"
#include "attach/caller.h"
#include "attach/programs.h"
#include "event/event.h"
#include "record/record.h"
#include "record/sink.h"

/**
 * struct attached_frame - a record between reserve and commit
 * @at:      the event
 * @programs: BPF programs to run first, or NULL
 * @words:   length of the record in units, without STROBE_WORDS_SLOW
 * @entry:   the record. It begins with a pointer to @regs, where BPF helpers expect it in
 *	     a program's context. perf_trace_buf_update() overwrites it with the header
 * @special: the frame's state is special
 * @moved:   @regs are those of the call of the tracepoint, not of the probe
 * @sample:  count, task and registers for perf; the latter are never NULL, mostly @regs
 * @regs:    only members that perf_arch_fetch_caller_regs() sets are ever non-zero
 * @turn:    the run of the programs
 * @rctx:    perf's recursion context, which perf_tp_event() ends
 * @record:  a short record, and the padding that perf needs after it
 */
struct attached_frame {
	struct attached			*at;
	const struct bpf_prog_array	*programs;
	unsigned long			words;
	void				*entry;
	bool				special;
	bool				moved;
	struct strobe_sample		sample;
	struct pt_regs			regs;
	struct program_turn		turn;
	int				rctx;
	u32				record[STROBE_WORDS_STRAIGHT + 1] __aligned(8);
} __aligned(512);

/* The frames of a CPU are aligned to FRAMES_BYTES: the last one ends at a multiple of it. */
#define FRAMES_MAX	16
#define FRAMES_BYTES	(FRAMES_MAX * sizeof(struct attached_frame))
/* kmalloc() aligns powers of two. x86 has 512 bytes a frame, arm64 has more registers. */
static_assert(!(FRAMES_BYTES & (FRAMES_BYTES - 1)));
/* One record of perf's maximum length for each context, or more shorter ones. */
#define LONG_BYTES	(4 * PERF_MAX_TRACE_SIZE)

/* Address of the last frame in use. */
static DEFINE_PER_CPU(unsigned long, attached_top);
static DEFINE_PER_CPU(struct attached_frame *, attached_frames);
static DEFINE_PER_CPU(void *, attached_long);
/* Bytes of attached_long in use. */
static DEFINE_PER_CPU(unsigned long, attached_long_used);
static unsigned int scratch_users;

static __always_inline struct attached_frame *frame_last(void)
{
	return (struct attached_frame *)this_cpu_read(attached_top);
}

static __always_inline bool frame_push(struct attached *at, unsigned long words,
				       const struct bpf_prog_array *programs,
				       struct attached_frame **frame)
{
	unsigned long place = this_cpu_read(attached_top) + sizeof(struct attached_frame);

	if (unlikely(place % FRAMES_BYTES == 0))
		return false;
	this_cpu_write(attached_top, place);
	barrier();	/* Take the frame before writing to it. */
	*frame = (struct attached_frame *)place;
	(*frame)->at = at;
	(*frame)->words = words;
	(*frame)->programs = programs;
	return true;
}

/*
 * Length of the record in bytes, and the length to pass to perf: perf puts a length of
 * four bytes before the record, and the sum must be a multiple of eight.
 */
static unsigned long words_bytes(unsigned long words)
{
	return words * sizeof(u32);
}

static unsigned long words_perf_bytes(unsigned long words)
{
	return ALIGN(words_bytes(words) + sizeof(u32), sizeof(u64)) - sizeof(u32);
}

/*
 * Clear the last eight bytes of a record: the compiler may have put padding there, and
 * programs must not see old data either. In a record of two or three units they overlap
 * the pointer to the registers, which is therefore set afterwards.
 */
static __always_inline struct strobe_reserved
frame_reserved(struct attached_frame *frame, void *entry, unsigned long words)
{
	*(u64 *)(entry + words * sizeof(u32) - sizeof(u64)) = 0;
	*(struct pt_regs **)entry = &frame->regs;
	return (struct strobe_reserved) { entry, RECORD_ATTACHED };
}

/* Reserve bytes for a long record. False if it is too long or they are used up. */
static notrace bool frame_make_long(struct attached_frame *frame)
{
	unsigned long used = this_cpu_read(attached_long_used);
	unsigned long bytes = words_perf_bytes(frame->words) + sizeof(u32);

	if (unlikely(bytes > PERF_MAX_TRACE_SIZE)) {
		printk_deferred_once("trace event %s: a record of %lu bytes is too long for perf\n",
				     trace_event_name(frame->at->sink.call),
				     words_bytes(frame->words));
		return false;
	}
	if (used + bytes > LONG_BYTES)
		return false;
	this_cpu_write(attached_long_used, used + bytes);
	barrier();	/* Take the bytes before writing to them. */
	frame->entry = this_cpu_read(attached_long) + used;
	return true;
}

static __always_inline void frame_pop_plain(struct attached_frame *frame)
{
	barrier();	/* Read the frame before releasing it. */
	this_cpu_write(attached_top, (unsigned long)(frame - 1));
}

static noinline notrace void frame_pop_special(struct attached_frame *frame)
{
	if (frame->entry != frame->record)
		this_cpu_sub(attached_long_used,
			     words_perf_bytes(frame->words) + sizeof(u32));
	frame->entry = frame->record;
	frame->sample = (struct strobe_sample) { .count = 1, .regs = &frame->regs };
	frame->special = false;
	frame->moved = false;
	frame_pop_plain(frame);
}

static __always_inline void frame_pop(struct attached_frame *frame)
{
	if (unlikely(frame->special))
		return frame_pop_special(frame);
	frame_pop_plain(frame);
}

static __always_inline bool perf_is_there(struct attached *at)
{
	return !hlist_empty(this_cpu_ptr(at->events));
}

/*
 * Programs that run on the record. Those of kprobes and uprobes have the registers for a
 * context, and their event runs them before it makes a record.
 */
static __always_inline const struct bpf_prog_array *record_programs(const struct attached *at)
{
	const struct trace_event_call *call = at->sink.call;

	return call->flags & TRACE_EVENT_FL_UKPROBE ? NULL : event_programs(call);
}

/**
 * strobe_attached_wants - whether a record would have a reader
 * @sink: the sink of an attached event
 *
 * Context: any, preemption off.
 */
notrace bool strobe_attached_wants(struct strobe_sink *sink)
{
	struct attached *at = container_of(sink, struct attached, sink);

	return perf_is_there(at) || record_programs(at);
}

/* @sample: NULL if perf needs only the record */
static noinline notrace struct strobe_reserved
reserve_special(struct attached *at, unsigned long words, const struct strobe_sample *sample)
{
	struct attached_frame *frame;

	if (!frame_push(at, words, record_programs(at), &frame))
		return STROBE_NOT_RESERVED;
	frame->special = true;
	if (sample) {
		frame->sample = *sample;
		if (!sample->regs)
			frame->sample.regs = &frame->regs;
	}
	if (words > STROBE_WORDS_STRAIGHT && !frame_make_long(frame)) {
		frame_pop_special(frame);
		return STROBE_NOT_RESERVED;
	}
	/* Fields do not cover padding, nor the bytes after the end of a short string. */
	if (!READ_ONCE(at->words_straight))
		memset(frame->entry, 0, words_bytes(words));
	return frame_reserved(frame, frame->entry, words);
}

static notrace struct strobe_reserved
attached_reserve_sample(struct strobe_sink *sink, unsigned long words,
			const struct strobe_sample *sample)
{
	struct attached *at = container_of(sink, struct attached, sink);

	if (!record_programs(at) && !perf_is_there(at) && !sample->task)
		return STROBE_NOT_RESERVED;
	return reserve_special(at, words, sample);
}

/*
 * All frames are in use. A tail call: otherwise GCC merges this with the return of a record.
 * [3; see record/record.c]
 */
static noinline notrace struct strobe_reserved reserve_full(void)
{
	return STROBE_NOT_RESERVED;
}

/*
 * Reserve a short record and clear it, for raw samples. memset() uses rep stos, which
 * takes longer to start than this loop takes in all; WRITE_ONCE() keeps the compiler from
 * turning the loop into memset().
 */
static notrace struct strobe_reserved reserve_cleared(struct attached *at, unsigned long words)
{
	unsigned long end = words * sizeof(u32);
	struct attached_frame *frame;

	if (unlikely(!frame_push(at, words, event_programs(at->sink.call), &frame)))
		return reserve_full();
	/* frame_reserved() sets the first eight bytes. */
	for (; end > sizeof(u64); end -= sizeof(u64))
		WRITE_ONCE(*(u64 *)((void *)frame->record + end - sizeof(u64)), 0);
	return frame_reserved(frame, frame->record, words);
}

/* The record is long or must be cleared. */
static noinline notrace struct strobe_reserved
reserve_not_straight(struct attached *at, unsigned long words)
{
	if (words > STROBE_WORDS_STRAIGHT)
		return reserve_special(at, words & STROBE_WORDS_MASK, NULL);
	return reserve_cleared(at, words);
}

static notrace struct strobe_reserved
attached_reserve(struct strobe_sink *sink, unsigned long words)
{
	struct attached *at = container_of(sink, struct attached, sink);
	const struct bpf_prog_array *programs = event_programs(at->sink.call);
	struct attached_frame *frame;

	if (!programs && !perf_is_there(at))
		return STROBE_NOT_RESERVED;
	if (unlikely(words > READ_ONCE(at->words_straight)))
		return reserve_not_straight(at, words);
	if (unlikely(!frame_push(at, words, programs, &frame)))
		return reserve_full();
	return frame_reserved(frame, frame->record, words);
}

/* Set the registers of a special frame to the call of the tracepoint, once. */
static noinline notrace void special_find_caller(struct attached_frame *frame)
{
	if (frame->moved)
		return;
	frame->moved = true;
	caller_fetch_regs(frame->at, &frame->regs);
}

/*
 * Pass the record to the perf events that are counting on this CPU and to those of the
 * sample's task, and pop the frame. perf_tp_event() calls perf_trace_buf_update() to fill
 * in the header, and ends the recursion context. That context is taken first, because
 * later steps, such as the unwinder's lookup of symbols, can fire events.
 */
static noinline notrace void commit_sample(void)
{
	int rctx = perf_swevent_get_recursion_context();
	struct attached_frame *frame;
	unsigned long bytes, size;

	frame = frame_last();
	if (unlikely(rctx < 0))
		return frame_pop(frame);
	frame->rctx = rctx;
	if (likely(!frame->special))
		caller_fetch_regs(frame->at, &frame->regs);
	else if (frame->sample.regs == &frame->regs)
		special_find_caller(frame);
	bytes = words_bytes(frame->words);
	size = words_perf_bytes(frame->words);
	/* The padding is one unit, if any. */
	if (size > bytes)
		*(u32 *)(frame->entry + bytes) = 0;
	perf_tp_event(frame->at->sink.type, frame->sample.count, frame->entry, size,
		      frame->sample.regs, this_cpu_ptr(frame->at->events), frame->rctx,
		      frame->sample.task);
	frame_pop(frame);
}

/* The programs cannot run now, so perf does not get the record either. */
static noinline notrace void commit_missed(struct attached_frame *frame)
{
	programs_missed(frame->programs);
	frame_pop(frame);
}

/*
 * Without CONFIG_STROBE_CALL_SITE, the registers of a sample may be those of attached_commit().
 * Its frame stays while perf unwinds it: the call before this is no jump.
 */
static __always_inline void keep_frame(void)
{
	if (!IS_ENABLED(CONFIG_STROBE_CALL_SITE))
		barrier();
}

static notrace void attached_commit(unsigned long from)
{
	struct attached_frame *frame = frame_last();
	u32 verdict;

	caller_regs(&frame->regs, from);
	if (!frame->programs) {
		commit_sample();
		return keep_frame();
	}
	if (!programs_begin(&frame->turn))
		return commit_missed(frame);
	verdict = programs_run(frame->programs, frame->entry, &frame->turn);
	programs_end(&frame->turn);
	if (!verdict || !perf_is_there(frame->at))
		return frame_pop(frame);
	commit_sample();
	keep_frame();
}

#ifdef CONFIG_BPF_EVENTS

/**
 * trace_program_regs - return the registers for a program's context
 * @ctx: the context
 *
 * For helpers of programs on trace events, which put them into samples, or take a stack
 * trace from them. Only programs that use such a helper pay for finding the call of the
 * tracepoint.
 *
 * Context: any, preemption off; while the program runs.
 * Return: never NULL
 */
notrace struct pt_regs *trace_program_regs(void *ctx)
{
	struct pt_regs *regs = *(struct pt_regs **)ctx;
	struct attached_frame *frame = container_of(regs, struct attached_frame, regs);

	frame->special = true;
	special_find_caller(frame);
	return regs;
}

#endif

static noinline notrace void set_header_slow(void *record, u16 type)
{
	record_set_header(record, type, record_probe_context());
}

/**
 * perf_trace_buf_update - fill in a record's header
 * @record: the record
 * @type:   the event's id
 *
 * Called by perf_tp_event(), which only commit_sample() calls.
 *
 * Context: any, preemption off.
 */
notrace void perf_trace_buf_update(void *record, u16 type)
{
	u32 ctx;

	if (unlikely(!record_probe_context_plain(&ctx)))
		return set_header_slow(record, type);
	record_set_header(record, type, ctx);
}

static void scratch_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kfree(per_cpu(attached_frames, cpu));
		kfree(per_cpu(attached_long, cpu));
		per_cpu(attached_frames, cpu) = NULL;
		per_cpu(attached_long, cpu) = NULL;
	}
}

/* Put a frame into the state plain. */
static void frame_init(struct attached_frame *frame)
{
	struct pt_regs *regs = &frame->regs;

	frame->entry = frame->record;
	frame->sample.count = 1;
	frame->sample.regs = regs;
	perf_arch_fetch_caller_regs(regs, 0);
}

static int scratch_alloc(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct attached_frame *frame;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		frame = kzalloc_node(FRAMES_BYTES, gfp, cpu_to_node(cpu));
		per_cpu(attached_frames, cpu) = frame;
		per_cpu(attached_long, cpu) = kzalloc_node(LONG_BYTES, gfp, cpu_to_node(cpu));
		if (!frame || !per_cpu(attached_long, cpu)) {
			scratch_free();
			return -ENOMEM;
		}
		for (i = 0; i < FRAMES_MAX; i++)
			frame_init(&frame[i]);
		per_cpu(attached_top, cpu) = (unsigned long)frame;
	}
	return 0;
}

/**
 * strobe_attached_scratch_get - allocate the scratch memory, or count one more user
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM
 */
int strobe_attached_scratch_get(void)
{
	int ret = 0;

	lockdep_assert_held(&strobe_event_mutex);
	if (!scratch_users)
		ret = scratch_alloc();
	if (!ret)
		scratch_users++;
	return ret;
}

/**
 * strobe_attached_scratch_put - undo strobe_attached_scratch_get()
 *
 * Context: task; strobe_event_mutex held; no probe of that user's event can run any more.
 */
void strobe_attached_scratch_put(void)
{
	lockdep_assert_held(&strobe_event_mutex);
	if (!--scratch_users)
		scratch_free();
}

static int __init attached_init(void)
{
	static_call_update(strobe_sink_attached_reserve, &attached_reserve);
	static_call_update(strobe_sink_attached_reserve_sample, &attached_reserve_sample);
	static_call_update(strobe_sink_attached_commit, &attached_commit);
	return 0;
}
core_initcall(attached_init);
