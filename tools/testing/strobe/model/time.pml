/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SPIN model of the times of records: "Time" and "A record given up" at the top
 * of kernel/trace/strobe/ring/write.c.
 *
 * What is modelled
 * ----------------
 * A task, an interrupt and an NMI on one CPU record into one sub-buffer. Each may interrupt
 * those before it at any step.
 *
 *	model			code
 *	----------------------	---------------------------------------------
 *	fast			strobe_ring_fits(), strobe_ring_reserve_fast(), and the clock
 *				read in between or before. nest is depth + 1
 *	look			strobe_ring_look(): R2, R3
 *	try_here		strobe_ring_try_here(): R4 to R6
 *	keep_time		strobe_ring_keep_time(), or what the fast path does (quick): R5
 *	give_up			strobe_ring_discard(), strobe_ring_pad(): D1
 *	uncount			strobe_ring_uncount(): D2
 *	decode			the times that a reader computes
 *
 * A delta has 2 bits in place of 27. When the clock is read, it may stand still, or advance:
 * by one, or by more than a delta can hold; or (BACK) go back: by one, or by more than a delta
 * can hold. It changes CHANGES times.
 *
 * Not modelled: crossing into the next sub-buffer, which has a full time stamp (ring.pml), and
 * a padding of one unit whose delta would be 0 (see strobe_ring_pad()).
 *
 * What must hold
 * --------------
 * A reader computes for each record the time that its writer has read. Only if the clock has
 * gone back may it be the time of the record before. The count of the state word is that of
 * the records without those discarded. If last_word is the state word, last_ts is the time of
 * the newest record.
 *
 * Parameters (-D)
 * ---------------
 *	TASK, IRQ, NMI		number of events that each records
 *	CHANGES			see above
 *	BACK			the clock may go back
 *	GIVE_UP			any record may be discarded
 *	BUSTED_...		leaves out something that the time needs:
 *	  WORD			the fast path does not compare last_word
 *	  VOUCH			the slow path does not compare last_word
 *	  NESTED		a nested writer does R5 though last_word was not W
 *	  ORDER			R3 before R2
 *	  AHEAD			R5 before R4
 *	  KEEP			last_word is stored before last_ts
 *	  TOLD			a discard restores last_ts without comparing last_word
 *	  REST			a discard restores last_word after last_ts and the state word
 *	  LAST			a discard restores neither last_word nor last_ts
 *	  EXTEND		a discard takes a time extend back, but not its time
 *	  LOWER			last_word follows D2 though it was not W
 *	  COUNT			a record that became padding stays counted (D2)
 */
#ifndef TASK
#define TASK	2
#endif
#ifndef IRQ
#define IRQ	1
#endif
#ifndef NMI
#define NMI	1
#endif
#ifndef CHANGES
#define CHANGES	3
#endif

/* The longest delta */
#define MAX	3
/* Late enough for the clock to go back */
#define START	40
#define UNITS	(2 * (TASK + IRQ + NMI))
#define NONE	255

#define WORD(count, off)	((count) << 4 | (off))
#define COUNT(word)		((word) >> 4)
#define OFF(word)		((word) & 15)

/* How a record's time is encoded; PADDING is a discarded record. */
mtype = { PADDING, DELTA, KEEP, EXTEND, STAMP };

/* struct strobe_ring_cpu */
byte state = WORD(0, 0);
byte last_ts = START, last_word = WORD(0, 0);
byte extended = NONE;
byte nest;

/* The sub-buffer: for each unit, the kind of the record, and its delta or time */
mtype kind[UNITS];
byte told[UNITS];

/* State that the code does not have */
byte read[UNITS];		/* the time that the record's writer has read */
byte now = START;
byte changes = CHANGES;
byte top;			/* the innermost writer that runs */
byte finished;			/* number of writers that are done */

inline clock(ts)
{
	atomic {
		if
		:: true
		:: changes -> now++; changes--
		:: changes -> now = now + MAX + 1; changes--
#ifdef BACK
		:: changes -> now--; changes--
		:: changes -> now = now - MAX - 2; changes--
#endif
		fi;
		ts = now
	}
}

inline keep_time()
{
#ifdef BUSTED_KEEP
	last_word = to;
#endif
	if
	:: quick ->
		old = last_ts;
		last_ts = old + delta
	:: else ->
		last_ts = ts
	fi;
#ifndef BUSTED_KEEP
	last_word = to
#endif
}

/* R4: goes to won, or continues after this if the word has changed. */
inline win()
{
	atomic {
		if
		:: state == word ->
			state = to;
			goto won
		:: else
		fi
	}
}

/* Goes to won if the fast path succeeds. */
inline fast()
{
	if
	:: word = state;			/* R2 */
	   clock(ts)				/* R3 */
	:: clock(ts);				/* it has to be called */
	   word = state				/* R2 */
	fi;
	vouched = last_word;
	old = last_ts;
	if
#ifdef BUSTED_WORD
	:: ts >= old && ts - old <= MAX ->
#else
	:: vouched == word && ts >= old && ts - old <= MAX ->
#endif
		what = DELTA;
		delta = ts - old;
		from = word;
		to = word + WORD(1, 1);
		nest++;				/* R1 */
		quick = true;
		if
		:: nest == 1 -> win()
		:: else
		fi;
		quick = false;
		nest--
	:: else
	fi
}

