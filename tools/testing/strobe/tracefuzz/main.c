// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing of what tracefs, perf and BPF offer of trace events.
 *
 * usage: tracefuzz [-s SEED] [-n ACTIONS] [-b BATCH] [-p PROCESSES] [-F] [-q] [-f FILE] [-c FILE]
 *   -s  the seed that all follows from (1)
 *   -n  how many actions (1000), of which each BATCH (200) begins as after boot
 *   -p  so many processes at once (1), each with a seed of its own; the settings are not
 *       checked then, since each process changes those of the others
 *   -F  allocations fail
 *   -q  only failures are printed, not each action with what it came to
 *   -f  the actions of this file, as they were printed
 *   -c  the batches of this file, then others made of these. With KCOV, those that reach
 *       something new in the kernel are added, and printed with "#+" before each line.
 *
 * Of one process it is checked that a write that is refused changes nothing; that what is
 * shown is accepted again; that each record is where the statistics say; and that all is as
 * before when everything is undone. The exit status is 1 if that is not so.
 * scripts/tracefuzz looks at what the kernel says.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracefuzz.h"

static bool quiet, alone = true, fails;
static int bad;
static long done;
static char *initial;

static void failure(const char *what, const char *line)
{
	printf("# FAILED: %s: %s\n", what, line);
	bad++;
}

/* The file that is written to, or "" */
static const char *target(const char *line)
{
	static char path[300];

	return sscanf(line, "write %299s", path) == 1 ? path : "";
}

/* The filter of one event shows what was refused, and why. */
static bool is_filter(const char *path)
{
	int slashes = 0;

	for (path = strstr(path, "events/"); path && strcmp(path, "/filter"); slashes++)
		path = strchr(path + 1, '/');
	return path && slashes == 3;
}

/* Is text there kept as it was written, or made the same each time? */
static bool is_kept(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	return is_filter(path) || !strcmp(name, "set_event_pid") ||
	       !strcmp(name, "set_event_notrace_pid") || !strcmp(name, "tracing_cpumask");
}

/* Is there a file that open() with O_TRUNC empties, whatever is written then? */
static bool empties(const char *line)
{
	const char *file = strstr(line, "set_event");

	return file && file[strcspn(file, " ")] && !strncmp(file + strcspn(file, " "), " t", 2);
}

/*
 * One action, with what has to hold of it. What it reaches first is added to @found.
 * Returns whether there was anything.
 */
static bool step(const char *line, struct places *found)
{
	const char *dir = act_dir(line);
	bool watched = alone && act_is_write(line) && !empties(line);
	char *before = watched ? state_text(dir) : NULL, *after;
	bool fresh;
	long ret;

	state_touch(line);
	cover_begin();
	ret = act(line);
	fresh = cover_end(found);
	done++;
	if (!quiet)
		printf("%s\t%ld\n", line, ret > 0 ? 0 : ret);
	if (watched && ret < 0) {
		after = state_text(dir);
		if (state_differs(before, after, is_filter(target(line)) ? target(line) : ""))
			failure("it was refused, and changed", line);
		free(after);
	} else if (watched && is_kept(target(line)) && !state_reads_back(target(line))) {
		failure("what it shows is not accepted", line);
	}
	free(before);
	return fresh;
}

/* All is undone, and as it was. */
static void undo(const char *what)
{
	char dir[64], *now;
	int i;

	act_undo();
	for (i = 1; i < nr_instances && alone; i++) {
		dir[0] = '\0';
		if (*instances[i])
			snprintf(dir, sizeof(dir), "instances/%s/", instances[i]);
		if (!state_accounts(dir))
			failure("records are not where the statistics say", what);
	}
	state_undo();
	if (!alone)
		return;
	now = state_text("");
	if (!initial) {
		initial = now;
		return;
	}
	if (state_differs(initial, now, ""))
		failure("what was undone is not as before", what);
	free(now);
}

/* Print all settings, so that scripts/tracefuzz can compare those of two engines. */
static void show_states(void)
{
	char dir[64], *text, *rest, *line;
	int i;

	/* The first two are the root. */
	for (i = 1; i < nr_instances && alone && !quiet; i++) {
		dir[0] = '\0';
		if (*instances[i])
			snprintf(dir, sizeof(dir), "instances/%s/", instances[i]);
		text = state_text(dir);
		rest = text;
		while ((line = strsep(&rest, "\n"))) {
			if (*line)
				printf("#= %s\n", line);
		}
		free(text);
	}
}

/* All that the batch has done is checked once more, and undone. */
static void end_batch(const char *what)
{
	show_states();
	if (!quiet)
		printf("undo\n");
	if (alone)
		undo(what);
}

/* The actions of a batch from the line @from on: which was the last with something new? */
static int run_batch(const struct batch *batch, int from, struct places *found)
{
	int i, last = 0;

	for (i = from; i < batch->nr; i++) {
		if (step(batch->lines[i], found))
			last = i;
	}
	return last;
}

