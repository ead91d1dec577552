// SPDX-License-Identifier: GPL-2.0
/*
 * per_cpu/cpuN/trace_pipe_raw: records in binary form, by read() and splice(), and
 * the size of its sub-buffers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define HEADER		16		/* time stamp and commit */
#define PAGE_MAX	65536
#define MISSED		0x80000000UL
#define MISSED_STORED	0x40000000UL

/* The records found on pages, all written by tfs_mark() */
struct seen {
	long first, last, count;
	bool bad;		/* a gap, or a page that cannot be parsed */
	long missing;		/* missed events as the pages say; -1: no number is stored */
	uint64_t ts;
};

FIXTURE(raw)
{
	int fd;
	long size;
	char *buf;
};

static int open_raw(int flags)
{
	return tfs_open(O_RDONLY | flags, "per_cpu/cpu0/trace_pipe_raw");
}

FIXTURE_SETUP(raw)
{
	tfs_reset();
	ASSERT_EQ(0, tfs_write("4", "buffer_subbuf_size_kb"));
	ASSERT_EQ(0, tfs_write("50", "buffer_percent"));
	ASSERT_EQ(0, pin_to_cpu(0));
	self->size = 4096;
	self->buf = malloc(PAGE_MAX);
	ASSERT_NE(NULL, self->buf);
	self->fd = open_raw(O_NONBLOCK);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(raw)
{
	close(self->fd);
	free(self->buf);
	tfs_write("4", "buffer_subbuf_size_kb");
	tfs_write("50", "buffer_percent");
	tfs_reset();
}

static void see(struct seen *seen, const char *data, uint64_t ts)
{
	/* The common fields and the address of the caller come first. */
	long n = 0;

	if (sscanf(data + 16, "number %ld of", &n) != 1 || ts < seen->ts ||
	    (seen->count && n != seen->last + 1))
		seen->bad = true;
	if (!seen->count)
		seen->first = n;
	seen->last = n;
	seen->ts = ts;
	seen->count++;
}

/* Add the records on @page, of @size bytes. Return: bytes of its data. */
static long see_page(struct seen *seen, const char *page, long size)
{
	unsigned long commit, words;
	const char *p = page + HEADER, *end;
	uint64_t ts;
	uint32_t head, array;

	memcpy(&ts, page, sizeof(ts));
	memcpy(&commit, page + 8, sizeof(commit));
	if (commit & MISSED) {
		seen->missing = -1;
		if (commit & MISSED_STORED)
			memcpy(&seen->missing, p + (commit & 0xfffff), sizeof(long));
	}
	commit &= ~(MISSED | MISSED_STORED);
	end = p + commit;
	if ((long)commit > size - HEADER) {
		seen->bad = true;
		return 0;
	}
	while (p < end) {
		memcpy(&head, p, sizeof(head));
		memcpy(&array, p + 4, sizeof(array));
		words = head & 31;
		if (words == 31) {
			ts = (ts & ~((1ULL << 59) - 1)) + (head >> 5) + ((uint64_t)array << 27);
			p += 8;
			continue;
		}
		ts += head >> 5;
		if (words == 30) {
			ts += (uint64_t)array << 27;
			p += 8;
			continue;
		}
		if (words && words < 29)
			see(seen, p + 4, ts);
		else if (!words)
			see(seen, p + 8, ts);
		else if (!(head >> 5))
			break;
		p += 4 + (words && words < 29 ? words * 4 : array);
	}
	return commit;
}

static bool all_zero(const char *p, long n)
{
	while (n > 0 && !*p) {
		p++;
		n--;
	}
	return n <= 0;
}

/* Add all records that can be read now. Return: the number of pages; -EIO: an error. */
static int see_all(struct seen *seen, int fd, char *buf, long size)
{
	int pages = 0;
	long n;

	while ((n = read(fd, buf, size)) == size) {
		see_page(seen, buf, size);
		pages++;
	}
	return n < 0 && errno == EAGAIN ? pages : -EIO;
}

static long stat_read(void)
{
	struct trace_stats stats;

	return trace_stats(0, &stats) ? -1 : stats.read;
}

TEST_F(raw, partial)
{
	struct seen seen = {};
	long read_before = stat_read(), data;

	EXPECT_EQ(-1, read(self->fd, self->buf, self->size));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(0, read(self->fd, self->buf, 0));

	ASSERT_EQ(0, tfs_mark(0, 3));
	memset(self->buf, 0xff, self->size);
	ASSERT_EQ(self->size, read(self->fd, self->buf, self->size));
	data = see_page(&seen, self->buf, self->size);
	EXPECT_EQ(3, seen.count);
	EXPECT_EQ(0, seen.first);
	EXPECT_FALSE(seen.bad);
	EXPECT_EQ(0, seen.missing);
	EXPECT_TRUE(all_zero(self->buf + HEADER + data, self->size - HEADER - data));
	EXPECT_EQ(read_before + 3, stat_read());

	EXPECT_EQ(-1, read(self->fd, self->buf, self->size));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, tfs_mark(3, 1));
	ASSERT_EQ(self->size, read(self->fd, self->buf, self->size));
	see_page(&seen, self->buf, self->size);
	EXPECT_EQ(4, seen.count);
	EXPECT_FALSE(seen.bad);
}

