// SPDX-License-Identifier: GPL-2.0
/* How much memory the kernel uses, in all and by its allocators */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

/*
 * More than this must not be gone for each process: in all, which the kernel's caches change; of
 * slabs, of which some stay partly used (400 KB after 2,000 actions as after 8,000); per CPU.
 */
#define GONE_KB		2048
#define SLAB_KB		1024
#define PERCPU_KB	64

/* Sum of the numbers that follow @name in a file */
static long sum_of(const char *path, const char *name)
{
	char *text = file_text(path), *at = text;
	long sum = 0;

	while (at && (at = strstr(at, name))) {
		at += strlen(name);
		sum += atol(at);
	}
	free(text);
	return sum;
}

bool memory_is_unknown(void)
{
	/* kmemleak needs memory for each object; KASAN keeps what is freed. */
	return !access("/sys/kernel/debug/kmemleak", F_OK) || has_kasan();
}

void memory_read(struct memory *memory)
{
	/* RCU frees some of it. */
	let_writers_finish();
	usleep(200000);
	file_put("/proc/sys/vm/drop_caches", "3");
	/*
	 * Free pages of a CPU are none of the zone's. Pages of user space, which has the growing
	 * corpus, and of the root file system are not the kernel's.
	 */
	memory->pages = -(sum_of("/proc/meminfo", "MemFree:") +
			  4 * sum_of("/proc/zoneinfo", " count:") +
			  sum_of("/proc/meminfo", "AnonPages:") +
			  sum_of("/proc/meminfo", "Shmem:"));
	memory->slab = sum_of("/proc/meminfo", "SUnreclaim:");
	memory->percpu = sum_of("/proc/meminfo", "Percpu:");
}

/* What was freed last may be freed late: look again before it counts as gone. */
bool memory_is_gone(const struct memory *before, int processes)
{
	struct memory now;
	bool gone = true;
	int i;

	for (i = 0; gone && i < 5; i++) {
		if (i)
			sleep(1);
		memory_read(&now);
		now.pages -= before->pages;
		now.slab -= before->slab;
		now.percpu -= before->percpu;
		gone = now.pages > GONE_KB * processes || now.slab > SLAB_KB * processes ||
		       now.percpu > PERCPU_KB * processes;
	}
	printf("# %ld KB of memory are gone, %ld KB of them in slabs, %ld KB per CPU\n", now.pages,
	       now.slab, now.percpu);
	return gone;
}
