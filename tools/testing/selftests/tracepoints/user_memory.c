// SPDX-License-Identifier: GPL-2.0
/*
 * Events of user space: the bits in the memory of processes that tell whether an event is
 * recorded. What a process does with its memory must not delay others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "failing.h"
#include "tracefs.h"
#include "user_reg.h"

#define SYSTEM	"user_events"
#define EVENT	"um_test"
#define PAGE	4096UL
#define BIT31	0x80000000U

/* Long enough for a slow guest, and less than any time out that would hide a stall */
#define STALL_SECS	10

/* What registering an address gives that cannot be written */
static int cannot_write(void)
{
	return is_strobe() ? -EFAULT : -ENOMEM;
}

FIXTURE(memory)
{
	int fd;
	unsigned int *word;	/* at the start of two pages of their own */
	long taint;
};

static unsigned int *pages_make(int prot, int flags)
{
	return mmap(NULL, 2 * PAGE, prot, flags | MAP_ANONYMOUS, -1, 0);
}

FIXTURE_SETUP(memory)
{
	tfs_reset();
	self->taint = taint_bits();
	self->fd = user_open();
	if (self->fd == -ENOENT)
		SKIP(return, "no events of user space");
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(user_all_gone());
	self->word = pages_make(PROT_READ | PROT_WRITE, MAP_PRIVATE);
	ASSERT_NE(MAP_FAILED, self->word);
}

FIXTURE_TEARDOWN(memory)
{
	tfs_reset();
	close(self->fd);
	EXPECT_EQ(self->taint, taint_bits());
}

static int reg(int fd, void *word, int bit)
{
	return user_reg(fd, EVENT " u32 a", word, 4, bit, 0);
}

/* The exit status of a child, or -signal. */
static int reap(int pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1000;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Each bit of each size, and no other one */
TEST_F(memory, bits)
{
	unsigned long *words = (unsigned long *)self->word;
	static const struct {
		int offset, size, bit;
		unsigned long want[2];
	} cases[] = {
		{ 0, 4, 0, { 1 } },		{ 0, 4, 31, { 1UL << 31 } },
		{ 4, 4, 0, { 1UL << 32 } },	{ 4, 4, 31, { 1UL << 63 } },
		{ 12, 4, 5, { 0, 1UL << 37 } },	{ 8, 8, 63, { 0, 1UL << 63 } },
		{ 0, 8, 33, { 1UL << 33 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *at = (char *)words + cases[i].offset;
		int fill;

		for (fill = 0; fill < 2; fill++) {
			unsigned long other = fill ? ~0UL : 0;

			words[0] = other & ~cases[i].want[0];
			words[1] = other & ~cases[i].want[1];
			ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", at, cases[i].size,
					      cases[i].bit, 0));
			ASSERT_EQ(0, user_enable(EVENT, true));
			EXPECT_EQ(cases[i].want[0] | other, words[0]);
			EXPECT_EQ(cases[i].want[1] | other, words[1]);
			ASSERT_EQ(0, user_enable(EVENT, false));
			EXPECT_EQ(other & ~cases[i].want[0], words[0]);
			EXPECT_EQ(other & ~cases[i].want[1], words[1]);
			ASSERT_EQ(0, user_unreg(self->fd, at, cases[i].bit));
		}
	}
	/* Registering writes the bit as well, and unregistering clears it. */
	*self->word = ~0;
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	EXPECT_EQ(~BIT31, *self->word);
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(~0U, *self->word);
	ASSERT_EQ(0, user_unreg(self->fd, self->word, 31));
	EXPECT_EQ(~BIT31, *self->word);
}

/* The bit is on until the last user has gone. */
TEST_F(memory, several_users)
{
	int perf;

	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, instance_make("um"));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, tfs_write("1", "instances/um/events/" SYSTEM "/" EVENT "/enable"));
	perf = attach_counter(SYSTEM, EVENT);
	ASSERT_LE(0, perf);
	EXPECT_EQ(BIT31, *self->word);
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_EQ(BIT31, *self->word);
	ASSERT_EQ(0, instance_remove("um"));
	EXPECT_EQ(BIT31, *self->word);
	EXPECT_EQ(8, user_write(self->fd, 0, self->word, 4));
	EXPECT_EQ(1, attach_count(perf));
	close(perf);
	EXPECT_EQ(0, *self->word);
	EXPECT_EQ(-EBADF, user_write(self->fd, 0, self->word, 4));
}

