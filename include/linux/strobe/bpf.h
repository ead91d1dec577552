/* SPDX-License-Identifier: GPL-2.0 */
/* What the BPF subsystem and perf call to attach programs, and what runs the programs. */
#ifndef _LINUX_STROBE_BPF_H
#define _LINUX_STROBE_BPF_H

#include <linux/errno.h>
#include <linux/types.h>

struct bpf_prog;
struct bpf_raw_event_map;
struct bpf_raw_tp_link;
struct perf_event;
struct pt_regs;
struct trace_event_call;
union bpf_attr;

#ifdef CONFIG_BPF_EVENTS

unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx);
struct pt_regs *trace_program_regs(void *ctx);
int perf_event_attach_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
void perf_event_detach_bpf_prog(struct perf_event *event);
int perf_event_query_prog_array(struct perf_event *event, void __user *info);
int bpf_probe_register(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link);
int bpf_probe_unregister(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link);
struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name);
void bpf_put_raw_tracepoint(struct bpf_raw_event_map *btp);
int bpf_get_perf_event_info(const struct perf_event *event, u32 *prog_id, u32 *fd_type,
			    const char **buf, u64 *probe_offset, u64 *probe_addr,
			    unsigned long *missed);
int bpf_kprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);
int bpf_uprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);

/* bpf_trace.c calls these. With kprobe events, probes.h has others in their place. */
static inline bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	return false;
}

static inline bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	return false;
}

/*
 * Functions that the shims of raw tracepoints call, in attach/bpf.c. @link is the probe's
 * data. The arguments follow in the order of the shim, so that the first ones stay in
 * their registers. bpf_trace.c has equivalents, bpf_trace_run1() and so on.
 */
#define STROBE_BPF_ARGS1	u64 a0
#define STROBE_BPF_ARGS2	STROBE_BPF_ARGS1, u64 a1
#define STROBE_BPF_ARGS3	STROBE_BPF_ARGS2, u64 a2
#define STROBE_BPF_ARGS4	STROBE_BPF_ARGS3, u64 a3
#define STROBE_BPF_ARGS5	STROBE_BPF_ARGS4, u64 a4
#define STROBE_BPF_ARGS6	STROBE_BPF_ARGS5, u64 a5
#define STROBE_BPF_ARGS7	STROBE_BPF_ARGS6, u64 a6
#define STROBE_BPF_ARGS8	STROBE_BPF_ARGS7, u64 a7
#define STROBE_BPF_ARGS9	STROBE_BPF_ARGS8, u64 a8
#define STROBE_BPF_ARGS10	STROBE_BPF_ARGS9, u64 a9
#define STROBE_BPF_ARGS11	STROBE_BPF_ARGS10, u64 a10
#define STROBE_BPF_ARGS12	STROBE_BPF_ARGS11, u64 a11

#define __STROBE_BPF_DECLARE(n)							\
	void strobe_bpf_run##n(struct bpf_raw_tp_link *link, STROBE_BPF_ARGS##n);	\
	void bpf_trace_run##n(struct bpf_raw_tp_link *link, STROBE_BPF_ARGS##n)

__STROBE_BPF_DECLARE(1);
__STROBE_BPF_DECLARE(2);
__STROBE_BPF_DECLARE(3);
__STROBE_BPF_DECLARE(4);
__STROBE_BPF_DECLARE(5);
__STROBE_BPF_DECLARE(6);
__STROBE_BPF_DECLARE(7);
__STROBE_BPF_DECLARE(8);
__STROBE_BPF_DECLARE(9);
__STROBE_BPF_DECLARE(10);
__STROBE_BPF_DECLARE(11);
__STROBE_BPF_DECLARE(12);

#else /* !CONFIG_BPF_EVENTS: attaching programs fails */

static inline unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx)
{
	return 1;
}

static inline int perf_event_attach_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
					     u64 bpf_cookie)
{
	return -EOPNOTSUPP;
}

static inline void perf_event_detach_bpf_prog(struct perf_event *event) { }

static inline int perf_event_query_prog_array(struct perf_event *event, void __user *info)
{
	return -EOPNOTSUPP;
}

static inline int bpf_probe_register(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link)
{
	return -EOPNOTSUPP;
}

static inline int bpf_probe_unregister(struct bpf_raw_event_map *btp,
				       struct bpf_raw_tp_link *link)
{
	return -EOPNOTSUPP;
}

static inline struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name)
{
	return NULL;
}

static inline void bpf_put_raw_tracepoint(struct bpf_raw_event_map *btp) { }

static inline int bpf_get_perf_event_info(const struct perf_event *event, u32 *prog_id,
					  u32 *fd_type, const char **buf, u64 *probe_offset,
					  u64 *probe_addr, unsigned long *missed)
{
	return -EOPNOTSUPP;
}

static inline int bpf_kprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	return -EOPNOTSUPP;
}

static inline int bpf_uprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	return -EOPNOTSUPP;
}
#endif /* CONFIG_BPF_EVENTS */

#endif /* _LINUX_STROBE_BPF_H */
