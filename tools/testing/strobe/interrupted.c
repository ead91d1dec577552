// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the ring that are interrupted, once before each of their instructions. The test
 * single-steps a function up to one instruction, calls another function as the interrupt, and
 * lets the first one continue; then the same with the next instruction.
 *
 *	function	interrupt		what must hold
 *	a setting	a setting, a swap	in the end, writers obey the settings
 *	a swap		a setting, a swap	the same; and the rings can be swapped again
 *	a swap		a record		is recorded if recording is on, and only then
 *	a swap		another CPU's hold	once a ring is held, it is not swapped any more
 *	statistics	a swap			are those of one of the rings
 *	statistics	a record that overwrites are those before it or after it
 *	a record	a reader looks at it	wakes another reader, which sleeps
 *	a fill level	records, all consumed	is one that the ring had
 */
#include <signal.h>
#include <ucontext.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

#define SUBBUF		(PAGE_SIZE - STROBE_SUBBUF_HEADER)
#define TRAP_FLAG	0x100UL

static struct strobe_ring *rings[2];
static u64 now, interrupts;
static int failures;

#define FAIL(...) do {							\
	if (!failures++) {						\
		fprintf(stderr, "# interrupted: " __VA_ARGS__);		\
		fputc('\n', stderr);					\
	}								\
} while (0)

