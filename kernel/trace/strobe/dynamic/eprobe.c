// SPDX-License-Identifier: GPL-2.0
/*
 * Event probes: events that are made from the records of another event, the source.
 *	e[:[GROUP/][EVENT]] SYSTEM.EVENT [ARGUMENTS] [if FILTER]
 *
 * The arguments name fields of the source. An armed probe has a tap (record/tap.h) connected
 * to the source, a sink beside those of instances and of perf. So the source need not be
 * enabled, and a probe that is enabled in several instances still reads each record once. The
 * filter is the source's: it decides on the source's record.
 *
 * The source is pinned as long as the probe exists: its module is not unloaded, and if it
 * is a dynamic event, it is not removed. Events of kprobes, uprobes and event probes are no
 * sources, so there are no chains, and no circles.
 *
 * Contexts: take() in any, NMI included, preemption off. If it fires the source
 * itself, it nests; the stack of deferred records bounds that. All else: task.
 * Locks: as dynamic.h says. Barriers: none; the tap is constant before it is connected, and
 * freed after a grace period.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "dynamic/dynamic.h"
#include "filter/filter.h"
#include "instance/error_log.h"
#include "instance/instance.h"
#include "record/pid.h"
#include "record/tap.h"
#include "record/trace_array.h"

/**
 * struct event_probe - an event probe
 * @probe:  what all probes have
 * @filter: decides which of the source's records are read; NULL: all
 * @second: if the source belongs to a second task as well, so does the event; else NULL
 * @tap:    the sink that is connected to the source while the probe is armed; sink.call is the
 *	    source, pinned, from the definition on
 */
struct event_probe {
	struct dyn_probe	probe;
	struct strobe_filter	*filter;
	const struct second_task *second;
	struct strobe_tap	tap;
};

/* The next larger cache of kmalloc() is that of 192 bytes. */
static_assert(sizeof(struct event_probe) <= 128);

static struct event_probe *to_eprobe(const struct dyn_probe *probe)
{
	return container_of(probe, struct event_probe, probe);
}

static struct trace_event_call *source_of(const struct event_probe *ep)
{
	return ep->tap.sink.call;
}

/* The hot path. */

/* The pid lists of an instance are applied to the tasks of the source's record. */
static notrace noinline void eprobe_fire_second(struct event_probe *ep, struct dyn_hit *hit)
{
	struct pid_made_from before = strobe_pid_made_from((struct pid_made_from) {
		.call = &ep->probe.event->dynamic.call, .second = ep->second,
		.pid = *(const pid_t *)(hit->in + ep->second->offset),
	});

	strobe_dyn_fire(hit);
	strobe_pid_made_from(before);
}

NOKPROBE_SYMBOL(eprobe_fire_second);

static notrace void eprobe_take(struct strobe_tap *tap, void *record, u32 len)
{
	struct event_probe *ep = container_of(tap, struct event_probe, tap);
	struct dyn_hit hit __uninitialized;

	if (ep->filter && !strobe_filter_match(ep->filter, record))
		return;
	dyn_hit_init(&hit, &ep->probe, NULL);
	hit.in = record;
	hit.in_len = len;
	if (unlikely(ep->second))
		eprobe_fire_second(ep, &hit);
	else
		strobe_dyn_fire(&hit);
}

NOKPROBE_SYMBOL(eprobe_take);

static notrace void eprobe_missed(struct strobe_tap *tap)
{
	raw_cpu_inc(READ_ONCE(container_of(tap, struct event_probe, tap)->probe.counts)->missed);
}

NOKPROBE_SYMBOL(eprobe_missed);

static int eprobe_bind(struct dyn_probe *probe)
{
	struct event_probe *ep = to_eprobe(probe);
	int ret = strobe_dyn_args_bind(probe->args) ?:
		  strobe_tap_init(&ep->tap, source_of(ep), eprobe_take);

	ep->tap.missed = eprobe_missed;
	return ret;
}

static int eprobe_arm(struct dyn_probe *probe)
{
	struct event_probe *ep = to_eprobe(probe);

	return strobe_tap_connect(&ep->tap, true);
}

static void eprobe_disarm(struct dyn_probe *probe)
{
	struct event_probe *ep = to_eprobe(probe);

	WARN_ON_ONCE(strobe_tap_connect(&ep->tap, false));
}

/* All are disarmed: wait for those that are still firing. */
static void eprobe_unbind(struct dyn_probe **probes, unsigned int nr)
{
	tracepoint_synchronize_unregister();
}

static void eprobe_free(struct dyn_probe *probe)
{
	struct event_probe *ep = to_eprobe(probe);

	strobe_filter_free(ep->filter);
	if (source_of(ep))
		strobe_event_call_put(source_of(ep));
}

/* The definition. */

#define NO_SOURCES	(TRACE_EVENT_FL_IGNORE_ENABLE | TRACE_EVENT_FL_UKPROBE | \
			 TRACE_EVENT_FL_EPROBE)

/* A module whose init function fails is freed although it is pinned: wait until it is live. */
static struct trace_event_call *source_get(const char *system, const char *name)
{
	struct trace_event_call *call;

