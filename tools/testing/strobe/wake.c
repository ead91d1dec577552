// SPDX-License-Identifier: GPL-2.0
/*
 * Lost wake-ups. A reader sleeps until there are records, and consumes them. The writer
 * commits a few at random moments, and then none until the reader has all of them: the
 * last one has to wake the reader, as nothing comes after it. Before some of them the ring
 * is swapped with another one, which takes the marks of the sleeping reader away. A reader
 * that sleeps for WATCHDOG_MS beside a record has missed its wake-up. The reader waits in
 * strobe_ring_wait(), and then as epoll with EPOLLET does: it calls poll() once after each
 * wake-up, before it consumes, and sleeps after that.
 *
 * Before that, two waiters want different parts of the ring to be full, and one of them
 * lowers the watermark while the other does. The one with less to wait for must be woken.
 *
 * And a ring is swapped and destroyed while an irq_work is about to wake its waiters, as may
 * happen with PREEMPT_RT, where that is a task. The ring must not be freed before.
 *
 * With -z, CPU 0 is nohz_full, and its writers must not wake anyone: a timer of CPU 1 has to.
 * Before the rounds, a thread that is also the clock takes the steps of a sleeper one by one.
 * In half of the rounds the reader waits for records of either CPU.
 *
 * usage: wake [-z] [-n ROUNDS] [-s SEED] [WATCHDOG_MS]
 */
#include <time.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

/* Long, as a busy host may not run the reader for seconds. */
#define WATCHDOG_MS	15000
/* The irq_work gives another thread so long to free the ring, which must not happen. */
#define OVERTAKEN_MS	300

/* A nohz_full CPU's records are looked for so often, in jiffies: see STROBE_POLL_PERIOD. */
#define PERIOD		(HZ / 10)

static u32 watchdog_ms = WATCHDOG_MS;
static struct strobe_ring *ring, *other;
/* The CPU whose records the reader waits for, or all of them, and the CPU of all tasks */
static int read_cpu, task_cpu;
static u64 now, seen;
static bool finished;
static struct shim_wait low_wait;
static bool low_waits, low_woken;
static bool work_waits, destroyed;

