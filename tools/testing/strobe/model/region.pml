/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SPIN model of what the next kernel finds in the region of a persistent ring if the machine
 * crashes: kernel/trace/strobe/ring/region.c and region.h, and the stores of write.c that the
 * region depends on.
 *
 * What is modelled
 * ----------------
 * The region of one CPU, and its header. A writer records, and resets the ring now and then; a
 * reader consumes. The machine may crash between any two steps.
 *
 *	model			code
 *	----------------------	---------------------------------------------
 *	proctype writer		the outermost writer, or a reset
 *	  claim			strobe_ring_claim(): X1, CLAIM:A
 *	  record		X2, X3, R4 and R6 of write.c
 *	  publish		strobe_ring_publish(), strobe_region_commit() (REGION:A),
 *				and the store of rc->committed (LEAVE:A)
 *	  close			strobe_region_close(), REGION:B
 *	  clear			strobe_ring_clear()
 *	  open_empty		strobe_region_open_empty()
 *	  header		strobe_region_write_header()
 *	proctype reader		strobe_region_consumed()
 *	proctype memory		stores reach memory
 *	proctype crash		strobe_region_scan(), strobe_region_scan_seq(), and the
 *				test of the header's magic
 *
 * A record has one unit, and its number is its contents. The writer may leave a record
 * unpublished, as nested writers do: the next one publishes it.
 *
 * Memory order
 * ------------
 * A store waits in the CPU until it reaches memory. Stores to different places reach it in any
 * order, unless a barrier is between them: it waits for all stores before it. A crash loses those
 * that wait. The cmpxchg of CLAIM:A waits, and is done in memory.
 *
 * What must hold
 * --------------
 * At any time, the next kernel finds either kept->committed 0, while a reset is under way; or a
 * state that it accepts: all records up to kept->committed, from the oldest slot that is held
 * on, each whole and with its own number. Nothing is read past the last one. If the magic is
 * set, all of the header was stored by one kernel.
 *
 * Not modelled: a crash that tears a word, or that damages others (the seals are for these);
 * discarded records; times; the marks of slot words, which the next kernel replaces.
 *
 * Parameters (-D)
 * ---------------
 *	SLOTS, LIMIT		slots; units in a sub-buffer
 *	RECORDS, RESETS		number of records and resets
 *	BUSTED_...		leaves out something that is needed:
 *	  COMMIT		REGION:A of kept->committed
 *	  MAGIC			REGION:A of the header's magic
 *	  CLOSE			REGION:B of a reset
 *	  HEADER		REGION:B of the header
 *	  CLAIM			CLAIM:A does not order the stores after it
 *	  LEAVE			LEAVE:A does not order kept->committed before rc->committed
 *	  EMPTY			a reset does not clear kept->committed
 *	  WRAP			a slot is claimed that kept->committed may need
 */
#ifndef SLOTS
#define SLOTS	2
#endif
#ifndef LIMIT
#define LIMIT	2
#endif
#ifndef RECORDS
#define RECORDS	6
#endif
#ifndef RESETS
#define RESETS	1
#endif

/* A slot word. */
#define SLOT(held, seq)	((seq) << 1 | (held))
#define HELD(word)	((word) & 1)
#define LAP(word)	((word) >> 1)

/* kept->committed: the place, and the number of the next record, which the code does not have */
#define PLACE(seq, off, number) (1 << 12 | (number) << 8 | (seq) << 3 | (off))
#define NUMBER(place)	(((place) >> 8) & 15)
#define SEQ(place)	(((place) >> 3) & 31)
#define OFF(place)	((place) & 7)

#define PADDING		255
#define INDEX(seq)	((seq) % SLOTS)

/* The places of the region */
#define WORD(seq)	(INDEX(seq) * 4)
#define FIRST(seq)	(INDEX(seq) * 4 + 1)
#define COUNT(seq)	(INDEX(seq) * 4 + 2)
#define END(seq)	(INDEX(seq) * 4 + 3)
#define DATA(seq, off)	(SLOTS * 4 + INDEX(seq) * LIMIT + (off))
#define KEPT		(SLOTS * (4 + LIMIT))
#define MAGIC		(KEPT + 1)
#define TEXT		(KEPT + 2)
#define MAKER		(KEPT + 3)
/* Not in the region: rc->committed; the number of the next record stands for it. */
#define COMMITTED	(KEPT + 4)
#define PLACES		(KEPT + 5)

short memory[PLACES];
/* Stores of the writer's CPU that have not reached memory */
short value[PLACES];
bool waits[PLACES];
byte waiting;

byte consumed;			/* kept->read */
bool resets = true;		/* a reset holds reader.lock, and may clear kept->committed */

inline store(place, what)
{
	atomic {
		if
		:: waits[place]
		:: else ->
			waits[place] = true;
			waiting++
		fi;
		value[place] = what
	}
}

inline barrier()
{
	!waiting
}

/*
 * The writer
 */

