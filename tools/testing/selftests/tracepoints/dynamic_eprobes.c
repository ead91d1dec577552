// SPDX-License-Identifier: GPL-2.0
/*
 * Events made from other events: "e:GROUP/EVENT SYSTEM.EVENT NAME=$FIELD ... if FILTER". Their
 * records, what they are made from, what keeps them and what they keep, and bad definitions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "dynamic.h"
#include "tracefs.h"

#define WHERE	"event_probe"
#define RENAMED	"e:mine/renamed task.task_rename pid=$pid:s32 name=$newcomm:string"

#define OPENS	"e:mine/opens syscalls/sys_enter_openat f=$flags:x32 n=+0($filename):ustring"

FIXTURE(eprobes)
{
};

FIXTURE_SETUP(eprobes)
{
	tfs_reset();
	if (!dyn_readme("e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>]"))
		SKIP(return, "the kernel has no event probes");
	ASSERT_EQ(0, dyn_clear());
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(eprobes)
{
	tfs_reset();
	dyn_clear();
}

/* Records of this process with the text. */
static int records_in(const char *dir, const char *event, const char *part)
{
	char *text = tfs_text("%strace", dir);
	int n = text ? trace_count(text, event, getpid(), part) : -1;

	free(text);
	return n;
}

static int records(const char *event, const char *part)
{
	return records_in("", event, part);
}

TEST_F(eprobes, definition_and_format)
{
	static const char *const parts[] = {
		"\tfield:s32 pid;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:1;\n",
		"print fmt: \" pid=%d name=\\\"%s\\\"\", REC->pid, __get_str(name)\n",
	};
	unsigned int i;
	char *format;

	ASSERT_EQ(0, dyn_define(RENAMED));
	EXPECT_TRUE(dyn_shows(RENAMED));
	format = tfs_text("events/mine/renamed/format");
	ASSERT_NE(NULL, format);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		EXPECT_NE(NULL, strstr(format, parts[i]));
	free(format);
	EXPECT_EQ(0, dyn_define("-:mine/renamed"));
	EXPECT_FALSE(dyn_shows(RENAMED));
	EXPECT_EQ(-ENOENT, dyn_define("-:mine/renamed"));
}

TEST_F(eprobes, the_name_is_the_source_s)
{
	ASSERT_EQ(0, dyn_define("e task/task_rename"));
	EXPECT_TRUE(dyn_shows("e:eprobes/task_rename task.task_rename"));
	EXPECT_EQ(0, dyn_define("-:eprobes/task_rename task/task_rename"));
	ASSERT_EQ(0, dyn_define("e:mine/ task.task_rename $pid"));
	EXPECT_TRUE(dyn_shows("e:mine/task_rename task.task_rename arg1=$pid"));
	EXPECT_EQ(-ENOENT, dyn_define("-:mine/task_rename task.task_newtask"));
	EXPECT_EQ(-ENOENT, dyn_define("-:mine/task_rename task.task_rename arg1=$oom_score_adj"));
	EXPECT_EQ(0, dyn_define("-:mine/task_rename task.task_rename arg1=$pid"));
}

/* The filter is not shown. */
TEST_F(eprobes, a_filter_selects)
{
	ASSERT_EQ(0, dyn_define(RENAMED " if newcomm == \"yes\" && pid != 0"));
	EXPECT_TRUE(dyn_shows(RENAMED));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	attach_fire("no");
	attach_fire("yes");
	attach_fire("yes and no");
	attach_fire("yes");
	EXPECT_EQ(2, records("renamed", NULL));
	EXPECT_EQ(2, records("renamed", "name=\"yes\""));
}

