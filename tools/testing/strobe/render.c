// SPDX-License-Identifier: GPL-2.0
/*
 * Prints records of every event, and their text under sets of options. For scripts/render,
 * which compares the output of two engines.
 *
 * usage: render [-EVENT.FIELD...] [-EVENT...] [SYSTEM...]	in the tracing directory
 *	-EVENT.FIELD	this field stays zero
 *	-EVENT		of its injected records, the bytes are compared, but not the text
 *	SYSTEM		only events of these systems
 * EVENT and FIELD may be shell patterns.
 *
 * Records are made by the inject files, which need CONFIG_TRACE_EVENT_INJECT: one of each
 * event for each pattern of values. The module strobe_emit, which has to be loaded, makes those
 * with arrays, and those that are not events; so do trace_marker and trace_marker_raw. The
 * output has sections, each after a line "@@ NAME": the result of each write, what is left out,
 * the files trace and trace_pipe for each set of options, and the header and the bytes of each
 * page and record. If the kernel refuses an option, that is an error.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render.h"

#define EVENTS	8192
#define BUFFER_KB "32768"

static const char * const names[PATTERNS] = {
	"zero", "one", "ones", "low", "high", "small", "text",
};

static struct event events[EVENTS];
static int nr_events;

/* Number of things left out */
static int nr_no_text, nr_no_inject, nr_zero, nr_unsettable, nr_blanked, nr_cut, nr_no_emit;

void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Read up to 64 KB of a file. Returns a string to be freed, or NULL. */
char *text_of(const char *path)
{
	size_t size = 65536, len = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY);
	ssize_t got;

	if (fd < 0 || !text)
		return NULL;
	while ((got = read(fd, text + len, size - len - 1)) > 0)
		len += got;
	close(fd);
	text[len] = '\0';
	return text;
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

bool is_dynamic(const struct field *f)
{
	return strstr(f->type, "__data_loc") || strstr(f->type, "__rel_loc");
}

/* As filters know it: an array of characters, or a pointer to characters that is no user's */
bool is_string(const struct field *f)
{
	if (strchr(f->type, '['))
		return strstr(f->type, "char");
	return !strcmp(f->type, "char * ") || !strcmp(f->type, "const char * ");
}

/* Parse the field at @line of a format. */
static bool field_of(const char *line, struct field *f)
{
	const char *end = strchr(line, ';'), *name;
	char *bracket;

	if (strncmp(line, "\tfield:", 7) || !end)
		return false;
	line += 7;
	for (name = end; name > line && name[-1] != ' '; name--)
		;
	if (name - line >= (int)sizeof(f->type) || end - name >= (int)sizeof(f->name))
		return false;
	snprintf(f->type, sizeof(f->type), "%.*s", (int)(name - line), line);
	snprintf(f->name, sizeof(f->name), "%.*s", (int)(end - name), name);
	bracket = strchr(f->name, '[');
	if (bracket) {
		strcat(f->type, "[]");
		*bracket = '\0';
	}
	return sscanf(end, "; offset:%d; size:%d; signed:%d;", &f->offset, &f->size,
		      &f->is_signed) == 3;
}

/* Does inject take a value for the field? Not for a dynamic field, unless it is a string. */
bool is_settable(const struct field *f)
{
	return is_string(f) || (!is_dynamic(f) && f->size <= 8 && !(f->size & (f->size - 1)));
}

/* The numbers of system calls, by the names of their events: lines of "NAME NUMBER" */
static const char *calls = "";

/*
 * Get the number of the system call of an event, or 0 if it is not known. Classic prints a
 * record of a system call by the number in it, which has to be that of its event.
 */
static int call_number(const char *event)
{
	char name[100];
	const char *at;

	snprintf(name, sizeof(name), "\n%s ", event + strcspn(event + 4, "_") + 5);
	at = strstr(calls, name);
	return at ? atoi(at + strlen(name)) : 0;
}

