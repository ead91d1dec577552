// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks of functions: the files that say which functions they are, for which tasks, and
 * the stack tracer, which is their first user.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach_prog.h"
#include "failing.h"
#include "tracefs.h"

#define NOTHING	"#### all functions enabled ####"
#define NONE_OFF "#### no functions disabled ####"
#define NO_PID	"no pid"

FIXTURE(hooks)
{
};

static void clear_all(void)
{
	static const char * const files[] = {
		"set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid",
		"set_ftrace_notrace_pid", "set_graph_function", "set_graph_notrace",
		"stack_trace_filter",
	};
	int i, fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		fd = tfs_open(O_WRONLY | O_TRUNC, "%s", files[i]);
		if (fd >= 0)
			close(fd);
	}
}

FIXTURE_SETUP(hooks)
{
	tfs_reset();
	clear_all();
}

FIXTURE_TEARDOWN(hooks)
{
	instance_remove("hooked");
	clear_all();
	tfs_reset();
}

/* As the shell's echo does: words that are not taken at once are written again. */
static int put(const char *file, const char *text, int flags)
{
	int fd = tfs_open(O_WRONLY | flags, "%s", file), done, ret = 0;
	char line[1100];
	int len = snprintf(line, sizeof(line), "%s\n", text);

	if (fd < 0)
		return fd;
	for (done = 0; done < len && ret >= 0; done += ret) {
		ret = write(fd, line + done, len - done);
		if (ret < 0)
			ret = -errno;
	}
	close(fd);
	return ret < 0 ? ret : 0;
}

static int set(const char *file, const char *text)
{
	return put(file, text, O_TRUNC);
}

static int add(const char *file, const char *text)
{
	return put(file, text, O_APPEND);
}

