// SPDX-License-Identifier: GPL-2.0
/*
 * Events on the entry and the return of functions by function hooks, "f:GROUP/EVENT FUNCTION",
 * and on tracepoints, "t:GROUP/EVENT TRACEPOINT": their records, modules that come and go, what
 * keeps them, and bad definitions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "dynamic.h"
#include "failing.h"
#include "tracefs.h"

#define WHERE	"trace_fprobe"
/* attach_fire() calls it, and fires task_rename; the new name is the second argument of both. */
#define ENTRY	"f:mine/entry __set_task_comm name=+0($arg2):string"
#define RENAMED	"t:mine/renamed task_rename name=+0($arg2):string"

FIXTURE(fprobes)
{
};

FIXTURE_SETUP(fprobes)
{
	tfs_reset();
	ASSERT_EQ(0, dyn_clear());
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(fprobes)
{
	tfs_reset();
	dyn_clear();
}

/* Records of this process with the text. */
static int records(const char *event, const char *part)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, event, getpid(), part) : -1;

	free(text);
	return n;
}

/* The line appears as it is, or as @shown. */
static bool defines(const char *line, const char *shown)
{
	return !dyn_define(line) && dyn_shows(shown ?: line);
}

TEST_F(fprobes, definitions)
{
	EXPECT_TRUE(defines(ENTRY, NULL));
	EXPECT_TRUE(defines(RENAMED, NULL));
	EXPECT_TRUE(defines("f vfs_read", "f:fprobes/vfs_read__entry vfs_read"));
	EXPECT_TRUE(defines("f vfs_read%return", "f:fprobes/vfs_read__exit vfs_read%return"));
	EXPECT_TRUE(defines("f:mine/ vfs_write $retval",
			    "f:mine/vfs_write__exit vfs_write%return arg1=$retval"));
	EXPECT_TRUE(defines("f10:mine/ten vfs_read%return", NULL));
	EXPECT_TRUE(defines("t sched_process_fork",
			    "t:tracepoints/sched_process_fork sched_process_fork"));
	EXPECT_EQ(-ENOENT, dyn_define("-:mine/ten vfs_write"));
	EXPECT_EQ(0, dyn_define("-:mine/ten vfs_read"));
	EXPECT_EQ(0, dyn_define("-:fprobes/"));
	EXPECT_FALSE(dyn_shows("f:fprobes/vfs_read__entry vfs_read"));
	EXPECT_EQ(0, dyn_define("-:renamed task_rename name=+0($arg2):string"));
	EXPECT_FALSE(dyn_shows(RENAMED));
	EXPECT_TRUE(dyn_shows(ENTRY));
}

static bool format_has(const char *event, const char *part)
{
	char *format = tfs_text("events/mine/%s/format", event);
	bool found = format && strstr(format, part);

	free(format);
	return found;
}

#define ADDRESS(name, at) \
	"\tfield:unsigned long " name ";\toffset:" at ";\tsize:8;\tsigned:0;\n"

TEST_F(fprobes, formats)
{
	ASSERT_EQ(0, dyn_define("f:mine/entry vfs_read n=$arg3:u32"));
	ASSERT_EQ(0, dyn_define("f:mine/exit vfs_read%return ret=$retval:s32"));
	EXPECT_TRUE(format_has("entry", ADDRESS("__probe_ip", "8")
					"\tfield:u32 n;\toffset:16;\tsize:4;\tsigned:0;\n"));
	EXPECT_TRUE(format_has("entry", "print fmt: \"(%lx) n=%u\", REC->__probe_ip, REC->n\n"));
	EXPECT_TRUE(format_has("exit", ADDRESS("__probe_func", "8") ADDRESS("__probe_ret_ip", "16")
				       "\tfield:s32 ret;\toffset:24;\tsize:4;\tsigned:1;\n"));
	EXPECT_TRUE(format_has("exit", "print fmt: \"(%lx <- %lx) ret=%d\", REC->__probe_func, "));
}