/* As a trigger does: the source need not be on. */
TEST_F(eprobes, of_an_injected_record)
{
	if (!tfs_exists("events/task/task_rename/inject"))
		SKIP(return, "no injection of events");
	ASSERT_EQ(0, dyn_define(RENAMED " if pid < 0"));
	ASSERT_EQ(0, tfs_write("pid=-5 newcomm='off'", "events/task/task_rename/inject"));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	ASSERT_EQ(0, tfs_write("pid=-6 newcomm='on'", "events/task/task_rename/inject"));
	ASSERT_EQ(0, tfs_write("pid=6 newcomm='on'", "events/task/task_rename/inject"));
	EXPECT_EQ(1, records("renamed", NULL));
	EXPECT_EQ(1, records("renamed", "pid=-6 name=\"on\""));
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	ASSERT_EQ(0, tfs_write("pid=-7 newcomm='off'", "events/task/task_rename/inject"));
	EXPECT_EQ(1, records("renamed", NULL));
}

TEST_F(eprobes, records_and_their_text)
{
	char want[64];

	ASSERT_EQ(0, dyn_define(RENAMED " con=\\7:u8 who=$comm:string low=$pid:b4@0/32"));
	attach_fire("before");
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	attach_fire("abc");
	attach_fire("a name of fifteen");
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	attach_fire("after");
	EXPECT_EQ(2, records("renamed", NULL));
	snprintf(want, sizeof(want), "(task.task_rename) pid=%d name=\"abc\" con=7 who=\"",
		 getpid());
	EXPECT_EQ(1, records("renamed", want));
	snprintf(want, sizeof(want), "low=%d", getpid() & 15);
	EXPECT_EQ(2, records("renamed", want));
	/* The source was not enabled itself. */
	EXPECT_EQ(0, records("task_rename", NULL));
}

TEST_F(eprobes, beside_its_source)
{
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	attach_fire("one");
	ASSERT_EQ(0, dyn_enable("task/task_rename", true));
	attach_fire("two");
	ASSERT_EQ(0, tfs_write("newcomm == \"none\"", "events/task/task_rename/filter"));
	attach_fire("three");
	ASSERT_EQ(0, tfs_write("0", "events/task/task_rename/filter"));
	ASSERT_EQ(0, dyn_enable("task/task_rename", false));
	attach_fire("four");
	EXPECT_EQ(1, records("task_rename", NULL));
	EXPECT_EQ(1, records("renamed", "\"one\""));
	EXPECT_EQ(1, records("renamed", "\"two\""));
	EXPECT_EQ(1, records("renamed", "\"four\""));
}

/* Number of hits in the line of an event that has missed none; -1: there is none */
static int profiled(const char *event)
{
	char *text = tfs_text("dynamic_profile"), *line = strstr(text, event);
	int hits = -1, missed = -1;

	if (!line || sscanf(line + strlen(event), "%d %d\n", &hits, &missed) != 2 || missed)
		hits = -1;
	free(text);
	return hits;
}

TEST_F(eprobes, profile)
{
	if (!is_strobe())
		SKIP(return, "classic has no dynamic_profile");
	EXPECT_TRUE(tfs_is("", "dynamic_profile"));
	ASSERT_EQ(0, dyn_define(RENAMED));
	EXPECT_EQ(0, profiled("  mine/renamed "));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	attach_fire("one");
	attach_fire("two");
	EXPECT_EQ(2, profiled("  mine/renamed "));
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	attach_fire("three");
	EXPECT_EQ(2, profiled("  mine/renamed "));
	EXPECT_EQ(-EINVAL, tfs_write("x", "dynamic_profile"));
}

TEST_F(eprobes, two_on_one_source)
{
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, dyn_define("e:mine/other task.task_rename old=$oldcomm:string"));
	ASSERT_EQ(0, dyn_enable("mine", true));
	attach_fire("first");
	attach_fire("second");
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	attach_fire("third");
	EXPECT_EQ(2, records("renamed", NULL));
	EXPECT_EQ(3, records("other", NULL));
	EXPECT_EQ(1, records("other", "(task.task_rename) old=\"second\""));
}

/* With classic, the second instance gets nothing. */
TEST_F(eprobes, in_two_instances)
{
	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, instance_make("eprobes"));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	ASSERT_EQ(0, tfs_write("1", "instances/eprobes/events/mine/renamed/enable"));
	attach_fire("both");
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	attach_fire("there");
	EXPECT_EQ(1, records("renamed", NULL));
	EXPECT_EQ(2, records_in("instances/eprobes/", "renamed", NULL));
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/renamed"));
	EXPECT_EQ(0, instance_remove("eprobes"));
	EXPECT_EQ(0, dyn_define("-:mine/renamed"));
}

