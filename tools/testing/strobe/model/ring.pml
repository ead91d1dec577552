/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SPIN model of the ring of one CPU: kernel/trace/strobe/ring/write.h, write.c
 * and read.c. Labels like R4 and F1 are those at the top of these two. The steps of the
 * reader are in ring_reader.pml.
 *
 * What is modelled
 * ----------------
 * Three writers on one CPU, a task and two interrupts nested in it; and the
 * consuming reader on another CPU. An interrupt comes between any two steps of
 * the writer that it interrupts, and runs to its end before that one continues.
 * The first interrupt interrupts the task, the second one the first. All run the
 * same code, so it makes no difference which interrupt comes at a depth, and an
 * interrupt of an idle CPU writes as the task does.
 *
 *	model			code
 *	----------------------	---------------------------------------------
 *	proctype writer		a caller that records an event
 *	  enter			depth++: R1. nest is depth + 1
 *	  fast			strobe_ring_fits(), strobe_ring_reserve_fast(): R2
 *				to R4, with R1 before R4
 *	  try_here		strobe_ring_look(), strobe_ring_try_here(): R2 to R4
 *	  try_next		strobe_ring_try_next(): X2, X3
 *	  claim			strobe_ring_claim(): X1
 *	  begin			R5 and R6 of strobe_ring_reserve_fast(), which
 *				strobe_ring_begin() has, too; then the payload
 *	  give_up		strobe_ring_discard(), strobe_ring_pad(): D1, and
 *				strobe_ring_uncount(): D2
 *	  leave			C1: strobe_ring_leave(), and strobe_ring_leave_slow(),
 *				which has it as L1 to L5
 *	  publish		strobe_ring_publish(): L3
 *	  full_unread, full_busy  the end of strobe_ring_reserve_open()
 *	proctype reader		strobe_ring_fill()
 *	  find			strobe_ring_find(), and the use of its result: F2 to F4
 *	  cursor_next		strobe_ring_cursor_next()
 *	  take			strobe_ring_take(): T1
 *	  copy_part		strobe_ring_copy_part(), strobe_ring_copy(): P1, P2
 *	  consume		strobe_ring_took(): F5; strobe_walk_next() and
 *				strobe_ring_consume() of each record
 *	  check			strobe_ring_check()
 *	  clear			strobe_ring_clear()
 *
 * What must hold
 * --------------
 * Records are numbered as they are reserved; the number is the payload. For each
 * record that the reader finds:
 *	- its number is that of the last record read, plus one, plus the records
 *	  that the reader counts as lost. So none is lost unnoticed, read twice,
 *	  or read out of order;
 *	- it is complete, and of this lap: the header is that of a record within
 *	  the committed part, and the payload is its own;
 *	- the sum of the deltas up to it is its time.
 * The reader page has as many records as the reader expects. No writer writes to
 * the reader page. If R4 succeeds, the newest record is the one that R2 found, and
 * the clock is no earlier than its time; committed never goes back. Whenever no
 * writer is inside:
 *	- fired == read + held + overwritten + discarded + dropped + commit overrun;
 *	- everything is committed.
 * If the reader finds the ring empty then, held == 0; and it has counted as lost
 * exactly those that were overwritten (with GIVE_UP, it may learn of the last ones
 * with the next record only).
 *
 * Steps
 * -----
 * A step is one load or store of a word that another process may write or read
 * meanwhile, or one atomic operation. With FINE there are no other steps. Without
 * it, MERGED { } makes one step of statements whose order no other process can
 * observe, which lets the search cover more events:
 *	- nest++ and nest--: an interrupt in between restores nest;
 *	- R2 and R3: a reservation in between makes R4 fail;
 *	- the loads of claim: committed does not change while a writer is inside,
 *	  nor does the count of a committed slot;
 *	- X3; R5 and R6; the stores of publish: no other writer of the CPU reads
 *	  them, and the reader not before LEAVE:A;
 *	- the last test of a writer and its return;
 *	- what the reader loads or copies between loading the slot word and TAKE:B:
 *	  it only changes if the slot word does.
 * The variants with FINE, which have fewer events, would show it if one of these
 * were wrong.
 *
 * What is left out, and why that hides nothing
 * --------------------------------------------
 *	Memory order	Each CPU sees the steps of the other one in order. Among the
 *			writers that is true. Between writer and reader the barriers
 *			are needed: the model shows that the steps are right in this
 *			order, not that the barriers enforce it.
 *	Wrapping	Sequences and counts are plain numbers that do not wrap.
 *			"ABA" in write.c explains why those of the code, which are
 *			modulo 2^27, are not confused. Counts never wrap.
 *	Time		The clock is the number of reservations so far: it only
 *			matters here whether there was a reservation between two
 *			reads of it. The time of the newest record changes with the
 *			state word, in one step. How last_ts and last_word stand for it
 *			is in time.pml. They, long gaps and clocks that go back decide
 *			how the time is encoded, or which path is taken, not where
 *			records are. Any writer may take the slow path at once.
 *	Records		have one or two units. The algorithm only tests whether a
 *			length fits.
 *	Waiters		make a writer take strobe_ring_leave_slow() though no slot
 *			was entered; WAITERS does that at any time.
 *	Reader page	Its records are consumed at once. They do not change
 *			meanwhile: the model checks that no writer writes there.
 *	Stops		Resize, reset etc. run with the writers held off and the
 *			reader locked out: nothing is concurrent with them.
 * And the search is bounded: it covers all interleavings of so many events.
 *
 * Parameters (-D)
 * ---------------
 *	SLOTS, LIMIT		slots; units in a sub-buffer
 *	TASK, IRQ, NMI		number of events that each writer records
 *	FLIP			writers of two units write one, and vice versa
 *	DISCARD			discard mode; else overwrite mode
 *	GIVE_UP			any record may be discarded
 *	WAITERS, FINE		see above
 *	BUSTED_...		leaves out something that the algorithm needs:
 *	  WRAP, COPY, EARLY, PUBLISH	as STROBE_BUSTED_... in the code
 *	  LATE			the fast path does R1 after R4
 *	  NEST			a nested writer publishes too (L1)
 *	  RAISE			nest is raised after the word is loaded again (L5)
 *	  CROSSED		crossed is tested before the word is loaded (L2)
 *	  CLAIM			a slot is claimed by a store, not by a cmpxchg
 *	  TAKE			the reader takes a sub-buffer that is being written
 *	  SWAP			the reader takes by a store, not by a cmpxchg
 *	  MARK			the records that the reader has copied are not marked
 *	  REWIND		a discard assumes that no record follows
 *	  COUNT			a record that became padding stays counted (D2)
 *	  LOWER			D2 is a store, not a cmpxchg
 *	  LEFT			D2 is left out if the slot was left
 */

