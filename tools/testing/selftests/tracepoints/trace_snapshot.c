// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: the values that can be written to the file snapshot, the effect on
 * readers, and the interaction with sizes, the clock and mmap(). Taking a snapshot
 * does not lose or duplicate events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define HEADER		16		/* time stamp and commit */
#define COMMIT_MASK	0xfffff

static const char help_head[] =
	"# tracer: nop\n"
	"#\n"
	"#\n"
	"# * Snapshot is %s *\n"
	"#\n"
	"# Snapshot commands:\n";

static const char help_main[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n"
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

static const char help_cpu[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n"
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

static const char no_cpu[] = "Not supported with this kernel.";

FIXTURE(snapshot)
{
	bool per_cpu;
};

FIXTURE_SETUP(snapshot)
{
	struct stat st;
	char *text;

	tfs_root();
	if (stat("/sys/kernel/tracing/snapshot", &st))
		SKIP(return, "no snapshots in this kernel");
	tfs_reset();
	ASSERT_EQ(0, tfs_write("0", "snapshot"));
	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, pin_to_cpu(0));
	text = tfs_text("per_cpu/cpu0/snapshot");
	ASSERT_NE(NULL, text);
	self->per_cpu = !strstr(text, no_cpu);
	free(text);
}

FIXTURE_TEARDOWN(snapshot)
{
	tfs_write("0", "snapshot");
	tfs_write("4", "buffer_subbuf_size_kb");
	tfs_reset();
}

/* Does @file show the text of an empty snapshot, with this state and help? */
static bool helps(const char *state, const char *help, const char *file)
{
	char want[1024];

	snprintf(want, sizeof(want), help_head, state);
	strcat(want, help);
	want[strlen(want) - 1] = '\0';
	return tfs_is(want, "%s", file);
}

static bool is_freed(void)
{
	return helps("freed", help_main, "snapshot");
}

static bool is_empty(void)
{
	return helps("allocated", help_main, "snapshot");
}

/* Record the numbers first .. first + n - 1: 0 or the negative errno. */
static int mark(int first, int n)
{
	char text[40];
	int fd = tfs_open(O_WRONLY, "trace_marker"), i, ret = 0;

	if (fd < 0)
		return fd;
	for (i = first; i < first + n && !ret; i++) {
		snprintf(text, sizeof(text), "snapshot test %08d", i);
		ret = fd_write(fd, text);
	}
	close(fd);
	return ret;
}

/*
 * Check that the numbers in the text are those from @first on.
 * Return: how many; -1: a different number was found.
 */
static int marks_in(const char *text, int first)
{
	struct trace_line line;
	int n = 0, number;

	while (text && trace_next(&text, &line)) {
		if (sscanf(line.text, "snapshot test %d", &number) != 1)
			continue;
		if (number != first + n)
			return -1;
		n++;
	}
	return n;
}

static int marks(const char *file, int first)
{
	char *text = tfs_text("%s", file);
	int n = text ? marks_in(text, first) : -1;

	free(text);
	return n;
}

TEST_F(snapshot, help)
{
	EXPECT_TRUE(is_freed());
	if (self->per_cpu)
		EXPECT_TRUE(helps("freed", help_cpu, "per_cpu/cpu0/snapshot"));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_TRUE(is_empty());
	if (self->per_cpu)
		EXPECT_TRUE(helps("allocated", help_cpu, "per_cpu/cpu0/snapshot"));
}

/* Each row and column of the table in ftrace.rst. */
TEST_F(snapshot, verbs)
{
	ASSERT_EQ(0, mark(0, 3));
	EXPECT_EQ(0, tfs_write("0", "snapshot"));
	EXPECT_TRUE(is_freed());
	EXPECT_EQ(0, tfs_write("2", "snapshot"));
	EXPECT_TRUE(is_freed());
	EXPECT_EQ(3, marks("trace", 0));

	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(3, marks("snapshot", 0));
	EXPECT_EQ(3, marks("per_cpu/cpu0/snapshot", 0));
	EXPECT_EQ(0, marks("trace", 0));
	ASSERT_EQ(0, mark(10, 4));
	EXPECT_EQ(3, marks("snapshot", 0));
	EXPECT_EQ(4, marks("trace", 10));

	/* The rings are swapped again: the records of the first snapshot are in trace. */
	EXPECT_EQ(0, tfs_write("1\n", "snapshot"));
	EXPECT_EQ(4, marks("snapshot", 10));
	EXPECT_EQ(3, marks("trace", 0));

	EXPECT_EQ(0, tfs_write("2", "snapshot"));
	EXPECT_TRUE(is_empty());
	EXPECT_EQ(3, marks("trace", 0));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(3, marks("snapshot", 0));
	EXPECT_EQ(0, tfs_append("4711", "snapshot"));
	EXPECT_TRUE(is_empty());

	EXPECT_EQ(0, mark(0, 2));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(2, marks("snapshot", 0));
	EXPECT_EQ(0, tfs_write("0", "snapshot"));
	EXPECT_TRUE(is_freed());
	EXPECT_EQ(0, mark(5, 1));
	EXPECT_EQ(1, marks("trace", 5));
}

/* A refused write changes nothing. */
TEST_F(snapshot, wrong)
{
	static const struct {
		const char *text, *file;
		int err;
	} wrong[] = {
		{ "",				"snapshot",		 -EINVAL },
		{ "x",				"snapshot",		 -EINVAL },
		{ "1x",				"snapshot",		 -EINVAL },
		{ "-1",				"snapshot",		 -EINVAL },
		{ "99999999999999999999",	"snapshot",		 -ERANGE },
		{ "0",				"per_cpu/cpu0/snapshot", -EINVAL },
		{ "y",				"per_cpu/cpu0/snapshot", -EINVAL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(wrong[i].err, tfs_write(wrong[i].text, wrong[i].file));
		EXPECT_TRUE(is_freed());
	}
	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(3, 2));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(wrong[i].err, tfs_write(wrong[i].text, wrong[i].file));
		EXPECT_EQ(3, marks("snapshot", 0));
		EXPECT_EQ(2, marks("trace", 3));
	}
	if (!self->per_cpu)
		EXPECT_EQ(-EINVAL, tfs_write("1", "per_cpu/cpu0/snapshot"));
}