/* Keep a batch that has reached what none has: the last of its actions that suffice. */
static void keep_batch(const struct batch *batch, const struct places *found, int last)
{
	struct batch part = { .nr = last + 1 };
	int i, size;

	for (i = 0; i <= last; i++)
		part.lines[i] = batch->lines[i];
	for (size = 1; alone && size <= last; size *= 2) {
		cover_run_begin();
		run_batch(&part, last + 1 - size, NULL);
		end_batch("a part of what was kept");
		if (cover_run_reached(found)) {
			memmove(part.lines, part.lines + part.nr - size,
				size * sizeof(part.lines[0]));
			part.nr = size;
			break;
		}
	}
	corpus_add(&part);
	corpus_show(&part);
}

static void try_batch(const struct batch *batch, const char *what)
{
	struct places found = { };
	int last = run_batch(batch, 0, &found);

	end_batch(what);
	if (found.nr)
		keep_batch(batch, &found, last);
}

static void generate_batch(struct rng *rng, struct batch *batch, int size)
{
	struct text line, failing;

	if (corpus_size() && !one_in(rng, 4))
		corpus_mutate(rng, batch, size);
	while (batch->nr < size) {
		generate_action(rng, &line);
		batch_add(batch, line.buf);
	}
	for (size = 0; fails && size < batch->nr; size++) {
		if (!one_in(rng, 3) || !strncmp(batch->lines[size], "fail ", 5))
			continue;
		failing.len = 0;
		add(&failing, "fail %d %s", 1 + below(rng, 40), batch->lines[size]);
		free(batch->lines[size]);
		batch->lines[size] = strdup(failing.buf);
	}
}

static void fuzz(unsigned long long seed, long actions, int size)
{
	struct batch batch = { };
	struct rng rng;
	char what[64];
	long i;

	for (i = 0; i < actions; i += size, seed++) {
		rng.state = seed;
		snprintf(what, sizeof(what), "seed %llu", seed);
		if (!quiet)
			printf("# %s\n", what);
		generate_batch(&rng, &batch, size);
		try_batch(&batch, what);
		batch_clear(&batch);
	}
}

/* Know what the corpus reaches. */
static void try_corpus(void)
{
	int i, nr = corpus_size();

	for (i = 0; i < nr; i++)
		try_batch(corpus_entry(i), "the corpus");
}

static void replay(const char *path)
{
	FILE *from = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!from) {
		perror(path);
		exit(2);
	}
	while (getline(&line, &size, from) > 0) {
		line[strcspn(line, "\n")] = '\0';
		/* What it came to, where it was printed */
		line[strcspn(line, "\t")] = '\0';
		if (!strcmp(line, "undo")) {
			show_states();
			printf("undo\n");
			undo(path);
		} else if (*line && *line != '#') {
			step(line, NULL);
		}
	}
	undo(path);
	free(line);
}

static int many(unsigned long long seed, long actions, int batch, int processes)
{
	int i, status, worst = 0;

	alone = false;
	for (i = 0; i < processes; i++) {
		if (!fork()) {
			cover_open();
			fuzz(seed + i * 1000003ULL, actions / processes, batch);
			act_undo();
			exit(bad > 0);
		}
	}
	while (wait(&status) > 0)
		worst |= status;
	alone = true;
	done = actions;
	state_touch(NULL);
	undo("the end");
	return worst;
}

int main(int argc, char **argv)
{
	unsigned long long seed = 1;
	int option, batch = 200, processes = 1;
	const char *file = NULL, *corpus = NULL;
	bool covers;
	long actions = 1000;

	while ((option = getopt(argc, argv, "s:n:b:p:Fqf:c:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			actions = atol(optarg);
			break;
		case 'b':
			batch = atoi(optarg) < MAX_BATCH ? atoi(optarg) : MAX_BATCH;
			break;
		case 'p':
			processes = atoi(optarg);
			break;
		case 'F':
			fails = true;
			break;
		case 'q':
			quiet = true;
			break;
		case 'f':
			file = optarg;
			break;
		case 'c':
			corpus = optarg;
			break;
		default:
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	if (chdir("/sys/kernel/tracing")) {
		perror("/sys/kernel/tracing");
		return 2;
	}
	act_init(fails);
	generate_init();
	if (!cover_init() || (corpus && !corpus_read(corpus))) {
		perror(corpus);
		return 2;
	}
	covers = corpus && cover_open();
	undo("");
	if (covers)
		try_corpus();
	if (file)
		replay(file);
	else if (processes > 1)
		bad += !!many(seed, actions, batch, processes);
	else
		fuzz(seed, actions, batch);
	cover_show();
	printf("# %ld actions, %d failures\n", done, bad);
	return bad > 0;
}
