// SPDX-License-Identifier: GPL-2.0
/*
 * Every event, with each action that can be performed when an event fires: each trigger,
 * plain recording, recording with stacks, for tasks of a list that follows forks, and with an
 * export, perf counters and samples, BPF programs, and triggers, perf and programs together.
 * An action must cope with the events that it fires itself, of locks, RCU, page faults, its
 * own interrupts or consoles. If it does not, the kernel recurses or spins until the guest
 * times out.
 *
 * Meanwhile all CPUs run a load that fires many events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "every_ring.h"
#include "load.h"
#include "tracefs.h"

/* A raw program's link; a perf event each for a program, a counter, and samples. */
#define FDS_PER_EVENT	4
/* Each action that is counted must be performed more often than this, */
#define ENOUGH		100
/* and by more events than this. */
#define SEVERAL		10
/*
 * The same, if triggers undo each other's: then loud events leave little to do for the others,
 * and in the kernel with KASAN and lockdep one of the triggers had only ten events.
 */
#define FEW		5

struct event {
	char system[256];
	char name[256];
};

static struct event events[EVENTS_MAX];
static int nr_events;
/* The number of events before the loud ones, which come last */
static int nr_calm;
static int fds[EVENTS_MAX * FDS_PER_EVENT];
static int nr_fds;
/* The fd of each event's counter; 0: it has none */
static int counters[EVENTS_MAX];

/*
 * Loud events: lockdep's fire many times in each system call that this test makes, and while
 * anyone wants the benchmark's, a kernel thread fires it all the time. They get their actions
 * after all other events, and lose them first, or else most of a test's time would be spent on
 * them before and after the load.
 */
static bool is_loud(const char *system)
{
	return !strcmp(system, "lock") || !strcmp(system, "benchmark");
}

/* Add the loud events, or all others. */
static void events_add(bool loud)
{
	struct event_dirs dirs = { };

	while (event_dirs_next(&dirs)) {
		if (nr_events == EVENTS_MAX || !strcmp(dirs.system, "ftrace") ||
		    is_loud(dirs.system) != loud)
			continue;
		snprintf(events[nr_events].system, sizeof(events->system), "%s", dirs.system);
		snprintf(events[nr_events].name, sizeof(events->name), "%s", dirs.name);
		nr_events++;
	}
}

static void events_find(void)
{
	nr_events = 0;
	events_add(false);
	nr_calm = nr_events;
	events_add(true);
}

/* The actions when an event fires */
#define RECORD		0x001
#define TRACEOFF	0x002
#define TRACEON		0x004
#define STACKTRACE	0x008
#define SNAPSHOT	0x010
#define ENABLE		0x020
#define DISABLE		0x040
#define RAW_PROGRAM	0x080
#define PROGRAM		0x100
#define COUNTER		0x200
#define SAMPLE		0x400
#define TRIGGERS	(TRACEOFF | TRACEON | STACKTRACE | SNAPSHOT | ENABLE | DISABLE)
#define ALL		0x7ff
#define PERF		(RAW_PROGRAM | PROGRAM | COUNTER | SAMPLE)
#define STACKS		0x0800
#define USER_STACKS	0x1000
#define FOLLOW		0x2000
#define EXPORT		0x4000

/* The event that the triggers enable_event and disable_event act on */
#define TARGET		"sched:sched_migrate_task"
#define TARGET_ENABLE	IN "events/sched/sched_migrate_task/enable"
#define COUNT		1000000000L
/*
 * With KASAN, a stack or a snapshot for each event of lockdep takes longer than the time
 * between two ticks; without it, both together do.
 */
#define COUNT_SLOW	(has_kasan() || !access("/proc/lockdep", F_OK) ? 300L : COUNT)

static const struct trigger {
	int kind;
	const char *text;
} triggers[] = {
	{ TRACEOFF, "traceoff" },
	{ TRACEON, "traceon" },
	{ STACKTRACE, "stacktrace" },
	{ SNAPSHOT, "snapshot" },
	{ ENABLE, "enable_event:" TARGET },
	{ DISABLE, "disable_event:" TARGET },
};

/* The count with which the trigger is set */
static long trigger_count(const struct trigger *trigger)
{
	return trigger->kind & (STACKTRACE | SNAPSHOT) ? COUNT_SLOW : COUNT;
}

