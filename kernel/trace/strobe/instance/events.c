// SPDX-License-Identifier: GPL-2.0
/*
 * Enabling and disabling events, one by one and by the language of set_event.
 *
 * States of an event file (strobe_event_mutex)
 *	off	ENABLED clear, or no event file; no probe uses the file
 *	on	ENABLED set; the class's probe, or what the class has instead,
 *		is connected with the file's sink
 *	soft	as on, but with STROBE_GATE_SOFT_DISABLED: nothing is recorded
 * sm_ref counts the users of soft mode (SOFT_MODE): the triggers of the event and those
 * that switch it. While there are any, the file is soft instead of off, and triggers may
 * switch it between on and soft in any context, by changing only that gate bit.
 * RECORDED_CMD and RECORDED_TGID: the file is counted as a user of the recorder of
 * names, or of thread groups; only while ENABLED is set.
 * WAS_ENABLED is set when the event is first enabled, or, if it has a connect(), when that is first
 * tried. It is never cleared.
 *
 * Enabling many events: those on tracepoints go into one batch of the tracepoint
 * core, so that code is patched, and CPUs are synchronized, once for all of them. The
 * batch holds the tracepoint core's lock: no other probe can be registered, and
 * comm_mutex must not be taken. So the caller is a user of the recorder of tasks
 * while it enables events, and changes its number of users afterwards.
 *
 * Contexts: task. Lock order: strobe_event_mutex, comm_mutex, the tracepoint core's. To enable
 * an event also takes strobe_instance_mutex, after the first, if the instance was made by
 * mkdir.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/xarray.h>

#include "event/event.h"
#include "instance/instance.h"
#include "record/gate.h"
#include "tracepoint/tracepoint.h"

static bool class_has_connect(const struct trace_event_call *call)
{
	return call->class->ops && call->class->ops->connect;
}

/**
 * strobe_event_call_can_enable - whether users can enable an event
 * @call: a registered event
 *
 * Context: any.
 * Return: false for most events of the engine itself.
 */
bool strobe_event_call_can_enable(const struct trace_event_call *call)
{
	return event_can_enable(call) && trace_event_name(call) &&
	       (call->class->probe || class_has_connect(call));
}

static const unsigned long comm_flags[COMM_NR] = {
	[COMM_NAMES] = EVENT_FILE_FL_RECORDED_CMD,
	[COMM_TGIDS] = EVENT_FILE_FL_RECORDED_TGID,
};

/*
 * Mark a file as a user of the recorder. @more counts the users added, for
 * comm_release(), which runs when the tracepoint core's lock has been released.
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
 * Become a user of the recorders that the options ask for, until comm_release(). The
 * options cannot change before that: strobe_event_mutex is held.
 */
static int comm_hold(struct trace_array *tr)
{
	int ret = 0;

	if (comm_wanted(tr, COMM_NAMES))
		ret = strobe_comm_record_start(&tr->comm, COMM_NAMES);
	if (ret || !comm_wanted(tr, COMM_TGIDS))
		return ret;
	ret = strobe_comm_record_start(&tr->comm, COMM_TGIDS);
	if (ret && comm_wanted(tr, COMM_NAMES))
		strobe_comm_record_stop(&tr->comm, COMM_NAMES);
	return ret;
}

/* Count the files that were marked or unmarked. @held: comm_hold() has returned 0. */
static void comm_release(struct trace_array *tr, const int more[COMM_NR], bool held)
{
	enum comm_what what;

	for (what = 0; what < COMM_NR; what++)
		strobe_comm_record_add(&tr->comm, what,
				       more[what] - (held && comm_wanted(tr, what)));
}

/* Register or unregister the event's probe, as a part of @batch if that is not NULL. */
static int file_connect(struct trace_event_file *file,
			struct tracepoint_batch *batch, bool on)
{
	struct trace_event_call *call = file->call;
	void *probe = call->class->probe;

	/* ftrace:print is fired by markers, not by a probe. */
	if (!strobe_event_call_can_enable(call))
		return 0;
	if (class_has_connect(call))
		return call->class->ops->connect(call, &file->sink, on);
	if (on && !event_has_tracepoint(call))
		return -ENODEV;
	if (batch)
		return on ? strobe_tracepoint_batch_register(batch, call->tp, probe, file,
							     TRACEPOINT_DEFAULT_PRIO) :
			    strobe_tracepoint_batch_unregister(batch, call->tp, probe, file);
	return on ? tracepoint_probe_register(call->tp, probe, file) :
		    tracepoint_probe_unregister(call->tp, probe, file);
}

/* off -> on, or off -> soft if the gate has STROBE_GATE_SOFT_DISABLED */
static int file_turn_on(struct trace_event_file *file,
			struct tracepoint_batch *batch, int more[COMM_NR])
{
	enum comm_what what;
	int ret;

