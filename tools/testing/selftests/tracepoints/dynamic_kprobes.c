// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobe events: definitions and their removal, several probes of an event, records, filters,
 * triggers, instances, perf and BPF, bad definitions, and storms of all of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"

/* Called by prctl(PR_SET_NAME), with the task and its new name. */
#define FUNC "__set_task_comm"
#define EVENT "events/kprobes/t"

static int define(const char *line)
{
	return tfs_append(line, "kprobe_events");
}

static int define_any(const char *line)
{
	return tfs_append(line, "dynamic_events");
}

static void clear(const char *file)
{
	int fd = tfs_open(O_WRONLY | O_TRUNC, "%s", file);

	if (fd >= 0)
		close(fd);
}

static void fire(int times)
{
	while (times--)
		prctl(PR_SET_NAME, "dynamic_kprobes");
}

/* Records of event t in the instance, or "." for the top one */
static int records(const char *instance, const char *part)
{
	char *text = tfs_text("%s/trace", instance);
	int n = text ? trace_count(text, "t", getpid(), part) : -1;

	free(text);
	return n;
}

/* Numbers of the line of @name in kprobe_profile */
static bool profile(const char *name, long *hits, long *missed)
{
	char *text = tfs_text("kprobe_profile");
	char *line = text ? strstr(text, name) : NULL;
	bool found = line && sscanf(line + strlen(name), "%ld %ld", hits, missed) == 2;

	free(text);
	return found;
}

/* What the kernel chooses if a definition of a return probe has no number */
static int maxactive(void)
{
	int cpus = cpus_possible();

	return cpus > 5 ? 2 * cpus : 10;
}

FIXTURE(kprobes)
{
	long tainted;
};

FIXTURE_SETUP(kprobes)
{
	tfs_reset();
	if (!tfs_exists("kprobe_events"))
		SKIP(return, "no kprobe events");
	clear("dynamic_events");
	clear("error_log");
	self->tainted = taint_bits();
	prctl(PR_SET_NAME, "dynamic_kprobes");
}

FIXTURE_TEARDOWN(kprobes)
{
	tfs_reset();
	instance_remove("k");
	clear("dynamic_events");
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	EXPECT_EQ(self->tainted, taint_bits());
}

TEST_F(kprobes, life)
{
	ASSERT_EQ(0, define("p:t " FUNC "\n"));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC, "kprobe_events"));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC, "dynamic_events"));
	EXPECT_TRUE(tfs_is("0", EVENT "/enable"));
	fire(1);
	EXPECT_EQ(0, records(".", NULL));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	fire(3);
	ASSERT_EQ(0, tfs_write("0", EVENT "/enable"));
	fire(2);
	EXPECT_EQ(3, records(".", "(" FUNC));
	EXPECT_EQ(0, define("-:t\n"));
	EXPECT_FALSE(tfs_exists(EVENT));
	EXPECT_EQ(-ENOENT, define("-:t\n"));
}

TEST_F(kprobes, names)
{
	char want[512];

	ASSERT_EQ(0, define("p " FUNC "\nr " FUNC "\np:grp-a/ " FUNC "+0\np:grp-a.two " FUNC "\n"));
	snprintf(want, sizeof(want), "p:kprobes/p_" FUNC "_0 " FUNC "\n"
		 "r%d:kprobes/r_" FUNC "_0 " FUNC "\n"
		 "p:grp-a/p_" FUNC "_0 " FUNC "\n"
		 "p:grp-a/two " FUNC, maxactive());
	EXPECT_TRUE(tfs_is(want, "kprobe_events"));
	EXPECT_TRUE(tfs_exists("events/grp-a/two/format"));
	EXPECT_EQ(0, define("-:grp-a/\n"));
	EXPECT_FALSE(tfs_exists("events/grp-a"));
	EXPECT_EQ(-EINVAL, define("-:\n"));
	EXPECT_EQ(-EINVAL, define("-\n"));
	EXPECT_EQ(-EINVAL, define("!p:kprobes/r_" FUNC "_0\n"));
	EXPECT_EQ(0, define_any("!r:kprobes/r_" FUNC "_0\n"));
	EXPECT_TRUE(tfs_is("p:kprobes/p_" FUNC "_0 " FUNC, "kprobe_events"));
}