/* Print the value to inject for field @nr of a record in pattern @pattern. */
static void value_of(char *value, size_t size, const struct field *f, int pattern, int nr)
{
	static const char * const strings[PATTERNS] = {
		"''", "'a'", "'%s%n%p\\t'", "'0'", "'12345678901234567890'", "'eth0'",
		"'/usr/lib/modules/a name that goes on for longer than any field has room, /so/that/it/is/cut/in/the/ones/that/have/a/size/and/kept/whole/in/those/that/have/none'",
	};
	unsigned long long low = f->is_signed ? 1ULL << (f->size * 8 - 1) : 0x5a5a5a5a5a5a5a5aULL;

	if (is_string(f))
		snprintf(value, size, "%s", strings[pattern]);
	else if (!strcmp(names[pattern], "one"))
		snprintf(value, size, "1");
	else if (!strcmp(names[pattern], "ones"))
		snprintf(value, size, f->is_signed ? "-1" : "0xffffffffffffffff");
	else if (!strcmp(names[pattern], "low"))
		snprintf(value, size, f->is_signed ? "-%llu" : "0x%llx", low);
	else if (!strcmp(names[pattern], "high"))
		snprintf(value, size, "%llu", (1ULL << (f->size * 8 - 1)) - f->is_signed);
	else
		snprintf(value, size, "%d", nr + 2);
}

/* The arguments of the command line */
static char **words;

static bool is_word(const char *text)
{
	char **word;

	for (word = words; *word; word++) {
		if (!fnmatch(*word, text, 0))
			return true;
	}
	return false;
}

bool stays_zero(const char *event, const char *field)
{
	char name[600];

	snprintf(name, sizeof(name), "-%s.%s", event, field);
	return is_word(name);
}

static bool has_no_text(const char *event)
{
	char name[300];

	snprintf(name, sizeof(name), "-%s", event);
	return is_word(name);
}

static bool wanted(const char *system)
{
	bool some = false;
	char **word;

	for (word = words; *word; word++) {
		some |= **word != '-';
		if (!strcmp(system, *word))
			return true;
	}
	return !some;
}

/* Get the next field of a format after *@at, and advance *@at to it. */
bool next_field(const char **at, struct field *f)
{
	while (*at && (*at = strchr(*at, '\n'))) {
		if (field_of(++*at, f))
			return true;
	}
	return false;
}

const char *own_fields(const char *format)
{
	return strstr(format, "\n\n");
}

/* Make the text to write to inject: the values of all fields of a record. */
static char *line_of(const char *event, const char *format, int pattern)
{
	char line[4000] = " ", value[300];
	const char *at = own_fields(format);
	struct field f;
	size_t len = 0;
	int nr = 0;

	while (next_field(&at, &f)) {
		if (!is_settable(&f) || stays_zero(event, f.name))
			continue;
		if (!strcmp(f.name, "__syscall_nr"))
			snprintf(value, sizeof(value), "%d", call_number(event));
		else if (pattern)
			value_of(value, sizeof(value), &f, pattern, nr++);
		else
			continue;
		if (len + strlen(f.name) + strlen(value) + 3 > sizeof(line)) {
			nr_cut++;
			break;
		}
		len += snprintf(line + len, sizeof(line) - len, "%s=%s ", f.name, value);
	}
	return strdup(line);
}

/*
 * Set the fields of which bytes are not compared: pointers to strings of the kernel, and where
 * an array without elements is. Counts the fields that are left out.
 */
static void blank_fields(struct event *event, const char *name, const char *format)
{
	const char *at = own_fields(format);
	struct field f;

	while (next_field(&at, &f)) {
		event->has_fields = true;
		nr_zero += stays_zero(name, f.name);
		nr_unsettable += !is_settable(&f);
		if (is_dynamic(&f) ? is_string(&f) : !is_string(&f) || !strchr(f.type, '*'))
			continue;
		nr_blanked++;
		if (event->nr_blank == (int)(sizeof(event->blank) / sizeof(*event->blank))) {
			fprintf(stderr, "%s has too many pointers\n", event->name);
			exit(1);
		}
		event->blank[event->nr_blank++] = (struct blank) { f.offset, is_dynamic(&f) };
	}
}

