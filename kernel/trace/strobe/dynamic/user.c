// SPDX-License-Identifier: GPL-2.0
/*
 * Events of user space: finding, making and removing them.
 *
 * A process registers an event by a description: a name and fields. Processes with the same
 * description share the event.
 *
 * References to an event are held by open files (user_file.c), by enablers (user_mm.c), and
 * by the event itself while it has sinks. An event with references is pinned, so that it
 * cannot be removed. One without references is unused. Unless it is persistent, a work item
 * then removes it: the last reference may be dropped where an event cannot be removed, such
 * as while it is being disabled.
 *
 * States of an event (unused_lock)
 *	used	  refs > 0, pinned
 *	unused	  refs = 0, not pinned, in unused_events
 *	kept	  the same, but persistent, and in no list
 * used -> unused or kept: strobe_user_event_put(); back: the event is found again.
 *
 * No user memory is touched under a lock here: a process cannot delay others by making its
 * memory slow.
 *
 * Contexts: task. Lock order: user_file::lock, strobe_event_mutex, unused_lock.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/init.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/sysctl.h>
#include <linux/user_events.h>
#include <linux/workqueue.h>

#include "dynamic/dynamic.h"
#include "dynamic/user.h"
#include "dynamic/user_event.h"
#include "dynamic/user_fields.h"
#include "output/output.h"

#define EVENT_HASH_BITS	10

/* A directory in tracefs has the name of the event, to which ".NUMBER" may be added. */
#define NAME_BYTES_MAX	(NAME_MAX - 17)

/* By user_event::name; strobe_event_mutex. */
static DEFINE_HASHTABLE(user_events, EVENT_HASH_BITS);
static unsigned int nr_user_events;
static unsigned int max_user_events = 32768;
/* Number of multi-format events that have been made. */
static u64 multi_id;

static DEFINE_SPINLOCK(unused_lock);
static LIST_HEAD(unused_events);
static void remove_unused(struct work_struct *work);
static DECLARE_DELAYED_WORK(remove_work, remove_unused);

/* References */

static struct trace_event_call *call_of(const struct user_event *event)
{
	return &event->probe.event->dynamic.call;
}

static struct user_event *of_probe(const struct dyn_probe *probe)
{
	return container_of(probe, struct user_event, probe);
}

/**
 * strobe_user_event_get - get one more reference to an event
 * @event: the event, to which the caller has a reference
 *
 * Context: any.
 * Return: @event
 */
struct user_event *strobe_user_event_get(struct user_event *event)
{
	refcount_inc(&event->refs);
	return event;
}

/* used -> unused or kept; unused_lock held */
static void user_event_unused(struct user_event *event)
{
	strobe_event_call_put(call_of(event));
	if (event->flags & USER_EVENT_REG_PERSIST)
		return;
	list_add_tail(&event->unused, &unused_events);
	/* It may be queued to run later, for an event that is still pinned: let it run now. */
	mod_delayed_work(system_wq, &remove_work, 0);
}

/**
 * strobe_user_event_put - drop a reference to an event
 * @event: the event
 *
 * Context: task.
 */
void strobe_user_event_put(struct user_event *event)
{
	if (refcount_dec_not_one(&event->refs))
		return;
	/* The task that removes the event takes this lock before it frees it. */
	spin_lock(&unused_lock);
	if (refcount_dec_and_test(&event->refs))
		user_event_unused(event);
	spin_unlock(&unused_lock);
}

/* Get a reference to an event that may be unused; strobe_event_mutex held. */
static struct user_event *user_event_use(struct user_event *event)
{
	spin_lock(&unused_lock);
	if (!refcount_inc_not_zero(&event->refs)) {
		refcount_set(&event->refs, 1);
		list_del_init(&event->unused);
		strobe_event_call_get(call_of(event));
	}
	spin_unlock(&unused_lock);
	return event;
}

/* The class */

static void user_print_fmt(struct seq_file *m, const struct trace_event_call *call)
{
	strobe_user_fields_print_fmt(m, &of_probe(dyn_event_of(call)->probes)->fields);
}

static const struct strobe_class_ops user_ops = {
	.connect	= strobe_dyn_connect,
	.print_fmt	= user_print_fmt,
};

/* The kind */

static int user_arm(struct dyn_probe *probe)
{
	struct user_event *event = user_event_use(of_probe(probe));

	strobe_user_enablers_set(event, true);
	return 0;
}

