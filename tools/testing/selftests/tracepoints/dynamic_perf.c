// SPDX-License-Identifier: GPL-2.0
/*
 * perf and BPF on probes: what BPF_TASK_FD_QUERY and the information of links say about them,
 * the attributes of the PMUs kprobe and uprobe, reference counters, and opening a perf event
 * while allocations fail.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "dynamic.h"
#include "failing.h"
#include "file_offset.h"
#include "perf_probe.h"
#include "tracefs.h"

#define KPTR		"/proc/sys/kernel/kptr_restrict"
#define ERR_NOTSUPP	524	/* the kernel's own ENOTSUPP */
#define RETURN		1	/* the config bit of return probes */

/* The reference counter of a probe, in data that the program can write. */
static unsigned short counter = 3;

static int counter_now(void)
{
	return __atomic_load_n(&counter, __ATOMIC_RELAXED);
}

/* The first byte of probed(), which a breakpoint replaces */
static int first_byte(void)
{
	return __atomic_load_n((unsigned char *)probed, __ATOMIC_RELAXED);
}

/* The program's file, by a path that procfs looks up or by one that it does not */
static char program[PATH_MAX] = SELF;

/* How a perf event is opened: by a PMU, with a name or an address, or by the id of an event */
enum how { BY_NAME, BY_ADDR, BY_ID };

struct place {
	bool user;
	enum how how;
	bool is_return;
};

static int place_open(const struct place *place)
{
	unsigned long at = place->user ? file_offset(probed) : 0;
	char line[128];
	int fd;

	if (place->how == BY_ID) {
		snprintf(line, sizeof(line), place->user ? "%c:dp/t %s:0x%lx" : "%c:dp/t %s",
			 place->is_return ? 'r' : 'p', place->user ? SELF : FUNC, at);
		return dyn_define(line) ?: attach_counter("dp", "t");
	}
	if (place->user)
		return uprobe_open(program, at, place->is_return);
	fd = kprobe_open(FUNC, 0, place->is_return);
	if (place->how == BY_NAME)
		return fd;
	at = kprobe_listed();
	close(fd);
	return kprobe_open(NULL, at, place->is_return);
}

static void place_fire(const struct place *place, int times)
{
	if (!place->user)
		attach_fire_many(times);
	while (place->user && times--)
		call_probed(times);
}

FIXTURE(probe)
{
	struct prog prog;
	int fd;
	unsigned int fd_type;
	unsigned int link_type;
	const char *name;
	unsigned long offset;
	unsigned long addr;
};

FIXTURE_VARIANT(probe)
{
	struct place place;
};

FIXTURE_VARIANT_ADD(probe, kprobe) { { false, BY_NAME, false } };
FIXTURE_VARIANT_ADD(probe, kretprobe) { { false, BY_NAME, true } };
FIXTURE_VARIANT_ADD(probe, address) { { false, BY_ADDR, false } };
FIXTURE_VARIANT_ADD(probe, return_address) { { false, BY_ADDR, true } };
FIXTURE_VARIANT_ADD(probe, kprobe_event) { { false, BY_ID, false } };
FIXTURE_VARIANT_ADD(probe, kretprobe_event) { { false, BY_ID, true } };
FIXTURE_VARIANT_ADD(probe, uprobe) { { true, BY_NAME, false } };
FIXTURE_VARIANT_ADD(probe, uretprobe) { { true, BY_NAME, true } };
FIXTURE_VARIANT_ADD(probe, uprobe_event) { { true, BY_ID, false } };
FIXTURE_VARIANT_ADD(probe, uretprobe_event) { { true, BY_ID, true } };