TEST_F(fprobes, an_entry)
{
	ASSERT_EQ(0, dyn_define(ENTRY));
	attach_fire("before");
	ASSERT_EQ(0, dyn_enable("mine/entry", true));
	attach_fire("one");
	attach_fire("two");
	ASSERT_EQ(0, dyn_enable("mine/entry", false));
	attach_fire("after");
	EXPECT_EQ(2, records("entry", "(__set_task_comm+0x"));
	EXPECT_EQ(1, records("entry", ") name=\"one\""));
	EXPECT_EQ(1, records("entry", ") name=\"two\""));
}

/* Read bytes from /dev/zero. */
static void read_zeros(int bytes)
{
	char buf[4096];
	int fd = open("/dev/zero", O_RDONLY);

	if (fd < 0 || read(fd, buf, bytes) != bytes)
		perror("/dev/zero");
	close(fd);
}

TEST_F(fprobes, a_return)
{
	ASSERT_EQ(0, dyn_define("f:mine/exit vfs_read%return ret=$retval:s32"));
	ASSERT_EQ(0, dyn_enable("mine/exit", true));
	read_zeros(3141);
	read_zeros(2718);
	ASSERT_EQ(0, dyn_enable("mine/exit", false));
	EXPECT_EQ(1, records("exit", "ret=3141"));
	EXPECT_EQ(1, records("exit", " <- vfs_read) ret=2718"));
}

/* The arguments are those of the entry. */
TEST_F(fprobes, a_return_with_arguments)
{
	if (!dyn_readme("kernel return probes support:"))
		SKIP(return, "return probes have no arguments");
	ASSERT_EQ(0,
		  dyn_define("f:mine/exit vfs_read%return r=$retval:s32 n=$arg3:u32 x=$arg3:x64"));
	ASSERT_EQ(0, dyn_define("f:mine/named __set_task_comm%return name=+0($arg2):string"));
	ASSERT_EQ(0, dyn_enable("mine", true));
	read_zeros(3141);
	attach_fire("here");
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_EQ(1, records("exit", "r=3141 n=3141 x=0xc45"));
	EXPECT_EQ(1, records("named", "name=\"here\""));
}

TEST_F(fprobes, registers_and_stack)
{
	ASSERT_EQ(0, dyn_define("f:mine/entry __set_task_comm sp=$stack s=$stack0:symbol c=$comm"));
	ASSERT_EQ(0, dyn_enable("mine/entry", true));
	attach_fire("named");
	attach_fire("other");
	ASSERT_EQ(0, dyn_enable("mine/entry", false));
	EXPECT_EQ(2, records("entry", "sp=0xffff"));
	EXPECT_EQ(1, records("entry", "c=\"named\""));
}

TEST_F(fprobes, two_functions_in_one_event)
{
	ASSERT_EQ(0, dyn_define("f:mine/both __set_task_comm a=\\1:u8"));
	ASSERT_EQ(0, dyn_define("f:mine/both vfs_read a=\\2:u8"));
	EXPECT_TRUE(dyn_shows("f:mine/both __set_task_comm a=\\1:u8"));
	EXPECT_TRUE(dyn_shows("f:mine/both vfs_read a=\\2:u8"));
	ASSERT_EQ(0, dyn_enable("mine/both", true));
	attach_fire("one");
	read_zeros(1);
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/both"));
	ASSERT_EQ(0, dyn_enable("mine/both", false));
	EXPECT_EQ(1, records("both", "(__set_task_comm+"));
	EXPECT_LE(1, records("both", "(vfs_read+"));
	/* The event stays with its other probe. */
	EXPECT_EQ(0, dyn_define("-:mine/both vfs_read"));
	EXPECT_TRUE(dyn_shows("f:mine/both __set_task_comm a=\\1:u8"));
	ASSERT_EQ(0, dyn_enable("mine/both", true));
	attach_fire("two");
	EXPECT_EQ(2, records("both", "(__set_task_comm+"));
}

TEST_F(fprobes, functions_by_pattern)
{
	ASSERT_EQ(0, dyn_define("f:mine/some vfs_rea*"));
	ASSERT_EQ(0, dyn_enable("mine/some", true));
	read_zeros(1);
	ASSERT_EQ(0, dyn_enable("mine/some", false));
	EXPECT_LE(1, records("some", "(vfs_read+"));
}

