// SPDX-License-Identifier: GPL-2.0
/* Generate actions: a grammar for the text written to each file, and other actions. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"

const char * const quiet_events[] = {
	"signal:signal_generate", "signal:signal_deliver", "task:task_newtask", "task:task_rename",
	"sched:sched_process_exec", "sched:sched_process_fork", "syscalls:sys_enter_kill",
	"syscalls:sys_exit_kill", "printk:console", "module:module_load",
};

const int nr_quiet_events = ARRAY_SIZE(quiet_events);

/* The top instance is there twice, so that it is chosen more often. */
const char * const instances[MAX_INSTANCES] = { "", "", "a", "b", KEPT };

int nr_instances = MAX_INSTANCES - 1;

const char * const modules[] = { "trace-events-sample", "tp-events" };

const int nr_modules = ARRAY_SIZE(modules);

static char **events, **options, **files;
static int nr_events, nr_options, nr_files;

/* splitmix64 */
unsigned long long rng_next(struct rng *rng)
{
	unsigned long long z = (rng->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

int below(struct rng *rng, int n)
{
	return rng_next(rng) % n;
}

const char *pick(struct rng *rng, const char * const *words, int nr)
{
	return words[below(rng, nr)];
}

void add(struct text *text, const char *fmt, ...)
{
	size_t left = sizeof(text->buf) - text->len;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text->buf + text->len, left, fmt, args);
	va_end(args);
	if (len > 0)
		text->len += (size_t)len < left ? (size_t)len : left - 1;
}

int lines_of(const char *path, char ***lines)
{
	char *rest = file_text(path), *line;
	int nr = 0;

	*lines = calloc(8192, sizeof(**lines));
	while (rest && (line = strsep(&rest, "\n")) && nr < 8192) {
		if (*line)
			(*lines)[nr++] = line;
	}
	return nr;
}

/* Add the files of a directory, but those of events and instances, to @files. */
static void find_files(const char *dir)
{
	struct dirent **list;
	char path[300];
	int i, nr = scandir(dir, &list, NULL, alphasort);

	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s%s%s", strcmp(dir, ".") ? dir : "",
			 strcmp(dir, ".") ? "/" : "", list[i]->d_name);
		if (list[i]->d_type == DT_DIR) {
			if (*list[i]->d_name != '.' && strcmp(path, "events") &&
			    strcmp(path, "instances"))
				find_files(path);
			continue;
		}
		files = realloc(files, (nr_files + 1) * sizeof(*files));
		files[nr_files++] = strdup(path);
	}
}

const char *an_event(struct rng *rng)
{
	const char *event = one_in(rng, 6) ? a_dynamic_event(rng) : NULL;

	if (event)
		return event;
	if (one_in(rng, 8) && user_events_exist())
		return a_user_event(rng);
	return one_in(rng, 4) ? events[below(rng, nr_events)] : PICK(rng, quiet_events);
}

/* Would the sysctl have all events printed? Some fire faster than the console prints them. */
static bool may_print(void)
{
	char *text = file_text("/proc/cmdline");
	bool may = text && strstr(text, "tp_printk");

	free(text);
	return may;
}

const char *a_number(struct rng *rng)
{
	static const char * const odd[] = {
		"0", "1", "-1", "2", "0x10", "010", "255", "65536", "4294967295", "4294967296",
		"9223372036854775807", "-9223372036854775808", "18446744073709551615",
		"18446744073709551616", "99999999999999999999999", "0x", "08", "1e3", "+1", "",
	};
	static char number[16];

	if (one_in(rng, 3))
		return PICK(rng, odd);
	snprintf(number, sizeof(number), "%d", below(rng, 1 << (1 + below(rng, 17))));
	return number;
}

static void gen_bool(struct rng *rng, struct text *t)
{
	static const char * const words[] = {
		"0", "1", "0", "1", "0\n", "1\n", "2", "-1", "", "x", " 1", "1 1", "on", "00",
	};

	add(t, "%s", PICK(rng, words));
}

static void gen_number(struct rng *rng, struct text *t)
{
	add(t, "%s%s", a_number(rng), one_in(rng, 3) ? "\n" : "");
}

/* Sizes that do not take all memory, unless the kernel refuses them */
static void gen_size(struct rng *rng, struct text *t)
{
	static const char * const odd[] = {
		"0", "1", "3", "-1", "x", "", "4 4", "0x40", "18446744073709551615",
		"99999999999999999999",
	};

	if (one_in(rng, 4))
		add(t, "%s", PICK(rng, odd));
	else
		add(t, "%d", 1 + below(rng, 256));
}

