/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-ins for the parts of the kernel that the parsers of tracefs files use, in
 * addition to those of record/record.c. Included by -include before each source file, and in
 * place of the kernel's headers.
 */
#ifndef _STROBE_TEXT_SHIM_H
#define _STROBE_TEXT_SHIM_H

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>

#include "../record/shim.h"

#define S64_MAX			INT64_MAX
#define is_signed_type(type)	((type)(-1) < (type)1)
#define nr_cpumask_bits		64
#define BITS_TO_LONGS(bits)	(((bits) + 63) / 64)
#define CONFIG_PERF_EVENTS	1
#define DEFINE_MUTEX(name)	struct mutex name

struct preempt_notrace { int unused; };

static inline struct preempt_notrace *shim_lock_preempt_notrace(void)
{
	return NULL;
}

static inline void shim_unlock_preempt_notrace(struct preempt_notrace **guard)
{
}

#define tracepoint_synchronize_unregister() ((void)0)

/* Faults of the functions below, to test the test */
enum text_busted {
	TEXT_SOUND,
	TEXT_BUSTED_SPACES,	/* skip_spaces() does not skip */
	TEXT_BUSTED_COPY,	/* strscpy() copies one character too many */
	TEXT_BUSTED_NUMBER,	/* numbers that are too large are accepted */
	TEXT_BUSTED_UNDO,	/* events stay enabled after -ENOMEM */
	TEXT_BUSTED_WORDS,	/* strsep() does not split at tabs */
	TEXT_BUSTED_NAMES,	/* strcmp() compares only three characters */
	TEXT_BUSTED_SPLIT,	/* isspace() does not know tabs */
};

extern enum text_busted text_busted;

static inline int text_strcmp(const char *a, const char *b)
{
	return text_busted == TEXT_BUSTED_NAMES ? strncmp(a, b, 3) : strcmp(a, b);
}

static inline char *text_strsep(char **text, const char *delimiters)
{
	return strsep(text, text_busted == TEXT_BUSTED_WORDS && delimiters[1] ? ": " : delimiters);
}

static inline int text_isspace(unsigned char c)
{
	return isspace(c) && (text_busted != TEXT_BUSTED_SPLIT || c != '\t');
}

#define strcmp(a, b)		text_strcmp(a, b)
#define strsep(text, delimiters) text_strsep(text, delimiters)

/* Lists */
#define LIST_MEMBER(at, type, member) ((type *)((char *)(at) - offsetof(type, member)))
#define list_for_each_entry(pos, head, member)					\
	for (pos = LIST_MEMBER((head)->next, typeof(*pos), member);		\
	     &pos->member != (head);						\
	     pos = LIST_MEMBER(pos->member.next, typeof(*pos), member))

/* Tracepoints */
typedef struct tracepoint *tracepoint_ptr_t;
#define TRACEPOINT_DEFAULT_PRIO	10
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
static inline void __set_bit(unsigned int nr, unsigned long *bits)
{
	bits[nr / 64] |= 1UL << nr % 64;
}

static inline bool test_bit(unsigned int nr, const unsigned long *bits)
{
	return text_busted != TEXT_BUSTED_UNDO && bits[nr / 64] >> nr % 64 & 1;
}

