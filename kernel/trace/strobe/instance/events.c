// SPDX-License-Identifier: GPL-2.0
/*
 * Switching events on and off, one by one and by the language of set_event.
 *
 * States of a file (event_mutex)
 *	off	ENABLED clear; no probe has the file
 *	on	ENABLED set; the class's probe, or what the class has instead,
 *		is connected with the file's sink
 *	soft	the same, with STROBE_GATE_SOFT_DISABLED: it records nothing
 * A file has users in soft mode (sm_ref, SOFT_MODE): triggers, its own and those that
 * switch it. As long as there are any, it is soft in place of off, and triggers may
 * switch between on and soft from any context, by that bit of the gate alone.
 * RECORDED_CMD and RECORDED_TGID say what the file makes the instance record
 * of its tasks; they are set only while it is on.
 * WAS_ENABLED is set with the first "on" and stays.
 *
 * Many at once: events on tracepoints go through one batch of the tracepoint
 * core, so that the machine's code is patched, and its CPUs are waited for, once
 * for many. During the batch the tracepoint core's lock is held: no other probe
 * may come or go, and comm_mutex may not be taken. So the recorder of tasks is
 * held throughout, and told afterwards how many users more it has.
 *
 * Contexts: task. Lock order: event_mutex, comm_mutex, the tracepoint core's.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "instance/gate.h"
#include "instance/instance.h"
#include "tracepoint/tracepoint.h"

static bool class_has_enable(const struct trace_event_call *call)
{
	return call->class->ops && call->class->ops->enable;
}

/**
 * event_file_can_enable - is this an event that users can enable?
 * @file: the event in some instance, not FREED
 *
 * Context: task; event_mutex held.
 */
bool event_file_can_enable(const struct trace_event_file *file)
{
	const struct trace_event_call *call = file->call;

	return event_can_enable(call) && trace_event_name(call) &&
	       (call->class->probe || class_has_enable(call));
}

static const unsigned long comm_flags[COMM_NR] = {
	[COMM_NAMES] = EVENT_FILE_FL_RECORDED_CMD,
	[COMM_TGIDS] = EVENT_FILE_FL_RECORDED_TGID,
};

/*
 * Which files make the recorder run. @more is what becomes of its users, told to
 * it by comm_release(), when the tracepoint core's lock is not held any more.
 */
static void file_comm_mark(struct trace_event_file *file, enum comm_what what,
			   int more[COMM_NR])
{
	more[what] += !(file->flags & comm_flags[what]);
	file->flags |= comm_flags[what];
}

static void file_comm_unmark(struct trace_event_file *file, enum comm_what what,
			     int more[COMM_NR])
{
	more[what] -= !!(file->flags & comm_flags[what]);
	file->flags &= ~comm_flags[what];
}

static bool comm_wanted(const struct trace_array *tr, enum comm_what what)
{
	static const unsigned int options[COMM_NR] = {
		[COMM_NAMES] = STROBE_OPT_RECORD_CMD,
		[COMM_TGIDS] = STROBE_OPT_RECORD_TGID,
	};

	return tr->options & options[what];
}

/*
 * Be a user of what the options want recorded, until comm_release(). They cannot
 * change before that: event_mutex is held.
 */
static int comm_hold(struct trace_array *tr)
{
	int ret = 0;

	if (comm_wanted(tr, COMM_NAMES))
		ret = comm_record_start(&tr->comm, COMM_NAMES);
	if (ret || !comm_wanted(tr, COMM_TGIDS))
		return ret;
	ret = comm_record_start(&tr->comm, COMM_TGIDS);
	if (ret && comm_wanted(tr, COMM_NAMES))
		comm_record_stop(&tr->comm, COMM_NAMES);
	return ret;
}

static void comm_release(struct trace_array *tr, const int more[COMM_NR])
{
	enum comm_what what;

	for (what = 0; what < COMM_NR; what++) {
		if (more[what])
			comm_record_add(&tr->comm, what, more[what]);
		if (comm_wanted(tr, what))
			comm_record_stop(&tr->comm, what);
	}
}

