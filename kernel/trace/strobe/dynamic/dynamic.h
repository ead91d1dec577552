/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that are defined at run time: what all kinds of them share.
 *
 * A definition is one line. It makes a probe (struct dyn_probe), which belongs to an event
 * (struct dyn_event). An event has several probes if more definitions of the same name and
 * kind were appended. Sinks, of instances and of perf, are connected to the event by links;
 * each hit of a probe makes a record in each of them.
 *
 * How a kind plugs in
 *	It is a constant struct dyn_kind, listed in dyn_kinds[] (define.c), in a file of its
 *	own, with a structure that begins with struct dyn_probe.
 *	A kind whose lines are "LETTER[:[GROUP/][EVENT]] PLACE ARGS" sets
 *	place(), which reads the line's first word up to ':' and the place, and fills in
 *	dyn_line::source; bind(), which finds the place and registers a callback that does not
 *	run yet; arm() and disarm(), which let the callback run; unbind(), which is final.
 *	define.c does the rest: names, arguments, appending, the list, the registry.
 *	Its callback fills in a struct dyn_hit and calls strobe_dyn_fire(), or, if its program
 *	may sleep, strobe_dyn_fire_user(). A source that makes the record itself calls
 *	strobe_dyn_deliver().
 *	A kind whose lines are different sets define(), which does all that place() and
 *	define.c would do, with the functions of event.c. Its records need not be described by
 *	struct dyn_args: it sets class.fields, class.print and class.ops of its event.
 *	Files of the kind alone (NAME_events, NAME_profile) are rows of a table in
 *	fs/dynamic_events.c.
 *
 * States of a probe (strobe_event_mutex)
 *	made	 not in a list; its maker owns it
 *	bound	 in strobe_dyn_probes and dyn_event::probes; bind() has returned 0. The place
 *		 may still have to come (dyn_probe::pending)
 *	armed	 bound, and the event has at least one sink
 *	unbound	 unbind() has returned: no callback runs; it will be freed
 *
 * Locks: dynamic_mutex (define.c), while a line is executed; then strobe_event_mutex, which
 * protects all of this but what a hit reads: links, dyn_probe::programs and counts. It reads
 * them with preemption off, or, if its program may sleep, with rcu_read_lock_trace(). Links are
 * freed a grace period after they are unpublished, the others after unbind().
 */
#ifndef _STROBE_DYNAMIC_DYNAMIC_H
#define _STROBE_DYNAMIC_DYNAMIC_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/strobe/event.h>
#include <linux/types.h>

#include "dynamic/args.h"
#include "dynamic/line.h"
#include "event/event.h"

struct dyn_kind;
struct dyn_probe;
struct seq_file;
struct strobe_program;

#define DYN_HEAD_MAX	2U	/* words between struct trace_entry and the arguments */

/**
 * struct dyn_event - an event with one or more probes
 * @dynamic: the event as the registry knows it
 * @class:  its class, which no other event has; it describes its fields on request
 * @kind:   its kind
 * @probes: the first of its probes, which are in order of definition; strobe_event_mutex or
 *	    strobe_dyn_probes_mutex keeps them, @nr_probes and @overridden
 * @links:  its sinks: those of instances, then those with STROBE_GATE_ATTACHED
 * @args:   arguments of its first definition: field names and types; NULL: the kind has none
 * @len:    bytes of a record's fixed part, struct trace_entry included
 * @nr_head: words between struct trace_entry and the arguments
 * @image:  records are made in the arena first, as their length is not known before
 * @overridden: a program may override its function, so it gets no other probe while it has
 *	    @links
 * @nr_probes: number of @probes
 * @nr_leaving: number of those that will be removed
 * @places: names that strobe_dyn_place_keep() has returned
 * @next_leaving: the next event that loses probes, while some are removed
 * @names:  group and name
 *
 * An event of perf's PMU is local: it is not registered, and its id is 0.
 */
struct dyn_event {
	struct strobe_dynamic_event	dynamic;
	struct trace_event_class	class;
	const struct dyn_kind		*kind;
	struct dyn_probe		*probes;
	struct hlist_head		links;
	struct dyn_args			*args;
	u32				len;
	u8				nr_head;
	bool				image;
	bool				overridden;
	unsigned int			nr_probes;
	unsigned int			nr_leaving;
	struct dyn_event		*next_leaving;
	struct dyn_place		*places;
	char				names[];
};

/**
 * struct dyn_link - a sink of an event
 * @node: in dyn_event::links
 * @sink: the sink
 * @rcu:  frees it
 */
struct dyn_link {
	struct hlist_node	node;
	struct strobe_sink	*sink;
	struct rcu_head		rcu;
};

/**
 * struct dyn_counts - counters of a probe on one CPU
 * @hits:   how often it fired
 * @missed: how often there was no room for an image
 */
struct dyn_counts {
	unsigned long	hits;
	unsigned long	missed;
};

