/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers shared by the tests of perf and BPF on trace events. */
#ifndef ATTACH_TEST_H
#define ATTACH_TEST_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* perf_event_open(2) without a group: an fd, or -errno. */
int attach_open(struct perf_event_attr *attr, int pid, int cpu);
/* The attr of the trace event @system/@name; samples every event if @sample_type is not 0. */
struct perf_event_attr attach_attr(const char *system, const char *name,
				   unsigned long long sample_type);
/* An enabled counter of this task on any CPU: its fd, or -errno. */
int attach_counter(const char *system, const char *name);
/* Its current count, or -errno. */
long long attach_count(int fd);
/* ioctl(): 0 or -errno */
int attach_ioctl(int fd, unsigned long request, const void *arg);
/* Enable or disable the perf event: 0 or -errno. */
int attach_enable(int fd, bool on);

/* Offset of @field in the event's records, or -1; its size in *@size unless that is NULL. */
int attach_field(const char *system, const char *name, const char *field, int *size);

/* The mmap()ed buffer of a perf event. */
struct attach_ring {
	struct perf_event_mmap_page *page;
	char *data;
	unsigned long size;
	unsigned long long tail;
	char buf[16384];
};

/* 0 or -errno; @pages: data pages, a power of two. */
int attach_map(struct attach_ring *ring, int fd, int pages);
void attach_unmap(struct attach_ring *ring);
/* The next perf record, or NULL; valid until the next call. */
struct perf_event_header *attach_next(struct attach_ring *ring);

/* The kernel function that contains @addr, or ""; valid until the next call. */
const char *attach_function(unsigned long long addr);

/* Fire task:task_rename with @name as newcomm. */
void attach_fire(const char *name);
/* Fire task:task_rename @times times. */
void attach_fire_many(int times);
/* Fire all events of the module tp-events by a write of @text: 0 or -errno. */
int attach_fire_module(const char *text);

#endif
