// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the barriers between CPUs that have a label in kernel/trace/strobe/ and in its
 * headers, each in the few steps that need it. ring/write.c lists those of the ring. Relacy runs
 * all interleavings of these steps, and lets a load return each value that the memory model of
 * C++11 allows, which is weaker than that of x86.
 *
 * usage: fences		list the tests: a name, and the barriers in it
 *	  fences NAME		exit status 0: no error
 *	  fences NAME BARRIER	without this barrier; exit status 1: an assertion fails
 *
 * A barrier with two sides, each on a CPU of its own, has a name for each side here.
 *
 * In Relacy, a load never returns a value that is stored later in the interleaving. Where a
 * barrier orders a load before a store, the loaded variable is an rl::var: its load and the other
 * CPU's store are a data race unless a barrier orders them. Relacy treats an address dependency as
 * an acquire. So this shows that a reader of a pointer needs the dependency, not that it has one.
 *
 * A grace period is a test whether a reader is inside; the test does not wait, and goes no further
 * if one is. The two ends of the reader's section are full barriers, as the grace period makes
 * them. PROBES:A patches code. REGION:A and REGION:B order the stores of one CPU for a later
 * kernel: see region.pml.
 */
#include <relacy/relacy.hpp>

#include <cstdio>
#include <cstring>

static const char *missing = "";

static bool has(const char *barrier)
{
	return strcmp(barrier, missing);
}

#define READ_ONCE(x)		((x)($).load(rl::mo_relaxed))
#define WRITE_ONCE(x, value)	((x)($).store(value, rl::mo_relaxed))

/* These are barriers unless @barrier is the missing one. */
#define smp_mb(barrier) \
	do { if (has(barrier)) rl::atomic_thread_fence(rl::mo_seq_cst, $); } while (0)
#define smp_rmb(barrier) \
	do { if (has(barrier)) rl::atomic_thread_fence(rl::mo_acquire, $); } while (0)
#define smp_wmb(barrier) \
	do { if (has(barrier)) rl::atomic_thread_fence(rl::mo_release, $); } while (0)
#define smp_load_acquire(x, barrier) \
	((x)($).load(has(barrier) ? rl::mo_acquire : rl::mo_relaxed))
#define smp_store_release(x, value, barrier) \
	((x)($).store(value, has(barrier) ? rl::mo_release : rl::mo_relaxed))

typedef rl::atomic<int> word;

/* As the kernel's cmpxchg: fully ordered if it succeeds. */
static bool cmpxchg(word &x, int from, int to, const char *barrier)
{
	bool done;

	smp_mb(barrier);
	done = x($).compare_exchange_strong(from, to, rl::mo_relaxed);
	if (done)
		smp_mb(barrier);
	return done;
}

static int xchg(word &x, int to, const char *barrier)
{
	int from;

	smp_mb(barrier);
	from = x($).exchange(to, rl::mo_relaxed);
	smp_mb(barrier);
	return from;
}

/*
 * The labels of the test that runs. Tests of a shape that occurs more than once have no labels of
 * their own.
 */
static const char *labels[2];

/* A preemption-off section of a CPU that a grace period waits for */
struct section {
	word inside;

	void clear()
	{
		WRITE_ONCE(inside, 0);
	}

	void enter()
	{
		WRITE_ONCE(inside, 1);
		rl::atomic_thread_fence(rl::mo_seq_cst, $);
	}

	void leave()
	{
		rl::atomic_thread_fence(rl::mo_seq_cst, $);
		WRITE_ONCE(inside, 0);
	}

	/* Has a grace period ended that began at @begin? */
	bool waited(const char *begin, const char *end)
	{
		smp_mb(begin);
		if (READ_ONCE(inside))
			return false;
		smp_mb(end);
		return true;
	}
};

/* A reader that sees committed sees the record. */
struct commit : rl::test_suite<commit, 2> {
	word record, committed;

	void before()
	{
		WRITE_ONCE(record, 0);
		WRITE_ONCE(committed, 0);
	}

	void thread(unsigned int writer)
	{
		if (writer) {
			WRITE_ONCE(record, 1);
			smp_store_release(committed, 1, "LEAVE:A");
		} else if (smp_load_acquire(committed, "TAKE:A")) {
			RL_ASSERT(READ_ONCE(record) == 1);
		}
	}
};

