/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-ins for the parts of the kernel that the ring uses. A thread stands for
 * a CPU; a signal, or a call from within barrier(), for an interrupt. Included by -include
 * before each source file.
 */
#ifndef _STROBE_SHIM_H
#define _STROBE_SHIM_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

#ifndef __LITTLE_ENDIAN
#define __LITTLE_ENDIAN	1234
#endif

/* compiler */
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define __aligned(x)		__attribute__((__aligned__(x)))
#define ____cacheline_aligned	__aligned(64)
#define __percpu
#define notrace
#define fallthrough		__attribute__((__fallthrough__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define OPTIMIZER_HIDE_VAR(var)	asm("" : "+r" (var))
#define swap(a, b) \
	do { typeof(a) __t = (a); (a) = (b); (b) = __t; } while (0)
#define struct_group(name, ...)	union { struct { __VA_ARGS__ }; struct { __VA_ARGS__ } name; }
#define min(a, b)		({ typeof(a) _a = (a); typeof(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b)		({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
#define max_t(t, a, b)		max((t)(a), (t)(b))
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ALIGN(n, to)		(((n) + (to) - 1) / (to) * (to))
#define SMP_CACHE_BYTES	64
#define container_of(p, t, m)	((t *)((char *)(p) - offsetof(t, m)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define SZ_1G			0x40000000
#define SZ_1M			0x100000
#define U32_MAX			UINT32_MAX
#define static_assert		_Static_assert

#include "shim_atomic.h"

/* CPUs */
extern int shim_nr_cpus;
extern __thread int shim_cpu;

#define nr_cpu_ids		shim_nr_cpus
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < shim_nr_cpus; (cpu)++)
#define per_cpu_ptr(p, cpu)	((p) + (cpu))
#define this_cpu_ptr(p)		((p) + shim_cpu)
#define alloc_percpu(type)	((type *)shim_alloc(sizeof(type) * shim_nr_cpus))
#define free_percpu(p)		kfree(p)
#define cpu_to_node(cpu)	((void)(cpu), 0)
#define raw_smp_processor_id()	shim_cpu
#define cpumask_of(cpu)		(cpu)
#define set_cpus_allowed_ptr(task, mask)	((void)(mask))
#define preempt_disable()	do { } while (0)
#define preempt_enable()	do { } while (0)
/* RCU read-side critical sections other than those of writers */
#ifdef SHIM_NATIVE
#define preempt_disable_notrace()	do { } while (0)
#define preempt_enable_notrace()	do { } while (0)
#else
void preempt_disable_notrace(void);
void preempt_enable_notrace(void);
#endif

/* time */
u64 sched_clock_noinstr(void);
u64 trace_clock_local(void);

/* memory */
void *shim_copy(void *to, const void *from, size_t size);
#ifndef SHIM_NATIVE
#define memcpy(to, from, size)	shim_copy(to, from, size)
#define memmove(to, from, size)	shim_copy(to, from, size)
#endif
#define PAGE_SIZE		4096UL
#define PAGE_SHIFT	12
#define PAGE_ALLOC_COSTLY_ORDER	3
#define GFP_KERNEL		0
#define __GFP_RETRY_MAYFAIL	0
#define __GFP_NOWARN		0
#define __GFP_COMP		0
#define __GFP_ZERO		0
typedef unsigned int gfp_t;
struct page;
void *shim_alloc(size_t size);
void *shim_alloc_pages(unsigned int order);
#define kzalloc(size, gfp)	shim_alloc(size)
#define kcalloc(n, size, gfp)	((void)(gfp), shim_alloc((size_t)(n) * (size)))
#define kvcalloc(n, size, gfp)	kcalloc(n, size, gfp)
#define __vcalloc(n, size, gfp)	kcalloc(n, size, gfp)
#define kvzalloc(size, gfp)	shim_alloc(size)
#define struct_size(p, member, n)	(sizeof(*(p)) + sizeof(*(p)->member) * (n))
#define kfree(p)		free(p)
#define kvfree(p)		free(p)
#define vzalloc(size)		shim_alloc(size)
#define vfree(p)		free(p)
#define alloc_pages_node(node, gfp, order) \
	((void)(node), (struct page *)shim_alloc_pages(order))
#define page_address(page)	((void *)(page))
#define free_pages(addr, order)	((void)(order), free((void *)(addr)))
#define get_zeroed_page(gfp)	((unsigned long)shim_alloc_pages(0))
#define free_page(addr)		free((void *)(addr))
#define flush_kernel_vmap_range(addr, size)	((void)(addr))
#define si_mem_available()	(1L << 40)
static inline void shim_free_pointer(void *p)
{
	free(*(void **)p);
}
#define __free(how)		__attribute__((__cleanup__(shim_free_pointer)))
#define current			NULL
#define fatal_signal_pending(task)	false
#define signal_pending(task)	false
#define bitmap_zalloc(n, gfp)	((unsigned long *)shim_alloc(((n) + 63) / 64 * 8))
#define bitmap_free(p)		free(p)
static inline bool test_and_set_bit(u32 nr, unsigned long *map)
{
	unsigned long bit = 1UL << (nr % 64), old = map[nr / 64];

	map[nr / 64] = old | bit;
	return old & bit;
}