static int count_lines(const char *text)
{
	int n = 0;

	for (; text && (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static int lines_of(const char *file)
{
	char *text = tfs_text("%s", file);
	int n = text ? count_lines(text) : -1;

	free(text);
	return n;
}

static bool has_line(const char *file, const char *line)
{
	size_t len = strlen(line);
	char *text = tfs_text("%s", file), *at = text;
	bool found = false;

	while (at && *at && !found) {
		found = !strncmp(at, line, len) && strchr("\n ", at[len]);
		at = strchr(at, '\n');
		at += !!at;
	}
	free(text);
	return found;
}

TEST_F(hooks, what_there_is)
{
	char *text = tfs_text("dyn_ftrace_total_info");
	long functions, pages, groups;
	int lines = lines_of("available_filter_functions"), found;

	EXPECT_LT(1000, lines);
	EXPECT_EQ(lines, lines_of("available_filter_functions_addrs"));
	EXPECT_TRUE(has_line("available_filter_functions", "vfs_read"));
	ASSERT_NE(NULL, text);
	found = sscanf(text, "%ld pages:%ld groups: %ld\n", &functions, &pages, &groups);
	ASSERT_EQ(3, found);
	EXPECT_LE(lines, functions);
	EXPECT_LT(0, pages);
	EXPECT_LT(0, groups);
	free(text);
}

static void one_list(struct __test_metadata *_metadata, const char *file, const char *nothing)
{
	static char text[1000];

	EXPECT_TRUE(tfs_is(nothing, "%s", file));
	EXPECT_EQ(0, set(file, "vfs_read"));
	EXPECT_TRUE(tfs_is("vfs_read", "%s", file));
	/* A second one is added, or takes its place. */
	EXPECT_EQ(0, add(file, "vfs_write"));
	EXPECT_EQ(2, lines_of(file));
	EXPECT_TRUE(has_line(file, "vfs_read"));
	EXPECT_TRUE(has_line(file, "vfs_write"));
	EXPECT_EQ(0, add(file, "!vfs_read"));
	EXPECT_TRUE(tfs_is("vfs_write", "%s", file));
	EXPECT_EQ(0, set(file, "vfs_fsync"));
	EXPECT_TRUE(tfs_is("vfs_fsync", "%s", file));
	/* A function that does not exist changes nothing. */
	EXPECT_EQ(-EINVAL, add(file, "no_such_function"));
	EXPECT_EQ(-EINVAL, add(file, "no_such_*"));
	EXPECT_TRUE(tfs_is("vfs_fsync", "%s", file));
	/* A word that is longer than the buffer for it. */
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	EXPECT_EQ(-EINVAL, add(file, text));
	EXPECT_TRUE(tfs_is("vfs_fsync", "%s", file));
	EXPECT_EQ(0, set(file, ""));
	EXPECT_TRUE(tfs_is(nothing, "%s", file));
}

TEST_F(hooks, lists)
{
	one_list(_metadata, "set_ftrace_filter", NOTHING);
	one_list(_metadata, "set_graph_function", NOTHING);
	one_list(_metadata, "set_ftrace_notrace", NONE_OFF);
	one_list(_metadata, "set_graph_notrace", NONE_OFF);
}

/*
 * Each allocation fails once, of opening, writing and closing a list. ftrace.c does not
 * report each failure, nor undo each step: the list is the old one, the new one, or empty.
 */
static void list_without_memory(struct __test_metadata *_metadata, const char *file,
				const char *nothing)
{
	int nth, ret, refused = 0;
	bool failed = true;
	char *text;

	for (nth = 1; failed; nth++) {
		EXPECT_EQ(0, set(file, "vfs_read"));
		fail_begin(nth);
		ret = set(file, "vfs_write");
		failed = fail_end();
		EXPECT_TRUE(!ret || (failed && ret == -ENOMEM));
		text = tfs_text("%s", file);
		ASSERT_NE(NULL, text);
		EXPECT_TRUE(!strcmp(text, "vfs_write\n") ||
			    (failed && !strcmp(text, "vfs_read\n")) ||
			    (failed && !strncmp(text, nothing, strlen(nothing)))) {
			TH_LOG("%s, %d: %d, %s", file, nth, ret, text);
		}
		free(text);
		refused += !!ret;
	}
	EXPECT_LT(0, refused);
	EXPECT_EQ(0, set(file, ""));
	EXPECT_TRUE(tfs_is(nothing, "%s", file));
}

TEST_F_TIMEOUT(hooks, lists_without_memory, 200)
{
	if (!failing_possible())
		SKIP(return, "no fault injection");
	ASSERT_EQ(0, instance_make("hooked"));
	list_without_memory(_metadata, "set_ftrace_filter", NOTHING);
	list_without_memory(_metadata, "set_ftrace_notrace", NONE_OFF);
	list_without_memory(_metadata, "set_graph_function", NOTHING);
	list_without_memory(_metadata, "stack_trace_filter", NOTHING);
	list_without_memory(_metadata, "instances/hooked/set_ftrace_filter", NOTHING);
}

/* How a pattern is compared, and how many of the kernel's functions it names. */
static const struct {
	const char *pattern, *front, *middle, *end;
	bool exact;
} patterns[] = {
	{ "vfs_read", "vfs_read", "", "vfs_read", true },
	{ "vfs_*", "vfs_", "", "" },
	{ "*_write", "", "", "_write" },
	{ "*mmap*", "", "mmap", "" },
	{ "vfs_*_*", "vfs_", "_", "" },
	{ "vfs_[rw]*", "vfs_", "", "" },
	{ "*", "", "", "" },
};

static bool fits(const char *name, size_t len, int i)
{
	size_t front = strlen(patterns[i].front), end = strlen(patterns[i].end);
	const char *middle;

	if (patterns[i].exact)
		return len == front && !strncmp(name, patterns[i].front, len);
	if (len < front + end || strncmp(name, patterns[i].front, front) ||
	    strncmp(name + len - end, patterns[i].end, end))
		return false;
	if (strchr(patterns[i].pattern, '[') && !strchr("rw", name[front]))
		return false;
	middle = memmem(name + front, len - front - end, patterns[i].middle,
			strlen(patterns[i].middle));
	return middle;
}

TEST_F(hooks, patterns)
{
	char *all = tfs_text("available_filter_functions"), *at;
	int i, want;

	ASSERT_NE(NULL, all);
	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		TH_LOG("%s", patterns[i].pattern);
		for (want = 0, at = all; *at; at = strchr(at, '\n') + 1)
			want += fits(at, strcspn(at, "\n "), i);
		EXPECT_LT(0, want);
		EXPECT_EQ(0, set("set_ftrace_filter", patterns[i].pattern));
		EXPECT_EQ(want, lines_of("set_ftrace_filter"));
	}
	free(all);
	/* By number, as the lines of available_filter_functions have it. */
	EXPECT_EQ(0, set("set_ftrace_filter", "1"));
	EXPECT_EQ(1, lines_of("set_ftrace_filter"));
	EXPECT_EQ(-EINVAL, set("set_ftrace_filter", "999999999"));
}

/* One word in several writes, and several in one. */
TEST_F(hooks, words)
{
	int fd = tfs_open(O_WRONLY | O_TRUNC, "set_ftrace_filter");
	char *unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(4, write(fd, "vfs_", 4));
	EXPECT_EQ(5, write(fd, "read ", 5));
	EXPECT_EQ(3, write(fd, " \t\t", 3));
	/* One of them is taken at a time. */
	EXPECT_EQ(10, write(fd, "vfs_write\tvfs_fsync\n", 20));
	EXPECT_EQ(10, write(fd, "vfs_fsync\n", 10));
	EXPECT_EQ(10, write(fd, "vfs_getatt", 10));
	EXPECT_EQ(1, write(fd, "r", 1));
	EXPECT_EQ(-1, write(fd, unmapped, 8));
	EXPECT_EQ(EFAULT, errno);
	close(fd);
	munmap(unmapped, 4096);
	EXPECT_TRUE(has_line("set_ftrace_filter", "vfs_read"));
	EXPECT_TRUE(has_line("set_ftrace_filter", "vfs_write"));
	EXPECT_TRUE(has_line("set_ftrace_filter", "vfs_fsync"));
}

TEST_F(hooks, instance)
{
	int fd;

	ASSERT_EQ(0, instance_make("hooked"));
	EXPECT_EQ(0, set("instances/hooked/set_ftrace_filter", "vfs_read"));
	EXPECT_TRUE(tfs_is("vfs_read", "instances/hooked/set_ftrace_filter"));
	EXPECT_TRUE(tfs_is(NOTHING, "set_ftrace_filter"));
	/* Functions of a module that never comes. */
	EXPECT_EQ(0, add("instances/hooked/set_ftrace_filter", "*:mod:never_comes"));
	EXPECT_TRUE(has_line("instances/hooked/set_ftrace_filter", "*:mod:never_comes"));
	EXPECT_EQ(0, set("instances/hooked/set_ftrace_notrace", "vfs_write"));
	EXPECT_TRUE(tfs_is("vfs_write", "instances/hooked/set_ftrace_notrace"));
	EXPECT_TRUE(tfs_is(NONE_OFF, "set_ftrace_notrace"));
	EXPECT_FALSE(has_line("instances/hooked/set_ftrace_filter", "vfs_write"));
	EXPECT_EQ(0, tfs_write("1", "instances/hooked/set_ftrace_pid"));
	EXPECT_EQ(0, tfs_write("1", "instances/hooked/options/function-fork"));
	EXPECT_TRUE(tfs_is(NO_PID, "set_ftrace_pid"));
	EXPECT_TRUE(tfs_is(NO_PID, "instances/hooked/set_ftrace_notrace_pid"));
	EXPECT_EQ(0, tfs_write("2 33", "instances/hooked/set_ftrace_notrace_pid"));
	EXPECT_TRUE(tfs_is("2\n33", "instances/hooked/set_ftrace_notrace_pid"));
	EXPECT_TRUE(tfs_is("1", "instances/hooked/set_ftrace_pid"));
	EXPECT_TRUE(tfs_is(NO_PID, "set_ftrace_notrace_pid"));
	/* An open file of the instance keeps it. */
	fd = tfs_open(O_RDONLY, "instances/hooked/set_ftrace_filter");
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, instance_remove("hooked"));
	close(fd);
	EXPECT_EQ(0, instance_remove("hooked"));
	EXPECT_EQ(-ENOENT, tfs_open(O_RDONLY, "instances/hooked/set_ftrace_filter"));
}

/* A list that has lost its last task stays a list, so that its probe goes with it. */
TEST_F(hooks, list_of_nobody)
{
	char pid[16];
	int child, i, round;

	if (!is_strobe())
		SKIP(return, "a probe of classic's outlives the instance");
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, instance_make("hooked"));
		EXPECT_EQ(0, tfs_write("1", "instances/hooked/options/function-fork"));
		child = fork();
		if (!child)
			pause();
		sprintf(pid, "%d", child);
		EXPECT_EQ(0, tfs_write(pid, "instances/hooked/set_ftrace_pid"));
		kill(child, SIGKILL);
		EXPECT_EQ(child, waitpid(child, NULL, 0));
		for (i = 0; i < 100 && has_line("instances/hooked/set_ftrace_pid", pid); i++)
			usleep(100000);
		EXPECT_TRUE(tfs_is("", "instances/hooked/set_ftrace_pid"));
		EXPECT_EQ(0, tfs_append("\n", "instances/hooked/set_ftrace_pid"));
		if (!round)
			EXPECT_EQ(0, tfs_append("1", "instances/hooked/set_ftrace_pid"));
		EXPECT_EQ(0, instance_remove("hooked"));
		/* A probe that was left would read what was freed: KASAN tells. */
		usleep(100000);
	}
}