TEST_F(raw, full)
{
	struct seen seen = {};

	ASSERT_EQ(0, tfs_mark(0, 2000));
	EXPECT_LE(2000 * 48 / self->size, see_all(&seen, self->fd, self->buf, self->size));
	EXPECT_EQ(0, seen.first);
	EXPECT_EQ(2000, seen.count);
	EXPECT_EQ(0, seen.missing);
	EXPECT_FALSE(seen.bad);
}

TEST_F(raw, missing)
{
	struct trace_stats stats;
	struct seen seen = {};

	ASSERT_EQ(0, tfs_write("20", "buffer_size_kb"));
	ASSERT_EQ(0, tfs_mark(0, 3000));
	ASSERT_EQ(0, trace_stats(0, &stats));
	ASSERT_LT(0, stats.overrun);
	ASSERT_EQ(self->size, read(self->fd, self->buf, self->size));
	see_page(&seen, self->buf, self->size);
	/* The sub-buffer has enough space after the records to store the number. */
	EXPECT_EQ(stats.overrun, seen.missing);
	EXPECT_EQ(stats.overrun, seen.first);
	seen.missing = 0;
	see_all(&seen, self->fd, self->buf, self->size);
	EXPECT_EQ(0, seen.missing);
	EXPECT_EQ(2999, seen.last);
	EXPECT_FALSE(seen.bad);
}

