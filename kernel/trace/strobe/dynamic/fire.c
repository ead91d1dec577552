// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path of a dynamic event: from a hit of its probe to its sinks.
 *
 * A record is delivered in one of two ways.
 *	direct	Its length is known. It is reserved in each sink, and the program writes the
 *		arguments in place. A sink that does not want it costs nothing more.
 *	image	It has strings. The program writes it into the arena first, unless no sink
 *		wants it, and each sink gets a copy.
 * The arena is a stack for each CPU: a hit in an interrupt takes the next level, and gives
 * it back before it returns. It has ARENA_LEVELS. They also bound the recursion of programs
 * that read memory, as a read that faults may fire an event whose probe reads memory. A hit
 * without a level is counted as missed.
 *
 * Sinks of instances come first, then BPF programs with the registers, then perf.
 *
 * Contexts: any, NMI included, preemption off. Nothing here can be probed or hooked.
 * Locks: none, except strobe_event_mutex for the arena's memory.
 * Barriers: links are read by RCU; PROGRAM:A of probe.c.
 */
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "attach/attach.h"
#include "dynamic/dynamic.h"
#include "record/record.h"

#define ARENA_LEVELS	4
#define ARENA_LEVEL	PERF_MAX_TRACE_SIZE
/* perf puts four bytes before a record. */
#define IMAGE_MAX	(ARENA_LEVEL - sizeof(u64))

static DEFINE_PER_CPU(void *, arena);
static DEFINE_PER_CPU(unsigned int, arena_depth);
static unsigned int arena_users;

/* Return: false if this CPU is too deep in other hits. */
static nokprobe_inline bool level_enter(const struct dyn_hit *hit, unsigned int *level)
{
	*level = this_cpu_inc_return(arena_depth) - 1;
	if (likely(*level < ARENA_LEVELS))
		return true;
	this_cpu_dec(arena_depth);
	raw_cpu_inc(READ_ONCE(hit->probe->counts)->missed);
	return false;
}

static nokprobe_inline void level_leave(void)
{
	barrier();	/* Read the image before another hit may write to it. */
	this_cpu_dec(arena_depth);
}

/*
 * Write a record, except for its struct trace_entry. Bytes of its last unit that no field
 * covers are cleared, as raw readers see them. Return: its length
 */
static nokprobe_inline u32 record_fill(const struct dyn_hit *hit, const struct dyn_event *event,
				       void *record, u32 end)
{
	/* Pairs with PROGRAM:A: it sees the program, too. */
	const struct dyn_programs *programs = smp_load_acquire(&hit->probe->programs);
	struct dyn_frame frame __uninitialized;
	u32 i;

	if (event->len % sizeof(u32))
		*(u32 *)(record + round_down(event->len, sizeof(u32))) = 0;
	for (i = 0; i < event->nr_head; i++)
		memcpy(record + sizeof(struct trace_entry) + i * sizeof(long), &hit->head[i],
		       sizeof(long));
	if (!programs)
		return event->len;
	frame.in = hit->in;
	frame.out = record;
	frame.kept = hit->kept;
	frame.base = hit->base;
	frame.in_len = hit->in_len;
	frame.dyn = event->len;
	frame.end = end;
	strobe_dyn_program_run(programs->fetch, &frame);
	return frame.dyn;
}

static nokprobe_inline void record_commit(const struct dyn_hit *hit, unsigned long handle)
{
	/* The kernel's stack does not begin with registers of user space. */
	if (hit->regs && !user_mode(hit->regs))
		strobe_event_commit_regs(handle, hit->regs);
	else
		strobe_event_commit(handle);
}

/* Fill in and commit a reserved record, from the image if there is one. */
static nokprobe_inline void record_finish(const struct dyn_hit *hit,
					  const struct dyn_event *event,
					  struct strobe_reserved res, const void *image, u32 len)
{
	const u32 from = sizeof(struct trace_entry);

	if (!res.entry)
		return;
	if (image) {
		if (len % sizeof(u32))
			*(u32 *)(res.entry + round_down(len, sizeof(u32))) = 0;
		memcpy(res.entry + from, image + from, len - from);
	} else {
		record_fill(hit, event, res.entry, len);
	}
	record_commit(hit, res.handle);
}

/*
 * Run the programs of an event with registers, and pass the record to perf. @image is NULL
 * if the record is direct. If it is not made yet, @len is 0.
 * Return: 1 if a program has changed the instruction pointer, else 0
 */
static int fire_attached(const struct dyn_hit *hit, struct dyn_event *event,
			 struct strobe_sink *sink, void *image, u32 len)
{
	const struct strobe_sample sample = { .count = 1, .regs = hit->regs };
	struct trace_event_call *call = &event->dynamic.call;
	struct strobe_reserved res;
	unsigned long ip;

	if (call->flags & TRACE_EVENT_FL_KPROBE && strobe_attached_has_programs(call)) {
		ip = instruction_pointer(hit->regs);
		if (!trace_call_bpf(call, hit->regs))
			return ip != instruction_pointer(hit->regs);
		if (ip != instruction_pointer(hit->regs))
			return 1;
	}
	if (!strobe_attached_wants(sink))
		return 0;
	if (!len)
		len = record_fill(hit, event, image, IMAGE_MAX);
	res = strobe_event_reserve_sample(sink, DIV_ROUND_UP(len, sizeof(u32)), &sample);
	record_finish(hit, event, res, image, len);
	return 0;
}

NOKPROBE_SYMBOL(fire_attached);

