// SPDX-License-Identifier: GPL-2.0
/*
 * Events end to end: events that the kernel's own code fires can be read from
 * trace and trace_pipe with the right values and, where the number of firings is
 * known, exactly as often as they fired.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(events)
{
	int pipe;	/* trace_pipe, not blocking */
	int pid;
};

FIXTURE_SETUP(events)
{
	tfs_reset();
	self->pid = getpid();
	ASSERT_EQ(0, pin_to_cpu(0));
	self->pipe = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, self->pipe);
}

FIXTURE_TEARDOWN(events)
{
	close(self->pipe);
	tfs_reset();
}

/* getppid() has no arguments, so its text is always the same; 1000 calls fit any buffer. */
TEST_F(events, syscall_count)
{
	const int calls = 1000;
	struct trace_line line;
	const char *pos;
	char *text;
	long ret;
	int i, enter = 0, leave = 0;

	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_getppid/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_exit_getppid/enable"));
	for (i = 0; i < calls; i++)
		syscall(SYS_getppid);
	ASSERT_EQ(0, tfs_write("0", "events/syscalls/enable"));
	syscall(SYS_getppid);

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	for (pos = text; trace_next(&pos, &line);) {
		if (line.pid != self->pid)
			continue;
		ASSERT_STREQ("sys_getppid", line.event);
		EXPECT_EQ(0, line.cpu);
		if (line_number(&line, "-> ", &ret)) {
			EXPECT_EQ(getppid(), ret);
			leave++;
			EXPECT_EQ(enter, leave);
		} else {
			EXPECT_TRUE(line_has(&line, "()"));
			enter++;
		}
	}
	EXPECT_EQ(calls, enter);
	EXPECT_EQ(calls, leave);
	free(text);
}

/* The arguments of a system call, and its return value. */
TEST_F(events, syscall_arguments)
{
	static const char name[] = "/proc/self/stat";
	char enter[160], failed[64], raw[160], comm[16];
	struct trace_line line;
	long fd, ret = -1;
	const char *pos;
	char *text;

	ASSERT_EQ(0, prctl(PR_SET_NAME, "a task's name"));
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_openat/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/syscalls/sys_exit_openat/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/raw_syscalls/enable"));
	fd = syscall(SYS_openat, (long)AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
	EXPECT_EQ(-1, syscall(SYS_openat, (long)AT_FDCWD, "/nowhere", O_RDONLY, 0));
	/* Sleep: the comm is saved when the CPU switches to another task. */
	usleep(1000);
	ASSERT_EQ(0, tfs_write("0", "events/enable"));
	ASSERT_LE(0, fd);
	close(fd);

	snprintf(enter, sizeof(enter),
		 "(dfd: ffffffffffffff9c, filename: %lx, flags: %x, mode: 0)",
		 (unsigned long)name, O_RDONLY | O_CLOEXEC);
	snprintf(failed, sizeof(failed), "-> 0x%lx", -(long)ENOENT);
	snprintf(raw, sizeof(raw), "NR %d (ffffffffffffff9c, %lx, %x, 0, ",
		 SYS_openat, (unsigned long)name, O_RDONLY | O_CLOEXEC);

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, trace_count(text, "sys_openat", self->pid, enter));
	for (pos = text; trace_next(&pos, &line);) {
		if (line.pid != self->pid || !line_has(&line, enter))
			continue;
		EXPECT_STREQ(comm, line.comm);
		/* This call's return is next, apart from sys_enter and sys_exit. */
		while (trace_next(&pos, &line)) {
			if (line.pid == self->pid &&
			    !strcmp(line.event, "sys_openat"))
				break;
		}
		EXPECT_TRUE(line_number(&line, "-> ", &ret));
	}
	EXPECT_EQ(fd, ret);
	EXPECT_EQ(1, trace_count(text, "sys_openat", self->pid, failed));
	EXPECT_EQ(1, trace_count(text, "sys_enter", self->pid, raw));
	snprintf(raw, sizeof(raw), "NR %d = %ld", SYS_openat, fd);
	EXPECT_EQ(1, trace_count(text, "sys_exit", self->pid, raw));
	snprintf(raw, sizeof(raw), "NR %d = %d", SYS_openat, -ENOENT);
	EXPECT_EQ(1, trace_count(text, "sys_exit", self->pid, raw));
	free(text);
}

