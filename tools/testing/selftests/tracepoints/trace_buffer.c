// SPDX-License-Identifier: GPL-2.0
/*
 * The size of the buffer, a full buffer with and without overwriting, and the
 * accounting: each event that fired is in the buffer, or was read, overwritten or
 * dropped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

static const char event[] = "events/syscalls/sys_enter_close/enable";

FIXTURE(buffer)
{
};

FIXTURE_SETUP(buffer)
{
	tfs_reset();
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(buffer)
{
	tfs_reset();
}

static bool stop;

static void *resize(void *unused)
{
	pin_to_cpu(1);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		tfs_write("300", "buffer_size_kb");
		tfs_write("1500", "buffer_size_kb");
	}
	return NULL;
}

/* All CPUs get the same size. A reader must not see some that have it, and others that do not. */
TEST_F_TIMEOUT(buffer, size_while_it_changes, 100)
{
	int fd = tfs_open(O_RDONLY, "buffer_size_kb"), differ = 0;
	const time_t end = time(NULL) + 8;
	pthread_t thread;
	char text[32];

	ASSERT_LE(0, fd);
	stop = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, resize, NULL));
	while (time(NULL) < end) {
		ASSERT_LT(1, pread(fd, text, sizeof(text), 0));
		differ += *text == 'X';
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	close(fd);
	EXPECT_EQ(0, differ);
}

/* The first of the file numbers that close(2) is called with; none of them is open. */
#define FIRST_FD 0x40000000

/* Fire sys_enter_close for the numbers first ... first + n - 1. */
static int fire(int first, int n)
{
	int i;

	if (tfs_write("1", event))
		return -1;
	for (i = first; i < first + n; i++)
		syscall(SYS_close, FIRST_FD + i);
	/* The write disables the event before the file is closed. */
	return tfs_write("0", event);
}

/* The event fires once more, in close() of the file by which it was enabled. */
#define FIRED_BESIDES 1

struct seen {
	long first, last, count;
	long lost;	/* the sum of the "[LOST n EVENTS]" lines */
	bool has_gaps;
};

/* The numbers from FIRST_FD on, and the lost events, in the text. */
static struct seen seen_in(const char *text)
{
	struct seen seen = { .first = -1, .last = -1 };
	struct trace_line line;
	const char *p;
	long fd, n;

	for (p = text; (p = strstr(p, "[LOST ")); p++) {
		if (sscanf(p, "[LOST %ld EVENTS]", &n) == 1)
			seen.lost += n;
		else
			seen.lost = LONG_MIN;
	}
	while (trace_next(&text, &line)) {
		if (line.pid != getpid() ||
		    sscanf(line.text, "(fd: %lx)", (unsigned long *)&fd) != 1)
			continue;
		fd -= FIRST_FD;
		if (fd < 0)
			continue;
		if (seen.count && fd != seen.last + 1)
			seen.has_gaps = true;
		if (!seen.count)
			seen.first = fd;
		seen.last = fd;
		seen.count++;
	}
	return seen;
}

static struct seen seen_in_file(const char *file)
{
	struct seen seen = { .count = -1 };
	char *text = tfs_text("%s", file);

	if (text)
		seen = seen_in(text);
	free(text);
	return seen;
}

static long accounted(const struct trace_stats *s)
{
	return s->entries + s->overrun + s->commit_overrun + s->dropped + s->read;
}

TEST_F(buffer, size)
{
	static const char * const sizes[] = { "512", "40", "1", "2000", "7\n" };
	const int cpus = cpus_possible();
	unsigned int i;
	long shown;
	int cpu;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		shown = buffer_kb_shown(atol(sizes[i]));
		EXPECT_EQ(0, tfs_write(sizes[i], "buffer_size_kb"));
		EXPECT_EQ(shown, tfs_number("buffer_size_kb"));
		EXPECT_EQ(shown * cpus, tfs_number("buffer_total_size_kb"));
		for (cpu = 0; cpu < cpus; cpu++)
			EXPECT_EQ(shown, tfs_number("per_cpu/cpu%d/buffer_size_kb", cpu));
	}
}

TEST_F(buffer, size_of_one_cpu)
{
	const int cpus = cpus_possible();

	if (cpus < 2)
		SKIP(return, "one CPU only");
	ASSERT_EQ(0, tfs_write("512", "buffer_size_kb"));
	EXPECT_EQ(0, tfs_write("100\n", "per_cpu/cpu1/buffer_size_kb"));
	EXPECT_EQ(buffer_kb_shown(100), tfs_number("per_cpu/cpu1/buffer_size_kb"));
	EXPECT_EQ(buffer_kb_shown(512), tfs_number("per_cpu/cpu0/buffer_size_kb"));
	EXPECT_TRUE(tfs_is("X", "buffer_size_kb"));
	EXPECT_EQ(buffer_kb_shown(512) * (cpus - 1) + buffer_kb_shown(100),
		  tfs_number("buffer_total_size_kb"));
	EXPECT_EQ(0, tfs_write("64", "buffer_size_kb"));
	EXPECT_EQ(buffer_kb_shown(64), tfs_number("buffer_size_kb"));
}

