/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-ins for the parts of the kernel that filters use: allocations that can be
 * made to fail, and an interpreter in place of BPF's JIT. Included by -include before each
 * source file, and in place of the kernel's headers.
 */
#ifndef _STROBE_FILTER_SHIM_H
#define _STROBE_FILTER_SHIM_H

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>
#include <linux/types.h>

typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;

#define notrace
#define __user
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define fallthrough		__attribute__((__fallthrough__))
#define __aligned(n)		__attribute__((__aligned__(n)))
#define data_race(x)		(x)

/* There is one thread. */
typedef struct { long counter; } atomic_long_t;
#define ATOMIC_LONG_INIT(i)	{ (i) }
#define atomic_long_read(v)	((v)->counter)
#define atomic_long_add(i, v)	((void)((v)->counter += (i)))
#define atomic_long_sub(i, v)	((void)((v)->counter -= (i)))

#define likely(x)		(x)
#define unlikely(x)		(x)
#define IS_ENABLED(x)		(x)
#define CONFIG_64BIT		1
#define CONFIG_CPU_BIG_ENDIAN	0
#define __ffs64(x)		((unsigned long)__builtin_ctzll(x))
#define CONFIG_KCSAN		0
#define CONFIG_UML		0
#define CONFIG_STROBE_DEBUG	1
#define CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS 1
#define BITS_PER_LONG		64
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(high, low)	((2UL << (high)) - (1UL << (low)))
#define S16_MAX			INT16_MAX
#define U16_MAX			UINT16_MAX
#define U64_MAX			UINT64_MAX
#define S64_MAX			INT64_MAX
#define S64_MIN			INT64_MIN
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define swap(a, b) \
	do { typeof(a) __t = (a); (a) = (b); (b) = __t; } while (0)
#define min(a, b)		({ typeof(a) _a = (a); typeof(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b)		({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
#define ENOTSUPP		524
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-4095)
#define PTR_ERR(p)		((long)(p))
#define ERR_PTR(e)		((void *)(long)(e))
#define ERR_CAST(p)		((void *)(p))
#define WARN(cond, ...)		do { if (cond) fprintf(stderr, "# " __VA_ARGS__); } while (0)
#define preempt_disable()	do { } while (0)
#define preempt_enable()	do { } while (0)
#define migrate_disable()	do { } while (0)
#define migrate_enable()	do { } while (0)
#define roundup_pow_of_two(n)	((n) == 1 ? 1U : 2U << (31 - __builtin_clz((n) - 1)))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))

/* memory */
extern long shim_fail_at, shim_held;
void *shim_alloc(size_t size);
void shim_free(void *p);
char *shim_dup(const char *text, size_t len);
#define GFP_KERNEL		0
#define size_add(a, b)		((size_t)(a) + (b))
#define struct_size(p, member, n) (sizeof(*(p)) + sizeof(*(p)->member) * (n))
#define kzalloc(size, gfp)	shim_alloc(size)
#define kvzalloc(size, gfp)	shim_alloc(size)
#define kvcalloc(n, size, gfp)	shim_alloc((size_t)(n) * (size))
#define kvmalloc(size, gfp)	shim_alloc(size)
#define kvmalloc_array(n, size, gfp) shim_alloc((size_t)(n) * (size))
#define kstrdup(text, gfp)	shim_dup(text, strlen(text))
#define kfree(p)		shim_free(p)
#define kvfree(p)		shim_free(p)

/* random numbers */
u64 get_random_u64(void);

/* text */
static inline void strscpy(char *dst, const char *src, size_t size)
{
	size_t len = strnlen(src, size - 1);

	memcpy(dst, src, len);
	dst[len] = '\0';
}

int kstrtoull(const char *text, unsigned int base, u64 *val);
int kstrtoll(const char *text, unsigned int base, s64 *val);
int kstrtoul(const char *text, unsigned int base, unsigned long *val);
unsigned int bitmap_weight(const unsigned long *bits, unsigned int nr);
unsigned int find_first_bit(const unsigned long *bits, unsigned int nr);

/* the current task, and memory that may not be readable */
#define current			(&shim_task)
extern struct shim_task { char comm[16]; } shim_task;
#define raw_smp_processor_id()	1
long strncpy_from_kernel_nofault(char *dst, const void *src, long size);
long strncpy_from_user_nofault(char *dst, const void *src, long size);

/* the table of programs, which one task uses: a list */
struct hlist_node { struct hlist_node *next, **pprev; };
#define INIT_HLIST_NODE(n)	((n)->pprev = NULL)
#define DEFINE_HASHTABLE(name, bits) struct hlist_node *name
#define DEFINE_SPINLOCK(name)	int name __attribute__((__unused__))
#define scoped_guard(kind, lock)
#define hash_for_each_possible(table, at, member, key)				\
	for (at = shim_entry(table, typeof(*at), member); at;			\
	     at = shim_entry((at)->member.next, typeof(*at), member))