static void user_disarm(struct dyn_probe *probe)
{
	struct user_event *event = of_probe(probe);

	strobe_user_enablers_set(event, false);
	strobe_user_event_put(event);
}

/* Writers have references, so there are none. */
static void user_unbind(struct dyn_probe **probes, unsigned int nr)
{
	synchronize_rcu();
}

static void user_free(struct dyn_probe *probe)
{
	struct user_event *event = of_probe(probe);

	scoped_guard(spinlock, &unused_lock)
		list_del_init(&event->unused);
	if (!hlist_unhashed(&event->node)) {
		hash_del(&event->node);
		nr_user_events--;
	}
	strobe_user_fields_free(&event->fields);
	kfree(event->name);
}

static void user_show(struct seq_file *m, const struct dyn_probe *probe)
{
	const struct user_event *event = of_probe(probe);

	seq_printf(m, "%s%s", USER_EVENTS_PREFIX, event->name);
	if (event->fields.nr)
		seq_printf(m, " %s", event->fields.text);
}

static bool user_may(u16 flags)
{
	return !(flags & USER_EVENT_REG_PERSIST) || perfmon_capable();
}

static int user_may_remove(const struct dyn_probe *probe)
{
	return user_may(of_probe(probe)->flags) ? 0 : -EPERM;
}

/*
 * "-:[GROUP/]NAME [FIELDS]": the name as registered, whatever the number of a format. A whole
 * group cannot be meant.
 */
static bool user_matches(const struct dyn_probe *probe, const char *group, const char *name,
			 const char *fields)
{
	const struct user_event *event = of_probe(probe);

	if (strcmp(name, event->name))
		return false;
	if (group && strcmp(group, USER_EVENTS_SYSTEM) && strcmp(group, USER_EVENTS_MULTI_SYSTEM))
		return false;
	return !*fields || strobe_user_fields_match(&event->fields, fields);
}

static int user_define(struct dyn_line *line);

const struct dyn_kind strobe_dyn_user = {
	.letters	= "u",
	.group		= USER_EVENTS_SYSTEM,
	.where		= USER_EVENTS_SYSTEM,
	.call_flags	= TRACE_EVENT_FL_TRACEPOINT,
	.define		= user_define,
	.show		= user_show,
	.matches	= user_matches,
	.may_remove	= user_may_remove,
	.arm		= user_arm,
	.disarm		= user_disarm,
	.unbind		= user_unbind,
	.free		= user_free,
};

/* Finding and making events */