#ifndef SLOTS
#define SLOTS	2
#endif
#ifndef LIMIT
#define LIMIT	2
#endif
#ifndef TASK
#define TASK	2
#endif
#ifndef IRQ
#define IRQ	2
#endif
#ifndef NMI
#define NMI	1
#endif
#if LIMIT > 3 || SLOTS > 6 || SLOTS + TASK + IRQ + NMI > 14
#error too much for the fields below
#endif

/* The state word; see word.h. */
#define WORD(count, seq, off)	((count) << 6 | (seq) << 2 | (off))
#define COUNT(word)		((word) >> 6)
#define SEQ(word)		(((word) >> 2) & 15)
#define OFF(word)		((word) & 3)
#define PLACE(word)		((word) & 63)

/* The word of a slot. */
#define SLOT(held, mark, id, seq) ((held) << 11 | (mark) << 7 | (id) << 4 | (seq))
#define HELD(word)		((word) >> 11)
#define MARK(word)		(((word) >> 7) & 15)
#define ID(word)		(((word) >> 4) & 7)
#define LAP(word)		((word) & 15)
#define HOLDS(word, seq)	(HELD(word) && LAP(word) == (seq))

/* A record's header; its length is in units. */
#define HEADER(delta, pad, len)	((delta) << 3 | (pad) << 2 | (len))
#define DELTA(header)		((header) >> 3)
#define PAD(header)		(((header) >> 2) & 1)
#define LEN(header)		((header) & 3)
/* A payload. */
#define PAYLOAD(ts, number)	((ts) << 4 | (number))
#define NUMBER(payload)		((payload) & 15)
#define NOTHING			255

#define AT(id, off)		((id) * LIMIT + (off))
#define INDEX(seq)		((seq) % SLOTS)

