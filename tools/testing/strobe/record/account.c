// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of record/: the reader, and the account of all events. A reader must find each wanted
 * record at most once, and no others; those that it does not find must be as many as were
 * overwritten, dropped, refused while recording was off, or removed by a reset.
 */
#include "torture.h"

static const char * const count_names[COUNTS] = {
	[REJECTED]	= "rejected that had a reservation",
	[NO_PLACE]	= "unwanted without a reservation",
	[OFF]		= "refused while recording was off",
	[FULL]		= "unwanted without a scratch",
	[BY_FILTER]	= "shown to filters",
	[BY_HEADER]	= "with its header",
	[BY_TRIGGER]	= "shown to triggers",
	[BY_EXPORT]	= "exported",
	[BY_STACK]	= "stacks",
	[BY_REGS]	= "with registers",
	[BY_PID]	= "shown to lists of pids",
	[ATTACHED]	= "attached",
	[SAMPLED]	= "with a sample",
	[TAPPED]	= "taken by taps",
	[TAP_MISSED]	= "missed by taps",
	[NESTED_RECORD]	= "nested",
	[TAPPED_LONG]	= "long ones taken by taps",
	[HELD]		= "refused during changes",
	[SWAPS]		= "swaps by writers",
	[SWAP_BUSY]	= "swaps that were refused",
	[SWAPPED_SCRATCH] = "in a scratch over a swap",
	[SWAPPED_LONG]	= "deferred in a ring over a swap",
	[SWAPPED_OPEN]	= "in a ring over a swap",
	[SWAPPED_TRIGGER] = "swaps by triggers",
	[OFF_TRIGGER]	= "switched off by triggers",
	[SELF_TRIGGER]	= "disabled by their own trigger",
	[SOFT_TRIGGER]	= "events switched by triggers",
};

static const char * const turn_names[TURNS] = {
	[RESIZE]	= "resizes",
	[ORDER]		= "orders",
	[CLOCK]		= "clocks",
	[OVERWRITE]	= "modes",
	[RESET]		= "resets of unread records",
	[SWAP_RINGS]	= "swaps",
	[SWAP_CPU]	= "swaps of a CPU",
	[SWITCH_OFF]	= "off",
	[DISABLE]	= "disabled",
	[CHECK]		= "checks",
	[FILTER]	= "filters",
	[GATE]		= "gates",
	[GATES]		= "of all files",
	[SOFT]		= "soft-disabled",
	[OWNED]		= "by the reader",
};

/* Records that the reader has consumed, and the final account */
static u64 consumed[SHIM_MAX_CPUS];

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

/* Neither a swap nor what removes records comes between the two steps. */
static bool consume(struct strobe_ring *ring, int cpu)
{
	struct strobe_ring_record record;

	if (!strobe_ring_peek(ring, cpu, &record))
		return false;
	check_record(&record);
	strobe_ring_consume(ring, cpu);
	consumed[cpu]++;
	return true;
}

static void read_some(void)
{
	int i, cpu;
	u32 n;

	for (i = 0; i < 2; i++) {
		for (cpu = 0; cpu < opt.cpus; cpu++) {
			n = shim_random() % 2 * (shim_random() % 1000);
			while (n-- && !READ_ONCE(stop) && consume(rings[i], cpu))
				;
		}
	}
}

void *reader(void *arg)
{
	shim_self.random = 77;
	shim_self.handler = dawdle;
	shim_self.inject = 1000;
	while (!READ_ONCE(stop)) {
		change_owned();
		pthread_mutex_lock(&access_lock);
		strobe_ring_hold(rings[0]);
		strobe_ring_hold(rings[1]);
		read_some();
		strobe_ring_release(rings[1]);
		strobe_ring_release(rings[0]);
		pthread_mutex_unlock(&access_lock);
		usleep(100 + shim_random() % 300);
	}
	return NULL;
}

static u64 sum_of(enum count what)
{
	u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < opt.cpus; cpu++)
		sum += READ_ONCE(cpus[cpu].nr[what]);
	return sum;
}

