// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that on the write path no cache line is written by two CPUs, and that none
 * written by one CPU is read by another one. Each load and store is observed.
 *
 * The ring is compiled with -fsanitize=thread, so that the compiler calls a function at
 * each memory access. These functions are defined here, and mark the lines. All memory
 * of the ring comes from one arena. Each CPU in turn writes records of all kinds, with
 * nested ones, crossing, overwriting, dropping, discarding. To be sure that no store was
 * missed, the arena is compared with a copy from before: each line that has changed
 * must be marked.
 *
 * Waking waiters is not part of the test: it shares lines on purpose.
 */
#include <sys/mman.h>

#include "harness.h"
#include "ring/internal.h"
#include "ring/write.h"

#define LINE		64
#define ARENA		(4 << 20)
#define CPUS		4
#define RECORD_LINES	2	/* the record, the state of the CPU */
#define UNSEEN		__attribute__((__no_sanitize_thread__))

static char *arena;
static u8 wrote[ARENA / LINE], looked[ARENA / LINE];	/* one bit for each CPU */
static size_t line_size = LINE;
static bool watching;
static int failures;

UNSEEN static void mark(u8 *lines, const volatile void *addr, size_t size)
{
	size_t at = (const volatile char *)addr - arena, line;

	if (!watching || at >= ARENA)
		return;
	for (line = at / line_size; line <= (at + size - 1) / line_size; line++)
		lines[line] |= 1 << shim_cpu;
}

/* The functions that the compiler calls. Their types are built in. */
#define ACCESS(bytes)							\
UNSEEN void __tsan_read##bytes(void *p) { mark(looked, p, bytes); }	\
UNSEEN void __tsan_write##bytes(void *p) { mark(wrote, p, bytes); }

#define CHANGE(bits, name)						\
UNSEEN u##bits								\
__tsan_atomic##bits##_##name(volatile void *p, u##bits v, int order)	\
{									\
	mark(wrote, p, bits / 8);					\
	return __atomic_##name((u##bits *)p, v, __ATOMIC_SEQ_CST);	\
}