/* Snapshots of one CPU. */
TEST_F(snapshot, per_cpu)
{
	if (!self->per_cpu || cpus_online() < 2)
		SKIP(return, "not for one CPU");
	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, pin_to_cpu(1));
	ASSERT_EQ(0, mark(3, 2));

	/* The snapshot is of CPU 0 only, but the snapshot ring is allocated for all CPUs. */
	EXPECT_EQ(0, tfs_write("1", "per_cpu/cpu0/snapshot"));
	EXPECT_EQ(3, marks("snapshot", 0));
	EXPECT_EQ(3, marks("per_cpu/cpu0/snapshot", 0));
	EXPECT_TRUE(helps("allocated", help_cpu, "per_cpu/cpu1/snapshot"));
	EXPECT_EQ(2, marks("trace", 3));
	EXPECT_EQ(2, marks("per_cpu/cpu1/trace", 3));

	EXPECT_EQ(0, tfs_write("1", "per_cpu/cpu1/snapshot"));
	EXPECT_EQ(5, marks("snapshot", 0));
	EXPECT_EQ(0, marks("trace", 0));
	EXPECT_EQ(0, tfs_write("2", "per_cpu/cpu0/snapshot"));
	EXPECT_EQ(2, marks("snapshot", 3));
	ASSERT_EQ(0, mark(5, 1));
	EXPECT_EQ(1, marks("trace", 5));

	/* Both are swapped: the ring has the old snapshot of CPU 1, and nothing of CPU 0. */
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(1, marks("snapshot", 5));
	EXPECT_EQ(2, marks("trace", 3));
}

/* A snapshot does not change whether recording is switched on. */
TEST_F(snapshot, off)
{
	char *mask = tfs_text("tracing_cpumask");

	ASSERT_NE(NULL, mask);
	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(3, marks("snapshot", 0));
	EXPECT_EQ(-EBADF, mark(3, 1));
	EXPECT_EQ(0, tfs_number("tracing_on"));
	ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	EXPECT_EQ(0, mark(3, 1));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(0, mark(10, 1));
	EXPECT_EQ(1, marks("snapshot", 3));
	EXPECT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(0, tfs_write("1", "tracing_on"));
	EXPECT_EQ(0, mark(4, 1));
	EXPECT_EQ(2, marks("trace", 3));

	/* A CPU that is not in tracing_cpumask records in neither ring. */
	EXPECT_EQ(0, tfs_write("2", "tracing_cpumask"));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(-EBADF, mark(0, 1));
	EXPECT_EQ(0, tfs_write(mask, "tracing_cpumask"));
	EXPECT_EQ(0, mark(0, 1));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(0, mark(0, 1));
	free(mask);
}

