// SPDX-License-Identifier: GPL-2.0
/*
 * The path of a record to perf and to BPF programs: from the event's probe into the
 * scratch, and from there to whoever is attached.
 *
 * Per event that anybody is attached to there is one probe more, with a sink of its own,
 * whose gate sends it here. The probe assigns the fields as it does for a ring. Then
 * the programs see the record, and unless one of them objects, the perf events that are
 * counting on this CPU do. Nobody there: nothing is reserved.
 *
 * The scratch is a stack per CPU of frames, each with room for a record as short as most
 * are, and another one of bytes, for those that are longer. Who interrupts takes the next
 * frame, and has left it before the interrupted code goes on. The first frame is nobody's.
 * The scratch is there while the first event is attached up to after the last probe has
 * left.
 *
 * States of a frame
 *	plain	the sample, where the record lies, and that registers are not moved, are
 *		what they are from the beginning
 *	special	one of them is other and is put back at the end: from reserve on, or
 *		since a program has asked for registers
 *
 * Recursion: an event that fires while perf delivers one is delivered only in another
 * context (task, softirq, irq, NMI), as perf has it for all that is no hardware event.
 * Programs do not nest at all, see programs.h.
 *
 * Contexts: any, NMI included, preemption off. Nothing here can be traced by events.
 * Locks: none; getting and putting the scratch: event_mutex.
 * Barriers: compiler's only, all is CPU-local.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/static_call.h>
#include <linux/topology.h>

#include "attach/attach.h"
#include "attach/caller.h"
#include "attach/programs.h"
#include "event/event.h"
#include "instance/record.h"
#include "instance/sink.h"

/**
 * struct attached_frame - a record between reserve and commit
 * @at:      the event
 * @programs: who sees it first; NULL: nobody
 * @words:   bytes of the record in words of four; long ones have a bit on top
 * @entry:   where it lies. It begins with a pointer to @regs, as the context of programs
 *	     does: helpers find them there. perf puts a header in its place
 * @special: see above
 * @moved:   @regs say where the tracepoint is called; else, where the probe is
 * @sample:  what perf is to know besides; its registers are there, and mostly @regs
 * @regs:    only what perf_arch_fetch_caller_regs() fills in is ever other than 0
 * @turn:    of the programs
 * @rctx:    of perf, which ends the recursion with it
 * @record:  for a short one, with what perf needs behind it
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

static_assert(sizeof(struct attached_frame) == 512);

/* The frames of a CPU lie so that behind the last one is such a boundary. */
#define FRAMES_MAX	16
#define FRAMES_BYTES	(FRAMES_MAX * sizeof(struct attached_frame))
#define FRAMES_ORDER	get_order(FRAMES_BYTES)
/* As many long records as there are contexts, of any length; shorter ones, more. */
#define LONG_BYTES	(4 * PERF_MAX_TRACE_SIZE)
#define LONG_ORDER	get_order(LONG_BYTES)

/* The last frame that is taken: its address. */
static DEFINE_PER_CPU(unsigned long, attached_top);
static DEFINE_PER_CPU(struct attached_frame *, attached_frames);
static DEFINE_PER_CPU(void *, attached_long);
/* Bytes of it that are taken. */
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
	barrier();	/* The frame is ours before it is written. */
	*frame = (struct attached_frame *)place;
	(*frame)->at = at;
	(*frame)->words = words;
	(*frame)->programs = programs;
	return true;
}

/*
 * Bytes of the record, and as perf is told: it puts a length of four bytes before it, and
 * wants the whole to be of words of eight. The bit on top falls out.
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
 * The last bytes of a record, where the compiler may have put padding, hold nothing old
 * for programs either. In a short one that is where the context begins.
 */
static __always_inline strobe_room_t frame_room(struct attached_frame *frame, void *entry,
						unsigned long words)
{
	*(u64 *)(entry + words * sizeof(u32) - sizeof(u64)) = 0;
	*(struct pt_regs **)entry = &frame->regs;
	return strobe_room_pack(entry, SINK_ATTACHED_HANDLE);
}

/* In each context one may be of any length; a record that finds no room is lost. */
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
	barrier();	/* The bytes are ours before they are written. */
	frame->entry = this_cpu_read(attached_long) + used;
	return true;
}

