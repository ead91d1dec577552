// SPDX-License-Identifier: GPL-2.0
/*
 * A crash at each instruction. A child writes to a ring in a region, with interrupts
 * that write, too, and that give records up; it goes one instruction at a time. After
 * each, the parent makes a ring of a copy of the region, as the next kernel would: it
 * must be sound, and hold what was published, whole, and nothing that was not.
 *
 * With -b, the child tells the region of a record before it is written: that must be
 * noticed.
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
 * struct crash_shared - what both processes see
 * @published: records that the outermost writer has left behind
 * @reserved: those that were begun, as many as may be found
 * @writing: the child is where it is to be looked at
 * @region: the ring's
 */
static struct crash_shared {
	u64	published;
	u64	reserved;
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

static struct strobe_ring *make_ring(void *region)
{
	struct strobe_ring_params params = {
		.overwrite = true,
		.region = { .start = region, .bytes = sizeof(shared->region), .maker = 1 },
	};

	return strobe_ring_create(&params);
}

/* A record is one word, over and over. */
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

static void child(void)
{
	u32 n;

	shim_self.random = seed * 0x9e3779b97f4a7c15ULL + 1;
	shim_self.handler = write_one;
	ring = make_ring(shared->region);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	shared->writing = true;
	shim_self.inject = 15;
	/* Each begins where the one before has left the ring. */
	for (n = 0; n < 40; n++) {
		struct strobe_ring_cpu *rc = strobe_ring_of(ring, 0);

		write_one();
		compiler_barrier();
		shared->published = strobe_ring_next_index(rc);
	}
	_exit(0);
}

/* Return: why the region as it is now is not to be had; NULL: it is. */
static const char *look(void *copy)
{
	struct strobe_ring_record record;
	struct strobe_ring *found;
	const char *why = NULL;
	u64 next = 0;
	bool any = false;
	u32 i;

	memmove(copy, shared->region, sizeof(shared->region));
	found = make_ring(copy);
	if (IS_ERR(found))
		return "no ring";
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
		any = true;
		next = record.index + 1;
		strobe_ring_consume(found, 0);
	}
	if (!why && (next < shared->published || (!any && shared->published)))
		why = "what was published is not there";
	if (!why && next > shared->reserved)
		why = "there is more than was recorded";
	strobe_ring_destroy(found);
	return why;
}

static unsigned long looks;

/* Return: 0; 1: something was not as it has to be; 4: nobody may trace here. */
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
		why = shared->writing ? look(copy) : NULL;
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