/**
 * struct dyn_programs - programs of a probe that has arguments
 * @fetch:  fetches them
 * @entry:  for the entry of a function whose return is probed; NULL: none
 */
struct dyn_programs {
	struct strobe_program	*fetch;
	struct strobe_program	*entry;
};

/**
 * struct dyn_probe - one definition; each kind has a structure that begins with it
 * @list:   in strobe_dyn_probes, unless its event is local
 * @next:   the next one of the event, or NULL
 * @event:  the event
 * @args:   its arguments; NULL: the kind has none
 * @programs: made when it is armed; NULL: not yet, or there are no arguments
 * @counts: its counters, allocated when it is first armed; before, those of all such probes
 * @is_return: it fires when a function returns
 * @armed:  arm() has returned 0
 * @pending: there is no such place, but it may come with a module
 * @bound:  bind() has been called, and unbind() has not
 * @leaving: it is being removed
 *
 * There may be thousands of probes. Memory that only a hit needs is allocated when one is armed.
 */
struct dyn_probe {
	struct list_head	list;
	struct dyn_probe	*next;
	struct dyn_event	*event;
	struct dyn_args		*args;
	struct dyn_programs	*programs;
	struct dyn_counts __percpu *counts;
	bool			is_return;
	bool			armed;
	bool			pending;
	bool			bound;
	bool			leaving;
};

/**
 * struct dyn_kind - a source of events
 * @letters: first letters of its lines; several kinds may have the same: they are asked in
 *	    order, and decline by -ECANCELED
 * @group:  default group
 * @where:  how error_log calls it
 * @call_flags: TRACE_EVENT_FL_* besides DYNAMIC
 * @nr_head: words of a record before the arguments, DYN_HEAD_MAX at most. If the source has
 *	    DYN_RETURN, it has one more
 * @head:   field descriptions of those words without DYN_RETURN, and with it
 * @head_fmt: beginning of "print fmt" without and with DYN_RETURN, up to the arguments' text;
 *	    the words themselves are appended as REC->NAME
 * @print_head: writes the text of a record before its arguments
 * @define: NULL, or executes a whole line: see the top of this file
 * @place:  parses a place; the errors are the ABI's
 * @name:   makes an event's name if the line has none
 * @same:   whether two probes are at the same place
 * @is_at:  whether the probe is at the place that word @first names; for removal
 * @matches: NULL, or whether a line to remove it names the probe; @group is NULL or a name,
 *	    @name a name or "", @rest the words after them
 * @may_remove: NULL, or whether the current task may remove the probe: 0 or an errno
 * @show:   writes the line, from its letter to before its arguments
 * @check:  NULL, or: may the probe be beside those that exist? 0 or an errno; called first
 * @bind:   finds the place; returns 0, also if it has set dyn_probe::pending; or an errno
 * @failed: sets the line's error if bind() or the registry has returned @err
 * @arm:    may compile and allocate; on an errno nothing has changed
 * @disarm: cannot fail; the callback may still run for a while
 * @unbind: of @nr probes. On return no callback runs, and an RCU grace period is over
 * @free:   frees what the kind has in the probe, which is not bound
 * @missed: how often the source itself could not fire
 * @retarget: NULL, or: an armed event has got (@more) or lost a sink, or perf events for a
 *	     task: let the source fire in more or fewer processes. 0 or an errno
 * @profile: writes the line of NAME_profile; needed only if there is such a file
 *
 * All are called in task context with strobe_event_mutex held, except @define and @place,
 * which are called with dynamic_mutex only. @name, @same (no appending then), @failed,
 * @missed, @retarget and @free may be NULL, and @bind if there is @define.
 */
struct dyn_kind {
	const char	*letters;
	const char	*group;
	const char	*where;
	u16		call_flags;
	u8		nr_head;
	const struct strobe_field *head[2];
	const char	*head_fmt[2];

	void	(*print_head)(struct strobe_print *pr, const struct dyn_event *event);
	int	(*define)(struct dyn_line *line);
	int	(*place)(struct dyn_line *line);
	void	(*name)(const struct dyn_line *line, char name[DYN_NAME_MAX]);
	bool	(*same)(const struct dyn_probe *a, const struct dyn_probe *b);
	bool	(*is_at)(const struct dyn_probe *probe, const char *place);
	bool	(*matches)(const struct dyn_probe *probe, const char *group, const char *name,
			   const char *rest);
	int	(*may_remove)(const struct dyn_probe *probe);
	void	(*show)(struct seq_file *m, const struct dyn_probe *probe);
	int	(*check)(const struct dyn_probe *probe);
	int	(*bind)(struct dyn_probe *probe);
	void	(*failed)(struct dyn_line *line, int err);
	int	(*arm)(struct dyn_probe *probe);
	void	(*disarm)(struct dyn_probe *probe);
	void	(*unbind)(struct dyn_probe **probes, unsigned int nr);
	void	(*free)(struct dyn_probe *probe);
	unsigned long (*missed)(const struct dyn_probe *probe);
	int	(*retarget)(struct dyn_event *event, bool more);
	void	(*profile)(struct seq_file *m, const struct dyn_probe *probe);
};

