// SPDX-License-Identifier: GPL-2.0
/*
 * Events of user space: registering, writing, deleting and recording them. The bits in the
 * memory of processes are tested by user_memory.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"
#include "user_reg.h"

#define SYSTEM	"user_events"
#define MULTI	"user_events_multi"
#define EVENT	"ue_test"
#define HEAD	8	/* bytes of a record before its fields */

#define LOC(offset, size)	((unsigned int)(size) << 16 | (offset))

FIXTURE(events)
{
	int fd;
	unsigned int word;
	unsigned int other;
};

FIXTURE_SETUP(events)
{
	tfs_reset();
	self->fd = user_open();
	if (self->fd == -ENOENT)
		SKIP(return, "no events of user space");
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(user_all_gone());
}

FIXTURE_TEARDOWN(events)
{
	tfs_reset();
	close(self->fd);
}

static int recorded(const char *event, const char *part)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, event, 0, part) : -1;

	free(text);
	return n;
}

static bool file_has(const char *file, const char *line)
{
	char *text = tfs_text("%s", file);
	bool found = text && strstr(text, line);

	free(text);
	return found;
}

TEST_F(events, register)
{
	int fd = user_open();

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a; u32 b", &self->word, 4, 31, 0));
	/* The bit is in use, whatever the event. */
	EXPECT_EQ(-EADDRINUSE, user_reg(self->fd, EVENT " u32 a; u32 b", &self->word, 4, 31, 0));
	EXPECT_EQ(-EADDRINUSE, user_reg(fd, "ue_other", &self->word, 4, 31, 0));
	EXPECT_FALSE(user_exists(SYSTEM, "ue_other"));
	/* The same event has the same number, and another one in another file. */
	EXPECT_EQ(0, user_reg(self->fd, EVENT " u32 a;u32 b;", &self->word, 4, 1, 0));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 1));
	EXPECT_EQ(-EADDRINUSE, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 1, 0));
	EXPECT_EQ(-EADDRINUSE, user_reg(self->fd, EVENT, &self->word, 4, 1, 0));
	EXPECT_EQ(0, user_reg(fd, "ue_other", &self->word, 4, 0, 0));
	EXPECT_EQ(1, user_reg(fd, EVENT "   u32\ta;  u32 b", &self->word, 4, 1, 0));
	/* Open files and bits keep an event. */
	EXPECT_EQ(-EBUSY, user_delete(fd, EVENT));
	EXPECT_EQ(-ENOENT, user_delete(fd, "ue_none"));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 0));
	EXPECT_EQ(-ENOENT, user_unreg(self->fd, &self->word, 0));
	EXPECT_EQ(-ENOENT, user_unreg(self->fd, &self->other, 1));
	close(fd);
	EXPECT_TRUE(user_gone(SYSTEM, "ue_other"));
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 1));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 31));
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
}

/* An enabled event stays until it is disabled; then it removes itself. */
TEST_F(events, removes_itself)
{
	int fd = user_open();

	ASSERT_EQ(0, user_reg(fd, EVENT " u32 a", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(0, user_unreg(fd, &self->word, 31));
	EXPECT_EQ(0, self->word);
	close(fd);
	usleep(100000);
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	/* It can be found again meanwhile. */
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, 0));
	EXPECT_EQ(1U << 31, self->word);
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 31));
	EXPECT_EQ(0, close(self->fd));
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	self->fd = user_open();
}

/* With classic, the last reference is dropped a little after the file was closed. */
static int delete_soon(int fd, const char *name)
{
	int ret = user_delete(fd, name), i;

	for (i = 0; i < 100 && ret == -EBUSY && !is_strobe(); i++) {
		usleep(10000);
		ret = user_delete(fd, name);
	}
	return ret;
}

