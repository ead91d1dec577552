// SPDX-License-Identifier: GPL-2.0
/*
 * Dynamic events while what they probe changes: files are mapped, executed, truncated and
 * unlinked, programs are attached and detached, probes of an event are removed, and NMIs hit.
 * After each storm all counts must be exact, and nothing may be left: no event, no kprobe, no
 * breakpoint.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "dynamic.h"
#include "file_offset.h"
#include "storming.h"
#include "tracefs.h"

/* Called by prctl(PR_SET_NAME), and by sync(). */
#define FUNC "__set_task_comm"
#define OTHER "ksys_sync"

#define CODE "/tmp/storm.code"		/* is mapped */
#define CUT "/tmp/storm.cut"		/* is mapped and truncated */
#define PROGRAM "/tmp/storm.program"	/* is executed and unlinked */

FIXTURE(storm)
{
	struct storm_state state;
};

FIXTURE_SETUP(storm)
{
	if (!tfs_exists("kprobe_events"))
		SKIP(return, "no kprobe events");
	ASSERT_EQ(0, storm_prepare(&self->state));
}

FIXTURE_TEARDOWN(storm)
{
	unlink(CODE);
	unlink(CUT);
	unlink(PROGRAM);
	EXPECT_TRUE(storm_clean(&self->state));
}

/* add_one(nr) returns nr + 1. */
typedef int add_one_fn(int nr);

static const unsigned char code[] = { 0x8d, 0x47, 0x01, 0xc3 };

/* Write a file with the function at its beginning. */
static bool code_write(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0755), ret;

	if (fd < 0)
		return false;
	ret = write(fd, code, sizeof(code));
	close(fd);
	return ret == sizeof(code);
}