/* trace and then trace_pipe show every marker, in order. */
TEST_F(events, marker_count)
{
	const int markers = 500;
	struct trace_line line;
	char *text[2];
	const char *pos;
	long seq;
	int fd, i, next;

	fd = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, fd);
	for (i = 0; i < markers; i++) {
		char mark[32];

		snprintf(mark, sizeof(mark), "mark seq=%d", i);
		ASSERT_EQ(0, fd_write(fd, mark));
	}
	close(fd);

	text[0] = tfs_text("trace");
	text[1] = fd_text(self->pipe);
	for (i = 0; i < 2; i++) {
		ASSERT_NE(NULL, text[i]);
		next = 0;
		for (pos = text[i]; trace_next(&pos, &line); next++) {
			ASSERT_STREQ("tracing_mark_write", line.event);
			ASSERT_EQ(self->pid, line.pid);
			ASSERT_EQ(0, line.cpu);
			ASSERT_TRUE(line_number(&line, "seq=", &seq));
			ASSERT_EQ(next, seq);
		}
		EXPECT_EQ(markers, next);
		free(text[i]);
	}
}

/*
 * Two processes on one CPU pass a byte to and fro. The child has the higher
 * priority: it runs as soon as it can read, and until it sleeps. So the CPU
 * switches to it and from it exactly once a round.
 */
