// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "failing.h"
#include "failing_step.h"
#include "tracefs.h"

/* The state that is compared: the text of these files, and the names of all instances */
static const char * const state_files[] = {
	"set_event", "saved_cmdlines_size", "options/trace_printk_dest",
	A "set_event", A "set_event_pid", A "set_event_notrace_pid",
	A "tracing_on", A "buffer_size_kb", A "per_cpu/cpu0/buffer_size_kb",
	A "buffer_subbuf_size_kb", A "buffer_total_size_kb", A "buffer_percent",
	A "trace_clock", A "trace_options", A "tracing_cpumask", A "current_tracer",
	A "snapshot", A "error_log", A "timestamp_mode", A "events/enable",
	A "events/sched/enable", A "events/sched/filter", A "events/syscalls/enable",
	SWITCH "enable", SWITCH "filter", SWITCH "trigger",
	A "events/sched/sched_waking/enable", A "events/sched/sched_waking/filter",
	A "events/sched/sched_waking/trigger", A "events/sched/sched_process_fork/filter",
	A "events/syscalls/sys_enter_close/enable", A "events/syscalls/sys_enter_close/filter",
	A "events/ftrace/print/trigger", A "set_ftrace_filter", A "set_ftrace_pid",
	A "set_ftrace_notrace_pid", A "options/function-fork",
	"dynamic_events", "events/k/t/format", "events/k/t/enable", A "events/k/t/enable",
};

/* With KASAN the state is compared in one of so many rounds. */
#define KASAN_ROUNDS 8

#define NR_STATE (ARRAY_SIZE(state_files) + 1)

static_assert(NR_STATE <= STATE_MAX, "struct state is too small");

static char *instances_text(void)
{
	char path[PATH_MAX], *text = calloc(1, 4096);
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", tfs_root());
	dir = opendir(path);
	while (text && dir && (d = readdir(dir)) && strlen(text) < 2048) {
		strcat(text, d->d_name);
		strcat(text, " ");
	}
	if (dir)
		closedir(dir);
	return text;
}

void state_get(struct state *state)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(state_files); i++)
		state->text[i] = tfs_text("%s", state_files[i]) ?: strdup(strerror(errno));
	state->text[i] = instances_text();
}

void state_put(struct state *state)
{
	unsigned int i;

	for (i = 0; i < NR_STATE; i++)
		free(state->text[i]);
}

bool state_is(const struct state *was, const char *what, int nth)
{
	bool same = true;
	struct state is;
	unsigned int i;

	/* Reading the state takes most of a round, and a kernel with KASAN is slow. */
	if (has_kasan() && nth % KASAN_ROUNDS)
		return true;
	state_get(&is);
	for (i = 0; i < NR_STATE; i++) {
		if (!strcmp(was->text[i], is.text[i]))
			continue;
		same = false;
		ksft_print_msg("%s, %d: %s was \"%.70s\", is \"%.70s\"\n", what, nth,
			       i < ARRAY_SIZE(state_files) ? state_files[i] : "instances",
			       was->text[i], is.text[i]);
	}
	state_put(&is);
	return same;
}

static int ring_size(const struct step *step)
{
	return step->resize ? tfs_write("100", A "buffer_size_kb") : 0;
}

static int step_begin(const struct step *step)
{
	int ret = 0;

	if (step->first)
		ret = tfs_append(step->first, "%s", step->first_file ?: step->file);
	return ret ?: ring_size(step);
}

static int step_undo(const struct step *step)
{
	const char *file = step->undo_file ?: step->file;
	int ret = 0;

	/* Opening a file of definitions with O_TRUNC would remove all others, too. */
	if (step->undo && *step->undo == '-')
		ret = tfs_append(step->undo, "%s", file);
	else if (step->undo)
		ret = tfs_write(step->undo, "%s", file);
	return ret ?: ring_size(step);
}

int step_write(const struct step *step, int nth, bool *failed)
{
	int fd = tfs_open(O_WRONLY, "%s", step->file);
	int ret;

	if (fd < 0)
		return fd;
	fail_begin(nth);
	ret = fd_write(fd, step->text);
	*failed = fail_end();
	close(fd);
	return ret;
}

static bool step_tell(const struct step *step, int nth, const char *what, int ret)
{
	ksft_print_msg("%s to %s, %d: %s: %d\n", step->text, step->file, nth, what, ret);
	return false;
}

static int step_next(const struct step *step, int nth)
{
	return nth < 40 || !step->stride ? nth + 1 : nth + step->stride;
}

/* Let each allocation fail once. @before, @after: the state without and with the step. */
static bool step_fail_each(const struct step *step, const struct state *before,
			   const struct state *after)
{
	bool failed = true, good = true;
	int nth, ret, refused = 0;

	for (nth = 1; failed && good; nth = step_next(step, nth)) {
		ret = step_write(step, nth, &failed);
		if (!ret) {
			/* It can do without the nth allocation, or makes fewer. */
			good = state_is(after, step->file, nth);
			ret = step_undo(step);
			if (ret)
				good = step_tell(step, nth, "undoing it", ret);
		} else if (!failed || ret != -ENOMEM) {
			good = step_tell(step, nth, "writing it", ret);
		} else {
			refused++;
		}
		if (!state_is(before, step->file, nth))
			good = false;
	}
	ksft_print_msg("%s to %s: %d times refused, of %d\n", step->text, step->file, refused,
		       nth - 2);
	if (step->frugal != !refused)
		good = step_tell(step, 0, "times refused", refused);
	return good;
}

bool step_test(const struct step *step)
{
	struct state before, after;
	bool good = false, failed;
	int ret;

	ret = step_begin(step);
	if (ret)
		return step_tell(step, 0, "writing what comes before", ret);
	state_get(&before);
	ret = step_write(step, 0, &failed);
	state_get(&after);
	if (ret)
		step_tell(step, 0, "writing it", ret);
	else if (step_undo(step))
		step_tell(step, 0, "undoing it", 0);
	else if (state_is(&before, step->file, 0))
		good = step_fail_each(step, &before, &after);
	state_put(&before);
	state_put(&after);
	return good;
}

bool steps_test(const struct step *steps, unsigned int nr)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < nr; i++)
		good &= step_test(&steps[i]);
	return good;
}
