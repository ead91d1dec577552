// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for records.
 *
 * Commit tests one word, of which the flag rc->waiters is a part; it compares
 * rc->wait_full, for readers that wait until the ring is partly full, only if a slot
 * was entered. A writer that finds a waiter clears both and queues an irq_work, which
 * wakes the waiters. They set the flag again if they continue to wait.
 *
 *	waiter				writer
 *	on the wait queue		W1  committed = W (LEAVE:A)
 *	A1  waiters = 1			W2  waiters set?
 *	    smp_mb() (WAIT:A)		W3  waiters = 0, queue an irq_work
 *	A2  have a recheck queued
 *	A3  anything committed?		irq_work
 *	    no: sleep			W4  wake the wait queues
 *
 *					recheck, a grace period after A2
 *					C1  change the state, see below
 *					C2  flag set, and anything committed?
 *					    wake the wait queues
 *
 * The writer has no full barrier between W1 and W2, which each record would have to
 * pay for, and may even do W2 before W1. So A3 may miss a record whose writer misses
 * A1. But that writer is an RCU read-side critical section: a grace period that begins
 * after A1 ends after the writer has left, and C2 sees W1. If the waiter still sleeps
 * after that, the next writer sees the flag.
 *
 * A recheck that is queued already does not help a waiter, as its grace period may
 * have begun before A1. So the waiter requests another one.
 *
 * States of a recheck
 *	never	there was no waiter yet: destroying the ring need not wait for callbacks
 *	queued	call_rcu() was called after each A1 so far
 *	again	queued, and a waiter has set the flag since: C1 queues it once more
 *	done	the callback is at C2, or has returned
 *
 *	from		A2 leads to		C1 leads to
 *	never, done	queued, call_rcu()
 *	queued		again			done
 *	again		again			queued, call_rcu()
 *
 * A waiter in strobe_ring_wait() tests for records before A1, too. One in poll() does
 * not, and does A1 and A2 even if there are records: epoll with EPOLLET, having reported
 * them, calls poll() again only after a wake-up, which the next record has to cause. But C2
 * wakes the poller for the same records, and its next poll() would do A2 again, and so on
 * until they are consumed. To prevent that, A2 is done only once for a flag: rc->polled is
 * set before A1, and W3 clears it after the flags. If a poller finds both polled and its
 * flag set, an earlier A1 has set that flag; the recheck of that A1 waits for any writer
 * that loaded the flag before. polled alone is not enough: it may be set for the other flag.
 *
 * "Anything committed" includes what another reader has in hand, and may leave to the waiter:
 * strobe_ring_pending() tests whether that reader has passed the record (place) before it tests
 * whether it has the record in hand.
 *
 * tools/testing/strobe/model/wait.pml is a model of this.
 *
 * A nohz_full CPU must not be disturbed by an irq_work for a reader: as long as a
 * reader waits, a timer on another CPU looks for records ten times a second. So it may
 * wake a task that uses epoll ten times a second beside records that are not consumed.
 *
 * A swap (swap.c) moves the flags that the waiters have set to another ring; the wait
 * queues stay. So all waiters are woken, and set the flags that are now in place. A
 * waiter sets ring->sleepers before it loads ring->percpu: either the swap reads
 * sleepers and wakes the waiter, or the waiter loads the new pointer. The swap clears
 * sleepers: if the wake-up fires events, and a trigger swaps for each of them, no
 * further wake-up is queued until the waiter has run.
 *
 * Contexts: strobe_ring_notify() any, also NMI. No locks but those of the queues.
 */
#include <linux/jiffies.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/tick.h>

#include "ring/internal.h"

#define STROBE_POLL_PERIOD	(HZ / 10)

enum { RECHECK_NEVER, RECHECK_QUEUED, RECHECK_AGAIN, RECHECK_DONE };

static void strobe_ring_wake_queues(struct strobe_ring_cpu *rc)
{
	struct strobe_ring *ring = READ_ONCE(rc->ring);

	wake_up_all(&ring->seats[rc->cpu].waitq);
	wake_up_all(&ring->waitq);
}

static bool strobe_ring_has_sleepers(struct strobe_ring_cpu *rc)
{
	struct strobe_ring *ring = READ_ONCE(rc->ring);

	return wq_has_sleeper(&ring->seats[rc->cpu].waitq) ||
	       wq_has_sleeper(&ring->waitq);
}