/* errors */
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-4095)
#define PTR_ERR(p)		((long)(p))
#define ERR_PTR(e)		((void *)(long)(e))
#ifndef EUCLEAN
#define EUCLEAN			117
#endif
#define ERESTARTSYS		512
extern bool shim_silent;
#define pr_err(...)		(shim_silent ? 0 : fprintf(stderr, __VA_ARGS__))
#define pr_info(...)		pr_err(__VA_ARGS__)
#define WARN_ON_ONCE(cond)	(cond)

/* locks and RCU */
struct mutex { pthread_mutex_t lock; };
#define mutex_init(m)		pthread_mutex_init(&(m)->lock, NULL)
#define mutex_destroy(m)	pthread_mutex_destroy(&(m)->lock)
#define mutex_lock(m)		pthread_mutex_lock(&(m)->lock)
#define mutex_lock_nested(m, subclass)	mutex_lock(m)
#define mutex_unlock(m)		pthread_mutex_unlock(&(m)->lock)
#define lockdep_assert_held(m)	((void)(m))
static inline struct mutex *shim_lock_mutex(struct mutex *m)
{
	mutex_lock(m);
	return m;
}
static inline void shim_unlock_mutex(struct mutex **m)
{
	mutex_unlock(*m);
}
#define guard(kind) \
	__attribute__((__cleanup__(shim_unlock_##kind), __unused__))	\
	struct kind *shim_guard = shim_lock_##kind
struct rcu_head {
	struct rcu_head	*next;
	void		(*func)(struct rcu_head *head);
};
#define rcu_read_lock	preempt_disable_notrace
#define rcu_read_unlock	preempt_enable_notrace
void synchronize_rcu(void);
#define synchronize_rcu_expedited synchronize_rcu
#define get_state_synchronize_rcu() 0UL
#define poll_state_synchronize_rcu(state) ((void)(state), true)
/* A thread calls @func some time after a grace period. */
void call_rcu_hurry(struct rcu_head *head, void (*func)(struct rcu_head *head));
void rcu_barrier(void);

/* Waiting, without timeouts: a sleeper that is not woken never returns. */
typedef struct { struct shim_wait *first; } wait_queue_head_t;
typedef struct { int unused; } poll_table;
struct shim_wait {
	struct shim_wait	*next;
	bool			queued;
	bool			woken;
};
#define init_waitqueue_head(q)	((q)->first = NULL)
#define DEFINE_WAIT(name)	struct shim_wait name = {}
#define TASK_INTERRUPTIBLE	1
void shim_prepare_to_wait(wait_queue_head_t *queue, struct shim_wait *wait);
void finish_wait(wait_queue_head_t *queue, struct shim_wait *wait);
void shim_schedule(struct shim_wait *wait);
void wake_up_all(wait_queue_head_t *queue);
#define prepare_to_wait(q, w, state)	shim_prepare_to_wait(q, w)
#define schedule()		shim_schedule(&wait)
bool wq_has_sleeper(wait_queue_head_t *queue);
#define poll_wait(file, q, t)	((void)(file), (void)(q), (void)(t))

/* A bit for each nohz_full CPU; how often such CPUs have queued an irq_work or armed a timer. */
extern unsigned long shim_nohz_full, shim_disturbed;
#define tick_nohz_full_cpu(cpu)	(shim_nohz_full >> (cpu) & 1)

/* Another thread runs the work. irq_work_queue() is safe in a signal handler. */
struct irq_work {
	struct irq_work	*next;
	void		(*func)(struct irq_work *work);
	bool		queued;
	bool		busy;
};
#define init_irq_work(w, f)	(*(w) = (struct irq_work) { .func = (f) })
void irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);

/* Time passes only by shim_tick(), a jiffy at a time. It calls the timers that are due. */
struct timer_list {
	struct timer_list	*next;
	void			(*func)(struct timer_list *timer);
	unsigned long		expires;
	bool			pending;
};

extern unsigned long shim_jiffies;
#define HZ			100
#define jiffies			READ_ONCE(shim_jiffies)
#define timer_setup(t, f, flags)	(*(t) = (struct timer_list) { .func = (f) })
#define from_timer(var, t, field)	container_of(t, typeof(*var), field)
void mod_timer(struct timer_list *timer, unsigned long expires);
void timer_reduce(struct timer_list *timer, unsigned long expires);
void timer_shutdown_sync(struct timer_list *timer);
void shim_tick(void);

/* As in <linux/trace_mmap.h> of the uapi, which many systems do not have yet. */
struct trace_buffer_meta {
	u32	meta_page_size;
	u32	meta_struct_len;
	u32	subbuf_size;
	u32	nr_subbufs;
	struct {
		u64	lost_events;
		u32	id;
		u32	read;
	} reader;
	u64	flags;
	u64	entries;
	u64	overrun;
	u64	read;
	u64	Reserved1;
	u64	Reserved2;
};

#endif /* _STROBE_SHIM_H */
