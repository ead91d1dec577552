/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SPIN model of swapping two rings, of stopping their writers to change the shape of a ring,
 * and of changing settings meanwhile: kernel/trace/strobe/ring/swap.c, control.c and reshape.c.
 * Labels like S1 and E1 are those at the top of swap.c; N1 to N5, at the top of reshape.c.
 *
 * What is modelled
 * ----------------
 * The rings a and b of one CPU, their per-CPU parts, x and y, and the contents of these. Six
 * processes run concurrently, as on CPUs of their own, each a number of times.
 *
 *	model			code
 *	----------------------	---------------------------------------------
 *	proctype writer		strobe_ring_reserve(), strobe_ring_commit(), of a
 *	proctype swapper	strobe_ring_swap()
 *	  pin			strobe_ring_pin(): S1
 *	  exchange		strobe_ring_exchange_percpu(): S2 to S4
 *	proctype exchanger	strobe_ring_swap_cpu(): E1 to E5
 *	  swap_content		strobe_ring_exchange_content(): E3
 *	proctype stopper	strobe_ring_reshape() of a, with shape_lock
 *	  change_store		strobe_ring_plan_apply(): N3
 *	  stop_writers		strobe_ring_stop()
 *	  grace_period		synchronize_rcu_expedited()
 *	proctype looker		strobe_ring_watermark(), of a: a reader without reader.lock
 *	proctype setter		strobe_ring_set_on(), of a
 *	block, block_once	strobe_ring_block(), strobe_ring_block_cpu()
 *
 * What must hold
 * --------------
 * A part that is stopped has no writer inside, and is not swapped. A writer has the same
 * contents from its begin to its end, and each part has contents of its own. No reader uses
 * contents that are freed. No record is lost because of a swap; none is recorded while a is
 * switched off. (A setting that changes during a swap may take effect when the swap ends.) At
 * the end, a's setting is in the part that its writers use. The setting of b, which only keeps
 * records, is different: it must not be used.
 *
 * Barriers are tested in fences.cpp: here each step is seen at once.
 *
 * Parameters (-D)
 * ---------------
 *	RECORDS, SWAPS, STOPS, SETS, ONES, LOOKS	how often each process acts; ONES: the
 *				exchanger; LOOKS: the looker
 *	BUSTED_...		leaves out something that is needed:
 *	  PIN			a swapper takes a ring that is pinned
 *	  HOLD			a stop does not pin
 *	  GRACE			a stop does not wait for writers inside
 *	  AGAIN			a stop does not check that the ring still has the same contents
 *	  STOP			the writers are not stopped (N2)
 *	  FREE			the old store is freed without a grace period (N5)
 *	  AHEAD			a swap does not copy the setting before it
 *	  BEHIND		a swap does not copy the setting after it
 *	  SPREAD		the setting is not copied again if it has changed meanwhile
 *	  KEPT			a swap copies the setting of b, too
 *	  ONE_PIN		the exchanger does not pin the rings
 *	  ONE_STOP		the exchanger does not stop the writers
 *	  ONE_SETTLE		it does not wait for a swapper that came first
 */
#ifndef RECORDS
#define RECORDS	2
#endif
#ifndef SWAPS
#define SWAPS	2
#endif
#ifndef STOPS
#define STOPS	1
#endif
#ifndef SETS
#define SETS	1
#endif
#ifndef ONES
#define ONES	0
#endif
#ifndef LOOKS
#define LOOKS	0
#endif

#define A	0
#define B	1
#define NONE	255

/* struct strobe_ring: its contents, is it switched on, number of pins */
byte percpu[2] = { 0, 1 };
bool on[2] = { 1, 0 };
byte pins[2];

/* struct strobe_ring_cpu: the parts of limit; the store and all that is exchanged with it */
bool off[2] = { 0, 1 };
byte stops[2];
byte content[2] = { 0, 1 };
bool shape;			/* shape_lock */

/* State that the code does not have */
byte inside[2];			/* number of writers inside */
bool stopped[2];		/* the contents may be changed */
byte changes;			/* changes of the setting: begun plus ended */
byte swapping;			/* changes + 1 when the swap began; 0: no swap */
byte halts;			/* stops: begun plus ended */
byte freed = NONE;		/* the contents that were freed last */
byte finished;

/* RCU read-side critical sections of the writer, the swapper, the setter and the looker */
bool section[4];
byte sections[4];

inline rcu_read_lock(n)
{
	atomic {
		section[n] = true;
		sections[n]++
	}
}

inline wait_for(n)
{
	atomic {
		before = sections[n];
		now = section[n]
	};
	!now || !section[n] || sections[n] != before
}

inline grace_period()
{
	wait_for(0);
	wait_for(1);
	wait_for(2);
#if LOOKS
	wait_for(3)
#endif
}

/* Copy the setting of @r to its contents; @again: one of the two has changed meanwhile. */
inline block_once(r)
{
	held = percpu[r];
	want = on[r];
	off[held] = !want;
	again = false;
	if
	:: percpu[r] != held || on[r] != want -> again = true
	:: else
	fi
}

/* Repeat that until nothing changes meanwhile. */
inline block(r)
{
	do
	:: block_once(r);
#ifdef BUSTED_SPREAD
		again = false;
#endif
		if
		:: !again -> break
		:: else
		fi
	od
}

