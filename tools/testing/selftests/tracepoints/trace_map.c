// SPDX-License-Identifier: GPL-2.0
/*
 * mmap() of per_cpu/cpuN/trace_pipe_raw: records are read from the mapping, and
 * operations that would move them are refused meanwhile. The kernel's own test of
 * the mapping is tools/testing/selftests/ring-buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <linux/trace_mmap.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define HEADER		16		/* time stamp and commit */
#define COMMIT_MASK	0xfffff
#define MISSED		0x80000000UL

struct mapping {
	int fd;
	const struct trace_buffer_meta *meta;
	const char *data;
	long size, nr;		/* size of a sub-buffer, number of sub-buffers */
};

FIXTURE(map)
{
	struct mapping m;
};

FIXTURE_VARIANT(map)
{
	const char *kb;
};

FIXTURE_VARIANT_ADD(map, of_4k)
{
	.kb = "4",
};

FIXTURE_VARIANT_ADD(map, of_16k)
{
	.kb = "16",
};

FIXTURE_SETUP(map)
{
	tfs_reset();
	ASSERT_EQ(0, tfs_write("50", "buffer_percent"));
	ASSERT_EQ(0, tfs_write(variant->kb, "buffer_subbuf_size_kb"));
	ASSERT_EQ(0, tfs_write("64", "buffer_size_kb"));
	ASSERT_EQ(0, pin_to_cpu(0));
	self->m.fd = tfs_open(O_RDONLY | O_NONBLOCK, "per_cpu/cpu0/trace_pipe_raw");
	ASSERT_LE(0, self->m.fd);
	EXPECT_EQ(-1, ioctl(self->m.fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_EQ(ENODEV, errno);
	self->m.meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, self->m.fd, 0);
	ASSERT_NE(MAP_FAILED, self->m.meta);
	self->m.size = self->m.meta->subbuf_size;
	self->m.nr = self->m.meta->nr_subbufs;
	ASSERT_EQ(atol(variant->kb) * 1024, self->m.size);
	ASSERT_EQ(self->m.size, self->m.meta->meta_page_size);
	self->m.data = mmap(NULL, self->m.nr * self->m.size, PROT_READ, MAP_SHARED,
			    self->m.fd, self->m.size);
	ASSERT_NE(MAP_FAILED, self->m.data);
}

static void unmap(struct mapping *map)
{
	if (!map->meta)
		return;
	munmap((void *)map->meta, getpagesize());
	munmap((void *)map->data, map->nr * map->size);
	map->meta = NULL;
}

FIXTURE_TEARDOWN(map)
{
	unmap(&self->m);
	close(self->m.fd);
	tfs_write("4", "buffer_subbuf_size_kb");
	tfs_reset();
}

static unsigned long page_commit(const char *page)
{
	unsigned long commit;

	memcpy(&commit, page + 8, sizeof(commit));
	return commit;
}

/*
 * Check that the records on the reader page from @from bytes on have the numbers from
 * @first on. Return: the number of records; -1: a different number was found.
 */
static long look(const struct mapping *map, long first, unsigned long from)
{
	const char *page = map->data + map->meta->reader.id * map->size, *p;
	unsigned long commit = page_commit(page) & COMMIT_MASK;
	uint32_t head, array;
	long n = 0, number;

	for (p = page + HEADER + from; p < page + HEADER + commit; ) {
		memcpy(&head, p, sizeof(head));
		memcpy(&array, p + 4, sizeof(array));
		if ((head & 31) >= 30) {
			p += 8;
			continue;
		}
		if ((head & 31) == 29) {
			p += 4 + array;
			continue;
		}
		if (sscanf(p + 4 + 16, "number %ld of", &number) != 1 || number != first + n)
			return -1;
		p += 4 + (head & 31) * 4;
		n++;
	}
	return n;
}

static int get_reader(const struct mapping *map)
{
	return ioctl(map->fd, TRACE_MMAP_IOCTL_GET_READER) ? -errno : 0;
}

/* Read by the mapping until there are no new records. */
static long look_all(const struct mapping *map, long first)
{
	unsigned long id, done;
	long n = 0, more;

	for (;;) {
		id = map->meta->reader.id;
		done = map->meta->reader.read;
		if (get_reader(map))
			return -1;
		/* It is a new reader page, or the same one with more records. */
		more = look(map, first + n, id == map->meta->reader.id ? done : 0);
		if (more <= 0)
			return more ? more : n;
		n += more;
	}
}

TEST_F(map, read)
{
	long seen = 0, n, i;

	EXPECT_EQ(0, look_all(&self->m, 0));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, tfs_mark(seen, 7 * i + 1));
		n = look_all(&self->m, seen);
		ASSERT_EQ(7 * i + 1, n);
		seen += n;
		EXPECT_EQ(seen, self->m.meta->read);
		EXPECT_EQ(seen, self->m.meta->entries);
		EXPECT_EQ(0, self->m.meta->overrun);
	}
}