static char *read_some(int fd, size_t size)
{
	char *text = calloc(1, size + 1);
	ssize_t n = text ? read(fd, text, size) : -1;

	if (n < 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* A snapshot that is open while the rings are swapped is shown without the text for none. */
TEST_F(snapshot, open_beside_empty_ring)
{
	char *text;
	int fd;

	ASSERT_EQ(0, mark(0, 5));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	fd = tfs_open(O_RDONLY, "snapshot");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	/* Classic shows only the text. */
	if (is_strobe())
		EXPECT_EQ(5, marks_in(text, 0));
	EXPECT_TRUE(!marks_in(text, 0) || !strstr(text, "Snapshot is"));
	free(text);
	close(fd);
}

/* An open file trace shows the records that it began with, even after a snapshot. */
TEST_F(snapshot, open_trace)
{
	char *text, *rest;
	int fd;

	ASSERT_EQ(0, mark(0, 500));
	fd = tfs_open(O_RDONLY, "trace");
	ASSERT_LE(0, fd);
	text = read_some(fd, 1000);
	ASSERT_NE(NULL, text);
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(1000, 100));
	rest = fd_text(fd);
	ASSERT_NE(NULL, rest);
	text = realloc(text, strlen(text) + strlen(rest) + 1);
	ASSERT_NE(NULL, text);
	strcat(text, rest);
	EXPECT_EQ(500, marks_in(text, 0));
	free(text);
	free(rest);
	close(fd);

	/* The same for an open snapshot file when the rings are swapped again. */
	fd = tfs_open(O_RDONLY, "snapshot");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	text = fd_text(fd);
	EXPECT_EQ(500, marks_in(text, 0));
	free(text);
	close(fd);
}

/* If those records are cleared or freed, the text is arbitrary, but reading is safe. */
TEST_F(snapshot, open_freed)
{
	int fd, i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, mark(0, 500));
		fd = tfs_open(O_RDONLY, "trace");
		ASSERT_LE(0, fd);
		free(read_some(fd, 1000));
		ASSERT_EQ(0, tfs_write("1", "snapshot"));
		ASSERT_EQ(0, tfs_write(i & 1 ? "0" : "2", "snapshot"));
		if (i & 2)
			ASSERT_EQ(0, tfs_write("1", "snapshot"));
		free(fd_text(fd));
		EXPECT_EQ(0, lseek(fd, 0, SEEK_SET));
		free(fd_text(fd));
		close(fd);
		ASSERT_EQ(0, tfs_write("2", "snapshot"));
		close(tfs_open(O_WRONLY | O_TRUNC, "trace"));
	}
}

/* After a snapshot, a reader of trace_pipe gets the new records. */
TEST_F(snapshot, open_pipe)
{
	int fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	char *text;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mark(0, 2));
	text = fd_text(fd);
	EXPECT_EQ(2, marks_in(text, 0));
	free(text);
	ASSERT_EQ(0, mark(2, 3));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(10, 4));
	text = fd_text(fd);
	EXPECT_EQ(4, marks_in(text, 10));
	free(text);
	EXPECT_EQ(3, marks("snapshot", 2));
	close(fd);
}

static long page_commit(const char *page)
{
	unsigned long commit;

	memcpy(&commit, page + 8, sizeof(commit));
	return commit & COMMIT_MASK;
}

/* snapshot_raw gives the records of the snapshot in binary form. */
TEST_F(snapshot, raw)
{
	int live = tfs_open(O_RDONLY | O_NONBLOCK, "per_cpu/cpu0/trace_pipe_raw");
	int kept = tfs_open(O_RDONLY | O_NONBLOCK, "per_cpu/cpu0/snapshot_raw");
	char page[4096];

	ASSERT_LE(0, live);
	ASSERT_LE(0, kept);
	EXPECT_EQ(-1, read(kept, page, sizeof(page)));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, kept, 0));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-1, write(kept, "1", 1));
	EXPECT_EQ(EBADF, errno);

	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(-1, read(live, page, sizeof(page)));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(4096, read(kept, page, sizeof(page)));
	EXPECT_LT(3 * 20, page_commit(page));
	EXPECT_NE(NULL, memmem(page, sizeof(page), "test 00000002", 13));
	/* The read has consumed the records. */
	EXPECT_TRUE(is_empty());
	close(live);
	close(kept);
}

/* A sub-buffer of the snapshot that is in a pipe is not reused. */
TEST_F(snapshot, splice)
{
	int kept = tfs_open(O_RDONLY | O_NONBLOCK, "per_cpu/cpu0/snapshot_raw");
	char page[4096];
	int pipes[2];

	ASSERT_LE(0, kept);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, mark(0, 300));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(4096, splice(kept, NULL, pipes[1], NULL, 4096, 0));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(1000, 3000));
	ASSERT_EQ(0, tfs_write("0", "snapshot"));
	EXPECT_EQ(4096, read(pipes[0], page, sizeof(page)));
	EXPECT_LT(2000, page_commit(page));
	EXPECT_NE(NULL, memmem(page, sizeof(page), "test 00000000", 13));
	EXPECT_NE(NULL, memmem(page, sizeof(page), "test 00000040", 13));
	close(pipes[0]);
	close(pipes[1]);
	close(kept);
}