active proctype writer()
{
	byte held, n, begun, begun_halts, mine;
	bool want, recorded, excused;

	for (n : 1 .. RECORDS) {
		rcu_read_lock(0);
		atomic {
			begun = changes;
			excused = swapping && swapping != changes + 1;
			begun_halts = halts;
			want = on[A]
		};
		held = percpu[A];
		recorded = false;
		atomic {
			if
			:: !stops[held] && !off[held] -> inside[held]++; recorded = true
			:: else
			fi
		};
		if
		:: recorded ->
			assert(!stopped[held]);
			mine = content[held];
			assert(!stopped[held] && content[held] == mine);
			inside[held]--
		:: else
		fi;
		atomic {
			/* A constant setting is obeyed, unless a stop refuses the record. */
			if
			:: begun % 2 == 0 && begun == changes && !excused ->
				assert(!recorded || want);
				assert(recorded || !want || begun_halts % 2 || begun_halts != halts)
			:: else
			fi;
			section[0] = false
		}
	}
	finished++
}

/* Goes to given_up if the ring is pinned. */
inline pin(r)
{
	atomic {
		if
#ifdef BUSTED_PIN
		:: true -> pins[r]++
#else
		:: !pins[r] -> pins[r] = 1	/* S1 */
		:: else -> goto given_up
#endif
		fi
	}
}

inline exchange()
{
	x = percpu[A];
	y = percpu[B];
#ifndef BUSTED_AHEAD
	off[y] = !on[A];		/* S2 */
#endif
	assert(!stopped[x] && !stopped[y]);
	percpu[A] = y;			/* S3 */
	percpu[B] = x;
#ifndef BUSTED_BEHIND
	block(A);			/* S4 */
#endif
#ifdef BUSTED_KEPT
	block(B);
#endif
	skip
}

#if SWAPS
active proctype swapper()
{
	byte n, x, y, held;
	bool want, again;

	for (n : 1 .. SWAPS) {
		rcu_read_lock(1);
		swapping = changes + 1;
		pin(A);
		if
		:: atomic { !pins[B] -> pins[B]++ };
			exchange();
			pins[B]--
		:: else
		fi;
		pins[A]--;			/* S5 */
given_up:
		swapping = 0;
		section[1] = false
	}
	finished++
}
#endif

/* Wait until no swapper is left that came before, and no writer that read an older limit. */
inline stop_writers(r)
{
#ifndef BUSTED_HOLD
	pins[r]++;
#endif
	do
	:: held = percpu[r];
		stops[held]++;
#ifndef BUSTED_GRACE
		grace_period();
#endif
		if
#ifdef BUSTED_AGAIN
		:: true -> break
#else
		:: percpu[r] == held -> break
		:: else -> stops[held]--
#endif
		fi
	od
}

inline start_writers(r)
{
	stops[percpu[r]]--;
#ifndef BUSTED_HOLD
	pins[r]--
#endif
}

#if STOPS
/* N3: each step is a store that a writer inside would see. */
inline change_store()
{
	stopped[held] = true;
	assert(!inside[percpu[A]] && percpu[A] == held);
	old = content[held];
	content[held] = fresh;
	stopped[held] = false;
	assert(percpu[A] == held)
}

active proctype stopper()
{
	byte n, held, before, fresh, old;
	bool now;

	for (n : 1 .. STOPS) {
		atomic { !shape -> shape = true };
		fresh = 1 + n;			/* N1 */
		halts++;
#ifndef BUSTED_STOP
		stop_writers(A);		/* N2 */
#else
		held = percpu[A];
#endif
		change_store();
#ifndef BUSTED_STOP
		start_writers(A);		/* N4 */
#endif
#if LOOKS && !defined(BUSTED_FREE)
		grace_period();			/* N5 */
#endif
		freed = old;
		old = 0;
		fresh = 0;
		halts++;
		shape = false
	}
	finished++
}
#endif

#if ONES
/* E3: each step is a store that a writer inside would see. */
inline swap_content()
{
	stopped[x] = true;
	stopped[y] = true;
	assert(!inside[x] && !inside[y]);
	kept = content[x];
	content[x] = content[y];
	content[y] = kept;
	assert(percpu[A] == x && percpu[B] == y);
	stopped[x] = false;
	stopped[y] = false
}

active proctype exchanger()
{
	byte n, held, before, x, y, kept;
	bool now;

	for (n : 1 .. ONES) {
		atomic { !shape -> shape = true };	/* E1 */
		halts++;
#ifndef BUSTED_ONE_PIN
		pins[A]++;
		pins[B]++;
#ifndef BUSTED_ONE_SETTLE
		grace_period();
#endif
#endif
		x = percpu[A];
		y = percpu[B];
#ifndef BUSTED_ONE_STOP
		stop_writers(A);		/* E2 */
		stop_writers(B);
#endif
		swap_content();
#ifndef BUSTED_ONE_STOP
		start_writers(B);		/* E4 */
		start_writers(A);
#endif
#ifndef BUSTED_ONE_PIN
		pins[B]--;			/* E5 */
		pins[A]--;
#endif
		halts++;
		shape = false
	}
	finished++
}
#endif

#if LOOKS
active proctype looker()
{
	byte n, held, store;

	for (n : 1 .. LOOKS) {
		rcu_read_lock(3);
		held = percpu[A];
		store = content[held];
		assert(freed != store);
		section[3] = false
	}
	finished++
}
#endif

#if SETS
active proctype setter()
{
	byte n, held;
	bool want, again;

	for (n : 1 .. SETS) {
		changes++;
		on[A] = !on[A];
		rcu_read_lock(2);
		block(A);
		section[2] = false;
		changes++
	}
	finished++
}
#endif

active proctype end()
{
	finished == 1 + (SWAPS > 0) + (STOPS > 0) + (SETS > 0) + (ONES > 0) +
		(LOOKS > 0);
	assert(off[percpu[A]] == !on[A]);
	assert(!stops[0] && !stops[1] && !pins[A] && !pins[B]);
	assert(content[0] != content[1])
}
