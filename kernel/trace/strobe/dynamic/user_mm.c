// SPDX-License-Identifier: GPL-2.0
/*
 * Enablers: bits in the memory of processes that show whether an event of user space is
 * being recorded.
 *
 * A task that registers an event gets a struct user_mm for its memory, with one enabler for
 * each registered word and bit. Threads share it, a forked child has a copy, and exec and
 * exit remove it.
 *
 * Nothing that a process does with its memory delays other processes. strobe_event_mutex is
 * held when an event is switched, so the bits are then written only as far as that needs no
 * waiting: the page is present, and neither the mmap lock nor the page lock is taken. All
 * others are deferred to a work item of the process, which may wait as long as the process
 * makes it wait (userfaultfd, FUSE). The work items have a workqueue of their own. If the
 * memory cannot be written at all, because it is unmapped or read-only, the bit stays as it
 * is until the event is switched again.
 *
 * States of an enabler
 *	live	 in the lists of its struct user_mm and of its event; the bit follows
 *		 user_event::on
 *	dead	 not in its event's list: its process unregisters it, and the bit is 0. Only
 *		 the task that unregisters it writes the bit, as user space may use the memory
 *		 for something else after that
 *	freed	 in no list, and without references
 *	pending	 live, and in user_mm::pending as well: the work item will write the bit
 *
 * Invariant: the bit of a live enabler that is not pending, and that no task is writing, has
 * the value of user_event::on, unless its memory could not be written. A writer reads that
 * value and changes the bit in one section of enablers_lock, and a change of the value is
 * followed by a write, or by a pending one, of each enabler.
 *
 * Lifetime: lists and writers hold references to enablers. An enabler has references to its
 * struct user_mm and to its event. A struct user_mm has one more while it has tasks, and one
 * while its work item is queued. A writer holds mm_users, so that the address space is not
 * torn down, nor its pages counted, before it is finished.
 *
 * Contexts: task. Lock order: strobe_event_mutex, then user_mm::lock or the mmap lock, then
 * the page lock, then enablers_lock. No user memory is touched under user_mm::lock.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/highmem.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_events.h>
#include <linux/workqueue.h>

#include "dynamic/user_event.h"
#include "event/event.h"

/* How often the memory of one enabler is faulted in before a change is given up. */
#define FAULTS_MAX	10

/* Number of processes whose memory is waited for at the same time. */
#define WORKS_MAX	256

/**
 * struct user_mm - the enablers of a process
 * @base:    what fork, exec and exit know of it. @base.enablers is protected by @lock,
 *	     @base.mms_link by enablers_lock
 * @lock:    protects the list of enablers
 * @pending: enablers whose bit @work has to write (enablers_lock)
 * @work:    writes bits
 */
struct user_mm {
	struct user_event_mm	base;
	struct mutex		lock;	/* @base.enablers */
	struct list_head	pending;
	struct work_struct	work;
};

/**
 * struct user_enabler - one bit in the memory of a process
 * @of_mm:    in user_mm::base.enablers
 * @of_event: in user_event::enablers
 * @pending:  in user_mm::pending, or empty
 * @mm:	      the process
 * @event:    the event
 * @addr:     address of the value
 * @refs:     references
 * @round:    value of user_event::round at the last write (enablers_lock)
 * @bit:      number of the bit in the value
 * @size:     bytes of the value
 * @remover:  the task that writes the bit of the dead enabler, or NULL (enablers_lock)
 * @dead:     the enabler is dead (enablers_lock)
 */
struct user_enabler {
	struct list_head	of_mm;
	struct list_head	of_event;
	struct list_head	pending;
	struct user_mm		*mm;
	struct user_event	*event;
	unsigned long		addr;
	refcount_t		refs;
	unsigned int		round;
	const struct task_struct *remover;
	u8			bit;
	u8			size;
	bool			dead;
};

static DEFINE_SPINLOCK(enablers_lock);
static LIST_HEAD(user_mms);
static struct workqueue_struct *user_mm_wq;

static void user_mm_work(struct work_struct *work);

/* References */