static __always_inline void frame_pop_plain(struct attached_frame *frame)
{
	barrier();	/* What is read of the frame has been. */
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

/* @sample: NULL: nothing special */
static noinline notrace strobe_room_t
reserve_special(struct attached *at, unsigned long words, const struct strobe_sample *sample)
{
	struct attached_frame *frame;

	if (!frame_push(at, words, event_programs(at->sink.call), &frame))
		return strobe_room_pack(NULL, 0);
	frame->special = true;
	if (sample) {
		frame->sample = *sample;
		if (!sample->regs)
			frame->sample.regs = &frame->regs;
	}
	if (words > STROBE_WORDS_STRAIGHT && !frame_make_long(frame)) {
		frame_pop_special(frame);
		return strobe_room_pack(NULL, 0);
	}
	/* Fields do not fill a record: there is padding, and the rest of short strings. */
	if (!READ_ONCE(at->words_straight))
		memset(frame->entry, 0, words_bytes(words));
	return frame_room(frame, frame->entry, words);
}

static notrace strobe_room_t
attached_reserve_sample(struct strobe_sink *sink, unsigned long words,
			const struct strobe_sample *sample)
{
	struct attached *at = container_of(sink, struct attached, sink);

	if (!event_programs(at->sink.call) && !perf_is_there(at) && !sample->task)
		return strobe_room_pack(NULL, 0);
	return reserve_special(at, words, sample);
}

/*
 * A short record, all of it 0: samples have it as it lies. rep stos, which memset() is,
 * takes longer to begin than this takes; WRITE_ONCE() keeps the compiler from using it.
 */
static notrace strobe_room_t reserve_cleared(struct attached *at, unsigned long words)
{
	unsigned long end = words * sizeof(u32);
	struct attached_frame *frame;

	if (!frame_push(at, words, event_programs(at->sink.call), &frame))
		return strobe_room_pack(NULL, 0);
	/* The first eight bytes are set in any case. */
	for (; end > sizeof(u64); end -= sizeof(u64))
		WRITE_ONCE(*(u64 *)((void *)frame->record + end - sizeof(u64)), 0);
	return frame_room(frame, frame->record, words);
}

/* A record that is long, or has to be cleared. */
static noinline notrace strobe_room_t
reserve_not_straight(struct attached *at, unsigned long words)
{
	if (words > STROBE_WORDS_STRAIGHT)
		return reserve_special(at, words, NULL);
	return reserve_cleared(at, words);
}

static notrace strobe_room_t
attached_reserve(struct strobe_sink *sink, unsigned long words)
{
	struct attached *at = container_of(sink, struct attached, sink);
	const struct bpf_prog_array *programs = event_programs(at->sink.call);
	struct attached_frame *frame;

	if (!programs && !perf_is_there(at))
		return strobe_room_pack(NULL, 0);
	if (unlikely(words > READ_ONCE(at->words_straight)))
		return reserve_not_straight(at, words);
	if (unlikely(!frame_push(at, words, programs, &frame)))
		return strobe_room_pack(NULL, 0);
	return frame_room(frame, frame->record, words);
}

/* Of a special frame, whose registers are moved once. */
static noinline notrace void special_find_caller(struct attached_frame *frame)
{
	if (frame->moved)
		return;
	frame->moved = true;
	caller_fetch_regs(frame->at, &frame->regs);
}

/*
 * To the perf events that are counting here, and to those of the sample's task; the
 * frame goes. perf_tp_event() fills in the header by perf_trace_buf_update(), and ends
 * the recursion. That begins before anything that can fire an event, as the unwinder
 * does when it looks symbols up.
 *
 * Here and below hardly a register is kept over a call, and saved for that: what is
 * needed lies in the frame, and the frame is found again.
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
	frame = frame_last();
	bytes = words_bytes(frame->words);
	size = words_perf_bytes(frame->words);
	/* What is between is a word, if anything. */
	if (size > bytes)
		*(u32 *)(frame->entry + bytes) = 0;
	perf_tp_event(frame->at->sink.type, frame->sample.count, frame->entry, size,
		      frame->sample.regs, this_cpu_ptr(frame->at->events), frame->rctx,
		      frame->sample.task);
	frame_pop(frame_last());
}

/* They cannot run now: perf is not told either. */
static noinline notrace void commit_missed(struct attached_frame *frame)
{
	programs_missed(frame->programs);
	frame_pop(frame);
}

static notrace void attached_commit(unsigned long from)
{
	struct attached_frame *frame = frame_last();
	u32 verdict;

	caller_regs(&frame->regs, from);
	if (!frame->programs)
		return commit_sample();
	if (!programs_begin(&frame->turn))
		return commit_missed(frame);
	verdict = programs_run(frame->programs, frame->entry, &frame->turn);
	frame = frame_last();
	programs_end(&frame->turn);
	if (!verdict || !perf_is_there(frame->at))
		return frame_pop(frame);
	commit_sample();
}

#ifdef CONFIG_BPF_EVENTS

/**
 * trace_program_regs - the registers that a program's context has
 * @ctx: the context
 *
 * For the helpers of programs on trace events, which take stacks of them and put them
 * into samples. Only who asks pays for finding out where the tracepoint is called.
 *
 * Context: any, preemption off; while programs see the record.
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
 * For perf_tp_event(), which is called by commit_sample() only.
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
		free_pages((unsigned long)per_cpu(attached_frames, cpu), FRAMES_ORDER);
		free_pages((unsigned long)per_cpu(attached_long, cpu), LONG_ORDER);
		per_cpu(attached_frames, cpu) = NULL;
		per_cpu(attached_long, cpu) = NULL;
	}
}

static void *alloc_pages_of(int cpu, unsigned int order)
{
	struct page *page = alloc_pages_node(cpu_to_node(cpu),
					     GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, order);

	return page ? page_address(page) : NULL;
}

/* A frame as it is between records. */
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
	struct attached_frame *frame;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		frame = alloc_pages_of(cpu, FRAMES_ORDER);
		per_cpu(attached_frames, cpu) = frame;
		per_cpu(attached_long, cpu) = alloc_pages_of(cpu, LONG_ORDER);
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
 * attached_scratch_get - have room for records
 *
 * Context: task, may sleep; event_mutex held.
 * Return: 0 or -ENOMEM
 */
int attached_scratch_get(void)
{
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	if (!scratch_users)
		ret = scratch_alloc();
	if (!ret)
		scratch_users++;
	return ret;
}

/**
 * attached_scratch_put - need that room no more
 *
 * Context: task; event_mutex held, and the probes of whoever got it have left.
 */
void attached_scratch_put(void)
{
	lockdep_assert_held(&event_mutex);
	if (!--scratch_users)
		scratch_free();
}

static int __init attached_init(void)
{
	static_call_update(sink_attached_reserve, &attached_reserve);
	static_call_update(sink_attached_reserve_sample, &attached_reserve_sample);
	static_call_update(sink_attached_commit, &attached_commit);
	return 0;
}
core_initcall(attached_init);