	lockdep_assert_held(&strobe_event_mutex);
	call = strobe_event_find(system, name);
	if (!call || call->flags & NO_SOURCES || !strobe_event_call_get(call))
		return NULL;
	if (strobe_event_is_live(call))
		return call;
	strobe_event_call_put(call);
	return NULL;
}

/* An error in one of the names is logged first, then that both are needed. The order is ABI. */
static int parse_source(struct dyn_line *line, char system[DYN_NAME_MAX], char name[DYN_NAME_MAX])
{
	int ret = strobe_dyn_parse_pair(line, 1, 0, system, name);

	if (ret)
		strobe_error_log_add(top_instance, line->kind->where, line->words.text,
				     line->error.text, line->error.at);
	if (ret || !*system || !*name)
		return strobe_dyn_line_error(line, -EINVAL,
					     "This requires both group and event name to attach",
					     1, 0);
	return 0;
}

static int find_source(struct dyn_line *line, const char *system, const char *name)
{
	struct event_probe *ep;

	line->probe = strobe_dyn_probe_alloc(sizeof(struct event_probe));
	if (!line->probe)
		return -ENOMEM;
	ep = to_eprobe(line->probe);
	ep->tap.sink.call = source_get(system, name);
	if (!source_of(ep))
		return strobe_dyn_line_error(line, -ENODEV, "Attached event does not exist", 1, 0);
	ep->second = strobe_second_task_in(source_of(ep));
	line->source.flags = DYN_KERNEL | DYN_EVENT;
	line->source.event = source_of(ep);
	return 0;
}

/*
 * Parse the filter, from word @first on. Its errors are logged as those of a filter: the
 * command shown is the filter alone.
 */
static int parse_filter(struct dyn_line *line, struct event_probe *ep, u32 first)
{
	const char *text = line->words.text + line->words.at[first];
	struct strobe_filter_error err;
	struct strobe_filter *filter;

	if (first == line->words.nr)
		return strobe_dyn_line_error(line, -EINVAL, "No filter rule after 'if'", first, 0);
	filter = strobe_filter_create(source_of(ep), text, STROBE_FILTER_ALL, &err);
	if (!IS_ERR(filter)) {
		ep->filter = filter;
		return 0;
	}
	if (PTR_ERR(filter) == -ENOMEM)
		return -ENOMEM;
	strobe_event_filter_log_error(top_instance, text, &err);
	return -EINVAL;
}

/* Return: the number of the first word "if" that follows the source, or of words. */
static u32 find_if(const struct dyn_line *line)
{
	u32 i = 2;

	while (i < line->words.nr && strcmp(dyn_word(&line->words, i), "if"))
		i++;
	return i;
}

/*
 * The names are parsed first, as it is ABI which of several errors is reported. The
 * filter after the "if" is not passed to the parser of arguments.
 */
static int eprobe_place(struct dyn_line *line)
{
	char system[DYN_NAME_MAX] = "", name[DYN_NAME_MAX] = "";
	const u32 args_end = find_if(line);
	int ret;

	ret = strobe_dyn_parse_names(line) ?: parse_source(line, system, name);
	if (ret)
		return ret;
	if (!*line->name)
		strscpy(line->name, name, DYN_NAME_MAX);
	if (args_end - 2 > DYN_ARGS_MAX)
		return -E2BIG;
	guard(mutex)(&strobe_event_mutex);
	ret = find_source(line, system, name);
	if (!ret && args_end < line->words.nr)
		ret = parse_filter(line, to_eprobe(line->probe), args_end + 1);
	line->words.nr = args_end;
	return ret;
}

static bool eprobe_is_at(const struct dyn_probe *probe, const char *place)
{
	const struct trace_event_call *source = source_of(to_eprobe(probe));
	size_t len = strlen(source->class->system);

	return !strncmp(place, source->class->system, len) &&
	       (place[len] == '/' || place[len] == '.') &&
	       !strcmp(place + len + 1, trace_event_name(source));
}

/* The filter is not shown: ABI. */
static void eprobe_show(struct seq_file *m, const struct dyn_probe *probe)
{
	const struct trace_event_call *source = source_of(to_eprobe(probe));
	const struct trace_event_call *call = &probe->event->dynamic.call;

	seq_printf(m, "e:%s/%s %s.%s", call->class->system, trace_event_name(call),
		   source->class->system, trace_event_name(source));
}

static void eprobe_print_head(struct strobe_print *pr, const struct dyn_event *event)
{
	const struct trace_event_call *source = source_of(to_eprobe(event->probes));

	trace_seq_printf(pr->seq, "%s.%s", source->class->system, trace_event_name(source));
}

const struct dyn_kind strobe_dyn_eprobe = {
	.letters	= "e",
	.group		= "eprobes",
	.where		= "event_probe",
	.call_flags	= TRACE_EVENT_FL_EPROBE | TRACE_EVENT_FL_TRACEPOINT,
	.head_fmt	= { "" },
	.print_head	= eprobe_print_head,
	.place		= eprobe_place,
	.is_at		= eprobe_is_at,
	.show		= eprobe_show,
	.bind		= eprobe_bind,
	.arm		= eprobe_arm,
	.disarm		= eprobe_disarm,
	.unbind		= eprobe_unbind,
	.free		= eprobe_free,
};