TEST_F(fprobes, a_tracepoint)
{
	ASSERT_EQ(0, dyn_define(RENAMED));
	attach_fire("before");
	ASSERT_EQ(0, dyn_enable("mine/renamed", true));
	attach_fire("one");
	ASSERT_EQ(0, dyn_enable("task/task_rename", true));
	attach_fire("two");
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	attach_fire("three");
	ASSERT_EQ(0, dyn_enable("task/task_rename", false));
	EXPECT_EQ(2, records("renamed", "(__probestub_task_rename+0x"));
	EXPECT_EQ(1, records("renamed", "name=\"one\""));
	EXPECT_EQ(1, records("renamed", "name=\"two\""));
	EXPECT_EQ(2, records("task_rename", NULL));
}

/* Classic refuses the second one. */
TEST_F(fprobes, a_tracepoint_twice)
{
	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, dyn_define("t:mine/twice task_rename"));
	ASSERT_EQ(0, dyn_enable("mine", true));
	attach_fire("both");
	ASSERT_EQ(0, dyn_enable("mine/renamed", false));
	attach_fire("one");
	ASSERT_EQ(0, dyn_enable("mine/twice", false));
	attach_fire("none");
	EXPECT_EQ(1, records("renamed", NULL));
	EXPECT_EQ(2, records("twice", NULL));
}

static bool load(void)
{
	return !system("modprobe tp-events 2>/dev/null");
}

static int unload(void)
{
	return syscall(SYS_delete_module, "tp_events", O_NONBLOCK) ? -errno : 0;
}

static void write_eventfd(void)
{
	int fd = eventfd(0, 0);

	if (fd < 0 || eventfd_write(fd, 1))
		perror("eventfd");
	close(fd);
}

/* The sample's open() fires its tracepoint, and fails. */
static void open_sample(void)
{
	int fd = open("/proc/tracepoint-sample", O_RDONLY);

	if (fd >= 0)
		close(fd);
}

/* It waits for the module, and does not keep it. */
TEST_F(fprobes, a_tracepoint_of_a_module)
{
	int i;

	if (!is_strobe())
		SKIP(return, "classic uses memory of the module that has left");
	if (!load())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, dyn_define("t:mine/late tp_events_work_begin id=$arg1:u32"));
	EXPECT_TRUE(dyn_shows("t:mine/late tp_events_work_begin id=$arg1:u32"));
	ASSERT_EQ(0, dyn_enable("mine/late", true));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(load());
		EXPECT_EQ(0, attach_fire_module("one"));
		EXPECT_EQ(0, attach_fire_module("two"));
		EXPECT_EQ(i + 1, records("late", "id=1"));
		EXPECT_EQ(i + 1, records("late", "id=2"));
		ASSERT_EQ(0, unload());
	}
	ASSERT_TRUE(load());
	ASSERT_EQ(0, dyn_enable("mine/late", false));
	EXPECT_EQ(0, attach_fire_module("three"));
	EXPECT_EQ(3, records("late", "id=1"));
	EXPECT_EQ(0, dyn_define("-:mine/late"));
	ASSERT_EQ(0, unload());
}

TEST_F(fprobes, a_function_of_a_module)
{
	if (!load())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, dyn_define("f:mine/written events_write n=$arg3:u32"));
	ASSERT_EQ(0, dyn_enable("mine/written", true));
	EXPECT_EQ(0, attach_fire_module("four"));
	EXPECT_EQ(1, records("written", "(events_write+0x"));
	EXPECT_EQ(1, records("written", "n=4"));
	ASSERT_EQ(0, unload());
	/* With classic it stays silent. */
	if (is_strobe()) {
		ASSERT_TRUE(load());
		EXPECT_EQ(0, attach_fire_module("fifth"));
		EXPECT_EQ(1, records("written", "n=5"));
		ASSERT_EQ(0, unload());
	}
	ASSERT_EQ(0, dyn_enable("mine/written", false));
	EXPECT_EQ(0, dyn_define("-:mine/written"));
}