static const struct {
	const char *text;
	int err;
} bad_sizes[] = {
	{ "0",				-EINVAL },
	{ "",				-EINVAL },
	{ "-1",				-EINVAL },
	{ "abc",			-EINVAL },
	{ "10k",			-EINVAL },
	{ "1 2",			-EINVAL },
	{ "0x10",			-EINVAL },
	{ "99999999999999999999999",	-ERANGE },
	{ "1099511627776",		-ENOMEM },	/* 1 PB */
};

/* Closing free_buffer frees the ring, so that it is freed however its user ends. */
TEST_F(buffer, free_buffer)
{
	long least = buffer_kb_shown(1);
	int stop;

	for (stop = 0; stop < 2; stop++) {
		int fd = tfs_open(O_WRONLY, "free_buffer");

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, tfs_write("512", "buffer_size_kb"));
		ASSERT_EQ(0, tfs_write(stop ? "1" : "0", "options/disable_on_free"));
		EXPECT_EQ(0, fd_write(fd, "whatever"));
		EXPECT_EQ(buffer_kb_shown(512), tfs_number("buffer_size_kb"));
		close(fd);
		EXPECT_EQ(least, tfs_number("buffer_size_kb"));
		EXPECT_EQ(!stop, tfs_number("tracing_on"));
	}
}

TEST_F(buffer, bad_size)
{
	static const char * const files[] = {
		"buffer_size_kb", "per_cpu/cpu0/buffer_size_kb",
	};
	struct seen seen;
	unsigned int f, i;

	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, fire(0, 50));
	for (f = 0; f < ARRAY_SIZE(files); f++) {
		for (i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
			EXPECT_EQ(bad_sizes[i].err,
				  tfs_write(bad_sizes[i].text, "%s", files[f])) {
				TH_LOG("\"%s\" to %s", bad_sizes[i].text, files[f]);
			}
			EXPECT_EQ(buffer_kb_shown(64), tfs_number("buffer_size_kb"));
		}
	}
	/* Nothing was lost, and recording goes on. */
	seen = seen_in_file("trace");
	EXPECT_EQ(50, seen.count);
	ASSERT_EQ(0, fire(50, 50));
	seen = seen_in_file("trace");
	EXPECT_EQ(100, seen.count);
	EXPECT_FALSE(seen.has_gaps);
}

TEST_F(buffer, growing_keeps_records)
{
	struct trace_stats stats;
	struct seen seen;

	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, fire(0, 500));
	ASSERT_EQ(0, tfs_write("512", "buffer_size_kb"));
	seen = seen_in_file("trace");
	EXPECT_EQ(0, seen.first);
	EXPECT_EQ(500, seen.count);
	EXPECT_FALSE(seen.has_gaps);
	ASSERT_EQ(0, fire(500, 5000));
	seen = seen_in_file("trace");
	EXPECT_EQ(5500, seen.count);
	EXPECT_FALSE(seen.has_gaps);
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(5500 + 2 * FIRED_BESIDES, stats.entries);
	EXPECT_EQ(0, stats.overrun);
}

/* Records that shrinking removes are counted as overwritten. */
TEST_F(buffer, shrinking_accounts)
{
	struct trace_stats stats;
	struct seen seen;

	ASSERT_EQ(0, tfs_write("256", "buffer_size_kb"));
	ASSERT_EQ(0, fire(0, 4000));
	ASSERT_EQ(0, tfs_write("16", "buffer_size_kb"));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(4000 + FIRED_BESIDES, accounted(&stats));
	EXPECT_LT(0, stats.overrun);
	seen = seen_in_file("trace");
	EXPECT_FALSE(seen.has_gaps);
	/* The ring works at the new size. */
	ASSERT_EQ(0, fire(4000, 3000));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(7000 + 2 * FIRED_BESIDES, accounted(&stats));
	seen = seen_in_file("trace");
	EXPECT_EQ(6999, seen.last);
	EXPECT_FALSE(seen.has_gaps);
	EXPECT_GE(16 * 1024 / 24, seen.count);
}

/* The newest records stay; older ones are counted as overwritten. */
TEST_F(buffer, overwriting)
{
	const int fired = 10000;
	struct trace_stats stats;
	struct seen seen;

	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, fire(0, fired));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(fired + FIRED_BESIDES, accounted(&stats));
	EXPECT_LT(0, stats.overrun);
	EXPECT_EQ(0, stats.dropped);
	EXPECT_EQ(0, stats.read);
	seen = seen_in_file("trace");
	EXPECT_EQ(stats.entries, seen.count);
	EXPECT_EQ(fired - 1, seen.last);
	EXPECT_FALSE(seen.has_gaps);
	/* A record takes 28 to 40 bytes; most of the 64 KB are in use. */
	EXPECT_LT(64 * 1024 / 2 / 40, seen.count);
}

