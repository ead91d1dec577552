// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the buffer: trace does not consume records, trace_pipe does; per CPU and
 * merged; blocking, not blocking, polled, interrupted, by two readers at once;
 * clearing with O_TRUNC.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(reading)
{
	int marker;
};

FIXTURE_SETUP(reading)
{
	tfs_reset();
	self->marker = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, self->marker);
}

FIXTURE_TEARDOWN(reading)
{
	close(self->marker);
	tfs_reset();
}

/* Write the marks first ... first + n - 1; @cpu: run on this CPU, or -1. */
static int write_marks(int fd, int cpu, int first, int n)
{
	char text[32];
	int i;

	if (cpu >= 0 && pin_to_cpu(cpu))
		return -1;
	for (i = first; i < first + n; i++) {
		snprintf(text, sizeof(text), "mark seq=%d", i);
		if (fd_write(fd, text))
			return -1;
	}
	return 0;
}

static int marks_in(const char *text)
{
	return trace_count(text, "tracing_mark_write", 0, "mark seq=");
}

static int marks_in_file(const char *file)
{
	char *text = tfs_text("%s", file);
	int n = text ? marks_in(text) : -1;

	free(text);
	return n;
}

TEST_F(reading, header)
{
	unsigned long held = 0, written = 0;
	int cpus = 0, found;
	char *text;

	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 12));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	found = sscanf(text,
		       "# tracer: nop\n#\n"
		       "# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n#\n",
		       &held, &written, &cpus);
	EXPECT_EQ(3, found);
	EXPECT_EQ(12, held);
	EXPECT_EQ(12, written);
	EXPECT_EQ(cpus_online(), cpus);
	EXPECT_NE(NULL, strstr(text, "_-----=> irqs-off/BH-disabled\n"));
	EXPECT_NE(NULL, strstr(text, "#           TASK-PID     CPU#  |||||  TIMESTAMP  "));
	free(text);

	ASSERT_EQ(0, tfs_write("0", "options/irq-info"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(NULL, strstr(text, "irqs-off"));
	EXPECT_NE(NULL, strstr(text, "#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"));
	EXPECT_EQ(12, marks_in(text));
	free(text);

	ASSERT_EQ(0, tfs_write("0", "options/context-info"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(text, strstr(text, "# tracer: nop\n#\n"
			       "tracing_mark_write: mark seq=0\n"));
	free(text);
}

TEST_F(reading, latency_format)
{
	char *text;

	ASSERT_EQ(0, tfs_write("1", "options/latency-format"));
	/* An empty trace has no header, either. */
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(NULL, strstr(text, "latency trace v"));
	free(text);

	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 3));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "# nop latency trace v1.1.5 on "));
	EXPECT_NE(NULL, strstr(text, "# latency: 0 us, #3/3, CPU#0 | (M:"));
	EXPECT_NE(NULL, strstr(text, ": tracing_mark_write: mark seq=2\n"));
	free(text);
}

TEST_F(reading, shows_without_consuming)
{
	char *first, *again;
	int fd;

	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 100));
	first = tfs_text("trace");
	fd = tfs_open(O_RDONLY, "trace");
	ASSERT_LE(0, fd);
	again = fd_text(fd);
	ASSERT_NE(NULL, first);
	ASSERT_NE(NULL, again);
	EXPECT_EQ(100, marks_in(first));
	EXPECT_STREQ(first, again);
	free(again);

	/* Read the same open file again from the beginning. */
	EXPECT_EQ(0, lseek(fd, 0, SEEK_SET));
	again = fd_text(fd);
	ASSERT_NE(NULL, again);
	EXPECT_STREQ(first, again);
	free(again);
	free(first);
	close(fd);
}