TEST_F(events, sched_switch)
{
	const struct sched_param fifo = { .sched_priority = 1 };
	const int rounds = 50;
	struct trace_line line;
	int to[2], fro[2];
	const char *pos;
	char *text, c = 0;
	long prev, next, last = -1;
	int child, i, status, left = 0, entered = 0;

	ASSERT_EQ(0, prctl(PR_SET_NAME, "switch parent"));
	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(fro));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		prctl(PR_SET_NAME, "switch-child");
		if (sched_setscheduler(0, SCHED_FIFO, &fifo))
			_exit(2);
		close(to[1]);
		while (read(to[0], &c, 1) == 1) {
			if (write(fro[1], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	ASSERT_TRUE(wait_asleep(child));

	ASSERT_EQ(0, tfs_write("1", "events/sched/sched_switch/enable"));
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(1, write(to[1], &c, 1));
		ASSERT_EQ(1, read(fro[0], &c, 1));
	}
	ASSERT_EQ(0, tfs_write("0", "events/sched/sched_switch/enable"));
	close(to[1]);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	for (pos = text; trace_next(&pos, &line);) {
		ASSERT_STREQ("sched_switch", line.event);
		if (line.cpu)
			continue;
		ASSERT_TRUE(line_number(&line, "prev_pid=", &prev));
		ASSERT_TRUE(line_number(&line, "next_pid=", &next));
		/* The task that is switched from records the event. */
		EXPECT_EQ(prev, line.pid);
		/* This is the task that the CPU switched to before. */
		if (last >= 0)
			EXPECT_EQ(last, prev);
		last = next;
		if (prev == self->pid)
			EXPECT_TRUE(line_has(&line, "prev_comm=switch parent "));
		if (next == child) {
			EXPECT_TRUE(line_has(&line, "next_comm=switch-child "));
			entered++;
		}
		if (prev == child) {
			EXPECT_TRUE(line_has(&line, "prev_comm=switch-child "));
			EXPECT_STREQ("switch-child", line.comm);
			if (line_has(&line, "prev_state=S"))
				left++;
		}
	}
	EXPECT_EQ(rounds, left);
	EXPECT_EQ(rounds, entered);
	free(text);
}

TEST_F(events, exec_and_fork)
{
	const int execs = 5;
	char want[64];
	char *text;
	int i, child, status;

	ASSERT_EQ(0, tfs_write("1", "events/sched/sched_process_exec/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/sched/sched_process_fork/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/sched/sched_process_exit/enable"));
	for (i = 0; i < execs; i++) {
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			close(0);
			close(1);
			close(2);
			execl("/proc/self/exe", "events", "-h", NULL);
			_exit(127);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_NE(127, WEXITSTATUS(status));
	}
	ASSERT_EQ(0, tfs_write("0", "events/enable"));

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(execs, trace_count(text, "sched_process_exec", 0,
				     "filename=/proc/self/exe "));
	snprintf(want, sizeof(want), "pid=%d old_pid=%d", child, child);
	EXPECT_EQ(1, trace_count(text, "sched_process_exec", child, want));
	EXPECT_EQ(execs, trace_count(text, "sched_process_fork", self->pid, NULL));
	snprintf(want, sizeof(want), "child_pid=%d", child);
	EXPECT_EQ(1, trace_count(text, "sched_process_fork", self->pid, want));
	snprintf(want, sizeof(want), "pid=%d ", child);
	EXPECT_EQ(1, trace_count(text, "sched_process_exit", child, want));
	free(text);
}

/* Each softirq_entry is followed by a softirq_exit with the same number. */
TEST_F(events, softirq_pairs)
{
	struct trace_line line;
	long vec, inside[64];
	const char *pos;
	char *text;
	int entries = 0, i;

	for (i = 0; i < 64; i++)
		inside[i] = -1;
	/* In this order, the exit of every recorded entry is recorded. */
	ASSERT_EQ(0, tfs_write("1", "events/irq/softirq_exit/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/irq/softirq_entry/enable"));
	for (i = 0; i < 20; i++)
		usleep(5000);
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	ASSERT_EQ(0, tfs_write("0", "events/irq/enable"));

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	for (pos = text; trace_next(&pos, &line);) {
		ASSERT_GT(64, line.cpu);
		ASSERT_TRUE(line_number(&line, "vec=", &vec));
		if (!strcmp(line.event, "softirq_entry")) {
			EXPECT_EQ(-1, inside[line.cpu]);
			inside[line.cpu] = vec;
			entries++;
		} else if (inside[line.cpu] >= 0) {
			EXPECT_EQ(inside[line.cpu], vec);
			inside[line.cpu] = -1;
		}
		/* The flags show that this is a softirq. */
		EXPECT_EQ('s', line.flags[2]);
	}
	EXPECT_LT(0, entries);
	free(text);
}

/* The count of interrupt @irq in /proc/interrupts, all CPUs; -1: no such line. */
static long irq_count(const char *irq)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char buf[512];
	long sum = -1;

	while (f && fgets(buf, sizeof(buf), f)) {
		char *p = buf + strspn(buf, " "), *end;
		long n;

		if (strncmp(p, irq, strlen(irq)))
			continue;
		for (sum = 0, p += strlen(irq); ; p = end) {
			n = strtol(p, &end, 10);
			if (end == p)
				break;
			sum += n;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* An interrupt of the serial port fires irq_handler_entry and irq_handler_exit once. */
TEST_F(events, irq_handler)
{
	int tty = open("/dev/ttyS0", O_WRONLY | O_NOCTTY | O_NONBLOCK);
	long before, after;
	char *text;
	int i, entries;

	before = irq_count("4:");
	if (tty < 0 || before < 0)
		SKIP(return, "no serial line with an interrupt");
	before = irq_count("4:");
	ASSERT_EQ(0, tfs_write("1", "events/irq/irq_handler_entry/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/irq/irq_handler_exit/enable"));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(2, write(tty, "#\n", 2));
		usleep(20000);
	}
	ASSERT_EQ(0, tfs_write("0", "events/irq/enable"));
	after = irq_count("4:");
	close(tty);

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	entries = trace_count(text, "irq_handler_entry", 0, "irq=4 name=ttyS0");
	EXPECT_LE(5, entries);
	EXPECT_GE(after - before, entries);
	EXPECT_EQ(entries, trace_count(text, "irq_handler_exit", 0,
				       "irq=4 ret="));
	free(text);
}

/* Each sleep starts one timer, and the same timer expires. */
TEST_F(events, hrtimer)
{
	const struct timespec delay = { .tv_nsec = 2000000 };
	const int sleeps = 10;
	struct trace_line line;
	char timer[64] = "";
	const char *pos, *p;
	char *text;
	int i, started = 0, expired = 0;

	ASSERT_EQ(0, tfs_write("1", "events/timer/hrtimer_start/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/timer/hrtimer_expire_entry/enable"));
	for (i = 0; i < sleeps; i++)
		ASSERT_EQ(0, nanosleep(&delay, NULL));
	ASSERT_EQ(0, tfs_write("0", "events/timer/enable"));

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	for (pos = text; trace_next(&pos, &line);) {
		if (!line_has(&line, "function=hrtimer_wakeup"))
			continue;
		p = memmem(line.text, line.text_len, "hrtimer=", 8);
		ASSERT_NE(NULL, p);
		if (!strcmp(line.event, "hrtimer_start") && line.pid == self->pid) {
			snprintf(timer, sizeof(timer), "%.*s",
				 (int)strcspn(p + 8, " "), p + 8);
			EXPECT_EQ(started, expired);
			started++;
		} else if (!strcmp(line.event, "hrtimer_expire_entry") &&
			   timer[0] && !strncmp(p + 8, timer, strlen(timer))) {
			expired++;
		}
	}
	EXPECT_EQ(sleeps, started);
	EXPECT_EQ(sleeps, expired);
	free(text);
}

static int loopback_up(int sock)
{
	struct ifreq ifr = { .ifr_name = "lo" };

	if (ioctl(sock, SIOCGIFFLAGS, &ifr))
		return -1;
	ifr.ifr_flags |= IFF_UP;
	return ioctl(sock, SIOCSIFFLAGS, &ifr);
}

/* A datagram to the loopback device is sent once and received once. */
TEST_F(events, net_loopback)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	const int datagrams = 20;
	char buf[333] = "";	/* a length that nothing else sends */
	char *text;
	int rx, tx, i;

	rx = socket(AF_INET, SOCK_DGRAM, 0);
	tx = socket(AF_INET, SOCK_DGRAM, 0);
	ASSERT_LE(0, rx);
	ASSERT_LE(0, tx);
	ASSERT_EQ(0, loopback_up(rx));
	ASSERT_EQ(0, bind(rx, (struct sockaddr *)&addr, len));
	ASSERT_EQ(0, getsockname(rx, (struct sockaddr *)&addr, &len));

	ASSERT_EQ(0, tfs_write("1", "events/net/net_dev_xmit/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/net/netif_receive_skb/enable"));
	for (i = 0; i < datagrams; i++) {
		ASSERT_EQ(sizeof(buf), sendto(tx, buf, sizeof(buf), 0,
					      (struct sockaddr *)&addr, len));
		ASSERT_EQ(sizeof(buf), recv(rx, buf, sizeof(buf), 0));
	}
	ASSERT_EQ(0, tfs_write("0", "events/net/enable"));

	text = fd_text(self->pipe);
	ASSERT_NE(NULL, text);
	/* Ethernet, IP and UDP headers are 14, 20 and 8 bytes. */
	EXPECT_EQ(datagrams, trace_count(text, "net_dev_xmit", self->pid, "len=375 rc=0"));
	EXPECT_EQ(datagrams, trace_count(text, "net_dev_xmit", self->pid, "dev=lo "));
	EXPECT_EQ(datagrams, trace_count(text, "netif_receive_skb", 0, "len=361"));
	free(text);
	close(rx);
	close(tx);
}

TEST_HARNESS_MAIN