/* The function in the file, mapped by this process; NULL: no file */
static add_one_fn *code_open(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *at;

	if (fd < 0)
		return NULL;
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static bool code_is_plain(add_one_fn *add_one)
{
	return !memcmp(add_one, code, sizeof(code));
}

/* A function of this program, which is probed in the copy of it that is executed */
static __attribute__((noipa)) int executed(int nr)
{
	asm volatile("" : : "r" (nr) : "memory");
	return nr + 1;
}

/* As the program of a storm: call the function and exit. */
static void __attribute__((constructor(101))) execute(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-executed"))
		_exit(executed(argc) != argc + 1);
}

static bool program_write(void)
{
	unlink(PROGRAM);
	return !system("cp /proc/$PPID/exe " PROGRAM);
}

static bool program_runs(void)
{
	int child = fork();

	if (!child) {
		execl(PROGRAM, PROGRAM, "-executed", NULL);
		_exit(1);
	}
	return storm_ended_well(child);
}

static bool child_calls(add_one_fn *add_one)
{
	int child = fork();

	if (!child)
		_exit(add_one(41) != 42);
	return storm_ended_well(child);
}

static void file_map(int nr)
{
	add_one_fn *add_one;
	int i;

	while (storm_goes_on()) {
		add_one = code_open(CODE);
		for (i = 0; add_one && i < 8; i++)
			tally_add(&tally->wrong, add_one(i) != i + 1);
		tally_add(&tally->wrong, !add_one || !child_calls(add_one));
		/* The page with a breakpoint goes; it comes again without, or with it. */
		madvise(add_one, 4096, MADV_DONTNEED);
		tally_add(&tally->wrong, add_one(i) != i + 1);
		add_one = mremap(add_one, 4096, 8192, MREMAP_MAYMOVE);
		tally_add(&tally->wrong, add_one(i) != i + 1);
		munmap(add_one, 8192);
		tally_add(&tally->fired, 11);
	}
}

/* The file becomes empty under a process that calls the function, and is filled again. */
static void file_cut(int nr)
{
	int child, status, i;
	add_one_fn *add_one;

	for (i = 0; storm_goes_on(); i++) {
		tally_add(&tally->wrong, !code_write(CUT));
		status = 0;
		child = fork();
		if (!child) {
			add_one = code_open(CUT);
			while (add_one(1) == 2)
				sched_yield();
			_exit(1);
		}
		usleep(2000);
		truncate(CUT, 0);
		waitpid(child, &status, 0);
		tally_add(&tally->wrong, !WIFSIGNALED(status) || WTERMSIG(status) != SIGBUS);
		/* The next one is another file, or the same. */
		if (i % 2)
			unlink(CUT);
	}
}

static void file_execute(int nr)
{
	int i;

	for (i = 0; storm_goes_on(); i++) {
		tally_add(&tally->wrong, !program_runs());
		if (i % 4 == 0)
			tally_add(&tally->wrong, !program_write());
		tally_add(&tally->fired, 1);
	}
}

static void file_define(int nr)
{
	static const char * const places[] = {
		"p:file/s%d " CODE ":0x0 nr=%%di:s32", "r:file/s%d " CODE ":0x0 $retval:s32",
		"p:file/s%d " CUT ":0x0 nr=%%di:s32", "p:file/s%d " PROGRAM ":0x%lx nr=%%di:s32",
	};
	char line[128], name[32];
	int i;

	snprintf(name, sizeof(name), "file/s%d", nr);
	for (i = nr; storm_goes_on(); i++) {
		snprintf(line, sizeof(line), places[i % ARRAY_SIZE(places)], nr,
			 file_offset(executed));
		tally_add(&tally->defined, !dyn_define(line));
		dyn_enable(name, true);
		free(tfs_text("uprobe_profile"));
		usleep(1000);
		dyn_enable(name, false);
		snprintf(line, sizeof(line), "-:%s", name);
		dyn_define(line);
	}
}

static void file_perf(int nr)
{
	struct perf_event_attr attr = {
		.type = file_number("/sys/bus/event_source/devices/uprobe/type"),
		.size = sizeof(attr),
		.config1 = (unsigned long)CODE,
	};
	add_one_fn *add_one;
	int counter, i;

	/* A counter of this process puts its breakpoints into this process only. */
	while (storm_goes_on()) {
		add_one = code_open(CODE);
		counter = attach_open(&attr, 0, -1);
		for (i = 0; i < 5; i++)
			tally_add(&tally->wrong, add_one(i) != i + 1);
		tally_add(&tally->wrong, counter < 0 || attach_count(counter) != 5);
		munmap(add_one, 4096);
		close(counter);
		tally_add(&tally->attached, 1);
	}
}

/* Calls that are counted exactly: of functions that are mapped, in children and in programs */
static bool file_calls(add_one_fn *before)
{
	add_one_fn *after = code_open(CODE);
	bool good = after;
	int i;

	for (i = 0; good && i < 5; i++)
		good = before(i) == i + 1 && after(i) == i + 1;
	good = good && child_calls(before) && child_calls(after) && program_runs();
	return good && !munmap(after, 4096);
}

TEST_F_TIMEOUT(storm, files_meanwhile, 240)
{
	const storm_body bodies[] = {
		file_map, file_define, file_execute, file_cut, file_define, file_map, file_perf,
	};
	add_one_fn *before;
	char line[128];

	if (!tfs_exists("uprobe_events"))
		SKIP(return, "no uprobe events");
	ASSERT_TRUE(code_write(CODE));
	ASSERT_TRUE(program_write());
	before = code_open(CODE);
	ASSERT_NE(NULL, before);
	EXPECT_EQ(0, storm_run(bodies, ARRAY_SIZE(bodies)));
	TH_LOG("%ld calls, %ld events, %ld counters", tally->fired, tally->defined,
	       tally->attached);
	EXPECT_EQ(0, tally->wrong);
	EXPECT_LT(0, tally->defined);
	EXPECT_LT(0, tally->attached);
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	EXPECT_TRUE(code_is_plain(before));
	ASSERT_EQ(0, dyn_define("p:file/code " CODE ":0x0"));
	ASSERT_EQ(0, dyn_define("r:file/back " CODE ":0x0"));
	snprintf(line, sizeof(line), "p:file/program " PROGRAM ":0x%lx", file_offset(executed));
	ASSERT_EQ(0, dyn_define(line));
	ASSERT_EQ(0, tfs_write("1", "events/file/enable"));
	EXPECT_FALSE(code_is_plain(before));
	EXPECT_TRUE(file_calls(before));
	/* The files keep their probes when they have no name any more. */
	unlink(CODE);
	unlink(PROGRAM);
	EXPECT_EQ(1, before(0));
	EXPECT_EQ(13, storm_profile("uprobe_profile", "code", NULL));
	EXPECT_EQ(13, storm_profile("uprobe_profile", "back", NULL));
	EXPECT_EQ(1, storm_profile("uprobe_profile", "program", NULL));
	ASSERT_EQ(0, tfs_write("0", "events/file/enable"));
	EXPECT_TRUE(code_is_plain(before));
	EXPECT_EQ(1, before(0));
	EXPECT_EQ(13, storm_records("code", NULL));
	EXPECT_EQ(13, storm_records("back", NULL));
	munmap(before, 4096);
}

/* The kinds of events to which programs are attached; each name is one letter. */
static const struct kind {
	const char *line;
	int type;	/* of programs */
} kinds[] = {
	{ "p:at/k " FUNC, BPF_PROG_TYPE_KPROBE },
	{ "r:at/r " FUNC, BPF_PROG_TYPE_KPROBE },
	{ "p:at/u " CODE ":0x0", BPF_PROG_TYPE_KPROBE },
	/* With classic, programs cannot be attached to these. */
	{ "e:at/e task/task_rename", BPF_PROG_TYPE_TRACEPOINT },
	{ "f:at/f " FUNC, BPF_PROG_TYPE_TRACEPOINT },
	{ "f:at/x " FUNC "%return", BPF_PROG_TYPE_TRACEPOINT },
};

static int nr_kinds;

static const char *kind_name(int nr)
{
	static char name[2];

	name[0] = kinds[nr].line[strlen("p:at/")];
	return name;
}

/* Each call fires an event of each kind. */
static void kinds_fire(add_one_fn *add_one, int times)
{
	while (times--) {
		attach_fire("storm");
		add_one(times);
	}
}

/* Counters of this process must get each event, whatever programs are attached. */
static void kind_fire(int nr)
{
	int counter[ARRAY_SIZE(kinds)], i;
	add_one_fn *add_one = code_open(CODE);
	long long fired = 0, counted;

	for (i = 0; i < nr_kinds; i++)
		counter[i] = attach_counter("at", kind_name(i));
	while (storm_goes_on()) {
		kinds_fire(add_one, 10);
		fired += 10;
		usleep(100);
	}
	for (i = 0; i < nr_kinds; i++) {
		counted = attach_count(counter[i]);
		if (counted == fired)
			continue;
		printf("# '%s': %lld of %lld\n", kinds[i].line, counted, fired);
		tally_add(&tally->wrong, 1);
	}
	tally_add(&tally->fired, fired);
}

static int fd_query(int fd, char *name, int len)
{
	union bpf_attr attr;

	*name = '\0';
	return task_fd_query(getpid(), fd, &attr, name, len);
}

static void kind_attach(int nr)
{
	char name[128];
	int event, link, i;
	struct prog prog;

	for (i = nr; storm_goes_on(); i++) {
		prog = prog_counting(kinds[i % nr_kinds].type);
		event = event_open("at", kind_name(i % nr_kinds));
		if (i % 4 < 2) {
			link = link_perf(prog.fd, event, i);
			tally_add(&tally->wrong, link < 0);
			close(link);
		} else {
			tally_add(&tally->wrong, set_bpf(event, prog.fd));
			tally_add(&tally->wrong, fd_query(event, name, sizeof(name)));
		}
		close(event);
		prog_close(&prog);
		tally_add(&tally->attached, 1);
	}
}

/* Other events on the same places, and event probes of these events */
static void kind_define(int nr)
{
	char line[128];
	int i, which;

	for (i = nr; storm_goes_on(); i++) {
		which = i % (nr_kinds + 1);
		if (which == nr_kinds)
			snprintf(line, sizeof(line), "e:other/s%d at/k", nr);
		else
			snprintf(line, sizeof(line), "%.2sother/s%d%s", kinds[which].line, nr,
				 strchr(kinds[which].line, ' '));
		tally_add(&tally->defined, !dyn_define(line));
		snprintf(line, sizeof(line), "other/s%d", nr);
		dyn_enable(line, true);
		usleep(500);
		dyn_enable(line, false);
		snprintf(line, sizeof(line), "-:other/s%d", nr);
		dyn_define(line);
	}
}

static void kind_enable(int nr)
{
	int i;

	for (i = 0; storm_goes_on(); i++) {
		tfs_write(i % 2 ? "0" : "1", "events/at/enable");
		free(tfs_text("dynamic_events"));
		usleep(1000);
	}
	tfs_write("0", "events/at/enable");
}

TEST_F_TIMEOUT(storm, programs_meanwhile, 240)
{
	const storm_body bodies[] = {
		kind_fire, kind_fire, kind_attach, kind_attach, kind_define, kind_define,
		kind_enable,
	};
	struct prog stays[ARRAY_SIZE(kinds)];
	int event[ARRAY_SIZE(kinds)], i;
	add_one_fn *add_one;

	if (!tfs_exists("uprobe_events"))
		SKIP(return, "no uprobe events");
	ASSERT_TRUE(code_write(CODE));
	add_one = code_open(CODE);
	nr_kinds = is_strobe() ? ARRAY_SIZE(kinds) : 3;
	if (is_strobe() && !dyn_readme("f[:[<group>/][<event>]]"))
		nr_kinds -= 2;
	for (i = 0; i < nr_kinds; i++) {
		ASSERT_EQ(0, dyn_define(kinds[i].line));
		stays[i] = prog_counting(kinds[i].type);
		event[i] = event_open("at", kind_name(i));
		ASSERT_EQ(0, set_bpf(event[i], stays[i].fd));
	}
	EXPECT_EQ(0, storm_run(bodies, ARRAY_SIZE(bodies)));
	TH_LOG("%ld calls, %ld programs, %ld events", tally->fired, tally->attached,
	       tally->defined);
	EXPECT_EQ(0, tally->wrong);
	EXPECT_LT(0, tally->fired);
	EXPECT_LT(0, tally->attached);
	EXPECT_LT(0, tally->defined);
	/* They count this process only, which has done nothing yet. */
	pin_to_cpu(0);
	kinds_fire(add_one, 7);
	for (i = 0; i < nr_kinds; i++) {
		EXPECT_EQ(7, calls_of(&stays[i])) {
			TH_LOG("%s", kinds[i].line);
		}
		close(event[i]);
		prog_close(&stays[i]);
	}
	EXPECT_TRUE(code_is_plain(add_one));
	munmap(add_one, 4096);
	EXPECT_FALSE(tfs_exists("events/other"));
}

/* Start a process that reads @fd, an eventfd of 0, and wait until it sleeps in that. */
static int start_read(int fd)
{
	int child = fork();
	eventfd_t value;

	if (!child)
		_exit(eventfd_read(fd, &value));
	return wait_asleep(child) ? child : -1;
}

/* Of the calls at a time, one is recorded, and the others are counted as missed. */
TEST_F(storm, calls_that_are_missed)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	int fds[4], children[4], round, event, link, i;
	struct bpf_link_info info;
	eventfd_t value;
	long missed = -1;
	char name[64];

	ASSERT_EQ(0, dyn_define("r1:mis/sed eventfd_read"));
	ASSERT_EQ(0, dyn_enable("mis/sed", true));
	event = event_open("mis", "sed");
	link = link_perf(prog.fd, event, 0);
	ASSERT_GE(link, 0);
	for (i = 0; i < 4; i++)
		fds[i] = eventfd(0, 0);
	for (round = 1; round <= 3; round++) {
		for (i = 0; i < 4; i++) {
			children[i] = start_read(fds[i]);
			ASSERT_LT(0, children[i]);
		}
		/* The last one to enter returns first. */
		for (i = 3; i >= 0; i--) {
			eventfd_write(fds[i], 1);
			EXPECT_TRUE(storm_ended_well(children[i]));
		}
		EXPECT_EQ(round, storm_profile("kprobe_profile", "sed", &missed));
		EXPECT_EQ(3 * round, missed);
		EXPECT_EQ(round, storm_records("sed", "<- eventfd_read"));
		ASSERT_EQ(0, link_info(link, &info, name, sizeof(name)));
		EXPECT_EQ(3 * round, info.perf_event.kprobe.missed);
	}
	/* One at a time is always recorded. */
	for (i = 0; i < 5; i++) {
		eventfd_write(fds[0], 1);
		EXPECT_EQ(0, eventfd_read(fds[0], &value));
	}
	EXPECT_EQ(8, storm_profile("kprobe_profile", "sed", &missed));
	EXPECT_EQ(9, missed);
	for (i = 0; i < 4; i++)
		close(fds[i]);
	close(link);
	close(event);
	prog_close(&prog);
	ASSERT_EQ(0, dyn_enable("mis/sed", false));
}

