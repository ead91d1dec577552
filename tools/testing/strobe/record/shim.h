/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-ins for the parts of the kernel that record/record.c and deferred.c use,
 * in addition to those of the ring. A thread stands for a CPU, so per-CPU variables are
 * thread-local. Included by -include before them and their torture test, and in place of the
 * kernel's headers.
 */
#ifndef _STROBE_RECORD_SHIM_H
#define _STROBE_RECORD_SHIM_H

#include <errno.h>
#include <stdarg.h>

#include "../shim.h"

#define CONFIG_ARCH_INLINE_SCHED_CLOCK 1	/* record/ring/clock_x86.h */
#define CONFIG_PREEMPT_RT	0
#define CONFIG_TRACE_IRQFLAGS_SUPPORT 1
#define IS_ENABLED(x)		(x)
#define BITS_PER_LONG		64
#define BIT(n)			(1UL << (n))
#define GENMASK(high, low)	((2UL << (high)) - (1UL << (low)))
#define U8_MAX			UINT8_MAX
#define U16_MAX			UINT16_MAX
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define noinline		__attribute__((__noinline__))
#define __init
#define __rcu
#define __user
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define EXPORT_SYMBOL_GPL(name)	static_assert(sizeof(name))
#define _RET_IP_		((unsigned long)__builtin_return_address(0))
#define TASK_COMM_LEN		16
#define shim_unaligned(p)	((struct { typeof(*(p)) value; } __attribute__((__packed__)) *)(p))
#define get_unaligned(p)	(shim_unaligned(p)->value)
#define put_unaligned(v, p)	(shim_unaligned(p)->value = (v))
#define TRACE_EXPORT_EVENT	2

/* Per-CPU variables: thread-local; each thread initialises its own. */
#define DEFINE_PER_CPU(type, name) __thread type name
#define DECLARE_PER_CPU(type, name) extern __thread type name
#define DEFINE_PER_CPU_PAGE_ALIGNED(type, name) __thread type name __aligned(PAGE_SIZE)
#undef per_cpu_ptr
#undef for_each_possible_cpu
#define per_cpu_ptr(p, cpu)	((void)(cpu), (p))
#define per_cpu(name, cpu)	(*per_cpu_ptr(&(name), cpu))
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define this_cpu_read(name)	READ_ONCE(name)
#define this_cpu_write(name, v)	WRITE_ONCE(name, v)
#define raw_cpu_sub(name, n)	WRITE_ONCE(name, READ_ONCE(name) - (n))
#define this_cpu_or(name, v)	WRITE_ONCE(name, READ_ONCE(name) | (v))
#define this_cpu_and(name, v)	WRITE_ONCE(name, READ_ONCE(name) & (v))

/* ThreadSanitizer does not know address dependencies. */
#define rcu_dereference_raw(p)	__atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define static_call(name)	name
#define DECLARE_STATIC_CALL(name, function) typeof(function) name

/* The context: hardirq at odd interrupt depths, else task */
struct thread_info { unsigned long flags; };
struct seq_buf { char *buffer; };
struct task_struct {
	struct thread_info	thread_info;
	int			pid;
};

extern __thread struct task_struct shim_task;
u32 shim_preempt_count(void);
#undef current
#define current			(&shim_task)
#define current_thread_info()	(&current->thread_info)
#define _TIF_NEED_RESCHED	1UL
#define PREEMPT_MASK		0xffU
#define HARDIRQ_MASK		0xf0000U
#define HARDIRQ_OFFSET		0x10000U
#define NMI_MASK		0xf00000U
#define SOFTIRQ_DISABLE_OFFSET	0x200U
#define preempt_count()		shim_preempt_count()
#define softirq_count()		0U
#define in_serving_softirq()	false
#define tif_need_resched()	(current_thread_info()->flags & _TIF_NEED_RESCHED)
#define test_preempt_need_resched() false
#define interrupt_context_level() (preempt_count() / HARDIRQ_OFFSET)
#define local_save_flags(flags)	((flags) = 0)
#define irqs_disabled_flags(flags) (flags)

/* Types of members of structs */
struct list_head { struct list_head *next, *prev; };
struct hlist_head { struct hlist_node *first; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct xarray { void **slots; unsigned long nr; };	/* of constant size here */
typedef struct { int refs; } refcount_t;
typedef struct { long counter; } atomic_long_t;
struct tracepoint { const char *name; };
struct trace_print_flags;

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	return index < xa->nr ? xa->slots[index] : NULL;
}

/* The first pointer from *@index on; NULL: there is none. Sets *@index to its index. */
static inline void *xa_seek(struct xarray *xa, unsigned long *index)
{
	while (*index < xa->nr && !xa->slots[*index])
		++*index;
	return xa_load(xa, *index);
}

#define xa_for_each(xa, index, entry)						\
	for (index = 0; (entry = xa_seek(xa, &(index))); index++)

/* Filters */
struct bpf_insn;
typedef unsigned int (*bpf_func_t)(const void *ctx, const struct bpf_insn *insn);
#define bpf_dispatcher_nop_func(ctx, insn, function) function(ctx, insn)

#endif /* _STROBE_RECORD_SHIM_H */
