// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of pids: a bitmap in pages that are allocated when they are needed.
 *
 * States of a page: not allocated, or allocated with any bits until the set is freed.
 * A probe adds children of tasks in the set. It runs with preemption off, where it cannot
 * allocate memory, on PREEMPT_RT not even with GFP_ATOMIC. So a set has a spare page, and
 * an irq_work allocates the next one.
 *
 * Contexts: testing for a pid, following a child and removing a pid: any. All else: task.
 * The caller keeps the set from being freed.
 *
 * Lock: set->lock protects adding pages, and the spare page. Barrier PID_SET:A: a page is
 * published by smp_store_release(): a reader that sees the page, which it reads with
 * READ_ONCE(), also sees it zeroed, by the address dependency.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/threads.h>

#include "record/pid.h"

#define BITS_PER_PAGE	(PAGE_SIZE * BITS_PER_BYTE)
#define SET_PAGES	DIV_ROUND_UP(PID_MAX_LIMIT, BITS_PER_PAGE)

struct pid_set {
	unsigned long	*page[SET_PAGES];
	raw_spinlock_t	lock;
	unsigned long	*spare;
	struct irq_work	refill;
};

/* Allocate the spare page if the set has none. */
static void put_spare(struct pid_set *set, gfp_t gfp)
{
	unsigned long *new = (unsigned long *)get_zeroed_page(gfp);

	scoped_guard(raw_spinlock_irqsave, &set->lock) {
		if (!set->spare)
			swap(set->spare, new);
	}
	free_page((unsigned long)new);
}

static void refill(struct irq_work *work)
{
	put_spare(container_of(work, struct pid_set, refill), GFP_NOWAIT | __GFP_NOWARN);
}

/**
 * strobe_pid_set_alloc - make an empty set
 *
 * Context: task, may sleep.
 * Return: the set, or NULL.
 */
struct pid_set *strobe_pid_set_alloc(void)
{
	struct pid_set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;
	raw_spin_lock_init(&set->lock);
	init_irq_work(&set->refill, refill);
	put_spare(set, GFP_KERNEL);
	if (set->spare)
		return set;
	kfree(set);
	return NULL;
}

/**
 * strobe_pid_set_free - free a set
 * @set: the set, or NULL; there is no other reference to it
 *
 * Context: task, may sleep.
 */
void strobe_pid_set_free(struct pid_set *set)
{
	unsigned int i;

	if (!set)
		return;
	irq_work_sync(&set->refill);
	for (i = 0; i < SET_PAGES; i++)
		free_page((unsigned long)set->page[i]);
	free_page((unsigned long)set->spare);
	kfree(set);
}

static unsigned long *page_of(const struct pid_set *set, pid_t pid)
{
	/* Address dependency: sees the page zeroed. Pairs with PID_SET:A. */
	return READ_ONCE(set->page[pid / BITS_PER_PAGE]);
}

/**
 * strobe_pid_set_has - whether a task is in a set
 * @set: the set
 * @pid: the task's pid; may be out of range
 *
 * Context: any.
 */
notrace bool strobe_pid_set_has(const struct pid_set *set, pid_t pid)
{
	unsigned long *page;

	if ((unsigned int)pid >= PID_MAX_LIMIT)
		return false;
	page = page_of(set, pid);
	return page && test_bit(pid % BITS_PER_PAGE, page);
}

/*
 * If a pid has no page yet, use *new, if that is not NULL, and set *new to NULL.
 * Return: the page; NULL if there is still none.
 */
static unsigned long *give_page(struct pid_set *set, pid_t pid, unsigned long **new)
{
	unsigned long **slot = &set->page[pid / BITS_PER_PAGE], *page, flags;

	raw_spin_lock_irqsave(&set->lock, flags);
	if (!*slot && *new) {
		/* PID_SET:A: a reader of the page sees it zeroed. */
		smp_store_release(slot, *new);
		*new = NULL;
	}
	page = *slot;
	raw_spin_unlock_irqrestore(&set->lock, flags);
	return page;
}

/**
 * strobe_pid_set_add - add a task
 * @set: the set
 * @pid: the task's pid
 *
 * Context: task, may sleep.
 * Return: 0; -EPERM if @pid is out of range; -ENOMEM.
 */
int strobe_pid_set_add(struct pid_set *set, pid_t pid)
{
	unsigned long *page, *new;

	if ((unsigned int)pid >= PID_MAX_LIMIT)
		return -EPERM;
	page = page_of(set, pid);
	if (!page) {
		new = (unsigned long *)get_zeroed_page(GFP_KERNEL);
		page = give_page(set, pid, &new);
		free_page((unsigned long)new);
	}
	if (!page)
		return -ENOMEM;
	set_bit(pid % BITS_PER_PAGE, page);
	return 0;
}

/**
 * strobe_pid_set_follow - add a child of a task, if the task is in the set
 * @set: the set
 * @parent: pid of the task
 * @child: pid of the child
 *
 * The child is not added if it needs a page and the set has no spare one.
 *
 * Context: any but NMI.
 */
void strobe_pid_set_follow(struct pid_set *set, pid_t parent, pid_t child)
{
	unsigned long *page;

	if (!strobe_pid_set_has(set, parent) || (unsigned int)child >= PID_MAX_LIMIT)
		return;
	page = page_of(set, child);
	if (!page) {
		page = give_page(set, child, &set->spare);
		irq_work_queue(&set->refill);
	}
	if (page)
		set_bit(child % BITS_PER_PAGE, page);
}

/**
 * strobe_pid_set_remove - remove a task
 * @set: the set
 * @pid: the task's pid
 *
 * Context: any.
 */
void strobe_pid_set_remove(struct pid_set *set, pid_t pid)
{
	unsigned long *page;

	if ((unsigned int)pid >= PID_MAX_LIMIT)
		return;
	page = page_of(set, pid);
	if (page)
		clear_bit(pid % BITS_PER_PAGE, page);
}

/**
 * strobe_pid_set_merge - move all pids of another set into a set, without allocating memory
 * @set:  the set, which may be in use
 * @from: the other set, to which there is no other reference; it is freed
 *
 * Context: task, may sleep.
 */
void strobe_pid_set_merge(struct pid_set *set, struct pid_set *from)
{
	unsigned int i, bit;

	for (i = 0; i < SET_PAGES; i++) {
		unsigned long *page = from->page[i], *ours;

		if (!page)
			continue;
		ours = give_page(set, i * BITS_PER_PAGE, &from->page[i]);
		if (ours == page)
			continue;
		for_each_set_bit(bit, page, BITS_PER_PAGE)
			set_bit(bit, ours);
	}
	strobe_pid_set_free(from);
}

/**
 * strobe_pid_set_next - find the next pid in a set, in ascending order
 * @set: the set
 * @pid: the pid to start at
 *
 * Context: any.
 * Return: the first pid of the set that is not less than @pid; -1 at the end.
 */
pid_t strobe_pid_set_next(const struct pid_set *set, pid_t pid)
{
	unsigned long bit = pid % BITS_PER_PAGE;
	unsigned int i;

	for (i = pid / BITS_PER_PAGE; i < SET_PAGES; i++, bit = 0) {
		/* Pairs with PID_SET:A, as in page_of(). */
		unsigned long *page = READ_ONCE(set->page[i]);

		if (!page)
			continue;
		bit = find_next_bit(page, BITS_PER_PAGE, bit);
		if (bit < BITS_PER_PAGE)
			return i * BITS_PER_PAGE + bit;
	}
	return -1;
}