FIXTURE_SETUP(probe)
{
	const struct spec spec = {
		.type = BPF_PROG_TYPE_KPROBE,
		.func = BPF_FUNC_get_attach_cookie,
		.result = 1,
	};
	const struct place *place = &variant->place;

	probes_begin();
	ASSERT_EQ(0, kprobe_listed());
	self->prog = prog_make(&spec);
	ASSERT_GE(self->prog.fd, 0);
	self->fd = place_open(place);
	ASSERT_GE(self->fd, 0);
	self->fd_type = (place->user ? BPF_FD_TYPE_UPROBE : BPF_FD_TYPE_KPROBE) + place->is_return;
	self->link_type = (place->user ? BPF_PERF_EVENT_UPROBE : BPF_PERF_EVENT_KPROBE) +
			  place->is_return;
	self->name = place->user ? SELF : place->how == BY_ADDR ? "" : FUNC;
	self->offset = place->user ? file_offset(probed) : 0;
	self->addr = kprobe_listed();
	ASSERT_EQ(place->user, !self->addr);
}

FIXTURE_TEARDOWN(probe)
{
	close(self->fd);
	prog_close(&self->prog);
	probes_end();
	EXPECT_EQ(0, kprobe_listed());
}

/* Does a buffer of @size bytes have the name, cut to fit, and is the next byte unchanged? */
static bool cut_as(const char *text, const char *name, int size)
{
	return !strncmp(text, name, size - 1) && !text[size - 1] && text[size] == 'x';
}

TEST_F(probe, query)
{
	int size, len = strlen(self->name), pid = getpid();
	union bpf_attr attr;
	char text[64];

	EXPECT_EQ(-ENOENT, task_fd_query(pid, self->fd, &attr, text, sizeof(text)));
	ASSERT_EQ(0, set_bpf(self->fd, self->prog.fd));
	for (size = 1; size <= len + 1; size++) {
		memset(text, 'x', sizeof(text));
		EXPECT_EQ(size <= len ? -ENOSPC : 0,
			  task_fd_query(pid, self->fd, &attr, text, size));
		EXPECT_TRUE(cut_as(text, self->name, size));
		EXPECT_EQ(len, attr.task_fd_query.buf_len);
		EXPECT_EQ(prog_id(self->prog.fd), attr.task_fd_query.prog_id);
		EXPECT_EQ(self->fd_type, attr.task_fd_query.fd_type);
		EXPECT_EQ(self->offset, attr.task_fd_query.probe_offset);
		EXPECT_EQ(self->addr, attr.task_fd_query.probe_addr);
	}
	/* Without a buffer, or with a size of 0, the query still returns the length. */
	EXPECT_EQ(0, task_fd_query(pid, self->fd, &attr, NULL, 8));
	EXPECT_EQ(len, attr.task_fd_query.buf_len);
	EXPECT_EQ(0, task_fd_query(pid, self->fd, &attr, text, 0));
	EXPECT_EQ(len, attr.task_fd_query.buf_len);
	EXPECT_EQ(self->offset, attr.task_fd_query.probe_offset);
	EXPECT_EQ(-EFAULT, task_fd_query(pid, self->fd, &attr, (void *)8, sizeof(text)));
	place_fire(&variant->place, 3);
	EXPECT_EQ(3, calls_of(&self->prog));
	EXPECT_EQ(3, attach_count(self->fd));
}