/* What a perf event says of an event of two probes, the first of which is removed */
TEST_F(storm, first_probe_is_removed)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	int event;
	char name[64];

	ASSERT_EQ(0, dyn_define("p:first/one " FUNC));
	ASSERT_EQ(0, dyn_define("p:first/one " OTHER));
	pin_to_cpu(0);
	event = event_open("first", "one");
	ASSERT_EQ(0, set_bpf(event, prog.fd));
	ASSERT_EQ(0, fd_query(event, name, sizeof(name)));
	EXPECT_STREQ(FUNC, name);
	attach_fire("first");
	sync();
	EXPECT_EQ(2, calls_of(&prog));
	ASSERT_EQ(0, dyn_define("-:first/one " FUNC));
	ASSERT_EQ(0, fd_query(event, name, sizeof(name)));
	EXPECT_STREQ(OTHER, name);
	attach_fire("first");
	sync();
	EXPECT_EQ(3, calls_of(&prog));
	EXPECT_EQ(-EBUSY, dyn_define("-:first/one " OTHER));
	close(event);
	prog_close(&prog);
}

struct query {
	int event;
	long asked;
	long wrong;
};

static void *query_loop(void *arg)
{
	struct query *query = arg;
	char name[64];

	for (; storm_goes_on(); query->asked++) {
		if (fd_query(query->event, name, sizeof(name)) ||
		    (strcmp(name, FUNC) && strcmp(name, OTHER)))
			query->wrong++;
	}
	return NULL;
}