/* The text does not depend on the size of the reads. */
TEST_F(reading, small_reads)
{
	static char text[65536];
	char *whole;
	size_t len = 0;
	ssize_t n;
	int fd;

	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 200));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	whole = tfs_text("trace");
	ASSERT_NE(NULL, whole);
	fd = tfs_open(O_RDONLY, "trace");
	ASSERT_LE(0, fd);
	while ((n = read(fd, text + len, 7)) > 0)
		len += n;
	EXPECT_EQ(0, n);
	close(fd);
	text[len] = '\0';
	EXPECT_STREQ(whole, text);

	/* The same for trace_pipe, which has no header. */
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	for (len = 0; (n = read(fd, text + len, 13)) > 0; len += n)
		;
	EXPECT_EQ(-1, n);
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
	text[len] = '\0';
	EXPECT_EQ(200, marks_in(text));
	EXPECT_NE(NULL, strstr(whole, strstr(text, "mark seq=0")));
	free(whole);
}

TEST_F(reading, pipe_consumes)
{
	char *shown, *piped, *line;
	int fd;

	/* Keep task names from being saved between the two reads. */
	ASSERT_EQ(0, tfs_write("0", "options/trace_printk"));
	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 50));
	shown = tfs_text("trace");
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	piped = fd_text(fd);
	ASSERT_NE(NULL, shown);
	ASSERT_NE(NULL, piped);
	EXPECT_EQ(50, marks_in(piped));
	/* The lines after the header are exactly the same. */
	line = strchr(shown, '\n');
	while (line && line[1] == '#')
		line = strchr(line + 1, '\n');
	ASSERT_NE(NULL, line);
	EXPECT_STREQ(line + 1, piped);
	free(shown);
	free(piped);
	EXPECT_EQ(0, marks_in_file("trace"));
	ASSERT_EQ(0, write_marks(self->marker, 0, 50, 3));
	EXPECT_EQ(3, marks_in_file("trace"));
	close(fd);
}

TEST_F(reading, clearing)
{
	int fd;

	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 10));
	/* Neither a write nor opening with O_APPEND has an effect. */
	EXPECT_EQ(0, tfs_append("anything", "trace"));
	EXPECT_EQ(10, marks_in_file("trace"));
	fd = tfs_open(O_WRONLY | O_TRUNC, "trace");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, marks_in_file("trace"));
	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 4));
	EXPECT_EQ(0, fd_write(fd, "anything"));
	EXPECT_EQ(4, marks_in_file("trace"));
	close(fd);
	EXPECT_EQ(4, marks_in_file("trace"));
	EXPECT_EQ(0, tfs_write("", "trace"));
	EXPECT_EQ(0, marks_in_file("trace"));
}

/* The first time of a text in latency-format, in us; ULONG_MAX: it has none */
static unsigned long first_us(const char *text)
{
	const char *us = text;

	while ((us = strstr(us + 1, "us"))) {
		if (!isdigit(us[-1]))
			continue;
		while (us > text && isdigit(us[-1]))
			us--;
		return strtoul(us, NULL, 10);
	}
	return ULONG_MAX;
}

TEST_F(reading, per_cpu)
{
	struct trace_line line;
	const char *pos;
	char *text;
	int fd;

	if (cpus_online() < 2)
		SKIP(return, "one CPU only");
	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 5));
	ASSERT_EQ(0, write_marks(self->marker, 1, 5, 7));
	ASSERT_EQ(0, write_marks(self->marker, 0, 12, 2));
	EXPECT_EQ(7, marks_in_file("per_cpu/cpu0/trace"));
	EXPECT_EQ(7, marks_in_file("per_cpu/cpu1/trace"));
	EXPECT_EQ(14, marks_in_file("trace"));
	text = tfs_text("per_cpu/cpu1/trace");
	ASSERT_NE(NULL, text);
	for (pos = text; trace_next(&pos, &line);)
		EXPECT_EQ(1, line.cpu);
	free(text);

	EXPECT_EQ(0, tfs_write("", "per_cpu/cpu0/trace"));
	EXPECT_EQ(0, marks_in_file("per_cpu/cpu0/trace"));
	EXPECT_EQ(7, marks_in_file("trace"));
	/* The times of the other CPU go on. */
	EXPECT_EQ(0, tfs_write("1", "options/latency-format"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_GT(10000000, first_us(text)) {
		TH_LOG("%s", text);
	}
	free(text);
	EXPECT_EQ(0, tfs_write("0", "options/latency-format"));

	ASSERT_EQ(0, write_marks(self->marker, 0, 14, 3));
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "per_cpu/cpu1/trace_pipe");
	ASSERT_LE(0, fd);
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(7, marks_in(text));
	free(text);
	close(fd);
	EXPECT_EQ(3, marks_in_file("trace"));
	EXPECT_EQ(3, marks_in_file("per_cpu/cpu0/trace"));
}

