// SPDX-License-Identifier: GPL-2.0
/*
 * What libtracefs and libtraceevent see of a kernel, and what they can do with it.
 * usage: view			print events, clocks and options, to be compared
 *	  view check		run checks; prints KTAP
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <event-parse.h>
#include <tracefs.h>

#define INSTANCE	"view"
#define SYSTEM		"sched"
#define EVENT		"sched_process_fork"
#define FORKS		20
#define DYNAMIC		"view_dynamic"

static struct tep_handle *events_of_all(int *failures)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep || tracefs_fill_local_events(NULL, tep, failures)) {
		fprintf(stderr, "view: no events\n");
		exit(1);
	}
	return tep;
}

static void show_fields(const char *event, const char *kind, struct tep_format_field **fields)
{
	for (int i = 0; fields && fields[i]; i++)
		printf("%s %s %s %s: %d at %d, %u elements of %u, flags %lx\n", event, kind,
		       fields[i]->type, fields[i]->name, fields[i]->size, fields[i]->offset,
		       fields[i]->arraylen, fields[i]->elementsize, fields[i]->flags);
	free(fields);
}

static void show_event(struct tep_handle *tep, const char *system, const char *name)
{
	struct tep_event *event = tep_find_event_by_name(tep, system, name);
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", system, name);
	if (!event) {
		printf("%s is not known\n", full);
		return;
	}
	printf("%s flags %x\n", full, event->flags);
	show_fields(full, "common", tep_event_common_fields(event));
	show_fields(full, "field", tep_event_fields(event));
}

static void show_events(void)
{
	char **systems = tracefs_event_systems(NULL), **names;
	int failures = 0;
	struct tep_handle *tep = events_of_all(&failures);

	printf("%d formats are not understood\n", failures);
	for (int i = 0; systems && systems[i]; i++) {
		names = tracefs_system_events(NULL, systems[i]);
		for (int j = 0; names && names[j]; j++)
			show_event(tep, systems[i], names[j]);
		tracefs_list_free(names);
	}
	tracefs_list_free(systems);
	tep_free(tep);
}

static void show_instance(struct tracefs_instance *instance)
{
	const char *name = instance ? "instance" : "top";
	const struct tracefs_options_mask *supported, *enabled;
	char *clock = tracefs_get_clock(instance);

	printf("%s clock %s\n", name, clock ?: "none");
	free(clock);
	supported = tracefs_options_get_supported(instance);
	enabled = tracefs_options_get_enabled(instance);
	for (int id = 1; id < TRACEFS_OPTION_MAX; id++)
		if (supported && tracefs_option_mask_is_set(supported, id))
			printf("%s option %s %d\n", name, tracefs_option_name(id),
			       enabled && tracefs_option_mask_is_set(enabled, id));
}

static int check_nr, checks_failed;

static void check(const char *name, bool passed)
{
	printf("%sok %d %s\n", passed ? "" : "not ", ++check_nr, name);
	checks_failed += !passed;
}

struct count {
	struct tep_event *event;
	int seen, wrong;
};

static int count_record(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
	struct count *count = context;
	unsigned long long parent;

	if (event->id != count->event->id)
		return 0;
	if (cpu != record->cpu || record->missed_events ||
	    tep_get_field_val(NULL, event, "parent_pid", record, &parent, 0) ||
	    parent != (unsigned long long)getpid() || tep_data_pid(event->tep, record) != getpid())
		count->wrong++;
	count->seen++;
	return 0;
}

static void fork_some(void)
{
	for (int i = 0; i < FORKS; i++) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

/* Record in an instance with a filter, and read the raw records. */
static bool records_raw(struct tep_handle *tep, struct tracefs_instance *instance)
{
	struct count count = { .event = tep_find_event_by_name(tep, SYSTEM, EVENT) };
	char *filter = NULL, *says, pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!count.event ||
	    tracefs_event_append_filter(count.event, &filter, TRACEFS_FILTER_COMPARE, "parent_pid",
					TRACEFS_COMPARE_EQ, pid) ||
	    tracefs_event_filter_apply(instance, count.event, filter) < 0 ||
	    tracefs_event_enable(instance, SYSTEM, EVENT))
		return false;
	free(filter);
	says = tracefs_event_file_read(instance, SYSTEM, EVENT, "filter", NULL);
	printf("# the filter is %s", says ?: "none\n");
	free(says);
	fork_some();
	if (tracefs_event_is_enabled(instance, SYSTEM, EVENT) != TRACEFS_ALL_ENABLED ||
	    tracefs_event_disable(instance, SYSTEM, EVENT) ||
	    tracefs_event_filter_clear(instance, count.event) < 0 ||
	    tracefs_iterate_raw_events(tep, instance, NULL, 0, count_record, &count))
		return false;
	printf("# %d records, %d of them wrong\n", count.seen, count.wrong);
	return count.seen == FORKS && !count.wrong;
}