TEST_F(kprobes, lines)
{
	/* Comments and empty lines are nothing, a bad line ends the write. */
	EXPECT_EQ(0, define("# nothing\n\n   \np:t " FUNC " # a probe\n"));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC, "kprobe_events"));
	EXPECT_EQ(-EINVAL, define("p:u " FUNC "\nx\np:v " FUNC "\n"));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC "\np:kprobes/u " FUNC, "kprobe_events"));
	clear("kprobe_events");
	EXPECT_TRUE(tfs_is("", "kprobe_events"));
}

TEST_F(kprobes, arguments)
{
	ASSERT_EQ(0, define("p:t " FUNC " name=+0($arg2):string n=\\42 c=$comm b=$arg3:u8\n"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	prctl(PR_SET_NAME, "first");
	prctl(PR_SET_NAME, "second name");
	ASSERT_EQ(0, tfs_write("0", EVENT "/enable"));
	EXPECT_EQ(1, records(".", "name=\"first\" n=0x2a c=\"dynamic_kprobes\" b=0"));
	EXPECT_EQ(1, records(".", "name=\"second name\" n=0x2a c=\"first\" b=0"));
}

TEST_F(kprobes, faults)
{
	ASSERT_EQ(0, define("p:t " FUNC " s=+0(\\1):string n=+0(+8(\\1)):u32 u=+u0(\\2):ustring"
			    " a=+0(\\1):u8[3]\n"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	fire(2);
	EXPECT_EQ(2, records(".", "s=(fault)"));
	EXPECT_EQ(2, records(".", "u=(fault)"));
	/* Classic leaves what was in the ring before. */
	if (is_strobe())
		EXPECT_EQ(2, records(".", "s=(fault) n=0 u=(fault) a={0,0,0}"));
}

TEST_F(kprobes, of_a_return)
{
	char want[512];

	ASSERT_EQ(0, define("r:t do_sys_openat2 $retval:x64 dfd=$arg1:s32\n"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	EXPECT_EQ(-1, open("/nonexistent", O_RDONLY));
	ASSERT_EQ(0, tfs_write("0", EVENT "/enable"));
	EXPECT_EQ(1, records(".", "arg1=0xfffffffffffffffe dfd=-100"));
	EXPECT_LE(1, records(".", " <- do_sys_openat2)"));
	EXPECT_EQ(0, define("r5:u do_sys_openat2\n"));
	EXPECT_EQ(0, define("p:v do_sys_openat2%return\n"));
	snprintf(want, sizeof(want), "r%d:kprobes/t do_sys_openat2 arg1=$retval:x64 dfd=$arg1:s32\n"
		 "r5:kprobes/u do_sys_openat2\nr%d:kprobes/v do_sys_openat2",
		 maxactive(), maxactive());
	EXPECT_TRUE(tfs_is(want, "kprobe_events"));
}

TEST_F(kprobes, busy)
{
	int fd;

	ASSERT_EQ(0, define("p:t " FUNC "\np:u " FUNC "\n"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	EXPECT_EQ(-EBUSY, define("-:t\n"));
	EXPECT_EQ(-EBUSY, tfs_open(O_WRONLY | O_TRUNC, "kprobe_events"));
	EXPECT_EQ(-EBUSY, tfs_open(O_WRONLY | O_TRUNC, "dynamic_events"));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC "\np:kprobes/u " FUNC, "kprobe_events"));
	ASSERT_EQ(0, tfs_write("0", EVENT "/enable"));
	/* A trigger, and one of another event that has this one for a target */
	ASSERT_EQ(0, tfs_write("traceoff", EVENT "/trigger"));
	EXPECT_EQ(-EBUSY, define("-:t\n"));
	ASSERT_EQ(0, tfs_write("!traceoff", EVENT "/trigger"));
	ASSERT_EQ(0, tfs_write("enable_event:kprobes:t", "events/task/task_rename/trigger"));
	EXPECT_EQ(-EBUSY, define("-:t\n"));
	ASSERT_EQ(0, tfs_write("!enable_event:kprobes:t", "events/task/task_rename/trigger"));
	fd = attach_counter("kprobes", "t");
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBUSY, define("-:t\n"));
	close(fd);
	/* An open file does not keep it. */
	fd = tfs_open(O_RDONLY, EVENT "/format");
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, define("-:t\n"));
	close(fd);
	EXPECT_TRUE(tfs_is("p:kprobes/u " FUNC, "kprobe_events"));
}

TEST_F(kprobes, append)
{
	ASSERT_EQ(0, define("p:t " FUNC " x=$arg1\n"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	ASSERT_EQ(0, define("p:t ksys_sync x=$arg2\n"));
	EXPECT_EQ(-EEXIST, define("p:t ksys_sync x=$arg2\n"));
	EXPECT_EQ(-EEXIST, define("p:t ksys_sync y=$arg2\n"));
	EXPECT_EQ(-EEXIST, define("p:t ksys_sync x=$arg2 y=$arg3\n"));
	EXPECT_EQ(-EEXIST, define("p:t ksys_sync x=$arg2:u32\n"));
	EXPECT_EQ(-EEXIST, define("r:t ksys_sync x=$stack0\n"));
	EXPECT_EQ(-EEXIST, define("p:task/task_rename " FUNC "\n"));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC " x=$arg1\np:kprobes/t ksys_sync x=$arg2",
			   "kprobe_events"));
	fire(1);
	sync();
	EXPECT_EQ(1, records(".", "(" FUNC));
	EXPECT_EQ(1, records(".", "(ksys_sync"));
	/* One of them can be removed while the event is on. */
	EXPECT_EQ(0, define("-:t " FUNC "\n"));
	EXPECT_TRUE(tfs_is("p:kprobes/t ksys_sync x=$arg2", "kprobe_events"));
	fire(1);
	sync();
	EXPECT_EQ(1, records(".", "(" FUNC));
	EXPECT_EQ(2, records(".", "(ksys_sync"));
	EXPECT_EQ(-EBUSY, define("-:t ksys_sync x=$arg2\n"));
	EXPECT_EQ(-ENOENT, define("-:t ksys_sync x=$arg1\n"));
}

TEST_F(kprobes, filter_and_trigger)
{
	ASSERT_EQ(0, define("p:t " FUNC " name=+0($arg2):string\n"));
	ASSERT_EQ(0, tfs_write("name == \"yes\"", EVENT "/filter"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	prctl(PR_SET_NAME, "no");
	prctl(PR_SET_NAME, "yes");
	prctl(PR_SET_NAME, "no");
	EXPECT_EQ(1, records(".", NULL));
	EXPECT_EQ(1, records(".", "name=\"yes\""));
	ASSERT_EQ(0, tfs_write("0", EVENT "/filter"));
	ASSERT_EQ(0, tfs_write("traceoff if name == \"stop\"", EVENT "/trigger"));
	prctl(PR_SET_NAME, "go");
	EXPECT_TRUE(tfs_is("1", "tracing_on"));
	prctl(PR_SET_NAME, "stop");
	EXPECT_TRUE(tfs_is("0", "tracing_on"));
	ASSERT_EQ(0, tfs_write("!traceoff", EVENT "/trigger"));
}

TEST_F(kprobes, stack)
{
	char *text, *line;

	ASSERT_EQ(0, define("p:t " FUNC "\n"));
	ASSERT_EQ(0, tfs_write("1", "options/stacktrace"));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	fire(1);
	ASSERT_EQ(0, tfs_write("0", EVENT "/enable"));
	tfs_write("0", "options/stacktrace");
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	/* It begins with the probed function. */
	line = strstr(text, "<stack trace>");
	ASSERT_NE(NULL, line);
	EXPECT_EQ(0, strncmp(line + 14, " => " FUNC, strlen(" => " FUNC))) {
		TH_LOG("%.200s", line);
	}
	free(text);
}

TEST_F(kprobes, instances)
{
	ASSERT_EQ(0, instance_make("k"));
	ASSERT_EQ(0, define("p:t " FUNC " name=+0($arg2):string\n"));
	ASSERT_TRUE(tfs_exists("instances/k/" EVENT));
	ASSERT_EQ(0, tfs_write("1", "instances/k/" EVENT "/enable"));
	fire(2);
	EXPECT_EQ(2, records("instances/k", NULL));
	EXPECT_EQ(0, records(".", NULL));
	ASSERT_EQ(0, tfs_write("1", EVENT "/enable"));
	fire(1);
	EXPECT_EQ(3, records("instances/k", NULL));
	EXPECT_EQ(1, records(".", NULL));
	ASSERT_EQ(0, tfs_write("0", "instances/k/" EVENT "/enable"));
	fire(1);
	EXPECT_EQ(3, records("instances/k", NULL));
	EXPECT_EQ(2, records(".", NULL));
	ASSERT_EQ(0, tfs_write("0", EVENT "/enable"));
	/* Its records go with it. */
	EXPECT_EQ(0, define("-:t\n"));
	EXPECT_FALSE(tfs_exists("instances/k/" EVENT));
	EXPECT_EQ(0, records("instances/k", NULL));
}

TEST_F(kprobes, profile)
{
	long hits = -1, missed = -1;

	ASSERT_EQ(0, define("p:counted_event " FUNC "\n"));
	ASSERT_EQ(0, tfs_write("1", "events/kprobes/counted_event/enable"));
	fire(5);
	ASSERT_EQ(0, tfs_write("0", "events/kprobes/counted_event/enable"));
	ASSERT_TRUE(profile("  counted_event", &hits, &missed));
	EXPECT_LE(5, hits);
	EXPECT_EQ(0, missed);
}

TEST_F(kprobes, format)
{
	static const char want[] =
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:u8 a;\toffset:16;\tsize:1;\tsigned:0;\n"
		"\tfield:s64 b;\toffset:17;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[] c;\toffset:25;\tsize:4;\tsigned:1;\n"
		"\tfield:u16 d[];\toffset:29;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"(%lx) a=%u b=%Ld c=\\\"%s\\\" d={0x%x,0x%x}\", REC->__probe_ip, "
		"REC->a, REC->b, __get_str(c), REC->d[0], REC->d[1]\n";
	char *text, *at;

	ASSERT_EQ(0, define("p:t " FUNC " a=$arg3:u8 b=$arg1:s64 c=+0($arg2):string"
			    " d=+0($arg2):x16[2]\n"));
	text = tfs_text(EVENT "/format");
	ASSERT_NE(NULL, text);
	at = strstr(text, "format:");
	EXPECT_STREQ(want, at);
	free(text);
}

/* Each line is refused with an errno and, if @why is not NULL, a message. */
static const struct {
	const char *line;
	int err;
	const char *why;
} bad[] = {
	{ "p", -EINVAL, NULL },
	{ "x:t " FUNC, -EINVAL, NULL },
	{ "p5:t " FUNC, -EINVAL, "Maxactive is only for function exit" },
	{ "r0:t " FUNC, -EINVAL, "Invalid maxactive number" },
	{ "r5000:t " FUNC, -EINVAL, "Maxactive is too big" },
	{ "p:t no_such_function_at_all", -EINVAL, "Invalid probed address or symbol" },
	{ "p:t " FUNC "+x", -EINVAL, "Invalid probed address or symbol" },
	{ "p:t " FUNC "-1", -EINVAL, "Invalid probed address or symbol" },
	{ "p:t " FUNC "%exit", -EINVAL, "Invalid probed address suffix" },
	{ "r:t " FUNC "+5", -EINVAL, "Retprobe address must be an function entry" },
	{ "p:/t " FUNC, -EINVAL, "Group name is not specified" },
	{ "p:a?b/t " FUNC, -EINVAL, "Group name must follow the same rules as C identifiers" },
	{ "p: " FUNC, -EINVAL, "Event name is not specified" },
	{ "p:a-b " FUNC, -EINVAL, "Event name must follow the same rules as C identifiers" },
	{ "p:t " FUNC " $retval", -EINVAL, "$retval is not available on probe" },
	{ "p:t " FUNC " $stackx", -EINVAL, "Invalid $-variable specified" },
	{ "p:t " FUNC " %nosuchreg", -EINVAL, "Invalid register name" },
	{ "p:t " FUNC " a=", -EINVAL, "No argument expression" },
	{ "p:t " FUNC " =$arg1", -EINVAL, "Argument name is not specified" },
	{ "p:t " FUNC " a=$arg1 a=$arg2", -EINVAL, "This argument name is already used" },
	{ "p:t " FUNC " a=$arg1:u7", -EINVAL, "Unknown type is specified" },
	{ "p:t " FUNC " a=+0($arg1", -EINVAL, "Dereference brace is not closed" },
	{ "p:t " FUNC " a=$arg1:string", -EINVAL, "String accepts only memory argument" },
	{ "p:t " FUNC " a=+0($arg1):u8[65]", -EINVAL, "Array number is too big" },
};

/* The code that handles a breakpoint calls them, too. */
TEST_F(kprobes, not_on_sanitizers)
{
	static const char * const functions[] = { "__asan_load8", "__tsan_read8" };
	unsigned int i, nr = 0;
	char line[64];

	if (!is_strobe())
		SKIP(return, "classic takes them, and the kernel stops");
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!has_symbol(functions[i]))
			continue;
		nr++;
		snprintf(line, sizeof(line), "p:t %s", functions[i]);
		EXPECT_EQ(-EINVAL, define(line));
		EXPECT_TRUE(tfs_is("", "dynamic_events"));
	}
	if (!nr)
		SKIP(return, "no KASAN, no KCSAN");
}

TEST_F(kprobes, bad_lines)
{
	unsigned int i;
	char *log;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		clear("error_log");
		EXPECT_EQ(bad[i].err, define(bad[i].line)) {
			TH_LOG("%s", bad[i].line);
		}
		log = tfs_text("error_log");
		EXPECT_NE(NULL, strstr(log, bad[i].why ?: "")) {
			TH_LOG("%s: %s", bad[i].line, log);
		}
		EXPECT_EQ(!bad[i].why, !*log);
		free(log);
		EXPECT_TRUE(tfs_is("", "dynamic_events"));
	}
	EXPECT_FALSE(tfs_exists("events/kprobes"));
}

static long write_bytes(const char *bytes, size_t len)
{
	int fd = tfs_open(O_WRONLY | O_APPEND, "dynamic_events");
	long ret = write(fd, bytes, len) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

/* A line with a NUL is refused; those before it have been obeyed. */
TEST_F(kprobes, a_line_with_a_nul)
{
	static const char first[] = "p:t " FUNC "\0p:u " FUNC "\n";
	static const char second[] = "p:t " FUNC "\np:u " FUNC "\0\n";
	static const char last[] = "p:t " FUNC;

	EXPECT_EQ(-EINVAL, write_bytes(first, sizeof(first) - 1));
	EXPECT_EQ(-EINVAL, write_bytes(last, sizeof(last)));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	EXPECT_EQ(-EINVAL, write_bytes(second, sizeof(second) - 1));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC, "dynamic_events"));
	EXPECT_EQ(0, define("-:t"));
	EXPECT_EQ(0, write_bytes(last, sizeof(last) - 1));
	EXPECT_TRUE(tfs_is("p:kprobes/t " FUNC, "dynamic_events"));
}

TEST_F(kprobes, perf)
{
	struct perf_event_attr attr;
	struct perf_event_header *record;
	struct attach_ring ring = { };
	int fd;

	ASSERT_EQ(0, define("p:t " FUNC " name=+0($arg2):string\n"));
	fd = attach_counter("kprobes", "t");
	ASSERT_GE(fd, 0);
	fire(4);
	EXPECT_EQ(4, attach_count(fd));
	close(fd);
	attr = attach_attr("kprobes", "t", PERF_SAMPLE_RAW | PERF_SAMPLE_IP);
	fd = attach_open(&attr, 0, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, attach_map(&ring, fd, 4));
	ASSERT_EQ(0, attach_enable(fd, true));
	prctl(PR_SET_NAME, "sampled name");
	ASSERT_EQ(0, attach_enable(fd, false));
	record = attach_next(&ring);
	ASSERT_NE(NULL, record);
	EXPECT_EQ(PERF_RECORD_SAMPLE, record->type);
	/* ip, length of the raw record, record: the string is behind its fixed part. */
	EXPECT_STREQ("sampled name", (char *)(record + 1) + 8 + 4 + 20);
	EXPECT_STREQ(FUNC, attach_function(*(__u64 *)(record + 1)));
	EXPECT_EQ(NULL, attach_next(&ring));
	attach_unmap(&ring);
	close(fd);
	EXPECT_EQ(0, define("-:t\n"));
}

/* A perf event of the PMU kprobe. */
static int pmu_open(const char *func, unsigned long long config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = file_number("/sys/bus/event_source/devices/kprobe/type"),
		.config = config,
		.kprobe_func = (unsigned long)func,
	};

	return attach_open(&attr, 0, -1);
}

TEST_F(kprobes, pmu)
{
	int entry, back;

	entry = pmu_open(FUNC, 0);
	ASSERT_GE(entry, 0);
	back = pmu_open(FUNC, 1);
	ASSERT_GE(back, 0);
	fire(3);
	EXPECT_EQ(3, attach_count(entry));
	EXPECT_EQ(3, attach_count(back));
	EXPECT_TRUE(tfs_is("", "kprobe_events"));
	close(entry);
	fire(1);
	EXPECT_EQ(4, attach_count(back));
	close(back);
	EXPECT_EQ(-ENOENT, pmu_open("no_such_function_at_all", 0));
}

TEST_F(kprobes, programs)
{
	const struct spec spec = {
		.type = BPF_PROG_TYPE_KPROBE,
		.func = BPF_FUNC_get_func_ip,
	};
	const struct spec no = { .type = BPF_PROG_TYPE_KPROBE };
	struct prog prog = prog_make(&spec), never = prog_make(&no);
	int fd;

	ASSERT_GE(prog.fd, 0);
	ASSERT_GE(never.fd, 0);
	ASSERT_EQ(0, define("p:t " FUNC "\n"));
	fd = attach_counter("kprobes", "t");
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_bpf(fd, prog.fd));
	fire(6);
	EXPECT_EQ(6, calls_of(&prog));
	EXPECT_STREQ(FUNC, attach_function(seen_by(&prog).val[0]));
	/* It returns 0: perf does not see these. */
	EXPECT_EQ(0, attach_count(fd));
	close(fd);
	fire(1);
	EXPECT_EQ(6, calls_of(&prog));
	fd = pmu_open(FUNC, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_bpf(fd, never.fd));
	fire(2);
	EXPECT_EQ(2, calls_of(&never));
	close(fd);
	prog_close(&prog);
	prog_close(&never);
}

