// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and online while tracing: their records stay and can be
 * read, and they record again when they are back online.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(hotplug)
{
	int marker;
};

FIXTURE_SETUP(hotplug)
{
	int cpus = cpus_online();

	tfs_reset();
	self->marker = tfs_open(O_WRONLY, "trace_marker");
	ASSERT_LE(0, self->marker);
	cpus_set_others(false);
	if (cpus_online() == cpus)
		SKIP(return, "no CPU that can be taken off");
	cpus_set_others(true);
	ASSERT_EQ(cpus, cpus_online());
}

FIXTURE_TEARDOWN(hotplug)
{
	cpus_set_others(true);
	close(self->marker);
	tfs_reset();
}

static int write_marks(int fd, int cpu, int n)
{
	if (pin_to_cpu(cpu))
		return -1;
	while (n--) {
		if (fd_write(fd, "mark"))
			return -1;
	}
	return pin_to_cpu(0);
}

static int marks(const char *file)
{
	char *text = tfs_text("%s", file);
	int n = text ? trace_count(text, "tracing_mark_write", 0, "mark") : -1;

	free(text);
	return n;
}

TEST_F(hotplug, records_stay)
{
	struct trace_stats stats;

	ASSERT_EQ(0, write_marks(self->marker, 1, 20));
	ASSERT_EQ(0, write_marks(self->marker, 0, 5));
	cpus_set_others(false);
	EXPECT_EQ(20, marks("per_cpu/cpu1/trace"));
	EXPECT_EQ(25, marks("trace"));
	ASSERT_EQ(0, trace_stats(1, &stats));
	EXPECT_EQ(20, stats.entries);
	ASSERT_EQ(0, write_marks(self->marker, 0, 5));
	EXPECT_EQ(30, marks("trace"));
	cpus_set_others(true);
	EXPECT_EQ(30, marks("trace"));
	ASSERT_EQ(0, write_marks(self->marker, 1, 7));
	EXPECT_EQ(27, marks("per_cpu/cpu1/trace"));
	EXPECT_EQ(37, marks("trace"));
}

/* trace_pipe reads the records of an offline CPU. */
TEST_F(hotplug, pipe_reads_what_is_left)
{
	char *text;
	int fd;

	ASSERT_EQ(0, write_marks(self->marker, 1, 20));
	cpus_set_others(false);
	fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(20, trace_count(text, "tracing_mark_write", 0, "mark"));
	free(text);
	cpus_set_others(true);
	ASSERT_EQ(0, write_marks(self->marker, 1, 3));
	text = fd_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(3, trace_count(text, "tracing_mark_write", 0, "mark"));
	free(text);
	close(fd);
}

/* A buffer size that is set while a CPU is offline applies to it, too. */
TEST_F(hotplug, size_while_off)
{
	cpus_set_others(false);
	EXPECT_EQ(0, tfs_write("100", "buffer_size_kb"));
	cpus_set_others(true);
	EXPECT_EQ(buffer_kb_shown(100), tfs_number("buffer_size_kb"));
	EXPECT_EQ(buffer_kb_shown(100), tfs_number("per_cpu/cpu1/buffer_size_kb"));
	ASSERT_EQ(0, write_marks(self->marker, 1, 3));
	EXPECT_EQ(3, marks("trace"));
}

/* With events enabled that fire during the hotplug itself. */
TEST_F(hotplug, under_fire)
{
	char *text;
	int i;

	ASSERT_EQ(0, tfs_write("1", "events/sched/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/irq/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/cpuhp/enable"));
	for (i = 0; i < 3; i++) {
		cpus_set_others(false);
		cpus_set_others(true);
	}
	ASSERT_EQ(0, tfs_write("0", "events/enable"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_LT(0, trace_count(text, "cpuhp_enter", 0, "cpu: 0001"));
	EXPECT_LT(0, trace_count(text, "sched_switch", 0, "cpuhp/1"));
	free(text);
}

TEST_HARNESS_MAIN
