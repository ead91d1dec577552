// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobe events on functions of a module that is loaded and unloaded. They do not keep it, wait
 * for it, and record each call whenever it comes; perf and programs stay attached meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "dynamic.h"
#include "storming.h"
#include "tracefs.h"

/* Called by prctl(PR_SET_NAME), and by sync(). */
#define FUNC "__set_task_comm"
#define OTHER "ksys_sync"

static bool load(void)
{
	return !system("modprobe tp-events 2>/dev/null");
}

static int unload(void)
{
	return syscall(SYS_delete_module, "tp_events", O_NONBLOCK) ? -errno : 0;
}

FIXTURE(modules)
{
	struct storm_state state;
};

FIXTURE_SETUP(modules)
{
	if (!tfs_exists("kprobe_events"))
		SKIP(return, "no kprobe events");
	ASSERT_EQ(0, storm_prepare(&self->state));
}

FIXTURE_TEARDOWN(modules)
{
	unload();
	EXPECT_TRUE(storm_clean(&self->state));
}

/* Load the module, write to it @times times, and unload it. Nothing else may keep it. */
static bool module_cycle(int times)
{
	if (!load())
		return false;
	while (times--) {
		if (attach_fire_module("once"))
			return false;
	}
	return !unload();
}

/* Load it so that its first function fails after some milliseconds, and its memory is freed. */
static bool load_fails(void)
{
	return system("modprobe tp-events fail_after=5 2>/dev/null");
}

static bool no_module(void)
{
	return !load() || unload();
}

#define WRITTEN "p:mod/written tp_events:events_write n=%dx:u32 code=@events_exit:x64"
#define BACK "r4:mod/back tp_events:events_write arg1=$retval:s32"
#define BEGUN "p:mod/begun tp_events:events_init"

/*
 * The function is freed once it has run. To optimize a kprobe on the last function of a section,
 * the kernel may decode bytes beyond the section; it does not optimize those on ftrace's places.
 */
static bool can_probe_init(void)
{
	static int known = -1;

	if (known < 0)
		known = has_symbol("kprobe_ftrace_handler");
	return known;
}

/* The probes are defined before the module is there, and records come with it. */
TEST_F(modules, comes_and_goes)
{
	int begun = 0, before, i;
	long missed = -1;

	if (no_module())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, dyn_define(WRITTEN));
	ASSERT_EQ(0, dyn_define(BACK));
	if (can_probe_init())
		ASSERT_EQ(0, dyn_define(BEGUN));
	EXPECT_TRUE(dyn_shows(WRITTEN));
	EXPECT_TRUE(dyn_shows(BACK));
	EXPECT_EQ(can_probe_init(), dyn_shows(BEGUN));
	ASSERT_EQ(0, tfs_write("1", "events/mod/enable"));
	EXPECT_EQ(0, storm_profile("kprobe_profile", "written", &missed));
	for (i = 1; i <= 3; i++) {
		before = begun;
		ASSERT_TRUE(load_fails());
		/* modprobe may try twice. */
		begun = storm_records("begun", NULL);
		EXPECT_LE(before + can_probe_init(), begun);
		ASSERT_TRUE(module_cycle(2));
		/* It is disabled and enabled while its module is away. */
		ASSERT_EQ(0, tfs_write("0", "events/mod/enable"));
		ASSERT_EQ(0, tfs_write("1", "events/mod/enable"));
		EXPECT_EQ(2 * i, storm_records("written", "n=4 code=0x"));
		EXPECT_EQ(2 * i, storm_records("back", "arg1=4"));
		begun += can_probe_init();
		EXPECT_EQ(begun, storm_records("begun", NULL));
	}
	EXPECT_EQ(0, storm_records("written", "(fault)"));
	EXPECT_EQ(6, storm_profile("kprobe_profile", "written", &missed));
	EXPECT_EQ(0, missed);
	/* It becomes disabled while it waits. */
	ASSERT_EQ(0, tfs_write("0", "events/mod/enable"));
	ASSERT_TRUE(module_cycle(1));
	EXPECT_EQ(6, storm_records("written", NULL));
	EXPECT_EQ(6, storm_profile("kprobe_profile", "written", &missed));
	/* It is removed while the module is there, and the others while it is not. */
	ASSERT_TRUE(load());
	EXPECT_EQ(0, dyn_define("-:mod/written"));
	ASSERT_EQ(0, unload());
	EXPECT_EQ(0, dyn_define("-:mod/"));
	EXPECT_TRUE(tfs_is("", "dynamic_events"));
	ASSERT_TRUE(module_cycle(1));
}