static void one_pid_list(struct __test_metadata *_metadata, const char *file)
{
	char pid[16];
	int fd;

	EXPECT_TRUE(tfs_is(NO_PID, "%s", file));
	EXPECT_EQ(0, tfs_write("1 2\n33", "%s", file));
	EXPECT_TRUE(tfs_is("1\n2\n33", "%s", file));
	sprintf(pid, "%d", getpid());
	EXPECT_EQ(0, tfs_append(pid, "%s", file));
	EXPECT_EQ(4, lines_of(file));
	EXPECT_TRUE(has_line(file, pid));
	/* All of a write, or nothing. */
	EXPECT_EQ(-EINVAL, tfs_append("44 x", "%s", file));
	EXPECT_EQ(-EPERM, tfs_append("44 2000000000", "%s", file));
	EXPECT_EQ(4, lines_of(file));
	EXPECT_EQ(0, tfs_write("0", "%s", file));
	EXPECT_TRUE(tfs_is("0", "%s", file));
	fd = tfs_open(O_WRONLY | O_TRUNC, "%s", file);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_TRUE(tfs_is(NO_PID, "%s", file));
}

TEST_F(hooks, pids)
{
	one_pid_list(_metadata, "set_ftrace_pid");
	one_pid_list(_metadata, "set_ftrace_notrace_pid");
}

