/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-ins for the parts of the kernel that definitions of dynamic events and their
 * fetch programs use, in addition to those of filters. Memory of the kernel and of tasks is
 * simulated: it has addresses as on x86-64, and only the functions below can read it. Included by
 * -include before each source file, and in place of the kernel's headers.
 */
#ifndef _STROBE_DYNAMIC_SHIM_H
#define _STROBE_DYNAMIC_SHIM_H

#include "filter/shim.h"

/* Faults of the functions below, to test the test */
enum dynamic_busted {
	DYNAMIC_SOUND,
	DYNAMIC_BUSTED_SPLIT,	/* isspace() does not know tabs */
	DYNAMIC_BUSTED_NUMBER,	/* numbers that are too large are accepted */
	DYNAMIC_BUSTED_BRACE,	/* strrchr() finds the first character */
	DYNAMIC_BUSTED_NAMES,	/* strcmp() compares only three characters */
	DYNAMIC_BUSTED_FREE,	/* kvfree() is not counted */
	DYNAMIC_BUSTED_SIZE,	/* snprintf() returns the bytes that it has written */
	DYNAMIC_BUSTED_REG,	/* a register is mistaken for its neighbour */
	DYNAMIC_BUSTED_FAULT,	/* copy_from_kernel_nofault() does not fail */
	DYNAMIC_BUSTED_COPY,	/* strncpy_from_user_nofault() may copy one byte too many */
	DYNAMIC_BUSTED_STORE,	/* a program stores one byte too many */
	DYNAMIC_BUSTED_FIELD,	/* strsep() drops a character after the separator */
};

extern enum dynamic_busted dynamic_busted;

/* IS_ENABLED() of an option that is not defined is 0, too. */
#define DYNAMIC_ON_1		~, 1,
#define DYNAMIC_SECOND(a, b, ...) b
#define DYNAMIC_PICK(...)	DYNAMIC_SECOND(__VA_ARGS__)
#define DYNAMIC_IS_ON(value)	DYNAMIC_PICK(DYNAMIC_ON_##value 0, 0)
#undef IS_ENABLED
#define IS_ENABLED(option)	DYNAMIC_IS_ON(option)
#define CONFIG_X86_64		1
#define CONFIG_HAVE_FUNCTION_ARG_ACCESS_API 1
#define CONFIG_HAVE_REGS_AND_STACK_ACCESS_API 1
#define CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE 1

#define __percpu
#define __rcu
#define nokprobe_inline		__always_inline
#define NOKPROBE_SYMBOL(name)	struct shim_nothing
#define BITS_PER_BYTE		8
#define U32_MAX			UINT32_MAX
#define SHIM_STRING(x)		#x
#define __stringify(x)		SHIM_STRING(x)
#define ALIGN(n, to)		(((n) + (to) - 1) / (to) * (to))
#define ALIGN_DOWN(n, to)	((n) / (to) * (to))
#define IS_ALIGNED(n, to)	((n) % (to) == 0)
#define is_signed_type(type)	((type)(-1) < (type)1)
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define sign_extend64(val, bit)	((s64)((val) << (63 - (bit))) >> (63 - (bit)))
#define PTR_ERR_OR_ZERO(p)	(IS_ERR(p) ? PTR_ERR(p) : 0)
#define shim_unaligned(p)	((struct { typeof(*(p)) value; } __attribute__((__packed__)) *)(p))
#define get_unaligned(p)	(shim_unaligned(p)->value)
#define put_unaligned(v, p)	(shim_unaligned(p)->value = (v))

/* Memory that is not zeroed has junk. */
void *shim_alloc_junk(size_t size);
#define GFP_KERNEL_ACCOUNT	0
#define array_size(n, size)	((size_t)(n) * (size))
#undef kvmalloc
#undef kvmalloc_array
#undef kvfree
#define kmalloc(size, gfp)	shim_alloc_junk(size)
#define kvmalloc(size, gfp)	shim_alloc_junk(size)
#define kvmalloc_array(n, size, gfp) shim_alloc_junk((size_t)(n) * (size))
#define kcalloc(n, size, gfp)	shim_alloc((size_t)(n) * (size))
#define kvfree(p)		shim_kvfree(p)

static inline void shim_kvfree(void *p)
{
	if (dynamic_busted == DYNAMIC_BUSTED_FREE)
		free(p);
	else
		shim_free(p);
}

static inline void shim_free_pointer(void *p)
{
	kvfree(*(void **)p);
}

#define __free(how)		__attribute__((__cleanup__(shim_free_pointer)))

#define kmemdup(p, len, gfp)	shim_memdup(p, len)

static inline void *shim_memdup(const void *p, size_t len)
{
	void *copy = shim_alloc(len);

	return copy ? memcpy(copy, p, len) : NULL;
}

/* Text */
int shim_snprintf(char *to, size_t size, const char *fmt, ...) __printf(3, 4);
/* The number of bytes written. The only conversion that libc does not have is "%pS", alone. */
int scnprintf(char *to, size_t size, const char *fmt, ...);
char *skip_spaces(const char *text);
int kstrtol(const char *text, unsigned int base, long *val);
int kstrtouint(const char *text, unsigned int base, unsigned int *val);
int kstrtoint(const char *text, unsigned int base, int *val);
#define snprintf(...)		shim_snprintf(__VA_ARGS__)
#define strscpy(to, from)	strscpy(to, from, sizeof(to))

static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? 0 : len;
}

static inline int shim_isspace(unsigned char c)
{
	return isspace(c) && (dynamic_busted != DYNAMIC_BUSTED_SPLIT || c != '\t');
}

