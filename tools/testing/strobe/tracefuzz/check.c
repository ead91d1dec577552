// SPDX-License-Identifier: GPL-2.0
/* What has to hold after an action that writes to a file */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefuzz.h"

/* Is @path the file of a single event whose name is @file, as in "/filter"? */
static bool is_of_event(const char *path, const char *file)
{
	int slashes = 0;

	for (path = strstr(path, "events/"); path && strcmp(path, file); slashes++)
		path = strchr(path + 1, '/');
	return path && slashes == 3;
}

/* Is it the filter of a single event? A refused write changes what it shows: the error. */
static bool is_filter(const char *path)
{
	return is_of_event(path, "/filter");
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static bool is_named(const char *path, const char *name)
{
	return !strcmp(name_of(path), name);
}

static bool takes_pids(const char *path)
{
	return is_named(path, "set_event_pid") || is_named(path, "set_event_notrace_pid") ||
	       is_named(path, "set_ftrace_pid") || is_named(path, "set_ftrace_notrace_pid");
}

/* Does the file show a text that can be written back as a whole? */
static bool is_kept(const char *path)
{
	return is_filter(path) || takes_pids(path) || is_named(path, "tracing_cpumask");
}

/* Does it show one value, which can be written back? */
static bool is_value(const char *path)
{
	static const char * const values[] = {
		"buffer_percent", "buffer_subbuf_size_kb", "buffer_size_kb", "current_tracer",
		"trace_clock", "saved_cmdlines_size", "tracing_on", "traceoff_on_warning",
		"ftrace_dump_on_oops", "tracepoint_printk", "function_profile_enabled",
		"stack_tracer_enabled", "user_events_max", "kprobes-optimization", "enabled",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (is_named(path, values[i]))
			return true;
	}
	return strstr(path, "options/") || is_of_event(path, "/enable");
}

/* Does it take definitions of events? */
static bool defines(const char *path)
{
	return is_named(path, "dynamic_events") || is_named(path, "kprobe_events") ||
	       is_named(path, "uprobe_events");
}

/* Do triggers change this setting, too? */
static bool is_switch(const char *path)
{
	return is_named(path, "tracing_on") || is_named(path, "set_event") ||
	       is_of_event(path, "/enable");
}

static bool is_quiet(const char *path)
{
	char name[200];
	int i;

	for (i = 0; i < nr_quiet_events; i++) {
		state_event_file(name, sizeof(name), quiet_events[i], "trigger");
		if (strstr(path, name))
			return true;
	}
	return strstr(path, "events/user_events");
}

/* Has the event of this file removed itself? An unused one of user space does. */
static bool has_gone(const char *path)
{
	user_settle();
	return access(path, F_OK);
}

/*
 * Remove the trigger that a file shows as @line, and set it again, with "traceoff:5 if ..." for
 * "traceoff:count=5 if ...". A count that is used up, or negative, is not accepted.
 */
static bool trigger_again(const char *path, const char *line)
{
	int end = strcspn(line, " "), command;
	const char *count = memmem(line, end, ":count=", strlen(":count="));
	const char *none = memmem(line, end, ":unlimited", strlen(":unlimited"));
	char *undo, *again;
	bool accepted = true;

	if (count && !isdigit(count[7]))
		return true;
	compared(CHECK_TRIGGER);
	command = count ? count - line : none ? none - line : end;
	if (asprintf(&undo, "!%.*s", command, line) < 0 ||
	    asprintf(&again, "%.*s%s%s", command, line, count ? ":" : "",
		     count ? count + strlen(":count=") : line + end) < 0)
		exit(2);
	if (file_put(path, undo) || (file_put(path, again) && !has_gone(path))) {
		printf("# %s shows '%s', but '%s' and '%s' are not accepted\n", path, line, undo,
		       again);
		accepted = false;
	}
	free(undo);
	free(again);
	return accepted;
}

/* Set each trigger of a file again: does the file show the same then? */
static bool triggers_again(const char *path)
{
	char *shown = file_text(path), *text = shown ? strdup(shown) : NULL, *rest = text;
	char *line, *again;
	bool same = true;

	while (rest && (line = strsep(&rest, "\n"))) {
		if (*line && *line != '#')
			same &= trigger_again(path, line);
	}
	again = file_text(path);
	if (shown && again && *shown != '#')
		same &= !state_differs(shown, again, "", false);
	free(shown);
	free(text);
	free(again);
	return same;
}

static bool lists(const char *path, const char *event)
{
	char *text = file_text(path);
	bool found = text && strstr(text, event);

	free(text);
	return found;
}

/* Remove the lines that begin with @start from a text. */
static void drop_lines(char *text, const char *start)
{
	char *to = text, *line, *next;

	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (strncmp(line, start, strlen(start))) {
			memmove(to, line, next - line);
			to += next - line;
		}
	}
	*to = '\0';
}

