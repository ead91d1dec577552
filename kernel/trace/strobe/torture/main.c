// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the ring, in the kernel.
 *
 * Writers in tasks, soft and hard interrupts and NMIs of every CPU, each coming in
 * between what the others do (writers.c, nmi.c); consumers, readers of whole
 * sub-buffers and iterators (readers.c); somebody who changes what can be changed
 * meanwhile (control.c); CPUs that go and come (hotplug.c). Each record says who it
 * is. When all is quiet, each must be accounted for, to the event:
 *
 *	fired = written + discarded + refused + off
 *	written = read + overwritten
 *	refused = dropped + commit overrun
 *
 * and the serial numbers that the readers miss are as many as the ring says were
 * overwritten. With 'resets' the ring forgets its counts from time to time, and
 * only what it has counted since has to fit together; all that is said about
 * single records holds all the same.
 *
 * A run is started by writing the name of one of sides[] to the parameter "run", and
 * is over when that returns: with EUCLEAN if something was wrong. The result can
 * be read from there, and stands in the log.
 *
 *	echo sound > /sys/module/strobe_torture/parameters/run
 *
 * Each but "sound" is broken on purpose: the torture is good for something if it says
 * so.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "ring/ring.h"
#include "torture/torture.h"

static unsigned int seconds = 3;
module_param(seconds, uint, 0644);
MODULE_PARM_DESC(seconds, "how long to run; it ends before if something is wrong");

static unsigned int writers;
module_param(writers, uint, 0644);
MODULE_PARM_DESC(writers, "writing tasks; 0: two for each CPU online");

static unsigned int slots = 4;
module_param(slots, uint, 0644);
MODULE_PARM_DESC(slots, "sub-buffers of each CPU to begin with; a small ring is full soon");

static unsigned int irq_us = 100;
module_param(irq_us, uint, 0644);
MODULE_PARM_DESC(irq_us, "shortest time between two timer interrupts of a CPU, in microseconds");

static bool control = true;
module_param(control, bool, 0644);
MODULE_PARM_DESC(control, "resize, switch modes and check meanwhile");

static bool resets;
module_param(resets, bool, 0644);
MODULE_PARM_DESC(resets, "reset the ring and change its clock, too");

static unsigned int onoff_ms = 200;
module_param(onoff_ms, uint, 0644);
MODULE_PARM_DESC(onoff_ms, "time between taking CPUs off and on, in milliseconds; 0: don't");

static unsigned int seed = 1;
module_param(seed, uint, 0644);
MODULE_PARM_DESC(seed, "of the pseudo-random numbers");

static bool leak;
module_param(leak, bool, 0644);
MODULE_PARM_DESC(leak, "do not free the ring and an iterator, for the test that looks for leaks");

struct torture torture;

static const struct torture_ops * const sides[] = {
	&torture_sound,
	&torture_busted_wrap, &torture_busted_early, &torture_busted_publish,
	&torture_busted_copy,
};

static const char * const level_names[] = { "task", "softirq", "irq", "nmi" };

static_assert(ARRAY_SIZE(level_names) == TORTURE_LEVELS);

/* Consumers, then an iterator, then control and hotplug. */
#define CONSUMERS	2
#define OTHERS		(CONSUMERS + 3)
#define WRITERS_MAX	64

static struct task_struct *others[OTHERS];
static struct task_struct *writer_tasks[WRITERS_MAX];

/* What all writers of @tc or, summed up, of all CPUs did. */
static void add_counts(struct torture_count *sum, const struct torture_cpu *tc)
{
	int level, i;

	for (level = 0; level < TORTURE_LEVELS; level++) {
		const struct torture_count *count = &tc->count[level];

		sum->fired += count->fired;
		sum->written += count->written;
		sum->discarded += count->discarded;
		sum->refused += count->refused;
		sum->off += count->off;
		for (i = 0; i < TORTURE_WHERES; i++)
			sum->where[i] += count->where[i];
		for (i = 0; i < TORTURE_LEVELS; i++)
			sum->depth[i] += count->depth[i];
	}
}

#define EXPECT_EQ(cpu, a, b) do {					\
	u64 _a = (a), _b = (b);						\
	if (_a != _b)							\
		torture_fail("cpu %d: %s is %llu, %s is %llu", cpu, #a, _a, #b, _b);\
} while (0)

/* What holds with resets, too: what the ring has counted fits together. */
static void account_ring(int cpu, struct strobe_ring_stats *stats)
{
	strobe_ring_stats(torture.ring, cpu, stats);
	EXPECT_EQ(cpu, stats->reserved, stats->read + stats->entries +
		  stats->overrun + stats->discarded);
}