/* A program that overrides a function, or -errno */
static int load_override(void)
{
	const struct bpf_insn insns[] = {
		/* R1 is the context. */
		MOV_IMM(BPF_REG_2, 0),
		CALL(BPF_FUNC_override_return),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	return prog_load(BPF_PROG_TYPE_KPROBE, insns, ARRAY_SIZE(insns));
}

/* Such a program must not run for another function. */
TEST_F(kprobes, overridden)
{
	int prog, fd;

	if (!is_strobe())
		SKIP(return, "classic adds a probe behind the program");
	if (!has_symbol("bpf_override_return"))
		SKIP(return, "no BPF_KPROBE_OVERRIDE");
	prog = load_override();
	ASSERT_GE(prog, 0);
	ASSERT_EQ(0, define("p:t should_failslab\n"));
	ASSERT_EQ(0, define("p:u ksys_sync\n"));
	fd = attach_counter("kprobes", "u");
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, set_bpf(fd, prog));
	close(fd);
	fd = attach_counter("kprobes", "t");
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_bpf(fd, prog));
	EXPECT_EQ(-EBUSY, define("p:t ksys_sync\n"));
	close(fd);
	close(prog);
	EXPECT_TRUE(tfs_is("p:kprobes/t should_failslab\np:kprobes/u ksys_sync", "kprobe_events"));
	EXPECT_EQ(0, define("p:t ksys_sync\n"));
}