/* A reader notices a copy that mixes two laps. */
struct copy : rl::test_suite<copy, 2> {
	word slot, record;

	void before()
	{
		WRITE_ONCE(slot, 1);
		WRITE_ONCE(record, 1);
	}

	void thread(unsigned int writer)
	{
		int copied;

		if (writer) {
			cmpxchg(slot, 1, 2, "CLAIM:A");
			WRITE_ONCE(record, 2);
			return;
		}
		copied = READ_ONCE(record);
		smp_rmb("COPY:A");
		if (READ_ONCE(slot) == 1)
			RL_ASSERT(copied == 1);
	}
};

/* A writer that claims a slot after a reader took it finds the spare sub-buffer in it. */
struct spare : rl::test_suite<spare, 2> {
	word slot, subbuf;

	void before()
	{
		WRITE_ONCE(slot, 1);
		WRITE_ONCE(subbuf, 1);
	}

	void thread(unsigned int writer)
	{
		if (writer) {
			if (cmpxchg(slot, 0, 2, "CLAIM:A"))
				RL_ASSERT(READ_ONCE(subbuf) == 2);
		} else {
			WRITE_ONCE(subbuf, 2);
			cmpxchg(slot, 1, 0, "TAKE:B");
		}
	}
};

/*
 * Memory is read before it is handed over, and then written: the reader page, given to a
 * writer; the rcu_head of a recheck that is done, queued again.
 */
struct handed : rl::test_suite<handed, 2> {
	word state;
	rl::var<int> memory;

	void before()
	{
		WRITE_ONCE(state, 1);
		memory($) = 1;
	}

	void thread(unsigned int taker)
	{
		if (taker) {
			if (cmpxchg(state, 0, 2, labels[0]))
				memory($) = 2;
		} else {
			RL_ASSERT(memory($) == 1);
			cmpxchg(state, 1, 0, labels[1]);
		}
	}
};

/*
 * A reader without the lock sees what the consuming reader stored before the slot word, whether
 * a writer has claimed the slot since or not.
 */
struct find : rl::test_suite<find, 3> {
	word slot, subbuf;

	void before()
	{
		WRITE_ONCE(slot, 1);
		WRITE_ONCE(subbuf, 1);
	}

	void thread(unsigned int cpu)
	{
		int was = 0;

		if (cpu == 0) {
			WRITE_ONCE(subbuf, 2);
			cmpxchg(slot, 1, 0, "TAKE:B");
		} else if (cpu == 1) {
			slot($).compare_exchange_strong(was, 2, rl::mo_relaxed);
		} else if (smp_load_acquire(slot, "FIND:A") != 1) {
			RL_ASSERT(READ_ONCE(subbuf) == 2);
		}
	}
};

/* A change sees no writer inside, and the next writer sees the change. */
struct stop : rl::test_suite<stop, 2> {
	word limit;
	section writes;
	rl::var<int> records;

	void before()
	{
		WRITE_ONCE(limit, 1);
		writes.clear();
		records($) = 1;
	}

	void thread(unsigned int writer)
	{
		if (writer) {
			writes.enter();
			if (smp_load_acquire(limit, "START:A/writer") > 0)
				records($) = records($) + 1;
			writes.leave();
			return;
		}
		WRITE_ONCE(limit, -1);
		if (writes.waited("STOP:A", "STOP:A/end"))
			records($) = 0;
		cmpxchg(limit, -1, 1, "START:A");
	}
};

/*
 * A writer sees the waiter, or the recheck sees the record. (Here the waiter looks again
 * itself.) The writer may look for waiters before others see committed.
 */
struct wait : rl::test_suite<wait, 2> {
	word waiters, committed;
	section writes;
	bool sleeps;
	int woken;

	void before()
	{
		WRITE_ONCE(waiters, 0);
		WRITE_ONCE(committed, 0);
		writes.clear();
		sleeps = false;
		woken = 0;
	}