/*
 * Does event @i get the trigger, one of @kinds? Two that undo each other are put on different
 * events.
 */
static bool has_trigger(const struct trigger *trigger, int kinds, int i)
{
	const int pairs[] = { TRACEOFF | TRACEON, ENABLE | DISABLE };
	int pair;

	for (pair = 0; pair < 2; pair++) {
		if (trigger->kind & pairs[pair] && (kinds & pairs[pair]) == pairs[pair] &&
		    i / 2 % 2 == !!(trigger->kind & (TRACEON | DISABLE)))
			return false;
	}
	return kinds & trigger->kind;
}

static int trigger_write(int i, const char *text)
{
	return tfs_append(text, IN "events/%s/%s/trigger", events[i].system, events[i].name);
}

/*
 * Put triggers of @kinds on the events from @first to before @end, on every other one with a
 * filter, so that they need the record. Return: 0, or the first -errno.
 */
static int triggers_put(int kinds, int first, int end)
{
	const struct trigger *trigger;
	char text[128];
	int i, ret = 0;

	for (trigger = triggers; trigger < triggers + ARRAY_SIZE(triggers); trigger++) {
		for (i = first; i < end && !ret; i++) {
			snprintf(text, sizeof(text), "%s:%ld%s", trigger->text,
				 trigger_count(trigger), i % 2 ? " if common_pid >= 0" : "");
			if (has_trigger(trigger, kinds, i))
				ret = trigger_write(i, text);
		}
	}
	return ret;
}

/* Record the loud events in the instance, or do not. Return: 0, or the first -errno. */
static int loud_record(bool on)
{
	int i, ret = 0;

	for (i = nr_calm; i < nr_events && !ret; i++)
		ret = tfs_write(on ? "1" : "0", IN "events/%s/%s/enable", events[i].system,
				events[i].name);
	return ret;
}

/*
 * End the instance's actions on loud events, so that the steps after the load are quick. All
 * other events keep theirs until the instance is removed. Return: 0, or the first -errno.
 */
static int loud_end(int kinds)
{
	const struct trigger *trigger;
	char text[128];
	int i, ret = 0;

	for (trigger = triggers; trigger < triggers + ARRAY_SIZE(triggers); trigger++) {
		snprintf(text, sizeof(text), "!%s", trigger->text);
		for (i = nr_calm; i < nr_events && !ret; i++) {
			if (has_trigger(trigger, kinds, i))
				ret = trigger_write(i, text);
		}
	}
	return ret ?: loud_record(false);
}

/* Options of the instance */
static const struct option {
	int kind;
	const char *file;
} options[] = {
	{ STACKS, IN "options/stacktrace" },
	{ USER_STACKS, IN "options/userstacktrace" },
	{ FOLLOW, IN "options/event-fork" },
};

/* Set the options of @kinds. Return: 0, or -errno. */
static int options_put(int kinds)
{
	const struct option *option;
	char pid[16];
	int ret = 0;

	for (option = options; option < options + ARRAY_SIZE(options) && !ret; option++) {
		if (kinds & option->kind)
			ret = tfs_write("1", "%s", option->file);
	}
	sprintf(pid, "%d", getpid());
	if (kinds & FOLLOW && !ret)
		ret = tfs_write(pid, IN "set_event_pid");
	return ret;
}

/* With KASAN, no stacks for loud events: COUNT_SLOW is for triggers only. */
static bool has_loud(int kinds)
{
	return !(kinds & (STACKS | USER_STACKS) && has_kasan());
}

/* Is this task alone on the list? A task leaves it when it is freed, some time later. */
static bool only_this_listed(void)
{
	char pid[16];
	int i;

	sprintf(pid, "%d", getpid());
	for (i = 0; i < 100 && !tfs_is(pid, IN "set_event_pid"); i++)
		usleep(100000);
	return tfs_is(pid, IN "set_event_pid");
}

/* The system trace module exports records to a device that drops them. */

#define STM_SOURCE	"/sys/class/stm_source/ftrace/stm_source_link"
#define STM_DEVICE	"dummy_stm.0"
#define STM_POLICIES	"/sys/kernel/config/stp-policy"
#define STM_POLICY	STM_POLICIES "/" STM_DEVICE ":p_basic.every"

