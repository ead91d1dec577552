// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for records.
 *
 * A writer does nothing about it unless somebody waits: commit tests one word,
 * of which rc->waiters is a part; who waits for a certain fill is looked for
 * only when a slot was entered. The one who finds a waiter clears the mark and
 * queues an irq_work, in whose context the waiters are woken: they mark again
 * if they go on waiting.
 *
 *	waiter				writer
 *	on the wait queue		W1  committed = W (LEAVE:A)
 *	A1  waiters = 1			W2  waiters set? wake
 *	    smp_mb() (WAIT:A)
 *	A2  anything committed?
 *	    no: sleep
 *
 * The writer has no full barrier between W1 and the test of rc->waiters, which
 * it may even do before W1: that would be paid for by each record. So A2 may
 * miss a record whose writer misses A1. But that writer is a read-side critical
 * section of RCU: after a grace period begun behind A1 it has left, and W1 is
 * seen. So each A1 queues a recheck by call_rcu(), one at a time: whoever waits
 * longer than that is waiting for a writer that sees the mark.
 *
 * States of a recheck
 *	never	nobody has waited: who destroys the ring need not wait for one
 *	queued	by the waiter that was the first to see another state (xchg); it will
 *		look
 *	done	it is about to look, or has. A waiter queues it again
 *
 * A nohz_full CPU is not to be disturbed by an irq_work for a reader's sake: a
 * timer elsewhere looks for its records ten times a second, if anybody waits.
 *
 * A swap (swap.c) puts what the waiters have marked elsewhere. Their queues stay:
 * all are woken, and mark what is there now. Who marks what was there is on its
 * queue already when it looks, and is woken too.
 *
 * Contexts: strobe_ring_notify() any, NMI included. No locks but the queues'.
 */
#include <linux/jiffies.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/tick.h>

#include "ring/internal.h"

#define STROBE_POLL_PERIOD	(HZ / 10)

enum { RECHECK_NEVER, RECHECK_QUEUED, RECHECK_DONE };

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
	strobe_ring_wake_queues(container_of(work, struct strobe_ring_cpu,
					     wake_work));
}

/* Somebody waits: wake him. Called at commit; any context. */
notrace void strobe_ring_notify(struct strobe_ring_cpu *rc)
{
	WRITE_ONCE(rc->waiters, 0);
	WRITE_ONCE(rc->wait_full, U32_MAX);
	if (!tick_nohz_full_cpu(rc->cpu))
		irq_work_queue(&rc->wake_work);
}

/* Is there what the waiters of @rc have asked for, as far as they are marked? */
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

	/* From here on a waiter queues another one. */
	atomic_set_release(&rc->recheck_state, RECHECK_DONE);
	smp_mb();	/* That is seen before committed is looked at; pairs with WAIT:A. */
	if (strobe_ring_satisfies(rc))
		strobe_ring_wake_queues(rc);
}

static void strobe_ring_poll_timer(struct timer_list *timer)
{
	struct strobe_ring_cpu *rc = from_timer(rc, timer, poll_timer);

	/* The mark is gone if the writer has seen it. */
	if (strobe_ring_pending(rc))
		strobe_ring_wake_queues(rc);
	else if (strobe_ring_has_sleepers(rc))
		mod_timer(timer, jiffies + STROBE_POLL_PERIOD);
}

/* A1. @dirty: sub-buffers to wait for; 0: any record. */
static void strobe_ring_mark_waiter(struct strobe_ring_cpu *rc, u32 dirty)
{
	if (!dirty)
		WRITE_ONCE(rc->waiters, 1);
	else if (dirty < READ_ONCE(rc->wait_full))
		WRITE_ONCE(rc->wait_full, dirty);
	/* WAIT:A pairs with LEAVE:A, by way of the recheck */
	smp_mb();
	if (tick_nohz_full_cpu(rc->cpu))
		mod_timer(&rc->poll_timer, jiffies + STROBE_POLL_PERIOD);
	else if (atomic_xchg(&rc->recheck_state, RECHECK_QUEUED) != RECHECK_QUEUED)
		call_rcu(&rc->recheck, strobe_ring_recheck);
}