/*
 * A trigger of ftrace:print has set_event list it, which does not accept it, as with classic. An
 * event of user space that nothing else uses removes itself when the list is emptied; then the
 * others are written.
 */
static bool set_event_reads_back(const char *path)
{
	static const char own[] = "user_events:";
	char *shown = lists(path, own) ? file_text(path) : NULL, *again = NULL;
	bool same = lists(path, "ftrace:print") || state_reads_back(path, false);

	if (!same && shown) {
		drop_lines(shown, own);
		same = !file_put(path, shown);
		again = file_text(path);
		same &= again && !strcmp(again, shown);
	}
	free(shown);
	free(again);
	return same;
}

static bool lists_functions(const char *path)
{
	static const char * const lists[] = {
		"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function",
		"set_graph_notrace", "stack_trace_filter",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		if (is_named(path, lists[i]))
			return true;
	}
	return false;
}

/* The kernel looks for each name of a list in all its functions, which takes time. */
#define LONG_LIST 400

/*
 * Set a list again, with "NAME" for "NAME [MODULE]". Several functions may have the name of one
 * that was chosen by its number: then the list shows the name more often. Commands, whose counts
 * go down, are shown in another form than they are set.
 */
static bool functions_read_back(const char *path)
{
	char *shown = file_text(path), *text = NULL, *again, *at;
	bool same = true;

	if (shown && *shown && strlen(shown) < LONG_LIST && !strpbrk(shown, "#:") &&
	    !strstr(shown, "__ftrace_invalid"))
		text = strdup(shown);
	if (text) {
		for (at = text; (at = strchr(at, ' ')); )
			memset(at, '\n', strcspn(at, "\n"));
		same = !file_put(path, text);
		again = file_text(path);
		same &= again && !state_differs(shown, again, "", false);
		if (!same)
			printf("# %s shows '%s', and then '%s'\n", path, shown, again ?: "");
		compared(CHECK_SHOWN);
		free(again);
	}
	free(shown);
	free(text);
	return same;
}

/* Does the file show what was written, as far as that can be told from the text? */
static bool is_shown(const char *line, const char *path, const char *text)
{
	if (is_filter(path))
		return shows_filter(path, text);
	if (takes_pids(path))
		return shows_pids(path, text, act_truncates(line));
	if (is_named(path, "tracing_cpumask"))
		return shows_mask(path, text);
	return !is_named(path, "trace_options") || shows_option(path, text);
}

/* Check that the text that a file shows after a write can be written back. */
static bool reads_back(const char *line, const char *path, const char *dir)
{
	const char *text = act_text(line);

	if (text && !is_shown(line, path, text))
		return false;
	if (is_kept(path))
		return state_reads_back(path, false);
	/* Another event fires while its triggers are set. */
	if (is_of_event(path, "/trigger"))
		return !is_quiet(path) || triggers_again(path);
	if (is_switch(path) && state_is_live(dir))
		return true;
	if (is_named(path, "set_event"))
		return set_event_reads_back(path);
	if (lists_functions(path))
		return functions_read_back(path);
	return !is_value(path) || state_reads_back(path, true);
}

/* Sizes of an instance's rings and sub-buffers in KB, as files show them */
struct sizes {
	unsigned long subbuf;
	unsigned long cpu[CPUS];
};

static unsigned long shown_kb(const char *dir, const char *file)
{
	char path[120], *text;
	unsigned long kb = 0;

	snprintf(path, sizeof(path), "%s%s", dir, file);
	text = file_text(path);
	if (text)
		kb = strtoul(text, NULL, 10);
	free(text);
	return kb;
}

static void read_sizes(const char *dir, struct sizes *sizes)
{
	char file[40];
	int cpu;

	sizes->subbuf = shown_kb(dir, "buffer_subbuf_size_kb");
	for (cpu = 0; cpu < CPUS; cpu++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpu);
		sizes->cpu[cpu] = shown_kb(dir, file);
	}
}

/* The bytes for records in as many whole sub-buffers as @bytes need */
static unsigned long whole_bytes(unsigned long bytes, unsigned long subbuf)
{
	unsigned long each = subbuf * 1024 - 16, nr = (bytes + each - 1) / each;

	return nr * each;
}

/* The size that a ring shows that was made for @bytes: it has two sub-buffers at least. */
static unsigned long ring_kb(unsigned long bytes, unsigned long subbuf)
{
	unsigned long least = 2 * (subbuf * 1024 - 16);

	return whole_bytes(bytes > least ? bytes : least, subbuf) / 1024;
}

/*
 * Change @sizes as an accepted write of @text to @path has to. Returns false if that is not
 * known.
 */