static struct user_mm *user_mm_of(struct user_event_mm *base)
{
	return container_of(base, struct user_mm, base);
}

static void user_mm_put(struct user_mm *mm)
{
	if (!refcount_dec_and_test(&mm->base.refcnt))
		return;
	mmdrop(mm->base.mm);
	mutex_destroy(&mm->lock);
	kfree(mm);
}

static void enabler_put(struct user_enabler *enabler)
{
	if (!refcount_dec_and_test(&enabler->refs))
		return;
	strobe_user_event_put(enabler->event);
	user_mm_put(enabler->mm);
	kfree(enabler);
}

/* A struct user_mm with one task, in no list. */
static struct user_mm *user_mm_alloc(struct mm_struct *mm)
{
	struct user_mm *user_mm = kzalloc(sizeof(*user_mm), GFP_KERNEL_ACCOUNT);

	if (!user_mm)
		return NULL;
	mmgrab(mm);
	user_mm->base.mm = mm;
	INIT_LIST_HEAD(&user_mm->base.enablers);
	INIT_LIST_HEAD(&user_mm->base.mms_link);
	refcount_set(&user_mm->base.refcnt, 1);
	refcount_set(&user_mm->base.tasks, 1);
	mutex_init(&user_mm->lock);
	INIT_LIST_HEAD(&user_mm->pending);
	INIT_WORK(&user_mm->work, user_mm_work);
	return user_mm;
}

static struct user_enabler *enabler_alloc(struct user_mm *mm, struct user_event *event,
					  unsigned long addr, u8 bit, u8 size)
{
	struct user_enabler *enabler = kzalloc(sizeof(*enabler), GFP_KERNEL_ACCOUNT);

	if (!enabler)
		return NULL;
	refcount_set(&enabler->refs, 1);
	refcount_inc(&mm->base.refcnt);
	enabler->mm = mm;
	enabler->event = strobe_user_event_get(event);
	enabler->addr = addr;
	enabler->bit = bit;
	enabler->size = size;
	INIT_LIST_HEAD(&enabler->pending);
	return enabler;
}

/* The lists; user_mm::lock held. The lists' reference is the one of enabler_alloc(). */

static void enabler_link(struct user_enabler *enabler)
{
	struct user_event *event = enabler->event;

	list_add_tail(&enabler->of_mm, &enabler->mm->base.enablers);
	spin_lock(&enablers_lock);
	enabler->round = event->round;
	list_add_tail(&enabler->of_event, &event->enablers);
	spin_unlock(&enablers_lock);
}

/*
 * live -> dead; @remover will write the bit, if it is not NULL. Returns whether a reference of
 * user_mm::pending is left to be dropped.
 */
static bool enabler_kill(struct user_enabler *enabler, const struct task_struct *remover)
{
	bool pending;

	spin_lock(&enablers_lock);
	enabler->dead = true;
	enabler->remover = remover;
	list_del_init(&enabler->of_event);
	pending = !list_empty(&enabler->pending);
	list_del_init(&enabler->pending);
	spin_unlock(&enablers_lock);
	return pending;
}

static struct user_enabler *enabler_find(struct user_mm *mm, unsigned long addr, u8 bit)
{
	struct user_enabler *enabler;

	lockdep_assert_held(&mm->lock);
	list_for_each_entry(enabler, &mm->base.enablers, of_mm) {
		if (enabler->addr == addr && enabler->bit == bit)
			return enabler;
	}
	return NULL;
}

static void user_mm_remove_enablers(struct user_mm *mm)
{
	struct user_enabler *enabler, *next;

	guard(mutex)(&mm->lock);
	list_for_each_entry_safe(enabler, next, &mm->base.enablers, of_mm) {
		list_del(&enabler->of_mm);
		if (enabler_kill(enabler, NULL))
			enabler_put(enabler);
		enabler_put(enabler);
	}
}

/* The bit */

