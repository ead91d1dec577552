// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of record/: the controller, which changes gates and filters, and swaps, resets,
 * resizes and switches off the ring that the probes record into.
 */
#include "torture.h"

u64 turns[TURNS];
struct event *changed;
pthread_mutex_t access_lock = PTHREAD_MUTEX_INITIALIZER;
struct strobe_ring_stats before_reset[SHIM_MAX_CPUS];
struct mutex strobe_event_mutex = { PTHREAD_MUTEX_INITIALIZER };

/* Per-CPU variables of record/ are thread-local, those of the ring are not. */
static struct strobe_ring_cpu *ring_of(struct strobe_ring *ring, int cpu)
{
	return READ_ONCE(ring->percpu) + cpu;
}

/*
 * The ring is built as for an architecture whose clock has to be called, record.c as for one
 * whose clock is read inline: let it do that, unless the clock is another one.
 */
static void allow_inline(struct strobe_ring *ring)
{
	atomic_t *limit;
	int cpu, old, new;

	for (cpu = 0; cpu < opt.cpus; cpu++) {
		limit = &ring_of(ring, cpu)->limit;
		old = atomic_read(limit);
		do {
			new = old & ~(STROBE_LIMIT_CLOCK | STROBE_LIMIT_SIGN);
			if (new & ~STROBE_LIMIT_CAPACITY)
				new |= STROBE_LIMIT_SIGN;
		} while (!atomic_try_cmpxchg(limit, &old, new));
	}
}

void set_clock(u64 (*clock)(void))
{
	int i;

	for (i = 0; i < 2; i++)
		strobe_ring_hold(rings[i]);
	for (i = 0; i < 2; i++) {
		strobe_ring_set_clock(rings[i], clock);
		if (!clock)
			allow_inline(rings[i]);
	}
	for (i = 0; i < 2; i++)
		strobe_ring_release(rings[i]);
}

/* The writers of @rc are held off, and it was reset: save what @before it was has removed. */
static void save_reset(int cpu, const struct strobe_ring_cpu *rc,
		       const struct strobe_ring_stats *before, u64 refused_before)
{
	struct strobe_ring_stats *sum = &before_reset[cpu];

	harness_add_stats(sum, before);
	/* Events are refused until the reset, which begins to count them again. */
	sum->dropped += rc->refused_before - refused_before;
}

/* Return: whether there were unread records */
static bool reset(struct strobe_ring *ring, int which)
{
	struct strobe_ring_stats before[SHIM_MAX_CPUS];
	u64 refused_before[SHIM_MAX_CPUS];
	struct strobe_ring_cpu *rc;
	u64 removed = 0;
	int cpu;

	strobe_ring_stop(ring, which);
	for (cpu = 0; cpu < opt.cpus; cpu++) {
		rc = ring_of(ring, cpu);
		strobe_ring_stats(ring, cpu, &before[cpu]);
		/* Without rc->refused, which still grows. */
		before[cpu].dropped = local_read(&rc->dropped);
		refused_before[cpu] = rc->refused_before;
	}
	strobe_ring_reset(ring, which);
	for (cpu = 0; cpu < opt.cpus; cpu++) {
		if (which != STROBE_RING_ALL_CPUS && which != cpu)
			continue;
		save_reset(cpu, ring_of(ring, cpu), &before[cpu], refused_before[cpu]);
		removed += before[cpu].entries;
	}
	strobe_ring_start(ring, which);
	return removed;
}

/* Handler of the controller and the reader: delay them. */
void dawdle(void)
{
	usleep(shim_random() % 100);
}

static void pause_recording(bool by_switch, int cpu)
{
	off_begin();
	if (by_switch)
		strobe_ring_set_on(rings[0], false);
	else
		strobe_ring_record_disable(rings[0], cpu);
	usleep(shim_random() % 50);
	if (by_switch)
		strobe_ring_set_on(rings[0], true);
	else
		strobe_ring_record_enable(rings[0], cpu);
	off_end();
}

/* This thread is no CPU: it has no counts. */
static bool swap_all(void)
{
	int err;

	preempt_disable_notrace();
	err = strobe_ring_swap(rings[0], rings[1]);
	if (!err)
		strobe_ring_swap_wake(rings[0], rings[1]);
	preempt_enable_notrace();
	if (!err)
		__atomic_fetch_add(&swaps, 1, __ATOMIC_RELAXED);
	return !err;
}

bool is_self(const struct event *event)
{
	return event >= &events[FIRST_SELF];
}

/* Only this thread changes these bits, and none may get lost. */
static void check_gate(const struct event *event)
{
	unsigned long gate = READ_ONCE(event->file.sink.gate);

	if (event->changes || is_self(event))
		gate &= ~STROBE_GATE_SOFT_DISABLED;
	if (gate != event->bits)
		FAIL("the gate of file %ld is %#lx, not %#lx", event - events, gate, event->bits);
}

/* Change the gate of an event file; not SOFT_DISABLED. */
static void change_gate(struct event *event, unsigned long set, unsigned long clear)
{
	check_gate(event);
	event->bits = (event->bits & ~clear) | set;
	strobe_event_file_change_gate(&event->file, set, clear);
	check_gate(event);
}

static void change_soft(struct event *event, bool soft)
{
	if (soft)
		strobe_event_file_change_gate(&event->file, STROBE_GATE_SOFT_DISABLED, 0);
	else
		strobe_event_file_change_gate(&event->file, 0, STROBE_GATE_SOFT_DISABLED);
	check_gate(event);
}