/**
 * struct dyn_hit - one firing of a probe
 * @probe:  the probe
 * @in:     as dyn_frame::in: struct pt_regs, or another event's record
 * @in_len: as dyn_frame::in_len
 * @regs:   registers for perf and for BPF programs; NULL: none
 * @kept:   as dyn_frame::kept
 * @base:   as dyn_frame::base
 * @head:   the words before the arguments
 */
struct dyn_hit {
	struct dyn_probe	*probe;
	void			*in;
	u32			in_len;
	struct pt_regs		*regs;
	u64			*kept;
	unsigned long		base;
	unsigned long		head[DYN_HEAD_MAX];
};

/* Set all but the words before the arguments. The program reads @regs unless hit->in changes. */
static __always_inline void dyn_hit_init(struct dyn_hit *hit, struct dyn_probe *probe,
					 struct pt_regs *regs)
{
	hit->probe = probe;
	hit->in = regs;
	hit->in_len = 0;
	hit->regs = regs;
	hit->kept = NULL;
	hit->base = 0;
}

/* In order of definition; strobe_event_mutex */
extern struct list_head strobe_dyn_probes;

static inline struct dyn_event *dyn_event_of(const struct trace_event_call *call)
{
	return container_of(call, struct dyn_event, dynamic.call);
}

static inline bool dyn_event_is_return(const struct dyn_event *event)
{
	return event->args && event->args->flags & DYN_RETURN;
}

#define dyn_for_each_probe(probe, event) \
	for (probe = (event)->probes; probe; probe = probe->next)

/* Bytes of a record before its first argument; @flags: DYN_* */
static inline u32 dyn_head_bytes(const struct dyn_kind *kind, u32 flags)
{
	return sizeof(struct trace_entry) +
	       sizeof(long) * (kind->nr_head + !!(flags & DYN_RETURN));
}

static inline bool dyn_sink_is_attached(const struct strobe_sink *sink)
{
	/* This bit never changes. */
	return data_race(sink->gate) & STROBE_GATE_ATTACHED;
}

/* define.c */
int strobe_dyn_execute(const struct dyn_kind *kind, const char *text);
void strobe_dyn_show(struct seq_file *m, const struct dyn_probe *probe);

/* remove.c */
int strobe_dyn_remove(const struct dyn_kind *kind, const struct dyn_words *words);
int strobe_dyn_remove_all(const struct dyn_kind *kind);
int strobe_dyn_remove_matching(bool (*matches)(const struct dyn_probe *probe, const void *data),
			       const void *data);

/* event.c */
struct dyn_event *strobe_dyn_event_alloc(const struct dyn_kind *kind, const char *group,
					 const char *name, struct dyn_args *args);
void strobe_dyn_event_free(struct dyn_event *event);
const char *strobe_dyn_place_keep(struct dyn_event *event, const char *name);

/* probe.c */
struct dyn_probe *strobe_dyn_probe_alloc(size_t size);
int strobe_dyn_arm(struct dyn_probe *probe);
void strobe_dyn_programs_free(struct dyn_probe *probe);
void strobe_dyn_probe_free(const struct dyn_kind *kind, struct dyn_probe *probe);
struct dyn_counts strobe_dyn_probe_counts(const struct dyn_probe *probe);
bool strobe_dyn_probe_join(struct dyn_probe *probe, struct dyn_event *event);
void strobe_dyn_probe_part(struct dyn_probe *probe);
extern struct mutex strobe_dyn_probes_mutex;

/* links.c */
int strobe_dyn_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on);

/* fire.c */
int strobe_dyn_fire(struct dyn_hit *hit);
void strobe_dyn_deliver(struct dyn_hit *hit, void *image, u32 len);
u32 strobe_dyn_record_make(struct dyn_hit *hit, void *record, u32 end);
void strobe_dyn_deliver_part(struct dyn_hit *hit, void *image, u32 len, bool attached);
bool strobe_dyn_perf_counts(struct dyn_event *event);
int strobe_dyn_arena_get(void);
void strobe_dyn_arena_put(void);

/* fire_user.c */
void strobe_dyn_images_get(void);
void strobe_dyn_images_put(void);
bool strobe_dyn_user_wanted(const struct dyn_event *event, const struct mm_struct *mm);
bool strobe_dyn_fire_user(struct dyn_hit *hit);

/* The kinds. */
extern const struct dyn_kind strobe_dyn_kprobe, strobe_dyn_uprobe, strobe_dyn_user;
extern const struct dyn_kind strobe_dyn_fprobe, strobe_dyn_eprobe;

#endif /* _STROBE_DYNAMIC_DYNAMIC_H */
