// SPDX-License-Identifier: GPL-2.0
/*
 * The writers: tasks, and on each online CPU a timer (hard interrupts), an irq_work (hard
 * interrupts on request), a tasklet (soft interrupts) and NMIs. All of them write in the
 * same way, each level with its own serial numbers.
 *
 * The timer and other CPUs' NMIs interrupt at any instruction (in an emulator, between
 * blocks of instructions). provoke() causes interrupts between reserve and commit, so that
 * all levels nest.
 *
 * Only the level itself writes its counts: tasks have preemption off, and soft
 * interrupts, hard interrupts (which are off in a handler) and NMIs don't nest within
 * their own kind.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "ring/ring.h"
#include "torture/torture.h"

static int hotplug_state;

static u32 random_len(u32 r)
{
	u32 len = sizeof(struct torture_payload);

	if (!(r & 1023))
		return strobe_ring_max_payload(torture.ring) + r % 7;
	if (!(r & 127))
		return len + (r >> 10) % 1200;
	return len + (r >> 10) % 90;
}

/* A random CPU; it was online a moment ago. nr_cpu_ids or more if there is none. */
static int random_cpu(u32 r)
{
	return cpumask_nth(r % num_online_cpus(), cpu_online_mask);
}

/* Between reserve and commit: cause an interrupt at random. */
static void provoke(struct torture_cpu *me, u32 level, u32 r)
{
	int cpu;

	if (!READ_ONCE(me->ready))
		return;
	switch (r % 16) {
	case 0:
		if (level < TORTURE_IRQ)
			irq_work_queue(&me->work);
		break;
	case 1:
		if (level < TORTURE_NMI)
			torture_nmi_send(smp_processor_id());
		break;
	case 2:
		/*
		 * Sending takes two writes to the APIC: the CPU, then the vector. If an NMI
		 * between them also sends one, the interrupted one goes to the wrong CPU.
		 */
		cpu = random_cpu(r >> 4);
		if (level < TORTURE_NMI && cpu < nr_cpu_ids)
			torture_nmi_send(cpu);
		break;
	}
}

static void write_payload(struct torture_payload *p, u32 len, u32 serial,
			  u32 level, u64 before)
{
	u32 i;

	p->before = before;
	p->after = strobe_ring_now(torture.ring);
	p->serial = serial;
	p->len = len;
	p->cpu = smp_processor_id();
	p->level = level;
	for (i = 0; i < torture_fill_words(len); i++)
		p->fill[i] = torture_fill(p, i);
}

/*
 * An event was refused and not counted. @before: torture.off_periods before the attempt.
 * Recording must have been off meanwhile.
 */
static void check_off(int before)
{
	/* If the ring was seen to be off, so is that. Pairs with off_period_begin(). */
	smp_rmb();
	if (!(before & 1) && before == atomic_read(&torture.off_periods))
		torture_fail("refused and not counted, with recording on");
}

/* Write or discard one record. Preemption is off. */
static void fire_one(struct torture_cpu *me, u32 level)
{
	struct torture_count *count = &me->count[level];
	u32 r = prandom_u32_state(&count->random), len = random_len(r);
	u64 before = strobe_ring_now(torture.ring);
	struct strobe_ring_resv resv;
	struct torture_payload *p;
	int off_periods;
	bool off;

	count->fired++;
	/* If it is even, recording is seen to be on. Pairs with off_period_end(). */
	off_periods = atomic_read_acquire(&torture.off_periods);
	WRITE_ONCE(me->where, TORTURE_RESERVING);
	p = torture.ops->reserve(torture.ring, len, &resv, &off);
	if (!p) {
		if (off) {
			count->off++;
			check_off(off_periods);
		} else {
			count->refused++;
		}
		return;
	}
	WRITE_ONCE(me->where, TORTURE_WRITING);
	r = prandom_u32_state(&count->random);
	if (r % 2)
		provoke(me, level, r >> 8);
	write_payload(p, len, count->written, level, before);
	if (!(r % 2))
		provoke(me, level, r >> 8);
	WRITE_ONCE(me->where, TORTURE_LEAVING);
	if ((r >> 4) % 8) {
		count->written++;
		torture.ops->commit(&resv);
	} else {
		memset(p, 0xee, len);
		count->discarded++;
		torture.ops->discard(&resv);
	}
}

/*
 * No writer is active on this CPU, so all records must be published. A change of the
 * ring's shape or content holds off writers and moves both words: skip the check during
 * one. No change begins during the check, as it waits for code with preemption off.
 */
static void check_published(void)
{
	struct strobe_ring_cpu *rc = this_cpu_ptr(torture.ring->percpu);
	u64 word, committed;

	if (atomic_read(&rc->limit) & STROBE_LIMIT_STOPS)
		return;
	/* If rc->limit shows the end of a change, both words are new. Pairs with START:A. */
	smp_acquire__after_ctrl_dep();
	word = READ_ONCE(rc->word);
	committed = READ_ONCE(rc->committed);
	if (committed == word || READ_ONCE(rc->word) != word)
		return;
	torture_fail("cpu %d: left %#llx, committed %#llx", rc->cpu, word, committed);
}