	void thread(unsigned int writer)
	{
		if (writer) {
			writes.enter();
			woken = READ_ONCE(waiters);
			smp_store_release(committed, 1, "");
			writes.leave();
			return;
		}
		WRITE_ONCE(waiters, 1);
		sleeps = writes.waited("WAIT:A", "WAIT:A/recheck") && !READ_ONCE(committed);
	}

	void after()
	{
		RL_ASSERT(!sleeps || woken);
	}
};

/*
 * A recheck that finds AGAIN, which a waiter stored, sees that the waiter has set its flag. It
 * first fails to store DONE by a cmpxchg, which orders nothing then. The cmpxchg of A2 is
 * relaxed here: WAIT:A comes before it.
 */
struct recheck : rl::test_suite<recheck, 2> {
	enum { QUEUED, AGAIN };

	word waiters, state;

	void before()
	{
		WRITE_ONCE(waiters, 0);
		WRITE_ONCE(state, QUEUED);
	}

	void thread(unsigned int waiter)
	{
		int was = QUEUED;

		if (waiter) {
			WRITE_ONCE(waiters, 1);
			smp_mb("WAIT:A");
			state($).compare_exchange_strong(was, AGAIN, rl::mo_relaxed);
		} else if (READ_ONCE(state) == AGAIN) {
			xchg(state, QUEUED, "RECHECK:B");
			RL_ASSERT(READ_ONCE(waiters) == 1);
		}
	}
};

/*
 * If poll() sets polled after a writer has cleared it, it also sets its flag after the writer
 * has cleared the flags. In the other case nothing need be ordered: polled stays cleared.
 */
struct polled : rl::test_suite<polled, 2> {
	word armed;
	rl::var<int> flag;

	void before()
	{
		WRITE_ONCE(armed, 1);
		flag($) = 1;
	}

	void thread(unsigned int waiter)
	{
		if (!waiter) {
			flag($) = 0;
			xchg(armed, 0, "POLLED:A");
		} else if (!xchg(armed, 1, "POLLED:B")) {
			flag($) = 1;
		}
	}
};

/* A writer that is no longer held off sees the new slots. */
struct start : rl::test_suite<start, 2> {
	word limit, slots;

	void before()
	{
		WRITE_ONCE(limit, -1);
		WRITE_ONCE(slots, 1);
	}

	void thread(unsigned int writer)
	{
		if (!writer) {
			WRITE_ONCE(slots, 2);
			cmpxchg(limit, -1, 1, "START:A");
		} else if (smp_load_acquire(limit, "START:A/writer") > 0) {
			RL_ASSERT(READ_ONCE(slots) == 2);
		}
	}
};

/*
 * strobe_ring_block() copies the settings to where the writers read them: to a bit of limit,
 * blocked here. SET_ON:A and SET_ON:B are the two sides of one cmpxchg.
 */
struct settings_base {
	word on, percpu, blocked[2];

	void before()
	{
		WRITE_ONCE(on, 1);
		WRITE_ONCE(percpu, 0);
		WRITE_ONCE(blocked[0], 0);
		WRITE_ONCE(blocked[1], 1);
	}

	void block()
	{
		int of, off;

		do {
			of = READ_ONCE(percpu);
			off = !READ_ONCE(on);
			smp_mb("SET_ON:A");
			blocked[of]($).exchange(off, rl::mo_relaxed);
			smp_mb("SET_ON:B");
		} while (of != READ_ONCE(percpu) || off != !READ_ONCE(on));
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(blocked[READ_ONCE(percpu)]) == !READ_ONCE(on));
	}
};

/* One thread switches recording on, the other one switches it off. */
struct settings : settings_base, rl::test_suite<settings, 2> {
	using settings_base::before;
	using settings_base::after;

	void thread(unsigned int value)
	{
		WRITE_ONCE(on, value);
		block();
	}
};

/* One thread switches recording off while the other one swaps the ring. */
struct swap : settings_base, rl::test_suite<swap, 2> {
	using settings_base::before;
	using settings_base::after;

	void thread(unsigned int swapper)
	{
		if (swapper) {
			WRITE_ONCE(blocked[1], !READ_ONCE(on));
			smp_store_release(percpu, 1, "SWAP:A");
		} else {
			WRITE_ONCE(on, 0);
		}
		block();
	}
};

