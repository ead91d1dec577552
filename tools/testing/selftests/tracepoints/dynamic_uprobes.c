// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions of user programs: uprobe_events, and the PMU uprobe. The probed
 * functions are those of this program, which is linked statically, at a fixed address.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "file_offset.h"
#include "tracefs.h"

#define PMU "/sys/bus/event_source/devices/uprobe/"

static char this_file[PATH_MAX];

static int probed(int num, unsigned long big, const char *text)
{
	asm volatile("" : : "r" (num), "r" (big), "r" (text) : "memory");
	return num + 1;
}

static long other(long num)
{
	asm volatile("" : : "r" (num) : "memory");
	return num * 2;
}

static int (*volatile call_probed)(int, unsigned long, const char *) = probed;
static long (*volatile call_other)(long) = other;

/* The reference counter of a probe, in data that the program can write. */
static volatile unsigned short counter = 3;

/* Define an event at the beginning of @func: 0 or -errno. */
static int define(const char *head, const void *func, const char *rest)
{
	char line[PATH_MAX + 300];

	snprintf(line, sizeof(line), "%s %s:0x%lx%s", head, this_file, file_offset(func), rest);
	return tfs_append(line, "uprobe_events");
}

FIXTURE(uprobes)
{
};

FIXTURE_SETUP(uprobes)
{
	ssize_t len = readlink("/proc/self/exe", this_file, sizeof(this_file) - 1);

	ASSERT_GT(len, 0);
	this_file[len] = '\0';
	tfs_reset();
}

FIXTURE_TEARDOWN(uprobes)
{
	tfs_write("0", "events/enable");
	close(tfs_open(O_WRONLY | O_TRUNC, "uprobe_events"));
}