/* The same again and again, while another task asks; the freed probe is seen by KASAN only. */
TEST_F_TIMEOUT(storm, first_probe_leaves, 120)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	static const char * const probes[] = { FUNC, OTHER };
	struct query query = { };
	pthread_t thread;
	char line[64];
	int i;

	if (!is_strobe())
		SKIP(return, "classic reads the probe after it is freed");
	ASSERT_EQ(0, dyn_define("p:first/one " FUNC));
	ASSERT_EQ(0, dyn_define("p:first/one " OTHER));
	query.event = event_open("first", "one");
	ASSERT_EQ(0, set_bpf(query.event, prog.fd));
	storm_begin();
	ASSERT_EQ(0, pthread_create(&thread, NULL, query_loop, &query));
	for (i = 0; storm_goes_on(); i++) {
		snprintf(line, sizeof(line), "-:first/one %s", probes[i % 2]);
		EXPECT_EQ(0, dyn_define(line));
		snprintf(line, sizeof(line), "p:first/one %s", probes[i % 2]);
		EXPECT_EQ(0, dyn_define(line));
	}
	pthread_join(thread, NULL);
	TH_LOG("removed %d times, asked %ld times", i, query.asked);
	EXPECT_EQ(0, query.wrong);
	EXPECT_LT(0, query.asked);
	EXPECT_LT(1, i);
	close(query.event);
	prog_close(&prog);
}