/* An event that goes without being asked for leaves all records where they are. */
TEST_F(events, leaves_records)
{
	const int persist = USER_EVENT_REG_PERSIST;
	unsigned int value = 7;
	int fd = user_open();
	char unknown[64];
	long id;

	ASSERT_EQ(0, user_reg(fd, EVENT " u32 a", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, tfs_write("of another event", "trace_marker"));
	ASSERT_EQ(8, user_write(fd, 0, &value, sizeof(value)));
	EXPECT_EQ(1, recorded(EVENT, "a=0x7 (7)"));
	id = tfs_number("events/" SYSTEM "/" EVENT "/id");
	close(fd);
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 31));
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	EXPECT_EQ(1, trace_marks("", "of another event"));

	/* The same for one that a process deletes */
	fd = user_open();
	ASSERT_EQ(0, user_reg(fd, "ue_later u32 b", &self->word, 4, 31, persist));
	/* With classic, the other event's record may now be one of this event. */
	if (is_strobe()) {
		snprintf(unknown, sizeof(unknown), "Unknown type %ld\n", id);
		EXPECT_TRUE(file_has("trace", unknown));
		EXPECT_NE(id, tfs_number("events/" SYSTEM "/ue_later/id"));
	}
	ASSERT_EQ(0, user_enable("ue_later", true));
	ASSERT_EQ(8, user_write(fd, 0, &value, sizeof(value)));
	ASSERT_EQ(0, user_enable("ue_later", false));
	EXPECT_EQ(0, user_unreg(fd, &self->word, 31));
	close(fd);
	EXPECT_EQ(0, delete_soon(self->fd, "ue_later"));
	EXPECT_EQ(1, trace_marks("", "of another event"));

	/* When the records are gone, also those of a snapshot, the numbers are free again. */
	if (tfs_exists("snapshot"))
		ASSERT_EQ(0, tfs_write("0", "snapshot"));
	fd = tfs_open(O_WRONLY | O_TRUNC, "trace");
	ASSERT_LE(0, fd);
	close(fd);
	fd = user_open();
	ASSERT_EQ(0, user_reg(fd, "ue_later u32 b", &self->word, 4, 31, 0));
	EXPECT_EQ(0, user_unreg(fd, &self->word, 31));
	close(fd);
	EXPECT_TRUE(user_gone(SYSTEM, "ue_later"));
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, 0));
	EXPECT_GE(id, tfs_number("events/" SYSTEM "/" EVENT "/id"));
}

TEST_F(events, bad_registration)
{
	static const struct {
		const char *text;
		int size, bit, flags, ret;
	} cases[] = {
		{ EVENT ":flag u32 a", 4, 0, 0, EINVAL },
		{ EVENT " u32", 4, 0, 0, EINVAL },
		{ EVENT " long a", 4, 0, 0, EINVAL },
		{ EVENT " u32  a", 4, 0, 0, EINVAL },
		{ EVENT " char[1025] a", 4, 0, 0, EINVAL },
		{ EVENT " struct a b", 4, 0, 0, EINVAL },
		{ EVENT, 4, 32, 0, EINVAL },
		{ EVENT, 8, 64, 0, EINVAL },
		{ EVENT, 2, 0, 0, EINVAL },
		{ EVENT, 0, 0, 0, EINVAL },
		{ EVENT, 4, 0, 4, EINVAL },
		{ EVENT, 4, 0, 0x8000, EINVAL },
		{ NULL, 4, 0, 0, EFAULT },
	};
	unsigned long words[2];
	unsigned int i;
	char text[600];

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_EQ(-cases[i].ret, user_reg(self->fd, cases[i].text, words, cases[i].size,
						  cases[i].bit, cases[i].flags)) {
			TH_LOG("case %u", i);
		}
	/* Addresses: alignment, and what is not the process's own */
	EXPECT_EQ(-EINVAL, user_reg(self->fd, EVENT, (char *)words + 2, 4, 0, 0));
	EXPECT_EQ(-EINVAL, user_reg(self->fd, EVENT, (char *)words + 4, 8, 0, 0));
	EXPECT_EQ(-EFAULT, user_reg(self->fd, EVENT, (void *)-4096UL, 4, 0, 0));
	EXPECT_EQ(is_strobe() ? -EFAULT : -ENOMEM, user_reg(self->fd, EVENT, NULL, 4, 0, 0));
	/* 512 bytes with the NUL are one too many for strndup_user(). */
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	EXPECT_EQ(-EINVAL, user_reg(self->fd, text, words, 4, 0, 0));
	/* The event of a bit that could not be written has a number all the same. */
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	close(self->fd);
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	self->fd = user_open();
}

