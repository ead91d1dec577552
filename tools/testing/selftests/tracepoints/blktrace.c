// SPDX-License-Identifier: GPL-2.0
/*
 * blktrace: the ioctls, the relay files with its records, and the files in sysfs. The
 * traced device is a loop device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <linux/loop.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define DISK_SIZE	0x100000
#define BLOCK		4096
#define SECTOR		512

FIXTURE(blktrace)
{
	int disk;		/* the loop device */
	char name[32];		/* its name: loopN */
	char *block;		/* aligned buffer for reads and writes of the disk */
	char *records;		/* records that were read from relay */
	size_t len;		/* bytes in @records */
};

#define RECORDS_MAX	0x100000

FIXTURE_SETUP(blktrace)
{
	int control = open("/dev/loop-control", O_RDWR), number, file;
	char path[64];

	tfs_reset();
	ASSERT_LE(0, control);
	number = ioctl(control, LOOP_CTL_GET_FREE);
	close(control);
	ASSERT_LE(0, number);
	snprintf(self->name, sizeof(self->name), "loop%d", number);
	snprintf(path, sizeof(path), "/dev/%s", self->name);
	self->disk = open(path, O_RDWR | O_DIRECT);
	ASSERT_LE(0, self->disk);
	file = memfd_create("disk", 0);
	ASSERT_EQ(0, ftruncate(file, DISK_SIZE));
	ASSERT_EQ(0, ioctl(self->disk, LOOP_SET_FD, file));
	close(file);
	self->block = aligned_alloc(BLOCK, BLOCK);
	self->records = malloc(RECORDS_MAX);
	ASSERT_TRUE(self->block && self->records);
	memset(self->block, 'b', BLOCK);
}

FIXTURE_TEARDOWN(blktrace)
{
	tfs_write("0", "options/blk_cgroup");
	ioctl(self->disk, BLKTRACETEARDOWN);
	ioctl(self->disk, LOOP_CLR_FD);
	close(self->disk);
	free(self->block);
	free(self->records);
}

#define self_t	FIXTURE_DATA(blktrace)

static int set_up(self_t *self, const struct blk_user_trace_setup *wanted)
{
	struct blk_user_trace_setup setup = *wanted;

	if (!setup.buf_size) {
		setup.buf_size = 65536;
		setup.buf_nr = 4;
	}
	if (ioctl(self->disk, BLKTRACESETUP, &setup))
		return -errno;
	return strcmp(setup.name, self->name) ? -ENODEV : 0;
}

static ssize_t write_block(self_t *self, int sector)
{
	return pwrite(self->disk, self->block, BLOCK, sector * SECTOR);
}

static ssize_t read_block(self_t *self, int sector)
{
	return pread(self->disk, self->block, BLOCK, sector * SECTOR);
}

/* Read the records of all CPUs from relay. */
static void take_records(self_t *self)
{
	char path[96];
	ssize_t done;
	int cpu, fd;

	self->len = 0;
	for (cpu = 0; ; cpu++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/trace%d",
			 self->name, cpu);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			break;
		while ((done = read(fd, self->records + self->len,
				    RECORDS_MAX - self->len)) > 0)
			self->len += done;
		close(fd);
	}
}

/* Trace a write to sector 64 and a read from sector 128. */
static int trace_some(self_t *self)
{
	if (ioctl(self->disk, BLKTRACESTART))
		return -errno;
	if (write_block(self, 64) != BLOCK || read_block(self, 128) != BLOCK)
		return -EIO;
	if (ioctl(self->disk, BLKTRACESTOP))
		return -errno;
	take_records(self);
	return 0;
}

/* The record at *AT, which is moved to the next one; NULL: no more records, or a bad one. */
static const struct blk_io_trace *next_record(const self_t *self, size_t *at)
{
	const struct blk_io_trace *record = (void *)(self->records + *at);

	if (*at + sizeof(*record) > self->len ||
	    record->magic != (BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION))
		return NULL;
	*at += sizeof(*record) + record->pdu_len;
	return record;
}

/* The number of records with ACTION (BLK_TA_*), category OF (BLK_TC_*) and SECTOR. */
static int count(const self_t *self, unsigned int action, unsigned int of, int sector)
{
	const struct blk_io_trace *record;
	size_t at = 0;
	int n = 0;

	while ((record = next_record(self, &at)))
		n += (record->action & 0xff) == (action & 0xff) &&
		     !(record->action & BLK_TC_ACT(BLK_TC_NOTIFY)) &&
		     record->action & BLK_TC_ACT(of) &&
		     record->sector == sector && record->bytes == BLOCK;
	return at == self->len ? n : -1;
}