static bool export_begin(void)
{
	mount("nodev", "/sys/kernel/config", "configfs", 0, NULL);
	if (system("modprobe dummy_stm && modprobe stm_ftrace"))
		return false;
	return !mkdir(STM_POLICY, 0700) && !mkdir(STM_POLICY "/ftrace", 0700) &&
	       !file_write(STM_SOURCE, STM_DEVICE);
}

/* Is the source linked with the device? */
static bool exported(void)
{
	char link[64] = "";
	int fd = open(STM_SOURCE, O_RDONLY);

	if (fd < 0 || read(fd, link, sizeof(link) - 1) < 0)
		link[0] = '\0';
	close(fd);
	return !strncmp(link, STM_DEVICE, strlen(STM_DEVICE));
}

static bool export_end(void)
{
	/* There is no such device: this only unlinks the source. */
	file_write(STM_SOURCE, "none");
	return !exported() && !rmdir(STM_POLICY "/ftrace") && !rmdir(STM_POLICY) &&
	       !system("rmmod stm_ftrace && rmmod dummy_stm && rmmod stm_p_basic");
}

/* How many calm events have run each trigger, and how often they have in all */
static struct runs {
	int events;
	long times;
} runs[ARRAY_SIZE(triggers)];

/* Count the runs of one event's triggers, whose file has @text. */
static void runs_add(const char *text)
{
	const char *at;
	unsigned int i;
	long left;

	for (i = 0; i < ARRAY_SIZE(triggers); i++) {
		at = strstr(text, triggers[i].text);
		if (!at || sscanf(at + strlen(triggers[i].text), ":count=%ld", &left) != 1)
			continue;
		runs[i].times += trigger_count(&triggers[i]) - left;
		runs[i].events += left < trigger_count(&triggers[i]);
	}
}

/* With KASAN it takes long to read a thousand files. */
static void runs_count(void)
{
	const int step = has_kasan() ? 3 : 1;
	char *text;
	int i;

	memset(runs, 0, sizeof(runs));
	for (i = 0; i < nr_calm; i += step) {
		text = tfs_text(IN "events/%s/%s/trigger", events[i].system, events[i].name);
		if (text)
			runs_add(text);
		free(text);
	}
}

/* perf and BPF */

/* Return: 1, or 0 if @fd is an error. */
static int put_fd(int fd)
{
	if (fd < 0)
		return 0;
	fds[nr_fds++] = fd;
	return 1;
}

/* A program that counts its calls by all tasks. */
static struct prog counting_prog(int type)
{
	struct prog prog = { .map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct seen), 1) };
	struct code code = { };

	code_element(&code, prog.map);
	code_put(&code, MOV_IMM(1, 1), ATOMIC_ADD(7, 1, 0));
	prog.fd = code_load(&code, type, 1);
	return prog;
}

FIXTURE(every_event)
{
	long tainted;
};

/* Each test runs in its own process. */
static struct prog raw, prog;
static struct attach_ring *ring[LOAD_CPUS];
static int output[LOAD_CPUS];	/* the perf events of the rings */

FIXTURE_VARIANT(every_event)
{
	int kinds;
};

FIXTURE_VARIANT_ADD(every_event, recording)
{
	.kinds = RECORD,
};

FIXTURE_VARIANT_ADD(every_event, traceoff)
{
	.kinds = TRACEOFF,
};

FIXTURE_VARIANT_ADD(every_event, traceon)
{
	.kinds = TRACEON,
};

FIXTURE_VARIANT_ADD(every_event, stacktrace)
{
	.kinds = STACKTRACE,
};

FIXTURE_VARIANT_ADD(every_event, snapshot)
{
	.kinds = SNAPSHOT,
};

FIXTURE_VARIANT_ADD(every_event, enable_event)
{
	.kinds = ENABLE,
};

FIXTURE_VARIANT_ADD(every_event, disable_event)
{
	.kinds = DISABLE,
};

FIXTURE_VARIANT_ADD(every_event, recording_triggers)
{
	.kinds = RECORD | SNAPSHOT | STACKTRACE | TRACEOFF | TRACEON |
		 ENABLE | DISABLE,
};

FIXTURE_VARIANT_ADD(every_event, stacks)
{
	.kinds = RECORD | STACKS,
};

FIXTURE_VARIANT_ADD(every_event, user_stacks)
{
	.kinds = RECORD | USER_STACKS,
};

