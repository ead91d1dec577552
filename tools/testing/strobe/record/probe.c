// SPDX-License-Identifier: GPL-2.0
/* Torture of record/: the probes, which fire events of all kinds, nested in each other. */
#include "torture.h"

/* Events that fire between reserve and commit of one: more than there may be deferred records */
#define DIVE	40

__thread struct context context;
/* Events that are still to fire, nested in each other */
static __thread u32 dive;

static u8 fill_byte(const struct payload *p, u32 i)
{
	return (p->serial * 2654435761U >> 13) + p->file * 31 + p->cpu * 7 + i * 97;
}

/* Is it a complete record that a writer wrote, with its header? */
bool is_whole(const void *record, const char *who)
{
	const struct payload *p = record;
	u32 i, len = p->len - sizeof(*p);
	char tag[sizeof(p->tag)];

	if (p->len < sizeof(*p) || p->cpu >= opt.cpus || p->file >= FILES || p->serial >= SERIALS ||
	    p->ent.type != p->file + 1 || p->ent.pid != p->cpu + 100) {
		FAIL("%s: no record: length %u, cpu %u, file %u, type %u, pid %d", who, p->len,
		     p->cpu, p->file, p->ent.type, p->ent.pid);
		return false;
	}
	if (!(p->ent.flags & TRACE_FLAG_HARDIRQ) != !(p->level % 2)) {
		FAIL("%s: flags %#x at level %u", who, p->ent.flags, p->level);
		return false;
	}
	set_tag(tag, p->serial);
	if (memcmp(tag, p->tag, sizeof(tag))) {
		FAIL("%s: tag %.7s, not %s", who, p->tag, tag);
		return false;
	}
	for (i = 0; i < len; i++) {
		if (p->fill[i] != fill_byte(p, i)) {
			FAIL("%s: torn at %u of %u", who, i, len);
			return false;
		}
	}
	return true;
}

/* Fill in the record after its header, including the values that must agree with it. */
void fill(struct payload *p, u32 serial, u32 len, u32 file)
{
	u32 i;

	p->serial = serial;
	p->len = len;
	p->cpu = shim_cpu;
	p->file = file;
	p->level = shim_self.depth;
	set_tag(p->tag, serial);
	for (i = 0; i < len - sizeof(*p); i++)
		p->fill[i] = fill_byte(p, i);
}

u32 next_serial(void)
{
	u32 serial = __atomic_fetch_add(&me()->serials, 1, __ATOMIC_RELAXED);

	if (serial >= SERIALS)
		abort();
	return serial;
}

/* To be called before the record can be read. */
void set_fate(u32 serial, enum fate fate)
{
	__atomic_store_n(&me()->fate[serial], fate, __ATOMIC_RELAXED);
}

/* The verdict on a record that the lists of pids must see */
bool ignored_by_record(u32 serial)
{
	return serial % 5 < 2;
}

__thread u32 self_disabled;
__thread bool self_busy;

static bool is_tap(const struct event *event)
{
	return event->gate & STROBE_GATE_TAP;
}

/* The expected fate of an event; @at_gate: it does not get as far as the ring. */
static enum fate fate_of(const struct event *event, u32 serial, bool *at_gate)
{
	bool by_pid = event->gate & STROBE_GATE_PID;

	*at_gate = by_pid && context.verdict == PID_IGNORED;
	if (event->changes)
		return PERHAPS;
	if (event->gate & STROBE_GATE_SOFT_DISABLED &&
	    !(event->gate & STROBE_GATE_TRIGGER_RECORD))
		*at_gate = true;
	if (is_self(event) && self_disabled)
		return UNWANTED;
	if (*at_gate || event->gate & (STROBE_GATE_SOFT_DISABLED | STROBE_GATE_ATTACHED) ||
	    is_tap(event))
		return UNWANTED;
	if (by_pid && context.verdict == PID_BY_RECORD && ignored_by_record(serial))
		return UNWANTED;
	if (event->gate & STROBE_GATE_FILTER && !matches(event - events, serial))
		return UNWANTED;
	return WANTED;
}

static u32 random_len(const struct event *event)
{
	u32 r = shim_random(), len = sizeof(struct payload);

	if (!(r & 1023))
		len = strobe_ring_max_payload(instance.ring) + r % 7;
	else if (!(r & 15))
		len += (r >> 10) % 600;
	else
		len += (r >> 10) % 95;
	/* shown.c has memory for so many. */
	return event->gate & STROBE_GATE_ATTACHED ? min(len, 8192U) : len;
}

/* Computing the fields may fire events, and takes long enough for a swap. */
static void compute(void)
{
	barrier();
	if (!dive && !(shim_random() % 1024))
		dive = DIVE;
	while (dive) {
		dive--;
		fire();
	}
	if (opt.changes && !(shim_random() % 256))
		swap_rings();
}