static void strobe_ring_wake_work(struct irq_work *work)
{
	struct strobe_ring_cpu *rc = container_of(work, struct strobe_ring_cpu,
						  wake_work);

	/* With PREEMPT_RT this is a task: RCU keeps rc->ring, which a swap may replace. */
	rcu_read_lock();
	strobe_ring_wake_queues(rc);
	rcu_read_unlock();
}

/* W3: wake the waiters. Called at commit; any context. */
notrace void strobe_ring_notify(struct strobe_ring_cpu *rc)
{
	/* Clear these first: the waiters set them again if they continue to wait. */
	WRITE_ONCE(rc->waiters, 0);
	WRITE_ONCE(rc->wait_full, U32_MAX);
	/*
	 * POLLED:A: if POLLED:B reads this 0, the waiter sets its flag after the stores above.
	 * Pairs with POLLED:B.
	 */
	atomic_xchg(&rc->polled, 0);
	if (!tick_nohz_full_cpu(rc->cpu))
		irq_work_queue(&rc->wake_work);
}

/* Does @rc have the records that its waiters wait for, as far as they have said so? */
static bool strobe_ring_satisfies(const struct strobe_ring_cpu *rc)
{
	if (READ_ONCE(rc->wait_full) != U32_MAX &&
	    strobe_ring_dirty(rc) >= READ_ONCE(rc->wait_full))
		return true;
	return READ_ONCE(rc->waiters) && strobe_ring_pending(rc);
}

static void strobe_ring_recheck(struct rcu_head *head)
{
	struct strobe_ring_cpu *rc = container_of(head, struct strobe_ring_cpu,
						  recheck);

	/*
	 * C1, RECHECK:B: if this reads the QUEUED that A2 stored, C2 sees A1. If A2 reads the
	 * DONE that this stores, RCU has used the rcu_head. Pairs with WAIT:A and RECHECK:A.
	 */
	if (atomic_cmpxchg(&rc->recheck_state, RECHECK_QUEUED, RECHECK_DONE) !=
	    RECHECK_QUEUED) {
		/* RECHECK:B: the same for AGAIN, and for the next grace period. */
		atomic_xchg(&rc->recheck_state, RECHECK_QUEUED);
		call_rcu_hurry(&rc->recheck, strobe_ring_recheck);
	}
	/* C2 */
	if (strobe_ring_satisfies(rc))
		strobe_ring_wake_queues(rc);
}

static void strobe_ring_poll_timer(struct timer_list *timer)
{
	struct strobe_ring_cpu *rc = from_timer(rc, timer, poll_timer);

	/* Do not test the flag: the writer may have cleared it. */
	if (strobe_ring_pending(rc))
		strobe_ring_wake_queues(rc);
	else if (strobe_ring_has_sleepers(rc))
		mod_timer(timer, jiffies + STROBE_POLL_PERIOD);
}

/* A2. Not call_rcu(): with CONFIG_RCU_LAZY it may take ten seconds. */
static void strobe_ring_queue_recheck(struct strobe_ring_cpu *rc)
{
	int state = atomic_read(&rc->recheck_state), next;

	do {
		if (state == RECHECK_QUEUED || state == RECHECK_AGAIN)
			next = RECHECK_AGAIN;
		else
			next = RECHECK_QUEUED;
		/* RECHECK:A: call_rcu() stores after RCU's last use. Pairs with RECHECK:B. */
	} while (!atomic_try_cmpxchg(&rc->recheck_state, &state, next));
	if (state != RECHECK_QUEUED && state != RECHECK_AGAIN)
		call_rcu_hurry(&rc->recheck, strobe_ring_recheck);
}

/*
 * Lower rc->wait_full to @dirty sub-buffers, unless it is lower already.
 * Return: whether it was so low already.
 */
static bool strobe_ring_lower_wait_full(struct strobe_ring_cpu *rc, u32 dirty)
{
	u32 old = READ_ONCE(rc->wait_full);

	while (dirty < old) {
		/* The cmpxchg orders nothing: the caller has a full barrier after it. */
		if (try_cmpxchg(&rc->wait_full, &old, dirty))
			return false;
	}
	return true;
}

/*
 * A1. @dirty: sub-buffers to wait for; 0: any record.
 * Return: whether the flag was set already.
 */