/* Structures of ioctl() with a wrong size, or bytes that must be 0 */
TEST_F(events, bad_structures)
{
	struct user_reg reg = { .size = sizeof(reg), .enable_size = 4 };
	struct user_unreg unreg = { .size = sizeof(unreg) };
	unsigned long words[2];
	char huge[8192] = { };

	reg.name_args = (unsigned long)EVENT;
	reg.enable_addr = (unsigned long)words;
	reg.size = sizeof(reg) - 1;
	EXPECT_EQ(-EINVAL, attach_ioctl(self->fd, DIAG_IOCSREG, &reg));
	reg.size = sizeof(huge);
	memcpy(huge, &reg, sizeof(reg));
	EXPECT_EQ(-E2BIG, attach_ioctl(self->fd, DIAG_IOCSREG, huge));
	reg.size = sizeof(reg) + 8;
	memcpy(huge, &reg, sizeof(reg));
	huge[sizeof(reg) + 7] = 1;
	EXPECT_EQ(-E2BIG, attach_ioctl(self->fd, DIAG_IOCSREG, huge));
	EXPECT_EQ(-EFAULT, attach_ioctl(self->fd, DIAG_IOCSREG, NULL));
	unreg.size = sizeof(unreg) - 1;
	EXPECT_EQ(-EINVAL, attach_ioctl(self->fd, DIAG_IOCSUNREG, &unreg));
	unreg.size = sizeof(unreg);
	unreg.__reserved2 = 1;
	EXPECT_EQ(-EINVAL, attach_ioctl(self->fd, DIAG_IOCSUNREG, &unreg));
	EXPECT_EQ(-EFAULT, attach_ioctl(self->fd, DIAG_IOCSUNREG, NULL));
	EXPECT_EQ(-EFAULT, attach_ioctl(self->fd, DIAG_IOCSDEL, NULL));
	EXPECT_EQ(-ENOTTY, attach_ioctl(self->fd, 0x1234, NULL));
}

/* Classic checks no names: these would be paths, or several lines of a list. */
TEST_F(events, bad_names)
{
	static const char * const names[] = {
		"", ".", "..", "enable", "filter", "../x", "a/b", "/", "a\nb", "a\tb", "\x01",
		"\x7f", "\xff\xfe",
		"a u32 b\nc", "a u32 b\"", "a u32 %n", "a u32 \\", "a struct __data_loc b 4",
		"a struct x__rel_loc_char b 8",
	};
	char name[400];
	unsigned int i;

	if (!is_strobe())
		SKIP(return, "classic does not check names");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_EQ(-EINVAL, user_reg(self->fd, names[i], &self->word, 4, 0, 0)) {
			TH_LOG("name %u", i);
		}
	memset(name, 'x', sizeof(name));
	name[239] = '\0';
	EXPECT_EQ(-EINVAL, user_reg(self->fd, name, &self->word, 4, 0, 0));
	name[238] = '\0';
	EXPECT_EQ(0, user_reg(self->fd, name, &self->word, 4, 0, 0));
	EXPECT_TRUE(user_exists(SYSTEM, name));
}

TEST_F(events, format)
{
	static const char fields[] =
		"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned int b;\toffset:9;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] c;\toffset:13;\tsize:4;\tsigned:1;\n"
		"\tfield:struct s d;\toffset:17;\tsize:20;\tsigned:1;\n"
		"\tfield:s64 e;\toffset:37;\tsize:8;\tsigned:1;\n"
		"\n"
		"print fmt: \"a=%u b=%u c=%s d=%llu e=%lld\", REC->a, REC->b, __get_str(c), ";
	char *text;

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u8 a; unsigned int b; __data_loc char[] c;"
			      "struct s d 20; s64 e", &self->word, 4, 31, 0));
	text = tfs_text("events/" SYSTEM "/" EVENT "/format");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, fields)) {
		TH_LOG("%s", text ? text : "");
	}
	EXPECT_NE(NULL, strstr(text, "__get_str(c), REC->d, REC->e\n"));
	free(text);
	EXPECT_TRUE(file_has("dynamic_events", "u:" EVENT " u8 a; unsigned int b; "
			     "__data_loc char[] c; struct s d 20; s64 e\n"));
	EXPECT_TRUE(file_has("available_events", SYSTEM ":" EVENT "\n"));
}

/* Classic shows bytes of freed memory as the length of the array. */
TEST_F(events, array)
{
	char buf[24] = "\x07\0\0\0text";

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 n; char[20] a", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(28, user_write(self->fd, 0, buf, sizeof(buf)));
	EXPECT_EQ(1, recorded(EVENT, "n=0x7 (7) a=text"));
	memset(buf + 4, 'y', 20);
	ASSERT_EQ(28, user_write(self->fd, 0, buf, sizeof(buf)));
	EXPECT_EQ(1, recorded(EVENT, "n=0x7 (7) a=yyyyyyyyyyyyyyyyyyyy"));
	if (is_strobe())
		EXPECT_TRUE(file_has("events/" SYSTEM "/" EVENT "/format",
				     "\tfield:char a[20];\toffset:12;\tsize:20;\tsigned:1;\n"));
}