/* The reader: change a bit that no other thread changes. Changes of others must not undo that. */
void change_owned(void)
{
	static bool soft;
	unsigned long gate;

	if (!owned)
		return;
	gate = READ_ONCE(owned->file.sink.gate);
	if (!(gate & STROBE_GATE_SOFT_DISABLED) != !soft)
		FAIL("the gate of file %ld is %#lx: a change is undone", owned - events, gate);
	soft = !soft;
	strobe_event_file_change_gate(&owned->file, soft ? STROBE_GATE_SOFT_DISABLED : 0,
				      soft ? 0 : STROBE_GATE_SOFT_DISABLED);
	__atomic_fetch_add(&turns[OWNED], 1, __ATOMIC_RELAXED);
}

/* Set or clear a bit of all gates of the instance. */
static void change_gates(unsigned long bit, bool on)
{
	u32 i;

	strobe_event_files_set_gate(&instance, bit, on);
	for (i = 0; i < FILES; i++) {
		if (!xa_load(&instance.files, i))
			continue;
		if (on)
			events[i].bits |= bit;
		else
			events[i].bits &= ~bit;
		check_gate(&events[i]);
	}
}

/*
 * Store a filter that no probe uses before its bit of the gate is set. An ordinary store: only
 * the gate orders it.
 */
void set_filter(struct event *event, struct strobe_filter *filter)
{
	event->file.filter = filter;
}

/* Replace the filter; if the fate may change, have none for a while. */
static void change_filter(struct event *event)
{
	struct strobe_filter *old = event->file.filter, *filter = new_filter(event - events);

	WRITE_ONCE(changed, event);
	if (event->changes) {
		change_gate(event, 0, STROBE_GATE_FILTER);
		synchronize_rcu();
		set_filter(event, filter);
		change_gate(event, STROBE_GATE_FILTER, 0);
	} else {
		__atomic_store_n(&event->file.filter, filter, __ATOMIC_RELEASE);
	}
	synchronize_rcu();
	free_filter(old);
}

/* Change a bit that does not change the fate. */
static void change_bit(struct event *event, u32 r)
{
	static const unsigned long bits[] = {
		STROBE_GATE_STACKTRACE, STROBE_GATE_PRINTK, STROBE_GATE_EXPORT,
		STROBE_GATE_TRIGGER,
	};
	unsigned long bit = bits[r % ARRAY_SIZE(bits)];

	/* An event whose triggers read the record keeps them. */
	if (event->gate & STROBE_GATE_TRIGGER_RECORD && bit == STROBE_GATE_TRIGGER)
		return;
	if (event->bits & bit)
		change_gate(event, 0, bit);
	else
		change_gate(event, bit, 0);
}

/* Change the rings, and maybe remove records. */
static bool change_rings(enum turn turn, u32 r)
{
	int cpu = (int)(r % (opt.cpus + 1)) - 1;

	r >>= 4;
	switch (turn) {
	case ORDER:
		return !strobe_ring_set_order_two(rings[0], rings[1], r % 3);
	case RESET:
		return reset(rings[r % 2], cpu);
	case SWAP_RINGS:
		return swap_all();
	case SWAP_CPU:
		return !strobe_ring_swap_cpu(rings[0], rings[1], r % opt.cpus);
	case CHECK:
		if (strobe_ring_check(rings[r % 2], cpu))
			FAIL("check of cpu %d", cpu);
		return true;
	default:
		return false;
	}
}

/* Change the settings of the rings. */
static bool change_settings(enum turn turn, u32 r)
{
	int cpu = (int)(r % (opt.cpus + 1)) - 1;

	r >>= 4;
	switch (turn) {
	case RESIZE:
		return !strobe_ring_resize_two(rings[0], rings[1], (2 + r % 6) * 4000, cpu);
	case CLOCK:
		set_clock(r % 2 ? other_clock : NULL);
		return true;
	case OVERWRITE:
		strobe_ring_set_overwrite(rings[0], opt.overwrite && r % 2);
		return true;
	case SWITCH_OFF:
	case DISABLE:
		pause_recording(turn == SWITCH_OFF, cpu);
		return true;
	default:
		return false;
	}
}

/* Change an event file. Events without a gate stay on the fast path, most of the time. */
static bool change_event(enum turn turn, u32 r)
{
	static const unsigned long all[] = {
		STROBE_GATE_STACKTRACE, STROBE_GATE_PRINTK, STROBE_GATE_EXPORT,
	};
	struct event *event = &events[1 + r % (FILES - 1)];

	r >>= 8;
	switch (turn) {
	case FILTER:
		while (!(event->gate & STROBE_GATE_FILTER))
			event = &events[1 + shim_random() % (FILES - 1)];
		change_filter(event);
		return true;
	case SOFT:
		if (!event->changes || event == owned)
			return false;
		change_soft(event, r % 2);
		return true;
	case GATE:
		if (!event->gate || event->gate & (STROBE_GATE_ATTACHED | STROBE_GATE_TAP))
			return false;
		change_bit(event, r);
		return true;
	case GATES:
		change_gates(all[r % ARRAY_SIZE(all)], true);
		usleep(20);
		change_gates(all[r % ARRAY_SIZE(all)], false);
		return true;
	default:
		return false;
	}
}

static bool take_turn(enum turn turn, u32 r)
{
	bool done = change_event(turn, r) || change_settings(turn, r);

	if (done)
		return true;
	pthread_mutex_lock(&access_lock);
	done = change_rings(turn, r);
	pthread_mutex_unlock(&access_lock);
	return done;
}

void *controller(void *arg)
{
	enum turn turn;

	shim_self.random = 99;
	shim_self.handler = dawdle;
	shim_self.inject = 100;
	while (!READ_ONCE(stop)) {
		turn = shim_random() % TURNS;
		if (take_turn(turn, shim_random()))
			__atomic_fetch_add(&turns[turn], 1, __ATOMIC_RELAXED);
		usleep(50);
	}
	return NULL;
}
