// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the shim that wait and wake: sleepers without a timeout, a thread that
 * runs irq_work, and one that calls RCU callbacks after a grace period, both with random
 * delays; and timers, which the test's ticks call. A wake-up that the kernel could lose is
 * lost here, too.
 */
#include <semaphore.h>

#include "harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

void (*shim_waking)(void);

static void works_start(void);

void shim_prepare_to_wait(wait_queue_head_t *queue, struct shim_wait *wait)
{
	works_start();
	pthread_mutex_lock(&lock);
	wait->woken = false;
	if (!wait->queued) {
		wait->next = queue->first;
		queue->first = wait;
		wait->queued = true;
	}
	pthread_mutex_unlock(&lock);
}

void finish_wait(wait_queue_head_t *queue, struct shim_wait *wait)
{
	struct shim_wait **at;

	pthread_mutex_lock(&lock);
	for (at = &queue->first; *at; at = &(*at)->next) {
		if (*at == wait) {
			*at = wait->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

void shim_schedule(struct shim_wait *wait)
{
	pthread_mutex_lock(&lock);
	while (!wait->woken)
		pthread_cond_wait(&woken, &lock);
	pthread_mutex_unlock(&lock);
}

void wake_up_all(wait_queue_head_t *queue)
{
	struct shim_wait *wait;
	void (*waking)(void);

	waking = __atomic_load_n(&shim_waking, __ATOMIC_SEQ_CST);
	if (waking)
		waking();
	pthread_mutex_lock(&lock);
	for (wait = queue->first; wait; wait = wait->next)
		wait->woken = true;
	pthread_cond_broadcast(&woken);
	pthread_mutex_unlock(&lock);
}

/* Delay the calling thread at random. */
static void be_late(void)
{
	u32 r = shim_random();

	if (r % 2)
		usleep(r / 2 % 200);
}

bool wq_has_sleeper(wait_queue_head_t *queue)
{
	bool any;

	smp_mb();	/* as in the kernel */
	pthread_mutex_lock(&lock);
	any = queue->first;
	pthread_mutex_unlock(&lock);
	be_late();
	return any;
}

unsigned long shim_nohz_full, shim_disturbed;

/* Called for what will interrupt the CPU of the caller. */
static void disturb(void)
{
	if (tick_nohz_full_cpu(shim_cpu))
		__atomic_fetch_add(&shim_disturbed, 1, __ATOMIC_SEQ_CST);
}

/* irq_work: a stack, newest first, which is emptied at once */
static struct irq_work *works;
static sem_t works_queued;
static bool works_started;

static void *works_thread(void *arg)
{
	struct irq_work *work, *next;

	(void)arg;
	shim_self.random = 4242;
	for (;;) {
		if (sem_wait(&works_queued))
			continue;
		be_late();
		work = __atomic_exchange_n(&works, NULL, __ATOMIC_SEQ_CST);
		for (; work; work = next) {
			next = work->next;
			__atomic_store_n(&work->busy, true, __ATOMIC_SEQ_CST);
			/* From here on it may be queued again. */
			__atomic_store_n(&work->queued, false, __ATOMIC_SEQ_CST);
			work->func(work);
			__atomic_store_n(&work->busy, false, __ATOMIC_SEQ_CST);
		}
	}
	return NULL;
}

/* Start the thread for irq_work before the first wait. */
static void works_start(void)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	if (!works_started) {
		if (sem_init(&works_queued, 0, 0) ||
		    pthread_create(&thread, NULL, works_thread, NULL))
			abort();
		pthread_detach(thread);
		__atomic_store_n(&works_started, true, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&lock);
}

void irq_work_queue(struct irq_work *work)
{
	disturb();
	if (!__atomic_load_n(&works_started, __ATOMIC_SEQ_CST)) {
		work->func(work);	/* No thread has waited yet. */
		return;
	}
	if (__atomic_exchange_n(&work->queued, true, __ATOMIC_SEQ_CST))
		return;
	work->next = __atomic_load_n(&works, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(&works, &work->next, work, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	sem_post(&works_queued);
}

void irq_work_sync(struct irq_work *work)
{
	while (__atomic_load_n(&work->queued, __ATOMIC_SEQ_CST) ||
	       __atomic_load_n(&work->busy, __ATOMIC_SEQ_CST))
		usleep(10);
}

/* Timers: a list of those that are pending, in no order */
static pthread_mutex_t timer_lock = PTHREAD_MUTEX_INITIALIZER;
static struct timer_list *timers, *timer_called;
unsigned long shim_jiffies;

/* Take a pending timer off the list. */
static void timer_detach(struct timer_list *timer)
{
	struct timer_list **at = &timers;

	while (*at != timer)
		at = &(*at)->next;
	*at = timer->next;
	timer->pending = false;
}

/* Arm a timer. If it is pending already, @later tells whether @expires may be later. */
static void timer_arm(struct timer_list *timer, unsigned long expires, bool later)
{
	disturb();
	pthread_mutex_lock(&timer_lock);
	/* One that was shut down has no function, and is not armed. */
	if (timer->func && !timer->pending) {
		timer->next = timers;
		timers = timer;
		timer->pending = true;
		timer->expires = expires;
	} else if (later || expires < timer->expires) {
		timer->expires = expires;
	}
	pthread_mutex_unlock(&timer_lock);
	be_late();
}

void mod_timer(struct timer_list *timer, unsigned long expires)
{
	timer_arm(timer, expires, true);
}

void timer_reduce(struct timer_list *timer, unsigned long expires)
{
	timer_arm(timer, expires, false);
}

/* Return: a timer that is due, and is no longer pending; NULL: there is none. */
static struct timer_list *timer_due(void)
{
	struct timer_list *timer = timers;

	while (timer && timer->expires > shim_jiffies)
		timer = timer->next;
	if (timer)
		timer_detach(timer);
	return timer;
}

void shim_tick(void)
{
	void (*func)(struct timer_list *timer);
	struct timer_list *timer;

	pthread_mutex_lock(&timer_lock);
	WRITE_ONCE(shim_jiffies, shim_jiffies + 1);
	while ((timer = timer_due())) {
		func = timer->func;
		timer_called = timer;
		pthread_mutex_unlock(&timer_lock);
		/* A softirq is a read-side critical section. */
		rcu_read_lock();
		func(timer);
		rcu_read_unlock();
		pthread_mutex_lock(&timer_lock);
		timer_called = NULL;
	}
	pthread_mutex_unlock(&timer_lock);
}

void timer_shutdown_sync(struct timer_list *timer)
{
	bool called;

	do {
		pthread_mutex_lock(&timer_lock);
		timer->func = NULL;
		if (timer->pending)
			timer_detach(timer);
		called = timer_called == timer;
		pthread_mutex_unlock(&timer_lock);
		if (called)
			usleep(10);
	} while (called);
}

/* RCU callbacks */
static pthread_mutex_t rcu_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rcu_changed = PTHREAD_COND_INITIALIZER;
static struct rcu_head *callbacks, **callbacks_end = &callbacks;
static u64 callbacks_queued, callbacks_called;

static void *rcu_thread(void *arg)
{
	struct rcu_head *head, *next;

	(void)arg;
	shim_self.random = 4343;
	for (;;) {
		pthread_mutex_lock(&rcu_lock);
		while (!callbacks)
			pthread_cond_wait(&rcu_changed, &rcu_lock);
		head = callbacks;
		callbacks = NULL;
		callbacks_end = &callbacks;
		pthread_mutex_unlock(&rcu_lock);
		synchronize_rcu();
		for (; head; head = next) {
			next = head->next;
			be_late();
			/* A callback is a read-side critical section. */
			rcu_read_lock();
			head->func(head);
			rcu_read_unlock();
			pthread_mutex_lock(&rcu_lock);
			callbacks_called++;
			pthread_cond_broadcast(&rcu_changed);
			pthread_mutex_unlock(&rcu_lock);
		}
	}
	return NULL;
}

static void rcu_start(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, rcu_thread, NULL))
		abort();
	pthread_detach(thread);
}

void call_rcu_hurry(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, rcu_start);
	head->func = func;
	head->next = NULL;
	pthread_mutex_lock(&rcu_lock);
	*callbacks_end = head;
	callbacks_end = &head->next;
	callbacks_queued++;
	pthread_cond_broadcast(&rcu_changed);
	pthread_mutex_unlock(&rcu_lock);
}

/* Wait until all callbacks queued so far have returned. They are called in order. */
void rcu_barrier(void)
{
	u64 last;

	pthread_mutex_lock(&rcu_lock);
	last = callbacks_queued;
	while (callbacks_called < last)
		pthread_cond_wait(&rcu_changed, &rcu_lock);
	pthread_mutex_unlock(&rcu_lock);
}