/* Functions of the kernel and of a module; classic's probe is on those that it was defined on. */
TEST_F(fprobes, a_pattern_and_a_module)
{
	int i;

	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	if (!load())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, dyn_define("f:mine/any event*_write"));
	ASSERT_EQ(0, dyn_enable("mine/any", true));
	for (i = 1; i <= 2; i++) {
		ASSERT_TRUE(load());
		EXPECT_EQ(0, attach_fire_module("some"));
		EXPECT_EQ(i, records("any", "(events_write+0x"));
		ASSERT_EQ(0, unload());
		write_eventfd();
		EXPECT_EQ(i, records("any", "(eventfd_write+0x"));
	}
	ASSERT_EQ(0, dyn_enable("mine/any", false));
}

static bool is_hooked(const char *function)
{
	char *text = tfs_text("enabled_functions");
	bool found = text && strstr(text, function);

	free(text);
	return found;
}

/* Wait until the module has its functions and its initialisation runs. */
static bool is_coming(void)
{
	char state[16];
	int i, fd, len;

	for (i = 0; i < 1000; i++) {
		fd = open("/sys/module/tp_events/initstate", O_RDONLY);
		len = read(fd, state, sizeof(state));
		close(fd);
		if (len > 0 && !strncmp(state, "coming", 6))
			return true;
		usleep(1000);
	}
	return false;
}

/* Functions that are freed when a module is initialised are not probed meanwhile either. */
TEST_F(fprobes, a_module_that_is_initialised)
{
	int child, status;

	if (!is_strobe())
		SKIP(return, "classic keeps the addresses of such functions");
	if (!load())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, unload());
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(!system("modprobe tp-events fail_after=3000 2>/dev/null"));
	ASSERT_TRUE(is_coming());
	EXPECT_EQ(-EINVAL, dyn_define("f:mine/init events_init"));
	EXPECT_EQ(0, dyn_define("f:mine/any events_*"));
	EXPECT_TRUE(is_hooked("events_write"));
	EXPECT_FALSE(is_hooked("events_init"));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_FALSE(is_hooked("events_write"));
	/* Now they come after the definition. */
	ASSERT_TRUE(load());
	EXPECT_TRUE(is_hooked("events_write"));
	ASSERT_EQ(0, unload());
	EXPECT_FALSE(is_hooked("events_write"));
}

/* Open the file of the module: an fd, or -1 */
static int open_module(void)
{
	char path[256] = "";
	FILE *found = popen("find /lib/modules -name tp-events.ko", "r");

	if (found && fgets(path, sizeof(path), found))
		path[strcspn(path, "\n")] = '\0';
	if (found)
		pclose(found);
	return open(path, O_RDONLY);
}

/* If there is no memory to hook the functions of a module, those of the kernel stay hooked. */
TEST_F_TIMEOUT(fprobes, a_module_without_memory, 300)
{
	int file, nth, step, ret, fired = 0, refused = 0, without = 0;
	bool failed = true;

	if (!is_strobe())
		SKIP(return, "classic does not hook functions of a module that comes");
	if (!failing_possible())
		SKIP(return, "no fault injection");
	if (!load())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, unload());
	file = open_module();
	ASSERT_LE(0, file);
	ASSERT_EQ(0, dyn_define("f:mine/any event*_write"));
	ASSERT_EQ(0, dyn_enable("mine/any", true));
	/* Five allocations in a row fail as its functions are hooked. */
	for (nth = 1; failed; nth += step) {
		fail_begin(nth);
		ret = syscall(SYS_finit_module, file, "", 0);
		failed = fail_end();
		refused += !!ret;
		without += !ret && !is_hooked("events_write");
		write_eventfd();
		fired++;
		/*
		 * It is hooked after the first place at which it is not refused. There, try each
		 * allocation: with few of them it is loaded, but not hooked.
		 */
		step = fired > refused && !without ? 1 : 4;
		ASSERT_EQ(ret ? -ENOENT : 0, unload());
	}
	EXPECT_LT(20, refused);
	EXPECT_LT(0, without);
	EXPECT_EQ(fired, records("any", "(eventfd_write+0x"));
	EXPECT_EQ(0, system("dmesg | grep -q 'event any: not connected to'"));
	close(file);
	ASSERT_EQ(0, dyn_enable("mine/any", false));
}

