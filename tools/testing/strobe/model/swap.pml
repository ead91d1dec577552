/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SPIN model of swapping two rings, of stopping their writers, and of changing settings
 * meanwhile: kernel/trace/strobe/ring/swap.c and control.c.
 *
 * What is modelled
 * ----------------
 * The rings a and b of one CPU, and their contents, x and y. Four processes run
 * concurrently, as on CPUs of their own, each a number of times.
 *
 *	model			code
 *	----------------------	---------------------------------------------
 *	proctype writer		strobe_ring_reserve(), strobe_ring_commit(), of a
 *	proctype swapper	strobe_ring_swap()
 *	  exchange		strobe_ring_exchange_percpu()
 *	proctype stopper	strobe_ring_stop(), strobe_ring_start(), of a
 *	  grace_period		synchronize_rcu_expedited()
 *	proctype setter		strobe_ring_set_on(), of a
 *	block, block_once	strobe_ring_block(), strobe_ring_block_cpu()
 *
 * What must hold
 * --------------
 * Contents that are stopped have no writer inside, and are not swapped. No record is lost
 * because of a swap; none is recorded while a is switched off. (A setting that changes
 * during a swap may take effect when the swap ends.) At the end, a's setting is in the
 * contents that its writers use. The setting of b, which only keeps records, is different:
 * it must not be used.
 *
 * Barriers are tested in fences.cpp: here each step is seen at once.
 *
 * Parameters (-D)
 * ---------------
 *	RECORDS, SWAPS, STOPS, SETS	how often each process acts
 *	BUSTED_...		leaves out something that is needed:
 *	  PIN			a swapper takes a ring that is pinned
 *	  HOLD			a stop does not pin
 *	  GRACE			a stop does not wait for writers inside
 *	  AGAIN			a stop does not check that the ring still has the same contents
 *	  AHEAD			a swap does not copy the setting before it
 *	  BEHIND		a swap does not copy the setting after it
 *	  SPREAD		the setting is not copied again if it has changed meanwhile
 *	  KEPT			a swap copies the setting of b, too
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

#define A	0
#define B	1

/* struct strobe_ring: its contents, is it switched on, number of pins */
byte percpu[2] = { 0, 1 };
bool on[2] = { 1, 0 };
byte pins[2];

/* struct strobe_ring_cpu: the parts of limit */
bool off[2] = { 0, 1 };
byte stops[2];

/* State that the code does not have */
byte inside[2];			/* number of writers inside */
bool stopped[2];		/* the contents may be changed */
byte changes;			/* changes of the setting: begun plus ended */
byte swapping;			/* changes + 1 when the swap began; 0: no swap */
byte halts;			/* stops: begun plus ended */
byte finished;

/* RCU read-side critical sections of the writer, the swapper and the setter */
bool section[3];
byte sections[3];

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
	wait_for(2)
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
	byte held, n, begun, begun_halts;
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
		:: !pins[r] -> pins[r] = 1
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
	off[y] = !on[A];
#endif
	assert(!stopped[x] && !stopped[y]);
	percpu[A] = y;
	percpu[B] = x;
#ifndef BUSTED_BEHIND
	block(A);
#endif
#ifdef BUSTED_KEPT
	block(B);
#endif
	skip
}

active proctype swapper()
{
	byte n, x, y, held;
	bool want, again;

	for (n : 1 .. SWAPS) {
		rcu_read_lock(1);
		swapping = changes + 1;
		pin(A);
		if
		:: !pins[B] ->
			pins[B]++;
			exchange();
			pins[B]--
		:: else
		fi;
		pins[A]--;
given_up:
		swapping = 0;
		section[1] = false
	}
	finished++
}

#if STOPS
active proctype stopper()
{
	byte n, held, before;
	bool now;

	for (n : 1 .. STOPS) {
		halts++;
#ifndef BUSTED_HOLD
		pins[A]++;
#endif
		do
		:: held = percpu[A];
			stops[held]++;
#ifndef BUSTED_GRACE
			grace_period();
#endif
			if
#ifdef BUSTED_AGAIN
			:: true -> break
#else
			:: percpu[A] == held -> break
			:: else -> stops[held]--
#endif
			fi
		od;
		stopped[held] = true;
		assert(!inside[percpu[A]] && percpu[A] == held);
		stopped[held] = false;
		assert(percpu[A] == held);
		stops[percpu[A]]--;
#ifndef BUSTED_HOLD
		pins[A]--;
#endif
		halts++
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
	finished == 2 + (STOPS > 0) + (SETS > 0);
	assert(off[percpu[A]] == !on[A]);
	assert(!stops[0] && !stops[1] && !pins[A] && !pins[B])
}
