// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel code that actions have reached, as KCOV reports it. All processes share the
 * results; each has its own KCOV buffer.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracefuzz.h"

/* Size of a KCOV buffer: the number of calls of one action, and their addresses */
#define CALLS (256 * 1024)
/* Size of the hash table: a power of two, several times the number of places in Strobe */
#define PLACES (128 * 1024)

/* A place in the kernel's code; an unused entry has address 0 */
struct place {
	uint64_t addr;
	/* The run that reached it last */
	uint32_t run;
};

/* Shared by all processes */
static struct cover {
	struct place places[PLACES];
	unsigned int nr;
	uint32_t run;
} *cover;

static uint64_t *calls;

bool cover_init(void)
{
	cover = mmap(NULL, sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	return cover != MAP_FAILED;
}

bool cover_open(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *at;

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, CALLS))
		return false;
	at = mmap(NULL, CALLS * sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return false;
	/* The file stays open as long as the process runs. */
	calls = at;
	return true;
}

void cover_begin(void)
{
	if (calls)
		__atomic_store_n(&calls[0], 0, __ATOMIC_RELAXED);
}

/* Find the entry of @addr, or an unused one if nothing has reached it yet. */
static struct place *place_of(uint64_t addr)
{
	uint64_t hash = addr * 0x9e3779b97f4a7c15ULL;
	size_t at = hash >> 47;

	while (__atomic_load_n(&cover->places[at].addr, __ATOMIC_RELAXED) &&
	       cover->places[at].addr != addr)
		at = (at + 1) % PLACES;
	return &cover->places[at];
}

static bool reach(uint64_t addr)
{
	struct place *place = place_of(addr);
	uint64_t none = 0;

	while (place->addr != addr) {
		if (__atomic_compare_exchange_n(&place->addr, &none, addr, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			place->run = cover->run;
			__atomic_fetch_add(&cover->nr, 1, __ATOMIC_RELAXED);
			return true;
		}
		/* Another process has used this entry. */
		none = 0;
		place = place_of(addr);
	}
	place->run = cover->run;
	return false;
}

int cover_end(struct places *found)
{
	uint64_t i, nr = calls ? __atomic_load_n(&calls[0], __ATOMIC_RELAXED) : 0;
	int fresh = 0;

	for (i = 1; i <= nr && i < CALLS && cover->nr < PLACES / 2; i++) {
		if (!reach(calls[i]))
			continue;
		if (found && found->nr < MAX_PLACES)
			found->addr[found->nr++] = calls[i];
		fresh++;
	}
	return fresh;
}

void cover_run_begin(void)
{
	if (calls)
		cover->run++;
}

bool cover_run_reached(const struct places *wanted)
{
	int i;

	for (i = 0; i < wanted->nr; i++) {
		if (place_of(wanted->addr[i])->run != cover->run)
			return false;
	}
	return true;
}

void cover_show(void)
{
	size_t i;

	for (i = 0; calls && i < PLACES; i++) {
		if (cover->places[i].addr)
			printf("#c %llx\n", (unsigned long long)cover->places[i].addr);
	}
}
