// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of pids: a bitmap in pages, of which those exist that are needed.
 *
 * States of a page: none, or there with any bits; it stays until the set is freed.
 *
 * Contexts: looking for a pid, adding one and removing one: any. All else: task,
 * with the caller seeing to it that the set stays.
 *
 * No locks. Barrier: a page is published by cmpxchg(), which orders its being
 * zeroed before; it is read with READ_ONCE() and a dependency.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/threads.h>

#include "instance/pid.h"

#define BITS_PER_PAGE	(PAGE_SIZE * BITS_PER_BYTE)
#define SET_PAGES	DIV_ROUND_UP(PID_MAX_LIMIT, BITS_PER_PAGE)

struct pid_set {
	unsigned long	*page[SET_PAGES];
};

/**
 * pid_set_alloc - make an empty set
 *
 * Context: task, may sleep.
 * Return: the set, or NULL.
 */
struct pid_set *pid_set_alloc(void)
{
	return kzalloc(sizeof(struct pid_set), GFP_KERNEL);
}

/**
 * pid_set_free - free a set
 * @set: the set, or NULL; nobody knows of it
 *
 * Context: task.
 */
void pid_set_free(struct pid_set *set)
{
	unsigned int i;

	if (!set)
		return;
	for (i = 0; i < SET_PAGES; i++)
		free_page((unsigned long)set->page[i]);
	kfree(set);
}

static unsigned long *page_of(const struct pid_set *set, pid_t pid)
{
	return READ_ONCE(set->page[pid / BITS_PER_PAGE]);
}

/**
 * pid_set_has - is a task in the set?
 * @set: the set
 * @pid: the task's pid, of whatever size
 *
 * Context: any.
 */
notrace bool pid_set_has(const struct pid_set *set, pid_t pid)
{
	unsigned long *page;

	if ((unsigned int)pid >= PID_MAX_LIMIT)
		return false;
	page = page_of(set, pid);
	return page && test_bit(pid % BITS_PER_PAGE, page);
}

/**
 * pid_set_add - add a task
 * @set: the set
 * @pid: the task's pid
 * @gfp: how to have memory
 *
 * Context: as @gfp says.
 * Return: 0; -EPERM if there can be no such pid; -ENOMEM.
 */
int pid_set_add(struct pid_set *set, pid_t pid, gfp_t gfp)
{
	unsigned long *page, *new;

	if ((unsigned int)pid >= PID_MAX_LIMIT)
		return -EPERM;
	page = page_of(set, pid);
	if (!page) {
		new = (unsigned long *)get_zeroed_page(gfp);
		if (!new)
			return -ENOMEM;
		page = cmpxchg(&set->page[pid / BITS_PER_PAGE], NULL, new);
		if (page)
			free_page((unsigned long)new);
		else
			page = new;
	}
	set_bit(pid % BITS_PER_PAGE, page);
	return 0;
}

/**
 * pid_set_remove - remove a task
 * @set: the set
 * @pid: the task's pid
 *
 * Context: any.
 */
void pid_set_remove(struct pid_set *set, pid_t pid)
{
	unsigned long *page;

	if ((unsigned int)pid >= PID_MAX_LIMIT)
		return;
	page = page_of(set, pid);
	if (page)
		clear_bit(pid % BITS_PER_PAGE, page);
}

/**
 * pid_set_merge - add all of another set, which needs no memory
 * @set:  the set, in use
 * @from: the other one, known to nobody else; freed
 *
 * Context: task.
 */
void pid_set_merge(struct pid_set *set, struct pid_set *from)
{
	unsigned int i, bit;

	for (i = 0; i < SET_PAGES; i++) {
		unsigned long *page = from->page[i];

		if (!page)
			continue;
		if (!cmpxchg(&set->page[i], NULL, page)) {
			from->page[i] = NULL;
			continue;
		}
		for_each_set_bit(bit, page, BITS_PER_PAGE)
			set_bit(bit, set->page[i]);
	}
	pid_set_free(from);
}

/**
 * pid_set_next - step through a set in order
 * @set: the set
 * @pid: where to begin
 *
 * Context: any.
 * Return: the first pid of the set that is not less than @pid; -1 at the end.
 */
pid_t pid_set_next(const struct pid_set *set, pid_t pid)
{
	unsigned long bit = pid % BITS_PER_PAGE;
	unsigned int i;

	for (i = pid / BITS_PER_PAGE; i < SET_PAGES; i++, bit = 0) {
		unsigned long *page = READ_ONCE(set->page[i]);

		if (!page)
			continue;
		bit = find_next_bit(page, BITS_PER_PAGE, bit);
		if (bit < BITS_PER_PAGE)
			return i * BITS_PER_PAGE + bit;
	}
	return -1;
}