/*
 * perf attaches such a program with the mutex of the CPU's events held, which CPU hotplug takes,
 * for which the task waits that defines a probe. If these can wait for each other, only lockdep
 * notices: the kernel of 10-guest-check has it.
 */
TEST_F(kprobes, overridden_on_a_cpu)
{
	struct perf_event_attr attr;
	int prog, fd;

	if (!has_symbol("bpf_override_return"))
		SKIP(return, "no BPF_KPROBE_OVERRIDE");
	prog = load_override();
	ASSERT_GE(prog, 0);
	ASSERT_EQ(0, define("p:t should_failslab\n"));
	attr = attach_attr("kprobes", "t", 0);
	fd = attach_open(&attr, -1, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, set_bpf(fd, prog));
	EXPECT_EQ(0, define("p:u ksys_sync\n"));
	EXPECT_EQ(0, tfs_write("1", "events/kprobes/u/enable"));
	cpus_set_others(false);
	cpus_set_others(true);
	close(fd);
	close(prog);
}

TEST_F_TIMEOUT(kprobes, thousand, 400)
{
	enum { NR = 1000 };
	char line[128], *text;
	int i, fd, n = 0;

	fd = tfs_open(O_WRONLY | O_APPEND, "kprobe_events");
	ASSERT_GE(fd, 0);
	for (i = 0; i < NR; i++) {
		snprintf(line, sizeof(line), "p:many/e%d " FUNC " x=$arg%d\n", i, i % 3 + 1);
		ASSERT_EQ(0, fd_write(fd, line));
	}
	close(fd);
	text = tfs_text("dynamic_events");
	for (i = 0; text[i]; i++)
		n += text[i] == '\n';
	free(text);
	EXPECT_EQ(NR, n);
	ASSERT_EQ(0, tfs_write("1", "events/many/e0/enable"));
	ASSERT_EQ(0, tfs_write("1", "events/many/e999/enable"));
	fire(1);
	text = tfs_text("trace");
	EXPECT_EQ(1, trace_count(text, "e0", getpid(), NULL));
	EXPECT_EQ(1, trace_count(text, "e999", getpid(), NULL));
	free(text);
	EXPECT_EQ(-EBUSY, define("-:many/\n"));
	ASSERT_EQ(0, tfs_write("0", "events/many/enable"));
	EXPECT_EQ(0, define("-:many/\n"));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	EXPECT_FALSE(tfs_exists("events/many"));
}