TEST_F(eprobes, filters_and_triggers_of_its_own)
{
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, tfs_write("name == \"kept\"", "events/mine/renamed/filter"));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	attach_fire("lost");
	attach_fire("kept");
	EXPECT_EQ(1, records("renamed", NULL));
	ASSERT_EQ(0, tfs_write("0", "events/mine/renamed/filter"));
	ASSERT_EQ(0, tfs_write("traceoff if name == \"stop\"", "events/mine/renamed/trigger"));
	attach_fire("go");
	attach_fire("stop");
	attach_fire("gone");
	EXPECT_TRUE(tfs_is("0", "tracing_on"));
	EXPECT_EQ(0, records("renamed", "\"gone\""));
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/renamed"));
	ASSERT_EQ(0, tfs_write("!traceoff", "events/mine/renamed/trigger"));
}

TEST_F(eprobes, of_a_system_call)
{
	char *path = "/no/such/file";

	if (tfs_number("events/syscalls/sys_enter_openat/id") < 0)
		SKIP(return, "no events of system calls");
	ASSERT_EQ(0, dyn_define(OPENS));
	ASSERT_EQ(0, dyn_define("e:mine/opened syscalls.sys_exit_openat ret=$ret:s64"));
	ASSERT_EQ(0, dyn_enable("mine", true));
	/* The kernel reads the name without a page fault: the page must be there. */
	EXPECT_EQ(13, strlen(path));
	EXPECT_EQ(-1, open(path, O_RDONLY | O_DIRECTORY));
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_EQ(1, records("opens", "(syscalls.sys_enter_openat) f=0x10000 "));
	EXPECT_EQ(1, records("opens", " n=\"/no/such/file\""));
	EXPECT_EQ(1, records("opened", "ret=-2"));
}

/* Each has a sink of its own on the event of the system call. */
TEST_F(eprobes, of_a_system_call_beside_perf)
{
	int fd, i;

	if (tfs_number("events/syscalls/sys_enter_getpid/id") < 0)
		SKIP(return, "no events of system calls");
	ASSERT_EQ(0, dyn_define("e:mine/one syscalls.sys_enter_getpid"));
	ASSERT_EQ(0, dyn_define("e:mine/two syscalls.sys_enter_getpid"));
	ASSERT_EQ(0, dyn_enable("mine/one", true));
	fd = attach_counter("syscalls", "sys_enter_getpid");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, dyn_enable("mine/two", true));
	for (i = 0; i < 5; i++)
		syscall(SYS_getpid);
	EXPECT_EQ(5, attach_count(fd));
	close(fd);
	syscall(SYS_getpid);
	ASSERT_EQ(0, dyn_enable("mine/one", false));
	syscall(SYS_getpid);
	ASSERT_EQ(0, dyn_enable("mine/two", false));
	EXPECT_LE(6, records("one", "(syscalls.sys_enter_getpid)"));
	EXPECT_EQ(records("one", NULL) + 1, records("two", NULL));
}

/* perf and BPF see nothing of such an event with classic. */
TEST_F(eprobes, perf_counts)
{
	struct perf_event_attr attr;
	int fd, all;

	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	ASSERT_EQ(0, dyn_define(RENAMED " if newcomm != \"not me\""));
	attr = attach_attr("mine", "renamed", 0);
	fd = attach_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "name == \"me\""));
	all = attach_counter("mine", "renamed");
	ASSERT_LE(0, all);
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/renamed"));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire("me");
	attach_fire("not me");
	attach_fire("you");
	EXPECT_EQ(1, attach_count(fd));
	EXPECT_EQ(2, attach_count(all));
	close(all);
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/renamed"));
	close(fd);
	EXPECT_EQ(0, dyn_define("-:mine/renamed"));
}