int by_name(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static void add_event(const char *system, const char *name)
{
	struct event *event = &events[nr_events];
	char path[600], *format, *id;
	int pattern;

	snprintf(path, sizeof(path), "events/%s/%s/inject", system, name);
	event->inject = open(path, O_WRONLY);
	if (event->inject < 0) {
		nr_no_inject++;
		return;
	}
	event->no_text = has_no_text(name);
	nr_no_text += event->no_text;
	snprintf(event->name, sizeof(event->name), "%.90s:%.90s", system, name);
	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	format = text_of(path);
	snprintf(path, sizeof(path), "events/%s/%s/id", system, name);
	id = text_of(path);
	if (!format || !id)
		die(path);
	event->id = atoi(id);
	for (pattern = 0; pattern < PATTERNS; pattern++)
		event->line[pattern] = line_of(name, format, pattern);
	for (pattern = 0; pattern < EMIT_PATTERNS && emit_is_needed(format); pattern++) {
		event->emitted[pattern] = emit_record(event->name, name, format, pattern);
		nr_no_emit += !event->emitted[pattern].bytes;
	}
	blank_fields(event, name, format);
	free(format);
	free(id);
	if (++nr_events == EVENTS)
		exit(1);
}

static void find_events(void)
{
	struct dirent **systems, **list;
	int nr_systems = scandir("events", &systems, NULL, by_name), nr, i, j;
	char path[300];

	for (i = 0; i < nr_systems; i++) {
		snprintf(path, sizeof(path), "events/%s", systems[i]->d_name);
		if (systems[i]->d_name[0] == '.')
			continue;
		nr = scandir(path, &list, NULL, by_name);
		for (j = 0; j < nr; j++) {
			/* Skip the files of the system itself. */
			if (list[j]->d_name[0] != '.' && list[j]->d_type == DT_DIR &&
			    wanted(systems[i]->d_name))
				add_event(systems[i]->d_name, list[j]->d_name);
		}
	}
}

/*
 * Inject one record of each event and pattern. With @said, print the results; without, the
 * records are for the text, so events without text are skipped.
 */
static void inject(bool said)
{
	int i, pattern;
	ssize_t ret;

	for (i = 0; i < nr_events; i++) {
		if (!said && events[i].no_text)
			continue;
		for (pattern = 0; pattern < PATTERNS; pattern++) {
			const char *line = events[i].line[pattern];

			ret = pwrite(events[i].inject, line, strlen(line), 0);
			if (said)
				printf("%s %s %d\n", events[i].name, names[pattern],
				       ret < 0 ? -errno : 0);
		}
	}
}

/* The file of the module strobe_emit */
static int emit_file;

/*
 * Make the records with arrays. @said: as for inject(). Without it, an event that inject() skips
 * gets no record with empty arrays, as it prints the first bytes of an array in any case.
 */
static void emit(bool said)
{
	int i, pattern;
	ssize_t ret;

	for (i = 0; i < nr_events; i++) {
		for (pattern = 0; pattern < EMIT_PATTERNS; pattern++) {
			const struct emitted *record = &events[i].emitted[pattern];

			if (!record->bytes || (!said && events[i].no_text && pattern == EMIT_EMPTY))
				continue;
			ret = write(emit_file, record->bytes, record->len);
			if (said)
				printf("%s %s %d\n", events[i].name, emit_names[pattern],
				       ret < 0 ? -errno : 0);
		}
	}
}

static void mark(const char *path, const char *text, size_t len, bool said)
{
	int fd = open(path, O_WRONLY);
	ssize_t ret;

	if (fd < 0)
		die(path);
	ret = write(fd, text, len);
	if (said)
		printf("%s %zu %zd\n", path, len, ret < 0 ? -errno : ret);
	close(fd);
}

/* Make records that are not events. */
static void mark_all(bool said)
{
	static const char * const texts[] = {
		"a line\n", "no end of line", "", "\n", "%s %d %n\n",
	};
	static const size_t lengths[] = { 0, 3, 4, 5, 8, 29, 113, 1000, 3000 };
	static char bytes[5000], raw[3000];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = 'a' + i % 23;
	memcpy(raw, bytes, sizeof(raw));
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		mark("trace_marker", texts[i], strlen(texts[i]), said);
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		mark("trace_marker", bytes, lengths[i], said);
		/* A raw marker begins with a number. Its length tells it from the others. */
		memcpy(raw, &lengths[i], sizeof(int));
		mark("trace_marker_raw", raw, lengths[i], said);
	}
	mark("trace_marker", bytes, sizeof(bytes), said);
}

static void mark_with(const char *word)
{
	if (write(emit_file, word, strlen(word) + 1) < 0)
		die("strobe_emit");
}

/* From now on, run on this CPU. */
static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* Records of two CPUs, which readers merge. */
static void mark_on_both(void)
{
	static const char * const texts[] = {
		"the second CPU\n", "the first CPU\n", "the second CPU once more\n", "the end\n",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		run_on(!(i % 2));
		mark("trace_marker", texts[i], strlen(texts[i]), false);
	}
}

