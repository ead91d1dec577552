// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing of trace events through tracefs, perf and BPF.
 *
 * usage: tracefuzz [-s SEED] [-n ACTIONS] [-b BATCH] [-p PROCESSES] [-F] [-q] [-l]
 *		    [-1] [-a] [-f FILE] [-c FILE]
 *	  tracefuzz -x: run what probes of user space are put on
 *   -s  the seed of the random numbers (1)
 *   -n  number of actions (1000), in batches of BATCH (200), each of which begins as after boot
 *   -p  number of concurrent processes (1), each with a seed of its own; if there are several,
 *       the settings are not checked, since each process changes those of the others
 *   -F  let allocations fail
 *   -q  print failures only, not each action with its result
 *   -l  with -p, process N prints each of its actions before it does it, with "#N " in front;
 *       N begins at 0
 *   -1  run on CPU 0, with the same pid each time, so that no run differs from another in these
 *   -a  fail if one of the checks below has never compared anything (with one process)
 *   -f  do the actions of this file, as they were printed; with -p, process N those of FILE.N
 *   -c  do the batches of this file, then others made from these. With KCOV, those that reach
 *       new code in the kernel are added, and printed with "#+" before each line.
 *
 * With one process, it is checked that a write that is refused changes nothing, also if one of
 * its allocations failed, or an earlier action has opened the file; that what a file shows is
 * accepted when it is written back; that rings have the size that was set; that the statistics
 * account for each record, and grow by the records that are known to be made; and that all
 * settings and names are as before when everything is undone. The memory is checked with several
 * processes, too. The exit status is 1 if a check fails. scripts/tracefuzz checks the messages of
 * the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracefuzz.h"

static bool quiet, alone = true, fails, logs, all;
static int bad;
/* The number of this process, if there are several */
static int process;
static long done;
/* Memory in use after so many batches, when the kernel has what it keeps for the next ones */
#define WARM_UP 8
#define WARM_UP_SIZE 20
static int undone;
static struct memory memory;
/* Arguments */
static unsigned long long seed = 1;
static int batch_size = 200, processes = 1;
static const char *file, *corpus;
static long actions = 1000;

static void failure(const char *what, const char *line)
{
	printf("# FAILED: %s: %s\n", what, line);
	bad++;
}

/*
 * Count the records of each instance, or with @again, print how many there are more, so that
 * scripts/tracefuzz can compare those of two engines. The first two are both the top instance.
 */
static void count_records(long *records, bool again)
{
	long now;
	int i;

	for (i = 1; i < nr_instances; i++) {
		now = state_records(state_dir(i), false);
		if (again && now >= 0 && records[i] >= 0)
			printf("#r '%s' %ld\n", instances[i], now - records[i]);
		records[i] = now;
	}
}

/*
 * Do one action, and check it. Places that it is the first to reach are added to @found.
 * Returns whether there were any.
 */
static bool step(const char *line, struct places *found)
{
	long ret, records[MAX_INSTANCES];
	bool counted = alone && !quiet && act_is_work(line);
	const char *wrong;
	bool fresh;

	/* Before the action, since the kernel may crash in it. */
	if (logs && !alone)
		printf("#%d %s\n", process, line);
	state_touch(line);
	if (alone)
		check_begin(line);
	if (counted)
		count_records(records, false);
	cover_begin();
	ret = act(line);
	fresh = cover_end(found);
	done++;
	if (!quiet)
		printf("%s\t%ld\n", line, ret > 0 ? 0 : ret);
	if (alone)
		user_settle();
	if (counted)
		count_records(records, true);
	wrong = alone ? check_end(line, ret) : NULL;
	if (wrong)
		failure(wrong, line);
	return fresh;
}

/* Compare a state with what there was at the first call, and free it. */
static void compare(char **initial, char *now, const char *what)
{
	if (!*initial) {
		*initial = now;
		return;
	}
	if (state_differs(*initial, now, "", false))
		failure("what was undone is not as before", what);
	free(now);
}

/* Undo everything, and check that all settings are as they were. */
static void undo(const char *what)
{
	static char *top, *kept, *names;
	int i;

	act_undo();
	for (i = 1; i < nr_instances && alone; i++) {
		if (!state_accounts(state_dir(i)))
			failure("records are not where the statistics say", what);
	}
	state_undo();
	if (!alone)
		return;
	if (++undone == WARM_UP)
		memory_read(&memory);
	compare(&top, state_text("", ""), what);
	if (nr_instances == MAX_INSTANCES)
		compare(&kept, state_text("instances/" KEPT "/", ""), what);
	compare(&names, state_names(), what);
}