/* Each event of @cpu; what the ring still holds is in @held. */
static void account_events(int cpu, const struct strobe_ring_stats *held)
{
	const struct torture_cpu *tc = per_cpu_ptr(&torture_cpus, cpu);
	const struct torture_sight *sight = torture_consumed(cpu);
	struct strobe_ring_cpu *rc = per_cpu_ptr(torture.ring->percpu, cpu);
	struct strobe_ring_stats stats;
	struct torture_count sum = {};
	u64 missing = sight->missing;
	int level;

	add_counts(&sum, tc);
	for (level = 0; level < TORTURE_LEVELS; level++)
		missing += (s64)tc->count[level].written - 1 - sight->serial[level];

	EXPECT_EQ(cpu, sum.fired, sum.written + sum.discarded + sum.refused + sum.off);
	EXPECT_EQ(cpu, sum.refused, held->dropped + held->commit_overrun);
	EXPECT_EQ(cpu, sum.discarded, held->discarded);
	EXPECT_EQ(cpu, sum.written + sum.discarded, held->reserved);
	EXPECT_EQ(cpu, sight->read, held->read + held->entries);
	EXPECT_EQ(cpu, sum.written, sight->read + held->overrun);
	EXPECT_EQ(cpu, missing, held->overrun);

	strobe_ring_stats(torture.ring, cpu, &stats);
	EXPECT_EQ(cpu, stats.entries, 0);
	EXPECT_EQ(cpu, stats.bytes, 0);
	EXPECT_EQ(cpu, stats.read, sight->read);
	EXPECT_EQ(cpu, stats.overrun, held->overrun);
	/* What was lost behind the last record may not have been told yet. */
	if (sight->lost > stats.overrun)
		torture_fail("cpu %d: %llu lost, %lu overwritten", cpu,
			     sight->lost, stats.overrun);
	if (rc->reader.next == rc->origin + sum.written)
		EXPECT_EQ(cpu, sight->lost + rc->reader.lost, stats.overrun);
}

/* All is quiet. */
static void account(void)
{
	struct strobe_ring_stats held;
	int cpu;

	if (strobe_ring_check(torture.ring, STROBE_RING_ALL_CPUS))
		torture_fail("final check");
	for_each_possible_cpu(cpu) {
		account_ring(cpu, &held);
		/* A broken ring may not end. */
		while (!torture_consume(cpu, 1000)) {
			if (atomic_read(&torture.failures))
				return;
		}
		if (!torture.resets)
			account_events(cpu, &held);
	}
	if (strobe_ring_check(torture.ring, STROBE_RING_ALL_CPUS))
		torture_fail("check of the empty ring");
}

/* A summary for the log, and for who reads "run". */
static char result[256];

static void report(bool good)
{
	struct torture_count sum = {};
	int cpu, level;

	for (level = 0; level < TORTURE_LEVELS; level++) {
		struct torture_count all = {};

		for_each_possible_cpu(cpu) {
			const struct torture_count *count =
				&per_cpu_ptr(&torture_cpus, cpu)->count[level];

			all.fired += count->fired;
			all.where[TORTURE_RESERVING] += count->where[TORTURE_RESERVING];
			all.where[TORTURE_WRITING] += count->where[TORTURE_WRITING];
			all.where[TORTURE_LEAVING] += count->where[TORTURE_LEAVING];
		}
		pr_info("strobe_torture: %s: %llu fired; within a reservation %llu, a record %llu, a commit %llu\n",
			level_names[level], all.fired, all.where[TORTURE_RESERVING],
			all.where[TORTURE_WRITING], all.where[TORTURE_LEAVING]);
	}
	for_each_possible_cpu(cpu)
		add_counts(&sum, per_cpu_ptr(&torture_cpus, cpu));
	pr_info("strobe_torture: nested 1 to 4 deep: %llu %llu %llu %llu; iterated %lld, pages %lld, turns of control %lld, CPUs gone %d\n",
		sum.depth[0], sum.depth[1], sum.depth[2], sum.depth[3],
		atomic64_read(&torture.iterated), atomic64_read(&torture.pages),
		atomic64_read(&torture.turns), atomic_read(&torture.replugged));
	scnprintf(result, sizeof(result),
		  "%s: %s fired=%llu written=%llu discarded=%llu refused=%llu off=%llu deepest=%u failures=%d\n",
		  torture.ops->name, good ? "SUCCESS" : "FAILURE", sum.fired,
		  sum.written, sum.discarded, sum.refused, sum.off,
		  sum.depth[3] ? 4 : sum.depth[2] ? 3 : sum.depth[1] ? 2 : 1,
		  atomic_read(&torture.failures));
	pr_info("strobe_torture: End of test: %s", result);
}