/*
 * A reader of a pointer, or of a flag, sees everything that was stored before it. The reader has
 * an address dependency, or an acquire.
 */
template <rl::memory_order reads> struct published : rl::test_suite<published<reads>, 2> {
	word made, pointer;

	void before()
	{
		WRITE_ONCE(made, 0);
		WRITE_ONCE(pointer, 0);
	}

	void thread(unsigned int reader)
	{
		if (!reader) {
			WRITE_ONCE(made, 1);
			smp_store_release(pointer, 1, labels[0]);
		} else if (pointer($).load(has(labels[1]) ? reads : rl::mo_relaxed)) {
			RL_ASSERT(READ_ONCE(made) == 1);
		}
	}
};

typedef published<rl::mo_consume> pointer;
typedef published<rl::mo_acquire> flag;

/* The same if another CPU changes the word meanwhile: a probe reads a gate, a waiter wakes. */
struct counted : rl::test_suite<counted, 3> {
	word made, gate;

	void before()
	{
		WRITE_ONCE(made, 0);
		WRITE_ONCE(gate, 0);
	}

	void add(int more)
	{
		gate($).fetch_add(more, has(labels[0]) ? rl::mo_release : rl::mo_relaxed);
	}

	void thread(unsigned int cpu)
	{
		if (cpu == 0) {
			WRITE_ONCE(made, 1);
			add(1);
		} else if (cpu == 1) {
			add(2);
		} else if (smp_load_acquire(gate, labels[1]) & 1) {
			RL_ASSERT(READ_ONCE(made) == 1);
		}
	}
};

/* One of two owners fails, or sees everything that the other one has done: swappers, dumps. */
struct owner : rl::test_suite<owner, 2> {
	word owned;
	rl::var<int> done;

	void before()
	{
		WRITE_ONCE(owned, 0);
		done($) = 0;
	}

	void thread(unsigned int)
	{
		if (!cmpxchg(owned, 0, 1, labels[0]))
			return;
		done($) = done($) + 1;
		owned($).fetch_sub(1, has(labels[1]) ? rl::mo_release : rl::mo_relaxed);
	}
};

/* A waiter sets its flag in the contents that a swap has put in place, or the swap wakes it. */
struct sleepers : rl::test_suite<sleepers, 2> {
	word percpu, sleeps;
	int marked, woken;

	void before()
	{
		WRITE_ONCE(percpu, 1);
		WRITE_ONCE(sleeps, 0);
		marked = woken = 0;
	}

	void thread(unsigned int waiter)
	{
		if (waiter) {
			WRITE_ONCE(sleeps, 1);
			smp_mb("SWAP_WAKE:A");
			marked = READ_ONCE(percpu);
		} else {
			smp_store_release(percpu, 2, "SWAP:A");
			woken = xchg(sleeps, 0, "SWAP_WAKE:A/swap");
		}
	}

	void after()
	{
		RL_ASSERT(marked == 2 || woken);
	}
};

/* A dump notices if it mixes values from before and from after a change. */
struct dump : rl::test_suite<dump, 2> {
	word generation, changing, one, two;

	void before()
	{
		WRITE_ONCE(generation, 1);
		WRITE_ONCE(changing, 0);
		WRITE_ONCE(one, 1);
		WRITE_ONCE(two, 1);
	}

	void change()
	{
		WRITE_ONCE(changing, 1);
		smp_store_release(generation, 2, "DUMP:C");
		smp_wmb("DUMP:B");
		WRITE_ONCE(one, 2);
		WRITE_ONCE(two, 2);
		smp_store_release(changing, 0, "DUMP:E");
	}

	void thread(unsigned int dumper)
	{
		int began, first, second;

		if (!dumper) {
			change();
			return;
		}
		began = smp_load_acquire(generation, "DUMP:D");
		if (smp_load_acquire(changing, "DUMP:F"))
			return;
		first = READ_ONCE(one);
		second = READ_ONCE(two);
		smp_rmb("DUMP:A");
		if (READ_ONCE(generation) == began)
			RL_ASSERT(first == second);
	}
};

/* A dump that begins where a reader is sees the records that brought the reader there. */
struct cursor : rl::test_suite<cursor, 3> {
	word committed, seq;