/* Has memory gone that the warmed-up kernel still had? kmemleak does not see pages of rings. */
static void check_memory(void)
{
	if (undone <= WARM_UP || memory_is_unknown())
		return;
	compared(CHECK_MEMORY);
	if (memory_is_gone(&memory, processes))
		failure("memory is gone", "the end");
}

/* Of more text of records, the start is compared. */
#define MOST_TEXT (1024 * 1024)

/* Is it the text of a record that only actions make? */
static bool is_shown(const char *line)
{
	const char *name;
	int i;

	for (i = 0; i < nr_quiet_events; i++) {
		name = strchr(quiet_events[i], ':') + 1;
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			return true;
	}
	return is_user_record(line);
}

/*
 * Print the records that an instance still has, as texts without tasks and times, so that
 * scripts/tracefuzz can compare those of two engines.
 */
static void show_records(int instance)
{
	static const char * const options[] = {
		"nocontext-info", "noraw", "nohex", "nobin", "nofields", "noblock", "noverbose",
	};
	char path[80], *text, *rest, *line;
	size_t i;

	if (!state_has_all(state_dir(instance)))
		return;
	snprintf(path, sizeof(path), "%strace_options", state_dir(instance));
	for (i = 0; i < ARRAY_SIZE(options); i++)
		file_put(path, options[i]);
	/* Reading may fire events. */
	snprintf(path, sizeof(path), "%stracing_on", state_dir(instance));
	file_put(path, "0");
	snprintf(path, sizeof(path), "%strace_pipe", state_dir(instance));
	text = file_start(path, MOST_TEXT);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (is_shown(line))
			printf("#t '%s' %s\n", instances[instance], line);
	}
	free(text);
}

/* Print all settings and records, so that scripts/tracefuzz can compare those of two engines. */
static void show_states(void)
{
	char *text, *rest, *line;
	int i;

	/* The first two are both the top instance. */
	for (i = 1; i < nr_instances && alone && !quiet; i++) {
		text = state_text(state_dir(i), "");
		rest = text;
		while ((line = strsep(&rest, "\n"))) {
			if (*line && !state_is_count(line))
				printf("#= %s\n", line);
		}
		free(text);
		show_records(i);
	}
}

/* Check the state after a batch, and undo the batch. */
static void end_batch(const char *what)
{
	show_states();
	if (!quiet)
		printf("undo\n");
	if (alone)
		undo(what);
}

/* Do the actions of a batch from the line @from on. Returns the last one with new places. */
static int run_batch(const struct batch *batch, int from, struct places *found)
{
	int i, last = 0;

	for (i = from; i < batch->nr; i++) {
		if (step(batch->lines[i], found))
			last = i;
	}
	return last;
}

/* Add a batch to the corpus, reduced to the last of its actions that still reach @found. */
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

static void generate_batch(struct rng *rng, struct batch *batch, int size, int number)
{
	struct text line, failing;
	int sure;

	add_opening(batch, number);
	sure = batch->nr;
	/* So that the others find what they act on. */
	if (one_in(rng, 2)) {
		batch_add(batch, "open 12 b user_events_data");
		batch_add(batch, "register 12 28 4:0 0 0 fz2 __data_loc char[] s; u64 x");
		batch_add(batch, "register 12 28 4:0 1 1 fz3 u16 n; __rel_loc char[] s");
		batch_add(batch, "register 12 28 4:9 1 2 fz1 int n; char[6] text");
		batch_add(batch, "write events/user_events/enable t 1");
	}
	if (one_in(rng, 2))
		batch_add(batch, "mkdir instances/a");
	if (one_in(rng, 2))
		batch_add(batch, "open 0 r per_cpu/cpu0/trace_pipe_raw");
	if (one_in(rng, 3)) {
		batch_add(batch, one_in(rng, 2) ?
			  "write events/signal/signal_generate/enable t 1" :
			  "write instances/a/events/syscalls/sys_exit_kill/enable t 1");
		batch_add(batch, "kill 7");
	}
	if (corpus_size() && !one_in(rng, 4))
		corpus_mutate(rng, batch, size);
	while (batch->nr < size) {
		generate_action(rng, batch, &line);
		batch_add(batch, line.buf);
	}
	for (size = sure; fails && size < batch->nr; size++) {
		if (!one_in(rng, 3) || !strncmp(batch->lines[size], "fail ", 5))
			continue;
		failing.len = 0;
		add(&failing, "fail %d %s", 1 + below(rng, 40), batch->lines[size]);
		free(batch->lines[size]);
		batch->lines[size] = strdup(failing.buf);
	}
}

