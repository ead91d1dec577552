/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks whose events an instance records: set_event_pid and set_event_notrace_pid.
 */
#ifndef _STROBE_RECORD_PID_H
#define _STROBE_RECORD_PID_H

#include <linux/types.h>

struct pid_set;
struct trace_array;
struct trace_event_call;
struct trace_event_file;

/* The two lists of an instance. An empty list is NULL. */
enum pid_list {
	PID_ONLY,	/* set_event_pid: record events of these tasks only */
	PID_EXCEPT,	/* set_event_notrace_pid: do not record events of these tasks */
	PID_LISTS,
};

/* pid_set.c: sets of pids */
struct pid_set *strobe_pid_set_alloc(void);
void strobe_pid_set_free(struct pid_set *set);
bool strobe_pid_set_has(const struct pid_set *set, pid_t pid);
int strobe_pid_set_add(struct pid_set *set, pid_t pid);
void strobe_pid_set_follow(struct pid_set *set, pid_t parent, pid_t child);
void strobe_pid_set_remove(struct pid_set *set, pid_t pid);
void strobe_pid_set_merge(struct pid_set *set, struct pid_set *from);
pid_t strobe_pid_set_next(const struct pid_set *set, pid_t pid);

/* pid.c: strobe_event_mutex held */
void strobe_instance_add_pids(struct trace_array *tr, enum pid_list list, struct pid_set *pids);
void strobe_instance_clear_pids(struct trace_array *tr, enum pid_list list);
void strobe_instance_destroy_pids(struct trace_array *tr);
int strobe_instance_follow_forks(struct trace_array *tr, bool on);
bool strobe_instance_has_pids(const struct trace_array *tr);

/* Whether an event is recorded. */
enum pid_verdict {
	PID_IGNORED,
	PID_KEPT,
	PID_BY_RECORD,		/* strobe_event_pid_record_ignored() decides */
};

/* For events whose gate has STROBE_GATE_PID. Any context, preemption off. */
enum pid_verdict strobe_event_pid_verdict(const struct trace_event_file *file);
bool strobe_event_pid_record_ignored(const struct trace_event_file *file, const void *entry);

/**
 * struct second_task - an event that belongs to a second task as well
 * @event:    its name, and that of its tracepoint
 * @field:    the field with the task's pid
 * @argument: position of the pointer to the task in the tracepoint's arguments, from 0 on
 * @call:     the event, or NULL
 * @offset:   offset of @field in its records, in bytes
 */
struct second_task {
	const char		*event;
	const char		*field;
	unsigned int		argument;
	struct trace_event_call	*call;
	unsigned int		offset;
};

/**
 * struct pid_made_from - an event that a probe makes from one that belongs to two tasks
 * @call:   the event that it makes; NULL: none
 * @second: what its source is
 * @pid:    pid of the second task
 */
struct pid_made_from {
	const struct trace_event_call	*call;
	const struct second_task	*second;
	pid_t				pid;
};

const struct second_task *strobe_second_task_in(const struct trace_event_call *call);
const struct second_task *strobe_second_task_at(const char *tracepoint);
struct pid_made_from strobe_pid_made_from(struct pid_made_from from);

#endif /* _STROBE_RECORD_PID_H */