/* Two modules have a tracepoint of this name: the event is on that of a module that is loaded. */
TEST_F(fprobes, a_tracepoint_in_two_modules)
{
	int fd;

	if (!is_strobe())
		SKIP(return, "classic uses memory of the module that has left");
	if (system("modprobe tp-sample && modprobe tp-twin"))
		SKIP(return, "no modules tp-sample and tp-twin");
	ASSERT_EQ(0, dyn_define("t:mine/step tp_sample_step step=$arg1:s32"));
	ASSERT_EQ(0, dyn_enable("mine/step", true));
	open_sample();
	EXPECT_EQ(3, records("step", NULL));
	ASSERT_EQ(0, system("rmmod tp-sample"));
	fd = open("/sys/module/tp_twin/parameters/step", O_WRONLY);
	EXPECT_EQ(2, write(fd, "77", 2));
	close(fd);
	EXPECT_EQ(1, records("step", "step=77"));
	ASSERT_EQ(0, system("modprobe tp-sample && rmmod tp-twin"));
	open_sample();
	EXPECT_EQ(7, records("step", NULL));
	ASSERT_EQ(0, system("rmmod tp-sample && modprobe tp-twin"));
	ASSERT_EQ(0, dyn_enable("mine/step", false));
	EXPECT_EQ(0, dyn_define("-:mine/step"));
	EXPECT_EQ(0, system("rmmod tp-twin"));
}

/* Two modules have functions of this name, and each records those that are loaded. */
TEST_F(fprobes, a_name_in_two_modules)
{
	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	if (system("modprobe tp-probe && modprobe tp-probe-late"))
		SKIP(return, "no modules tp-probe and tp-probe-late");
	/* The records of a module that has left show no name of a function. */
	ASSERT_EQ(0, dyn_define("f:mine/opened probe_open"));
	ASSERT_EQ(0, dyn_enable("mine/opened", true));
	open_sample();
	EXPECT_EQ(2, records("opened", NULL));
	ASSERT_EQ(0, system("rmmod tp-probe-late"));
	open_sample();
	EXPECT_EQ(3, records("opened", NULL));
	ASSERT_EQ(0, system("modprobe tp-probe-late && rmmod tp-probe"));
	open_sample();
	EXPECT_EQ(4, records("opened", NULL));
	ASSERT_EQ(0, system("rmmod tp-probe-late && modprobe tp-probe"));
	open_sample();
	EXPECT_EQ(5, records("opened", NULL));
	ASSERT_EQ(0, dyn_enable("mine/opened", false));
	EXPECT_EQ(0, system("rmmod tp-probe tp-sample"));
}

TEST_F(fprobes, filters_and_triggers)
{
	ASSERT_EQ(0, dyn_define(ENTRY));
	ASSERT_EQ(0, tfs_write("name == \"kept\"", "events/mine/entry/filter"));
	ASSERT_EQ(0, dyn_enable("mine/entry", true));
	attach_fire("lost");
	attach_fire("kept");
	EXPECT_EQ(1, records("entry", NULL));
	ASSERT_EQ(0, tfs_write("0", "events/mine/entry/filter"));
	ASSERT_EQ(0, tfs_write("traceoff if name == \"stop\"", "events/mine/entry/trigger"));
	attach_fire("go");
	attach_fire("stop");
	attach_fire("gone");
	EXPECT_TRUE(tfs_is("0", "tracing_on"));
	EXPECT_EQ(0, records("entry", "\"gone\""));
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/entry"));
	ASSERT_EQ(0, tfs_write("!traceoff", "events/mine/entry/trigger"));
}

TEST_F(fprobes, perf_counts)
{
	struct perf_event_attr attr;
	int fd, all;

	ASSERT_EQ(0, dyn_define(ENTRY));
	ASSERT_EQ(0, dyn_define("f:mine/exit __set_task_comm%return"));
	attr = attach_attr("mine", "entry", 0);
	fd = attach_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, attach_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "name == \"me\""));
	all = attach_counter("mine", "exit");
	ASSERT_LE(0, all);
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/entry"));
	ASSERT_EQ(0, attach_enable(fd, true));
	attach_fire("me");
	attach_fire("you");
	EXPECT_EQ(1, attach_count(fd));
	EXPECT_EQ(2, attach_count(all));
	close(all);
	close(fd);
	EXPECT_EQ(0, dyn_define("-:mine/"));
}