/* Records are merged by time; those of one CPU are in the order they were written in. */
TEST_F(reading, order)
{
	const int cpus = cpus_online();
	unsigned long long last_ts = 0;
	long next[64] = {}, seq;
	int children[64], cpu, status, fd, i;
	struct trace_line line;
	const char *pos;
	char *text;

	ASSERT_GE(64, cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		children[cpu] = fork();
		ASSERT_LE(0, children[cpu]);
		if (!children[cpu])
			_exit(write_marks(self->marker, cpu, 0, 300) ? 1 : 0);
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(children[cpu], waitpid(children[cpu], &status, 0));
		ASSERT_EQ(0, status);
	}

	for (i = 0; i < 2; i++) {
		memset(next, 0, sizeof(next));
		last_ts = 0;
		fd = tfs_open(O_RDONLY | O_NONBLOCK, i ? "trace_pipe" : "trace");
		ASSERT_LE(0, fd);
		text = fd_text(fd);
		close(fd);
		ASSERT_NE(NULL, text);
		for (pos = text; trace_next(&pos, &line);) {
			ASSERT_TRUE(line_number(&line, "seq=", &seq));
			ASSERT_LE(last_ts, line.ts);
			last_ts = line.ts;
			ASSERT_EQ(children[line.cpu], line.pid);
			ASSERT_EQ(next[line.cpu], seq);
			next[line.cpu]++;
		}
		for (cpu = 0; cpu < cpus; cpu++)
			EXPECT_EQ(300, next[cpu]);
		free(text);
	}
}

TEST_F(reading, not_blocking)
{
	char c;
	int fd;

	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, &c, 1));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	close(fd);
}

/* Fork a child that runs @body and exits with its return value. */
static int spawn(int (*body)(int), int arg)
{
	int child = fork();

	if (!child)
		_exit(body(arg));
	return child;
}

static int exit_status(int child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Return: 0 if one read gets text with a mark in it. */
static int read_one(int fd)
{
	char buf[4096];
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	if (n < 0)
		return errno;
	buf[n] = '\0';
	return n && marks_in(buf) > 0 ? 0 : 200;
}

TEST_F(reading, blocks_until_there_is_something)
{
	int fd, child;

	fd = tfs_open(O_RDONLY, "trace_pipe");
	ASSERT_LE(0, fd);
	child = spawn(read_one, fd);
	ASSERT_TRUE(wait_asleep(child));
	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 1));
	EXPECT_EQ(0, exit_status(child));
	close(fd);
}

TEST_F(reading, blocks_on_one_cpu)
{
	int fd, child;

	if (cpus_online() < 2)
		SKIP(return, "one CPU only");
	fd = tfs_open(O_RDONLY, "per_cpu/cpu1/trace_pipe");
	ASSERT_LE(0, fd);
	child = spawn(read_one, fd);
	ASSERT_TRUE(wait_asleep(child));
	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 1));
	usleep(50000);
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	ASSERT_EQ(0, write_marks(self->marker, 1, 1, 1));
	EXPECT_EQ(0, exit_status(child));
	close(fd);
}

/*
 * A reader that has read nothing waits even if recording is switched off; one that has
 * gets end of file then.
 */
