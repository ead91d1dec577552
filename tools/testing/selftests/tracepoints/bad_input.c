// SPDX-License-Identifier: GPL-2.0
/*
 * Bad input, and unusual ways to read and use files: each fails with the right errno and
 * leaves the file's value unchanged.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

FIXTURE(bad_input)
{
};

FIXTURE_SETUP(bad_input)
{
	tfs_reset();
}

FIXTURE_TEARDOWN(bad_input)
{
	tfs_reset();
}

static int write_bytes(const char *file, const void *bytes, size_t len)
{
	int fd = tfs_open(O_WRONLY, "%s", file);
	int ret;

	if (fd < 0)
		return fd;
	ret = write(fd, bytes, len);
	ret = ret < 0 ? -errno : ret;
	close(fd);
	return ret;
}

static int count_records(const char *event)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, event, 0, NULL) : -1;

	free(text);
	return n;
}

/* A record of trace_marker_raw has a number, the tag, and then arbitrary bytes. */
TEST_F(bad_input, marker_raw)
{
	static char big[1 << 17];
	char *text, *unmapped;

	EXPECT_EQ(-EINVAL, write_bytes("trace_marker_raw", "abc", 3));
	EXPECT_EQ(-EINVAL, write_bytes("trace_marker_raw", big, sizeof(big)));
	EXPECT_EQ(0, count_records("raw_data"));
	EXPECT_EQ(4, write_bytes("trace_marker_raw", "\1\0\0\0", 4));
	EXPECT_EQ(10, write_bytes("trace_marker_raw", "\2\0\0\0abcdef", 10));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "# 1 buf:"));
	EXPECT_NE(NULL, strstr(text, "# 2 buf: 61 62 63 64 65 66"));
	free(text);
	unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(unmapped != MAP_FAILED);
	EXPECT_EQ(-EFAULT, write_bytes("trace_marker_raw", unmapped, 64));
	EXPECT_EQ(-EFAULT, write_bytes("trace_marker", unmapped, 64));
	munmap(unmapped, 4096);
	EXPECT_EQ(0, tfs_write("0", "options/markers"));
	EXPECT_EQ(-EINVAL, write_bytes("trace_marker_raw", "\2\0\0\0abcdef", 10));
	EXPECT_EQ(0, tfs_write("1", "options/markers"));
	EXPECT_EQ(0, tfs_write("0", "tracing_on"));
	EXPECT_EQ(-EBADF, write_bytes("trace_marker_raw", "\2\0\0\0abcdef", 10));
}

/* Files with one value, texts that they refuse, and the errno. */
static const struct {
	const char *file, *text;
	int err;
} refused[] = {
	{ "tracing_cpumask", "x", -EINVAL }, { "tracing_cpumask", "1 2", -EOVERFLOW },
	{ "tracing_cpumask", "-1", -EINVAL }, { "tracing_cpumask", "", -EINVAL },
	{ "tracing_cpumask", "100000000000000000000000000000000", -EOVERFLOW },
	{ "buffer_percent", "101", -EINVAL }, { "buffer_percent", "-1", -EINVAL },
	{ "buffer_percent", "x", -EINVAL }, { "buffer_percent", "", -EINVAL },
	{ "options/overwrite", "2", -EINVAL }, { "options/overwrite", "x", -EINVAL },
	{ "options/overwrite", "-1", -EINVAL }, { "options/sym-offset", "", -EINVAL },
	{ "options/event-fork", "2", -EINVAL },
	{ "saved_cmdlines_size", "0", -EINVAL }, { "saved_cmdlines_size", "x", -EINVAL },
	{ "buffer_size_kb", "0", -EINVAL }, { "buffer_size_kb", "x", -EINVAL },
	{ "buffer_size_kb", "99999999999999999999", -ERANGE },
	{ "buffer_subbuf_size_kb", "0", -EINVAL }, { "buffer_subbuf_size_kb", "x", -EINVAL },
	{ "events/sched/sched_switch/enable", "2", -EINVAL },
	{ "events/sched/enable", "x", -EINVAL },
	{ "events/sched/sched_switch/id", "1", -EINVAL },
};