/* The long that contains an enabler's value, and the number of the bit in it. */
static unsigned long enabler_word(const struct user_enabler *enabler, unsigned int *bit)
{
	unsigned long word = ALIGN_DOWN(enabler->addr, sizeof(long));
	unsigned int bytes = enabler->addr - word;

	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		bytes = sizeof(long) - enabler->size - bytes;
	*bit = enabler->bit + bytes * BITS_PER_BYTE;
	return word;
}

/* enablers_lock held */
static bool enabler_is_on(const struct user_enabler *enabler)
{
	return !enabler->dead && enabler->event->on;
}

/* Write the bit in a page that is mapped at @start. noinline, so that KCSAN can name it. */
static noinline void enabler_write_word(const struct user_enabler *enabler, void *start)
{
	unsigned int bit;
	unsigned long word = enabler_word(enabler, &bit);
	unsigned long *at = start + offset_in_page(word);

	/* User space changes other bits of the word meanwhile. */
	spin_lock(&enablers_lock);
	if (enabler_is_on(enabler))
		set_bit(bit, at);
	else if (!enabler->dead || enabler->remover == current)
		clear_bit(bit, at);
	spin_unlock(&enablers_lock);
}

/*
 * Write the bit if its page is present. Mmap lock held.
 * Return: 0; -EFAULT: the page is not present, or not writable; -EAGAIN: it is locked, and
 *	   *@busy, if not NULL, is set to it, with a reference
 */
static int enabler_write(const struct user_enabler *enabler, struct folio **busy)
{
	struct folio *folio;
	struct page *page;
	unsigned int bit;
	void *start;
	int ret = 0;

	if (pin_user_pages_remote(enabler->mm->base.mm, enabler_word(enabler, &bit), 1,
				  FOLL_WRITE | FOLL_NOFAULT, &page, NULL) != 1)
		return -EFAULT;
	folio = page_folio(page);
	if (folio_trylock(folio)) {
		start = kmap_local_page(page);
		enabler_write_word(enabler, start);
		kunmap_local(start);
		/* Only the lock keeps a file system from cleaning or truncating the page. */
		folio_mark_dirty(folio);
		folio_unlock(folio);
	} else {
		ret = -EAGAIN;
		if (busy) {
			folio_get(folio);
			*busy = folio;
		}
	}
	unpin_user_page(page);
	return ret;
}

/* Keep the address space from being torn down. */
static bool enabler_hold_mm(const struct user_enabler *enabler)
{
	return refcount_read(&enabler->mm->base.tasks) && mmget_not_zero(enabler->mm->base.mm);
}

/* mmput() could tear the address space down here, which takes long. */
static void enabler_release_mm(const struct user_enabler *enabler)
{
	mmput_async(enabler->mm->base.mm);
}

/* Write the bit without waiting. Return: 0, -EFAULT, -EAGAIN; -ESRCH: the process exits */
static int enabler_try_write(const struct user_enabler *enabler)
{
	struct mm_struct *mm = enabler->mm->base.mm;
	int ret = -EAGAIN;

	if (!enabler_hold_mm(enabler))
		return -ESRCH;
	if (mmap_read_trylock(mm)) {
		ret = enabler_write(enabler, NULL);
		mmap_read_unlock(mm);
	}
	enabler_release_mm(enabler);
	return ret;
}

/*
 * One attempt to write the bit, and to make that possible. Adds to *@faults.
 * Return: as enabler_write_wait()
 */
static int enabler_fault_in(const struct user_enabler *enabler, unsigned int *faults)
{
	struct mm_struct *mm = enabler->mm->base.mm;
	struct folio *busy = NULL;
	bool unlocked = false;
	int ret;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ret = enabler_write(enabler, &busy);
	if (ret == -EFAULT) {
		++*faults;
		ret = fixup_user_fault(mm, enabler->addr, FAULT_FLAG_WRITE | FAULT_FLAG_REMOTE,
				       &unlocked);
		ret = ret ?: -EAGAIN;
	}
	mmap_read_unlock(mm);
	if (busy) {
		if (folio_wait_locked_killable(busy))
			ret = -EINTR;
		folio_put(busy);
	}
	return ret;
}