static int file_connect(struct trace_event_file *file,
			struct tracepoint_batch *batch, bool on)
{
	struct trace_event_call *call = file->call;
	void *probe = call->class->probe;

	/* ftrace:print, which writers of markers fire. */
	if (!event_file_can_enable(file))
		return 0;
	if (class_has_enable(call))
		return call->class->ops->enable(call, file, on);
	if (on && !event_is_attached(call))
		return -ENODEV;
	if (batch)
		return on ? tracepoint_batch_register(batch, call->tp, probe, file,
						      TRACEPOINT_DEFAULT_PRIO) :
			    tracepoint_batch_unregister(batch, call->tp, probe, file);
	return on ? tracepoint_probe_register(call->tp, probe, file) :
		    tracepoint_probe_unregister(call->tp, probe, file);
}

/* off -> on, or -> soft, if the gate says so */
static int file_turn_on(struct trace_event_file *file,
			struct tracepoint_batch *batch, int more[COMM_NR])
{
	enum comm_what what;
	int ret;

	ret = file_connect(file, batch, true);
	if (ret) {
		pr_info("event trace: Could not enable event %s\n",
			trace_event_name(file->call));
		return ret;
	}
	for (what = 0; what < COMM_NR; what++) {
		if (comm_wanted(file->tr, what))
			file_comm_mark(file, what, more);
	}
	/* Never cleared: the ring may hold its records from now on. */
	file->flags |= EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_WAS_ENABLED;
	return 0;
}

static bool file_is_soft(const struct trace_event_file *file)
{
	return READ_ONCE(file->sink.gate) & STROBE_GATE_SOFT_DISABLED;
}

static bool file_is_on(const struct trace_event_file *file)
{
	return file->flags & EVENT_FILE_FL_ENABLED && !file_is_soft(file);
}

static int file_enable(struct trace_event_file *file,
		       struct tracepoint_batch *batch, int more[COMM_NR])
{
	event_file_change_gate(file, 0, STROBE_GATE_SOFT_DISABLED);
	if (file->flags & EVENT_FILE_FL_ENABLED)
		return 0;
	return file_turn_on(file, batch, more);
}

static void file_disable(struct trace_event_file *file,
			 struct tracepoint_batch *batch, int more[COMM_NR])
{
	enum comm_what what;

	if (!(file->flags & EVENT_FILE_FL_ENABLED))
		return;
	if (file->flags & EVENT_FILE_FL_SOFT_MODE) {
		event_file_change_gate(file, STROBE_GATE_SOFT_DISABLED, 0);
		return;
	}
	file->flags &= ~EVENT_FILE_FL_ENABLED;
	for (what = 0; what < COMM_NR; what++)
		file_comm_unmark(file, what, more);
	WARN_ON_ONCE(file_connect(file, batch, false));
}

static int file_set(struct trace_event_file *file, struct tracepoint_batch *batch,
		    bool on, int more[COMM_NR])
{
	if (on)
		return file_enable(file, batch, more);
	file_disable(file, batch, more);
	return 0;
}

/**
 * event_file_enable - switch one event of one instance on or off
 * @file: the event in that instance, not FREED
 * @on:   which
 *
 * When it is switched off, its probe may still be running on return.
 *
 * Context: task, may sleep; event_mutex held.
 * Return: 0, also if it is as wanted already; -ENOMEM or what the tracepoint
 *	   or the class gave, the event being off then.
 */
int event_file_enable(struct trace_event_file *file, bool on)
{
	int more[COMM_NR] = { };
	int ret;

	lockdep_assert_held(&event_mutex);
	if (!on && !(file->flags & EVENT_FILE_FL_ENABLED))
		return 0;
	ret = comm_hold(file->tr);
	if (ret)
		return ret;
	ret = file_set(file, NULL, on, more);
	comm_release(file->tr, more);
	return ret;
}