TEST_F(bad_input, one_value)
{
	char *before, *after;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		before = tfs_text("%s", refused[i].file);
		ASSERT_NE(NULL, before);
		EXPECT_EQ(refused[i].err, tfs_write(refused[i].text, "%s", refused[i].file)) {
			TH_LOG("'%s' to %s", refused[i].text, refused[i].file);
		}
		after = tfs_text("%s", refused[i].file);
		EXPECT_STREQ(before, after);
		free(before);
		free(after);
	}
}

/* A read that is too short for the mask fails. */
TEST_F(bad_input, short_read_of_mask)
{
	int fd = tfs_open(O_RDONLY, "tracing_cpumask");
	char buf[512];

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, buf, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_LT(1, read(fd, buf, sizeof(buf)));
	close(fd);
}

/* A read at any offset gives the rest of the text, and at its end or beyond it nothing. */
TEST_F(bad_input, read_at_offsets)
{
	static const char * const files[] = {
		"buffer_size_kb", "tracing_on", "buffer_percent", "trace_clock", "current_tracer",
		"options/overwrite", "events/enable", "events/sched/sched_switch/enable",
		"events/sched/sched_switch/id", "events/sched/sched_switch/filter",
		"events/sched/sched_switch/format", "events/header_page", "README",
		"timestamp_mode", "saved_cmdlines_size", "buffer_total_size_kb",
	};
	/* With classic, these can only be read from their beginning. */
	static const char at_once[] = "events/sched/sched_switch/filter events/header_page";
	char *text, part[8];
	unsigned int i;
	size_t len, at;
	ssize_t n;
	int fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!is_strobe() && strstr(at_once, files[i]))
			continue;
		text = tfs_text("%s", files[i]);
		fd = tfs_open(O_RDONLY, "%s", files[i]);
		ASSERT_LE(0, fd) {
			TH_LOG("%s", files[i]);
		}
		ASSERT_NE(NULL, text);
		len = strlen(text);
		for (at = 0; at < len && at < 300; at += 1 + at / 7) {
			n = pread(fd, part, sizeof(part), at);
			EXPECT_LT(0, n) {
				TH_LOG("%s at %zu of %zu", files[i], at, len);
			}
			if (n > 0) {
				EXPECT_EQ(0, strncmp(part, text + at, n)) {
					TH_LOG("%s at %zu", files[i], at);
				}
			}
		}
		EXPECT_EQ(0, pread(fd, part, sizeof(part), len));
		EXPECT_EQ(0, pread(fd, part, sizeof(part), len + 4097));
		EXPECT_EQ(-1, pread(fd, part, sizeof(part), -1));
		close(fd);
		free(text);
	}
}

/* Files without ioctl() return ENOTTY; files without a poll method are always ready. */
TEST_F(bad_input, ioctl_and_poll)
{
	static const char * const files[] = {
		"trace", "trace_pipe", "tracing_on", "trace_clock", "events/enable",
		"events/sched/sched_switch/filter", "events/sched/sched_switch/format", "README",
		"set_event", "available_events", "options/overwrite", "per_cpu/cpu0/stats",
	};
	struct pollfd pfd;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		pfd.fd = tfs_open(O_RDONLY | O_NONBLOCK, "%s", files[i]);
		pfd.events = POLLIN;
		ASSERT_LE(0, pfd.fd);
		EXPECT_EQ(-1, ioctl(pfd.fd, 0x5401, NULL));
		EXPECT_EQ(ENOTTY, errno) {
			TH_LOG("%s", files[i]);
		}
		EXPECT_EQ(strcmp(files[i], "trace_pipe") ? 1 : 0, poll(&pfd, 1, 0)) {
			TH_LOG("%s", files[i]);
		}
		close(pfd.fd);
	}
}

/* A NUL in set_event ends a word, as a blank does. */
TEST_F(bad_input, nul_in_set_event)
{
	static const char words[] = "sched:sched_waking\0irq:irq_handler_entry\n";
	int ret = write_bytes("set_event", words, sizeof(words) - 1);

	EXPECT_LT(0, ret);
	EXPECT_TRUE(tfs_is("1", "events/sched/sched_waking/enable"));
	EXPECT_EQ(-EINVAL, write_bytes("set_event", "no:such\0", 8));
}