TEST_F(raw, small_reads)
{
	struct seen seen = {};
	long data, n;

	ASSERT_EQ(0, tfs_mark(0, 10));
	/* Too small for a record: the read returns 0 and consumes nothing. */
	EXPECT_EQ(0, read(self->fd, self->buf, 8));
	EXPECT_EQ(0, read(self->fd, self->buf, 16));
	EXPECT_EQ(0, read(self->fd, self->buf, 20));
	while (seen.count < 10 && !seen.bad) {
		/* The first 200 bytes of a page that has the records that fit in them; */
		memset(self->buf, 0xff, 200);
		ASSERT_EQ(200, read(self->fd, self->buf, 200));
		n = seen.count;
		data = see_page(&seen, self->buf, 200);
		ASSERT_LT(n, seen.count);
		ASSERT_GE(200 - HEADER, data);
		ASSERT_TRUE(all_zero(self->buf + HEADER + data, 200 - HEADER - data));
		/* the next reads get the rest of this page, which is empty. */
		ASSERT_EQ(1000, read(self->fd, self->buf, 1000));
		ASSERT_TRUE(all_zero(self->buf, 1000));
		ASSERT_EQ(self->size - 1200, read(self->fd, self->buf, self->size));
		ASSERT_TRUE(all_zero(self->buf, self->size - 1200));
	}
	EXPECT_EQ(10, seen.count);
	EXPECT_FALSE(seen.bad);
	EXPECT_EQ(-1, read(self->fd, self->buf, self->size));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(raw, fault)
{
	struct seen seen = {};

	ASSERT_EQ(0, tfs_mark(0, 2));
	EXPECT_EQ(-1, read(self->fd, NULL, self->size));
	EXPECT_EQ(EFAULT, errno);
	/* The failed read has not consumed the page. */
	ASSERT_EQ(self->size, read(self->fd, self->buf, self->size));
	see_page(&seen, self->buf, self->size);
	EXPECT_EQ(2, seen.count);
}

TEST_F(raw, seek)
{
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->fd, self->buf, self->size, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, ioctl(self->fd, 12345, 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(0, ioctl(self->fd, 0, 0));
}

/* Fork a child that reads or splices once, and exits with 0 if the result is @want. */
static pid_t waiting_child(char *buf, long size, bool splices, long want)
{
	int fd, pipes[2];
	pid_t pid = fork();

	if (pid)
		return pid;
	fd = open_raw(0);
	if (fd < 0 || pipe(pipes))
		_exit(2);
	if (splices)
		_exit(splice(fd, NULL, pipes[1], NULL, size, 0) != want);
	_exit(read(fd, buf, size) != want);
}

TEST_F(raw, blocks)
{
	pid_t pid = waiting_child(self->buf, self->size, false, self->size);
	int status = -1;

	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, tfs_mark(0, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(raw, splice_blocks)
{
	pid_t pid;
	int status = -1;

	/* splice() waits until the ring is as full as buffer_percent says. */
	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	pid = waiting_child(self->buf, self->size, true, self->size);
	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, tfs_mark(0, 200));
	usleep(100000);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(0, tfs_mark(200, 700));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* ioctl(0) wakes the waiters of the open file. */
TEST_F(raw, wakes)
{
	int fd = open_raw(0), pipes[2], status = -1;
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid)
		_exit(splice(fd, NULL, pipes[1], NULL, self->size, 0) != 0);
	ASSERT_TRUE(wait_asleep(pid));
	EXPECT_EQ(0, ioctl(fd, 0, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

/* After a descriptor of the open file was closed, reads of the file no longer wait. */
TEST_F(raw, closed)
{
	int fd = open_raw(0), other, status = -1;
	struct seen seen = {};
	pid_t pid;

	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid)
		_exit(read(fd, self->buf, self->size) != 0);
	ASSERT_TRUE(wait_asleep(pid));
	other = dup(fd);
	close(other);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, read(fd, self->buf, self->size));
	ASSERT_EQ(0, tfs_mark(0, 1));
	ASSERT_EQ(self->size, read(fd, self->buf, self->size));
	see_page(&seen, self->buf, self->size);
	EXPECT_EQ(1, seen.count);
	close(fd);
}

/* With recording switched off, an empty ring gives EAGAIN, not end of file. */
TEST_F(raw, off)
{
	ASSERT_EQ(0, tfs_mark(0, 1));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_EQ(self->size, read(self->fd, self->buf, self->size));
	EXPECT_EQ(-1, read(self->fd, self->buf, self->size));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(raw, polls)
{
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, tfs_write("0", "buffer_percent"));
	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	ASSERT_EQ(0, tfs_mark(0, 1));
	EXPECT_EQ(1, poll(&poll_fd, 1, 1000));
	EXPECT_EQ(POLLIN, poll_fd.revents);
	ASSERT_EQ(0, tfs_write("50", "buffer_percent"));
	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	ASSERT_EQ(0, tfs_mark(1, 900));
	EXPECT_EQ(1, poll(&poll_fd, 1, 1000));
	EXPECT_EQ(POLLIN, poll_fd.revents);
}

static ssize_t splice_some(int fd, int pipe_fd, size_t len)
{
	ssize_t n = splice(fd, NULL, pipe_fd, NULL, len, SPLICE_F_NONBLOCK);

	return n < 0 ? -errno : n;
}

TEST_F(raw, splice_errors)
{
	struct seen seen = {};
	loff_t off = 0;
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EAGAIN, splice_some(self->fd, pipes[1], self->size));
	EXPECT_EQ(-EAGAIN, splice_some(self->fd, pipes[1], 100));
	ASSERT_EQ(0, tfs_mark(0, 500));
	EXPECT_EQ(-EINVAL, splice_some(self->fd, pipes[1], 100));
	EXPECT_EQ(-EINVAL, splice_some(self->fd, pipes[1], self->size - 1));
	EXPECT_EQ(-1, splice(self->fd, &off, pipes[1], NULL, self->size, 0));
	EXPECT_EQ(EINVAL, errno);
	/* splice() moves only whole sub-buffers. */
	EXPECT_EQ(self->size, splice_some(self->fd, pipes[1], self->size + 1));
	ASSERT_EQ(self->size, read(pipes[0], self->buf, self->size));
	see_page(&seen, self->buf, self->size);
	EXPECT_FALSE(seen.bad);
	/* It fails if the position is inside a sub-buffer. */
	ASSERT_EQ(100, read(self->fd, self->buf, 100));
	EXPECT_EQ(-EINVAL, splice_some(self->fd, pipes[1], self->size));
	ASSERT_EQ(self->size - 100, read(self->fd, self->buf, self->size));
	EXPECT_EQ(self->size, splice_some(self->fd, pipes[1], self->size));
	close(pipes[0]);
	close(pipes[1]);
}

/* Full sub-buffers are spliced to a file through a pipe; tee() duplicates them. */
TEST_F(raw, splice_to_file)
{
	char path[] = "/tmp/trace_raw.XXXXXX", *copy = malloc(PAGE_MAX);
	int file = mkstemp(path), pipes[2], more[2];
	struct seen seen = {};
	long pages = 0;
	ssize_t n;

	ASSERT_NE(NULL, copy);
	ASSERT_LE(0, file);
	unlink(path);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, pipe(more));
	ASSERT_EQ(0, tfs_mark(0, 3000));
	/* A sub-buffer in the pipe stays valid when the ring is resized. */
	ASSERT_EQ(self->size, splice_some(self->fd, pipes[1], self->size));
	ASSERT_EQ(0, tfs_write("1000", "buffer_size_kb"));
	ASSERT_EQ(self->size, tee(pipes[0], more[1], self->size, 0));
	ASSERT_EQ(self->size, splice(pipes[0], NULL, file, NULL, self->size, 0));
	ASSERT_EQ(self->size, read(more[0], copy, self->size));
	ASSERT_EQ(self->size, pread(file, self->buf, self->size, 0));
	EXPECT_EQ(0, memcmp(copy, self->buf, self->size));

	while ((n = splice_some(self->fd, pipes[1], 7 * self->size + 5)) > 0) {
		ASSERT_EQ(0, n % self->size);
		ASSERT_EQ(n, splice(pipes[0], NULL, file, NULL, n, 0));
	}
	EXPECT_EQ(-EAGAIN, n);
	for (; pread(file, self->buf, self->size, pages * self->size) == self->size; pages++)
		see_page(&seen, self->buf, self->size);
	EXPECT_LT(20, pages);
	EXPECT_EQ(0, seen.first);
	EXPECT_FALSE(seen.bad);
	EXPECT_GT(3000, seen.count);
	/* Only read() gets the sub-buffer that is being written. */
	EXPECT_EQ(1, see_all(&seen, self->fd, self->buf, self->size));
	EXPECT_EQ(3000, seen.count);
	EXPECT_FALSE(seen.bad);
	close(file);
	close(pipes[0]);
	close(pipes[1]);
	close(more[0]);
	close(more[1]);
	free(copy);
}

/* The size of a sub-buffer's data according to header_page. */
static long header_data(void)
{
	char *text = tfs_text("events/header_page"), *p;
	long size = -1;

	p = text ? strstr(text, "char data;") : NULL;
	if (p)
		sscanf(p, "char data; offset:%*d; size:%ld;", &size);
	free(text);
	return size;
}

/* The two ends of a TCP connection over the loopback device. */
static int connect_self(int ends[2])
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || ends[1] < 0 ||
	    bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len) ||
	    connect(ends[1], (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	ends[0] = accept(listener, NULL, NULL);
	close(listener);
	return ends[0] < 0 ? -errno : 0;
}

/* A spliced page is not reused before its data was consumed, however much is read meanwhile. */
TEST_F(raw, splice_keeps)
{
	struct seen seen = { 0 };
	int pipes[2], ends[2], round;
	char *page = self->buf;
	ssize_t n, done;

	if (system("ip link set lo up 2>/dev/null || ifconfig lo up"))
		SKIP(return, "no loopback");
	ASSERT_EQ(0, connect_self(ends));
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, tfs_mark(0, 200));
	/* The page has left the pipe and is in the socket. */
	ASSERT_EQ(self->size, splice_some(self->fd, pipes[1], self->size));
	ASSERT_EQ(self->size, splice(pipes[0], NULL, ends[1], NULL, self->size, 0));

	for (round = 1; round < 20; round++) {
		ASSERT_EQ(0, tfs_mark(round * 1000, 200));
		while ((n = splice_some(self->fd, pipes[1], self->size)) > 0) {
			for (done = 0; done < n; done += self->size)
				ASSERT_EQ(self->size, read(pipes[0], page, self->size));
		}
	}
	for (done = 0; done < self->size; done += n) {
		n = read(ends[0], page + done, self->size - done);
		ASSERT_LT(0, n);
	}
	see_page(&seen, page, self->size);
	EXPECT_FALSE(seen.bad);
	EXPECT_EQ(0, seen.first);
	EXPECT_LT(50, seen.count);
	close(ends[0]);
	close(ends[1]);
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F(raw, subbuf_size)
{
	static const struct {
		const char *text;
		long kb;
	} sizes[] = { { "8", 8 }, { "64", 64 }, { "5\n", 8 }, { "33", 64 },
		      { "16", 16 }, { "1", 4 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct seen seen = {};

		ASSERT_EQ(0, tfs_write("0", "tracing_on"));
		ASSERT_EQ(0, tfs_write(sizes[i].text, "buffer_subbuf_size_kb"));
		ASSERT_EQ(0, tfs_write("1", "tracing_on"));
		EXPECT_EQ(sizes[i].kb, tfs_number("buffer_subbuf_size_kb"));
		self->size = sizes[i].kb * 1024;
		EXPECT_EQ(self->size - HEADER, header_data());
		EXPECT_LE(1408 - sizes[i].kb, tfs_number("buffer_size_kb"));

		/* A file that was open before finds the ring empty, and the new size. */
		EXPECT_EQ(-1, read(self->fd, self->buf, PAGE_MAX));
		EXPECT_EQ(EAGAIN, errno);
		ASSERT_EQ(0, tfs_mark(0, 3000));
		EXPECT_LE(3000 * 48 / self->size, see_all(&seen, self->fd, self->buf, self->size));
		EXPECT_EQ(3000, seen.count);
		EXPECT_FALSE(seen.bad);
		ASSERT_EQ(0, tfs_mark(3000, 10));
	}
}

TEST_F(raw, subbuf_size_bad)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = { { "0", -EINVAL }, { "1024", -EINVAL }, { "", -EINVAL },
		    { "-1", -EINVAL }, { "8k", -EINVAL },
		    { "99999999999999999999999", -ERANGE } };
	struct seen seen = {};
	unsigned int i;

	ASSERT_EQ(0, tfs_mark(0, 10));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(bad[i].err, tfs_write(bad[i].text, "buffer_subbuf_size_kb"));
	EXPECT_EQ(4, tfs_number("buffer_subbuf_size_kb"));
	EXPECT_EQ(1, see_all(&seen, self->fd, self->buf, self->size));
	EXPECT_EQ(10, seen.count);
}

/* A mark that is too long for a sub-buffer is truncated; a larger sub-buffer holds it. */
TEST_F(raw, subbuf_size_large)
{
	char *text = malloc(8000);
	struct seen seen = {};
	int fd = tfs_open(O_WRONLY, "trace_marker");

	ASSERT_NE(NULL, text);
	memset(text, 'x', 8000);
	memcpy(text, "number 5 of ", 12);
	EXPECT_GT(self->size - HEADER, write(fd, text, 8000));
	ASSERT_EQ(0, tfs_write("16", "buffer_subbuf_size_kb"));
	EXPECT_LT(4000, write(fd, text, 8000));
	ASSERT_EQ(16384, read(self->fd, self->buf, PAGE_MAX));
	see_page(&seen, self->buf, 16384);
	EXPECT_EQ(5, seen.first);
	EXPECT_EQ(1, seen.count);
	EXPECT_FALSE(seen.bad);
	close(fd);
	free(text);
}

/* In a child on another CPU, show all records on the console: its pid. */
static int dump(void)
{
	int pid = fork(), fd;

	if (pid)
		return pid;
	pin_to_cpu(1);
	fd = open("/proc/sysrq-trigger", O_WRONLY);
	_exit(fd_write(fd, "z") ? 1 : 0);
}

/*
 * A page that was read belongs to the open file, and is freed after that was closed. A dump that
 * has found it in the ring may still be showing its records. KASAN tells.
 */
TEST_F_TIMEOUT(raw, pages_that_a_dump_shows, 200)
{
	int round, i, fd, pid, status;

	if (access("/proc/sysrq-trigger", W_OK))
		SKIP(return, "no sysrq");
	for (round = 0; round < 6; round++) {
		ASSERT_EQ(0, tfs_write("", "trace"));
		ASSERT_EQ(0, tfs_mark(0, 300));
		pid = dump();
		ASSERT_LT(0, pid);
		for (i = 0; i < 4; i++) {
			usleep(2000);
			fd = open_raw(O_NONBLOCK);
			ASSERT_LE(0, fd);
			read(fd, self->buf, 4096);
			close(fd);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		/* The dump has switched it off. */
		ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	}
}

TEST_HARNESS_MAIN
