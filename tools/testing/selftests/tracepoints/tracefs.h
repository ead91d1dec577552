/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the tracing interface share: reading and writing the files
 * of tracefs, taking lines of trace output apart, the initial state.
 *
 * Functions that can fail return a negative errno, so that a test can compare
 * with the very errno that the interface promises.
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
	const char *text;	/* behind "event: "; up to the end of the line */
	int text_len;
};

/* What per_cpu/cpuN/stats says. */
struct trace_stats {
	long entries;
	long overrun;
	long commit_overrun;
	long bytes;
	long dropped;
	long read;
};

/* Mount tracefs unless it is; never returns without a root. */
const char *tfs_root(void);
/* The initial state: no event on, nothing recorded, every setting as at boot. */
void tfs_reset(void);

/* Paths are printf formats, relative to tracefs. */
__printf(2, 3) int tfs_open(int flags, const char *fmt, ...);
/* As the shell's "echo text > file" does, in one write(2). */
__printf(2, 3) int tfs_write(const char *text, const char *fmt, ...);
/* As the shell's "echo text >> file" does. */
__printf(2, 3) int tfs_append(const char *text, const char *fmt, ...);
/* Whole file as a string for free(3), NULL when it can't be read. */
__printf(1, 2) char *tfs_text(const char *fmt, ...);
/* Does the file hold this text, a newline at its end apart? */
__printf(2, 3) bool tfs_is(const char *text, const char *fmt, ...);
__printf(1, 2) long tfs_number(const char *fmt, ...);

/* Steps through the directories below events/; begin with all zero. */
struct event_dirs {
	DIR *top;
	DIR *dir;
	char system[256];
	char name[256];
};

bool event_dirs_next(struct event_dirs *dirs);

/* Everything that can be read from @fd up to end of file or EAGAIN. */
char *fd_text(int fd);
/* 0 or negative errno; a short write is -EIO. */
int fd_write(int fd, const char *text);
/* The same of any file, by its whole path. */
int file_write(const char *path, const char *text);
/* The number that a file begins with; -1 if there is none. */
long file_number(const char *path);
/* What the kernel says that has gone wrong */
long taint_bits(void);
/* Memory that nobody has. */
long free_kb(void);

/*
 * Take apart the line at *@pos and step *@pos to the next one. False at the
 * end. Lines that are no records (the header, lost events) are stepped over.
 */
bool trace_next(const char **pos, struct trace_line *line);
/* Number of lines of @event; @pid 0 stands for any, @part NULL for any text. */
int trace_count(const char *text, const char *event, int pid, const char *part);
/* Is @part in the text of the line? */
bool line_has(const struct trace_line *line, const char *part);
/* The number behind @key in the text of the line. */
bool line_number(const struct trace_line *line, const char *key, long *value);

/* What buffer_size_kb shows after @kb was written: it is of whole pages. */
long buffer_kb_shown(long kb);
int trace_stats(int cpu, struct trace_stats *stats);
int pin_to_cpu(int cpu);
int cpus_online(void);
/*
 * Take all CPUs but the first one off, or put them back. To patch a thousand
 * static keys takes many seconds in an emulator that has more than one CPU.
 */
void cpus_set_others(bool online);
int cpus_possible(void);
/* mkdir and rmdir of an instance: 0 or -errno. */
int instance_make(const char *name);
int instance_remove(const char *name);
/* Is this kernel's engine Strobe, not classic? */
bool is_strobe(void);
/* KASAN keeps freed memory for long: less comes back at once. */
bool has_kasan(void);
/* Wait until process @pid sleeps, or waits for a lock. False if it ends, or runs for 10 seconds. */
bool wait_asleep(int pid);

#endif