FIXTURE_VARIANT_ADD(every_event, following_forks)
{
	.kinds = RECORD | FOLLOW,
};

FIXTURE_VARIANT_ADD(every_event, exports)
{
	.kinds = RECORD | EXPORT,
};

FIXTURE_VARIANT_ADD(every_event, raw_programs)
{
	.kinds = RAW_PROGRAM,
};

FIXTURE_VARIANT_ADD(every_event, programs)
{
	.kinds = PROGRAM,
};

FIXTURE_VARIANT_ADD(every_event, counters)
{
	.kinds = COUNTER,
};

FIXTURE_VARIANT_ADD(every_event, samples)
{
	.kinds = SAMPLE,
};

FIXTURE_VARIANT_ADD(every_event, all)
{
	.kinds = ALL,
};

FIXTURE_SETUP(every_event)
{
	struct rlimit files = { sizeof(fds) / sizeof(*fds) + 64, sizeof(fds) / sizeof(*fds) + 64 };

	if (!is_strobe())
		SKIP(return, "classic does not come back from its own snapshots");
	tfs_reset();
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_GE(LOAD_CPUS, cpus_online());
	events_find();
	ASSERT_GT(nr_events, 500);
	ASSERT_EQ(0, instance_make("every"));
	raw = counting_prog(BPF_PROG_TYPE_RAW_TRACEPOINT);
	prog = counting_prog(BPF_PROG_TYPE_TRACEPOINT);
	ASSERT_GE(raw.fd, 0);
	ASSERT_GE(prog.fd, 0);
	self->tainted = taint_bits();
}

FIXTURE_TEARDOWN(every_event)
{
	int cpu;

	for (cpu = 0; cpu < LOAD_CPUS; cpu++) {
		if (!ring[cpu])
			continue;
		attach_unmap(ring[cpu]);
		free(ring[cpu]);
		close(output[cpu]);
	}
	prog_close(&raw);
	prog_close(&prog);
	EXPECT_EQ(self->tainted, taint_bits());
	EXPECT_EQ(0, instance_remove("every"));
}

/* Open a perf event on each CPU whose buffer takes the samples of all events. */
static void make_outputs(void)
{
	struct perf_event_attr attr = attach_attr("sched", "sched_switch", PERF_SAMPLE_IP |
						  PERF_SAMPLE_TIME | PERF_SAMPLE_RAW);
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		output[cpu] = attach_open(&attr, -1, cpu);
		ring[cpu] = malloc(sizeof(*ring[cpu]));
		if (attach_map(ring[cpu], output[cpu], 16)) {
			free(ring[cpu]);
			ring[cpu] = NULL;
		}
	}
}

/* These return 1 on success, else 0. */
static int put_raw(const struct event *event)
{
	return put_fd(raw_open(raw.fd, event->name, 0));
}

static int put_program(const struct event *event)
{
	int fd = event_open(event->system, event->name);

	return put_fd(fd) && !set_bpf(fd, prog.fd);
}

static int put_counter(int i, int cpu)
{
	struct perf_event_attr attr = attach_attr(events[i].system, events[i].name, 0);
	int fd;

	attr.disabled = 0;
	fd = attach_open(&attr, -1, cpu);
	if (!put_fd(fd))
		return 0;
	counters[i] = fd;
	return 1;
}

static int put_sample(const struct event *event, int cpu)
{
	struct perf_event_attr attr = attach_attr(event->system, event->name, PERF_SAMPLE_IP |
						  PERF_SAMPLE_TIME | PERF_SAMPLE_RAW);
	int fd = attach_open(&attr, -1, cpu);

	return put_fd(fd) &&
	       !attach_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)output[cpu]) &&
	       !attach_enable(fd, true);
}

/* Does each event of a system call have a counter? */
static bool has_each_call(int kinds)
{
	return kinds == COUNTER && !has_kasan();
}

/*
 * Closing a perf event takes a grace period. So each event has one of a kind, on one CPU;
 * and only a few system calls have any, since they are all alike, unless has_each_call().
 * With KASAN, all kinds together on lockdep's events would take longer than the time between
 * two ticks; each kind by itself does not.
 */
static bool is_attached_to(int i, int kinds)
{
	if (kinds == ALL && has_kasan() && !strcmp(events[i].system, "lock"))
		return false;
	return strcmp(events[i].system, "syscalls") || has_each_call(kinds) || !(i % 64);
}