TEST_F(map, overrun)
{
	const char *page;

	ASSERT_EQ(0, tfs_mark(0, 4000));
	ASSERT_EQ(0, get_reader(&self->m));
	EXPECT_EQ(4000, self->m.meta->entries);
	ASSERT_LT(0, self->m.meta->overrun);
	page = self->m.data + self->m.meta->reader.id * self->m.size;
	EXPECT_TRUE(page_commit(page) & MISSED);
	EXPECT_LT(0, look(&self->m, self->m.meta->overrun, 0));
}

/* While the ring is mapped, its shape cannot be changed, but it can be read. */
TEST_F(map, refuses)
{
	int pipes[2];
	char *buf = malloc(self->m.size);

	ASSERT_NE(NULL, buf);
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EBUSY, tfs_write("8", "buffer_subbuf_size_kb"));
	EXPECT_EQ(-EBUSY, tfs_write("128", "buffer_size_kb"));
	EXPECT_EQ(-EBUSY, tfs_write("128", "per_cpu/cpu0/buffer_size_kb"));
	EXPECT_TRUE(tfs_is(variant->kb, "buffer_subbuf_size_kb"));
	ASSERT_EQ(0, tfs_mark(0, 1000));
	EXPECT_EQ(self->m.size, splice(self->m.fd, NULL, pipes[1], NULL, self->m.size, 0));
	EXPECT_EQ(self->m.size, read(self->m.fd, buf, self->m.size));

	unmap(&self->m);
	EXPECT_EQ(-ENODEV, get_reader(&self->m));
	EXPECT_EQ(0, tfs_write("8", "buffer_subbuf_size_kb"));
	EXPECT_EQ(0, tfs_write("128", "buffer_size_kb"));
	close(pipes[0]);
	close(pipes[1]);
	free(buf);
}

static int try_map(int fd, size_t size, int prot, int flags, off_t off)
{
	void *p = mmap(NULL, size, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

TEST_F(map, errors)
{
	long page = getpagesize(), all = (self->m.nr + 1) * self->m.size;

	EXPECT_EQ(0, try_map(self->m.fd, all, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->m.fd, all + page, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->m.fd, page, PROT_READ, MAP_SHARED, all));
	EXPECT_EQ(-EPERM, try_map(self->m.fd, page, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_EQ(-EPERM, try_map(self->m.fd, page, PROT_READ | PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, try_map(self->m.fd, page, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	if (self->m.size > page)
		EXPECT_EQ(-EINVAL, try_map(self->m.fd, page, PROT_READ, MAP_SHARED, page));
	/* A mapping can only be unmapped whole, and cannot be made writable. */
	EXPECT_EQ(-1, munmap((void *)self->m.data, page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, mprotect((void *)self->m.meta, page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mremap((void *)self->m.meta, page, 2 * page, MREMAP_MAYMOVE));
}

static bool all_zero(const char *page)
{
	return !page[0] && !memcmp(page, page + 1, getpagesize() - 1);
}

/* The mapping outlives the descriptor, and is not inherited by a child. */
TEST_F(map, outlives)
{
	int status = -1, fd = tfs_open(O_RDONLY, "per_cpu/cpu0/trace_pipe_raw");
	void *meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	pid_t pid;

	ASSERT_NE(MAP_FAILED, meta);
	close(fd);
	ASSERT_EQ(0, tfs_mark(0, 3));
	EXPECT_EQ(3, look_all(&self->m, 0));
	EXPECT_EQ(3, ((struct trace_buffer_meta *)meta)->read);
	pid = fork();
	if (!pid)
		_exit(!all_zero(self->m.data));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	EXPECT_EQ(-EBUSY, tfs_write("8", "buffer_subbuf_size_kb"));
	munmap(meta, getpagesize());
	EXPECT_EQ(-EBUSY, tfs_write("8", "buffer_subbuf_size_kb"));
}

/* The ioctl waits until the ring has records, or until recording is switched off. */
TEST_F(map, waits)
{
	int status = -1, fd = tfs_open(O_RDONLY, "per_cpu/cpu0/trace_pipe_raw");
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tfs_write("0", "buffer_percent"));
	pid = fork();
	if (!pid)
		_exit(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) != 0);
	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, tfs_mark(0, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, self->m.meta->read);
	EXPECT_EQ(1, look(&self->m, 0, 0));

	pid = fork();
	if (!pid)
		_exit(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) != 0);
	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, tfs_write("0", "tracing_on"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, self->m.meta->read);
	tfs_write("50", "buffer_percent");
	close(fd);
}

/* Emptying the ring resets the counters in the mapping. */
TEST_F(map, emptied)
{
	int fd;

	ASSERT_EQ(0, tfs_mark(0, 5));
	EXPECT_EQ(5, look_all(&self->m, 0));
	fd = tfs_open(O_WRONLY | O_TRUNC, "trace");
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_EQ(0, self->m.meta->entries);
	EXPECT_EQ(0, self->m.meta->read);
	EXPECT_EQ(0, self->m.meta->reader.read);
	ASSERT_EQ(0, tfs_mark(100, 5));
	EXPECT_EQ(5, look_all(&self->m, 100));
}

TEST_HARNESS_MAIN