#define HIT "p:nmi/hit prandom_u32_state none=+0(\\1):string text=+0($arg1):string"
#define TORTURE "/sys/module/strobe_torture/parameters/"

/* Records that the rings have, had or dropped */
static long made(void)
{
	struct trace_stats stats;
	long sum = 0;
	int cpu;

	for (cpu = 0; cpu < cpus_possible(); cpu++) {
		if (trace_stats(cpu, &stats))
			return -1;
		sum += stats.entries + stats.overrun + stats.commit_overrun + stats.dropped +
		       stats.read;
	}
	return sum;
}

/* The torture test's NMIs call the function; they hit while a task's hit is handled, too. */
TEST_F_TIMEOUT(storm, hits_in_nmis, 240)
{
	int nr = 0, in_nmi = 0, wrong = 0;
	struct trace_line line;
	long missed = -1, hits;
	const char *pos;
	char *text;

	if (access(TORTURE "run", W_OK))
		SKIP(return, "nothing sends NMIs");
	if (has_symbol("kprobe_ftrace_handler"))
		SKIP(return, "what NMIs call has no place for a hook");
	ASSERT_EQ(0, dyn_define(HIT));
	ASSERT_EQ(0, tfs_write("256", "buffer_size_kb"));
	ASSERT_EQ(0, dyn_enable("nmi/hit", true));
	ASSERT_EQ(0, file_write(TORTURE "seconds", "1"));
	EXPECT_EQ(0, file_write(TORTURE "run", "sound"));
	ASSERT_EQ(0, dyn_enable("nmi/hit", false));
	hits = storm_profile("kprobe_profile", "hit", &missed);
	EXPECT_LT(0, hits);
	EXPECT_EQ(hits, made());
	text = tfs_text("trace");
	for (pos = text ?: ""; trace_next(&pos, &line); nr++) {
		in_nmi += !!strpbrk(line.flags, "Zz");
		/* It is random, and may have the end of a line. */
		wrong += !line_has(&line, "none=(fault) text=\"");
	}
	free(text);
	TH_LOG("%ld hits, %ld missed, %d of %d records in NMIs", hits, missed, in_nmi, nr);
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, in_nmi);
}

/* It takes long to find a symbol: do that once, in the process that starts all tests. */
static void __attribute__((constructor)) learn(void)
{
	tfs_root();
	is_strobe();
	has_kasan();
}

TEST_HARNESS_MAIN