/* Attach to the events from @first to before @end. Return: how often that succeeded. */
static int put_perf(int kinds, int first, int end)
{
	const int cpus = cpus_online();
	int i, nr = 0;

	for (i = first; i < end; i++) {
		if (!is_attached_to(i, kinds))
			continue;
		if (kinds & RAW_PROGRAM)
			nr += put_raw(&events[i]);
		if (kinds & PROGRAM)
			nr += put_program(&events[i]);
		if (kinds & COUNTER)
			nr += put_counter(i, i % cpus);
		if (kinds & SAMPLE)
			nr += put_sample(&events[i], (i + 1) % cpus);
	}
	return nr;
}

/* The number that put_perf() must reach for all events: most events can have each kind. */
static int least_put(int kinds)
{
	int each = !!(kinds & PROGRAM) + !!(kinds & COUNTER) + !!(kinds & SAMPLE);
	int i, nr = 0;

	for (i = 0; i < nr_events; i++)
		nr += is_attached_to(i, kinds);
	/* System calls have no tracepoints of their own, so no raw programs. */
	return nr * 9 / 10 * each + (kinds & RAW_PROGRAM ? nr / 2 : 0);
}

/*
 * After the load: check that the triggers have run. One that finds nothing to do does not
 * count, so a trigger that nothing undoes may have run only once, for any event. Its effect
 * is checked instead.
 */
static void check_triggers(struct __test_metadata *_metadata, int kinds)
{
	const int switches = TRACEOFF | TRACEON, both = ENABLE | DISABLE;
	const bool undone = (kinds & switches) == switches || (kinds & both) == both;
	unsigned int i;
	bool often;

	if ((kinds & switches) == TRACEOFF)
		EXPECT_EQ(0, tfs_number(IN "tracing_on"));
	if ((kinds & switches) == TRACEON)
		EXPECT_EQ(1, tfs_number(IN "tracing_on"));
	if ((kinds & both) == ENABLE)
		EXPECT_TRUE(tfs_is("1*", TARGET_ENABLE));
	if ((kinds & both) == DISABLE)
		EXPECT_TRUE(tfs_is("0*", TARGET_ENABLE));
	if (!(kinds & TRIGGERS))
		return;
	runs_count();
	for (i = 0; i < ARRAY_SIZE(triggers); i++) {
		if (!(kinds & triggers[i].kind))
			continue;
		often = triggers[i].kind & (STACKTRACE | SNAPSHOT) ||
			(kinds & switches) == switches || (kinds & both) == both;
		if (!often)
			continue;
		EXPECT_LT(undone ? FEW : SEVERAL, runs[i].events) {
			TH_LOG("%s", triggers[i].text);
		}
		EXPECT_LT(ENOUGH, runs[i].times);
	}
}

/* After the load: check that the instance has records, and that its options had an effect. */
static void check_recorded(struct __test_metadata *_metadata, int kinds)
{
	EXPECT_LT(ENOUGH, ring_records());
	EXPECT_EQ(0, tfs_write("0", IN "tracing_on"));
	if (kinds == RECORD && !has_kasan())
		EXPECT_LT(SEVERAL, ring_events());
	if (kinds & STACKS)
		EXPECT_TRUE(ring_has(" <stack trace>\n"));
	if (kinds & USER_STACKS)
		EXPECT_TRUE(ring_has(" <user stack trace>\n"));
	/*
	 * Tasks of the load were listed, and have left the list. The scheduler's events are
	 * also recorded if they are about a listed task; this one is not.
	 */
	if (kinds & FOLLOW) {
		EXPECT_TRUE(ring_has_of_load("mm_page_alloc"));
		EXPECT_TRUE(only_this_listed());
	}
	if (kinds & EXPORT) {
		EXPECT_TRUE(exported());
		EXPECT_TRUE(export_end());
	}
}

/* Check the counters of the events of @system; NULL stands for all events. */
static void check_counters(struct __test_metadata *_metadata, const char *system)
{
	long long sum = 0, count;
	int i, nr = 0;

	for (i = 0; i < nr_events; i++) {
		/* The counters of sched_stat_* count nanoseconds. */
		if (!counters[i] || (system && strcmp(events[i].system, system)) ||
		    !strncmp(events[i].name, "sched_stat", 10))
			continue;
		count = attach_count(counters[i]);
		EXPECT_LE(0, count);
		sum += count;
		nr += count > 0;
	}
	EXPECT_LT(SEVERAL, nr);
	EXPECT_LT(ENOUGH, sum);
}

