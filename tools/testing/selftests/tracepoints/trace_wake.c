// SPDX-License-Identifier: GPL-2.0
/*
 * Lost wake-ups, in each way to wait for records. A reader on one CPU sleeps; a marker from
 * another CPU has to wake it. No other record follows before the reader has answered, so
 * nothing else would wake it. Before some of the markers, the ring is emptied, resized, or
 * swapped with the snapshot while the reader sleeps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/trace_mmap.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define ROUNDS		200
#define WATCHDOG_MS	10000
#define TEXT_MAX	65536

/* An open file with markers to read, in the reader's process */
struct source {
	int fd;
	int epoll;
	int pipes[2];			/* for splice() */
	struct trace_buffer_meta *meta;	/* of a mapping */
	const char *data;
	char text[TEXT_MAX];
};

/*
 * A way to wait and to read: wait for records and read some. Return: the number of the last
 * marker that was read, or -1.
 */
typedef long (*await_fn)(struct source *source);

struct way {
	await_fn await;
	const char *file;
	int flags;
	bool maps;
};

FIXTURE(wake)
{
	int marker;
	int answers;
	pid_t reader;
	unsigned int random;
};

FIXTURE_VARIANT(wake)
{
	struct way way;
};

/*
 * The greatest number of a marker in @text; -1: there is none. Binary pages may have older
 * markers behind their records.
 */
static long last_marker(const char *text, size_t len)
{
	static const char word[] = "wake-up ";
	const char *end = text + len, *at;
	long last = -1, number;

	for (at = text; (at = memmem(at, end - at, word, strlen(word))); at++) {
		number = strtol(at + strlen(word), NULL, 10);
		if (number > last)
			last = number;
	}
	return last;
}

static long await_read(struct source *source)
{
	ssize_t n = read(source->fd, source->text, sizeof(source->text) - 1);

	if (n <= 0)
		return -1;
	source->text[n] = 0;
	return last_marker(source->text, n);
}

/* Read until nothing is left, as users of EPOLLET have to. */
static long drain(struct source *source)
{
	long last = -1, number;
	ssize_t n;

	while ((n = read(source->fd, source->text, sizeof(source->text) - 1)) > 0) {
		source->text[n] = 0;
		number = last_marker(source->text, n);
		if (number > last)
			last = number;
	}
	return last;
}

static long await_poll(struct source *source)
{
	struct pollfd p = { .fd = source->fd, .events = POLLIN };

	poll(&p, 1, -1);
	return drain(source);
}

static long epoll_in(struct source *source, unsigned int flags)
{
	struct epoll_event event = { .events = EPOLLIN | flags };

	if (source->epoll < 0) {
		source->epoll = epoll_create1(0);
		if (epoll_ctl(source->epoll, EPOLL_CTL_ADD, source->fd, &event))
			_exit(1);
	}
	epoll_wait(source->epoll, &event, 1, -1);
	return drain(source);
}

static long await_epoll(struct source *source)
{
	return epoll_in(source, 0);
}

static long await_edge(struct source *source)
{
	return epoll_in(source, EPOLLET);
}

static long await_splice(struct source *source)
{
	ssize_t n;

	if (!source->pipes[1] && pipe(source->pipes))
		_exit(1);
	n = splice(source->fd, NULL, source->pipes[1], NULL, 4096, 0);
	if (n <= 0)
		return -1;
	n = read(source->pipes[0], source->text, n);
	source->text[n] = 0;
	return last_marker(source->text, n);
}

/* The mapped page may show markers again that it has shown before. */
static long await_mapped(struct source *source)
{
	long size = source->meta->subbuf_size;

	if (ioctl(source->fd, TRACE_MMAP_IOCTL_GET_READER))
		return -1;
	memcpy(source->text, source->data + source->meta->reader.id * size, size);
	source->text[size] = 0;
	return last_marker(source->text, size);
}

FIXTURE_VARIANT_ADD(wake, all_read)
{
	.way = { await_read, "trace_pipe" },
};

FIXTURE_VARIANT_ADD(wake, cpu_read)
{
	.way = { await_read, "per_cpu/cpu0/trace_pipe" },
};

FIXTURE_VARIANT_ADD(wake, raw_read)
{
	.way = { await_read, "per_cpu/cpu0/trace_pipe_raw" },
};