/* error_log shows the errors of filters; opening it with O_TRUNC clears it. */
TEST_F(bad_input, error_log)
{
	char *text;
	int i;

	EXPECT_EQ(0, tfs_write("", "error_log"));
	EXPECT_TRUE(tfs_is("", "error_log"));
	EXPECT_EQ(-EINVAL, tfs_write("nothing == 1", "events/sched/sched_switch/filter"));
	text = tfs_text("error_log");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "event filter parse error: error: Field not found"));
	EXPECT_NE(NULL, strstr(text, "  Command: nothing == 1\n"));
	EXPECT_NE(NULL, strstr(text, "           ^\n"));
	free(text);
	/* It has only the last eight errors. */
	for (i = 0; i < 20; i++)
		EXPECT_EQ(-EINVAL, tfs_write("none == 1", "events/sched/sched_switch/filter"));
	text = tfs_text("error_log");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(NULL, strstr(text, "nothing == 1"));
	free(text);
	EXPECT_EQ(0, tfs_write("anything", "error_log"));
	EXPECT_TRUE(tfs_is("", "error_log"));
	EXPECT_EQ(0, tfs_write("0", "events/sched/sched_switch/filter"));
}

/* Closing free_buffer frees the ring; with disable_on_free it switches recording off. */
TEST_F(bad_input, free_buffer)
{
	long size = tfs_number("buffer_size_kb"), freed;
	int fd, stop;

	for (stop = 0; stop < 2; stop++) {
		EXPECT_EQ(0, tfs_write("512", "buffer_size_kb"));
		EXPECT_EQ(0, tfs_write(stop ? "1" : "0", "options/disable_on_free"));
		EXPECT_EQ(0, tfs_write("a text", "trace_marker"));
		fd = tfs_open(O_WRONLY, "free_buffer");
		ASSERT_LE(0, fd);
		EXPECT_EQ(1, write(fd, "x", 1));
		EXPECT_EQ(buffer_kb_shown(512), tfs_number("buffer_size_kb"));
		close(fd);
		freed = tfs_number("buffer_size_kb");
		EXPECT_GT(16, freed) {
			TH_LOG("%ld kB", freed);
		}
		EXPECT_TRUE(tfs_is(stop ? "0" : "1", "tracing_on"));
		EXPECT_EQ(0, tfs_write("1", "tracing_on"));
		EXPECT_EQ(0, tfs_write("512", "buffer_size_kb"));
		EXPECT_EQ(0, tfs_write("", "trace"));
		EXPECT_EQ(0, tfs_write("a text", "trace_marker"));
		EXPECT_EQ(1, count_records("tracing_mark_write"));
	}
	EXPECT_EQ(0, tfs_write("1408", "buffer_size_kb"));
	EXPECT_LT(0, size);
}

/* Time stamps are deltas, and writes do not change that. */
TEST_F(bad_input, timestamp_mode)
{
	EXPECT_TRUE(tfs_is("[delta] absolute", "timestamp_mode"));
	EXPECT_EQ(-EINVAL, tfs_write("absolute", "timestamp_mode"));
	EXPECT_TRUE(tfs_is("[delta] absolute", "timestamp_mode"));
}

/* poll() of an empty pipe waits; with the option block it returns, and read() waits. */
TEST_F(bad_input, option_block)
{
	struct pollfd pfd = { .events = POLLIN };

	pfd.fd = tfs_open(O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, pfd.fd);
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	EXPECT_EQ(0, tfs_write("1", "options/block"));
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(0, tfs_write("0", "options/block"));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	close(pfd.fd);
}

/* The option applies to functions; the text of events does not change. */
TEST_F(bad_input, option_print_parent)
{
	char *before, *after;

	EXPECT_EQ(0, tfs_write("a text", "trace_marker"));
	before = tfs_text("trace");
	EXPECT_EQ(0, tfs_write("0", "options/print-parent"));
	EXPECT_TRUE(tfs_is("0", "options/print-parent"));
	after = tfs_text("trace");
	EXPECT_STREQ(before, after);
	EXPECT_EQ(0, tfs_write("1", "options/print-parent"));
	free(before);
	free(after);
}