/**
 * event_file_soft_enable - have an event fire, be it to record nothing
 * @file: the event in some instance, not FREED
 *
 * Nests; event_file_soft_disable() undoes it.
 *
 * Context: task, may sleep; event_mutex held.
 * Return: 0; as event_file_enable(), nothing having changed.
 */
int event_file_soft_enable(struct trace_event_file *file)
{
	int more[COMM_NR] = { };
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	if (!(file->flags & EVENT_FILE_FL_ENABLED)) {
		ret = comm_hold(file->tr);
		if (ret)
			return ret;
		event_file_change_gate(file, STROBE_GATE_SOFT_DISABLED, 0);
		ret = file_turn_on(file, NULL, more);
		comm_release(file->tr, more);
		if (ret)
			event_file_change_gate(file, 0, STROBE_GATE_SOFT_DISABLED);
	}
	if (!ret) {
		file->sm_ref++;
		file->flags |= EVENT_FILE_FL_SOFT_MODE;
	}
	return ret;
}

/**
 * event_file_soft_disable - undo event_file_soft_enable()
 * @file: the event
 *
 * If it was the last user, and the event is not enabled, its probe may still be running
 * on return.
 *
 * Context: task, may sleep; event_mutex held.
 */
void event_file_soft_disable(struct trace_event_file *file)
{
	lockdep_assert_held(&event_mutex);
	if (WARN_ON_ONCE(!file->sm_ref) || --file->sm_ref)
		return;
	file->flags &= ~EVENT_FILE_FL_SOFT_MODE;
	/* The gate stays as it is: a probe may be about to look at it. */
	if (file_is_soft(file))
		event_file_enable(file, false);
}

/**
 * event_file_state - what the event's enable file shows
 * @file: the event in some instance, not FREED
 * @buf:  set to "0" or "1", with "*" behind it if triggers keep it soft
 *
 * Context: task; event_mutex held.
 */
void event_file_state(const struct trace_event_file *file, char buf[4])
{
	buf[0] = file_is_on(file) ? '1' : '0';
	buf[1] = file->flags & EVENT_FILE_FL_SOFT_MODE ? '*' : '\0';
	buf[2] = '\0';
}

/**
 * instance_events_state - what the enable file of many events shows
 * @tr:     the instance
 * @system: of which system; NULL: all
 *
 * Context: task; takes event_mutex.
 * Return: '0' if all are off, '1' if all are on, 'X' if some are, '?' if there
 *	   are none.
 */
char instance_events_state(struct trace_array *tr, const char *system)
{
	struct trace_event_file *file;
	unsigned int seen = 0;

	guard(mutex)(&event_mutex);
	list_for_each_entry(file, &tr->files, list) {
		if (!event_file_can_enable(file))
			continue;
		if (system && strcmp(file->call->class->system, system))
			continue;
		seen |= file->flags & EVENT_FILE_FL_ENABLED ? 2 : 1;
	}
	return "?01X"[seen];
}

/* What a line of set_event selects; NULL: anything. */
struct selection {
	const char *either;	/* name of the event or of its system */
	const char *system;
	const char *event;
};

static bool selected(const struct selection *sel, const struct trace_event_file *file)
{
	const char *system = file->call->class->system;
	const char *name = trace_event_name(file->call);

	if (!event_file_can_enable(file))
		return false;
	if (sel->either && strcmp(sel->either, name) && strcmp(sel->either, system))
		return false;
	if (sel->system && strcmp(sel->system, system))
		return false;
	return !sel->event || !strcmp(sel->event, name);
}

/**
 * struct switching - many files that are being switched
 * @on:	   on or off
 * @more:  see file_comm_mark()
 * @nr:    files that were selected
 * @err:   the first error; -ENOMEM ends it
 * @undo:  which of the instance's files have become on, in the order of their list;
 *	   NULL: they are switched off, for which there is always memory
 */
struct switching {
	bool		on;
	int		more[COMM_NR];
	unsigned int	nr;
	int		err;
	unsigned long	*undo;
};