TEST_F(events, write)
{
	unsigned int fields[] = { 1, 0xffffffff, 7 };
	struct iovec iov[3];
	int index = 0;

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a; s32 b", &self->word, 4, 31, 0));
	/* It is not enabled. */
	EXPECT_EQ(-EBADF, user_write(self->fd, 0, fields, 8));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(12, user_write(self->fd, 0, fields, 8));
	EXPECT_EQ(1, recorded(EVENT, "a=0x1 (1) b=0xffffffff (-1)"));
	/* A record may be longer than its fields. */
	EXPECT_EQ(16, user_write(self->fd, 0, fields, 12));
	EXPECT_EQ(2, recorded(EVENT, "a=0x1 (1) b=0xffffffff (-1)"));
	/* In pieces, and in one */
	iov[0] = (struct iovec) { &index, 4 };
	iov[1] = (struct iovec) { &fields[2], 4 };
	iov[2] = (struct iovec) { &fields[2], 4 };
	EXPECT_EQ(12, writev(self->fd, iov, 3));
	EXPECT_EQ(1, recorded(EVENT, "a=0x7 (7) b=0x7 (7)"));
	fields[0] = 0;
	EXPECT_EQ(12, write(self->fd, fields, 12));
	EXPECT_EQ(1, recorded(EVENT, "a=0xffffffff (-1) b=0x7 (7)"));
	/* Numbers */
	EXPECT_EQ(-ENOENT, user_write(self->fd, 1, fields, 8));
	EXPECT_EQ(-ENOENT, user_write(self->fd, 0x7fffffff, fields, 8));
	EXPECT_EQ(-EINVAL, user_write(self->fd, -1, fields, 8));
	EXPECT_EQ(-EINVAL, user_write(self->fd, 0x80000000, fields, 8));
	/* Lengths */
	EXPECT_EQ(-EINVAL, user_write(self->fd, 0, fields, 7));
	EXPECT_EQ(-EINVAL, user_write(self->fd, 0, NULL, 0));
	EXPECT_EQ(-1, write(self->fd, fields, 3));
	EXPECT_EQ(EFAULT, errno);
	/* A position */
	EXPECT_EQ(-1, pwrite(self->fd, fields, 12, 1));
	EXPECT_EQ(EFAULT, errno);
	/* Another file has no such event. */
	ASSERT_EQ(4, recorded(EVENT, NULL));
	ASSERT_EQ(0, user_enable(EVENT, false));
	EXPECT_EQ(-EBADF, user_write(self->fd, 0, fields, 8));
}

TEST_F(events, write_faults)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u64 a", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	/* A page that is not present is no fault. */
	EXPECT_EQ(12, user_write(self->fd, 0, page, 8));
	ASSERT_EQ(0, munmap(page + 4096, 4096));
	EXPECT_EQ(12, user_write(self->fd, 0, page + 4088, 8));
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, page + 4089, 8));
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, page + 4096, 8));
	EXPECT_EQ(-1, write(self->fd, page + 4094, 12));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, munmap(page, 4096));
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, page, 8));
	EXPECT_EQ(2, recorded(EVENT, "a=0x0 (0)"));
	EXPECT_EQ(2, recorded(EVENT, NULL));
}