#define shim_entry(node, type, member)						\
	((node) ? (type *)((char *)(node) - offsetof(type, member)) : NULL)
#define hash_add(table, node, key) shim_hash_add(&(table), node)
void shim_hash_add(struct hlist_node **head, struct hlist_node *node);
void hash_del(struct hlist_node *node);
u32 jhash(const void *key, u32 len, u32 seed);
#define refcount_t		int
#define refcount_set(ref, n)	(*(ref) = (n))
#define refcount_inc(ref)	(++*(ref))
#define refcount_dec_and_test(ref) (!--*(ref))

/* eBPF: the instructions that compile.c emits */
#define BPF_OP_INSN(code_, dst, src, off_, imm_)				\
	((struct bpf_insn) { .code = (code_), .dst_reg = (dst), .src_reg = (src), \
			     .off = (off_), .imm = (imm_) })
#define BPF_RAW_INSN(code, dst, src, off, imm) BPF_OP_INSN(code, dst, src, off, imm)
#define BPF_MOV64_REG(dst, src)	BPF_OP_INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define BPF_MOV32_REG(dst, src)	BPF_OP_INSN(BPF_ALU | BPF_MOV | BPF_X, dst, src, 0, 0)
#define BPF_MOV32_IMM(dst, imm)	BPF_OP_INSN(BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define BPF_ALU64_IMM(op, dst, imm) BPF_OP_INSN(BPF_ALU64 | (op) | BPF_K, dst, 0, 0, imm)
#define BPF_ALU64_REG(op, dst, src) BPF_OP_INSN(BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0)
#define BPF_ALU32_IMM(op, dst, imm) BPF_OP_INSN(BPF_ALU | (op) | BPF_K, dst, 0, 0, imm)
#define BPF_LDX_MEM(size, dst, src, off) \
	BPF_OP_INSN(BPF_LDX | (size) | BPF_MEM, dst, src, off, 0)
#define BPF_STX_MEM(size, dst, src, off) \
	BPF_OP_INSN(BPF_STX | (size) | BPF_MEM, dst, src, off, 0)
/* A call has the distance of the function from a fixed one, as in the kernel. */
#define BPF_EMIT_CALL(f) \
	BPF_OP_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, (s32)((long)(f) - (long)shim_call_base))
u64 shim_call_base(u64 a, u64 b, u64 c, u64 d, u64 e);
#define BPF_JMP_IMM(op, dst, imm, off) BPF_OP_INSN(BPF_JMP | (op) | BPF_K, dst, 0, off, imm)
#define BPF_JMP_REG(op, dst, src, off) BPF_OP_INSN(BPF_JMP | (op) | BPF_X, dst, src, off, 0)
#define BPF_JMP32_IMM(op, dst, imm, off) BPF_OP_INSN(BPF_JMP32 | (op) | BPF_K, dst, 0, off, imm)
#define BPF_JMP_A(off)		BPF_OP_INSN(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define BPF_EXIT_INSN()		BPF_OP_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define BPF_LD_IMM64(dst, imm)							\
	BPF_OP_INSN(BPF_LD | BPF_DW | BPF_IMM, dst, 0, 0, (s32)(u32)(imm)),	\
	BPF_OP_INSN(0, 0, 0, 0, (s32)(u32)((u64)(imm) >> 32))

typedef unsigned int (*bpf_func_t)(const void *ctx, const struct bpf_insn *insns);

struct bpf_prog {
	u32		len;
	int		type;
	bool		jited;
	bool		blinding_requested;
	bool		jit_requested;
	bool		blinded;
	void		*active;
	bpf_func_t	bpf_func;
	struct bpf_insn	insnsi[];
};

#define bpf_prog_size(len)	(sizeof(struct bpf_prog) + (len) * sizeof(struct bpf_insn))
#define bpf_prog_insn_size(prog) ((prog)->len * sizeof(struct bpf_insn))
#define free_percpu(p)		do { } while (0)
#define bpf_prog_alloc_no_stats(size, gfp) ((struct bpf_prog *)shim_alloc(size))
#define bpf_prog_free(prog)	shim_free(prog)
/* What BPF says when it is to run a program: 0 or an errno. */
extern int shim_runtime_error;
#define bpf_prog_select_runtime(prog, err) \
	(*(err) = shim_runtime_error, (prog)->bpf_func = shim_run, (prog))
#define bpf_dispatcher_nop_func(ctx, insns, func) func(ctx, insns)
unsigned int shim_run(const void *ctx, const struct bpf_insn *insns);

#endif /* _STROBE_FILTER_SHIM_H */