/* Does this pass switch it? With a batch those on tracepoints, else those with their own way. */
static bool in_pass(const struct trace_event_file *file, const struct tracepoint_batch *batch)
{
	return class_has_enable(file->call) != !!batch;
}

/* One pass over the selected files. But for -ENOMEM, an error is no reason to stop. */
static void set_selected(struct trace_array *tr, const struct selection *sel,
			 struct tracepoint_batch *batch, struct switching *sw)
{
	struct trace_event_file *file;
	unsigned int i = -1;
	bool was_on;
	int ret;

	list_for_each_entry(file, &tr->files, list) {
		i++;
		if (sw->err == -ENOMEM)
			return;
		if (!selected(sel, file) || !in_pass(file, batch))
			continue;
		sw->nr++;
		was_on = file_is_on(file);
		ret = file_set(file, batch, sw->on, sw->more);
		if (ret && (!sw->err || ret == -ENOMEM))
			sw->err = ret;
		else if (!ret && sw->on && !was_on)
			__set_bit(i, sw->undo);
	}
}

/* There was no memory for all: those that are on by now get off again. */
static void unset_selected(struct trace_array *tr, struct tracepoint_batch *batch,
			   struct switching *sw)
{
	struct trace_event_file *file;
	unsigned int i = 0;

	if (sw->err != -ENOMEM || !sw->on)
		return;
	list_for_each_entry(file, &tr->files, list) {
		if (test_bit(i++, sw->undo) && in_pass(file, batch))
			file_disable(file, batch, sw->more);
	}
}

/* event_mutex held */
static int instance_set_selected(struct trace_array *tr,
				 const struct selection *sel, bool on)
{
	struct switching sw = { .on = on };
	struct tracepoint_batch batch;
	int ret;

	if (on) {
		sw.undo = bitmap_zalloc(list_count_nodes(&tr->files), GFP_KERNEL);
		if (!sw.undo)
			return -ENOMEM;
	}
	ret = comm_hold(tr);
	if (ret)
		goto free;
	/* Those with their own way first: the others need no second batch to be undone. */
	set_selected(tr, sel, NULL, &sw);
	tracepoint_batch_begin(&batch);
	set_selected(tr, sel, &batch, &sw);
	unset_selected(tr, &batch, &sw);
	tracepoint_batch_end(&batch);
	unset_selected(tr, NULL, &sw);
	comm_release(tr, sw.more);
	ret = sw.nr ? sw.err : -EINVAL;
free:
	bitmap_free(sw.undo);
	return ret;
}

/**
 * instance_enable_events - switch all events on or off that names select
 * @tr:     the instance
 * @match:  name of an event or of a system; NULL: any
 * @system: name of the system; NULL: any
 * @event:  name of the event; NULL: any
 * @on:     which
 *
 * Context: task, may sleep; takes event_mutex.
 * Return: 0; -EINVAL if nothing is selected; -ENOMEM, nothing having changed; else
 *	   the first error, the other events having been switched.
 */
int instance_enable_events(struct trace_array *tr, const char *match,
			   const char *system, const char *event, bool on)
{
	const struct selection sel = { match, system, event };

	guard(mutex)(&event_mutex);
	return instance_set_selected(tr, &sel, on);
}

static const char *any_if_star(const char *name)
{
	return !*name || !strcmp(name, "*") ? NULL : name;
}

/**
 * instance_set_event_string - obey one word written to set_event
 * @tr:  the instance
 * @buf: "NAME" of an event or a system; "SYSTEM:EVENT" where either may be
 *	 empty or "*" for any. Unchanged on return.
 * @on:  switch on or off
 *
 * Context: task, may sleep; takes event_mutex.
 * Return: as instance_enable_events()
 */
int instance_set_event_string(struct trace_array *tr, char *buf, bool on)
{
	char *colon;
	int ret;

	colon = strchr(buf, ':');
	if (!colon)
		return instance_enable_events(tr, buf, NULL, NULL, on);
	*colon = '\0';
	ret = instance_enable_events(tr, NULL, any_if_star(buf),
				     any_if_star(colon + 1), on);
	*colon = ':';
	return ret;
}