/* One probe of an event is on the kernel, the other on a module. */
TEST_F(modules, beside_the_kernel)
{
	if (no_module())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, dyn_define("p:mod/both " FUNC));
	ASSERT_EQ(0, dyn_enable("mod/both", true));
	ASSERT_EQ(0, dyn_define("p:mod/both tp_events:events_write"));
	attach_fire("one");
	EXPECT_EQ(1, storm_records("both", "(" FUNC));
	ASSERT_TRUE(load());
	tfs_write("", "trace");
	ASSERT_EQ(0, attach_fire_module("two"));
	EXPECT_EQ(1, storm_records("both", "(events_write"));
	ASSERT_EQ(0, unload());
	tfs_write("", "trace");
	attach_fire("three");
	EXPECT_EQ(1, storm_records("both", "(" FUNC));
	/* Only the one on the module is left. */
	ASSERT_EQ(0, dyn_define("-:mod/both " FUNC));
	tfs_write("", "trace");
	ASSERT_TRUE(module_cycle(3));
	attach_fire("four");
	EXPECT_EQ(3, storm_records("both", NULL));
	/* The other order: it is enabled while the module is there, and then appended to. */
	ASSERT_TRUE(load());
	ASSERT_EQ(0, dyn_define("p:mod/both " OTHER));
	ASSERT_EQ(0, unload());
	tfs_write("", "trace");
	sync();
	ASSERT_TRUE(module_cycle(2));
	EXPECT_EQ(1, storm_records("both", "(" OTHER));
	EXPECT_EQ(3, storm_records("both", NULL));
	EXPECT_EQ(0, dyn_enable("mod/both", false));
}

/* The numbers after "n=" of all records of the event, one digit each */
static void numbers(const char *event, char *to, int size)
{
	char *text = tfs_text("trace");
	const char *pos = text ?: "";
	struct trace_line line;
	long nr;
	int i = 0;

	while (trace_next(&pos, &line)) {
		if (!strcmp(line.event, event) && line_number(&line, "n=", &nr) && i < size - 1)
			to[i++] = nr >= 0 && nr <= 9 ? '0' + nr : '?';
	}
	to[i] = '\0';
	free(text);
}

/* A variable of the module has another address when it is loaded again. */
TEST_F(modules, variable)
{
	char seen[16];

	if (no_module())
		SKIP(return, "no module tp-events");
	ASSERT_TRUE(load());
	if (system("grep -q ' writes.*tp_events' /proc/kallsyms"))
		SKIP(return, "the kernel lists no symbols of data");
	ASSERT_EQ(0, unload());
	/* The module counts writes after it was called. */
	ASSERT_EQ(0, dyn_define("p:mod/v tp_events:events_write n=@writes:u32"));
	ASSERT_EQ(0, dyn_enable("mod/v", true));
	ASSERT_TRUE(module_cycle(3));
	/* Another module takes the place. */
	system("modprobe tp-sample");
	ASSERT_TRUE(module_cycle(2));
	system("rmmod tp-sample");
	ASSERT_TRUE(module_cycle(4));
	numbers("v", seen, sizeof(seen));
	EXPECT_STREQ("012010123", seen);
	ASSERT_EQ(0, dyn_enable("mod/v", false));
}

/* A perf event and a program stay attached, and do not keep the module. */
TEST_F(modules, of_perf_and_programs)
{
	struct prog linked = prog_counting(BPF_PROG_TYPE_KPROBE);
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	int counter, event, opened, link, i;

	if (no_module())
		SKIP(return, "no module tp-events");
	ASSERT_GE(prog.fd, 0);
	ASSERT_GE(linked.fd, 0);
	ASSERT_EQ(0, dyn_define("p:mod/p tp_events:events_write"));
	counter = attach_counter("mod", "p");
	ASSERT_GE(counter, 0);
	event = event_open("mod", "p");
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, set_bpf(event, prog.fd));
	opened = attach_counter("mod", "p");
	link = link_perf(linked.fd, opened, 1);
	ASSERT_GE(link, 0);
	close(opened);
	pin_to_cpu(0);
	for (i = 1; i <= 3; i++) {
		ASSERT_TRUE(module_cycle(2));
		EXPECT_EQ(2 * i, attach_count(counter));
		EXPECT_EQ(2 * i, calls_of(&prog));
		EXPECT_EQ(2 * i, calls_of(&linked));
		EXPECT_EQ(-EBUSY, dyn_define("-:mod/p"));
	}
	ASSERT_TRUE(load());
	close(link);
	close(event);
	ASSERT_EQ(0, attach_fire_module("last"));
	EXPECT_EQ(7, attach_count(counter));
	EXPECT_EQ(6, calls_of(&prog));
	EXPECT_EQ(6, calls_of(&linked));
	ASSERT_EQ(0, unload());
	close(counter);
	prog_close(&prog);
	prog_close(&linked);
}

