// SPDX-License-Identifier: GPL-2.0
/*
 * Open files of user_events_data: registering events, and writing records of them.
 *
 * A registered event gets a number that is valid for the file; the file has a reference to
 * the event until it is closed. A record that is written is copied, checked once, and only
 * then given to the sinks: filters, triggers and programs trust a record.
 *
 * No user memory is touched under a lock: a process cannot delay others by making its memory
 * slow. A write that waits for memory delays only itself.
 *
 * Contexts: task. Lock order: user_file::lock, strobe_event_mutex. Writers find an event by
 * its number with RCU.
 * Barriers: USER_REFS:A: a writer that reads the number of a file's events sees the events.
 */
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/user_events.h>

#include "dynamic/dynamic.h"
#include "dynamic/user.h"
#include "dynamic/user_event.h"
#include "dynamic/user_fields.h"

/* Bytes of the name and the description that a process may register: ABI. */
#define TEXT_MAX	512

/* Records up to this size are made on the stack. */
#define SHORT_RECORD	256

/* Offset in a record at which a write is copied: the fields then follow the header. */
#define INDEX_AT	(sizeof(struct trace_entry) - sizeof(int))

/* No record is longer; locations of fields have 16 bits. */
#define RECORD_MAX	U16_MAX

/**
 * struct user_refs - the events of a file
 * @rcu:    frees it
 * @nr:     number of @events
 * @max:    room for so many
 * @events: by number; with a reference each
 */
struct user_refs {
	struct rcu_head		rcu;
	unsigned int		nr;
	unsigned int		max;
	struct user_event	*events[] __counted_by(max);
};

/**
 * struct user_file - an open file of user_events_data
 * @lock: protects changes of @refs
 * @refs: its events; NULL: none yet
 */
struct user_file {
	struct mutex		lock;	/* changes of @refs */
	struct user_refs __rcu	*refs;
};

/**
 * strobe_user_file_open - open user_events_data
 *
 * Context: task, may sleep.
 * Return: the file's data; NULL: no memory
 */
struct user_file *strobe_user_file_open(void)
{
	struct user_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (file)
		mutex_init(&file->lock);
	return file;
}

/**
 * strobe_user_file_close - close a file: its numbers are no references any more
 * @file: the file's data, which is freed
 *
 * Context: task.
 */
void strobe_user_file_close(struct user_file *file)
{
	struct user_refs *refs = rcu_dereference_protected(file->refs, true);
	unsigned int i;

	for (i = 0; refs && i < refs->nr; i++)
		strobe_user_event_put(refs->events[i]);
	kfree(refs);
	mutex_destroy(&file->lock);
	kfree(file);
}

/* Make room for one more event. Writers may still use the old array. */
static struct user_refs *refs_grow(struct user_file *file, struct user_refs *old)
{
	unsigned int nr = old ? old->nr : 0, max = nr ? 2 * nr : 1;
	struct user_refs *refs;

	if (old && nr < old->max)
		return old;
	refs = kzalloc(struct_size(refs, events, max), GFP_KERNEL_ACCOUNT);
	if (!refs)
		return NULL;
	refs->max = max;
	refs->nr = nr;
	if (old)
		memcpy(refs->events, old->events, flex_array_size(refs, events, nr));
	rcu_assign_pointer(file->refs, refs);
	if (old)
		kfree_rcu(old, rcu);
	return refs;
}

/* Give an event a number. The caller's reference becomes the file's, if it has none yet. */
static int file_add(struct user_file *file, struct user_event *event)
{
	struct user_refs *refs = rcu_dereference_protected(file->refs,
							   lockdep_is_held(&file->lock));
	unsigned int i;

	for (i = 0; refs && i < refs->nr; i++) {
		if (refs->events[i] == event) {
			strobe_user_event_put(event);
			return i;
		}
	}
	refs = refs_grow(file, refs);
	if (!refs) {
		strobe_user_event_put(event);
		return -ENOMEM;
	}
	refs->events[i] = event;
	/* USER_REFS:A: pairs in file_event(). */
	smp_store_release(&refs->nr, i + 1);
	return i;
}

/* The event of a number, to which the file has a reference; NULL: there is none */
static struct user_event *file_event(const struct user_file *file, unsigned int index)
{
	const struct user_refs *refs;

	guard(rcu)();
	refs = rcu_dereference(file->refs);
	/* Pairs with USER_REFS:A. */
	return refs && index < smp_load_acquire(&refs->nr) ? refs->events[index] : NULL;
}

/* Return: the number of the event that a text describes, or an errno */
static int file_register(struct user_file *file, char *text, u16 flags)
{
	struct event_desc desc;
	struct user_event *event;
	int ret = strobe_user_desc_parse(&desc, text, flags);

	if (ret)
		return ret;
	guard(mutex)(&file->lock);
	event = strobe_user_event_find_or_make(&desc);
	return IS_ERR(event) ? PTR_ERR(event) : file_add(file, event);
}