static bool strobe_ring_mark_waiter(struct strobe_ring_cpu *rc, u32 dirty)
{
	bool marked;

	if (!dirty) {
		marked = READ_ONCE(rc->waiters);
		WRITE_ONCE(rc->waiters, 1);
	} else {
		marked = strobe_ring_lower_wait_full(rc, dirty);
	}
	/* WAIT:A: A1 before A2, A3 and the recheck. Pairs with LEAVE:A and RECHECK:B. */
	smp_mb();
	return marked;
}

/*
 * A2. A timer that is pending is left as it is: else a task that polls often would put off the
 * wake-ups of others. If this reads that it is pending, its function sees the waiter on the queue:
 * it is not pending any more when its function begins, and wq_has_sleeper() has a full barrier.
 */
static void strobe_ring_arm_recheck(struct strobe_ring_cpu *rc)
{
	if (tick_nohz_full_cpu(rc->cpu))
		timer_reduce(&rc->poll_timer, jiffies + STROBE_POLL_PERIOD);
	else
		strobe_ring_queue_recheck(rc);
}

/*
 * Number of sub-buffers that make up @percent of the ring; 0 for 0. Never 1: the sub-buffer
 * that is being written is counted, and is not full.
 */
static u32 strobe_ring_watermark(const struct strobe_ring_cpu *rc, int percent)
{
	u32 nr_slots, dirty;

	/* A resize may change the result, and wakes the waiters. */
	preempt_disable_notrace();	/* Keeps the store from being freed. */
	nr_slots = READ_ONCE(rc->store)->shape.nr_slots;
	preempt_enable_notrace();
	dirty = DIV_ROUND_UP((u64)nr_slots * percent, 100);
	return dirty == 1 ? 2 : dirty;
}

static bool strobe_ring_cpu_ready(const struct strobe_ring_cpu *rc, u32 dirty)
{
	return dirty ? strobe_ring_dirty(rc) >= dirty : strobe_ring_pending(rc);
}

/* A1 to A3 for one CPU, in strobe_ring_wait(). Return: whether the caller need not wait. */
static bool strobe_ring_cpu_wait(struct strobe_ring_cpu *rc, u32 dirty)
{
	if (strobe_ring_cpu_ready(rc, dirty))
		return true;
	strobe_ring_mark_waiter(rc, dirty);
	strobe_ring_arm_recheck(rc);
	return strobe_ring_cpu_ready(rc, dirty);
}

/* The same in poll(), where A1 is done even if there are records. */
static bool strobe_ring_cpu_poll(struct strobe_ring_cpu *rc, u32 dirty)
{
	bool armed;

	/* POLLED:B: comes before the store to a flag. Pairs with POLLED:A. */
	armed = atomic_xchg(&rc->polled, 1);
	/* A timer that has woken the waiters is not pending any more. */
	if (tick_nohz_full_cpu(rc->cpu))
		armed = false;
	if (!strobe_ring_mark_waiter(rc, dirty))
		armed = false;
	if (armed && strobe_ring_cpu_ready(rc, dirty))
		return true;
	strobe_ring_arm_recheck(rc);
	return strobe_ring_cpu_ready(rc, dirty);
}

/*
 * Test for records, and become a waiter if there are none, or if the caller is poll().
 * Return: whether there are some.
 */
static bool strobe_ring_ready(struct strobe_ring *ring, int cpu, int percent, bool poll)
{
	bool ready = false;
	int i;

	atomic_set(&ring->sleepers, 1);
	/* SWAP_WAKE:A: sleepers is stored before ring->percpu is loaded. */
	smp_mb();
	strobe_ring_for_each(ring, cpu, i) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, i);
		u32 dirty = 0;

		/* @percent is of one CPU's ring; it is ignored for all CPUs. */
		if (cpu != STROBE_RING_ALL_CPUS)
			dirty = strobe_ring_watermark(rc, percent);
		if (poll)
			ready |= strobe_ring_cpu_poll(rc, dirty);
		else if (strobe_ring_cpu_wait(rc, dirty))
			return true;
	}
	return ready;
}

static wait_queue_head_t *strobe_ring_queue(struct strobe_ring *ring, int cpu)
{
	return cpu == STROBE_RING_ALL_CPUS ? &ring->waitq :
					     &ring->seats[cpu].waitq;
}