/* Write @n records in the current context. */
void torture_fire(unsigned int n)
{
	u32 level = interrupt_context_level();
	struct torture_cpu *me;
	u8 inside, where;

	while (n--) {
		preempt_disable();
		me = this_cpu_ptr(&torture_cpus);
		inside = READ_ONCE(me->inside);
		where = READ_ONCE(me->where);
		me->count[level].where[where]++;
		if (inside < TORTURE_LEVELS)
			me->count[level].depth[inside]++;
		else
			torture_fail("%u writers inside", inside);
		WRITE_ONCE(me->inside, inside + 1);
		fire_one(me, level);
		WRITE_ONCE(me->where, where);
		WRITE_ONCE(me->inside, inside);
		if (!inside)
			check_published();
		preempt_enable();
	}
}

/* Number of records to write in an interrupt: sometimes more than a small ring holds. */
static u32 burst(u32 r)
{
	return (r >> 8) % 256 ? 1 + r % 3 : 300;
}

static enum hrtimer_restart torture_timer(struct hrtimer *timer)
{
	struct torture_cpu *me = this_cpu_ptr(&torture_cpus);
	u32 r = prandom_u32_state(&me->count[TORTURE_IRQ].random);
	int cpu;

	torture_fire(burst(r));
	if (r & 1) {
		cpu = random_cpu(r >> 4);
		if (cpu < nr_cpu_ids)
			torture_nmi_send(cpu);
	}
	if (r & 2)
		tasklet_schedule(&me->tasklet);
	r = prandom_u32_state(&me->count[TORTURE_IRQ].random);
	hrtimer_forward_now(timer, ns_to_ktime(torture.irq_us * NSEC_PER_USEC +
					       r % (torture.irq_us * NSEC_PER_USEC)));
	return HRTIMER_RESTART;
}

static void torture_work(struct irq_work *work)
{
	struct torture_cpu *me = this_cpu_ptr(&torture_cpus);
	u32 r = prandom_u32_state(&me->count[TORTURE_IRQ].random);

	torture_fire(burst(r));
	if (r & 1 && READ_ONCE(me->ready))
		tasklet_schedule(&me->tasklet);
}

static void torture_tasklet(struct tasklet_struct *tasklet)
{
	struct torture_cpu *me = this_cpu_ptr(&torture_cpus);

	torture_fire(burst(prandom_u32_state(&me->count[TORTURE_SOFTIRQ].random)));
}

/* A CPU is online; runs on it. */
static int torture_cpu_up(unsigned int cpu)
{
	struct torture_cpu *me = per_cpu_ptr(&torture_cpus, cpu);

	WRITE_ONCE(me->nmi_pending, 0);
	WRITE_ONCE(me->ready, true);
	hrtimer_start(&me->timer, ns_to_ktime(torture.irq_us * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

/* A CPU is about to go offline; runs on it. */
static int torture_cpu_down(unsigned int cpu)
{
	struct torture_cpu *me = per_cpu_ptr(&torture_cpus, cpu);
	int i;

	WRITE_ONCE(me->ready, false);
	hrtimer_cancel(&me->timer);
	irq_work_sync(&me->work);
	tasklet_kill(&me->tasklet);
	/* A sender that saw the CPU ready has preemption off until it has sent the NMI. */
	synchronize_rcu();
	for (i = 0; i < 1000 && READ_ONCE(me->nmi_pending); i++)
		usleep_range(10, 20);
	return 0;
}

/* Reset the counts, and set up the sources of interrupts. */
void torture_writers_init(u32 seed)
{
	int cpu, level;

	for_each_possible_cpu(cpu) {
		struct torture_cpu *tc = per_cpu_ptr(&torture_cpus, cpu);

		memset(tc, 0, sizeof(*tc));
		for (level = 0; level < TORTURE_LEVELS; level++)
			prandom_seed_state(&tc->count[level].random,
					   seed + cpu * TORTURE_LEVELS + level);
		hrtimer_init(&tc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		tc->timer.function = torture_timer;
		tc->work = IRQ_WORK_INIT_HARD(torture_work);
		tasklet_setup(&tc->tasklet, torture_tasklet);
	}
}

/* Return: 0 or an errno; then nothing is started. */
int torture_interrupts_start(void)
{
	int err;

	err = torture_nmi_start(torture_fire);
	if (err)
		return err;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "strobe:torture",
				torture_cpu_up, torture_cpu_down);
	if (err < 0) {
		torture_nmi_stop();
		return err;
	}
	hotplug_state = err;
	return 0;
}

void torture_interrupts_stop(void)
{
	cpuhp_remove_state(hotplug_state);
	torture_nmi_stop();
}

/* A task that writes and sometimes moves to another CPU. */
int torture_writer(void *arg)
{
	struct rnd_state random;
	u32 r;
	int cpu;

	prandom_seed_state(&random, (unsigned long)arg);
	do {
		r = prandom_u32_state(&random);
		torture_fire(1 + r % 200);
		if (!((r >> 8) % 16)) {
			cpu = random_cpu(r >> 12);
			/* If the CPU is offline now, the task stays where it may run. */
			if (cpu < nr_cpu_ids)
				set_cpus_allowed_ptr(current, cpumask_of(cpu));
		} else if (!((r >> 8) % 7)) {
			usleep_range(100, 1000);
		}
		cond_resched();
	} while (!kthread_should_stop());
	return 0;
}
