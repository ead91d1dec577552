/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of perf and BPF on trace events share. */
#ifndef ATTACH_TEST_H
#define ATTACH_TEST_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* A system call of an event of perf; -errno if it fails. */
int attach_open(struct perf_event_attr *attr, int pid, int cpu);
/* What opens the trace event @system/@name; sampling if @sample_type is not 0, each one. */
struct perf_event_attr attach_attr(const char *system, const char *name,
				   unsigned long long sample_type);
/* A counter of this task, on any CPU, counting: its fd, or -errno. */
int attach_counter(const char *system, const char *name);
/* What it has counted. */
long long attach_count(int fd);
/* ioctl(): 0 or -errno */
int attach_ioctl(int fd, unsigned long request, const void *arg);
/* Switch it on or off. */
int attach_enable(int fd, bool on);

/* Where the field @field is in the records of the event; bytes in *@size, unless NULL. */
int attach_field(const char *system, const char *name, const char *field, int *size);

/* The buffer of an event of perf: where its samples are. */
struct attach_ring {
	struct perf_event_mmap_page *page;
	char *data;
	unsigned long size;
	unsigned long long tail;
	char buf[16384];
};

/* 0 or -errno; @pages without the first one, a power of two. */
int attach_map(struct attach_ring *ring, int fd, int pages);
void attach_unmap(struct attach_ring *ring);
/* The next one, or NULL; stays until the next call. */
struct perf_event_header *attach_next(struct attach_ring *ring);

/* The kernel's function that @addr is in, or ""; stays until the next call. */
const char *attach_function(unsigned long long addr);

/* task:task_rename fires, with this as newcomm. */
void attach_fire(const char *name);
/* @times times */
void attach_fire_many(int times);
/* All events of the module tp-events fire once: 0 or -errno. */
int attach_fire_module(const char *text);

#endif
