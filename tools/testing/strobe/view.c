// SPDX-License-Identifier: GPL-2.0
/*
 * What libtracefs and libtraceevent see of a kernel, and what they can do with it.
 * usage: view			print events, clocks and options, to be compared
 *	  view check		run checks; prints KTAP
 */
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
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	return 0;
}