static void module_reload(int nr)
{
	int i;

	for (i = 0; storm_goes_on(); i++) {
		if (i % 4 == 3)
			load_fails();
		tally_add(&tally->loaded, load());
		tally_add(&tally->fired, !attach_fire_module("storm"));
		unload();
	}
}

static void module_fire(int nr)
{
	while (storm_goes_on()) {
		tally_add(&tally->fired, !attach_fire_module("storm"));
		usleep(500);
	}
}

static void module_define(int nr)
{
	static const char * const places[] = {
		"p:mod/s%d tp_events:events_write n=%%dx:u32 code=@events_exit:x64",
		"r1:mod/s%d tp_events:events_write $retval",
		"p:mod/s%d tp_events:events_init",
	};
	const int kinds = ARRAY_SIZE(places) - !can_probe_init();
	char line[128], name[32];
	int i;

	snprintf(name, sizeof(name), "mod/s%d", nr);
	for (i = 0; storm_goes_on(); i++) {
		snprintf(line, sizeof(line), places[i % kinds], nr);
		/* While the module is loaded, its first function cannot be probed. */
		tally_add(&tally->defined, !dyn_define(line));
		dyn_enable(name, true);
		free(tfs_text("%s", i % 4 ? "kprobe_profile" : "trace"));
		if (i % 2) {
			snprintf(line, sizeof(line), "p:%s " FUNC, name);
			dyn_define(line);
		}
		dyn_enable(name, false);
		snprintf(line, sizeof(line), "-:%s", name);
		dyn_define(line);
	}
}

static void module_attach(int nr)
{
	struct prog prog = prog_counting(BPF_PROG_TYPE_KPROBE);
	int counter, event;

	while (storm_goes_on()) {
		counter = attach_counter("mod", "stays");
		event = event_open("mod", "stays");
		tally_add(&tally->wrong, counter < 0 || set_bpf(event, prog.fd));
		tally_add(&tally->fired, !attach_fire_module("attach"));
		tally_add(&tally->attached, 1);
		close(counter);
		close(event);
	}
}

/* Each write that reached the module has a record, whenever the module came. */
TEST_F_TIMEOUT(modules, they_come_and_go_meanwhile, 240)
{
	const storm_body bodies[] = {
		module_reload, module_define, module_fire, module_define, module_attach,
	};
	long missed = 0;
	int i;

	if (no_module())
		SKIP(return, "no module tp-events");
	ASSERT_EQ(0, dyn_define("p:mod/stays tp_events:events_write"));
	ASSERT_EQ(0, dyn_enable("mod/stays", true));
	EXPECT_EQ(0, storm_run(bodies, ARRAY_SIZE(bodies)));
	TH_LOG("%ld writes, loaded %ld times, %ld events, %ld programs", tally->fired,
	       tally->loaded, tally->defined, tally->attached);
	EXPECT_EQ(0, tally->wrong);
	EXPECT_LT(0, tally->loaded);
	EXPECT_EQ(tally->fired, storm_profile("kprobe_profile", "stays", &missed) + missed);
	unload();
	tfs_write("", "trace");
	for (i = 1; i <= 2; i++) {
		ASSERT_TRUE(module_cycle(5));
		EXPECT_EQ(5 * i, storm_records("stays", NULL));
	}
	EXPECT_EQ(tally->fired + 10, storm_profile("kprobe_profile", "stays", &missed) + missed);
}

/* It takes long to find a symbol: do that once, in the process that starts all tests. */
static void __attribute__((constructor)) learn(void)
{
	tfs_root();
	has_kasan();
	can_probe_init();
}

TEST_HARNESS_MAIN
