// SPDX-License-Identifier: GPL-2.0
/* Many dynamic events: ten thousand of them, and kprobes all over the kernel. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "dynamic.h"
#include "tracefs.h"

#define EVERYWHERE_STEP 50

FIXTURE(many)
{
};

FIXTURE_SETUP(many)
{
	tfs_reset();
	if (!dyn_readme("p[:[<group>/][<event>]]") || !dyn_readme("e[:[<group>/][<event>]]"))
		SKIP(return, "the kernel has no kprobe events, or no event probes");
	ASSERT_EQ(0, dyn_clear());
}

FIXTURE_TEARDOWN(many)
{
	tfs_reset();
	dyn_clear();
}

static int lines_in(const char *file)
{
	char *text = tfs_text("%s", file), *at;
	int nr = 0;

	for (at = text; at && *at; at++)
		nr += *at == '\n';
	free(text);
	return nr;
}

static int recorded(const char *event)
{
	char *text = tfs_text("trace");
	int nr = text ? trace_count(text, event, getpid(), NULL) : -1;

	free(text);
	return nr;
}

TEST_F_TIMEOUT(many, ten_thousand, 300)
{
	enum { NR = 10000, STEP = 1111 };
	char line[128], name[32];
	int i, fd = tfs_open(O_WRONLY | O_APPEND, "dynamic_events");

	ASSERT_LE(0, fd);
	for (i = 0; i < NR; i++) {
		snprintf(line, sizeof(line), "e:many/e%d task/task_rename a%d=$pid\n", i, i % 7);
		ASSERT_EQ(0, fd_write(fd, line));
	}
	EXPECT_EQ(-EEXIST, fd_write(fd, "e:many/e0 task/task_rename a=$pid\n"));
	close(fd);
	EXPECT_EQ(NR, lines_in("dynamic_events"));
	for (i = 0; i < NR; i += STEP) {
		snprintf(name, sizeof(name), "many/e%d", i);
		ASSERT_EQ(0, dyn_enable(name, true));
	}
	prctl(PR_SET_NAME, "many");
	for (i = 0; i < NR; i += STEP) {
		snprintf(name, sizeof(name), "e%d", i);
		EXPECT_EQ(1, recorded(name));
	}
	EXPECT_EQ(-EBUSY, dyn_define("-:many/\n"));
	EXPECT_EQ(NR, lines_in("dynamic_events"));
	EXPECT_EQ(0, tfs_write("0", "events/many/enable"));
	EXPECT_EQ(0, dyn_define("-:many/e5000\n"));
	EXPECT_EQ(0, dyn_define("-:many/\n"));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	EXPECT_GT(0, tfs_open(O_RDONLY, "events/many/enable"));
}

/* The next function of kallsyms that is no module's: false at the end */
static bool next_function(FILE *symbols, char name[256])
{
	char line[512], type;

	while (fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%*s %c %255s", &type, name) == 2 && (type | 0x20) == 't' &&
		    !strchr(line, '['))
			return true;
	}
	return false;
}

/*
 * Define a kprobe event on each @step-th function of the kernel, from the @first on: the number
 * of those accepted
 */
static int define_everywhere(int step, int first)
{
	int fd = tfs_open(O_WRONLY | O_APPEND, "dynamic_events"), nr = 0, accepted = 0;
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[600], name[256];

	while (fd >= 0 && symbols && next_function(symbols, name)) {
		if (nr++ % step != first)
			continue;
		snprintf(line, sizeof(line), "p:many/e%d %s a=$arg1 text=+0($arg2):string\n", nr,
			 name);
		accepted += !fd_write(fd, line);
	}
	if (symbols)
		fclose(symbols);
	close(fd);
	return accepted;
}

/* Define a kprobe event many/FUNCTION for each of the first @nr functions that can be probed. */
static int define_kprobes(int nr)
{
	int fd = tfs_open(O_WRONLY | O_APPEND, "kprobe_events"), accepted = 0;
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[600], name[256];

	while (fd >= 0 && symbols && accepted < nr && next_function(symbols, name)) {
		/* The names of events have no dots; some of sys_get* are probed already. */
		if (strchr(name, '.') || strstr(name, "sys_get"))
			continue;
		snprintf(line, sizeof(line), "p:many/%s %s a=$arg1\n", name, name);
		accepted += !fd_write(fd, line);
	}
	if (symbols)
		fclose(symbols);
	close(fd);
	return accepted;
}