/* A page that is not present is faulted in. */
TEST_F(memory, absent_page)
{
	unsigned int *file;
	int fd;

	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, madvise(self->word, PAGE, MADV_DONTNEED));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_TRUE(user_becomes(self->word, BIT31));
	ASSERT_EQ(0, madvise(self->word, PAGE, MADV_PAGEOUT));
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_TRUE(user_becomes(self->word, 0));
	ASSERT_EQ(0, user_unreg(self->fd, self->word, 31));
	/* A page of a file */
	fd = memfd_create("words", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, file);
	ASSERT_EQ(0, reg(self->fd, file, 31));
	ASSERT_EQ(0, madvise(file, PAGE, MADV_DONTNEED));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_TRUE(user_becomes(file, BIT31));
	/* A hole in it: the bit cannot be written, and nothing else happens. */
	ASSERT_EQ(0, ftruncate(fd, 0));
	EXPECT_EQ(0, user_enable(EVENT, false));
	EXPECT_EQ(-EFAULT, user_unreg(self->fd, file, 31));
	EXPECT_EQ(cannot_write(), reg(self->fd, file, 31));
}

TEST_F(memory, read_only_page)
{
	unsigned int *page = pages_make(PROT_READ, MAP_PRIVATE);

	EXPECT_EQ(cannot_write(), reg(self->fd, page, 0));
	EXPECT_EQ(cannot_write(), reg(self->fd, NULL, 0));
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, mprotect(self->word, PAGE, PROT_READ));
	ASSERT_EQ(0, user_enable(EVENT, true));
	usleep(200000);
	EXPECT_EQ(0, *self->word);
	/* The next change finds it writable again. */
	ASSERT_EQ(0, mprotect(self->word, PAGE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, user_enable(EVENT, false));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_TRUE(user_becomes(self->word, BIT31));
	ASSERT_EQ(0, mprotect(self->word, PAGE, PROT_NONE));
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_EQ(-EFAULT, user_unreg(self->fd, self->word, 31));
}

TEST_F(memory, unmapped)
{
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, munmap(self->word, PAGE));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, user_enable(EVENT, false));
	/* It does not follow the event any more, although the bit cannot be cleared. */
	EXPECT_EQ(-EFAULT, user_unreg(self->fd, self->word, 31));
	if (is_strobe())
		EXPECT_EQ(-ENOENT, user_unreg(self->fd, self->word, 31));
}