static void gen_order(struct rng *rng, struct text *t)
{
	static const char * const words[] = {
		"4", "8", "16", "32", "64", "128", "0", "5", "-4", "x",
	};

	add(t, "%s", PICK(rng, words));
}

static void gen_clock(struct rng *rng, struct text *t)
{
	static const char * const words[] = {
		"local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai",
		"x86-tsc", "nosuch", "", "loca", "local ", "[local]",
	};

	add(t, "%s", PICK(rng, words));
}

static void gen_option(struct rng *rng, struct text *t)
{
	const char *option = options[below(rng, nr_options)];

	if (!strncmp(option, "no", 2))
		option += 2;
	if (one_in(rng, 12))
		add(t, "%snosuch", one_in(rng, 2) ? "no" : "");
	else
		add(t, "%s%s%s", one_in(rng, 2) ? "no" : "", option, one_in(rng, 8) ? " x" : "");
}

static void gen_tracer(struct rng *rng, struct text *t)
{
	static const char * const words[] = { "nop", "nop\n", "nosuch", "", "nop nop" };

	add(t, "%s", PICK(rng, words));
}

static void gen_pids(struct rng *rng, struct text *t)
{
	int nr = below(rng, 5);

	while (nr--) {
		if (one_in(rng, 6))
			add(t, "%s ", a_number(rng));
		else if (one_in(rng, 4))
			add(t, "%c ", OWN_PID);
		else
			add(t, "%d%s", below(rng, 40000), one_in(rng, 3) ? "\n" : " ");
	}
	if (one_in(rng, 8))
		add(t, "x");
}

static void gen_mask(struct rng *rng, struct text *t)
{
	static const char * const words[] = {
		"1", "2", "3", "0", "ff", "x", "", "1,2", "ffffffff,ffffffff", "0-1", "3\n",
	};

	add(t, "%s", PICK(rng, words));
}

/* One or more words for set_event */
static void gen_set_event(struct rng *rng, struct text *t)
{
	const char *event = an_event(rng);
	int system = strcspn(event, ":");

	if (one_in(rng, 3))
		add(t, "!");
	switch (below(rng, 9)) {
	case 0:
		add(t, "%.*s:*", system, event);
		break;
	case 1:
		add(t, "%s", event + system + 1);
		break;
	case 2:
		add(t, "%.*s", system, event);
		break;
	case 3:
		add(t, "%.*s:%.3s*", system, event, event + system + 1);
		break;
	case 4:
		add(t, "%s", one_in(rng, 2) ? "nosuch:event" : "signal:nosuch");
		break;
	case 5:
		add(t, "%s:mod:%s", event, one_in(rng, 2) ? "trace_events_sample" : "nosuch");
		break;
	default:
		add(t, "%s", event);
	}
	if (one_in(rng, 5)) {
		add(t, " ");
		gen_set_event(rng, t);
	}
}

static void gen_print_trigger(struct rng *rng, struct text *t)
{
	gen_trigger(rng, t, "ftrace:print");
}

static void gen_marker(struct rng *rng, struct text *t)
{
	int nr = one_in(rng, 6) ? below(rng, 1000) : below(rng, 30);

	while (nr--)
		add(t, "%c", one_in(rng, 20) ? '\n' : 'a' + below(rng, 26));
}

static void gen_bytes(struct rng *rng, struct text *t)
{
	int nr = below(rng, 40);

	while (nr--)
		add(t, "%c", 1 + below(rng, 255));
}

static void gen_dump_on_oops(struct rng *rng, struct text *t)
{
	static const char * const words[] = {
		"0", "1", "2", "orig_cpu", "a", "a=2", "0,a=orig_cpu,b", "nosuch", "", "-1", "1,",
	};

	add(t, "%s", PICK(rng, words));
}

/*
 * Files of an instance, or with @root, of the top instance or of none; the weight says how often
 * each is chosen. "options/": any of them; @hook: only if the kernel has it
 */