#ifdef BUSTED_VOUCH
#define is_vouched	true
#else
#define is_vouched	(vouched == word)
#endif

/* R2, R3, and the choice of the encoding */
inline look()
{
#ifdef BUSTED_ORDER
	clock(ts);
#endif
	word = state;				/* R2 */
	vouched = last_word;
	old = last_ts;
#ifndef BUSTED_ORDER
	clock(ts);				/* R3 */
#endif
	atomic {
		if
		:: is_vouched && ts >= old && ts - old <= MAX ->
			what = DELTA;
			delta = ts - old
		:: is_vouched && ts >= old && ts - old > MAX ->
			what = EXTEND;
			delta = ts - old - 1
		:: is_vouched && ts < old && old - ts <= MAX ->
			what = KEEP;
			delta = 0
		:: else ->
			what = STAMP;
			delta = ts - 1
		fi
	}
}

#ifdef BUSTED_NESTED
#define keeps	true
#else
/* No other writer is within R5 then. */
#define keeps	(nest == 1 || vouched == word)
#endif

/* Goes to won, or continues after this if the word has changed. */
inline try_here()
{
	atomic {
		from = word;
		if
		:: what == EXTEND || what == STAMP -> from = word + WORD(0, 1)
		:: what == DELTA
		:: what == KEEP -> ts = old
		fi;
		to = from + WORD(1, 1)
	};
#ifdef BUSTED_AHEAD
	if
	:: keeps -> keep_time()
	:: else
	fi;
#endif
	win()
}

/* R5, R6 */
inline begin()
{
#ifndef BUSTED_AHEAD
	if
	:: keeps -> keep_time()
	:: else
	fi;
#endif
	atomic {
		if
		:: what == EXTEND || what == STAMP ->
			kind[OFF(word)] = what;
			told[OFF(word)] = delta;
			if
			:: what == EXTEND -> extended = from
			:: else
			fi;
			what = DELTA;
			delta = 1
		:: else
		fi;
		kind[OFF(from)] = what;
		told[OFF(from)] = delta;
		read[OFF(from)] = ts
	}
}

inline put_back()
{
	atomic {
		if
		:: state == to -> state = back; gone = true
		:: else
		fi
	}
}

/* D2 */
inline uncount()
{
	word = state;
	do
	:: atomic {
			if
			:: state == word ->
				state = word - WORD(1, 0);
				break
			:: else ->
				word = state
			fi
		}
	od;
#ifndef BUSTED_LOWER
	vouched = last_word;
	if
	:: vouched == word ->
#endif
		last_word = word - WORD(1, 0)
#ifndef BUSTED_LOWER
	:: else
	fi
#endif
}

inline give_up()
{
	gone = false;
	back = from;
	delta = told[OFF(from)];
#ifdef BUSTED_TOLD
	vouched = to;
#else
	vouched = last_word;
#endif
	if
#ifndef BUSTED_LAST
	:: vouched == to ->
		if
		:: extended == from ->
			extended = NONE;
			back = from - WORD(0, 1);
#ifndef BUSTED_EXTEND
			delta = delta + told[OFF(back)]
#endif
		:: else
		fi;
#ifndef BUSTED_REST
		last_word = back;
#endif
		last_ts = last_ts - delta
#endif
	:: else
	fi;
	put_back();
#ifdef BUSTED_REST
	last_word = back;
#endif
	if
	:: !gone ->
		kind[OFF(from)] = PADDING;		/* D1 */
#ifndef BUSTED_COUNT
		uncount()
#endif
	:: else
	fi
}

inline record()
{
	fast();
	nest++;					/* R1 */
	do
	:: look();
	   try_here()
	od;
won:
	begin();
#ifdef GIVE_UP
	if
	:: true
	:: give_up()
	fi;
#endif
	nest--
}

/* Reset variables that are not used any more, so that they do not multiply the states. */
inline forget()
{
	word = 0;
	from = 0;
	to = 0;
	ts = 0;
	old = 0;
	vouched = 0;
	delta = 0;
	what = DELTA;
	gone = false;
	quick = false
}

/* A writer with a higher number interrupts those with lower numbers. */
active [3] proctype writer() provided (top <= _pid + 1)
{
	byte left = (_pid == 0 -> TASK : (_pid == 1 -> IRQ : NMI));
	byte word, from, back, to, ts, old, vouched, delta, below;
	mtype what = DELTA;
	bool gone, quick;

	do
	:: left ->
		atomic {
			left--;
			below = top;
			top = _pid + 1
		};
		record();
		atomic {
			forget();
			top = below;
			below = 0
		}
	:: else -> break
	od;
	finished++
}

inline decode()
{
	time = START;
	at = 0;
	n = 0;
	do
	:: at < OFF(state) ->
		if
		:: kind[at] == STAMP -> time = told[at]
		:: kind[at] == EXTEND || kind[at] == PADDING -> time = time + told[at]
		:: kind[at] == DELTA ->
			time = time + told[at];
			n++;
			assert(time == read[at])
		:: else ->
			n++;
#ifdef BACK
			assert(kind[at] == KEEP && time == read[at])
#else
			assert(false)
#endif
		fi;
		at++
	:: else -> break
	od;
	assert(n == COUNT(state));
	assert(last_word != state || last_ts == time)
}

active proctype reader()
{
	byte time, at, n;

	atomic {
		finished == 3;
		decode()
	}
}
