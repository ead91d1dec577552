/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's atomics and memory barriers in user space, of two kinds:
 *
 * For torture and benchmark, those that the kernel has on x86: instructions without a
 * lock prefix where only interrupts of the same CPU matter.
 *
 * With -fsanitize=thread, the compiler's atomics, each with exactly the order that the
 * kernel promises on every architecture: atomic_inc() and a cmpxchg that fails order
 * nothing. ThreadSanitizer reports accesses that are not ordered by them, even if x86
 * would have performed these in the right order.
 */
#ifndef _STROBE_SHIM_ATOMIC_H
#define _STROBE_SHIM_ATOMIC_H

/* Called where an interrupt may make a difference; the harness defines it. */
#ifdef SHIM_NATIVE
#define shim_interrupt()	do { } while (0)
#else
void shim_interrupt(void);
#endif

#define compiler_barrier()	__asm__ __volatile__("" ::: "memory")
#define barrier() \
	do { compiler_barrier(); shim_interrupt(); compiler_barrier(); } while (0)

typedef struct { long counter; } local_t;
typedef struct { s64 counter; } atomic64_t;
typedef struct { int counter; } atomic_t;

/* Orders that can be left out, to test that ThreadSanitizer notices */
enum shim_lack {
	SHIM_LACKS_NOTHING,
	SHIM_LACKS_RELEASE,
	SHIM_LACKS_ACQUIRE,
	SHIM_LACKS_CLAIM,
	SHIM_LACKS_START,
};

#ifdef __SANITIZE_THREAD__
extern enum shim_lack shim_lack;
#else
#define shim_lack		SHIM_LACKS_NOTHING
#endif

#define smp_load_acquire(p) ({						\
	shim_interrupt();						\
	shim_lack == SHIM_LACKS_ACQUIRE ?				\
	__atomic_load_n(p, __ATOMIC_RELAXED) :				\
	__atomic_load_n(p, __ATOMIC_ACQUIRE); })
#define smp_store_release(p, v) do {					\
	shim_interrupt();						\
	if (shim_lack == SHIM_LACKS_RELEASE)				\
		__atomic_store_n(p, v, __ATOMIC_RELAXED);		\
	else								\
		__atomic_store_n(p, v, __ATOMIC_RELEASE);		\
} while (0)

#ifdef __SANITIZE_THREAD__

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)

/*
 * Reads of @x may race, which is ignored, as by KCSAN in the kernel. A strict test has no
 * intended races, and does not ignore any.
 */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
extern bool shim_strict;
#define data_race(x) ({							\
	bool __ignore = !shim_strict;					\
									\
	if (__ignore)							\
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);		\
	typeof(x) __race = (x);						\
	if (__ignore)							\
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);		\
	__race; })

/*
 * ThreadSanitizer does not know fences. Full ones are real here, but it sees no order in
 * them: plain accesses of the ring must not depend on them. smp_rmb() stands between reads
 * that are marked as races and an atomic one that decides whether their values are used.
 */
#define smp_mb() ({							\
	int __dummy = 0;						\
									\
	__atomic_fetch_add(&__dummy, 1, __ATOMIC_SEQ_CST);		\
	compiler_barrier(); })
#define smp_mb__before_atomic()	smp_mb()
#define smp_mb__after_atomic()	smp_mb()
#define smp_rmb()		barrier()
#define smp_wmb()		compiler_barrier()

/*
 * smp_acquire__after_ctrl_dep() follows a branch on a value that was stored with release.
 * Everything before that release is ordered before the accesses that follow.
 */
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
extern char shim_fence;
#define smp_acquire__after_ctrl_dep() do {				\
	if (shim_lack != SHIM_LACKS_START)				\
		__tsan_acquire(&shim_fence);				\
} while (0)
/* A fully ordered operation on a value that such a branch tests */
#define shim_release()		__tsan_release(&shim_fence)

