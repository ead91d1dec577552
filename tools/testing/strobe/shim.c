// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the shim: allocations that can be made to fail, grace periods, and the
 * interrupts of barrier().
 */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "shim.h"
#include "harness.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

int shim_nr_cpus = 1;
__thread int shim_cpu;
__thread struct shim_thread shim_self;
struct shim_section shim_sections[SHIM_MAX_CPUS];
long shim_fail_at;
char *shim_arena;
size_t shim_arena_align = 64;
bool shim_silent;
#ifdef __SANITIZE_THREAD__
bool shim_strict;
char shim_fence;
enum shim_lack shim_lack;
#endif

static bool shim_alloc_fails(void)
{
	return shim_fail_at && !__atomic_sub_fetch(&shim_fail_at, 1, __ATOMIC_RELAXED);
}

void *shim_alloc(size_t size)
{
	void *p;

	if (shim_alloc_fails())
		return NULL;
	if (shim_arena) {
		p = shim_arena;
		shim_arena += (size + shim_arena_align - 1) & -shim_arena_align;
		return p;
	}
	if (posix_memalign(&p, 64, size))
		return NULL;
	memset(p, 0, size);
	return p;
}

void *shim_alloc_pages(unsigned int order)
{
	return shim_alloc(PAGE_SIZE << order);
}

/*
 * RCU readers other than writers are counted by the parity of grace_periods at their start.
 * Only writers nest in them, in signal handlers.
 */
static unsigned long grace_periods, readers[2];

#ifndef SHIM_NATIVE
void preempt_disable_notrace(void)
{
	if (shim_self.preempt_off++)
		return;
	shim_self.parity = __atomic_load_n(&grace_periods, __ATOMIC_SEQ_CST) % 2;
	__atomic_fetch_add(&readers[shim_self.parity], 1, __ATOMIC_SEQ_CST);
}

void preempt_enable_notrace(void)
{
	if (--shim_self.preempt_off)
		return;
	__atomic_fetch_sub(&readers[shim_self.parity], 1, __ATOMIC_SEQ_CST);
}
#endif

/* Wait for these; twice, as a reader may have loaded the parity, but not counted itself yet. */
static void synchronize_readers(void)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	unsigned long parity;
	int i;

	pthread_mutex_lock(&one);
	for (i = 0; i < 2; i++) {
		parity = __atomic_fetch_add(&grace_periods, 1, __ATOMIC_SEQ_CST) % 2;
		while (__atomic_load_n(&readers[parity], __ATOMIC_SEQ_CST))
			usleep(10);
	}
	pthread_mutex_unlock(&one);
}

/*
 * Writers are read-side critical sections, too: wait until each CPU has been outside of
 * one, that is, until it is outside or @quiet has changed.
 */
void synchronize_rcu(void)
{
	int cpu;

	smp_mb();
	synchronize_readers();
	for (cpu = 0; cpu < shim_nr_cpus; cpu++) {
		struct shim_section *section = &shim_sections[cpu];
		unsigned long seen = __atomic_load_n(&section->quiet, __ATOMIC_SEQ_CST);

		while (__atomic_load_n(&section->active, __ATOMIC_SEQ_CST) &&
		       __atomic_load_n(&section->quiet, __ATOMIC_SEQ_CST) == seen)
			usleep(10);
	}
	smp_mb();
}

/* Cheap pseudo-random numbers; an interrupt may use the same state. */
u32 shim_random(void)
{
	u64 x = shim_self.random ?: 88172645463325252ULL + shim_cpu * 7919;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	shim_self.random = x;
	return x >> 16;
}

#define FAILED_SECONDS	10

static void give_up(int sig)
{
	(void)sig;
	_exit(1);
}

void harness_failed(void)
{
	signal(SIGALRM, give_up);
	alarm(FAILED_SECONDS);
}

u32 harness_rounds(int argc, char **argv, u32 rounds)
{
	int c;

	shim_self.random = 1;
	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		switch (c) {
		case 'n':
			rounds = atoi(optarg);
			break;
		case 's':
			shim_self.random = strtoull(optarg, NULL, 0);
			break;
		default:
			fprintf(stderr, "%s [-n rounds] [-s seed]\n", argv[0]);
			exit(2);
		}
	}
	return rounds;
}

#ifndef SHIM_NATIVE
#undef memmove
/* Copy in two parts: a reader may be delayed in between. */
void *shim_copy(void *to, const void *from, size_t size)
{
	size_t half = shim_self.inject ? size / 2 : 0;

	memmove(to, from, half);
	shim_interrupt();
	memmove((char *)to + half, (const char *)from + half, size - half);
	return to;
}

static void signalled(int sig)
{
	int saved = errno;

	(void)sig;
	if (shim_self.depth < SHIM_MAX_DEPTH) {
		shim_self.depth++;
		shim_self.handler();
		shim_self.depth--;
	}
	errno = saved;
}

/* Signal i blocks signals up to i: the higher ones interrupt the lower ones. */
void harness_catch_signals(void)
{
	struct sigaction action = { .sa_handler = signalled, .sa_flags = SA_RESTART };
	int i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < SHIM_MAX_DEPTH; i++) {
		sigaddset(&action.sa_mask, SIGRTMIN + i);
		sigaction(SIGRTMIN + i, &action, NULL);
	}
}

void harness_start_timers(timer_t timers[SHIM_MAX_DEPTH], u32 us)
{
	int i;

	for (i = 0; i < SHIM_MAX_DEPTH; i++) {
		long ns = us * 1000L * (i + 2) + i * 777;
		struct itimerspec when = { { 0, ns }, { 0, ns } };
		struct sigevent event = {
			.sigev_notify = SIGEV_THREAD_ID,
			.sigev_signo = SIGRTMIN + i,
		};

		event.sigev_notify_thread_id = syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]))
			abort();
		timer_settime(timers[i], 0, &when, NULL);
	}
}

void harness_stop_timers(timer_t timers[SHIM_MAX_DEPTH])
{
	int i;

	for (i = 0; i < SHIM_MAX_DEPTH; i++)
		timer_delete(timers[i]);
}

/* Call the handler at random: an interrupt of a writer, or a delay of a reader. */
void shim_interrupt(void)
{
	if (!shim_self.inject || shim_self.depth >= SHIM_MAX_DEPTH ||
	    shim_random() % shim_self.inject)
		return;
	shim_self.depth++;
	shim_self.handler();
	shim_self.depth--;
}
#endif