TEST_F(reading, end_of_file_when_switched_off)
{
	char buf[4096];
	int fd, child;

	fd = tfs_open(O_RDONLY, "trace_pipe");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	child = spawn(read_one, fd);
	ASSERT_TRUE(wait_asleep(child));
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 1));
	EXPECT_EQ(0, exit_status(child));

	ASSERT_EQ(0, write_marks(self->marker, -1, 1, 1));
	EXPECT_LT(0, read(fd, buf, sizeof(buf)));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_EQ(0, read(fd, buf, sizeof(buf)));
	close(fd);
}

static void ignore_signal(int sig)
{
}

static int read_interrupted(int fd)
{
	struct sigaction action = { .sa_handler = ignore_signal };
	char buf[64];

	sigaction(SIGUSR1, &action, NULL);
	if (read(fd, buf, sizeof(buf)) != -1)
		return 201;
	return errno == EINTR ? 0 : 202;
}

TEST_F(reading, interrupted)
{
	int fd, child;

	fd = tfs_open(O_RDONLY, "trace_pipe");
	ASSERT_LE(0, fd);
	child = spawn(read_interrupted, fd);
	ASSERT_TRUE(wait_asleep(child));
	ASSERT_EQ(0, kill(child, SIGUSR1));
	EXPECT_EQ(0, exit_status(child));
	close(fd);
}

static int poll_in(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n = poll(&p, 1, timeout);

	return n == 1 ? p.revents : n;
}

static int poll_until_in(int fd)
{
	return poll_in(fd, -1) & POLLIN ? 0 : 201;
}

TEST_F(reading, polling)
{
	int fd, child;
	char *text;

	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, poll_in(fd, 0));
	EXPECT_EQ(0, poll_in(fd, 20));
	child = spawn(poll_until_in, fd);
	ASSERT_TRUE(wait_asleep(child));
	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 1));
	EXPECT_EQ(0, exit_status(child));
	EXPECT_TRUE(poll_in(fd, 0) & POLLIN);
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, marks_in(text));
	free(text);
	EXPECT_EQ(0, poll_in(fd, 0));
	close(fd);
}

/* trace_pipe can be open once for all CPUs, or once for each CPU. */
TEST_F(reading, one_opener)
{
	int all, cpu0, cpu1;

	all = tfs_open(O_RDONLY, "trace_pipe");
	ASSERT_LE(0, all);
	EXPECT_EQ(-EBUSY, tfs_open(O_RDONLY, "trace_pipe"));
	EXPECT_EQ(-EBUSY, tfs_open(O_RDONLY, "per_cpu/cpu0/trace_pipe"));
	close(all);
	cpu0 = tfs_open(O_RDONLY, "per_cpu/cpu0/trace_pipe");
	ASSERT_LE(0, cpu0);
	EXPECT_EQ(-EBUSY, tfs_open(O_RDONLY, "per_cpu/cpu0/trace_pipe"));
	EXPECT_EQ(-EBUSY, tfs_open(O_RDONLY, "trace_pipe"));
	cpu1 = tfs_open(O_RDONLY, "per_cpu/cpu1/trace_pipe");
	EXPECT_TRUE(cpu1 >= 0 || cpu1 == -ENOENT);
	close(cpu0);
	if (cpu1 >= 0) {
		EXPECT_EQ(-EBUSY, tfs_open(O_RDONLY, "trace_pipe"));
		close(cpu1);
	}
	all = tfs_open(O_RDONLY, "trace_pipe");
	EXPECT_LE(0, all);
	close(all);
}

/* Write the numbers of all marks that are read to @out, until end of file. */
static int collect(int fd, int out)
{
	static char buf[65536];
	struct trace_line line;
	const char *pos;
	ssize_t n;
	long seq;
	int num;

	while ((n = read(fd, buf, sizeof(buf) - 1)) > 0) {
		buf[n] = '\0';
		for (pos = buf; trace_next(&pos, &line);) {
			if (!line_number(&line, "seq=", &seq))
				return 1;
			num = seq;
			if (write(out, &num, sizeof(num)) != sizeof(num))
				return 2;
		}
	}
	return n ? 3 : 0;
}

