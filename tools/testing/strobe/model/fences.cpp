// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the barriers between CPUs that kernel/trace/strobe/ring/write.c lists, and of the one
 * in instance/snapshot.c, each in the few steps that need it. Relacy runs all interleavings of
 * these steps, and lets a load return each value that the memory model of C++11 allows, which is
 * weaker than that of x86.
 *
 * usage: fences		list the tests: a name, and the barriers in it
 *	  fences NAME		exit status 0: no error
 *	  fences NAME BARRIER	without this barrier; exit status 1: an assertion fails
 *
 * A barrier with two sides, each on a CPU of its own, has a name for each side here.
 *
 * In Relacy, a load never returns a value that is stored later in the interleaving. So the half
 * of CLAIM:A and TAKE:B that orders loads before the cmpxchg is not tested here, but by ring.pml
 * and the torture test. Relacy treats an address dependency as an acquire, so this does not show
 * that the readers have a dependency. STORE:A is the same as SWAP:A. STOP:A and WAIT:A are not
 * tested, as grace periods are not modelled; for WAIT:A see wait.pml. REGION:A orders the stores
 * of one CPU for a later kernel: see crash.c.
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

/* A reader of a pointer sees everything that was stored before the pointer. */
struct pointer : rl::test_suite<pointer, 2> {
	word made, published;

	void before()
	{
		WRITE_ONCE(made, 0);
		WRITE_ONCE(published, 0);
	}

	void thread(unsigned int reader)
	{
		if (!reader) {
			WRITE_ONCE(made, 1);
			/* ring->percpu, and rc->store */
			smp_store_release(published, 1, "SWAP:A");
		} else if (published($).load(rl::mo_consume)) {
			RL_ASSERT(READ_ONCE(made) == 1);
		}
	}
};

/* instance/snapshot.c: a reader that sees @allocated also sees @ring. */
struct allocated : rl::test_suite<allocated, 2> {
	word ring, there;

	void before()
	{
		WRITE_ONCE(ring, 0);
		WRITE_ONCE(there, 0);
	}

	void thread(unsigned int reader)
	{
		if (!reader) {
			WRITE_ONCE(ring, 1);
			smp_store_release(there, 1, "ALLOCATED:A");
		} else if (smp_load_acquire(there, "ALLOCATED:A/reader")) {
			RL_ASSERT(READ_ONCE(ring) == 1);
		}
	}
};

/* One of two swappers fails, or sees everything that the other one has done. */
struct pins : rl::test_suite<pins, 2> {
	word pinned;
	rl::var<int> swapped;

	void before()
	{
		WRITE_ONCE(pinned, 0);
		swapped($) = 0;
	}

	void thread(unsigned int)
	{
		if (!cmpxchg(pinned, 0, 1, "PIN:A"))
			return;
		swapped($) = swapped($) + 1;
		pinned($).fetch_sub(1, has("PIN:A/release") ? rl::mo_release : rl::mo_relaxed);
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
	{ "start",	"START:A START:A/writer", search<start> },
	{ "settings",	"SET_ON:A SET_ON:B",	search<settings> },
	{ "swap",	"SET_ON:A SET_ON:B",	search<struct swap, 5> },
	{ "pointer",	"SWAP:A",		search<pointer> },
	{ "allocated",	"ALLOCATED:A ALLOCATED:A/reader", search<allocated> },
	{ "pins",	"PIN:A PIN:A/release",	search<pins> },
	{ "sleepers",	"SWAP_WAKE:A SWAP_WAKE:A/swap", search<sleepers> },
	{ "dump", "DUMP:A DUMP:B DUMP:C DUMP:D DUMP:E DUMP:F", search<dump> },
};

int main(int argc, char **argv)
{
	for (const auto &test : tests) {
		if (argc < 2)
			printf("%s %s\n", test.name, test.barriers);
		else if (!strcmp(argv[1], test.name)) {
			missing = argc > 2 ? argv[2] : "";
			return test.search();
		}
	}
	return argc < 2 ? 0 : 2;
}