TEST_F(probe, link)
{
	int size, len = strlen(self->name), link;
	struct bpf_link_info info;
	union bpf_attr attr;
	char text[64];

	link = link_perf(self->prog.fd, self->fd, COOKIE);
	ASSERT_GE(link, 0);
	for (size = 1; size <= len; size++) {
		memset(text, 'x', sizeof(text));
		EXPECT_EQ(-ENOSPC, link_info(link, &info, text, size));
		EXPECT_TRUE(cut_as(text, self->name, size));
	}
	memset(text, 'x', sizeof(text));
	ASSERT_EQ(0, link_info(link, &info, text, size));
	EXPECT_TRUE(cut_as(text, self->name, size));
	EXPECT_EQ(BPF_LINK_TYPE_PERF_EVENT, info.type);
	EXPECT_EQ(prog_id(self->prog.fd), info.prog_id);
	EXPECT_EQ(self->link_type, info.perf_event.type);
	if (variant->place.user) {
		EXPECT_EQ(len + 1, info.perf_event.uprobe.name_len);
		EXPECT_EQ(self->offset, info.perf_event.uprobe.offset);
		EXPECT_EQ(COOKIE, info.perf_event.uprobe.cookie);
	} else {
		EXPECT_EQ(len + 1, info.perf_event.kprobe.name_len);
		EXPECT_EQ(0, info.perf_event.kprobe.offset);
		EXPECT_EQ(self->addr, info.perf_event.kprobe.addr);
		EXPECT_EQ(0, info.perf_event.kprobe.missed);
		EXPECT_EQ(COOKIE, info.perf_event.kprobe.cookie);
	}
	EXPECT_EQ(-EINVAL, link_info(link, &info, NULL, size));
	EXPECT_EQ(-EINVAL, link_info(link, &info, text, 0));
	EXPECT_EQ(-EFAULT, link_info(link, &info, (void *)8, sizeof(text)));
	EXPECT_EQ(-ERR_NOTSUPP, task_fd_query(getpid(), link, &attr, text, sizeof(text)));
	EXPECT_EQ(0, task_fd_query(getpid(), self->fd, &attr, text, sizeof(text)));
	EXPECT_EQ(-EEXIST, set_bpf(self->fd, self->prog.fd));
	place_fire(&variant->place, 3);
	EXPECT_EQ(3, calls_of(&self->prog));
	EXPECT_EQ(COOKIE, seen_by(&self->prog).val[0]);
	close(link);
}

/* Two settings and a capability decide whether a task sees addresses of the kernel. */
static const struct {
	int kptr;
	int paranoid;
	bool syslog;
	bool seen;
} sights[] = {
	{ 0, 1, false, true },
	{ 0, 2, false, false },
	{ 0, 2, true, true },
	{ 1, 1, false, false },
	{ 1, 2, true, true },
	{ 2, -1, true, false },
};

/* Query the parent's perf event, and the link. The exit status is 0 if both show @addr. */
static int sees(int fd, int link, bool syslog, unsigned long addr)
{
	struct bpf_link_info info;
	union bpf_attr attr;

	if (!syslog && !keep_caps(~(1ULL << CAP_SYSLOG)))
		return 1;
	if (task_fd_query(getppid(), fd, &attr, NULL, 0) || attr.task_fd_query.probe_addr != addr)
		return 2;
	if (link_info(link, &info, NULL, 0))
		return 3;
	if (info.perf_event.type == BPF_PERF_EVENT_UPROBE ||
	    info.perf_event.type == BPF_PERF_EVENT_URETPROBE)
		return 0;
	return info.perf_event.kprobe.addr == addr ? 0 : 4;
}

TEST_F(probe, addresses)
{
	long kptr = file_number(KPTR), paranoid = file_number(PARANOID);
	int link = link_perf(self->prog.fd, self->fd, COOKIE), status;
	unsigned int i;

	ASSERT_GE(link, 0);
	for (i = 0; i < ARRAY_SIZE(sights); i++) {
		EXPECT_EQ(0, set_number(KPTR, sights[i].kptr));
		EXPECT_EQ(0, set_number(PARANOID, sights[i].paranoid));
		if (!fork())
			_exit(sees(self->fd, link, sights[i].syslog,
				   sights[i].seen ? self->addr : 0));
		EXPECT_LT(0, wait(&status));
		EXPECT_EQ(0, status) {
			TH_LOG("row %u", i);
		}
	}
	EXPECT_EQ(0, set_number(KPTR, kptr));
	EXPECT_EQ(0, set_number(PARANOID, paranoid));
	close(link);
}

FIXTURE(perf)
{
};

FIXTURE_SETUP(perf)
{
	probes_begin();
}

FIXTURE_TEARDOWN(perf)
{
	probes_end();
	EXPECT_EQ(0, kprobe_listed());
}

