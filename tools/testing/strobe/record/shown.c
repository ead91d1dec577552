// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of record/: the functions that record.c and deferred.c call. They check that they are
 * shown complete records, of the event that is being fired, and do what triggers do: swap rings,
 * switch recording off and on, and enable events.
 */
#include "torture.h"

/* A trigger switched recording off, and has to be called after the record. */
#define KIND_OFF	2
/* A trigger disabled its own event, and has to be called after the record, too. */
#define KIND_SELF	4

DEFINE_PER_CPU(struct pt_regs *, strobe_record_regs);

u64 off_now, off_begun, swaps;

/* Records of attach/ between reserve and commit */
static __thread struct {
	u32	used;
	u32	records[64][1 << 11];
} attached;

/* To be called before recording is switched off. */
void off_begin(void)
{
	__atomic_fetch_add(&off_now, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&off_begun, 1, __ATOMIC_SEQ_CST);
}

/* To be called after recording is switched on. */
void off_end(void)
{
	__atomic_fetch_sub(&off_now, 1, __ATOMIC_SEQ_CST);
}

/* Recording was on all the time if it was when the event began, and was not switched off since. */
void torture_refused(bool counted)
{
	count(counted ? HELD : OFF);
	if (!counted && context.on &&
	    context.offs == __atomic_load_n(&off_begun, __ATOMIC_SEQ_CST))
		FAIL("cpu %d: refused and not counted, with recording on", shim_cpu);
}

/* As a trigger does. Return: whether the rings were swapped. */
bool swap_rings(void)
{
	int err = strobe_ring_swap(rings[0], rings[1]);

	if (err) {
		count(SWAP_BUSY);
		return false;
	}
	__atomic_fetch_add(&swaps, 1, __ATOMIC_RELAXED);
	count(SWAPS);
	strobe_ring_swap_wake(rings[0], rings[1]);
	return true;
}

/* Check a record that is shown to a function, which may be interrupted meanwhile. */
static void look_at(const void *record, enum count by, const char *who)
{
	const struct payload *p = record;

	count(by);
	barrier();
	if (record && is_whole(record, who) &&
	    (p->serial != context.serial || p->cpu != shim_cpu))
		FAIL("%s: record %u of cpu %u, not %u", who, p->serial, p->cpu, context.serial);
}

/* A stack trace begins at @from, or with the registers. */
static void check_from(unsigned long from, const char *who)
{
	struct pt_regs *regs = this_cpu_read(strobe_record_regs);

	if (!from != !!context.regs || (!from && regs != context.regs))
		FAIL("%s: stack from %#lx, or registers %p, not %p", who, from, regs,
		     context.regs);
	if (!from)
		count(BY_REGS);
}

enum pid_verdict strobe_event_pid_verdict(const struct trace_event_file *file)
{
	return context.verdict;
}

bool strobe_event_pid_record_ignored(const struct trace_event_file *file, const void *entry)
{
	const struct payload *p = entry;

	look_at(entry, BY_PID, "the list of pids");
	return ignored_by_record(p->serial);
}

/* As the commands enable_event and disable_event */
static void trigger_soft(void)
{
	struct event *event = &events[1 + shim_random() % (FILES - 1)];

	if (!event->changes || event == owned)
		return;
	if (shim_random() % 2)
		strobe_event_file_change_gate(&event->file, STROBE_GATE_SOFT_DISABLED, 0);
	else
		strobe_event_file_change_gate(&event->file, 0, STROBE_GATE_SOFT_DISABLED);
	count(SOFT_TRIGGER);
}

/*
 * As a trigger that disables its own event: the record must not be recorded. An interrupt leaves
 * the event as it was.
 */
static unsigned int trigger_self(struct event *event)
{
	if (!is_self(event) || shim_random() % 4)
		return 0;
	self_busy = true;
	barrier();
	self_disabled++;
	set_fate(context.serial, UNWANTED);
	strobe_event_file_change_gate(&event->file, STROBE_GATE_SOFT_DISABLED, 0);
	barrier();
	self_busy = false;
	count(SELF_TRIGGER);
	return KIND_SELF;
}

static void trigger_self_after(struct event *event)
{
	self_busy = true;
	barrier();
	if (self_disabled == 1)
		strobe_event_file_change_gate(&event->file, 0, STROBE_GATE_SOFT_DISABLED);
	self_disabled--;
	barrier();
	self_busy = false;
}

