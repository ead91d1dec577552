// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the path of an event from its probe into the ring: record.c, reserve.c, deferred.c
 * and gate.c of record/, unmodified. Threads stand for CPUs, interrupted as in the torture of the
 * ring. They fire events with all kinds of gates (probe.c); filters, triggers, lists of pids,
 * exports, taps and attached sinks check that they are shown a complete record (shown.c). One
 * reader consumes, and one thread changes filters, gates and the ring (change.c): it and the
 * writers swap it with another one.
 *
 * Each event has a serial number of its CPU, and for each number its expected fate is stored.
 * In the end each event must be accounted for, and each kind of thing must have happened
 * (account.c).
 */
#include "torture.h"

/* The writers go on for so many times as many events, until all has happened. */
#define PATIENCE	10

struct options opt = {
	.cpus = 2, .events = 200000, .slots = 4, .inject = 40, .signal_us = 150, .overwrite = true,
	.changes = true,
};

struct cpu cpus[SHIM_MAX_CPUS];
struct event events[FILES];
struct trace_array instance;
struct strobe_ring *rings[2];
int failures;
bool stop;
struct event *owned;

static void *files[FILES];

__thread struct task_struct shim_task;

static_assert(offsetof(struct event, file.sink) == offsetof(struct event, tap.sink));

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

u64 other_clock(void)
{
	return sched_clock_noinstr();
}

u32 shim_preempt_count(void)
{
	return shim_self.depth % 2 ? HARDIRQ_OFFSET : 0;
}

static bool goes_on(const struct cpu *cpu)
{
	u32 serials = READ_ONCE(cpu->serials);

	if (READ_ONCE(failures))
		return false;
	if (serials < opt.events)
		return true;
	return serials / PATIENCE < opt.events && serials < SERIALS / 2 && !all_seen();
}

/* Let the other threads run at times; when all else is done, most of the time. */
static void rest(const struct cpu *cpu)
{
	if (READ_ONCE(cpu->serials) >= opt.events || !(shim_random() % 256))
		usleep(10);
}

static void *writer(void *arg)
{
	struct cpu *cpu = arg;
	unsigned long top;

	shim_cpu = cpu - cpus;
	shim_task.pid = shim_cpu + 100;
	shim_self.random = 7654321 + shim_cpu * 1000003;
	shim_self.handler = interrupt;
	shim_self.inject = opt.inject;
	strobe_deferred_setup();
	top = this_cpu_read(strobe_deferred_top);
	if (opt.signal_us)
		harness_start_timers(cpu->timers, opt.signal_us);
	while (goes_on(cpu)) {
		fire();
		shim_section_quiet();
		rest(cpu);
	}
	if (opt.signal_us)
		harness_stop_timers(cpu->timers);
	shim_self.inject = 0;
	if (this_cpu_read(strobe_deferred_top) != top)
		FAIL("cpu %d: deferred records are left", shim_cpu);
	probe_exit();
	shown_exit();
	return NULL;
}

static void make_tap(struct event *event, u32 type)
{
	/* A broken variant records into the ring of a tap, which has none. */
	event->tap = (struct strobe_tap) {
		.sink = { .gate = event->gate, .ring = instance.ring, .type = type },
		.take = tap_take,
		.missed = tap_missed,
	};
}

static void make_file(struct event *event, u32 i)
{
	event->file.sink.ring = instance.ring;
	event->file.sink.type = i + 1;
	event->file.tr = &instance;
	if (event->gate & STROBE_GATE_FILTER)
		set_filter(event, new_filter(i));
	event->file.sink.gate = event->gate;
	event->bits = event->gate;
	if (!(event->gate & STROBE_GATE_ATTACHED))
		files[i] = &event->file;
}

/* File 0 is for strobe_record_stacks(): it is not fired. */
static void make_events(void)
{
	static const unsigned long first[] = {
		0, 0, 0, 0, STROBE_GATE_FILTER, STROBE_GATE_FILTER, STROBE_GATE_FILTER,
		STROBE_GATE_ATTACHED, STROBE_GATE_ATTACHED | STROBE_GATE_ASKS, STROBE_GATE_TAP,
		STROBE_GATE_TAP, STROBE_GATE_TRIGGER,
		STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD,
	};
	struct event *event;
	u32 i;

	for (i = 0; i < FILES; i++) {
		event = &events[i];
		event->gate = shim_random() % STROBE_GATE_ATTACHED;
		if (i < ARRAY_SIZE(first))
			event->gate = first[i];
		if (is_self(event))
			event->gate = STROBE_GATE_TRIGGER | STROBE_GATE_TRIGGER_RECORD;
		if (event->gate & STROBE_GATE_TRIGGER_RECORD)
			event->gate |= STROBE_GATE_TRIGGER;
		/* Every fourth of the others is soft-disabled, or without its filter, at times. */
		event->changes = opt.changes && !opt.exact && i % 4 == 0 &&
				 i >= ARRAY_SIZE(first) && !is_self(event);
		if (event->changes) {
			event->gate |= STROBE_GATE_FILTER;
			event->gate &= ~STROBE_GATE_SOFT_DISABLED;
			owned = event;
		}
		if (event->gate & STROBE_GATE_TAP)
			make_tap(event, i + 1);
		else
			make_file(event, i);
	}
	instance.files.slots = files;
	instance.files.nr = FILES;
}

static void usage(void)
{
	fprintf(stderr, "torture [-c CPUs] [-n events of each] [-s slots]\n"
		"	[-d: discard mode] [-i one barrier in so many interrupts] [-u microseconds between signals]\n"
		"	[-k: change nothing] [-e: nor what decides] [-p: a spare ring]\n");
	exit(2);
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
			usage();
		}
	}
	if (opt.cpus < 1 || opt.cpus > SHIM_MAX_CPUS || opt.events > SERIALS / 2)
		usage();
}

static struct strobe_ring *make_ring(const struct strobe_ring_params *params)
{
	struct strobe_ring *ring = strobe_ring_create(params);

	if (IS_ERR(ring))
		abort();
	return ring;
}

static void run(void)
{
	pthread_t consumer, changer;
	int cpu;

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
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = {};
	int cpu, i;

	parse(argc, argv);
	shim_nr_cpus = opt.cpus;
	params.bytes = opt.slots * (PAGE_SIZE - STROBE_SUBBUF_HEADER);
	params.overwrite = opt.overwrite;
	for (i = 0; i < 2; i++)
		rings[i] = make_ring(&params);
	instance.ring = rings[0];
	strobe_record_spare_ring = opt.spare ? make_ring(&params) : NULL;
	set_clock(NULL);
	make_events();
	harness_catch_signals();
	run();

	for (i = 0; i < 2; i++) {
		if (strobe_ring_check(rings[i], STROBE_RING_ALL_CPUS))
			FAIL("final check");
	}
	for (cpu = 0; cpu < opt.cpus; cpu++)
		account(cpu);
	account_all();
	for (i = 0; i < FILES; i++) {
		if (events[i].gate & STROBE_GATE_FILTER)
			free_filter(events[i].file.filter);
	}
	for (i = 0; i < 2; i++)
		strobe_ring_destroy(rings[i]);
	if (strobe_record_spare_ring)
		strobe_ring_destroy(strobe_record_spare_ring);
	return !!failures;
}