/* A reader that waits in snapshot_raw is woken by a snapshot. */
TEST_F(snapshot, wait)
{
	int fd = tfs_open(O_RDONLY, "per_cpu/cpu0/snapshot_raw");
	int status = -1;
	char page[4096];
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(0, 3));
	pid = fork();
	if (!pid)
		_exit(read(fd, page, sizeof(page)) != sizeof(page));
	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	/* Some engines wake the reader only when the next record is written. */
	ASSERT_EQ(0, mark(3, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
}

/* A ring that is mapped is not swapped. */
TEST_F(snapshot, mapped)
{
	int fd = tfs_open(O_RDONLY | O_NONBLOCK, "per_cpu/cpu0/trace_pipe_raw"), i;
	void *meta;

	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++) {
		/* The snapshot ring is not allocated in the first round; in the second it is. */
		meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, meta);
		ASSERT_EQ(0, mark(0, 3));
		EXPECT_EQ(-EBUSY, tfs_write("1", "snapshot"));
		if (self->per_cpu)
			EXPECT_EQ(-EBUSY, tfs_write("1", "per_cpu/cpu1/snapshot"));
		EXPECT_TRUE(i ? is_empty() : is_freed());
		EXPECT_EQ(0, tfs_write("2", "snapshot"));
		EXPECT_TRUE(i ? is_empty() : is_freed());
		EXPECT_EQ(3, marks("trace", 0));
		EXPECT_EQ(0, tfs_write("0", "snapshot"));
		EXPECT_TRUE(is_freed());
		munmap(meta, getpagesize());
		EXPECT_EQ(0, tfs_write("1", "snapshot"));
		EXPECT_EQ(3, marks("snapshot", 0));
		EXPECT_EQ(0, tfs_write("2", "snapshot"));
	}
	close(fd);
}

/* A new size applies to both rings, so that they can be swapped. */
TEST_F(snapshot, sizes)
{
	static const char * const kb[] = { "8", "300", "20", "64" };
	unsigned int i;
	long shown;

	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	for (i = 0; i < ARRAY_SIZE(kb); i++) {
		ASSERT_EQ(0, mark(10 * i, 2));
		shown = buffer_kb_shown(atol(kb[i]));
		EXPECT_EQ(0, tfs_write(kb[i], "buffer_size_kb"));
		EXPECT_EQ(0, tfs_write("1", "snapshot"));
		EXPECT_EQ(2, marks("snapshot", 10 * i));
		EXPECT_EQ(shown, tfs_number("buffer_size_kb"));
		ASSERT_EQ(0, tfs_write("2", "snapshot"));
		close(tfs_open(O_WRONLY | O_TRUNC, "trace"));
	}

	/* The size of one CPU. */
	shown = buffer_kb_shown(32);
	EXPECT_EQ(0, tfs_write("32", "per_cpu/cpu0/buffer_size_kb"));
	ASSERT_EQ(0, mark(0, 2));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(2, marks("snapshot", 0));
	EXPECT_EQ(shown, tfs_number("per_cpu/cpu0/buffer_size_kb"));
	EXPECT_TRUE(tfs_is("X", "buffer_size_kb"));

	/* It also applies to a snapshot ring that is allocated later. */
	EXPECT_EQ(0, tfs_write("0", "snapshot"));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(shown, tfs_number("per_cpu/cpu0/buffer_size_kb"));
	ASSERT_EQ(0, mark(2, 2));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(2, marks("snapshot", 2));
	EXPECT_EQ(shown, tfs_number("per_cpu/cpu0/buffer_size_kb"));
}

TEST_F(snapshot, subbuf_sizes)
{
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(0, tfs_write("16", "buffer_subbuf_size_kb"));
	EXPECT_EQ(0, mark(0, 100));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(100, marks("snapshot", 0));
	EXPECT_TRUE(tfs_is("16", "buffer_subbuf_size_kb"));

	/* The records of the snapshot are dropped with the old sub-buffers. */
	EXPECT_EQ(0, tfs_write("8", "buffer_subbuf_size_kb"));
	EXPECT_TRUE(is_empty());
	EXPECT_EQ(0, tfs_write("0", "snapshot"));
	EXPECT_EQ(0, mark(0, 100));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(100, marks("snapshot", 0));
	EXPECT_TRUE(tfs_is("8", "buffer_subbuf_size_kb"));
}