/* Classic takes no programs for them. */
TEST_F(fprobes, a_program_sees_the_record)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 1,
		.part = { { BPF_W, 16 } },
	};
	struct seen seen;
	struct prog prog;
	int event;

	if (!is_strobe())
		SKIP(return, "the other engine does not have it");
	ASSERT_EQ(0, dyn_define("f:mine/entry __set_task_comm a=\\42:u32"));
	prog = prog_make(&spec);
	ASSERT_LE(0, prog.fd);
	event = event_open("mine", "entry");
	ASSERT_LE(0, event);
	ASSERT_EQ(0, set_bpf(event, prog.fd));
	attach_fire("one");
	attach_fire("two");
	seen = seen_by(&prog);
	EXPECT_EQ(2, seen.calls);
	EXPECT_EQ(42, seen.val[0]);
	close(event);
	prog_close(&prog);
}

TEST_F(fprobes, an_eprobe_on_one)
{
	ASSERT_EQ(0, dyn_define(ENTRY));
	ASSERT_EQ(0, dyn_define("e:mine/again mine.entry copy=$name:string if name ~ \"k*\""));
	EXPECT_EQ(-EBUSY, dyn_define("-:mine/entry"));
	ASSERT_EQ(0, dyn_enable("mine/again", true));
	attach_fire("lost");
	attach_fire("kept");
	EXPECT_EQ(1, records("again", NULL));
	EXPECT_EQ(1, records("again", "(mine.entry) copy=\"kept\""));
	EXPECT_EQ(0, records("entry", NULL));
	ASSERT_EQ(0, dyn_enable("mine/again", false));
	EXPECT_EQ(0, dyn_define("-:mine/again"));
	EXPECT_EQ(0, dyn_define("-:mine/entry"));
}

static const struct dyn_bad bad[] = {
	{ "f", -EINVAL, NULL },
	{ "f^100 vfs_read", -EINVAL, "Maxactive is only for function exit" },
	{ "t^100 task_rename", -EINVAL, "Maxactive is only for function exit" },
	{ "f^1a111 vfs_read", -EINVAL, "Invalid maxactive number" },
	{ "f^0 vfs_read%return", -EINVAL, "Invalid maxactive number" },
	{ "f^100000 vfs_read%return", -EINVAL, "Maxactive is too big" },
	{ "f vfs_read^%hoge", -EINVAL, "Invalid probed address suffix" },
	{ "t task_rename^%return", -EINVAL, "Invalid probed address suffix" },
	{ "t task^-rename", -EINVAL, "Invalid character in tracepoint name" },
	{ "t task_rename ^$retval", -EINVAL, "$retval is not available on probe" },
	{ "f:^/bar vfs_read", -EINVAL, "Group name is not specified" },
	{ "f:^foo.1/bar vfs_read", -EINVAL,
	  "Group name must follow the same rules as C identifiers" },
	{ "f:^ vfs_read", -EINVAL, "Event name is not specified" },
	{ "f:mine/^bar.1 vfs_read", -EINVAL,
	  "Event name must follow the same rules as C identifiers" },
	{ "f:mine/x vfs_read ^$stack10000", -EINVAL, "Invalid stack number" },
	{ "f:mine/x vfs_read a=^$arg10000", -EINVAL, "Invalid argument number" },
	{ "f:mine/x vfs_read ^$none_var", -EINVAL, "Invalid $-variable specified" },
	{ "f:mine/x vfs_read ^%ax", -EINVAL, "Invalid $-variable specified" },
	{ "t:mine/x task_rename ^%ax", -EINVAL, "Invalid $-variable specified" },
	{ "f:mine/x vfs_read ^@+10", -EINVAL, "File offset is not available with kprobe" },
	{ "f:mine/x vfs_read a=\\1 ^a=\\1", -EINVAL, "This argument name is already used" },
};