static bool options_are_set(struct tracefs_instance *instance)
{
	bool was = tracefs_option_is_enabled(instance, TRACEFS_OPTION_OVERWRITE);

	return was && !tracefs_option_disable(instance, TRACEFS_OPTION_OVERWRITE) &&
	       !tracefs_option_is_enabled(instance, TRACEFS_OPTION_OVERWRITE) &&
	       !tracefs_option_enable(instance, TRACEFS_OPTION_OVERWRITE) &&
	       tracefs_option_is_enabled(instance, TRACEFS_OPTION_OVERWRITE);
}

/* The size is rounded up to whole sub-buffers, without their headers. */
static bool has_kb(struct tracefs_instance *instance, int cpu, int kb)
{
	ssize_t is = tracefs_instance_get_buffer_size(instance, cpu);

	return is >= kb && is < kb + 4;
}

static bool buffer_is_sized(struct tracefs_instance *instance)
{
	return !tracefs_instance_set_buffer_size(instance, 256, -1) && has_kb(instance, 0, 256) &&
	       !tracefs_instance_set_buffer_size(instance, 128, 0) && has_kb(instance, 0, 128) &&
	       has_kb(instance, 1, 256);
}

static bool cpus_are_set(struct tracefs_instance *instance)
{
	char *cpus;
	bool same;

	if (tracefs_instance_set_affinity(instance, "0") < 0)
		return false;
	cpus = tracefs_instance_get_affinity(instance);
	same = cpus && !strcmp(cpus, "0");
	free(cpus);
	return same && tracefs_instance_set_affinity(instance, NULL) >= 0;
}

static bool switched(struct tracefs_instance *instance)
{
	return tracefs_trace_is_on(instance) == 1 && !tracefs_trace_off(instance) &&
	       tracefs_trace_is_on(instance) == 0 && !tracefs_trace_on(instance);
}

/* Write to the marker, and find the text in trace. */
static bool marker_is_read(void)
{
	char line[256];
	bool found = false;
	char *path = tracefs_get_tracing_file("trace");
	FILE *trace;

	if (tracefs_printf(NULL, "from view, %d", 42) < 0 || !path)
		return false;
	trace = fopen(path, "r");
	while (trace && fgets(line, sizeof(line), trace))
		found |= !!strstr(line, "tracing_mark_write: from view, 42");
	if (trace)
		fclose(trace);
	tracefs_put_tracing_file(path);
	return found;
}

/* Does the error log say why a filter is refused? */
static bool error_is_told(struct tracefs_instance *instance)
{
	char *all;
	bool told;

	tracefs_error_clear(instance);
	if (tracefs_event_file_write(instance, SYSTEM, EVENT, "filter",
				     "nothing == 1") >= 0)
		return false;
	all = tracefs_error_last(instance);
	printf("# %s\n", all ? "there is an error" : "no error");
	told = all && strstr(all, "Field not found");
	free(all);
	tracefs_error_clear(instance);
	return told;
}

/* The linker defines it at the start of the file. */
extern const char __ehdr_start[];

/* Uprobes are placed here. */
static __attribute__((noipa)) int probed(long number, const char *text)
{
	return number + *text;
}

enum { OPENS, OPENED, FORKED, CALLS, RETURNS, PLAIN, NR_DYNAMIC };