FIXTURE_VARIANT_ADD(wake, all_poll)
{
	.way = { await_poll, "trace_pipe", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, cpu_poll)
{
	.way = { await_poll, "per_cpu/cpu0/trace_pipe", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, raw_poll)
{
	.way = { await_poll, "per_cpu/cpu0/trace_pipe_raw", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, all_epoll)
{
	.way = { await_epoll, "trace_pipe", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, cpu_epoll)
{
	.way = { await_epoll, "per_cpu/cpu0/trace_pipe", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, raw_epoll)
{
	.way = { await_epoll, "per_cpu/cpu0/trace_pipe_raw", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, all_edge)
{
	.way = { await_edge, "trace_pipe", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, cpu_edge)
{
	.way = { await_edge, "per_cpu/cpu0/trace_pipe", O_NONBLOCK },
};

FIXTURE_VARIANT_ADD(wake, raw_edge)
{
	.way = { await_edge, "per_cpu/cpu0/trace_pipe_raw", O_NONBLOCK },
};

/* From trace_pipe_raw, splice() moves full sub-buffers only. */
FIXTURE_VARIANT_ADD(wake, all_splice)
{
	.way = { await_splice, "trace_pipe" },
};

FIXTURE_VARIANT_ADD(wake, cpu_splice)
{
	.way = { await_splice, "per_cpu/cpu0/trace_pipe" },
};

FIXTURE_VARIANT_ADD(wake, mapped)
{
	.way = { await_mapped, "per_cpu/cpu0/trace_pipe_raw", 0, true },
};

static bool map_source(struct source *source)
{
	source->meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, source->fd, 0);
	if (source->meta == MAP_FAILED)
		return false;
	source->data = mmap(NULL, (long)source->meta->nr_subbufs * source->meta->subbuf_size,
			    PROT_READ, MAP_SHARED, source->fd, source->meta->meta_page_size);
	return source->data != MAP_FAILED;
}

/* The reader's process: answer with the number of each marker that is the last one read. */
static void read_markers(const struct way *way, int answers)
{
	static struct source source = { .epoll = -1 };
	long last = -1, number;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	source.fd = tfs_open(O_RDONLY | way->flags, "%s", way->file);
	if (source.fd < 0 || pin_to_cpu(cpus_online() - 1) ||
	    (way->maps && !map_source(&source)))
		_exit(1);
	for (;;) {
		number = way->await(&source);
		if (number <= last)
			continue;
		last = number;
		if (write(answers, &last, sizeof(last)) != sizeof(last))
			_exit(0);
	}
}

FIXTURE_SETUP(wake)
{
	int ends[2];

	if (variant->way.maps && !is_strobe())
		SKIP(return, "the reader of a mapping misses markers with classic");
	tfs_reset();
	ASSERT_EQ(0, tfs_write("0", "buffer_percent"));
	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, pin_to_cpu(0));
	self->random = 1;
	self->marker = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, self->marker);
	ASSERT_EQ(0, pipe(ends));
	self->reader = fork();
	if (!self->reader)
		read_markers(&variant->way, ends[1]);
	close(ends[1]);
	self->answers = ends[0];
	ASSERT_TRUE(wait_asleep(self->reader));
}

FIXTURE_TEARDOWN(wake)
{
	if (self->reader > 0)
		kill(self->reader, SIGKILL);
	waitpid(self->reader, NULL, 0);
	close(self->answers);
	close(self->marker);
	tfs_write("50", "buffer_percent");
	tfs_reset();
}

static unsigned int any(unsigned int *random, unsigned int below)
{
	return rand_r(random) % below;
}

/* Let some time pass, with the CPU busy or not, so that the reader is caught at any step. */
static void pass_time(unsigned int *random)
{
	unsigned int turns = any(random, 20000);

	if (any(random, 2))
		usleep(any(random, 2000));
	else
		while (turns--)
			asm volatile("");
}

/* Some of it is refused, depending on how the reader reads. Classic loses wake-ups by it. */
static void disturb(unsigned int *random)
{
	if (!is_strobe())
		return;
	switch (any(random, 8)) {
	case 0:
		close(tfs_open(O_WRONLY | O_TRUNC, "trace"));
		break;
	case 1:
		tfs_write(any(random, 2) ? "32" : "64", "buffer_size_kb");
		break;
	case 2:
		tfs_write("1", "snapshot");
		break;
	}
}

/* Has the reader answered with @number before the watchdog's time is up? */
static bool answered(int fd, long number)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	long answer = -1;

	while (answer < number) {
		if (poll(&p, 1, WATCHDOG_MS) != 1 ||
		    read(fd, &answer, sizeof(answer)) != sizeof(answer))
			return false;
	}
	return true;
}

TEST_F_TIMEOUT(wake, each_time, 120)
{
	char text[40];
	long i;

	for (i = 0; i < ROUNDS; i++) {
		disturb(&self->random);
		pass_time(&self->random);
		snprintf(text, sizeof(text), "wake-up %ld", i);
		ASSERT_EQ(0, fd_write(self->marker, text));
		ASSERT_TRUE(answered(self->answers, i)) {
			TH_LOG("The reader has not seen marker %ld", i);
		}
	}
}

/* With EPOLLET, records that are not read cause no endless wake-ups. */
TEST(not_read)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd, marker, epoll = epoll_create1(0), edges;

	tfs_reset();
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	marker = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, fd);
	ASSERT_LE(0, marker);
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	ASSERT_EQ(0, fd_write(marker, "first"));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, WATCHDOG_MS));
	/* Each recheck that waiting has queued may find the same record once more. */
	for (edges = 0; edges < 100 && epoll_wait(epoll, &event, 1, 500) == 1; edges++)
		;
	EXPECT_GE(2, edges);
	ASSERT_EQ(0, fd_write(marker, "second"));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, WATCHDOG_MS));
	close(epoll);
	close(marker);
	close(fd);
	tfs_reset();
}

/* A reader that polls with text left from an earlier read is woken by the next record. */
TEST(text_left)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd, marker, epoll = epoll_create1(0);
	char byte, *text;

	tfs_reset();
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	marker = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, fd);
	ASSERT_LE(0, marker);
	ASSERT_EQ(0, fd_write(marker, "first"));
	ASSERT_EQ(1, read(fd, &byte, 1));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	free(text);
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
	ASSERT_EQ(0, fd_write(marker, "second"));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, WATCHDOG_MS));
	close(epoll);
	close(marker);
	close(fd);
	tfs_reset();
}

TEST_HARNESS_MAIN
