/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SPIN model of waiting for records: kernel/trace/strobe/ring/wait.c, and the part
 * of the commit that checks for waiters. Labels like A1 and W2 are those at the top of
 * wait.c.
 *
 * What is modelled
 * ----------------
 * A CPU whose writer commits RECORDS records, and two waiters on other CPUs.
 *
 *	model			code
 *	----------------------	---------------------------------------------
 *	proctype writer		strobe_ring_leave_outermost(),
 *				strobe_ring_leave_slow(): W1, W2
 *	  notify		strobe_ring_notify(): W3
 *	proctype irq_work	strobe_ring_wake_work(): W4
 *	proctype waiter		strobe_ring_wait(), or (POLL) epoll_wait() with
 *				strobe_ring_poll(); strobe_ring_ready(), and the
 *				consumption of the records found
 *	  mark			strobe_ring_mark_waiter(): A1
 *	  queue_recheck		strobe_ring_queue_recheck(): A2
 *	proctype callback	strobe_ring_recheck(): C1, C2
 *	proctype timer		strobe_ring_poll_timer()
 *
 * With NOHZ, the CPU is a nohz_full one: a timer replaces the irq_work and the recheck. Its
 * time is not modelled: it expires at any moment after it is armed.
 *
 * Not modelled: swaps of two rings, and that a waiter must not put off a timer again and
 * again. ../wake.c tests both.
 *
 * A waiter waits for any record, and consumes all records that it finds; or (FULL) waiter n
 * waits until there are FIRST + n records, and no records are consumed. With POLL, it uses
 * EPOLLET: after it has consumed all, it sleeps, and calls poll() after the next wake-up only.
 * With KINDS and POLL, waiter 0 waits for any record, and waiter 1 until there are FIRST; each
 * consumes what it finds.
 *
 * What must hold
 * --------------
 * No waiter sleeps forever while the records that it waits for are there. SPIN reports
 * such an end as an "invalid end state". The recheck's rcu_head is never queued when it
 * is queued already.
 *
 * Memory order
 * ------------
 * The writer loads waiters and wait_full before other CPUs see its store of committed: it
 * has no full barrier there, so this is the worst case. The grace period of a recheck ends
 * when each section of the writer that had begun before has ended; then all stores of
 * these sections are seen.
 *
 * Parameters (-D)
 * ---------------
 *	RECORDS			number of records committed
 *	FULL, FIRST, POLL, KINDS, NOHZ see above
 *	BUSTED_RECHECK		a waiter queues no recheck, and arms no timer
 *	BUSTED_AGAIN		a waiter that finds a recheck queued relies on it
 *	BUSTED_CLEAR		waiters and wait_full are cleared after the irq_work is queued
 *	BUSTED_QUEUE		a waiter checks for records before it is on the wait queue
 *	BUSTED_LOOK		after A1, a waiter neither queues a recheck nor checks for
 *				records again
 *	BUSTED_MIN		wait_full is lowered by a load and a store
 *	BUSTED_POLL		poll() sets no flag if there are records
 *	BUSTED_POLLED		polled is not cleared with the flag
 *	BUSTED_LATE		polled is set after the recheck is queued
 *	BUSTED_KINDS		a waiter relies on polled although its own flag was not set
 *	BUSTED_STOP		the timer is not armed again if it has found no records
 *	BUSTED_FLAG		the timer looks for records only if a flag is set
 *	BUSTED_ARM		a waiter that relies on polled does so with a timer, too
 */
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef FIRST
#define FIRST 2
#endif
#define NOBODY 255

byte committed, consumed;
bool waiters;
byte wait_full = NOBODY;
bool polled;
bool finished;			/* the writer is done */

bool inside;			/* the writer is in an RCU section */
byte sections;			/* number of sections begun so far */

bool woken[2];

#ifdef NOHZ
bool armed;			/* the timer is pending */
bool queued[2];			/* the waiter is on the wait queue */
#else
bool work;			/* the irq_work is queued */

mtype = { NEVER, QUEUED, AGAIN, DONE };
mtype recheck = NEVER;
bool pending;			/* the callback waits for a grace period */
byte before;			/* sections that had begun before it */
#endif

#define dirty		(committed - consumed)
#ifdef FULL
#define wants(n)	(dirty >= FIRST + n)
#elif defined(KINDS)
#define wants(n)	(dirty > 0 && (n == 0 || dirty >= FIRST))
#else
#define wants(n)	(dirty > 0)
#endif

/* Wake all waiters. */
inline wake_up()
{
	woken[0] = true;
	woken[1] = true
}

#ifndef NOHZ
inline call_rcu()
{
	assert(!pending);
	pending = true;
	before = sections
}
#endif