/* With pause-on-trace nothing is recorded while trace is open for reading. */
TEST_F(reading, pause_on_trace)
{
	int on, fd;

	for (on = 0; on < 2; on++) {
		ASSERT_EQ(0, tfs_write(on ? "1" : "0", "options/pause-on-trace"));
		ASSERT_EQ(0, tfs_write("", "trace"));
		ASSERT_EQ(0, write_marks(self->marker, -1, 0, 1));
		fd = tfs_open(O_RDONLY, "trace");
		ASSERT_LE(0, fd);
		write_marks(self->marker, -1, 1, 2);
		close(fd);
		ASSERT_EQ(0, write_marks(self->marker, -1, 3, 1));
		EXPECT_EQ(on ? 2 : 4, marks_in_file("trace"));
	}
}

/* The line of a function that is in each stack of sched_process_fork */
#define STACK_LINE	" => kernel_clone"

static char *stack_line(const char *option)
{
	char *text, *line = NULL, *at;

	if (tfs_write("", "trace") || tfs_write(option, "trace_options"))
		return NULL;
	if (tfs_write("1", "events/sched/sched_process_fork/enable"))
		return NULL;
	if (!fork())
		_exit(0);
	wait(NULL);
	tfs_write("0", "events/sched/sched_process_fork/enable");
	text = tfs_text("trace");
	at = text ? strstr(text, STACK_LINE) : NULL;
	if (at)
		line = strndup(at + strlen(STACK_LINE), strcspn(at + strlen(STACK_LINE), "\n"));
	free(text);
	return line;
}

TEST_F(reading, symbols_of_stacks)
{
	unsigned long offset, size, address;
	int found, end = 0;
	char *line;

	if (tfs_write("1", "options/stacktrace"))
		SKIP(return, "no stack traces");
	line = stack_line("nosym-offset");
	ASSERT_NE(NULL, line);
	EXPECT_STREQ("", line);
	free(line);
	line = stack_line("sym-offset");
	ASSERT_NE(NULL, line);
	found = sscanf(line, "+0x%lx/0x%lx%n", &offset, &size, &end);
	EXPECT_EQ(2, found);
	EXPECT_EQ(strlen(line), end);
	EXPECT_LT(offset, size);
	free(line);
	ASSERT_EQ(0, tfs_write("nosym-offset", "trace_options"));
	line = stack_line("sym-addr");
	ASSERT_NE(NULL, line);
	found = sscanf(line, " <%lx>%n", &address, &end);
	EXPECT_EQ(1, found);
	EXPECT_EQ(strlen(line), end);
	EXPECT_NE(0, address);
	free(line);
	EXPECT_EQ(0, tfs_write("0", "options/stacktrace"));
}

/* Each record goes to exactly one of two readers. */
TEST_F(reading, two_readers)
{
	enum { MARKS = 2000 };
	static char seen[MARKS];
	int children[2], out[2], fd, i, num, total = 0;

	ASSERT_EQ(0, pipe(out));
	fd = tfs_open(O_RDONLY, "trace_pipe");
	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++) {
		children[i] = fork();
		ASSERT_LE(0, children[i]);
		if (!children[i])
			_exit(collect(fd, out[1]));
		ASSERT_TRUE(wait_asleep(children[i]));
	}
	close(fd);
	close(out[1]);
	/* Write slowly, so that both readers get some of the records. */
	for (i = 0; i < MARKS; i += 100) {
		ASSERT_EQ(0, write_marks(self->marker, i / 100 % cpus_online(), i, 100));
		usleep(1000);
	}
	while (total < MARKS && read(out[0], &num, sizeof(num)) == sizeof(num)) {
		ASSERT_LE(0, num);
		ASSERT_GT((int)MARKS, num);
		EXPECT_EQ(0, seen[num]);
		seen[num] = 1;
		total++;
	}
	EXPECT_EQ(MARKS, total);
	/* The readers wait for more records, and write no more numbers. */
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(wait_asleep(children[i]));
		kill(children[i], SIGKILL);
	}
	for (i = 0; i < 2; i++)
		waitpid(children[i], NULL, 0);
	EXPECT_EQ(0, read(out[0], &num, sizeof(num)));
	EXPECT_EQ(0, marks_in_file("trace"));
}

