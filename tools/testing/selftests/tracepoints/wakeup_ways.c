// SPDX-License-Identifier: GPL-2.0
/*
 * For wakeups.sh: record on one CPU, or wait for these records in one of several ways.
 *
 * usage: wakeup_ways write CPU NR mark|event TAG
 *	  wakeup_ways read|poll|epoll|edge|splice|often FILE TAG
 *
 * The writer records NR records on the CPU, and prints the numbers of interrupts that this CPU
 * had meanwhile: "IWI RES CAL". The records are markers, or sys_enter_getpgid, which has to be
 * enabled. The reader prints the number of each record that it has found, until it is killed.
 * With "often", it calls poll() again and again, and reads nothing.
 * TAG, from 1 to 4095, tells these records from others, which a page may have behind its end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tracefs.h"

#define NR_MAX		4096
#define GAP_MS		20	/* between two records */
#define SETTLE_MS	300	/* the tick of a nohz_full CPU stops */
#define MARK_BYTES	1000	/* NR of them fill a part of the ring */
#define OFTEN_MS	30	/* less than the period of the timer that wakes readers */
/* Argument of getpgid(): no task has this number. */
#define EVENT_WORD	0x5e000000

static unsigned int tag;
static bool found[NR_MAX];

static unsigned int event_word(int n)
{
	return EVENT_WORD | tag << 12 | n;
}

static void spin(unsigned int ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/* The number of interrupts of @kind that the CPU has had; -1: there is no such line. */
static long nr_interrupts(const char *kind, int cpu)
{
	char *text, *at, word[8];
	long number = -1;
	int fd, i;

	fd = open("/proc/interrupts", O_RDONLY);
	text = fd_text(fd);
	close(fd);
	snprintf(word, sizeof(word), "%s:", kind);
	at = text ? strstr(text, word) : NULL;
	if (at) {
		at += strlen(word);
		for (i = 0; i <= cpu; i++)
			number = strtol(at, &at, 10);
	}
	free(text);
	return number;
}

/*
 * Never sleep, and start no process: task switches cause irq_works for the tick on a
 * nohz_full CPU.
 */
static int record(int cpu, int nr, bool mark)
{
	static const char *const kinds[] = { "IWI", "RES", "CAL" };
	long before[ARRAY_SIZE(kinds)];
	int marker = tfs_open(O_WRONLY, "trace_marker");
	char text[MARK_BYTES + 1];
	int i, n;

	if (marker < 0 || nr >= NR_MAX || pin_to_cpu(cpu))
		return 1;
	spin(SETTLE_MS);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		before[i] = nr_interrupts(kinds[i], cpu);
	for (n = 1; n <= nr; n++) {
		if (mark) {
			memset(text, '.', sizeof(text));
			text[snprintf(text, sizeof(text), "mark %u-%u ", tag, n)] = '.';
			if (write(marker, text, MARK_BYTES) != MARK_BYTES)
				return 1;
		} else {
			getpgid(event_word(n));
		}
		spin(GAP_MS);
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("%ld ", nr_interrupts(kinds[i], cpu) - before[i]);
	printf("\n");
	return 0;
}

static void found_record(unsigned long n)
{
	if (n >= NR_MAX || found[n])
		return;
	found[n] = true;
	printf("%lu\n", n);
	fflush(stdout);
}

/* Find the records in text, or in pages. */
static void find_records(const char *data, size_t len)
{
	const char *end = data + len, *at;
	char word[32];
	uint32_t value;

	snprintf(word, sizeof(word), "mark %u-", tag);
	for (at = data; (at = memmem(at, end - at, word, strlen(word))); at++)
		found_record(strtoul(at + strlen(word), NULL, 10));
	for (at = data; (at = memmem(at, end - at, "(pid: ", 6)); at++) {
		value = strtoul(at + 6, NULL, 16);
		if ((value & ~0xfff) == event_word(0))
			found_record(value & 0xfff);
	}
	for (at = data; at + sizeof(value) <= end; at += sizeof(value)) {
		memcpy(&value, at, sizeof(value));
		if ((value & ~0xfff) == event_word(0))
			found_record(value & 0xfff);
	}
}

/* Read once. Return: false if nothing is left, or on an error. */
static bool read_some(int fd)
{
	static char data[65536];
	ssize_t n = read(fd, data, sizeof(data) - 1);

	if (n <= 0)
		return false;
	data[n] = 0;
	find_records(data, n);
	return true;
}

/* Splice full pages; if there are none, read one. Return: false on an error. */
static bool splice_some(int fd, int pipes[2])
{
	static char data[65536];
	ssize_t n, part, got = 0;

	n = splice(fd, NULL, pipes[1], NULL, sizeof(data) - 1, 0);
	while (got < n) {
		part = read(pipes[0], data + got, n - got);
		if (part <= 0)
			return false;
		got += part;
	}
	if (n > 0)
		find_records(data, n);
	return n > 0 || (!n && read_some(fd));
}

/* Wait in the way @way, then read. Return: false on an error. */
static bool await(const char *way, struct pollfd *one, int epoll, int pipes[2])
{
	struct epoll_event event;

	if (!strcmp(way, "splice"))
		return splice_some(one->fd, pipes);
	if (!strcmp(way, "read"))
		return read_some(one->fd);
	if (!strcmp(way, "often"))
		return poll(one, 1, OFTEN_MS) >= 0;
	if (!strcmp(way, "poll"))
		poll(one, 1, -1);
	else
		epoll_wait(epoll, &event, 1, -1);
	while (read_some(one->fd))
		;
	return true;
}

static int await_all(const char *way, const char *file)
{
	bool blocks = !strcmp(way, "read") || !strcmp(way, "splice");
	struct epoll_event event = { .events = EPOLLIN };
	struct pollfd one = { .events = POLLIN };
	int epoll = epoll_create1(0);
	int pipes[2];

	if (!strcmp(way, "edge"))
		event.events |= EPOLLET;
	one.fd = tfs_open(O_RDONLY | (blocks ? 0 : O_NONBLOCK), "%s", file);
	if (one.fd < 0 || pipe(pipes) || epoll_ctl(epoll, EPOLL_CTL_ADD, one.fd, &event))
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (await(way, &one, epoll, pipes))
		;
	return 1;
}

int main(int argc, char **argv)
{
	tfs_root();
	tag = argc > 3 ? atoi(argv[argc - 1]) : 0;
	if (!tag || tag > 0xfff)
		return 2;
	if (argc == 6 && !strcmp(argv[1], "write"))
		return record(atoi(argv[2]), atoi(argv[3]), !strcmp(argv[4], "mark"));
	return argc == 4 ? await_all(argv[1], argv[2]) : 2;
}
