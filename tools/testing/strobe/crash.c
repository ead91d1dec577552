// SPDX-License-Identifier: GPL-2.0
/*
 * A crash at each instruction. A child has a ring in a region. It writes, with interrupts
 * that write and discard, too; it reads, by records and by whole pages; it resets the ring,
 * changes its mode, and recovers it, as the next boot does. The parent single-steps the
 * child. After each instruction it recovers a copy of the region, as the next kernel would.
 * The copy must be valid. It must have all records that were committed before the child's
 * current step and that are still in the child's ring, not consumed, after that step. It
 * must have complete records only, and none that the child had consumed.
 *
 * With -b, the child commits a record to the region before the record is written, which
 * must be noticed.
 */
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/region.h"
#include "ring/write.h"

#define SLOTS	3

/**
 * struct crash_shared - shared by both processes; members are stored in program order
 * @published: records before this one have been committed
 * @reserved: number of records begun; no more can be found
 * @consumed: records before this one were consumed
 * @consuming: records before this one may have been consumed, or removed by a reset
 * @unread: the first record that the ring must have after the last step. This excludes one
 *	that the reader was shown and has not consumed: a crash loses it if it is overwritten
 * @steps: number of steps done
 * @emptying: the ring is being reset
 * @writing: the child is in a step, and the parent checks the region after this instruction
 * @region: the region of the ring
 */
static struct crash_shared {
	u64	published;
	u64	reserved;
	u64	consumed;
	u64	consuming;
	u64	unread;
	u64	steps;
	bool	emptying;
	bool	writing;
	char	region[SLOTS * 4096 + 8192] __aligned(4096);
} *shared;

static u64 now = 1000, seed = 1, runs = 20;
static struct strobe_ring *ring;
static bool busted;

u64 sched_clock_noinstr(void)
{
	return now += shim_random() % 20 ? 10 : 1ULL << 28;
}

u64 trace_clock_local(void)
{
	return now;
}

static struct strobe_ring *make_ring(void *region, bool overwrite)
{
	struct strobe_ring_params params = {
		.overwrite = overwrite,
		.region = { .start = region, .bytes = sizeof(shared->region), .maker = 1 },
	};

	return strobe_ring_create(&params);
}

/* Write a record whose payload is one word, repeated. */
static void write_one(void)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, 0);
	u32 len = shim_random() % 20 ? shim_random() % 500 : 3000, i;
	struct strobe_ring_resv resv;
	u32 value = shim_random();
	u32 *data;

	shared->reserved++;
	data = strobe_ring_reserve(ring, len, &resv);
	if (!data) {
		shared->reserved--;
		return;
	}
	if (busted)
		strobe_region_commit(rc->kept, rc->word);
	for (i = 0; i < max(len + 3, 4U) / 4; i++)
		WRITE_ONCE(data[i], value);
	if (shim_random() % 6)
		strobe_ring_commit(&resv);
	else
		strobe_ring_discard(&resv);
}

static void read_some(void)
{
	u32 n = shim_random() % 12;
	struct strobe_ring_record record;

	while (n-- && strobe_ring_peek(ring, 0, &record)) {
		WRITE_ONCE(shared->consuming, record.index + 1);
		strobe_ring_consume(ring, 0);
		WRITE_ONCE(shared->consumed, record.index + 1);
	}
}

static void read_page(void)
{
	struct strobe_ring_cpu *rc = strobe_ring_of(ring, 0);
	static struct strobe_ring_page page;
	u32 room = shim_random() % 3 ? 4096 : 200 + shim_random() % 800;

	if (!page.data && strobe_ring_page_alloc(ring, 0, &page))
		_exit(2);
	WRITE_ONCE(shared->consuming, ~0UL);
	if (!strobe_ring_read_page(ring, 0, &page, room, shim_random() % 2))
		WRITE_ONCE(shared->consumed, rc->reader.next - rc->reader.hand_left);
	WRITE_ONCE(shared->consuming, shared->consumed);
}

/* One random operation; the parent checks after each instruction of it. */
static void step(void)
{
	u32 which = shim_random() % 100;

	if (which < 60) {
		write_one();
	} else if (which < 82) {
		read_some();
	} else if (which < 90) {
		read_page();
	} else if (which < 93) {
		WRITE_ONCE(shared->emptying, true);
		strobe_ring_reset(ring, 0);
		WRITE_ONCE(shared->consuming, ~0UL);
		WRITE_ONCE(shared->emptying, false);
	} else if (which < 96) {
		strobe_ring_set_overwrite(ring, which & 1);
	} else {
		/* Leak the old ring, as a crash does. */
		shim_self.inject = 0;
		ring = make_ring(shared->region, which & 1);
		shim_self.inject = 15;
	}
}

