/* SPDX-License-Identifier: GPL-2.0 */
/* What perf calls, implemented in kernel/trace/strobe/attach/. */
#ifndef _LINUX_STROBE_PERF_H
#define _LINUX_STROBE_PERF_H

#include <linux/types.h>

struct bpf_prog;
struct event_filter;
struct perf_event;
struct trace_event_call;

#define PERF_MAX_TRACE_SIZE	8192

#ifdef CONFIG_PERF_EVENTS

/**
 * struct strobe_perf_perm - permission check of TRACE_EVENT_PERF_PERM()
 * @call:  the event
 * @allow: returns 0 if perf may open the event, else an errno
 * @next:  the next one
 */
struct strobe_perf_perm {
	struct trace_event_call		*call;
	int (*allow)(struct trace_event_call *tp_event, struct perf_event *p_event);
	struct strobe_perf_perm		*next;
};

void strobe_perf_perm_add(struct strobe_perf_perm *perm);

int perf_trace_init(struct perf_event *event);
void perf_trace_destroy(struct perf_event *event);
int perf_trace_add(struct perf_event *event, int flags);
void perf_trace_del(struct perf_event *event, int flags);
void perf_trace_buf_update(void *record, u16 type);
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *filter_str);
void ftrace_profile_free_filter(struct perf_event *event);
int filter_match_preds(struct event_filter *filter, void *rec);
int trace_event_get_offsets(struct trace_event_call *call);

int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
void perf_event_free_bpf_prog(struct perf_event *event);

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_STROBE_PERF_H */