TEST_F(events, empty_and_long)
{
	static char buf[70000];

	ASSERT_EQ(0, user_reg(self->fd, EVENT, &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(4, user_write(self->fd, 0, NULL, 0));
	EXPECT_EQ(1, recorded(EVENT, NULL));
	/* Longer than what is made on the stack, and than a sub-buffer */
	EXPECT_EQ(1004, user_write(self->fd, 0, buf, 1000));
	EXPECT_EQ(2, recorded(EVENT, NULL));
	EXPECT_EQ(5004, user_write(self->fd, 0, buf, 5000));
	EXPECT_EQ(2, recorded(EVENT, NULL));
	/* Classic drops it without a word. */
	if (is_strobe())
		EXPECT_EQ(-E2BIG, user_write(self->fd, 0, buf, sizeof(buf)));
}

struct located {
	unsigned int loc;
	char text[8];
};

TEST_F(events, locations)
{
	static const struct {
		unsigned int loc;
		int ret;
	} cases[] = {
		{ LOC(HEAD + 4, 5), 16 },	{ LOC(HEAD + 4, 8), 16 },
		{ LOC(HEAD + 8, 1), 16 },	{ LOC(HEAD + 4, 4), -EFAULT },
		{ LOC(HEAD + 4, 9), -EFAULT },	{ LOC(HEAD + 12, 1), -EFAULT },
		{ LOC(0xffff, 0xffff), -EFAULT }, { LOC(HEAD + 4, 0xffff), -EFAULT },
	};
	struct located rec = { .text = "text" };
	int filtered, n = 0;
	unsigned int i;

	/* Filters and triggers must not see a record with a wrong location. */
	ASSERT_EQ(0, user_reg(self->fd, EVENT " __data_loc char[] s", &self->word, 4, 31, 0));
	for (filtered = 0; filtered < 2; filtered++) {
		ASSERT_EQ(0, tfs_write(filtered ? "s ~ \"*t*\" || s != \"none\"" : "0",
				       "events/" SYSTEM "/" EVENT "/filter"));
		ASSERT_EQ(0, user_enable(EVENT, true));
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			rec.loc = cases[i].loc;
			EXPECT_EQ(cases[i].ret, user_write(self->fd, 0, &rec, sizeof(rec))) {
				TH_LOG("location %#x", rec.loc);
			}
			n += cases[i].ret > 0;
		}
		EXPECT_EQ(n, recorded(EVENT, NULL));
	}
	EXPECT_EQ(4, recorded(EVENT, "s=text"));
	/* Classic reads the byte before an empty text. */
	if (!is_strobe())
		return;
	rec.loc = LOC(0, 0);
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, &rec, sizeof(rec)));
	rec.loc = LOC(HEAD + 9, 0);
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, &rec, sizeof(rec)));
	/* A text in the header changes when that is filled in. */
	rec.loc = LOC(0, 8);
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, &rec, sizeof(rec)));
	EXPECT_EQ(n, recorded(EVENT, NULL));
}

TEST_F(events, relative_locations)
{
	struct located rec = { LOC(0, 5), "text" };

	ASSERT_EQ(0, user_reg(self->fd, EVENT " __rel_loc char[] s", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(16, user_write(self->fd, 0, &rec, sizeof(rec)));
	EXPECT_EQ(1, recorded(EVENT, "s=text"));
	rec.loc = LOC(0, 9);
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, &rec, sizeof(rec)));
	rec.loc = LOC(0xffff, 1);
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, &rec, sizeof(rec)));
	EXPECT_EQ(1, recorded(EVENT, NULL));
	ASSERT_EQ(0, tfs_write("s == \"text\"", "events/" SYSTEM "/" EVENT "/filter"));
	rec.loc = LOC(0, 5);
	EXPECT_EQ(16, user_write(self->fd, 0, &rec, sizeof(rec)));
	rec.loc = LOC(1, 4);
	EXPECT_EQ(16, user_write(self->fd, 0, &rec, sizeof(rec)));
	EXPECT_EQ(2, recorded(EVENT, NULL));
}

/* A mask of CPUs that is shorter than the kernel's, and one that is empty */
TEST_F(events, masks)
{
	struct {
		unsigned int loc;
		unsigned int mask[2];
	} rec = { LOC(HEAD + 4, 8), { 1 } };

	ASSERT_EQ(0, user_reg(self->fd, EVENT " __data_loc cpumask_t m", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, tfs_write("m & CPUS{0}", "events/" SYSTEM "/" EVENT "/filter"));
	EXPECT_EQ(16, user_write(self->fd, 0, &rec, sizeof(rec)));
	EXPECT_EQ(1, recorded(EVENT, NULL));
	rec.loc = LOC(0xffff, 8);
	EXPECT_EQ(-EFAULT, user_write(self->fd, 0, &rec, sizeof(rec)));
	if (is_strobe()) {
		rec.loc = LOC(HEAD + 12, 0);
		EXPECT_EQ(16, user_write(self->fd, 0, &rec, sizeof(rec)));
		EXPECT_EQ(1, recorded(EVENT, NULL));
	}
}

TEST_F(events, filter)
{
	char rec[8] = { 3 };
	unsigned int b;

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u8 a; u32 b; struct s c 3", &self->word, 4, 31,
			      0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(0, tfs_write("a == 3 && b > 99", "events/" SYSTEM "/" EVENT "/filter"));
	for (b = 97; b < 102; b++) {
		memcpy(rec + 1, &b, sizeof(b));
		EXPECT_EQ(12, user_write(self->fd, 0, rec, sizeof(rec)));
	}
	EXPECT_EQ(2, recorded(EVENT, NULL));
}

TEST_F(events, status)
{
	char *text;
	int fd;

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, 0));
	EXPECT_TRUE(file_has("user_events_status", EVENT "\n"));
	EXPECT_TRUE(file_has("user_events_status", "\nActive: 1\nBusy: 0\n"));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_TRUE(file_has("user_events_status", EVENT " # Used by ftrace\n"));
	fd = attach_counter(SYSTEM, EVENT);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(file_has("user_events_status", EVENT " # Used by ftrace perf\n"));
	ASSERT_EQ(0, user_enable(EVENT, false));
	text = tfs_text("user_events_status");
	ASSERT_NE(NULL, text);
	EXPECT_STREQ(EVENT " # Used by perf\n\nActive: 1\nBusy: 1\n", text);
	free(text);
	close(fd);
}

