// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the path of an event from its probe into the ring: record/record.c, unmodified.
 * Threads stand for CPUs, interrupted as in the torture of the ring. They fire events with all
 * kinds of gates; filters, triggers, lists of pids and exports are functions of this file,
 * which check that they are shown a complete record. One reader consumes, and one thread
 * changes filters, gates, clocks and sizes.
 *
 * Each event has a serial number of its CPU, and for each number its expected fate is stored.
 * A reader must find each wanted record at most once, and no others; the number of those that
 * it does not find must be that of the overwritten and dropped ones.
 */
#include <signal.h>
#include <time.h>

#include "harness.h"
#include "filter/filter.h"
#include "record/deferred.h"
#include "record/record.h"
#include "record/sink.h"
#include "record/trace_array.h"
#include "record/triggers.h"
#include "ring/internal.h"

/* The expected fate of an event */
enum fate {
	NOT_FIRED,
	WANTED,
	UNWANTED,
	PERHAPS,			/* its gate and filter change */
};

#define FATE_READ	BIT(7)

#define FILES		48
#define SERIALS		0x4000000U
/* Events that fire between reserve and commit of one: more than there may be deferred records */
#define DIVE		40

struct payload {
	struct trace_entry	ent;
	u32			serial;
	u16			len;
	u8			cpu;
	u8			file;
	u8			level;
	u8			fill[];
} __attribute__((__packed__)) __aligned(4);

/**
 * struct event - an event file, and what the test expects of it
 * @file: passed to the probe
 * @gate: bits that decide the fate of its records; constant, unless @changes
 * @changes: the controller changes its filter and its soft-disabled bit
 */
struct event {
	struct trace_event_file	file;
	unsigned long		gate;
	bool			changes;
};

/* A filter that accepts two of three records. Its magic shows that it was not freed. */
struct test_filter {
	struct strobe_filter	filter;
	u32			magic;
};

#define FILTER_MAGIC	0x5eed5eedU

enum look { BY_FILTER, BY_TRIGGER, BY_EXPORT, BY_STACK, BY_PID, LOOKS };

/**
 * struct cpu - a CPU, and the counts of its writers
 * @serials: number of events fired
 * @rejected: unwanted events that had a reservation in a ring
 * @no_place: unwanted events that got no reservation
 * @full: those of @no_place that are short enough for the scratch
 * @attached: records committed to attach/
 * @seen: number of calls of each kind of function that is shown records
 */
struct cpu {
	pthread_t	thread;
	u64		clock;
	u32		serials;
	u64		rejected;
	u64		no_place;
	u64		full;
	u64		attached;
	u64		seen[LOOKS];
	timer_t		timers[SHIM_MAX_DEPTH];
	u8		fate[SERIALS];
};

static struct {
	int	cpus;
	u32	events;
	u32	slots;
	u32	inject;
	u32	signal_us;
	bool	overwrite;
	bool	changes;
	bool	exact;
	bool	spare;
} opt = {
	.cpus = 2, .events = 200000, .slots = 4, .inject = 40, .signal_us = 150, .overwrite = true,
	.changes = true,
};

static struct cpu cpus[SHIM_MAX_CPUS];
static struct event events[FILES];
static struct trace_array instance;
static int failures;
static bool stop;

__thread struct task_struct shim_task;
/* Events that are still to fire, nested in each other */
static __thread u32 dive;
/* The verdict of the lists of pids on the event that is fired */
static __thread enum pid_verdict pid_verdict;
/* Records of attach/ between reserve and commit */
static __thread struct {
	u32	used;
	u32	records[64][1 << 11];
} attached;

#define FAIL(...) do {							\
	int _nr = __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);	\
									\
	if (!_nr)							\
		harness_failed();					\
	if (_nr < 10) {							\
		fprintf(stderr, "# " __VA_ARGS__);			\
		fputc('\n', stderr);					\
	}								\
} while (0)