/*
 * Write the bit, and wait for its page. The caller holds no lock, as the process decides how
 * long this takes. Attempts that find the page locked do not count: a task that writes other
 * bits in it, for example, does not lock it for long.
 * Return: 0; -EAGAIN: the page is away each time; -ESRCH: the process exits; -EINTR: the
 *	   task has been killed; -EFAULT and other errnos: there is no such memory
 */
static int enabler_write_wait(const struct user_enabler *enabler)
{
	unsigned int faults = 0;
	int ret = -EAGAIN;

	while (ret == -EAGAIN && faults <= FAULTS_MAX) {
		if (!enabler_hold_mm(enabler))
			return -ESRCH;
		ret = enabler_fault_in(enabler, &faults);
		enabler_release_mm(enabler);
	}
	return ret;
}

/* Deferred writes */

/* Take an enabler from those that are pending, with its reference. NULL: there is none */
static struct user_enabler *pending_pop(struct user_mm *mm)
{
	struct user_enabler *enabler;

	spin_lock(&enablers_lock);
	enabler = list_first_entry_or_null(&mm->pending, struct user_enabler, pending);
	if (enabler)
		list_del_init(&enabler->pending);
	spin_unlock(&enablers_lock);
	return enabler;
}

static void user_mm_work(struct work_struct *work)
{
	struct user_mm *mm = container_of(work, struct user_mm, work);
	struct user_enabler *enabler;

	while ((enabler = pending_pop(mm))) {
		enabler_write_wait(enabler);
		enabler_put(enabler);
	}
	user_mm_put(mm);
}

/* Make an enabler pending, unless it is dead. The caller has a reference. */
static void enabler_defer(struct user_enabler *enabler)
{
	struct user_mm *mm = enabler->mm;

	scoped_guard(spinlock, &enablers_lock) {
		if (enabler->dead)
			return;
		if (list_empty(&enabler->pending)) {
			refcount_inc(&enabler->refs);
			list_add_tail(&enabler->pending, &mm->pending);
		}
	}
	/* The work item's reference; if it is queued already, it has one. */
	refcount_inc(&mm->base.refcnt);
	if (!queue_work(user_mm_wq, &mm->work))
		user_mm_put(mm);
}

/*
 * Get an enabler that has not been written in this round, with a reference. Those of this
 * round are at the end of the list, so the walk ends even if enablers are added or removed
 * meanwhile. NULL: there is none
 */
static struct user_enabler *round_next(struct user_event *event)
{
	struct user_enabler *enabler;

	spin_lock(&enablers_lock);
	enabler = list_first_entry_or_null(&event->enablers, struct user_enabler, of_event);
	if (enabler && enabler->round == event->round)
		enabler = NULL;
	if (enabler) {
		enabler->round = event->round;
		list_move_tail(&enabler->of_event, &event->enablers);
		refcount_inc(&enabler->refs);
	}
	spin_unlock(&enablers_lock);
	return enabler;
}

/**
 * strobe_user_enablers_set - show all processes whether an event is being recorded
 * @event: the event
 * @on:	   it is
 *
 * On return the bits that are in present memory have been written. Needs no memory and does
 * not wait for any process.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_user_enablers_set(struct user_event *event, bool on)
{
	struct user_enabler *enabler;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	scoped_guard(spinlock, &enablers_lock) {
		event->on = on;
		event->round++;
	}
	while ((enabler = round_next(event))) {
		ret = enabler_try_write(enabler);
		if (ret && ret != -ESRCH)
			enabler_defer(enabler);
		enabler_put(enabler);
		cond_resched();
	}
}

/* What processes do */

/* The struct user_mm of the current task's memory, which another thread made. */
static struct user_mm *user_mm_share(void)
{
	struct user_event_mm *base;

	lockdep_assert_held(&enablers_lock);
	list_for_each_entry(base, &user_mms, mms_link) {
		if (base->mm == current->mm && refcount_inc_not_zero(&base->tasks))
			return user_mm_of(base);
	}
	return NULL;
}

/* The current task's struct user_mm; NULL: it has none, or there is no memory for a new one */
static struct user_mm *user_mm_current(bool create)
{
	struct user_mm *new = NULL, *mm;