/* With function-fork, children of a listed task are listed, as long as they live. */
TEST_F(hooks, follow_forks)
{
	char pid[16], child_pid[16];
	int child, pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	sprintf(pid, "%d", getpid());
	EXPECT_EQ(0, tfs_write(pid, "set_ftrace_pid"));
	EXPECT_EQ(0, tfs_write("1", "options/function-fork"));
	child = fork();
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], pid, 1) != 0);
	}
	sprintf(child_pid, "%d", child);
	EXPECT_TRUE(has_line("set_ftrace_pid", child_pid));
	close(pipes[1]);
	close(pipes[0]);
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	/* The pid leaves the list when the task is freed, some time later. */
	for (int i = 0; i < 100 && has_line("set_ftrace_pid", child_pid); i++)
		usleep(100000);
	EXPECT_TRUE(tfs_is(pid, "set_ftrace_pid"));
	EXPECT_EQ(0, tfs_write("0", "options/function-fork"));
	child = fork();
	if (!child)
		_exit(0);
	EXPECT_TRUE(tfs_is(pid, "set_ftrace_pid"));
	EXPECT_EQ(child, waitpid(child, NULL, 0));
}

#define STACK_TRACER	"/proc/sys/kernel/stack_tracer_enabled"

/* Commands that act on what functions record need a tracer that records them. */
TEST_F(hooks, commands)
{
	static const char * const commands[] = {
		"vfs_read:traceoff", "vfs_read:traceon:3", "vfs_read:stacktrace",
		"vfs_read:dump", "vfs_read:cpudump", "vfs_read:snapshot:1",
		"vfs_read:enable_event:sched:sched_switch",
		"vfs_read:disable_event:sched:sched_switch:2",
	};
	char *log;
	int i;

	EXPECT_EQ(-EINVAL, add("set_ftrace_filter", "vfs_read:no_such_command"));
	EXPECT_TRUE(tfs_is(NOTHING, "set_ftrace_filter"));
	/* Not in this file, nor where there is no instance. */
	EXPECT_EQ(-EINVAL, add("set_ftrace_notrace", "vfs_read:traceoff"));
	if (!access(STACK_TRACER, F_OK))
		EXPECT_EQ(-ENODEV, add("stack_trace_filter", "vfs_read:traceoff"));
	if (!is_strobe())
		SKIP(return, "it has all commands");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		EXPECT_EQ(0, tfs_write("", "error_log"));
		EXPECT_EQ(-EINVAL, add("set_ftrace_filter", commands[i]));
		EXPECT_TRUE(tfs_is(NOTHING, "set_ftrace_filter"));
		log = tfs_text("error_log");
		ASSERT_NE(NULL, log);
		EXPECT_NE(NULL, strstr(log, commands[i]));
		free(log);
	}
	EXPECT_EQ(0, tfs_write("", "error_log"));
}

