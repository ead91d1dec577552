// SPDX-License-Identifier: GPL-2.0
/*
 * Options of an instance, and the effects of setting them.
 *
 * tr->options is written under strobe_instance_mutex only, and read anywhere with
 * READ_ONCE(). Most options are only a bit that other code reads; the others have a
 * row in option_effects[], whose function runs before the bit changes and may return
 * an error, upon which it does not change.
 *
 * Lock order: strobe_event_mutex, strobe_instance_mutex.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "event/event.h"
#include "instance/instance.h"
#include "record/gate.h"

/* The list is in the order of the bits. */
#define OPTION_NAME(id, name)	name,

const char * const strobe_option_names[STROBE_NR_OPTIONS] = {
	STROBE_OPTION_LIST(OPTION_NAME)
};

/* Start the recorder of each instance. Return: 0, or the first error and none is started. */
static int start_recorders(enum comm_what what)
{
	struct trace_array *tr;
	int ret;

	instance_for_each(tr) {
		ret = strobe_comm_record_start(&tr->comm, what);
		if (ret)
			goto undo;
	}
	return 0;
undo:
	list_for_each_entry_continue_reverse(tr, &strobe_instance_list, list)
		strobe_comm_record_stop(&tr->comm, what);
	return ret;
}

/*
 * The option of the top instance acts on the events that are enabled in any instance, and leaves
 * the options of the other instances as they are: ABI.
 */
static int set_record_of_all(enum comm_what what, bool on)
{
	struct trace_array *tr;
	/* With a recorder that runs, the next step cannot fail. */
	int ret = on ? start_recorders(what) : 0;

	if (ret)
		return ret;
	instance_for_each(tr) {
		strobe_event_files_record_comm(tr, what, on);
		if (on)
			strobe_comm_record_stop(&tr->comm, what);
	}
	return 0;
}

static int set_record(struct trace_array *tr, enum comm_what what, bool on)
{
	return instance_is_top(tr) ? set_record_of_all(what, on) :
				     strobe_event_files_record_comm(tr, what, on);
}

static int set_record_cmd(struct trace_array *tr, bool on)
{
	return set_record(tr, COMM_NAMES, on);
}

static int set_record_tgid(struct trace_array *tr, bool on)
{
	return set_record(tr, COMM_TGIDS, on);
}

static int set_overwrite(struct trace_array *tr, bool on)
{
	struct strobe_ring *snapshot = instance_snapshot_ring(tr);

	strobe_ring_set_overwrite(tr->ring, on);
	if (snapshot)
		strobe_ring_set_overwrite(snapshot, on);
	return 0;
}

static int set_printk(struct trace_array *tr, bool on)
{
	if (!strobe_instance_printk_used || !instance_is_top(tr))
		return 0;
	return strobe_instance_printk_record_names(on);
}

static int set_event_fork(struct trace_array *tr, bool on)
{
	return strobe_instance_follow_forks(tr, on);
}

static int set_function_fork(struct trace_array *tr, bool on)
{
	ftrace_pid_follow_fork(tr, on);
	return 0;
}

/* Clearing the option selects the top instance, where it cannot be cleared. */
static int set_printk_dest(struct trace_array *tr, bool on)
{
	int ret;

	if (!on && instance_is_top(tr))
		return -EINVAL;
	ret = on ? strobe_instance_use_ring_locked(tr) : 0;
	if (ret)
		return ret;
	return strobe_instance_printk_move(on ? tr : top_instance);
}

/* Both kinds of stacks share a gate bit. */
static int set_stacktrace(struct trace_array *tr, bool on)
{
	on |= !!(tr->options & STROBE_OPT_USERSTACKTRACE);
	strobe_event_files_set_gate(tr, STROBE_GATE_STACKTRACE, on);
	return 0;
}

static int set_userstacktrace(struct trace_array *tr, bool on)
{
	on |= !!(tr->options & STROBE_OPT_STACKTRACE);
	strobe_event_files_set_gate(tr, STROBE_GATE_STACKTRACE, on);
	return 0;
}

static const struct {
	unsigned int	mask;
	int		(*set)(struct trace_array *tr, bool on);
} option_effects[] = {
	{ STROBE_OPT_RECORD_CMD,	set_record_cmd },
	{ STROBE_OPT_RECORD_TGID,	set_record_tgid },
	{ STROBE_OPT_OVERWRITE,		set_overwrite },
	{ STROBE_OPT_PRINTK,		set_printk },
	{ STROBE_OPT_EVENT_FORK,	set_event_fork },
	{ STROBE_OPT_TRACE_PRINTK_DEST,	set_printk_dest },
	{ STROBE_OPT_FUNCTION_FORK,	set_function_fork },
	{ STROBE_OPT_STACKTRACE,	set_stacktrace },
	{ STROBE_OPT_USERSTACKTRACE,	set_userstacktrace },
};

static int option_apply(struct trace_array *tr, unsigned int mask, bool on)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(option_effects); i++) {
		if (option_effects[i].mask & mask)
			return option_effects[i].set(tr, on);
	}
	return 0;
}

/**
 * strobe_instance_set_option - set or clear one option
 * @tr:  the instance
 * @bit: the option, an enum strobe_option_bit
 * @on:  true: set
 *
 * Context: task, may sleep; takes strobe_event_mutex and strobe_instance_mutex.
 * Return: 0, also if nothing had to be changed; -EINVAL if there is no such
 *	   option, or it cannot be cleared in this instance; -ENOMEM. On error
 *	   nothing has changed.
 */
int strobe_instance_set_option(struct trace_array *tr, unsigned int bit, bool on)
{
	unsigned int mask;
	int ret;

	if (bit >= STROBE_NR_OPTIONS)
		return -EINVAL;
	mask = BIT(bit);

	guard(mutex)(&strobe_event_mutex);
	guard(mutex)(&strobe_instance_mutex);
	if (!(tr->options & mask) == !on)
		return 0;
	ret = option_apply(tr, mask, on);
	if (ret)
		return ret;
	/* option_apply() may have changed other bits of tr->options: read it only now. */
	WRITE_ONCE(tr->options, on ? tr->options | mask : tr->options & ~mask);
	return 0;
}

/**
 * strobe_instance_set_option_string - set or clear an option by name
 * @tr:     the instance
 * @option: name of the option, prefixed by "no" to clear it; blanks around it are
 *	    stripped in place
 *
 * Context: task, may sleep; takes strobe_event_mutex and strobe_instance_mutex.
 * Return: as strobe_instance_set_option()
 */
int strobe_instance_set_option_string(struct trace_array *tr, char *option)
{
	const char *name = strstrip(option);
	size_t no = str_has_prefix(name, "no");
	int bit;

	bit = match_string(strobe_option_names, STROBE_NR_OPTIONS, name + no);
	if (bit < 0)
		return -EINVAL;
	return strobe_instance_set_option(tr, bit, !no);
}