inline notify()
{
#ifdef BUSTED_CLEAR
	work = true;
	waiters = false;
	wait_full = NOBODY;
	polled = false
#else
	waiters = false;			/* W3 */
	wait_full = NOBODY;
#ifndef BUSTED_POLLED
	polled = false;
#endif
#ifdef NOHZ
	skip
#else
	work = true
#endif
#endif
}

active proctype writer()
{
	bool any;
	byte level;

	do
	:: committed < RECORDS ->
		atomic { inside = true; sections++ };
		any = waiters;			/* W2 */
		level = wait_full;
		committed++;			/* W1, seen only now */
		if
		:: (any && dirty > 0) || dirty >= level -> notify()
		:: else
		fi;
		inside = false
	:: else -> break
	od;
	finished = true
}

#define satisfied	((waiters && dirty > 0) || dirty >= wait_full)

#ifdef NOHZ
#ifdef BUSTED_FLAG
#define found		satisfied
#else
#define found		(dirty > 0)
#endif

/* Once the writer is done, a timer that finds nothing does not find anything later. */
active proctype timer()
{
end:	do
	:: armed && (found || !finished) ->
		armed = false;
		if
		:: found -> wake_up()
		:: else ->
#ifndef BUSTED_STOP
			if
			:: queued[0] || queued[1] -> armed = true
			:: else
			fi
#else
			skip
#endif
		fi
	od
}
#else
active proctype irq_work()
{
end:	do
	:: work ->
		work = false;			/* W4 */
		wake_up()
	od
}
#endif

inline lower(n)
{
#ifdef BUSTED_MIN
	old = wait_full;
	if
	:: FIRST + n < old -> wait_full = FIRST + n
	:: else
	fi
#else
	atomic {
		if
		:: FIRST + n < wait_full -> wait_full = FIRST + n
		:: else
		fi
	}
#endif
}

inline mark(n)
{
#ifdef FULL
	lower(n)				/* A1 */
#elif defined(KINDS)
	if
	:: n == 0 ->
#ifndef BUSTED_KINDS
		told = told && waiters;
#endif
		waiters = true			/* A1 */
	:: else ->
		atomic {
#ifndef BUSTED_KINDS
			told = told && wait_full <= FIRST;
#endif
			lower(0)		/* A1 */
		}
	fi
#else
	waiters = true				/* A1 */
#endif
}

inline queue_recheck()
{
#if defined(BUSTED_RECHECK)
	skip
#elif defined(NOHZ)
	armed = true				/* A2 */
#else
	atomic {				/* A2 */
		if
#ifndef BUSTED_AGAIN
		:: recheck == QUEUED || recheck == AGAIN -> recheck = AGAIN
#else
		:: recheck == QUEUED
#endif
		:: else -> recheck = QUEUED; call_rcu()
		fi
	}
#endif
}

#ifdef NOHZ
#define prepare_to_wait(n)	atomic { woken[n] = false; queued[n] = true }
#define finish_wait(n)		queued[n] = false
#else
#define prepare_to_wait(n)	woken[n] = false
#define finish_wait(n)
#endif

active [2] proctype waiter()
{
	byte n = _pid - 2;
#ifdef POLL
	bool told;
#endif
#ifdef BUSTED_MIN
	byte old;
#endif

	do
	:: finished && !wants(n) -> break
	:: else ->
#ifndef BUSTED_QUEUE
		prepare_to_wait(n);
#endif
#if !defined(POLL) || defined(BUSTED_POLL)
		if
		:: wants(n) -> goto ready
		:: else
		fi;
#endif
#ifdef POLL
		told = polled;
#ifndef BUSTED_LATE
		polled = true;
#endif
#endif
#if defined(POLL) && defined(NOHZ) && !defined(BUSTED_ARM)
		told = false;
#endif
		mark(n);
#ifdef BUSTED_LOOK
		goto sleep;
#endif
#ifdef POLL
		if
		:: told && wants(n) -> goto ready
		:: else
		fi;
#endif
		queue_recheck();
		if				/* A3 */
		:: wants(n) ->
#ifdef BUSTED_LATE
			polled = true;
#endif
			goto ready
		:: else
		fi;
sleep:
#ifdef BUSTED_QUEUE
		prepare_to_wait(n);
#endif
		if				/* schedule() */
		:: woken[n]
		:: finished && !wants(n) -> break
		fi;
		goto next;
ready:
#ifdef FULL
		break;
#else
#ifndef POLL
		finish_wait(n);
#endif
		consumed = committed;
#endif
#ifdef POLL
		goto sleep;
#endif
next:		skip
	od;
	finish_wait(n)
}

#ifndef NOHZ
active proctype callback()
{
end:	do
	:: atomic { pending && (!inside || sections > before) -> pending = false };
		atomic {			/* C1 */
			if
			:: recheck == AGAIN -> recheck = QUEUED; call_rcu()
			:: else -> recheck = DONE
			fi
		};
		if				/* C2 */
		:: satisfied -> wake_up()
		:: else
		fi
	od
}
#endif