/* A probe runs a program, which calls a helper. A probe of the helper is missed. */
TEST_F(perf, missed_in_a_program)
{
	struct prog outer = prog_counting(BPF_PROG_TYPE_KPROBE);
	struct prog inner = prog_counting(BPF_PROG_TYPE_KPROBE);
	int fd = kprobe_open(FUNC, 0, 0), nested, link;
	struct bpf_link_info info;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_bpf(fd, outer.fd));
	nested = kprobe_open("bpf_get_current_pid_tgid", 0, 0);
	ASSERT_GE(nested, 0);
	link = link_perf(inner.fd, nested, 0);
	ASSERT_GE(link, 0);
	attach_fire_many(5);
	ASSERT_EQ(0, link_info(link, &info, NULL, 0));
	EXPECT_EQ(5, info.perf_event.kprobe.missed);
	EXPECT_EQ(5, calls_of(&outer));
	EXPECT_EQ(0, calls_of(&inner));
	close(link);
	close(nested);
	close(fd);
	prog_close(&outer);
	prog_close(&inner);
}

/* A return probe for one call at a time misses the calls that begin before the first returns. */
TEST_F(perf, missed_returns)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	int blocked = eventfd(0, 0), fd, link, child[3], i;
	struct bpf_link_info info;
	bool found;
	char *text;

	ASSERT_EQ(0, dyn_define("r1:dp/t eventfd_read"));
	fd = event_open("dp", "t");
	ASSERT_GE(fd, 0);
	link = link_perf(prog.fd, fd, 0);
	ASSERT_GE(link, 0);
	for (i = 0; i < 3; i++) {
		child[i] = fork();
		if (!child[i]) {
			read(blocked, &info, 8);
			_exit(0);
		}
		EXPECT_TRUE(wait_asleep(child[i]));
		EXPECT_EQ(0, link_info(link, &info, NULL, 0));
		EXPECT_EQ(i, info.perf_event.kprobe.missed);
	}
	for (i = 0; i < 3; i++) {
		kill(child[i], SIGKILL);
		EXPECT_EQ(child[i], waitpid(child[i], NULL, 0));
	}
	text = tfs_text("kprobe_profile");
	found = text && sscanf(text, " t %*d %d", &i) == 1;
	EXPECT_TRUE(found);
	EXPECT_EQ(2, i);
	free(text);
	close(link);
	close(fd);
	close(blocked);
	prog_close(&prog);
}

TEST_F(perf, link_of_a_software_event)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_PERF_EVENT);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	int fd = attach_open(&attr, 0, -1), link = link_perf(prog.fd, fd, COOKIE);
	struct bpf_link_info info;
	union bpf_attr query;

	ASSERT_GE(link, 0);
	ASSERT_EQ(0, link_info(link, &info, NULL, 0));
	EXPECT_EQ(BPF_PERF_EVENT_EVENT, info.perf_event.type);
	EXPECT_EQ(PERF_TYPE_SOFTWARE, info.perf_event.event.type);
	EXPECT_EQ(PERF_COUNT_SW_CONTEXT_SWITCHES, info.perf_event.event.config);
	EXPECT_EQ(COOKIE, info.perf_event.event.cookie);
	EXPECT_EQ(-EOPNOTSUPP, task_fd_query(getpid(), fd, &query, NULL, 0));
	close(link);
	close(fd);
	prog_close(&prog);
}

static bool file_is(const char *path, const char *want)
{
	int fd = open(path, O_RDONLY);
	char *text = fd < 0 ? NULL : fd_text(fd);
	bool same = text && !strcmp(text, want);

	close(fd);
	free(text);
	return same;
}

TEST_F(perf, formats_of_the_pmus)
{
	EXPECT_TRUE(file_is(PMUS "kprobe/format/retprobe", "config:0\n"));
	EXPECT_TRUE(file_is(PMUS "uprobe/format/retprobe", "config:0\n"));
	EXPECT_TRUE(file_is(PMUS "uprobe/format/ref_ctr_offset", "config:32-63\n"));
	EXPECT_NE(0, access(PMUS "kprobe/format/ref_ctr_offset", F_OK));
	EXPECT_LE(PERF_TYPE_MAX, kprobe_type);
	EXPECT_LE(PERF_TYPE_MAX, uprobe_type);
	EXPECT_NE(kprobe_type, uprobe_type);
}