TEST_F(events, perf)
{
	struct perf_event_attr attr;
	struct perf_event_header *header;
	struct attach_ring ring;
	unsigned int a = 5;
	int fd;

	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, 0));
	attr = attach_attr(SYSTEM, EVENT, PERF_SAMPLE_RAW);
	fd = attach_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1U << 31, self->word);
	ASSERT_EQ(0, attach_map(&ring, fd, 8));
	attach_enable(fd, true);
	EXPECT_EQ(8, user_write(self->fd, 0, &a, sizeof(a)));
	EXPECT_EQ(1, attach_count(fd));
	header = attach_next(&ring);
	ASSERT_NE(NULL, header);
	ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
	/* The raw data: its size, then the record */
	EXPECT_EQ(5, *(unsigned int *)((char *)(header + 1) + 4 + HEAD));
	/* The event goes on as long as perf has it, and then removes itself. */
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 31));
	EXPECT_EQ(0, self->word);
	attach_unmap(&ring);
	close(self->fd);
	self->fd = user_open();
	usleep(100000);
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	close(fd);
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
}

TEST_F(events, bpf)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 1,
		.part = { { BPF_W, HEAD } },
		.result = 0,
	};
	struct prog prog = prog_make(&spec);
	unsigned int a = 77;
	int fd;

	if (!is_strobe())
		SKIP(return, "classic runs no programs of user events");
	ASSERT_LE(0, prog.fd);
	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, 0));
	fd = event_open(SYSTEM, EVENT);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_bpf(fd, prog.fd));
	ASSERT_EQ(0, attach_enable(fd, true));
	EXPECT_EQ(1U << 31, self->word);
	EXPECT_EQ(8, user_write(self->fd, 0, &a, sizeof(a)));
	EXPECT_EQ(1, calls_of(&prog));
	EXPECT_EQ(77, seen_by(&prog).val[0]);
	close(fd);
	EXPECT_EQ(0, self->word);
	prog_close(&prog);
}

TEST_F(events, multi_format)
{
	const int multi = USER_EVENT_REG_MULTI_FORMAT;
	char *text, name[64], *dot;
	int found;

	/* The same name for several descriptions, and for an event of one format */
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 0, multi));
	ASSERT_EQ(1, user_reg(self->fd, EVENT " u64 b", &self->word, 4, 1, multi));
	ASSERT_EQ(2, user_reg(self->fd, EVENT " s8 c", &self->word, 4, 31, 0));
	EXPECT_EQ(0, user_reg(self->fd, EVENT " u32 a;", &self->other, 4, 0, multi));
	EXPECT_EQ(-EADDRINUSE, user_reg(self->fd, EVENT " u32 a", &self->other, 4, 1, 0));
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	EXPECT_FALSE(user_exists(MULTI, EVENT));
	text = tfs_text("available_events");
	ASSERT_NE(NULL, text);
	dot = strstr(text, MULTI ":" EVENT ".");
	ASSERT_NE(NULL, dot);
	EXPECT_NE(NULL, strstr(dot + 1, MULTI ":" EVENT "."));
	found = sscanf(dot, MULTI ":%63s", name);
	ASSERT_EQ(1, found);
	free(text);
	EXPECT_TRUE(user_exists(MULTI, name));
	EXPECT_TRUE(file_has("dynamic_events", "u:" EVENT " u32 a\n"));
	EXPECT_TRUE(file_has("dynamic_events", "u:" EVENT " u64 b\n"));
	EXPECT_TRUE(file_has("user_events_status", name));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 0));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 1));
	EXPECT_EQ(0, user_unreg(self->fd, &self->other, 0));
	EXPECT_EQ(-EBUSY, user_delete(self->fd, EVENT));
	close(self->fd);
	self->fd = user_open();
	EXPECT_TRUE(user_gone(MULTI, name));
}