/* The bit stays at its address. */
TEST_F(memory, moved)
{
	unsigned int *old = self->word, *new = pages_make(PROT_READ | PROT_WRITE, MAP_PRIVATE);

	ASSERT_EQ(0, reg(self->fd, old, 31));
	ASSERT_EQ(new, mremap(old, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, new));
	ASSERT_EQ(0, user_enable(EVENT, true));
	usleep(100000);
	EXPECT_EQ(0, *new);
	ASSERT_EQ(old, mmap(old, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	ASSERT_EQ(0, user_enable(EVENT, false));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_TRUE(user_becomes(old, BIT31));
	EXPECT_EQ(0, *new);
}

TEST_F(memory, fork)
{
	int pid, go[2], pair[2];
	char c;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(pair));
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, reg(self->fd, self->word, 1));
	ASSERT_EQ(0, user_unreg(self->fd, self->word, 1));
	pid = fork();
	if (!pid) {
		/* The child has a copy of the bit, and of the page. */
		if (read(go[0], &c, 1) != 1 || !user_becomes(self->word, BIT31))
			_exit(1);
		if (reg(self->fd, self->word, 31) != -EADDRINUSE)
			_exit(2);
		if (user_unreg(self->fd, self->word, 1) != -ENOENT)
			_exit(3);
		if (user_unreg(self->fd, self->word, 31) || *self->word)
			_exit(4);
		if (write(pair[1], "x", 1) != 1)
			_exit(5);
		if (read(go[0], &c, 1) != 1 || *self->word)
			_exit(6);
		_exit(0);
	}
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_TRUE(user_becomes(self->word, BIT31));
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(1, read(pair[0], &c, 1));
	EXPECT_EQ(BIT31, *self->word);
	ASSERT_EQ(0, user_enable(EVENT, false));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(1, write(go[1], "x", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(BIT31, *self->word);
	/* A child of one that is on */
	pid = fork();
	if (!pid)
		_exit(*self->word == BIT31 && !user_enable(EVENT, false) &&
		      user_becomes(self->word, 0) ? 0 : 1);
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(0, *self->word);
}

/* The child's bit is written, although the page that had it is away when it is copied. */
TEST_F(memory, fork_without_the_page)
{
	int pid;

	if (!is_strobe())
		SKIP(return, "classic does not look at the page");
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_TRUE(user_becomes(self->word, BIT31));
	ASSERT_EQ(0, madvise(self->word, PAGE, MADV_DONTNEED));
	pid = fork();
	if (!pid)
		_exit(user_becomes(self->word, BIT31) ? 0 : 1);
	EXPECT_EQ(0, reap(pid));
}

static void *sleep_until_killed(void *arg)
{
	pause();
	return NULL;
}

/* The last thread that exits, and exec, remove the bits: the event is unused then. */
TEST_F(memory, exec_and_exit)
{
	pthread_t thread;
	int how, pid, fd;

	for (how = 0; how < 4; how++) {
		fd = user_open();
		pid = fork();
		if (!pid) {
			alarm(60);
			if (reg(fd, self->word, 31))
				_exit(1);
			close(fd);
			close(self->fd);
			usleep(100000);
			if (!user_exists(SYSTEM, EVENT))
				_exit(2);
			if (how == 1 || how == 2)
				pthread_create(&thread, NULL, sleep_until_killed, NULL);
			if (how == 2)
				kill(getpid(), SIGKILL);
			if (how == 3) {
				fcntl(0, F_SETFD, 0);
				execl("/proc/self/exe", "user_memory", "--wait", NULL);
				_exit(3);
			}
			_exit(0);
		}
		close(fd);
		if (how == 3) {
			EXPECT_TRUE(user_gone(SYSTEM, EVENT));
			kill(pid, SIGKILL);
		}
		EXPECT_EQ(how == 2 || how == 3 ? -SIGKILL : 0, reap(pid)) {
			TH_LOG("way %d", how);
		}
		EXPECT_TRUE(user_gone(SYSTEM, EVENT)) {
			TH_LOG("way %d", how);
		}
	}
}

struct racer {
	int fd;
	unsigned int *page;
	bool stop;
};

static void *reg_in_thread(void *arg)
{
	const struct racer *race = arg;

	return (void *)(long)reg(race->fd, race->page, 31);
}

static pthread_barrier_t barrier;

static void *reg_in_old_thread(void *arg)
{
	pthread_barrier_wait(&barrier);
	return reg_in_thread(arg);
}

TEST_F(memory, threads)
{
	struct racer race = { .fd = self->fd, .page = self->word };
	pthread_t old, new;
	void *ret;

	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&old, NULL, reg_in_old_thread, &race));
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, pthread_create(&new, NULL, reg_in_thread, &race));
	ASSERT_EQ(0, pthread_join(new, &ret));
	EXPECT_EQ(-EADDRINUSE, (long)ret);
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, pthread_join(old, &ret));
	/* Classic does not know that a thread from before the first registration is one. */
	if (is_strobe())
		EXPECT_EQ(-EADDRINUSE, (long)ret);
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(BIT31, *self->word);
}

/* Let the returned fd get the faults of a page. They wait until uffd_answer(). */
static int uffd_make(void *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (unsigned long)page, PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static int uffd_wait_fault(int fd)
{
	struct uffd_msg msg;
	int i;

	for (i = 0; i < 1000; i++) {
		if (read(fd, &msg, sizeof(msg)) == sizeof(msg))
			return msg.event == UFFD_EVENT_PAGEFAULT ? 0 : -EINVAL;
		usleep(10000);
	}
	return -ETIME;
}

/* Let the page be there. With UFFDIO_ZEROPAGE_MODE_DONTWAKE, tasks keep waiting for it. */
static int uffd_fill(int fd, void *page, int mode)
{
	struct uffdio_zeropage zero = {
		.range = { (unsigned long)page, PAGE },
		.mode = mode,
	};

	return ioctl(fd, UFFDIO_ZEROPAGE, &zero) ? -errno : 0;
}

static int uffd_answer(int fd, void *page)
{
	return uffd_fill(fd, page, 0);
}

/* Memory that takes for ever delays nothing but its own bit. */
TEST_F(memory, stalled_fault)
{
	unsigned int *other = self->word + PAGE / sizeof(int);
	double start;
	int uffd;

	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(1, user_reg(self->fd, "um_other", other, 4, 31, 0));
	ASSERT_EQ(0, madvise(self->word, PAGE, MADV_DONTNEED));
	uffd = uffd_make(self->word);
	if (uffd < 0)
		SKIP(return, "no userfaultfd");
	start = seconds();
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, uffd_wait_fault(uffd));
	/* All else goes on: this event, others, and the files. */
	ASSERT_EQ(0, user_enable(EVENT, false));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, user_enable("um_other", true));
	EXPECT_EQ(8, user_write(self->fd, 0, other, 4));
	EXPECT_EQ(0, tfs_write("1", "events/sched/sched_switch/enable"));
	EXPECT_EQ(0, tfs_write("0", "events/sched/sched_switch/enable"));
	EXPECT_EQ(2, user_reg(self->fd, "um_third", other, 4, 30, 0));
	EXPECT_GT(STALL_SECS, seconds() - start);
	if (is_strobe())
		EXPECT_EQ(BIT31, *other);
	ASSERT_EQ(0, uffd_answer(uffd, self->word));
	EXPECT_TRUE(user_becomes(self->word, BIT31));
	EXPECT_TRUE(user_becomes(other, BIT31));
	close(uffd);
}

