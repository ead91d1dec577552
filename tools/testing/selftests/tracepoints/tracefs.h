/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for the tests of the tracing interface: they read and write the files
 * of tracefs, parse lines of trace output, and restore the initial state.
 *
 * Functions that can fail return a negative errno, so that a test can compare it
 * with the errno that the interface promises.
 */
#ifndef TRACEFS_TEST_H
#define TRACEFS_TEST_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../kselftest.h"

/* One line of the files trace and trace_pipe. */
struct trace_line {
	char comm[20];
	int pid;
	int cpu;
	char flags[12];
	unsigned long long ts;	/* digits without the point: usecs, or counts */
	char event[64];
	const char *text;	/* after "event: ", up to the end of the line */
	int text_len;
};

/* The numbers in per_cpu/cpuN/stats. */
struct trace_stats {
	long entries;
	long overrun;
	long commit_overrun;
	long bytes;
	long dropped;
	long read;
};

/* Mount tracefs unless it is mounted; exits if that fails. */
const char *tfs_root(void);
/* Restore the initial state: no event enabled, nothing recorded, settings as at boot. */
void tfs_reset(void);

/* Paths are printf formats, relative to tracefs. */
__printf(2, 3) int tfs_open(int flags, const char *fmt, ...);
/* Like the shell's "printf text > file", in one write(2). */
__printf(2, 3) int tfs_write(const char *text, const char *fmt, ...);
/* Like the shell's "printf text >> file", in one write(2). */
__printf(2, 3) int tfs_append(const char *text, const char *fmt, ...);
/* The whole file as a string for free(3); NULL if it cannot be read. */
__printf(1, 2) char *tfs_text(const char *fmt, ...);
/* Is there a file of this name? */
__printf(1, 2) bool tfs_exists(const char *fmt, ...);
/* Does the file have this text? A newline at its end is ignored. */
__printf(2, 3) bool tfs_is(const char *text, const char *fmt, ...);
__printf(1, 2) long tfs_number(const char *fmt, ...);

/* An iterator over the directories of all events; initialise it to zero. */
struct event_dirs {
	DIR *top;
	DIR *dir;
	char system[256];
	char name[256];
};

bool event_dirs_next(struct event_dirs *dirs);

/* Everything that can be read from @fd up to end of file or EAGAIN. */
char *fd_text(int fd);
/* Write @text at once: 0 or negative errno; a short write is -EIO. */
int fd_write(int fd, const char *text);
/* The same for the file at @path, which need not be in tracefs. */
int file_write(const char *path, const char *text);
/* Write "number %08d of ..." to trace_marker, from @first on: 0 or a negative number. */
int tfs_mark(int first, int n);
/* The number at the beginning of the file; -1 if there is none. */
long file_number(const char *path);
/* /proc/sys/kernel/tainted, without the bits for kinds of modules */
long taint_bits(void);
/* Free memory, in kB */
long free_kb(void);

/*
 * Parse the line at *@pos and move *@pos to the next one. Lines that are not
 * records (the header, lost events) are skipped. False at the end.
 */
bool trace_next(const char **pos, struct trace_line *line);
/* Number of lines of @event; @pid 0 stands for any, @part NULL for any text. */
int trace_count(const char *text, const char *event, int pid, const char *part);
/* Number of lines of markers with @part in an instance, or "" for the top one; -1: no memory */
int trace_marks(const char *instance, const char *part);
/* Does the text of the line contain @part? */
bool line_has(const struct trace_line *line, const char *part);
/* The number after @key in the text of the line. */
bool line_number(const struct trace_line *line, const char *key, long *value);

/* The value of buffer_size_kb after @kb was written: it is rounded to sub-buffers. */
long buffer_kb_shown(long kb);
int trace_stats(int cpu, struct trace_stats *stats);
int pin_to_cpu(int cpu);
int cpus_online(void);
/*
 * Set all CPUs but the first one offline, or online again. Patching a thousand
 * static keys takes many seconds in an emulator with more than one CPU.
 */
void cpus_set_others(bool online);
int cpus_possible(void);
/* mkdir and rmdir of an instance: 0 or -errno. */
int instance_make(const char *name);
int instance_remove(const char *name);
/* Does the kernel have a function or variable of that name, outside of modules? */
bool has_symbol(const char *name);
/* Is the tracing engine of this kernel Strobe, not classic? */
bool is_strobe(void);
/* Does the kernel have KASAN? It is slow, and delays the reuse of freed memory. */
bool has_kasan(void);
/* Wait until process @pid sleeps, or waits for a lock. False if it ends, or runs for 10 seconds. */
bool wait_asleep(int pid);

#endif