/* All events of a name are deleted, or none, however many there are. */
TEST_F(events, delete_many)
{
	const int flags = USER_EVENT_REG_MULTI_FORMAT | USER_EVENT_REG_PERSIST;
	const int nr = 128;
	int fd = user_open(), i;
	char text[64];

	for (i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), EVENT " u32 a%d", i);
		ASSERT_EQ(i, user_reg(self->fd, text, &self->word, 4, 31, flags));
		ASSERT_EQ(0, user_unreg(self->fd, &self->word, 31));
	}
	/* One of them is in use. */
	ASSERT_EQ(0, user_reg(fd, EVENT " u32 a100", &self->word, 4, 31, flags));
	close(self->fd);
	self->fd = user_open();
	EXPECT_EQ(-EBUSY, user_delete(self->fd, EVENT));
	/* Classic has deleted some. */
	for (i = 0; i < nr && is_strobe(); i++) {
		snprintf(text, sizeof(text), "u:" EVENT " u32 a%d\n", i);
		EXPECT_TRUE(file_has("dynamic_events", text));
	}
	EXPECT_EQ(0, user_unreg(fd, &self->word, 31));
	close(fd);
	EXPECT_EQ(0, delete_soon(self->fd, EVENT));
	EXPECT_EQ(-ENOENT, user_delete(self->fd, EVENT));
	EXPECT_FALSE(file_has("dynamic_events", "u:" EVENT));
}

/* A line that removes events by a bare name means others first, and never a whole group. */
TEST_F(events, removed_by_name)
{
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, 0));
	EXPECT_EQ(-ENOENT, tfs_append("-:" SYSTEM "/\n", "dynamic_events"));
	if (tfs_append("p:ue_group/" EVENT " ksys_sync\n", "dynamic_events"))
		SKIP(return, "no kprobe events");
	EXPECT_EQ(0, tfs_append("-:" EVENT "\n", "dynamic_events"));
	EXPECT_FALSE(tfs_exists("events/ue_group"));
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
}

/* Give up all capabilities in a child, and try @flags. */
static int reg_without_rights(int fd, unsigned int *word, const char *text, int flags)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { };
	int status, pid = fork();

	if (!pid) {
		if (syscall(SYS_capset, &head, none))
			_exit(255);
		_exit(-(flags < 0 ? user_delete(fd, text) :
				    user_reg(fd, text, word, 4, 0, flags)));
	}
	waitpid(pid, &status, 0);
	return -WEXITSTATUS(status);
}

TEST_F(events, persistent)
{
	const int persist = USER_EVENT_REG_PERSIST;

	EXPECT_EQ(-EPERM, reg_without_rights(self->fd, &self->word, EVENT " u32 a", persist));
	EXPECT_FALSE(user_exists(SYSTEM, EVENT));
	EXPECT_EQ(0, reg_without_rights(self->fd, &self->word, EVENT " u32 a", 0));
	close(self->fd);
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));

	self->fd = user_open();
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a", &self->word, 4, 31, persist));
	EXPECT_EQ(0, user_unreg(self->fd, &self->word, 31));
	close(self->fd);
	self->fd = user_open();
	usleep(200000);
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	EXPECT_EQ(-EPERM, reg_without_rights(self->fd, NULL, EVENT, -1));
	EXPECT_EQ(0, user_delete(self->fd, EVENT));
	EXPECT_FALSE(user_exists(SYSTEM, EVENT));
}

/* Classic drops the references of what was unregistered some time later. */
static int remove_unused(const char *line)
{
	int ret = tfs_append(line, "dynamic_events"), i;

	for (i = 0; i < 1000 && ret == -EBUSY && !is_strobe(); i++) {
		usleep(20000);
		ret = tfs_append(line, "dynamic_events");
	}
	return ret;
}