u64 sched_clock_noinstr(void)
{
	u32 r = shim_random();

	return __atomic_add_fetch(&cpus[shim_cpu].clock, 1 + r % (r >> 16 & 1023 ? 64 : 1 << 28),
				  __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static u64 other_clock(void)
{
	return sched_clock_noinstr();
}

/*
 * The ring is built as for an architecture whose clock has to be called, record.c as for one
 * whose clock is read inline: let it do that, unless the clock is another one. No other thread
 * stops the ring meanwhile.
 */
static void set_clock(u64 (*clock)(void))
{
	atomic_t *limit;
	int cpu, old, new;

	strobe_ring_set_clock(instance.ring, clock);
	for (cpu = 0; !clock && cpu < opt.cpus; cpu++) {
		limit = &instance.ring->percpu[cpu].limit;
		old = atomic_read(limit);
		do {
			new = old & ~(STROBE_LIMIT_CLOCK | STROBE_LIMIT_SIGN);
		} while (!atomic_try_cmpxchg(limit, &old, new));
	}
}

u32 shim_preempt_count(void)
{
	return shim_self.depth % 2 ? HARDIRQ_OFFSET : 0;
}

static struct cpu *me(void)
{
	return &cpus[shim_cpu];
}

/* Atomic, since an interrupt may count, too. */
static void count(u64 *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static u8 fill_byte(const struct payload *p, u32 i)
{
	return (p->serial * 2654435761U >> 13) + p->file * 31 + p->cpu * 7 + i * 97;
}

/* Does a filter accept the event? */
static bool matches(u32 serial)
{
	return serial % 3;
}

/* Is it a complete record that a writer wrote, with its header? */
static bool is_whole(const void *record, const char *who)
{
	const struct payload *p = record;
	u32 i, len = p->len - sizeof(*p);

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
	for (i = 0; i < len; i++) {
		if (p->fill[i] != fill_byte(p, i)) {
			FAIL("%s: torn at %u of %u", who, i, len);
			return false;
		}
	}
	return true;
}

/* Fill in the record after its header, including the values that must agree with it. */
static void fill(struct payload *p, u32 serial, u32 len, u32 file)
{
	u32 i;

	p->serial = serial;
	p->len = len;
	p->cpu = shim_cpu;
	p->file = file;
	p->level = shim_self.depth;
	for (i = 0; i < len - sizeof(*p); i++)
		p->fill[i] = fill_byte(p, i);
}

static u32 next_serial(void)
{
	u32 serial = __atomic_fetch_add(&me()->serials, 1, __ATOMIC_RELAXED);

	if (serial >= SERIALS)
		abort();
	return serial;
}

/* To be called before the record can be read. */
static void set_fate(u32 serial, enum fate fate)
{
	__atomic_store_n(&me()->fate[serial], fate, __ATOMIC_RELAXED);
}

static void fire(void);

/* Check a record that is shown to a function, which may be interrupted meanwhile. */
static void look_at(const void *record, enum look by, const char *who)
{
	count(&me()->seen[by]);
	barrier();
	if (record)
		is_whole(record, who);
}

static unsigned int filter_run(const void *record, const struct bpf_insn *insn)
{
	const struct test_filter *filter = (const void *)insn;
	const struct payload *p = record;
	u32 header;

	if (READ_ONCE(filter->magic) != FILTER_MAGIC)
		FAIL("a filter that is gone");
	count(&me()->seen[BY_FILTER]);
	barrier();
	/* In the scratch, the record may be without its header. */
	if (!filter->filter.scratch_words)
		is_whole(record, "a filter");
	header = p->serial;
	if (p->cpu != shim_cpu || p->len < sizeof(*p))
		FAIL("a filter: no record");
	barrier();
	return matches(header);
}

enum pid_verdict strobe_event_pid_verdict(const struct trace_event_file *file)
{
	return pid_verdict;
}

bool strobe_event_pid_record_ignored(const struct trace_event_file *file, const void *entry)
{
	const struct payload *p = entry;

	look_at(entry, BY_PID, "the list of pids");
	return p->serial % 5 < 2;
}

unsigned int strobe_triggers_call(struct trace_event_file *file, const void *record, u32 ctx,
				  unsigned long from)
{
	look_at(record, BY_TRIGGER, "a trigger");
	return record ? 1 : 0;
}

void strobe_triggers_call_after(struct trace_event_file *file, unsigned int kinds, u32 ctx,
				unsigned long from)
{
	count(&me()->seen[BY_TRIGGER]);
	if (kinds != 1)
		FAIL("a trigger behind the record: kinds %#x", kinds);
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

	count(&me()->seen[BY_STACK]);
	set_fate(serial, WANTED);
	p = strobe_record_reserve(tr->ring, 1, len, record_context(), &resv);
	if (!p)
		return;
	fill(p, serial, len, 0);
	strobe_ring_commit(&resv);
}

struct strobe_reserved sink_attached_reserve(struct strobe_sink *sink, unsigned long words)
{
	u32 *entry = attached.records[attached.used++];

	barrier();
	record_set_header(entry, sink->type, record_probe_context());
	return (struct strobe_reserved) { entry, RECORD_ATTACHED };
}

/* No probe here has a sample, nor knows the registers. */
struct strobe_reserved sink_attached_reserve_sample(struct strobe_sink *sink, unsigned long words,
						    const struct strobe_sample *sample)
{
	return sink_attached_reserve(sink, words);
}

DEFINE_PER_CPU(struct pt_regs *, strobe_record_regs);

void sink_attached_commit(unsigned long from)
{
	is_whole(attached.records[attached.used - 1], "attach/");
	count(&me()->attached);
	barrier();
	attached.used--;
}

/* The expected fate of an event; @at_gate: it does not get as far as the ring. */
static enum fate fate_of(const struct event *event, u32 serial, bool *at_gate)
{
	bool by_pid = event->gate & STROBE_GATE_PID;

	*at_gate = by_pid && pid_verdict == PID_IGNORED;
	if (event->changes)
		return PERHAPS;
	if (event->gate & STROBE_GATE_SOFT_DISABLED &&
	    !(event->gate & STROBE_GATE_TRIGGER_RECORD))
		*at_gate = true;
	if (*at_gate || event->gate & (STROBE_GATE_SOFT_DISABLED | STROBE_GATE_ATTACHED))
		return UNWANTED;
	if (by_pid && pid_verdict == PID_BY_RECORD && serial % 5 < 2)
		return UNWANTED;
	if (event->gate & STROBE_GATE_FILTER && !matches(serial))
		return UNWANTED;
	return WANTED;
}

static u32 random_len(void)
{
	u32 r = shim_random(), len = sizeof(struct payload);

	if (!(r & 1023))
		return strobe_ring_max_payload(instance.ring) + r % 7;
	if (!(r & 15))
		return len + (r >> 10) % 600;
	return len + (r >> 10) % 95;
}

/* Computing the fields may fire events. */
static void compute(void)
{
	barrier();
	if (!dive && !(shim_random() % 1024))
		dive = DIVE;
	while (dive) {
		dive--;
		fire();
	}
}

/* Act as the probe of an event. */
static void probe(struct event *event)
{
	u32 serial = next_serial(), len = random_len();
	bool scratch = DIV_ROUND_UP(len, 4) <= STROBE_WORDS_STRAIGHT;
	struct strobe_reserved res;
	bool at_gate;
	enum fate fate;

	pid_verdict = shim_random() % 3;
	fate = fate_of(event, serial, &at_gate);
	set_fate(serial, fate);
	if (event->gate & STROBE_GATE_ATTACHED)
		len = min(len, (u32)sizeof(attached.records[0]));
	res = strobe_event_reserve(&event->file.sink, len);
	if (event->gate & STROBE_GATE_ASKS) {
		if (res.entry || res.handle != RECORD_ATTACHED)
			FAIL("asked: %p, %#lx", res.entry, res.handle);
		return;
	}
	if (!res.entry) {
		if (fate == UNWANTED && !at_gate) {
			count(&me()->no_place);
			if (scratch)
				count(&me()->full);
		}
		return;
	}
	if (at_gate)
		FAIL("a place for what is dropped, gate %#lx", event->gate);
	fill(res.entry, serial, len, event - events);
	compute();
	if (fate == UNWANTED && !scratch && !(event->gate & STROBE_GATE_ATTACHED))
		count(&me()->rejected);
	strobe_event_commit(res.handle);
}

static void fire(void)
{
	enum pid_verdict verdict = pid_verdict;

	shim_section_enter();
	probe(&events[1 + shim_random() % (FILES - 1)]);
	shim_section_leave();
	pid_verdict = verdict;
}

static void interrupt(void)
{
	u32 was = dive, n = 1 + shim_random() % 3;

	dive = 0;
	while (n--)
		fire();
	dive = was;
}

static bool goes_on(const struct cpu *cpu)
{
	return READ_ONCE(cpu->serials) < opt.events && !READ_ONCE(failures);
}

static void *writer(void *arg)
{
	struct cpu *cpu = arg;

	shim_cpu = cpu - cpus;
	shim_task.pid = shim_cpu + 100;
	shim_self.random = 7654321 + shim_cpu * 1000003;
	shim_self.handler = interrupt;
	shim_self.inject = opt.inject;
	strobe_deferred_setup();
	if (opt.signal_us)
		harness_start_timers(cpu->timers, opt.signal_us);
	while (goes_on(cpu)) {
		fire();
		shim_section_quiet();
	}
	if (opt.signal_us)
		harness_stop_timers(cpu->timers);
	shim_self.inject = 0;
	if (attached.used)
		FAIL("cpu %d: %u records are still with attach/", shim_cpu, attached.used);
	return NULL;
}

/* Has a writer fired the event, is it to be recorded, and was it not read before? */
static void check_record(const struct strobe_ring_record *record)
{
	const struct payload *p = record->data;
	u8 fate;

	if (!is_whole(p, "the reader"))
		return;
	if (record->len != (p->len + 3U) / 4 * 4 || p->cpu != record->cpu) {
		FAIL("the reader: cpu %d: length %u, payload %u, of cpu %u", record->cpu,
		     record->len, p->len, p->cpu);
		return;
	}
	fate = __atomic_fetch_or(&cpus[p->cpu].fate[p->serial], FATE_READ, __ATOMIC_RELAXED);
	if (fate != WANTED && fate != PERHAPS)
		FAIL("the reader: cpu %d: record %u of gate %#lx is %s", p->cpu, p->serial,
		     events[p->file].gate, fate & FATE_READ ? "there twice" : "unwanted");
}

static bool consume(int cpu)
{
	struct strobe_ring_record record;

	if (!strobe_ring_peek(instance.ring, cpu, &record))
		return false;
	check_record(&record);
	strobe_ring_consume(instance.ring, cpu);
	return true;
}

static void *reader(void *arg)
{
	int cpu;

	while (!READ_ONCE(stop)) {
		for (cpu = 0; cpu < opt.cpus; cpu++)
			while (!READ_ONCE(stop) && consume(cpu))
				;
		usleep(100);
	}
	return NULL;
}

static struct strobe_filter *new_filter(void)
{
	struct test_filter *filter = malloc(sizeof(*filter));

	*filter = (struct test_filter) {
		.filter.run = filter_run,
		.filter.scratch_words = shim_random() % 2 ? STROBE_WORDS_STRAIGHT : 0,
		.magic = FILTER_MAGIC,
	};
	filter->filter.insns = (const void *)filter;	/* for filter_run() */
	return &filter->filter;
}

static void free_filter(struct strobe_filter *filter)
{
	struct test_filter *gone = (void *)filter;

	if (!gone)
		return;
	WRITE_ONCE(gone->magic, 0);
	free(gone);
}

/* As strobe_event_file_change_gate(), but makes the release known to ThreadSanitizer. */
static void change_gate(struct strobe_sink *sink, unsigned long set, unsigned long clear)
{
	unsigned long old = READ_ONCE(sink->gate);

#ifdef __SANITIZE_THREAD__
	__tsan_release(&shim_fence);
#endif
	while (!__atomic_compare_exchange_n(&sink->gate, &old, (old & ~clear) | set, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Replace the filter; if the fate may change, have none for a while. */
static void change_filter(struct event *event)
{
	struct strobe_filter *old = event->file.filter, *filter = new_filter();

	__atomic_store_n(&event->file.filter, filter, __ATOMIC_RELEASE);
	if (event->changes) {
		change_gate(&event->file.sink, 0, STROBE_GATE_FILTER);
		synchronize_rcu();
		change_gate(&event->file.sink, STROBE_GATE_FILTER, 0);
	}
	synchronize_rcu();
	free_filter(old);
}

static void *controller(void *arg)
{
	/* Bits that do not change the fate */
	static const unsigned long bits[] = {
		STROBE_GATE_STACKTRACE, STROBE_GATE_PRINTK, STROBE_GATE_EXPORT,
		STROBE_GATE_TRIGGER,
	};
	struct event *event;
	unsigned long bit;
	u32 r;

	shim_self.random = 99;
	while (!READ_ONCE(stop)) {
		r = shim_random();
		event = &events[1 + r % (FILES - 1)];
		bit = bits[(r >> 8) % ARRAY_SIZE(bits)];
		switch ((r >> 16) % 8) {
		case 0:
			strobe_ring_resize(instance.ring, (2 + (r >> 20) % 6) * 4000,
					   STROBE_RING_ALL_CPUS);
			break;
		case 1:
			set_clock((r >> 20) % 2 ? other_clock : NULL);
			break;
		case 2:
		case 3:
			if (event->gate & STROBE_GATE_FILTER)
				change_filter(event);
			break;
		case 4:
			if (event->changes)
				change_gate(&event->file.sink, STROBE_GATE_SOFT_DISABLED, 0);
			break;
		case 5:
			if (event->changes)
				change_gate(&event->file.sink, 0, STROBE_GATE_SOFT_DISABLED);
			break;
		default:
			/* Events without a gate stay on the fast path. */
			if (!event->gate || event->gate & STROBE_GATE_ATTACHED)
				break;
			if (READ_ONCE(event->file.sink.gate) & bit)
				change_gate(&event->file.sink, 0, bit);
			else
				change_gate(&event->file.sink, bit, 0);
		}
		usleep(50);
	}
	return NULL;
}

/* File 0 is for strobe_record_stacks(): it is not fired. */
static void make_events(void)
{
	static const unsigned long first[] = {
		0, 0, 0, STROBE_GATE_FILTER, STROBE_GATE_FILTER, STROBE_GATE_ATTACHED,
		STROBE_GATE_ATTACHED | STROBE_GATE_ASKS, STROBE_GATE_TRIGGER,
		STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD,
	};
	struct event *event;
	u32 i;

	for (i = 0; i < FILES; i++) {
		event = &events[i];
		event->file.sink.ring = instance.ring;
		event->file.sink.type = i + 1;
		event->file.tr = &instance;
		event->gate = shim_random() % STROBE_GATE_ATTACHED;
		if (i < ARRAY_SIZE(first))
			event->gate = first[i];
		if (event->gate & STROBE_GATE_TRIGGER_RECORD)
			event->gate |= STROBE_GATE_TRIGGER;
		/* Every fourth of the others is soft-disabled, or without its filter, at times. */
		event->changes = opt.changes && !opt.exact && i >= ARRAY_SIZE(first) && i % 4 == 0;
		if (event->changes)
			event->gate |= STROBE_GATE_FILTER;
		if (event->gate & STROBE_GATE_FILTER)
			event->file.filter = new_filter();
		event->file.sink.gate = event->gate;
	}
}

/* Wanted records that were not read must have been overwritten or dropped. */
static void account(int cpu)
{
	u64 missing = 0, perhaps = 0, gone;
	struct strobe_ring_stats stats;
	struct cpu *of = &cpus[cpu];
	u32 i;

	while (consume(cpu))
		;
	strobe_ring_stats(instance.ring, cpu, &stats);
	for (i = 0; i < of->serials; i++) {
		missing += of->fate[i] == WANTED;
		perhaps += of->fate[i] == PERHAPS;
	}
	gone = stats.overrun + stats.dropped + stats.commit_overrun + stats.discarded -
	       of->rejected - of->no_place;
	printf("# cpu %d: %u events; read %lu, overrun %lu, dropped %lu, commit overrun %lu\n",
	       cpu, of->serials, stats.read, stats.overrun, stats.dropped, stats.commit_overrun);
	printf("#	discarded %lu, rejected %lu, no place %lu; filters %lu, triggers %lu\n",
	       stats.discarded, of->rejected, of->no_place, of->seen[BY_FILTER],
	       of->seen[BY_TRIGGER]);
	printf("#	exports %lu, stacks %lu, pids %lu, attached %lu\n", of->seen[BY_EXPORT],
	       of->seen[BY_STACK], of->seen[BY_PID], of->attached);
	if (gone < missing || gone > missing + perhaps || ((!opt.changes || opt.exact) && perhaps))
		FAIL("cpu %d: %lu are missing, %lu perhaps; overwritten or refused %lu", cpu,
		     missing, perhaps, gone);
	for (i = 0; i < LOOKS; i++)
		if (!of->seen[i])
			FAIL("cpu %d: nothing of kind %u has happened", cpu, i);
	if (!of->attached || !of->full)
		FAIL("cpu %d: %lu attached, %lu found no place", cpu, of->attached, of->full);
	if (!opt.spare)
		return;
	/* No record there is ever committed. In discard mode it is needed when the ring is full. */
	strobe_ring_stats(strobe_record_spare_ring, cpu, &stats);
	if (stats.reserved != stats.discarded || (!opt.overwrite && !stats.reserved))
		FAIL("cpu %d: the spare ring has had %lu, discarded %lu", cpu, stats.reserved,
		     stats.discarded);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:n:s:i:u:dekp")) != -1) {
		switch (c) {
		case 'c':
			opt.cpus = atoi(optarg);
			break;
		case 'n':
			opt.events = strtoul(optarg, NULL, 0);
			break;
		case 's':
			opt.slots = atoi(optarg);
			break;
		case 'i':
			opt.inject = atoi(optarg);
			break;
		case 'u':
			opt.signal_us = atoi(optarg);
			break;
		case 'd':
			opt.overwrite = false;
			break;
		case 'e':
			opt.exact = true;
			break;
		case 'k':
			opt.changes = false;
			break;
		case 'p':
			opt.spare = true;
			break;
		default:
			opt.cpus = 0;
		}
	}
	if (opt.cpus < 1 || opt.cpus > SHIM_MAX_CPUS || opt.events > SERIALS / 2) {
		fprintf(stderr, "torture [-c CPUs] [-n events of each] [-s slots]\n"
			"	[-d: discard mode] [-i one barrier in so many interrupts] [-u microseconds between signals]\n"
			"	[-k: change nothing] [-e: nor what decides] [-p: a spare ring]\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = {};
	pthread_t consumer, changer;
	int cpu;
	u32 i;

	parse(argc, argv);
	shim_nr_cpus = opt.cpus;
	params.bytes = opt.slots * (PAGE_SIZE - STROBE_SUBBUF_HEADER);
	params.overwrite = opt.overwrite;
	instance.ring = strobe_ring_create(&params);
	strobe_record_spare_ring = opt.spare ? strobe_ring_create(&params) : NULL;
	if (IS_ERR(instance.ring) || IS_ERR(strobe_record_spare_ring))
		abort();
	set_clock(NULL);
	make_events();
	harness_catch_signals();
	pthread_create(&consumer, NULL, reader, NULL);
	if (opt.changes)
		pthread_create(&changer, NULL, controller, NULL);
	for (cpu = 0; cpu < opt.cpus; cpu++)
		pthread_create(&cpus[cpu].thread, NULL, writer, &cpus[cpu]);
	for (cpu = 0; cpu < opt.cpus; cpu++)
		pthread_join(cpus[cpu].thread, NULL);
	WRITE_ONCE(stop, true);
	pthread_join(consumer, NULL);
	if (opt.changes)
		pthread_join(changer, NULL);

	if (strobe_ring_check(instance.ring, STROBE_RING_ALL_CPUS))
		FAIL("final check");
	for (cpu = 0; cpu < opt.cpus; cpu++)
		account(cpu);
	for (i = 0; i < FILES; i++)
		free_filter(events[i].file.filter);
	strobe_ring_destroy(instance.ring);
	if (strobe_record_spare_ring)
		strobe_ring_destroy(strobe_record_spare_ring);
	return !!failures;
}