	/* Even if that fails, one of several probes of a dynamic event may have fired. */
	if (class_has_connect(file->call))
		file->flags |= EVENT_FILE_FL_WAS_ENABLED;
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
	/* WAS_ENABLED stays: from now on the ring may hold records of the event. */
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

/* off or soft -> on */
static int file_enable(struct trace_event_file *file,
		       struct tracepoint_batch *batch, int more[COMM_NR])
{
	const bool was_on = file_is_on(file);
	int ret = 0;

	strobe_event_file_change_gate(file, 0, STROBE_GATE_SOFT_DISABLED);
	if (!(file->flags & EVENT_FILE_FL_ENABLED))
		ret = file_turn_on(file, batch, more);
	if (!ret && !was_on)
		WRITE_ONCE(file->tr->switched_on, file->tr->switched_on + 1);
	return ret;
}

/* on -> off, or on -> soft if triggers need the event */
static void file_disable(struct trace_event_file *file,
			 struct tracepoint_batch *batch, int more[COMM_NR])
{
	enum comm_what what;

	if (!(file->flags & EVENT_FILE_FL_ENABLED))
		return;
	if (file->flags & EVENT_FILE_FL_SOFT_MODE) {
		strobe_event_file_change_gate(file, STROBE_GATE_SOFT_DISABLED, 0);
		return;
	}
	file->flags &= ~EVENT_FILE_FL_ENABLED;
	for (what = 0; what < COMM_NR; what++)
		file_comm_unmark(file, what, more);
	WARN_ON_ONCE(file_connect(file, batch, false));
}

/* Enable or disable an event. @more counts the events that need each kind of saved names. */
static int file_set(struct trace_event_file *file, struct tracepoint_batch *batch,
		    bool on, int more[COMM_NR])
{
	if (on)
		return file_enable(file, batch, more);
	file_disable(file, batch, more);
	return 0;
}

/**
 * strobe_event_file_enable - enable or disable an event in an instance
 * @file: the event file, not FREED
 * @on:   true: enable
 *
 * After disabling, the probe may still be running on return.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0, also if nothing had to be changed; -ENOMEM, or the error of the
 *	   tracepoint or of the class. On error the event is off.
 */
int strobe_event_file_enable(struct trace_event_file *file, bool on)
{
	int more[COMM_NR] = { };
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	if (!on && !(file->flags & EVENT_FILE_FL_ENABLED))
		return 0;
	ret = on ? strobe_instance_use_ring(file->tr) : 0;
	if (!ret && on)
		ret = comm_hold(file->tr);
	if (ret)
		return ret;
	ret = file_set(file, NULL, on, more);
	comm_release(file->tr, more, on);
	return ret;
}

/**
 * strobe_event_file_soft_enable - put an event into soft mode, so that it fires
 * @file: the event file, not FREED
 *
 * Nests; strobe_event_file_soft_disable() undoes it.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: as strobe_event_file_enable()
 */
int strobe_event_file_soft_enable(struct trace_event_file *file)
{
	int more[COMM_NR] = { };
	int ret = 0;

	lockdep_assert_held(&strobe_event_mutex);
	if (!(file->flags & EVENT_FILE_FL_ENABLED)) {
		ret = strobe_instance_use_ring(file->tr);
		if (!ret)
			ret = comm_hold(file->tr);
		if (ret)
			return ret;
		strobe_event_file_change_gate(file, STROBE_GATE_SOFT_DISABLED, 0);
		/* After an error SOFT_DISABLED stays, for a probe that is still running. */
		ret = file_turn_on(file, NULL, more);
		comm_release(file->tr, more, true);
	}
	if (!ret) {
		file->sm_ref++;
		file->flags |= EVENT_FILE_FL_SOFT_MODE;
	}
	return ret;
}

/**
 * strobe_event_file_soft_disable - undo strobe_event_file_soft_enable()
 * @file: the event file
 *
 * If this was the last user, and the event is not enabled, its probe may still be
 * running on return.
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_event_file_soft_disable(struct trace_event_file *file)
{
	lockdep_assert_held(&strobe_event_mutex);
	if (WARN_ON_ONCE(!file->sm_ref) || --file->sm_ref)
		return;
	file->flags &= ~EVENT_FILE_FL_SOFT_MODE;
	/* Keep SOFT_DISABLED set: a probe that is still running may read the gate. */
	if (file_is_soft(file))
		strobe_event_file_enable(file, false);
}

/**
 * strobe_event_file_state - get what the event's enable file shows
 * @file: the event file, not FREED
 * @buf:  set to "0" or "1", followed by "*" in soft mode
 *
 * Context: task; strobe_event_mutex held.
 */
void strobe_event_file_state(const struct trace_event_file *file, char buf[4])
{
	buf[0] = file_is_on(file) ? '1' : '0';
	buf[1] = file->flags & EVENT_FILE_FL_SOFT_MODE ? '*' : '\0';
	buf[2] = '\0';
}

