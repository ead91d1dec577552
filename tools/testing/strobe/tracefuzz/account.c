// SPDX-License-Identifier: GPL-2.0
/* The statistics of rings: which records there are, and how many there have to be */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

/* The statistics of a CPU's ring: each record is in one of these. */
struct account {
	unsigned long entries, overrun, dropped, read;
};

/* Get the number after @name, if the line begins with @name. */
static void take_number(const char *line, const char *name, unsigned long *number)
{
	size_t len = strlen(name);

	if (!strncmp(line, name, len))
		*number = strtoul(line + len, NULL, 10);
}

static bool account_of(const char *dir, int cpu, struct account *account)
{
	char path[96], *text, *line, *rest;

	snprintf(path, sizeof(path), "%sper_cpu/cpu%d/stats", dir, cpu);
	text = file_text(path);
	rest = text;
	memset(account, 0, sizeof(*account));
	while (rest && (line = strsep(&rest, "\n"))) {
		take_number(line, "entries: ", &account->entries);
		take_number(line, "overrun: ", &account->overrun);
		take_number(line, "dropped events: ", &account->dropped);
		take_number(line, "read events: ", &account->read);
	}
	free(text);
	return text;
}

/*
 * A sub-buffer: a time, the number of bytes that follow, and flags for lost events. A record
 * begins with a word, of which these bits are its type: its length in words, if it is not longer,
 * or one of those below. See events/header_page and header_event.
 */
#define HEADER 16
#define BYTES 0x3fffffff
#define TYPE_BITS 5
#define TYPE_LONG 0
#define TYPE_PADDING 29

/* Count the records of a sub-buffer. Returns -1 if it is damaged. */
static long count_records(const unsigned char *subbuf, long size)
{
	unsigned int word[2], type;
	long at = HEADER, end, records = 0;
	uint64_t bytes;

	memcpy(&bytes, subbuf + sizeof(uint64_t), sizeof(bytes));
	end = HEADER + (bytes & BYTES);
	if (size < HEADER || end > size)
		return -1;
	while (at < end) {
		memcpy(word, subbuf + at, sizeof(word));
		type = word[0] % (1 << TYPE_BITS);
		records += type < TYPE_PADDING;
		/* What is discarded has a length; without a time, it is the rest. */
		if (type == TYPE_PADDING && !(word[0] >> TYPE_BITS))
			return records;
		if (type == TYPE_LONG || type == TYPE_PADDING)
			at += sizeof(word[0]) + word[1];
		else
			at += sizeof(word[0]) * (type < TYPE_PADDING ? 1 + type : 2);
	}
	return at == end ? records : -1;
}

/* Read a file to its end, a sub-buffer at a time. Returns the number of records in it, or -1. */
static long read_away(const char *path)
{
	static unsigned char subbuf[65536 + sizeof(int)];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	long records = 0, more = 0, got;

	while (fd >= 0 && more >= 0 && (got = read(fd, subbuf, 65536)) > 0) {
		more = count_records(subbuf, got);
		records += more;
	}
	close(fd);
	return more < 0 ? -1 : records;
}

bool cpu_accounts(const char *dir, int cpu)
{
	struct account before, after;
	char path[96];
	long got;

	if (!account_of(dir, cpu, &before))
		return true;
	snprintf(path, sizeof(path), "%sper_cpu/cpu%d/trace_pipe_raw", dir, cpu);
	got = read_away(path);
	account_of(dir, cpu, &after);
	if (before.entries)
		compared(CHECK_CONSUMED);
	if (!after.entries && after.overrun == before.overrun &&
	    after.dropped == before.dropped && after.read == before.read + before.entries &&
	    got == (long)before.entries)
		return true;
	printf("# %s: entries %lu, overrun %lu, dropped %lu, read %lu, and when %ld were read %lu, %lu, %lu, %lu\n",
	       path, before.entries, before.overrun, before.dropped, before.read, got,
	       after.entries, after.overrun, after.dropped, after.read);
	return false;
}