	void before()
	{
		WRITE_ONCE(committed, 0);
		WRITE_ONCE(seq, 0);
	}

	void thread(unsigned int cpu)
	{
		if (cpu == 0) {
			WRITE_ONCE(committed, 1);
		} else if (cpu == 1) {
			if (READ_ONCE(committed))
				smp_store_release(seq, 1, "DUMP:G");
		} else if (READ_ONCE(seq)) {
			smp_rmb("DUMP:H");
			RL_ASSERT(READ_ONCE(committed));
		}
	}
};

/* A lookup of a name sees the whole of it, of before or after a change; see record/comm.c. */
struct comm : rl::test_suite<comm, 2> {
	word seq, one, two;

	void before()
	{
		WRITE_ONCE(seq, 0);
		WRITE_ONCE(one, 0);
		WRITE_ONCE(two, 0);
	}

	void thread(unsigned int lookup)
	{
		int began, first, second;

		if (!lookup) {
			WRITE_ONCE(seq, 1);
			smp_wmb("COMM:A");
			WRITE_ONCE(one, 2);
			WRITE_ONCE(two, 2);
			smp_wmb("COMM:B");
			WRITE_ONCE(seq, 2);
			return;
		}
		began = READ_ONCE(seq);
		smp_rmb("COMM:C");
		first = READ_ONCE(one);
		second = READ_ONCE(two);
		smp_rmb("COMM:D");
		if (!(began & 1) && READ_ONCE(seq) == began)
			RL_ASSERT(first == began && second == began);
	}
};

/*
 * A task that recorded in a changed ring finds at its switch that the change has begun. If it
 * finds that the change has ended, it reads a word of the changed ring. See record/comm.c.
 */
struct change : rl::test_suite<change, 2> {
	enum { BEGUN = 1, ENDED };

	word changes, ring;

	void before()
	{
		WRITE_ONCE(changes, 0);
		WRITE_ONCE(ring, 0);
	}

	void thread(unsigned int task)
	{
		bool recorded;
		int seen;

		if (!task) {
			changes($).fetch_add(BEGUN, rl::mo_relaxed);
			smp_mb("CHANGE:A");
			WRITE_ONCE(ring, 1);
			changes($).fetch_add(ENDED - BEGUN,
					     has("CHANGE:B") ? rl::mo_release : rl::mo_relaxed);
			return;
		}
		recorded = READ_ONCE(ring);
		smp_mb("CHANGE:A/switch");
		seen = smp_load_acquire(changes, "CHANGE:B/reader");
		if (recorded)
			RL_ASSERT(seen >= BEGUN);
		if (seen == ENDED)
			RL_ASSERT(READ_ONCE(ring) == 1);
	}
};

/*
 * A reader that finds a direct word calls that word's probe. The word is withdrawn before the
 * call is changed, and published again after that; see tracepoint/tracepoint.c.
 */
struct direct : rl::test_suite<direct, 2> {
	word probes;
	section reads;
	rl::var<int> call;

	void before()
	{
		WRITE_ONCE(probes, 1);
		reads.clear();
		call($) = 1;
	}

	void thread(unsigned int reader)
	{
		int found;

		if (reader) {
			reads.enter();
			found = probes($).load(has("PROBES:C") ? rl::mo_consume : rl::mo_relaxed);
			if (found)
				RL_ASSERT(call($) == found);
			reads.leave();
			return;
		}
		smp_store_release(probes, 0, "PROBES:B");
		if (!reads.waited("PROBES:D", "PROBES:E"))
			return;
		call($) = 2;
		smp_store_release(probes, 2, "PROBES:B");
	}
};

/*
 * Search all interleavings, or those with at most @switches from one thread to the other
 * before the end of a thread. Prints the one that fails. Return: the exit status
 */
template<typename test, int switches = 0> static int search()
{
	rl::test_params params;

	params.search_type = switches ? rl::sched_bound : rl::sched_full;
	params.context_bound = switches;
	if (rl::simulate<test>(params))
		return 0;
	return params.test_result == rl::test_result_user_assert_failed ||
	       params.test_result == rl::test_result_data_race ? 1 : 2;
}

