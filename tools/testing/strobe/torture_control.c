// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the ring: the controller, which changes the ring while it is written and
 * read. It changes sizes, the order of sub-buffers, modes and clocks, maps the ring,
 * switches recording off and on, resets the ring, and checks it.
 */
#include "torture.h"

struct strobe_ring_stats before_reset[SHIM_MAX_CPUS];
u64 resets[SHIM_MAX_CPUS];
u64 off_periods;

/*
 * Reset, and save the statistics of the events that a reset forgets. They are exact, as
 * the writers are held off around both.
 */
static void reset(int which)
{
	struct strobe_ring_stats stats;
	int cpu;

	pthread_mutex_lock(&access_lock);
	strobe_ring_stop(ring, which);
	strobe_ring_for_each(ring, which, cpu) {
		strobe_ring_stats(ring, cpu, &stats);
		/* Without rc->refused, which a reset does not clear: account() adds it. */
		stats.dropped = local_read(&per_cpu_ptr(ring->percpu, cpu)->dropped);
		harness_add_stats(&before_reset[cpu], &stats);
		resets[cpu]++;
		WRITE_ONCE(writers[cpu].epoch, writers[cpu].epoch + 1);
		WRITE_ONCE(writers[cpu].counted_then, local_read(&writers[cpu].counted));
	}
	strobe_ring_reset(ring, which);
	strobe_ring_for_each(ring, which, cpu) {
		/* If refusals() reads this epoch, the counts it reads begin at 0. Pairs with it. */
		smp_store_release(&writers[cpu].epoch, writers[cpu].epoch + 1);
	}
	strobe_ring_start(ring, which);
	pthread_mutex_unlock(&access_lock);
}

static void set_order(void)
{
	int err;

	pthread_mutex_lock(&access_lock);
	err = strobe_ring_set_order(ring, shim_random() % 3);
	if (err && !(opt.persist && err == -EBUSY))
		FAIL("order: %d", err);
	pthread_mutex_unlock(&access_lock);
}

/* Map the ring, and check that it cannot be resized then. */
static void map(int cpu)
{
	size_t bytes;

	if (cpu < 0 || opt.persist)
		return;
	pthread_mutex_lock(&access_lock);
	if (strobe_ring_map(ring, cpu))
		FAIL("cpu %d: cannot map", cpu);
	bytes = strobe_ring_bytes(ring, cpu);
	if (strobe_ring_resize(ring, 2 * bytes, cpu) != -EBUSY ||
	    strobe_ring_bytes(ring, cpu) != bytes)
		FAIL("cpu %d: resized while it is mapped", cpu);
	strobe_ring_unmap(ring, cpu);
	pthread_mutex_unlock(&access_lock);
}

static void off_period(void)
{
	__atomic_fetch_add(&off_periods, 1, __ATOMIC_SEQ_CST);
}

static void pause_recording(int cpu)
{
	off_period();
	strobe_ring_record_disable(ring, cpu);
	usleep(shim_random() % 100);
	strobe_ring_record_enable(ring, cpu);
	off_period();
}

static void switch_off(void)
{
	off_period();
	strobe_ring_set_on(ring, false);
	usleep(shim_random() % 100);
	strobe_ring_set_on(ring, true);
	off_period();
}

static void look_at_stats(int cpu)
{
	struct strobe_ring_stats stats;

	if (cpu < 0)
		return;
	strobe_ring_stats(ring, cpu, &stats);
	if (stats.reserved < stats.discarded || stats.bytes > strobe_ring_bytes(ring, cpu) * 8)
		FAIL("cpu %d: %lu reserved, %lu bytes", cpu, stats.reserved, stats.bytes);
}

static void turn(int cpu)
{
	size_t subbuf = PAGE_SIZE - STROBE_SUBBUF_HEADER;

	switch (shim_random() % 10) {
	case 0:
		strobe_ring_resize(ring, (2 + shim_random() % 9) * subbuf, cpu);
		break;
	case 1:
		strobe_ring_set_overwrite(ring, shim_random() % 2);
		break;
	case 2:
		if (strobe_ring_check(ring, cpu))
			FAIL("check of cpu %d", cpu);
		break;
	case 3:
		pause_recording(cpu);
		break;
	case 4:
		set_order();
		break;
	case 5:
		reset(cpu);
		break;
	case 6:
		strobe_ring_set_clock(ring, shim_random() % 2 ? other_clock : NULL);
		break;
	case 7:
		switch_off();
		break;
	case 8:
		map(cpu);
		break;
	case 9:
		look_at_stats(cpu);
		break;
	}
}

void *controller(void *arg)
{
	u32 turns = 0;

	(void)arg;
	shim_self.random = 999;
	while (!READ_ONCE(stop_readers)) {
		turn((int)(shim_random() % (opt.cpus + 1)) - 1);
		turns++;
		usleep(shim_random() % 3000);
	}
	if (!opt.quiet)
		printf("# controller: %u turns\n", turns);
	return NULL;
}
