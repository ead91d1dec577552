// SPDX-License-Identifier: GPL-2.0
/*
 * Read memory beyond the record. A read never faults: what cannot be read has a defined
 * result, which each function states. A page that is not resident cannot be read.
 *
 * Each CPU has a buffer for each context that can interrupt the others. The buffers are
 * allocated when a program first needs them, and are never freed.
 *
 * State: buffers, set once, under buffers_mutex, which is a leaf. Only a CPU itself changes
 * its count of taken buffers, and an interrupt restores the count before it returns.
 *
 * Contexts: strobe_mem_prepare() task; all else any, also NMI, preemption off.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>

#include "filter/mem.h"

/* Task, softirq, hardirq and NMI; an event that nests within one of these gets none. */
#define BUFFERS		4

struct mem_buffers {
	unsigned int	taken;
	char		buf[BUFFERS][STROBE_MEM_STRING];
};

static struct mem_buffers __percpu *buffers;
static DEFINE_MUTEX(buffers_mutex);

/**
 * strobe_mem_prepare - allocate the buffers, unless that is done
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM
 */
int strobe_mem_prepare(void)
{
	guard(mutex)(&buffers_mutex);
	if (!buffers)
		buffers = alloc_percpu(struct mem_buffers);
	return buffers ? 0 : -ENOMEM;
}

/**
 * strobe_mem_string - read a string
 * @addr: its address
 * @user: @addr is an address of the running task, else one of the kernel
 *
 * Context: any, preemption off; after strobe_mem_prepare().
 * Return: a copy of at most STROBE_MEM_STRING bytes with a NUL, which is valid until
 *	   strobe_mem_string_done(); NULL if the string cannot be read, or if the CPU's
 *	   buffers are in use
 */
notrace const char *strobe_mem_string(u64 addr, bool user)
{
	struct mem_buffers *mine = this_cpu_ptr(buffers);
	unsigned int nr = mine->taken;
	char *buf = mine->buf[nr];
	long len;

	if (nr == BUFFERS)
		return NULL;
	mine->taken = nr + 1;
	barrier();	/* Take the buffer before writing to it. */
	if (user)
		len = strncpy_from_user_nofault(buf, (void __user *)(unsigned long)addr,
						STROBE_MEM_STRING);
	else
		len = strncpy_from_kernel_nofault(buf, (void *)(unsigned long)addr,
						  STROBE_MEM_STRING);
	if (len >= 0)
		return buf;
	strobe_mem_string_done();
	return NULL;
}

/**
 * strobe_mem_string_done - release the string that was read last
 *
 * Context: as strobe_mem_string(), which has not returned NULL
 */
notrace void strobe_mem_string_done(void)
{
	barrier();	/* Finish reading the buffer before releasing it. */
	this_cpu_ptr(buffers)->taken--;
}