#define try_cmpxchg_release(p, old, new)					\
	__atomic_compare_exchange_n(p, old, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#undef pr_info
#define pr_info(...)		((void)0)

static inline char *skip_spaces(const char *text)
{
	while (text_busted != TEXT_BUSTED_SPACES && isspace((unsigned char)*text))
		text++;
	return (char *)text;
}

static inline void strscpy(char *dst, const char *src, size_t size)
{
	size_t len = strnlen(src, size - (text_busted != TEXT_BUSTED_COPY));

	memcpy(dst, src, len);
	dst[len] = '\0';
}

static inline char *kmemdup_nul(const char *text, size_t len, int gfp)
{
	char *copy = shim_alloc(len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

/* As lib/kstrtox.c: -ERANGE comes before -EINVAL for what follows the digits. */
static inline int kstrtou64(const char *text, unsigned int base, u64 *val)
{
	char *end;

	text += *text == '+';
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*val = strtoull(text, &end, base);
	if (errno && text_busted != TEXT_BUSTED_NUMBER)
		return -ERANGE;
	end += *end == '\n';
	return *end ? -EINVAL : 0;
}

static inline int kstrtos64(const char *text, unsigned int base, s64 *val)
{
	bool negative = *text == '-';
	u64 abs;
	int ret;

	if (negative && text[1] == '+')
		return -EINVAL;
	ret = kstrtou64(text + negative, base, &abs);
	if (ret)
		return ret;
	*val = negative ? -abs : abs;
	return (negative ? *val > 0 : *val < 0) ? -ERANGE : 0;
}

static inline int kstrtoul(const char *text, unsigned int base, unsigned long *val)
{
	return kstrtou64(text, base, (u64 *)val);
}

/*
 * Files: fs/set_event.c and fs/file.c. Only write() is called; what reading and opening use has
 * to compile.
 */
typedef unsigned short umode_t;
#define FMODE_WRITE		2
#define LOCKDOWN_TRACEFS	1
struct dentry { bool unhashed; };
struct rw_semaphore { int unused; };
typedef unsigned long *cpumask_var_t;
struct inode { void *i_private; };

struct file {
	const struct file_operations *f_op;
	void			*private_data;
	struct inode		*f_inode;
	unsigned int		f_mode;
	unsigned int		f_flags;
	struct { struct dentry	*dentry; } f_path;
};

struct seq_file {
	void			*private;
	const struct file	*file;
};

struct seq_operations {
	void	*(*start)(struct seq_file *m, loff_t *pos);
	void	(*stop)(struct seq_file *m, void *v);
	void	*(*next)(struct seq_file *m, void *v, loff_t *pos);
	int	(*show)(struct seq_file *m, void *v);
};

struct file_operations {
	int	(*open)(struct inode *inode, struct file *file);
	ssize_t	(*read)(struct file *file, char *buf, size_t cnt, loff_t *pos);
	ssize_t	(*write)(struct file *file, const char *buf, size_t cnt, loff_t *pos);
	loff_t	(*llseek)(struct file *file, loff_t offset, int whence);
	int	(*release)(struct inode *inode, struct file *file);
};

#define file_inode(file)	((file)->f_inode)
#define d_unhashed(dentry)	((dentry)->unhashed)
#define security_locked_down(what) ((void)(what), 0)
#define seq_read		NULL
#define seq_lseek		NULL
#define get_user(c, from)	((c) = *(from), 0)
#define copy_from_user(to, from, len) (memcpy(to, from, len), 0)
#define memdup_user_nul(from, len) kmemdup_nul(from, len, 0)
#define vscnprintf		vsnprintf
#undef isspace
#define isspace(c)		text_isspace(c)

static inline void seq_printf(struct seq_file *m, const char *fmt, ...)
{
}

static inline int seq_open(struct file *file, const struct seq_operations *ops)
{
	return -ENOMEM;
}

static inline int single_open(struct file *file, int (*show)(struct seq_file *m, void *v),
			      void *data)
{
	return -ENOMEM;
}

static inline int seq_release(struct inode *inode, struct file *file)
{
	return 0;
}

static inline int single_release(struct inode *inode, struct file *file)
{
	return 0;
}

static inline int kstrtoul_from_user(const char *from, size_t len, unsigned int base,
				     unsigned long *val)
{
	return -EINVAL;
}

static inline ssize_t simple_read_from_buffer(char *to, size_t len, loff_t *pos, const char *from,
					      size_t size)
{
	return size;
}

/* Used by filters only; no text that is parsed here has symbols or lists of CPUs. */
static inline unsigned long kallsyms_lookup_name(const char *name)
{
	return 0;
}

static inline int kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size,
					      unsigned long *offset)
{
	*size = 0;
	*offset = 0;
	return 0;
}

static inline int bitmap_parselist(const char *list, unsigned long *bits, int nr)
{
	return -EINVAL;
}

#endif /* _STROBE_TEXT_SHIM_H */
