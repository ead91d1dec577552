// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once for a while: events switched on and off, traffic that
 * fires them, readers of both kinds. Afterwards the kernel has nothing to
 * complain about, and the counters agree with what was seen.
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

/* Fires an event that is on all the time, with rising numbers. */
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

/* Few events at a time: an emulator takes long to patch the kernel's text. */
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
	long faults;		/* lines out of order or of no known form */
	long next[CPUS_MAX];	/* number expected of each CPU's traffic */
	long marks;
	unsigned long long ts[CPUS_MAX];
	size_t begun;		/* bytes of a line whose end is not read yet */
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
 * Takes in what one read of trace_pipe gives. It is a stream of bytes: a line
 * may begin in one read and end in the next. False at the end.
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

/* Whatever trace_pipe showed, and what it says was lost, is what was counted. */
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

		/* Once: reading fires events, too, and might never be done. */
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

/* All events of the kernel, on and off, while it is busy. */
TEST_F_TIMEOUT(storm, all_events, 150)
{
	int children[2], i;

	/* Patching the kernel's text with more CPUs takes its time in QEMU. */
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