#define PRINTK_SYSCTL "/proc/sys/kernel/tracepoint_printk"
static const struct target {
	const char *file;
	int weight;
	void (*text)(struct rng *rng, struct text *t);
	bool root, hook;
} targets[] = {
	{ "set_event", 12, gen_set_event },
	{ "set_event_pid", 5, gen_pids },
	{ "set_event_notrace_pid", 3, gen_pids },
	{ "tracing_on", 4, gen_bool },
	{ "trace_clock", 3, gen_clock },
	{ "trace_options", 8, gen_option },
	{ "current_tracer", 1, gen_tracer },
	{ "tracing_cpumask", 4, gen_mask },
	{ "buffer_size_kb", 4, gen_size },
	{ "per_cpu/cpu0/buffer_size_kb", 3, gen_size },
	{ "per_cpu/cpu1/buffer_size_kb", 2, gen_size },
	{ "buffer_subbuf_size_kb", 3, gen_order },
	{ "buffer_percent", 2, gen_number },
	{ "trace", 3, gen_bool },
	{ "per_cpu/cpu0/trace", 2, gen_bool },
	{ "per_cpu/cpu1/trace", 1, gen_bool },
	{ "snapshot", 4, gen_bool },
	{ "per_cpu/cpu0/snapshot", 2, gen_bool },
	{ "per_cpu/cpu1/snapshot", 1, gen_bool },
	{ "trace_marker", 5, gen_marker },
	{ "trace_marker_raw", 3, gen_bytes },
	{ "free_buffer", 1, gen_bool },
	{ "error_log", 1, gen_bool },
	{ "events/enable", 1, gen_bool },
	{ "events/header_page", 1, gen_bool },
	{ "nosuch", 1, gen_bool },
	{ "saved_cmdlines_size", 2, gen_size, true },
	{ "dynamic_events", 2, gen_bytes, true },
	{ "dynamic_events", 10, gen_dynamic, true },
	{ "kprobe_events", 4, gen_dynamic, true, true },
	{ "uprobe_events", 2, gen_dynamic, true, true },
	{ "events/ftrace/print/trigger", 2, gen_print_trigger },
	{ "set_ftrace_filter", 5, gen_functions, false, true },
	{ "set_ftrace_notrace", 3, gen_functions, false, true },
	{ "set_ftrace_pid", 3, gen_pids, false, true },
	{ "set_ftrace_notrace_pid", 2, gen_pids, false, true },
	{ "set_graph_function", 2, gen_functions, true, true },
	{ "set_graph_notrace", 2, gen_functions, true, true },
	{ "stack_trace_filter", 2, gen_functions, true, true },
	{ "stack_max_size", 1, gen_number, true, true },
	{ "function_profile_enabled", 1, gen_bool, true, true },
	/*
	 * Not /proc/sys/kernel/ftrace_enabled: if two kprobes are disarmed while it is 0, ftrace.c
	 * warns when the next one is, and stops for good. It does so with classic, too.
	 */
	{ "/proc/sys/kernel/user_events_max", 1, gen_number, true, true },
	{ "/proc/sys/kernel/traceoff_on_warning", 1, gen_bool, true },
	{ "/proc/sys/kernel/ftrace_dump_on_oops", 1, gen_dump_on_oops, true },
	{ PRINTK_SYSCTL, 1, gen_bool, true },
	{ "/proc/sys/debug/kprobes-optimization", 1, gen_bool, true, true },
	{ "/sys/kernel/debug/kprobes/enabled", 1, gen_bool, true, true },
	{ "/proc/sys/kernel/stack_tracer_enabled", 1, gen_bool, true, true },
	{ "buffer_total_size_kb", 1, gen_size },
	{ "options/", 5, gen_bool },
};

/* Files of an event */
static const struct event_target {
	const char *file;
	int weight;
	void (*text)(struct rng *rng, struct text *t, const char *event);
} event_targets[] = {
	{ "filter", 10, gen_filter },
	{ "trigger", 10, gen_trigger },
	{ "inject", 4, gen_inject },
	{ "enable", 6, NULL },
};

/* Files that are read more often than the others */
static const char * const readers[] = {
	"trace", "trace_pipe", "per_cpu/cpu0/trace_pipe_raw", "per_cpu/cpu0/trace", "snapshot",
	"per_cpu/cpu0/snapshot_raw", "per_cpu/cpu0/stats", "set_event", "available_events",
	"trace_options", "saved_cmdlines", "saved_tgids", "events/signal/filter", "error_log",
	"printk_formats", "README", "events/header_event", "events/signal/signal_generate/format",
	"events/signal/signal_generate/trigger", "events/enable", "buffer_meta", "eval_map",
	"per_cpu/cpu1/trace_pipe_raw", "timestamp_mode", "tracing_cpumask", "set_event_pid",
	"user_events_status", "dynamic_events",
};