/* X1. Goes to busy if the slot may be needed. */
inline claim()
{
#ifndef BUSTED_WRAP
	if
	:: seq + 1 - published >= SLOTS -> goto busy
	:: else
	fi;
#endif
#ifdef BUSTED_CLAIM
	store(WORD(seq + 1), SLOT(1, seq + 1))
#else
	atomic {				/* CLAIM:A */
		barrier();
		memory[WORD(seq + 1)] = SLOT(1, seq + 1)
	}
#endif
}

inline record()
{
	if
	:: off < LIMIT
	:: else ->
		claim();
		store(END(seq), off);		/* X3 */
		store(COUNT(seq), count);
		atomic {
			counts[INDEX(seq)] = count;
			seq++;
			off = 0;
			count = 0
		}
	fi;
	store(DATA(seq, off), number);		/* R6 */
	atomic {
		off++;
		count++;
		number++
	}
}

inline publish()
{
	do
	:: published != seq ->
		atomic {
			first = first + counts[INDEX(published)];
			published++
		};
		store(FIRST(published), first)
	:: else -> break
	od;
#ifndef BUSTED_COMMIT
	barrier();				/* REGION:A */
#endif
	store(KEPT, PLACE(seq, off, number));
#ifndef BUSTED_LEAVE
	barrier();				/* LEAVE:A */
#endif
	store(COMMITTED, number)
}

inline close()
{
#ifndef BUSTED_EMPTY
	store(KEPT, 0);
#ifndef BUSTED_CLOSE
	barrier();				/* REGION:B */
#endif
#endif
	skip
}

inline clear()
{
	for (n : 0 .. SLOTS - 1) {
		store(WORD(n), SLOT(n == SLOTS - 1, n));
		store(FIRST(n), number);
		store(COUNT(n), 0);
		store(END(n), LIMIT)
	}
	atomic {
		n = 0;
		seq = SLOTS - 1;
		published = seq;
		first = number;
		off = LIMIT;
		count = 0
	}
}

inline open_empty()
{
	store(DATA(seq, 0), PADDING);
	consumed = number;
	barrier();				/* REGION:A */
	store(KEPT, PLACE(seq, off, number))
}

inline header()
{
	store(MAGIC, 0);
#ifndef BUSTED_HEADER
	barrier();				/* REGION:B */
#endif
	store(TEXT, kernel);
	store(MAKER, kernel);
#ifndef BUSTED_MAGIC
	barrier();				/* REGION:A */
#endif
	store(MAGIC, 1)
}

active proctype writer()
{
	byte seq, off, count, number, published, first, n, kernel, left = RECORDS;
	byte counts[SLOTS];
	bool inside;

reset:
	close();
	clear();
	open_empty();
	header();
	barrier();				/* START:A */
	resets = false;
	do
	:: left ->
		left--;
		record();
busy:
		if
		:: true ->
			publish();
			inside = false
		:: left -> inside = true	/* a nested writer */
		fi
	:: kernel < RESETS && !inside ->
		atomic {
			barrier();		/* STOP:A */
			kernel++;
			resets = true
		};
		goto reset
	:: !left -> break
	od
}

active proctype reader()
{
end:	do
	:: atomic {
			!resets && consumed < memory[COMMITTED] ->
			consumed++
		}
	od
}

active proctype memory_bus()
{
	byte place;

end:	do
	:: atomic {
			waiting ->
			select(place : 0 .. PLACES - 1);
			if
			:: waits[place] ->
				memory[place] = value[place];
				value[place] = 0;
				waits[place] = false;
				waiting--
			:: else
			fi;
			place = 0
		}
	od
}

/* The sequence @seq as the next kernel finds it */
inline scan_seq()
{
	word = memory[WORD(seq)];
	if
	:: HELD(word) && LAP(word) == seq ->
		stop = (seq == SEQ(place) -> OFF(place) : memory[END(seq)]);
		assert(stop <= LIMIT);
		assert(!held || memory[FIRST(seq)] == next);
		held = true;
		next = memory[FIRST(seq)];
		pos = 0;
		do
		:: pos < stop && memory[DATA(seq, pos)] == PADDING ->
			pos = stop
		:: pos < stop && memory[DATA(seq, pos)] != PADDING ->
			assert(memory[DATA(seq, pos)] == next);
			next++;
			pos++
		:: else -> break
		od;
		assert(seq == SEQ(place) || memory[COUNT(seq)] == next - memory[FIRST(seq)])
	:: else ->
		/* Gone: never held, or claimed for the next lap */
		assert(!held && (!HELD(word) || LAP(word) == seq + SLOTS))
	fi
}

active proctype crash()
{
	short place, word;
	byte seq, next, pos, stop, back;
	bool held;

end:	do
	:: d_step {
			assert(!memory[MAGIC] || memory[TEXT] == memory[MAKER]);
			place = memory[KEPT];
			if
			:: !place -> assert(resets)
			:: else ->
				back = SLOTS;
				do
				:: back ->
					back--;
					seq = SEQ(place) - back;
					scan_seq()
				:: else -> break
				od;
				assert(held && next == NUMBER(place));
				assert(consumed <= next)
			fi;
			place = 0;
			word = 0;
			seq = 0;
			next = 0;
			pos = 0;
			stop = 0;
			back = 0;
			held = false
		}
	od
}