/*
 * Sub-buffers that make @percent of the ring; 0 for 0. Who asks for a part of
 * it wants whole ones: that being written is never enough.
 */
static u32 strobe_ring_watermark(const struct strobe_ring_cpu *rc, int percent)
{
	/* Who changes it wakes those who ask for a part of it. */
	u32 nr_slots = data_race(rc->shape.nr_slots);
	u32 dirty = DIV_ROUND_UP((u64)nr_slots * percent, 100);

	return dirty == 1 ? 2 : dirty;
}

static bool strobe_ring_cpu_ready(const struct strobe_ring_cpu *rc, u32 dirty)
{
	return dirty ? strobe_ring_dirty(rc) >= dirty : strobe_ring_pending(rc);
}

/* Mark a waiter, then look. Return: there is what it waits for. */
static bool strobe_ring_ready(struct strobe_ring *ring, int cpu, int percent)
{
	int i;

	strobe_ring_for_each(ring, cpu, i) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, i);
		u32 dirty = 0;

		/* A part of all CPUs' rings together means nothing. */
		if (cpu != STROBE_RING_ALL_CPUS)
			dirty = strobe_ring_watermark(rc, percent);
		if (strobe_ring_cpu_ready(rc, dirty))
			return true;
		strobe_ring_mark_waiter(rc, dirty);
		if (strobe_ring_cpu_ready(rc, dirty))
			return true;
	}
	return false;
}

static wait_queue_head_t *strobe_ring_queue(struct strobe_ring *ring, int cpu)
{
	return cpu == STROBE_RING_ALL_CPUS ? &ring->waitq :
					     &ring->seats[cpu].waitq;
}

/**
 * strobe_ring_wait - sleep until there is something to read
 * @ring: the ring
 * @cpu: which CPU's, or STROBE_RING_ALL_CPUS: any CPU's
 * @percent_full: wait until that much of the ring is to be read; 0, or all
 *	CPUs: any record
 * @cond: when woken, stop waiting if this says so; NULL: never
 * @data: its argument
 *
 * Context: Task context, sleeps.
 * Return: 0; -ERESTARTSYS: a signal came first.
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
		if (strobe_ring_ready(ring, cpu, percent_full))
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
 * @table: as poll() got it
 * @percent_full: as for strobe_ring_wait()
 *
 * Context: Task context.
 * Return: EPOLLIN | EPOLLRDNORM, or 0.
 */
__poll_t strobe_ring_poll(struct strobe_ring *ring, int cpu, struct file *file,
			  poll_table *table, int percent_full)
{
	poll_wait(file, strobe_ring_queue(ring, cpu), table);
	return strobe_ring_ready(ring, cpu, percent_full) ?
	       EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * strobe_ring_wake - have the waiters look again
 * @ring: the ring
 * @cpu: whose, or STROBE_RING_ALL_CPUS
 *
 * They go on waiting unless their condition says otherwise.
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

/* Nothing queued here may come later than this. */
void strobe_ring_wait_exit(struct strobe_ring *ring)
{
	bool rechecks = false;
	int cpu;

	irq_work_sync(&ring->swap_work);
	for_each_possible_cpu(cpu) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, cpu);

		irq_work_sync(&rc->wake_work);
		timer_shutdown_sync(&rc->poll_timer);
		rechecks |= atomic_read(&rc->recheck_state) != RECHECK_NEVER;
	}
	/*
	 * One that is done may still be looking. Not at this ring for one that a swap has
	 * taken away: a callback is a read-side critical section, and the caller has
	 * waited for a grace period.
	 */
	if (rechecks)
		rcu_barrier();
}
