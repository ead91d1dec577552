// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of the ring, in the kernel.
 *
 * Writers in tasks, soft and hard interrupts and NMIs interrupt each other on every CPU
 * (writers.c, nmi.c). Meanwhile consumers, readers of whole sub-buffers and iterators read
 * (readers.c), a task changes the ring (control.c), and CPUs go offline and online
 * (hotplug.c). Each record identifies its writer and has a serial number. When all writers
 * have stopped, every event must be accounted for:
 *
 *	fired = written + discarded + refused + off
 *	written = read + overwritten
 *	refused = dropped + commit overrun
 *
 * and the number of serial numbers that the readers miss must equal the ring's count of
 * overwritten records. With 'resets' the ring's counts are reset from time to time, so
 * only the counts since the last reset are compared with each other. The checks of single
 * records are the same.
 *
 * Writing the name of one of sides[] to the parameter "run" starts a run. The write
 * returns when the run is over, with EUCLEAN if a check failed. The result can be read
 * from the parameter, and is in the log.
 *
 *	echo sound > /sys/module/strobe_torture/parameters/run
 *
 * All variants but "sound" are deliberately broken, and the test must fail with them.
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
MODULE_PARM_DESC(seconds, "seconds to run; a run ends early if something is wrong");

static unsigned int writers;
module_param(writers, uint, 0644);
MODULE_PARM_DESC(writers, "number of writing tasks; 0: two for each online CPU");

static unsigned int slots = 4;
module_param(slots, uint, 0644);
MODULE_PARM_DESC(slots, "initial number of sub-buffers of each CPU");

static unsigned int irq_us = 100;
module_param(irq_us, uint, 0644);
MODULE_PARM_DESC(irq_us, "minimum time between two timer interrupts of a CPU, in microseconds");

static bool control = true;
module_param(control, bool, 0644);
MODULE_PARM_DESC(control, "resize, switch modes and check the ring during a run");

static bool resets;
module_param(resets, bool, 0644);
MODULE_PARM_DESC(resets, "reset the ring and change its clock, too");

static unsigned int onoff_ms = 200;
module_param(onoff_ms, uint, 0644);
MODULE_PARM_DESC(onoff_ms, "time between taking CPUs offline and online, in milliseconds; 0: never");

static unsigned int seed = 1;
module_param(seed, uint, 0644);
MODULE_PARM_DESC(seed, "seed of the pseudo-random number generator");

static bool leak;
module_param(leak, bool, 0644);
MODULE_PARM_DESC(leak, "do not free the ring and an iterator, for the test that looks for leaks");

static const struct torture_ops * const sides[] = {
	&torture_sound,
	&torture_busted_wrap, &torture_busted_early, &torture_busted_publish,
	&torture_busted_copy, &torture_busted_count, &torture_busted_last, &torture_busted_off,
};

static const char * const level_names[] = { "task", "softirq", "irq", "nmi" };

static_assert(ARRAY_SIZE(level_names) == TORTURE_LEVELS);

/* Tasks in others[]: consumers, then an iterator, then control and hotplug. */
#define CONSUMERS	2
#define OTHERS		(CONSUMERS + 3)
#define WRITERS_MAX	64

static struct task_struct *others[OTHERS];
static struct task_struct *writer_tasks[WRITERS_MAX];

/* Add the counts of all levels of @tc to @sum. */
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

/* Check that the ring's own counts are consistent, which they are with resets, too. */
static void account_ring(int cpu, struct strobe_ring_stats *stats)
{
	strobe_ring_stats(torture.ring, cpu, stats);
	EXPECT_EQ(cpu, stats->reserved, stats->read + stats->entries +
		  stats->overrun + stats->discarded);
}

/* Account for each event of @cpu. @held: statistics before the remaining records were read. */
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
	/* The ring may not have reported records that were lost after the last one read. */
	if (sight->lost > stats.overrun)
		torture_fail("cpu %d: %llu lost, %lu overwritten", cpu,
			     sight->lost, stats.overrun);
	if (rc->reader.next == rc->origin + sum.written)
		EXPECT_EQ(cpu, sight->lost + rc->reader.lost, stats.overrun);
}

/* All writers have stopped: read the remaining records and compare the counts. */
static void account(void)
{
	struct strobe_ring_stats held;
	int cpu;

	if (strobe_ring_check(torture.ring, STROBE_RING_ALL_CPUS))
		torture_fail("final check");
	for_each_possible_cpu(cpu) {
		account_ring(cpu, &held);
		/* Reading a broken ring may never end. */
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

/* A summary for the log and for reading "run". */
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
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = start_task(torture_writer, seed + i, &writer_tasks[i]);
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

/* Start all tasks and interrupts, wait for the end of the run, and stop them. */
static int torment(void)
{
	int err;

	err = torture_interrupts_start();
	if (err)
		return err;
	err = start_others();
	if (!err)
		err = start_writers();
	if (!err)
		wait_for_end();
	stop_tasks(writer_tasks, WRITERS_MAX);
	torture_interrupts_stop();
	stop_tasks(others, OTHERS);
	return err;
}

/*
 * With leak, leak an iterator as well: the ring's percpu memory points to the ring, so
 * kmemleak does not report the ring itself.
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

	/* The kernel's command line sets parameters too early for a run. */
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
MODULE_PARM_DESC(run, "write: run the torture of this write side; read: the last result");