	if (current->user_event_mm)
		return user_mm_of(current->user_event_mm);
	if (create)
		new = user_mm_alloc(current->mm);
	scoped_guard(spinlock, &enablers_lock) {
		mm = user_mm_share();
		if (!mm && new) {
			list_add(&new->base.mms_link, &user_mms);
			swap(mm, new);
		}
	}
	if (new)
		user_mm_put(new);
	if (mm)
		current->user_event_mm = &mm->base;
	return mm;
}

/**
 * strobe_user_enabler_find - look for an enabler of the current process
 * @addr: address of its value
 * @bit:  number of its bit
 *
 * Context: task, may sleep.
 * Return: 0; -ENOENT
 */
int strobe_user_enabler_find(unsigned long addr, u8 bit)
{
	struct user_mm *mm = user_mm_current(false);

	if (!mm)
		return -ENOENT;
	guard(mutex)(&mm->lock);
	return enabler_find(mm, addr, bit) ? 0 : -ENOENT;
}

/*
 * Kill an enabler, clear its bit, and unlink it. Until it is unlinked, its bit cannot be
 * registered again. If it is dead, another thread is about to do that: -ENOENT.
 */
static int enabler_remove(struct user_enabler *enabler)
{
	struct user_mm *mm = enabler->mm;
	int ret;

	scoped_guard(mutex, &mm->lock) {
		if (enabler->dead)
			return -ENOENT;
		if (enabler_kill(enabler, current))
			enabler_put(enabler);
	}
	ret = enabler_write_wait(enabler);
	scoped_guard(mutex, &mm->lock)
		list_del(&enabler->of_mm);
	enabler_put(enabler);
	return !ret || ret == -EINTR ? ret : -EFAULT;
}

/**
 * strobe_user_enabler_add - let a bit of the current process follow an event
 * @event: the event; the caller has a reference
 * @addr:  address of the value, a multiple of @size
 * @bit:   number of the bit
 * @size:  bytes of the value, 4 or that of a long
 *
 * Context: task, may sleep, as long as user space makes it; no lock held.
 * Return: 0, and the bit has been written; -EADDRINUSE: the bit follows an event already;
 *	   -EFAULT or -EINTR: it could not be written; -ENOMEM. On error nothing has changed.
 */
int strobe_user_enabler_add(struct user_event *event, unsigned long addr, u8 bit, u8 size)
{
	struct user_mm *mm = user_mm_current(true);
	struct user_enabler *enabler;
	int ret;

	enabler = mm ? enabler_alloc(mm, event, addr, bit, size) : NULL;
	if (!enabler)
		return -ENOMEM;
	scoped_guard(mutex, &mm->lock) {
		ret = enabler_find(mm, addr, bit) ? -EADDRINUSE : 0;
		if (!ret) {
			refcount_inc(&enabler->refs);
			enabler_link(enabler);
		}
	}
	if (ret)
		goto put;
	ret = enabler_write_wait(enabler);
	if (!ret)
		goto put;
	enabler_remove(enabler);
	if (ret != -EINTR)
		ret = -EFAULT;
put:
	enabler_put(enabler);
	return ret;
}

/**
 * strobe_user_enabler_remove - undo strobe_user_enabler_add(), and clear the bit
 * @addr: address of the value
 * @bit:  number of the bit
 *
 * Context: task, may sleep, as long as user space makes it; no lock held.
 * Return: 0; -ENOENT: there is none; -EFAULT or -EINTR: there was one, but the bit could
 *	   not be cleared
 */
int strobe_user_enabler_remove(unsigned long addr, u8 bit)
{
	struct user_mm *mm = user_mm_current(false);
	struct user_enabler *enabler;
	int ret = -ENOENT;

	if (!mm)
		return ret;
	scoped_guard(mutex, &mm->lock) {
		enabler = enabler_find(mm, addr, bit);
		if (enabler)
			refcount_inc(&enabler->refs);
	}
	if (enabler) {
		ret = enabler_remove(enabler);
		enabler_put(enabler);
	}
	return ret;
}