/* Copy a structure that begins with its size, at least @least bytes. */
static int struct_copy(void *to, size_t size, const void __user *from, size_t least)
{
	u32 bytes;

	if (get_user(bytes, (const u32 __user *)from))
		return -EFAULT;
	if (bytes > PAGE_SIZE)
		return -E2BIG;
	if (bytes < least)
		return -EINVAL;
	return copy_struct_from_user(to, size, from, bytes);
}

static int reg_copy(struct user_reg *reg, const struct user_reg __user *from)
{
	int ret = struct_copy(reg, sizeof(*reg), from, offsetofend(struct user_reg, write_index));

	if (ret)
		return ret;
	if (reg->flags & ~(USER_EVENT_REG_MAX - 1))
		return -EINVAL;
	if (reg->enable_size != sizeof(u32) && reg->enable_size != sizeof(long))
		return -EINVAL;
	if (reg->enable_addr % reg->enable_size ||
	    reg->enable_bit >= reg->enable_size * BITS_PER_BYTE)
		return -EINVAL;
	if (!access_ok((const void __user *)(uintptr_t)reg->enable_addr, reg->enable_size))
		return -EFAULT;
	return 0;
}

/**
 * strobe_user_file_register - DIAG_IOCSREG: register an event
 * @file: the file's data
 * @arg:  address of a struct user_reg
 *
 * Context: task, may sleep, as long as user space makes it; no lock held.
 * Return: 0, and user_reg::write_index has been set; -EINVAL: the text or a value is wrong;
 *	   -EADDRINUSE: the bit is used for an event already, or the event has other fields;
 *	   -EPERM: the task may not make persistent events; -EMFILE: there are too many
 *	   events; -ENODEV: no id is left; -E2BIG: the structure is too large; -EEXIST;
 *	   -EFAULT; -EINTR; -ENOMEM
 */
long strobe_user_file_register(struct user_file *file, unsigned long arg)
{
	struct user_reg __user *ureg = (struct user_reg __user *)arg;
	struct user_reg reg;
	char *text;
	int index, ret;

	ret = reg_copy(&reg, ureg);
	if (ret)
		return ret;
	if (!strobe_user_enabler_find(reg.enable_addr, reg.enable_bit))
		return -EADDRINUSE;
	text = strndup_user((const char __user *)(uintptr_t)reg.name_args, TEXT_MAX);
	if (IS_ERR(text))
		return PTR_ERR(text);
	index = file_register(file, text, reg.flags);
	kfree(text);
	if (index < 0)
		return index;
	ret = strobe_user_enabler_add(file_event(file, index), reg.enable_addr, reg.enable_bit,
				      reg.enable_size);
	if (ret)
		return ret;
	if (!put_user((u32)index, &ureg->write_index))
		return 0;
	strobe_user_enabler_remove(reg.enable_addr, reg.enable_bit);
	return -EFAULT;
}

/**
 * strobe_user_file_unregister - DIAG_IOCSUNREG: a bit does not follow its event any more
 * @arg: address of a struct user_unreg
 *
 * Context: task, may sleep, as long as user space makes it; no lock held.
 * Return: 0; -EINVAL, -E2BIG: a value is wrong; -ENOENT: the bit follows no event; -EFAULT;
 *	   -EINTR
 */
long strobe_user_file_unregister(unsigned long arg)
{
	struct user_unreg unreg;
	int ret;

	ret = struct_copy(&unreg, sizeof(unreg), (const void __user *)arg,
			  offsetofend(struct user_unreg, disable_addr));
	if (ret)
		return ret;
	if (unreg.__reserved || unreg.__reserved2)
		return -EINVAL;
	return strobe_user_enabler_remove(unreg.disable_addr, unreg.disable_bit);
}

/* The event of a record of @len bytes, or an errno */
static struct user_event *event_to_write(const struct user_file *file, int index, size_t len)
{
	struct user_event *event;

	if (index < 0)
		return ERR_PTR(-EINVAL);
	event = file_event(file, index);
	if (!event)
		return ERR_PTR(-ENOENT);
	if (len < event->fields.min_len)
		return ERR_PTR(-EINVAL);
	if (!READ_ONCE(event->on))
		return ERR_PTR(-EBADF);
	return event;
}