TEST_F(hooks, stack_tracer)
{
	char *text;

	if (access(STACK_TRACER, F_OK))
		SKIP(return, "no stack tracer");
	EXPECT_EQ(0, tfs_write("0", "stack_max_size"));
	EXPECT_TRUE(tfs_is("0", "stack_max_size"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "1"));
	/* It hooks all functions. */
	EXPECT_TRUE(has_line("enabled_functions", "vfs_read"));
	free(tfs_text("available_events"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "0"));
	EXPECT_FALSE(has_line("enabled_functions", "vfs_read"));
	EXPECT_TRUE(has_line("touched_functions", "vfs_read"));
	EXPECT_LT(100, tfs_number("stack_max_size"));
	text = tfs_text("stack_trace");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "        Depth    Size   Location    ("));
	EXPECT_LT(3, count_lines(text));
	free(text);
	/* Of one function only. */
	EXPECT_EQ(0, set("stack_trace_filter", "vfs_fsync"));
	EXPECT_TRUE(tfs_is("vfs_fsync", "stack_trace_filter"));
	EXPECT_EQ(-EINVAL, add("stack_trace_filter", "no_such_function"));
	EXPECT_EQ(0, tfs_write("0", "stack_max_size"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "1"));
	free(tfs_text("available_events"));
	EXPECT_FALSE(has_line("enabled_functions", "vfs_read"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "0"));
	EXPECT_TRUE(tfs_is("0", "stack_max_size"));
}

/* Does the profile of any CPU have the function? */
static bool profiled(const char *function)
{
	bool found = false;
	char *text;
	int cpu;

	for (cpu = 0; (text = tfs_text("trace_stat/function%d", cpu)); cpu++) {
		found |= !!strstr(text, function);
		free(text);
	}
	return found;
}

/* What an event calls to be recorded, and what records it, is not to be hooked. */
TEST_F(hooks, no_function_of_events)
{
	static const char * const names[] = {
		"__traceiter_", "__traceloop_", "strobe_probe_", "strobe_event_", "strobe_ring_",
		"instance_record", "strobe_event_pid_verdict",
	};
	char *text = tfs_text("available_filter_functions"), *line, *next;
	int i, hooked = 0;

	if (!is_strobe())
		SKIP(return, "names of Strobe's functions");
	ASSERT_NE(NULL, text);
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			if (strncmp(line, names[i], strlen(names[i])))
				continue;
			TH_LOG("%s", line);
			hooked++;
		}
	}
	EXPECT_EQ(0, hooked);
	free(text);
}

/* The profiler counts calls, and tells in trace_stat/ which functions had the most. */
TEST_F(hooks, profile)
{
	char *text;

	if (tfs_number("function_profile_enabled") < 0)
		SKIP(return, "no CONFIG_FUNCTION_PROFILER");
	EXPECT_EQ(0, tfs_number("function_profile_enabled"));
	EXPECT_EQ(0, set("set_ftrace_filter", "vfs_read"));
	EXPECT_EQ(0, tfs_write("1", "function_profile_enabled"));
	EXPECT_EQ(1, tfs_number("function_profile_enabled"));
	free(tfs_text("available_events"));
	EXPECT_EQ(0, tfs_write("0", "function_profile_enabled"));
	EXPECT_EQ(-EINVAL, tfs_write("x", "function_profile_enabled"));
	text = tfs_text("trace_stat/function0");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "Function                               Hit"));
	free(text);
	EXPECT_TRUE(profiled("vfs_read"));
	EXPECT_FALSE(profiled("vfs_write"));
}

