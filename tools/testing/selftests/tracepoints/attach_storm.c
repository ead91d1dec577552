// SPDX-License-Identifier: GPL-2.0
/*
 * perf events and BPF programs are attached and detached in every way at once, on events
 * that fire on all CPUs, while tracefs enables and disables the events. Users that stay
 * attached all the time must get each event, and the kernel must not warn.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "attach_prog.h"
#include "tracefs.h"

#define CPUS_MAX 64
#define SECONDS 2

static bool storm_ends;
static int pid_at;

static bool goes_on(void)
{
	return !__atomic_load_n(&storm_ends, __ATOMIC_RELAXED);
}

/* One thread of the storm: the function that it repeats, and the number of rounds so far */
struct gust {
	void (*body)(struct gust *gust);
	int arg;
	long rounds;
	pthread_t thread;
};

static void *gust_run(void *arg)
{
	struct gust *gust = arg;

	while (goes_on()) {
		gust->body(gust);
		gust->rounds++;
	}
	return NULL;
}

static void fire(struct gust *gust)
{
	if (!gust->rounds)
		pin_to_cpu(gust->arg);
	attach_fire("storm");
	syscall(SYS_close, -1);
}

static struct prog event_prog(void)
{
	struct spec spec = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.parts = 1,
		.part = { { BPF_W, pid_at } },
		.result = 1,
	};

	return prog_make(&spec);
}

static struct prog raw_prog(void)
{
	struct spec spec = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };

	return prog_make(&spec);
}

static void by_ioctl(struct gust *gust)
{
	struct prog prog = event_prog();
	int event = event_open("task", "task_rename");

	set_bpf(event, prog.fd);
	/* The event's reference keeps the program until the event is closed. */
	prog_close(&prog);
	attach_fire("storm too");
	close(event);
}

static void by_link(struct gust *gust)
{
	struct {
		struct perf_event_query_bpf query;
		__u32 ids[8];
	} query = { .query.ids_len = 8 };
	struct prog prog = event_prog();
	int event = event_open("task", "task_rename");
	int link = link_perf(prog.fd, event, gust->rounds);

	attach_ioctl(event, PERF_EVENT_IOC_QUERY_BPF, &query);
	close(event);
	close(link);
	prog_close(&prog);
}

/* Detach the first or the second of two programs in the event's array, and add it again. */
static void by_two(struct gust *gust)
{
	struct prog prog[2] = { event_prog(), event_prog() };
	int event[2], first = gust->rounds % 2, i;

	for (i = 0; i < 2; i++) {
		event[i] = event_open("syscalls", "sys_enter_close");
		set_bpf(event[i], prog[i].fd);
	}
	close(event[first]);
	event[first] = event_open("syscalls", "sys_enter_close");
	set_bpf(event[first], prog[first].fd);
	for (i = 0; i < 2; i++) {
		close(event[i]);
		prog_close(&prog[i]);
	}
}

static void by_raw(struct gust *gust)
{
	struct prog prog = raw_prog();
	int link = raw_open(prog.fd, gust->rounds % 2 ? "task_rename" : "sys_enter", 0);

	prog_close(&prog);
	usleep(100);
	close(link);
}

static void by_samples(struct gust *gust)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", PERF_SAMPLE_RAW |
						  PERF_SAMPLE_CALLCHAIN);
	int event = attach_open(&attr, -1, gust->rounds % cpus_online());
	struct attach_ring *ring = malloc(sizeof(*ring));
	bool mapped = !attach_map(ring, event, 4);

	if (gust->rounds % 3)
		attach_ioctl(event, PERF_EVENT_IOC_SET_FILTER, "newcomm == \"storm\"");
	attach_enable(event, true);
	usleep(500);
	while (mapped && attach_next(ring))
		;
	if (mapped)
		attach_unmap(ring);
	free(ring);
	close(event);
}

/* Counters on every CPU, and one that children would inherit */
static void by_counters(struct gust *gust)
{
	struct perf_event_attr attr = attach_attr("task", "task_rename", 0);
	int event[CPUS_MAX], cpus = cpus_online(), inherited, i;

	for (i = 0; i < cpus; i++) {
		event[i] = attach_open(&attr, -1, i);
		attach_enable(event[i], true);
	}
	attr.inherit = 1;
	attr.disabled = 0;
	inherited = attach_open(&attr, 0, -1);
	attach_fire("storm three");
	close(inherited);
	for (i = 0; i < cpus; i++)
		close(event[i]);
}