static void section(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("\n@@ ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
}

/* Print a file up to its end, or until no more data is available. */
static void show(const char *path)
{
	static char buf[65536];
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ssize_t got;

	if (fd < 0)
		die(path);
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, got, stdout);
	close(fd);
}

/*
 * The same with option bin, whose records begin with 16 bytes, unless there is no context. Prints
 * these as text, without the time.
 */
static void show_binary(const char *path, bool context)
{
	static char buf[1 << 24];
	char *at = buf, *end = buf, *line_end;
	int fd = open(path, O_RDONLY | O_NONBLOCK), task[2];
	ssize_t got;

	if (fd < 0)
		die(path);
	while ((got = read(fd, end, buf + sizeof(buf) - end)) > 0)
		end += got;
	close(fd);
	for (; at < end; at = line_end) {
		if (context && memcmp(at, "# ", 2) && memcmp(at, "#\n", 2)) {
			memcpy(task, at, sizeof(task));
			printf("%s %d ", task[0] == getpid() ? "own" : "other", task[1]);
			at += 16;
		}
		line_end = at < end ? memchr(at, '\n', end - at) : NULL;
		line_end = line_end ? line_end + 1 : end;
		if (at < line_end)
			fwrite(at, 1, line_end - at, stdout);
	}
}

/*
 * Record everything with the options @list. @said: as for inject(). In classic no user stack
 * follows trace_printk(), so there is none to compare.
 */
static void fill(const char *list, bool said)
{
	put("trace", "\n");
	put("tracing_on", "1");
	inject(said);
	if (said)
		section("emitted");
	emit(said);
	if (said)
		section("marked");
	mark_all(said);
	mark_on_both();
	if (!strstr(list, "userstacktrace"))
		mark_with("printk");
}

/* Sets of options that differ from those at boot, separated by spaces */
static const char * const options[] = {
	"", "raw nocontext-info", "hex nocontext-info", "bin nocontext-info", "fields",
	"fields nohash-ptr", "verbose", "latency-format", "verbose latency-format",
	"sym-offset", "sym-addr", "sym-offset sym-addr verbose", "nohash-ptr", "nocontext-info",
	"noirq-info", "record-tgid", "noprint-parent", "raw fields", "hex", "raw",
	"userstacktrace", "userstacktrace sym-userobj", "userstacktrace verbose",
	"bin", "hex verbose", "fields latency-format", "printk-msg-only", "printk-msg-only raw",
	"stacktrace", "stacktrace sym-offset sym-addr", "stacktrace fields",
};

static void set_options(const char *list, bool undo)
{
	char word[64], *copy = strdup(list), *rest = copy, *next;

	while ((next = strsep(&rest, " "))) {
		if (!*next)
			continue;
		if (!undo)
			snprintf(word, sizeof(word), "%s", next);
		else if (!strncmp(next, "no", 2))
			snprintf(word, sizeof(word), "%s", next + 2);
		else
			snprintf(word, sizeof(word), "no%s", next);
		if (put("trace_options", word)) {
			fprintf(stderr, "the option %s is refused\n", word);
			exit(1);
		}
	}
	free(copy);
}

static void render(const char *list)
{
	set_options(list, false);
	fill(list, false);
	mark_with("stack");
	put("tracing_on", "0");
	section("trace %s", list);
	if (strstr(list, "bin"))
		show_binary("trace", !strstr(list, "nocontext"));
	else
		show("trace");
	section("trace_pipe %s", list);
	if (strstr(list, "bin"))
		show_binary("trace_pipe", !strstr(list, "nocontext"));
	else
		show("trace_pipe");
	set_options(list, true);
}

const struct event *event_of(int id)
{
	int i;

	for (i = 0; i < nr_events; i++) {
		if (events[i].id == id)
			return &events[i];
	}
	fprintf(stderr, "no event has number %d\n", id);
	exit(1);
}

/*
 * The two kinds of stacks. Memory that held other records has bytes of theirs after the end of
 * a record, so the bytes of the other records are not compared.
 */
static void show_raw_stacks(void)
{
	set_options("userstacktrace", false);
	fill("userstacktrace", false);
	put("tracing_on", "0");
	set_options("userstacktrace", true);
	section("raw userstacktrace");
	show_raw((struct shown) { .size = true });

	/* The number of the kernel's frames depends on the engine. */
	put("trace", "\n");
	put("tracing_on", "1");
	mark_with("stack");
	put("tracing_on", "0");
	section("raw stack");
	show_raw((struct shown) { });
}