/* All functions are hooked while all events are on. */
TEST_F(hooks, all_functions_and_all_events)
{
	long tainted = taint_bits();

	if (access(STACK_TRACER, F_OK))
		SKIP(return, "no stack tracer");
	cpus_set_others(false);
	EXPECT_EQ(0, tfs_write("1", "events/enable"));
	cpus_set_others(true);
	EXPECT_EQ(0, file_write(STACK_TRACER, "1"));
	EXPECT_EQ(0, tfs_write("all of it", "trace_marker"));
	free(tfs_text("available_events"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "0"));
	EXPECT_EQ(0, tfs_write("0", "tracing_on"));
	cpus_set_others(false);
	EXPECT_EQ(0, tfs_write("0", "events/enable"));
	cpus_set_others(true);
	EXPECT_EQ(tainted, taint_bits());
}

/* A program that records an event, and counts in @map how often it did. */
static int recording_prog(int map)
{
	struct code code = { .attach_type = BPF_TRACE_KPROBE_MULTI };

	code_element(&code, map);
	code_put(&code, STORE_IMM(BPF_W, 10, -8, '.'), MOV_REG(1, 10), ALU_IMM(BPF_ADD, 1, -8),
		 MOV_IMM(2, 4), CALL(BPF_FUNC_trace_printk), JUMP_IMM(BPF_JSLT, 0, 0, 2),
		 MOV_IMM(1, 1), ATOMIC_ADD(7, 1, 0));
	return code_load(&code, BPF_PROG_TYPE_KPROBE, 0);
}

/*
 * All functions at once would leave an emulator no time between two ticks: each function
 * has its turn.
 */
#define TURNS	16

struct functions {
	__u64 *addrs;
	int nr;
};

/* The addresses of all functions that can be hooked. */
static struct functions all_functions(void)
{
	char *text = tfs_text("available_filter_functions_addrs"), *line;
	struct functions f = { .addrs = text ? calloc(count_lines(text), sizeof(__u64)) : NULL };

	for (line = text; f.addrs && *line; line = strchr(line, '\n') + 1)
		f.addrs[f.nr++] = strtoull(line, NULL, 16);
	free(text);
	return f;
}

/* Hook @prog on the functions whose @turn it is: one of TURNS that follow each other. */
static int link_functions(int prog, const struct functions *f, int turn)
{
	__u64 *addrs = calloc(f->nr / TURNS + 1, sizeof(*addrs));
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = prog,
			.attach_type = BPF_TRACE_KPROBE_MULTI,
			.kprobe_multi.addrs = (__u64)(unsigned long)addrs,
		},
	};
	int i, link;

	for (i = turn; i < f->nr; i += TURNS)
		addrs[attr.link_create.kprobe_multi.cnt++] = f->addrs[i];
	link = sys_bpf(BPF_LINK_CREATE, &attr);
	free(addrs);
	return link;
}

/* All records: those that are kept, were read, overwritten or dropped */
static long recorded(void)
{
	struct trace_stats s;
	long sum = 0;
	int cpu;

	for (cpu = 0; cpu < cpus_possible(); cpu++) {
		if (!trace_stats(cpu, &s))
			sum += s.entries + s.overrun + s.commit_overrun + s.dropped + s.read;
	}
	return sum;
}

/* How often an event was recorded while calls of functions did that. */
static long record_functions(struct __test_metadata *_metadata, const struct functions *f)
{
	struct prog prog = { .map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct seen), 1) };
	int link, turn;
	long calls;

	prog.fd = recording_prog(prog.map);
	EXPECT_LE(0, prog.fd);
	for (turn = 0; turn < TURNS; turn++) {
		link = link_functions(prog.fd, f, turn);
		EXPECT_LE(0, link);
		free(tfs_text("available_events"));
		EXPECT_EQ(0, close(link));
	}
	calls = calls_of(&prog);
	prog_close(&prog);
	EXPECT_LT(1000, calls);
	return calls;
}

/* Is there no attaching of a program to many functions? */
static bool no_programs(void)
{
	int map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct seen), 1);
	int prog = recording_prog(map);

	close(prog);
	close(map);
	return prog < 0;
}

/* None is lost without being counted, in whatever context a function is called. */
TEST_F_TIMEOUT(hooks, all_functions_record, 300)
{
	struct functions f = all_functions();

	if (no_programs())
		SKIP(return, "no BPF programs for functions");
	EXPECT_LT(1000, f.nr);
	EXPECT_EQ(record_functions(_metadata, &f), recorded());
	free(f.addrs);
}