/* Is there a note of this kind with a text that begins with TEXT, after a cgroup id if any? */
static bool noted(const self_t *self, unsigned int kind, const char *text)
{
	const struct blk_io_trace *record;
	size_t at = 0;

	while ((record = next_record(self, &at))) {
		const char *data = (const char *)(record + 1);

		if (record->action & __BLK_TN_CGROUP)
			data += sizeof(uint64_t);
		if ((record->action & ~__BLK_TN_CGROUP) == kind &&
		    !strncmp(data, text, strlen(text)))
			return true;
	}
	return false;
}

TEST_F(blktrace, what_is_read_and_written)
{
	const struct blk_user_trace_setup all = {};
	const struct blk_io_trace *record;
	size_t at = 0;
	int own = 0;

	ASSERT_EQ(0, set_up(self, &all));
	ASSERT_EQ(0, trace_some(self));
	EXPECT_EQ(1, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
	EXPECT_EQ(1, count(self, BLK_TA_ISSUE, BLK_TC_WRITE, 64));
	EXPECT_EQ(1, count(self, BLK_TA_COMPLETE, BLK_TC_WRITE, 64));
	EXPECT_EQ(1, count(self, BLK_TA_QUEUE, BLK_TC_READ, 128));
	EXPECT_EQ(1, count(self, BLK_TA_COMPLETE, BLK_TC_READ, 128));
	EXPECT_EQ(0, count(self, BLK_TA_QUEUE, BLK_TC_READ, 64));
	EXPECT_TRUE(noted(self, BLK_TN_PROCESS, "blktrace"));
	EXPECT_TRUE(noted(self, BLK_TN_TIMESTAMP, ""));
	while ((record = next_record(self, &at)))
		own += record->action == (BLK_TA_QUEUE | BLK_TC_ACT(BLK_TC_READ) |
					  BLK_TC_ACT(BLK_TC_SYNC)) &&
		       record->pid == getpid();
	EXPECT_EQ(1, own);
	/* The trace is stopped: no more records. */
	EXPECT_EQ(BLOCK, write_block(self, 64));
	take_records(self);
	EXPECT_EQ(0, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
}

TEST_F(blktrace, what_the_mask_lets_through)
{
	const struct blk_user_trace_setup writes = { .act_mask = BLK_TC_WRITE };

	ASSERT_EQ(0, set_up(self, &writes));
	ASSERT_EQ(0, trace_some(self));
	EXPECT_EQ(1, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
	EXPECT_EQ(0, count(self, BLK_TA_QUEUE, BLK_TC_READ, 128));
}

TEST_F(blktrace, of_some_sectors)
{
	const struct blk_user_trace_setup some = { .start_lba = 100, .end_lba = 200 };

	ASSERT_EQ(0, set_up(self, &some));
	ASSERT_EQ(0, trace_some(self));
	EXPECT_EQ(0, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
	EXPECT_EQ(1, count(self, BLK_TA_QUEUE, BLK_TC_READ, 128));
}

TEST_F(blktrace, of_a_task)
{
	const struct blk_user_trace_setup own = { .pid = getpid() }, other = { .pid = 1 };

	ASSERT_EQ(0, set_up(self, &own));
	ASSERT_EQ(0, trace_some(self));
	EXPECT_EQ(1, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
	EXPECT_EQ(0, ioctl(self->disk, BLKTRACETEARDOWN));
	ASSERT_EQ(0, set_up(self, &other));
	ASSERT_EQ(0, trace_some(self));
	EXPECT_EQ(0, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
}

TEST_F(blktrace, messages)
{
	const struct blk_user_trace_setup all = {};
	char path[96];
	int fd;

	ASSERT_EQ(0, set_up(self, &all));
	ASSERT_EQ(0, ioctl(self->disk, BLKTRACESTART));
	snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/msg", self->name);
	fd = open(path, O_WRONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(5, write(fd, "hello", 5));
	close(fd);
	ASSERT_EQ(0, ioctl(self->disk, BLKTRACESTOP));
	take_records(self);
	EXPECT_TRUE(noted(self, BLK_TN_MESSAGE, "hello"));
}

TEST_F(blktrace, cgroups)
{
	const struct blk_user_trace_setup all = {};
	const struct blk_io_trace *record;
	size_t at = 0;
	int with = 0;
	uint64_t id;

	EXPECT_TRUE(tfs_is("0", "options/blk_cgroup"));
	EXPECT_EQ(-EINVAL, tfs_write("2", "options/blk_cgroup"));
	EXPECT_EQ(-EINVAL, tfs_write("on", "options/blk_cgroup"));
	EXPECT_TRUE(tfs_is("0", "options/blk_cgroup"));
	/* trace_options has it only while its tracer is the current one. */
	EXPECT_EQ(-EINVAL, tfs_write("blk_cgroup", "trace_options"));

	ASSERT_EQ(0, set_up(self, &all));
	ASSERT_EQ(0, trace_some(self));
	while ((record = next_record(self, &at)))
		EXPECT_EQ(0, record->action & __BLK_TA_CGROUP);
	ASSERT_EQ(0, tfs_write("1", "options/blk_cgroup"));
	EXPECT_TRUE(tfs_is("1", "options/blk_cgroup"));
	ASSERT_EQ(0, trace_some(self));
	for (at = 0; (record = next_record(self, &at)); ) {
		if (!(record->action & __BLK_TA_CGROUP))
			continue;
		with++;
		ASSERT_LE(sizeof(id), record->pdu_len);
		memcpy(&id, record + 1, sizeof(id));
		/* The id of the root cgroup. */
		EXPECT_EQ(1, id);
	}
	EXPECT_LE(4, with);
	EXPECT_EQ(1, count(self, BLK_TA_QUEUE, BLK_TC_WRITE, 64));
}

TEST_F(blktrace, refused)
{
	struct blk_user_trace_setup setup = { .buf_nr = 4 };
	const struct blk_user_trace_setup all = {};

	EXPECT_EQ(-1, ioctl(self->disk, BLKTRACESETUP, &setup));
	EXPECT_EQ(EINVAL, errno);
	setup = (struct blk_user_trace_setup){ .buf_size = 65536 };
	EXPECT_EQ(-1, ioctl(self->disk, BLKTRACESETUP, &setup));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->disk, BLKTRACESETUP, NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->disk, BLKTRACESTART));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->disk, BLKTRACETEARDOWN));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, set_up(self, &all));
	EXPECT_EQ(-EBUSY, set_up(self, &all));
	EXPECT_EQ(0, ioctl(self->disk, BLKTRACETEARDOWN));
	EXPECT_EQ(-1, ioctl(self->disk, BLKTRACESTOP));
	EXPECT_EQ(EINVAL, errno);
}

static int sysfs(const self_t *self, const char *file, const char *text, char *was)
{
	char path[96];
	ssize_t ret;
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%s/trace/%s", self->name, file);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return -errno;
	ret = text ? write(fd, text, strlen(text)) : read(fd, was, 63);
	if (ret >= 0 && was)
		was[ret] = '\0';
	ret = ret < 0 ? -errno : 0;
	close(fd);
	return ret;
}

TEST_F(blktrace, files_of_sysfs)
{
	const struct blk_user_trace_setup all = {};
	char text[64];

	ASSERT_EQ(0, sysfs(self, "enable", NULL, text));
	EXPECT_STREQ("0\n", text);
	EXPECT_EQ(0, sysfs(self, "pid", NULL, text));
	EXPECT_STREQ("disabled\n", text);
	EXPECT_EQ(-EINVAL, sysfs(self, "act_mask", "write,nonsense", NULL));
	EXPECT_EQ(0, sysfs(self, "enable", "1", NULL));
	EXPECT_EQ(0, sysfs(self, "enable", NULL, text));
	EXPECT_STREQ("1\n", text);
	EXPECT_EQ(0, sysfs(self, "act_mask", "write,sync", NULL));
	EXPECT_EQ(0, sysfs(self, "act_mask", NULL, text));
	EXPECT_STREQ("write,sync\n", text);
	EXPECT_EQ(0, sysfs(self, "end_lba", "77", NULL));
	EXPECT_EQ(0, sysfs(self, "end_lba", NULL, text));
	EXPECT_STREQ("77\n", text);
	/* Only one user at a time. Without the tracer blk, no records are written. */
	EXPECT_EQ(-EBUSY, set_up(self, &all));
	EXPECT_EQ(BLOCK, write_block(self, 64));
	EXPECT_EQ(0, sysfs(self, "enable", "0", NULL));
	EXPECT_EQ(0, set_up(self, &all));
}

/* A constructor runs before the harness prints its plan. */
static void __attribute__((constructor)) skip_without_blktrace(void)
{
	if (!access("/sys/block/loop0/trace", F_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("no blktrace, or no loop devices\n");
}

TEST_HARNESS_MAIN