static u32 name_key(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/*
 * Names in the directory of the events, which has two files for all of them: a directory would hide
 * the file. Other dynamic events are named by root, and keep the names that classic accepts.
 */
static const char * const names_in_use[] = { ".", "..", "enable", "filter" };

/* The name is part of a path, and stands in lists with one event a line. */
static bool name_is_good(const char *name)
{
	const char *c;

	if (!*name || strlen(name) > NAME_BYTES_MAX ||
	    match_string(names_in_use, ARRAY_SIZE(names_in_use), name) >= 0)
		return false;
	for (c = name; *c; c++) {
		if (!isascii(*c) || !isgraph(*c) || *c == '/')
			return false;
	}
	return true;
}

/**
 * strobe_user_desc_parse - split "NAME [FIELDS]"
 * @desc:  set to the parts
 * @text:  the text, which is split in place
 * @flags: USER_EVENT_REG_*
 *
 * After a ':' the name would have flags as a text, of which there are none.
 *
 * Context: task.
 * Return: 0; -EINVAL: no good name; -EPERM: the task may not make persistent events
 */
int strobe_user_desc_parse(struct event_desc *desc, char *text, u16 flags)
{
	char *fields = strchr(text, ' ');

	if (fields)
		*fields++ = '\0';
	if (strchr(text, ':'))
		return -EINVAL;
	if (!user_may(flags))
		return -EPERM;
	if (!name_is_good(text))
		return -EINVAL;
	desc->name = text;
	desc->fields = fields ?: "";
	desc->flags = flags;
	return 0;
}

/* Return: the event with a reference; NULL: there is none; -EADDRINUSE: it has other fields */
static struct user_event *user_event_find(const struct event_desc *desc)
{
	const u16 multi = desc->flags & USER_EVENT_REG_MULTI_FORMAT;
	struct user_event *event;

	lockdep_assert_held(&strobe_event_mutex);
	hash_for_each_possible(user_events, event, node, name_key(desc->name)) {
		if ((event->flags & USER_EVENT_REG_MULTI_FORMAT) != multi ||
		    strcmp(event->name, desc->name))
			continue;
		if (strobe_user_fields_match(&event->fields, desc->fields))
			return user_event_use(event);
		if (!multi)
			return ERR_PTR(-EADDRINUSE);
	}
	return NULL;
}

static void user_event_free(struct user_event *event)
{
	struct dyn_event *of = event->probe.event;

	if (of) {
		strobe_dyn_probe_part(&event->probe);
		strobe_dyn_event_free(of);
	}
	strobe_dyn_probe_free(&strobe_dyn_user, &event->probe);
}

/* An event of a description, which is not in user_events yet, without its struct dyn_event */
static struct user_event *user_event_alloc(const struct event_desc *desc)
{
	struct dyn_probe *probe = strobe_dyn_probe_alloc(sizeof(struct user_event));
	struct user_event *event;
	int ret = -ENOMEM;

	if (!probe)
		return ERR_PTR(ret);
	event = of_probe(probe);
	INIT_LIST_HEAD(&event->unused);
	INIT_LIST_HEAD(&event->enablers);
	event->flags = desc->flags;
	event->name = kstrdup(desc->name, GFP_KERNEL_ACCOUNT);
	if (event->name)
		ret = strobe_user_fields_parse(&event->fields, desc->fields);
	if (!ret)
		return event;
	user_event_free(event);
	return ERR_PTR(ret);
}

static int user_event_add_call(struct user_event *event)
{
	bool multi = event->flags & USER_EVENT_REG_MULTI_FORMAT;
	char name[NAME_MAX + 1];
	struct dyn_event *of;

	if (multi)
		snprintf(name, sizeof(name), "%s.%llx", event->name, multi_id);
	else
		strscpy(name, event->name);
	of = strobe_dyn_event_alloc(&strobe_dyn_user,
				    multi ? USER_EVENTS_MULTI_SYSTEM : USER_EVENTS_SYSTEM, name,
				    NULL);
	if (!of)
		return -ENOMEM;
	of->class.fields = event->fields.table;
	of->class.nr_fields = event->fields.nr;
	of->class.print = strobe_output_print_fields;
	of->class.ops = &user_ops;
	of->class.user_pointers = true;
	of->len = event->fields.min_len;
	strobe_dyn_probe_join(&event->probe, of);
	return 0;
}

/* Make it known, with one reference. strobe_event_mutex held. */
static int user_event_register(struct user_event *event)
{
	struct trace_event_call *call;
	int ret;

	if (nr_user_events >= max_user_events)
		return -EMFILE;
	ret = user_event_add_call(event);
	if (ret)
		return ret;
	call = call_of(event);
	if (strobe_event_find(call->class->system, trace_event_name(call)))
		return -EEXIST;
	ret = strobe_event_register(call);
	if (ret)
		return ret;
	event->probe.bound = true;
	list_add_tail(&event->probe.list, &strobe_dyn_probes);
	hash_add(user_events, &event->node, name_key(event->name));
	nr_user_events++;
	if (event->flags & USER_EVENT_REG_MULTI_FORMAT)
		multi_id++;
	user_event_use(event);
	return 0;
}

/*
 * Register it as root does: a process that may register events need not be allowed to make
 * directories in tracefs.
 */
static int user_event_publish(struct user_event *event)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int ret;

	if (!cred)
		return -ENOMEM;
	cred->fsuid = GLOBAL_ROOT_UID;
	old = override_creds(cred);
	ret = user_event_register(event);
	revert_creds(old);
	put_cred(cred);
	return ret;
}

/**
 * strobe_user_event_find_or_make - get the event of a description
 * @desc: the description
 *
 * Memory that is charged to the task is allocated without strobe_event_mutex: it may take
 * long to get.
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: the event, with a reference; -EINVAL: the fields are no good ones; -EADDRINUSE:
 *	   the event has other fields; -EEXIST: the name is taken by an event of another kind;
 *	   -EMFILE: there are too many events; -ENODEV: no id is left; -ENOMEM
 */
struct user_event *strobe_user_event_find_or_make(const struct event_desc *desc)
{
	struct user_event *event, *new;
	int ret = 0;

	scoped_guard(mutex, &strobe_event_mutex)
		event = user_event_find(desc);
	if (event)
		return event;
	new = user_event_alloc(desc);
	if (IS_ERR(new))
		return new;
	mutex_lock(&strobe_event_mutex);
	event = user_event_find(desc);
	if (!event)
		ret = user_event_publish(new);
	if (event || ret)
		user_event_free(new);
	mutex_unlock(&strobe_event_mutex);
	if (event)
		return event;
	return ret ? ERR_PTR(ret) : new;
}