/**
 * strobe_ring_wait - sleep until a ring has records to read
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS: any CPU's
 * @percent_full: wait until that much of the CPU's ring has unread records; 0, or all
 *	CPUs: any record
 * @cond: stop waiting if this returns true, tested before each sleep; NULL: no condition
 * @data: argument of @cond
 *
 * Context: Task context, sleeps.
 * Return: 0; -ERESTARTSYS: interrupted by a signal.
 */
int strobe_ring_wait(struct strobe_ring *ring, int cpu, int percent_full,
		     bool (*cond)(void *data), void *data)
{
	wait_queue_head_t *queue = strobe_ring_queue(ring, cpu);
	DEFINE_WAIT(wait);
	int ret = 0;

	for (;;) {
		prepare_to_wait(queue, &wait, TASK_INTERRUPTIBLE);
		if (cond && cond(data))
			break;
		if (strobe_ring_ready(ring, cpu, percent_full, false))
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		schedule();
	}
	finish_wait(queue, &wait);
	return ret;
}

/**
 * strobe_ring_poll - poll() on a ring
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 * @file: the file being polled
 * @table: from the caller of poll()
 * @percent_full: as for strobe_ring_wait()
 *
 * A record that is committed after this call wakes @file's waiters, even if this call
 * has found others.
 *
 * Context: Task context.
 * Return: EPOLLIN | EPOLLRDNORM, or 0.
 */
__poll_t strobe_ring_poll(struct strobe_ring *ring, int cpu, struct file *file,
			  poll_table *table, int percent_full)
{
	poll_wait(file, strobe_ring_queue(ring, cpu), table);
	return strobe_ring_ready(ring, cpu, percent_full, true) ?
	       EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * strobe_ring_wake - wake the waiters of a ring
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS
 *
 * They continue to wait unless there are records, or their condition is true.
 *
 * Context: Task, soft or hard interrupt.
 */
void strobe_ring_wake(struct strobe_ring *ring, int cpu)
{
	int i;

	wake_up_all(&ring->waitq);
	strobe_ring_for_each(ring, cpu, i)
		wake_up_all(&ring->seats[i].waitq);
}

static void strobe_ring_swap_work(struct irq_work *work)
{
	strobe_ring_wake(container_of(work, struct strobe_ring, swap_work),
			 STROBE_RING_ALL_CPUS);
}

static void strobe_ring_cpu_wait_init(struct strobe_ring_cpu *rc)
{
	init_irq_work(&rc->wake_work, strobe_ring_wake_work);
	atomic_set(&rc->recheck_state, RECHECK_NEVER);
	timer_setup(&rc->poll_timer, strobe_ring_poll_timer, 0);
	rc->wait_full = U32_MAX;
	rc->waiters = 0;
	atomic_set(&rc->polled, 0);
}

void strobe_ring_wait_init(struct strobe_ring *ring)
{
	int cpu;

	init_waitqueue_head(&ring->waitq);
	init_irq_work(&ring->swap_work, strobe_ring_swap_work);
	for_each_possible_cpu(cpu) {
		init_waitqueue_head(&ring->seats[cpu].waitq);
		strobe_ring_cpu_wait_init(strobe_ring_of(ring, cpu));
	}
}

/* Stop all irq_works, timers and rechecks. */
void strobe_ring_wait_exit(struct strobe_ring *ring)
{
	bool queued, rechecks;
	int cpu, state;

	irq_work_sync(&ring->swap_work);
	for_each_possible_cpu(cpu) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

		irq_work_sync(&rc->wake_work);
		timer_shutdown_sync(&rc->poll_timer);
	}
	/*
	 * A recheck that is done may still be at C2, and one that is queued may queue
	 * itself once more. The recheck of a CPU's ring that a swap moved to another ring
	 * does not use this one: it is an RCU read-side critical section, and the caller
	 * has waited for a grace period.
	 */
	do {
		queued = false;
		rechecks = false;
		for_each_possible_cpu(cpu) {
			state = atomic_read(&strobe_ring_of(ring, cpu)->recheck_state);
			rechecks |= state != RECHECK_NEVER;
			queued |= state == RECHECK_QUEUED || state == RECHECK_AGAIN;
		}
		if (rechecks)
			rcu_barrier();
	} while (queued);
}