TEST_F(fprobes, bad_definitions)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_TRUE(dyn_is_refused(WHERE, &bad[i]));
	EXPECT_GT(0, dyn_define("f:mine/x no_such_function"));
	EXPECT_GT(0, dyn_define("f:mine/x vfs_read+10"));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
}

static const struct dyn_bad appended[] = {
	{ "^f:mine/one vfs_read%return abcd=\\1", -EEXIST,
	  "Probe type is different from existing probe" },
	{ "^t:mine/one task_rename abcd=\\1", -EEXIST,
	  "Probe type is different from existing probe" },
	{ "f:mine/one vfs_read ^bcd=\\1", -EEXIST,
	  "Argument type or name is different from existing probe" },
	{ "f:mine/one vfs_read ^abcd=\\1:u8", -EEXIST,
	  "Argument type or name is different from existing probe" },
	{ "^f:mine/one vfs_read abcd=\\1", -EEXIST, "There is already the exact same probe event" },
	{ "^f:task/task_rename vfs_read", -EEXIST,
	  "Given group/event name is already used by another event" },
};

TEST_F(fprobes, bad_appending)
{
	unsigned int i;

	ASSERT_EQ(0, dyn_define("f:mine/one vfs_read abcd=\\1"));
	for (i = 0; i < ARRAY_SIZE(appended); i++)
		EXPECT_TRUE(dyn_is_refused(WHERE, &appended[i]));
	EXPECT_TRUE(tfs_is("f:mine/one vfs_read abcd=\\1", "dynamic_events"));
}

static void *fire(void *arg)
{
	pin_to_cpu((long)arg);
	while (dyn_storm()) {
		attach_fire("storm");
		read_zeros(1);
	}
	return NULL;
}

static void *redefine(void *arg)
{
	static const char *const lines[] = {
		"f:mine/own%ld __set_task_comm name=+0($arg2):string",
		"f:mine/own%ld vfs_read%%return ret=$retval",
		"t:mine/own%ld task_rename name=+0($arg2):string",
	};
	char line[128], name[64], removal[80];
	unsigned int i = 0;

	snprintf(name, sizeof(name), "mine/own%ld", (long)arg);
	snprintf(removal, sizeof(removal), "-:%s", name);
	while (dyn_storm()) {
		snprintf(line, sizeof(line), lines[i++ % ARRAY_SIZE(lines)], (long)arg);
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
		dyn_enable("mine/entry", true);
		dyn_enable("mine/renamed", true);
		dyn_enable("mine/entry", false);
		dyn_enable("mine/renamed", false);
	}
	return NULL;
}

static void *count(void *arg)
{
	while (dyn_storm()) {
		int fd = attach_counter("mine", "entry");

		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

static void *reload(void *arg)
{
	while (dyn_storm()) {
		if (!load())
			break;
		attach_fire_module("storm");
		unload();
	}
	return NULL;
}

/* Definitions come and go and are enabled, and modules too, while functions are called. */
TEST_F_TIMEOUT(fprobes, storm, 240)
{
	void *(*const bodies[])(void *) = { fire, fire, redefine, redefine, toggle, count, reload };
	long taints = taint_bits();

	if (!is_strobe())
		SKIP(return, "classic uses memory of the module that has left");
	ASSERT_EQ(0, dyn_define(ENTRY));
	ASSERT_EQ(0, dyn_define(RENAMED));
	ASSERT_EQ(0, dyn_define("t:mine/late tp_events_work_begin"));
	ASSERT_EQ(0, dyn_enable("mine/late", true));
	ASSERT_EQ(0, dyn_storm_run(bodies, ARRAY_SIZE(bodies), has_kasan() ? 10 : 3));
	unload();
	EXPECT_EQ(taints, taint_bits());
	EXPECT_EQ(0, dyn_clear());
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
}

/* Before the harness prints its plan. */
static void __attribute__((constructor)) skip_without_fprobes(void)
{
	if (dyn_readme("f[:[<group>/][<event>]] <func-name>[%return] [<args>]"))
		return;
	ksft_print_header();
	ksft_exit_skip("the kernel has no fprobe events\n");
}

TEST_HARNESS_MAIN