/* The oldest records stay; newer ones are counted as dropped. */
TEST_F(buffer, dropping)
{
	const int fired = 10000;
	struct trace_stats stats;
	struct seen seen;

	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, tfs_write("0", "options/overwrite"));
	ASSERT_EQ(0, tfs_write("", "trace"));
	ASSERT_EQ(0, fire(0, fired));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(fired + FIRED_BESIDES, accounted(&stats));
	EXPECT_EQ(0, stats.overrun);
	EXPECT_LT(0, stats.dropped);
	seen = seen_in_file("trace");
	EXPECT_EQ(stats.entries, seen.count + FIRED_BESIDES);
	EXPECT_EQ(0, seen.first);
	EXPECT_FALSE(seen.has_gaps);

	/* With overwriting, new events are recorded again. */
	ASSERT_EQ(0, tfs_write("1", "options/overwrite"));
	ASSERT_EQ(0, fire(fired, 10));
	seen = seen_in_file("trace");
	EXPECT_EQ(fired + 9, seen.last);
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(fired + 10 + 2 * FIRED_BESIDES, accounted(&stats));
}

/* The [LOST n EVENTS] lines in trace_pipe give the exact number of overwritten events. */
TEST_F(buffer, lost_events)
{
	int round, fd, fired = 0, read = 0, lost = 0;
	struct trace_stats stats;
	struct seen seen;
	char *text;

	ASSERT_EQ(0, tfs_write("32", "buffer_size_kb"));
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	for (round = 0; round < 5; round++) {
		/* Some rounds overflow the buffer, some don't. */
		int n = round % 2 ? 100 : 3000;

		ASSERT_EQ(0, fire(fired, n));
		fired += n;
		text = fd_text(fd);
		ASSERT_NE(NULL, text);
		read += trace_count(text, "sys_close", getpid(), NULL);
		seen = seen_in(text);
		EXPECT_EQ(fired - 1, seen.last);
		EXPECT_EQ(n > 100, seen.lost > 0);
		lost += seen.lost;
		free(text);
		ASSERT_EQ(0, trace_stats(0, &stats));
		EXPECT_EQ(read, stats.read);
		EXPECT_EQ(lost, stats.overrun);
		EXPECT_EQ(fired + (round + 1) * FIRED_BESIDES, read + lost);
		EXPECT_EQ(read + lost, accounted(&stats));
	}
	close(fd);
}

/* Clearing the buffer sets the counters to 0. */
TEST_F(buffer, clearing_resets_counters)
{
	struct trace_stats stats;

	ASSERT_EQ(0, tfs_write("32", "buffer_size_kb"));
	ASSERT_EQ(0, fire(0, 3000));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_LT(0, stats.overrun);
	EXPECT_LT(0, stats.bytes);
	ASSERT_EQ(0, tfs_write("", "trace"));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(0, accounted(&stats));
	EXPECT_EQ(0, stats.bytes);
	ASSERT_EQ(0, fire(0, 10));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_EQ(10 + FIRED_BESIDES, stats.entries);
	EXPECT_EQ(10 + FIRED_BESIDES, accounted(&stats));
}

/* Consume records until killed. */
static void read_for_good(const char *file)
{
	int fd = tfs_open(O_RDONLY, "%s", file);
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	_exit(1);
}

/*
 * The buffer grows and shrinks while one process fires events and another one reads them.
 * Each event is in the buffer, or was read, overwritten or dropped. Classic does not record
 * while it resizes, and does not count the events that fire then.
 */
TEST_F(buffer, resizing_while_written)
{
	static const char * const sizes[] = { "16", "300", "24", "1000", "8", "64" };
	const int fired = 20000;
	/* Asked for now: sysconf() closes a file, and would fire the event on CPU 0. */
	const int last_cpu = cpus_online() - 1;
	struct trace_stats stats;
	int status, i, child, reader;

	ASSERT_EQ(0, fire(0, 0));
	ASSERT_EQ(0, tfs_write("", "trace"));
	ASSERT_EQ(0, trace_stats(0, &stats));
	ASSERT_EQ(0, accounted(&stats));
	reader = fork();
	ASSERT_LE(0, reader);
	if (!reader)
		read_for_good("per_cpu/cpu0/trace_pipe");
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(fire(0, fired) ? 1 : 0);
	pin_to_cpu(last_cpu);
	for (i = 0; !waitpid(child, &status, WNOHANG); i++)
		ASSERT_EQ(0, tfs_write(sizes[i % ARRAY_SIZE(sizes)], "buffer_size_kb"));
	EXPECT_EQ(0, status);
	EXPECT_LT(0, i);
	ASSERT_EQ(0, kill(reader, SIGKILL));
	ASSERT_EQ(reader, waitpid(reader, &status, 0));
	ASSERT_EQ(0, trace_stats(0, &stats));
	EXPECT_LT(0, stats.read);
	EXPECT_LT(0, accounted(&stats));
	/* On a single CPU, closing files here fires the event, too. */
	if (last_cpu > 0) {
		EXPECT_GE(fired + FIRED_BESIDES, accounted(&stats));
		if (is_strobe())
			EXPECT_EQ(fired + FIRED_BESIDES, accounted(&stats));
	}
	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, tfs_write("", "trace"));
	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, fire(0, 100));
	EXPECT_EQ(100, seen_in_file("trace").count);
}

TEST_HARNESS_MAIN