#define SYMBOL_MAX 512	/* KSYM_NAME_LEN, with the NUL */

TEST_F(perf, bad_kprobes)
{
	char name[SYMBOL_MAX + 1];
	int config;

	memset(name, 'x', sizeof(name));
	name[SYMBOL_MAX] = '\0';
	for (config = 0; config <= RETURN; config++) {
		name[SYMBOL_MAX - 1] = 'x';
		EXPECT_EQ(-E2BIG, kprobe_open(name, 0, config));
		name[SYMBOL_MAX - 1] = '\0';
		EXPECT_EQ(-ENOENT, kprobe_open(name, 0, config));
		EXPECT_EQ(-EFAULT, kprobe_open((void *)8, 0, config));
		EXPECT_EQ(-EINVAL, kprobe_open("", 0, config));
		EXPECT_EQ(-EINVAL, kprobe_open(NULL, 0, config));
		EXPECT_EQ(-ENOENT, kprobe_open(NULL, 8, config));
		EXPECT_EQ(-ENOENT, kprobe_open(NULL, 1ULL << 63, config));
		EXPECT_EQ(-ENOENT, kprobe_open("no_such_function_at_all", 0, config));
		EXPECT_EQ(-ENOENT, kprobe_open("no_module:" FUNC, 0, config));
		if (has_symbol("asm_exc_int3"))
			EXPECT_EQ(-EINVAL, kprobe_open("asm_exc_int3", 0, config));
		/* Several functions have this name. */
		EXPECT_EQ(-EADDRNOTAVAIL, kprobe_open("c_start", 0, config));
		EXPECT_EQ(0, kprobe_listed());
	}
}

/*
 * A kprobe may be in the middle of a function, a return probe may not. With IBT, a function begins
 * with four bytes for indirect branches, and the call after them counts as its entry, too.
 */
TEST_F(perf, a_kprobe_in_the_middle)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	int fd = -1, at, ret, good = 0, between = 0;
	union bpf_attr attr;
	char text[64];

	for (at = 20; at > 4; at--) {
		ret = kprobe_open(FUNC, at, 0);
		between += ret == -EILSEQ;
		if (ret < 0)
			continue;
		if (fd >= 0)
			close(fd);
		fd = ret;
		good = at;
	}
	ASSERT_LT(0, good);
	EXPECT_LT(0, between);
	EXPECT_EQ(-EINVAL, kprobe_open(FUNC, good, RETURN));
	ASSERT_EQ(0, set_bpf(fd, prog.fd));
	ASSERT_EQ(0, task_fd_query(getpid(), fd, &attr, text, sizeof(text)));
	EXPECT_EQ(good, attr.task_fd_query.probe_offset);
	EXPECT_EQ(kprobe_listed(), attr.task_fd_query.probe_addr);
	EXPECT_STREQ(FUNC, text);
	attach_fire_many(4);
	EXPECT_EQ(4, calls_of(&prog));
	EXPECT_EQ(4, attach_count(fd));
	close(fd);
	prog_close(&prog);
}