/* Reserve as a probe does whose class has_sample, or in the usual way. */
static struct strobe_reserved reserve(struct event *event, u32 len)
{
	struct strobe_sample sample = { .count = context.serial };
	unsigned long words = DIV_ROUND_UP(len, 4);
	struct strobe_sink *sink = &event->file.sink;
	struct strobe_reserved res;
	bool asks = event->gate & STROBE_GATE_ASKS;

	if (words > STROBE_WORDS_STRAIGHT)
		words |= STROBE_WORDS_SLOW;
	if (!asks && !(shim_random() % 8))
		return strobe_event_reserve_sample(sink, words, &sample);
	res = strobe_event_reserve(sink, len);
	if (!asks)
		return res;
	if (res.entry || res.handle != RECORD_ATTACHED)
		FAIL("asked: %p, %#lx", res.entry, res.handle);
	return strobe_event_reserve_sample(sink, words, &sample);
}

/* There have been swaps since the record was reserved. */
static void count_swapped(unsigned long handle, bool scratch)
{
	if (!(handle & ~RECORD_NESTED & RECORD_TAGS))
		count(SWAPPED_OPEN);
	else if (scratch && handle & (RECORD_SCRATCH | RECORD_DEFERRED))
		count(SWAPPED_SCRATCH);
	else if (handle & RECORD_DEFERRED)
		count(SWAPPED_LONG);
}

/* Commit, sometimes as if the registers were known. */
static void commit(unsigned long handle)
{
	struct pt_regs *outer = this_cpu_read(strobe_record_regs);

	if (shim_random() % 4) {
		strobe_event_commit(handle);
	} else {
		/* Only its address is used. */
		context.regs = (struct pt_regs *)&outer;
		barrier();
		strobe_event_commit_regs(handle, context.regs);
		context.regs = NULL;
	}
	if (this_cpu_read(strobe_record_regs) != outer)
		FAIL("the registers of the event below are gone");
	if (context.kinds)
		FAIL("triggers %#x were not called after the record", context.kinds);
}

/* The event got no record. */
static void not_reserved(const struct event *event, enum fate fate, bool at_gate, bool scratch)
{
	if (is_tap(event)) {
		if (context.missed != 1)
			FAIL("a tap missed a record %u times", context.missed);
	} else if (fate == UNWANTED && !at_gate) {
		count(NO_PLACE);
		if (scratch)
			count(FULL);
	}
}

/* Act as the probe of an event. */
static void probe(struct event *event)
{
	u32 serial = next_serial(), len = random_len(event);
	bool scratch = DIV_ROUND_UP(len, 4) <= STROBE_WORDS_STRAIGHT;
	struct strobe_reserved res;
	bool at_gate;
	enum fate fate;
	u64 before;

	context.serial = serial;
	context.verdict = shim_random() % 3;
	fate = fate_of(event, serial, &at_gate);
	set_fate(serial, fate);
	res = reserve(event, len);
	if (!res.entry)
		return not_reserved(event, fate, at_gate, scratch);
	if (at_gate)
		FAIL("a place for what is dropped, gate %#lx", event->gate);
	before = READ_ONCE(swaps);
	fill(res.entry, serial, len, event - events);
	compute();
	if (before != READ_ONCE(swaps))
		count_swapped(res.handle, scratch);
	if (res.handle & RECORD_NESTED)
		count(NESTED_RECORD);
	commit(res.handle);
	/* Its trigger may have decided that. */
	fate = READ_ONCE(me()->fate[serial]) & ~FATE_READ;
	if (fate == UNWANTED && !scratch && !(event->gate & STROBE_GATE_ATTACHED) && !is_tap(event))
		count(REJECTED);
	if (is_tap(event)) {
		if (context.taken != 1 || context.missed)
			FAIL("a tap got a record %u times, missed it %u times", context.taken,
			     context.missed);
		if (!scratch)
			count(TAPPED_LONG);
	}
}

void fire(void)
{
	struct event *event = READ_ONCE(changed);
	struct context was = context;

	if (!event || shim_random() % 4)
		event = &events[1 + shim_random() % (FILES - 1)];
	if (is_self(event))
		event = &events[self_busy ? 1 : FIRST_SELF + shim_cpu];
	context = (struct context) {
		/* The count before the state: see torture_refused(). */
		.offs = __atomic_load_n(&off_begun, __ATOMIC_SEQ_CST),
	};
	context.on = !__atomic_load_n(&off_now, __ATOMIC_SEQ_CST);
	barrier();
	shim_section_enter();
	probe(event);
	shim_section_leave();
	barrier();
	context = was;
}

void interrupt(void)
{
	u32 was = dive, n = 1 + shim_random() % 3;

	dive = 0;
	while (n--)
		fire();
	if (opt.changes && !(shim_random() % 64)) {
		shim_section_enter();
		swap_rings();
		shim_section_leave();
	}
	dive = was;
}

/* The writer of this CPU has ended. */
void probe_exit(void)
{
	if (this_cpu_read(strobe_record_regs))
		FAIL("cpu %d: registers are left", shim_cpu);
}