static void by_tracefs(struct gust *gust)
{
	static const char * const files[] = {
		"events/task/task_rename/", "events/syscalls/sys_enter_close/",
	};
	const char *file = files[gust->rounds % 2];

	tfs_write("1", "%senable", file);
	tfs_write("common_pid > 1", "%sfilter", file);
	tfs_write("0", "%sfilter", file);
	tfs_write("0", "%senable", file);
}

FIXTURE(storm)
{
	struct prog prog;
	struct prog raw;
	int event;
	int link;
	int counter;
};

FIXTURE_SETUP(storm)
{
	struct perf_event_attr attr;

	tfs_reset();
	ASSERT_GE(CPUS_MAX, cpus_online());
	pid_at = attach_field("task", "task_rename", "pid", NULL);
	ASSERT_EQ(0, instance_make("stays"));
	ASSERT_EQ(0, tfs_write("newcomm == \"storm\"",
			       "instances/stays/events/task/task_rename/filter"));
	ASSERT_EQ(0, tfs_write("64", "instances/stays/buffer_size_kb"));
	ASSERT_EQ(0, tfs_write("1", "instances/stays/events/task/task_rename/enable"));
	self->prog = event_prog();
	self->event = event_open("task", "task_rename");
	ASSERT_EQ(0, set_bpf(self->event, self->prog.fd));
	self->raw = raw_prog();
	self->link = raw_open(self->raw.fd, "task_rename", 0);
	ASSERT_GE(self->link, 0);
	attr = attach_attr("task", "task_rename", 0);
	attr.inherit = 1;
	self->counter = attach_open(&attr, 0, -1);
	ASSERT_GE(self->counter, 0);
	ASSERT_EQ(0, attach_ioctl(self->counter, PERF_EVENT_IOC_SET_FILTER,
				  "newcomm == \"storm\""));
	ASSERT_EQ(0, attach_enable(self->counter, true));
}

FIXTURE_TEARDOWN(storm)
{
	close(self->counter);
	close(self->link);
	close(self->event);
	prog_close(&self->prog);
	prog_close(&self->raw);
	EXPECT_EQ(0, instance_remove("stays"));
	tfs_reset();
}

/* The number of events that the instance recorded, overwrote or dropped */
static long recorded(void)
{
	static const char * const lines[] = { "entries: ", "overrun: ", "dropped events: " };
	char *text, *at;
	long sum = 0;
	int cpu, i;

	for (cpu = 0; cpu < cpus_possible(); cpu++) {
		text = tfs_text("instances/stays/per_cpu/cpu%d/stats", cpu);
		for (i = 0; text && i < (int)ARRAY_SIZE(lines); i++) {
			at = strstr(text, lines[i]);
			if (at)
				sum += atol(at + strlen(lines[i]));
		}
		free(text);
	}
	return sum;
}

static void (*const bodies[])(struct gust *gust) = {
	by_ioctl, by_link, by_two, by_raw, by_samples, by_counters, by_tracefs,
};

TEST_F_TIMEOUT(storm, whoever_stays_gets_each_event, 300)
{
	const int cpus = cpus_online();
	struct gust gust[CPUS_MAX + ARRAY_SIZE(bodies)] = { };
	long fired = 0, others = 0;
	int nr = 0, i;

	for (i = 0; i < cpus; i++)
		gust[nr++] = (struct gust) { .body = fire, .arg = i };
	for (i = 0; i < (int)ARRAY_SIZE(bodies); i++)
		gust[nr++].body = bodies[i];
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_create(&gust[i].thread, NULL, gust_run, &gust[i]));
	sleep(SECONDS);
	__atomic_store_n(&storm_ends, true, __ATOMIC_RELAXED);
	for (i = 0; i < nr; i++) {
		pthread_join(gust[i].thread, NULL);
		TH_LOG("%d: %ld times", i, gust[i].rounds);
		EXPECT_GT(gust[i].rounds, 0);
	}
	for (i = 0; i < cpus; i++)
		fired += gust[i].rounds;
	EXPECT_EQ(fired, attach_count(self->counter));
	EXPECT_EQ(fired, recorded());
	/* The programs also saw the events that two of the other bodies fired. */
	for (i = cpus; i < nr; i++)
		if (gust[i].body == by_ioctl || gust[i].body == by_counters)
			others += gust[i].rounds;
	EXPECT_EQ(fired + others, calls_of(&self->prog));
	EXPECT_EQ(fired + others, calls_of(&self->raw));
}

TEST_HARNESS_MAIN