TEST_F(eprobes, perf_samples_have_the_record)
{
	struct perf_event_header *header;
	struct perf_event_attr attr;
	struct attach_ring ring;
	const char *raw;
	int fd, pid;

	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	ASSERT_EQ(0, dyn_define(RENAMED));
	attr = attach_attr("mine", "renamed", PERF_SAMPLE_RAW);
	fd = attach_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, attach_map(&ring, fd, 4));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire("sampled");
	header = attach_next(&ring);
	ASSERT_NE(NULL, header);
	EXPECT_EQ(PERF_RECORD_SAMPLE, header->type);
	/* The size of the record, then the record: header, pid, name */
	raw = (const char *)(header + 1) + 4;
	memcpy(&pid, raw + 8, sizeof(pid));
	EXPECT_EQ(getpid(), pid);
	EXPECT_STREQ("sampled", raw + 16);
	attach_unmap(&ring);
	close(fd);
}

TEST_F(eprobes, a_program_sees_the_record)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 1,
		.part = { { BPF_W, 8 } },
	};
	struct seen seen;
	struct prog prog;
	int event;

	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	ASSERT_EQ(0, dyn_define(RENAMED " if newcomm == \"seen\""));
	prog = prog_make(&spec);
	ASSERT_LE(0, prog.fd);
	event = event_open("mine", "renamed");
	ASSERT_LE(0, event);
	ASSERT_EQ(0, set_bpf(event, prog.fd));
	attach_fire("seen");
	attach_fire("not seen");
	attach_fire("seen");
	seen = seen_by(&prog);
	EXPECT_EQ(2, seen.calls);
	EXPECT_EQ(getpid(), seen.val[0]);
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/renamed"));
	close(event);
	prog_close(&prog);
}

TEST_F(eprobes, an_enabled_one_is_busy)
{
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/renamed"));
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/"));
	EXPECT_TRUE(dyn_shows(RENAMED));
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	EXPECT_EQ(0, dyn_define("-:mine/"));
	EXPECT_FALSE(dyn_shows(RENAMED));
}

static bool load(void)
{
	return !system("modprobe tp-events 2>/dev/null");
}

static int unload(void)
{
	return syscall(SYS_delete_module, "tp_events", O_NONBLOCK) ? -errno : 0;
}

/* From its definition on, also while it is off. */
TEST_F(eprobes, it_keeps_the_module_of_its_source)
{
	if (!load())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0,
		  dyn_define("e:mine/text tp_events.tp_events_text t=$text:string n=$writes:u32"));
	EXPECT_EQ(-EAGAIN, unload());
	ASSERT_EQ(0, dyn_enable("mine/text", true));
	EXPECT_EQ(0, attach_fire_module("short"));
	EXPECT_EQ(1, records("text", "(tp_events.tp_events_text) t=\"short\" n=1"));
	EXPECT_EQ(-EAGAIN, unload());
	ASSERT_EQ(0, dyn_enable("mine/text", false));
	EXPECT_EQ(-EAGAIN, unload());
	ASSERT_EQ(0, dyn_define("-:mine/text"));
	EXPECT_EQ(0, unload());
}

/* The record of the source does not fit where short ones are kept. */
TEST_F(eprobes, of_a_long_record)
{
	char text[200], want[256];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ASSERT_EQ(0, dyn_define("e:mine/said printk.console text=$msg:string"));
	ASSERT_EQ(0, dyn_enable("mine/said", true));
	EXPECT_EQ(0, file_write("/dev/kmsg", text));
	ASSERT_EQ(0, dyn_enable("mine/said", false));
	snprintf(want, sizeof(want), "%s\"", text);
	EXPECT_EQ(1, records("said", want));
}