TEST_F_TIMEOUT(hooks, all_functions_record_and_all_events, 300)
{
	struct functions f = all_functions();
	long tainted = taint_bits();

	if (no_programs())
		SKIP(return, "no BPF programs for functions");
	cpus_set_others(false);
	EXPECT_EQ(0, tfs_write("1", "events/enable"));
	cpus_set_others(true);
	record_functions(_metadata, &f);
	EXPECT_EQ(0, tfs_write("0", "tracing_on"));
	cpus_set_others(false);
	EXPECT_EQ(0, tfs_write("0", "events/enable"));
	cpus_set_others(true);
	EXPECT_EQ(tainted, taint_bits());
	free(f.addrs);
}

#define RECURSED	"recursed_functions"

/*
 * Functions that their own callback calls. The callback of fprobe_example prints, which calls
 * both functions. Two, because the kernel does not record one function twice in a row.
 */
TEST_F(hooks, recursed)
{
	char *text;
	int fd;

	text = tfs_text(RECURSED);
	if (!text)
		SKIP(return, "no CONFIG_FTRACE_RECORD_RECURSION");
	free(text);
	if (system("modprobe fprobe_example symbol=vprintk_default,vprintk_emit stackdump=0"))
		SKIP(return, "no module fprobe_example");
	EXPECT_EQ(0, file_write("/dev/kmsg", "recursed"));
	EXPECT_EQ(0, system("rmmod fprobe_example"));
	text = tfs_text(RECURSED);
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, ":\tvprintk_emit+0x")) {
		TH_LOG("%s", text);
	}
	free(text);
	/* No function is hooked any more. */
	fd = tfs_open(O_WRONLY | O_TRUNC, RECURSED);
	EXPECT_LE(0, fd);
	close(fd);
	EXPECT_TRUE(tfs_is("", RECURSED));
}

#define ENABLED	"/proc/sys/kernel/ftrace_enabled"

/* Does the stack tracer, which is on, see functions that are called now? */
static bool stack_seen(void)
{
	if (tfs_write("0", "stack_max_size"))
		return false;
	free(tfs_text("available_events"));
	return tfs_number("stack_max_size") > 0;
}

/* Hooks stop at 0, also those that are on, and those that are there go on at 1. */
TEST_F(hooks, sysctl_stops_hooks)
{
	if (access(STACK_TRACER, F_OK))
		SKIP(return, "no stack tracer");
	/* Only one function, which each read() calls: all of them would take a while. */
	EXPECT_EQ(0, set("stack_trace_filter", "vfs_read"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "1"));
	EXPECT_TRUE(stack_seen());
	EXPECT_EQ(0, file_write(ENABLED, "0"));
	EXPECT_FALSE(stack_seen());
	EXPECT_EQ(0, file_write(ENABLED, "1"));
	EXPECT_TRUE(stack_seen());
	/* What is set up while it is 0 begins at 1. */
	EXPECT_EQ(0, file_write(STACK_TRACER, "0"));
	EXPECT_EQ(0, file_write(ENABLED, "0"));
	EXPECT_EQ(0, file_write(STACK_TRACER, "1"));
	EXPECT_FALSE(stack_seen());
	EXPECT_EQ(0, file_write(ENABLED, "1"));
	EXPECT_TRUE(stack_seen());
	EXPECT_EQ(0, file_write(STACK_TRACER, "0"));
	EXPECT_FALSE(stack_seen());
}

TEST_F(hooks, sysctl)
{
	EXPECT_EQ(1, file_number(ENABLED));
	EXPECT_EQ(0, file_write(ENABLED, "0"));
	EXPECT_EQ(0, file_number(ENABLED));
	EXPECT_EQ(0, file_write(ENABLED, "1"));
	EXPECT_EQ(-EINVAL, file_write(ENABLED, "x"));
	EXPECT_EQ(1, file_number(ENABLED));
}

/* Before the harness prints its plan. */
static void __attribute__((constructor)) skip_without_hooks(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/set_ftrace_filter", tfs_root());
	if (!access(path, F_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("no function hooks\n");
}

TEST_HARNESS_MAIN