u64 sched_clock_noinstr(void)
{
	return now += 10;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static void (*interrupt)(void);
static bool interrupted;
static u32 steps_left;

/* After an instruction with the trap flag set */
static void trapped(int sig, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)sig;
	(void)info;
	if (steps_left--)
		return;
	interrupt();
	interrupted = true;
	interrupts++;
	user->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Below the stack pointer, there are 128 bytes that the compiler may use. */
static void set_trap_flag(unsigned long flag)
{
	asm volatile("leaq -128(%%rsp), %%rsp\n\t"
		     "pushfq\n\t"
		     "andq %0, (%%rsp)\n\t"
		     "orq %1, (%%rsp)\n\t"
		     "popfq\n\t"
		     "leaq 128(%%rsp), %%rsp"
		     : : "r" (~TRAP_FLAG), "r" (flag) : "memory", "cc");
}

/*
 * Call @function, and after @at instructions of it, @handler.
 * Return: false: it has fewer instructions, and @handler was not called.
 */
static bool interrupt_at(u32 at, void (*function)(void), void (*handler)(void))
{
	steps_left = at;
	interrupt = handler;
	interrupted = false;
	set_trap_flag(TRAP_FLAG);
	function();
	set_trap_flag(0);
	return interrupted;
}

/* Return: a record of @len bytes was made in rings[0]. */
static bool put(u32 len)
{
	struct strobe_ring_resv resv;

	if (!strobe_ring_reserve(rings[0], len, &resv))
		return false;
	strobe_ring_commit(&resv);
	return true;
}

enum op { ON, OFF, DISABLE, ENABLE, DISABLE_CPU, ENABLE_CPU, SWAP, OPS };

static const char * const names[OPS] = {
	"on", "off", "disable", "enable", "disable a cpu", "enable a cpu", "swap",
};

static int outer_op, inner_op;
static int stops, cpu_stops;	/* the counts that rings[0] should have */

static void do_op(int op)
{
	int cpu = op == DISABLE_CPU || op == ENABLE_CPU ? 0 : STROBE_RING_ALL_CPUS;
	int *count = cpu ? &stops : &cpu_stops;

	switch (op) {
	case ON:
	case OFF:
		strobe_ring_set_on(rings[0], op == ON);
		break;
	case DISABLE:
	case DISABLE_CPU:
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
		strobe_ring_record_disable(rings[0], cpu);
		break;
	case ENABLE:
	case ENABLE_CPU:
		__atomic_fetch_sub(count, 1, __ATOMIC_RELAXED);
		strobe_ring_record_enable(rings[0], cpu);
		break;
	case SWAP:
		/* It is refused while recording is disabled, and beside another swap. */
		strobe_ring_swap(rings[0], rings[1]);
		break;
	}
}

static void outer(void)
{
	do_op(outer_op);
}

static void inner(void)
{
	do_op(inner_op);
}

/* To enable recording, it must be disabled. */
static void prepare(int op)
{
	if (op == ENABLE)
		do_op(DISABLE);
	else if (op == ENABLE_CPU)
		do_op(DISABLE_CPU);
}

/* Do writers obey the settings? */
static void check_obeyed(u32 at)
{
	bool want = strobe_ring_is_on(rings[0]) && !stops && !cpu_stops;

	if (put(4) != want)
		FAIL("%s, and %s after %u instructions: a writer %s", names[outer_op],
		     names[inner_op], at, want ? "does not record" : "goes on recording");
}

/*
 * outer_op, interrupted by inner_op. Recording is on or off before, as @on says. It is on, and not
 * disabled, after this.
 */
static void check_settings(bool on)
{
	bool goes_on = true;
	u32 at;

	for (at = 0; goes_on && !failures; at++) {
		strobe_ring_set_on(rings[0], on);
		prepare(outer_op);
		prepare(inner_op);
		goes_on = interrupt_at(at, outer, inner);
		if (!goes_on)
			inner();
		check_obeyed(at);
		while (stops)
			do_op(ENABLE);
		while (cpu_stops)
			do_op(ENABLE_CPU);
		strobe_ring_set_on(rings[0], true);
		if (strobe_ring_swap(rings[0], rings[1]))
			FAIL("%s, and %s after %u instructions: the rings cannot be swapped",
			     names[outer_op], names[inner_op], at);
	}
}

static void check_all_settings(void)
{
	for (outer_op = 0; outer_op < OPS; outer_op++) {
		for (inner_op = 0; inner_op < OPS; inner_op++) {
			check_settings(true);
			check_settings(false);
		}
	}
}

static bool recorded;

static void record(void)
{
	recorded = put(4);
}

static void swap_rings(void)
{
	if (strobe_ring_swap(rings[0], rings[1]))
		FAIL("the rings are not swapped");
}

/* A record during a swap. The CPUs of the ring that keeps have the opposite setting. */
static void check_writer(bool on)
{
	bool goes_on = true;
	u32 at;

	for (at = 0; goes_on && !failures; at++) {
		strobe_ring_set_on(rings[0], !on);
		swap_rings();
		strobe_ring_set_on(rings[0], on);
		recorded = on;
		goes_on = interrupt_at(at, swap_rings, record);
		if (recorded != on)
			FAIL("recording is %s, but an event after %u instructions of a swap is%s recorded",
			     on ? "on" : "off", at, on ? " not" : "");
	}
	strobe_ring_set_on(rings[0], true);
}

/* Another CPU holds rings[0] during a swap: it must wait for the swap, or prevent it. */
#define HOLD_MS	2

static struct strobe_ring_cpu *percpu_held;
static bool hold, held;

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

static void set(bool *flag, bool value)
{
	__atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

static void *holder(void *arg)
{
	(void)arg;
	while (!is_set(&hold))
		usleep(10);
	strobe_ring_hold(rings[0]);
	percpu_held = READ_ONCE(rings[0]->percpu);
	set(&held, true);
	return NULL;
}

/* Give the holder some time. Once the swap has pinned the ring, it cannot get to its end here. */
static void let_hold(void)
{
	u32 n;

	set(&hold, true);
	for (n = 0; n < HOLD_MS && !is_set(&held); n++)
		usleep(1000);
}

static void try_swap(void)
{
	strobe_ring_swap(rings[0], rings[1]);
}

static void check_holder(void)
{
	bool goes_on = true;
	pthread_t thread;
	u32 at;

	for (at = 0; goes_on && !failures; at++) {
		set(&hold, false);
		set(&held, false);
		if (pthread_create(&thread, NULL, holder, NULL))
			abort();
		shim_section_enter();
		goes_on = interrupt_at(at, try_swap, let_hold);
		shim_section_leave();
		set(&hold, true);
		pthread_join(thread, NULL);
		if (READ_ONCE(rings[0]->percpu) != percpu_held)
			FAIL("a ring that is held after %u instructions of a swap is swapped", at);
		strobe_ring_release(rings[0]);
	}
}

static struct strobe_ring_stats stats;

static void read_stats(void)
{
	strobe_ring_stats(rings[0], 0, &stats);
}

static bool same_stats(const struct strobe_ring_stats *a)
{
	return a->entries == stats.entries && a->overrun == stats.overrun &&
	       a->commit_overrun == stats.commit_overrun && a->dropped == stats.dropped &&
	       a->read == stats.read && a->bytes == stats.bytes &&
	       a->oldest_ts == stats.oldest_ts && a->discarded == stats.discarded &&
	       a->reserved == stats.reserved;
}

/* Make @nr records in rings[0], and consume @nr_read of them. */
static void fill(u32 nr, u32 len, u32 nr_read)
{
	struct strobe_ring_record record;

	strobe_ring_reset(rings[0], 0);
	while (nr--) {
		if (!put(len))
			FAIL("a record is refused");
	}
	while (nr_read-- && strobe_ring_peek(rings[0], 0, &record))
		strobe_ring_consume(rings[0], 0);
}

/* All counters of the two rings differ. */
static void check_stats_swapped(void)
{
	struct strobe_ring_stats of[2];
	bool goes_on = true;
	u32 at;

	fill(20, 100, 3);
	strobe_ring_stats(rings[0], 0, &of[0]);
	swap_rings();
	fill(500, 200, 50);
	strobe_ring_stats(rings[0], 0, &of[1]);
	if (!of[1].overrun || of[0].overrun || same_stats(&of[0]))
		abort();
	for (at = 0; goes_on && !failures; at++) {
		goes_on = interrupt_at(at, read_stats, swap_rings);
		if (!same_stats(&of[0]) && !same_stats(&of[1]))
			FAIL("statistics beside a swap: %lu records, %lu read, %lu overwritten, %lu reserved",
			     stats.entries, stats.read, stats.overrun, stats.reserved);
	}
}

/* Each record fills a sub-buffer, and overwrites the oldest one. */
static void overwrite(void)
{
	recorded = put(strobe_ring_max_payload(rings[0]));
}

static bool between(u64 from, u64 value, u64 to)
{
	return from <= value && value <= to;
}

static void check_stats_overwritten(void)
{
	struct strobe_ring_stats before, after;
	bool goes_on = true;
	u32 at;

	fill(20, strobe_ring_max_payload(rings[0]), 0);
	for (at = 0; goes_on && !failures; at++) {
		strobe_ring_stats(rings[0], 0, &before);
		goes_on = interrupt_at(at, read_stats, overwrite);
		strobe_ring_stats(rings[0], 0, &after);
		if (goes_on && (!recorded || after.overrun != before.overrun + 1 ||
				after.entries != before.entries))
			FAIL("a record does not overwrite another one");
		if (stats.oldest_ts != before.oldest_ts && stats.oldest_ts != after.oldest_ts)
			FAIL("statistics beside a record: %lu is the oldest time, not %lu or %lu",
			     stats.oldest_ts, before.oldest_ts, after.oldest_ts);
		if (!between(before.entries - 1, stats.entries, before.entries) ||
		    !between(before.overrun, stats.overrun, after.overrun) ||
		    !between(before.reserved, stats.reserved, after.reserved))
			FAIL("statistics beside a record: %lu records, %lu overwritten, %lu reserved",
			     stats.entries, stats.overrun, stats.reserved);
	}
}

static void look(void)
{
	struct strobe_ring_record record;

	strobe_ring_peek(rings[0], 0, &record);
}

/* A writer wakes a task whose recheck is over, although another one has the record in hand. */
static void check_waker(void)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(rings[0], 0);
	bool goes_on = true;
	u32 at;

	for (at = 0; goes_on && !failures; at++) {
		strobe_ring_reset(rings[0], 0);
		WRITE_ONCE(rc->waiters, 1);
		goes_on = interrupt_at(at, record, look);
		if (READ_ONCE(rc->waiters))
			FAIL("a record that is seen after %u instructions wakes no reader", at);
		WRITE_ONCE(rc->waiters, 0);
	}
}

static u32 dirty;

static void read_dirty(void)
{
	dirty = strobe_ring_dirty(strobe_ring_of(rings[0], 0));
}

static void pass_subbufs(void)
{
	struct strobe_ring_record record;

	overwrite();
	overwrite();
	while (strobe_ring_peek(rings[0], 0, &record))
		strobe_ring_consume(rings[0], 0);
}

static void check_dirty(void)
{
	bool goes_on = true;
	u32 at;

	for (at = 0; goes_on && !failures; at++) {
		fill(1, 4, 0);
		goes_on = interrupt_at(at, read_dirty, pass_subbufs);
		/* A consumed sub-buffer that was not left yet counts, too. */
		if (dirty > 4)
			FAIL("%u sub-buffers have records after %u instructions", dirty, at);
	}
}

int main(void)
{
	struct strobe_ring_params params = { .bytes = 4 * SUBBUF, .overwrite = true };
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
	int i;

	for (i = 0; i < 2; i++) {
		rings[i] = strobe_ring_create(&params);
		if (IS_ERR(rings[i]))
			abort();
	}
	sigaction(SIGTRAP, &action, NULL);
	check_writer(true);
	check_writer(false);
	check_holder();
	check_stats_swapped();
	check_stats_overwritten();
	check_waker();
	check_dirty();
	check_all_settings();
	for (i = 0; i < 2; i++) {
		if (!failures && strobe_ring_check(rings[i], STROBE_RING_ALL_CPUS))
			FAIL("ring %d is not whole", i);
		strobe_ring_destroy(rings[i]);
	}
	/* A function of the ring has at least some tens of instructions. */
	if (!failures && interrupts < 2 * OPS * OPS * 20)
		FAIL("only %lu interrupts", interrupts);
	printf("# %lu interrupts\n", interrupts);
	return !!failures;
}