void add_dir(struct rng *rng, struct text *line)
{
	const char *instance = pick(rng, instances, nr_instances);

	if (*instance)
		add(line, "instances/%s/", instance);
}

/* The path of a file to read */
static void add_reader(struct rng *rng, struct text *line)
{
	static const char * const of_event[] = {
		"enable", "filter", "format", "id", "inject", "trigger",
	};
	char path[256];

	add_dir(rng, line);
	if (one_in(rng, 4)) {
		state_event_file(path, sizeof(path), an_event(rng), PICK(rng, of_event));
		add(line, "%s", path);
	} else {
		add(line, "%s", one_in(rng, 3) ? files[below(rng, nr_files)] : PICK(rng, readers));
	}
}

void add_text(struct rng *rng, struct text *line, const struct text *text)
{
	size_t i, spoiled = text->len;
	unsigned char c;

	if (text->len && one_in(rng, 25))
		spoiled = below(rng, text->len);

	for (i = 0; i < text->len && line->len < sizeof(line->buf) - 8; i++) {
		c = i == spoiled ? 1 + below(rng, 255) : (unsigned char)text->buf[i];
		if (c == '\n')
			add(line, "\\n");
		else if (c == '\\')
			add(line, "\\\\");
		else if (c == OWN_PID)
			add(line, "\\p");
		else
			add(line, isprint(c) ? "%c" : "\\x%02x", c);
	}
}

int a_size(struct rng *rng)
{
	return one_in(rng, 3) ? 1 + below(rng, 20000) : 1 << below(rng, 16);
}

static const char *a_mode(struct rng *rng)
{
	return one_in(rng, 3) ? "a" : one_in(rng, 3) ? "p" : "t";
}

/* The weights of the targets that the kernel has */
static int weights[ARRAY_SIZE(targets)];

static const struct target *a_target(struct rng *rng)
{
	int sum = 0, at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		sum += weights[i];
	at = below(rng, sum);
	for (i = 0; at >= weights[i]; i++)
		at -= weights[i];
	return &targets[i];
}

void generate_init(void)
{
	bool prints = may_print();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		weights[i] = targets[i].hook && access(targets[i].file, F_OK) ? 0 :
									       targets[i].weight;
	for (i = 0; prints && i < ARRAY_SIZE(targets); i++) {
		if (!strcmp(targets[i].file, PRINTK_SYSCTL))
			weights[i] = 0;
	}
	if (!access("instances/" KEPT, F_OK))
		nr_instances = MAX_INSTANCES;
	functions_init();
	dynamic_init();
	find_files(".");
	nr_events = lines_of("available_events", &events);
	nr_options = lines_of("trace_options", &options);
	if (!nr_events || !nr_options) {
		fprintf(stderr, "no events, or no options\n");
		exit(2);
	}
}

/* The path of @target, in some instance */
static void add_target(struct rng *rng, struct text *line, const struct target *target)
{
	const char *option = options[below(rng, nr_options)];

	if (!target->root)
		add_dir(rng, line);
	add(line, "%s", target->file);
	if (!strcmp(target->file, "options/"))
		add(line, "%s", option + 2 * !strncmp(option, "no", 2));
}

static void add_write(struct rng *rng, struct text *line)
{
	static const char * const verbs[] = { "pieces", "long", "badwrite" };
	const char *verb = one_in(rng, 7) ? PICK(rng, verbs) : "write";
	const struct target *target = a_target(rng);
	static struct text text;

	text.len = 0;
	text.buf[0] = '\0';
	target->text(rng, &text);
	add(line, "%s ", verb);
	add_target(rng, line, target);
	if (*verb == 'p' || *verb == 'b')
		add(line, " %d ", 1 + below(rng, 20));
	else if (*verb == 'l')
		add(line, " %d ", a_size(rng));
	else
		add(line, " %s ", a_mode(rng));
	add_text(rng, line, &text);
}