/**
 * instance_disable_all - switch off all events of an instance
 * @tr: the instance
 *
 * Context: task, may sleep; event_mutex held.
 */
void instance_disable_all(struct trace_array *tr)
{
	const struct selection all = { };

	lockdep_assert_held(&event_mutex);
	instance_set_selected(tr, &all, false);
}

/**
 * event_files_record_comm - record names or thread groups for enabled events
 * @tr:   the instance
 * @what: which of the two
 * @on:   from now on, or no more
 *
 * Context: task, may sleep; event_mutex held.
 * Return: 0 or -ENOMEM, nothing having changed.
 */
int event_files_record_comm(struct trace_array *tr, enum comm_what what, bool on)
{
	struct trace_event_file *file;
	int more[COMM_NR] = { };
	int ret;

	lockdep_assert_held(&event_mutex);
	ret = comm_record_start(&tr->comm, what);
	if (ret)
		/* It is not running, so no file is marked. */
		return on ? ret : 0;
	list_for_each_entry(file, &tr->files, list) {
		if (!(file->flags & EVENT_FILE_FL_ENABLED))
			continue;
		if (on)
			file_comm_mark(file, what, more);
		else
			file_comm_unmark(file, what, more);
	}
	comm_record_add(&tr->comm, what, more[what]);
	comm_record_stop(&tr->comm, what);
	return 0;
}

/**
 * event_files_set_gate - make all events of an instance take the slow path
 * @tr:   the instance
 * @gate: for which reason, STROBE_GATE_*
 * @on:   from now on, or no more
 *
 * Context: task; event_mutex held.
 */
void event_files_set_gate(struct trace_array *tr, unsigned long gate, bool on)
{
	struct trace_event_file *file;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(file, &tr->files, list)
		event_file_change_gate(file, on ? gate : 0, on ? 0 : gate);
}

/**
 * event_file_change_gate - change what has to be done when an event fires
 * @file: the event in some instance
 * @set: bits that are to be set, STROBE_GATE_*
 * @clear: those that are to be cleared
 *
 * Who finds a bit set in any context finds what was made before (GATE:A, record.c).
 *
 * Context: any. But for STROBE_GATE_SOFT_DISABLED, who changes a bit holds
 *	event_mutex.
 */
notrace void event_file_change_gate(struct trace_event_file *file, unsigned long set,
				    unsigned long clear)
{
	unsigned long old = READ_ONCE(file->sink.gate);

	/* GATE:A pairs with the acquire in event_reserve_gated(). */
	while (!try_cmpxchg_release(&file->sink.gate, &old, (old & ~clear) | set))
		;
}

/**
 * trace_set_clr_event - switch events of the top instance on or off
 * @system: name of the system; NULL: any
 * @event:  name of the event; NULL: any
 * @set:    1: on, 0: off
 *
 * Context: task, may sleep; takes event_mutex.
 * Return: 0; -ENODEV if there is no tracing; -EINVAL if nothing is selected;
 *	   else the first error.
 */
int trace_set_clr_event(const char *system, const char *event, int set)
{
	if (tracing_is_disabled())
		return -ENODEV;
	return instance_enable_events(top_instance, NULL, system, event, set);
}
EXPORT_SYMBOL_GPL(trace_set_clr_event);

/**
 * trace_array_set_clr_event - switch events of an instance on or off
 * @tr:     the instance
 * @system: name of the system; NULL: any
 * @event:  name of the event; NULL: any
 * @enable: on or off
 *
 * Context: task, may sleep; takes event_mutex.
 * Return: 0; -ENOENT if @tr is NULL; -EINVAL if nothing is selected; else the
 *	   first error.
 */
int trace_array_set_clr_event(struct trace_array *tr, const char *system,
			      const char *event, bool enable)
{
	if (!tr)
		return -ENOENT;
	return instance_enable_events(tr, NULL, system, event, enable);
}
EXPORT_SYMBOL_GPL(trace_array_set_clr_event);