static const struct {
	const char *name, *barriers;
	int (*search)();
} tests[] = {
	{ "commit",	"LEAVE:A TAKE:A",	search<commit> },
	{ "copy",	"CLAIM:A COPY:A",	search<copy> },
	{ "spare",	"CLAIM:A TAKE:B",	search<spare> },
	{ "page",	"CLAIM:A TAKE:B",	search<handed> },
	{ "find",	"FIND:A TAKE:B",	search<struct find> },
	{ "stop",	"STOP:A STOP:A/end START:A START:A/writer", search<stop> },
	{ "wait",	"WAIT:A WAIT:A/recheck", search<struct wait> },
	{ "recheck",	"WAIT:A RECHECK:B",	search<recheck> },
	{ "rcu_head",	"RECHECK:A RECHECK:B",	search<handed> },
	{ "polled",	"POLLED:A POLLED:B",	search<struct polled> },
	{ "start",	"START:A START:A/writer", search<start> },
	{ "settings",	"SET_ON:A SET_ON:B",	search<settings> },
	{ "swap",	"SET_ON:A SET_ON:B",	search<struct swap, 5> },
	{ "pointer",	"SWAP:A SWAP:A/reader",	search<pointer> },
	{ "store",	"STORE:A STORE:A/reader", search<pointer> },
	{ "pins",	"PIN:A PIN:A/release",	search<owner> },
	{ "sleepers",	"SWAP_WAKE:A SWAP_WAKE:A/swap", search<sleepers> },
	{ "dump", "DUMP:A DUMP:B DUMP:C DUMP:D DUMP:E DUMP:F", search<dump> },
	{ "cursor",	"DUMP:G DUMP:H",	search<cursor> },
	{ "place",	"PLACE:A PLACE:A/reader", search<flag> },
	{ "allocated",	"ALLOCATED:A ALLOCATED:A/reader", search<flag> },
	{ "gate",	"GATE:A GATE:A/reader",	search<counted> },
	{ "types",	"EVENT_TYPES:A EVENT_TYPES:A/reader", search<pointer> },
	{ "comm",	"COMM:A COMM:B COMM:C COMM:D", search<comm> },
	{ "change", "CHANGE:A CHANGE:A/switch CHANGE:B CHANGE:B/reader", search<change> },
	{ "tgid",	"TGID:A TGID:A/reader",	search<flag> },
	{ "direct",	"PROBES:B PROBES:C PROBES:D PROBES:E", search<direct> },
	{ "printk",	"PRINTK:A PRINTK:A/reader", search<pointer> },
	{ "second",	"SECOND:A SECOND:A/reader", search<flag> },
	{ "pids",	"PID_SET:A PID_SET:A/reader", search<pointer> },
	{ "spare_ring",	"SPARE:A SPARE:A/reader", search<flag> },
	{ "wakes",	"WAKES:A WAKES:A/reader", search<counted> },
	{ "dumping",	"DUMPING:A DUMPING:A/release", search<owner> },
	{ "custom",	"CUSTOM:A CUSTOM:A/reader", search<flag> },
	{ "perf",	"PERF_FILTER:A PERF_FILTER:A/reader", search<pointer> },
	{ "program",	"PROGRAM:A PROGRAM:A/reader", search<flag> },
	{ "user_refs",	"USER_REFS:A USER_REFS:A/reader", search<flag> },
	{ "filled",	"FILLED:A FILLED:A/reader", search<flag> },
	{ "print",	"PRINT:A PRINT:A/reader", search<pointer> },
	{ "orphans",	"ORPHANS:A ORPHANS:A/reader", search<flag> },
};

/* Set labels to the first two words of @barriers. */
static void set_labels(const char *barriers)
{
	static char first[32], second[32];

	sscanf(barriers, "%31s %31s", first, second);
	labels[0] = first;
	labels[1] = second;
}

int main(int argc, char **argv)
{
	for (const auto &test : tests) {
		if (argc < 2)
			printf("%s %s\n", test.name, test.barriers);
		else if (!strcmp(argv[1], test.name)) {
			set_labels(test.barriers);
			missing = argc > 2 ? argv[2] : "";
			return test.search();
		}
	}
	return argc < 2 ? 0 : 2;
}