static bool expect_sizes(struct sizes *sizes, const char *path, const char *text)
{
	static const char of_cpu[] = "per_cpu/cpu";
	unsigned long kb = text ? strtoul(text, NULL, 10) : 0, subbuf;
	const char *one = strstr(path, of_cpu);
	int cpu;

	/* It has been closed, which may fail. */
	if (is_named(path, "free_buffer"))
		return false;
	if (is_named(path, "buffer_size_kb")) {
		for (cpu = 0; cpu < CPUS; cpu++) {
			if (!one || atoi(one + strlen(of_cpu)) == cpu)
				sizes->cpu[cpu] = ring_kb(kb * 1024, sizes->subbuf);
		}
		return kb;
	}
	if (is_named(path, "buffer_subbuf_size_kb")) {
		for (subbuf = 4; subbuf < kb; subbuf *= 2)
			;
		/* What is shown is rounded down, by less than a sub-buffer. */
		for (cpu = 0; cpu < CPUS && subbuf != sizes->subbuf; cpu++)
			sizes->cpu[cpu] = ring_kb(whole_bytes(sizes->cpu[cpu] * 1024,
							      sizes->subbuf), subbuf);
		sizes->subbuf = subbuf;
		return kb;
	}
	return true;
}

/* What there was before the action; no @state: it is not checked. */
static struct {
	char *state, *others;
	struct sizes sizes;
	/* Of each instance: its records, and how many each signal of "kill" has to make; or -1 */
	long records[MAX_INSTANCES];
	int per_kill[MAX_INSTANCES];
	bool counts;
	/* The event that is written, or "" */
	char event[64];
	/* The records of a signal, or -1 */
	long of_signal;
	char path[300];
	char dir[64];
	char own[300];
} before;

/* Are the rings as large as the accepted action has made them, which is not, for most files? */
static bool sizes_are_right(const char *line)
{
	struct sizes now, *wanted = &before.sizes;
	int cpu;

	if (!wanted->subbuf || !expect_sizes(wanted, before.path, act_text(line)))
		return true;
	read_sizes(before.dir, &now);
	/* The instance is gone, though a file of it is open. */
	if (!now.subbuf)
		return true;
	if (is_named(before.path, "buffer_size_kb") ||
	    is_named(before.path, "buffer_subbuf_size_kb"))
		compared(CHECK_SIZE);
	if (!memcmp(&now, wanted, sizeof(now)))
		return true;
	printf("# sub-buffers of %lu KB, not %lu\n", now.subbuf, wanted->subbuf);
	for (cpu = 0; cpu < CPUS; cpu++)
		printf("# CPU %d has %lu KB, not %lu\n", cpu, now.cpu[cpu], wanted->cpu[cpu]);
	return false;
}

static void count_begin(const char *event)
{
	int i;

	before.counts = true;
	snprintf(before.event, sizeof(before.event), "%s", event ?: "");

	for (i = 1; i < nr_instances; i++) {
		before.per_kill[i] = state_per_kill(state_dir(i), event);
		before.records[i] = state_records(state_dir(i), true);
	}
}

/* Is a record refused with EBADF just if nothing uses the event? */
static bool takes_what_is_used(long ret)
{
	bool used = user_event_is_used(before.event);

	if ((used || ret <= 0) && (!used || ret != -EBADF))
		return true;
	printf("# a record of %s comes to %ld\n", before.event, ret);
	return false;
}

/* Has each instance just the records that were fired? Those that were lost count, too. */
static bool count_end(int times)
{
	bool right = true;
	long more;
	int i;

	for (i = 1; i < nr_instances; i++) {
		if (before.per_kill[i] < 0 || before.records[i] < 0)
			continue;
		more = state_records(state_dir(i), true) - before.records[i];
		if (before.per_kill[i] && times)
			compared(*before.event ? CHECK_WRITTEN : CHECK_FIRED);
		if (more == (long)before.per_kill[i] * times)
			continue;
		printf("# '%s' has %ld records more, and not %d times %d\n", instances[i], more,
		       times, before.per_kill[i]);
		right = false;
	}
	return right;
}

/* Does it enable several events? If one of them cannot be armed, the others are on nevertheless. */
static bool enables_several(const char *line, const char *path)
{
	const char *text = strrchr(line, ' ');

	return is_named(path, "enable") && !is_of_event(path, "/enable") && text &&
	       (!strcmp(text, " 1") || !strcmp(text, " 1\\n"));
}

/*
 * Does a refused write change something, nevertheless? O_TRUNC empties a list, no matter whether
 * the write that follows is refused; a marker that cannot be read is recorded as "<faulted>".
 */