/* The text of a record is that without the addresses, which come first, in parentheses. */
static const struct {
	enum tracefs_dynevent_type type;
	const char *name, *filter, *text;
} dynamic[NR_DYNAMIC] = {
	[OPENS] = { TRACEFS_DYNEVENT_KPROBE, "opens", "name == \"/view/none\"",
		    "dfd=-100 name=\"/view/none\"" },
	[OPENED] = { TRACEFS_DYNEVENT_KRETPROBE, "opened", "fd == -2", "fd=-2 comm=\"view\"" },
	[FORKED] = { TRACEFS_DYNEVENT_EPROBE, "forked", "name ~ \"vi*\"", "name=\"view\" low=118" },
	[CALLS] = { TRACEFS_DYNEVENT_UPROBE, "calls", "number < 0",
		    "number=-3 text=\"some text\" bits=3" },
	[RETURNS] = { TRACEFS_DYNEVENT_URETPROBE, "returns", "value == 112", "value=112" },
	[PLAIN] = { TRACEFS_DYNEVENT_KPROBE, "plain", NULL, "" },
};

static struct tracefs_dynevent *dynamic_event(int id)
{
	const char *name = dynamic[id].name;
	long offset = (long)probed - (long)__ehdr_start;

	switch (id) {
	case OPENS:
		return tracefs_kprobe_alloc(DYNAMIC, name, "do_sys_openat2",
					    "dfd=$arg1:s32 name=+0($arg2):ustring");
	case OPENED:
		/* libtracefs 1.6.4 writes a number of calls so that no kernel understands it. */
		return tracefs_kretprobe_alloc(DYNAMIC, name, "do_sys_openat2",
					       "fd=$retval:s32 comm=$comm", 0);
	case FORKED:
		return tracefs_eprobe_alloc(DYNAMIC, name, SYSTEM, EVENT,
					    "name=$parent_comm:string low=+0($parent_comm):u8");
	case CALLS:
		return tracefs_uprobe_alloc(DYNAMIC, name, "/bin/view", offset,
					    "number=%di:s64 text=+0(%si):string bits=+0(%si):b2@0/8");
	case RETURNS:
		return tracefs_uretprobe_alloc(DYNAMIC, name, "/bin/view", offset,
					       "value=$retval:s32");
	}
	return tracefs_kprobe_alloc(DYNAMIC, name, "__x64_sys_getppid", NULL);
}

static void show_dynamic_events(void)
{
	struct tracefs_dynevent **all = tracefs_dynevent_get_all(TRACEFS_DYNEVENT_ALL, NULL);
	char *system, *event, *prefix, *addr, *format;
	enum tracefs_dynevent_type type;
	int n = 0;

	for (; all && all[n]; n++) {
		type = tracefs_dynevent_info(all[n], &system, &event, &prefix, &addr, &format);
		printf("dynamic event %d of type %d: %s %s, prefix %s, place %s, arguments %s\n", n,
		       type, system, event, prefix, addr, format ?: "none");
		free(system);
		free(event);
		free(prefix);
		free(addr);
		free(format);
	}
	printf("%d dynamic events\n", n);
	tracefs_dynevent_list_free(all);
}

struct texts {
	struct tracefs_dynevent *events[NR_DYNAMIC];
	int seen[NR_DYNAMIC], wrong;
	bool shown;
};