static void stop_tasks(struct task_struct **tasks, unsigned int n)
{
	while (n--) {
		if (!tasks[n])
			continue;
		kthread_stop(tasks[n]);
		tasks[n] = NULL;
	}
}

static int start_task(int (*fn)(void *arg), unsigned long arg, struct task_struct **task)
{
	struct task_struct *new = kthread_run(fn, (void *)arg, "%ps", fn);

	if (IS_ERR(new))
		return PTR_ERR(new);
	*task = new;
	return 0;
}

static int start_others(void)
{
	int i, err = 0;

	for (i = 0; i < CONSUMERS && !err; i++)
		err = start_task(torture_consumer, i, &others[i]);
	if (!err)
		err = start_task(torture_iterator, 0, &others[CONSUMERS]);
	if (!err && control)
		err = start_task(torture_controller, seed, &others[CONSUMERS + 1]);
	if (!err && IS_ENABLED(CONFIG_HOTPLUG_CPU) && onoff_ms)
		err = start_task(torture_hotplug, onoff_ms, &others[CONSUMERS + 2]);
	return err;
}

static int start_writers(void)
{
	unsigned int n = min(writers ?: 2 * num_online_cpus(), WRITERS_MAX), i;
	int err = torture_interrupts_start();

	for (i = 0; i < n && !err; i++)
		err = start_task(torture_writer, seed + i, &writer_tasks[i]);
	if (err && i)
		torture_interrupts_stop();
	return err;
}

static void wait_for_end(void)
{
	unsigned long end = jiffies + seconds * HZ;

	while (time_before(jiffies, end) && !atomic_read(&torture.failures)) {
		if (fatal_signal_pending(current))
			break;
		schedule_timeout_killable(HZ / 50);
	}
}

/* With the ring made: all that goes on, until it is quiet again. */
static int torment(void)
{
	int err;

	err = start_others();
	if (!err)
		err = start_writers();
	if (!err) {
		wait_for_end();
		stop_tasks(writer_tasks, WRITERS_MAX);
		torture_interrupts_stop();
	}
	stop_tasks(others, OTHERS);
	return err;
}

/*
 * With leak, an iterator stays as well: the ring's percpu memory points to the ring, and
 * kmemleak takes that for a use of it.
 */
static void free_ring(void)
{
	if (leak)
		strobe_ring_iter_open(torture.ring, 0);
	else
		strobe_ring_destroy(torture.ring);
	torture.ring = NULL;
}

static int torture_run(const struct torture_ops *ops)
{
	struct strobe_ring_params params = {
		.bytes = slots * (PAGE_SIZE - STROBE_SUBBUF_HEADER),
		.overwrite = true,
	};
	int err;

	torture = (struct torture) {
		.ops = ops, .irq_us = irq_us ?: 1, .resets = resets,
	};
	init_rwsem(&torture.access);
	torture_writers_init(seed);
	torture_readers_init();
	torture.ring = strobe_ring_create(&params);
	if (IS_ERR(torture.ring))
		return PTR_ERR(torture.ring);
	err = torment();
	if (!err) {
		account();
		report(!atomic_read(&torture.failures));
		if (atomic_read(&torture.failures))
			err = -EUCLEAN;
	}
	free_ring();
	return err;
}

/* Protects torture and result. */
static DEFINE_MUTEX(run_lock);

static int run_set(const char *val, const struct kernel_param *kp)
{
	int i, err = -EINVAL;

	/* From the kernel's command line it would be too early. */
	if (system_state != SYSTEM_RUNNING)
		return -EAGAIN;
	for (i = 0; i < ARRAY_SIZE(sides); i++) {
		if (!sysfs_streq(val, sides[i]->name))
			continue;
		mutex_lock(&run_lock);
		err = torture_run(sides[i]);
		mutex_unlock(&run_lock);
	}
	return err;
}

static int run_get(char *buffer, const struct kernel_param *kp)
{
	int len;

	mutex_lock(&run_lock);
	len = sysfs_emit(buffer, "%s", *result ? result : "none\n");
	mutex_unlock(&run_lock);
	return len;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
	.get = run_get,
};
module_param_cb(run, &run_ops, NULL, 0600);
MODULE_PARM_DESC(run, "run the torture of this side; read: the last result");