TEST_F(perf, bad_uprobes)
{
	char path[PATH_MAX + 1];
	__u64 config;

	memset(path, 'x', sizeof(path));
	path[PATH_MAX] = '\0';
	for (config = 0; config <= RETURN; config++) {
		path[PATH_MAX - 1] = 'x';
		EXPECT_EQ(-E2BIG, uprobe_open(path, 0, config));
		path[PATH_MAX - 1] = '\0';
		EXPECT_EQ(-ENAMETOOLONG, uprobe_open(path, 0, config));
		EXPECT_EQ(-EINVAL, uprobe_open(NULL, 0, config));
		EXPECT_EQ(-EINVAL, uprobe_open("", 0, config));
		EXPECT_EQ(-EFAULT, uprobe_open((void *)8, 0, config));
		EXPECT_EQ(-ENOENT, uprobe_open("/no/file", 0, config));
		EXPECT_EQ(-ENOTDIR, uprobe_open(SELF "/file", 0, config));
		EXPECT_EQ(-EINVAL, uprobe_open("/proc", 0, config));
		EXPECT_EQ(-EINVAL, uprobe_open("/dev/null", 0, config));
		/* No process can map this file. */
		EXPECT_EQ(-EIO, uprobe_open("/proc/self/status", 0, config));
		EXPECT_EQ(-EINVAL, uprobe_open(SELF, 1ULL << 40, config));
		/* The offset of a reference counter must be even. */
		EXPECT_EQ(-EINVAL, uprobe_open(SELF, 0, 3ULL << 32 | config));
	}
}

TEST_F(perf, a_reference_counter)
{
	__u64 ref = file_offset(&counter), at = file_offset(probed);
	int one, two;

	ASSERT_EQ(3, counter_now());
	one = uprobe_open(SELF, at, ref << 32);
	ASSERT_GE(one, 0);
	EXPECT_EQ(4, counter_now());
	/* All probes of a place share a counter, which is incremented once. */
	EXPECT_EQ(-EINVAL, uprobe_open(SELF, at, 0));
	EXPECT_EQ(-EINVAL, uprobe_open(SELF, at, (ref + 2) << 32));
	two = uprobe_open(SELF, at, ref << 32 | RETURN);
	ASSERT_GE(two, 0);
	EXPECT_EQ(4, counter_now());
	call_probed(1);
	close(one);
	EXPECT_EQ(4, counter_now());
	call_probed(2);
	EXPECT_EQ(2, attach_count(two));
	close(two);
	EXPECT_EQ(3, counter_now());
	one = uprobe_open(SELF, at, 0);
	ASSERT_GE(one, 0);
	EXPECT_EQ(3, counter_now());
	close(one);
}

/* Let each allocation of opening it fail once. If opening fails, no probe is left. */
static int fail_each(struct __test_metadata *_metadata, const struct place *place)
{
	int nth, fd, byte = first_byte(), refused = 0;
	bool failed = true;

	for (nth = 1; failed; nth++) {
		fail_begin(nth);
		fd = place_open(place);
		failed = fail_end();
		if (fd < 0) {
			EXPECT_EQ(-ENOMEM, fd)
				TH_LOG("at allocation %d", nth);
			EXPECT_TRUE(failed);
			refused++;
		} else {
			place_fire(place, 2);
			EXPECT_EQ(2, attach_count(fd))
				TH_LOG("at allocation %d", nth);
			close(fd);
		}
		EXPECT_EQ(0, kprobe_listed())
			TH_LOG("at allocation %d", nth);
		EXPECT_EQ(byte, first_byte())
			TH_LOG("at allocation %d", nth);
	}
	TH_LOG("%d times refused, of %d", refused, nth - 2);
	return refused;
}

TEST_F_TIMEOUT(perf, allocations_fail, 600)
{
	const struct place places[] = {
		{ false, BY_NAME, false }, { false, BY_NAME, true },
		{ true, BY_NAME, false }, { true, BY_NAME, true },
	};
	struct quiet quiet;
	unsigned int i;
	ssize_t length;

	if (!failing_possible())
		SKIP(return, "no fault injection");
	/* procfs returns ENOENT if an allocation of its own fails. */
	length = readlink(SELF, program, sizeof(program) - 1);
	ASSERT_LT(0, length);
	program[length] = '\0';
	quiet = quiet_begin();
	for (i = 0; i < ARRAY_SIZE(places); i++)
		EXPECT_LT(0, fail_each(_metadata, &places[i]));
	EXPECT_TRUE(quiet_end(&quiet));
}

TEST_HARNESS_MAIN
