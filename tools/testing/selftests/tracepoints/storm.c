// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once for a while: events are enabled and disabled, traffic fires
 * them, trace and trace_pipe are read. The kernel must not warn, and the counters
 * must agree with the records that were read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define CPUS_MAX 64
#define FIRST_FD 0x40000000
#define TOGGLES 30

/* Fire an event that is enabled all the time, with rising numbers. */
static void traffic(int cpu)
{
	int i;

	pin_to_cpu(cpu);
	for (i = 0; ; i++) {
		syscall(SYS_close, FIRST_FD + i);
		if (i % 64 == 0)
			usleep(500);
	}
}

/* Only a few events at a time: an emulator takes long to patch the kernel's text. */
static void toggle(int times)
{
	static const char * const files[] = {
		"events/sched/sched_switch/enable", "events/irq/enable",
		"events/raw_syscalls/enable", "events/timer/hrtimer_start/enable",
		"events/syscalls/sys_exit_close/enable",
	};
	int i, n = ARRAY_SIZE(files);

	for (i = 0; i < times; i++)
		tfs_write(i / n % 2 ? "0" : "1", "%s", files[i % n]);
}

static void show(int unused)
{
	for (;;) {
		free(tfs_text("trace"));
		free(tfs_text("per_cpu/cpu0/trace"));
		free(tfs_text("per_cpu/cpu0/stats"));
		free(tfs_text("set_event"));
		usleep(2000);
	}
}

static int start(void (*body)(int), int arg)
{
	int child = fork();

	if (!child) {
		body(arg);
		_exit(0);
	}
	return child;
}

static void stop(int child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

struct tally {
	long lines;
	long lost;
	long faults;		/* lines that are out of order or malformed */
	long next[CPUS_MAX];	/* lowest number that each CPU's traffic may have next */
	long marks;
	unsigned long long ts[CPUS_MAX];
	size_t begun;		/* bytes in @buf of a line whose end is not read yet */
	char buf[65536];
};

static void tally_line(struct tally *t, const char *text, int len)
{
	const char *pos = text;
	struct trace_line line;
	long n;

	if (sscanf(text, "CPU:%*d [LOST %ld EVENTS]", &n) == 1) {
		t->lost += n;
		return;
	}
	if (!trace_next(&pos, &line) || pos != text + len || line.cpu >= CPUS_MAX) {
		t->faults++;
		return;
	}
	t->lines++;
	t->faults += line.ts < t->ts[line.cpu];
	t->ts[line.cpu] = line.ts;
	if (sscanf(line.text, "(fd: %lx)", (unsigned long *)&n) != 1 || n < FIRST_FD)
		return;
	n -= FIRST_FD;
	t->faults += n < t->next[line.cpu];
	t->next[line.cpu] = n + 1;
	t->marks++;
}

/*
 * Read trace_pipe once and count its lines. A line may begin in one read and end
 * in the next. False at the end.
 */
static bool tally_pipe(struct tally *t, int fd)
{
	char *p, *end;
	ssize_t n = read(fd, t->buf + t->begun, sizeof(t->buf) - 1 - t->begun);

	if (n <= 0)
		return false;
	t->buf[t->begun + n] = '\0';
	for (p = t->buf; (end = strchr(p, '\n')); p = end + 1)
		tally_line(t, p, end + 1 - p);
	t->begun = strlen(p);
	memmove(t->buf, p, t->begun);
	return true;
}

FIXTURE(storm)
{
	long tainted;
};

FIXTURE_SETUP(storm)
{
	tfs_reset();
	self->tainted = taint_bits();
}

FIXTURE_TEARDOWN(storm)
{
	EXPECT_EQ(self->tainted, taint_bits());
	tfs_reset();
}

/* The records and lost events in trace_pipe agree with the counters in stats. */
TEST_F_TIMEOUT(storm, counts, 100)
{
	const int cpus = cpus_online();
	int children[CPUS_MAX + 1], nr = 0, toggler, cpu, fd, i;
	static struct tally t;
	struct trace_stats stats;
	long read = 0, overrun = 0, entries = 0;

	ASSERT_GE(CPUS_MAX, cpus);
	ASSERT_EQ(0, tfs_write("100", "buffer_size_kb"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_close/enable"));
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	for (cpu = 0; cpu < cpus; cpu++)
		children[nr++] = start(traffic, cpu);
	children[nr++] = start(show, 0);
	toggler = start(toggle, TOGGLES);

	while (!waitpid(toggler, NULL, WNOHANG)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		/* Only one read: reading fires events, so the pipe might never be empty. */
		poll(&p, 1, 50);
		tally_pipe(&t, fd);
	}
	for (i = 0; i < nr; i++)
		stop(children[i]);
	ASSERT_EQ(0, tfs_write("0", "events/enable"));
	while (tally_pipe(&t, fd))
		;
	close(fd);

	for (cpu = 0; cpu < cpus_possible(); cpu++) {
		ASSERT_EQ(0, trace_stats(cpu, &stats));
		read += stats.read;
		overrun += stats.overrun + stats.commit_overrun + stats.dropped;
		entries += stats.entries;
	}
	EXPECT_EQ(0, t.faults);
	EXPECT_EQ(0, t.begun);
	EXPECT_EQ(0, entries);
	EXPECT_EQ(read, t.lines);
	EXPECT_EQ(overrun, t.lost);
	EXPECT_LT(100, t.marks);
	for (cpu = 0; cpu < cpus; cpu++)
		EXPECT_LT(0, t.next[cpu]);
}

/* All events of the kernel are enabled and disabled while it is busy. */
TEST_F_TIMEOUT(storm, all_events, 150)
{
	int children[2], i;

	/* With more than one CPU, QEMU takes long to patch the kernel's text. */
	cpus_set_others(false);
	children[0] = start(traffic, 0);
	children[1] = start(show, 0);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, tfs_write("1", "events/enable"));
		EXPECT_TRUE(tfs_is("1", "events/enable"));
		ASSERT_EQ(0, tfs_write("0", "events/enable"));
		EXPECT_TRUE(tfs_is("0", "events/enable"));
	}
	stop(children[0]);
	stop(children[1]);
	cpus_set_others(true);
}

TEST_HARNESS_MAIN