static int compare_text(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
	struct texts *texts = context;
	const char *text;
	struct trace_seq seq;
	int i;

	for (i = 0; i < NR_DYNAMIC && strcmp(event->name, dynamic[i].name); i++)
		;
	if (strcmp(event->system, DYNAMIC) || i == NR_DYNAMIC || record->cpu != cpu ||
	    tep_data_pid(event->tep, record) != getpid())
		return 0;
	trace_seq_init(&seq);
	tep_print_event(event->tep, &seq, record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	text = strchr(seq.buffer, ')');
	text = seq.buffer[0] == '(' && text ? text + 1 : seq.buffer;
	printf("%srecord of %s:%s\n", texts->shown ? "" : "# ", event->name, text);
	texts->seen[i]++;
	/* The text of an event probe has no address, and so no space after it. */
	texts->wrong += !!strcmp(text + (*text == ' '), dynamic[i].text);
	trace_seq_destroy(&seq);
	return 0;
}

/* Make an event of each kind. */
static bool make_dynamic_events(struct texts *texts)
{
	char *all;

	for (int i = 0; i < NR_DYNAMIC; i++) {
		texts->events[i] = dynamic_event(i);
		if (!texts->events[i] || tracefs_dynevent_create(texts->events[i])) {
			all = tracefs_error_last(NULL);
			printf("# %s is not made: %s\n", dynamic[i].name, all ?: "no error");
			free(all);
			return false;
		}
	}
	return true;
}

/* Each of them is found, by its name and its group only. */
static bool finds_dynamic_events(void)
{
	struct tracefs_dynevent *one, *other;
	bool found = true;

	for (int i = 0; i < NR_DYNAMIC; i++) {
		one = tracefs_dynevent_get(dynamic[i].type, DYNAMIC, dynamic[i].name);
		other = tracefs_dynevent_get(dynamic[i].type, "view_others", dynamic[i].name);
		found &= one && !other;
		tracefs_dynevent_free(one);
		tracefs_dynevent_free(other);
	}
	return found;
}

/* Record each event, and compare the texts that libtraceevent makes of the records. */
static bool records_dynamic_events(struct tep_handle *tep, struct tracefs_instance *instance,
				   struct texts *texts)
{
	for (int i = 0; i < NR_DYNAMIC; i++) {
		if (!tracefs_dynevent_get_event(tep, texts->events[i]) ||
		    (dynamic[i].filter &&
		     tracefs_event_file_write(instance, DYNAMIC, dynamic[i].name, "filter",
					      dynamic[i].filter) < 0) ||
		    tracefs_event_enable(instance, DYNAMIC, dynamic[i].name))
			return false;
	}
	for (int i = 0; i < 2; i++) {
		open("/view/none", O_RDONLY);
		probed(-3, "some text");
		probed(3, "the filter rejects this call");
		getppid();
	}
	fork_some();
	for (int i = 0; i < NR_DYNAMIC; i++)
		if (tracefs_event_disable(instance, DYNAMIC, dynamic[i].name))
			return false;
	return !tracefs_iterate_raw_events(tep, instance, NULL, 0, compare_text, texts);
}

static bool has_all_records(const struct texts *texts)
{
	for (int i = 0; i < NR_DYNAMIC; i++) {
		if (texts->seen[i] != (i == FORKED ? FORKS : 2)) {
			printf("# %d records of %s\n", texts->seen[i], dynamic[i].name);
			return false;
		}
	}
	return !texts->wrong;
}

/* An event in use is kept, and removed by force. The others are removed with their kind. */
static bool removes_dynamic_events(struct tracefs_instance *instance, struct texts *texts)
{
	bool kept, removed;
	struct tracefs_dynevent *one;

	kept = !tracefs_event_enable(instance, DYNAMIC, "calls") &&
	       tracefs_dynevent_destroy(texts->events[CALLS], false) &&
	       tracefs_event_file_exists(NULL, DYNAMIC, "calls", "format");
	removed = !tracefs_dynevent_destroy(texts->events[CALLS], true) &&
		  !tracefs_event_file_exists(NULL, DYNAMIC, "calls", "format");
	if (!kept || !removed)
		printf("# %s, %s\n", kept ? "kept" : "not kept",
		       removed ? "removed" : "not removed");
	removed &= !tracefs_dynevent_destroy(texts->events[PLAIN], false) &&
		   !tracefs_dynevent_destroy_all(TRACEFS_DYNEVENT_KRETPROBE, false);
	one = tracefs_dynevent_get(TRACEFS_DYNEVENT_KPROBE, DYNAMIC, "opens");
	removed &= one && !tracefs_dynevent_get(TRACEFS_DYNEVENT_KRETPROBE, DYNAMIC, "opened") &&
		   !tracefs_dynevent_destroy_all(TRACEFS_DYNEVENT_ALL, true) &&
		   !tracefs_dynevent_get_all(TRACEFS_DYNEVENT_ALL, NULL);
	tracefs_dynevent_free(one);
	return kept && removed;
}

/* Print what creating an event returns, and what the kernel says about it. */
static bool is_refused(struct tracefs_dynevent *event, const char *why)
{
	bool refused;
	char *all, *at;

	tracefs_error_clear(NULL);
	refused = event && tracefs_dynevent_create(event) < 0;
	all = tracefs_error_last(NULL);
	for (at = all; at && (at = strchr(at, '\n')); )
		*at = '|';
	/* Leave out the time. */
	printf("# %s: %s\n", refused ? "refused" : "not refused",
	       all && strchr(all, ']') ? strchr(all, ']') + 2 : "no error");
	refused &= all && strstr(all, why);
	free(all);
	tracefs_error_clear(NULL);
	tracefs_dynevent_free(event);
	return refused;
}

static bool refuses_dynamic_events(void)
{
	return is_refused(tracefs_kprobe_alloc(DYNAMIC, "bad", "no_such_function", NULL),
			  "Invalid probed address or symbol") &&
	       is_refused(tracefs_kprobe_alloc(DYNAMIC, "bad", "do_sys_openat2", "a=$nothing"),
			  "Invalid $-variable specified") &&
	       is_refused(tracefs_uprobe_alloc(DYNAMIC, "bad", "/bin/none", 0, NULL),
			  "Failed to find the given file") &&
	       is_refused(tracefs_eprobe_alloc(DYNAMIC, "bad", SYSTEM, EVENT, "a=$nothing"),
			  "Invalid $-variable specified") &&
	       !tracefs_dynevent_get_all(TRACEFS_DYNEVENT_ALL, DYNAMIC);
}

static void free_dynamic_events(struct texts *texts)
{
	for (int i = 0; i < NR_DYNAMIC; i++)
		tracefs_dynevent_free(texts->events[i]);
}

static void check_dynamic_events(struct tep_handle *tep, struct tracefs_instance *instance)
{
	struct texts texts = { };
	bool made = make_dynamic_events(&texts);

	check("dynamic events of each kind", made);
	if (!made)
		return;
	check("dynamic events are found by kind and name", finds_dynamic_events());
	check("records of dynamic events", records_dynamic_events(tep, instance, &texts) &&
	      has_all_records(&texts));
	check("dynamic events are removed", removes_dynamic_events(instance, &texts));
	check("wrong definitions are refused", refuses_dynamic_events());
	free_dynamic_events(&texts);
}

/* Print the list of dynamic events, their formats, and their records. */
static void show_dynamic(struct tracefs_instance *instance)
{
	int failures = 0;
	struct tep_handle *tep = events_of_all(&failures);
	struct texts texts = { .shown = true };

	printf("dynamic events are %smade\n", make_dynamic_events(&texts) ? "" : "not ");
	show_dynamic_events();
	printf("they are %srecorded\n",
	       records_dynamic_events(tep, instance, &texts) ? "" : "not ");
	for (int i = 0; i < NR_DYNAMIC; i++) {
		printf("%d records of %s\n", texts.seen[i], dynamic[i].name);
		show_event(tep, DYNAMIC, dynamic[i].name);
	}
	refuses_dynamic_events();
	printf("removed: %d\n", tracefs_dynevent_destroy_all(TRACEFS_DYNEVENT_ALL, true));
	show_dynamic_events();
	free_dynamic_events(&texts);
	tep_free(tep);
}

static int checks(void)
{
	int failures = 0;
	struct tep_handle *tep = events_of_all(&failures);
	struct tracefs_instance *instance = tracefs_instance_create(INSTANCE);

	printf("KTAP version 1\n");
	check("each format is understood", !failures);
	check("an instance is made", instance && tracefs_instance_is_new(instance));
	if (!instance)
		return 1;
	check("an instance is found", tracefs_instance_exists(INSTANCE));
	check("options", options_are_set(instance));
	check("size of the buffer", buffer_is_sized(instance));
	check("tracing_cpumask", cpus_are_set(instance));
	check("tracing_on", switched(instance));
	check("raw records through a filter", records_raw(tep, instance));
	check("an error", error_is_told(instance));
	check("the marker", marker_is_read());
	check_dynamic_events(tep, instance);
	check("an instance goes",
	      !tracefs_instance_destroy(instance) && !tracefs_instance_exists(INSTANCE));
	printf("1..%d\n", check_nr);
	tracefs_instance_free(instance);
	tep_free(tep);
	return checks_failed != 0;
}

int main(int argc, char **argv)
{
	struct tracefs_instance *instance;

	if (argc > 1 && !strcmp(argv[1], "check"))
		return checks();
	show_events();
	show_instance(NULL);
	instance = tracefs_instance_create(INSTANCE);
	show_instance(instance);
	show_dynamic(instance);
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	return 0;
}