/* Steps that may be merged: see above. */
#ifdef FINE
#define MERGED
#else
#define MERGED	atomic
#endif
#ifdef FLIP
#define UNITS	(_pid == IRQS -> 2 : 1)
#else
#define UNITS	(_pid == IRQS -> 1 : 2)
#endif

/* Numbers of the processes, in the order in which they are declared below */
#define STOPPED	255
#define NOBODY	0
#define TASKS	1
#define IRQS	2
#define NMIS	3

typedef slot_type {
	short	word;
	byte	subbuf;
	byte	count;
	byte	first;
	byte	end;
};

/* struct strobe_ring_cpu */
byte state = WORD(0, SLOTS - 1, LIMIT);
byte committed = WORD(0, SLOTS - 1, LIMIT);
byte nest;
bool crossed;
byte overrun, busy, dropped, discarded;
slot_type slot[SLOTS];
byte hand = SLOTS;		/* reader.hand_id */
byte next, lost;		/* reader.next; sum of reader.lost */

/* The sub-buffers. */
byte stamp[SLOTS + 1];
byte header[(SLOTS + 1) * LIMIT];
byte payload[(SLOTS + 1) * LIMIT] = NOTHING;

/* State that the code does not have */
byte cpu = STOPPED;		/* the process that runs */
byte reserved;			/* the number of the next record */
byte newest;			/* the time of the record that the state word describes */
byte fired;
byte left[NMIS + 1];		/* events that each writer has yet to record */
#ifdef GIVE_UP
short gone;			/* a bit for each discarded record */
#endif

/*
 * Writers
 */

/* Reset variables that are not used any more, so that they do not multiply the states. */
inline forget()
{
	atomic {
		word = 0;
		from = 0;
		to = 0;
		old = 0;
		mine = 0;
		number = 0;
		seq = 0;
		sub = 0;
		ts = 0;
		last = 0;
		unread = 0
	}
}

/* R2, and the time of the record that it finds, from which the delta is counted */
inline look()
{
	atomic {
		word = state;
		last = newest
	}
}

/* R4 or X2 has succeeded: the record begins at @start, after one at @time. */
inline reserve(start, time)
{
	assert(last == newest && ts >= last);
	from = start;
	to = start + WORD(1, 0, units);
	state = to;
	last = time;
	newest = ts;
	number = reserved;
	reserved++
}

/* R1 */
inline enter()
{
	mine = nest;
	nest = mine + 1;
	mine = 0
}

/* Goes to won, or to leaving if R1 is done, with hasty set; or continues without R1. */
inline fast()
{
	MERGED {
		look();					/* R2 */
		ts = reserved				/* R3 */
	}
	if
	:: OFF(word) + units > LIMIT
	:: else ->
#ifndef BUSTED_LATE
		MERGED {
			enter();
			if
			:: nest != 1 ->
				hasty = true;
				goto leaving
			:: else
			fi
		}
#endif
		atomic {				/* R4 */
			if
			:: state != word ->
				hasty = true;
				goto leaving
			:: else ->
				reserve(word, last)
			fi
		}
#ifdef BUSTED_LATE
		enter();
#endif
		goto won
	fi
}

/* Goes to won, next_slot or again. */
inline try_here()
{
	MERGED {
		look();					/* R2 */
		ts = reserved;				/* R3 */
		if
		:: OFF(word) + units > LIMIT ->
			goto next_slot
		:: else
		fi
	}
	atomic {					/* R4 */
		if
		:: state != word ->
			forget();
			goto again
		:: else ->
			reserve(word, last);
			goto won
		fi
	}
}

/* X1. Goes to full_busy or full_unread if the slot cannot be claimed. */
inline claim()
{
	MERGED {
		old = slot[INDEX(seq)].word;
look_again:
		if
		:: HOLDS(old, seq) ->
			goto claimed
		:: !HOLDS(old, seq) && HELD(old) ->
#ifndef BUSTED_WRAP
			if
			:: seq - SEQ(committed) >= SLOTS ->
				goto full_busy
			:: else
			fi;
#endif
			unread = slot[INDEX(seq)].count - MARK(old);
#ifdef DISCARD
			if
			:: unread ->
				goto full_unread
			:: else
			fi
#endif
		:: !HELD(old) ->
			unread = 0
		fi
	}
	MERGED {
		atomic {				/* CLAIM:A */
			if
#ifndef BUSTED_CLAIM
			:: slot[INDEX(seq)].word != old ->
				old = slot[INDEX(seq)].word;
				goto look_again
#endif
			:: else ->
				slot[INDEX(seq)].word = SLOT(1, 0, ID(old), seq)
			fi
		}
		overrun = overrun + unread
	}
claimed:
	slot[INDEX(seq)].subbuf = ID(old)
}