/* Fork, exec and exit */

/*
 * May an event have been switched after the child's memory was copied? Reading a page that is
 * present does not copy it again. A page that is not present may be swapped out. fork() has
 * copied that, too, so its bit has to be written. In shared memory, the parent's is written.
 */
static bool enabler_is_stale(const struct user_enabler *enabler)
{
	struct mm_struct *mm = enabler->mm->base.mm;
	unsigned long *start;
	unsigned int bit;
	unsigned long word = enabler_word(enabler, &bit);
	struct vm_area_struct *vma;
	struct page *page = NULL;
	bool stale;

	if (!mmap_read_trylock(mm))
		return true;
	vma = vma_lookup(mm, word);
	stale = vma && !(vma->vm_flags & VM_SHARED);
	if (get_user_pages_remote(mm, word, 1, FOLL_NOFAULT, &page, NULL) != 1)
		page = NULL;
	mmap_read_unlock(mm);
	if (!page)
		return stale;
	start = kmap_local_page(page);
	scoped_guard(spinlock, &enablers_lock)
		stale = enabler_is_on(enabler) !=
			test_bit(bit, (void *)start + offset_in_page(word));
	kunmap_local(start);
	put_page(page);
	return stale;
}

/* Copy the enablers to a child that does not run yet. Return: 0 or -ENOMEM */
static int user_mm_copy(struct user_mm *to, struct user_mm *from)
{
	struct user_enabler *enabler, *copy;

	guard(mutex)(&from->lock);
	list_for_each_entry(enabler, &from->base.enablers, of_mm) {
		if (enabler->dead)
			continue;
		copy = enabler_alloc(to, enabler->event, enabler->addr, enabler->bit,
				     enabler->size);
		if (!copy)
			return -ENOMEM;
		enabler_link(copy);
		if (enabler_is_stale(copy))
			enabler_defer(copy);
	}
	return 0;
}

static void user_mm_unlink(struct user_mm *mm)
{
	spin_lock(&enablers_lock);
	list_del_init(&mm->base.mms_link);
	spin_unlock(&enablers_lock);
}

/**
 * user_event_mm_dup - copy the enablers of a process to a forked child
 * @t:	    the child, which does not run yet
 * @old_mm: the parent's
 *
 * Without memory the child has no enablers: its events do not tell it that they are
 * recorded, or go on telling it.
 *
 * Context: task, may sleep.
 */
void user_event_mm_dup(struct task_struct *t, struct user_event_mm *old_mm)
{
	struct user_mm *mm = user_mm_alloc(t->mm);

	t->user_event_mm = NULL;
	if (!mm)
		return;
	if (user_mm_copy(mm, user_mm_of(old_mm))) {
		refcount_set(&mm->base.tasks, 0);
		user_mm_remove_enablers(mm);
		user_mm_put(mm);
		return;
	}
	scoped_guard(spinlock, &enablers_lock)
		list_add(&mm->base.mms_link, &user_mms);
	t->user_event_mm = &mm->base;
}

/**
 * user_event_mm_remove - remove a task that execs or exits from its process's enablers
 * @t: the task, which has a user_event_mm
 *
 * The last task removes the enablers. Writers of bits that are still running hold the
 * address space; this does not wait for them.
 *
 * Context: task, may sleep.
 */
void user_event_mm_remove(struct task_struct *t)
{
	struct user_mm *mm = user_mm_of(t->user_event_mm);

	t->user_event_mm = NULL;
	if (!refcount_dec_and_test(&mm->base.tasks))
		return;
	user_mm_unlink(mm);
	user_mm_remove_enablers(mm);
	user_mm_put(mm);
}

/**
 * strobe_user_mm_init - make enablers possible
 *
 * Context: boot.
 * Return: 0 or -ENOMEM
 */
int __init strobe_user_mm_init(void)
{
	user_mm_wq = alloc_workqueue("user_events", WQ_UNBOUND, WORKS_MAX);
	return user_mm_wq ? 0 : -ENOMEM;
}