#define try_cmpxchg_local(ptr, old, new)				\
	__atomic_compare_exchange_n(ptr, old, new, false,		\
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#define local_inc(l)		local_add(1, l)
#define local_dec(l)		local_add(-1L, l)
static inline void local_add(long v, local_t *l)
{
	__atomic_fetch_add(&l->counter, v, __ATOMIC_RELAXED);
}

#else /* !__SANITIZE_THREAD__ */

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define data_race(x)		(x)

#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_mb__before_atomic()	smp_mb()
#define smp_mb__after_atomic()	smp_mb()
#define smp_rmb() \
	do { __atomic_thread_fence(__ATOMIC_ACQUIRE); shim_interrupt(); } while (0)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_acquire__after_ctrl_dep()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define shim_release()		do { } while (0)

/* Atomic only with respect to interrupts of this thread. */
#define try_cmpxchg_local(ptr, old, new) ({				\
	typeof(*(ptr)) __old = *(old);					\
	bool __ok;							\
	__asm__ __volatile__("cmpxchgq %3, %1"				\
		: "=@ccz" (__ok), "+m" (*(ptr)), "+a" (__old)		\
		: "r" (new) : "memory");				\
	if (!__ok)							\
		*(old) = __old;						\
	__ok; })

static inline void local_inc(local_t *l)
{
	__asm__ __volatile__("incq %0" : "+m" (l->counter));
}

static inline void local_dec(local_t *l)
{
	__asm__ __volatile__("decq %0" : "+m" (l->counter));
}

static inline void local_add(long v, local_t *l)
{
	__asm__ __volatile__("addq %1, %0" : "+m" (l->counter) : "er" (v));
}

#endif /* !__SANITIZE_THREAD__ */

#define local_read(l)		READ_ONCE((l)->counter)
#define local_set(l, v)		WRITE_ONCE((l)->counter, v)

#define atomic_read(a)		__atomic_load_n(&(a)->counter, __ATOMIC_RELAXED)
#define atomic_set(a, v)	__atomic_store_n(&(a)->counter, v, __ATOMIC_RELAXED)
#define atomic_set_release(a, v) smp_store_release(&(a)->counter, v)
#define atomic_inc(a)		__atomic_fetch_add(&(a)->counter, 1, __ATOMIC_RELAXED)
#define atomic_dec(a)		__atomic_fetch_sub(&(a)->counter, 1, __ATOMIC_RELAXED)
#define atomic_fetch_sub_release(v, a) \
	__atomic_fetch_sub(&(a)->counter, v, __ATOMIC_RELEASE)
#define atomic_or(v, a)		__atomic_fetch_or(&(a)->counter, v, __ATOMIC_RELAXED)
#define atomic_andnot(v, a)	__atomic_fetch_and(&(a)->counter, ~(v), __ATOMIC_RELAXED)
#define atomic_xchg(a, v)	__atomic_exchange_n(&(a)->counter, v, __ATOMIC_SEQ_CST)
static inline int atomic_cmpxchg(atomic_t *a, int old, int new)
{
	__atomic_compare_exchange_n(&a->counter, &old, new, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	return old;
}

static inline bool atomic_try_cmpxchg(atomic_t *a, int *old, int new)
{
	shim_release();
	return __atomic_compare_exchange_n(&a->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#define try_cmpxchg(p, old, new) ({					\
	shim_interrupt();						\
	__atomic_compare_exchange_n(p, old, new, false,			\
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); })

#define atomic64_read(a)	__atomic_load_n(&(a)->counter, __ATOMIC_RELAXED)
#define atomic64_inc(a)		__atomic_fetch_add(&(a)->counter, 1, __ATOMIC_RELAXED)
#define atomic64_read_acquire(a) smp_load_acquire(&(a)->counter)
#define atomic64_set(a, v)	__atomic_store_n(&(a)->counter, v, __ATOMIC_RELAXED)
static inline bool atomic64_try_cmpxchg(atomic64_t *a, u64 *old, u64 new)
{
	bool ok;

	shim_interrupt();
	if (shim_lack == SHIM_LACKS_CLAIM)
		ok = __atomic_compare_exchange_n((u64 *)&a->counter, old, new, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	else
		ok = __atomic_compare_exchange_n((u64 *)&a->counter, old, new, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	shim_interrupt();
	return ok;
}

#endif /* _STROBE_SHIM_ATOMIC_H */