static void fuzz(unsigned long long seed, long actions)
{
	struct batch batch = { };
	struct rng rng;
	char what[64];
	long i;

	for (i = 0; i < actions; i += batch_size, seed++) {
		rng.state = seed;
		snprintf(what, sizeof(what), "seed %llu", seed);
		if (!quiet)
			printf("# %s\n", what);
		generate_batch(&rng, &batch, batch_size, i / batch_size);
		try_batch(&batch, what);
		batch_clear(&batch);
	}
}

/* Find out what the corpus reaches. */
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
		/* Remove the result, if the action was printed with one. */
		line[strcspn(line, "\t")] = '\0';
		if (!strcmp(line, "undo")) {
			show_states();
			printf("undo\n");
			undo(path);
		} else if (*line && *line != '#') {
			step(line, NULL);
		}
	}
	if (alone)
		undo(path);
	free(line);
	fclose(from);
}

/* So many actions of which some fail in an allocation, if one in three is to */
#define ENOUGH 100

static void check_injected(void)
{
	if (fails && !file && done >= ENOUGH && !act_injected())
		failure("no allocation has failed", "the end");
}

static int many(void)
{
	int i, status, worst = 0;
	char own[300];

	alone = false;
	for (i = 0; i < processes; i++) {
		if (!fork()) {
			process = i;
			cover_open();
			snprintf(own, sizeof(own), "%s.%d", file ?: "", i);
			if (file)
				replay(own);
			else
				fuzz(seed + i * 1000003ULL, actions / processes);
			check_injected();
			act_undo();
			exit(bad > 0);
		}
	}
	while (wait(&status) > 0) {
		worst |= status;
		if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
			continue;
		snprintf(own, sizeof(own), "status 0x%x", status);
		failure("a process has crashed, or given up", own);
	}
	alone = true;
	done = actions;
	state_touch(NULL);
	undo("the end");
	return worst;
}

/* Let the kernel allocate what it keeps, and read how much memory is in use then. */
static void warm_up(void)
{
	bool was_quiet = quiet;
	int size = batch_size;

	quiet = true;
	batch_size = WARM_UP_SIZE;
	fuzz(0, (WARM_UP - undone) * WARM_UP_SIZE);
	batch_size = size;
	quiet = was_quiet;
}

/* With -1 */
#define FIRST_PID 30000

/* Go on in a child with a known pid, on CPU 0. Its exit status is that of this process. */
static void stay(void)
{
	pid_t pid = FIRST_PID;
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};
	cpu_set_t first;
	int status;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		perror("clone3");
	if (pid)
		exit(pid < 0 || waitpid(pid, &status, 0) < 0 || status);
}

static bool parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:n:b:p:Fql1af:c:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			actions = atol(optarg);
			break;
		case 'b':
			batch_size = atoi(optarg) < MAX_BATCH ? atoi(optarg) : MAX_BATCH;
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
		case 'l':
			logs = true;
			break;
		case '1':
			stay();
			break;
		case 'a':
			all = true;
			break;
		case 'f':
			file = optarg;
			break;
		case 'c':
			corpus = optarg;
			break;
		default:
			return false;
		}
	}
	return true;
}

static void run(void)
{
	if (corpus && cover_open()) {
		undo("");
		try_corpus();
	} else {
		undo("");
	}
	if (processes > 1) {
		warm_up();
		bad += !!many();
	} else if (file) {
		replay(file);
	} else {
		fuzz(seed, actions);
		check_injected();
	}
	check_memory();
	cover_show();
}

/* Has each check compared something? A run in which it did not shows nothing. */
static void check_compared(void)
{
	const char *name;
	int i;

	/* Some are about Strobe only. */
	for (i = 0; i < NR_CHECKS && is_strobe(); i++) {
		name = compared_never(i);
		if (name)
			failure("nothing was compared", name);
	}
}

int main(int argc, char **argv)
{
	/* This is what the verb "exec" runs. */
	if (argc == 2 && !strcmp(argv[1], "-x")) {
		dynamic_fire();
		return 0;
	}
	if (!parse(argc, argv))
		return 2;
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
	run();
	if (all && alone && processes == 1)
		check_compared();
	compared_show();
	printf("# %ld actions, %d failures\n", done, bad);
	return bad > 0;
}