/* Goes to again, or as claim does; or continues at won. */
inline try_next()
{
	seq = SEQ(word) + 1;
	claim();
#ifdef BUSTED_EARLY
	slot[INDEX(SEQ(word))].end = OFF(word);
	slot[INDEX(SEQ(word))].count = COUNT(word);
	stamp[slot[INDEX(seq)].subbuf] = ts;
#endif
	atomic {					/* X2 */
		if
		:: state != word ->
			forget();
			goto again
		:: else ->
			reserve(WORD(0, seq, 0), ts)
		fi
	}
	MERGED {					/* X3 */
#ifndef BUSTED_EARLY
		slot[INDEX(SEQ(word))].end = OFF(word);
		slot[INDEX(SEQ(word))].count = COUNT(word);
		atomic {
			assert(slot[INDEX(seq)].subbuf != hand);
			stamp[slot[INDEX(seq)].subbuf] = ts
		}
#endif
		crossed = true
	}
}

inline begin()
{
	MERGED {					/* R5 is in reserve() */
		sub = slot[INDEX(SEQ(to))].subbuf;
		atomic {				/* R6 */
			assert(sub != hand);
			header[AT(sub, OFF(from))] =
				HEADER(ts - last, 0, OFF(to) - OFF(from))
		}
		atomic {
			assert(sub != hand);
			payload[AT(sub, OFF(from))] = PAYLOAD(ts, number)
		}
	}
}

#ifdef GIVE_UP
/* Goes to leaving if the word is restored. */
inline give_up()
{
	MERGED {
		atomic {
			gone = gone | 1 << number;
			discarded++
		}
		if
		:: state == to
		:: else ->
			goto pad
		fi
	}
	atomic {
		if
#ifndef BUSTED_REWIND
		:: state != to ->
			goto pad
#endif
		:: else ->
			state = from;
			newest = last;
			goto leaving
		fi
	}
pad:
	MERGED {
		atomic {				/* D1 */
			assert(sub != hand);
			header[AT(sub, OFF(from))] =
				header[AT(sub, OFF(from))] | HEADER(0, 1, 0)
		}
		word = state
	}
#ifndef BUSTED_COUNT
	do
	:: SEQ(word) == SEQ(from) ->
		atomic {				/* D2 */
			if
#ifndef BUSTED_LOWER
			:: state != word ->
				word = state
#endif
			:: else ->
				state = word - WORD(1, 0, 0);
				goto leaving
			fi
		}
	:: else ->
#ifndef BUSTED_LEFT
		slot[INDEX(SEQ(from))].count--;
#endif
		break
	od
#endif
}
#endif

/* L3, except for the last step, LEAVE:A */
inline publish()
{
	seq = SEQ(committed);
	do
	:: seq != SEQ(word) ->
		mine = slot[INDEX(seq)].first + slot[INDEX(seq)].count;
		seq++;
		slot[INDEX(seq)].first = mine
	:: else ->
		seq = 0;
		mine = 0;
		break
	od
}

/* C1. Goes to done. */
inline leave()
{
	MERGED {
		forget();
		if
		:: nest != 1 ->				/* L1 */
#ifdef BUSTED_NEST
			word = state;
			publish();
			committed = word;
#endif
			mine = nest;
			nest = mine - 1;
			goto done
		:: else
		fi;
#ifndef BUSTED_CROSSED
		word = state				/* L2 */
#endif
	}
	if
	:: crossed ->
		goto leave_slow
#ifdef WAITERS
	:: true ->
		goto leave_slow
#endif
	:: else
	fi;
#ifdef BUSTED_CROSSED
	word = state;
#endif
	atomic {					/* L3, LEAVE:A */
		assert(PLACE(word) >= PLACE(committed));
		committed = word
	}
	nest = 0;					/* L4 */
	MERGED {
		if					/* L5 */
#ifdef BUSTED_PUBLISH
		:: true ->
#else
		:: state == word ->
#endif
			goto done
		:: else
		fi
	}
leave_slow:
#ifdef BUSTED_RAISE
	word = state;
#endif
	nest = 1;
	MERGED {
		if
		:: crossed ->
			crossed = false
		:: else
		fi
	}
	MERGED {
#ifndef BUSTED_RAISE
		word = state;				/* L2 */
#endif
		publish()				/* L3 */
	}
	atomic {					/* LEAVE:A */
		assert(PLACE(word) >= PLACE(committed));
		committed = word
	}
	nest = 0;					/* L4 */
	MERGED {
		if					/* L5 */
#ifndef BUSTED_PUBLISH
		:: state != word ->
			goto leave_slow
#endif
		:: else
		fi
	}
}