/* Those that are enabled work as if they were alone. */
TEST_F_TIMEOUT(many, ten_thousand_kprobes, 1200)
{
	static const char * const functions[] = {
		"__x64_sys_getppid", "__x64_sys_getuid", "__x64_sys_getgid",
	};
	enum { NR = 10000 };
	long taints = taint_bits();
	char line[128], name[64];
	int i, defined;

	for (i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "p:many/%s %s\n", functions[i], functions[i]);
		ASSERT_EQ(0, dyn_define(line));
	}
	defined = define_kprobes(NR);
	ASSERT_EQ(NR, defined);
	EXPECT_EQ(NR + 3, lines_in("kprobe_events"));
	EXPECT_EQ(NR + 3, lines_in("kprobe_profile"));
	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "many/%s", functions[i]);
		ASSERT_EQ(0, dyn_enable(name, true));
	}
	syscall(SYS_getppid);
	syscall(SYS_getuid);
	syscall(SYS_getgid);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1, recorded(functions[i]));
	EXPECT_EQ(-EBUSY, dyn_define("-:many/\n"));
	EXPECT_EQ(NR + 3, lines_in("kprobe_events"));
	EXPECT_EQ(0, tfs_write("0", "events/many/enable"));
	EXPECT_EQ(0, tfs_write("", "kprobe_events"));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	EXPECT_EQ(taints, taint_bits());
}

static void first_trampoline(char name[256])
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[512];

	*name = '\0';
	while (symbols && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%*s %*c %255s", name) == 1 && !strncmp(name, "__SCT__", 7))
			break;
		*name = '\0';
	}
	if (symbols)
		fclose(symbols);
}

/* The kernel would stop when the call is changed. */
TEST_F(many, not_on_trampolines)
{
	char name[256], line[300];

	first_trampoline(name);
	if (!is_strobe() || !*name)
		SKIP(return, "classic takes them, or there are none");
	snprintf(line, sizeof(line), "p:many/t %s\n", name);
	EXPECT_EQ(-EINVAL, dyn_define(line));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
}

/* Processes that start, end, and read files */
static void work(int rounds)
{
	int pid;

	while (rounds--) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_NAME, "work");
			free(tfs_text("trace"));
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		syscall(SYS_getppid);
	}
}

static unsigned long hits(void)
{
	char *text = tfs_text("kprobe_profile"), *line = text;
	unsigned long sum = 0, n;

	while (line && *line) {
		if (sscanf(line, "%*s %lu", &n) == 1)
			sum += n;
		line = strchr(line, '\n');
		line += !!line;
	}
	free(text);
	return sum;
}

/*
 * Probe each fiftieth function. What a recording event calls must not be probed, or a probe
 * there must do no harm. So all events are on, too.
 */
static void probe_everywhere(struct __test_metadata *_metadata, int first)
{
	long taints = taint_bits();
	int accepted = define_everywhere(EVERYWHERE_STEP, first);

	ASSERT_LT(200, accepted);
	EXPECT_EQ(0, tfs_write("1", "events/many/enable"));
	EXPECT_EQ(0, tfs_write("1", "events/enable"));
	work(20);
	EXPECT_EQ(0, tfs_write("0", "events/enable"));
	EXPECT_LT(100, hits());
	EXPECT_EQ(taints, taint_bits());
	EXPECT_EQ(0, dyn_clear());
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	TH_LOG("functions %d, %d, ...: %d probes", first, first + EVERYWHERE_STEP, accepted);
}

/*
 * Probe 2 % of the functions. EVERYWHERE=FIRST-END on the kernel's command line: END - FIRST times
 * as many, 2 % after 2 %. A guest has time for ten; 0-50 are all functions.
 */
TEST_F_TIMEOUT(many, everywhere, 1200)
{
	const char *range = getenv("EVERYWHERE");
	int first = 0, end = 1;

	if (!is_strobe())
		SKIP(return, "classic probes trampolines of static calls, and the kernel stops");
	if (range)
		ASSERT_EQ(2, sscanf(range, "%d-%d", &first, &end));
	for (; first < end; first++)
		probe_everywhere(_metadata, first);
}

TEST_HARNESS_MAIN