static void add_write_event(struct rng *rng, struct text *line)
{
	const char *event = an_event(rng);
	int system = strcspn(event, ":");
	const struct event_target *target;
	static struct text text;
	char mode[2] = "";

	do
		target = &event_targets[below(rng, ARRAY_SIZE(event_targets))];
	while (below(rng, 10) >= target->weight);
	text.len = 0;
	text.buf[0] = '\0';
	if (target->text)
		target->text(rng, &text, event);
	else
		gen_bool(rng, &text);
	if (one_in(rng, 30)) {
		add(line, "long ");
		add_dir(rng, line);
		add(line, "events/%.*s/%s/%s %d ", system, event, event + system + 1, target->file,
		    a_size(rng));
		add_text(rng, line, &text);
		return;
	}
	if (one_in(rng, 30)) {
		add(line, "badwrite ");
		mode[0] = '0' + below(rng, 10);
	} else {
		add(line, "write ");
		mode[0] = *a_mode(rng);
	}
	add_dir(rng, line);
	if (one_in(rng, 12))
		add(line, "events/%.*s/%s %s ", system, event,
		    target->text == gen_filter ? "filter" : "enable", mode);
	else
		add(line, "events/%.*s/%s/%s %s ", system, event, event + system + 1, target->file,
		    mode);
	add_text(rng, line, &text);
}

void gen_written(struct rng *rng, struct text *t)
{
	if (one_in(rng, 2))
		gen_marker(rng, t);
	else
		a_target(rng)->text(rng, t);
}

static void add_open(struct rng *rng, struct text *line)
{
	static const char * const raw[] = {
		"per_cpu/cpu0/trace_pipe_raw", "per_cpu/cpu1/trace_pipe_raw",
	};
	int slot = a_slot(rng);

	if (one_in(rng, 4)) {
		add(line, "open %d %c ", slot, one_in(rng, 2) ? 'w' : 'b');
		add_target(rng, line, a_target(rng));
	} else if (one_in(rng, 4)) {
		/* Of these, mmap and ioctl do something. */
		add(line, "open %d r ", slot);
		add_dir(rng, line);
		add(line, "%s", PICK(rng, raw));
	} else {
		add(line, "open %d %c ", slot, "rrrb"[below(rng, 4)]);
		add_reader(rng, line);
	}
}

static void add_other(struct rng *rng, struct text *line)
{
	switch (below(rng, 10)) {
	case 0:
	case 1:
	case 2:
		add(line, "%s instances/%s", one_in(rng, 3) ? "rmdir" : "mkdir",
		    one_in(rng, 10) ? "../x" : one_in(rng, 2) ? "a" : "b");
		break;
	case 3:
		add(line, "%s %s", one_in(rng, 2) ? "load" : "unload", PICK(rng, modules));
		break;
	case 4:
		if (one_in(rng, 4))
			add(line, "cpu 1 %d", below(rng, 2));
		else
			add(line, "work 3");
		break;
	case 5:
		add(line, "exec %d", 1 + below(rng, 3));
		break;
	case 6:
		add(line, "kill %d", 1 + below(rng, one_in(rng, 4) ? 1000 : 30));
		break;
	default:
		if (one_in(rng, 30))
			add(line, "dump");
		else
			add(line, "work %d", 1 + below(rng, 4));
	}
}

/* Reading: beyond the buffer; waiting for something to read; or at once */
static void add_read(struct rng *rng, struct text *line)
{
	static const char * const waiting[] = {
		"trace_pipe", "per_cpu/cpu0/trace_pipe", "per_cpu/cpu0/trace_pipe_raw",
		"per_cpu/cpu1/trace_pipe_raw",
	};

	switch (below(rng, 12)) {
	case 0:
		add(line, "badread ");
		add_reader(rng, line);
		add(line, " %d %d", one_in(rng, 3) ? 0 : a_size(rng), a_size(rng));
		break;
	case 1:
	case 2:
		add(line, one_in(rng, 2) ? "block " : "blocksplice ");
		add_dir(rng, line);
		add(line, "%s %d", PICK(rng, waiting), a_size(rng));
		break;
	default:
		add(line, "read ");
		add_reader(rng, line);
		add(line, " %d %d", a_size(rng), one_in(rng, 3) ? below(rng, 10000) : 0);
	}
}

void generate_action(struct rng *rng, const struct batch *batch, struct text *line)
{
	int kind = below(rng, user_events_exist() ? 114 : 100);

	line->len = 0;
	line->buf[0] = '\0';
	note_slots(batch);
	if (kind < 30)
		add_write(rng, line);
	else if (kind < 60)
		add_write_event(rng, line);
	else if (kind < 68)
		add_read(rng, line);
	else if (kind < 75)
		add_open(rng, line);
	else if (kind < 87)
		add_slot(rng, line);
	else if (kind < 92)
		add_attach(rng, line);
	else if (kind >= 100)
		add_user(rng, line);
	else
		add_other(rng, line);
}
