/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf and the BPF subsystem call for kprobe and uprobe events. Only their files that do
 * so include this, rather than each file that has events.
 */
#ifndef _LINUX_STROBE_PROBES_H
#define _LINUX_STROBE_PROBES_H

#include <linux/strobe/bpf.h>
#include <linux/types.h>

struct perf_event;
struct trace_event_call;

#ifdef CONFIG_KPROBE_EVENTS
int perf_kprobe_init(struct perf_event *event, bool is_retprobe);
void perf_kprobe_destroy(struct perf_event *event);
int bpf_get_kprobe_info(const struct perf_event *event, u32 *fd_type, const char **symbol,
			u64 *probe_offset, u64 *probe_addr, unsigned long *missed,
			bool perf_type_tracepoint);
bool strobe_kprobe_on_func_entry(struct trace_event_call *call);
bool strobe_kprobe_error_injectable(struct trace_event_call *call);

/* Instead of the functions of these names for kernels without kprobe events. */
#define trace_kprobe_on_func_entry	strobe_kprobe_on_func_entry
#define trace_kprobe_error_injectable	strobe_kprobe_error_injectable
#endif

#ifdef CONFIG_UPROBE_EVENTS
/**
 * struct uprobe_dispatch_data - a hit in user space, for bpf_get_func_ip()
 * @bp_addr: address of the probe, or of the function whose return is probed
 *
 * current->utask->vaddr points to it while programs run.
 */
struct uprobe_dispatch_data {
	unsigned long	bp_addr;
};

int perf_uprobe_init(struct perf_event *event, unsigned long ref_ctr_offset, bool is_retprobe);
void perf_uprobe_destroy(struct perf_event *event);
int bpf_get_uprobe_info(const struct perf_event *event, u32 *fd_type, const char **filename,
			u64 *probe_offset, u64 *probe_addr, bool perf_type_tracepoint);
#endif

#endif /* _LINUX_STROBE_PROBES_H */