/* A word is not written any more after it was unregistered, although a write has stalled. */
TEST_F(memory, unregistered_while_stalled)
{
	struct uffdio_range range = { (unsigned long)self->word, PAGE };
	unsigned int *other = self->word + PAGE / sizeof(int);
	int uffd;

	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(1, user_reg(self->fd, "um_other", other, 4, 31, 0));
	ASSERT_EQ(0, madvise(self->word, 2 * PAGE, MADV_DONTNEED));
	uffd = uffd_make(self->word);
	if (uffd < 0)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, uffd_wait_fault(uffd));
	/* Its page is not there, so it is written after the first one. */
	ASSERT_EQ(0, user_enable("um_other", true));
	ASSERT_EQ(0, uffd_fill(uffd, self->word, UFFDIO_ZEROPAGE_MODE_DONTWAKE));
	ASSERT_EQ(0, user_unreg(self->fd, self->word, 31));
	*self->word = ~0;
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_WAKE, &range));
	EXPECT_TRUE(user_becomes(other, BIT31));
	EXPECT_EQ(~0U, *self->word);
	close(uffd);
}

/* A process that registers memory which takes for ever does not delay others that register. */
TEST_F(memory, stalled_registration)
{
	double start;
	int pid, uffd;

	if (!is_strobe())
		SKIP(return, "classic holds a lock meanwhile");
	uffd = uffd_make(self->word);
	if (uffd < 0)
		SKIP(return, "no userfaultfd");
	close(uffd);
	pid = fork();
	if (!pid) {
		uffd = uffd_make(self->word);
		_exit(-reg(self->fd, self->word, 31));
	}
	/* The child sleeps in the fault. */
	EXPECT_TRUE(wait_asleep(pid));
	start = seconds();
	EXPECT_EQ(0, reg(self->fd, self->word, 31));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(BIT31, *self->word);
	EXPECT_GT(STALL_SECS, seconds() - start);
	/* It can be killed. */
	kill(pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, reap(pid));
}

/* A process exits although a write of its bit has stalled, and another one has the uffd. */
TEST_F(memory, exit_while_stalled)
{
	double start;
	int pid, uffd = -1, ready[2], hold[2];
	char c;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(hold));
	pid = fork();
	if (!pid) {
		if (reg(self->fd, self->word, 31) ||
		    madvise(self->word, PAGE, MADV_DONTNEED))
			_exit(1);
		uffd = uffd_make(self->word);
		if (uffd < 0)
			_exit(77);
		/* A child without bits keeps the uffd open, until the test closes the pipe. */
		if (!fork()) {
			close(hold[1]);
			_exit(user_unreg(self->fd, self->word, 31) || read(hold[0], &c, 1));
		}
		if (write(ready[1], "x", 1) != 1 || uffd_wait_fault(uffd))
			_exit(2);
		if (write(ready[1], "x", 1) != 1)
			_exit(3);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		reap(pid);
		SKIP(return, "no userfaultfd");
	}
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(1, read(ready[0], &c, 1));
	start = seconds();
	kill(pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, reap(pid));
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_GT(STALL_SECS, seconds() - start);
	close(hold[1]);
	close(self->fd);
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	self->fd = user_open();
}