/* Reads shorter than a line get the whole line piece by piece. */
TEST_F(reading, pipe_in_pieces)
{
	char buf[1024];
	ssize_t n;
	int fd, i;

	ASSERT_EQ(0, write_marks(self->marker, 0, 0, 3));
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		char want[32];

		/* Later reads get the rest of the line. */
		n = read(fd, buf, 20);
		ASSERT_EQ(20, n);
		while (buf[n - 1] != '\n') {
			ASSERT_EQ(1, read(fd, buf + n, 1));
			n++;
			ASSERT_GT((ssize_t)sizeof(buf), n);
		}
		buf[n] = '\0';
		snprintf(want, sizeof(want), "mark seq=%d\n", i);
		EXPECT_NE(NULL, strstr(buf, want));
	}
	EXPECT_EQ(-1, read(fd, buf, 1));
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
}

/* A reader that has come to the end of the file gets the newer records next. */
TEST_F(reading, continues_after_the_end)
{
	int fd = tfs_open(O_RDONLY, "trace");
	char *text;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 3));
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(3, marks_in(text));
	free(text);
	text = fd_text(fd);
	EXPECT_STREQ("", text);
	free(text);
	ASSERT_EQ(0, write_marks(self->marker, -1, 3, 2));
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(2, marks_in(text));
	EXPECT_NE(NULL, strstr(text, "seq=3\n"));
	free(text);
	close(fd);
}

/* With latency-format, times begin when the ring was emptied, also for an open reader. */
TEST_F(reading, latency_begins_again)
{
	int fd, empty;
	char *text;

	ASSERT_EQ(0, tfs_write("1", "options/latency-format"));
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	usleep(500000);
	empty = tfs_open(O_WRONLY | O_TRUNC, "trace");
	ASSERT_LE(0, empty);
	close(empty);
	ASSERT_EQ(0, write_marks(self->marker, -1, 0, 1));
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_GT(400000, first_us(text)) {
		TH_LOG("%s", text);
	}
	free(text);
	close(fd);
	EXPECT_EQ(0, tfs_write("0", "options/latency-format"));
}

/* Read trace while records are written: each line is complete, and they are in order. */
TEST_F(reading, while_written)
{
	int child, round, lines = 0;
	struct trace_line line;
	long seq, before, written = 0;
	char *text, want[32];
	const char *pos;

	ASSERT_EQ(0, tfs_write("8", "buffer_size_kb"));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		pin_to_cpu(cpus_online() - 1);
		for (round = 0; ; round += 50)
			write_marks(self->marker, -1, round, 50);
	}
	/* Wait until the child runs, but not without limit. */
	for (round = 0; round < 20 || (!lines && round < 1000); round++) {
		usleep(1000);
		text = tfs_text("trace");
		ASSERT_NE(NULL, text);
		before = -1;
		for (pos = text; trace_next(&pos, &line); lines++) {
			ASSERT_EQ(child, line.pid);
			ASSERT_STREQ("tracing_mark_write", line.event);
			ASSERT_TRUE(line_number(&line, "seq=", &seq));
			ASSERT_LT(before, seq);
			before = seq;
			snprintf(want, sizeof(want), "mark seq=%ld\n", seq);
			ASSERT_EQ(0, strncmp(line.text, want, strlen(want)));
		}
		if (written < before)
			written = before;
		free(text);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_LT(0, lines);
	EXPECT_LT(0, written);
}

TEST_HARNESS_MAIN