TEST_F(events, dynamic_events)
{
	ASSERT_EQ(0, tfs_append("u:" EVENT " u32 a; __rel_loc char[] b\n", "dynamic_events"));
	/* The same again is no error, other fields are one. */
	EXPECT_EQ(0, tfs_append("u:" EVENT " u32 a;__rel_loc char[] b\n", "dynamic_events"));
	EXPECT_EQ(-EADDRINUSE, tfs_append("u:" EVENT " u32 a\n", "dynamic_events"));
	EXPECT_EQ(-EINVAL, tfs_append("u:ue_bad bad type\n", "dynamic_events"));
	EXPECT_EQ(-EINVAL, tfs_append("u:ue_bad:flag u32 a\n", "dynamic_events"));
	/* Blanks mean what they mean to the ioctl. */
	EXPECT_EQ(-EINVAL, tfs_append("u:ue_bad u32  a\n", "dynamic_events"));
	EXPECT_EQ(-EINVAL, user_reg(self->fd, "ue_bad u32  a", &self->word, 4, 31, 0));
	EXPECT_EQ(-EINVAL, tfs_append(" u:ue_bad u32 a\n", "dynamic_events"));
	EXPECT_TRUE(file_has("dynamic_events", "u:" EVENT " u32 a; __rel_loc char[] b\n"));
	EXPECT_TRUE(user_exists(SYSTEM, EVENT));
	ASSERT_EQ(0, user_enable(EVENT, true));
	EXPECT_EQ(-EBUSY, tfs_append("!u:" EVENT " u32 a; __rel_loc char[] b\n",
				     "dynamic_events"));
	ASSERT_EQ(0, user_enable(EVENT, false));
	ASSERT_EQ(0, user_reg(self->fd, EVENT " u32 a; __rel_loc char[] b", &self->word, 4, 31,
			      0));
	EXPECT_EQ(-EBUSY, tfs_append("-:" SYSTEM "/" EVENT " u32 a; __rel_loc char[] b\n",
				     "dynamic_events"));
	EXPECT_EQ(-ENOENT, tfs_append("-:" SYSTEM "/" EVENT " u32 a\n", "dynamic_events"));
	EXPECT_EQ(-ENOENT, tfs_append("-:other/" EVENT "\n", "dynamic_events"));
	ASSERT_EQ(0, user_unreg(self->fd, &self->word, 31));
	close(self->fd);
	self->fd = user_open();
	EXPECT_EQ(0, remove_unused("-:" SYSTEM "/" EVENT " u32 a; __rel_loc char[] b\n"));
	EXPECT_FALSE(user_exists(SYSTEM, EVENT));
}

TEST_F(events, limit)
{
	static const char sysctl[] = "/proc/sys/kernel/user_events_max";
	long max = file_number(sysctl);

	EXPECT_EQ(32768, max);
	ASSERT_EQ(0, user_reg(self->fd, EVENT, &self->word, 4, 31, 0));
	ASSERT_EQ(0, file_write(sysctl, "1\n"));
	EXPECT_EQ(-EMFILE, user_reg(self->fd, "ue_other", &self->word, 4, 0, 0));
	EXPECT_EQ(0, user_reg(self->fd, EVENT, &self->word, 4, 0, 0));
	ASSERT_EQ(0, file_write(sysctl, "32768\n"));
	EXPECT_EQ(1, user_reg(self->fd, "ue_other", &self->word, 4, 1, 0));
}

TEST_F(events, many)
{
	unsigned long words[8] = { };
	char text[32];
	int i;

	for (i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "ue_many%d u32 a", i);
		ASSERT_EQ(i, user_reg(self->fd, text, &words[i / 64], 8, i % 64, 0));
	}
	ASSERT_EQ(0, tfs_write("1", "events/" SYSTEM "/enable"));
	for (i = 0; i < 500; i++)
		ASSERT_EQ(8, user_write(self->fd, i, &i, sizeof(i)));
	EXPECT_EQ(1, recorded("ue_many499", "a=0x1f3 (499)"));
	EXPECT_EQ(500, recorded(NULL, "a="));
	for (i = 0; i < 7; i++)
		EXPECT_EQ(~0UL, words[i]);
	ASSERT_EQ(0, tfs_write("0", "events/" SYSTEM "/enable"));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, words[i]);
	for (i = 0; i < 500; i++)
		ASSERT_EQ(0, user_unreg(self->fd, &words[i / 64], i % 64));
	close(self->fd);
	self->fd = user_open();
	EXPECT_TRUE(user_gone(SYSTEM, "ue_many499"));
	EXPECT_TRUE(user_gone(SYSTEM, "ue_many0"));
}

/* A reader may still have a record of an event that removes itself, and formats stay open. */
TEST_F(events, removed_while_open)
{
	char buf[64];
	int format, fd = user_open();

	ASSERT_EQ(0, user_reg(fd, EVENT " u32 a", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable(EVENT, true));
	ASSERT_EQ(8, user_write(fd, 0, &fd, sizeof(fd)));
	ASSERT_EQ(0, user_enable(EVENT, false));
	format = tfs_open(O_RDONLY, "events/" SYSTEM "/" EVENT "/format");
	ASSERT_LE(0, format);
	ASSERT_EQ(0, user_unreg(fd, &self->word, 31));
	close(fd);
	EXPECT_TRUE(user_gone(SYSTEM, EVENT));
	EXPECT_EQ(-1, read(format, buf, sizeof(buf)));
	close(format);
	EXPECT_EQ(0, recorded(EVENT, NULL));
}

TEST_HARNESS_MAIN