/* The user stack of the current task, as addresses or as offsets in the program's file. */
TEST_F(bad_input, option_userstacktrace)
{
	char exe[PATH_MAX] = "", want[PATH_MAX + 16];
	char *text, *stack;

	ASSERT_LT(0, readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	EXPECT_EQ(0, tfs_write("1", "options/userstacktrace"));
	EXPECT_EQ(0, tfs_write("1", "events/syscalls/sys_enter_dup/enable"));
	close(dup(0));
	EXPECT_EQ(0, tfs_write("0", "events/syscalls/sys_enter_dup/enable"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	stack = strstr(text, "<user stack trace>");
	ASSERT_NE(NULL, stack) {
		TH_LOG("%s", text);
	}
	EXPECT_NE(NULL, strstr(stack, "\n =>  <0")) {
		TH_LOG("%.300s", stack);
	}
	EXPECT_EQ(NULL, strstr(stack, exe));
	free(text);
	EXPECT_EQ(0, tfs_write("1", "options/sym-userobj"));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	snprintf(want, sizeof(want), " => %s[+0x", exe);
	stack = strstr(text, "<user stack trace>");
	ASSERT_NE(NULL, stack);
	EXPECT_NE(NULL, strstr(stack, want)) {
		TH_LOG("%.300s", stack);
	}
	free(text);
	EXPECT_EQ(0, tfs_write("0", "options/sym-userobj"));
	EXPECT_EQ(0, tfs_write("0", "options/userstacktrace"));
}

/* Up to @max bytes of @file, spliced through a pipe, as a string. */
static char *splice_text(const char *file, size_t max)
{
	int fd = tfs_open(O_RDONLY | O_NONBLOCK, "%s", file), ends[2];
	char *text = calloc(1, max + 1);
	ssize_t n = 0, len = 0;

	if (fd < 0 || !text || pipe(ends))
		return NULL;
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 18);
	do {
		n = splice(fd, NULL, ends[1], NULL, max - len, SPLICE_F_NONBLOCK);
		if (n > 0)
			n = read(ends[0], text + len, max - len);
		if (n > 0)
			len += n;
	} while (n > 0 && (size_t)len < max);
	close(ends[0]);
	close(ends[1]);
	close(fd);
	return text;
}

/* Does splice() of @file give a mark of @len bytes, the beginning of @text, unchanged? */
static bool spliced_whole(const char *file, char *text, int len)
{
	char last = text[len], *got, *found;
	bool good;

	text[len] = 0;
	if (tfs_write(text, "trace_marker")) {
		text[len] = last;
		return false;
	}
	got = splice_text(file, 1 << 17);
	found = got ? strstr(got, "tracing_mark_write: ") : NULL;
	good = found && !strncmp(found + 20, text, len) && !strcmp(found + 20 + len, "\n");
	if (!good)
		ksft_print_msg("%s, a text of %d bytes: %.60s\n", file, len, found ?: got ?: "");
	free(got);
	text[len] = last;
	return good && (!strcmp(file, "trace_pipe") || !tfs_write("", "trace"));
}

/*
 * Each length up to 64 bytes, and each of the last 64 up to the maximum; every 29th between
 * them: each one takes two splices of all that a pipe holds.
 */
TEST_F_TIMEOUT(bad_input, splice_of_many_lengths, 200)
{
	static char text[1 << 14];
	long max;
	int len;

	for (len = 0; len < (int)sizeof(text) - 1; len++)
		text[len] = 'a' + len % 26;
	ASSERT_EQ(0, pin_to_cpu(0));
	/* The maximum of one write to trace_marker: longer text is truncated. */
	max = write_bytes("trace_marker", text, sizeof(text) - 1);
	ASSERT_LT(900, max);
	/* Classic replaces a line of more than a page by an error message. */
	if (!is_strobe() && max > 4000)
		max = 4000;
	TH_LOG("up to %ld bytes", max);
	EXPECT_EQ(0, tfs_write("", "trace"));
	for (len = 1; len <= max; len += len < 64 || len > max - 64 ? 1 : 29) {
		ASSERT_TRUE(spliced_whole("trace_pipe", text, len));
		ASSERT_TRUE(spliced_whole("trace", text, len));
	}
}

TEST_HARNESS_MAIN