/* A line of dynamic_events. The event is persistent, because it gets no references. */
static int user_define(struct dyn_line *line)
{
	struct event_desc desc;
	struct user_event *event;
	char *text;
	int ret;

	/* As the ioctl gets it: blanks between words and before the line are not dropped. */
	if (!str_has_prefix(line->text, USER_EVENTS_PREFIX))
		return -ECANCELED;
	text = kstrdup(skip_spaces(line->text + strlen(USER_EVENTS_PREFIX)), GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = strobe_user_desc_parse(&desc, text, USER_EVENT_REG_PERSIST);
	if (!ret) {
		event = strobe_user_event_find_or_make(&desc);
		ret = PTR_ERR_OR_ZERO(event);
		if (!ret)
			strobe_user_event_put(event);
	}
	kfree(text);
	return ret;
}

/* Removing events */

/* Is the event in unused_events, without other pins? */
static bool is_unused(const struct dyn_probe *probe, const void *unused)
{
	if (probe->event->kind != &strobe_dyn_user)
		return false;
	scoped_guard(spinlock, &unused_lock) {
		if (list_empty(&of_probe(probe)->unused))
			return false;
	}
	return !strobe_event_is_busy(&probe->event->dynamic.call);
}

/* While strobe_event_mutex is held, events are only added to unused_events. */
static void remove_unused(struct work_struct *work)
{
	mutex_lock(&strobe_event_mutex);
	strobe_dyn_remove_matching(is_unused, NULL);
	mutex_unlock(&strobe_event_mutex);
	/* Dropping a pin does not queue this again. */
	spin_lock(&unused_lock);
	if (!list_empty(&unused_events))
		schedule_delayed_work(&remove_work, HZ);
	spin_unlock(&unused_lock);
}

static bool has_name(const struct dyn_probe *probe, const void *name)
{
	return probe->event->kind == &strobe_dyn_user && !strcmp(of_probe(probe)->name, name);
}

/**
 * strobe_user_events_delete - delete all events of a name
 * @name: the name, as registered
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -ENOENT: there is none; -EBUSY: one of them is in use; -EPERM: one of them is
 *	   persistent, and the task may not delete those. After an error nothing is deleted.
 */
int strobe_user_events_delete(const char *name)
{
	guard(mutex)(&strobe_event_mutex);
	return strobe_dyn_remove_matching(has_name, name);
}

/* user_events_status */

static void status_show_event(struct seq_file *m, const struct user_event *event)
{
	const struct dyn_event *of = event->probe.event;
	bool ftrace = false, perf = false;
	const struct dyn_link *link;

	hlist_for_each_entry(link, &of->links, node) {
		/* This bit never changes. */
		if (data_race(link->sink->gate) & STROBE_GATE_ATTACHED)
			perf = true;
		else
			ftrace = true;
	}
	seq_puts(m, trace_event_name(&of->dynamic.call));
	if (ftrace || perf)
		seq_puts(m, " # Used by");
	if (ftrace)
		seq_puts(m, " ftrace");
	if (perf)
		seq_puts(m, " perf");
	seq_putc(m, '\n');
}

/**
 * strobe_user_status_show - write user_events_status: the events and their users
 * @m: the file
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void strobe_user_status_show(struct seq_file *m)
{
	unsigned int busy = 0, i;
	struct user_event *event;

	guard(mutex)(&strobe_event_mutex);
	hash_for_each(user_events, i, event, node) {
		status_show_event(m, event);
		busy += event->on;
	}
	seq_printf(m, "\nActive: %u\nBusy: %u\n", nr_user_events, busy);
}

/* kernel.user_events_max */

static int max_events_handler(const struct ctl_table *table, int write, void *buffer,
			      size_t *len, loff_t *pos)
{
	guard(mutex)(&strobe_event_mutex);
	return proc_douintvec(table, write, buffer, len, pos);
}

static struct ctl_table user_sysctls[] = {
	{
		.procname	= "user_events_max",
		.data		= &max_user_events,
		.maxlen		= sizeof(max_user_events),
		.mode		= 0644,
		.proc_handler	= max_events_handler,
	},
};

static int __init user_events_init(void)
{
	int ret = strobe_user_mm_init();

	if (ret)
		return ret;
	register_sysctl_init("kernel", user_sysctls);
	return 0;
}
core_initcall(user_events_init);