/* After the load: check that programs were called, counters count, and samples were taken. */
static void check_attached(struct __test_metadata *_metadata, int kinds)
{
	struct perf_event_header *header;
	int cpu, nr = 0;

	if (kinds & RAW_PROGRAM)
		EXPECT_LT(ENOUGH, calls_of(&raw));
	if (kinds & PROGRAM)
		EXPECT_LT(ENOUGH, calls_of(&prog));
	if (kinds & COUNTER)
		check_counters(_metadata, NULL);
	if (has_each_call(kinds))
		check_counters(_metadata, "syscalls");
	if (!(kinds & SAMPLE))
		return;
	for (cpu = 0; cpu < cpus_online() && nr <= ENOUGH; cpu++) {
		while (nr <= ENOUGH && (header = attach_next(ring[cpu])))
			nr += header->type == PERF_RECORD_SAMPLE;
	}
	EXPECT_LT(ENOUGH, nr);
}

/* Set the actions of @kinds for all events. The instance does not record until all are set. */
static void put_all(struct __test_metadata *_metadata, int kinds)
{
	const bool records = kinds & ~PERF;
	int nr;

	ASSERT_EQ(0, tfs_write("0", IN "tracing_on"));
	/* Patch all tracepoints in one go, so that the steps below need no patching. */
	ASSERT_EQ(0, tfs_write("1", IN "events/enable"));
	ASSERT_EQ(0, loud_record(false));
	ASSERT_EQ(0, triggers_put(kinds, 0, nr_calm));
	ASSERT_EQ(0, options_put(kinds));
	if (kinds & EXPORT)
		ASSERT_TRUE(export_begin());
	if (kinds & SAMPLE)
		make_outputs();
	nr = put_perf(kinds, 0, nr_calm);
	if (!records)
		ASSERT_EQ(0, tfs_write("0", IN "events/enable"));
	if (records && has_loud(kinds))
		ASSERT_EQ(0, loud_record(true));
	ASSERT_EQ(0, triggers_put(kinds, nr_calm, nr_events));
	nr += put_perf(kinds, nr_calm, nr_events);
	ASSERT_LE(least_put(kinds), nr);
	/* All events are enabled, so enable_event by itself would find nothing to do. */
	if ((kinds & (ENABLE | DISABLE)) == ENABLE)
		ASSERT_EQ(0, tfs_write("0", TARGET_ENABLE));
}

/* Seconds since @since */
static double seconds(double since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9 - since;
}

/* Set the variant's actions for all events, run the load, and check that they happened. */
TEST_F_TIMEOUT(every_event, bears_itself, 3600)
{
	const int kinds = variant->kinds;
	struct perf_event_attr fires = attach_attr("sched", "sched_switch", 0);
	double begun = seconds(0), put, worked;
	int counter;

	if (kinds & EXPORT && system("modprobe stm_p_basic 2>/dev/null"))
		SKIP(return, "no module stm_p_basic");
	fires.disabled = 0;
	counter = attach_open(&fires, -1, 0);
	ASSERT_LE(0, counter);
	put_all(_metadata, kinds);
	ASSERT_EQ(0, attach_ioctl(counter, PERF_EVENT_IOC_RESET, NULL));
	ASSERT_EQ(0, tfs_write(kinds & TRACEON ? "0" : "1", IN "tracing_on"));
	put = seconds(begun);

	load_run(IN "trace_pipe", counter, ENOUGH);
	worked = seconds(begun);

	EXPECT_EQ(0, loud_end(kinds));
	check_triggers(_metadata, kinds);
	if (kinds & RECORD)
		check_recorded(_metadata, kinds);
	check_attached(_metadata, kinds);
	EXPECT_LT(ENOUGH, attach_count(counter));
	close(counter);
	while (nr_fds)
		close(fds[--nr_fds]);
	ksft_print_msg("%.1f s until all is put, %.1f s of load, %.1f s until all is closed\n",
		       put, worked - put, seconds(begun) - worked);
}

TEST_HARNESS_MAIN