static bool may_change(const char *line, const char *path, long ret)
{
	static const char * const lists[] = { "set_ftrace", "set_graph", "stack_trace" };
	const char *name = name_of(path);
	size_t i;

	/* The event is there, and belongs to the file, if its bit cannot be written. */
	if (act_registers(line))
		return ret == -EFAULT || ret == -ENOMEM;
	if (ret == -EINVAL && enables_several(line, path))
		return true;
	if (act_took_part() || (act_faults(line) && !strncmp(name, "trace_marker", 12)))
		return true;
	/* ftrace.c does not undo each step if there is no memory for the next. */
	for (i = 0; i < ARRAY_SIZE(lists) && act_may_fail(line); i++) {
		if (!strncmp(name, lists[i], strlen(lists[i])))
			return true;
	}
	return act_truncates(line) && (!strncmp(name, "set_", 4) || !strcmp(name, "trace") ||
				       !strcmp(name, "stack_trace_filter") || defines(path));
}

/* Is it the filter of an event of "kill", or of its system? */
static bool sets_filter(const char *path)
{
	return is_named(path, "filter") &&
	       (strstr(path, "events/signal/") || strstr(path, "events/syscalls/"));
}

/* The number of records that a signal makes in an instance; -1 if others make some, too */
static long records_of_signal(const char *dir)
{
	long records = state_records(dir, true);

	act_fire(1);
	return records < 0 ? -1 : state_records(dir, true) - records;
}

/* Does a filter still let the same records pass? If its file shows an error, it does not tell. */
static bool passes_the_same(void)
{
	long records;

	if (!sets_filter(before.path))
		return true;
	records = records_of_signal(before.dir);
	if (!is_strobe() || before.of_signal < 0)
		return true;
	compared(CHECK_FILTER);
	if (records == before.of_signal)
		return true;
	printf("# a signal makes %ld records, and made %ld before\n", records, before.of_signal);
	return false;
}

void check_begin(const char *line)
{
	const char *path = act_target(line), *event = act_record_event(line);

	if ((act_kills(line) || event) && is_strobe())
		count_begin(event);
	if (!act_is_write(line))
		return;
	snprintf(before.path, sizeof(before.path), "%s", path);
	snprintf(before.dir, sizeof(before.dir), "%s", act_dir(before.path));
	before.own[0] = '\0';
	if (strstr(path, "events/") && (is_named(path, "enable") || is_named(path, "trigger")))
		snprintf(before.own, sizeof(before.own), "%s", path);
	before.of_signal = sets_filter(path) ? records_of_signal(before.dir) : -1;
	before.state = state_text(before.dir, before.own);
	before.others = state_others(before.dir);
	read_sizes(before.dir, &before.sizes);
}

/* Does any other instance have a trigger that changes a setting? */
static bool others_are_live(void)
{
	bool live = false;
	int i;

	for (i = 1; i < nr_instances; i++)
		live |= strcmp(state_dir(i), before.dir) && state_is_live(state_dir(i));
	return live;
}

/* Are all instances as before the write, which was refused? */
static bool is_unchanged(void)
{
	/* It shows the error. */
	const char *but = is_filter(before.path) ? before.path : "";
	char *after = state_text(before.dir, before.own);
	bool differs = state_differs(before.state, after, but, state_is_live(before.dir));

	free(after);
	after = state_others(before.dir);
	differs |= state_differs(before.others, after, "", others_are_live());
	free(after);
	return !differs;
}

/* What is wrong with the records that the action has made, and with bits of events, or NULL */
static const char *wrong_records(const char *line, long ret)
{
	bool counts = before.counts;

	before.counts = false;
	if (counts && *before.event && !takes_what_is_used(ret))
		return "user_events_status does not say whether the event is used";
	if (counts && !count_end(*before.event ? ret > 0 : act_kills(line)))
		return "an instance does not have the records that were fired";
	return user_bits_are_right() ? NULL : "a bit does not say whether its event is used";
}

/* What is wrong with the settings, or NULL */
static const char *wrong_state(const char *line, long ret)
{
	if (ret < 0 && !may_change(line, before.path, ret)) {
		compared(CHECK_REFUSED);
		if (!is_unchanged() || !passes_the_same())
			return "it was refused, and changed";
	} else if (ret >= 0) {
		if (!sizes_are_right(line))
			return "the rings do not have the size that was set";
		if (!reads_back(line, before.path, before.dir))
			return "what it shows is not what was written, or is not accepted";
		if (is_strobe() && defines(before.path) && !definition_reads_back(before.state))
			return "the definition that it shows is not accepted";
	}
	return NULL;
}

const char *check_end(const char *line, long ret)
{
	const char *wrong = wrong_records(line, ret);

	if (!before.state)
		return wrong;
	if (!wrong)
		wrong = wrong_state(line, ret);
	free(before.state);
	free(before.others);
	before.state = NULL;
	return wrong;
}