static const struct dyn_bad bad[] = {
	{ "e", -EINVAL, NULL },
	{ "e ^a.", -EINVAL, "This requires both group and event name to attach" },
	{ "e:^/bar task.task_rename", -EINVAL, "Group name is not specified" },
	{ "e:^foo.1/bar task.task_rename", -EINVAL,
	  "Group name must follow the same rules as C identifiers" },
	{ "e:^ task.task_rename", -EINVAL, "Event name is not specified" },
	{ "e:foo/^bar.1 task.task_rename", -EINVAL,
	  "Event name must follow the same rules as C identifiers" },
	{ "e:mine/x ^no.such", -ENODEV, "Attached event does not exist" },
	{ "e:mine/x ^ftrace.print", -ENODEV, "Attached event does not exist" },
	{ "e:mine/x task.task_rename arg=^pid", -EINVAL, "BTF is not available or not supported" },
	{ "e:mine/x task.task_rename arg=^$nothing", -EINVAL, "Invalid $-variable specified" },
	{ "e:mine/x task.task_rename arg=^$common_pid", -EINVAL, "Invalid $-variable specified" },
	{ "e:mine/x task.task_rename arg=^%ax", -EINVAL, "Invalid $-variable specified" },
	{ "e:mine/x task.task_rename a=$pid ^a=$pid", -EINVAL,
	  "This argument name is already used" },
	{ "e:mine/x task.task_rename if ^", -EINVAL, "No filter rule after 'if'" },
};

TEST_F(eprobes, bad_definitions)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_TRUE(dyn_is_refused(WHERE, &bad[i]));
	EXPECT_EQ(-EINVAL, dyn_define("e:mine/x task.task_rename if nothing == 1"));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
}

/* No probe is a source. Two eprobes of one name are not one event with two probes. */
TEST_F(eprobes, not_of_probes)
{
	struct dyn_bad twice = {
		"^" RENAMED, -EEXIST, "Given group/event name is already used by another event"
	};
	struct dyn_bad probe = { "e:mine/x ^mine.renamed", -ENODEV,
		"Attached event does not exist" };

	ASSERT_EQ(0, dyn_define(RENAMED));
	EXPECT_TRUE(dyn_is_refused(WHERE, &twice));
	EXPECT_TRUE(dyn_is_refused(WHERE, &probe));
}

static void *fire(void *arg)
{
	pin_to_cpu((long)arg);
	while (dyn_storm()) {
		attach_fire("storm");
		syscall(SYS_getppid);
	}
	return NULL;
}

static void *redefine(void *arg)
{
	char line[256], name[64], removal[80];

	snprintf(name, sizeof(name), "mine/own%ld", (long)arg);
	snprintf(removal, sizeof(removal), "-:%s", name);
	snprintf(line, sizeof(line),
		 "e:%s task.task_rename name=$newcomm:string pid=$pid if pid != 0", name);
	while (dyn_storm()) {
		if (dyn_define(line))
			continue;
		dyn_enable(name, true);
		dyn_enable(name, false);
		dyn_define(removal);
	}
	return NULL;
}

static void *toggle(void *arg)
{
	while (dyn_storm()) {
		dyn_enable("mine/renamed", true);
		dyn_enable("task/task_rename", true);
		dyn_enable("mine/renamed", false);
		dyn_enable("task/task_rename", false);
	}
	return NULL;
}

static void *count(void *arg)
{
	while (dyn_storm()) {
		int fd = attach_counter("mine", "renamed");

		if (fd >= 0)
			close(fd);
		fd = attach_counter("syscalls", "sys_enter_getppid");
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

static void *read_all(void *arg)
{
	while (dyn_storm()) {
		free(tfs_text("trace"));
		free(tfs_text("dynamic_events"));
		free(tfs_text("events/mine/own2/format"));
	}
	return NULL;
}

/* Definitions come and go, are enabled and read while their source fires. */
TEST_F_TIMEOUT(eprobes, storm, 200)
{
	void *(*const bodies[])(void *) = {
		fire, fire, redefine, redefine, toggle, count, read_all,
	};
	long taints = taint_bits();

	ASSERT_EQ(0, dyn_define(RENAMED));
	if (tfs_number("events/syscalls/sys_enter_getppid/id") > 0)
		ASSERT_EQ(0, dyn_define("e:mine/calls syscalls.sys_enter_getppid"));
	ASSERT_EQ(0, dyn_storm_run(bodies, ARRAY_SIZE(bodies), has_kasan() ? 6 : 2));
	EXPECT_EQ(taints, taint_bits());
	EXPECT_EQ(0, dyn_clear());
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
}

TEST_HARNESS_MAIN