/* If the new size is refused or cannot be allocated, both rings stay as they were. */
TEST_F(snapshot, sizes_fail)
{
	long shown = tfs_number("buffer_size_kb");

	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(3, 4));
	EXPECT_EQ(-EINVAL, tfs_write("0", "buffer_size_kb"));
	EXPECT_EQ(-ENOMEM, tfs_write("2000000000", "buffer_size_kb"));
	EXPECT_EQ(-ENOMEM, tfs_write("2000000000", "per_cpu/cpu0/buffer_size_kb"));
	EXPECT_NE(0, tfs_write("1000", "buffer_subbuf_size_kb"));
	EXPECT_EQ(shown, tfs_number("buffer_size_kb"));
	EXPECT_EQ(3, marks("snapshot", 0));
	EXPECT_EQ(4, marks("trace", 3));
	EXPECT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(4, marks("snapshot", 3));
}

/* A new clock empties both rings; emptying trace does not empty the snapshot. */
TEST_F(snapshot, cleared)
{
	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(3, 4));
	close(tfs_open(O_WRONLY | O_TRUNC, "trace"));
	EXPECT_EQ(0, marks("trace", 0));
	EXPECT_EQ(3, marks("snapshot", 0));
	ASSERT_EQ(0, tfs_write("global", "trace_clock"));
	EXPECT_TRUE(is_empty());

	/* Both rings use the new clock. */
	ASSERT_EQ(0, tfs_write("counter", "trace_clock"));
	ASSERT_EQ(0, mark(0, 3));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, mark(3, 3));
	EXPECT_EQ(3, marks("snapshot", 0));
	ASSERT_EQ(0, tfs_write("nop", "current_tracer"));
	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	EXPECT_EQ(3, marks("snapshot", 3));
}

/* Without the option overwrite, both rings drop new records when they are full. */
TEST_F(snapshot, no_overwrite)
{
	struct trace_stats stats;
	int i;

	ASSERT_EQ(0, tfs_write("1", "snapshot"));
	ASSERT_EQ(0, tfs_write("0", "options/overwrite"));
	for (i = 0; i < 2; i++) {
		close(tfs_open(O_WRONLY | O_TRUNC, "trace"));
		mark(0, 3000);
		ASSERT_EQ(0, trace_stats(0, &stats));
		EXPECT_EQ(0, stats.overrun);
		EXPECT_LT(0, stats.dropped);
		EXPECT_EQ(0, tfs_write("1", "snapshot"));
		EXPECT_EQ(stats.entries, marks("snapshot", 0));
	}
}

#define MANY 3000

/* The count of numbers that are not in exactly one line of trace and snapshot together. */
static int not_once(void)
{
	static const char * const files[] = { "trace", "snapshot" };
	static char seen[MANY];
	struct trace_line line;
	int i, number, bad = 0;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < 2; i++) {
		char *text = tfs_text("%s", files[i]);
		const char *pos = text;

		while (text && trace_next(&pos, &line)) {
			if (sscanf(line.text, "snapshot test %d", &number) == 1 &&
			    number >= 0 && number < MANY)
				seen[number]++;
		}
		free(text);
	}
	for (i = 0; i < MANY; i++)
		bad += seen[i] != 1;
	return bad;
}

/* Like mark(), but retry marks that are refused while a CPU's snapshot is taken. */
static int mark_stubbornly(int n)
{
	int i, ret;

	for (i = 0; i < n; i++) {
		do {
			ret = mark(i, 1);
		} while (ret == -EBADF);
		if (ret)
			return ret;
	}
	return 0;
}

/* Snapshots while events are recorded: no record is lost or seen twice. */
TEST_F(snapshot, storm)
{
	int status = -1, n = 0;
	pid_t pid;

	ASSERT_EQ(0, tfs_write("2000", "buffer_size_kb"));
	pid = fork();
	if (!pid) {
		if (cpus_online() > 1)
			pin_to_cpu(1);
		_exit(!!mark_stubbornly(MANY));
	}
	while (!waitpid(pid, &status, WNOHANG) && n >= 0) {
		EXPECT_EQ(0, tfs_write("1", "snapshot"));
		if (self->per_cpu && n % 2)
			EXPECT_EQ(0, tfs_write("1", "per_cpu/cpu1/snapshot"));
		n++;
	}
	EXPECT_LT(0, n);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, not_once());
}

TEST_HARNESS_MAIN