/* Can it happen with these options? */
static bool is_possible(enum count what)
{
	if (what >= SOFT_TRIGGER)
		return opt.changes && !opt.exact;
	if (what >= HELD)
		return opt.changes;
	return what != TAPPED_LONG || opt.spare;
}

static bool turn_possible(enum turn turn)
{
	return opt.changes && (turn < SOFT || !opt.exact);
}

/* Has each kind of thing happened? */
bool all_seen(void)
{
	u32 i;

	for (i = FIRST_SEEN; i < COUNTS; i++) {
		if (is_possible(i) && !sum_of(i))
			return false;
	}
	for (i = 0; i < TURNS; i++) {
		if (turn_possible(i) && !READ_ONCE(turns[i]))
			return false;
	}
	return !opt.changes || sum_of(OFF);
}

/* The statistics of both rings, with what resets have removed. All records have been read. */
static void sum_stats(int cpu, struct strobe_ring_stats *sum)
{
	struct strobe_ring_stats stats;
	int i;

	*sum = before_reset[cpu];
	for (i = 0; i < 2; i++) {
		strobe_ring_stats(rings[i], cpu, &stats);
		if (stats.entries)
			FAIL("cpu %d: %lu records are left", cpu, stats.entries);
		harness_add_stats(sum, &stats);
	}
	if (sum->reserved != sum->read + sum->overrun + sum->discarded + sum->entries)
		FAIL("cpu %d: %lu reserved", cpu, sum->reserved);
	if (sum->read != consumed[cpu])
		FAIL("cpu %d: %lu consumed, %lu counted", cpu, consumed[cpu], sum->read);
}

/* Wanted records that were not read must have been overwritten, refused or removed. */
void account(int cpu)
{
	u64 missing = 0, perhaps = 0, gone;
	struct cpu *of = &cpus[cpu];
	struct strobe_ring_stats sum;
	u32 i;

	for (i = 0; i < 2; i++) {
		while (consume(rings[i], cpu))
			;
	}
	sum_stats(cpu, &sum);
	for (i = 0; i < of->serials; i++) {
		missing += of->fate[i] == WANTED;
		perhaps += of->fate[i] == PERHAPS;
	}
	gone = sum.overrun + sum.dropped + sum.commit_overrun + sum.entries + of->nr[OFF] +
	       sum.discarded - of->nr[REJECTED] - of->nr[NO_PLACE];
	printf("# cpu %d: %u events; read %lu, overrun %lu, reset %lu, ", cpu, of->serials,
	       sum.read, sum.overrun, sum.entries);
	printf("dropped %lu, commit overrun %lu\n", sum.dropped, sum.commit_overrun);
	if (gone < missing || gone > missing + perhaps || ((!opt.changes || opt.exact) && perhaps))
		FAIL("cpu %d: %lu are missing, %lu perhaps; overwritten or refused %lu", cpu,
		     missing, perhaps, gone);
	if (!opt.spare)
		return;
	/* No record there is ever committed. In discard mode it is needed when the ring is full. */
	strobe_ring_stats(strobe_record_spare_ring, cpu, &sum);
	if (sum.reserved != sum.discarded || (!opt.overwrite && !sum.reserved))
		FAIL("cpu %d: the spare ring has had %lu, discarded %lu", cpu, sum.reserved,
		     sum.discarded);
}

/* Each kind of thing must have happened, if it can; after a failure much may not have. */
void account_all(void)
{
	u64 nr;
	u32 i;

	if (failures)
		return;
	for (i = 0; i < COUNTS; i++) {
		nr = sum_of(i);
		printf("%s%lu %s", i % 4 ? ", " : i ? "\n# " : "# ", nr, count_names[i]);
		if (is_possible(i) && i >= FIRST_SEEN ? !nr : i >= HELD && nr)
			FAIL("%s: %lu", count_names[i], nr);
	}
	for (i = 0; i < TURNS; i++) {
		printf("%s%lu %s", i % 8 ? ", " : "\n# ", turns[i], turn_names[i]);
		if (!turn_possible(i) != !turns[i])
			FAIL("controller: %s: %lu", turn_names[i], turns[i]);
	}
	printf("\n");
	if (!opt.changes != !sum_of(OFF))
		FAIL("%s: %lu", count_names[OFF], sum_of(OFF));
}