/* Events that kernel threads fire, too */
static bool kernel_fires(const char *event)
{
	return strncmp(event, "signal:", strlen("signal:")) &&
	       strncmp(event, "syscalls:", strlen("syscalls:")) &&
	       strcmp(event, "sched:sched_process_exec") && strcmp(event, "module:module_load");
}

static bool is_counted(const char *event, bool kernel)
{
	int i;

	for (i = 0; i < nr_quiet_events && strcmp(event, quiet_events[i]); i++)
		;
	/* Only actions write records of these. */
	if (!strncmp(event, "user_events", strlen("user_events")))
		return true;
	return i < nr_quiet_events && !(kernel && kernel_fires(event));
}

/* Does the file contain this text? */
static bool holds(const char *dir, const char *file, const char *wanted)
{
	char path[300], *text;
	bool same;

	snprintf(path, sizeof(path), "%s%s", dir, file);
	text = file_text(path);
	same = text && !strcmp(text, wanted);
	free(text);
	return same;
}

long state_records(const char *dir, bool kernel)
{
	char path[80], *text, *rest, *line;
	struct account account;
	long records = 0;
	int cpu;

	/* A trigger may record, and of any event. */
	if (!holds(dir, "tracing_cpumask", "3\n") || (kernel && has_triggers(dir)))
		return -1;
	snprintf(path, sizeof(path), "%sset_event", dir);
	text = file_text(path);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (*line && !is_counted(line, kernel))
			records = -1;
	}
	free(text);
	for (cpu = 0; cpu < CPUS && records >= 0; cpu++) {
		if (!account_of(dir, cpu, &account))
			return -1;
		records += account.entries + account.overrun + account.dropped + account.read;
	}
	return records;
}

bool state_has_all(const char *dir)
{
	struct account account;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		if (!account_of(dir, cpu, &account) || account.overrun || account.dropped ||
		    account.read)
			return false;
	}
	return true;
}

/* The events that each signal of "kill" fires once */
static const char * const fired[] = {
	"signal:signal_generate", "syscalls:sys_enter_kill", "syscalls:sys_exit_kill",
};

/*
 * Is the event on (1) or off (0)? With a filter, or in soft mode, it is neither (-1). A file with
 * an error may have a filter.
 */
static int is_on(const char *dir, const char *event)
{
	char path[256], full[300], *text;
	int on = -1;

	state_event_file(path, sizeof(path), event, "filter");
	snprintf(full, sizeof(full), "%s%s", dir, path);
	text = file_text(full);
	if (text && !strcmp(text, "none\n")) {
		state_event_file(path, sizeof(path), event, "enable");
		on = holds(dir, path, "1\n") ? 1 : holds(dir, path, "0\n") ? 0 : -1;
	}
	free(text);
	return on;
}

int state_per_kill(const char *dir, const char *event)
{
	/* An open trace stops recording with pause-on-trace; stacks are records, too. */
	static const char * const needed[] = {
		"nopause-on-trace", "nostacktrace", "nouserstacktrace",
	};
	char path[80], *options;
	int per_kill = 0, on;
	size_t i;

	if (!holds(dir, "tracing_on", "1\n") || !holds(dir, "set_event_pid", "") ||
	    !holds(dir, "set_event_notrace_pid", ""))
		return -1;
	snprintf(path, sizeof(path), "%strace_options", dir);
	options = file_text(path);
	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		if (!has_line(options, needed[i], strlen(needed[i])))
			per_kill = -1;
	}
	free(options);
	if (event)
		return per_kill ?: is_on(dir, event);
	for (i = 0; i < ARRAY_SIZE(fired) && per_kill >= 0; i++) {
		on = is_on(dir, fired[i]);
		per_kill = on < 0 ? -1 : per_kill + on;
	}
	return per_kill;
}