u64 sched_clock_noinstr(void)
{
	return __atomic_add_fetch(&now, 10, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

/* An interrupt that takes long, or a virtual CPU that does not run. */
static void delay(void)
{
	usleep(shim_random() % 400);
}

static void put_into(struct strobe_ring *to)
{
	struct strobe_ring_resv resv;
	u32 *data;

	shim_section_enter();
	data = strobe_ring_reserve(to, sizeof(*data), &resv);
	if (data) {
		*data = 1;
		strobe_ring_commit(&resv);
	}
	shim_section_leave();
	shim_section_quiet();
}

/* A writer of a CPU whose records the reader waits for */
static void put(void)
{
	shim_cpu = read_cpu;
	if (read_cpu == STROBE_RING_ALL_CPUS)
		shim_cpu = shim_random() % shim_nr_cpus;
	put_into(ring);
	shim_cpu = task_cpu;
}

static int swap_two(struct strobe_ring *a, struct strobe_ring *b)
{
	int err;

	shim_section_enter();
	err = strobe_ring_swap(a, b);
	shim_section_leave();
	shim_section_quiet();
	return err;
}

/* Both rings are empty, so that no record gets lost by it. */
static void swap_rings(void)
{
	if (!swap_two(ring, other))
		strobe_ring_swap_wake(ring, other);
}

static bool is_finished(void *data)
{
	(void)data;
	return __atomic_load_n(&finished, __ATOMIC_SEQ_CST);
}

static void consume_cpu(int cpu)
{
	struct strobe_ring_record record;

	while (strobe_ring_peek(ring, cpu, &record)) {
		strobe_ring_consume(ring, cpu);
		__atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);
	}
}

static void consume_all(void)
{
	int cpu;

	for (cpu = 0; cpu < shim_nr_cpus; cpu++)
		consume_cpu(cpu);
	if (!(shim_random() % 4))
		delay();
}

static void *wait_reader(void *arg)
{
	(void)arg;
	shim_cpu = task_cpu;
	shim_self.random = 777;
	while (!is_finished(NULL)) {
		strobe_ring_wait(ring, read_cpu, 0, is_finished, NULL);
		consume_all();
	}
	return NULL;
}

static bool poll_once(void)
{
	return strobe_ring_poll(ring, read_cpu, NULL, NULL, 0);
}

static void *epoll_reader(void *arg)
{
	struct shim_wait wait = {};
	wait_queue_head_t *queue = &ring->waitq;

	(void)arg;
	shim_cpu = task_cpu;
	shim_self.random = 778;
	if (read_cpu != STROBE_RING_ALL_CPUS)
		queue = &ring->seats[read_cpu].waitq;
	for (;;) {
		shim_prepare_to_wait(queue, &wait);
		if (is_finished(NULL))
			break;
		if (poll_once()) {
			/* As another task does that uses the same epoll. */
			if (!(shim_random() % 8)) {
				delay();
				poll_once();
			}
			consume_all();
		}
		shim_schedule(&wait);
	}
	finish_wait(queue, &wait);
	return NULL;
}

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static bool is_seen(u64 count)
{
	return __atomic_load_n(&seen, __ATOMIC_SEQ_CST) >= count;
}

static bool is_low_woken(u64 unused)
{
	(void)unused;
	return __atomic_load_n(&low_woken, __ATOMIC_SEQ_CST);
}

/* Return: @done(@arg) has become true within watchdog_ms. */
static bool wait_until(bool (*done)(u64 arg), u64 arg)
{
	u64 end = now_ms() + watchdog_ms;

	while (!done(arg)) {
		if (now_ms() > end)
			return false;
		usleep(20);
	}
	return true;
}

/* A task in poll() that waits for two of the five sub-buffers, and another for three */
#define LOW		2
#define LOW_PERCENT	40
#define HIGH		3
#define HIGH_PERCENT	60

static void *low_sleep(void *arg)
{
	(void)arg;
	shim_schedule(&low_wait);
	__atomic_store_n(&low_woken, true, __ATOMIC_SEQ_CST);
	return NULL;
}

/* The low waiter queues and marks itself while the high one lowers the watermark. */
static void low_poll(void)
{
	shim_self.inject = 0;
	shim_prepare_to_wait(&ring->seats[0].waitq, &low_wait);
	low_waits = !strobe_ring_poll(ring, 0, NULL, NULL, LOW_PERCENT);
}

/* Return: the low waiter is woken. The ring is empty before and after. */
static bool low_is_woken(void)
{
	struct strobe_ring_record record;
	pthread_t thread;
	bool woken;

	shim_self.handler = low_poll;
	shim_self.inject = 1;
	if (strobe_ring_poll(ring, 0, NULL, NULL, HIGH_PERCENT) || !low_waits)
		abort();
	pthread_create(&thread, NULL, low_sleep, NULL);
	while (strobe_ring_dirty(strobe_ring_of(ring, 0)) < LOW)
		put();
	woken = wait_until(is_low_woken, 0);
	if (!woken)
		strobe_ring_wake(ring, STROBE_RING_ALL_CPUS);
	pthread_join(thread, NULL);
	finish_wait(&ring->seats[0].waitq, &low_wait);
	while (strobe_ring_peek(ring, 0, &record))
		strobe_ring_consume(ring, 0);
	return woken;
}

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

/* Runs in the irq_work, which has loaded the ring. Give the other thread time to free it. */
static void overtaken(void)
{
	u32 n;

	__atomic_store_n(&shim_waking, NULL, __ATOMIC_SEQ_CST);
	__atomic_store_n(&work_waits, true, __ATOMIC_SEQ_CST);
	for (n = 0; n < OVERTAKEN_MS && !is_set(&destroyed); n++)
		usleep(1000);
}

/* Commit a record to a ring for which a task waits, swap the ring, and destroy it. */
static void destroy_beside_work(const struct strobe_ring_params *params)
{
	struct strobe_ring *first = strobe_ring_create(params);
	struct strobe_ring *second = strobe_ring_create(params);
	struct shim_wait wait = {};

	if (IS_ERR(first) || IS_ERR(second))
		abort();
	/* The task in poll(), which then stops waiting: only its mark stays. */
	shim_prepare_to_wait(&first->seats[0].waitq, &wait);
	if (strobe_ring_poll(first, 0, NULL, NULL, 0))
		abort();
	finish_wait(&first->seats[0].waitq, &wait);
	/* No other wake-up may be pending: destroying the ring waits for those. */
	strobe_ring_swap_wake(first, second);
	irq_work_sync(&first->swap_work);
	rcu_barrier();

	__atomic_store_n(&shim_waking, overtaken, __ATOMIC_SEQ_CST);
	put_into(first);
	while (!is_set(&work_waits))
		usleep(20);
	if (swap_two(first, second))
		abort();
	synchronize_rcu();
	strobe_ring_destroy(first);
	__atomic_store_n(&destroyed, true, __ATOMIC_SEQ_CST);
	synchronize_rcu();
	strobe_ring_destroy(second);
}

/* A nohz_full CPU: the sleeper is a task in poll(). */
static struct shim_wait sleeper;

/* Return: there are records. */
static bool sleeper_polls(int percent)
{
	shim_prepare_to_wait(&ring->seats[0].waitq, &sleeper);
	return strobe_ring_poll(ring, 0, NULL, NULL, percent);
}

/* Return: the sleeper is woken after at most @ticks. */
static bool wakes_within(u32 ticks)
{
	while (ticks-- && !sleeper.woken)
		shim_tick();
	return sleeper.woken;
}

static bool is_woken_once_cleared(void)
{
	bool any = sleeper_polls(0);

	put();
	return !any && wakes_within(PERIOD);
}

static bool is_woken_later(void)
{
	bool early = sleeper_polls(0) || wakes_within(3 * PERIOD);

	put();
	return !early && wakes_within(PERIOD);
}

/* The timer wakes the sleeper twice: the first time it finds too few records. */
static bool is_woken_when_full(void)
{
	bool any = sleeper_polls(HIGH_PERCENT);

	put();
	if (any || !wakes_within(PERIOD) || sleeper_polls(HIGH_PERCENT))
		return false;
	while (strobe_ring_dirty(strobe_ring_of(ring, 0)) < HIGH)
		put();
	return wakes_within(PERIOD) && sleeper_polls(HIGH_PERCENT);
}

/* The timer wakes the sleeper before it has consumed anything, so it calls poll() again. */
static bool is_woken_after_two(void)
{
	put();
	if (!sleeper_polls(0) || !wakes_within(PERIOD) || !sleeper_polls(0))
		return false;
	consume_all();
	put();
	return wakes_within(PERIOD);
}

/* Another task polls at each tick, and waits for more than there is. */
static bool is_woken_beside_poll(void)
{
	bool any = sleeper_polls(0);
	u32 n;

	put();
	for (n = 0; n < PERIOD; n++) {
		any |= strobe_ring_poll(ring, 0, NULL, NULL, HIGH_PERCENT);
		shim_tick();
	}
	return !any && sleeper.woken;
}

/* The sleeper consumes nothing. */
static bool is_woken_ten_times(void)
{
	u32 n, woken = 0;

	put();
	if (!sleeper_polls(0))
		return false;
	for (n = 0; n < HZ; n++) {
		shim_tick();
		if (!sleeper.woken)
			continue;
		woken++;
		sleeper_polls(0);
	}
	return woken == 10;
}

static const struct nohz_case {
	bool (*is_fine)(void);
	const char *text;
} nohz_cases[] = {
	{ is_woken_once_cleared, "misses a record whose writer has cleared the flag" },
	{ is_woken_later, "misses a record that comes after the timer" },
	{ is_woken_when_full, "misses that the ring is full enough" },
	{ is_woken_after_two, "misses a record after two calls of poll()" },
	{ is_woken_ten_times, "is not woken ten times a second beside a record" },
	{ is_woken_beside_poll, "misses a record while another task polls" },
};

/* Return: the timer stops, as no task waits. */
static bool timer_stops(void)
{
	u32 n;

	for (n = 0; n < 2 * PERIOD; n++)
		shim_tick();
	return !strobe_ring_of(ring, 0)->poll_timer.pending;
}

static bool is_undisturbed(void)
{
	unsigned long times = __atomic_load_n(&shim_disturbed, __ATOMIC_SEQ_CST);

	if (times)
		fprintf(stderr, "# the nohz_full CPU was disturbed %lu times\n", times);
	return !times;
}

/* Return: the sleeper is woken in each case, and the timer stops after each. */
static bool are_cases_fine(void)
{
	bool fine = true;
	u32 n;

	for (n = 0; n < ARRAY_SIZE(nohz_cases); n++) {
		if (!nohz_cases[n].is_fine()) {
			fprintf(stderr, "# nohz_full: the sleeper %s\n", nohz_cases[n].text);
			fine = false;
		}
		consume_all();
		finish_wait(&ring->seats[0].waitq, &sleeper);
		sleeper = (struct shim_wait) {};
		if (!timer_stops()) {
			fprintf(stderr, "# nohz_full: the timer runs for no sleeper\n");
			fine = false;
		}
	}
	return is_undisturbed() && fine;
}

static void *ticks_thread(void *arg)
{
	(void)arg;
	shim_cpu = task_cpu;
	shim_self.random = 4444;
	for (;;) {
		usleep(shim_random() % 50);
		shim_tick();
	}
	return NULL;
}

/* Pause for some periods of the timer. */
static void pause_periods(void)
{
	unsigned long begin = jiffies;
	u32 ticks = shim_random() % (3 * PERIOD);

	while (jiffies - begin < ticks)
		usleep(20);
}

/* Return: the round in which the reader was not woken; 0: none. */
static u32 rounds(u32 nr)
{
	u64 count = seen;
	u32 round, n;

	for (round = 1; round <= nr; round++) {
		if (shim_random() % 2) {
			swap_rings();
			if (shim_random() % 2)
				usleep(shim_random() % 300);
		}
		if (shim_nohz_full && !(shim_random() % 4))
			pause_periods();
		for (n = 1 + shim_random() % 3; n; n--) {
			put();
			count++;
			if (shim_random() % 2)
				usleep(shim_random() % 300);
		}
		if (!wait_until(is_seen, count))
			return round;
	}
	return 0;
}

/* Return: the reader was woken in each of @nr rounds. */
static bool is_woken(void *(*reader)(void *arg), const char *name, u32 nr)
{
	pthread_t thread;
	u32 failed;

	__atomic_store_n(&finished, false, __ATOMIC_SEQ_CST);
	pthread_create(&thread, NULL, reader, NULL);
	failed = rounds(nr);
	if (failed)
		fprintf(stderr, "# round %u of %s: the reader sleeps beside a record\n",
			failed, name);
	__atomic_store_n(&finished, true, __ATOMIC_SEQ_CST);
	strobe_ring_wake(ring, STROBE_RING_ALL_CPUS);
	pthread_join(thread, NULL);
	return !failed;
}

/* The rounds in which a CPU is nohz_full. Return: the reader was woken in each. */
static bool is_woken_by_timer(u32 nr)
{
	pthread_t thread;

	if (!are_cases_fine())
		return false;
	pthread_create(&thread, NULL, ticks_thread, NULL);
	pthread_detach(thread);
	if (!is_woken(wait_reader, "wait, nohz_full", nr / 4) ||
	    !is_woken(epoll_reader, "epoll, nohz_full", nr / 4))
		return false;
	read_cpu = STROBE_RING_ALL_CPUS;
	return is_woken(wait_reader, "wait, all CPUs", nr / 4) &&
	       is_woken(epoll_reader, "epoll, all CPUs", nr / 4) && is_undisturbed();
}

/* Return: the reader was woken in each round. */
static bool is_woken_by_work(const struct strobe_ring_params *params, u32 nr)
{
	bool woken;

	if (!low_is_woken()) {
		fprintf(stderr, "# a waiter for %d sub-buffers sleeps beside them\n", LOW);
		return false;
	}
	destroy_beside_work(params);
	shim_self.handler = delay;
	shim_self.inject = 30;
	woken = is_woken(wait_reader, "wait", nr / 2) && is_woken(epoll_reader, "epoll", nr / 2);
	shim_self.inject = 0;
	return woken;
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = { .bytes = 16384, .overwrite = true };
	bool woken;
	u32 nr;

	if (argc > 1 && !strcmp(argv[1], "-z")) {
		shim_nr_cpus = 2;
		shim_nohz_full = 1;
		task_cpu = 1;
		shim_cpu = task_cpu;
		argc--;
		argv++;
	}
	nr = harness_rounds(argc, argv, 2000);
	if (optind < argc)
		watchdog_ms = atoi(argv[optind]);
	ring = strobe_ring_create(&params);
	other = strobe_ring_create(&params);
	if (IS_ERR(ring) || IS_ERR(other))
		abort();
	if (shim_nohz_full)
		woken = is_woken_by_timer(nr);
	else
		woken = is_woken_by_work(&params, nr);
	strobe_ring_destroy(ring);
	strobe_ring_destroy(other);
	printf("# %lu records\n", (unsigned long)seen);
	return !woken;
}