#include "ring_reader.pml"

inline clear()
{
	n = 0;
	do
	:: n < SLOTS ->
		slot[n].word = SLOT(n == SLOTS - 1, 0, n, n);
		slot[n].subbuf = n;
		slot[n].end = LIMIT;
		n++
	:: else ->
		break
	od;
	n = 0;
	left[TASKS] = TASK;
	left[IRQS] = IRQ;
	left[NMIS] = NMI;
	cpu = NOBODY
}

/* What must hold whenever no writer is inside */
inline check()
{
	assert(!nest && committed == state);
	n = 0;
	p = 0;
	do
	:: n < SLOTS ->
		if
		:: HELD(slot[n].word) && LAP(slot[n].word) == SEQ(state) ->
			p = p + COUNT(state) - MARK(slot[n].word)
		:: HELD(slot[n].word) && LAP(slot[n].word) < SEQ(state) ->
			p = p + slot[n].count - MARK(slot[n].word)
		:: else		/* not held, or claimed and not entered */
		fi;
		n++
	:: else ->
		break
	od;
	assert(reserved == next - lost + p + overrun + discarded);
	assert(fired == reserved + dropped + busy);
	n = 0;
	p = 0
}

active proctype reader()
{
	short word;
	byte com;
	byte seq = SLOTS - 1, off = LIMIT, first, ts;	/* reader.cursor */
	byte index, unread, pos, end, time;
	byte h, p, n;
#ifdef GIVE_UP
	byte tmp;
#endif

	d_step {
		clear()
	}
fill:
	atomic {
		if
		:: cpu == NOBODY ->
			check()
		:: else
		fi;
		/* Reset variables that are not used any more, as above. */
		word = 0;
		index = 0;
		unread = 0;
		pos = 0;
		end = 0;
		time = 0;
		if
		:: off
		:: else ->
			first = 0;
			ts = 0
		fi;
		n = 0;
		do
		:: n < LIMIT ->
			header[AT(hand, n)] = 0;
			payload[AT(hand, n)] = NOTHING;
			n++
		:: else ->
			break
		od;
		n = 0;
		com = committed				/* F1, TAKE:A */
	}
	find();
taking:
	take();
	goto fill;
copying:
	copy_part();
	goto fill
}

/* The writers have the process numbers from TASKS on. */
active [3] proctype writer() provided (cpu == _pid || cpu == _pid - 1)
{
	short old;
	byte word, from, to;
	byte mine, number, seq, sub, ts, last, units, unread;
	bool hasty;

end_idle:
	do
	:: MERGED {
			atomic {
				left[_pid] ->
				left[_pid]--;
				cpu = _pid;
				fired++;
				units = UNITS
			}
		}
		if
		:: fast()
		:: true
		fi;
slow:
		MERGED {
			forget();
			enter()
		}
again:
		try_here();
next_slot:
		try_next();
won:
		begin();
#ifdef GIVE_UP
		if
		:: true
		:: true ->
			give_up()
		fi;
#endif
		goto leaving;
#ifdef DISCARD
full_unread:
		MERGED {
			if
			:: state == word ->
				dropped++
			:: else ->
				forget();
				goto again
			fi;
			goto leaving
		}
#endif
full_busy:
		MERGED {
			if
			:: state == word ->
				busy++
			:: else ->
				forget();
				goto again
			fi
		}
leaving:
		leave();
done:
		atomic {
			if
			:: hasty ->
				hasty = false;
				goto slow
			:: else
			fi;
			forget();
			units = 0;
			cpu = _pid - 1
		}
	od
}