static volatile bool stop;

static void on_alarm(int sig)
{
	stop = true;
}

/* Define, enable, fire, disable and remove for a while, under names of its own or not. */
static void create_and_delete(int nr)
{
	static const char * const args[] = { "", " x=$arg1", " s=+0($arg2):string", " c=$comm" };
	char line[128], name[64];
	int i;

	for (i = 0; !stop; i++) {
		snprintf(name, sizeof(name), "s%d", nr % 3);
		snprintf(line, sizeof(line), "%c:storm/%s %s%s\n", i & 4 ? 'r' : 'p', name,
			 i & 1 ? FUNC : "do_sys_openat2", i & 4 ? "" : args[(i + nr) % 4]);
		define(line);
		tfs_write("1", "events/storm/%s/enable", name);
		prctl(PR_SET_NAME, "storm");
		open("/nonexistent", O_RDONLY);
		free(tfs_text("events/storm/%s/format", name));
		tfs_write("0", "events/storm/%s/enable", name);
		snprintf(line, sizeof(line), "-:storm/%s\n", name);
		define(line);
	}
}

static void fire_and_read(int nr)
{
	int fd;

	while (!stop) {
		prctl(PR_SET_NAME, "fire");
		open("/nonexistent", O_RDONLY);
		if (nr % 2) {
			free(tfs_text("trace"));
			free(tfs_text("kprobe_profile"));
		} else {
			fd = attach_counter("storm", "s0");
			if (fd >= 0)
				close(fd);
			fd = pmu_open(FUNC, 0);
			if (fd >= 0)
				close(fd);
		}
	}
}

TEST_F_TIMEOUT(kprobes, storm, 120)
{
	int i, status, pids[6];

	for (i = 0; i < (int)ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		ASSERT_GE(pids[i], 0);
		if (pids[i])
			continue;
		signal(SIGALRM, on_alarm);
		alarm(10);
		if (i < 4)
			create_and_delete(i);
		else
			fire_and_read(i);
		_exit(0);
	}
	for (i = 0; i < (int)ARRAY_SIZE(pids); i++) {
		EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	tfs_write("0", "events/enable");
}

TEST_HARNESS_MAIN