/* The events that a line of set_event selects; a NULL member matches any. */
struct selection {
	const char *either;	/* name of the event or of its system */
	const char *system;
	const char *event;
};

static bool selected(const struct trace_array *tr, const struct selection *sel,
		     const struct trace_event_call *call)
{
	const char *system = call->class->system;
	const char *name = trace_event_name(call);

	if (!strobe_event_call_can_enable(call))
		return false;
	if (sel->either && strcmp(sel->either, name) && strcmp(sel->either, system))
		return false;
	if (sel->system && strcmp(sel->system, system))
		return false;
	if (sel->event && strcmp(sel->event, name))
		return false;
	return strobe_instance_has_system(tr, system);
}

/**
 * strobe_instance_events_state - get what the enable file of many events shows
 * @tr:     the instance
 * @system: name of the system; NULL: all
 *
 * Context: task; takes strobe_event_mutex.
 * Return: '0' if all are off, '1' if all are on, 'X' if some are, '?' if there
 *	   are none.
 */
char strobe_instance_events_state(struct trace_array *tr, const char *system)
{
	const struct selection all = { .system = system };
	const struct trace_event_file *file;
	const struct trace_event_call *call;
	unsigned int seen = 0;

	guard(mutex)(&strobe_event_mutex);
	for_each_event(call) {
		if (!selected(tr, &all, call))
			continue;
		file = instance_event_file(tr, call);
		seen |= file && file->flags & EVENT_FILE_FL_ENABLED ? 2 : 1;
	}
	return "?01X"[seen];
}

/**
 * struct switching - the enabling or disabling of many event files
 * @on:	   true: enable
 * @more:  change of the number of users of each recorder of tasks
 * @nr:    number of selected files
 * @err:   the first error; after -ENOMEM no more files are switched
 * @undo:  bitmap of events that were enabled, by their index in the list of events; NULL
 *	   when disabling, which needs no memory
 */
struct switching {
	bool		on;
	int		more[COMM_NR];
	unsigned int	nr;
	int		err;
	unsigned long	*undo;
};

/* A pass with a batch switches events on tracepoints, one without a batch all others. */
static bool in_pass(const struct trace_event_call *call, const struct tracepoint_batch *batch)
{
	return class_has_connect(call) != !!batch;
}

/* Switch an event. Returns true if it is on now, and was not. */
static bool switch_event(struct trace_array *tr, struct trace_event_call *call,
			 struct tracepoint_batch *batch, struct switching *sw)
{
	struct trace_event_file *file;
	bool was_on;
	int ret;

	/* An event that has not been used is off. */
	file = sw->on ? strobe_event_file_make(tr, call) : instance_event_file(tr, call);
	if (!file)
		return false;
	if (IS_ERR(file)) {
		sw->err = PTR_ERR(file);
		return false;
	}
	was_on = file_is_on(file);
	ret = file_set(file, batch, sw->on, sw->more);
	if (ret && (!sw->err || ret == -ENOMEM))
		sw->err = ret;
	return !ret && sw->on && !was_on;
}

/* Switch the selected events of one pass. Only -ENOMEM ends it early. */
static void set_selected(struct trace_array *tr, const struct selection *sel,
			 struct tracepoint_batch *batch, struct switching *sw)
{
	struct trace_event_call *call;
	unsigned int i = -1;

	for_each_event(call) {
		i++;
		if (sw->err == -ENOMEM)
			return;
		if (!in_pass(call, batch) || !selected(tr, sel, call))
			continue;
		sw->nr++;
		if (switch_event(tr, call, batch, sw))
			__set_bit(i, sw->undo);
	}
}

/* After -ENOMEM, disable the events that were enabled. */
static void unset_selected(struct trace_array *tr, struct tracepoint_batch *batch,
			   struct switching *sw)
{
	struct trace_event_call *call;
	unsigned int i = 0;

	if (sw->err != -ENOMEM || !sw->on)
		return;
	for_each_event(call) {
		if (!test_bit(i++, sw->undo) || !in_pass(call, batch))
			continue;
		file_disable(instance_event_file(tr, call), batch, sw->more);
		WRITE_ONCE(tr->switched_on, tr->switched_on - 1);
	}
}

static unsigned int count_events(void)
{
	const struct trace_event_call *call;
	unsigned int nr = 0;

	for_each_event(call)
		nr++;
	return nr;
}

