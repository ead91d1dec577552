/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers shared by the tests of perf and BPF on probes. A program that links them is skipped if
 * the kernel does not have the PMUs kprobe and uprobe.
 */
#ifndef PERF_PROBE_TEST_H
#define PERF_PROBE_TEST_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* attach_fire() calls it, and fires task_rename; the new name is the second argument of both. */
#define FUNC		"__set_task_comm"
/* The file of the program, with probed() in it */
#define SELF		"/proc/self/exe"
#define PMUS		"/sys/bus/event_source/devices/"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define COOKIE		0x600dc0deULL

/* The types of the PMUs. They are read before allocations fail. */
extern int kprobe_type, uprobe_type;

/* Remove all probes, and read the types of the PMUs. */
void probes_begin(void);
/* Remove all probes. */
void probes_end(void);

/* The attr of a probe at FUNC+OFFSET, or at an address if @func is NULL; @config: 1 for a return */
struct perf_event_attr kprobe_attr(const char *func, __u64 at, __u64 config);
/* The attr of a probe at an offset in a file; @config may contain a reference counter. */
struct perf_event_attr uprobe_attr(const char *path, __u64 offset, __u64 config);
/* Open the probe for this task on any CPU: an fd, or -errno. */
int kprobe_open(const char *func, __u64 at, __u64 config);
int uprobe_open(const char *path, __u64 offset, __u64 config);
/* The address of a kprobe in FUNC that the kernel lists; 0: it lists none */
unsigned long kprobe_listed(void);

/* The function of user space that is probed */
int probed(int num);
/* Call it in a way that the compiler cannot inline. */
void call_probed(int num);

/* Give up all capabilities that are not in the mask @caps. */
bool keep_caps(__u64 caps);
/* Become a user that has only the capabilities of the mask @caps. */
bool become_nobody(__u64 caps);
/* Write a number to the file: 0 or -errno. */
int set_number(const char *path, int value);

#endif