TEST_F(uprobes, records_arguments)
{
	static const char text[] = "a text of user space";
	char *trace;

	ASSERT_EQ(0, define("p:tup/enter", probed,
			    " num=%di:s32 big=%si text=+0(%dx):ustring"
			    " plain=+0(%dx):string first=+0(%dx):char who=$comm"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/enter/enable"));
	EXPECT_EQ(-4, call_probed(-5, 0x1122334455667788, text));
	ASSERT_EQ(0, tfs_write("0", "events/tup/enter/enable"));
	call_probed(1, 2, text);
	trace = tfs_text("trace");
	EXPECT_EQ(1, trace_count(trace, "enter", getpid(),
				 "num=-5 big=0x1122334455667788 text=\"a text of user space\""
				 " plain=\"a text of user space\" first='a'"
				 " who=\"dynamic_uprobes\""));
	EXPECT_EQ(1, trace_count(trace, "enter", 0, NULL));
	free(trace);
}

TEST_F(uprobes, records_returns)
{
	struct trace_line line;
	const char *pos;
	char *trace;
	long value;

	ASSERT_EQ(0, define("r:tup/leave", probed, " $retval:s32"));
	ASSERT_EQ(0, define("p:tup/leave2", other, "%return arg1=$retval:u64"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/enable"));
	EXPECT_EQ(8, call_probed(7, 0, NULL));
	EXPECT_EQ(84, call_other(42));
	trace = tfs_text("trace");
	pos = trace;
	ASSERT_TRUE(trace_next(&pos, &line));
	EXPECT_STREQ("leave", line.event);
	ASSERT_TRUE(line_number(&line, "arg1=", &value));
	EXPECT_EQ(8, value);
	ASSERT_TRUE(trace_next(&pos, &line));
	EXPECT_STREQ("leave2", line.event);
	ASSERT_TRUE(line_number(&line, "arg1=", &value));
	EXPECT_EQ(84, value);
	free(trace);
}

/* What the program reads is paged in; what cannot be read has a defined result. */
TEST_F(uprobes, memory_that_is_not_there)
{
	char name[] = "/tmp/uprobe_text.XXXXXX";
	int fd = mkstemp(name);
	char *page, *trace;

	ASSERT_GE(fd, 0);
	unlink(name);
	ASSERT_EQ(12, write(fd, "only in file", 12));
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, define("p:tup/page", probed,
			    " text=+0(%dx):ustring num=+0(%dx):u8 word=+0(+0(%dx)):u64"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/page/enable"));
	call_probed(1, 0, page);
	call_probed(2, 0, (const char *)8);
	call_probed(3, 0, (const char *)-4096L);
	trace = tfs_text("trace");
	EXPECT_EQ(1, trace_count(trace, "page", 0, "text=\"only in file\" num=111 word="));
	EXPECT_EQ(2, trace_count(trace, "page", 0, "text=(fault)"));
	if (is_strobe())
		EXPECT_EQ(2, trace_count(trace, "page", 0, "text=(fault) num=0 word=0"));
	free(trace);
	munmap(page, 4096);
	close(fd);
}

/* Classic takes the text for an address in user space. */
TEST_F(uprobes, text_of_the_definition)
{
	char *trace;

	ASSERT_EQ(0, define("p:tup/text", probed, " text=\\\"as_defined\":string"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/text/enable"));
	call_probed(1, 2, NULL);
	trace = tfs_text("trace");
	EXPECT_EQ(1, trace_count(trace, "text", getpid(),
				 is_strobe() ? "text=\"as_defined\"" : "text=(fault)"));
	free(trace);
}

TEST_F(uprobes, reference_counter)
{
	char rest[40];

	snprintf(rest, sizeof(rest), "(0x%lx)", file_offset((const void *)&counter));
	ASSERT_EQ(0, define("p:tup/usdt", probed, rest));
	EXPECT_EQ(3, counter);
	ASSERT_EQ(0, tfs_write("1", "events/tup/usdt/enable"));
	EXPECT_EQ(4, counter);
	/* One place has one counter. That is checked before what differs from the event. */
	EXPECT_EQ(-EINVAL, define("p:tup/none", probed, ""));
	ASSERT_EQ(0, tfs_write("\n", "error_log"));
	EXPECT_EQ(-EINVAL, define("r:tup/usdt", probed, ""));
	EXPECT_TRUE(tfs_is("", "error_log"));
	ASSERT_EQ(0, tfs_write("0", "events/tup/usdt/enable"));
	EXPECT_EQ(3, counter);
}

/* Number of records of an event in the file trace that show @args */
static int traced(const char *event, const char *args)
{
	char *text = tfs_text("trace");
	int nr = trace_count(text, event, 0, args);

	free(text);
	return nr;
}

TEST_F(uprobes, comes_and_goes)
{
	char *text, place[PATH_MAX + 64];

	if (!is_strobe())
		SKIP(return, "classic removes one of two probes of an event in use, and oopses");
	ASSERT_EQ(0, define("p:tup/one", probed, " num=%di"));
	ASSERT_EQ(0, define("p:tup/one", other, " num=%di"));
	EXPECT_EQ(-EEXIST, define("p:tup/one", other, " num=%di"));
	EXPECT_EQ(-EEXIST, define("p:tup/one", call_other, " num=%di:u8"));
	EXPECT_EQ(-EEXIST, define("r:tup/one", other, " num=%di"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/one/enable"));
	EXPECT_EQ(-EBUSY, tfs_append("-:tup/one", "uprobe_events"));
	EXPECT_EQ(-EBUSY, tfs_open(O_WRONLY | O_TRUNC, "uprobe_events"));
	call_probed(11, 0, NULL);
	call_other(12);
	EXPECT_EQ(1, traced("one", "num=0xb"));
	EXPECT_EQ(1, traced("one", "num=0xc"));
	text = tfs_text("uprobe_profile");
	EXPECT_NE(NULL, strstr(text, " one "));
	free(text);
	/* What was refused has left nothing: one probe goes, the other still fires. */
	snprintf(place, sizeof(place), "-:tup/one %s:0x%016lx", this_file, file_offset(other));
	EXPECT_EQ(0, tfs_append(place, "uprobe_events"));
	EXPECT_EQ(-ENOENT, tfs_append(place, "uprobe_events"));
	call_probed(13, 0, NULL);
	call_other(14);
	EXPECT_EQ(1, traced("one", "num=0xd"));
	EXPECT_EQ(0, traced("one", "num=0xe"));
	ASSERT_EQ(0, tfs_write("0", "events/tup/one/enable"));
	EXPECT_EQ(0, tfs_append("-:tup/one", "uprobe_events"));
	EXPECT_EQ(-ENOENT, tfs_append("-:tup/one", "uprobe_events"));
	EXPECT_TRUE(tfs_is("", "uprobe_events"));
}

TEST_F(uprobes, filters_triggers_and_instances)
{
	char *text;

	ASSERT_EQ(0, define("p:tup/some", probed, " num=%di:s32"));
	ASSERT_EQ(0, tfs_write("num > 5", "events/tup/some/filter"));
	ASSERT_EQ(0, tfs_write("traceoff:1 if num == 9", "events/tup/some/trigger"));
	ASSERT_EQ(0, instance_make("uprobes"));
	ASSERT_EQ(0, tfs_write("1", "instances/uprobes/events/tup/some/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/some/enable"));
	for (int i = 0; i < 12; i++)
		call_probed(i, 0, NULL);
	text = tfs_text("trace");
	EXPECT_EQ(4, trace_count(text, "some", 0, NULL));
	free(text);
	text = tfs_text("instances/uprobes/trace");
	EXPECT_EQ(12, trace_count(text, "some", 0, NULL));
	free(text);
	ASSERT_EQ(0, tfs_write("1", "tracing_on"));
	ASSERT_EQ(0, tfs_write("!traceoff:1 if num == 9", "events/tup/some/trigger"));
	ASSERT_EQ(0, tfs_write("0", "instances/uprobes/events/tup/some/enable"));
	EXPECT_EQ(0, instance_remove("uprobes"));
}

static int pmu_open(const void *func, bool is_return, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = file_number(PMU "type"),
		.size = sizeof(attr),
		.config = is_return,
		.config1 = (uintptr_t)this_file,
		.config2 = file_offset(func),
	};

	return attach_open(&attr, pid, cpu);
}

TEST_F(uprobes, pmu)
{
	int enter = pmu_open(probed, false, 0, -1), leave = pmu_open(probed, true, 0, -1);
	struct perf_event_attr attr = { .type = file_number(PMU "type"), .size = sizeof(attr) };
	int child, status;

	ASSERT_GE(enter, 0);
	ASSERT_GE(leave, 0);
	for (int i = 0; i < 5; i++)
		call_probed(i, 0, NULL);
	child = fork();
	if (!child) {
		call_probed(0, 0, NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(5, attach_count(enter));
	EXPECT_EQ(5, attach_count(leave));
	close(enter);
	close(leave);
	call_probed(0, 0, NULL);
	EXPECT_EQ(-EINVAL, attach_open(&attr, 0, -1));
	attr.config1 = (uintptr_t)"/no/file";
	EXPECT_EQ(-ENOENT, attach_open(&attr, 0, -1));
	attr.config1 = (uintptr_t)"/tmp";
	EXPECT_EQ(-EINVAL, attach_open(&attr, 0, -1));
	EXPECT_EQ(1, tfs_is("", "uprobe_events"));
}

/* The same event in the trace and in perf of one task; classic allows only one of them. */
TEST_F(uprobes, perf_of_a_task_beside_the_trace)
{
	int counter, child, status;
	char *text;

	if (!is_strobe())
		SKIP(return, "classic allows either");
	ASSERT_EQ(0, define("p:tup/both", probed, " num=%di:s32"));
	counter = attach_counter("tup", "both");
	ASSERT_GE(counter, 0);
	call_probed(1, 0, NULL);
	EXPECT_EQ(1, attach_count(counter));
	/* Removal waits for the perf event. */
	EXPECT_EQ(-EBUSY, tfs_append("-:tup/both", "uprobe_events"));
	ASSERT_EQ(0, tfs_write("1", "events/tup/both/enable"));
	child = fork();
	if (!child) {
		call_probed(2, 0, NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	call_probed(3, 0, NULL);
	EXPECT_EQ(2, attach_count(counter));
	text = tfs_text("trace");
	EXPECT_EQ(1, trace_count(text, "both", child, "num=2"));
	EXPECT_EQ(1, trace_count(text, "both", getpid(), "num=3"));
	free(text);
	ASSERT_EQ(0, tfs_write("0", "events/tup/both/enable"));
	call_probed(4, 0, NULL);
	EXPECT_EQ(3, attach_count(counter));
	close(counter);
	EXPECT_EQ(0, tfs_append("-:tup/both", "uprobe_events"));
}

/* A perf event of one task puts no breakpoint into another process. */
TEST_F(uprobes, other_processes_are_left_alone)
{
	int go[2], seen[2], child, status, counter;
	unsigned char first = *(unsigned char *)probed, now = 0;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(seen));
	child = fork();
	if (!child) {
		read(go[0], &now, 1);
		now = *(volatile unsigned char *)probed;
		write(seen[1], &now, 1);
		_exit(0);
	}
	counter = pmu_open(probed, false, 0, -1);
	ASSERT_GE(counter, 0);
	EXPECT_NE(first, *(volatile unsigned char *)probed);
	write(go[1], "", 1);
	ASSERT_EQ(1, read(seen[0], &now, 1));
	EXPECT_EQ(first, now);
	waitpid(child, &status, 0);
	close(counter);
	EXPECT_EQ(first, *(volatile unsigned char *)probed);
}

TEST_F(uprobes, program)
{
	const struct spec spec = {
		.type = BPF_PROG_TYPE_KPROBE,
		.func = BPF_FUNC_get_func_ip,
	};
	struct prog prog = prog_make(&spec);
	int event, link;

	ASSERT_GE(prog.fd, 0);
	event = pmu_open(probed, false, -1, 0);
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, pin_to_cpu(0));
	link = link_perf(prog.fd, event, 0xc0de);
	ASSERT_GE(link, 0);
	for (int i = 0; i < 6; i++)
		call_probed(i, 0, NULL);
	EXPECT_EQ(6, calls_of(&prog));
	EXPECT_EQ((uintptr_t)probed, seen_by(&prog).val[0]);
	close(link);
	close(event);
	call_probed(0, 0, NULL);
	EXPECT_EQ(6, calls_of(&prog));
	prog_close(&prog);
}

static volatile bool stop;

static void *calls(void *unused)
{
	while (!stop) {
		call_probed(1, 2, "text");
		call_other(3);
	}
	return NULL;
}

/* Hits of the event that uprobe_profile shows. */
static long profile_hits(const char *event)
{
	char *text = tfs_text("uprobe_profile"), *at = text ? strstr(text, event) : NULL;
	long hits = at ? strtol(at + strlen(event), NULL, 10) : -1;

	free(text);
	return hits;
}

TEST_F_TIMEOUT(uprobes, storm, 400)
{
	pthread_t threads[2];
	long hits = 0;
	int counter;

	stop = false;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, calls, NULL));
	for (int i = 0; i < 60; i++) {
		ASSERT_EQ(0, define("p:tup/storm", probed, " num=%di text=+0(%dx):ustring"));
		ASSERT_EQ(0, define("r:tup/back", other, " $retval"));
		ASSERT_EQ(0, tfs_write("1", "events/tup/enable"));
		counter = pmu_open(probed, i & 1, -1, 0);
		ASSERT_GE(counter, 0);
		ASSERT_EQ(0, tfs_write("0", "events/tup/enable"));
		close(counter);
		hits += profile_hits(" storm ");
		ASSERT_EQ(0, tfs_append("-:tup/storm", "uprobe_events"));
		ASSERT_EQ(0, tfs_append("-:tup/back", "uprobe_events"));
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_LT(0, hits);
}

/* The second probe is past the end of the file: it is accepted, but cannot be armed. */
static int define_half(void)
{
	char line[PATH_MAX + 64];

	snprintf(line, sizeof(line), "p:tup/half %s:0x7ffff000", this_file);
	return define("p:tup/half", probed, "") ?: tfs_append(line, "uprobe_events");
}

/* Records of the event in trace */
static int shown(const char *event)
{
	char *trace = tfs_text("trace");
	int n = trace_count(trace, event, 0, NULL);

	free(trace);
	return n;
}

/*
 * The first probe of an event fires before it turns out that the second one cannot be armed. Its
 * records must not become those of another event, and perf's data of the event not be freed yet.
 */
TEST_F_TIMEOUT(uprobes, the_second_cannot_be_armed, 200)
{
	const int rounds = 40;
	int err = 0, hot, i;
	pthread_t thread;
	long id;

	stop = false;
	/* The breakpoint is there already, and stays. */
	ASSERT_EQ(0, define("p:tup/hot", probed, ""));
	hot = attach_counter("tup", "hot");
	ASSERT_LE(0, hot);
	ASSERT_EQ(0, define_half());
	ASSERT_EQ(0, pthread_create(&thread, NULL, calls, NULL));
	for (i = 0; i < rounds; i++)
		err += attach_counter("tup", "half") != -EINVAL;
	EXPECT_EQ(0, err);
	for (i = 0; i < rounds && !shown("half"); i++)
		err += tfs_write("1", "events/tup/half/enable") != -EINVAL;
	EXPECT_EQ(0, err);
	EXPECT_TRUE(tfs_is("0", "events/tup/half/enable"));
	stop = true;
	pthread_join(thread, NULL);
	close(hot);
	/* With classic, the records are those of the event that gets the number next. */
	if (!is_strobe())
		return;
	EXPECT_LT(0, shown("half"));
	id = tfs_number("events/tup/half/id");
	ASSERT_EQ(0, tfs_append("-:tup/half", "uprobe_events"));
	ASSERT_EQ(0, define("p:tup/taken", probed, ""));
	EXPECT_EQ(id, tfs_number("events/tup/taken/id"));
	EXPECT_EQ(0, shown("taken"));
}

/* A refused definition: its errno, the message, and where in the line it is. */
static const struct {
	const char *line;
	int err;
	const char *log;	/* NULL: no entry */
	int at;
} refused[] = {
	{ "p:tup/x /no/file:1", -ENOENT, "Failed to find the given file", 8 },
	{ "p:tup/x /tmp:1", -EINVAL, "Not a regular file", 8 },
	{ "p:tup/x /init:0x1(", -EINVAL, "Reference counter brace is not closed", 18 },
	{ "p:tup/x /init:0x1(1)2", -EINVAL, "Reference counter has wrong suffix", 20 },
	{ "p:tup/x /init:0x1(x)", -EINVAL, "Invalid reference counter offset", 18 },
	{ "p:tup/x /init:0x1%back", -EINVAL, "Invalid probed address suffix", 17 },
	{ "p:tup/x /init:1g", -EINVAL, "Invalid uprobe offset", 14 },
	{ "p:tup/x /init", -EINVAL, NULL, 0 },
	{ "p:tup/x /init:x", -EINVAL, NULL, 0 },
	{ "p:tup/x /init:1 @kfree", -EINVAL, "Symbol is not available with uprobe", 16 },
	{ "p:tup/x /init:1 $retval", -EINVAL, "$retval is not available on probe", 16 },
	{ "x:tup/x /init:1", -EINVAL, NULL, 0 },
};

TEST_F(uprobes, bad_input)
{
	char line[200], want[400], *log, *last;

	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		if (strstr(refused[i].line, "/init") && access("/init", F_OK))
			continue;
		ASSERT_EQ(0, tfs_write("\n", "error_log"));
		snprintf(line, sizeof(line), "%s", refused[i].line);
		EXPECT_EQ(refused[i].err, tfs_append(line, "uprobe_events")) {
			TH_LOG("%s", line);
		}
		log = tfs_text("error_log");
		if (!refused[i].log) {
			EXPECT_STREQ("", log);
			free(log);
			continue;
		}
		last = strstr(log, "trace_uprobe: error: ");
		snprintf(want, sizeof(want), "trace_uprobe: error: %s\n  Command: %s\n%*s\n",
			 refused[i].log, line, 12 + refused[i].at, "^");
		EXPECT_STREQ(want, last ?: "");
		free(log);
	}
	EXPECT_TRUE(tfs_is("", "uprobe_events"));
}

/* That is refused before the place is looked at. */
TEST_F(uprobes, too_many_arguments)
{
	char line[600];
	int len = sprintf(line, "p:tup/x word");

	for (unsigned int i = 0; i < 129; i++)
		len += sprintf(line + len, " %%di");
	EXPECT_EQ(-E2BIG, tfs_append(line, "uprobe_events"));
}

/* Before the harness prints its plan. */
static void __attribute__((constructor)) skip_without_uprobes(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/uprobe_events", tfs_root());
	if (!access(path, F_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("no uprobe events\n");
}

TEST_HARNESS_MAIN