/* Check the fields, and deliver the record. Its header is filled in later. */
static int record_deliver(struct user_event *event, void *record, u32 len)
{
	struct dyn_hit hit __uninitialized;
	int ret = 0;

	memset(record, 0, sizeof(struct trace_entry));
	/* Mostly there are none: save the call. */
	if (event->fields.nr_located)
		ret = strobe_user_fields_check(&event->fields, record, len);
	if (ret)
		return ret;
	dyn_hit_init(&hit, &event->probe, NULL);
	guard(preempt_notrace)();
	strobe_dyn_deliver(&hit, record, len);
	return 0;
}

/*
 * What is written is the number of an event and the fields. A short one is copied at once: the
 * number to the end of the header, as the fields follow it. @copied of @all bytes were copied.
 */
static int short_deliver(const struct user_file *file, void *record, size_t all, size_t copied)
{
	struct user_event *event;

	if (copied < sizeof(int))
		return -EFAULT;
	event = event_to_write(file, *(int *)(record + INDEX_AT), INDEX_AT + all);
	if (IS_ERR(event))
		return PTR_ERR(event);
	return copied < all ? -EFAULT : record_deliver(event, record, INDEX_AT + all);
}

static noinline int write_short(const struct user_file *file, const char __user *from, size_t all)
{
	u64 record[SHORT_RECORD / sizeof(u64)] __uninitialized;
	size_t copied = all - copy_from_user((void *)record + INDEX_AT, from, all);

	return short_deliver(file, record, all, copied);
}

static noinline int write_short_iter(const struct user_file *file, struct iov_iter *from)
{
	u64 record[SHORT_RECORD / sizeof(u64)] __uninitialized;
	const size_t all = iov_iter_count(from);
	size_t copied = copy_from_iter((void *)record + INDEX_AT, all, from);

	return short_deliver(file, record, all, copied);
}

static noinline int write_long(const struct user_file *file, struct iov_iter *from)
{
	const size_t len = INDEX_AT + iov_iter_count(from);
	const size_t bytes = len - sizeof(struct trace_entry);
	struct user_event *event;
	void *record;
	int index, ret;

	if (copy_from_iter(&index, sizeof(index), from) != sizeof(index))
		return -EFAULT;
	event = event_to_write(file, index, len);
	if (IS_ERR(event))
		return PTR_ERR(event);
	if (len > RECORD_MAX)
		return -E2BIG;
	record = kvmalloc(len, GFP_KERNEL_ACCOUNT);
	if (!record)
		return -ENOMEM;
	if (copy_from_iter(record + sizeof(struct trace_entry), bytes, from) == bytes)
		ret = record_deliver(event, record, len);
	else
		ret = -EFAULT;
	kvfree(record);
	return ret;
}

/**
 * strobe_user_file_write_iter - write a record of an event
 * @file: the file's data
 * @from: the event's number in four bytes, and the fields
 *
 * Context: task, may sleep, as long as user space makes it; no lock held.
 * Return: number of bytes; -EFAULT: memory cannot be read, or the location of a field's data
 *	   is wrong; -EINVAL: the number is negative, or the record too short; -ENOENT: there
 *	   is no such event; -EBADF: it is not recorded; -E2BIG: the record is too long; -ENOMEM
 */
ssize_t strobe_user_file_write_iter(struct user_file *file, struct iov_iter *from)
{
	const size_t all = iov_iter_count(from);
	int ret = INDEX_AT + all <= SHORT_RECORD ? write_short_iter(file, from) :
						   write_long(file, from);

	return ret ?: all;
}

/**
 * strobe_user_file_write - write a record of an event from a single buffer
 * @file: the file's data
 * @from: the event's number in four bytes, and the fields
 * @all:  number of bytes
 *
 * It costs less than strobe_user_file_write_iter(), as no iterator is made for a short record.
 *
 * Context: task, may sleep, as long as user space makes it; no lock held.
 * Return: number of bytes, or an errno of strobe_user_file_write_iter()
 */
ssize_t strobe_user_file_write(struct user_file *file, const char __user *from, size_t all)
{
	struct iov_iter iter;

	if (INDEX_AT + all <= SHORT_RECORD)
		return write_short(file, from, all) ?: all;
	if (import_ubuf(ITER_SOURCE, (char __user *)from, all, &iter))
		return -EFAULT;
	return write_long(file, &iter) ?: all;
}

/**
 * strobe_user_file_delete - DIAG_IOCSDEL: delete all events of a name
 * @arg: address of the name in user space
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -ENOENT: there is none; -EBUSY: one of them is in use; -EPERM: one of them is
 *	   persistent, and the task may not delete those; -EFAULT, -EINVAL, -ENOMEM
 */
long strobe_user_file_delete(unsigned long arg)
{
	char *name = strndup_user((const char __user *)arg, TEXT_MAX);
	long ret;

	if (IS_ERR(name))
		return PTR_ERR(name);
	ret = strobe_user_events_delete(name);
	kfree(name);
	return ret;
}