/* strobe_event_mutex held */
static int instance_set_selected(struct trace_array *tr,
				 const struct selection *sel, bool on)
{
	struct switching sw = { .on = on };
	struct tracepoint_batch batch;
	int ret;

	if (on) {
		ret = strobe_instance_use_ring(tr);
		if (ret)
			return ret;
		sw.undo = bitmap_zalloc(count_events(), GFP_KERNEL);
		if (!sw.undo)
			return -ENOMEM;
		ret = comm_hold(tr);
		if (ret)
			goto free;
	}
	/* The pass without a batch goes first, so that undoing needs no second batch. */
	set_selected(tr, sel, NULL, &sw);
	strobe_tracepoint_batch_begin(&batch);
	set_selected(tr, sel, &batch, &sw);
	unset_selected(tr, &batch, &sw);
	strobe_tracepoint_batch_end(&batch);
	unset_selected(tr, NULL, &sw);
	comm_release(tr, sw.more, on);
	ret = sw.nr ? sw.err : -EINVAL;
free:
	bitmap_free(sw.undo);
	return ret;
}

/**
 * strobe_instance_enable_events - enable or disable events by name
 * @tr:     the instance
 * @match:  name of an event or of a system; NULL: any
 * @system: name of the system; NULL: any
 * @event:  name of the event; NULL: any
 * @on:     true: enable
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -EINVAL if no event matches; -ENOMEM, and nothing has changed; or the
 *	   first error, and all other events have been switched.
 */
int strobe_instance_enable_events(struct trace_array *tr, const char *match,
				  const char *system, const char *event, bool on)
{
	const struct selection sel = { match, system, event };

	guard(mutex)(&strobe_event_mutex);
	return instance_set_selected(tr, &sel, on);
}

static const char *any_if_star(const char *name)
{
	return !*name || !strcmp(name, "*") ? NULL : name;
}

/**
 * strobe_instance_set_event_string - apply one word written to set_event
 * @tr:  the instance
 * @buf: "NAME" of an event or a system; or "SYSTEM:EVENT", where either may be
 *	 empty or "*" for any. Unchanged on return.
 * @on:  true: enable
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: as strobe_instance_enable_events()
 */
int strobe_instance_set_event_string(struct trace_array *tr, char *buf, bool on)
{
	char *colon;
	int ret;

	colon = strchr(buf, ':');
	if (!colon)
		return strobe_instance_enable_events(tr, buf, NULL, NULL, on);
	*colon = '\0';
	ret = strobe_instance_enable_events(tr, NULL, any_if_star(buf),
					    any_if_star(colon + 1), on);
	*colon = ':';
	return ret;
}

/**
 * strobe_instance_disable_all - disable all events of an instance
 * @tr: the instance
 *
 * Context: task, may sleep; strobe_event_mutex held.
 */
void strobe_instance_disable_all(struct trace_array *tr)
{
	const struct selection all = { };

	lockdep_assert_held(&strobe_event_mutex);
	instance_set_selected(tr, &all, false);
}

/**
 * strobe_event_files_record_comm - start or stop recording names or thread groups of tasks
 * @tr:   the instance
 * @what: names or thread groups
 * @on:   true: start
 *
 * Context: task, may sleep; strobe_event_mutex held.
 * Return: 0 or -ENOMEM; on error nothing has changed.
 */
int strobe_event_files_record_comm(struct trace_array *tr, enum comm_what what, bool on)
{
	struct trace_event_file *file;
	int more[COMM_NR] = { };
	unsigned long type;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	ret = on ? strobe_comm_record_start(&tr->comm, what) : 0;
	if (ret)
		return ret;
	xa_for_each(&tr->files, type, file) {
		if (!(file->flags & EVENT_FILE_FL_ENABLED))
			continue;
		if (on)
			file_comm_mark(file, what, more);
		else
			file_comm_unmark(file, what, more);
	}
	strobe_comm_record_add(&tr->comm, what, more[what] - on);
	return 0;
}

/**
 * trace_set_clr_event - enable or disable events of the top instance
 * @system: name of the system; NULL: any
 * @event:  name of the event; NULL: any
 * @set:    1: enable, 0: disable
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -ENODEV if tracing is disabled; -EINVAL if no event matches; or the
 *	   first error.
 */
int trace_set_clr_event(const char *system, const char *event, int set)
{
	if (tracing_is_disabled())
		return -ENODEV;
	return strobe_instance_enable_events(top_instance, NULL, system, event, set);
}
EXPORT_SYMBOL_GPL(trace_set_clr_event);

/**
 * trace_array_set_clr_event - enable or disable events of an instance
 * @tr:     the instance
 * @system: name of the system; NULL: any
 * @event:  name of the event; NULL: any
 * @enable: true: enable
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -ENOENT if @tr is NULL; -EINVAL if no event matches; or the first
 *	   error.
 */
int trace_array_set_clr_event(struct trace_array *tr, const char *system,
			      const char *event, bool enable)
{
	if (!tr)
		return -ENOENT;
	return strobe_instance_enable_events(tr, NULL, system, event, enable);
}
EXPORT_SYMBOL_GPL(trace_array_set_clr_event);