/* What the triggers of an event do. Return: the kinds that are called after the record */
static unsigned int trigger_act(bool after)
{
	u32 r = shim_random();

	if (!opt.changes)
		return 1;
	if (!(r % 64) && swap_rings())
		count(SWAPPED_TRIGGER);
	if (!(r >> 8 & 31))
		trigger_soft();
	if (r >> 16 & 255 || !after)
		return 1;
	off_begin();
	strobe_ring_set_on(rings[0], false);
	count(OFF_TRIGGER);
	return 1 | KIND_OFF;
}

unsigned int strobe_triggers_call(struct trace_event_file *file, const void *record, u32 ctx,
				  unsigned long from)
{
	look_at(record, BY_TRIGGER, "a trigger");
	if (record)
		check_from(from, "a trigger");
	if (context.kinds)
		FAIL("triggers are called twice");
	if (!record) {
		trigger_act(false);
		return 0;
	}
	context.kinds = trigger_act(true);
	if (opt.changes)
		context.kinds |= trigger_self(container_of(file, struct event, file));
	return context.kinds;
}

void strobe_triggers_call_after(struct trace_event_file *file, unsigned int kinds, u32 ctx,
				unsigned long from)
{
	count(BY_TRIGGER);
	check_from(from, "a trigger after the record");
	if (!kinds || kinds != context.kinds)
		FAIL("a trigger after the record: kinds %#x, not %#x", kinds, context.kinds);
	if (kinds & KIND_OFF) {
		strobe_ring_set_on(rings[0], true);
		off_end();
	}
	if (kinds & KIND_SELF)
		trigger_self_after(container_of(file, struct event, file));
	context.kinds = 0;
}

void strobe_console_print_record(struct trace_event_call *call, void *entry, u32 len)
{
	look_at(entry, BY_EXPORT, "the console");
}

void strobe_export_record(const void *entry, u32 len, int kind)
{
	look_at(entry, BY_EXPORT, "an export");
}

/* Write another record, as for a stack trace. */
void strobe_record_stacks(struct trace_array *tr, u32 ctx, unsigned long from)
{
	u32 serial = next_serial(), len = sizeof(struct payload) + shim_random() % 200;
	struct strobe_ring_resv resv;
	struct payload *p;

	count(BY_STACK);
	check_from(from, "a stack");
	set_fate(serial, WANTED);
	p = strobe_record_reserve(tr->ring, 1, len, record_context(), &resv);
	if (!p)
		return;
	fill(p, serial, len, 0);
	strobe_ring_commit(&resv);
}

struct strobe_reserved strobe_sink_attached_reserve(struct strobe_sink *sink, unsigned long words)
{
	u32 *entry = attached.records[attached.used++];

	barrier();
	record_set_header(entry, sink->type, record_probe_context());
	return (struct strobe_reserved) { entry, RECORD_ATTACHED };
}

struct strobe_reserved strobe_sink_attached_reserve_sample(struct strobe_sink *sink,
							   unsigned long words,
							   const struct strobe_sample *sample)
{
	if (sample->count != context.serial)
		FAIL("attach/: the sample of %lu, not %u", sample->count, context.serial);
	count(SAMPLED);
	return strobe_sink_attached_reserve(sink, words);
}

void strobe_sink_attached_commit(unsigned long from)
{
	look_at(attached.records[attached.used - 1], ATTACHED, "attach/");
	barrier();
	attached.used--;
}

static void check_tap(const struct strobe_tap *tap)
{
	const struct event *event = container_of(tap, struct event, tap);

	if (event < events || event >= events + FILES || !(event->gate & STROBE_GATE_TAP))
		FAIL("there is no tap at %p", tap);
}

void tap_take(struct strobe_tap *tap, void *record, u32 len)
{
	const struct payload *p = record;

	check_tap(tap);
	look_at(record, TAPPED, "a tap");
	barrier();
	if (len != (p->len + 3U) / 4 * 4 || p->ent.type != tap->sink.type)
		FAIL("a tap of type %u: length %u, of type %u: %u", tap->sink.type, len,
		     p->ent.type, p->len);
	context.taken++;
}

void tap_missed(struct strobe_tap *tap)
{
	check_tap(tap);
	count(TAP_MISSED);
	context.missed++;
}

/* The writer of this CPU has ended. */
void shown_exit(void)
{
	if (attached.used)
		FAIL("cpu %d: %u records are still with attach/", shim_cpu, attached.used);
}