/* On each CPU, make more records than a small buffer has room for. */
static void overwrite(void)
{
	int i, cpu;

	put("trace", "\n");
	put("tracing_on", "1");
	for (cpu = 0; cpu < 2; cpu++) {
		run_on(cpu);
		for (i = 0; i < 2000; i++)
			mark("trace_marker", "a record that is lost\n", 22, false);
	}
	run_on(0);
	put("tracing_on", "0");
}

/* How many records are left depends on the engine, so their lines are not printed. */
static void show_annotations(const char *list)
{
	FILE *trace;
	char line[256];

	set_options(list, false);
	section("annotations %s", list);
	trace = fopen("trace", "r");
	if (!trace)
		die("trace");
	while (fgets(line, sizeof(line), trace)) {
		if (!strncmp(line, "#####", 5))
			fputs(line, stdout);
	}
	fclose(trace);
	set_options(list, true);
}

static void show_lost(void)
{
	if (put("buffer_size_kb", "8"))
		die("buffer_size_kb");
	overwrite();
	show_annotations("");
	show_annotations("noannotate");
	section("raw lost");
	show_lost_pages();
	overwrite();
	section("trace_pipe lost");
	show_lost_line();
	put("trace", "\n");
	if (put("buffer_size_kb", BUFFER_KB))
		die("buffer_size_kb");
}

/* Sleep some times while the event of the file @enable is on. */
static void sleep_recorded(const char *enable)
{
	int i;

	if (put(enable, "1"))
		die(enable);
	for (i = 0; i < 20; i++)
		usleep(1000);
	if (put(enable, "0"))
		die(enable);
}

/*
 * Make the engine record the names and thread groups of tasks: an event is on in an instance, and
 * this process sleeps some times, since a name is saved at a switch after a record.
 */
static void record_tasks(void)
{
	if (mkdir("instances/switches", 0700) ||
	    put("instances/switches/trace_options", "record-tgid"))
		die("instances/switches");
	sleep_recorded("instances/switches/events/sched/sched_switch/enable");
}

/* Sleep while an event is on; then make one record, and show it. */
static void record_and_show(void)
{
	put("tracing_on", "1");
	sleep_recorded("events/sched/sched_switch/enable");
	put("trace", "\n");
	mark("trace_marker", "by a new process\n", 17, false);
	put("tracing_on", "0");
	show("trace");
}

/*
 * Show a record of a new process: its name was saved, but not without the option record-cmd. Nor
 * may trace_printk() be on, which has names saved, too.
 */
static void show_name(const char *list)
{
	int pid;

	set_options(list, false);
	section("names %s", list);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		record_and_show();
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	set_options(list, true);
}

int main(int, char **argv)
{
	struct rlimit files = { EVENTS + 64, EVENTS + 64 };
	unsigned int i;

	run_on(0);
	setrlimit(RLIMIT_NOFILE, &files);
	prctl(PR_SET_NAME, "render");
	words = argv + 1;
	if (!access("/calls", R_OK))
		calls = text_of("/calls");
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	if (put("buffer_size_kb", BUFFER_KB))
		die("buffer_size_kb");
	emit_file = open("/proc/strobe_emit", O_WRONLY);
	if (emit_file < 0)
		die("strobe_emit");
	find_events();
	find_internal();
	record_tasks();
	section("injected");
	fill("", true);
	put("tracing_on", "0");
	section("stats");
	show("per_cpu/cpu0/stats");
	section("left out");
	printf("%d events without a file inject\n", nr_no_inject);
	printf("%d events whose injected records have no text\n", nr_no_text);
	printf("%d fields that stay zero\n", nr_zero);
	printf("%d fields that inject does not set\n", nr_unsettable);
	printf("%d fields that hold a pointer, or the place of an array\n", nr_blanked);
	printf("%d records with arrays that are too long\n", nr_no_emit);
	printf("%d records whose last fields do not fit into a write\n", nr_cut);
	section("raw");
	show_raw((struct shown) { .size = true, .bytes = true });
	show_raw_stacks();
	show_lost();
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		render(options[i]);
	show_name("");
	show_name("norecord-cmd notrace_printk");
	section("end");
	return 0;
}