/* A registration without memory leaves no event, and no bit. */
TEST_F_TIMEOUT(memory, failed_allocations, 120)
{
	int nth, ret, fd, refused = 0;
	bool failed = true;

	if (!is_strobe())
		SKIP(return, "classic leaves failed operations half done");
	if (!failing_possible())
		SKIP(return, "no failing allocations");
	for (nth = 1; failed && nth < 500; nth++) {
		fd = user_open();
		ASSERT_LE(0, fd);
		fail_begin(nth);
		ret = reg(fd, self->word, 31);
		failed = fail_end();
		if (ret) {
			refused++;
			EXPECT_TRUE(failed);
			/* EFAULT: there was no memory to map the page. */
			EXPECT_TRUE(ret == -ENOMEM || ret == -EFAULT);
		}
		EXPECT_EQ(ret ? -ENOENT : 0, user_unreg(fd, self->word, 31));
		close(fd);
		EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	}
	EXPECT_FALSE(failed);
	EXPECT_LT(0, refused);
	TH_LOG("%d allocations, %d registrations refused", nth - 2, refused);
}

/* What the processes of a storm do: register, fork, write, unregister, exit, unmap. */
static void storm_step(int fd, unsigned int *page, unsigned int step)
{
	int index, pid, bit = step % 32;

	index = user_reg(fd, step % 3 ? EVENT " u32 a" : "um_other u64 b", page + step % 64, 4,
			 bit, 0);
	if (index >= 0)
		user_write(fd, index, page, 8);
	switch (step % 7) {
	case 0:
		madvise(page, PAGE, MADV_DONTNEED);
		break;
	case 1:
		pid = fork();
		if (!pid) {
			user_write(fd, 0, page, 8);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		break;
	case 2:
		user_write(fd, -1, page, 8);
		user_write(fd, 1, (void *)-1UL, 8);
		break;
	case 3:
		mprotect(page, PAGE, PROT_READ);
		break;
	case 4:
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		break;
	case 5:
		user_delete(fd, EVENT);
		break;
	}
	if (step % 2)
		user_unreg(fd, page + step % 64, bit);
}

static void storm_process(unsigned int seed)
{
	unsigned int *page = pages_make(PROT_READ | PROT_WRITE, MAP_PRIVATE);
	unsigned int i;
	int fd;

	for (i = 0; ; i++) {
		fd = user_open();
		storm_step(fd, page, seed + 5 * i);
		close(fd);
		if (i % 16 == 15)
			break;
	}
	_exit(0);
}

TEST_F_TIMEOUT(memory, storm, 180)
{
	double end = seconds() + 10;
	unsigned int i = 0, n = 0;
	int pids[6] = { };

	while (seconds() < end) {
		int *pid = &pids[n++ % ARRAY_SIZE(pids)];

		if (*pid) {
			if (n % 5 == 0)
				kill(*pid, SIGKILL);
			waitpid(*pid, NULL, 0);
		}
		*pid = fork();
		if (!*pid)
			storm_process(n);
		i++;
		user_enable(i % 2 ? EVENT : "um_other", i % 4 < 2);
		tfs_write(i % 8 < 4 ? "1" : "0", "events/" SYSTEM "/enable");
	}
	for (n = 0; n < ARRAY_SIZE(pids); n++)
		waitpid(pids[n], NULL, 0);
	tfs_write("0", "events/enable");
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	EXPECT_TRUE(user_gone(SYSTEM, "um_other"));
}

static void *race_threads(void *arg)
{
	struct racer *race = arg;
	unsigned int i = 0;

	while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED)) {
		if (!reg(race->fd, race->page + i % 8, i % 3))
			user_write(race->fd, 0, race->page, 4);
		user_unreg(race->fd, race->page + (i + 5) % 8, (i + 5) % 3);
		i++;
	}
	return NULL;
}

/* Threads that register and unregister the same bits while the event is switched */
TEST_F_TIMEOUT(memory, racing_threads, 120)
{
	struct racer race = { .fd = self->fd, .page = self->word };
	pthread_t threads[4];
	unsigned int i, bit;
	double end;

	/* The bits of threads that are older than their first registration go with them. */
	ASSERT_EQ(0, reg(self->fd, self->word, 31));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, race_threads, &race));
	for (end = seconds() + 5; seconds() < end; i++)
		user_enable(EVENT, i % 2);
	__atomic_store_n(&race.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	/* In the end each bit is right. */
	user_unreg(self->fd, self->word, 31);
	for (i = 0; i < 8; i++)
		for (bit = 0; bit < 3; bit++)
			user_unreg(self->fd, race.page + i, bit);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, race.page[i]);
	EXPECT_EQ(0, reg(self->fd, race.page, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(1, race.page[0]);
}

static void __attribute__((constructor)) wait_if_told(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--wait")) {
		alarm(60);
		pause();
		_exit(0);
	}
}

TEST_HARNESS_MAIN