static inline char *shim_strrchr(const char *text, int c)
{
	return dynamic_busted == DYNAMIC_BUSTED_BRACE ? strchr(text, c) : strrchr(text, c);
}

static inline int shim_strcmp(const char *a, const char *b)
{
	return dynamic_busted == DYNAMIC_BUSTED_NAMES ? strncmp(a, b, 3) : strcmp(a, b);
}

static inline char *shim_strsep(char **text, const char *separators)
{
	char *part = strsep(text, separators);

	if (dynamic_busted == DYNAMIC_BUSTED_FIELD && *text && **text)
		++*text;
	return part;
}

#undef isspace
#define isspace(c)		shim_isspace(c)
#define strrchr(text, c)	shim_strrchr(text, c)
#define strcmp(a, b)		shim_strcmp(a, b)
#define strsep(text, separators) shim_strsep(text, separators)

/* Files: what is written to them is appended, as far as they have room. */
struct seq_file {
	char	*buf;
	size_t	size;
	size_t	count;
};

void seq_printf(struct seq_file *m, const char *fmt, ...) __printf(2, 3);
void seq_putc(struct seq_file *m, char c);

/* The same; "%pS" stands alone here, too. */
struct trace_seq { struct seq_file file; };
void trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
#define trace_seq_puts(s, text)	seq_printf(&(s)->file, "%s", text)
#define trace_seq_putc(s, c)	seq_putc(&(s)->file, c)

/* Registers, and the kernel's stack */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

#define THREAD_SIZE		16384
#define SHIM_STACK_WORDS	24
extern unsigned long shim_stack[SHIM_STACK_WORDS];
int regs_query_register_offset(const char *name);
unsigned long regs_get_register(struct pt_regs *regs, unsigned int offset);
unsigned long regs_get_kernel_stack_nth(struct pt_regs *regs, unsigned int n);
unsigned long regs_get_kernel_argument(struct pt_regs *regs, unsigned int n);
static inline unsigned long kernel_stack_pointer(struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long user_stack_pointer(struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long regs_return_value(struct pt_regs *regs)
{
	return regs->ax;
}

/* Memory */
#define PAGE_SIZE		4096UL
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define __VIRTUAL_MASK_SHIFT	47
#define TASK_SIZE		((1UL << __VIRTUAL_MASK_SHIFT) - PAGE_SIZE)
#define VSYSCALL_ADDR		(-10UL << 20)
#define TASK_COMM_LEN		16

/**
 * struct shim_memory - a range of addresses that can be read
 * @addr: its first address
 * @len:  its bytes
 * @data: its contents
 */
struct shim_memory {
	u64		addr;
	u32		len;
	const u8	*data;
};

/*
 * The memory of the kernel and of the task; and memory of the test itself, which programs have
 * addresses of, and which both kinds of functions read.
 */
extern struct shim_memory shim_kernel, shim_user, shim_own[2];
bool shim_load(void *to, const void *from, size_t size);
long copy_from_kernel_nofault(void *to, const void *from, size_t size);
long copy_from_user_nofault(void *to, const void *from, size_t size);
unsigned long copy_from_user(void *to, const void *from, unsigned long size);
long strncpy_from_user(char *to, const char *from, long size);
#define __get_kernel_nofault(to, from, type, label)				\
	do {									\
		if (!shim_load(to, from, sizeof(type)))				\
			goto label;						\
	} while (0)
#define pagefault_disable()	do { } while (0)
#define pagefault_enable()	do { } while (0)

/* Symbols */
#define KSYM_SYMBOL_LEN		64
unsigned long kallsyms_lookup_name(const char *name);
int sprint_symbol(char *to, unsigned long addr);

#define BPF_MOV64_IMM(dst, imm)	BPF_OP_INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)

/* There is no BTF. */
struct btf;
const char *btf_name_by_offset(const struct btf *btf, u32 offset);

/* What a program may access: its argument, and what that points to */
struct shim_access {
	void	*at;
	u32	first;		/* that it may write */
	u32	writable;	/* end of what it may write */
	u32	readable;	/* end of what it may read */
};

#define SHIM_ACCESSES		4
extern struct shim_access shim_accesses[SHIM_ACCESSES];
extern const char *shim_access_fault;

/* Structures that have to be complete */
struct list_head { struct list_head *next, *prev; };
struct hlist_head { struct hlist_node *first; };
struct rcu_head { struct rcu_head *next; };
struct mutex { int unused; };
typedef struct { int counter; } atomic_t;
#define LIST_HEAD(name)		struct list_head name = { &name, &name }
struct qstr { u64 hash; const char *name; };
struct dentry { char unused[0x20]; struct qstr d_name; };
struct file { char unused[0x98]; struct { void *mnt; struct dentry *dentry; } f_path; };
struct mm_struct;
struct strobe_field;
struct trace_event_call;

struct trace_event_ops {
	const struct strobe_field *(*field)(const struct trace_event_call *call, unsigned int nr,
					    struct strobe_field *buf);
};

struct trace_event_class {
	const struct strobe_field	*fields;
	unsigned int			nr_fields;
	const struct trace_event_ops	*ops;
};

struct trace_event_call {
	struct trace_event_class	*class;
	struct trace_event_call		*next;
	u32				flags;
};

#define TRACE_EVENT_FL_IGNORE_ENABLE 1
#define TRACE_EVENT_FL_HAS_ID	2

struct strobe_sink { u32 gate; };
#define STROBE_GATE_ATTACHED	1

struct strobe_print {
	struct trace_seq	*seq;
	void			*entry;
	u32			len;
	long			text_delta;
};

#include <linux/strobe/entry.h>
#include <linux/strobe/field.h>

#endif /* _STROBE_DYNAMIC_SHIM_H */