#define ATOMIC(bits)							\
CHANGE(bits, fetch_add)							\
CHANGE(bits, fetch_sub)							\
CHANGE(bits, fetch_and)							\
CHANGE(bits, fetch_or)							\
UNSEEN u##bits								\
__tsan_atomic##bits##_load(const volatile void *p, int order)		\
{									\
	mark(looked, p, bits / 8);					\
	return __atomic_load_n((const u##bits *)p, __ATOMIC_SEQ_CST);	\
}									\
UNSEEN void								\
__tsan_atomic##bits##_store(volatile void *p, u##bits v, int order)	\
{									\
	mark(wrote, p, bits / 8);					\
	__atomic_store_n((u##bits *)p, v, __ATOMIC_SEQ_CST);		\
}									\
UNSEEN u##bits								\
__tsan_atomic##bits##_exchange(volatile void *p, u##bits v, int order)	\
{									\
	mark(wrote, p, bits / 8);					\
	return __atomic_exchange_n((u##bits *)p, v, __ATOMIC_SEQ_CST);	\
}									\
UNSEEN bool								\
__tsan_atomic##bits##_compare_exchange_strong(volatile void *p, void *old, \
					      u##bits v, int order, int other) \
{									\
	mark(wrote, p, bits / 8);					\
	return __atomic_compare_exchange_n((u##bits *)p, (u##bits *)old, v, false, \
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
}

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

UNSEEN void __tsan_read_range(void *p, long size)
{
	mark(looked, p, size);
}

UNSEEN void __tsan_write_range(void *p, long size)
{
	mark(wrote, p, size);
}

UNSEEN void __tsan_init(void)
{
}

UNSEEN void __tsan_func_entry(void *p)
{
}

UNSEEN void __tsan_func_exit(void *p)
{
}

UNSEEN void __tsan_acquire(void *p)
{
}

UNSEEN void __tsan_release(void *p)
{
}

UNSEEN void AnnotateIgnoreReadsBegin(const char *file, int line)
{
}

UNSEEN void AnnotateIgnoreReadsEnd(const char *file, int line)
{
}

static u64 now[CPUS];

u64 sched_clock_noinstr(void)
{
	u32 r = shim_random();

	return now[shim_cpu] += r % 64 ? r % 100 : 1ULL << (20 + r % 20);
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static struct strobe_ring *ring;

static void write_one(void)
{
	u32 r = shim_random(), len = r % 50 ? r % 120 : r % 5000;
	struct strobe_ring_resv resv;
	u8 *data = strobe_ring_reserve(ring, len, &resv);
	u32 i;

	if (!data)
		return;
	for (i = 0; i < len; i++)
		data[i] = r;
	barrier();
	if (r >> 20 & 7)
		strobe_ring_commit(&resv);
	else
		strobe_ring_discard(&resv);
}

static void nested(void)
{
	u32 n = shim_random() % 64 ? 1 : 300;

	while (n--)
		write_one();
}

/* Report the lines that have changed since @before, but are not marked as written. */
static void check_escaped(const char *before, int cpu)
{
	size_t line;

	for (line = 0; line < ARENA / line_size; line++) {
		if (memcmp(before + line * line_size, arena + line * line_size, line_size) &&
		    !(wrote[line] & 1 << cpu) && failures++ < 10)
			fprintf(stderr, "# line %zu: written unseen\n", line);
	}
}

static void write_many(int cpu, bool overwrite)
{
	static char before[ARENA];
	u32 n;

	strobe_ring_set_overwrite(ring, overwrite);
	shim_cpu = cpu;
	shim_self.handler = nested;
	shim_self.inject = 20;
	memcpy(before, arena, ARENA);
	watching = true;
	for (n = 0; n < 20000; n++)
		write_one();
	watching = false;
	shim_self.inject = 0;
	check_escaped(before, cpu);
}

static void check_shared(size_t *nr_wrote, size_t *nr_looked)
{
	size_t ring_line = ((char *)ring - arena) / line_size, line;

	for (line = 0; line < ARENA / LINE; line++) {
		int writers = __builtin_popcount(wrote[line]);
		bool alone = !(looked[line] & ~wrote[line]);

		if ((writers > 1 || (writers && !alone)) && failures++ < 10)
			fprintf(stderr, "# line %zu: written by CPUs %#x, read by %#x\n",
				line, wrote[line], looked[line]);
		*nr_wrote += !!writers;
		*nr_looked += !writers && looked[line];
	}
	for (line = 0; line <= (sizeof(*ring) - 1) / line_size; line++) {
		if (wrote[ring_line + line]) {
			fprintf(stderr, "# struct strobe_ring is written\n");
			failures++;
		}
	}
}

/* Number of lines that a plain record writes, including its own */
static size_t lines_of_record(void)
{
	struct strobe_ring_resv resv;
	size_t line, n = 0;
	u64 *data;

	strobe_ring_reset(ring, STROBE_RING_ALL_CPUS);
	write_one();
	memset(wrote, 0, sizeof(wrote));
	watching = true;
	data = strobe_ring_reserve(ring, sizeof(*data), &resv);
	*data = 1;
	strobe_ring_commit(&resv);
	watching = false;
	for (line = 0; line < ARENA / LINE; line++)
		n += !!wrote[line];
	return n;
}

int main(int argc, char **argv)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	size_t nr_wrote = 0, nr_looked = 0, nr_record, used;
	struct strobe_ring_record record;
	struct strobe_ring_stats stats;
	int cpu;

	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		return 1;
	shim_arena = arena;
	/* Must be noticed: lines are longer than the ring expects, so that CPUs share them. */
	if (argc > 1 && !strcmp(argv[1], "-b"))
		line_size = 16 * LINE;
	shim_nr_cpus = CPUS;
	ring = strobe_ring_create(&params);
	used = shim_arena - arena;
	if (used > ARENA)
		return 1;
	for (cpu = 0; cpu < CPUS; cpu++) {
		write_many(cpu, true);
		/* This also hands the reader page over to the writer. */
		while (strobe_ring_peek(ring, cpu, &record))
			strobe_ring_consume(ring, cpu);
		write_many(cpu, false);
		strobe_ring_stats(ring, cpu, &stats);
		/* All of these must have happened. */
		if (!stats.overrun || !stats.commit_overrun || !stats.dropped ||
		    !stats.discarded)
			failures++;
	}
	check_shared(&nr_wrote, &nr_looked);
	nr_record = lines_of_record();
	printf("# %zu lines written by one CPU each, %zu only read; a plain record writes %zu\n",
	       nr_wrote, nr_looked, nr_record);
	if (nr_record > RECORD_LINES) {
		fprintf(stderr, "# a plain record writes more than %d lines\n", RECORD_LINES);
		failures++;
	}
	return !!failures;
}