static void child(void)
{
	struct strobe_ring_stats stats;
	struct strobe_ring_cpu *rc;
	u64 gone;
	u32 n;

	shim_self.random = seed * 0x9e3779b97f4a7c15ULL + 1;
	shim_self.handler = write_one;
	ring = make_ring(shared->region, shim_random() % 2);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	shim_self.inject = 15;
	/* Each step begins with the ring that the step before has left. */
	for (n = 0; n < 60; n++) {
		WRITE_ONCE(shared->writing, true);
		step();
		WRITE_ONCE(shared->writing, false);
		shim_self.inject = 0;
		rc = strobe_ring_of(ring, 0);
		strobe_ring_stats(ring, 0, &stats);
		gone = strobe_ring_next_index(rc) - stats.entries;
		WRITE_ONCE(shared->published, strobe_ring_next_index(rc));
		WRITE_ONCE(shared->unread, gone + !!rc->reader.owned);
		WRITE_ONCE(shared->consumed, max(shared->consumed, gone));
		WRITE_ONCE(shared->consuming, shared->consumed);
		WRITE_ONCE(shared->steps, shared->steps + 1);
		shim_self.inject = 15;
	}
	_exit(0);
}

/*
 * Recover a copy of the region as it is now. Sets @first to the first record that it has,
 * or if it has none, to the next record. Return: an error message, or NULL.
 */
static const char *look(void *copy, u64 *first)
{
	struct strobe_ring_record record;
	struct strobe_ring *found;
	const char *why = NULL;
	u64 next = 0;
	bool any = false;
	u32 i;

	memmove(copy, shared->region, sizeof(shared->region));
	found = make_ring(copy, true);
	if (IS_ERR(found))
		return "no ring";
	*first = shared->published;
	if (strobe_ring_check(found, 0))
		why = "not sound";
	while (!why && strobe_ring_peek(found, 0, &record)) {
		const u32 *data = record.data;

		for (i = 1; i < record.len / 4; i++) {
			if (data[i] != data[0])
				why = "a record is not whole";
		}
		if (any && record.index != next)
			why = "a record is missing";
		if (!any)
			*first = record.index;
		any = true;
		next = record.index + 1;
		strobe_ring_consume(found, 0);
	}
	/* A step may overwrite old sub-buffers, but never the newest published record. */
	if (!why && !shared->emptying &&
	    (any ? next : max(shared->consuming, shared->consumed)) < shared->published)
		why = "what was published is not there";
	if (!why && next > shared->reserved)
		why = "there is more than was recorded";
	if (!why && any && *first < shared->consumed)
		why = "what was read is there again";
	strobe_ring_destroy(found);
	return why;
}

/* Check after an instruction; after a step, also that its unread records were never missing. */
static const char *look_further(void *copy)
{
	static u64 steps, latest;
	const char *why = NULL;
	u64 first = 0;

	if (shared->steps != steps) {
		if (shared->steps && latest > shared->unread)
			why = "what is unread was not there";
		steps = shared->steps;
		latest = 0;
	}
	if (why || !shared->writing)
		return why;
	why = look(copy, &first);
	if (!shared->emptying)
		latest = max(latest, first);
	return why;
}

static unsigned long looks;

/* Return: 0; 1: a check failed; 4: processes cannot be traced here. */
static int run(void *copy)
{
	const char *why;
	int status;
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid)
		child();
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
		printf("# no tracing of processes here\n");
		return 4;
	}
	shim_self.inject = 0;
	while (WIFSTOPPED(status)) {
		why = look_further(copy);
		looks += shared->writing;
		if (why) {
			printf("# crash -s %lu -n 1: after %lu steps, %lu records: %s\n", seed,
			       looks, shared->published, why);
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return 1;
		}
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) != pid)
			return 1;
	}
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	void *copy = NULL;
	int c, ret = 0;
	u64 last;

	while ((c = getopt(argc, argv, "s:n:b")) != -1) {
		if (c == 'b')
			busted = true;
		else if (c == 's' || c == 'n')
			*(c == 's' ? &seed : &runs) = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	shim_silent = true;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || posix_memalign(&copy, 4096, sizeof(shared->region)))
		return 2;
	for (last = seed + runs; seed < last && !ret; seed++)
		ret = run(copy);
	printf("# %lu crashes\n", looks);
	return ret;
}