/* Deliver to a sink. @image and *@len as for fire_attached(); *@len is set with the record. */
static nokprobe_inline int deliver_to(const struct dyn_hit *hit, struct dyn_event *event,
				      struct strobe_sink *sink, void *image, u32 *len)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS) && dyn_sink_is_attached(sink))
		return fire_attached(hit, event, sink, image, *len);
	/* If it changes now, strobe_event_reserve() sees it. */
	if (data_race(sink->gate) == STROBE_GATE_SOFT_DISABLED)
		return 0;
	if (!*len)
		*len = record_fill(hit, event, image, IMAGE_MAX);
	record_finish(hit, event, strobe_event_reserve(sink, *len), image, *len);
	return 0;
}

/* Deliver to all sinks. */
static nokprobe_inline int deliver(const struct dyn_hit *hit, struct dyn_event *event,
				   void *image, u32 len)
{
	struct dyn_link *link;
	int ret = 0;

	hlist_for_each_entry_rcu_notrace(link, &event->links, node)
		ret |= deliver_to(hit, event, link->sink, image, &len);
	return ret;
}

/* Records that are made in the arena, or whose program may cause a fault. */
static noinline int fire_level(const struct dyn_hit *hit, struct dyn_event *event)
{
	unsigned int level;
	int ret;

	if (!level_enter(hit, &level))
		return 0;
	if (event->image)
		ret = deliver(hit, event, this_cpu_read(arena) + level * ARENA_LEVEL, 0);
	else
		ret = deliver(hit, event, NULL, event->len);
	level_leave();
	return ret;
}

NOKPROBE_SYMBOL(fire_level);

/**
 * strobe_dyn_fire - record a hit of a probe in all sinks of its event
 * @hit: the hit
 *
 * Context: any, preemption off.
 * Return: 1 if a BPF program has changed the instruction pointer in hit->regs, else 0
 */
int strobe_dyn_fire(struct dyn_hit *hit)
{
	struct dyn_event *event = hit->probe->event;

	raw_cpu_inc(READ_ONCE(hit->probe->counts)->hits);
	if (event->image || hit->probe->args->reads)
		return fire_level(hit, event);
	return deliver(hit, event, NULL, event->len);
}

NOKPROBE_SYMBOL(strobe_dyn_fire);

/**
 * strobe_dyn_deliver - record a hit whose record its source has made
 * @hit:   the hit; its count is the source's business
 * @image: the record, except for its struct trace_entry
 * @len:   its length in bytes
 *
 * Context: any, preemption off.
 */
void strobe_dyn_deliver(struct dyn_hit *hit, void *image, u32 len)
{
	deliver(hit, hit->probe->event, image, len);
}

NOKPROBE_SYMBOL(strobe_dyn_deliver);

/**
 * strobe_dyn_deliver_part - as strobe_dyn_deliver(), but only to some of the sinks
 * @hit:      the hit
 * @image:    the record, except for its struct trace_entry; NULL: the program writes it in place
 * @len:      its length in bytes; without an image, that of the event's fixed part
 * @attached: true: to perf; false: to instances
 *
 * Context: any.
 */
void strobe_dyn_deliver_part(struct dyn_hit *hit, void *image, u32 len, bool attached)
{
	struct dyn_event *event = hit->probe->event;
	struct dyn_link *link;

	guard(preempt_notrace)();
	hlist_for_each_entry_rcu_notrace(link, &event->links, node) {
		if (dyn_sink_is_attached(link->sink) == attached)
			deliver_to(hit, event, link->sink, image, &len);
	}
}

/**
 * strobe_dyn_record_make - make the record of a hit
 * @hit:    the hit
 * @record: where to, except for its struct trace_entry
 * @end:    bytes that fit there
 *
 * Context: as the program of the probe's arguments
 * Return: its length in bytes
 */
u32 strobe_dyn_record_make(struct dyn_hit *hit, void *record, u32 end)
{
	return record_fill(hit, hit->probe->event, record, end);
}

/**
 * strobe_dyn_perf_counts - whether perf would sample or count a hit on this CPU
 * @event: the event
 *
 * Context: any.
 */
bool strobe_dyn_perf_counts(struct dyn_event *event)
{
	struct dyn_link *link;

	guard(preempt_notrace)();
	hlist_for_each_entry_rcu_notrace(link, &event->links, node) {
		if (dyn_sink_is_attached(link->sink) && strobe_attached_wants(link->sink))
			return true;
	}
	return false;
}

static void arena_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kfree(per_cpu(arena, cpu));
		per_cpu(arena, cpu) = NULL;
	}
}

/**
 * strobe_dyn_arena_get - allocate the arena, or count one more user
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM
 */
int strobe_dyn_arena_get(void)
{
	void *memory;
	int cpu;

	lockdep_assert_held(&strobe_event_mutex);
	if (arena_users++)
		return 0;
	for_each_possible_cpu(cpu) {
		memory = kzalloc_node(ARENA_LEVELS * ARENA_LEVEL, GFP_KERNEL | __GFP_NOWARN,
				      cpu_to_node(cpu));
		if (!memory) {
			arena_users = 0;
			arena_free();
			return -ENOMEM;
		}
		per_cpu(arena, cpu) = memory;
	}
	return 0;
}

/**
 * strobe_dyn_arena_put - undo strobe_dyn_arena_get()
 *
 * Context: task; strobe_event_mutex held; no probe of the user's event can fire any more.
 */
void strobe_dyn_arena_put(void)
{
	lockdep_assert_held(&strobe_event_mutex);
	if (!--arena_users)
		arena_free();
}
